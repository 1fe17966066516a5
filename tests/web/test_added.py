"""Added games on the real site: the form and its trial, the sheet, whole games of people and engines, in a real browser too."""

import json
import re
from collections.abc import Iterator
from time import sleep
from typing import TYPE_CHECKING, Any

import pytest

from arbitre.errors import TermsError
from arbitre.games.added.rules import Added, AddedPair
from arbitre.referee.verify import Proof, verify
from arbitre.site.arena.plan import EngineSeat, HouseSeat, MatchPlan, PersonSeat, RefereeSeat, read_plan
from tests.browser import browsing, picture
from tests.web.programs import Club, club
from tests.web.site import Client
from tests.web.test_programs_browser import log_in

if TYPE_CHECKING:
    from playwright.sync_api import Page

SHEET = "Hexapawn: three pawns each on three by three cells.\nTray: nine characters. Move: two cells, A2A1."


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    with club(tmp_path_factory.mktemp("added")) as found:
        yield found


def fields(example: str, programs: str, name: str, **more: str) -> dict[str, str]:
    given = {part: f"{example}/{programs}/{part}" for part in ("engine", "interface")}
    return {"name": name, "url": f"{example}/{programs}/referee", "about": SHEET, "public": "yes", **given, **more}


def added(place: Club, example: str, programs: str, name: str, **more: str) -> str:
    """Add a game as Zoe, and return its number."""
    answer = place.visitor("Zoe").post("/program/added", fields(example, programs, name, **more), page="/program/added/new")
    assert answer.status == 303, re.sub(r"<[^>]+>|\s+", " ", answer.text)[:2000]
    return answer.headers["location"].rpartition("/")[2]


def ended(client: Client, path: str) -> dict[str, Any]:
    """Watch a game to its end, and return its last scene."""
    scenes = [json.loads(line[6:]) for line in client.get(f"{path}/events").text.splitlines() if line.startswith("data: {")]
    assert scenes[-1]["closed"]
    last: dict[str, Any] = scenes[-1]
    return last


KINDS = {
    "hexapawn": ("Hexapawn", {"board": "222000111"}),
    "odds": ("OddsAndEvens", {"simultaneous": "yes"}),
    "digits": ("Digits", {"game": "addedpair"}),
}


@pytest.mark.parametrize("game", KINDS)
def test_a_game_is_added_and_its_model_engine_plays_itself(place: Club, example: str, game: str) -> None:
    name, more = KINDS[game]
    number = added(place, example, game, name, **more)
    assert place.community.added.find(int(number)).state == "ok"
    visitor = place.visitor()
    assert f'href="/added/{name}"' in visitor.get("/play").text
    sheet = visitor.get(f"/added/{name.lower()}")
    assert sheet.status == 200
    assert "three pawns each" in sheet.text
    begun = visitor.post(f"/added/{name}", {"one": "model", "two": "model"}, page=f"/added/{name}")
    assert begun.status == 303, begun.text
    last = ended(visitor, begun.headers["location"])
    assert "says the referee of the game" in str(last["verdict"])
    page = visitor.get(begun.headers["location"])
    assert name in page.text
    assert "attested" in page.text
    record = visitor.get(f"{begun.headers['location']}/record").body
    key = place.site.site.state.house.key.fingerprint
    assert verify(record, given=key).standing is Proof.ATTESTED


BAD = {
    "no name": ({"name": "a b"}, 400, "name"),
    "a house game's name": ({"name": "TicTacT0e"}, 400, "TicTacT0e"),
    "no sheet": ({"about": " "}, 400, "about"),
    "no address": ({"url": "ftp://x"}, 400, "address"),
    "a board that cannot be": ({"board": "a/b"}, 400, "tray"),
    "both boards in a browser": ({"game": "addedpair", "framed": "yes"}, 400, "both boards"),
}


@pytest.mark.parametrize(("wrong", "status", "named"), BAD.values(), ids=BAD)
def test_what_cannot_be_added_is_named(place: Club, example: str, wrong: dict[str, str], status: int, named: str) -> None:
    given = fields(example, "hexapawn", "Fine" + str(abs(hash(named)) % 1000)) | wrong
    answer = place.visitor("Zoe").post("/program/added", given, page="/program/added/new")
    assert answer.status == status, answer.text
    assert named in answer.text


def test_a_referee_who_is_not_one_is_shown_with_the_conversation(place: Club, example: str) -> None:
    zoe = place.visitor("Zoe")
    given = fields(example, "hexapawn", "Broken1") | {"url": f"{example}/hexapawn/nothing"}
    answer = zoe.post("/program/added", given, page="/program/added/new")
    assert answer.status == 422
    assert "the external referee: status 404" in answer.text
    assert "The conversation" in answer.text
    kept = zoe.post("/program/added", given | {"anyway": "yes"}, page="/program/added/new")
    assert kept.status == 303
    number = int(kept.headers["location"].rpartition("/")[2])
    assert place.community.added.find(number).state == "broken"
    mended = zoe.post(f"/program/added/{number}", fields(example, "hexapawn", "Broken1"), page=f"/program/added/{number}")
    assert "The programs play together" in mended.text
    assert place.community.added.find(number).state == "ok"
    assert place.visitor("Max").get(f"/program/added/{number}").status == 403
    assert zoe.post(f"/program/added/{number}/retire", page=f"/program/added/{number}").status == 303
    assert zoe.get("/added/Broken1").status == 404
    assert zoe.get("/program/added").status == 200


def test_a_referee_who_breaks_down_ends_the_game_for_nobody(place: Club, example: str) -> None:
    given = fields(example, "hexapawn", "Crash") | {"url": f"{example}/none/referee", "anyway": "yes"}
    place.visitor("Zoe").post("/program/added", given, page="/program/added/new")
    visitor = place.visitor()
    begun = visitor.post("/added/Crash", {"one": "model", "two": "model"}, page="/added/Crash")
    last = ended(visitor, begun.headers["location"])
    assert "no result: the external referee: status 404" in str(last["verdict"])


def test_a_person_plays_and_is_refused_by_the_referee(place: Club, example: str) -> None:
    added(place, example, "hexapawn", "Hexa2")
    max_ = place.visitor("Max")
    begun = max_.post("/added/Hexa2", {"one": "me", "two": "model"}, page="/added/Hexa2")
    where = begun.headers["location"]
    said = 0
    while said != 201:  # the question may still be on its way
        said = max_.post(f"{where}/move", {"move": "C0C2"}, page=where).status
    last = ended(max_, where)
    assert last["verdict"]["termination"] == "refused"
    assert last["verdict"]["reason"] == {"code": "referee-refused", "seat": 1, "text": "no pawn of yours goes C0C2"}
    assert "model of Hexa2 wins: the referee of the game refused the move" in last["verdict"]["words"]
    again = max_.post(f"{where}/again", page=where)
    assert again.status == 303, again.text


# ── in a browser ───────────────────────────────────────────────────────────────────────────────────────────────────


def step(page: "Page", pawn: int) -> None:
    """Move the n-th pawn that can move, as a hand would."""
    frame = page.frame_locator(".stage > .frame iframe.shown")
    frame.locator(".pawn.open").nth(pawn).click()
    frame.locator(".target").first.click()


@browsing(viewport={"width": 1280, "height": 1000}, color_scheme="light", locale="en-GB")
def test_a_person_adds_a_game_and_plays_it_in_the_browser(page: "Page", place: Club, example: str) -> None:
    log_in(page, place, "/program/added/new")
    for name, text in fields(example, "hexapawn", "HexaHand", board="222000111").items():
        if name != "public":
            page.locator(f"[name={name}]:not([type=radio])").fill(text)
    picture(page, "added-form")
    page.get_by_role("button", name="Check and add").click()
    page.wait_for_url(re.compile(r"/program/added/\d+"))
    page.get_by_role("button", name="Save and check").click()
    page.get_by_text("The programs play together").wait_for()
    picture(page, "added-trial")
    page.get_by_role("link", name="Its sheet, and a new game").click()
    picture(page, "added-sheet")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/games/*")
    step(page, 0)
    page.locator("#lines li.seat1").first.wait_for()
    picture(page, "added-game")


@browsing(viewport={"width": 1280, "height": 1000}, color_scheme="light", locale="en-GB")
def test_a_referee_answers_from_his_frame_in_the_browser(page: "Page", place: Club, example: str) -> None:
    added(place, example, "hexapawn", "HexaFrame", framed="yes", url=f"{example}/hexapawn/framed")
    page.goto(f"{place.site.url}/added/HexaFrame")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/games/*")
    step(page, 0)
    page.locator("#lines li.seat1").first.wait_for()
    page.locator("#lines li.seat2").nth(1).wait_for()
    for _ in range(3):
        if page.locator("#proof").get_attribute("aria-selected") and page.get_by_text("says the referee").count():
            break
        page.wait_for_timeout(300)
        if page.frame_locator(".stage > .frame iframe.shown").locator(".pawn.open").count():
            step(page, 0)
    page.get_by_text("says the referee of the game").first.wait_for()


# ── plans ──────────────────────────────────────────────────────────────────────────────────────────────────────────

REFEREE = RefereeSeat(1, "Nim", "http://127.0.0.1/")
FRAMED = RefereeSeat(1, "Nim", "http://127.0.0.1/", framed=True)
MODEL, ME = EngineSeat(0, "model", "http://127.0.0.1/"), PersonSeat("guest:1", "guest")


def test_plans_of_added_games_are_kept_and_turned() -> None:
    plan = MatchPlan(Added(key="Nim"), (MODEL, ME, FRAMED))
    assert read_plan(plan.text()) == plan
    assert plan.turned == (ME, MODEL, FRAMED)


@pytest.mark.parametrize(
    ("game", "sitters", "event"),
    [
        (Added(key="Nim"), (MODEL, REFEREE, ME), ""),
        (Added(key="Nim"), (MODEL, ME, ME), ""),
        (Added(key="Nim"), (HouseSeat(1), ME, REFEREE), ""),
        (Added(key="Nim"), (MODEL, MODEL, FRAMED), ""),
        (Added(key="Nim"), (MODEL, ME, FRAMED), "a cup"),
        (AddedPair(key="Nim"), (MODEL, ME, FRAMED), ""),
    ],
)
def test_referees_sit_where_they_belong_and_browsers_are_trusted_with_nothing(
    game: Added, sitters: tuple[object, ...], event: str
) -> None:
    with pytest.raises(TermsError):
        MatchPlan(game, sitters, event=event)  # type: ignore[arg-type]


# ── what its owner and its visitors may do ─────────────────────────────────────────────────────────────────────────


def test_only_the_owner_of_a_game_sees_what_its_referee_was_asked(place: Club, example: str) -> None:
    added(place, example, "hexapawn", "HexaTrace")
    visitor = place.visitor("Max")
    begun = visitor.post("/added/HexaTrace", {"one": "model", "two": "model"}, page="/added/HexaTrace").headers["location"]
    ended(visitor, begun)
    assert visitor.get(f"{begun}/trace/2").status == 403
    assert "trace/2" not in visitor.get(begun).text
    zoe = place.visitor("Zoe")
    assert f"{begun}/trace/2" in zoe.get(begun).text
    shown = zoe.get(f"{begun}/trace/2")
    assert shown.status == 200
    assert "ReturnURL" in shown.text
    again = zoe.post(f"{begun}/trace/2", {"sequence": "1"}, page=f"{begun}/trace/2")
    assert again.status == 200
    assert "=TEST" in again.text


def test_a_photograph_leads_back_to_the_sheet(place: Club, example: str) -> None:
    added(place, example, "hexapawn", "HexaPhoto")
    visitor = place.visitor()
    begun = visitor.post("/added/HexaPhoto", {"one": "model", "two": "model"}, page="/added/HexaPhoto").headers["location"]
    ended(visitor, begun)
    photo = visitor.post(f"{begun}/photo", {"moment": "2"}, page=begun)
    assert photo.headers["location"].startswith("/added/HexaPhoto?start=")
    sheet = visitor.get(photo.headers["location"])
    start = re.search(r'<textarea id="start"[^>]*>([^<]+)<', sheet.text)
    assert start is not None
    fields = {"one": "model", "two": "model", "start": start[1]}
    again = visitor.post("/added/HexaPhoto", fields, page="/added/HexaPhoto")
    assert again.status == 303, again.text
    assert ended(visitor, again.headers["location"])["verdict"]


def test_what_is_not_public_is_its_owners_alone(place: Club, example: str) -> None:
    added(place, example, "hexapawn", "HexaOwn", public="")
    assert place.visitor("Zoe").get("/added/HexaOwn").status == 200
    assert place.visitor("Max").get("/added/HexaOwn").status == 404
    assert "HexaOwn" not in place.visitor("Max").get("/play").text
    assert place.visitor().get("/added/Nothing").status == 404
    assert place.visitor().get("/added/%00").status == 404


def test_strangers_let_no_engine_play_by_its_address(place: Club, example: str) -> None:
    added(place, example, "hexapawn", "HexaUrl")
    fields = {"one": "address", "one_url": f"{example}/hexapawn/engine", "two": "model"}
    refused = place.visitor().post("/added/HexaUrl", fields, page="/added/HexaUrl")
    assert refused.status == 400
    assert "only members" in refused.text
    begun = place.visitor("Max").post("/added/HexaUrl", fields, page="/added/HexaUrl")
    assert begun.status == 303
    assert "says the referee" in str(ended(place.visitor(), begun.headers["location"])["verdict"])


def test_two_boards_stay_secret_from_those_who_watch(place: Club, example: str) -> None:
    added(place, example, "digits", "DigitsHide", game="addedpair")
    max_ = place.visitor("Max")
    begun = max_.post("/added/DigitsHide", {"one": "me", "two": "model"}, page="/added/DigitsHide").headers["location"]
    said = 0
    while said != 201:
        said = max_.post(f"{begun}/move", {"move": "739"}, page=begun).status
    arena = place.site.site.state.house.arena
    name = begun.rpartition("/")[2]
    while len(arena.live(name).scenes("spectator")) < 4:  # both boards are prepared and judged
        sleep(0.01)
    truth = arena.live(name).moments[-1].affairs.truth
    assert truth.trays[0] == "739"
    for scene in arena.live(name).scenes("spectator"):
        assert scene.view.trays == ("", "")
        assert all("739" not in line.text for line in scene.lines)
    assert all(truth.trays[1] not in scene.view.trays for scene in arena.live(name).scenes(0)[4:])
