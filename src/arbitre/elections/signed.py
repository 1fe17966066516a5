"""The lines of a signed election, complete or worth nothing (spec proof, section 6): written here, and read here.

=============  ======================================================================================================
header         the call, in `"rochambeau":2` first
a party        one line for each of the roster, in the order of the names: `player`, and `commit`, `echo`, `reveal`,
               `verdict`, each with `…_signature`, null where nothing was heard
a closing      with a hub: `closing` (stage and hash), `signature`; first of the Commits, then of the Reveals
a conviction   `convicted`, `of` (what kind), `bodies` and `signatures`, two of each that contradict each other
the verdict    `winner`, `tied`, `unheard`, `excluded`, `convicted`, and `certificate`: whose verdicts are equal to it
=============  ======================================================================================================

Each line is canonical JSON and has all of its members, so whatever is cut out is missed; and what the lines leave of the sets is
what the verdicts have signed, so nothing can be cut out of both.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from arbitre.elections.item import HUB, STATEMENTS, Item, Kind
from arbitre.elections.transcript import Entry
from arbitre.elections.verdict import Verdict
from arbitre.errors import RecordError, shorten
from arbitre.values import value

NAMES: Final = {kind: kind.name.lower() for kind in STATEMENTS}
MEMBERS: Final = frozenset({"player", *(name + end for name in NAMES.values() for end in ("", "_signature"))})


@value
class Conviction:
    """Two things that one party signed and of which only one can be so; in the name of the hub, of the hub."""

    one: Item
    two: Item

    @property
    def author(self) -> str:
        """Who is convicted."""
        return self.one.author

    def note(self) -> dict[str, object]:
        """Return the line."""
        both = sorted((self.one, self.two), key=lambda item: item.body)
        return {
            "convicted": self.author,
            "of": self.one.kind.name.lower(),
            "bodies": [item.body.hex() for item in both],
            "signatures": [(item.signature(self.author) or b"").hex() for item in both],
        }


def write_entry(player: str, said: Mapping[Kind, Item]) -> Entry:
    """Return the line of a party that signed these."""
    more: dict[str, object] = {}
    for kind, name in NAMES.items():
        item = said.get(kind)
        more[name] = None if item is None else item.body.hex()
        more[name + "_signature"] = None if item is None else (item.signature(player) or b"").hex()
    commit, reveal = (said[kind].body if kind in said else None for kind in (Kind.COMMIT, Kind.REVEAL))
    return Entry(player, commit, reveal, {name: more[name] for name in more if name not in {"commit", "reveal"}})


def read_entry(fields: Mapping[str, Any]) -> tuple[str, dict[Kind, Item]]:
    """Return the name of a party and what it signed, as its line says."""
    if fields.keys() != MEMBERS or not isinstance(fields["player"], str):
        missed = sorted(MEMBERS ^ fields.keys())
        raise RecordError("the line of a party has exactly its nine members; look at %(names)s", names=shorten(", ".join(missed)))
    player = fields["player"]
    said = {}
    for kind, name in NAMES.items():
        body, signature = (octets(fields[one]) for one in (name, name + "_signature"))
        if (body is None) != (signature is None):
            raise RecordError("%(player)s: a %(name)s without its signature, or the other way round", player=player, name=name)
        if body is not None and signature is not None:
            said[kind] = Item(kind, player, body, ((player, signature),))
    return player, said


def closing_note(closing: Item) -> dict[str, object]:
    """Return the line of a closing."""
    return {"closing": closing.body.hex(), "signature": (closing.signature(HUB) or b"").hex()}


def read_closing(fields: Mapping[str, Any]) -> Item:
    """Return the closing of a line."""
    if fields.keys() != {"closing", "signature"}:
        raise RecordError("a closing has two members, closing and signature")
    return Item(Kind.CLOSING, HUB, octets(fields["closing"]) or b"", ((HUB, octets(fields["signature"]) or b""),))


def read_conviction(fields: Mapping[str, Any]) -> Conviction:
    """Return the conviction of a line; whether the signatures are right is not asked here."""
    match fields:
        case {"convicted": str(author), "of": str(kind), "bodies": [str(one), str(two)], "signatures": [str(first), str(second)]}:
            pass
        case _:
            raise RecordError("a conviction has another form")
    if len(fields) > 4 or kind not in {*NAMES.values(), "closing"} or one >= two:
        raise RecordError("a conviction has another form")
    what = Kind[kind.upper()]
    made = (Item(what, author, octets(a) or b"", ((author, octets(b) or b""),)) for a, b in ((one, first), (two, second)))
    return Conviction(*made)


def claim_of(
    verdict: Verdict, convictions: Iterable[Conviction] = (), certificate: Sequence[str] | None = None
) -> dict[str, object]:
    """Return a verdict as the last line claims it; `certificate` are those who signed it, where parties sign."""
    claim: dict[str, object] = {"winner": verdict.winner, "tied": sorted(verdict.tied)}
    for member, unheard in (("excluded", False), ("unheard", True)):
        claim[member] = [[one.player, one.fault.value] for one in verdict.excluded if one.fault.unheard is unheard]
    if certificate is not None:
        claim["convicted"] = sorted([one.author, one.one.kind.name.lower()] for one in convictions)
        claim["certificate"] = sorted(certificate, key=str.encode)
    return claim


def in_order(convictions: Iterable[Conviction]) -> list[Conviction]:
    """Return convictions in the order of their lines."""
    return sorted(convictions, key=lambda one: (one.author.encode(), one.one.kind))


def notes_of(closings: Iterable[Item], convictions: Iterable[Conviction]) -> Iterator[Mapping[str, object]]:
    """Return the lines between the parties and the verdict."""
    yield from map(closing_note, closings)
    yield from (one.note() for one in in_order(convictions))


def octets(given: object) -> bytes | None:
    """Return the octets of a member in hexadecimal, small digits; None for null."""
    if given is None:
        return None
    try:
        found = bytes.fromhex(given) if isinstance(given, str) else None
    except ValueError:
        found = None
    if found is None or found.hex() != given:
        raise RecordError("not hexadecimal: %(given)r", given=shorten(str(given), 40))
    return found
