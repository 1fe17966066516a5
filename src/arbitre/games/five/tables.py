"""What the kernel of five in a row looks up: what each line is good for, and the numbers by which it judges.

Nothing here is compiled, so that other numbers need no other kernel.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

VALUES = (
    (0, 0, 5, 3, 24, 25, 130, 130),
    (0, 1, 3, 6, 9, 24, 28, 60),
    (0, 0, 1, 3, 14, 30, 62, 62),
)
"""For each rule, what each kind adds to the worth of a side. Those of the first and the third rule were fitted, by logistic
regression, to who won some hundreds of short games of the kernel with itself, and so were what pairs are worth."""
FORKS = (40, 0, 20)
"""For each rule, what a cell adds that would make two threats at once."""
RANKS = (0, 1, 4, 4, 16, 12, 80, 400)
"""How early a cell of each kind is looked at."""
CONSTANTS = (
    (5, 0, 0, 0, 0, 22, 30, 40, 5, 0),
    (8, 250, 0, 0, 0, 22, 0, 0, 99, 125),
    (6, 0, 80, 114, 18, 22, 30, 0, 99, 0),
)
"""For each rule, the numbers that `kernel.CONSTANTS` tells of."""


@cache
def tables_for(kernel: Any, rule: int) -> NDArray[np.uint16]:
    """Return the tables of a rule, short numbers one after the other."""
    tables = np.zeros(kernel.SHORTS, dtype=np.uint16)
    tables[kernel.CONSTANTS :][: len(CONSTANTS[rule])] = CONSTANTS[rule]
    kinds, taken, swapped = _kinds(kernel), _captures(), _swapped()
    tables[: 1 << 16] = kinds | kinds[swapped] << 3
    if rule == kernel.PAIRED:
        tables[: 1 << 16] |= taken << 6 | taken[swapped] << 8
    for n in range(4096):
        cell = (n & 7, n >> 3 & 7, n >> 6 & 7, n >> 9)
        tables[kernel.COMBINED + n] = _sets(kernel, cell)
        threats = sum(kind >= kernel.OPEN_THREE for kind in cell)
        fork = FORKS[rule] * (threats > 1) * (1 + (max(cell) >= kernel.FOUR))
        tables[kernel.VALUED + n] = sum(VALUES[rule][kind] for kind in cell) + fork
        tables[kernel.RANKED + n] = sum(RANKS[kind] for kind in cell) + 2 * fork
    return tables


def _sets(kernel: Any, cell: tuple[int, ...]) -> int:
    """Return the sets to which a cell of such kinds belongs, as bits."""
    belongs = {
        kernel.WINS: kernel.FIVE in cell,
        kernel.DOUBLES: kernel.OPEN_FOUR in cell or cell.count(kernel.FOUR) > 1,
        kernel.FOURS: max(cell) >= kernel.FOUR,
        kernel.THREES: kernel.OPEN_THREE in cell,
        kernel.NEAR: max(cell) > kernel.NOTHING,
    }
    return sum(1 << sort for sort, does in belongs.items() if does)


def _kinds(kernel: Any) -> NDArray[np.uint16]:
    """Return the kind of each code for the first colour: from full lines backwards, for with a stone more it is another code."""
    codes = np.arange(1 << 16)
    lies = [codes >> 2 * slot & 3 for slot in range(8)]
    own = [cell == 1 for cell in lies]
    before = sum(np.logical_and.reduce(own[3 - n : 4]).astype(int) for n in range(4))
    behind = sum(np.logical_and.reduce(own[4 : 5 + n]).astype(int) for n in range(4))
    kinds = np.where(before + behind >= 4, kernel.FIVE, kernel.NOTHING)
    empties = sum((cell == 0).astype(int) for cell in lies)
    made_by = (
        (kernel.THREE, kernel.TWO),
        (kernel.OPEN_THREE, kernel.OPEN_TWO),
        (kernel.FOUR, kernel.THREE),
        (kernel.OPEN_FOUR, kernel.OPEN_THREE),
    )
    for empty in range(1, 9):
        some = codes[(empties == empty) & (kinds != kernel.FIVE)]
        further = [np.where(some >> 2 * slot & 3 == 0, kinds[some | 1 << 2 * slot], -1) for slot in range(8)]
        fives = sum((kind == kernel.FIVE).astype(int) for kind in further)
        best = np.full(len(some), kernel.NOTHING)
        for reached, kind in made_by:
            best[np.logical_or.reduce([there == reached for there in further])] = kind
        best[fives == 1] = kernel.FOUR
        best[fives > 1] = kernel.OPEN_FOUR
        kinds[some] = best
    short: NDArray[np.uint16] = kinds.astype(np.uint16)
    return short


def _captures() -> NDArray[np.uint16]:
    """Return how many pairs a stone of the first colour captures along each code."""
    codes = np.arange(1 << 16)
    behind = codes >> 8 & 63 == 2 | 2 << 2 | 1 << 4
    before = codes >> 2 & 63 == 1 | 2 << 2 | 2 << 4
    taken: NDArray[np.uint16] = (behind.astype(int) + before).astype(np.uint16)
    return taken


def _swapped() -> NDArray[np.int64]:
    """Return each code as the other colour sees it."""
    codes = np.arange(1 << 16)
    swapped: NDArray[np.int64] = codes >> 1 & 0x5555 | (codes & 0x5555) << 1
    return swapped
