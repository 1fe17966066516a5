"""How to mate a bare king that one does not see (spec: kriegspiel, section 1).

Where only the king is left to the other side, all that is not known is where he stands: a set of squares. A move of one's own
parts the set by what the umpire would say, whether it is possible and which checks it gives; then the king takes a step, to
squares that are not covered. So sets follow from sets, and a player looks two moves ahead over all that may be said. What is
hoped for is mate on as many squares as may be, then a small set in a small room with one's own king near; what is feared is
stalemate, and a piece that can be taken.

Sets are bitboards, and all of it is reckoned for the whole set at once.
"""

from collections.abc import Callable, Iterator
from functools import cached_property

import chess

from arbitre.games.kriegspiel.umpire import (
    DIAGONALS,
    FILES,
    KING_STEPS,
    KNIGHT_STEPS,
    LONG,
    ON_DIAGONALS,
    ON_FILES,
    ON_RANKS,
    PAWN_BITES,
    RANKS,
    Men,
)

MATE, STALEMATE, LOST = 100.0, -200.0, 14.0
"""What mate is worth, what stalemate costs, and how many times its worth a piece that can be taken."""
DELAY = 2.0
"""What a move more costs: mate at once is better than mate at any time."""
SQUARE, ROOM, NEAR, EDGE = 0.25, 0.22, 0.5, 0.5
"""What each square of the set costs, each of the room around it, each step between the kings, each from the edge."""
WORTHS = {chess.PAWN: 2.0, chess.KNIGHT: 3.0, chess.BISHOP: 3.5, chess.ROOK: 6.0, chess.QUEEN: 10.0, chess.KING: 0.0}
ADVANCE = 0.6
"""What a pawn's step is worth."""
WIDE = 44
"""With more moves than this one looks at one only."""

RISING = [sum(1 << s for s in chess.SQUARES if s // 8 - s % 8 == square // 8 - square % 8) for square in chess.SQUARES]
LONG_RISES = sum(1 << square for square in chess.SQUARES if LONG[square] == RISING[square])
"""The squares whose long diagonal is the one that rises to the right."""
RINGS = tuple(sum(1 << s for s in chess.SQUARES if min(s // 8, 7 - s // 8, s % 8, 7 - s % 8) >= depth) for depth in (1, 2, 3))


def steps(squares: int) -> int:
    """Return where kings on these squares could go."""
    sides = (squares & ~chess.BB_FILE_H) << 1 | (squares & ~chess.BB_FILE_A) >> 1
    wide = squares | sides
    return (sides | wide << 8 | wide >> 8) & chess.BB_ALL


class Stand:
    """One's own pieces after a move, and what they do to a king wherever he is."""

    def __init__(self, pieces: dict[chess.Square, chess.PieceType], white: bool) -> None:
        self.pieces, self.white = pieces, white
        self.occupied = sum(1 << square for square in pieces)
        self.king = next(square for square, kind in pieces.items() if kind == chess.KING)
        rank = file = rising = falling = knight = pawn = 0
        for square, kind in pieces.items():
            if kind == chess.PAWN:
                pawn |= PAWN_BITES[white][square]
            elif kind == chess.KNIGHT:
                knight |= KNIGHT_STEPS[square]
            if kind in (chess.ROOK, chess.QUEEN):
                rank |= RANKS[square][ON_RANKS[square] & self.occupied]
                file |= FILES[square][ON_FILES[square] & self.occupied]
            if kind in (chess.BISHOP, chess.QUEEN):
                both = DIAGONALS[square][ON_DIAGONALS[square] & self.occupied]
                rising |= both & RISING[square]
                falling |= both & ~RISING[square]
        self.checks = (
            rank, file, rising & LONG_RISES | falling & ~LONG_RISES, rising & ~LONG_RISES | falling & LONG_RISES, knight, pawn,
        )  # fmt: skip
        """The squares on which a king is in check, by what the umpire would say."""
        self.hit = rank | file | rising | falling | knight | pawn
        self.covered = self.hit | KING_STEPS[self.king]
        self.safe = chess.BB_ALL & ~self.covered
        """Where a king could step to, one's own unguarded pieces among it."""
        self.free = steps(self.safe)
        """From where a king has a step."""
        self.loose = [(1 << square, kind) for square, kind in pieces.items() if not self.covered >> square & 1]

    def parts(self, squares: int) -> Iterator[int]:
        """List the parts of a set that the umpire's words tell apart."""
        found = [squares]
        for check in self.checks:
            found = [part for one in found for part in (one & check, one & ~check) if part]
        return iter(found)

    @cached_property
    def next(self) -> "list[tuple[chess.Square, chess.Square, Stand]]":
        """The moves from here, each with where it leads; pawns become queens."""
        found = []
        for source, kind in self.pieces.items():
            for target in chess.scan_forward(self._reach(source, kind)):
                pieces = {square: one for square, one in self.pieces.items() if square != source}
                pieces[target] = chess.QUEEN if kind == chess.PAWN and target // 8 in (0, 7) else kind
                found.append((source, target, Stand(pieces, self.white)))
        return found

    def _reach(self, square: chess.Square, kind: chess.PieceType) -> int:
        free = ~self.occupied
        if kind == chess.PAWN:
            ahead = (1 << square + 8 if self.white else 1 << square - 8) & free
            if ahead and square // 8 == (1 if self.white else 6):
                ahead |= (ahead << 8 if self.white else ahead >> 8) & free
            return ahead
        if kind == chess.KNIGHT:
            return KNIGHT_STEPS[square] & free
        if kind == chess.KING:
            return KING_STEPS[square] & free
        straight = FILES[square][ON_FILES[square] & self.occupied] | RANKS[square][ON_RANKS[square] & self.occupied]
        diagonal = DIAGONALS[square][ON_DIAGONALS[square] & self.occupied]
        return ((straight if kind != chess.BISHOP else 0) | (diagonal if kind != chess.ROOK else 0)) & free


def open_to(squares: int, source: chess.Square, target: chess.Square, kind: chess.PieceType) -> int:
    """Return the part of a set with which a move is possible: kings keep apart, and a pawn does not go through one."""
    if kind == chess.KING:
        return squares & ~(KING_STEPS[target] | 1 << target)
    between = 1 << (source + target) // 2 if kind == chess.PAWN and abs(source - target) == 16 else 0
    return squares & ~(1 << target | between)


def outlook(stand: Stand, squares: int) -> float:
    """Judge a set of squares when one is to move."""
    count = squares.bit_count()
    room = squares
    while (wider := room | steps(room) & stand.safe) != room:
        room = wider
    ring = sum((squares & ring).bit_count() for ring in RINGS) / count
    apart = sum(chess.square_distance(stand.king, square) for square in chess.scan_forward(squares)) / count
    worth = 0.0
    for square, kind in stand.pieces.items():
        worth += WORTHS[kind]
        if kind == chess.PAWN:
            worth += ADVANCE * (square // 8 if stand.white else 7 - square // 8)
    return worth - SQUARE * count - ROOM * room.bit_count() - NEAR * apart - EDGE * ring


def after(stand: Stand, squares: int, look: Callable[[Stand, int], float]) -> float:
    """Judge a move that led to `stand`, when the king was on one of some squares: look on after his step."""
    stuck = squares & ~stand.free
    mated, stale = (stuck & stand.hit).bit_count(), (stuck & ~stand.hit).bit_count()
    worth = MATE * mated + STALEMATE * stale
    for square, kind in stand.loose:
        worth -= LOST * WORTHS[kind] * (squares & steps(square)).bit_count()
    for part in stand.parts(squares & stand.free):
        walked = steps(part) & stand.safe & ~stand.occupied
        if walked:
            worth += part.bit_count() * (look(stand, walked) - DELAY)
    return worth / squares.bit_count()


def best(stand: Stand, squares: int) -> float:
    """Judge a set of squares by the best move."""
    return max(
        (
            after(one, some, outlook)
            for source, target, one in stand.next
            if (some := open_to(squares, source, target, stand.pieces[source]))
        ),
        default=outlook(stand, squares),
    )


Worths = dict[tuple[chess.Square, chess.Square], tuple[float, float]]


def worths(men: Men, white: bool, squares: int, hurry: Callable[[], bool]) -> Worths:
    """Return what each move is worth where it is possible, and how likely it is, when the bare king is on one of some squares."""
    pieces = {square: kind for kind, some in enumerate(men[1:], start=chess.PAWN) for square in chess.scan_forward(some)}
    stand = Stand(pieces, white)
    listed = stand.next
    look = best if len(listed) <= WIDE else outlook
    found: Worths = {}
    for source, target, one in listed:
        some = open_to(squares, source, target, pieces[source])
        if some:
            found[source, target] = after(one, some, outlook if hurry() else look), some.bit_count() / squares.bit_count()
    return found
