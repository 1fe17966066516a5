"""Running ratings: one number for each contestant that moves with every game, in the order in which the games were created.

A game that finishes early waits until all games before it have a result or are known to have none. So whatever finishes first,
the same results give the same numbers, on every machine and after every restart.

The step is Elo's: the difference between the score and the expected score, times K = 40 in a contestant's first thirty games and
20 thereafter. Running ratings are for an endless list of games, as on a site; what a local tournament shows is the maximum
likelihood rating of `arbitre.tournament.strength`, which has errors and does not depend on any order.
"""

from collections.abc import Iterable, Mapping

from arbitre.errors import TournamentError
from arbitre.tournament.ledger import Entry, entries
from arbitre.tournament.schedule import Contestant, Fixture, Results
from arbitre.tournament.statistics import expected
from arbitre.values import value

FIRST_RATING = 1500.0
NOVICE_GAMES = 30
NOVICE_STEP = 40.0
STEP = 20.0


@value
class Standing:
    """A contestant's rating and the number of games it comes from."""

    rating: float = FIRST_RATING
    games: int = 0

    def after(self, share: float, chance: float) -> "Standing":
        """Return the rating after one more game that was expected to score `chance`."""
        step = NOVICE_STEP if self.games < NOVICE_GAMES else STEP
        return Standing(self.rating + step * (share - chance), self.games + 1)


@value
class Ladder:
    """The ratings after all games before number `next`, and the results that are waiting for that game."""

    standings: Mapping[Contestant, Standing]
    next: int = 1
    waiting: Mapping[int, Entry | None] | None = None

    def of(self, contestant: Contestant) -> Standing:
        """Return the rating of a contestant."""
        return self.standings.get(contestant, Standing())

    def hear(self, number: int, entry: Entry | None) -> "Ladder":
        """Return the ladder when a game has finished, or (None) is known to have no result ever."""
        waiting = dict(self.waiting or {})
        if number < self.next or number in waiting:
            raise TournamentError("game %(number)s was rated already", number=number)
        waiting[number] = entry
        standings = dict(self.standings)
        now = self.next
        while now in waiting:
            ready = waiting.pop(now)
            if ready is not None:
                _rate(standings, ready)
            now += 1
        return Ladder(standings, now, waiting or None)


def _rate(standings: dict[Contestant, Standing], entry: Entry) -> None:
    first, second = entry.fixture.seats
    one, other = standings.get(first, Standing()), standings.get(second, Standing())
    chance = expected(one.rating - other.rating)
    share = float(entry.share(first))
    standings[first] = one.after(share, chance)
    standings[second] = other.after(1 - share, 1 - chance)


def ladder(fixtures: Iterable[Fixture], results: Results) -> Ladder:
    """Return the running ratings of a tournament as far as its games are finished without a gap."""
    climbed = Ladder({})
    for entry in entries(fixtures, results):
        climbed = climbed.hear(entry.fixture.number, entry)
    return climbed
