"""Every exception of Arbitre, one tree.

Whatever goes wrong by somebody's doing is an `ArbitreError`: its message says in one lower-case line what was wrong and
where, quoting the evidence, and the command line prints it as it is. Anything else that escapes is a bug of ours.
"""

from collections.abc import Iterable


class ArbitreError(Exception):
    """Something a user, a player, a peer or a file did that the referee cannot accept."""


# ── moves ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class MoveError(ArbitreError):
    """What a player said cannot be played."""


class InvalidMoveError(MoveError):
    """The text does not say a move of this game at all; `text` is what was said."""

    def __init__(self, text: str, why: str) -> None:
        super().__init__(f"invalid move {shorten(text)!r}: {why}")
        self.text = text
        self.why = why


class AmbiguousMoveError(MoveError):
    """The text fits several moves; `fits` lists them in canonical text."""

    def __init__(self, text: str, fits: Iterable[str]) -> None:
        self.text = text
        self.fits = tuple(fits)
        super().__init__(f"ambiguous move {shorten(text)!r}: it fits {' and '.join(self.fits)}")


class IllegalMoveError(MoveError):
    """The text says a move, but the rules forbid it here; `move` is that move."""

    def __init__(self, move: object, why: str) -> None:
        super().__init__(f"illegal move {shorten(str(move))}: {why}")
        self.move = move
        self.why = why


# ── games, positions, options ──────────────────────────────────────────────────────────────────────────────────────


class RulesError(ArbitreError):
    """A game was asked for something it does not have."""


class UnknownGameError(RulesError):
    """No game of that name is in the catalogue."""


class OptionError(RulesError):
    """A game was given an option it does not know, or a value the option cannot take."""


class OpenSetError(RulesError):
    """The legal moves are too many to list (a fleet, a commitment): use `Game.sample` and `Game.check`."""


class CatalogueError(RulesError):
    """Two packages claim one name, or an entry point does not lead to a game."""


class PositionError(ArbitreError):
    """The text is not a position of this game; `at` is the offset of the first character that is wrong, if one is."""

    def __init__(self, text: str, why: str, at: int | None = None) -> None:
        where = "" if at is None else f" at character {at + 1}"
        super().__init__(f"bad position {shorten(text)!r}{where}: {why}")
        self.text = text
        self.why = why
        self.at = at


class GameTextError(ArbitreError):
    """The text is not a record of games (PDN); `line` and `column`, from 1, are where it goes wrong."""

    def __init__(self, why: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {why}")
        self.why = why
        self.line = line
        self.column = column


def shorten(text: str, most: int = 80) -> str:
    """Cut evidence to what fits a line: a hostile message must not fill the log."""
    return text if len(text) <= most else text[: most - 1] + "…"
