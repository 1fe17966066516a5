"""What a Kriegspiel player may believe: positions that agree with what the umpire said (spec: kriegspiel, section 1).

A *particle* is a whole position in which it is the believer's turn, with a weight. The belief is made from the seat's `Sight`
alone: its own pieces, the tries of this turn that were not possible, and all that was announced.

* While a game goes on, each particle makes the own move and then every reply, or some of them, that the umpire would have
  announced just so. As long as no reply had to be left out the belief is `complete`: it holds all positions there can be.
* Where there is no line to go on from (the player comes late, or no particle has survived), positions are made anew: the own
  pieces as seen, the other side's as many as captures and promotions leave, moved about until the umpire would say what he said
  in this turn.

Replies are weighed as if the other side chose among its moves at random, but liked captures and guarded squares. The number of particles and the work for a turn are
bounded; a budget that is spent leaves fewer.
"""

from collections.abc import Callable, Iterator
from math import ceil
from random import Random
from typing import NamedTuple

import chess

from arbitre.rules.game import FIRST
from arbitre.rules.kriegspiel import TRIES, Sight, Told, Try
from arbitre.rules.umpire import (
    CHECKS,
    GAINS,
    KING_STEPS,
    PAWN_BITES,
    Kind,
    Men,
    attackers,
    captures,
    checks,
    gains,
    men,
    opening,
    possible,
    reach,
    stuck,
)

Hurry = Callable[[], bool]
"""Tells whether it is time to answer."""

SPREAD = 1.5
"""So many times as many positions as are kept are looked for in a turn."""
THIN = 0.15
"""A belief that is not complete, with fewer than this part of its particles, is filled up with positions made anew."""
DOUBT = 0.25
"""How much these count together, beside those whose line is known."""
STEPS = 12
"""Steps of the search for positions made anew, for each of the particles that are wanted."""
TAKES, GUARDED = 3, 2.0
"""How many times rather the other side takes than not, and goes to a square that it guards than elsewhere."""
BECOMES = ((chess.QUEEN, 0.7), (chess.ROOK, 0.1), (chess.BISHOP, 0.1), (chess.KNIGHT, 0.1))
HOME = ((chess.QUEEN, 1), (chess.ROOK, 2), (chess.BISHOP, 2), (chess.KNIGHT, 2))


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


class Force(NamedTuple):
    """How many pieces the other side has left, as far as was announced."""

    pawns: int
    others: int
    """The king among them."""


Key = tuple[int, ...]


def key(board: chess.Board) -> Key:
    """Return what makes two positions of one turn the same."""
    return (
        board.occupied_co[chess.WHITE], board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings,
        board.castling_rights, -1 if board.ep_square is None else board.ep_square,
    )  # fmt: skip


def opened(told: Told) -> Told:
    """Return what was said when the turn began."""
    return tuple(one for one in told if one.kind in CHECKS or one.kind is Kind.TO_MOVE)


def gained(told: Told) -> Told:
    """Return what was said when the move was made."""
    return tuple(one for one in told if one.kind in GAINS)


def moved_men(board: chess.Board, move: Try) -> chess.Board:
    """Return the position after a move, as a board of its own without a past."""
    after = board.copy(stack=False)
    after.push(move)
    after.clear_stack()
    return after


def force(sight: Sight) -> Force:
    """Count what the other side has left if it began with the usual army."""
    heard = sight.heard
    pawns = 8 - sum(one.kind is Kind.PAWN_GONE and one.side == sight.seat for one in heard)
    others = 8 - sum(one.kind is Kind.PIECE_GONE and one.side == sight.seat for one in heard)
    promoted = sum(one.kind is Kind.PROMOTES and one.side != sight.seat for one in heard)
    return Force(max(0, pawns - promoted), max(1, others + promoted))


class Belief:
    """The positions that a seat holds possible, kept up to date by `look` and `say`."""

    def __init__(self, random: Random, size: int, *, traced: bool = False) -> None:
        self.random = random
        self.size = size
        """How many particles there are at most."""
        self.traced = traced
        """Whether particles remember their line: for whoever wants to check them, since it takes memory."""
        self.particles: list[Particle] = []
        self.complete = False
        """Whether all positions that can be are among the particles."""
        self.sight: Sight | None = None
        self.said: Try | None = None

    def look(self, sight: Sight, hurry: Hurry) -> None:
        """Take in what a seat sees when it is to move."""
        before, self.sight = self.sight, sight
        if before is not None and before.seat == sight.seat and before.turn == sight.turn:
            known = self.particles
            self.particles = [one for one in known if agrees(one.board, sight, len(before.refused))]
            former = known if not self.particles else []
        elif before is not None and self._follows(before, sight):
            former = self._step(before, sight, hurry)
        else:
            former = []
            self._begin(sight)
        self._fill(sight, former, hurry)
        self._normalise()

    def say(self, move: Try) -> None:
        """Remember what is tried: if the umpire allows it, it was made."""
        self.said = move

    # ── going on ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _follows(self, before: Sight, sight: Sight) -> bool:
        """Tell whether the last try was made and the other side has answered."""
        if before.seat != sight.seat or sight.turn != before.turn + 2 or len(sight.past) < 2 or self.said is None:
            return False
        after = own_after(before, self.said)
        return not sight.men.all & ~after and (after & ~sight.men.all).bit_count() <= 1

    def _step(self, before: Sight, sight: Sight, hurry: Hurry) -> list[Particle]:
        """Make the own move and the replies; return the particles that the own move left."""
        assert self.said is not None
        made, ours, theirs = self.said, gained(sight.past[-2]), opened(sight.past[-1])
        lost = own_after(before, made) & ~sight.men.all
        survived = []
        for one in self.particles:
            if hurry():
                self.complete = False
                break
            board = one.board
            source, target = made.from_square, made.to_square
            if possible(board, source, target) and gains(board, source, target, made.promotion) == ours:
                after = moved_men(board, made)
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
                    after = moved_men(one.board, move)
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
            made = anew(sight, self.particles or former, wanted, self.random, hurry)
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
        fresh = [one for one in made if key(one.board) not in known]
        weight = (DOUBT if known else 1.0) / len(fresh) if fresh else 0.0
        self.particles += [one._replace(weight=weight) for one in fresh]

    def _normalise(self) -> None:
        total = sum(one.weight for one in self.particles)
        self.particles = [one._replace(weight=one.weight / total) for one in self.particles]


BECOMES_WEIGHT = dict(BECOMES)


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


def own_after(sight: Sight, move: Try) -> int:
    """Return where the own pieces stand after a move."""
    after = (sight.men.all ^ 1 << move.from_square) | 1 << move.to_square
    if sight.men.kings >> move.from_square & 1 and abs(move.from_square - move.to_square) == 2:
        right = move.to_square > move.from_square
        after ^= 1 << move.to_square + (1 if right else -2)
        after |= 1 << move.to_square + (-1 if right else 1)
    return after


def agrees(board: chess.Board, sight: Sight, since: int = 0) -> bool:
    """Tell whether the tries that were not possible, from number `since` on, are not."""
    return not any(possible(board, one.from_square, one.to_square) for one in sight.refused[since:])


def begins(board: chess.Board, sight: Sight) -> bool:
    """Tell whether the umpire would begin this turn with the words that he said."""
    said = opened(sight.now)
    return checks(board) == tuple(one.kind for one in said[:-1]) and captures(board) == said[-1].count if said else True


def fits(board: chess.Board, sight: Sight) -> bool:
    """Tell whether a position made anew agrees with this turn: also that the other side has not left its king in check."""
    return not exposed(board) and begins(board, sight) and agrees(board, sight)


def exposed(board: chess.Board) -> bool:
    """Tell whether the side to move could take the king."""
    white = board.turn
    king = board.kings & board.occupied_co[not white]
    board.turn = not white
    found = attackers(board, king.bit_length() - 1, board.occupied, board.occupied_co[white])
    board.turn = white
    return bool(found)


def likely(after: chess.Board, move: Try) -> float:
    """Return how likely a player chooses a move that led to `after`, compared with others of its kind."""
    guarded = attackers(after, move.to_square, after.occupied, after.occupied_co[not after.turn])
    return (GUARDED if guarded else 1.0) * (BECOMES_WEIGHT[move.promotion] if move.promotion else 1.0)


def replies(board: chess.Board, lost: int, told: Told) -> tuple[list[Try], int]:
    """Return the replies that take on `lost`, or nothing, and promote as told, and the weight of all moves; some may be pinned."""
    white = board.turn
    own, them = board.occupied_co[white], board.occupied_co[not white]
    promotes = any(one.kind is Kind.PROMOTES for one in told)
    goals = lost if lost else ~board.occupied
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
                    listed += [Try(chess.Move(source, target, piece)) for piece, _ in BECOMES]
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


# ── positions made anew ────────────────────────────────────────────────────────────────────────────────────────────


def placed(sight: Sight, others: dict[chess.Square, chess.PieceType]) -> chess.Board:
    """Return the own pieces as seen and the other side's as given, the believer to move."""
    white = sight.seat == FIRST
    board = chess.Board(None)
    own: Men = sight.men
    board.pawns, board.knights, board.bishops = own.pawns, own.knights, own.bishops
    board.rooks, board.queens, board.kings = own.rooks, own.queens, own.kings
    board.occupied = board.occupied_co[white] = own.all
    board.turn = white
    board.castling_rights = sight.castling
    board.fullmove_number = (sight.turn + 1) // 2
    for square, piece in others.items():
        board.set_piece_at(square, chess.Piece(piece, not white))
    return board


def army(sight: Sight, random: Random) -> list[chess.PieceType]:
    """Return pieces of the other side, as many as are left, the king first."""
    left = force(sight)
    home = [piece for piece, count in HOME for _ in range(count)]
    random.shuffle(home)
    others = home[: left.others - 1] + [chess.QUEEN] * max(0, left.others - 1 - len(home))
    return [chess.KING, *others, *[chess.PAWN] * left.pawns]


def scattered(sight: Sight, random: Random) -> dict[chess.Square, chess.PieceType]:
    """Place such pieces anywhere, rather on their own half."""
    white = sight.seat == FIRST
    free = [square for square in chess.SQUARES if not sight.men.all >> square & 1]
    others: dict[chess.Square, chess.PieceType] = {}
    for piece in army(sight, random):
        room = [one for one in free if one not in others and (piece != chess.PAWN or 0 < one // 8 < 7)]
        if room:
            ranks = [(one // 8 if white else 7 - one // 8) + 1 for one in room]
            others[random.choices(room, [rank * rank for rank in ranks])[0]] = piece
    return others


def theirs(board: chess.Board, sight: Sight) -> dict[chess.Square, chess.PieceType]:
    """Return the other side's pieces of a former position, without those that stand where the own ones are now."""
    side = board.occupied_co[sight.seat != FIRST] & ~sight.men.all
    return {square: board.piece_type_at(square) or chess.PAWN for square in chess.scan_forward(side)}


def anew(sight: Sight, former: list[Particle], wanted: int, random: Random, hurry: Hurry) -> list[chess.Board]:
    """Move pieces about until positions agree with this turn; begin with what was held possible before, if anything was."""
    left = force(sight)
    made: list[chess.Board] = []
    steps = STEPS * wanted
    for start in _starts(sight, former, random):
        others = start
        if chess.KING not in others.values() or len(others) != left.pawns + left.others:
            others = scattered(sight, random)
        worst = strain(placed(sight, others), sight)
        for _ in range(STEPS):
            if worst == 0:
                break
            if hurry() or steps <= 0:
                return made
            steps -= 1
            changed = _shifted(others, sight, random)
            now = strain(placed(sight, changed), sight)
            if now <= worst or not random.randrange(8):
                others, worst = changed, now
        if worst == 0:
            made.append(placed(sight, others))
        steps -= 1
        if hurry() or steps <= 0 or len(made) >= wanted:
            break
    return made


def _starts(sight: Sight, former: list[Particle], random: Random) -> Iterator[dict[chess.Square, chess.PieceType]]:
    while True:
        yield _shifted(theirs(random.choice(former).board, sight), sight, random) if former else scattered(sight, random)


def _shifted(
    others: dict[chess.Square, chess.PieceType], sight: Sight, random: Random
) -> dict[chess.Square, chess.PieceType]:
    """Move one piece: mostly as it moves, sometimes anywhere."""
    if not others:
        return others
    source = random.choice(list(others))
    piece = others[source]
    taken = sight.men.all | sum(1 << square for square in others)
    if piece == chess.PAWN:
        file = chess.BB_FILES[source % 8] if random.randrange(4) else chess.BB_ALL
        room = file & ~(chess.BB_RANK_1 | chess.BB_RANK_8)
    elif random.randrange(4):
        room = _steps(piece, source, taken)
    else:
        room = chess.BB_ALL
    squares = list(chess.scan_forward(room & ~taken))
    if not squares:
        return others
    changed = {square: kind for square, kind in others.items() if square != source}
    changed[random.choice(squares)] = piece
    return changed


def _steps(piece: chess.PieceType, source: chess.Square, taken: int) -> int:
    board = chess.Board(None)
    board.set_piece_at(source, chess.Piece(piece, chess.WHITE))
    board.occupied |= taken
    return board.attacks_mask(source)


def strain(board: chess.Board, sight: Sight) -> int:
    """Count in how many ways a position does not agree with this turn."""
    said = opened(sight.now)
    wrong = 2 * exposed(board)
    wrong += sum(possible(board, one.from_square, one.to_square) for one in sight.refused)
    if said:
        wrong += 3 * len(set(checks(board)) ^ {one.kind for one in said[:-1]}) + abs(captures(board) - said[-1].count)
    return wrong
