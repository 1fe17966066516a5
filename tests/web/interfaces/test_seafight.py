"""Seafight's interface: the harbour where a fleet is placed, and the waters in their three layouts."""

from random import Random
from typing import TYPE_CHECKING

import pytest

from arbitre.games.game import FIRST, SECOND, Eye, Seat
from arbitre.games.screen import Method, Shown
from arbitre.games.seafight.notation import SeafightNotation
from arbitre.games.seafight.rules import Cell, Fleet, Sea, Seafight, check_fleet, spot
from arbitre.games.wires import screen_of
from tests.browser import browsing, picture
from tests.web.interfaces.stage import Stage, click, complaints

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

HITS = "2" + "0" * 99


def sea(turns: int, seed: int = 5) -> tuple[Sea, Sea]:
    """Return the states before and after one turn of a random game: both shots often hit, as they do between people."""
    game, random = Seafight(), Random(seed)
    before = state = game.play(
        game.start(), {seat: game.sample(game.view(game.start(), seat), random) for seat in (FIRST, SECOND)}
    )
    while state.turn < turns and not game.end(state.shots):
        seat = Seat((state.turn - 1) % 2)
        assert state.fleets
        open_cells = [cell for cell, mark in enumerate(state.shots[seat]) if mark == "0"]
        aimed = [cell for ship in state.fleets[1 - seat].ships for cell in ship.cells if cell in open_cells]
        before, state = state, game.play(state, {seat: Cell(random.choice(aimed if random.random() < 0.4 else open_cells))})
    return before, state


def told(turns: int, eye: Eye, asks: Seat | None = None, people: frozenset[Seat] = frozenset()) -> Shown:
    """Return what an interface is told of that turn."""
    screen = screen_of(Seafight(), people)
    before, after = (screen.game.view(state, eye) for state in sea(turns))
    return screen.show(after, eye, before=before, asks=asks)


def fleet(text: str) -> Fleet:
    """Return the fleet that a text says, if it may be placed."""
    read = SeafightNotation(Seafight()).read(text, None)  # type: ignore[arg-type]
    assert isinstance(read, Fleet)
    check_fleet(read)
    return read


def drag(page: "Page", frame: "Frame", size: int, cell: int, nth: int = 0) -> None:
    """Drag a ship by its first cell to a cell of the board."""
    ship = frame.locator(f".moored:has([data-size='{size}'])").nth(nth).bounding_box()
    goal = frame.locator(f"#board-1-{cell}").bounding_box()
    assert ship
    assert goal
    half = min(ship["width"], ship["height"]) / 2
    page.mouse.move(ship["x"] + half, ship["y"] + half)
    page.mouse.down()
    page.mouse.move(ship["x"] + half + 20, ship["y"] + half + 20)
    page.mouse.move(goal["x"] + goal["width"] / 2, goal["y"] + goal["height"] / 2)
    page.mouse.up()


PREPARED = Shown("Seafight", method="Prepare", count=0, asks=FIRST)


@browsing()
def test_a_fleet_is_placed_by_hand(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    frame = site.open(page, PREPARED, names=("Ada", "Zoë"), legend="Ready", returns=site.returns)
    ready = frame.locator("button.control")
    assert ready.text_content() == "Ready"
    picture(page, "seafight-harbour")
    drag(page, frame, 5, 0)
    drag(page, frame, 4, 2)
    assert frame.locator(".moored.placed").count() == 1, "the second ship would lie on the first"
    drag(page, frame, 4, 21)
    drag(page, frame, 3, 49)
    assert frame.locator(".moored.placed").count() == 2, "the third would reach off the board"
    drag(page, frame, 3, 47)
    assert ready.is_disabled()
    drag(page, frame, 3, 70, nth=0)
    drag(page, frame, 2, 55)
    frame.locator(".moored:has([data-size='2'])").click()
    picture(page, "seafight-placed")
    assert ready.is_enabled()
    ready.click()
    assert site.returned_value() == str(fleet(site.returned_value())) == "H5A01H4B21H3H41H3A71V2F51"
    assert errors == []


@browsing()
def test_a_fleet_is_placed_by_keys(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("Seafight", method="Prepare", asks=SECOND), returns=site.returns)
    frame.locator("svg.harbour").click(position={"x": 3, "y": 300})
    for key in ("1", "r", "2", "ArrowDown", "ArrowRight", "3", "4", "ArrowDown", "5", "ArrowDown", "R", "Enter"):
        page.keyboard.press(key)
    ships = fleet(site.returned_value()).ships
    assert [ship.vertical for ship in ships] == [True, False, False, False, True]


@pytest.mark.campaign
@browsing(color_scheme="dark")
def test_dice_place_a_fleet(page: "Page", site: Stage) -> None:
    frame = site.open(page, PREPARED, legend="Ready", returns=site.returns)
    for _ in range(5):
        frame.locator(".press-dice").click()
    picture(page, "seafight-dice-dark")
    frame.locator("button.control").click()
    fleet(site.returned_value())


@pytest.mark.parametrize(
    ("people", "asks", "method"),
    [({FIRST}, FIRST, "Inverse"), ({SECOND}, SECOND, "Standard"), ({FIRST, SECOND}, FIRST, "Double")],
)
@browsing()
def test_the_layouts(page: "Page", site: Stage, people: set[Seat], asks: Seat, method: Method) -> None:
    errors = complaints(page)
    shown = told(31 + asks, asks, asks, frozenset(people))
    assert shown.method == method
    marks = sea(31 + asks)[1].shots[asks]
    frame = site.open(page, shown, names=("Ada", "Zoë"), returns=site.returns)
    waters = frame.locator("section.waters")
    wide = [box["width"] for box in (waters.nth(n).bounding_box() for n in (0, 1)) if box]
    if method == "Double":
        assert abs(wide[0] - wide[1]) < 2
    else:
        assert wide[0] > 1.5 * wide[1], "what the person shoots at is large"
    assert waters.nth(0).locator(".shot").count() == 100 - marks.count("0")
    assert waters.nth(0).locator(".sign-target").count() == marks.count("0")
    assert waters.nth(1).locator(".sign-target").count() == 0
    assert waters.nth(1).locator(".sign-last").count() == 1, "the other shot last"
    assert waters.nth(1).locator(".board .ship").count() == 5, "the own fleet is shown"
    picture(page, f"seafight-{method.lower()}")
    click(page, frame, next(cell for cell, mark in enumerate(marks) if mark != "0"))
    assert site.returned == [], "it was shot at before"
    cell = marks.index("0")
    click(page, frame, cell)
    assert site.returned_value() == spot(Cell(cell))
    assert errors == []


@browsing()
def test_a_shot_by_keys(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("Seafight", f"{HITS}***{HITS}", "Inverse", asks=FIRST), returns=site.returns)
    frame.locator("svg.board").first.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    assert site.returned_value() == "F3"


@browsing()
def test_a_ship_sinks_after_the_wait(page: "Page", site: Stage) -> None:
    sunk = "".join("3" if n in (56, 66, 76) else "0" for n in range(100))
    shown = Shown("Seafight", f"{sunk}***{HITS}", "Double", ("G63", None), (None, "V3G53"))
    frame = site.open(page, shown, wait=4, mute=True)
    assert frame.locator(".shot-sunk").count() == 3
    assert frame.locator(".ship-state-3").count() == 2, "the ship, and its like below the waters"
    assert frame.locator(".silhouette[data-sunk=yes]").count() == 1


@browsing()
def test_the_end_shows_both_fleets(page: "Page", site: Stage) -> None:
    shown = told(300, "spectator")
    assert shown.method == "End"
    frame = site.open(page, shown, names=("Ada", "Zoë"))
    assert frame.locator("section.won").count() == 1
    assert frame.locator(".board .ship").count() == 10
    picture(page, "seafight-won")


@pytest.mark.campaign
@browsing(viewport={"width": 390, "height": 720})
def test_a_phone(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    page.goto(f"{site.root}/seafight.html?{told(31, FIRST, FIRST).query()}")
    page.locator("html[data-state=asking]").wait_for(state="attached")
    picture(page, "seafight-phone")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert errors == []


@pytest.mark.campaign
@browsing()
def test_the_bench_composes_and_plays(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    frame = site.open(page, Shown("Seafight", method="Double"), web_test=True)
    frame.locator("button[aria-label='= 2']").click()
    click(page, frame, 0)
    click(page, frame, 99, board=2)
    frame.locator("button[aria-label='2 ▶']").click()
    click(page, frame, 1, board=2)
    assert frame.locator("input[aria-label=Tray]").input_value() == "2" + "0" * 99 + "***01" + "0" * 97 + "2"
    assert frame.locator("input[aria-label=Value]").input_value() == "B0"
    picture(page, "seafight-bench")
    assert errors == []


@browsing()
def test_the_bench_places_fleets(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    frame = site.open(page, Shown("Seafight", method="Prepare"), web_test=True, legend="Ready")
    for seat in (1, 2):
        frame.locator(f"button[aria-label='{seat} ▶']").click()
        frame.locator(".press-dice").click()
        frame.locator("button.control").click()
        fleet(frame.locator("input[aria-label=Value]").input_value())
    assert site.returned == []
    assert errors == []
