"""The vectors of the manual, in Python; the browser's are in `tests/web/test_rochambeau_js.py`."""

import re
from pathlib import Path

import pytest

from arbitre.elections.call import read_call
from arbitre.elections.item import Item, Kind
from arbitre.elections.ruling import quorum, read_ruling
from tests.elections.vectors import CALL, SIGNERS, made

DOCS = Path(__file__).parents[2] / "docs"


def printed(page: str) -> dict[str, str]:
    """Return the table of vectors of a page, by its values in order."""
    return dict(re.findall(r"^\| ([^|]+?) \| `([^`]+)` \|$", page.partition("### Vect")[2].partition("\n## ")[0], re.MULTILINE))


@pytest.mark.parametrize("page", ["rochambeau.md", "fr/rochambeau.md"])
def test_the_manual_prints_what_is_signed(page: str) -> None:
    found = printed((DOCS / page).read_text(encoding="utf-8"))
    assert list(found.values()) == list(made().values())
    if "fr" not in page:
        assert list(found) == list(made())


def test_the_call_and_the_verdict_read_back() -> None:
    found = made()
    assert read_call(found["call"]) == CALL
    ruling = read_ruling(bytes.fromhex(found["verdict"]))
    assert (ruling.winner, ruling.octets().hex()) == ("Zoé", found["verdict"])
    item = Item(Kind.VERDICT, "Ada", ruling.octets(), (("Ada", bytes.fromhex(found["verdict of Ada, signature"])),))
    assert item.verified(CALL.tag, {"Ada": SIGNERS["Ada"].public}).signatures


@pytest.mark.parametrize(
    ("parties", "liars", "needed"), [(1, 0, 1), (2, 0, 2), (3, 0, 2), (4, 0, 3), (5, 0, 3), (5, 1, 4), (7, 2, 5), (64, 21, 43)]
)
def test_certificates(parties: int, liars: int, needed: int) -> None:
    """Two certificates have more parties in common than may lie."""
    assert quorum(parties, liars) == needed
    assert 2 * needed - parties > liars
