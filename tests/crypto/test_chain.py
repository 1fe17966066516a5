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
from arbitre.crypto.keys import Key, keep, signed
from arbitre.errors import HouseError, KeyFileError
from tests.reasons import raises

SEED = bytes(range(32))


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
        "promise": promise(b"\x11" * 32),
        "draws below 52": " ".join(str(draw(mix(SEED, {}), n, 52)) for n in range(8)),
        "public key": Key(SEED).public.hex(),
        "fingerprint": Key(SEED).fingerprint,
        "signature": Key(SEED).sign(b"arbitre").hex(),
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
