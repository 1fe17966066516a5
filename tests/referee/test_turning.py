"""Where a game turned follows from its record: the winner is not ahead before that move, and ahead from it on."""

import pytest

from arbitre.games.game import Seat
from arbitre.games.telling import telling_of
from arbitre.records.event import Kind
from arbitre.referee.story import Told, tell
from arbitre.referee.turning import turning
from tests.analysis.games import NODES, record


def leads(told: Told, seat: Seat) -> list[int]:
    """Return the lead of a seat at the start and after each moment, nothing where nothing is counted yet."""
    game = told.match.game
    scores = [
        telling_of(game).scores(game.view(one.truth, "referee"))
        for one in (told.start, *(moment.affairs for moment in told.moments))
    ]
    return [0 if one is None else one[seat] - one[1 - seat] for one in scores]


@pytest.mark.parametrize("name", NODES)
def test_the_winner_is_ahead_from_there_on(name: str) -> None:
    told = tell(record(name))
    found = turning(told)
    if found is None:
        verdict = told.last.verdict
        assert verdict is not None
        one, other = verdict.scores or (0, 0)
        assert one == other or leads(told, Seat(int(other > one)))[-1] <= 0
        return
    course = leads(told, found.seat)
    assert course[found.moment - 1] <= 0 < min(course[found.moment :])
    assert (found.before, found.after) == (course[found.moment - 1], course[found.moment])
    assert found.behind == (min(course[: found.moment]) < 0)
    assert told.moments[found.moment - 1].event.kind is Kind.SAID
    assert told.moments[found.moment - 1].event.turn == found.turn


def test_a_known_game_turned_with_its_last_move() -> None:
    found = turning(tell(record("reversi")))
    assert found is not None
    assert (found.turn, found.said, found.before, found.after, found.behind) == (60, "A6", -7, 4, True)


def test_where_several_move_at_once_no_single_move_is_named() -> None:
    found = turning(tell(record("rochambeau")))
    assert found is not None
    assert found.said == ""


def test_a_match_that_is_not_over_has_not_turned() -> None:
    told = tell(record("reversi"))
    assert turning(told._replace(moments=told.moments[:-20])) is None
