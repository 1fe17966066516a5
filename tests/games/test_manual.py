"""The manual's page of the house engines lists them all, in their own words."""

from pathlib import Path

import pytest

from arbitre.games.levels import lines
from arbitre.words import words
from tests.house import HOUSE

DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.mark.parametrize(("language", "page"), [("en", "engines.md"), ("fr", "fr/engines.md")])
def test_every_level_is_in_the_manual(language: str, page: str) -> None:
    """What a page says of a level when one chooses it is what the manual says of it."""
    text = (DOCS / page).read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", " ")
    for one in HOUSE:
        assert len(lines(one)) >= 3, f"{one} has too few levels to choose from"
        for number, line in enumerate(lines(one), start=1):
            said = words(language)(line).replace("\N{NO-BREAK SPACE}", " ")
            assert f"| `house:{one}/{number}` | {said} |" in text
