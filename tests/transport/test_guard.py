"""No spelling of an address, no redirect and no change of a name's mind leads a call where it must not go."""

import asyncio
import socket
from collections.abc import Sequence

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from arbitre.errors import ArbitreError, ForbiddenAddressError
from arbitre.tournoyons.player import Switchboard
from arbitre.transport.guard import LOOPBACK, Guard, read_networks
from arbitre.transport.http import Info
from tests.reasons import raises

PRIVATE = [
    "127.0.0.1", "127.8.9.10", "0.0.0.0", "10.1.2.3",  # noqa: S104
    "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1",
    "255.255.255.255", "240.0.0.1", "192.0.2.1", "198.18.0.1",
    "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "2001:db8::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a00:1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1",
    "64:ff9b:1::7f00:1", "2002:7f00:1::", "2002:a00:1::1", "2001:0:7f00:1::",
    "fec0::1", "3fff::1", "192.0.0.8", "192.88.99.1", "168.63.129.16", "::ffff:168.63.129.16", "64:ff9b::192.0.0.8",
]  # fmt: skip
GLOBAL = ["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"]


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_global_are_refused(address: str) -> None:
    with raises(ForbiddenAddressError, "not-public"):
        Guard().check(address)


@pytest.mark.parametrize("address", GLOBAL)
def test_global_addresses_pass(address: str) -> None:
    Guard().check(address)


def test_the_operator_lists_ranges() -> None:
    guard = Guard(read_networks(["10.0.0.0/8", "fd00::/8", "192.168.7.7"]))
    for address in ("10.9.8.7", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "fd00::1", "192.168.7.7"):
        guard.check(address)
    for address in ("192.168.7.8", "127.0.0.1", "fc00::1"):
        with pytest.raises(ForbiddenAddressError):
            guard.check(address)
    with raises(ForbiddenAddressError, "no range"):
        read_networks(["ten"])


@given(st.text(max_size=60))
def test_what_is_no_plain_address_is_refused(text: str) -> None:
    try:
        Guard().check(text)
    except ForbiddenAddressError:
        return
    socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text.partition("%")[0])


# ── calls ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class Names:
    """A name server of our own: gives each name its addresses in turn, and counts."""

    def __init__(self, **names: Sequence[str]) -> None:
        self.names = {name.replace("_", "."): list(given) for name, given in names.items()}
        self.asked = 0

    async def __call__(self, host: str, port: int) -> Sequence[Info]:
        self.asked += 1
        known = self.names.get(host.rstrip("."))
        if not known:
            raise OSError(f"no such name {host}")
        given = known.pop(0) if len(known) > 1 else known[0]
        return [(family_of(address), socket.SOCK_STREAM, 0, "", (address, port)) for address in given.split()]


def family_of(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


class Inside:
    """A service on loopback that must not be reached, and counts who reaches it."""

    host = "127.0.0.1"

    def __init__(self) -> None:
        self.reached = 0
        self.port = 0

    async def handle(self, _: web.BaseRequest) -> web.StreamResponse:
        self.reached += 1
        return web.Response(text="secret")

    async def fetch(self, url: str, guard: Guard | None, names: Names | None = None) -> str:
        runner = web.ServerRunner(web.Server(self.handle, access_log=None))
        await runner.setup()
        await web.TCPSite(runner, self.host, 0).start()
        self.port = runner.addresses[0][1]
        try:
            async with Switchboard(guard=guard, lookup=names) as board, asyncio.timeout(5):
                return (await board.fetch(url.replace("PORT", str(self.port)))).body
        finally:
            await runner.cleanup()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:PORT/", "http://127.1:PORT/", "http://2130706433:PORT/", "http://0x7f000001:PORT/", "http://0x7f.1:PORT/",
        "http://0177.0.0.1:PORT/", "http://017700000001:PORT/", "http://0:PORT/", "http://0.0.0.0:PORT/", "http://127.0.0.1.:PORT/",
        "http://localhost:PORT/", "http://localhost.:PORT/", "http://LOCALHOST:PORT/", "http://[::1]:PORT/", "http://[::]:PORT/",
        "http://[::ffff:127.0.0.1]:PORT/", "http://[::ffff:7f00:1]:PORT/", "http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/",
        "http://8.8.8.8@127.0.0.1:PORT/", "http://user:password@127.0.0.1:PORT/", "http://127.0.0.1:PORT#@8.8.8.8/",
        "http://①②⑦.⓪.⓪.①:PORT/", "http://127。0。0。1:PORT/", "http://%31%32%37.0.0.1:PORT/", "http://127.0.0.1\\@8.8.8.8:PORT/",
        "file:///etc/passwd", "ftp://127.0.0.1:PORT/", "http:///", "http://", "//127.0.0.1:PORT/", "gopher://127.0.0.1:PORT/",
    ],
)  # fmt: skip
def test_no_spelling_of_loopback_is_called(url: str) -> None:
    inside = Inside()
    with pytest.raises((ArbitreError, OSError)):
        asyncio.run(inside.fetch(url, Guard()))
    assert inside.reached == 0


def test_without_a_guard_loopback_is_called() -> None:
    assert asyncio.run(Inside().fetch("http://127.0.0.1:PORT/", None)) == "secret"
    assert asyncio.run(Inside().fetch("http://127.0.0.1:PORT/", Guard(LOOPBACK))) == "secret"


def test_a_name_is_judged_by_where_it_leads() -> None:
    inside = Inside()
    for address in ("127.0.0.1", "::ffff:127.0.0.1", "::1", "64:ff9b::7f00:1", "127.0.0.1 ::1 10.0.0.1", "::1 127.0.0.1"):
        with raises(ForbiddenAddressError, "not-public"):
            asyncio.run(inside.fetch("http://evil.example:PORT/", Guard(), Names(evil_example=[address])))
    assert inside.reached == 0
    assert asyncio.run(inside.fetch("http://ours.example:PORT/", Guard(LOOPBACK), Names(ours_example=["127.0.0.1"]))) == "secret"


def test_of_several_addresses_only_those_that_are_allowed_are_called() -> None:
    inside = Inside()
    inside.host = "127.0.0.5"
    names = Names(both_example=["127.0.0.1 127.0.0.5"])
    assert asyncio.run(inside.fetch("http://both.example:PORT/", Guard(read_networks(["127.0.0.5"])), names)) == "secret"


def test_a_name_that_changes_its_mind_is_judged_each_time() -> None:
    """The name is harmless when it is looked at and loopback when it is called: there is only one look."""
    inside = Inside()
    names = Names(evil_example=["127.0.0.2", "127.0.0.1"])
    guard = Guard(read_networks(["127.0.0.2"]))
    with pytest.raises((ArbitreError, OSError)):
        asyncio.run(inside.fetch("http://evil.example:PORT/", guard, names))
    assert names.asked == 1
    with pytest.raises((ArbitreError, OSError)):
        asyncio.run(inside.fetch("http://evil.example:PORT/", guard, names))
    assert (names.asked, inside.reached) == (2, 0)


@pytest.mark.parametrize(
    "to",
    ["http://127.0.0.1:PORT/", "http://inner.example:PORT/", "//127.0.0.1:PORT/", "http://[::1]:PORT/", "file:///etc/passwd"],
)
def test_redirects_are_judged_like_the_first_address(to: str) -> None:
    """The first server may be called, at a range that is listed; where it sends us may not."""

    class Outside(Inside):
        host = "127.0.0.3"

        async def handle(self, _: web.BaseRequest) -> web.StreamResponse:
            self.reached += 1
            return web.Response(status=302, headers={"Location": to.replace("PORT", str(self.port))})

    outside = Outside()
    with pytest.raises((ArbitreError, OSError)):
        asyncio.run(
            outside.fetch("http://127.0.0.3:PORT/", Guard(read_networks(["127.0.0.3"])), Names(inner_example=["127.0.0.1"]))
        )
    assert outside.reached == 1


def test_the_environment_has_no_say(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert asyncio.run(Inside().fetch("http://127.0.0.1:PORT/", None)) == "secret"
