"""The types of the site's JavaScript are checked where that is possible; elsewhere one line says why not, and nothing fails."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "src/arbitre/web/static"

RIGHT = 'import { hex, sha256, utf8 } from "./crypto.js";\nexport const digest = hex(sha256(utf8("abc")));\n'
WRONG = 'import { sha256 } from "./crypto.js";\nexport const digest = sha256("abc");\nexport const kind = (one) => one.kind;\n'


def check(folder: Path, path: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the checker of a folder with what lies on a path."""
    given = os.environ | {"PATH": path} | environment
    return subprocess.run([folder / "tools/javascript"], env=given, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder like a checkout, with one module and without a checker."""
    for name in ("tools/javascript", "tsconfig.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "src/arbitre/web/static").mkdir(parents=True)
    shutil.copy(STATIC / "crypto.js", tmp_path / "src/arbitre/web/static/crypto.js")
    return tmp_path


def path_of(folder: Path, *programs: str) -> str:
    """Return a path with these programs and what a shell script needs."""
    folder.mkdir()
    for name in ("sh", "sed", "head", "dirname", *programs):
        found = shutil.which(name)
        if found is None:
            pytest.skip(f"no {name} on this system")
        (folder / name).symlink_to(found)
    return str(folder)


def test_without_node_one_line_says_so(checkout: Path) -> None:
    done = check(checkout, path_of(checkout / "bin"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "arbitre: the types of JavaScript are not checked: there is no node on this machine\n"


def test_without_npm_one_line_says_so(checkout: Path) -> None:
    done = check(checkout, path_of(checkout / "bin", "node"))
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    assert "no npm to bring it" in done.stdout


def test_a_download_that_fails_fails_nothing(checkout: Path) -> None:
    nowhere = {"npm_config_registry": "http://127.0.0.1:9/", "npm_config_cache": str(checkout / "cache")}
    done = check(checkout, path_of(checkout / "bin", "node", "npm"), **nowhere)
    assert (done.returncode, done.stderr) == (0, "")
    assert "npm did not bring TypeScript" in done.stdout
    assert "ECONNREFUSED" in done.stdout


def test_a_wrong_call_is_found(checkout: Path) -> None:
    """Strictly: a text is no octets, and what comes in has a type."""
    if not (ROOT / ".node/node_modules/.bin/tsc").is_file():
        pytest.skip("there is no TypeScript in .node: `make lint` brings it")
    (checkout / ".node").symlink_to(ROOT / ".node")
    static = checkout / "src/arbitre/web/static"
    (static / "right.js").write_text(RIGHT)
    (static / "wrong.js").write_text(WRONG)
    done = check(checkout, path_of(checkout / "bin", "node", "env"))
    assert done.returncode != 0
    assert [line.split(":")[0].rpartition("/")[2] for line in done.stdout.splitlines()] == ["wrong.js(2,30)", "wrong.js(3,22)"]
