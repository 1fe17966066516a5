"""NBoard: the language of Reversi engines such as Edax and NTest.

`nboard 2` begins. `set game (;GM[Othello]…BO[8 ---…--- *]B[F5]W[D6];)` shows the first position and the moves since, in GGF;
`set depth N` says how deep to look; `go` asks, and the answer is `=== F5/1.25/0.3`, or with blanks between. `ping N` is answered
`pong N` when everything before it is done, so that nothing said before passes for an answer. The language has no clock.

A pass is `PA`. It is forced where it is legal, so no engine is asked for it.
"""

import re
from collections.abc import Iterator
from typing import Any

from arbitre.errors import ArbitreError, PositionError, shorten
from arbitre.games.game import AnyGame, Outcome, Seat
from arbitre.games.player import Position
from arbitre.games.reversi.rules import PASS, Board, Cell, lay
from arbitre.players import Contestant, Setting
from arbitre.players.adapter import Dialogue, Language, Launch, Pace, Said
from arbitre.players.launch import adapted
from arbitre.players.speaker import Speaker

DEPTH = 10
"""How deep an engine looks that is told nothing else."""

TAG = re.compile(r"([A-Z]{1,2})\[([^\]]{0,2000})\]")
BOARD = re.compile(r"8 ?([-*O.]{64}) ?([*O])")
PASSES = ("PA", "PASS", "PS", "--")


def contestant(text: str, rest: str, setting: Setting) -> Contestant:
    """Return a Reversi engine that speaks NBoard."""
    return adapted(text, rest, setting, NBoard)


# ── texts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def write_move(move: Cell) -> str:
    """Return a cell, or the pass."""
    return "PA" if move == PASS else str(move)


def read_move(text: str) -> str:
    """Return the move in our text."""
    return str(PASS) if text.upper() in PASSES else text.upper()


def write_board(board: Board) -> str:
    """Return the 64 cells, and who is to move."""
    marks = ("*" if board.black >> at & 1 else "O" if board.white >> at & 1 else "-" for at in range(64))
    return f"8 {''.join(marks)} {'*O'[board.mover]}"


def read_board(text: str) -> Board:
    """Return the board; `PositionError`. Passes leave no trace on it, so the turn is the one that most games have there."""
    found = BOARD.fullmatch(text.strip().upper())
    if found is None:
        raise PositionError(text, "a board is 8, then 64 cells, each one of - * O, then who is to move, * or O")
    black, white = (sum(1 << at for at, mark in enumerate(found[1]) if mark == ours) for ours in "*O")
    turn = max(1, (black | white).bit_count() - 3)
    return lay(black, white, turn if (turn % 2 == 1) == (found[2] == "*") else turn + 1)


def write_game(first: Board, moves: list[Any], names: tuple[str, str] = ("black", "white"), time: str = "0") -> str:
    """Return a game in GGF."""
    said = (f"{'BW'[(first.mover + at) % 2]}[{write_move(move)}]" for at, move in enumerate(moves))
    head = f"GM[Othello]PC[Arbitre]PB[{names[0]}]PW[{names[1]}]RE[?]TI[{time}]TY[8]"
    return f"(;{head}BO[{write_board(first)}]{''.join(said)};)"


def read_game(text: str) -> tuple[Board, list[str]]:
    """Return the first position of a game in GGF and its moves, in our text."""
    tags = [(found[1], found[2]) for found in TAG.finditer(text)]
    boards = [told for tag, told in tags if tag == "BO"]
    if not boards:
        raise PositionError(shorten(text), "a game in GGF has its first board in BO[…]")
    return read_board(boards[0]), [read_move(told.partition("/")[0].strip()) for tag, told in tags if tag in ("B", "W")]


# ── we ask ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class NBoard(Language):
    """Asks an engine in NBoard."""

    name = "NBoard"
    games = ("reversi",)

    def __init__(self, launch: Launch) -> None:
        super().__init__(launch)
        self._pings = 0

    def greeting(self, game: AnyGame, seat: Seat) -> Dialogue[str]:  # noqa: ARG002 - there is one game, and colours come with it
        """Begin, set the depth and the options, and wait until all of that is done."""
        name = ""
        options = (f"set {key} {given}" for key, given in self.launch.options)
        line = yield ("nboard 2", f"set depth {self.launch.depth or DEPTH}", *options, self._ping())
        while line != f"pong {self._pings}":
            if line.startswith("set myname "):
                name = line.removeprefix("set myname ")
            line = yield ()
        return name

    def asking(self, position: Position, pace: Pace) -> Dialogue[Said]:
        """Show the game, ask, and wait for the move."""
        if not position.view.moves:
            return Said(str(PASS))
        left = pace.share if pace.game is None else pace.game
        time = "0" if left is None else f"{left // 60_000}:{left // 1_000 % 60:02}"
        game = write_game(self.course.first, self.course.moves, time=time)
        line = yield (f"set game {game}", self._ping(), "go")
        while line != f"pong {self._pings}":
            line = yield ()
        nodes = ""
        while not line.startswith("==="):
            if line.startswith("nodestats "):
                nodes = line.split()[1]
            line = yield ()
        words = re.split(r"[/\s]+", line.removeprefix("===").strip())
        remark = {"score": words[1]} if len(words) > 1 and words[1] else {}
        return Said(read_move(words[0]), remark=remark | ({"nodes": nodes} if nodes else {}))

    def _ping(self) -> str:
        self._pings += 1
        return f"ping {self._pings}"


# ── we answer ──────────────────────────────────────────────────────────────────────────────────────────────────────


class NBoardSpeaker(Speaker):
    """An engine of the house that is asked in NBoard."""

    games = ("reversi",)

    def begin(self) -> None:
        """Begin at the usual position."""
        super().begin()
        self.state: Board = self.game.start()

    def hear(self, line: str) -> Iterator[str]:
        """Answer one command; those that are not known are ignored, as the language has it."""
        command, _, rest = line.strip().partition(" ")
        if command == "nboard":
            yield f"set myname {self.title}"
        elif command == "ping":
            yield f"pong {rest}"
        elif command == "set" and rest.startswith("game "):
            yield from self._shown(rest.removeprefix("game "))
        elif command == "move":
            yield from self._played(rest)
        elif command == "go":
            yield from self._go()
        elif command == "quit":
            self.over = True

    def _shown(self, text: str) -> Iterator[str]:
        try:
            state, moves = read_game(text)
            if state.black == self.game.start().black and state.white == self.game.start().white and not moves:
                self.begin()
            for move in moves:
                state = self.after(state, self.notation.read(move, state))
        except ArbitreError as error:
            yield f"status {error}"
        else:
            self.state = state

    def _played(self, text: str) -> Iterator[str]:
        try:
            self.state = self.after(self.state, self.notation.read(read_move(text.partition("/")[0].strip()), self.state))
        except ArbitreError as error:
            yield f"status {error}"

    def _go(self) -> Iterator[str]:
        if isinstance(self.game.phase(self.state), Outcome):
            yield "status the game is over"
            return
        yield f"status {self.title} is thinking"
        yield f"=== {write_move(self.think(self.state))}"
        yield "status"
