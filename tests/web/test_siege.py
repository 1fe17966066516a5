"""The site besieged: what strangers may not learn, steer, take or use up, tried over HTTP."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from socket import SHUT_RDWR
from threading import Thread
from time import sleep
from typing import Any
from urllib.parse import urljoin
from zlib import crc32

import pytest

from arbitre.errors import ForbiddenAddressError, UnknownRecordError
from arbitre.site.arena.arena import Arena
from arbitre.site.arena.plan import guests_apart
from arbitre.site.settings import Settings
from arbitre.transport.guard import among
from arbitre.transport.limits import Limit
from arbitre.web.lists import card
from tests.web.site import Client, Running, quiet, running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return an open site where nobody plays."""
    with running(quiet(tmp_path_factory.mktemp("siege"))) as found:
        yield found


def begin(client: Client, game: str = "tictactoe", one: str = "me", two: str = "house:1", **more: str) -> str:
    """Begin a game, and return its name."""
    answer = client.post("/play", {"game": game, "one": one, "two": two, **more}, page=f"/play?game={game}")
    assert answer.status == 303, answer.text
    return answer.headers["location"].rpartition("/")[2]


def arena_of(site: Running) -> Arena:
    found = site.site.state.house.arena
    assert isinstance(found, Arena)
    return found


# ── what strangers may not learn ──


def test_a_search_finds_names_and_nothing_behind_them(site: Running) -> None:
    anna = site.client()
    name = begin(anna)
    guest = next(iter(arena_of(site).live(name).sitting.plan.sitters)).who  # type: ignore[union-attr]
    assert [one.name for one in arena_of(site).sittings.search(words="guest")] == [name]
    assert [one.name for one in arena_of(site).sittings.search(words="gue")] == [name]
    for words in ('guest","person":"', f'guest","person":"{guest[:8]}', '"', "guest\\", "gue_t", "%"):
        assert arena_of(site).sittings.search(words=words) == (), words


# ── what strangers may not steer ──


def test_only_whoever_began_a_game_steers_it(site: Running) -> None:
    anna, ben = site.client(), site.client()
    name = begin(anna, one="house:1", two="house:1", stepped="1")
    for what in ("step", "run", "stop"):
        assert ben.post(f"/games/{name}/{what}").status == 403, what
    assert arena_of(site).live(name).gate.stepped
    assert anna.post(f"/games/{name}/step").status == 201
    assert anna.post(f"/games/{name}/stop").status == 303


def test_a_game_is_repeated_only_with_engines_that_one_may_play(site: Running) -> None:
    community = site.site.state.house.community
    owner = community.accounts.create("Owner1", "a-good-Pass7")
    engine = community.engines.add(owner, game="tictactoe", name="Shy", url="http://127.0.0.1:9/", public=True)
    anna = site.client()
    name = begin(anna, one=f"engine:{engine.id}", two="house:1", hidden="1")
    community.engines.edit(owner, engine.id, public=False)
    assert anna.post(f"/games/{name}/again").status == 404
    community.engines.edit(owner, engine.id, public=True)
    repeated = anna.post(f"/games/{name}/again")
    assert repeated.status == 303
    again = arena_of(site).sitting(repeated.headers["location"].rpartition("/")[2])
    assert again.hidden, "what was for those who have the address stays so"


# ── what nobody may use up ──


def test_a_person_begins_so_many_games_and_then_is_told(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arbitre.site.arena.arena.MOST_EACH", 2)
    anna, ben = site.client(), site.client()
    begin(anna)
    waiting = begin(anna, two="friend")
    refused = anna.post("/play", {"game": "tictactoe", "one": "me", "two": "friend"}, page="/play?game=tictactoe")
    assert refused.status == 400
    assert "games that are not over" in refused.text
    begin(ben)
    assert anna.post(f"/games/{waiting}/cancel").status == 303
    begin(anna)


def test_an_address_begins_so_many_games_an_hour(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = site.site.state.house.community.limits
    monkeypatch.setattr(limits, "limits", {**limits.limits, "begin": Limit(1, 3_600)})
    refused = [
        site.client().post("/play", {"game": "tictactoe", "two": "friend"}, page="/play?game=tictactoe") for _ in range(2)
    ][-1]
    assert "come back later" in refused.text


def test_a_full_house_lets_go_of_what_nobody_touches(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    arena = arena_of(site)
    old = begin(site.client())
    monkeypatch.setattr("arbitre.site.arena.arena.MOST_LIVE", len(arena.playing()))
    refused = site.client().post("/play", {"game": "tictactoe"}, page="/play?game=tictactoe")
    assert "try again" in refused.text
    for live in arena.playing():
        live.asked_at -= 3_700 if live.name != old else 7_200
    begin(site.client())
    while arena.sitting(old).state != "over":
        sleep(0.02)
    assert "others wait to play" in site.client().get(f"/games/{old}").text


def test_games_that_wait_for_a_friend_are_bounded(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    first = begin(site.client(), two="friend")
    monkeypatch.setattr("arbitre.site.arena.arena.MOST_WAITING", 1)
    second = begin(site.client(), two="friend")
    with pytest.raises(UnknownRecordError):
        arena_of(site).sitting(first)
    assert arena_of(site).sitting(second).state == "waiting"


def test_nobody_plays_against_oneself(site: Running) -> None:
    refused = site.client().post("/play", {"game": "tictactoe", "one": "me", "two": "me"}, page="/play?game=tictactoe")
    assert refused.status == 400
    assert "You can take one chair" in refused.text


@pytest.mark.parametrize(
    "path",
    [
        "/watch?after={}", "/play?game=reversi&photo={}", "/games/{name}?interface={}", "/games/{name}/events?after={}",
        "/compete?before={}", "/compete/{}", "/program/directory?after={}", "/program/engines/{}", "/program/interfaces/{}",
        "/compete/challenges?engine={}", "/games/{name}/trace/{}", "/operator?after={}", "/compete/new?klass={}",
        "/program/interface-test?interface={}", "/league/games/{}", "/program/engine-test?engine={}",
    ],
)  # fmt: skip
def test_no_number_is_too_large_to_be_refused(site: Running, path: str) -> None:
    client = site.client()
    client.post("/register", {"name": f"N{crc32(path.encode())}", "password": "a-good-Pass7"}, page="/register")
    name = begin(client)
    for number in ("9" * 18, "9" * 19, "9" * 40, "9" * 1_000):
        assert client.get(path.replace("{}", number).replace("{name}", name)).status < 500


class Ear(Thread):
    """Listens to a stream, octet by octet, for some time."""

    def __init__(self, client: Client, path: str) -> None:
        super().__init__(daemon=True)
        self.heard = b""
        self._line = HTTPConnection("127.0.0.1", client.port, timeout=20)
        cookies = "; ".join(f"{name}={text}" for name, text in client.cookies.items())
        self._line.request("GET", path, headers={"Cookie": cookies})
        self._response = self._line.getresponse()
        self.status = self._response.status
        self.start()

    def run(self) -> None:
        """Listen until the line is cut."""
        with suppress(OSError, ValueError, AttributeError, HTTPException):
            while octets := self._response.read1(4096):
                self.heard += octets

    def wait(self, words: bytes) -> None:
        """Return when something was heard."""
        for _ in range(1_000):
            if words in self.heard:
                return
            sleep(0.02)
        raise AssertionError(f"{words!r} never came: {self.heard!r}")

    def close(self) -> None:
        """Cut the line."""
        with suppress(OSError):
            if self._line.sock is not None:
                self._line.sock.shutdown(SHUT_RDWR)
        self.join(5)
        self._response.close()
        self._line.close()


@contextmanager
def hearing(client: Client, path: str) -> Iterator[Ear]:
    """Listen to a stream."""
    ear = Ear(client, path)
    try:
        yield ear
    finally:
        ear.close()


def table_for_two(site: Running, game: str, **more: str) -> tuple[Client, Client, str]:
    """Return two people, and the name of the game between them."""
    anna, ben = site.client(), site.client()
    name = begin(anna, game, two="friend", **more)
    code = re.search(r"/invite/([\w-]+)", anna.post(f"/games/{name}/invite", page=f"/games/{name}").text)
    assert code is not None
    assert ben.post(f"/invite/{code[1]}", page=f"/invite/{code[1]}").status == 303
    return anna, ben, name


def test_tries_that_the_mover_alone_hears_move_nothing_elsewhere(site: Running) -> None:
    """Neither words, nor beats, nor numbers tell the others that somebody tried."""
    anna, ben, name = table_for_two(site, "kriegspiel", **{"option.refusals": "mover"})
    with (
        hearing(anna, f"/games/{name}/events") as hers,
        hearing(ben, f"/games/{name}/events") as his,
        hearing(site.client(), f"/games/{name}/events") as anybodys,
        hearing(site.client(), f"/api/matches/{name}/events") as programs,
    ):
        for ear in (hers, his, anybodys):
            ear.wait(b"id: 1\n")
        programs.wait(b"}\n")
        before = [ear.heard for ear in (his, anybodys, programs)]
        for count, tried in enumerate(("a1a5", "d1d7", "e2d3"), start=2):
            assert anna.post(f"/games/{name}/move", {"move": tried}).status == 201, tried
            hers.wait(f"id: {count}\n".encode())
        assert [ear.heard for ear in (his, anybodys, programs)] == before
        live = arena_of(site).live(name)
        assert card(live.sitting, ("a", "b"), live)["ply"] == 1
        assert anna.post(f"/games/{name}/move", {"move": "e2e4"}).status == 201
        for ear in (his, anybodys):
            ear.wait(b"id: 2\n")


def test_one_address_holds_so_many_streams_open(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = site.client()
    name = begin(anna)
    monkeypatch.setattr(site.site.gate, "most_open", 2)
    with hearing(anna, f"/games/{name}/events") as one, hearing(anna, f"/games/{name}/events") as two:
        one.wait(b"id: 1\n")
        two.wait(b"id: 1\n")
        refused = anna.get("/")
        assert (refused.status, refused.headers["retry-after"]) == (429, "6")
    for _ in range(500):
        if anna.get("/").status == 200:
            break
        sleep(0.02)
    else:
        raise AssertionError("lines that were cut still count")


def test_a_game_that_nobody_could_tire_of_has_an_end(site: Running) -> None:
    endless = {"option.plies": "0", "stepped": "1"}
    alone = arena_of(site).live(begin(site.client(), "kriegspiel", "house:1", "house:1", **endless))
    assert alone.match.opening.terms.turns == 10_000
    watched = arena_of(site).live(begin(site.client(), "kriegspiel", "me", "house:1", **endless))
    assert watched.match.opening.terms.turns is None


# ── what a newcomer finds ──


def test_every_game_of_the_first_page_can_be_played(site: Running) -> None:
    client = site.client()
    found = set(re.findall(r'href="(/play\?game=\w+)"', client.get("/").text))
    assert len(found) >= 10
    assert {path: client.get(path).status for path in found} == dict.fromkeys(found, 200)


def test_no_script_is_loaded_under_two_addresses(site: Running) -> None:
    """A module that listens to the page, loaded twice, asks twice whether one gives up."""
    client = site.client()
    name = begin(client)
    for page in (f"/games/{name}", "/elections", "/arcade", "/arcade/play/Facile"):
        loaded = set(re.findall(r'<script type="module" src="([^"]+)"', client.get(page).text))
        assert loaded, page
        todo, seen = list(loaded), set()
        while todo:
            address = todo.pop()
            if address not in seen:
                seen.add(address)
                found = client.get(address)
                assert found.status == 200, address
                todo += [urljoin(address, one) for one in re.findall(r'^import .* from "([^"]+)"', found.text, re.MULTILINE)]
        listens = {one for one in seen if "site.js" in one}
        assert len(listens) == 1, (page, listens)


def test_games_of_visitors_do_not_stand_for_those_that_the_house_shows(tmp_path: Path) -> None:
    with running(quiet(tmp_path, house_games=1)) as showing:
        anna = showing.client()
        hers = begin(anna, one="house:1", two="house:1", stepped="1", hidden="1")
        assert anna.get("/").status == 200
        assert [one.name == hers for one in arena_of(showing).playing()] == [False, True]
        assert anna.get("/watch/house").headers["location"] == f"/games/{arena_of(showing).playing()[0].name}"


def test_a_game_is_found_by_the_names_that_pages_show(site: Running) -> None:
    client = site.client()
    client.post("/register", {"name": "Zenobia", "password": "a-good-Pass7"}, page="/register")
    community = site.site.state.house.community
    account = community.accounts.all(search="Zenobia")[0]
    engine = community.engines.add(account, game="tictactoe", name="Palmyra", url="http://127.0.0.1:9/", public=True)
    name = begin(client)
    against = begin(client, one=f"engine:{engine.id}", two="house:1")
    assert client.post(f"/games/{name}/resign").status == 303
    while {arena_of(site).sitting(one).state for one in (name, against)} != {"over"}:
        sleep(0.02)
    for words, sought in (("zenob", name), ("Palmyr", against), ("account:1", ""), ("http", ""), ("127.0.0.1", "")):
        page = site.client().get(f"/watch?words={words}").text
        recorded = page.partition('role="search"')[2]  # above are the games that go on, or did so a moment ago
        found = re.findall(r'"small-board" href="/games/(\w+)"', recorded)
        assert found == ([sought] if sought else []), words


def test_whoever_has_no_name_is_called_in_the_language_of_the_page(site: Running) -> None:
    client = site.client()
    name = begin(client)
    page = client.get(f"/games/{name}", Accept_Language="fr").text
    assert "maison 1" in page
    assert "invité" in page
    assert "house 1" not in page
    with hearing(client, f"/games/{name}/events") as ear:
        ear.wait(b"Name2=house%201")


@pytest.mark.parametrize(
    ("settings", "calls"),
    [
        ({}, True),
        ({"host": "localhost"}, True),
        ({"host": "::1"}, True),
        ({"public_url": "http://localhost:8000"}, True),
        ({"host": "192.0.2.7"}, False),
        ({"public_url": "https://games.example"}, False),
        ({"trusted_proxy": ("127.0.0.1",)}, False),
        ({"public_url": "https://games.example", "allow_private": ("127.0.0.0/8",)}, True),
    ],
)
def test_strangers_who_come_by_a_proxy_of_this_machine_do_not_reach_it(settings: dict[str, Any], calls: bool) -> None:
    assert among(ip_address("127.0.0.1"), Settings(**settings).callable) is calls


class Corner(BaseHTTPRequestHandler):
    """An engine on this machine that takes the first cell, and keeps its line open."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1")
        self.end_headers()
        self.wfile.write(b"1")

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(
    ("header", "host"), [("X_Forwarded_For", "localhost"), ("Forwarded", "127.0.0.1"), ("X_Real_IP", "127.0.0.1")]
)
def test_where_a_proxy_speaks_that_is_not_trusted_engines_here_are_closed(
    tmp_path: Path, header: str, host: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Corner)
    Thread(target=server.serve_forever, daemon=True).start()
    with server, running(quiet(tmp_path)) as fresh:
        community = fresh.site.state.house.community
        secret = community.tokens.make(community.accounts.create("Anna", "a-good-Pass7"), "t", ("engines",)).secret
        asked = json.dumps({"game": "tictactoe", "url": f"http://{host}:{server.server_port}/"}).encode()

        def tried() -> dict[str, Any]:
            bearing = {"Authorization": f"Bearer {secret}", "Content_Type": "application/json"}
            found = json.loads(fresh.client().ask("POST", "/api/engines/test", asked, **bearing).text)
            assert isinstance(found, dict)
            return found

        assert tried()["good"], "whoever is at this machine may"
        assert fresh.client().get("/metrics").status == 200
        for _ in range(3):
            assert fresh.client().get("/health", **{header: "203.0.113.7"}).status == 200
        assert "not a public address" in tried()["fault"], "not even over a line that was kept"
        assert fresh.client().get("/metrics").status == 404, "whoever seems to be here may be anybody"
        told = [one for one in caplog.records if "trusted-proxy" in one.getMessage()]
        assert len(told) == 1, "once, not for every request"
        server.shutdown()


def test_what_the_operator_lists_stays_open_behind_any_proxy(tmp_path: Path) -> None:
    with running(quiet(tmp_path, allow_private=("127.0.0.0/8",))) as fresh:
        fresh.client().get("/health", X_Forwarded_For="203.0.113.7")
        guard = fresh.site.state.house.switchboard.guard
        guard.check("127.0.0.1")
        with pytest.raises(ForbiddenAddressError):
            guard.check("::1")


def test_a_game_that_is_over_is_worked_out_once_for_all_who_look(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    client = site.client()
    name = begin(client)
    assert client.post(f"/games/{name}/resign").status == 303
    while arena_of(site).sitting(name).state != "over":
        sleep(0.02)
    first = client.get(f"/games/{name}"), client.get(f"/games/{name}/events?eye=referee")

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("worked out again")

    monkeypatch.setattr("arbitre.site.proofs.verify", refuse)
    monkeypatch.setattr("arbitre.site.arena.arena.scenes", refuse)
    assert client.get(f"/games/{name}").status == 200
    assert client.get(f"/games/{name}/events?eye=referee").body == first[1].body
    later = client.get(f"/games/{name}/events?eye=referee&after=1").text
    assert "id: 1\n" not in later
    assert "id: 2\n" in later


def test_what_is_nested_too_deeply_is_refused(site: Running) -> None:
    community = site.site.state.house.community
    account = community.accounts.create("Nester", "a-good-Pass7")
    secret = community.tokens.make(account, "deep", ("read", "play", "engines"), None).secret
    for path in ("/api/matches", "/api/engines", "/api/photos"):
        deep = site.client().ask("POST", path, b"[" * 100_000, Authorization=f"Bearer {secret}", Content_Type="application/json")
        assert (deep.status, deep.text) == (400, '{"error":"what was sent is nested too deeply"}')


def test_the_address_of_a_game_does_not_follow_from_its_key(tmp_path: Path) -> None:
    names = set()
    for folder in ("one", "two"):
        with running(quiet(tmp_path / folder)) as fresh:
            community = fresh.site.state.house.community
            account = community.accounts.create("Keymaker", "a-good-Pass7")
            secret = community.tokens.make(account, "t", ("read", "play", "engines"), None).secret
            sent = b'{"game":"tictactoe","seats":[{"who":"me"},{"who":"house"}],"hidden":true}'
            for _ in range(2):
                called = fresh.client().ask(
                    "POST", "/api/matches", sent, Authorization=f"Bearer {secret}", Content_Type="application/json",
                    Idempotency_Key="1",
                )  # fmt: skip
                assert called.status == 201
                names.add(re.findall(r'"name":"(\w+)"', called.text)[0])
    assert len(names) == 2, "one of each site, though called twice there"


def test_two_guests_are_told_apart(site: Running) -> None:
    one, two = site.client(), site.client()
    name = begin(one, two="friend")
    link = re.search(r"/invite/[\w-]+", one.post(f"/games/{name}/invite", page=f"/games/{name}").text)
    assert link is not None
    assert two.post(link[0], page=link[0]).status == 303
    assert "<title>guest A – guest B" in one.get(f"/games/{name}").text
    assert "<title>invité A – invité B" in two.get(f"/games/{name}", Accept_Language="fr").text
    chairs = arena_of(site).sitting(name).plan.chairs()
    assert [chair.name for chair in chairs] == ["guest A", "guest B"], "in the record too"
    alone = begin(site.client())
    assert "<title>guest – house 1" in one.get(f"/games/{alone}").text
    assert guests_apart([True] * 28)[-3:] == ("Z", "AA", "BB")
