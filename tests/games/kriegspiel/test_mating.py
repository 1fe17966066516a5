"""The best Kriegspiel player mates a king whom it does not see."""

from random import Random
from typing import Any

import chess
import pytest

from arbitre.games.game import FIRST, SECOND, Awaits, Outcome
from arbitre.games.kriegspiel.engine import Master
from arbitre.games.kriegspiel.mating import Stand, after, open_to, outlook, steps, worths
from arbitre.games.kriegspiel.rules import Kriegspiel, Truth, Try
from arbitre.games.kriegspiel.umpire import SAYS, Kind, checks, men, possible
from tests.games.arena import ask

GAME = Kriegspiel(plies=0)
BARE = (*[SAYS[Kind.PIECE_GONE][FIRST]] * 7, *[SAYS[Kind.PAWN_GONE][FIRST]] * 8)
"""What was heard while all but the king were taken."""


def stand(board: chess.Board) -> Stand:
    return Stand({square: piece.piece_type for square, piece in board.piece_map().items() if piece.color}, white=True)


def placed(symbols: str, random: Random) -> chess.Board:
    """Return White's pieces and a black king anywhere, White to move, where White can mate: two bishops see all squares."""
    while True:
        board = chess.Board(None)
        for symbol, square in zip("k" + symbols, random.sample(chess.SQUARES, len(symbols) + 1), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        if board.is_valid() and not board.has_insufficient_material(chess.WHITE):
            return board


@pytest.mark.parametrize("symbols", ["KQ", "KR", "KBB", "KBN", "KQPP"])
def test_sets_follow_from_sets_as_the_umpire_says(symbols: str) -> None:
    """After a move, in each part of a set the umpire says the same, and the squares that follow are the king's legal steps."""
    random = Random(symbols)
    for _ in range(30):
        board = placed(symbols, random)
        king = board.king(chess.BLACK)
        assert king is not None
        here = stand(board)
        source, target, there = random.choice(here.next)
        kind = board.piece_type_at(source)
        assert kind is not None
        can = bool(open_to(1 << king, source, target, kind))
        assert can == possible(board, source, target)
        if can:
            board.push(chess.Move(source, target, chess.QUEEN if kind == chess.PAWN and target // 8 == 7 else None))
            assert there.pieces == stand(board).pieces
            assert bool(there.hit >> king & 1) == bool(checks(board))
            legal = {move.to_square for move in board.legal_moves}
            assert legal == set(chess.scan_forward(steps(1 << king) & there.safe))
            assert bool(there.free >> king & 1) == bool(legal)
            for other in chess.scan_forward(next(part for part in there.parts(there.safe | 1 << king) if part >> king & 1)):
                if other != king and not there.occupied >> other & 1:
                    moved = board.copy(stack=False)
                    moved.set_piece_at(other, moved.remove_piece_at(king))
                    assert checks(moved) == checks(board)


def test_mate_is_worth_most_and_a_loose_queen_least() -> None:
    board = chess.Board("7k/8/6K1/8/8/8/1Q6/8 w - - 0 1")
    found = worths(men(board, white=True), True, chess.BB_H8, lambda: False)
    board.push(chess.Move(*max(found, key=lambda move: found[move][0])))
    assert board.is_checkmate()
    loose, wait = (stand(chess.Board(f"{fen} w - - 0 1")) for fen in ("7k/6Q1/8/4K3/8/8/8/8", "7k/8/8/4K3/8/8/Q7/8"))
    assert after(loose, chess.BB_H8, outlook) < after(wait, chess.BB_H8, outlook)


def mated(symbols: str, luck: int, most: int) -> bool:
    """Tell whether a king who wanders at random, and takes what he can, is mated in so many moves."""
    random = Random(f"{symbols}/{luck}")
    board = placed(symbols, random)
    state: Any = Truth(board, (BARE,), GAME.place(board).now)
    bot = Master(Random(luck))
    while isinstance(phase := GAME.phase(state), Awaits) and state.board.fullmove_number <= most:
        if state.mover == FIRST:
            state = GAME.play(state, {FIRST: ask(GAME, bot, state, FIRST, turn=phase.turn)})
        else:
            moves = sorted(state.board.legal_moves, key=lambda move: (not state.board.is_capture(move), random.random()))
            state = GAME.play(state, {SECOND: Try(moves[0])})
    return isinstance(phase, Outcome) and bool(checks(state.board))


@pytest.mark.parametrize(
    ("symbols", "most", "games", "least"),
    [
        ("KQ", 60, 1, 1),
        ("KR", 100, 1, 1),
        ("KQR", 40, 1, 1),
        ("KP", 100, 1, 1),
        *(pytest.param(one, 150, 20, 18, marks=pytest.mark.campaign) for one in ("KQ", "KR", "KQR")),
        pytest.param("KBB", 150, 20, 10, marks=pytest.mark.campaign),  # he may stand beside a bishop before anything is heard
    ],
)
def test_a_bare_king_is_mated(symbols: str, most: int, games: int, least: int) -> None:
    assert sum(mated(symbols, luck, most) for luck in range(games)) >= least
