"""MasterMind's interface: both boards, a row to fill by clicks, drags or keys, and a code to hide."""

from typing import TYPE_CHECKING

import pytest

from arbitre.games.game import FIRST, SECOND
from arbitre.games.screen import Shown
from tests.browser import browsing, picture
from tests.web.interfaces.stage import Stage, complaints

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

TRAY = "11ABCD02EFGH30GCCH***20AABB01CCDD21HGFA"
ASKED = Shown("MasterMind", tray=TRAY, gains=("GDAF", None), count=8, asks=FIRST)


def drag(page: "Page", frame: "Frame", one: str, two: str) -> None:
    boxes = [frame.locator(name).bounding_box() for name in (one, two)]
    (x1, y1), (x2, y2) = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box)
    page.mouse.move(x1, y1)
    page.mouse.down()
    page.mouse.move((x1 + x2) / 2, (y1 + y2) / 2)
    page.mouse.move(x2, y2)
    page.mouse.up()


@browsing()
def test_a_guess_by_clicks(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    frame = site.open(page, ASKED, names=("Ada", "Zoë"), legend="…", returns=site.returns)
    assert frame.locator("[data-board='1'] .secret").get_attribute("data-code") == "", "the other's code is under its lid"
    assert frame.locator("[data-board='2'] .secret").get_attribute("data-code") == "GDAF"
    assert frame.locator("[data-board='1'] [data-line='3'] .marks").get_attribute("data-marks") == "30"
    assert frame.locator("[data-board='2'] .line-last[data-line='3']").count() == 1
    assert frame.locator("[data-board='1'] .line-asked[data-line='4']").count() == 1
    picture(page, "mastermind")
    for colour in "ABBH":
        frame.locator(f".pot[aria-label={colour}]").click()
    frame.locator(".press-erase").click()
    assert frame.locator(".press-check").is_disabled()
    frame.locator(".pot[aria-label=C]").click()
    frame.locator(".press-check").click()
    assert site.returned_value() == "ABBC"
    assert frame.locator(".pot").count() == 0
    assert errors == []


@browsing()
def test_a_guess_by_keys(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("MasterMind", tray="11ABCD***", asks=SECOND), returns=site.returns)
    frame.locator("svg.codes").click(position={"x": 5, "y": 5})
    assert frame.locator("[data-board='2'] .line-asked[data-line='1']").count() == 1
    for key in ("a", "Enter", "G", "7", "Backspace", "8", "ArrowRight", "ArrowRight", "b", "c", "Enter"):
        page.keyboard.press(key)
    assert site.returned_value() == "ABHC"


@pytest.mark.campaign
@browsing()
def test_a_guess_by_drags(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    frame = site.open(page, ASKED, returns=site.returns)
    for slot, colour in ((3, "A"), (0, "F"), (1, "E"), (2, "D")):
        drag(page, frame, f".pot[aria-label={colour}]", f"[data-slot='{slot}']")
    drag(page, frame, "[data-slot='0']", "[data-slot='3']")
    frame.locator(".press-check").click()
    assert site.returned_value() == "AEDF"
    assert errors == []


@browsing()
def test_a_code_is_prepared(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    frame = site.open(page, Shown("MasterMind", method="Prepare", asks=SECOND), legend="Prêt", returns=site.returns)
    ready = frame.locator("button.control")
    assert ready.text_content() == "Prêt"
    assert ready.is_disabled()
    frame.locator(".press-dice").click()
    drag(page, frame, ".pot[aria-label=H]", "[data-slot='0']")
    picture(page, "mastermind-prepare")
    ready.click()
    value = site.returned_value()
    assert value[0] == "H"
    assert len(value) == 4
    assert set(value) <= set("ABCDEFGH")
    assert errors == []


@browsing()
def test_a_preparation_needs_no_input_parameter(page: "Page", site: Stage) -> None:
    page.goto(f"{site.root}/mastermind.html?Set=MasterMind&Method=Prepare&URLReturn={site.returns}")
    page.locator("html[data-state=asking]").wait_for(state="attached")
    for key in ("a", "b", "c", "d", "Enter"):
        page.keyboard.press(key)
    assert site.returned_value() == "ABCD"


@browsing(color_scheme="dark")
def test_the_end_opens_both_codes(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("MasterMind", tray="11ABCD40EFGH***20AABB01CCDD", method="End", gains=("GDAF", "EFGH")), wait=3)
    assert frame.locator("[data-board='1'] .secret").get_attribute("data-code") == "EFGH"
    assert frame.locator(".line-won").count() == 1
    picture(page, "mastermind-won-dark")


@pytest.mark.campaign
@browsing()
def test_the_bench_composes_and_plays(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    frame = site.open(page, Shown("MasterMind", tray="***", gains=("AABB", None)), web_test=True)
    frame.locator("button[aria-label='= C']").click()
    frame.locator("[data-cell='0']").click()
    frame.locator("button[aria-label='= D']").click()
    frame.locator("[data-cell='3']").click()
    for mark in ("10", "01"):
        frame.locator(f"button[aria-label='= {mark}']").click()
        frame.locator("[data-cell='1']").click()
    frame.locator("button[aria-label='2 ▶']").click()
    for key in ("b", "a", "a", "b", "Enter"):
        page.keyboard.press(key)
    assert frame.locator("input[aria-label=Tray]").input_value() == "11CCCD***22BAAB"
    assert frame.locator("input[aria-label=Value]").input_value() == "BAAB"
    picture(page, "mastermind-bench")
    assert errors == []
