"""`arbitre site`: elections, the arcade, the league, added games and competitions of a site from the terminal."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arbitre.cli import run
from arbitre.elections.rooms import Pace
from arbitre.tournament.described import added_keys
from tests.tournoyons.test_player import ENGINES, started
from tests.web.programs_of import Doors, doors

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with doors(tmp_path_factory.mktemp("site")) as found:
        found.house.elections.pace = Pace(3, 5, 3, 0.5, patience=20)
        yield found


Arbitre = Callable[..., str]


@pytest.fixture
def arbitre(place: Doors, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Arbitre:
    """Run a command of `arbitre site` as olga, and return what it printed."""

    def command(*words: str, status: int | None = 0, name: str = "olga") -> str:
        file = tmp_path / name
        file.write_text(place.tokens[name])
        cut = 2 if words[0] in ("added", "arcade", "compete", "elect", "league") else 1
        given = ["site", *words[:cut], "--site", place.site.url, "--token-file", str(file), *words[cut:]]
        ended = run(given)
        assert ended == status or (status is None and ended in (0, 1)), capsys.readouterr()
        found = capsys.readouterr()
        return found.out + found.err if status else found.out

    return command


def test_an_election_from_two_terminals(place: Doors, arbitre: Arbitre, tmp_path: Path) -> None:
    with place.client("anna") as anna:
        room = anna.open_room("who fetches water")
        token = tmp_path / "ben-token"
        token.write_text(place.tokens["ben"])
        other = ["site", "elect", "join", "--site", place.site.url, "--token-file", str(token), room["code"], "Ben"]
        thread = threading.Thread(target=run, args=(other,))
        thread.start()
        starter = threading.Thread(target=_start, args=(place, room["code"]))
        starter.start()
        proof = tmp_path / "proof.jsonl"
        told = arbitre("elect", "join", room["code"], "Olga", "--proof", str(proof))
        thread.join(30)
        starter.join(30)
    assert "┃ VERDICT" in told
    record = next(line for line in told.splitlines() if line.startswith("proof: ")).removeprefix("proof: ")
    assert "wins" in arbitre("elect", "show", record)
    assert json.loads(arbitre("elect", "show", record, "--json"))["name"] == record
    assert run(["verify", str(proof)]) == 4, "intact, by keys that nobody has vouched for"


def _start(place: Doors, code: str) -> None:
    """Begin when both are there."""
    with place.client("anna") as anna:
        while len(anna.room(code)["people"]) < 2:
            pass
        anna.start_room(code)


def test_lots_are_drawn(arbitre: Arbitre) -> None:
    *order, proof = arbitre("elect", "draw", "Ada", "Bo").splitlines()
    assert sorted(order) == ["Ada", "Bo"]
    assert proof.startswith("proof: ")
    assert "400" in arbitre("elect", "draw", "Ada", status=1)


def test_the_arcade(arbitre: Arbitre) -> None:
    told = arbitre("arcade", "play", "--level", "facile", "--bot", "nightmare", "--name", "olga", status=None)
    match = told.split("record: ")[1].strip()
    assert "┃ VERDICT" in told
    arbitre("arcade", "fame")
    assert "verified" in arbitre("arcade", "record", match, "--story")
    assert match in arbitre("arcade", "record", match)
    assert "no level" in arbitre("arcade", "play", "--level", "easy", status=1)


def test_the_league(arbitre: Arbitre) -> None:
    assert "0 games confirmed" in arbitre("league", "table")
    assert arbitre("league", "games") == ""
    assert "404" in arbitre("league", "pdn", "7", status=1)


def test_added_games(place: Doors, arbitre: Arbitre) -> None:
    programs = ("--referee", f"{NOWHERE}/r", "--engine", f"{NOWHERE}/e", "--interface", f"{NOWHERE}/i")
    assert "model interface" in arbitre("added", "check", "Nothing", *programs, status=1)
    assert "422" in arbitre("added", "add", "Nothing", *programs, "--about", "nothing there", status=1)
    with place.client("olga") as olga:
        addresses = {"url": f"{NOWHERE}/r", "engine": f"{NOWHERE}/e", "interface": f"{NOWHERE}/i"}
        olga.add_game(name="Kept", about="a sheet", anyway=True, **addresses)
    assert "Kept" in arbitre("added", "list")
    assert "a sheet" in arbitre("added", "show", "kept")
    assert "┃ BROKEN" in arbitre("added", "show", "kept")
    assert "added by olga, who runs its referee" in arbitre("added", "show", "kept")
    assert added_keys(arbitre("added", "show", "kept", "--json")) == {
        "game": "added",
        "options": {"key": "Kept", "simultaneous": False, "board": ""},
        "referee": f"{NOWHERE}/r",
    }, "a tournament in the terminal reads what the site says"
    assert "referee" not in added_keys(arbitre("added", "show", "kept", "--json", name="anna")), "somebody else's address"
    assert "no added game" in arbitre("added", "play", "Unknown", "model", "model", status=1)
    called = json.loads(arbitre("added", "play", "kept", "me", "friend", "--json"))
    assert called["state"] == "waiting"


def test_competitions(place: Doors, arbitre: Arbitre) -> None:
    with place.client("olga") as olga:
        made = olga.announce("a cup", "tictactoe")["id"]
    refused = arbitre("register", "tictactoe", "cli-engine", f"{NOWHERE}/x", "--direct", status=1)
    assert "tried and is not registered" in refused
    kept = arbitre("register", "tictactoe", "cli-engine", f"{NOWHERE}/x", "--direct", "--anyway")
    assert "┃ BROKEN" in kept
    engine = kept.split(",")[0].removeprefix("engine ")
    assert "a cup" in arbitre("compete", "list", "--stage", "open")
    assert "cli-engine" in arbitre("compete", "enter", str(made), engine)
    assert arbitre("compete", "standings", str(made)) == "open\n"
    assert json.loads(arbitre("compete", "standings", str(made), "--json"))["standings"] == []


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    yield from started(sys.executable, "-S", str(ENGINES / "styles.py"))


def test_a_competition_from_the_announcement_to_the_proof(arbitre: Arbitre, url: str, tmp_path: Path) -> None:
    terms = ("--format", "round-robin", "--games", "1", "--each", "2")
    made = json.loads(arbitre("compete", "announce", "from here", "tictactoe", *terms, "--json"))
    for name in ("proof-one", "proof-two"):
        engine = arbitre("register", "tictactoe", name, f"{url}/direct", "--direct").split(",")[0].removeprefix("engine ")
        arbitre("compete", "enter", str(made["id"]), engine)
    assert arbitre("compete", "steer", str(made["id"]), "begin") == "running\n"
    told = arbitre("compete", "follow", str(made["id"])).splitlines()
    assert "proof-one" in told[0]
    assert told[-1] == "over"
    table = arbitre("compete", "standings", str(made["id"])).splitlines()
    assert table[0] == "over"
    assert [line.split()[1] for line in table[1:3]] in (["proof-one", "proof-two"], ["proof-two", "proof-one"])
    assert any(line.startswith("  ★  proof-") for line in table), table
    assert table[-1] == "1 of 1 records verified"
    folder = tmp_path / "proof"
    assert "records: 1;" in arbitre("compete", "records", str(made["id"]), str(folder))
    key = arbitre("key").strip()
    assert run(["tournament", "judge", str(folder)]) == 0
    assert run(["verify", "--key", key, str(folder / "records")]) == 0
    assert run(["verify", "--key", key, str(folder)]) == 2, "where no record is, none was verified"


def test_options_and_links_of_a_competition(arbitre: Arbitre) -> None:
    told = arbitre("compete", "announce", "signs", "rochambeau", "--option", "goal=5", "--unlisted")
    assert "/compete/join/" in told
    assert "KEY=VALUE" in arbitre("compete", "announce", "signs", "rochambeau", "--option", "goal", status=1)
    assert "400" in arbitre("compete", "announce", "signs", "rochambeau", "--option", "goal=many", status=1)
    number = told.partition(":")[0].removeprefix("competition ")
    assert arbitre("compete", "steer", number, "cancel", "--why", "it rains") == "cancelled\n"
