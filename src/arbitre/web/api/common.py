"""What the handlers for programs share: who comes with which token, and pages of lists.

A program comes with a token in `Authorization: Bearer …`. Without one it may read what any visitor may; whatever changes
something wants a token with the scope for it. Each handler declares what it wants, and nothing is done before `admit` has looked.
No cookie counts here, so no form token is needed.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from time import monotonic
from typing import Annotated, Any, TypeVar

from litestar.connection import ASGIConnection
from litestar.exceptions import HTTPException, NotAuthorizedException, TooManyRequestsException
from litestar.handlers.base import BaseRouteHandler
from litestar.params import PathParameter, QueryParameter
from litestar.response import Stream

from arbitre.site import dial, lending
from arbitre.site.accounts import Account, Role
from arbitre.site.engines import Engine
from arbitre.site.tokens import Bearer, Scope
from arbitre.web.api.forms import Page
from arbitre.web.api.once import Repeatable
from arbitre.web.api.refusal import RefusedException
from arbitre.web.house import WebApp
from arbitre.web.security import BUSY_SECONDS
from arbitre.web.visit import Visit

S = TypeVar("S")
T = TypeVar("T")

PAGE = 50
"""Things on one page of a list."""

Number = Annotated[int, PathParameter(ge=1, le=2**53 - 1, description="its number")]
After = Annotated[int, QueryParameter(ge=0, le=2**53 - 1, description="go on behind this; 0 from the beginning")]


def open_to_all(*errors: int, line: type | None = None) -> dict[str, Any]:
    """Declare what anybody may ask; where a token comes all the same, it has the scope `read`.

    `errors` are refusals beside those that follow from what the operation is (`arbitre.web.description`),
    `line` is the form of each line, where a stream is answered.
    """
    return _declared(Scope.READ, needed=False, errors=errors, line=line)


def with_token(scope: Scope | None, *errors: int, line: type | None = None) -> dict[str, Any]:
    """Declare what a token with this scope opens, or any token."""
    return _declared(scope, needed=True, errors=errors, line=line)


def with_engine(*errors: int, line: type | None = None, runner: bool = False) -> dict[str, Any]:
    """Declare what an engine's own token opens, and no other; or that of a runner to which the engine's source is lent."""
    said = _declared(None, needed=True, errors=(403, *errors), line=line)
    return said | {"opt": said["opt"] | {"engine": True, "runner": runner}}


def repeatable(scope: Scope, *errors: int) -> dict[str, Any]:
    """Declare a POST that a token with this scope opens: said twice under one `Idempotency-Key`, it is done once."""
    return with_token(scope, *errors) | {"operation_class": Repeatable}


def _declared(scope: Scope | None, *, needed: bool, errors: tuple[int, ...], line: type | None) -> dict[str, Any]:
    said = {"scope": scope, "token": needed, "errors": errors, "line": line}
    return {"include_in_schema": True, "opt": {"csrf": False, **said}}


def admit(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Let a program in whose token is good for what it asks: before anything else that it sent is looked at."""
    visit: Visit = connection.scope["arbitre"]  # type: ignore[typeddict-item]
    if connection.scope.get("method") == "OPTIONS":  # tells which verbs there are, and no more
        return
    if handler.opt.get("engine"):
        runs = handler.opt.get("runner") and visit.bearer is not None and Scope.RUN in visit.bearer.token.scopes
        if visit.engine is None and not runs:
            raise NotAuthorizedException("send the token of the engine: Authorization: Bearer arbe_…; its page makes one")
    elif visit.bearer is None:
        if visit.offered:
            raise NotAuthorizedException("this token is not known here, was revoked or has ended; /account makes another")
        if handler.opt["token"]:
            raise NotAuthorizedException("send a token: Authorization: Bearer arb_…; /account makes one")
    elif handler.opt["scope"] is not None:
        visit.bearer.require(handler.opt["scope"])


MOST_STREAMS = 200
"""Of one account at a time; those of whoever has no token count by address alone."""
LOOK_SECONDS = 5.0
"""So often it is looked whether the token that asked for a stream is still good."""


def streamed(house: WebApp, visit: Visit, lines: AsyncGenerator[bytes, None]) -> Stream:
    """Answer with a stream of lines, which ends where the token that asked for it is good no more."""
    token = visit.bearer
    if token is not None and house.listening[token.account.id] >= MOST_STREAMS:
        most = f"an account follows at most {MOST_STREAMS} streams at a time: close one first"
        raise TooManyRequestsException(most, headers={"Retry-After": str(int(BUSY_SECONDS))})

    async def watched(bearer: Bearer) -> AsyncIterator[bytes]:
        looked = monotonic()
        house.listening[bearer.account.id] += 1
        try:
            async with aclosing(lines):
                async for line in lines:
                    if monotonic() - looked >= LOOK_SECONDS:
                        looked = monotonic()
                        if not await asyncio.to_thread(house.community.tokens.good, bearer.token.id):
                            return
                    yield line
        finally:
            house.listening -= Counter({bearer.account.id: 1})  # and nobody stays in it who follows none

    return Stream(
        lines if token is None else watched(token), media_type="application/x-ndjson", headers={"Cache-Control": "no-store"}
    )


def dialling(visit: Visit, name: str) -> Engine:
    """Return the engine whose token came; `ForbiddenError` where it is not the one that is named."""
    if visit.engine is None:
        raise NotAuthorizedException("send the token of the engine")
    dial.check_name(visit.engine, name)
    return visit.engine


async def played_for(house: WebApp, visit: Visit, name: str) -> Engine:
    """Return the engine whose token came, or which is named and whose source is lent to the runner that came."""
    if visit.engine is None and visit.bearer is not None:
        visit.bearer.require(Scope.RUN)
        return await lending.lent_engine(house, visit.bearer.account, name)
    return dialling(visit, name)


def token_of(visit: Visit) -> Bearer:
    """Return the token that came."""
    if visit.bearer is None:  # one's own are asked for, of what is open to all
        raise NotAuthorizedException("send a token: Authorization: Bearer arb_…; /account makes one")
    return visit.bearer


def bearer(visit: Visit) -> Account:
    """Return whose token came."""
    return token_of(visit).account


def operator(visit: Visit) -> Account:
    """Return the operator whose token came."""
    account = bearer(visit)
    account.require(Role.OPERATOR)
    return account


def reader(visit: Visit) -> Account | None:
    """Return whose token came, None for anybody."""
    return None if visit.bearer is None else visit.bearer.account


def unfit(template: str, /, **fields: object) -> HTTPException:
    """Return the refusal of what was tried and does not work."""
    return RefusedException(template, 422, **fields)


def fetched(found: Sequence[S], number: Callable[[S], int], form: Callable[[S], T]) -> Page[T]:
    """Return a page of what was asked for with one more than a page holds: the one more says that there is another page."""
    shown = found[:PAGE]
    return Page([form(one) for one in shown], number(shown[-1]) if len(found) > PAGE else None)


def paged(whole: Sequence[S], number: Callable[[S], int], after: int, form: Callable[[S], T], *, newest: bool = False) -> Page[T]:
    """Return a page of a list that is at hand, whose numbers rise, or fall where the newest comes first."""
    rest = [one for one in whole if not after or (number(one) < after if newest else number(one) > after)]
    return fetched(rest, number, form)
