"""The draughts engine's hot half: moves, perft, a whole search and the smallest endings (spec: draughts, sections 1 and 4).

Positions are those of `arbitre.games.draughts.moves`, which is the oracle of everything here: the squares of the side to move,
the other's, the kings of both, and whose turn it is, 0 for white. Captures that reach the same position are one move.

`arbitre.games.intrinsics` says what such a source is written in. All memory of a search is one array of
words, laid out below; entry points are coarse: `listing`, `perft`, `think`, `solve`.
"""

import numpy as np
from numpy.typing import NDArray

from arbitre.games.draughts.moves import BIT, KING_ROW, WAYS
from arbitre.games.intrinsics import (  # noqa: F401 - the caller of a kernel asks it for its life and for addresses
    PLAIN,
    Memory,
    U,
    address,
    backwards,
    count_bits,
    highest,
    kernel,
    load,
    lowest,
    number,
    pending,
    store,
    times,
)

# ── the layout of a memory, in words ───────────────────────────────────────────────────────────────────────────────

STOP, NODES, LIMIT, ENDED, PLIES, TURN, BUCKETS, AGE, DEPTH, TABLES, DEEPEST = range(11)
"""Set by whoever wants the search to end; positions seen and allowed; whether the search has ended before its time; the plies of
a game and the number of the root's; buckets of the table less one; which search this is; the depth that was finished; whether
there are tables of endings; the deepest ply that was looked at."""
PLY_MOST = 120
"""How many plies below the root a search can be."""
KILLERS = 64
"""Two moves of each ply that refuted a neighbour, as history numbers plus one."""
PATH = KILLERS + 2 * 128
"""The positions from the root to here."""
CALM = PATH + 128
"""For each of them, how many moves of kings without a capture led there in a row: only such a position can come again."""
HISTORY = 1024
"""How often each step from one square to another was best, for both seats."""
MOVES = HISTORY + 2 * 4096
"""Lists of moves, one after the other."""
ROOM = MOVES + 40_960
"""Beyond this no list begins."""
TABLE = ROOM + 8_192
"""Positions remembered, in buckets of two: a deep one, a recent one; two words each, key and what is known."""
BUCKET = 4


def memory_for(buckets: int) -> Memory:
    """Return the memory of a search that remembers positions in so many buckets, a power of two."""
    memory = np.zeros(TABLE + BUCKET * buckets, dtype=np.uint64)
    memory[BUCKETS] = buckets - 1
    return memory


# ── the board ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _squares(*listed: int) -> U:
    """Return a set of squares by their numbers, 1 to 50."""
    return U(sum(BIT[n] for n in listed))


ZERO, ONE, FIVE, SIX, TEN, TWELVE = (U(n) for n in (0, 1, 5, 6, 10, 12))
EVERY = U(sum(BIT))
CROWNS_WHITE, CROWNS_BLACK = U(KING_ROW[0]), U(KING_ROW[1])
SPAN = 54
"""Bits of a board, those between the rows included."""

RAYS: NDArray[U] = np.zeros(4 * SPAN, dtype=np.uint64)
"""The squares from each square to the edge, for the steps -6, -5, 5 and 6."""
for _way, _step in enumerate(WAYS):
    for _bit in BIT[1:]:
        _here = _bit
        while _here := (_here << _step if _step > 0 else _here >> -_step) & int(EVERY):
            RAYS[_way * SPAN + _bit.bit_length() - 1] |= U(_here)


@kernel("u8(i8,i8,u8)")
def met(way: int, at: int, occupied: U) -> U:
    """Return the first piece from a square in one of the four ways, as a set of one or none."""
    found: U = RAYS[way * SPAN + at] & occupied
    if found == ZERO:
        return ZERO
    if way < 2:
        return ONE << U(highest(found))
    return found & (~found + ONE)


@kernel("u8(i8,i8,u8)")
def reach(way: int, at: int, occupied: U) -> U:
    """Return the free squares from a square up to the first piece or the edge."""
    ray: U = RAYS[way * SPAN + at]
    found = ray & occupied
    if found == ZERO:
        return ray
    if way < 2:
        return ray & ~((ONE << U(highest(found) + 1)) - ONE)
    return ray & ((found & (~found + ONE)) - ONE)


@kernel("u8(u8,u8,u8)")
def takers(men: U, foes: U, free: U) -> U:
    """Return the men that can take a neighbour."""
    found = (foes >> FIVE) & (free >> TEN) | (foes >> SIX) & (free >> TWELVE)
    return men & (found | (foes << FIVE) & (free << TEN) | (foes << SIX) & (free << TWELVE))


@kernel("b1(u8,u8,u8)")
def hunts(own: U, foes: U, kings: U) -> bool:
    """Tell whether a side could take something, were it to move."""
    occupied = own | foes
    if takers(own & ~kings, foes, EVERY ^ occupied) != ZERO:
        return True
    flying = own & kings
    while flying != ZERO:
        at = lowest(flying)
        flying &= flying - ONE
        for way in range(4):
            victim = met(way, at, occupied)
            if victim & foes != ZERO and reach(way, lowest(victim), occupied) != ZERO:
                return True
    return False


# ── moves ──────────────────────────────────────────────────────────────────────────────────────────────────────────
# A list of moves lies in the memory from `top` on, four words each: start, end, pieces taken, and room for an order.

ENTRY = 4


@kernel("i8(i8,i8,u8,u8,u8)")
def put(memory: Memory, at: int, start: U, end: U, taken: U) -> int:
    """Write a move, and return where the next one goes."""
    store(memory, at, start)
    store(memory, at + 1, end)
    store(memory, at + 2, taken)
    return at + ENTRY


@kernel("i8(i8,i8,u8,u8,u8)")
def first_captures(memory: Memory, top: int, own: U, foes: U, kings: U) -> int:
    """List the captures of one piece; return the end of the list."""
    occupied = own | foes
    free = EVERY ^ occupied
    at = top
    hunting = takers(own & ~kings, foes, free)
    while hunting != ZERO:
        man = hunting & (~hunting + ONE)
        hunting ^= man
        if (man << FIVE) & foes != ZERO and (man << TEN) & free != ZERO:
            at = put(memory, at, man, man << TEN, man << FIVE)
        if (man << SIX) & foes != ZERO and (man << TWELVE) & free != ZERO:
            at = put(memory, at, man, man << TWELVE, man << SIX)
        if (man >> FIVE) & foes != ZERO and (man >> TEN) & free != ZERO:
            at = put(memory, at, man, man >> TEN, man >> FIVE)
        if (man >> SIX) & foes != ZERO and (man >> TWELVE) & free != ZERO:
            at = put(memory, at, man, man >> TWELVE, man >> SIX)
    flying = own & kings
    while flying != ZERO:
        king = flying & (~flying + ONE)
        flying ^= king
        for way in range(4):
            victim = met(way, lowest(king), occupied)
            if victim & foes != ZERO:
                landings = reach(way, lowest(victim), occupied)
                while landings != ZERO:
                    to = landings & (~landings + ONE)
                    landings ^= to
                    at = put(memory, at, king, to, victim)
    return at


@kernel("i8(i8,i8,i8,u8,u8,u8)")
def put_new(memory: Memory, since: int, at: int, start: U, end: U, taken: U) -> int:
    """Write a move unless it is there already."""
    for other in range(since, at, ENTRY):
        if load(memory, other + 2) == taken and load(memory, other + 1) == end and load(memory, other) == start:
            return at
    return put(memory, at, start, end, taken)


@kernel("i8(i8,i8,i8,i8,u8,u8,u8)")
def longer(memory: Memory, since: int, at: int, entry: int, occupied: U, foes: U, kings: U) -> int:
    """List by how a capture can go on; return the end of the list."""
    start, here, taken = load(memory, entry), load(memory, entry + 1), load(memory, entry + 2)
    left = foes ^ taken
    blocked = occupied ^ start
    if start & kings == ZERO:
        free = EVERY & ~blocked
        if (here << FIVE) & left != ZERO and (here << TEN) & free != ZERO:
            at = put_new(memory, since, at, start, here << TEN, taken | here << FIVE)
        if (here << SIX) & left != ZERO and (here << TWELVE) & free != ZERO:
            at = put_new(memory, since, at, start, here << TWELVE, taken | here << SIX)
        if (here >> FIVE) & left != ZERO and (here >> TEN) & free != ZERO:
            at = put_new(memory, since, at, start, here >> TEN, taken | here >> FIVE)
        if (here >> SIX) & left != ZERO and (here >> TWELVE) & free != ZERO:
            at = put_new(memory, since, at, start, here >> TWELVE, taken | here >> SIX)
        return at
    for way in range(4):
        victim = met(way, lowest(here), blocked)
        if victim & left != ZERO:
            landings = reach(way, lowest(victim), blocked)
            while landings != ZERO:
                to = landings & (~landings + ONE)
                landings ^= to
                at = put_new(memory, since, at, start, to, taken | victim)
    return at


@kernel("i8(i8,i8,u8,u8,u8)")
def captures(memory: Memory, top: int, own: U, foes: U, kings: U) -> int:
    """List the longest captures and return their number, -1 where the memory is too small for all the ways to them.

    Found level by level like the rules do: each level follows the last one in the memory, and the last is moved to the front.
    """
    occupied = own | foes
    begin, end = top, first_captures(memory, top, own, foes, kings)
    while True:
        at = end
        for entry in range(begin, end, ENTRY):
            at = longer(memory, end, at, entry, occupied, foes, kings)
            if at > ROOM:
                return -1
        if at == end:
            break
        begin, end = end, at
    if begin != top:
        for word in range(end - begin):
            store(memory, top + word, load(memory, begin + word))
    return (end - begin) // ENTRY


@kernel("i8(i8,i8,u8,u8,i8)")
def put_steps(memory: Memory, at: int, targets: U, by: U, seat: int) -> int:
    """Write the steps of a side's men that end on `targets`, each `by` bits long; return the end of the list."""
    while targets != ZERO:
        to = targets & (~targets + ONE)
        targets ^= to
        at = put(memory, at, to << by if seat == 0 else to >> by, to, ZERO)
    return at


@kernel("i8(i8,i8,u8,u8,u8,i8)")
def listing(memory: Memory, top: int, own: U, foes: U, kings: U, seat: int) -> int:
    """List the moves of the side to move from `top` on and return their number, -1 where the memory is too small."""
    if top > ROOM:
        return -1
    if hunts(own, foes, kings):
        return captures(memory, top, own, foes, kings)
    occupied = own | foes
    free = EVERY ^ occupied
    men = own & ~kings
    flying = own & kings
    if seat == 0:
        at = put_steps(memory, top, (men >> SIX) & free, SIX, seat)
        at = put_steps(memory, at, (men >> FIVE) & free, FIVE, seat)
    else:
        at = put_steps(memory, top, (men << FIVE) & free, FIVE, seat)
        at = put_steps(memory, at, (men << SIX) & free, SIX, seat)
    while flying != ZERO:
        king = flying & (~flying + ONE)
        flying ^= king
        for way in range(4):
            targets = reach(way, lowest(king), occupied)
            while targets != ZERO:
                to = targets & (~targets + ONE)
                targets ^= to
                at = put(memory, at, king, to, ZERO)
    return (at - top) // ENTRY


@kernel("u8(u8,u8,u8,u8,i8)")
def crowned(kings: U, start: U, end: U, taken: U, seat: int) -> U:
    """Return the kings of both sides after a move."""
    kings &= ~taken
    if start & kings != ZERO:
        return kings ^ start | end
    return kings | end & (CROWNS_WHITE if seat == 0 else CROWNS_BLACK)


@kernel("i8(i8,i8,u8,u8,u8,i8)")
def counted(memory: Memory, top: int, own: U, foes: U, kings: U, seat: int) -> int:
    """Return the number of moves, without listing the quiet ones."""
    occupied = own | foes
    free = EVERY ^ occupied
    men = own & ~kings
    if takers(men, foes, free) != ZERO:
        return captures(memory, top, own, foes, kings)
    found = 0
    flying = own & kings
    while flying != ZERO:
        at = lowest(flying)
        flying &= flying - ONE
        for way in range(4):
            victim = met(way, at, occupied)
            if victim & foes != ZERO and reach(way, lowest(victim), occupied) != ZERO:
                return captures(memory, top, own, foes, kings)
            found += count_bits(reach(way, at, occupied))
    if seat == 0:
        return found + count_bits((men >> SIX) & free) + count_bits((men >> FIVE) & free)
    return found + count_bits((men << FIVE) & free) + count_bits((men << SIX) & free)


@kernel("i8(i8,i8,u8,u8,u8,i8,i8)")
def perft(memory: Memory, top: int, own: U, foes: U, kings: U, seat: int, depth: int) -> int:
    """Return the number of leaves so many plies below a position, at least one; -1 where the memory is too small."""
    if depth == 1:
        return counted(memory, top, own, foes, kings, seat)
    moves = listing(memory, top, own, foes, kings, seat)
    if moves < 0:
        return -1
    below = top + moves * ENTRY
    total = 0
    for entry in range(top, below, ENTRY):
        start, end, taken = load(memory, entry), load(memory, entry + 1), load(memory, entry + 2)
        after = crowned(kings, start, end, taken, seat)
        leaves = perft(memory, below, foes ^ taken, own ^ start | end, after, 1 - seat, depth - 1)
        if leaves < 0:
            return -1
        total += leaves
    return total


# ── the smallest endings ───────────────────────────────────────────────────────────────────────────────────────────
# A table holds one octet a position, eight in a word: 0 is a draw, else the plies to the end plus one, so odd is lost for the
# side to move and even won. Squares are seen from the side to move; a king counts fifty more than a man on its square.

PAIRS, TRIOS = 10_000, 1_000_000
QUARTETS = 6_250_000
MORE, FEWER = PAIRS, PAIRS + TRIOS
"""Two against one, and one against two."""
CROWD, LONE = PAIRS + 2 * TRIOS, PAIRS + 2 * TRIOS + QUARTETS
"""Three kings against one, and one against three."""
ENDINGS = LONE + QUARTETS
UNKNOWN = -1


@kernel("i8(u8,u8,i8)")
def piece(rest: U, kings: U, seat: int) -> int:
    """Return the number of the lowest piece of a set, as the side to move sees it."""
    at = lowest(rest)
    square = at - at // 11
    if seat == 1:
        square = 49 - square
    return square + 50 if kings & (ONE << U(at)) != ZERO else square


@kernel("i8(u8,u8,u8,i8)")
def place(own: U, foes: U, kings: U, seat: int) -> int:
    """Return where the tables hold a position, `UNKNOWN` where they do not."""
    ours, theirs = count_bits(own), count_bits(foes)
    pieces = ours + theirs
    if ours == 0 or theirs == 0 or pieces > 4 or (pieces == 4 and (ours == 2 or kings != (own | foes))):
        return UNKNOWN
    many = own if ours > 1 else foes
    one = piece(foes if ours > 1 else own, kings, seat)
    a = piece(many, kings, seat)
    if pieces == 2:
        return one * 100 + a
    many &= many - ONE
    b = piece(many, kings, seat)
    if a > b:
        a, b = b, a
    if pieces == 3:
        return (MORE if ours > 1 else FEWER) + (a * 100 + b) * 100 + one
    c = piece(many & (many - ONE), kings, seat)
    if c < a:
        a, b, c = c, a, b
    elif c < b:
        b, c = c, b
    return (CROWD if ours > 1 else LONE) + (((a - 50) * 50 + b - 50) * 50 + c - 50) * 50 + one - 50


@kernel("i8(i8,i8)")
def octet(table: Memory, index: int) -> int:
    """Return an octet of a table."""
    return number(load(table, index >> 3) >> U(8 * (index & 7))) & 255


@kernel("void(i8,i8,i8)")
def set_octet(table: Memory, index: int, to: int) -> None:
    """Set an octet of a table."""
    shift = U(8 * (index & 7))
    store(table, index >> 3, load(table, index >> 3) & ~(U(255) << shift) | U(to) << shift)


@kernel("u8(i8)")
def bit_of(code: int) -> U:
    """Return the square of a piece's number."""
    square = code % 50
    return ONE << U(square + square // 10)


@kernel("b1(i8,i8)")
def spread(memory: Memory, index: int) -> bool:
    """Write own, foes and kings of a position of the tables to the front of the lists; tell whether there is one.

    A position counts in one order of its pieces only, with each on a square of its own and no man where it would be a king.
    """
    kings = ZERO
    if index < CROWD:
        trio = index if index < PAIRS else (index - MORE if index < FEWER else index - FEWER)
        one, last = (trio // 100, trio % 100) if index < PAIRS else (trio % 100, trio // 100 % 100)
        many = bit_of(last)
        if last >= 50:
            kings |= many
        lone = bit_of(one)
        if one >= 50:
            kings |= lone
        if index >= PAIRS:
            first = trio // 10_000
            if first >= last:
                return False
            more = bit_of(first)
            if more == many:
                return False
            if first >= 50:
                kings |= more
            many |= more
    else:
        four = (index - CROWD) % QUARTETS
        a, b, c = four // 125_000, four // 2_500 % 50, four // 50 % 50
        if a >= b or b >= c:
            return False
        many = bit_of(a) | bit_of(b) | bit_of(c)
        lone = bit_of(four % 50)
        kings = many | lone
    if many & lone != ZERO:
        return False
    crowd = MORE <= index < FEWER or CROWD <= index < LONE
    own, foes = (many, lone) if crowd else (lone, many)
    if own & ~kings & CROWNS_WHITE != ZERO or foes & ~kings & CROWNS_BLACK != ZERO:
        return False
    put(memory, MOVES, own, foes, kings)
    return True


CAPTURE_DUE = 255
"""Said of a position where something must be taken: no move of another kind leads from it."""


@kernel("i8(i8,i8,i8,i8)")
def begin(memory: Memory, table: Memory, left: Memory, index: int) -> int:
    """Judge a position of the tables by what smaller ones say, and count its quiet moves; return its value if it has one."""
    if not spread(memory, index):
        return 0
    own, foes, kings = load(memory, MOVES), load(memory, MOVES + 1), load(memory, MOVES + 2)
    moves = listing(memory, MOVES, own, foes, kings, 0)
    if moves == 0:
        return 1
    if load(memory, MOVES + 2) == ZERO:
        set_octet(left, index, moves)
        return 0
    set_octet(left, index, CAPTURE_DUE)
    best, worst, drawn = 255, 0, False
    for entry in range(MOVES, MOVES + moves * ENTRY, ENTRY):
        start, end, taken = load(memory, entry), load(memory, entry + 1), load(memory, entry + 2)
        after = crowned(kings, start, end, taken, 0)
        value = 1 if foes == taken else octet(table, place(foes ^ taken, own ^ start | end, after, 1))
        if value == 0:
            drawn = True
        elif value & 1:
            best = min(best, value)
        else:
            worst = max(worst, value)
    if best < 255:
        return best + 1
    return 0 if drawn else worst + 1


@kernel("i8(i8,i8,u8,u8,u8,u8,u8,i8)")
def tell_from(table: Memory, left: Memory, own: U, foes: U, kings: U, origins: U, as_king: U, value: int) -> int:
    """Tell the positions in which the piece that has moved stood on one of `origins`."""
    settled = 0
    while origins != ZERO:
        origin = origins & (~origins + ONE)
        origins ^= origin
        before = place(foes | origin, own, kings | origin & as_king, 1)
        if before == UNKNOWN or octet(table, before) != 0:
            continue
        moves = octet(left, before)
        if moves == CAPTURE_DUE:
            continue
        if value & 1:
            set_octet(table, before, value + 1)
            settled = 1
        else:
            set_octet(left, before, moves - 1)
            if moves == 1:
                set_octet(table, before, value + 1)
                settled = 1
    return settled


@kernel("i8(i8,i8,i8,i8,i8)")
def tell(memory: Memory, table: Memory, left: Memory, index: int, value: int) -> int:
    """Tell the quiet predecessors of a position its value; return 1 if that settles one of them.

    Whoever has moved last now waits: his men came from behind, his kings from anywhere on their free lines or, on the last
    row, as men. Squares are seen by the side to move, white.
    """
    spread(memory, index)
    own, foes, kings = load(memory, MOVES), load(memory, MOVES + 1), load(memory, MOVES + 2)
    occupied = own | foes
    settled = 0
    rest = foes
    while rest != ZERO:
        to = rest & (~rest + ONE)
        rest ^= to
        stepped = ((to >> FIVE) | (to >> SIX)) & EVERY & ~occupied
        if kings & to != ZERO:
            if to & CROWNS_BLACK != ZERO:
                settled |= tell_from(table, left, own, foes ^ to, kings ^ to, stepped, ZERO, value)
            slid = reach(0, lowest(to), occupied) | reach(1, lowest(to), occupied)
            slid |= reach(2, lowest(to), occupied) | reach(3, lowest(to), occupied)
            settled |= tell_from(table, left, own, foes ^ to, kings ^ to, slid, EVERY, value)
        else:
            settled |= tell_from(table, left, own, foes ^ to, kings, stepped, ZERO, value)
    return settled


@kernel("i8(i8,i8,i8,i8,i8)")
def solve(memory: Memory, table: Memory, left: Memory, since: int, until: int) -> int:
    """Fill in the tables from `since` to `until`, those before being known; return the longest distance plus one.

    Positions are settled in the order of their distance to the end, each telling those that lead to it by a quiet move;
    captures lead to smaller tables and are looked up at the start.
    """
    farthest = 0
    for index in range(since, until):
        value = begin(memory, table, left, index)
        if value:
            set_octet(table, index, value)
            farthest = max(farthest, value)
    value = 1
    while value <= farthest:
        for word in range(since >> 3, (until + 7) >> 3):
            if load(table, word) == ZERO:
                continue
            for index in range(max(since, word * 8), min(until, word * 8 + 8)):
                if octet(table, index) == value and tell(memory, table, left, index, value):
                    farthest = max(farthest, value + 1)
        value += 1
    return farthest


# ── what a position is worth ───────────────────────────────────────────────────────────────────────────────────────

WON = 10_000
"""What a won position is worth, less one for each ply until then: sooner is better."""
SURE = 9_000
"""Worth more than any position that is only good."""

# A trait has two worths, for a full board and for an empty one, between which a position is placed by its pieces; they are kept
# in one number so that both are counted at once. All of them were fitted to the results of games of the engine with itself.
HALVES = 1 << 20


def _pair(full: int, bare: int) -> int:
    """Return two worths as one number."""
    return full * HALVES + bare


SQUARES = (
    (
        139,
        134,
        131,
        136,
        144,
        129,
        116,
        124,
        120,
        126,
        110,
        107,
        87,
        90,
        110,
        91,
        85,
        83,
        104,
        115,
        120,
        115,
        121,
        113,
        97,
        112,
        126,
        134,
        119,
        113,
        122,
        132,
        138,
        133,
        118,
        111,
        128,
        128,
        127,
        116,
        116,
        113,
        146,
        99,
        134,
    ),
    (
        92,
        110,
        106,
        101,
        113,
        95,
        105,
        84,
        93,
        73,
        89,
        82,
        72,
        64,
        58,
        76,
        84,
        77,
        72,
        71,
        69,
        65,
        62,
        70,
        76,
        58,
        53,
        52,
        61,
        71,
        73,
        45,
        45,
        47,
        51,
        49,
        49,
        58,
        60,
        71,
        72,
        79,
        59,
        88,
        85,
    ),
)
"""What a man of white's is worth on the squares 6 to 50, on a full board and on an empty one."""
CHUNK = 9
MEN = np.zeros(SPAN // CHUNK << CHUNK, dtype=np.int64)
"""The worth of every pattern of men on nine neighbouring bits."""
for _nth, (_full, _bare) in enumerate(zip(*SQUARES, strict=True)):
    _at = BIT[_nth + 6].bit_length() - 1
    _patterns = MEN[_at // CHUNK << CHUNK :][: 1 << CHUNK]
    _patterns[np.arange(1 << CHUNK) >> _at % CHUNK & 1 == 1] += _pair(_full, _bare)

KINGS = _pair(450, 130)
ON_HIGHWAY = _pair(-5, 0)
LEFT_PAIRS = _pair(-3, 16)
RIGHT_PAIRS = _pair(-3, 18)
THORNS = _pair(10, 10)
ALONE = _pair(-5, -4)
STEPS = _pair(6, 5)
STUCK = _pair(-1, 29)
LOPSIDED = _pair(13, -26)
RUNNER = _pair(16, 14)
LEFT_TRIPLES = _pair(-9, 21)
RIGHT_TRIPLES = _pair(-3, 6)
LEFT_GAPS = _pair(-13, 18)
RIGHT_GAPS = _pair(-12, 14)
OPEN = _pair(2, 4)
BLOCKED = _pair(0, 2)
TURN_WORTH = 6
"""Of the side to move."""
EDGES = _squares(6, 16, 26, 36, 5, 15, 25, 35)
GUARDS = _squares(46, 47, 48, 49, 50)
"""The men who keep the other's from being crowned."""
OUTPOSTS = _squares(*range(11, 26)) & ~EDGES
LEFT = _squares(*(n for n in range(1, 51) if (n - 1) % 5 < 2))
RIGHT = _squares(*(n for n in range(1, 51) if (n - 1) % 5 > 2))
HIGHWAY = _squares(5, 10, 14, 19, 23, 28, 32, 37, 41, 46)
"""The long diagonal: a king on it is hardly ever caught."""
RUNWAY = _squares(*range(36, 51))
"""Who is there has far to go."""
AHEAD: NDArray[U] = np.zeros(SPAN, dtype=np.uint64)
"""Where a man of white's can get to on foot, and the squares beside: nobody there stops it."""
for _bit in BIT[1:]:
    _way, _here = 0, _bit
    while _here:
        _here = (_here >> 5 | _here >> 6) & int(EVERY)
        _way |= _here
    AHEAD[_bit.bit_length() - 1] = _way


@kernel("i8(u8,u8,u8,u8,i8)")
def standing(men: U, flying: U, foes: U, foe_kings: U, pieces: int) -> int:
    """Judge the pieces of one side, seen as white: how many they are and where they stand."""
    free = EVERY ^ (men | flying | foes)
    worth = KINGS * count_bits(flying) + ON_HIGHWAY * count_bits(flying & HIGHWAY)
    rest = men
    for part in range(SPAN // CHUNK):
        worth += number(MEN[(part << CHUNK) + number(rest & U((1 << CHUNK) - 1))])
        rest >>= U(CHUNK)
    # A man with friends behind him cannot be taken from there; one far ahead with both is a thorn.
    left, right = men & (men >> FIVE), men & (men >> SIX)
    worth += LEFT_PAIRS * count_bits(left) + RIGHT_PAIRS * count_bits(right) + THORNS * count_bits(left & right & OUTPOSTS)
    worth += LEFT_TRIPLES * count_bits(left & (men >> TEN)) + RIGHT_TRIPLES * count_bits(right & (men >> TWELVE))
    worth += LEFT_GAPS * count_bits(men & (free >> FIVE) & (men >> TEN))
    worth += RIGHT_GAPS * count_bits(men & (free >> SIX) & (men >> TWELVE))
    worth += ALONE * count_bits(men & ~(men << FIVE | men << SIX | men >> FIVE | men >> SIX) & ~GUARDS)
    worth += OPEN * count_bits(men & (free << FIVE) & (free << SIX)) + BLOCKED * count_bits(men & ~(free << FIVE | free << SIX))
    steps = count_bits((men >> SIX) & free) + count_bits((men >> FIVE) & free)
    worth += STEPS * steps
    if steps < 3 and flying == ZERO:
        worth += STUCK * (3 - steps)
    worth += LOPSIDED * abs(count_bits(men & LEFT) - count_bits(men & RIGHT))
    if foe_kings == ZERO and pieces <= 24:
        runners = men & ~RUNWAY
        best = 0
        while runners != ZERO:
            at = lowest(runners)
            runners &= runners - ONE
            if AHEAD[at] & foes == ZERO:
                best = max(best, 10 - (at - at // 11) // 5)
        worth += RUNNER * best
    bare = ((worth + HALVES // 2) & (HALVES - 1)) - HALVES // 2
    return ((worth - bare) // HALVES * pieces + bare * (40 - pieces)) // 40


@kernel("i8(u8,u8,u8,i8,i8)")
def evaluate(own: U, foes: U, kings: U, seat: int, left: int) -> int:
    """Judge a quiet position for the side to move, with so many plies left to play."""
    pieces = count_bits(own | foes)
    if seat == 1:
        own, foes, kings = (backwards(own) >> TEN, backwards(foes) >> TEN, backwards(kings) >> TEN)
    ours = standing(own & ~kings, own & kings, foes, foes & kings, pieces)
    own, foes, kings = (backwards(own) >> TEN, backwards(foes) >> TEN, backwards(kings) >> TEN)
    theirs = standing(foes & ~kings, foes & kings, own, own & kings, pieces)
    worth = ours - theirs + TURN_WORTH
    # Whoever is ahead wins more easily the fewer pieces are left; a king alone, though, holds against two or three.
    strong, weak = (own, foes) if worth > 0 else (foes, own)
    ahead = count_bits(strong) - count_bits(weak)
    if ahead > 0:
        worth += (2 * ahead * (40 - pieces)) * (1 if worth > 0 else -1)
    if weak & kings != ZERO:
        if weak & kings & HIGHWAY != ZERO and count_bits(strong) < 4:
            worth //= 32
        elif ahead <= 1 or count_bits(strong) < 4:
            worth //= 8
        elif ahead == 2:
            worth //= 3
    elif strong & kings == ZERO and ahead == 0 and pieces <= 4:
        worth //= 2
    if left < 24:
        worth = worth * (left + 4) // 28
    return max(-SURE + 200, min(SURE - 200, worth))


# ── the search ─────────────────────────────────────────────────────────────────────────────────────────────────────

LATE = 60
"""With fewer plies left to the draw, the same position with more or fewer is another one."""
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
C1, C2, C3, C4 = U(0x9E37_79B9_7F4A_7C15), U(0xC2B2_AE3D_27D4_EB4F), U(0x1656_67B1_9E37_79F9), U(0xD6E8_FEB8_6659_FD93)
HALF = U(32)


@kernel("u8(u8,u8,u8,i8)")
def key_of(own: U, foes: U, kings: U, seat: int) -> U:
    """Return the key of a position."""
    key = times(own, C1) ^ times(foes ^ foes >> U(29), C2)
    key = times(key ^ key >> HALF, C3) ^ times(kings ^ kings >> U(31), C4) ^ U(seat)
    key = times(key ^ key >> U(29), C1)
    return key ^ key >> HALF


@kernel("i8(i8,u8)")
def known(memory: Memory, key: U) -> int:
    """Return where the table holds a position, 0 where it does not."""
    at = TABLE + BUCKET * number(key & load(memory, BUCKETS))
    if load(memory, at) == key:
        return at + 1
    if load(memory, at + 2) == key:
        return at + 3
    return 0


@kernel("void(i8,u8,i8,i8,i8,i8)")
def remember(memory: Memory, key: U, depth: int, worth: int, bound: int, choice: int) -> None:
    """Keep what was found about a position: in the deep place unless something deeper is there, else in the recent one."""
    age = number(load(memory, AGE)) & 255
    word = U(worth + 32_768 | (depth + 8) << 20 | bound << 28 | choice << 32 | age << 48)
    at = TABLE + BUCKET * number(key & load(memory, BUCKETS))
    held = number(load(memory, at + 1))
    if load(memory, at) != key and (held >> 48) == age and (held >> 20 & 255) > depth + 8:
        at += 2
    store(memory, at, key)
    store(memory, at + 1, word)


@kernel("i8(i8,i8,i8)")
def settled(worth: int, ply: int, sign: int) -> int:
    """Count a sure result from the position (`sign` 1) or from the root (-1)."""
    if worth >= SURE:
        return worth + sign * ply
    if worth <= -SURE:
        return worth - sign * ply
    return worth


@kernel("i8(i8,i8)")
def step_of(memory: Memory, entry: int) -> int:
    """Return the number of a step from one square to another, below 4096."""
    return lowest(load(memory, entry)) * 64 + lowest(load(memory, entry + 1))


@kernel("void(i8,i8,i8,i8,i8,i8,u8)")
def order(memory: Memory, top: int, moves: int, seat: int, ply: int, hint: int, kings: U) -> None:
    """Give each move of a list its promise: the one that was best before, captures of kings, killers, what was often best."""
    one, two = load(memory, KILLERS + 2 * ply), load(memory, KILLERS + 2 * ply + 1)
    for nth in range(moves):
        entry = top + nth * ENTRY
        step = step_of(memory, entry)
        promise = load(memory, HISTORY + 4096 * seat + step) << TEN
        taken = load(memory, entry + 2)
        if nth == hint:
            promise = ONE << U(62)
        elif taken != ZERO:
            promise += U(count_bits(taken & kings)) << U(50)
        elif U(step + 1) == one:
            promise += ONE << U(52)
        elif U(step + 1) == two:
            promise += ONE << U(51)
        # The place in the list as it was made travels along: the table remembers it.
        store(memory, entry + 3, promise | U(nth))


@kernel("void(i8,i8,i8)")
def pick(memory: Memory, entry: int, below: int) -> None:
    """Bring the most promising move from here on to the front."""
    best, most = entry, load(memory, entry + 3)
    for other in range(entry + ENTRY, below, ENTRY):
        if load(memory, other + 3) > most:
            best, most = other, load(memory, other + 3)
    if best != entry:
        for word in range(ENTRY):
            kept = load(memory, entry + word)
            store(memory, entry + word, load(memory, best + word))
            store(memory, best + word, kept)


@kernel("void(i8,i8,i8,i8,i8)")
def praise(memory: Memory, entry: int, seat: int, ply: int, depth: int) -> None:
    """Remember a quiet move that refuted a position."""
    step = step_of(memory, entry)
    at = HISTORY + 4096 * seat + step
    store(memory, at, min(load(memory, at) + U(depth * depth + 1), U(1 << 30)))
    killer = load(memory, KILLERS + 2 * ply)
    if killer != U(step + 1):
        store(memory, KILLERS + 2 * ply + 1, killer)
        store(memory, KILLERS + 2 * ply, U(step + 1))


@kernel("b1(i8,i8,u8)")
def again(memory: Memory, ply: int, key: U) -> bool:
    """Note a position on the path; tell whether it was there before, with nothing but kings moving since."""
    store(memory, PATH + ply, key)
    calm = number(load(memory, CALM + ply))
    for back in range(4, min(calm, ply) + 1, 2):  # noqa: SIM110 - numba knows no generators
        if load(memory, PATH + ply - back) == key:
            return True
    return False


@kernel("i8(i8,i8,u8,u8,u8,i8,i8)")
def ending(memory: Memory, tables: Memory, own: U, foes: U, kings: U, seat: int, ply: int) -> int:
    """Return what the tables say of a position, WON + 1 where they are silent: a win that comes too late is a draw."""
    if load(memory, TABLES) == ZERO:
        return WON + 1
    index = place(own, foes, kings, seat)
    if index == UNKNOWN:
        return WON + 1
    value = octet(tables, index)
    turn = number(load(memory, TURN)) + ply
    if value == 0 or turn + value - 2 > number(load(memory, PLIES)):
        return 0
    distance = ply + value - 1
    return distance - WON if value & 1 else WON - distance


@kernel("i8(i8,i8,u8,u8,u8,i8,i8,i8,i8,i8,i8)")
def search(  # noqa: PLR0912, PLR0915 - taken apart it would be slower, and no clearer
    memory: Memory, tables: Memory, own: U, foes: U, kings: U, seat: int, depth: int, low: int, high: int, ply: int, top: int
) -> int:
    """Return what a position is worth for the side to move, as far as it lies between `low` and `high`.

    Never judged while a capture is due; where the other side threatens one, the search looks a little further.
    """
    nodes = load(memory, NODES) + ONE
    store(memory, NODES, nodes)
    if nodes > load(memory, LIMIT) or (nodes & U(511) == ZERO and pending(memory, STOP) != ZERO):
        store(memory, ENDED, ONE)
    if load(memory, ENDED) != ZERO:
        return 0
    if count_bits(own | foes) <= 4:
        found = ending(memory, tables, own, foes, kings, seat, ply)
        if found <= WON:
            return found
    turn = number(load(memory, TURN)) + ply
    left = number(load(memory, PLIES)) + 1 - turn
    key = key_of(own, foes, kings, seat)
    if again(memory, ply, key):
        return 0
    if left < LATE:
        key ^= times(U(max(0, left) + 1), C3)
    hint = -1
    at = known(memory, key)
    if at:
        word = number(load(memory, at))
        hint = word >> 32 & 1023
        if (word >> 20 & 255) - 8 >= depth and ply > 0:
            worth = settled((word & 0xF_FFFF) - 32_768, ply, -1)
            bound = word >> 28 & 3
            if bound == EXACT or (bound == AT_LEAST and worth >= high) or (bound == AT_MOST and worth <= low):
                return worth
    moves = listing(memory, top, own, foes, kings, seat)
    if moves == 0:
        return ply - WON
    if left <= 0:
        return 0
    capture = moves > 0 and load(memory, top + 2) != ZERO
    if moves < 0 or ply >= PLY_MOST:
        return evaluate(own, foes, kings, seat, left)
    threatened = not capture and hunts(foes, own, kings)
    if depth <= 0 and not capture and (depth <= -1 or not threatened):
        return evaluate(own, foes, kings, seat, left)
    order(memory, top, moves, seat, ply, hint, kings)
    below = top + moves * ENTRY
    best, choice, bar = -WON, 0, low
    next_depth = depth if moves == 1 or (capture and depth <= 0) else depth - 1
    for nth in range(moves):
        entry = top + nth * ENTRY
        pick(memory, entry, below)
        start, end, taken = load(memory, entry), load(memory, entry + 1), load(memory, entry + 2)
        after = crowned(kings, start, end, taken, seat)
        calm = load(memory, CALM + ply) + ONE if not capture and start & kings != ZERO else ZERO
        store(memory, CALM + ply + 1, calm)
        own_after, foes_after = foes ^ taken, own ^ start | end
        reduced = 0
        if nth >= 1 and depth >= 2 and not capture:
            reduced = 1 if nth < 4 or depth < 4 else 2
        if nth == 0:
            worth = -search(memory, tables, own_after, foes_after, after, 1 - seat, next_depth, -high, -bar, ply + 1, below)
        else:
            worth = -search(
                memory, tables, own_after, foes_after, after, 1 - seat, next_depth - reduced, -bar - 1, -bar, ply + 1, below
            )
            if worth > bar and (reduced > 0 or worth < high):
                worth = -search(memory, tables, own_after, foes_after, after, 1 - seat, next_depth, -high, -bar, ply + 1, below)
        if load(memory, ENDED) != ZERO:
            return 0
        if worth > best:
            best = worth
            choice = number(load(memory, entry + 3) & U(1023))
            if worth > bar:
                bar = worth
                if worth >= high:
                    if not capture:
                        praise(memory, entry, seat, ply, max(depth, 1))
                    break
    bound = AT_LEAST if best >= high else (EXACT if best > low else AT_MOST)
    remember(memory, key, max(depth, -8), settled(best, ply, 1), bound, choice)
    return best


@kernel("i8(i8,i8,u8,u8,u8,i8,i8,i8,i8)")
def weigh(memory: Memory, tables: Memory, own: U, foes: U, kings: U, seat: int, depth: int, slack: int, moves: int) -> int:
    """Find what each move of the root's list is worth at a depth; return how many were weighed before the search ended.

    The worth, plus twice `WON`, goes to the move's fourth word. Of a move that falls short of the best by more than `slack`
    only that is known.
    """
    below = MOVES + moves * ENTRY
    best = -WON
    for nth in range(moves):
        entry = MOVES + nth * ENTRY
        start, end, taken = load(memory, entry), load(memory, entry + 1), load(memory, entry + 2)
        after = crowned(kings, start, end, taken, seat)
        store(memory, CALM + 1, ONE if taken == ZERO and start & kings != ZERO else ZERO)
        one, two = foes ^ taken, own ^ start | end
        bar = max(-WON, best - slack - 1) if nth else -WON
        worth = bar + 1
        if nth and slack == 0:
            bar = best
            worth = -search(memory, tables, one, two, after, 1 - seat, depth - 1, -bar - 1, -bar, 1, below)
        if load(memory, ENDED) == ZERO and worth > bar:
            worth = -search(memory, tables, one, two, after, 1 - seat, depth - 1, -WON, -bar, 1, below)
        if load(memory, ENDED) != ZERO:
            return nth
        store(memory, entry + 3, U(worth + 2 * WON))
        best = max(best, worth)
    return moves


@kernel("void(i8,i8)")
def rank(memory: Memory, moves: int) -> None:
    """Sort the root's moves by what they are worth, the best first, equals as they were."""
    for nth in range(1, moves):
        at = MOVES + nth * ENTRY
        while at > MOVES and load(memory, at + 3) > load(memory, at - 1):
            for word in range(ENTRY):
                kept = load(memory, at + word)
                store(memory, at + word, load(memory, at - ENTRY + word))
                store(memory, at - ENTRY + word, kept)
            at -= ENTRY


@kernel("i8(i8,i8,u8,u8,u8,i8,i8,i8)")
def think(memory: Memory, tables: Memory, own: U, foes: U, kings: U, seat: int, depth: int, slack: int) -> int:
    """Search deeper and deeper until the depth, the limit of positions or the flag; return the number of moves, -1 for too many.

    The moves are then at the front of the lists with what they are worth, the best first; 0 says that a move was not weighed
    in the last, unfinished round.
    """
    store(memory, NODES, ZERO)
    store(memory, ENDED, ZERO)
    store(memory, DEPTH, ZERO)
    store(memory, CALM, ZERO)
    store(memory, PATH, key_of(own, foes, kings, seat))
    store(memory, AGE, load(memory, AGE) + ONE)
    for at in range(KILLERS, PATH):
        store(memory, at, ZERO)
    for at in range(HISTORY, MOVES):
        store(memory, at, load(memory, at) >> U(3))
    moves = listing(memory, MOVES, own, foes, kings, seat)
    for nth in range(moves):
        store(memory, MOVES + nth * ENTRY + 3, U(2 * WON))
    if moves < 2:
        return moves
    for deep in range(1, depth + 1):
        done = weigh(memory, tables, own, foes, kings, seat, deep, slack, moves)
        if done == 0:
            break
        for nth in range(done, moves):
            store(memory, MOVES + nth * ENTRY + 3, ZERO)
        rank(memory, moves)
        if done < moves:
            break
        store(memory, DEPTH, U(deep))
        worth = number(load(memory, MOVES + 3)) - 2 * WON
        if abs(worth) >= SURE:
            break
    return moves
