"""A puzzle a day, made of the site's own games: which move alone keeps the result.

When a game is over that anybody may find, and of whose kind puzzles are made, a process of its own looks for a position in which
exactly one move does; every move was counted out by the plain rules, and each puzzle says what each move leads to. A puzzle gets
the next day that has none, and days go round the games, so a day's puzzle never changes; a few days ahead nothing more is looked
for.
"""

import asyncio
from collections import deque
from contextlib import suppress
from datetime import UTC, date, datetime
from json import loads
from logging import getLogger

from arbitre.errors import ArbitreError
from arbitre.games.analysis import analyst_class, is_judged
from arbitre.site.arena.arena import Arena
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.daily import Daily, DailyPuzzles, read_puzzle
from arbitre.site.judging import PATIENCE, in_a_process

LOG = getLogger("arbitre.puzzles")

AHEAD = 14
"""Days for which puzzles are kept ready."""
MOST_WAITING = 20
"""Games that wait to be looked through; the oldest are left out."""


class Puzzles:
    """The puzzles of one site."""

    def __init__(self, kept: DailyPuzzles, arena: Arena) -> None:
        self.kept = kept
        self.arena = arena
        self._waiting: deque[tuple[str, str]] = deque(maxlen=MOST_WAITING)
        self._wanted = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        arena.on_end(self.ended)

    def start(self) -> None:
        """Begin to look."""
        self._worker = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Give up looking."""
        if self._worker is not None:
            self._worker.cancel()
            with suppress(asyncio.CancelledError):
                await self._worker

    def shown(self, most: int, game: str = "") -> list[Daily]:
        """Return the puzzles up to today's, the newest first; with a game, its own."""
        return self.kept.shown(today(), most, game)

    def find(self, day: str) -> Daily:
        """Return the puzzle of a day that has come; `UnknownError`."""
        return self.kept.find(day, today())

    def games(self) -> dict[str, int]:
        """Return the games that have puzzles, and how many."""
        return self.kept.games(today())

    def ended(self, sitting: ArenaMatch) -> None:
        """Look through a game that is over, if puzzles are made of such."""
        name = sitting.plan.game.name
        if sitting.state == "over" and not sitting.hidden and is_judged(name) and analyst_class(name).puzzles:
            self._waiting.append((sitting.name, name))
            self._wanted.set()

    async def _work(self) -> None:
        while True:
            await self._wanted.wait()
            if not self._waiting:
                self._wanted.clear()
                continue
            match, game = self._waiting.popleft()
            try:
                if await asyncio.to_thread(self.kept.wants, game, today(), AHEAD):
                    await self._look(match, game)
            except (ArbitreError, OSError, TimeoutError) as error:
                LOG.warning("no puzzle was made of %s: %s", match, error)

    async def _look(self, match: str, game: str) -> None:
        octets = self.arena.record(match).text().encode()
        async with asyncio.timeout(PATIENCE):
            said = loads(await in_a_process(octets, "puzzle"))
        if said is not None:
            await asyncio.to_thread(self.kept.add, game, match, read_puzzle(said), today(), AHEAD)


def today() -> date:
    """Return the day, as all nodes count it."""
    return datetime.now(UTC).date()
