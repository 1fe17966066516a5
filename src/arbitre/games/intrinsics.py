"""What kernels are written in: one source, two lives.

With numba a kernel's functions are compiled and read memory by raw address, unchecked; without it, or when `ARBITRE_PLAIN` is
set, they are ordinary Python over arrays, in which a bad index raises: the tests run both. What stands here is an instruction put
into the function that uses it, or makes functions; the rest of what is compiled is in the kernel's own file. numba's cache does
not see an edit of another file, so the folder that keeps a kernel is named after this one too (`kernels.folder`).

What numba demands of such a source: every constant of bits is an `np.uint64`, for a sum of uint64 and int64 becomes a float;
numbers are made by `number`, bits by `np.uint64`; the flag that stops a search is read by `pending`, an atomic load, for an
ordinary one is hoisted from loops; a function that calls itself gives itself no constant, for numba then looks for another.
"""

import os
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias, TypeVar

import numpy as np

U: TypeAlias = np.uint64
Memory: TypeAlias = Any
"""An array of words, or of weights: its address in the compiled functions, itself in the plain ones."""
F = TypeVar("F", bound=Callable[..., Any])

PLAIN = bool(os.environ.get("ARBITRE_PLAIN")) or find_spec("numba") is None

ROW = 12
"""Words in a row of codes, four codes to a word."""

if PLAIN:

    def kernel(signature: str) -> Callable[[F], F]:  # noqa: ARG001 - the other one needs it
        """Leave a function as it is."""
        return lambda function: function

    def address(memory: Memory) -> Memory:
        """Return what the functions take for an array."""
        return memory

    def load(memory: Memory, index: int) -> U:
        """Return one word."""
        if index < 0:
            raise IndexError(f"word {index} of a memory")
        word: U = memory[index]
        return word

    pending = load

    def store(memory: Memory, index: int, word: U) -> None:
        """Set one word."""
        if index < 0:
            raise IndexError(f"word {index} of a memory")
        memory[index] = word

    def number(word: U | int) -> int:
        """Return a word as a number."""
        return int(word)

    def count_bits(word: U) -> int:
        """Count the bits of a word."""
        return int(word).bit_count()

    def lowest(word: U) -> int:
        """Return the position of the lowest bit of a word that is not zero."""
        return (int(word) & -int(word)).bit_length() - 1

    def highest(word: U) -> int:
        """Return the position of the highest bit of a word that is not zero."""
        return int(word).bit_length() - 1

    def backwards(word: U) -> U:
        """Return the bits of a word in the other order."""
        return U(int(f"{int(word):064b}"[::-1], 2))

    def times(one: U, two: U) -> U:
        """Multiply, and forget what overflows."""
        return U(int(one) * int(two) & 0xFFFF_FFFF_FFFF_FFFF)

    def code(memory: Memory, index: int) -> int:
        """Return one of the four short numbers of each word."""
        if index < 0:
            raise IndexError(f"short {index} of a memory")
        return int(memory.view(np.uint16)[index])

    def weight(weights: Memory, index: int) -> int:
        """Return one short number that may be below zero."""
        if index < 0:
            raise IndexError(f"short {index} of the weights")
        return int(weights[index])

    def add(memory: Memory, to: int, one: int, two: int) -> None:
        """Put the sums of two rows of codes into a third, each row `ROW` words."""
        codes = memory.view(np.uint16)
        one_row, two_row = (codes[4 * at : 4 * at + 4 * ROW] for at in (one, two))
        codes[4 * to : 4 * to + 4 * ROW] = one_row + two_row

    def subtract(memory: Memory, to: int, one: int, two: int) -> None:
        """Put the differences of two rows of codes into a third."""
        codes = memory.view(np.uint16)
        one_row, two_row = (codes[4 * at : 4 * at + 4 * ROW] for at in (one, two))
        codes[4 * to : 4 * to + 4 * ROW] = one_row - two_row

else:
    numba: Any = import_module("numba")
    extending: Any = import_module("numba.extending")
    ir: Any = import_module("llvmlite.ir")
    types: Any = numba.types
    WORD: Any = ir.IntType(64)

    def kernel(signature: str) -> Callable[[F], F]:
        """Compile a function, without locks and checks; keep it where the loader has found a folder for that."""
        cached = bool(numba.config.CACHE_DIR)
        made: Callable[[F], F] = numba.njit(signature, nogil=True, cache=cached, error_model="numpy", boundscheck=False)
        return made

    def address(memory: Memory) -> Memory:
        """Return what the functions take for an array."""
        return memory.ctypes.data

    def _place(builder: Any, base: Any, index: Any) -> Any:
        return builder.gep(builder.inttoptr(base, WORD.as_pointer()), [index])

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def load(_context: Any, _memory: Any, _index: Any) -> Any:
        """Return one word."""

        def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
            return builder.load(_place(builder, *given))

        return types.uint64(types.int64, types.int64), generate

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def pending(_context: Any, _memory: Any, _index: Any) -> Any:
        """Return one word that another thread may set."""

        def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
            return builder.load_atomic(_place(builder, *given), "monotonic", 8)

        return types.uint64(types.int64, types.int64), generate

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def store(_context: Any, _memory: Any, _index: Any, _word: Any) -> Any:
        """Set one word."""

        def generate(context: Any, builder: Any, _signature: Any, given: Any) -> Any:
            builder.store(given[2], _place(builder, given[0], given[1]))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.uint64), generate

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def number(_context: Any, word: Any) -> Any:
        """Return a word as a number."""

        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            return context.cast(builder, given[0], signature.args[0], types.int64)

        return types.int64(word), generate

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def count_bits(_context: Any, _word: Any) -> Any:
        """Count the bits of a word."""

        def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
            return builder.ctpop(given[0])

        return types.int64(types.uint64), generate

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def lowest(_context: Any, _word: Any) -> Any:
        """Return the position of the lowest bit of a word that is not zero."""

        def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
            return builder.cttz(given[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.uint64), generate

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def highest(_context: Any, _word: Any) -> Any:
        """Return the position of the highest bit of a word that is not zero."""

        def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
            return builder.sub(ir.Constant(WORD, 63), builder.ctlz(given[0], ir.Constant(ir.IntType(1), 1)))

        return types.int64(types.uint64), generate

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def backwards(_context: Any, _word: Any) -> Any:
        """Return the bits of a word in the other order."""

        def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
            return builder.bitreverse(given[0])

        return types.uint64(types.uint64), generate

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def code(_context: Any, _memory: Any, _index: Any) -> Any:
        """Return one of the four short numbers of each word."""

        def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
            base = builder.inttoptr(given[0], ir.IntType(16).as_pointer())
            return builder.zext(builder.load(builder.gep(base, [given[1]])), WORD)

        return types.int64(types.int64, types.int64), generate

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def weight(_context: Any, _weights: Any, _index: Any) -> Any:
        """Return one short number that may be below zero."""

        def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
            base = builder.inttoptr(given[0], ir.IntType(16).as_pointer())
            return builder.sext(builder.load(builder.gep(base, [given[1]])), WORD)

        return types.int64(types.int64, types.int64), generate

    def _rows(operation: str) -> Any:
        """Return an instruction on rows of codes, sixteen at a time."""

        def generate(context: Any, builder: Any, _signature: Any, given: Any) -> Any:
            sixteen = ir.VectorType(ir.IntType(16), 16)
            rows = [builder.bitcast(_place(builder, given[0], at), sixteen.as_pointer()) for at in given[1:]]
            for part in range(ROW // 4):
                to, one, two = (builder.gep(row, [ir.Constant(WORD, part)]) for row in rows)
                made = getattr(builder, operation)(builder.load(one, align=8), builder.load(two, align=8))
                builder.store(made, to, align=8)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64, types.int64), generate

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def add(_context: Any, _memory: Any, _to: Any, _one: Any, _two: Any) -> Any:
        """Put the sums of two rows of codes into a third, each row `ROW` words."""
        return _rows("add")

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def subtract(_context: Any, _memory: Any, _to: Any, _one: Any, _two: Any) -> Any:
        """Put the differences of two rows of codes into a third."""
        return _rows("sub")

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def times(_context: Any, _one: Any, _two: Any) -> Any:
        """Multiply, and forget what overflows."""

        def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
            return builder.mul(*given)

        return types.uint64(types.uint64, types.uint64), generate
