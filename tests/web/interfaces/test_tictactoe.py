"""TicTacToe's interface, and with it what all share: input by mouse and keys, return, bench, sounds, text that stays text."""

from typing import TYPE_CHECKING

import pytest

from arbitre.games.game import FIRST, SECOND
from arbitre.games.screen import Shown
from tests.browser import browsing, picture
from tests.house import HOUSE
from tests.web.interfaces.stage import Stage, click, complaints

if TYPE_CHECKING:
    from playwright.sync_api import Page

ASKED = Shown("TicTacToe", tray="120010020", moves=(None, "8"), count=4, asks=FIRST)


@browsing()
def test_a_click_is_returned(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    frame = site.open(page, ASKED, names=("Ada", "Zoë 象"), legend="…", returns=site.returns)
    assert frame.locator(".seat-1 .name").text_content() == "Ada"
    assert frame.locator(".seat-2 .name").text_content() == "Zoë 象"
    assert frame.locator(".count").text_content() == "4"
    assert frame.locator(".seat-1.to-move").count() == 1
    assert frame.locator(".pieces .piece").count() == 4
    assert frame.locator(".sign-target").count() == 5
    assert frame.locator(".sign-last").count() == 1
    picture(page, "tictactoe")
    click(page, frame, 0)
    assert site.returned == [], "a taken cell is no answer"
    click(page, frame, 8)
    assert site.returned_value() == "9"
    frame.wait_for_selector("html[data-state=answered]", state="attached")
    click(page, frame, 6)
    page.wait_for_timeout(100)
    assert site.returned_value() == "9", "an answer is given once"
    assert errors == []


@browsing()
def test_keys_are_enough(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("TicTacToe", tray="120010020", asks=SECOND), returns=site.returns)
    frame.locator("svg.board").focus()
    page.keyboard.press("ArrowDown")
    assert frame.locator(".cursor").count() == 1
    page.keyboard.press("ArrowLeft")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert site.returned_value() == "9"


@browsing(color_scheme="dark")
def test_the_winning_line_is_marked(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("TicTacToe", tray="321231003", method="End"), names=("Ada", "Charles"))
    assert frame.locator(".line-win").count() == 1
    assert frame.locator(".sign-win").count() == 4, "three cells and the line"
    picture(page, "tictactoe-won-dark")


BESIDE = ("", "&Tray=Init&Move1=1&Gain1=0&Legend=soon&Name1=Ada&Name2=Charles", "&Tray=%3C&Input=One")


@pytest.mark.parametrize("said", [BESIDE[2:], pytest.param(BESIDE[:2], marks=pytest.mark.campaign)])
@browsing()
def test_no_board_between_games_in_any_interface(page: "Page", site: Stage, said: tuple[str, ...]) -> None:
    """Whatever else is said beside Method=None: nothing is drawn that could be played on, and nothing is returned."""
    errors = complaints(page)
    for name in HOUSE:
        for more in said:
            page.goto(f"{site.root}/{name}.html?Set={name}&Method=None&URLReturn={site.returns}{more}")
            page.wait_for_selector("html[data-state]", state="attached")
            assert page.locator("html").get_attribute("data-state") == "shown", (name, more)
            assert page.locator("svg.board, .board, button, [role=button], [role=gridcell], input").count() == 0, name
            page.keyboard.press("Enter")
    assert site.returned == []
    assert errors == []


@browsing()
def test_text_is_text(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    evil = "<img src=x onerror=alert(1)>"
    frame = site.open(page, ASKED, names=(evil, evil), legend=evil, count=evil)
    assert frame.locator("img").count() == 0
    assert frame.locator(".legend").text_content() == evil
    assert errors == []


@browsing()
def test_only_http_addresses_are_called(page: "Page", site: Stage) -> None:
    page.goto(f"{site.root}/tictactoe.html?tray=000000000&input=one&urlreturn=javascript:document.title='evil'//")
    page.locator("html[data-state=asking]").wait_for(state="attached")
    page.locator("#board-1-0").click(force=True)
    page.locator("html[data-state=answered]").wait_for(state="attached")
    assert page.locator("iframe").count() == 0
    assert page.title() != "evil"


@browsing()
def test_names_of_parameters_in_any_case_and_aliases(page: "Page", site: Stage) -> None:
    page.goto(
        f"{site.root}/tictactoe.html?TRAY=100000000&INPUT=Two&Return={site.returns}&mode=Standard&COLOR=102030&name1=a%2Bb+c"
    )
    page.locator("html[data-state=asking]").wait_for(state="attached")
    assert page.locator("html").get_attribute("data-scheme") == "dark"
    assert page.locator(".seat-1 .name").text_content() == "a+b+c"
    page.locator("#board-1-4").click(force=True)
    assert site.returned_value() == "5"


@browsing()
def test_the_bench_composes_and_plays(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("TicTacToe", tray="000000000"), web_test=True)
    frame.locator("button[aria-label='= 2']").click()
    click(page, frame, 0)
    click(page, frame, 1)
    frame.locator("button[aria-label='= 0']").click()
    click(page, frame, 1)
    frame.locator("button[aria-label='1 ▶']").click()
    picture(page, "tictactoe-bench")
    click(page, frame, 4)
    assert frame.locator("input[aria-label=Tray]").input_value() == "200010000"
    assert frame.locator("input[aria-label=Value]").input_value() == "5"
    page.wait_for_function("window.told && window.told.arbitre.value === '5'")
    assert page.evaluate("window.told") == {"arbitre": {"tray": "200010000", "value": "5"}}
    assert site.returned == []


COUNTED = "window.made = 0; window.AudioContext = class extends AudioContext { constructor() { super(); window.made += 1; } };"


@browsing()
def test_sounds_unless_muted(page: "Page", site: Stage) -> None:
    page.add_init_script(COUNTED)
    frame = site.open(page, ASKED)
    assert frame.evaluate("window.made") == 1
    frame = site.open(page, ASKED, mute=True)
    click(page, frame, 8)
    frame.wait_for_selector("html[data-state=answered]", state="attached")
    assert frame.evaluate("window.made") == 0


@pytest.mark.campaign
@browsing()
def test_any_mute_mutes(page: "Page", site: Stage) -> None:
    page.add_init_script(COUNTED)
    for written in ("Mute=yes", "Mute=no", "Mute=", "Mute", "mUTE="):
        page.goto(f"{site.root}/tictactoe.html?{ASKED.query()}&{written}")
        page.locator("html[data-state=asking]").wait_for(state="attached")
        assert page.evaluate("window.made") == 0, written


@browsing(viewport={"width": 360, "height": 480})
def test_a_phone_sees_the_whole_board(page: "Page", site: Stage) -> None:
    page.goto(f"{site.root}/tictactoe.html?{ASKED.query()}")
    page.locator("html[data-state=asking]").wait_for(state="attached")
    box = page.locator("svg.board").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    assert box["y"] + box["height"] <= 480
    picture(page, "tictactoe-phone")
