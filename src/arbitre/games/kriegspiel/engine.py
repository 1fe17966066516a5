"""House players of Kriegspiel: from one who tries anything to one who reckons with hundreds of positions.

A try that is not possible costs nothing, so what may win something is tried first: the pawn captures that were announced, and the
square where one's own piece was just taken. Otherwise pieces come out, stay where they are guarded, and pawns go on to become
queens. A try that the umpire has ruled out is never made.

To mate, one must know where the king is. The simple players keep the *quarry*, the set of squares where he can be: he makes one
step a turn, does not walk into an attack, and a check tells where he stands. When the other side has few pieces left, moves are
judged by what they leave the king on each of these squares. The best player believes in whole positions (`particles`), judges
its moves in them (`judgement`), and looks ahead where a bare king is to be mated (`mating`).

Offered a draw, whoever has not enough left to mate accepts it; the others play on.
"""

from random import Random
from time import perf_counter
from typing import ClassVar

import chess

from arbitre.games.engine import Budget, Clock, Engine, favourite
from arbitre.games.game import FIRST
from arbitre.games.kriegspiel.judgement import Judge
from arbitre.games.kriegspiel.mating import worths
from arbitre.games.kriegspiel.particles import Belief, Particle, sample
from arbitre.games.kriegspiel.placements import Force, force
from arbitre.games.kriegspiel.rules import DRAW, Kriegspiel, Sight, Try, offered, ruled_out
from arbitre.games.kriegspiel.umpire import CHECKS, KING_STEPS, Kind, Men, checks
from arbitre.games.player import Position

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 12}

CAPTURE, PROMOTION = 80, 50
"""Captures first, then promotions, then everything else."""
MATE, LOOSE = 40, 6
"""What it is worth to leave the king no way to go, and not to leave him a piece to take."""
ARMY = 16
FEW = 4
"""So few pieces do not protect a king for long."""
OPENING = 24
"""Plies in which pieces come out."""
STYLE, CURIOUS = 0.15, 0.1
"""How much caution counts beside what was judged, and the hope to learn from a refusal."""
BARE = Force(pawns=0, others=1)
"""Only the king is left."""
CENTRAL = chess.BB_CENTER | chess.BB_C4 | chess.BB_C5 | chess.BB_F4 | chess.BB_F5


class Camp:
    """One's own pieces, and what was heard."""

    def __init__(self, sight: Sight, fallen: int) -> None:
        self.sight = sight
        self.white = sight.seat == FIRST
        self.fallen = fallen
        """Where a piece of one's own was just taken, as a bitboard."""
        self.board = board(sight.men, self.white)
        said = [one for one in sight.now if one.side == sight.seat]
        self.checked = any(one.kind in CHECKS for one in said)
        self.bites = any(one.kind is Kind.TO_MOVE and one.count for one in said)
        gone = sum(one.kind in (Kind.PIECE_GONE, Kind.PAWN_GONE) and one.side == sight.seat for one in sight.heard)
        self.foes = max(1, ARMY - gone)
        """How many pieces the other side has, if it began with all."""

    def bite(self, move: Try) -> bool:
        """Tell whether a try is a pawn's capture."""
        return bool(self.sight.men.pawns >> move.from_square & 1 and (move.from_square - move.to_square) % 8)

    def guarded(self, move: Try) -> bool:
        """Tell whether another piece guards the square that a move goes to."""
        guards = self.board.attackers_mask(self.white, move.to_square)
        return bool(guards & ~(1 << move.from_square))

    def rank(self, square: chess.Square) -> int:
        """Return how far a square is from one's own side, 0 to 7."""
        return square // 8 if self.white else 7 - square // 8


def board(men: Men, white: bool) -> chess.Board:
    """Return a board with the pieces of one side only."""
    alone = chess.Board(None)
    alone.pawns, alone.knights, alone.bishops = men.pawns, men.knights, men.bishops
    alone.rooks, alone.queens, alone.kings = men.rooks, men.queens, men.kings
    alone.occupied = alone.occupied_co[white] = men.all
    return alone


def moved(before: chess.Board, move: Try) -> chess.Board:
    """Return the board of one side after its move."""
    after = before.copy(stack=False)
    piece = after.remove_piece_at(move.from_square)
    if piece is None:
        return after
    after.set_piece_at(move.to_square, chess.Piece(move.promotion or piece.piece_type, piece.color))
    if piece.piece_type == chess.KING and abs(move.from_square - move.to_square) == 2:
        right = move.to_square > move.from_square
        rook = after.remove_piece_at(move.to_square + (1 if right else -2))
        if rook is not None:
            after.set_piece_at(move.to_square + (-1 if right else 1), rook)
    return after


def hopeless(men: Men) -> bool:
    """Tell whether one side's pieces are too few to mate, unless the other side helps with its own."""
    return not men.pawns | men.rooks | men.queens and (men.knights | men.bishops).bit_count() < 2


def covered(own: chess.Board) -> int:
    """Return the squares that the pieces of one side attack or guard; a king of the other side would hide none of them."""
    squares = 0
    for square in chess.scan_forward(own.occupied):
        squares |= own.attacks_mask(square)
    return squares


def stands(own: chess.Board, king: chess.Square, white: bool, kinds: tuple[Kind, ...]) -> bool:
    """Tell whether the pieces of one side give just these checks to a king of the other on a square."""
    test = own.copy(stack=False)
    test.set_piece_at(king, chess.Piece(chess.KING, not white))
    test.turn = not white
    return checks(test) == kinds


class Quarry:
    """Where the other side's king can be."""

    def __init__(self) -> None:
        self.squares = chess.BB_ALL

    def update(self, after: chess.Board, camp: "Camp") -> None:
        """Follow the king through the other side's turn, which began with the own pieces as in `after`."""
        past = camp.sight.past
        kinds = tuple(one.kind for one in (past[-1] if past else ()) if one.kind in CHECKS)
        safe = ~covered(after)
        here = self.squares & ~after.occupied
        if kinds or camp.foes < FEW:
            here = sum(1 << square for square in chess.scan_forward(here) if stands(after, square, camp.white, kinds))
        steps = 0 if camp.foes == 1 else here & safe
        for square in chess.scan_forward(here):
            steps |= KING_STEPS[square] & safe
        if camp.foes == 1 and camp.fallen:
            steps &= camp.fallen
        self.squares = steps & ~camp.sight.men.all or chess.BB_ALL & ~camp.sight.men.all

    def squeeze(self, after: chess.Board) -> float:
        """Judge a move by what it leaves the king, wherever he is: pieces to take, ways to go; none is mate or stalemate."""
        attacked = covered(after)
        loose = after.occupied & ~attacked & ~after.kings
        worth = 0.0
        count = 0
        for square in chess.scan_forward(self.squares & ~after.occupied):
            count += 1
            ways = (KING_STEPS[square] & ~attacked).bit_count()
            check = attacked >> square & 1
            worth -= LOOSE * (KING_STEPS[square] & loose).bit_count()
            if ways:
                worth += 2 * check - ways
            else:
                worth += MATE if check else -MATE
        return worth / count if count else 0.0


class Umpired(Engine[Try]):
    """Tries what is not ruled out, the most promising first."""

    def __init__(self, random: Random | None = None, clock: Clock = perf_counter) -> None:
        super().__init__(random, clock)
        self.quarry = Quarry()
        self.turn = 0
        self.fallen = 0
        self.last: Try | None = None
        self.after: chess.Board | None = None
        """One's own pieces after the last try."""

    def choose(self, position: Position, budget: Budget) -> Try:  # noqa: ARG002 - it does not think long
        """Try the move of the highest worth that is not ruled out."""
        sight: Sight = position.view
        if offered(sight) and hopeless(sight.men):
            return DRAW
        camp = self.look(sight)
        tries: list[Try] = list(position.game.legal(sight))
        open_ = [move for move in tries if not ruled_out(sight, move.from_square, move.to_square)]
        choice = favourite({move: self.worth(camp, move) for move in open_ or tries}, self.random)
        self.last, self.after = choice, moved(camp.board, choice)
        return choice

    def look(self, sight: Sight) -> Camp:
        """See what was taken since the own move, and where the king can be now."""
        if sight.turn == self.turn:
            return Camp(sight, self.fallen)
        follows = self.after is not None and sight.turn == self.turn + 2
        self.turn = sight.turn
        self.fallen = self.after.occupied & ~sight.men.all if self.after is not None and follows else 0
        camp = Camp(sight, self.fallen)
        if self.after is not None and follows:
            self.quarry.update(self.after, camp)
        return camp

    def hunt(self, camp: Camp, move: Try) -> float:
        """Judge a move by what it leaves the king, when there are few others to protect him."""
        if camp.foes > FEW:
            return 0.0
        return self.quarry.squeeze(moved(camp.board, move))

    def worth(self, camp: Camp, move: Try) -> float:
        """Judge a try."""
        raise NotImplementedError


class Novice(Umpired):
    """Takes back, brings its pieces out and its pawns on, and hunts the king; it leaves something to luck."""

    def worth(self, camp: Camp, move: Try) -> float:
        """Prefer captures, then plans."""
        return gain(camp, move) + plan(camp, move, self.last) + self.hunt(camp, move) + 2 * self.random.random()


class Amateur(Umpired):
    """Takes what it can and hunts the king, and otherwise moves as it likes: who shows no plan gives little away."""

    def worth(self, camp: Camp, move: Try) -> float:
        """Prefer captures."""
        return gain(camp, move) + self.hunt(camp, move) + 2 * self.random.random()


class Player(Umpired):
    """Brings its pieces out and its pawns on, and leaves none of them unguarded."""

    def worth(self, camp: Camp, move: Try) -> float:
        """Prefer captures, then plans that are safe."""
        worth = gain(camp, move) + plan(camp, move, self.last) + self.hunt(camp, move)
        return worth + safety(camp, move) + self.random.random()


def gain(camp: Camp, move: Try) -> float:
    """Return what a try may win at once: the cheapest piece takes first."""
    piece = camp.board.piece_type_at(move.from_square) or chess.PAWN
    worth = 0.0
    if camp.bite(move):
        worth += CAPTURE if camp.bites else -CAPTURE
    if camp.fallen >> move.to_square & 1 and (piece != chess.PAWN or camp.bites):
        worth += CAPTURE - VALUES[piece]
    if move.promotion:
        worth += PROMOTION if move.promotion == chess.QUEEN else -PROMOTION
    return worth


def plan(camp: Camp, move: Try, last: Try | None) -> float:
    """Return how well a move fits the plan: first come out, then push pawns, the more the fewer the others are."""
    piece = camp.board.piece_type_at(move.from_square) or chess.PAWN
    source, target = camp.rank(move.from_square), camp.rank(move.to_square)
    early = camp.sight.turn <= OPENING
    worth = 0.0
    if last is not None and (move.from_square, move.to_square) == (last.to_square, last.from_square):
        worth -= 3
    if piece == chess.PAWN:
        worth += target * target * (0.05 + 0.15 * (1 - camp.foes / ARMY))
        if early and 1 << move.to_square & CENTRAL:
            worth += 3
    elif piece == chess.KING:
        worth += home(camp, move)
    elif early and piece in (chess.KNIGHT, chess.BISHOP):
        worth += 3 * (source == 0) + (0 if target == 0 else 0.5)
    elif early:
        worth -= 3
    return worth


def home(camp: Camp, move: Try) -> float:
    """Return how well a king's move fits: he castles, and otherwise stays where he is while many others are there."""
    castles = abs(move.from_square - move.to_square) == 2
    return 5 if castles else 0 if camp.checked or camp.foes < 6 else -4


def caution(camp: Camp, move: Try, last: Try | None) -> float:
    """Return what speaks for a move beside what was judged: to be safe, not to go back; plans lose what they bring forward."""
    king = camp.board.piece_type_at(move.from_square) == chess.KING
    back = last is not None and (move.from_square, move.to_square) == (last.to_square, last.from_square)
    return safety(camp, move) + (home(camp, move) if king else 0.0) - 2 * back


def safety(camp: Camp, move: Try) -> float:
    """Return what a move risks: an unguarded piece among many others who may take it."""
    piece = camp.board.piece_type_at(move.from_square) or chess.PAWN
    if piece == chess.KING:
        return -0.4 * camp.rank(move.to_square) * camp.foes / ARMY
    crowd = camp.foes / ARMY
    if camp.guarded(move):
        return 1.5 - 0.1 * VALUES[piece] * crowd * camp.rank(move.to_square)
    return -0.35 * VALUES[piece] * crowd * camp.rank(move.to_square)


class Patience:
    """Looks at the clock until time is up, and no more."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.over = False

    def __call__(self) -> bool:
        """Tell whether it is time to answer."""
        self.over = self.over or self.budget.spent
        return self.over


class Master(Player):
    """Weighs its moves in hundreds of positions that agree with all it has heard, and knows how to mate a bare king."""

    size: ClassVar[int] = 200
    """How many positions it keeps."""
    judged: ClassVar[int] = 16
    """In how many of them, drawn by weight, it judges every move."""
    finalists, closer = 6, 96
    """So many moves that seem best are judged again in so many: of many that are judged in few, some seem best by luck."""
    noise: ClassVar[float] = 0.05

    def __init__(self, random: Random | None = None, clock: Clock = perf_counter) -> None:
        super().__init__(random, clock)
        self.belief = Belief(self.random, self.size)

    def choose(self, position: Position, budget: Budget) -> Try:
        """Try what is worth most where it can be made, and of such moves rather those that may be refused."""
        sight: Sight = position.view
        if offered(sight) and hopeless(sight.men):
            return DRAW
        self.belief.dead = isinstance(position.game, Kriegspiel) and position.game.dead
        patience = Patience(budget)
        camp = self.look(sight)
        tries: list[Try] = list(position.game.legal(sight))
        open_ = [move for move in tries if not ruled_out(sight, move.from_square, move.to_square)] or tries
        first = {move: gain(camp, move) + caution(camp, move, self.last) for move in open_}
        self.belief.look(sight, patience)
        known = self.belief.particles
        alone = bool(known) and force(sight) == BARE
        mating = self.mate(camp, open_, known, patience) if alone else None
        choice = mating or self.weigh(camp, first, [] if alone else known, patience)
        self.last, self.after = choice, moved(camp.board, choice)
        self.belief.say(choice)
        return choice

    def mate(self, camp: Camp, tries: list[Try], known: list[Particle], patience: Patience) -> Try | None:
        """Return the best move against a bare king wherever he can be, None where none is known."""
        squares = 0
        for one in known:
            squares |= one.board.kings & ~camp.sight.men.kings
        found = worths(camp.sight.men, camp.white, squares, patience)
        listed = {
            move: worth + CURIOUS * (1 - chance) + self.noise * self.random.random()
            for move in tries
            if move.promotion in (None, chess.QUEEN) and (move.from_square, move.to_square) in found
            for worth, chance in (found[move.from_square, move.to_square],)
        }
        return favourite(listed, self.random) if listed else None

    def weigh(self, camp: Camp, first: dict[Try, float], known: list[Particle], patience: Patience) -> Try:
        """Judge moves, those that seem best first, until time is up, and the best of them once more; return the best."""
        ways = sorted(first, key=lambda move: -first[move])
        judged = self.judge(camp, ways, sample(known, self.judged, self.random) if known else [], patience)
        best = sorted(judged, key=lambda move: -judged[move])[: self.finalists]
        again = self.judge(camp, best, sample(known, self.closer, self.random) if known else [], patience)
        return favourite(again or judged or first, self.random)

    def judge(self, camp: Camp, moves: list[Try], drawn: list[Particle], patience: Patience) -> dict[Try, float]:
        """Return what moves are worth where they can be made, as many as time allows."""
        judged: dict[Try, float] = {}
        judge = Judge(camp.sight, drawn, certain=self.belief.complete)
        for move in moves:
            if patience():
                break
            worth, chance = judge.judge(move)
            if chance:
                luck = self.noise * self.random.random()
                judged[move] = worth + STYLE * caution(camp, move, self.last) + CURIOUS * (1 - chance) + luck
        return judged


LEVELS = (Novice, Amateur, Player, Master)
