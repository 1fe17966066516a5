"""Kill -9 in the middle of an added game: the referee is asked the same again, and what he said before stays said.

A real server, engines and a referee of their own. A referee who changes his mind while the house is away changes nothing that the
house has heard; a competition whose site dies goes on, and its records alone give its standings.
"""

import asyncio
import io
import signal
import zipfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlencode

import aiohttp
import pytest
from aiohttp import web

from arbitre.crypto.passwords import LIGHT
from arbitre.games.added.rules import Added
from arbitre.records.event import Kind
from arbitre.records.store import Store
from arbitre.referee.verify import Proof, verify
from arbitre.site.accounts import Role
from arbitre.site.added import AddedGame
from arbitre.site.community import Community
from arbitre.site.competitions.competitions import CompetitionId, Stage
from arbitre.site.competitions.judgement import judge_folder
from arbitre.site.database import Allowances as CommunityRules
from arbitre.tournament.tables import points_text
from arbitre.tournoyons.wire import Style
from arbitre.web.visit import SESSION_COOKIE
from tests.added import listening
from tests.tournoyons.test_referee import free_port
from tests.web.clients import Server
from tests.web.site import Client
from tests.web.test_sixty_four import sealed

PASSWORD = "a long password"  # noqa: S105 - of nobody
SECONDS = 90.0


class Relay:
    """A referee who asks the example's what to say, and is held up when he is asked for the n-th time."""

    def __init__(self, example: str, held_up_at: int) -> None:
        self.inner = f"{example}/hexapawn/referee"
        self.port = free_port()
        self.held_up_at = held_up_at
        self.asked: list[dict[str, str]] = []
        self.said: list[str] = []
        self.held_up = asyncio.Event()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(dict(request.query))
        if len(self.asked) == self.held_up_at:
            self.held_up.set()
            await asyncio.sleep(SECONDS)
        address = f"{self.inner}?{request.query_string}"
        async with aiohttp.ClientSession() as session, session.get(address, allow_redirects=False) as ruled:
            onward = ruled.headers["Location"]
        self.said.append(onward)
        return web.Response(status=302, headers={"Location": onward})


def kept(community: Community, url: str, engine: str) -> AddedGame:
    ann = community.accounts.create("Ann", PASSWORD)
    rules = Added(key="Pawns", board="222000111")
    return community.added.add(ann, rules, url=url, engine=engine, interface=f"{engine}/page", about="A sheet.")


def run(course: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(SECONDS):
            await course()

    asyncio.run(bounded())


@pytest.mark.sqlite
def test_what_a_referee_said_before_the_house_died_stays_said(tmp_path: Path, example: str) -> None:
    async def course() -> None:
        relay = Relay(example, held_up_at=3)
        with Community(tmp_path, CommunityRules(work=LIGHT)) as community:
            kept(community, f"http://127.0.0.1:{relay.port}/", f"{example}/hexapawn/engine")
        server = Server(tmp_path)
        runner = await listening(relay.handle, relay.port)
        await server.start()
        try:
            client = Client(server.port)
            players = {"one": "model", "two": "model", "clock": "10s/move"}
            begun = await asyncio.to_thread(lambda: client.post("/added/Pawns", players, page="/added/Pawns"))
            where = begun.headers["location"]
            await relay.held_up.wait()
            await server.stop(signal.SIGKILL)
            await server.start()
            first, changed = relay.asked[0], {"ReturnCode": "2", "Tray": "000000222"}
            lie = {name: first[name] for name in ("Game", "MoveId", "Move1")} | changed
            async with aiohttp.ClientSession() as session:
                for address in (f"{first['ReturnURL']}?{urlencode(lie)}", relay.said[0]):
                    async with session.get(address) as reply:
                        assert 400 <= reply.status < 500, (address, reply.status)
            while (await asyncio.to_thread(client.get, f"{where}/state")).text != '{"state":"over"}':
                await asyncio.sleep(0.05)
        finally:
            await server.stop(signal.SIGTERM)
            await runner.cleanup()
        assert relay.asked[3] == relay.asked[2], "the same question, to the letter"
        assert len({one["MoveId"] for one in relay.asked}) == len(relay.asked) - 1
        store = Store(tmp_path)
        try:
            record = store.record(where.rpartition("/")[2])
            found = verify(record.text().encode(), given=store.key().fingerprint)
        finally:
            store.close()
        assert found.standing is Proof.ATTESTED, found.line
        assert "interrupted once" in found.line
        rulings = [event.text for event in record.events if event.kind is Kind.SAID and event.seat == 2]
        assert len(rulings) == len(relay.asked) - 1
        assert "ReturnCode=3" in rulings[0]

    run(course)


@pytest.mark.sqlite
def test_a_competition_goes_on_when_its_site_is_killed(tmp_path: Path, example: str, pawns: str) -> None:
    data, out = tmp_path / "data", tmp_path / "out"

    async def course() -> None:
        relay = Relay(example, held_up_at=20)
        server = Server(data)
        runner = await listening(relay.handle, relay.port)
        with Community(data, CommunityRules(work=LIGHT)) as community:
            kept(community, f"http://127.0.0.1:{relay.port}/", f"{example}/hexapawn/engine")
            oscar = community.accounts.create("oscar", PASSWORD, Role.ORGANISER)
            client = Client(server.port, {SESSION_COOKIE: community.sessions.start(oscar, "test").token})
            await server.start()
            try:
                said = {"game": "added:Pawns", "template": "everybody", "listed": "1", "each": "4", "concurrency": "2"}
                answer = await asyncio.to_thread(client.post, "/compete/new", said)
                number = CompetitionId(int(answer.headers["location"].rpartition("/")[2]))
                for name in ("play/1", "play/2", "play/3", "cheat"):
                    engine = community.engines.add(
                        oscar,
                        game="added:Pawns",
                        name="e" + name.replace("/", ""),
                        url=f"{pawns}/{name}",
                        style=Style(direct=True),
                    )
                    community.entries.enter(oscar, number, engine.id)
                begun = await asyncio.to_thread(client.post, f"/compete/{number}/steer", {"what": "begin"})
                assert begun.status == 303
                await relay.held_up.wait()
                assert sealed(data, f"competition-{number}") < 12
                await server.stop(signal.SIGKILL)
                await server.start()
                while community.competitions.find(number).stage is not Stage.OVER:
                    await asyncio.sleep(0.05)
                body = (await asyncio.to_thread(client.get, f"/compete/{number}/records.zip")).body
                table = (await asyncio.to_thread(client.get, f"/compete/{number}/standings.csv")).text
            finally:
                await server.stop(signal.SIGTERM)
                await runner.cleanup()
        with zipfile.ZipFile(io.BytesIO(body)) as file:
            file.extractall(out)
        judged = judge_folder(out)
        assert (judged.records, judged.abandoned) == (12, 0)
        entrants = judged.summary.plan.entrants
        rows = [line.split(",") for line in table.splitlines()[1:]]
        assert [(row[2], row[3]) for row in rows] == [
            (entrants[row.contestant].name, points_text(row.points)) for row in judged.summary.standings.rows
        ]

    run(course)
