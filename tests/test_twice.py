"""What needs the second run is counted and named, and too much of it fails the whole run; what is skipped is named too."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.twice import FORGIVEN

ROOT = Path(__file__).parent.parent

FLAKY = """
def test_flaky{number}():
    mark = Path(__file__).parent / "seen{number}"
    seen = mark.exists()
    mark.touch()
    assert seen
"""
BROKEN = """
def test_broken():
    raise AssertionError


@pytest.fixture
def leaking():
    yield
    raise OSError("left open")


def test_leaking(leaking):
    pass
"""
KILLED = """
import os
import sys

HELD = sys.stdout


def test_before():
    print("what was held is still open", file=HELD)


def test_dies():
    os._exit(7)


def test_after():
    pass


def test_leaves():
    os._exit(0)
"""
SOUND = """
from pathlib import Path

import pytest


def test_sound():
    pass


@pytest.mark.campaign
def test_long():
    raise AssertionError


@pytest.mark.skip(reason="there is no such thing here")
def test_elsewhere():
    raise AssertionError
"""


def twice(folder: Path, *more: str) -> tuple[int, list[str]]:
    """Run a small suite; return the exit status and the lines of the summary."""
    (folder / "test_small.py").write_text(SOUND + "".join(more))
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -q -p tests.together\nmarkers = campaign: long\n")
    done = subprocess.run(
        [ROOT / "tools" / "tests", sys.executable, "--processes", "2"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        check=False,
        stdout=subprocess.PIPE,
        text=True,
    )
    lines = done.stdout.splitlines()
    return done.returncode, lines[next((i for i, line in enumerate(lines) if line.startswith("arbitre: 1 test skipped")), 0) :]


def closing(lines: list[str]) -> str:
    return next(line for line in lines if " passed, " in line).partition(", in ")[0]


@pytest.mark.parametrize(("flaky", "status"), [(FORGIVEN, 0), (FORGIVEN + 1, 1)])
def test_what_needs_it_is_named_and_above_five_is_too_much(tmp_path: Path, flaky: int, status: int) -> None:
    got, said = twice(tmp_path, *(FLAKY.format(number=number) for number in range(flaky)))
    assert got == status
    assert said[:2] == ["arbitre: 1 test skipped, there is no such thing here", "  test_small.py::test_elsewhere"]
    assert [line for line in said if "flaky" in line] == [f"  test_small.py::test_flaky{number}" for number in range(flaky)]
    assert closing(said) == f"arbitre: {flaky + 1} passed, {flaky} of them in the second run, 0 failed, 1 skipped"
    assert any(line.startswith("arbitre: error: 6 tests needed the second run") for line in said) == bool(status)


def test_what_fails_alone_too_has_failed(tmp_path: Path) -> None:
    status, said = twice(tmp_path, FLAKY.format(number=0), BROKEN)
    assert status == 1
    at = said.index("arbitre: 2 tests failed, alone too")
    assert said[at + 1 : at + 3] == ["  test_small.py::test_broken", "  test_small.py::test_leaking"]
    assert closing(said) == "arbitre: 2 passed, 1 of them in the second run, 2 failed, 1 skipped"


def test_what_ends_its_process_has_failed_and_the_others_are_run(tmp_path: Path) -> None:
    (tmp_path / "test_killed.py").write_text(KILLED)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p tests.together --processes 2 -rA\n")
    line = [sys.executable, "-m", "pytest", "-c", str(tmp_path / "pytest.ini"), str(tmp_path)]
    done = subprocess.run(line, check=False, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert done.returncode == 1
    assert "the process that ran it ended with status 7" in done.stdout
    assert "the process that ran it ended with status 0" in done.stdout
    assert "what was held is still open" in done.stdout
    ended = [line.split("::")[-1].split(" - ")[0] for line in done.stdout.splitlines() if line.startswith(("PASSED", "FAILED"))]
    assert sorted(ended) == ["test_after", "test_before", "test_dies", "test_leaves"]
