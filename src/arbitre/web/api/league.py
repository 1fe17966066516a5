"""The draughts league for programs: the table, its players, the confirmed games; of reports that wait only how many there are."""

from typing import Annotated

from litestar import MediaType, Response, get
from litestar.exceptions import NotFoundException
from litestar.params import QueryParameter
from msgspec import Struct, convert

from arbitre.records.league import Confirmed, pending_games
from arbitre.services.league import RESULTS, Line, pdn
from arbitre.web.api.common import After, Number, open_to_all, paged
from arbitre.web.api.forms import Page
from arbitre.web.given import OurHouse
from arbitre.web.house import House
from arbitre.web.listeners import DEFENDER
from arbitre.web.pages.league import door


class LeagueLine(Struct, rename={"alone": "self"}):
    """A player's line of the table."""

    name: str
    points: float
    games: int
    won: int
    drawn: int
    lost: int
    alone: int
    """Games against oneself, which count for nothing."""
    rating: float
    strength: float | None
    """The likeliest strength; null where nothing is rated."""
    error: float | None


class LeagueForm(Struct):
    """The table of the league."""

    games: int
    pending: int
    """Games that one side has reported."""
    table: list[LeagueLine]
    """The best first."""
    registrar: str | None
    """Where robots report their games."""
    defender: str | None
    """Where the house answers challenges."""


class LeaguePlayer(Struct):
    """A player of the league."""

    place: int
    line: LeagueLine


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


def _line(line: Line) -> LeagueLine:
    return convert(line.fields(), LeagueLine)


def _game(one: Confirmed, *, moves: bool = False) -> LeagueGame:
    played = [str(move) for move in one.report.game.moves] if moves else None
    return LeagueGame(one.number, one.day, one.pair.white, one.pair.black, RESULTS[one.report.game.scores], played)


@get("/api/league", **open_to_all())
async def get_league(house: OurHouse) -> LeagueForm:
    """Return the table, and how many games it follows from."""
    await house.league.look()
    return LeagueForm(
        len(house.league.games),
        pending_games(house.store),
        list(map(_line, house.league.table)),
        door(house)[0] or None,
        door(house, DEFENDER)[0] or None,
    )


@get("/api/league/player", **open_to_all(404))
async def get_league_player(
    house: OurHouse, name: Annotated[str, QueryParameter(max_length=80, description="a group, or an address")]
) -> LeaguePlayer:
    """Return the place of one player and the line of the table."""
    await house.league.look()
    found = house.league.line(name)
    if found is None:
        raise NotFoundException("nobody of that name or address has a confirmed game in the league")
    return LeaguePlayer(found[0], _line(found[1]))


@get("/api/league/games", **open_to_all())
async def list_league_games(
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


@get("/api/league/games/{number:int}", **open_to_all())
async def get_league_game(house: OurHouse, number: Number) -> LeagueGame:
    """Return one confirmed game with its moves."""
    return _game(await _found(house, number), moves=True)


@get("/api/league/games/{number:int}/pdn", media_type=MediaType.TEXT, **open_to_all())
async def get_league_game_pdn(house: OurHouse, number: Number) -> Response[str]:
    """Hand one game out as PDN."""
    return Response(pdn([await _found(house, number)]), media_type=MediaType.TEXT)


@get("/api/league/pdn", media_type=MediaType.TEXT, **open_to_all())
async def get_league_pdn(house: OurHouse) -> Response[str]:
    """Hand all confirmed games out as one PDN text."""
    return Response(await house.league.pdn(), media_type=MediaType.TEXT)


ROUTES = (get_league, get_league_player, list_league_games, get_league_game, get_league_game_pdn, get_league_pdn)
