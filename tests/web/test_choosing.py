"""Choosing a game: every choice is a radio button with its words, the last one is remembered, and one click begins."""

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from arbitre.games.levels import RUNGS, lines, rungs
from arbitre.referee.clock import read_clock
from arbitre.site.arena.plan import HouseSeat, PersonSeat
from arbitre.web.choice import CLOCKS
from arbitre.web.covers import steps
from arbitre.web.limits import limit_in
from arbitre.words import words
from tests.browser import browsing, picture
from tests.house import HOUSE
from tests.web.site import Client, Running

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_level_is_offered_in_one_line(client: Client, language: str) -> None:
    for game in HOUSE:
        page = client.get(f"/play/{game}", Accept_Language=language).text
        for number, line in enumerate(lines(game), start=1):
            said = words(language)(line).replace("'", "&#39;")
            called = words(language)(RUNGS[rungs(game)[number - 1]])
            label = rf'name="level" value="{number}"( checked)?><i>{number}</i><span class="level"><b>{called}</b><svg.*?</svg>'
            assert re.search(rf"{label}<small>{re.escape(said)}</small></span>", page)
        assert page.count('name="level"') == len(lines(game))
        assert len(re.findall(r'name="(?:against|level|side|clock)" value="\w[^"]*" checked', page)) == 4, "one of each is chosen"


@pytest.mark.parametrize("game", HOUSE)
def test_the_rules_in_three_pictures(client: Client, game: str) -> None:
    told = steps(game)
    assert len({str(drawn) for drawn, _ in told}) == 3, "three that differ"
    for language in ("en", "fr"):
        page = unescape(client.get(f"/play/{game}", Accept_Language=language).text)
        for drawn, line in told:
            assert f"{drawn}<span>{words(language)(line)}</span>" in page
    assert words("fr")(told[0][1]) != told[0][1]


def test_what_is_chosen_sits_down_and_is_remembered(open_site: Running) -> None:
    client, arena = open_site.client(), open_site.site.state.house.arena
    assert "As last time" not in client.get("/play").text
    chosen = {"game": "pente", "against": "house", "level": "2", "side": "second", "clock": "10m"}
    begun = client.post("/play", chosen, page="/play/pente")
    plan = arena.sitting(begun.headers["location"].rpartition("/")[2]).plan
    assert plan.sitters[0] == HouseSeat(2)
    assert isinstance(plan.sitters[1], PersonSeat)
    assert plan.clock == read_clock("10m")
    page = client.get("/play").text
    for mark in ("As last time", 'name="level" value="2" checked', 'value="second" checked', 'value="10m" checked', "Continue"):
        assert mark in page
    assert 'href="/play/pente#how" aria-current="page"' in page, "the game that was played last is open"
    again = arena.sitting(client.post("/play/now", {}, page="/play").headers["location"].rpartition("/")[2]).plan
    assert (again.sitters, again.clock) == (plan.sitters, plan.clock)


@pytest.mark.parametrize(
    ("chosen", "seats"),
    [
        ({"against": "friend", "side": "first"}, "person free"),
        ({"against": "friend", "side": "second"}, "free person"),
        ({"against": "show", "level": "3"}, "house 3 house 2"),
        ({"against": "house", "level": "99", "side": "first"}, "person house 1"),
        ({"against": "house", "level": "2", "one": "house:3", "two": "me"}, "house 3 person"),
        ({"one": "me", "two": ""}, "person house 2"),
    ],
)
def test_who_sits_where(open_site: Running, chosen: dict[str, str], seats: str) -> None:
    begun = open_site.client().post("/play", {"game": "tictactoe", **chosen}, page="/play/tictactoe")
    assert begun.status == 303, begun.text
    plan = open_site.site.state.house.arena.sitting(begun.headers["location"].rpartition("/")[2]).plan
    told = [f"house {one.level}" if isinstance(one, HouseSeat) else "person" if one.who else "free" for one in plan.sitters]
    assert " ".join(told) == seats


def test_what_nobody_can_choose_is_explained_beside_what_was_chosen(client: Client) -> None:
    sent = {"game": "reversi", "against": "house", "level": "4", "side": "drawn", "start": "no position"}
    answer = client.post("/play", sent, page="/play/reversi")
    assert answer.status == 400
    for mark in ('role="alert"', 'value="4" checked', 'value="drawn" checked', "no position</textarea>", "<details open"):
        assert mark in answer.text
    assert client.post("/play", {"game": "reversi", "against": "engine", "engine": "7"}, page="/play/reversi").status == 400
    assert client.get("/play/chess").status == 404


def test_time_limits_in_words() -> None:
    assert [limit_in(words("en"), read_clock(one)).replace("\N{NO-BREAK SPACE}", " ") for one in CLOCKS] == [
        "no limit", "4 s a move", "10 s a move", "30 s a move", "3 min + 2 s each", "10 min each", "1 h each",
    ]  # fmt: skip
    assert limit_in(words("fr"), read_clock("90s/move")) == "90\N{NO-BREAK SPACE}s par coup"
    assert limit_in(words("en"), read_clock("1500ms/move")) == "1500\N{NO-BREAK SPACE}ms a move"


@browsing(viewport={"width": 1366, "height": 768}, locale="en-GB", forced_colors="active")
def test_what_is_chosen_shows_in_the_colours_of_the_system(page: "Page", open_site: Running) -> None:
    page.goto(open_site.url + "/play/reversi")
    looks = page.locator(".picks label").evaluate_all(
        "all => all.map((one) => [one.querySelector('input').checked, getComputedStyle(one).outlineStyle])"
    )
    assert {outline for checked, outline in looks if checked} == {"solid"}
    assert {outline for checked, outline in looks if not checked} == {"none"}
    assert page.locator(".covers [aria-current]").evaluate("one => getComputedStyle(one).outlineStyle") == "solid"


@browsing(viewport={"width": 320, "height": 640}, locale="fr-FR", java_script_enabled=False)
def test_a_game_is_chosen_by_keys_alone_and_without_scripts(page: "Page", open_site: Running) -> None:
    page.goto(open_site.url + "/play/tictactoe")
    for chosen, key in (("against", ""), ("level", "ArrowDown"), ("side", "ArrowDown"), ("clock", "ArrowDown")):
        while page.locator(f"[name={chosen}]:focus").count() == 0:
            page.keyboard.press("Tab")
        ring = page.locator(f"label:has([name={chosen}]:focus-visible)")
        assert ring.count() == 1, "what has the focus is seen"
        if key:
            page.keyboard.press(key)
    picture(page, "choose-320")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/games/*")
    page.goto(open_site.url + "/play")
    for name, value in (("level", "2"), ("side", "second"), ("clock", "4s/move")):
        assert page.locator(f"[name={name}]:checked").get_attribute("value") == value


@browsing(viewport={"width": 1280, "height": 800}, locale="fr-FR", reduced_motion="reduce")
def test_all_of_it_is_seen_at_once_and_one_click_begins(page: "Page", open_site: Running) -> None:
    page.goto(open_site.url + "/play")
    begin = page.get_by_role("button", name="Une partie de Reversi")
    box = begin.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 800
    level = page.locator("[name=level]:checked")
    assert page.locator(".level b:visible").last.inner_text() in ("Débutant", "Facile", "Moyen", "Fort", "Au mieux")
    for game in HOUSE:  # whatever its number of levels
        page.goto(f"{open_site.url}/play/{game}")
        low = page.locator(".begin button").bounding_box()
        assert low is not None
        assert low["y"] + low["height"] <= 800, game
        assert page.locator(".levels").evaluate("one => one.scrollHeight <= one.clientHeight + 1"), f"{game} scrolls"
        picture(page, f"choose-{game}")
    page.goto(open_site.url + "/play")
    assert page.evaluate("() => scrollY") == 0
    page.get_by_role("radio", name="Un ami").check()
    assert level.is_hidden(), "a friend has no level"
    page.get_by_role("radio", name="La maison").check()
    page.get_by_role("link", name="Dames").click()
    page.get_by_role("heading", name="Dames", exact=True).wait_for()
    assert page.evaluate("() => scrollY") == 0, "a choice of another game moves nothing"
    page.get_by_role("button", name="Une partie de Dames").click()
    page.wait_for_url("**/games/*")
