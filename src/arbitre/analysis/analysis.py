"""An analysis: every ply of a finished game judged, and what follows from that.

**An analysis is a pure function of the record, of the engine with its weights (by hash), and of the effort (nodes, seed).** Who
computes it again, all of it or some plies, finds the same figures, or the analysis is forged. It judges a finished game, which is
public, and is never part of a verdict.

What people read follows from the judgements alone: the curve, the three moments that decided the game, the mistakes by grade, and
for each player one figure from 0 to 100.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TypeAlias

from arbitre.errors import AnalysisError
from arbitre.games.analysis import WHOLE, Analyst, Effort, Identity, Judgement, Ply, analyst_class, identity
from arbitre.games.game import AnyGame, Seat
from arbitre.games.telling import telling_of
from arbitre.reasons import N_, Reason
from arbitre.records.event import Kind, plain
from arbitre.records.record import Record
from arbitre.referee.match import MatchStage
from arbitre.referee.story import Told, tell
from arbitre.values import value

MOST_PLIES = 20_000
"""No game of more is analysed."""
MOST_NODES = 10_000_000
MOMENTS = 3
LENIENT = 4_000
"""At this loss a ply counts a quarter."""

Named: TypeAlias = Reason | str
"""What people call a move: words of ours, or its text."""
Progress = Callable[[int, int], None]
"""Told how many plies are judged, of how many."""


class Grade(StrEnum):
    """How bad a move was, by the share that it lost."""

    INACCURACY = "inaccuracy"
    """At least a twentieth."""
    MISTAKE = "mistake"
    """At least a tenth."""
    BLUNDER = "blunder"
    """At least a fifth."""


LEAST = {Grade.BLUNDER: WHOLE // 5, Grade.MISTAKE: WHOLE // 10, Grade.INACCURACY: WHOLE // 20}
"""From which loss on a move is called so, the worst first."""


GRADES = {Grade.INACCURACY: N_("inaccuracy"), Grade.MISTAKE: N_("mistake"), Grade.BLUNDER: N_("blunder")}
"""What people call them."""

TURNS = {
    (2, 0): N_("%(move)s throws a good game away; %(better)s kept it"),
    (2, 1): N_("%(move)s lets the lead go; %(better)s kept it"),
    (1, 0): N_("%(move)s falls behind; %(better)s kept it level"),
}
"""What a move of two players' games is said to have done, by the third of the whole that its player could have and had then."""


def decimal(parts: int | None, whole: int, language: str = "en") -> str:
    """Return so many parts of a whole as people of a language write it; a dash where there is nothing."""
    if parts is None:
        return "–"
    number = parts / whole
    text = f"{number:.0f}" if number >= 100 or parts % whole == 0 else f"{number:.1f}"
    return text.replace(".", ",") if language == "fr" else text


def loss(judgement: Judgement, unit: Reason | None, language: str = "en") -> Reason:
    """Say what a move lost: in the unit of its game where that is counted, else in percent."""
    if unit is not None and judgement.lost:
        return Reason("%(count)s %(unit)s lost", count=decimal(judgement.lost, 1000, language), unit=unit)
    return Reason("%(percent)s %% lost", percent=round(100 * judgement.loss / WHOLE))


def moment(judgement: Judgement, move: Named, better: Named, kind: type[Analyst], seats: int = 2) -> Reason:
    """Say what a costly move did, and what would have been better: who was ahead then and who now, or what each was worth."""
    if not judgement.move:
        return Reason("%(move)s gives ground", move=move)
    if not kind.wins:
        said = N_("%(measure)s: %(move)s (%(least)s %%), %(better)s (%(most)s %%)")
        least, most = (round(100 * share / WHOLE) for share in (judgement.played, judgement.best))
        return Reason(said, measure=kind.measure, move=move, better=better, least=least, most=most)
    before, after = (3 * share // (WHOLE + 1) for share in (judgement.best, judgement.played))
    template = N_("%(move)s gives ground; %(better)s was better")
    if seats == 2:
        template = TURNS.get((before, after), template)
    return Reason(template, move=move, better=better)


def called(game: AnyGame, ply: Ply, text: str) -> Named:
    """Return what people call a move that could be made at a ply: a name of the game's, or its text where that says it."""
    found = telling_of(game).called(text, ply.seat, game.view(ply.before, ply.seat))
    return plain(text) if found is None else found


def line_called(game: AnyGame, ply: Ply, line: Sequence[str]) -> Named:
    """Return what people call a line that could be played at a ply."""
    return called(game, ply, line[0]) if len(line) == 1 else plain(" ".join(line))


def grade(judgement: Judgement) -> Grade | None:
    """Return what a ply is called, None where nothing was wrong with it."""
    return next((one for one, least in LEAST.items() if judgement.loss >= least), None)


@value
class Performance:
    """How one player did."""

    seat: Seat
    judged: int
    """How many plies there was something to choose in."""
    accuracy: int | None
    """In tenths of a percent; None where there was nothing to choose."""
    grades: tuple[tuple[Grade, int], ...]

    @property
    def words(self) -> Reason:
        """What the figure means, as one would say it."""
        if self.accuracy is None:
            return Reason("there was nothing to choose")
        return Reason(next(text for least, text in WORDS if self.accuracy >= least))


WORDS = (
    (950, N_("hardly anything to mend")),
    (880, N_("strong, with small slips")),
    (780, N_("sound, with some mistakes")),
    (600, N_("uneven: good moves and costly ones")),
    (0, N_("much was given away")),
)
"""What is said of an accuracy, from which on."""


@value
class Analysis:
    """A finished game judged."""

    game: str
    engine: Identity
    effort: Effort
    seats: tuple[Seat, ...]
    """Who made each ply."""
    turns: tuple[int, ...]
    moves: tuple[str, ...]
    """What was played, in text."""
    judgements: tuple[Judgement, ...]

    @property
    def curve(self) -> tuple[int, ...]:
        """How the game stood after each ply, as the first seat's share."""
        return tuple(one.standing for one in self.judgements)

    @property
    def moments(self) -> tuple[int, ...]:
        """The plies that decided the game: those that lost most, at most three, in their order."""
        costly = [at for at, one in enumerate(self.judgements) if one.loss]
        return tuple(sorted(sorted(costly, key=lambda at: -self.judgements[at].loss)[:MOMENTS]))

    def performances(self, seats: int) -> tuple[Performance, ...]:
        """Return how each player did."""
        return tuple(self._performance(Seat(seat)) for seat in range(seats))

    def _performance(self, seat: Seat) -> Performance:
        own = [one for one, whose in zip(self.judgements, self.seats, strict=True) if whose == seat and one.choice]
        accuracy = sum(map(_accuracy, own)) // len(own) if own else None
        called = [grade(one) for one in own]
        return Performance(seat, len(own), accuracy, tuple((one, called.count(one)) for one in Grade))


def _accuracy(judgement: Judgement) -> int:
    """Return what a ply counts, in thousandths: all of it where nothing was lost, a quarter at `LENIENT`."""
    return 1000 * LENIENT**2 // (LENIENT + judgement.loss) ** 2


def course_of(told: Told) -> tuple[Ply, ...]:
    """Return the plies of a finished match; `AnalysisError` where it is not finished, or has too many."""
    match = told.match
    if told.last.stage is not MatchStage.CLOSED:
        raise AnalysisError("the match is not over: a game is analysed when its secrets are open")
    plies: list[Ply] = []
    before = told.start
    for event, outputs, affairs in told.moments:
        refused = any(one.kind is Kind.REFUSED for one in outputs)
        if event.kind is Kind.SAID and not refused and event.seat not in match.game.neutral:
            seat = Seat(event.seat)
            move = match.notation.read(event.text, match.game.view(before.truth, seat))
            plies.append(Ply(seat, event.turn, before.truth, move, event.text, affairs.truth))
        before = affairs
    if len(plies) > MOST_PLIES:
        raise AnalysisError("a game of %(plies)s plies is too long: at most %(most)s", plies=len(plies), most=MOST_PLIES)
    return tuple(plies)


def usual(name: str) -> int:
    """Return the nodes that are usual for a game, with what is installed here."""
    return analyst_class(name).usual


def judged(kind: type[Analyst], told: Told, effort: Effort, wanted: Sequence[int], progress: Progress | None) -> list[Judgement]:
    """Judge some plies of a match, in rising order."""
    course = course_of(told)
    analyst = kind(told.match.game, effort)
    found: list[Judgement] = []
    for one in analyst.judge(course, wanted):
        found.append(one)
        if progress is not None:
            progress(len(found), len(wanted))
    return found


def check_effort(effort: Effort) -> None:
    """Refuse an effort that nobody could make."""
    if not 1 <= effort.nodes <= MOST_NODES:
        raise AnalysisError("nodes are from 1 to %(most)s, not %(nodes)s", most=MOST_NODES, nodes=effort.nodes)
    if not 0 <= effort.seed < 1 << 53:
        raise AnalysisError("a seed is a whole number below 2 to the 53rd, not %(seed)s", seed=effort.seed)


def analyse(record: Record, nodes: int | None = None, seed: int = 0, progress: Progress | None = None) -> Analysis:
    """Judge every ply of a finished record; without nodes, as many as are usual for its game."""
    told = tell(record)
    kind = analyst_class(told.match.game.name)
    effort = Effort(kind.usual if nodes is None else nodes, seed)
    check_effort(effort)
    course = course_of(told)
    found = judged(kind, told, effort, range(len(course)), progress)
    return Analysis(
        told.match.game.name,
        identity(kind),
        effort,
        tuple(ply.seat for ply in course),
        tuple(ply.turn for ply in course),
        tuple(ply.text for ply in course),
        tuple(found),
    )
