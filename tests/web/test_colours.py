"""The board has the colours of the page around it (spec tournoyons, section 5: Color): at first, after a switch, in a replay."""

from typing import TYPE_CHECKING

import pytest

from arbitre.web.boards import PAPER
from tests.browser import browsing, picture
from tests.web.people import DESK, SHOWN, begin
from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAINT = "getComputedStyle(document.body).backgroundColor"


def same(page: "Page", scheme: str) -> None:
    """Wait for a board that says which colour it was given, and compare it with the page."""
    wanted = PAPER[scheme]
    page.wait_for_selector(f'{SHOWN}[data-query*="Color={wanted}"]')
    frame = page.frame_locator(SHOWN)
    frame.locator(f'html[data-scheme="{scheme}"][data-state]').wait_for(state="attached")
    assert frame.locator("body").evaluate(f"() => {PAINT}") == page.evaluate(PAINT)
    source = page.locator(SHOWN).get_attribute("data-query") or ""
    assert source.count("Color=") == 1
    assert "Input=" not in source or source.index("Color=") < source.index("Input=")


@browsing(viewport=DESK, color_scheme="light", reduced_motion="reduce", locale="en-GB")
def test_the_board_follows_the_system_and_the_switch_without_loading_the_page_again(page: "Page", open_site: Running) -> None:
    begin(page, open_site, "reversi")
    same(page, "light")
    picture(page, "colours-play-light")
    page.emulate_media(color_scheme="dark")
    same(page, "dark")
    page.emulate_media(color_scheme="light")
    same(page, "light")
    page.get_by_role("button", name="Light or dark").click()
    page.wait_for_selector('html[data-theme="dark"]')
    same(page, "dark")
    picture(page, "colours-play-dark")
    page.get_by_role("button", name="Light or dark").click()
    page.wait_for_selector('html[data-theme="light"]')
    page.emulate_media(color_scheme="dark")
    same(page, "light")


@pytest.mark.campaign
@browsing(viewport=DESK, color_scheme="light", reduced_motion="reduce", locale="en-GB")
def test_a_replay_has_the_colours_of_its_page(page: "Page", open_site: Running) -> None:
    begin(page, open_site, "tictactoe", one="house:1", two="house:1")
    page.wait_for_selector('#game[data-over="yes"]', timeout=40_000)
    same(page, "light")
    page.get_by_role("button", name="Light or dark").click()
    page.wait_for_selector('html[data-theme="dark"]')
    same(page, "dark")
    page.locator('[data-go="first"]').click()
    page.wait_for_selector(f'{SHOWN}[data-query*="Tray=000000000"]')
    same(page, "dark")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("Set=Pente", "Set=Pente&Color=fbfaf7"),
        ("Set=Pente&Input=One&URLReturn=http://a/b", "Set=Pente&Color=fbfaf7&Input=One&URLReturn=http://a/b"),
        ("Set=Pente&Color=123456", "Set=Pente&Color=123456"),
        ("Input=Two", "Color=fbfaf7&Input=Two"),
    ],
)
@browsing(viewport=DESK)
def test_who_is_to_move_stays_the_last_word(page: "Page", open_site: Running, query: str, said: str) -> None:
    page.goto(open_site.url + "/about")
    told = page.evaluate('async (query) => (await import("/static/surround.js")).saying(query, "Color", "fbfaf7")', query)
    assert told == said
