"""Every game tells the same story as yesterday."""

import pytest

from tests.house import HOUSE
from tests.playthrough import chapters, golden


@pytest.mark.parametrize("name", HOUSE)
def test_playthrough(name: str) -> None:
    path = golden(name)
    assert path.is_file(), f"no playthrough of {name}: run make playthroughs"
    assert chapters(name) == path.read_text(encoding="utf-8"), (
        f"{name} plays differently: run make playthroughs and read the difference"
    )
