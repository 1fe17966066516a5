"""The gate: every request passes it before anything else, also those that lead nowhere (spec: tournoyons, section 9).

It finds out who calls, behind proxies that the operator trusts and no others (where none is trusted and one speaks all the same,
the house is told: not only this machine reaches the site); counts calls, and failed ones several times; bounds
the length of addresses; and gives every answer its headers: nothing but our own scripts runs, nobody frames our pages, only the
chosen interface is framed by them. The Host header is never read. Forms carry a token of the browser and session they were made
for; `form_guard` refuses the others.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from ipaddress import ip_address
from time import monotonic
from typing import Any, TypeAlias

from litestar.connection import ASGIConnection, Request
from litestar.exceptions import PermissionDeniedException
from litestar.handlers.base import BaseRouteHandler

from arbitre.tournoyons.callback import PREFIX
from arbitre.transport.guard import Network, among
from arbitre.transport.limits import Pace, household
from arbitre.web.forward import forwarded_for
from arbitre.web.logs import note
from arbitre.web.metrics import Tally
from arbitre.web.visit import (
    CHOICE_COOKIE,
    DEVICE_COOKIE,
    GUEST_COOKIE,
    LANGUAGE_COOKIE,
    SESSION_COOKIE,
    SIGNS_COOKIE,
    THEME_COOKIE,
    THEMES,
    Signer,
    Visit,
    read_cookies,
    read_guest,
)
from arbitre.words import LANGUAGES, preferred, words

Scope: TypeAlias = Any
Receive: TypeAlias = Any
Send: TypeAlias = Callable[[Any], Awaitable[None]]
Header: TypeAlias = tuple[bytes, bytes]

MOST_PATH = 2_048
MOST_QUERY = 16_384
MOST_BODY = 262_144
"""Octets of a form; handlers that take more say so (`request_max_body_size`)."""
MOST_OPEN = 2_000
"""Requests and streams that one visitor may hold open, though never more than a quarter of what this process may open."""
BUSY_SECONDS = 5.0
FAILURE_COST = 5
"""A request that came to nothing counts so many times: whoever guesses is slowed down."""
STATIC = ("/static/", "/interfaces/")
SMALL = (*STATIC, "/workshop/play/")
STATIC_SHARE = 0.1
"""A file counts for so little: a page has many. So does an answer of a program that is tried: a class has one address."""
UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
TOO_LONG = (414, "the address is too long")
NO_NODE = (400, "this bears a mark of nodes, and not a good one")
FORWARDED = (b"x-forwarded-for", b"forwarded", b"x-real-ip")
"""Headers by which a proxy says for whom it speaks."""


def caller(peer: str, forwarded: Sequence[str], proxies: Iterable[Network]) -> str:
    """Return who calls: the peer, or while the one that speaks is a trusted proxy, the one it speaks for."""
    trusted = tuple(proxies)
    said = [one.strip() for header in forwarded for one in header.split(",")][-32:]
    speaker = peer
    while said and trusted and _trusted(speaker, trusted):
        nearer = said.pop()
        try:
            ip_address(nearer)
        except ValueError:
            break
        speaker = nearer
    return speaker


def _trusted(address: str, proxies: Sequence[Network]) -> bool:
    try:
        return among(ip_address(address), proxies)
    except ValueError:
        return False


class Gate:
    """What every request passes."""

    def __init__(
        self, signer: Signer, pace: Pace, *, origin: str, proxies: tuple[Network, ...] = (), most_open: int = MOST_OPEN
    ) -> None:
        self.signer = signer
        self.pace = pace
        self.origin = origin
        """Our public origin: interfaces may frame what lies there."""
        self.proxies = proxies
        self.on_proxy: Callable[[], None] | None = None
        """Is told once, where no proxy is trusted, that a request came through one."""
        self.tally = Tally()
        self.most_open = most_open
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send, onward: Callable[..., Awaitable[None]]) -> None:
        """Let a request pass, or refuse it; whatever is answered has the headers it should have."""
        headers: list[Header] = scope["headers"]
        address, passed_on = self._origin(scope, headers)
        visit = self._visit(scope, headers, address)
        scope["arbitre"] = visit
        path: str = scope["path"]
        answer = path.startswith(PREFIX)
        who, cost = household(address), STATIC_SHARE if path.startswith(SMALL) else 1.0
        status = 0

        async def sent(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = message | {"headers": self._dress(visit, path, message["headers"])}
            await send(message)

        too_long = len(path) > MOST_PATH or len(scope.get("query_string", b"")) > MOST_QUERY
        if too_long or passed_on == "":
            self.pace.charge(who, FAILURE_COST)
            await _refuse(sent, *(TOO_LONG if too_long else NO_NODE))
            return
        counted = not answer and passed_on is None  # the node that passes it on counts it
        wait = 0.0 if not counted else BUSY_SECONDS if self._open[who] >= self.most_open else self.pace.spend(who, cost)
        if wait:
            scope["arbitre_wait"] = wait
        outward: Send = sent
        method, begun = scope["method"], monotonic()
        if method == "HEAD":
            outward = _headless(sent)
            scope["method"] = method if answer else "GET"  # only a GET answers a question
        self.tally.open += 1
        self._open[who] += 1
        try:
            await onward(scope, receive, outward)
        finally:
            spent = monotonic() - begun
            self.tally.open -= 1
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]
            self.tally.answered(status or 499, spent)
            note(method, path, status or 499, spent, who)
        if status >= 400 and not wait and counted:
            self.pace.charge(who, FAILURE_COST)

    def _origin(self, scope: Scope, headers: list[Header]) -> tuple[str, str | None]:
        """Return from where a request comes, and what the node says that passed it on: None where none did, "" for a lie."""
        forwarded = [text.decode("latin-1") for name, text in headers if name == b"x-forwarded-for"]
        if self.on_proxy is not None and (forwarded or any(name in FORWARDED for name, _ in headers)):
            told, self.on_proxy = self.on_proxy, None
            told()
        peer = (scope.get("client") or ("unknown", 0))[0]
        passed_on = forwarded_for(self.signer, scope)
        scope["arbitre_passed_on"] = passed_on is not None
        address = passed_on or caller(peer, forwarded, self.proxies)
        scope["client"] = (address, 0)
        return address, passed_on

    def _visit(self, scope: Scope, headers: list[Header], address: str) -> Visit:
        cookies: dict[str, str] = {}
        accepted = ""
        for name, text in headers:
            if name == b"cookie":
                cookies |= read_cookies(text.decode("latin-1"))
            elif name == b"accept-language":
                accepted = text.decode("latin-1")
        chosen = cookies.get(LANGUAGE_COOKIE, "")
        theme = cookies.get(THEME_COOKIE, "")
        visit = Visit(
            path=scope["path"],
            address=address,
            words=words(chosen if chosen in LANGUAGES else preferred(accepted)),
            guest=read_guest(self.signer, cookies.get(GUEST_COOKIE, "")),
            signer=self.signer,
            session=cookies.get(SESSION_COOKIE, ""),
            device=cookies.get(DEVICE_COOKIE, ""),
            theme=theme if theme in THEMES else "",
            signs=cookies.get(SIGNS_COOKIE) == "yes",
            choice=cookies.get(CHOICE_COOKIE, ""),
            here=_here(scope),
        )
        if scope["path"].startswith(PREFIX):
            visit.framers = "*"  # the referee of an added game may answer from his frame
        if scope["path"].startswith("/interfaces/"):
            visit.framers = "'self'"
            visit.frames.append(self.origin)
        return visit

    def _dress(self, visit: Visit, path: str, headers: Iterable[Header]) -> list[Header]:
        """Return the headers of an answer with those that every answer has."""
        found = list(headers)
        names = {name.lower() for name, _ in found}
        wanted = dict(HEADERS)
        if self.signer.secure:
            wanted["Strict-Transport-Security"] = HTTPS_ONLY
        wanted["Content-Security-Policy"] = policy(visit.frames, visit.framers)
        if path.startswith(STATIC):
            wanted["Access-Control-Allow-Origin"] = "*"  # modules of a sandboxed interface come from an opaque origin
            wanted["Cross-Origin-Resource-Policy"] = "cross-origin"
        elif visit.framers == "'none'":
            wanted["X-Frame-Options"] = "DENY"
            wanted["Cross-Origin-Opener-Policy"] = "same-origin"
            wanted["Cross-Origin-Resource-Policy"] = "same-origin"
        if b"cache-control" not in names:
            wanted["Cache-Control"] = "no-store" if visit.cookies or visit.session else "no-cache, private"
        for name, text in wanted.items():
            if name.lower().encode() not in names:
                found.append((name.lower().encode(), text.encode("latin-1")))
        found += [(b"set-cookie", one.encode("latin-1")) for one in visit.cookies]
        return found


HTTPS_ONLY = "max-age=31536000"
"""For a year browsers come by https only; what else lies below our name is its owner's affair."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def policy(frames: Iterable[str] = (), framers: str = "'none'") -> str:
    """Return the content security policy of a page that shows these frames and may be framed by these."""
    rules = [
        "default-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        " ".join(("frame-src 'self'", *frames)),
    ]
    # a sandboxed interface has no origin, and no pattern, not even *, is like none: whom all may frame says nothing
    return "; ".join(rules if framers == "*" else [*rules, f"frame-ancestors {framers}"])


def _here(scope: Scope) -> str:
    """Return the address of a page as its visitor would ask for it again."""
    query = scope.get("query_string", b"").decode("latin-1") if scope["method"] in ("GET", "HEAD") else ""
    return f"{scope['path']}?{query}" if query else str(scope["path"])


def _headless(send: Send) -> Send:
    """Return a sender that leaves bodies out, for HEAD."""

    async def sent(message: Any) -> None:
        await send(message | {"body": b""} if message["type"] == "http.response.body" else message)

    return sent


async def _refuse(send: Send, status: int, why: str) -> None:
    body = f"{why}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def form_guard(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Refuse whatever changes something and was not sent by a page of ours; `csrf=False` in a handler's options lets it off."""
    if not isinstance(connection, Request) or connection.method not in UNSAFE:
        return
    visit: Visit = connection.scope["arbitre"]  # type: ignore[typeddict-item]
    if handler.opt.get("csrf") is False or visit.bearer is not None:  # browsers send no token of a program by themselves
        return
    token = connection.headers.get("x-form-token", "")
    kind = connection.headers.get("content-type", "")
    if not token and kind.startswith(("application/x-www-form-urlencoded", "multipart/form-data")):
        token = str((await connection.form()).get("form_token", ""))
    if not visit.guest or not visit.trusts(token):
        raise PermissionDeniedException(
            visit.words("This form was not made for this browser, or is too old. Load the page again and repeat what you did.")
        )
