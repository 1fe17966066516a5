"""A site with people, an engine of theirs, and games that it played: what tests of the pages for programmers stand on."""

import asyncio
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arbitre.crypto.passwords import LIGHT
from arbitre.games.catalogue import game
from arbitre.games.game import Seat
from arbitre.site.accounts import Account, Role
from arbitre.site.arena import plan as sitting
from arbitre.site.arena.plan import HouseSeat, MatchPlan, PersonSeat
from arbitre.site.community import Community
from arbitre.site.database import Allowances as CommunityRules
from arbitre.site.engines import Engine
from arbitre.tournoyons.wire import Style
from arbitre.web.visit import SESSION_COOKIE
from tests.site.test_arena import arena_in, seen
from tests.tournoyons.test_player import ENGINES, started
from tests.web.site import Client, Running, quiet, running

PASSWORD = "a long password"  # noqa: S105 - of nobody
PEOPLE = {"Zoe": Role.PLAYER, "Max": Role.PLAYER, "Otilia": Role.OPERATOR}


@dataclass
class Club:
    """A site, its people, and what they have."""

    site: Running
    people: dict[str, Account]
    engine: Engine
    """Zoe's, which plays TicTacToe."""
    url: str
    """Where engines of every style are."""
    games: dict[str, str]
    """Names of matches: `over`, which Zoe's engine lost or won, and `secret`, in which Zoe herself still plays against it."""

    def visitor(self, name: str = "") -> Client:
        """Return a browser, with somebody logged in."""
        client = self.site.client()
        if name:
            client.cookies[SESSION_COOKIE] = self.community.sessions.start(self.people[name], "a test").token
        return client

    @property
    def community(self) -> Community:
        found: Community = self.site.site.state.house.community
        return found


def sitter(engine: Engine) -> sitting.EngineSeat:
    return sitting.EngineSeat(engine.id, engine.name, engine.url, engine.style, engine.opponent)


async def _played(folder: Path, engine: Engine, zoe: Account) -> dict[str, str]:
    async with asyncio.timeout(60), arena_in(folder) as arena:
        over = await arena.open(MatchPlan(game("tictactoe"), (sitter(engine), HouseSeat(1))), owner=zoe.id)
        await seen(arena, over.name, "spectator")
        fleet = sitting.EngineSeat(engine.id, engine.name, engine.url, engine.style, engine.opponent)
        secret = await arena.open(MatchPlan(game("seafight"), (PersonSeat(f"account:{zoe.id}", "Zoe"), fleet)))
        while not arena.traces.of(secret.name, Seat(1)):
            await asyncio.sleep(0.01)
        return {"over": over.name, "secret": secret.name}


@contextmanager
def club(folder: Path, **settings: object) -> Iterator[Club]:
    """Open a site whose members have an engine that played."""
    for url in started(sys.executable, "-S", str(ENGINES / "styles.py")):
        with Community(folder, CommunityRules(work=LIGHT)) as community:
            people = {name: community.accounts.create(name, PASSWORD, role) for name, role in PEOPLE.items()}
            engine = community.engines.add(people["Zoe"], game="tictactoe", name="Deep.Pond", url=f"{url}/inside", style=Style())
        games = asyncio.run(_played(folder, engine, people["Zoe"]))
        with running(quiet(folder, **settings)) as site:
            yield Club(site, people, engine, url, games)


def source(page: str) -> str:
    """Return what the first frame of a page shows."""
    found = re.search(r'<iframe[^>]* src="([^"]+)"', page)
    assert found is not None
    return found[1].replace("&amp;", "&")
