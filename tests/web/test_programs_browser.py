"""The pages for programmers in a real browser: testers, registration, traces, third-party pages in their frames."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser import browsing, picture
from tests.tournoyons.test_player import started
from tests.tournoyons.test_tester import PAGES
from tests.web.programs import PASSWORD, Club, club

if TYPE_CHECKING:
    from playwright.sync_api import Page

DESK = {"width": 1280, "height": 1000}
PHONE = {"width": 390, "height": 844}

THEIRS = """<!doctype html><meta charset="utf-8"><title>theirs</title><button onclick="
document.getElementById('r').src = new URLSearchParams(location.search).get('URLReturn') + '?ReturnValue=7'">seven</button>
<p id="seen"></p><script>try { document.getElementById('seen').textContent = parent.document.title } catch { }
</script><iframe id="r"></iframe>"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    with club(tmp_path_factory.mktemp("club")) as found:
        yield found


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of an interface that somebody else wrote, on another origin."""
    folder: Path = tmp_path_factory.mktemp("theirs")
    (folder / "page.html").write_text(THEIRS, encoding="utf-8")
    yield from started(sys.executable, "-c", PAGES, str(folder))


def log_in(page: "Page", place: Club, path: str) -> None:
    page.goto(f"{place.site.url}/login?back={path}")
    page.locator("input[name=name]").fill("Zoe")
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main button").first.click()
    page.wait_for_url(f"**{path}")


def complaints_of(page: "Page") -> list[str]:
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


@browsing(viewport=DESK, color_scheme="light", locale="en-GB")
def test_a_position_is_composed_by_hand_and_an_engine_asked(page: "Page", place: Club) -> None:
    complaints = complaints_of(page)
    page.goto(place.site.url + "/program")
    picture(page, "program")
    page.get_by_role("link", name="Test an engine").click()
    page.locator("select[name=game]").select_option("tictactoe")
    page.wait_for_url("**game=tictactoe**")
    page.get_by_label("Address of the engine").fill(f"{place.url}/direct")
    page.get_by_label("a threat to stop").check()
    page.wait_for_url("**preset=block**")
    assert page.get_by_label("Address of the engine").input_value() == f"{place.url}/direct"
    page.get_by_text("A position of your own", exact=True).first.click()
    page.get_by_text("Compose it by hand").click()
    bench = page.frame_locator("[data-compose]")
    bench.get_by_label("2 ▶").click()
    bench.locator('[aria-label^="9"]').first.click()
    page.locator("#bench [data-tray]").filter(has_text="110020002").wait_for()
    page.get_by_role("button", name="Take this position").click()
    assert page.locator("textarea").input_value() == "110020002"
    page.get_by_role("button", name="Ask it").click()
    page.get_by_text("A good move").wait_for()
    assert "Tray=110020002" in page.locator(".wire").first.inner_text()
    page.frame_locator("iframe.interface").first.locator("svg:not(.paints)").first.wait_for()
    picture(page, "program-engine-test")
    assert complaints == []


@browsing(viewport=DESK, color_scheme="light", locale="en-GB")
def test_our_interface_returns_what_was_entered(page: "Page", place: Club) -> None:
    complaints = complaints_of(page)
    page.goto(place.site.url + "/program/interface-test?game=tictactoe&preset=middle")
    frame = page.frame_locator("[data-tested]")
    frame.locator(".asking").wait_for()  # a board that is only shown takes no move
    frame.locator('[aria-label^="9"]').first.click()
    page.locator("[data-value]").filter(has_text="9").wait_for()
    picture(page, "program-interface-test")
    page.get_by_role("button", name="Web Test").last.click()
    page.frame_locator("[data-tested]").get_by_label("Tray").wait_for()
    assert page.locator("[data-bench-told] [data-tray]").inner_text() == "201010000"
    assert complaints == []


@browsing(viewport=DESK, color_scheme="light", locale="en-GB")
def test_a_page_of_somebody_else_is_framed_and_sees_nothing_of_ours(page: "Page", place: Club, theirs: str) -> None:
    page.goto(place.site.url + "/program/interface-test?game=tictactoe")
    page.get_by_label("Address of a page").fill(f"{theirs}/page.html")
    page.get_by_role("button", name="Show it").click()
    frame = page.frame_locator("[data-tested]")
    frame.get_by_text("seven").click()
    page.locator("[data-value]").filter(has_text="7").wait_for()
    assert frame.locator("#seen").inner_text() == ""


@browsing(viewport=DESK, color_scheme="dark", locale="fr-FR")
def test_an_engine_from_its_registration_to_its_trace(page: "Page", place: Club) -> None:
    page.on("dialog", lambda dialog: dialog.accept())
    log_in(page, place, "/program/engines/new")
    page.locator("select[name=game]").select_option("tictactoe")
    page.get_by_label("Nom").fill("Étang")
    page.get_by_role("textbox", name="Adresse").fill(f"{place.url}/crash")
    page.get_by_role("button", name="Vérifier et inscrire").click()
    page.get_by_text("Personne n’a répondu.").wait_for()
    picture(page, "program-engine-broken")
    page.get_by_role("textbox", name="Adresse").fill(f"{place.url}/after")
    page.get_by_role("button", name="Vérifier et inscrire").click()
    page.get_by_role("heading", level=1, name="Étang").wait_for()
    page.get_by_text("Réglages").click()
    page.get_by_role("button", name="Retirer").click()
    page.wait_for_url("**/program/engines")
    page.get_by_role("link", name="Deep.Pond").click()
    page.locator(".last-games li").filter(has=page.locator("[data-state=over]")).get_by_role("link", name="Trace").first.click()
    picture(page, "program-trace")
    page.get_by_role("button", name="Répéter à la main").first.click()
    shown = page.locator("#repeated")
    shown.wait_for()
    assert "Game=TEST" in shown.locator(".wire").first.inner_text()
    picture(page, "program-trace-repeated")


@pytest.mark.campaign
@browsing(viewport=PHONE, color_scheme="dark", locale="fr-FR")
def test_on_a_phone(page: "Page", place: Club) -> None:
    complaints = complaints_of(page)
    log_in(page, place, "/program/engines")
    over = f"/games/{place.games['over']}/trace/0"
    paths = (
        "",
        "/directory",
        "/engines",
        f"/engines/{place.engine.id}",
        "/engine-test?game=pente&preset=win",
        "/interface-test?game=poker",
    )
    for path in (*(f"/program{one}" for one in paths), over):
        page.goto(place.site.url + path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} is too wide"
        picture(page, f"program-phone{path.partition('?')[0].replace('/', '-')[:30]}")
    assert complaints == []
