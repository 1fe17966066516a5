"""A site that is killed while games are opened and sealed: its log goes on, and all checkpoints it showed are of one tree."""

import asyncio
import signal
from pathlib import Path

import aiohttp
import pytest

from arbitre.records.log.checkpoint import Checkpoint, read_checkpoint
from arbitre.records.log.entries import entries_of
from arbitre.records.log.rows import LogRows
from arbitre.records.log.sequencer import Sequencer
from arbitre.records.store import Store
from tests.records.log.naive import naive_root
from tests.web.clients import Server, Visitor


async def resigned(visitor: Visitor, name: str) -> bool:
    """Give a game up; tell whether that was taken."""
    address = f"{visitor.server.url}/games/{name}/resign"
    async with visitor.session.post(address, data={"form_token": visitor.token}) as response:
        return response.status < 400


async def course(folder: Path, kills: int) -> list[Checkpoint]:
    """Open games, kill the site as soon as its log shows something new, again and again; return what was shown."""
    server, shown = Server(folder), list[Checkpoint]()
    await server.start()
    try:
        async with asyncio.timeout(120 + 60 * kills):
            for number in range(kills + 1):
                jar = aiohttp.CookieJar(unsafe=True)
                async with aiohttp.ClientSession(cookie_jar=jar) as session:
                    visitor = Visitor(server, session)
                    for _ in range(3):
                        name = await visitor.open("tictactoe", "me", "house:1")
                        while not await resigned(visitor, name):
                            await asyncio.sleep(0.02)  # the table is not laid yet
                    before = shown[-1].size if shown else 0
                    while not shown or shown[-1].size == before:
                        async with session.get(f"{server.url}/log/checkpoint") as response:
                            shown.append(read_checkpoint(await response.read()))
                if number < kills:
                    await server.stop(signal.SIGKILL)
                    await server.start()
    finally:
        await server.stop(signal.SIGTERM)
    return shown


@pytest.mark.sqlite
@pytest.mark.parametrize("kills", [1, pytest.param(12, marks=pytest.mark.campaign)])
def test_the_log_of_a_killed_site_goes_on(tmp_path: Path, kills: int) -> None:
    shown = asyncio.run(course(tmp_path, kills))
    store = Store(tmp_path)
    try:
        log = Sequencer(store, shown[-1].origin.removesuffix("/log"))
        asyncio.run(log.open())
        asyncio.run(log.step())
        made = log.published
        entries = LogRows(store.rows).entries(0, made.size)
        for one in shown:
            assert one.origin == made.origin
            assert naive_root(entries[: one.size]) == one.root
        records = [store.record(row.name) for row in store.matches() if row.seal is not None]
        assert records
        for record in records:
            for entry in entries_of(record):
                assert entries.count(entry.octets()) == 1
        opened = [store.events(row.name) for row in store.matches()]
        assert made.size == len(records) + sum(map(bool, opened))
    finally:
        store.close()
