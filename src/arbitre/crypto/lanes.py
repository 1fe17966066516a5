"""SHA-256 of very many short messages at once, thirty-two side by side.

The compiler turns the inner loops over the lanes into vector instructions, so a batch costs a fifteenth of as many calls of
`hashlib` (`make bench` measures it). Needs numba and numpy, which come with the extra `engines`; whoever imports this module
has a plain way for when they are missing, with the same answer.

The source is ordinary Python as well: every function's `py_func` does the same with numpy's integers, and the tests run it. Numba
widens the sum of two 32-bit integers, hence the many casts.
"""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
from numba import njit, uint32
from numpy.typing import NDArray

Octets = NDArray[np.uint8]
Words = NDArray[np.uint32]
Numbers = NDArray[np.int64]

P = ParamSpec("P")
R = TypeVar("R")

LANES = 32
BLOCK = 64
WORDS = 16
DIGEST = 32


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function at its first call, keep the machine code on disk, and let other threads run meanwhile."""
    return cast("Callable[P, R]", njit(nogil=True, cache=True, error_model="numpy")(function))


def _within(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function into its callers."""
    return cast("Callable[P, R]", njit(function))


def _root(number: int, power: int) -> int:
    """Return the integer root: the constants of SHA-256 are fractions of roots of primes."""
    low, high = 0, 1 << (number.bit_length() // power + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**power <= number else (low, middle - 1)
    return low


_PRIMES = [number for number in range(2, 312) if all(number % factor for factor in range(2, number))]
START = np.array([_root(prime << 64, 2) & 0xFFFFFFFF for prime in _PRIMES[:8]], np.uint32)
ADDED = np.array([_root(prime << 96, 3) & 0xFFFFFFFF for prime in _PRIMES], np.uint32)


@_within
def _turn(x: Any, by: int) -> Any:
    return uint32(uint32(x >> uint32(by)) | uint32(x << uint32(32 - by)))


@_within
def _swap(x: Any) -> Any:
    """Return a word with its octets in the other order: SHA-256 is big-endian and the machine is not."""
    return uint32((_turn(x, 8) & uint32(0xFF00FF00)) | (_turn(x, 24) & uint32(0x00FF00FF)))


@_within
def _first(e: Any, f: Any, g: Any, h: Any, added: Any) -> Any:
    return uint32(h + (_turn(e, 6) ^ _turn(e, 11) ^ _turn(e, 25)) + ((e & f) ^ (~e & g)) + added)


@_within
def _second(a: Any, b: Any, c: Any) -> Any:
    return uint32((_turn(a, 2) ^ _turn(a, 13) ^ _turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c)))


@_within
def _compress(w: Words, s: Words, u: Words) -> None:
    """Fold one block of every lane into the states `s`; row t of the schedule is w[t * LANES :], and `u` is scratch.

    Eight rounds stand in a row so that the eight variables come back to their places; all rows that the loop over the lanes
    touches lie in one array at fixed distances, without which the compiler could not tell them apart and would not use
    vectors.
    """
    n = LANES
    for t in range(16, 64):
        for i in range(n):
            x = w[(t - 15) * n + i]
            y = w[(t - 2) * n + i]
            low = _turn(x, 7) ^ _turn(x, 18) ^ (x >> uint32(3))
            high = _turn(y, 17) ^ _turn(y, 19) ^ (y >> uint32(10))
            w[t * n + i] = uint32(w[(t - 16) * n + i] + low + w[(t - 7) * n + i] + high)
    for i in range(8 * n):
        u[i] = s[i]
    for t in range(0, 64, 8):
        for j in range(8):
            added = ADDED[t + j]
            for i in range(n):
                u[(8 + j) * n + i] = uint32(added + w[(t + j) * n + i])
        for i in range(n):
            a, b, c, d = u[i], u[n + i], u[2 * n + i], u[3 * n + i]
            e, f, g, h = u[4 * n + i], u[5 * n + i], u[6 * n + i], u[7 * n + i]
            h = _first(e, f, g, h, u[8 * n + i])
            d = uint32(d + h)
            h = uint32(h + _second(a, b, c))
            g = _first(d, e, f, g, u[9 * n + i])
            c = uint32(c + g)
            g = uint32(g + _second(h, a, b))
            f = _first(c, d, e, f, u[10 * n + i])
            b = uint32(b + f)
            f = uint32(f + _second(g, h, a))
            e = _first(b, c, d, e, u[11 * n + i])
            a = uint32(a + e)
            e = uint32(e + _second(f, g, h))
            d = _first(a, b, c, d, u[12 * n + i])
            h = uint32(h + d)
            d = uint32(d + _second(e, f, g))
            c = _first(h, a, b, c, u[13 * n + i])
            g = uint32(g + c)
            c = uint32(c + _second(d, e, f))
            b = _first(g, h, a, b, u[14 * n + i])
            f = uint32(f + b)
            b = uint32(b + _second(c, d, e))
            a = _first(f, g, h, a, u[15 * n + i])
            e = uint32(e + a)
            a = uint32(a + _second(b, c, d))
            u[i], u[n + i], u[2 * n + i], u[3 * n + i] = a, b, c, d
            u[4 * n + i], u[5 * n + i], u[6 * n + i], u[7 * n + i] = e, f, g, h
    for i in range(8 * n):
        s[i] = uint32(s[i] + u[i])


@_within
def _fill(row: Octets, data: Octets, start: int, size: int, block: int) -> None:
    """Put one padded block of a message into a row of 64 octets."""
    begin = block * BLOCK
    taken = min(max(size - begin, 0), BLOCK)
    part = data[start + begin : start + begin + taken]
    for i in range(taken):
        row[i] = part[i]
    for i in range(taken, BLOCK):
        row[i] = 0
    if 0 <= size - begin < BLOCK:
        row[size - begin] = 0x80
    if begin + BLOCK >= size + 9:
        bits = size * 8
        for i in range(8):
            row[BLOCK - 1 - i] = (bits >> (8 * i)) & 0xFF


@compiled
def sha256_many(data: Octets, starts: Numbers, sizes: Numbers) -> Octets:
    """Return the digests, a row of 32 octets each, of the messages that begin at `starts` of `data` and have `sizes` octets."""
    total = len(starts)
    digests = np.empty((total, DIGEST // 4), np.uint32)
    rows = np.zeros((LANES, BLOCK), np.uint8)
    words = rows.view(np.uint32)
    w = np.zeros(64 * LANES, np.uint32)
    s = np.zeros(8 * LANES, np.uint32)
    u = np.zeros(16 * LANES, np.uint32)
    for first in range(0, total, LANES):
        used = min(LANES, total - first)
        most = 0
        for i in range(used):
            most = max(most, (sizes[first + i] + 8) // BLOCK + 1)
        for k in range(8):
            for i in range(LANES):
                s[k * LANES + i] = START[k]
        for block in range(most):
            for i in range(used):
                _fill(rows[i], data, starts[first + i], sizes[first + i], block)
            for i in range(used):
                for t in range(WORDS):
                    w[t * LANES + i] = _swap(words[i, t])
            _compress(w, s, u)
            for i in range(used):
                if block == (sizes[first + i] + 8) // BLOCK:
                    for k in range(8):
                        digests[first + i, k] = _swap(s[k * LANES + i])
    return digests.view(np.uint8)
