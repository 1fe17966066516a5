"""The call to an election: terms, parties and deadlines, fixed before the first Commit (seed 003, sections 3 and 4.2).

Two parties whose calls differ in anything have different tags and do not hear each other. Limits are in seconds, for both
phases or for neither; `delay` is how long a message may take, repeated as often as needed, plus how far the clocks of two
parties may be apart.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from math import isfinite
from typing import Any, Final

from arbitre.crypto.keys import KEY_BYTES
from arbitre.elections.item import TAG_OCTETS
from arbitre.elections.terms import Mode, Terms, check_name
from arbitre.elections.transcript import Header, read_header
from arbitre.errors import RecordError, TermsError
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
    """How many parties at most break the rules, strong mode without a hub; None: any number."""
    keys: tuple[tuple[str, str], ...] = ()
    """The roster: name and public key in hexadecimal; in draft mode empty, or names with empty keys."""
    hub: str = ""
    """The hub's public key in hexadecimal, where there is a hub."""

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
        return sha256(b"arbitre/rochambeau/tag/1" + json.dumps(self.fields(), sort_keys=True).encode()).digest()[:TAG_OCTETS]

    @property
    def fingerprint(self) -> str:
        """Return 32 hexadecimal digits that name the group: whoever sees the same has the same roster."""
        return sha256(b"arbitre/rochambeau/group/1" + json.dumps(sorted(self.keys)).encode()).hexdigest()[:32]

    def fields(self) -> dict[str, object]:
        """Return the call as a JSON object."""
        return self.header().fields()

    def header(self, announced: bytes = b"") -> Header:
        """Return the header of its transcript."""
        limits = [None if limit is None else float(limit) for limit in (self.commit_limit, self.reveal_limit)]
        more: dict[str, object] = {"parties": self.parties, "limits": limits, "delay": float(self.delay)}
        if self.keys:
            more["roster"] = dict(sorted(self.keys))
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
        return Call(terms, len(tied), self.commit_limit, self.reveal_limit, self.delay, faults, keys, self.hub)


def read_call(text: str | bytes) -> Call:
    """Return the call of a transcript's header, or of what a hub sends."""
    return call_of(read_header(text))


def call_of(header: Header) -> Call:
    """Return the call that a header holds; `RecordError` where it holds none."""
    more: dict[str, Any] = dict(header.more or {})
    match more:
        case {
            "parties": int(parties),
            "limits": [int() | float() | None as commit, int() | float() | None as reveal],
            "delay": int() | float() as delay,
        }:
            pass
        case _:
            raise RecordError("the header is not that of a live election")
    roster, faults, hub = more.get("roster", {}), more.get("faults"), more.get("hub", "")
    if not (isinstance(roster, Mapping) and isinstance(hub, str) and (faults is None or type(faults) is int)):
        raise RecordError("roster, hub or faults of the header have another form")
    try:
        for key in (*roster.values(), hub):
            bytes.fromhex(key)
        return Call(header.terms, parties, commit, reveal, delay, faults, _keys(roster), hub)
    except (TermsError, TypeError, ValueError) as error:
        raise RecordError("the header: %(error)s", error=error) from error


def _keys(roster: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((str(name), str(key)) for name, key in roster.items()))
