"""The site as an application: `make_site` puts the gate, the house and the pages together.

A new part of the site is a module in `pages`, and is found there (`arbitre.web.doors`). A handler asks for `house` and `visit` by
naming them (`person` too, where one must be logged in), and returns `house.page(visit, "name.html", …)`. Whatever changes
something is a POST with the hidden field of the macro `form_token`.
"""

import logging
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from copy import copy
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from litestar import Litestar, Request, Response, Router
from litestar.datastructures import State
from litestar.di import NamedDependency, Provide
from litestar.exceptions import (
    HTTPException,
    MethodNotAllowedException,
    NotAuthorizedException,
    PermissionDeniedException,
    TooManyRequestsException,
)
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin
from litestar.response import Redirect
from litestar.types import ASGIApp

from arbitre import __version__
from arbitre.errors import (
    ArbitreError,
    ExpiredError,
    ForbiddenError,
    HasteError,
    HouseError,
    LateError,
    LockedError,
    LogMissingError,
    MoveError,
    NameTakenError,
    NotOrganiserError,
    QuotaError,
    StageError,
    StoreError,
    UnfinishedError,
    UnknownError,
    UnknownRecordError,
    UnknownRoomError,
    WrongPasswordError,
)
from arbitre.reasons import N_, Reason, plain, reason_of
from arbitre.site.accounts import Account
from arbitre.site.database import Allowances as CommunityRules
from arbitre.site.settings import Settings
from arbitre.site.whereabouts import ANSWERED, NOWHERE, WATCHED, elsewhere, watched_here
from arbitre.tournoyons.callback import PREFIX, Receiver
from arbitre.transport.limits import Pace
from arbitre.transport.sockets import plenty_of_files
from arbitre.web import pages, websocket
from arbitre.web.agents import AGENTS, agents_at
from arbitre.web.api.common import admit
from arbitre.web.api.once import Repeats
from arbitre.web.description import Description, named
from arbitre.web.doors import DOORS, handlers
from arbitre.web.feed import Feeds
from arbitre.web.forward import forward, overheard
from arbitre.web.house import WebApp, open_house, secret_of
from arbitre.web.security import MOST_BODY, MOST_OPEN, STATIC, Gate, form_guard
from arbitre.web.smalls import Album
from arbitre.web.visit import Signer, Visit

PROGRAMS = "/api/"
"""Where programs come."""
NO_TOKEN = N_("send a token: Authorization: Bearer arb_…; /account makes one")
OTHER_ORIGIN = N_("a page of another site does not come here in an agent's name")
NO_AGENTS = N_("no agents come here: the operator has not installed the extra agents (pip install 'arbitre[agents]')")

log = logging.getLogger(__name__)


class Application(Litestar):
    """Litestar behind the gate, which sees requests that lead nowhere too."""

    gate: Gate
    receiver: Receiver

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        """Leave out what serves models of pydantic and attrs: we have none, and to load it takes a tenth of the start."""
        return [*plugins, MsgspecDIPlugin()]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request, or one WebSocket, or live and die with the server."""
        if scope["type"] == "http":
            await self.gate(scope, receive, send, self._answer)
        elif scope["type"] == "websocket":
            await websocket.serve(scope, receive, send, self.gate, self._answer, self._say)
        elif scope["type"] == "lifespan":
            await super().__call__(scope, receive, send)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        if self.state.house.membership is not None and not scope.get("arbitre_wait"):
            said = b""
            if ANSWERED.match(scope["path"]) and scope["method"] == "POST":
                said, receive = await overheard(receive)
            try:
                there = await elsewhere(self.state.house, scope["path"], said)
            except StoreError:
                there = NOWHERE  # who cannot ask whose it is passes nothing on
            if there is not None and not await self._watched(scope):
                # what was passed on once goes no further: who owns a match may just be changing
                address = "" if scope["arbitre_passed_on"] else there.address
                await forward(scope, receive, send, address, self.gate.signer, self.state.house.membership.lives)
                return
        if scope["path"].startswith(PREFIX):
            await self.receiver(scope, receive, send)
        elif wait := scope.get("arbitre_wait"):
            await self._say(scope, receive, send, TooManyRequestsException(headers={"Retry-After": str(int(wait) + 1)}))
        else:
            try:
                await self._recognise(scope)
            except ArbitreError as error:
                await self._say(scope, receive, send, error)
                return
            if scope["path"] == AGENTS:
                await self._serve_agent(scope, receive, send)
                return
            await super().__call__(scope, receive, send)

    async def _recognise(self, scope: Any) -> None:
        """Find out who comes, once."""
        visit: Visit = scope["arbitre"]
        if visit.path.startswith(STATIC) or scope.get("arbitre_recognised"):
            return
        if visit.path.startswith(PROGRAMS) or visit.path == AGENTS:
            visit.session = visit.guest = ""  # browsers send cookies by themselves, whoever links to us: only tokens count
        await self.state.house.recognise(visit, _bearer(scope))
        scope["arbitre_recognised"] = True

    async def _watched(self, scope: Any) -> bool:
        """Tell whether what belongs to another node can be watched here, by somebody who does no more than that."""
        if scope["method"] != "GET" or not WATCHED.match(scope["path"]):
            return False
        try:
            await self._recognise(scope)
            return await watched_here(self.state.house, scope["arbitre"].caller, scope["path"])
        except ArbitreError:
            return False  # the node that it belongs to says why

    async def _serve_agent(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer an agent that comes with a token; each request by itself, so there is nothing to follow or to end."""
        if scope["method"] != "POST":
            await self._say(scope, receive, send, MethodNotAllowedException(headers={"Allow": "POST"}))
        elif (origin := _header(scope, b"origin")) is not None and origin != self.gate.origin:
            # no agent comes with a browser's page: one of another's that reached us by a name of its own is sent away
            await self._say(scope, receive, send, PermissionDeniedException(OTHER_ORIGIN))
        elif scope["arbitre"].bearer is None:
            await self._say(scope, receive, send, NotAuthorizedException(NO_TOKEN, headers={"WWW-Authenticate": "Bearer"}))
        else:
            try:
                await self.state.agents(scope, receive, send)
            except ImportError:
                await self._say(scope, receive, send, HTTPException(NO_AGENTS, status_code=404))

    async def _say(self, scope: Any, receive: Any, send: Any, error: Exception) -> None:
        """Answer what no handler was asked for with the page of an error."""
        scope = scope | {"app": self, "litestar_app": self, "state": {}}
        request: Request[Any, Any, Any] = Request(scope)
        await _tell(request, error).to_asgi_response(None, request)(scope, receive, send)


def _header(scope: Any, wanted: bytes) -> str | None:
    return next((str(text.decode("latin-1")) for name, text in scope["headers"] if name == wanted), None)


def _bearer(scope: Any) -> str | None:
    """Return the token of a program, None where there is none: only the programs' part of the site knows them."""
    if scope["path"].startswith(PROGRAMS) or scope["path"] == AGENTS:
        for name, text in scope["headers"]:
            if name == b"authorization" and text[:6].lower() == b"bearer":
                return str(text[6:].decode("latin-1").strip())
    return None


def give_house(state: State) -> WebApp:
    """Return the open house."""
    found = state.house
    assert isinstance(found, WebApp)  # noqa: S101 - the lifespan has put it there
    return found


def give_visit(request: Request[Any, Any, Any]) -> Visit:
    """Return what the gate found out about this request."""
    found = request.scope["arbitre"]  # type: ignore[typeddict-item]
    assert isinstance(found, Visit)  # noqa: S101 - the gate has put it there
    return found


def give_person(visit: NamedDependency[Visit]) -> Account:
    """Return who is logged in; whoever is not is sent to log in first."""
    if visit.person is None:
        raise NotAuthorizedException
    return visit.person


def make_site(
    settings: Settings,
    *,
    rules: CommunityRules | None = None,
    asked: frozenset[str] = frozenset(),
) -> Application:
    """Return the site, with the community's rules; it opens its house when a server starts it.

    `asked` are the settings that somebody chose: a listener whose port was asked for must open.
    """
    receiver = Receiver(settings.public)

    @asynccontextmanager
    async def opened() -> AsyncIterator[None]:
        doors = frozenset(route.path for route in site.routes)
        async with open_house(settings, receiver, doors, rules, asked) as house, agents_at(site) as site.state.agents:
            house.tally = site.gate.tally
            if house.membership is not None:
                site.gate.signer.now = house.membership.now
                house.membership.spent.share(site.gate.pace)
            house.album, house.feeds = Album(), Feeds(house)
            site.state.house = house
            site.gate.on_proxy = None if settings.proxies else house.close_loopback
            yield

    site = copy(with_doors())
    site.asgi_router = copy(site.asgi_router)
    site.asgi_router.app = site
    site.state = State({"repeats": Repeats()})
    site.lifespan = opened  # type: ignore[method-assign] # nothing of the framework's own lives and dies with a site
    site.gate = Gate(
        Signer(secret_of(settings), secure=settings.secure),
        Pace(settings.pace),
        origin=settings.origin,
        proxies=settings.proxies,
        most_open=min(MOST_OPEN, plenty_of_files() // 4),
    )
    site.receiver = receiver
    return site


@cache
def with_doors() -> Application:
    """Return the site that is copied for every other: the doors are the same, and to hang four hundred takes half a second."""
    return Application(
        [*handlers(pages), _for_programs()],
        dependencies={
            "house": Provide(give_house, sync_to_thread=False),
            "visit": Provide(give_visit, sync_to_thread=False),
            "person": Provide(give_person, sync_to_thread=False),
        },
        guards=[form_guard],
        exception_handlers={HTTPException: _tell, ArbitreError: _tell, Exception: _tell},
        request_max_body_size=MOST_BODY,
        openapi_config=OpenAPIConfig(
            title="Arbitre",
            version=__version__,
            path="/api/schema",
            use_handler_docstrings=True,
            operation_id_creator=named,
            render_plugins=[Description()],
            components=Components(security_schemes={"token": SecurityScheme(type="http", scheme="bearer")}),
            security=[{"token": []}, {}],
        ),
        include_in_schema=False,
        logging_config=None,
        debug=False,
    )


def _for_programs() -> Router:
    """Return the doors for programs; what is asked there by POST is done once for each `Idempotency-Key`."""
    return Router("/", route_handlers=DOORS, guards=[admit], middleware=[_once])


def _once(app: ASGIApp) -> ASGIApp:
    """Let the site that is asked remember what it answered."""

    async def asked(scope: Any, receive: Any, send: Any) -> None:
        repeats: Repeats = scope["litestar_app"].state.repeats
        await repeats.around(app)(scope, receive, send)

    return asked


# ── what went wrong ────────────────────────────────────────────────────────────────────────────────────────────────


def _tell(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Answer with a page, or with JSON for programs, that says what happened and what to do."""
    status, why, headers = _judge(error, PROGRAMS_STATUS if request.url.path.startswith(PROGRAMS) else STATUS)
    if isinstance(error, HouseError):  # the machine's fault, told in its own words: nothing of ours to be traced
        log.error("%s %s: %s", request.method, request.url.path, error)
    elif status >= 500:
        log.error("%s %s", request.method, request.url.path, exc_info=error)
    visit = give_visit(request)
    failed = {"failed": str(error)} if isinstance(error, StoreError) else {}  # the page says so, whoever noticed it first
    if wants_json(request):
        told: dict[str, object] = {"error": visit.words.of(why) or HTTPStatus(status).phrase.lower()}
        if isinstance(error, ArbitreError) and isinstance(why, Reason) and status < 500:
            told |= coded(error, why)
        if isinstance(error, MoveError):  # it was no move, and the question stays open
            told["again"] = True
        return Response(told, status_code=status, headers=headers)
    if status == 401 and request.method == "GET":
        return Redirect(f"/login?{urlencode({'back': visit.path})}", status_code=303)
    house: WebApp = request.app.state.house
    wait = int(headers.get("Retry-After", 0))
    response = house.page(visit, "error.html", status=status, code=status, why=visit.words.of(why), wait=wait, **failed)
    response.headers.update(headers)
    return response


def _judge(error: Exception, known: Mapping[type[ArbitreError], int]) -> tuple[int, str | Reason, dict[str, str]]:
    """Return status, reason and headers for an error; a bug of ours tells nothing about itself."""
    if isinstance(error, HTTPException):
        detail = "" if error.detail == HTTPStatus(error.status_code).phrase else error.detail
        if error.status_code == 400 and isinstance(error.extra, list):  # what a program sent, field by field
            detail = "; ".join(map(_wrong, error.extra[:8])) or detail
        why = reason_of(error) or Reason(detail)
        return error.status_code, why if detail and error.status_code < 500 else "", dict(error.headers or {})
    if isinstance(error, UnknownRecordError):
        return 404, error.what, {}
    if isinstance(error, HasteError):
        return 429, error.reason, {"Retry-After": str(int(error.wait) + 1)}
    if isinstance(error, StoreError):  # which says where the store is: the log has that
        return 503, UNKEPT, {"Retry-After": "1"}
    if isinstance(error, ArbitreError) and not isinstance(error, HouseError):
        return next((status for kind, status in known.items() if isinstance(error, kind)), 400), error.reason, {}
    if isinstance(error, RecursionError):  # what a program sent; nothing of ours calls itself without a bound
        return 400, Reason("what was sent is nested too deeply"), {}
    if isinstance(error, UnicodeDecodeError):  # of ours nothing is decoded without an answer to what cannot be
        return 400, Reason("what was sent is not UTF-8"), {}
    return 500, "", {}


def _wrong(found: dict[str, Any]) -> str:
    """Return what is wrong with one thing that a program sent."""
    key, why = str(found.get("key", "data")), str(found.get("message", ""))
    if key != "data":
        return f"{key}: {why}"
    return "the body: a JSON object is missing" if why == "'data'" else f"the body: {why}"


UNKEPT = Reason("nothing can be kept now, so nothing was done: ask again later")

STATUS: dict[type[ArbitreError], int] = {
    ForbiddenError: 403,
    LockedError: 403,
    WrongPasswordError: 403,
    LogMissingError: 404,
    UnknownError: 404,
    NameTakenError: 409,
    QuotaError: 409,
    StageError: 409,
    ExpiredError: 410,
    LateError: 410,
}
PROGRAMS_STATUS = STATUS | {UnfinishedError: 409, NotOrganiserError: 403, UnknownRoomError: 404}
"""Programs are told what a page only says in words."""


def coded(error: ArbitreError, told: Reason) -> dict[str, object]:
    """Return an error for programs: the code of its reason, or what kind of error it is, and the fields of what is said."""
    why = getattr(error, "why", None)
    reason = why if isinstance(why, Reason) and why.proper else told
    kind = "-".join(re.findall("[A-Z][a-z]+", type(error).__name__.removesuffix("Error"))).lower()
    fields = plain(reason)
    code = fields.pop("code")
    return {"code": code if reason.proper else kind, "fields": fields}


def wants_json(request: Request[Any, Any, Any]) -> bool:
    """Tell whether a program asks: it prefers JSON, and does not take pages."""
    accepted = request.headers.get("accept", "")
    return request.url.path.startswith(PROGRAMS) or ("application/json" in accepted and "text/html" not in accepted)
