"""`arbitre rochambeau` at the command line: what it prints, and how it exits."""

import json
from pathlib import Path
from random import Random

import pytest

from arbitre.cli import run
from arbitre.elections import Mode, Terms
from arbitre.elections.transcript import Entry, Header
from tests.elections.forge import entries, openings, written


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))


def arbitre(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    status = run(["rochambeau", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def test_settle_says_the_winner_first(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    terms = Terms(17)
    path = written(tmp_path / "t", Header(terms), entries(terms, openings(terms, 6)))
    status, out, _ = arbitre(capsys, "settle", path)
    assert status == 0
    assert out.startswith("winner: p")
    assert "round 1: 6 players" in out
    status, out, _ = arbitre(capsys, "settle", path, "--json")
    found = json.loads(out)
    assert found["winner"] in {f"p{index}" for index in range(6)}
    assert found["rounds"][0]["round"] == 1
    assert len(found["rounds"][0]["table"]) == 6
    assert found["excluded"] == []


def test_settle_names_the_excluded(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    terms = Terms(17)
    lines = [*entries(terms, openings(terms, 3)), Entry("x\x1b[31m", b"\0\1", None)]
    path = written(tmp_path / "t", Header(terms), lines)
    _, out, _ = arbitre(capsys, "settle", path)
    assert "malformed commit" in out
    assert "\x1b" not in out, "a name does not colour the terminal"
    _, out, _ = arbitre(capsys, "settle", path, "--json")
    assert json.loads(out)["excluded"][0]["why"] == "malformed-commit"


@pytest.mark.parametrize(("lines", "status"), [("nobody", 3), ("tie", 4), ("broken", 1)])
def test_settle_exits_by_result(capsys: pytest.CaptureFixture[str], tmp_path: Path, lines: str, status: int) -> None:
    terms = Terms(17)
    (one,) = entries(terms, openings(terms, 1))
    content = {"nobody": [Entry("a", one.commit, None)], "tie": [one, Entry("b", one.commit, one.reveal)], "broken": []}[lines]
    path = written(tmp_path / "t", Header(terms), content)
    if lines == "broken":
        path.write_text("{")
    found, out, err = arbitre(capsys, "settle", path)
    assert found == status
    assert ("winner: nobody" in out) == (lines != "broken")
    assert ("arbitre: error" in err) == (lines == "broken")


def test_sample_convert_settle_and_verify_agree(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines, compact, back = tmp_path / "a.jsonl", tmp_path / "a.roch", tmp_path / "b.jsonl"
    assert arbitre(capsys, "sample", lines, "--parties", "50", "--strong")[0] == 0
    assert arbitre(capsys, "convert", lines, compact)[0] == 0
    assert arbitre(capsys, "convert", compact, back)[0] == 0
    assert lines.read_text() == back.read_text()
    assert compact.stat().st_size < lines.stat().st_size * 0.6
    winners = {json.loads(arbitre(capsys, "settle", path, "--json")[1])["winner"] for path in (lines, compact, back)}
    assert len(winners) == 1
    assert run(["verify", str(compact)]) == 3
    assert "claims nothing" in capsys.readouterr().out


def test_verify_finds_a_false_claim(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    terms = Terms(17)
    path = written(tmp_path / "t", Header(terms), entries(terms, openings(terms, 3)), {"winner": "me"})
    assert run(["verify", str(path)]) == 1
    assert "claims that 'me' wins" in capsys.readouterr().out


def test_who_chooses_one_and_proves_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names = ["north", "south", "east", "west"]
    record = tmp_path / "r.jsonl"
    status, out, _ = arbitre(capsys, "who", *names, "--record", record)
    assert status == 0
    assert out.strip() in names
    assert run(["verify", str(record)]) == 4, "nobody signed it"
    capsys.readouterr()
    _, out, _ = arbitre(capsys, "who", "--order", *names)
    assert sorted(out.split()) == sorted(names)
    assert arbitre(capsys, "who", "a", "a")[0] == 2
    assert arbitre(capsys, "who", "a\n")[0] == 1
    found = json.loads(arbitre(capsys, "who", "--json", "solo")[1])
    assert found == {"winner": "solo", "order": ["solo"]}


def test_simulate_measures_and_draws(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = arbitre(capsys, "simulate", "--games", "500", "--attacked", "40", "--tries", "4", "--attack", "copy")
    assert status == 0
    assert "χ²" in out
    assert "█" in out
    assert [line.split()[:2] for line in out.splitlines()[-3:]] == [["copy", kind] for kind in ("draft", "strong", "announced")]
    found = json.loads(arbitre(capsys, "simulate", "--games", "200", "--attack", "none", "--json")[1])
    assert sum(found["fairness"]["wins"]) == 200
    assert found["attacks"] == []
    assert arbitre(capsys, "simulate", "--states", "4")[0] == 1


def test_key_prints_a_line_for_a_roster(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, out, _ = arbitre(capsys, "key", "--name", "Anne Marie", "--key", tmp_path / "k")
    roster = tmp_path / "roster"
    roster.write_text(f"# the group\n\n{out}")
    from arbitre.cli.rochambeau_live import read_roster  # noqa: PLC0415 - one use

    ((name, key),) = read_roster(roster)
    assert (name, len(key)) == ("Anne Marie", 64)
    assert (tmp_path / "k").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["join", "--name", "a"], "name a hub or a multicast group"),
        (["join", "nowhere", "--name", "a"], "host:port"),
        (["join", "239.1.2.3:1", "--name", "a"], "how many take part"),
        (["join", "239.1.2.3:1", "--name", "a", "--parties", "2", "--states", "4"], "odd"),
        (["join", "239.1.2.3:1", "--name", "a", "--parties", "2", "--hub-key", "00"], "64 hexadecimal"),
        (["join", "127.0.0.1:1", "--name", "a", "--gather", "0.1"], "no hub answers"),
        (["hub", "--port", "0"], "how many parties"),
        (["settle", "/nowhere"], "No such file"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(capsys: pytest.CaptureFixture[str], arguments: list[str], why: str) -> None:
    status, out, err = arbitre(capsys, *arguments)
    assert status in {1, 2}
    assert why in err
    assert out == ""


def test_a_group_has_a_fingerprint(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    roster = tmp_path / "roster"
    roster.write_text(f"Zoé {'1' * 64}\nada {'0' * 64}\n")
    status, out, _ = arbitre(capsys, "group", roster)
    assert (status, len(out.strip())) == (0, 32)
    roster.write_text(f"ada {'0' * 64}\nZoé {'1' * 64}\n")
    assert arbitre(capsys, "group", roster)[1] == out, "in whatever order the lines stand"


def test_format_1_is_refused_in_one_line_with_a_status_of_its_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text('{"n":17,"hash":"sha256","mode":"draft"}\n{"player":"A","commit":null,"reveal":null}\n')
    assert run(["verify", str(path)]) == 6
    out = capsys.readouterr().out
    assert "format 1" in out
    assert out.count("\n") == 1
    status, _, err = arbitre(capsys, "settle", path)
    assert status == 1
    assert "format 1" in err


def test_a_bad_roster_is_named_with_its_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    roster = tmp_path / "roster"
    for text in ("a", "a 00", f"a {'0' * 64}\na {'1' * 64}"):
        roster.write_text(text)
        _, _, err = arbitre(capsys, "join", "239.1.2.3:1", "--name", "a", "--roster", roster, "--game", "g")
        assert "roster, line" in err


def test_a_damaged_compact_file_is_told_where(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    terms = Terms(17, mode=Mode.STRONG, game="g")
    path = written(tmp_path / "t", Header(terms), entries(terms, openings(terms, 30)), compact=True)
    octets = bytearray(path.read_bytes())
    random = Random(1)
    for _ in range(40):
        damaged = bytearray(octets)
        damaged[random.randrange(len(damaged))] ^= 1 << random.randrange(8)
        path.write_bytes(damaged)
        assert arbitre(capsys, "settle", path)[0] in {0, 1, 3}
    path.write_bytes(octets[:-20])
    assert "ends in the middle" in arbitre(capsys, "settle", path)[2]
