"""What the handlers for programs share: who comes with which token, pages of lists, and the statuses that descriptions list.

A program comes with a token in `Authorization: Bearer …`. Without one it may read what any visitor may; whatever changes
something wants a token with the scope for it. No cookie counts here, so no form token is needed.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from litestar.exceptions import HTTPException, NotAuthorizedException
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import PathParameter, QueryParameter

from arbitre.community.accounts import Account, Role
from arbitre.community.tokens import Bearer, Scope
from arbitre.web.api.forms import Page, Problem
from arbitre.web.api.once import Repeatable
from arbitre.web.visit import Visit

S = TypeVar("S")
T = TypeVar("T")

PAGE = 50
"""Things on one page of a list."""

Number = Annotated[int, PathParameter(ge=1, le=2**53 - 1, description="its number")]
After = Annotated[int, QueryParameter(ge=0, le=2**53 - 1, description="go on behind this; 0 from the beginning")]


def _spec(words: str) -> ResponseSpec:
    return ResponseSpec(Problem, description=words, generate_examples=False)


READS: dict[int, ResponseSpec] = {
    400: _spec("something that was sent is out of bounds"),
    404: _spec("there is no such thing, or it is not yours to see"),
    403: _spec("the token has no scope for this, or the account may not"),
    410: _spec("too late, or a code that is good no more"),
    429: _spec("too many requests: wait as long as Retry-After says"),
}
WRITES: dict[int, ResponseSpec] = READS | {
    401: _spec("no token, or one that is no good"),
    409: _spec("it clashes with what is there"),
}
LISTS: dict[int, ResponseSpec] = READS | {401: _spec("one's own are asked for without a token")}
CHECKED: dict[int, ResponseSpec] = WRITES | {
    422: _spec("what was tried does not work; `anyway` keeps it all the same, marked broken"),
}

API: dict[str, Any] = {"include_in_schema": True, "opt": {"csrf": False}}
"""What every handler here is declared with."""

WRITE: dict[str, Any] = API | {"operation_class": Repeatable}
"""What a handler of POST is declared with: said twice under one `Idempotency-Key`, it is done once."""

LINES: dict[str, Any] = {"media_type": "application/x-ndjson", "headers": {"Cache-Control": "no-store"}}
"""What a stream of lines is answered with."""


def token_of(visit: Visit, scope: Scope) -> Bearer:
    """Return the token that came, if it is good for this."""
    if visit.bearer is None and visit.offered:
        raise NotAuthorizedException("this token is not known here, was revoked or has ended; /account makes another")
    if visit.bearer is None:
        raise NotAuthorizedException("send a token: Authorization: Bearer arb_…; /account makes one")
    visit.bearer.require(scope)
    return visit.bearer


def bearer(visit: Visit, scope: Scope) -> Account:
    """Return whose token came, if it is good for this."""
    return token_of(visit, scope).account


def operator(visit: Visit) -> Account:
    """Return the operator whose token came."""
    account = bearer(visit, Scope.OPERATE)
    account.require(Role.OPERATOR)
    return account


def reader(visit: Visit) -> Account | None:
    """Return whose token came, None for anybody."""
    if visit.bearer is not None:
        visit.bearer.require(Scope.READ)
        return visit.bearer.account
    return None


def unfit(why: str) -> HTTPException:
    """Return the refusal of what was tried and does not work."""
    return HTTPException(why, status_code=422)


def fetched(found: Sequence[S], number: Callable[[S], int], form: Callable[[S], T]) -> Page[T]:
    """Return a page of what was asked for with one more than a page holds: the one more says that there is another page."""
    shown = found[:PAGE]
    return Page([form(one) for one in shown], number(shown[-1]) if len(found) > PAGE else None)


def paged(whole: Sequence[S], number: Callable[[S], int], after: int, form: Callable[[S], T], *, newest: bool = False) -> Page[T]:
    """Return a page of a list that is at hand, whose numbers rise, or fall where the newest comes first."""
    rest = [one for one in whole if not after or (number(one) < after if newest else number(one) > after)]
    return fetched(rest, number, form)
