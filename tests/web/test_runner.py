"""Runners: what is lent is played in a sandbox, by several machines together; what a bot does to one harms nobody else."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from arbitre.client import Client
from arbitre.client.dial import Told
from arbitre.client.runner import LOOK_SECONDS, Runner, Slots
from arbitre.errors import HouseError, SiteError
from arbitre.site.arena import dialing
from arbitre.site.arena.dialing import BEAT_SECONDS, RUNNER_MISSED, RUNNER_SECONDS
from arbitre.site.tokens import Scope
from arbitre.transport import bounds
from arbitre.transport.bounds import Bounds
from arbitre.transport.sandbox import works
from tests.web.programs_of import Doors, doors, refused
from tests.web.test_dial_programs import wait_for as wait_so_long

NUMBERS = count(1)
FIRST = "def move(p):\n    return p['any']\n"
CLASS = "from arbitre.bot import Bot\n\n\nclass Mine(Bot):\n    def move(self, position):\n        return position.legal[0]\n"
SCRIPT = "const move = (p) => { console.log('thinking', p.seat); return p.legal ? p.legal[0] : p.any; };\n"


def wait_for(true: Callable[[], object]) -> None:
    wait_so_long(true, 50)


@pytest.fixture(scope="module", autouse=True)
def _sandbox() -> None:
    try:
        works()
    except HouseError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with doors(tmp_path_factory.mktemp("runners")) as found:
        found.house.arena.dialing.beat = 0.3
        yield found


@pytest.fixture(scope="module")
def klass(place: Doors) -> int:
    with place.client("olga") as olga:
        found = olga.ask("POST", "/api/classes", {"name": "6B"})
        for pupil in ("anna", "ben"):
            with place.client(pupil) as joining:
                joining.ask("POST", "/api/classes/join", {"code": found["code"]})
        return int(found["id"])


def lent(place: Doors, owner: str, text: str, game: str = "tictactoe", language: str = "python", to: str = "class") -> int:
    """Keep a source that is lent, and return the engine that it plays as."""
    with place.client(owner) as client:
        for one in client.sources():
            client.remove_source(one["id"])  # of tests that are over
        for one in client.engines(mine=True):
            client.retire_engine(one["id"])
        number = client.save_source(game, f"source{next(NUMBERS)}", language, text)["source"]
        return int(client.lend_source(number, to)["engine"])


def begun(place: Doors, owner: str, engine: int, game: str = "tictactoe", clock: str = "none") -> str:
    with place.client(owner) as client:
        return str(client.call(game, f"engine:{engine}", "house:1", clock=clock)["name"])


def ended(place: Doors, owner: str, name: str) -> dict[str, Any]:
    """Return the verdict of a match, when it is over."""
    with place.client(owner) as client:
        list(client.follow(name))
        verdict: dict[str, Any] = client.match(name)["verdict"]
        return verdict


def present(place: Doors, engine: int) -> Callable[[], bool]:
    return lambda: place.house.arena.dialing.present(engine)


@contextmanager
def running(
    place: Doors, klass: int | None, *, bots: int = 4, limits: Bounds | None = None
) -> Iterator[tuple[Runner, list[Told]]]:
    """Run a runner in a thread, as olga, until the test is over."""
    told: list[Told] = []
    with place.client("olga") as client:
        runner = Runner(client, told.append, klass, bots, limits)
        going = threading.Event()

        def play() -> None:
            while not going.is_set():
                runner.look()
                going.wait(0.2)

        thread = threading.Thread(target=play)
        thread.start()
        try:
            yield runner, told
        finally:
            going.set()
            thread.join()
            runner.leave()
    assert not runner.folder.exists()
    assert runner.slots.running == []


@pytest.mark.parametrize(
    ("text", "game", "language"),
    [(FIRST, "pente", "python"), (CLASS, "tictactoe", "python"), (SCRIPT, "seafight", "javascript")],
    ids=["function", "class", "javascript"],
)
def test_a_source_plays_to_the_end(place: Doors, klass: int, text: str, game: str, language: str) -> None:
    if language == "javascript" and shutil.which("node") is None:
        pytest.skip("there is no node here")
    engine = lent(place, "anna", text, game, language)
    with running(place, klass) as (runner, told):
        wait_for(present(place, engine))
        verdict = ended(place, "anna", begun(place, "anna", engine, game))
        assert verdict["termination"] == "rules", told
        wait_for(lambda: runner.finished == 1)
    assert not place.house.arena.dialing.present(engine)  # it left at once
    if language == "javascript":
        assert any(one.what == "said" and one.text.startswith("thinking") for one in told)


def test_a_bot_whose_match_is_over_gets_no_place() -> None:
    slots = Slots(4)
    assert slots.take(1, lambda: True)
    answers = iter([True, False])
    assert not slots.take(1, lambda: next(answers))
    assert slots.starting == [1]


def test_one_process_for_many_matches_that_wait(place: Doors, klass: int) -> None:
    engine = lent(place, "anna", FIRST)
    with running(place, klass, bots=1) as (_, told):
        wait_for(present(place, engine))
        names = [begun(place, "anna", engine) for _ in range(2)]
        assert {ended(place, "anna", name)["termination"] for name in names} == {"rules"}
    assert not [one for one in told if one.what == "died"]


def test_one_person_does_not_take_every_place(place: Doors, klass: int) -> None:
    """Bots that sleep on a quarter of the places keep nobody else of the class from playing."""
    bad, good = lent(place, "anna", SLEEPS), lent(place, "ben", FIRST)
    with running(place, klass, bots=4) as (runner, _):
        wait_for(lambda: present(place, bad)() and present(place, good)())
        late = [begun(place, "anna", bad, clock="3s/move") for _ in range(4)]
        assert ended(place, "ben", begun(place, "ben", good))["termination"] == "rules"
        assert {ended(place, "anna", name)["termination"] for name in late} == {"out-of-time"}
        wait_for(lambda: not runner.slots.running)


def test_a_bot_that_waits_for_long_is_ended_and_comes_back(place: Doors, klass: int) -> None:
    engine = lent(place, "anna", FIRST)
    with running(place, klass) as (runner, told), place.client("anna") as anna:
        wait_for(present(place, engine))
        name = anna.call("tictactoe", f"engine:{engine}", "me")["name"]
        for _ in range(2):
            wait_for(lambda: any(not one.busy for one in runner.slots.running) and anna.turn(name)["asked"])
            runner.slots.tidy(0)
            assert runner.slots.running == []
            anna.move(name, anna.turn(name)["legal"][0])
    assert not [one for one in told if one.what == "died"]


EATS = """
import os, time
def move(p):
    for _ in range(6):
        if not os.fork():
            kept = bytearray(b"x") * (60 << 20)
            time.sleep(600)
    time.sleep(600)
"""
FORKS = """
import os, time
def move(p):
    while True:
        if not os.fork():
            time.sleep(600)
"""
PRINTS = """
def move(p):
    while True:
        print("x" * 10_000)
"""
SPEAKS = """
import os
def move(p):
    while True:  # on the pipe itself, which the library has set apart
        for number in range(3, 20):
            try:
                os.write(number, b"x" * 65536)
            except OSError:
                pass
"""
SLEEPS = """
import time
def move(p):
    time.sleep(600)
"""
CALLS = """
import socket
def move(p):
    try:
        socket.create_connection(("127.0.0.1", PORT), 2)
    except OSError:
        return p["any"]
    return "reached"
"""
LOOKS = """
import os
def move(p):
    others = os.listdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    seen = os.path.exists("SECRET") or len(others) > 1 or any("TOKEN" in name for name in os.environ)
    return "seen" if seen else p["any"]
"""


@pytest.mark.parametrize(("text", "why"), [(EATS, "group-too-large"), (FORKS, "group-too-many")], ids=["eats", "forks"])
def test_a_bot_that_takes_too_much_is_ended_and_loses(place: Doors, klass: int, text: str, why: str) -> None:
    engine = lent(place, "anna", text)
    with running(place, klass, limits=Bounds(memory=128 << 20, tasks=24)) as (_, told):
        wait_for(present(place, engine))
        verdict = ended(place, "anna", begun(place, "anna", engine))
        assert verdict["termination"] == "resigned"
    died = [one.why for one in told if one.what == "died"]
    assert len(died) == 3
    if bounds.how() == "watch":
        assert {one.code for one in died if one is not None} == {why}


@pytest.mark.parametrize("text", [PRINTS, SLEEPS, SPEAKS], ids=["prints", "sleeps", "speaks"])
def test_a_bot_that_never_answers_loses_on_time_and_others_play_on(place: Doors, klass: int, text: str) -> None:
    bad, good = lent(place, "anna", text), lent(place, "ben", FIRST)
    with running(place, klass) as (runner, told):
        wait_for(lambda: present(place, bad)() and present(place, good)())
        late = begun(place, "anna", bad, clock="1s/move")
        assert ended(place, "ben", begun(place, "ben", good))["termination"] == "rules"
        assert ended(place, "anna", late)["termination"] in ("out-of-time", "resigned")
        wait_for(lambda: not runner.slots.running)  # it was ended when its match was
    assert sum(one.what == "said" for one in told) <= 400


def test_a_bot_reaches_no_network_and_sees_nothing(place: Doors, klass: int, tmp_path: Path) -> None:
    (tmp_path / "token.secret").write_text("arb_x")
    lent(place, "ben", FIRST)  # whose source lies on the same machine
    for text in (CALLS.replace("PORT", str(place.site.port)), LOOKS.replace("SECRET", str(tmp_path / "token.secret"))):
        engine = lent(place, "anna", text)
        with running(place, klass):
            wait_for(present(place, engine))
            assert ended(place, "anna", begun(place, "anna", engine))["termination"] == "rules"


def test_what_is_lent_no_more_is_left_at_once_and_a_new_version_plays_the_next_match(place: Doors, klass: int) -> None:
    engine = lent(place, "anna", "def move(p):\n    raise ValueError\n")
    with running(place, klass), place.client("anna") as anna:
        wait_for(present(place, engine))
        assert ended(place, "anna", begun(place, "anna", engine))["termination"] == "resigned"
        (kept,) = anna.sources()
        anna.save_source("tictactoe", kept["name"], "python", FIRST)
        while ended(place, "anna", begun(place, "anna", engine))["termination"] != "rules":
            pass  # until the runner has looked
        anna.lend_source(kept["id"], "no")
        wait_for(lambda: not place.house.arena.dialing.present(engine))


def test_a_runner_answers_for_what_is_lent_to_it_and_for_nothing_else(place: Doors, klass: int) -> None:
    engine = lent(place, "anna", FIRST)
    with place.client("tess") as tess, place.client("olga") as olga, place.client("ben") as ben:
        assert list(tess.pages("/api/runners/sources")) == []
        for path in ("questions?wait=0", "questions"):
            refused(403, tess, "GET", f"/api/engines/{engine}/{path}")
        refused(403, tess, "POST", f"/api/engines/{engine}/answers", {"id": "1", "move": "5"})
        refused(404, tess, "GET", f"/api/runners/sources?class={klass}")
        refused(401, ben, "GET", f"/api/engines/{engine}/questions?wait=0")
        refused(403, ben, "GET", "/api/runners/sources")
        (found,) = [one for one in olga.pages("/api/runners/sources", {"class": klass}) if one["engine"] == engine]
        assert olga.ask("GET", f"/api/engines/{engine}/questions?wait=0") is None
        refused(404, tess, "GET", f"/api/runners/sources/{found['id']}")
        other = ben.add_engine("tictactoe", f"bens{next(NUMBERS)}", "dial:")["id"]
        refused(403, olga, "GET", f"/api/engines/{other}/questions?wait=0")
        refused(401, olga, "POST", f"/api/engines/{engine}/practice", {})
        with place.client("anna") as anna:
            anna.lend_source(found["id"], "all")
        assert [one["id"] for one in tess.pages("/api/runners/sources")] == [found["id"]]
        assert tess.ask("GET", f"/api/engines/{engine}/questions?wait=0") is None
        with place.client("anna") as anna:
            anna.lend_source(found["id"], "no")
        refused(403, tess, "GET", f"/api/engines/{engine}/questions?wait=0")


def test_a_runner_does_not_speak_for_a_listener_of_the_owner(place: Doors, klass: int) -> None:
    engine = lent(place, "anna", FIRST)
    with place.client("anna") as anna, place.client("olga") as olga:
        token = anna.ask("POST", f"/api/engines/{engine}/token")["token"]
        with type(anna)(place.site.url, token) as own:
            own.ask("GET", f"/api/engines/{engine}/questions?wait=0&listener=tab")
            olga.ask("DELETE", f"/api/engines/{engine}/questions?listener=tab")
            assert place.house.arena.dialing.present(engine)
            own.ask("DELETE", f"/api/engines/{engine}/questions?listener=tab")
        assert not place.house.arena.dialing.present(engine)


@contextmanager
def machine(place: Doors, klass: int, folder: Path, *more: str) -> Iterator["subprocess.Popen[str]"]:
    """Run `arbitre runner` as a program of its own."""
    token = folder / "runner.token"
    token.write_text(place.token("olga", Scope.RUN))
    command = [sys.executable, "-m", "arbitre", "runner", "--site", place.site.url, "--token", str(token), "--class", str(klass)]
    process = subprocess.Popen([*command, *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=30)


def finish(client: Client, name: str) -> None:
    """Play on against the engine until the match is over."""
    while client.match(name)["state"] == "playing":
        turn = client.turn(name, wait=5)
        if turn["asked"]:
            client.move(name, turn["legal"][0])


def test_a_runner_that_is_killed_hands_its_matches_over_and_one_that_is_stopped_leaves(
    place: Doors, klass: int, tmp_path: Path
) -> None:
    assert RUNNER_MISSED * BEAT_SECONDS < 15
    engine = lent(place, "anna", FIRST)
    with machine(place, klass, tmp_path) as first, place.client("anna") as anna:
        wait_for(present(place, engine))
        name = anna.call("tictactoe", f"engine:{engine}", "me")["name"]
        wait_for(lambda: anna.turn(name)["asked"])
        first.send_signal(signal.SIGKILL)
        with machine(place, klass, tmp_path) as second:
            finish(anna, name)
            assert anna.match(name)["verdict"]["termination"] == "rules"
            wait_for(lambda: place.house.arena.dialing.listeners(engine) == 1)
            second.send_signal(signal.SIGINT)
            told, _ = second.communicate(timeout=60)
            assert second.returncode == 130, told
            assert not present(place, engine)()
    assert "over: " in told


def test_a_runner_that_vanishes_without_a_word_is_found_by_its_silence(
    place: Doors, klass: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lines stay open, as behind a proxy; but it does not ask any more what is lent."""
    assert LOOK_SECONDS < RUNNER_SECONDS < 15
    monkeypatch.setattr(dialing, "RUNNER_SECONDS", 1.0)
    engine = lent(place, "anna", "import time\n\ndef move(p):\n    time.sleep(600)\n")
    with place.client("olga") as client, place.client("anna") as anna:
        lost = Runner(client, list[Told]().append, klass, 4)
        try:
            lost.look()
            wait_for(present(place, engine))
            name = anna.call("tictactoe", f"engine:{engine}", "me")["name"]
            wait_for(lambda: place.house.arena.dialing.holder(engine, f"{name}/1").endswith(lost.name))
            with running(place, klass) as (other, _):
                wait_for(lambda: place.house.arena.dialing.holder(engine, f"{name}/1").endswith(other.name))
        finally:
            lost.leave()


def test_so_many_games_and_words(place: Doors, klass: int, tmp_path: Path) -> None:
    engine = lent(place, "anna", FIRST)
    with machine(place, klass, tmp_path, "--games", "1") as process:
        wait_for(present(place, engine))
        name = begun(place, "anna", engine)
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert name in told
    assert "\x1b" not in told
    assert "games that were played to their end: 1" in told


def test_without_a_sandbox_nothing_runs(place: Doors, klass: int, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text(place.tokens["olga"])
    command = [sys.executable, "-m", "arbitre", "runner", "--site", place.site.url, "--token", str(token)]
    found = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"PATH": str(tmp_path)})
    assert found.returncode == 1
    assert "bubblewrap" in found.stderr


def test_a_token_for_something_else_is_told_in_words(place: Doors, tmp_path: Path) -> None:
    with place.client("ben") as ben:
        runner = Runner(ben, print)
        with pytest.raises(SiteError) as found:
            runner.play()
    assert found.value.status == 403
