"""The draughts league on the site: its table, its players, every confirmed game on a board, and how to take part.

What is shown follows from the confirmed games (`arbitre.league.table`). Of reports that wait for the other side's only their
being there is told, never the moves: whoever knew them could claim the game first (spec: draughts, section 3).
"""

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from litestar import MediaType, Response, get
from litestar.exceptions import NotFoundException
from litestar.response import Redirect

from arbitre.games.draughts.pdn import GAME
from arbitre.games.draughts.rules import Board
from arbitre.games.game import DRAW, FIRST, SECOND, WIN
from arbitre.games.screen import Surroundings
from arbitre.games.wires import screen_of
from arbitre.league.house import LEVELS
from arbitre.league.ledger import Confirmed, pending_games, report_of, versions_of, waiting_versions
from arbitre.league.table import RESULTS, Line, pdn
from arbitre.site import league as found
from arbitre.site.accounts import Role
from arbitre.site.listeners import Door
from arbitre.values import value
from arbitre.web.dependencies import FromPath, FromQuery, OurHouse, ThisVisit, Whole
from arbitre.web.house import WebApp
from arbitre.web.visit import Visit

LATEST = 12
"""Games, and waiting reports, on a page of the league."""
TABLE = 100
"""Players on a page of the table."""
LISTED = 100
"""Games on a page of one player."""
SIDES = {"white": FIRST, "black": SECOND}
WAIT = 3
"""Tenths of a second between a capture and its effect."""


@value
class Row:
    """A line of the table as it is drawn: where its error bar begins, where its dot is and where it ends, of a hundred."""

    place: int
    line: Line
    bar: tuple[float, float, float] | None


def rows(lines: Iterable[Line]) -> list[Row]:
    """Return the lines with their error bars on one scale."""
    kept = tuple(lines)
    measured = [line.strength for line in kept if line.strength is not None]
    low = min((one.elo - one.error for one in measured), default=0.0)
    span = max((one.elo + one.error for one in measured), default=1.0) - low or 1.0

    def bar(line: Line) -> tuple[float, float, float] | None:
        if line.strength is None:
            return None
        elo, error = line.strength.elo, line.strength.error
        left, dot, right = (round(4 + 92 * (at - low) / span, 1) for at in (elo - error, elo, elo + error))
        return left, dot, right

    return [Row(place, line, bar(line)) for place, line in enumerate(kept, start=1)]


def path_of(name: str) -> str:
    """Return the address of a player's page; groups may be called anything."""
    return f"/league/players/{quote(name, safe=':')}"


def outcome(game: Confirmed, name: str) -> str:
    """Return how a game ended for a player: won, drawn, lost, or self where both sides were theirs."""
    if game.pair.white == game.pair.black:
        return "self"
    score = game.report.game.scores[FIRST if game.pair.white == name else SECOND]
    return "won" if score == WIN else "drawn" if score == DRAW else "lost"


@value
class Leaf:
    """One page of a list that is too long for one."""

    at: int
    last: int
    start: int
    end: int


def leaf(at: int, count: int, size: int) -> Leaf:
    """Return the page of this number, from 1; the nearest where there is none."""
    last = max(1, -(-count // size))
    at = min(max(at, 1), last)
    return Leaf(at, last, (at - 1) * size, min(at * size, count))


@get("/league")
async def league(house: OurHouse, visit: ThisVisit, games: Whole = 1, table: Whole = 1) -> Response[str]:
    """Show the table, the games page by page, what waits, and how to take part."""
    return await league_page(house, visit, games, table)


async def league_page(
    house: WebApp, visit: Visit, games: int = 1, table: int = 1, *, problem: str = "", address: str = "", status: int = 200
) -> Response[str]:
    """Return a page of the league; with what was wrong, where an address was typed in that cannot be challenged."""
    await house.league.look()
    played = house.league.games[::-1]
    shown, listed = leaf(games, len(played), LATEST), leaf(table, len(house.league.table), TABLE)
    registrar, why = house.reached(Door.REGISTRAR)
    return house.page(
        visit,
        "league.html",
        status=status,
        problem=problem,
        address=address,
        levels=LEVELS,
        rows=rows(house.league.table)[listed.start : listed.end],
        listed=listed,
        games=played[shown.start : shown.end],
        shown=shown,
        count=len(played),
        waiting=waiting_versions(house.store, LATEST, house.league.roster),
        pending=pending_games(house.store),
        registrar=registrar,
        defender=house.reached(Door.DEFENDER)[0],
        defender_level=house.settings.defender_level,
        why=why if visit.person is not None and visit.person.may(Role.OPERATOR) else None,
        results=RESULTS,
        path_of=path_of,
    )


@get("/league/players/{name:path}")
async def player(house: OurHouse, visit: ThisVisit, name: FromPath[str], games: Whole = 1) -> Response[Any]:
    """Show one player: the line of the table, and every game, page by page."""
    await house.league.look()
    name = name.removeprefix("/")
    found = house.league.line(name)
    if found is None and house.league.line(group := house.league.roster.name_of(name)) is not None:
        return Redirect(path_of(group), status_code=303)  # an address that has a name by now
    if found is None:
        raise NotFoundException(visit.words("Nobody of that name or address has a confirmed game in the league."))
    place, line = found
    played = house.league.games_of(name)
    shown = leaf(games, len(played), LISTED)
    listed = [(game, outcome(game, name)) for game in played[shown.start : shown.end]]
    return house.page(
        visit, "league_player.html", place=place, line=line, games=listed, shown=shown, results=RESULTS, path_of=path_of
    )


@value
class Ply:
    """One step of a replay: the move, and the query that shows it on an interface."""

    number: int
    move: str
    query: str


def plies(game: Confirmed) -> Iterator[Ply]:
    """Return the steps of a game, the board before the first move included."""
    screen = screen_of(GAME)
    site = Surroundings(names=(game.pair.white, game.pair.black), wait=WAIT, mute=True)
    before: Board | None = None
    board = GAME.start()
    yield Ply(0, "", screen.show(board, "spectator").query(site))
    for number, move in enumerate(game.report.game.moves, start=1):
        before, board = board, board.after(move)
        yield Ply(number, str(move), screen.show(board, "spectator", before=before).query(site))


@get("/league/games/{number:int}")
async def game_page(house: OurHouse, visit: ThisVisit, number: FromPath[int], ply: FromQuery[int | None] = None) -> Response[str]:
    """Replay one game on the board."""
    game = await found.game(house, number)
    steps = list(plies(game))
    at = len(steps) - 1 if ply is None else min(max(ply, 0), len(steps) - 1)
    scores = game.report.game.scores
    winner = None if scores == (DRAW, DRAW) else game.pair.white if scores[0] == WIN else game.pair.black
    return house.page(
        visit,
        "league_game.html",
        game=game,
        steps=steps,
        at=at,
        winner=winner,
        result=RESULTS[scores],
        versions=versions_of(house.store, game, house.league.roster),
        path_of=path_of,
    )


@get("/league/games/{number:int}/pdn")
async def game_pdn(house: OurHouse, number: FromPath[int]) -> Response[str]:
    """Hand one game out as PDN."""
    game = await found.game(house, number)
    return _file(pdn([game]), f"league-{number}.pdn")


@get("/league/games/{number:int}/reports/{side:str}")
async def game_report(house: OurHouse, visit: ThisVisit, number: FromPath[int], side: FromPath[str]) -> Response[bytes]:
    """Hand one side's report of a game out, octet by octet: `arbitre draughts judge` judges it again."""
    game = await found.game(house, number)
    data = report_of(house.store, game, SIDES[side], house.league.roster) if side in SIDES else None
    if data is None:
        raise NotFoundException(visit.words("No confirmed game has this number."))
    headers = {"Content-Disposition": f'attachment; filename="league-{number}-{side}.report"'}
    return Response(data, media_type="application/octet-stream", headers=headers)


@get("/league/pdn")
async def all_pdn(house: OurHouse) -> Response[str]:
    """Hand all confirmed games out as one PDN file."""
    return _file(await house.league.pdn(), "league.pdn")


def _file(text: str, name: str) -> Response[str]:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=MediaType.TEXT, headers=headers)
