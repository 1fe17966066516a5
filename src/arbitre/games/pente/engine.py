"""House players of Pente: they see rows coming, pairs to take, and pairs in danger.

A position is judged by windows (see `arbitre.games.rows`), captured pairs, and pairs that can be captured next. Where the other
side is about to win, only what can prevent it is looked at, and the search goes on until that is settled.

Levels 1 to 7 are plain Python and play everywhere alike. The strong levels from 8 on think with the kernel of five in a row; they
are there when the extra `engines` (numba) is installed, and whoever asks for one without it is told so.
"""

from collections.abc import Sequence
from typing import Any

from arbitre.games import kernels
from arbitre.games.five.engine import Deep
from arbitre.games.game import FIRST, AnyGame, other
from arbitre.games.pente.rules import CELLS, FULL, PAIRS, SIDE, SLOTS, STEPS, Board, Cell, winner
from arbitre.games.rows import Rows, Windows, total, warm
from arbitre.games.search import Insight, Searcher
from arbitre.games.stones import chosen

ROWS = Rows(SLOTS, STEPS, FULL)

WORTH = (1, 6, 24, 70)
"""What a window with one, two, three, four stones is worth."""
TAKEN = (0, 40, 90, 170, 320, 1_000)
"""What captured pairs are worth."""
DANGER = 25
"""What a pair is worth that can be captured."""
TEMPO = 3
"""How much more windows are worth to the side that moves next, as a divisor of their worth."""
HEAT, CHILL = (0, 3, 6, 10), (0, 3, 6, 9)
"""How much a cell attracts for each own window and each of the other's, as powers of two."""
LOOT, RESCUE = 7, 6
"""The same for a capture and for the cell where the other side captures."""

CENTRE = 1 << SIDE // 2 * (SIDE + 2)

Captures = list[int]
"""Cells where a stone captures, for each of the eight directions: a cell in several of them captures as many pairs."""


def captures(own: int, against: int, empty: int) -> Captures:
    """Find where `own` captures."""
    found = []
    for step in STEPS:
        pair = against & against >> step
        if pair:
            ahead = pair >> step & own >> 3 * step & empty
            back = pair << 2 * step & own << 3 * step & empty
            found += [cells for cells in (ahead, back) if cells]
    return found


def several(found: Captures, most: int) -> int:
    """Return the cells where at least `most` pairs are captured at once."""
    levels = [FULL] + [0] * most
    for cells in found:
        for level in range(most, 0, -1):
            levels[level] |= levels[level - 1] & cells
    return levels[most]


class Threat:
    """What both sides of a position can do next."""

    def __init__(self, board: Board) -> None:
        seat = board.mover
        own, against = board.stones(seat), board.stones(other(seat))
        self.empty = FULL ^ (own | against)
        self.own, self.against = ROWS.of(own, against), ROWS.of(against, own)
        self.loot, self.danger = captures(own, against, self.empty), captures(against, own, self.empty)
        self.pairs = board.pairs if seat == FIRST else board.pairs[::-1]
        self.wins = self._wins(self.own, self.loot, self.pairs[0])
        """Cells where the side to move wins at once."""
        self.threats = self._wins(self.against, self.danger, self.pairs[1])
        """Cells where the other side would."""

    def _wins(self, found: Sequence[Windows], loot: Captures, pairs: int) -> int:
        cells = ROWS.completions(found, self.empty)
        return cells | several(loot, PAIRS - pairs) if len(loot) >= PAIRS - pairs else cells


class Stones(Insight[Board, Cell]):
    """Rows and pairs."""

    width = 10
    """How many moves deserve a look."""

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self._board: Board | None = None
        self._threat: Threat

    def threat(self, state: Board) -> Threat:
        """Return what can happen next: found once while a position is looked at."""
        if state is not self._board:
            self._board, self._threat = state, Threat(state)
        return self._threat

    def ended(self, state: Board) -> int | None:
        """Lost where the other side has won, won where the next stone wins."""
        if winner(state) is not None:
            return -1
        if not state.open:
            return 0
        return 1 if self.threat(state).wins & state.open else None

    def quiet(self, state: Board) -> bool:
        """Look on where the other side is about to win."""
        return not self.threat(state).threats

    def worth(self, state: Board) -> int:
        """Weigh windows, captured pairs and pairs in danger; the side to move has more of its own."""
        threat = self.threat(state)
        mine, theirs = total(threat.own, WORTH), total(threat.against, WORTH)
        worth = mine - theirs + mine // TEMPO + TAKEN[threat.pairs[0]] - TAKEN[threat.pairs[1]]
        return worth + DANGER * (2 * len(threat.loot) - len(threat.danger))

    def moves(self, state: Board) -> Sequence[Cell]:
        """List the hottest cells; none but the answers where there is no choice."""
        threat = self.threat(state)
        cells = state.open
        if threat.wins & cells:
            return list(chosen(SLOTS, threat.wins & cells))
        heat = ROWS.heat(((threat.own, HEAT), (threat.against, CHILL)))
        answers = threat.threats
        for taken in threat.loot:
            # A capture may break the row that threatens, or the bracket of a pair.
            answers |= taken
            warm(heat, taken, LOOT)
        for taken in threat.danger:
            warm(heat, taken, RESCUE)
        if threat.threats and answers & cells:
            return ROWS.hottest(heat, answers & cells, self.width)
        if state.turn == 1:
            warm(heat, CENTRE, 1)
        return ROWS.hottest(heat, cells, self.width)


class Novice(Searcher):
    """Looks at its own move only, and is careless."""

    insight = Stones
    depth = 1
    slack = 30


class Beginner(Searcher):
    """Looks at its own move and the answer, carelessly."""

    insight = Stones
    depth = 2
    slack = 45


class Amateur(Searcher):
    """Looks at its own move and the answer, and is a little careless."""

    insight = Stones
    depth = 2
    slack = 10


class Regular(Searcher):
    """Looks at its own move, the answer and its next, and is a little careless."""

    insight = Stones
    depth = 3
    slack = 10
    positions = 4_000


class Player(Searcher):
    """Looks at two moves of each side."""

    insight = Stones
    depth = 4
    positions = 4_000


class Fighter(Searcher):
    """Looks at three moves of each side, and is a little careless."""

    insight = Stones
    depth = 6
    slack = 12
    positions = 18_000


class Expert(Searcher):
    """Looks at three moves of each side, as far as it gets."""

    insight = Stones
    depth = 6
    positions = 18_000


class Compiled(Deep):
    """Thinks with the kernel."""

    @staticmethod
    def rule(game: AnyGame) -> str:  # noqa: ARG004 - there is one
        """Return that rows and pairs win."""
        return "PAIRED"

    @staticmethod
    def stones(board: Board) -> Any:
        """Return the stones by their cells."""
        from arbitre.games.five.thought import Stones as Laid  # noqa: PLC0415 - needs numpy, which is an extra

        first, second = (tuple(chosen(SLOTS, stones)) for stones in (board.first, board.second))
        return Laid(SIDE, first, second, board.turn, int(board.mover), board.pairs)

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


PLAIN = (Novice, Beginner, Amateur, Regular, Player, Fighter, Expert)
STRONG = (Adept, Strong, Master, Champion)

LEVELS, MISSING = kernels.offered(PLAIN, STRONG, compiles=kernels.available())
