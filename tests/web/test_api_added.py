"""Added games through the site for programs: tried, added, changed, played to an attested end; nobody else's to change."""

import json
from collections.abc import Iterator
from time import sleep
from typing import Any

import pytest

from arbitre.client import Client
from arbitre.referee.verify import Proof, verify
from tests.web.programs_of import Doors, doors, refused


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with doors(tmp_path_factory.mktemp("added")) as found:
        yield found


@pytest.fixture
def anna(place: Doors) -> Iterator[Client]:
    with place.client("anna") as found:
        yield found


def game(example: str, programs: str, name: str, **more: object) -> dict[str, Any]:
    where = {part: f"{example}/{programs}/{part}" for part in ("engine", "interface")}
    sheet = "Trays, moves and gains are written as the referee says."
    return {"name": name, "url": f"{example}/{programs}/referee", "about": sheet, **where, **more}


KINDS: dict[str, dict[str, Any]] = {
    "hexapawn": {"board": "222000111"},
    "odds": {"simultaneous": True},
    "digits": {"boards": 2},
}


@pytest.mark.parametrize("programs", KINDS)
def test_a_game_is_tried_added_and_played_to_an_attested_end(place: Doors, example: str, anna: Client, programs: str) -> None:
    name = f"{programs.title()}Api"
    fields = game(example, programs, name, **KINDS[programs])
    tried = anna.check_added(**fields)
    assert tried["good"], tried["fault"]
    assert {one["who"] for one in tried["steps"]} == {"interface", "engine 1", "engine 2", "referee"}
    made = anna.add_game(**fields)
    assert anna.add_game(**fields)["id"] == made["id"], "the same game is added once"
    assert made["state"] == "ok"
    with place.client() as nobody:
        shown = nobody.added_game(name.upper())
        assert shown["url"] is None
        assert shown["about"] == fields["about"]
        assert made["id"] in [one["id"] for one in nobody.added()]
    match = anna.call_added(made["id"], "model", "model", key=programs)
    assert anna.call_added(made["id"], "model", "model", key=programs)["name"] == match["name"]
    last = list(anna.follow(match["name"]))[-1]
    assert "says the referee of the game" in last["verdict"]["words"]
    key = place.house.key.fingerprint
    assert verify(anna.record(match["name"]).encode(), given=key).standing is Proof.ATTESTED
    asked = list(anna.trace(match["name"], 2))
    assert any(one["what"] == "called" and "/referee" in one["text"] for one in asked)
    with place.client("ben") as ben:
        assert "owner" in refused(403, ben, "GET", f"/api/matches/{match['name']}/trace/2")


def test_a_program_plays_an_added_game_itself(example: str, anna: Client) -> None:
    made = anna.add_game(**game(example, "hexapawn", "HexapawnMe", board="222000111"))
    name = anna.call_added(made["id"], "me", "model")["name"]
    while anna.match(name)["state"] == "playing":
        turn = anna.turn(name)
        if turn["asked"]:
            anna.resign(name)
            break
    assert list(anna.follow(name))[-1]["closed"]


def test_what_does_not_play_is_refused_or_kept_broken(place: Doors, example: str, anna: Client) -> None:
    wrong = game(example, "hexapawn", "BrokenApi", board="222000111") | {"url": f"{example}/hexapawn/nothing"}
    assert "referee: status 404" in refused(422, anna, "POST", "/api/added", wrong)
    kept = anna.add_game(**wrong, anyway=True)
    assert kept["state"] == "broken"
    assert "status 404" in kept["fault"]
    assert kept["why"]["code"]
    with place.client("anna", "fr") as french:
        told = french.ask("POST", f"/api/added/{kept['id']}/check")
        assert "statut 404" in told["fault"]
        assert told["why"] == kept["why"]
    right = {key: text for key, text in game(example, "hexapawn", "x").items() if key != "name"}
    where = f"/api/added/{kept['id']}"
    with place.client("ben") as ben:
        assert "somebody else's" in refused(403, ben, "PUT", where, right)
        assert "somebody else's" in refused(403, ben, "DELETE", where)
        assert "somebody else's" in refused(403, ben, "POST", f"{where}/check")
    assert anna.ask("PUT", where, right)["state"] == "ok"
    assert anna.ask("POST", f"{where}/check")["good"]
    assert anna.ask("DELETE", where)["retired"]
    assert "retired" in refused(404, anna, "POST", f"{where}/matches", {"seats": [{"who": "model"}, {"who": "model"}]})
    assert where.rpartition("/")[2] in [str(one["id"]) for one in anna.added(mine=True)]


BAD: dict[str, tuple[dict[str, object], str]] = {
    "no name": ({"name": "a b c"}, "letters and digits"),
    "a house game's name": ({"name": "TicTacT0e"}, "house"),
    "no address": ({"url": "ftp://example"}, "url"),
    "a board that cannot be": ({"board": "a/b"}, "board"),
    "both boards in a browser": ({"boards": 2, "framed": True, "anyway": True}, "both boards"),
}


@pytest.mark.parametrize(("wrong", "named"), BAD.values(), ids=BAD)
def test_what_cannot_be_added_is_named(place: Doors, example: str, wrong: dict[str, object], named: str) -> None:
    with place.client("anna") as anna:
        fields = game(example, "hexapawn", "FineApi") | wrong
        answer = place.site.client().ask(
            "POST",
            "/api/added",
            json.dumps(fields).encode(),
            Authorization=f"Bearer {place.tokens['anna']}",
            Content_Type="application/json",
        )
        assert answer.status in (400, 409), answer.text
        assert named in json.loads(answer.text)["error"]
        assert anna.ask("GET", "/api/added?name=FineApi")["items"] == []


def test_programs_register_and_compete_for_an_added_game(place: Doors, example: str, anna: Client) -> None:
    made = anna.add_game(**game(example, "hexapawn", "HexaCup", board="222000111"))
    with place.client("ben") as ben, place.client("olga") as olga:
        engine = f"{example}/hexapawn/engine"
        mine = anna.add_engine("added:HexaCup", "Annas.Pawns", engine)
        theirs = ben.add_engine("added:HexaCup", "Bens.Pawns", engine)
        assert mine["game"] == "added:HexaCup"
        assert ben.check_engine(theirs["id"])["good"]
        refused(400, ben, "POST", "/api/engines", {"game": "added:No", "name": "No.Pawns", "url": engine})
        page = {"game": "added:HexaCup", "name": "Bens.Page", "url": f"{example}/hexapawn/interface"}
        assert ben.ask("POST", "/api/interfaces", page)["game"] == "added:HexaCup"
        seats = [{"who": "engine", "engine": mine["id"]}, {"who": "model"}]
        begun = ben.ask("POST", f"/api/added/{made['id']}/matches", {"seats": seats})
        assert begun["game"] == "added"
        assert begun["referee"] == "anna", "whoever reads a verdict knows on whose word it rests"
        assert "anna" in {one["referee"] for one in ben.ask("GET", "/api/matches?game=added")["items"]}
        cup = {"game": "added:HexaCup", "title": "Pawns by programs", "format": "round-robin", "games": 2}
        number = olga.ask("POST", "/api/competitions", cup)["id"]
        for client, one in ((anna, mine), (ben, theirs)):
            client.enter(number, one["id"])
        olga.change_competition(number, "Pawns by programs, again", format="round-robin", games=2)
        olga.steer(number, "begin")
        while olga.ask("GET", f"/api/competitions/{number}")["stage"] != "over":
            sleep(0.05)
        ranked = anna.ask("GET", "/api/rankings/added:HexaCup")["items"]
        assert sorted(one["name"] for one in ranked) == ["Annas.Pawns", "Bens.Pawns"]
        assert {one["referee"] for one in ranked} == {"anna"}
        assert olga.ask("GET", f"/api/competitions/{number}")["referee"] == "anna"
        assert anna.ask("GET", f"/api/rankings/added:HexaCup/{ranked[0]['neutral']}")["line"]["referee"] == "anna"
        asked = ben.ask("POST", "/api/challenges", {"mine": theirs["id"], "theirs": mine["id"]})
        assert (asked["game"], asked["referee"], asked["fault"]) == ("added:HexaCup", "anna", "")
        assert ben.ask("GET", "/api/challenges")["items"] == [asked]
    refused(404, anna, "GET", "/api/rankings/added:Nothing")
