"""Five in a row, the hot half: stones and captures, what each empty cell is good for, proofs by threats, a whole search.

Three rules (`RULE`): the first five in a row win; the most rows of five on a full board win; five in a row or five captured pairs
win. The rules of the games that play so are the oracle of everything here.

**Line codes.** An empty cell knows, for each of four directions, what lies on the four cells before and the four behind it, two
bits each: one code of 16 bits, four codes to a word. A stone laid or lifted changes one place in the codes of 32 cells. A table
says for each code what a stone of either colour on that cell would make of that line (its *kind*), and whether it would capture.
The kinds of the four directions together say what a cell is good for: such cells are kept in sets, and summed up as worth.

**Proofs.** Whoever has a four wins with the next stone unless the other answers at once, so a victory by fours alone is a narrow
and deep search (`prove`); by open threes too it is a wider one. Where captures break rows, answers include all captures, and
threes, which can be answered in many ways, prove nothing.

**The search** is alpha-beta with a table. Fours are answered before anything else and cost no depth; where the smoke has not
cleared a proof by fours decides.

`arbitre.games.intrinsics` says what such a source is written in. Integers only, and one thread: the same memory, tables, position
and limits give the same answer everywhere.
"""

import numpy as np
from numpy.typing import NDArray

from arbitre.games.intrinsics import (  # noqa: F401 - the caller of a kernel asks it for its life and for addresses
    PLAIN,
    Memory,
    U,
    address,
    code,
    count_bits,
    kernel,
    load,
    lowest,
    number,
    pending,
    store,
    times,
)

# ── what lines are good for ────────────────────────────────────────────────────────────────────────────────────────

FIRST, MOST, PAIRED = range(3)
"""The rules: the first five, the most fives, five stones or five pairs."""

NOTHING, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(8)
"""Kinds: what a stone on a cell would make of a line. An open four has two cells that complete it, an open three can become an
open four; the others of their number are closed, and worth a tempo or nothing."""

WINS, DOUBLES, FOURS, THREES, NEAR, LOOT = range(6)
"""Sets of cells, for each colour: where a stone makes five; an open four or two fours; a four; an open three; anything; where it
captures."""
SETS_OF_COLOUR = 8

GRADES, COMBINED, VALUED, RANKED = 0, 1 << 16, (1 << 16) + 4096, (1 << 16) + 2 * 4096
"""Where the tables begin that `five/tables.py` makes: grades of a code, and sets, worth and rank of the four kinds of a cell."""
CONSTANTS = RANKED + 4096
TEMPO, ROW, PAIR, TAKEN, TAKEN_MORE, WIDTH, FOURS_SEEN, THREES_SEEN, THREES_FROM, SOON = range(CONSTANTS, CONSTANTS + 10)
"""Numbers that belong to a rule: sixteenths of its own worth that the side to move has more; what a row, a pair that can be
captured, and a captured pair are worth, with what each further one is worth more; how many moves deserve a look; in how many
positions a victory by fours is looked for, and by threes for each ply of depth, and from which depth on; what a row is worth that
the side to move can make, where the game goes on after it."""
SHORTS = CONSTANTS + 16

# ── the layout of a memory, in words ───────────────────────────────────────────────────────────────────────────────

STOP, NODES, LIMIT, ENDED, BUCKETS, AGE, DEPTH, SOLVED, RULE, KEY, TURN, EMPTY, LOW, HIGH, CAP, PROVED = range(16)
"""Set by the caller who wants the search to end; positions seen and allowed; whether the search has ended before its time;
buckets of the table less one; which search this is; the depth that was finished; whether the best move is proved to win. The
rule; the key of the stones; the number of the ply to come; empty cells; the words of sets in which the board lies; positions at
which a proof gives up; the move that a proof begins with."""
PAIRS = 32
"""Pairs that each colour has captured; 0 is nobody."""
WORTH = 36
"""What the cells of each colour are worth."""
ROWS = 40
"""How many rows of five each colour has."""
STRIDE, EDGE = 32, 4
"""From row to row, and how many cells of wall there are around a board."""
CELLS = 1024
BOARD = 64
"""What lies on each cell: 0 nothing, 1 and 2 stones, 3 the wall."""
CODES = BOARD + CELLS
"""Four line codes of each cell."""
KINDS = CODES + CELLS
"""For each empty cell: kinds of the first colour in 12 bits, of the second in 12, captures in 8 and 8."""
SETS = KINDS + CELLS
"""Sets of cells, 16 words each."""
COUNTS = SETS + 3 * SETS_OF_COLOUR * 16
"""How many cells each of them has."""
MOVES = COUNTS + 3 * SETS_OF_COLOUR
"""Lists of moves, one after the other, two words each: cell, and room for an order."""
ENTRY = 2
ROOM = MOVES + 64 * 128 * ENTRY
"""Beyond this no list begins."""
TABLE = ROOM + 512 * ENTRY
"""Positions remembered, in buckets of two: a deep one, a recent one; two words each, key and what is known."""
BUCKET = 4


def memory_for(buckets: int) -> Memory:
    """Return the memory of a search that remembers positions in so many buckets, a power of two."""
    memory = np.zeros(TABLE + BUCKET * buckets, dtype=np.uint64)
    memory[BUCKETS] = buckets - 1
    memory[LIMIT] = 1 << 62
    return memory


ZERO, ONE, TWELVE, SIXTEEN, HALF = (U(n) for n in (0, 1, 12, 16, 32))
SHORT, BYTE = U(0xFFFF), U(255)
TWELVE_BITS = U(4095)
C1, C2, C3 = U(0x9E3779B97F4A7C15), U(0xC2B2AE3D27D4EB4F), U(0x165667B19E3779F9)
STEPS: NDArray[np.int64] = np.array([1, STRIDE, STRIDE + 1, STRIDE - 1], dtype=np.int64)
MASKS: NDArray[U] = np.array(
    [~(7 << 3 * d | 7 << 12 + 3 * d | 3 << 24 + 2 * d | 3 << 32 + 2 * d) & (1 << 64) - 1 for d in range(4)], dtype=np.uint64
)
"""What of a cell's kinds is not of a direction."""


# ── the board ──────────────────────────────────────────────────────────────────────────────────────────────────────


@kernel("i8(u8)")
def summed(pairs: U) -> int:
    """Add up the captures of four directions, two bits each."""
    return number((pairs & U(3)) + (pairs >> U(2) & U(3)) + (pairs >> U(4) & U(3)) + (pairs >> U(6) & U(3)))


@kernel("void(i8,i8,i8,u8,u8)")
def regrade(memory: Memory, tables: Memory, cell: int, before: U, after: U) -> None:
    """Let a cell be good for something else."""
    word, bit = cell >> 6, ONE << U(cell & 63)
    for colour in range(1, 3):
        at = U(12 * colour - 12)
        was, now = number(before >> at & TWELVE_BITS), number(after >> at & TWELVE_BITS)
        at = U(16 + 8 * colour)
        took, takes = before >> at & BYTE, after >> at & BYTE
        if was == now and took == takes:
            continue
        worth = code(tables, VALUED + now) - code(tables, VALUED + was)
        differ = U(code(tables, COMBINED + was) ^ code(tables, COMBINED + now))
        if took != takes:
            worth += code(tables, PAIR) * (summed(takes) - summed(took))
            if (took == ZERO) != (takes == ZERO):
                differ |= ONE << U(LOOT)
        store(memory, WORTH + colour, U(number(load(memory, WORTH + colour)) + worth))
        while differ != ZERO:
            sort = colour * SETS_OF_COLOUR + lowest(differ)
            differ &= differ - ONE
            there = load(memory, SETS + 16 * sort + word) ^ bit
            store(memory, SETS + 16 * sort + word, there)
            one = 1 if there & bit != ZERO else -1
            store(memory, COUNTS + sort, U(number(load(memory, COUNTS + sort)) + one))


@kernel("u8(i8,u8,i8,u8)")
def graded(tables: Memory, kinds: U, way: int, lines: U) -> U:
    """Return the kinds of a cell with those of one direction read anew from its codes."""
    grade = U(code(tables, number(lines >> U(16 * way) & SHORT)))
    kinds &= MASKS[way]
    kinds |= (grade & U(7)) << U(3 * way) | (grade >> U(3) & U(7)) << U(12 + 3 * way)
    return kinds | (grade >> U(6) & U(3)) << U(24 + 2 * way) | (grade >> U(8) & U(3)) << U(32 + 2 * way)


@kernel("void(i8,i8,i8)")
def refresh(memory: Memory, tables: Memory, cell: int) -> None:
    """Read anew what an empty cell is good for."""
    kinds = ZERO
    lines = load(memory, CODES + cell)
    for way in range(4):
        kinds = graded(tables, kinds, way, lines)
    regrade(memory, tables, cell, load(memory, KINDS + cell), kinds)
    store(memory, KINDS + cell, kinds)


@kernel("void(i8,i8,i8,i8,u8)")
def tell(memory: Memory, tables: Memory, cell: int, way: int, differs: U) -> None:
    """Tell the cells in line, in one direction, in which bits a cell now looks otherwise."""
    for side in range(2):
        step = STEPS[way] if side == 0 else -STEPS[way]
        there = cell
        for far in range(1, 5):
            there += step
            lies = load(memory, BOARD + there)
            if lies == U(3):
                break
            slot = 4 - far if side == 0 else 3 + far
            lines = load(memory, CODES + there) ^ differs << U(16 * way + 2 * slot)
            store(memory, CODES + there, lines)
            if lies == ZERO:
                before = load(memory, KINDS + there)
                after = graded(tables, before, way, lines)
                if after != before:
                    regrade(memory, tables, there, before, after)
                    store(memory, KINDS + there, after)


@kernel("void(i8,i8,i8,u8)")
def spread(memory: Memory, tables: Memory, cell: int, colour: U) -> None:
    """Tell the cells in line that a stone came or went."""
    for way in range(4):
        tell(memory, tables, cell, way, colour)


@kernel("u8(i8,i8)")
def key_of(cell: int, colour: int) -> U:
    """Return what a stone adds to the key of a position."""
    key = times(U(4 * cell + colour), C1)
    key = times(key ^ key >> U(29), C2)
    key = times(key ^ key >> HALF, C3)
    return key ^ key >> U(29)


@kernel("void(i8,i8,i8,i8)")
def turn_over(memory: Memory, tables: Memory, cell: int, colour: int) -> None:
    """Lay a stone of a colour on a cell that is empty, lift it from one that is not."""
    empty = load(memory, BOARD + cell) == ZERO
    if empty:
        regrade(memory, tables, cell, load(memory, KINDS + cell), ZERO)
        store(memory, KINDS + cell, ZERO)
    store(memory, BOARD + cell, U(colour) if empty else ZERO)
    store(memory, EMPTY, U(number(load(memory, EMPTY)) + (-1 if empty else 1)))
    store(memory, KEY, load(memory, KEY) ^ key_of(cell, colour))
    spread(memory, tables, cell, U(colour))
    if not empty:
        refresh(memory, tables, cell)


@kernel("void(i8,i8,i8,i8,i8)")
def exchange(memory: Memory, tables: Memory, cell: int, colour: int, taken: int) -> None:
    """Turn a stone over and those that it captures: lay it and lift them, or the other way round."""
    for nth in range(17):
        way, far = (nth - 1) // 2, 1 + (nth - 1) % 2
        there, whose = cell, colour
        if nth > 0:
            if not taken >> way & 1:
                continue
            there, whose = cell + far * (STEPS[way & 3] if way < 4 else -STEPS[way & 3]), 3 - colour
        turn_over(memory, tables, there, whose)
        if taken == 0:
            return


@kernel("i8(i8,i8,i8,i8)")
def length(memory: Memory, cell: int, step: int, colour: int) -> int:
    """Return how many stones of a colour follow a cell."""
    long = 0
    while load(memory, BOARD + cell + step * (long + 1)) == U(colour):
        long += 1
    return long


@kernel("i8(i8,i8,i8,i8)")
def settled(memory: Memory, tables: Memory, cell: int, colour: int) -> int:
    """Return how many rows of five a colour has more, or fewer, with a stone on a cell: one that grows stays one.

    The stones of a row look like wall along it from then on, or like stones again: no line through them makes another row.
    """
    more = 0
    for way in range(4):
        step = STEPS[way]
        one, two = length(memory, cell, -step, colour), length(memory, cell, step, colour)
        if one + two >= 4:
            more += 1 - number(one >= 5) - number(two >= 5)
            for far in range(0 if one >= 5 else -one, 1 if two >= 5 else two + 1):
                tell(memory, tables, cell + far * step, way, U(3 ^ colour))
    return more


@kernel("i8(i8,i8,i8)")
def captured(memory: Memory, cell: int, colour: int) -> int:
    """Return the directions in which a stone captures, bits 0 to 3 behind it and 4 to 7 before it."""
    found = 0
    lines = load(memory, CODES + cell)
    other = 3 - colour
    behind = U(other | other << 2 | colour << 4)
    before = U(colour | other << 2 | other << 4)
    for way in range(4):
        line = lines >> U(16 * way)
        if line >> U(8) & U(63) == behind:
            found |= 1 << way
        if line >> U(2) & U(63) == before:
            found |= 16 << way
    return found


@kernel("i8(i8,i8,i8,i8)")
def put(memory: Memory, tables: Memory, cell: int, colour: int) -> int:
    """Make a move; return what it captured, which `back` needs."""
    rule = number(load(memory, RULE))
    taken = 0
    if rule == PAIRED and load(memory, KINDS + cell) >> U(16 + 8 * colour) & BYTE != ZERO:
        taken = captured(memory, cell, colour)
    exchange(memory, tables, cell, colour, taken)
    if rule == MOST:
        store(memory, ROWS + colour, U(number(load(memory, ROWS + colour)) + settled(memory, tables, cell, colour)))
    store(memory, PAIRS + colour, load(memory, PAIRS + colour) + U(count_bits(U(taken))))
    store(memory, TURN, load(memory, TURN) + ONE)
    return taken


@kernel("void(i8,i8,i8,i8,i8)")
def back(memory: Memory, tables: Memory, cell: int, colour: int, taken: int) -> None:
    """Take a move back."""
    store(memory, PAIRS + colour, load(memory, PAIRS + colour) - U(count_bits(U(taken))))
    if number(load(memory, RULE)) == MOST:
        store(memory, ROWS + colour, U(number(load(memory, ROWS + colour)) - settled(memory, tables, cell, colour)))
    exchange(memory, tables, cell, colour, taken)
    store(memory, TURN, load(memory, TURN) - ONE)


@kernel("void(i8,i8,i8,i8,i8,i8)")
def begin(memory: Memory, tables: Memory, rule: int, side: int, stones: int, turn: int) -> None:
    """Set up a board: stones lie in the first list, cell and colour; pairs are there already."""
    for at in range(BOARD, MOVES):
        store(memory, at, ZERO)
    store(memory, WORTH + 1, ZERO)
    store(memory, WORTH + 2, ZERO)
    store(memory, ROWS + 1, ZERO)
    store(memory, ROWS + 2, ZERO)
    store(memory, KEY, ZERO)
    store(memory, RULE, U(rule))
    store(memory, EMPTY, U(side * side))
    store(memory, LOW, U(EDGE * STRIDE >> 6))
    store(memory, HIGH, U(((EDGE + side) * STRIDE >> 6) + 1))
    for cell in range(CELLS):
        row, column = cell // STRIDE - EDGE, cell % STRIDE - EDGE
        if min(row, column) < 0 or max(row, column) >= side:
            store(memory, BOARD + cell, U(3))
    for cell in range(CELLS):
        if load(memory, BOARD + cell) == ZERO:
            lines = ZERO
            for way in range(4):
                for slot in range(8):
                    far = slot - 4 if slot < 4 else slot - 3
                    if load(memory, BOARD + cell + far * STEPS[way]) == U(3):
                        lines |= U(3) << U(16 * way + 2 * slot)
            store(memory, CODES + cell, lines)
            refresh(memory, tables, cell)
    for nth in range(stones):
        cell, colour = number(load(memory, MOVES + ENTRY * nth)), number(load(memory, MOVES + ENTRY * nth + 1))
        turn_over(memory, tables, cell, colour)
        if rule == MOST:
            store(memory, ROWS + colour, U(number(load(memory, ROWS + colour)) + settled(memory, tables, cell, colour)))
    store(memory, TURN, U(turn))


# ── what can be played ─────────────────────────────────────────────────────────────────────────────────────────────

ENOUGH = 5
"""So many captured pairs win."""


@kernel("i8(i8,i8,i8)")
def size(memory: Memory, colour: int, sort: int) -> int:
    """Return how many cells there are in a set."""
    return number(load(memory, COUNTS + colour * SETS_OF_COLOUR + sort))


@kernel("u8(i8,i8,i8,i8)")
def part(memory: Memory, colour: int, sort: int, word: int) -> U:
    """Return 64 cells of a set."""
    return load(memory, SETS + 16 * (colour * SETS_OF_COLOUR + sort) + word)


@kernel("b1(i8,i8)")
def barred(memory: Memory, cell: int) -> bool:
    """Tell whether a cell is too near the centre for the first player's second stone."""
    if load(memory, TURN) != U(3) or number(load(memory, RULE)) != PAIRED:
        return False
    row, column = cell // STRIDE - EDGE, cell % STRIDE - EDGE
    return 7 <= row < 12 and 7 <= column < 12


@kernel("b1(i8,i8,i8)")
def enough(memory: Memory, cell: int, colour: int) -> bool:
    """Tell whether a stone captures the last pair that a colour needs."""
    takes = load(memory, KINDS + cell) >> U(16 + 8 * colour) & BYTE
    return takes != ZERO and number(load(memory, PAIRS + colour)) + summed(takes) >= ENOUGH


@kernel("i8(i8,i8,i8)")
def goals(memory: Memory, colour: int, top: int) -> int:
    """List the cells where a stone of a colour wins at once; return how many."""
    at = top
    if size(memory, colour, WINS) + size(memory, colour, LOOT) == 0:
        return 0
    for word in range(number(load(memory, LOW)), number(load(memory, HIGH))):
        cells = part(memory, colour, WINS, word) | part(memory, colour, LOOT, word)
        while cells != ZERO:
            cell = 64 * word + lowest(cells)
            wins = part(memory, colour, WINS, word) & cells & (~cells + ONE)
            cells &= cells - ONE
            if wins != ZERO or enough(memory, cell, colour):
                store(memory, at, U(cell))
                store(memory, at + 1, ONE << U(20))
                at += ENTRY
    return (at - top) // ENTRY


@kernel("i8(i8,i8,i8,i8)")
def urgency(memory: Memory, tables: Memory, cell: int, colour: int) -> int:
    """Return how early a cell is looked at by a colour."""
    kinds = load(memory, KINDS + cell)
    own = number(kinds >> U(12 * colour - 12) & TWELVE_BITS)
    foes = number(kinds >> U(24 - 12 * colour) & TWELVE_BITS)
    rank = 4 * code(tables, RANKED + own) + 3 * code(tables, RANKED + foes)
    takes, loses = kinds >> U(16 + 8 * colour) & BYTE, kinds >> U(40 - 8 * colour) & BYTE
    if takes | loses != ZERO:
        rank += summed(takes) * (60 + 40 * number(load(memory, PAIRS + colour)))
        rank += summed(loses) * (50 + 30 * number(load(memory, PAIRS + 3 - colour)))
    return rank


@kernel("i8(i8,i8,i8,i8,i8,i8,i8)")
def gather(memory: Memory, tables: Memory, colour: int, own: int, foes: int, top: int, hint: int) -> int:
    """List the cells of some sets of both colours, given as bits, with their order; return how many."""
    at = top
    for word in range(number(load(memory, LOW)), number(load(memory, HIGH))):
        cells = ZERO
        for sort in range(SETS_OF_COLOUR):
            if own >> sort & 1:
                cells |= part(memory, colour, sort, word)
            if foes >> sort & 1:
                cells |= part(memory, 3 - colour, sort, word)
        while cells != ZERO:
            cell = 64 * word + lowest(cells)
            cells &= cells - ONE
            if not barred(memory, cell):
                rank = urgency(memory, tables, cell, colour)
                if cell == hint:
                    rank += 1 << 30
                store(memory, at, U(cell))
                store(memory, at + 1, U(rank))
                at += ENTRY
    return (at - top) // ENTRY


@kernel("i8(i8,i8)")
def anywhere(memory: Memory, top: int) -> int:
    """List all empty cells in which a stone may lie, those near the centre first; return how many."""
    at = top
    middle = 0
    while load(memory, BOARD + (EDGE + middle) * (STRIDE + 1)) != U(3):
        middle += 1
    for cell in range(CELLS):
        if load(memory, BOARD + cell) == ZERO and not barred(memory, cell):
            row, column = 2 * (cell // STRIDE - EDGE) + 1, 2 * (cell % STRIDE - EDGE) + 1
            store(memory, at, U(cell))
            store(memory, at + 1, U(1024 - abs(row - middle) - abs(column - middle)))
            at += ENTRY
    return (at - top) // ENTRY


@kernel("void(i8,i8,i8)")
def pick(memory: Memory, at: int, end: int) -> None:
    """Bring the first move of what is left of a list to its front."""
    best = at
    for entry in range(at + ENTRY, end, ENTRY):
        if load(memory, entry + 1) > load(memory, best + 1):
            best = entry
    if best != at:
        for word in range(ENTRY):
            kept = load(memory, at + word)
            store(memory, at + word, load(memory, best + word))
            store(memory, best + word, kept)


# ── the table ──────────────────────────────────────────────────────────────────────────────────────────────────────
# What is known of a position is one word: the best cell in the low 16 bits, then the bound, the depth, the search that found it,
# and the worth from bit 40 on, plus twice `WON`.

EXACT, AT_LEAST, AT_MOST = 0, 1, 2
WON, SURE = 30_000, 29_000
"""What a won position is worth, less one for each ply until then; and what no position is worth that is only good."""
FULL_BOARD = 20_000
"""What a full board with more rows is worth, plus one for each row."""


@kernel("u8(i8,i8)")
def key_now(memory: Memory, colour: int) -> U:
    """Return the key of the position with a colour to move."""
    key = load(memory, KEY) ^ times(U(colour) | load(memory, PAIRS + 1) << U(8) | load(memory, PAIRS + 2) << U(16), C2)
    return key ^ key >> U(31)


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
        if there >> HALF & BYTE == age and number(there >> U(24) & BYTE) > depth:
            at += 2
        elif there != ZERO:
            store(memory, at + 2, load(memory, at))
            store(memory, at + 3, there)
    store(memory, at, key)
    known_of_it = U(worth + 2 * WON) << U(40) | age << HALF | U(depth) << U(24) | U(bound) << SIXTEEN | U(cell)
    store(memory, at + 1, known_of_it)


# ── proofs ─────────────────────────────────────────────────────────────────────────────────────────────────────────

BY_FOURS, BY_THREES = U(0x5D588B656C078965), U(0xA24BAED4963EE407)


@kernel("b1(i8)")
def over(memory: Memory) -> bool:
    """Count a position; tell whether the search must end."""
    nodes = load(memory, NODES) + ONE
    store(memory, NODES, nodes)
    if nodes >= load(memory, LIMIT) or pending(memory, STOP) != ZERO:
        store(memory, ENDED, ONE)
    return number(load(memory, ENDED)) != 0


@kernel("i8(i8,i8,i8,i8,i8,i8)")
def answers(memory: Memory, tables: Memory, colour: int, threats: int, threes: int, top: int) -> int:
    """List what can be said to the other side's threats: the cells of `threats` fives are in the list; -1 if it is no threat."""
    if threats > 0:
        if number(load(memory, RULE)) == PAIRED and size(memory, colour, LOOT) > 0:
            return threats + gather(memory, tables, colour, 1 << LOOT, 0, top + threats * ENTRY, -1)
        return threats
    if threes == 0 or size(memory, 3 - colour, DOUBLES) == 0 or size(memory, colour, DOUBLES) > 0:
        return -1
    return gather(memory, tables, colour, 1 << FOURS, 1 << FOURS, top, -1)


@kernel("i8(i8,i8,i8,i8,i8)")
def attacks(memory: Memory, tables: Memory, colour: int, threes: int, top: int) -> int:
    """List the moves that threaten to win."""
    sorts = 1 << FOURS
    if threes != 0:
        sorts |= 1 << THREES
    if number(load(memory, RULE)) == PAIRED and number(load(memory, PAIRS + colour)) >= 2:
        sorts |= 1 << LOOT
    return gather(memory, tables, colour, sorts, 0, top, -1)


@kernel("b1(i8,i8,i8,i8,i8,i8,i8,i8)")
def prove(  # noqa: PLR0912 - one function calls itself; two that call each other cannot be compiled
    memory: Memory, tables: Memory, colour: int, attacker: int, depth: int, ply: int, top: int, threes: int
) -> bool:
    """Tell whether it is proved that the attacker wins by threats alone, so many plies deep; `colour` is to move."""
    if over(memory) or load(memory, NODES) >= load(memory, CAP):
        return False
    first = number(load(memory, RULE)) == FIRST
    if goals(memory, colour, top) > 0:
        store(memory, PROVED, load(memory, top))
        return colour == attacker
    if depth <= 0 or top >= ROOM:
        return False
    key = key_now(memory, colour) ^ (BY_THREES if threes != 0 else BY_FOURS) ^ U(attacker)
    at = known(memory, key)
    if ply > 0 and at != 0:
        worth = number(load(memory, at) >> U(40)) - 2 * WON
        if worth > 0:
            return True
        if number(load(memory, at) >> U(24) & BYTE) >= depth:
            return False
    threats = goals(memory, 3 - colour, top)
    if first and threats > 1:
        return colour != attacker
    if colour == attacker:
        if threats > 0:
            count = answers(memory, tables, colour, threats, threes, top)
        elif first and size(memory, colour, DOUBLES) > 0:
            gather(memory, tables, colour, 1 << DOUBLES, 0, top, -1)
            store(memory, PROVED, load(memory, top))
            return True
        else:
            count = attacks(memory, tables, colour, threes, top)
        proved = False
    else:
        count = answers(memory, tables, colour, threats, threes, top)
        if count < 0:
            return False
        proved = True
    below = top + count * ENTRY
    for entry in range(top, below, ENTRY):
        pick(memory, entry, below)
        cell = number(load(memory, entry))
        taken = put(memory, tables, cell, colour)
        wins = prove(memory, tables, 3 - colour, attacker, depth - 1, ply + 1, below, threes)
        back(memory, tables, cell, colour, taken)
        if load(memory, ENDED) != ZERO or load(memory, NODES) >= load(memory, CAP):
            return False
        if wins == (colour == attacker):
            proved = wins
            if wins:
                store(memory, PROVED, U(cell))
            break
    remember(memory, key, depth, 1 if proved else -1, EXACT, 0)
    return proved


# ── the search ─────────────────────────────────────────────────────────────────────────────────────────────────────

DEEPEST = 90
"""How many plies below the root a search can be."""
FOURS_DEEP, THREES_DEEP = 14, 9
"""How deep a victory by fours is looked for within the search, and one by threes."""


@kernel("i8(i8,i8,i8)")
def evaluate(memory: Memory, tables: Memory, colour: int) -> int:
    """Judge a position for the side to move, which has more of its own."""
    own, foes = number(load(memory, WORTH + colour)), number(load(memory, WORTH + 3 - colour))
    worth = own + (own * code(tables, TEMPO) >> 4) - foes
    rule = number(load(memory, RULE))
    if rule == PAIRED:
        mine, theirs = number(load(memory, PAIRS + colour)), number(load(memory, PAIRS + 3 - colour))
        worth += (mine - theirs) * code(tables, TAKEN) + (mine * mine - theirs * theirs) * code(tables, TAKEN_MORE)
    elif rule == MOST:
        worth += code(tables, ROW) * (number(load(memory, ROWS + colour)) - number(load(memory, ROWS + 3 - colour)))
        if size(memory, colour, WINS) > 0:
            worth += code(tables, SOON)
    return max(-FULL_BOARD, min(FULL_BOARD, worth))


@kernel("i8(i8,i8)")
def full(memory: Memory, colour: int) -> int:
    """Return what a full board is worth."""
    more = number(load(memory, ROWS + colour)) - number(load(memory, ROWS + 3 - colour))
    return more + (FULL_BOARD if more > 0 else -FULL_BOARD if more < 0 else 0)


@kernel("b1(i8,i8,i8,i8,i8,i8)")
def forced(memory: Memory, tables: Memory, colour: int, depth: int, ply: int, top: int) -> bool:
    """Tell whether the side to move wins by fours alone, or high up in the search by threes too, as far as a short look tells."""
    rule = number(load(memory, RULE))
    if rule == MOST:
        return False
    threes, deep, seen = 0, FOURS_DEEP, code(tables, FOURS_SEEN)
    if depth >= code(tables, THREES_FROM):
        threes, deep, seen = 1, THREES_DEEP, code(tables, THREES_SEEN) * depth
    chances = size(memory, colour, FOURS) + threes * size(memory, colour, THREES)
    if chances == 0 and (size(memory, colour, LOOT) == 0 or number(load(memory, PAIRS + colour)) < 3):
        return False
    store(memory, CAP, load(memory, NODES) + U(seen))
    return prove(memory, tables, colour, colour, deep, ply, top, threes)


@kernel("i8(i8,i8,i8,i8,i8,i8)")
def candidates(memory: Memory, tables: Memory, colour: int, threats: int, top: int, hint: int) -> int:
    """List the moves that deserve a look; return how many."""
    rule = number(load(memory, RULE))
    if threats > 0:
        return answers(memory, tables, colour, threats, 0, top)
    if rule == FIRST and size(memory, 3 - colour, DOUBLES) > 0:
        return gather(memory, tables, colour, 1 << FOURS, 1 << FOURS, top, hint)
    count = gather(memory, tables, colour, 1 << NEAR | 1 << LOOT, 1 << NEAR | 1 << LOOT, top, hint)
    return count if count > 0 else anywhere(memory, top)


@kernel("i8(i8,i8,i8,i8,i8,i8,i8,i8)")
def search(  # noqa: PLR0912, PLR0915 - one function calls itself; two that call each other cannot be compiled
    memory: Memory, tables: Memory, colour: int, depth: int, low: int, high: int, ply: int, top: int
) -> int:
    """Return what a position is worth for the side to move, so many plies deep; beyond the bounds only that it is."""
    if over(memory):
        return 0
    rule = number(load(memory, RULE))
    threats = 0
    if rule != MOST:
        if goals(memory, colour, top) > 0:
            return WON - ply - 1
        threats = goals(memory, 3 - colour, top)
        if rule == FIRST:
            if threats > 1:
                return ply + 2 - WON
            if threats == 0 and size(memory, colour, DOUBLES) > 0:
                return WON - ply - 3
    if load(memory, EMPTY) == ZERO:
        return full(memory, colour)
    if ply >= DEEPEST or top >= ROOM:
        return evaluate(memory, tables, colour)
    key = key_now(memory, colour)
    hint = -1
    at = known(memory, key) if threats > 0 or depth > 0 else 0
    if at != 0:
        there = load(memory, at)
        hint = number(there & SHORT)
        if number(there >> U(24) & BYTE) >= max(0, depth):
            worth = number(there >> U(40)) - 2 * WON
            if worth >= SURE:
                worth -= ply
            elif worth <= -SURE:
                worth += ply
            bound = number(there >> SIXTEEN & BYTE)
            if bound == EXACT or (bound == AT_LEAST and worth >= high) or (bound == AT_MOST and worth <= low):
                return worth
    if threats == 0:
        if depth != 1 and forced(memory, tables, colour, depth, ply, top):
            return WON - ply - 5
        if load(memory, ENDED) != ZERO:
            return 0
        if depth <= 0:
            return evaluate(memory, tables, colour)
    count = candidates(memory, tables, colour, threats, top, hint)
    below = top + count * ENTRY
    last = below
    if threats == 0:
        last = min(below, top + min(code(tables, WIDTH), 6 + 4 * depth) * ENTRY)
    best, choice, bar = -WON, 0, low
    entry = top - ENTRY
    # where all that deserve a look lose, one of the others may save the game: nothing is lost before all were looked at
    while entry + ENTRY < last or (entry + ENTRY < below and best <= -SURE):
        entry += ENTRY
        pick(memory, entry, below)
        cell = number(load(memory, entry))
        nth = (entry - top) // ENTRY
        next_depth = depth if threats > 0 else depth - 1
        less = 0
        if threats == 0 and depth >= 3 and nth >= 3:
            less = 1 + number(nth >= 8 and depth >= 4) + number(nth >= 14 and depth >= 6)
        taken = put(memory, tables, cell, colour)
        if nth == 0:
            worth = -search(memory, tables, 3 - colour, next_depth, -high, -bar, ply + 1, below)
        else:
            worth = -search(memory, tables, 3 - colour, next_depth - less, -bar - 1, -bar, ply + 1, below)
            if less > 0 and worth > bar:
                worth = -search(memory, tables, 3 - colour, next_depth, -bar - 1, -bar, ply + 1, below)
            if bar < worth < high:
                worth = -search(memory, tables, 3 - colour, next_depth, -high, -worth, ply + 1, below)
        back(memory, tables, cell, colour, taken)
        if load(memory, ENDED) != ZERO:
            return 0
        if worth > best:
            best, choice = worth, cell
            if worth > bar:
                bar = worth
                if worth >= high:
                    break
    bound = AT_LEAST if best >= high else (EXACT if best > low else AT_MOST)
    kept = best + ply if best >= SURE else best - ply if best <= -SURE else best
    remember(memory, key, max(0, depth), kept, bound, choice)
    return best


@kernel("i8(i8,i8,i8,i8,i8,i8)")
def weigh(memory: Memory, tables: Memory, colour: int, depth: int, slack: int, moves: int) -> int:
    """Find what each move of the root's list is worth at a depth; return how many were weighed before the end.

    The worth, plus twice `WON`, goes to the move's second word. Of a move that falls short of the best by more than `slack` only
    that is known, without slack from a search less deep for those that were not promising before.
    """
    below = MOVES + moves * ENTRY
    best = -WON
    for nth in range(moves):
        entry = MOVES + nth * ENTRY
        cell = number(load(memory, entry))
        bar = max(-WON, best - slack - 1) if slack else best
        worth = bar + 1
        taken = put(memory, tables, cell, colour)
        if nth and slack == 0:
            less = number(nth >= 4) + number(nth >= 12) + number(nth >= 24) if depth >= 3 else 0
            worth = -search(memory, tables, 3 - colour, depth - 1 - less, -bar - 1, -bar, 1, below)
            if less and worth > bar and load(memory, ENDED) == ZERO:
                worth = -search(memory, tables, 3 - colour, depth - 1, -bar - 1, -bar, 1, below)
        if load(memory, ENDED) == ZERO and worth > bar:
            worth = -search(memory, tables, 3 - colour, depth - 1, -WON, -bar, 1, below)
        back(memory, tables, cell, colour, taken)
        if load(memory, ENDED) != ZERO:
            return nth
        store(memory, entry + 1, U(worth + 2 * WON))
        best = max(best, worth)
    return moves


@kernel("void(i8,i8)")
def rank(memory: Memory, moves: int) -> None:
    """Sort the root's moves by what they are worth, the best first, equals as they were."""
    for nth in range(1, moves):
        at = MOVES + nth * ENTRY
        while at > MOVES and load(memory, at + 1) > load(memory, at - 1):
            for word in range(ENTRY):
                kept = load(memory, at + word)
                store(memory, at + word, load(memory, at - ENTRY + word))
                store(memory, at - ENTRY + word, kept)
            at -= ENTRY


PROOF = 30
"""How deep a victory by threats is looked for at the root."""


@kernel("i8(i8,i8)")
def certain(memory: Memory, cell: int) -> int:
    """Say that one move wins; return that it is the only one listed."""
    store(memory, MOVES, U(cell))
    store(memory, MOVES + 1, U(3 * WON - 1))
    store(memory, SOLVED, ONE)
    return 1


@kernel("b1(i8,i8,i8,i8)")
def proof(memory: Memory, tables: Memory, colour: int, deep: int) -> bool:
    """Look for a victory by threats from the root: the longer, the longer the search has taken already."""
    rule = number(load(memory, RULE))
    if rule == MOST:
        return False
    threes = 1 if rule == FIRST else 0
    nodes = load(memory, NODES)
    store(memory, CAP, nodes + nodes // U(4) + U(500))
    return prove(memory, tables, colour, colour, min(PROOF, 3 * deep), 0, MOVES + 400 * ENTRY, threes)


@kernel("i8(i8,i8,i8)")
def listed(memory: Memory, tables: Memory, colour: int) -> int:
    """List the moves of the root, the most urgent first; return how many."""
    threats = 0
    if number(load(memory, RULE)) != MOST:
        if goals(memory, colour, MOVES) > 0:
            return certain(memory, number(load(memory, MOVES)))
        threats = goals(memory, 3 - colour, MOVES)
    moves = candidates(memory, tables, colour, threats, MOVES, -1)
    rank(memory, moves)
    for nth in range(moves):
        store(memory, MOVES + nth * ENTRY + 1, U(2 * WON))
    return moves


@kernel("i8(i8,i8,i8,i8,i8)")
def think(memory: Memory, tables: Memory, colour: int, depth: int, slack: int) -> int:
    """Search deeper and deeper until the depth, the limit of positions or the flag; return the number of moves.

    The moves are then at the front of the lists with what they are worth, the best first; 0 says that a move was not weighed in
    the last, unfinished round.
    """
    for word in (NODES, ENDED, DEPTH, SOLVED):
        store(memory, word, ZERO)
    store(memory, AGE, load(memory, AGE) + ONE)
    moves = listed(memory, tables, colour)
    if moves < 2:
        return moves
    for deep in range(1, depth + 1):
        if proof(memory, tables, colour, deep):
            return certain(memory, number(load(memory, PROVED)))
        done = weigh(memory, tables, colour, deep, slack, moves)
        if done == 0:
            return moves
        for nth in range(done, moves):
            store(memory, MOVES + nth * ENTRY + 1, ZERO)
        rank(memory, moves)
        if done < moves:
            return moves
        store(memory, DEPTH, U(deep))
        best = number(load(memory, MOVES + 1)) - 2 * WON
        if abs(best) >= SURE or deep >= number(load(memory, EMPTY)):
            return moves
    return moves
