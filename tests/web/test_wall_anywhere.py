"""The wall of a competition and its small boards at a node that is not the steward: what is shown at the steward, moves too."""

import asyncio
import json
import signal
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from arbitre.client import Client as Site
from arbitre.crypto.passwords import LIGHT
from arbitre.records.place import Place
from arbitre.site.accounts import Account, Role
from arbitre.site.community import Community
from arbitre.site.competitions.competitions import Announcement
from arbitre.site.database import Allowances as CommunityRules
from arbitre.web.visit import SESSION_COOKIE
from tests.postgresql import Cluster
from tests.web.site import Client
from tests.web.test_cut_off import buried
from tests.web.test_nodes import Node, nodes, page, run, visitor

NAMES = ("Ann", "Bob", "Carla", "Dora")


def announced(place: Place) -> tuple[int, str, Sequence[str]]:
    """Announce a competition of four people; return its number, who may begin it, and what each shows to be let in."""
    with Community(place, CommunityRules(work=LIGHT)) as community:
        people = {name: community.accounts.create(name, "a good long password") for name in NAMES}
        olga: Account = community.accounts.create("Olga", "a good long password", Role.TEACHER)
        now = community.database.now()
        plan = {"game": "reversi", "format": "round-robin"}
        made = community.competitions.announce(olga, Announcement("Cup", plan, now, now + 3_600, kind="people", patience=0))
        for one in people.values():
            community.entries.enter(one, made.id)
        token = community.tokens.make(olga, "test", ["compete", "read"], None).secret
        return made.id, token, [community.sessions.start(one, "test").token for one in people.values()]


async def boards(session: aiohttp.ClientSession, node: Node, number: int) -> list[dict[str, Any]]:
    """Return the small boards as a wall that is opened now gets them."""
    async with session.get(f"{node.url}/compete/{number}/boards") as response:
        async for line in response.content:
            if line.startswith(b"data: "):
                return sorted(json.loads(line[6:]), key=lambda board: str(board["id"]))
    raise AssertionError("the stream has ended")


async def shown(session: aiohttp.ClientSession, node: Node, number: int) -> tuple[str, list[dict[str, Any]]]:
    """Return what the wall shows: standings, round and words, and the boards."""
    async with session.get(f"{node.url}/compete/{number}/wall/board") as response:
        assert response.status == 200
        return await response.text(), await boards(session, node, number)


async def moved(node: Node, match: str, sessions: Sequence[str], text: str) -> None:
    """Let whoever has to move do so."""
    clients = [Client(node.port, {SESSION_COOKIE: token}) for token in sessions]
    answers = [(await asyncio.to_thread(one.post, f"/games/{match}/move", {"move": text})).status for one in clients]
    assert any(status < 400 for status in answers), answers


@pytest.mark.campaign
def test_the_wall_at_any_node_is_that_of_the_steward(cluster: Cluster, tmp_path: Path) -> None:
    async def course() -> None:
        async with nodes(cluster, tmp_path, 2) as (place, (one, two)), AsyncExitStack() as stack:
            number, token, sessions = announced(place)
            with Site(two.url, token) as olga:
                olga.steer(number, "begin")
            session = (await stack.enter_async_context(visitor(two))).session
            while not (found := await boards(session, one, number)):
                await asyncio.sleep(0.05)
            match = found[0]["id"]
            await moved(two, match, sessions, "d3")
            await alike(session, (one, two), number, match, discs=5)
            assert (await page(await stack.enter_async_context(visitor(two)), f"{two.url}/compete/{number}/wall"))[0] == 200
            await one.stop(signal.SIGKILL)  # who hangs on the wall of the other sees it go on
            await buried(place, one)
            await moved(two, match, sessions, "c3")
            await one.start()
            await alike(session, (one, two), number, match, discs=6)

    run(course, 120)


async def alike(session: aiohttp.ClientSession, both: Sequence[Node], number: int, match: str, discs: int) -> None:
    """Wait until both nodes show so many discs on the board of a match, and the same in all."""
    while True:
        here, there = [await shown(session, node, number) for node in both]
        if here == there and discs in [sum(board["tally"]) for board in here[1] if board["id"] == match]:
            return
        await asyncio.sleep(0.1)
