"""The draughts league for programs: the table, its players, the confirmed games; of reports that wait only how many there are.

A program may also let the house challenge its defender, as the page does.
"""

from typing import Annotated

from litestar import MediaType, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import JSONBody, PathParameter, QueryParameter
from msgspec import Meta, Struct, convert

from arbitre.errors import LeagueError, UnfitError
from arbitre.games.game import FIRST, SECOND
from arbitre.league.house import LEVELS, Challenge, Trouble
from arbitre.league.ledger import Confirmed, pending_games, report_of, versions_of
from arbitre.league.table import RESULTS, Line, pdn
from arbitre.site import league
from arbitre.site.listeners import Door
from arbitre.site.tokens import Scope
from arbitre.web.api.common import After, Number, open_to_all, paged, repeatable
from arbitre.web.api.forms import Coded, Page, coded
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.house import WebApp
from arbitre.words import Words


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


class SideReport(Struct):
    """One side's report of a game."""

    reporter: str
    date: str
    octets: str
    """All 256 of them, two hexadecimal digits each."""


class LeagueReports(Struct):
    """Both reports that confirmed a game: enough to judge it again."""

    white: SideReport
    black: SideReport


class NewLeagueChallenge(Struct, forbid_unknown_fields=True):
    """A defender that the house is to challenge."""

    address: Annotated[str, Meta(min_length=1, max_length=league.LONGEST_ADDRESS)]
    """A host, `host:7777` or `[2001:db8::1]:7777`."""
    level: Annotated[int, Meta(ge=LEVELS[0], le=LEVELS[-1])] = league.USUAL_LEVEL
    """How strong the house plays."""


class WrongMove(Struct):
    """A move that is not legal."""

    said: str
    reason: str
    """Why not, in the caller's language."""
    why: Coded
    """The same as a code with its fields."""


class LeagueChallenge(Struct):
    """A challenge of the house, and what came of it."""

    name: str
    """Whoever knows it may ask for it."""
    address: str
    level: int
    over: bool
    plies: int
    """Moves of both sides so far."""
    trouble: Trouble | None
    """What went wrong, in a word."""
    evidence: str
    """What the house saw, in the caller's language."""
    wrong: list[WrongMove]
    moves: list[str]
    """Of a game that was not finished; those of one that counts are with the confirmed games."""
    result: str | None
    """`2-0`, `1-1` or `0-2`, the defender first; null where the game was not finished."""
    report: str | None
    """What the registrar answered to the house."""
    game: int | None
    """The number of the confirmed game."""
    why: Coded
    """What the house saw, as a code with its fields."""


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
        house.reached(Door.REGISTRAR)[0] or None,
        house.reached(Door.DEFENDER)[0] or None,
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


async def _challenge(house: WebApp, words: Words, one: Challenge) -> LeagueChallenge:
    verdict = None if one.finished is None or one.trouble is not None else one.finished.verdict
    return LeagueChallenge(
        one.name,
        str(one.server),
        one.level,
        one.over,
        len(one.duel.moves),
        one.trouble,
        words.of(one.evidence),
        [WrongMove(wrong.text, words.of(wrong.why), coded(wrong.why)) for wrong in one.refused],
        list(map(str, one.moves)),
        None if verdict is None or verdict.scores is None else RESULTS[verdict.scores[FIRST], verdict.scores[SECOND]],
        house.robots.answer_to(one) or None,
        await league.confirmed(house, one),
        coded(one.evidence),
    )


@post("/api/league/challenges", status_code=201, **repeatable(Scope.PLAY, 400, 429))
async def challenge_defender(house: OurHouse, visit: ThisVisit, data: JSONBody[NewLeagueChallenge]) -> LeagueChallenge:
    """Let the house challenge a defender at an address; ask for the challenge to see what came of it."""
    try:
        return await _challenge(house, visit.words, league.challenge(house, visit.caller, data.address, data.level))
    except LeagueError as error:
        raise UnfitError("address", error.reason) from None


@get("/api/league/challenges/{name:str}", **open_to_all(404))
async def get_defender_challenge(
    house: OurHouse, visit: ThisVisit, name: Annotated[str, PathParameter(max_length=80, description="its name")]
) -> LeagueChallenge:
    """Return a challenge of the house, and what came of it."""
    return await _challenge(house, visit.words, league.challenged(house, name))


@get("/api/league/games/{number:int}", **open_to_all())
async def get_league_game(house: OurHouse, number: Number) -> LeagueGame:
    """Return one confirmed game with its moves."""
    return _game(await league.game(house, number), moves=True)


@get("/api/league/games/{number:int}/pdn", media_type=MediaType.TEXT, **open_to_all())
async def get_league_game_pdn(house: OurHouse, number: Number) -> Response[str]:
    """Hand one game out as PDN."""
    return Response(pdn([await league.game(house, number)]), media_type=MediaType.TEXT)


@get("/api/league/games/{number:int}/reports", **open_to_all())
async def get_league_reports(house: OurHouse, number: Number) -> LeagueReports:
    """Return both reports of a confirmed game, octet by octet."""
    game, roster = await league.game(house, number), house.league.roster
    octets = {seat: report_of(house.store, game, seat, roster) for seat in (FIRST, SECOND)}
    forms = [SideReport(one.reporter, one.day, (octets[one.seat] or b"").hex()) for one in versions_of(house.store, game, roster)]
    return LeagueReports(*forms)


@get("/api/league/pdn", media_type=MediaType.TEXT, **open_to_all())
async def get_league_pdn(house: OurHouse) -> Response[str]:
    """Hand all confirmed games out as one PDN text."""
    return Response(await house.league.pdn(), media_type=MediaType.TEXT)
