"""Gauntlet: the first contestants of the plan, the challengers, each meet everybody else and not each other.

In a round every challenger plays at most one pairing, and so does everybody else. Colours alternate for a challenger from one
opponent to the next, and for an opponent from one challenger to the next; the next cycle reverses them.

The seeding does not matter here: who challenges is the plan's word.
"""

from arbitre.errors import TournamentError
from arbitre.reasons import Reason
from arbitre.tournament.schedule import Draft, Field, Format, Pairing, RoundPlayed, at_least, not_endless
from arbitre.values import value


@value
class Gauntlet(Format):
    """The first contestants against all others."""

    name = "gauntlet"
    order = ("rate", "sonneborn", "wins")

    games: int = 2
    cycles: int = 1
    challengers: int = 1

    def __post_init__(self) -> None:
        at_least(1, self.games, "games")
        at_least(1, self.cycles, "cycles", 1_000)
        at_least(1, self.challengers, "challengers")

    def check(self, field: Field) -> None:
        """Refuse a field in which nobody is left to challenge."""
        if self.challengers >= field.size:
            raise TournamentError(
                "%(challengers)s challengers among %(size)s contestants leave nobody to challenge",
                challengers=self.challengers,
                size=field.size,
            )
        not_endless(self.challengers * (field.size - self.challengers) * self.games * self.cycles)

    def drafts(self, field: Field, past: tuple[RoundPlayed, ...]) -> tuple[Draft, ...]:
        """Return all rounds: none waits for a result."""
        everybody = field.contestants
        challengers, others = everybody[: self.challengers], everybody[self.challengers :]
        longest = max(len(challengers), len(others))
        each = (self.games * self.cycles + 1) // 2
        drafts: list[Draft] = []
        for cycle in range(self.cycles):
            for turn in range(longest):
                pairings = []
                for at, challenger in enumerate(challengers):
                    across = (turn + at) % longest
                    if across < len(others):
                        two = (challenger, others[across]) if (at + across) % 2 == 0 else (others[across], challenger)
                        pairings.append(Pairing(*two, self.games, turn * each, cycle * self.games))
                drafts.append(Draft(Reason("round %(number)s", number=len(drafts) + 1), tuple(pairings)))
        return tuple(drafts[len(past) :])
