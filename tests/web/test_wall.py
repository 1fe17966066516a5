"""The wall of a competition: it shows the round and the standings, needs nobody, and comes back when the site does."""

import asyncio
import json
import re
import signal
import sys
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbitre.crypto.passwords import LIGHT
from arbitre.records.event import Kind
from arbitre.site.accounts import Role
from arbitre.site.community import Community
from arbitre.site.competitions.competitions import Announcement, CompetitionId, Stage
from arbitre.site.competitions.honours import Feat, honours
from arbitre.site.database import Allowances as CommunityRules
from arbitre.web.crests import crest
from arbitre.web.feed import MOST_BOARDS
from arbitre.web.visit import SESSION_COOKIE
from tests.browser import browsing, picture
from tests.tournoyons.test_player import ENGINES, started
from tests.web.clients import Server
from tests.web.place import Place
from tests.web.site import Client, quiet, running

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route, ViewportSize

PROJECTOR: "ViewportSize" = {"width": 1920, "height": 1080}
FOUR_K: "ViewportSize" = {"width": 3840, "height": 2160}
PASSWORD = "a long password"  # noqa: S105 - of nobody
PEOPLE = {"Oscar": Role.ORGANISER, "Ann": Role.PLAYER, "Bob": Role.PLAYER, "Carla": Role.PLAYER, "Dora": Role.PLAYER}


class Hall(Place):
    """A site, its people, and engines that answer at once."""

    def announced(self, **fields: str) -> str:
        """Announce a competition as Oscar; return where it is."""
        said = {"game": "tictactoe", "template": "everybody", "clock": "4s/move", "listed": "1", "each": "9", **fields}
        answer = self.visitor("Oscar").post("/compete/new", said)
        assert answer.status == 303, answer.text
        return answer.headers["location"]

    def enter(self, where: str, *names: str) -> None:
        """Enter Ann's engines."""
        for at, name in enumerate(names):
            engine = self.engine("Ann", name, f"play/{at}")
            assert self.visitor("Ann").post(f"{where}/enter", {"engine": str(engine.id)}).status == 303

    def begin(self, where: str) -> None:
        """Let it begin."""
        assert self.visitor("Oscar").post(f"{where}/steer", {"what": "begin"}).status == 303

    def over(self, where: str) -> None:
        """Wait for the end."""
        while self.community.competitions.find(CompetitionId(int(where.rpartition("/")[2]))).stage is not Stage.OVER:
            time.sleep(0.05)


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    for url in started(sys.executable, "-S", str(ENGINES / "crowd.py")):
        with running(quiet(tmp_path_factory.mktemp("hall"))) as site:
            create = site.site.state.house.community.accounts.create
            yield Hall(site, {name: create(name, PASSWORD, role) for name, role in PEOPLE.items()}, url)


@browsing(viewport=PROJECTOR, locale="en-GB", reduced_motion="reduce")
def test_a_wall_lives_through_a_competition_and_does_not_grow(page: "Page", hall: Hall) -> None:
    """From the first entry to the podium without a hand; its boards are those of a round, however many games there were."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    where = hall.announced(title="Autumn cup", games="4")
    hall.enter(where, "Lynx", "Heron", "Badger", "Otter", "Newt", "Wren")
    page.goto(f"{hall.site.url}{where}/wall")
    assert page.locator(".wall-wait .names li").count() == 6
    page.evaluate("window.here = 'since the beginning'")
    hall.begin(where)
    page.locator("#wall[data-stage=running] .ladder li").nth(5).wait_for()
    page.locator("#live .small-board").first.wait_for()
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    picture(page, "wall-running")
    sizes = page.evaluate(
        """() => [...document.querySelectorAll(".ladder .name, .wall-boards .name, .wall-head h1")]
            .map((one) => parseFloat(getComputedStyle(one).fontSize))"""
    )
    assert min(sizes) >= 34, "names are read from ten metres"
    page.set_viewport_size(FOUR_K)
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert page.locator(".ladder .name").first.evaluate("one => parseFloat(getComputedStyle(one).fontSize)") >= 68
    page.set_viewport_size(PROJECTOR)
    hall.over(where)
    page.locator("#wall[data-stage=over] .podium .step1").wait_for()
    page.locator(".podium .name").nth(2).wait_for()
    page.get_by_text("60 of 60 records verified").wait_for()
    assert page.locator(".awards li").count() >= 2
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), "awards and all"
    assert page.evaluate(
        """() => document.querySelector(".step1 .disc").getBoundingClientRect().top
            >= document.querySelector(".wall-head").getBoundingClientRect().bottom"""
    )
    picture(page, "wall-podium")
    assert page.evaluate("window.here") == "since the beginning", "nobody had to load it anew"
    assert page.locator("#live .small-board").count() <= MOST_BOARDS
    assert page.evaluate("document.querySelectorAll('*').length") < 1_200, "sixty games left nothing behind"
    assert "error" not in page.locator("#wall").inner_text()
    assert complaints == []
    told = hall.visitor().get(where).text
    assert 'class="podium"' in told
    assert len(set(re.findall(r'<span class="each">.*?</span>', told))) > 1, "the table leads to each game"


DAY_GAMES, MOVES = 2_000, 8
"""Games of a long day on a wall, and what is told of each."""


def _day() -> str:
    """Return what a stream tells in a day: each game begins, goes on, ends and goes; the last stays."""
    told = ["retry: 3600000\n"]
    for at in range(DAY_GAMES):
        board = {"id": f"{at:016x}", "game": "tictactoe", "title": "day", "names": [f"A{at}", f"B{at}"],
                 "marks": ["cross", "ring"], "awaits": [0], "tally": None, "winner": None,
                 "picture": "<svg viewBox='0 0 8 8'></svg>"}  # fmt: skip
        states = ["playing"] * MOVES + ["over"]
        told += [f"event: some\ndata: {json.dumps([{**board, 'state': one, 'ply': ply}])}\n" for ply, one in enumerate(states)]
        if at < DAY_GAMES - 1:
            told.append(f"event: some\ndata: {json.dumps([{'id': board['id'], 'state': 'gone'}])}\n")
    return "\n".join(told) + "\n"


@pytest.mark.campaign
@browsing(viewport=PROJECTOR, locale="en-GB", reduced_motion="reduce")
def test_a_wall_hangs_for_a_day(page: "Page", hall: Hall) -> None:
    """Two thousand games pass by it; the page holds what it held in the morning."""
    where = hall.announced(title="A long day", games="4")
    hall.enter(where, "D.one", "D.two")

    def day(route: "Route") -> None:
        route.fulfill(content_type="text/event-stream", body=_day())

    page.route("**/boards?*", lambda route: route.abort())
    page.goto(f"{hall.site.url}{where}/wall")
    line = page.context.new_cdp_session(page)

    def held() -> tuple[int, int]:
        line.send("HeapProfiler.collectGarbage")
        return page.evaluate("document.querySelectorAll('*').length"), line.send("Runtime.getHeapUsage")["usedSize"]

    elements, octets = held()
    page.unroute("**/boards?*")
    page.route("**/boards?*", day)
    page.locator("#live .small-board", has_text=f"A{DAY_GAMES - 1}").wait_for(state="attached", timeout=120_000)
    now = held()
    assert page.locator("#live .small-board").count() == 1
    assert now[0] <= elements + 40
    assert now[1] <= octets + 1_000_000, "the page has grown"


def test_a_podium_honours_what_the_records_prove(hall: Hall) -> None:
    where = hall.announced(title="Spring cup", games="2")
    hall.enter(where, "P.one", "P.two", "P.three", "P.four")
    hall.begin(where)
    hall.over(where)
    number = CompetitionId(int(where.rpartition("/")[2]))
    client, house = hall.visitor(), hall.site.site.state.house
    english = client.get(f"{where}/wall").text
    assert "12 of 12 records verified" in english
    board = house.scoreboard._kept[number][2]
    found = honours(house, board)
    assert found is not None
    assert (found.verified, found.records) == (12, 12)
    awards = {one.feat: one for one in found.awards}
    moves = {name: sum(event.kind is Kind.SAID for event in house.store.record(name).events) for name in board.games.values()}
    won = {board.games[one.fixture.number] for one in board.summary.progress.entries if len(set(one.scores)) == 2}
    assert awards[Feat.LONGEST].number == moves[awards[Feat.LONGEST].match] == max(moves.values())
    if won:
        assert awards[Feat.QUICKEST].number == moves[awards[Feat.QUICKEST].match] == min(moves[name] for name in won)
    french = client.get(where, Accept_Language="fr").text
    assert "12 procès-verbaux vérifiés sur 12" in french
    told = unescape(re.sub("<[^>]+>", "", french))
    assert f"partie la plus longue, {max(moves.values())} coups, contre P." in told
    for one in found.awards:
        assert not one.match or f'href="/games/{one.match}"' in english


FILLED = """count => {
  const live = document.getElementById("live"), long = "Grand.Maitre.Supreme", template = document.querySelector("#small-board");
  live.replaceChildren(...Array.from({ length: count }, () => template.content.firstElementChild.cloneNode(true)));
  for (const one of live.querySelectorAll(".name")) one.textContent = long;
  document.dispatchEvent(new CustomEvent("arbitre:boards", { detail: new Map() }));
  return [...live.querySelectorAll(".name")].filter((one) => one.scrollWidth > one.clientWidth || one.textContent !== long).length
    + [...live.querySelectorAll(".small-board")].filter((one) => [...one.children].some((part) =>
        part.getBoundingClientRect().bottom > one.getBoundingClientRect().bottom + 1)).length; }"""
"""How much is cut, of names or of boards, where there are so many boards of players with long names."""
LAPTOP: "ViewportSize" = {"width": 1366, "height": 768}


@browsing(viewport=PROJECTOR, locale="en-GB", reduced_motion="reduce")
def test_a_wall_counts_down_and_cuts_no_name(page: "Page", hall: Hall) -> None:
    where = hall.announced(title="Wide names")
    hall.enter(where, "W.one", "W.two")
    page.clock.install()
    page.goto(f"{hall.site.url}{where}/wall")
    left = page.locator("[role=timer]")

    def seconds() -> int:
        return sum(60**at * int(one) for at, one in enumerate(reversed(left.inner_text().split(":"))))

    shown = seconds()
    assert page.get_by_text("until it begins").count() == 1
    page.clock.run_for(5_000)
    assert shown - 6 <= seconds() <= shown - 4
    page.evaluate("document.getElementById('wall').dataset.stage = 'running'; document.querySelector('.wall-wait').remove()")
    for window in (PROJECTOR, LAPTOP):
        page.set_viewport_size(window)
        assert {count: page.evaluate(FILLED, count) for count in (2, 3, 6)} == {2: 0, 3: 0, 6: 0}, window


def test_what_comes_next_follows_from_the_terms(hall: Hall) -> None:
    where = hall.announced(title="At the board", kind="people", clock="10m", game="reversi", games="1")
    for name in ("Ann", "Bob"):
        assert hall.visitor(name).post(f"{where}/enter").status == 303
    hall.begin(where)

    def told(words: str) -> int:
        while words not in (shown := hall.visitor().get(f"{where}/wall/board").text):
            pass
        left = re.search(r'data-left="(\d+)"', shown)
        assert left is not None
        return int(left[1])

    assert 500 < told("to come") <= 600, "so long the announcement lets somebody be waited for"
    for name in ("Ann", "Bob"):
        assert hall.visitor(name).post(f"{where}/here", {"game": "1"}).status == 303
    assert 1_100 < told("to the end of the round") <= 1_200, "both clocks of the last game"


def test_a_competition_tells_who_beat_whom_and_an_engine_how_it_plays(hall: Hall) -> None:
    where = hall.announced(title="Colours", games="2")
    hall.enter(where, "C.one", "C.two", "C.three")
    hall.begin(where)
    hall.over(where)
    told = hall.visitor().get(where).text
    table = told[told.index('id="cross"') :]
    table = table[: table.index("</table>")]
    cells = re.findall(r'class="cell (won|more|even|less|lost)".*?<b>([^<]*)</b>', table)
    assert len(cells) == 6, "and the figure stands in each"
    points = {"won": "2", "more": "1½", "even": "1", "less": "½", "lost": "0"}
    assert all(points[tone] == figure for tone, figure in cells)
    line = told[told.index('class="timeline"') :]
    assert re.findall(r'<li class="(\w+)">', line[: line.index("</ol>")]) == ["done"] * 4
    assert "/program/engines/" not in told, "their pages are their owners'"
    sheet = re.search(r"/program/engines/\d+", hall.visitor("Ann").get(where).text)
    assert sheet is not None
    page = hall.visitor("Ann").get(sheet[0]).text
    assert re.search(r'class="hero">1[45]\d\d<', page), "its rating comes first"
    assert page.index('class="hero"') < page.index("last-games") < page.index('<details class="settings" id="settings">')
    assert page.count('class="mark ') == 4
    assert "Head to head" in page


def test_the_wall_of_what_is_not_listed_needs_its_link(hall: Hall) -> None:
    where = hall.announced(title="Behind closed doors", listed="", access="link")
    code = hall.community.competitions.find(CompetitionId(int(where.rpartition("/")[2]))).code
    for path in ("wall", "wall/board", "boards"):
        assert hall.visitor().get(f"{where}/{path}").status == 404
    assert f"/compete/join/{code}" in hall.visitor().get(f"{where}/wall?code={code}").text
    assert f"/compete/join/{code}" in hall.visitor("Oscar").get(f"{where}/wall").text


def test_the_wall_of_what_is_listed_has_an_address_that_is_typed(hall: Hall) -> None:
    where = hall.announced(title="For all")
    told = re.search(r'class="address">([^<]*)<', hall.visitor().get(f"{where}/wall").text)
    assert told is not None
    assert told[1].endswith(where)


def test_a_bracket_leads_to_its_games(hall: Hall) -> None:
    where = hall.announced(title="Cup", template="knockout")
    hall.enter(where, "K.one", "K.two", "K.three", "K.four")
    hall.begin(where)
    hall.over(where)
    told = hall.visitor().get(where).text
    bracket = told[told.index('id="bracket"') : told.index('id="games"')]
    games = re.findall(r'href="/games/([0-9a-f]{16})"', bracket)
    assert len(games) >= 6
    assert {hall.visitor().get(f"/games/{one}").status for one in games} == {200}


def test_a_crest_follows_from_the_name() -> None:
    assert crest("Lynx") == crest("Lynx")
    assert len({str(crest(name)) for name in ("Lynx", "Heron", "Badger", "Otter", "Newt")}) == 5
    assert "<script" not in crest("<script>")


def _apart(work: Coroutine[None, None, object]) -> None:
    """Run something in a thread of its own: the browser's thread has a loop that runs."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


WIDTHS = """count => {
  const live = document.getElementById("live"), first = live.firstElementChild;
  live.replaceChildren(first, ...Array.from({ length: count - 1 }, () => first.cloneNode(true)));
  live.dataset.size = count;
  return [...live.querySelectorAll(".picture")].map((one) => one.getBoundingClientRect().width); }"""
"""How wide boards are, if there are so many."""


@pytest.mark.sqlite
@browsing(viewport=PROJECTOR, locale="en-GB", reduced_motion="reduce")
def test_a_wall_comes_back_when_the_site_does(page: "Page", tmp_path: Path) -> None:
    """The site is killed under an open wall, and started again: it follows the same games, and nobody touched it."""
    server = Server(tmp_path)
    with Community(server.place, CommunityRules(work=LIGHT)) as community:
        people = {name: community.accounts.create(name, PASSWORD, role) for name, role in PEOPLE.items()}
        now = community.database.now()
        plan = {"game": "reversi", "format": "round-robin"}
        made = community.competitions.announce(
            people["Oscar"], Announcement("Class cup", plan, now, now + 1, kind="people", patience=0)
        )
        for name in ("Ann", "Bob", "Carla", "Dora"):
            community.entries.enter(people[name], made.id)
        sessions = {name: community.sessions.start(people[name], "test").token for name in PEOPLE}
    _apart(server.start())
    try:
        page.goto(f"{server.url}/compete/{made.id}/wall")
        page.evaluate("window.here = 'since the beginning'")
        board = page.locator("#live .small-board", has_text="Ann").first
        board.wait_for()
        assert page.evaluate(WIDTHS, 1)[0] > 700
        assert min(page.evaluate(WIDTHS, 2)) > 580, "few boards fill their room"
        assert page.locator("#live .name").evaluate_all("all => all.every((one) => one.scrollWidth <= one.clientWidth)")
        picture(page, "wall-few")
        assert min(page.evaluate(WIDTHS, 3)) > 380
        page.evaluate(WIDTHS, 1)
        _move(server, board.get_attribute("data-board") or "", sessions, "d3")
        board.locator(".points").first.filter(has_text="4").wait_for()
        _apart(server.stop(signal.SIGKILL))
        _apart(server.start())
        _move(server, board.get_attribute("data-board") or "", sessions, "c3")
        board.locator(".points").nth(1).filter(has_text="3").wait_for()
        page.locator(".ladder li").nth(3).wait_for()
        assert page.evaluate("window.here") == "since the beginning"
    finally:
        _apart(server.stop(signal.SIGTERM))


def _move(server: Server, match: str, sessions: dict[str, str], text: str) -> None:
    """Let whoever has to move, do so."""
    answers = []
    for token in sessions.values():
        client = Client(server.port, {SESSION_COOKIE: token})
        answers.append(client.post(f"/games/{match}/move", {"move": text}).status)
    assert any(status < 400 for status in answers), answers
