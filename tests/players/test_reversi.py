"""NBoard and GTP, both ways: games survive the way there and back, and whole matches are played, with passes."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.bot import InProcess
from arbitre.errors import PlayerStringError, PositionError
from arbitre.games.anyone import Anyone
from arbitre.games.catalogue import game
from arbitre.games.game import Outcome, playout
from arbitre.games.levels import levels
from arbitre.games.notation import notation_of
from arbitre.players import Setting, gtp, read_contestant, refuse_starts
from arbitre.players.nboard import read_board, read_game, read_move, write_board, write_game, write_move
from arbitre.players.speaker import make_speaker
from arbitre.referee.player import Player
from arbitre.referee.verdict import Termination
from tests.players.tables import fixture, make_match, moves, play, seated, speaking
from tests.reasons import gives, raises

GAME = game("reversi")
NOTATION = notation_of(GAME)
PASSES = "4044400004040030444333000403300040333000000330000030000000000000 21"
"""A position in which black must pass."""


@given(st.integers(0, 1 << 32), st.integers(0, 40))
@settings(max_examples=40, deadline=None)
def test_games_survive_the_way_there_and_back(seed: int, begin: int) -> None:
    steps = list(playout(GAME, Random(seed)))
    first, rest = steps[min(begin, len(steps) - 1)].before, steps[min(begin, len(steps) - 1) :]
    read, said = read_game(write_game(first, [next(iter(step.moves.values())) for step in rest]))
    assert (read.own, read.against, read.mover) == (first.own, first.against, first.mover)
    state = read
    for text, step in zip(said, rest, strict=True):
        state = GAME.play(state, {state.mover: NOTATION.read(text, state)})
        assert (state.own, state.against) == (step.after.own, step.after.against)
    assert isinstance(GAME.phase(state), Outcome)
    for step in rest:
        move = next(iter(step.moves.values()))
        assert NOTATION.read(read_move(write_move(move)), step.before) == move
        assert NOTATION.read(gtp.read_move(gtp.write_move(move)), step.before) == move


@pytest.mark.parametrize("text", ["", "8", "8 --- *", "10 " + "-" * 100 + " *", "8 " + "-" * 64 + " X", "8 " + "x" * 64 + " *"])
def test_what_is_no_board_is_refused(text: str) -> None:
    with pytest.raises(PositionError):
        read_board(text)
    with pytest.raises(PositionError):
        read_game(f"(;GM[Othello]{text};)")


def test_a_board_is_read_as_it_is_written() -> None:
    board = NOTATION.read_state(PASSES)
    assert read_board(write_board(board)) == board


def against(engine: Player, second: bool, start: str = "") -> list[str]:
    """Return the moves of an engine's match with somebody whose luck is always the same."""
    other = InProcess(Anyone(Random(3)))
    verdict, events = play(make_match("reversi", start=start), *((other, engine) if second else (engine, other)))
    assert verdict.termination is Termination.RULES, repr(verdict.reason)
    return moves(events)


@pytest.mark.parametrize("second", [False, True], ids=["black", "white"])
@pytest.mark.parametrize("language", ["nboard", "gtp"])
def test_a_match_through_the_language_is_the_match_played_directly(language: str, second: bool) -> None:
    engine = seated(f"{language}:{speaking(language, 'reversi/2', '--seed', '7')}", GAME)
    assert against(engine, second) == against(InProcess(levels("reversi")[1](Random(7))), second)
    assert engine.name == "Arbitre Reversi 2"


def test_a_match_may_begin_with_a_pass_in_nboard_and_not_at_all_in_gtp() -> None:
    assert against(seated(f"nboard:{speaking('nboard', 'reversi/1')}", GAME), second=False, start=PASSES)[0] == "XX"
    verdict, _ = play(make_match("reversi", start=PASSES), seated(f"gtp:{speaking('gtp', 'reversi/1')}", GAME))
    assert gives(verdict.reason, "engine-from-start", language="GTP")


# ── what is told, and what is answered ─────────────────────────────────────────────────────────────────────────────


def test_an_engine_is_told_the_game_and_what_came_before_the_question_is_no_answer() -> None:
    engine = seated(f"nboard:depth=4 set=contempt=0 {fixture('othello', 'nboard', 'D3', 'D3')}", GAME)
    verdict, events = play(make_match("reversi", "60s+1s"), engine)
    assert verdict.termination is Termination.ILLEGAL_MOVE
    lines = engine.errors().splitlines()
    assert lines[:4] == ["nboard 2", "set depth 4", "set contempt 0", "ping 1"]
    assert lines[4].endswith("TI[0:57]TY[8]BO[8 ---------------------------O*------*O--------------------------- *];)")
    assert lines[7].endswith(f" *]B[D3]W[{moves(events)[1]}];)")
    assert [one.score for one in engine.remarks] == ["1.25", "1.25"]
    assert [one.nodes for one in engine.remarks] == ["77", "77"]


def test_gtp_tells_the_moves_that_are_new_and_the_time() -> None:
    engine = seated(f"gtp:'set=set_game=Othello' {fixture('othello', 'gtp', 'D3', 'D3')}", GAME)
    verdict, events = play(make_match("reversi", "10s/move"), engine)
    assert verdict.termination is Termination.ILLEGAL_MOVE
    assert engine.errors().splitlines() == [
        *("name", "set_game Othello", "boardsize 8", "clear_board"),
        *("time_settings 0 9 1", "time_left black 9 1", "genmove black"),
        *(f"play white {moves(events)[1]}", "time_left black 9 1", "genmove black", "quit"),
    ]


@pytest.mark.parametrize(
    ("language", "said", "code"),
    [
        ("nboard", "Z9", "no-cell-or-pass"),
        ("nboard", "A1", "turns-none"),
        ("nboard", "PA", "no-pass"),
        ("gtp", "Z9", "no-cell-or-pass"),
        ("gtp", "pass", "no-pass"),
        ("gtp", "?", "engine-error"),
    ],
)
def test_what_is_no_answer_ends_the_match_in_words(language: str, said: str, code: str) -> None:
    verdict, _ = play(make_match("reversi"), seated(f"{language}:{fixture('othello', language, said)}", GAME))
    assert gives(verdict.reason, code), repr(verdict.reason)


def test_an_engine_may_resign_in_gtp() -> None:
    verdict, _ = play(make_match("reversi"), seated(f"gtp:{fixture('othello', 'gtp', 'resign')}", GAME))
    assert verdict.termination is Termination.RESIGNED


def test_speakers_report_what_they_cannot_do_and_go_on() -> None:
    board = make_speaker("nboard", "reversi", {}, 1, 1)
    assert list(board.hear("ping 7")) == ["pong 7"]
    assert [one.split()[0] for one in board.hear("set game nonsense")] == ["status"]
    assert [one.split()[0] for one in board.hear("move A1")] == ["status"]
    assert list(board.hear("hint 3")) == []
    assert list(board.hear("move F5/0/1")) == []
    assert [one.split()[0] for one in board.hear("go")] == ["status", "===", "status"]
    go = make_speaker("gtp", "reversi", {}, 1, 1)
    assert list(go.hear("12 protocol_version # which?")) == ["=12 2", ""]
    assert list(go.hear("")) == []
    for line in ("boardsize 19", "play black A1", "play white F5", "play", "genmove white", "undo"):
        assert [one[:1] for one in go.hear(line)] == ["?", ""]
    assert list(go.hear("known_command genmove")) == ["= true", ""]
    assert list(go.hear("play b F5")) == ["=", ""]
    assert [one[:1] for one in go.hear("genmove w")] == ["=", ""]
    assert [one[:1] for one in go.hear("showboard")] == ["=", ""]
    assert list(go.hear("quit")) == ["=", ""]
    assert go.over
    with raises(PlayerStringError, "is a language of", language="gtp", name="draughts"):
        make_speaker("gtp", "draughts", {})


def test_who_cannot_be_shown_a_position_is_refused_before_a_match_begins_from_one() -> None:
    engine = read_contestant("gtp:./edax -gtp", Setting(GAME))
    refuse_starts([engine], ["", ""])
    with raises(PlayerStringError, "plays from the usual start only", name="edax"):
        refuse_starts([engine], ["", PASSES])
    refuse_starts([read_contestant("nboard:./edax", Setting(GAME))], [PASSES])
