"""Text tables fit the terminal, and obey nothing that hides in a name."""

from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.reasons import Reason
from arbitre.referee.verdict import Termination
from arbitre.tournament import tables
from arbitre.tournament.config import plan_of
from arbitre.tournament.schedule import Result
from arbitre.tournament.statistics import Estimate
from arbitre.tournament.summary import Summary, summarise
from arbitre.tournament.tables import (
    Column,
    columns,
    elo_text,
    estimate_text,
    fitted,
    laid_out,
    never_came,
    points_text,
    printable,
)
from tests.reasons import english
from tests.tournament.scripted import WON, Judge, chance, lower_wins, played

bracket_text = partial(tables.bracket_text, said=english)
cross_text = partial(tables.cross_text, said=english)
faults_text = partial(tables.faults_text, said=english)
standings_text = partial(tables.standings_text, said=english)
verdict_text = partial(tables.verdict_text, said=english)


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
    texts = [standings_text(summary), cross_text(summary), bracket_text(summary)]
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


def test_names_that_begin_alike_are_told_apart() -> None:
    """What a site hands out calls everybody engine-…: a table in which all are the same proves nothing."""
    names = tuple(f"engine-{number:012x}" for number in (0xACD7D43CE007, 0xACD4C6734525, 0x14CAED5AFC65))
    table = [Column("#", ("1", "2", "3")), Column("name", names, left=True)]
    table += [Column(f"column {number}", ("1", "2", "3"), spare=number) for number in range(1, 9)]
    lines = laid_out(table, 40).splitlines()
    assert len({line.split()[1] for line in lines[1:]}) == 3
    assert lines[1].startswith("1  engine-acd7")
    assert all(len(line) <= 40 for line in lines)


def test_numbers_in_words() -> None:
    halves = (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(15, 2), Fraction(1, 3))
    assert [points_text(half) for half in halves] == ["0", "½", "1", "7½", "0.33"]
    assert [elo_text(elo) for elo in (0.0, -0.2, 12.6, float("inf"), -float("inf"))] == ["+0", "+0", "+13", "+∞", "-∞"]
    assert english(estimate_text(Estimate(float("inf"), 200.0, float("inf"), 9))) == "Elo +∞ (95 %: +200 to +∞)"


def test_before_the_first_game() -> None:
    plan = plan_of({"game": "tictactoe", "seed": 1, "players": ["a", "b"]})
    summary = summarise(plan, {})
    assert english(summary.state) == "round 1, 0 of 1 games"
    assert standings_text(summary).splitlines()[0] == "#  name  points  games  won  drawn  lost  direct  SB"
    assert verdict_text(summary) == ""
    assert summarise(plan, {1: Result(1, (Fraction(1), Fraction(0)))}).state == Reason("finished, %(played)s games", played=1)


def stumbling(numbers: set[int], names: tuple[str, ...] = ("ann", "ben", "cat", "dan"), games: int = 1) -> Summary:
    """Return a round robin in which the second seat of these games was not there."""
    players = [{"name": name, "player": "py:bot.py"} for name in names]
    plan = plan_of({"game": "tictactoe", "seed": 1, "players": players, "games": games})
    results = played(plan.schedule, lower_wins)
    gone = {
        one: Result(one, WON, Termination.DISCONNECTED, Reason("quoted", text="the call was\x1b[2J not taken")) for one in numbers
    }
    return summarise(plan, results | gone)


def test_faults_are_told_by_contestant_and_kind_with_the_numbers_of_the_games() -> None:
    assert faults_text(told({})) == ""
    summary = stumbling({1, 3}, games=2)
    guilty = {summary.name(who) for entry in summary.progress.entries for who in entry.culprits}
    text = faults_text(summary)
    assert all(f"  {name}: gone, or never there, " in text for name in guilty)
    assert "\x1b" not in text
    assert all(columns(line) <= 79 for line in text.splitlines())


def test_who_never_came_lost_all_his_games_so() -> None:
    assert never_came(stumbling({1, 3})) == ()
    summary = stumbling({1}, ("ann", "ben"))
    (guilty,) = (summary.name(one) for one in never_came(summary))
    assert faults_text(summary) == (
        f"faults\n  {guilty}: gone, or never there, 1 game lost (number 1)\n    the call was�[2J not taken"
    )
