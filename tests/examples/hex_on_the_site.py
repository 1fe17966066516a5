"""Hex on a site where it is installed: `test_hex` runs these tests there."""

import json
import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from arbitre.games.catalogue import listing
from arbitre.site.accounts import Role
from arbitre.site.competitions.competitions import CompetitionId, Stage
from tests.browser import browsing, chromium, picture
from tests.web.people import DESK, asking, begin, ended, near_the_end, play_out
from tests.web.place import Place
from tests.web.site import quiet, running
from tests.web.stranger import Stranger

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

__all__ = ["chromium"]

PEOPLE = {"Oscar": Role.ORGANISER, "Ann": Role.PLAYER, "Bob": Role.PLAYER}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with running(quiet(tmp_path_factory.mktemp("hex"))) as site:
        create = site.site.state.house.community.accounts.create
        yield Place(site, {name: create(name, "a long password", role) for name, role in PEOPLE.items()}, os.environ["HEX"])


def first_free(frame: "Frame") -> None:
    """Take the first empty cell of the picture."""
    rows = frame.locator("pre.picture").inner_text().splitlines()[1:]
    row, cells = next((number, row.split()[1:]) for number, row in enumerate(rows, start=1) if "." in row.split()[1:])
    say(frame, f"{'abcdefghijklmnopqrs'[cells.index('.')]}{row}")


def say(frame: "Frame", text: str) -> None:
    frame.locator("input.said").fill(text)
    frame.locator("input.said").press("Enter")


@browsing(viewport=DESK, reduced_motion="reduce", locale="en-GB", color_scheme="light")
def test_a_person_plays_it_on_the_board_in_characters(page: "Page", place: Place) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    begin(page, place.site, "hex", start=near_the_end("hex", 3, 8))
    frame = asking(page)
    assert frame.locator("pre.picture").inner_text().splitlines()[0].split() == list("abcdefg")
    picture(page, "hex-in-characters")
    say(frame, "z99")
    page.wait_for_selector("text=a cell is a letter and a number, a1 to g7")
    assert play_out(page, first_free)
    ended(page)
    assert page.locator("#lines li.voice.good").last.inner_text().endswith("both sides are joined")
    assert complaints == []


def test_pages_and_programs_know_it(place: Place) -> None:
    client = place.site.client()
    (told,) = (one for one in json.loads(client.get("/api/games").text) if one["name"] == "hex")
    assert [one["name"] for one in told["options"]] == ["size"]
    assert "/play?game=hex" in client.get("/").text
    assert 'name="option.size"' in client.get("/play?game=hex").text
    assert "Cases d’un côté" in client.get("/play?game=hex", Accept_Language="fr").text
    assert "/manual/games/hex" in client.get("/manual").text
    made = client.get("/manual/games/hex").text
    assert "Join your two sides of a board of hexagons." in made
    assert "column letter and row number" in made
    assert "Relier ses deux bords" in client.get("/manual/fr/games/hex").text
    for path in ("/rankings", "/rankings/hex", "/program/engine-test?game=hex", "/program/interface-test?game=hex&preset=over"):
        assert client.get(path).status == 200, path
    assert listing("hex").interface == ""


def test_a_program_that_knows_nothing_plays_it(place: Place) -> None:
    token = place.community.tokens.make(place.people["Ann"], "agent", ["read", "play"]).secret
    agent = Stranger(place.site.port, token)
    try:
        assert agent.play("hex")["verdict"]["termination"] == "rules"
    finally:
        agent.line.close()


def test_engines_compete_in_it(place: Place) -> None:
    oscar = place.visitor("Oscar")
    said = {"game": "hex", "template": "everybody", "clock": "4s/move", "listed": "1", "each": "4", "option.hex.size": "3"}
    answer = oscar.post("/compete/new", said)
    assert answer.status == 303, answer.text
    number = int(answer.headers["location"].rpartition("/")[2])
    for owner in ("Ann", "Bob"):
        engine = place.engine(owner, f"{owner}s", "", game="hex")
        assert place.visitor(owner).post(f"/compete/{number}/enter", {"engine": str(engine.id)}).status == 303
    assert oscar.post(f"/compete/{number}/steer", {"what": "begin"}).status == 303
    while place.community.competitions.find(CompetitionId(number)).stage is not Stage.OVER:
        time.sleep(0.05)
    assert "Anns" in place.site.client().get(f"/compete/{number}").text
