"""Nothing here reads a clock, a file or chance: so the same results always say the same."""

import ast
from pathlib import Path

import pytest

import arbitre.tournament

FILES = sorted(Path(arbitre.tournament.__file__).parent.glob("*.py"))

FORBIDDEN = {
    "asyncio",
    "datetime",
    "io",
    "logging",
    "os",
    "pathlib",
    "random",
    "secrets",
    "socket",
    "subprocess",
    "threading",
    "time",
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_nothing_from_outside(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        assert not {name.split(".")[0] for name in names} & FORBIDDEN
        assert not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open")
