"""What is kept, for programs: the account, the catalogue of games, engines, interfaces, photographed positions.

To register the same engine twice is to register it once; with the same name and something else in it, it clashes.
"""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from litestar import delete, get, post, put
from litestar.exceptions import HTTPException
from litestar.params import JSONBody, PathParameter, QueryParameter

from arbitre.community.accounts import Account
from arbitre.community.engines import Engine, EngineId
from arbitre.community.interfaces import Interface, InterfaceId
from arbitre.community.photos import Photo, PhotoId
from arbitre.community.tokens import Scope
from arbitre.engines import levels
from arbitre.errors import NameTakenError
from arbitre.protocol.tournoyons import Style
from arbitre.rules.catalogue import game as find_game
from arbitre.rules.catalogue import listings
from arbitre.web.api.common import API, READS, WRITE, WRITES, bearer, reader
from arbitre.web.api.forms import (
    EngineForm,
    GameForm,
    InterfaceForm,
    Me,
    NewEngine,
    NewInterface,
    NewPhoto,
    Option,
    Page,
    PhotoForm,
)
from arbitre.web.given import OurHouse, ThisVisit

T = TypeVar("T")

PAGE = 50

Number = Annotated[int, PathParameter(ge=1, le=2**53 - 1, description="its number")]
After = Annotated[int, QueryParameter(ge=0, le=2**53 - 1, description="go on behind this number")]
OfGame = Annotated[str, QueryParameter(max_length=60, description="only for this game")]


@get("/api/me", responses=WRITES, **API)
async def me(visit: ThisVisit) -> Me:
    """Return who the token speaks for."""
    account = bearer(visit, Scope.READ)
    assert visit.bearer is not None  # noqa: S101 - `bearer` looked
    return Me(account.name, account.neutral, account.role.value, sorted(visit.bearer.token.scopes))


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


def _page(found: tuple[Any, ...], form: Callable[[Any], T]) -> Page[T]:
    shown = found[:PAGE]
    return Page([form(one) for one in shown], shown[-1].id if len(found) > PAGE else None)


# ── engines ────────────────────────────────────────────────────────────────────────────────────────────────────────


def engine_form(one: Engine, account: Account | None) -> EngineForm:
    """Return an engine as somebody may see it."""
    mine = account is not None and one.owner == account.id
    return EngineForm(
        one.id, one.game, one.name, one.opponent, one.state, mine, one.url if mine else None, one.fault if mine else None
    )


@get("/api/engines", responses=READS, **API)
async def engines(house: OurHouse, visit: ThisVisit, game: OfGame = "", after: After = 0) -> Page[EngineForm]:
    """List engines that one may play against, the oldest first."""
    account = reader(visit)
    kept = house.community.engines
    found = await asyncio.to_thread(lambda: kept.all(game=game or None, by=account, after=after, most=PAGE + 1))
    return _page(found, lambda one: engine_form(one, account))


@post("/api/engines", status_code=201, responses=WRITES, **WRITE)
async def add_engine(house: OurHouse, visit: ThisVisit, data: JSONBody[NewEngine]) -> EngineForm:
    """Register an engine."""
    account = bearer(visit, Scope.ENGINES)
    style = Style(data.full, data.direct, data.notify, data.login)
    kept = house.community.engines

    def add() -> Engine:
        try:
            return kept.add(account, game=data.game, name=data.name, url=data.url, style=style, public=data.public)
        except NameTakenError:
            for one in kept.of(account):
                if (one.game, one.name, one.url, one.style, one.public) == (data.game, data.name, data.url, style, data.public):
                    return one
            raise

    return engine_form(await asyncio.to_thread(add), account)


@put("/api/engines/{number:int}", responses=WRITES, **API)
async def change_engine(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[NewEngine]) -> EngineForm:
    """Change an engine of one's own; its game stays."""
    account = bearer(visit, Scope.ENGINES)
    style = Style(data.full, data.direct, data.notify, data.login)
    kept = house.community.engines

    def change() -> Engine:
        if kept.get(number, account).game != data.game:
            raise HTTPException("an engine keeps its game; register another", status_code=409)
        return kept.edit(account, EngineId(number), name=data.name, url=data.url, style=style, public=data.public)

    return engine_form(await asyncio.to_thread(change), account)


@delete("/api/engines/{number:int}", status_code=200, responses=WRITES, **API)
async def retire_engine(house: OurHouse, visit: ThisVisit, number: Number) -> EngineForm:
    """Retire an engine of one's own; its games stay."""
    account = bearer(visit, Scope.ENGINES)
    return engine_form(await asyncio.to_thread(house.community.engines.retire, account, number), account)


# ── interfaces ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _interface(one: Interface, account: Account | None) -> InterfaceForm:
    return InterfaceForm(one.id, one.game, one.name, one.url, account is not None and one.owner == account.id)


@get("/api/interfaces", responses=READS, **API)
async def interfaces(house: OurHouse, visit: ThisVisit, game: OfGame = "", after: After = 0) -> Page[InterfaceForm]:
    """List interfaces that one may choose, the oldest first."""
    account = reader(visit)
    kept = house.community.interfaces
    found = await asyncio.to_thread(lambda: kept.all(game=game or None, by=account, after=after, most=PAGE + 1))
    return _page(found, lambda one: _interface(one, account))


@post("/api/interfaces", status_code=201, responses=WRITES, **WRITE)
async def add_interface(house: OurHouse, visit: ThisVisit, data: JSONBody[NewInterface]) -> InterfaceForm:
    """Register an interface."""
    account = bearer(visit, Scope.ENGINES)
    kept = house.community.interfaces

    def add() -> Interface:
        try:
            return kept.add(account, game=data.game, name=data.name, url=data.url, public=data.public)
        except NameTakenError:
            for one in kept.of(account):
                if (one.game, one.name, one.url, one.public) == (data.game, data.name, data.url, data.public):
                    return one
            raise

    return _interface(await asyncio.to_thread(add), account)


@delete("/api/interfaces/{number:int}", status_code=200, responses=WRITES, **API)
async def retire_interface(house: OurHouse, visit: ThisVisit, number: Number) -> InterfaceForm:
    """Retire an interface of one's own."""
    account = bearer(visit, Scope.ENGINES)
    found = await asyncio.to_thread(house.community.interfaces.retire, account, InterfaceId(number))
    return _interface(found, account)


# ── photographed positions ─────────────────────────────────────────────────────────────────────────────────────────


def _photo(one: Photo) -> PhotoForm:
    return PhotoForm(one.id, one.title, one.game, one.state)


@get("/api/photos", responses=WRITES, **API)
async def photos(house: OurHouse, visit: ThisVisit) -> list[PhotoForm]:
    """List one's own photographed positions, the newest first."""
    account = bearer(visit, Scope.READ)
    return [_photo(one) for one in await asyncio.to_thread(house.community.photos.of, account)]


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

    return _photo(await asyncio.to_thread(take))


@delete("/api/photos/{number:int}", status_code=204, responses=WRITES, **API)
async def remove_photo(house: OurHouse, visit: ThisVisit, number: Number) -> None:
    """Throw a photographed position away."""
    await asyncio.to_thread(house.community.photos.remove, bearer(visit, Scope.PLAY), PhotoId(number))


ROUTES = (
    me,
    games,
    engines,
    add_engine,
    change_engine,
    retire_engine,
    interfaces,
    add_interface,
    retire_interface,
    photos,
    take_photo,
    remove_photo,
)
