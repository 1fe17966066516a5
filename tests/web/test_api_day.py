"""The day with curl of the manual is a day that works, word for word."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest

from tests.tournoyons.test_player import ENGINES, started
from tests.web.programs_of import Doors, doors

PAGE = Path(__file__).parent.parent.parent / "docs" / "api.md"
MISSING = [one for one in ("bash", "curl", "jq") if which(one) is None]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with doors(tmp_path_factory.mktemp("day")) as found:
        yield found


@pytest.fixture(scope="module")
def engine() -> Iterator[str]:
    for url in started(sys.executable, "-S", str(ENGINES / "styles.py")):
        yield f"{url}/direct"


@pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)} is missing")
def test_the_day_of_the_manual_ends_with_verified_records(place: Doors, engine: str, tmp_path: Path) -> None:
    (script,) = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    command = tmp_path / "bin" / "arbitre"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m arbitre "$@"\n')
    command.chmod(0o755)
    given = {"ARBITRE_SITE": place.site.url, "ARBITRE_TOKEN": place.tokens["olga"], "ENGINE": engine}
    surroundings = os.environ | given | {"PATH": f"{command.parent}:{os.environ['PATH']}", "ARBITRE_DATA": str(tmp_path / "own")}
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "2 verified"
    assert '"over"' in (tmp_path / "events").read_text()
