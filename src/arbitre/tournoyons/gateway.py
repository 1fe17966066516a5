"""How an engine is reached beyond the public web: a class's own ranges, a school's gateway (spec: tournoyons, sections 7 and 9).

A gateway is one synchronous address for many engines of a school. An engine behind it has the address `gateway:CLASS/IDENT`. What
another engine would read in the query goes to the gateway as one JSON object, with `Engine` beside it, by POST; the answer is a
JSON object with the `Value`. The key of the class never travels: it signs the time and the body of every call, so nobody on the
way can ask in our name, and what was overheard is worth nothing a minute later.
"""

import hmac
import json
import re
from hashlib import sha256
from typing import NamedTuple

from arbitre.errors import GatewayError, ProtocolError, shorten
from arbitre.reasons import Reason
from arbitre.tournoyons.wire import LONGEST_VALUE, read_query
from arbitre.transport.guard import Network
from arbitre.values import value

SCHEME = "gateway:"
SIGNATURE = "Arbitre-Signature"
FRESH_SECONDS = 60
"""A gateway refuses a signature that is older, or that far ahead."""

FORM = re.compile(r"gateway:(?:(\d{1,9})/)?([A-Za-z0-9][A-Za-z0-9._-]{0,63})")

REFUSALS = {
    401: Reason("refuses our key"),
    403: Reason("refuses our key"),
    404: Reason("knows no such engine"),
    408: Reason("says that the engine took too long"),
    504: Reason("says that the engine took too long"),
}
"""What a gateway means by a status."""


@value
class Gateway:
    """Where a school's gateway is, and what signs the calls to it."""

    url: str
    key: str


@value
class Way:
    """How one engine may be called: which ranges beyond the public ones, through which gateway."""

    networks: tuple[Network, ...] = ()
    gateway: Gateway | None = None
    why: Reason | None = None
    """Why there is no gateway for an engine that needs one."""


PUBLIC = Way()
"""The way to engines of people who are in no class: the public web, and what the operator listed for everybody."""


class Letter(NamedTuple):
    """One call to a gateway, ready to be sent."""

    url: str
    body: bytes
    headers: dict[str, str]


def is_gateway(address: str) -> bool:
    """Tell whether an address is that of an engine behind a gateway."""
    return address.startswith(SCHEME)


def read_address(address: str) -> tuple[int | None, str]:
    """Return the class and the identifier of `gateway:CLASS/IDENT`, None for a class that is not said; `ProtocolError`."""
    found = FORM.fullmatch(address)
    if found is None:
        raise ProtocolError(
            "an engine behind a gateway is gateway:IDENT, 1 to 64 letters, digits and '._-', not %(address)r",
            address=shorten(address, 60),
        )
    return int(found[1]) if found[1] else None, found[2]


def sign(key: str, at: int, body: bytes) -> str:
    """Return the signature of a call: its time, and HMAC-SHA256 of time, a full stop and body."""
    return f"t={at},v1={hmac.new(key.encode(), b'%d.' % at + body, sha256).hexdigest()}"


def write_letter(called: str, way: Way, at: int) -> Letter:
    """Return the call that asks what an address with a query asks, at the gateway; `ProtocolError` where there is none."""
    address, _, query = called.partition("?")
    _, ident = read_address(address)
    if way.gateway is None:
        raise ProtocolError(way.why or Reason("this engine's school has no gateway"))
    fields = reversed(read_query(query).items())  # in the order in which they were written
    body = json.dumps({"Engine": ident, **dict(fields)}, separators=(",", ":")).encode()
    headers = {"Content-Type": "application/json", SIGNATURE: sign(way.gateway.key, at, body)}
    return Letter(way.gateway.url, body, headers)


def read_reply(called: str, status: int, body: str, whole: bool) -> str:
    """Return the `Value` that a gateway answered; `ProtocolError` and `GatewayError` say what it answered instead."""
    ident = called.partition("?")[0].rpartition("/")[2].removeprefix(SCHEME)
    if status != 200:
        meant = REFUSALS.get(status, Reason("answered no move"))
        raise ProtocolError(
            "the gateway %(meant)s: %(ident)r, status %(status)s, %(body)r",
            meant=meant,
            ident=ident,
            status=status,
            body=shorten(body.strip(), 100),
        )
    told: object = None
    try:
        told = json.loads(body) if whole else None
    except (ValueError, RecursionError):
        told = None
    said = told.get("Value") if isinstance(told, dict) else None
    if isinstance(said, str) or type(said) is int:
        return str(said).strip()[:LONGEST_VALUE]
    if isinstance(told, dict) and isinstance(told.get("Error"), str):
        raise ProtocolError("the gateway says of %(ident)r: %(told)s", ident=ident, told=shorten(told["Error"], 200))
    raise GatewayError('the gateway answered no JSON object like {"Value": "…"}: %(body)r', body=shorten(body.strip(), 100))
