"""How a finished game is judged, ply by ply: one small `Analyst` per game, in the module `analysis` of its package.

An analyst compares what was played with what was best **for all that the seat could know then**. What it says of a ply is a pure
function of the course up to that ply and of the `Effort`: nothing is remembered from one ply to the next that would change a
judgement, no clock is looked at, and luck comes from the seed. So anybody can judge one ply of a game again, any ply, and must
find the same figures.

Figures are whole numbers: shares are counted in parts of `WHOLE`, so that every machine and every language says the same. A share
is of winning where nothing is secret; elsewhere the game's `measure` says of what. A game names its analyst in
`Listing.analysis`; a game that names none cannot be analysed.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from hashlib import sha256
from itertools import islice
from math import isqrt
from random import Random
from typing import Any, ClassVar

from arbitre.errors import AnalysisError
from arbitre.games.catalogue import fetch, folder, listing
from arbitre.games.engine import Budget
from arbitre.games.game import FIRST, AnyGame, Outcome, Seat
from arbitre.games.notation import AnyNotation, notation_of
from arbitre.games.player import Position
from arbitre.games.search import SURE, Insight, Search
from arbitre.reasons import Reason
from arbitre.values import value

WHOLE = 10_000
"""A share of one."""
HALF = WHOLE // 2
SLIGHT = 300
"""From this loss on a better line is looked for, and not the better move alone."""
LINE = 6
"""Plies of a better line."""
ENDLESS = Budget(None)
"""The budget of whoever counts positions and looks at no clock."""


@value
class Effort:
    """How hard an analyst thinks, and what its luck comes from."""

    nodes: int
    """Positions looked at for each ply, or what a game counts instead: guesses, samples."""
    seed: int = 0

    def random(self, at: int) -> Random:
        """Return the luck of a ply: the same each time, whichever plies were judged before."""
        return Random(f"arbitre/analysis/{self.seed}/{at}")


@value
class Ply:
    """One move of a finished game."""

    seat: Seat
    turn: int
    before: Any
    """The whole truth before it."""
    move: Any
    text: str
    after: Any
    """The truth behind it; the same as before where others' moves of that turn were still missing."""


Course = Sequence[Ply]


@value
class Judgement:
    """What an analyst says of a ply; shares are those of the seat that moved, in parts of `WHOLE`."""

    best: int
    """What the best choice was worth."""
    played: int
    """What the move was worth that was played; never more than the best."""
    standing: int
    """How the game stood then, as the first seat's share."""
    move: str = ""
    """The best move, in text; empty where nothing is said of it."""
    line: tuple[str, ...] = ()
    """How the game might have gone on with it, the best move first."""
    choice: bool = True
    """Whether there was anything to choose; a forced move is nobody's merit."""
    solved: bool = False
    """Whether the figures are exact: counted out to the end, not judged."""
    lost: int = 0
    """What was lost in the unit of the game, in thousandths."""

    @property
    def loss(self) -> int:
        """How much of the share was lost."""
        return self.best - self.played if self.choice else 0


@value
class Identity:
    """Who judged: a name, and the hash of everything that its figures follow from."""

    name: str
    digest: str


@value
class Certificate:
    """A proof that a ply's best share is exact, which the plain rules check: no engine is asked and none is trusted."""

    ply: int
    """The number of the ply, from 0: what is proved is the position before it."""
    proof: Any
    """What the game's own check reads: plain JSON."""


class Goal(StrEnum):
    """What the one move of a puzzle does, and no other."""

    KEEP = "keep"
    """It keeps the result; every move was counted out to the end."""
    SOON = "soon"
    """It wins within so many moves, whatever the other does; every line of so many was gone through."""
    FOURS = "fours"
    """It wins within so many moves, each a threat to win at once; every such line was gone through."""


@value
class Puzzle:
    """A position in which one move alone does something, proved by going through every move with the plain rules."""

    position: str
    """The state, in text."""
    mover: int
    move: str
    """The only one."""
    results: tuple[tuple[str, int], ...]
    """What each legal move leads to, for the mover: 1 won, 0 drawn, -1 lost with best play; or 1 where it reaches the goal, and 0
    where not. Of fours only moves that make one are listed."""
    goal: Goal = Goal.KEEP
    within: int = 0
    """How many moves of the mover it takes at most, where the goal says so."""


class Analyst(ABC):
    """Judges the plies of one game."""

    puzzles: ClassVar[bool] = False
    """Whether puzzles are made of its games."""

    measure: ClassVar[Reason] = Reason("share of winning")
    """Of what shares are."""
    wins: ClassVar[bool] = True
    """Whether shares are of winning, so that one can tell by them who is ahead."""
    unit: ClassVar[Reason | None] = None
    """What `Judgement.lost` counts, where the game counts something."""
    name: ClassVar[str]
    """What the engine is called."""
    parts: ClassVar[tuple[str, ...]]
    """The files from which every figure follows, `package:file`."""
    usual: ClassVar[int] = 100_000
    """The nodes that are usual: a game takes seconds with them."""
    missing: ClassVar[Reason | None] = None
    """What is not installed that would judge better, where something is not."""

    def __init__(self, game: AnyGame, effort: Effort) -> None:
        self.game = game
        self.effort = effort
        self.notation: AnyNotation = notation_of(game)

    @abstractmethod
    def judge(self, course: Course, wanted: Sequence[int]) -> Iterator[Judgement]:
        """Judge the plies with these numbers, from 0, in rising order."""

    def certify(self, course: Course, judgements: Sequence[Judgement]) -> tuple[Certificate, ...]:  # noqa: ARG002 - few games can
        """Return proofs of what is certain in this game, such as the rules alone can check."""
        return ()

    def check(self, course: Course, judgements: Sequence[Judgement], certificate: Certificate) -> None:  # noqa: ARG002
        """Refuse a certificate that does not prove what the judgement of its ply says, by the plain rules; `AnalysisError`."""
        raise AnalysisError("nothing of %(game)s is certified", game=self.game.name)

    def puzzle(self, state: Any) -> Puzzle | None:  # noqa: ARG002 - few games are counted out
        """Return the puzzle that a position is, None where it is none: whoever asks again, anywhere, gets the same."""
        return None

    def position(self, ply: Ply) -> Position:
        """Return what the seat of a ply saw when it was asked."""
        return Position(self.game, self.notation, ply.seat, ply.turn, self.game.view(ply.before, ply.seat))


def is_judged(name: str) -> bool:
    """Tell whether a game has an analyst."""
    return bool(listing(name).analysis)


def analyst_class(name: str) -> type[Analyst]:
    """Return who judges a game; `AnalysisError` where nobody does."""
    where = listing(name).analysis
    if not where:
        raise AnalysisError("%(game)s has no analyst: its package brings none", game=name)
    found = fetch(where)
    made: type[Analyst] = found if isinstance(found, type) else found()
    return made


@cache
def identity(kind: type[Analyst]) -> Identity:
    """Return who an analyst is: its figures are the same wherever this is the same."""
    digest = sha256()
    for part in (*COMMON, *kind.parts):
        content = folder(part).read_bytes()
        digest.update(f"{part.partition(':')[2]} {len(content)}\n".encode() + content)
    return Identity(kind.name, digest.hexdigest())


COMMON = ("arbitre.games:analysis.py",)
"""What every analyst's figures follow from."""


# ── games of two that hide nothing ─────────────────────────────────────────────────────────────────────────────────


def share(worth: int, scale: int) -> int:
    """Return the share of winning of a position that is worth so much; at `scale` it is 85 %. Whole numbers: alike everywhere."""
    size = WHOLE // 2 * abs(worth) // max(1, isqrt(worth * worth + scale * scale))
    return HALF + size if worth > 0 else HALF - size


@value
class Weighed:
    """What a search found in a position, for the side to move."""

    seat: Seat
    share: int
    worth: int | None = None
    """In thousandths of the game's unit, where that can be said."""
    move: Any = None
    solved: bool = False


class OpenAnalyst(Analyst):
    """Judges a game that hides nothing by a search of the position before each ply, and of the one behind it."""

    def __init__(self, game: AnyGame, effort: Effort) -> None:
        super().__init__(game, effort)
        self._seen: dict[tuple[Any, int], Weighed] = {}

    @abstractmethod
    def weigh(self, state: Any, nodes: int) -> Weighed:
        """Search a position that is not over and has several moves: a pure function."""

    def weighed(self, state: Any, nodes: int) -> Weighed:
        """Return what a position is worth; each is searched once."""
        found = self._seen.get((state, nodes))
        if found is None:
            if len(self._seen) > 256:  # a game goes on: what lies behind is not asked again
                self._seen.clear()
            found = self._seen[state, nodes] = self._weighed(state, nodes)
        return found

    def _weighed(self, state: Any, nodes: int) -> Weighed:
        phase = self.game.phase(state)
        if isinstance(phase, Outcome):
            gain = 1000 * (phase.tally[0] - phase.tally[1]) if phase.tally else None
            return Weighed(FIRST, int(phase.scores[0] * WHOLE), gain, solved=True)
        some = tuple(islice(self.game.legal(self.game.view(state, state.mover)), 2))
        if len(some) > 1:
            return self.weigh(state, nodes)
        then = self.weighed(self.game.play(state, {state.mover: some[0]}), nodes)
        return Weighed(state.mover, *_seen_by(then, state.mover), some[0], then.solved)

    def judge(self, course: Course, wanted: Sequence[int]) -> Iterator[Judgement]:
        """Compare the best move with the one that was played."""
        for at in wanted:
            yield self._judged(course[at])

    def _judged(self, ply: Ply) -> Judgement:
        nodes = self.effort.nodes
        found = self.weighed(ply.before, nodes)
        choice = len(tuple(islice(self.game.legal(self.game.view(ply.before, ply.seat)), 2))) > 1
        best, top = _seen_by(found, ply.seat)
        played, solved, lost = best, found.solved, 0
        if found.move != ply.move:
            then = self.weighed(ply.after, nodes)
            played, worth = _seen_by(then, ply.seat)
            if top is not None and worth is not None and found.solved == then.solved:
                lost = max(0, top - worth)
            best, solved = max(best, played), found.solved and then.solved
        standing = played if ply.seat == FIRST else WHOLE - played
        line = self._line(ply, found.move) if best - played >= SLIGHT else (self.notation.write(found.move),)
        return Judgement(best, played, standing, line[0], line, choice, solved, lost)

    def _line(self, ply: Ply, move: Any) -> tuple[str, ...]:
        """Return how the game might have gone on; the further away, the less is looked at."""
        state, said = ply.before, []
        for _ in range(LINE):
            said.append(self.notation.write(move))
            state = self.game.play(state, {state.mover: move})
            if isinstance(self.game.phase(state), Outcome):
                break
            move = self.weighed(state, max(100, self.effort.nodes // 10)).move
        return tuple(said)


def _seen_by(found: Weighed, seat: Seat) -> tuple[int, int | None]:
    """Return share and worth of a position as a seat sees them."""
    if found.seat == seat:
        return found.share, found.worth
    return WHOLE - found.share, None if found.worth is None else -found.worth


@value
class Look:
    """What one call of a compiled search found."""

    move: Any
    worth: int
    depth: int
    """How deep the last finished round was."""
    solved: bool = False
    counted: bool = False
    """Whether the worth is exact too, and not only its sign."""


class DeepAnalyst(OpenAnalyst):
    """Judges with a compiled search: a game adds how it is called, and what a worth means."""

    scale: ClassVar[int]
    grain: ClassVar[int] = 1
    """What one of the game's unit is worth."""

    @abstractmethod
    def look(self, state: Any, nodes: int, depth: int | None) -> Look:
        """Search with an empty memory: to the depth, or without one as far as the positions allow, the ending too."""

    def solved(self, state: Any, look: Look) -> Weighed:
        """Return what is certain: who wins, and by how much where that was counted."""
        worth = 1000 * look.worth // self.grain if look.counted else None
        return Weighed(state.mover, HALF + HALF * ((look.worth > 0) - (look.worth < 0)), worth, look.move, solved=True)

    def weigh(self, state: Any, nodes: int) -> Weighed:
        """Search as far as the positions allow, then the last depth that was finished again, and the one before it.

        A judgement at the end of a line favours whoever is to move there; the mean of two depths favours neither side.
        """
        first = self.look(state, nodes, None)
        if first.solved:
            return self.solved(state, first)
        last = self.look(state, nodes, max(1, first.depth))
        if last.solved:
            return self.solved(state, last)
        before = self.look(state, nodes, first.depth - 1) if first.depth > 1 else last
        mean = (last.worth + before.worth) // 2
        return Weighed(state.mover, share(mean, self.scale), 1000 * mean // self.grain, last.move)


class PlainAnalyst(OpenAnalyst):
    """Judges with the search in plain Python: a game adds its insight, and what a worth means."""

    insight: ClassVar[type[Insight[Any, Any]]]
    scale: ClassVar[int]
    grain: ClassVar[int] = 1
    """What one of the game's unit is worth."""
    depth: ClassVar[int] = 12
    usual = 2_000

    def weigh(self, state: Any, nodes: int) -> Weighed:
        """Search as far as the positions allow; the mean of two depths favours neither side's last word."""
        search: Search[Any, Any] = Search(self.insight(self.game), self.depth, nodes, ENDLESS)
        worths = search.weighed(state)
        move = max(worths, key=lambda one: worths[one])
        worth = worths[move]
        if abs(worth) >= SURE:
            return Weighed(state.mover, WHOLE if worth > 0 else 0, None, move, solved=True)
        lately = search.tops[-2:] or [worth]
        mean = sum(lately) // len(lately)
        return Weighed(state.mover, share(mean, self.scale), 1000 * mean // self.grain, move)
