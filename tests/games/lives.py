"""A kernel in both its lives: compiled, and as plain Python in which a bad index raises."""

import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import arbitre.games.kernels

GAMES = Path(arbitre.games.kernels.__file__).parent
SHARED = "arbitre.games.intrinsics"


@cache
def plain(name: str) -> Any:
    """Return the kernel of a package as plain Python, with the shared half plain beneath it."""
    pytest.importorskip("numpy")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARBITRE_PLAIN", "1")
        patch.setitem(sys.modules, SHARED, _executed("tests.plain_intrinsics", GAMES / "intrinsics.py"))
        module = _executed(f"tests.plain_{name}_kernel", GAMES / name / "kernel.py")
    assert module.PLAIN
    return module


def compiled(name: str) -> Any:
    """Return the kernel of a package as numba makes it."""
    pytest.importorskip("numba")
    return arbitre.games.kernels.load(name)


def _executed(name: str, source: Path) -> Any:
    spec = spec_from_file_location(name, source)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
