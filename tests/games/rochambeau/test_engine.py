"""The Rochambeau players find a pattern where there is one."""

from random import Random

import pytest

from arbitre.bot import Bot, Position
from arbitre.games.game import FIRST, SECOND
from arbitre.games.notation import notation_of
from arbitre.games.rochambeau.engine import Amateur, Master, Watcher, expected, reply
from arbitre.games.rochambeau.rules import Rochambeau, Sign, beats
from arbitre.reasons import Reason
from tests.games.arena import contest


def signs(*numbers: int) -> list[tuple[Sign | None, ...]]:
    """Return rounds of two players who show the digits of these numbers."""
    return [(Sign(number // 10), Sign(number % 10)) for number in numbers]


@pytest.mark.parametrize(
    ("past", "both", "length", "sign"),
    [
        (signs(), False, 0, None),
        (signs(12, 1), False, 0, 0),
        (signs(12, 11, 2), True, 1, None),
        (signs(12, 11, 2, 12), True, 1, 1),
        (signs(10, 20, 11, 12, 10, 21), False, 2, 1),
    ],
    ids=["nothing is known", "the last again", "never seen", "after the same", "after the same two"],
)
def test_what_followed_is_expected(past: list[tuple[Sign | None, ...]], both: bool, length: int, sign: int | None) -> None:
    assert expected(past, FIRST, SECOND if both else None, length) == sign


@pytest.mark.parametrize("states", [3, 5, 7, 2**31 - 1])
def test_a_reply_beats_what_it_replies_to(states: int) -> None:
    for sign in (Sign(0), Sign(1), Sign(states - 1)):
        answer = reply([sign], states)
        assert answer is not None
        assert beats(answer, sign, states)
    assert reply([], states) is None


class Cycle(Bot):
    """Shows one sign after the other."""

    def move(self, position: Position) -> str:
        """Show the sign of the turn."""
        return position.notation.write(Sign(position.turn % 3))


@pytest.mark.parametrize("make", [Amateur, Master])
def test_a_cycle_is_seen_through(make: type[Watcher]) -> None:
    assert contest(Rochambeau(goal=32), make, Cycle, 6) == 1


def test_a_refused_answer_is_not_taken_for_a_round() -> None:
    game = Rochambeau()
    after = game.play(game.start(), {FIRST: Sign(0), SECOND: Sign(1)})
    bot = Master(Random(1))
    for refused in (None, Reason("not-legal")):
        bot.move(Position(game, notation_of(game), FIRST, 2, after, refused=refused))
    assert bot.past == [after.shown]
