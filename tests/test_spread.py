"""A tournament that several workers play comes out as on one machine, to the last octet, whoever is killed in the midst of it."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arbitre.records.place import Place
from arbitre.records.store import Store
from tests.postgresql import Cluster

PATIENCE = "5"
REVERSI = ("--game", "reversi", "--player", "a=random", "--player", "b=random", "--seed", "x", "--name", "cup")
TEST = ("--game", "tictactoe", "--player", "a=house:tictactoe/3", "--player", "b=random", "--seed", "x", "--name", "cup")


def command(*words: str, place: Place) -> list[str]:
    database = ["--database", place.database] if place.database else []
    return [sys.executable, "-m", "arbitre", *words, "--data", str(place.folder), *database]


class Crew:
    """Workers of a database, each with the number under which it is known there."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.store = Store(place)
        self.workers: dict[int, subprocess.Popen[bytes]] = {}
        self.kills = 0

    def hire(self) -> None:
        """Start one, and wait until it is known."""
        known = self._last()
        process = subprocess.Popen(command("worker", "--patience", PATIENCE, place=self.place), stdout=subprocess.DEVNULL)
        while self._last() == known:
            assert process.poll() is None, "a worker did not start"
            time.sleep(0.05)
        self.workers[self._last()] = process

    def _last(self) -> int:
        """Return the number of the newest worker, whether it is still known or not."""
        if not self.store.rows("SELECT 1 WHERE to_regclass('procrastinate_workers') IS NOT NULL"):
            return 0
        found = self.store.rows("SELECT pg_sequence_last_value(pg_get_serial_sequence('procrastinate_workers', 'id'))")
        return int(found[0][0] or 0)

    def kill(self, most: int) -> None:
        """Kill up to so many workers, each in the midst of a chunk; one is left alive."""
        query = "SELECT worker_id, args FROM procrastinate_jobs WHERE status = 'doing' AND task_name = 'play'"
        busy = [(number, args) for number, args in self.store.rows(query) if number in self.workers]
        for number, _ in busy:
            self.workers[number].send_signal(signal.SIGSTOP)  # what it is at does not end while we look
        for number, args in busy:
            fixtures = [game[0] for game in args["games"]]
            doing = (number,) in self.store.rows("SELECT worker_id FROM procrastinate_jobs WHERE status = 'doing'")
            if most and len(self.workers) > 1 and doing and not self.store.booked("cup", fixtures):
                worker = self.workers.pop(number)
                worker.kill()
                worker.wait()
                self.kills += 1
                most -= 1
            else:
                self.workers[number].send_signal(signal.SIGCONT)

    def dismiss(self) -> None:
        for worker in self.workers.values():
            worker.kill()
            worker.wait()
        self.store.close()


@contextmanager
def crew_of(place: Place, count: int) -> Iterator[Crew]:
    crew = Crew(place)
    try:
        for _ in range(count):
            crew.hire()
        yield crew
    finally:
        crew.dismiss()


def on_one_machine(folder: Path, *words: str) -> tuple[dict[str, Any], dict[str, str]]:
    done = subprocess.run(command("tournament", "run", *words, "--json", place=Place(folder)), stdout=subprocess.PIPE, check=True)
    return told(done.stdout), records(Place(folder))


def told(octets: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(octets)
    return found


def records(place: Place) -> dict[str, str]:
    store = Store(place)
    try:
        return {row.name: store.record(row.name).text() for row in store.matches(tournament="cup")}
    finally:
        store.close()


def course(tmp_path: Path, cluster: Cluster, games: int, kills: int) -> None:
    """Play on one machine and then by three workers, some of which are killed within a chunk, and compare."""
    alone, kept = on_one_machine(tmp_path / "one", *REVERSI, "--games", str(games))
    place = Place(tmp_path / "many", cluster.database())
    place.folder.mkdir()
    shutil.copy(tmp_path / "one" / "referee.key", place.folder)
    line = command("tournament", "run", *REVERSI, "--games", str(games), "--spread", "--json", place=place)
    with crew_of(place, 3) as crew, (tmp_path / "told").open("wb") as file:
        spread = subprocess.Popen(line, stdout=file)
        while crew.kills < kills and spread.poll() is None:
            crew.kill(min(2, kills - crew.kills))
            while len(crew.workers) < 2:
                crew.hire()
            time.sleep(0.02)
        assert spread.wait() == 0
        assert crew.kills == kills, "the games were over before enough workers were killed"
    output = (tmp_path / "told").read_bytes()
    assert told(output) == alone
    assert records(place) == kept
    assert len(kept) == games
    cluster.give_back(place.database)


def test_workers_that_are_killed_leave_the_tournament_as_it_is(tmp_path: Path, cluster: Cluster) -> None:
    course(tmp_path, cluster, games=300, kills=2)


@pytest.mark.campaign
def test_ten_thousand_games_and_twenty_kills(tmp_path: Path, cluster: Cluster) -> None:
    course(tmp_path, cluster, games=10_000, kills=20)


@pytest.mark.campaign
def test_a_restart_of_the_database_is_waited_for(tmp_path: Path, cluster: Cluster) -> None:
    alone, kept = on_one_machine(tmp_path / "one", *REVERSI, "--games", "600")
    place = Place(tmp_path / "many", cluster.database())
    place.folder.mkdir()
    shutil.copy(tmp_path / "one" / "referee.key", place.folder)
    line = command("tournament", "run", *REVERSI, "--games", "600", "--spread", "--json", place=place)
    with crew_of(place, 1) as crew:
        spread = subprocess.Popen(line, stdout=subprocess.PIPE)
        while not crew.store.rows("SELECT 1 FROM matches LIMIT 1"):
            time.sleep(0.02)
        with cluster.away():
            pass
        output, _ = spread.communicate()
        assert spread.returncode == 0
        (worker,) = crew.workers.values()
        assert worker.poll() is None, "it works for the next one"
        worker.terminate()
        assert worker.wait() == 0
    assert told(output) == alone
    assert records(place) == kept
    cluster.give_back(place.database)


def test_a_worker_says_in_one_line_why_it_does_not_begin(tmp_path: Path, cluster: Cluster) -> None:
    newer = cluster.database()
    cluster.execute("UPDATE alembic_version SET version_num = '9999'", newer)
    places = [Place(tmp_path, one) for one in (newer, cluster.url("none"), "postgresql://arbitre@127.0.0.1:1/none", "")]
    for place in places:
        done = subprocess.run(command("worker", place=place), capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert done.stderr.startswith("arbitre: error: ")


def test_a_sequential_test_stops_all(tmp_path: Path, cluster: Cluster) -> None:
    words = (*TEST, "--games", "4000", "--sprt", "0", "100")
    alone, _ = on_one_machine(tmp_path / "one", *words)
    place = Place(tmp_path / "many", cluster.database())
    with crew_of(place, 1) as crew:
        line = command("tournament", "run", *words, "--spread", "--json", place=place)
        spread = told(subprocess.run(line, stdout=subprocess.PIPE, check=True).stdout)
        assert spread["sprt"] == alone["sprt"]
        assert len(records(place)) < 4_000
        assert crew.store.rows("SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo' AND task_name = 'play'") == [(0,)]
    cluster.give_back(place.database)
