"""The draughts league for programs: the table, its players, the confirmed games; of reports that wait only how many there are."""

from typing import Annotated, Any

from litestar import MediaType, Response, get
from litestar.exceptions import NotFoundException
from litestar.params import QueryParameter
from msgspec import Struct

from arbitre.records.league import Confirmed, pending_games
from arbitre.services.league import RESULTS, Line, pdn
from arbitre.web.api.common import API, READS, After, Number, paged
from arbitre.web.api.forms import Page
from arbitre.web.given import OurHouse
from arbitre.web.house import House
from arbitre.web.pages.league import door


class LeagueForm(Struct):
    """The table of the league."""

    games: int
    pending: int
    """Games that one side has reported."""
    table: list[dict[str, Any]]
    """The best first: `name`, `points`, `games`, `won`, `drawn`, `lost`, `self`, `rating`, `strength`, `error`."""
    registrar: str | None
    """Where robots report their games."""


class LeaguePlayer(Struct):
    """A player of the league."""

    place: int
    line: dict[str, Any]


class LeagueGame(Struct):
    """A game that both sides reported."""

    number: int
    date: str
    white: str
    black: str
    result: str
    """`2-0`, `1-1` or `0-2`."""
    moves: list[str] | None
    """Only where one game is asked for."""


def _fields(line: Line) -> dict[str, Any]:
    return line.fields()


def _game(one: Confirmed, *, moves: bool = False) -> LeagueGame:
    played = [str(move) for move in one.report.game.moves] if moves else None
    return LeagueGame(one.number, one.day, one.pair.white, one.pair.black, RESULTS[one.report.game.scores], played)


@get("/api/league", **API)
async def league(house: OurHouse) -> LeagueForm:
    """Return the table, and how many games it follows from."""
    await house.league.look()
    return LeagueForm(
        len(house.league.games), pending_games(house.store), list(map(_fields, house.league.table)), door(house)[0] or None
    )


@get("/api/league/player", responses=READS, **API)
async def player(
    house: OurHouse, name: Annotated[str, QueryParameter(max_length=80, description="a group, or an address")]
) -> LeaguePlayer:
    """Return the place of one player and the line of the table."""
    await house.league.look()
    found = house.league.line(name)
    if found is None:
        raise NotFoundException("nobody of that name or address has a confirmed game in the league")
    return LeaguePlayer(found[0], _fields(found[1]))


@get("/api/league/games", responses=READS, **API)
async def games(
    house: OurHouse,
    player: Annotated[str, QueryParameter(max_length=80, description="only those of this player")] = "",
    after: After = 0,
) -> Page[LeagueGame]:
    """List confirmed games, the newest first."""
    await house.league.look()
    found = house.league.games_of(player) if player else house.league.games[::-1]
    return paged(found, lambda one: one.number, after, _game, newest=True)


async def _found(house: House, number: int) -> Confirmed:
    await house.league.look()
    game = house.league.game(number)
    if game is None:
        raise NotFoundException("no confirmed game has this number")
    return game


@get("/api/league/games/{number:int}", responses=READS, **API)
async def game(house: OurHouse, number: Number) -> LeagueGame:
    """Return one confirmed game with its moves."""
    return _game(await _found(house, number), moves=True)


@get("/api/league/games/{number:int}/pdn", responses=READS, media_type=MediaType.TEXT, **API)
async def game_pdn(house: OurHouse, number: Number) -> Response[str]:
    """Hand one game out as PDN."""
    return Response(pdn([await _found(house, number)]), media_type=MediaType.TEXT)


@get("/api/league/pdn", media_type=MediaType.TEXT, **API)
async def all_pdn(house: OurHouse) -> Response[str]:
    """Hand all confirmed games out as one PDN text."""
    return Response(await house.league.pdn(), media_type=MediaType.TEXT)


ROUTES = (league, player, games, game, game_pdn, all_pdn)
