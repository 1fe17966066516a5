"""The challengers meet all others, and nobody else meets anybody."""

import pytest

from arbitre.tournament.gauntlet import Gauntlet
from tests.tournament.scripted import lean, meetings, schedule


@pytest.mark.parametrize(("size", "challengers"), [(2, 1), (5, 1), (6, 1), (6, 2), (7, 3), (5, 4), (9, 6)])
@pytest.mark.parametrize(("games", "cycles"), [(1, 1), (2, 1), (1, 2), (3, 2)])
def test_challengers_meet_all_others(size: int, challengers: int, games: int, cycles: int) -> None:
    tournament = schedule(Gauntlet(games, cycles, challengers), size)
    fixtures = tournament.fixtures({})
    counts = meetings(fixtures)
    for one in range(size):
        for other in range(one + 1, size):
            met = sum(count for seats, count in counts.items() if set(seats) == {one, other})
            assert met == (games * cycles if one < challengers <= other else 0)
    for one in tournament.field.contestants:
        limit = 1 if games * cycles % 2 else 0
        assert abs(lean(fixtures, one)) <= limit
    for each in tournament.rounds({}):
        seated = [one for pairing in each.draft.pairings for one in (pairing.first, pairing.second)]
        assert len(seated) == len(set(seated))
