"""The daily puzzle of a site: made of games that were played there, with its proof, the same all day, played on the board."""

import json
import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from arbitre.errors import UnknownError
from arbitre.games.analysis import Effort, Puzzle, analyst_class
from arbitre.games.catalogue import game
from arbitre.games.notation import notation_of
from arbitre.site.daily import read_puzzle
from arbitre.site.puzzles import AHEAD
from tests.analysis.test_puzzles import found
from tests.browser import browsing
from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page


def draughts() -> Puzzle:
    table = game("draughts")
    one = analyst_class("draughts")(table, Effort(1)).puzzle(notation_of(table).read_state("B:W44:B2,3,4,25,26,29,32 94"))
    assert one is not None
    return one


def test_a_game_that_is_over_becomes_a_puzzle(open_site: Running) -> None:
    client = open_site.client()
    house = open_site.site.state.house
    assert client.get("/puzzles").status == 200
    fields = {"game": "reversi", "one": "house:1", "two": "house:1", "start": found().position}
    assert client.post("/play", fields, page="/play/reversi").status == 303
    while not house.puzzles.shown(1):
        assert client.get("/puzzles").status == 200
    (daily,) = house.puzzles.shown(1)
    assert daily.puzzle == found()
    right = client.get(f"/puzzles/{daily.day}?move={daily.puzzle.move}").text
    example = re.search(r"such as (\w+)", client.get("/puzzles").text)
    assert example is not None
    assert example[1] != daily.puzzle.move == next(iter(dict(daily.puzzle.results))), "the first move is the solution here"
    wrong = next(text for text in dict(daily.puzzle.results) if text != daily.puzzle.move)
    assert right.count("<li>") >= len(daily.puzzle.results)
    page = client.get(f"/puzzles/{daily.day}?move={wrong}").text
    assert "note bad" in page
    assert all(f"/puzzles/{daily.day}?move={text}" in page for text in dict(daily.puzzle.results))
    assert "note bad" in client.get(f"/puzzles/{daily.day}?move=%3Cb%3E").text
    assert client.get("/puzzles/1999-01-01").status == 404
    assert client.get("/puzzles?game=pente").status == 404
    assert client.get("/puzzles?game=reversi").status == 200
    told = json.loads(client.get("/api/puzzles").text)
    assert (told[0]["position"], told[0]["solution"], told[0]["results"]) == (daily.puzzle.position, None, None)
    assert house.community.daily.add("draughts", "0" * 16, draughts(), date(2020, 1, 1), AHEAD)
    told = json.loads(client.get("/api/puzzles").text)
    assert (told[-1]["solution"], told[-1]["results"]["29-34"], told[-1]["goal"]) == ("29-34", 1, "soon")
    assert house.puzzles.kept.shown(date(1999, 1, 1), 9) == []


def test_days_go_round_the_games(open_site: Running) -> None:
    kept, day = open_site.site.state.house.community.daily, date(2031, 1, 1)

    def of(name: str, number: int) -> bool:
        one = Puzzle(f"{name} {number}", 0, "a", (("a", 1), ("b", 0), ("c", 0)))
        return bool(kept.add(name, "0" * 16, one, day, AHEAD))

    for number in range(20):
        of("reversi", number)
    assert not kept.wants("reversi", day, AHEAD)
    assert kept.wants("pente", day, AHEAD)
    assert not of("pente", 0) or not of("pente", 0), "the same position twice"
    shown = {one.day: one.game for one in kept.shown(day + timedelta(days=AHEAD), 30) if one.day >= day.isoformat()}
    assert [shown.get((day + timedelta(days=at)).isoformat(), "") for at in range(5)] == [
        "reversi",
        "reversi",
        "pente",
        "reversi",
        "",
    ]
    with pytest.raises(UnknownError):
        read_puzzle({"position": 1})


@browsing()
def test_a_puzzle_of_draughts_is_played_on_the_board_and_by_keys(page: "Page", open_site: Running) -> None:
    one = draughts()
    kept = open_site.site.state.house.community.daily
    if not kept.shown(date(2020, 1, 1), 1):
        assert kept.add("draughts", "0" * 16, one, date(2020, 1, 1), AHEAD)
    page.goto(f"{open_site.url}/puzzles/2020-01-01")
    page.locator(f".cells a[aria-label='{one.move.partition('-')[0]}']").click()
    page.locator(f".cells a[href$='move={one.move}']").click()
    assert page.locator(".note.good").is_visible()
    page.locator("#move").fill("25-30")
    page.keyboard.press("Enter")
    page.locator(".note.bad").wait_for()
    page.locator(".cells a").first.focus()
    page.keyboard.press("ArrowRight")
    page.locator(".cells a:focus").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url("**piece=*")
