"""The site for programs: what its description promises holds, tokens open what their scopes say, and writes may be repeated."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arbitre.client import Client as Programs
from arbitre.errors import SiteError
from arbitre.reasons import read_plain
from arbitre.referee.verify import Proof, verify
from arbitre.site.accounts import Role
from arbitre.web.house import WebApp
from tests.web.site import Running, quiet, running

SCOPES = ("read", "play", "engines")
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def open_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(quiet(tmp_path_factory.mktemp("site"), pace=1_000_000)) as found:
        yield found


def house(site: Running) -> WebApp:
    found = site.site.state.house
    assert isinstance(found, WebApp)
    return found


@pytest.fixture(scope="module")
def tokens(open_site: Running) -> dict[str, str]:
    """Return a token for each of two people, and one that may only read."""
    community = house(open_site).community
    anna = community.accounts.create("anna", "correct horse", Role.PLAYER)
    ben = community.accounts.create("ben", "battery staple", Role.PLAYER)
    return {
        "anna": community.tokens.make(anna, "all", SCOPES).secret,
        "ben": community.tokens.make(ben, "all", SCOPES).secret,
        "reader": community.tokens.make(anna, "reading", ("read",)).secret,
    }


@pytest.fixture
def anna(open_site: Running, tokens: dict[str, str]) -> Iterator[Programs]:
    with Programs(open_site.url, tokens["anna"]) as found:
        yield found


def test_a_program_plays_a_match_to_its_verified_end(open_site: Running, anna: Programs) -> None:
    match = anna.call("tictactoe", "me", "house:1", title="by a program")
    name = match["name"]
    assert match["seats"] == [0]
    while anna.match(name)["state"] == "playing":
        turn = anna.turn(name)
        if turn["asked"]:
            anna.move(name, turn["legal"][0], turn["ticket"])
    scenes = list(anna.follow(name))
    assert [scene["n"] for scene in scenes] == list(range(1, len(scenes) + 1))
    assert scenes[-1]["closed"]
    over = anna.match(name)
    assert over["head"]
    verdict = over["verdict"]
    assert (verdict["termination"], sorted(verdict["scores"])) in [("rules", ["0", "1"]), ("rules", ["1/2", "1/2"])]
    told = scenes[-1]["verdict"]
    assert str(read_plain(verdict["reason"])) in told["words"]
    assert verdict | {"words": None} == told | {"words": None}
    key = house(open_site).key.fingerprint
    assert verify(anna.record(name).encode(), given=key).standing is Proof.VERIFIED
    assert [one["name"] for one in anna.matches(words="by a prog")] == [name]


def question(program: Programs, name: str) -> Any:
    """Wait until the program is asked, and return what."""
    while not (turn := program.turn(name))["asked"]:
        pass
    return turn


def test_a_move_is_answered_with_the_ruling(open_site: Running, tokens: dict[str, str], anna: Programs) -> None:
    """The umpire's refusals go on with the same question; what is no move in another game is refused with its reason."""
    name = anna.call("kriegspiel", "me", "house:1")["name"]
    for said, made, reason, why, heard in (
        ("e2e5", False, "Illegal move", {"code": "pawn-does-not-move-so"}, "wil"),
        ("e2d3", False, "Not possible", None, "wnp"),
        ("draw", False, None, None, "wof"),
        ("draw", False, "Illegal move", {"code": "offered-already"}, "wil"),
        ("e2e4", True, None, None, "bm0"),
    ):
        ruling = {"made": made, "again": not made, "reason": reason, "why": why, "heard": [heard]}
        turn = question(anna, name)
        assert anna.move(name, said, turn["ticket"])["ruling"] == ruling, said
        assert anna.move(name, said, turn["ticket"])["ruling"] == ruling, "and may be repeated"
    open_ = anna.call("tictactoe", "me", "house:1")["name"]
    ticket = question(anna, open_)["ticket"]
    body = json.dumps({"move": "zz"}).encode()
    told = {"Authorization": f"Bearer {tokens['anna']}", "Content-Type": "application/json"}
    refused = open_site.client().ask("POST", f"/api/matches/{open_}/move", body, **told)
    assert refused.status == 400
    assert json.loads(refused.text)["again"] is True
    assert "zz" in json.loads(refused.text)["error"]
    assert json.loads(refused.text)["code"] == "no-digit"
    missing = open_site.client().get("/api/matches/0123456789abcdef")
    known = {"code": "unknown-record", "fields": {"name": "0123456789abcdef"}}
    assert json.loads(missing.text).items() >= known.items(), "where matches are kept is nobody's to know"
    assert anna.turn(open_)["ticket"] == ticket, "the question stays open"
    assert anna.move(open_, "5")["ruling"] == {"made": True, "again": False, "reason": None, "why": None, "heard": []}


def test_a_match_is_called_once_however_often_it_is_asked_for(anna: Programs) -> None:
    one = anna.call("reversi", "house:1", "house:1", key="k1", stepped=True)
    two = anna.call("reversi", "house:1", "house:1", key="k1", stepped=True)
    assert one["name"] == two["name"]
    with pytest.raises(SiteError, match="another"):
        anna.call("pente", "house:1", "house:1", key="k1")


def test_an_engine_is_registered_once(anna: Programs) -> None:
    one = anna.add_engine("reversi", "deep-pond", f"{NOWHERE}/pond", anyway=True)
    assert anna.add_engine("reversi", "deep-pond", f"{NOWHERE}/pond", anyway=True)["id"] == one["id"]
    with pytest.raises(SiteError, match="409"):
        anna.add_engine("reversi", "deep-pond", f"{NOWHERE}/other", anyway=True)
    assert anna.retire_engine(one["id"])["id"] == one["id"]


def test_tokens_open_what_their_scopes_say(open_site: Running, tokens: dict[str, str]) -> None:
    with Programs(open_site.url, tokens["reader"]) as reader:
        assert reader.me()["name"] == "anna"
        with pytest.raises(SiteError, match="scope"):
            reader.call("reversi", "house", "house")
    with Programs(open_site.url) as nobody:
        assert nobody.games()
        with pytest.raises(SiteError, match="send a token"):
            nobody.me()
    with Programs(open_site.url, "arb_" + "x" * 40) as stranger, pytest.raises(SiteError, match="not known here"):
        stranger.me()


def test_a_question_carries_the_chain_and_a_match_what_is_committed(anna: Programs) -> None:
    match = anna.call("tictactoe", "me", "house:1")
    committed, turn = match["committed"], question(anna, match["name"])
    assert committed["match"] == match["name"]
    assert [len(committed[key]) for key in ("commitment", "referee")] == [64, 64]
    assert len(turn["head"]) == 64
    anna.move(match["name"], turn["legal"][0], turn["ticket"])
    assert question(anna, match["name"])["head"] != turn["head"]


def test_nobody_moves_for_another(open_site: Running, tokens: dict[str, str], anna: Programs) -> None:
    name = anna.call("tictactoe", "me", "house:1")["name"]
    with Programs(open_site.url, tokens["ben"]) as ben:
        assert ben.turn(name) == {"asked": False} | dict.fromkeys(
            ("seat", "turn", "ticket", "position", "legal", "spelling", "head", "offered")
        )
        with pytest.raises(SiteError, match="do not sit"):
            ben.move(name, "5")
        with pytest.raises(SiteError, match="do not sit"):
            ben.resign(name)
    assert anna.resign(name)["name"] == name
    assert anna.resign(name)["name"] == name  # to give up twice is to give up once


def test_a_draw_is_offered_and_taken(open_site: Running, tokens: dict[str, str], anna: Programs) -> None:
    name = anna.call("tictactoe", "me", "friend")["name"]
    code = anna.ask("POST", f"/api/matches/{name}/invite")["code"]
    with Programs(open_site.url, tokens["ben"]) as ben:
        ben.ask("POST", f"/api/invitations/{code}/accept")
        anna.draw(name)
        assert anna.draw(name)["state"] == "playing", "an offer is made once"
        turn = question(anna, name)
        assert not turn["offered"]
        anna.move(name, turn["legal"][0], turn["ticket"])
        assert question(ben, name)["offered"]
        ben.draw(name)
        *_, last = ben.follow(name)
        assert last["verdict"]["termination"] == "agreed"
        assert ben.draw(name)["name"] == name, "what is over stays as it is"
    poker = anna.call("poker", "me", "house:1")["name"]
    question(anna, poker)
    with pytest.raises(SiteError, match="no draw is agreed on"):
        anna.draw(poker)
    anna.resign(poker)


def test_a_secret_game_is_not_told_to_the_other(open_site: Running, tokens: dict[str, str], anna: Programs) -> None:
    name = anna.call("seafight", "me", "house:1")["name"]
    fleet = "V5A01V4B01V3C01V3D01V2E01"
    while not (turn := anna.turn(name))["asked"]:
        pass
    assert turn["legal"] is None  # too many to list
    anna.move(name, fleet, turn["ticket"])
    with Programs(open_site.url, tokens["ben"]) as ben:
        for scene in ben.follow(name):
            assert fleet not in json.dumps(scene)
            if scene["turn"] > 1:
                break
    anna.resign(name)


def test_competitions_and_classes(open_site: Running, tokens: dict[str, str], anna: Programs) -> None:
    community = house(open_site).community
    olga = community.accounts.create("olga", "correct horse battery", Role.TEACHER)
    everything = community.tokens.make(olga, "all", ("read", "play", "engines", "compete", "teach")).secret
    with Programs(open_site.url, everything) as teacher:
        room = teacher.ask("POST", "/api/classes", {"name": "7b"})
        assert teacher.ask("POST", "/api/classes", {"name": "7b"})["id"] == room["id"]
        assert anna.ask("POST", "/api/classes/join", {"code": room["code"]}) == room | {
            "mine": False,
            "accounts_only": None,
            "code": None,
            "expires": None,
        }
        names = [one["name"] for one in teacher.pages(f"/api/classes/{room['id']}/members")]
        assert names == ["anna"]
        cup = {"title": "cup", "game": "tictactoe", "format": "knockout"}
        made = teacher.ask("POST", "/api/competitions", cup)
        assert teacher.ask("POST", "/api/competitions", cup)["id"] == made["id"]
        where = f"/api/competitions/{made['id']}"
        assert teacher.ask("GET", where)["title"] == "cup"
        with pytest.raises(SiteError, match="403"):
            anna.ask("POST", "/api/competitions", cup)
        engine = teacher.add_engine("tictactoe", "olgas-first", f"{NOWHERE}/one", anyway=True)
        while teacher.ask("GET", where)["stage"] == "announced":
            teacher.ask("POST", where + "/steer", {"do": "open"})
        entry = teacher.ask("POST", where + "/enter", {"engine": engine["id"]})
        assert teacher.ask("POST", where + "/enter", {"engine": engine["id"]})["id"] == entry["id"]
        with pytest.raises(SiteError, match="403"):
            teacher.ask("POST", f"/api/entries/{entry['id']}/vote")  # not for one's own
        assert [one["id"] for one in teacher.entries(made["id"])] == [entry["id"]]
        assert teacher.ask("GET", where + "/progress")["standings"] == []
        assert teacher.ask("POST", f"/api/entries/{entry['id']}/withdraw")["withdrawn"]
        assert teacher.ask("POST", where + "/steer", {"do": "cancel"})["stage"] == "cancelled"


def test_the_record_opens_at_the_end(anna: Programs) -> None:
    name = anna.call("draughts", "me", "house:1")["name"]
    with pytest.raises(SiteError, match="409"):
        anna.record(name)
    anna.resign(name)
    for _ in anna.follow(name):
        pass
    assert anna.record(name, "pdn").startswith("[")
    with pytest.raises(SiteError, match="kriegspiel"):
        anna.record(name, "pgn")


# ── the description ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def description(open_site: Running) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(open_site.client().get("/api/schema/openapi.json").text)
    return found


def test_every_path_for_programs_is_described(open_site: Running, description: dict[str, Any]) -> None:
    there = {route.path for route in open_site.site.routes if route.path.startswith("/api/") and "schema" not in route.path}
    described = set(description["paths"])
    assert {path.replace(":str", "").replace(":int", "") for path in there} == described
    assert not any(path for path in described if not path.startswith("/api/"))


# ── the command line ───────────────────────────────────────────────────────────────────────────────────────────────


def test_the_command_line_uses_a_site(open_site: Running, tokens: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(tokens["anna"] + "\n")

    def arbitre(*arguments: str, token: bool = True) -> subprocess.CompletedProcess[str]:
        given = ["--site", open_site.url, *(("--token-file", str(file)) if token else ())]
        command = [sys.executable, "-m", "arbitre", "site", arguments[0], *given, *arguments[1:]]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    called = arbitre("call", "tictactoe", "house:1", "house:1", "--json")
    assert called.returncode == 0, called.stderr
    name = json.loads(called.stdout)["name"]
    followed = arbitre("follow", name)
    assert "┃ VERDICT" in followed.stdout
    assert arbitre("record", name, "--form", "story").stdout.startswith("tictactoe")
    refused = arbitre("call", "tictactoe", "house:1", "house:1", token=False)
    assert refused.returncode == 1
    assert "arbitre: hint: make a token" in refused.stderr
