"""Setting up a position: what an editor needs to know about a game's board, and nothing about its rules.

A game brings a `Setup` (`Listing.setup`): a board of cells, the pieces that may stand on them, and how such an arrangement
becomes a position in the game's notation and back. Any arrangement has a text and a picture, be it possible or not; whether it is
a position of the game its notation alone decides, and says why not.
"""

from collections.abc import Callable, Iterable

from arbitre.errors import PositionError
from arbitre.games.catalogue import fetch, listing
from arbitre.games.game import AnyGame
from arbitre.games.miniature import Place, board
from arbitre.games.notation import notation_of
from arbitre.values import value

EMPTY = "."


@value
class Arrangement:
    """Pieces on a board: one sign for each cell, row by row from the top, and whose turn it is."""

    cells: str
    side: int = 0
    """0: the first seat is to move, 1: the second."""
    rest: str = ""
    """What else the position says, such as captured stones; an editor hands it back as it got it."""


@value
class Piece:
    """Something that may stand on a cell."""

    sign: str
    name: str
    nom: str
    """The same in French."""
    draw: Callable[[Iterable[Place]], str]
    """Return this piece on all these cells as SVG (`arbitre.games.miniature`)."""

    def called(self, language: str) -> str:
        """Return the name in a language."""
        return self.nom if language == "fr" else self.name

    @property
    def picture(self) -> str:
        """The piece alone."""
        return f'<svg class="mini" viewBox="-.5 -.5 1 1" aria-hidden="true">{self.draw([(0, 0)])}</svg>'


@value
class Setup:
    """How positions of a game are set up."""

    size: int
    """Cells of a side; boards are square."""
    ground: str
    """The empty board as SVG."""
    pieces: tuple[Piece, ...]
    sides: tuple[tuple[str, str], tuple[str, str]]
    """What the two seats are called, in English and in French."""
    spread: Callable[[str], Arrangement]
    """Return the arrangement of a position in canonical text."""
    gather: Callable[[Arrangement], str]
    """Return the position of an arrangement, possible or not, in the game's notation."""
    label: Callable[[int, int], str]
    """Return what the cell of a column and a row is called; empty where nothing can stand."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of all cells, row by row."""
        return tuple(self.label(at % self.size, at // self.size) for at in range(self.size**2))

    def draw(self, cells: str) -> str:
        """Return the board with the pieces on it."""
        found = (
            piece.draw([(at % self.size, at // self.size) for at, sign in enumerate(cells) if sign == piece.sign])
            for piece in self.pieces
        )
        return board(self.size, self.ground, *found)

    def check(self, laid: Arrangement, where: str) -> None:
        """Refuse what is no arrangement on this board; `PositionError`."""
        signs = {EMPTY, *(one.sign for one in self.pieces)}
        if len(laid.cells) != self.size**2 or not signs.issuperset(laid.cells) or laid.side not in (0, 1):
            raise PositionError(where, "no arrangement of pieces on this board")


def setup_of(game: AnyGame) -> Setup | None:
    """Return how positions of a game are set up, None where it does not say."""
    where = listing(game.name).setup
    return fetch(where) if where else None


def canonical(game: AnyGame, text: str) -> str:
    """Return a position in canonical text, the usual start for none; `PositionError` says what is wrong."""
    notation = notation_of(game)
    return notation.write_state(notation.read_state(text) if text.strip() else game.start())


# ── boards whose text has one digit for each cell ──────────────────────────────────────────────────────────────────


def spread_digits(digits: str) -> Callable[[str], Arrangement]:
    """Return how a text of cells, perhaps of something else, and of the turn is spread out; `digits` in the order of signs."""

    def spread(text: str) -> Arrangement:
        cells, *rest, turn = text.split(" ")
        return Arrangement(cells.translate(str.maketrans(digits, EMPTY + "12")), (int(turn) - 1) % 2, " ".join(rest))

    return spread


def gather_digits(digits: str, laid: Callable[[Arrangement], int]) -> Callable[[Arrangement], str]:
    """Return the reverse; `laid` tells how many turns there were, and where the other side is to move one was passed."""

    def gather(found: Arrangement) -> str:
        turn = laid(found) + 1
        turn += (turn - 1 - found.side) % 2
        cells = found.cells.translate(str.maketrans(EMPTY + "12", digits))
        return " ".join(one for one in (cells, found.rest, str(turn)) if one)

    return gather
