"""The site itself and one's account, for programs: whom a token speaks for, the catalogue, the key, health, photos."""

import asyncio
from typing import Annotated, Any

from litestar import delete, get, post
from litestar.params import JSONBody, PathParameter, QueryParameter
from msgspec import DecodeError, Meta, Struct
from msgspec.json import decode

from arbitre import __version__
from arbitre.errors import UnknownGameError
from arbitre.games.catalogue import game as find_game
from arbitre.games.catalogue import listing, listings
from arbitre.games.levels import levels
from arbitre.site.photos import Photo, PhotoId
from arbitre.site.tokens import Scope
from arbitre.web.api.common import After, Number, bearer, open_to_all, paged, repeatable, token_of, with_token
from arbitre.web.api.forms import GameName, Page
from arbitre.web.api.refusal import RefusedException
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.metrics import condition
from arbitre.web.rulebook import Rulebook, rulebook


class Me(Struct):
    """Who a token speaks for."""

    name: str
    neutral: str
    role: str
    scopes: list[str]


class Option(Struct):
    """An option of a game."""

    name: str
    default: str
    line: str


class GameForm(Struct):
    """A game of the catalogue."""

    name: str
    title: str
    line: str
    levels: int
    options: list[Option]


class NewPhoto(Struct, forbid_unknown_fields=True):
    """A position to keep."""

    title: Annotated[str, Meta(min_length=1, max_length=80)]
    game: GameName
    state: Annotated[str, Meta(min_length=1, max_length=4_000)]
    options: dict[str, str | int | bool] = {}
    """Of the game, where they are not the usual ones."""


class PhotoForm(Struct):
    """A photographed position, and the options of its game that are not the usual ones."""

    id: int
    title: str
    game: str
    state: str
    options: dict[str, Any]


class KeyForm(Struct):
    """The key with which the site signs records."""

    public: str
    """In hexadecimal."""
    fingerprint: str


class HealthForm(Struct):
    """How the site is."""

    status: str
    version: str
    live: int
    """Matches that are being played."""


@get("/api/health", **open_to_all())
async def get_health(house: OurHouse) -> HealthForm:
    """Tell that the site is well: its store answers, and has room."""
    return HealthForm(condition(house), __version__, len(house.arena.playing()))


@get("/api/key", **open_to_all())
async def get_key(house: OurHouse) -> KeyForm:
    """Return the public key, for whoever checks records."""
    return KeyForm(house.key.public.hex(), house.key.fingerprint)


@get("/api/me", **with_token(Scope.READ))
async def get_me(visit: ThisVisit) -> Me:
    """Return who the token speaks for."""
    found = token_of(visit)
    return Me(found.account.name, found.account.neutral, found.account.role.value, sorted(found.token.scopes))


@delete("/api/me/token", status_code=204, **with_token(None))
async def end_token(house: OurHouse, visit: ThisVisit) -> None:
    """End the token that this is asked with: it is good for nothing any more."""
    found = token_of(visit)
    await asyncio.to_thread(house.community.tokens.revoke, found.account, found.token.id)


@get("/api/games", **open_to_all())
async def list_games() -> list[GameForm]:
    """Return the catalogue of games."""
    return [
        GameForm(
            one.name,
            one.title or one.name,
            one.line,
            len(levels(one.name)),
            [Option(each.name, str(each.default), each.line) for each in one.options()],
        )
        for one in listings()
    ]


@get("/api/games/{name:str}", **open_to_all())
async def get_game(
    visit: ThisVisit,
    name: Annotated[str, PathParameter(max_length=60, description="the name of a game")],
    options: Annotated[
        str, QueryParameter(max_length=1_000, description="options that are not as usual, a JSON object: spellings follow them")
    ] = "",
) -> Rulebook:
    """Return one game for a program that knows nothing of it: rules in words, options, how moves and positions are spelt."""
    try:
        chosen = decode(options, type=dict[str, str | int | bool]) if options else {}
    except DecodeError as error:
        raise RefusedException(
            "options are a JSON object of texts, numbers and truth values: %(error)s", 400, error=error
        ) from None
    try:
        found = listing(name)
    except UnknownGameError as error:
        raise RefusedException(error.reason.code, 404, **error.reason.fields) from None
    return await asyncio.to_thread(rulebook, found, visit.language, chosen)


# ── photographed positions ─────────────────────────────────────────────────────────────────────────────────────────


def photo_form(one: Photo) -> PhotoForm:
    """Return a photographed position, as programs read it."""
    return PhotoForm(one.id, one.title, one.game, one.state, dict(one.options))


@get("/api/photos", **with_token(Scope.READ))
async def list_photos(house: OurHouse, visit: ThisVisit, after: After = 0) -> Page[PhotoForm]:
    """List one's own photographed positions, the newest first."""
    found = await asyncio.to_thread(house.community.photos.of, bearer(visit))
    return paged(found, lambda one: one.id, after, photo_form, newest=True)


@get("/api/photos/{number:int}", **with_token(Scope.READ))
async def get_photo(house: OurHouse, visit: ThisVisit, number: Number) -> PhotoForm:
    """Return one of one's own photographed positions."""
    return photo_form(await asyncio.to_thread(house.community.photos.get, bearer(visit), PhotoId(number)))


@post("/api/photos", status_code=201, **repeatable(Scope.PLAY))
async def take_photo(house: OurHouse, visit: ThisVisit, data: JSONBody[NewPhoto]) -> PhotoForm:
    """Keep a position; the same under the same title is kept once."""
    account = bearer(visit)
    game = find_game(data.game, data.options)
    return photo_form(await asyncio.to_thread(house.community.photos.take, account, data.title, game, data.state))


@delete("/api/photos/{number:int}", status_code=204, **with_token(Scope.PLAY))
async def remove_photo(house: OurHouse, visit: ThisVisit, number: Number) -> None:
    """Throw a photographed position away."""
    await asyncio.to_thread(house.community.photos.remove, bearer(visit), PhotoId(number))
