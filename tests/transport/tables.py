"""Real matches between a program on a pipe and somebody in this process, and a look at what is left of them."""

import asyncio
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from arbitre.bot import InProcess
from arbitre.crypto.chain import commitment
from arbitre.crypto.keys import Key
from arbitre.games.anyone import Anyone
from arbitre.games.catalogue import game
from arbitre.players.adapter import Adapter
from arbitre.records.event import Event
from arbitre.referee.clock import read_clock
from arbitre.referee.match import Match
from arbitre.referee.player import Player
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.terms import Chair, Opening, Terms
from arbitre.referee.verdict import Verdict
from arbitre.referee.verify import Proof, verify
from arbitre.transport.stdio import ProcessLimits, StdioPlayer

FIXTURES = Path(__file__).parent.parent / "fixtures" / "bots"
EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "bots"
SEED = bytes(range(32))
KEY = Key(bytes(32))


def program(name: str, *arguments: str, limits: ProcessLimits | None = None) -> StdioPlayer:
    """Return a player made of a fixture."""
    return StdioPlayer([sys.executable, "-S", str(FIXTURES / f"{name}.py"), *arguments], limits=limits)


def make_match(
    clock: str = "none",
    *,
    name: str = "tictactoe",
    options: dict[str, object] | None = None,
    refusals: int | None = 0,
    key: str = "",
) -> Match:
    """Return a match that begins with the fixed seed."""
    table = game(name, options)
    chairs = tuple(Chair(f"player {seat}", key=key if seat == 0 else "") for seat in range(table.seats))
    terms = Terms(read_clock(clock), refusals)
    return Match(Opening("m", table, chairs, commitment(SEED), terms, referee=KEY.public.hex()), SEED)


def play(match: Match, *players: Player) -> tuple[Verdict, Sequence[Event]]:
    """Play a match, the rest of the seats taken by `Anyone`; demand a sound record, and that nothing is left of the players."""
    seated = [*players, *(InProcess(Anyone()) for _ in range(match.game.seats - len(players)))]
    journal = Memory()
    files = open_files()

    async def course() -> Verdict:
        async with asyncio.timeout(100):  # a test that would hang fails instead
            affairs = await MatchRunner(match, seated, journal, KEY).play()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert affairs.verdict is not None
        return affairs.verdict

    verdict = asyncio.run(course())
    assert open_files() <= files, "what an earlier test left may be closed meanwhile"
    for player in players:
        if isinstance(player, StdioPlayer | Adapter) and player.pid is not None:
            assert running(player.pid) == []
    found = verify(journal.record().text().encode(), given=KEY.fingerprint)
    assert found.standing is Proof.VERIFIED, found.line
    return verdict, journal.events


def open_files() -> int:
    """Count the files that this process holds open."""
    return len(os.listdir("/dev/fd"))  # noqa: PTH208


def running(group: int) -> list[str]:
    """List the processes of a group that will not end; what was killed a moment ago may still be on its way."""
    for _ in range(500):
        if not _running(group):
            return []
        time.sleep(0.01)
    return _running(group)


def _running(group: int) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = entry.read_text().rpartition(")")
        except OSError:
            continue  # gone while we looked
        state, _, its_group = rest.split()[:3]
        if int(its_group) == group and state not in "ZX":  # the dead whom nobody has reaped yet have ended
            found.append(name)
    return found
