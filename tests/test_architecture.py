"""The house keeps its order: every import is in a table, no game knows another, and every game has every part."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import arbitre
from arbitre.records.tables import METADATA
from tests.house import HOUSE

SOURCE = Path(arbitre.__file__).parent
ROOT = Path(__file__).parent.parent

CORE = (
    "values",
    "reasons",
    "errors",
    "words",
    "crypto",
    "games",
    "testing",
    "records",
    "referee",
    "analysis",
    "transport",
    "bot",
    "players",
    "tournament",
    "hall",
    "spread",
)
"""What everything rests on: each of these rooms may import those before it."""
SYSTEMS = ("tournoyons", "league", "kref", "arcade", "elections")
"""One for each seed: they rest on the core, and none imports another."""
FACES = ("client", "agents", "tui", "web", "cli")
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


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return every node of a file: it is read once, and most tests look at all files."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def modules(path: Path) -> set[str]:
    """Return the modules that a file imports."""
    names: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where they point"
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names if node.module == "arbitre"}
    return names


def imported(path: Path) -> set[str]:
    """Return the modules of ours that a file imports."""
    return {name for name in modules(path) if name.startswith("arbitre.") and not name.startswith("arbitre.__")}


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


@pytest.mark.parametrize("path", [path for path in FILES if path.is_relative_to(SOURCE / "games")], ids=lambda path: path.stem)
def test_no_game_knows_another(path: Path) -> None:
    here = path.parent.name if path.parent.name in GAMES else ""
    known = {name.split(".")[2] for name in imported(path) if name.startswith("arbitre.games.")} & set(GAMES)
    assert known <= {here}, f"{path} knows {known}"


# ── one repository for each table ──────────────────────────────────────────────────────────────────────────────────

HOMES = {
    "records/store": ("tournaments", "matches", "transitions"),
    "records/postgresql": ("commits",),
    "records/nodes": ("nodes", "heartbeats", "roles", "house_keys"),
    "records/shared": ("counts", "repeats"),
    "records/log/rows": ("log_pending", "log_entries", "log_nodes", "log_head"),
    "league/ledger": ("league_versions", "league_games"),
    "league/outbox": ("league_outbox",),
    "elections/transcripts": ("proofs",),
    "site/arena/matches": ("sittings", "seats", "traces"),
    "site/analyses": ("analyses", "analysts"),
    "site/daily": ("puzzles",),
    "site/accounts": ("accounts", "resets"),
    "site/sessions": ("sessions",),
    "site/tokens": ("tokens",),
    "site/engines": ("engines",),
    "site/kept_sources": ("sources", "versions"),
    "site/interfaces": ("interfaces",),
    "site/added": ("added_games",),
    "site/invitations": ("invitations",),
    "site/photos": ("photos",),
    "site/file_games": ("file_games",),
    "site/classes": ("classes", "members"),
    "site/challenges": ("challenges",),
    "site/competitions/competitions": ("competitions", "changes"),
    "site/competitions/entries": ("entries", "votes"),
    "site/competitions/arrivals": ("arrivals",),
}
"""The module whose repository has every statement of a table."""
JOINS = {
    "records/shared": {"nodes"},
    "site/sessions": {"accounts"},
    "site/tokens": {"accounts"},
    "site/engines": {"accounts"},
    "site/classes": {"accounts"},
    "site/competitions/entries": {"accounts", "engines"},
    "site/arena/matches": {"matches", "nodes"},
}
"""What a repository reads besides, in a join with its own: who somebody is, and how his match ended. It never writes there."""
DRIVERS = {"records/upgrade", "records/tables", "records/migrations/env", "site/database", "site/registered", "site/erasure"}
"""What speaks to the database without a table of its own: the declaration, the community's door, what repositories share."""
OPENERS = {"sqlite3": {"records/locks", "records/sqlite", "site/backup"}, "psycopg": {"records/hints", "records/postgresql"}}
"""What opens the file, and the database that several machines reach."""

NAMED = re.compile(r"\b(?:(FROM|JOIN)|(INTO|UPDATE|DELETE FROM)) (\w+)")


def statements(path: Path) -> tuple[set[str], set[str]]:
    """Return the tables that a module reads, and those that it writes, in words of SQL or of SQLAlchemy."""
    reads, writes = set[str](), set[str]()
    verbs = ("insert", "update", "delete") if "sqlalchemy" in modules(path) else ()
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for found in NAMED.finditer(node.value):
                (reads if found[1] else writes).update({found[3]} & set(METADATA.tables))
        elif isinstance(node, ast.ImportFrom) and node.module == "arbitre.records.tables":
            reads |= {alias.name.lower() for alias in node.names}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in verbs:
            writes.add(ast.unparse(node.args[0]).lower())
    return reads & set(METADATA.tables), writes - {"self.table"}


def test_every_table_has_one_repository() -> None:
    assert sorted(table for tables in HOMES.values() for table in tables) == sorted(METADATA.tables)
    for path in FILES:
        here = str(path.relative_to(SOURCE).with_suffix(""))
        own = set(HOMES.get(here, ()))
        reads, writes = statements(path)
        if here != "records/tables":
            assert reads <= own | JOINS.get(here, set()), f"{here} reads {reads - own}"
            assert writes <= own, f"{here} writes {writes - own}"
            assert reads >= JOINS.get(here, set()), f"{here} does not read everything that it may"


def test_only_repositories_speak_to_the_database() -> None:
    for path in FILES:
        here = str(path.relative_to(SOURCE).with_suffix(""))
        bought = {one.partition(".")[0] for one in modules(path)} & {"sqlalchemy", "sqlite3", "psycopg", "alembic"}
        for driver in bought & OPENERS.keys():
            assert here in OPENERS[driver], f"{here} opens {driver}"
        if bought - OPENERS.keys():
            assert here in HOMES.keys() | DRIVERS or here.startswith("records/migrations/versions/"), f"{here} imports {bought}"


# ── the web's two faces ────────────────────────────────────────────────────────────────────────────────────────────

PAGES, API = (sorted((SOURCE / "web" / face).glob("*.py")) for face in ("pages", "api"))
RULES: dict[str, str] = {
    "random": "chance is the site's to take",
    "secrets": "so are names that nobody guesses",
    "shutil": "the disk is the operator's, and `site.operating` looks at it",
    "sqlalchemy": "the database is the repositories'",
    "arbitre.records.store": "so is the store",
    "arbitre.site.database": "so is the community's part of it",
    "arbitre.site.tables": "and its tables",
    "arbitre.site.arena.live": "a live match is asked through `site.matches`",
    "arbitre.site.arena.players": "who plays for a seat is the arena's affair",
    "arbitre.site.arena.seats": "and how a person answers",
    "arbitre.site.arena.reach": "and how an engine is reached",
    "arbitre.site.arena.showcase": "and what the house plays for visitors",
    "arbitre.site.competitions.running": "a competition that is played is asked through `contests`",
    "arbitre.transport.limits": "who tries how often is counted by use cases",
    "arbitre.tournoyons.player": "engines are called by use cases",
    "arbitre.tournoyons.callback": "and heard there",
}
"""What a handler imports only where it holds a rule, and why not; pages and programs' doors translate, and nothing else."""


@pytest.mark.parametrize("path", [*PAGES, *API], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_handlers_translate(path: Path) -> None:
    other = {"pages": "arbitre.web.api", "api": "arbitre.web.pages"}[path.parent.name]
    for name in every_import(path):
        assert not f"{name}.".startswith(f"{other}."), f"{path}: both faces call the same use case, not each other"
        assert name not in RULES, f"{path} imports {name}: {RULES[name]}"


def every_import(path: Path) -> set[str]:
    """Return the modules that a file imports, and what it imports from packages."""
    names: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def test_pages_and_api_share_no_block_of_ten_lines() -> None:
    known = {block: where for path in PAGES for block, where in blocks(path, 10)}
    assert not [(where, known[block]) for path in API for block, where in blocks(path, 10) if block in known]


def blocks(path: Path, size: int) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every run of so many lines of code, imports and signatures left out, and where it is."""
    text, left_out = path.read_text(encoding="utf-8"), set[int]()
    for node in nodes(path):
        if isinstance(node, ast.Import | ast.ImportFrom):
            left_out |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            left_out |= set(range(node.lineno, node.body[0].lineno))
    lines = [(at, " ".join(line.split())) for at, line in enumerate(text.splitlines(), 1) if line.strip() and at not in left_out]
    for first in range(len(lines) - size + 1):
        run = lines[first : first + size]
        yield tuple(line for _, line in run), f"{path.name}:{run[0][0]}"


def test_the_site_speaks_no_http() -> None:
    for path in (path for path in FILES if path.is_relative_to(SOURCE / "site")):
        assert not {one.partition(".")[0] for one in every_import(path)} & {"litestar", "msgspec", "jinja2", "uvicorn"}, path


# ── what others wrote ──────────────────────────────────────────────────────────────────────────────────────────────

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LEFT_OUT = {"agents": {"mcp"}, "engines": {"numba", "numpy"}, "postgresql": {"procrastinate", "psycopg"}}
"""Imported where they are needed, and only in an extra."""
MEASURED = {"draughts", "kaggle-environments", "pettingzoo", "pyspiel"}
"""Peers of the benchmarks that are not on every machine: what is missing is left out of the table."""
RUN = {"hatchling", "mkdocs", "mypy", "pyyaml", "ruff", "pokerkit"}
"""What developers run and tests do not import, or import by name."""


def name_of(requirement: str) -> str:
    return re.split(r"[<>=!~;\[ ]", requirement)[0].lower()


@cache
def installed() -> Mapping[str, list[str]]:
    """Return the distributions of every module that is installed."""
    return packages_distributions()


@cache
def bought(*roots: str) -> set[str]:
    """Return the distributions that the files below these folders import, as the package index calls them."""
    known, found = installed(), set()
    for root in roots:
        for path in (ROOT / root).rglob("*.py"):
            for node in nodes(path):
                names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                found |= {one.partition(".")[0] for one in names}
    found -= {*sys.stdlib_module_names, "", "arbitre", "tests", "bench", "arbitre_connectfour", "arbitre_sealing_club"}
    return {known.get(one, [one])[0].lower().replace("_", "-") for one in found}


def test_what_is_imported_is_declared_and_nothing_else() -> None:
    assert bought("src") == set(map(name_of, PROJECT["dependencies"])).union(*LEFT_OUT.values())
    for extra, names in LEFT_OUT.items():
        assert set(map(name_of, PROJECT["optional-dependencies"][extra])) == names
    dev = set(map(name_of, PROJECT["optional-dependencies"]["dev"]))
    assert bought("tests", "bench") - bought("src") - MEASURED == dev - RUN


def test_every_dependency_ends_before_a_major_version_that_nobody_tried() -> None:
    declared = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]
    assert not [one for one in declared if not re.search(r"<\d+($|;)|==", one)]


def test_nothing_of_ours_needs_what_only_developers_have() -> None:
    modules = ["arbitre.bot", "arbitre.tournoyons.server", "arbitre.web.app", "arbitre.cli.engine", "arbitre.client"]
    script = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    tops = {one.partition(".")[0] for one in loaded}
    assert not tops & {"aiohttp", "hypothesis", "pytest", "playwright", "schemathesis"}


def test_without_the_other_database_nothing_of_it_is_loaded(tmp_path: Path) -> None:
    script = "import sys; from pathlib import Path; from arbitre.records.store import Store; Store(Path(sys.argv[1])).close(); "
    script += "import arbitre.cli.tournament, arbitre.cli.operator, arbitre.web.app, arbitre.site.community; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True).stdout.split()
    assert not {one.partition(".")[0] for one in loaded} & {"psycopg", "procrastinate"}


def test_who_lacks_the_other_database_is_told_what_to_install(tmp_path: Path) -> None:
    script = "import sys; sys.modules['psycopg'] = None; from pathlib import Path; from arbitre.records.place import Place; "
    script += "from arbitre.records.store import Store; Store(Place(Path(sys.argv[1]), 'postgresql:///none'))"
    done = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].startswith("arbitre.errors.StoreError")
    assert "pip install 'arbitre[postgresql]'" in done.stderr


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
        major = re.search(r"<(\d+)($|;)", one)
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
        for node in nodes(path):
            found = {a.name for a in node.names} if isinstance(node, ast.Import) else set()
            if isinstance(node, ast.ImportFrom):
                found = {node.module or ""}
                if node.module == "random":
                    assert {a.name for a in node.names} == {"Random"}, f"{path.name} takes chance from outside"
            assert not found & forbidden, f"{path.name} imports {found & forbidden}"


@pytest.mark.parametrize("name", HOUSE)
def test_every_game_has_every_part(name: str) -> None:
    for part in (
        f"src/arbitre/games/{name}/rules.py",
        f"src/arbitre/games/{name}/notation.py",
        f"src/arbitre/games/{name}/wire.py",
        f"src/arbitre/games/{name}/engine.py",
        f"src/arbitre/games/{name}/presets.py",
        f"src/arbitre/games/{name}/glyph.svg",
        f"src/arbitre/games/{name}/interface/{name}.html",
        f"tests/games/{name}/conformance.py",
        f"tests/games/{name}/test_rules.py",
        f"tests/games/{name}/test_notation.py",
        f"tests/games/{name}/playthrough.txt",
        f"docs/games/{name}.md",
    ):
        assert (ROOT / part).is_file(), f"{name} lacks {part}"


def test_a_game_of_the_house_is_found_without_looking_through_all_packages() -> None:
    script = "import sys; from arbitre.games.catalogue import game; game('pente'); print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert "arbitre.games.pente.rules" in told
    assert not {"importlib.metadata", "arbitre.games.reversi"} & set(told)


def test_every_module_opens_with_its_promise() -> None:
    for path in FILES:
        (top, *_) = nodes(path)
        assert isinstance(top, ast.Module)
        assert ast.get_docstring(top), f"{path} says nothing"
