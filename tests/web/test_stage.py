"""The game page in a real browser: what must be seen without scrolling, whatever the game and the window; a board that stays."""

from typing import TYPE_CHECKING

import pytest

from arbitre.games.notation import notation_of
from arbitre.referee.story import tell
from arbitre.referee.turning import turning
from tests.analysis.games import record
from tests.browser import browsing, picture
from tests.house import HOUSE
from tests.web.people import answer, any_target, begin, ended, frame_of, question
from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

LOOK = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", "locale": "en-GB", "color_scheme": "light"}

DESKS = ((1280, 800), (1366, 768), (1920, 1080), (3840, 2160), (1024, 700))
SHORT = ((844, 390), (683, 384), (640, 360))
"""Phones on their sides, and a laptop whose page is shown twice as large."""
UPRIGHT = ((768, 1024), (390, 844), (320, 640))
LEAST = {1280: 480, 1366: 520, 1920: 800, 3840: 1800, 1024: 440, 768: 700, 390: 390, 320: 320}
"""How wide the board is at least, by the width of the window."""

BOXES = """() => Object.fromEntries([...document.querySelectorAll(
    "#game .stage > .seat, #game .stage > .frame, #game .player, #game .acts, #game .tabs, #game #lines")]
  .map((one, n) => [`${one.id || one.classList[0]} ${n}`, one.getBoundingClientRect()])
  .map(([name, { left, top, right, bottom }]) => [name, [left, top, right, bottom].map(Math.round)]))"""


def seen(boxes: dict[str, list[int]], width: int, height: int) -> list[str]:
    """Return what is not whole in the window."""
    return [name for name, (left, top, right, low) in boxes.items() if left < 0 or top < 0 or right > width or low > height]


HERE = ("bigtictactoe", "kriegspiel", "pente")
"""A campaign looks at all of them."""


@pytest.mark.parametrize("game", [one if one in HERE else pytest.param(one, marks=pytest.mark.campaign) for one in HOUSE])
@browsing(**LOOK)
def test_it_fits(page: "Page", open_site: Running, game: str) -> None:
    """One page, resized: board, both seats, controls and replay keys are seen without scrolling, and nothing twice."""
    begin(page, open_site, game)
    frame_of(page).wait_for_selector("html[data-state=asking]", state="attached")
    for width, height in DESKS:
        page.set_viewport_size({"width": width, "height": height})
        boxes = page.evaluate(BOXES)
        assert not seen(boxes, width, height), (width, boxes)
        assert len([name for name in boxes if name.startswith("seat")]) == 2
        left, _, right, _ = next(box for name, box in boxes.items() if name.startswith("frame"))
        assert right - left >= LEAST[width], (width, right - left)
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), "nothing to scroll to"
    for width, height in UPRIGHT:
        page.set_viewport_size({"width": width, "height": height})
        boxes = page.evaluate(BOXES)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        left, top, right, low = next(box for name, box in boxes.items() if name.startswith("frame"))
        assert right - left >= LEAST[width], (width, right - left)
        assert low - top <= height - 100, "board and both seats go into one window"
        assert not seen({name: box for name, box in boxes.items() if name.startswith("player")}, width, height), boxes
    for width, height in SHORT:
        page.set_viewport_size({"width": width, "height": height})
        page.locator("#game .stage").evaluate("one => one.scrollIntoView()")
        boxes = page.evaluate(BOXES)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        assert not seen(boxes, width, height), (width, boxes)
        _, top, _, low = next(box for name, box in boxes.items() if name.startswith("frame"))
        assert low - top >= 0.7 * height, "the window is the board's"
    page.emulate_media(media="print")
    assert not any(page.locator(one).is_visible() for one in ("#game .player", "#game .acts", "#game .tabs", ".foot"))
    page.emulate_media(media="screen")
    frame = frame_of(page)
    assert frame.locator(".head").is_hidden(), "names stand once, at the seats of the page"
    picture(page, f"stage-{game}-320")


@browsing(**LOOK)
def test_the_frame_stays_for_ten_moves_and_a_replay(page: "Page", open_site: Running) -> None:
    begin(page, open_site, "bigtictactoe")
    done: list[str] = []
    question(page, done)
    frame_of(page).evaluate("window.mark = 'still here'")
    for _ in range(5):  # and as many of the house
        answer(page, any_target, done)
    question(page, done)
    frame = frame_of(page)
    frame.wait_for_selector("html[data-state=asking]", state="attached")
    assert page.locator("#lines li.move").count() == 10
    assert frame.evaluate("window.mark") == "still here"
    assert frame.locator(".pieces > g").count() == 10
    page.locator("[data-go=first]").click()
    frame.locator(".pieces > g").first.wait_for(state="detached")
    page.locator("[data-go=next]").click()
    frame.locator(".pieces > g").first.wait_for()
    assert frame.locator(".pieces > g").count() == 1
    assert frame_of(page).evaluate("window.mark") == "still here"
    assert page.locator("#game .stage > .frame > iframe").count() == 1


@browsing(**LOOK)
def test_a_game_ends_with_a_banner_and_its_proof_runs_before_ones_eyes(page: "Page", open_site: Running) -> None:
    begin(page, open_site, "tictactoe", one="house:1", two="house:1")
    ended(page)
    banner = page.locator("#ending")
    banner.wait_for()
    box, seats = banner.bounding_box(), page.locator("#game .stage > .seat")
    assert box is not None
    for at in range(2):
        seat = seats.nth(at).bounding_box()
        assert seat is not None
        assert seat["y"] + seat["height"] <= box["y"] or seat["y"] >= box["y"] + box["height"], "the banner covers no seat"
    page.locator("#lines li.move").nth(4).wait_for()
    page.keyboard.press("Escape")
    assert banner.is_hidden(), "it closes to the final position"
    moves = page.locator("#lines li.move").count()
    page.reload()
    page.locator("#ending").get_by_role("link", name="Proof").click()
    page.locator("#check[data-state=sound]").wait_for()
    assert page.locator("#check .ticks i.good").count() == moves
    assert page.locator("#check li:visible").count() >= 4
    assert "arbitre verify" in page.locator("#tab-proof pre").first.inner_text()
    picture(page, "stage-proof")
    page.locator("#scrub").fill("1")
    page.locator("#lines [aria-current]").wait_for(state="attached")


@browsing(**(LOOK | {"viewport": {"width": 390, "height": 844}}))
def test_the_banner_leads_to_where_the_game_turned_and_to_the_next_level(page: "Page", open_site: Running) -> None:
    told = tell(record("reversi"))
    found = turning(told)
    assert found is not None
    start = notation_of(told.match.game).write_state(told.moments[found.moment - 2].affairs.truth)
    begin(page, open_site, "reversi", one="house:1", two="me", start=start)
    page.locator("#typed").fill(found.said)
    page.evaluate("scrollTo(0, 400)")
    page.locator("#say button").press("Enter")
    ended(page)
    banner = page.locator("#ending")
    box = banner.bounding_box()
    assert box is not None
    assert box["y"] >= 0, "whoever had scrolled down sees how it ended"
    assert box["y"] + box["height"] <= 844
    there = banner.locator(".there")
    assert there.inner_text() == f"Move {found.turn}, {found.said}"
    assert f"from {-found.before} behind to {found.after} ahead" in page.locator(".about").inner_text()
    scene = page.locator("#lines li.move", has_text=found.said).get_attribute("data-scene")
    page.locator("#scrub").fill("0")
    page.reload()
    page.locator("#lines li.move").first.wait_for()
    there.click()
    assert banner.is_hidden()
    page.locator(f'#lines li[aria-current][data-scene="{scene}"]').wait_for(state="attached")
    page.reload()
    banner.get_by_role("button", name="Try house 2").click()
    page.locator(".seat .name", has_text="house 2").wait_for()
