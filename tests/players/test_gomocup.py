"""The language of Gomocup both ways: cells and boards survive the way there and back, and whole matches are played."""

import asyncio
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.bot import InProcess
from arbitre.errors import PlayerStringError
from arbitre.games.anyone import Anyone
from arbitre.games.catalogue import game
from arbitre.games.game import FIRST, playout
from arbitre.games.levels import levels
from arbitre.games.notation import notation_of
from arbitre.games.player import Position
from arbitre.players import Setting, read_contestant
from arbitre.players.adapter import Remark
from arbitre.players.gomocup import SIDES, GomocupSpeaker, read_cell, write_board, write_cell
from arbitre.players.speaker import make_speaker
from arbitre.referee.player import Player
from arbitre.referee.terms import Chair, Opening
from arbitre.referee.verdict import Termination
from tests.players.tables import fixture, make_match, moves, play, seated, speaking
from tests.reasons import gives, raises

FIVE = game("bigtictactoe", {"first": True})
PENTE = game("pente")


@pytest.mark.parametrize("side", SIDES.values())
def test_cells_survive_the_way_there_and_back(side: int) -> None:
    assert [read_cell(write_cell(cell, side), side) for cell in range(side * side)] == list(range(side * side))
    assert [read_cell(text, side) for text in ("", "3", "3,", "-1,2", f"{side},0", f"0,{side}", "3,4,1", "OK")] == [None] * 8


@given(st.integers(0, 1 << 32))
@settings(max_examples=20, deadline=None)
def test_a_board_that_is_shown_is_the_board_that_is_seen(seed: int) -> None:
    speaker = make_speaker("gomocup", "bigtictactoe", {}, 1, 1)
    assert isinstance(speaker, GomocupSpeaker)
    for step in playout(FIVE, Random(seed)):
        state = step.before
        *lines, done = write_board(FIVE, state, state.mover)
        for line in lines:
            assert list(speaker.hear(line)) == []
        [said] = speaker.hear(done)
        cell = read_cell(said, 10)
        assert cell is not None
        assert FIVE.play(state, {state.mover: type(next(FIVE.legal(state)))(cell)}) == speaker.state


def against(engine: Player, second: bool, name: str = "bigtictactoe") -> list[str]:
    """Return the moves of an engine's match with somebody whose luck is always the same."""
    other = InProcess(levels(name)[0](Random(3)))
    options = {"first": True} if name == "bigtictactoe" else {}
    verdict, events = play(make_match(name, options=options), *((other, engine) if second else (engine, other)))
    assert verdict.termination is Termination.RULES
    return moves(events)


@pytest.mark.parametrize("second", [False, True], ids=["first", "second"])
@pytest.mark.parametrize("name", ["bigtictactoe", "pente"])
def test_a_match_through_the_language_is_the_match_played_directly(name: str, second: bool) -> None:
    table = FIVE if name == "bigtictactoe" else PENTE
    engine = seated(f"gomocup:rule=0 depth=9 {speaking('gomocup', f'{name}/2', '--seed', '7')}", table)
    assert against(engine, second, name) == against(InProcess(levels(name)[1](Random(7))), second, name)
    assert engine.name.startswith("Arbitre ")


def test_an_engine_is_told_only_what_is_new_and_its_remarks_are_kept() -> None:
    engine = seated(f"gomocup:time=0.2 set=thread_num=1 {fixture('brain', '0,0;0,0')}", FIVE)
    verdict, events = play(
        make_match("bigtictactoe", options={"first": True}), engine, InProcess(levels("bigtictactoe")[0](Random(3)))
    )
    assert verdict.termination is Termination.ILLEGAL_MOVE
    column, row = "ABCDEFGHIJ".index(moves(events)[1][0]), moves(events)[1][1]
    paced = ["INFO timeout_match 0", "INFO time_left 2147483647", "INFO timeout_turn 200"]
    told = ["START 10", "INFO rule 0", "INFO game_type 1", "INFO thread_num 1", "ABOUT"]
    assert engine.errors().splitlines() == [
        *told,
        *paced,
        "BEGIN",
        *paced,
        f"TURN {column},{row}",
        "END",
    ]
    assert engine.name == "Brain of a fixture"
    assert engine.remarks[0] == Remark(1, score="-181", depth="6", pv="G5 F4", text="Bestline G5 F4")


def test_a_match_from_a_position_begins_with_the_board() -> None:
    start = "1" + "0" * 98 + "2 3"
    engine = seated(f"gomocup:depth=1 {fixture('brain', '5,5')}", FIVE)
    play(make_match("bigtictactoe", options={"first": True}, start=start), engine)
    lines = engine.errors().splitlines()
    assert lines[lines.index("BOARD") :][:4] == ["BOARD", "0,0,1", "9,9,2", "DONE"]


def test_whose_first_question_is_in_the_middle_of_a_game_is_shown_the_board() -> None:
    """An engine on the web is lent from game to game, and its first may be a stranger's tenth move."""
    engine = seated(f"gomocup:depth=1 {fixture('brain', '5,5')}", FIVE)
    notation, state = notation_of(FIVE), FIVE.start()
    for word in ("A0", "B0"):
        state = FIVE.play(state, {state.mover: notation.read(word, state)})
    opening = Opening("hosted", FIVE, (Chair("one", "one"), Chair("two", "two")), "")

    async def course() -> None:
        await engine.greet(opening, FIRST)
        await engine.sit(opening, FIRST)
        try:
            await engine.ask(Position(FIVE, notation, FIRST, 3, state))
        finally:
            await engine.leave()

    asyncio.run(course())
    lines = engine.errors().splitlines()
    assert "BEGIN" not in lines
    assert lines[lines.index("BOARD") :][:4] == ["BOARD", "0,0,1", "1,0,2", "DONE"]


@pytest.mark.parametrize(
    ("said", "code"),
    [("ERROR no idea", "engine-error"), ("UNKNOWN", "engine-error"), ("10,10", "engine-no-such-move"), ("0,0;0,0", "occupied")],
)
def test_what_is_no_answer_ends_the_match_in_words(said: str, code: str) -> None:
    verdict, _ = play(make_match("bigtictactoe", options={"first": True}), seated(f"gomocup:{fixture('brain', said)}", FIVE))
    assert gives(verdict.reason, code), repr(verdict.reason)


def test_pente_is_played_from_its_start_only() -> None:
    state = PENTE.start()
    for step in playout(PENTE, Random(1)):
        state = step.after
        if state.turn == 9:
            break
    match = make_match("pente", start=notation_of(PENTE).write_state(state))
    verdict, _ = play(match, seated(f"gomocup:rule=16 {fixture('brain', '0,0')}", PENTE), InProcess(Anyone()))
    assert gives(verdict.reason, "engine-from-start", language="Gomocup")


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (game("bigtictactoe"), "first row of five"),
        (PENTE, "say by which number"),
        (game("reversi"), "is a language of"),
    ],
)
def test_games_that_the_language_cannot_say_are_refused(table: object, why: str) -> None:
    with raises(PlayerStringError, why):
        read_contestant("gomocup:./brain", Setting(table))  # type: ignore[arg-type]


def test_a_speaker_reports_what_it_cannot_read_and_goes_on() -> None:
    speaker = make_speaker("gomocup", "bigtictactoe", {}, 1, 1)

    def said(line: str) -> list[str]:
        return [one.partition(" ")[0] for one in speaker.hear(line)]

    assert said("START 20") == ["ERROR"]
    assert said("START 10") == ["OK"]
    assert said("RECTSTART 10,10") == ["UNKNOWN"]
    assert said("INFO timeout_turn soon") == []
    assert said("TURN 10,10") == ["ERROR"]
    assert said("TURN a") == ["ERROR"]
    assert said("BOARD") + said("nonsense") == ["ERROR"]
    assert read_cell(said("TURN 4,4")[0], 10) is not None
    assert said("TURN 4,4") == ["ERROR"]
    assert said("RESTART") == ["OK"]
    assert said("END") == []
    assert speaker.over


def test_a_rule_is_a_number() -> None:
    with raises(PlayerStringError, "say by which number"):
        read_contestant("gomocup:rule=pente ./brain", Setting(PENTE))
