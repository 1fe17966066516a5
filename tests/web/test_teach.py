"""The teacher's and the pupil's day, and whoever tries what is not his to do in a class."""

import csv
import io
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbitre.bot import load
from arbitre.games.catalogue import game as find_game
from arbitre.games.catalogue import listing
from arbitre.games.notation import notation_of
from arbitre.games.player import Position
from arbitre.games.positions import presets_of
from arbitre.reasons import Reason
from arbitre.referee.verdict import Termination
from arbitre.site.accounts import Role
from arbitre.site.arena import reach as ways
from arbitre.site.classes import Class
from arbitre.site.competitions.competitions import CompetitionId, Stage
from arbitre.site.limits import USUAL
from arbitre.tournoyons.tester import preset_exercises
from arbitre.transport.limits import Limit, Limits
from arbitre.web.pages.handout import FILE
from arbitre.web.workshop import template
from arbitre.words import words as words_of
from tests.browser import OUTPUT, browsing, picture
from tests.house import WIRED
from tests.reasons import gives
from tests.tournoyons.test_player import ENGINES, started
from tests.web.place import Place
from tests.web.site import quiet, running

if TYPE_CHECKING:
    from playwright.sync_api import Page

PASSWORD = "a long password"  # noqa: S105 - of nobody
PEOPLE = {
    "Tessa": Role.TEACHER, "Theo": Role.TEACHER, "Otilia": Role.OPERATOR, "Oscar": Role.ORGANISER,
    "Ann": Role.PLAYER, "Bob": Role.PLAYER, "Carla": Role.PLAYER, "Dora": Role.PLAYER, "Eve": Role.PLAYER,
}  # fmt: skip
EXAMPLE = ENGINES.parent.parent.parent / "examples" / "engines" / "gateway.py"
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
MARKUP = "<script>alert(1)</script>"


class School(Place):
    """A site that calls nothing private for everybody, its people, and engines of every kind at one address inside."""

    def made(self, name: str, *pupils: str, ranges: tuple[str, ...] = ()) -> Class:
        """Make a class of Tessa's."""
        found = self.community.classes.create(self.people["Tessa"], name)
        for pupil in pupils:
            self.community.classes.join(self.people[pupil], found.code)
        return self.community.classes.set_ranges(self.people["Otilia"], found.id, ranges)

    def over(self, number: int) -> None:
        while self.community.competitions.find(CompetitionId(number)).stage is not Stage.OVER:
            time.sleep(0.05)


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:
    for url in started(sys.executable, "-S", str(ENGINES / "crowd.py")):
        with running(quiet(tmp_path_factory.mktemp("school"), host="0.0.0.0")) as site:  # noqa: S104 - so loopback is private
            create = site.site.state.house.community.accounts.create
            yield School(site, {name: create(name, PASSWORD, role) for name, role in PEOPLE.items()}, url)


@pytest.fixture(autouse=True)
def ended(school: School) -> Iterator[None]:
    """End the classes of a test, so that nobody is allowed anything in the next one."""
    yield
    for one in school.community.classes.all(school.people["Otilia"]):
        school.community.classes.end(school.people["Otilia"], one.id)
    school.community.limits = Limits(USUAL)
    school.site.site.state.house.ways._kept.clear()


def login(page: "Page", school: School, name: str) -> None:
    page.goto(school.site.url + "/login")
    page.locator("input[name=name]").fill(name)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main button").first.click()
    page.wait_for_selector("a.account[href='/account']")


# ── the days ───────────────────────────────────────────────────────────────────────────────────────────────────────


@browsing(viewport=DESK, color_scheme="light", locale="en-GB")
def test_the_teacher_s_day(page: "Page", school: School) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    page.on("dialog", lambda dialog: dialog.accept())
    login(page, school, "Tessa")
    page.goto(school.site.url + "/teach")
    picture(page, "teach-empty")
    page.locator("input[name=name]").fill("Terminale B")
    page.get_by_role("button", name="Make a class").click()
    page.wait_for_url(re.compile(r"/teach/\d+$"))
    number = int(page.url.rpartition("/")[2])
    code = page.locator("#code").inner_text()
    assert re.fullmatch(r"(\w{3}-){2}\w{3}", code)
    # the operator lets the school's machines be called for this class
    answer = school.visitor("Otilia").post(f"/operator/classes/{number}/ranges", {"ranges": "127.0.0.0/24"})
    assert answer.status == 303
    programs = {"Ann": ("Alpha", "play/1"), "Bob": ("Beta", "play/2"), "Carla": ("Gamma", "babble"), "Dora": ("Delta", "play/4")}
    for name, (engine, path) in programs.items():
        client = school.visitor(name)
        assert client.post("/teach/join", {"code": code.lower()}).status == 303
        fields = {"game": "tictactoe", "name": engine, "url": f"{school.url}/{path}", "direct": "yes", "anyway": "yes"}
        assert client.post("/program/engines", fields).status == 303
    page.reload()
    assert page.locator(".desk").count() == 4
    assert page.locator(".desk.broken").count() == 1
    assert "Gamma" in page.locator(".desk.broken").inner_text()
    page.screenshot(path=OUTPUT / "teach-class.png", full_page=True)
    # three clicks
    page.get_by_role("link", name="Start a competition").click()
    picture(page, "teach-games")
    page.locator(".tile", has_text=re.compile(r"^\s*TicTacToe")).first.click()
    page.get_by_text("everybody meets everybody, 2 times").wait_for()
    picture(page, "teach-ready")
    page.get_by_role("button", name="Start now").click()
    page.wait_for_url(re.compile(r"/compete/\d+$"))
    page.locator("[data-stage=over]").wait_for(timeout=30_000)
    page.goto(f"{school.site.url}/teach/{number}")
    assert page.locator("#results tbody tr").count() == 1 + 4
    assert (
        "protocol-error" in page.locator(".desk.broken").inner_text()
        or "illegal-move" in page.locator(".desk.broken").inner_text()
    )
    with page.expect_download() as download:
        page.get_by_role("link", name="Results for a spreadsheet (CSV)").click()
    text = Path(download.value.path()).read_bytes()
    assert text.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(text.decode("utf-8-sig"))))
    assert {row["pupil"] for row in rows} == set(programs)
    broken = next(row for row in rows if row["engine"] == "Gamma")
    assert (float(broken["points"]), int(broken["faults"])) <= (1.0, 3)
    assert broken["last fault"]
    page.screenshot(path=OUTPUT / "teach-results.png", full_page=True)
    page.goto(f"{school.site.url}/teach/{number}/sheet")
    assert code in page.locator(".paper").inner_text()
    picture(page, "teach-sheet")
    page.goto(f"{school.site.url}/handout/reversi?klass={number}")
    assert code in page.locator(".paper").inner_text()
    page.screenshot(path=OUTPUT / "teach-handout.png", full_page=True)
    for path in (
        "/teach",
        f"/teach/{number}",
        f"/teach/{number}/compete?game=tictactoe",
        f"/teach/{number}/gateway",
        "/handout/poker",
    ):
        page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
        page.goto(school.site.url + path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} is too wide"
    page.goto(f"{school.site.url}/teach/{number}")
    picture(page, "teach-phone")
    assert complaints == []


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("game", ["tictactoe", "rochambeau", "kriegspiel"])
def test_a_hand_out_is_one_page_of_paper(school: School, chromium: object, game: str, language: str) -> None:
    def story(page: "Page") -> None:
        page.goto(f"{school.site.url}/handout/{game}")
        data = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page[^s]", data)) == 1
        (OUTPUT / f"handout-{game}-{language}.pdf").write_bytes(data)

    chromium.visit(story, locale="fr-FR" if language == "fr" else "en-GB")  # type: ignore[attr-defined]


@browsing(viewport=DESK, color_scheme="light", locale="fr-FR")
def test_the_pupil_s_day(page: "Page", school: School) -> None:
    klass = school.made("Première 3", ranges=("127.0.0.1",))
    page.goto(f"{school.site.url}/teach?code={klass.code}")
    picture(page, "teach-stranger")
    login(page, school, "Eve")
    page.goto(f"{school.site.url}/teach")
    page.locator("#code").fill("ABC-DEF-GHJ")
    page.get_by_role("button", name="Rejoindre").click()
    page.locator("[role=alert]").wait_for()
    page.locator("#code").fill(klass.code)
    page.get_by_role("button", name="Rejoindre").click()
    page.wait_for_url(f"**/teach/{klass.id}")
    picture(page, "teach-pupil-empty")
    page.get_by_role("link", name="Inscrire un moteur").click()
    page.locator("select[name=game]").select_option("tictactoe")
    page.locator("input[name=name]").fill("Epsilon")
    page.locator("input[name=url]").fill(f"{school.url}/play/5")
    page.locator("input[name=direct]").check()
    page.get_by_role("button", name="Vérifier et inscrire").click()
    page.wait_for_url(re.compile(r"/program/engines/\d+$"))
    late = school.engine("Eve", "Etourdi", "late")
    school.community.engines.broke(late.id, Reason("quoted", text="disconnected: the call failed"))
    page.goto(f"{school.site.url}/teach/{klass.id}")
    assert page.locator(".program").count() == 2
    assert page.locator(".fault").count() == 1
    picture(page, "teach-pupil")


@browsing(viewport=DESK, color_scheme="light", locale="fr-FR", timezone_id="Europe/Paris")
def test_a_class_on_paper_and_in_french(page: "Page", school: School) -> None:
    """What broke in a competition is told in the teacher's language; paper has neither buttons nor chalk on white."""
    klass = school.made("Terminale C", "Ann")
    broken = school.engine("Ann", "Tardif", "late")
    template, late = "%(kind)s in game %(name)s: %(reason)s", Reason("no-answer")
    why = Reason(template, kind=Termination.OUT_OF_TIME, name="0123456789abcdef", reason=late)
    school.community.engines.broke(broken.id, why)
    login(page, school, "Tessa")
    page.goto(f"{school.site.url}/teach/{klass.id}")
    told = page.locator(".desk .fault").inner_text()
    assert "temps dépassé dans la partie 0123456789abcdef : pas de réponse à temps" in told.replace("\N{NO-BREAK SPACE}", " ")
    chalk, own = (page.locator(f".blackboard {one}").last for one in (".chalk", ".own-time"))
    assert own.evaluate("one => getComputedStyle(one).color") == chalk.evaluate("one => getComputedStyle(one).color")
    page.emulate_media(media="print")
    for unwanted in (".blackboard button", ".desk button", "#results .button", ".trail", ".part"):
        assert not any(one.is_visible() for one in page.locator(unwanted).all()), unwanted
    assert page.locator("#code").evaluate("one => getComputedStyle(one).color") == "rgb(0, 0, 0)"
    assert len(re.findall(rb"/Type\s*/Page[^s]", page.pdf(prefer_css_page_size=True))) == 1


# ── what must not be ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_class_is_nobody_else_s(school: School) -> None:
    klass = school.made(MARKUP[:20] + " B", "Ann")
    base = f"/teach/{klass.id}"
    for name in ("Theo", "Bob", "Oscar"):
        other = school.visitor(name)
        for path in ("", "/sheet", "/compete", "/compete?game=tictactoe", "/results.csv", "/gateway"):
            answer = other.get(base + path)
            assert answer.status == 404, path
            assert klass.code not in answer.text
        for path in ("/rename", "/code", "/remove", "/leave", "/end", "/compete", "/gateway"):
            fields = {"name": klass.name, "lasts": "hour", "pupil": str(school.people["Ann"].id), "game": "tictactoe"}
            assert other.post(base + path, fields).status == 404, path
    ann = school.visitor("Ann")
    for path in ("/rename", "/code", "/remove", "/end", "/compete", "/gateway"):
        assert ann.post(base + path, {"name": klass.name, "lasts": "hour", "game": "tictactoe"}).status == 403, path
    for path in ("/sheet", "/compete", "/results.csv"):
        assert ann.get(base + path).status == 403, path
    assert klass.gateway_key not in ann.get(base + "/gateway").text
    assert "Bob" not in ann.get(base).text
    stranger = school.visitor()
    assert stranger.get(base).status == 303
    assert stranger.post(base + "/leave").status == 401
    assert school.community.classes.get(school.people["Tessa"], klass.id).code == klass.code
    assert "<script>alert" not in school.visitor("Tessa").get(base).text
    assert school.visitor("Ann").post("/teach/classes", {"name": "Mine"}).status == 403
    assert school.visitor("Tessa").post("/teach/classes", {"name": "x" * 500}).status == 400
    assert f"/handout/tictactoe?klass={klass.id}" in ann.get(base).text
    assert school.visitor("Bob").get(f"/handout/tictactoe?klass={klass.id}").status == 404
    assert klass.code[:3] not in stranger.get(f"/handout/tictactoe?klass={klass.id}").text
    assert stranger.get("/handout/chess").status == 404


def test_codes_are_not_guessed_for_long(school: School) -> None:
    school.community.limits = Limits({**school.community.limits.limits, "join": Limit(5, 900)})
    klass = school.made("Quiet")
    eve = school.visitor("Eve")
    assert [eve.post("/teach/join", {"code": f"ABC{n}EFGH{n}"}).status for n in range(2, 8)] == [410] * 5 + [429]
    assert eve.post("/teach/join", {"code": klass.code}).status == 429, "even the right one waits now"
    assert not school.community.classes.holds(klass.id, school.people["Eve"])
    assert school.visitor("Dora").post("/teach/join", {"code": klass.code}).status == 303, (
        "nobody else of the school waits for it"
    )


def test_the_teacher_keeps_the_class(school: School) -> None:
    klass = school.made("Seconde", "Ann", "Bob")
    tessa, base = school.visitor("Tessa"), f"/teach/{klass.id}"
    assert tessa.post(base + "/rename", {"name": "Seconde 2"}).status == 303
    assert tessa.post(base + "/remove", {"pupil": str(school.people["Bob"].id)}).status == 303
    assert tessa.post(base + "/remove", {"pupil": "x" * 300}).status == 404
    assert tessa.post(base + "/code", {"lasts": "ended"}).status == 303
    now = school.community.classes.get(school.people["Tessa"], klass.id)
    assert (now.name, now.code == klass.code) == ("Seconde 2", False)
    assert school.visitor("Bob").post("/teach/join", {"code": now.code}).status == 410
    assert tessa.post(base + "/code", {"lasts": "for ever"}).status == 404
    assert school.visitor("Ann").post(base + "/leave").status == 303
    assert tessa.post(base + "/compete", {"game": "tictactoe", "when": "now"}).status == 400
    assert tessa.post(base + "/compete", {"game": "chess"}).status == 404
    assert tessa.post(base + "/compete", {"game": "tictactoe", "when": "later", "begins": "soon"}).status == 400
    assert tessa.post(base + "/compete", {"game": "tictactoe", "when": "later", "begins": "2030-01-01T08:00"}).status == 303
    assert tessa.post(base + "/end", {"name": "Seconde"}).status == 400
    assert tessa.post(base + "/end", {"name": "Seconde 2"}).status == 303
    assert tessa.get(base).status == 404


def test_only_the_operator_opens_a_range(school: School) -> None:
    klass = school.made("Closed", "Ann")
    for name in ("Tessa", "Ann", "Oscar"):
        client = school.visitor(name)
        assert client.get("/operator/classes").status == 403
        assert client.post(f"/operator/classes/{klass.id}/ranges", {"ranges": "127.0.0.0/8"}).status == 403
    otilia = school.visitor("Otilia")
    assert otilia.post(f"/operator/classes/{klass.id}/ranges", {"ranges": "everything"}).status == 400
    assert otilia.post(f"/operator/classes/{klass.id}/ranges", {"ranges": "0.0.0.0/0"}).status == 400, "that is no school"
    assert otilia.post("/operator/classes/999999/ranges", {"ranges": "10.0.0.0/8"}).status == 404
    assert otilia.post(f"/operator/classes/{klass.id}/ranges", {"ranges": "10.1.0.0/24, fd00::/64"}).status == 303
    assert "10.1.0.0/24 fd00::/64" in otilia.get("/operator/classes").text


def tried(school: School, name: str, url: str) -> str:
    """Let somebody test an address; return what was said."""
    fields = {"game": "tictactoe", "preset": "start", "address": url, "limit": "4"}
    return school.visitor(name).post("/program/engine-test", fields).text


def test_a_range_is_for_its_class_and_ends_with_it(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    klass = school.made("Inside", "Ann", ranges=("127.0.0.1/32",))
    school.made("Elsewhere", "Bob", ranges=("10.0.0.0/8",))
    inside = f"{school.url}/play/1"
    refused = "does not call that address"
    assert refused not in tried(school, "Ann", inside)
    for name in ("Bob", "Carla", "Theo", ""):
        assert refused in tried(school, name, inside), name
    assert refused in tried(school, "Ann", inside.replace("127.0.0.1", "127.0.0.2")), "beside the range"
    engine = school.engine("Ann", "Inner", "play/1")
    ann = school.visitor("Ann")
    assert "A good move" in ann.post(f"/program/engines/{engine.id}/check").text
    school.community.classes.remove(school.people["Tessa"], klass.id, school.people["Ann"].id)
    monkeypatch.setattr(ways, "monotonic", lambda: time.monotonic() + ways.FRESH_SECONDS)
    assert refused in ann.post(f"/program/engines/{engine.id}/check").text
    assert refused in tried(school, "Ann", inside)


def test_a_match_does_not_leave_the_range(school: School) -> None:
    """Two engines at one address inside: one's owner may be called there, the other's may not, and loses for it."""
    klass = school.made("Match", "Ann", ranges=("127.0.0.1",))
    mine, theirs = school.engine("Ann", "Within", "play/1"), school.engine("Bob", "Without", "play/2")
    school.community.classes.join(school.people["Bob"], klass.code)
    tessa = school.visitor("Tessa")
    begins = {"game": "tictactoe", "when": "later", "begins": "2030-01-01T08:00", "title": '=HYPERLINK("http://evil","x")'}
    number = int(tessa.post(f"/teach/{klass.id}/compete", begins).headers["location"].rpartition("/")[2])
    assert {one.engine for one in school.community.entries.of(CompetitionId(number))} == {mine.id, theirs.id}
    school.community.classes.remove(school.people["Tessa"], klass.id, school.people["Bob"].id)
    assert tessa.post(f"/compete/{number}/steer", {"what": "begin"}).status == 303
    school.over(number)
    assert gives(school.community.engines.find(theirs.id).fault, "not-public")
    bob = school.visitor("Bob")
    traces = set(re.findall(r"/games/\w+/trace/\d", bob.get(f"/compete/{number}").text))
    traces |= set(re.findall(r"/games/\w+/trace/\d", bob.get(next(iter(traces)).partition("/trace")[0]).text))
    assert [bob.get(path).status for path in traces] == [200, 200], (
        "two of them meet twice, and every page leads its owner to the seat of the engine"
    )
    assert "not a public address" in bob.get(traces.pop()).text
    assert not school.community.engines.find(mine.id).fault
    for language, delimiter, head in (("en", ",", "competition"), ("fr", ";", "compétition")):
        sheet = tessa.get(f"/teach/{klass.id}/results.csv", Accept_Language=language)
        assert sheet.headers["content-type"].startswith("text/csv")
        rows = list(csv.DictReader(io.StringIO(sheet.body.decode("utf-8-sig")), delimiter=delimiter))
        assert [row[head] for row in rows] == ["'" + begins["title"]] * 2, "a spreadsheet obeys nothing"


def test_engines_behind_a_gateway(school: School, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    klass = school.made("Gate", "Ann", "Bob", ranges=("127.0.0.1",))
    tessa, base = school.visitor("Tessa"), f"/teach/{klass.id}/gateway"
    ann = school.visitor("Ann")
    fields = {"game": "tictactoe", "name": "Gated.A", "url": "gateway:ada"}
    assert "none of your classes has such a gateway" in ann.post("/program/engines", fields).text
    file = tmp_path / "key"
    file.write_text("not yet")
    for bad in ("file:///etc/passwd", "gateway:1/x", "http://user:word@x/"):
        assert tessa.post(base, {"what": "url", "url": bad}).status == 400
    port = 0

    def opened(key: str) -> Iterator[str]:
        file.write_text(key)
        return started(
            sys.executable, "-S", str(EXAMPLE), str(file), str(port), f"ada={school.url}/play/1", f"bob={school.url}/play/2"
        )

    def key() -> str:
        return school.community.classes.get(school.people["Tessa"], klass.id).gateway_key

    for probe in opened("nobody's"):
        port = int(probe.rpartition(":")[2])
    assert tessa.post(base, {"what": "url", "url": f"http://127.0.0.1:{port}/"}).status == 303
    assert key() in tessa.get(base).text
    assert key() not in ann.get(base).text
    assert f"gateway:{klass.id}/" in ann.get(base).text
    for _ in opened(key()):
        assert ann.post("/program/engines", fields).status == 303
        other = {"game": "tictactoe", "name": "Gated.B", "url": f"gateway:{klass.id}/bob"}
        assert school.visitor("Bob").post("/program/engines", other).status == 303
        mine = next(one for one in school.community.engines.of(school.people["Ann"]) if one.name == "Gated.A")
        assert mine.url == f"gateway:{klass.id}/ada"
        stranger = {"game": "tictactoe", "name": "Gated.C", "url": f"gateway:{klass.id}/ada"}
        assert "none of your classes" in school.visitor("Carla").post("/program/engines", stranger).text
        assert "none of your classes" in tried(school, "Carla", f"gateway:{klass.id}/ada")
        assert "A good move" in tried(school, "Ann", "gateway:ada")
        assert "knows no such engine" in tried(school, "Ann", "gateway:nobody")
        for engine in school.community.engines.of(school.people["Ann"]) + school.community.engines.of(school.people["Bob"]):
            if not engine.name.startswith("Gated"):
                school.community.engines.retire(school.people["Otilia"], engine.id)
        number = int(
            tessa.post(f"/teach/{klass.id}/compete", {"game": "tictactoe", "when": "now"}).headers["location"].rpartition("/")[2]
        )
        school.over(number)
        assert not school.community.engines.find(mine.id).fault
        assert tessa.post(base, {"what": "key"}).status == 303
        monkeypatch.setattr(ways, "monotonic", lambda: time.monotonic() + ways.FRESH_SECONDS)
        assert "refuses our key" in ann.post(f"/program/engines/{mine.id}/check").text
        school.community.classes.leave(school.people["Ann"], klass.id)
        monkeypatch.setattr(ways, "monotonic", lambda: time.monotonic() + 2 * ways.FRESH_SECONDS)
        assert "is not in the class whose gateway it names" in ann.post(f"/program/engines/{mine.id}/check").text


@pytest.mark.parametrize("game", WIRED)
def test_the_bot_of_the_hand_out_plays(game: str, tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_text(template(listing(game), "python", words_of("fr")))
    bot, found = load(str(file)), find_game(game)
    for exercise in preset_exercises(found, presets_of(game)[0]):
        position = Position(found, notation_of(found), exercise.seat, exercise.turn, exercise.view)
        move = bot().move(position)
        found.check(exercise.view, notation_of(found).read(move, exercise.view))


def test_a_school_tells_its_members_and_nobody_else(school: School) -> None:
    tessa = school.visitor("Tessa")
    klass = school.community.classes.create(school.people["Tessa"], "Words")
    school.community.classes.join(school.people["Ann"], klass.code)
    words = "Ask <b>Theo</b> in room 3.\n\n- port 8003\n- see https://wiki.example/engines.\n\n    python3 bot.py"
    base = f"/teach/{klass.id}"
    assert tessa.post(f"{base}/words", {"words": words}).status == 303
    for page in (
        tessa.get(f"{base}/gateway").text,
        school.visitor("Ann").get(base).text,
        school.visitor("Ann").get(f"{base}/gateway").text,
    ):
        assert "<p>Ask &lt;b&gt;Theo&lt;/b&gt; in room 3.</p>" in page
        assert '<a href="https://wiki.example/engines" rel="nofollow ugc noopener noreferrer">' in page
        assert "<pre><code>python3 bot.py</code></pre>" in page
    assert school.visitor("Ann").post(f"{base}/words", {"words": "mine"}).status == 403
    assert school.visitor("Bob").post(f"{base}/words", {"words": "mine"}).status == 404
    assert school.visitor("Bob").get(f"{base}/gateway").status == 404
    assert tessa.post(f"{base}/words", {"words": "x" * 4_001}).status == 400
    assert tessa.post(f"{base}/words", {"words": ""}).status == 303
    assert "room 3" not in school.visitor("Ann").get(base).text
