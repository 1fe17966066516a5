"""Alpha-beta for games of two seats that move in turn and hide nothing.

What is particular to a game is its `Insight`: what a position is worth, which moves deserve a look and in which order, and when
the smoke has cleared. The search deepens ply by ply up to the depth or the number of positions of a level, and remembers
positions and the moves that refuted the last ones. It is stopped by a count of positions, the same each time; the clock stops
it only where one runs.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from random import Random
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from arbitre.games.engine import Budget, Engine, favourite
from arbitre.games.game import AnyGame, Outcome, Seat
from arbitre.games.player import Position

WON = 1_000_000
"""What a won position is worth, less one for each ply until then: sooner is better."""
SURE = WON - 1_000
"""Worth more than any position that is only good."""

LOOK = 32
"""Positions between two looks at the clock."""


class Turns(Hashable, Protocol):
    """A state that tells whose turn it is."""

    @property
    def mover(self) -> Seat:
        """The seat to move."""


S = TypeVar("S", bound=Turns)
M = TypeVar("M", bound=Hashable)


class Insight(ABC, Generic[S, M]):
    """What an engine understands of its game."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    @abstractmethod
    def worth(self, state: S) -> int:
        """Judge a position that is not over, for the side to move: 0 is even, within ±`SURE`."""

    def moves(self, state: S) -> Sequence[M]:
        """List the moves that deserve a look, at least one, the most promising first."""
        return tuple(self.game.legal(state))

    def after(self, state: S, move: M) -> S:
        """Return the position after a move."""
        after: S = self.game.play(state, {state.mover: move})
        return after

    def ended(self, state: S) -> int | None:
        """Return 1, 0 or -1 where the game is won, drawn or lost for the side to move, None where it goes on."""
        phase = self.game.phase(state)
        return int(2 * phase.scores[state.mover]) - 1 if isinstance(phase, Outcome) else None

    def quiet(self, state: S) -> bool:  # noqa: ARG002 - in most games any position can be judged
        """Tell whether a position can be judged as it stands; otherwise the search goes on."""
        return True


class _Stopped(Exception):  # noqa: N818 - to run out of time is no error
    """The search must end now."""


class Search(Generic[S, M]):
    """One search for one move."""

    def __init__(self, insight: Insight[S, M], depth: int, positions: int, budget: Budget) -> None:
        self.insight = insight
        self.depth = depth
        self.positions = positions
        self.budget = budget
        self.seen = 0
        self.table: dict[S, tuple[int, int, int, M | None]] = {}
        """For a position: how deep it was searched, between which bounds its worth lies, and its best move."""
        self.killers: dict[int, M] = {}
        """The move that last refuted a position of each ply: it often refutes its neighbours too."""
        self.tops: list[int] = []
        """What the position is worth by each depth that was finished."""

    def best(self, state: S, random: Random, slack: int = 0) -> M:
        """Return one of the best moves."""
        return favourite(self.weighed(state, slack), random, slack)

    def weighed(self, state: S, slack: int = 0) -> dict[M, int]:
        """Return what moves are worth, by the deepest search that was finished, or as far as it went."""
        moves = list(self.insight.moves(state))
        worths: dict[M, int] = dict.fromkeys(moves[:1], 0)
        for depth in range(1, self.depth + 1 if len(moves) > 1 else 0):
            found: dict[M, int] = {}
            try:
                self._weigh(state, moves, depth, slack, found)
            except _Stopped:
                worths = found or worths
                break
            worths = found
            moves.sort(key=lambda move: -found[move])
            self.tops.append(found[moves[0]])
            if abs(found[moves[0]]) >= SURE:
                break
        return worths

    def _weigh(self, state: S, moves: Sequence[M], depth: int, slack: int, found: dict[M, int]) -> None:
        """Find what each move is worth; of those below the best by more than `slack`, only that they are."""
        top = -WON
        for move in moves:
            worth = -self._worth(self.insight.after(state, move), depth - 1, -WON, slack + 1 - top, 1)
            found[move] = worth
            top = max(top, worth)

    def _worth(self, state: S, depth: int, low: int, high: int, ply: int) -> int:
        insight = self.insight
        self.seen += 1
        if self.seen > self.positions or (self.seen % LOOK == 0 and self.budget.spent):
            raise _Stopped
        end = insight.ended(state)
        if end is not None:
            return end * (WON - ply)
        if depth <= 0 and insight.quiet(state):
            return insight.worth(state)
        known = self.table.get(state)
        if known is not None and known[0] >= depth:
            low, high = max(low, known[1]), min(high, known[2])
            if low >= high:
                return known[1] if known[1] >= high else known[2]
        return self._best_of(state, depth, low, high, ply)

    def _best_of(self, state: S, depth: int, low: int, high: int, ply: int) -> int:
        insight = self.insight
        top, choice = -WON, None
        bar = low
        for move in self._ordered(state, ply):
            worth = -self._worth(insight.after(state, move), depth - 1, -high, -bar, ply + 1)
            if worth > top:
                top, choice = worth, move
                if worth > bar:
                    bar = worth
                    if worth >= high:
                        self.killers[ply] = move
                        break
        self.table[state] = (depth, top if top > low else -WON, top if top < high else WON, choice)
        return top

    def _ordered(self, state: S, ply: int) -> Sequence[M]:
        """Begin with the move that was best here before, and the one that was best next door."""
        moves = self.insight.moves(state)
        known = self.table.get(state)
        hints = (known and known[3], self.killers.get(ply))
        first = [move for move in hints if move is not None and move in moves]
        return list(dict.fromkeys((*first, *moves))) if first else moves


class Searcher(Engine[Any]):
    """A player that searches: a level says how deep, how many positions, and how careless it is."""

    insight: ClassVar[type[Insight[Any, Any]]]
    depth: ClassVar[int]
    positions: ClassVar[int] = 1_000_000
    slack: ClassVar[int] = 0
    """Any move that is worth so much less than the best may be chosen."""

    def choose(self, position: Position, budget: Budget) -> Any:
        """Search."""
        state = position.view
        search: Search[Any, Any] = Search(self.insight(position.game), self.plies(state), self.positions, budget)
        return search.best(state, self.random, self.slack)

    def plies(self, state: Any) -> int:  # noqa: ARG002 - most levels look equally far all game long
        """Return how far to look from a position."""
        return self.depth
