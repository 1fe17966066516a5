"""House players of BigTicTacToe, for the most rows of five and for the first.

Where the first row wins, a row that cannot be stopped is a won game, and rows that must be stopped leave no choice. Where the
most rows win, a row is one point, a window that would only lengthen or join rows is worth nothing, and the game goes on.

Levels 1 to 5 are plain Python and play everywhere alike. The strong levels from 6 on think with the kernel of five in a row; they
are there when the extra `engines` (numba) is installed, and whoever asks for one without it is told so.
"""

from collections.abc import Sequence
from typing import Any

from arbitre.games import kernels
from arbitre.games.bigtictactoe.rules import CELLS, FULL, SIDE, SLOTS, STEPS, BigTicTacToe, Board, Cell, count
from arbitre.games.five.engine import Deep
from arbitre.games.game import FIRST, AnyGame
from arbitre.games.rows import Rows, Windows, total
from arbitre.games.search import Insight, Searcher
from arbitre.games.stones import chosen, fives

ROWS = Rows(SLOTS, STEPS, FULL)

WORTH = (1, 5, 16, 60)
"""What a window with one, two, three, four marks is worth."""
ROW = 400
TEMPO = 2
"""How much more windows are worth to the side that moves next, as a divisor of their worth."""
HEAT, CHILL = (0, 3, 6, 10), (0, 3, 6, 9)
"""How much a cell attracts for each own window and each of the other's, as powers of two: one's own fifth mark comes first."""


def new(marks: int, found: tuple[Windows, ...]) -> tuple[Windows, ...]:
    """Leave out the windows that would only lengthen a row: those that overlap it or touch it, in its direction."""
    left = []
    for step, (one, two, three, four) in zip(STEPS, found, strict=True):
        near = fives(marks, step)
        if near:
            near |= near << step | near >> step
            near |= near << 2 * step | near >> 2 * step
            near |= near << 2 * step | near >> 2 * step
        left.append((one & ~near, two & ~near, three & ~near, four & ~near))
    return tuple(left)


class Windowed(Insight[Board, Cell]):
    """Sees the windows of both sides."""

    width = 14
    """How many moves deserve a look."""

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self.first = isinstance(game, BigTicTacToe) and game.first
        self._board: Board | None = None
        self._found: tuple[tuple[Windows, ...], tuple[Windows, ...]] = ((), ())

    def found(self, state: Board) -> tuple[tuple[Windows, ...], tuple[Windows, ...]]:
        """Return the windows of the side to move and of the other: looked for once while a position is looked at."""
        if state is not self._board:
            own, against = (state.first, state.second) if state.mover == FIRST else (state.second, state.first)
            self._board = state
            self._found = ROWS.of(own, against), ROWS.of(against, own)
            if not self.first:
                self._found = new(own, self._found[0]), new(against, self._found[1])
        return self._found

    def ended(self, state: Board) -> int | None:
        """Where the first row wins, end as soon as it is certain; else on the full board."""
        if not self.first:
            if state.taken != FULL:
                return None
            difference = self.rows(state)
            return (difference > 0) - (difference < 0)
        own, against = self.found(state)
        empty = FULL ^ state.taken
        if any(fives(state.second if state.mover == FIRST else state.first, step) for step in STEPS):
            return -1
        if ROWS.completions(own, empty):
            return 1
        return -1 if ROWS.completions(against, empty).bit_count() > 1 else None if empty else 0

    def rows(self, state: Board) -> int:
        """Return how many more rows the side to move has."""
        difference = count(state.first) - count(state.second)
        return difference if state.mover == FIRST else -difference

    def quiet(self, state: Board) -> bool:
        """Look on where a row must be stopped."""
        return not self.first or not ROWS.completions(self.found(state)[1], FULL ^ state.taken)

    def worth(self, state: Board) -> int:
        """Weigh rows and windows; the side to move has more of its own."""
        own, against = self.found(state)
        mine, theirs = total(own, WORTH), total(against, WORTH)
        worth = mine - theirs + mine // TEMPO
        if self.first:
            return worth
        soon = bool(ROWS.completions(own, FULL ^ state.taken))
        return worth + ROW * self.rows(state) + soon * ROW // 2

    def moves(self, state: Board) -> Sequence[Cell]:
        """List the hottest cells; none but the answers where there is no choice."""
        own, against = self.found(state)
        empty = FULL ^ state.taken
        if self.first:
            forced = ROWS.completions(own, empty) or ROWS.completions(against, empty)
            if forced:
                return list(chosen(SLOTS, forced))
        return ROWS.hottest(ROWS.heat(((own, HEAT), (against, CHILL))), empty, self.width)


class Novice(Searcher):
    """Looks at its own move only, and is careless."""

    insight = Windowed
    depth = 1
    slack = 25


class Beginner(Searcher):
    """Looks at its own move only, and is a little careless."""

    insight = Windowed
    depth = 1
    slack = 12


class Amateur(Searcher):
    """Looks at its own move and the answer, and is a little careless."""

    insight = Windowed
    depth = 2
    slack = 8


class Player(Searcher):
    """Looks at two moves of each side."""

    insight = Windowed
    depth = 4
    positions = 5_000


class Expert(Searcher):
    """Looks at three moves of each side."""

    insight = Windowed
    depth = 6
    positions = 25_000


class Compiled(Deep):
    """Thinks with the kernel, by the rule of the table."""

    @staticmethod
    def rule(game: BigTicTacToe) -> str:
        """Return whether the first row wins or the most do."""
        return "FIRST" if game.first else "MOST"

    @staticmethod
    def stones(board: Board) -> Any:
        """Return the marks by their cells."""
        from arbitre.games.five.thought import Stones  # noqa: PLC0415 - needs numpy, which is an extra

        first, second = (tuple(chosen(SLOTS, marks)) for marks in (board.first, board.second))
        return Stones(SIDE, first, second, board.turn, int(board.mover))

    @staticmethod
    def cell(number: int) -> Cell:
        """Return a cell."""
        return CELLS[number]


class Adept(Compiled):
    """Looks at 12,000 positions with the compiled kernel, and sees victories by threats."""

    positions = 12_000


class Strong(Compiled):
    """Looks at 40,000 positions."""

    positions = 40_000
    buckets = 1 << 15


class Master(Compiled):
    """Looks at 200,000 positions."""

    positions = 200_000
    buckets = 1 << 16


class Champion(Compiled):
    """Looks at a million positions, or as far as the clock lets it."""

    positions = 1_000_000
    buckets = 1 << 19
    tireless = True


PLAIN = (Novice, Beginner, Amateur, Player, Expert)
STRONG = (Adept, Strong, Master, Champion)

LEVELS, MISSING = kernels.offered(PLAIN, STRONG, compiles=kernels.available())
