"""SHA-256 in lanes gives what hashlib gives, compiled or not."""

import warnings
from hashlib import sha256
from random import Random
from typing import Any

import pytest

numpy = pytest.importorskip("numpy")
pytest.importorskip("numba")

from arbitre.crypto.lanes import LANES, sha256_many  # noqa: E402 - after the skips

EDGES = (0, 1, 33, 36, 54, 55, 56, 63, 64, 65, 118, 119, 120, 127, 128, 129, 1_000)
"""Lengths around which a message needs one block more."""


def digests(function: Any, messages: list[bytes]) -> list[bytes]:
    sizes = numpy.array([len(one) for one in messages], numpy.int64)
    starts = numpy.cumsum(sizes) - sizes
    data = numpy.frombuffer(b"".join(messages) + b"\xff", numpy.uint8)
    return [bytes(row) for row in function(data, starts, sizes)]


@pytest.mark.parametrize("count", [0, 1, LANES - 1, LANES, LANES + 1, 500])
def test_every_number_of_messages_of_mixed_lengths(count: int) -> None:
    random = Random(count)
    messages = [random.randbytes(random.choice(EDGES)) for _ in range(count)]
    assert digests(sha256_many, messages) == [sha256(one).digest() for one in messages]


def test_the_longest_nonce() -> None:
    messages = [b"", bytes(65_539), b"abc"]
    assert digests(sha256_many, messages) == [sha256(one).digest() for one in messages]


def test_the_source_runs_without_the_compiler() -> None:
    """A bad index raises there, where the compiled code would read on."""
    messages = [bytes(size) for size in (0, 55, 56, 64)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy warns where the sums of words wrap around, as they should
        found = digests(sha256_many.py_func, messages)  # type: ignore[attr-defined]
    assert found == [sha256(one).digest() for one in messages]
