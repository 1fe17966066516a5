"""Streams of lines are what the description says, line by line; and they end with the token that asked for them."""

from collections.abc import Iterable, Iterator
from itertools import islice
from time import sleep
from typing import Any

import pytest
from msgspec import Struct, convert

from arbitre.client import Client
from arbitre.errors import SiteError
from arbitre.site.tokens import Scope
from arbitre.web.api.arcade import ToldForm
from arbitre.web.api.elections import RoomEvent
from arbitre.web.api.matches import SceneForm
from arbitre.web.api.standings import ChangedForm
from tests.web.programs_of import Doors, doors


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with doors(tmp_path_factory.mktemp("streams")) as found:
        yield found


@pytest.fixture
def olga(place: Doors) -> Iterator[Client]:
    with place.client("olga") as found:
        yield found


def held_to(form: type[Struct], lines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return lines that have the form, and nothing in them that it does not name."""
    found = list(lines)
    assert found
    for line in found:
        convert(line, form)
        assert set(line) <= set(form.__struct_encode_fields__)
    return found


@pytest.mark.parametrize(("game", "clock"), [("tictactoe", "none"), ("tictactoe", "10s/move"), ("kriegspiel", "10m")])
def test_scenes_of_a_match_that_is_played_and_of_one_that_is_over(olga: Client, game: str, clock: str) -> None:
    name = olga.call(game, "me", "house:1", clock=clock)["name"]
    live = held_to(SceneForm, islice(olga.follow(name), 1))
    assert live[0]["n"] == 1
    olga.resign(name)
    over = held_to(SceneForm, olga.follow(name))
    assert over[-1]["closed"]
    assert over[-1]["verdict"]


def test_changes_of_a_competition(olga: Client) -> None:
    number = olga.announce("watched", "tictactoe")["id"]
    olga.steer(number, "cancel", "nobody came")
    assert held_to(ChangedForm, olga.watch(number))[-1]["stage"] == "cancelled"


def test_events_of_a_room(place: Doors, olga: Client) -> None:
    code = olga.open_room("watched")["code"]
    for site, name, key in ((olga, "Olga", "1" * 64), (place.client("anna"), "Anna", "2" * 64)):
        site.ask("POST", f"/api/elections/rooms/{code}/join", {"name": name, "key": key})
        if site is not olga:
            site.close()
    events = olga.room_events(code)
    joined = held_to(RoomEvent, islice(events, 2))
    assert [one["people"] for one in joined] == [["Olga"], ["Olga", "Anna"]]
    olga.start_room(code)
    begun = held_to(RoomEvent, islice(events, 2))
    assert {one["type"] for one in begun} == {"begun", "packet"}


@pytest.mark.parametrize("name", ["olga", ""], ids=["with a token", "without one"])
def test_whoever_leaves_a_room_leaves_nothing_behind(place: Doors, name: str, caplog: pytest.LogCaptureFixture) -> None:
    with place.client("olga") as olga:
        code = olga.open_room("left")["code"]
        olga.ask("POST", f"/api/elections/rooms/{code}/join", {"name": "Olga", "key": "1" * 64})
    room = place.house.elections.room(code)
    with place.client(name) as watcher:
        events = watcher.stream(f"/api/elections/rooms/{code}/events")
        assert next(events)["people"] == ["Olga"]
        assert room.watchers == 1
        events.close()
    while room.watchers and not caplog.records:  # it is noticed soon
        sleep(0.01)
    place.site.client().get("/health")  # one more round of the loop
    assert [one for one in caplog.records if one.levelname == "ERROR"] == []


def test_lines_of_the_arcade(olga: Client) -> None:
    visit = olga.ask("POST", "/api/arcade/visits", {"lines": ["# name Olga", "# begin"]})["visit"]
    lines = olga.follow_lines(f"/api/arcade/visits/{visit}/lines")
    assert held_to(ToldForm, islice(lines, 2))[0]["n"] == 1
    olga.ask("DELETE", f"/api/arcade/visits/{visit}")


def test_an_account_follows_so_many_streams(place: Doors, olga: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arbitre.web.api.common.MOST_STREAMS", 2)
    name = olga.call("tictactoe", "house:1", "house:1", stepped=True)["name"]
    with place.client("olga") as other, place.client() as nobody:
        open_ones = [site.stream(f"/api/matches/{name}/events") for site in (olga, other)]
        for one in open_ones:
            assert next(one)["n"] == 1
        with pytest.raises(SiteError, match="429: an account follows at most 2 streams"):
            next(olga.stream(f"/api/matches/{name}/events"))
        assert next(nobody.stream(f"/api/matches/{name}/events"))["n"] == 1, "others have their own"
        for one in open_ones:
            one.close()
        olga.ask("POST", f"/api/matches/{name}/step?all=true")
        while place.house.listening:  # whoever has left does not count, as soon as it is noticed
            sleep(0.01)
    assert list(olga.follow(name))[-1]["closed"]


def test_a_stream_ends_with_its_token(place: Doors, olga: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arbitre.web.api.common.LOOK_SECONDS", 0.0)
    name = olga.call("tictactoe", "house:1", "house:1", stepped=True)["name"]
    made = place.house.community.tokens.make(place.people["olga"], "lost", (Scope.READ,))
    with Client(place.site.url, made.secret) as lost:
        scenes = lost.follow(name)
        assert next(scenes)["n"] == 1
        place.house.community.tokens.revoke(place.people["olga"], made.token.id)
        olga.ask("POST", f"/api/matches/{name}/step?all=true")
        with pytest.raises(SiteError, match="401"):
            list(scenes)
    assert list(olga.follow(name))[-1]["closed"]
