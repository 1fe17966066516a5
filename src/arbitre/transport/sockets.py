"""Listening on both kinds of addresses, calling from one's own, and endpoints as people write them.

`HOST`, `HOST:PORT`, `[IPv6]:PORT`, bare IPv6.
"""

import asyncio
import contextlib
import os
import socket
from importlib.util import find_spec
from ipaddress import IPv6Address, ip_address

from arbitre.errors import LeagueError, shorten
from arbitre.reasons import Reason
from arbitre.values import value

BACKLOG = 4_096
USUAL_FILES = 8_192
"""What a process may open where the system does not say."""


MISSED = {"TCP_KEEPIDLE": 1, "TCP_KEEPALIVE": 1, "TCP_KEEPINTVL": 1, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 4_000}
"""How long it takes to miss somebody, as each system calls it: seconds, rounds, milliseconds."""


@value
class Endpoint:
    """Where somebody listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def read_endpoint(text: str, port: int) -> Endpoint:
    """Read a host with or without a port."""
    host, said = text, ""
    if text.startswith("["):
        host, closed, said = text[1:].partition("]")
        if not closed or (said and not said.startswith(":")):
            raise LeagueError("%(text)r is no address: write [2001:db8::1]:%(port)s", text=shorten(text), port=port)
        said = said.removeprefix(":")
    elif text.count(":") == 1:
        host, _, said = text.partition(":")
    # a bare address with colons, or one in brackets, is an IPv6 address or nothing
    if (
        not host
        or ((":" in host or text.startswith("[")) and not _is_six(host))
        or (said and not (said.isascii() and said.isdigit() and 0 < int(said[:6]) < 65_536))
    ):
        raise LeagueError(
            "%(text)r is no address: write a host, host:%(port)s or [2001:db8::1]:%(port2)s",
            text=shorten(text),
            port=port,
            port2=port,
        )
    return Endpoint(host, int(said) if said else port)


def _is_six(host: str) -> bool:
    try:
        IPv6Address(host)
    except ValueError:
        return False
    return True


def miss(line: socket.socket) -> None:
    """Break a connection within four seconds where the other's machine is not heard; one that sleeps on its machine is."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, number in MISSED.items():
        if (option := getattr(socket, name, None)) is not None:  # each system has its own few
            line.setsockopt(socket.IPPROTO_TCP, option, number)


def listen(host: str, port: int) -> list[socket.socket]:
    """Return sockets that listen on all addresses of a host; `::` is everything, IPv4 too. `LeagueError` when that fails."""
    try:
        if host in ("", "::", "*"):
            if socket.has_dualstack_ipv6():
                return [socket.create_server(("::", port), family=socket.AF_INET6, backlog=BACKLOG, dualstack_ipv6=True)]
            host = "0.0.0.0"  # noqa: S104 - asked for
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        return [
            socket.create_server(address, family=family, backlog=BACKLOG)
            for family, address in dict.fromkeys((family, address) for family, _, _, _, address in found)
        ]
    except (OSError, UnicodeError) as error:  # the latter for a name that cannot be one, such as a..b
        raise LeagueError("cannot listen on %(host)s: %(error)s", host=Endpoint(host, port), error=why_not(error)) from error


async def call(there: Endpoint, source: str, limit: int = 1 << 16) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a connection, from a numeric address of ours (empty: whichever); an address has one family, and so has the call."""
    if not source:
        return await asyncio.open_connection(there.host, there.port, limit=limit)
    ((family, kind, _, _, here), *_) = socket.getaddrinfo(source, 0, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    # not the loop's own way: uvloop's forgets the zone of a link-local address
    found = await asyncio.to_thread(socket.getaddrinfo, there.host, there.port, family, kind)
    problem = OSError("no such host")
    for *_, address in found:
        one = socket.socket(family, kind)
        try:
            one.setblocking(False)
            one.bind(here)
            await asyncio.get_running_loop().sock_connect(one, address)
            return await asyncio.open_connection(sock=one, limit=limit)
        except OSError as error:
            one.close()
            problem = error
        except BaseException:
            one.close()
            raise
    raise problem


def why_not(error: OSError | UnicodeError) -> Reason:
    """Say why a host cannot be reached or listened on."""
    if isinstance(error, UnicodeError):
        return Reason("no host has such a name")
    if error.errno is not None and (error.strerror or "").startswith("Connect call failed"):
        return Reason(os.strerror(error.errno))  # what asyncio says instead names the address alone
    return Reason((error.strerror or str(error)).partition(" (while attempting")[0])


def where(sockets: list[socket.socket]) -> str:
    """Say where sockets listen."""
    return ", ".join(str(Endpoint(*one.getsockname()[:2])) for one in sockets)


def family_of(address: str) -> socket.AddressFamily:
    """Return the family of a numeric address."""
    return socket.AF_INET6 if isinstance(ip_address(address.partition("%")[0]), IPv6Address) else socket.AF_INET


def plenty_of_files() -> int:
    """Let this process open as many sockets as it may; return how many that are."""
    if find_spec("resource") is None:  # not on every system
        return USUAL_FILES
    import resource  # noqa: PLC0415

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(hard, 65_536) if hard != resource.RLIM_INFINITY else 65_536
    if soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
