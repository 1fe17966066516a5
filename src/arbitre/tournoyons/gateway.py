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
from arbitre.reasons import Reason, declare
from arbitre.tournoyons.wire import LONGEST_VALUE, read_query
from arbitre.transport.guard import Network
from arbitre.values import value

SCHEME = "gateway:"
SIGNATURE = "Arbitre-Signature"
FRESH_SECONDS = 60
"""A gateway refuses a signature that is older, or that far ahead."""

FORM = re.compile(r"gateway:(?:(\d{1,9})/)?([A-Za-z0-9][A-Za-z0-9._-]{0,63})")

REFUSALS = {
    401: "gateway-refuses-key",
    403: "gateway-refuses-key",
    404: "gateway-knows-none",
    408: "gateway-waited",
    504: "gateway-waited",
}
"""What a gateway means by a status."""

REASONS = declare(
    {
        "gateway-refuses-key": (
            "the gateway refuses our key: %(ident)r, status %(status)s, %(body)r",
            "la passerelle refuse notre clé : %(ident)r, statut %(status)s, %(body)r",
        ),
        "gateway-knows-none": (
            "the gateway knows no such engine: %(ident)r, status %(status)s, %(body)r",
            "la passerelle ne connaît pas de tel moteur : %(ident)r, statut %(status)s, %(body)r",
        ),
        "gateway-waited": (
            "the gateway says that the engine took too long: %(ident)r, status %(status)s, %(body)r",
            "la passerelle dit que le moteur a été trop long : %(ident)r, statut %(status)s, %(body)r",
        ),
        "gateway-no-move": (
            "the gateway answered no move: %(ident)r, status %(status)s, %(body)r",
            "la passerelle n’a répondu aucun coup : %(ident)r, statut %(status)s, %(body)r",
        ),
        "gateway-says": ("the gateway says of %(ident)r: %(text)s", "la passerelle dit de %(ident)r : %(text)s"),
        "gateway-no-json": (
            'the gateway answered no JSON object like {"Value": "…"}: %(body)r',
            'la passerelle n’a pas répondu par un objet JSON comme {"Value": "…"} : %(body)r',
        ),
        "gateway-ended": (
            "the class of this engine has ended, and its gateway with it",
            "la classe de ce moteur a pris fin, et sa passerelle avec elle",
        ),
        "gateway-of-others": (
            "the owner of this engine is not in the class whose gateway it names",
            "le propriétaire de ce moteur n’est pas dans la classe dont il nomme la passerelle",
        ),
        "gateway-gone": (
            "the class of this engine has no gateway now",
            "la classe de ce moteur n’a pas de passerelle en ce moment",
        ),
        "no-gateway": ("this engine's school has no gateway", "l’école de ce moteur n’a pas de passerelle"),
    }
)


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
        raise ProtocolError(way.why or "no-gateway")
    fields = reversed(read_query(query).items())  # in the order in which they were written
    body = json.dumps({"Engine": ident, **dict(fields)}, separators=(",", ":")).encode()
    headers = {"Content-Type": "application/json", SIGNATURE: sign(way.gateway.key, at, body)}
    return Letter(way.gateway.url, body, headers)


def read_reply(called: str, status: int, body: str, whole: bool) -> str:
    """Return the `Value` that a gateway answered; `ProtocolError` and `GatewayError` say what it answered instead."""
    ident = called.partition("?")[0].rpartition("/")[2].removeprefix(SCHEME)
    if status != 200:
        meant = REFUSALS.get(status, "gateway-no-move")
        raise ProtocolError(meant, ident=ident, status=status, body=shorten(body.strip(), 100))
    told: object = None
    try:
        told = json.loads(body) if whole else None
    except (ValueError, RecursionError):
        told = None
    said = told.get("Value") if isinstance(told, dict) else None
    if isinstance(said, str) or type(said) is int:
        return str(said).strip()[:LONGEST_VALUE]
    if isinstance(told, dict) and isinstance(told.get("Error"), str):
        raise ProtocolError("gateway-says", ident=ident, text=shorten(told["Error"], 200))
    raise GatewayError("gateway-no-json", body=shorten(body.strip(), 100))
