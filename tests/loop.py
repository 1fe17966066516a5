"""The loop that the site runs its services on: whoever tests them imports this into his `conftest.py`."""

import pytest
import uvloop


@pytest.fixture(autouse=True)
def as_the_site_runs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `asyncio.run` make uvloop's loops: their transports and servers are not asyncio's own. `tests/cli` has those."""
    monkeypatch.setattr("asyncio.events.new_event_loop", uvloop.new_event_loop)
