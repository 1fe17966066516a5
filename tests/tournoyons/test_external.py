"""Questions to an external referee and his answers, without sockets: what is sent, what is taken, and who is blamed."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.errors import OptionError
from arbitre.games.added.rules import REFEREE, Added, AddedPair, Course, Ruling
from arbitre.games.catalogue import game
from arbitre.games.game import FIRST, SECOND, Outcome, Seat
from arbitre.games.notation import notation_of
from arbitre.games.wires import screen_of
from arbitre.reasons import Reason
from arbitre.tournoyons.external import Consultation, Question
from arbitre.tournoyons.wire import Correspondence, read_query, write_query
from tests.reasons import gives

SECRET = bytes(range(32))
RETURNS = "https://site.example/answer/abc/def"
GAME = Added(key="Nim")
PAIR = AddedPair(key="Fleet")


def after(game: Added, *steps: dict[int, str | Ruling]) -> Course:
    """Return how a game stands after moves and rulings."""
    state = game.start()
    for moves in steps:
        state = game.play(state, {Seat(seat): move for seat, move in moves.items()})
    return state


def asked(game: Added, state: Course) -> tuple[Consultation, Question]:
    talk = Consultation(game, SECRET)
    return talk, talk.ask(state, state.turn)


def answer(question: Question, **fields: str) -> str:
    """Return an answer that sends back what came, with some fields of its own."""
    return write_query({**question.fields, "ReturnCode": "3", "Tray": "000", **fields})


MOVED = after(GAME, {0: "A1"})


def test_a_question_says_what_the_spec_lists_and_nothing_else() -> None:
    _, question = asked(GAME, MOVED)
    fields = read_query(question.query(RETURNS))
    assert list(fields) == sorted(fields, reverse=True)
    assert {**fields, "Game": "", "MoveId": ""} == {
        "Game": "",
        "Move1": "A1",
        "MoveId": "",
        "ReturnURL": RETURNS,
        "Tray": "Init",
    }
    assert len(fields["Game"]) <= 10
    assert fields["MoveId"].isdigit()


def test_the_question_of_a_turn_is_the_same_after_a_crash_and_no_other_turns() -> None:
    one, two = Consultation(GAME, SECRET), Consultation(GAME, SECRET)
    assert one.question(MOVED, 2) == two.question(MOVED, 2)
    assert one.address(2) == two.address(2)
    assert one.question(MOVED, 4).fields["MoveId"] != one.question(MOVED, 2).fields["MoveId"]
    assert set(one.address(4)).isdisjoint(one.address(2))


def test_boards_are_prepared_one_by_one_and_play_has_both() -> None:
    ready = after(PAIR, {0: "own", 1: "other"})
    _, first = asked(PAIR, ready)
    assert {name: first.fields.get(name) for name in ("Method", "Move1", "Move2", "Tray")} == {
        "Method": "Prepare",
        "Move1": "own",
        "Move2": None,
        "Tray": "Init",
    }
    half = PAIR.play(ready, {REFEREE: Ruling(3, "b1")})
    _, second = asked(PAIR, half)
    assert (second.fields.get("Move1"), second.fields["Move2"], second.fields["Tray"]) == (None, "other", "Init")
    full = PAIR.play(half, {REFEREE: Ruling(3, "b2")})
    shot = PAIR.play(full, {FIRST: "C3"})
    _, third = asked(PAIR, shot)
    assert "Method" not in third.fields
    assert (third.fields["Move1"], third.fields["Tray"]) == ("C3", "b1***b2")


def test_both_moves_go_to_the_referee_of_a_simultaneous_game() -> None:
    morra = Added(key="Morra", simultaneous=True)
    _, question = asked(morra, after(morra, {0: "1", 1: "4"}))
    assert (question.fields["Move1"], question.fields["Move2"]) == ("1", "4")


def test_one_answer_is_taken_once() -> None:
    talk, question = asked(GAME, MOVED)
    said = answer(question, Gain1="2")
    assert talk.hear(said).status == 200
    assert talk.ruling == Ruling(3, "000", ("2", ""))
    assert talk.hear(said).why == Reason("heard-before")
    again = talk.hear(answer(question, Gain1="3"))
    assert again.status == 409
    assert again.why == talk.fault == Reason("contradicts-itself", name="Gain1", before="2", now="3")


@pytest.mark.parametrize("words", ["Coup+ill%E9gal", "Coup+ill%C3%A9gal", "Coup+ill\xe9gal", "Coup+ill\xc3\xa9gal"])
def test_what_a_referee_says_stays_what_it_was_in_latin_1_and_in_utf_8(words: str) -> None:
    talk, question = asked(GAME, MOVED)
    said = write_query({**question.fields, "ReturnCode": "5", "Tray": None})
    assert talk.hear(f"{said}&Tray={words}").status == 200
    assert talk.ruling is not None
    assert talk.ruling.tray == "Coup illégal"


def test_a_move_that_comes_back_in_latin_1_is_the_move_that_was_sent() -> None:
    talk, question = asked(GAME, after(GAME, {0: "é1"}))
    fields = write_query({**question.fields, "ReturnCode": "3", "Tray": "000", "Move1": None})
    assert talk.hear(f"{fields}&Move1=%E91").status == 200, talk.fault


def test_what_is_late_is_refused_and_blames_nobody() -> None:
    talk, question = asked(GAME, MOVED)
    talk.expire()
    assert talk.hear(answer(question)).status == 410
    assert talk.ruling is None
    assert not talk.fault
    assert Consultation(GAME, SECRET).hear(answer(question)).status == 404


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"Tray": "0" * 9000}, "long-query"),
        ({"Tray": "é" * 2000}, "long-query"),
        ({"Tray": "&" * 1400}, "long-ruling"),
        ({"ReturnCode": "٣"}, "false-return-code"),
        ({"ReturnCode": " 3"}, "false-return-code"),
    ],
)
def test_what_is_too_long_or_strange_is_a_fault(fields: dict[str, str], why: str) -> None:
    talk, question = asked(GAME, MOVED)
    assert talk.hear(answer(question, **fields)).status == 400
    assert gives(talk.fault, why)
    assert talk.ruling is None


def test_an_error_of_two_moves_must_name_its_author() -> None:
    morra = Added(key="Morra", simultaneous=True)
    talk, question = asked(morra, after(morra, {0: "1", 1: "9"}))
    assert talk.hear(answer(question, ReturnCode="5", Tray="nine fingers")).status == 400
    assert gives(talk.fault, "rules-what-cannot-be")
    talk, question = asked(morra, after(morra, {0: "1", 1: "9"}))
    assert talk.hear(answer(question, ReturnCode="5", Tray="2: nine fingers")).status == 200


def test_nobody_wins_while_boards_are_prepared() -> None:
    talk, question = asked(PAIR, after(PAIR, {0: "own", 1: "other"}))
    talk.hear(answer(question, ReturnCode="1"))
    assert gives(talk.fault, "rules-what-cannot-be")


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.text(max_size=60), st.text(max_size=300), st.text(max_size=3))
def test_whatever_arrives_is_a_ruling_or_a_named_fault(junk: str, tray: str, code: str) -> None:
    for query in (junk, None):
        talk, question = asked(GAME, MOVED)
        sent = answer(
            question, Tray=tray.encode("utf-8", "replace").decode(), ReturnCode=code.encode("utf-8", "replace").decode()
        )
        talk.hear(sent if query is None else query)
        assert (talk.ruling is None) == bool(talk.fault)
        if talk.ruling is not None:
            text = notation_of(GAME).write(talk.ruling)
            assert notation_of(GAME).read(text, MOVED) == talk.ruling
            GAME.phase(GAME.play(MOVED, {REFEREE: talk.ruling}))


# ── engines and interfaces ─────────────────────────────────────────────────────────────────────────────────────────


def test_engines_get_the_words_of_the_game_as_they_are() -> None:
    state = after(GAME, {0: "A1"}, {2: Ruling(3, "9 stones", ("1", "0"))})
    wire = Correspondence(GAME, SECOND, SECRET)
    fields = read_query(wire.ask(GAME.view(state, SECOND), state.turn, "http://r"))
    assert fields["Set"] == "Nim"
    assert (fields["Turn"], fields["Tray"], fields["Move1"], fields["Gain1"]) == ("2", "9 stones", "A1", "1")
    assert "Move2" not in fields


def test_an_engine_of_two_boards_sees_its_own_and_counts_turns_as_the_spec_does() -> None:
    ready = after(PAIR, {0: "own", 1: "other"}, {2: Ruling(3, "b1")}, {2: Ruling(3, "b2")})
    for seat in (FIRST, SECOND):
        wire = Correspondence(PAIR, seat, SECRET)
        start = read_query(wire.ask(PAIR.view(PAIR.start(), seat), 1, "http://r"))
        assert (start["Turn"], start["Tray"]) == ("1", "Init")
    wire = Correspondence(PAIR, FIRST, SECRET)
    first = read_query(wire.ask(PAIR.view(ready, FIRST), ready.turn, "http://r"))
    assert (first["Turn"], first["Tray"]) == ("3", "b1")
    shot = PAIR.play(PAIR.play(ready, {FIRST: "C3"}), {REFEREE: Ruling(3, "b1x***b2")})
    wire = Correspondence(PAIR, SECOND, SECRET)
    second = read_query(wire.ask(PAIR.view(shot, SECOND), shot.turn, "http://r"))
    assert (second["Turn"], second["Tray"], second["Move1"]) == ("4", "b2", "C3")


def test_interfaces_get_what_their_viewer_may_see() -> None:
    ready = after(PAIR, {0: "own", 1: "other"}, {2: Ruling(3, "b1")}, {2: Ruling(3, "b 2&")})
    screen = screen_of(PAIR)
    shown = screen.show(PAIR.view(PAIR.start(), FIRST), FIRST, asks=FIRST)
    assert (shown.method, shown.tray, shown.asks) == ("Prepare", "Init", FIRST)
    assert screen.show(PAIR.view(ready, FIRST), FIRST, asks=FIRST).tray == "b1"
    assert screen.show(PAIR.view(ready, "spectator"), "spectator").tray is None
    second = screen.show(PAIR.view(ready, SECOND), SECOND)
    assert "Tray=b%202%26&" in second.query()
    end = PAIR.play(PAIR.play(ready, {FIRST: "C3"}), {REFEREE: Ruling(1, "b1***b2")})
    last = screen.show(PAIR.view(end, "spectator"), "spectator")
    assert (last.method, last.tray) == ("End", "b1***b2")


def test_a_move_is_shown_when_the_referee_has_let_it_pass() -> None:
    screen = screen_of(GAME)
    assert screen.show(MOVED, "spectator").moves == (None, None)
    passed = GAME.play(MOVED, {REFEREE: Ruling(3, "8")})
    assert screen.show(passed, "spectator").moves == ("A1", None)


# ── the rules ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "options", [{"key": ""}, {"key": "1Nim"}, {"key": "a/b"}, {"key": "a" * 33}, {"key": "Nim", "board": "a|b"}]
)
def test_names_and_boards_that_the_wire_cannot_carry_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        game("added", options)


def test_a_game_without_end_is_a_draw() -> None:
    late = replace(GAME.start(), ply=2_001)
    end = GAME.phase(late)
    assert isinstance(end, Outcome)
    assert end.scores[0] == end.scores[1]
