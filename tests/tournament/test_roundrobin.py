"""Everybody meets everybody, and the seats are shared fairly."""

import pytest

from arbitre.tournament.roundrobin import RoundRobin, circle_rounds
from tests.tournament.scripted import lean, meetings, schedule

SIZES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 31, 32]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("games", "cycles"), [(1, 1), (1, 2), (2, 1), (3, 1), (3, 2), (2, 3)])
def test_everybody_meets_everybody(size: int, games: int, cycles: int) -> None:
    tournament = schedule(RoundRobin(games, cycles), size)
    counts = meetings(tournament.fixtures({}))
    for one in tournament.field.contestants:
        for other in tournament.field.contestants:
            if one < other:
                first, second = counts.get((one, other), 0), counts.get((other, one), 0)
                assert first + second == games * cycles
                assert abs(first - second) == games * cycles % 2, "each two change seats from game to game"


@pytest.mark.parametrize("size", SIZES)
def test_rounds_are_as_few_as_possible(size: int) -> None:
    rounds = circle_rounds(size)
    assert len(rounds) == size - 1 + size % 2
    for pairs, idle in rounds:
        seated = [one for pair in pairs for one in pair]
        assert sorted(seated + ([] if idle is None else [idle])) == list(range(size))
    assert sorted(idle for _, idle in rounds if idle is not None) == (list(range(size)) if size % 2 else [])


@pytest.mark.parametrize("size", SIZES)
def test_seats_are_balanced(size: int) -> None:
    """In one cycle everybody's seats differ by one, by none in an odd field; after two cycles all are even."""
    tournament = schedule(RoundRobin(), size)
    for one in tournament.field.contestants:
        assert abs(lean(tournament.fixtures({}), one)) == (0 if size % 2 else 1)
        assert lean(schedule(RoundRobin(cycles=2), size).fixtures({}), one) == 0


def test_the_table_of_four() -> None:
    """By hand: sums of 0, 1 and 2 modulo 3; of an odd sum the lower begins; the last begins against the upper half."""
    pairs = [pairs for pairs, _ in circle_rounds(4)]
    assert pairs == [((0, 3), (1, 2)), ((3, 2), (0, 1)), ((1, 3), (2, 0))]


def test_a_double_round_robin_reverses_the_first_cycle() -> None:
    rounds = schedule(RoundRobin(cycles=2), 6, starts=50).rounds({})
    for once, again in zip(rounds[:5], rounds[5:], strict=True):
        assert [fixture.seats[::-1] for fixture in once.fixtures] == [fixture.seats for fixture in again.fixtures]
        assert [fixture.start for fixture in once.fixtures] == [fixture.start for fixture in again.fixtures]
