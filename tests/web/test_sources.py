"""Kept sources over the API: who reads whose, links, what is lent, markup; and sources, classes and engines in `arbitre site`."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arbitre.cli import run
from arbitre.client import Client
from tests.web.programs_of import Doors, doors, refused

Terminal = Callable[..., str]
TEXT = "<script>alert(1)</script>\ndef move(p):\n    return p['any']\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with doors(tmp_path_factory.mktemp("sources")) as found:
        yield found


@pytest.fixture
def anna(place: Doors) -> Iterator[Client]:
    with place.client("anna") as found:
        yield found


@pytest.fixture
def kept(anna: Client) -> int:
    return int(anna.save_source("tictactoe", "corners", "python", TEXT)["source"])


def klass(place: Doors, teacher: str = "olga", pupil: str = "anna") -> int:
    with place.client(teacher) as client, place.client(pupil) as joining:
        found = client.ask("POST", "/api/classes", {"name": "6B"})
        joining.ask("POST", "/api/classes/join", {"code": found["code"]})
        return int(found["id"])


def test_the_owner_and_the_teacher_read_it_and_nobody_else(place: Doors, anna: Client, kept: int) -> None:
    number = klass(place)
    assert anna.source_text(kept) == TEXT
    with place.client("olga") as olga:
        assert olga.source_text(kept) == TEXT
        (row,) = [one for one in olga.sources(number) if one["id"] == kept]
        assert (row["pupil"], row["name"], row["lent"]) == ("anna", "corners", "no")
        found = olga.ask("GET", f"/api/sources/{kept}")
        assert (found["mine"], found["link"]) == (False, None)
        refused(404, olga, "DELETE", f"/api/sources/{kept}")
        refused(404, olga, "PUT", f"/api/sources/{kept}/lent", {"lent": "all"})
        refused(404, olga, "PUT", f"/api/sources/{kept}/link")
    for stranger in ("ben", "tess", "rex"):
        with place.client(stranger) as client:
            for path in ("", "/text", "/versions"):
                refused(404, client, "GET", f"/api/sources/{kept}{path}")
            assert list(client.sources()) == []
    with place.client("ben") as ben:
        refused(403, ben, "GET", f"/api/classes/{number}/sources")
    with place.client("tess") as tess:
        refused(404, tess, "GET", f"/api/classes/{number}/sources")
    with place.client() as nobody:
        refused(401, nobody, "GET", f"/api/sources/{kept}/text")


def test_whoever_has_the_link_reads_it_until_it_ends(place: Doors, anna: Client, kept: int) -> None:
    link = anna.share_source(kept)
    with place.client() as nobody:
        found = nobody.ask("GET", link["url"].removeprefix(place.site.url))
        assert (found["name"], found["text"]) == ("corners", TEXT)
        assert "anna" not in json.dumps(found)
        anna.unshare_source(kept)
        refused(410, nobody, "GET", f"/api/sources/shared/{link['token']}")
        refused(410, nobody, "GET", "/api/sources/shared/AAAA")


def test_what_is_lent_has_an_engine_that_dials_in(anna: Client, kept: int) -> None:
    found = anna.lend_source(kept, "class")
    engine = anna.ask("GET", f"/api/engines/{found['engine']}")
    assert (engine["name"], engine["game"], engine["url"]) == ("corners", "tictactoe", "dial:")
    assert anna.ask("POST", f"/api/sources/{kept}/engine")["id"] == found["engine"]
    anna.retire_engine(found["engine"])
    other = anna.lend_source(kept, "all")["engine"]
    assert other != found["engine"]
    assert anna.ask("GET", f"/api/engines/{other}")["name"].startswith("corners-")
    assert anna.lend_source(kept, "no")["lent"] == "no"


BAD: dict[str, dict[str, Any]] = {
    "too long": {"text": "x" * 65_537},
    "too many octets": {"text": "é" * 40_000},
    "a zero": {"text": "a\0b"},
    "markup in the name": {"name": "<i>corners</i>"},
    "another language": {"language": "perl"},
    "no game": {"game": "golf"},
    "something more": {"owner": 1},
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_what_is_out_of_bounds_is_refused(anna: Client, bad: dict[str, Any]) -> None:
    good = {"game": "tictactoe", "name": "another", "language": "python", "text": TEXT}
    refused(400, anna, "POST", "/api/sources", good | bad)
    assert "another" not in {one["name"] for one in anna.sources()}


def test_sources_from_the_terminal(place: Doors, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    token, file = tmp_path / "token", tmp_path / "edges.py"
    token.write_text(place.tokens["ben"])
    file.write_text("def move(p):\n    return p['any']\n")
    wrong = tmp_path / "edges.txt"
    wrong.write_text("")

    def arbitre(*words: str, status: int = 0) -> str:
        given = ["site", "sources", words[0], "--site", place.site.url, "--token-file", str(token), *words[1:]]
        assert run(given) == status, capsys.readouterr()
        found = capsys.readouterr()
        return found.out + found.err

    number = arbitre("save", "tictactoe", str(file)).split()[1].rstrip(",")
    assert "version 1" in arbitre("save", "tictactoe", str(file))
    assert arbitre("show", number) == file.read_text()
    assert "engine" in arbitre("lend", number, "all")
    assert "edges" in arbitre("list")
    assert json.loads(arbitre("list", "--json"))["lent"] == "all"
    assert arbitre("versions", number).split()[0] == "1"
    assert "/api/sources/shared/" in arbitre("share", number)
    arbitre("share", number, "--end")
    arbitre("remove", number)
    assert arbitre("list") == ""
    arbitre("save", "tictactoe", str(wrong), status=1)


@pytest.fixture
def arbitre(place: Doors, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """Return `arbitre site` as somebody's terminal has it; it returns what was printed."""

    def ran(who: str, *words: str, status: int = 0) -> str:
        (tmp_path / who).write_text(place.tokens[who])
        assert run(["site", *words, "--site", place.site.url, "--token-file", str(tmp_path / who)]) == status, capsys.readouterr()
        found = capsys.readouterr()
        return found.out + found.err

    return ran


def test_a_class_from_the_terminal(place: Doors, arbitre: Terminal, tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("Zoe\n\n Yann \n")
    number, old = arbitre("olga", "classes", "make", "Terminal").split()[:2]
    code = arbitre("olga", "classes", "code", number).split()[1]
    assert code != old
    assert "Terminal" in arbitre("anna", "classes", "join", code)
    assert code not in arbitre("anna", "classes", "list")
    made = [line.split() for line in arbitre("olga", "classes", "prepare", number, str(names)).splitlines()]
    assert [one[1] for one in made] == ["Zoe", "Yann"]
    pupil, name, first = made[0]
    assert arbitre("olga", "classes", "reset", number, pupil).split()[1:] != [name, first]
    assert {"anna", "Zoe", "Yann"} <= set(arbitre("olga", "classes", "members", number).split())
    arbitre("olga", "classes", "remove", number, pupil)
    assert "Zoe" not in arbitre("olga", "classes", "members", number)
    assert json.loads(arbitre("olga", "classes", "lesson", number, "accounts", "--json"))["accounts_only"] is True
    assert arbitre("olga", "classes", "results", number) == ""
    for words in (("members", number), ("prepare", number, str(names)), ("reset", number, pupil), ("compete", number, "reversi")):
        arbitre("tess", "classes", *words, status=1)  # a teacher, but not of this class
    with place.client("ben") as ben:
        engine = str(ben.ask("POST", "/api/engines", {"game": "reversi", "name": "Terminal", "url": "dial:"})["id"])
    token = arbitre("ben", "token", engine)
    assert token.startswith("arbe_")
    assert arbitre("ben", "token", engine) != token
    arbitre("ben", "token", engine, "--end")
    arbitre("anna", "token", engine, status=1)


def test_a_class_is_renamed_left_and_ended_from_the_terminal(arbitre: Terminal) -> None:
    number, code = arbitre("olga", "classes", "make", "Fleeting").split()[:2]
    arbitre("anna", "classes", "join", code)
    assert "Brief" in arbitre("olga", "classes", "rename", number, "Brief")
    for words in (("rename", number, "Mine"), ("gateway", number, "--new-key"), ("end", number, "Brief")):
        for stranger in ("anna", "tess"):
            arbitre(stranger, "classes", *words, status=1)
    url, key = arbitre("olga", "classes", "gateway", number, "--url", "https://school.example/", "--words", "Ask Olga").split()[
        :2
    ]
    shown = arbitre("olga", "classes", "gateway", number, "--new-key").splitlines()
    assert (shown[0], shown[-1], shown[1] != key) == (url, "Ask Olga", True)
    seen = arbitre("anna", "classes", "gateway", number)
    assert (url in seen, shown[1] in seen) == (True, False)  # its key is the teacher's
    assert json.loads(arbitre("olga", "classes", "gateway", number, "--url", "", "--json"))["url"] == ""
    arbitre("anna", "classes", "leave", number)
    assert "Brief" not in arbitre("anna", "classes", "list")
    arbitre("olga", "classes", "end", number, "Fleeting", status=1)  # not its name
    arbitre("olga", "classes", "end", number, "Brief")
    assert "Brief" not in arbitre("olga", "classes", "list")


def test_an_engine_that_dials_in_has_its_program_and_practises_from_the_terminal(place: Doors, arbitre: Terminal) -> None:
    engine = arbitre("ben", "register", "tictactoe", "Dialling", "dial:").split()[1].rstrip(",")
    place.tokens["engine"] = token = arbitre("ben", "token", engine).strip()
    program = arbitre("engine", "dial.py")
    assert (token in program, place.site.url in program) == (True, True)
    compile(program, "dial.py", "exec")
    assert "arbitre site token NUMBER" in arbitre("ben", "dial.py", status=1)  # a person's token is not the engine's
    with place.client("engine") as client:
        lines = client.stream("/api/engines/me/questions")
        waited = threading.Thread(target=lambda: next(lines))
        waited.start()
        while not arbitre("ben", "engines", "--json").count('"present": true'):
            pass
        assert f"{place.site.url}/games/" in arbitre("engine", "practice")
        waited.join()
        lines.close()
