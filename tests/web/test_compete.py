"""Compete: the organiser's, the pupil's and the spectator's day, and whoever tries what is not his to do."""

import csv
import io
import json
import re
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arbitre.crypto.statements import SeatState
from arbitre.reasons import CODE
from arbitre.records.record import read_record
from arbitre.site.accounts import Role
from arbitre.site.competitions.competitions import Announcement, CompetitionId, Stage
from arbitre.site.competitions.draw import read_draw
from arbitre.site.competitions.judgement import BY_CONTESTANTS, judge_folder
from arbitre.web.sheets import Sheet, cell
from arbitre.web.visit import SESSION_COOKIE
from arbitre.words import words
from tests.browser import browsing, picture, until
from tests.tournoyons.test_player import ENGINES, started
from tests.web.days import Day, everywhere, live
from tests.web.people import go
from tests.web.place import Place
from tests.web.site import quiet, running

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize

PASSWORD = "a long password"  # noqa: S105 - of nobody
PEOPLE = {"Oscar": Role.ORGANISER, "Ann": Role.PLAYER, "Bob": Role.PLAYER, "Carla": Role.PLAYER}
MARKUP = "<script>alert(1)</script>"
GAME = re.compile(r"/games/([0-9a-f]{16})")


class School(Place):
    """A site, its people, and engines of every kind at one address."""

    def announced(self, **fields: str) -> int:
        """Announce a competition as Oscar; return its number."""
        said = {"game": "tictactoe", "template": "everybody", "clock": "4s/move", "listed": "1", "each": "4", **fields}
        answer = self.visitor("Oscar").post("/compete/new", {key: text for key, text in said.items() if text})
        assert answer.status == 303, answer.text
        return int(answer.headers["location"].rpartition("/")[2])

    def over(self, number: int) -> None:
        """Wait for the end."""
        while self.community.competitions.find(CompetitionId(number)).stage is not Stage.OVER:
            time.sleep(0.05)


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:
    for url in started(sys.executable, "-S", str(ENGINES / "crowd.py")):
        with running(quiet(tmp_path_factory.mktemp("school"))) as site:
            create = site.site.state.house.community.accounts.create
            yield School(site, {name: create(name, PASSWORD, role) for name, role in PEOPLE.items()}, url)


def login(page: "Page", school: School, name: str) -> None:
    page.goto(school.site.url + "/login")
    page.locator("input[name=name]").fill(name)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main button").first.click()
    page.wait_for_selector(".account")


DESK: "ViewportSize" = {"width": 1280, "height": 900}
PHONE: "ViewportSize" = {"width": 390, "height": 844}


@everywhere("laptop", "en-GB")
def test_the_organisers_day(chromium: object, school: School, screen: str, locale: str) -> None:
    live(chromium, lambda day: _organised(day, school), screen, locale)


def _organised(day: Day, school: School) -> None:
    """Announce a competition, see who enters, hang up the wall, begin, see it end, take everything away."""
    page = day.page
    login(page, school, "Oscar")
    page.goto(school.site.url + "/compete/new")
    day.look("announce")
    page.locator(".tile:has([value=tictactoe])").click()
    page.locator(".tile:has([value=swiss])").click()
    page.locator("form.announce button.main").click()
    page.wait_for_url(re.compile(r"/compete/\d+$"))
    where, number = page.url, int(page.url.rpartition("/")[2])
    day.look("open-empty")
    entries = [("Ann", "Ada.X", "play/1"), ("Ann", "Bubble", "babble"), ("Bob", "Cobalt", "play/2"), ("Bob", "Dart", "play/3"),
               ("Carla", "Emu", "play/4"), ("Carla", "Flop", "cheat"), ("Ann", "Gnu", "play/5")]  # fmt: skip
    for owner, name, path in entries:
        engine = school.engine(owner, f"{name}.{number}", path)
        client = school.visitor(owner)
        answer = client.post(f"/compete/{number}/enter", {"engine": str(engine.id)})
        # one engine for each owner, as announced: the second one is refused
        assert answer.status in (303, 409), answer.text
    go(page, where)
    assert page.locator(".entry").count() == 3
    day.look("entries")
    page.goto(f"{where}/wall")
    page.locator(".wall-wait .names li").nth(2).wait_for()
    day.look("wall-before")
    page.goto(where)
    page.locator("button[name=what][value=begin]").click()
    page.locator("[data-stage=over]").wait_for(timeout=90_000)
    assert page.locator("table.standings tbody tr").count() == 3
    assert page.locator("text=SHA-256").count() >= 1
    day.look("over")
    for file in ("standings.csv", "games.csv", "records.zip"):
        with page.expect_download() as download:
            page.locator(f"a[href^='/compete/{number}/{file}']").first.click()
        assert Path(download.value.path()).stat().st_size > 0
    page.goto(f"{where}/wall")
    page.locator(".wall-podium .step1").wait_for()
    day.look("wall-over")
    page.goto(where)
    page.locator("ol.fixtures a").first.click()
    page.wait_for_url("**/games/*")
    page.locator(".frame iframe.shown").first.wait_for()
    day.look("game")


@everywhere("phone", "fr-FR")
def test_the_pupils_and_the_spectators_day(chromium: object, school: School, screen: str, locale: str) -> None:
    live(chromium, lambda day: _entered(day, school), screen, locale)


def _entered(day: Day, school: School) -> None:
    """Enter two engines, vote for another, watch, find out what went wrong, look at the rankings."""
    page = day.page
    number = school.announced(title="Coupe du lycée", template="knockout", each="4")
    for owner, name, path in (("Bob", "Brillant", "play/11"), ("Bob", "Bavard", "babble"), ("Carla", "Calme", "play/12")):
        engine = school.engine(owner, f"{name}.{number}", path)
        assert school.visitor(owner).post(f"/compete/{number}/enter", {"engine": str(engine.id)}).status == 303
    mine = [school.engine("Ann", f"{name}.{number}", path) for name, path in (("Abeille", "play/13"), ("Araignee", "error"))]
    login(page, school, "Ann")
    page.goto(f"{school.site.url}/compete/{number}")
    day.look("open")
    for one in mine:
        page.locator("#engine").select_option(label=one.name)
        page.locator("form.enter button").click()
        page.locator(".entry.own", has_text=one.name).wait_for()
    page.locator(".entry", has_text="Brillant").locator("button").click()
    page.locator(".votes", has_text="♥ 1").wait_for()
    assert page.locator(".entry.own form[action*=vote]").count() == 0
    day.look("entered")
    assert school.visitor("Oscar").post(f"/compete/{number}/steer", {"what": "begin"}).status == 303
    page.locator("[data-stage=over]").wait_for(timeout=90_000)
    day.look("knockout")
    assert page.locator(".bracket .tie").count() >= 4
    assert page.locator("#faults .voice", has_text="Araignee").count() >= 1
    told = json.loads(school.visitor().get(f"/api/competitions/{number}/progress").text)
    assert {CODE.fullmatch(one["reason"]["code"]) is not None for one in told["faults"]} == {True}, "programs are told codes"
    page.locator("#faults .voice", has_text="Araignee").locator("a[href*='/trace/']").first.click()
    page.wait_for_url("**/trace/*")
    day.look("trace")
    for path in (f"/compete/{number}", "/compete", "/rankings", "/rankings/tictactoe", "/compete/challenges", "/watch"):
        page.goto(school.site.url + path)
        day.look(path.strip("/").replace("/", "-"))
    page.goto(school.site.url + "/rankings/tictactoe/interfaces")
    page.frame_locator(".side-by-side iframe").first.locator("svg:not(.paints)").first.wait_for()
    day.look("interfaces")


@browsing(viewport=DESK, color_scheme="dark", locale="en-GB")
def test_a_browser_brings_a_commit_and_opens_it_by_itself(page: "Page", school: School) -> None:
    """Over plain http too, where browsers keep their own cryptography to themselves."""
    page.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined })")
    page.add_init_script("Object.defineProperty(window, 'isSecureContext', { get: () => false })")
    number = school.announced(draw="contestants", title="By lot")
    for owner, name in (("Bob", "Lot.B"), ("Ann", "Lot.A")):
        engine = school.engine(owner, name, "play/3")
        assert school.visitor(owner).post(f"/compete/{number}/enter", {"engine": str(engine.id)}).status == 303
    session = school.community.sessions.start(school.people["Ann"], "test").token
    page.context.add_cookies([{"name": SESSION_COOKIE, "value": session, "url": school.site.url}])
    page.goto(f"{school.site.url}/compete/{number}")
    page.get_by_role("button", name="Let this browser make one and keep it").click()
    page.locator(".lots", has_text="has brought a Commit").wait_for()
    assert school.visitor("Oscar").post(f"/compete/{number}/steer", {"what": "begin"}).status == 303
    page.locator("[data-stage=over]").wait_for(timeout=90_000)
    picture(page, "compete-lots")
    drawn = read_draw(school.community.competitions.find(CompetitionId(number)).proof)
    assert drawn is not None
    assert (drawn.awaited, len(drawn.commits or {})) == ((), 1)
    transcript = school.visitor().get(f"/compete/{number}/draw.jsonl").text
    assert transcript == drawn.transcript
    assert "no-reveal" not in transcript
    with zipfile.ZipFile(io.BytesIO(school.visitor().get(f"/compete/{number}/records.zip").body)) as file:
        file.extractall(school.site.settings.data / "out")
    assert judge_folder(school.site.settings.data / "out").draw == BY_CONTESTANTS


def tab_to(page: "Page", selector: str) -> None:
    """Press Tab until something has the focus: what a keyboard does not reach is not there."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"no key leads to {selector}")


def enter_as(page: "Page", school: School, name: str) -> None:
    session = school.community.sessions.start(school.people[name], "test").token
    page.context.add_cookies([{"name": SESSION_COOKIE, "value": session, "url": school.site.url}])


@pytest.mark.campaign
@browsing(viewport=PHONE, color_scheme="light", locale="fr-FR")
def test_an_organiser_changes_and_cancels_by_keyboard_on_a_phone(page: "Page", school: School) -> None:
    number = school.announced(title="Coupe d’hiver")
    engine = school.engine("Ann", "Clavier", "play/1")
    assert school.visitor("Ann").post(f"/compete/{number}/enter", {"engine": str(engine.id)}).status == 303
    enter_as(page, school, "Oscar")
    page.goto(f"{school.site.url}/compete/{number}")
    tab_to(page, f"a[href='/compete/{number}/change']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/change")
    assert page.locator("#clock").is_disabled()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab_to(page, "#title")
    page.keyboard.press("Control+A")
    page.keyboard.type("Coupe de printemps")
    picture(page, "compete-change-phone")
    tab_to(page, "button.main")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/compete/\d+#changes$"))
    assert "Coupe d’hiver" in page.locator("#changes").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, "compete-changed-phone")
    page.goto(f"{school.site.url}/compete/{number}")
    tab_to(page, ".cancelling summary")
    page.keyboard.press("Enter")
    tab_to(page, "#why")
    page.keyboard.type("La salle est prise.")
    tab_to(page, "button[value=cancel]")
    page.keyboard.press("Enter")
    page.locator("[data-stage=cancelled]").wait_for()
    page.get_by_text("La salle est prise.").wait_for()


@browsing(viewport=PHONE, color_scheme="dark", locale="fr-FR")
def test_a_player_comes_by_keyboard_and_the_page_says_when_it_begins(page: "Page", school: School) -> None:
    number = school.announced(kind="people", clock="10m", title="Face à face", games="1")
    for name in ("Ann", "Bob"):
        assert school.visitor(name).post(f"/compete/{number}/enter").status == 303
    enter_as(page, school, "Ann")
    page.goto(f"{school.site.url}/compete/{number}")
    assert school.visitor("Oscar").post(f"/compete/{number}/steer", {"what": "begin"}).status == 303
    page.get_by_role("button", name="Je suis là").wait_for()
    picture(page, "compete-people-phone")
    tab_to(page, ".yours button")
    page.keyboard.press("Enter")
    page.get_by_text("l’adversaire est attendu jusqu’au").wait_for()
    tab_to(page, "#games summary")
    assert school.visitor("Bob").post(f"/compete/{number}/here", {"game": "1"}).status == 303
    page.locator(".yours a").wait_for()
    until(page, "document.title.startsWith('● ')")
    assert page.evaluate("document.activeElement.matches('#games summary')"), "the focus stays where it was"


@browsing(viewport=DESK, locale="en-GB")
def test_people_who_are_there_sign_the_record(page: "Page", school: School) -> None:
    """Who says in a browser that he is there brings a key to the game; who says it by other means plays without."""
    number = school.announced(kind="people", clock="10m", title="Signed", games="1")
    for name in ("Ann", "Bob"):
        assert school.visitor(name).post(f"/compete/{number}/enter").status == 303
    enter_as(page, school, "Ann")
    page.goto(f"{school.site.url}/compete/{number}")
    assert school.visitor("Oscar").post(f"/compete/{number}/steer", {"what": "begin"}).status == 303
    page.get_by_role("button", name="I am here").click()
    assert school.visitor("Bob").post(f"/compete/{number}/here", {"game": "1"}).status == 303
    page.locator(".yours a").first.click()
    page.locator("#witness[data-state=keeps]").wait_for()
    match = page.url.rpartition("/")[2]
    assert school.visitor("Bob").post(f"/games/{match}/resign").status == 303
    page.locator("#witness[data-state=signed]").wait_for()
    record = read_record(page.request.get(f"{school.site.url}/games/{match}/record").body())
    assert record.seal is not None
    assert sorted(word.state for word in record.seal.seats) == [SeatState.KEYLESS, SeatState.SIGNED]


def test_people_play_when_both_are_there(school: School) -> None:
    number = school.announced(kind="people", clock="10m", title="Two friends")
    ann, bob = school.visitor("Ann"), school.visitor("Bob")
    others = set(GAME.findall(ann.get("/compete/yours").text))
    for client in (ann, bob):
        assert client.post(f"/compete/{number}/enter").status == 303
    assert school.visitor("Oscar").post(f"/compete/{number}/steer", {"what": "begin"}).status == 303
    while "I am here" not in ann.get("/compete/yours").text:
        time.sleep(0.05)
    assert school.visitor("Carla").post(f"/compete/{number}/here", {"game": "1"}).status == 403
    assert ann.post(f"/compete/{number}/here", {"game": "1"}).status == 303
    assert "waiting for the other side" in ann.get(f"/compete/{number}").text
    assert bob.post(f"/compete/{number}/here", {"game": "1"}).status == 303
    while not (begun := set(GAME.findall(ann.get("/compete/yours").text)) - others):
        time.sleep(0.05)
    (match,) = begun
    seen = re.compile(rf'(?s)<section id="now".*?data-board="{match}".*?</section>')
    while not seen.search(school.visitor().get(f"/compete/{number}").text):
        time.sleep(0.05)  # whoever comes to watch finds first what is going on
    assert ann.post(f"/games/{match}/resign").status == 303
    assert school.visitor("Carla").post(f"/games/{match}/resign").status == 403


def test_an_organiser_changes_what_nobody_relied_on_and_everybody_reads_it(school: School) -> None:
    number = school.announced(title="Spring cup", about="Tea is served.")
    oscar, ann = school.visitor("Oscar"), school.visitor("Ann")
    path = f"/compete/{number}/change"
    for client, status in ((ann, 403), (school.visitor("Bob"), 403)):
        assert client.get(path).status == client.post(path, {"title": "Mine"}).status == status
    assert school.visitor().post(path, {"title": "Mine"}).status == 401
    form = oscar.get(path).text
    assert 'value="Spring cup"' in form
    assert 'name="game"' not in form
    assert (
        oscar.post(path, {"clock": "5s/move", "rounds": "0", "template": "swiss", "listed": "1", "game": "pente"}).status == 303
    )
    found = school.community.competitions.find(CompetitionId(number))
    assert (found.game, found.announcement.plan["clock"], found.announcement.plan["format"]) == ("tictactoe", "5s/move", "swiss")
    assert found.announcement.title == "Spring cup"
    assert found.announcement.about == "Tea is served."
    page = ann.get(f"/compete/{number}").text
    assert "What was changed" in page
    assert "4\N{NO-BREAK SPACE}s a move</td><td>5\N{NO-BREAK SPACE}s a move" in page
    engine = school.engine("Ann", "Relying", "play/1")
    assert ann.post(f"/compete/{number}/enter", {"engine": str(engine.id)}).status == 303
    assert 'id="clock" name="clock" disabled' in oscar.get(path).text
    refused = oscar.post(path, {"clock": "1h", "listed": "1"})
    assert refused.status == 400
    assert "Somebody has entered on these terms, so they stay: Time limit" in refused.text
    when = school.community.competitions.find(CompetitionId(number)).announcement.begins
    assert oscar.post(path, {"title": "Summer cup", "begins": "2030-06-01T10:00", "listed": "1"}).status == 303
    after = school.community.competitions.find(CompetitionId(number)).announcement
    assert (after.title, after.plan, after.begins > when) == ("Summer cup", found.announcement.plan, True)
    assert "Something was changed since you entered" in ann.get(f"/compete/{number}").text
    assert "Something was changed since you entered" in ann.get("/compete/yours").text
    for field, text in (("begins", "1999-01-01T00:00"), ("title", "x" * 500), ("each", "0"), ("concurrency", "lots")):
        answer = oscar.post(path, {"listed": "1", field: text})
        assert answer.status == 400, field
        assert 'role="alert"' in answer.text
    assert oscar.post(f"/compete/{number}/steer", {"what": "cancel", "why": "The hall is <flooded>"}).status == 303
    assert "The hall is &lt;flooded&gt;" in ann.get(f"/compete/{number}").text
    assert "The hall is &lt;flooded&gt;" in ann.get("/compete/yours").text
    assert oscar.get(path).status == oscar.post(path, {"title": "Again"}).status == 409


def test_what_the_form_does_not_show_stays(school: School) -> None:
    """A plan that came by another door has keys that no field has; to change the title changes the title."""
    now = school.community.database.now()
    plan = {"game": "tictactoe", "format": "gauntlet", "clock": "7s/move", "seeding": "listed", "games": 4, "refusals": "any"}
    said = Announcement("By the back door", plan, now, now + 3_601, each=3)
    made = school.site.site.state.house.steward.announce(school.people["Oscar"], said)
    oscar = school.visitor("Oscar")
    assert '<option value="7s/move" selected>' in oscar.get(f"/compete/{made.id}/change").text
    assert (
        oscar.post(f"/compete/{made.id}/change", {"title": "By the front door", "listed": "1", "clock": "7s/move"}).status == 303
    )
    (one,) = school.community.competitions.history(made.id)
    assert (one.field, one.after) == ("title", "By the front door")


def test_a_game_whose_record_is_kept_back_is_decided_for_all_and_opens_when_it_is_called_off(school: School) -> None:
    number = school.announced(kind="people", clock="none", title="Kept back", records="after")
    for name in ("Ann", "Bob"):
        assert school.visitor(name).post(f"/compete/{number}/enter").status == 303
    ann, oscar = school.visitor("Ann"), school.visitor("Oscar")
    assert "sealed and opened when the competition is over" in ann.get(f"/compete/{number}").text
    assert oscar.post(f"/compete/{number}/steer", {"what": "begin"}).status == 303
    while not (found := GAME.search(ann.get(f"/compete/{number}/board").text)):
        time.sleep(0.05)
    path, api = f"/games/{found[1]}", f"/api/matches/{found[1]}"
    assert ann.post(f"{path}/resign").status == 303
    while json.loads(ann.get(f"{path}/state").text)["state"] == "playing":
        time.sleep(0.05)
    told = json.loads(ann.get(api).text)
    assert (told["state"], told["verdict"]["termination"], told["head"]) == ("decided", "resigned", None)
    assert "Decided; the record is sealed, and opens, when the event is over." in ann.get(path).text
    refused = ann.get(f"{api}/record")
    assert refused.status == 409
    assert "sealed, and opens, when the event is over" in refused.text
    assert "event: over" in ann.get(f"{path}/events").text, "the stream ends all the same"
    assert oscar.post(f"/compete/{number}/steer", {"what": "cancel", "why": "rain"}).status == 303
    while json.loads(ann.get(f"{path}/state").text)["state"] != "over":
        time.sleep(0.05)
    assert json.loads(ann.get(f"{api}/finding").text)["standing"] == "verified"


def test_who_does_not_come_is_named_on_the_page(school: School) -> None:
    number = school.announced(kind="people", clock="10m", title="Missed", patience="1")
    for name in ("Ann", "Bob"):
        assert school.visitor(name).post(f"/compete/{number}/enter").status == 303
    ann, database = school.visitor("Ann"), school.community.database
    assert "Whoever does not come within 1 minute loses that game." in ann.get(f"/compete/{number}").text
    assert school.visitor("Oscar").post(f"/compete/{number}/steer", {"what": "begin"}).status == 303
    while "or the game is lost at" not in ann.get(f"/compete/{number}").text:
        time.sleep(0.05)
    assert ann.post(f"/compete/{number}/here", {"game": "1"}).status == 303
    while "waiting for Bob, until" not in school.visitor().get(f"/compete/{number}/board").text:
        time.sleep(0.05)
    before = database.now
    database.now = lambda: before() + 61
    try:
        while "did not come within 1 min" not in ann.get(f"/compete/{number}").text:
            time.sleep(0.05)
    finally:
        database.now = before
    faults = ann.get(f"/compete/{number}", Accept_Language="fr").text.partition('id="faults"')[2]
    assert "n’est pas venu en 1 min" in faults
    assert '<b class="name">Bob</b>' in faults
    assert '<b class="name">Ann</b>' not in faults.partition("</section>")[0]
    assert school.visitor("Bob").post(f"/compete/{number}/here", {"game": "1"}).status == 409


def test_votes_are_for_others_and_for_those_who_take_part(school: School) -> None:
    number = school.announced()
    mine, theirs = school.engine("Ann", "Vain", "play/1"), school.engine("Bob", "Vera", "play/2")
    ann, bob = school.visitor("Ann"), school.visitor("Bob")
    for client, engine in ((ann, mine), (bob, theirs)):
        assert client.post(f"/compete/{number}/enter", {"engine": str(engine.id)}).status == 303
    own, other = (one.id for one in school.community.entries.of(CompetitionId(number)))
    assert ann.post(f"/compete/{number}/vote", {"entry": str(own)}).status == 403
    assert ann.post(f"/compete/{number}/vote", {"entry": str(other)}).status == 303
    assert "♥ 1" in ann.get(f"/compete/{number}").text
    assert ann.post(f"/compete/{number}/vote", {"entry": ""}).status == 303
    assert "♥ 1" not in ann.get(f"/compete/{number}").text
    elsewhere = school.announced()
    assert ann.post(f"/compete/{elsewhere}/vote", {"entry": str(other)}).status == 404
    assert school.visitor().post(f"/compete/{number}/vote", {"entry": str(other)}).status == 401
    assert ann.ask("POST", f"/compete/{number}/vote", b"entry=1", Content_Type="application/x-www-form-urlencoded").status == 403


@pytest.mark.parametrize("what", ["open", "begin", "cancel", "again"])
def test_only_the_organiser_steers(school: School, what: str) -> None:
    number = school.announced()
    assert school.visitor("Ann").post(f"/compete/{number}/steer", {"what": what}).status == 403
    assert school.visitor().post(f"/compete/{number}/steer", {"what": what}).status == 401
    assert school.visitor("Oscar").post(f"/compete/{number}/steer", {"what": "explode"}).status == 404


def test_nobody_enters_or_withdraws_what_is_not_his(school: School) -> None:
    number = school.announced()
    engine = school.engine("Ann", "Hers", "play/1")
    bob = school.visitor("Bob")
    assert bob.post(f"/compete/{number}/enter", {"engine": str(engine.id)}).status == 404
    assert bob.post(f"/compete/{number}/enter", {"engine": "9" * 400}).status == 404
    assert school.visitor("Ann").post(f"/compete/{number}/enter", {"engine": str(engine.id)}).status == 303
    (entry,) = school.community.entries.of(CompetitionId(number))
    assert bob.post(f"/compete/{number}/withdraw", {"entry": str(entry.id)}).status == 403
    assert bob.post(f"/compete/{number}/commit", {"entry": str(entry.id), "commit": "00"}).status == 403
    assert school.visitor("Ann").post(f"/compete/{number}/commit", {"entry": str(entry.id), "commit": "00"}).status == 409
    assert school.visitor("Oscar").post(f"/compete/{number}/withdraw", {"entry": str(entry.id)}).status == 303
    assert school.community.entries.of(CompetitionId(number)) == ()


def test_players_announce_nothing_and_what_makes_no_sense_is_told(school: School) -> None:
    assert school.visitor("Ann").get("/compete/new").status == 403
    assert school.visitor("Ann").post("/compete/new", {"game": "tictactoe"}).status == 403
    oscar = school.visitor("Oscar")
    for field, text in (
        ("game", "chess"), ("clock", "soon"), ("begins", "yesterday"), ("begins", "1999-01-01T00:00"), ("rounds", "-1"),
        ("each", "0"), ("access", "nobody"), ("kind", "cats"), ("starts", "no board"), ("title", "x" * 500), ("games", "9" * 9),
    ):  # fmt: skip
        answer = oscar.post("/compete/new", {"game": "tictactoe", "template": "swiss", field: text})
        assert answer.status == 400, (field, text)
        assert 'role="alert"' in answer.text


def test_what_is_not_listed_is_there_for_whoever_has_the_link(school: School) -> None:
    number = school.announced(listed="", access="link", title="Secret garden")
    code = school.community.competitions.find(CompetitionId(number)).code
    ann = school.visitor("Ann")
    assert ann.get(f"/compete/{number}").status == 404
    assert ann.get(f"/compete/{number}?code=WRONG").status in (404, 410)
    assert "Secret garden" not in ann.get("/compete").text
    led = ann.get(f"/compete/join/{code}")
    assert led.status == 303
    assert "Secret garden" in ann.get(led.headers["location"]).text
    engine = school.engine("Ann", "Linked", "play/1")
    assert ann.post(f"/compete/{number}/enter", {"engine": str(engine.id)}).status in (404, 410)
    assert ann.post(f"/compete/{number}/enter", {"engine": str(engine.id), "code": code}).status == 303
    assert ann.get(f"/compete/{number}").status == 200


def test_titles_are_text(school: School) -> None:
    number = school.announced(title=MARKUP, about=f"{MARKUP}\n=1+1")
    for path in ("/compete", f"/compete/{number}"):
        assert MARKUP not in school.visitor().get(path).text


def test_a_whole_competition_by_hand_with_tables_to_take_away(school: School) -> None:
    number = school.announced(title="Tables")
    for owner, name, path in (("Ann", "Tab.One", "play/21"), ("Bob", "Tab.Two", "crash"), ("Carla", "Tab.Three", "play/23")):
        engine = school.engine(owner, name, path)
        assert school.visitor(owner).post(f"/compete/{number}/enter", {"engine": str(engine.id)}).status == 303
    visitor = school.visitor()
    assert visitor.get(f"/compete/{number}/standings.csv").status == 404
    assert visitor.get(f"/compete/{number}/records.zip").status == 404
    assert school.visitor("Oscar").post(f"/compete/{number}/steer", {"what": "begin"}).status == 303
    school.over(number)
    page = visitor.get(f"/compete/{number}").text
    assert "disconnected" in visitor.get(f"/compete/{number}/games.csv").text
    assert "/trace/" not in page
    assert "/trace/" in school.visitor("Bob").get(f"/compete/{number}").text
    sheet = visitor.get(f"/compete/{number}/standings.csv")
    for language, delimiter in (("en", ","), ("fr", ";")):
        for name in ("standings", "games"):
            body = visitor.get(f"/compete/{number}/{name}.csv", Accept_Language=language).body
            assert body.startswith(b"\xef\xbb\xbf")
            rows = list(csv.reader(io.StringIO(body.decode("utf-8-sig")), delimiter=delimiter))
            assert len({len(row) for row in rows}) == 1
            assert "½" not in body.decode()
    assert sheet.headers["content-type"] == "text/csv; charset=utf-8"
    french = visitor.get(f"/compete/{number}/standings.csv", Accept_Language="fr").text
    assert ";gagnées;nulles;perdues;" in french
    assert ";parti;" in visitor.get(f"/compete/{number}/games.csv", Accept_Language="fr").text
    assert len(sheet.text.splitlines()) == 4
    failed = next(one for one in school.community.engines.of(school.people["Bob"]) if one.name == "Tab.Two")
    assert str(failed.fault).startswith("disconnected in game ")
    ranked = visitor.get("/rankings/tictactoe").text
    assert "Tab.One" in ranked
    assert " ms</td>" in ranked


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("-12", "-12"),
        ("+3.5", "+3.5"),
        ("-3,5", "-3,5"),
        ("@x", "'@x"),
        ("ok", "ok"),
        (3, 3),
        ("", ""),
        ("  =1", "'  =1"),
        ("＝1", "'＝1"),
        ("-1+cmd|x", "'-1+cmd|x"),
        ("+", "'+"),
        ("-²", "'-²"),
        ("=1", "'=1"),
        ("@1", "'@1"),
        ("\u00a0=1", "'\u00a0=1"),
        ("\ufeff=1", "'\ufeff=1"),
        ("x;=1", "x;'=1"),
        ("x, -y", "x,' -y"),
        ('x;"=1', "x;'\"=1"),
        ("x\n=1", "x\n'=1"),
        ("3, -2; +1.5", "3, -2; +1.5"),
    ],
)
def test_a_spreadsheet_shows_and_does_not_obey(written: object, shown: object) -> None:
    assert cell(written) == shown


@given(st.text(alphabet="=+-@;,\"'\t\n |a1＝", max_size=12), st.text(alphabet='=;,"\n a', max_size=6))
@example("x;=1+1", "y")
@example('x";"=1+1', "y")
def test_no_country_s_spreadsheet_obeys_what_a_name_holds(name: str, other: str) -> None:
    for language in ("en", "fr"):
        table = Sheet(words(language)).text(["Name"], [[name, other]])
        for delimiter in ",;\t|":  # what another spreadsheet takes for the end of a cell
            for row in list(csv.reader(io.StringIO(table), delimiter=delimiter))[1:]:
                for shown in row:
                    begins = shown.lstrip(' "')
                    assert not begins.startswith(("=", "@", "＝")), (table, delimiter)
                    assert not begins.startswith(("+", "-")) or begins[1:].rstrip(' "').replace(".", "").isdigit(), table


def test_challenges_between_owners(school: School) -> None:
    mine, theirs = school.engine("Ann", "Daring", "play/31"), school.engine("Bob", "Target", "play/32")
    ann, bob = school.visitor("Ann"), school.visitor("Bob")
    assert ann.post("/compete/challenges", {"mine": str(theirs.id), "theirs": str(mine.id)}).status == 404
    assert ann.post("/compete/challenges", {"mine": str(mine.id), "theirs": str(mine.id)}).status == 403
    assert ann.post("/compete/challenges", {"mine": str(mine.id), "theirs": str(theirs.id)}).status == 303
    (waiting,) = school.community.challenges.of(school.people["Bob"])
    assert ann.post(f"/compete/challenges/{waiting.id}", {"what": "accept"}).status == 404
    assert bob.post(f"/compete/challenges/{waiting.id}", {"what": "accept"}).status == 303
    while school.community.challenges.of(school.people["Bob"])[0].match is None:
        time.sleep(0.05)
    assert "/games/" in ann.get("/compete/challenges").text
