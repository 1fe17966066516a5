"""A puzzle a day, made of the site's own games: which move alone keeps the result.

When a game is over that anybody may find, and of whose kind puzzles are made, a process of its own looks for a position in which
exactly one move keeps the result; every move was counted out by the plain rules, and each puzzle says what each move leads to. A
puzzle gets the next day that has none, so a day's puzzle never changes; a few days ahead nothing more is looked for.
"""

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from json import dumps, loads
from logging import getLogger
from pathlib import Path

from arbitre.errors import ArbitreError, UnknownError
from arbitre.games.analysis import Puzzle, analyst_class, is_judged
from arbitre.site.analyses import PATIENCE, in_a_process
from arbitre.site.arena.arena import Arena
from arbitre.site.arena.matches import ArenaMatch
from arbitre.values import value

LOG = getLogger("arbitre.puzzles")

AHEAD = 14
"""Days for which puzzles are kept ready."""
MOST_WAITING = 20
"""Games that wait to be looked through; the oldest are left out."""
MOST_KEPT = 2_000


@value
class Daily:
    """The puzzle of a day."""

    day: str
    game: str
    match: str
    """The match that it is from."""
    puzzle: Puzzle


class Puzzles:
    """The puzzles of one site."""

    def __init__(self, path: Path, arena: Arena) -> None:
        self.path = path
        self.arena = arena
        self.kept: list[Daily] = []
        self._waiting: deque[tuple[str, str]] = deque(maxlen=MOST_WAITING)
        self._wanted = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        arena.on_end(self.ended)

    def start(self) -> None:
        """Read what there is, and begin to look."""
        self.kept = list(_read(self.path))
        self._worker = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Give up looking."""
        if self._worker is not None:
            self._worker.cancel()
            with suppress(asyncio.CancelledError):
                await self._worker

    def shown(self, today: date | None = None) -> list[Daily]:
        """Return the puzzles up to today's, the newest first."""
        until = (today or datetime.now(UTC).date()).isoformat()
        return [one for one in reversed(self.kept) if one.day <= until]

    def find(self, day: str) -> Daily:
        """Return the puzzle of a day that has come; `UnknownError`."""
        for one in self.shown():
            if one.day == day:
                return one
        raise UnknownError("there is no puzzle of this day")

    def ended(self, sitting: ArenaMatch) -> None:
        """Look through a game that is over, if puzzles are made of such and more are wanted."""
        name = sitting.plan.game.name
        if sitting.state == "over" and not sitting.hidden and is_judged(name) and analyst_class(name).puzzles and self._wants():
            self._waiting.append((sitting.name, name))
            self._wanted.set()

    def _wants(self) -> bool:
        until = (datetime.now(UTC).date() + timedelta(days=AHEAD)).isoformat()
        return not self.kept or self.kept[-1].day < until

    async def _work(self) -> None:
        while True:
            await self._wanted.wait()
            if not self._waiting:
                self._wanted.clear()
                continue
            match, game = self._waiting.popleft()
            try:
                await self._look(match, game)
            except (ArbitreError, OSError, TimeoutError) as error:
                LOG.warning("no puzzle was made of %s: %s", match, error)

    async def _look(self, match: str, game: str) -> None:
        octets = self.arena.record(match).text().encode()
        async with asyncio.timeout(PATIENCE):
            said = loads(await in_a_process(octets, "puzzle"))
        if said is None or any(one.puzzle.position == said["position"] for one in self.kept):
            return
        today = datetime.now(UTC).date()
        last = date.fromisoformat(self.kept[-1].day) if self.kept else today - timedelta(days=1)
        day = max(today, last + timedelta(days=1)).isoformat()
        self.kept = [*self.kept, Daily(day, game, match, _puzzle(said))][-MOST_KEPT:]
        await asyncio.to_thread(_write, self.path, tuple(self.kept))


def _puzzle(said: dict[str, object]) -> Puzzle:
    match said:
        case {"position": str(position), "mover": int(mover), "move": str(move), "results": list(results)}:
            return Puzzle(position, mover, move, tuple((str(text), int(result)) for text, result in results))
        case _:
            raise UnknownError("no puzzle is written like this")


def _read(path: Path) -> list[Daily]:
    """Return the puzzles of a file; what cannot be read is left out, and said."""
    found: list[Daily] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return found
    for line in lines:
        try:
            said = loads(line)
            found.append(Daily(said["day"], said["game"], said["match"], _puzzle(said["puzzle"])))
        except (ArbitreError, ValueError, KeyError, TypeError) as error:
            LOG.warning("a puzzle cannot be read: %s", error)
    return sorted(found, key=lambda one: one.day)


def _write(path: Path, kept: tuple[Daily, ...]) -> None:
    draft = path.with_suffix(".draft")
    draft.write_text("".join(f"{dumps(asdict(one))}\n" for one in kept), encoding="utf-8")
    draft.replace(path)
