"""What interfaces are told: tables of positions, a well-formed query for every position of every game, and no secrets."""

import re
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.errors import ProtocolError
from arbitre.games.catalogue import game
from arbitre.games.game import FIRST, SECOND, AnyGame, Awaits, Eye, Outcome, Seat, Step, playout
from arbitre.games.notation import notation_of
from arbitre.games.screen import Phrase, Shown, Surroundings, escape
from arbitre.games.wires import screen_of
from arbitre.testing import Case
from tests.games.conformance import parts
from tests.house import HOUSE

GAMES = HOUSE
every_game = pytest.mark.parametrize("name", GAMES)


def table(name: str) -> AnyGame:
    return game(name, {"goal": 5} if name == "rochambeau" else {})


# ── the query ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Ada", "Ada"),
        ("a b&c=d", "a%20b%26c%3Dd"),
        ("+@*_-./", "+@*_-./"),
        ("Zoë", "Zo%EB"),
        ("象", "%u8C61"),
        ("🎲", "%uD83C%uDFB2"),
        ("100 %", "100%20%25"),
        ("\x00\n", "%00%0A"),
    ],
)
def test_words_are_written_as_javascript_escapes_them(text: str, written: str) -> None:
    assert escape(text) == written


@given(st.text())
def test_escaped_text_reads_back(text: str) -> None:
    written = escape(text)
    assert re.fullmatch(r"(?:[A-Za-z0-9@*_+\-./]|%u[0-9A-F]{4}|%[0-9A-F]{2})*", written)
    units = re.sub(r"%u(....)|%(..)", lambda found: chr(int(found[1] or found[2], 16)), written)
    assert units.encode("utf-16-be", "surrogatepass").decode("utf-16-be") == text


def test_what_is_absent_is_left_out() -> None:
    assert Shown("Reversi").query() == "Set=Reversi&Method=Standard"
    assert (
        Shown("Pente", gains=("0", ""), count=0).query(Surroundings(names=("", None)))
        == "Set=Pente&Method=Standard&Gain1=0&Count=0"
    )


def test_a_full_query() -> None:
    shown = Shown("TicTacToe", tray="100000000", moves=("1", None), count=1, asks=SECOND)
    site = Surroundings(("Ada", "M. B"), "À vous", "coup 1", "http://127.0.0.1:8000/r/abc", 3, True, "ffffff")
    assert shown.query(site) == (
        "Set=TicTacToe&Method=Standard&Name1=Ada&Name2=M.%20B&Tray=100000000&Move1=1&Count=coup%201&Legend=%C0%20vous"
        "&Wait=3&Mute=yes&Color=ffffff&Input=Two&URLReturn=http://127.0.0.1:8000/r/abc"
    )


@pytest.mark.parametrize(
    "returns",
    [
        "javascript:alert(1)",
        "ftp://host/x",
        "http://host/x?y",
        "https://host/a=b",
        "http://host/a%20b",
        "http://host/a&b",
        "//host",
        "",
    ],
)
def test_only_plain_http_addresses_are_sent(returns: str) -> None:
    with pytest.raises(ProtocolError):
        Shown("Pente").query(Surroundings(returns=returns))


@pytest.mark.parametrize("colour", ["red", "#ffffff", "fffffff", "12 456"])
def test_a_colour_is_six_digits(colour: str) -> None:
    with pytest.raises(ProtocolError):
        Shown("Pente").query(Surroundings(colour=colour))


# ── every position ─────────────────────────────────────────────────────────────────────────────────────────────────


def seen(screen: Any, step: Any, eye: Any, asks: Seat | None) -> Shown:
    before, after = (screen.game.view(state, eye) for state in (step.before, step.after))
    shown: Shown = screen.show(after, eye, before=before, asks=asks)
    return shown


@every_game
def test_every_position_gives_a_well_formed_query(name: str) -> None:
    screen = screen_of(table(name))
    assert screen.name.lower() == name
    for step in Case(screen.game).some(40):
        phase = screen.game.phase(step.after)
        for eye in Case(screen.game).eyes:
            for asks in (None, *(sorted(phase.seats) if isinstance(phase, Awaits) else ())):
                shown = seen(screen, step, eye, asks)
                query = shown.query(Surroundings(("a", "b"), returns="https://host/r/1"))
                assert re.fullmatch(r"(?:[A-Z][A-Za-z0-9]*=[^&=]+&)*[A-Z][A-Za-z0-9]*=[^&=]+", query)
                assert len(query) < 4_000
                assert shown.asks in (None, asks)
                if shown.method == "End":
                    assert isinstance(phase, Outcome)
                    assert shown.asks is None
    assert screen.nothing().query() == f"Set={screen.name}&Method=None"


UNMARKED = {
    "tictactoe": str.maketrans("34", "12"),
    "bigtictactoe": {},
    "pente": str.maketrans("34569", "12000"),
    "reversi": str.maketrans("1278", "0034"),
    "draughts": {},
    "kriegspiel": {},
}


@pytest.mark.parametrize("name", sorted(UNMARKED))
def test_the_tray_reads_back(name: str) -> None:
    screen = screen_of(table(name))
    for step in Case(screen.game).some(40):
        for seat in (FIRST, SECOND):
            phase = screen.game.phase(step.after)
            asks = seat if isinstance(phase, Awaits) and seat in phase.seats else None
            shown = seen(screen, step, seat, asks)
            due = screen.tray.write(screen.game.view(step.after, seat), seat)
            assert (shown.tray or "").translate(UNMARKED[name]) == due
            assert shown.asks == asks


@pytest.mark.parametrize("name", ["tictactoe", "bigtictactoe", "pente", "reversi", "draughts"])
def test_the_last_move_is_the_one_that_was_made(name: str) -> None:
    screen = screen_of(table(name))
    text = notation_of(screen.game)
    for step in playout(screen.game, Random(11)):
        ((seat, move),) = step.moves.items()
        shown = seen(screen, step, "spectator", None)
        told = shown.moves[seat]
        assert shown.moves[1 - seat] is None
        if name == "tictactoe" and set("34") & set(shown.tray or ""):
            assert told is None
            continue
        assert told is not None
        assert screen.game.play(step.before, {seat: text.read(screen.tray.read_value(told), step.before)}) == step.after
        assert text.write(move) == told or name == "draughts"


# ── marks ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def after(name: str, *said: str) -> tuple[Any, Any, Any]:
    """Return the screen of a game, the state before the last of these moves and the one after it."""
    screen = screen_of(table(name))
    text = notation_of(screen.game)
    before = state = screen.game.start()
    for one in said:
        phase = screen.game.phase(state)
        assert isinstance(phase, Awaits)
        (seat,) = phase.seats
        before, state = state, screen.game.play(state, {seat: text.read(one, screen.game.view(state, seat))})
    return screen, before, state


def test_a_winning_line() -> None:
    screen, before, state = after("tictactoe", "1", "2", "5", "3", "9")
    shown = screen.show(state, "spectator", before=before)
    assert (shown.tray, shown.method, shown.moves, shown.count) == ("322030003", "End", (None, None), 5)


def test_a_pair_is_taken() -> None:
    screen, before, state = after("pente", "AA", "BA", "SS", "CA", "DA")
    shown = screen.show(state, FIRST, before=before)
    assert shown.tray.startswith("16610")
    assert (shown.moves, shown.gains) == (("DA", None), ("1", "0"))
    assert screen.show(state, FIRST).tray.startswith("10010")


def test_the_second_stone_of_the_first_is_barred_from_the_centre() -> None:
    screen, before, state = after("pente", "JJ", "KK")
    assert screen.show(state, "spectator", before=before).tray.count("9") == 0
    assert screen.show(state, FIRST, before=before, asks=FIRST).tray.count("9") == 23


def test_a_row_of_five() -> None:
    screen, before, state = after("pente", "AA", "AS", "BA", "BS", "CA", "CR", "DA", "DR", "EA")
    shown = screen.show(state, SECOND, before=before)
    assert shown.tray.startswith("3333300")
    assert shown.method == "End"


def test_discs_turn_and_moves_are_shown_to_who_is_asked() -> None:
    screen, before, state = after("reversi", "D3")
    assert screen.show(state, SECOND, before=before).tray[16:40] == "000300000007300000034000"
    assert screen.show(state, SECOND, before=before, asks=SECOND).tray[16:40] == "002320000007300000234000"
    assert screen.show(state, SECOND, before=before, asks=FIRST).asks is None, "it is not his turn"


def test_a_pass_is_said() -> None:
    screen = screen_of(table("reversi"))
    for seed in range(40):
        for step in playout(screen.game, Random(seed)):
            if not step.before.moves:
                asked = screen.show(step.before, FIRST, asks=step.before.mover)
                assert asked.legend is Phrase.I_PASS
                shown = seen(screen, step, "spectator", None)
                assert shown.moves[step.before.mover] == "XX"
                assert shown.legend is (Phrase.BLACK_PASSES if step.before.mover == FIRST else Phrase.WHITE_PASSES)
                return
    pytest.fail("no random game of forty has a pass")


def test_kriegspiel_shows_the_own_moves_and_the_own_losses() -> None:
    screen, before, state = after("kriegspiel", "e2e4", "d7d5", "e4d5")

    def show(eye: Eye) -> Shown:
        return seen(screen, Step(before, {}, None, state), eye, None)

    white, black, anyone = show(FIRST), show(SECOND), show("spectator")
    assert (white.moves, black.moves, anyone.moves) == (("e4d5", None), ("d5", None), (None, None))
    assert white.tray == "0" * 24 + "000P0000" + "0" * 16 + "PPPP0PPPRNBQKBNR"
    assert black.tray == "rnbqkbnrppp0pppp" + "0" * 48
    assert anyone.tray == "0" * 64
    assert (white.side, black.side, black.heard) == (None, SECOND, "wm1,wpn,bm0")
    assert show("referee").tray == "rnbqkbnrppp0pppp" + "0" * 8 + "000P0000" + "0" * 16 + "PPPP0PPPRNBQKBNR"


@pytest.mark.parametrize("name", [one for one in GAMES if hasattr(parts(one), "resample")])
def test_no_interface_learns_a_secret(name: str) -> None:
    screen = screen_of(table(name))
    own = parts(name)
    random = Random(12)
    changed = 0
    for step in Case(screen.game).some(30):
        phase = screen.game.phase(step.before)
        for eye in Case(screen.game).eyes[:-1]:
            another = own.resample(screen.game, step.before, eye, random)
            changed += another != step.before
            for asks in (None, *(sorted(phase.seats) if isinstance(phase, Awaits) else ())):
                one, two = (screen.show(screen.game.view(truth, eye), eye, asks=asks) for truth in (step.before, another))
                assert one == two, f"{eye} can tell two truths apart"
    assert changed, "resampling never changed anything: the test proves nothing"
