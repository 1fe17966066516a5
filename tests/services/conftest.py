"""Services are tested on the loop that the site runs them on; the programs of an added game are there for tests that ask."""

import pytest
import uvloop

from tests.added import example, pawns

__all__ = ["example", "pawns"]


@pytest.fixture(autouse=True)
def _as_the_site_runs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `asyncio.run` make uvloop's loops: their transports and servers are not asyncio's own. `tests/cli` has those."""
    monkeypatch.setattr("asyncio.events.new_event_loop", uvloop.new_event_loop)
