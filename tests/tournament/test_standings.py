"""Standings: ties broken as documented, faults counted against the right one, and two tournaments worked out by hand."""

from fractions import Fraction

import pytest

from arbitre.errors import TournamentError
from arbitre.reasons import Reason
from arbitre.referee.verdict import Termination
from arbitre.tournament.faults import FAULTS
from arbitre.tournament.gauntlet import Gauntlet
from arbitre.tournament.knockout import Knockout
from arbitre.tournament.progress import progress
from arbitre.tournament.roundrobin import RoundRobin
from arbitre.tournament.schedule import Fixture, Result, Schedule
from arbitre.tournament.standings import Standings, standings
from arbitre.tournament.swiss import Swiss
from tests.reasons import raises
from tests.tournament.scripted import DRAWN, LOST, WON, Judge, all_drawn, lower_wins, played, schedule

HALF = Fraction(1, 2)


def of(tournament: Schedule, judge: Judge) -> Standings:
    return standings(tournament, progress(tournament, played(tournament, judge)))


def lines(table: Standings) -> list[str]:
    """Return rank, number, points, won-drawn-lost, byes, and what else it is sorted by."""
    return [
        f"{row.rank} {row.name.removeprefix('player ')} {float(row.points):g} {row.wins}-{row.draws}-{row.losses} {row.byes} "
        + (row.reached.code if row.reached else " ".join("-" if key is None else f"{float(key):g}" for key in row.keys[1:]))
        for row in table.rows
    ]


def script(fixture: Fixture) -> tuple[Fraction, Fraction]:
    """The lower number wins, but neighbours draw."""
    first, second = fixture.seats
    return DRAWN if abs(first - second) == 1 else lower_wins(fixture)


def test_a_swiss_of_nine_by_hand() -> None:
    """Checked pairing by pairing on paper; sorted by points, then Buchholz without the weakest, Buchholz, Sonneborn-Berger."""
    tournament = schedule(Swiss(), 9)
    results = played(tournament, script)
    tables = [
        " ".join(f"{fixture.seats[0] + 1}-{fixture.seats[1] + 1}" for fixture in each.fixtures) + f" ({each.draft.byes[0] + 1})"
        for each in tournament.rounds(results)
    ]
    assert tables == [
        "1-5 6-2 3-7 8-4 (9)",
        "2-1 4-3 5-9 7-6 (8)",
        "1-3 4-2 5-8 9-6 (7)",
        "2-5 1-4 3-8 7-9 (6)",
        "6-1 3-2 5-7 8-9 (4)",
    ]
    assert lines(standings(tournament, progress(tournament, results))) == [
        "1 1 4.5 4-1-0 0 12.5 15 13 - 4",
        "2 2 4 3-2-0 0 13 15.5 11.75 - 3",
        "3 3 3 2-2-1 0 13.5 15 7.25 - 2",
        "4 5 3 3-0-2 0 12.5 14 5.5 - 3",
        "5 4 2.5 1-1-2 1 13 13 3 - 1",
        "6 6 2.5 1-1-2 1 12.5 12.5 2.75 - 1",
        "7 7 2.5 1-1-2 1 10 10 2.75 - 1",
        "8 8 1.5 0-1-3 1 10 10 0.75 - 0",
        "9 9 1.5 0-1-3 1 9.5 9.5 0.75 - 0",
    ]


def test_a_knockout_of_six_by_hand() -> None:
    """4 and 5 draw, and a lot takes 5; 2 and 3 draw, and a lot takes 3; 2 wins the third place."""
    tournament = schedule(Knockout(games=2, replays=1, third=True), 6)
    results = played(tournament, script)
    assert [(each.draft.title, len(each.fixtures)) for each in tournament.rounds(results)] == [
        (Reason("quarter-finals"), 4),
        (Reason("%(title)s, replay %(n)s", title=Reason("quarter-finals"), n=1), 2),
        (Reason("semi-finals"), 4),
        (Reason("%(title)s, replay %(n)s", title=Reason("semi-finals"), n=1), 2),
        (Reason("final"), 4),
    ]
    assert lines(standings(tournament, progress(tournament, results))) == [
        "1 1 4 4-0-0 1 winner",
        "2 3 4 2-4-2 0 final",
        "3 2 4 2-4-0 1 third",
        "4 5 2 0-4-4 0 fourth",
        "5 4 2 0-4-0 0 quarter-finals",
        "5 6 0 0-0-2 0 quarter-finals",
    ]


def test_a_circle_of_three_is_not_broken_by_direct_encounter() -> None:
    """1, 2 and 4 beat 3 and each other in turn: they are tied in everything, and share the first place."""
    won = {(1, 0), (0, 2), (0, 3), (1, 2), (3, 1), (3, 2)}
    table = of(schedule(RoundRobin(), 4), lambda fixture: WON if fixture.seats in won else LOST)
    assert table.rows[-1].name == "player 3"
    assert {row.points for row in table.rows[:3]} == {2}
    assert [row.keys[1] for row in table.rows] == [1, 1, 1, None], "a circle of three decides nothing"
    assert [row.keys[2] for row in table.rows[:3]] == [2, 2, 2]
    assert [row.rank for row in table.rows] == [1, 1, 1, 4]


def test_direct_encounter_of_two() -> None:
    won = {(1, 0), (0, 2), (0, 3), (1, 2), (3, 1)}
    table = of(schedule(RoundRobin(), 4), lambda f: WON if f.seats in won else LOST if f.seats[::-1] in won else DRAWN)
    assert [row.name for row in table.rows[:2]] == ["player 2", "player 1"]
    assert [row.keys[0] for row in table.rows[:2]] == [2, 2]
    assert [row.keys[1] for row in table.rows[:2]] == [1, 0]


def test_sonneborn_berger_by_hand() -> None:
    """1 and 2 drew each other; 1 beat 3 and lost to 4, 2 beat 4 and lost to 3; 3 beat 4: so 3 has two points, 4 has one.

    1: ½·1½ + 2 + 0 = 2¾; 2: ½·1½ + 1 + 0 = 1¾.
    """
    won = {(0, 2), (3, 0), (1, 3), (2, 1), (2, 3)}
    table = of(schedule(RoundRobin(), 4), lambda f: WON if f.seats in won else LOST if f.seats[::-1] in won else DRAWN)
    assert [(row.name, row.points) for row in table.rows] == [
        ("player 3", 2),
        ("player 1", 3 * HALF),
        ("player 2", 3 * HALF),
        ("player 4", 1),
    ]
    assert [row.keys[2] for row in table.rows[1:3]] == [Fraction(11, 4), Fraction(7, 4)]


def test_equals_share_a_rank_and_a_lot_lists_them() -> None:
    orders = set()
    for seed in range(12):
        table = of(schedule(RoundRobin(), 4, seed), all_drawn)
        assert [row.rank for row in table.rows] == [1, 1, 1, 1]
        orders.add(table.ranking)
    assert len(orders) > 4


def test_a_gauntlet_is_sorted_by_rate() -> None:
    table = of(schedule(Gauntlet(games=2), 4), lambda f: DRAWN if 1 in f.seats else lower_wins(f))
    assert [(row.name, row.keys[0]) for row in table.rows[:2]] == [("player 1", Fraction(5, 6)), ("player 2", HALF)]


def test_a_bye_is_worth_a_won_pairing_in_a_swiss_only() -> None:
    swiss = of(schedule(Swiss(games=2, rounds=3), 3), all_drawn)
    assert [(float(row.points), row.games, row.byes) for row in swiss.rows] == [(4, 4, 1)] * 3
    robin = of(schedule(RoundRobin(games=2), 3), all_drawn)
    assert [(float(row.points), row.games, row.byes) for row in robin.rows] == [(2, 4, 1)] * 3


def test_the_cross_table_is_the_games() -> None:
    table = of(schedule(RoundRobin(games=2), 5), script)
    for at, row in enumerate(table.rows):
        cells = [cell for cell in table.cells[at] if cell is not None]
        assert table.cells[at][at] is None
        assert sum(cell.points for cell in cells) == row.points
        assert sum(cell.games for cell in cells) == row.games
        for across in range(5):
            mine, theirs = table.cells[at][across], table.cells[across][at]
            if mine is not None and theirs is not None:
                assert mine.points + theirs.points == mine.games == theirs.games


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_the_losers(fault: Termination) -> None:
    tournament = schedule(RoundRobin(games=2), 2)
    first = tournament.fixtures({})[0].seats[0]
    both = Result(2, (Fraction(0), Fraction(0)), fault, Reason("quoted", text="neither came"))
    table = standings(tournament, progress(tournament, {1: Result(1, LOST, fault, Reason("no-answer")), 2: both}))
    faults = {row.contestant: row.faults[FAULTS.index(fault)] for row in table.rows}
    assert faults[first] == 2
    assert sum(faults.values()) == 3
    assert {row.contestant: (row.wins, row.losses) for row in table.rows}[first] == (0, 2)
    assert sum(row.points for row in table.rows) == 1


def test_play_is_no_fault() -> None:
    tournament = schedule(RoundRobin(), 2)
    for end in (Termination.RULES, Termination.RESIGNED, Termination.ADJUDICATED):
        table = standings(tournament, progress(tournament, {1: Result(1, LOST, end)}))
        assert all(sum(row.faults) == 0 for row in table.rows)


def test_unfinished_rounds_count_as_far_as_they_are_played() -> None:
    tournament = schedule(Swiss(), 8)
    table = standings(tournament, progress(tournament, {2: Result(2, WON)}))
    assert sum(row.games for row in table.rows) == 2
    assert table.rows[0].points == 1


def test_a_knockout_on_its_way() -> None:
    tournament = schedule(Knockout(games=1), 4)
    rows = standings(tournament, progress(tournament, {})).rows
    assert {row.rank for row in rows} == {1}
    after = {fixture.number: Result(fixture.number, lower_wins(fixture)) for fixture in tournament.fixtures({})}
    rows = standings(tournament, progress(tournament, after)).rows
    assert [(row.rank, row.reached) for row in rows] == [
        (1, Reason("final")),
        (1, Reason("final")),
        (3, Reason("semi-finals")),
        (3, Reason("semi-finals")),
    ]


def test_a_score_lies_between_loss_and_win() -> None:
    tournament = schedule(RoundRobin(), 2)
    with raises(TournamentError, "a score is 0 to 1, not", number=1):
        progress(tournament, {1: Result(1, (Fraction(2), Fraction(-1)))})
