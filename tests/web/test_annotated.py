"""Marks on small pictures: where a move was, by the names that a game's cells have."""

import re

import pytest

from arbitre.games.catalogue import game
from arbitre.games.game import FIRST
from arbitre.games.miniature import miniature_of
from arbitre.web.annotated import coordinates, marked

PLAIN = '<svg class="mini"></svg>'


@pytest.mark.parametrize(
    ("name", "played", "better", "slip", "numbers"),
    [
        ("reversi", "B4", ("D6", "XX", "b5"), (1, 3), {"1": (3, 5), "3": (1, 4)}),
        ("tictactoe", "8", ("3", "1"), (1, 2), {"1": (2, 0), "2": (0, 0)}),
        ("pente", "AS", ("JJ",), (0, 18), {"1": (9, 9)}),
        ("draughts", "32-28", ("33x24",), (4, 5), {"1": (7, 4)}),
        ("kriegspiel", "e2e4", (), (4, 4), {}),
    ],
)
def test_a_mistake_is_crossed_out_and_better_moves_are_numbered(
    name: str, played: str, better: tuple[str, ...], slip: tuple[int, int], numbers: dict[str, tuple[int, int]]
) -> None:
    drawn = marked(game(name), PLAIN, FIRST, played, better)
    ring = re.search(r'class="slip-ring" cx="(\d+)" cy="(\d+)"', drawn)
    assert ring is not None
    assert (int(ring[1]), int(ring[2])) == slip
    discs = re.findall(r'<circle class="better [\w ]*" cx="(\d+)" cy="(\d+)"', drawn)
    told = re.findall(r'class="nth-of"[^>]*>(\d+)<', drawn)
    assert dict(zip(told, ((int(x), int(y)) for x, y in discs), strict=True)) == numbers


def test_a_move_that_is_good_later_stays_crossed_out() -> None:
    drawn = marked(game("tictactoe"), PLAIN, FIRST, "8", ("3", "8"))
    assert re.findall(r'class="nth-of"[^>]*>(\d+)<', drawn) == ["1"]


def test_a_game_without_named_cells_gets_no_marks() -> None:
    assert marked(game("poker"), PLAIN, FIRST, "24", ("0",)) == PLAIN
    assert coordinates("poker") == ""
    assert miniature_of(game("poker")) is not None


@pytest.mark.parametrize(
    ("name", "count"), [("reversi", 16), ("bigtictactoe", 20), ("pente", 38), ("draughts", 50), ("tictactoe", 9)]
)
def test_cells_have_coordinates_or_their_names(name: str, count: int) -> None:
    assert coordinates(name).count("<text") == count
