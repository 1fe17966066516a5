"""The PROXY protocol, versions 1 and 2: a balancer of TCP says in a header for whom it speaks.

A header is read octet by octet as it comes and refused at the first octet that cannot be one; it is bounded in length. Who speaks
for nobody, which is how balancers ask whether somebody is there, is told apart by an empty address.
"""

from ipaddress import IPv4Address, IPv6Address, ip_address
from struct import Struct

from arbitre.errors import ProtocolError
from arbitre.values import value

FIRST = b"PROXY "
"""How version 1 begins."""
LONGEST_LINE = 107
"""Octets of its line, with what ends it."""
SECOND = b"\r\n\r\n\0\r\nQUIT\n"
"""How version 2 begins."""
HEAD = Struct(">12sBBH")
LONGEST_REST = 2_048
"""Octets behind its head: addresses, and what balancers say besides."""
LOCAL, SPEAKS = 0x20, 0x21
FAMILIES = {0x11: (IPv4Address, 4), 0x21: (IPv6Address, 16)}
"""TCP over IPv4 and over IPv6."""
VERSIONS = {"TCP4": 4, "TCP6": 6}


@value
class ProxyHeader:
    """For whom a balancer speaks, and how long its header is."""

    address: str
    """Empty: for nobody."""
    octets: int


def read_header(data: bytes) -> ProxyHeader | None:
    """Return the header with which something begins; None while it is not whole. `ProtocolError` where it cannot be one."""
    for start, read in ((FIRST, _first), (SECOND, _second)):
        if data[: len(start)] == start[: len(data)]:
            return read(data) if len(data) >= len(start) else None
    raise ProtocolError("a balancer that is to say for whom it speaks said something else")


def _first(data: bytes) -> ProxyHeader | None:
    line, ended, _ = data[:LONGEST_LINE].partition(b"\r\n")
    if not ended:
        if len(data) >= LONGEST_LINE:
            raise ProtocolError("the line of a balancer is longer than %(most)s octets", most=LONGEST_LINE)
        return None
    octets = len(line) + 2
    words = line.decode("latin-1").split(" ")
    if words[1] == "UNKNOWN":
        return ProxyHeader("", octets)
    if len(words) != 6 or words[1] not in VERSIONS or not all(map(_is_port, words[4:])):
        raise ProtocolError("the line of a balancer cannot be read")
    try:
        addresses = [ip_address(one) for one in words[2:4]]
    except ValueError:
        raise ProtocolError("the line of a balancer cannot be read") from None
    if any(one.version != VERSIONS[words[1]] for one in addresses):
        raise ProtocolError("the line of a balancer cannot be read")
    return ProxyHeader(str(addresses[0]), octets)


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 5 and int(text) < 65_536


def _second(data: bytes) -> ProxyHeader | None:
    if len(data) < HEAD.size:
        return None
    _, command, family, rest = HEAD.unpack(data[: HEAD.size])
    if command not in (LOCAL, SPEAKS) or rest > LONGEST_REST:
        raise ProtocolError("the header of a balancer cannot be read")
    if len(data) < HEAD.size + rest:
        return None
    if command == LOCAL:
        return ProxyHeader("", HEAD.size + rest)
    kind, size = FAMILIES.get(family, (None, 0))
    if kind is None or rest < 2 * size + 4:
        raise ProtocolError("the header of a balancer names no address of TCP")
    return ProxyHeader(str(kind(data[HEAD.size : HEAD.size + size])), HEAD.size + rest)
