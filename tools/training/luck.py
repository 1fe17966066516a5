"""Random numbers inside what is compiled: a row of them follows from its seed on every machine."""

import numpy as np
from numba import njit


@njit("u8(u8[::1])", nogil=True)
def drawn(seed):  # type: ignore[no-untyped-def]
    """Return the next number of a row of random ones."""
    seed[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = seed[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@njit("f8(u8[::1])", nogil=True)
def chance(seed):  # type: ignore[no-untyped-def]
    """Return a random number from 0 to 1."""
    return np.float64(drawn(seed) >> np.uint64(11)) / 9007199254740992.0
