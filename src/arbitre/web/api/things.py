"""The site itself and one's account, for programs: whom a token speaks for, the catalogue, the key, health, photos."""

import asyncio

from litestar import delete, get, post
from litestar.params import JSONBody
from msgspec import Struct

from arbitre import __version__
from arbitre.community.photos import Photo, PhotoId
from arbitre.community.tokens import Scope
from arbitre.engines import levels
from arbitre.rules.catalogue import game as find_game
from arbitre.rules.catalogue import listings
from arbitre.web.api.common import API, READS, WRITE, WRITES, After, Number, bearer, paged, token_of
from arbitre.web.api.forms import GameForm, Me, NewPhoto, Option, Page, PhotoForm
from arbitre.web.given import OurHouse, ThisVisit


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


@get("/api/health", **API)
async def health(house: OurHouse) -> HealthForm:
    """Tell that the site is well: its store answers."""
    house.store.rows("SELECT 1")
    return HealthForm("ok", __version__, len(house.arena.playing()))


@get("/api/key", **API)
async def key(house: OurHouse) -> KeyForm:
    """Return the public key, for whoever checks records."""
    return KeyForm(house.key.public.hex(), house.key.fingerprint)


@get("/api/me", responses=WRITES, **API)
async def me(visit: ThisVisit) -> Me:
    """Return who the token speaks for."""
    found = token_of(visit, Scope.READ)
    return Me(found.account.name, found.account.neutral, found.account.role.value, sorted(found.token.scopes))


@delete("/api/me/token", status_code=204, responses=WRITES, **API)
async def end_token(house: OurHouse, visit: ThisVisit) -> None:
    """End the token that this is asked with: it is good for nothing any more."""
    found = token_of(visit, Scope.READ)
    await asyncio.to_thread(house.community.tokens.revoke, found.account, found.token.id)


@get("/api/games", **API)
async def games() -> list[GameForm]:
    """Return the catalogue of games."""
    return [
        GameForm(
            one.name,
            one.title or one.name,
            one.line,
            len(levels(one.name)),
            [Option(name, str(default), line) for name, default, line in one.options()],
        )
        for one in listings()
    ]


# ── photographed positions ─────────────────────────────────────────────────────────────────────────────────────────


def photo_form(one: Photo) -> PhotoForm:
    """Return a photographed position, as programs read it."""
    return PhotoForm(one.id, one.title, one.game, one.state, dict(one.options))


@get("/api/photos", responses=WRITES, **API)
async def photos(house: OurHouse, visit: ThisVisit, after: After = 0) -> Page[PhotoForm]:
    """List one's own photographed positions, the newest first."""
    found = await asyncio.to_thread(house.community.photos.of, bearer(visit, Scope.READ))
    return paged(found, lambda one: one.id, after, photo_form, newest=True)


@get("/api/photos/{number:int}", responses=READS | WRITES, **API)
async def photo(house: OurHouse, visit: ThisVisit, number: Number) -> PhotoForm:
    """Return one of one's own photographed positions."""
    return photo_form(await asyncio.to_thread(house.community.photos.get, bearer(visit, Scope.READ), PhotoId(number)))


@post("/api/photos", status_code=201, responses=WRITES, **WRITE)
async def take_photo(house: OurHouse, visit: ThisVisit, data: JSONBody[NewPhoto]) -> PhotoForm:
    """Keep a position; the same under the same title is kept once."""
    account = bearer(visit, Scope.PLAY)
    game = find_game(data.game)
    kept = house.community.photos

    def take() -> Photo:
        for one in kept.of(account, data.game):
            if (one.title, one.state) == (data.title, data.state):
                return one
        return kept.take(account, data.title, game, data.state)

    return photo_form(await asyncio.to_thread(take))


@delete("/api/photos/{number:int}", status_code=204, responses=WRITES, **API)
async def remove_photo(house: OurHouse, visit: ThisVisit, number: Number) -> None:
    """Throw a photographed position away."""
    await asyncio.to_thread(house.community.photos.remove, bearer(visit, Scope.PLAY), PhotoId(number))


ROUTES = (health, key, me, end_token, games, photos, photo, take_photo, remove_photo)
