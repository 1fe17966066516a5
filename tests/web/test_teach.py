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
from tests.browser import OUTPUT, browsing
from tests.house import WIRED
from tests.reasons import gives
from tests.tournoyons.test_player import ENGINES, started
from tests.web.days import Day, everywhere, live
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


@everywhere("laptop", "en-GB")
def test_the_teacher_s_day(chromium: object, school: School, screen: str, locale: str) -> None:
    live(chromium, lambda day: _taught(day, school), screen, locale)


def _taught(day: Day, school: School) -> None:
    """Make a class, prepare accounts, let pupils in, look at their desks, hold a competition, take the results home."""
    page, url = day.page, school.site.url
    login(page, school, "Tessa")
    page.goto(url + "/teach")
    assert page.locator("main h2").first.inner_text() in ("Classes that you teach", "Vos classes"), "they come first"
    day.look("corner")
    page.locator("#name").fill("Terminale B")
    page.locator(".new-class button").click()
    page.wait_for_url(re.compile(r"/teach/\d+$"))
    number, where = int(page.url.rpartition("/")[2]), page.url
    code = page.locator("#code").inner_text()
    assert re.fullmatch(r"(\w{3}-){2}\w{3}", code)
    assert f"{school.site.site.state.house.settings.public}/lesson" in page.locator(".blackboard").inner_text()
    day.look("class-empty")
    page.locator(".empty a[href='#names']").click()
    page.locator("#names").fill(f"Zora.{code[:3]}\nYann.{code[:3]}")
    page.locator("#accounts form button").click()
    page.locator(".paper td code").nth(1).wait_for()
    day.look("codes")
    # the operator lets the school's machines be called for this class
    answer = school.visitor("Otilia").post(f"/operator/classes/{number}/ranges", {"ranges": "127.0.0.0/24"})
    assert answer.status == 303
    programs = {"Ann": ("Alpha", "play/1"), "Bob": ("Beta", "play/2"), "Carla": ("Gamma", "babble"), "Dora": ("Delta", "play/4")}
    for name, (engine, path) in programs.items():
        client = school.visitor(name)
        assert client.post("/teach/join", {"code": code.lower()}).status == 303
        fields = {"game": "tictactoe", "name": f"{engine}.{code[:3]}", "url": f"{school.url}/{path}", "direct": "yes"}
        assert client.post("/program/engines", fields | {"anyway": "yes"}).status == 303
    page.goto(where)
    assert page.locator(".desk").count() == 6
    states = [page.locator(f".desk.{state}").count() for state in ("broken", "ready", "writing")]
    assert states == [1, 3, 2]
    assert [one.inner_text()[0] for one in page.locator(".roll li").all()] == ["1", "3", "2"]
    assert f"Gamma.{code[:3]}" in page.locator(".desk.broken").inner_text()
    day.look("class")
    # three clicks
    page.locator(".headline .button.main").click()
    assert page.locator(".tiles").first.locator(".tile").count() == 1, "the games that somebody can play"
    day.look("games")
    page.locator(".tile").first.click()
    page.locator(".facts").wait_for()
    day.look("ready")
    page.locator("button[name=when][value=now]").click()
    page.wait_for_url(re.compile(r"/compete/\d+$"))
    page.locator("[data-stage=over]").wait_for(timeout=30_000)
    day.look("over")
    page.goto(where)
    assert page.locator("#results tbody tr").count() == 1 + 4
    told = page.locator(".desk.broken").inner_text()
    assert any(kind in told for kind in ("protocol error", "illegal move", "protocole", "illégal")), told
    with page.expect_download() as download:
        page.locator("a[href$='/results.csv']").click()
    text = Path(download.value.path()).read_bytes()
    assert text.startswith(b"\xef\xbb\xbf")
    _, *rows = csv.reader(io.StringIO(text.decode("utf-8-sig")), delimiter=";" if day.locale == "fr-FR" else ",")
    assert {row[5] for row in rows} == set(programs)
    broken = next(row for row in rows if row[6].startswith("Gamma"))
    assert (float(broken[7].replace(",", ".")), int(broken[13])) <= (1.0, 3)
    assert broken[14]
    day.look("results")
    page.goto(f"{where}/sheet")
    assert code in page.locator(".paper").inner_text()
    day.look("sheet")
    page.goto(f"{url}/handout/reversi?klass={number}")
    assert code in page.locator(".paper").inner_text()
    day.look("handout")
    page.goto(f"{where}/gateway")
    day.look("gateway")
    page.goto(f"{url}/workshop/class/{number}")
    day.look("programs")
    # next year: the code ends, and so does the class
    page.goto(where)
    page.locator("details:has(#sure) > summary").click()
    page.locator("#sure").fill("Terminale B")
    page.locator("form:has(#sure) button").click()
    page.wait_for_url(url + "/teach")
    assert page.locator(".card[href]").count() == 0
    for name, (engine, _) in programs.items():  # another day finds the same people, without engines
        for one in school.community.engines.of(school.people[name]):
            if one.name.startswith(engine):
                school.community.engines.retire(school.people[name], one.id)


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("game", ["tictactoe", "rochambeau", "kriegspiel"])
def test_a_hand_out_is_one_page_of_paper(school: School, chromium: object, game: str, language: str) -> None:
    def story(page: "Page") -> None:
        page.goto(f"{school.site.url}/handout/{game}")
        data = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page[^s]", data)) == 1
        OUTPUT.mkdir(exist_ok=True)
        (OUTPUT / f"handout-{game}-{language}.pdf").write_bytes(data)

    chromium.visit(story, locale="fr-FR" if language == "fr" else "en-GB")  # type: ignore[attr-defined]


@everywhere("phone", "fr-FR")
def test_the_pupil_s_day(chromium: object, school: School, screen: str, locale: str) -> None:
    live(chromium, lambda day: _learnt(day, school), screen, locale)


def _learnt(day: Day, school: School) -> None:
    """Come with the code of the blackboard, mistype it, register an engine, see what went wrong with another."""
    page, klass = day.page, school.made("Première 3", ranges=("127.0.0.1",))
    page.goto(f"{school.site.url}/teach?code={klass.code}")
    day.look("stranger")
    login(page, school, "Eve")
    page.goto(f"{school.site.url}/teach")
    page.locator("#code").fill("ABC-DEF-GHJ")
    page.locator(".joining button").click()
    page.locator("[role=alert]").wait_for()
    day.complaints = [one for one in day.complaints if "status of 410" not in one]
    page.locator("#code").fill(klass.code)
    page.locator(".joining button").click()
    page.wait_for_url(f"**/teach/{klass.id}")
    day.look("pupil-empty")
    page.locator(".empty a[href='/program/engines/new']").click()
    page.locator("select[name=game]").select_option("tictactoe")
    page.locator("input[name=name]").fill(f"Epsilon.{klass.code[:3]}")
    page.locator("input[name=url]").fill(f"{school.url}/play/5")
    page.locator("input[name=direct]").check()
    day.look("register")
    page.locator("form:has(input[name=url]) button.main").click()
    page.wait_for_url(re.compile(r"/program/engines/\d+$"))
    day.look("engine")
    late = school.engine("Eve", f"Etourdi.{klass.code[:3]}", "late")
    school.community.engines.broke(late.id, Reason("quoted", text="disconnected: the call failed"))
    page.goto(f"{school.site.url}/teach/{klass.id}")
    assert page.locator(".program").count() == 2
    assert page.locator(".fault").count() == 1
    day.look("pupil")
    for one in school.community.engines.of(school.people["Eve"]):
        school.community.engines.retire(school.people["Eve"], one.id)


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
