"""Whether a transcript proves what it claims: the verdict anew, and, where parties signed, every signature.

The verdict follows from the Commits and Reveals alone. What the signatures add is who sent them: a transcript of a live
election in strong mode has the roster in its header, and each line the signatures of its party; one from a hub has the hub's
closings. They are right or wrong by the keys in the file; whether these are the keys of the people one means is for a given
roster to say.
"""

from collections.abc import Mapping
from enum import StrEnum
from hashlib import sha256
from typing import Any

from arbitre.elections.bulk import Bulk, Steps
from arbitre.elections.call import Call, call_of
from arbitre.elections.hub import COMMITS, read_listing
from arbitre.elections.item import HUB, Item, Kind
from arbitre.elections.lots import order_of
from arbitre.elections.terms import Mode
from arbitre.elections.transcript import Entry, Source
from arbitre.elections.verdict import Verdict
from arbitre.errors import ElectionError, PayloadError, RecordError
from arbitre.reasons import Reason
from arbitre.values import value


class Standing(StrEnum):
    """What verification found."""

    VERIFIED = "verified"
    """What the file claims follows from it, and whoever had to sign did."""
    SETTLED = "settled"
    """The file claims nothing; this is what follows from it."""
    INTACT = "intact"
    """As verified, but nobody said whose keys these are."""
    BROKEN = "broken"


@value
class Finding:
    """What is to be said about a transcript."""

    standing: Standing
    line: str
    verdict: Verdict | None = None
    parties: int = 0
    group: str = ""
    """The fingerprint of the group that signed."""


def verify_source(
    source: Source, roster: Mapping[str, str] | None = None, steps: Steps = "auto", jobs: int | None = None
) -> Finding:
    """Check a transcript; `roster` are the keys, in hexadecimal, by which everybody is known."""
    try:
        bulk = Bulk(source, steps, jobs)
        verdict = bulk.settle()
        signed = _signatures(source)
        _claims(source, verdict)
    except (RecordError, ElectionError, PayloadError) as error:
        return Finding(Standing.BROKEN, f"broken: {error}")
    said = outcome(verdict)
    if signed is None:
        if roster is not None:
            return Finding(Standing.BROKEN, "broken: a roster was given, but nobody signed this", verdict, bulk.parties)
        if source.claim is None:
            return Finding(Standing.SETTLED, f"claims nothing; {said}", verdict, bulk.parties)
        return Finding(Standing.VERIFIED, f"verified: {said}", verdict, bulk.parties)
    if roster is not None and dict(roster) != dict(signed.keys):
        return Finding(Standing.BROKEN, "broken: signed by another group than the given roster", verdict, bulk.parties)
    if roster is None:
        line = f"intact, signed by the group {signed.fingerprint}: {said}"
        return Finding(Standing.INTACT, line, verdict, bulk.parties, signed.fingerprint)
    return Finding(Standing.VERIFIED, f"verified, all signed: {said}", verdict, bulk.parties, signed.fingerprint)


def outcome(verdict: Verdict) -> Reason:
    """Say in one line what a verdict is."""
    if verdict.winner is not None:
        rounds = len(verdict.rounds)
        return Reason(
            "%(winner)s wins after 1 round" if rounds == 1 else "%(winner)s wins after %(rounds)s rounds",
            winner=verdict.winner,
            rounds=rounds,
        )
    if verdict.void:
        return Reason("void: %(players)s players tie for ever and must commit anew", players=len(verdict.tied))
    return Reason("nobody wins: nobody is left")


def _claims(source: Source, verdict: Verdict) -> None:
    """Compare the verdict with what the file claims."""
    if source.claim is None:
        return
    claim = source.claim.fields
    if claim.get("winner") != verdict.winner:
        raise RecordError("it claims that %(claim)r wins, but %(verdict)s", claim=claim.get("winner"), verdict=outcome(verdict))
    if sorted(map(str, claim.get("tied", ()) or ())) != sorted(verdict.tied):  # type: ignore[call-overload]
        raise RecordError("it claims another tie than there is")
    if "excluded" in claim:
        left_out = claim["excluded"]
        if not isinstance(left_out, Mapping):
            raise RecordError("what it claims about excluded parties has another form")
        found = {one.player: one.fault for one in verdict.excluded}
        for player in sorted(found.keys() | left_out.keys()):
            if found.get(player) != left_out.get(player):
                raise RecordError(
                    "%(player)s: %(player2)s; claimed: %(player3)s",
                    player=player,
                    player2=found.get(player, Reason("takes part")),
                    player3=left_out.get(player, Reason("takes part")),
                )
    if "order" in claim and list(order_of(source)) != claim["order"]:
        raise RecordError("it claims another order than follows from it")


def _signatures(source: Source) -> Call | None:
    """Check all signatures; return the call that they belong to, None where nobody signs."""
    if source.header.terms.mode is not Mode.STRONG or "roster" not in (source.header.more or {}):
        return None
    call = call_of(source.header)
    tag, keys = call.tag, call.roster
    commits: dict[str, bytes] = {}
    for chunk in source.chunks():
        for place, said in chunk.said():
            if isinstance(said, Entry):
                try:
                    _entry(said, tag, keys)
                except RecordError as error:
                    raise RecordError("%(place)s: %(error)s", place=source.where(place), error=error) from None
                if said.commit is not None:
                    commits.setdefault(said.player, said.commit)
    for note in source.notes:
        if "closing" in note.fields:
            _closing(note.fields, call, commits)
    return call


def _entry(said: Entry, tag: bytes, keys: Mapping[str, bytes]) -> None:
    more: Mapping[str, Any] = said.more or {}
    if said.player not in keys:
        raise RecordError("%(player)r is not on the roster", player=said.player)
    for kind, body, name in (
        (Kind.COMMIT, said.commit, "commit_signature"),
        (Kind.REVEAL, said.reveal, "reveal_signature"),
        (Kind.ECHO, _hex(more.get("echo")), "echo_signature"),
    ):
        if body is not None:
            item = Item(kind, said.player, body, ((said.player, _hex(more.get(name)) or b""),))
            if not item.verified(tag, keys).signatures:
                raise RecordError("%(player)s did not sign this %(name)s", player=said.player, name=kind.name.lower())


def _closing(fields: Mapping[str, object], call: Call, commits: Mapping[str, bytes]) -> None:
    """Check a closing of the hub, and that the Commits are those that it listed."""
    body, listing = _hex(fields.get("closing")) or b"", _hex(fields.get("listing")) or b""
    item = Item(Kind.CLOSING, HUB, body, ((HUB, _hex(fields.get("signature")) or b""),))
    if not item.verified(call.tag, {HUB: bytes.fromhex(call.hub)}).signatures:
        raise RecordError("the hub did not sign its closing")
    if sha256(listing).digest() != body[1:]:
        raise RecordError("the hub closed another list than this")
    stage, listed = read_listing(listing)
    if stage == COMMITS:
        for player, digest in listed.items():
            if sha256(commits.get(player, b"")).digest() != digest:
                raise RecordError("%(player)s: another Commit than the hub listed", player=player)


def _hex(given: object) -> bytes | None:
    if given is None:
        return None
    try:
        return bytes.fromhex(str(given))
    except ValueError:
        raise RecordError("not hexadecimal: %(given)r", given=str(given)[:40]) from None
