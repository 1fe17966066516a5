"""What is signed to a site stands in the manual, octet by octet: its vectors are these."""

import re
from pathlib import Path

import pytest

from arbitre.crypto.keys import Key
from arbitre.crypto.passwords import Work, secret
from arbitre.kref.file import call_message, entry_message
from arbitre.kref.requests import show_message

PAGES = [Path(__file__).parents[2] / "docs" / part / "sealing.md" for part in (".", "fr")]
SITE, GAME, HEAD = "https://arbitre.example", "ab" * 16, "cd" * 32


@pytest.mark.parametrize("page", PAGES, ids=["English", "French"])
def test_the_vectors_of_the_manual(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    call = re.search(r'^`(\{"black".*\})`', text, re.MULTILINE)
    assert call is not None
    key = Key(b"\x33" * 32)
    password = secret("black's secret", b"\x11" * 16, Work(2, 65_536))
    assert re.findall(r"^\| .* \| `([0-9a-f]{64,128})` \|$", text, re.MULTILINE) == [
        key.sign(call_message(call[1])).hex(),
        key.sign(show_message(SITE, GAME, HEAD)).hex(),
        key.sign(entry_message(SITE, GAME, HEAD, "0t:e2e4")).hex(),
        password.key.public.hex(),
    ]


def test_the_octets_of_the_manual() -> None:
    """Said once more here, by hand."""
    tail = bytes.fromhex(GAME + HEAD)
    assert call_message("{}") == b"arbitre/ksg-call/2\0{}"
    assert show_message(SITE, GAME, HEAD) == b"arbitre/ksg-show/2\0https://arbitre.example\0" + tail
    assert entry_message("", GAME, HEAD, "0r") == b"arbitre/ksg-entry/2\0\0" + tail + b"0r"
