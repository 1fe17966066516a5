"""Swiss: in each round contestants with equal points meet, and nobody meets the same opponent twice while that can be avoided.

What must hold, in this order; each rule gives way only to the ones before it:

1. Everybody plays one pairing, but for one contestant of an odd field, who has a bye and the points of a win.
2. Nobody has a second bye before everybody has had one.
3. Nobody's games on the first and on the second seat differ by more than two. This can always be kept (see `_allowed`).
4. Nobody meets an opponent again if a pairing of the whole round without that exists.
5. The bye goes to the lowest in the standings.
6. Contestants meet within their score group; if they cannot all, as few as possible, and the lowest, float down to the next.
7. Within a group colours are evened out: those who have had the first seat more often meet those who have had it less.
8. Within a group the upper half meets the lower half, first against first.

The pairing is found group by group from the top, and in a group contestant by contestant: each gets the opponent that suits the
rules best among those that leave everybody else pairable, which a matching decides (`arbitre.tournament.matching`). So nothing
is ever taken back, and the round is found in polynomial time.

Standings within a round are by points, then by seeding. In the first round a lot decides who of the first table begins, and the
tables alternate.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache, partial
from itertools import chain, combinations, islice

from arbitre.reasons import Reason
from arbitre.tournament.lots import lot
from arbitre.tournament.matching import Graph, Mates, graph, perfect, without
from arbitre.tournament.schedule import Contestant, Draft, Field, Format, Pairing, RoundPlayed, at_least, not_endless
from arbitre.values import value

MOST_DIFFERENCE = 2
"""Between one's games on the first and on the second seat."""

MOST_FLOATERS_TRIED = 200
"""How many choices of floaters are looked at in a group before the next group joins it."""


def default_rounds(size: int) -> int:
    """Return enough rounds to part the best from the rest, and one more; never more than there are opponents."""
    return min((size - 1).bit_length() + 1, size - 1 + size % 2)


@value
class Swiss(Format):
    """Equals meet, nobody twice."""

    name = "swiss"
    order = ("points", "buchholz-cut", "buchholz", "sonneborn", "direct", "wins")

    games: int = 1
    rounds: int = 0
    """0: as many as `default_rounds` says."""

    def __post_init__(self) -> None:
        at_least(1, self.games, "games")
        at_least(0, self.rounds, "rounds", 1_000)

    def check(self, field: Field) -> None:
        """Accept any field that does not play for ever."""
        not_endless((self.rounds or default_rounds(field.size)) * (field.size // 2) * self.games)

    @property
    def bye(self) -> Fraction:
        """As if every game of a pairing had been won."""
        return Fraction(self.games)

    def drafts(self, field: Field, past: tuple[RoundPlayed, ...]) -> tuple[Draft, ...]:
        """Return the next round."""
        done = len(past) >= (self.rounds or default_rounds(field.size))
        return () if done else (_draft(self, field, past),)


@lru_cache(maxsize=64)
def _draft(swiss: Swiss, field: Field, past: tuple[RoundPlayed, ...]) -> Draft:
    """Return the round after these; remembered, because whoever asks for the next round asks for all before it too."""
    memory = _Memory(field, past, swiss.games, swiss.bye)
    idle, pairs = memory.pair()
    start = len(past) * ((swiss.games + 1) // 2)
    pairings = []
    for table, (one, other) in enumerate(pairs):
        first, second = (one, other) if memory.begins(one, other, table) else (other, one)
        pairings.append(Pairing(first, second, swiss.games, start))
    return Draft(Reason("round %(number)s", number=len(past) + 1), tuple(pairings), () if idle is None else (idle,))


class _Memory:
    """What the finished rounds say about everybody; lives as long as one round is paired."""

    def __init__(self, field: Field, past: tuple[RoundPlayed, ...], games: int, bye: Fraction) -> None:
        everybody = field.contestants
        self.seed = field.seed
        self.points = dict.fromkeys(everybody, Fraction(0))
        self.byes = dict.fromkeys(everybody, 0)
        self.met: dict[tuple[Contestant, Contestant], int] = {}
        self.lean = dict.fromkeys(everybody, 0)
        """Games on the first seat less games on the second."""
        self.colours: dict[Contestant, list[int]] = {one: [] for one in everybody}
        """For each round, the last first: 1 first seat, -1 second, 0 a bye or as often on either."""
        for played in past:
            tilt = games % 2
            seen: dict[Contestant, int] = {}
            for pairing, mine, theirs in played.tables():
                one, other = pairing.first, pairing.second
                self.points[one] += mine
                self.points[other] += theirs
                self.met[one, other] = self.met[other, one] = self.met.get((one, other), 0) + 1
                seen[one], seen[other] = tilt, -tilt
            for idle in played.round.draft.byes:
                self.points[idle] += bye
                self.byes[idle] += 1
            for one in everybody:
                self.lean[one] += seen.get(one, 0)
                self.colours[one].insert(0, seen.get(one, 0))
        seeds = {one: at for at, one in enumerate(field.ranking)}
        self.order = sorted(everybody, key=lambda one: (-self.points[one], seeds[one]))
        levels = {points: at for at, points in enumerate(sorted(set(self.points.values()), reverse=True))}
        self.level = {one: levels[self.points[one]] for one in everybody}
        """The score group, 0 the highest: whole numbers are compared faster than points."""

    # ── who meets whom ─────────────────────────────────────────────────────────────────────────────────────────────

    def pair(self) -> tuple[Contestant | None, list[tuple[Contestant, Contestant]]]:
        """Return who has a bye, and the pairs from the top table down, the higher of the two first."""
        for again in range(max(self.met.values(), default=0) + 1):
            edges = graph(self.order, partial(self._allowed, most=again))
            for idle in self._idlers():
                rest = [one for one in self.order if one != idle]
                if perfect(edges, rest) is not None:
                    return idle, self._tables(edges, rest)
        raise AssertionError("colours alone never forbid all pairings")

    def _idlers(self) -> list[Contestant | None]:
        """Return who may have the bye, the lowest first."""
        if len(self.order) % 2 == 0:
            return [None]
        fewest = min(self.byes.values())
        return [one for one in reversed(self.order) if self.byes[one] == fewest]

    def _allowed(self, one: int, other: int, most: int) -> bool:
        """Tell whether two may meet who have met at most so often.

        Two who both have the same seat in excess by the limit must not. All leans sum to zero, so at most half of the field has
        that excess, and the field can always be paired if rematches are let in.
        """
        a, b = Contestant(one), Contestant(other)
        far = self.lean[a] == self.lean[b] and abs(self.lean[a]) >= MOST_DIFFERENCE
        return not far and self.met.get((a, b), 0) <= most

    def _tables(self, edges: Graph, rest: list[Contestant]) -> list[tuple[Contestant, Contestant]]:
        pairs: list[tuple[Contestant, Contestant]] = []
        while rest:
            group, below = self._group(edges, rest)
            pairs += self._meet(group, *self._calm(edges, group))
            rest = below
        return pairs

    def _calm(self, edges: Graph, group: list[Contestant]) -> tuple[Graph, Mates]:
        """Return the edges of a group, only those where nobody needs the same seat if they suffice, and one way to pair it."""
        inside = set(group)
        calm: Graph = {one: [other for other in edges[one] if other in inside and not self._clash(one, other)] for one in group}
        mates = perfect(calm)
        return (edges, perfect(edges, group) or {}) if mates is None else (calm, mates)

    def _group(self, edges: Graph, rest: list[Contestant]) -> tuple[list[Contestant], list[Contestant]]:
        """Return who is paired with each other next, and who is left for later; both can be paired.

        The group is those with the points of the lowest of the first two (somebody who floated down meets the next group). If
        it cannot be parted from those below, the next group joins it; all together can always be paired.
        """
        level = self.level[rest[1]]
        while True:
            size = sum(1 for one in rest if self.level[one] <= level)
            for chosen in self._floaters(rest[:size]):
                staying = [one for one in rest[:size] if one not in chosen]
                leaving = [one for one in rest[:size] if one in chosen] + rest[size:]
                if perfect(edges, staying) is not None and perfect(edges, leaving) is not None:
                    return staying, leaving
            level += 1

    def _floaters(self, group: list[Contestant]) -> Iterator[set[Contestant]]:
        """Return who may float down, few and low ones first."""
        counts = range(len(group) % 2, len(group), 2)
        choices = chain.from_iterable(combinations(reversed(group), count) for count in counts)
        return map(set, islice(choices, MOST_FLOATERS_TRIED))

    def _meet(self, group: list[Contestant], edges: Graph, mates: Mates) -> list[tuple[Contestant, Contestant]]:
        """Pair a group, given one way to pair it."""
        pairs = []
        waiting = list(group)
        while waiting:
            one = waiting[0]
            for other in self._wishes(one, waiting[1:], edges):
                left = without(edges, mates, one, other)
                if left is not None:
                    mates = left
                    break
            else:
                raise AssertionError("somebody is left whose mate is not allowed")
            pairs.append((one, other))
            waiting = [each for each in waiting if each not in (one, other)]
        return pairs

    def _wishes(self, one: Contestant, others: list[Contestant], edges: Graph) -> list[Contestant]:
        """Return whom the highest of those waiting may meet, the most suitable first."""
        level = self.level[one]
        peers = 1 + sum(1 for other in others if self.level[other] == level)
        ideal = peers // 2 - 1 if peers > 1 else 0
        near = set(edges[one])

        def suits(at: int) -> tuple[int, int, int, int, int]:
            other = others[at]
            return self.met.get((one, other), 0), self.level[other], self._clash(one, other), abs(at - ideal), at

        return [others[at] for at in sorted((at for at, other in enumerate(others) if other in near), key=suits)]

    # ── who begins ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _clash(self, one: int, other: int) -> int:
        """Return how badly both are in need of the same seat."""
        a, b = self.lean[Contestant(one)], self.lean[Contestant(other)]
        return min(abs(a), abs(b)) if a * b > 0 else 0

    def begins(self, one: Contestant, other: Contestant, table: int) -> bool:
        """Tell whether the first of two has the first seat.

        Whoever has had it less often; among equals whoever did not have it when they last differed; else the higher one changes
        seats; and at the very start a lot decides for the first table, and the tables alternate.
        """
        if self.lean[one] != self.lean[other]:
            return self.lean[one] < self.lean[other]
        for mine, theirs in zip(self.colours[one], self.colours[other], strict=True):
            if mine != theirs:
                return mine < theirs
        last = next((colour for colour in self.colours[one] if colour), 0)
        return last < 0 if last else (lot(self.seed, "first seat", 2) + table) % 2 == 0
