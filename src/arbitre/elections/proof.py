"""What a transcript proves: the one court of elections, for the command line and for the site (spec proof, section 6).

The verdict follows from the Commits and Reveals alone. Where parties signed, the file has the roster in its header and every line
that `signed` names, and proves who sent what, that nothing was left out, and that enough parties settled the same:

==============  ======================================================================================================
`verified`      all of it, and somebody vouches for the group: its fingerprint was given, or is known
`intact`        all of it, but nobody said whose keys these are; or everything follows, but nobody signed it
`incomplete`    too few verdicts for a certificate, or nothing is claimed: there may be a winner, this does not prove him
`broken`        something does not follow, is missing, or is not signed
`foreign`       another format
==============  ======================================================================================================

Who is missing is unheard, which proves nothing against him; only two signatures that contradict each other convict.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import IO, Any

from arbitre.elections.bulk import Bulk, Steps
from arbitre.elections.call import Call, call_of
from arbitre.elections.item import HUB, Item, Kind
from arbitre.elections.lots import order_of
from arbitre.elections.party import convicting
from arbitre.elections.ruling import COMMITS, REVEALS, Ruling, set_hash
from arbitre.elections.signed import (
    Conviction,
    claim_of,
    in_order,
    read_closing,
    read_conviction,
    read_entry,
)
from arbitre.elections.terms import Mode
from arbitre.elections.transcript import LONGEST_LINE, Source, read_object
from arbitre.elections.verdict import Verdict, settle
from arbitre.errors import ElectionError, FormatError, PayloadError, RecordError
from arbitre.reasons import N_, Reason
from arbitre.records.event import canonical
from arbitre.referee.verify import Proof
from arbitre.values import value


@value
class Finding:
    """What is to be said about a transcript."""

    standing: Proof
    why: Reason
    verdict: Verdict | None = None
    """What follows from the payloads, certified or not."""
    parties: int = 0
    group: str = ""
    """The fingerprint of the group that signed."""
    convictions: tuple[Conviction, ...] = ()


def examine(
    file: IO[bytes], keys: Collection[str] = (), given: str | None = None, steps: Steps = "auto", jobs: int | None = None
) -> Finding:
    """Check a transcript in a file; `keys` are fingerprints of groups that are known, `given` the one that must have signed."""
    try:
        return verify_source(Source(file), keys, given, steps, jobs)
    except FormatError as error:
        return Finding(Proof.FOREIGN, error.reason)
    except (RecordError, ElectionError, PayloadError) as error:
        return Finding(Proof.BROKEN, error.reason)


def verify_source(
    source: Source, keys: Collection[str] = (), given: str | None = None, steps: Steps = "auto", jobs: int | None = None
) -> Finding:
    """Check a transcript; as `examine`."""
    try:
        if source.header.terms.mode is Mode.STRONG and "roster" in (source.header.more or {}):
            return _group(_Signed(source).finding(), keys, given)
        return _unsigned(source, given, steps, jobs)
    except (RecordError, ElectionError, PayloadError) as error:
        return Finding(Proof.BROKEN, error.reason)


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


def _told(verdict: Verdict, parties: int) -> Reason:
    return Reason("election, %(parties)s parties, %(outcome)s", parties=parties, outcome=outcome(verdict))


# ── where nobody signed ────────────────────────────────────────────────────────────────────────────────────────────


def _unsigned(source: Source, given: str | None, steps: Steps, jobs: int | None) -> Finding:
    bulk = Bulk(source, steps, jobs)
    verdict = bulk.settle()
    _claims(source, verdict)
    said = _told(verdict, bulk.parties)
    if given is not None:
        return Finding(Proof.BROKEN, Reason("signed by nobody, not by %(given)s", given=given), verdict, bulk.parties)
    if source.claim is None:
        why = Reason("it claims nothing and nobody signed it; %(said)s", said=said)
        return Finding(Proof.INCOMPLETE, why, verdict, bulk.parties)
    return Finding(Proof.INTACT, Reason("%(said)s; nobody signed it", said=said), verdict, bulk.parties)


def _claims(source: Source, verdict: Verdict) -> None:
    """Compare the verdict with what the file claims."""
    if source.claim is None:
        return
    claim = source.claim.fields
    if claim.get("winner") != verdict.winner:
        raise RecordError("it claims that %(claim)r wins, but %(verdict)s", claim=claim.get("winner"), verdict=outcome(verdict))
    if sorted(map(str, claim.get("tied", ()) or ())) != sorted(verdict.tied):  # type: ignore[call-overload]
        raise RecordError("it claims another tie than there is")
    own = claim_of(verdict) if claim.keys() & {"excluded", "unheard"} else {}
    for member in ("excluded", "unheard"):
        if member in claim and claim[member] != own[member]:
            raise RecordError("it claims others than there are as %(member)s", member=member)
    if "order" in claim and list(order_of(source)) != claim["order"]:
        raise RecordError("it claims another order than follows from it")


# ── where parties signed ───────────────────────────────────────────────────────────────────────────────────────────


def _group(found: Finding, keys: Collection[str], given: str | None) -> Finding:
    """Say whose signatures these are."""
    if given not in (None, found.group):
        why = Reason(N_("signed by the group %(group)s, not by %(given)s"), group=found.group, given=given)
        return Finding(Proof.BROKEN, why, found.verdict, found.parties, found.group)
    vouched = given is not None or found.group in keys
    if found.standing is not Proof.INTACT or not vouched:
        return found
    return Finding(Proof.VERIFIED, found.why, found.verdict, found.parties, found.group, found.convictions)


class _Signed:
    """A signed transcript, read line by line: what it must hold, in the order in which it must hold it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.call: Call = call_of(source.header)
        if source.compact:
            raise RecordError("signatures have no place in the compact form")
        self.tag, self.keys = self.call.tag, self.call.roster
        self._lines = self._read()
        self._at = 1
        self.said = self._parties()
        self.closings = self._closings()
        self.convictions = self._convictions()
        self.claim = self._claim()
        if self.claim is not None and len(self.closings) != (2 if self.call.hub else 0):
            raise RecordError("a closing of the hub is missing")

    def _read(self) -> list[dict[str, Any]]:
        """Return all lines behind the header, each of which must be canonical."""
        self.source.file.seek(0)
        header = self.call.header(self.source.header.announced)
        if self.source.file.readline(LONGEST_LINE) != header.line().encode() + b"\n":
            raise RecordError("line %(number)s: %(why)s", number=1, why=Reason("not as it was written"))
        found: list[dict[str, Any]] = []
        while line := self.source.file.readline(LONGEST_LINE):
            fields = read_object(line)
            if len(found) > 6 * len(self.keys) + 4 or canonical(fields).encode() + b"\n" != line:
                raise RecordError("line %(number)s: %(why)s", number=len(found) + 2, why=Reason("not as it was written"))
            found.append(fields)
        return found

    def _wrong(self, why: Reason) -> RecordError:
        return RecordError("line %(number)s: %(why)s", number=self._at + 1, why=why)

    def _next(self, member: str) -> dict[str, Any] | None:
        """Return the next line, if it is one with this member."""
        if self._at > len(self._lines) or member not in self._lines[self._at - 1]:
            return None
        self._at += 1
        return self._lines[self._at - 2]

    def _parties(self) -> dict[str, dict[Kind, Item]]:
        said: dict[str, dict[Kind, Item]] = {}
        for name in sorted(self.keys, key=str.encode):
            fields = self._next("player")
            if fields is None:
                raise self._wrong(Reason("the line of %(player)s is missing", player=name))
            self._at -= 1
            try:
                player, held = read_entry(fields)
            except RecordError as error:
                raise self._wrong(error.reason) from None
            if player != name:
                raise self._wrong(Reason("the line of %(player)s is missing", player=name))
            for kind, item in held.items():
                self._check(item, kind)
            said[name] = held
            self._at += 1
        return said

    def _check(self, item: Item, kind: Kind) -> None:
        if not item.verified(self.tag, self.keys).signatures:
            raise self._wrong(Reason("%(player)s did not sign this %(name)s", player=item.author, name=kind.name.lower()))

    def _closings(self) -> list[Item]:
        """Return the closings; an election that came to no end may lack some."""
        found: list[Item] = []
        while len(found) < 2 and self.call.hub and (fields := self._next("closing")) is not None:
            item = read_closing(fields)
            if not item.verified(self.tag, {HUB: bytes.fromhex(self.call.hub)}).signatures:
                raise RecordError("the hub did not sign its closing")
            found.append(item)
        return found

    def _convictions(self) -> list[Conviction]:
        found = []
        keys = {**self.keys, **({HUB: bytes.fromhex(self.call.hub)} if self.call.hub else {})}
        while (fields := self._next("convicted")) is not None:
            one = read_conviction(fields)
            if one.author not in keys or any(not item.verified(self.tag, keys).signatures for item in (one.one, one.two)):
                raise RecordError("%(player)s did not sign what would convict", player=one.author or Reason("the hub"))
            if one.one.kind is Kind.CLOSING and one.one.body[:1] != one.two.body[:1]:
                raise RecordError("the two closings do not contradict each other")
            found.append(one)
        if in_order(found) != found:
            raise RecordError("the convictions are not in order")
        return found

    def _claim(self) -> Mapping[str, Any] | None:
        fields = self._next("verdict")
        if fields is not None and fields.keys() != {"verdict"}:
            raise RecordError("the verdict has a line of its own")
        if self._at <= len(self._lines):
            raise self._wrong(Reason("nothing calls for this line"))
        claim = None if fields is None else fields["verdict"]
        if claim is not None and not isinstance(claim, dict):
            raise RecordError("the verdict has another form")
        return claim

    # ── what follows ───────────────────────────────────────────────────────────────────────────────────────────────

    def _payloads(self, kind: Kind) -> dict[str, bytes]:
        return {name: held[kind].body for name, held in self.said.items() if kind in held}

    def finding(self) -> Finding:
        """Return what it proves."""
        commits, reveals = self._payloads(Kind.COMMIT), self._payloads(Kind.REVEAL)
        announced = self.source.header.announced
        hashes = [set_hash(self.tag, stage, said) for stage, said in ((COMMITS, commits), (REVEALS, reveals))]
        self._consistent(commits, reveals, hashes)
        verdict = convicting(settle(self.call.terms, commits, reveals, announced, self.call.players), self.convictions)
        ruling = Ruling(hashes[0], hashes[1], announced, verdict.winner).octets()
        signers = [name for name, body in self._payloads(Kind.VERDICT).items() if body == ruling]
        finding = self._standing(verdict, signers)
        if self.claim is not None and self.claim != claim_of(verdict, self.convictions, signers):
            raise RecordError("it claims another verdict than follows from it; %(said)s", said=outcome(verdict))
        return finding

    def _consistent(self, commits: Mapping[str, bytes], reveals: Mapping[str, bytes], hashes: Sequence[bytes]) -> None:
        """Check that echoes and closings are of these sets, and that nobody reveals without an echo."""
        for name, held in self.said.items():
            echo = held.get(Kind.ECHO)
            if (echo is None and name in reveals) or (name in reveals and name not in commits):
                raise RecordError("%(player)s: a Reveal without its Commit and echo", player=name)
            if echo is not None and (echo.body[:32] != hashes[0] or len(echo.body) != (96 if self.call.hub else 32)):
                raise RecordError("%(player)s echoed other Commits than these", player=name)
        for stage, closing, due in zip((COMMITS, REVEALS), self.closings, hashes, strict=False):
            if closing.body != stage + due:
                raise RecordError("the hub closed another list than this")

    def _standing(self, verdict: Verdict, signers: Sequence[str]) -> Finding:
        group, said, needed = self.call.fingerprint, _told(verdict, self.call.parties), self.call.quorum
        convictions = tuple(self.convictions)
        if len(signers) < needed:
            why = N_("%(signers)s of %(parties)s parties signed this verdict, %(needed)s settle it; group %(group)s")
            reason = Reason(why, signers=len(signers), parties=self.call.parties, needed=needed, group=group)
            return Finding(Proof.INCOMPLETE, reason, verdict, self.call.parties, group, convictions)
        if self.claim is None:
            reason = Reason("the line with the verdict is missing; signed by the group %(group)s", group=group)
            return Finding(Proof.INCOMPLETE, reason, verdict, self.call.parties, group, convictions)
        reason = Reason("%(said)s, signed by the group %(group)s", said=said, group=group)
        return Finding(Proof.INTACT, reason, verdict, self.call.parties, group, convictions)
