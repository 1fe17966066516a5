"""What nodes pass on to each other: nobody else can make its mark, nor use it again, and no node waits for one that is dead."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from arbitre.web import forward as passing
from arbitre.web.forward import MARK_SECONDS, MOST_PASSED, _head, forward, forwarded_for
from arbitre.web.house import secret_of
from arbitre.web.visit import Signer
from tests.web.site import Running, quiet, running

NOON = 1_000_000.0


def signing(secret: bytes = b"ours", now: float = NOON) -> Signer:
    made = Signer(secret, secure=False)
    made.now = lambda: now
    return made


def asked(method: str = "GET", path: str = "/games/x", query: bytes = b"a=1") -> dict[str, Any]:
    headers = [
        (b"host", b"site"),
        (b"x-arbitre-for", b"6.6.6.6"),
        (b"x-arbitre-seal", b"1.bad"),
        (b"x-forwarded-for", b"6.6.6.6"),
    ]
    return {
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "client": ("9.9.9.9", 0),
        "headers": headers,
    }


def arrives(scope: dict[str, Any], signer: Signer) -> dict[str, Any]:
    """Return a request as the other node gets it."""
    lines = _head(scope, signer, 0).split(b"\r\n")[1:-2]
    return scope | {"headers": [(name, text) for name, _, text in (line.partition(b": ") for line in lines)]}


def test_what_was_passed_on_is_believed_and_what_a_visitor_says_of_himself_is_left_out() -> None:
    there = arrives(asked(), signing())
    assert forwarded_for(signing(), there) == "9.9.9.9"
    assert b"6.6.6.6" not in dict(there["headers"]).values()
    assert forwarded_for(signing(), asked() | {"headers": []}) is None


def sealed(scope: dict[str, Any]) -> list[tuple[bytes, bytes]]:
    return [one for one in scope["headers"] if one[0].startswith(b"x-arbitre")]


CHANGED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "another method": lambda one: one | {"method": "POST"},
    "another path": lambda one: one | {"raw_path": b"/login"},
    "another query": lambda one: one | {"query_string": b"a=2"},
    "a visitor's own": lambda _: asked(),
    "no mark": lambda one: one | {"headers": sealed(one)[:1]},
    "only a mark": lambda one: one | {"headers": sealed(one)[1:]},
    "another address": lambda one: one | {"headers": [(b"x-arbitre-for", b"8.8.8.8"), sealed(one)[1]]},
    "two addresses": lambda one: one | {"headers": [(b"x-arbitre-for", b"8.8.8.8"), *sealed(one)]},
    "two marks": lambda one: one | {"headers": [*sealed(one), (b"x-arbitre-seal", b"1.x")]},
    "no number": lambda one: one | {"headers": [sealed(one)[0], (b"x-arbitre-seal", b"." + b"a" * 40)]},
    "odd letters": lambda one: one | {"headers": [sealed(one)[0], (b"x-arbitre-seal", b"\xff\xfe.\xe9")]},
}


@pytest.mark.parametrize("how", CHANGED)
def test_a_mark_is_good_for_what_it_was_made_for(how: str) -> None:
    assert forwarded_for(signing(), CHANGED[how](arrives(asked(), signing()))) == ""


def test_a_mark_is_good_for_a_minute_and_among_those_who_have_the_secret() -> None:
    there = arrives(asked(), signing())
    for seconds in (-MARK_SECONDS - 1, MARK_SECONDS + 1):
        assert forwarded_for(signing(now=NOON + seconds), there) == ""
    assert forwarded_for(signing(now=NOON + MARK_SECONDS), there) == "9.9.9.9"
    assert forwarded_for(signing(b"a stranger's"), there) == ""


def test_a_site_refuses_a_mark_that_is_not_good(tmp_path: Path) -> None:
    with running(quiet(tmp_path)) as site:
        assert isinstance(site, Running)
        signer, scope = Signer(secret_of(site.settings), secure=False), asked(path="/play", query=b"")
        good = {name.decode(): text.decode() for name, text in sealed(arrives(scope, signer))}
        assert site.client().get("/play", **good).status == 200
        assert site.client().get("/", **good).status == 400
        assert site.client().get("/play", **{"x-arbitre-for": "1.2.3.4"}).status == 400


# ── between two nodes ──────────────────────────────────────────────────────────────────────────────────────────────

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def passed_on(
    scope: dict[str, Any], body: bytes, handler: Handler, *, lives: bool = True
) -> tuple[int, dict[bytes, bytes], bytes]:
    """Pass a request on to a server that does as it likes; return what is answered."""
    told: list[dict[str, Any]] = []
    lines: list[asyncio.StreamWriter] = []

    async def heard(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines.append(writer)
        await handler(reader, writer)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    async def send(message: dict[str, Any]) -> None:
        told.append(message)

    async def course() -> None:
        async with asyncio.timeout(30):
            server = await asyncio.start_server(heard, "127.0.0.1", 0)
            address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            await forward(scope, receive, send, address, signing(), lambda _: lives)
            server.close()
            for one in lines:
                one.transport.abort()

    asyncio.run(course())
    return told[0]["status"], dict(told[0]["headers"]), b"".join(one["body"] for one in told[1:])


def test_a_node_that_is_dead_and_reads_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passing, "LOOK_SECONDS", 0.05)

    async def asleep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.pause_reading()  # type: ignore[attr-defined] # as one that was stopped

    status, headers, _ = passed_on(asked("POST"), bytes(MOST_PASSED), asleep, lives=False)
    assert (status, headers[b"retry-after"]) == (503, b"1")


def test_the_head_of_an_answer_is_passed_back_alone() -> None:
    async def only_head(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HEAD ")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n")
        await writer.drain()

    assert passed_on(asked("HEAD"), b"", only_head) == (200, {b"content-length": b"5"}, b"")


def test_too_much_is_refused_for_good() -> None:
    async def nobody(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise AssertionError

    status, headers, _ = passed_on(asked("POST"), bytes(MOST_PASSED + 1), nobody)
    assert (status, b"retry-after" in headers) == (413, False)


@pytest.mark.parametrize(
    "said", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-le", b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n"]
)
def test_a_node_that_answers_nonsense_is_away(said: bytes) -> None:
    async def babbles(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(said)
        writer.close()

    assert passed_on(asked(), b"", babbles)[0] == 503
