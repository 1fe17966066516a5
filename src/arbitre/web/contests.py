"""What the pages and the doors for programs do alike with a competition: find it, plan it, steer it, say who plays when."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Literal

from arbitre.elections.lots import lot_terms
from arbitre.errors import ForbiddenError, UnknownError
from arbitre.games.game import AnyGame
from arbitre.games.labels import keys_of
from arbitre.site.accounts import Account, Role
from arbitre.site.competitions.competitions import Competition, CompetitionId
from arbitre.site.competitions.draw import Draw
from arbitre.site.competitions.drawing import tournament_of
from arbitre.site.competitions.entries import Entry
from arbitre.values import value
from arbitre.web.house import House
from arbitre.web.visit import Visit

Act = Literal["open", "begin", "cancel", "again"]
"""What an organiser does with a competition that was announced."""


async def find(house: House, visit: Visit, number: int, code: str = "") -> Competition:
    """Return a competition that this visitor may see: listed, his own, or with its link."""
    try:
        return await asyncio.to_thread(house.community.competitions.get, CompetitionId(number), visit.person)
    except UnknownError:
        if not code:
            raise
        found = await asyncio.to_thread(house.community.competitions.linked, code)
        if found.id != number:
            raise
        return found


def steers(person: Account | None, competition: Competition) -> bool:
    """Tell whether somebody organises a competition."""
    return person is not None and (person.id == competition.organiser or person.may(Role.OPERATOR))


async def steer(house: House, person: Account, found: Competition, act: Act, why: str = "") -> None:
    """Open the entries, begin the games, call it off for a reason, or go on after a fault of the house: the organiser may."""
    if not steers(person, found):
        raise ForbiddenError("only its organiser changes a competition")
    match act:
        case "open":
            await asyncio.to_thread(house.community.competitions.open, person, found.id)
        case "begin":
            await house.steward.begin(person, found.id)
        case "cancel":
            await asyncio.to_thread(house.community.competitions.cancel, person, found.id, why)
        case "again":
            await house.steward.again(person, found.id)
    stirred(house, found)


def stirred(house: House, found: Competition) -> None:
    """Let the steward look at a competition that somebody changed, and whoever watches it hear of it."""
    house.steward.bell(found.id).ring()
    house.steward.wake()


def plan_keys(
    game: AnyGame,
    *,
    form: str,
    games: int,
    clock: str,
    rounds: int = 0,
    turns: int = 0,
    refusals: object = 0,
    concurrency: int = 0,
    starts: Sequence[str] = (),
) -> dict[str, object]:
    """Return the keys of the tournament's plan for what an organiser decides; what is 0 is as usual."""
    plan: dict[str, object] = {"format": form, "games": games, "clock": clock}
    plan["seeding"] = "listed" if form == "gauntlet" else "lot"
    if game.tries:
        refusals = "any"  # there the umpire says no, and the game goes on
    more: dict[str, object] = {"turns": turns, "refusals": refusals, "concurrency": concurrency, "starts": list(starts)}
    if form == "swiss":
        plan["rounds"] = rounds
    return keys_of(game) | plan | {key: one for key, one in more.items() if one}


def binders(found: Competition, drawn: Draw | None, entries: Iterable[Entry]) -> dict[str, str]:
    """Return the end of the nonce that each contestant's Commit needs, where the contestants settle the draw."""
    if drawn is None or drawn.way != "contestants":
        return {}
    terms = lot_terms(tournament_of(found.id))
    return {one.neutral: terms.binder(one.neutral).hex() for one in entries}


@value
class OwnGame:
    """Somebody's game of a competition that is being played or waits."""

    competition: Competition
    number: int
    names: tuple[str, ...]
    match: str | None
    """The match, where it is being played."""
    asks: bool
    """Whether it begins when this one says that he is there."""
    waits: bool
    """Whether it waits for the other."""
    until: int
    """When those who have not come lose it; 0: never."""

    @property
    def href(self) -> str:
        """The page of the match, empty where there is none."""
        return f"/games/{self.match}" if self.match else ""


def own_games(house: House, person: Account, number: CompetitionId) -> list[OwnGame]:
    """Return somebody's games of a competition that are being played or wait, those that are played first."""
    held = house.steward.held(number)
    made = []
    for fixture in () if held is None else (*held.live.values(), *held.queue):
        assert held is not None  # noqa: S101 - it has fixtures
        seats = [held.entry(one) for one in fixture.seats]
        if person.id not in {one.owner for one in seats}:
            continue
        match = held.names[fixture.number] if fixture.number in held.live else None
        missing = () if match else held.waits_for(fixture)
        names = tuple(one.name for one in seats)
        asks = person.id in missing
        waits = bool(missing) and not asks
        made.append(OwnGame(held.competition, fixture.number, names, match, asks, waits, held.until(fixture)))
    return made
