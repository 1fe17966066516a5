"""Elections through the site for programs: parties agree, each by its own account, and whoever falls silent is named."""

import base64
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbitre.client import Client
from arbitre.client.elections import Held, take_part
from arbitre.crypto.keys import Key
from arbitre.elections.proof import verify_source
from arbitre.elections.rooms import Pace
from arbitre.elections.transcript import open_source
from arbitre.errors import ElectionError, SiteError
from arbitre.referee.verify import Proof
from tests.browser import browsing
from tests.web.programs_of import Doors, doors, refused

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with doors(tmp_path_factory.mktemp("hall")) as found:
        found.house.elections.pace = Pace(3, 5, 2, 0.5, patience=20)
        yield found


class Thread(threading.Thread):
    """A program that takes part."""

    def __init__(self, site: Client, code: str, name: str, start: int = 0) -> None:
        super().__init__(name=name)
        self.site, self.code, self.start_at = site, code, start
        self.held: Held | None = None
        self.error: Exception | None = None
        self.events: list[str] = []

    def run(self) -> None:
        try:
            with self.site:
                self.held = take_part(
                    self.site, self.code, self.name, start=self.start_at, tell=lambda one: self.events.append(one["type"])
                )
        except (ElectionError, SiteError) as error:
            self.error = error


def together(*threads: Thread) -> None:
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
        assert not one.is_alive(), one.name


def test_programs_elect_one_of_them_and_the_proof_holds(hall: Doors, tmp_path: Path) -> None:
    with hall.client("anna") as anna:
        room = anna.open_room("who begins")
        assert room["stage"] == "lobby"
        assert room["organises"]
        parties = [Thread(hall.client(name), room["code"], name.title()) for name in ("ben", "olga")]
        parties.append(Thread(hall.client("anna"), room["code"].lower(), "Anna", start=3))
        together(*parties)
        assert [one.error for one in parties] == [None] * 3
        verdicts = {one.held.verdict.winner for one in parties if one.held}
        records = {one.held.record for one in parties if one.held}
        assert len(verdicts) == len(records) == 1
        (name,) = records
        shown = anna.election(name)
        assert {shown["winner"]} == verdicts <= {"Anna", "Ben", "Olga"}
        assert shown["standing"] == "intact"
        assert anna.room(room["code"])["stage"] == "over"
        file = tmp_path / "election.jsonl"
        file.write_bytes(anna.transcript(name))
        with open_source(file) as source:
            finding = verify_source(source)
        assert finding.standing is Proof.INTACT
        assert finding.verdict is not None
        assert {finding.verdict.winner} == verdicts
        told = list(anna.room_events(room["code"]))
        assert [one["n"] for one in told] == list(range(1, len(told) + 1))
        assert told[-1]["type"] == "over"
        later = list(anna.stream(f"/api/elections/rooms/{room['code']}/events?after={len(told) - 2}"))
        assert later == told[-2:], "whoever was cut off goes on where he was"
        assert refused(404, anna, "GET", "/api/elections/records/none")


def test_whoever_joins_and_says_nothing_is_named(hall: Doors) -> None:
    with hall.client("anna") as anna, hall.client("rex") as rex:
        room = anna.open_room("who stays")
        where = f"/api/elections/rooms/{room['code']}"
        rex.ask("POST", f"{where}/join", {"name": "Silent", "key": Key(bytes(32)).public.hex()})
        parties = [
            Thread(hall.client("ben"), room["code"], "Ben"),
            Thread(hall.client("anna"), room["code"], "Anna", start=3),
        ]
        together(*parties)
        assert [one.error for one in parties] == [None, None]
        assert parties[0].held is not None
        assert anna.election(parties[0].held.record)["excluded"] == {"Silent": "no-commit"}


def test_nobody_speaks_or_starts_for_another(hall: Doors) -> None:
    with hall.client("anna") as anna, hall.client("ben") as ben, hall.client() as nobody:
        room = anna.open_room("who speaks")
        where = f"/api/elections/rooms/{room['code']}"
        key = "ab" * 32
        assert ben.ask("POST", f"{where}/join", {"name": "Ben", "key": key})["name"] == "Ben"
        assert ben.ask("POST", f"{where}/join", {"name": "Ben", "key": key})["people"] == ["Ben"]
        assert "already" in refused(400, anna, "POST", f"{where}/join", {"name": "BEN", "key": key})
        assert "key" in refused(400, anna, "POST", f"{where}/join", {"name": "Anna", "key": "short"})
        assert "starts it" in refused(403, ben, "POST", f"{where}/start")
        assert "two people" in refused(400, anna, "POST", f"{where}/start")
        assert "no part" in refused(400, ben, "POST", f"{where}/packet", {"packet": base64.b64encode(b"x").decode()})
        assert "base64" in refused(400, ben, "POST", f"{where}/packet", {"packet": "!"})
        assert "token" in refused(401, nobody, "POST", f"{where}/join", {"name": "Nobody", "key": key})
        assert nobody.room(room["code"])["people"] == ["Ben"]
        assert ben.ask("POST", f"{where}/leave")["people"] == []
        assert "no room" in refused(404, ben, "GET", "/api/elections/rooms/ZZZZZZZZ")


def test_an_order_is_drawn_and_proven(hall: Doors) -> None:
    with hall.client("anna") as anna:
        drawn = anna.draw_lots(["Ada", "Bo", "Cy"])
        assert sorted(drawn["order"]) == ["Ada", "Bo", "Cy"]
        assert anna.election(drawn["name"]) == drawn
        assert json.loads(anna.transcript(drawn["name"]).splitlines()[0])
        assert "once" in refused(400, anna, "POST", "/api/elections/draws", {"names": ["Ada", "Ada"]})


@browsing(locale="en-GB")
def test_a_person_with_a_browser_and_a_program_elect_one_of_them(page: "Page", hall: Doors) -> None:
    page.goto(hall.site.url + "/elections")
    page.get_by_label("What is to be chosen?").fill("Who explains")
    page.get_by_role("button", name="Open a room").click()
    code = page.locator(".big-code").inner_text()
    page.get_by_label("Your name").fill("Zoé")
    page.get_by_role("button", name="Join").click()
    page.locator(".person.mine").wait_for()
    program = Thread(hall.client("ben"), code, "Program")
    program.start()
    page.locator(".person").nth(1).wait_for()
    page.get_by_role("button", name="Start the election").click()
    page.locator('#room[data-over="yes"]').wait_for(state="attached")
    program.join(60)
    assert program.error is None
    assert program.held is not None
    assert page.locator("#verdict .name").inner_text() == program.held.winner
    assert "finds the same" in page.locator(".checked").inner_text()
