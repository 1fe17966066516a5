"""The whole way of an added game on the real site: others' engines and interfaces, testers, traces, a competition, a ranking."""

import io
import json
import re
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbitre.games.added.rules import Added, AddedPair
from arbitre.referee.verify import Proof, verify
from arbitre.site.accounts import Role
from arbitre.site.added import AddedGame
from arbitre.site.challenges import Reply as ChallengeAnswer
from arbitre.site.competitions.competitions import CompetitionId, Stage
from arbitre.site.competitions.judgement import judge_folder
from arbitre.site.engines import EngineId
from arbitre.tournament.tables import points_text
from tests.browser import browsing, picture, visitor
from tests.site.test_competition import DIRECT
from tests.web.people import go
from tests.web.place import Place
from tests.web.site import Answer, quiet, running
from tests.web.test_added import ended, fields

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize

PASSWORD = "a long password"  # noqa: S105 - of nobody
PEOPLE = {"Oscar": Role.ORGANISER, "Ann": Role.PLAYER, "Bob": Role.PLAYER, "Carla": Role.PLAYER}
DESK: "ViewportSize" = {"width": 1280, "height": 1000}
PHONE: "ViewportSize" = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, example: str, pawns: str) -> Iterator[Place]:
    with running(quiet(tmp_path_factory.mktemp("added"))) as site:
        create = site.site.state.house.community.accounts.create
        found = Place(site, {name: create(name, PASSWORD, role) for name, role in PEOPLE.items()}, pawns)
        added(found, example, "hexapawn", Added(key="Pawns"))
        yield found


def added(place: Place, example: str, programs: str, rules: Added, way: str = "referee", *, public: bool = True) -> AddedGame:
    """Add a game as Ann."""
    where = f"{example}/{programs}"
    return place.community.added.add(
        place.people["Ann"],
        rules,
        url=f"{where}/{way}",
        engine=f"{where}/engine",
        interface=f"{where}/interface",
        about="A sheet.",
        framed=way == "framed",
        public=public,
    )


def log_in(page: "Page", place: Place, name: str) -> None:
    page.context.clear_cookies()
    page.goto(f"{place.site.url}/login")
    page.locator("input[name=name]").fill(name)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main button").first.click()
    page.wait_for_selector(".account")


def register(place: Place, who: str, name: str, path: str, game: str = "added:Pawns", **more: str) -> Answer:
    """Register an engine that answers in the body."""
    given = {"game": game, "name": name, "url": f"{place.url}/{path}", "direct": "yes", "public": "yes", **more}
    return place.visitor(who).post("/program/engines", given, page="/program/engines/new")


def over(place: Place, number: int) -> None:
    while place.community.competitions.find(CompetitionId(number)).stage is not Stage.OVER:
        time.sleep(0.05)


# ── engines and interfaces of others ───────────────────────────────────────────────────────────────────────────────


def test_anybodys_engine_is_tried_before_the_referee(place: Place) -> None:
    assert 'value="added:Pawns"' in place.visitor("Bob").get("/program/engines/new").text
    cheat = register(place, "Bob", "Cheat", "cheat")
    assert cheat.status == 422
    assert "the referee of Pawns refuses it: no pawn of yours goes A0C2" in cheat.text
    assert register(place, "Bob", "Broken", "error").status == 422
    kept = register(place, "Bob", "Cheat", "cheat", anyway="yes")
    assert kept.status == 303
    assert place.community.engines.of(place.people["Bob"])[-1].state == "broken"
    good = register(place, "Bob", "Sound", "play/1")
    assert good.status == 303, good.text
    page = place.visitor("Bob").get(good.headers["location"])
    assert "Pawns" in page.text
    checked = place.visitor("Bob").post(f"{good.headers['location']}/check", page=good.headers["location"])
    assert "A good move" in checked.text
    assert register(place, "Bob", "Nothing", "play/1", game="added:Nothing").status == 400
    assert register(place, "Bob", "Nothing", "play/1", game="added").status == 400
    for path in ("/program/engines", "/program/directory", "/program/directory?game=added:Pawns"):
        shown = place.visitor("Bob").get(path)
        assert shown.status == 200
        assert "Sound" in shown.text


def test_registered_engines_play_on_the_sheet_and_their_owners_see_their_traces(place: Place) -> None:
    number = int(register(place, "Carla", "Carline", "play/2").headers["location"].rpartition("/")[2])
    visitor = place.visitor()
    assert f'value="engine:{number}"' in visitor.get("/added/Pawns").text
    begun = visitor.post("/added/Pawns", {"one": f"engine:{number}", "two": "model"}, page="/added/Pawns")
    assert begun.status == 303, begun.text
    where = begun.headers["location"]
    assert "says the referee of the game" in str(ended(visitor, where)["verdict"])
    assert "Carline" in visitor.get(where).text
    seen = {
        name: [place.visitor(name).get(f"{where}/trace/{seat}").status for seat in (0, 1, 2)] for name in ("Ann", "Bob", "Carla")
    }
    assert seen == {"Ann": [403, 200, 200], "Bob": [403, 403, 403], "Carla": [200, 403, 403]}
    assert f"{where}/trace/1" in place.visitor("Ann").get(where).text
    again = visitor.post(f"{where}/again", page=where)
    assert again.status == 303, again.text
    assert ended(visitor, again.headers["location"])["verdict"]
    arena = place.site.site.state.house.arena
    sitters = arena.sitting(again.headers["location"].rpartition("/")[2]).plan.sitters
    assert [getattr(one, "number", None) for one in sitters[:2]] == [0, number]
    alien = place.engine("Carla", "Tic", "play/1")
    refused = visitor.post("/added/Pawns", {"one": f"engine:{alien.id}", "two": "model"}, page="/added/Pawns")
    assert refused.status == 400
    assert "Tic plays TicTacToe, not Pawns" in refused.text


def test_an_interface_of_a_third_party_may_show_it(place: Place) -> None:
    bob = place.visitor("Bob")
    given = {"game": "added:Pawns", "name": "Written", "url": f"{place.url}/page", "public": "yes"}
    made = bob.post("/program/interfaces", given, page="/program/interfaces/new")
    assert made.status == 303, made.text
    number = made.headers["location"].rpartition("/")[2]
    assert bob.get(made.headers["location"]).status == 200
    visitor = place.visitor()
    begun = visitor.post("/added/Pawns", {"one": "model", "two": "model", "interface": number}, page="/added/Pawns")
    assert begun.headers["location"].endswith(f"?interface={number}")
    page = visitor.get(begun.headers["location"])
    assert f'data-interface="{place.url}/page"' in page.text
    assert place.url in page.headers["content-security-policy"]
    assert "Written" in visitor.get("/rankings/added:pawns/interfaces").text
    assert "Ranking of Pawns" in visitor.get("/rankings/added:PAWNS").text
    other = place.community.interfaces.add(place.people["Bob"], game="reversi", name="Other", url=f"{place.url}/page")
    assert visitor.get(begun.headers["location"].partition("?")[0] + f"?interface={other.id}").status == 404


TESTED = {
    "the start": ({}, "A good move"),
    "a tray": ({"position": "220001011", "seat": "2"}, "A good move"),
    "a tray of two boards": ({"position": "1***2"}, "This position cannot be read"),
    "a tray that cannot be": ({"position": "a/b"}, "This position cannot be read"),
}


@pytest.mark.parametrize(("more", "told"), TESTED.values(), ids=TESTED)
def test_the_engine_tester_asks_the_referee(place: Place, example: str, more: dict[str, str], told: str) -> None:
    page = "/program/engine-test?game=added:Pawns"
    visitor = place.visitor("Bob")
    shown = visitor.get(page)
    assert shown.status == 200
    assert f"{example}/hexapawn/interface?" in shown.text
    answer = visitor.post(
        "/program/engine-test", {"game": "added:Pawns", "address": f"{place.url}/play/1", **more}, page="/program/engine-test"
    )
    assert told in answer.text
    if told == "A good move":
        assert "What the move does" in answer.text


def test_testers_name_what_the_referee_refuses(place: Place) -> None:
    fields = {"game": "added:Pawns", "address": f"{place.url}/cheat"}
    answer = place.visitor("Bob").post("/program/engine-test", fields, page="/program/engine-test")
    assert "no pawn of yours goes A0C2" in answer.text


def test_the_interface_tester_shows_the_model_first(place: Place, example: str) -> None:
    visitor = place.visitor()
    for path in ("", "&preset=nothing", "&preset=over", "&webtest=yes"):
        shown = visitor.get(f"/program/interface-test?game=added:Pawns{path}")
        assert shown.status == 200
        assert f"{example}/hexapawn/interface?Set=Pawns" in shown.text
    assert "Set=Reversi" in visitor.get("/program/interface-test?game=added:Nothing").text


def test_what_is_private_is_tested_by_its_owner_alone(place: Place, example: str) -> None:
    added(place, example, "digits", AddedPair(key="Secret"), public=False)
    for path in ("/program/engines/new", "/program/engine-test", "/compete/new"):
        assert "added:Secret" not in place.visitor("Bob" if "compete" not in path else "Oscar").get(path).text
    assert "added:Secret" in place.visitor("Ann").get("/program/engine-test?game=added:Secret").text
    assert place.visitor("Bob").get("/rankings/added:Secret").status == 404
    fields = {"game": "added:Secret", "address": f"{example}/digits/engine", "back": "yes"}
    answer = place.visitor("Ann").post("/program/engine-test", fields, page="/program/engine-test")
    assert "A good move" in answer.text, re.sub(r"<[^>]+>|\s+", " ", answer.text)[:3000]


def test_a_competition_needs_a_referee_whom_nobody_forges(place: Place, example: str) -> None:
    added(place, example, "hexapawn", Added(key="InFrame"), "framed")
    oscar = place.visitor("Oscar")
    assert "added:InFrame" not in oscar.get("/compete/new").text
    refused = oscar.post("/compete/new", {"game": "added:InFrame", "listed": "1"}, page="/compete/new")
    assert refused.status == 400
    assert "answers in a player" in refused.text
    assert oscar.post("/compete/new", {"game": "added:Nothing"}, page="/compete/new").status == 400


def test_whose_referee_judges_is_plain_and_that_he_takes_part(place: Place) -> None:
    """Nothing proves that he is right, so whoever enters must know whom to trust."""
    oscar = place.visitor("Oscar")
    said = {"game": "added:Pawns", "template": "everybody", "clock": "4s/move", "listed": "1"}
    where = oscar.post("/compete/new", said, page="/compete/new").headers["location"]
    number = CompetitionId(int(where.rpartition("/")[2]))
    engines = {
        name: int(register(place, name, f"{name}.Enters", "play/1").headers["location"].rpartition("/")[2])
        for name in ("Ann", "Bob")
    }
    place.community.entries.enter(place.people["Bob"], number, EngineId(engines["Bob"]))
    page = place.visitor().get(where).text
    assert "The referee of this game is a program of Ann, and nobody can check that it is right." in page
    assert "Ann also takes part." not in page
    assert "runs the referee" not in page
    place.community.entries.enter(place.people["Ann"], number, EngineId(engines["Ann"]))
    page = place.visitor().get(where).text
    assert "Ann also takes part." in page
    assert page.count("runs the referee") == 1
    place.community.competitions.cancel(place.people["Oscar"], number)


TOLD = "The referee of this game is a program of Ann, and nobody can check that it is right."


def test_whoever_looks_at_a_game_or_a_ranking_is_told_whose_referee_it_is(place: Place) -> None:
    visitor = place.visitor()
    assert TOLD in visitor.get("/rankings/added:Pawns").text
    assert "is a program of" not in visitor.get("/rankings/reversi").text
    begun = visitor.post("/added/Pawns", {"one": "model", "two": "model"}, page="/added/Pawns").headers["location"]
    page = visitor.get(begun).text
    assert TOLD in page
    assert "also takes part" not in page
    ended(visitor, begun)
    assert TOLD in visitor.get(begun).text, "also when it is over"
    mine = register(place, "Ann", "Anns.Own", "play/1").headers["location"].rpartition("/")[2]
    begun = visitor.post("/added/Pawns", {"one": f"engine:{mine}", "two": "model"}, page="/added/Pawns").headers["location"]
    assert "Ann also takes part." in visitor.get(begun).text
    ann = place.visitor("Ann")
    begun = ann.post("/added/Pawns", {"one": "me", "two": "model"}, page="/added/Pawns").headers["location"]
    assert "Ann also takes part." in ann.get(begun).text
    begun = ann.post("/added/Pawns", {"one": "me", "two": "friend"}, page="/added/Pawns").headers["location"]
    link = re.search(r"/invite/[\w-]+", ann.post(f"{begun}/invite", page=begun).text)
    assert link is not None
    invited = visitor.get(link[0]).text
    assert TOLD in invited, "before he takes the chair"
    assert "Ann also takes part." in invited


def test_whoever_is_challenged_is_told_whose_referee_it_is_and_why_it_failed(place: Place, example: str) -> None:
    game = added(place, example, "nothing", Added(key="Failing"))
    bobs, carlas = (
        place.community.engines.add(
            place.people[who], game=game.label, name=f"{who}.Fails", url=f"{place.url}/play/1", style=DIRECT
        )
        for who in ("Bob", "Carla")
    )
    told = "The referee of Failing is a program of Ann, and nobody can check that it is right."
    bob, carla = place.visitor("Bob"), place.visitor("Carla")
    assert told in bob.get("/compete/challenges").text, "before he challenges anybody"
    given = {"mine": str(bobs.id), "theirs": str(carlas.id)}
    assert bob.post("/compete/challenges", given, page="/compete/challenges").status == 303
    assert told in carla.get("/compete/challenges").text
    (row,) = place.community.challenges.of(place.people["Carla"])
    carla.post(f"/compete/challenges/{row.id}", {"what": "accept"}, page="/compete/challenges")
    while place.community.challenges.of(place.people["Carla"])[0].answer is not ChallengeAnswer.FAILED:
        time.sleep(0.05)
    page = carla.get("/compete/challenges").text
    assert "the external referee: status 404 instead of an answer" in page
    assert "/games/" in page, "the last of its matches"
    assert "l’arbitre externe\N{NO-BREAK SPACE}: " in carla.get("/compete/challenges", Accept_Language="fr").text


# ── in a browser ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.campaign
@browsing(viewport=DESK, color_scheme="light", locale="en-GB")
def test_the_whole_way(page: "Page", place: Place, example: str, tmp_path: Path) -> None:
    """Add a game; let others register an engine and an interface for it; play; hold a competition; judge it offline."""
    log_in(page, place, "Ann")
    page.goto(f"{place.site.url}/program/added/new")
    for name, text in fields(example, "hexapawn", "Hexapawn", board="222000111").items():
        if name != "public":
            page.locator(f"[name={name}]:not([type=radio])").fill(text)
    page.get_by_role("button", name="Check and add").click()
    page.wait_for_url(re.compile(r"/program/added/\d+"))

    log_in(page, place, "Bob")
    page.goto(f"{place.site.url}/added/Hexapawn")
    page.get_by_role("link", name="Register an engine for it").click()
    assert page.locator("#game").input_value() == "added:Hexapawn"
    page.locator("input[name=name]").fill("Bobs.Pawns")
    page.locator("input[name=url]").fill(f"{place.url}/play/1")
    page.locator("input[name=direct]").check()
    page.get_by_role("button", name="Check and register").click()
    page.wait_for_url(re.compile(r"/program/engines/\d+"))
    picture(page, "added-engine")
    page.goto(f"{place.site.url}/added/Hexapawn")
    page.get_by_role("link", name="Register an interface for it").click()
    page.locator("input[name=name]").fill("Bobs.Page")
    page.locator("input[name=url]").fill(f"{place.url}/page")
    page.get_by_role("button", name="Check and register").click()
    page.wait_for_url(re.compile(r"/program/interfaces/\d+"))
    page.get_by_role("link", name="To the tester").click()
    page.frame_locator("iframe[data-tested]").get_by_role("button", name="A2A1").click()
    page.locator("[data-value]", has_text="A2A1").wait_for()
    picture(page, "added-interface-test")

    page.goto(f"{place.site.url}/added/Hexapawn")
    page.locator("#two").select_option(label="Bobs.Pawns")
    page.locator("#interface").select_option(label="Bobs.Page")
    picture(page, "added-sheet-choices")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/games/*")
    page.frame_locator(".stage > .frame iframe.shown").get_by_role("button", name="B2B1").click()
    page.locator("#lines li.seat1").first.wait_for()
    picture(page, "added-third-party")

    log_in(page, place, "Oscar")
    page.goto(f"{place.site.url}/compete/new")
    page.locator(".tile", has_text="Hexapawn").click()
    page.locator(".tile", has_text=re.compile("Everybody meets everybody(?!,)")).click()
    picture(page, "added-announce")
    page.get_by_role("button", name="Announce it").click()
    page.wait_for_url(re.compile(r"/compete/\d+$"))
    number = int(page.url.rpartition("/")[2])
    entered = [("Bob", "Bobs.Pawns")]
    for who, name, path in (("Carla", "Slow.Pawns", "play/2"), ("Oscar", "Cheating", "cheat")):
        register(place, who, name, path, "added:Hexapawn", anyway="yes")
        entered.append((who, name))
    model = {"url": f"{example}/hexapawn/engine", "game": "added:Hexapawn", "name": "Anns.Model", "public": "yes"}
    assert place.visitor("Ann").post("/program/engines", model, page="/program/engines/new").status == 303
    for who, name in (*entered, ("Ann", "Anns.Model")):
        mine = next(one for one in place.community.engines.of(place.people[who]) if one.name == name)
        assert place.visitor(who).post(f"/compete/{number}/enter", {"engine": str(mine.id)}).status == 303
    go(page, page.url)
    page.get_by_role("button", name="Start now").click()
    page.locator("[data-stage=over]").wait_for(timeout=60_000)
    over(place, number)
    page.goto(f"{place.site.url}/compete/{number}")
    picture(page, "added-competition")
    assert page.locator("table.standings tbody tr").count() == 4
    assert page.get_by_text("the referee of the game refused the move").count() >= 1
    _judged(place, number, tmp_path)
    page.goto(f"{place.site.url}/rankings/added:Hexapawn")
    assert page.locator("table.standings tbody tr").count() == 4
    picture(page, "added-ranking")
    page.goto(f"{place.site.url}/rankings")
    page.locator(".card", has_text="Hexapawn").wait_for()


def _judged(place: Place, number: int, folder: Path) -> None:
    """Demand that what the site hands out proves the standings that it shows."""
    client = place.visitor()
    with zipfile.ZipFile(io.BytesIO(client.get(f"/compete/{number}/records.zip").body)) as file:
        file.extractall(folder)
    judged = judge_folder(folder)
    assert judged.referee == "Hexapawn"
    assert judged.records == 12
    rows = [line.split(",") for line in client.get(f"/compete/{number}/standings.csv").text.splitlines()[1:]]
    shown = [(row[0], row[2], row[3]) for row in rows]
    name = judged.summary.plan.entrants
    assert shown == [(str(row.rank), name[row.contestant].name, points_text(row.points)) for row in judged.summary.standings.rows]
    key = place.site.site.state.house.key.fingerprint
    for path in (folder / "records").iterdir():
        assert verify(path.read_bytes(), given=key).standing is Proof.ATTESTED


def rules_of(game: str, way: str) -> Added:
    key = f"{game}{way}"
    return {
        "hexapawn": Added(key=key, board="222000111"),
        "odds": Added(key=key, simultaneous=True),
        "digits": AddedPair(key=key),
    }[game]


LONG = pytest.mark.campaign
TABLES = [
    pytest.param("hexapawn", "referee", marks=LONG),
    pytest.param("hexapawn", "calls", marks=LONG),
    pytest.param("hexapawn", "framed", marks=LONG),
    pytest.param("odds", "referee", marks=LONG),
    pytest.param("odds", "calls", marks=LONG),
    pytest.param("odds", "framed", marks=LONG),
    ("digits", "referee"),
    pytest.param("digits", "calls", marks=LONG),
]
"""Every game in every way that its referee may answer; one whose browser asks the referee would see both boards of Digits."""


ENDED = re.compile("says the referee of the game|the referee refused|dit l’arbitre du jeu|l’arbitre a refusé")
"""How a game ended, in either language."""


@browsing(viewport=PHONE, has_touch=True, color_scheme="dark", locale="fr-FR")
@pytest.mark.parametrize(("game", "way"), TABLES)
def test_two_people_play_it_through_the_model_interface(page: "Page", place: Place, example: str, game: str, way: str) -> None:
    """One on a phone, by touch; the other with the keyboard alone, in a browser of her own."""
    added(place, example, game, rules_of(game, way), way)
    page.goto(f"{place.site.url}/added/{game}{way}")
    page.locator("#two").select_option("friend")
    page.locator("form.sheet button.main").click()
    page.wait_for_url("**/games/*")
    page.locator("form[action$=invite] button").click()
    link = page.locator("[data-copy*='/invite/']").first.get_attribute("data-copy")
    assert link is not None
    assert page.context.browser is not None
    with visitor(page.context.browser, viewport=DESK, locale="en-GB") as friend:
        friend.goto(link)
        friend.locator("main form button").first.click()
        friend.wait_for_url("**/games/*")
        go(page, friend.url)
        _play(page, friend, game)
        for each in (page, friend):
            go(each, each.url)
            each.get_by_text(ENDED).first.wait_for(state="attached")
        picture(page, f"added-phone-{game}-{way}")


def tap(page: "Page", selector: str) -> None:
    """Tap the first of something in the frame, which is scaled to the width of a phone: only we know where that is then."""
    frame = page.locator(".stage > .frame iframe.shown")
    frame.scroll_into_view_if_needed()
    outer = frame.evaluate("one => { const { x, y, width } = one.getBoundingClientRect(); return { x, y, width } }")
    inside = frame.element_handle().content_frame()
    assert inside is not None
    inner = inside.eval_on_selector(
        selector, "one => { const r = one.getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 } }"
    )
    scale = outer["width"] / 736
    page.touchscreen.tap(outer["x"] + inner["x"] * scale, outer["y"] + inner["y"] * scale)


def _play(touch: "Page", keys: "Page", game: str) -> None:
    """Play to the end: whoever is asked answers."""
    from playwright.sync_api import Error  # noqa: PLC0415 - a development tool that may be missing

    said = {touch: 0, keys: 0}
    for _ in range(200):
        if touch.locator("#game[data-over=yes]").count() or touch.get_by_text(ENDED).count():
            return
        for page in (touch, keys):
            with suppress(Error):  # the page may have opened itself anew meanwhile: then it is looked at again
                said[page] += _answer(page, game, said[page], by_touch=page is touch)
        touch.wait_for_timeout(100)
    told = [page.locator("main").inner_text()[:600] for page in said]
    raise AssertionError(json.dumps({"said": list(said.values()), "told": told}, ensure_ascii=False))


def _answer(page: "Page", game: str, before: int, *, by_touch: bool) -> bool:
    """Answer by touch or by keys if one is asked; tell whether."""
    shown = page.locator(".stage > .frame iframe.shown")
    frame = page.frame_locator(".stage > .frame iframe.shown")
    if not by_touch and shown.count():
        # as who has tabbed away and back: no key reaches a frame otherwise, and a browser may think of one that is gone
        shown.evaluate("one => one.blur()")
        shown.focus()
    if game == "hexapawn":
        pawn = frame.locator(".pawn.open").first
        if not pawn.count():
            return False
        if by_touch:
            tap(page, ".pawn.open")
            tap(page, ".target")
        else:
            pawn.press("Enter")
            frame.locator(".target").first.press("Enter")
    elif game == "odds":
        button = frame.locator(".choice button").nth(2 if by_touch else 4)
        if not button.count():
            return False
        tap(page, ".choice button:nth-of-type(3)") if by_touch else button.press("Enter")
    else:
        field = frame.locator(".entry:not([hidden]) input")
        if not field.count():
            return False
        # the first word is the own secret; then each looks for the other's, which is found at once
        field.fill(("123" if by_touch else "456") if not before else ("456" if by_touch else "789"))
        tap(page, ".entry button") if by_touch else field.press("Enter")
    page.wait_for_timeout(150)
    return True
