"""Hints between the nodes of one database: a word in passing, that some match has something new or that somebody wants to know.

A hint is no more than that. It is sent after the commit that it tells of, in a transaction of its own, because PostgreSQL lets
transactions with a notice commit one at a time; it may be lost with a connection, or come twice. Whoever must know reads the
database.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from logging import getLogger
from typing import Any

import psycopg
from psycopg import sql

from arbitre.records.place import Place
from arbitre.records.postgresql import manner

LOG = getLogger("arbitre.nodes")

CHANNEL = "SELECT 'arbitre/' || current_schema()"
"""Sites that share a database, each in a schema of its own, do not hear each other."""
AGAIN_SECONDS = 1.0
"""How soon whoever has lost the line listens again."""
SAY_SECONDS = 2.0
"""How long the database may take for a hint; after that it is lost."""
MOST_UNSAID = 1_000
"""Hints that wait to be said; of more, those that came first are lost."""
MOST_OCTETS = 7_000
"""Of one notice; PostgreSQL takes 8000."""


class Hints:
    """Says hints to all nodes and hears what others say, this one's own too; several become one notice, a line each."""

    def __init__(self, place: Place, heard: Callable[[str], None]) -> None:
        self._place = place
        self._heard = heard
        self._unsaid: dict[str, None] = {}
        """Each once, in the order in which they came."""
        self._wanted = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to listen, and to say what is given."""
        self._tasks = [asyncio.ensure_future(self._listen()), asyncio.ensure_future(self._speak())]

    async def close(self) -> None:
        """Stop both."""
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def say(self, hint: str) -> None:
        """Say something soon; what was said just now, and not sent yet, is said once."""
        self._unsaid[hint] = None
        if len(self._unsaid) > MOST_UNSAID:
            del self._unsaid[next(iter(self._unsaid))]
        self._wanted.set()

    async def _listen(self) -> None:
        while True:
            with suppress(psycopg.Error, OSError, TimeoutError):
                async with await self._connected() as line:
                    channel = await _channel(line)
                    await line.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
                    async for notice in line.notifies():
                        for hint in notice.payload.split("\n"):
                            self._heard(hint)
            await asyncio.sleep(AGAIN_SECONDS)

    async def _speak(self) -> None:
        while True:
            try:
                async with await self._connected() as line:
                    channel = await _channel(line)
                    while True:
                        await self._wanted.wait()
                        self._wanted.clear()
                        while self._unsaid:
                            async with asyncio.timeout(SAY_SECONDS):
                                await line.execute("SELECT pg_notify(%s, %s)", (channel, self._take()))
            except (psycopg.Error, OSError, TimeoutError) as error:
                LOG.info("a hint was lost: %s", error)
            await asyncio.sleep(AGAIN_SECONDS)

    def _take(self) -> str:
        """Return as many hints as one notice holds."""
        taken: list[str] = []
        room = MOST_OCTETS
        while self._unsaid and (not taken or len(next(iter(self._unsaid))) < room):
            hint = next(iter(self._unsaid))
            del self._unsaid[hint]
            taken.append(hint)
            room -= len(hint) + 1
        return "\n".join(taken)

    async def _connected(self) -> "psycopg.AsyncConnection[Any]":
        return await psycopg.AsyncConnection.connect(self._place.database, **manner(self._place))


async def _channel(line: "psycopg.AsyncConnection[Any]") -> str:
    row = await (await line.execute(CHANNEL)).fetchone()
    return str(row[0]) if row is not None else ""
