"""What a Swiss promises holds in every round, against an oracle that tries all pairings of small fields."""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.tournament.schedule import Contestant, Round, Schedule
from arbitre.tournament.swiss import Swiss, default_rounds
from tests.tournament.scripted import DRAWN, all_drawn, chance, lean, lower_wins, played, result, schedule

Pairs = tuple[tuple[int, int], ...]


def pairings(left: tuple[int, ...]) -> Iterator[Pairs]:
    """Return all ways to pair an even number of contestants."""
    if not left:
        yield ()
        return
    one, *rest = left
    for other in rest:
        for more in pairings(tuple(each for each in rest if each != other)):
            yield ((one, other), *more)


class History:
    """What the rounds so far say, counted independently of the pairing."""

    def __init__(self, size: int) -> None:
        self.met: dict[frozenset[int], int] = {}
        self.lean = dict.fromkeys(range(size), 0)
        self.byes = dict.fromkeys(range(size), 0)

    def add(self, each: Round) -> None:
        for pairing in each.draft.pairings:
            pair = frozenset((pairing.first, pairing.second))
            self.met[pair] = self.met.get(pair, 0) + 1
            self.lean[pairing.first] += pairing.games % 2
            self.lean[pairing.second] -= pairing.games % 2
        for idle in each.draft.byes:
            self.byes[idle] += 1

    def fresh_round_exists(self) -> bool:
        """Tell whether everybody can be paired without a rematch, a second bye or three seats too many."""
        everybody = tuple(self.lean)
        idlers = [one for one in everybody if self.byes[one] == min(self.byes.values())] if len(everybody) % 2 else [-1]
        return any(
            all(self.may_meet(*pair) for pair in pairs)
            for idle in idlers
            for pairs in pairings(tuple(one for one in everybody if one != idle))
        )

    def may_meet(self, one: int, other: int) -> bool:
        if frozenset((one, other)) in self.met:
            return False
        return not (self.lean[one] == self.lean[other] and abs(self.lean[one]) == 2)


def rematches(each: Round, history: History) -> list[frozenset[int]]:
    pairs = [frozenset((pairing.first, pairing.second)) for pairing in each.draft.pairings]
    return [pair for pair in pairs if pair in history.met]


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 8), st.integers(1, 9), st.integers(1, 2), st.integers(0, 2**32))
def test_nobody_plays_twice_while_that_can_be_avoided(size: int, rounds: int, games: int, seed: int) -> None:
    tournament = schedule(Swiss(games, rounds), size, seed)
    history = History(size)
    for each in tournament.rounds(played(tournament, chance(seed))):
        if rematches(each, history):
            assert not history.fresh_round_exists(), f"round {each.number} repeats a pairing without need"
        history.add(each)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 28), st.integers(0, 9), st.sampled_from((1, 1, 2, 3)), st.integers(0, 2**32))
def test_the_rules_that_always_hold(size: int, rounds: int, games: int, seed: int) -> None:
    tournament = schedule(Swiss(games, rounds), size, seed)
    results = played(tournament, chance(seed))
    everybody = set(tournament.field.contestants)
    history = History(size)
    made = tournament.rounds(results)
    assert len(made) == (rounds or default_rounds(size))
    for each in made:
        seated = [one for pairing in each.draft.pairings for one in (pairing.first, pairing.second)]
        assert len(seated) == size - size % 2
        assert set(seated) | set(each.draft.byes) == everybody
        assert len(each.draft.byes) == size % 2
        history.add(each)
        assert max(map(abs, history.lean.values())) <= 2
        assert max(history.byes.values()) - min(history.byes.values()) <= 1
    for one in everybody:
        assert lean(tournament.fixtures(results), one) == history.lean[one]


@pytest.mark.parametrize("size", [16, 31, 64])
def test_no_rematch_in_as_many_rounds_as_usual(size: int) -> None:
    tournament = schedule(Swiss(), size, 7)
    history = History(size)
    for each in tournament.rounds(played(tournament, chance(3))):
        assert rematches(each, history) == []
        history.add(each)


@pytest.mark.parametrize("size", [4, 5, 6, 8, 16, 33])
def test_the_strongest_wins_and_the_first_two_meet(size: int) -> None:
    tournament = schedule(Swiss(), size)
    results = played(tournament, lower_wins)
    met = {frozenset(fixture.seats) for fixture in tournament.fixtures(results)}
    assert frozenset((0, 1)) in met


def test_the_first_round_pairs_upper_against_lower_half() -> None:
    first = schedule(Swiss(), 8).rounds({})[0]
    assert [{pairing.first, pairing.second} for pairing in first.draft.pairings] == [{0, 4}, {1, 5}, {2, 6}, {3, 7}]
    begins = [pairing.first < 4 for pairing in first.draft.pairings]
    assert begins in ([True, False, True, False], [False, True, False, True])


def test_the_bye_goes_to_the_lowest_who_had_none() -> None:
    tournament = schedule(Swiss(rounds=5), 5)
    rounds = tournament.rounds(played(tournament, lower_wins))
    assert [each.draft.byes for each in rounds][:2] == [(4,), (3,)]
    assert sorted(each.draft.byes for each in rounds) == [(0,), (1,), (2,), (3,), (4,)]


def test_score_groups_stay_together() -> None:
    """Sixteen, the better one always wins: in round two winners meet winners, in round three there are 4, 8 and 4."""
    tournament = schedule(Swiss(), 16)
    results = played(tournament, lower_wins)
    points = dict.fromkeys(range(16), 0)
    for each in tournament.rounds(results)[:3]:
        for fixture in each.fixtures:
            assert points[fixture.seats[0]] == points[fixture.seats[1]]
        for fixture in each.fixtures:
            points[min(fixture.seats)] += 1


def test_an_all_drawn_tournament_keeps_its_seats_even() -> None:
    tournament = schedule(Swiss(rounds=6), 12)
    results = played(tournament, all_drawn)
    assert all(abs(lean(tournament.fixtures(results), one)) == 0 for one in tournament.field.contestants)


@pytest.mark.parametrize(("size", "rounds"), [(2, 1), (3, 3), (4, 3), (5, 4), (8, 4), (9, 5), (16, 5), (100, 8), (500, 10)])
def test_default_rounds(size: int, rounds: int) -> None:
    assert default_rounds(size) == rounds


def test_a_large_field_is_paired() -> None:
    """A hundred and one, with results that make awkward groups; a round of five hundred takes a blink more."""
    size = 101
    tournament = schedule(Swiss(rounds=6), size, 11)
    history = History(size)
    random = Random(11)
    strength = {Contestant(one): random.random() for one in range(size)}
    results = played(tournament, lambda fixture: lower_wins(fixture) if strength[fixture.seats[0]] < 0.7 else DRAWN)
    for each in tournament.rounds(results):
        assert rematches(each, history) == []
        history.add(each)


def test_one_round_of_five_hundred() -> None:
    tournament: Schedule = schedule(Swiss(rounds=2), 500)
    results = {fixture.number: result(fixture, lower_wins) for fixture in tournament.fixtures({})}
    second = tournament.rounds(results)[1]
    assert len(second.fixtures) == 250
    assert all((fixture.seats[0] < 250) == (fixture.seats[1] < 250) for fixture in second.fixtures)
