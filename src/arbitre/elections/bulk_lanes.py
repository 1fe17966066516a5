"""The steps of a large settlement with vector kernels: the same answer as `bulk_plain`, many times faster.

The kernels read the lines and records that programs write: the three members in any order, plain ASCII names, payloads of
the right length. They only ever *accept*: whatever they do not understand, or find wrong in any way, is left to the plain
steps, which know every rule and every reason.
"""

import sys
from collections import Counter
from collections.abc import Collection, Iterable
from threading import local
from typing import cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from arbitre.crypto.lanes import Numbers, Octets, compiled, sha256_many
from arbitre.elections.bulk_plain import Batch, Column, Counts, Plain, collect
from arbitre.elections.terms import BINDER_OCTETS, NONCE_OCTETS, SAFE_NONCE, Mode, Terms
from arbitre.elections.transcript import Chunk

Naturals = NDArray[np.uint64]

C = 32
"""Octets of C: the kernels know SHA-256."""
COMMIT = C + 2
MOST_STATES = 2**56
"""Beyond this a digest cannot be reduced octet by octet in 64 bits."""

PLACE, NAME, NAME_SIZE, BODY, BODY_SIZE, NONCE, STATE, KEY = range(8)
"""What the kernels tell of each party: where its line, its name and its decoded Reveal begin, their lengths, q, and the
name's number."""
FIELDS = 8

QUOTE, COMMA, COLON, BACKSLASH, OPEN, CLOSE, NEWLINE = map(ord, '",:\\{}\n')
ADLER = 65521

_CRC = np.array([crc32(bytes([octet ^ 0xFF])) ^ 0xFF000000 for octet in range(256)], np.uint32)
_MEMBERS = np.frombuffer(b"playercommitreveal", np.uint8).reshape(3, 6).copy()


def able(terms: Terms) -> bool:
    """Tell whether the kernels can do this game."""
    return terms.hash == "sha256" and terms.states < MOST_STATES and sys.byteorder == "little"


@compiled
def _key(data: Octets, start: int, size: int) -> int:
    """Return the number of a name, CRC-32 beside Adler-32, as `bulk_plain.key` does."""
    crc = np.uint32(0xFFFFFFFF)
    # a name is too short for the sums to overflow, so they are reduced once
    low, high = 1, 0
    for i in range(start, start + size):
        octet = data[i]
        crc = _CRC[(crc ^ octet) & np.uint32(0xFF)] ^ (crc >> np.uint32(8))
        low += octet
        high += low
    return (np.uint64(crc ^ np.uint32(0xFFFFFFFF)) << np.uint64(32)) | np.uint64((high % ADLER) << 16 | low % ADLER)  # type: ignore[return-value]


@compiled
def _nonce(bodies: Octets, at: int, size: int, kinds: tuple[int, int, int]) -> int:
    """Return the length of the nonce if a Reveal has the right type and length, −1 otherwise."""
    if size < 4 or (np.int64(bodies[at]) << 8 | bodies[at + 1]) != kinds[1]:
        return -1
    nonce = np.int64(bodies[at + 2]) << 8 | bodies[at + 3]
    return nonce if size == 4 + nonce + kinds[2] else -1


@compiled
def _finish(data: Octets, bodies: Octets, rows: Numbers, index: int, width: int) -> None:
    """Tell q, the last octets of the Reveal, and the number of the name."""
    end = rows[index, BODY] + rows[index, BODY_SIZE]
    state = np.uint64(0)
    for i in range(end - width, end):
        state = state << np.uint64(8) | np.uint64(bodies[i])
    rows[index, STATE] = np.int64(state)
    rows[index, KEY] = np.int64(_key(data, rows[index, NAME], rows[index, NAME_SIZE]))


@compiled
def _blank(data: Octets, at: int) -> int:
    while at < len(data) and (data[at] == 32 or data[at] == 9 or data[at] == 13):
        at += 1
    return at


@compiled
def _is(data: Octets, at: int, octet: int) -> bool:
    return at < len(data) and data[at] == octet


@compiled
def _member(data: Octets, at: int) -> int:
    """Return which member is named here, with its marks, −1 for none of the three."""
    if at + 8 > len(data) or data[at] != QUOTE or data[at + 7] != QUOTE:
        return -1
    member = 0 if data[at + 1] == _MEMBERS[0, 0] else 1 if data[at + 1] == _MEMBERS[1, 0] else 2
    for i in range(6):
        if data[at + 1 + i] != _MEMBERS[member, i]:
            return -1
    return member


@compiled
def _nibble(octet: np.uint8) -> np.uint8:
    """Return the value of a hexadecimal digit, 255 for anything else; without a table, so that it can be done in vectors."""
    digit = np.uint8(octet - np.uint8(48))
    letter = np.uint8((octet | np.uint8(32)) - np.uint8(97))
    return digit if digit < 10 else (np.uint8(letter + np.uint8(10)) if letter < 6 else np.uint8(255))


@compiled
def _hexadecimal(data: Octets, at: int, into: Octets, to: int, guess: int) -> int:
    """Decode the digits that begin here; return how many octets they make, −1 if they do not end with a quotation mark.

    `guess` is how many they were in the line before: if it is right, no octet need be asked whether it is the last.
    """
    if not _is(data, at + 2 * guess, QUOTE):
        guess = 0
        while at + 2 * guess + 1 < len(data) and _nibble(data[at + 2 * guess]) < 16:
            guess += 1
        if not _is(data, at + 2 * guess, QUOTE):
            return -1
    # slices that begin at their first octet: an index that might be negative would be tested each time, and spoil the vectors
    digits, octets = data[at : at + 2 * guess], into[to : to + guess]
    wrong = np.uint8(0)
    for i in range(guess):
        high, low = _nibble(digits[2 * i]), _nibble(digits[2 * i + 1])
        wrong = np.uint8(wrong | high | low)
        octets[i] = np.uint8((high << np.uint8(4)) | low)
    return guess if wrong < 16 else -1


@compiled
def _line(  # noqa: PLR0912 - a kernel: no objects, no calls that cost
    data: Octets, at: int, commits: Octets, good: int, bodies: Octets, used: int, rows: Numbers, guess: int
) -> int:
    """Take one line to pieces; return where its end is, −1 if it is not of the usual kind."""
    at = _blank(data, at)
    if not _is(data, at, OPEN):
        return -1
    had = 0
    while True:
        at = _blank(data, at + 1)
        member = _member(data, at)
        if member < 0 or had & (1 << member):
            return -1
        had |= 1 << member
        at = _blank(data, at + 8)
        if not _is(data, at, COLON):
            return -1
        at = _blank(data, at + 1)
        if not _is(data, at, QUOTE):
            return -1
        at += 1
        if member == 0:
            start = at
            while at < len(data) and 32 <= data[at] <= 126 and data[at] != QUOTE and data[at] != BACKSLASH:
                at += 1
            rows[good, NAME], rows[good, NAME_SIZE] = start, at - start
            if not _is(data, at, QUOTE) or not 1 <= at - start <= 255:
                return -1
        elif member == 1:
            if not _is(data, at + 2 * COMMIT, QUOTE) or _hexadecimal(data, at, commits, good * COMMIT, COMMIT) != COMMIT:
                return -1
            at += 2 * COMMIT
        else:
            size = _hexadecimal(data, at, bodies, used, guess)
            if size < 0:
                return -1
            rows[good, BODY_SIZE] = size
            at += 2 * size
        at = _blank(data, at + 1)
        if _is(data, at, COMMA):
            continue
        if not _is(data, at, CLOSE) or had != 7:
            return -1
        at = _blank(data, at + 1)
        return at if at == len(data) or data[at] == NEWLINE else -1


@compiled
def _read_lines(
    data: Octets, kinds: tuple[int, int, int], rows: Numbers, commits: Octets, bodies: Octets, odd: Numbers
) -> tuple[int, int]:
    """Read lines; return how many of the usual kind there are, and how many places of others `odd` holds."""
    good = bad = at = used = guess = 0
    while at < len(data):
        rows[good, PLACE] = at
        end = _line(data, at, commits, good, bodies, used, rows, guess)
        nonce = -1
        if end >= 0:
            guess = rows[good, BODY_SIZE]
            if (np.int64(commits[good * COMMIT]) << 8 | commits[good * COMMIT + 1]) == kinds[0]:
                nonce = _nonce(bodies, used, guess, kinds)
        else:
            end = at
            while end < len(data) and data[end] != NEWLINE:
                end += 1
        if nonce >= 0:
            rows[good, BODY], rows[good, NONCE] = used, nonce
            _finish(data, bodies, rows, good, kinds[2])
            used += guess
            good += 1
        else:
            odd[bad] = at
            bad += 1
        at = end + 1
    return good, bad


@compiled
def _read_records(
    data: Octets, kinds: tuple[int, int, int], rows: Numbers, commits: Octets, bodies: Octets, odd: Numbers
) -> tuple[int, int]:
    """Read records; as `_read_lines`, but −1 when the block is broken."""
    good = bad = at = used = 0
    total = len(data)
    while at < total:
        name, named = at + 1, np.int64(data[at])
        after = name + named
        if after + 2 > total:
            return -1, 0
        size = np.int64(data[after]) << 8 | data[after + 1]
        commit = after + 2
        after = commit + size
        if after + 4 > total:
            return -1, 0
        long = np.int64(data[after]) << 24 | np.int64(data[after + 1]) << 16 | np.int64(data[after + 2]) << 8 | data[after + 3]
        reveal = after + 4
        if reveal + long > total:
            return -1, 0
        nonce = -1
        if named > 0 and size == COMMIT and (np.int64(data[commit]) << 8 | data[commit + 1]) == kinds[0]:
            nonce = _nonce(data, reveal, long, kinds)
        for i in range(name, name + named):
            # whether other names are UTF-8 is not decided here
            nonce = nonce if data[i] < 128 else -1
        if nonce >= 0:
            for i in range(COMMIT):
                commits[good * COMMIT + i] = data[commit + i]
            for i in range(long):
                bodies[used + i] = data[reveal + i]
            rows[good, PLACE], rows[good, NAME], rows[good, NAME_SIZE] = at, name, named
            rows[good, BODY], rows[good, BODY_SIZE], rows[good, NONCE] = used, long, nonce
            _finish(data, bodies, rows, good, kinds[2])
            used += long
            good += 1
        else:
            odd[bad] = at
            bad += 1
        at = reveal + long
    return good, bad


@compiled
def _residues(digests: Octets, modulus: np.uint64) -> Naturals:
    """Return each digest modulo N."""
    residues = np.zeros(len(digests), np.uint64)
    for index in range(len(digests)):
        rest = np.uint64(0)
        if modulus < np.uint64(1 << 32):
            for i in range(0, 32, 4):
                word = (
                    np.uint64(digests[index, i]) << np.uint64(24)
                    | np.uint64(digests[index, i + 1]) << np.uint64(16)
                    | np.uint64(digests[index, i + 2]) << np.uint64(8)
                    | np.uint64(digests[index, i + 3])
                )
                rest = (rest << np.uint64(32) | word) % modulus
        else:
            for i in range(32):
                rest = (rest << np.uint64(8) | np.uint64(digests[index, i])) % modulus
        residues[index] = rest
    return residues


@compiled
def _binders(data: Octets, rows: Numbers, prefix: Octets, messages: Octets) -> Numbers:
    """Write what the binder of each party is the hash of; return where each message begins, and where the last ends."""
    starts = np.zeros(len(rows) + 1, np.int64)
    at = 0
    for index in range(len(rows)):
        starts[index] = at
        messages[at : at + len(prefix)] = prefix
        at += len(prefix) + 2
        messages[at - 2] = rows[index, NAME_SIZE] >> 8
        messages[at - 1] = rows[index, NAME_SIZE] & 0xFF
        for i in range(rows[index, NAME_SIZE]):
            messages[at + i] = data[rows[index, NAME] + i]
        at += rows[index, NAME_SIZE]
    starts[len(rows)] = at
    return starts


_LOCAL = local()


def _desk(parties: int, octets: int) -> tuple[Numbers, Octets, Octets, Numbers]:
    """Return room to work in, the same for each chunk of a thread: fresh memory costs more than what is done in it."""
    desk: tuple[Numbers, Octets, Octets, Numbers] | None = getattr(_LOCAL, "desk", None)
    if desk is None or len(desk[3]) < parties or len(desk[2]) < octets:
        desk = _LOCAL.desk = (
            np.empty((parties, FIELDS), np.int64),
            np.empty(parties * COMMIT, np.uint8),
            np.empty(octets, np.uint8),
            np.empty(parties, np.int64),
        )
    return desk


class Lanes(Plain):
    """The steps that pay, as kernels."""

    def examine(self, terms: Terms, chunk: Chunk) -> Batch:
        """Judge every party of a chunk: the usual kind here, all others by the plain steps."""
        data = np.frombuffer(chunk.data, np.uint8)
        # a line has at least its end, and room that is never touched costs nothing
        rows, commits, bodies, odd = _desk(len(data) // (7 if chunk.compact else 1) + 1, len(data) + 8)
        kinds = (terms.commit_type, terms.reveal_type, terms.width)
        read = _read_records if chunk.compact else _read_lines
        good, bad = read(data, kinds, rows, commits, bodies, odd)
        if good < 0:
            return super().examine(terms, chunk)
        rows, commits = rows[:good], commits[: good * COMMIT].reshape(-1, COMMIT)[:, 2:]
        states = rows[:, STATE].view(np.uint64)
        fine = self._fine(terms, data, rows, commits, bodies, states)
        places = rows[:, PLACE] + chunk.offset
        keys = rows[:, KEY]
        if bad or not fine.all():
            doubtful = np.sort(np.concatenate((rows[~fine, PLACE], odd[:bad])))
            left = collect(terms, chunk.said_at(doubtful.tolist()))
            commits, states, places, keys = commits[fine], states[fine], places[fine], keys[fine]
        else:
            left = collect(terms, ())
        column = Column(
            commits.tobytes() + left.contestants.commits,
            states.tobytes() + left.contestants.states,
            places.tobytes() + left.contestants.places,
        )
        parties = places.tobytes() + left.places
        return Batch(column, keys.tobytes() + left.keys, parties, left.excluded, left.short, left.others)

    def _fine(
        self, terms: Terms, data: Octets, rows: Numbers, commits: Octets, bodies: Octets, states: Naturals
    ) -> NDArray[np.bool_]:
        """Tell of each party whether it is a contestant without any doubt."""
        opened = sha256_many(bodies, rows[:, BODY] + 4, rows[:, BODY_SIZE] - 4)
        fine: NDArray[np.bool_] = (opened == commits).all(axis=1)
        fine &= (states >= np.uint64(terms.least_state)) & (states < np.uint64(terms.states))
        if terms.mode is Mode.DRAFT:
            fine &= rows[:, NONCE] >= SAFE_NONCE
            return fine
        fine &= rows[:, NONCE] == NONCE_OCTETS + BINDER_OCTETS
        prefix = np.frombuffer(terms.binding(), np.uint8)
        messages = np.zeros(len(rows) * (len(prefix) + 2) + int(rows[:, NAME_SIZE].sum()) + 1, np.uint8)
        starts = _binders(data, rows, prefix, messages)
        due = sha256_many(messages, starts[:-1], np.diff(starts))[:, :BINDER_OCTETS]
        # where the nonce has another length the comparison reads something else, and the party is not fine anyway
        at = np.minimum(rows[:, BODY] + 4 + NONCE_OCTETS, len(bodies) - BINDER_OCTETS)
        given = bodies[at[:, None] + np.arange(BINDER_OCTETS)]
        fine &= (given == due).all(axis=1)
        return fine

    def whole(self, commits: bytes, size: int) -> int:
        """Return the exclusive or of all commits of a column."""
        words = np.frombuffer(commits, np.uint64).reshape(-1, size // 8)
        return int.from_bytes(np.bitwise_xor.reduce(words, axis=0).tobytes(), "big")

    def assign(self, terms: Terms, everyone: int, end: bytes, column: Column) -> bytes:
        """Return the assigned states of a column."""
        total = column.total
        others = np.frombuffer(column.commits, np.uint8).reshape(-1, C) ^ np.frombuffer(everyone.to_bytes(C, "big"), np.uint8)
        messages = np.empty((total, C + len(end)), np.uint8)
        messages[:, :C] = others
        messages[:, C:] = np.frombuffer(end, np.uint8)
        size = C + len(end)
        digests = sha256_many(messages.reshape(-1), np.arange(total) * size, np.full(total, size))
        modulus = np.uint64(terms.states)
        assigned: Naturals = (np.frombuffer(column.states, np.uint64) + _residues(digests, modulus)) % modulus
        return assigned.tobytes()

    def counts(self, buckets: int) -> tuple[Counts, Counts]:
        """Return room for the number of even and of odd states in each bucket."""
        return cast("tuple[Counts, Counts]", (np.zeros(buckets, np.int64), np.zeros(buckets, np.int64)))

    def tally(self, assigned: bytes, shift: int, counts: tuple[Counts, Counts]) -> None:
        """Count the even and the odd states in each bucket."""
        states = np.frombuffer(assigned, np.uint64)
        odd = (states & np.uint64(1)).astype(np.bool_)
        buckets = (states >> np.uint64(shift)).astype(np.int64)
        for total, some in zip(cast("tuple[Numbers, Numbers]", counts), (buckets[~odd], buckets[odd]), strict=True):
            total[:] += np.bincount(some, minlength=len(total))

    def within(self, assigned: bytes, shift: int, wanted: Collection[int]) -> Counter[int]:
        """Count the states that lie in the wanted buckets."""
        states = np.frombuffer(assigned, np.uint64)
        some = states[np.isin(states >> np.uint64(shift), np.array(sorted(wanted), np.uint64))]
        found, times = np.unique(some, return_counts=True)
        return Counter(dict(zip(found.tolist(), times.tolist(), strict=True)))

    def keep(self, column: Column, assigned: bytes, wanted: Collection[int], size: int) -> Column:
        """Return those of a column whose assigned state is wanted."""
        kept = np.isin(np.frombuffer(assigned, np.uint64), np.array(sorted(wanted), np.uint64))
        return Column(
            np.frombuffer(column.commits, np.uint8).reshape(-1, size)[kept].tobytes(),
            np.frombuffer(column.states, np.uint64)[kept].tobytes(),
            np.frombuffer(column.places, np.uint64)[kept].tobytes(),
        )

    def share(self, keys: bytes, share: int, shares: int) -> bytes:
        """Return a share of the keys, such that equal keys are in the same share."""
        some = np.frombuffer(keys, np.uint64)
        return keys if shares == 1 else some[some % np.uint64(shares) == np.uint64(share)].tobytes()

    def repeated(self, keys: Iterable[bytes]) -> set[int]:
        """Return the keys that occur more than once."""
        some = np.sort(np.frombuffer(b"".join(keys), np.uint64))
        return set(some[1:][some[1:] == some[:-1]].tolist())
