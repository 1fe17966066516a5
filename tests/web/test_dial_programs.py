"""Programs that dial in: `arbitre bot join`, the file that a site hands out, lessons, all kinds of engines in one competition."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from socket import SHUT_RDWR, create_connection, create_server, socket
from time import monotonic, sleep
from typing import TYPE_CHECKING

import pytest

from arbitre.games.wires import wired
from arbitre.records.event import Kind
from arbitre.site.accounts import Account, Role
from arbitre.site.classes import Class
from arbitre.site.dial import HANDOUT
from arbitre.tournoyons.wire import Style
from tests.browser import browsing
from tests.players.model import serving
from tests.players.tables import fixture
from tests.tournoyons.test_player import ENGINES, started
from tests.web.dialer import Dialler, house_of
from tests.web.site import Running
from tests.web.test_dial import Programs

if TYPE_CHECKING:
    from playwright.sync_api import Page

NUMBERS = count(1)
BOT = """
from random import choice
from arbitre.bot import Bot, run

class Careless(Bot):
    def move(self, position):
        return position.sample(self.random)

run(Careless)
"""


def old_python() -> str:
    """Return the oldest Python that the file is for, where there is one; else ours."""
    found = shutil.which("python3.8")
    if found is None or subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode:
        return sys.executable
    return found


def wait_for(true: Callable[[], object], seconds: float = 60) -> None:
    """Return when something has come true that others do."""
    until = monotonic() + seconds
    while not true():
        assert monotonic() < until, "it did not come true"
        sleep(0.02)


@pytest.fixture
def owner(open_site: Running) -> Account:
    return house_of(open_site).community.accounts.create(f"keeper{next(NUMBERS)}", "correct horse battery")


@pytest.fixture
def programs(open_site: Running, owner: Account) -> Programs:
    return Programs(open_site, owner)


@contextmanager
def joining(dialler: Dialler, folder: Path, program: str, *more: str, url: str = "") -> Iterator["subprocess.Popen[str]"]:
    """Run `arbitre bot join` for an engine, until it leaves or the test does."""
    token = folder / f"{dialler.engine.id}.token"
    token.write_text(dialler.token)
    command = [sys.executable, "-m", "arbitre", "bot", "join", url or dialler.site.url, "--token", str(token), program, *more]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    try:
        wait_for(lambda: house_of(dialler.site).arena.dialing.present(dialler.engine.id) or process.poll() is not None)
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=30)


@pytest.mark.parametrize("by", ["stream", "websocket"])
def test_any_bot_on_a_pipe_joins_and_leaves(
    open_site: Running, owner: Account, programs: Programs, tmp_path: Path, by: str
) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    dialler = Dialler(open_site, owner, "reversi", f"Joined{next(NUMBERS)}")
    with joining(dialler, tmp_path, "bot.py", "--games", "2", "--by", by) as process:
        for _ in range(2):
            programs.call(dialler.engine.id, game="reversi")
        told, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert told.count("begins: reversi") == 2
    assert len(re.findall(r"/1  over: (?:0|1|1/2)  ", told)) == 2
    assert told.splitlines()[-1] == "games that were played to their end: 2"
    assert "\x1b" not in told  # colours are for terminals


SIGNING = """
from arbitre.bot import Bot

class Signing(Bot):
    def move(self, position):
        self.remark = "score=1"
        return position.legal[0]
"""


def test_a_bot_that_remarks_and_signs_joins(open_site: Running, owner: Account, programs: Programs, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(SIGNING)
    dialler = Dialler(open_site, owner, "tictactoe", f"Signing{next(NUMBERS)}")
    command = f"cmd:{sys.executable} -m arbitre.bot bot.py --key bot.key"
    with joining(dialler, tmp_path, command, "--games", "1") as process:
        name = programs.call(dialler.engine.id)
        told, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "refused" not in told
    assert "died" not in told
    wait_for(lambda: programs.state(name) == "over")
    sealed = json.loads(house_of(open_site).store.record(name).text().splitlines()[-1])
    assert "signed" in str(sealed["seats"][0]), sealed
    notes = [event.text for event in house_of(open_site).store.record(name).events if event.kind is Kind.NOTED]
    assert notes
    assert set(notes) == {"score=1"}


def test_an_engine_in_its_own_language_joins_and_what_it_says_is_noted(
    open_site: Running, owner: Account, programs: Programs, tmp_path: Path
) -> None:
    dialler = Dialler(open_site, owner, "draughts", f"Hub{next(NUMBERS)}")
    with joining(dialler, tmp_path, f"hub:{fixture('hub1')}", "--games", "1") as process:
        name = programs.call(dialler.engine.id, game="draughts")
        told, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "died" not in told
    wait_for(lambda: programs.state(name) == "over")
    notes = [event.text for event in house_of(open_site).store.record(name).events if event.kind is Kind.NOTED]
    assert any("depth=5" in one for one in notes), notes[:3]


def test_a_model_joins(open_site: Running, owner: Account, programs: Programs, tmp_path: Path) -> None:
    dialler = Dialler(open_site, owner, "tictactoe", f"Model{next(NUMBERS)}")
    with serving() as models, joining(dialler, tmp_path, f"llm:{models.url}#small", "--games", "1") as process:
        programs.call(dialler.engine.id)
        told, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "died" not in told
    assert models.asked


DYING = """
import pathlib, sys
died = pathlib.Path("died")
for line in sys.stdin:
    word, *rest = line.split()
    if word == "hello":
        print("hello 2 Dying", flush=True)
    if word == "ask":
        if not died.exists():
            died.touch()
            print("I am dying", file=sys.stderr)
            sys.exit(1)
        print("move", rest[3], flush=True)
"""


def test_a_bot_that_dies_is_started_again_and_nothing_is_lost(
    open_site: Running, owner: Account, programs: Programs, tmp_path: Path
) -> None:
    (tmp_path / "dying.py").write_text(DYING)
    dialler = Dialler(open_site, owner, name=f"Dying{next(NUMBERS)}")
    with joining(dialler, tmp_path, f"cmd:{sys.executable} dying.py", "--games", "1") as process:
        programs.call(dialler.engine.id)
        told, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "the bot died, and is started again" in told
    assert "the bot says: I am dying" in told
    assert "games that were played to their end: 1" in told


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("nowhere.py", "there is no file"),
        ("cmd:", "names no command"),
        ("cmd:'x", "cannot be read"),
        ("house:reversi/1", "is no program or model"),
    ],
)
def test_a_bot_that_cannot_be_started_is_named(
    open_site: Running, owner: Account, tmp_path: Path, program: str, says: str
) -> None:
    dialler = Dialler(open_site, owner, name=f"Wrong{next(NUMBERS)}")
    with joining(dialler, tmp_path, program) as process:
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, says in errors) == (1, True)


def test_a_token_that_is_not_good_is_told_in_words(open_site: Running, owner: Account, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    dialler = Dialler(open_site, owner, name=f"Revoked{next(NUMBERS)}")
    house_of(open_site).community.engines.revoke(owner, dialler.engine.id)
    with joining(dialler, tmp_path, "bot.py") as process:
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "hint: the page of the engine makes a token" in errors


# ── what lies between ──────────────────────────────────────────────────────────────────────────────────────────────


class Proxy:
    """Something between a program and the site: it cuts lines after so many octets, or keeps answers back until they end."""

    def __init__(self, port: int, *, cuts: int = 0, buffers: bool = False) -> None:
        self._port, self._cuts, self._buffers = port, cuts, buffers
        self._server = create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            far = create_connection(("127.0.0.1", self._port))
            threading.Thread(target=self._pass, args=(near, far), daemon=True).start()
            threading.Thread(target=self._answer, args=(far, near), daemon=True).start()

    @staticmethod
    def _pass(source: socket, target: socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        hang_up(source, target)

    def _answer(self, source: socket, target: socket) -> None:
        kept, passed = b"", 0
        with suppress(OSError):
            while data := source.recv(65_536):
                kept += data
                if self._buffers and b"ndjson" in kept and not kept.endswith(b"\r\n0\r\n\r\n"):
                    continue  # until the answer ends
                target.sendall(kept)
                passed, kept = passed + len(kept), b""
                if self._cuts and passed > self._cuts:
                    break
        hang_up(source, target)


def hang_up(*lines: socket) -> None:
    for one in lines:
        with suppress(OSError):
            one.shutdown(SHUT_RDWR)
        one.close()


@pytest.mark.parametrize("how", [{"cuts": 6_000}, {"buffers": True}], ids=["cuts", "buffers"])
def test_a_proxy_that_cuts_or_keeps_back_loses_nothing(
    open_site: Running, owner: Account, programs: Programs, tmp_path: Path, how: dict[str, int]
) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    dialler = Dialler(open_site, owner, "reversi", f"Behind{next(NUMBERS)}")
    proxy = Proxy(open_site.port, **how)  # type: ignore[arg-type]
    try:
        with joining(dialler, tmp_path, "bot.py", "--games", "1", url=proxy.url) as process:
            programs.call(dialler.engine.id, game="reversi")
            told, errors = process.communicate(timeout=90)
        assert process.returncode == 0, errors
        assert "games that were played to their end: 1" in told
        assert ("no stream comes through" in told) is bool(how.get("buffers"))
    finally:
        proxy.close()


# ── the file that is handed out ────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def handed(text: str, folder: Path, python: str = sys.executable) -> Iterator["subprocess.Popen[str]"]:
    (folder / "dial.py").write_text(text, encoding="utf-8")
    process = subprocess.Popen(
        [python, "-u", "dial.py"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, encoding="utf-8"
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=30)


def read_until(process: "subprocess.Popen[str]", mark: str) -> list[str]:
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line.rstrip())
        if mark in line:
            return lines
    raise AssertionError(lines)


def test_the_file_is_plain_python_of_long_ago() -> None:
    text = HANDOUT.read_text(encoding="utf-8")
    tree = ast.parse(text, feature_version=(3, 8))
    names = {one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names}
    assert names == {"json", "random", "threading", "time", "traceback", "urllib.error", "urllib.request", "uuid"}
    assert len(text.splitlines()) <= 110


TYPICAL = ("tictactoe", "seafight", "poker")
"""Moves that are listed, moves that are not, chance and secrets."""


@pytest.mark.parametrize(
    "game", [one.name if one.name in TYPICAL else pytest.param(one.name, marks=pytest.mark.campaign) for one in wired()]
)
def test_the_file_plays_every_game_at_once(open_site: Running, owner: Account, tmp_path: Path, game: str) -> None:
    dialler = Dialler(open_site, owner, game, f"File-{game}{next(NUMBERS)}")
    text = dialler.client.get("/api/engines/me/dial.py", Authorization=f"Bearer {dialler.token}").text
    assert dialler.token in text
    with handed(text, tmp_path, old_python() if game == "tictactoe" else sys.executable) as process:
        lines = read_until(process, " end ")
    assert not [line for line in lines if "refused" in line or "Traceback" in line], lines
    assert any("your first game: http" in line for line in lines)


# ── a lesson ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def klass(open_site: Running) -> tuple[Account, Class]:
    community = house_of(open_site).community
    teacher = community.accounts.create(f"teacher{next(NUMBERS)}", "correct horse battery", Role.TEACHER)
    return teacher, community.classes.create(teacher, "Year 10")


def test_the_code_and_a_name_are_enough_for_a_lesson(open_site: Running, klass: tuple[Account, Class], tmp_path: Path) -> None:
    teacher, found = klass
    visitor = open_site.client()
    fields = {"code": found.code.lower(), "name": f"Emma{next(NUMBERS)}", "game": "tictactoe"}
    file = visitor.post("/lesson", fields, page="/lesson")
    assert (file.status, file.headers["content-disposition"]) == (200, 'attachment; filename="dial.py"')
    assert file.headers["cache-control"] == "no-store"
    with handed(file.text, tmp_path) as process:
        read_until(process, " end ")
        members = house_of(open_site).community.classes.members(teacher, found.id)
        assert [one.account.name for one in members] == [fields["name"]]
    again = visitor.post("/lesson", fields, page="/lesson")
    assert (again.status, 'role="alert"' in again.text) == (400, True)


def test_who_joins_a_lesson_wrongly_is_told_why(open_site: Running, klass: tuple[Account, Class]) -> None:
    teacher, found = klass
    client = open_site.client()

    def join(**given: str) -> int:
        body = {"code": found.code, "name": f"Paul{next(NUMBERS)}", "game": "reversi"} | given
        return client.ask("POST", "/api/classes/lesson", json.dumps(body).encode(), Content_Type="application/json").status

    assert join(code="ABC-DEF-GHJ") == 410
    assert join(name="<img src=x>") == 400
    assert join(game="chess") == 400
    assert join() == 201
    house_of(open_site).community.classes.set_accounts_only(teacher, found.id, on=True)
    assert join() == 403


def test_a_command_joins_a_lesson_and_comes_back_with_its_token(
    open_site: Running, klass: tuple[Account, Class], tmp_path: Path
) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    name = f"Lea{next(NUMBERS)}"
    command = [sys.executable, "-m", "arbitre", "bot", "join", open_site.url, "bot.py", "--code", klass[1].code, "--name", name]
    command += ["--game", "tictactoe", "--games", "1", "--practice"]
    for sentence in ("you play as", "you have joined before"):
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False)
        assert (done.returncode, sentence in done.stdout) == (0, True), done.stderr
    assert (tmp_path / f"{name}.token").stat().st_mode & 0o077 == 0


# ── all kinds together ─────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def crowd(site: Running, owner: Account, folder: Path, size: int) -> Iterator[None]:
    """Let so many programs dial in in the same minute, and play a game each, whatever else is done meanwhile."""
    diallers = [Dialler(site, owner, name=f"Crowd{next(NUMBERS)}") for _ in range(size)]
    processes = []
    for one in diallers:
        place = folder / one.engine.name
        place.mkdir()
        text = one.client.get("/api/engines/me/dial.py", Authorization=f"Bearer {one.token}").text
        (place / "dial.py").write_text(text, encoding="utf-8")
        processes.append(
            subprocess.Popen(
                [sys.executable, "-u", "dial.py"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=place
            )
        )
    try:
        yield
        for process in processes:
            assert not [line for line in read_until(process, " end ") if "refused" in line]
    finally:
        for process in processes:
            process.terminate()
            process.communicate(timeout=30)


def test_ten_programs_that_come_in_the_same_minute(open_site: Running, tmp_path: Path) -> None:
    community = house_of(open_site).community
    boss = community.accounts.create(f"crowd{next(NUMBERS)}", "correct horse battery", Role.OPERATOR)
    with crowd(open_site, boss, tmp_path, 10):
        pass


def lent_tab(page: "Page", site: Running, klass: Class, game: str = "tictactoe") -> tuple[Account, int]:
    """Come to a lesson with a page, and lend it; return the pupil and the engine that it is."""
    name = f"tab{next(NUMBERS)}"
    page.goto(f"{site.url}/lesson?code={klass.code}&game={game}")
    page.locator("[name=name]").fill(name)
    page.locator("button[value=workshop]").click()
    page.wait_for_url(f"**/workshop/{game}")
    page.locator("#lend").click()
    page.locator("#lend[aria-pressed=true]").wait_for()
    community = house_of(site).community
    pupil = community.accounts.called(name)
    engine = community.engines.of(pupil)[0].id
    wait_for(lambda: house_of(site).arena.dialing.present(engine))
    return pupil, engine


def plays_well(site: Running, pupil: Account, engine: int, game: str = "tictactoe") -> None:
    """Let an engine play the house: it answers every question in time until the game is over."""
    programs = Programs(site, pupil)
    name = programs.call(engine, game=game, clock="10s/move")
    wait_for(lambda: programs.state(name) == "over", 120)
    events = house_of(site).store.record(name).events
    assert sum(one.kind is Kind.SAID and one.seat == 0 for one in events) > 1
    assert not {one.kind for one in events} & {Kind.TICKED, Kind.LEFT, Kind.GARBLED, Kind.RESIGNED, Kind.ABANDONED}


@pytest.mark.campaign
@browsing(locale="en-GB")
def test_sixty_that_come_in_the_same_minute_three_of_them_tabs(
    page: "Page", open_site: Running, klass: tuple[Account, Class], tmp_path: Path
) -> None:
    community = house_of(open_site).community
    boss = community.accounts.create(f"crowd{next(NUMBERS)}", "correct horse battery")
    community.accounts.set_quota(boss, 100)
    assert page.context.browser is not None
    with crowd(open_site, community.accounts.get(boss.id), tmp_path, 57), ExitStack() as stack:
        for _ in range(3):
            visitor = page.context.browser.new_context()
            stack.callback(visitor.close)
            visitor.set_default_timeout(120_000)  # sixty programs start beside it
            plays_well(open_site, *lent_tab(visitor.new_page(), open_site, klass[1]))


def test_engines_of_both_kinds_meet_in_a_competition(open_site: Running, klass: tuple[Account, Class], tmp_path: Path) -> None:
    """A class whose pupils' engines dial in, and one that has an address: a Swiss of all of them, played to its end."""
    teacher, found = klass
    house = house_of(open_site)
    programs = Programs(open_site, teacher, "teach", "compete")
    with styles() as url:
        called = house.community.accounts.create(f"called{next(NUMBERS)}", "correct horse battery")
        house.community.classes.join(called, found.code)
        house.community.engines.add(
            called, game="tictactoe", name=f"Called{next(NUMBERS)}", url=f"{url}/direct", style=Style(direct=True)
        )
        client = open_site.client()
        with ExitStack() as stack:
            for name in (f"Ada{next(NUMBERS)}", f"Bob{next(NUMBERS)}"):
                place = tmp_path / name
                place.mkdir()
                body = json.dumps({"code": found.code, "name": name, "game": "tictactoe"}).encode()
                joined = json.loads(client.ask("POST", "/api/classes/lesson", body, Content_Type="application/json").text)
                engine = f"/api/engines/{joined['engine']}/dial.py"
                text = client.get(engine, Authorization=f"Bearer {joined['token']}").text
                read_until(stack.enter_context(handed(text, place)), " end ")
            begun = programs.ask("POST", f"/api/classes/{found.id}/compete", {"game": "tictactoe"})
            assert begun.status in (200, 201), begun.text
            number = json.loads(begun.text)["competition"]
            wait_for(lambda: json.loads(programs.ask("GET", f"/api/competitions/{number}").text)["stage"] == "over")
        progress = json.loads(programs.ask("GET", f"/api/competitions/{number}/progress").text)
        assert len(progress["standings"]) == 3
        assert not progress["faults"], progress


@contextmanager
def styles() -> Iterator[str]:
    """Run engines at addresses, in a process of their own."""
    yield from started(sys.executable, "-S", str(ENGINES / "styles.py"), os.devnull)
