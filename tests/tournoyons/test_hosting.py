"""Players behind an address: programs are lent from game to game, and one that fails is replaced."""

import asyncio

import pytest

from arbitre.errors import ProtocolError
from arbitre.games.catalogue import game
from arbitre.games.game import FIRST, SECOND, AnyGame
from arbitre.games.notation import notation_of
from arbitre.games.player import Position
from arbitre.players import Setting, read_contestant
from arbitre.tournoyons.hosting import Hosting
from tests.players.tables import fixture, speaking
from tests.reasons import gives, raises

FIVE = game("bigtictactoe", {"first": True})


def shown(table: AnyGame, line: str) -> Position:
    """Return what is asked after these moves."""
    notation, state = notation_of(table), table.start()
    for word in line.split():
        state = table.play(state, {state.mover: notation.read(word, state)})
    return Position(table, notation, (FIRST, SECOND)[state.mover], state.turn, state, 20_000)


def answered(text: str, table: AnyGame, *asked: Position, programs: int = 1) -> list[str | ProtocolError]:
    """Ask questions at the same time, and return what comes of each."""

    async def one(hosting: Hosting, position: Position) -> str | ProtocolError:
        try:
            return await asyncio.to_thread(hosting.find("/", "")(), position)
        except ProtocolError as error:
            return error

    async def course() -> list[str | ProtocolError]:
        async with asyncio.timeout(60), Hosting(read_contestant(text, Setting(table)), table, programs) as hosting:
            return await asyncio.gather(*(one(hosting, position) for position in asked))

    return asyncio.run(course())


@pytest.mark.parametrize("programs", [1, 2])
def test_questions_of_many_games_are_answered_by_few_programs(programs: int) -> None:
    asked = [shown(FIVE, line) for line in ("", "A0", "A0 B0", "J9 J8 J7 J6", "", "C3")]
    for said, position in zip(
        answered(f"gomocup:depth=1 {speaking('gomocup', 'bigtictactoe/1')}", FIVE, *asked, programs=programs), asked, strict=True
    ):
        assert isinstance(said, str), said
        FIVE.check(position.view, position.notation.read(said, position.view))


def test_a_program_that_fails_is_replaced_and_its_asker_is_told_why() -> None:
    crashing = f"gomocup:{fixture('brain', '4,4')}"  # it has one answer, and ends at the second question
    said = answered(crashing, FIVE, *(shown(FIVE, "A0 B0") for _ in range(4)))
    assert [one if isinstance(one, str) else "gone" for one in said] == ["E4", "gone", "E4", "gone"]


def test_illegal_moves_resignations_and_other_games_are_told() -> None:
    [illegal] = answered(f"gomocup:{fixture('brain', '0,0')}", FIVE, shown(FIVE, "A0 B0"))
    assert gives(illegal, "occupied")
    reversi = game("reversi")
    [resigned] = answered(f"gtp:{fixture('othello', 'gtp', 'resign')}", reversi, shown(reversi, ""))
    assert gives(resigned, "the engine resigns")
    [other] = answered(f"gomocup:{fixture('brain', '0,0')}", FIVE, shown(reversi, ""))
    assert gives(other, "this engine plays", name="bigtictactoe")
    with raises(ProtocolError, "not Set=", wanted="Reversi"):
        Hosting(read_contestant("gomocup:x", Setting(FIVE)), FIVE).find("/", "Reversi")
