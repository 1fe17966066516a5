"""The files of the interfaces: a page for every game, fit for a strict policy; and the manual's own example, which must work."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbitre.games.catalogue import folder, listing
from arbitre.games.game import SECOND
from arbitre.games.screen import Shown
from tests.browser import browsing
from tests.house import HOUSE
from tests.test_docs import ROOT, blocks
from tests.web.interfaces.stage import FOLDERS, Stage, stage

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCRIPTS = sorted(path for one in FOLDERS for path in one.rglob("*.js"))


@pytest.mark.parametrize("name", HOUSE)
def test_every_game_has_its_page(name: str) -> None:
    page = (folder(listing(name).interface) / listing(name).page).read_text(encoding="utf-8")
    assert f'<script type="module" src="{name}.js"></script>' in page
    assert f"<title>{listing(name).set}</title>" in page
    assert not re.search(r"<style|style=|<script>|\son\w+=|https?:", page), (
        "the policy allows nothing inline and nothing from elsewhere"
    )


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_need_nothing_that_a_sandbox_forbids(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for word in (
        "localStorage",
        "sessionStorage",
        "document.cookie",
        "innerHTML",
        "eval(",
        "document.write",
        "alert(",
        "prompt(",
    ):
        assert word not in text


@browsing()
def test_the_example_of_the_manual_works(page: "Page", site: Stage) -> None:
    (example,) = blocks(ROOT / "docs" / "interfaces.md", "html")
    with stage(policy=None) as other:
        other.pages["/mine.html"] = example
        shown = Shown("TicTacToe", tray="100000000", moves=("1", None), asks=SECOND)
        frame = site.open(page, shown, interface=f"{other.root}/mine.html", names=("Zoë", "象"), returns=site.returns)
        frame.wait_for_selector("button:enabled")
        assert frame.locator("#players").text_content() == "Zoë – 象"
        assert frame.locator("button:enabled").count() == 8
        frame.locator("button").nth(4).click()
        assert site.returned_value() == "5"
