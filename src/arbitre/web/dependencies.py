"""What a handler may ask for: the house, the visit, who is logged in, the fields of a form, a part of the path or of the query.

`async def game(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[str]` is the head of one.
"""

from typing import Annotated, Any, TypeAlias

from litestar import Request
from litestar.di import NamedDependency
from litestar.enums import RequestEncodingType
from litestar.params import Body, FromPath, FromQuery, QueryParameter

from arbitre.site.accounts import Account
from arbitre.web.house import WebApp
from arbitre.web.visit import Visit

OurHouse: TypeAlias = NamedDependency[WebApp]
ThisVisit: TypeAlias = NamedDependency[Visit]
ThisPerson: TypeAlias = NamedDependency[Account]
"""Who is logged in, as the argument `person`; whoever is not is sent to log in first."""
Form: TypeAlias = Annotated[dict[str, str], Body(media_type=RequestEncodingType.URL_ENCODED)]
"""The fields of a form, as the argument `data`."""
Whole: TypeAlias = Annotated[int, QueryParameter(ge=0, le=2**53 - 1)]
"""A whole number of the query, which a database can hold."""


def number_in(text: str, otherwise: int = -1) -> int:
    """Return the number that a field of a form holds, or what stands for none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else otherwise


def last_event(request: Request[Any, Any, Any], otherwise: int = 0) -> int:
    """Return the number of the last event of a stream that a browser has seen, or what it asked to go on behind."""
    return number_in(request.headers.get("last-event-id", ""), max(0, otherwise))


__all__ = ["Form", "FromPath", "FromQuery", "OurHouse", "ThisPerson", "ThisVisit", "Whole", "last_event", "number_in"]
