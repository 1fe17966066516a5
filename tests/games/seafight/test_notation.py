"""Texts of Seafight: cells, fleets, seas, sights, refusals."""

import pytest

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.game import FIRST, SECOND
from arbitre.games.seafight.notation import SeafightNotation
from arbitre.games.seafight.rules import UNTRIED, Cell, Fleet, Sea, Seafight, Ship, Sight
from arbitre.reasons import Reason
from tests.reasons import raises

ONE_OR_THREE = Reason("%(one)s or %(other)s", one=1, other=3)
TEXT = SeafightNotation(Seafight())
ROWS = "H5A01H4A11H3A21H3A31H2A41"


def shots(cells: dict[int, str]) -> str:
    return "".join(cells.get(cell, "0") for cell in range(100))


@pytest.mark.parametrize(("text", "cell"), [("A0", 0), ("J0", 9), ("A9", 90), ("J9", 99), ("C5", 52), ("c5", 52), (" C5 ", 52)])
def test_cells_are_column_then_row_from_the_top(text: str, cell: int) -> None:
    assert TEXT.read(text, Sea()) == cell
    assert TEXT.write(Cell(cell)) == text.strip().upper()


def test_ships() -> None:
    read = TEXT.read("v3c51", Sea())
    assert read == Fleet((Ship(3, 2, 5, True, 1),))
    assert TEXT.write(read) == "V3C51"


def test_a_fleet_is_written_large_ships_first_whatever_the_order() -> None:
    assert TEXT.write(TEXT.read("H2A41H3A31H5A01H3A21H4A11", Sea())) == ROWS


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no-shot-or-fleet"),
        ("C", "no-shot-or-fleet"),
        ("C10", "no-shot-or-fleet"),
        ("K5", "no-shot"),
        ("5C", "no-shot"),
        ("C٣", "not-plain"),
        ("ı5", "not-plain"),
        ("H5A0", "no-shot-or-fleet"),
        (ROWS * 5, "no-shot-or-fleet"),
        ("X5A01", Reason("no-ship", mark="X", ship="X5A01", allowed="VH")),
        ("H5A01H6A11", Reason("no-ship", mark="6", ship="H6A11", allowed="2345")),
        ("H1A01", Reason("no-ship", allowed="2345")),
        ("H5K01", Reason("no-ship", allowed="ABCDEFGHIJ")),
        ("H5Ax1", Reason("no-ship", allowed="0123456789")),
        ("H5A0٣", "not-plain"),
        ("H5A00", Reason("no-ship", allowed="123")),
        ("H5ı01", "not-plain"),
    ],
)
def test_bad_moves_say_where(text: str, why: str | Reason) -> None:
    with raises(InvalidMoveError, why):
        TEXT.read(text, Sea())


def test_positions() -> None:
    empty = f"{UNTRIED}***{UNTRIED}"
    assert TEXT.read_state(f"-,- {empty}") == Sea()
    assert TEXT.write_state(Sea()) == f"-,- {empty} 1"
    placed = TEXT.read_state(f"{ROWS.lower()},H2A41H3A31H5A01H3A21H4A11 {empty}")
    assert TEXT.write_state(placed) == f"{ROWS},{ROWS} {empty} 3"


def test_sights() -> None:
    empty = f"{UNTRIED}***{UNTRIED}"
    none = (Fleet(()), Fleet(()))
    own = Fleet(tuple(Ship(size, 0, row, False) for row, size in enumerate((5, 4, 3, 3, 2))))
    assert TEXT.read_view(f"-,? {empty}") == Sight(1, FIRST, None, (UNTRIED, UNTRIED), none)
    assert TEXT.read_view(f"?,? {empty}") == Sight(1, None, None, (UNTRIED, UNTRIED), none)
    assert TEXT.read_view(f"?,? {empty} 3") == Sight(3, None, None, (UNTRIED, UNTRIED), none)
    assert TEXT.read_view(f"?,{ROWS} {empty}") == Sight(3, SECOND, own, (UNTRIED, UNTRIED), none)
    sunk, water = shots({40: "3", 41: "3"}), shots({98: "1", 99: "1"})
    assert TEXT.read_view(f"{ROWS},?H2A43 {sunk}***{water}") == Sight(
        7, FIRST, own, (sunk, water), (Fleet(()), Fleet((Ship(2, 0, 4, False, 3),)))
    )


ALL = {row * 10 + column: "3" for row, size in enumerate((5, 4, 3, 3, 2)) for column in range(size)}
WRECKS = "H5A03H4A13H3A23H3A33H2A43"
WATER = [80 + n for n in range(17)]


@pytest.mark.parametrize(
    ("fleets", "first", "second", "why"),
    [
        (ROWS, {}, {}, "both fleets with a comma"),
        (f"{ROWS},-", {}, {}, "there are two or none"),
        ("-,-", {0: "1"}, {}, "nobody shoots before"),
        (f"{ROWS},{ROWS[:20]}", {}, {}, Reason("wrong-ships", given="5, 4, 3, 3")),
        (f"{ROWS},{ROWS[:23]}", {}, {}, Reason("ships of five characters, or - or ? and the sunk ones", sizes=5)),
        (f"{ROWS},{ROWS}H2A51", {}, {}, Reason("ships of five characters, or - or ? and the sunk ones", sizes=5)),
        (f"{ROWS},X{ROWS[1:]}", {}, {}, Reason("no-ship", mark="X", ship="X5A01", allowed="VH")),
        (f"{ROWS},H5ı01{ROWS[5:]}", {}, {}, Reason("no-ship", mark="ı", ship="H5ı01", allowed="ABCDEFGHIJ")),
        (f"{ROWS},H5G01{ROWS[5:]}", {}, {}, Reason("off-board", ship="H5G01")),
        (f"{ROWS},H5A11{ROWS[5:]}", {}, {}, Reason("both-on", cell="A1")),
        (f"{ROWS},{ROWS}", {0: "1"}, {}, Reason("with these ships the shot at", cell="A0", due="2", given="1")),
        (
            f"{ROWS},{ROWS[:-1]}2",
            {40: "2", 41: "2"},
            {98: "1"},
            Reason("with these ships the shot at", cell="A4", due="3", given="2"),
        ),
        (f"{ROWS},{ROWS}", {0: "2"}, {}, Reason("after these shots %(ship)s is %(due_ship)s", ship="H5A01", due_ship="H5A02")),
        (f"{ROWS},H5A02{ROWS[5:]}", {}, {}, Reason("after these shots %(ship)s is %(due_ship)s", ship="H5A02", due_ship="H5A01")),
        (f"{ROWS},{ROWS}", {}, {99: "1"}, "shot as often as the second, or once more"),
        (f"{ROWS},{ROWS}", {98: "1", 99: "1"}, {}, "shot as often as the second, or once more"),
        (f"{WRECKS},{WRECKS}", ALL, ALL, "a fleet is sunk, and its owner shot afterwards"),
        (f"{ROWS},{WRECKS}", ALL, dict.fromkeys(WATER, "1"), "a fleet is sunk, and its owner shot afterwards"),
        (f"{ROWS},?", ALL, dict.fromkeys(WATER[:16], "1"), "do not cover exactly"),
        (f"{ROWS},?{WRECKS}", ALL, dict.fromkeys(WATER[:16], "1"), "the game is over"),
        (
            f"{ROWS},?H2A42",
            {40: "2", 41: "2"},
            {98: "1"},
            Reason("of a hidden fleet only sunk ships on the board are seen, not", ship="H2A42"),
        ),
        (f"{ROWS},?H2J43", {}, {}, Reason("of a hidden fleet only sunk ships on the board are seen, not", ship="H2J43")),
        (f"{ROWS},?H2A43H2C43", dict.fromkeys((40, 41, 42, 43), "3"), {96: "1", 97: "1", 98: "1"}, "more ships of one size"),
        (f"{ROWS},?", dict.fromkeys(range(13), "2"), dict.fromkeys(WATER[:12], "1"), "more cells are hit"),
    ],
)
def test_impossible_positions_say_why(fleets: str, first: dict[int, str], second: dict[int, str], why: str | Reason) -> None:
    with raises(PositionError, why):
        TEXT.read_view(f"{fleets} {shots(first)}***{shots(second)}")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"-,- {UNTRIED}***{UNTRIED} 3", Reason("with these fleets and shots it is turn", turns="1", turn=3)),
        (f"?,? {UNTRIED}***{UNTRIED} 2", Reason("with these fleets and shots it is turn", turns=ONE_OR_THREE, turn=2)),
        (f"-,- {UNTRIED}{UNTRIED}", Reason("the second field is both players' shots with", between="***")),
        (f"-,- {UNTRIED}***{UNTRIED[1:]}", Reason("the board has %(size)s cells, not %(word)s", size=100, word=99)),
        (f"-,- {UNTRIED}***{UNTRIED[1:]}4", Reason("%(character)r is none of %(allowed)s", character="4", allowed="0123")),
        ("", Reason("expected so many fields", fields=2)),
    ],
)
def test_bad_positions_say_why(text: str, why: str | Reason) -> None:
    with raises(PositionError, why):
        TEXT.read_state(text)


def test_a_state_hides_nothing() -> None:
    with raises(PositionError, "needs both fleets"):
        TEXT.read_state(f"{ROWS},? {UNTRIED}***{UNTRIED}")


def test_an_eye_is_drawn_only_the_ships_it_knows() -> None:
    game = Seafight()
    state = TEXT.read_state(f"{ROWS},{ROWS[:-1]}3 {shots({40: '3', 41: '3', 99: '1'})}***{shots({98: '1', 99: '1'})}")
    assert TEXT.picture(state).count("■") == 17 + 15
    own = TEXT.picture(game.view(state, FIRST))
    assert own.count("■") == 17
    assert own.count("#") == 2
    assert "afloat: 5 4 3 3 2              afloat: 5 4 3 3" in own
    assert "■" not in TEXT.picture(game.view(state, "spectator"))
