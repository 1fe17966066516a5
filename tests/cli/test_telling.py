"""Lines of a service whose reader has stopped, gone, or never was."""

import os
import sys
from io import StringIO
from pathlib import Path

import pytest

from arbitre.cli.telling import telling


def test_every_line_is_said_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "said").open("w+", encoding="utf-8") as file:
        monkeypatch.setattr(sys, "stdout", file)
        with telling() as told:
            for number in range(1_000):
                told(f"{number} é")
        file.seek(0)
        assert file.read().splitlines() == [f"{number} é" for number in range(1_000)]


def test_nobody_waits_for_a_reader_who_has_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe that nobody empties: all lines are taken, and once somebody reads, he learns how many are missing."""
    out, into = os.pipe()
    with os.fdopen(into, "w") as file:
        monkeypatch.setattr(sys, "stdout", file)
        with telling(most=10, farewell=30) as told:
            for _ in range(200):
                told("x" * 1_000)
            heard = b""
            while b"left out" not in heard:
                heard += os.read(out, 1 << 16)
                told("and so on")
        assert b" lines were left out: nobody read them)\n" in heard
    os.close(out)


def test_a_reader_who_has_gone_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    out, into = os.pipe()
    os.close(out)
    with os.fdopen(into, "w") as file:
        monkeypatch.setattr(sys, "stdout", file)
        with telling() as told:
            told("one")
            told("two")


def test_without_a_file_lines_are_said_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    said = StringIO()
    monkeypatch.setattr(sys, "stdout", said)
    with telling() as told:
        told("one")
    assert said.getvalue() == "one\n"
