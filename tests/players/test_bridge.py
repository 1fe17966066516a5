"""Any player of a string speaks as a bot on a pipe: it signs, its notes stand beside its moves, and it leaves nobody behind."""

import asyncio
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from arbitre.bot import InProcess
from arbitre.crypto.statements import SeatState
from arbitre.games.anyone import Anyone
from arbitre.records.event import Kind
from arbitre.referee.match import Match
from arbitre.referee.player import Player
from arbitre.referee.runner import MatchRunner, Memory, greeted
from arbitre.referee.verdict import Termination
from arbitre.referee.verify import Proof, verify
from arbitre.transport.pipe import RefereeSide
from arbitre.transport.stdio import StdioPlayer
from tests.players.model import serving
from tests.players.tables import FIXTURES, fixture, make_match, speaking
from tests.transport.tables import KEY

HEAD = "3d" * 32


def bridged(player: str, *more: str) -> list[str]:
    return [sys.executable, "-m", "arbitre", "bot", "speak", player, *more]


def played(name: str, player: str, folder: Path, options: dict[str, object] | None = None, clock: str = "none") -> Memory:
    """Let a player behind the bridge play a match with somebody, and sign it."""
    draft, journal = make_match(name, clock, options), Memory()
    one = StdioPlayer(bridged(player, "--key", str(folder / "own.key"), "--journal", str(folder)))
    players: list[Player] = [one, InProcess(Anyone(Random(3)))]

    async def course() -> None:
        match = Match(await greeted(draft.opening, players), draft.seed)
        affairs = await MatchRunner(match, players, journal, KEY).play()
        assert affairs.verdict is not None
        assert affairs.verdict.termination is Termination.RULES, (affairs.verdict.reason, one.errors())

    asyncio.run(course())
    assert journal.sealed is not None
    assert journal.sealed.seats[0].state is SeatState.SIGNED
    assert verify(journal.record().text().encode(), given=KEY.fingerprint).standing is Proof.VERIFIED
    return journal


@pytest.mark.parametrize(
    ("name", "player", "options"),
    [
        ("bigtictactoe", f"gomocup:depth=1 {speaking('gomocup', 'bigtictactoe/1')}", {"first": True}),
        ("reversi", f"nboard:{speaking('nboard', 'reversi/1')}", {}),
        ("reversi", f"gtp:{speaking('gtp', 'reversi/1')}", {}),
    ],
    ids=["gomocup", "nboard", "gtp"],
)
def test_an_engine_in_its_own_language_plays_and_signs(
    name: str, player: str, options: dict[str, object], tmp_path: Path
) -> None:
    played(name, player, tmp_path, options)


def test_what_an_engine_says_about_its_moves_passes_and_the_clock_is_known(tmp_path: Path) -> None:
    journal = played("draughts", f"hub:{fixture('hub1')}", tmp_path, clock="60s+1s")
    notes = [event.text for event in journal.events if event.kind is Kind.NOTED]
    assert notes
    assert all("depth=5" in one for one in notes)


def test_a_program_over_a_connection_plays_and_signs(tmp_path: Path) -> None:
    command = [sys.executable, str(FIXTURES / "damexchange.py"), "listen", "0", "follower", "play"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as peer:
        assert peer.stdout is not None
        try:
            played("draughts", f"dxp:127.0.0.1:{int(peer.stdout.readline())}", tmp_path)
        finally:
            peer.kill()


def test_a_model_plays_and_signs(tmp_path: Path) -> None:
    with serving() as models:
        journal = played("tictactoe", f"llm:{models.url}#small", tmp_path)
    notes = [event.text for event in journal.events if event.kind is Kind.NOTED]
    assert len(notes) == len(models.asked)
    assert all("tokens_in=100" in one for one in notes)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def hung_up(one: "subprocess.Popen[bytes]") -> None:
    assert one.stdin is not None
    one.stdin.close()


def told_to_leave(one: "subprocess.Popen[bytes]") -> None:
    one.send_signal(signal.SIGTERM)


@pytest.mark.parametrize("how", [hung_up, told_to_leave])
def test_who_is_left_while_the_engine_thinks_leaves_no_engine_behind(
    how: Callable[["subprocess.Popen[bytes]"], None], tmp_path: Path
) -> None:
    """The engine writes its number down when it is asked, and never answers."""
    engine, number = tmp_path / "engine.py", tmp_path / "pid"
    engine.write_text(
        "import os, pathlib, sys, time\n"
        "for line in sys.stdin:\n"
        "    print({'hub': 'wait', 'init': 'ready', 'ping': 'pong'}.get(line.split()[0], ''), flush=True)\n"
        "    if line.startswith('go'):\n"
        f"        os.write(os.open({str(number)!r}, os.O_WRONLY), b'%d\\n' % os.getpid())\n"
        "        time.sleep(3600)\n"
    )
    os.mkfifo(number)
    table = make_match("draughts")
    side, position = RefereeSide(), table.notation.write_state(table.game.start())
    command = bridged(f"hub:{shlex.join([sys.executable, str(engine)])}")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bridge:
        assert bridge.stdin is not None
        assert bridge.stdout is not None
        bridge.stdin.write(side.hello("draughts", 0))
        bridge.stdin.flush()
        side.receive(bridge.stdout.readline())
        bridge.stdin.write(side.ask(position, 1, None, HEAD))
        bridge.stdin.flush()
        with number.open(encoding="utf-8") as said:
            pid = int(said.readline())
        assert not gone(pid)
        how(bridge)
        bridge.wait(20)
        assert gone(pid)
        bridge.stdout.close()


@pytest.mark.parametrize("player", ["house:reversi/1", "random", "human", "http://127.0.0.1:1/", "nobody:x"])
def test_who_needs_no_bridge_is_refused(player: str) -> None:
    found = subprocess.run(bridged(player), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)
    assert found.returncode == 1
    assert "is no program or model that could speak on a pipe" in found.stderr
