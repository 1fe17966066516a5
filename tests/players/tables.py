"""Real matches with engines in their own languages: our own speakers and fixtures, in processes of their own."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from arbitre.crypto.chain import commitment
from arbitre.games.catalogue import game
from arbitre.games.game import AnyGame
from arbitre.players import Setting, read_contestant
from arbitre.players.adapter import Adapter
from arbitre.records.event import Event, Kind
from arbitre.referee.clock import read_clock
from arbitre.referee.match import Match
from arbitre.referee.terms import Chair, Opening, Terms
from tests.transport.tables import KEY, SEED, play

__all__ = ["FIXTURES", "fixture", "make_match", "moves", "play", "seated", "speaking"]

FIXTURES = Path(__file__).parent.parent / "fixtures" / "plugs"


def fixture(name: str, *arguments: str) -> str:
    """Return the command of a fixture."""
    return shlex.join([sys.executable, str(FIXTURES / f"{name}.py"), *arguments])


def speaking(language: str, player: str, *arguments: str) -> str:
    """Return the command of an engine of the house that speaks a language."""
    return shlex.join([sys.executable, "-m", "arbitre", "engine", "speak", language, player, *arguments])


def seated(text: str, table: AnyGame) -> Adapter:
    """Return the player that a string names."""
    player = read_contestant(text, Setting(table)).player(b"")
    assert isinstance(player, Adapter)
    return player


def make_match(
    name: str, clock: str = "none", options: Mapping[str, object] | None = None, refusals: int | None = 0, start: str = ""
) -> Match:
    """Return a match that begins with the fixed seed."""
    table = game(name, options)
    chairs = tuple(Chair(f"player {seat}") for seat in range(table.seats))
    opening = Opening("m", table, chairs, commitment(SEED), Terms(read_clock(clock), refusals), start, referee=KEY.public.hex())
    return Match(opening, SEED)


def moves(events: Sequence[Event]) -> list[str]:
    """Return what was said, move by move."""
    return [event.text for event in events if event.kind is Kind.SAID]
