"""Calls that go out: HTTP/1.1 over lines that are kept for the next call to the same host.

A line is one connection with one question on it at a time. What comes back is parsed by llhttp (`httptools`), forgiving where
programs written by hand are sloppy, and bounded: a head of `MOST_HEAD` octets, a body of `MOST_BODY`, `MOST_WIRE` with whatever
stands around it; what goes on is cut off. A line is kept for the very path that it was opened for: on a machine that many people
share, what one of their programs sends too late is nobody else's answer.
Nothing is decompressed, no cookie kept, no proxy asked, no redirect followed; a name is looked up anew for every line, and the
guard has the last word on the socket that is opened. How long a call may take is the caller's business, but for the way to the
other end, which has `CONNECT_SECONDS`.
"""

import asyncio
import re
import socket
import ssl
from base64 import b64encode
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from errno import ECONNREFUSED
from functools import cache, lru_cache
from os import strerror
from time import monotonic
from typing import Any, NamedTuple, TypeAlias, cast
from urllib.parse import quote

from aiohappyeyeballs import start_connection
from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser
from yarl import URL

from arbitre.errors import ForbiddenAddressError, NotTakenError, ProtocolError, shorten
from arbitre.reasons import Reason, declare
from arbitre.transport.guard import Guard, check_form, read_url

MOST_HEAD = 32_768
"""Octets of a status and its headers."""

MOST_BODY = 16_384
"""Octets of a body that are read; a body that goes on is left."""

MOST_WIRE = MOST_HEAD + 8 * MOST_BODY
"""Octets of a whole answer: chunks of one octet each take six, and what chunks and trailers say besides is nothing to us."""

LONGEST_ADDRESS = 2_048
"""Characters of an address without its query, as they also come with redirects."""

MOST_IDLE = 1_024
"""Lines that are kept though nobody uses them; more are hung up at once."""

CONNECT_SECONDS = 10.0
IDLE_SECONDS = 15.0
"""How long a line is kept that nobody uses."""

HAPPY_SECONDS = 0.25
"""How long the first address of a name has before the next is tried beside it."""

HOST = re.compile(r"[A-Za-z0-9._~-]{1,253}|[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9._~-]{1,32})?")
"""A name or an address as they may stand in a request."""

HEADERS = "Accept: */*\r\nAccept-Encoding: identity\r\nUser-Agent: arbitre\r\n"

CHARSET = re.compile(
    rb"""charset\s*=\s*["']?(utf-?8|utf-?16(?:-?[lb]e)?|us-ascii|iso-8859-\d{1,2}|latin-?1|windows-125\d|cp125\d)\b""",
    re.IGNORECASE,
)
"""The charsets that a body may say it is written in; any other is not believed."""

Info: TypeAlias = tuple[int, int, int, str, tuple[Any, ...]]
Lookup: TypeAlias = Callable[[str, int], Awaitable[Sequence[Info]]]
"""Finds where a host is."""


class Response(NamedTuple):
    """What came back."""

    status: int
    location: str
    """Where it sends us, empty if nowhere."""
    body: str
    whole: bool
    """Whether the body ended within the bounds."""
    arrived: float = 0.0
    """When its last octet was there, by `time.monotonic`."""


class Target(NamedTuple):
    """Where an address without its query leads."""

    secure: bool
    host: str
    port: int
    headers: str
    """`Host`, and who we say that we are where the address says so."""
    path: str
    url: URL

    @property
    def key(self) -> tuple[bool, str, int, str]:
        """What calls share a line by: where it leads, and the program there."""
        return (self.secure, self.host, self.port, self.path)

    @property
    def name(self) -> str:
        """The host as its certificate has it."""
        return self.host.rstrip(".")


@lru_cache(4096)
def read_target(text: str) -> Target:
    """Return where an address leads that has no query; `ForbiddenAddressError` if nowhere that can be called."""
    if len(text) > LONGEST_ADDRESS:
        raise ForbiddenAddressError("long-address", most=LONGEST_ADDRESS, length=len(text))
    try:
        text.encode()  # half a character of two halves is none
        url = read_url(text, encoded=True)
        check_form(url)
        host = (url.raw_host or "").replace("%25", "%")
        host = host if host.isascii() else host.encode("idna").decode("ascii")
        port = url.port or 0
    except ValueError as error:  # what cannot be the name of a host is one of them
        raise ForbiddenAddressError("bad-address", text=shorten(text), why=shorten(str(error))) from None
    if HOST.fullmatch(host) is None:
        raise ForbiddenAddressError("bad-host", text=shorten(text), host=shorten(host))
    shown = f"[{host.partition('%')[0]}]" if ":" in host else host.rstrip(".")
    usual = port == (443 if url.scheme == "https" else 80)
    headers = f"Host: {shown}\r\n" if usual else f"Host: {shown}:{port}\r\n"
    if url.user is not None:
        pair = f"{url.user}:{url.password or ''}".encode()
        headers += f"Authorization: Basic {b64encode(pair).decode()}\r\n"
    return Target(url.scheme == "https", host, port, headers, _spelled(url.raw_path) or "/", url)


def _spelled(text: str) -> str:
    """Return a path or a query as it may stand in a request: one line, without spaces."""
    return text if text.isascii() and text.isprintable() and " " not in text else quote(text, safe="/%:=&?~+!$,;'@()*[]|")


class Connection(asyncio.Protocol):
    """One connection, on which so many octets of a body are read."""

    def __init__(self, most_body: int = MOST_BODY) -> None:
        self._most_body, self._most_wire = most_body, MOST_WIRE + 8 * (most_body - MOST_BODY)
        self.idle_since = 0.0
        self.closed = False
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[Response] | None = None
        self._parser: HttpResponseParser | None = None
        self._head = self._octets = 0
        self._location = self._charset = ""
        self._measured = self._open_ended = self._kept = False
        self._body = bytearray()

    async def ask(self, request: bytes) -> Response:
        """Send a request and return what is answered; `OSError` where the other end hangs up, `ProtocolError`."""
        transport = self._transport
        if transport is None or self.closed:
            raise ConnectionResetError("the line is closed")
        self._parser = HttpResponseParser(self)
        self._parser.set_dangerous_leniencies(  # we are nobody's proxy: what one side understands is all there is
            lenient_headers=True,
            lenient_optional_cr_before_lf=True,
            lenient_optional_lf_after_cr=True,
            lenient_data_after_close=True,
        )
        self._begin()
        self._head = self._octets = 0
        self._kept = False
        answer: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._answer = answer
        transport.write(request)
        try:
            response = await answer
        except BaseException:  # also of a caller who gave up in the moment when the answer came
            self._kept = False
            raise
        finally:
            self._answer = None
            if not self._kept:
                self.cut()
        return response

    @property
    def free(self) -> bool:
        """Whether the line may be used for another question."""
        return self._kept and not self.closed

    @property
    def silent(self) -> bool:
        """Whether nothing was heard since the question."""
        return not self._octets

    def cut(self) -> None:
        """Hang up."""
        self.closed = True
        if self._transport is not None:
            self._transport.abort()

    # ── what the transport calls ───────────────────────────────────────────────────────────────────────────────────

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is one in all but name

    def data_received(self, data: bytes) -> None:
        """Read on; whatever comes unasked ends the line."""
        if self._answer is None or self._answer.done() or self._parser is None:
            self.cut()
            return
        self._octets += len(data)
        if not self._measured:
            self._head += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            self._fail(ProtocolError("other-protocol"))
        except HttpParserError as error:
            self._fail(ProtocolError("not-in-http", text=shorten(str(error))))
        if not self._measured and self._head > MOST_HEAD:
            self._fail(ProtocolError("long-headers", most=MOST_HEAD))
        elif self._octets > self._most_wire:
            self._fail(ProtocolError("long-answer", most=self._most_wire))

    def connection_lost(self, error: Exception | None) -> None:
        """A body without a length ends here."""
        self.closed = True
        if self._answer is None or self._answer.done():
            return
        if self._measured and self._open_ended and error is None:
            self._settle(whole=True)
        else:
            self._fail(error if isinstance(error, OSError) else ConnectionResetError("it hung up before it had answered"))

    # ── what the parser calls ──────────────────────────────────────────────────────────────────────────────────────

    def _begin(self) -> None:
        self._location = self._charset = ""
        self._measured, self._open_ended = False, True
        self._body.clear()

    def on_message_begin(self) -> None:
        """Nothing may follow an answer."""
        if self._answer is not None and self._answer.done():
            self._kept = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take note of the headers that matter."""
        lower = name.lower()
        if lower in (b"content-length", b"transfer-encoding"):
            self._open_ended = False
        elif lower == b"location":
            self._location = _located(value)
        elif lower == b"content-type" and (found := CHARSET.search(value)):
            self._charset = found[1].decode("ascii")

    def on_headers_complete(self) -> None:
        """From here on it is the body."""
        self._measured = True

    def on_body(self, data: bytes) -> None:
        """Read the body as far as it is read."""
        self._body += data
        if len(self._body) > self._most_body:
            self._settle(whole=False)

    def on_message_complete(self) -> None:
        """An answer that only says that another will come is none."""
        if self._parser is None or self._answer is None or self._answer.done():
            return
        if self._parser.get_status_code() < 200:
            if not self._parser.should_upgrade():
                self._begin()
            return
        self._kept = self._parser.should_keep_alive()
        self._settle(whole=True)

    def _settle(self, *, whole: bool) -> None:
        if self._answer is not None and not self._answer.done() and self._parser is not None:
            body = read_text(bytes(self._body[: self._most_body]), self._charset, whole=whole)
            self._answer.set_result(Response(self._parser.get_status_code(), self._location, body, whole, monotonic()))

    def _fail(self, error: Exception) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error)
        self._kept = False


def read_text(octets: bytes, charset: str, *, whole: bool) -> str:
    """Return a body as text: by its mark of order, by the charset it came with, as UTF-8, and where it is none as latin-1."""
    marked = "utf-8-sig" if octets.startswith(BOM_UTF8) else "utf-16" if octets.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else ""
    for name in (marked, charset, "utf-8"):
        if name:
            with suppress(UnicodeError, LookupError):
                return getincrementaldecoder(name)().decode(octets, final=whole)
    return octets.decode("latin-1")


def _located(octets: bytes) -> str:
    """Return where a redirect leads; in its query every octet stays what it was."""
    where, mark, query = octets.strip().partition(b"?")
    return where.decode("utf-8", "replace") + (mark + query).decode("latin-1").translate(OCTETS)


OCTETS = {octet: f"%{octet:02X}" for octet in range(128, 256)}


class HttpPool:
    """All lines that one guard has let pass."""

    def __init__(
        self, guard: Guard | None = None, *, lookup: Lookup | None = None, keep: bool = True, most_body: int = MOST_BODY
    ) -> None:
        self.guard = guard
        """None for calls that whoever is at the keyboard asked for."""
        self._most_body = most_body
        self._lookup = lookup or _lookup
        self._keep = keep
        self._idle: dict[tuple[bool, str, int, str], list[Connection]] = {}
        self._resting = 0
        """How many of them there are, at the most."""
        self._sweep: asyncio.TimerHandle | None = None
        self._closed = False

    async def get(self, url: str) -> Response:
        """Call an address."""
        where, _, query = url.partition("#")[0].partition("?")
        return await self._ask("GET", read_target(where), query, "")

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Response:
        """Send something to an address."""
        where, _, query = url.partition("#")[0].partition("?")
        more = "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + f"Content-Length: {len(body)}\r\n"
        if not more.isascii() or more.count("\r") != len(headers) + 1 or more.count("\n") != len(headers) + 1:
            raise ProtocolError("a header that cannot be sent")
        return await self._ask("POST", read_target(where), query, more, body)

    async def _ask(self, method: str, target: Target, query: str, more: str, body: bytes = b"") -> Response:
        if self.guard is not None:
            self.guard.check_url(target.url)
        try:
            wanted = f"{target.path}?{_spelled(query)}" if query else target.path
        except UnicodeEncodeError:
            raise ForbiddenAddressError("bad-query", query=shorten(query)) from None
        request = f"{method} {wanted} HTTP/1.1\r\n{target.headers}{HEADERS}{more}\r\n".encode("ascii") + body
        kept = self._idle.get(target.key)
        while kept:
            line = kept.pop()
            self._resting -= 1
            if line.closed:
                continue
            try:
                return await self._asked(line, target, request)
            except OSError:
                if not line.silent:
                    raise  # else it was hung up while nobody spoke: that is no answer to this question
        return await self._asked(await self._open(target), target, request)

    async def _asked(self, line: Connection, target: Target, request: bytes) -> Response:
        response = await line.ask(request)
        if line.free:
            if self._keep and not self._closed and self._resting < MOST_IDLE:
                self._resting += 1
                line.idle_since = monotonic()
                self._idle.setdefault(target.key, []).append(line)
                if self._sweep is None:
                    self._sweep = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._tidy)
            else:
                line.cut()
        return response

    async def _open(self, target: Target) -> Connection:
        """Open a line; `NotTakenError` where nobody is there, or nobody who may be called."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                infos = self._allowed(_numeric(target.host, target.port) or await self._lookup(target.host, target.port))
                factory = self.guard.socket_for if self.guard is not None else None
                found = await start_connection(
                    infos, happy_eyeballs_delay=HAPPY_SECONDS, interleave=1, loop=loop, socket_factory=factory
                )
                found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                try:
                    secure = _trusted() if target.secure else None
                    _, line = await loop.create_connection(
                        lambda: Connection(self._most_body),
                        sock=found,
                        ssl=secure,
                        server_hostname=target.name if target.secure else None,
                    )
                except BaseException:
                    found.close()
                    raise
        except TimeoutError:
            raise NotTakenError("not-connected", seconds=f"{CONNECT_SECONDS:g}") from None
        except OSError as error:
            raise NotTakenError(_why(error)) from error
        except ValueError as error:  # what cannot be looked up as a name at all
            raise NotTakenError("name-unknown", text=shorten(str(error))) from None
        return line

    def _allowed(self, infos: Sequence[Info]) -> Sequence[Info]:
        """Return the addresses that may be called, if there are any; what is connected is checked once more (`socket_for`)."""
        if self.guard is None or not infos:
            return infos
        allowed: list[Info] = []
        refused = Reason("no-address-answers")
        for info in infos:
            try:
                self.guard.check(str(info[4][0]))
                allowed.append(info)
            except ForbiddenAddressError as error:
                refused = error.reason
        if not allowed:
            raise ForbiddenAddressError(refused)
        return allowed

    def _tidy(self) -> None:
        """Hang up where nobody has called for a while."""
        now = monotonic()
        for key, lines in tuple(self._idle.items()):
            for line in lines:
                if now - line.idle_since >= IDLE_SECONDS:
                    line.cut()
            lines[:] = [line for line in lines if not line.closed]
            if not lines:
                del self._idle[key]
        self._resting = sum(map(len, self._idle.values()))
        self._sweep = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._tidy) if self._idle else None

    def hang_up(self) -> None:
        """Hang up where nobody speaks: the next call opens a line of its own, and the guard looks at it anew."""
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        for lines in self._idle.values():
            for line in lines:
                line.cut()
        self._idle.clear()
        self._resting = 0

    async def close(self) -> None:
        """Hang up everywhere."""
        self._closed = True
        self.hang_up()
        await asyncio.sleep(0)  # a transport that was aborted is closed in the next round


def _why(error: OSError) -> Reason:
    """Return why nobody was reached, without saying where: what is said of a call is read by others than its owner."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return Reason(CERTIFICATES.get(error.verify_code, "certificate-untrusted"), text=shorten(error.verify_message))
    if isinstance(error, ssl.SSLError):
        return Reason("no-tls", text=shorten((error.reason or str(error)).lower().replace("_", " ")))
    if isinstance(error, socket.gaierror):
        return Reason("name-unknown", text=shorten(error.strerror or str(error) or type(error).__name__))
    if error.errno == ECONNREFUSED:
        return Reason("connection-refused")
    return Reason("no-connection", text=strerror(error.errno)) if error.errno else Reason("no-address-answers")


CERTIFICATES = {
    10: "certificate-expired",
    62: "certificate-other-name",
    64: "certificate-other-address",
}
"""What OpenSSL says with the name in it, or at length."""

REASONS = declare(
    {
        "not-connected": (
            "nobody takes the call within %(seconds)s seconds",
            "personne ne prend l’appel en %(seconds)s secondes",
        ),
        "name-unknown": ("the name is not known: %(text)s", "le nom n’est pas connu : %(text)s"),
        "certificate-untrusted": ("its certificate is not trusted: %(text)s", "son certificat n’est pas reconnu : %(text)s"),
        "certificate-expired": ("its certificate has expired", "son certificat a expiré"),
        "certificate-other-name": ("its certificate is for another name", "son certificat est pour un autre nom"),
        "certificate-other-address": ("its certificate is for another address", "son certificat est pour une autre adresse"),
        "no-tls": (
            "it does not speak TLS as https wants it: %(text)s",
            "il ne parle pas TLS comme https le veut : %(text)s",
        ),
        "connection-refused": ("the connection was refused", "la connexion a été refusée"),
        "no-connection": ("no connection: %(text)s", "pas de connexion : %(text)s"),
        "other-protocol": (
            "it answers in another protocol than HTTP/1.1",
            "la réponse est dans un autre protocole que HTTP/1.1",
        ),
        "not-in-http": ("it does not answer in HTTP: %(text)s", "la réponse n’est pas en HTTP : %(text)s"),
        "long-headers": ("headers of more than %(most)s octets", "des en-têtes de plus de %(most)s octets"),
        "long-answer": ("an answer of more than %(most)s octets", "une réponse de plus de %(most)s octets"),
        "long-address": (
            "an address has at most %(most)s characters before its query, not %(length)s",
            "une adresse a au plus %(most)s caractères avant ses paramètres, et non %(length)s",
        ),
        "bad-address": ("%(text)r is no address: %(why)s", "%(text)r n’est pas une adresse : %(why)s"),
        "bad-host": (
            "%(text)r is no address: %(host)r is no host",
            "%(text)r n’est pas une adresse : %(host)r n’est pas un hôte",
        ),
        "bad-query": (
            "%(query)r is no query: it cannot be written in UTF-8",
            "%(query)r n’est pas une requête : cela ne s’écrit pas en UTF-8",
        ),
        "no-address-answers": ("none of its addresses answers", "aucune de ses adresses ne répond"),
    }
)


def _numeric(host: str, port: int) -> Sequence[Info]:
    """Return where a host is that is written as an address; nothing for a name."""
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except socket.gaierror:
        return ()


async def _lookup(host: str, port: int) -> Sequence[Info]:
    return await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)


@cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()
