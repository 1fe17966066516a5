"""What an engine that dials in is asked at all nodes, as one stream: a program dials one of them, and plays at every one.

The node that it dials listens at the others in its name, as if it dialled there; what they ask is passed on line by line. A line
that breaks, or a node that comes, is noticed within a second. What each of them has asked is told again from a few seconds before
the last that the program says it has, for lines of two nodes may overtake each other: a question has one name, and who answers it
twice is told the same.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import Any
from urllib.parse import parse_qsl, urlencode

from arbitre.web.forward import NodeAnswer, ask
from arbitre.web.house import WebApp

LOOK_SECONDS = 1.0
"""How often it is looked which nodes there are."""
OVERLAP = 5_000_000
"""Questions of so many microseconds before the last one that was heard are told again."""
MOST_LINE = 1 << 26


async def gathered(house: WebApp, scope: Any, here: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """Yield the lines of this node and of all others, as they come; it ends with our own.

    What another node asks us in a program's name it gathers itself.
    """
    if house.membership is None or scope["arbitre_passed_on"]:
        async with aclosing(here) as told:
            async for line in told:
                yield line
        return
    lines: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=64)

    async def ours() -> None:
        try:
            async with aclosing(here) as told:
                async for line in told:
                    await lines.put(line)
        finally:
            await lines.put(None)

    tasks = [asyncio.ensure_future(ours()), asyncio.ensure_future(_others(house, scope, lines))]
    try:
        while (one := await lines.get()) is not None:
            yield one
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _others(house: WebApp, scope: Any, lines: "asyncio.Queue[bytes | None]") -> None:
    """Listen at every other node while it is there."""
    assert house.membership is not None  # noqa: S101 - else nobody asks for this
    listening: dict[str, asyncio.Task[None]] = {}
    try:
        while True:
            for address in house.membership.peers - listening.keys():
                listening[address] = asyncio.ensure_future(_listen(house, scope, address, lines))
            for address in [address for address, task in listening.items() if task.done()]:
                del listening[address]
            await asyncio.sleep(LOOK_SECONDS)
    finally:
        for task in listening.values():
            task.cancel()
        await asyncio.gather(*listening.values(), return_exceptions=True)


async def _listen(house: WebApp, scope: Any, address: str, lines: "asyncio.Queue[bytes | None]") -> None:
    """Pass on what one node asks, until it hangs up."""
    assert house.membership is not None  # noqa: S101
    given = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))
    after = given.get("after", "0")
    given["after"] = str(max(0, int(after) - OVERLAP)) if after.isascii() and after.isdigit() else "0"
    given.pop("wait", None)
    there = scope | {"query_string": urlencode(given).encode()}
    rest = b""
    with suppress(OSError, TimeoutError):
        async with ask(there, b"", address, scope["arbitre"].signer, house.membership.lives) as answer:
            async for data in _streamed(answer):
                *whole, rest = (rest + data).split(b"\n")
                for line in filter(None, whole):
                    await lines.put(line + b"\n")
                if len(rest) > MOST_LINE:
                    return


async def _streamed(answer: NodeAnswer) -> AsyncIterator[bytes]:
    if answer.status == 200:
        yield answer.taken()
        while not answer.over:
            await answer.next()
            yield answer.taken()
