"""The manual's page of the house engines lists them all, in their own words."""

from pathlib import Path

from arbitre.games.catalogue import HOUSE
from arbitre.games.levels import levels


def test_every_level_is_in_the_manual() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "engines.md").read_text(encoding="utf-8")
    for one in HOUSE:
        assert len(levels(one.name)) >= 3, f"{one.name} has too few levels to choose from"
        for number, maker in enumerate(levels(one.name), start=1):
            line = (maker.__doc__ or "").splitlines()[0]
            assert f"| `house:{one.name}/{number}` | {line} |" in page
