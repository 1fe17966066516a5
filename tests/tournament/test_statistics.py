"""Elo, error bars and likelihood of superiority: published values, symmetry, and how often the bars hold the truth."""

import math
from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.tournament.statistics import Sample, difference, elo_of, expected, sample, superiority

COUNTS = st.integers(0, 500)


def trinomial(wins: int, draws: int, losses: int) -> Sample:
    """Return the sample of single games."""
    return counted(1, (losses, draws, wins))


def pentanomial(counts: Sequence[int]) -> Sample:
    """Return the sample of pairs in which 0, ½, 1, 1½ and 2 points were made."""
    return counted(2, counts)


def counted(span: int, counts: Sequence[int]) -> Sample:
    return Sample(tuple((span, Fraction(halves, 2), count) for halves, count in enumerate(counts) if count))


@pytest.mark.parametrize(
    ("elo", "score"),
    [(0, 0.5), (100, 0.640065), (200, 0.759747), (400, 10 / 11), (-400, 1 / 11), (800, 100 / 101)],
)
def test_the_logistic_table(elo: float, score: float) -> None:
    assert expected(elo) == pytest.approx(score, abs=1e-6)
    assert elo_of(expected(elo)) == pytest.approx(elo, abs=1e-9)


@pytest.mark.parametrize(
    ("scores", "elo", "margin", "likelihood"),
    [
        pytest.param(trinomial(136, 111, 96), 40.70, 30.43, 0.996, id="published by an engine tester: single games"),
        pytest.param(pentanomial((34, 54, 63, 64, 75)), 55.58, 27.65, 1.0, id="published: pairs"),
        pytest.param(pentanomial((332, 433, 498, 333, 334)), -8.64, 10.33, 0.0505, id="published: pairs, slightly worse"),
        pytest.param(pentanomial((7895, 8757, 5685, 568, 9999)), -21.04, 2.95, 0.0, id="published: many pairs"),
        pytest.param(trinomial(60, 100, 40), 34.86, 34.16, 0.97725, id="by hand: 55 % of 200, LOS at two deviations"),
    ],
)
def test_known_values(scores: Sample, elo: float, margin: float, likelihood: float) -> None:
    found = difference(scores)
    assert found is not None
    assert found.elo == pytest.approx(elo, abs=0.01)
    assert found.margin == pytest.approx(margin, abs=0.01)
    assert superiority(scores) == pytest.approx(likelihood, abs=0.001)


def test_likelihood_of_superiority_counts_decisive_games_only() -> None:
    assert superiority(trinomial(9, 0, 4)) == pytest.approx(superiority(trinomial(9, 1000, 4)))
    assert superiority(trinomial(3, 5, 3)) == superiority(trinomial(0, 50, 0)) == superiority(trinomial(0, 0, 0)) == 0.5
    assert superiority(trinomial(1, 0, 0)) == pytest.approx(0.8413, abs=1e-4)


@given(COUNTS, COUNTS, COUNTS)
def test_sides_are_symmetric(wins: int, draws: int, losses: int) -> None:
    one, other = trinomial(wins, draws, losses), trinomial(losses, draws, wins)
    assert one.reversed() == other
    assert superiority(one) == pytest.approx(1 - superiority(other))
    mine, theirs = difference(one), difference(other)
    if mine is None or theirs is None:
        assert wins + draws + losses == 0
        return
    for a, b in ((mine.elo, theirs.elo), (mine.low, theirs.high), (mine.high, theirs.low)):
        assert a == pytest.approx(-b, abs=1e-6) or (math.isinf(a) and a == -b)
    assert mine.low <= mine.elo <= mine.high


def test_a_sweep_has_a_bound_on_one_side() -> None:
    """Ten wins of ten: a player who scores less than 0.025 to the power of 1/10 would do that less than once in forty times."""
    found = difference(trinomial(10, 0, 0))
    assert found is not None
    assert found.elo == found.high == math.inf
    assert found.low == pytest.approx(elo_of(0.025**0.1))
    drawn = difference(trinomial(0, 10, 0))
    assert drawn is not None
    assert drawn.elo == 0
    assert drawn.low == pytest.approx(-drawn.high)
    assert drawn.high > 50


def test_pairs_of_opposite_games_have_smaller_errors() -> None:
    """Where the first seat always wins, single games look noisy; the pairs show that nothing is in doubt."""
    games = [Fraction(1), Fraction(0)] * 50
    singly = sample([score] for score in games)
    paired = sample(games[at : at + 2] for at in range(0, 100, 2))
    assert singly.games == paired.games == 100
    assert singly.deviation(0.5) > 0.04
    assert paired.deviation(0.5) == 0


def test_mixed_units_are_one_sample() -> None:
    half = Fraction(1, 2)
    mixed = sample([[Fraction(1), half], [half], [Fraction(0)], []])
    assert mixed.games == 4
    assert mixed.mean == 0.5


@pytest.mark.parametrize(("true", "draws"), [(0.0, 0.0), (120.0, 0.3), (-60.0, 0.6)])
def test_the_bars_hold_the_truth_nineteen_times_in_twenty(true: float, draws: float) -> None:
    random = Random(f"{true}/{draws}")
    score = expected(true)
    held = 0
    for _ in range(600):
        thrown = random.choices((1, 0.5, 0), (score - draws / 2, draws, 1 - score - draws / 2), k=150)
        found = difference(trinomial(thrown.count(1), thrown.count(0.5), thrown.count(0)))
        assert found is not None
        held += found.low <= true <= found.high
    assert 0.925 < held / 600 < 0.975
