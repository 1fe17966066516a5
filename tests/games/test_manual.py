"""The manual's page of the house engines lists them all, in their own words."""

from pathlib import Path

from arbitre.games.levels import levels
from tests.house import HOUSE


def test_every_level_is_in_the_manual() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "engines.md").read_text(encoding="utf-8")
    for one in HOUSE:
        assert len(levels(one)) >= 3, f"{one} has too few levels to choose from"
        for number, maker in enumerate(levels(one), start=1):
            line = (maker.__doc__ or "").splitlines()[0]
            assert f"| `house:{one}/{number}` | {line} |" in page
