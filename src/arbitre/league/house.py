"""The house's own robots on a site: a defender who answers on a port, an attacker who comes when called (spec: draughts, 2, 4).

Both play as every robot does (`arbitre.league.robots`): recorded, and reported where the rules ended the game. Their reports go
to the site's registrar without leaving the house, under the address that the game was played from, and are judged like others.

A visitor names the address of a defender, and the house challenges it. Such an address leads wherever its author likes, so every
socket passes the guard; one game at a time is played with an address, a few altogether, and so many an hour (`LIMITS`). What
went wrong is a `Trouble` with its evidence. The moves of a game that was played to its end stay closed until both sides have
reported it: who knew them could claim the game first.
"""

import asyncio
import logging
import secrets
import socket
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from time import time
from typing import Any
from zoneinfo import ZoneInfo

from arbitre.errors import ForbiddenAddressError, HasteError, LeagueError, StoreError, UnreachableError
from arbitre.games.draughts.rules import Move
from arbitre.league.duel import GAME, Duel, Refused, Role
from arbitre.league.outbox import Outbox
from arbitre.league.registrar import Registrar
from arbitre.league.report import Address, Answer, mapped
from arbitre.league.robots import Bounds, Defender, Finished, Robot, reached
from arbitre.players import Setting, read_contestant
from arbitre.reasons import Reason
from arbitre.records.store import Store
from arbitre.referee.clock import read_clock
from arbitre.referee.verdict import Termination
from arbitre.transport.guard import Guard
from arbitre.transport.limits import Limit, Limits, household
from arbitre.transport.sockets import Endpoint, family_of

LEVELS = (1, 2, 3)
"""How strong an attacker may be called: those that think quickly, beside everything else that a site does."""
CLOCK = "60s/move"
BOUNDS = Bounds(games=16, each=4, hourly=60)
"""Of the house's defender: a site has more to do, and a class sits behind one address."""
MOST_ABROAD = 4
"""Challenges at a time."""
MOST_KEPT = 500
"""Challenges whose outcome can still be looked at."""
MOST_TRIED = 8
"""Addresses of one name that are tried."""
LIMITS: Mapping[str, Limit] = {"by": Limit(60, 3_600), "of": Limit(12, 3_600)}
"""Challenges by one visitor, and of one address."""

log = logging.getLogger(__name__)


class Trouble(StrEnum):
    """What can go wrong with a challenge; those of the duel itself are called as `arbitre.league.duel.Fault` calls them."""

    FORBIDDEN = "forbidden"
    """The house must not call this address."""
    UNREACHABLE = "unreachable"
    """Nobody takes the call."""
    HASTE = "haste"
    """The address is being challenged, or was too often."""
    SILENCE = "silence"
    """The defender did not answer within its time."""
    UNKNOWN_WORD = "unknown-word"
    TOO_LONG = "too-long"
    EARLY_END = "early-end"
    WRONG_MOVES = "wrong-moves"
    DOUBTS = "doubts"
    OUT_OF_TURN = "out-of-turn"
    INTERRUPTED = "interrupted"
    CLOSED = "closed"
    HOUSE = "house"
    """The house itself failed."""


@dataclass(slots=True, eq=False)
class Challenge:
    """One challenge, from the call to what came of it."""

    name: str
    """Known to whoever made it."""
    server: Endpoint
    level: int
    duel: Duel = field(default_factory=lambda: Duel(Role.ATTACKER))
    over: bool = False
    trouble: Trouble | None = None
    evidence: Reason | None = None
    """What was seen, for whoever wrote the defender."""
    finished: Finished | None = None
    reported: bool = False
    """Whether the game counts as the one of today, so that it was reported."""

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves, of a game that cannot be reported any more."""
        return self.duel.moves if self.over and (self.finished is None or not self.finished.recordable) else ()

    @property
    def refused(self) -> tuple[Refused, ...]:
        """The wrong moves that the defender said."""
        return tuple(self.duel.refused)

    def fail(self, trouble: Trouble, evidence: Reason) -> None:
        """End with what went wrong."""
        self.trouble, self.evidence = trouble, evidence

    def end(self, finished: Finished) -> None:
        """End with what the referee said of it."""
        self.finished = finished
        verdict, ended = finished.verdict, self.duel.ended
        if verdict.termination is Termination.RULES:
            return
        if verdict.termination is Termination.OUT_OF_TIME:
            self.fail(Trouble.SILENCE, verdict.reason)
        elif ended is not None and ended.fault is not None:
            self.fail(Trouble(ended.fault.value), ended.reason)
        elif verdict.termination is Termination.ILLEGAL_MOVE:
            self.fail(Trouble.WRONG_MOVES, verdict.reason)
        else:
            log.error("the challenge of %s: %s", self.server, verdict.reason)
            self.fail(Trouble.HOUSE, Reason("house-failed"))


class HouseRobots:
    """The robots of one site, and the reports that they owe."""

    def __init__(self, store: Store, zone: ZoneInfo, guard: Guard, *, bind: str = "", clock: str = CLOCK) -> None:
        self.store = store
        self.guard = guard
        self.bind = bind
        """The address to attack from, where the house has one; else whichever leads there."""
        self.clock = clock
        self.registrar: Registrar | None = None
        """The site's own, while it is open."""
        self.endpoint: Endpoint | None = None
        """Where it listens."""
        self.outbox = Outbox(store, zone, log.info, send=self._hand_in)
        self.limits = Limits(LIMITS)
        self._challenges: OrderedDict[str, Challenge] = OrderedDict()
        self._busy: set[Address] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def _hand_in(self, registrar: Endpoint, source: str, data: bytes) -> Answer:
        """Give a report to the site's registrar."""
        if self.registrar is None:
            raise LeagueError("the registrar %(registrar)s of this site is not open", registrar=registrar)
        return await self.registrar.answer(data, mapped(source))

    def start(self) -> None:
        """Send what waits, from now on."""
        self._keep(self._sending())

    async def _sending(self) -> None:
        try:
            await self.outbox.keep_sending()
        except StoreError as error:
            log.error("reports of the house wait: %s", error)  # noqa: TRY400 - it says enough

    async def close(self) -> None:
        """Stop every game; peers are told."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for one in self._challenges.values():
            if not one.over:  # it was called, and had not begun
                one.fail(Trouble.HOUSE, Reason("house-closes"))
                one.over = True

    def _keep(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def robot(self, level: int) -> Robot:
        """Return a robot that plays with the house's engine."""
        contestant = read_contestant(f"house:{GAME.name}/{level}", Setting(GAME, aside=True))
        return Robot(self.store, contestant, read_clock(self.clock), self.outbox, self.endpoint, self.bind)

    def defender(self, level: int) -> Defender:
        """Return the defender; whoever opens its port lets it serve."""
        return Defender(self.robot(level), BOUNDS, alone=False)

    # ── challenges ─────────────────────────────────────────────────────────────────────────────────────────────────

    def challenge(self, server: Endpoint, level: int, visitor: str) -> Challenge:
        """Begin to challenge a defender that a visitor names; `HasteError` where there are too many."""
        if sum(not one.over for one in self._challenges.values()) >= MOST_ABROAD:
            raise HasteError("the house plays as many challenges as it can: wait a moment", 60)
        self.limits.take("by", visitor, time())
        one = Challenge(secrets.token_hex(8), server, level)
        self._challenges[one.name] = one
        while len(self._challenges) > MOST_KEPT:
            self._challenges.popitem(last=False)
        self._keep(self._play(one))
        return one

    def find(self, name: str) -> Challenge | None:
        """Return a challenge by its name, if it is not too old."""
        return self._challenges.get(name)

    def answer_to(self, one: Challenge) -> str:
        """Return what the registrar said to our report; empty as long as it has said nothing final."""
        return self.outbox.answer_to(one.finished.match) if one.finished is not None and one.reported else ""

    async def _play(self, one: Challenge) -> None:
        try:
            await self._try(one)
        except ForbiddenAddressError as error:
            one.fail(Trouble.FORBIDDEN, error.reason)
        except UnreachableError as error:
            one.fail(Trouble.UNREACHABLE, error.reason)
        except HasteError as error:
            one.fail(Trouble.HASTE, error.reason)
        except LeagueError as error:
            one.fail(Trouble.CLOSED, error.reason)
        except asyncio.CancelledError:
            one.fail(Trouble.HOUSE, Reason("house-closes"))
            raise
        except Exception:
            log.exception("a challenge of %s", one.server)
            one.fail(Trouble.HOUSE, Reason("house-failed"))  # what it says of itself, where its files are too, is for the log
        finally:
            one.over = True

    async def _try(self, one: Challenge) -> None:
        """Find the defender, and play."""
        found = await self._found(one.server)
        addresses = {mapped(str(info[4][0])) for info in found}
        if self._busy & addresses:
            raise HasteError("this address is being challenged already", 60)
        self._busy |= addresses
        try:
            self.limits.take("of", household(str(found[0][4][0])), time())
            reader, writer = await self._connected(found)
            seat = Role.ATTACKER.seat
            one.reported = not any(self.outbox.met_today(str(address), seat) for address in addresses)
            robot = self.robot(one.level)
            one.end(await robot.play(reader, writer, Role.ATTACKER, one.duel, report=one.reported))
            one.reported = one.reported and one.trouble is None and robot.registrar is not None
        finally:
            self._busy -= addresses

    async def _found(self, server: Endpoint) -> list[tuple[Any, ...]]:
        """Look a name up; what the guard refuses is left out, and if nothing is left it says why."""
        family = family_of(self.bind) if self.bind else socket.AF_UNSPEC
        search = asyncio.get_running_loop().getaddrinfo(server.host, server.port, family=family, type=socket.SOCK_STREAM)
        allowed: list[tuple[Any, ...]] = []
        refusal: ForbiddenAddressError | None = None
        for info in (await reached(search))[:MOST_TRIED]:
            try:
                self.guard.check(str(info[4][0]))
                allowed.append(info)
            except ForbiddenAddressError as error:
                refusal = error
        if not allowed:
            raise refusal or UnreachableError("cannot be reached: no host has such a name")
        return allowed

    async def _connected(self, found: list[tuple[Any, ...]]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection to the first address that takes it: what the guard has judged is what is called."""
        refusal = UnreachableError("cannot be reached")
        for info in found:
            try:
                return await reached(self._called(info))
            except UnreachableError as error:
                refusal = error
        raise refusal

    async def _called(self, info: tuple[Any, ...]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        sock = self.guard.socket_for(info)
        try:
            sock.setblocking(False)
            if self.bind:
                sock.bind((self.bind, 0))
            await asyncio.get_running_loop().sock_connect(sock, info[4])
            return await asyncio.open_connection(sock=sock, limit=1 << 12)
        except BaseException:
            sock.close()
            raise
