"""International draughts: a hundred squares, flying kings, the longest capture compulsory (spec: draughts, section 1).

What implementations get wrong about captures is settled in `arbitre.games.draughts.moves`. Here is the game around it: a side
that cannot move has lost, whether it has pieces or not; the only draw is the last ply, 100 unless an option says otherwise, and
a win on that ply is a win; nobody resigns to the rules.

One capture can be made along many paths, so moves are equal when they reach the same position, whatever the path.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field

from arbitre.errors import IllegalMoveError
from arbitre.games.draughts.moves import (
    BIT,
    LINES,
    SQUARE,
    Side,
    Square,
    Squares,
    Step,
    after,
    bits,
    moves,
    numbers,
    squares_of,
    traces,
)
from arbitre.games.game import ALONE, FIRST, SECOND, Awaits, Eye, Game, Outcome, Phase, Seat, drawn, require, won
from arbitre.reasons import Reason, declare
from arbitre.values import option, value


@value
class Move:
    """A move: equal to another when it leaves the same square, ends on the same square and takes the same pieces."""

    start: Square
    end: Square
    captured: frozenset[Square] = frozenset()
    path: tuple[Square, ...] = field(default=(), compare=False)
    """All squares where the piece stood, from start to end: one of the ways to make this move."""

    def __str__(self) -> str:
        return ("x" if self.captured else "-").join(map(str, self.path or (self.start, self.end)))


QUIET: dict[Step, Move] = {
    (start, to, 0): Move(SQUARE[start], SQUARE[to], path=(SQUARE[start], SQUARE[to]))
    for start, lines in LINES.items()
    for mask, _ in lines
    for to in bits(mask)
}
"""Every move without capture, made once."""


REASONS = declare(
    {
        "cannot-move": ("the other side cannot move", "l’autre camp ne peut pas jouer"),
        "no-piece-left": ("the other side has no piece left", "l’autre camp n’a plus de pièce"),
        "no-square": ("squares are numbered 1 to 50", "les cases sont numérotées de 1 à 50"),
        "no-piece": ("no piece of yours stands on %(square)s", "aucune de vos pièces n’est en %(square)s"),
        "must-capture": ("a capture is compulsory, such as %(move)s", "la prise est obligatoire, par exemple %(move)s"),
        "no-capture": ("there is nothing to capture", "il n’y a rien à prendre"),
        "must-capture-most": (
            "a capture takes as many pieces as it can, here %(count)s, such as %(move)s",
            "une prise enlève autant de pièces que possible, ici %(count)s, par exemple %(move)s",
        ),
        "no-such-capture": (
            "no capture of these pieces leads from %(start)s to %(end)s",
            "aucune prise de ces pièces ne mène de %(start)s à %(end)s",
        ),
        "king-moves-so": ("a king moves along a free diagonal", "une dame se déplace le long d’une diagonale libre"),
        "man-moves-so": ("a man moves one square diagonally forward", "un pion avance d’une case en diagonale"),
        "no-draughts-move": ("a move is written 32-27, a capture 26x17x8x19", "un coup s’écrit 32-27, une prise 26x17x8x19"),
        "jumps-nothing": (
            "no legal capture lands on these squares, and %(hop)s jumps over no single piece",
            "aucune prise permise ne passe par ces cases, et %(hop)s ne saute pas une seule pièce",
        ),
        "other-way": ("that capture is legal, but not along these squares", "cette prise est permise, mais pas par ces cases"),
    }
)


@value
class Board:
    """Where the pieces stand, and the number of the ply to come; white moves on odd plies."""

    white: Squares
    black: Squares
    kings: Squares = 0
    turn: int = 1
    listed: tuple[Move, ...] | None = field(default=None, init=False, repr=False, compare=False)
    """The moves, once somebody has asked for them: phase, list and check all need them."""

    @property
    def mover(self) -> Seat:
        """The seat to move."""
        return FIRST if self.turn & 1 else SECOND

    @property
    def side(self) -> Side:
        """The side to move, as the generator sees it."""
        if self.turn & 1:
            return self.white, self.black, self.kings, FIRST
        return self.black, self.white, self.kings, SECOND

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves of the side to move, captures that reach the same position once, by start, end and victims."""
        if self.listed is None:
            object.__setattr__(self, "listed", _listed(self.side))
        return self.listed or ()

    def after(self, move: Move) -> "Board":
        """Return the board after a move, which is not judged."""
        step = (BIT[move.start], BIT[move.end], squares_of(move.captured))
        own, foes, kings, seat = after(self.side, step)
        white, black = (own, foes) if seat == FIRST else (foes, own)
        return Board(white, black, kings, self.turn + 1)

    def __reduce__(self) -> tuple[type["Board"], tuple[int, ...]]:
        return Board, (self.white, self.black, self.kings, self.turn)


def _listed(side: Side) -> tuple[Move, ...]:
    found = sorted(moves(side))
    if not found or not (taken := found[0][2]):
        return tuple([QUIET[step] for step in found])
    if taken.bit_count() == 1:
        return tuple([_capture(step, step[:2]) for step in found])
    paths = traces(side, lambda bit: (bit,), lambda path, _, landing: (*path, landing), min)
    return tuple([_capture(step, paths[step]) for step in found])


def _capture(step: Step, path: tuple[Squares, ...]) -> Move:
    return Move(SQUARE[step[0]], SQUARE[step[1]], frozenset(numbers(step[2])), tuple([SQUARE[bit] for bit in path]))


def routes(board: Board, stops: tuple[Square, ...]) -> tuple[Move, ...]:
    """Return the legal captures that begin and end at the first and the last of `stops` and land on the others on the way.

    The path of each is one that does so: the path that was said, when all landings were said.
    """
    wanted = [BIT[n] for n in stops[1:]]
    most = len(wanted)

    def extend(trace: tuple[int, tuple[Squares, ...]], _: Squares, landing: Squares) -> tuple[int, tuple[Squares, ...]]:
        # The fewest stops still owed come first, so that `min` keeps the way that owes least.
        owed, path = trace
        return owed - (owed > 0 and wanted[most - owed] == landing), (*path, landing)

    found = traces(board.side, lambda bit: (most, (bit,)), extend, min)
    ends = (BIT[stops[0]], BIT[stops[-1]])
    return tuple(_capture(step, path) for step, (owed, path) in sorted(found.items()) if step[:2] == ends and not owed)


COLOURS = (Reason("white"), Reason("black"))


@value
class Draughts(Game[Board, Move, Board]):
    """International draughts."""

    name = "draughts"
    plies: int = option(default=100, line="a draw after so many moves of both sides together", least=2, most=2_000)

    def start(self) -> Board:
        """Return twenty men a side, white to move."""
        return Board(white=sum(BIT[31:]), black=sum(BIT[1:21]))

    def phase(self, state: Board) -> Phase:
        """End when the side to move cannot, else when all plies are played."""
        mover = state.mover
        if not state.moves:
            return won(SECOND if mover == FIRST else FIRST, "cannot-move" if state.side[0] else "no-piece-left")
        if state.turn > self.plies:
            return drawn("plies-played", plies=self.plies)
        return Awaits(ALONE[mover], state.turn)

    def view(self, state: Board, eye: Eye) -> Board:  # noqa: ARG002 - everybody sees everything
        """Show the board."""
        return state

    def legal(self, view: Board) -> Iterator[Move]:
        """List the moves of the side to move, while the game lasts."""
        if view.turn <= self.plies:
            yield from view.moves

    def check(self, view: Board, move: Move) -> None:
        """Refuse what is not among the moves, and say why."""
        require(not isinstance(self.phase(view), Outcome), move, "game-over")
        if move not in view.moves:
            raise IllegalMoveError(move, _fault(view, move))

    def play(self, state: Board, moves: Mapping[Seat, Move]) -> Board:
        """Move the piece, remove what it captured, crown it where it ends."""
        return state.after(moves[state.mover])


def _fault(board: Board, move: Move) -> Reason:
    """Say what is wrong with a move that is not legal."""
    own, foes, kings, _ = board.side
    if not all(1 <= n <= 50 for n in (move.start, move.end, *move.captured)):
        return Reason("no-square")
    start, end = BIT[move.start], BIT[move.end]
    if not start & own:
        return Reason("no-piece", square=move.start)
    best = len(board.moves[0].captured)
    if best and not move.captured:
        return Reason("must-capture", move=str(board.moves[0]))
    if end & (own | foes) & ~(start if move.captured else 0):
        return Reason("occupied", cell=move.end)
    if not best and move.captured:
        return Reason("no-capture")
    if len(move.captured) < best:
        return Reason("must-capture-most", count=best, move=str(board.moves[0]))
    if move.captured:
        return Reason("no-such-capture", start=move.start, end=move.end)
    return Reason("king-moves-so" if start & kings else "man-moves-so")
