"""The Seafight players shoot where ships can be."""

from random import Random
from statistics import median

import pytest

from arbitre.games.anyone import Anyone
from arbitre.games.game import FIRST
from arbitre.games.seafight.engine import CALM, Admiral, Amateur, Gunner, Novice, Player, Waters, cells_of
from arbitre.games.seafight.rules import HOLDS, SIZES, Fleet, Sea, Seafight, judged
from tests.games.arena import ask

GAME = Seafight()


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


@pytest.mark.parametrize(("make", "most"), [(Novice, 70), (Amateur, 57), (Player, 49), (Admiral, 49)])
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


def test_the_admiral_hides_where_others_look_last() -> None:
    heat = Player(Random(0)).heat(CALM)

    def seen(make: type[Gunner]) -> int:
        placed = [ask(GAME, make(Random(seed)), GAME.start(), FIRST) for seed in range(20)]
        return sum(heat[cell] for fleet in placed for ship in fleet.ships for cell in ship.cells)

    assert seen(Admiral) < 0.95 * seen(Player)
    assert sum(SIZES) == HOLDS == len([*cells_of((1 << HOLDS) - 1)])
