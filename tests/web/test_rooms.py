"""Rooms in which people meet are at one node: where it leaves or is killed they end, it is said, and others open elsewhere."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest

from arbitre.client import Client
from arbitre.client.arcade import play
from arbitre.client.elections import take_part
from arbitre.errors import ElectionError, SiteError
from arbitre.records.place import Place
from tests.postgresql import Cluster
from tests.web.test_api_arcade import Rock
from tests.web.test_cut_off import buried
from tests.web.test_nodes import Node, nodes, run
from tests.web.test_roles import teacher
from tests.web.test_serve import free_port


class Stranger:
    """Somebody at the arcade's own door."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def say(self, line: str) -> None:
        self.writer.write(f"{line}\n".encode())

    async def hear(self) -> str:
        """Return the next line; nothing where the arcade has hung up."""
        try:
            return (await self.reader.readline()).decode().strip()
        except ConnectionError:
            return ""

    async def rest(self) -> list[str]:
        """Return everything until the arcade hangs up."""
        heard = []
        while line := await self.hear():
            heard.append(line)
        return heard


@asynccontextmanager
async def stranger(port: int) -> AsyncIterator[Stranger]:
    """Come to the arcade's door, as soon as it is open."""
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            break
        await asyncio.sleep(0.05)
    try:
        yield Stranger(reader, writer)
    finally:
        writer.close()


def took_part(site: Client, code: str) -> str:
    """Take part in an election, and return why it was broken off."""
    try:
        with site:
            take_part(site, code, "Olga")
    except (ElectionError, SiteError) as error:
        return str(error)
    return ""


@pytest.mark.campaign
@pytest.mark.parametrize("how", ["drained", "killed", "asleep"])
def test_rooms_end_with_their_node_and_others_open_at_the_next(cluster: Cluster, tmp_path: Path, how: str) -> None:
    async def course() -> None:
        arcade, hub = free_port(), free_port()
        doors = ("--arcade-port", str(arcade), "--hub-port", str(hub))
        async with nodes(cluster, tmp_path, 2, more=doors) as (place, (one, two)), AsyncExitStack() as stack:
            token = teacher(place)
            olga = stack.enter_context(Client(two.url, token))
            alone, waiting = [await stack.enter_async_context(stranger(arcade)) for _ in range(2)]
            alone.say("# begin")
            assert (await alone.hear()).startswith("#")
            waiting.say("# table lost")
            while "waiting" not in await waiting.hear():
                pass
            visit = olga.ask("POST", "/api/arcade/visits", {"lines": ["# table found"]})["visit"]
            room = olga.open_room("what becomes of us")["code"]
            voting = asyncio.create_task(asyncio.to_thread(took_part, olga.twin(), room))
            while not olga.room(room)["people"]:
                await asyncio.sleep(0.05)
            ends = [asyncio.create_task(one_.rest()) for one_ in (alone, waiting)]
            await gone(place, one, how)
            for heard in [await end for end in ends]:
                assert how == "killed" or any("closes" in line for line in heard), heard
            assert await voting
            async with stranger(arcade) as next_one:  # the door is open again
                next_one.say("# table again")
                while "waiting" not in await next_one.hear():
                    pass
            await asyncio.to_thread(settled, olga)
            with pytest.raises(SiteError, match="404"):
                olga.room(room)
            with pytest.raises(SiteError, match="404"):
                olga.ask("POST", f"/api/arcade/visits/{visit}", {"lines": ["# name x"]})
            assert (await asyncio.to_thread(play, olga, Rock(), level="Facile")).reason.proper
            assert olga.open_room("and now")["stage"] == "lobby"

    run(course, 60)


async def gone(place: Place, node: Node, how: str) -> None:
    """Let a node leave, kill it, or let it sleep until another has taken over from it, with the doors in its hands."""
    if how == "asleep":
        os.kill(node.pid, signal.SIGSTOP)
        await buried(place, node)
        os.kill(node.pid, signal.SIGCONT)
    elif how == "killed":
        await node.stop(signal.SIGKILL)
    else:
        assert await node.stop(signal.SIGTERM) == 0


def settled(site: Client) -> None:
    """Wait until somebody sees to rooms again."""
    while True:
        with suppress(SiteError):
            site.ask("GET", "/api/arcade")
            return
