"""What the page of a game says for the proof: its key, that it agrees, and its signature under the record (`static/witness.js`).

What it is told comes with the scenes of its seat, as events named `proof`. A page that is late, or not the first, is told so and
goes on: nothing here holds up a move.
"""

from typing import Any

from litestar import MediaType, Response, get, post

from arbitre.site import signing
from arbitre.web.dependencies import Form, FromPath, OurHouse, ThisVisit


def _told(taken: bool) -> Response[Any]:
    return Response({"taken": taken}, media_type=MediaType.JSON)


@post("/games/{name:str}/greet")
async def greet(house: OurHouse, visit: ThisVisit, name: FromPath[str], data: Form) -> Response[Any]:
    """Take the key and the promise of a page."""
    return _told(signing.greet(house, visit.caller, name, data.get("key", ""), data.get("promise", "")))


@post("/games/{name:str}/agree")
async def agree(house: OurHouse, visit: ThisVisit, name: FromPath[str], data: Form) -> Response[Any]:
    """Hear that a page agrees to the opening, or declines it with a code."""
    if code := data.get("code", ""):
        return _told(signing.decline(house, visit.caller, name, code))
    return _told(signing.agree(house, visit.caller, name, data.get("nonce", ""), data.get("signature", "")))


@get("/games/{name:str}/unsealed", media_type=MediaType.TEXT)
async def unsealed(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[bytes]:
    """Hand out the record as it is to be signed."""
    text = signing.unsealed(house, visit.caller, name)
    return Response(text, media_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})


@post("/games/{name:str}/sign")
async def sign(house: OurHouse, visit: ThisVisit, name: FromPath[str], data: Form) -> Response[Any]:
    """Take the signature of a page under the record, or under the code with which it declines."""
    return _told(signing.sign(house, visit.caller, name, data.get("signature", ""), data.get("code", "")))
