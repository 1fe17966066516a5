"""The house keeps its order: every import is in a table, no game knows another, and every game has every part."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import arbitre
from arbitre.games.catalogue import HOUSE

SOURCE = Path(arbitre.__file__).parent
ROOT = Path(__file__).parent.parent

CORE = (
    "values",
    "reasons",
    "errors",
    "words",
    "crypto",
    "games",
    "records",
    "referee",
    "transport",
    "bot",
    "players",
    "tournament",
    "hall",
)
"""What everything rests on: each of these rooms may import those before it."""
SYSTEMS = ("tournoyons", "league", "kref", "arcade", "elections")
"""One for each seed: they rest on the core, and none imports another."""
FACES = ("client", "tui", "web", "cli")
"""They translate for people and programs: each may import the site, the systems, the core, and the faces before it."""

ROOMS: dict[str, tuple[str, ...]] = (
    {room: CORE[:at] for at, room in enumerate(CORE)}
    | dict.fromkeys(SYSTEMS, CORE)
    | {"site": CORE + SYSTEMS}
    | {face: (*CORE, *SYSTEMS, "site", *FACES[:at]) for at, face in enumerate(FACES)}
)
"""The rooms of the house, and what each may import beside itself."""


def room(module: str) -> str:
    return module.split(".")[1]


def imported(path: Path) -> set[str]:
    """Return the modules of ours that a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where they point"
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names if node.module == "arbitre"}
    return {name for name in names if name.startswith("arbitre.") and not name.startswith("arbitre.__")}


FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py" and path.name != "__main__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_arrow_is_in_the_table(path: Path) -> None:
    relative = path.relative_to(SOURCE).with_suffix("")
    here = relative.parts[0]
    assert here in ROOMS, f"{here} is no room of the house"
    for name in imported(path):
        there = room(name)
        assert there == here or there in ROOMS[here], f"{relative} imports {name}"


GAMES = sorted(path.parent.name for path in SOURCE.glob("games/*/rules.py"))
KNOWING = {"labels", "trays", "trays_open", "trays_hidden", "screens", "screens_open", "screens_hidden"}
"""What all games share and yet knows each of them; to be moved into their packages."""


@pytest.mark.parametrize("path", [path for path in FILES if path.is_relative_to(SOURCE / "games")], ids=lambda path: path.stem)
def test_no_game_knows_another(path: Path) -> None:
    here = path.parent.name if path.parent.name in GAMES else ""
    known = {name.split(".")[2] for name in imported(path) if name.startswith("arbitre.games.")} & set(GAMES)
    assert known <= {here} or path.stem in KNOWING, f"{path} knows {known}"


# ── what others wrote ──────────────────────────────────────────────────────────────────────────────────────────────

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LEFT_OUT = {"numba", "numpy"}
"""Imported where they are needed, and only in the extra `engines`."""
MEASURED = {"draughts", "kaggle-environments", "pettingzoo", "pyspiel"}
"""Peers of the benchmarks that are not on every machine: what is missing is left out of the table."""
RUN = {"mkdocs", "mypy", "pytest-xdist", "ruff", "pokerkit"}
"""What developers run and tests do not import, or import by name."""


def name_of(requirement: str) -> str:
    return re.split(r"[<>=!~;\[ ]", requirement)[0].lower()


def bought(*roots: str) -> set[str]:
    """Return the distributions that the files below these folders import, as the package index calls them."""
    known, found = packages_distributions(), set()
    for root in roots:
        for path in (ROOT / root).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                found |= {one.partition(".")[0] for one in names}
    found -= {*sys.stdlib_module_names, "", "arbitre", "tests", "bench", "arbitre_connectfour", "arbitre_sealing_club"}
    return {known.get(one, [one])[0].lower().replace("_", "-") for one in found}


def test_what_is_imported_is_declared_and_nothing_else() -> None:
    assert bought("src") == set(map(name_of, PROJECT["dependencies"])) | LEFT_OUT
    assert set(map(name_of, PROJECT["optional-dependencies"]["engines"])) == LEFT_OUT
    dev = set(map(name_of, PROJECT["optional-dependencies"]["dev"]))
    assert bought("tests", "bench") - bought("src") - MEASURED == dev - RUN


def test_every_dependency_ends_before_a_major_version_that_nobody_tried() -> None:
    declared = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]
    assert not [one for one in declared if not re.search(r"<\d+$|==", one)]


def test_nothing_of_ours_needs_what_only_developers_have() -> None:
    modules = ["arbitre.bot", "arbitre.tournoyons.server", "arbitre.web.app", "arbitre.cli.engine", "arbitre.client"]
    script = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    tops = {one.partition(".")[0] for one in loaded}
    assert not tops & {"aiohttp", "hypothesis", "pytest", "playwright", "schemathesis"}


def test_every_dependency_is_locked() -> None:
    first, *lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(r"# for Python (3\.\d+ ?)+: .*", first)
    assert PROJECT["requires-python"].removeprefix(">=") in first
    locked = [re.fullmatch(r"([a-z0-9-]+)==([0-9.]+)( ; .+)?", line) for line in lines]
    assert all(locked), "names, versions and conditions, and nothing of one machine"
    declared = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]
    for one in declared:
        versions = [found[2] for found in locked if found is not None and found[1] == name_of(one)]
        assert versions, f"{one} is not locked: make lock"
        major = re.search(r"<(\d+)$", one)
        assert major is None or all(int(version.partition(".")[0]) < int(major[1]) for version in versions)


def test_rules_are_pure() -> None:
    """Rules import nothing that could read a clock, a file, a socket or chance."""
    forbidden = {
        "time",
        "datetime",
        "secrets",
        "os",
        "io",
        "socket",
        "asyncio",
        "threading",
        "pathlib",
        "subprocess",
        "logging",
    }
    for path in (*SOURCE.glob("games/*/rules.py"), SOURCE / "games" / "game.py", *SOURCE.glob("games/*/moves.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found = {a.name for a in node.names} if isinstance(node, ast.Import) else set()
            if isinstance(node, ast.ImportFrom):
                found = {node.module or ""}
                if node.module == "random":
                    assert {a.name for a in node.names} == {"Random"}, f"{path.name} takes chance from outside"
            assert not found & forbidden, f"{path.name} imports {found & forbidden}"


@pytest.mark.parametrize("name", [one.name for one in HOUSE])
def test_every_game_has_every_part(name: str) -> None:
    for part in (
        f"src/arbitre/games/{name}/rules.py",
        f"src/arbitre/games/{name}/notation.py",
        f"src/arbitre/games/{name}/engine.py",
        f"tests/conformance/{name}.py",
        f"tests/rules/test_{name}.py",
        f"tests/notation/test_{name}.py",
        f"tests/playthroughs/{name}.txt",
        f"docs/games/{name}.md",
    ):
        assert (ROOT / part).is_file(), f"{name} lacks {part}"


def test_every_module_opens_with_its_promise() -> None:
    for path in FILES:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), f"{path} says nothing"
