"""The likeliest ratings of a field: closed forms, symmetry, and how often the bars hold the truth."""

import math
from fractions import Fraction
from random import Random

import pytest

from arbitre.tournament.ledger import Entry, entries
from arbitre.tournament.roundrobin import RoundRobin
from arbitre.tournament.schedule import Contestant, Result
from arbitre.tournament.statistics import SCALE, expected
from arbitre.tournament.strength import Meeting, cholesky, solve, spread, strengths, summit
from tests.tournament.scripted import DRAWN, LOST, WON, Judge, all_drawn, chance, lower_wins, schedule


def games(size: int, judge: Judge, each: int = 2) -> tuple[Entry, ...]:
    fixtures = schedule(RoundRobin(games=each), size).fixtures({})
    return entries(fixtures, {fixture.number: Result(fixture.number, judge(fixture)) for fixture in fixtures})


def test_two_players_have_a_closed_form() -> None:
    """With θ = ±x: the slope 75 - 100·p(2x) + ½ - p(x) must vanish."""
    theta = summit(2, [Meeting(0, 1, 100, 75.0)])
    assert theta[0] == pytest.approx(-theta[1])

    def odds(x: float) -> float:
        return 1 / (1 + math.exp(-x))

    x = theta[0]
    assert 75 - 100 * odds(2 * x) + 0.5 - odds(x) == pytest.approx(0, abs=1e-9)
    assert 2 * x * SCALE == pytest.approx(190.85, abs=3), "near the plain estimate of 75 %"


def test_equals_are_equal() -> None:
    for judge in (all_drawn, lambda _: WON, lambda _: LOST):
        found = strengths(5, games(5, judge))
        assert all(abs(rating.elo) < 1e-6 for rating in found.ratings)
        assert all(rating.error == pytest.approx(found.ratings[0].error) for rating in found.ratings)
        assert found.superiority(Contestant(0), Contestant(3)) == pytest.approx(0.5)


def test_sweeps_stay_finite_and_in_order() -> None:
    ratings = strengths(6, games(6, lower_wins)).ratings
    elos = [rating.elo for rating in ratings]
    assert elos == sorted(elos, reverse=True)
    assert all(math.isfinite(elo) and abs(elo) < 2000 for elo in elos)
    assert math.fsum(elos) == pytest.approx(0, abs=1e-6)
    assert elos == pytest.approx([-elo for elo in reversed(elos)]), "turned around it is the same"


def test_those_who_never_met_are_compared_through_others() -> None:
    """A beats B 3 to 1, B beats C 3 to 1: A is about twice as far from C."""
    theta = summit(3, [Meeting(0, 1, 400, 300.0), Meeting(1, 2, 400, 300.0)])
    assert theta[0] - theta[2] == pytest.approx(2 * math.log(3), rel=0.02)


def test_without_games_nobody_is_rated() -> None:
    found = strengths(3, ())
    assert [rating.elo for rating in found.ratings] == [0, 0, 0]
    assert found.superiority(Contestant(0), Contestant(1)) == 0.5


def test_superiority_is_antisymmetric_and_grows_with_the_distance() -> None:
    found = strengths(4, games(4, lambda fixture: DRAWN if fixture.game == 1 else lower_wins(fixture), each=4))
    one, two, three = (found.superiority(Contestant(0), Contestant(other)) for other in (1, 2, 3))
    assert 0.5 < one < two < three < 1
    assert found.superiority(Contestant(2), Contestant(0)) == pytest.approx(1 - two)


def test_more_games_make_smaller_errors() -> None:
    few, many = (strengths(4, games(4, chance(3), each)).ratings[0].error for each in (4, 64))
    assert many == pytest.approx(few / 4, rel=0.15)


def test_a_matrix_is_taken_apart_and_put_together() -> None:
    matrix = [[4.0, 2.0, -2.0], [2.0, 10.0, 2.0], [-2.0, 2.0, 6.0]]
    root = cholesky(matrix)
    assert root == [[2.0], [1.0, 3.0], [-1.0, 1.0, 2.0]]
    assert solve(root, [4.0, 14.0, 6.0]) == pytest.approx([1.0, 1.0, 1.0])


def test_the_spread_about_the_mean_of_two() -> None:
    """Curvature a·I + b·L of two: the difference has variance 2/(a+2b), each one's distance from the mean a quarter of it."""
    a, b = 0.25, 30.0
    root = cholesky([[a + b, -b], [-b, a + b]])
    assert spread(root) == pytest.approx([math.sqrt(2 / (a + 2 * b) / 4)] * 2)


def test_the_bars_hold_the_truth_nineteen_times_in_twenty() -> None:
    truth = [150.0, 60.0, 0.0, -40.0, -170.0]
    random = Random(8)
    fixtures = schedule(RoundRobin(games=20), 5).fixtures({})
    held = 0
    for _ in range(60):
        results = {}
        for fixture in fixtures:
            first, second = fixture.seats
            won = random.random() < expected(truth[first] - truth[second])
            results[fixture.number] = Result(fixture.number, WON if won else LOST)
        for rating in strengths(5, entries(fixtures, results)).ratings:
            held += abs(rating.elo - truth[rating.contestant]) <= rating.error
    assert 0.91 < held / 300 < 0.99


def test_a_game_that_both_lost_says_nothing() -> None:
    nothing = (Fraction(0), Fraction(0))
    assert [rating.elo for rating in strengths(2, games(2, lambda _: nothing)).ratings] == pytest.approx([0, 0])
