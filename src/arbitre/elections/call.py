"""The call to an election: terms, parties and deadlines, fixed before the first Commit (seed 003, sections 3 and 4.2).

Two parties whose calls differ in anything have different tags and do not hear each other. The tag is SHA-256 of
"arbitre/rochambeau/call/2" and the call as canonical JSON: the header of its transcript, with an empty announced value. Limits
are in seconds, in JSON in milliseconds, for both phases or for neither; `delay` is how long a message may take, repeated as often
as needed, plus how far the clocks of two parties may be apart.
"""

from collections.abc import Iterable
from hashlib import sha256
from math import isfinite
from typing import Any, Final

from arbitre.crypto.keys import KEY_BYTES
from arbitre.elections.ruling import quorum
from arbitre.elections.terms import Mode, Terms, check_name
from arbitre.elections.transcript import Header, read_header
from arbitre.errors import RecordError, TermsError
from arbitre.records.event import canonical
from arbitre.values import value

MOST_PARTIES: Final = 1_024
"""Parties of a live election; a settled transcript may have millions."""
MOST_AGREEING: Final = 64
"""Parties that reach agreement by relaying signed messages to each other."""
LONGEST_LIMIT: Final = 7 * 24 * 3600.0
USUAL_LIMIT: Final = 30.0
USUAL_DELAY: Final = 1.0
MOST_ATTEMPTS: Final = 3
"""How often tied players commit anew before the game is called off."""


@value
class Call:
    """What everybody knows beforehand."""

    terms: Terms
    parties: int
    commit_limit: float | None = USUAL_LIMIT
    reveal_limit: float | None = USUAL_LIMIT
    delay: float = USUAL_DELAY
    faults: int | None = None
    """How many parties at most fail in any way, strong mode without a hub: so often is relayed; None: any number."""
    keys: tuple[tuple[str, str], ...] = ()
    """The roster: name and public key in hexadecimal; in draft mode empty, or names with empty keys."""
    hub: str = ""
    """The hub's public key in hexadecimal, where there is a hub."""
    liars: int = 0
    """F, how many parties at most sign what is not so: a certificate takes so many more."""

    def __post_init__(self) -> None:
        """Refuse what could not be held."""
        if not 1 <= self.parties <= MOST_PARTIES:
            raise TermsError(
                "an election has 1 to %(most_parties)s parties, not %(parties)s", most_parties=MOST_PARTIES, parties=self.parties
            )
        if (self.commit_limit is None) != (self.reveal_limit is None):
            raise TermsError("a time limit for one phase needs one for the other")
        for limit in (self.commit_limit, self.reveal_limit, self.delay):
            if limit is not None and not (isfinite(limit) and 0 < limit <= LONGEST_LIMIT):
                raise TermsError(
                    "a limit is from 0 to %(longest_limit)s seconds, not %(limit)s",
                    longest_limit=f"{LONGEST_LIMIT:.0f}",
                    limit=limit,
                )
        if not 0 <= self.liars <= max(0, self.parties - 2):
            raise TermsError(
                "of %(parties)s parties not %(liars)s can lie: no certificate would be possible",
                parties=self.parties,
                liars=self.liars,
            )
        if self.keys and len({name for name, _ in self.keys}) != self.parties:
            raise TermsError("the roster has %(keys)s names for %(parties)s parties", keys=len(self.keys), parties=self.parties)
        for name, key in self.keys:
            check_name(name)
            if key and len(key) != 2 * KEY_BYTES:
                raise TermsError(
                    "the key of %(name)r has %(key)s digits, not %(part)s", name=name, key=len(key), part=2 * KEY_BYTES
                )
        if self.terms.mode is Mode.STRONG:
            self._check_strong()

    def _check_strong(self) -> None:
        if self.commit_limit is None:
            raise TermsError("strong mode needs time limits: whether somebody is silent is decided by the clock")
        if not self.keys or not all(key for _, key in self.keys):
            raise TermsError("strong mode needs a roster with the key of every party")
        if not self.hub and self.parties > MOST_AGREEING:
            raise TermsError(
                "without a hub at most %(most_agreeing)s parties reach agreement, not %(parties)s",
                most_agreeing=MOST_AGREEING,
                parties=self.parties,
            )
        if self.faults is not None and not 0 <= self.faults < self.parties:
            raise TermsError("of %(parties)s parties not %(faults)s can be faulty", parties=self.parties, faults=self.faults)

    @property
    def rounds(self) -> int:
        """Return how often messages are relayed: one round more than there may be faults (Dolev and Strong)."""
        most = max(1, self.parties - 1)
        return most if self.faults is None else min(most, self.faults + 1)

    @property
    def quorum(self) -> int:
        """Return how many equal verdicts settle it."""
        return quorum(self.parties, self.liars)

    @property
    def roster(self) -> dict[str, bytes]:
        """Return the public keys by name."""
        return {name: bytes.fromhex(key) for name, key in self.keys if key}

    @property
    def players(self) -> tuple[str, ...]:
        """Return the names of the roster, in order; empty where they are not known beforehand."""
        return tuple(sorted(name for name, _ in self.keys))

    @property
    def tag(self) -> bytes:
        """Return what tells this election from every other."""
        return sha256(b"arbitre/rochambeau/call/2" + self.octets()).digest()

    @property
    def fingerprint(self) -> str:
        """Return 32 hexadecimal digits that name the group: whoever sees the same has the same roster."""
        return group_of(self.keys)

    def octets(self) -> bytes:
        """Return the call as canonical JSON."""
        return canonical(self.fields()).encode()

    def fields(self) -> dict[str, object]:
        """Return the call as a JSON object."""
        return self.header().fields()

    def header(self, announced: bytes = b"") -> Header:
        """Return the header of its transcript."""
        limits = [None if limit is None else _milliseconds(limit) for limit in (self.commit_limit, self.reveal_limit)]
        more: dict[str, object] = {"parties": self.parties, "limits": limits, "delay": _milliseconds(self.delay)}
        more["liars"] = self.liars
        if self.keys:
            more["roster"] = [list(one) for one in _sorted(self.keys)]
        if self.faults is not None:
            more["faults"] = self.faults
        if self.hub:
            more["hub"] = self.hub
        return Header(self.terms, announced, more)

    def again(self, tied: tuple[str, ...], attempt: int) -> "Call":
        """Return the call under which tied players commit anew."""
        base = self.terms.game.rpartition("#")[0] or self.terms.game
        terms = Terms(
            self.terms.states,
            self.terms.hash,
            self.terms.mode,
            f"{base}#{attempt}",
            self.terms.announced,
            self.terms.commit_type,
            self.terms.reveal_type,
        )
        known = dict(self.keys)
        keys = tuple((name, known.get(name, "")) for name in sorted(tied))
        faults = None if self.faults is None else min(self.faults, len(tied) - 1)
        liars = min(self.liars, max(0, len(tied) - 2))
        return Call(terms, len(tied), self.commit_limit, self.reveal_limit, self.delay, faults, keys, self.hub, liars)


def group_of(keys: Iterable[tuple[str, str]]) -> str:
    """Return the fingerprint of a roster of names and keys."""
    return sha256(b"arbitre/rochambeau/group/2" + canonical([list(one) for one in _sorted(keys)]).encode()).hexdigest()[:32]


def _sorted(keys: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted(keys, key=lambda one: one[0].encode())


def _milliseconds(seconds: float) -> int:
    return max(1, round(1_000 * seconds))


def read_call(text: str | bytes) -> Call:
    """Return the call of a transcript's header, or of what a hub sends."""
    return call_of(read_header(text))


def call_of(header: Header) -> Call:
    """Return the call that a header holds; `RecordError` where it holds none."""
    more: dict[str, Any] = dict(header.more or {})
    match more:
        case {
            "parties": int(parties),
            "limits": [int() | None as commit, int() | None as reveal],
            "delay": int(delay),
            "liars": int(liars),
        }:
            pass
        case _:
            raise RecordError("the header is not that of a live election")
    faults, hub = more.get("faults"), more.get("hub", "")
    if not (isinstance(hub, str) and (faults is None or type(faults) is int)):
        raise RecordError("roster, hub or faults of the header have another form")
    keys = _keys(more.get("roster", []))
    try:
        for _, key in (*keys, ("", hub)):
            bytes.fromhex(key)
        commit_limit, reveal_limit = (None if limit is None else limit / 1_000 for limit in (commit, reveal))
        return Call(header.terms, parties, commit_limit, reveal_limit, delay / 1_000, faults, keys, hub, liars)
    except (TermsError, TypeError, ValueError) as error:
        raise RecordError("the header: %(error)s", error=error) from error


def _keys(roster: object) -> tuple[tuple[str, str], ...]:
    keys = []
    for one in roster if isinstance(roster, list) else [None]:
        match one:
            case [str(name), str(key)]:
                keys.append((name, key))
            case _:
                raise RecordError("roster, hub or faults of the header have another form")
    if _sorted(keys) != keys:
        raise RecordError("the roster of the header is not in order")
    return tuple(keys)
