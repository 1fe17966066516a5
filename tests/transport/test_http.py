"""Calls that go out: whatever the other end sends, in whatever pieces, comes to an answer or to one clear error."""

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.errors import ForbiddenAddressError, NotTakenError, ProtocolError
from arbitre.tournoyons.player import FAULTS, Switchboard
from arbitre.transport import http as module
from arbitre.transport.guard import Guard
from arbitre.transport.http import LONGEST_ADDRESS, MOST_BODY, MOST_HEAD, MOST_WIRE, HttpPool, Response, read_target
from tests.reasons import raises

Said = Callable[[int, bytes], list[bytes]]
"""What the other end says on its n-th connection to a request; the last piece b"" hangs up."""


class Other:
    """The other end, which says what a test wants and takes down what it was asked."""

    def __init__(self, said: Said) -> None:
        self.said = said
        self.connections = 0
        self.asked: list[bytes] = []
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        try:
            while request := await reader.readuntil(b"\r\n\r\n"):
                if b"Content-Length: " in request:
                    request += await reader.readexactly(int(request.partition(b"Content-Length: ")[2].partition(b"\r")[0]))
                self.asked.append(request)
                for piece in self.said(number, request):
                    if not piece:
                        return
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(0)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    @asynccontextmanager
    async def open(self, **more: object) -> AsyncIterator[str]:
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, **more)  # type: ignore[arg-type]
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield f"http://127.0.0.1:{self.port}/"
        finally:
            server.close()
            await server.wait_closed()


def call(*pieces: bytes) -> Response:
    """Return what comes of one call to somebody who says these pieces."""
    other = Other(lambda _, __: list(pieces))

    async def run() -> Response:
        async with asyncio.timeout(10), other.open() as url:
            lines = HttpPool()
            try:
                return await lines.get(url)
            finally:
                await lines.close()

    return asyncio.run(run())


GOOD = {
    "a length": (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nB2-C3", 200, "B2-C3"),
    "chunks": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nB2\r\n3;x=y\r\n-C3\r\n0\r\nTrailer: 1\r\n\r\n",
        200,
        "B2-C3",
    ),
    "until the end": (b"HTTP/1.0 200 OK\r\nServer: mine\r\n\r\nB2-C3", 200, "B2-C3"),
    "until the end in 1.1": (b"HTTP/1.1 200 OK\r\n\r\nB2-C3", 200, "B2-C3"),
    "lines without a CR": (b"HTTP/1.1 200 OK\nContent-Length: 5\n\nB2-C3", 200, "B2-C3"),
    "no reason": (b"HTTP/1.1 404\r\nContent-Length: 2\r\n\r\nno", 404, "no"),
    "a hint before": (b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n5", 200, "5"),
    "go on, twice": (b"HTTP/1.1 100 Continue\r\n\r\n" * 2 + b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n5", 200, "5"),
    "nothing at all": (b"HTTP/1.1 204 No Content\r\n\r\n", 204, ""),
    "not UTF-8": (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xe9!", 200, "é!"),
    "a mark of order": (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\xef\xbb\xbfA1", 200, "A1"),
    "a mark of order in UTF-16": (b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n\xff\xfeA\x001\x00", 200, "A1"),
    "a charset": (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=windows-1252\r\n\r\nA1\x80", 200, "A1€"),
    "a charset in quotes": (b'HTTP/1.1 200 OK\r\nContent-Type: text/plain;Charset="UTF-16BE"\r\n\r\n\x00A\x001', 200, "A1"),
    "a charset that is not so": (b"HTTP/1.1 200 OK\r\nContent-Type: x/y; charset=utf-8\r\n\r\nA1\xa0\r\n", 200, "A1\xa0\r\n"),
    "a charset that there is not": (b"HTTP/1.1 200 OK\r\nContent-Type: x/y; charset=iso-8859-12\r\n\r\n\xc3\xa9", 200, "é"),
    "a charset that is a trick": (b"HTTP/1.1 200 OK\r\nContent-Type: x/y; charset=zlib\r\n\r\nA1", 200, "A1"),
    "compressed though nobody asked": (
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x7f",
        200,
        "\x1f\x7f",
    ),
}


def test_every_octet_of_a_query_stays_what_it_was_in_a_redirect() -> None:
    response = call(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /b?Tray=d\xe9j\xc3\xa0%E9 \r\n\r\n", b"")
    assert response.location == "/b?Tray=d%E9j%C3%A0%E9"


@pytest.mark.parametrize("what", GOOD)
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_an_answer_is_read_however_it_is_cut_into_pieces(what: str, data: st.DataObject) -> None:
    octets, status, body = GOOD[what]
    cuts = sorted(data.draw(st.sets(st.integers(1, len(octets) - 1), max_size=12)))
    pieces = [octets[start:end] for start, end in zip([0, *cuts], [*cuts, len(octets)], strict=True)]
    response = call(*pieces, b"")
    assert (response.status, response.body, response.whole) == (status, body, True)


@pytest.mark.parametrize(
    ("octets", "why"),
    [
        (b"hello\r\n\r\n", "not-in-http"),
        (b"HTTP/1.1 OK\r\n\r\n", "not-in-http"),
        (b"\x16\x03\x01\x00\xa5", "not-in-http"),
        (b"HTTP/2 200\r\n\r\n", "not-in-http"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "not-in-http"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", "not-in-http"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "not-in-http"),
        (b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n", "other-protocol"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * MOST_HEAD, "long-headers"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 2 * MOST_HEAD, "long-headers"),
        (b"HTTP/1.1 " + b"2" * 2 * MOST_HEAD, "not-in-http"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000, "long-headers"),
    ],
)
def test_what_is_no_answer_has_a_name(octets: bytes, why: str) -> None:
    with raises(ProtocolError, why):
        call(octets, b"")


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        b"HTTP/1.1 200",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nB2",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nB2",
    ],
)
def test_whoever_hangs_up_in_the_middle_has_not_answered(octets: bytes) -> None:
    with pytest.raises(OSError, match=r"hung up|reset"):
        call(*[octets] if octets else [], b"")


@pytest.mark.parametrize("head", [b"Content-Length: 10000000\r\n", b"", b"Transfer-Encoding: chunked\r\n"])
def test_a_body_without_end_is_left(head: bytes) -> None:
    body = b"ffff\r\n" + b"x" * 65_535 + b"\r\n" if b"chunked" in head else b"x" * 65_536
    response = call(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n", *[body] * 100)
    assert (len(response.body), response.whole) == (MOST_BODY, False)


@given(octets=st.binary(max_size=300))
@settings(max_examples=60, deadline=None)
def test_whatever_is_said_comes_to_an_end(octets: bytes) -> None:
    for start in (b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"):
        try:
            assert call(start + octets, b"").status >= 0
        except (ProtocolError, OSError):
            continue


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("start", [b"1\r\n5\r\n0\r\nX: ", b"1\r\n5\r\n0\r\nX", b"1;", b"1;x=", b'1;x="'])
def test_what_stands_around_a_body_ends_too(start: bytes) -> None:
    with raises(ProtocolError, "long-answer", most=MOST_WIRE):
        call(CHUNKED + start, *[b"y" * 4096] * 100)


def test_trailers_end_too() -> None:
    with raises(ProtocolError, "long-answer", most=MOST_WIRE):
        call(CHUNKED + b"1\r\n5\r\n0\r\n", *[b"Y: y\r\n" * 512] * 100)


def test_chunks_of_one_octet_are_a_whole_body() -> None:
    assert call(CHUNKED + b"1\r\ny\r\n" * MOST_BODY + b"0\r\n\r\n").body == "y" * MOST_BODY


@pytest.mark.parametrize(
    "where", ["http://[v1.a]@", "http://[::1", "//[v1.a]@/", "http://x:99999/", "http://\xff\xfe/", "ftp://x/"]
)
def test_a_redirect_to_nowhere_is_one_of_the_faults_of_a_call(where: str) -> None:
    """Whatever else were raised would end the match, and not the engine's part in it."""
    octets = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + where.encode("latin-1") + b"\r\n\r\n"

    async def run() -> None:
        async with asyncio.timeout(10), Other(lambda _, __: [octets]).open() as url, Switchboard() as board:
            with pytest.raises(FAULTS):
                await board.fetch(url)

    asyncio.run(run())


# ── lines that are kept ────────────────────────────────────────────────────────────────────────────────────────────

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"


def several(said: Said, calls: int, *, hung_up: bool = False) -> tuple[Other, list[str]]:
    """Make calls in turn, maybe each after the line of the one before is hung up; return the other end and the bodies."""
    other = Other(said)

    async def run() -> list[str]:
        found = []
        async with asyncio.timeout(10), other.open() as url:
            lines = HttpPool()
            for _ in range(calls):
                found.append((await lines.get(url)).body)
                while hung_up and any(not line.closed for kept in lines._idle.values() for line in kept):
                    await asyncio.sleep(0)
            await lines.close()
        return found

    return other, asyncio.run(run())


def test_the_next_call_takes_the_same_line() -> None:
    other, bodies = several(lambda number, _: [OK + b"%d" % number], 5)
    assert (other.connections, bodies) == (1, ["1"] * 5)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n%d",
        b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n%d",
        OK + b"%d" + OK + b"X",
        OK + b"%dgarbage",
        OK + b"%d\x00",
    ],
)
def test_a_line_with_anything_behind_the_answer_is_not_used_again(answer: bytes) -> None:
    other, bodies = several(lambda number, _: [answer % number], 3)
    assert (other.connections, bodies) == (3, ["1", "2", "3"])


def test_what_comes_between_two_calls_is_nobody_s_answer() -> None:
    other, bodies = several(lambda number, _: [OK + b"%d" % number, OK + b"X"], 3, hung_up=True)
    assert (other.connections, bodies) == (3, ["1", "2", "3"])


def test_a_line_that_was_hung_up_meanwhile_costs_no_call() -> None:
    """Both when the end is seen before the next call and when it is seen after."""
    for hung_up in (False, True):
        other, bodies = several(lambda number, _: [OK + b"%d" % number, b""], 4, hung_up=hung_up)
        assert (other.connections, bodies) == (4, ["1", "2", "3", "4"])


def test_a_new_line_that_is_hung_up_is_not_tried_again() -> None:
    other = Other(lambda _, __: [b""])

    async def run() -> None:
        async with other.open() as url:
            with pytest.raises(OSError, match=r"hung up|reset"):
                await HttpPool().get(url)

    asyncio.run(run())
    assert (other.connections, len(other.asked)) == (1, 1)


def test_what_one_program_sends_too_late_is_not_the_answer_of_another_on_its_machine() -> None:
    """It is held back until somebody else's question is on the line."""
    late = iter([[OK + b"1"], [OK + b"X", OK + b"2"]])
    other = Other(lambda number, request: next(late) if number == 1 else [OK + (b"b" if b"/bob" in request else b"a")])

    async def run() -> list[str]:
        async with asyncio.timeout(10), other.open() as url:
            lines = HttpPool()
            found = [(await lines.get(url + path)).body for path in ("alice", "bob", "bob?x=1")]
            await lines.close()
            return found

    assert asyncio.run(run()) == ["1", "b", "b"]
    assert other.connections == 2


def test_so_many_lines_are_kept_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_IDLE", 2)
    other = Other(lambda number, _: [OK + b"%d" % number])

    async def run() -> list[str]:
        async with asyncio.timeout(10), other.open() as url:
            lines = HttpPool()
            found = [(await lines.get(url + path)).body for path in "abcabc"]
            await lines.close()
            return found

    assert asyncio.run(run()) == ["1", "2", "3", "1", "2", "4"]


def test_lines_that_nobody_uses_are_hung_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IDLE_SECONDS", 0.02)
    other, bodies = several(lambda number, _: [OK + b"%d" % number], 3, hung_up=True)
    assert (other.connections, bodies) == (3, ["1", "2", "3"])


def test_a_call_that_is_given_up_takes_its_line_along() -> None:
    """Else the answer to it would be read as that to the next."""
    other = Other(lambda number, request: [OK + b"%d" % number] if b"/quick" in request else [])

    async def run() -> list[str]:
        async with other.open() as url:
            lines = HttpPool()
            for _ in range(3):
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.02):
                        await lines.get(url)
            found = [(await lines.get(url + "quick")).body]
            await lines.close()
            return found

    assert asyncio.run(run()) == ["4"]


def test_a_call_that_is_given_up_in_the_moment_of_its_answer_leaves_no_line_open() -> None:
    other = Other(lambda _, __: [OK + b"5"])

    async def run() -> None:
        async with other.open() as url:
            lines = HttpPool()
            await lines.get(url)
            (line,) = next(iter(lines._idle.values()))
            heard = line.on_message_complete
            call: asyncio.Task[Response]

            def hear() -> None:
                heard()
                call.cancel()

            line.on_message_complete = hear  # type: ignore[method-assign]
            call = asyncio.ensure_future(lines.get(url))
            with pytest.raises(asyncio.CancelledError):
                await call
            assert line.closed
            assert not any(lines._idle.values())
            await lines.close()

    asyncio.run(run())


# ── what is sent ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("?Set=TicTacToe&Tray=000", b"GET /?Set=TicTacToe&Tray=000 HTTP/1.1"),
        ("a/b%20c?x=%C3%A9#part", b"GET /a/b%20c?x=%C3%A9 HTTP/1.1"),
        ("a b?c d", b"GET /a%20b?c%20d HTTP/1.1"),
        ("é?é", b"GET /%C3%A9?%C3%A9 HTTP/1.1"),
        ("?a=1\r\nEvil: yes\r\n\r\nGET /x HTTP/1.1", b"GET /?a=1%0D%0AEvil:%20yes%0D%0A%0D%0AGET%20/x%20HTTP/1.1 HTTP/1.1"),
    ],
)
def test_an_address_is_one_line_of_the_request(path: str, sent: bytes) -> None:
    other = Other(lambda _, __: [OK + b"5"])

    async def run() -> None:
        async with other.open() as url:
            lines = HttpPool()
            await lines.get(url + path)
            await lines.close()

    asyncio.run(run())
    first, *rest = other.asked[0].split(b"\r\n")
    assert first == sent
    assert rest[0] == b"Host: 127.0.0.1:%d" % other.port
    assert not [line for line in rest if line.startswith(b"Evil")]
    assert len(other.asked) == 1


def test_a_letter_is_posted() -> None:
    other = Other(lambda _, __: [OK + b"5"])

    async def run() -> None:
        async with other.open() as url:
            lines = HttpPool()
            await lines.post(url + "in?x", b"{}", {"X-Key": "abc"})
            with raises(ProtocolError, "header"):
                await lines.post(url, b"{}", {"X-Key": "abc\r\nEvil: yes"})
            await lines.close()

    asyncio.run(run())
    assert other.asked[0].startswith(b"POST /in?x HTTP/1.1\r\n")
    assert b"\r\nX-Key: abc\r\nContent-Length: 2\r\n\r\n{}" in other.asked[0]


@pytest.mark.parametrize(
    ("text", "host", "port", "secure"),
    [
        ("http://example.org", "example.org", 80, False),
        ("https://EXAMPLE.org./a", "example.org.", 443, True),
        ("http://[2001:db8::1]:8080/", "2001:db8::1", 8080, False),
        ("http://münchen.example/", "xn--mnchen-3ya.example", 80, False),
    ],
)
def test_where_an_address_leads(text: str, host: str, port: int, secure: bool) -> None:
    target = read_target(text)
    assert (target.host.lower(), target.port, target.secure) == (host, port, secure)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.org",
        "ftp://x/",
        "http://",
        "http://a b/",
        "http://x:port/",
        "http://" + "x" * 300,
        "http://[::1/",
        "http://x%00/",
        "http://[v1.a]@",
        "http://x/\ud800",
        "http://\ud800/",
        "http://\udfff@x/",
        "http://u:\ud800@x/",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ForbiddenAddressError):
        read_target(text)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/\ud800", "http://127.0.0.1:1/?Value=\ud800"])
def test_half_a_character_is_not_sent(url: str) -> None:
    async def call() -> None:
        lines = HttpPool()
        try:
            with pytest.raises(ForbiddenAddressError):
                await lines.get(url)
        finally:
            await lines.close()

    asyncio.run(call())


# ── the way there ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_long_address_is_refused_and_not_remembered() -> None:
    before = read_target.cache_info().currsize
    with raises(ForbiddenAddressError, "long-address", most=2048):
        read_target("http://example.org/" + "x" * LONGEST_ADDRESS)
    assert read_target.cache_info().currsize == before


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://no-such-name.invalid/"])
def test_where_nobody_is_nobody_takes_the_call(url: str) -> None:
    async def nowhere(_: str, __: int) -> list[module.Info]:
        raise OSError("no such name")

    with pytest.raises(NotTakenError):
        asyncio.run(HttpPool(lookup=nowhere).get(url))


def test_who_does_not_speak_tls_is_told_so() -> None:
    async def run() -> None:
        other = Other(lambda _, __: [])

        async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            writer.write(OK)
            writer.close()

        other.serve = plain  # type: ignore[method-assign]
        async with asyncio.timeout(20), other.open():
            await HttpPool().get(f"https://127.0.0.1:{other.port}/")

    with raises(NotTakenError, "no-tls"):
        asyncio.run(run())


def test_a_guard_refuses_before_there_is_a_socket() -> None:
    with raises(ForbiddenAddressError, "not-public"):
        asyncio.run(HttpPool(Guard()).get("http://localhost:1/"))


def test_a_certificate_must_be_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that nobody signed is refused; the same one passes where whoever runs the house trusts it."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the openssl command")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(certificate), "-days", "1"]
    subprocess.run([*made, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    other = Other(lambda _, __: [OK + b"5"])

    async def run() -> str:
        async with asyncio.timeout(20), other.open(ssl=context):
            lines = HttpPool()
            try:
                return (await lines.get(f"https://localhost:{other.port}/")).body
            finally:
                await lines.close()

    try:
        module._trusted.cache_clear()
        with raises(NotTakenError, "certificate-untrusted"):
            asyncio.run(run())
        module._trusted.cache_clear()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert asyncio.run(run()) == "5"
    finally:
        module._trusted.cache_clear()
