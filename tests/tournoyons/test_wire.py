"""The Tournoyons wire to the letter: queries as the spec and the seed write them, answers judged, both sides of every game."""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arbitre.errors import ProtocolError
from arbitre.games.catalogue import game as find_game
from arbitre.games.catalogue import listing
from arbitre.games.game import FIRST, SECOND, Awaits, Seat, other, playout
from arbitre.games.notation import notation_of
from arbitre.games.seafight.rules import SIZES, Fleet, Sea, Seafight, judged
from arbitre.games.seafight.wire import sunk_ships
from arbitre.games.wire import Earlier
from arbitre.games.wires import engine_wire, unspeakable
from arbitre.tournoyons.wire import (
    LONGEST_QUERY,
    Correspondence,
    Style,
    address,
    answer_query,
    opponent_id,
    past,
    read_query,
    read_question,
    read_status,
    seconds,
    status_of,
    write_query,
    write_value,
)
from tests.house import HOUSE, WIRED
from tests.reasons import gives

SECRET = b"secret of a match"
REFEREE = "http://arbiter.example/answer/ab/cd"
SENT = "http%3A%2F%2Farbiter.example%2Fanswer%2Fab%2Fcd"

FLEETS = "V5A01H4C01H3C21H3C41H2C61,V5A01H4C01H3C21H3C41H2C61"


def asked(
    name: str, seat: Seat, start: str = "", play: Mapping[int, str] | None = None, style: Style | None = None, **more: Any
) -> str:
    """Return the last query to one seat when these moves were played, without what is random in it."""
    game = find_game(name)
    notation = notation_of(game)
    wire = Correspondence(game, seat, SECRET, start=start, style=style or Style(), **more)
    state = notation.read_state(start) if start else game.start()
    query = ""
    for text in [*(play or {}).values(), None]:
        phase = game.phase(state)
        assert isinstance(phase, Awaits)
        if seat in phase.seats:
            query = wire.ask(game.view(state, seat), phase.turn, REFEREE)
            if text is not None:
                mine = text.split("/")[seat] if "/" in text else text
                move = write_value_of(game.name, mine)
                assert (
                    wire.hear(write_query({"Game": wire.game, "MoveId": read_query(query)["MoveId"], "Value": move})).status
                    == 200
                )
                assert wire.taken() is not None
        if text is not None:
            said = dict(zip(sorted(phase.seats), text.split("/"), strict=True))
            state = game.play(state, {one: notation.read(word, game.view(state, one)) for one, word in said.items()})
    fields = read_query(query)
    return query.replace(f"Game={wire.game}&MoveId={fields['MoveId']}", "Game=G&MoveId=M").replace(SENT, "R")


def write_value_of(name: str, move: str) -> str:
    return engine_wire(find_game(name)).write_value(move)


def moves(*said: str) -> dict[int, str]:
    return dict(enumerate(said))


ZEROS = "0" * 100
TAIL = "&TimeOut=54&Referee=R&Status=0"


@pytest.mark.parametrize(
    ("name", "seat", "start", "play", "style", "query"),
    [
        pytest.param("tictactoe", FIRST, "", {}, Style(), "Set=TicTacToe&Game=G&MoveId=M&Turn=1&Tray=Init", id="start"),
        pytest.param(
            "tictactoe", FIRST, "", {}, Style(full=True), "Set=TicTacToe&Game=G&MoveId=M&Turn=1&Tray=000000000", id="full board"
        ),
        pytest.param(
            "tictactoe", SECOND, "", moves("5"), Style(), "Set=TicTacToe&Game=G&MoveId=M&Turn=2&Tray=000010000&Move1=5",
            id="the second player gets Move1",
        ),
        pytest.param(
            "tictactoe", FIRST, "", moves("5", "9"), Style(), "Set=TicTacToe&Game=G&MoveId=M&Turn=3&Tray=000010002&Move2=9",
            id="the first player gets Move2",
        ),
        pytest.param(
            "tictactoe", SECOND, "000010000 2", {}, Style(), "Set=TicTacToe&Game=G&MoveId=M&Turn=2&Tray=000010000",
            id="a photograph with the second to move",
        ),
        pytest.param(
            "tictactoe", FIRST, "000010002 3", {}, Style(), "Set=TicTacToe&Game=G&MoveId=M&Turn=1&Tray=000010002",
            id="a photograph begins with Turn 1",
        ),
        pytest.param("rochambeau", SECOND, "", {}, Style(), "Set=Rochambeau&Game=G&MoveId=M&Turn=2&Tray=Init", id="both at once"),
        pytest.param(
            "rochambeau", FIRST, "", moves("paper/rock"), Style(full=True),
            "Set=Rochambeau&Game=G&MoveId=M&Turn=3&Tray=Init&Move2=1&Gain1=1&Gain2=0", id="the round before",
        ),
        pytest.param(
            "rochambeau", SECOND, "", moves("scissors/rock"), Style(),
            "Set=Rochambeau&Game=G&MoveId=M&Turn=4&Tray=Init&Move1=3&Gain1=0&Gain2=1", id="scissors are 3",
        ),
        pytest.param(
            "bigtictactoe", SECOND, "", moves("C5"), Style(),
            f"Set=BigTicTacToe&Game=G&MoveId=M&Turn=2&Tray={ZEROS[:52]}1{ZEROS[:47]}&Move1=C5&Gain1=&Gain2=", id="C5",
        ),
        pytest.param(
            "bigtictactoe", FIRST, f"{'0' * 33}111112020202020{'0' * 52}", {}, Style(),
            f"Set=BigTicTacToe&Game=G&MoveId=M&Turn=1&Tray={'0' * 33}111112020202020{'0' * 52}&Gain1=D3H3&Gain2=",
            id="the seed's alignment D3H3",
        ),
        pytest.param(
            "pente", SECOND, "", moves("CH"), Style(),
            f"Set=Pente&Game=G&MoveId=M&Turn=2&Tray={'0' * 135}1{'0' * 225}&Move1=CH&Gain1=0&Gain2=0", id="CH is column, row",
        ),
        pytest.param(
            "reversi", SECOND, "", moves("D3"), Style(),
            "Set=Reversi&Game=G&MoveId=M&Turn=2&Tray=" + "0" * 19 + "3" + "0" * 7 + "3300000034" + "0" * 27 + "&Move1=D3",
            id="black first",
        ),
        pytest.param(
            "reversi", FIRST, "", {}, Style(full=True),
            "Set=Reversi&Game=G&MoveId=M&Turn=1&Tray=" + "0" * 27 + "43" + "0" * 6 + "34" + "0" * 27, id="full initial board",
        ),
        pytest.param("mastermind", SECOND, "", {}, Style(), "Set=MasterMind&Game=G&MoveId=M&Turn=1&Tray=Init", id="own code"),
        pytest.param(
            "mastermind", FIRST, "", moves("ABCD/GCCA"), Style(), "Set=MasterMind&Game=G&MoveId=M&Turn=3&Tray=", id="first guess"
        ),
        pytest.param(
            "mastermind", FIRST, "", moves("ABCD/GCCA", "GCCH", "AAAA"), Style(),
            "Set=MasterMind&Game=G&MoveId=M&Turn=5&Tray=30GCCH", id="the seed's line, no Move, no Gain",
        ),
        pytest.param("seafight", SECOND, "", {}, Style(), "Set=Seafight&Game=G&MoveId=M&Turn=1&Tray=Init", id="the fleet"),
        pytest.param(
            "seafight", SECOND, "", moves(FLEETS.replace(",", "/"), "A0"), Style(),
            f"Set=Seafight&Game=G&MoveId=M&Turn=4&Tray={ZEROS}&Move1=A02", id="a hit on my board",
        ),
        pytest.param(
            "seafight", FIRST, "", moves(FLEETS.replace(",", "/"), "A0", "J9"), Style(),
            f"Set=Seafight&Game=G&MoveId=M&Turn=5&Tray=2{ZEROS[:99]}&Move2=J91", id="my own shots",
        ),
        pytest.param(
            "draughts", SECOND, "", moves("32-27"), Style(),
            f"Set=Draughts&Game=G&MoveId=M&Turn=2&Tray={'2' * 20}{'0' * 6}10001011{'1' * 16}&Move1=32-27",
            id="fifty squares",
        ),
        pytest.param(
            "draughts", SECOND, "B:WK3,31:B4,K46 2", {}, Style(),
            "Set=Draughts&Game=G&MoveId=M&Turn=2&Tray=0032" + "0" * 26 + "1" + "0" * 14 + "4" + "0" * 4, id="kings are 3 and 4",
        ),
        pytest.param(
            "kriegspiel", SECOND, "", moves("e2e4"), Style(),
            f"Set=Kriegspiel&Game=G&MoveId=M&Turn=2&Tray=rnbqkbnrpppppppp{'0' * 48}&Heard=wm0%2Cbm0", id="own pieces, and heard",
        ),
        pytest.param("kriegspiel", FIRST, "", {}, Style(), "Set=Kriegspiel&Game=G&MoveId=M&Turn=1&Tray=Init&Heard=wm0", id="w"),
        pytest.param(
            "poker", FIRST, "01001SASKHQHJM1-2 0 - 1", {}, Style(),
            "Set=Poker&Game=G&MoveId=M&Turn=1&Tray=01001SASK%3F%3F%3F%3FM1-2&Gain1=0&Gain2=0", id="never Init",
        ),
        pytest.param(
            "poker", SECOND, "01001SASKHQHJM1-2 0 - 1", moves("12"), Style(),
            "Set=Poker&Game=G&MoveId=M&Turn=2&Tray=01002%3F%3F%3F%3FHQHJM12-%3F2&Move1=12&Gain1=0&Gain2=0", id="a bet to answer",
        ),
    ],
)  # fmt: skip
def test_a_question_is_written_to_the_letter(
    name: str, seat: Seat, start: str, play: dict[int, str], style: Style, query: str
) -> None:
    assert asked(name, seat, start, play, style) == query + TAIL


def test_opponent_and_time_out_are_sent_as_agreed() -> None:
    query = asked("tictactoe", FIRST, opponent="ab12", limit=5)
    assert query == "Set=TicTacToe&Game=G&MoveId=M&Turn=1&Tray=Init&Opponent=ab12&TimeOut=5&Referee=R&Status=0"


@pytest.mark.parametrize(("left", "limit"), [(None, 54), (1, 4), (4_999, 4), (5_000, 5), (54_000, 54), (10**9, 54)])
def test_time_out_is_between_4_and_54(left: int | None, limit: int) -> None:
    assert seconds(left) == limit


@pytest.mark.parametrize(
    ("score", "seat", "status"),
    [(Fraction(1), FIRST, 1), (Fraction(1), SECOND, 2), (Fraction(0), FIRST, 3), (Fraction(0), SECOND, 4),
     (Fraction(1, 2), FIRST, 5), (None, SECOND, 9)],
)  # fmt: skip
def test_the_end_has_a_status(score: Fraction | None, seat: Seat, status: int) -> None:
    assert status_of(score, seat) == status
    wire = Correspondence(find_game("tictactoe"), seat, SECRET)
    assert wire.end(status) == f"Set=TicTacToe&Game={wire.game}&Status={status}"
    assert read_status(wire.end(status)) == status


def test_names_are_opaque_and_new_for_each_ask_but_the_same_after_a_crash() -> None:
    game = find_game("tictactoe")
    one, again, another = (Correspondence(game, FIRST, secret) for secret in (SECRET, SECRET, b"other"))
    assert one.game == again.game != another.game
    assert len(one.game) == 10
    first, second = (read_query(wire.ask(game.start(), 1, REFEREE))["MoveId"] for wire in (one, again))
    assert first == second
    assert first.isdigit()
    refused = read_query(one.ask(game.start(), 1, REFEREE))
    assert refused["MoveId"] != first  # asked once more: the same Turn, a new MoveId
    assert refused["Turn"] == "1"


def test_an_address_with_a_query_keeps_it() -> None:
    assert address("http://a/x", "Set=S") == "http://a/x?Set=S"
    assert address("http://a/x?id=7", "Set=S") == "http://a/x?id=7&Set=S"


# ── answers ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Answering:
    """A question that is open, and somebody who calls back."""

    def __init__(self, style: Style | None = None) -> None:
        self.wire = Correspondence(find_game("tictactoe"), FIRST, SECRET, style=style or Style())
        self.ident = self.ask()

    def ask(self) -> str:
        return read_query(self.wire.ask(find_game("tictactoe").start(), 1, REFEREE))["MoveId"]

    def call(self, **fields: str) -> tuple[int, str]:
        reply = self.wire.hear(write_query({"Value": "5", "MoveId": self.ident, "Game": self.wire.game} | fields))
        return reply.status, reply.why.code


def test_a_move_is_answered_once() -> None:
    seat = Answering()
    assert seat.call() == (200, "accepted")
    assert seat.wire.taken() == "5"
    assert seat.call() == (200, "heard-before")
    assert seat.call(Value="6") == (409, "answered-otherwise")
    assert seat.wire.taken() == "5"


@pytest.mark.parametrize("said", ["5%A0", "%C2%A05", "5%0D%0A", "+5+", "5\xa0"])
def test_spaces_around_a_value_are_none_of_it_in_latin_1_either(said: str) -> None:
    seat = Answering()
    reply = seat.wire.hear(f"Game={seat.wire.game}&MoveId={seat.ident}&Value={said}")
    assert (reply.status, seat.wire.taken()) == (200, "5")


def test_late_is_not_unknown() -> None:
    seat = Answering()
    early = seat.ident
    seat.ident = seat.ask()
    assert seat.call(MoveId=early)[0] == 410
    assert seat.call(MoveId="12")[0] == 404
    assert seat.call(Game="other")[0] == 404
    assert seat.call() == (200, "accepted")
    seat.ident = seat.ask()
    seat.wire.expire()
    assert seat.call()[0] == 410
    assert seat.wire.taken() is None


def test_what_is_missing_is_named() -> None:
    seat = Answering()
    assert gives(seat.wire.hear("").why, "answer-incomplete", missing="Game, MoveId, Value")
    assert gives(seat.wire.hear("Game=1&game=2&moveid=3&value=4").why, "answer-incomplete", missing="MoveId, Value")
    assert seat.wire.hear("a" * (LONGEST_QUERY + 1)).status == 400
    assert seat.wire.hear("&".join(["a=1"] * 100)).status == 400


def test_login_counts_only_where_it_was_declared() -> None:
    assert Answering().call(Login="tester") == (200, "accepted")
    seat = Answering(Style(login="ada"))
    assert seat.call()[0] == 403
    assert seat.call(Login="bob")[0] == 403
    assert seat.call(Login="ada") == (200, "accepted")


@pytest.mark.parametrize(
    ("name", "said", "move"),
    [
        ("rochambeau", "1", "rock"),
        ("rochambeau", "2", "paper"),
        ("rochambeau", " 3 ", "scissors"),
        ("rochambeau", "0", "Value=0"),
        ("rochambeau", "rock", "Value=rock"),
        ("mastermind", "ABCD", "ABCD"),
        ("mastermind", "30GCCH", "GCCH"),
        ("mastermind", "ABCDEF", "ABCDEF"),
        ("reversi", "XX", "XX"),
        ("seafight", "C5", "C5"),
        ("poker", "0", "0"),
    ],
)
def test_values_are_read(name: str, said: str, move: str) -> None:
    assert engine_wire(find_game(name)).read_value(said) == move


@given(st.text(max_size=300))
def test_any_call_gets_an_answer(query: str) -> None:
    seat = Answering()
    assert seat.wire.hear(query).status in (400, 404)
    assert seat.wire.taken() is None


# ── both sides of every game ───────────────────────────────────────────────────────────────────────────────────────


CASTLING = ("e1g1", "e1c1", "e8g8", "e8c8")


@pytest.mark.parametrize("name", WIRED)
@settings(max_examples=6, deadline=None)
@example(seed=196, skip=20, full=False)
@given(seed=st.integers(0, 2**32), skip=st.integers(0, 60), full=st.booleans())
def test_an_engine_sees_what_its_seat_sees(name: str, seed: int, skip: int, full: bool) -> None:
    """A whole game over the wire, from the start or a photograph: what engines read is what their seats may know."""
    game = find_game(name)
    notation = notation_of(game)
    steps = list(playout(game, Random(seed)))
    at = 0 if skip < 20 else min(skip, len(steps) - 1)
    while not isinstance(game.phase(steps[at].before), Awaits):
        at -= 1
        if at < 0:
            at = 0
            break
    start = notation.write_state(steps[at].before) if at else ""
    wires = [Correspondence(game, seat, bytes([seat]), start=start, style=Style(full=full)) for seat in (FIRST, SECOND)]
    memory: list[Earlier | None] = [None, None]
    last: dict[Seat, str] = {}
    for step in steps[at:][:200]:
        said = {}
        for seat, move in step.moves.items():
            view, text = game.view(step.before, seat), notation.write(move)
            phase = game.phase(step.before)
            assert isinstance(phase, Awaits)
            query = wires[seat].ask(view, phase.turn, REFEREE)
            fields = read_query(query)
            check_wire(name, fields, seat, last.get(other(seat)))
            question = read_question(query, memory[seat])
            assert question.seat == seat or fields["Turn"] == "1"
            assert (question.move, question.ident, question.referee) == (fields["MoveId"], wires[seat].game, REFEREE)
            if question.seat == seat:
                check_view(name, question.view, view, seat, at)
                if not (name == "kriegspiel" and at and text in CASTLING):  # a photograph does not tell who may still castle
                    question.tray.game.check(question.view, move)
            memory[seat] = past(question, text)
            assert wires[seat].hear(answer_query(question, write_value(question, text))).status == 200
            said[seat] = wires[seat].taken() or ""
            assert notation.read(said[seat], view) == move
        last |= said


def check_wire(name: str, fields: dict[str, str], seat: Seat, last: str | None) -> None:
    """The other's last move is told under his number, in the games that tell it, and no pending choice is."""
    assert set(fields) >= {"Set", "Game", "MoveId", "Turn", "Tray", "TimeOut", "Referee", "Status"}
    assert f"Move{seat + 1}" not in fields
    assert ("Heard" in fields) == (name == "kriegspiel")
    told = fields.get(f"Move{other(seat) + 1}")
    if name in ("tictactoe", "bigtictactoe", "pente", "reversi", "draughts", "poker", "connectfour") and last is not None:
        assert told == last
    if name in ("mastermind", "kriegspiel"):
        assert told is None
    if name in ("mastermind", "seafight", "reversi", "tictactoe", "draughts", "kriegspiel"):
        assert not {"Gain1", "Gain2"} & set(fields)


def check_view(name: str, read: Any, view: Any, seat: Seat, at: int) -> None:
    if name in ("tictactoe", "bigtictactoe") or name not in HOUSE:
        assert read == view
    elif name == "pente":
        assert (read.first, read.second, read.pairs, read.mover) == (view.first, view.second, view.pairs, view.mover)
    elif name == "reversi":
        assert (read.black, read.white, read.mover, read.moves) == (view.black, view.white, view.mover, view.moves)
    elif name == "draughts":
        assert (read.white, read.black, read.kings, read.mover) == (view.white, view.black, view.kings, view.mover)
    elif name == "rochambeau":
        assert read.points == view.points
        assert not read.shown or read.shown[other(seat)] == view.shown[other(seat)]
    elif name == "mastermind":
        assert read.boards[seat] == view.boards[seat]
        assert at or read.code == view.code
    elif name == "seafight":
        assert read.shots[seat] == view.shots[seat]
        if not at:
            assert (read.fleet, read.shots) == (view.fleet, view.shots)
    elif name == "poker":
        assert (read.hand, read.cards, read.gain, read.eye) == (view.hand, view.cards, view.gain, view.eye)
    else:
        assert read.men == view.men
        assert read.now == view.now or len(view.now) > 200
        if not at:
            assert (read.past, read.refused, read.castling) == (view.past, view.refused, view.castling)


@given(st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_sunk_ships_are_found_in_the_marks(seed: int) -> None:
    random = Random(seed)
    game = Seafight()
    fleet = game.sample(game.view(Sea(), FIRST), random)
    assert isinstance(fleet, Fleet)
    sunk = [ship for ship in fleet.ships if random.random() < 0.7]
    shots = "".join("1" if any(cell in ship.cells for ship in sunk) else "0" for cell in range(100))
    marks = judged(fleet, shots)[1]
    found = sunk_ships(marks)
    assert {cell for ship in found for cell in ship.cells} == {cell for ship in sunk for cell in ship.cells}
    assert not Counter(ship.size for ship in found) - Counter(SIZES)


@given(st.text(alphabet="SetGameTurnTrayMov12=&0123456789ABCDPokerReversi%FInit", max_size=200), st.sampled_from(WIRED))
def test_an_engine_refuses_bad_questions_in_words(noise: str, name: str) -> None:
    for query in (
        noise,
        f"Set={listing(name).set}&Turn=3&Tray={noise}",
        f"Set={listing(name).set}&Turn=4&Move1={noise}&Tray=Init",
    ):
        with suppress(ProtocolError):
            read_question(query)


def test_games_without_words_on_this_wire_are_refused() -> None:
    assert unspeakable(find_game("rochambeau", {"states": 5})) is not None
    assert unspeakable(find_game("rochambeau", {"goal": 0})) is not None
    assert unspeakable(find_game("mastermind", {"pegs": 5})) is not None
    assert all(unspeakable(find_game(name)) is None for name in WIRED)


def test_who_is_registered_is_known_by_the_neutral_name_of_records() -> None:
    assert opponent_id("engine:a1b2c3d4e5f6", "engine-a1b2c3d4e5f6") == "engine-a1b2c3d4e5f6"
    people = [opponent_id("human", name) for name in ("player-a1b2c3d4e5f6", "player-0123456789ab")]
    assert people == ["player-a1b2c3d4e5f6", "player-0123456789ab"], "each has his own"
    url = "http://127.0.0.1:9/secret"
    assert "127" not in opponent_id(url, "somebody"), "no address to call"
    assert opponent_id(url, "somebody") == opponent_id(url, "somebody else")
