"""Firefox, the system's own, sees what visitors, teachers and organisers see; its first minute is in `test_first_minute`."""

import re
from pathlib import Path

import pytest

from arbitre.site.accounts import Role
from tests.firefox import Firefox, firefox
from tests.web.days import SCREENS
from tests.web.site import quiet, running
from tests.web.test_six_pages import SEEN, places

pytestmark = pytest.mark.campaign
__all__ = ["places"]

PASSWORD = "a long password"  # noqa: S105 - of nobody
INSIDE = """const one = document.querySelectorAll(arguments[0])[arguments[1]];
    if (!one) return false;
    const { left, top, right, height } = one.getBoundingClientRect();
    return height > 0 && left >= -1 && top >= -1 && right <= innerWidth + 1 && top + Math.min(height, 40) <= innerHeight + 1;"""
WIDE = "return document.documentElement.scrollWidth - innerWidth"


def sees(browser: Firefox, what: str) -> None:
    """Wait until a part of the page is seen without scrolling; a part may be one of several, as Playwright numbers them."""
    chosen, _, number = what.partition(" >> nth=")
    browser.until(INSIDE.replace("arguments[0]", repr(chosen)).replace("arguments[1]", number or "0"))


@pytest.mark.parametrize("screen", SCREENS)
def test_six_pages(places: dict[str, str], tmp_path: Path, screen: str) -> None:
    size = (1280, 800) if screen == "laptop" else (390, 844)
    with firefox(tmp_path / "profile", language="fr", width=size[0], height=size[1] + 120) as browser:  # its own bars are high
        for path, windows in SEEN.items():
            browser.do("Navigate", url=places[path])
            for what in windows.get(size, ()):
                sees(browser, what)
            assert browser.run(WIDE) <= 0, path


@pytest.mark.parametrize("screen", SCREENS)
def test_a_teacher_and_a_pupil(tmp_path: Path, screen: str) -> None:
    """A class is made, accounts are prepared; a pupil comes with the code alone, and writes."""
    with running(quiet(tmp_path / "data")) as site:
        site.site.state.house.community.accounts.create("Tessa", PASSWORD, Role.TEACHER)
        with firefox(tmp_path / "teacher", language="fr", **SCREENS[screen]) as browser:
            browser.do("Navigate", url=f"{site.url}/login")
            browser.fill("input[name=name]", "Tessa")
            browser.fill("input[name=password]", PASSWORD)
            browser.click("main form button")
            browser.find("a.account[href='/account']")
            browser.do("Navigate", url=f"{site.url}/teach")
            browser.fill("#name", "Terminale B")
            browser.click(".new-class button")
            code = browser.run("return document.getElementById('code')?.textContent") if browser.find("#code") else ""
            assert re.fullmatch(r"(\w{3}-){2}\w{3}", code)
            browser.click(".empty a[href='#names']")
            browser.fill("#names", "Zora\nYann")
            browser.click("#accounts form button")
            browser.until("return document.querySelectorAll('.paper td code').length === 2")
            assert browser.run(WIDE) <= 0
        with firefox(tmp_path / "pupil", language="fr", **SCREENS[screen]) as browser:
            browser.do("Navigate", url=f"{site.url}/lesson?code={code}")
            browser.fill("input[name=name]", "Zoe.P")
            browser.click("button[value=workshop]")
            browser.until("return location.pathname === '/workshop/tictactoe'")
            browser.find(".code-editor")
            assert browser.run(WIDE) <= 0
