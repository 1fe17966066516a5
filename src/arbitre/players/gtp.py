"""GTP, the language of Go programs, as some Reversi engines speak it.

A command is a line; its answer begins with `=`, or `?` where it failed, and ends with an empty line. The engine keeps the board:
it is told every move of the match, `play black F5`, and asked with `genmove white`. It cannot be shown a position, so it plays
from the usual start only. Times are whole seconds.

A pass is forced where it is legal, so no engine is asked for it; it is told.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

from arbitre.errors import ArbitreError, PlayerGarbledError, PlayerLeftError, shorten
from arbitre.games.game import AnyGame, Outcome, Seat
from arbitre.games.player import Position
from arbitre.games.reversi.rules import PASS, Board, Cell
from arbitre.players import Contestant, Setting
from arbitre.players.adapter import Dialogue, Language, Launch, Pace, Said
from arbitre.players.course import Course
from arbitre.players.launch import adapted
from arbitre.players.speaker import Speaker

COLOURS = ("black", "white")


def contestant(text: str, rest: str, setting: Setting) -> Contestant:
    """Return a Reversi engine that speaks GTP."""
    return replace(adapted(text, rest, setting, Gtp), from_start=True)


def write_move(move: Cell) -> str:
    """Return a cell, or the pass."""
    return "pass" if move == PASS else str(move)


def read_move(text: str) -> str:
    """Return the move in our text."""
    return str(PASS) if text.lower() in ("pass", "ps", "pa") else text.upper()


# ── we ask ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Gtp(Language):
    """Asks an engine in GTP."""

    name = "GTP"
    games = ("reversi",)

    def __init__(self, launch: Launch) -> None:
        super().__init__(launch)
        self._told = 0
        """How many moves of the course the engine knows."""
        self._timed = False

    def greeting(self, game: AnyGame, seat: Seat) -> Dialogue[str]:  # noqa: ARG002 - there is one game, and colours come with it
        """Ask its name, set the options as commands, and demand a board of eight lines."""
        name = yield from self._command("name")
        for key, given in self.launch.options:
            yield from self._command(f"{key} {given}".strip())
        yield from self._command("boardsize 8")
        return name

    def sitting(self, course: Course, seat: Seat) -> Dialogue[None]:
        """Begin a game; it can only begin at the usual start."""
        yield from super().sitting(course, seat)
        self._refuse_start()
        yield from self._command("clear_board")

    def asking(self, position: Position, pace: Pace) -> Dialogue[Said]:
        """Tell the moves that are new, and the time, and ask."""
        self._refuse_start()
        for move in self.course.moves[self._told :]:
            yield from self._command(f"play {COLOURS[self._told % 2]} {write_move(move)}")
            self._told += 1
        if not position.view.moves:
            return Said(str(PASS))
        colour = COLOURS[position.seat]
        if position.left is not None or self.launch.time is not None:
            yield from self._timed_by(colour, pace)
        said = yield from self._command(f"genmove {colour}")
        if said.lower() == "resign":
            return Said("", resigns=True)
        self._told += 1  # what it says it has played
        return Said(read_move(said))

    def _timed_by(self, colour: str, pace: Pace) -> Dialogue[None]:
        if pace.game is None:
            seconds = max(1, (pace.move or 0) // 1_000)
            settings, left = f"time_settings 0 {seconds} 1", f"time_left {colour} {seconds} 1"
        else:
            seconds = max(1, pace.game // 1_000)
            settings, left = f"time_settings {seconds} 0 0", f"time_left {colour} {seconds} 0"
        if not self._timed:
            yield from self._command(settings)
            self._timed = True
        yield from self._command(left)

    def _refuse_start(self) -> None:
        if not self.course.usual:
            raise PlayerLeftError("engine-from-start", language=self.name)

    def _command(self, command: str) -> Dialogue[str]:
        """Say a command, and return what it answers."""
        line = yield (command,)
        while not line.startswith(("=", "?")):
            line = yield ()
        first = line
        while line:
            line = yield ()
        if first.startswith("?"):
            raise PlayerGarbledError("engine-error", line=shorten(f"{command}: {first}"))
        return first[1:].strip()


# ── we answer ──────────────────────────────────────────────────────────────────────────────────────────────────────


class GtpSpeaker(Speaker):
    """An engine of the house that is asked in GTP."""

    games = ("reversi",)

    def begin(self) -> None:
        """Begin at the usual position."""
        super().begin()
        self.state: Board = self.game.start()
        self.left: int | None = None

    def hear(self, line: str) -> Iterator[str]:
        """Answer one command; the number before it, if there is one, comes back with the answer."""
        words = line.partition("#")[0].split()
        number = words.pop(0) if words and words[0].isdecimal() else ""
        if not words:
            return
        try:
            answer, mark = self.COMMANDS.get(words[0], _unknown)(self, words[1:]), "="
        except (_Failed, ArbitreError) as error:
            answer, mark = " ".join(str(error).split()), "?"
        yield f"{mark}{number} {answer}".rstrip()
        yield ""

    def _boardsize(self, words: list[str]) -> str:
        if words != ["8"]:
            raise _Failed("unacceptable size")
        return ""

    def _clear(self, _words: list[str]) -> str:
        self.begin()
        return ""

    def _play(self, words: list[str]) -> str:
        if len(words) != 2 or self._colour(words[0]) != self.state.mover:
            raise _Failed("illegal move")
        self.state = self.after(self.state, self.notation.read(read_move(words[1]), self.state))
        return ""

    def _genmove(self, words: list[str]) -> str:
        if isinstance(self.game.phase(self.state), Outcome):
            return "pass"
        if len(words) != 1 or self._colour(words[0]) != self.state.mover:
            raise _Failed("it is the other side's turn")
        move = self.think(self.state, self.left)
        self.state = self.after(self.state, move)
        return write_move(move)

    def _time_left(self, words: list[str]) -> str:
        if len(words) == 3 and words[1].isdecimal() and len(words[1]) < 10 and self._colour(words[0]) == self.state.mover:
            self.left = 1_000 * int(words[1])
        return ""

    def _quit(self, _words: list[str]) -> str:
        self.over = True
        return ""

    def _colour(self, word: str) -> int:
        return {"b": 0, "black": 0, "w": 1, "white": 1}.get(word.lower(), -1)

    def _known(self, words: list[str]) -> str:
        return "true" if words and words[0] in self.COMMANDS else "false"

    COMMANDS: ClassVar[Mapping[str, Callable[["GtpSpeaker", list[str]], str]]] = {
        "protocol_version": lambda _self, _words: "2",
        "name": lambda self, _words: self.title,
        "version": lambda _self, _words: "",
        "known_command": _known,
        "list_commands": lambda self, _words: "\n".join(self.COMMANDS),
        "boardsize": _boardsize,
        "clear_board": _clear,
        "komi": lambda _self, _words: "",
        "play": _play,
        "genmove": _genmove,
        "time_settings": lambda _self, _words: "",
        "time_left": _time_left,
        "showboard": lambda self, _words: "\n" + self.notation.picture(self.state),
        "quit": _quit,
    }


class _Failed(Exception):  # noqa: N818 - its words are an answer of the language
    """A command that cannot be done; its words are the answer."""


def _unknown(_speaker: GtpSpeaker, _words: list[str]) -> str:
    raise _Failed("unknown command")
