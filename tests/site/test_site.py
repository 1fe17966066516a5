"""The site without HTTP: what somebody may do follows from who asks, whichever face he asks through."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from arbitre.crypto.passwords import LIGHT
from arbitre.errors import ArenaError, ExpiredError, ForbiddenError, HasteError, UnfinishedError, UnknownRecordError
from arbitre.games.catalogue import game
from arbitre.games.game import Seat
from arbitre.records.store import Store
from arbitre.referee.clock import read_clock
from arbitre.site import matches, seating, trials
from arbitre.site.accounts import Role
from arbitre.site.caller import Caller
from arbitre.site.database import Allowances as CommunityRules
from arbitre.site.limits import USUAL
from arbitre.site.seating import Chosen, Wish
from arbitre.site.site import Site
from arbitre.tournoyons.callback import Receiver
from arbitre.tournoyons.player import Switchboard
from tests.reasons import raises
from tests.web.site import quiet

ANNA, BEN, CARLA = Caller(guest="anna"), Caller(guest="ben"), Caller(guest="carla")
ME, FRIEND = Chosen("me"), Chosen("friend")


@asynccontextmanager
async def open_site(folder: Path) -> AsyncIterator[Site]:
    store = Store(folder)
    async with asyncio.timeout(60), Switchboard(Receiver()) as switchboard:
        site = Site(quiet(folder), store, switchboard, CommunityRules(work=LIGHT))
        async with site.opened():
            yield site
    store.close()


def test_a_match_is_for_those_who_sit_there_until_it_begins(tmp_path: Path) -> None:
    async def course() -> None:
        async with open_site(tmp_path) as site:
            waiting = await seating.begin(site, ANNA, Wish(game("tictactoe"), (ME, FRIEND)))
            assert matches.find(site, ANNA, waiting.name) == waiting
            for other in (BEN, Caller()):
                with pytest.raises(UnknownRecordError):
                    matches.find(site, other, waiting.name)
            with pytest.raises(UnknownRecordError):
                await seating.invite(site, BEN, waiting.name)
            first = await seating.invite(site, ANNA, waiting.name)
            code = (await seating.invite(site, ANNA, waiting.name)).code
            with pytest.raises(ExpiredError):
                await seating.join(site, BEN, first.code)
            with raises(ArenaError, "you sit at this table already"):
                await seating.join(site, ANNA, code)
            begun = await seating.join(site, BEN, code)
            assert (begun.state, matches.seat_of(BEN, begun), matches.own_eye(CARLA, begun)) == ("playing", 1, "spectator")
            with raises(ArenaError, "no chair is free"):
                await seating.invite(site, ANNA, waiting.name)

    asyncio.run(course())


def test_who_sits_plays_who_called_steers_and_others_see_what_is_open(tmp_path: Path) -> None:
    async def course() -> None:
        async with open_site(tmp_path) as site:
            asked = await seating.begin(site, ANNA, Wish(game("tictactoe"), (ME, Chosen("house", 1))))
            for refused in (matches.resign(site, BEN, asked.name), matches.stop(site, BEN, asked.name)):
                with pytest.raises(ForbiddenError):
                    await refused
            with raises(ArenaError, "not stopped"):
                await matches.stop(site, ANNA, asked.name)
            with raises(ForbiddenError, "stays closed"):
                matches.may_see(BEN, asked, Seat(0))
            with pytest.raises(UnfinishedError):
                matches.record(site, asked)
            while matches.asked(site, ANNA, asked.name) is None:
                await asyncio.sleep(0.001)
            over = await matches.resign(site, ANNA, asked.name)
            while over.state != "over":
                await asyncio.sleep(0.001)
                over = matches.find(site, BEN, asked.name)
            assert matches.may_see(BEN, over, Seat(0)) == 0
            assert matches.record(site, over).seal is not None

    asyncio.run(course())


@pytest.mark.parametrize(
    ("seats", "why"),
    [
        ((ME, ME), "one-chair"),
        ((ME, Chosen("house", 99)), "levels 1 to"),
        ((ME, Chosen("model")), "nobody sits down"),
        ((ME, Chosen("address", url="http://example.org/")), "nobody sits down"),
    ],
)
def test_nobody_sits_down_where_he_cannot(tmp_path: Path, seats: tuple[Chosen, ...], why: str) -> None:
    async def course() -> None:
        async with open_site(tmp_path) as site:
            with raises(ArenaError, why):
                await seating.begin(site, ANNA, Wish(game("reversi"), seats, clock=read_clock("none")))

    asyncio.run(course())


def test_calls_are_counted_by_account_or_by_household(tmp_path: Path) -> None:
    async def course() -> None:
        async with open_site(tmp_path) as site:
            member = site.community.accounts.create("Zoe", "a password of hers", Role.PLAYER)
            here, there = Caller(address="192.0.2.1"), Caller(member, address="192.0.2.1")
            for _ in range(USUAL["call out"].most):
                trials.spend(site, here)
            with pytest.raises(HasteError):
                trials.spend(site, here)
            trials.spend(site, there)

    asyncio.run(course())
