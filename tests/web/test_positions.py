"""The position editor: by mouse, by finger and by keys; the server draws, and says what is wrong."""

import json
import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from arbitre.games.catalogue import listings
from tests.browser import browsing, picture
from tests.web.site import Client, Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

GAMES = [one.name for one in listings() if one.setup]
START = "0000000000000000000000000004300000034000000000000000000000000000"


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_editor(client: Client, game: str) -> None:
    told = client.get(f"/positions?game={game}").text
    assert told.count('class="small-board"') >= 2, "positions to begin with"
    start = json.loads(client.get(f"/positions/drawn?game={game}").text)
    assert start["problem"] == ""
    asked = urlencode({"game": game, **{key: start[key] for key in ("cells", "side", "rest")}})
    again = json.loads(client.get(f"/positions/drawn?{asked}").text)
    assert again["text"].split()[0] == start["text"].split()[0]


def test_what_is_wrong_is_said_in_words(client: Client) -> None:
    told = json.loads(client.get("/positions/drawn?game=reversi&cells=" + "." * 64).text)
    assert "D4, E4, D5 and E5" in told["problem"]
    assert told["picture"].startswith("<svg"), "what is wrong is drawn all the same"
    told = json.loads(client.get("/positions/drawn?game=reversi&cells=" + "." * 64, Accept_Language="fr").text)
    assert "bad position" not in told["problem"]
    assert "cells" not in json.loads(client.get("/positions/drawn?game=draughts&text=nonsense").text)
    assert client.get("/positions/drawn?game=reversi&cells=%3Cscript%3E").status == 400
    assert client.get("/positions?game=poker").status == client.get("/positions/drawn?game=chess").status == 404
    page = client.get("/positions?game=draughts&position=%3Cscript%3Ealert(1)").text
    assert "<script>alert" not in page


@browsing(viewport={"width": 1366, "height": 768}, locale="en-GB", reduced_motion="reduce")
def test_a_position_is_laid_by_mouse_and_by_keys(page: "Page", open_site: Running) -> None:
    from playwright.sync_api import expect  # noqa: PLC0415 - a development tool that may be missing

    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    page.goto(f"{open_site.url}/positions?game=draughts")
    verdict, text = page.locator("#verdict"), page.locator("#position")
    for part in (".board-of", "#verdict", "#play", "#position", ".palette", ".sides-of"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 768, f"{part} is seen without scrolling"
    page.locator("[data-label='32']").drag_to(page.locator("[data-label='28']"))
    page.get_by_label("28: white man").wait_for()
    page.get_by_text("Black", exact=True).click()
    expect(text).to_have_value(re.compile("^B:W28,31,33"))
    page.get_by_role("radio", name="black king").check(force=True)
    page.locator("[data-label='1']").click(button="right")
    page.locator("[data-label='46']").click()
    page.get_by_label("46: black king").wait_for()
    verdict.locator("text=to move: Black").wait_for()
    picture(page, "positions-draughts")
    page.get_by_role("radio", name="white man").check(force=True)
    page.locator("[data-label='3']").click()
    page.locator("#verdict.bad").wait_for()
    assert not page.locator("#play").is_visible()
    page.locator("[data-do=undo]").click()
    page.locator("#verdict.good").wait_for()
    # by keys alone
    page.locator("[data-label='46']").focus()
    page.keyboard.press("ArrowUp")
    label = page.evaluate("document.activeElement.dataset.label")
    assert label in ("41", "42"), "the next dark square"
    page.keyboard.press("Delete")
    page.get_by_label(f"{label}: empty").wait_for()
    page.keyboard.press("Enter")
    page.get_by_label(f"{label}: white man").wait_for()
    # by text
    text.fill("W:W31-50:B1-20")
    page.get_by_label("1: black man", exact=True).wait_for()
    page.get_by_role("link", name="Play from here").click()
    page.wait_for_url(re.compile(r"/play\?.*start="))
    assert page.locator("#start").input_value().startswith("W:W31,32")
    assert complaints == []


@pytest.mark.campaign
@browsing(viewport={"width": 390, "height": 844}, locale="fr-FR", has_touch=True, is_mobile=True, reduced_motion="reduce")
def test_a_position_is_laid_by_finger(page: "Page", open_site: Running) -> None:
    page.goto(f"{open_site.url}/positions?game=reversi&position={START}")
    page.locator(".palette label:has([value='1'])").tap()
    page.locator("[data-label='D3']").tap()
    page.get_by_label("D3: pion noir").wait_for()
    page.locator("#verdict.good").wait_for()
    picture(page, "positions-phone")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
