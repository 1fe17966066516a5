"""Notes, checkpoints, tiles, proofs and entries: the formats to the octet, and what is not in form is told in one line."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.crypto.chain import leaf, salt
from arbitre.crypto.keys import Key
from arbitre.errors import ArbitreError, LogError, LogForkError
from arbitre.records.log.checkpoint import LogProof, read_checkpoint, read_proof, sign_checkpoint
from arbitre.records.log.entries import EntryKind, opened_entry, read_entry, sealed_entry
from arbitre.records.log.note import (
    PLAIN,
    WITNESS,
    Note,
    Verifier,
    check,
    cosign,
    merged,
    read_note,
    read_verifier,
    sign,
)
from arbitre.records.log.tiles import ENTRIES, Tile, bundled, levels_of, read_bundle, read_path, read_tile, tiles_of
from arbitre.records.log.tree import EMPTY, leaf_hash
from tests.reasons import raises

KEY = Key(bytes(range(32)))
ORIGIN = "games.example/log"

# ── notes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

PUBLISHED = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
PUBLISHED_NOTE = (
    "This is an example message.\n\n— example.com/foo "
    "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
"""The example of the specification of notes."""


def test_the_published_example_holds() -> None:
    verifier = read_verifier(PUBLISHED)
    note = read_note(PUBLISHED_NOTE.encode())
    assert check(note, verifier)
    assert verifier.text == PUBLISHED
    assert note.whole() == PUBLISHED_NOTE


def test_a_note_is_read_as_it_was_written() -> None:
    text = "first\n\nthird, after an empty line\n"
    note = Note(text, (sign(text, "a.example", KEY), cosign(text, "witness.example/w", KEY, 1_679_315_147)))
    assert read_note(note.whole().encode()) == note
    assert check(note, Verifier("a.example", PLAIN, KEY.public))
    assert check(note, Verifier("witness.example/w", WITNESS, KEY.public))
    for stranger in (Verifier("b.example", PLAIN, KEY.public), Verifier("a.example", WITNESS, KEY.public)):
        assert not check(note, stranger)
    assert merged(note, note.signatures) == note


def test_a_signature_that_claims_a_known_key_and_is_false_spoils_the_note() -> None:
    note = Note("one\n", (sign("another\n", "a.example", KEY),))
    with raises(LogForkError, "is false"):
        check(note, Verifier("a.example", PLAIN, KEY.public))
    late = Note("one\n", (cosign("one\n", "w", KEY, 5),))
    moved = Note("one\n", tuple(type(one)(one.name, one.ident, b"\0" * 8 + one.octets[8:]) for one in late.signatures))
    with raises(LogForkError, "is false"):
        check(moved, Verifier("w", WITNESS, KEY.public))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"text\n",
        b"text\n\n",
        b"\n\n\xe2\x80\x94 a AAAAAAA=\n",
        "text\n\n— a\n".encode(),
        "text\n\n— a AAAA\n".encode(),
        b"text\n\n- a AAAAAAA=\n",
        "text\n\n— a AAAAAAB=\n".encode(),
        "text\n\n— a+b AAAAAAA=\n".encode(),
        "text\n\n— a AAAAAAA=".encode(),
        "te\rxt\n\n— a AAAAAAA=\n".encode(),
        "text\n\n— a AAAAAAA=\n".encode("utf-16"),
        b"text\n\n" + "— a AAAAAAA=\n".encode() * 129,
        b"x" * 70_000 + "\n\n— a AAAAAAA=\n".encode(),
    ],
)
def test_what_is_no_note_is_told(data: bytes) -> None:
    with pytest.raises(LogError):
        read_note(data)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a+b",
        "example.com/foo+530d903b" + PUBLISHED[24:],
        PUBLISHED + "A",
        PUBLISHED.replace("+Ae", "+Be"),
        "a b" + PUBLISHED,
    ],
)
def test_what_is_no_key_is_told(text: str) -> None:
    with pytest.raises(LogError):
        read_verifier(text)


# ── checkpoints and proofs ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_checkpoint_is_three_lines() -> None:
    made = sign_checkpoint(ORIGIN, 0, EMPTY, KEY)
    assert made.note.text == f"{ORIGIN}\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
    assert read_checkpoint(made.note.whole().encode()) == made
    assert check(made.note, Verifier(ORIGIN, PLAIN, KEY.public))


@pytest.mark.parametrize(
    "text",
    [
        f"{ORIGIN}\n1\n",
        f"{ORIGIN}\n01\n{'A' * 43}=\n",
        f"{ORIGIN}\n-1\n{'A' * 43}=\n",
        f"{ORIGIN}\n٣\n{'A' * 43}=\n",
        f"{ORIGIN}\n{1 << 62}0\n{'A' * 43}=\n",
        f"{ORIGIN}\n{'9' * 5_000}\n{'A' * 43}=\n",
        f"{ORIGIN}\n1\n{'A' * 42}\n",
        f"{ORIGIN}\n1\n{'A' * 43}=\n\nmore\n",
        f"\n1\n{'A' * 43}=\n",
        f"an origin\n1\n{'A' * 43}=\n",
    ],
)
def test_what_is_no_checkpoint_is_told(text: str) -> None:
    with pytest.raises(LogError):
        read_checkpoint(Note(text, (sign(text, ORIGIN, KEY),)).whole().encode())


def test_a_proof_is_read_as_it_was_written() -> None:
    proof = LogProof(7, (bytes(32), bytes(range(32))), sign_checkpoint(ORIGIN, 9, bytes(32), KEY))
    text = proof.text()
    assert text.startswith("c2sp.org/tlog-proof@v1\nindex 7\nAAAA")
    assert read_proof(text.encode()) == proof
    assert read_proof(text.replace("index", "extra YWdl\nindex").encode()) == proof
    none = LogProof(0, (), proof.checkpoint)
    assert read_proof(none.text().encode()) == none


@given(st.integers(0, 1 << 32), st.integers(0, 6))
def test_a_damaged_proof_is_told_or_reads_otherwise(seed: int, count: int) -> None:
    random = Random(seed)
    proof = LogProof(7, tuple(random.randbytes(32) for _ in range(count)), sign_checkpoint(ORIGIN, 9, bytes(32), KEY))
    data = bytearray(proof.text().encode())
    match random.randrange(4):
        case 0:
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        case 1:
            del data[random.randrange(len(data)) :]
        case 2:
            at = random.randrange(len(data))
            data[at:at] = random.randbytes(random.choice((1, 3, 200_000)))
        case 3:
            data = bytearray(random.randbytes(300))
    try:
        found = read_proof(bytes(data))
    except ArbitreError as error:
        told = str(error)
    else:
        assert found != proof
        told = ""
    assert "\n" not in told
    assert len(told) < 300


# ── tiles ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (Tile(0, 0), "tile/0/000"),
        (Tile(1, 0, 1), "tile/1/000.p/1"),
        (Tile(0, 1234067), "tile/0/x001/x234/067"),
        (Tile(ENTRIES, 1234067, 255), "tile/entries/x001/x234/067.p/255"),
        (Tile(2, 999), "tile/2/999"),
        (Tile(2, 1000), "tile/2/x001/000"),
    ],
)
def test_a_tile_has_one_path(tile: Tile, path: str) -> None:
    assert tile.path == path
    assert read_path(path) == tile


@pytest.mark.parametrize(
    "path",
    [
        "tile/0/0", "tile/0/0000", "tile/00/000", "tile/8/000", "tile/63/000", "tile/-1/000", "tile/0/x000/001", "tile/0/001/002",
        "tile/0/x001", "tile/0/000.p/0", "tile/0/000.p/256", "tile/0/000.p/01", "tile/0/000.p/", "tile/0/000/", "/tile/0/000",
        "tile/data/000", "tile/0/٠٠٠", "tile/7/x999/x999/x999/x999/x999/999", "tile/0/" + "x001/" * 40 + "000", "", "checkpoint",
    ],
)  # fmt: skip
def test_nothing_else_is_a_path(path: str) -> None:
    assert read_path(path) is None


def test_the_tiles_of_a_tree() -> None:
    def widths(size: int) -> list[list[int]]:
        return [[tile.width for tile in tiles_of(size, level)] for level in range(levels_of(size))]

    assert [tile.path for level in range(levels_of(256)) for tile in tiles_of(256, level)] == ["tile/0/000", "tile/1/000.p/1"]
    assert widths(70_000) == [[256] * 273 + [112], [256, 17], [1]]
    assert widths(1) == [[1]]
    assert widths(0) == []
    for size in (1, 255, 256, 257, 65_535, 65_536, 70_000):
        for level in range(levels_of(size)):
            assert all(tile.within(size) for tile in tiles_of(size, level))
            last = list(tiles_of(size, level))[-1]
            more = Tile(level, last.number, last.width + 1) if last.width < 256 else Tile(level, last.number + 1, 1)
            assert not more.within(size)


def test_bundles_and_tiles_are_read_strictly() -> None:
    entries = [bytes(49), b"", b"x" * 65_535]
    assert read_bundle(bundled(entries), 3) == entries
    for data, width in ((bundled(entries), 2), (bundled(entries), 4), (bundled(entries)[:-1], 3), (b"\0", 1), (b"\xff\xff", 1)):
        with pytest.raises(LogError):
            read_bundle(data, width)
    assert read_tile(bytes(64), 2) == [bytes(32)] * 2
    for octets in (0, 63, 65, 96):
        with pytest.raises(LogError):
            read_tile(bytes(octets), 2)


# ── entries ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_vector_of_an_opening() -> None:
    seed = bytes(range(32))
    line = b'{"at":0,"kind":"opened","seat":-1,"text":"{}","turn":0}'
    first = leaf(salt(seed, 0), line)
    assert first.hex() == "1bc6a46ecd85883877074d3427a6709a421b4c1170110b4ebcbc286a60106a2c"
    octets = opened_entry(salt(seed, 0), first).octets()
    assert octets.hex() == ("0159619dfa38d0b99106742db4b100071e1bc6a46ecd85883877074d3427a6709a421b4c1170110b4ebcbc286a60106a2c")
    assert leaf_hash(octets).hex() == "379ae2e1cc323a4a2ff7231076ef0a89cb96464666c6543e272b67f5a1cee48c"


def test_an_entry_has_49_octets_and_one_of_three_kinds() -> None:
    sealed = sealed_entry(b"first", b"last", "{}")
    assert (sealed.kind, sealed.tag) == (EntryKind.SEALED, opened_entry(b"first", bytes(32)).tag)
    assert read_entry(sealed.octets()) == sealed
    for octets in (b"", bytes(49), b"\4" + bytes(48), b"\1" + bytes(47), b"\1" + bytes(49)):
        with pytest.raises(LogError):
            read_entry(octets)
