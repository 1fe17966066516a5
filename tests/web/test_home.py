"""The home page lives: a real game on it moves, one click begins another, and all its small boards cost one line."""

import asyncio
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from arbitre.games.catalogue import game as find_game
from arbitre.site.arena.plan import HouseSeat, MatchPlan
from arbitre.web.choice import Choice, read_choice
from arbitre.web.feed import MOST_BOARDS
from arbitre.web.house import WebApp
from tests.browser import browsing, picture, until
from tests.web.people import DESK
from tests.web.site import Client, Running, quiet, running

if TYPE_CHECKING:
    from playwright.sync_api import Page, Response

SMALL = ("reversi", "draughts", "pente", "bigtictactoe")
MOST_OCTETS = 100_000
STILL = """() => { const hero = document.getElementById("hero");
  const card = document.querySelector("#live .small-board").cloneNode(true);
  card.dataset.board = hero.dataset.hero = "0".repeat(16);
  hero.ariaLabel = "";
  document.getElementById("live").append(card); }"""
"""Let the large board show a game in which nobody moves."""


@pytest.fixture
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return a site on which forty games go on, slowly."""
    with running(quiet(tmp_path_factory.mktemp("busy"))) as site:
        house: WebApp = site.site.state.house

        async def begin() -> None:
            for number in range(MOST_BOARDS):
                plan = MatchPlan(find_game(SMALL[number % 4]), (HouseSeat(1), HouseSeat(1)), pace=0.6)
                await house.arena.open(plan)

        assert house.log is not None
        assert house.log._task is not None
        asyncio.run_coroutine_threadsafe(begin(), house.log._task.get_loop()).result(60)
        yield site


@browsing(viewport=DESK, locale="en-GB", reduced_motion="reduce")
def test_forty_live_cards_cost_one_line_and_less_than_a_hundred_kilobytes(page: "Page", busy: Running) -> None:
    answers: list[Response] = []
    page.on("response", lambda one: answers.append(one))  # noqa: PLW0108 - Playwright wants a function of Python
    page.goto(busy.url)
    page.wait_for_selector("[data-following=yes]")
    cards = page.locator("#live .small-board")
    assert cards.count() == MOST_BOARDS
    page.locator("#live .mini .last").nth(30).wait_for(state="attached")
    picture(page, "home-forty")
    streams = [one for one in answers if "event-stream" in one.headers["content-type"]]
    files = [one for one in answers if one not in streams]
    assert [one.url.partition("?")[0] for one in streams] == [f"{busy.url}/watch/boards"]
    told = busy.client().get("/").text
    after = re.search(r"/watch/boards\?after=(\d+)", told)
    assert after is not None
    assert told.count('class="small-board"') == MOST_BOARDS + 1, "the stream need not say again what the page says"
    octets = sum(len(one.body()) + len(str(one.headers)) for one in files)
    assert octets < MOST_OCTETS
    assert all(one.url.startswith(busy.url) for one in answers), "nothing comes from anywhere else"


@browsing(viewport={"width": 1280, "height": 800}, locale="en-GB", reduced_motion="reduce")
def test_home_opens_with_a_game_that_moves_and_one_click_begins_another(page: "Page", busy: Running) -> None:
    page.clock.install()
    page.goto(busy.url)
    page.wait_for_selector("[data-following=yes]")
    ply = page.locator("#hero [data-part=ply]").inner_text()
    until(page, "(before) => document.querySelector('#hero [data-part=ply]').innerText !== before", ply)
    for what in ("#hero", "button.big", "#now"):
        box = page.locator(what).bounding_box()
        assert box is not None
        assert box["y"] + min(box["height"], 40) <= 800, f"{what} is seen without scrolling"
    page.evaluate(STILL)
    page.clock.fast_forward(21_000)
    page.wait_for_selector("#hero:not([data-hero='0000000000000000'])")
    assert "against" in (page.locator("#hero").get_attribute("aria-label") or ""), "a screen reader hears which game it is now"
    page.get_by_role("button", name="Play Reversi now").click()
    page.wait_for_url("**/games/*")


def test_one_post_begins_a_game_and_the_last_choice_is_remembered(client: Client) -> None:
    begun = client.post("/play/now", {"game": "pente"})
    assert begun.status == 303
    assert begun.headers["location"].startswith("/games/")
    assert "Play Pente now" in client.get("/").text
    assert client.post("/play/now", {}).status == 303
    assert client.post("/play/now", {"game": "nothing"}).status == 404


def test_without_a_live_game_the_last_one_kept_is_shown_again(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(quiet(tmp_path_factory.mktemp("quiet"))) as site:
        client, house = site.client(), site.site.state.house
        assert "No game is being played" in client.get("/").text
        begun = client.post("/play", {"game": "tictactoe", "one": "house:1", "two": "house:1"}, page="/play?game=tictactoe")
        name = begun.headers["location"].rpartition("/")[2]
        while house.arena.look(name) is not None:
            client.get("/health")
        text = client.get("/").text
        assert f'data-hero="{name}"' in text
        assert re.search(r'data-part="ply">replay<', text)


def test_what_a_browser_remembers_is_looked_at() -> None:
    assert read_choice("reversi", "house", "3", "drawn", "10m") == Choice("reversi", "house", 3, "drawn", "10m")
    right = {"game": "reversi", "against": "house", "level": "3", "side": "first", "clock": "none"}
    assert read_choice(**right) is not None
    for field, wrong in {"game": "chess", "against": "x", "level": "²", "side": "up", "clock": "9"}.items():
        assert read_choice(**right | {field: wrong}) is None
    assert Choice("reversi", level=99).strength < 99
