"""Text tables fit the terminal, and obey nothing that hides in a name."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.tournament.config import plan_of
from arbitre.tournament.schedule import Result
from arbitre.tournament.statistics import Estimate
from arbitre.tournament.summary import Summary, summarise
from arbitre.tournament.tables import (
    Column,
    bracket_text,
    columns,
    cross_text,
    elo_text,
    estimate_text,
    fitted,
    laid_out,
    points_text,
    printable,
    round_text,
    standings_text,
    verdict_text,
)
from tests.tournament.scripted import Judge, chance, lower_wins, played


def told(keys: dict[str, Any], judge: Judge = lower_wins, names: tuple[str, ...] = ("ann", "ben", "cat", "dan")) -> Summary:
    players = [{"name": name, "player": "py:bot.py"} for name in names]
    plan = plan_of({"game": "tictactoe", "seed": 1, "players": players, **keys})
    return summarise(plan, played(plan.schedule, judge))


def test_standings_of_a_round_robin() -> None:
    """Ratings, errors and LOS were found independently, by climbing the likelihood and inverting its numerical curvature."""
    assert standings_text(told({})) == "\n".join(
        [
            "#  name  points  games  won  drawn  lost  direct  SB   Elo    ±  LOS",
            "1  ann        3      3    3      0     0           3  +303  419  76%",
            "2  ben        2      3    2      0     1           1   +91  331  75%",
            "3  cat        1      3    1      0     2           0   -91  331  76%",
            "4  dan        0      3    0      0     3           0  -303  419",
        ]
    )


def test_cross_table() -> None:
    assert cross_text(told({"games": 2}, chance(4))).splitlines()[0] == "   name  1  2   3   4  points"
    assert cross_text(told({})) == "\n".join(
        [
            "   name  1  2  3  4  points",
            "1  ann   ■  1  1  1       3",
            "2  ben   0  ■  1  1       2",
            "3  cat   0  0  ■  1       1",
            "4  dan   0  0  0  ■       0",
        ]
    )


def test_bracket() -> None:
    assert bracket_text(told({"format": "knockout", "third": True}, names=("ann", "ben", "cat"))) == "\n".join(
        ["semi-finals", "  ben - cat  2 : 0  → ben", "  ann has a bye", "final", "  ann - ben  2 : 0  → ann"]
    )
    assert bracket_text(told({})) == ""


def test_round() -> None:
    lines = round_text(told({"format": "swiss"}, names=("ann", "ben", "cat")), 1).splitlines()
    assert lines[0] == "round 1"
    assert lines[1].split() in (["1", "ann", "-", "ben", "1", ":", "0"], ["1", "ben", "-", "ann", "0", ":", "1"])
    assert lines[2] == "  cat has a bye"


def test_verdict_of_a_match() -> None:
    match = told({"games": 400, "sprt": {"elo1": 50}}, chance(2), ("new", "old"))
    lines = verdict_text(match).splitlines()
    assert lines[0].startswith("new against old: Elo ")
    assert lines[1].startswith("SPRT: ratio ")
    assert verdict_text(told({})) == "", "a field of four has no hero"
    assert "against the others" in verdict_text(told({"format": "gauntlet"}))


@pytest.mark.parametrize("size", [2, 3, 8, 12, 16, 100])
@pytest.mark.parametrize("held", ["round-robin", "swiss", "knockout", "gauntlet"])
def test_nothing_is_wider_than_the_terminal(size: int, held: str) -> None:
    names = tuple(f"{'a rather long name of somebody ' * 2}{number}" for number in range(size))
    if size == 100 and held == "round-robin":
        return
    summary = told({"format": held}, chance(1), names)
    texts = [standings_text(summary), cross_text(summary), bracket_text(summary), round_text(summary, 1)]
    for line in "\n".join(texts).splitlines():
        assert columns(line) <= 79


def test_too_many_for_a_cross_table() -> None:
    names = tuple(f"p{number}" for number in range(60))
    assert cross_text(told({"format": "swiss"}, names=names)) == (
        "the cross table of 60 contestants is wider than 79 columns: see the report"
    )


@given(st.text(), st.integers(1, 40))
def test_text_is_cut_and_filled_to_the_column(text: str, width: int) -> None:
    shown = fitted(printable(text), width)
    assert columns(shown) == width
    assert shown.isprintable()


def test_wide_and_combining_characters_are_measured() -> None:
    assert columns("日本") == 4
    assert columns("é") == 1
    assert fitted("日本語", 4) == "日… "
    assert printable("a\x1b[31mb\nc\u202e") == "a�[31mb�c�"


def test_spare_columns_go_before_names_are_cut() -> None:
    table = [
        Column("#", ("1",)),
        Column("name", ("somebody",), left=True),
        Column("points", ("12",)),
        Column("less", ("1",), 1),
        Column("least", ("2",), 2),
    ]
    assert laid_out(table, 40).splitlines()[0] == "#  name      points  less  least"
    assert laid_out(table, 30).splitlines()[0] == "#  name      points  less"
    assert laid_out(table, 20).splitlines() == ["#  name      points", "1  somebody      12"]


def test_numbers_in_words() -> None:
    halves = (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(15, 2), Fraction(1, 3))
    assert [points_text(half) for half in halves] == ["0", "½", "1", "7½", "0.33"]
    assert [elo_text(elo) for elo in (0.0, -0.2, 12.6, float("inf"), -float("inf"))] == ["+0", "+0", "+13", "+∞", "-∞"]
    assert estimate_text(Estimate(float("inf"), 200.0, float("inf"), 9)) == "Elo +∞ (95 %: +200 to +∞)"


def test_before_the_first_game() -> None:
    plan = plan_of({"game": "tictactoe", "seed": 1, "players": ["a", "b"]})
    summary = summarise(plan, {})
    assert summary.state == "round 1, 0 of 1 games"
    assert standings_text(summary).splitlines()[0] == "#  name  points  games  won  drawn  lost  direct  SB"
    assert verdict_text(summary) == ""
    assert summarise(plan, {1: Result(1, (Fraction(1), Fraction(0)))}).state == "finished, 1 games"
