"""What anybody takes away from a competition: tables for a spreadsheet, every record with the plan, the draw."""

import asyncio

from litestar import MediaType, Response, get
from litestar.exceptions import NotFoundException

from arbitre.site.competitions.competitions import Stage
from arbitre.site.competitions.draw import house_seed, read_draw
from arbitre.web.archive import archive
from arbitre.web.contests import find
from arbitre.web.given import FromPath, FromQuery, OurHouse, ThisVisit
from arbitre.web.pages.compete import drawn_board
from arbitre.web.scoreboard import games_csv, standings_csv
from arbitre.web.sheets import Sheet, handed


@get("/compete/{number:int}/standings.csv", media_type="text/csv")
async def standings(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> Response[str]:
    """Hand out the standings for a spreadsheet."""
    board = await drawn_board(house, visit, number, code)
    return handed(standings_csv(board, Sheet(visit.words)), f"competition-{number}-standings")


@get("/compete/{number:int}/games.csv", media_type="text/csv")
async def games(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> Response[str]:
    """Hand out the games for a spreadsheet."""
    board = await drawn_board(house, visit, number, code)
    return handed(games_csv(board, house.settings.public, Sheet(visit.words)), f"competition-{number}-games")


@get("/compete/{number:int}/records.zip", media_type="application/zip")
async def records(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> Response[bytes]:
    """Hand out everything that proves a competition which is over: the plan with its seed, the draw, and every record."""
    found = await find(house, visit, number, code)
    if found.stage is not Stage.OVER or found.tournament is None:
        raise NotFoundException
    seed = house_seed(house.key, found.code)
    body = await asyncio.to_thread(archive, house.store, found.tournament, found.proof or "", seed)
    headers = {"Content-Disposition": f'attachment; filename="competition-{found.id}.zip"'}
    return Response(body, media_type="application/zip", headers=headers)


@get("/compete/{number:int}/draw.jsonl", media_type=MediaType.TEXT)
async def transcript(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> str:
    """Hand out the transcript of the contestants' own draw."""
    drawn = read_draw((await find(house, visit, number, code)).proof)
    if drawn is None or not drawn.transcript:
        raise NotFoundException
    return drawn.transcript


ROUTES = (standings, games, records, transcript)
