"""The referee of one match: a state machine without clock, network or luck of its own.

`open` calls the match and `hear` takes one input after the other; both return the new state of affairs and the outputs that
follow. Time is an argument: each input carries the moment at which it arrived. Chance comes from the committed seed. So the same
inputs give the same outputs, here, after a crash, and in `arbitre verify` years later.

Stages of a match, and the inputs that move it on:

============  =======================================================================================================
`OPENING`     seats with a key or a promise of a nonce have seen the opening: `agreed` or `declined`; then play begins
`PLAY`        whoever was asked speaks (`said`); the clock is looked at (`ticked`), or a seat's own limit is over (`ticked`, too);
              a draw is `offered`, or `settled`
`CLOSING`     the verdict is spoken, secrets stay closed until the resignation is `acknowledged`
`CLOSED`      the seed is revealed, nothing follows
============  =======================================================================================================

In every stage before `CLOSED` a player may resign or be gone (`resigned`, `left`, `garbled`), the house may fail (`abandoned`)
or come back (`resumed`), and words out of turn are kept (`stray`), as is what players say about their moves (`noted`).

A match that comes near the bounds of a record is ended: nobody wins.
"""

import re
from collections.abc import Mapping
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from arbitre.crypto.chain import commitment
from arbitre.crypto.draws import draw, mix, promise
from arbitre.crypto.statements import Statement, Subject, view_hash
from arbitre.errors import MoveError, SpellingError, TranscriptError, shorten
from arbitre.games.game import AnyGame, Awaits, Chance, Outcome, Seat
from arbitre.games.notation import AnyNotation, notation_of
from arbitre.reasons import Reason, declare
from arbitre.records.event import (
    LONGEST_NOTE,
    MOST_EVENTS,
    MOST_OCTETS,
    NOBODY,
    Event,
    Kind,
    canonical,
    read_object,
    read_reason,
    write_reason,
)
from arbitre.records.record import Chain, is_code
from arbitre.referee.terms import Opening
from arbitre.referee.verdict import Termination, Verdict, by_rules, forfeit, shared

MOST_DRAWS = 8_000
"""No game draws more often than this between two moves: a game that does would hang the referee."""

LAST_EVENTS = MOST_EVENTS - (1 << 14)
LAST_OCTETS = MOST_OCTETS - (1 << 22)
"""A match that has more is ended; the rest is room for one more transition of any game."""

NEUTRAL_TIME = 60_000
"""Milliseconds that a neutral seat has for each answer where a clock runs, however fast the players play."""

HASH = re.compile("[0-9a-f]{64}")
SIGNATURE = re.compile("[0-9a-f]{128}")

OF_THE_TABLE = frozenset({Kind.RESUMED, Kind.ABANDONED})
"""Inputs that come from no seat."""


REASONS = declare(
    {
        "no-answer": ("no answer in time", "pas de réponse à temps"),
        "no-answer-because": ("no answer in time; %(why)s", "pas de réponse à temps ; %(why)s"),
        "gave-up": ("a player gave up", "un joueur a abandonné"),
        "no-resignation": ("the terms allow no resignation", "les conditions ne permettent pas d’abandonner"),
        "false-nonce": ("the nonce is not the one that was promised", "le nombre n’est pas celui qui fut promis"),
        "false-signature": (
            "the signature under the opening is false",
            "la signature sous l’ouverture est fausse",
        ),
        "declined-opening": ("declined the opening: %(why)s", "a décliné l’ouverture : %(why)s"),
        "no-draw-offered": ("no draw is offered", "aucune nulle n’est proposée"),
        "no-offers": ("in this game no draw is agreed on", "dans ce jeu on ne convient pas de la nulle"),
        "agreed": ("the players agreed on a draw", "les joueurs sont convenus de la nulle"),
        "too-long": ("no record can hold more of this match", "aucun procès-verbal ne peut contenir plus de cette partie"),
        "turns-played": ("a draw after %(turns)s turns", "partie nulle après %(turns)s tours"),
    }
)


class MatchStage(Enum):
    """Where a match stands."""

    OPENING = 1
    PLAY = 2
    CLOSING = 3
    CLOSED = 4


class Question(NamedTuple):
    """A move that is being waited for: asked at a moment, with so much time, before this view."""

    asked: int
    left: int
    view: Any
    text: str | None = None
    """The view in canonical text, where the seat has a key."""


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
    agreed: Mapping[int, bytes] = MappingProxyType({})
    """The nonces of the seats that have agreed to the opening, empty where none was promised."""
    offers: frozenset[int] = frozenset()
    """Who would take a draw."""
    verdict: Verdict | None = None
    unacknowledged: frozenset[Seat] = frozenset()
    events: int = 0
    octets: int = 0
    """How long the record is, the octets a little more than it has. They stand last: `_bounded` makes them anew."""


LASTING = MatchState._fields.index("secret")
"""From there on a state of affairs is what it was while the game goes on."""


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
        self.agreeing = opening.agreeing
        self.keyed = frozenset(Seat(seat) for seat, key in enumerate(opening.keys) if key)

    # ── inputs ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def open(self) -> tuple[MatchState, tuple[Event, ...]]:
        """Call the match: return the first state of affairs, and the opening with all that follows from it."""
        start = self.opening.start
        truth = self.notation.read_state(start) if start else self.game.start()
        seats = self.game.seats
        fresh = MatchState(MatchStage.OPENING, truth, None, {}, {}, frozenset(), (self.clock.bank,) * seats, (0,) * seats)
        opened = Event(Kind.OPENED, 0, NOBODY, 0, self.opening.text())
        if self.agreeing:
            return self._bounded(fresh, (opened,))
        affairs, outputs = self._begin(fresh, 0)
        return self._bounded(affairs, (opened, *outputs))

    def hear(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        """Take one input; `TranscriptError` if no referee could have taken it here."""
        after, outputs = self._heard(affairs, event)
        after, kept = self._bounded(after, (event, *outputs))
        return after, kept[1:]

    def take(self, affairs: MatchState, event: Event) -> tuple[Event, MatchState, tuple[Event, ...]]:
        """Take one input as it was said; return it as the record holds it: a move in the canonical text of its notation."""
        try:
            return event, *self.hear(affairs, event)
        except SpellingError as error:
            event = event._replace(text=error.canonical)
        return event, *self.hear(affairs, event)

    def _bounded(self, affairs: MatchState, events: tuple[Event, ...]) -> tuple[MatchState, tuple[Event, ...]]:
        """Count what enters the record, and end a match that would become too long for one."""
        count, octets = affairs.events + len(events), affairs.octets
        for event in events:
            octets += event.weight()
        affairs = MatchState._make((*affairs[:-2], count, octets))  # every ply comes here, and `_replace` takes twice as long
        if affairs.verdict is not None or (count <= LAST_EVENTS and octets <= LAST_OCTETS):
            return affairs, events
        nobody = shared(self._sides, Termination.ADJUDICATED, Reason("too-long"))
        affairs, outputs = self._end(affairs, events[-1].at, nobody)
        return affairs, (*events, *outputs)

    def _heard(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
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
        if event.kind is Kind.NOTED:
            if len(event.text.encode()) > LONGEST_NOTE:
                raise TranscriptError("a note of more than %(most)s octets", most=LONGEST_NOTE)
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
        if affairs.stage is MatchStage.OPENING and event.kind is Kind.DECLINED and not event.at and not event.turn:
            return self._end(affairs, event.at, Verdict(None, Termination.NOT_PLAYED, read_reason(event.text)))
        if affairs.verdict is None and event.kind is Kind.LEFT:
            everybody = {Seat(seat) for seat in range(self.game.seats)}
            return self._forfeit(affairs, event.at, everybody, Termination.DISCONNECTED, read_reason(event.text))
        raise TranscriptError("%(value)s by the whole table", value=event.kind.value)

    def awaits(self, affairs: MatchState, seat: int, turn: int | None = None) -> bool:
        """Tell whether an answer of `seat` (to the question of `turn`) would be heard now; if not it is stray."""
        if affairs.stage is not MatchStage.PLAY or seat not in affairs.questions:
            return False
        return turn is None or (isinstance(affairs.phase, Awaits) and turn == affairs.phase.turn)

    def drawing(self, affairs: MatchState, seat: int) -> Kind | None:
        """Return what it means that a seat would take a draw now: it offers or takes one; None where it has offered already."""
        if seat in affairs.offers:
            return None
        return Kind.SETTLED if affairs.offers else Kind.OFFERED

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
            if (canonical := self.notation.write(move)) != event.text:
                raise SpellingError(event.text, canonical)
            self.game.check(question.view, move)
        except MoveError as error:
            return self._refused(affairs, event, left, error.why)
        if affairs.offers:  # whoever moves on declines what the others offered
            affairs = affairs._replace(offers=affairs.offers & {seat})
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
        question = self._question(seat, event.at, left[seat], view)
        asked = self._asked(seat, event.turn, question)
        return affairs._replace(truth=truth, questions={**affairs.questions, seat: question}), (refused, asked)

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
        if event.kind is Kind.AGREED:
            return self._agreed(affairs, event)
        if event.kind is Kind.DECLINED:
            return self._declined(affairs, event)
        if event.kind in (Kind.OFFERED, Kind.SETTLED):
            return self._offered(affairs, event)
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
        again = question._replace(asked=event.at, left=left[seat])
        asked = self._asked(seat, event.turn, again)
        return affairs._replace(questions={**affairs.questions, seat: again}, left=left), (refused, asked)

    def _agreed(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        seat = self._due(affairs, event)
        match read_object(event.text):
            case {"nonce": str() | None as given, "signature": str() | None as signature} if event.text == write_agreed(
                given, signature
            ):
                pass
            case _:
                raise TranscriptError("what seat %(seat)s agreed with is not in form", seat=seat)
        promised = (self.opening.promises or {}).get(seat)
        nonce = bytes.fromhex(given) if given is not None and HASH.fullmatch(given) else b""
        if (promised is None) != (given is None) or (promised is not None and self._promise(seat, nonce) != promised):
            return self._forfeit(affairs, event.at, {seat}, Termination.PROTOCOL_ERROR, Reason("false-nonce"))
        if not self._signs(seat, signature):
            return self._forfeit(affairs, event.at, {seat}, Termination.PROTOCOL_ERROR, Reason("false-signature"))
        affairs = affairs._replace(agreed={**affairs.agreed, seat: nonce})
        return self._begin(affairs, event.at) if len(affairs.agreed) == len(self.agreeing) else (affairs, ())

    def _promise(self, seat: Seat, nonce: bytes) -> str:
        return promise(nonce, self.opening.commitment, self.opening.match, seat)

    def _signs(self, seat: Seat, signature: str | None) -> bool:
        """Tell whether a seat signed the opening, where it has a key, and signed nothing where it has none."""
        key = self.opening.chairs[seat].key
        if not key or signature is None or not SIGNATURE.fullmatch(signature):
            return not key and signature is None
        return self.called.signed(bytes.fromhex(key), bytes.fromhex(signature), Statement.AGREED, seat)

    @cached_property
    def called(self) -> Subject:
        """What referee and seats sign of the opening."""
        chain = Chain(self.seed)
        chain.add([Event(Kind.OPENED, 0, NOBODY, 0, self.opening.text())])
        return chain.subject

    def _declined(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        seat = self._due(affairs, event)
        if not is_code(event.text):
            raise TranscriptError("%(text)r is no code", text=shorten(event.text))
        why = Reason("declined-opening", why=event.text)
        return self._end(affairs, event.at, forfeit({seat}, self._sides, Termination.RESIGNED, why))

    def _due(self, affairs: MatchState, event: Event) -> Seat:
        due = affairs.stage is MatchStage.OPENING and event.seat in self.agreeing and event.seat not in affairs.agreed
        if not due or event.at or event.turn:
            raise TranscriptError("seat %(seat)s was not to agree to anything", seat=event.seat)
        return Seat(event.seat)

    def _offered(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        """Hear that a seat would take a draw: first of all (`offered`), or because another would (`settled`)."""
        others = affairs.offers - {event.seat}
        if affairs.stage is not MatchStage.PLAY or event.text or event.seat in self.game.neutral or not self.game.offers:
            raise TranscriptError("nobody can offer or take a draw now")
        if (event.kind is Kind.SETTLED) != bool(others) or event.seat in affairs.offers:
            raise TranscriptError("seat %(seat)s takes a draw that nobody offers, or offers one twice", seat=event.seat)
        affairs = affairs._replace(offers=affairs.offers | {event.seat})
        if len(affairs.offers) < self._sides:
            return affairs, ()
        return self._end(affairs, event.at, shared(self._sides, Termination.AGREED, Reason("agreed")))

    @property
    def _sides(self) -> int:
        """How many take part in the score."""
        return self.game.seats - len(self.game.neutral)

    def _resumed(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        """Ask again, with the time that was left: what happened between is nobody's fault."""
        if affairs.stage is not MatchStage.PLAY:
            return affairs, ()
        turn = affairs.phase.turn if isinstance(affairs.phase, Awaits) else 0
        questions = {seat: asked._replace(asked=event.at) for seat, asked in affairs.questions.items()}
        outputs = tuple(self._asked(seat, turn, questions[seat]) for seat in sorted(questions))
        return affairs._replace(questions=questions), outputs

    def _acknowledged(self, affairs: MatchState, event: Event) -> tuple[MatchState, tuple[Event, ...]]:
        if event.seat not in affairs.unacknowledged:
            raise TranscriptError("seat %(seat)s has nothing to acknowledge", seat=event.seat)
        rest = affairs.unacknowledged - {event.seat}
        affairs = affairs._replace(unacknowledged=rest)
        return (affairs, ()) if rest else self._reveal(affairs, event.at)

    # ── the course of the game ─────────────────────────────────────────────────────────────────────────────────────

    def _begin(self, affairs: MatchState, at: int) -> tuple[MatchState, tuple[Event, ...]]:
        nonces = {seat: nonce for seat, nonce in affairs.agreed.items() if nonce}
        affairs = affairs._replace(stage=MatchStage.PLAY, secret=mix(self.seed, nonces))
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
            outputs.append(Event(Kind.DRAWN, at, NOBODY, last, f"{value}/{phase.below}"))
            draws += 1
        questions: dict[Seat, Question] = {}
        if isinstance(phase, Awaits) and not (self.terms.turns is not None and phase.turn > self.terms.turns):
            questions, left = self._asking(phase, at, truth, left, spoke if phase.turn != last else frozenset())
            outputs += [self._asked(seat, phase.turn, asked) for seat, asked in questions.items()]
        played: tuple[Any, ...] = (affairs.stage, truth, phase, questions, {}, frozenset(), left, affairs.refusals, draws)
        affairs = MatchState._make((*played, *affairs[LASTING:]))
        if questions:
            return affairs, tuple(outputs)
        drawn = shared(self._sides, Termination.ADJUDICATED, Reason("turns-played", turns=self.terms.turns or 0))
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
        return {seat: self._question(seat, at, left[seat], view(truth, seat)) for seat in sorted(phase.seats)}, left

    def _question(self, seat: Seat, at: int, left: int, view: Any) -> Question:
        """Return a question; in words where the record is to fix what the seat is shown."""
        return Question(at, left, view, self.notation.write_view(view) if seat in self.keyed else None)

    def _asked(self, seat: Seat, turn: int, question: Question) -> Event:
        left = question.left if self.clock.runs else None
        if question.text is None:
            return Event(Kind.ASKED, question.asked, seat, turn, "" if left is None else str(left))
        shown = view_hash(question.text)
        return Event(Kind.ASKED, question.asked, seat, turn, f'{{"left":{"null" if left is None else left},"view":"{shown}"}}')

    # ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _forfeit(
        self, affairs: MatchState, at: int, losers: set[Seat], termination: Termination, reason: Reason
    ) -> tuple[MatchState, tuple[Event, ...]]:
        if losers & self.game.neutral:
            return self._end(affairs, at, Verdict(None, Termination.REFEREE_FAILED, reason))
        verdict = forfeit(losers, self._sides, termination, reason)
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


def write_agreed(nonce: str | None, signature: str | None) -> str:
    """Return the text of `agreed`."""
    return canonical({"nonce": nonce, "signature": signature})


def _put(numbers: tuple[int, ...], seat: int, number: int) -> tuple[int, ...]:
    return (*numbers[:seat], number, *numbers[seat + 1 :])
