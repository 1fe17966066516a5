"""Hub: the language of draughts engines such as Scan, version 2 and the older version 1.

Both begin alike: `hub`, the engine says who it is and which parameters it has, `wait`; parameters are set, `init`, `ready`. In
version 2 every line is a command with pairs, `pos pos=Wbbb… moves="32-28 19-23"`, `level move-time=1`, `go think`, and the answer
is `done move=28x19x23`; in version 1 words stand alone, `pos wbbb…`, `move 32-28`, `time 1000`, `go`, and the answer is
`move 28x19x23`. Which of them an engine speaks is seen by whether it introduces itself with `id`.

A position is the side to move and fifty squares; a move names its two ends, a capture the squares of its victims besides, in any
order. Other rules of draughts count draws by repetition: so the engine is told the moves since the start, though ours does not.
"""

import re
from collections.abc import Iterator

from arbitre.errors import ArbitreError, PlayerGarbledError, PositionError, shorten
from arbitre.games.draughts.moves import BIT, Square
from arbitre.games.draughts.rules import Board, Move
from arbitre.games.game import AnyGame, Seat
from arbitre.games.player import Position
from arbitre.players import Contestant, Setting
from arbitre.players.adapter import Dialogue, Language, Launch, Pace, Said
from arbitre.players.course import Course
from arbitre.players.launch import adapted
from arbitre.players.speaker import Speaker, milliseconds

PAIR = re.compile(r'([^\s="]+)(?:=(?:"([^"]*)"|([^\s"]*)))?')
MOVE = re.compile(r"([0-9]{1,2})(?:-([0-9]{1,2})|x([0-9]{1,2})((?:x[0-9]{1,2}){0,20}))")
PIECES = {"w": (1, 0), "W": (1, 1), "b": (2, 0), "B": (2, 1), "e": (0, 0)}


def contestant(text: str, rest: str, setting: Setting) -> Contestant:
    """Return a draughts engine that speaks Hub."""
    return adapted(text, rest, setting, Hub)


# ── texts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def write_line(command: str, **pairs: str | float) -> str:
    """Return a line of version 2; what has blanks or is empty is quoted."""
    return " ".join([command, *(f"{key.replace('_', '-')}={_quoted(str(one))}" for key, one in pairs.items())])


def _quoted(text: str) -> str:
    return f'"{text}"' if not text or re.search(r"[\s=]", text) else text


def read_line(text: str) -> tuple[str, dict[str, str]]:
    """Return the command of a line of version 2 and its pairs; what has no value is there with an empty one."""
    command, _, rest = text.strip().partition(" ")
    return command, {found[1]: found[2] if found[2] is not None else found[3] or "" for found in PAIR.finditer(rest)}


def write_position(board: Board) -> str:
    """Return the side to move and the fifty squares."""
    return "WB"[board.mover] + "".join(_letter(board, bit) for bit in BIT[1:])


def _letter(board: Board, bit: int) -> str:
    if not bit & (board.white | board.black):
        return "e"
    letter = "w" if bit & board.white else "b"
    return letter.upper() if bit & board.kings else letter


def read_position(text: str) -> Board:
    """Return the board, on turn 1 or 2; `PositionError`."""
    if len(text) != 51 or text[0] not in "WB" or not set(text[1:]) <= set(PIECES):
        raise PositionError(text, "a position is W or B and fifty squares, each one of w b W B e")
    sides, kings = [0, 0, 0], 0
    for bit, letter in zip(BIT[1:], text[1:], strict=True):
        side, crowned = PIECES[letter]
        sides[side] |= bit
        kings |= bit * crowned
    return Board(sides[1], sides[2], kings, "WB".index(text[0]) + 1)


def write_move(move: Move) -> str:
    """Return both ends and the victims."""
    return "x".join(map(str, (move.start, move.end, *sorted(move.captured)))) if move.captured else f"{move.start}-{move.end}"


def read_move(text: str, board: Board) -> str:
    """Return the move in our text, for the referee to judge; `PlayerGarbledError` for a capture that is none: ours has paths."""
    found = MOVE.fullmatch(text.strip())
    if found is None or found[2]:
        return text
    start, end = Square(int(found[1])), Square(int(found[3]))
    victims = frozenset(Square(int(one)) for one in found[4].split("x")[1:])
    fits = [one for one in board.moves if (one.start, one.end) == (start, end) and one.captured and victims <= one.captured]
    exact = [one for one in fits if one.captured == victims] or (fits if not victims else [])
    if len(exact) != 1:
        raise PlayerGarbledError("engine-no-such-move", move=shorten(text))
    return str(exact[0])


# ── we ask ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Hub(Language):
    """Asks an engine in Hub, in the version that it speaks."""

    name = "Hub"
    games = ("draughts",)

    def __init__(self, launch: Launch) -> None:
        super().__init__(launch)
        self.version = 1

    def greeting(self, game: AnyGame, seat: Seat) -> Dialogue[str]:  # noqa: ARG002 - there is one game, and colours come later
        """Exchange names, set the parameters, and wait until the engine is ready."""
        name = ""
        line = yield ("hub",)
        while line != "wait":
            command, pairs = read_line(line)
            if command == "id":
                self.version, name = 2, " ".join(filter(None, (pairs.get("name"), pairs.get("version"))))
            elif command == "name":
                name = line.partition(" ")[2]
            line = yield ()
        line = yield (*self._options(), "init")
        while line != "ready":
            _refuse_error(line)
            line = yield ()
        return name

    def sitting(self, course: Course, seat: Seat) -> Dialogue[None]:
        """Say that what was thought before concerns this match no more."""
        yield from super().sitting(course, seat)
        pong = yield ("new-game" if self.version == 2 else "new", "ping")
        while pong != "pong":
            pong = yield ()

    def asking(self, position: Position, pace: Pace) -> Dialogue[Said]:
        """Show the first position and the moves since, say how long to think, and wait for the move."""
        remark: dict[str, str] = {}
        line = yield (*self._shown(), *self._paced(pace), "go think" if self.version == 2 else "go")
        while (command := line.partition(" ")[0]) != ("done" if self.version == 2 else "move"):
            _refuse_error(line)
            if command == "info":
                remark |= _remarks(line)
            line = yield ()
        said = read_line(line)[1].get("move", "") if self.version == 2 else line.partition(" ")[2].partition(" ")[0]
        return Said(read_move(said, position.view), remark=remark)

    def _options(self) -> Iterator[str]:
        for key, given in self.launch.options:
            yield write_line("set-param", name=key, value=given) if self.version == 2 else f"set {key} {given}"

    def _shown(self) -> Iterator[str]:
        first, moves = write_position(self.course.first), [write_move(one) for one in self.course.moves]
        if self.version == 2:
            yield write_line("pos", pos=first, **({"moves": " ".join(moves)} if moves else {}))
        else:
            yield f"pos {first[0].lower()}{first[1:]}"
            yield from (f"move {one}" for one in moves)

    def _paced(self, pace: Pace) -> Iterator[str]:
        if self.version == 2:
            if pace.game is not None:
                yield write_line("level", time=pace.game / 1000, inc=pace.increment / 1000)
            limits = {"move-time": pace.move and pace.move / 1000, "depth": pace.depth, "nodes": pace.nodes}
            yield from (write_line("level", **{key: limit}) for key, limit in limits.items() if limit is not None)
        else:
            if pace.game is not None:
                yield f"level 0 {pace.game} {pace.increment}"
            yield from (f"{key} {limit}" for key, limit in (("time", pace.move), ("depth", pace.depth)) if limit is not None)


def _refuse_error(line: str) -> None:
    if line.partition(" ")[0] == "error":
        raise PlayerGarbledError("engine-error", line=shorten(line))


def _remarks(line: str) -> dict[str, str]:
    """Return what an engine says about its search; in version 1 by place: depth, mean depth, score, nodes, time, speed, moves."""
    pairs = read_line(line)[1]
    if "=" not in line:
        pairs = dict(zip(("depth", "mean", "score", "nodes", "time", "speed", "pv"), line.split(" ", 7)[1:], strict=False))
    return {key: pairs[key] for key in ("score", "depth", "nodes", "pv") if pairs.get(key)}


# ── we answer ──────────────────────────────────────────────────────────────────────────────────────────────────────


class HubSpeaker(Speaker):
    """An engine of the house that is asked in Hub 2."""

    games = ("draughts",)
    options = {"draughts": {"plies": 2_000}}  # noqa: RUF012 - never changed; a game between programs may be long

    def begin(self) -> None:
        """Begin at the usual position, with all the time there is."""
        super().begin()
        self.state: Board = self.game.start()
        self.left: int | None = None

    def hear(self, line: str) -> Iterator[str]:
        """Answer one command; those that are not known are ignored."""
        command, pairs = read_line(line)
        if command == "hub":
            yield write_line("id", name=self.title, author="Arbitre")
            yield "wait"
        elif command in ("init", "ping"):
            yield {"init": "ready", "ping": "pong"}[command]
        elif command == "new-game":
            self.begin()
        elif command == "pos":
            yield from self._shown(pairs)
        elif command == "level":
            self._paced(pairs)
        elif command == "go":
            yield from self._go()
        elif command == "quit":
            self.over = True

    def _shown(self, pairs: dict[str, str]) -> Iterator[str]:
        self.left = None
        try:
            board = read_position(pairs["pos"]) if "pos" in pairs else self.game.start()
            for text in pairs.get("moves", "").split():
                board = self.after(board, self.notation.read(read_move(text, board), board))
        except ArbitreError as error:
            yield write_line("error", message=str(error).replace('"', "'"))
        else:
            self.state = board

    def _paced(self, pairs: dict[str, str]) -> None:
        for key in ("move-time", "time"):
            if key in pairs:
                self.left = milliseconds(pairs[key], 1_000)

    def _go(self) -> Iterator[str]:
        if self.state.moves:
            yield write_line("done", move=write_move(self.think(self.state, self.left)))
        else:
            yield write_line("error", message="there is no move")
