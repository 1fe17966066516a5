"""Every game tells the same story as yesterday."""

import pytest

from tests.house import HOUSE
from tests.playthrough import FOLDER, chapters


@pytest.mark.parametrize("name", HOUSE)
def test_playthrough(name: str) -> None:
    golden = FOLDER / f"{name}.txt"
    assert golden.is_file(), f"no playthrough of {name}: run make playthroughs"
    assert chapters(name) == golden.read_text(encoding="utf-8"), (
        f"{name} plays differently: run make playthroughs and read the difference"
    )
