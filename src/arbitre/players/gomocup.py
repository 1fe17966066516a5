"""The language of Gomocup and Piskvork: engines for five in a row, and those of its relatives that speak it.

`START 10`, and the engine says `OK`; `ABOUT`, and it says who it is; `BEGIN`, `TURN 3,4` or `BOARD` with lines `3,4,1` and a last
one `DONE`, and it says a cell, column and row from the top left, from 0. `INFO KEY VALUE` tells it times and rules and is not
answered; `MESSAGE` and `DEBUG` may come at any time, `ERROR` and `UNKNOWN` where it cannot go on.

On ten by ten cells it plays BigTicTacToe with the option `first`, where five or more in a row win: rule 0, freestyle, as every
engine knows it. What the language calls a game stands in its rules, as `GOMOCUP`. For some it has no number, but lets engines
have rules of their own: whoever brings one says which, `rule=N`. Captured pairs cannot be said, so such a game is played from
its start, move by move.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

from arbitre.errors import ArbitreError, PlayerGarbledError, PlayerLeftError, PlayerStringError, shorten
from arbitre.games.catalogue import listings
from arbitre.games.game import FIRST, SECOND, AnyGame, Outcome, Seat
from arbitre.games.player import Position
from arbitre.players import Contestant, Setting
from arbitre.players.adapter import Dialogue, Language, Launch, Pace, Said
from arbitre.players.course import Course
from arbitre.players.launch import adapted, read_launch
from arbitre.players.speaker import Speaker, milliseconds

RULES = {one.name: module for one in listings() if hasattr(module := import_module(one.rules.partition(":")[0]), "GOMOCUP")}
"""The rules of each game that the language can say: a board, its cells and their bits."""
SIDES = {name: int(rules.SIDE) for name, rules in RULES.items()}
CELL = re.compile(r"([0-9]{1,2}) *, *([0-9]{1,2})")
FIELD = re.compile(r"([0-9]{1,2}),([0-9]{1,2}),([123])")
DEPTH = re.compile(r"\bdepth\W{1,3}([0-9]{1,4})", re.IGNORECASE)
SCORE = re.compile(r"\b(?:eval|score|ev)\W{0,3}?([+-]?[0-9]{1,9}(?:\.[0-9]{1,4})?)\b", re.IGNORECASE)
LINE = re.compile(r"\b(?:bestline|pv)\W{1,3}(.*)", re.IGNORECASE)
ASIDE = ("MESSAGE", "DEBUG", "SUGGEST")
ENDLESS = 2_147_483_647
"""The greatest number of the language: what Piskvork says for a game without a limit."""


def contestant(text: str, rest: str, setting: Setting) -> Contestant:
    """Return an engine that speaks the language of Gomocup."""
    made = adapted(text, rest, setting, Gomocup, ("rule",))
    if not getattr(setting.game, "first", True):
        raise PlayerStringError("engines of this language play for the first row of five: give the game the option first=yes")
    rule = read_launch(text, rest, setting, ("rule",)).word("rule", rules_of(setting.game).GOMOCUP)
    if not (rule.isascii() and rule.isdigit()):
        raise PlayerStringError("say by which number the engine knows the rules of this game: rule=N")
    return replace(made, from_start=not rules_of(setting.game).GOMOCUP)


def rules_of(game: AnyGame) -> Any:
    """Return the module of a game's rules."""
    return RULES[game.name]


# ── texts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def write_cell(cell: int, side: int) -> str:
    """Return column and row, from 0."""
    return f"{cell % side},{cell // side}"


def read_cell(text: str, side: int) -> int | None:
    """Return the cell; None where the text says none of this board."""
    found = CELL.fullmatch(text.strip())
    if found is None or not (int(found[1]) < side and int(found[2]) < side):
        return None
    return int(found[1]) + side * int(found[2])


def marks(game: AnyGame, state: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the cells of the first and of the second player, in reading order."""
    bits = rules_of(game).BITS
    first, second = (tuple(cell for cell, bit in enumerate(bits) if bit & held) for held in (state.first, state.second))
    return first, second


def write_board(game: AnyGame, state: Any, seat: Seat) -> Iterator[str]:
    """Return the lines that show a board to a seat: its own stones are 1. They come by turns, as if they had been laid so."""
    side, both = SIDES[game.name], marks(game, state)
    yield "BOARD"
    for at in range(max(map(len, both))):
        for who in (FIRST, SECOND):
            if at < len(both[who]):
                yield f"{write_cell(both[who][at], side)},{1 if who == seat else 2}"
    yield "DONE"


# ── we ask ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Gomocup(Language):
    """Asks an engine in the language of Gomocup."""

    name = "Gomocup"
    games = tuple(RULES)

    def __init__(self, launch: Launch) -> None:
        super().__init__(launch)
        self._known: list[Any] | None = None
        """The moves that the engine knows of this course; None: it must be shown the board."""

    def greeting(self, game: AnyGame, seat: Seat) -> Dialogue[str]:  # noqa: ARG002 - seats are told with the first move
        """Begin on a board of the right size, and tell the rule and the options."""
        line = yield (f"START {SIDES[game.name]}",)
        while not line.upper().startswith("OK"):
            _refuse_error(line)
            line = yield ()
        line = yield (*self._told(), "ABOUT")
        while not line or line.upper().startswith(ASIDE):
            line = yield ()
        found = re.search(r'name *= *"([^"]*)"', line)
        return found[1] if found else ""

    def sitting(self, course: Course, seat: Seat) -> Dialogue[None]:
        """Take the course; captured pairs cannot be said, so where there are some it begins at the start."""
        yield from super().sitting(course, seat)
        self._refuse_start()
        self._known = [] if course.usual else None

    def asking(self, position: Position, pace: Pace) -> Dialogue[Said]:
        """Tell the last move, or the board where that is not enough, and wait for a cell."""
        side, remark = SIDES[position.game.name], dict[str, str]()
        line = yield (*_paced(pace), *self._shown(position))
        while (cell := read_cell(line, side)) is None:
            _refuse_error(line)
            if line.upper().startswith("MESSAGE"):
                remark |= _remarks(line)
            elif CELL.fullmatch(line):
                raise PlayerGarbledError("engine-no-such-move", move=shorten(line))
            line = yield ()
        move = rules_of(position.game).CELLS[cell]
        self._known = [*self.course.moves, move]
        return Said(position.notation.write(move), remark=remark)

    def ending(self) -> tuple[str, ...]:
        """Say goodbye."""
        return ("END",)

    def _told(self) -> Iterator[str]:
        """Tell what does not change: the rule, how much memory there is, and the options."""
        yield f"INFO rule {self.launch.word('rule', '0')}"
        yield "INFO game_type 1"
        memory = self.launch.limits.memory if self.launch.limits is not None else None
        if memory is not None and memory <= ENDLESS:
            yield f"INFO max_memory {memory}"
        limits = (("max_depth", self.launch.depth), ("max_node", self.launch.nodes))
        yield from (f"INFO {key} {limit}" for key, limit in limits if limit is not None)
        yield from (f"INFO {key} {given}" for key, given in self.launch.options)

    def _shown(self, position: Position) -> Iterator[str]:
        course, known = self.course, self._known
        if known is not None and course.moves[:-1] == known and course.moves:
            yield f"TURN {write_cell(course.moves[-1], SIDES[position.game.name])}"
        elif known == [] == course.moves and course.usual:
            yield "BEGIN"
        else:
            self._refuse_start(again=True)
            if known is None or known:
                yield "RESTART"
            yield from write_board(position.game, course.now, position.seat)

    def _refuse_start(self, *, again: bool = False) -> None:
        if not rules_of(self.course.game).GOMOCUP and (again or not self.course.usual):
            raise PlayerLeftError("engine-from-start", language=self.name)


def _paced(pace: Pace) -> Iterator[str]:
    if pace.game is not None:
        yield f"INFO timeout_match {pace.game}"
        yield f"INFO time_left {pace.game}"
        yield f"INFO timeout_turn {pace.game}"
    elif pace.move is not None:
        yield "INFO timeout_match 0"
        yield f"INFO time_left {ENDLESS}"
        yield f"INFO timeout_turn {pace.move}"


def _refuse_error(line: str) -> None:
    if line.upper().startswith(("ERROR", "UNKNOWN")):
        raise PlayerGarbledError("engine-error", line=shorten(line))


def _remarks(line: str) -> dict[str, str]:
    found = {"depth": DEPTH.search(line), "score": SCORE.search(line), "pv": LINE.search(line)}
    return {"text": line.partition(" ")[2], **{key: one[1] for key, one in found.items() if one is not None}}


# ── we answer ──────────────────────────────────────────────────────────────────────────────────────────────────────


class GomocupSpeaker(Speaker):
    """An engine of the house that is asked in the language of Gomocup."""

    games = tuple(RULES)
    options = {"bigtictactoe": {"first": True}}  # noqa: RUF012 - never changed

    def begin(self) -> None:
        """Begin on an empty board."""
        super().begin()
        self.state: Any = self.game.start()
        self.side = SIDES[self.game.name]
        self.left: int | None = None
        self._fields: list[tuple[int, int]] | None = None
        """What was said of a board so far, while one is being shown."""

    def hear(self, line: str) -> Iterator[str]:
        """Answer one command."""
        if self._fields is not None:
            yield from self._field(self._fields, line)
            return
        command, _, rest = line.strip().partition(" ")
        match command.upper():
            case "START":
                yield "OK" if rest.strip() == str(self.side) else f"ERROR {self.game.name} is played on {self.side} lines"
                self.begin()
            case "RESTART":
                self.begin()
                yield "OK"
            case "BEGIN":
                yield from self._answer()
            case "TURN":
                yield from self._turn(rest)
            case "BOARD":
                self._fields = []
            case "INFO":
                self._told(*rest.partition(" ")[::2])
            case "ABOUT":
                yield f'name="{self.title}", author="Arbitre"'
            case "END":
                self.over = True
            case "":
                pass
            case _:
                yield f"UNKNOWN {shorten(command)}"

    def _told(self, key: str, given: str) -> None:
        if key in ("timeout_turn", "time_left"):
            told = milliseconds(given)
            self.left = self.left if told is None or told >= ENDLESS else told

    def _turn(self, text: str) -> Iterator[str]:
        cell = read_cell(text, self.side)
        if cell is None:
            yield f"ERROR {shorten(text)} is no cell"
            return
        try:
            self.state = self.after(self.state, self._cell(cell))
        except ArbitreError as error:
            yield f"ERROR {error}"
        else:
            yield from self._answer()

    def _cell(self, cell: int) -> Any:
        return rules_of(self.game).CELLS[cell]

    def _field(self, fields: list[tuple[int, int]], line: str) -> Iterator[str]:
        found = FIELD.fullmatch(line.replace(" ", ""))
        if found is not None and len(fields) < self.side**2 and int(found[1]) < self.side and int(found[2]) < self.side:
            fields.append((int(found[1]) + self.side * int(found[2]), int(found[3])))
            return
        self._fields = None
        if line.strip().upper() != "DONE":
            yield f"ERROR {shorten(line)} is no line of a board"
            return
        self.state = self._laid(fields)
        yield from self._answer()

    def _laid(self, fields: list[tuple[int, int]]) -> Any:
        """Return the state in which these stones lie and it is our turn."""
        rules = rules_of(self.game)
        bits = rules.BITS
        own, theirs = (sum(bits[cell] for cell in {cell for cell, whose in fields if whose == kind}) for kind in (1, 2))
        stones = (own | theirs).bit_count()
        first, second = (theirs, own) if stones % 2 else (own, theirs)
        return rules.Board(first, second) if rules.GOMOCUP else rules.Board(first, second, turn=stones + 1)

    def _answer(self) -> Iterator[str]:
        if isinstance(self.game.phase(self.state), Outcome):
            yield "ERROR the game is over"
            return
        move = self.think(self.state, self.left)
        self.state = self.after(self.state, move)
        yield write_cell(move, self.side)
