"""The bracket is the usual one, and every tie has a winner in the end."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.reasons import Reason
from arbitre.tournament.knockout import Bracket, Knockout, seed_order
from arbitre.tournament.schedule import Fixture, Result, Schedule, past_of
from tests.reasons import gives
from tests.tournament.scripted import DRAWN, WON, all_drawn, chance, lower_wins, played, schedule


def bracket(tournament: Schedule, results: dict[int, Result]) -> Bracket:
    assert isinstance(tournament.format, Knockout)
    return tournament.format.bracket(tournament.field, past_of(tournament.rounds(results), results))


def test_seeds_are_placed_as_usual() -> None:
    assert [seed + 1 for seed in seed_order(8)] == [1, 8, 4, 5, 2, 7, 3, 6]
    assert [seed + 1 for seed in seed_order(16)] == [1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11]


@pytest.mark.parametrize("size", range(2, 34))
def test_the_first_seeds_meet_as_late_as_possible(size: int) -> None:
    """If the better seed always wins, a stage of n ties is played by the first 2n seeds."""
    tournament = schedule(Knockout(), size)
    stages = bracket(tournament, played(tournament, lower_wins)).stages
    for left, stage in enumerate(reversed(stages)):
        in_it = {one for tie in stage.ties for one in (tie.one, tie.other)} | set(stage.byes)
        assert in_it == set(range(min(size, 2 << left)))
    full = 1 << (size - 1).bit_length()
    assert set(stages[0].byes) == set(range(full - size)), "byes go to the first seeds"


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 17), st.integers(1, 3), st.integers(0, 3), st.booleans(), st.integers(0, 2**32))
def test_every_knockout_ends(size: int, games: int, replays: int, third: bool, seed: int) -> None:
    tournament = schedule(Knockout(games, replays, third), size, seed)
    results = played(tournament, chance(seed))
    assert tournament.over(results)
    stages = bracket(tournament, results).stages
    lost: list[int] = []
    for stage in stages:
        for tie in stage.ties[:1] if stage.title == Reason("final") else stage.ties:
            assert tie.points is not None
            assert tie.winner in (tie.one, tie.other)
            assert tie.by_lot == (tie.points[0] == tie.points[1])
            if not tie.by_lot:
                assert tie.winner == (tie.one if tie.points[0] > tie.points[1] else tie.other)
            assert tie.loser is not None
            lost.append(tie.loser)
    assert len(lost) == len(set(lost)) == size - 1, "everybody but the winner is beaten once"
    for each in tournament.rounds(results):
        assert all(pairing.games == (2 if gives(each.draft.title, "replay") else games) for pairing in each.draft.pairings)


def test_a_drawn_tie_is_replayed_and_then_decided_by_lot() -> None:
    tournament = schedule(Knockout(games=2, replays=2), 2, seed=1)
    results = played(tournament, all_drawn)
    assert [each.draft.title for each in tournament.rounds(results)] == [
        Reason("final"),
        Reason("%(title)s, replay %(n)s", title=Reason("final"), n=1),
        Reason("%(title)s, replay %(n)s", title=Reason("final"), n=2),
    ]
    (tie,) = bracket(tournament, results).stages[0].ties
    assert tie.points == (Fraction(3), Fraction(3))
    assert tie.by_lot
    winners = {bracket(schedule(Knockout(), 2, seed), results).stages[0].ties[0].winner for seed in range(20)}
    assert winners == {0, 1}, "the seed decides, and not always for the same"


def test_only_drawn_ties_are_replayed() -> None:
    def judge(fixture: Fixture) -> tuple[Fraction, Fraction]:
        return DRAWN if set(fixture.seats) == {1, 2} and fixture.round == 1 else lower_wins(fixture)

    tournament = schedule(Knockout(games=1), 4)
    results = played(tournament, judge)
    rounds = tournament.rounds(results)
    assert [each.draft.title for each in rounds] == [
        Reason("semi-finals"),
        Reason("%(title)s, replay %(n)s", title=Reason("semi-finals"), n=1),
        Reason("final"),
    ]
    assert [set(fixture.seats) for fixture in rounds[1].fixtures] == [{1, 2}, {1, 2}]
    first = next(fixture for fixture in rounds[0].fixtures if 1 in fixture.seats)
    assert [fixture.seats for fixture in rounds[1].fixtures] == [first.seats[::-1], first.seats]


def test_the_third_place_is_played_beside_the_final() -> None:
    tournament = schedule(Knockout(games=1, third=True), 4)
    results = played(tournament, lower_wins)
    final = tournament.rounds(results)[-1]
    assert [set(fixture.seats) for fixture in final.fixtures] == [{0, 1}, {3, 2}]
    assert [tie.winner for tie in bracket(tournament, results).stages[-1].ties] == [0, 2]


def test_a_game_that_both_lose_decides_nothing() -> None:
    tournament = schedule(Knockout(games=2, replays=2), 2)
    results = played(tournament, lambda fixture: (Fraction(0), Fraction(0)) if fixture.round == 1 else lower_wins(fixture))
    (tie,) = bracket(tournament, results).stages[0].ties
    assert tie.points == (Fraction(2), Fraction(0))
    assert tie.winner == 0
    assert len(results) == 4


def test_a_bracket_on_its_way() -> None:
    tournament = schedule(Knockout(games=1), 4)
    before = bracket(tournament, {})
    assert [tie.points for tie in before.stages[0].ties] == [None, None]
    assert before.due is not None
    one = {1: Result(1, WON)}
    assert bracket(tournament, one) == before, "a stage is judged when all of it is played"
