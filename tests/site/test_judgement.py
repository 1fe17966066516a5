"""Judging offline: what a site hands out proves itself, and nothing that was changed does."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arbitre.crypto.chain import commitment
from arbitre.errors import ArbitreError
from arbitre.records.store import Store
from arbitre.site.competitions.draw import Draw, lots_of, mixed
from arbitre.site.competitions.judgement import BY_SEED, judge_folder, told
from arbitre.tournament.config import plan_of, read_kept_plan
from arbitre.tournament.summary import to_json
from tests.reasons import raises

SEED = bytes(range(32))
PLAYERS = ("house:tictactoe/1", "house:tictactoe/2", "house:tictactoe/3")


def arbitre(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", "arbitre", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def handed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what a site would hand out of a tournament that was held with a committed seed."""
    folder = tmp_path_factory.mktemp("judged")
    data, out = folder / "data", folder / "out"
    players = [part for one in PLAYERS for part in ("--player", one)]
    plan = ("--game", "tictactoe", "--games", "2", "--seed", SEED.hex(), "--name", "cup", "--data", str(data))
    arbitre("tournament", "run", *players, *plan)
    arbitre("record", "export", "--tournament", "cup", "--folder", str(out / "records"), "--data", str(data))
    store = Store(data)
    (out / "plan.json").write_text(store.tournament("cup")[0])
    store.close()
    (out / "draw.json").write_text(Draw("seed", commitment(SEED)).text())
    (out / "seed.txt").write_text(SEED.hex())
    (out / "shown.json").write_text(arbitre("tournament", "show", "cup", "--json", "--data", str(data)))
    return out


@pytest.fixture
def folder(handed: Path, tmp_path: Path) -> Path:
    shutil.copytree(handed, tmp_path / "out")
    return tmp_path / "out"


def test_the_same_standings_follow(folder: Path) -> None:
    found = judge_folder(folder)
    assert (found.records, found.abandoned) == (6, 0)
    assert BY_SEED in told(found)
    shown = json.loads((folder / "shown.json").read_text())
    assert to_json(found.summary)["standings"] == shown["standings"]
    assert "6 records follow" in arbitre("tournament", "judge", str(folder))


def test_a_game_that_is_missing_is_still_to_be_played(folder: Path) -> None:
    next((folder / "records").iterdir()).unlink()
    assert not judge_folder(folder).summary.progress.over


def plan_with(folder: Path, **changed: object) -> None:
    plan = read_kept_plan((folder / "plan.json").read_text())
    (folder / "plan.json").write_text(plan_of({**plan.fields(), **changed}).text())


def swap_players(folder: Path) -> None:
    players = read_kept_plan((folder / "plan.json").read_text()).fields()["players"]
    plan_with(folder, players=players[::-1])


def change_record(folder: Path) -> None:
    path = next((folder / "records").iterdir())
    path.write_bytes(path.read_bytes().replace(b"house 1", b"house 9").replace(b"rules", b"roles"))


def play_twice(folder: Path) -> None:
    path = next((folder / "records").iterdir())
    shutil.copy(path, folder / "records" / "again.record")


def forge_draw(folder: Path) -> None:
    plan = read_kept_plan((folder / "plan.json").read_text())
    names = tuple(one.name for one in plan.entrants)
    drawn = Draw("contestants", commitment(SEED))
    lots = lots_of("cup", SEED, names, drawn)
    (folder / "draw.json").write_text(replace(drawn, transcript=lots.transcript).text())
    plan_with(folder, seed=mixed(SEED, lots.transcript))


ATTACKS: dict[str, tuple[Callable[[Path], object], str]] = {
    "another seed in the plan": (lambda folder: plan_with(folder, seed="another"), "does not follow from the draw"),
    "another seed that was opened": (
        lambda folder: (folder / "seed.txt").write_text("ab" * 32),
        "not the one that was committed",
    ),
    "a seed that is none": (lambda folder: (folder / "seed.txt").write_text("x" * 64), "not in form"),
    "a draw that is none": (lambda folder: (folder / "draw.json").write_text("{}"), "not in form"),
    "other terms": (lambda folder: plan_with(folder, refusals=5), "not played as the plan says"),
    "another game": (lambda folder: plan_with(folder, game="reversi"), "not played as the plan says"),
    "players changed places": (swap_players, "is between"),
    "a record that was changed": (change_record, "record %(count)s: %(line)s"),
    "a result twice": (play_twice, "two results"),
    "lots of other games": (forge_draw, "the order is not the one that the contestants' lots give"),
    "no plan": (lambda folder: (folder / "plan.json").unlink(), "cannot read"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_what_was_changed_does_not_follow(folder: Path, name: str) -> None:
    attack, why = ATTACKS[name]
    attack(folder)
    with raises(ArbitreError, why):
        judge_folder(folder)
