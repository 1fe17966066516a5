"""The front of the house: home, how it works, the key, health, files as they are, and the switches of language and colours."""

from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from litestar import MediaType, Request, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.response import Redirect

from arbitre import __version__
from arbitre.crypto.keys import fingerprint
from arbitre.games.catalogue import listing
from arbitre.games.wires import wired
from arbitre.transport.guard import among, read_networks
from arbitre.web.choice import choice_of
from arbitre.web.dependencies import Form, FromPath, OurHouse, ThisVisit
from arbitre.web.files import File
from arbitre.web.guide import guide
from arbitre.web.metrics import condition, exposition, readiness
from arbitre.web.render import GLYPHS, INTERFACES, STATIC
from arbitre.web.smalls import BLANK
from arbitre.web.visit import LANGUAGE_COOKIE, THEME_COOKIE, THEMES
from arbitre.words import LANGUAGES

FRESH = "public, max-age=0, must-revalidate"
FOREVER = "public, max-age=31536000, immutable"


@get("/")
async def home(house: OurHouse, visit: ThisVisit) -> Response[str]:
    """Show what is going on now."""
    version, boards = await house.feeds.now(visit.words).boards()
    last = choice_of(visit)
    return house.page(
        visit, "home.html", boards=boards, version=version, games=wired(), last=last, listing=listing(last.game), blank=BLANK
    )


@get("/about")
async def about(house: OurHouse, visit: ThisVisit) -> Response[str]:
    """Say how it works."""
    return house.page(visit, "about.html")


@get("/keys")
async def keys(house: OurHouse, visit: ThisVisit) -> Response[str]:
    """Show the public keys, for whoever checks records and the log."""
    log = None if house.log is None else house.log.verifier.text
    earlier = [] if house.log is None else [fingerprint(one.old) for one in reversed(house.log.successors)]
    return house.page(visit, "keys.html", public=house.key.public.hex(), log=log, earlier=earlier)


@get("/health", media_type=MediaType.JSON)
async def health(house: OurHouse) -> Response[dict[str, Any]]:
    """Tell programs that the site is well: its store answers, and has room."""
    status = condition(house)
    told = {"status": status, "version": __version__, "live": len(house.arena.playing())}
    if house.membership is not None:
        told["node"] = house.membership.name
    return Response(told, status_code=200 if status == "ok" else 503)


@get("/ready", media_type=MediaType.JSON)
async def ready(house: OurHouse) -> Response[dict[str, Any]]:
    """Tell a balancer whether to send visitors to this node: it is well, and not about to leave."""
    status = readiness(house)
    return Response({"status": status}, status_code=200 if status == "ready" else 503)


@get("/metrics", media_type=MediaType.TEXT)
async def metrics(house: OurHouse, visit: ThisVisit) -> Response[str]:
    """Tell an operator's instruments how busy the site is; nobody else finds it."""
    try:
        address = ip_address(visit.address)
        welcome = among(address, read_networks(house.settings.metrics_from)) and not (house.exposed and address.is_loopback)
    except ValueError:
        welcome = False
    if not welcome:
        raise NotFoundException
    return Response(exposition(house, house.tally), media_type="text/plain; version=0.0.4")


@get("/robots.txt", media_type=MediaType.TEXT)
async def robots() -> str:
    """Ask robots to leave live games alone."""
    return "User-agent: *\nDisallow: /api/\nDisallow: /answer/\nDisallow: /return/\n"


@get("/llms.txt", media_type=MediaType.TEXT)
async def for_agents(house: OurHouse) -> str:
    """Tell an agent that knows nothing of the site how it plays here."""
    return guide(house.settings.public)


# ── files ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/static/{name:path}")
async def static(request: Request[Any, Any, Any], name: FromPath[str]) -> Response[bytes]:
    """Hand out a file of the site."""
    return _hand_out(GLYPHS if name.lstrip("/") == "glyphs.svg" else STATIC.get(name.lstrip("/")), request)


@get("/interfaces/{name:path}")
async def interface(request: Request[Any, Any, Any], name: FromPath[str]) -> Response[bytes]:
    """Hand out a file of an interface."""
    return _hand_out(INTERFACES.get(name.lstrip("/")), request)


@get("/favicon.ico")
async def favicon(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Hand out the mark of the house."""
    return _hand_out(STATIC.get("mark.svg"), request)


def _hand_out(file: File | None, request: Request[Any, Any, Any]) -> Response[bytes]:
    if file is None:
        raise NotFoundException
    tag = f'"{file.mark}"'
    headers = {"ETag": tag, "Cache-Control": FOREVER if request.query_params.get("v") == file.mark else FRESH}
    if request.headers.get("if-none-match") == tag:
        return Response(b"", status_code=304, headers=headers)
    return Response(file.body, media_type=file.kind, headers=headers)


# ── switches ───────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/language")
async def language(visit: ThisVisit, data: Form) -> Redirect:
    """Switch the language, and go back to where the visitor was."""
    chosen = data.get("language", "")
    if chosen in LANGUAGES:
        visit.keep(LANGUAGE_COOKIE, chosen)
    return back(data)


@post("/theme")
async def theme(visit: ThisVisit, data: Form) -> Redirect:
    """Switch between light, dark, and what the browser prefers."""
    chosen = data.get("theme", "")
    if chosen in THEMES:
        visit.keep(THEME_COOKIE, chosen)
    else:
        visit.drop(THEME_COOKIE)
    return back(data)


def back(data: dict[str, str], otherwise: str = "/") -> Redirect:
    """Return to the page in the field `back`, if it is one of ours."""
    return Redirect(inside(data.get("back", ""), otherwise), status_code=303)


def inside(path: str, otherwise: str = "/") -> str:
    """Return a path of this site as it was given, or the other one: nobody is led elsewhere."""
    parts = urlsplit(path) if path.isascii() and path.isprintable() and "\\" not in path else None
    if parts is None or parts.scheme or parts.netloc or not path.startswith("/") or path.startswith("//"):
        return otherwise
    return path
