"""Competitions, classes, the league and the operator's work through the site for programs."""

import json
import sys
import zipfile
from collections.abc import Iterator
from io import BytesIO
from time import sleep

import pytest

from arbitre.client import Client
from arbitre.elections.lots import lot_terms
from arbitre.elections.payload import new_opening, write_commit, write_reveal
from arbitre.site.tokens import Scope
from arbitre.web.visit import SESSION_COOKIE
from tests.tournoyons.test_player import ENGINES, started
from tests.web.programs_of import Doors, doors, refused


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with doors(tmp_path_factory.mktemp("compete")) as found:
        yield found


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Return where engines of every style are."""
    yield from started(sys.executable, "-S", str(ENGINES / "styles.py"))


@pytest.fixture
def olga(place: Doors) -> Iterator[Client]:
    with place.client("olga") as found:
        yield found


@pytest.fixture
def anna(place: Doors) -> Iterator[Client]:
    with place.client("anna") as found:
        yield found


# ── engines ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_engine_is_tried_when_it_is_registered(place: Doors, anna: Client, url: str) -> None:
    good = anna.add_engine("tictactoe", "annas-good", f"{url}/direct", direct=True)
    assert good["state"] == "ok"
    assert anna.add_engine("tictactoe", "annas-good", f"{url}/direct", direct=True)["id"] == good["id"]
    bad = {"game": "tictactoe", "name": "annas-bad", "url": f"{url}/nowhere-at-all", "direct": True}
    assert "tried and is not registered" in refused(422, anna, "POST", "/api/engines", bad)
    kept = anna.ask("POST", "/api/engines", bad | {"anyway": True})
    assert kept["state"] == "broken"
    assert kept["fault"]
    tried = anna.check_engine(kept["id"])
    assert not tried["good"]
    with place.client("anna", "fr") as french:
        told = french.ask("GET", f"/api/engines/{kept['id']}")
        again = french.check_engine(kept["id"])
    assert (told["why"], again["why"]) == (kept["why"], tried["why"]), "codes are the same in every language"
    assert (told["fault"], again["fault"]) != (kept["fault"], tried["fault"]), "and words are not"
    mended = anna.ask("PUT", f"/api/engines/{kept['id']}", bad | {"url": f"{url}/direct"})
    assert mended["state"] == "ok"
    tested = anna.ask("POST", "/api/engines/test", {"game": "tictactoe", "engine": good["id"], "preset": "start"})
    assert tested["good"]
    assert tested["move"]
    with place.client("ben") as ben:
        assert "somebody else's" in refused(403, ben, "POST", f"/api/engines/{good['id']}/check")
        assert ben.ask("GET", f"/api/engines/{good['id']}")["url"] is None
    assert {one["name"] for one in anna.engines(mine=True)} >= {"annas-good", "annas-bad"}
    page = {"game": "tictactoe", "name": "annas-board", "url": f"{url}/direct"}
    assert "not registered" in refused(422, anna, "POST", "/api/interfaces", page)
    assert anna.ask("POST", "/api/interfaces", page | {"anyway": True})["state"] == "broken"


def test_a_match_of_ones_engine_leaves_a_trace_that_can_be_repeated(place: Doors, anna: Client, url: str) -> None:
    engine = anna.add_engine("tictactoe", "annas-traced", f"{url}/direct", direct=True)
    name = anna.call("tictactoe", f"engine:{engine['id']}", "house:1")["name"]
    assert list(anna.follow(name))[-1]["closed"]
    asked = list(anna.trace(name, 0))
    first = next(one for one in asked if one["what"] == "called")
    again = anna.ask("POST", f"/api/matches/{name}/trace/0/{first['sequence']}")
    assert "Game=TEST" in again["called"]
    assert anna.ask("GET", f"/api/engines/{engine['id']}/games")[0]["match"] == name
    with place.client("ben") as ben:
        assert "owner" in refused(403, ben, "GET", f"/api/matches/{name}/trace/0")
    once_more = anna.again(name)
    assert once_more["players"] == anna.match(name)["players"][::-1]


# ── competitions ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_competition_is_changed_held_and_proven(place: Doors, olga: Client, anna: Client, url: str) -> None:
    mine, theirs = (
        site.add_engine("tictactoe", f"cup-{name}", f"{url}/direct", direct=True)
        for name, site in (("olga", olga), ("anna", anna))
    )
    made = olga.announce("cup", "tictactoe", format="knockout", games=2)
    changed = olga.change_competition(made["id"], title="a better cup", format="round-robin", about="all play all", each=2)
    assert (changed["title"], changed["plan"]["format"], changed["each"]) == ("a better cup", "round-robin", 2)
    stays = [(one["opens"], one["begins"], one["plan"]["games"], one["plan"]["clock"]) for one in (made, changed)]
    assert stays[0] == stays[1], "what is not sent stays as it was"
    assert olga.change_competition(made["id"], games=1)["title"] == "a better cup"
    changes = list(anna.pages(f"/api/competitions/{made['id']}/changes"))
    assert [one["after"] for one in changes if one["field"] == "title"] == ["a better cup"]
    where = f"/api/competitions/{made['id']}"
    assert "organiser" in refused(403, anna, "PATCH", where, {"title": "mine now"})
    olga.enter(made["id"], mine["id"])
    entry = anna.enter(made["id"], theirs["id"])
    assert olga.ask("POST", f"/api/entries/{entry['id']}/vote")["votes"] == 1
    olga.ask("DELETE", f"{where}/vote")
    assert [one["votes"] for one in olga.entries(made["id"])] == [0, 0]
    assert anna.ask("GET", f"{where}/draw")["way"] == "seed"
    assert "when it is over" in refused(409, anna, "GET", f"{where}/honours")
    olga.steer(made["id"], "begin")
    assert [*olga.watch(made["id"])][-1]["stage"] == "over"
    assert "cannot be changed" in refused(409, olga, "PATCH", where, {"title": "too late"})
    progress = anna.progress(made["id"])
    assert [row["games"] for row in progress["standings"]] == [1, 1]
    (game,) = anna.pages(f"{where}/games")
    assert game["match"] == progress["games"][0]["match"]
    assert len(game["scores"]) == 2
    honours = anna.honours(made["id"])
    assert honours["verified"] == honours["records"] == 1
    for award in honours["awards"]:
        assert award["match"] in (game["match"], None)
        assert str(award["number"]) in award["words"]
    assert len(anna.ask("GET", f"{where}/draw")["seed"]) == 64
    with zipfile.ZipFile(BytesIO(anna.octets(f"{where}/records"))) as file:
        assert any(game["match"] in name for name in file.namelist())


def test_an_opponent_has_one_identifier_everywhere(place: Doors, olga: Client, anna: Client, url: str) -> None:
    owners = {"olga": olga, "anna": anna}
    engines = {name: site.add_engine("tictactoe", f"one-{name}", f"{url}/direct", direct=True) for name, site in owners.items()}
    made = olga.announce("once", "tictactoe", format="swiss", games=1)
    for name, site in owners.items():
        site.enter(made["id"], engines[name]["id"])
    olga.steer(made["id"], "begin")
    assert [*olga.watch(made["id"])][-1]["stage"] == "over"
    (game,) = anna.pages(f"/api/competitions/{made['id']}/games")
    recorded = place.house.arena.told(game["match"]).match.opening.chairs
    names = [chair.name for chair in recorded]
    assert set(names) == {one["opponent"] for one in engines.values()}, "in the record"
    for name, other in (("olga", "anna"), ("anna", "olga")):
        seat = names.index(engines[name]["opponent"])
        told = next(one["text"] for one in owners[name].trace(game["match"], seat) if one["what"] == "called")
        assert f"&Opponent={engines[other]['opponent']}&" in told, "to engines"
        browser = place.site.client()
        browser.cookies[SESSION_COOKIE] = place.house.community.sessions.start(place.people[name], "").token
        assert f"opponents know it as {engines[name]['opponent']}" in browser.get(f"/program/engines/{engines[name]['id']}").text
        assert engines[name]["opponent"] in browser.get(f"/compete/{made['id']}/standings.csv").text


def test_the_options_of_the_game_change_until_somebody_relies_on_them(place: Doors, olga: Client, url: str) -> None:
    made = olga.announce("signs", "rochambeau", options={"goal": 3})
    where = f"/api/competitions/{made['id']}"
    assert made["plan"]["options"] == {"goal": 3}
    assert place.site.client().get(f"/compete/{made['id']}").status == 200
    changed = olga.change_competition(made["id"], options={"goal": 7, "limit": "50"})
    assert changed["plan"]["options"] == {"goal": 7, "limit": 50}
    assert olga.change_competition(made["id"], format="gauntlet")["plan"] == changed["plan"] | {
        "format": "gauntlet",
        "seeding": "listed",
        "rounds": None,
    }, "what hangs together changes together"
    assert olga.change_competition(made["id"], about="soon")["plan"]["options"] == {"goal": 7, "limit": 50}
    assert "goal" in refused(400, olga, "PATCH", where, {"options": {"goal": "many"}})
    assert "colour" in refused(400, olga, "PATCH", where, {"options": {"colour": "red"}})
    assert olga.change_competition(made["id"], options={})["plan"]["options"] == {}
    fields = [one["field"] for one in olga.pages(f"{where}/changes")]
    assert fields.count("options") == 2
    engine = olga.add_engine("rochambeau", "signs-olga", "http://127.0.0.1:9/x", anyway=True)
    olga.enter(made["id"], engine["id"])
    assert "options" in refused(409, olga, "PATCH", where, {"options": {"goal": 9}})
    assert olga.change_competition(made["id"], options={}, about="later")["about"] == "later", "the same is no change"


def test_contestants_settle_the_draw_themselves(place: Doors, olga: Client, anna: Client, url: str) -> None:
    engines = [
        site.add_engine("tictactoe", f"draw-{name}", f"{url}/direct", direct=True)["id"]
        for name, site in (("olga", olga), ("anna", anna))
    ]
    made = olga.announce("their own draw", "tictactoe", format="round-robin", games=1, draw="contestants")
    where = f"/api/competitions/{made['id']}"
    olga.enter(made["id"], engines[0])
    entry = anna.enter(made["id"], engines[1])
    draw = anna.ask("GET", f"{where}/draw")
    terms = lot_terms(draw["purpose"])
    assert terms.binder(entry["neutral"]).hex() == draw["binders"][entry["neutral"]]
    opening = new_opening(terms, entry["neutral"], bytes(range(32)), terms.least_state)
    assert "No Commit".lower() in refused(400, anna, "POST", f"/api/entries/{entry['id']}/commit", {"payload": "00"}).lower()
    assert "not yours" in refused(403, olga, "POST", f"/api/entries/{entry['id']}/commit", {"payload": "00"})
    anna.ask("POST", f"/api/entries/{entry['id']}/commit", {"payload": write_commit(terms, opening).hex()})
    assert anna.ask("GET", f"{where}/draw")["awaited"] == [entry["neutral"]]
    olga.steer(made["id"], "begin")
    anna.ask("POST", f"/api/entries/{entry['id']}/reveal", {"payload": write_reveal(terms, opening).hex()})
    assert [*olga.watch(made["id"])][-1]["stage"] == "over"
    assert json.loads(anna.ask("GET", f"{where}/draw")["transcript"].splitlines()[0])


def test_people_say_that_they_are_there(place: Doors, olga: Client, anna: Client) -> None:
    made = olga.announce("people", "tictactoe", format="round-robin", games=1, kind="people", clock="1h")
    for site in (olga, anna):
        site.enter(made["id"])
    olga.steer(made["id"], "begin")
    while not (waiting := anna.ask("GET", "/api/me/games")):
        pass
    assert waiting[0]["asks"]
    where = f"/api/competitions/{made['id']}/games/{waiting[0]['number']}/here"
    with place.client("ben") as ben:
        assert "not yours" in refused(403, ben, "POST", where)
    anna.ask("POST", where)
    olga.ask("POST", where)
    while not (name := anna.ask("GET", "/api/me/games")[0]["match"]):
        pass
    assert anna.match(name)["seats"]
    olga.ask("POST", f"/api/competitions/{made['id']}/steer", {"do": "cancel", "why": "it rains"})
    assert next(anna.pages(f"/api/competitions/{made['id']}/changes"))["after"] == "it rains"


# ── classes ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_teacher_runs_a_class(place: Doors, olga: Client, anna: Client, url: str) -> None:
    with place.client("ben") as ben:
        room = olga.ask("POST", "/api/classes", {"name": "8c"})
        where = f"/api/classes/{room['id']}"
        assert refused(404, ben, "GET", where)
        assert refused(410, ben, "POST", "/api/classes/join", {"code": "AAA-AAA-AAA"})
        for site in (anna, ben):
            site.ask("POST", "/api/classes/join", {"code": room["code"]})
        assert "teach" in refused(403, ben, "GET", f"{where}/members")
        assert olga.ask("PUT", where, {"name": "8d"})["name"] == "8d"
        renewed = olga.ask("POST", f"{where}/code", {"seconds": 60})
        assert renewed["code"] != room["code"]
        assert {one["name"] for one in olga.pages(f"{where}/members")} == {"anna", "ben"}
        for name, site in (("anna", anna), ("ben", ben)):
            site.add_engine("tictactoe", f"class-{name}", f"{url}/direct", direct=True)
        held = olga.ask("POST", f"{where}/compete", {"game": "tictactoe"})
        assert [*olga.watch(held["competition"])][-1]["stage"] == "over"
        results = list(olga.pages(f"{where}/results"))
        assert {one["pupil"] for one in results} == {"anna", "ben"}
        olga.ask("PUT", f"{where}/gateway", {"url": "https://school.example/gate"})
        olga.ask("PUT", f"{where}/words", {"words": "ask Olga"})
        key = olga.ask("GET", f"{where}/gateway")["key"]
        assert key
        assert ben.ask("GET", f"{where}/gateway") == {
            "url": "https://school.example/gate",
            "ranges": [],
            "words": "ask Olga",
            "key": None,
        }
        assert olga.ask("POST", f"{where}/gateway/key")["key"] != key
        ben.ask("POST", f"{where}/leave")
        assert refused(404, ben, "GET", where)
        (pupil,) = olga.pages(f"{where}/members")
        olga.ask("DELETE", f"{where}/members/{pupil['id']}")
        assert "name of the class" in refused(400, olga, "DELETE", where)
        olga.ask("DELETE", f"{where}?name=8d")
        assert refused(404, olga, "GET", where)


# ── the operator ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_operator_runs_the_site(place: Doors, olga: Client) -> None:
    with place.client("rex") as rex, Client(place.site.url, place.token("rex", Scope.READ, Scope.TEACH)) as modest:
        assert "no scope operate" in refused(403, olga, "GET", "/api/operator/accounts")
        assert "scope" in refused(403, modest, "GET", "/api/operator/accounts")
        made = rex.ask("POST", "/api/operator/accounts", {"name": "newcomer"})
        assert "/reset/" in made["url"]
        assert "taken" in refused(409, rex, "POST", "/api/operator/accounts", {"name": "newcomer"})
        where = f"/api/operator/accounts/{made['account']['id']}"
        assert rex.ask("PUT", f"{where}/role", {"role": "organiser"})["role"] == "organiser"
        assert rex.ask("PUT", f"{where}/quota", {"engines": 3})["quota"] == 3
        assert rex.ask("PUT", f"{where}/lock", {"why": "come and see me"})["locked"] == "come and see me"
        assert rex.ask("PUT", f"{where}/lock", {"why": ""})["locked"] is None
        assert rex.ask("POST", f"{where}/reset")["url"] != made["url"]
        assert [one["name"] for one in rex.pages("/api/operator/accounts", {"search": "newcom"})] == ["newcomer"]
        assert "name of the account" in refused(400, rex, "POST", f"{where}/erase", {"name": "other"})
        rex.ask("POST", f"{where}/erase", {"name": "newcomer"})
        assert refused(404, rex, "GET", where)
        assert "last operator" in refused(
            403, rex, "PUT", f"/api/operator/accounts/{place.people['rex'].id}/role", {"role": "player"}
        )
        found = rex.ask("GET", "/api/operator/house")
        assert found["called"] >= 0
        assert found["store_octets"] > 0
        room = olga.ask("POST", "/api/classes", {"name": "9a"})
        ranges = f"/api/operator/classes/{room['id']}/ranges"
        assert rex.ask("PUT", ranges, {"ranges": ["10.1.0.0/16"]})["ranges"] == ["10.1.0.0/16"]
        assert "ranges" in refused(400, rex, "PUT", ranges, {"ranges": ["no range"]})
        assert room["id"] in [one["id"] for one in rex.pages("/api/operator/classes")]


def test_health_the_key_and_a_token_that_ends_itself(place: Doors) -> None:
    with place.client() as nobody:
        assert nobody.ask("GET", "/api/health")["status"] == "ok"
        assert nobody.ask("GET", "/api/key")["fingerprint"] == place.house.key.fingerprint
    with Client(place.site.url, place.token("anna", Scope.READ)) as leaked:
        assert leaked.me()["scopes"] == ["read"]
        leaked.ask("DELETE", "/api/me/token")
        assert refused(401, leaked, "GET", "/api/me")


# ── matches ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_invitations_titles_photos_and_what_has_not_begun(place: Doors, anna: Client) -> None:
    with place.client("ben") as ben:
        waiting = anna.call("tictactoe", "me", "friend")["name"]
        code = anna.invite(waiting)["code"]
        assert ben.ask("GET", f"/api/invitations/{code}")["match"] == waiting
        assert ben.accept(code)["seats"] == [1]
        assert refused(410, ben, "POST", f"/api/invitations/{code}/accept")
        assert anna.ask("PUT", f"/api/matches/{waiting}/title", {"title": "the first"})["title"] == "the first"
        assert "called" in refused(403, ben, "PUT", f"/api/matches/{waiting}/title", {"title": "mine"})
        photo = ben.ask("POST", f"/api/matches/{waiting}/photo", {"title": "empty"})
        assert ben.ask("GET", f"/api/photos/{photo['id']}") == photo
        end = {"title": "a short end", "game": "draughts", "state": "W:WK1:BK50", "options": {"plies": 60}}
        kept = ben.ask("POST", "/api/photos", end)
        assert (kept["options"], ben.ask("POST", "/api/photos", end)["id"]) == ({"plies": 60}, kept["id"])
        assert ben.ask("POST", "/api/photos", end | {"options": {}})["id"] != kept["id"]
        assert "not stopped" in refused(400, anna, "POST", f"/api/matches/{waiting}/stop")
        assert "closed" in refused(403, ben, "GET", f"/api/matches/{waiting}/events?eye=first")
        ben.resign(waiting)
        assert list(ben.follow(waiting))[-1]["closed"]
        assert ben.ask("GET", f"/api/matches/{waiting}/finding")["standing"] == "verified"
        called = anna.call("tictactoe", "me", "friend")["name"]
        assert refused(404, ben, "DELETE", f"/api/matches/{called}")
        anna.cancel(called)
        assert refused(404, anna, "GET", f"/api/matches/{called}")
        long = anna.call("draughts", "house:1", "house:1", stepped=True)["name"]
        assert "called" in refused(403, ben, "POST", f"/api/matches/{long}/stop")
        anna.stop(long)
        assert list(anna.follow(long))[-1]["closed"]


def test_the_house_challenges_the_defender_of_a_program(place: Doors) -> None:
    with place.client("anna") as anna, place.client() as nobody:
        begun = anna.ask("POST", "/api/league/challenges", {"address": "127.0.0.1:9"})
        assert (begun["address"], begun["level"], begun["game"]) == ("127.0.0.1:9", 1, None)
        while not (found := nobody.ask("GET", f"/api/league/challenges/{begun['name']}"))["over"]:
            sleep(0.02)
        assert (found["trouble"], found["evidence"]) == ("unreachable", "cannot be reached: Connection refused")
        assert found["why"]["error"] == "Connection refused"
        with place.client("anna", "fr") as french:
            told = french.ask("GET", f"/api/league/challenges/{begun['name']}")
            assert (told["evidence"], told["why"]) == ("ne peut être atteint\N{NO-BREAK SPACE}: connexion refusée", found["why"])
        assert (found["result"], found["report"], found["moves"]) == (None, None, [])
        assert "is no address" in refused(400, anna, "POST", "/api/league/challenges", {"address": "[::1"})
        assert refused(400, anna, "POST", "/api/league/challenges", {"address": "127.0.0.1", "level": 9})
        assert refused(404, nobody, "GET", "/api/league/challenges/nobody")


def test_the_league_is_there(place: Doors) -> None:
    with place.client() as nobody:
        assert nobody.league()["table"] == []
        assert list(nobody.league_games()) == []
        assert nobody.league_pdn() == ""
        assert refused(404, nobody, "GET", "/api/league/games/1")
        assert refused(404, nobody, "GET", "/api/league/player?name=nobody")


def test_a_ranking_has_its_history(place: Doors, anna: Client) -> None:
    found = list(anna.pages("/api/rankings/tictactoe"))
    assert [one["place"] for one in found] == list(range(1, len(found) + 1))
    for one in found[:2]:
        shown = anna.ask("GET", f"/api/rankings/tictactoe/{one['neutral']}")
        assert shown["line"] == one
        assert len(shown["history"]) >= 1
    assert refused(404, anna, "GET", "/api/rankings/tictactoe/nobody")


def test_only_operators_are_offered_the_scope_of_operators(place: Doors) -> None:
    for name, offered in (("rex", True), ("olga", False)):
        client = place.site.client()
        client.cookies[SESSION_COOKIE] = place.house.community.sessions.start(place.people[name], "a test").token
        assert ('value="operate"' in client.get("/account").text) is offered
