"""How far a tournament has come: what counts, what is to be played now, and whether it is over.

This is what a runner asks. It begins `due` in the order given, as many at a time as it likes, and asks again whenever all that it
was given has a result. While a sequential test is on it keeps the `SprtState`, advances it after each result, and asks again when
it has decided. Then the games after the deciding ones count for nothing, whether they were played or not.
"""

from arbitre.tournament.ledger import Entry, entries
from arbitre.tournament.schedule import Contestant, Fixture, Results, Round, Schedule, finished
from arbitre.tournament.sprt import Sprt, SprtState, trial
from arbitre.values import value


@value
class Progress:
    """What the results so far amount to."""

    rounds: tuple[Round, ...]
    entries: tuple[Entry, ...]
    """The finished games that count, in the order of their numbers."""
    due: tuple[Fixture, ...]
    """What can be played now, in the order in which it should be begun."""
    total: int
    """How many games are known so far and count, finished or not."""
    over: bool
    trial: SprtState | None = None


def progress(schedule: Schedule, results: Results, sprt: Sprt | None = None) -> Progress:
    """Return how far a tournament has come with these results."""
    rounds, played = schedule.course(results)
    fixtures = tuple(fixture for each in rounds for fixture in each.fixtures)
    test = None if sprt is None else trial(sprt, Contestant(0), fixtures).advance(results)
    if test is not None and test.decided:
        judged = test.judged
        fixtures = tuple(fixture for fixture in fixtures if fixture.number in judged)
        played = True
    due = tuple(fixture for fixture in fixtures if not finished(results, fixture))
    return Progress(rounds, entries(fixtures, results), due, len(fixtures), played and not due, test)
