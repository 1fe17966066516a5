"""The time of elections: seconds of a clock that goes on while the machine sleeps, where the system has one."""

import time

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def clock() -> float:
    """Return the time in seconds, from no particular moment on."""
    return time.clock_gettime(_CLOCK)
