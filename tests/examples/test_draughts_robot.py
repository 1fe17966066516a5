"""The robot in C of `examples/draughts`, built as its users build it, against ours: both roles, whole games, both reports."""

import asyncio
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from arbitre.cli.draughts import draughts
from arbitre.league.ledger import confirmed_games
from arbitre.league.robots import Attacker
from arbitre.transport.sockets import Endpoint
from tests.league.house import ANN, BOB, free_port, office
from tests.league.test_robots import House, defender

SOURCE = Path(__file__).parent.parent.parent / "examples" / "draughts" / "robot.c"
GAMES = 3


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Build the example."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is here")
    built = tmp_path_factory.mktemp("robot") / "robot"
    subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-O2", "-o", str(built), str(SOURCE)], check=True)
    return str(built)


@contextmanager
def defending(robot: str, *registrar: str) -> Iterator[int]:
    port = free_port()
    started = subprocess.Popen([robot, "defend", str(port), *registrar], stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    try:
        assert started.stdout.readline() == f"defending on port {port}\n"
        yield port
    finally:
        started.kill()
        started.communicate()


def test_it_defends_and_reports(robot: str, tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path / "registrar") as registrar:
            where = Endpoint("127.0.0.1", registrar.port)
            with defending(robot, "127.0.0.1", str(registrar.port)) as port:
                for number in range(GAMES):
                    registrar.day = f"2026-05-{number + 1:02}"
                    ours = House(tmp_path / str(number), where, ANN)
                    (finished,) = await Attacker(ours.robot, [Endpoint(BOB, port)]).challenge_all()
                    assert finished.recordable, finished.verdict
                    while len(games := list(confirmed_games(registrar.registrar.ledger.store))) <= number:
                        await asyncio.sleep(0.02)  # it reports, too
                    ours.store.close()
        assert {(game.pair.white, game.pair.black) for game in games} == {(BOB, ANN)}

    asyncio.run(scene())


def test_it_attacks_and_reports(robot: str, tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path / "registrar") as registrar:
            where = Endpoint("127.0.0.1", registrar.port)
            async with defender(House(tmp_path / "ours", where), BOB) as (_, port):
                for number in range(GAMES):
                    registrar.day = f"2026-05-{number + 1:02}"
                    line = [robot, "attack", BOB, str(port), "127.0.0.1", str(registrar.port), ANN]
                    started = await asyncio.create_subprocess_exec(*line, stdout=subprocess.PIPE)
                    said, _ = await started.communicate()
                    assert b"the registrar: ACC" in said, said
                    while len(games := list(confirmed_games(registrar.registrar.ledger.store))) <= number:
                        await asyncio.sleep(0.02)
        assert {(game.pair.white, game.pair.black) for game in games} == {(BOB, ANN)}

    asyncio.run(scene())


def test_the_tester_finds_nothing_wrong_with_it(robot: str) -> None:
    report = free_port()
    with defending(robot, "127.0.0.1", str(report)) as port:
        for _ in range(20):  # whole games: rules that differ would show
            done = CliRunner().invoke(draughts, ["test", f"127.0.0.1:{port}", "--report-port", str(report)])
            assert done.exit_code == 0, done.output
            assert "remark" not in done.output


def test_it_answers_whom_it_does_not_understand(robot: str) -> None:
    with defending(robot) as port, socket.create_connection(("127.0.0.1", port), timeout=20) as peer:
        assert peer.recv(100)[2:3] == b"-", "white begins"
        peer.sendall(b"1-50\0")
        assert peer.recv(100) == b"COUP INVALIDE\0"
        peer.sendall(b"BONJOUR\n")
        assert peer.recv(100) == b"INTERUPTION\0"
