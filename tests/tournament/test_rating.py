"""Running ratings are applied in the order of creation, whatever finishes first."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.errors import TournamentError
from arbitre.tournament.ledger import Entry, entries
from arbitre.tournament.rating import FIRST_RATING, Ladder, ladder
from arbitre.tournament.roundrobin import RoundRobin
from arbitre.tournament.schedule import Contestant, Result
from tests.reasons import raises
from tests.tournament.scripted import DRAWN, WON, chance, played, schedule


def season(seed: int) -> tuple[Entry, ...]:
    tournament = schedule(RoundRobin(games=4), 5)
    return entries(tournament.fixtures({}), played(tournament, chance(seed)))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 50), st.integers(0, 2**32))
def test_any_order_of_arrival_gives_the_same_ratings(seed: int, order: int) -> None:
    games = season(seed)
    straight = Ladder({})
    for entry in games:
        straight = straight.hear(entry.fixture.number, entry)
    shuffled = list(games)
    Random(order).shuffle(shuffled)
    other = Ladder({})
    for entry in shuffled:
        other = other.hear(entry.fixture.number, entry)
    assert other == straight
    assert straight.waiting is None
    assert straight.next == len(games) + 1


def test_an_early_game_waits() -> None:
    one, two, *_ = season(1)
    waiting = Ladder({}).hear(2, two)
    assert waiting.of(Contestant(0)).rating == FIRST_RATING
    assert waiting.hear(1, one) == Ladder({}).hear(1, one).hear(2, two)


def test_a_game_without_result_is_passed_over() -> None:
    _, two, *_ = season(1)
    passed = Ladder({}).hear(2, two).hear(1, None)
    assert passed.next == 3
    assert sum(standing.games for standing in passed.standings.values()) == 2


def test_a_game_is_rated_once() -> None:
    one, two, *_ = season(1)
    with raises(TournamentError, "game %(number)s was rated already", number=1):
        Ladder({}).hear(1, one).hear(1, one)
    with raises(TournamentError, "game %(number)s was rated already", number=2):
        Ladder({}).hear(2, two).hear(2, two)


def test_by_hand() -> None:
    """1500 against 1500: a win moves both by half of 40; then 1520 against 1480 is expected to score 0.557312, and draws."""
    tournament = schedule(RoundRobin(games=2), 2)
    fixtures = tournament.fixtures({})
    winner, loser = fixtures[0].seats
    climbed = ladder(fixtures, {1: Result(1, WON)})
    assert (climbed.of(winner).rating, climbed.of(loser).rating) == (1520, 1480)
    climbed = ladder(fixtures, {1: Result(1, WON), 2: Result(2, DRAWN)})
    assert climbed.of(winner).rating == pytest.approx(1520 - 40 * 0.057312, abs=1e-4)
    assert climbed.of(winner).rating + climbed.of(loser).rating == pytest.approx(3000)


def test_a_gap_stops_the_ratings_of_a_tournament() -> None:
    tournament = schedule(RoundRobin(games=4), 2)
    fixtures = tournament.fixtures({})
    some = ladder(fixtures, {1: Result(1, WON), 3: Result(3, WON), 4: Result(4, WON)})
    assert some.next == 2
    assert some.of(fixtures[0].seats[0]).games == 1
