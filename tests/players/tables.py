"""Real matches with engines in their own languages: our own speakers and fixtures, in processes of their own."""

import asyncio
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from arbitre.bot import InProcess
from arbitre.crypto.chain import commitment
from arbitre.crypto.keys import Key
from arbitre.games.anyone import Anyone
from arbitre.games.catalogue import game
from arbitre.games.game import AnyGame
from arbitre.players import Setting, read_contestant
from arbitre.players.adapter import Adapter
from arbitre.records.event import Event, Kind
from arbitre.referee.clock import read_clock
from arbitre.referee.match import Match
from arbitre.referee.player import Player
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.terms import Chair, Opening, Terms
from arbitre.referee.verdict import Verdict
from tests.transport.tables import open_files, running

FIXTURES = Path(__file__).parent.parent / "fixtures" / "plugs"
SEED = bytes(range(32))
KEY = Key(bytes(32))


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


def play(match: Match, *players: Player) -> tuple[Verdict, Sequence[Event]]:
    """Play a match, the seats left over taken by `Anyone`; nothing is left of the players."""
    at_the_table = [*players, *(InProcess(Anyone()) for _ in range(match.game.seats - len(players)))]
    journal = Memory()
    files = open_files()

    async def course() -> Verdict:
        async with asyncio.timeout(100):  # a test that would hang fails instead
            affairs = await MatchRunner(match, at_the_table, journal, KEY).play()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert affairs.verdict is not None
        return affairs.verdict

    verdict = asyncio.run(course())
    assert open_files() == files
    for player in players:
        if isinstance(player, Adapter) and player.pid is not None:
            assert running(player.pid) == []
    return verdict, journal.events


def moves(events: Sequence[Event]) -> list[str]:
    """Return what was said, move by move."""
    return [event.text for event in events if event.kind is Kind.SAID]
