"""What a Kriegspiel umpire knows and says (spec: kriegspiel, section 1).

The players see their own pieces only; the umpire sees the true board, a `chess.Board` that nobody here ever changes. Two kinds
of question are answered apart, because they may be answered to different people:

* **reach**: where could this piece go, for all that its owner's pieces tell? A try outside it is *illegal*.
* **possible**: can a try within reach be made on the true board? If not, it is *not possible*.

The rest is what the umpire says aloud: checks by kind, and the number of pawn captures. Chess positions, their text and their
bitboard tables are python-chess's; the two questions are asked so often that they are answered from the bitboards directly.
"""

from enum import Enum, unique
from typing import NamedTuple

import chess

from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.values import value


@unique
class Kind(Enum):
    """What an announcement says, in the order in which checks are named."""

    LONG_DIAGONAL = "in check on the long diagonal"
    SHORT_DIAGONAL = "in check on the short diagonal"
    RANK = "in check on the rank"
    FILE = "in check on the file"
    KNIGHT = "in check by a knight"
    PAWN = "in check by a pawn"
    TO_MOVE = "to move"
    """With the number of pawn captures that the side to move has."""
    ILLEGAL = "illegal move"
    """The try was impossible wherever the other side's pieces stand."""
    NOT_POSSIBLE = "not possible"
    """The other side's pieces forbid the try."""
    PIECE_GONE = "piece gone"
    PAWN_GONE = "pawn gone"
    PROMOTES = "promotes a pawn"
    OFFERS = "offers a draw"
    ACCEPTS = "accepts the draw"
    DECLINES = "declines the draw"
    """Said when a move is made though a draw was offered."""


CHECKS = (Kind.LONG_DIAGONAL, Kind.SHORT_DIAGONAL, Kind.RANK, Kind.FILE, Kind.KNIGHT, Kind.PAWN)
LINES = CHECKS[:4]
REFUSALS = (Kind.ILLEGAL, Kind.NOT_POSSIBLE)
GAINS = (Kind.PIECE_GONE, Kind.PAWN_GONE, Kind.PROMOTES)
"""What a move that was made may be followed by."""

MOST_CAPTURES = 16
"""Eight pawns with two captures each."""


@value
class Announcement:
    """One sentence of the umpire about the side in check or the side that moves."""

    kind: Kind
    side: Seat
    count: int = 0
    """Pawn captures, where `kind` is `TO_MOVE`."""


SAYS: dict[Kind, tuple[Announcement, Announcement]] = {
    kind: (Announcement(kind, FIRST), Announcement(kind, SECOND)) for kind in Kind if kind is not Kind.TO_MOVE
}
"""Each announcement without a number, made once, by kind and side."""

TO_MOVE = tuple(tuple(Announcement(Kind.TO_MOVE, side, n) for n in range(MOST_CAPTURES + 1)) for side in (FIRST, SECOND))
"""`TO_MOVE[side][captures]`."""


class Men(NamedTuple):
    """The pieces of one side as bitboards, a1 the lowest bit: a tuple, because one is made at every look."""

    all: int
    pawns: int
    knights: int
    bishops: int
    rooks: int
    queens: int
    kings: int


NOBODY = Men(0, 0, 0, 0, 0, 0, 0)

KNIGHT_STEPS, KING_STEPS, PAWN_BITES = chess.BB_KNIGHT_ATTACKS, chess.BB_KING_ATTACKS, chess.BB_PAWN_ATTACKS
DIAGONALS, FILES, RANKS = chess.BB_DIAG_ATTACKS, chess.BB_FILE_ATTACKS, chess.BB_RANK_ATTACKS
ON_DIAGONALS, ON_FILES, ON_RANKS = chess.BB_DIAG_MASKS, chess.BB_FILE_MASKS, chess.BB_RANK_MASKS
NOT_FILE_A, NOT_FILE_H = ~chess.BB_FILE_A, ~chess.BB_FILE_H

BETWEEN = [[chess.between(a, b) for b in chess.SQUARES] for a in chess.SQUARES]


def _diagonals(square: chess.Square) -> tuple[int, int]:
    """Return the long and the short diagonal through a square: on 8×8 they never have equally many squares."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    rising = chess.SquareSet(s for s in chess.SQUARES if chess.square_rank(s) - chess.square_file(s) == rank - file)
    falling = chess.SquareSet(s for s in chess.SQUARES if chess.square_rank(s) + chess.square_file(s) == rank + file)
    return (int(rising), int(falling)) if len(rising) > len(falling) else (int(falling), int(rising))


LONG, SHORT = ([_diagonals(square)[n] for square in chess.SQUARES] for n in (0, 1))


def men(board: chess.Board, white: bool) -> Men:
    """Return one side's pieces."""
    own = board.occupied_co[white]
    return Men(
        own, board.pawns & own, board.knights & own, board.bishops & own, board.rooks & own, board.queens & own, board.kings & own
    )


def reach(own: Men, white: bool, castling: int, source: chess.Square) -> int:
    """Return where the piece on `source` might go, looking at its own side only: `castling` is the rooks that still may."""
    start = 1 << source
    free = ~own.all
    if own.pawns & start:
        return _pawn_reach(own.all, white, source)
    if own.knights & start:
        return KNIGHT_STEPS[source] & free
    if own.kings & start:
        squares = KING_STEPS[source]
        for rook in chess.scan_forward(castling):
            if not BETWEEN[source][rook] & own.all:
                squares |= 1 << (source + 2 if rook > source else source - 2)
        return squares & free
    squares = 0
    if (own.bishops | own.queens) & start:
        squares = DIAGONALS[source][ON_DIAGONALS[source] & own.all]
    if (own.rooks | own.queens) & start:
        squares |= FILES[source][ON_FILES[source] & own.all] | RANKS[source][ON_RANKS[source] & own.all]
    return squares & free


def _pawn_reach(blockers: int, white: bool, source: chess.Square) -> int:
    step = 1 << (source + 8 if white else source - 8)
    squares = step & ~blockers
    if squares and source // 8 == (1 if white else 6):
        squares |= (step << 8 if white else step >> 8) & ~blockers
    return squares | PAWN_BITES[white][source] & ~blockers


def attackers(board: chess.Board, square: chess.Square, occupied: int, them: int) -> int:
    """Return those of `them` who attack `square` when `occupied` squares block lines."""
    return them & (
        (KNIGHT_STEPS[square] & board.knights)
        | (KING_STEPS[square] & board.kings)
        | (PAWN_BITES[board.turn][square] & board.pawns)
        | (DIAGONALS[square][ON_DIAGONALS[square] & occupied] & (board.bishops | board.queens))
        | (
            (FILES[square][ON_FILES[square] & occupied] | RANKS[square][ON_RANKS[square] & occupied])
            & (board.rooks | board.queens)
        )
    )


def possible(board: chess.Board, source: chess.Square, target: chess.Square) -> bool:
    """Tell whether a try within reach can be made on the true board; what a pawn becomes makes no difference."""
    start, end = 1 << source, 1 << target
    occupied = board.occupied
    if BETWEEN[source][target] & occupied:
        return False
    white = board.turn
    them = board.occupied_co[not white]
    king = board.kings & board.occupied_co[white]
    if start == king:
        if source - target in (2, -2):
            return _castles(board, source, target)
        return not attackers(board, target, occupied ^ start, them & ~end)
    if start & board.pawns:
        if not (source - target) % 8:
            if end & occupied:
                return False
        elif not end & them:
            if target != board.ep_square:
                return False
            passed = 1 << (target - 8 if white else target + 8)
            return not attackers(board, king.bit_length() - 1, (occupied ^ start ^ passed) | end, them ^ passed)
    return not attackers(board, king.bit_length() - 1, (occupied ^ start) | end, them & ~end)


def _castles(board: chess.Board, source: chess.Square, target: chess.Square) -> bool:
    """Tell whether the way is free up to the rook and the king nowhere attacked on his."""
    rook = source + 3 if target > source else source - 4
    if BETWEEN[source][rook] & board.occupied:
        return False
    them = board.occupied_co[not board.turn]
    return not any(attackers(board, square, board.occupied, them) for square in (source, (source + target) // 2, target))


def checks(board: chess.Board) -> tuple[Kind, ...]:
    """Name the checks on the side to move, in the order in which they are announced."""
    king = (board.kings & board.occupied_co[board.turn]).bit_length() - 1
    checkers = attackers(board, king, board.occupied, board.occupied_co[not board.turn])
    if not checkers:
        return ()
    sliders = checkers & ~board.pawns
    by = (
        sliders & LONG[king],
        sliders & SHORT[king],
        sliders & RANKS[king][0],
        sliders & FILES[king][0],
        checkers & board.knights,
        checkers & board.pawns,
    )
    return tuple(kind for kind, some in zip(CHECKS, by, strict=True) if some)


def captures(board: chess.Board) -> int:
    """Count the legal pawn captures of the side to move by from and to."""
    white = board.turn
    pawns = board.pawns & board.occupied_co[white]
    prey = board.occupied_co[not white] | (0 if board.ep_square is None else 1 << board.ep_square)
    west, east = (pawns & NOT_FILE_A), (pawns & NOT_FILE_H)
    ways = ((west << 7 & prey, 7), (east << 9 & prey, 9)) if white else ((west >> 9 & prey, -9), (east >> 7 & prey, -7))
    return sum(possible(board, target - step, target) for targets, step in ways for target in chess.scan_forward(targets))


def stuck(board: chess.Board) -> bool:
    """Tell whether the side to move has no legal move at all."""
    white = board.turn
    own = men(board, white)
    for source in chess.scan_forward(own.all):
        targets = reach(own, white, 0, source)
        while targets:
            target = targets.bit_length() - 1
            if possible(board, source, target):
                return False
            targets ^= 1 << target
    return True


def dead(board: chess.Board) -> bool:
    """Tell whether neither side could mate by any series of legal moves, for want of pieces."""
    return not board.pawns | board.rooks | board.queens and board.is_insufficient_material()


def opening(board: chess.Board) -> tuple[Announcement, ...]:
    """Return what is said when a turn begins: the checks, then who moves with how many pawn captures."""
    side = FIRST if board.turn else SECOND
    return (*(SAYS[kind][side] for kind in checks(board)), TO_MOVE[side][captures(board)])


def gains(board: chess.Board, source: chess.Square, target: chess.Square, promotion: int | None) -> tuple[Announcement, ...]:
    """Return what is said when a possible try is made: what is gone from the board, and that a pawn promotes."""
    side = FIRST if board.turn else SECOND
    end = 1 << target
    told: tuple[Announcement, ...] = ()
    if end & board.occupied:
        told = (SAYS[Kind.PAWN_GONE if end & board.pawns else Kind.PIECE_GONE][side],)
    elif target == board.ep_square and board.pawns & 1 << source:
        # Within reach and possible, so a pawn that arrives there took the one that had just passed.
        told = (SAYS[Kind.PAWN_GONE][side],)
    return (*told, SAYS[Kind.PROMOTES][side]) if promotion else told
