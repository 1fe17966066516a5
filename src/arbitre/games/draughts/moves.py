"""The board of draughts as bits, and what a side can do on it (spec: draughts, section 1): the fast half of the rules.

Sets of squares are integers, one bit a square, with a bit that is never set between each two rows of ten. Then every diagonal
step is a shift by 5 or 6 bits, and a step over the edge falls on no square.

Captures are found level by level: all that take one piece, two, three, over all pieces of the side, those that reach the same
position once. The last level that is not empty holds the legal ones, for the longest capture is compulsory and a king counts
as one. Captured pieces stay in `occupied` until the move is over and so block, but are no longer among the `foes` and so are not
jumped twice; the start square is not occupied. A man takes backwards too, and is crowned where its move ends, never on the way.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NewType, TypeAlias, TypeVar

from arbitre.games.game import FIRST, SECOND, Seat

Square = NewType("Square", int)
"""A dark square by its Manoury number, 1 to 50, row by row from black's side."""

Squares: TypeAlias = int
"""A set of squares, one bit each."""

Step: TypeAlias = tuple[Squares, Squares, Squares]
"""A move as the generator sees it: the square it leaves, the square it ends on, what it captures."""

Side: TypeAlias = tuple[Squares, Squares, Squares, Seat]
"""A side to move: its squares, the other's, the kings of both, and which seat it is."""

T = TypeVar("T")

# ── the board ──────────────────────────────────────────────────────────────────────────────────────────────────────

BIT: tuple[Squares, ...] = (0, *(1 << n + n // 10 for n in range(50)))
"""The bit of each square; square 0 is none."""
SQUARE: dict[Squares, Square] = {bit: Square(n) for n, bit in enumerate(BIT) if n}
EVERY: Squares = sum(BIT)
KING_ROW: tuple[Squares, Squares] = (sum(BIT[1:6]), sum(BIT[46:51]))
"""Where the men of each seat are crowned: 1 to 5 for white, 46 to 50 for black."""
MOST = 20
"""The pieces that each side begins with."""


def bits(squares: Squares) -> Iterator[Squares]:
    """List the squares of a set one by one, from 1 to 50."""
    while squares:
        bit = squares & -squares
        yield bit
        squares ^= bit


def numbers(squares: Squares) -> tuple[Square, ...]:
    """List the squares of a set by their numbers, ascending."""
    return tuple(SQUARE[bit] for bit in bits(squares))


def squares_of(listed: Iterable[int]) -> Squares:
    """Return the set of the squares with these numbers."""
    return sum(BIT[n] for n in listed)


WAYS = (-6, -5, 5, 6)
"""The four diagonal steps, in bits."""


def _shift(squares: Squares, way: int) -> Squares:
    return squares << way if way > 0 else squares >> -way


def _beyond(bit: Squares, way: int) -> list[Squares]:
    """List the squares from `bit` to the edge, one step of `way` after the other."""
    found = []
    while (bit := _shift(bit, way)) & EVERY:
        found.append(bit)
    return found


HOPS: dict[Squares, tuple[tuple[Squares, Squares], ...]] = {
    bit: tuple((ray[0], ray[1]) for way in WAYS if len(ray := _beyond(bit, way)) > 1) for bit in BIT[1:]
}
"""What a man on a square may jump: the square of the victim and the one behind it, up to four times."""


class Line(dict[Squares, tuple[Squares, Squares, tuple[tuple[Squares, tuple[Squares, ...]], ...]]]):
    """What a king can do on one diagonal through its square, for each set of occupied squares of that diagonal.

    The answer holds the squares it reaches, the pieces that it could jump were they foes, and for each of these the squares
    where it could land. Answers are worked out when first asked for: few of the thousands ever are.
    """

    def __init__(self, bit: Squares, way: int) -> None:
        super().__init__()
        self.rays = (_beyond(bit, way), _beyond(bit, -way))
        self.mask = sum(self.rays[0]) | sum(self.rays[1])

    def __missing__(self, occupied: Squares) -> tuple[Squares, Squares, tuple[tuple[Squares, tuple[Squares, ...]], ...]]:
        quiet = 0
        jumps = []
        for ray in self.rays:
            free = next((n for n, bit in enumerate(ray) if bit & occupied), len(ray))
            quiet |= sum(ray[:free])
            behind = ray[free + 1 :]
            landings = behind[: next((n for n, bit in enumerate(behind) if bit & occupied), len(behind))]
            if landings:
                jumps.append((ray[free], tuple(landings)))
        self[occupied] = found = (quiet, sum(victim for victim, _ in jumps), tuple(jumps))
        return found


LINES: dict[Squares, tuple[tuple[Squares, Line], tuple[Squares, Line]]] = {
    bit: ((falling.mask, falling), (rising.mask, rising)) for bit in BIT[1:] for falling, rising in [(Line(bit, 6), Line(bit, 5))]
}
"""The two diagonals of each square, with the squares that they cross."""

# Whether any piece can take its neighbour is asked in all four directions at once: the board is copied into four lanes of one
# long integer, so far apart that nothing spills over, the pieces moved one step ahead, the free squares one step back.
LANE = 66
AHEAD, HERE, BACK = (sum(1 << LANE * n + 6 + sign * way for n, way in enumerate(WAYS)) for sign in (1, 0, -1))
HUNT: dict[int, Step] = {
    bit << LANE * n + 6: (_shift(bit, -way), _shift(bit, way), bit) for n, way in enumerate(WAYS) for bit in BIT[1:]
}
"""The capture that a bit of these lanes stands for."""

# ── what a side can do ─────────────────────────────────────────────────────────────────────────────────────────────


def moves(side: Side) -> Collection[Step]:
    """Return the moves of a side, captures that reach the same position once."""
    own, foes, kings, seat = side
    free = EVERY ^ own ^ foes
    prey = own * AHEAD & foes * HERE & free * BACK
    if prey:
        return captures(side, prey)
    found: list[Step] = []
    if flying := own & kings:
        for king in bits(flying & _around(free)):
            reach, within = _sight(king, own | foes)
            if within & foes:
                return captures(side, prey)
            found += [(king, to, 0) for to in bits(reach)]
    men = own ^ flying
    if seat == FIRST:
        found += [(to << 6, to, 0) for to in bits(men >> 6 & free)]
        found += [(to << 5, to, 0) for to in bits(men >> 5 & free)]
    else:
        found += [(to >> 5, to, 0) for to in bits(men << 5 & free)]
        found += [(to >> 6, to, 0) for to in bits(men << 6 & free)]
    return found


def count(side: Side) -> int:
    """Return how many moves a side has, without listing the quiet ones."""
    own, foes, kings, seat = side
    free = EVERY ^ own ^ foes
    prey = own * AHEAD & foes * HERE & free * BACK
    if prey:
        return len(captures(side, prey))
    found = 0
    men = own
    if flying := own & kings:
        men ^= flying
        everything = own | foes
        flying &= free << 6 | free << 5 | free >> 5 | free >> 6
        while flying:
            king = flying & -flying
            flying ^= king
            (mask, line), (mask2, line2) = LINES[king]
            reach, within, _ = line[everything & mask]
            reach2, within2, _ = line2[everything & mask2]
            if (within | within2) & foes:
                return len(captures(side, prey))
            found += (reach | reach2).bit_count()
    if seat == FIRST:
        return found + (men >> 6 & free).bit_count() + (men >> 5 & free).bit_count()
    return found + (men << 5 & free).bit_count() + (men << 6 & free).bit_count()


def captures(side: Side, prey: int) -> Collection[Step]:
    """Return the longest captures; `prey` are the neighbours that can be taken, in lanes."""
    own, foes, kings, _ = side
    everything = own | foes
    longest: Collection[Step] = _first_captures(side, prey)
    while True:
        longer: set[Step] = set()
        for start, at, taken in longest:
            left = foes ^ taken
            occupied = everything ^ start
            if start & kings:
                (mask, line), (mask2, line2) = LINES[at]
                _, within, jumps = line[occupied & mask]
                _, within2, jumps2 = line2[occupied & mask2]
                if (within | within2) & left:
                    jumps += jumps2
                    longer.update([(start, to, taken | victim) for victim, ends in jumps if victim & left for to in ends])
                continue
            for victim, to in HOPS[at]:
                if victim & left and not to & occupied:
                    longer.add((start, to, taken | victim))
        if not longer:
            return longest
        longest = longer


def _first_captures(side: Side, prey: int) -> list[Step]:
    """List the captures of one piece."""
    own, foes, kings, _ = side
    everything = own | foes
    flying = own & kings
    if flying:
        flying &= _around(EVERY ^ everything)
    found = []
    while prey:
        bit = prey & -prey
        prey ^= bit
        hunt = HUNT[bit]
        if hunt[0] & kings:
            flying |= hunt[0]
        else:
            found.append(hunt)
    while flying:
        king = flying & -flying
        flying ^= king
        (mask, line), (mask2, line2) = LINES[king]
        _, within, jumps = line[everything & mask]
        _, within2, jumps2 = line2[everything & mask2]
        if (within | within2) & foes:
            found += [(king, to, victim) for victim, ends in jumps + jumps2 if victim & foes for to in ends]
    return found


def traces(
    side: Side,
    begin: Callable[[Squares], T],
    extend: Callable[[T, Squares, Squares], T],
    merge: Callable[[T, T], T],
) -> dict[Step, T]:
    """Return the longest captures, and with each what the caller gathers on all the ways to it.

    `begin` makes the trace of a piece, `extend` lengthens it by a victim and a landing, `merge` joins the traces of two ways
    to the same position.
    """
    own, foes, kings, _ = side
    longest: dict[Step, T] = {}
    longer: dict[Step, T] = {(bit, bit, 0): begin(bit) for bit in bits(own)}
    while longer:
        longest, longer = longer, {}
        for (start, at, taken), trace in longest.items():
            jump = _leaps if start & kings else _hops
            for victim, landing in jump(at, foes ^ taken, (own | foes) ^ start):
                step = (start, landing, taken | victim)
                further = extend(trace, victim, landing)
                longer[step] = merge(longer[step], further) if step in longer else further
    return {step: trace for step, trace in longest.items() if step[2]}


def _hops(at: Squares, foes: Squares, occupied: Squares) -> list[tuple[Squares, Squares]]:
    """List what a man can jump from a square: victim and landing."""
    return [hop for hop in HOPS[at] if hop[0] & foes and not hop[1] & occupied]


def _leaps(at: Squares, foes: Squares, occupied: Squares) -> list[tuple[Squares, Squares]]:
    """List what a king can jump from a square: victim and landing."""
    (mask, line), (mask2, line2) = LINES[at]
    jumps = line[occupied & mask][2] + line2[occupied & mask2][2]
    return [(victim, to) for victim, ends in jumps if victim & foes for to in ends]


def _sight(king: Squares, occupied: Squares) -> tuple[Squares, Squares]:
    """Return the squares that a king reaches and the pieces that it could jump, were they foes."""
    (mask, line), (mask2, line2) = LINES[king]
    reach, within, _ = line[occupied & mask]
    reach2, within2, _ = line2[occupied & mask2]
    return reach | reach2, within | within2


def _around(squares: Squares) -> Squares:
    """Return the squares next to some squares: a king that has no free one there, and no prey, cannot move."""
    return squares << 6 | squares << 5 | squares >> 5 | squares >> 6


def after(side: Side, step: Step) -> Side:
    """Return the other side, to move after a move of this one."""
    own, foes, kings, seat = side
    start, end, taken = step
    if start & kings:
        kings = kings ^ start | end
    elif end & KING_ROW[seat]:
        kings |= end
    if taken:
        kings &= ~taken
    return foes ^ taken, own ^ start | end, kings, SECOND if seat == FIRST else FIRST
