"""The sequential test: published ratios, its error rates, and that it stops at the same game whatever finished first."""

import math
from fractions import Fraction
from random import Random

import pytest

from arbitre.errors import TournamentError
from arbitre.reasons import Reason
from arbitre.tournament.gauntlet import Gauntlet
from arbitre.tournament.progress import progress
from arbitre.tournament.roundrobin import RoundRobin
from arbitre.tournament.schedule import Contestant, Fixture, Result
from arbitre.tournament.sprt import Decision, Sprt, trial
from arbitre.tournament.statistics import expected
from tests.reasons import raises
from tests.tournament.scripted import DRAWN, LOST, WON, schedule

Counts = dict[Fraction, int]


def singles(wins: int, draws: int, losses: int) -> Counts:
    return {Fraction(1): wins, Fraction(1, 2): draws, Fraction(0): losses}


def pairs(*counts: int) -> Counts:
    return {Fraction(halves, 2): count for halves, count in enumerate(counts)}


@pytest.mark.parametrize(
    ("elo0", "elo1", "one", "two", "ratio"),
    [
        pytest.param(0.5, 2.5, singles(21404, 40708, 21184), {}, -1.57, id="published: single games"),
        pytest.param(0, 2, singles(57433, 106593, 57030), {}, -2.59, id="published: more single games"),
        pytest.param(0.5, 2.5, {}, pairs(223, 9863, 21279, 10037, 246), -3.07, id="published: pairs"),
        pytest.param(0, 2, {}, pairs(871, 26175, 55983, 26678, 821), -4.98, id="published: more pairs"),
    ],
)
def test_published_ratios(elo0: float, elo1: float, one: Counts, two: Counts, ratio: float) -> None:
    assert Sprt(elo0, elo1).ratio(one, two) == pytest.approx(ratio, abs=0.01)


@pytest.mark.parametrize(("wins", "losses"), [(10, 5), (3, 30), (400, 380)])
def test_without_draws_it_is_the_ratio_of_two_coins(wins: int, losses: int) -> None:
    p0, p1 = expected(-20), expected(50)
    exact = wins * math.log(p1 / p0) + losses * math.log((1 - p1) / (1 - p0))
    assert Sprt(-20, 50).ratio(singles(wins, 0, losses), {}) == pytest.approx(exact, abs=0.02)


def test_bounds() -> None:
    sprt = Sprt(alpha=0.05, beta=0.05)
    assert sprt.upper == pytest.approx(2.944, abs=0.001)
    assert sprt.lower == pytest.approx(-2.944, abs=0.001)
    assert Sprt(alpha=0.01, beta=0.1).upper == pytest.approx(math.log(90))
    assert [sprt.decide(ratio) for ratio in (-3, 0, 3)] == [Decision.FIRST, Decision.CONTINUE, Decision.SECOND]


def test_nothing_played_says_nothing() -> None:
    assert Sprt().ratio({}, {}) == 0


def test_the_sides_are_symmetric() -> None:
    assert Sprt(-5, 15).ratio(singles(40, 30, 50), {}) == pytest.approx(-Sprt(-15, 5).ratio(singles(50, 30, 40), {}))


@pytest.mark.parametrize(("true", "wrong"), [(0.0, Decision.SECOND), (80.0, Decision.FIRST)])
def test_it_is_seldom_wrong(true: float, wrong: Decision) -> None:
    """At either claim the other is accepted at most about one time in ten, as alpha and beta say."""
    sprt = Sprt(0, 80, alpha=0.1, beta=0.1)
    random = Random(f"sprt/{true}")
    score = expected(true)
    errors = 0
    for _ in range(250):
        counts = singles(0, 0, 0)
        while True:
            thrown = random.choices((Fraction(1), Fraction(1, 2), Fraction(0)), (score - 0.15, 0.3, 0.85 - score), k=2)
            for one in thrown:
                counts[one] += 1
            decision = sprt.decide(sprt.ratio(counts, {}))
            if decision is not Decision.CONTINUE:
                break
        errors += decision is wrong
    assert 0.02 < errors / 250 < 0.15


def strong(fixture: Fixture) -> tuple[Fraction, Fraction]:
    """The first contestant wins three of four."""
    won = fixture.number % 4 != 0
    return WON if won == (fixture.seats[0] == 0) else LOST


def test_it_stops_at_the_same_game_whatever_finished_first() -> None:
    sprt = Sprt(0, 50)
    tournament = schedule(RoundRobin(games=400), 2)
    fixtures = tournament.fixtures({})
    straight = trial(sprt, Contestant(0), fixtures).advance({f.number: Result(f.number, strong(f)) for f in fixtures})
    assert straight.decision is Decision.SECOND
    last = max(straight.judged)
    assert last % 2 == 0, "whole pairs are judged"
    assert straight.judged == set(range(1, last + 1))

    random = Random(5)
    order = list(fixtures)
    for at in range(0, len(order), 8):
        window = order[at : at + 8]
        random.shuffle(window)
        order[at : at + 8] = window
    results: dict[int, Result] = {}
    test = trial(sprt, Contestant(0), fixtures)
    for fixture in order:
        results[fixture.number] = Result(fixture.number, strong(fixture))
        test = test.advance(results)
        now = progress(tournament, results, sprt)
        assert now.trial == test
        if now.over:
            break
    assert test == straight
    assert len(results) >= last
    assert [entry.fixture.number for entry in now.entries] == list(range(1, last + 1)), "what was played beyond does not count"
    assert now.due == ()


def test_a_gap_holds_the_test_up() -> None:
    tournament = schedule(RoundRobin(games=400), 2)
    results = {f.number: Result(f.number, strong(f)) for f in tournament.fixtures({}) if f.number != 3}
    now = progress(tournament, results, Sprt(0, 50))
    assert now.trial is not None
    assert now.trial.heard == 1
    assert [fixture.number for fixture in now.due] == [3]


def test_a_gauntlet_is_tested_against_everybody() -> None:
    tournament = schedule(Gauntlet(games=3), 4)
    results = {f.number: Result(f.number, DRAWN) for f in tournament.fixtures({})}
    now = progress(tournament, results, Sprt(0, 5))
    assert now.trial is not None
    assert now.trial.pairs == ((Fraction(1), 3),)
    assert now.trial.singles == ((Fraction(1, 2), 3),)
    assert now.over
    assert not now.trial.decided


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ((5, 5), "elo0 must be less"),
        ((0, 5000), "within ±2000"),
        ((0, 5, 0, 0.05), "alpha and beta"),
        ((0, 5, 0.05, 0.6), Reason("alpha and beta lie between 0 and 0.5, not", beta="0.6")),
    ],
)
def test_impossible_claims_say_why(options: tuple[float, ...], why: str | Reason) -> None:
    with raises(TournamentError, why):
        Sprt(*options)
