"""Rochambeau: Figure 1, scores, the race for points, the elimination."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.errors import IllegalMoveError, OptionError
from arbitre.games.game import FIRST, SECOND, Awaits, Outcome, Seat, playout
from arbitre.games.rochambeau.notation import NAMES
from arbitre.games.rochambeau.rules import MOST_STATES, PRESETS, Rochambeau, Sign, Standing, beats, scores
from arbitre.reasons import Reason
from tests.reasons import raises

FIGURE = {
    3: {"rock": {"scissors"}, "scissors": {"paper"}, "paper": {"rock"}},
    5: {
        "rock": {"scissors", "lizard"},
        "paper": {"rock", "spock"},
        "scissors": {"paper", "lizard"},
        "lizard": {"spock", "paper"},
        "spock": {"scissors", "rock"},
    },
}
"""Who beats whom, as everybody knows it."""

ROCK, SCISSORS, PAPER = map(Sign, range(3))


def seats(*numbers: int) -> frozenset[Seat]:
    return frozenset(map(Seat, numbers))


def rounds(game: Rochambeau, *shown: Sequence[int | None]) -> Standing:
    """Return the standing after these rounds, None for a seat that says nothing."""
    state = game.start()
    for signs in shown:
        phase = game.phase(state)
        assert isinstance(phase, Awaits)
        moves = {Seat(seat): Sign(sign) for seat, sign in enumerate(signs) if sign is not None}
        assert moves.keys() <= phase.seats
        for sign in moves.values():
            game.check(state, sign)
        state = game.play(state, moves)
    return state


@pytest.mark.parametrize("states", [3, 5])
def test_figure_1(states: int) -> None:
    names = NAMES[states]
    for one, winner in enumerate(names):
        assert {name for two, name in enumerate(names) if beats(Sign(one), Sign(two), states)} == FIGURE[states][winner]


@given(st.integers(1, 2**30 - 1), st.data())
def test_of_two_different_signs_one_beats_the_other(half: int, data: st.DataObject) -> None:
    states = 2 * half + 1
    one, two = (Sign(data.draw(st.integers(0, states - 1))) for _ in range(2))
    assert beats(one, two, states) + beats(two, one, states) == (one != two)


@pytest.mark.parametrize("states", [3, 5, 7, 17])
def test_each_sign_beats_half_of_the_others(states: int) -> None:
    for one in range(states):
        assert sum(beats(Sign(one), Sign(two), states) for two in range(states)) == states // 2


@pytest.mark.parametrize(
    ("shown", "due"),
    [
        pytest.param([0, 1, 2, 2, 16, 8], [-3, 3, -2, -2, 3, 1], id="the spec's scores for 17 signs"),
        pytest.param([2, 11, 7], [2, 0, -2], id="the spec's first vector"),
        pytest.param([15, 0, 4, 6, 16], [-2, -2, 0, 2, 2], id="the spec's second vector"),
        pytest.param([0, 1, 2], [0, 0, 0], id="rock, scissors, paper: a circle"),
        pytest.param([0, 0, 1], [1, 1, -2], id="two rocks and scissors"),
        pytest.param([5], [0], id="alone"),
        pytest.param([], [], id="nobody"),
    ],
)
def test_scores(shown: list[int], due: list[int]) -> None:
    assert list(scores([Sign(sign) for sign in shown])) == due


def counted(shown: list[Sign], states: int) -> tuple[int, ...]:
    """Score by looking at every pair."""
    return tuple(sum(beats(one, two, states) - beats(two, one, states) for two in shown) for one in shown)


@given(st.sampled_from([3, 5, 17, 101, MOST_STATES]), st.data())
def test_scores_are_those_counted_pair_by_pair(states: int, data: st.DataObject) -> None:
    shown = data.draw(st.lists(st.integers(0, states - 1).map(Sign), max_size=30))
    assert scores(shown) == counted(shown, states)


def test_a_thousand_players_are_scored_like_a_few() -> None:
    random = Random(3)
    shown = [Sign(random.randrange(17)) for _ in range(1_000)]
    assert scores(shown) == counted(shown, 17)


def test_all_are_asked_at_once_round_by_round() -> None:
    game = Rochambeau(players=3)
    assert game.phase(game.start()) == Awaits(seats(0, 1, 2), 1)
    assert game.phase(rounds(game, (0, 0, 0), (0, 1, 2))) == Awaits(seats(0, 1, 2), 3)


@pytest.mark.parametrize(
    ("shown", "points"),
    [
        pytest.param((ROCK, SCISSORS), (1, 0), id="rock beats scissors"),
        pytest.param((ROCK, PAPER), (0, 1), id="paper beats rock"),
        pytest.param((PAPER, SCISSORS), (0, 1), id="scissors beat paper"),
        pytest.param((PAPER, PAPER), (0, 0), id="equal"),
        pytest.param((ROCK, SCISSORS, SCISSORS), (1, 0, 0), id="one beats two"),
        pytest.param((ROCK, ROCK, SCISSORS), (0, 0, 0), id="two share the best score"),
        pytest.param((ROCK, SCISSORS, PAPER), (0, 0, 0), id="a circle"),
        pytest.param((ROCK, SCISSORS, SCISSORS, PAPER), (1, 0, 0, 0), id="the best of a circle with a double"),
    ],
)
def test_the_one_best_of_a_round_gains_a_point(shown: tuple[Sign, ...], points: tuple[int, ...]) -> None:
    state = rounds(Rochambeau(players=len(shown)), shown)
    assert state.points == points
    assert state.shown == shown
    assert state.inside == seats(*range(len(shown)))


def test_first_to_the_goal_wins() -> None:
    game = Rochambeau()
    match_point = rounds(game, *[(ROCK, SCISSORS)] * 4, *[(ROCK, PAPER)] * 4)
    assert game.phase(match_point) == Awaits(seats(0, 1), 9)
    end = game.phase(game.play(match_point, {FIRST: PAPER, SECOND: SCISSORS}))
    assert end == Outcome((Fraction(0), Fraction(1)), Reason("goal-reached", goal=5), (4, 5))


def test_the_limit_ends_a_race_and_leaders_share() -> None:
    two = Rochambeau(limit=3)
    end = two.phase(rounds(two, (ROCK, SCISSORS), (ROCK, ROCK), (ROCK, ROCK)))
    assert end == Outcome((Fraction(1), Fraction(0)), Reason("most-points", rounds=3), (1, 0))
    three = Rochambeau(players=3, limit=2)
    tied = three.phase(rounds(three, (0, 1, 1), (1, 0, 1)))
    assert tied == Outcome((Fraction(1, 2), Fraction(1, 2), Fraction(0)), Reason("most-points", rounds=2), (1, 1, 0))
    nothing = three.phase(rounds(three, (0, 0, 0), (0, 0, 0)))
    assert isinstance(nothing, Outcome)
    assert nothing.scores == (Fraction(1, 3),) * 3


def test_a_silent_seat_forfeits_a_race_but_is_heard_in_an_elimination() -> None:
    for goal, silence in ((5, "forfeits"), (0, "is heard")):
        game = Rochambeau(goal=goal)
        phase = game.phase(game.start())
        assert isinstance(phase, Awaits)
        assert phase.silence == silence


def test_the_best_stay_and_play_again() -> None:
    game = Rochambeau(states=17, players=6, goal=0)
    after = rounds(game, (0, 1, 2, 2, 16, 8))
    assert game.phase(after) == Awaits(seats(1, 4), 2, "is heard")
    tie = rounds(game, (0, 1, 2, 2, 16, 8), (None, 3, None, None, 3, None))
    assert game.phase(tie) == Awaits(seats(1, 4), 3, "is heard")
    end = game.phase(game.play(tie, {Seat(1): Sign(4), Seat(4): Sign(5)}))
    assert end == Outcome((Fraction(0), Fraction(1), *[Fraction(0)] * 4), Reason("last-left"))


@pytest.mark.parametrize(
    ("shown", "inside"),
    [
        pytest.param([(0, None, 1, 1)], (0,), id="silence puts out, the rest are scored among themselves"),
        pytest.param([(None, 0, 0, 0)], (1, 2, 3), id="the others tie and go on"),
        pytest.param([(None, None, 2, None)], (2,), id="the only one who speaks wins"),
        pytest.param([(None, None, None, None)], (), id="nobody speaks"),
        pytest.param([(0, 0, 1, 1), (None, None, None, None)], (), id="the last two fall silent"),
        pytest.param([(0, 0, 1, 1), (2, None, None, None)], (0,), id="one of the last two falls silent"),
    ],
)
def test_silent_seats_are_excluded(shown: list[tuple[int | None, ...]], inside: tuple[int, ...]) -> None:
    game = Rochambeau(players=4, goal=0)
    assert rounds(game, *shown).inside == seats(*inside)


def test_nobody_left_is_nobody_s_win() -> None:
    game = Rochambeau(players=4, goal=0)
    end = game.phase(rounds(game, (0, 0, 1, 1), (None,) * 4))
    assert end == Outcome((Fraction(1, 4),) * 4, Reason("nobody-left"))


def test_an_elimination_is_void_after_255_rounds() -> None:
    game = Rochambeau(players=3, goal=0)
    draw = (0, 0, None)
    state = rounds(game, (0, 0, 1), *[draw] * 253)
    assert game.phase(state) == Awaits(seats(0, 1), 255, "is heard")
    end = game.phase(game.play(state, {FIRST: ROCK, SECOND: ROCK}))
    assert end == Outcome((Fraction(1, 2), Fraction(1, 2), Fraction(0)), Reason("several-left", count=2, rounds=255))


def test_a_smaller_limit_ends_an_elimination_earlier() -> None:
    game = Rochambeau(goal=0, limit=2)
    assert isinstance(game.phase(rounds(game, (0, 0), (1, 1))), Outcome)


def test_signs_are_listed_lazily_and_checked_by_range() -> None:
    game = Rochambeau(**PRESETS["draft"])
    state = game.start()
    assert list(islice(game.legal(state), 3)) == [0, 1, 2]
    game.check(state, Sign(MOST_STATES - 1))
    for sign in (-1, MOST_STATES):
        with raises(IllegalMoveError, "no-sign", last=2147483646):
            game.check(state, Sign(sign))


def test_nobody_plays_after_the_end() -> None:
    game = Rochambeau(goal=1)
    over = rounds(game, (ROCK, SCISSORS))
    assert list(game.legal(over)) == []
    with raises(IllegalMoveError, "game-over"):
        game.check(over, ROCK)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("players", [2, 5])
def test_presets_are_games_that_end(name: str, players: int) -> None:
    game = Rochambeau(players=players, **PRESETS[name])
    *_, last = playout(game, Random(7))
    end = game.phase(last.after)
    assert isinstance(end, Outcome)
    assert sum(end.scores) == 1


def test_the_default_is_tournoyons() -> None:
    assert Rochambeau(**PRESETS["tournoyons"]) == Rochambeau()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"states": 1}, Reason("%(option)s is from %(least)s to %(most)s, not", name="rochambeau", option="states", least=3)),
        ({"states": 4}, Reason("each sign beats half of the others", states=4)),
        (
            {"states": 2**31 + 1},
            Reason("%(option)s is from %(least)s to %(most)s, not", name="rochambeau", option="states", least=3, most=2147483647),
        ),
        (
            {"players": 1},
            Reason("%(option)s is from %(least)s to %(most)s, not", name="rochambeau", option="players", least=2, most=1000),
        ),
        (
            {"players": 1_001},
            Reason("%(option)s is from %(least)s to %(most)s, not", name="rochambeau", option="players", least=2, most=1000),
        ),
        ({"goal": -1}, Reason("%(option)s is from %(least)s to %(most)s, not", name="rochambeau", option="goal", least=0)),
        ({"limit": 0}, Reason("%(option)s is from %(least)s to %(most)s, not", name="rochambeau", option="limit", least=1)),
        (
            {"limit": 10_001},
            Reason("%(option)s is from %(least)s to %(most)s, not", name="rochambeau", option="limit", least=1, most=10000),
        ),
    ],
)
def test_options_have_limits(options: dict[str, int], why: str | Reason) -> None:
    with raises(OptionError, why):
        Rochambeau(**options)
