"""What the handlers for programs share: who comes with which token, and the statuses that every description lists.

A program comes with a token in `Authorization: Bearer …`. Without one it may read what any visitor may; whatever changes
something wants a token with the scope for it. No cookie counts here, so no form token is needed.
"""

from typing import Any

from litestar.datastructures import ResponseHeader
from litestar.exceptions import NotAuthorizedException
from litestar.openapi.datastructures import ResponseSpec

from arbitre.community.accounts import Account
from arbitre.community.tokens import Scope
from arbitre.web.api.forms import Problem
from arbitre.web.visit import Visit


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

API: dict[str, Any] = {"include_in_schema": True, "opt": {"csrf": False}}
"""What every handler here is declared with."""

RETRY = [ResponseHeader(name="Retry-After", description="seconds to wait", documentation_only=True)]


def bearer(visit: Visit, scope: Scope) -> Account:
    """Return whose token came, if it is good for this."""
    if visit.bearer is None:
        raise NotAuthorizedException("send a token: Authorization: Bearer arb_…; /account makes one")
    visit.bearer.require(scope)
    return visit.bearer.account


def reader(visit: Visit) -> Account | None:
    """Return whose token came, None for anybody."""
    if visit.bearer is not None:
        visit.bearer.require(Scope.READ)
        return visit.bearer.account
    return None
