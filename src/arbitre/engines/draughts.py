"""House players of draughts: alpha-beta over men, kings and where they stand.

A capture is compulsory, so a position in which one is due is never judged: the search goes on until nothing hangs.
"""

from collections.abc import Sequence

from arbitre.engines.search import Insight, Searcher
from arbitre.rules.draughts import Board, Draughts, Move
from arbitre.rules.draughts_moves import BIT, Squares
from arbitre.rules.game import FIRST, AnyGame

MAN, KING = 100, 300

ROWS: tuple[Squares, ...] = tuple(sum(BIT[5 * row + 1 : 5 * row + 6]) for row in range(10))
"""The squares of each row, black's first."""
CENTRE: Squares = sum(BIT[n] for n in (22, 23, 24, 27, 28, 29, 32, 33, 34, 17, 18, 19))
EDGES: Squares = sum(BIT[n] for n in (6, 16, 26, 36, 46, 5, 15, 25, 35, 45))
ADVANCE = (0, 0, 1, 2, 3, 5, 7, 10, 16, 0)
"""What a man is worth more in each row that it has reached, from its own side."""
GUARDS: tuple[Squares, Squares] = (sum(BIT[n] for n in (46, 47, 48, 49, 50)), sum(BIT[n] for n in (1, 2, 3, 4, 5)))
"""Where the men of each side stop the other's from being crowned."""


def _standing(men: Squares, guards: Squares, rows: Sequence[Squares]) -> int:
    """Judge where the men of one side stand; `rows` run from its own side."""
    worth = 3 * (men & CENTRE).bit_count() - 2 * (men & EDGES).bit_count() + 3 * (men & guards).bit_count()
    for row, bonus in zip(rows, ADVANCE, strict=True):
        if bonus:
            worth += bonus * (men & row).bit_count()
    return worth


class Men(Insight[Board, Move]):
    """Material, and where the men stand."""

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self.last = game.plies if isinstance(game, Draughts) else 0

    def worth(self, state: Board) -> int:
        """Weigh men, kings and squares; less when the game is about to end in a draw anyway."""
        white, black, kings = state.white, state.black, state.kings
        worth = MAN * (white.bit_count() - black.bit_count()) + (KING - MAN) * (
            (white & kings).bit_count() - (black & kings).bit_count()
        )
        worth += _standing(white & ~kings, GUARDS[0], ROWS[::-1]) - _standing(black & ~kings, GUARDS[1], ROWS)
        # Whoever is ahead wins more easily the fewer pieces are left.
        worth += (worth > 0) * 8 * (20 - black.bit_count()) - (worth < 0) * 8 * (20 - white.bit_count())
        return worth if state.mover == FIRST else -worth

    def ended(self, state: Board) -> int | None:
        """Lost without a move, drawn after the last ply."""
        if not state.moves:
            return -1
        return 0 if state.turn > self.last else None

    def quiet(self, state: Board) -> bool:
        """Look on while a capture is due."""
        return not state.moves[0].captured

    def moves(self, state: Board) -> Sequence[Move]:
        """List all moves: they are few enough."""
        return state.moves

    def after(self, state: Board, move: Move) -> Board:
        """Return the board after a move."""
        return state.after(move)


class Novice(Searcher):
    """Looks at its own move and what it can be taken for."""

    insight = Men
    depth = 1
    slack = 15


class Amateur(Searcher):
    """Looks three plies ahead."""

    insight = Men
    depth = 3
    slack = 5
    positions = 3_000


class Player(Searcher):
    """Looks five plies ahead."""

    insight = Men
    depth = 5
    positions = 5_000


class Expert(Searcher):
    """Looks eight plies ahead, as far as it gets."""

    insight = Men
    depth = 8
    positions = 20_000


LEVELS = (Novice, Amateur, Player, Expert)
