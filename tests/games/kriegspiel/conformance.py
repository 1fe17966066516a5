"""Kriegspiel: the other side's pieces are secret, and so is where the own ones fell by whom."""

from random import Random

import chess

from arbitre.games.game import FIRST, Eye
from arbitre.games.kriegspiel.rules import Kriegspiel, Truth
from arbitre.games.kriegspiel.umpire import opening, possible, stuck

PRESETS: list[dict[str, object]] = [
    {},
    {"strict": True, "repetition": True, "fifty": True},
    {"refusals": "mover", "plies": 120},
]


def resample(game: Kriegspiel, state: Truth, eye: Eye, random: Random) -> Truth:
    """Put the pieces that `eye` does not see elsewhere, so that the umpire would have begun this turn with the same words."""
    for _ in range(20):
        board = state.board.copy(stack=False)
        for hidden in (chess.WHITE, chess.BLACK):
            if eye != (FIRST if hidden else 1):
                scatter(board, hidden, random)
        board.castling_rights = board.clean_castling_rights()
        if board.ep_square is not None and chess.Status.INVALID_EP_SQUARE in board.status():
            board.ep_square = None
        looks = eye == state.mover
        if board.status() or stuck(board) or opening(board) != state.now[: len(opening(board))]:
            continue
        if looks and any(possible(board, one.from_square, one.to_square) for one in state.refused):
            continue
        return Truth(board, state.past, state.now, state.refused if looks else (), ())
    return state


def scatter(board: chess.Board, hidden: chess.Color, random: Random) -> None:
    """Move one to four pieces of a colour anywhere, and turn some that are not pawns into others."""
    squares = list(chess.scan_forward(board.occupied_co[hidden]))
    for source in random.sample(squares, min(len(squares), random.randint(1, 4))):
        piece = board.remove_piece_at(source)
        assert piece is not None
        pawn = piece.piece_type == chess.PAWN
        free = [s for s in chess.SQUARES if not board.occupied >> s & 1 and not (pawn and chess.square_rank(s) in (0, 7))]
        if piece.piece_type not in (chess.PAWN, chess.KING):
            piece = chess.Piece(random.choice((chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)), hidden)
        board.set_piece_at(random.choice(free), piece)
