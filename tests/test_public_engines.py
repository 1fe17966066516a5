"""The bench of public engines, held with engines of the house that speak their languages: it cannot rot unseen."""

import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from arbitre.games.game import FIRST, SECOND, Seat
from bench import public_engines
from bench.matches import Played, Spent
from bench.public_engines import Aim, Rival, kept, lines, paced, row, share, tally
from tests.players.tables import FIXTURES, speaking

STANDS_IN = (
    ("nboard", "reversi", "reversi/3", 4),
    ("gomocup", "bigtictactoe", "bigtictactoe/3", 4),
)
"""A language, its game, who speaks it, and the level of ours."""


def rival(game: str, *aims: Aim) -> Rival:
    return Rival("Arbitre", game, "ARBITRE_STAND_IN", "", "", "nboard:COMMAND", aims)


def games(*points: tuple[Seat, Fraction]) -> list[Played]:
    return [Played(number // 2, seat, won, (str(number),), Spent(), Spent()) for number, (seat, won) in enumerate(points)]


@pytest.mark.parametrize(("language", "game", "speaker", "level"), STANDS_IN)
def test_a_match_is_played_and_measured(language: str, game: str, speaker: str, level: int) -> None:
    told = row(rival(game, Aim(0.5)), f"{language}:{speaking(language, speaker)}", games=2, seconds=0.01, level=level)
    cells = [cell.strip() for cell in told.strip("|").split("|")]
    assert cells[0].startswith(f"`house:{game}/{level}` v Arbitre ")
    assert cells[1:3] == ["2", "too few games"]
    assert sum(int(one[1:]) for one in cells[3].split()) == 2
    assert [sum(int(one[1:]) for one in cell.split()) for cell in cells[4:6]] == [1, 1]
    assert all(float(seconds) > 0 for seconds in cells[6].split(", "))
    assert cells[7] == "≥ 50 %", "so few games miss no aim"


def test_a_program_that_is_met_over_a_connection_is_started(tmp_path: Path) -> None:
    program = tmp_path / "dam"
    speaks = f"{sys.executable} {FIXTURES / 'damexchange.py'} listen $4 follower play 2>/dev/null"
    program.write_text(
        f"#!/bin/sh\nread told; echo $told >{tmp_path}/told\n{speaks} | sed -u s/^/listening:/\n", encoding="utf-8"
    )
    program.chmod(0o755)
    told = row(replace(rival("draughts"), name="Dam"), f"depth=3 {program}", games=2, seconds=0.01, level=1)
    assert told.startswith("| `house:draughts/1` v Dam, depth 3 | 2 | too few games |")
    assert (tmp_path / "told").read_text(encoding="utf-8") == "depth 3\n"
    assert float(told.split("|")[7].split(", ")[1]) > 0, "its time is counted where it is a child's"


def test_an_engine_that_fails_spoils_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    told = row(rival("reversi"), "nboard:false", games=2, seconds=0.01, level=1)
    assert "| 0, 1 spoilt |" in told
    assert "a game counts for nobody" in capsys.readouterr().err


def test_who_is_not_there_is_told_how_to_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    old = "| `house:reversi/1` v Arbitre of old | 100 | 50 ± 1 % |"
    page.write_text(f"# Figures\n\n{old}\n", encoding="utf-8")
    monkeypatch.setattr(public_engines, "PAGE", page)
    monkeypatch.setattr(public_engines, "RIVALS", (rival("reversi"),))
    said = list(lines())
    assert old in said, "a row stays until its match is played again"
    assert said[-1] == '* Arbitre: `ARBITRE_STAND_IN="nboard:COMMAND"`'
    assert "Arbitre is not here and left out: ARBITRE_STAND_IN='nboard:COMMAND'" in capsys.readouterr().err
    page.unlink()
    assert list(lines())[-1].endswith("; not met yet")


def test_a_row_is_known_by_its_match() -> None:
    assert kept("| match | on |\n| `house:reversi/1` v Edax | 1 |\n") == {
        "`house:reversi/1` v Edax": "| `house:reversi/1` v Edax | 1 |"
    }


@pytest.mark.parametrize(
    ("player", "told"),
    [
        ("hub:./scan hub", "hub:time=0.2 ./scan hub"),
        ("hub:depth=9 ./scan hub", "hub:depth=9 ./scan hub"),
        ("gomocup:rule=4 set=x=1 ./five", "gomocup:time=0.2 rule=4 set=x=1 ./five"),
        ("gtp:./edax -gtp", "gtp:./edax -gtp"),
    ],
)
def test_the_time_is_told_where_it_can_be(player: str, told: str) -> None:
    assert paced(player, 0.2) == told


def test_shares_and_aims() -> None:
    half, draw = [(FIRST, Fraction(1)), (SECOND, Fraction(0))], (SECOND, Fraction(1, 2))
    even = games(*half * 50)
    assert (tally(even), share(even)) == ("+50 =0 −50", "50 ± 1 %")
    assert Aim(0.5).told(even) == "≥ 50 %"
    assert Aim(0.75).told(even) == "≥ 75 % **missed by 25**"
    assert Aim(0.1, lost=True).told(even) == "≤ 10 % lost **missed by 40**"
    assert Aim(0.0, lost=True, seat=FIRST).told(even) == "≤ 0 % lost moving first"
    assert Aim(0.25, seat=SECOND).told(even) == "≥ 25 % moving second **missed by 25**"
    assert share(games(*half * 49, half[0], draw)).startswith("50 ± ")
    assert share(even[:98]) == "too few games"
