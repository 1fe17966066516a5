"""What a Kriegspiel player may believe: positions that agree with what the umpire said (spec: kriegspiel, section 1).

A *particle* is a whole position in which it is the believer's turn, with a weight. The belief is made from the seat's `Sight`
alone: its own pieces, the tries of this turn that were not possible, and all that was announced.

* While a game goes on, each particle makes the own move and then every reply, or some of them, that the umpire would have
  announced just so. As long as no reply had to be left out the belief is `complete`: it holds all positions there can be.
* Where there is no line to go on from (the player comes late, or no particle has survived), positions are made anew: the own
  pieces as seen, the other side's as many as captures and promotions leave, moved about until the umpire would say what he said
  in this turn.

Replies are weighed as players choose who see their own pieces only: a pawn's capture that was announced is hardly ever left, nor
is a piece that has just taken one of theirs; otherwise pieces come out, pawns go on, kings stay, and guarded squares are liked.
The number of particles and the work for a turn are bounded; a budget that is spent leaves fewer.
"""

from functools import cache
from math import ceil, exp
from random import Random
from typing import NamedTuple

import chess

from arbitre.games.game import FIRST
from arbitre.games.kriegspiel.placements import Hurry, agrees, anew, begins, fits, force, opened, placed
from arbitre.games.kriegspiel.rules import TRIES, Sight, Told, Try
from arbitre.games.kriegspiel.umpire import (
    GAINS,
    PAWN_BITES,
    Kind,
    dead,
    gains,
    men,
    opening,
    possible,
    reach,
    stuck,
)

SPREAD = 1.5
"""So many times as many positions as are kept are looked for in a turn."""
ARMY = 16
"""How many pieces a side begins with."""
THIN = 0.15
"""A belief that is not complete, with fewer than this part of its particles, is filled up with positions made anew."""
DOUBT = 0.25
"""How much these count together, beside those whose line is known."""
BITES, BACK, CASTLES = 150.0, 80.0, 4.0
"""How much rather than a usual move the other side makes a pawn's capture, takes back, and castles."""
OUTWARD = 3.0
"""How much rather a knight or bishop comes out than moves on."""
CALM, MOST = 1.5, 3.5
"""By what is divided, and how far is heeded, what speaks for a move, in pawns: the calmer, the more it is like any other."""
GUARDED, BRAVE, RECKLESS = 1.5, 0.1, 0.35
"""What speaks for a guarded square, and what part of a piece's worth speaks against each rank forward, guarded and not."""
PLAN, RACE, STAYS = 0.05, 0.15, 3.0
"""What speaks for a pawn, times its rank squared, and how much more with few against it; what speaks against a king's move."""
COUNTS = (0.0, 1.0, 3.0, 3.0, 5.0, 9.0, 4.0)
"""What a piece counts, by its type, when its safety is weighed."""
BECOMES = {chess.QUEEN: 0.7, chess.ROOK: 0.1, chess.BISHOP: 0.1, chess.KNIGHT: 0.1}
"""How likely a pawn becomes what."""


class Line(NamedTuple):
    """The moves that led to a particle, the last one first."""

    move: Try
    before: "Line | None"


class Particle(NamedTuple):
    """A position that can be the true one."""

    board: chess.Board
    weight: float
    root: chess.Board
    """Where its line begins: the start of the game, or a position that was made anew."""
    line: Line | None = None


Key = tuple[int, ...]


def key(board: chess.Board) -> Key:
    """Return what makes two positions of one turn the same."""
    return (
        board.occupied_co[chess.WHITE], board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings,
        board.castling_rights, -1 if board.ep_square is None else board.ep_square,
    )  # fmt: skip


def gained(told: Told) -> Told:
    """Return what was said when the move was made."""
    return tuple(one for one in told if one.kind in GAINS)


def moved_on(board: chess.Board, move: Try) -> chess.Board:
    """Return the position after a move, as a board of its own without a past."""
    # A board is a bag of numbers, two lists of the past and one of the colours; its own copy clears all squares first.
    after = chess.Board.__new__(chess.Board)
    vars(after).update(vars(board), occupied_co=list(board.occupied_co), move_stack=[], _stack=[])
    after.push(move)
    after.clear_stack()
    return after


class Belief:
    """The positions that a seat holds possible, kept up to date by `look` and `say`."""

    def __init__(self, random: Random, size: int, *, traced: bool = False) -> None:
        self.random = random
        self.size = size
        """How many particles there are at most."""
        self.traced = traced
        """Whether particles remember their line: for whoever wants to check them, since it takes memory."""
        self.dead = True
        """Whether the game would be over where neither side can mate: as it goes on, this is no such position."""
        self.particles: list[Particle] = []
        self.complete = False
        """Whether all positions that can be are among the particles."""
        self.sight: Sight | None = None
        self.said: Try | None = None

    def look(self, sight: Sight, hurry: Hurry) -> None:
        """Take in what a seat sees when it is to move."""
        before, self.sight = self.sight, sight
        if before is not None and before.seat == sight.seat and before.past == sight.past:
            known = self.particles
            self.particles = [one for one in known if agrees(one.board, sight, len(before.refused))]
            former = known if not self.particles else []
        elif before is not None and self.said is not None and follows(before, self.said, sight):
            former = self._step(before, self.said, sight, hurry)
        else:
            former = []
            self._begin(sight)
        self._fill(sight, former, hurry)
        if self.dead:
            self.particles = [one for one in self.particles if not dead(one.board)]
        self._normalise()

    def say(self, move: Try) -> None:
        """Remember what is tried: if the umpire allows it, it was made."""
        self.said = move

    # ── going on ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _step(self, before: Sight, made: Try, sight: Sight, hurry: Hurry) -> list[Particle]:
        """Make the own move and the replies; return the particles that the own move left."""
        ours, theirs = gained(sight.past[-2]), opened(sight.past[-1])
        lost = own_after(before, made) & ~sight.men.all
        survived = []
        for one in self.particles:
            if hurry():
                self.complete = False
                break
            board = one.board
            source, target = made.from_square, made.to_square
            if possible(board, source, target) and gains(board, source, target, made.promotion) == ours:
                after = moved_on(board, made)
                if opening(after) == theirs and not stuck(after):
                    survived.append(one._replace(board=after, line=self._line(one, made)))
        took = any(one.kind is not Kind.PROMOTES for one in ours)
        self._answer(survived, sight, lost, 1 << made.to_square if took else 0, hurry)
        return survived

    def _line(self, one: Particle, move: Try) -> Line | None:
        return Line(move, one.line) if self.traced else None

    def _answer(self, survived: list[Particle], sight: Sight, lost: int, taker: int, hurry: Hurry) -> None:
        """Let the other side reply in each particle as was announced; `taker` has just taken a piece of it."""
        found: dict[Key, Particle] = {}
        told = gained(sight.past[-1])
        liking = likings(sight.men.all.bit_count())
        promotes = any(one.kind is Kind.PROMOTES for one in told)
        most = ceil(SPREAD * self.size / len(survived)) if survived else 0
        for one in survived:
            if hurry():
                self.complete = False
                break
            listed, total = replies(one.board, lost, taker, liking, promotes=promotes)
            if len(listed) > most:
                listed.sort(key=lambda pair: self.random.expovariate(pair[1]))
            hits: list[tuple[chess.Board, Try, float]] = []
            looked = 0
            for move, liked in listed:
                if len(hits) == most:
                    self.complete = False
                    break
                looked += 1
                if possible(one.board, move.from_square, move.to_square):
                    after = moved_on(one.board, move)
                    if begins(after, sight) and not stuck(after):
                        hits.append((after, move, liked))
            # Where not all were looked at, the more likely ones were drawn the more often.
            each = sum(liked for _, liked in listed) / looked if looked < len(listed) else 0.0
            for after, move, liked in hits:
                share = one.weight * (each or liked) / total
                same = found.get(key(after))
                weight = share + (same.weight if same else 0.0)
                found[key(after)] = Particle(after, weight, one.root, self._line(one, move))
        particles = [one for one in found.values() if agrees(one.board, sight)]
        self.particles = self._draw(particles)

    def _draw(self, particles: list[Particle]) -> list[Particle]:
        """Keep as many as there may be, each as often as its weight says."""
        if len(particles) <= self.size:
            return particles
        self.complete = False
        return sample(particles, self.size, self.random)

    # ── anew ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _begin(self, sight: Sight) -> None:
        """Begin at the start of a game, if this is one."""
        self.particles, self.complete = [], False
        board = chess.Board()
        if sight.turn > 2 or not started(sight):
            return
        if sight.turn == 1:
            self.particles, self.complete = [Particle(board, 1.0, board)], True
        elif len(sight.past) == 1 and not opened(sight.past[0])[1:]:
            self.complete = True
            lines = [Particle(board, 1.0, board)]
            self._answer(lines, sight, 0, 0, lambda: False)

    def _fill(self, sight: Sight, former: list[Particle], hurry: Hurry) -> None:
        """Make positions anew where too few are left."""
        left = force(sight)
        alone = left.pawns == 0 and left.others == 1
        if self.complete and self.particles:
            return
        if alone:
            self._all_kings(sight)
        elif len(self.particles) < max(1, THIN * self.size):
            wanted = max(1, self.size // 3)
            made = anew(sight, [one.board for one in self.particles or former], wanted, self.random, hurry)
            self._add([Particle(board, 1.0, board) for board in made])

    def _all_kings(self, sight: Sight) -> None:
        """Where only the king is left, put him wherever he can be: from then on nothing is left out."""
        made = []
        for square in chess.scan_forward(chess.BB_ALL & ~sight.men.all):
            board = placed(sight, {square: chess.KING})
            if fits(board, sight):
                made.append(Particle(board, 1.0, board))
        self._add(made)
        self.complete = bool(self.particles)

    def _add(self, made: list[Particle]) -> None:
        """Add positions that are less certain than those whose line is known."""
        self._normalise()
        known = {key(one.board) for one in self.particles}
        fresh = [one for one in {key(one.board): one for one in made}.values() if key(one.board) not in known]
        weight = (DOUBT if known else 1.0) / len(fresh) if fresh else 0.0
        self.particles += [one._replace(weight=weight) for one in fresh]

    def _normalise(self) -> None:
        total = sum(one.weight for one in self.particles)
        self.particles = [one._replace(weight=one.weight / total) for one in self.particles]


def sample(particles: list[Particle], count: int, random: Random) -> list[Particle]:
    """Draw so many by weight, evenly spaced; one that is drawn several times counts so often."""
    total = sum(one.weight for one in particles)
    step = total / count
    mark = random.random() * step
    drawn: list[Particle] = []
    reached = 0.0
    for one in particles:
        reached += one.weight
        times = 0
        while mark < reached:
            mark += step
            times += 1
        if times:
            drawn.append(one._replace(weight=times / count))
    return drawn


def started(sight: Sight) -> bool:
    """Tell whether a seat's own pieces stand as at the start of a game."""
    return sight.men == men(chess.Board(), sight.seat == FIRST)


def follows(before: Sight, made: Try, sight: Sight) -> bool:
    """Tell whether a seat sees its next turn after its try was made and the other side has answered."""
    if before.seat != sight.seat or sight.turn != before.turn + 2 or sight.past[:-2] != before.past:
        return False
    after = own_after(before, made)
    return not sight.men.all & ~after and (after & ~sight.men.all).bit_count() <= 1


def own_after(sight: Sight, move: Try) -> int:
    """Return where the own pieces stand after a move."""
    after = (sight.men.all ^ 1 << move.from_square) | 1 << move.to_square
    if sight.men.kings >> move.from_square & 1 and abs(move.from_square - move.to_square) == 2:
        right = move.to_square > move.from_square
        after ^= 1 << move.to_square + (1 if right else -2)
        after |= 1 << move.to_square + (-1 if right else 1)
    return after


Likings = tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]
"""How much a move is liked: by the piece, whether its square is guarded, and the rank from its own side."""


@cache
def likings(foes: int) -> Likings:
    """Return how much moves are liked by a side that knows of so many pieces against it."""
    crowd = foes / ARMY
    found = []
    for piece, worth in enumerate(COUNTS):
        pairs = []
        for risk, bonus in ((RECKLESS, 0.0), (BRAVE, GUARDED)):
            ranks = []
            for rank in range(8):
                speaks = bonus - risk * worth * crowd * rank
                if piece == chess.PAWN:
                    speaks += rank * rank * (PLAN + RACE * (1 - crowd))
                elif piece == chess.KING:
                    speaks -= STAYS
                ranks.append(exp(min(speaks, MOST) / CALM))
            pairs.append(tuple(ranks))
        found.append((pairs[0], pairs[1]))
    return tuple(found)


Replies = list[tuple[Try, float]]
"""Moves of the other side, with how much each is liked."""


def replies(board: chess.Board, lost: int, taker: int, liking: Likings, *, promotes: bool) -> tuple[Replies, float]:
    """Return the replies that take on `lost`, or nothing, and promote as told, though pinned, and how much all are liked.

    On `taker` is what has just taken a piece of the side that replies.
    """
    white = board.turn
    own = board.occupied_co[white]
    goals = lost or ~board.occupied
    mine = men(board, white)
    up = 0 if white else 7
    minors = (mine.knights | mine.bishops) & (chess.BB_RANK_1 if white else chess.BB_RANK_8)
    reached = [(source, board.attacks_mask(source)) for source in chess.scan_forward(own)]
    once = twice = 0
    for _, squares in reached:
        twice |= once & squares
        once |= squares
    listed: Replies = []
    total = 0.0
    for source, squares in reached:
        loose, guarded = liking[board.piece_type_at(source) or chess.PAWN]
        if mine.pawns >> source & 1:
            ahead, bites, matching = _pawn_replies(board, source, lost)
            total += BITES * bites.bit_count()
            for target in chess.scan_forward(ahead | matching):
                step = (guarded if once >> target & 1 else loose)[abs(target // 8 - up)]
                liked = BITES if bites >> target & 1 else step
                total += step if ahead >> target & 1 else 0.0
                if matching >> target & 1 and (target // 8 in (0, 7)) == promotes:
                    listed += _arrivals(source, target, liked, promotes=promotes)
            continue
        times = OUTWARD if minors >> source & 1 else 1.0
        for target in chess.scan_forward(squares & ~own):
            liked = BACK if taker >> target & 1 else times * (guarded if twice >> target & 1 else loose)[abs(target // 8 - up)]
            total += liked
            if goals >> target & 1 and not promotes:
                listed.append((TRIES[source][target], liked))
        if mine.kings >> source & 1 and (rooks := board.castling_rights & own):
            castles = [
                TRIES[source][at] for at in chess.scan_forward(reach(mine, white, rooks, source) & ~squares & ~board.occupied)
            ]
            total += CASTLES * len(castles)
            listed += [(one, CASTLES) for one in castles if not lost and not promotes]
    return listed, max(1.0, total)


def _arrivals(source: chess.Square, target: chess.Square, liked: float, *, promotes: bool) -> Replies:
    """Return a pawn's move, or one for each piece that it may become."""
    if not promotes:
        return [(TRIES[source][target], liked)]
    return [(Try(chess.Move(source, target, piece)), liked * share) for piece, share in BECOMES.items()]


def _pawn_replies(board: chess.Board, source: chess.Square, lost: int) -> tuple[int, int, int]:
    """Return where a pawn may step, where it may take, and where it goes if it takes on `lost`, or nothing."""
    white = board.turn
    them = board.occupied_co[not white]
    step = 1 << (source + 8 if white else source - 8)
    ahead = step & ~board.occupied
    if ahead and source // 8 == (1 if white else 6):
        ahead |= (step << 8 if white else step >> 8) & ~board.occupied
    passing = 0 if board.ep_square is None else 1 << board.ep_square
    bites = PAWN_BITES[white][source] & (them | passing)
    if not lost:
        return ahead, bites, ahead
    behind = (passing >> 8 if white else passing << 8) & lost
    return ahead, bites, bites & (lost | (passing if behind else 0))
