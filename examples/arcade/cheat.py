"""What the two exploits share: a side that opens its commitments as it likes."""

import sys
from collections.abc import Mapping, Sequence
from typing import ClassVar

from gmpy2 import mpz
from leak import answer

from arbitre.arcade.bout import ROLES, Bout, Step
from arbitre.arcade.side import Side, Throw
from arbitre.arcade.visitor import Player, Visitor, join
from arbitre.arcade.wire import Command, Sign, Verb, beats
from arbitre.crypto.elgamal import Commitment, Key
from arbitre.crypto.groups import Group, oakley
from arbitre.games.game import Seat


class Cheat(Side):
    """Declares a group of its own choice, commits to one thing, and opens another; answers by the leak."""

    group: ClassVar[Group]
    h: ClassVar[mpz]
    commitment: ClassVar[Commitment]
    openings: ClassVar[Mapping[Sign, mpz]]
    """The signs that the commitment can be opened to, each with its exponent."""

    def declare(self, bout: Bout) -> Command:
        if bout.groups[self.seat] is None:
            return Command(Verb.GROUP, (self.group.p, self.group.g, self.group.q))
        return Command(Verb.PKEY, (self.h,))

    def commit(self, bout: Bout, sign: Sign) -> Commitment:  # noqa: ARG002 - it does not matter
        return self.commitment

    def shown(self, bout: Bout) -> Sign:
        assert bout.answer is not None
        other = bout.answer
        return next((sign for sign in self.openings if beats(sign, other)), other)

    def exponent(self, bout: Bout) -> mpz:
        assert bout.shown is not None
        return self.openings[bout.shown]

    def due(self, bout: Bout) -> Command | None:
        if bout.step is Step.ANSWER and self.seat in bout.awaited:
            return Command(Verb.MOVE, (), answer(bout))
        return super().due(bout)


class Attacker(Player):
    """Sits down as a cheat."""

    def __init__(self, cheat: type[Cheat]) -> None:
        self.cheat = cheat
        self.name = cheat.__name__.lower()

    def throw(self, past: Sequence[Throw]) -> Sign:  # noqa: ARG002 - chosen later
        return Sign.PIERRE

    def side(self, seat: Seat) -> Side:
        return self.cheat(seat, self, Key(oakley(14), mpz(1)))


def attack(cheat: type[Cheat], arguments: Sequence[str]) -> int:
    """Play one match and tell how it went; the exit status is 0 for a win."""
    visits: list[Visitor] = []
    finish = join(arguments[0], Attacker(cheat), level=arguments[1] if len(arguments) > 1 else "", keep=visits.append)
    for line in dict.fromkeys(line.partition(" (")[0] for line in visits[0].heard if line.startswith("# error")):
        print(line)
    who = "nobody" if finish.winner is None else ROLES[finish.winner]
    print(f"{finish.scores[0]}-{finish.scores[1]}, {who} wins: {finish.reason}")
    return 0 if finish.winner == 0 else 1


if __name__ == "__main__":
    sys.exit("run group_attack.py or legendre_attack.py")
