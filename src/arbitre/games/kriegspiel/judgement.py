"""What a Kriegspiel move is worth in positions that may be the true one (spec: kriegspiel, section 1).

A try that is not possible costs nothing. So a move is judged only in the particles in which it can be made: what it wins, what
it leaves to be taken, whether it mates or leaves no move without check, and, when few pieces are left, how much room it leaves
the king. Exchanges are reckoned from who attacks and who guards a square; the other side does not see what it could take, so
what is left to it counts in part.
"""

from typing import NamedTuple

import chess

from arbitre.games.game import FIRST
from arbitre.games.kriegspiel.particles import Particle, moved_on
from arbitre.games.kriegspiel.rules import Sight, Try
from arbitre.games.kriegspiel.umpire import (
    DIAGONALS,
    FILES,
    KING_STEPS,
    KNIGHT_STEPS,
    ON_DIAGONALS,
    ON_FILES,
    ON_RANKS,
    PAWN_BITES,
    RANKS,
    possible,
    stuck,
)

WORTH = (0.0, 1.0, 3.0, 3.2, 5.0, 9.5, 0.0)
"""What a piece counts, by its type."""
MATE = 200.0
STALEMATE = -60.0
RETAKEN, BITTEN, SEEN = 0.95, 0.9, 0.1
"""How likely a piece is taken: where it has just taken, by a pawn, whose captures are announced, by a piece that must guess."""
HIDDEN, GUARD = 0.3, 0.02
"""How likely what took is taken back though no particle has it so: at least, and more for each piece of the other side."""
BITES = 0.7
"""What a pawn's capture is worth beside what it takes: whoever leaves one is taken next."""
OTHERS = 0.3
"""How much counts what else can be taken, beside the worst."""
CHECK, THREAT = 0.15, 0.1
"""What a check is worth, which tells where the king is, and an attack on a piece."""
GONE_ON = (0.0, 0.0, 0.0, 0.1, 0.3, 0.8, 2.5, 0.0)
"""What a pawn counts more by the rank that it has reached; one's own the less, the more pieces may still stop it."""
LOCKED = -8.0
"""What it is worth to leave the king no way when only pawns could move, and may be blocked: that would be no victory."""
ARMY = 16
"""How many pieces a side begins with."""
FEW = 6
"""With so few pieces of the other side left, its king is hunted, and stalemate is looked out for."""
WAY, ROOM, NEAR = 0.25, 0.06, 0.12
"""What it is worth to take from a king: a step, a square of the room that he can walk about in, a step between the kings."""


class Verdict(NamedTuple):
    """What a try is worth if it can be made, and how likely it can."""

    worth: float
    chance: float


class Target(NamedTuple):
    """One's own piece that can be taken."""

    square: int
    worth: float
    by: int
    guards: int


def lines(square: chess.Square, occupied: int) -> tuple[int, int]:
    """Return what a bishop and a rook would reach from a square."""
    return (
        DIAGONALS[square][ON_DIAGONALS[square] & occupied],
        FILES[square][ON_FILES[square] & occupied] | RANKS[square][ON_RANKS[square] & occupied],
    )


def strikers(board: chess.Board, square: chess.Square, occupied: int, side: int, white: bool) -> int:
    """Return those of `side`, which is White or not, who attack or guard a square when `occupied` squares block lines."""
    diagonal, straight = lines(square, occupied)
    return side & (
        (KNIGHT_STEPS[square] & board.knights)
        | (KING_STEPS[square] & board.kings)
        | (PAWN_BITES[not white][square] & board.pawns)
        | (diagonal & (board.bishops | board.queens))
        | (straight & (board.rooks | board.queens))
    )


def strikes(piece: chess.PieceType, square: chess.Square, occupied: int, white: bool) -> int:
    """Return the squares that a piece attacks."""
    if piece == chess.PAWN:
        return PAWN_BITES[white][square]
    if piece == chess.KNIGHT:
        return KNIGHT_STEPS[square]
    if piece == chess.KING:
        return KING_STEPS[square]
    diagonal, straight = lines(square, occupied)
    return (diagonal if piece != chess.ROOK else 0) | (straight if piece != chess.BISHOP else 0)


def around(squares: int) -> int:
    """Return squares with all their neighbours."""
    wide = squares | (squares & ~chess.BB_FILE_H) << 1 | (squares & ~chess.BB_FILE_A) >> 1
    return (wide | wide << 8 | wide >> 8) & chess.BB_ALL


def room(king: chess.Square, safe: int) -> int:
    """Count the squares to which a king can walk over safe ones."""
    here = 1 << king
    while (wider := here | around(here) & safe) != here:
        here = wider
    return here.bit_count()


class Scene:
    """One particle, looked at from the side to move."""

    def __init__(self, particle: Particle) -> None:
        board = self.board = particle.board
        self.weight = particle.weight
        self.white = board.turn
        self.own, self.them = board.occupied_co[board.turn], board.occupied_co[not board.turn]
        self.king = (board.kings & self.them).bit_length() - 1
        self.late = 1 - self.them.bit_count() / ARMY
        """How many of the other side's pieces are gone, as a part of all."""
        self.targets: list[Target] = []
        for square in chess.scan_forward(self.own & ~board.kings):
            if by := strikers(board, square, board.occupied, self.them, not self.white):
                guards = strikers(board, square, board.occupied, self.own, self.white)
                self.targets.append(Target(1 << square, WORTH[board.piece_type_at(square) or 1], by, guards))

    def prey(self, square: chess.Square) -> float:
        """Return what a piece of the other side counts, a pawn the more the nearer it is to be a queen."""
        worth = WORTH[self.board.piece_type_at(square) or 1]
        if self.board.pawns >> square & 1:
            worth += GONE_ON[7 - square // 8 if self.white else square // 8]
        return worth

    def cheapest(self, pieces: int) -> float:
        """Return what the cheapest of some pieces counts; a king counts more than all."""
        board = self.board
        for worth, kind in zip(WORTH[1:], (board.pawns, board.knights, board.bishops, board.rooks, board.queens), strict=False):
            if pieces & kind:
                return worth
        return 100.0

    def loss(self, worth: float, by: int, guards: int) -> float:
        """Return what an attack on a piece wins."""
        if not by:
            return 0.0
        return max(0.0, worth - self.cheapest(by)) if guards else worth


class Judge:
    """Judges the tries of a turn in some particles."""

    def __init__(self, sight: Sight, particles: list[Particle], *, certain: bool) -> None:
        self.certain = certain
        self.scenes = [Scene(one) for one in particles]
        self.total = sum(one.weight for one in self.scenes)
        self.white = sight.seat == FIRST
        self.men = sight.men
        self.home = sight.men.kings.bit_length() - 1
        self.kinds = {square: self.kind(square) for square in chess.scan_forward(sight.men.all)}

    def kind(self, square: chess.Square) -> chess.PieceType:
        """Return what piece of one's own stands on a square."""
        return next(kind for kind, squares in enumerate(self.men[1:], start=1) if squares >> square & 1)

    def judge(self, move: Try) -> Verdict:
        """Return what a try is worth where it can be made."""
        worth = weight = 0.0
        for scene in self.scenes:
            if possible(scene.board, move.from_square, move.to_square):
                weight += scene.weight
                worth += scene.weight * self.value(scene, move)
        return Verdict(worth / weight if weight else 0.0, weight / self.total if self.total else 0.0)

    def value(self, scene: Scene, move: Try) -> float:
        """Return what a move is worth in one position."""
        board = scene.board
        source, target = move.from_square, move.to_square
        start, end = 1 << source, 1 << target
        was = self.kinds[source]
        piece = move.promotion or was
        occupied = (board.occupied ^ start) | end
        worth = WORTH[piece] - WORTH[was]
        if end & scene.them:
            worth += scene.prey(target)
        elif was == chess.PAWN and (source - target) % 8:
            worth += WORTH[chess.PAWN]
        if was == chess.PAWN and (source - target) % 8:
            worth += BITES
        them = scene.them & ~end
        if piece == chess.PAWN:
            near = GONE_ON if self.white else GONE_ON[::-1]
            worth += scene.late * (near[target // 8] - near[source // 8])
        worth -= self.risk(scene, move, piece, occupied, them)
        hits = strikes(piece, target, occupied, self.white)
        few = them.bit_count() <= FEW
        king = 1 << scene.king
        check = hits & king or strikers(board, scene.king, occupied, scene.own & ~start, self.white)
        worth += THREAT * (hits & them & ~king & (-1 if few else ~board.pawns)).bit_count()
        if (check or few) and stuck(moved_on(board, move)):
            return MATE if check else worth + STALEMATE
        if check:
            worth += CHECK
        return worth + self.hunt(scene, move, piece, occupied, them) if few else worth

    def risk(self, scene: Scene, move: Try, piece: chess.PieceType, occupied: int, them: int) -> float:
        """Return what a move leaves to be taken."""
        board = scene.board
        source, target = move.from_square, move.to_square
        losses = []
        if piece != chess.KING:
            takes = them != scene.them
            by = strikers(board, target, occupied, them, not self.white)
            guards = strikers(board, target, occupied, scene.own & ~(1 << source), self.white) if by else 0
            likely = RETAKEN if takes else BITTEN if by & board.pawns else SEEN
            loss = likely * scene.loss(WORTH[piece], by, guards)
            if takes and not self.certain:
                loss += (HIDDEN + GUARD * them.bit_count()) * (WORTH[piece] - loss)
            losses.append(loss)
        for square, worth, by, guards in scene.targets:
            if not square >> source & 1:
                likely = BITTEN if by & board.pawns else SEEN
                losses.append(likely * scene.loss(worth, by & them, guards & ~(1 << source)))
        if not losses:
            return 0.0
        worst = max(losses)
        return worst + OTHERS * (sum(losses) - worst)

    def hunt(self, scene: Scene, move: Try, piece: chess.PieceType, occupied: int, them: int) -> float:
        """Return what it is worth to leave a king little room."""
        board = scene.board
        open_ = occupied & ~(1 << scene.king)
        covered = strikes(piece, move.to_square, open_, self.white)
        for square, kind in self.kinds.items():
            if square != move.from_square:
                covered |= strikes(kind, square, open_, self.white)
        safe = ~covered & ~(them & ~(1 << scene.king))
        ways = (KING_STEPS[scene.king] & safe).bit_count()
        if not ways and not covered >> scene.king & 1 and not them & ~(board.pawns | board.kings):
            return LOCKED
        home = move.to_square if piece == chess.KING else self.home
        return -WAY * ways - ROOM * room(scene.king, safe) - NEAR * chess.square_distance(home, scene.king)
