"""Matches that other nodes see to, as their logs show them: who only watches may watch anywhere.

A **mirror** is a match that is read and never played. Its transitions are read from the database as they are committed and
judged again by the same match, so an eye sees the same scenes under the same numbers as where it is played, and secrets pass the
same gate. The node that plays it hints after each commit that there is more (`records.hints`); a read every second repairs what
was not heard. When the match is taken over from a node that died a mirror just goes on.

One thing is not in the log: when a question was asked, which the clock on a page counts from. It is asked of the node that plays,
by a hint, where a clock runs; where no answer comes the match is not mirrored, and whoever watches is led to that node.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from logging import getLogger
from time import monotonic

from arbitre.errors import ArbitreError, RecordError, UnknownRecordError
from arbitre.records.event import Event, read_event
from arbitre.records.store import Store
from arbitre.referee.match import Match, MatchStage
from arbitre.referee.scenes import moment_of
from arbitre.referee.terms import read_opening
from arbitre.site.arena.live import Live
from arbitre.site.arena.matches import ArenaMatch, ArenaMatches

LOG = getLogger("arbitre.nodes")

READ_SECONDS = 1.0
"""How often everything that is mirrored is read, whatever was hinted."""
KEPT_SECONDS = 30.0
"""How long a mirror is kept that nobody looks into."""
MOST_MIRRORS = 2_000
"""At a time; of more, whoever watches is led to the node that plays."""
AGE_SECONDS = 1.0
"""How long the node that plays is waited for to say when it asked."""


class Mirror(Live):
    """A match that is played elsewhere."""

    def __init__(self, sitting: ArenaMatch, match: Match) -> None:
        super().__init__(sitting, match)
        self.read = 0
        """How many transitions were read."""
        self.aged = asyncio.Event()
        """Set when it is known when the last question was asked."""
        self.used = monotonic()
        """When somebody last wanted it."""

    @property
    def closed(self) -> bool:
        """Whether nothing more is said in it."""
        return bool(self.moments) and self.moments[-1].affairs.stage is MatchStage.CLOSED

    def feed(self, rows: Sequence[tuple[int, str]]) -> int:
        """Judge further transitions, each once and in order; return how many there were. `RecordError` where one does not follow.

        Nothing of it is seen before `show`: this may be done beside everything else.
        """
        fed = 0
        for sequence, lines in rows:
            if sequence != self.read:
                continue  # it was read before, or one in between is not there yet
            self._judge([read_event(line) for line in lines.split("\n")])
            self.read += 1
            fed += 1
        return fed

    def _judge(self, events: Sequence[Event]) -> None:
        last = self.moments[-1].affairs if self.moments else self.start
        affairs, outputs = self.match.open() if last is None else self.match.hear(last, events[0])
        if tuple(outputs) != tuple(events if last is None else events[1:]):
            raise RecordError("the referee's transition %(number)s reads otherwise", number=self.read)
        if last is None:
            self.start = affairs
        else:
            self.moments.append(moment_of(events, affairs))

    def asked(self, ago: float) -> None:
        """Take down how many seconds ago the last question was asked."""
        self.asked_at = monotonic() - ago
        self.aged.set()
        self.wake()

    def _answerable(self, count: int) -> bool:  # noqa: ARG002 - whoever plays it looks elsewhere
        return True


class Mirrors:
    """The matches of other nodes into which somebody looks here."""

    def __init__(self, store: Store, sittings: ArenaMatches, live: Callable[[str], Live | None]) -> None:
        self._store = store
        self._sittings = sittings
        self._live = live
        """Finds a match that is played here."""
        self.say: Callable[[str], None] = lambda _: None
        """Says a hint to all nodes."""
        self.on_wish: Callable[[], None] = lambda: None
        """Called when another node wants something to be shown."""
        self._kept: dict[str, Mirror] = {}
        self._hinted: set[str] = set()
        """Mirrors of which somebody said that there is more."""
        self._news = asyncio.Event()
        self._opening = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to read."""
        self._task = asyncio.ensure_future(self._course())

    async def close(self) -> None:
        """Read no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def wake(self) -> None:
        """Wake whoever watches: the house is about to close."""
        for mirror in self._kept.values():
            mirror.wake()

    # ── looking ────────────────────────────────────────────────────────────────────────────────────────────────────

    def look(self, name: str) -> Mirror | None:
        """Return a mirror if there is one."""
        return self._kept.get(name)

    async def open(self, name: str, *, timed: bool = False) -> Mirror | None:
        """Return a match that another node plays; None where it is not being played, or cannot be mirrored.

        `timed`: not before it is known when the last question was asked, where a clock runs.
        """
        async with self._opening:
            mirror = self._kept.get(name) or await self._opened(name)
        if mirror is None:
            return None
        mirror.used = monotonic()
        if timed and mirror.match.clock.runs and not mirror.aged.is_set():
            self.say(f"ask {name}")
            try:
                async with asyncio.timeout(AGE_SECONDS):
                    await mirror.aged.wait()
            except TimeoutError:
                return None
        return mirror

    async def _opened(self, name: str) -> Mirror | None:
        if len(self._kept) >= MOST_MIRRORS:
            return None
        try:
            mirror = await asyncio.to_thread(self._made, name)
        except UnknownRecordError:
            return None
        except ArbitreError as error:
            LOG.warning("the match %s cannot be mirrored: %s", name, error)
            return None
        if mirror is not None:
            mirror.show(len(mirror.moments))
            self._kept[name] = mirror
        return mirror

    def _made(self, name: str) -> Mirror | None:
        sitting = self._sittings.find(name)
        rows = self._store.news({name: 0}) if sitting.state == "playing" else []
        if not rows:
            return None
        opening = read_opening(read_event(rows[0][2].partition("\n")[0]).text)
        mirror = Mirror(sitting, Match(opening, self._store.match(name).seed))
        mirror.feed([(sequence, lines) for _, sequence, lines in rows])
        return mirror

    # ── hints ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def told(self, hint: str) -> None:
        """Hear a hint of some node."""
        kind, _, said = hint.partition(" ")
        if kind == "new" and said in self._kept:
            self._hinted.add(said)
            self._news.set()
        elif kind == "ask" and (live := self._live(said)) is not None:
            self.say(f"age {said} {live.silent:.3f}")
        elif kind == "age":
            self._age(said)
        elif kind == "show":
            self.on_wish()

    def _age(self, said: str) -> None:
        name, _, seconds = said.partition(" ")
        mirror = self._kept.get(name)
        if mirror is not None and not mirror.aged.is_set():
            with suppress(ValueError):
                mirror.asked(float(seconds))

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _course(self) -> None:
        due = monotonic() + READ_SECONDS
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, due - monotonic())):
                    await self._news.wait()
            self._news.clear()
            everything = monotonic() >= due
            hinted, self._hinted = self._hinted, set()
            if everything:
                due = monotonic() + READ_SECONDS
                self._let_go()
            try:
                await self._read({name: one for name, one in self._kept.items() if everything or name in hinted})
            except ArbitreError as error:
                LOG.warning("what other nodes play is not read: %s", error)

    def _let_go(self) -> None:
        """Forget the mirrors into which nobody looks."""
        since = monotonic() - KEPT_SECONDS
        self._kept = {name: one for name, one in self._kept.items() if one.watchers or one.used > since}

    async def _read(self, mirrors: Mapping[str, Mirror]) -> None:
        """Read what is new in these, and show it."""
        if not mirrors:
            return
        fed = await asyncio.to_thread(self._feed, mirrors)
        for name, count in fed.items():
            mirror = mirrors[name]
            if count:
                mirror.asked(0.0)
                mirror.show(len(mirror.moments))
            elif count is None or mirror.closed:
                self._end(mirror)

    def _feed(self, mirrors: Mapping[str, Mirror]) -> dict[str, int | None]:
        """Return how many transitions each was fed; None where it cannot go on."""
        news: dict[str, list[tuple[int, str]]] = {}
        for name, sequence, lines in self._store.news({name: one.read for name, one in mirrors.items()}):
            news.setdefault(name, []).append((sequence, lines))
        fed: dict[str, int | None] = {}
        for name, one in mirrors.items():
            try:
                fed[name] = one.feed(news.get(name, ()))
            except ArbitreError as error:
                LOG.warning("the match %s is mirrored no more: %s", name, error)
                fed[name] = None
        return fed

    def _end(self, mirror: Mirror) -> None:
        """Let go of a match that is over, or that can be read no further: whoever watches comes again, and is led on."""
        try:
            found = self._sittings.find(mirror.name)
        except UnknownRecordError:
            found = mirror.sitting._replace(state="over")
        if found.state == "playing" and mirror.closed:
            return  # it is being sealed
        self._kept.pop(mirror.name, None)
        mirror.sitting = found
        mirror.over = True
        mirror.wake()
