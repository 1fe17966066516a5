"""One side of the arcade: what it says when it is awaited (spec: arcade, sections 1 and 2).

A side holds what only it may know, its key and what opens a commitment that is still closed, and a *hand* that chooses signs.
`due` returns what the side has to say as the bout stands; the driver, whatever it is, says it and hears it. The machine in the
server, a student's bot and a person at the terminal are sides alike.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from gmpy2 import mpz

from arbitre.arcade.bout import Bout, Issue, Step
from arbitre.arcade.terms import Oracle, Question, encode, ponder
from arbitre.arcade.wire import Command, Sign, Verb
from arbitre.crypto.elgamal import Commitment, Key, Pool
from arbitre.crypto.groups import oakley
from arbitre.games.game import Seat, other


class Throw(NamedTuple):
    """What both sides showed in one round, from one side's chair."""

    mine: Sign
    theirs: Sign


class Hand(Protocol):
    """Whoever chooses signs."""

    def throw(self, past: Sequence[Throw]) -> Sign | None:
        """Choose the sign of the next round; None as long as it is not chosen."""


class Side:
    """One side, from its chair; subclass it to cheat."""

    def __init__(self, seat: Seat, hand: Hand, key: Key | Pool, oracle: Oracle = ponder) -> None:
        self.seat = seat
        self.hand = hand
        self.oracle = oracle
        self.past: list[Throw] = []
        self._pool = key if isinstance(key, Pool) else Pool(key, 0)
        self._sign: Sign | None = None
        self._k = mpz(0)

    @property
    def key(self) -> Key:
        """The key under which this side commits."""
        return self._pool.key

    def due(self, bout: Bout) -> Command | None:
        """Return what this side says now, if it is awaited and its hand has chosen."""
        if self.seat not in bout.awaited:
            return None
        if bout.step is Step.PROLOGUE:
            return self.declare(bout)
        if bout.step is Step.RULE:
            return Command(Verb.REFEREE if self.accuses(bout) else Verb.OK)
        if bout.step is Step.OPEN:
            return Command(Verb.OPEN, (self.exponent(bout),))
        if bout.step is Step.SHOW:
            return Command(Verb.MOVE, (), self.shown(bout))
        sign = self.hand.throw(self.past)
        if sign is None:
            return None
        if bout.step is Step.ANSWER:
            return Command(Verb.MOVE, (), sign)
        self._sign = sign
        commitment = self.commit(bout, sign)
        return Command(Verb.COMMIT, (commitment.r, commitment.c))

    def asks(self, bout: Bout) -> Question | None:
        """Return the question that `due` will put, if it is going to put one."""
        return bout.opening if bout.step is Step.RULE and self.seat in bout.awaited else None

    def see(self, issue: Issue) -> None:
        """Take note of a round."""
        self.past.append(Throw(issue.signs[self.seat], issue.signs[other(self.seat)]))

    # ── what a cheat would do otherwise ────────────────────────────────────────────────────────────────────────────

    def declare(self, bout: Bout) -> Command:
        """Say the group, where it is not the usual one, and then the key."""
        group = self.key.group
        if bout.groups[self.seat] is None and group != oakley(14):
            return Command(Verb.GROUP, (group.p, group.g, group.q))
        return Command(Verb.PKEY, (self.key.h,))

    def commit(self, bout: Bout, sign: Sign) -> Commitment:
        """Close a sign in a commitment, and keep what opens it."""
        commitment, self._k = self._pool.commit(encode(bout.terms.encoding, self.key.group, sign))
        return commitment

    def shown(self, bout: Bout) -> Sign:  # noqa: ARG002 - a cheat looks at the answer first
        """Say the sign that was committed."""
        assert self._sign is not None  # noqa: S101 - shown after it was committed
        return self._sign

    def exponent(self, bout: Bout) -> mpz:  # noqa: ARG002 - a cheat opens what was never closed
        """Say what opens the commitment."""
        return self._k

    def accuses(self, bout: Bout) -> bool:
        """Tell whether to call the referee: exactly when the other's opening is false."""
        return bool(self.oracle(bout.opening))
