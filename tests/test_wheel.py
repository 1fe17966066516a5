"""The package as it is shipped: a wheel that runs on a bare machine, and an archive of the source that builds the same one.

The environment is fresh, its home empty; beside the wheel it finds what `pyproject.toml` declares, and nothing else. That comes
from the environment of these tests; in a campaign an installer brings it from the package index.
"""

import ensurepip
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from venv import create

import pytest

from tests.house import compiled
from tests.web.clients import ALONE
from tests.web.site import Client

ROOT = Path(__file__).parent.parent
BUILD = "import sys; from hatchling import build; print(getattr(build, sys.argv[1])(sys.argv[2]))"


def built(kind: str, source: Path, target: Path) -> Path:
    """Build a wheel or a source archive from a folder, as installers do, and return it."""
    done = subprocess.run([sys.executable, "-c", BUILD, kind, target], cwd=source, capture_output=True, text=True, check=True)
    return target / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel of this tree."""
    return built("build_wheel", ROOT, tmp_path_factory.mktemp("wheel"))


def files(folder: Path) -> set[str]:
    """Return what is below a folder and not made by running it."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if "__pycache__" not in path.parts}


def test_the_wheel_has_every_file_and_the_manual(wheel: Path) -> None:
    pages = {f"arbitre/web/docs/{name}" for name in files(ROOT / "docs")}
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("arbitre/")}
        assert names == {name for name in files(ROOT / "src") if name.startswith("arbitre/")} | pages
        (told,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = archive.read(told).decode().partition("\n\n")[0].splitlines()
    assert "License-Expression: GPL-3.0-or-later" in metadata
    assert {one.removeprefix("Provides-Extra: ") for one in metadata if one.startswith("Provides-Extra")} >= {
        "agents", "engines", "postgresql",
    }  # fmt: skip


def test_the_source_archive_builds_the_same_wheel_to_the_octet(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(built("build_sdist", ROOT, tmp_path)) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # the first Pythons 3.11 know none
        archive.extractall(tmp_path / "source")  # noqa: S202 - our own
    (source,) = (tmp_path / "source").iterdir()
    assert built("build_wheel", source, tmp_path).read_bytes() == wheel.read_bytes()
    for name in ("Makefile", "README.md", "LICENSE", "requirements.lock", "tools/environment", "tests/test_wheel.py"):
        assert (source / name).is_file(), f"{name} is in the archive"


# ── a bare machine ─────────────────────────────────────────────────────────────────────────────────────────────────


def needed(one: Distribution, known: dict[str, Distribution]) -> dict[str, Distribution]:
    """Return what a distribution needs without its extras, and what that needs, by name."""
    for requirement in one.requires or ():
        name = re.split(r"[<>=!~;\[ (]", requirement)[0].lower()
        if "extra ==" in requirement or name in known:
            continue
        try:
            known[name] = distribution(name)
        except PackageNotFoundError:  # for another system or another Python
            continue
        needed(known[name], known)
    return known


def lent(target: Path) -> None:
    """Let an environment find what the wheel needs, and no more, where it lies in ours."""
    for one in needed(distribution("arbitre"), {}).values():
        tops = {Path(str(file)).parts[0] for file in one.files or ()} - {"..", "__pycache__"}
        for top in tops:
            if not (target / top).exists():
                (target / top).symlink_to(Path(str(one.locate_file(top))))


@pytest.fixture(scope="module")
def machine(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Install the wheel where nothing is; return what a shell there has in its environment."""
    place = tmp_path_factory.mktemp("machine")
    create(place / "env", symlinks=True, with_pip=False)
    (packages,) = place.glob("env/lib/python*/site-packages")
    lent(packages)
    pip = sorted(Path(str(ensurepip.__file__)).parent.glob("_bundled/pip-*.whl"))
    if not pip:
        pytest.skip("this Python has no pip of its own (on Debian: python3-venv)")
    environment = {"PATH": f"{place}/env/bin:{os.defpath}", "HOME": str(place / "home"), "LC_ALL": "C.UTF-8"} | compiled()
    (place / "home").mkdir()
    install = [
        f"{place}/env/bin/python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-compile",
        str(wheel),
    ]
    subprocess.run(install, env={**environment, "PYTHONPATH": str(pip[-1])}, check=True, capture_output=True)
    return environment


def told(machine: dict[str, str], *arguments: str, **more: str) -> str:
    """Run the command there; return what it said."""
    command = shutil.which("arbitre", path=machine["PATH"].partition(":")[0])
    assert command is not None
    done = subprocess.run(
        [command, *arguments], env=machine | more, cwd=machine["HOME"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def open_there(machine: dict[str, str]) -> Iterator[Client]:
    """Open a site there, in the usual folder, and close it behind."""
    command = [f"{machine['PATH'].partition(':')[0]}/arbitre", "serve", "--port", "0", *ALONE]
    with subprocess.Popen(command, env=machine, cwd=machine["HOME"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = re.match(r"Arbitre is open at http://127\.0\.0\.1:(\d+)\n", process.stdout.readline())
            assert found is not None
            yield Client(int(found[1]))
        finally:
            process.terminate()


def linked(page: str) -> set[str]:
    """Return the scripts, styles and pictures that a page asks its browser for."""
    return set(re.findall(r'(?:src|href)="(/static/[^"#]+)', page))


def test_a_bare_machine_serves_and_verifies(machine: dict[str, str]) -> None:
    """The home page with all that it needs, the manual, French, a game of the house to its end, its record."""
    with open_there(machine) as client:
        home = client.get("/")
        assert home.status == 200
        assert linked(home.text)
        assert {client.get(one).status for one in linked(home.text)} == {200}
        assert "<h1" in client.get("/manual/serving-many").text
        assert "Servir le grand nombre" in client.get("/manual/fr/serving-many").text
        assert "Jouer" in client.get("/", Accept_Language="fr").text
        begun = client.post(
            "/play", {"game": "tictactoe", "one": "house:2", "two": "house:1", "clock": "1m"}, page="/play?game=tictactoe"
        )
        where = begun.headers["location"]
        assert b'"closed":true' in client.get(f"{where}/events").body.replace(b" ", b"")
        (Path(machine["HOME"]) / "game.record").write_bytes(client.get(f"{where}/record").body)
    assert "✓ verified: tictactoe" in told(machine, "verify", "game.record")
    assert "vérifié" in told(machine, "verify", "game.record", LC_ALL="fr_FR.UTF-8", LANG="fr_FR.UTF-8")
    assert told(machine, "--version").split()[-1] == distribution("arbitre").version


@pytest.mark.campaign
def test_an_installer_brings_all_that_is_declared_and_the_strong_engines_play(wheel: Path, tmp_path: Path) -> None:
    """From the package index, with every extra of a site: an engine is compiled, and plays by the weights of the wheel."""
    create(tmp_path / "env", symlinks=True, with_pip=True)
    machine = {"PATH": f"{tmp_path}/env/bin:{os.defpath}", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    install = [f"{tmp_path}/env/bin/pip", "install", "--quiet", f"{wheel}[engines,agents,postgresql]"]
    settings = {
        name: text for name, text in os.environ.items() if name.startswith(("PIP_", "SSL_")) or name.lower().endswith("_proxy")
    }
    done = subprocess.run(install, env=settings | machine, capture_output=True, text=True, check=False)
    if "Could not find a version" in done.stderr or "connection" in done.stderr.lower():
        pytest.skip("no package index is reached from this machine")
    assert done.returncode == 0, done.stderr
    told(machine, "play", "reversi", "--watch", "house:reversi/7", "--opponent", "house:reversi/1", "--seed", "1")
    told(machine, "record", "export", "--all", "--folder", "out")
    assert "✓ verified: reversi, house:reversi/7 – house:reversi/1" in told(machine, "verify", "out")
    assert told(machine, "mcp", "--help")
    assert told(machine, "worker", "--help")
