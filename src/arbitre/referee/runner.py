"""Runs a match: asks the players, keeps the time, writes the record, and lets `Match` judge.

Times in a record are *match time*: milliseconds of the players' own time since the call, from the moment a question leaves to the
moment its answer arrives. What the referee needs for itself, to write to disk or to come back after a crash, is on nobody's
clock. Without a clock no times are recorded, so the record of deterministic players is the same to the last octet each time.

Nothing is said to anybody outside before it is durable: the journal confirms first. That an answer was accepted is one of these
things, where somebody is told so (`Player.kept`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeAlias, TypeVar

from arbitre.crypto.keys import Key
from arbitre.errors import HouseError, PlayerError, PlayerGarbledError, PlayerLateError, PlayerLeftError
from arbitre.games.game import Awaits, Seat
from arbitre.games.player import Position
from arbitre.reasons import Reason, declare
from arbitre.records.event import NOBODY, Event, Kind, clean, read_reason, write_reason
from arbitre.records.record import Chain, Record, Seal, Signature, seal_message, signs
from arbitre.referee.clock import elapsed
from arbitre.referee.limit import within
from arbitre.referee.match import Match, MatchStage, MatchState, Question
from arbitre.referee.player import Player
from arbitre.referee.terms import Opening

T = TypeVar("T")

Step: TypeAlias = tuple[Event, tuple[Event, ...], MatchState]
"""An input that was recorded, what followed from it, and how the match stood then."""

NONCE_SECONDS = 20.0
"""How long a player may take to open its nonce, on nobody's clock."""

END_SECONDS = 2.0
"""How long a player is given to hear the verdict, and to sign."""


REASONS = declare(
    {
        "not-ready": ("not ready within %(seconds)s seconds", "pas prêt en %(seconds)s secondes"),
        "nobody-came": ("none of the players came; of the first: %(why)s", "aucun joueur n’est venu ; du premier : %(why)s"),
        "no-nonce": ("no nonce within %(seconds)s seconds", "pas de nombre en %(seconds)s secondes"),
        "nonce-withheld": ("a nonce was promised and is not given", "un nombre fut promis et n’est pas donné"),
    }
)

FAULTS: dict[type[PlayerError], Kind] = {PlayerGarbledError: Kind.GARBLED, PlayerLateError: Kind.TICKED}
"""Inputs that follow from what a player does wrong; whatever else it is, the player is gone."""


class Journal(Protocol):
    """Where the events of one match are kept."""

    def write(self, events: Sequence[Event], lines: Sequence[str]) -> None:
        """Take down one transition; `lines` are its events in canonical form."""

    def seal(self, seal: Seal, verdict: str) -> None:
        """Take down the end of the record."""

    async def durable(self) -> None:
        """Return when everything taken down is safe."""


class Memory:
    """A journal that keeps the record in memory."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.sealed: Seal | None = None

    def write(self, events: Sequence[Event], lines: Sequence[str]) -> None:  # noqa: ARG002 - a record writes its own lines
        """Take down one transition."""
        self.events += events

    def seal(self, seal: Seal, verdict: str) -> None:  # noqa: ARG002 - the events hold the verdict
        """Take down the end of the record."""
        self.sealed = seal

    async def durable(self) -> None:
        """Memory is as safe as it gets."""

    def record(self) -> Record:
        """Return what was taken down."""
        return Record(tuple(self.events), self.sealed)


class MatchRunner:
    """One match being played."""

    def __init__(self, match: Match, players: Sequence[Player], journal: Journal, key: Key) -> None:
        self.match = match
        self.players = players
        self.journal = journal
        self.key = key
        self.chain = Chain(match.seed)
        self.affairs: MatchState
        self._refused: dict[int, Reason] = {}
        self._unkept: list[Player] = []
        """Players who are to be told when their last answer is durable, and are not yet."""
        self._words: list[Event] | None = None
        """What is said out of turn and ends the match, where somebody may say it (`interrupt`)."""
        self._stepping: asyncio.Task[Any] | None = None
        """Who asks and hears players, while somebody does."""

    async def play(self, past: Sequence[Step] = ()) -> MatchState:
        """Play to the end, from the call or on from what is recorded (`verify.steps`), and return how the match stands then."""
        try:
            faults = await self._sit()
            await self._call(past)
            for fault in faults:
                if self.affairs.verdict is None:
                    await self._hear(fault._replace(at=self._latest()))
            await self._course()
            await self._close()
        finally:
            await self._everybody(lambda _, player: player.leave())
        return self.affairs

    def interruptible(self) -> None:
        """Let people give up, and the house stop the match, while somebody else is being asked."""
        self._words = []

    def interrupt(self, kind: Kind, seat: int, why: Reason | None = None) -> None:
        """Hear a resignation, or that the house gives the match up, at once, whoever is being asked."""
        if self._words is None:
            raise HouseError("nobody may speak out of turn at this table")
        self._words.append(Event(kind, 0, seat, 0, "" if why is None else write_reason(why)))
        if self._stepping is not None and len(self._words) == 1:
            self._stepping.cancel()

    async def _course(self) -> None:
        try:
            while self.affairs.stage in (MatchStage.NONCES, MatchStage.PLAY):
                step = self._round() if self.affairs.stage is MatchStage.PLAY else self._nonces()
                await (step if self._words is None else self._unless(self._words, step))
        except HouseError as error:
            await self._hear(Event(Kind.ABANDONED, self._latest(), NOBODY, 0, write_reason(error)))

    # ── before play ────────────────────────────────────────────────────────────────────────────────────────────────

    async def _sit(self) -> list[Event]:
        """Let everybody take a seat; return what went wrong with whom."""

        async def sit(seat: Seat, player: Player) -> None:
            if player.prompt:
                await player.sit(self.match.opening, seat)
                return
            try:
                async with asyncio.timeout(player.patience):
                    await player.sit(self.match.opening, seat)
            except TimeoutError:
                raise PlayerLeftError("not-ready", seconds=f"{player.patience:g}") from None

        results = await self._everybody(sit)
        faults = []
        for seat, result in enumerate(results):
            if isinstance(result, PlayerError):
                faults.append(_fault(result, 0, seat, 0))
            elif isinstance(result, BaseException):
                raise result
        if len(faults) == len(self.players):
            return [Event(Kind.LEFT, 0, NOBODY, 0, write_reason(Reason("nobody-came", why=read_reason(faults[0].text))))]
        return faults

    async def _call(self, past: Sequence[Step]) -> None:
        if not past:
            self.affairs, outputs = self.match.open()
            await self._keep(outputs)
            return
        self._recall(past)
        if self.affairs.stage is not MatchStage.CLOSED:
            event, outputs, _ = past[-1]
            await self._hear(Event(Kind.RESUMED, (event, *outputs)[-1].at, NOBODY, 0, ""))

    def _recall(self, past: Sequence[Step]) -> None:
        """Tell the players what they were asked and said before, so that they go on as if nothing had happened."""
        match = self.match
        for event, outputs, affairs in past:
            if event.kind is Kind.SAID:
                seat = Seat(event.seat)
                self._refused.pop(seat, None)
                asked = self.affairs.questions[seat]
                left = asked.left if match.clock.runs else None
                self.players[seat].recall(Position(match.game, match.notation, seat, event.turn, asked.view, left), event.text)
            self._refused.update((one.seat, read_reason(one.text)) for one in outputs if one.kind is Kind.REFUSED)
            self.chain.add((event, *outputs))
            self.affairs = affairs

    async def _nonces(self) -> None:
        for seat in sorted(set(self.match.opening.promises or {}) - set(self.affairs.nonces)):
            try:
                async with asyncio.timeout(NONCE_SECONDS):
                    event = Event(Kind.NONCE, 0, seat, 0, clean(await self.players[seat].nonce()))
            except TimeoutError:
                event = Event(Kind.LEFT, 0, seat, 0, write_reason(Reason("no-nonce", seconds=f"{NONCE_SECONDS:g}")))
            except PlayerError as error:
                event = _fault(error, 0, seat, 0)
            await self._hear(event)
            if self.affairs.stage is not MatchStage.NONCES:
                return

    # ── play ───────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _round(self) -> None:
        """Ask everybody who is waited for, and hear them as they answer."""
        questions = self.affairs.questions
        together = len(questions) > 1 and (self.match.clock.runs or any(self.players[seat].outside for seat in questions))
        if together:
            await self._together()
            return
        for seat, question in questions.items():
            if self.affairs.stage is MatchStage.PLAY and seat in self.affairs.questions:
                await self._hear(await self._ask(seat, question))

    async def _together(self) -> None:
        """Play one turn in which several speak at once: whoever was refused is asked again while the others still think.

        The clock is looked at when nobody whose time is up is still being heard: what one of them said in time may be on its way.
        """
        phase = self.affairs.phase
        thinking: dict[asyncio.Task[Event], Seat] = {}
        tick: Event | None = None
        late: set[Seat] = set()
        try:
            while self.affairs.stage is MatchStage.PLAY and self.affairs.phase is phase:
                for seat in sorted(self.affairs.questions.keys() - late - set(thinking.values())):
                    thinking[asyncio.ensure_future(self._ask(seat, self.affairs.questions[seat]))] = seat
                done, _ = await asyncio.wait(thinking, return_when=asyncio.FIRST_COMPLETED)
                heard = {thinking.pop(task): task.result() for task in done}
                for seat, event in sorted(heard.items(), key=lambda one: (one[1].at, one[0])):
                    if event.kind is Kind.TICKED and event.seat == NOBODY:
                        tick = event if tick is None or event.at > tick.at else tick
                        late.add(seat)
                    elif self.affairs.stage is MatchStage.PLAY:
                        await self._hear(event)
                over = self.affairs.stage is not MatchStage.PLAY
                if tick is not None and not over and not any(self._is_late(tick, seat) for seat in thinking.values()):
                    await self._hear(tick if len(late) == 1 else tick._replace(text=""))  # what is known of one is not of all
                    tick = None
        finally:
            for task in thinking:
                task.cancel()
            await asyncio.gather(*thinking, return_exceptions=True)

    async def _ask(self, seat: Seat, question: Question) -> Event:
        """Return the input that follows from asking one player."""
        match, phase = self.match, self.affairs.phase
        turn = phase.turn if isinstance(phase, Awaits) else 0
        runs = match.clock.runs
        left = question.left if runs else None
        position = Position(match.game, match.notation, seat, turn, question.view, left, self._refused.pop(seat, None))
        player = self.players[seat]
        try:
            await player.ready()
            if left is None:
                answer = await player.ask(position)
            else:
                answer = await within(left, player.ask(position), player.expire)
        except TimeoutError:
            silence = player.silence()
            why = "" if silence is None else write_reason(silence)
            return Event(Kind.TICKED, question.asked + question.left + 1, NOBODY, turn, why)
        except PlayerError as error:
            spent = error.limit + 1 if runs and isinstance(error, PlayerLateError) else 0
            return _fault(error, question.asked + spent, seat, turn)
        at = question.asked + (elapsed(answer.spent) if runs else 0)
        if not answer.resigns:
            return Event(Kind.SAID, at, seat, turn, clean(answer.text))
        return Event(Kind.RESIGNED, at, seat, turn, write_reason(answer.text) if answer.text else "")

    async def _hear(self, event: Event) -> None:
        self.affairs, outputs = self.match.hear(self.affairs, event)
        for output in outputs:
            if output.kind is Kind.REFUSED:
                self._refused[output.seat] = read_reason(output.text)
        if event.kind is Kind.SAID and (speaker := self.players[event.seat]).confirms:
            self._unkept.append(speaker)
        await self._keep((event, *outputs))

    def _is_late(self, tick: Event, seat: Seat) -> bool:
        question = self.affairs.questions.get(seat)
        return question is not None and tick.at - question.asked > question.left

    async def _keep(self, events: tuple[Event, ...]) -> None:
        """Write one transition, and wait until it is durable if anybody outside is about to see its effect."""
        lines = [event.line() for event in events]
        self.chain.extend(lines)
        self.journal.write(events, lines)
        if self._unkept or any(self.players[seat].outside for seat in self.affairs.questions):
            await self._durable()

    async def _durable(self) -> None:
        """Wait until everything that was written is durable, and let those know who said something of it."""
        await self.journal.durable()
        unkept, self._unkept = self._unkept, []
        for player in unkept:
            player.kept()

    def _latest(self) -> int:
        return max((asked.asked for asked in self.affairs.questions.values()), default=0)

    async def _unless(self, words: list[Event], step: Coroutine[Any, Any, None]) -> None:
        """Go one step, unless somebody speaks out of turn: then whoever is asked need not answer any more."""
        if words:
            step.close()
        else:
            ours = self._stepping = asyncio.current_task()
            try:
                await step
            except asyncio.CancelledError:
                if not words or ours is None or ours.cancelling() > 1:
                    raise  # the match itself is called off
            finally:
                self._stepping = None
                if words and ours is not None:
                    ours.uncancel()  # also where the step came to its end or to grief all the same
        if words and self.affairs.stage in (MatchStage.NONCES, MatchStage.PLAY):
            turn = self.affairs.phase.turn if isinstance(self.affairs.phase, Awaits) else 0
            await self._hear(words[0]._replace(at=self._latest(), turn=turn))
        words.clear()

    # ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _close(self) -> None:
        """Announce the verdict when it is durable, let the players acknowledge and sign, and seal the record."""
        verdict = self.affairs.verdict
        if verdict is None:
            raise HouseError("the match stopped without a verdict")
        if any(player.outside for player in self.players):
            await self._durable()
        await self._everybody(lambda seat, player: _briefly(player, lambda: player.end(verdict, seat)))
        for seat in sorted(self.affairs.unacknowledged):
            await self._hear(Event(Kind.ACKNOWLEDGED, 0, seat, 0, ""))
        message = seal_message(self.chain.count, self.chain.head)
        given = await self._everybody(lambda _, player: _briefly(player, lambda: player.sign(message)))
        chairs = self.match.opening.chairs
        players = [
            signature
            for seat, one in enumerate(given)
            if isinstance(one, tuple) and one[0] == chairs[seat].key and signs(signature := Signature(seat, *one), message)
        ]
        self.journal.seal(self.chain.seal(self.key, players), verdict.text())
        await self.journal.durable()

    async def _everybody(self, say: Callable[[Seat, Player], Awaitable[object]]) -> list[object]:
        """Say something to every player and return what each answers or raises: nobody's failure is another's.

        Those who may keep us waiting are spoken to at the same time; the others one after the other, which costs no tasks.
        """
        answers: list[object] = [None] * len(self.players)
        waited = [Seat(seat) for seat, player in enumerate(self.players) if player.outside and not player.prompt]
        for seat, player in enumerate(self.players):
            if seat not in waited:
                try:
                    answers[seat] = await say(Seat(seat), player)
                except Exception as error:
                    answers[seat] = error
        if waited:
            found = await asyncio.gather(*(say(seat, self.players[seat]) for seat in waited), return_exceptions=True)
            for seat, answer in zip(waited, found, strict=True):
                answers[seat] = answer
        return answers


async def greeted(opening: Opening, players: Sequence[Player]) -> Opening:
    """Let the players come to the table, and return the opening with the keys and promises that they bring."""
    try:
        if any(player.outside and not player.prompt for player in players):
            found = await asyncio.gather(*(player.greet(opening.game, Seat(seat)) for seat, player in enumerate(players)))
        else:
            found = [await player.greet(opening.game, Seat(seat)) for seat, player in enumerate(players)]
    except BaseException:
        await asyncio.gather(*(player.leave() for player in players), return_exceptions=True)
        raise
    if not any(any(one) for one in found):
        return opening
    chairs = tuple(replace(chair, key=one.key) for chair, one in zip(opening.chairs, found, strict=True))
    promises = {seat: one.promise for seat, one in enumerate(found) if one.promise}
    return replace(opening, chairs=chairs, promises=promises or None)


async def _briefly(player: Player, farewell: Callable[[], Awaitable[T]]) -> T:
    """Return what a player says at the end; asked only when this runs: whoever is cancelled before has asked nothing."""
    if player.prompt:
        return await farewell()
    async with asyncio.timeout(END_SECONDS):
        return await farewell()
    raise AssertionError("unreachable")


def _fault(error: PlayerError, at: int, seat: int, turn: int) -> Event:
    kind = next((kind for fault, kind in FAULTS.items() if isinstance(error, fault)), Kind.LEFT)
    return Event(kind, at, seat, turn, write_reason(error))
