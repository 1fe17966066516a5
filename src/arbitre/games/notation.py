"""The contract of a game's notation.

What is written can be read back, and what is read is written in one canonical way: `read(write(x)) == x`, and writing what
was read gives the shortest agreed spelling. Readers accept a little more than writers emit (spaces around, lower case, an
omitted turn number), never guess, and answer anything else with an error that says what is wrong and where.

All texts are one line of printable characters. A state ends with the number of the turn to come, counted from 1; a reader
takes a position without it and counts from the side to move.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from arbitre.errors import PositionError
from arbitre.games.catalogue import fetch, listing
from arbitre.games.game import AnyGame, Game
from arbitre.reasons import Reason

S = TypeVar("S")
M = TypeVar("M")
V = TypeVar("V")


class Notation(ABC, Generic[S, M, V]):
    """Texts of one game with its options."""

    def __init__(self, game: Game[S, M, V]) -> None:
        self.game = game

    @abstractmethod
    def read(self, text: str, view: V) -> M:
        """Return the move that `text` says to somebody who sees `view`; `InvalidMoveError` or `AmbiguousMoveError`.

        Reading is not judging: the move may still be illegal, which `Game.check` tells.
        """

    @abstractmethod
    def write(self, move: M) -> str:
        """Return the move in canonical text."""

    @abstractmethod
    def read_state(self, text: str) -> S:
        """Return the state that `text` describes, a position to start from; `PositionError`."""

    @abstractmethod
    def write_state(self, state: S) -> str:
        """Return the whole truth in canonical text."""

    @abstractmethod
    def read_view(self, text: str) -> V:
        """Return the view that `text` describes; `PositionError`."""

    @abstractmethod
    def write_view(self, view: V) -> str:
        """Return what an eye sees in canonical text."""

    def announced(self, before: V | None, view: V, language: str = "en") -> tuple[str, ...]:  # noqa: ARG002 - few have an umpire
        """Return what an umpire has announced to an eye between two of its views, in the words of a language."""
        return ()

    @abstractmethod
    def picture(self, view: V) -> str:
        """Draw what an eye sees in lines of at most 79 characters, at most 22 lines, without colour."""


class OpenNotation(Notation[S, M, S]):
    """The notation of a game without secrets, where a view is the state."""

    def read_view(self, text: str) -> S:
        """Return the state: everybody sees it."""
        return self.read_state(text)

    def write_view(self, view: S) -> str:
        """Return the state's text: everybody sees it."""
        return self.write_state(view)


AnyNotation: TypeAlias = Notation[Any, Any, Any]


def notation_of(game: AnyGame) -> AnyNotation:
    """Return the notation of a game of the catalogue."""
    made: AnyNotation = fetch(listing(game.name).notation)(game)
    return made


def split_turn(text: str, fields: int = 1) -> tuple[list[str], int | None]:
    """Split a position into its `fields` words and the turn number, which may be missing; `PositionError`."""
    words = text.split()
    if len(words) not in (fields, fields + 1):
        raise PositionError(text, "expected so many fields: %(fields)s, and a turn number", fields=fields)
    if len(words) == fields:
        return words, None
    return words[:fields], read_count(text, words[fields], Reason("the turn number"), least=1)


def read_count(text: str, word: str, what: str | Reason, least: int = 0, most: int = 999_999) -> int:
    """Return the whole number `word`, part of the position `text`; `PositionError` naming `what`."""
    if not (word.isascii() and word.isdigit() and len(word) <= 9 and least <= int(word) <= most):
        raise PositionError(
            text,
            "%(what)s is a whole number from %(least)s to %(most)s, not %(word)r",
            what=what,
            least=least,
            most=most,
            word=word,
        )
    return int(word)


def either(turns: Sequence[int]) -> Reason | int:
    """Return the one turn that is possible, or the words for two of them."""
    return turns[0] if len(turns) == 1 else Reason("%(one)s or %(other)s", one=turns[0], other=turns[1])


def read_cells(text: str, word: str, size: int, allowed: str) -> str:
    """Return `word` if it is `size` characters, each one of `allowed`; `PositionError` with the place otherwise."""
    for at, character in enumerate(word[: size + 1]):
        if character not in allowed:
            raise PositionError(text, "%(character)r is none of %(allowed)s", at, character=character, allowed=allowed)
    if len(word) != size:
        raise PositionError(text, "the board has %(size)s cells, not %(word)s", size=size, word=len(word))
    return word
