"""The house keeps its order: imports point up the list, and every game has every part."""

import ast
from pathlib import Path

import pytest

import arbitre
from arbitre.rules.catalogue import HOUSE

SOURCE = Path(arbitre.__file__).parent
ROOT = Path(__file__).parent.parent

ROOMS = (
    "errors",
    "rules",
    "notation",
    "crypto",
    "protocol",
    "records",
    "referee",
    "transport",
    "bot",
    "client",
    "tournament",
    "engines",
    "players",
    "community",
    "services",
    "web",
    "tui",
    "cli",
)
"""From the top of the house down: a room may import itself and the rooms above it."""


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else "errors"


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
def test_imports_point_up(path: Path) -> None:
    relative = path.relative_to(SOURCE).with_suffix("")
    here = relative.parts[0]
    assert here in ROOMS, f"{here} is no room of the house"
    for name in imported(path):
        assert ROOMS.index(room(name)) <= ROOMS.index(here), f"{relative} imports {name}, which lies below it"


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
    for path in (SOURCE / "rules").glob("*.py"):
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
        f"src/arbitre/rules/{name}.py",
        f"src/arbitre/notation/{name}.py",
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
