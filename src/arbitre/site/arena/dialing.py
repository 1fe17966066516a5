"""Engines that call us: who listens for which engine, what each is asked, and what came back.

A **listener** is a program that reads the questions of an engine, under a name that it chose; its lines may be cut and come again
under that name. An engine is *present* while it has a listener. A match stays with one listener; one whose lines have all been
cut for two beats is gone, and its matches go on with another, or wait for whoever comes next. Several listeners share the matches
of their engine: the next one goes to who has fewest.

A **question** is what the referee says on a pipe (`transport.pipe`), under a number of its own that follows from the match: after
a cut, or when the house comes back, it is the same. It is told to every line of its listener that comes until it is answered; the
first answer counts, the same once more is no error, and the one for another engine's question is refused.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic, time_ns
from typing import Literal, TypeAlias

from arbitre.errors import ForbiddenError, LateError, QuotaError, StageError
from arbitre.referee.clock import elapsed
from arbitre.site.arena.seats import NOT_ASKED
from arbitre.transport.pipe import Expects, FromBot, read_answer

DIAL = "dial:"
"""What stands for the address of an engine that calls us."""

BEAT_SECONDS = 10.0
"""So often a line that has nothing to say says that it is still there."""
MISSED = 2
"""A listener without a line for so many beats is gone."""
RUNNER = "runner "
"""What the name of a runner's listener begins with: a machine that only plays what others lend, and comes back at once or not."""
RUNNER_MISSED = 1
"""A runner without a line for so many beats is gone."""
RUNNER_SECONDS = 12.0
"""So is one that has not asked for so long what is lent: its lines may look open when its machine has lost the network."""
MOST_HELD = 200
"""Matches that a listener says it holds, when it calls again."""
CLAIM_SECONDS = 1.0
"""So long a match waits, when the house has come back, for the listener who held it, before any other gets it."""
MOST_LISTENERS = 50
MOST_LINES = 200
"""Of one engine at a time."""
MOST_PAST = 20_000
"""Answered questions that are remembered, so that an answer may be sent twice."""

What: TypeAlias = Literal["hello", "opening", "ask", "end", "record"]


def dials(address: str) -> bool:
    """Tell whether an engine of this address calls us, instead of being called."""
    return address == DIAL


@dataclass(slots=True, eq=False)
class Question:
    """What an engine is asked, or in the end only told."""

    id: str
    engine: int
    match: str
    """The match and the seat: one program plays it from its beginning to its end."""
    what: What
    hello: str
    """The line that begins the match on a pipe, for a listener who does not know it."""
    text: str
    """The lines of the pipe."""
    due: Expects | None = None
    """What answers it; None: nothing does."""
    some: str = ""
    """Some legal move, drawn at random, where they cannot be listed."""
    past: Sequence[tuple[str, str]] = ()
    """What this seat saw and said before."""
    allowed: int | None = None
    """Milliseconds within which an answer counts."""
    number: int = 0
    """Rises with every telling; a listener says the last one that it has."""
    anew: bool = False
    """Whether its listener has not heard of the match before."""
    begun: float = field(default_factory=monotonic)
    line: str = ""
    """What was answered."""
    note: str = ""
    """What was said about the answer."""
    answer: "asyncio.Future[tuple[FromBot, float]]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    kept: "asyncio.Future[bool] | None" = None
    """Tells whether the answer has become durable, where somebody is told that it was accepted."""


@dataclass(slots=True, eq=False)
class _Listener:
    """A program that listens for an engine."""

    name: str
    lines: int = 0
    matches: set[str] = field(default_factory=set)
    woken: set["asyncio.Future[None]"] = field(default_factory=set)
    bell: asyncio.TimerHandle | None = None
    """Rings when it has been away for too long."""
    dismissed: bool = False

    def wake(self) -> None:
        woken, self.woken = self.woken, set()
        for one in woken:
            _ring(one)


class _Desk:
    """One engine: its listeners, the matches that they hold, the questions that are open."""

    def __init__(self) -> None:
        self.listeners: dict[str, _Listener] = {}
        self.holders: dict[str, _Listener] = {}
        self.open: dict[str, Question] = {}

    @property
    def lines(self) -> int:
        return sum(one.lines for one in self.listeners.values())

    def holder(self, question: Question) -> _Listener | None:
        """Return who is told a question, chosen now where nobody holds its match yet; None: nobody is there."""
        found = self.holders.get(question.match)
        there = [one for one in self.listeners.values() if one.lines]
        if found is None and there:
            found = min(there, key=lambda one: len(one.matches))
            found.matches.add(question.match)
            self.holders[question.match] = found
            question.anew = True
        return found

    def after(self, listener: _Listener, number: int) -> list[Question]:
        """Return what a listener is to be told behind a number."""
        mine = (one for one in self.open.values() if self.holders.get(one.match) is listener and one.number > number)
        return sorted(mine, key=lambda one: one.number)


class Dialing:
    """Everybody who calls us to play, and everything that they are asked."""

    def __init__(self, beat: float = BEAT_SECONDS) -> None:
        self.beat = beat
        self._desks: dict[int, _Desk] = {}
        self._past: OrderedDict[str, Question] = OrderedDict()
        self._number = 0
        self.ahead = 0.0
        """How many seconds the clock that numbers follow is ahead of ours: nodes that ask one engine follow the same."""
        self._arriving: dict[int, set[asyncio.Future[None]]] = {}
        self._runners: dict[str, asyncio.TimerHandle] = {}
        """Rings, for each runner by the name of its listeners, when it has not been seen for too long."""
        self._closed = False

    @property
    def absence(self) -> float:
        """Seconds after which whoever was not heard is gone."""
        return MISSED * self.beat

    # ── who is there ───────────────────────────────────────────────────────────────────────────────────────────────

    def present(self, engine: int) -> bool:
        """Tell whether somebody listens for an engine, or did a moment ago."""
        return engine in self._desks and bool(self._desks[engine].listeners)

    def listeners(self, engine: int) -> int:
        """Return how many listen for an engine."""
        return len(self._desks[engine].listeners) if engine in self._desks else 0

    def holder(self, engine: int, match: str) -> str:
        """Return the name of the listener that plays a match; empty where none does."""
        found = self._desks[engine].holders.get(match) if engine in self._desks else None
        return "" if found is None else found.name

    async def arrival(self, engine: int, match: str = "") -> None:
        """Return when somebody listens for an engine, or holds that match of it."""
        while not self.present(engine) or (match and match not in self._desks[engine].holders):
            woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            waiting = self._arriving.setdefault(engine, set())
            waiting.add(woken)
            try:
                await woken
            finally:
                waiting.discard(woken)

    async def listen(
        self, engine: int, name: str, after: int = 0, holds: Sequence[str] = ()
    ) -> AsyncGenerator[Question | None, None]:
        """Yield what a listener is asked behind a number, and None for every beat, until it is dismissed.

        Matches that it `holds`, and nobody else, stay its own: a house that comes back knows by that whose they were.
        """
        desk, listener = self._enter(engine, name, holds)
        try:
            while not listener.dismissed and not self._closed:
                if found := desk.after(listener, after):
                    after = found[-1].number
                    for one in found:
                        yield one
                elif not await self._changed(listener):
                    yield None
        finally:
            self._hang_up(engine, desk, listener)

    async def _changed(self, listener: _Listener) -> bool:
        """Tell whether there is something new within a beat."""
        loop = asyncio.get_running_loop()
        woken: asyncio.Future[None] = loop.create_future()
        listener.woken.add(woken)
        bell = loop.call_later(self.beat, _ring, woken)
        try:
            await woken
            return woken not in listener.woken
        finally:
            bell.cancel()
            listener.woken.discard(woken)

    def check_room(self, engine: int, name: str) -> None:
        """Refuse one more who listens for an engine where many do."""
        desk = self._desks.get(engine)
        if desk is None:
            return
        if desk.lines >= MOST_LINES or (name not in desk.listeners and len(desk.listeners) >= MOST_LISTENERS):
            raise QuotaError("%(most)s are the most who listen for one engine", most=MOST_LISTENERS)

    def _enter(self, engine: int, name: str, holds: Sequence[str] = ()) -> tuple[_Desk, _Listener]:
        self.check_room(engine, name)
        desk = self._desks.setdefault(engine, _Desk())
        listener = desk.listeners.setdefault(name, _Listener(name))
        listener.lines += 1
        for match in holds:
            if match not in desk.holders and len(listener.matches) < MOST_HELD:
                desk.holders[match] = listener
                listener.matches.add(match)
        if listener.bell is not None:
            listener.bell.cancel()
            listener.bell = None
        for one in desk.open.values():
            if one.match not in desk.holders:
                self._tell(desk, one)
        for waiting in self._arriving.pop(engine, ()):
            _ring(waiting)
        return desk, listener

    def _hang_up(self, engine: int, desk: _Desk, listener: _Listener) -> None:
        listener.lines -= 1
        if not listener.lines and not listener.dismissed and not self._closed:
            loop = asyncio.get_running_loop()
            missed = RUNNER_MISSED if listener.name.startswith(RUNNER) else MISSED
            listener.bell = loop.call_later(missed * self.beat, self._gone, engine, desk, listener)

    def _gone(self, engine: int, desk: _Desk, listener: _Listener) -> None:
        """Hand the matches of a listener over: it has missed too many beats."""
        if desk.listeners.get(listener.name) is listener:
            del desk.listeners[listener.name]
        for match in listener.matches:
            desk.holders.pop(match, None)
        for one in desk.open.values():
            if one.match in listener.matches:
                self._tell(desk, one)
        self._tidy(engine, desk)

    def dismiss(self, engine: int, name: str | None = None) -> None:
        """Hang up on whoever listens for an engine, for its token is good no more, or on one who wishes to go."""
        self._dismiss(engine, lambda one: name in (None, one.name))

    def dismiss_runners(self, engine: int) -> None:
        """Hang up on the runners that listen for an engine, for its source is lent no more."""
        self._dismiss(engine, lambda one: one.name.startswith(RUNNER))

    def runner_seen(self, name: str) -> None:
        """Take down that a runner is there; where it is not seen again in time, its matches go on with others."""
        if (bell := self._runners.pop(name, None)) is not None:
            bell.cancel()
        self._runners[name] = asyncio.get_running_loop().call_later(RUNNER_SECONDS, self._runner_gone, name)

    def _runner_gone(self, name: str) -> None:
        del self._runners[name]
        for engine in list(self._desks):
            self.dismiss(engine, name)

    def _dismiss(self, engine: int, which: Callable[[_Listener], bool]) -> None:
        desk = self._desks.get(engine)
        if desk is None:
            return
        for one in [one for one in desk.listeners.values() if which(one)]:
            one.dismissed = True
            one.wake()
            if one.bell is not None:
                one.bell.cancel()
            self._gone(engine, desk, one)

    def close(self) -> None:
        """Let everybody go: the house closes."""
        self._closed = True
        for bell in self._runners.values():
            bell.cancel()
        for desk in self._desks.values():
            for one in desk.listeners.values():
                one.wake()
                if one.bell is not None:
                    one.bell.cancel()

    # ── what is asked ──────────────────────────────────────────────────────────────────────────────────────────────

    def put(self, question: Question) -> None:
        """Ask a question, or tell something: whoever holds the match hears it, now or when it comes."""
        desk = self._desks.setdefault(question.engine, _Desk())
        desk.open[question.id] = question
        self._tell(desk, question)

    def _tell(self, desk: _Desk, question: Question) -> None:
        # it follows a clock: what is told later, by another node or when the house comes back, has a greater number
        self._number = max(self._number + 1, time_ns() // 1_000 + int(self.ahead * 1e6))
        question.number = self._number
        if (listener := desk.holder(question)) is not None:
            listener.wake()

    def withdraw(self, question: Question) -> None:
        """Ask a question no more."""
        desk = self._desks.get(question.engine)
        if desk is not None:
            desk.open.pop(question.id, None)
            self._tidy(question.engine, desk)

    def part(self, engine: int, match: str) -> None:
        """Forget who holds a match that is over, when its end has been told for long enough."""
        asyncio.get_running_loop().call_later(self.absence, self._forget, engine, match)

    def _forget(self, engine: int, match: str) -> None:
        desk = self._desks.get(engine)
        if desk is None:
            return
        for one in [one for one in desk.open.values() if one.match == match]:
            del desk.open[one.id]
        if (holder := desk.holders.pop(match, None)) is not None:
            holder.matches.discard(match)
        self._tidy(engine, desk)

    def _tidy(self, engine: int, desk: _Desk) -> None:
        if not desk.listeners and not desk.open and not desk.holders and self._desks.get(engine) is desk:
            del self._desks[engine]

    def answer(self, engine: int, number: str, line: str, note: str = "") -> Question:
        """Take an answer and what is said about it, and return its question; sent again, the first note counts.

        `ForbiddenError` for another engine's, `ProtocolError` for what is no line of a bot, `LateError` where it is not asked
        for any more, `StageError` where something else was answered before.
        """
        arrived = monotonic()
        desk = self._desks.get(engine)
        found = None if desk is None else desk.open.get(number)
        found = found or self._past.get(number) or self._elsewhere(number)
        if found is None or found.due is None:
            raise LateError(NOT_ASKED)
        if found.engine != engine:
            raise ForbiddenError("this question was put to another engine")
        if found.line:
            if found.line != line:
                raise StageError("this question was answered before, and otherwise")
            return found
        said = read_answer(line, found.due)
        if found.answer.done() or (found.allowed is not None and elapsed(arrived - found.begun) > found.allowed):
            raise LateError(NOT_ASKED)
        found.line, found.note = line, note
        found.answer.set_result((said, arrived))
        self.withdraw(found)
        self._past[number] = found
        while len(self._past) > MOST_PAST:
            self._past.popitem(last=False)
        return found

    def _elsewhere(self, number: str) -> Question | None:
        return next((desk.open[number] for desk in self._desks.values() if number in desk.open), None)


def _ring(woken: "asyncio.Future[None]") -> None:
    if not woken.done():
        woken.set_result(None)
