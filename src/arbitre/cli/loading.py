"""Modules are loaded without a look for garbage: what they are made of stays, and the look takes a sixth of a command's start."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Leave garbage where it is for a while."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
