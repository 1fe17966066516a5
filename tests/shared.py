"""Where the shared data of the tests lies: beside the checkout. A test that needs it skips when it is absent."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parent.parent.parent / "shared"


def shared(name: str) -> Path:
    """Return the path of a shared file, or skip the test."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"shared/{name} is not here")
    return path
