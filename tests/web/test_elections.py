"""Elections on the site, with a real server and real browsers: three phones, one that vanishes, the proof, the quick choice."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbitre.elections.rooms import ROOMS_EACH, Pace
from arbitre.reasons import Reason
from tests.browser import browsing, picture, visitor
from tests.web.site import Client, Running, quiet, running

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize

PHONE: "ViewportSize" = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return a site whose elections do not wait long for those who have vanished."""
    with running(quiet(tmp_path_factory.mktemp("hall"))) as site:
        site.site.state.house.elections.pace = Pace(20, 20, 4, 1, patience=60)
        yield site


def verified(site: Running, path: str, tmp_path: Path) -> str:
    """Download the transcript of a record and let the command verify it; return its line."""
    file = tmp_path / "election.jsonl"
    file.write_bytes(site.client().get(path + "/transcript").body)
    command = [sys.executable, "-m", "arbitre", "verify", str(file)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout


# ── a room of phones ───────────────────────────────────────────────────────────────────────────────────────────────


def watched(page: "Page", complaints: list[str]) -> "Page":
    page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page


@contextmanager
def phones(page: "Page", site: Running, names: tuple[str, ...], complaints: list[str]) -> Iterator[dict[str, "Page"]]:
    """Open a room on the first phone, and let the others join by its code."""
    found = {names[0]: watched(page, complaints)}
    browser = page.context.browser
    assert browser is not None
    page.goto(site.url + "/elections")
    page.get_by_label("What is to be chosen?").fill("Who brings the cake")
    page.get_by_role("button", name="Open a room").click()
    code = page.locator(".big-code").inner_text()
    with ExitStack() as others:
        for name in names[1:]:
            other = others.enter_context(visitor(browser, viewport=PHONE, locale="en-GB"))
            found[name] = watched(other, complaints)
            other.goto(site.url + "/elections")
            other.get_by_label("Code").fill(code.lower())
            other.get_by_role("button", name="Join").click()
        for name, one in found.items():
            one.get_by_label("Your name").fill(name)
            one.get_by_role("button", name="Join").click()
            one.locator(".person.mine").wait_for()
        yield found


@browsing(viewport=PHONE, locale="en-GB")
def test_three_phones_elect_one_of_them(page: "Page", hall: Running, tmp_path: Path) -> None:
    complaints: list[str] = []
    with phones(page, hall, ("Ada", "Zoé", "<b>Bo</b>"), complaints) as found:
        page.locator(".person").nth(2).wait_for()
        picture(page, "election-phone-lobby")
        found["Zoé"].reload()
        found["Zoé"].locator(".person.mine").wait_for()
        page.get_by_role("button", name="Start the election").click()
        winners, groups = set(), set()
        for name, one in found.items():
            one.locator('#room[data-over="yes"]').wait_for(state="attached")
            assert "finds the same" in one.locator(".checked").inner_text(), name
            winners.add(one.locator("#verdict .name").inner_text())
            groups.add(one.locator("#group").get_attribute("title"))
            assert one.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert one.evaluate("localStorage.length") == 0, "secrets are forgotten when it is over"
        assert len(winners) == len(groups) == 1
        assert winners <= {"Ada", "Zoé", "<b>Bo</b>"}
        picture(page, "election-phone-over")
        late = page.context.new_page()
        late.goto(page.url)
        late.locator('#room[data-over="yes"]').wait_for(state="attached")
        assert {late.locator("#verdict .name").inner_text()} == winners, "whoever comes late works it out from the log"
        late.close()
        page.get_by_role("link", name="See the proof").click()
        page.locator('#result[data-shown="yes"]').wait_for()
        assert "finds the same" in page.locator("#checked").inner_text()
        picture(page, "election-phone-proof")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        line = verified(hall, "/" + page.url.partition("://")[2].partition("/")[2], tmp_path)
        assert "intact: election, 3 parties" in line
        assert f"{winners.pop()} wins after" in line
        assert f"signed by the group {groups.pop()}" in line
        assert complaints == []


@pytest.mark.campaign
@browsing(viewport=PHONE, locale="en-GB")
def test_a_phone_that_vanishes_after_its_commit_is_named(page: "Page", hall: Running, tmp_path: Path) -> None:
    complaints: list[str] = []
    with phones(page, hall, ("Ada", "Bob", "Gone"), complaints) as found:
        gone = found["Gone"]
        count = 0

        def hush(route: "object") -> None:
            """Let HELLO and COMMIT through, then nothing: the phone has fallen into the water."""
            nonlocal count
            count += 1
            if count <= 2:
                route.continue_()  # type: ignore[attr-defined]
            else:
                route.abort()  # type: ignore[attr-defined]

        gone.route("**/packet", hush)
        page.get_by_role("button", name="Start the election").click()
        found["Bob"].reload()  # in the middle of it: the key and the choice are taken up again
        for name in ("Ada", "Bob"):
            found[name].locator('#room[data-over="yes"]').wait_for(state="attached")
            assert "unheard: sealed, then no word" in found[name].locator(".person", has_text="Gone").inner_text()
            assert found[name].locator("#verdict .name").inner_text() in ("Ada", "Bob")
        picture(page, "election-phone-vanished")
        page.get_by_role("link", name="See the proof").click()
        page.locator('#result[data-shown="yes"]').wait_for()
        assert "Gone" in page.locator(".voice.bad").inner_text()
        line = verified(hall, "/" + page.url.partition("://")[2].partition("/")[2], tmp_path)
        assert "intact" in line
        assert "unheard: Gone" in line


@pytest.mark.campaign
@browsing(viewport=PHONE, locale="en-GB")
def test_a_phone_that_hears_too_few_verdicts_is_undecided_and_says_so(page: "Page", hall: Running, tmp_path: Path) -> None:
    """Bob's verdict never leaves his phone: of two both must sign, so Ada names nobody, nor does the room."""
    with phones(page, hall, ("Ada", "Bob"), []) as found:
        count = 0

        def hush(route: "object") -> None:
            """Let HELLO, Commit, echo and Reveal through, and then nothing."""
            nonlocal count
            count += 1
            if count <= 4:
                route.continue_()  # type: ignore[attr-defined]
            else:
                route.abort()  # type: ignore[attr-defined]

        found["Bob"].route("**/packet", hush)
        page.get_by_role("button", name="Start the election").click()
        page.locator('#room[data-over="yes"]').wait_for(state="attached")
        assert "Undecided" in page.locator("#verdict .eyebrow").inner_text()
        assert page.locator("#verdict .name").inner_text() == ""
        page.get_by_role("link", name="See the proof").click()
        page.locator(".voice.bad").first.wait_for()
        assert "1 of 2 parties signed this verdict" in page.locator(".voice.bad").first.inner_text()
        assert page.locator(".verdict").count() == 0
        line = verified(hall, "/" + page.url.partition("://")[2].partition("/")[2], tmp_path)
        assert "incomplete" in line


@browsing(viewport={"width": 1280, "height": 900}, locale="fr-FR", color_scheme="dark")
def test_the_doors_and_a_quick_choice_on_a_desk(page: "Page", hall: Running, tmp_path: Path) -> None:
    complaints: list[str] = []
    watched(page, complaints)
    page.goto(hall.url + "/elections")
    assert page.locator(".steps h3").all_inner_texts()[-1] == "Vérifier", "no king is in check"
    picture(page, "election-desk-doors")
    page.get_by_label("Les noms, un par ligne").fill("Ada\nBlaise\nEmmy\nÉvariste")
    page.get_by_role("button", name="Tirer au sort").click()
    page.locator('#result[data-shown="yes"]').wait_for()
    picture(page, "election-desk-quick")
    assert page.locator(".order li").count() == 4
    assert page.locator(".order li b").first.inner_text() == page.locator(".verdict .name").inner_text()
    assert "trouve de même" in page.locator("#checked").inner_text()
    assert "intact" in verified(hall, "/" + page.url.partition("://")[2].partition("/")[2], tmp_path)
    assert complaints == []


# ── without a browser ──────────────────────────────────────────────────────────────────────────────────────────────


def opened(client: Client) -> str:
    """Open a room; return its path."""
    answer = client.post("/elections/rooms", {"title": "who goes"}, page="/elections")
    assert answer.status == 303
    return answer.headers["location"]


def test_a_room_has_a_code_of_forty_bits_and_only_its_organiser_starts_it(hall: Running) -> None:
    one, two = hall.client(), hall.client()
    path = opened(one)
    assert re.fullmatch(r"/elections/rooms/[2-9A-HJ-NP-Z]{8}", path)
    key = "ab" * 32
    for client, name in ((one, "Ada"), (two, "Bob")):
        assert client.post(path + "/join", {"name": name, "key": key}, page=path, Accept="application/json").status == 201
    assert b"whoever opened" in two.post(path + "/start", page=path, Accept="application/json").body
    said = two.post(path + "/join", {"name": "ADA", "key": key}, page=path, Accept="application/json")
    assert (said.status, "already" in said.text) == (400, True)
    assert one.post(path + "/start", page=path, Accept="application/json").status == 201
    late = hall.client().post(path + "/join", {"name": "Late", "key": key}, page=path, Accept="application/json")
    assert "begun without you" in late.text


@pytest.mark.parametrize(
    ("door", "fields"),
    [
        ("join", {"name": "", "key": "ab" * 32}), ("join", {"name": "x" * 41, "key": "ab" * 32}),
        ("join", {"name": "a\u202eb", "key": "ab" * 32}), ("join", {"name": "Ada", "key": "zz"}), ("join", {}),
        ("start", {}), ("packet", {"packet": "!"}), ("packet", {"packet": "A" * 40_000}), ("packet", {}),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(hall: Running, door: str, fields: dict[str, str]) -> None:
    hall.site.state.house.elections.rooms.clear()
    client = hall.client()
    path = opened(client)
    answer = client.post(f"{path}/{door}", fields, page=path, Accept="application/json")
    assert answer.status == 400
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("path", ["/elections/rooms/AAAAAAAA", "/elections/records/none", "/elections/records/..%2f..%2fsite.key",
                                  "/elections/records/none/transcript", "/elections/rooms/AAAAAAAA/events"])  # fmt: skip
def test_what_is_not_there_is_said_politely(hall: Running, path: str) -> None:
    assert hall.client().get(path).status in (400, 404)


def test_rooms_are_bounded(hall: Running) -> None:
    hall.site.state.house.elections.rooms.clear()
    client = hall.client()
    answers = [client.post("/elections/rooms", {"title": "x"}, page="/elections").status for _ in range(ROOMS_EACH + 2)]
    assert answers == [303] * ROOMS_EACH + [400] * 2
    hall.site.state.house.elections.rooms.clear()


@pytest.mark.parametrize("names", ["", "one", "a\na", "x" * 50 + "\ny", "\n".join(map(str, range(201))), "a\u0007\nb"])
def test_a_quick_choice_needs_names(hall: Running, names: str) -> None:
    answer = hall.client().post("/elections/quick", {"names": names}, page="/elections")
    assert answer.status == 400
    assert 'class="problem"' in answer.text


@pytest.mark.parametrize("path", ["/elections", "room", "record"])
def test_pages_keep_to_the_policy(hall: Running, path: str) -> None:
    hall.site.state.house.elections.rooms.clear()
    client = hall.client()
    if path == "room":
        path = opened(client)
    elif path == "record":
        path = client.post("/elections/quick", {"names": "a\nb"}, page="/elections").headers["location"]
    answer = client.get(path)
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "style=" not in answer.text
    assert not re.search(r"<script(?![^>]*\bsrc=)", answer.text)
    assert not re.search(r"\son\w+=\"", answer.text)


def test_names_are_text(hall: Running) -> None:
    client = hall.client()
    answer = client.post("/elections/quick", {"names": "<script>alert(1)</script>\nBob"}, page="/elections")
    page = client.get(answer.headers["location"]).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_lots_of_contestants_have_a_page(hall: Running, tmp_path: Path) -> None:
    """The one call of a competition: from the contestants' own payloads to an order, with a proof that the site shows."""
    import secrets  # noqa: PLC0415 - as a contestant would

    from arbitre.elections import new_opening, write_commit, write_reveal  # noqa: PLC0415
    from arbitre.elections.lots import lot_terms  # noqa: PLC0415

    purpose, players = "spring cup, seeding", ("ada", "bob", "cleo")
    terms = lot_terms(purpose)
    made = {name: new_opening(terms, name, secrets.token_bytes(32), secrets.randbelow(terms.states)) for name in players}
    commits = {name: write_commit(terms, one) for name, one in made.items()}
    reveals = {name: write_reveal(terms, one) for name, one in made.items() if name != "bob"}
    kept = hall.site.state.house.transcripts.draw(purpose, players, commits, reveals)
    assert kept.lots.order[-1] == "bob", "who does not reveal comes last"
    page = hall.client().get(f"/elections/records/{kept.name}").text
    assert re.findall(r"<li[^>]*><b>(\w+)</b>", page) == list(kept.lots.order)
    assert "unheard: sealed, then no word" in page
    assert "nobody signed it" in verified(hall, f"/elections/records/{kept.name}", tmp_path)


def test_the_room_tells_its_story_from_any_place(hall: Running) -> None:
    """A stream that broke is taken up where it was: the number of the last event is enough."""
    hall.site.state.house.elections.rooms.clear()
    client = hall.client()
    path = opened(client)
    for name in ("Ada", "Adele"):
        client.post(path + "/join", {"name": name, "key": "ab" * 32}, page=path)
    room = hall.site.state.house.elections.room(path.rpartition("/")[2])
    room.close(Reason("election-idle"))
    told = client.get(path + "/events").text
    events = [json.loads(one) for one in re.findall(r"^data: (.*)$", told, re.MULTILINE)]
    idle = "nothing happened here for an hour"
    assert [one.get("people", one.get("why")) for one in events] == [["Ada"], ["Adele"], idle, None]
    rest = client.get(path + "/events", Last_Event_ID="0").text
    assert rest.count("data:") == len(events) - 1
