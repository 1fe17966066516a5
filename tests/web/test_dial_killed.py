"""Kill -9 in the middle of matches of engines that dial in: every question is answered, none twice, and nobody loses on time."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from arbitre.client import Client
from arbitre.crypto.passwords import LIGHT
from arbitre.records.place import at
from arbitre.records.store import Store
from arbitre.referee.verdict import Termination, read_verdict
from arbitre.referee.verify import Proof, verify
from arbitre.site.community import Community
from arbitre.site.database import Allowances as CommunityRules
from tests.web.clients import Server

GAMES = 2
KILLS = (6, 30)
"""After so many questions the site is killed."""
THINKING = """
import os, sys, time
match = ""
for line in sys.stdin:
    word, *rest = line.split()
    if word == "hello":
        match = rest[3]
        print("hello 2 Thinking", flush=True)
    if word == "ask":
        with open("asked.log", "a") as log:
            log.write(f"{match} {rest[2]}\\n")
        time.sleep(0.02)  # it thinks
        print("move", rest[3], flush=True)
"""


async def asked(log: Path, count: int) -> None:
    """Return when bots were asked so often."""
    while not log.exists() or len(log.read_text().splitlines()) < count:
        await asyncio.sleep(0.01)


@pytest.mark.sqlite
def test_a_site_that_is_killed_asks_the_same_again_and_loses_nothing(tmp_path: Path) -> None:
    async def course() -> None:
        with Community(tmp_path / "data", CommunityRules(work=LIGHT)) as community:
            owner = community.accounts.create("owner", "a good long password")
            engine = community.engines.add(owner, game="reversi", name="Thinking", url="dial:")
            token = community.tokens.make(owner, "test", ["play", "read"], None).secret
            (tmp_path / "engine.token").write_text(community.engines.mint(owner, engine.id))
        (tmp_path / "thinking.py").write_text(THINKING)
        server = Server(tmp_path / "data")
        await server.start()
        command = ["-m", "arbitre", "bot", "join", server.url, f"cmd:{sys.executable} thinking.py", "--token", "engine.token"]
        join = await asyncio.create_subprocess_exec(
            sys.executable, *command, "--games", str(GAMES), cwd=tmp_path, stdout=asyncio.subprocess.PIPE
        )
        try:
            with Client(server.url, token) as client:
                while not next(client.engines(game="reversi"))["present"]:
                    await asyncio.sleep(0.05)
                for _ in range(GAMES):
                    client.call("reversi", f"engine:{engine.id}", "house:1", clock="10s/move")
            for count in KILLS:
                await asked(tmp_path / "asked.log", count)
                await server.stop(signal.SIGKILL)
                await server.start()
            told = (await join.communicate())[0].decode()
        finally:
            if join.returncode is None:
                join.kill()
                await join.wait()
            await server.stop(signal.SIGTERM)
        assert (join.returncode, told.count(" over: ")) == (0, GAMES), told

    asyncio.run(asyncio.wait_for(course(), 90))
    log = (tmp_path / "asked.log").read_text().splitlines()
    assert len(log) == len(set(log))  # each head, so each question, once
    store = Store(at(tmp_path / "data"))
    try:
        names = [row[0] for row in store.rows("SELECT name FROM matches")]
        assert len(names) == GAMES
        for name in names:
            assert verify(store.record(name).text().encode(), given=store.key().fingerprint).standing is Proof.VERIFIED
            assert read_verdict(store.match(name).verdict or "").termination is Termination.RULES
    finally:
        store.close()
