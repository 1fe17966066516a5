"""Engines of every kind meet in one competition: called, the house's, by stream, WebSocket, asking again, a tab, a runner."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbitre.client import Client
from arbitre.client.dial import Told
from arbitre.client.runner import Runner
from arbitre.errors import HouseError
from arbitre.site.accounts import Account, Role
from arbitre.site.classes import Class
from arbitre.site.engines import EngineId
from arbitre.site.tokens import Scope
from arbitre.tournoyons.wire import Style
from arbitre.transport.sandbox import works
from tests.browser import browsing
from tests.web.dialer import Dialler, house_of, reply
from tests.web.site import Running
from tests.web.test_dial import Programs
from tests.web.test_dial_programs import BOT, joining, lent_tab, styles, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

NUMBERS = count(1)


def pupil(site: Running, klass: Class) -> Account:
    house = house_of(site).community
    found = house.accounts.create(f"mixed{next(NUMBERS)}", "correct horse battery")
    house.classes.join(found, klass.code)
    return found


@contextmanager
def asking(dialler: Dialler) -> Iterator[None]:
    """Answer for an engine by asking again and again."""
    over = threading.Event()

    def run() -> None:
        after = 0
        while not over.is_set():
            with dialler.line(f"listener=polls&wait=1&after={after}") as poll:
                for question in poll.questions():
                    after = question["n"]
                    if question["answers"]:
                        dialler.send(question["id"], reply(question))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def on_a_runner(site: Running, teacher: Account, klass: Class) -> Iterator[int]:
    """Lend a source of a pupil to a runner of the teacher; yield the engine that it plays as."""
    community, owner = house_of(site).community, pupil(site, klass)
    with Client(site.url, community.tokens.make(owner, "lends", [Scope.READ, Scope.ENGINES], None).secret) as client:
        text = "def move(p):\n    return p['any']\n"
        number = client.save_source("tictactoe", f"lent{next(NUMBERS)}", "python", text)["source"]
        engine = int(client.lend_source(number, "class")["engine"])
    with Client(site.url, community.tokens.make(teacher, "runs", [Scope.RUN], None).secret) as client:
        runner = Runner(client, list[Told]().append, int(klass.id), 4)
        over = threading.Event()

        def run() -> None:
            while not over.wait(0.5):
                runner.look()

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield engine
        finally:
            over.set()
            thread.join()
            runner.leave()


@contextmanager
def house_engines() -> Iterator[str]:
    """Run the engines of the house at addresses, in a process of their own."""
    command = [sys.executable, "-m", "arbitre", "engine", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = re.search(r"http://\S+:\d+", process.stdout.readline())
            assert found is not None
            yield found[0]
        finally:
            process.kill()


def traced(site: Running, match: str, seat: int, number: int) -> list[dict[str, Any]]:
    """Return what was exchanged with an engine in a match, as its owner reads it."""
    community = house_of(site).community
    owner = community.accounts.get(community.engines.find(EngineId(number)).owner)
    answer = Programs(site, owner).ask("GET", f"/api/matches/{match}/trace/{seat}")
    assert answer.status == 200, answer.text
    return list(json.loads(answer.text)["items"])


@pytest.mark.campaign
@browsing(locale="en-GB")
def test_engines_of_every_kind_meet_in_one_competition(page: "Page", open_site: Running, tmp_path: Path) -> None:
    try:
        works()
    except HouseError as error:
        pytest.skip(str(error))
    community = house_of(open_site).community
    teacher = community.accounts.create(f"mixer{next(NUMBERS)}", "correct horse battery", Role.TEACHER)
    klass = community.classes.create(teacher, "of every kind")
    (tmp_path / "bot.py").write_text(BOT)
    with ExitStack() as stack:
        addresses = {
            "called": f"{stack.enter_context(styles())}/direct",
            "house": f"{stack.enter_context(house_engines())}/tictactoe/2",
        }
        engines: dict[str, int] = {
            kind: community.engines.add(
                pupil(open_site, klass), game="tictactoe", name=f"{kind}{next(NUMBERS)}", url=url, style=Style(direct=True)
            ).id
            for kind, url in addresses.items()
        }
        for kind in ("stream", "websocket"):
            dialler = Dialler(open_site, pupil(open_site, klass), name=f"{kind}{next(NUMBERS)}")
            engines[kind] = dialler.engine.id
            stack.enter_context(joining(dialler, tmp_path, "bot.py", "--by", kind))
        polling = Dialler(open_site, pupil(open_site, klass), name=f"polls{next(NUMBERS)}")
        engines["polls"] = polling.engine.id
        stack.enter_context(asking(polling))
        engines["runner"] = stack.enter_context(on_a_runner(open_site, teacher, klass))
        engines["tab"] = lent_tab(page, open_site, klass)[1]
        dialing = house_of(open_site).arena.dialing
        for kind, engine in engines.items():
            if kind not in addresses:
                while not dialing.present(engine):
                    page.wait_for_timeout(50)
        programs = Programs(open_site, teacher, "teach", "compete")
        terms = {"title": "of every kind", "game": "tictactoe", "format": "swiss", "games": 1, "clock": "10s/move"}
        announced = programs.ask("POST", "/api/competitions", terms)  # a listed one counts for the ranking
        assert announced.status == 201, announced.text
        number = json.loads(announced.text)["id"]
        for entrant in map(community.engines.find, map(EngineId, engines.values())):
            community.entries.enter(community.accounts.get(entrant.owner), number, entrant.id)
        begun = programs.ask("POST", f"/api/competitions/{number}/steer", {"do": "begin"})
        assert begun.status == 200, begun.text

        def over() -> bool:
            page.wait_for_timeout(100)  # the tab plays while we wait
            return bool(json.loads(programs.ask("GET", f"/api/competitions/{number}").text)["stage"] == "over")

        wait_for(over, 300)
    progress = json.loads(programs.ask("GET", f"/api/competitions/{number}/progress").text)
    assert len(progress["standings"]) == len(engines)
    assert not progress["faults"], progress
    games = json.loads(programs.ask("GET", f"/api/competitions/{number}/games").text)["items"]
    assert len({player for one in games for player in one["players"]}) == len(engines)
    records = programs.client.ask("GET", f"/api/competitions/{number}/records", Authorization=f"Bearer {programs.token}")
    assert records.status == 200
    found = {one.name: one for one in map(community.engines.find, map(EngineId, engines.values()))}
    for one in games:
        for seat, name in enumerate(one["players"]):
            if one["match"] is not None:
                assert traced(open_site, one["match"], seat, found[name].id), (name, one)  # every kind has its trace
    neutral = {one.neutral for one in found.values()}
    with Client(open_site.url) as anybody:
        wait_for(lambda: neutral <= {one["neutral"] for one in anybody.pages("/api/rankings/tictactoe")})
