"""Codes of MasterMind as bits.

A code is kept as one integer: low bits say which colour is on which peg, high bits how often each colour occurs, in unary. So the
common bits of two codes are their marks: the low ones are pegs well placed, the high ones pegs of a common colour.
"""

from typing import NewType

from arbitre.games.mastermind.rules import COLOURS, Code

Pegs = NewType("Pegs", int)
"""A code as bits."""

WIDTH = 6
"""Pegs at most, and bits for each colour: both halves are fields of so many bits, one for each colour."""
HIGH = WIDTH * len(COLOURS)
LOW = (1 << HIGH) - 1

Answer = tuple[int, int]
"""How many pegs of a guess have a common colour with the code, and how many of them are well placed."""


def laid(code: Code) -> Pegs:
    """Return a code as bits."""
    bits = 0
    for peg, letter in enumerate(code):
        bits = add(bits, peg, COLOURS.index(letter))
    return Pegs(bits)


def add(bits: int, peg: int, colour: int) -> int:
    """Return a part of a code with one more peg: the unary number of its colour grows by one bit."""
    field = HIGH + WIDTH * colour
    count = bits >> field & (1 << WIDTH) - 1
    return bits | 1 << WIDTH * colour + peg | (count + 1) << field


def written(bits: Pegs, pegs: int) -> Code:
    """Return a code as letters."""
    return Code("".join(next(COLOURS[n] for n in range(len(COLOURS)) if bits >> WIDTH * n + peg & 1) for peg in range(pegs)))


def marks(one: Pegs, two: Pegs) -> Answer:
    """Compare two codes."""
    shared = one & two
    return (shared >> HIGH).bit_count(), (shared & LOW).bit_count()
