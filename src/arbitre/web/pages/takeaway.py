"""What anybody takes away from a competition: tables for a spreadsheet, every record with the plan, the draw."""

from litestar import MediaType, Response, get
from litestar.exceptions import NotFoundException

from arbitre.errors import UnfinishedError
from arbitre.site.competitions import contests
from arbitre.web.dependencies import FromPath, FromQuery, OurHouse, ThisVisit
from arbitre.web.scoreboard import games_csv, standings_csv
from arbitre.web.sheets import Sheet, handed


@get("/compete/{number:int}/standings.csv", media_type="text/csv")
async def standings(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> Response[str]:
    """Hand out the standings for a spreadsheet."""
    board = await contests.board(house, await contests.find(house, visit.person, number, code))
    return handed(standings_csv(board, Sheet(visit.words)), f"competition-{number}-standings")


@get("/compete/{number:int}/games.csv", media_type="text/csv")
async def games(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> Response[str]:
    """Hand out the games for a spreadsheet."""
    board = await contests.board(house, await contests.find(house, visit.person, number, code))
    return handed(games_csv(board, house.settings.public, Sheet(visit.words)), f"competition-{number}-games")


@get("/compete/{number:int}/records.zip", media_type="application/zip")
async def records(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> Response[bytes]:
    """Hand out everything that proves a competition which is over: the plan with its seed, the draw, and every record."""
    found = await contests.find(house, visit.person, number, code)
    try:
        body = await contests.records(house, found)
    except UnfinishedError:
        raise NotFoundException from None
    headers = {"Content-Disposition": f'attachment; filename="competition-{found.id}.zip"'}
    return Response(body, media_type="application/zip", headers=headers)


@get("/compete/{number:int}/draw.jsonl", media_type=MediaType.TEXT)
async def transcript(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> str:
    """Hand out the transcript of the contestants' own draw."""
    proof = contests.draw_proof(house, await contests.find(house, visit.person, number, code))
    if proof is None or not proof.draw.transcript:
        raise NotFoundException
    return proof.draw.transcript
