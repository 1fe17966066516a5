"""Endpoints as people write them, and listening on both kinds of addresses."""

import socket

import pytest

from arbitre.errors import LeagueError
from arbitre.transport.sockets import Endpoint, listen, read_endpoint, where
from tests.reasons import raises


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("example.org", "example.org", 7777),
        ("example.org:99", "example.org", 99),
        ("192.0.2.1", "192.0.2.1", 7777),
        ("192.0.2.1:99", "192.0.2.1", 99),
        ("2001:db8::1", "2001:db8::1", 7777),
        ("[2001:db8::1]", "2001:db8::1", 7777),
        ("[2001:db8::1]:99", "2001:db8::1", 99),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.1", 7777),
        ("fe80::1%eth0", "fe80::1%eth0", 7777),
        ("::", "::", 7777),
    ],
)
def test_endpoints(text: str, host: str, port: int) -> None:
    read = read_endpoint(text, 7777)
    assert read == Endpoint(host, port)
    assert read_endpoint(str(read), 1) == read


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":99",
        "host:x",
        "host:0",
        "host:65536",
        "host:-1",
        "[::1]99",
        "[::1",
        "[]:99",
        "host:9999999999",
        "a:b:c",
        "host:99:99",
        "[host]:99",
        "[a:b]",
        "12345::1",
        "1:2:3:4:5:6:7:8:9",
        "::1::2",
    ],
)
def test_bad_endpoints(text: str) -> None:
    with raises(LeagueError, "is no address"):
        read_endpoint(text, 7777)


def test_everything_is_heard_on_one_socket() -> None:
    (one,) = listen("::", 0)
    port = one.getsockname()[1]
    for host in ("127.0.0.1", "127.0.0.7", "::1"):
        socket.create_connection((host, port)).close()
    assert where([one]) == f"[::]:{port}"
    with raises(LeagueError, "cannot listen"):
        listen("::", port)
    one.close()
