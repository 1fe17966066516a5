"""Every test of pages may use the one browser, an added game's programs, and a site that is open for all tests of a module."""

from collections.abc import Iterator

import pytest

from tests.added import example, pawns
from tests.browser import chromium
from tests.web.site import Client, Running, quiet, running

__all__ = ["chromium", "example", "pawns"]


@pytest.fixture(scope="module")
def open_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return an open site."""
    with running(quiet(tmp_path_factory.mktemp("site"))) as found:
        yield found


@pytest.fixture
def client(open_site: Running) -> Client:
    """Return a visitor who has never been there."""
    return open_site.client()
