"""What a connection may cost before there is a request: heads without end, bodies without end, silence."""

import logging
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest
from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.http.h11_impl import H11Protocol

from arbitre.web import wire
from arbitre.web.logs import Plain
from tests.web.site import Running, quiet, running


@pytest.fixture(scope="module", params=[AutoHTTPProtocol, H11Protocol], ids=["usual parser", "plain parser"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "AutoHTTPProtocol", request.param)
        with running(quiet(tmp_path_factory.mktemp("wire"))) as found:
            yield found


def call(site: Running, *parts: bytes) -> bytes:
    """Send parts until the other side has enough, and return what it answers before it closes; empty where it just closes."""
    with closing(socket.create_connection(("127.0.0.1", site.port), timeout=20)) as line:
        answer = b""
        try:
            for part in parts:
                line.sendall(part)
            while octets := line.recv(65_536):
                answer += octets
        except ConnectionError:
            pass
        return answer


GET = b"GET /health HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /language HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"


@pytest.mark.parametrize(
    "endless",
    [b"X: " + b"a" * 500_000, b"x: y\r\n" * 80_000, b"GET /" + b"x" * 200_000],
    ids=["one header", "many", "address"],
)
def test_a_head_is_bounded(site: Running, endless: bytes) -> None:
    answer = call(site, b"" if endless.startswith(b"GET") else GET, *[endless] * 40)
    assert answer[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 400", b""), answer[:80]
    assert call(site, GET, b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 200"), "others are served"


def test_the_head_of_a_second_request_is_bounded_too(site: Running) -> None:
    answer = call(site, GET + b"\r\n", *[b"X: " + b"a" * 500_000] * 40)
    assert answer.count(b"HTTP/1.1 200") <= 1
    refused = POST + b"Content-Length: 3\r\n\r\na=b"
    answer = call(site, refused, *[b"X: " + b"a" * 500_000] * 80)
    assert answer.count(b"HTTP/1.1 ") <= 2


@pytest.mark.parametrize("said", [b"", b"G", GET, GET + b"X: "], ids=["nothing", "a letter", "half a head", "half a header"])
def test_nobody_is_waited_for_without_end(site: Running, said: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "HEAD_SECONDS", 0.2)
    assert call(site, said).startswith(b"HTTP/1.1 408")


def test_a_body_is_not_waited_for_without_end(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "BODY_SECONDS", 0.2)
    answer = call(site, POST + b"Content-Length: 100\r\n\r\na=b")
    assert b" 200 " not in answer[:20]


def test_a_body_that_comes_slowly_is_heard(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "HEAD_SECONDS", 0.1)
    with closing(socket.create_connection(("127.0.0.1", site.port), timeout=20)) as line:
        line.sendall(POST + b"Connection: close\r\nContent-Length: 6\r\n\r\na=b")
        line.settimeout(0.5)
        with pytest.raises(TimeoutError):
            line.recv(1)
        line.settimeout(20)
        line.sendall(b"&c=")
        assert line.recv(65_536).startswith(b"HTTP/1.1 403")


def test_one_household_holds_so_many_silent_lines(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MOST_SILENT", 5)
    lines = [socket.create_connection(("127.0.0.1", site.port), timeout=20)]
    lines[0].sendall(GET)
    assert call(site, GET, b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 200")  # what came before it was read by now
    lines += [socket.create_connection(("127.0.0.1", site.port), timeout=20) for _ in range(4)]
    try:
        assert call(site, GET, b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 200"), "one more is let in at once"
        assert lines[1].recv(65_536) == b"", "for the one who has waited longest without a word"
        lines[0].sendall(b"\r\n")
        assert lines[0].recv(65_536).startswith(b"HTTP/1.1 200"), "who speaks is not the one"
        for line in lines[2:]:
            line.sendall(GET + b"\r\n")
            assert line.recv(65_536).startswith(b"HTTP/1.1 200"), "nor who came later"
    finally:
        for line in lines:
            line.close()


def test_a_school_gets_in_past_a_crowd_of_silent_lines(site: Running) -> None:
    crowd = [socket.create_connection(("127.0.0.1", site.port), timeout=20) for _ in range(wire.MOST_SILENT + 44)]
    try:
        for _ in range(30):
            assert call(site, GET, b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 200")
        assert crowd[0].recv(1) == b"", "there are never more than so many"
    finally:
        for line in crowd:
            line.close()


def test_proxies_have_any_number(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MOST_SILENT", 0)
    with running(quiet(tmp_path_factory.mktemp("proxy"), trusted_proxy=("127.0.0.1",))) as site:
        assert call(site, GET, b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 200")


def test_a_line_of_the_log_is_one_line() -> None:
    record = logging.LogRecord("arbitre.access", logging.INFO, "", 0, "%s %s", ("GET", "/x\nFAKE \x1b[31m\u2028"), None)
    assert Plain("%(name)s %(message)s").format(record) == r"arbitre.access GET /x\nFAKE \x1b[31m\u2028"
