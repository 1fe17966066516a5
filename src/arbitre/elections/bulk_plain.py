"""The steps of a large settlement in plain Python: the reference that the vector kernels must agree with.

Columns are octets: commits one after the other, and 64-bit numbers in the machine's order, so that they can go to a file, to
another process, or into an array of numpy without being touched.
"""

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, MutableSequence, Sequence
from typing import NamedTuple, TypeAlias
from zlib import adler32, crc32

from arbitre.elections.payload import Contestant, Excluded, judge
from arbitre.elections.terms import Terms
from arbitre.elections.transcript import Chunk, Entry, Said

Counts: TypeAlias = MutableSequence[int]


class Column(NamedTuple):
    """Contestants in columns."""

    commits: bytes
    states: bytes
    places: bytes
    """Where in the file each one's line is."""

    @property
    def total(self) -> int:
        """Return how many they are."""
        return len(self.places) // 8


class Batch(NamedTuple):
    """What a chunk of a transcript came to."""

    contestants: Column
    keys: bytes
    """A number for the name of every party: equal names have equal numbers."""
    places: bytes
    """The place of every party."""
    excluded: list[tuple[int, Excluded]]
    short: list[str]
    """Who used a nonce that can be guessed."""
    others: list[tuple[int, Said]]
    """Lines that are no party."""


def key(player: str) -> int:
    """Return the number of a name."""
    octets = player.encode()
    return crc32(octets) << 32 | adler32(octets)


def numbers(column: bytes) -> "array[int]":
    """Return the numbers of a column."""
    return array("Q", column)


def columns(contestants: Iterable[tuple[int, Contestant]]) -> Column:
    """Return contestants, each with its place, in columns."""
    commits = bytearray()
    states, places = array("Q"), array("Q")
    for place, one in contestants:
        commits += one.commit
        states.append(one.state)
        places.append(place)
    return Column(bytes(commits), states.tobytes(), places.tobytes())


def rows(column: Column, size: int) -> Iterator[tuple[bytes, int, int]]:
    """Return Commit, state and place of each contestant of a column."""
    for index, (state, place) in enumerate(zip(numbers(column.states), numbers(column.places), strict=True)):
        yield column.commits[index * size : (index + 1) * size], state, place


def pick(column: Column, indexes: Sequence[int], size: int) -> Column:
    """Return the contestants of a column at these indexes."""
    states, places = numbers(column.states), numbers(column.places)
    return Column(
        b"".join(column.commits[index * size : (index + 1) * size] for index in indexes),
        array("Q", (states[index] for index in indexes)).tobytes(),
        array("Q", (places[index] for index in indexes)).tobytes(),
    )


def collect(terms: Terms, said: Iterable[tuple[int, Said]]) -> Batch:
    """Judge these parties."""
    contestants: list[tuple[int, Contestant]] = []
    excluded: list[tuple[int, Excluded]] = []
    others: list[tuple[int, Said]] = []
    places, keys = array("Q"), array("Q")
    for place, one in said:
        if not isinstance(one, Entry):
            others.append((place, one))
            continue
        places.append(place)
        keys.append(key(one.player))
        judged = judge(terms, one.player, one.commit, one.reveal)
        if isinstance(judged, Excluded):
            excluded.append((place, judged))
        else:
            contestants.append((place, judged))
    short = [one.player for _, one in contestants if one.short]
    return Batch(columns(contestants), keys.tobytes(), places.tobytes(), excluded, short, others)


class Plain:
    """The steps; without state, so that other processes can take them too."""

    def examine(self, terms: Terms, chunk: Chunk) -> Batch:
        """Judge every party of a chunk."""
        return collect(terms, chunk.said())

    def whole(self, commits: bytes, size: int) -> int:
        """Return the exclusive or of all commits of a column."""
        total = 0
        for at in range(0, len(commits), size):
            total ^= int.from_bytes(commits[at : at + size], "big")
        return total

    def assign(self, terms: Terms, everyone: int, end: bytes, column: Column) -> bytes:
        """Return the assigned states of a column: chosen state plus tweak, mod N; `end` follows X in the hash."""
        hasher, size, modulus = terms.hasher(), terms.digest_octets, terms.states
        assigned = array("Q")
        for commit, chosen, _ in rows(column, size):
            others = (everyone ^ int.from_bytes(commit, "big")).to_bytes(size, "big")
            assigned.append((chosen + int.from_bytes(hasher(others + end).digest(), "big")) % modulus)
        return assigned.tobytes()

    def counts(self, buckets: int) -> tuple[Counts, Counts]:
        """Return room for the number of even and of odd states in each bucket."""
        return [0] * buckets, [0] * buckets

    def tally(self, assigned: bytes, shift: int, counts: tuple[Counts, Counts]) -> None:
        """Count the even and the odd states in each bucket of 2^shift states."""
        even, odd = counts
        for state in numbers(assigned):
            (odd if state & 1 else even)[state >> shift] += 1

    def within(self, assigned: bytes, shift: int, wanted: Collection[int]) -> Counter[int]:
        """Count the states that lie in the wanted buckets."""
        return Counter(state for state in numbers(assigned) if state >> shift in wanted)

    def keep(self, column: Column, assigned: bytes, wanted: Collection[int], size: int) -> Column:
        """Return those of a column whose assigned state is wanted."""
        return pick(column, [index for index, state in enumerate(numbers(assigned)) if state in wanted], size)

    def share(self, keys: bytes, share: int, shares: int) -> bytes:
        """Return a share of the keys, such that equal keys are in the same share."""
        return keys if shares == 1 else array("Q", (one for one in numbers(keys) if one % shares == share)).tobytes()

    def repeated(self, keys: Iterable[bytes]) -> set[int]:
        """Return the keys that occur more than once."""
        seen: set[int] = set()
        twice: set[int] = set()
        for some in keys:
            for one in numbers(some):
                (twice if one in seen else seen).add(one)
        return twice

    def alike(self, commits: bytes, size: int, first: bytes) -> bool:
        """Tell whether all commits of a column are this one."""
        return commits == first * (len(commits) // size)
