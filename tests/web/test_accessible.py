"""The pages where games are chosen, played and proven keep what they owe to everybody: in both themes, on a desk and on a phone.

`make campaign` asks axe-core too, a program of others that npm brings into `.node`, where it can; nothing else ever needs it.
"""

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser import browsing
from tests.house import HOUSE
from tests.web.accessible import DEEPER, RINGS, THEMES
from tests.web.people import asking, begin, ended, frame_of
from tests.web.site import Running
from tests.web.test_every_page import COMPLAINTS

if TYPE_CHECKING:
    from playwright.sync_api import Page

DESK, PHONE = {"width": 1366, "height": 768}, {"width": 390, "height": 844}
AXE, VERSION = Path(__file__).parent.parent.parent / ".node" / "axe", "4.10.3"


def looked(page: "Page", what: str) -> list[str]:
    """Return what is wrong with a page, in both themes."""
    found = [f"{what}: {one}" for one in page.evaluate(RINGS)]
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        found += [f"{what}, {theme}: {one}" for one in page.evaluate(DEEPER)]
    return found


FAULTS = """<!doctype html><html lang=en><main><h1>One</h1><h3>Three</h3><nav></nav><nav></nav>
<p style="color: #999">pale</p><p style="color: #000; background: #fff">clear</p>
<button id=b aria-describedby=nothing style="outline: none">Press</button><svg role=img></svg><span role=switch>off</span>
<ul><p>no item</p></ul><div aria-hidden=true><a href="/">hidden</a></div><p style="opacity: .3">faint</p></main>"""


@browsing(viewport=DESK)
def test_the_checks_find_what_is_wrong(page: "Page") -> None:
    page.set_content(FAULTS)
    told = "\n".join(page.evaluate(DEEPER))
    for fault in (
        "navigation by the names", "a heading 3 behind one of 1", "aria-describedby leads to no nothing", "no name: <svg",
        "cannot be reached: <span", "a switch without a state", "in a list: <p>no item", "hidden, and reached by keys",
        'contrast 2.85: <p style="color: #999">', "contrast 2.11: <p style=\"opacity: .3",
    ):  # fmt: skip
        assert fault in told, f"{fault} in {told}"
    assert "clear" not in told
    assert any("Press" in one for one in page.evaluate(RINGS))


LONG = pytest.mark.campaign


@pytest.mark.parametrize(("viewport", "locale"), [pytest.param(DESK, "en-GB", marks=LONG), (PHONE, "fr-FR")])
def test_choosing(chromium: object, open_site: Running, viewport: dict[str, int], locale: str) -> None:
    def story(page: "Page") -> None:
        found: list[str] = []
        for path in ("/play", "/play/poker", "/play?game=reversi&start=nonsense"):
            page.goto(open_site.url + path)
            found += looked(page, path)
            if viewport is PHONE:
                found += page.evaluate(COMPLAINTS, locale[:2])
        assert not found, "\n".join(found)

    browsing(viewport=viewport, locale=locale, reduced_motion="reduce")(story)(chromium=chromium)


@pytest.mark.parametrize(
    ("game", "viewport", "locale"),
    [
        ("reversi", DESK, "en-GB"),
        pytest.param("mastermind", PHONE, "fr-FR", marks=LONG),
        pytest.param("poker", PHONE, "en-GB", marks=LONG),
    ],
)
def test_a_game_is_played(chromium: object, open_site: Running, game: str, viewport: dict[str, int], locale: str) -> None:
    def story(page: "Page") -> None:
        begin(page, open_site, game)
        asking(page)
        found = looked(page, game)
        found += [f"the board: {one}" for one in board(page)]
        for tab in page.get_by_role("tab").all():
            tab.click()
            found += looked(page, f"{game}, {tab.inner_text()}")
        assert not found, "\n".join(found)

    browsing(viewport=viewport, locale=locale, reduced_motion="reduce")(story)(chromium=chromium)


def board(page: "Page") -> list[str]:
    """Return what is wrong inside the frame, in both themes; the headings are the page's."""
    found = []
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        frame = frame_of(page)
        frame.wait_for_selector(f"html[data-scheme={theme}][data-state=asking]", state="attached")
        found += [f"{theme}: {one}" for one in frame.evaluate(DEEPER)]
    return found


@browsing(viewport=DESK, locale="fr-FR", reduced_motion="reduce")
def test_a_game_that_is_over(page: "Page", open_site: Running) -> None:
    begin(page, open_site, "tictactoe", one="house:1", two="house:1")
    ended(page)
    page.locator("#ending").wait_for()
    found = looked(page, "the end")
    page.get_by_role("link", name="Preuve").click()
    page.locator("#check[data-state=sound]").wait_for()
    found += looked(page, "the proof")
    assert not found, "\n".join(found)


@pytest.mark.campaign
@pytest.mark.parametrize("game", HOUSE)
def test_every_board_in_both_languages(chromium: object, open_site: Running, game: str) -> None:
    def story(page: "Page") -> None:
        begin(page, open_site, game)
        asking(page)
        assert not (found := looked(page, game) + board(page)), "\n".join(found)

    for locale in ("en-GB", "fr-FR"):
        browsing(viewport=DESK, locale=locale, reduced_motion="reduce")(story)(chromium=chromium)


def brought() -> Path:
    """Return axe-core, which npm brings the first time; skip where it does not."""
    found = AXE / "node_modules" / "axe-core" / "axe.min.js"
    npm = shutil.which("npm")
    if not found.exists():
        if npm is None:
            pytest.skip("there is no npm to bring axe-core")
        asked = [npm, "install", "--no-save", "--no-audit", "--no-fund", "--fetch-retries=0", "--prefix", str(AXE)]
        done = subprocess.run([*asked, f"axe-core@{VERSION}"], capture_output=True, text=True, timeout=120, check=False)
        if not found.exists():
            pytest.skip(f"npm did not bring axe-core {VERSION}: {(done.stderr.strip().splitlines() or ['no word'])[0]}")
    return found


@pytest.mark.campaign
@pytest.mark.parametrize("locale", ["en-GB", "fr-FR"])
def test_what_axe_says(chromium: object, open_site: Running, locale: str) -> None:
    script = brought().read_text(encoding="utf-8")

    def story(page: "Page") -> None:
        found = []
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            for game in HOUSE:
                page.goto(f"{open_site.url}/play/{game}")
                found += axe(page, script, f"/play/{game} {theme}")
                begin(page, open_site, game)
                asking(page)
                found += axe(page, script, f"{game} {theme}")
        assert not found, "\n".join(found)

    browsing(viewport=DESK, locale=locale, reduced_motion="reduce", bypass_csp=True)(story)(chromium=chromium)


def axe(page: "Page", script: str, where: str) -> list[str]:
    """Return what axe-core finds wrong with the page itself; frames are sandboxed, and the page's script does not reach them."""
    page.evaluate(script)
    told = page.evaluate("async () => (await axe.run(document, { iframes: false })).violations")
    return [f"{where}: {one['id']} at {[node['target'] for node in one['nodes']][:3]}" for one in told]
