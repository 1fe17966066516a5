"""A visitor's defender, challenged by the house: the form, and what came of it in words (`arbitre.league.house`).

Whoever knows the name of a challenge may look at it. The moves of a game that counts are not shown there: until both sides have
reported it, who knew them could claim it first.
"""

from collections.abc import Mapping
from typing import Any

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.response import Redirect

from arbitre.errors import HasteError, LeagueError
from arbitre.games.game import SECOND
from arbitre.league.house import LEVELS, Trouble
from arbitre.site import league
from arbitre.web.dependencies import Form, FromPath, OurHouse, ThisVisit, number_in
from arbitre.web.pages.account import spoken
from arbitre.web.pages.league import league_page, path_of
from arbitre.web.telling import N_

SAID: Mapping[Trouble, str] = {
    Trouble.FORBIDDEN: N_("The house may not call this address. Give one that can be reached from the internet."),
    Trouble.UNREACHABLE: N_("Nobody takes the call. Does your defender listen there, and does the firewall let us through?"),
    Trouble.HASTE: N_("This address was challenged too often, or is being challenged. Wait a little."),
    Trouble.SILENCE: N_(
        "Your defender was silent until its time ran out. It begins as soon as somebody connects, and answers every move."
    ),
    Trouble.UNKNOWN_WORD: N_("Your defender said a word that the league does not know."),
    Trouble.TOO_LONG: N_("Your defender said a word that does not end. Put a NUL behind each word."),
    Trouble.EARLY_END: N_("Your defender ended the game, and it was not over: its rules differ from the league’s."),
    Trouble.WRONG_MOVES: N_("Your defender made moves that are not legal, and none that is when it was told so."),
    Trouble.DOUBTS: N_("Your defender called a legal move of ours invalid again and again: its rules differ from the league’s."),
    Trouble.OUT_OF_TURN: N_("Your defender spoke again and again when it was not its turn."),
    Trouble.INTERRUPTED: N_("Your defender interrupted the game."),
    Trouble.CLOSED: N_("Your defender closed the connection before the game was over."),
    Trouble.HOUSE: N_("The house itself failed. It is not your fault: try again later."),
}
"""What went wrong, for whoever wrote the defender."""


@post("/league/challenges")
async def challenge(house: OurHouse, visit: ThisVisit, data: Form) -> Response[Any]:
    """Challenge a defender, and show how that goes."""
    address, level = data.get("address", ""), number_in(data.get("level", ""))
    try:
        one = league.challenge(house, visit.caller, address, level if level in LEVELS else league.USUAL_LEVEL)
    except LeagueError:
        problem = visit.words("This is not an address of a defender: write a host, host:7777 or [2001:db8::1]:7777.")
        return await league_page(house, visit, problem=problem, address=address[: league.LONGEST_ADDRESS], status=400)
    except HasteError as error:
        problem = spoken(visit, error)
        return await league_page(house, visit, problem=problem, address=address[: league.LONGEST_ADDRESS], status=429)
    return Redirect(f"/league/challenges/{one.name}", status_code=303)


@get("/league/challenges/{name:str}")
async def challenge_page(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[str]:
    """Show how a challenge goes, or what came of it."""
    one = house.robots.find(name)
    if one is None:
        raise NotFoundException(visit.words("Nobody knows this challenge any more. Games that counted are in the league."))
    scores = None if one.finished is None else one.finished.verdict.scores
    return house.page(
        visit,
        "league_challenge.html",
        one=one,
        said=visit.words(SAID[one.trouble]) if one.trouble is not None else "",
        score=None if scores is None else scores[SECOND],
        answer=house.robots.answer_to(one),
        confirmed=await league.confirmed(house, one),
        path_of=path_of,
    )
