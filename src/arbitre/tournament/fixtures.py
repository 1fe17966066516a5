"""One policy for whoever plays fixtures, a tournament, a competition or a challenge: what follows from how a try ended.

A fixture is tried until one of its matches has a result. After each try `judge` says what is next; it reads no clock and keeps
nothing. How often a fixture was tried is a value, `Tries`, that follows from the store (`past`), so a house that comes back goes
on where it was; only how often a match has stopped since then is counted anew.

| a try ended | tournament | competition | challenge |
|---|---|---|---|
| with a result | it counts | it counts | it counts |
| abandoned by our house | again at once, with another seed | the same | the same |
| a referee of an added game failed | again after 2 s, then 4 s, with another seed | the same | the same |
| so for the third time | stops; `resume` begins three more | waits; its organiser lets it begin three more | has failed |
| stopped without a verdict | stops; `resume` begins it anew, same seed | goes on where it was, always | goes on so three times |
| the arena has no room | does not happen | begins when there is room | begins when there is room |
| cannot begin, or go on | stops | waits for its organiser | has failed |
| the store keeps nothing more | everything stops, and nothing is lost | the same | the same |

A match that stopped goes on at once, then after 2 s, 4 s, 8 s and so on, up to a minute. What our house or a referee abandoned
counts for and against nobody; who is at fault where there is a result, `arbitre.tournament.faults` says.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

from arbitre.errors import ArbitreError, ArenaError, StoreError
from arbitre.reasons import N_, Reason, reason_of
from arbitre.records.store import Row
from arbitre.referee.verdict import Verdict, read_verdict
from arbitre.tournament.faults import Fault, failure, whose_fault
from arbitre.tournament.schedule import Result, result_of
from arbitre.values import value

MOST_ATTEMPTS = 3
"""How often a match is begun that comes to nothing, before somebody must let it go on."""

REST_SECONDS = 2.0
"""The first pause; each further one is twice as long."""

LONGEST_REST = 60.0

ABANDONED = N_("game %(game)s was abandoned %(times)s times: %(why)s")
STOPPED = N_("game %(game)s stopped %(times)s times without a verdict")
NOT_BEGUN = N_("game %(game)s cannot begin: %(why)s")
NOT_RESUMED = N_("game %(game)s cannot go on: %(why)s")

Ended: TypeAlias = Verdict | ArbitreError | None
"""How a try ended: the verdict; why the match could not begin, or go on; None, it stopped by an error of ours."""


@value
class Policy:
    """What differs between those who play fixtures."""

    stops: int | None
    """How often a match may stop and go on before its fixture is given up; None: as often as it happens."""


TOURNAMENT = Policy(0)
COMPETITION = Policy(None)
"""Others wait for its games, and its page says that it stumbles: so it tries on by itself."""
CHALLENGE = Policy(MOST_ATTEMPTS)
"""Nobody looks after it."""


@value
class Tries:
    """How often a fixture was tried in vain."""

    game: int
    """The number of the fixture."""
    failures: int = 0
    """Its matches that were abandoned."""
    stops: int = 0
    """How often the match that is begun has stopped without a verdict."""
    until: float = 0.0
    """Not to be tried again before this moment."""


@value
class Book:
    """Take down the result."""


@value
class Again:
    """Begin a match with another seed, after so many seconds."""

    delay: float


@value
class Resume:
    """Go on with the match where it stopped, after so many seconds."""

    delay: float


@value
class Halt:
    """Play this no more before somebody lets it go on, and say why."""

    said: str
    """A sentence, with names of the fields where they are put."""
    game: int = 0
    times: int = 0
    why: Reason | None = None

    @property
    def reason(self) -> Reason:
        """Why, as a value."""
        return Reason(self.said, game=self.game, times=self.times, why=self.why or "")

    def __str__(self) -> str:
        """Say it in English."""
        return str(self.reason)


@value
class Stop:
    """Play nothing at all."""


Step: TypeAlias = Book | Again | Resume | Halt | Stop


def judge(policy: Policy, tries: Tries, ended: Ended, now: float = 0.0) -> tuple[Tries, Step]:
    """Return how often a fixture was tried now, and what is to be done."""
    if ended is None:
        return _stopped(policy, replace(tries, stops=tries.stops + 1), now)
    if isinstance(ended, Verdict):
        return _heard(replace(tries, stops=0), ended, now)
    if isinstance(ended, StoreError):
        return tries, Stop()
    if tries.stops:
        return tries, Halt(NOT_RESUMED, tries.game, why=reason_of(ended))
    return tries, Again(0.0) if isinstance(ended, ArenaError) else Halt(NOT_BEGUN, tries.game, why=reason_of(ended))


def _stopped(policy: Policy, tries: Tries, now: float) -> tuple[Tries, Step]:
    if policy.stops is not None and tries.stops > policy.stops:
        return tries, Halt(STOPPED, tries.game, tries.stops)
    delay = _pause(tries.stops - 1)
    return replace(tries, until=now + delay), Resume(delay)


def _heard(tries: Tries, verdict: Verdict, now: float) -> tuple[Tries, Step]:
    fault = whose_fault(verdict)
    if fault in (Fault.NOBODY, Fault.PLAYER):
        return tries, Book()
    tries = replace(tries, failures=tries.failures + 1)
    count = tries.failures % MOST_ATTEMPTS
    if count == 0:
        return tries, Halt(ABANDONED, tries.game, tries.failures, failure(verdict))
    delay = _pause(count) if fault is Fault.REFEREE else 0.0
    return replace(tries, until=now + delay), Again(delay)


def _pause(number: int) -> float:
    """Return the seconds of the pause of this number, from 1; 0: there is none."""
    return min(REST_SECONDS * 2.0 ** min(number - 1, 30), LONGEST_REST) if number else 0.0


@value
class Past:
    """What the matches of one fixture have come to, as the store has them."""

    number: int
    before: tuple[str, ...]
    """The matches that were abandoned before the last."""
    name: str
    """The last match."""
    verdict: Verdict | None
    """None where it goes on, or stopped."""

    @property
    def tries(self) -> Tries:
        """How often the fixture was tried in vain before the last match."""
        return Tries(self.number, len(self.before))

    @property
    def abandoned(self) -> tuple[str, ...]:
        """The matches that came to nothing, the last among them if it did."""
        return (*self.before, self.name) if self.verdict is not None and self.verdict.scores is None else self.before

    @property
    def result(self) -> Result | None:
        """The result, where there is one."""
        return None if self.verdict is None or self.verdict.scores is None else result_of(self.number, self.verdict)


def past(rows: Iterable[Row]) -> dict[int, Past]:
    """Return what the fixtures of a tournament have come to, by their numbers, from its matches in the order of the store."""
    found: dict[int, Past] = {}
    for row in rows:
        if row.fixture is not None:
            before = found[row.fixture].abandoned if row.fixture in found else ()
            verdict = None if row.verdict is None else read_verdict(row.verdict)
            found[row.fixture] = Past(row.fixture, before, row.name, verdict)
    return found
