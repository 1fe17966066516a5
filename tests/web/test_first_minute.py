"""The newcomer's first minute in a real browser: home, one click, a game, its end, the proof, once more."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser import browsing, picture
from tests.firefox import firefox
from tests.web.people import SHOWN, any_target, asking, ended
from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCREENS = {"laptop": {"width": 1366, "height": 768}, "phone": {"width": 390, "height": 844}}
WORDS = {
    "en-GB": ("Play Reversi now", "Give up", "You lose", "Once more", "Proof", "Verified"),
    "fr-FR": ("Une partie de Reversi, tout de suite", "Abandonner", "Vous perdez", "Encore une fois", "Preuve", "Vérifié"),
}


def seen(page: "Page", what: str) -> None:
    """Find something whole in the window, without scrolling."""
    box, size = page.locator(what).bounding_box(), page.viewport_size
    assert box is not None, what
    assert size is not None
    assert box["x"] >= 0, what
    assert box["y"] >= 0, what
    assert box["x"] + box["width"] <= size["width"] + 1, what
    assert box["y"] + box["height"] <= size["height"] + 1, what


def lived(page: "Page", site: Running, name: str, locale: str) -> None:
    """Live through it."""
    now, resign, lost, more, proof, verified = WORDS[locale]
    told: list[str] = []
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("dialog", lambda one: one.accept())
    page.goto(site.url)
    page.get_by_role("button", name=now).click()
    page.wait_for_url("**/games/*")
    any_target(asking(page))
    page.locator("#lines li.move").nth(1).wait_for()
    asking(page)
    for what in (".stage > .frame", ".stage > .seat.own", ".acts", ".player"):
        seen(page, what)
    picture(page, f"minute-{name}-play")
    first = page.url
    page.get_by_role("button", name=resign).click()
    ended(page)
    page.get_by_role("heading", name=lost).wait_for()
    assert page.locator("#ending-why").inner_text() in ("you gave up", "vous avez abandonné")
    seen(page, "#ending")
    picture(page, f"minute-{name}-end")
    page.locator("#ending").get_by_role("link", name=proof).click()
    page.locator("#check[data-state=sound]").wait_for()
    page.get_by_role("heading", name=verified).wait_for()
    picture(page, f"minute-{name}-proof")
    page.goto(first)
    page.locator("#ending").get_by_role("button", name=more, exact=True).click()
    page.wait_for_url(lambda url: url.split("#")[0] != first and "/games/" in url)
    page.locator(".seat.own").wait_for()
    page.locator("#lines li.move").first.wait_for()  # the seats are changed: the house has moved
    assert not told


def test_the_first_minute(chromium: object, open_site: Running) -> None:
    """Where there is least room for the longest words; a campaign lives through it everywhere."""
    _browsed(chromium, open_site, "phone", "fr-FR", "dark")


@pytest.mark.campaign
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", WORDS)
@pytest.mark.parametrize("screen", SCREENS)
def test_the_first_minute_everywhere(chromium: object, open_site: Running, screen: str, locale: str, scheme: str) -> None:
    _browsed(chromium, open_site, screen, locale, scheme)


@pytest.mark.campaign
@pytest.mark.parametrize("screen", SCREENS)
def test_the_first_minute_in_firefox(open_site: Running, tmp_path: Path, screen: str) -> None:
    with firefox(tmp_path / "profile", language="fr", **SCREENS[screen]) as browser:
        browser.do("Navigate", url=open_site.url)
        browser.click("form[action='/play/now'] button")
        browser.until("return location.pathname.startsWith('/games/')")
        browser.until(f"return document.querySelector('{SHOWN}')?.dataset.query.includes('Input=')")
        browser.enter(SHOWN)
        browser.until("return document.documentElement.dataset.state === 'asking'")
        browser.click("#board-1-19")  # D3
        browser.leave()
        browser.until("return document.querySelectorAll('#lines li.move').length === 2")
        first = browser.do("GetCurrentURL")
        browser.click("form[action$='/resign'] button")
        browser.accept()
        browser.until("return document.getElementById('game')?.dataset.over === 'yes'")
        assert browser.run("return document.getElementById('ending-title').textContent") == "Vous perdez"
        browser.click("#ending a[href='#proof']")
        browser.until("return document.getElementById('check').dataset.state === 'sound'")
        browser.do("Navigate", url=first)
        browser.click("#ending button.main")
        browser.until(f"return location.pathname.startsWith('/games/') && location.href !== '{first}'")
        browser.until("return document.querySelectorAll('#lines li.move').length > 0")


def _browsed(chromium: object, site: Running, screen: str, locale: str, scheme: str) -> None:
    walk = browsing(viewport=SCREENS[screen], locale=locale, color_scheme=scheme, reduced_motion="reduce")
    walk(lived)(chromium=chromium, site=site, name=f"{screen}-{locale[:2]}-{scheme}", locale=locale)
