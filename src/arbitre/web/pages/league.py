"""The draughts league on the site: its table, its players, every confirmed game on a board, and how to take part.

What is shown follows from the confirmed games (`arbitre.services.league`). Of reports that wait for the other side's only their
being there is told, never the moves: whoever knew them could claim the game first (spec: draughts, section 3).
"""

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote, urlsplit

from litestar import MediaType, Response, get
from litestar.exceptions import NotFoundException

from arbitre.community.accounts import Role
from arbitre.notation.pdn import GAME
from arbitre.protocol.screen import Site
from arbitre.protocol.screens import screen_of
from arbitre.records.league import Confirmed, pending_games, versions_of, waiting_versions
from arbitre.rules.draughts import Board
from arbitre.rules.game import DRAW, FIRST, SECOND, WIN, value
from arbitre.services.league import RESULTS, Line, pdn
from arbitre.transport.sockets import Endpoint
from arbitre.web.given import FromPath, FromQuery, OurHouse, ThisVisit
from arbitre.web.house import House
from arbitre.web.listeners import DEFENDER, REGISTRAR

LATEST = 12
"""Games, and waiting reports, on the first page."""
MOST_LISTED = 500
"""Games on the page of one player."""
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


def door(house: House, name: str = REGISTRAR) -> tuple[str, str]:
    """Return where robots reach a listener of this site, and why they do not; one of them is empty."""
    for one in house.listeners:
        if one.name == name:
            host = urlsplit(house.settings.public).hostname or house.settings.host
            port = house.settings.registrar_port if name == REGISTRAR else house.settings.defender_port
            return (str(Endpoint(host, port)), "") if one.where else ("", one.why)
    return "", ""


def path_of(name: str) -> str:
    """Return the address of a player's page; groups may be called anything."""
    return f"/league/players/{quote(name, safe=':')}"


def outcome(game: Confirmed, name: str) -> str:
    """Return how a game ended for a player: won, drawn, lost, or self where both sides were theirs."""
    if game.pair.white == game.pair.black:
        return "self"
    score = game.report.game.scores[FIRST if game.pair.white == name else SECOND]
    return "won" if score == WIN else "drawn" if score == DRAW else "lost"


@get("/league")
async def league(house: OurHouse, visit: ThisVisit) -> Response[str]:
    """Show the table, the latest games, what waits, and how to take part."""
    await house.league.look()
    registrar, why = door(house)
    return house.page(
        visit,
        "league.html",
        rows=rows(house.league.table),
        games=list(reversed(house.league.games[-LATEST:])),
        count=len(house.league.games),
        waiting=waiting_versions(house.store, LATEST),
        pending=pending_games(house.store),
        registrar=registrar,
        defender=door(house, DEFENDER)[0],
        defender_level=house.settings.defender_level,
        why=why if visit.person is not None and visit.person.may(Role.OPERATOR) else "",
        results=RESULTS,
        path_of=path_of,
    )


@get("/league/players/{name:path}")
async def player(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[str]:
    """Show one player: the line of the table, and every game."""
    await house.league.look()
    name = name.removeprefix("/")
    found = house.league.line(name)
    if found is None:
        raise NotFoundException(visit.words("Nobody of that name or address has a confirmed game in the league."))
    place, line = found
    games = house.league.games_of(name)
    listed = [(game, outcome(game, name)) for game in games[:MOST_LISTED]]
    return house.page(
        visit, "league_player.html", place=place, line=line, games=listed, count=len(games), results=RESULTS, path_of=path_of
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
    site = Site(names=(game.pair.white, game.pair.black), wait=WAIT, mute=True)
    before: Board | None = None
    board = GAME.start()
    yield Ply(0, "", screen.show(board, "spectator").query(site))
    for number, move in enumerate(game.report.game.moves, start=1):
        before, board = board, board.after(move)
        yield Ply(number, str(move), screen.show(board, "spectator", before=before).query(site))


@get("/league/games/{number:int}")
async def game_page(house: OurHouse, visit: ThisVisit, number: FromPath[int], ply: FromQuery[int | None] = None) -> Response[str]:
    """Replay one game on the board."""
    game = await found_game(house, visit.words, number)
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
        versions=versions_of(house.store, game),
        path_of=path_of,
    )


async def found_game(house: House, words: Any, number: int) -> Confirmed:
    """Return a confirmed game, or say that there is none."""
    await house.league.look()
    game = house.league.game(number)
    if game is None:
        raise NotFoundException(words("No confirmed game has this number."))
    return game


@get("/league/games/{number:int}/pdn")
async def game_pdn(house: OurHouse, visit: ThisVisit, number: FromPath[int]) -> Response[str]:
    """Hand one game out as PDN."""
    game = await found_game(house, visit.words, number)
    return _file(pdn([game]), f"league-{number}.pdn")


@get("/league/pdn")
async def all_pdn(house: OurHouse) -> Response[str]:
    """Hand all confirmed games out as one PDN file."""
    return _file(await house.league.pdn(), "league.pdn")


def _file(text: str, name: str) -> Response[str]:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=MediaType.TEXT, headers=headers)


ROUTES = (league, player, game_page, game_pdn, all_pdn)
