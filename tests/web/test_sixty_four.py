"""A competition of 64 engines over HTTP, crashing, stalling, babbling and cheating ones among them, whose site is killed twice.

It runs to the end, and its standings are those of the same games judged offline, by `arbitre verify` and the tournament code.
"""

import csv
import io
import json
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path

import pytest

from arbitre.crypto.passwords import LIGHT
from arbitre.records.place import FILE
from arbitre.records.store import Store
from arbitre.site.accounts import Role
from arbitre.site.community import Community
from arbitre.site.competitions.competitions import CompetitionId, Stage
from arbitre.site.database import Allowances as CommunityRules
from arbitre.tournoyons.wire import Style
from arbitre.web.visit import SESSION_COOKIE
from tests.tournoyons.test_player import ENGINES, started
from tests.web.site import Client
from tests.web.test_serve import free_port

BROKEN = ("crash", "stall", "babble", "cheat", "error")
ARBITRE = (sys.executable, "-m", "arbitre")


@contextmanager
def site_at(folder: Path, port: int) -> Iterator["subprocess.Popen[str]"]:
    """Run a site as an operator does, until it is killed."""
    quiet = (
        "--registrar-port", "0", "--arcade-port", "0", "--hub-port", "0", "--defender-port", "0", "--house-games", "0",
        "--pace", "1000000",
    )  # fmt: skip
    with subprocess.Popen(
        [*ARBITRE, "serve", "--data", str(folder), "--port", str(port), *quiet], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if line.startswith("stop it"):
                    break
            yield process
        finally:
            process.send_signal(signal.SIGKILL)


def sealed(folder: Path, tournament: str) -> int:
    """Return how many games have a result."""
    with closing(sqlite3.connect(folder / FILE, timeout=30)) as reader:
        query = "SELECT COUNT(*) FROM matches WHERE tournament = ? AND verdict IS NOT NULL"
        return int(reader.execute(query, (tournament,)).fetchone()[0])


def hold(folder: Path, url: str, engines: int, plan: dict[str, str], kills: tuple[int, ...]) -> int:
    """Announce, enter, start, and kill the site whenever so many games are over; return the number of the competition."""
    port = free_port()
    with Community(folder, CommunityRules(work=LIGHT, engines=engines)) as community:
        oscar = community.accounts.create("oscar", "a long password", Role.ORGANISER)
        cookie = community.sessions.start(oscar, "test").token
        owners = [community.accounts.create(f"owner{number}", "a long password") for number in range(4)]
        with site_at(folder, port):
            client = Client(port, {SESSION_COOKIE: cookie})
            said = {"game": "tictactoe", "listed": "1", "each": "100", "concurrency": "24", "clock": "4s/move", **plan}
            answer = client.post("/compete/new", said)
            assert answer.status == 303, answer.text
            number = CompetitionId(int(answer.headers["location"].rpartition("/")[2]))
            for at in range(engines):
                path = BROKEN[at // 3 % len(BROKEN)] if at % 3 == 0 else f"play/{at}"
                owner = owners[at % len(owners)]
                engine = community.engines.add(
                    owner, game="tictactoe", name=f"pupil{at}", url=f"{url}/{path}", style=Style(direct=True)
                )
                community.entries.enter(owner, number, engine.id)
            assert client.post(f"/compete/{number}/steer", {"what": "begin"}).status == 303
            reach(folder, number, kills[0])
        for wanted in kills[1:]:
            with site_at(folder, port):
                reach(folder, number, wanted)
        with site_at(folder, port):
            while community.competitions.find(number).stage is not Stage.OVER:
                time.sleep(0.1)
            take_away(Client(port), number, folder.parent / "out")
        faulty = {engine.name for owner in owners for engine in community.engines.of(owner) if engine.fault}
        assert {f"pupil{at}" for at in range(0, engines, 3)} <= faulty
    return number


def reach(folder: Path, number: int, wanted: int) -> None:
    while sealed(folder, f"competition-{number}") < wanted:
        time.sleep(0.02)


def take_away(client: Client, number: int, out: Path) -> None:
    """Take everything that the site hands out."""
    with zipfile.ZipFile(io.BytesIO(client.get(f"/compete/{number}/records.zip").body)) as file:
        file.extractall(out)
    (out / "standings.csv").write_bytes(client.get(f"/compete/{number}/standings.csv").body)
    page = client.get(f"/compete/{number}").text
    assert "the SHA-256 of" in page
    for path in sorted((out / "records").iterdir())[:3]:
        assert client.get(f"/games/{path.stem}").status == 200


def judged(out: Path, key: str) -> list[tuple[object, ...]]:
    """Return the standings as they follow from the records alone."""
    checked = subprocess.run(
        [*ARBITRE, "verify", "--quiet", "--key", key, "records"], cwd=out, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    done = subprocess.run([*ARBITRE, "tournament", "judge", ".", "--json"], cwd=out, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["standings"]
    names = ("rank", "name", "points", "games", "wins", "draws", "losses", "byes")
    found = [tuple(row[name] for name in names) for row in rows]
    return [(str(rank), name, f"{float(Fraction(points)):g}", *map(str, rest)) for rank, name, points, *rest in found]


def shown(out: Path) -> list[tuple[object, ...]]:
    """Return the standings as the site shows them."""
    rows = csv.DictReader(io.StringIO((out / "standings.csv").read_text(encoding="utf-8-sig")))
    names = ("rank", "identifier", "points", "games", "won", "drawn", "lost", "byes")
    return [tuple(row[name] for name in names) for row in rows]


def whole(tmp_path: Path, engines: int, plan: dict[str, str], kills: tuple[int, ...]) -> None:
    folder = tmp_path / "data"
    for url in started(sys.executable, "-S", str(ENGINES / "crowd.py")):
        number = hold(folder, url, engines, plan, kills)
    store = Store(folder)
    rows = list(store.matches(tournament=f"competition-{number}"))
    key = store.key().fingerprint
    store.close()
    fixtures = [row.fixture for row in rows if row.verdict is not None]
    assert len(fixtures) == len(set(fixtures)) == len(rows), "a game was played twice, or not to its end"
    standings = shown(tmp_path / "out")
    assert len(standings) == engines
    assert standings == judged(tmp_path / "out", key)


@pytest.mark.campaign
def test_sixty_four_engines_and_two_kills(tmp_path: Path) -> None:
    whole(tmp_path, 64, {"template": "swiss", "rounds": "3"}, (16, 56))


@pytest.mark.campaign
@pytest.mark.parametrize("template", ["swiss", "knockout", "everybody"])
def test_many_engines_and_many_kills(tmp_path: Path, template: str) -> None:
    engines, kills = (40, tuple(range(50, 1200, 150))) if template == "everybody" else (200, (20, 70, 120, 170))
    whole(tmp_path, engines, {"template": template}, kills)
