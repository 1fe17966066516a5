"""Kriegspiel positions made anew: as many pieces as are left, put where the umpire would say what he said in this turn.

A player who comes late, or whose every idea was wrong, needs positions to think about (spec: kriegspiel, section 1). They hold
the own pieces as seen and the other side's as many as captures and promotions leave, if the game began with the usual army. Their
pieces are moved about, one at a time, as long as that makes the position agree better with the announcements and refusals of
this turn; what agrees in full is kept. The number of steps is bounded.
"""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

import chess

from arbitre.games.game import FIRST
from arbitre.games.kriegspiel.rules import Sight, Told
from arbitre.games.kriegspiel.umpire import CHECKS, Kind, Men, attackers, captures, checks, possible, stuck

Hurry = Callable[[], bool]
"""Tells whether it is time to answer."""

Others = dict[chess.Square, chess.PieceType]
"""The other side's pieces."""

STEPS = 12
"""Steps of the search for positions made anew, for each of the particles that are wanted."""
HOME = ((chess.QUEEN, 1), (chess.ROOK, 2), (chess.BISHOP, 2), (chess.KNIGHT, 2))


class Force(NamedTuple):
    """How many pieces the other side has left, as far as was announced."""

    pawns: int
    others: int
    """The king among them."""


def force(sight: Sight) -> Force:
    """Count what the other side has left if it began with the usual army."""
    heard = sight.heard
    pawns = 8 - sum(one.kind is Kind.PAWN_GONE and one.side == sight.seat for one in heard)
    others = 8 - sum(one.kind is Kind.PIECE_GONE and one.side == sight.seat for one in heard)
    promoted = sum(one.kind is Kind.PROMOTES and one.side != sight.seat for one in heard)
    return Force(max(0, pawns - promoted), max(1, others + promoted))


def opened(told: Told) -> Told:
    """Return what was said when the turn began."""
    return tuple(one for one in told if one.kind in CHECKS or one.kind is Kind.TO_MOVE)


def begins(board: chess.Board, sight: Sight) -> bool:
    """Tell whether the umpire would begin this turn with the words that he said."""
    said = opened(sight.now)
    return checks(board) == tuple(one.kind for one in said[:-1]) and captures(board) == said[-1].count if said else True


def agrees(board: chess.Board, sight: Sight, since: int = 0) -> bool:
    """Tell whether the tries that were not possible, from number `since` on, are not."""
    return not any(possible(board, one.from_square, one.to_square) for one in sight.refused[since:])


def exposed(board: chess.Board) -> bool:
    """Tell whether the side to move could take the king."""
    white = board.turn
    king = board.kings & board.occupied_co[not white]
    board.turn = not white
    found = attackers(board, king.bit_length() - 1, board.occupied, board.occupied_co[white])
    board.turn = white
    return bool(found)


def fits(board: chess.Board, sight: Sight) -> bool:
    """Tell whether a position made anew agrees with this turn: nobody left his king in check, and the game goes on."""
    return not exposed(board) and begins(board, sight) and agrees(board, sight) and not stuck(board)


def placed(sight: Sight, others: Others) -> chess.Board:
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


def scattered(sight: Sight, random: Random) -> Others:
    """Place such pieces anywhere, rather on their own half."""
    white = sight.seat == FIRST
    free = [square for square in chess.SQUARES if not sight.men.all >> square & 1]
    others: Others = {}
    for piece in army(sight, random):
        room = [one for one in free if one not in others and (piece != chess.PAWN or 0 < one // 8 < 7)]
        if room:
            ranks = [(one // 8 if white else 7 - one // 8) + 1 for one in room]
            others[random.choices(room, [rank * rank for rank in ranks])[0]] = piece
    return others


def theirs(board: chess.Board, sight: Sight) -> Others:
    """Return the other side's pieces of a former position, without those that stand where the own ones are now."""
    side = board.occupied_co[sight.seat != FIRST] & ~sight.men.all
    return {square: board.piece_type_at(square) or chess.PAWN for square in chess.scan_forward(side)}


def anew(sight: Sight, former: Sequence[chess.Board], wanted: int, random: Random, hurry: Hurry) -> list[chess.Board]:
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
        board = placed(sight, others)
        if worst == 0 and not stuck(board):
            made.append(board)
        steps -= 1
        if hurry() or steps <= 0 or len(made) >= wanted:
            break
    return made


def _starts(sight: Sight, former: Sequence[chess.Board], random: Random) -> Iterator[Others]:
    while True:
        yield _shifted(theirs(random.choice(former), sight), sight, random) if former else scattered(sight, random)


def _shifted(others: Others, sight: Sight, random: Random) -> Others:
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
