"""The league on the site: reports over real sockets from several addresses, then the table, the players and the games."""

import asyncio
import json
import re
import socket
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

import pytest

from arbitre.errors import StoreError
from arbitre.games.draughts.pdn import read_games
from arbitre.league.robots import Attacker
from arbitre.site.accounts import Role
from arbitre.transport.sockets import Endpoint
from arbitre.web.pages import league as pages
from tests.browser import browsing, picture, until
from tests.league.house import AGAIN, ANN, BOB, CONFIRMED, EVE, OTHERS, PENDING, UNKNOWN, black, free_port, game, send, white
from tests.league.test_robots import House
from tests.web.site import Client, Running, quiet, running
from tests.web.test_serve import served

if TYPE_CHECKING:
    from playwright.sync_api import Page

ALONE = ("--arcade-port", "0", "--hub-port", "0", "--defender-port", "0", "--house-games", "0")
GAMES = ((ANN, BOB, 1), (BOB, ANN, 2), (ANN, EVE, 3), (EVE, BOB, 4), (EVE, EVE, 6))


async def play(port: int) -> None:
    """Report games of three players, and one that only one side tells."""
    for first, second, seed in GAMES:
        assert await send(port, first, white(second, seed)) == PENDING
        assert await send(port, second, black(first, seed)) == CONFIRMED
    assert await send(port, ANN, white(BOB, 5)) == PENDING


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return a site whose league has been played."""
    port = free_port()
    with running(quiet(tmp_path_factory.mktemp("league"), registrar_port=port)) as site:
        asyncio.run(play(port))
        yield site


def test_the_table_is_that_of_the_reports(league: Running) -> None:
    page = league.client().get("/league").text
    for name in (ANN, BOB, EVE):
        assert f'href="/league/players/{name}"' in page
    told = json.loads(league.client().get("/api/league").text)
    assert (told["games"], told["pending"]) == (len(GAMES), 1)
    assert sum(line["points"] for line in told["table"]) == len(GAMES) - 1, "a game against oneself counts for nothing"
    assert all(line["error"] > 0 for line in told["table"])
    assert f"--registrar 127.0.0.1:{league.settings.registrar_port}" in page


def test_a_report_that_waits_is_named_and_its_moves_are_not(league: Running) -> None:
    client = league.client()
    text = client.get("/league").text
    assert f"{ANN} (white) against {BOB} (black): reported by {ANN}" in text
    last = str(game(5)[-1])
    assert all(last not in client.get(path).text for path in ("/league", f"/league/players/{ANN}"))
    assert client.get("/league/games/6").status == 404


@pytest.mark.parametrize("number", range(1, len(GAMES) + 1))
def test_every_confirmed_game_is_there_with_all_its_moves(league: Running, number: int) -> None:
    client = league.client()
    first, second, seed = GAMES[number - 1]
    page = client.get(f"/league/games/{number}").text
    assert page.count("data-query=") == len(game(seed)) + 1
    assert re.findall(r'data-query="[^"]*"[^>]*>([\dx-]+)</a>', page) == [str(move) for move in game(seed)]
    assert first in page
    assert second in page
    assert page.count('<p class="voice good"><b>confirmed</b>') == 2
    answer = client.get(f"/league/games/{number}/pdn")
    assert answer.headers["content-disposition"] == f'attachment; filename="league-{number}.pdn"'
    (read,) = read_games(answer.text)
    assert read.moves == game(seed)
    assert dict(read.headers)["White"] == first


def test_all_games_are_one_file(league: Running) -> None:
    assert [one.moves for one in read_games(league.client().get("/league/pdn").text)] == [game(seed) for *_, seed in GAMES]


@pytest.mark.parametrize(
    "path", ["/league/players/nobody", "/league/players/..%2f..", "/league/games/0", "/league/games/x", "/league/games/99/pdn",
             "/league/games/-1", "/league/games/1?ply=x", f"/league/games/{10**30}"]
)  # fmt: skip
def test_what_is_not_there_is_said_politely(league: Running, path: str) -> None:
    answer = league.client().get(path)
    assert answer.status in (400, 404)
    assert "Traceback" not in answer.text


def test_a_ply_out_of_range_shows_the_nearest(league: Running) -> None:
    client = league.client()
    assert re.search(r'data-at="0"', client.get("/league/games/1?ply=-5").text)
    assert re.search(rf'data-at="{len(game(1))}"', client.get("/league/games/1?ply=5000").text)


def test_both_languages(league: Running) -> None:
    text = league.client().get("/league", Accept_Language="fr").text
    assert "Ligue de dames" in text
    assert "Attente" in text or "attente" in text


def test_both_reports_can_be_taken_away(league: Running) -> None:
    client = league.client()
    told = json.loads(client.get("/api/league/games/1/reports").text)
    for side, reporter, octets in (("white", ANN, white(BOB, 1)), ("black", BOB, black(ANN, 1))):
        assert f'href="/league/games/1/reports/{side}"' in client.get("/league/games/1").text
        answer = client.get(f"/league/games/1/reports/{side}")
        assert answer.body == octets
        assert answer.headers["content-disposition"] == f'attachment; filename="league-1-{side}.report"'
        assert (told[side]["reporter"], bytes.fromhex(told[side]["octets"])) == (reporter, octets)
    assert client.get("/league/games/1/reports/grey").status == 404
    assert client.get("/league/games/99/reports/white").status == 404


def test_a_long_league_comes_in_pages(league: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "LATEST", 2)
    monkeypatch.setattr(pages, "TABLE", 2)
    monkeypatch.setattr(pages, "LISTED", 1)
    client = league.client()
    numbers = []
    for page in (1, 2, 3):
        text = client.get(f"/league?games={page}").text
        numbers += [int(one) for one in re.findall(r'<a class="card duel" href="/league/games/(\d+)"', text)]
        assert f"page {page} of 3" in text
    assert numbers == [5, 4, 3, 2, 1]
    first, second = (client.get(f"/league?table={page}").text for page in (1, 2))
    assert [text.count('<td class="number place">') for text in (first, second)] == [2, 1]
    assert 'rel="next" href="/league?games=1&amp;table=2#table"' in first
    assert client.get("/league?games=99&table=99").status == 200, "the nearest"
    assert client.get("/league?games=x").status == 400
    assert "page 2 of " in client.get(f"/league/players/{ANN}?games=2").text


def test_table_and_games_show_the_names_of_the_roster(tmp_path: Path) -> None:
    port, roster = free_port(), tmp_path / "groups"
    with running(quiet(tmp_path / "site", registrar_port=port)):
        asyncio.run(play(port))
    roster.write_text(f"{ANN} the owls\n{BOB} the crows\n")
    with running(quiet(tmp_path / "site", registrar_port=port, league_roster=str(roster))) as site:
        client = site.client()
        told = json.loads(client.get("/api/league").text)
        assert {line["name"] for line in told["table"]} == {"the owls", "the crows", EVE}, "an address where there is no name"
        for path in ("/league", "/league/games/1", "/league/players/the%20owls"):
            text = client.get(path).text
            assert "the owls" in text
            assert ANN not in text
            assert BOB not in text
        assert client.get(f"/league/players/{ANN}").headers["location"] == "/league/players/the%20owls"
        assert len(json.loads(client.get("/api/league/games/1/reports").text)) == 2
        assert asyncio.run(send(port, ANN, white(BOB, 1))) == AGAIN, "what was registered is theirs"
        assert asyncio.run(send(port, BOB, black(ANN, 5))) != OTHERS, "a report that waited is confirmed or comes tomorrow"


def test_an_empty_league_teaches(client: Client) -> None:
    text = client.get("/league").text
    assert "No game is confirmed yet" in text
    assert "is not open" in text


def test_what_was_accepted_is_there_after_kill_9(tmp_path: Path) -> None:
    """The site is killed right after its answer; opened again it shows the game, and answers as before."""
    port = free_port()
    doors = ("--registrar-port", str(port), *ALONE)
    with served(tmp_path, *doors) as (process, _):
        assert asyncio.run(send(port, ANN, white(BOB, 1))) == PENDING
        assert asyncio.run(send(port, BOB, black(ANN, 1))) == CONFIRMED
        process.kill()
        process.wait()
    with served(tmp_path, *doors) as (_, lines):
        client = Client(int(lines[0].rpartition(":")[2]))
        assert [line["games"] for line in json.loads(client.get("/api/league").text)["table"]] == [1, 1]
        assert client.get("/league/games/1").text.count("data-query=") == len(game(1)) + 1
        assert asyncio.run(send(port, ANN, white(BOB, 1))) == AGAIN


# ── the house's robots ─────────────────────────────────────────────────────────────────────────────────────────────


def until_confirmed(client: Client, number: int) -> list[dict[str, object]]:
    """Wait until so many games are confirmed, and return the table."""
    while (told := json.loads(client.get("/api/league").text))["games"] < number:
        sleep(0.05)
    return list(told["table"])


def test_the_house_defends_and_reports(tmp_path: Path) -> None:
    registrar, defender = free_port(), free_port()

    async def challenge() -> None:
        ours = House(tmp_path / "robot", Endpoint("127.0.0.1", registrar), ANN)
        (finished,) = await Attacker(ours.robot, [Endpoint("127.0.0.1", defender)]).challenge_all()
        assert finished.recordable
        ours.store.close()

    with running(quiet(tmp_path / "site", registrar_port=registrar, defender_port=defender, defender_level=1)) as site:
        assert f"127.0.0.1:{defender}" in site.client().get("/league").text
        assert json.loads(site.client().get("/api/league").text)["defender"] == f"127.0.0.1:{defender}"
        asyncio.run(challenge())
        assert {line["name"] for line in until_confirmed(site.client(), 1)} == {ANN, "127.0.0.1"}


def ended(client: Client, path: str) -> str:
    """Look at the page of a challenge until it is over."""
    while 'http-equiv="refresh"' in (text := client.get(path).text):
        sleep(0.05)
    return unescape(text)


def test_the_house_challenges_a_defender_that_a_visitor_names(tmp_path: Path) -> None:
    registrar, defender = free_port(), free_port()
    with running(quiet(tmp_path, registrar_port=registrar, defender_port=defender, defender_level=1)) as site:
        client = site.client()
        asked = client.post("/league/challenges", {"address": f"127.0.0.1:{defender}", "level": "1"}, page="/league")
        assert asked.status == 303
        page = ended(client, asked.headers["location"])
        assert "<b>finished</b>" in page
        assert "ACC : " in page
        until_confirmed(client, 1)
        page = ended(client, asked.headers["location"])
        assert 'href="/league/games/1"' in page, "here both sides are the house"


def test_what_is_wrong_with_a_defender_is_said_in_words(league: Running) -> None:
    client = league.client()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    asked = client.post("/league/challenges", {"address": f"127.0.0.1:{port}"}, page="/league")
    page = ended(client, asked.headers["location"])
    assert "Nobody takes the call." in page
    assert "cannot be reached: Connection refused" in page
    assert "Personne ne prend l’appel." in unescape(client.get(asked.headers["location"], Accept_Language="fr").text)
    wrong = client.post("/league/challenges", {"address": "[::1"}, page="/league")
    assert wrong.status == 400
    assert "This is not an address of a defender" in wrong.text
    assert client.get("/league/challenges/nobody").status == 404


def test_a_site_for_others_calls_no_defender_inside(tmp_path: Path) -> None:
    with running(quiet(tmp_path, host="192.0.2.1")) as site:
        client = site.client()
        asked = client.post("/league/challenges", {"address": f"127.0.0.1:{site.port}"}, page="/league")
        page = ended(client, asked.headers["location"])
        assert "The house may not call this address." in page
        assert "127.0.0.1 is not a public address; the operator has not allowed it" in page


# ── a registrar that is not there ──────────────────────────────────────────────────────────────────────────────────


def operator_of(site: Running) -> Client:
    """Return a browser in which an operator is logged in."""
    site.site.state.house.community.accounts.create("olga", "correct horse battery", Role.OPERATOR)
    client = site.client()
    client.post("/login", {"name": "olga", "password": "correct horse battery"}, page="/login")
    return client


ROSTERS = {
    "missing": (None, "cannot be read: No such file or directory"),
    "no text": (b"\xff\xfe\x00", "is no UTF-8 text"),
    "no address": (b"127.0.0.1 the owls\nnonsense the crows\n", "line 2 of the roster: 'nonsense' is no address or prefix"),
}


@pytest.mark.parametrize("fault", ROSTERS)
def test_a_roster_that_cannot_be_read_is_told_to_whom_it_concerns(
    tmp_path: Path, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The site opens without its registrar: the log and the operator's pages say why, other pages only that it is closed."""
    text, why = ROSTERS[fault]
    roster = tmp_path / "groups.txt"
    if text is not None:
        roster.write_bytes(text)
    with running(quiet(tmp_path / "data", registrar_port=free_port(), league_roster=str(roster))) as site:
        assert "the draughts registrar is not open: league-roster: " in caplog.text
        assert why in caplog.text
        page = site.client().get("/league").text
        assert "The registrar of this site is not open." in page
        assert "groups.txt" not in page, "paths are the operator's business"
        assert json.loads(site.client().get("/api/league").text)["registrar"] is None
        operator = operator_of(site)
        for path in ("/operator/house", "/league"):
            told = unescape(operator.get(path).text)
            assert why in told
            assert "league-roster: " in told


def test_a_roster_that_cannot_be_read_is_told_at_the_start(tmp_path: Path) -> None:
    doors = ("--registrar-port", str(free_port()), *ALONE)
    with served(tmp_path, *doors, "--league-roster", str(tmp_path / "none")) as (_, lines):
        assert lines[1].startswith("the draughts registrar is not open: league-roster: ")
        assert lines[1].endswith("cannot be read: No such file or directory")


def test_a_registrar_that_stops_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A store that can keep nothing more ends the registrar; the site says so instead of naming a door that is closed."""
    port = free_port()
    with running(quiet(tmp_path, registrar_port=port)) as site:
        operator = operator_of(site)
        assert f"127.0.0.1:{port}" in operator.get("/operator/house").text

        def full(batch: object) -> None:
            raise StoreError("the disk is full")

        site.site.state.house.store._write = full
        assert asyncio.run(send(port, ANN, white(BOB, 1))) == UNKNOWN
        while "has stopped" not in caplog.text:
            sleep(0.01)
        assert "the draughts registrar has stopped: the disk is full" in caplog.text
        assert "is not open" in site.client().get("/league").text
        assert "the disk is full" in operator.get("/operator/house").text


# ── in a browser ───────────────────────────────────────────────────────────────────────────────────────────────────


def step_through(page: "Page", site: Running, name: str) -> None:
    from playwright.sync_api import expect  # noqa: PLC0415 - a development tool that may be missing

    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for path in ("/league", f"/league/players/{ANN}", "/league/games/1"):
        page.goto(site.url + path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} is too wide"
        page.wait_for_load_state("networkidle")
        picture(page, f"league-{name}{path.replace('/', '-')}")
    last = len(game(1))
    page.wait_for_selector(f'#replay[data-at="{last}"]')
    seen = "(box => (now => now.top >= box.top && now.bottom <= box.bottom)(document.querySelector('#moves [aria-current]')"
    until(page, f"{seen}.getBoundingClientRect()))(document.getElementById('moves').getBoundingClientRect())")
    page.keyboard.press("Home")
    page.wait_for_selector('#replay[data-at="0"]')
    page.keyboard.press("ArrowRight")
    page.wait_for_selector('#replay[data-at="1"]')
    page.locator(".replay [data-step=next]").click()
    page.wait_for_selector('#replay[data-at="2"]')
    expect(page.locator(".replay iframe")).to_have_count(1)
    frame = page.frame_locator(".replay iframe")
    frame.locator('html[data-state="shown"]').wait_for(state="attached")
    assert frame.locator(".name").first.inner_text() == ANN
    page.locator(".replay [data-step=play]").click()
    page.wait_for_selector('#replay[data-at="4"]')
    page.locator(".replay [data-step=play]").click()
    picture(page, f"league-{name}-replay")
    assert complaints == []


@pytest.mark.campaign
@browsing(viewport={"width": 1280, "height": 900}, color_scheme="light", locale="en-GB")
def test_replay_on_a_desk(page: "Page", league: Running) -> None:
    step_through(page, league, "desk")


@browsing(viewport={"width": 390, "height": 844}, color_scheme="dark", locale="fr-FR")
def test_replay_on_a_phone(page: "Page", league: Running) -> None:
    step_through(page, league, "phone")
