"""Round robin: everybody meets everybody, once in each cycle.

Rounds come from the circle. Contestants 0 … m-1, m odd, meet in round r when the sum of their numbers leaves r when divided by
m; where somebody would meet himself he meets the last contestant of an even field, or has a bye in an odd one.

Colours: of two numbers whose sum is odd the lower begins, else the higher; the last contestant of an even field begins against
the upper half of the others. So in each cycle the seats of everybody differ by at most one, and by nothing in an odd field. The
next cycle reverses them: in a double round robin each two have met with both colours, from the same start position.
"""

from arbitre.reasons import Reason
from arbitre.tournament.schedule import Contestant, Draft, Field, Format, Pairing, RoundPlayed, at_least, not_endless
from arbitre.values import value


@value
class RoundRobin(Format):
    """Everybody meets everybody."""

    name = "round-robin"
    order = ("points", "direct", "sonneborn", "wins")

    games: int = 1
    cycles: int = 1

    def __post_init__(self) -> None:
        at_least(1, self.games, "games")
        at_least(1, self.cycles, "cycles", 1_000)

    def check(self, field: Field) -> None:
        """Accept any field that does not play for ever."""
        not_endless(field.size * (field.size - 1) // 2 * self.games * self.cycles)

    def drafts(self, field: Field, past: tuple[RoundPlayed, ...]) -> tuple[Draft, ...]:
        """Return all rounds: none waits for a result."""
        circle = circle_rounds(field.size)
        seeds = field.ranking
        each = (self.games * self.cycles + 1) // 2
        drafts: list[Draft] = []
        for cycle in range(self.cycles):
            for turn, (pairs, idle) in enumerate(circle):
                before = cycle * self.games
                pairings = tuple(Pairing(seeds[a], seeds[b], self.games, turn * each, before) for a, b in pairs)
                byes: tuple[Contestant, ...] = () if idle is None else (seeds[idle],)
                drafts.append(Draft(Reason("round %(number)s", number=len(drafts) + 1), pairings, byes))
        return tuple(drafts[len(past) :])


def circle_rounds(size: int) -> tuple[tuple[tuple[tuple[int, int], ...], int | None], ...]:
    """Return one cycle: for each round the pairs, who begins first, and who has a bye."""
    odd = size - 1 if size % 2 == 0 else size
    rounds = []
    for turn in range(odd):
        pairs = []
        alone = next(one for one in range(odd) if 2 * one % odd == turn)
        if size % 2 == 0:
            last = size - 1
            pairs.append((alone, last) if alone < size // 2 else (last, alone))
        for low in range(odd):
            high = (turn - low) % odd
            if low < high:
                pairs.append((low, high) if (low + high) % 2 == 1 else (high, low))
        rounds.append((tuple(pairs), alone if size % 2 == 1 else None))
    return tuple(rounds)
