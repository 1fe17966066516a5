"""Seafight's interface: the harbour where a fleet is placed, and the waters in their three layouts."""

from typing import TYPE_CHECKING

import pytest

from arbitre.notation.seafight import SeafightNotation
from arbitre.protocol.screen import Method, Shown
from arbitre.rules.game import FIRST, SECOND, Seat
from arbitre.rules.seafight import Fleet, Seafight, check_fleet
from tests.browser import browsing, picture
from tests.web.interfaces.stage import Stage, click, complaints

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

MINE = "H5A01H4B22V3J41H3A71V2F51"
HALVES = "".join(
    "1" if n in (3, 12, 45, 61, 77, 90) else "2" if n in (33, 34) else "3" if n in (56, 66, 76) else "0" for n in range(100)
)
THEIRS = "".join("1" if n in (9, 15, 48, 91) else "2" if n == 22 else "0" for n in range(100))
TRAY = f"{HALVES}***{THEIRS}"


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
    assert str(fleet(site.returned_value())) == "H5A01H4B21H3H41H3A71V2F51"
    assert errors == []


@browsing()
def test_a_fleet_is_placed_by_keys(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("Seafight", method="Prepare", asks=SECOND), returns=site.returns)
    frame.locator("svg.harbour").click(position={"x": 3, "y": 300})
    for key in ("1", "r", "2", "ArrowDown", "ArrowRight", "3", "4", "ArrowDown", "5", "ArrowDown", "R", "Enter"):
        page.keyboard.press(key)
    ships = fleet(site.returned_value()).ships
    assert [ship.vertical for ship in ships] == [True, False, False, False, True]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dice_place_a_fleet(chromium: object, site: Stage, scheme: str) -> None:
    @browsing(color_scheme=scheme)
    def story(page: "Page") -> None:
        frame = site.open(page, PREPARED, legend="Ready", returns=site.returns)
        for _ in range(5):
            frame.locator(".press-dice").click()
        picture(page, f"seafight-dice-{scheme}")
        frame.locator("button.control").click()
        fleet(site.returned_value())

    story(chromium)


@pytest.mark.parametrize(("method", "asks", "large"), [("Inverse", FIRST, 0), ("Standard", SECOND, 1), ("Double", FIRST, None)])
@browsing()
def test_the_layouts(page: "Page", site: Stage, method: Method, asks: Seat, large: int | None) -> None:
    errors = complaints(page)
    gains = (MINE, "V3G53") if asks == FIRST else (None, MINE)
    moves = ("G63", None) if asks == SECOND else (None, "C22")
    shown = Shown("Seafight", TRAY, method, moves, gains, 14, asks)
    frame = site.open(page, shown, names=("Ada", "Zoë"), returns=site.returns)
    boxes = [frame.locator("section.waters").nth(n).bounding_box() for n in (0, 1)]
    wide = [box["width"] for box in boxes if box]
    if large is None:
        assert abs(wide[0] - wide[1]) < 2
    else:
        assert wide[0] > 1.5 * wide[1], "what the person shoots at is large"
    assert frame.locator("section").nth(0).locator(".shot").count() == (11 if asks == FIRST else 5)
    assert frame.locator("section").nth(0).locator(".sign-target").count() == (89 if asks == FIRST else 95)
    assert frame.locator("section").nth(1).locator(".sign-target").count() == 0
    assert frame.locator(".sign-last").count() == 1
    picture(page, f"seafight-{method.lower()}")
    click(page, frame, 33 if asks == FIRST else 22)
    assert site.returned == [], "it was shot at before"
    click(page, frame, 25)
    assert site.returned_value() == "F2"
    assert errors == []


@browsing()
def test_a_shot_by_keys(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("Seafight", TRAY, "Inverse", asks=FIRST), returns=site.returns)
    frame.locator("svg.board").first.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert site.returned_value() in {"G4", "H4", "G3"}


@browsing()
def test_a_ship_sinks_after_the_wait(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("Seafight", TRAY, "Double", ("G63", None), (None, "V3G53")), state="shown", wait=4, mute=True)
    assert frame.locator(".shot-sunk").count() == 3
    assert frame.locator(".ship-state-3").count() == 2, "the ship, and its like below the waters"
    assert frame.locator(".silhouette[data-sunk=yes]").count() == 1


@browsing()
def test_the_end_shows_both_fleets(page: "Page", site: Stage) -> None:
    sunk = "".join(
        "3" if n < 5 or 21 <= n < 25 or n in (49, 59, 69, 70, 71, 72, 55, 65) else "1" if n % 7 == 0 else "0" for n in range(100)
    )
    theirs = "V5A02V4C01H3E81H3E61H2H01"
    shown = Shown("Seafight", f"{THEIRS}***{sunk}", "End", (None, "F63"), ("H5A03H4B23V3J43H3A73V2F53", theirs), 70)
    frame = site.open(page, shown, names=("Ada", "Zoë"))
    assert frame.locator("section.won").count() == 1
    picture(page, "seafight-won")


@browsing(viewport={"width": 390, "height": 720})
def test_a_phone(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    page.goto(f"{site.root}/seafight.html?{Shown('Seafight', TRAY, 'Inverse', gains=(MINE, None), asks=FIRST).query()}")
    page.locator("html[data-state=asking]").wait_for(state="attached")
    picture(page, "seafight-phone")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert errors == []


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
