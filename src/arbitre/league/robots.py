"""Robots of the draughts league (spec: draughts, section 2): a defender who answers challenges, an attacker who makes them.

A duel is a match like any other: our player on one chair, the peer behind the socket on the other, refereed by `MatchRunner`,
recorded, chained and signed. `DuelPlayer` turns questions of the referee into words on the wire and back. So whoever can play a
match can play in the league: an engine of the house, or any program on a pipe.

A game that the rules ended is reported; every other one was interrupted and is not. Waiting is bounded everywhere: for each move
by the clock, for wrong moves and doubts by `arbitre.league.duel`, for the farewell by a second.
"""

import asyncio
import logging
import os
import socket
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from ipaddress import IPv6Network
from math import floor
from pathlib import Path
from time import monotonic, perf_counter, time
from typing import TypeVar

from arbitre.crypto.chain import SEED_BYTES, commitment, derive
from arbitre.errors import (
    HasteError,
    HouseError,
    LeagueError,
    PlayerGarbledError,
    PlayerLeftError,
    StoreError,
    UnreachableError,
    refusal,
)
from arbitre.games.draughts.rules import Board
from arbitre.games.game import Seat
from arbitre.games.player import Position
from arbitre.league.duel import GAME, Doubted, Duel, Ended, Ending, Event, Role, Stage
from arbitre.league.ledger import networks
from arbitre.league.outbox import Outbox
from arbitre.league.report import Address, mapped, shown, write_report
from arbitre.players import Contestant
from arbitre.reasons import Reason
from arbitre.records.store import Store, StoreJournal
from arbitre.referee.clock import Clock
from arbitre.referee.match import Match
from arbitre.referee.player import Answer, Player
from arbitre.referee.runner import MatchRunner
from arbitre.referee.story import export, sentence
from arbitre.referee.terms import DUEL, Chair, Opening, Terms
from arbitre.referee.verdict import Termination, Verdict
from arbitre.transport.limits import Limit, Limits
from arbitre.transport.sockets import Endpoint, call, family_of, why_not
from arbitre.values import value

GAP = 0.4
"""After so many seconds without an octet a word without an end may be whole."""
FAREWELL = 1.0
"""How long the peer is given to close its side."""
CONNECT = 15.0
AGAIN = 60.0
"""Seconds after which a server that was away is called again; each time after twice as many, at most `LONGEST_AGAIN`."""
LONGEST_AGAIN = 3_600.0
MOST_AGAIN = 12
MOST_REFUSED = 20
"""Wrong moves of one side in a whole game."""
MOST_GAMES = 256
MOST_GAMES_EACH = 8
"""Games at a time of a defender, altogether and with one address, or one IPv6 network of 64 bits."""
ABREAST = 4
"""Servers that are challenged at a time."""
SPARE = 8
"""Threads beside those of the players: for names that are looked up."""
FOLDER = "duels"
"""Where the PDN of each game is written, in the data folder."""

log = logging.getLogger(__name__)

T = TypeVar("T")


class DuelPlayer(Player):
    """The peer behind a socket, as the referee sees it."""

    def __init__(self, duel: Duel, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.duel = duel
        self.reader = reader
        self.writer = writer
        self.final: Callable[[], Board] = lambda: duel.board
        """Says how the game stands, when it is over and nobody is asked any more."""
        self._heard: deque[Event] = deque()

    async def ask(self, position: Position) -> Answer:
        """Tell the peer our move, and return the peer's next word that is a move, legal or not."""
        begun = perf_counter()
        self._tell(position.view)
        while True:
            while not self._heard:
                await self._listen()
            event = self._heard.popleft()
            if isinstance(event, Ended):
                fault = PlayerLeftError if event.ending is Ending.CLOSED else PlayerGarbledError
                raise fault(event.reason)
            if not isinstance(event, Doubted):
                return Answer(event.text, perf_counter() - begun)

    async def end(self, verdict: Verdict, seat: Seat) -> None:  # noqa: ARG002 - the peer knows its seat
        """Tell the peer our last move, or that we stop."""
        if verdict.termination is Termination.RULES:
            self._tell(self.final())
        self._stop(verdict.reason)

    async def leave(self) -> None:
        """Close, after the peer if it is quick: closed with octets unread, a socket may take our last word with it."""
        self._stop(Reason("house-closes"))
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(FAREWELL):
                self.writer.write_eof()
                while await self.reader.read(1 << 16):
                    pass
        self.writer.transport.abort()

    def _tell(self, board: Board) -> None:
        """Say the move of ours that led to a board, unless it was said."""
        duel = self.duel
        if duel.stage is Stage.OURS and duel.board != board:
            duel.say(next(move for move in duel.board.moves if duel.board.after(move) == board))
            self._flush()

    def _stop(self, reason: Reason) -> None:
        self.duel.interrupt(reason)
        self._flush()

    async def _listen(self) -> None:
        if self.duel.stage is Stage.OVER:
            ended = self.duel.ended or Ended(Ending.CLOSED, Reason("duel-over"))
            self._heard.append(ended)
            return
        try:
            async with asyncio.timeout(GAP):
                data = await self.reader.read(4_096)
        except TimeoutError:
            self._heard += self.duel.idle()
        except OSError:
            self._heard += self.duel.closed()
        else:
            self._heard += self.duel.receive(data) if data else self.duel.closed()
        self._flush()

    def _flush(self) -> None:
        if (data := self.duel.outgoing()) and not self.writer.is_closing():
            self.writer.write(data)


@value
class Finished:
    """A duel that is over: the name of its record, the verdict, and whether it can be reported."""

    match: str
    verdict: Verdict
    recordable: bool


class Robot:
    """Plays duels in either role, records them, and reports those that count."""

    def __init__(
        self, store: Store, contestant: Contestant, clock: Clock, outbox: Outbox, registrar: Endpoint | None, bind: str = ""
    ) -> None:
        self.store = store
        self.key = store.key()
        self.contestant = contestant
        self.terms = Terms(clock, refusals=MOST_REFUSED, resign=False)
        self.outbox = outbox
        self.registrar = registrar
        self.bind = bind

    async def play(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        role: Role,
        duel: Duel | None = None,
        *,
        report: bool = True,
    ) -> Finished:
        """Play one duel on a connection to its end; who gives the duel can see how it goes. `report`: whether it is reported."""
        peer, source = _address(writer, "peername"), _source(writer)
        seed = os.urandom(SEED_BYTES)
        name = derive(seed, "match").hex()[:16]
        duel = duel or Duel(role)
        opponent = DuelPlayer(duel, reader, writer)
        table = self._table(name, seed, role, opponent, peer)
        opponent.final = lambda: table.affairs.truth
        verdict = (await table.play()).verdict
        if verdict is None:
            raise HouseError("the duel %(name)s ended without a verdict", name=name)
        recordable = verdict.termination is Termination.RULES
        if recordable and report:
            data = write_report(role.seat, peer, duel.moves)
            await self.outbox.put(name, self.registrar, self.bind or source, peer, role.seat, data)
        names = [chair.name for chair in table.match.opening.chairs]
        said = sentence(verdict, names) if recordable else Reason("interrupted, not reported: %(why)s", why=verdict.reason)
        self.outbox.told(Reason("%(match)s  %(names)s  %(said)s", match=name, names=" – ".join(names), said=said))
        self._keep_pdn(name)
        if recordable and report:
            await self.outbox.send_due()
        return Finished(name, verdict, recordable)

    def _table(self, name: str, seed: bytes, role: Role, opponent: DuelPlayer, peer: Address) -> MatchRunner:
        ours, theirs = Chair(self.contestant.name, self.contestant.text), Chair(shown(peer), DUEL)
        own = self.contestant.player(derive(seed, "luck"))
        first = role is Role.DEFENDER
        chairs: tuple[Chair, ...] = (ours, theirs) if first else (theirs, ours)
        players: Sequence[Player] = (own, opponent) if first else (opponent, own)
        day = self.outbox.today()
        notes = {"date": day, "event": "draughts duel"}
        opening = Opening(
            name,
            GAME,
            chairs,
            commitment(seed),
            self.terms,
            notes=notes,
            referee=self.key.public.hex(),
            opened=int(time()),
        )
        self.store.add_match(name, GAME.name, seed, day)
        return MatchRunner(Match(opening, seed), players, StoreJournal(self.store, name), self.key)

    def _keep_pdn(self, name: str) -> None:
        """Write the PDN; where that fails nothing is lost, for the record has every move."""
        folder: Path = self.store.folder / FOLDER
        try:
            folder.mkdir(exist_ok=True)
            (folder / f"{name}.pdn").write_text(export(self.store.record(name), "pdn"), encoding="utf-8")
        except OSError as error:
            why = Reason(
                "%(match)s  its PDN cannot be written to %(folder)s: %(why)s", match=name, folder=folder, why=refusal(error)
            )
            self.outbox.told(why)


def _address(writer: asyncio.StreamWriter, which: str) -> Address:
    try:
        return mapped(writer.get_extra_info(which)[0])
    except (ValueError, TypeError, IndexError):
        raise LeagueError("the connection was gone before it had an address") from None


def _source(writer: asyncio.StreamWriter) -> str:
    """Return the address that this side of a connection has, to be bound to again: a link-local one needs its zone."""
    own = shown(_address(writer, "sockname"))
    scope = (*writer.get_extra_info("sockname"), 0, 0)[3]
    return f"{own}%{scope}" if scope else own


@value
class Bounds:
    """How much a defender takes on."""

    games: int = MOST_GAMES
    """At a time."""
    each: int = MOST_GAMES_EACH
    """Of those, with one address or one IPv6 network of 64 bits."""
    hourly: int = 0
    """So many an hour with one of these; 0 for as many as come."""


class Defender:
    """Answers every challenge, many at once, as long as it can keep what is played; whom it cannot take on is interrupted."""

    def __init__(self, robot: Robot, bounds: Bounds | None = None, *, alone: bool = True) -> None:
        self.robot = robot
        self.bounds = bounds = bounds or Bounds()
        self.alone = alone
        """Whether the loop is its own: it then has a thread for each game, and sends the reports that wait."""
        self.rate = Limits({"hour": Limit(bounds.hourly, 3_600)}) if bounds.hourly else None
        self.playing: Counter[IPv6Network] = Counter()
        self.games: set[asyncio.Task[object]] = set()
        self.failed: asyncio.Future[None] | None = None
        """Is given the error when the store can keep nothing any more."""

    async def serve(self, sockets: list[socket.socket]) -> None:
        """Answer challenges until cancelled, or until the store fails."""
        loop = asyncio.get_running_loop()
        if self.alone:
            # one player thinks beside the loop in each game; in a queue for a few threads its time would run out unused
            loop.set_default_executor(ThreadPoolExecutor(self.bounds.games + SPARE, "arbitre-duel"))
        self.failed = loop.create_future()
        servers = [await asyncio.start_server(self._challenged, sock=one, limit=1 << 12) for one in sockets]
        sending = asyncio.ensure_future(self.robot.outbox.keep_sending()) if self.alone else loop.create_future()
        try:
            done, _ = await asyncio.wait((sending, self.failed), return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                one.result()
        finally:
            self.failed.cancel()
            sending.cancel()
            for server in servers:
                server.close()
            for game in self.games:
                game.cancel()
            await asyncio.gather(*self.games, return_exceptions=True)

    async def _challenged(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            peer = _address(writer, "peername")
        except LeagueError:
            writer.transport.abort()
            return
        home = networks(peer)[0]
        if not self._room_for(home):
            writer.write(b"INTERUPTION\0")
            writer.close()
            return
        self.playing[home] += 1
        task = asyncio.current_task()
        if task is not None:
            self.games.add(task)
        try:
            await self.robot.play(reader, writer, Role.DEFENDER)
        except asyncio.CancelledError:
            writer.transport.abort()  # the house closes; asyncio would complain of a connection whose task is cancelled
        except Exception as error:
            writer.transport.abort()
            if not isinstance(error, StoreError):
                log.exception("the duel with %s", shown(peer))
            elif self.failed is not None and not self.failed.done():
                self.failed.set_exception(error)
        finally:
            self.playing[home] -= 1
            if not self.playing[home]:
                del self.playing[home]
            if task is not None:
                self.games.discard(task)

    def _room_for(self, home: IPv6Network) -> bool:
        """Tell whether one more game with a network can be taken on, and count it if so."""
        if self.playing.total() >= self.bounds.games or self.playing[home] >= self.bounds.each:
            return False
        if self.rate is not None:
            try:
                self.rate.take("hour", str(home), time())
            except HasteError:
                return False
        return True


class Attacker:
    """Challenges a list of servers, each at most once a day with a game that counts."""

    def __init__(
        self,
        robot: Robot,
        servers: Sequence[Endpoint],
        now: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.robot = robot
        self.servers = servers
        self.away: list[Endpoint] = []
        """Who could not be reached when he was last challenged."""
        self._turns: dict[str, asyncio.Lock] = {}
        """Whose turn it is with each address."""
        self._now = now
        self._sleep = sleep

    async def rounds(self, every: float) -> None:
        """Challenge everybody again and again, until cancelled; meanwhile reports that were sent back go out again.

        Rounds begin at fixed times, however long their games take. Who is away is tried again before the next round, at growing
        distances and not for ever.
        """
        sending = asyncio.ensure_future(self.robot.outbox.keep_sending())
        begun = self._now()
        try:
            while True:
                await self.challenge_all()
                due = begun + every * (floor((self._now() - begun) / every) + 1)
                await self._call_again(due)
                await self._sleep(max(0.0, due - self._now()))
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    async def _call_again(self, due: float) -> None:
        """Challenge those who were away, until all have been reached, the next round is near, or it was tried often enough."""
        pause = AGAIN
        for _ in range(MOST_AGAIN):
            if not self.away or self._now() + pause >= due:
                return
            await self._sleep(pause)
            await self._challenge_each(tuple(self.away))
            pause = min(pause * 2, LONGEST_AGAIN)

    async def challenge_all(self) -> list[Finished]:
        """Send the reports that wait, then challenge every server once."""
        await self.robot.outbox.send_waiting()
        return await self._challenge_each(self.servers)

    async def _challenge_each(self, servers: Sequence[Endpoint]) -> list[Finished]:
        """Challenge servers, a few at a time: one that takes all its time must not take the others'."""
        abreast = asyncio.Semaphore(ABREAST)
        away: set[Endpoint] = set()

        async def one(server: Endpoint) -> Finished | None:
            async with abreast:
                try:
                    return await self.challenge(server)
                except LeagueError as error:
                    self.robot.outbox.told(Reason("%(server)s  %(error)s", server=server, error=error))
                    if isinstance(error, UnreachableError):
                        away.add(server)
            return None

        games = [asyncio.ensure_future(one(server)) for server in servers]
        try:
            finished = await asyncio.gather(*games)
        finally:
            for game in games:
                game.cancel()
            await asyncio.gather(*games, return_exceptions=True)
        self.away = [server for server in servers if server in away]
        return [game for game in finished if game is not None]

    async def challenge(self, server: Endpoint) -> Finished | None:
        """Play one game against a server, unless one was finished today."""
        outbox, bind = self.robot.outbox, self.robot.bind
        family = family_of(bind) if bind else socket.AF_UNSPEC
        loop = asyncio.get_running_loop()
        search = loop.getaddrinfo(server.host, server.port, family=family, type=socket.SOCK_STREAM)
        found = [str(address[0]) for *_, address in await reached(search, bind)]
        # who has two ports, or two names, is still one player: one game after the other
        async with self._turns.setdefault(found[0], asyncio.Lock()):
            if any(outbox.met_today(address, Role.ATTACKER.seat) for address in found):
                outbox.told(Reason("%(server)s  a game was played today; the next one counts tomorrow", server=server))
                return None
            return await self.robot.play(*await reached(call(server, bind, limit=1 << 12), bind), Role.ATTACKER)


async def reached(part: Awaitable[T], bind: str = "") -> T:
    """Wait for a part of the way to a server, and not for long."""
    whence = Reason(" from %(address)s", address=bind) if bind else ""
    try:
        async with asyncio.timeout(CONNECT):
            return await part
    except TimeoutError:
        raise UnreachableError("no answer%(whence)s within %(connect)s seconds", whence=whence, connect=f"{CONNECT:g}") from None
    except (OSError, UnicodeError) as error:
        raise UnreachableError("cannot be reached%(whence)s: %(error)s", whence=whence, error=why_not(error)) from error
