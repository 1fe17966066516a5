"""The chairs of the arena: whoever sits behind a gate is the same player."""

import asyncio
import inspect
import json
from fractions import Fraction

import pytest

from arbitre.errors import InvalidMoveError
from arbitre.games.catalogue import game
from arbitre.games.game import FIRST
from arbitre.games.notation import notation_of
from arbitre.games.player import Position
from arbitre.reasons import Reason
from arbitre.referee.behind import Behind
from arbitre.referee.player import Player
from arbitre.referee.verdict import Termination, Verdict
from arbitre.site.arena.page import SeatPage
from arbitre.site.arena.seats import PersonPlayer
from tests.reasons import raises


def test_a_gate_hands_everything_on() -> None:
    asked = {name for name, _ in inspect.getmembers(Player, inspect.isfunction) if not name.startswith("_")}
    assert asked
    assert {name for name in asked if name not in vars(Behind)} == set()


FLEET, OTHERWISE = "V5D51V4B51H3B11H3E81V2G01", "V5D51V4B51H3E81H3B11V2G01"


async def _asked(name: str, said: str, *, keyed: bool) -> tuple[str, str]:
    """Return what a person's words become in the record, and what the page is told that was taken down."""
    table = game(name)
    page = SeatPage(lambda: None)
    person = PersonPlayer(b"secret", FIRST, page, 1.0)
    person._keyed = keyed
    position = Position(table, notation_of(table), FIRST, 1, table.view(table.start(), FIRST))
    question = asyncio.ensure_future(person.ask(position))
    await asyncio.sleep(0)
    try:
        person.answer(person.ticket, said)
        answer = await question
    finally:
        question.cancel()
    await person.end(Verdict((Fraction(1), Fraction(0)), Termination.RESIGNED, Reason("gave-up")), FIRST)
    told = [json.loads(text) for _, text in page.after(0)]
    return answer.text, told[-1].get("said", "") if keyed else ""


@pytest.mark.parametrize(
    ("name", "said", "written"),
    [("seafight", FLEET, FLEET), ("reversi", " d3 ", "D3"), ("kriegspiel", "E2E4", "e2e4"), ("kriegspiel", "hop", "hop")],
)
def test_a_page_that_signs_is_told_its_words_as_the_record_has_them(name: str, said: str, written: str) -> None:
    assert asyncio.run(_asked(name, said, keyed=True)) == (written, written)


def test_a_page_that_signs_says_a_move_as_the_record_writes_it_or_is_told_how() -> None:
    """It would not know its own words again: whoever knows no rules cannot tell that two fleets are the same."""
    with raises(InvalidMoveError, "the record has it as %(text)s: say it so", text=FLEET):
        asyncio.run(_asked("seafight", OTHERWISE, keyed=True))
    assert asyncio.run(_asked("seafight", OTHERWISE, keyed=False))[0] == FLEET
