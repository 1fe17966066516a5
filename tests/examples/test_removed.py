"""A game of the house is a package like another: without its folder and its entry everything else goes on."""

import re
import shutil
import subprocess
import sysconfig
import tomllib
from pathlib import Path
from venv import create

import pytest

from tests.examples.beside import EXAMPLES, arbitre, described

ROOT = EXAMPLES.parent
GONE = "pente"
SITE = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.web.site import quiet, running
with running(quiet(Path(sys.argv[1]))) as site:
    client = site.client()
    for path in ("/", "/play", "/rankings", "/api/games", "/program", "/program/directory", "/manual/games/reversi", "/compete"):
        answer = client.get(path)
        assert answer.status == 200, (path, answer.text)
    assert "game=pente" not in client.get("/").text
    assert "game=reversi" in client.get("/").text
    assert client.get("/play?game=pente").status == 404
    assert client.get("/interfaces/reversi.html").status == 200
    assert client.get("/interfaces/pente.html").status == 404
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the Python of an environment with a copy of the house in which a game is missing."""
    target = tmp_path_factory.mktemp("without")
    create(target, symlinks=True, with_pip=False)
    (packages,) = target.glob("lib/python*/site-packages")
    shutil.copytree(ROOT / "src" / "arbitre", packages / "arbitre", ignore=shutil.ignore_patterns("__pycache__", GONE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    del project["entry-points"]["arbitre.games"][GONE]
    described(packages, project)
    # what others wrote; our own package there is found by a path of its own, which is not taken
    theirs = (sysconfig.get_paths()["purelib"], *(EXAMPLES / name / "src" for name in ("connectfour", "sealing-club")))
    (packages / "theirs.pth").write_text("".join(f"{one}\n" for one in theirs), encoding="utf-8")
    return str(target / "bin" / "python")


def test_the_catalogue_lists_the_others(python: str) -> None:
    said = arbitre(python, "games")
    assert GONE not in said
    assert "reversi" in said
    assert "no game is called 'pente'; there are: " in arbitre(python, "play", GONE, status=2)
    assert "VERDICT" in arbitre(python, "play", "reversi", "--watch", "house:reversi/1", "--opponent", "random", "--no-record")
    assert "/pente/1" not in arbitre(python, "engine", "list")


def test_the_others_conform(python: str) -> None:
    script = (
        "from arbitre.games.catalogue import listings; from arbitre.testing import conform\n"
        "for one in listings():\n    if not one.game().hides: conform(one)\n    print(one.name)"
    )
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) >= 9


def test_the_site_goes_on(python: str, tmp_path: Path) -> None:
    script = tmp_path / "site.py"
    script.write_text(SITE.format(root=str(ROOT)), encoding="utf-8")
    done = subprocess.run([python, str(script), str(tmp_path / "data")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3_000:]


def test_nothing_of_ours_names_it() -> None:
    """No module outside its package knows the game: lists of games are gone."""
    source = ROOT / "src" / "arbitre"
    found = [one for one in source.rglob("*.py") if re.search(rf"\b{GONE}\b", one.read_text(encoding="utf-8"), re.IGNORECASE)]
    assert [one for one in found if not one.is_relative_to(source / "games" / GONE)] == []
