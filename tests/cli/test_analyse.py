"""`arbitre analyse`: what it prints and writes, in both languages, and what it refuses."""

import json
from pathlib import Path

import pytest

from tests.analysis.games import octets
from tests.cli.test_cli import arbitre, told


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("tictactoe", "rochambeau"):
        (tmp_path / f"{name}.record").write_bytes(octets(name))
    return tmp_path


def test_a_record_is_analysed_and_the_analysis_verified(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = told(capsys, "analyse", "tictactoe.record", "rochambeau.record")
    assert status == 0
    assert "Ada: much was given away; accuracy 36.8" in out
    assert "better: 5" in out
    assert {path.name for path in here.glob("*.analysis")} == {"tictactoe.analysis", "rochambeau.analysis"}
    status, out, _ = told(capsys, "verify", "tictactoe.analysis", "--all")
    assert (status, "8 of 8 plies computed again" in out) == (0, True)
    status, out, _ = told(capsys, "verify", "tictactoe.analysis", "--plies", "2", "--json")
    assert json.loads(out)["kind"] == "analysis"
    (here / "tictactoe.record").unlink()
    assert told(capsys, "verify", "tictactoe.analysis")[0] == 3


def test_it_is_the_same_for_all_who_compute_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fields = []
    for data in ("one", "two"):
        status, out, _ = told(capsys, "analyse", "rochambeau.record", "--json", "--folder", data, "--data", data)
        assert status == 0
        fields.append(json.loads(out))
    one, two = (one["document"] for one in fields)
    assert one["by"] != two["by"]
    assert all(one[key] == two[key] for key in one.keys() - {"by", "signature"})
    assert fields[0]["players"][0]["accuracy"] == fields[1]["players"][0]["accuracy"]
    assert (here / "one" / "rochambeau.analysis").is_file()


def test_it_speaks_french(here: Path) -> None:
    done = arbitre("analyse", "tictactoe.record", "--html", folder=here, LC_ALL="fr_FR.UTF-8", LANG="fr_FR.UTF-8")
    assert done.returncode == 0
    assert "précision 36,8" in done.stdout
    page = (here / "tictactoe.html").read_text(encoding="utf-8")
    assert "Qui menait" in page
    assert "Ada a laissé filer la partie au coup 7" in page
    assert "let it slip" not in page


def test_what_cannot_be_analysed_is_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "analyse", "none.record")[0] == 2
    assert told(capsys, "analyse")[0] == 2
    (here / "cut.record").write_bytes(b"".join(octets("tictactoe").splitlines(keepends=True)[:8]))
    status, _, err = told(capsys, "analyse", "cut.record")
    assert (status, "the match is not over" in err) == (1, True)
    (here / "changed.record").write_bytes(octets("tictactoe").replace(b"Ada", b"Eve"))
    status, _, err = told(capsys, "analyse", "changed.record")
    assert (status, "is not in order" in err) == (1, True)
    assert not list(here.glob("*.analysis"))
    (here / "junk.record").write_bytes(b"junk\n")
    assert told(capsys, "analyse", "junk.record")[0] == 1
    assert told(capsys, "analyse", "tictactoe.record", "--nodes", "0")[0] == 2
