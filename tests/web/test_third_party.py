"""Interfaces of third parties on the real site: framed from their own origin, played with, and kept away from ours."""

import re
from typing import TYPE_CHECKING

import pytest

from arbitre.community.interfaces import Interface, InterfaceId
from arbitre.web.pages.games import OWN_ORIGIN, STRICT, sandbox_of
from tests.browser import browsing, picture
from tests.test_docs import ROOT
from tests.web.interfaces.stage import stage
from tests.web.interfaces.test_annex import annex
from tests.web.people import DESK, begin, ended, frame_of, question
from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

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
        play(page, "#Plateau a img")
        picture(page, "days-annex-b")


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
    one = Interface(InterfaceId(1), 1, "tictactoe", "x", url, True, own_origin, "", None, 0, None)  # type: ignore[arg-type]
    assert sandbox_of(one, "https://site.example") == sandbox
