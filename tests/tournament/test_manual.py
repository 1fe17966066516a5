"""The manual's page on tournaments says what the program does."""

import re
from pathlib import Path

import pytest

from arbitre.tournament.config import FORMATS, read_plan
from arbitre.tournament.statistics import expected

PAGE = (Path(__file__).parents[2] / "docs/tournaments.md").read_text(encoding="utf-8")


def test_the_example_is_a_plan() -> None:
    (example,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    plan = read_plan(example)
    assert [one.name for one in plan.entrants] == ["house:tictactoe/3", "mine", "old"]
    assert plan.sprt is not None
    assert set(plan.fields()) - {"cycles", "challengers"} <= set(re.findall(r"^\[?(\w+)", example, re.MULTILINE))


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_described(name: str) -> None:
    assert f"\n| {name} | " in PAGE
    assert f"**{name.replace('-', ' ').capitalize()}.**" in PAGE


def test_the_table_of_expected_scores() -> None:
    elos, scores = (
        re.findall(r"[\d.]+", line) for line in re.findall(r"^\| (?:difference|expected score) \|.*", PAGE, re.MULTILINE)
    )
    assert [f"{100 * expected(float(elo)):.1f}".removesuffix(".0") for elo in elos] == [
        score.removesuffix(".0") for score in scores
    ]
