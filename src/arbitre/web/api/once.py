"""Writes that may be repeated: what was asked under an `Idempotency-Key` is done once, and answered as often as it is asked.

Whoever heard no answer asks again under the same key, and gets the answer of the first time; two who ask at once get one. Another
request under the same key clashes. Only what succeeded is kept, in memory and bounded; what must outlive the house is told apart
by what it is (the same engine, the same competition), and a match by a name that follows from the key. Several nodes keep
answers in their database (`records.shared`): a key means the same at all of them.
"""

import asyncio
from base64 import b64decode, b64encode
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from json import dumps, loads
from time import monotonic
from typing import Any, NamedTuple

from litestar.exceptions import HTTPException
from litestar.openapi.spec import OpenAPIType, Operation, Parameter, Schema
from litestar.types import ASGIApp, Receive, Send
from litestar.types import Scope as Asked

from arbitre.records.shared import Shared
from arbitre.web.api.refusal import RefusedException
from arbitre.web.visit import Visit

LONGEST_KEY = 64
MOST_KEPT = 10_000
MOST_OCTETS = 32 << 20
"""Of all answers that are kept."""
LONGEST_BODY = 262_144
"""Octets of a request or an answer that are looked at; longer ones are not kept."""

PATIENCE_SECONDS = 10.0
"""How long somebody waits who asks for what another node is doing."""
LOOK_SECONDS = 0.05

BUSY = "another node is doing what was asked under this Idempotency-Key: ask again"
CLASH = "this Idempotency-Key was used for another request"


@dataclass
class Repeatable(Operation):
    """An operation whose description names the header."""

    def __post_init__(self) -> None:
        said = Parameter(
            name="Idempotency-Key",
            param_in="header",
            required=False,
            description="said twice with the same key, it is done once",
            schema=Schema(type=OpenAPIType.STRING, max_length=LONGEST_KEY),
        )
        self.parameters = [*(self.parameters or ()), said]


class Kept(NamedTuple):
    """An answer, and the digest of what was asked."""

    asked: bytes
    messages: tuple[Any, ...]
    octets: int


class Repeats:
    """The answers of one site that may be asked for again."""

    def __init__(self, most: int = MOST_KEPT, octets: int = MOST_OCTETS) -> None:
        self._most = most
        self._room = octets
        self._kept: OrderedDict[tuple[int, str], Kept] = OrderedDict()
        self._busy: dict[tuple[int, str], tuple[asyncio.Lock, int]] = {}

    def around(self, app: ASGIApp) -> ASGIApp:
        """Return a handler that does once what is asked under one key."""

        async def asked(scope: Asked, receive: Receive, send: Send) -> None:
            key = next((text.decode("latin-1") for name, text in scope["headers"] if name == b"idempotency-key"), "")
            visit: Visit = scope["arbitre"]  # type: ignore[typeddict-item]
            if scope["method"] != "POST" or not key or visit.bearer is None:  # type: ignore[typeddict-item]
                await app(scope, receive, send)
                return
            if len(key) > LONGEST_KEY:  # to do it each time would be worse than to refuse it
                raise RefusedException("an Idempotency-Key has at most %(most)s characters", 400, most=LONGEST_KEY)
            messages, whole = await _read(receive)
            if not whole:
                await app(scope, _again(messages, receive), send)
                return
            head = f"{scope['path']}\0{scope.get('query_string', b'').decode('latin-1')}\0".encode()
            digest = sha256(head + b"".join(one.get("body", b"") for one in messages)).digest()
            name = (int(visit.bearer.token.id), key)  # of the token: another of the same account may be good for less
            shared = _shared(scope)
            with self._turn(name) as turn:
                async with turn:
                    await self._answer(name, digest, shared, app, scope, _again(messages, receive), send)

        return asked

    @contextmanager
    def _turn(self, name: tuple[int, str]) -> Iterator[asyncio.Lock]:
        """Let one at a time ask under a key; a key that nobody waits for any more is forgotten."""
        lock, count = self._busy.get(name, (asyncio.Lock(), 0))
        self._busy[name] = (lock, count + 1)
        try:
            yield lock
        finally:
            lock, count = self._busy.pop(name)
            if count > 1:
                self._busy[name] = (lock, count - 1)

    async def _answer(
        self,
        name: tuple[int, str],
        digest: bytes,
        shared: Shared | None,
        app: ASGIApp,
        scope: Asked,
        receive: Receive,
        send: Send,
    ) -> None:
        kept = self._kept.get(name)
        if kept is None and shared is not None:
            kept = await _claimed(shared, name, digest)
        if kept is not None:
            if kept.asked != digest:
                raise HTTPException(CLASH, status_code=409)
            for message in kept.messages:
                await send(message)
            return
        said: list[Any] = []

        async def noted(message: Any) -> None:
            said.append(message)
            await send(message)

        good = False
        try:
            await app(scope, receive, noted)
            octets = sum(len(one.get("body", b"")) for one in said)
            good = bool(said) and 200 <= said[0].get("status", 0) < 300 and octets <= LONGEST_BODY
            if good:
                self._keep(name, Kept(digest, tuple(said), octets))
        finally:
            if shared is not None:
                # whoever asked may have gone: the others are to know all the same
                await asyncio.shield(asyncio.to_thread(shared.settle, *name, _packed(said) if good else ""))

    def _keep(self, name: tuple[int, str], answer: Kept) -> None:
        self._kept[name] = answer
        self._room -= answer.octets
        while self._kept and (len(self._kept) > self._most or self._room < 0):
            _, oldest = self._kept.popitem(last=False)
            self._room += oldest.octets


def _shared(scope: Any) -> Shared | None:
    """Return what the nodes of a site do once together; None where there is one process, or no site around."""
    site = scope.get("litestar_app")
    membership = None if site is None else site.state.house.membership
    return None if membership is None else membership.shared


async def _claimed(shared: Shared, name: tuple[int, str], digest: bytes) -> Kept | None:
    """Return what another node answered under a key, when it has; None where it is ours to do."""
    until = monotonic() + PATIENCE_SECONDS
    while monotonic() < until:
        claim = await asyncio.to_thread(shared.claim, *name, digest)
        if claim.ours:
            return None
        if claim.answer or claim.asked != digest:
            return Kept(claim.asked, _unpacked(claim.answer), 0)
        await asyncio.sleep(LOOK_SECONDS)
    raise HTTPException(BUSY, status_code=503, headers={"Retry-After": "1"})


def _packed(said: Sequence[Any]) -> str:
    """Return an answer as text."""
    head, body = said[0], b"".join(one.get("body", b"") for one in said)
    headers = [[name.decode("latin-1"), text.decode("latin-1")] for name, text in head["headers"]]
    return dumps([head["status"], headers, b64encode(body).decode()])


def _unpacked(text: str) -> tuple[Any, ...]:
    """Return the messages of an answer that was kept as text."""
    if not text:
        return ()
    status, headers, body = loads(text)
    told = [(name.encode("latin-1"), one.encode("latin-1")) for name, one in headers]
    return (
        {"type": "http.response.start", "status": status, "headers": told},
        {"type": "http.response.body", "body": b64decode(body)},
    )


async def _read(receive: Receive) -> tuple[list[Any], bool]:
    """Return the messages of a request, and whether that is all of it: what is too long is not read to its end."""
    messages: list[Any] = []
    length = 0
    while True:
        message: Any = await receive()
        messages.append(message)
        length += len(message.get("body", b""))
        if message["type"] != "http.request" or length > LONGEST_BODY:
            return messages, False
        if not message.get("more_body", False):
            return messages, True


def _again(messages: list[Any], receive: Receive) -> Receive:
    """Return what tells the same messages once more, and then whatever comes."""
    left = list(messages)

    async def told() -> Any:
        return left.pop(0) if left else await receive()

    return told
