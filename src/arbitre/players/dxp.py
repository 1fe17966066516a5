"""DXP, DamExchange: draughts programs that talk over a connection, each message a text that ends with a zero octet.

The *initiator* asks for a game (`R`): who plays which colour, minutes and moves, and the position where it is not the usual one;
the *follower* accepts (`A`). Then moves (`M`) go to and fro, with both ends and the victims, until one says that the game is over
(`E`). `C` is chat. Here the engine is one side and the referee speaks for the other: `dxp:HOST:PORT` calls an engine that listens
there, `dxp:listen=yes HOST:PORT` waits for one to call; we are the initiator, or the follower with `role=follower`.

An engine with the first move thinks as soon as the game is agreed on. So that is done when the referee asks the engine first, and
not before: nobody thinks while no clock runs. The language counts whole minutes; the referee's own clock is the one that counts.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic

from arbitre.errors import PlayerGarbledError, PlayerLeftError, PlayerStringError, refusal, shorten
from arbitre.games.draughts.moves import Square
from arbitre.games.draughts.rules import Board, Draughts, Move
from arbitre.games.game import FIRST, AnyGame, Seat, other
from arbitre.games.player import Position
from arbitre.players import Contestant, Setting, hub
from arbitre.players.adapter import GREETING_SECONDS, MOVE_MILLISECONDS, Adapter, Dialogue, Language, Launch, Pace, Said, Wire
from arbitre.players.course import Course
from arbitre.players.launch import called, read_launch, refuse_game
from arbitre.reasons import Reason, declare

NAME = "Arbitre"
COLOURS = "WZ"
"""White and black."""
LETTERS = str.maketrans("bB", "zZ")
"""Black's pieces, where Hub has b; the squares are in the same order."""
MOVE = re.compile(r"M([0-9 ]{4})([0-9]{2})([0-9]{2})([0-9]{2})((?:[0-9]{2}){0,20})")
REQUEST = re.compile(r"R([0-9]{2})(.{32})([WZ])([0-9]{3})([0-9]{3})(?:A|B([WZ])([wzWZe]{50}))", re.DOTALL)
PLACE = re.compile(r"(.+):([0-9]{1,5})")

REASONS = declare(
    {
        "dxp-nobody": ("nobody takes the call at %(place)s: %(why)s", "personne ne répond à %(place)s : %(why)s"),
        "dxp-uncalled": (
            "nobody called at %(place)s within %(seconds)s seconds",
            "personne n’a appelé à %(place)s en %(seconds)s secondes",
        ),
        "dxp-hung-up": ("it hung up", "il a raccroché"),
        "dxp-declined": ("it declines the game: %(line)r", "il refuse la partie : %(line)r"),
        "dxp-other-game": (
            "it asks for another game than this match: %(line)r",
            "il demande une autre partie que ce match : %(line)r",
        ),
        "dxp-over": ("it says that the game is over: %(line)r", "il dit que la partie est finie : %(line)r"),
    }
)


def contestant(text: str, rest: str, setting: Setting) -> Contestant:
    """Return a draughts program that is reached over a connection."""
    refuse_game(setting, Dxp)
    launch = read_launch(text, rest, setting, ("role", "listen"))
    found = PLACE.fullmatch(launch.command[0])
    if found is None or len(launch.command) != 1 or not 0 < int(found[2]) < 65536:
        raise PlayerStringError("%(text)r: write dxp:HOST:PORT, such as dxp:127.0.0.1:27531", text=shorten(text))
    if launch.word("role", "initiator") not in ("initiator", "follower") or launch.word("listen", "no") not in ("yes", "no"):
        raise PlayerStringError("%(text)r: role is initiator or follower, listen is yes or no", text=shorten(text))
    host, port = found[1].strip("[]"), int(found[2])
    return Contestant(called(launch.command[0], setting), text, lambda _seed: DxpAdapter(launch, host, port), outside=True)


# ── messages ───────────────────────────────────────────────────────────────────────────────────────────────────────


def write_move(move: Move, seconds: int = 0) -> str:
    """Return the message of a move."""
    squares = (move.start, move.end, len(move.captured), *sorted(move.captured))
    return f"M{min(seconds, 9_999):04}" + "".join(f"{number:02}" for number in squares)


def read_move(text: str, board: Board) -> str:
    """Return the move of a message in our text; `PlayerGarbledError` where it is none."""
    found = MOVE.fullmatch(text)
    if found is None or len(found[5]) != 2 * int(found[4]):
        raise PlayerGarbledError("engine-answer", line=shorten(text), language=Dxp.name)
    victims = [int(found[5][at : at + 2]) for at in range(0, len(found[5]), 2)]
    start, end = int(found[2]), int(found[3])
    if not victims:
        return f"{start}-{end}"
    return hub.read_move("x".join(map(str, (Square(start), Square(end), *victims))), board)


def write_request(course: Course, follower: Seat, minutes: int, moves: int) -> str:
    """Return the message that asks for a game."""
    head = f"R01{NAME:32}{COLOURS[follower]}{min(minutes, 999):03}{moves if moves < 1_000 else 0:03}"
    return f"{head}A" if course.usual else f"{head}B{write_position(course.first)}"


def write_position(board: Board) -> str:
    """Return the side to move and the fifty squares."""
    return hub.write_position(board).translate(LETTERS)


def write_acceptance(code: str = "0") -> str:
    """Return the message that accepts a game, or says why not."""
    return f"A{NAME:32}{code}"


# ── the language ───────────────────────────────────────────────────────────────────────────────────────────────────


class Dxp(Language):
    """Plays a game with a program in DXP, in either role."""

    name = "DXP"
    games = ("draughts",)
    end = b"\0"

    def __init__(self, launch: Launch) -> None:
        super().__init__(launch)
        self.initiates = launch.word("role", "initiator") == "initiator"
        self.seat = FIRST
        """Where the engine sits."""
        self._request = ""
        self._agreed = False
        self._told = 0
        """How many moves of the course both sides know."""
        self._over = False

    def greeting(self, game: AnyGame, seat: Seat) -> Dialogue[str]:  # noqa: ARG002 - there is one game
        """Wait for the engine's request, where it is the initiator."""
        self.seat = seat
        if self.initiates:
            return ""
        line = yield ()
        while not line.startswith("R"):
            line = yield ()
        self._request = line
        return line[3:35].strip()

    def sitting(self, course: Course, seat: Seat) -> Dialogue[None]:
        """Look whether the engine asked for this match, where it is the initiator."""
        yield from super().sitting(course, seat)
        self.seat = seat
        if not self.initiates:
            self._refuse_other()

    def asking(self, position: Position, pace: Pace) -> Dialogue[Said]:
        """Agree on the game, once; tell the other side's move, and wait for the engine's."""
        said = (yield from self._agree(pace)) if not self._agreed else []
        new, self._told = self.course.moves[self._told :], len(self.course.moves)
        line = yield [*said, *(write_move(move) for move in new)]
        while not line.startswith("M"):
            if line.startswith("E"):
                self._over = True
                if line[1:2] == "1":
                    return Said("", resigns=True)
                raise PlayerGarbledError("dxp-over", line=shorten(line))
            line = yield (("K1",) if line.startswith("B") else ())  # moves are not taken back
        self._told += 1
        return Said(read_move(line, position.view))

    def ending(self) -> Sequence[str]:
        """Say that the game is over; who has won the referee says elsewhere."""
        return ("E00",) if self._agreed and not self._over else ()

    def _agree(self, pace: Pace) -> Dialogue[list[str]]:
        """Agree on the game; return what remains to be said for that."""
        self._agreed = True
        if not self.initiates:
            return [write_acceptance()]
        moves = self.course.game.plies // 2 + 1 if isinstance(self.course.game, Draughts) else 0
        span = pace.game if pace.game is not None else (pace.move or MOVE_MILLISECONDS) * moves
        line = yield (write_request(self.course, self.seat, max(1, round(span / 60_000)), moves),)
        while not line.startswith("A"):
            line = yield ()
        if line[33:34] != "0":
            raise PlayerLeftError("dxp-declined", line=shorten(line))
        return []

    def _refuse_other(self) -> None:
        """Refuse a game that is not this match: another position, or the other colour."""
        found = REQUEST.fullmatch(self._request)
        position = "" if found is None or found[6] is None else found[6] + found[7]
        same = position == write_position(self.course.first) if position else self.course.usual
        if found is None or not same or found[3] != COLOURS[other(self.seat)]:
            raise PlayerLeftError("dxp-other-game", line=shorten(self._request))


# ── the connection ─────────────────────────────────────────────────────────────────────────────────────────────────


class Telephone(asyncio.Protocol):
    """One connection: `heard` gets what comes and when, `gone` is told once how it ended."""

    def __init__(self, heard: Callable[[bytes, float], None], gone: Callable[[Reason], None]) -> None:
        self._heard = heard
        self._gone = gone
        self._transport: asyncio.Transport | None = None
        self._closed = asyncio.get_running_loop().create_future()
        self._deaf = False
        self.met = asyncio.get_running_loop().create_future()
        """Done when somebody is at the other end."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin; a second caller is sent away."""
        if isinstance(transport, asyncio.Transport):
            if self._transport is not None:
                transport.abort()
                return
            self._transport = transport
            self.met.set_result(None)

    def data_received(self, data: bytes) -> None:
        """Pass on what came."""
        if not self._deaf:
            self._heard(data, monotonic())

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - why the line is dead nobody can tell
        """Tell how it ended."""
        if not self._closed.done():
            self._closed.set_result(None)
            self._gone(Reason("dxp-hung-up"))

    def write(self, data: bytes) -> None:
        """Send octets."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def drain(self) -> None:
        """What has come was heard already."""

    def deafen(self) -> None:
        """Hear no more."""
        self._deaf = True
        if self._transport is not None:
            self._transport.pause_reading()

    def unread(self) -> bool:
        """Nobody can tell."""
        return False

    def errors(self) -> str:
        """Nothing is said beside the connection."""
        return ""

    async def stop(self) -> None:
        """Hang up."""
        if self._transport is not None and not self._closed.done():
            self._transport.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await asyncio.shield(self._closed)
            self._transport.abort()


class DxpAdapter(Adapter):
    """A draughts program at the other end of a connection."""

    def __init__(self, launch: Launch, host: str, port: int) -> None:
        super().__init__(launch, Dxp(launch))
        self.host = host
        self.port = port

    async def _start(self, game: AnyGame, seat: Seat) -> None:
        self._wire = await self._connect()
        self.name = shorten((await self._held(self.language.greeting(game, seat), GREETING_SECONDS))[0], 80)

    async def _connect(self) -> Wire:
        """Call the program, or wait for its call."""
        place = f"{self.host}:{self.port}"
        loop = asyncio.get_running_loop()
        telephone = Telephone(self._heard, lambda how: self._fail(PlayerLeftError(how)))
        try:
            if self.launch.word("listen") != "yes":
                async with asyncio.timeout(GREETING_SECONDS):
                    await loop.create_connection(lambda: telephone, self.host, self.port)
                return telephone
            server = await loop.create_server(lambda: telephone, self.host, self.port, reuse_address=True)
            try:
                async with asyncio.timeout(GREETING_SECONDS):
                    await telephone.met
            finally:
                server.close()
        except TimeoutError:
            raise PlayerLeftError("dxp-uncalled", place=place, seconds=f"{GREETING_SECONDS:g}") from None
        except OSError as error:
            raise PlayerLeftError("dxp-nobody", place=place, why=refusal(error)) from None
        return telephone
