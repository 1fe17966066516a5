"""Settings of all tests: no test fails because the machine was busy. A campaign tries more, and other things each time.

With `ARBITRE_HASHED=1` nobody says words: what a reason would say is a hash of its template. What passes then does not hang on
any sentence (`make hashed`). Tests of the words themselves are marked `words("why")` and left out then.

With `ARBITRE_ON_POSTGRESQL=1` every data folder that a test opens within its own process has a database of the tests' PostgreSQL;
programs that it starts, and tests that look into the file (marked `sqlite`), keep SQLite.

What modules and tests are made of lives as long as the process: nobody looks for garbage while it is made, nor in it afterwards,
which is a third of the time that it takes to find the tests.
"""

import gc
import os
from collections.abc import Mapping
from hashlib import sha256

import pytest
from hypothesis import settings

from arbitre import reasons
from tests.postgresql import cluster, database, everything_there, fresh, place

__all__ = ["cluster", "database", "everything_there", "fresh", "place"]

pytest_plugins = ["tests.together"]

HASHED = bool(os.environ.get("ARBITRE_HASHED"))

settings.register_profile("arbitre", deadline=None, derandomize=True, database=None, max_examples=50)
settings.register_profile("campaign", deadline=None, database=None, max_examples=300)
settings.load_profile("arbitre")


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Look for no garbage while tests are found."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave what was found where it is."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with files that open a browser, then those of the site: they take long, and no core shall wait for the last one."""
    browsing = {item.path for item in items if "chromium" in getattr(item, "fixturenames", ())}
    if HASHED:
        for item in items:
            for mark in item.iter_markers("words"):
                item.add_marker(pytest.mark.skip(reason=f"words: {mark.args[0]}"))
    items.sort(key=lambda item: (item.path not in browsing, "web" not in item.path.parts))


def hashed(template: str, fields: Mapping[str, object]) -> str:
    """Say a hash instead of a sentence."""
    return sha256(template.encode()).hexdigest()[:16]


if HASHED:
    reasons.fill = hashed
