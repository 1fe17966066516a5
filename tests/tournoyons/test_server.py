"""The server of engines, asked by hand: what comes back on a bare connection."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from arbitre.bot import mind
from arbitre.games.anyone import Anyone
from arbitre.games.player import Position
from arbitre.tournoyons import callback
from arbitre.tournoyons.server import EngineServer

GOOD = "Set=TicTacToe&Game=TEST&Turn=1&Tray=Init&Referee=&Status=0"


def ask(*parts: bytes, thinks: Callable[[Position], str] | None = None) -> bytes:
    """Send parts to an engine that is opened for it, and return everything that is answered before it hangs up."""

    async def course() -> bytes:
        async with EngineServer(lambda _path, _set: lambda: thinks or mind(Anyone())) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            for part in parts:
                writer.write(part)
            async with asyncio.timeout(20):
                found = await reader.read()
            writer.close()
            return found

    return asyncio.run(course())


def get(query: str, *more: str, method: str = "GET") -> bytes:
    return "\r\n".join((f"{method} /x?{query} HTTP/1.1", "Host: x", *more, "", "")).encode()


LAST = "Connection: close"


def test_questions_on_one_line_are_answered_in_their_order() -> None:
    turns = [GOOD.replace("Turn=1", f"Turn={turn}") for turn in (1, 2, 1)]
    said = iter(("1", "2", "3"))
    answer = ask(get(turns[0]) + get(turns[1]), get(turns[2], LAST), thinks=lambda _: next(said))
    assert answer.count(b"HTTP/1.1 200 OK") == 3
    assert [part[:1] for part in answer.split(b"\r\n\r\n")[1:]] == [b"1", b"2", b"3"]


def test_an_engine_that_thinks_long_is_not_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callback, "CALLER_SECONDS", 0.05)
    looked, enough = threading.Event(), callback.Connection._look

    def look(self: callback.Connection) -> None:
        enough(self)
        looked.set()

    monkeypatch.setattr(callback.Connection, "_look", look)

    def think(_: Position) -> str:
        looked.wait(20)  # longer than somebody may keep us waiting
        return "5"

    assert ask(get(GOOD, LAST), thinks=think).endswith(b"\r\n\r\n5")


def test_an_engine_that_fails_says_so_and_is_asked_again(caplog: pytest.LogCaptureFixture) -> None:
    said = iter(("5",))

    def think(_: Position) -> str:
        if not caplog.records:
            raise ZeroDivisionError("a mistake of the bot")
        return next(said)

    answer = ask(get(GOOD), get(GOOD, LAST), thinks=think)
    assert answer.startswith(b"HTTP/1.1 500 ")
    assert answer.endswith(b"\r\n\r\n5")
    assert "a mistake of the bot" in caplog.text


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (get(GOOD, LAST), 200),
        (get(GOOD, LAST, method="POST"), 405),
        (get(GOOD, LAST, method="HEAD"), 405),
        (get("", LAST), 400),
        (b"hello\r\n\r\n", 400),
    ],
)
def test_what_is_answered(sent: bytes, status: int) -> None:
    assert ask(sent).startswith(f"HTTP/1.1 {status} ".encode())


def test_a_head_without_end_is_not_read() -> None:
    answer = b""
    with suppress(ConnectionError):  # whoever sends on when he has been told is cut off
        answer = ask(get(GOOD, *["X: " + "x" * 60_000] * 40))
    assert answer[:12] in (b"HTTP/1.1 413", b"HTTP/1.1 400", b"")


def test_a_referee_who_moved_is_called_where_he_is() -> None:
    called: list[str] = []

    async def referee(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = (await reader.readline()).decode()
        called.append(line.split()[1])
        moved = "HTTP/1.1 307 Moved\r\nLocation: /there?MoveId=7\r\nContent-Length: 0\r\n\r\n"
        writer.write((moved if len(called) == 1 else "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").encode())
        await writer.drain()
        writer.close()

    async def course() -> bytes:
        server = await asyncio.start_server(referee, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        query = GOOD.replace("Referee=", f"Referee=http%3A%2F%2F127.0.0.1%3A{port}%2Fhere") + "&MoveId=7"
        async with server, EngineServer(lambda _path, _set: lambda: mind(Anyone())) as engine:
            reader, writer = await asyncio.open_connection("127.0.0.1", engine.port)
            writer.write(get(query, LAST))
            found = await reader.read()
            writer.close()
        return found

    assert asyncio.run(course()).endswith(b"\r\n\r\nanswered")
    assert [one.partition("?")[0] for one in called] == ["/here", "/there"]
