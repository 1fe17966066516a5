"""A site of their own for the tests of interfaces."""

from collections.abc import Iterator

import pytest

from tests.web.interfaces.stage import Stage, stage


@pytest.fixture
def site() -> Iterator[Stage]:
    """Return a site that serves our interfaces."""
    with stage() as one:
        yield one
