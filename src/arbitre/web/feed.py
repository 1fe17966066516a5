"""One stream for all small boards of a page: what a home page, a list or a wall follows, however many boards it has.

A feed asks its source every second, while somebody follows, which boards there are and how they stand; what is new becomes one
message, the same octets for everybody who follows. Who comes gets all boards first; so does who was too slow, and a browser that
comes back after the site was closed. Nothing grows with time: a feed keeps the last few messages and the boards as they are.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from json import dumps
from time import time_ns

from arbitre.games.game import Eye
from arbitre.records.nodes import NodeRole
from arbitre.referee.scenes import Scene
from arbitre.site import matches, seating
from arbitre.site.arena.live import Live
from arbitre.site.arena.matches import ArenaMatch
from arbitre.web.house import WebApp
from arbitre.web.lists import all_names
from arbitre.web.smalls import SmallBoard, board_live, board_past
from arbitre.words import Words

TICK_SECONDS = 1.0
BEAT_TICKS = 15
KEPT = 8
"""Messages that a feed keeps for those who are a little behind."""
MOST_BOARDS = 40
LINGER_TICKS = 6
"""How long a match stays in a feed when it is over: its end is to be seen."""

Source = Callable[[], Awaitable[list[SmallBoard]]]


class Feed:
    """The boards of one scope in one language."""

    def __init__(self, source: Source, closing: asyncio.Event) -> None:
        self._source = source
        self._closing = closing
        self._boards: dict[str, SmallBoard] = {}
        self._messages: deque[tuple[int, bytes]] = deque(maxlen=KEPT)
        self._version = time_ns() // 1_000_000
        """Counts messages; a feed that is made later counts from a greater number, so no number means two things."""
        self._waiting: set[asyncio.Future[None]] = set()
        self._task: asyncio.Task[None] | None = None
        self._whole: tuple[int, bytes] = (-1, b"")
        self.followers = 0

    async def boards(self) -> tuple[int, list[SmallBoard]]:
        """Return the boards as they are, and the number of the last message that they hold."""
        if self._task is None:
            await self._look()
        return self._version, list(self._boards.values())

    async def follow(self, after: int = 0) -> AsyncIterator[bytes]:
        """Yield what is new behind a message, or all boards where that is too long ago, until the house closes."""
        self.followers += 1
        try:
            if self._task is None:
                await self._look()
            if self._task is None:  # nobody else came meanwhile
                self._task = asyncio.create_task(self._run(), name="feed")
            task = self._task
            yield b"retry: 2000\n\n" + self._since(after)
            seen = self._version
            while not task.done():
                await self._changed()
                if new := self._since(seen):
                    yield new
                seen = self._version
        finally:
            self.followers -= 1
            if not self.followers and self._task is not None:
                self._task.cancel()
                self._task = None

    def _since(self, seen: int) -> bytes:
        """Return what was told behind a message; all boards for who has missed something that is not kept any more."""
        first = self._messages[0][0] if self._messages else self._version + 1
        if first - 1 <= seen <= self._version:
            return b"".join(message for version, message in self._messages if version > seen)
        if self._whole[0] != self._version:
            self._whole = (self._version, _message("all", self._version, (one.told() for one in self._boards.values())))
        return self._whole[1]

    async def _run(self) -> None:
        """Look once a second; whatever ends this ends the streams too, and browsers come again."""
        quiet = 0
        try:
            while not self._closing.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._closing.wait(), TICK_SECONDS)
                quiet = 0 if await self._look() else quiet + 1
                if quiet >= BEAT_TICKS:
                    self._tell(b": still here\n\n")
                    quiet = 0
        finally:
            asyncio.get_running_loop().call_soon(self._wake)

    async def _look(self) -> bool:
        """Ask the source, and tell what is new; tell whether anything is."""
        found = {one.id: one for one in await self._source()}
        changed: list[dict[str, object]] = [one.told() for key, one in found.items() if self._boards.get(key) != one]
        changed += [{"id": key, "state": "gone"} for key in self._boards if key not in found]
        self._boards = found
        if changed:
            self._tell(_message("some", self._version + 1, changed))
        return bool(changed)

    def _tell(self, message: bytes) -> None:
        self._version += 1
        self._messages.append((self._version, message))
        self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, set()
        for one in waiting:
            if not one.done():
                one.set_result(None)

    async def _changed(self) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(woken)
        try:
            await woken
        finally:
            self._waiting.discard(woken)


def _message(kind: str, number: int, boards: Iterable[object]) -> bytes:
    return f"event: {kind}\nid: {number}\ndata: {dumps(list(boards), ensure_ascii=False, separators=(',', ':'))}\n\n".encode()


class GoingOn:
    """The source of what goes on now: the newest games that anybody may watch; when there is none, the last one kept, again."""

    def __init__(self, house: WebApp, words: Words) -> None:
        self._house = house
        self._words = words
        self._names: dict[str, tuple[str, ...]] = {}
        self._followed: dict[str, tuple[Live, int]] = {}
        """Matches that are shown, and for how many looks they have been over."""
        self._again: tuple[ArenaMatch, tuple[Scene, ...], int] | None = None

    async def __call__(self) -> list[SmallBoard]:
        """Return the boards, those that have been there longest first."""
        await seating.show_case(self._house)
        live = {one.name: one for one in await matches.watchable(self._house) if one.start is not None}
        kept = {name: (live.get(name, one), over + 1 if one.over else 0) for name, (one, over) in self._followed.items()
                if name in live or (one.decided and over < LINGER_TICKS)}  # fmt: skip
        for name, one in live.items():
            if len(kept) >= MOST_BOARDS:
                break
            kept.setdefault(name, (one, 0))
        self._followed = kept
        await self._name(one for one, _ in kept.values())
        if kept:
            self._again = None
            return [board_live(one, self._names[name], self._words.language) for name, (one, _) in kept.items()]
        return await self._replay()

    async def _name(self, lives: Iterable[Live]) -> None:
        wanted = {one.name: one.sitting.plan for one in lives}
        missing = [name for name in wanted if name not in self._names]
        self._names = {name: self._names[name] for name in wanted if name in self._names}
        called = await all_names(self._house, tuple(wanted[name] for name in missing), self._words) if missing else []
        self._names |= dict(zip(missing, called, strict=True))

    async def _replay(self) -> list[SmallBoard]:
        """Return the next moment of the last game that was kept."""
        if self._again is None:
            found = await matches.search(self._house, state="over", most=1)
            if not found:
                return []
            eye: Eye = "spectator"
            scenes = tuple([scene async for scene in self._house.arena.watch(found[0].name, eye)])
            self._again = (found[0], scenes, 0)
        sitting, scenes, at = self._again
        if at >= len(scenes) + LINGER_TICKS:
            self._again = None
            return await self._replay() if scenes else []
        self._again = (sitting, scenes, at + 1)
        (names,) = await all_names(self._house, (sitting.plan,), self._words)
        return [board_past(sitting, names, self._words.language, scenes[min(at, len(scenes) - 1)])] if scenes else []


class Feeds:
    """The feeds of a site: one for each scope and language that somebody follows."""

    def __init__(self, house: WebApp) -> None:
        self._house = house
        self._kept: dict[tuple[str, str], Feed] = {}
        self._wished: asyncio.Task[object] | None = None
        house.arena.mirrors.on_wish = self._show

    def _show(self) -> None:
        """Hear that somebody at another node wants something to watch."""
        if NodeRole.SHOWCASE in self._house.roles and (self._wished is None or self._wished.done()):
            self._wished = asyncio.create_task(seating.show_case(self._house))

    def now(self, words: Words) -> Feed:
        """Return the feed of what goes on now."""
        return self.of("now", words, lambda: GoingOn(self._house, words))

    def of(self, scope: str, words: Words, source: Callable[[], Source]) -> Feed:
        """Return the feed of a scope; those that nobody follows any more are forgotten."""
        key = (scope, words.language)
        if key not in self._kept:
            self._kept = {one: feed for one, feed in self._kept.items() if feed.followers or one[0] == "now"}
            self._kept[key] = Feed(source(), self._house.closing)
        return self._kept[key]
