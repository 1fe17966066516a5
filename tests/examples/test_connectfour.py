"""A game from another package is a game like any other."""

import pytest
from arbitre_connectfour.rules import Board, ConnectFour

from arbitre.errors import CatalogueError, IllegalMoveError, OptionError, PositionError
from arbitre.games import catalogue
from arbitre.games.catalogue import game, listing, listings
from arbitre.games.game import Outcome, Seat
from arbitre.games.notation import notation_of
from tests.reasons import raises

GAME = ConnectFour()
TEXT = notation_of(GAME)


def after(columns: str) -> Board:
    board = GAME.start()
    for number, column in enumerate(columns):
        move = TEXT.read(column, board)
        GAME.check(board, move)
        board = GAME.play(board, {Seat(number % 2): move})
    return board


def leaves(board: Board, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(leaves(GAME.play(board, {board.mover: move}), depth - 1) for move in GAME.legal(board))


def test_the_catalogue_has_it() -> None:
    assert "connectfour" in [one.name for one in listings()]
    assert listing("connectfour").game() == GAME


def test_published_leaf_counts() -> None:
    assert [leaves(GAME.start(), depth) for depth in range(1, 7)] == [7, 49, 343, 2401, 16807, 117649]
    assert leaves(after("333333"), 2) == 36


@pytest.mark.parametrize(
    ("columns", "scores"),
    [
        ("1212121", (1, 0)),
        ("1122334", (1, 0)),
        ("12233434464", (1, 0)),
        ("7121212", None),
        ("71212121", (0, 1)),
    ],
    ids=["upright", "along", "diagonal", "not yet", "second wins"],
)
def test_ends(columns: str, scores: tuple[int, int] | None) -> None:
    phase = GAME.phase(after(columns))
    if scores is None:
        assert not isinstance(phase, Outcome)
    else:
        assert isinstance(phase, Outcome)
        assert tuple(map(int, phase.scores)) == scores


def test_lines_do_not_run_around_the_edge() -> None:
    column = GAME.rows + 1
    top, bottom = (1 << 4 | 1 << 5), (1 << column | 1 << column + 1)
    assert not GAME.four(top | bottom), "two at the top of a column and two at the foot of the next"
    assert GAME.four(0b1111 << 2)


def test_refusals_say_why() -> None:
    with raises(IllegalMoveError, "connectfour.column-full"):
        after("1111111")
    with raises(IllegalMoveError, "connectfour.no-column", last=7):
        after("8")
    with pytest.raises(PositionError, match="at character 1: this disc hangs in the air"):
        TEXT.read_state("1" + "0" * 41)
    with pytest.raises(OptionError, match="columns is from 4 to 12, not 3"):
        game("connectfour", {"columns": "3"})


@pytest.mark.parametrize("loaded", [None, ConnectFour, (ConnectFour,)])
def test_an_entry_point_must_lead_to_a_listing(loaded: object) -> None:
    with pytest.raises(CatalogueError, match="not to a Listing"):
        list(catalogue._listed("broken", loaded))
