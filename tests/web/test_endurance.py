"""A site that is left alone, full, or closed: it keeps nothing that is over, refuses kindly, and lets whoever watches go."""

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from arbitre.games.catalogue import game
from arbitre.site.arena.plan import HouseSeat as HousePlayer
from arbitre.site.arena.plan import MatchPlan
from arbitre.site.seating import show_case
from arbitre.web.house import WebApp
from tests.web.clients import Server, Visitor
from tests.web.site import Running, quiet, running


@pytest.fixture(scope="module")
def showing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return a site where two games of the house are shown to visitors."""
    with running(quiet(tmp_path_factory.mktemp("shown"), house_games=2)) as found:
        yield found


def house_of(site: Running) -> WebApp:
    found = site.site.state.house
    assert isinstance(found, WebApp)
    return found


def test_games_are_shown_to_visitors_only_and_never_more_than_wanted(showing: Running) -> None:
    house = house_of(showing)
    assert house.arena.playing() == ()

    async def visits() -> None:
        await asyncio.gather(*(show_case(house) for _ in range(20)))

    asyncio.run_coroutine_threadsafe(visits(), _visited(showing)).result(20)
    assert len(house.arena.playing()) == 2


def _visited(site: Running) -> asyncio.AbstractEventLoop:
    """Visit the home page, and return the loop in which games are played then."""
    assert site.client().get("/").status == 200
    task = house_of(site).arena.playing()[0].task
    assert task is not None
    return task.get_loop()


def test_a_full_house_says_so_and_its_pages_still_open(showing: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    _visited(showing)
    monkeypatch.setattr("arbitre.site.arena.arena.MOST_LIVE", 1)
    client = showing.client()
    assert client.get("/").status == 200
    refused = client.post("/play", {"game": "tictactoe", "one": "me", "two": "house:1"}, page="/play?game=tictactoe")
    assert refused.status == 400
    assert "1 matches are being played; try again when some are over" in refused.text


def test_a_match_that_is_over_is_let_go(showing: Running) -> None:
    house = house_of(showing)
    loop = _visited(showing)

    async def course() -> None:
        sitting = await house.arena.open(MatchPlan(game("tictactoe"), (HousePlayer(1), HousePlayer(1))))
        live = house.arena.live(sitting.name)
        assert [scene async for scene in house.arena.watch(sitting.name, "spectator")][-1].closed
        assert live.task is not None
        await live.task
        assert house.arena.look(sitting.name) is None

    asyncio.run_coroutine_threadsafe(course(), loop).result(20)


def test_whoever_watches_is_let_go_when_the_site_closes(tmp_path: Path) -> None:
    """Streams end as they should, with their last chunk; the site need not wait until its patience is over."""

    async def course() -> None:
        server = Server(tmp_path)
        await server.start()
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
            name = await Visitor(server, session).open("reversi", "me", "house:1")
            streams = [await session.get(f"{server.url}/games/{name}/events") for _ in range(8)]
            for one in streams:
                assert (await one.content.readline()).startswith(b"retry")
            closing = asyncio.ensure_future(server.stop(signal.SIGTERM))
            for one in streams:
                await one.read()  # raises where the line was cut
            assert await closing == 0

    asyncio.run(course())
