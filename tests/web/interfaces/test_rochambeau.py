"""Rochambeau's interface: the hands of the last round, three to choose from."""

from typing import TYPE_CHECKING

import pytest

from arbitre.games.game import FIRST, SECOND
from arbitre.games.screen import Shown
from tests.browser import browsing, picture
from tests.web.interfaces.stage import Stage, complaints

if TYPE_CHECKING:
    from playwright.sync_api import Page

ASKED = Shown("Rochambeau", moves=("2", "1"), gains=("3", "2"), count=7, asks=FIRST)


@browsing()
def test_a_click_is_returned(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    frame = site.open(page, ASKED, names=("Ada", "Zoë"), returns=site.returns)
    assert frame.locator(".side-1.side-won[data-sign='2']").count() == 1
    assert frame.locator(".side-2.side-lost[data-sign='1']").count() == 1
    assert frame.locator(".seat-1 .score").text_content() == "3"
    assert frame.locator(".side-1 .point-won").count() == 3
    assert frame.locator(".side-2 .point-won").count() == 2
    picture(page, "rochambeau")
    frame.locator(".hand-choice[aria-label='3']").click()
    assert site.returned_value() == "3"
    assert frame.locator(".side-1[data-sign='3']").count() == 1
    assert frame.locator(".side-2[data-sign='']").count() == 1, "nobody knows what the other shows"
    assert frame.locator(".hand-choice").count() == 0
    assert errors == []


@pytest.mark.parametrize(("keys", "value"), [(("2",), "2"), (("ArrowLeft", "ArrowRight", "ArrowRight", "Enter"), "2")])
@browsing()
def test_keys_are_enough(page: "Page", site: Stage, keys: tuple[str, ...], value: str) -> None:
    frame = site.open(page, Shown("Rochambeau", asks=SECOND), returns=site.returns)
    frame.locator("body").focus()
    frame.locator(".arena").click()
    for key in keys:
        page.keyboard.press(key)
    assert site.returned_value() == value


@browsing()
def test_the_hands_are_shown_after_the_wait(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    page.emulate_media(reduced_motion="no-preference")
    frame = site.open(page, Shown("Rochambeau", moves=("3", "2"), gains=("5", "2")), wait=6, mute=True)
    assert frame.locator(".side-1.side-won[data-sign='3']").count() == 1
    assert frame.locator(".crown").count() == 1
    assert frame.locator(".hand-choice").count() == 0
    picture(page, "rochambeau-won")
    assert errors == []


@browsing()
def test_the_bench_plays_rounds(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    frame = site.open(page, Shown("Rochambeau"), web_test=True)
    for seat, sign in ((1, 1), (2, 2)):
        frame.locator(f"button[aria-label='{seat} ▶']").click()
        frame.locator(f".hand-choice[aria-label='{sign}']").click()
        assert frame.locator("input[aria-label=Value]").input_value() == str(sign)
    assert frame.locator(".seat-2 .score").text_content() == "1"
    assert frame.locator("input[aria-label=Tray]").input_value() == "Init"
    assert site.returned == []
    assert errors == []
