"""TicTacToe is small enough to know everything about it."""

from collections.abc import Iterator
from functools import cache

import pytest

from arbitre.errors import IllegalMoveError
from arbitre.games.game import FIRST, SECOND, Awaits, Outcome, Seat
from arbitre.games.tictactoe.rules import Board, Cell, TicTacToe
from arbitre.reasons import Reason
from tests.reasons import gives, raises

GAME = TicTacToe()

SYMMETRIES = ("012345678", "630741852", "876543210", "258147036", "210543876", "036147258", "678345012", "852741630")


def children(board: Board) -> Iterator[Board]:
    return (GAME.play(board, {board.mover: cell}) for cell in GAME.legal(board))


@cache
def games(board: Board) -> int:
    return 1 if isinstance(GAME.phase(board), Outcome) else sum(games(child) for child in children(board))


def test_there_are_255168_games() -> None:
    assert games(GAME.start()) == 255_168


def test_there_are_138_essentially_different_ends() -> None:
    seen: set[str] = set()
    ends: set[str] = set()

    def visit(board: Board) -> None:
        if board.cells in seen:
            return
        seen.add(board.cells)
        if isinstance(GAME.phase(board), Outcome):
            ends.add(min("".join(board.cells[int(n)] for n in turned) for turned in SYMMETRIES))
        for child in children(board):
            visit(child)

    visit(GAME.start())
    assert len(ends) == 138
    assert len(seen) == 5_478


@cache
def worth(board: Board, seat: Seat) -> int:
    """What `seat` gets with perfect play: 2 a win, 1 a draw, 0 a loss."""
    phase = GAME.phase(board)
    if isinstance(phase, Outcome):
        return int(2 * phase.scores[seat])
    best = max if board.mover == seat else min
    return best(worth(child, seat) for child in children(board))


@pytest.mark.parametrize("seat", [FIRST, SECOND])
def test_perfect_play_never_loses(seat: Seat) -> None:
    def visit(board: Board) -> None:
        phase = GAME.phase(board)
        if isinstance(phase, Outcome):
            assert phase.scores[seat] > 0
        elif board.mover == seat:
            visit(max(children(board), key=lambda child: worth(child, seat)))
        else:
            for child in children(board):
                visit(child)

    visit(GAME.start())


@pytest.mark.parametrize(
    ("cells", "scores", "reason"),
    [
        ("111220000", (1, 0), Reason("three-in-a-row")),
        ("110222010", (0, 1), Reason("three-in-a-row")),
        ("121122211", (0.5, 0.5), Reason("board-full")),
        ("112221112", (0.5, 0.5), Reason("board-full")),
        ("122211112", (0.5, 0.5), Reason("board-full")),
        ("112212121", (1, 0), Reason("three-in-a-row")),
    ],
)
def test_ends(cells: str, scores: tuple[float, float], reason: Reason) -> None:
    end = GAME.phase(Board(cells))
    assert isinstance(end, Outcome)
    assert tuple(map(float, end.scores)) == scores
    assert gives(end.reason, reason)


def test_turns_alternate() -> None:
    assert GAME.phase(Board("000000000")) == Awaits(frozenset({FIRST}), 1)
    assert GAME.phase(Board("100000000")) == Awaits(frozenset({SECOND}), 2)


@pytest.mark.parametrize(
    ("cells", "move", "why"),
    [
        ("100000000", 1, "occupied"),
        ("100000000", 0, Reason("no-cell", first=1, last=9)),
        ("100000000", 10, Reason("no-cell", first=1, last=9)),
        ("111220000", 9, "game-over"),
    ],
)
def test_illegal_moves_say_why(cells: str, move: int, why: str | Reason) -> None:
    with raises(IllegalMoveError, why):
        GAME.check(Board(cells), Cell(move))
