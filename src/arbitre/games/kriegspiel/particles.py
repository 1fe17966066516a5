"""What a Kriegspiel player may believe: positions that agree with what the umpire said (spec: kriegspiel, section 1).

A *particle* is a whole position in which it is the believer's turn, with a weight. The belief is made from the seat's `Sight`
alone: its own pieces, the tries of this turn that were not possible, and all that was announced.

* While a game goes on, each particle makes the own move and then every reply, or some of them, that the umpire would have
  announced just so. As long as no reply had to be left out the belief is `complete`: it holds all positions there can be.
* Where there is no line to go on from (the player comes late, or no particle has survived), positions are made anew: the own
  pieces as seen, the other side's as many as captures and promotions leave, moved about until the umpire would say what he said
  in this turn.

Replies are weighed as if the other side chose among its moves at random, but liked captures and guarded squares. The number of
particles and the work for a turn are bounded; a budget that is spent leaves fewer.
"""

from math import ceil
from random import Random
from typing import NamedTuple

import chess

from arbitre.games.game import FIRST
from arbitre.games.kriegspiel.placements import Hurry, agrees, anew, begins, fits, force, opened, placed
from arbitre.games.kriegspiel.rules import TRIES, Sight, Told, Try
from arbitre.games.kriegspiel.umpire import (
    GAINS,
    KING_STEPS,
    PAWN_BITES,
    Kind,
    attackers,
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
THIN = 0.15
"""A belief that is not complete, with fewer than this part of its particles, is filled up with positions made anew."""
DOUBT = 0.25
"""How much these count together, beside those whose line is known."""
TAKES, GUARDED = 3, 2.0
"""How many times rather the other side takes than not, and goes to a square that it guards than elsewhere."""
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
        self._answer(survived, sight, lost, hurry)
        return survived

    def _line(self, one: Particle, move: Try) -> Line | None:
        return Line(move, one.line) if self.traced else None

    def _answer(self, survived: list[Particle], sight: Sight, lost: int, hurry: Hurry) -> None:
        """Let the other side reply in each particle as was announced."""
        found: dict[Key, Particle] = {}
        told = gained(sight.past[-1])
        rate = TAKES if lost else 1
        most = ceil(SPREAD * self.size / len(survived)) if survived else 0
        for one in survived:
            if hurry():
                self.complete = False
                break
            listed, total = replies(one.board, lost, told)
            self.random.shuffle(listed)
            hits: list[tuple[chess.Board, Try]] = []
            looked = 0
            for move in listed:
                if len(hits) == most:
                    self.complete = False
                    break
                looked += 1
                if possible(one.board, move.from_square, move.to_square):
                    after = moved_on(one.board, move)
                    if begins(after, sight) and not stuck(after):
                        hits.append((after, move))
            for after, move in hits:
                share = rate * one.weight * len(listed) / (total * looked) * likely(after, move)
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
            self._answer(lines, sight, 0, lambda: False)

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


def likely(after: chess.Board, move: Try) -> float:
    """Return how likely a player chooses a move that led to `after`, compared with others of its kind."""
    guarded = attackers(after, move.to_square, after.occupied, after.occupied_co[not after.turn])
    return (GUARDED if guarded else 1.0) * (BECOMES[move.promotion] if move.promotion else 1.0)


def replies(board: chess.Board, lost: int, told: Told) -> tuple[list[Try], int]:
    """Return the replies that take on `lost`, or nothing, and promote as told, though pinned, and the weight of all moves."""
    white = board.turn
    own, them = board.occupied_co[white], board.occupied_co[not white]
    promotes = any(one.kind is Kind.PROMOTES for one in told)
    goals = lost or ~board.occupied
    mine = men(board, white)
    castling = board.castling_rights & own
    listed: list[Try] = []
    total = 0
    for source in chess.scan_forward(own):
        if mine.pawns >> source & 1:
            targets, matching = _pawn_replies(board, source, lost)
            total += targets.bit_count() + (TAKES - 1) * (targets & PAWN_BITES[white][source]).bit_count()
            for target in chess.scan_forward(matching):
                if (target // 8 in (0, 7)) != promotes:
                    continue
                if promotes:
                    listed += [Try(chess.Move(source, target, piece)) for piece in BECOMES]
                else:
                    listed.append(TRIES[source][target])
            continue
        targets = board.attacks_mask(source) & ~own
        if castling and mine.kings >> source & 1:
            targets |= reach(mine, white, castling, source) & ~KING_STEPS[source] & ~them
        total += targets.bit_count() + (TAKES - 1) * (targets & them).bit_count()
        if not promotes:
            listed += [TRIES[source][target] for target in chess.scan_forward(targets & goals)]
    return listed, max(1, total)


def _pawn_replies(board: chess.Board, source: chess.Square, lost: int) -> tuple[int, int]:
    """Return where a pawn may go, and where it goes if it takes on `lost`, or nothing."""
    white = board.turn
    them = board.occupied_co[not white]
    step = 1 << (source + 8 if white else source - 8)
    ahead = step & ~board.occupied
    if ahead and source // 8 == (1 if white else 6):
        ahead |= (step << 8 if white else step >> 8) & ~board.occupied
    passing = 0 if board.ep_square is None else 1 << board.ep_square
    bites = PAWN_BITES[white][source] & (them | passing)
    if not lost:
        return ahead | bites, ahead
    behind = (passing >> 8 if white else passing << 8) & lost
    return ahead | bites, bites & (lost | (passing if behind else 0))
