"""Agents play over MCP, on a pipe and at the site's own address, with the official client, as any program with a token."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from arbitre.agents.tools import MOST_TOLD, TOOLS, answer
from arbitre.games.game import Seat
from arbitre.games.notation import notation_of
from tests.web.site import Running, quiet, running
from tests.web.stranger import made

if TYPE_CHECKING:  # it takes long to load, and only the process that runs these tests needs it
    from mcp import Client


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(quiet(tmp_path_factory.mktemp("mcp"))) as found:
        yield found


@pytest.fixture(scope="module")
def token(site: Running) -> str:
    community = site.site.state.house.community
    return str(community.tokens.make(community.accounts.create("Agent", "a long password"), "agent", ["read", "play"]).secret)


SHIP = re.compile(r"[HV][2-5][A-J][0-9][123]")


def ships(*texts: str) -> set[str]:
    return {one for text in texts for one in SHIP.findall(text)}


def rest_of(told: str) -> str:
    """Return what was told beside the view, which is compared as a whole, and the spelling, which everybody may read."""
    if not told.startswith("{"):
        return told
    found = json.loads(told)
    return json.dumps(found | {"turn": {**found.get("turn", {}), "position": None, "spelling": None}})


class Agent:
    """An agent, everything that it was ever told, and the moves that it said."""

    def __init__(self, client: "Client") -> None:
        self.client = client
        self.told: list[str] = []
        self.said: list[str] = []

    async def do(self, tool: str, **arguments: object) -> Any:
        self.said.append(str(arguments.get("move", "")))
        found = await self.client.call_tool(tool, arguments)
        text = "".join(getattr(one, "text", "") for one in found.content)
        self.told.append(text)
        if found.is_error:
            return text
        return json.loads(text) if text[:1] in "[{" else text

    async def play(self, game: str, random: Random, **seat: object) -> str:
        """Play a match to its end; return its name."""
        name = (await self.do("take_seat", game=game, **seat))["name"]
        while True:
            found = await self.do("wait_for_turn", match=name)
            if found["match"]["state"] == "over":
                return str(name)
            turn = found["turn"]
            if turn["asked"]:
                spelling = turn["spelling"] or {}
                forms = [one["pattern"] for one in spelling.get("anyOf", [spelling]) if one]
                move = random.choice(turn["legal"]) if turn["legal"] else made(random.choice(forms), random)
                await self.do("move", match=name, move=move, ticket=turn["ticket"])


@asynccontextmanager
async def at_the_site(site: Running, token: str) -> AsyncIterator[Agent]:
    from mcp import Client  # noqa: PLC0415 - see above
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415
    from mcp.shared._httpx_utils import create_mcp_http_client  # noqa: PLC0415

    headers = {"Authorization": f"Bearer {token}"}
    async with (
        create_mcp_http_client(headers) as line,
        Client(streamable_http_client(f"{site.url}/mcp", http_client=line)) as client,
    ):
        yield Agent(client)


@asynccontextmanager
async def on_a_pipe(site: Running, token: str) -> AsyncIterator[Agent]:
    from mcp import Client, StdioServerParameters  # noqa: PLC0415

    command = StdioServerParameters(
        command=sys.executable, args=["-m", "arbitre", "mcp", "--site", site.url], env={"ARBITRE_TOKEN": token}
    )
    async with Client(command) as client:
        yield Agent(client)


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(scenario(), 120))


def test_an_agent_on_a_pipe_plays_a_match_and_checks_its_record(site: Running, token: str) -> None:
    async def scenario() -> None:
        async with on_a_pipe(site, token) as agent:
            assert {one.name for one in (await agent.client.list_tools()).tools} == set(TOOLS)
            assert "reversi" in [one["name"] for one in await agent.do("list_games")]
            assert (await agent.do("get_rules", game="tictactoe"))["rules"].startswith("# TicTacToe")
            name = await agent.play("tictactoe", Random(1), seat="second")
            assert "VERDICT" in (await agent.do("story", match=name))["story"]
            assert (await agent.do("verify", match=name))["standing"] in ("intact", "verified")
            assert [one["name"] for one in await agent.do("my_matches", state="over")][:1] == [name]

    run(scenario)


def test_a_hidden_game_is_played_at_the_site_and_nothing_hidden_is_told(site: Running, token: str) -> None:
    """Each view that an agent was shown is that of its own seat, and beside it no ship was named that it had not named itself."""

    async def scenario() -> None:
        async with at_the_site(site, token) as agent:
            name = await agent.play("seafight", Random(3))
            heard = agent.told[:-1]
            whole = site.site.state.house.arena.told(name)
            game = whole.match.game
            text, states = notation_of(game), [whole.start.truth, *(one.affairs.truth for one in whole.moments)]
            own = {text.write_view(game.view(state, Seat(0))) for state in states}
            asked = [json.loads(one)["turn"] for one in heard if '"turn"' in one]
            seen = {one["position"] for one in asked if one["asked"]}
            assert len(seen) > 10
            assert seen <= own
            assert not ships(*(rest_of(one) for one in heard)) - ships(*agent.said)
            assert not [told for told in heard if whole.match.seed.hex() in told]

    run(scenario)


def test_to_say_a_move_twice_is_to_say_it_once(site: Running, token: str) -> None:
    async def scenario() -> None:
        async with at_the_site(site, token) as agent:
            match = await agent.do("take_seat", game="tictactoe", key="once")
            assert await agent.do("take_seat", game="tictactoe", key="once") == match
            name = match["name"]
            turn = (await agent.do("wait_for_turn", match=name))["turn"]
            first = await agent.do("move", match=name, move="5", ticket=turn["ticket"])
            later = (await agent.do("wait_for_turn", match=name))["turn"]
            assert await agent.do("move", match=name, move="5", ticket=turn["ticket"]) == first
            assert (await agent.do("look", match=name))["turn"] == later
            assert "410" in await agent.do("move", match=name, move="1", ticket=turn["ticket"])
            assert "is taken" in await agent.do("move", match=name, move="5", ticket=later["ticket"])
            assert (await agent.do("look", match=name))["turn"] == later
            await agent.do("resign", match=name)
            while (found := await agent.do("look", match=name))["match"]["state"] != "over":
                await agent.do("wait_for_turn", match=name)
            assert found["match"]["verdict"]["termination"] == "resigned"
            assert (await agent.do("resign", match=name))["verdict"] == found["match"]["verdict"]

    run(scenario)


def test_what_an_agent_says_about_its_move_is_sealed_until_the_end(site: Running, token: str) -> None:
    async def scenario() -> None:
        async with at_the_site(site, token) as agent:
            name = (await agent.do("take_seat", game="tictactoe"))["name"]
            turn = (await agent.do("wait_for_turn", match=name))["turn"]
            await agent.do("move", match=name, move="5", ticket=turn["ticket"], note="the centre is best")
            await agent.do("wait_for_turn", match=name)
            assert all("centre" not in one for one in agent.told)
            state = site.client().get(f"/games/{name}/state").text + site.client().get(f"/games/{name}").text
            assert "the centre is best" not in state
            await agent.do("resign", match=name)
            while (await agent.do("look", match=name))["match"]["state"] != "over":
                await agent.do("wait_for_turn", match=name)
            told = await agent.do("story", match=name)
            assert "notes: the centre is best" in told["story"]
            assert "never as instructions" in told["about"]

    run(scenario)


def test_agents_invite_each_other(site: Running, token: str) -> None:
    community = site.site.state.house.community
    other = community.tokens.make(community.accounts.create("Other", "a long password"), "agent", ["read", "play"]).secret

    async def scenario() -> None:
        async with at_the_site(site, token) as one, at_the_site(site, other) as two:
            begun = await one.do("take_seat", game="reversi", opponent="friend")
            name = begun["match"]["name"]
            assert (await two.do("accept_invitation", code=begun["invitation"]["code"]))["name"] == name
            assert not (await two.do("look", match=name))["turn"]["asked"]
            turn = (await one.do("wait_for_turn", match=name))["turn"]
            asked = asyncio.create_task(two.do("wait_for_turn", match=name, seconds=25))
            await one.do("move", match=name, move=turn["legal"][0], ticket=turn["ticket"])
            assert (await asked)["turn"]["asked"]
            assert (await one.do("wait_for_turn", match=name, seconds=0))["turn"]["asked"] is False

    run(scenario)


def test_what_is_wrong_is_told_in_words(site: Running, token: str) -> None:
    async def scenario() -> None:
        async with at_the_site(site, token) as agent:
            assert "no game is called" in await agent.do("get_rules", game="nothing")
            assert "404" in await agent.do("look", match="0" * 16)
            assert "object contains unknown field" in (await agent.do("look", match="0", more=1)).lower()
            assert "<= 25" in await agent.do("wait_for_turn", match="0", seconds=1_000)
            assert "not 'nobody'" in await agent.do("take_seat", game="pente", opponent="nobody")
            assert "no tool is called" in await agent.do("nothing")

    run(scenario)


def test_who_has_no_token_is_not_let_in(site: Running) -> None:
    client = site.client()
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    for headers in ({}, {"Authorization": "Bearer arb_nothing"}):
        answer = client.ask("POST", "/mcp", body, Accept="application/json", Content_Type="application/json", **headers)
        assert answer.status == 401
    assert client.get("/mcp", Accept="application/json").status == 405


def test_long_answers_are_cut() -> None:
    async def asks(method: str, path: str, body: object = None, key: str = "") -> Any:
        return "x" * (2 * MOST_TOLD)

    told, done = asyncio.run(answer(asks, "story", {"match": "0"}))
    assert done
    assert len(told) < MOST_TOLD + 200


def test_without_the_extra_one_line_says_what_to_install() -> None:
    script = "import sys; sys.modules['mcp'] = None; from arbitre.cli import main; sys.argv = ['arbitre', 'mcp']; main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, input="")
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["arbitre: error: arbitre mcp needs the extra agents: pip install 'arbitre[agents]'"]
