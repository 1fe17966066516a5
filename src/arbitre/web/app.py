"""The site as an application: `make_site` puts the gate, the house and the pages together.

A new part of the site is a module in `pages` with its handlers in a tuple `ROUTES`, listed in `PAGES` below. A handler asks for
`house` and `visit` by naming them, and returns `house.page(visit, "template.html", …)`. Whatever changes something is a POST with
the hidden field of the macro `form_token`.
"""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from litestar import Litestar, Request, Response
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException, TooManyRequestsException
from litestar.types import ControllerRouterHandler

from arbitre.errors import ArbitreError, ForbiddenAddressError, UnknownRecordError
from arbitre.transport.callback import PREFIX, Receiver
from arbitre.web.house import House, OpenArena, open_house, secret_of
from arbitre.web.pages import elections, front, league, manual
from arbitre.web.security import MOST_BODY, Gate, Pace, form_guard
from arbitre.web.settings import Settings
from arbitre.web.visit import Signer, Visit

PAGES: tuple[Sequence[ControllerRouterHandler], ...] = (front.ROUTES, manual.ROUTES, league.ROUTES, elections.ROUTES)
"""The parts of the site."""

log = logging.getLogger(__name__)


class Application(Litestar):
    """Litestar behind the gate, which sees requests that lead nowhere too."""

    gate: Gate
    receiver: Receiver

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request, or live and die with the server."""
        if scope["type"] == "http":
            await self.gate(scope, receive, send, self._answer)
        elif scope["type"] == "lifespan":
            await super().__call__(scope, receive, send)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"].startswith(PREFIX):
            await self.receiver(scope, receive, send)
        elif wait := scope.get("arbitre_wait"):
            request: Request[Any, Any, Any] = Request(scope | {"app": self, "litestar_app": self, "state": {}})
            await _tell(request, TooManyRequestsException(headers={"Retry-After": str(int(wait) + 1)})).to_asgi_response(
                None, request
            )(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def give_house(state: State) -> House:
    """Return the open house."""
    found = state.house
    assert isinstance(found, House)  # noqa: S101 - the lifespan has put it there
    return found


def give_visit(request: Request[Any, Any, Any]) -> Visit:
    """Return what the gate found out about this request."""
    found = request.scope["arbitre"]  # type: ignore[typeddict-item]
    assert isinstance(found, Visit)  # noqa: S101 - the gate has put it there
    return found


def make_site(
    settings: Settings, *, arena: OpenArena | None = None, pages: Sequence[ControllerRouterHandler] = ()
) -> Application:
    """Return the site; it opens its house when a server starts it."""
    receiver = Receiver(settings.public)

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        doors = frozenset(route.path for route in app.routes)
        async with open_house(settings, receiver, doors, arena) as house:
            app.state.house = house
            yield

    site = Application(
        [*(one for part in PAGES for one in part), *pages],
        lifespan=[lifespan],
        dependencies={
            "house": Provide(give_house, sync_to_thread=False),
            "visit": Provide(give_visit, sync_to_thread=False),
        },
        guards=[form_guard],
        exception_handlers={HTTPException: _tell, ArbitreError: _tell, Exception: _tell},
        request_max_body_size=MOST_BODY,
        openapi_config=None,
        logging_config=None,
        debug=False,
    )
    site.gate = Gate(
        Signer(secret_of(settings), secure=settings.secure),
        Pace(settings.pace),
        origin=settings.origin,
        proxies=settings.proxies,
    )
    site.receiver = receiver
    return site


# ── what went wrong ────────────────────────────────────────────────────────────────────────────────────────────────


def _tell(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Answer with a page, or with JSON for programs, that says what happened and what to do."""
    status, why, headers = _judge(error)
    if status >= 500:
        log.error("%s %s", request.method, request.url.path, exc_info=error)
    visit = give_visit(request)
    if wants_json(request):
        return Response({"error": why or HTTPStatus(status).phrase.lower()}, status_code=status, headers=headers)
    house: House = request.app.state.house
    response = house.page(visit, "error.html", status=status, code=status, why=why)
    response.headers.update(headers)
    return response


def _judge(error: Exception) -> tuple[int, str, dict[str, str]]:
    """Return status, reason and headers for an error; a bug of ours tells nothing about itself."""
    if isinstance(error, HTTPException):
        detail = "" if error.detail == HTTPStatus(error.status_code).phrase else error.detail
        return error.status_code, detail if error.status_code < 500 else "", dict(error.headers or {})
    if isinstance(error, UnknownRecordError):
        return 404, str(error).partition(" in /")[0], {}
    if isinstance(error, ForbiddenAddressError):
        return 400, str(error), {}
    if isinstance(error, ArbitreError):
        return 400, str(error), {}
    return 500, "", {}


def wants_json(request: Request[Any, Any, Any]) -> bool:
    """Tell whether a program asks: it prefers JSON, and does not take pages."""
    accepted = request.headers.get("accept", "")
    return request.url.path.startswith("/api/") or ("application/json" in accepted and "text/html" not in accepted)
