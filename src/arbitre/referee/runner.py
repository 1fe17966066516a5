"""Runs a match: asks the players, keeps the time, writes the record, and lets `Match` judge.

Times in a record are *match time*: milliseconds of the players' own time since the call, from the moment a question leaves to the
moment its answer arrives. What the referee needs for itself, to write to disk or to come back after a crash, is on nobody's
clock. Without a clock no times are recorded, so the record of deterministic players is the same to the last octet each time.

Nothing is said to anybody outside before it is durable: the journal confirms first. That an answer was accepted is one of these
things, where somebody is told so (`Player.kept`).
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeAlias, TypeVar

from arbitre.crypto.chain import salt
from arbitre.crypto.keys import Key
from arbitre.crypto.statements import SeatState, Statement
from arbitre.errors import HouseError, PlayerError, PlayerGarbledError, PlayerLateError, PlayerLeftError
from arbitre.games.game import Awaits, Seat
from arbitre.games.player import Position
from arbitre.reasons import Reason, declare
from arbitre.records.event import NOBODY, Event, Kind, clean, noted, read_reason, write_reason
from arbitre.records.record import Chain, Record, Seal, Word, unspoken
from arbitre.referee.clock import elapsed
from arbitre.referee.limit import within
from arbitre.referee.match import Match, MatchStage, MatchState, Question, write_agreed
from arbitre.referee.player import Decline, Player, SignedOpening
from arbitre.referee.terms import Opening
from arbitre.referee.verdict import Verdict

T = TypeVar("T")

Step: TypeAlias = tuple[Event, tuple[Event, ...], MatchState]
"""An input that was recorded, what followed from it, and how the match stood then."""

END_SECONDS = 2.0
"""How long a player is given to hear the verdict, and to sign."""

CHECK_SECONDS = 0.001
"""How much longer a player has to sign, for each event of the record: it reads all of it."""

MOST_SILENCES = 3
"""Whoever was silent so often, instead of signing, is not asked again at the same table or tournament."""

REASONS = declare(
    {
        "not-ready": ("not ready within %(seconds)s seconds", "pas prêt en %(seconds)s secondes"),
        "nobody-came": ("none of the players came; of the first: %(why)s", "aucun joueur n’est venu ; du premier : %(why)s"),
        "opening-unanswered": ("no agreement within %(seconds)s seconds", "pas d’accord en %(seconds)s secondes"),
        "seat-not-come": (
            "seat %(seat)s did not come to agree within %(seconds)s seconds",
            "la place %(seat)s n’est pas venue donner son accord en %(seconds)s secondes",
        ),
        "nonce-withheld": ("an agreement was due and is not given", "un accord est dû et n’est pas donné"),
    }
)

ANSWERS = frozenset({Kind.SAID, Kind.RESIGNED, Kind.SETTLED})
"""Inputs with which a question is answered."""
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


class MatchJournal(Journal, Protocol):
    """The journal of a match that may be decided before its record is sealed."""

    def decide(self, verdict: str) -> None:
        """Take down the verdict of a match whose record is sealed later, when its event is over."""


class Memory:
    """A journal that keeps the record in memory."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.sealed: Seal | None = None

    def write(self, events: Sequence[Event], lines: Sequence[str]) -> None:  # noqa: ARG002 - a record writes its own lines
        """Take down one transition."""
        self.events += events

    def decide(self, verdict: str) -> None:
        """Take down nothing more: the events hold the verdict."""

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

    def __init__(
        self, match: Match, players: Sequence[Player], journal: MatchJournal, key: Key, silences: "Counter[str] | None" = None
    ) -> None:
        if match.opening.referee != key.public.hex():
            raise HouseError("the opening names another referee than the one who holds the key")
        self.match = match
        self.players = players
        self.journal = journal
        self.key = key
        self.chain = Chain(match.seed)
        self.affairs: MatchState
        self._silences = Counter() if silences is None else silences
        """How often the holder of a key was silent when it was to sign."""
        self._heads: dict[int, bytes] = {}
        """The head behind each seat's last question."""
        self._lines: list[str] | None = [] if match.keyed else None
        """The whole record so far, where somebody is to sign it."""
        self._refused: dict[int, Reason] = {}
        self._offering: set[Seat] = set()
        """Whose answer, not heard yet, comes with the offer of a draw."""
        self._notes: dict[int, str] = {}
        """What was said about answers that are not heard yet."""
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

    async def seal(self, past: Sequence[Step]) -> None:
        """Hand over, let sign and seal the record of a match that is decided: its event is over."""
        try:
            await self._sit()
            self._recall(past)
            await self._seal(await self._announce())
        finally:
            await self._everybody(lambda _, player: player.leave())

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

    async def offer(self, seat: int) -> None:
        """Hear that a player would take a draw, whoever is being asked; nobody is asked again, unless the match is over."""
        kind = self.match.drawing(self.affairs, seat)
        if self.affairs.stage is not MatchStage.PLAY or kind is None:
            return
        if kind is Kind.SETTLED:
            self.interrupt(kind, seat)
            return
        turn = self.affairs.phase.turn if isinstance(self.affairs.phase, Awaits) else 0
        await self._hear(Event(kind, self._latest(), seat, turn, ""))

    async def _course(self) -> None:
        try:
            while self.affairs.stage in (MatchStage.OPENING, MatchStage.PLAY):
                step = self._round() if self.affairs.stage is MatchStage.PLAY else self._agreements()
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
            self._fold((event, *outputs), [one.line() for one in (event, *outputs)])
            self.affairs = affairs

    async def _agreements(self) -> None:
        """Show the opening, signed, to all who have a key or promised a nonce, and hear what each says to it."""
        line = Event(Kind.OPENED, 0, NOBODY, 0, self.match.opening.text()).line()
        signature = self.match.called.sign(self.key, Statement.CALLED)
        shown = SignedOpening(line, salt(self.match.seed, 0), signature)
        due = sorted(self.match.agreeing - self.affairs.agreed.keys())
        if any(self.players[seat].confirms for seat in due):
            await self._durable()  # a page signs this opening, and must find the same one after a crash
        for event in await asyncio.gather(*(self._agreement(Seat(seat), shown) for seat in due)):
            if self.affairs.stage is MatchStage.OPENING:
                await self._hear(event)

    async def _agreement(self, seat: Seat, shown: SignedOpening) -> Event:
        """Return the input that follows from showing the opening to one player."""
        player = self.players[seat]
        seconds = f"{player.agreeing:g}"
        try:
            async with asyncio.timeout(player.agreeing):
                said = await player.agree(shown)
        except TimeoutError:
            if player.excused:
                return Event(Kind.DECLINED, 0, NOBODY, 0, write_reason(Reason("seat-not-come", seat=seat + 1, seconds=seconds)))
            return Event(Kind.LEFT, 0, seat, 0, write_reason(Reason("opening-unanswered", seconds=seconds)))
        except PlayerError as error:
            return _fault(error, 0, seat, 0)
        if isinstance(said, Decline):
            return Event(Kind.DECLINED, 0, seat, 0, said.code)
        return Event(Kind.AGREED, 0, seat, 0, write_agreed(*said))

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
                event = await self._ask(seat, question)
                await (self._answered(event) if self._notes or self._offering else self._hear(event))

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
                        await self._answered(event)
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
        refused = self._refused.pop(seat, None)
        head = self._heads[seat].hex()
        offered = bool(self.affairs.offers and self.affairs.offers - {seat})
        position = Position(match.game, match.notation, seat, turn, question.view, left, refused, head, question.text, offered)
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
        if answer.note:
            self._notes[seat] = noted(answer.note)
        if answer.takes or answer.offers:
            if not match.game.offers or (answer.takes and not self.affairs.offers - {seat}):
                return _fault(PlayerGarbledError("no-draw-offered" if match.game.offers else "no-offers"), at, seat, turn)
            if answer.takes:
                return Event(Kind.SETTLED, at, seat, turn, "")
            self._offering.add(seat)
        if not answer.resigns:
            return Event(Kind.SAID, at, seat, turn, clean(answer.text))
        return Event(Kind.RESIGNED, at, seat, turn, write_reason(answer.why or answer.text) if answer.why or answer.text else "")

    async def _answered(self, event: Event) -> None:
        """Hear an answer, and before it what came with it: a note, an offer; where another offers a draw too it is over."""
        if (note := self._notes.pop(event.seat, "")) and event.kind in ANSWERS:
            await self._hear(Event(Kind.NOTED, event.at, event.seat, event.turn, note))
        if event.seat in self._offering and event.kind is Kind.SAID:
            self._offering.discard(Seat(event.seat))
            if (kind := self.match.drawing(self.affairs, event.seat)) is not None:
                await self._hear(Event(kind, event.at, event.seat, event.turn, ""))
        if self.affairs.stage is MatchStage.PLAY:
            await self._hear(event)

    async def _hear(self, event: Event) -> None:
        event, self.affairs, outputs = self.match.take(self.affairs, event)
        for output in outputs:
            if output.kind is Kind.REFUSED:
                self._refused[output.seat] = read_reason(output.text)
        if event.kind is Kind.SAID and (speaker := self.players[event.seat]).confirms:
            self._unkept.append(speaker)
        await self._keep((event, *outputs), seen=event.kind is not Kind.NOTED)

    def _is_late(self, tick: Event, seat: Seat) -> bool:
        question = self.affairs.questions.get(seat)
        return question is not None and tick.at - question.asked > question.left

    async def _keep(self, events: tuple[Event, ...], *, seen: bool = True) -> None:
        """Write one transition, and wait until it is durable if anybody outside is about to see its effect."""
        lines = [event.line() for event in events]
        self._fold(events, lines)
        self.journal.write(events, lines)
        if seen and (self._unkept or any(self.players[seat].outside for seat in self.affairs.questions)):
            await self._durable()

    def _fold(self, events: Sequence[Event], lines: list[str]) -> None:
        """Fold events into the chain, and remember the head behind each question."""
        for event, head in zip(events, self.chain.extend(lines)):  # noqa: B905 - every ply comes here
            if event.kind is Kind.ASKED:
                self._heads[event.seat] = head
        if self._lines is not None:
            self._lines += lines

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
        if words and self.affairs.stage in (MatchStage.OPENING, MatchStage.PLAY):
            turn = self.affairs.phase.turn if isinstance(self.affairs.phase, Awaits) else 0
            await self._hear(words[0]._replace(at=self._latest(), turn=turn))
        words.clear()

    # ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _close(self) -> None:
        """Announce the verdict, and seal the record at once, unless it is kept until the event is over."""
        verdict = await self._announce()
        if not self.match.opening.after:
            await self._seal(verdict)
            return
        self.journal.decide(verdict.text())
        await self.journal.durable()

    async def _announce(self) -> Verdict:
        """Announce the verdict when it is durable, and let the players acknowledge it."""
        verdict = self.affairs.verdict
        if verdict is None:
            raise HouseError("the match stopped without a verdict")
        if any(player.outside for player in self.players):
            await self._durable()
        await self._everybody(lambda seat, player: _briefly(player, lambda: player.end(verdict, seat)))
        for seat in sorted(self.affairs.unacknowledged):
            await self._hear(Event(Kind.ACKNOWLEDGED, 0, seat, 0, ""))
        return verdict

    async def _seal(self, verdict: Verdict) -> None:
        """Let the players sign, and seal the record."""
        seal = self.chain.seal(self.key, self.match.opening.keys, await self._words_of_seats())
        self.journal.seal(seal, verdict.text())
        await self.journal.durable()

    async def _words_of_seats(self) -> Sequence[Word] | None:
        """Hand the record over to the seats with a key, and return what each says of it; None where nobody has one."""
        lines, keys, subject = self._lines, self.match.opening.keys, self.chain.subject
        if lines is None:
            return None
        seconds = END_SECONDS + CHECK_SECONDS * len(lines)

        async def ask(seat: Seat, player: Player) -> str | Decline | None:
            if not keys[seat] or self._silences[keys[seat]] >= MOST_SILENCES:
                return None
            return await _briefly(player, lambda: player.sign(lines), seconds)

        words = list(unspoken(keys))
        for seat, said in enumerate(await self._everybody(ask)):
            if isinstance(said, str):
                word = Word(SeatState.SIGNED, said)
            elif isinstance(said, Decline):
                word = Word(SeatState.DECLINED, said.signature, said.code)
            else:
                word = words[seat]
            if word.holds(subject, seat, keys[seat]):
                words[seat] = word
            if words[seat].state is SeatState.SILENT:
                self._silences[keys[seat]] += 1
        return words

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
            found = await asyncio.gather(*(player.greet(opening, Seat(seat)) for seat, player in enumerate(players)))
        else:
            found = [await player.greet(opening, Seat(seat)) for seat, player in enumerate(players)]
    except BaseException:
        await asyncio.gather(*(player.leave() for player in players), return_exceptions=True)
        raise
    if not any(any(one) for one in found):
        return opening
    chairs = tuple(replace(chair, key=one.key) for chair, one in zip(opening.chairs, found, strict=True))
    promises = {seat: one.promise for seat, one in enumerate(found) if one.promise}
    return replace(opening, chairs=chairs, promises=promises or None)


async def _briefly(player: Player, farewell: Callable[[], Awaitable[T]], seconds: float = END_SECONDS) -> T:
    """Return what a player says at the end; asked only when this runs: whoever is cancelled before has asked nothing."""
    if player.prompt:
        return await farewell()
    async with asyncio.timeout(seconds):
        return await farewell()
    raise AssertionError("unreachable")


def _fault(error: PlayerError, at: int, seat: int, turn: int) -> Event:
    kind = next((kind for fault, kind in FAULTS.items() if isinstance(error, fault)), Kind.LEFT)
    return Event(kind, at, seat, turn, write_reason(error))
