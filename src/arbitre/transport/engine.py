"""The other end of the wire: serves whoever can answer a question as a Tournoyons engine (spec: tournoyons, sections 2, 3 and 9).

What thinks is a `Mind`, made anew for each game; games are known by the referee's name for them, so a mind may remember. An
answer goes to the address that the question names, while the referee's call is still open, or into the body where it names none.
Only addresses in the allowed ranges are answered: whoever may ask us may also make us call.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from typing import Self

import aiohttp
from aiohttp import web

from arbitre.errors import ArbitreError, HouseError, ProtocolError, shorten
from arbitre.protocol.tournoyons import (
    TEST,
    Question,
    address,
    answer_query,
    past,
    read_query,
    read_question,
    read_status,
    write_value,
)
from arbitre.protocol.tray import Earlier
from arbitre.transport.callback import FAREWELL_SECONDS, HEADERS
from arbitre.transport.guard import Network, among

MOST_GAMES = 4_096
"""So many games are remembered; of more, the one that was asked longest ago is forgotten."""


Mind = Callable[[Question], str]
"""Answers questions of one game with move texts; called in a thread."""

Find = Callable[[str, str], Callable[[], Mind]]
"""Returns the maker of minds for a path and a `Set`; `ProtocolError` where nobody plays that there."""


class _Game:
    """One game that a mind is playing."""

    def __init__(self, mind: Mind) -> None:
        self.mind = mind
        self.earlier: Earlier | None = None
        self.last: tuple[str, Question, str] | None = None
        """The last query, what it asked, and what was said to it: a referee that comes back asks it once more."""
        self.busy = asyncio.Lock()


class EngineServer:
    """Serves engines over HTTP."""

    def __init__(
        self, find: Find, host: str = "127.0.0.1", port: int = 0, *, allowed: Iterable[Network] = (), login: str = ""
    ) -> None:
        self.find = find
        self.host = host
        self.port = port
        self.allowed = tuple(allowed)
        """Who may ask; nobody named: everybody who reaches us."""
        self.login = login
        self._games: OrderedDict[tuple[str, str], _Game] = OrderedDict()
        self._runner: web.ServerRunner | None = None
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        runner = web.ServerRunner(web.Server(self._handle, access_log=None), shutdown_timeout=FAREWELL_SECONDS)
        await runner.setup()
        try:
            await web.TCPSite(runner, self.host, self.port).start()
        except OSError as error:
            await runner.cleanup()
            raise HouseError(f"cannot listen on {self.host}:{self.port}: {error.strerror or error}") from error
        self._runner = runner
        self.port = int(runner.addresses[0][1])
        self._session = aiohttp.ClientSession(
            trust_env=False, cookie_jar=aiohttp.DummyCookieJar(), timeout=aiohttp.ClientTimeout(total=60, sock_connect=10)
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            if not self._may_ask(request.remote):
                return _plain(403, "this engine does not play for your address")
            if request.method != "GET":
                return _plain(405, "an engine is asked by GET")
            return _plain(200, await self._asked(request.path, request.rel_url.raw_query_string))
        except ProtocolError as error:
            return _plain(400, str(error))

    def _may_ask(self, remote: str | None) -> bool:
        return not self.allowed or (remote is not None and among(ip_address(remote), self.allowed))

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
                    move = await asyncio.to_thread(game.mind, question)
                except ArbitreError as error:
                    raise ProtocolError(str(error)) from error
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
        if self._session is None:
            raise HouseError("the server is not open")
        try:
            url = address(question.referee, answer_query(question, said, self.login))
            async with self._session.get(url) as response:
                await response.content.read(1024)
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise ProtocolError(f"the referee cannot be called back: {shorten(str(error))}") from None


def _plain(status: int, text: str) -> web.Response:
    return web.Response(text=text, status=status, headers=HEADERS)
