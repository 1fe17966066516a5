"""Hub, both ways and both versions: positions and moves survive the way there and back, and whole matches are played."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.bot import InProcess
from arbitre.errors import PlayerGarbledError, PositionError
from arbitre.games.anyone import Anyone
from arbitre.games.draughts.notation import read_fen
from arbitre.games.draughts.rules import Draughts
from arbitre.games.game import playout
from arbitre.games.levels import levels
from arbitre.games.notation import notation_of
from arbitre.players.hub import read_line, read_move, read_position, write_line, write_move, write_position
from arbitre.players.speaker import make_speaker
from arbitre.referee.player import Player
from arbitre.referee.verdict import Termination
from tests.players.tables import fixture, make_match, moves, play, seated, speaking
from tests.reasons import raises

GAME = Draughts()
NOTATION = notation_of(GAME)


@given(st.integers(0, 1 << 32))
@settings(max_examples=15, deadline=None)
def test_positions_and_moves_survive_the_way_there_and_back(seed: int) -> None:
    for step in playout(GAME, Random(seed)):
        board = step.before
        read = read_position(write_position(board))
        assert (read.white, read.black, read.kings, read.mover) == (board.white, board.black, board.kings, board.mover)
        texts = {write_move(move): move for move in board.moves}
        assert len(texts) == len(board.moves)
        for text, move in texts.items():
            assert NOTATION.read(read_move(text, board), board) == move


@pytest.mark.parametrize("text", ["", "W", "X" + "e" * 50, "W" + "e" * 49, "W" + "q" * 50, "W" + "e" * 51])
def test_what_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(PositionError):
        read_position(text)


def test_a_capture_that_takes_other_pieces_is_no_move() -> None:
    board = read_fen("W:W32:B27,28")
    assert {write_move(move) for move in board.moves} == {"32x21x27", "32x23x28"}
    assert read_move("32x21", board) == "32x21"
    for text in ("32x21x28", "32x22x27", "32x21x27x28"):
        with raises(PlayerGarbledError, "engine-no-such-move", move=text):
            read_move(text, board)


def test_lines_are_read_as_they_are_written() -> None:
    line = write_line("level", move_time=1.5, name="two words", value="")
    assert line == 'level move-time=1.5 name="two words" value=""'
    assert read_line(line) == ("level", {"move-time": "1.5", "name": "two words", "value": ""})
    assert read_line("go think") == ("go", {"think": ""})


def against(engine: Player, second: bool) -> list[str]:
    """Return the moves of an engine's match with somebody whose luck is always the same."""
    other = InProcess(Anyone(Random(3)))
    verdict, events = play(make_match("draughts"), *((other, engine) if second else (engine, other)))
    assert verdict.termination is Termination.RULES
    return moves(events)


@pytest.mark.parametrize("second", [False, True], ids=["white", "black"])
def test_a_match_through_the_language_is_the_match_played_directly(second: bool) -> None:
    command = speaking("hub", "draughts/2", "--seed", "7", "--option", "plies=100")
    engine = seated(f"hub:depth=9 {command}", GAME)
    assert against(engine, second) == against(InProcess(levels("draughts")[1](Random(7))), second)
    assert engine.name == "Arbitre Draughts 2"


def test_an_engine_of_the_older_version_plays_a_whole_match() -> None:
    engine = seated(f"hub:set=book=false {fixture('hub1')}", GAME)
    against(engine, second=True)
    assert engine.name == "Old One"
    assert {(one.score, one.depth, one.pv) for one in engine.remarks} == {("-12", "5", "32-28 19-23")}


def test_a_match_may_begin_anywhere() -> None:
    start = "B:W30,31,32,K47:B1,2,3,K20 2"
    engine = seated(f"hub:depth=9 {speaking('hub', 'draughts/1', '--seed', '7')}", GAME)
    verdict, events = play(make_match("draughts", start=start), InProcess(Anyone(Random(3))), engine)
    assert verdict.termination is Termination.RULES
    assert moves(events)


def test_a_speaker_reports_what_it_cannot_read_and_goes_on() -> None:
    speaker = make_speaker("hub", "draughts", {}, 1, 1)
    assert [read_line(one)[0] for one in speaker.hear("hub")] == ["id", "wait"]
    assert [read_line(one)[0] for one in speaker.hear("pos pos=nonsense")] == ["error"]
    assert [read_line(one)[0] for one in speaker.hear('pos moves="32-28 32-28"')] == ["error"]
    assert list(speaker.hear("what is this?")) == []
    assert list(speaker.hear("ping")) == ["pong"]
    [done] = speaker.hear("go think")
    assert read_move(read_line(done)[1]["move"], GAME.start()) in {str(move) for move in GAME.start().moves}
    assert [read_line(one)[0] for one in speaker.hear(f"pos pos=W{'b' + 'e' * 49}")] == []
    assert [read_line(one)[0] for one in speaker.hear("go think")] == ["error"]
    assert list(speaker.hear("quit")) == []
    assert speaker.over
