"""The manual's page "Engines by URL" says what is so: its first engine plays, its numbers and words are ours."""

import sys
from pathlib import Path

import pytest

from arbitre.cli import run
from arbitre.games.catalogue import listing
from arbitre.games.kriegspiel.wire import MOST_SENT
from arbitre.tournoyons.player import CALLS_PER_HOST, MOST_REDIRECTS
from arbitre.transport.http import MOST_BODY
from tests.cli.test_engine import free_port, serving
from tests.house import HOUSE

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "engines-http.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "examples" / "engines" / "rochambeau.py"


def test_the_first_engine_is_the_example() -> None:
    assert EXAMPLE.read_text(encoding="utf-8") in PAGE


def test_the_first_engine_passes_the_tester_and_plays(capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    command = [sys.executable, "-S", str(EXAMPLE), str(port)]
    with serving(command, port) as url:
        assert run(["engine", "test", f"{url}/", "--game", "rochambeau"]) == 0
        told = capsys.readouterr().out
        for line in told.splitlines()[-3:]:
            assert f"\n{line}\n" in PAGE
        assert "verdict: it calls back during the call" in told
        assert run(["play", "rochambeau", "--watch", f"{url}/", "--opponent", "random", "--no-record"]) == 0


def test_the_numbers_are_ours() -> None:
    for number in (MOST_BODY, MOST_SENT, CALLS_PER_HOST):
        assert f"{number:,}" in PAGE
    assert MOST_REDIRECTS == 3
    assert "three at most" in PAGE
    for tray in map(listing, HOUSE):
        assert f"| {tray.set} |" in PAGE
        assert f"`{tray.set}`" in PAGE
