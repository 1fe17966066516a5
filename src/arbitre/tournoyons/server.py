"""The other end of the wire: serves whoever can answer a question as a Tournoyons engine (spec: tournoyons, sections 2, 3 and 9).

What thinks is a `Mind`, made anew for each game; games are known by the referee's name for them, so a mind may remember. An
answer goes to the address that the question names, while the referee's call is still open, or into the body where it names none.
Only addresses in the allowed ranges are answered: whoever may ask us may also make us call.

Questions on one connection are answered one after the other; nothing more is read of it meanwhile. An
engine thinks on though its asker has hung up: he may be one who wants to be called back only.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable
from ipaddress import ip_address
from typing import Any, Self

from arbitre.errors import ArbitreError, ProtocolError
from arbitre.games.player import Position
from arbitre.games.wire import Earlier
from arbitre.reasons import Reason, declare
from arbitre.tournoyons.callback import Connection, Server
from arbitre.tournoyons.player import FAULTS, Switchboard
from arbitre.tournoyons.trace import call_fault
from arbitre.tournoyons.wire import (
    ACCEPTED,
    TEST,
    Question,
    Reply,
    address,
    answer_query,
    past,
    read_query,
    read_question,
    read_status,
    write_value,
)
from arbitre.transport.guard import Network, among
from arbitre.values import value

log = logging.getLogger(__name__)

MOST_GAMES = 4_096
"""So many games are remembered; of more, the one that was asked longest ago is forgotten."""

BACK_SECONDS = 60.0
"""How long a referee may take to hear an answer."""


Mind = Callable[[Position], str]
"""Answers questions of one game with move texts; called in a thread."""

Find = Callable[[str, str], Callable[[], Mind]]
"""Returns the maker of minds for a path and a `Set`; `ProtocolError` where nobody plays that there."""


REASONS = declare(
    {
        "not-for-you": ("this engine does not play for your address", "ce moteur ne joue pas pour votre adresse"),
        "ask-by-get": ("an engine is asked by GET", "un moteur s’interroge par GET"),
        "engine-failed": ("the engine failed", "le moteur a défailli"),
    }
)


@value
class Answer(Reply):
    """What was asked for: it goes into the body as it stands, for a move is no sentence."""

    said: str = ""

    @property
    def text(self) -> str:
        """The answer."""
        return self.said


class _Game:
    """One game that a mind is playing."""

    def __init__(self, mind: Mind) -> None:
        self.mind = mind
        self.earlier: Earlier | None = None
        self.last: tuple[str, Question, str] | None = None
        """The last query, what it asked, and what was said to it: a referee that comes back asks it once more."""
        self.busy = asyncio.Lock()


class Asker(Connection):
    """Somebody who asks an engine."""

    def __init__(self, server: "EngineServer") -> None:
        super().__init__(server)
        self._engine = server
        self._turn = asyncio.Lock()

    def _asked(self, method: str, path: str, query: str) -> asyncio.Task[Reply]:
        peer = str((self._transport.get_extra_info("peername") or ("",))[0]) if self._transport is not None else ""
        return self._engine.keep(self._answered(peer, method, path, query))

    async def _answered(self, peer: str, method: str, path: str, query: str) -> Reply:
        async with self._turn:
            return await self._engine.answer(peer, method, path, query)


class EngineServer(Server):
    """Serves engines over HTTP."""

    def __init__(
        self, find: Find, host: str = "127.0.0.1", port: int = 0, *, allowed: Iterable[Network] = (), login: str = ""
    ) -> None:
        super().__init__(host, port)
        self.find = find
        self.allowed = tuple(allowed)
        """Who may ask; nobody named: everybody who reaches us."""
        self.login = login
        self._games: OrderedDict[tuple[str, str], _Game] = OrderedDict()
        self._tasks: set[asyncio.Task[Reply]] = set()
        self._switchboard = Switchboard()

    def meet(self) -> Connection:
        """Return what hears somebody who asks."""
        return Asker(self)

    def keep(self, answer: Coroutine[Any, Any, Reply]) -> asyncio.Task[Reply]:
        """Begin to answer; it is given up when the server stops."""
        task = asyncio.get_running_loop().create_task(answer)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def __aenter__(self) -> Self:
        await self.start()
        await self._switchboard.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._switchboard.__aexit__(None, None, None)

    async def answer(self, peer: str, method: str, path: str, query: str) -> Reply:
        """Answer one request."""
        try:
            if not self._may_ask(peer):
                return Reply(403, Reason("not-for-you"))
            if method != "GET":
                return Reply(405, Reason("ask-by-get"))
            return Answer(200, ACCEPTED.why, await self._asked(path, query))
        except ProtocolError as error:
            return Reply(400, error.reason)
        except Exception:
            log.exception("an engine failed")
            return Reply(500, Reason("engine-failed"))

    def _may_ask(self, peer: str) -> bool:
        return not self.allowed or (peer != "" and among(ip_address(peer), self.allowed))

    async def _asked(self, path: str, query: str) -> str:
        """Answer a question; return what goes into the body."""
        fields = read_query(query)
        make = self.find(path, fields.get("Set", ""))
        if read_status(query):
            self._games.pop((path, fields.get("Game", "")), None)
            return ""
        game = self._game(path, fields.get("Game", ""), make)
        async with game.busy:
            if game.last is not None and game.last[0] == query:
                _, question, said = game.last
            else:
                question = read_question(query, game.earlier)
                try:
                    move = await asyncio.to_thread(game.mind, _position(question))
                except ArbitreError as error:
                    raise ProtocolError(error.reason) from error
                game.earlier = past(question, move)
                said = write_value(question, move)
                game.last = (query, question, said)
        if question.referee:
            await self._call_back(question, said)
            return "answered"
        return said

    def _game(self, path: str, ident: str, make: Callable[[], Mind]) -> _Game:
        if ident in ("", TEST):
            return _Game(make())
        game = self._games.pop((path, ident), None) or _Game(make())
        self._games[path, ident] = game
        if len(self._games) > MOST_GAMES:
            self._games.popitem(last=False)
        return game

    async def _call_back(self, question: Question, said: str) -> None:
        try:
            async with asyncio.timeout(BACK_SECONDS):
                await self._switchboard.fetch(address(question.referee, answer_query(question, said, self.login)))
        except (TimeoutError, *FAULTS) as error:
            raise ProtocolError("the referee cannot be called back: %(error)s", error=call_fault(error)) from None


def _position(question: Question) -> Position:
    """Return a question as whoever thinks sees it."""
    tray = question.tray
    return Position(tray.game, tray.notation, question.seat, question.turn, question.view, question.seconds * 1000)
