"""House players of draughts: alpha-beta over men, kings and where they stand (spec: draughts, section 4).

A capture is compulsory, so a position in which one is due is never judged: the search goes on until nothing hangs.

Levels 1 to 7 are plain Python and play everywhere alike. The strong levels from 8 on think with a compiled kernel, some thousand
times as fast; they are there when the extra `engines` (numba) is installed, and whoever asks for one without it is told so.
"""

from collections.abc import Sequence
from random import Random
from time import perf_counter

from arbitre.games import engine, kernels
from arbitre.games.draughts.moves import BIT, Squares
from arbitre.games.draughts.rules import Board, Draughts, Move
from arbitre.games.engine import Budget, Clock, favourite
from arbitre.games.game import FIRST, AnyGame
from arbitre.games.player import Position
from arbitre.games.search import Insight, Searcher

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


class Beginner(Searcher):
    """Looks two plies ahead, carelessly."""

    insight = Men
    depth = 2
    slack = 100
    positions = 3_000


class Amateur(Searcher):
    """Looks three plies ahead, a little carelessly."""

    insight = Men
    depth = 3
    slack = 25
    positions = 3_000


class Regular(Searcher):
    """Looks four plies ahead, carelessly."""

    insight = Men
    depth = 4
    slack = 60
    positions = 4_000


class Fighter(Searcher):
    """Looks five plies ahead, a little carelessly."""

    insight = Men
    depth = 5
    slack = 25
    positions = 5_000


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


class Deep(engine.Deep[Move]):
    """A player that thinks with the kernel of draughts."""

    def __init__(self, random: Random | None = None, clock: Clock = perf_counter) -> None:
        super().__init__(random, clock)
        from arbitre.games.draughts.thought import Thought  # noqa: PLC0415 - needs numpy, which is an extra

        self.thought = Thought(self.buckets)

    @staticmethod
    def prepare() -> None:
        """Compile what is not compiled yet, before a clock runs."""
        from arbitre.games.draughts.thought import prepare  # noqa: PLC0415

        prepare()

    def choose(self, position: Position, budget: Budget) -> Move:
        """Search; in the opening take any of the moves that are as good as the best, so that games differ."""
        board: Board = position.view
        game = position.game
        if len(board.moves) == 1:
            return board.moves[0]
        plies = game.plies if isinstance(game, Draughts) else 100
        slack = VARIETY if board.turn <= OPENING else 0
        positions = self.allotted(position, max(6, min((plies - board.turn) // 2 + 1, 30)), budget)
        found: dict[Move, int] = dict(self.thought.weigh(board, plies, budget, positions=positions, slack=slack))
        if not found:  # more ways to capture than the kernel has room for: no game comes to that, but anyone can set it up
            said: Move = Player(self.random, self.clock).choose(position, budget)
            return said
        return favourite(found, self.random, slack)


OPENING, VARIETY = 8, 15
"""So many plies long, moves that fall short of the best by no more than this may be chosen."""


class Club(Deep):
    """Looks at 10,000 positions with the compiled kernel."""

    positions = 10_000
    buckets = 1 << 13


class County(Deep):
    """Looks at 30,000 positions."""

    positions = 30_000
    buckets = 1 << 14


class Master(Deep):
    """Looks at 100,000 positions."""

    positions = 100_000
    buckets = 1 << 16


class International(Deep):
    """Looks at 300,000 positions."""

    positions = 300_000
    buckets = 1 << 17


class Grandmaster(Deep):
    """Looks at a million positions."""

    positions = 1_000_000
    buckets = 1 << 18


class Champion(Deep):
    """Looks at three million positions, or as far as the clock lets it."""

    positions = 3_000_000
    buckets = 1 << 19
    tireless = True


PLAIN = (Novice, Beginner, Amateur, Regular, Fighter, Player, Expert)
STRONG = (Club, County, Master, International, Grandmaster, Champion)

LEVELS, MISSING = kernels.offered(PLAIN, STRONG, compiles=kernels.available())
