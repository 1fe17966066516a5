"""Chain, draws and keys: vectors that another implementation must reproduce, and what must hold always."""

import stat
from collections import Counter
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.crypto.chain import START, commitment, derive, fold, leaf, salt
from arbitre.crypto.draws import draw, mix, promise
from arbitre.crypto.keys import ORDER, Key, keep, signed
from arbitre.crypto.statements import (
    SeatState,
    Statement,
    Subject,
    code_hash,
    opening_hash,
    seats_hash,
    view_hash,
)
from arbitre.errors import HouseError, KeyFileError
from tests.reasons import raises

SEED = bytes(range(32))


def statements() -> dict[str, str]:
    """Return the vectors of what is signed, about an event 0 that says nothing."""
    line = b'{"at":0,"kind":"opened","seat":-1,"text":"{}","turn":0}'
    referee, player = Key(SEED), Key(b"\x33" * 32)
    first = leaf(salt(SEED, 0), line)
    subject = Subject(opening_hash(line), 1, fold(START, first))
    played = subject.sign(player, Statement.PLAYED, 0)
    seats = [(SeatState.SIGNED, player.public, "", played), (SeatState.KEYLESS, b"", "", b"")]
    assert len(subject.message(Statement.CALLED)) == 123
    return {
        "opening hash": subject.opening.hex(),
        "leaf 0": first.hex(),
        "head 1": subject.head.hex(),
        "kind 1 by the referee": subject.sign(referee, Statement.CALLED).hex(),
        "kind 2 by seat 0": subject.sign(player, Statement.AGREED, 0).hex(),
        "kind 3 by seat 0": played.hex(),
        "kind 4 by seat 0, `head`": subject.sign(player, Statement.DISPUTED, 0, code_hash("head")).hex(),
        "rest of kind 5": seats_hash(seats).hex(),
        "kind 5 by the referee": subject.sign(referee, Statement.SEALED, rest=seats_hash(seats)).hex(),
        "view": view_hash("000000000 1"),
    }


def test_statements_are_those_that_were_agreed() -> None:
    found = statements()
    for name, begins, ends in (
        ("opening hash", "65aa647eac8091f4", "62627f629d4c9bf1af3bfa10"),
        ("leaf 0", "1bc6a46ecd858838", "4ebcbc286a60106a2c"),
        ("head 1", "3e917823d84dca78", "14ac599978684fff9fdac"),
        ("kind 1 by the referee", "cf543b14ada742cb", "34ae8087ecb5e3803"),
        ("kind 3 by seat 0", "6f6bc4ee03c1ddb9", "be082d2fd62c0c"),
        ("rest of kind 5", "d2ed848b5e5aa283", "617c8db2f7a3"),
    ):
        assert found[name].startswith(begins), name
        assert found[name].endswith(ends), name
    kept = promise(b"\x11" * 32, commitment(SEED), "m-1", 0)
    assert kept == "28b33b3f4464c3367dbd39c4eb8254ca15c71b92d5fa1050aa44a62677f16de3"


SMALL = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]
"""The eight points that eight times are nothing."""

ODD = [
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]
"""Points that are not written in the one right way."""


@pytest.mark.parametrize("point", [*SMALL, *ODD])
def test_no_key_and_no_signature_of_small_order(point: str) -> None:
    """With such a key R = its own negative multiple and S = 0 fit every message in a verifier that does not look."""
    for head in (*SMALL, *ODD):
        assert not signed(bytes.fromhex(point), b"anything", bytes.fromhex(head) + bytes(32))
    good = Key(SEED)
    assert not signed(good.public, b"arbitre", bytes.fromhex(point) + good.sign(b"arbitre")[32:])


def test_a_signature_has_one_form() -> None:
    key = Key(SEED)
    head, scalar = key.sign(b"arbitre")[:32], int.from_bytes(key.sign(b"arbitre")[32:], "little")
    assert signed(key.public, b"arbitre", head + scalar.to_bytes(32, "little"))
    assert not signed(key.public, b"arbitre", head + (scalar + ORDER).to_bytes(32, "little"))


def test_vectors() -> None:
    """The manual's page on records prints these."""
    body = b'{"at":0,"kind":"said","seat":0,"text":"5","turn":1}'
    vectors = {
        "commitment": commitment(SEED),
        "salt 0": salt(SEED, 0).hex(),
        "salt 1": salt(SEED, 1).hex(),
        "leaf": leaf(salt(SEED, 0), body).hex(),
        "head": fold(START, leaf(salt(SEED, 0), body)).hex(),
        "mixed": mix(SEED, {}).hex(),
        "mixed with nonces": mix(SEED, {0: b"\x11" * 32, 1: b"\x22" * 32}).hex(),
        "promise": promise(b"\x11" * 32, commitment(SEED), "m-1", 0),
        "draws below 52": " ".join(str(draw(mix(SEED, {}), n, 52)) for n in range(8)),
        "public key": Key(SEED).public.hex(),
        "fingerprint": Key(SEED).fingerprint,
        "signature": Key(SEED).sign(b"arbitre").hex(),
        **statements(),
    }
    page = (Path(__file__).parent.parent.parent / "docs" / "records.md").read_text(encoding="utf-8")
    for name, vector in vectors.items():
        assert f"| {name} | `{vector}` |" in page, f"the manual lacks: | {name} | `{vector}` |"


@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**40), st.integers(1, 2**63))
def test_draws_are_in_range_and_repeatable(secret: bytes, number: int, below: int) -> None:
    drawn = draw(secret, number, below)
    assert 0 <= drawn < below
    assert draw(secret, number, below) == drawn


def test_draws_are_uniform() -> None:
    counts = Counter(draw(SEED, n, 6) for n in range(60_000))
    square = sum((counts[face] - 10_000) ** 2 / 10_000 for face in range(6))
    assert square < 20.5, "chi square of 5 degrees: exceeded once in a thousand"


def test_rejection_really_happens() -> None:
    below = 2**63 + 1
    assert len({draw(SEED, n, below) for n in range(200)}) == 200


@pytest.mark.parametrize("below", [0, -1, 2**64 + 1, 2**100])
def test_a_draw_without_end_is_refused(below: int) -> None:
    with raises(HouseError, "a game asks for 1 to 2"):
        draw(SEED, 0, below)


def test_uses_are_apart() -> None:
    assert len({salt(SEED, 0), derive(SEED, "a"), derive(SEED, "b"), mix(SEED, {}), bytes.fromhex(commitment(SEED))}) == 5


def test_a_leaf_hides_its_body() -> None:
    """The same body under another seed or at another place has another leaf: a table of guesses is of no use."""
    assert len({leaf(salt(seed, n), b"ABCD") for seed in (SEED, bytes(32)) for n in range(4)}) == 8


def test_signatures() -> None:
    key = Key(SEED)
    signature = key.sign(b"head")
    assert signed(key.public, b"head", signature)
    assert not signed(key.public, b"heap", signature)
    assert not signed(Key(bytes(32)).public, b"head", signature)
    assert not signed(key.public, b"head", signature[:-1])
    assert not signed(key.public, b"head", bytes(64))
    assert not signed(bytes(32), b"head", signature)
    assert not signed(b"", b"head", b"")


def test_a_key_is_made_once_and_kept_private(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "referee.key"
    key = keep(path)
    assert keep(path).public == key.public
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["referee.key"]


def fingerprint_of(path: Path) -> str:
    return keep(path).fingerprint


def test_programs_that_start_at_once_agree_on_one_key(tmp_path: Path) -> None:
    with get_context("spawn").Pool(2) as pool:
        assert len(set(pool.map(fingerprint_of, [tmp_path / "key"] * 16, chunksize=1))) == 1


@pytest.mark.parametrize("content", ["", "xyz", "00" * 31, "00" * 33, "\0"])
def test_a_spoilt_key_is_refused_and_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "key"
    path.write_text(content)
    with raises(KeyFileError, "key"):
        keep(path)
    assert path.read_text() == content


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises((KeyFileError, OSError)):
        keep(tmp_path / "file" / "key")
