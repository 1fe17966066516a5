"""A schedule depends on the results alone: not on their order, not on interruptions."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.errors import TournamentError
from arbitre.reasons import Reason
from arbitre.referee.verdict import Termination, Verdict
from arbitre.tournament.gauntlet import Gauntlet
from arbitre.tournament.knockout import Knockout
from arbitre.tournament.progress import progress
from arbitre.tournament.rating import ladder
from arbitre.tournament.roundrobin import RoundRobin
from arbitre.tournament.schedule import Field, Format, Result, Schedule, result_of
from arbitre.tournament.standings import standings
from arbitre.tournament.swiss import Swiss
from tests.reasons import raises
from tests.tournament.scripted import WON, abandoned, chance, field, lower_wins, played, result, schedule

FORMATS: list[Format] = [
    RoundRobin(),
    RoundRobin(games=2),
    RoundRobin(games=3, cycles=2),
    Gauntlet(games=3),
    Gauntlet(games=2, challengers=2),
    Swiss(),
    Swiss(games=2, rounds=4),
    Knockout(),
    Knockout(games=1, replays=1, third=True),
]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FORMATS), st.integers(3, 9), st.integers(0, 2**32), st.integers(1, 5))
def test_any_order_of_arrival_gives_the_same_tournament(format: Format, size: int, seed: int, starts: int) -> None:  # noqa: A002
    tournament = schedule(format, size, seed, starts)
    judge = chance(seed)
    whole = played(tournament, judge)
    random = Random(seed)
    results: dict[int, Result] = {}
    known: tuple[object, ...] = ()
    while not tournament.over(results):
        fixtures = tournament.fixtures(results)
        assert fixtures[: len(known)] == known, "what is paired stays paired"
        known = fixtures
        fixture = random.choice(tournament.due(results))
        results[fixture.number] = abandoned(fixture) if random.random() < 0.1 else result(fixture, judge)
    assert results == whole
    assert tournament.rounds(results) == tournament.rounds(whole)
    one, other = progress(tournament, results), progress(tournament, dict(sorted(whole.items())))
    assert one == other
    assert standings(tournament, one) == standings(tournament, other)
    assert ladder(tournament.fixtures(results), results) == ladder(tournament.fixtures(whole), whole)


@pytest.mark.parametrize("format", FORMATS, ids=repr)
@pytest.mark.parametrize("size", [3, 4, 7, 12])
def test_fixtures_are_numbered_in_order(format: Format, size: int) -> None:  # noqa: A002
    tournament = schedule(format, size, 5, starts=3)
    rounds = tournament.rounds(played(tournament, chance(size)))
    fixtures = [fixture for each in rounds for fixture in each.fixtures]
    assert [fixture.number for fixture in fixtures] == list(range(1, len(fixtures) + 1))
    assert [each.number for each in rounds] == list(range(1, len(rounds) + 1))
    for each in rounds:
        tables = [(fixture.table, fixture.game) for fixture in each.fixtures]
        assert tables == sorted(tables)
        assert {fixture.round for fixture in each.fixtures} <= {each.number}
        seated = [one for pairing in each.draft.pairings for one in (pairing.first, pairing.second)]
        assert len(set(seated) | set(each.draft.byes)) == len(seated) + len(each.draft.byes), "nobody is in two places"


@pytest.mark.parametrize("format", FORMATS, ids=repr)
def test_games_of_a_pairing_alternate_and_share_starts_by_twos(format: Format) -> None:  # noqa: A002
    tournament = schedule(format, 6, 1, starts=100)
    met: dict[frozenset[int], list[tuple[tuple[int, int], int]]] = {}
    for fixture in tournament.fixtures(played(tournament, chance(1))):
        met.setdefault(frozenset(fixture.seats), []).append((fixture.seats, fixture.start))
    for games in met.values():
        if isinstance(format, Swiss):
            games = games[: format.games]  # noqa: PLW2901 - a rematch begins anew
        for (seats, start), (next_seats, next_start) in zip(games[::2], games[1::2], strict=False):
            assert next_seats == seats[::-1]
            assert next_start == start


def test_start_positions_are_used_in_turn() -> None:
    fixtures = schedule(RoundRobin(games=4), 3, starts=5).fixtures({})
    assert [fixture.start for fixture in fixtures] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 0]


def test_a_result_of_another_tournament_is_refused() -> None:
    tournament = schedule(Swiss(), 8)
    with raises(TournamentError, "but only games 1 to", stranger=5, known=4):
        tournament.rounds({5: Result(5, WON)})


def test_a_result_needs_two_scores() -> None:
    tournament = schedule(RoundRobin(), 2)
    with raises(TournamentError, "a result has two scores, not", number=1):
        tournament.rounds({1: Result(1, (Fraction(1),))})


def test_an_abandoned_match_is_due_again() -> None:
    tournament = schedule(RoundRobin(), 2)
    (fixture,) = tournament.due({})
    assert tournament.due({1: abandoned(fixture)}) == (fixture,)
    assert not tournament.over({1: abandoned(fixture)})
    assert tournament.over({1: result(fixture, lower_wins)})


def test_a_verdict_is_a_result() -> None:
    verdict = Verdict(WON, Termination.OUT_OF_TIME, Reason("no-answer"))
    assert result_of(3, verdict) == Result(3, WON, Termination.OUT_OF_TIME, Reason("no-answer"))


def test_each_match_and_each_attempt_has_its_own_secret() -> None:
    tournament = schedule(RoundRobin(), 4)
    secrets = {tournament.secret(number, attempt) for number in range(1, 100) for attempt in (1, 2, 3)}
    assert len(secrets) == 99 * 3
    assert tournament.secret(1) == schedule(Knockout(), 8).secret(1), "it follows from the seed and the number alone"


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Field(("one",), b""), Reason("a tournament has 2 to", most_contestants=2000, names=1)),
        (lambda: Field(("one", "two", "one"), b""), Reason("two contestants are called %(twice)r", twice="one")),
        (lambda: Field(("one", "two"), b"", 0), "at least one start position"),
        (
            lambda: RoundRobin(games=0),
            Reason("key %(what)r: a number from %(least)s to %(most)s, not %(number)s", what="games", least=1),
        ),
        (
            lambda: RoundRobin(cycles=0),
            Reason("key %(what)r: a number from %(least)s to %(most)s, not %(number)s", what="cycles", least=1),
        ),
        (
            lambda: Swiss(rounds=-1),
            Reason("key %(what)r: a number from %(least)s to %(most)s, not %(number)s", what="rounds", least=0),
        ),
        (
            lambda: Knockout(replays=101),
            Reason("key %(what)r: a number from %(least)s to %(most)s, not %(number)s", what="replays", least=0, most=100),
        ),
        (
            lambda: Schedule(Gauntlet(challengers=3), field(3)),
            Reason("contestants leave nobody to challenge", challengers=3, size=3),
        ),
        (lambda: Schedule(RoundRobin(games=1_000_000), field(3)), Reason("games; a tournament has at most", games=3000000)),
    ],
)
def test_impossible_plans_say_why(make: object, why: str | Reason) -> None:
    assert callable(make)
    with raises(TournamentError, why):
        make()


def test_a_drawn_seeding_is_a_fixed_order_of_everybody() -> None:
    drawn = Field(tuple("abcdefgh"), b"seed", seeding="lot")
    assert sorted(drawn.ranking) == list(range(8))
    assert drawn.ranking == Field(tuple("abcdefgh"), b"seed", seeding="lot").ranking
    assert drawn.ranking != Field(tuple("abcdefgh"), b"other", seeding="lot").ranking
