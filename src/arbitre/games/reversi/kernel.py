"""The Reversi engine's hot half: moves, what patterns are worth, a whole search, the exact ending (spec: tournoyons, section 4).

A position is a pair of words, the discs of the side to move and the other's, bit n for cell n as in `reversi/rules.py`, which is
the oracle of everything here. What it is worth is the difference of discs at the end, as far as that can be told, in parts of
`DISC` to a disc; what was counted to the end is a multiple of it.

**Judgement.** Forty-six lines and corners of the board are each read as a number to the base three: 0 empty, 1 a disc of the side
that moves at the root, 2 the other's. These codes lie in rows, one row to a ply, and a disc laid or turned adds or subtracts a
row of powers. A position's worth is the sum of one weight for each code, fifteen sets of weights from the first disc to the last.

**The ending** is the same search, as deep as cells are empty: nothing is judged then, only counted. With few cells left those in
quarters of the board with an odd number of empty cells come first, for who moves last in a quarter gains by it.

`arbitre.games.intrinsics` says what such a source is written in. Integers only, and one thread: the same memory, weights,
position and limits give the same answer everywhere.
"""

import numpy as np
from numpy.typing import NDArray

from arbitre.games.intrinsics import (  # noqa: F401 - the caller of a kernel asks it for its life and for addresses
    PLAIN,
    ROW,
    Memory,
    U,
    add,
    address,
    code,
    count_bits,
    highest,
    kernel,
    load,
    lowest,
    number,
    pending,
    store,
    subtract,
    times,
    weight,
)

# ── patterns ───────────────────────────────────────────────────────────────────────────────────────────────────────

SHAPES = (
    "A1 B1 C1 A2 B2 C2 A3 B3 C3",
    "A5 A4 A3 A2 A1 B2 B1 C1 D1 E1",
    "B2 A1 B1 C1 D1 E1 F1 G1 H1 G2",
    "A1 C1 D1 C2 D2 E2 F2 E1 F1 H1",
    "A2 B2 C2 D2 E2 F2 G2 H2",
    "A3 B3 C3 D3 E3 F3 G3 H3",
    "A4 B4 C4 D4 E4 F4 G4 H4",
    "A1 B2 C3 D4 E5 F6 G7 H8",
    "B1 C2 D3 E4 F5 G6 H7",
    "C1 D2 E3 F4 G5 H6",
    "D1 E2 F3 G4 H5",
    "D1 C2 B3 A4",
)
"""One of each kind of pattern; the others follow by turning the board."""


def _turned(cells: tuple[int, ...]) -> tuple[int, ...]:
    """Return cells after a quarter turn of the board."""
    return tuple(8 * (cell % 8) + 7 - cell // 8 for cell in cells)


def _patterns() -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return all patterns: the number of the shape, and the cells, the lowest digit first."""
    found: list[tuple[int, tuple[int, ...]]] = []
    for shape, names in enumerate(SHAPES):
        cells = tuple("ABCDEFGH".index(name[0]) + 8 * (int(name[1]) - 1) for name in names.split())
        seen: set[frozenset[int]] = set()
        for _ in range(4):
            if frozenset(cells) not in seen:
                found.append((shape, cells))
            seen.add(frozenset(cells))
            cells = _turned(cells)
    return tuple(found)


PATTERNS = _patterns()
NUMBER = len(PATTERNS)
SIZES = tuple(3 ** len(names.split()) for names in SHAPES)
STARTS = tuple(sum(SIZES[:shape]) for shape in range(len(SIZES)))
SPAN = sum(SIZES)
"""Weights of one set: for each shape one to a code."""
STAGES, STAGE = 15, 4
"""Sets of weights, and how many discs are laid in the time of each."""
DISC = 16
"""What a disc is worth."""
MOST = 64 * DISC
"""What no position is worth more than."""

OFFSETS: NDArray[np.int64] = np.array([STARTS[shape] for shape, _ in PATTERNS], dtype=np.int64)

POWERS = np.zeros((64, 4 * ROW), dtype=np.uint16)
"""For each cell, what a disc of the first kind on it adds to each code."""
for _nth, (_, _cells) in enumerate(PATTERNS):
    for _digit, _cell in enumerate(_cells):
        POWERS[_cell, _nth] = 3**_digit


# ── the layout of a memory, in words ───────────────────────────────────────────────────────────────────────────────

STOP, NODES, LIMIT, ENDED, BUCKETS, AGE, DEPTH, SOLVED, NOISE, SEED = range(10)
"""Set by the caller who wants the search to end; positions seen and allowed; whether the search has ended before its time;
buckets of the table less one; which search this is; the depth that was finished; what is certain of the best move, one of the
next constants; how far a judgement may be off, and what decides on that."""
OPEN, RESULT, COUNT = range(3)
"""Nothing is certain; who wins is; the number of discs is."""
CODES = 64
"""The codes of the position at each ply below the root."""
POWER = CODES + 64 * ROW
"""The rows of `POWERS`."""
MOVES = POWER + 64 * ROW
"""Lists of moves, one after the other, three words each: cell, discs turned, and room for an order."""
ENTRY = 3
TABLE = MOVES + 64 * 34 * ENTRY
"""Positions remembered, in buckets of two: a deep one, a recent one; two words each, key and what is known."""
BUCKET = 4


def memory_for(buckets: int) -> Memory:
    """Return the memory of a search that remembers positions in so many buckets, a power of two."""
    memory = np.zeros(TABLE + BUCKET * buckets, dtype=np.uint64)
    memory[BUCKETS] = buckets - 1
    memory[LIMIT] = 1 << 62
    memory[POWER:MOVES] = POWERS.reshape(-1).view(np.uint64)
    return memory


# ── the board ──────────────────────────────────────────────────────────────────────────────────────────────────────

ZERO, ONE, TWO = U(0), U(1), U(2)
SEVEN, EIGHT, NINE, FOURTEEN, SIXTEEN, EIGHTEEN = (U(n) for n in (7, 8, 9, 14, 16, 18))
INNER = U(0x7E7E_7E7E_7E7E_7E7E)
"""All but the outer columns: a run that stays within them cannot step across the edge into the next row."""
CORNERS = U(0x8100_0000_0000_0081)
QUARTERS = tuple(U(0x0F0F_0F0F << shift) for shift in (0, 4, 32, 36))
Q1, Q2, Q3, Q4 = QUARTERS

RAYS: NDArray[U] = np.zeros(64 * 8, dtype=np.uint64)
"""For each cell, those from it to the edge in eight directions: four in which the numbers grow, then four in which they fall."""
for _cell in range(64):
    for _way, (_down, _right) in enumerate(((0, 1), (1, -1), (1, 0), (1, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1))):
        _row, _column = _cell // 8 + _down, _cell % 8 + _right
        while 0 <= _row < 8 and 0 <= _column < 8:
            RAYS[8 * _cell + _way] |= U(1 << (8 * _row + _column))
            _row, _column = _row + _down, _column + _right


@kernel("u8(u8,u8)")
def mobility(own: U, foes: U) -> U:
    """Return the cells where a disc outflanks some of the other side's."""
    inner = foes & INNER
    # In each direction a run of one doubles twice: three steps find what six would.
    up, down = inner & own << ONE, inner & own >> ONE
    up, down = up | inner & up << ONE, down | inner & down >> ONE
    pairs, others = inner & inner << ONE, inner & inner >> ONE
    up, down = up | pairs & up << TWO, down | others & down >> TWO
    up, down = up | pairs & up << TWO, down | others & down >> TWO
    found = up << ONE | down >> ONE
    up, down = foes & own << EIGHT, foes & own >> EIGHT
    up, down = up | foes & up << EIGHT, down | foes & down >> EIGHT
    pairs, others = foes & foes << EIGHT, foes & foes >> EIGHT
    up, down = up | pairs & up << SIXTEEN, down | others & down >> SIXTEEN
    up, down = up | pairs & up << SIXTEEN, down | others & down >> SIXTEEN
    found |= up << EIGHT | down >> EIGHT
    up, down = inner & own << SEVEN, inner & own >> SEVEN
    up, down = up | inner & up << SEVEN, down | inner & down >> SEVEN
    pairs, others = inner & inner << SEVEN, inner & inner >> SEVEN
    up, down = up | pairs & up << FOURTEEN, down | others & down >> FOURTEEN
    up, down = up | pairs & up << FOURTEEN, down | others & down >> FOURTEEN
    found |= up << SEVEN | down >> SEVEN
    up, down = inner & own << NINE, inner & own >> NINE
    up, down = up | inner & up << NINE, down | inner & down >> NINE
    pairs, others = inner & inner << NINE, inner & inner >> NINE
    up, down = up | pairs & up << EIGHTEEN, down | others & down >> EIGHTEEN
    up, down = up | pairs & up << EIGHTEEN, down | others & down >> EIGHTEEN
    found |= up << NINE | down >> NINE
    return found & ~(own | foes)


@kernel("u8(u8,u8,i8)")
def flips(own: U, foes: U, cell: int) -> U:
    """Return the discs that one laid on a cell turns."""
    found = ZERO
    rays = U(8 * cell)
    for way in range(4):
        ray = RAYS[rays + U(way)]
        other = ray & ~foes
        if other != ZERO:
            end = other & (~other + ONE) & own
            if end != ZERO:
                found |= ray & (end - ONE)
        ray = RAYS[rays + U(4 + way)]
        other = ray & ~foes
        if other != ZERO:
            end = ONE << U(highest(other)) & own
            if end != ZERO:
                found |= ray & ~((end << ONE) - ONE)
    return found


@kernel("i8(u8,u8,i8)")
def perft(own: U, foes: U, depth: int) -> int:
    """Count the games of so many plies, a forced pass being one; a game that ended stays one."""
    moves = mobility(own, foes)
    if moves == ZERO:
        if depth == 0 or mobility(foes, own) == ZERO:
            return 1
        return perft(foes, own, depth - 1)
    if depth <= 1:
        return count_bits(moves) if depth else 1
    leaves = 0
    while moves != ZERO:
        cell = lowest(moves)
        moves &= moves - ONE
        turned = flips(own, foes, cell)
        leaves += perft(foes ^ turned, own | turned | ONE << U(cell), depth - 1)
    return leaves


@kernel("i8(u8,u8)")
def balance(own: U, foes: U) -> int:
    """Return how many discs the side to move is ahead."""
    return count_bits(own) - count_bits(foes)


# ── what a position is worth ───────────────────────────────────────────────────────────────────────────────────────

C1, C2, C3 = U(0x9E37_79B9_7F4A_7C15), U(0xC2B2_AE3D_27D4_EB4F), U(0x1656_67B1_9E37_79F9)
HALF = U(32)


@kernel("u8(u8,u8)")
def key_of(own: U, foes: U) -> U:
    """Return the key of a position."""
    key = times(own, C1) ^ times(foes ^ foes >> U(29), C2)
    key = times(key ^ key >> HALF, C3)
    key = times(key ^ key >> U(29), C1)
    return key ^ key >> HALF


@kernel("void(i8,u8,u8)")
def begin(memory: Memory, own: U, foes: U) -> None:
    """Write the codes of the root, from the view of the side that moves there."""
    for word in range(CODES, CODES + ROW):
        store(memory, word, ZERO)
    for cell in range(64):
        bit = ONE << U(cell)
        if (own | foes) & bit != ZERO:
            add(memory, CODES, CODES, POWER + cell * ROW)
        if foes & bit != ZERO:
            add(memory, CODES, CODES, POWER + cell * ROW)


@kernel("void(i8,i8,i8,i8,u8)")
def put(memory: Memory, ply: int, side: int, cell: int, turned: U) -> None:
    """Write the codes of the next ply: a side, 0 for the root's, lays a disc on a cell and turns others."""
    here = CODES + ply * ROW
    there = here + ROW
    add(memory, there, here, POWER + cell * ROW)
    if side == 0:
        while turned != ZERO:
            subtract(memory, there, there, POWER + lowest(turned) * ROW)
            turned &= turned - ONE
    else:
        add(memory, there, there, POWER + cell * ROW)
        while turned != ZERO:
            add(memory, there, there, POWER + lowest(turned) * ROW)
            turned &= turned - ONE


@kernel("i8(i8)")
def stage_of(discs: int) -> int:
    """Return which set of weights judges a position with so many discs."""
    return min((discs - 4) // STAGE, STAGES - 1)


@kernel("i8(i8,i8,u8,u8,i8,i8)")
def evaluate(memory: Memory, weights: Memory, own: U, foes: U, side: int, ply: int) -> int:
    """Judge a position for the side to move, whose codes are those of a ply."""
    if own == ZERO or foes == ZERO:  # noqa: PLR1714 - a tuple is slow to compile
        return DISC * balance(own, foes)
    base = (2 * stage_of(count_bits(own | foes)) + side) * SPAN
    codes = 4 * (CODES + ply * ROW)
    worth = 0
    for nth in range(NUMBER):
        worth += weight(weights, base + OFFSETS[nth] + code(memory, codes + nth))
    off = number(load(memory, NOISE))
    if off != 0:
        drawn = times(key_of(own, foes) ^ load(memory, SEED), C2) >> U(40)
        worth += number(drawn) % (2 * off + 1) - off
    return max(1 - MOST, min(MOST - 1, worth))


# ── the table ──────────────────────────────────────────────────────────────────────────────────────────────────────
# What is known of a position is one word: the best cell in the low byte, then the bound, the depth, the search that found it,
# and the worth from bit 32 on, plus `MOST`.

EXACT, AT_LEAST, AT_MOST = 0, 1, 2
BYTE = U(255)


@kernel("i8(i8,u8)")
def known(memory: Memory, key: U) -> int:
    """Return where the table holds what is known of a position, 0 where nothing is."""
    at = TABLE + BUCKET * number(key & load(memory, BUCKETS))
    if load(memory, at) == key:
        return at + 1
    if load(memory, at + 2) == key:
        return at + 3
    return 0


@kernel("void(i8,u8,i8,i8,i8,i8)")
def remember(memory: Memory, key: U, depth: int, worth: int, bound: int, cell: int) -> None:
    """Keep what was found: instead of what is less deep or older, else in the second place."""
    at = TABLE + BUCKET * number(key & load(memory, BUCKETS))
    age = load(memory, AGE) & BYTE
    if load(memory, at) != key:
        there = load(memory, at + 1)
        if there >> U(24) & BYTE == age and number(there >> SIXTEEN & BYTE) > depth:
            at += 2
        elif there != ZERO:
            store(memory, at + 2, load(memory, at))
            store(memory, at + 3, there)
    store(memory, at, key)
    store(memory, at + 1, U(worth + 2 * MOST) << HALF | age << U(24) | U(depth) << SIXTEEN | U(bound) << EIGHT | U(cell))


# ── the ending ─────────────────────────────────────────────────────────────────────────────────────────────────────

NEAR = 6
"""With so few empty cells nothing is sorted or remembered."""


@kernel("u8(u8)")
def odd(empty: U) -> U:
    """Return the quarters of the board that have an odd number of empty cells."""
    found = ZERO
    if count_bits(empty & Q1) & 1:
        found |= Q1
    if count_bits(empty & Q2) & 1:
        found |= Q2
    if count_bits(empty & Q3) & 1:
        found |= Q3
    if count_bits(empty & Q4) & 1:
        found |= Q4
    return found


@kernel("i8(u8,u8,u8)")
def last(own: U, foes: U, empty: U) -> int:
    """Return the difference of discs at the end when one cell is empty."""
    cell = lowest(empty)
    gained = count_bits(flips(own, foes, cell))
    if gained:
        return balance(own, foes) + 2 * gained + 1
    lost = count_bits(flips(foes, own, cell))
    if lost:
        return balance(own, foes) - 2 * lost - 1
    return balance(own, foes)


@kernel("i8(i8,u8,u8,i8,i8)")
def finish(memory: Memory, own: U, foes: U, low: int, high: int) -> int:
    """Return the difference of discs at the end, with few empty cells left; beyond the bounds only that it is."""
    store(memory, NODES, load(memory, NODES) + ONE)
    empty = ~(own | foes)
    if empty == ZERO:
        return balance(own, foes)
    if empty & (empty - ONE) == ZERO:
        return last(own, foes, empty)
    best = -65
    first = empty & odd(empty)
    for part in range(2):
        cells = first if part == 0 else empty & ~first
        while cells != ZERO:
            cell = lowest(cells)
            cells &= cells - ONE
            turned = flips(own, foes, cell)
            if turned != ZERO:
                worth = -finish(memory, foes ^ turned, own | turned | ONE << U(cell), -high, -max(low, best))
                if worth > best:
                    best = worth
                    if worth >= high:
                        return best
    if best > -65:
        return best
    if mobility(foes, own) == ZERO:
        return balance(own, foes)
    return -finish(memory, foes, own, -high, -low)


# ── the search ─────────────────────────────────────────────────────────────────────────────────────────────────────

JUDGED = 12
"""With more empty cells than this an exact search, too, orders moves by judgement."""


@kernel("i8(i8,i8,u8,u8,u8,i8,i8,i8,i8,i8)")
def order(
    memory: Memory, weights: Memory, own: U, foes: U, moves: U, side: int, depth: int, ply: int, top: int, hint: int
) -> int:
    """List moves with an order: the higher, the sooner; return how many."""
    empty = ~(own | foes)
    empties = count_bits(empty)
    exact = depth == empties
    judged = empties > JUDGED if exact else depth >= 3
    quarters = odd(empty)
    at = top
    while moves != ZERO:
        cell = lowest(moves)
        bit = ONE << U(cell)
        moves ^= bit
        turned = flips(own, foes, cell)
        mine, theirs = own | turned | bit, foes ^ turned
        replies = mobility(theirs, mine)
        free = count_bits(replies) + count_bits(replies & CORNERS)
        rank = 1 << 20
        if cell == hint:
            rank = 1 << 30
        elif judged:
            put(memory, ply, side, cell, turned)
            rank -= evaluate(memory, weights, theirs, mine, 1 - side, ply + 1) + (DISC if exact else DISC // 4) * free
        else:
            rank -= 16 * free
            if exact and bit & quarters != ZERO:
                rank += 8
            if bit & CORNERS != ZERO:
                rank += 24
        store(memory, at, U(cell))
        store(memory, at + 1, turned)
        store(memory, at + 2, U(rank))
        at += ENTRY
    return (at - top) // ENTRY


@kernel("void(i8,i8,i8)")
def pick(memory: Memory, at: int, end: int) -> None:
    """Bring the first move of what is left of a list to its front."""
    best = at
    for entry in range(at + ENTRY, end, ENTRY):
        if load(memory, entry + 2) > load(memory, best + 2):
            best = entry
    if best != at:
        for word in range(ENTRY):
            kept = load(memory, at + word)
            store(memory, at + word, load(memory, best + word))
            store(memory, best + word, kept)


@kernel("i8(i8,i8,u8,u8,u8,i8,i8,i8)")
def brink(memory: Memory, weights: Memory, own: U, foes: U, moves: U, side: int, high: int, ply: int) -> int:
    """Return the worth of the best of moves after which nothing is searched, only judged."""
    best = -MOST
    seen = ZERO
    while moves != ZERO:
        cell = lowest(moves)
        bit = ONE << U(cell)
        moves ^= bit
        turned = flips(own, foes, cell)
        put(memory, ply, side, cell, turned)
        seen += ONE
        best = max(best, -evaluate(memory, weights, foes ^ turned, own | turned | bit, 1 - side, ply + 1))
        if best >= high:
            break
    store(memory, NODES, load(memory, NODES) + seen)
    return best


@kernel("i8(i8,i8,u8,u8,i8,i8,i8,i8,i8,i8)")
def search(  # noqa: PLR0912 - one function calls itself; two that call each other cannot be compiled
    memory: Memory, weights: Memory, own: U, foes: U, side: int, depth: int, low: int, high: int, ply: int, top: int
) -> int:
    """Return what a position is worth for the side to move, so many discs deep; beyond the bounds only that it is.

    `side` is 0 where the side to move is the root's; lists of moves lie from `top` on.
    """
    nodes = load(memory, NODES) + ONE
    store(memory, NODES, nodes)
    if nodes >= load(memory, LIMIT) or pending(memory, STOP) != ZERO:
        store(memory, ENDED, ONE)
        return 0
    empties = 64 - count_bits(own | foes)
    if depth >= empties:
        depth = empties
        if empties <= NEAR:
            return DISC * finish(memory, own, foes, low // DISC, -(-high // DISC))
    elif depth <= 0:
        return evaluate(memory, weights, own, foes, side, ply)
    moves = mobility(own, foes)
    if moves == ZERO:
        if mobility(foes, own) == ZERO:
            return DISC * balance(own, foes)
        return -search(memory, weights, foes, own, 1 - side, depth, -high, -low, ply, top)
    if depth == 1 and empties > 1:
        return brink(memory, weights, own, foes, moves, side, high, ply)
    key = key_of(own, foes)
    hint = 64
    at = known(memory, key)
    if at != 0:
        there = load(memory, at)
        hint = number(there & BYTE)
        if number(there >> SIXTEEN & BYTE) >= depth:
            worth = number(there >> HALF) - 2 * MOST
            bound = number(there >> EIGHT & BYTE)
            if bound == EXACT or (bound == AT_LEAST and worth >= high) or (bound == AT_MOST and worth <= low):
                return worth
    count = order(memory, weights, own, foes, moves, side, depth, ply, top, hint)
    below = top + count * ENTRY
    coded = depth < empties or empties > JUDGED
    best, choice, bar = -2 * MOST, 64, low
    for entry in range(top, below, ENTRY):
        pick(memory, entry, below)
        cell, turned = number(load(memory, entry)), load(memory, entry + 1)
        if coded:
            put(memory, ply, side, cell, turned)
        one, two = foes ^ turned, own | turned | ONE << U(cell)
        if entry == top:
            worth = -search(memory, weights, one, two, 1 - side, depth - 1, -high, -bar, ply + 1, below)
        else:
            worth = -search(memory, weights, one, two, 1 - side, depth - 1, -bar - 1, -bar, ply + 1, below)
            if bar < worth < high:
                worth = -search(memory, weights, one, two, 1 - side, depth - 1, -high, -worth, ply + 1, below)
        if load(memory, ENDED) != ZERO:
            return 0
        if worth > best:
            best, choice = worth, cell
            if worth > bar:
                bar = worth
                if worth >= high:
                    break
    bound = AT_LEAST if best >= high else (EXACT if best > low else AT_MOST)
    remember(memory, key, depth, best, bound, choice)
    return best


@kernel("i8(i8,i8,u8,u8,i8,i8,i8,i8,i8)")
def weigh(memory: Memory, weights: Memory, own: U, foes: U, depth: int, low: int, high: int, slack: int, moves: int) -> int:
    """Find what each move of the root's list is worth at a depth, between bounds; return how many were weighed before the end.

    The worth, plus twice `MOST`, goes to the move's third word. Of a move that falls short of the best by more than `slack`
    only that is known; once a move reaches the upper bound, of the others nothing new.
    """
    below = MOVES + moves * ENTRY
    best = low
    for nth in range(moves):
        entry = MOVES + nth * ENTRY
        cell, turned = number(load(memory, entry)), load(memory, entry + 1)
        put(memory, 0, 0, cell, turned)
        one, two = foes ^ turned, own | turned | ONE << U(cell)
        bar = max(low, best - slack - 1) if slack else best
        worth = bar + 1
        if nth and slack == 0:
            worth = -search(memory, weights, one, two, 1, depth - 1, -bar - 1, -bar, 1, below)
        if load(memory, ENDED) == ZERO and worth > bar and (nth == 0 or slack or worth < high):
            worth = -search(memory, weights, one, two, 1, depth - 1, -high, -bar, 1, below)
        if load(memory, ENDED) != ZERO:
            return nth
        store(memory, entry + 2, U(worth + 2 * MOST))
        best = max(best, worth)
        if best >= high:
            for rest in range(entry + ENTRY, below, ENTRY):
                store(memory, rest + 2, ONE)
            return moves
    return moves


@kernel("void(i8,i8)")
def rank(memory: Memory, moves: int) -> None:
    """Sort the root's moves by what they are worth, the best first, equals as they were."""
    for nth in range(1, moves):
        at = MOVES + nth * ENTRY
        while at > MOVES and load(memory, at + 2) > load(memory, at - 1):
            for word in range(ENTRY):
                kept = load(memory, at + word)
                store(memory, at + word, load(memory, at - ENTRY + word))
                store(memory, at - ENTRY + word, kept)
            at -= ENTRY


@kernel("b1(i8,i8,u8,u8,i8,i8,i8,i8,i8)")
def rounds(memory: Memory, weights: Memory, own: U, foes: U, depth: int, low: int, high: int, slack: int, moves: int) -> bool:
    """Weigh the root's moves once, and sort them; tell whether that was finished."""
    done = weigh(memory, weights, own, foes, depth, low, high, slack, moves)
    if done == 0:
        return False
    for nth in range(done, moves):
        store(memory, MOVES + nth * ENTRY + 2, ZERO)
    rank(memory, moves)
    return done == moves


@kernel("i8(i8,i8,u8,u8,i8,i8,i8)")
def think(memory: Memory, weights: Memory, own: U, foes: U, depth: int, end: int, slack: int) -> int:
    """Search deeper and deeper until the depth, the limit of positions or the flag; return the number of moves.

    With no more than `end` empty cells the game is counted out: first who wins, then by how much. The moves are then at the front
    of the lists with what they are worth, the best first; 0 says that a move was not weighed in the last, unfinished round.
    """
    store(memory, NODES, ZERO)
    store(memory, ENDED, ZERO)
    store(memory, DEPTH, ZERO)
    store(memory, SOLVED, ZERO)
    store(memory, AGE, load(memory, AGE) + ONE)
    begin(memory, own, foes)
    empties = 64 - count_bits(own | foes)
    moves = order(memory, weights, own, foes, mobility(own, foes), 0, 3, 0, MOVES, 64)
    rank(memory, moves)
    for nth in range(moves):
        store(memory, MOVES + nth * ENTRY + 2, U(2 * MOST))
    if moves < 1:
        return moves
    counted = empties <= end
    most = min(depth, empties // 2 if counted else empties)
    for deep in range(1, most + 1):
        if not rounds(memory, weights, own, foes, deep, -2 * MOST, 2 * MOST, slack, moves):
            return moves
        store(memory, DEPTH, U(deep))
    if most < empties and not counted:
        return moves
    low, high = -2 * MOST, 2 * MOST
    if not rounds(memory, weights, own, foes, empties, -1, 1, 0, moves):
        return moves
    store(memory, SOLVED, U(RESULT))
    store(memory, DEPTH, U(empties))
    worth = number(load(memory, MOVES + 2)) - 2 * MOST
    if worth > 0:
        low = 0
    elif worth < 0:
        high = 0
    if worth == 0 or rounds(memory, weights, own, foes, empties, low, high, 0, moves):
        store(memory, SOLVED, U(COUNT))
    return moves
