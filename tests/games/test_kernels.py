"""What is compiled of a kernel is kept under a name that an edit of its source, or of what kernels share, changes."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from arbitre.games import kernels

pytest.importorskip("numba")


@pytest.mark.parametrize("edited", ["five/kernel.py", "intrinsics.py"])
def test_an_edit_of_either_source_is_compiled_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, edited: str) -> None:
    here = Path(kernels.__file__).parent
    for name in ("five/kernel.py", "intrinsics.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(here / name, tmp_path / name)
    monkeypatch.setenv("ARBITRE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kernels, "__file__", str(tmp_path / "kernels.py"))
    before = kernels.folder("five")
    assert before is not None
    assert kernels.folder("five") == before
    with (tmp_path / edited).open("a") as source:
        source.write("\n")
    assert kernels.folder("five") not in {before, None}


def test_what_is_cold_is_compiled_by_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It ends with whoever began it; where everything is compiled none is begun."""
    begun: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            begun.append(self)

    monkeypatch.setenv("ARBITRE_CACHE", str(tmp_path))
    monkeypatch.setattr(subprocess, "Popen", Noted)
    assert kernels.names() == ("draughts", "five", "reversi")
    with kernels.compiling():
        (compiler,) = begun
        assert compiler.poll() is None
    assert compiler.returncode is not None
    for name in kernels.names():
        folder = kernels.folder(name)
        assert folder is not None
        (folder / kernels.READY).touch()
    with kernels.compiling():
        assert begun == [compiler]
