"""What a level of the arcade fixes, and the two questions that are dear to answer (spec: arcade, sections 2 and 4).

Is a key sound, and is an opening true? Both answers are pure functions of what was said and of how much the level looks at. The
questions are values, so that a server can have them answered beside, in another process, and everybody else here and now.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

import gmpy2
from gmpy2 import mpz

from arbitre.arcade.wire import Sign
from arbitre.crypto.elgamal import Commitment, opens
from arbitre.crypto.groups import Group, check_deeply, dear
from arbitre.errors import GroupError
from arbitre.reasons import Reason
from arbitre.values import value

GOAL = 32
ROUNDS = 1_000
"""Two who always show the same would never end: after so many rounds the points decide."""


class Checks(StrEnum):
    """How much a level looks at."""

    NONE = "none"
    """Vulnerable by design: any group, any key, any exponent."""
    COURSE = "course"
    """Vulnerable by design: the modulus is long and g^q = 1, and that is all."""
    FULL = "full"
    """Everything: see `arbitre.crypto.groups`."""


class Encoding(StrEnum):
    """How a sign becomes an integer to be hidden."""

    ASCII = "ascii"
    """The octets of its word, as in the course; leaks whether it is FEUILLE."""
    SUBGROUP = "subgroup"
    """g, g² or g³: inside the group, so nothing leaks."""


@value
class Terms:
    """What a level fixes."""

    level: str
    encoding: Encoding = Encoding.SUBGROUP
    checks: Checks = Checks.FULL
    groups: bool = True
    """Whether a side may choose its group."""
    goal: int = GOAL
    rounds: int = ROUNDS


FACILE = Terms("Facile", Encoding.ASCII, Checks.NONE)
NORMAL = Terms("Normal", Encoding.ASCII, Checks.COURSE)
DIFFICILE = Terms("Difficile")
NIGHTMARE = Terms("Nightmare", groups=False)
LEVELS = {terms.level: terms for terms in (FACILE, NORMAL, DIFFICILE, NIGHTMARE)}
DUEL = Terms("Duel")
"""People against people, engines against engines: always secure."""


class Lock(NamedTuple):
    """The group and key under which a side commits."""

    group: Group
    h: mpz


# ── questions that are dear to answer ──────────────────────────────────────────────────────────────────────────────


class KeyQuestion(NamedTuple):
    """Whether a key is sound, in a sound group."""

    lock: Lock
    checks: Checks

    @property
    def cost(self) -> int:
        """About how many steps the answer takes: bits³."""
        bits = self.lock.group.bits
        if self.checks is Checks.FULL:
            return 130 * bits**3 if dear(self.lock.group) else 0
        return bits**3 if self.checks is Checks.COURSE else 0

    def answer(self) -> Reason | None:
        """Return what is wrong, or nothing."""
        (group, h), checks = self
        if checks is Checks.FULL:
            try:
                check_deeply(group, h)
            except GroupError as error:
                return error.reason
        elif checks is Checks.COURSE and gmpy2.powmod(group.g, group.q, group.p) != 1:
            return Reason("group-order")
        return None


class OpeningQuestion(NamedTuple):
    """Whether an exponent opens a commitment to a sign."""

    lock: Lock
    terms: Terms
    commitment: Commitment
    sign: Sign
    k: mpz

    @property
    def cost(self) -> int:
        """About how many steps the answer takes: twice the bits of the exponent times bits²."""
        return 2 * int(self.k.bit_length()) * self.lock.group.bits**2

    def answer(self) -> Reason | None:
        """Return what is wrong, or nothing."""
        group, h = self.lock
        element = encode(self.terms.encoding, group, self.sign)
        if self.terms.checks is Checks.FULL:
            true = opens(group, h, self.commitment, element, self.k)
        else:
            r, mask = gmpy2.powmod(group.g, self.k, group.p), gmpy2.powmod(h, self.k, group.p)
            true = r == self.commitment.r and element * mask % group.p == self.commitment.c
        return None if true else Reason("does-not-open", sign=self.sign.name)


Question = KeyQuestion | OpeningQuestion
Oracle = Callable[[Question], Reason | None]


def ponder(question: Question) -> Reason | None:
    """Answer a question here and now."""
    return question.answer()


def encode(encoding: Encoding, group: Group, sign: Sign) -> mpz:
    """Return the integer that stands for a sign."""
    return mpz(sign.code) if encoding is Encoding.ASCII else gmpy2.powmod(group.g, int(sign), group.p)
