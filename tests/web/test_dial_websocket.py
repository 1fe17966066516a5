"""Engines that dial in over a WebSocket: the same words, tokens and bounds as over a stream, and what only it could do wrong."""

import asyncio
import base64
import json
import os
import re
import select
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, closing, suppress
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from arbitre.site.accounts import Account
from arbitre.web import wire
from tests.web.dialer import Dialler, Question, house_of, reply
from tests.web.site import Running, quiet, running
from tests.web.test_dial import Programs
from tests.web.test_dial_programs import wait_for

NUMBERS = count(1)
ROOT = Path(__file__).parents[2]
Socket = aiohttp.ClientWebSocketResponse


def on(course: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(course, 60))


@pytest.fixture
def owner(open_site: Running) -> Account:
    return house_of(open_site).community.accounts.create(f"socketer{next(NUMBERS)}", "correct horse battery")


@pytest.fixture
def dialler(open_site: Running, owner: Account) -> Dialler:
    return Dialler(open_site, owner, name=f"Socket{next(NUMBERS)}")


@pytest.fixture
def programs(open_site: Running, owner: Account) -> Programs:
    return Programs(open_site, owner)


@asynccontextmanager
async def opened(dialler: Dialler, query: str = "", path: str = "", token: str = "", **more: Any) -> AsyncIterator[Socket]:
    address = f"{dialler.site.url}{path or f'/api/engines/{dialler.engine.id}/questions'}?{query}"
    headers = {"Authorization": f"Bearer {token or dialler.token}"} | more.pop("headers", {})
    async with aiohttp.ClientSession() as session, session.ws_connect(address, headers=headers, **more) as line:
        yield line


async def said(line: Socket) -> dict[str, Any]:
    """Return what comes next that is no beat."""
    while not (text := await line.receive_str()):
        pass
    found: dict[str, Any] = json.loads(text)
    return found


async def question(line: Socket) -> Question:
    found = await said(line)
    assert "what" in found, found
    return found


async def answer(line: Socket, id_: str, text: str) -> tuple[int, str]:
    """Answer a question, and return what became of it; questions that come meanwhile are not the test's affair."""
    await line.send_json({"id": id_, "said": text})
    while "status" not in (found := await said(line)):
        pass
    assert found["id"] == id_
    return found["status"], found.get("code", "")


async def called(programs: Programs, *engines: int) -> str:
    return await asyncio.to_thread(programs.call, *engines)


def test_a_match_over_a_websocket(dialler: Dialler, programs: Programs) -> None:
    async def course() -> None:
        async with opened(dialler) as line:
            assert await line.receive_str() == ""  # a beat, at once
            await called(programs, dialler.engine.id)
            told = [await said(line)]
            while told[-1].get("what") != "end":
                if told[-1].get("answers"):
                    await line.send_json({"id": told[-1]["id"], "said": reply(told[-1])})
                told.append(await said(line))
            asked = [one for one in told if "what" in one]
            receipts = [one for one in told if "status" in one]
            assert [one["what"] for one in asked[:2]] == ["hello", "ask"]
            assert [(one["id"], one["status"]) for one in receipts] == [(one["id"], 200) for one in asked if one["answers"]]

    on(course())


def test_the_same_question_comes_again_under_the_same_id_and_counts_once(dialler: Dialler, programs: Programs) -> None:
    async def course() -> None:
        async with opened(dialler, "listener=a") as line:
            await called(programs, dialler.engine.id)
            hello = await question(line)
        async with opened(dialler, "listener=a") as line:
            again = await question(line)
            assert (again["id"], again["text"]) == (hello["id"], hello["text"])
            assert await answer(line, again["id"], reply(again)) == (200, "")
            assert await answer(line, again["id"], reply(again)) == (200, "")
            assert await answer(line, again["id"], "hello 2 Another") == (409, "stage")
            assert (await answer(line, "0" * 32, "move 1"))[0] == 410
        with dialler.line("listener=a") as stream:  # and over a stream it goes on
            asked = stream.next()
            assert (asked["what"], dialler.answer(asked).status) == ("ask", 200)

    on(course())


def test_nobody_answers_for_another_engine_over_it(
    dialler: Dialler, programs: Programs, open_site: Running, owner: Account
) -> None:
    other = Dialler(open_site, owner, name=f"Thief{next(NUMBERS)}")

    async def course() -> None:
        async with opened(dialler) as line, opened(other) as thief:
            await called(programs, dialler.engine.id, other.engine.id)
            asked = await question(line)
            assert await answer(thief, asked["id"], reply(asked)) == (403, "forbidden")
            assert (await answer(line, asked["id"], reply(asked)))[0] == 200

    on(course())


REFUSED = [
    ("none", {"headers": {"Authorization": ""}}, 401),
    ("cookies alone", {"headers": {"Authorization": "", "Cookie": "arbitre_session=abc", "Origin": "https://evil.example"}}, 403),
    ("another's", {"token": "arbe_" + "x" * 32}, 401),
    ("another's page", {"headers": {"Origin": "https://evil.example"}}, 403),
    ("a page without origin", {"headers": {"Origin": "null"}}, 403),
    ("another name", {"path": "/api/engines/nobody/questions"}, 403),
    ("another door", {"path": "/api/me"}, 404),
    ("a page", {"path": "/"}, 404),
    ("a listener without end", {"query": "listener=" + "x" * 65}, 400),
]


@pytest.mark.parametrize(("how", "status"), [(how, status) for _, how, status in REFUSED], ids=[one for one, _, _ in REFUSED])
def test_a_handshake_is_refused_as_a_request_would_be(dialler: Dialler, how: dict[str, Any], status: int) -> None:
    async def course() -> None:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            async with opened(dialler, **how):
                pass
        assert refused.value.status == status

    on(course())


def test_a_session_opens_no_websocket_wherever_the_page_is_from(dialler: Dialler, open_site: Running) -> None:
    client = open_site.client()
    client.post("/login", {"name": dialler.owner.name, "password": "correct horse battery"}, page="/login")
    cookies = "; ".join(f"{name}={text}" for name, text in client.cookies.items())
    assert "arbitre_session" in cookies

    async def course() -> None:
        for origin, status in ((open_site.settings.origin, 401), ("https://evil.example", 403)):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                async with opened(dialler, headers={"Authorization": "", "Cookie": cookies, "Origin": origin}):
                    pass
            assert refused.value.status == status

    on(course())


def test_our_own_pages_may_come_with_a_token(dialler: Dialler, open_site: Running) -> None:
    async def course() -> None:
        async with opened(dialler, headers={"Origin": open_site.settings.origin}) as line:
            assert await line.receive_str() == ""

    on(course())


def test_a_token_that_ends_ends_its_websocket(dialler: Dialler, programs: Programs) -> None:
    async def course() -> None:
        async with opened(dialler) as line:
            await line.receive_str()
            gone = await asyncio.to_thread(programs.ask, "DELETE", f"/api/engines/{dialler.engine.id}/token")
            assert json.loads(gone.text)["present"] is False
            assert (await line.receive()).type is aiohttp.WSMsgType.CLOSE
            assert line.close_code == 1001
        with pytest.raises(aiohttp.WSServerHandshakeError):
            async with opened(dialler):
                pass

    on(course())


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "7", '{"id": 7}', '{"id": "x", "more": 1}', "[" * 100_000, "\ud83d"])
def test_what_is_no_answer_is_told_and_the_line_stays(dialler: Dialler, text: str) -> None:
    async def course() -> None:
        async with opened(dialler) as line:
            await line.send_str(text.encode("utf-8", "replace").decode())
            found = await said(line)
            assert (found["status"], bool(found["error"])) == (400, True)
            assert (await answer(line, "0" * 32, "move 1"))[0] == 410

    on(course())


def test_a_message_is_bounded_and_is_text(dialler: Dialler) -> None:
    async def course() -> None:
        for text, octets, code in (("x" * (wire.MOST_MESSAGE + 1), b"", 1009), ("", b'{"id": "x"}', 1003)):
            async with opened(dialler) as line:
                await (line.send_str(text) if text else line.send_bytes(octets))
                async for _ in line:
                    pass
                assert line.close_code == code

    on(course())


def handshake(dialler: Dialler, *, method: bytes = b"GET") -> bytes:
    path = f"/api/engines/{dialler.engine.id}/questions"
    key = base64.b64encode(b"x" * 16)
    lines = [method + b" " + path.encode() + b" HTTP/1.1", b"Host: x", b"Upgrade: websocket", b"Connection: Upgrade"]
    lines += [b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Key: " + key, b"Authorization: Bearer " + dialler.token.encode()]
    return b"\r\n".join([*lines, b"", b""])


@pytest.mark.parametrize(
    "octets",
    [b"\xff" * 64, b"\x81\x05hello", b"\x83\x80abcd", b"\x81\xfd" + b"abcd" + b"\xff" * 125, b"GET / HTTP/1.1\r\n\r\n"],
    ids=["no frames", "not masked", "an unknown kind", "not UTF-8", "a request"],
)
def test_frames_of_no_protocol_end_the_line(dialler: Dialler, open_site: Running, octets: bytes) -> None:
    with closing(socket.create_connection(("127.0.0.1", open_site.port), timeout=20)) as line:
        line.sendall(handshake(dialler))
        assert line.recv(65_536).startswith(b"HTTP/1.1 101")
        line.sendall(octets)
        with suppress(ConnectionResetError):
            while line.recv(65_536):
                pass


def test_a_handshake_of_no_protocol_is_refused(dialler: Dialler, open_site: Running) -> None:
    for bad in (handshake(dialler, method=b"POST"), handshake(dialler).replace(b"Version: 13", b"Version: 12")):
        with closing(socket.create_connection(("127.0.0.1", open_site.port), timeout=20)) as line:
            line.sendall(bad)
            assert line.recv(65_536).split()[1] in (b"400", b"426")


def test_who_asks_for_signs_of_life_and_reads_none_is_not_read(dialler: Dialler, open_site: Running) -> None:
    """Each ping is answered; the answers that are not read would fill the site's memory."""
    pings = b"\x89\xfdabcd" + b"x" * 125
    with closing(socket.create_connection(("127.0.0.1", open_site.port), timeout=20)) as line:
        line.sendall(handshake(dialler))
        assert line.recv(12) == b"HTTP/1.1 101"
        line.setblocking(False)
        sent, room = 0, 64 << 20
        while sent < room and select.select([], [line], [], 0.5)[1]:
            sent += line.send(pings * 500)
    assert sent < room, "everything was taken, and its answers are kept"


@pytest.fixture(scope="module")
def brisk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return a site that waits for nobody, and lets nobody hurry."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "SIGN_SECONDS", 0.3)
        patch.setattr(wire, "HEAD_SECONDS", 0.3)
        with running(quiet(tmp_path_factory.mktemp("brisk"), pace=60)) as site:
            house_of(site).arena.dialing.beat = 0.2
            yield site


@pytest.fixture
def hurried(brisk: Running) -> Dialler:
    owner = house_of(brisk).community.accounts.create(f"hurried{next(NUMBERS)}", "correct horse battery")
    return Dialler(brisk, owner, name=f"Hurried{next(NUMBERS)}")


def test_who_gives_no_sign_of_life_is_found_and_its_match_goes_on(hurried: Dialler) -> None:
    dialler, programs = hurried, Programs(hurried.site, hurried.owner)

    async def course() -> None:
        async with opened(dialler, "listener=lost", autoping=False) as lost:
            await called(programs, dialler.engine.id)
            hello = await question(lost)
            assert (await answer(lost, hello["id"], reply(hello)))[0] == 200
            asked = await question(lost)
            async with opened(dialler, "listener=other") as other:
                again = await question(other)
                assert (again["id"], again["match"]) == (asked["id"], asked["match"])
                assert (await answer(other, again["id"], reply(again)))[0] == 200
                for _ in range(5):  # longer than the head of a request may take, and asked for signs of life
                    assert await other.receive_str() is not None

    on(course())


def test_who_answers_too_fast_waits(hurried: Dialler) -> None:
    async def course() -> None:
        async with opened(hurried) as line:
            for _ in range(40):
                await line.send_json({"id": "0" * 32, "said": "move 1"})
            seen = set[int]()
            while seen != {410, 429}:
                found = await said(line)
                seen.add(found["status"])

    on(course())


def test_the_program_of_the_manual_plays(dialler: Dialler, programs: Programs) -> None:
    text = (ROOT / "docs/dial-in.md").read_text(encoding="utf-8")
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert program is not None
    environment = os.environ | {"SITE": dialler.site.url, "ARBITRE_ENGINE_TOKEN": dialler.token}
    process = subprocess.Popen([sys.executable, "-c", program[1]], env=environment)
    try:
        wait_for(lambda: house_of(dialler.site).arena.dialing.present(dialler.engine.id) or process.poll() is not None)
        name = programs.call(dialler.engine.id)
        wait_for(lambda: programs.state(name) == "over" or process.poll() is not None)
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait()
