"""Interfaces of third parties on the real site: framed from their own origin, played with, and kept away from ours."""

import re
from typing import TYPE_CHECKING

import pytest

from arbitre.client import Client
from arbitre.site.frames import OWN_ORIGIN, STRICT, sandbox_of
from arbitre.site.interfaces import Interface
from arbitre.site.tokens import scopes_of
from arbitre.web.visit import SESSION_COOKIE
from tests.browser import browsing, picture
from tests.test_docs import ROOT
from tests.web.interfaces.stage import stage
from tests.web.interfaces.test_annex import annex
from tests.web.people import DESK, SHOWN, begin, ended, frame_of, question
from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

ALONE = f"{SHOWN}:only-child"
"""The board, when no other is on its way."""

LOOK = {"viewport": DESK, "reduced_motion": "reduce", "locale": "en-GB", "color_scheme": "light"}


def registered(site: Running, name: str, url: str, *, own_origin: bool = False) -> Interface:
    """Register an interface, as its owner does."""
    community = site.site.state.house.community
    owner = community.accounts.create(f"{name}.owner", "a long password")
    found: Interface = community.interfaces.add(owner, game="tictactoe", name=name, url=url, own_origin=own_origin)
    return found


def play(page: "Page", cells: str) -> None:
    """Click on free cells until the game is over; `cells` finds those that are free."""
    answered: list[str] = []
    while address := question(page, answered):
        frame = frame_of(page)
        frame.wait_for_selector(cells, state="attached")
        frame.locator(cells).first.click()
        answered.append(address)
    ended(page)


@browsing(**LOOK)
def test_the_first_interface_of_the_manual(page: "Page", open_site: Running) -> None:
    printed = (ROOT / "docs" / "interfaces.md").read_text(encoding="utf-8")
    found = re.search(r"```html\n(.*?)```", printed, re.DOTALL)
    assert found
    with stage(policy=None) as theirs:
        theirs.pages["/their/first.html"] = found[1]
        one = registered(open_site, "first", f"{theirs.root}/their/first.html")
        name = begin(page, open_site, "tictactoe")
        page.get_by_role("tab", name="Actions").click()
        page.locator("select[name=interface]").select_option(str(one.id))
        page.get_by_role("button", name="Show with it").click()
        page.wait_for_url(f"**/games/{name}?interface={one.id}")
        frame = frame_of(page)
        assert frame.url.startswith(theirs.root)
        assert frame.evaluate("window.origin") == "null"
        play(page, "button:not([disabled])")
        picture(page, "days-third-party")
        page.get_by_role("button", name="Français").click()
        page.wait_for_selector("html[lang=fr]")
        assert page.url.endswith(f"?interface={one.id}")


@browsing(**LOOK)
def test_annex_b_with_its_own_origin(page: "Page", open_site: Running) -> None:
    printed = annex()
    with stage(policy=None) as theirs:
        theirs.pages["/their/tictactoe.html"] = printed
        one = registered(open_site, "annex-b", f"{theirs.root}/their/tictactoe.html", own_origin=True)
        name = begin(page, open_site, "tictactoe")
        page.goto(f"{open_site.url}/games/{name}?interface={one.id}")
        frame = frame_of(page)
        assert frame.evaluate("window.origin") == theirs.root
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if request.url.startswith(theirs.root) else None)
        address = question(page, [])
        frame_of(page).locator("#Plateau a img").first.click()
        assert question(page, [address])
        asked.clear()
        page.locator("[data-go=first]").click()  # the board before the first move, in a game that goes on
        page.wait_for_selector(f"{ALONE}:not([src*='Input='])")
        assert frame_of(page).locator("#Plateau a").count() == 0, "nothing to click on"
        assert asked
        assert not [one for one in asked if "Input=" in one or "URLReturn=" in one], (
            "a question that was answered is not asked again"
        )
        page.locator("[data-go=last]").click()
        question(page, [address])
        play(page, "#Plateau a img")
        asked.clear()
        for step in ("first", *["next"] * 8):
            page.locator(f"[data-go={step}]").click()
            page.wait_for_selector(ALONE)
        assert asked
        assert not [one for one in asked if "Input=" in one], "a replay asks nobody"
        picture(page, "days-annex-b")


@pytest.mark.campaign
@browsing(**LOOK)
def test_annex_b_in_the_tester(page: "Page", open_site: Running) -> None:
    printed = annex()
    with stage(policy=None) as theirs:
        url = f"{theirs.root}/their/tictactoe.html"
        theirs.pages["/their/tictactoe.html"] = printed
        one = registered(open_site, "annex-tested", url, own_origin=True)
        tester = f"{open_site.url}/program/interface-test?game=tictactoe&preset=start"
        page.goto(f"{tester}&interface={one.id}")
        page.frame_locator("[data-tested]").locator("#Plateau a img").nth(4).click()
        page.locator("[data-value]").filter(has_text="5").wait_for()
        assert not page.get_by_text("has no origin").count()
        assert page.get_by_label("It keeps its own origin").is_checked()
        picture(page, "tester-annex-b")
        page.locator("#presets").get_by_role("button", name="Web Test").click()
        page.wait_for_url("**webtest=yes**")
        framed = page.frame_locator("[data-tested]")
        framed.locator("input[value=Joue]").click()
        framed.locator("#Plateau a img").nth(4).click()
        framed.locator("#Plateau img[src*=pion]").wait_for()
        page.goto(tester)
        page.get_by_label("Address of a page").fill(url)
        page.get_by_role("button", name="Show it").click()
        page.get_by_text("The frame of this page has no origin").wait_for()
        page.get_by_label("It keeps its own origin").check()
        page.get_by_role("button", name="Show it").click()
        page.frame_locator("[data-tested][sandbox*=same-origin]").locator("#Plateau a img").nth(2).click()
        page.locator("[data-value]").filter(has_text="3").wait_for()


def test_a_page_whose_links_would_be_dead_gets_a_hint(open_site: Running) -> None:
    community = open_site.site.state.house.community
    with stage(policy=None) as theirs:
        theirs.pages["/their/tictactoe.html"] = annex()
        theirs.pages["/their/buttons.html"] = "<button onclick='javascript:void 0'>five</button> <a href='#javascript:'>no</a>"
        owner = community.accounts.create("Hinted", "a long password")
        browser = open_site.client()
        browser.cookies[SESSION_COOKIE] = community.sessions.start(owner, "").token

        def told(path: str, name: str, page: str, **more: str) -> str:
            given = {"game": "tictactoe", "name": name, "url": f"{theirs.root}/their/{page}.html", **more}
            answer = browser.post(path, given, page="/program/interfaces/new")
            return answer.text if answer.status == 200 else browser.get(answer.headers["location"]).text

        hint = "Its links are javascript:"
        assert hint in told("/program/interfaces", "links", "tictactoe")
        assert hint not in told("/program/interfaces", "buttons", "buttons")
        assert hint not in told("/program/interfaces", "origin", "tictactoe", own_origin="yes")
        mine = community.interfaces.of(owner)[0].id
        assert hint in told(f"/program/interfaces/{mine}", "links", "tictactoe")
        assert hint not in told(f"/program/interfaces/{mine}", "links", "tictactoe", own_origin="yes")
        assert hint not in browser.get(f"/program/interfaces/{mine}?hint=links").text
        with Client(open_site.url, community.tokens.make(owner, "all", scopes_of(owner)).secret) as program:
            body = {"game": "tictactoe", "name": "by-api", "url": f"{theirs.root}/their/tictactoe.html"}
            made = program.ask("POST", "/api/interfaces", body)
            assert made["hint"].startswith("its links are javascript:")
            where = f"/api/interfaces/{made['id']}"
            assert program.ask("PUT", where, body | {"own_origin": True})["hint"] is None


@pytest.mark.parametrize(
    ("url", "own_origin", "sandbox"),
    [
        ("https://other.example/tictactoe.html", True, OWN_ORIGIN),
        ("https://other.example/tictactoe.html", False, STRICT),
        ("https://site.example/interfaces/x.html", True, STRICT),
        ("https://site.example:443/interfaces/x.html", True, STRICT),
        ("https://SITE.example/interfaces/x.html", True, STRICT),
        ("https://site.example:8443/x.html", True, OWN_ORIGIN),
        ("http://site.example/x.html", True, OWN_ORIGIN),
    ],
)
def test_our_own_origin_is_never_kept(url: str, own_origin: bool, sandbox: str) -> None:
    assert sandbox_of(url, own_origin, "https://site.example") == sandbox
