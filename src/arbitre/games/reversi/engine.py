"""House players of Reversi: from one who takes all he can to one who takes as little as he must and counts the end out.

Discs are worth little before the end: what counts is to have moves when the other has none, and corners, which nobody turns back.

Levels 1 to 6 are plain Python and play everywhere alike. The strong levels from 7 on judge by patterns that were trained on the
engine's own games, with a compiled kernel; they are there when the extra `engines` (numba) is installed, and whoever asks for
one without it is told so.
"""

from collections.abc import Sequence
from random import Random
from time import perf_counter
from typing import Any, ClassVar

from arbitre.games import engine, kernels
from arbitre.games.engine import ENDLESS, Budget, Clock, favourite
from arbitre.games.player import Position
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
        corners = (own & ALL_CORNERS).bit_count() - (against & ALL_CORNERS).bit_count()
        return own.bit_count() - against.bit_count() + 15 * corners

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
    """Counts discs after its own move and the answer, and likes corners."""

    insight = Discs
    depth = 2
    slack = 2


class Amateur(Searcher):
    """Knows about corners and freedom, looks at its own move only, and is careless."""

    insight = Freedom
    depth = 1
    slack = 8


class Player(Searcher):
    """Looks two plies ahead, carelessly, and counts out the last four cells."""

    insight = Freedom
    depth = 2
    slack = 20
    positions = 40_000
    end = 4
    """With so few empty cells it looks to the end of the game."""

    def plies(self, state: Any) -> int:
        """Count the game out near its end."""
        empty = 64 - (state.own & LOW).bit_count() - (state.against & LOW).bit_count()
        return empty + 2 if empty <= self.end else self.depth


class Expert(Player):
    """Looks two plies ahead, less carelessly, and counts out the last five cells."""

    depth = 2
    slack = 8
    end = 5


class Master(Player):
    """Looks three plies ahead, a little carelessly, and counts out the last six cells."""

    depth = 3
    slack = 8
    end = 6


class Veteran(Player):
    """Looks four plies ahead, a little carelessly, and counts out the last eight cells."""

    depth = 4
    slack = 10
    end = 8


class Deep(engine.Deep[Cell]):
    """A player that thinks with the kernel of Reversi: a level says how far off its judgement may be, too."""

    depth: ClassVar[int] = 60
    end: ClassVar[int]
    """With so few empty cells it counts the game out: first who wins, then by how many discs."""
    noise: ClassVar[int] = 0
    """By how many sixteenths of a disc it may misjudge a position, the same one always alike."""

    def __init__(self, random: Random | None = None, clock: Clock = perf_counter) -> None:
        super().__init__(random, clock)
        from arbitre.games.reversi.thought import Thought  # noqa: PLC0415 - needs numpy, which is an extra

        self.thought = Thought(self.buckets, self.noise, self.random.getrandbits(63) if self.noise else 0)

    @staticmethod
    def prepare() -> None:
        """Compile what is not compiled yet, before a clock runs."""
        from arbitre.games.reversi.thought import prepare  # noqa: PLC0415

        prepare()

    def choose(self, position: Position, budget: Budget) -> Cell:
        """Search; in the opening take any of the moves that are nearly as good as the best, so that games differ."""
        board: Board = position.view
        if board.moves.bit_count() < 2:
            return Cell(board.moves.bit_length() - 1) if board.moves else PASS
        empty = 64 - (board.own & LOW).bit_count() - (board.against & LOW).bit_count()
        slack = VARIETY if board.turn <= OPENING else 0
        positions = self.allotted(position, max(3, (empty - self.end) // 2 + 3), budget)
        if self.tireless and empty <= self.end:
            positions = min(positions * PATIENCE, ENDLESS)
        found: dict[Cell, int] = dict(
            self.thought.weigh(board, budget, positions=positions, depth=self.depth, end=self.end, slack=slack)
        )
        return favourite(found, self.random, slack)


OPENING, VARIETY = 8, 8
"""So many plies long, moves that fall short of the best by no more than this may be chosen."""
PATIENCE = 50
"""How many times as long the tireless one thinks to count the game out."""


class Apprentice(Deep):
    """Judges by trained patterns, not always well, looks two plies ahead, and counts out the last eight cells."""

    positions = 200_000
    depth = 2
    end = 8
    noise = 40


class Adept(Deep):
    """Judges no better, looks three plies ahead, and counts out the last ten cells."""

    positions = 200_000
    depth = 3
    end = 10
    noise = 32


class Tactician(Deep):
    """Judges a little better, looks four plies ahead, and counts out the last twelve cells."""

    positions = 200_000
    depth = 4
    end = 12
    noise = 12
    buckets = 1 << 13


class Strong(Deep):
    """Misjudges a disc at most, looks five plies ahead, and counts out the last twelve cells."""

    positions = 200_000
    depth = 5
    end = 12
    noise = 16
    buckets = 1 << 13


class National(Deep):
    """Misjudges a disc at most, looks six plies ahead, and counts out the last twelve cells."""

    positions = 200_000
    depth = 6
    end = 12
    noise = 16
    buckets = 1 << 13


class International(Deep):
    """Misjudges a disc at most, looks eight plies ahead, and counts out the last fourteen cells."""

    positions = 1_000_000
    depth = 8
    end = 14
    noise = 16
    buckets = 1 << 15


class Grandmaster(Deep):
    """Looks at 300,000 positions, misjudges half a disc at most, and counts out the last sixteen cells if it can."""

    positions = 300_000
    end = 16
    noise = 8
    buckets = 1 << 17


class Champion(Deep):
    """Looks at four million positions, or as far as the clock lets it, and counts out the last twenty cells."""

    positions = 4_000_000
    end = 20
    buckets = 1 << 20
    tireless = True


PLAIN = (Novice, Amateur, Player, Expert, Master, Veteran)
STRONG = (Apprentice, Adept, Tactician, Strong, National, International, Grandmaster, Champion)

LEVELS, MISSING = kernels.offered(PLAIN, STRONG, compiles=kernels.available())
