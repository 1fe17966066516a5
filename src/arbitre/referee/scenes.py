"""What one eye sees of a match, scene by scene: live, after a break of the line, and in a replay years later.

A scene is what changed for that eye. Scenes are numbered for each eye by itself, and follow from the transcript alone, so a
spectator who was cut off says the number of the last scene and misses nothing. An eye gets no scene for what it may not know:
neither a move that waits for the others' moves, nor a try that was refused to somebody else, so not even the number of scenes
tells. Once the secrets are open the last scene shows everybody everything; where the record is kept back until the event is over,
that is then, and the last scene before shows the verdict and no secret.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from arbitre.games.game import Awaits, Eye, Seat
from arbitre.records.event import NOBODY, Event, Kind
from arbitre.referee.match import Match, MatchStage, MatchState
from arbitre.referee.story import Moment, Told
from arbitre.referee.verdict import Verdict

SPOKEN = frozenset(
    {
        Kind.RESIGNED,
        Kind.LEFT,
        Kind.GARBLED,
        Kind.ACKNOWLEDGED,
        Kind.ABANDONED,
        Kind.RESUMED,
        Kind.TICKED,
        Kind.OFFERED,
        Kind.SETTLED,
        Kind.DECLINED,
    }
)
"""Inputs besides moves that everybody may know."""


class SceneLine(NamedTuple):
    """One line of the story: what kind of thing, by whom, in which turn, in which words."""

    kind: Kind
    seat: int
    turn: int
    text: str
    spent: int | None = None
    """Milliseconds that a move took; None without a clock."""


class Scene(NamedTuple):
    """How a match stands for one eye, and what brought it there."""

    number: int
    turn: int
    eye: Eye
    """Through whose eyes: whoever looks sees as the referee does when the secrets are open."""
    view: Any
    before: Any
    """What the same eye would have seen one scene ago; None at the start."""
    lines: tuple[SceneLine, ...]
    awaits: frozenset[Seat]
    """Who is to move, as everybody may know it."""
    asks: int | None
    """For a seat that is asked: how often it has spoken before, which tells one question from another."""
    left: tuple[int, ...] | None
    """Milliseconds left, by seat; None without a clock."""
    verdict: Verdict | None
    closed: bool
    """Whether the secrets are open, and nothing follows."""
    moment: int
    """How many inputs there were before it: the same for every eye, so nobody is told while secrets are closed."""


class Scenery:
    """Makes the scenes of one match for one eye, as its moments come."""

    def __init__(self, match: Match, eye: Eye, *, opens: bool = True) -> None:
        self.match = match
        self.eye = eye
        self.opens = opens
        """Whether the secrets are open when the match is."""
        self.number = 0
        self.heard = 0
        """How many moments were added."""
        self._affairs: MatchState
        self._view: Any = None
        self._said = 0
        self._held: list[SceneLine] = []
        """Moves of this turn that wait for the others' moves."""
        self._waiting: list[SceneLine] = []
        """Lines that no scene has told yet."""

    def start(self, affairs: MatchState) -> Scene:
        """Return the first scene."""
        self._affairs = affairs
        return self._scene(affairs, None)

    def add(self, moment: Moment) -> Scene | None:
        """Return the scene that follows from an input, if this eye sees anything of it."""
        before, after, event = self._affairs, moment.affairs, moment.event
        self.heard += 1
        asked = self._asks(before)
        self._waiting += self._lines(before, moment)
        if event.kind is Kind.SAID and event.seat == self.eye:
            self._said += 1
        self._affairs = after
        if after.answers:
            if asked == self._asks(after) and not self._waiting:
                return None
        elif not self._changed(before, after) and asked == self._asks(after) and not self._waiting:
            return None
        return self._scene(after, before)

    def _changed(self, before: MatchState, after: MatchState) -> bool:
        if before.stage is not after.stage or _turn(before) != _turn(after):
            return True
        return before.truth is not after.truth and bool(self.match.game.view(after.truth, self._eye(after)) != self._view)

    def _scene(self, affairs: MatchState, before: MatchState | None) -> Scene:
        match, eye = self.match, self._eye(affairs)
        view = match.game.view(affairs.truth, eye)
        earlier = None if before is None else self._view if eye == self.eye else match.game.view(before.truth, eye)
        self._view = view
        lines, self._waiting = tuple(self._waiting), []
        self.number += 1
        phase = affairs.phase
        awaits = phase.seats if isinstance(phase, Awaits) and affairs.stage is MatchStage.PLAY else frozenset()
        left = affairs.left if match.clock.runs else None
        closed = self._opened(affairs)
        return Scene(
            self.number,
            _turn(affairs),
            eye,
            view,
            earlier,
            lines,
            awaits,
            self._asks(affairs),
            left,
            affairs.verdict,
            closed,
            self.heard,
        )

    def _eye(self, affairs: MatchState) -> Eye:
        return "referee" if self._opened(affairs) else self.eye

    def _opened(self, affairs: MatchState) -> bool:
        return self.opens and affairs.stage is MatchStage.CLOSED

    def _asks(self, affairs: MatchState) -> int | None:
        return self._said if self.eye in affairs.questions else None

    def _lines(self, before: MatchState, moment: Moment) -> Iterator[SceneLine]:
        event, after = moment.event, moment.affairs
        if event.kind is Kind.SAID:
            yield from self._move(before, moment)
        elif event.kind in SPOKEN:
            yield SceneLine(event.kind, event.seat, event.turn, event.text)
        if self._held and not after.answers:
            yield from sorted(self._held, key=lambda line: line.seat)
            self._held = []
        if after.verdict is not None and before.verdict is None:
            yield SceneLine(Kind.ENDED, NOBODY, 0, after.verdict.text())

    def _move(self, before: MatchState, moment: Moment) -> Iterator[SceneLine]:
        event, game = moment.event, self.match.game
        refused = [SceneLine(Kind.REFUSED, one.seat, one.turn, one.text) for one in moment.outputs if one.kind is Kind.REFUSED]
        own = self.eye in (event.seat, "referee")
        secret = game.secret(before.truth, Seat(event.seat))
        question = before.questions.get(Seat(event.seat))
        spent = event.at - question.asked if question is not None and self.match.clock.runs else None
        said = SceneLine(event.kind, event.seat, event.turn, "" if secret and not own else event.text, spent)
        if refused:
            if own or not game.hides:
                yield said
                yield from refused
            return
        if moment.affairs.answers and not own:
            self._held.append(said)
        elif own or not secret or _turn(before) != _turn(moment.affairs):
            yield said


def scenes(told: Told, eye: Eye, *, opens: bool = True) -> Iterator[Scene]:
    """Return every scene of a match that was told again, as one eye sees it."""
    scenery = Scenery(told.match, eye, opens=opens)
    yield scenery.start(told.start)
    for moment in told.moments:
        if (scene := scenery.add(moment)) is not None:
            yield scene


def moment_of(events: Sequence[Event], affairs: MatchState) -> Moment:
    """Return the moment of one transition, as the journal gets it."""
    return Moment(events[0], tuple(events[1:]), affairs)


def _turn(affairs: MatchState) -> int:
    return affairs.phase.turn if isinstance(affairs.phase, Awaits) else 0
