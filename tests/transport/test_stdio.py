"""Programs on a pipe: every fixture plays a real match, and each fault leads to the verdict that the manual names."""

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest

from arbitre.bot import Bot, InProcess, Position, Resign
from arbitre.crypto.keys import Key
from arbitre.crypto.statements import SeatState
from arbitre.errors import HouseError, shorten
from arbitre.games.anyone import Anyone
from arbitre.games.game import FIRST
from arbitre.reasons import Reason
from arbitre.records.event import Kind
from arbitre.referee.match import Match
from arbitre.referee.player import Player
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.verdict import Termination
from arbitre.transport import group, process, sandbox, stdio
from arbitre.transport.stdio import ProcessLimits, Sandbox, StdioPlayer
from tests.reasons import gives, raises
from tests.transport.tables import EXAMPLES, FIXTURES, KEY, make_match, open_files, play, program, running

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="these tests look at processes in /proc")


@pytest.fixture(autouse=True)
def _short_farewells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "FAREWELL_SECONDS", 0.15)


# ── bots that multiply ─────────────────────────────────────────────────────────────────────────────────────────────


def bombs() -> list[str]:
    """Return the processes of our fork bomb that are alive, wherever they went; the tests of another checkout have their own."""
    found = []
    for one in Path("/proc").iterdir():
        with suppress(OSError):
            if one.name.isdigit() and bytes(FIXTURES / "forks.py") in (one / "cmdline").read_bytes():
                found.append(one.name)
    return found


@pytest.mark.parametrize(
    ("grouped", "boxed", "leaving"),
    [
        pytest.param(True, False, False, id="in a control group"),
        pytest.param(True, False, True, id="in a control group, each in a session of its own"),
        pytest.param(True, True, False, id="in control group and sandbox"),
        pytest.param(True, True, True, id="in control group and sandbox, each in a session of its own"),
        pytest.param(False, False, False, id="where there are no control groups"),
    ],
)
def test_a_fork_bomb_is_put_out(grouped: bool, boxed: bool, leaving: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is stopped soon after its limit, the match ends with the reason, and nothing of it is left."""
    if grouped:
        try:
            group.ground()
        except HouseError as error:
            pytest.skip(str(error))
    else:
        monkeypatch.setattr(process, "make_group", lambda *_: None)
    if boxed:
        try:
            sandbox.works()
        except HouseError as error:
            pytest.skip(str(error))
    bomb = program("forks", *["leaving"] * leaving, limits=ProcessLimits(group=64))
    bomb.sandbox = Sandbox(shown=(FIXTURES,)) if boxed else None
    verdict, _ = play(make_match("10s/move"), bomb)
    assert verdict.termination is not Termination.RULES
    if not (grouped and "processes" in group.held_here()):
        assert verdict.reason == Reason("too-many-processes", most=64)
    assert bombs() == []
    if grouped:
        assert not list(group.ground().glob(f"arbitre-{os.getpid()}-*"))


# ── bots that play ─────────────────────────────────────────────────────────────────────────────────────────────────


def example(name: str, folder: Path) -> list[str]:
    """Return the command of an example bot, made first if it must be."""
    source = str(EXAMPLES / name)
    if name.endswith(".py"):
        return [sys.executable, source]
    if name.endswith(".js"):
        node = shutil.which("node")
        return [node, source] if node else pytest.skip("node is not installed")
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("cc is not installed")
    subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-O2", "-o", str(folder / "first"), source], check=True)
    return [str(folder / "first")]


OURS = {"PYTHONPATH": str(Path(process.__file__).parents[2])}


@pytest.mark.parametrize("name", ["first.py", "plain.py", "first.js", "first.c"])
def test_the_example_bots_play(name: str, tmp_path: Path) -> None:
    command = example(name, tmp_path)
    bots = [StdioPlayer(command, environment=OURS) for _ in range(2)]
    verdict, _ = play(make_match("10s/move"), *bots)
    assert verdict.termination is Termination.RULES
    assert bots[0].name == {"first.py": "Careless", "plain.py": "plain"}.get(name, name)


@pytest.mark.parametrize("name", ["mastermind", "rochambeau", "seafight"])
def test_a_bot_of_the_library_plays_games_with_secrets_and_several_seats(name: str) -> None:
    command = [sys.executable, "-m", "arbitre.bot", str(EXAMPLES / "first.py")]
    options: dict[str, object] = {"players": 3, "states": 5} if name == "rochambeau" else {}
    match = make_match("10s/move", name=name, options=options)
    verdict, _ = play(match, *(StdioPlayer(command, environment=OURS) for _ in range(match.game.seats)))
    assert verdict.termination is Termination.RULES


def test_a_refused_bot_is_told_why_and_asked_again() -> None:
    verdict, events = play(make_match(refusals=None), program("learns"))
    assert verdict.termination is Termination.RULES
    assert sum(event.kind is Kind.REFUSED for event in events) >= 3


def test_a_flood_on_standard_error_harms_nobody_and_its_end_is_kept() -> None:
    bot = program("flood_errors")
    verdict, _ = play(make_match("10s/move"), bot)
    assert verdict.termination is Termination.RULES
    assert len(bot.errors()) <= process.ERRORS_KEPT
    assert re.search(r"turn [579]\n$", bot.errors())


def test_a_late_answer_is_not_the_answer_to_the_next_question() -> None:
    """Where a game goes on without the silent, the answer to the old question comes first, and is dropped."""
    match = make_match(name="rochambeau")

    async def course() -> str:
        bot = program("late_once")
        await bot.sit(match.opening, FIRST)
        try:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await bot.ask(question(match, 1))
            return (await bot.ask(question(match, 2))).text
        finally:
            await bot.leave()

    assert asyncio.run(course()) == "paper"


def question(match: Match, turn: int) -> Position:
    return Position(match.game, match.notation, FIRST, turn, match.game.start())


# ── bots that do not ───────────────────────────────────────────────────────────────────────────────────────────────


SILENT = tuple(Reason("no-answer-because", why=Reason(why)) for why in ("question-unread", "no-line"))
"""No answer in time: the question was not read, or nothing came."""


class Case(NamedTuple):
    """A fixture, and what it must come to."""

    bot: str
    termination: Termination
    reason: Reason | tuple[Reason, ...]
    """What the verdict gives; one of several, where it depends on when the bot was looked at."""
    clock: str = "none"
    limits: ProcessLimits | None = None
    text: str = ""
    """What the bot's own words match, where they depend on its language's version."""

    def holds(self, reason: Reason) -> bool:
        """Tell whether a verdict was given for this reason."""
        several = self.reason if isinstance(self.reason, tuple) else (self.reason,)
        words = str(reason.fields.get("text", ""))
        return any(gives(reason, one) for one in several) and re.fullmatch(self.text or ".*", words, re.DOTALL) is not None


GONE, WRONG, LATE = Termination.DISCONNECTED, Termination.PROTOCOL_ERROR, Termination.OUT_OF_TIME

CASES = [
    Case(
        "crash_at_start",
        GONE,
        Reason("last-words", how=Reason("exited", status=1), text="RuntimeError: the opening book is missing"),
    ),
    Case("crash_in_game", GONE, Reason("last-words", how=Reason("exited", status=1)), text="ZeroDivisionError: .*by zero"),
    Case("quits", GONE, Reason("exited", status=0)),
    Case("orphan", GONE, Reason("exited", status=5)),
    Case("closes_output", GONE, Reason("closed-output")),
    Case("closes_input", GONE, Reason("closed-input")),
    Case("unfinished_exit", GONE, Reason("gone-amid-a-line", how=Reason("exited", status=0), line="move 5")),
    Case(
        "hog",
        GONE,
        Reason("last-words", how=Reason("exited", status=1), text="MemoryError"),
        limits=ProcessLimits(memory=200 << 20),
    ),
    Case("burn", GONE, Reason("cpu-used-up", signal="SIGXCPU"), limits=ProcessLimits(cpu=1)),
    Case("burn_on", GONE, Reason("ended-by", signal="SIGKILL"), limits=ProcessLimits(cpu=1)),
    Case(
        "fill_disk",
        GONE,
        Reason("last-words", how=Reason("exited", status=1), text="OSError: [Errno 27] File too large"),
        limits=ProcessLimits(file=1 << 20),
    ),
    Case("stall", LATE, SILENT, clock="200ms/move"),
    Case("stubborn", LATE, SILENT, clock="200ms/move"),
    Case("late", LATE, SILENT, clock="200ms/move"),
    Case("unfinished", LATE, Reason("no-answer-because", why=Reason("line-without-end")), clock="200ms/move"),
    Case("babble", WRONG, Reason("pipe-unknown", line="I think the centre is best")),
    Case("flood", WRONG, Reason("pipe-long-line", most=65_536)),
    Case("flood_comments", WRONG, Reason("pipe-comments", most=1_048_576)),
    Case("wrong_version", WRONG, Reason("pipe-version", given="3", line="hello 3 from the future")),
    Case("nul", WRONG, Reason("pipe-control", character=7, line="move 5\x00")),
    Case("latin", WRONG, Reason("pipe-not-utf-8", octet=6, line="move \\xe0 droite")),
    Case("early", WRONG, Reason("pipe-not-asked", line="move 5")),
    Case("deaf", WRONG, Reason("before-reading", line="move 1")),
    Case("twice", WRONG, Reason("pipe-not-asked", line="move 9")),
    Case("twice_slowly", WRONG, (Reason("pipe-not-asked"), Reason("before-reading")), clock="2s/move"),
    Case("cheat", Termination.ILLEGAL_MOVE, Reason("occupied", cell=1)),
    Case("resigns", Termination.RESIGNED, Reason("quoted", text="it is no use")),
]


class Last(Bot):
    """Takes the last free cell but one, so that nobody wins too early and the first cell stays whose it is."""

    def move(self, position: Position) -> str:
        free = position.legal
        return free[len(free) // 2]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.bot)
def test_each_fault_has_its_verdict(case: Case) -> None:
    verdict, events = play(make_match(case.clock), program(case.bot, limits=case.limits), InProcess(Last()))
    assert verdict.termination is case.termination
    assert case.holds(verdict.reason), repr(verdict.reason)
    assert verdict.scores == (Fraction(0), Fraction(1))
    if case.bot in ("twice", "crash_in_game", "quits", "cheat"):
        assert [event.kind for event in events][1:3] == [Kind.ASKED, Kind.SAID], "the first answer counts"


@pytest.mark.parametrize(
    ("name", "mode", "reason"),
    [
        ("absent", None, Reason("no-program")),
        ("plain.txt", 0o644, Reason("not-executable")),
        ("noise", 0o755, Reason("last-words")),
    ],
)
def test_a_program_that_cannot_start(name: str, mode: int | None, reason: Reason, tmp_path: Path) -> None:
    path = tmp_path / name
    if mode is not None:
        path.write_bytes(b"#!/no/such/interpreter\n")
        path.chmod(mode)
    verdict, _ = play(make_match(), StdioPlayer([str(path)]))
    assert verdict.termination is Termination.DISCONNECTED
    assert gives(verdict.reason, reason), repr(verdict.reason)
    if name == "noise":  # as this system's shell has it
        assert any(gives(verdict.reason, "exited", status=status) for status in (126, 127)), repr(verdict.reason)
    else:
        assert gives(verdict.reason, reason, program=shorten(str(path))), repr(verdict.reason)


@pytest.mark.parametrize("command", [[], ["no-such-program-anywhere"], [""]])
def test_a_command_that_names_nothing(command: list[str]) -> None:
    verdict, _ = play(make_match(), StdioPlayer(command))
    assert verdict.reason.code == "no-program"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    verdict, _ = play(make_match(), StdioPlayer(["true"], folder=tmp_path / "nowhere"))
    assert verdict.reason.code == "no-folder"


def test_a_bot_that_never_says_hello(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "HELLO_SECONDS", 0.2)
    monkeypatch.setattr(stdio, "GATE_SECONDS", 0.1)
    verdict, _ = play(make_match(), program("silent"))
    assert (verdict.termination, verdict.reason) == (
        Termination.DISCONNECTED,
        Reason("mute", seconds="0.2"),
    )


def test_whoever_is_at_fault_loses_from_either_seat() -> None:
    verdict, _ = play(make_match(), InProcess(Anyone()), program("babble"))
    assert verdict.scores == (Fraction(1), Fraction(0))


def test_where_the_system_cannot_tell_when_a_program_ends_it_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    monkeypatch.delattr(os, "waitid", raising=False)
    verdict, _ = play(make_match(), program("orphan"))
    assert verdict.reason == Reason("exited", status=5)
    verdict, _ = play(make_match("200ms/move"), program("stubborn"))
    assert verdict.termination is Termination.OUT_OF_TIME


# ── nothing is left ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_grandchild_ends_with_its_family() -> None:
    bot = program("stubborn")
    play(make_match("200ms/move"), bot)
    grandchild = Path(f"/proc/{int(bot.errors())}/stat")
    assert not grandchild.exists() or ") Z" in grandchild.read_text()


@pytest.mark.parametrize("fixture", ["stubborn", "silent"])
def test_a_cancelled_match_leaves_nothing(fixture: str) -> None:
    bot = program(fixture)
    files = open_files()

    async def course() -> None:
        table = asyncio.create_task(MatchRunner(make_match(), [bot, InProcess(Anyone())], Memory(), KEY).play())
        while bot.pid is None or (fixture == "stubborn" and not bot.errors()):
            await asyncio.sleep(0.01)
        table.cancel()
        await asyncio.sleep(0.01)
        table.cancel()  # in the middle of the farewell
        with pytest.raises(asyncio.CancelledError):
            await table

    asyncio.run(course())
    assert open_files() <= files, "what an earlier test left may be closed meanwhile"
    assert bot.pid is not None
    assert running(bot.pid) == []
    with pytest.raises(ChildProcessError):
        os.waitpid(bot.pid, os.WNOHANG)


def test_leaving_twice_is_leaving_once() -> None:
    async def course() -> None:
        bot = program("silent")
        await bot.leave()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await bot.sit(make_match().opening, FIRST)
        await bot.leave()
        await bot.leave()

    asyncio.run(course())


def test_limits_are_hard_before_the_first_instruction() -> None:
    script = ProcessLimits(cpu=60, memory=64 << 20, file=1 << 20, processes=500).script()
    told = subprocess.run(["/bin/sh", "-c", script, "sh", "cat", "/proc/self/limits"], capture_output=True, text=True, check=True)
    found = {line[:26].strip(): line[26:].split()[:2] for line in told.stdout.splitlines()}
    assert found["Max cpu time"] == ["60", "61"]
    assert found["Max data size"] == [str(64 << 20)] * 2
    assert found["Max file size"] == [str(1 << 20)] * 2
    assert found["Max processes"] == ["500"] * 2
    assert found["Max core file size"] == ["0"] * 2


# ── what a program gets to know ────────────────────────────────────────────────────────────────────────────────────


def findings(bot: StdioPlayer) -> dict[str, str]:
    """Return what the prober told."""
    return dict(line.split("=", 1) for line in bot.errors().splitlines() if "=" in line)


def test_the_environment_is_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARBITRE_SECRET", "do not tell")
    bot = program("prober", "1")
    play(make_match(), bot)
    assert set(findings(bot)["names"].split(",")) <= {
        "HOME",
        "LANG",
        "LC_CTYPE",
        "PATH",
        "PWD",
        "OLDPWD",
        "PYTHONUNBUFFERED",
        "SHLVL",
        "_",
    }


def test_the_working_folder_may_be_chosen(tmp_path: Path) -> None:
    bot = StdioPlayer([sys.executable, "-S", str(FIXTURES / "prober.py"), "1"], folder=tmp_path, environment={"PLACES": "."})
    play(make_match(), bot)
    assert (tmp_path / "made-by-prober").exists()


@pytest.fixture
def working_sandbox() -> Sandbox:
    try:
        sandbox.works()
    except HouseError as error:
        pytest.skip(str(error))
    return Sandbox()


@pytest.mark.usefixtures("working_sandbox")
def test_the_sandbox_hides_what_is_nobodys_business(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, data, shown = tmp_path / "home", tmp_path / "work" / "arbitre-data", tmp_path / "shown"
    for folder in (home, data, shown):
        folder.mkdir(parents=True)
        (folder / "secret").write_text("x")
    (tmp_path / "work" / "bot.py").write_text((FIXTURES / "prober.py").read_text())
    monkeypatch.setenv("HOME", str(home))
    with socket.create_server(("127.0.0.1", 0)) as server:
        places = [home / "secret", data / "secret", shown / "secret", Path("/etc/passwd"), Path("bot.py"), Path("/tmp")]  # noqa: S108
        bot = StdioPlayer(
            [sys.executable, "bot.py", str(server.getsockname()[1])],
            folder=tmp_path / "work",
            environment={"PLACES": os.pathsep.join([*map(str, places), str(shown), "/usr", "/"])},
            sandbox=Sandbox(shown=(shown,), hidden=(data,)),
        )
        verdict, _ = play(make_match(), bot)
    assert verdict.termination is Termination.RULES
    found = findings(bot)
    assert {place.name if place.is_absolute() else str(place): found[f"sees {place}"] for place in places[3:]} == {
        "passwd": "False",
        "bot.py": "True",
        "tmp": "True",
    }
    assert [found[f"sees {place}"] for place in places[:3]] == ["False", "False", "True"]
    assert found["writes /tmp"] == "made"
    assert {found[f"writes {place}"] for place in (shown, "/usr", "/")} <= {"OSError", "PermissionError"}
    assert found["home"] == "/tmp"  # noqa: S108
    assert found["calls"] == "nobody"
    assert int(found["processes"]) <= 3
    assert not Path("/tmp/made-by-prober").exists()  # noqa: S108


def test_without_the_sandbox_the_prober_finds_all_that(tmp_path: Path) -> None:
    """The test above would prove nothing if the prober were blind."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        bot = program("prober", str(server.getsockname()[1]))
        bot.environment["PLACES"] = str(tmp_path)
        play(make_match(), bot)
    found = findings(bot)
    assert (found[f"sees {tmp_path}"], found[f"writes {tmp_path}"], found["calls"]) == ("True", "made", "somebody")
    assert int(found["processes"]) > 3


@pytest.mark.parametrize(
    "case", [one for one in CASES if one.bot in ("stubborn", "orphan", "twice", "hog")], ids=lambda case: case.bot
)
def test_faults_in_the_sandbox(case: Case, working_sandbox: Sandbox) -> None:
    bot = program(case.bot, limits=case.limits)
    bot.sandbox = working_sandbox
    verdict, _ = play(make_match(case.clock), bot, InProcess(Last()))
    assert verdict.termination is case.termination
    assert case.holds(verdict.reason), repr(verdict.reason)


@pytest.mark.usefixtures("working_sandbox")
def test_a_bot_in_a_python_file_plays_in_the_sandbox() -> None:
    bot = StdioPlayer([sys.executable, "-m", "arbitre.bot", str(EXAMPLES / "first.py")], environment=OURS, sandbox=Sandbox())
    verdict, _ = play(make_match("10s/move"), bot)
    assert verdict.termination is Termination.RULES


def test_without_bubblewrap_there_is_no_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox.works.cache_clear()
    try:
        with raises(HouseError, "bubblewrap is not installed"):
            Sandbox().wrap(["true"])
    finally:
        sandbox.works.cache_clear()


def test_a_sandbox_that_fails_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    sandbox.works.cache_clear()
    try:
        with raises(HouseError, "(bubblewrap 0.7 or later needs user namespaces: sysctl user.max_user_namespaces)"):
            Sandbox().wrap(["true"])
    finally:
        sandbox.works.cache_clear()


# ── signatures ─────────────────────────────────────────────────────────────────────────────────────────────────────

SIGNER = """
from arbitre.bot import run
from arbitre.crypto.keys import Key
from arbitre.games.anyone import Anyone
run(Anyone, Key(bytes([7]) * 32))
"""


@pytest.mark.parametrize("named", [True, False])
def test_a_bot_with_a_key_signs_the_record_that_names_it(named: bool) -> None:
    public = Key(bytes([7]) * 32).public.hex()
    journal = Memory()
    match: Match = make_match(key=public if named else "")
    players: list[Player] = [StdioPlayer([sys.executable, "-c", SIGNER], environment=OURS), InProcess(Anyone())]
    asyncio.run(MatchRunner(match, players, journal, KEY).play())
    assert journal.sealed is not None
    assert [word.state for word in journal.sealed.seats] == [SeatState.SIGNED if named else SeatState.KEYLESS, SeatState.KEYLESS]


# ── in this process ────────────────────────────────────────────────────────────────────────────────────────────────


class Fails(Bot):
    def move(self, position: Position) -> str:
        raise KeyError(position.turn)


class GivesUp(Bot):
    def move(self, position: Position) -> str:  # noqa: ARG002
        raise Resign("enough")


class Numbers(Bot):
    def move(self, position: Position) -> str:  # noqa: ARG002
        return 5  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("bot", "ours", "termination", "reason"),
    [
        (Fails, False, Termination.DISCONNECTED, Reason("bot-raised", kind="KeyError", text="1")),
        (Fails, True, Termination.ABANDONED, Reason("bot-raised", kind="KeyError", text="1")),
        (GivesUp, False, Termination.RESIGNED, Reason("quoted", text="enough")),
        (Numbers, False, Termination.PROTOCOL_ERROR, Reason("move-is-no-text", kind="int")),
    ],
)
def test_a_bot_in_this_process(bot: type[Bot], ours: bool, termination: Termination, reason: Reason) -> None:
    verdict, _ = play(make_match(), InProcess(bot(), ours=ours))
    assert (verdict.termination, verdict.reason) == (termination, reason)
