"""The skeleton of all adapters: strings, faults, bounds, and what an engine is told and remarks."""

from pathlib import Path

import pytest

from arbitre.errors import PlayerStringError
from arbitre.games.catalogue import game
from arbitre.games.draughts.rules import Draughts
from arbitre.games.game import FIRST
from arbitre.games.notation import notation_of
from arbitre.games.player import Position
from arbitre.players import Setting, read_contestant
from arbitre.players import adapter as skeleton
from arbitre.players.adapter import Launch, Pace, Remark, pace_of
from arbitre.players.course import Course
from arbitre.players.launch import read_launch
from arbitre.records.event import Kind
from arbitre.referee.clock import read_clock
from arbitre.referee.verdict import Termination
from tests.players.tables import fixture, make_match, play, seated
from tests.reasons import gives, raises

GAME = Draughts()
SETTING = Setting(GAME)


@pytest.fixture(autouse=True)
def _short_farewells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arbitre.transport.process.FAREWELL_SECONDS", 0.15)


def hostile(mode: str, settings: str = "") -> skeleton.Adapter:
    return seated(f"hub:{settings} {fixture('hostile', mode)}", GAME)


@pytest.mark.parametrize(
    ("mode", "termination", "code"),
    [
        ("endless lines", Termination.PROTOCOL_ERROR, "engine-babbles"),
        ("no newline", Termination.PROTOCOL_ERROR, "pipe-long-line"),
        ("huge line", Termination.PROTOCOL_ERROR, "pipe-long-line"),
        ("nul", Termination.ILLEGAL_MOVE, "no-draughts-move"),
        ("not utf-8", Termination.ILLEGAL_MOVE, "no-draughts-move"),
        ("garbage", Termination.ILLEGAL_MOVE, "no-draughts-move"),
        ("illegal", Termination.ILLEGAL_MOVE, "occupied"),
        ("no such capture", Termination.PROTOCOL_ERROR, "engine-no-such-move"),
        ("error", Termination.PROTOCOL_ERROR, "engine-error"),
        ("crash", Termination.DISCONNECTED, "last-words"),
    ],
)
@pytest.mark.parametrize("clock", ["none", "20s/move"])
def test_each_fault_ends_the_match_in_words(mode: str, termination: Termination, code: str, clock: str) -> None:
    verdict, _ = play(make_match("draughts", clock), hostile(mode))
    assert verdict.termination is termination
    assert gives(verdict.reason, code), repr(verdict.reason)


def test_an_engine_that_hangs_loses_on_time() -> None:
    verdict, _ = play(make_match("draughts", "300ms/move"), hostile("hang"))
    assert verdict.termination is Termination.OUT_OF_TIME
    assert gives(verdict.reason, "no-line")


def test_a_question_without_a_clock_is_not_open_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skeleton, "WAIT_SECONDS", 0.3)
    verdict, _ = play(make_match("draughts"), hostile("hang"))
    assert gives(verdict.reason, "engine-silent", seconds="0.3")


@pytest.mark.parametrize(("mode", "code"), [("wrong handshake", "engine-mute"), ("exit at once", "exited")])
def test_an_engine_that_never_is_ready_never_came(mode: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skeleton, "GREETING_SECONDS", 2.0)
    verdict, _ = play(make_match("draughts"), hostile(mode))
    assert verdict.termination is Termination.DISCONNECTED
    assert gives(verdict.reason, code), repr(verdict.reason)


def test_a_program_that_is_not_there_never_came() -> None:
    verdict, _ = play(make_match("draughts"), seated("hub:/nowhere/at/all", GAME))
    assert gives(verdict.reason, "no-program", program="/nowhere/at/all")


def test_a_refused_engine_is_not_asked_the_same_for_ever() -> None:
    verdict, _ = play(make_match("draughts", refusals=None), hostile("illegal"))
    assert verdict.termination is Termination.PROTOCOL_ERROR
    assert gives(verdict.reason, "engine-refused", language="Hub")
    assert gives(verdict.reason, "occupied")


def test_a_flood_on_standard_error_harms_nobody() -> None:
    engine = hostile("errors")
    verdict, _ = play(make_match("draughts", "20s/move"), engine)
    assert verdict.termination is Termination.ILLEGAL_MOVE  # it says the same move twice
    assert len(engine.remarks) == 2
    assert engine.errors().endswith("noise\n")


def test_what_an_engine_remarks_is_kept_with_the_turn() -> None:
    engine = hostile("illegal")
    _, events = play(make_match("draughts"), engine)
    notes = [(event.seat, event.turn, event.text) for event in events if event.kind is Kind.NOTED]
    assert notes == [(0, 1, "score=0.25 depth=5 nodes=1000 pv=32-28 19-23")]
    assert engine.remarks == [Remark(1, score="0.25", depth="5", nodes="1000", pv="32-28 19-23")]
    assert engine.name == "A fixture 7"


def test_an_engine_is_told_its_options_limits_environment_and_folder(tmp_path: Path) -> None:
    engine = hostile("illegal", f"folder={tmp_path} env=MANNER=gently set=book=false 'set=a word=b c' depth=4 nodes=500")
    play(make_match("draughts"), engine)
    assert engine.errors().splitlines() == [
        "set-param name=book value=false",
        'set-param name="a word" value="b c"',
        f"gently in {tmp_path}",
        "pos pos=W" + "b" * 20 + "e" * 10 + "w" * 20,
        "level depth=4",
        "level nodes=500",
    ]


def test_the_pause_after_an_answer_is_on_nobodys_clock() -> None:
    engine = hostile("steady", "pause=1100")
    verdict, _ = play(make_match("draughts", "1s/move"), engine)
    assert verdict.termination is Termination.ILLEGAL_MOVE  # it says the same move twice, the second time after the pause
    assert len(engine.remarks) == 2


# ── strings ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_settings_stand_before_the_command() -> None:
    made = read_launch("hub:", "time=0.25 pause=20 depth=3 ./scan x=1 hub", Setting(GAME, folder=Path("/plans")))
    assert made == Launch(("./scan", "x=1", "hub"), Path("/plans"), depth=3, time=250, pause=20)
    assert read_launch("hub:", "folder=bin ./scan", Setting(GAME, folder=Path("/plans"))).folder == Path("/plans/bin")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hub:", "no player is called"),
        ("hub:depth=3", "names no command"),
        ("hub:depth=three ./scan", "is a whole number"),
        ("hub:time=soon ./scan", "time is seconds"),
        ("hub:colour=red ./scan", "is no setting"),
        ("hub:env=1=2 ./scan", "=NAME=VALUE"),
        ("hub:set=book ./scan", "=NAME=VALUE"),
        ("hub:'./scan", "cannot be read"),
    ],
)
def test_a_string_that_is_wrong_says_what_is(text: str, why: str) -> None:
    with raises(PlayerStringError, why):
        read_contestant(text, SETTING)


def test_a_language_speaks_of_its_games() -> None:
    with raises(PlayerStringError, "is a language of", language="Hub", name="reversi"):
        read_contestant("hub:./scan", Setting(game("reversi")))


# ── time ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("launch", "clock", "left", "pace"),
    [
        (Launch(()), "none", None, Pace(move=1_000)),
        (Launch((), time=50), "none", None, Pace(move=50)),
        (Launch((), depth=3), "none", None, Pace(depth=3)),
        (Launch((), depth=3, time=50), "none", None, Pace(move=50, depth=3)),
        (Launch((), time=50), "10s/move", 10_000, Pace(move=9_500)),
        (Launch((), nodes=7), "60s+1s", 20_000, Pace(game=19_000, increment=1_000, nodes=7)),
        (Launch(()), "60s", 20, Pace(game=10)),
    ],
)
def test_the_clock_rules_over_limits_of_ones_own(launch: Launch, clock: str, left: int | None, pace: Pace) -> None:
    assert pace_of(launch, read_clock(clock), left) == pace


def test_a_course_follows_moves_of_both_sides() -> None:
    table = game("reversi")
    notation = notation_of(table)
    course = Course(table)

    def seen(line: str) -> Position:
        state = table.start()
        for word in line.split():
            state = table.play(state, {state.mover: notation.read(word, state)})
        return Position(table, notation, FIRST, state.turn, state)

    assert course.follow(seen(""))
    course.say("F5")
    assert course.follow(seen("F5 D6"))
    assert [str(one) for one in course.moves] == ["F5", "D6"]
    course.say("nonsense")
    assert course.follow(seen("F5 D6"))
    course.say("C3")
    assert not course.follow(seen("D3 C3 C4"))
    assert (course.moves, course.usual) == ([], False)
