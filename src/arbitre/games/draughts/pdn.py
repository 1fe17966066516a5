"""PDN: games of international draughts as text files, with headers, comments, marks and variations.

A file holds any number of games. Each is read as a `PdnGame`, every move checked by the rules; what cannot be read raises
`GameTextError` with line and column. Reading takes time in proportion to the text, whatever the text: nesting, the number of
moves and the length of everything are bounded, and nothing here calls itself on the way in.

The writer is canonical: what it writes is read back as an equal game, and written again as the same text. Four headers are not
kept as text because the game says them itself: `Result`, `GameType` (20, international), `SetUp` and `FEN`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from arbitre.errors import GameTextError, MoveError, PositionError, shorten
from arbitre.games.draughts.notation import DraughtsNotation, read_fen, write_fen
from arbitre.games.draughts.rules import Board, Draughts, Move
from arbitre.games.exports import Finished
from arbitre.reasons import Reason
from arbitre.values import value

RESULTS = ("1-0", "0-1", "1/2-1/2", "2-0", "0-2", "1-1", "0-0", "*")
SPOKEN = ("Result", "GameType", "SetUp", "FEN")
"""The headers that the game says itself."""

MOST_NESTED = 16
MOST_PLIES = 20_000
"""Of one game, with all its variations."""
MOST_HEADERS = 100
LONGEST_HEADER = 1_000
LONGEST_COMMENT = 20_000
WIDTH = 79

GAME = Draughts(plies=2_000)
"""Games between people know no limit of a hundred plies."""


@value
class PdnPly:
    """One move, and what the annotator adds: marks (`$1` and so on), remarks after it, other moves instead of it."""

    move: Move
    marks: tuple[int, ...] = ()
    comments: tuple[str, ...] = ()
    variations: tuple["PdnLine", ...] = ()


@value
class PdnLine:
    """A sequence of plies, and the remarks before the first."""

    plies: tuple[PdnPly, ...] = ()
    comments: tuple[str, ...] = ()


@value
class PdnGame:
    """One game of a file; a position to start from counts turns from 1, or from 2 when black begins."""

    headers: tuple[tuple[str, str], ...] = ()
    start: Board = GAME.start()
    line: PdnLine = PdnLine()
    result: str = "*"

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves that were played, without variations."""
        return tuple(ply.move for ply in self.line.plies)

    def header(self, name: str, default: str = "?") -> str:
        """Return the value of a header, `?` when it is missing."""
        return dict(reversed(self.headers)).get(name, default)


# ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────────

TOKEN = re.compile(
    r"""
    (?P<space> \s+ )
  | (?P<comment> \{ [^}]* \} | ; [^\n]* )
  | (?P<header> \[ \s* (?P<name> [A-Za-z][A-Za-z0-9_]* ) \s* " (?P<text> (?: [^"\\\n] | \\ ["\\] )* ) " \s* \] )
  | (?P<result> (?: 1/2-1/2 | [01]-[01] | 2-0 | 0-2 | \* ) (?! [0-9x/-] ) )
  | (?P<number> [0-9]{1,4} \s* \.+ | \.\.\. )
  | (?P<move> [0-9]{1,2} (?: [-xX] [0-9]{1,2} ){1,20} (?! [0-9x-] ) )
  | (?P<mark> \$ [0-9]{1,3} (?! [0-9] ) | !!|\?\?|!\?|\?!|!|\? )
  | (?P<open> \( )
  | (?P<close> \) )
    """,
    re.VERBOSE,
)
MARKS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}


@dataclass(slots=True)
class _Ply:
    """A ply that is still being annotated, with the board before it."""

    before: Board
    move: Move
    marks: list[int] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    variations: list[PdnLine] = field(default_factory=list)

    def done(self) -> PdnPly:
        return PdnPly(self.move, tuple(self.marks), tuple(self.comments), tuple(self.variations))


@dataclass(slots=True)
class _Line:
    """A line that is still being read, with the board after its last ply."""

    board: Board
    plies: list[_Ply] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    def done(self) -> PdnLine:
        return PdnLine(tuple(ply.done() for ply in self.plies), tuple(self.comments))


class _Reader:
    """Reads one game after the other; `_at` is where the token in hand begins."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._notation = DraughtsNotation(GAME)
        self._clear()

    def _clear(self) -> None:
        self._headers: list[tuple[str, str]] = []
        self._spoken: dict[str, str] = {}
        self._lines: list[_Line] = []
        self._remarks: list[str] = []
        self._plies = 0

    def games(self) -> Iterator[PdnGame]:
        """Yield the games; one ends with its result, with the headers of the next or with the text."""
        end = 0
        while end < len(self._text):
            self._at = end
            said = TOKEN.match(self._text, end)
            if said is None:
                raise self._error("cannot read %(text)r", text=shorten(self._text[end : end + 40].split(chr(10))[0], 20))
            end = said.end()
            kind = said.lastgroup
            if said["header"] is not None:
                if self._lines:
                    yield self._game("*")
                self._header(said["name"], re.sub(r"\\(.)", r"\1", said["text"]))
            elif kind == "result":
                yield self._game(said[0])
            elif kind not in ("space", "number"):
                self._element(str(kind), said[0])
        self._at = end
        if self._lines or self._headers or self._spoken:
            yield self._game("*")

    def _element(self, kind: str, said: str) -> None:
        """Take a part of the movetext."""
        if kind == "comment":
            self._comment(said)
            return
        line = self._line()
        if kind == "move":
            self._move(said)
        elif kind == "mark":
            if not line.plies:
                raise self._error("the mark %(mark)s follows no move", mark=said)
            line.plies[-1].marks.append(MARKS.get(said) or int(said.removeprefix("$")))
        elif kind == "open":
            if not line.plies:
                raise self._error(Reason("a variation follows no move"))
            if len(self._lines) > MOST_NESTED:
                raise self._error("variations are nested more than %(most)s deep", most=MOST_NESTED)
            self._lines.append(_Line(line.plies[-1].before))
        else:
            if len(self._lines) == 1:
                raise self._error(Reason("this parenthesis closes no variation"))
            if not line.plies:
                raise self._error(Reason("the variation has no move"))
            self._lines.pop()
            self._lines[-1].plies[-1].variations.append(line.done())

    def _header(self, name: str, text: str) -> None:
        if len(text) > LONGEST_HEADER:
            raise self._error(
                "the header %(name)s is longer than %(most)s characters", name=shorten(name, 20), most=LONGEST_HEADER
            )
        if len(self._headers) == MOST_HEADERS:
            raise self._error("a game has at most %(most)s headers", most=MOST_HEADERS)
        if name == "FEN":
            try:
                read_fen(text.strip())
            except PositionError as error:
                raise self._error(error.reason) from error
        elif name == "GameType" and not re.match(r"20\b", text):
            raise self._error("game type %(text)r is not international draughts, which is 20", text=shorten(text, 20))
        elif name == "Result" and text not in RESULTS:
            raise self._error("the result %(text)r is none of %(results)s", text=shorten(text, 20), results=" ".join(RESULTS))
        if name in SPOKEN:
            self._spoken[name] = text
        else:
            self._headers.append((name, text))

    def _comment(self, said: str) -> None:
        if len(said) > LONGEST_COMMENT:
            raise self._error("the comment is longer than %(most)s characters", most=LONGEST_COMMENT)
        remark = " ".join((said[1:-1] if said[0] == "{" else said[1:]).split())
        if not remark:
            return
        line = self._lines[-1] if self._lines else None
        if line is None:
            self._remarks.append(remark)
        else:
            (line.plies[-1] if line.plies else line).comments.append(remark)

    def _line(self) -> _Line:
        """Return the line in hand; the first token of the movetext begins the main line."""
        if not self._lines:
            start = read_fen(self._spoken["FEN"].strip()) if "FEN" in self._spoken else GAME.start()
            self._lines.append(_Line(start, comments=self._remarks))
        return self._lines[-1]

    def _move(self, said: str) -> None:
        if self._plies == MOST_PLIES:
            raise self._error("a game has at most %(most)s moves with all its variations", most=MOST_PLIES)
        line = self._lines[-1]
        try:
            move = self._notation.read(said, line.board)
            GAME.check(line.board, move)
        except MoveError as error:
            raise self._error(error.reason) from error
        line.plies.append(_Ply(line.board, move))
        line.board = line.board.after(move)
        self._plies += 1

    def _game(self, result: str) -> PdnGame:
        main = self._line()
        if len(self._lines) > 1:
            raise self._error(Reason("a variation is not closed"))
        said = self._spoken.get("Result", "*") if result == "*" else result
        start = main.plies[0].before if main.plies else main.board
        game = PdnGame(tuple(self._headers), start, main.done(), said)
        self._clear()
        return game

    def _error(self, why: str | Reason, /, **fields: object) -> GameTextError:
        before = self._text[: self._at]
        return GameTextError(why, before.count("\n") + 1, self._at - before.rfind("\n"), **fields)


def read_games(text: str) -> Iterator[PdnGame]:
    """Yield the games of a PDN text one by one; `GameTextError` where it cannot be read."""
    return _Reader(text.removeprefix("\ufeff")).games()


# ── writing ────────────────────────────────────────────────────────────────────────────────────────────────────────


def write_games(games: Iterable[PdnGame]) -> str:
    """Return the games as one PDN text, a blank line between them."""
    return "\n".join(write_game(game) for game in games)


def write_game(game: PdnGame) -> str:
    """Return one game as PDN: its headers, a blank line, the moves wrapped to a width that mail survives, the result."""
    headers = [*game.headers, ("Result", game.result), ("GameType", "20")]
    if game.start != GAME.start():
        headers += [("SetUp", "1"), ("FEN", write_fen(game.start))]
    lines = [f'[{name} "{_escaped(text)}"]' for name, text in headers]
    return "\n".join([*lines, "", *_wrapped([*_words(game.line, game.start.mover), game.result]), ""])


def _escaped(text: str) -> str:
    return " ".join(text.split("\n")).replace("\\", "\\\\").replace('"', '\\"')


def _words(line: PdnLine, number: int) -> Iterator[str]:
    """Yield the words of a line whose first ply is the `number`th from 0; variations call this again, as deep as they go."""
    yield from _remarked(line.comments)
    told = False
    for ply in line.plies:
        black = number % 2
        numbered = f"{number // 2 + 1}{'...' if black else '.'} " if not (black and told) else ""
        yield f"{numbered}{ply.move}"
        yield from (f"${mark}" for mark in ply.marks)
        yield from _remarked(ply.comments)
        for variation in ply.variations:
            yield from _enclosed(list(_words(variation, number)))
        told = not ply.comments and not ply.variations
        number += 1


def _enclosed(words: list[str]) -> list[str]:
    """Put parentheses around words; after a comment that ends its line the closing one begins the next."""
    opened = [f"({words[0]}", *words[1:]]
    return [*opened, ")"] if opened[-1].endswith("\n") else [*opened[:-1], f"{opened[-1]})"]


def _remarked(comments: tuple[str, ...]) -> Iterator[str]:
    """Yield the words of comments: in braces, or to the end of the line when a brace is in them."""
    for comment in comments:
        words = comment.split()
        if "}" in comment:
            yield f"; {' '.join(words)}\n"
        elif words:
            yield from f"{{{' '.join(words)}}}".split()


def _wrapped(words: Iterable[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word.rstrip("\n")) > WIDTH:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
        if word.endswith("\n"):
            yield line[:-1]
            line = ""
    if line:
        yield line


def export(match: Finished) -> str:
    """Return a finished match as PDN; how it ended, where not by the rules, is remarked behind the last move."""
    notes, notation = match.notes, DraughtsNotation(GAME)
    headers = (
        ("Event", notes.get("event", "?")),
        ("Date", notes.get("date", "?").replace("-", ".")),
        ("Round", notes.get("round", "?")),
        ("White", match.names[0]),
        ("Black", match.names[1]),
    )
    plies: list[PdnPly] = []
    before = match.start
    for text, after in match.said:
        if after is not before:
            plies.append(PdnPly(notation.read(text, before)))
            before = after
    line = PdnLine(tuple(plies))
    return write_game(
        PdnGame(
            headers, match.start, _with_remark(line, match.remark) if match.remark else line, match.result("2-0", "1-1", "0-2")
        )
    )


def _with_remark(line: PdnLine, why: str) -> PdnLine:
    """Return a line of moves with a remark behind its last one."""
    if not line.plies:
        return replace(line, comments=(*line.comments, why))
    *before, last = line.plies
    return replace(line, plies=(*before, replace(last, comments=(*last.comments, why))))
