"""The verdict on a transcript of any size: in one pass over the file and a few over columns, in bounded memory, on all cores.

First every party is judged by itself, chunk by chunk. What remains of a contestant are C, q and the place of its line: 48 octets,
kept in memory while they are few and in an unnamed temporary file beyond that. A round then reads these columns from front to
back, twice: once to assign the states, and once to pick those who go on.

Scores need no sorting of everybody. Each state has the weight +1 or −1 by its parity, and a score is, but for its sign,
twice the weight below less the weight of all (spec rochambeau, section 2). So the states are counted in up to 32,768
buckets; the sums at the edges of a bucket bound every score inside it, and only states in buckets that could hold the best
are looked at one by one.

The names are compared by number, a share at a time; whoever occurs twice is looked up in the file. When a thousand are left, the
rounds go on in `verdict.play`, with names and a table each.

Two sets of steps do the work, `bulk_plain` in processes and `bulk_lanes`, with vector kernels, in threads; the answer is the
same.
"""

import json
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from itertools import chain
from os import cpu_count
from pathlib import Path
from typing import IO, Final, Literal, TypeVar, overload

from arbitre.elections import bulk_plain
from arbitre.elections.bulk_plain import Batch, Column, Plain, numbers
from arbitre.elections.payload import Contestant, Excluded, Fault, judge
from arbitre.elections.terms import LAST_ROUND, SAFE_NONCE, Mode, Terms
from arbitre.elections.transcript import Broken, Claim, Entry, Note, Piece, Source
from arbitre.elections.verdict import Round, Verdict, conclude, play, short_nonce
from arbitre.errors import RecordError
from arbitre.reasons import N_, Reason, keep, kept

T = TypeVar("T")
U = TypeVar("U")

SPOOL: Final = 64 << 20
"""Octets that a column keeps in memory before it goes to a file."""
DETAIL: Final = 1_000
"""From this many players down, rounds are told player by player."""
BUCKETS: Final = 15
"""The states are counted in at most 2^15 buckets, and in fewer where there are fewer than a hundred players for each."""
SHARE: Final = 1 << 21
"""How many names are compared at a time."""
LARGE: Final = 8 << 20
"""Octets of a file from which on the kernels are worth their loading, and several processes their start."""
HUGE: Final = 64 << 20
"""Octets of a file from which on they are worth compiling, which happens once."""
WARNED: Final = 100
"""How many warnings are told in full."""

Steps = Literal["auto", "plain", "lanes"]


class Spool:
    """A long row of octet strings, read from front to back as often as one likes; in memory while it is short."""

    def __init__(self) -> None:
        self._held: list[tuple[bytes, ...]] = []
        self._octets = 0
        self._file: IO[bytes] | None = None

    def append(self, *strings: bytes) -> None:
        """Add octet strings, as one entry."""
        self._octets += sum(map(len, strings))
        if self._file is None and self._octets <= SPOOL:
            self._held.append(strings)
            return
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as its spool
            held, self._held = self._held, []
            for one in held:
                self._write(self._file, one)
        self._write(self._file, strings)

    @staticmethod
    def _write(file: IO[bytes], strings: tuple[bytes, ...]) -> None:
        file.write(b"".join(len(one).to_bytes(8, "big") for one in strings))
        for one in strings:
            file.write(one)

    def read(self, width: int) -> Iterator[tuple[bytes, ...]]:
        """Return the entries, each of `width` strings."""
        if self._file is None:
            yield from self._held
            return
        self._file.seek(0)
        while sizes := self._file.read(8 * width):
            yield tuple(self._file.read(int.from_bytes(sizes[at : at + 8], "big")) for at in range(0, 8 * width, 8))

    def close(self) -> None:
        """Forget everything."""
        self._held = []
        if self._file is not None:
            self._file.close()

    def __del__(self) -> None:
        self.close()


class Many(Sequence[Excluded]):
    """Excluded parties, however many, in a spool."""

    def __init__(self) -> None:
        self._spool = Spool()
        self._count = 0
        self._dropped: frozenset[int] = frozenset()

    def add(self, place: int, one: Excluded) -> None:
        """Add a party that was found at a place of the file."""
        self._spool.append(json.dumps([place, one.player, one.fault, keep(one.why)]).encode())
        self._count += 1

    def drop(self, places: frozenset[int]) -> None:
        """Leave out what was found at these places."""
        self._count -= sum(place in places for place, _ in self._all())
        self._dropped = places

    def _all(self) -> Iterator[tuple[int, Excluded]]:
        for (line,) in self._spool.read(1):
            place, player, fault, why = json.loads(line)
            yield place, Excluded(player, Fault(fault), kept(why) or Reason(fault))

    def __iter__(self) -> Iterator[Excluded]:
        return (one for place, one in self._all() if place not in self._dropped)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Excluded: ...
    @overload
    def __getitem__(self, index: slice) -> list[Excluded]: ...
    def __getitem__(self, index: int | slice) -> Excluded | list[Excluded]:
        return list(self)[index]


class Bulk:
    """One settlement of one file."""

    def __init__(self, source: Source, steps: Steps = "auto", jobs: int | None = None) -> None:
        self.source = source
        self.terms = source.header.terms
        self.steps = _steps(steps, self.terms, source.octets)
        self.jobs = jobs or (cpu_count() or 1 if source.octets >= LARGE else 1)
        self.size = self.terms.digest_octets
        self.excluded = Many()
        self.warnings: list[Reason] = []
        self.parties = 0

    def settle(self) -> Verdict:
        """Return the verdict."""
        if self.jobs == 1:
            return self._settle(None)
        with _pool(self.steps, self.jobs) as pool:
            return self._settle(pool)

    def _settle(self, pool: Executor | None) -> Verdict:
        columns, everyone, count = self._examine(pool)
        rounds: list[Round] = []
        announced = self.source.header.announced
        while count > DETAIL and len(rounds) < LAST_ROUND:
            counter = len(rounds) + 1
            left, everyone, kept, best = self._round(pool, columns, count, everyone, bytes([counter]) + announced)
            rounds.append(Round(counter, count, best, kept))
            columns.close()
            columns = left
            if kept == count and self._alike(columns):
                # equal Commits have equal states in every round: this would go on to the last
                rounds += [Round(again, count, 0, count) for again in range(counter + 1, LAST_ROUND + 1)]
            count = kept
        more, last = play(self.terms, self._named(columns), announced, len(rounds) + 1)
        return conclude(rounds + more, last, self.excluded, tuple(self.warnings))

    # ── judging ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _examine(self, pool: Executor | None) -> tuple[Spool, int, int]:
        """Judge every party; return the contestants, their X and how many they are."""
        columns, names = Spool(), Spool()
        everyone = count = unsafe = 0
        for batch in self._judged(pool):
            self._note(batch)
            for place, one in batch.excluded:
                self.excluded.add(place, one)
            for name in batch.short:
                unsafe += 1
                self._warn(short_nonce(name))
            names.append(batch.keys, batch.places)
            columns.append(*batch.contestants)
            self.parties += len(batch.places) // 8
            count += batch.contestants.total
            everyone ^= self.steps.whole(batch.contestants.commits, self.size)
        if unsafe > WARNED:
            many = N_("%(parties)s parties altogether used a nonce of fewer than %(octets)s octets")
            self.warnings.append(Reason(many, parties=unsafe, octets=SAFE_NONCE))
        groups = self._several(names)
        names.close()
        return self._once_each(columns, groups) if groups else (columns, everyone, count)

    def _judged(self, pool: Executor | None) -> Iterator[Batch]:
        if isinstance(pool, ThreadPoolExecutor):
            # each thread reads for itself, so that reading is shared out too
            return spread(pool, self._load_and_judge, self.source.pieces(), self.jobs)
        return spread(pool, partial(self.steps.examine, self.terms), self.source.chunks(), self.jobs)

    def _load_and_judge(self, piece: Piece) -> Batch:
        return self.steps.examine(self.terms, self.source.load(piece))

    def _warn(self, why: Reason) -> None:
        if len(self.warnings) < WARNED:
            self.warnings.append(why)

    def _note(self, batch: Batch) -> None:
        for place, said in batch.others:
            if isinstance(said, Broken):
                raise RecordError("%(place)s: %(why)s", place=self.source.where(place), why=said.why)
            if isinstance(said, Claim):
                self.source.claim = said
            elif isinstance(said, Note):
                self.source.notes.append(said)

    def _several(self, names: Spool) -> list[list[tuple[int, Entry]]]:
        """Return the lines of each player that has more than one."""
        shares = -(-self.parties // SHARE)
        twice: set[int] = set()
        for share in range(shares):
            twice |= self.steps.repeated(self.steps.share(keys, share, shares) for keys, _ in names.read(2))
        found: dict[str, list[tuple[int, Entry]]] = {}
        for keys, places in names.read(2) if twice else ():
            for one, place in zip(numbers(keys), numbers(places), strict=True):
                if one in twice:
                    entry = self.source.entry_at(place)
                    found.setdefault(entry.player, []).append((place, entry))
        return [sorted(group, key=lambda line: line[0]) for group in found.values() if len(group) > 1]

    def _once_each(self, columns: Spool, groups: list[list[tuple[int, Entry]]]) -> tuple[Spool, int, int]:
        """Let whoever occurs several times count with the first Commit and the first Reveal."""
        dropped = frozenset(place for group in groups for place, _ in group)
        self.excluded.drop(dropped)
        self.parties -= len(dropped) - len(groups)
        merged: list[tuple[int, Contestant]] = []
        for group in groups:
            judged = self._merged([entry for _, entry in group])
            if isinstance(judged, Contestant):
                merged.append((group[0][0], judged))
            else:
                self.excluded.add(-1, judged)
        again = Spool()
        everyone = count = 0
        for column in chain(self._others(columns, dropped), [bulk_plain.columns(merged)]):
            again.append(*column)
            everyone ^= self.steps.whole(column.commits, self.size)
            count += column.total
        columns.close()
        return again, everyone, count

    def _others(self, columns: Spool, dropped: frozenset[int]) -> Iterator[Column]:
        for some in map(Column._make, columns.read(3)):
            fresh = [index for index, place in enumerate(numbers(some.places)) if place not in dropped]
            yield some if len(fresh) == some.total else bulk_plain.pick(some, fresh, self.size)

    def _merged(self, lines: list[Entry]) -> Contestant | Excluded:
        commits = list(dict.fromkeys(line.commit for line in lines if line.commit is not None))
        reveals = list(dict.fromkeys(line.reveal for line in lines if line.reveal is not None))
        player = lines[0].player
        for what, different in (
            (N_("%(player)s has %(count)s different Commits; the first counts"), len(commits)),
            (N_("%(player)s has %(count)s different Reveals; the first counts"), len(reveals)),
        ):
            if different > 1:
                self._warn(Reason(what, player=player, count=different))
        if len(commits) > 1 and self.terms.mode is Mode.STRONG:
            return Excluded(player, Fault.EQUIVOCATED, Reason("%(count)s different Commits", count=len(commits)))
        return judge(self.terms, player, next(iter(commits), None), next(iter(reveals), None))

    # ── rounds ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _round(self, pool: Executor | None, columns: Spool, count: int, everyone: int, end: bytes) -> tuple[Spool, int, int, int]:
        """Play one round of `count` players; return who goes on, their X, how many they are, and the best score."""
        last = self.terms.states - 1
        shift = max(0, last.bit_length() - min(BUCKETS, max(4, count.bit_length() - 7)))
        counts = self.steps.counts((last >> shift) + 1)
        assigned = Spool()
        work = partial(self.steps.assign, self.terms, everyone, end)
        for states in spread(pool, work, map(Column._make, columns.read(3)), self.jobs):
            assigned.append(states)
            self.steps.tally(states, shift, counts)
        even, odd = (list(map(int, some)) for some in counts)
        candidates = promising(even, odd)
        seen: Counter[int] = Counter()
        for (states,) in assigned.read(1):
            seen.update(self.steps.within(states, shift, candidates))
        best, wanted = best_states(seen, even, odd, shift)
        left, count, everyone = Spool(), 0, 0
        for some, (states,) in zip(columns.read(3), assigned.read(1), strict=True):
            column = self.steps.keep(Column._make(some), states, wanted, self.size)
            left.append(*column)
            count += column.total
            everyone ^= self.steps.whole(column.commits, self.size)
        assigned.close()
        return left, everyone, count, best

    def _alike(self, columns: Spool) -> bool:
        first = next(commits[: self.size] for commits, _, _ in columns.read(3) if commits)
        return all(self.steps.alike(commits, self.size, first) for commits, _, _ in columns.read(3))

    def _named(self, columns: Spool) -> list[Contestant]:
        named = [
            Contestant(self.source.entry_at(place).player, commit, state)
            for some in columns.read(3)
            for commit, state, place in bulk_plain.rows(Column._make(some), self.size)
        ]
        return sorted(named, key=lambda one: one.player)


def settle_source(source: Source, steps: Steps = "auto", jobs: int | None = None) -> Verdict:
    """Return the verdict on a transcript; afterwards `source` knows the verdict that the file claims, if it does."""
    return Bulk(source, steps, jobs).settle()


def promising(even: Sequence[int], odd: Sequence[int]) -> frozenset[int]:
    """Return the buckets that can hold the best score, given how many even and odd states lie in each.

    With D = 2·(weight below the bucket) − (weight of all), an even state of the bucket scores D + 2·(weight below it inside)
    + (players on it), and an odd state the negative of the first two; what lies inside bounds both from below and from
    above.
    """
    total = sum(even) - sum(odd)
    below = 0
    highest: list[int] = []
    floor = -(1 << 62)
    for evens, odds in zip(even, odd, strict=True):
        lead = 2 * below - total
        ceiling = -(1 << 62)
        if evens:
            ceiling = lead + 2 * evens - 1
            floor = max(floor, lead - 2 * odds + 1)
        if odds:
            ceiling = max(ceiling, 2 * odds - 1 - lead)
            floor = max(floor, 1 - lead - 2 * evens)
        highest.append(ceiling)
        below += evens - odds
    return frozenset(bucket for bucket, ceiling in enumerate(highest) if ceiling >= floor)


def best_states(counts: Counter[int], even: Sequence[int], odd: Sequence[int], shift: int) -> tuple[int, frozenset[int]]:
    """Return the best score and the states that reach it, given the counts of all states in the promising buckets."""
    total = sum(even) - sum(odd)
    edges, below = [], 0
    for evens, odds in zip(even, odd, strict=True):
        edges.append(below)
        below += evens - odds
    best, reached = -(1 << 62), set[int]()
    bucket = -1
    for state in sorted(counts):
        if state >> shift != bucket:
            bucket = state >> shift
            below = edges[bucket]
        times = counts[state]
        lead = 2 * below - total
        score = times + (-lead if state & 1 else lead)
        below += -times if state & 1 else times
        if score > best:
            best, reached = score, set()
        if score == best:
            reached.add(state)
    return best, frozenset(reached)


def _pool(steps: Plain, jobs: int) -> Executor:
    """Return workers: plain steps hold the interpreter, so they need processes; the kernels let go of it."""
    if type(steps) is not Plain:
        return ThreadPoolExecutor(jobs)
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - slow to load, and rarely needed

    return ProcessPoolExecutor(jobs)


def compiled() -> bool:
    """Tell whether the kernels were compiled before; where numba keeps them elsewhere than beside the source, no."""
    return any((Path(__file__).parent / "__pycache__").glob("bulk_lanes._read_*.nbi"))


def _steps(wanted: Steps, terms: Terms, octets: int) -> Plain:
    """Return the set of steps to use: the kernels where they can do it and pay."""
    if wanted == "plain" or (wanted == "auto" and octets < (LARGE if compiled() else HUGE)):
        return Plain()
    try:
        from arbitre.elections.bulk_lanes import Lanes, able  # noqa: PLC0415 - an extra that need not be installed
    except ImportError:
        if wanted == "lanes":
            raise
        return Plain()
    return Lanes() if able(terms) else Plain()


def spread(pool: Executor | None, work: Callable[[T], U], pieces: Iterator[T], jobs: int) -> Iterator[U]:
    """Do the work on each piece, in order, and never hold more than a few pieces at a time."""
    if pool is None:
        yield from map(work, pieces)
        return
    running: deque[Future[U]] = deque()
    for piece in pieces:
        running.append(pool.submit(work, piece))
        if len(running) > 2 * jobs:
            yield running.popleft().result()
    while running:
        yield running.popleft().result()
