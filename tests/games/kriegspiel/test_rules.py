"""The umpire says what the spec says: each announcement, each refusal, each end, and nothing to whom it is not meant for."""

import pickle
from collections.abc import Iterator
from dataclasses import fields
from random import Random

import chess
import pytest

from arbitre.errors import IllegalMoveError, OptionError
from arbitre.games.game import DRAW, FIRST, LOSS, SECOND, WIN, Awaits, Eye, Outcome, playout
from arbitre.games.kriegspiel.announcements import words
from arbitre.games.kriegspiel.notation import KriegspielNotation
from arbitre.games.kriegspiel.rules import DRAW as DRAW_WORD
from arbitre.games.kriegspiel.rules import TRIES, Kriegspiel, Sight, Truth, Try, occurrences, ruled_out
from arbitre.games.kriegspiel.umpire import Kind, Men, captures, checks, men, opening, possible, reach, stuck
from arbitre.reasons import Reason
from tests.reasons import raises

GAME = Kriegspiel(dead=False)
"""Positions of a few pieces show the rules best; what `dead` adds stands apart."""
TEXT = KriegspielNotation(GAME)


def at(fen: str, game: Kriegspiel = GAME) -> Truth:
    return KriegspielNotation(game).read_state(fen if len(fen.split()) == 6 else f"{fen} 0 1")


def move(text: str) -> Try:
    return Try(chess.Move.from_uci(text)) if text[:2] != text[2:4] else TEXT.read(text, GAME.start())


def attempt(state: Truth, text: str, game: Kriegspiel = GAME) -> Truth:
    """Check and play one try."""
    seat = state.mover
    game.check(game.view(state, seat), move(text))
    return game.play(state, {seat: move(text)})


def answer(before: Truth, after: Truth) -> list[str]:
    """What was said in answer to a try, in words."""
    new = len(before.heard)
    return [words(one) for one in after.heard[new:]]


# ── what is said when a turn begins ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("fen", "said"),
    [
        # e1: the diagonal to a5 has five squares, the one to h4 four
        ("4k3/8/8/8/1b6/8/8/4K3 w - -", ["White is in check on the long diagonal"]),
        ("4k3/8/8/8/7b/8/8/4K3 w - -", ["White is in check on the short diagonal"]),
        # d4: a1–h8 has eight squares, a7–g1 seven; e4 the other way round
        ("4k3/6q1/8/8/3K4/8/8/8 w - -", ["White is in check on the long diagonal"]),
        ("4k3/8/8/8/3K4/8/8/6b1 w - -", ["White is in check on the short diagonal"]),
        ("4k3/8/8/8/4K3/8/8/7q w - -", ["White is in check on the long diagonal"]),
        ("4k3/7b/8/8/4K3/8/8/8 w - -", ["White is in check on the short diagonal"]),
        # a corner has only one diagonal, and on the edge the short one may be two squares long
        ("7k/8/8/8/8/2B5/8/K7 b - -", ["Black is in check on the long diagonal"]),
        ("8/k7/1Q6/8/8/8/8/K7 b - -", ["Black is in check on the long diagonal"]),
        ("1Q6/k7/8/8/8/8/8/K7 b - -", ["Black is in check on the short diagonal"]),
        ("4k3/8/8/8/8/8/8/r3K3 w - -", ["White is in check on the rank"]),
        ("4k3/8/8/8/8/8/8/4K1q1 w - -", ["White is in check on the rank"]),
        ("4kr2/8/8/8/5K2/8/8/8 w - -", ["White is in check on the file"]),
        ("4k3/8/4Q3/8/8/8/8/4K3 b - -", ["Black is in check on the file"]),
        ("4k3/8/8/8/8/5n2/8/4K3 w - -", ["White is in check by a knight"]),
        # a pawn's check is never named by its diagonal
        ("4k3/8/8/8/8/8/3p4/4K3 w - -", ["White is in check by a pawn"]),
        ("4k3/3P4/8/8/8/8/8/4K3 b - -", ["Black is in check by a pawn"]),
        # both of a double check, always in the same order
        ("4k3/8/8/8/1b5b/8/8/4K3 w - -", ["White is in check on the long diagonal", "White is in check on the short diagonal"]),
        ("4k3/8/8/8/1b6/8/8/r3K3 w - -", ["White is in check on the long diagonal", "White is in check on the rank"]),
        ("4k3/8/8/4r3/7b/8/8/4K3 w - -", ["White is in check on the short diagonal", "White is in check on the file"]),
        ("4k3/8/8/4r3/8/8/8/r3K3 w - -", ["White is in check on the rank", "White is in check on the file"]),
        ("4k3/8/8/8/8/5n2/8/r3K3 w - -", ["White is in check on the rank", "White is in check by a knight"]),
        ("4k3/8/8/8/1b6/5n2/8/4K3 w - -", ["White is in check on the long diagonal", "White is in check by a knight"]),
        ("4k3/8/8/4r3/8/8/3p4/4K3 w - -", ["White is in check on the file", "White is in check by a pawn"]),
    ],
)
def test_checks_are_named_by_kind(fen: str, said: list[str]) -> None:
    state = at(fen)
    assert [words(one) for one in state.now[:-1]] == said


@pytest.mark.parametrize("king", chess.SQUARES, ids=chess.SQUARE_NAMES)
def test_the_long_diagonal_is_the_one_with_more_squares(king: chess.Square) -> None:
    def diagonal(a: chess.Square, b: chess.Square) -> int:
        """How many squares the diagonal through both has, 0 if there is none."""
        files, ranks = chess.square_file(b) - chess.square_file(a), chess.square_rank(b) - chess.square_rank(a)
        return 8 - abs((a % 8 - a // 8) if files == ranks else (a % 8 + a // 8 - 7)) if abs(files) == abs(ranks) else 0

    for bishop in chess.SQUARES:
        if bishop != king and (length := diagonal(king, bishop)):
            other = next((diagonal(king, s) for s in chess.SQUARES if s != king and diagonal(king, s) not in (0, length)), 1)
            board = chess.Board(None)
            board.set_piece_at(king, chess.Piece.from_symbol("K"))
            board.set_piece_at(bishop, chess.Piece.from_symbol("b"))
            assert checks(board) == (Kind.LONG_DIAGONAL if length > other else Kind.SHORT_DIAGONAL,)


@pytest.mark.parametrize(
    ("fen", "count"),
    [
        pytest.param("4k3/8/8/8/8/8/8/4K3 w - -", 0, id="no pawn"),
        pytest.param("4k3/8/8/3p1p2/4P3/8/8/4K3 w - -", 2, id="one pawn with two captures"),
        pytest.param("4k3/8/8/3p4/2P1P3/8/8/4K3 w - -", 2, id="two pawns with one victim"),
        pytest.param("4k3/8/8/4p3/3P1P2/8/8/4K3 b - -", 2, id="black's captures"),
        pytest.param("8/8/8/p6p/7P/P7/8/K1k5 w - -", 0, id="no capture around the edge"),
        pytest.param("r1r1k3/1P6/8/8/8/8/8/4K3 w - -", 2, id="a capturing promotion counts once"),
        pytest.param("4k3/8/8/3pP3/8/8/8/4K3 w - d6", 1, id="en passant counts"),
        pytest.param("4k3/8/8/2PpP3/8/8/8/4K3 w - d6", 2, id="en passant by either of two"),
        pytest.param("4k3/8/8/3pP3/8/8/8/4K3 w - -", 0, id="en passant too late"),
        pytest.param("4k3/8/8/K2pP2r/8/8/8/8 w - d6", 0, id="en passant would bare the king on the rank"),
        pytest.param("4b2k/8/8/3pP3/K7/8/8/8 w - d6", 0, id="in check, en passant does not end it"),
        pytest.param("4k3/8/8/3Pp3/5K2/8/8/8 w - e6", 1, id="in check by the pawn that passed"),
        pytest.param("4r1k1/8/8/3p4/4P3/8/8/4K3 w - -", 0, id="pinned on the file"),
        pytest.param("4k3/8/8/8/8/6b1/5P2/4K3 w - -", 1, id="pinned, but takes the pinning piece"),
        pytest.param("4k3/8/8/8/4n2b/8/3P1P2/4K3 w - -", 0, id="pinned on the diagonal"),
        pytest.param("4k3/8/8/1p6/P7/4r3/3P4/4K3 w - -", 1, id="in check, only the capture that ends it"),
        pytest.param("4k3/8/8/8/4r3/1b6/P1P5/4K3 w - -", 0, id="in check, no capture ends it"),
        pytest.param("4k3/8/8/8/1b6/P4n2/6P1/4K3 w - -", 0, id="in double check"),
    ],
)
def test_pawn_captures_are_counted(fen: str, count: int) -> None:
    said = words(at(fen).now[-1])
    side = "White" if " w " in fen else "Black"
    tail = f" with {count} possible pawn captures" if count else ""
    assert said == f"{side} to move{tail}"


# ── what is said to a try ──────────────────────────────────────────────────────────────────────────────────────────

QUIET = "Black to move"


@pytest.mark.parametrize(
    ("fen", "text", "said"),
    [
        pytest.param("4k3/8/8/8/8/8/4P3/4K3 w - -", "e2e4", [QUIET], id="nothing but the turn"),
        pytest.param("4k3/8/8/8/8/n7/8/R3K3 w - -", "a1a3", ["Piece gone", QUIET], id="a piece"),
        pytest.param("4k3/8/8/8/8/p7/8/R3K3 w - -", "a1a3", ["Pawn gone", QUIET], id="a pawn"),
        pytest.param("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", ["Pawn gone", QUIET], id="en passant is not named"),
        pytest.param("4k3/8/8/8/3Pp3/8/8/4K3 b - d3", "e4d3", ["Pawn gone", "White to move"], id="black takes en passant"),
        pytest.param("8/1P2k3/8/8/8/8/8/4K3 w - -", "b7b8n", ["White promotes a pawn", QUIET], id="not to what"),
        pytest.param(
            "r3k3/1P6/8/8/8/8/8/4K3 w q -",
            "b7a8q",
            ["Piece gone", "White promotes a pawn", "Black is in check on the rank", QUIET],
            id="all at once, in this order",
        ),
        pytest.param("4k3/8/8/8/8/8/8/4K2R w K -", "e1g1", [QUIET], id="castling says nothing"),
        pytest.param("8/8/8/8/8/8/8/k3K2R w K -", "e1g1", ["Black is in check on the rank", QUIET], id="the rook gives check"),
        pytest.param("4k3/8/8/8/8/8/4N3/4RK2 w - -", "e2c3", ["Black is in check on the file", QUIET], id="discovered"),
        pytest.param(
            "4k3/8/4N3/8/8/8/8/4RK2 w - -",
            "e6c7",
            ["Black is in check on the file", "Black is in check by a knight", QUIET],
            id="double check",
        ),
        pytest.param(
            "4k3/8/8/3p4/8/8/4P3/4K3 w - -",
            "e2e4",
            ["Black to move with 1 possible pawn captures"],
            id="the next turn's captures",
        ),
    ],
)
def test_a_move_is_announced(fen: str, text: str, said: list[str]) -> None:
    before = at(fen)
    after = attempt(before, text)
    assert answer(before, after) == said
    assert after.turn == before.turn + 1


def test_a_captured_promoted_piece_is_a_piece() -> None:
    before = attempt(at("8/1P5k/8/8/1r6/8/8/6K1 w - -"), "b7b8q")
    assert answer(before, attempt(before, "b4b8")) == ["Piece gone", "White to move"]


REFUSED = [
    pytest.param("4k3/8/8/8/8/8/4p3/K3R3 w - -", "e1e4", id="an unseen blocker on a line"),
    pytest.param("4k3/8/8/8/4p3/8/4P3/4K3 w - -", "e2e4", id="a pawn's double step onto a piece"),
    pytest.param("4k3/8/8/8/8/4p3/4P3/4K3 w - -", "e2e4", id="a pawn's double step over a piece"),
    pytest.param("4k3/8/8/8/8/4p3/4P3/4K3 w - -", "e2e3", id="a pawn's step onto a piece"),
    pytest.param("4k3/8/8/8/8/8/4P3/4K3 w - -", "e2d3", id="nothing to capture with a pawn"),
    pytest.param("4k3/8/8/3pP3/8/8/8/4K3 w - -", "e5d6", id="en passant too late"),
    pytest.param("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5f6", id="en passant on the wrong side"),
    pytest.param("1n2k3/1P6/8/8/8/8/8/4K3 w - -", "b7b8q", id="a promotion onto a piece"),
    pytest.param("4k3/4r3/8/8/8/8/4B3/4K3 w - -", "e2d3", id="a pinned piece"),
    pytest.param("4k3/8/8/K2pP2r/8/8/8/8 w - d6", "e5d6", id="en passant bares the king"),
    pytest.param("3rk3/8/8/8/8/8/8/4K3 w - -", "e1d1", id="the king into check"),
    pytest.param("8/8/8/8/8/4k3/8/4K3 w - -", "e1e2", id="the king beside the other"),
    pytest.param("4k3/8/8/8/4r3/8/8/N3K3 w - -", "a1b3", id="the king left in check"),
    pytest.param("4k3/8/8/8/4r3/8/8/4K2R w K -", "e1g1", id="castling out of check"),
    pytest.param("5rk1/8/8/8/8/8/8/4K2R w K -", "e1g1", id="castling through attack"),
    pytest.param("k5r1/8/8/8/8/8/8/4K2R w K -", "e1g1", id="castling into check"),
    pytest.param("4k3/8/8/8/8/8/8/4Kb1R w K -", "e1g1", id="castling over an unseen piece"),
    pytest.param("4k3/8/8/8/8/8/8/Rn2K3 w Q -", "e1c1", id="castling with an unseen piece beside the rook"),
]


@pytest.mark.parametrize(("fen", "text"), REFUSED)
def test_what_hidden_pieces_forbid_is_not_possible(fen: str, text: str) -> None:
    before = at(fen)
    after = attempt(before, text)
    assert answer(before, after) == ["Not possible"]
    assert after.board == before.board
    assert GAME.phase(after) == GAME.phase(before), "the same turn again"
    assert after.refused == (move(text),)
    assert not chess.Board(fen if len(fen.split()) == 6 else f"{fen} 0 1").is_legal(move(text))


@pytest.mark.parametrize(
    ("fen", "text"),
    [
        ("1r2k3/8/8/8/8/8/8/R3K3 w Q -", "e1c1"),  # the rook may pass an attacked square, only the king may not
        ("4k2r/8/8/8/8/8/8/4K2R w K -", "e1g1"),  # nor does it matter that the rook is attacked
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6"),
        ("4k3/4r3/8/8/8/8/4R3/4K3 w - -", "e2e5"),  # a pinned piece stays on the line
    ],
)
def test_what_looks_forbidden_but_is_not(fen: str, text: str) -> None:
    before = at(fen)
    assert attempt(before, text).turn == before.turn + 1


ILLEGAL = [
    pytest.param("4k3/8/8/8/8/8/8/4K3 w - -", "d4d5", Reason("no-piece-of-yours", square="d4"), id="an empty square"),
    pytest.param("4k3/8/8/8/8/8/8/4K3 w - -", "e8e7", Reason("no-piece-of-yours", square="e8"), id="a foreign piece"),
    pytest.param("4k3/8/8/8/8/8/4P3/4K3 w - -", "e1e2", Reason("own-piece", square="e2"), id="onto an own piece"),
    pytest.param("4k3/8/8/8/8/8/8/4K3 w - -", "e1e1", Reason("own-piece", square="e1"), id="no move at all"),
    pytest.param("4k3/8/8/8/8/4P3/8/4K3 w - -", "e3e2", "pawn-does-not-move-so", id="a pawn backward"),
    pytest.param("4k3/8/8/8/8/4P3/8/4K3 w - -", "e3e5", "pawn-does-not-move-so", id="a double step from the third rank"),
    pytest.param("4k3/8/8/8/8/4N3/4P3/4K3 w - -", "e2e4", "in-the-way", id="a double step over an own piece"),
    pytest.param("4k3/8/8/8/8/4N3/8/4K3 w - -", "e3e4", "knight-does-not-move-so", id="a knight straight on"),
    pytest.param("4k3/8/8/8/8/8/8/R3K3 w - -", "a1b2", "rook-does-not-move-so", id="a rook on a diagonal"),
    pytest.param("4k3/8/8/8/8/8/8/B3K3 w - -", "a1a2", "bishop-does-not-move-so", id="a bishop on a file"),
    pytest.param("4k3/8/8/8/8/8/8/Q3K3 w - -", "a1b3", "queen-does-not-move-so", id="a queen like a knight"),
    pytest.param("4k3/8/8/8/8/8/8/4K3 w - -", "e1e3", "king-does-not-move-so", id="a king two steps forward"),
    pytest.param("4k3/8/8/8/8/P7/8/R3K3 w - -", "a1a4", "in-the-way", id="over an own piece"),
    pytest.param("4k3/8/8/8/8/8/8/4K2R w - -", "e1g1", "castling-lost", id="castling right lost"),
    pytest.param("4k3/8/8/8/8/8/8/R3K2R w Q -", "e1g1", "castling-lost", id="right of the other wing"),
    pytest.param("4k3/8/8/8/8/8/8/4KB1R w K -", "e1g1", "in-the-way", id="castling over an own piece"),
    pytest.param("4k3/8/8/8/8/8/8/RN2K3 w Q -", "e1c1", "in-the-way", id="an own piece beside the rook"),
    pytest.param("4k3/1P6/8/8/8/8/8/4K3 w - -", "b7b8", "becomes-what", id="promotion piece missing"),
    pytest.param("4k3/1P6/8/8/8/8/8/4K3 w - -", "b7b8k", "becomes-what", id="promotion to a king"),
    pytest.param("4k3/8/8/8/8/8/4P3/4K3 w - -", "e2e4q", "no-promotion", id="promotion too early"),
    pytest.param("4k3/8/8/8/8/8/8/R3K3 w - -", "a1a8q", "no-promotion", id="promotion of a rook"),
    pytest.param("4k3/8/8/8/8/8/8/4K3 w - -", "Q@d4", "no-drop", id="a drop"),
]


@pytest.mark.parametrize(("fen", "text", "why"), ILLEGAL)
def test_what_no_placement_allows_is_illegal(fen: str, text: str, why: str | Reason) -> None:
    state = at(fen)
    with raises(IllegalMoveError, why):
        GAME.check(GAME.view(state, FIRST), move(text))
    after = GAME.refuse(state, FIRST)
    assert answer(state, after) == ["Illegal move"]
    assert GAME.phase(after) == GAME.phase(state)
    assert after.board == state.board


def test_illegal_from_black_s_side() -> None:
    state = at("4k3/4p3/8/8/8/8/8/4K3 b - -")
    view = GAME.view(state, SECOND)
    for text in ("e7e6", "e7e5", "e7d6", "e7f6", "e8d7"):
        GAME.check(view, move(text))
    for text in ("e7e8", "e7d8", "e7e4", "e1e2"):
        with pytest.raises(IllegalMoveError):
            GAME.check(view, move(text))


def test_only_the_side_to_move_moves() -> None:
    state = GAME.start()
    eyes: list[tuple[Eye, str]] = [(SECOND, "not-your-turn"), ("spectator", "only-players"), ("referee", "only-players")]
    for eye, why in eyes:
        view = GAME.view(state, eye)
        assert list(GAME.legal(view)) == []
        with raises(IllegalMoveError, why):
            GAME.check(view, move("e7e5"))
    assert GAME.refuse(state, SECOND) == state


# ── whatever python-chess and plain counting say about the same positions ─────────────────────────────────────────


def positions(seed: int, games: int, game: Kriegspiel = GAME) -> Iterator[Truth]:
    for number in range(games):
        yield from (step.before for step in playout(game, Random(seed + number)) if not step.before.refused)


def test_possible_tries_are_the_legal_moves_of_chess() -> None:
    for state in positions(100, 3):
        board = state.board
        tries = list(GAME.legal(GAME.view(state, state.mover)))
        legal = {one for one in tries if possible(board, one.from_square, one.to_square)}
        assert legal == set(board.legal_moves)
        assert not stuck(board)
        assert bool(checks(board)) == board.is_check()
        pawns = {(m.from_square, m.to_square) for m in legal if board.is_capture(m) and board.piece_type_at(m.from_square) == 1}
        assert captures(board) == len(pawns)
        view = sight(state)
        assert not any(ruled_out(view, one.from_square, one.to_square) for one in legal)


def sight(state: Truth) -> Sight:
    view = GAME.view(state, state.mover)
    assert isinstance(view, Sight)
    return view


def test_legal_tries_are_those_that_some_placement_allows() -> None:
    """Around the own pieces put nothing, or one victim where the try ends, and the other king somewhere: chess decides."""
    for state in list(positions(200, 4))[::60]:
        view = sight(state)
        legal = set(GAME.legal(view))
        own = {square: piece for square, piece in state.board.piece_map().items() if piece.color == state.board.turn}
        for target in chess.SQUARES:
            boards = list(placements(state, own, target))
            for source in own:
                last = state.board.piece_type_at(source) == chess.PAWN and target // 8 in (0, 7)
                one = chess.Move(source, target, chess.QUEEN if last else None)
                assert (one in legal) == any(board.is_legal(one) for board in boards), one


def placements(state: Truth, own: dict[chess.Square, chess.Piece], target: chess.Square) -> Iterator[chess.Board]:
    turn = state.board.turn
    safe = [s for s in chess.SQUARES if s not in own and s != target and not state.board.is_attacked_by(turn, s)]
    for victim in (None, chess.KNIGHT):
        for king in safe[:: max(1, len(safe) // 8)]:
            board = chess.Board(None)
            board.set_piece_map({**own, king: chess.Piece(chess.KING, not turn)})
            if victim and target not in own:
                board.set_piece_at(target, chess.Piece(victim, not turn))
            board.turn = turn
            board.castling_rights = state.board.castling_rights & (chess.BB_RANK_1 if turn else chess.BB_RANK_8)
            if not board.was_into_check():
                yield board


# ── options ────────────────────────────────────────────────────────────────────────────────────────────────────────

STRICT = Kriegspiel(strict=True, dead=False)


@pytest.mark.parametrize(
    ("fen", "text", "why"),
    [
        ("4k3/8/8/8/8/8/4P3/4K3 w - -", "e2d3", "no-pawn-capture"),
        ("4k3/8/8/8/4r3/8/8/4K2R w K -", "e1g1", "castling-in-check"),
        ("4k3/8/8/8/1b6/5n2/8/4K1N1 w - -", "g1f3", "double-check"),
        ("4k3/8/8/8/4r3/8/8/N3K3 w - -", "a1b3", "check-stays"),
        ("4k3/8/8/8/8/5n2/8/R3K3 w Q -", "a1a3", "check-stays"),
        ("4k3/8/8/8/1b6/8/7P/4K3 w - -", "h2h3", "check-stays"),
        ("4k3/8/8/8/7b/8/7P/4K3 w - -", "h2h3", "check-stays"),
        ("4k3/8/8/8/8/7P/8/r3K3 w - -", "h3h4", "check-stays"),
        ("4k3/8/8/8/8/8/3p3P/4K3 w - -", "h2h3", "check-stays"),
    ],
)
def test_strict_refuses_what_was_ruled_out(fen: str, text: str, why: str) -> None:
    GAME.check(GAME.view(at(fen), FIRST), move(text))
    view = STRICT.view(at(fen, STRICT), FIRST)
    assert move(text) not in STRICT.legal(view)
    with raises(IllegalMoveError, why):
        STRICT.check(view, move(text))


def test_strict_refuses_a_try_made_before() -> None:
    state = attempt(at("1n2k3/1P6/8/8/8/8/8/4K3 w - -", STRICT), "b7b8q", STRICT)
    for text in ("b7b8q", "b7b8n"):
        with raises(IllegalMoveError, "not-possible"):
            STRICT.check(STRICT.view(state, FIRST), move(text))
    lenient = attempt(at("1n2k3/1P6/8/8/8/8/8/4K3 w - -"), "b7b8q")
    again = attempt(lenient, "b7b8q")
    assert answer(lenient, again) == ["Not possible"]
    assert again.refused == lenient.refused, "a try repeated is written once"


@pytest.mark.parametrize(
    ("fen", "text"),
    [
        ("4k3/8/8/3Pp3/5K2/8/8/8 w - e6", "d5e6"),  # en passant of the pawn that gives check, though it ends elsewhere
        ("4k3/8/8/8/4r3/8/3N4/4K3 w - -", "d2e4"),  # takes the checking piece
        ("4k3/8/8/8/4r3/8/3N4/4K3 w - -", "e1e2"),  # a king may always step, even along the line
    ],
)
def test_strict_leaves_what_may_end_a_check(fen: str, text: str) -> None:
    STRICT.check(STRICT.view(at(fen, STRICT), FIRST), move(text))


def test_strict_games_never_rule_out_a_legal_move() -> None:
    for state in positions(300, 2, STRICT):
        legal = set(STRICT.legal(STRICT.view(state, state.mover)))
        assert set(map(Try, state.board.legal_moves)) <= legal


def test_refusals_for_the_mover_alone() -> None:
    game = Kriegspiel(refusals="mover")
    before = game.start()
    for after in (attempt(before, "e2d3", game), game.refuse(before, FIRST)):
        for eye in (SECOND, "spectator"):
            assert game.view(after, eye) == game.view(before, eye), "nobody else notices"
            text = KriegspielNotation(game)
            assert text.write_view(game.view(after, eye)) == text.write_view(game.view(before, eye))
        assert game.view(after, FIRST) != game.view(before, FIRST)
        moved = attempt(after, "e2e4", game)
        plain = attempt(before, "e2e4", game)
        assert game.view(moved, SECOND) == game.view(plain, SECOND), "not even later"
        assert game.view(moved, "spectator") == game.view(plain, "spectator")
        assert game.view(moved, FIRST) != game.view(plain, FIRST)


def test_refusals_aloud_do_not_tell_which_try() -> None:
    before = GAME.start()
    seen = {GAME.view(attempt(before, text), SECOND) for text in ("e2d3", "a2b3", "h2g3")}
    assert len(seen) == 1
    assert seen != {GAME.view(before, SECOND)}


def test_negative_plies_are_refused() -> None:
    with raises(OptionError, "%(option)s is %(least)s or more", option="plies", least=0):
        Kriegspiel(plies=-1)


# ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────────


def line(game: Kriegspiel, moves: str, state: Truth | None = None) -> Truth:
    now = state or game.start()
    for text in moves.split():
        now = attempt(now, text, game)
    return now


def test_mate_ends_the_game_and_shows_the_board() -> None:
    end = line(GAME, "f2f3 e7e5 g2g4 d8h4")
    assert GAME.phase(end) == Outcome((LOSS, WIN), Reason("checkmate", seat=1))
    assert end.now == (), "nobody is told to move"
    eyes: tuple[Eye, ...] = (FIRST, SECOND, "spectator", "referee")
    for eye in eyes:
        assert GAME.view(end, eye) == end
    with raises(IllegalMoveError, "game-over"):
        GAME.check(GAME.view(end, FIRST), move("e1f2"))
    assert GAME.refuse(end, FIRST) == end


def test_stalemate_is_a_draw() -> None:
    assert GAME.phase(line(GAME, "b5b6", at("k7/8/8/1Q6/8/8/8/4K3 w - -"))) == Outcome((DRAW, DRAW), Reason("stalemate"))


SHUFFLE = "g1f3 g8f6 f3g1 f6g8"


def test_repetition_is_an_option() -> None:
    game = Kriegspiel(repetition=True)
    assert game.phase(line(game, f"{SHUFFLE} {SHUFFLE}")) == Outcome((DRAW, DRAW), Reason("repetition"))
    assert isinstance(game.phase(line(game, f"{SHUFFLE} {SHUFFLE}"[:-5])), Awaits)
    assert isinstance(GAME.phase(line(GAME, f"{SHUFFLE} {SHUFFLE} {SHUFFLE}")), Awaits)


def test_repetition_begins_anew_after_an_irreversible_move() -> None:
    game = Kriegspiel(repetition=True)
    castled = line(game, f"{SHUFFLE} e2e4 e7e5 f1e2 f8e7 g1f3 g8f6 e1g1 e8g8")
    assert castled.trail == ()
    rook = line(game, "g1f3 g8f6 h1g1 h8g8 g1h1 g8h8 h1g1 h8g8 g1h1 g8h8")
    assert isinstance(game.phase(rook), Awaits), "the first of these three positions had other castling rights"


def test_repetition_agrees_with_python_chess() -> None:
    game = Kriegspiel(repetition=True, dead=False)
    for seed in range(6):
        board = chess.Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
        state = at(board.fen(), game)
        random = Random(seed)
        while state.end is None:
            one = random.choice(list(board.legal_moves))
            board.push(one)
            state = game.play(state, {state.mover: Try(one)})
            assert (occurrences(state.board, state.trail) >= 3) == board.is_repetition(3)
        assert state.end.reason == Reason("repetition")


def test_fifty_moves_are_an_option() -> None:
    fen = "4k3/8/8/8/8/8/8/R3K3 w - - 99 80"
    game = Kriegspiel(fifty=True)
    assert game.phase(line(game, "a1a2", at(fen, game))) == Outcome((DRAW, DRAW), Reason("fifty-moves"))
    assert isinstance(GAME.phase(line(GAME, "a1a2", at(fen))), Awaits)
    mate = line(game, "a1a8", at("4k3/8/4K3/8/8/8/8/R7 w - - 99 80", game))
    assert game.phase(mate) == Outcome((WIN, LOSS), Reason("checkmate", seat=0))


def test_plies_bound_the_game() -> None:
    fen = "4k3/8/8/8/8/8/8/4K3 b - - 0 300"
    assert GAME.phase(line(GAME, "e8e7", at(fen))) == Outcome((DRAW, DRAW), Reason("plies-played", plies=600))
    endless = Kriegspiel(plies=0, dead=False)
    assert isinstance(endless.phase(line(endless, "e8e7", at(fen, endless))), Awaits)


@pytest.mark.parametrize(
    ("fen", "text", "over"),
    [
        pytest.param("8/8/8/4k3/8/8/3p4/4K3 w - -", "e1d2", True, id="two bare kings"),
        pytest.param("8/8/8/4k3/8/8/3p4/4K1N1 w - -", "e1d2", True, id="a knight alone"),
        pytest.param("8/8/8/4k3/8/8/3p4/4KB2 w - -", "e1d2", True, id="a bishop alone"),
        pytest.param("5b2/8/8/4k3/8/8/3p4/2B1K3 w - -", "e1d2", True, id="bishops on squares of one colour"),
        pytest.param("2b5/8/8/4k3/8/8/3p4/2B1K3 w - -", "e1d2", False, id="bishops on squares of both colours"),
        pytest.param("8/8/8/4k3/8/8/3p4/4K1NN w - -", "e1d2", False, id="two knights mate with help"),
        pytest.param("6n1/8/8/4k3/8/8/3p4/4K1N1 w - -", "e1d2", False, id="a knight against a knight mates with help"),
        pytest.param("8/8/8/4k3/8/8/3p3P/4K3 w - -", "e1d2", False, id="a pawn may become a queen"),
    ],
)
def test_a_dead_position_is_a_draw(fen: str, text: str, over: bool) -> None:
    """When neither side could mate by any series of legal moves: for want of pieces, as chess programs count."""
    game = Kriegspiel()
    end = line(game, text, at(fen, game))
    assert (game.phase(end) == Outcome((DRAW, DRAW), Reason("no-mate"))) == over
    assert (game.view(end, SECOND) == end) == over, "then everybody sees the board"
    assert isinstance(GAME.phase(line(GAME, text, at(fen))), Awaits), "it is an option"


# ── a draw by agreement ────────────────────────────────────────────────────────────────────────────────────────────


def agree(state: Truth, game: Kriegspiel = GAME) -> Truth:
    """Say `draw`."""
    game.check(game.view(state, state.mover), DRAW_WORD)
    return game.play(state, {state.mover: DRAW_WORD})


def test_a_draw_is_offered_and_accepted_and_both_hear_it() -> None:
    start = line(GAME, "e2e4 e7e5")
    asked = agree(start)
    assert answer(start, asked) == ["White offers a draw"]
    assert GAME.phase(asked) == GAME.phase(start), "White is still to move"
    eyes: tuple[Eye, ...] = (FIRST, SECOND, "spectator")
    for eye in eyes:
        assert GAME.view(asked, eye).heard[-1].kind is Kind.OFFERS
    moved = attempt(asked, "g1f3")
    assert answer(asked, moved) == ["Black to move"]
    tried = attempt(moved, "d7c6")
    end = agree(tried)
    assert answer(tried, end) == ["Black accepts the draw"]
    assert GAME.phase(end) == Outcome((DRAW, DRAW), Reason("agreed"))
    for eye in eyes:
        assert GAME.view(end, eye) == end
    with raises(IllegalMoveError, "game-over"):
        GAME.check(GAME.view(end, SECOND), move("d7d6"))


def test_whoever_moves_has_declined_and_the_offer_is_gone() -> None:
    asked = line(GAME, "g1f3", agree(line(GAME, "e2e4 e7e5")))
    played = attempt(asked, "b8c6")
    assert answer(asked, played) == ["Black declines the draw", "White to move"]
    assert answer(played, attempt(played, "f3e5")) == ["Pawn gone", "Black to move"], "nothing more is said of it"
    fresh = agree(played)
    assert answer(played, fresh) == ["White offers a draw"], "not accepted: what White had offered was declined"
    taken = line(GAME, "f3e5", fresh)
    assert answer(taken, attempt(taken, "c6e5")) == ["Black declines the draw", "Piece gone", "White to move"]


def test_a_draw_is_offered_once_a_turn_by_the_side_to_move() -> None:
    state = agree(GAME.start())
    with raises(IllegalMoveError, "offered-already"):
        agree(state)
    with raises(IllegalMoveError, "not-your-turn"):
        GAME.check(GAME.view(state, SECOND), DRAW_WORD)
    never = Kriegspiel(agreement=False)
    with raises(IllegalMoveError, "no-agreement"):
        agree(never.start(), never)
    assert DRAW_WORD not in GAME.legal(GAME.view(GAME.start(), FIRST)), "who chooses among moves plays on"
    assert DRAW_WORD not in {TRIES[a][b] for a in chess.SQUARES for b in chess.SQUARES}, "and no two squares read as it"


# ── secrets ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_sight_has_no_room_for_the_other_side() -> None:
    assert [field.name for field in fields(Sight)] == ["seat", "men", "castling", "past", "now", "refused", "turn"]
    for state in positions(400, 1):
        for seat, white in ((FIRST, True), (SECOND, False)):
            view = GAME.view(state, seat)
            assert isinstance(view, Sight)
            assert view.men == men(state.board, white)
            assert not view.castling & ~view.men.rooks, "only the own rights"
            assert view.refused == (state.refused if seat == state.mover else ())
        nothing = GAME.view(state, "spectator")
        assert isinstance(nothing, Sight)
        assert not any(nothing.men)


def test_en_passant_is_not_shown_before_it_is_tried() -> None:
    passing, passed = at("4k3/8/8/3pP3/8/8/8/4K3 w - d6"), at("4k3/8/8/3pP3/8/8/8/4K3 w - -")
    assert GAME.view(passing, FIRST) != GAME.view(passed, FIRST), "the announced number differs"
    pinned, late = at("4k3/8/8/K2pP2r/8/8/8/8 w - d6"), at("4k3/8/8/K2pP2r/8/8/8/8 w - -")
    assert GAME.view(pinned, FIRST) == GAME.view(late, FIRST)


def test_every_try_is_secret() -> None:
    assert GAME.secret(GAME.start(), FIRST)


def test_truths_are_values() -> None:
    one, another = line(GAME, "e2d3 e2e4"), line(GAME, "e2f3 e2e4")
    assert one == another, "a refused try is forgotten with its turn"
    assert hash(one) == hash(another)
    assert one != line(GAME, "e2e4")
    assert one != "truth"
    assert len({one, another, pickle.loads(pickle.dumps(one))}) == 1  # noqa: S301 - our own bytes


def test_own_pieces_decide_what_is_in_reach() -> None:
    bare = Men(chess.BB_E1 | chess.BB_D1, 0, 0, 0, 0, chess.BB_D1, chess.BB_E1)
    assert reach(bare, True, 0, chess.D1) == int(chess.Board("8/8/8/8/8/8/8/3QK3 w - - 0 1").attacks(chess.D1)) & ~bare.all
    assert opening(chess.Board())[-1].count == 0
