"""House players of Reversi: from one who takes all he can to one who takes as little as he must and counts the end out.

Discs are worth little before the end: what counts is to have moves when the other has none, and corners, which nobody turns back.
"""

from collections.abc import Sequence
from typing import Any

from arbitre.games.reversi.rules import CELLS, LOW, PASS, Board, Cell, mobility
from arbitre.games.search import Insight, Searcher

CORNERS = (
    (1 << 0, 1 << 9, 1 << 1 | 1 << 8),
    (1 << 7, 1 << 14, 1 << 6 | 1 << 15),
    (1 << 56, 1 << 49, 1 << 48 | 1 << 57),
    (1 << 63, 1 << 54, 1 << 55 | 1 << 62),
)
"""Each corner, the cell next to it on the diagonal, and the two on the edges: those who play there give the corner away."""

ALL_CORNERS = sum(corner for corner, _, _ in CORNERS)

CORNER, DIAGONAL, BESIDE, MOVE, FRONTIER = 40, 18, 8, 5, 2

LEFT = sum(1 << cell for cell in range(64) if cell % 8)
"""All cells that have a neighbour on their left."""
RIGHT = sum(1 << cell for cell in range(64) if cell % 8 < 7)


def _rank(cell: Cell) -> int:
    """Rank cells for the order of search: corners, then edges and centre, then those that give a corner away."""
    row, column = sorted((min(cell // 8, 7 - cell // 8), min(cell % 8, 7 - cell % 8)))
    return ((0, 8, 1, 2), (8, 9, 6, 5), (1, 6, 3, 4), (2, 5, 4, 4))[row][column]


RANKED = tuple((1 << cell, cell) for cell in sorted(CELLS, key=_rank))


def around(cells: int) -> int:
    """Return the cells of a mask and their neighbours."""
    cells |= (cells & LEFT) >> 1 | (cells & RIGHT) << 1
    return cells | cells >> 8 | cells << 8


class Discs(Insight[Board, Cell]):
    """What a beginner knows: more discs are better, and a corner is better still."""

    def worth(self, state: Board) -> int:
        """Count discs, those in corners several times."""
        own, against = state.own & LOW, state.against & LOW
        return own.bit_count() - against.bit_count() + 6 * ((own & ALL_CORNERS).bit_count() - (against & ALL_CORNERS).bit_count())

    def ended(self, state: Board) -> int | None:
        """Compare the discs when neither side has a move."""
        if state.moves or not state.stuck:
            return None
        difference = state.own.bit_count() - state.against.bit_count()
        return (difference > 0) - (difference < 0)

    def moves(self, state: Board) -> Sequence[Cell]:
        """List corners first and the cells next to them last."""
        moves = state.moves
        return [cell for bit, cell in RANKED if moves & bit] if moves else [PASS]


class Freedom(Discs):
    """Moves, corners, and discs that border on few empty cells."""

    def worth(self, state: Board) -> int:
        """Weigh corners and what gives them away, the number of moves, and discs on the frontier."""
        own, against = state.own & LOW, state.against & LOW
        empty = LOW ^ (own | against)
        worth = 0
        for corner, diagonal, beside in CORNERS:
            if corner & own:
                worth += CORNER
            elif corner & against:
                worth -= CORNER
            else:
                worth -= DIAGONAL * (bool(diagonal & own) - bool(diagonal & against))
                worth -= BESIDE * ((beside & own).bit_count() - (beside & against).bit_count())
        edge = around(empty)
        worth -= FRONTIER * ((own & edge).bit_count() - (against & edge).bit_count())
        return worth + MOVE * (state.moves.bit_count() - mobility(state.against, state.own).bit_count())


class Novice(Searcher):
    """Turns as many discs as it can, and likes corners."""

    insight = Discs
    depth = 1
    slack = 2


class Amateur(Searcher):
    """Knows about corners and freedom, and looks at its own move only."""

    insight = Freedom
    depth = 1
    slack = 3


class Player(Searcher):
    """Looks three plies ahead, and counts out the last six cells."""

    insight = Freedom
    depth = 3
    end = 6
    """With so few empty cells it looks to the end of the game."""

    def plies(self, state: Any) -> int:
        """Count the game out near its end."""
        empty = 64 - (state.own & LOW).bit_count() - (state.against & LOW).bit_count()
        return empty + 2 if empty <= self.end else self.depth


class Expert(Player):
    """Looks five plies ahead, and counts out the last nine cells."""

    depth = 5
    end = 9
    positions = 40_000


class Master(Player):
    """Looks six plies ahead, seven where the board is narrow, and counts out the last eleven cells if it can."""

    depth = 7
    end = 11
    positions = 50_000


LEVELS = (Novice, Amateur, Player, Expert, Master)
