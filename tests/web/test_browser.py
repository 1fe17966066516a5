"""The front of the house in a real browser: nothing the policy forbids, nothing too wide, the switches work."""

from typing import TYPE_CHECKING

import pytest

from arbitre.site.accounts import Role
from tests.browser import browsing, picture
from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}


def tour(page: "Page", site: Running, name: str) -> None:
    """Look at every page of the front, and at what the browser complains about."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for path in ("/", "/about", "/keys", "/manual", "/manual/engines-http"):
        page.goto(site.url + path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} is too wide"
        picture(page, f"site-{name}{path.replace('/', '-')}")
    assert complaints == []


@pytest.mark.campaign
@browsing(viewport=DESK, color_scheme="light", locale="en-GB")
def test_on_a_desk_in_the_light(page: "Page", open_site: Running) -> None:
    tour(page, open_site, "desk-light")


@browsing(viewport=PHONE, color_scheme="dark", locale="fr-FR")
def test_on_a_phone_in_the_dark(page: "Page", open_site: Running) -> None:
    tour(page, open_site, "phone-dark")


@browsing(viewport=DESK, color_scheme="light", locale="en-GB")
def test_the_switches(page: "Page", open_site: Running) -> None:
    page.goto(open_site.url + "/about")
    page.get_by_role("button", name="Français").click()
    page.wait_for_url("**/about")
    assert page.get_by_role("heading", level=1).inner_text() == "Comment ça marche"
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Clair ou sombre").click()
    page.wait_for_selector('html[data-theme="dark"]')
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != paper


@browsing(viewport=PHONE, locale="en-GB", reduced_motion="reduce")
def test_on_a_phone_the_menu_is_behind_one_button_and_works_by_keyboard(page: "Page", open_site: Running) -> None:
    page.goto(open_site.url + "/about")
    assert page.evaluate("document.querySelector('.top').offsetHeight") < 64, "the header is one line"
    link, button = page.get_by_role("link", name="Compete", exact=True), page.get_by_role("button", name="Menu")
    assert not link.is_visible()
    button.focus()
    page.keyboard.press("Enter")
    link.wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "/play"
    picture(page, "menu-phone")
    page.keyboard.press("Escape")
    link.wait_for(state="hidden")
    page.keyboard.press("Enter")
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/compete")


@browsing(viewport=DESK, locale="en-GB")
def test_more_unfolds_and_folds_by_keyboard(page: "Page", open_site: Running) -> None:
    page.goto(open_site.url + "/about")
    page.locator(".further > summary").focus()
    page.keyboard.press("Enter")
    league = page.get_by_role("link", name="League", exact=True)
    league.wait_for()
    page.keyboard.press("Escape")
    league.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


@browsing(viewport=DESK)
def test_the_keyboard_reaches_the_content_first(page: "Page", open_site: Running) -> None:
    page.goto(open_site.url)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


@pytest.mark.parametrize("sandbox", ["allow-scripts"])
@browsing(viewport=DESK)
def test_an_interface_lives_in_a_sandboxed_frame(page: "Page", open_site: Running, sandbox: str) -> None:
    """Modules load from an opaque origin, and the page that frames them is ours."""
    page.goto(open_site.url)
    page.evaluate(
        """sandbox => { const frame = document.createElement("iframe"); frame.sandbox = sandbox; frame.id = "board";
        frame.src = "/interfaces/tictactoe.html?Set=TicTacToe&Tray=120000000&Method=None"; document.body.append(frame); }""",
        sandbox,
    )
    page.frame_locator("#board").locator("svg:not(.paints)").first.wait_for()


@browsing(viewport=DESK, color_scheme="light", locale="fr-FR")
def test_an_account_from_the_first_click_to_the_last(page: "Page", open_site: Running) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(open_site.url + "/about")
    page.get_by_role("link", name="Connexion").click()
    page.get_by_role("link", name="Créez-en un").click()
    picture(page, "site-register")
    page.get_by_label("Nom").fill("Zoé")
    page.get_by_label("Mot de passe").fill("un long mot de passe")
    page.get_by_role("button", name="Créer le compte").click()
    page.get_by_role("link", name="Zoé").click()
    page.get_by_text("Créer un jeton").click()
    page.locator("#tokens").get_by_label("Nom").fill("mon robot")
    page.get_by_role("button", name="Créer le jeton").click()
    assert page.get_by_role("status").locator("code").inner_text().startswith("arb_")
    picture(page, "site-account")
    page.get_by_text("Le supprimer pour toujours").click()
    page.get_by_label("Votre mot de passe").fill("un long mot de passe")
    page.get_by_role("button", name="Supprimer le compte").click()
    page.wait_for_url(open_site.url + "/")
    assert page.get_by_role("link", name="Connexion").is_visible()
    assert complaints == []


@browsing(viewport=PHONE, color_scheme="dark", locale="en-GB")
def test_the_operators_page_on_a_phone(page: "Page", open_site: Running) -> None:
    accounts = open_site.site.state.house.community.accounts
    accounts.create("Otilia", "a long password", Role.OPERATOR)
    accounts.create("Wolfgang", "a long password")
    page.goto(open_site.url + "/operator")
    page.get_by_label("Name").fill("otilia")
    page.get_by_label("Password").fill("a long password")
    page.get_by_role("button", name="Log in").click()
    row = page.get_by_role("row").filter(has_text="Wolfgang")
    row.get_by_text("More actions").click()
    row.get_by_role("button", name="Link to a new password").click()
    assert "/reset/" in page.get_by_role("status").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, "site-operator")
