"""The Seafight players shoot where ships can be."""

import subprocess
import sys
from pathlib import Path
from random import Random
from statistics import median

import pytest

from arbitre.games.anyone import Anyone
from arbitre.games.game import FIRST
from arbitre.games.seafight.berths import images, kind, loaded
from arbitre.games.seafight.engine import CALM, Admiral, Amateur, Gunner, Novice, Player, Waters, cells_of
from arbitre.games.seafight.rules import HOLDS, SIZES, Fleet, Sea, Seafight, judged
from tests.games.arena import ask

GAME = Seafight()
ROOT = Path(__file__).parents[3]


def fleet(seed: str) -> Fleet:
    placed = GAME.sample(GAME.view(GAME.start(), FIRST), Random(seed))
    assert isinstance(placed, Fleet)
    return placed


def shots(make: type[Gunner] | type[Anyone], seed: int) -> int:
    """Return how many shots a player needs for a random fleet that never shoots back."""
    bot = make(Random(seed))
    sea = Sea((fleet(f"own {seed}"), fleet(f"other {seed}")))
    assert sea.fleets is not None
    for number in range(1, 101):
        shot = ask(GAME, bot, sea, FIRST, turn=2 * number + 1)
        marks = "".join("1" if cell == shot else mark for cell, mark in enumerate(sea.shots[0]))
        struck, marks = judged(sea.fleets[1], marks)
        sea = Sea((sea.fleets[0], struck), (marks, sea.shots[1][: number - 1] + "1" + sea.shots[1][number:]))
        if marks.count("3") == HOLDS:
            return number
    raise AssertionError("the fleet is never sunk")


@pytest.mark.parametrize(("make", "most"), [(Novice, 70), (Amateur, 60), (Player, 54), (Admiral, 49)])
def test_the_median_fleet_is_sunk_soon(make: type[Gunner], most: int) -> None:
    assert median(shots(make, seed) for seed in range(40)) <= most


def test_random_shots_need_nearly_all() -> None:
    assert median(shots(Anyone, seed) for seed in range(10)) > 90


def test_berths_avoid_water_and_cover_what_is_afloat() -> None:
    """Two hits next to each other, water on one side: a ship of two there would be sunk, a longer one goes on to the right."""
    hits, water = 1 << 44 | 1 << 45, 1 << 43
    known = Waters(CALM.open & ~hits & ~water, hits, (3, 2))
    assert not [berth for berth in known.berths(3) if berth & water]
    assert 1 << 44 | 1 << 45 | 1 << 46 in known.berths(3)
    assert hits not in known.berths(2)
    heat = Player(Random(0)).heat(known)
    assert max(range(100), key=lambda cell: heat[cell] * (known.open >> cell & 1)) == 46


# ── where the admiral hides ────────────────────────────────────────────────────────────────────────────────────────


def test_a_berth_has_the_weight_of_all_its_images() -> None:
    harbours = loaded()
    for size, harbour in harbours.items():
        weights = {tuple(ship.cells): weight for ship, weight in zip(harbour.ships, harbour.weights, strict=True)}
        assert len(weights) == 2 * 10 * (11 - size)
        for berth, weight in weights.items():
            assert {weights[image] for image in images(berth)} == {weight}
            assert len({kind(image) for image in images(berth)}) == 1
    assert sum(SIZES) == HOLDS == len([*cells_of((1 << HOLDS) - 1)])


def test_the_admiral_hides_by_weight_and_alike_on_all_sides() -> None:
    placed = [ask(GAME, Admiral(Random(seed)), GAME.start(), FIRST) for seed in range(300)]
    counts = [0] * 100
    for fleet in placed:
        for ship in fleet.ships:
            for cell in ship.cells:
                counts[cell] += 1
    edge = sum(count for cell, count in enumerate(counts) if cell // 10 in (0, 9) or cell % 10 in (0, 9))
    by_chance = 0.28 * HOLDS * len(placed)
    assert edge > 1.1 * by_chance, "gunners who count berths look at the edge last"
    assert len({str(fleet) for fleet in placed}) == len(placed)


@pytest.mark.campaign
def test_training_goes_on_where_it_was_and_comes_to_the_same_weights(tmp_path: Path) -> None:
    train = [sys.executable, str(ROOT / "tools" / "train"), "seafight", "--rounds", "3", "--games", "200"]
    made = []
    for jobs in ("1", "2"):
        subprocess.run([*train, "--jobs", jobs, "--out", tmp_path / jobs], check=True, cwd=ROOT)
        made.append((tmp_path / jobs / "berths.txt").read_text())
    (tmp_path / "2" / "round-003.npy").unlink()
    subprocess.run([*train, "--out", tmp_path / "2"], check=True, cwd=ROOT)
    made.append((tmp_path / "2" / "berths.txt").read_text())
    assert made[0] == made[1] == made[2]
