"""Any player behind an address: a program on a pipe, or an engine in its own language, answers the questions of the web.

A program is started when it is first asked, and goes on to the next question when it has answered: whose game that belongs to it
need not know, for a question shows the whole position. So a few programs serve any number of games, one question at a time each,
and whoever asks while all of them think waits. A program that fails is ended, its asker is told why, and the next question starts
another.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from typing import Self

from arbitre.errors import MoveError, PlayerError, ProtocolError, shorten
from arbitre.games.catalogue import listing
from arbitre.games.game import AnyGame, Seat
from arbitre.games.player import Position
from arbitre.players import Contestant
from arbitre.referee.player import Player
from arbitre.referee.terms import Chair, Opening
from arbitre.tournoyons.server import Mind


class Hosting:
    """Lends the programs of one contestant to whoever asks over the web; open while it is served."""

    def __init__(self, contestant: Contestant, game: AnyGame, programs: int = 1) -> None:
        self.contestant = contestant
        self.game = game
        self._free: dict[Seat, list[Player]] = defaultdict(list)
        self._turn = asyncio.Semaphore(programs)
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        return self

    async def __aexit__(self, *_: object) -> None:
        for player in [one for free in self._free.values() for one in free]:
            await player.leave()
        self._free.clear()

    def find(self, path: str, wanted: str) -> Callable[[], Mind]:
        """Return who answers, whatever the path; `ProtocolError` where another game is meant."""
        ours = listing(self.game.name).set
        if wanted and wanted != ours:
            raise ProtocolError(
                "the engine at %(path)r plays %(set)s, not Set=%(wanted)r",
                path=shorten(path, 40),
                set=ours,
                wanted=shorten(wanted, 40),
            )
        return lambda: self.think

    def think(self, position: Position) -> str:
        """Return the move of a program; called in a thread."""
        if self._loop is None:
            raise ProtocolError("nobody plays here any more")
        return asyncio.run_coroutine_threadsafe(self._answered(position), self._loop).result()

    async def _answered(self, position: Position) -> str:
        if position.game.name != self.game.name:
            raise ProtocolError("this engine plays %(name)s", name=self.game.name)
        position = position._replace(game=self.game)  # few options are said on the wire; those of the host count
        async with self._turn:
            player = await self._taken(position.seat)
            try:
                await player.ready()
                async with asyncio.timeout(None if position.left is None else position.left / 1000):
                    answer = await player.ask(position)
            except PlayerError as error:
                await player.leave()
                raise ProtocolError(error.reason) from error
            except BaseException as error:
                await player.leave()
                if isinstance(error, TimeoutError):
                    raise ProtocolError("the engine has not answered in time") from None
                raise
            self._free[position.seat].append(player)
        if answer.resigns:
            raise ProtocolError("the engine resigns")
        try:
            move = position.notation.read(answer.text, position.view)
            self.game.check(position.view, move)
        except MoveError as error:
            raise ProtocolError(error.reason) from error
        return position.notation.write(move)

    async def _taken(self, seat: Seat) -> Player:
        """Return a program that is free, or a new one; those of another seat make room."""
        if self._free[seat]:
            return self._free[seat].pop()
        for free in self._free.values():
            while free:
                await free.pop().leave()
        player = self.contestant.player(b"")
        chairs = tuple(Chair(self.contestant.name, self.contestant.text) for _ in range(self.game.seats))
        opening = Opening("hosted", self.game, chairs, "")
        try:
            await player.greet(opening, seat)
            await player.sit(opening, seat)
        except PlayerError as error:
            await player.leave()
            raise ProtocolError(error.reason) from error
        except BaseException:
            await player.leave()
            raise
        return player
