"""Seafight: fleets, shots, sinking, the end, and who sees which ship."""

from collections.abc import Iterable
from itertools import zip_longest
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.errors import IllegalMoveError, OpenSetError
from arbitre.games.game import FIRST, LOSS, SECOND, WIN, Awaits, Outcome, playout
from arbitre.games.seafight.notation import SeafightNotation
from arbitre.games.seafight.rules import BERTHS, BOTH, SIZES, UNTRIED, Cell, Fleet, Sea, Seafight, Ship, Sight, judged
from arbitre.reasons import Reason
from tests.reasons import raises

GAME = Seafight()
TEXT = SeafightNotation(GAME)
START = GAME.view(GAME.start(), FIRST)

ROWS = "H5A01H4A11H3A21H3A31H2A41"
"""All ships at the left, one under the other, from row 0 to row 4: they touch, which is allowed."""

SEA = ["A8", "B8", "C8", "D8", "E8", "F8", "G8", "H8", "I8", "J8", "A9", "B9", "C9", "D9", "E9", "F9", "G9", "H9", "I9", "J9"]
"""Cells without a ship."""

SHIPS = [f"{'ABCDE'[column]}{row}" for row, size in enumerate(SIZES) for column in range(size)]
"""Cells with one, ship by ship."""


def fleet(text: str) -> Fleet:
    read = TEXT.read(text, START)
    assert isinstance(read, Fleet)
    return read


def after(first: Iterable[str] = (), second: Iterable[str] = ()) -> Sea:
    """Return the sea after both placed their ships in rows and shot at these cells in turn."""
    state = GAME.play(GAME.start(), {FIRST: fleet(ROWS), SECOND: fleet(ROWS)})
    for pair in zip_longest(first, second):
        for seat, name in zip((FIRST, SECOND), pair, strict=True):
            if name is not None:
                view = GAME.view(state, seat)
                shot = TEXT.read(name, view)
                GAME.check(view, shot)
                state = GAME.play(state, {seat: shot})
    return state


def marks(**named: str) -> str:
    """Return the hundred marks with these cells set."""
    cells = list(UNTRIED)
    for name, mark in named.items():
        cells["0123456789".index(name[1]) * 10 + "ABCDEFGHIJ".index(name[0])] = mark
    return "".join(cells)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ROWS, id="touching"),
        pytest.param("H5F01V4J11V3A71H3F91H2I61", id="at the edges"),
        pytest.param("V5A51V4B61V3C71V3D71V2E81", id="side by side at the bottom"),
    ],
)
def test_good_fleets(text: str) -> None:
    GAME.check(START, fleet(text))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(
            "H5A01H4A11H3A21H3A31", Reason("wrong-ships", sizes="5, 4, 3, 3, 2", given="5, 4, 3, 3"), id="a ship missing"
        ),
        pytest.param(
            ROWS + "H2A51", Reason("wrong-ships", sizes="5, 4, 3, 3, 2", given="5, 4, 3, 3, 2, 2"), id="a ship too many"
        ),
        pytest.param("H5A01H4A11H3A21H2A31H2A41", Reason("wrong-ships", given="5, 4, 3, 2, 2"), id="another ship"),
        pytest.param("H5A01H4A11H3A21H3A32H2A41", Reason("not-intact", ship="H3A32"), id="hit before the battle"),
        pytest.param("H5A03H4A11H3A21H3A31H2A41", Reason("not-intact", ship="H5A03"), id="sunk before the battle"),
        pytest.param("H5G01H4A11H3A21H3A31H2A41", Reason("off-board", ship="H5G01"), id="over the right edge"),
        pytest.param("H5A01H4A11H3A21H3A31V2A91", Reason("off-board", ship="V2A91"), id="over the bottom"),
        pytest.param("H5A01V4E01H3A21H3A31H2A41", Reason("both-on", other="H5A01", ship="V4E01", cell="E0"), id="crossing"),
        pytest.param("H5A01H4A11H3A21H3A21H2A41", Reason("both-on", other="H3A21", ship="H3A21", cell="A2"), id="twice the same"),
        pytest.param(
            "H5A01H4A11H3A21H3A31V2C21", Reason("both-on", other="H3A21", ship="V2C21", cell="C2"), id="one on another's end"
        ),
    ],
)
def test_bad_fleets_say_why(text: str, why: str | Reason) -> None:
    with raises(IllegalMoveError, why):
        GAME.check(START, fleet(text))


def test_a_ship_outside_every_column_is_refused_too() -> None:
    ships = [Ship(5, 12, 0, True), *fleet(ROWS).ships[1:]]
    with raises(IllegalMoveError, "off-board"):
        GAME.check(START, Fleet(tuple(ships)))


def test_the_order_of_placing_ships_does_not_matter() -> None:
    assert fleet("H2A41H3A31H5A01H3A21H4A11") == fleet(ROWS)
    assert hash(fleet("H2A41H3A31H5A01H3A21H4A11")) == hash(fleet(ROWS))


def test_fleets_are_not_listed() -> None:
    with pytest.raises(OpenSetError):
        GAME.legal(START)


def test_berths_are_counted() -> None:
    assert {size: len(places) for size, places in BERTHS.items()} == {2: 180, 3: 160, 4: 140, 5: 120}


@given(st.integers())
def test_sampled_fleets_are_good(seed: int) -> None:
    GAME.check(START, GAME.sample(START, Random(seed)))


def test_sampled_fleets_are_as_likely_upright_as_lying() -> None:
    random = Random(1)
    samples = [GAME.sample(START, random) for _ in range(2_000)]
    upright = sum(ship.vertical for one in samples if isinstance(one, Fleet) for ship in one.ships)
    assert abs(upright - 5_000) < 300, "six standard deviations"


def test_fleets_are_placed_at_once_and_shots_alternate_from_turn_three() -> None:
    assert GAME.phase(GAME.start()) == Awaits(BOTH, 1)
    assert GAME.phase(after()) == Awaits(frozenset({FIRST}), 3)
    assert GAME.phase(after(["J9"])) == Awaits(frozenset({SECOND}), 4)
    assert GAME.phase(after(["J9"], ["J9"])) == Awaits(frozenset({FIRST}), 5)


def test_a_hit_gives_no_second_shot() -> None:
    assert GAME.phase(after(["A0"])) == Awaits(frozenset({SECOND}), 4)


def test_marks_of_shots() -> None:
    water = after(["F0"])
    assert water.shots == (marks(F0="1"), UNTRIED)
    hit = after(["A4"])
    assert hit.shots == (marks(A4="2"), UNTRIED)
    assert hit.fleets == (fleet(ROWS), fleet("H5A01H4A11H3A21H3A31H2A42"))


def test_sinking_marks_all_cells_of_that_ship_alone() -> None:
    sunk = after(["A4", "A3", "B4"], ["J9", "J8"])
    assert sunk.shots[0] == marks(A4="3", B4="3", A3="2")
    assert sunk.fleets is not None
    assert sunk.fleets[1] == fleet("H5A01H4A11H3A21H3A32H2A43")


def test_the_second_players_shots_fall_on_the_first() -> None:
    state = after(["J9"], ["C5"])
    assert state.shots == (marks(J9="1"), marks(C5="1"))
    state = after(["J9"], ["A0"])
    assert state.fleets == (fleet("H5A02H4A11H3A21H3A31H2A41"), fleet(ROWS))


@pytest.mark.parametrize(
    ("first", "second", "scores"),
    [
        pytest.param(SHIPS, SEA[:16], (WIN, LOSS), id="no equalising shot for the second"),
        pytest.param(SHIPS, SHIPS[:16], (WIN, LOSS), id="not even when one would do"),
        pytest.param(SEA[:17], SHIPS, (LOSS, WIN), id="the second sinks all"),
    ],
)
def test_the_first_to_sink_all_wins(first: list[str], second: list[str], scores: object) -> None:
    end = GAME.phase(after(first, second))
    assert isinstance(end, Outcome)
    assert end.scores == scores
    assert end.reason.code == "fleet-sunk"


def test_one_cell_afloat_keeps_the_game_going() -> None:
    assert GAME.phase(after(SHIPS[:16], SHIPS[:16])) == Awaits(frozenset({FIRST}), 35)


def test_an_eye_sees_its_own_fleet_all_shots_and_what_is_sunk() -> None:
    state = after(["A4", "B4"], ["A0", "J9"])
    assert state.fleets is not None
    sunk = (Fleet(()), fleet("H2A43"))
    assert GAME.view(state, FIRST) == Sight(7, FIRST, fleet("H5A02H4A11H3A21H3A31H2A41"), state.shots, sunk)
    assert GAME.view(state, SECOND) == Sight(7, SECOND, fleet("H5A01H4A11H3A21H3A31H2A43"), state.shots, sunk)
    assert GAME.view(state, "spectator") == Sight(7, None, None, state.shots, sunk)
    assert GAME.view(state, "referee") == state
    over = after(SHIPS, SEA[:16])
    assert all(GAME.view(over, eye) == over for eye in (FIRST, SECOND, "spectator", "referee"))


def test_fleets_are_secret_and_shots_are_not() -> None:
    assert GAME.secret(GAME.start(), FIRST)
    assert GAME.secret(GAME.start(), SECOND)
    assert not GAME.secret(after(), FIRST)


def test_untried_cells_may_be_shot_at() -> None:
    view = GAME.view(after(["A0", "B0"], ["C0", "D0"]), FIRST)
    assert list(GAME.legal(view)) == list(range(2, 100))


@pytest.mark.parametrize(
    ("state", "move", "why"),
    [
        pytest.param(after(["C5"], ["A0"]), Cell(52), Reason("shot-before", cell="C5"), id="the same cell again"),
        pytest.param(after(["A4", "B4"], ["A0", "B0"]), Cell(41), Reason("shot-before", cell="B4"), id="a sunk ship"),
        pytest.param(after(), Cell(100), "no-cell", id="below the board"),
        pytest.param(after(), Cell(-1), "no-cell", id="above the board"),
        pytest.param(after(), fleet(ROWS), "shot-due", id="a second fleet"),
        pytest.param(GAME.start(), Cell(5), "fleet-due", id="a shot too early"),
        pytest.param(after(["J9"]), Cell(5), "not-your-turn", id="out of turn"),
        pytest.param(after(SHIPS, SEA[:16]), Cell(99), "game-over", id="too late"),
    ],
)
def test_illegal_moves_say_why(state: Sea, move: Fleet | Cell, why: str | Reason) -> None:
    with raises(IllegalMoveError, why):
        GAME.check(GAME.view(state, FIRST), move)


def test_who_has_no_seat_does_not_play() -> None:
    sights = (
        (GAME.view(after(), "spectator"), "only-players"),
        (GAME.view(after(), "referee"), "only-players"),
    )
    for view, why in sights:
        assert list(GAME.legal(view)) == []
        with raises(IllegalMoveError, why):
            GAME.check(view, Cell(0))


def test_shot_by_shot_and_all_at_once_are_judged_alike() -> None:
    for seed in range(5):
        for step in playout(GAME, Random(seed)):
            if step.before.fleets is not None and step.after.fleets is not None:
                for seat in (0, 1):
                    shots = step.after.shots[1 - seat]
                    assert judged(step.before.fleets[seat], shots) == (step.after.fleets[seat], shots)
