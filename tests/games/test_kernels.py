"""What is compiled of a kernel is kept under a name that an edit of its source, or of what kernels share, changes."""

import shutil
from pathlib import Path

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
