"""The referee of one match: a state machine without clock, network or luck of its own.

`open` calls the match and `hear` takes one input after the other; both return the new state of affairs and the outputs that
follow. Time is an argument: each input carries the moment at which it arrived. Chance comes from the committed seed. So the same
inputs give the same outputs, here, after a crash, and in `arbitre verify` years later.

Stages of a match, and the inputs that move it on:

============  =======================================================================================================
`NONCES`      players who promised a nonce open it (`nonce`); then play begins
`PLAY`        whoever was asked speaks (`said`); the clock is looked at (`ticked`), or a seat's own limit is over (`ticked`, too)
`CLOSING`     the verdict is spoken, secrets stay closed until the resignation is `acknowledged`
`CLOSED`      the seed is revealed, nothing follows
============  =======================================================================================================

In every stage before `CLOSED` a player may resign or be gone (`resigned`, `left`, `garbled`), the house may fail (`abandoned`)
or come back (`resumed`), and words out of turn are kept (`stray`).
"""

import re
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, NamedTuple

from arbitre.crypto.chain import commitment
from arbitre.crypto.draws import draw, mix, promise
from arbitre.errors import MoveError, TranscriptError
from arbitre.games.game import AnyGame, Awaits, Chance, Outcome, Seat
from arbitre.games.notation import AnyNotation, notation_of
from arbitre.reasons import Reason, declare
from arbitre.records.event import NOBODY, Event, Kind, read_reason, write_reason
from arbitre.referee.terms import Opening
from arbitre.referee.verdict import Termination, Verdict, adjudicated, by_rules, forfeit

MOST_DRAWS = 100_000
"""No game draws more often than this between two moves: a game that does would hang the referee."""

NEUTRAL_TIME = 60_000
"""Milliseconds that a neutral seat has for each answer where a clock runs, however fast the players play."""

OF_THE_TABLE = frozenset({Kind.RESUMED, Kind.ABANDONED})
"""Inputs that come from no seat."""


REASONS = declare(
    {
        "no-answer": ("no answer in time", "pas de réponse à temps"),
        "no-answer-because": ("no answer in time; %(why)s", "pas de réponse à temps ; %(why)s"),
        "gave-up": ("a player gave up", "un joueur a abandonné"),
        "no-resignation": ("the terms allow no resignation", "les conditions ne permettent pas d’abandonner"),
        "false-nonce": ("the nonce is not the one that was promised", "le nombre n’est pas celui qui fut promis"),
        "turns-played": ("a draw after %(turns)s turns", "partie nulle après %(turns)s tours"),
    }
)


class MatchStage(Enum):
    """Where a match stands."""

    NONCES = 1
    PLAY = 2
    CLOSING = 3
    CLOSED = 4


class Question(NamedTuple):
    """A move that is being waited for: asked at a moment, with so much time, before this view."""

    asked: int
    left: int
    view: Any


class MatchState(NamedTuple):
    """The state of affairs of a match; a value, so that any moment of a match can be kept and returned to.

    A named tuple, because it is made anew with every input, and a frozen dataclass takes three times as long to make.
    """

    stage: MatchStage
    truth: Any
    phase: Awaits | Outcome | None
    questions: Mapping[Seat, Question]
    """Who is being waited for."""
    answers: Mapping[Seat, Any]
    """Moves of this turn that wait for the others' moves: they are part of no state yet."""
    silent: frozenset[Seat]
    """Who has let this turn pass, where the game goes on without."""
    left: tuple[int, ...]
    """Milliseconds left, by seat."""
    refusals: tuple[int, ...]
    draws: int = 0
    secret: bytes = b""
    nonces: Mapping[int, bytes] = MappingProxyType({})
    verdict: Verdict | None = None
    unacknowledged: frozenset[Seat] = frozenset()


class Match:
    """The judge of one match: made from its opening and the secret seed."""

    def __init__(self, opening: Opening, seed: bytes) -> None:
        if commitment(seed) != opening.commitment:
            raise TranscriptError("the seed is not the one that was committed")
        self.opening = opening
        self.seed = seed
        self.game: AnyGame = opening.game
        self.notation: AnyNotation = notation_of(opening.game)
        self.terms = opening.terms
        self.clock = opening.terms.clock

    # ── inputs ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def open(self) -> tuple[MatchState, tuple[Event, ...]]:
        """Call the match: return the first state of affairs, and the opening with all that follows from it."""
        start = self.opening.start
        truth = self.notation.read_state(start) if start else self.game.start()
        seats = self.game.seats
        fresh = MatchState(MatchStage.NONCES, truth, None, {}, {}, frozenset(), (self.clock.bank,) * seats, (0,) * seats)
        opened = Event(Kind.OPENED, 0, NOBODY, 0, self.opening.text())
        if self.opening.promises:
            return fresh, (opened,)
        affairs, outputs = self._begin(fresh, 0)
        return affairs, (opened, *outputs)

    def hear(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        """Take one input; `TranscriptError` if no referee could have taken it here."""
        if affairs.stage is MatchStage.CLOSED:
            raise TranscriptError("%(value)s after the end", value=event.kind.value)
        self._timely(affairs, event)
        if event.kind is Kind.SAID:
            return self._said(affairs, event)
        if event.seat == NOBODY:
            return self._common(affairs, event)
        if event.kind in OF_THE_TABLE or not 0 <= event.seat < self.game.seats:
            raise TranscriptError(
                "%(value)s by seat %(seat)s, which is not at this table", value=event.kind.value, seat=event.seat
            )
        if event.kind is Kind.STRAY:
            return affairs, ()
        if event.kind is Kind.ACKNOWLEDGED:
            return self._acknowledged(affairs, event)
        if affairs.verdict is not None:
            raise TranscriptError("%(value)s after the verdict", value=event.kind.value)
        return self._personal(affairs, event)

    def _common(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        """Take an input that concerns the whole table."""
        if event.kind is Kind.TICKED:
            return self._ticked(affairs, event)
        if event.kind is Kind.RESUMED:
            return self._resumed(affairs, event)
        if affairs.verdict is None and event.kind is Kind.ABANDONED:
            return self._end(affairs, event.at, Verdict(None, Termination.ABANDONED, read_reason(event.text)))
        if affairs.verdict is None and event.kind is Kind.LEFT:
            everybody = {Seat(seat) for seat in range(self.game.seats)}
            return self._forfeit(affairs, event.at, everybody, Termination.DISCONNECTED, read_reason(event.text))
        raise TranscriptError("%(value)s by the whole table", value=event.kind.value)

    def awaits(self, affairs: MatchState, seat: int, turn: int | None = None) -> bool:
        """Tell whether an answer of `seat` (to the question of `turn`) would be heard now; if not it is stray."""
        if affairs.stage is not MatchStage.PLAY or seat not in affairs.questions:
            return False
        return turn is None or (isinstance(affairs.phase, Awaits) and turn == affairs.phase.turn)

    def deadline(self, affairs: MatchState) -> int | None:
        """Return the first moment at which somebody who is waited for has no time left, if a clock runs."""
        if not self.clock.runs or not affairs.questions:
            return None
        return min(question.asked + question.left for question in affairs.questions.values()) + 1

    def _timely(self, affairs: MatchState, event: Event) -> None:
        """Refuse a time that cannot be: any at all where no clock runs, or one before the question that is waited on."""
        if not self.clock.runs:
            if event.at:
                raise TranscriptError("%(at)s ms where no clock runs", at=event.at)
            return
        own = affairs.questions.get(Seat(event.seat))
        since = own.asked if own is not None else min((one.asked for one in affairs.questions.values()), default=0)
        if event.at < since:
            raise TranscriptError(
                "%(value)s at %(at)s, before what was asked at %(since)s", value=event.kind.value, at=event.at, since=since
            )

    # ── what each input does ───────────────────────────────────────────────────────────────────────────────────────

    def _said(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        seat = Seat(event.seat)
        phase = affairs.phase
        question = affairs.questions.get(seat)
        if affairs.stage is not MatchStage.PLAY or question is None or not isinstance(phase, Awaits):
            raise TranscriptError("seat %(seat)s was not asked", seat=seat)
        if event.turn != phase.turn:
            raise TranscriptError(
                "seat %(seat)s answers turn %(turn)s, but was asked about turn %(turn2)s",
                seat=seat,
                turn=event.turn,
                turn2=phase.turn,
            )
        left = self._charged(affairs, event, question)
        if left is None:
            return self._late(affairs, event.at, frozenset({seat}))
        try:
            move = self.notation.read(event.text, question.view)
            self.game.check(question.view, move)
        except MoveError as error:
            return self._refused(affairs, event, left, error.why)
        answers = {**affairs.answers, seat: move}
        questions = {chair: asked for chair, asked in affairs.questions.items() if chair != seat}
        if questions:
            return affairs._replace(questions=questions, answers=answers, left=left), ()
        return self._turn(affairs, event.at, answers, left)

    def _charged(self, affairs: MatchState, event: Event, question: Question) -> tuple[int, ...] | None:
        """Return the times left after an answer; None if it came too late."""
        if not self.clock.runs:
            return affairs.left
        spent = event.at - question.asked
        return None if spent > question.left else _put(affairs.left, Seat(event.seat), question.left - spent)

    def _refused(
        self, affairs: MatchState, event: Event, left: tuple[int, ...], why: Reason
    ) -> tuple[MatchState, tuple[Event, ...]]:
        seat = Seat(event.seat)
        refused = Event(Kind.REFUSED, event.at, seat, event.turn, write_reason(why))
        count = affairs.refusals[seat] + 1
        affairs = affairs._replace(refusals=_put(affairs.refusals, seat, count), left=left)
        if self.terms.refusals is not None and count > self.terms.refusals:
            affairs, outputs = self._forfeit(affairs, event.at, {seat}, Termination.ILLEGAL_MOVE, read_reason(refused.text))
            return affairs, (refused, *outputs)
        truth = self.game.refuse(affairs.truth, seat)
        view = affairs.questions[seat].view if truth is affairs.truth else self.game.view(truth, seat)
        questions = {**affairs.questions, seat: Question(event.at, left[seat], view)}
        asked = self._asked(event.at, seat, event.turn, left[seat])
        return affairs._replace(truth=truth, questions=questions), (refused, asked)

    def _ticked(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        if not self.clock.runs or affairs.stage is not MatchStage.PLAY:
            raise TranscriptError("the clock was looked at where none runs")
        late = frozenset(seat for seat, asked in affairs.questions.items() if event.at - asked.asked > asked.left)
        if not late:
            raise TranscriptError("the clock was looked at before anybody was late")
        return self._late(affairs, event.at, late, event.text)

    def _late(self, affairs: MatchState, at: int, late: frozenset[Seat], why: str = "") -> tuple[MatchState, tuple[Event, ...]]:
        phase = affairs.phase
        if isinstance(phase, Awaits) and phase.silence == "is heard":
            questions = {seat: asked for seat, asked in affairs.questions.items() if seat not in late}
            left = affairs.left
            for seat in late:
                left = _put(left, seat, 0)
            if not questions:
                return self._turn(affairs, at, affairs.answers, left)
            return affairs._replace(questions=questions, silent=affairs.silent | late, left=left), ()
        reason = Reason("no-answer-because", why=read_reason(why)) if why else Reason("no-answer")
        return self._forfeit(affairs, at, set(late), Termination.OUT_OF_TIME, reason)

    def _personal(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        seat = Seat(event.seat)
        if event.kind is Kind.NONCE:
            return self._nonce(affairs, event)
        if event.kind is Kind.TICKED:
            return self._overdue(affairs, event)
        if event.kind is Kind.LEFT:
            return self._forfeit(affairs, event.at, {seat}, Termination.DISCONNECTED, read_reason(event.text))
        if event.kind is Kind.GARBLED:
            return self._forfeit(affairs, event.at, {seat}, Termination.PROTOCOL_ERROR, read_reason(event.text))
        if event.kind is not Kind.RESIGNED:
            raise TranscriptError("%(value)s is no input", value=event.kind.value)
        if not self.terms.resign:
            return self._unresigned(affairs, event)
        reason = read_reason(event.text) if event.text else Reason("gave-up")
        return self._forfeit(affairs, event.at, {seat}, Termination.RESIGNED, reason)

    def _overdue(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        """End the match for a seat that let a limit of its own pass: the wire that it is asked over has one, clock or none."""
        if not self.awaits(affairs, event.seat, event.turn):
            raise TranscriptError("the time of seat %(seat)s is over, which was not asked", seat=event.seat)
        return self._forfeit(affairs, event.at, {Seat(event.seat)}, Termination.OUT_OF_TIME, read_reason(event.text))

    def _unresigned(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        """Refuse a resignation; whoever was asked has used time for it, and is asked again with the rest."""
        seat = Seat(event.seat)
        refused = Event(Kind.REFUSED, event.at, seat, event.turn, write_reason(Reason("no-resignation")))
        question = affairs.questions.get(seat)
        if question is None or not self.clock.runs:
            return affairs, (refused,)
        left = self._charged(affairs, event, question)
        if left is None:
            return self._late(affairs, event.at, frozenset({seat}))
        questions = {**affairs.questions, seat: Question(event.at, left[seat], question.view)}
        asked = self._asked(event.at, seat, event.turn, left[seat])
        return affairs._replace(questions=questions, left=left), (refused, asked)

    def _nonce(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        promises = self.opening.promises or {}
        if affairs.stage is not MatchStage.NONCES or event.seat not in promises or event.seat in affairs.nonces:
            raise TranscriptError("no nonce of seat %(seat)s was due", seat=event.seat)
        nonce = bytes.fromhex(event.text) if re.fullmatch("[0-9a-f]{64}", event.text) else b""
        if promise(nonce) != promises[event.seat]:
            why = Reason("false-nonce")
            return self._forfeit(affairs, event.at, {Seat(event.seat)}, Termination.PROTOCOL_ERROR, why)
        affairs = affairs._replace(nonces={**affairs.nonces, event.seat: nonce})
        return self._begin(affairs, event.at) if len(affairs.nonces) == len(promises) else (affairs, ())

    def _resumed(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        """Ask again, with the time that was left: what happened between is nobody's fault."""
        if affairs.stage is not MatchStage.PLAY:
            return affairs, ()
        turn = affairs.phase.turn if isinstance(affairs.phase, Awaits) else 0
        questions = {seat: Question(event.at, asked.left, asked.view) for seat, asked in affairs.questions.items()}
        outputs = tuple(self._asked(event.at, seat, turn, asked.left) for seat, asked in sorted(questions.items()))
        return affairs._replace(questions=questions), outputs

    def _acknowledged(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        if event.seat not in affairs.unacknowledged:
            raise TranscriptError("seat %(seat)s has nothing to acknowledge", seat=event.seat)
        rest = affairs.unacknowledged - {event.seat}
        affairs = affairs._replace(unacknowledged=rest)
        return (affairs, ()) if rest else self._reveal(affairs, event.at)

    # ── the course of the game ─────────────────────────────────────────────────────────────────────────────────────

    def _begin(self, affairs: MatchState, at: int) -> tuple[MatchState, tuple[Event, ...]]:
        affairs = affairs._replace(stage=MatchStage.PLAY, secret=mix(self.seed, affairs.nonces))
        return self._advance(affairs, at, frozenset(), affairs.truth, affairs.left)

    def _turn(
        self, affairs: MatchState, at: int, answers: Mapping[Seat, Any], left: tuple[int, ...]
    ) -> tuple[MatchState, tuple[Event, ...]]:
        return self._advance(affairs, at, frozenset(answers), self.game.play(affairs.truth, answers), left)

    def _advance(
        self, affairs: MatchState, at: int, spoke: frozenset[Seat], truth: Any, left: tuple[int, ...]
    ) -> tuple[MatchState, tuple[Event, ...]]:
        """Let nature draw until somebody must move or the game is over."""
        outputs: list[Event] = []
        game, draws = self.game, affairs.draws
        last = affairs.phase.turn if isinstance(affairs.phase, Awaits) else 0
        while isinstance(phase := game.phase(truth), Chance):
            if draws - affairs.draws > MOST_DRAWS:
                raise TranscriptError("%(name)s draws without end", name=game.name)
            value = draw(affairs.secret, draws, phase.below)
            truth = game.draw(truth, value)
            outputs.append(Event(Kind.DRAWN, at, NOBODY, last, str(value)))
            draws += 1
        questions: dict[Seat, Question] = {}
        if isinstance(phase, Awaits) and not (self.terms.turns is not None and phase.turn > self.terms.turns):
            questions, left = self._asking(phase, at, truth, left, spoke if phase.turn != last else frozenset())
            outputs += [self._asked(at, seat, phase.turn, asked.left) for seat, asked in questions.items()]
        affairs = affairs._replace(
            truth=truth, phase=phase, questions=questions, answers={}, silent=frozenset(), left=left, draws=draws
        )
        if questions:
            return affairs, tuple(outputs)
        drawn = adjudicated(game.seats - len(game.neutral), Reason("turns-played", turns=self.terms.turns or 0))
        affairs, rest = self._end(affairs, at, by_rules(phase) if isinstance(phase, Outcome) else drawn)
        return affairs, (*outputs, *rest)

    def _asking(
        self, phase: Awaits, at: int, truth: Any, left: tuple[int, ...], renewed: frozenset[Seat]
    ) -> tuple[dict[Seat, Question], tuple[int, ...]]:
        """Return what everybody who must speak is asked, and the time that all have."""
        if self.clock.runs:
            for seat in renewed:
                left = _put(left, seat, self.clock.renew(left[seat]))
        for seat in phase.seats & self.game.neutral:  # whoever takes no side is on nobody's clock
            left = _put(left, seat, NEUTRAL_TIME)
        view = self.game.view
        return {seat: Question(at, left[seat], view(truth, seat)) for seat in sorted(phase.seats)}, left

    def _asked(self, at: int, seat: Seat, turn: int, left: int) -> Event:
        return Event(Kind.ASKED, at, seat, turn, str(left) if self.clock.runs else "")

    # ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _forfeit(
        self, affairs: MatchState, at: int, losers: set[Seat], termination: Termination, reason: Reason
    ) -> tuple[MatchState, tuple[Event, ...]]:
        if losers & self.game.neutral:
            return self._end(affairs, at, Verdict(None, Termination.REFEREE_FAILED, reason))
        verdict = forfeit(losers, self.game.seats - len(self.game.neutral), termination, reason)
        if termination is Termination.RESIGNED and self.terms.acknowledge:
            others = frozenset(Seat(n) for n in range(self.game.seats)) - losers
            affairs = affairs._replace(unacknowledged=others)
        return self._end(affairs, at, verdict)

    def _end(self, affairs: MatchState, at: int, verdict: Verdict) -> tuple[MatchState, tuple[Event, ...]]:
        ended = Event(Kind.ENDED, at, NOBODY, 0, verdict.text())
        affairs = affairs._replace(stage=MatchStage.CLOSING, questions={}, answers={}, verdict=verdict)
        if affairs.unacknowledged:
            return affairs, (ended,)
        affairs, outputs = self._reveal(affairs, at)
        return affairs, (ended, *outputs)

    def _reveal(self, affairs: MatchState, at: int) -> tuple[MatchState, tuple[Event, ...]]:
        return affairs._replace(stage=MatchStage.CLOSED), (Event(Kind.REVEALED, at, NOBODY, 0, self.seed.hex()),)


def _put(numbers: tuple[int, ...], seat: int, number: int) -> tuple[int, ...]:
    return (*numbers[:seat], number, *numbers[seat + 1 :])
