"""Keeps the house from calling where a stranger's address must not lead it (spec: tournoyons, section 9).

Users type in addresses that we call: without a guard, a neighbour's printer, a metadata service, or our own database. What counts
is not what an address looks like but where the socket would go. So there are two gates: `check_url` refuses early and in words
what can be seen in an address, and `socket_for` refuses the socket itself, made for the very address that is connected to. No
spelling (octal, one number, a name that resolves to something else the second time) passes between them.
"""

import socket
from collections.abc import Iterable, Iterator
from errno import EACCES
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, TypeAlias

from yarl import URL

from arbitre.errors import ForbiddenAddressError, shorten
from arbitre.reasons import declare

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
"""Where the last four octets are an IPv4 address that a gateway calls for us."""

INSIDE: tuple[Network, ...] = (
    IPv4Network("192.0.0.0/24"),
    IPv4Network("192.88.99.0/24"),
    IPv4Network("168.63.129.16/32"),
    IPv6Network("3fff::/20"),
    IPv6Network("fec0::/10"),
)
"""What lies inside somebody's network though a library may take it for global: protocol assignments, the relays of 6to4, the
host of a virtual machine in one cloud, documentation, and the old site-local range."""

LOOPBACK: tuple[Network, ...] = (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128"))


def read_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Return ranges written as CIDR or as single addresses; `ForbiddenAddressError` says which is none."""
    found = []
    for text in texts:
        try:
            found.append(ip_network(text.strip(), strict=False))
        except ValueError:
            raise ForbiddenAddressError(
                "%(text)r is no range of addresses; write 10.0.0.0/8 or fd00::/8", text=shorten(text)
            ) from None
    return tuple(found)


def among(address: Address, networks: Iterable[Network]) -> bool:
    """Tell whether an address, or the IPv4 address within it, lies in one of the ranges."""
    return any(form in network for form in forms(address) for network in networks if form.version == network.version)


def forms(address: Address) -> Iterator[Address]:
    """Return the address as others along the way may understand it, the real one last."""
    if isinstance(address, IPv6Address):
        bare = IPv6Address(int(address))  # without a scope
        yield bare
        if bare.ipv4_mapped is not None:
            yield bare.ipv4_mapped
        elif bare.sixtofour is not None:
            yield bare.sixtofour
        elif bare.teredo is not None:
            yield from bare.teredo
        elif any(bare in network for network in NAT64) or 1 < int(bare) < 1 << 32:
            yield IPv4Address(int(bare) & 0xFFFFFFFF)
    else:
        yield address


REASONS = declare(
    {
        "no-plain-address": ("%(text)r is no plain address", "%(text)r n’est pas une adresse simple"),
        "not-public": (
            "%(address)s is not a public address; the operator has not allowed it",
            "%(address)s n’est pas une adresse publique ; l’exploitant ne l’a pas permise",
        ),
        "address-with-password": (
            "an address to call carries no user name and no password",
            "une adresse à appeler ne porte ni nom d’utilisateur ni mot de passe",
        ),
        "no-http-address": (
            "an address to call begins with http:// or https://, not %(url)r",
            "une adresse à appeler commence par http:// ou https://, et non %(url)r",
        ),
        "no-host": ("no host in %(url)r", "pas d’hôte dans %(url)r"),
    }
)


class Guard:
    """Lets calls go to global addresses, and to the ranges that the operator listed."""

    def __init__(self, allowed: Iterable[Network] = ()) -> None:
        self.allowed = tuple(allowed)

    def withdraw(self, networks: Iterable[Network]) -> None:
        """Let no more calls go to ranges that were allowed."""
        gone = set(networks)
        self.allowed = tuple(one for one in self.allowed if one not in gone)

    def check(self, text: str) -> None:
        """Refuse an IP address that is not global, whichever way it is wrapped, unless its range is listed."""
        try:
            address = ip_address(text)
        except ValueError:
            raise ForbiddenAddressError("no-plain-address", text=shorten(text)) from None
        if among(address, self.allowed):
            return
        wrapped = isinstance(address, IPv6Address) and (address.ipv4_mapped is not None or address in NAT64[0])
        for form in tuple(forms(address))[int(wrapped) :]:  # of a mere wrapping, only what is wrapped counts
            if not form.is_global or form.is_multicast or form.is_reserved or among(form, INSIDE):
                raise ForbiddenAddressError("not-public", address=text)

    def check_url(self, url: URL) -> None:
        """Refuse what can be seen in an address; the socket is checked again when there is one."""
        check_form(url)
        if url.user is not None or url.password is not None:
            raise ForbiddenAddressError("address-with-password")
        host = (url.raw_host or "").replace("%25", "%")
        try:
            ip_address(host)
        except ValueError:
            return  # a name, or something that pretends to be one: the socket tells
        self.check(host)

    def socket_for(self, info: tuple[Any, ...]) -> socket.socket:
        """Return a socket for an address that was looked up, if it may be called: what is checked is what is connected.

        A refusal is an `OSError` here: whoever makes connections then tries the next address, and reports it as a failed one.
        """
        family, kind, protocol, _, sockaddr = info
        try:
            self.check(str(sockaddr[0]))
        except ForbiddenAddressError as error:
            raise PermissionError(EACCES, str(error)) from None
        return socket.socket(family, kind, protocol)


def read_url(text: str, *, encoded: bool = False) -> URL:
    """Return an address as it is written; `ValueError` for whatever is none."""
    try:
        return URL(text, encoded=encoded)
    except IndexError:  # what the parser makes of brackets that stand before an @ and nothing behind it
        raise ValueError("the brackets are not those of a host") from None


def check_form(url: URL) -> None:
    """Refuse what is no http address at all: this holds for everybody."""
    if url.scheme not in ("http", "https"):
        raise ForbiddenAddressError("no-http-address", url=shorten(str(url), 40))
    if not url.raw_host:
        raise ForbiddenAddressError("no-host", url=shorten(str(url), 60))
