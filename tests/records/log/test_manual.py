"""The page of the manual on the log has the values that the program makes, in both languages."""

from pathlib import Path

import pytest

from arbitre.crypto.chain import leaf, salt
from arbitre.crypto.keys import Key
from arbitre.records.log.checkpoint import sign_checkpoint
from arbitre.records.log.entries import opened_entry, sealed_entry
from arbitre.records.log.note import PLAIN, Verifier
from arbitre.records.log.successors import succeed
from arbitre.records.log.tiles import Tile, levels_of, tiles_of
from arbitre.records.log.tree import leaf_hash, node_hash
from arbitre.web.doors import declared
from arbitre.web.pages import transparency

DOCS = Path(__file__).parent.parent.parent.parent / "docs"
SEED = bytes(range(32))
OPENING = b'{"at":0,"kind":"opened","seat":-1,"text":"{}","turn":0}'


@pytest.mark.parametrize("page", ["log.md", "fr/log.md"])
def test_the_vectors_of_the_page(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    opened = opened_entry(salt(SEED, 0), leaf(salt(SEED, 0), OPENING)).octets()
    sealed = sealed_entry(salt(SEED, 0), salt(SEED, 1), "{}").octets()
    root = node_hash(leaf_hash(opened), leaf_hash(sealed))
    for octets in (opened, leaf_hash(opened), sealed, leaf_hash(sealed), root):
        assert f"`{octets.hex()}`" in text
    turn = succeed(Key(b"\x11" * 32), Key(b"\x22" * 32), Key(SEED).public)
    assert f"`{turn.line}`" in text
    assert f"`{turn.entry.octets().hex()}`" in text
    assert f"`{Verifier('games.example/log', PLAIN, Key(SEED).public).text}`" in text
    assert f"```text\n{sign_checkpoint('games.example/log', 2, root, Key(SEED)).note.whole()}```" in text
    partial = [tile for level in range(levels_of(70_000)) for tile in tiles_of(70_000, level) if tile.width < 256]
    for tile in (Tile(0, 1234067), *partial):
        assert f"`{tile.path}`" in text


def test_the_page_names_every_address() -> None:
    text = (DOCS / "log.md").read_text(encoding="utf-8")
    for route in declared(transparency):
        for path in route.paths:
            assert f"`{path.removeprefix('/log/').partition('{')[0]}" in text
