"""Analyses on the site: one click, and a document that verifies."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbitre.analysis.court import examine
from arbitre.analysis.document import read_document, sign
from arbitre.cli import run
from arbitre.crypto.keys import Key
from arbitre.referee.story import tell
from arbitre.referee.verify import Proof
from arbitre.site.analyses import Stage
from arbitre.web.analysed import alone
from tests.analysis.games import NODES, octets, record
from tests.analysis.games import analysed as judged
from tests.browser import browsing
from tests.web.site import Client, Running

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def game(open_site: Running) -> tuple[Client, str]:
    """Return somebody and the address of a game that he has had two players of the house play."""
    client = open_site.client()
    answer = client.post("/play", {"game": "tictactoe", "one": "house:1", "two": "house:1"}, page="/play/tictactoe")
    where = answer.headers["location"]
    while "over" not in client.get(f"{where}/state").text:
        pass
    return client, where


def made(client: Client, where: str) -> str:
    """Return the page of an analysis when it is there; the site says how far it is meanwhile."""
    while 'http-equiv="refresh"' in (page := client.get(f"{where}/analysis").text):
        pass
    return page


def test_one_click_has_a_game_analysed_and_the_document_verifies(open_site: Running, game: tuple[Client, str]) -> None:
    (client, where), stranger = game, open_site.client()
    assert f"{where}/analysis" in client.get(where).text
    assert f'action="{where}/analysis"' in client.get(f"{where}/analysis").text
    assert f'action="{where}/analysis"' not in stranger.get(f"{where}/analysis").text
    assert stranger.post(f"{where}/analysis").status == 403
    assert client.get(f"{where}/analysis/document").status == 404
    assert client.post(f"{where}/analysis", page=f"{where}/analysis").status == 303
    page = made(client, where)
    assert 'class="curve"' in page
    document = stranger.get(f"{where}/analysis/document")
    name = where.rpartition("/")[2]
    assert f'filename="{name}.analysis"' in document.headers["content-disposition"]
    assert f"arbitre verify {name}.analysis" in page, "what was fetched is what the command names"
    assert f'href="{where}/record?form=record" download' in page
    assert name in stranger.get(f"{where}/record?form=record").headers["content-disposition"]
    record = stranger.get(f"{where}/record?form=record").text.encode()
    key = open_site.site.state.house.key.fingerprint
    found = examine(document.text.encode(), iter([record]), (key,), None, -1)
    assert found.standing is Proof.VERIFIED
    told = json.loads(stranger.get(f"/api/matches/{where.rpartition('/')[2]}/analysis").text)
    assert told["state"] == "done"
    assert told["document"] == json.loads(document.text)


def test_a_game_that_goes_on_is_not_analysed(open_site: Running) -> None:
    client = open_site.client()
    where = client.post("/play", {"game": "tictactoe", "one": "me", "two": "house:1"}, page="/play").headers["location"]
    assert client.get(f"{where}/analysis").status in (400, 404, 409)
    assert client.get(f"/api/matches/{where.rpartition('/')[2]}/analysis").status == 409


def test_nothing_is_told_of_secrets_while_they_are_secret(open_site: Running) -> None:
    client, stranger = open_site.client(), open_site.client()
    where = client.post("/play", {"game": "mastermind", "one": "me", "two": "house:1"}, page="/play").headers["location"]
    name = where.rpartition("/")[2]
    for one in (client, stranger):
        assert one.post(f"{where}/analysis", page="/play").status in (400, 403, 404, 409)
        assert one.get(f"{where}/analysis/document").status in (400, 404, 409)
    assert open_site.site.state.house.community.analyses.progress(name).stage is Stage.NONE


@browsing()
def test_the_page_steps_through_the_game(page: "Page", open_site: Running, game: tuple[Client, str]) -> None:
    client, where = game
    client.post(f"{where}/analysis", page=f"{where}/analysis")
    made(client, where)
    page.goto(f"{open_site.url}{where}/analysis")
    last = page.locator("#analysis").get_attribute("data-last")
    assert page.locator(".frame:visible").count() == 1
    page.locator("[data-step='-1']").click()
    shown = page.locator(".frame:visible").get_attribute("data-frame")
    assert shown == str(int(last or 0) - 1)


@browsing()
def test_a_visitor_checks_the_analysis_in_his_own_browser(page: "Page", open_site: Running, game: tuple[Client, str]) -> None:
    from playwright.sync_api import expect  # noqa: PLC0415 - only where there is a browser

    client, where = game
    client.post(f"{where}/analysis", page=f"{where}/analysis")
    made(client, where)
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(f"{open_site.url}{where}/analysis")
    box, button = page.locator("#check-here"), page.get_by_role("button", name="Check here")
    button.focus()
    page.keyboard.press("Enter")
    expect(box).to_have_attribute("data-state", "sound")
    expect(box.get_by_role("status")).to_have_text("Nothing contradicts it")
    shown = box.locator("li:visible").all_inner_texts()
    assert len(shown) == 7  # TicTacToe is counted out, so it needs no certificate
    assert not any("{" in one for one in shown)
    assert open_site.site.state.house.key.fingerprint in shown[0]
    expect(button).to_be_focused()
    document = read_document(client.get(f"{where}/analysis/document").text.encode())
    judgements = document.analysis.judgements
    lie = replace(judgements[0], played=0) if judgements[0].choice else judgements[0]
    forged = sign(replace(document.analysis, judgements=(lie, *judgements[1:])), b"", (), Key(b"\x09" * 32))
    page.route("**/analysis/document", lambda route: route.fulfill(body=forged.text()))
    button.click()
    expect(box).to_have_attribute("data-state", "forged")
    assert box.locator("li[data-fault]:visible").all_inner_texts() == ["It is about another record, or that record is broken."]
    page.unroute("**/analysis/document")
    first = "document.querySelector('.remarks li')"
    tells = page.locator(".remarks li").count() > 0  # lots decide what is played: perhaps nobody made a mistake
    mistold = (
        (f"{first}.className = ''", f"{first}.lastElementChild.textContent = 'better: 0'", f"{first}.remove()") if tells else ()
    )
    for lie in (
        "document.querySelector('[data-players] td b').textContent = '12.3'",
        "document.querySelector('#analysis').insertAdjacentHTML('beforeend', '<ol class=remarks><li><b data-show=1>')",
        *mistold,
    ):
        page.reload()
        page.evaluate(lie)
        button.click()
        expect(box.locator("[data-fault=figures]")).to_be_visible()
    assert not errors


@browsing()
def test_the_page_that_stands_alone_plays_the_better_line(page: "Page", tmp_path: Path) -> None:
    record = tmp_path / "game.record"
    record.write_bytes(octets("tictactoe"))
    assert run(["analyse", str(record), "--html", "--data", str(tmp_path / "data")]) == 0
    wanted: list[str] = []
    page.on("request", lambda request: wanted.append(request.url))
    page.goto((tmp_path / "game.html").as_uri())
    assert page.locator(".frame:visible").get_attribute("data-frame") == "8"
    page.locator("[data-line]").first.click()
    frame = page.locator(".frame:visible")
    assert frame.get_attribute("data-frame") == "2-0"
    assert frame.locator(".slip-cross").count() == 1, "what was played is crossed out"
    numbers = frame.locator(".nth-of").all_text_contents()
    assert numbers[0] == "1", "and what was better stands there in figures"
    assert sorted(set(numbers)) == numbers
    page.locator("[data-step='1']").click()
    assert page.locator(".frame:visible").get_attribute("data-frame") == "2-1"
    page.locator("[data-step='1']").click()
    assert page.locator(".frame:visible").get_attribute("data-frame") == "2-2"
    page.locator(".remarks [data-show='2']").click()
    assert page.locator(".frame:visible").get_attribute("data-frame") == "2"
    page.locator(".moments [data-show='2']").click()
    assert page.locator(".frame:visible").get_attribute("data-frame") == "2-0"
    from playwright.sync_api import expect  # noqa: PLC0415 - only where there is a browser

    page.set_viewport_size({"width": 390, "height": 640})
    page.locator(".moments button").first.click()
    expect(page.locator(".analysis-board .caption")).to_be_in_viewport()
    assert page.locator(".nths text").count() == page.locator(".moments li").count() > 0
    assert len(wanted) == 1


@pytest.mark.parametrize("name", NODES)
def test_every_game_has_a_page_that_stands_alone(name: str) -> None:
    told = tell(record(name))
    page = alone(sign(judged(name), octets(name), (), Key(b"\x05" * 32)), told, "fr")
    assert 'class="curve"' in page
    assert all(word in page for word in ("Qui menait", *told.names))
