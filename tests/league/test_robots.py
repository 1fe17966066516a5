"""Robots of the league over real sockets: whole games in every framing, then everything that a peer can do wrong."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from ipaddress import IPv6Address
from itertools import pairwise
from pathlib import Path
from random import Random
from threading import Barrier, Event
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner

from arbitre.bot import Bot, InProcess, Position
from arbitre.cli.draughts import draughts
from arbitre.errors import StoreError, UnreachableError
from arbitre.games.draughts.notation import DraughtsNotation
from arbitre.games.draughts.pdn import read_games
from arbitre.games.draughts.rules import Board, Draughts
from arbitre.games.game import FIRST, SECOND, Outcome
from arbitre.league import robots as service
from arbitre.league.ledger import confirmed_games, networks
from arbitre.league.outbox import TOGETHER, Outbox
from arbitre.league.registrar import today
from arbitre.league.report import mapped, write_report
from arbitre.league.robots import MOST_AGAIN, Attacker, Bounds, Defender, Finished, Robot
from arbitre.players import Contestant, Setting, read_contestant
from arbitre.reasons import Reason
from arbitre.records.store import Store
from arbitre.referee.clock import read_clock
from arbitre.referee.story import tell
from arbitre.referee.verdict import Termination, read_verdict
from arbitre.referee.verify import Proof, verify
from arbitre.transport.sockets import Endpoint, listen
from tests.league.house import AGAIN, ANN, BOB, CONFIRMED, EVE, PENDING, SIX, TOMORROW, black, game, office, white
from tests.reasons import gives, raises

REGISTRAR = "%(match)s  the registrar: %(said)s"

GAME = Draughts()
NOTATION = DraughtsNotation(GAME)
ZONE = ZoneInfo("Europe/Paris")
ROOT = Path(__file__).parent.parent.parent


class House:
    """A robot with its store and what it told."""

    def __init__(
        self, folder: Path, registrar: Endpoint | None = None, bind: str = "", player: str = "random", clock: str = "20s/move"
    ) -> None:
        self.store = Store(folder)
        self.told: list[Reason] = []
        self.outbox = Outbox(self.store, ZONE, self.told.append)
        self.robot = Robot(self.store, read_contestant(player, Setting(GAME)), read_clock(clock), self.outbox, registrar, bind)

    @property
    def terminations(self) -> list[Termination | None]:
        """How the recorded games stopped."""
        return [None if row.verdict is None else read_verdict(row.verdict).termination for row in self.store.matches()]


@asynccontextmanager
async def defender(house: House, host: str = "::", bounds: Bounds | None = None) -> AsyncIterator[tuple[Defender, int]]:
    """Let a robot defend."""
    sockets = listen(host, 0)
    serving = asyncio.ensure_future((one := Defender(house.robot, bounds)).serve(sockets))
    await asyncio.sleep(0)
    try:
        yield one, sockets[0].getsockname()[1]
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        house.store.close()


# ── whole games ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("host", "bind"), [(BOB, ANN), (SIX, SIX)], ids=["IPv4", "IPv6, against oneself"])
def test_two_robots_play_report_and_agree(tmp_path: Path, host: str, bind: str) -> None:
    async def scene() -> None:
        async with office(tmp_path / "registrar") as registrar:
            where = Endpoint(SIX if ":" in host else "127.0.0.1", registrar.port)
            async with defender(defends := House(tmp_path / "defender", where), host) as (one, port):
                attacks = House(tmp_path / "attacker", where, bind)
                attacker = Attacker(attacks.robot, [Endpoint(host, port)])
                (finished,) = await attacker.challenge_all()
                assert finished.recordable
                assert await attacker.challenge_all() == [], "one game a day"
                while len(defends.told) < 2 or one.playing:
                    await asyncio.sleep(0.02)
                answers = {told.fields["said"] for told in [*attacks.told, *defends.told] if told.code == REGISTRAR}
                assert answers == {PENDING, CONFIRMED}
                records = [one.store.record(row.name) for one in (attacks, defends) for row in one.store.matches()]
                assert len(records) == 2
                for record in records:
                    assert verify(record.text().encode()).standing is Proof.INTACT
                    assert tell(record).last.verdict == finished.verdict
                texts = [path.read_text() for path in tmp_path.glob("*/duels/*.pdn")]
                assert len(texts) == 2
                moves = [next(read_games(text)).moves for text in texts]
                attacks.store.close()
        store = Store(tmp_path / "registrar")
        (confirmed,) = confirmed_games(store)
        store.close()
        assert moves == [confirmed.report.game.moves] * 2
        assert (confirmed.pair.white, confirmed.pair.black) == (host, bind)

    asyncio.run(scene())


async def play(
    port: int, frame: Callable[[str], bytes], source: str = ANN, seed: int = 1, most: int = 200, pause: float = 0.0
) -> tuple[Board, list[str]]:
    """Play black as a simple program does, with its own framing; return the last board and what was heard besides moves."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    board, random, words = GAME.start(), Random(seed), []
    try:
        for _ in range(most):
            word = (await asyncio.wait_for(reader.readuntil(b"\0"), 20))[:-1].decode()
            if not word[0].isdigit():
                words.append(word)
                break
            board = board.after(NOTATION.read(word, board))
            if isinstance(GAME.phase(board), Outcome):
                break
            move = random.choice(board.moves)
            board = board.after(move)
            await asyncio.sleep(pause)
            writer.write(frame(str(move)))
    except asyncio.IncompleteReadError:
        words.append("closed")
    finally:
        writer.close()
    return board, words


FRAMES = {
    "one NUL": lambda text: text.encode() + b"\0",
    "blocks of 100": lambda text: text.encode().ljust(100, b"\0"),
    "blocks of 1024": lambda text: text.encode().ljust(1024, b"\0"),
    "lines": lambda text: text.encode() + b"\n",
    "DOS lines with comments": lambda text: text.encode() + b" bien joue\r\n",
}


@pytest.mark.parametrize("frame", FRAMES)
def test_every_framing_plays_a_whole_game(tmp_path: Path, frame: str) -> None:
    async def scene() -> None:
        async with defender(house := House(tmp_path)) as (one, port):
            board, _ = await play(port, FRAMES[frame])
            assert isinstance(GAME.phase(board), Outcome)
            while not house.told or one.playing:
                await asyncio.sleep(0.02)
            assert house.terminations == [Termination.RULES]

    asyncio.run(scene())


def test_words_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "GAP", 0.01)

    async def scene() -> None:
        async with defender(house := House(tmp_path)) as (one, port):
            board, _ = await play(port, str.encode)
            assert isinstance(GAME.phase(board), Outcome)
            while not house.told or one.playing:
                await asyncio.sleep(0.02)
            assert house.terminations == [Termination.RULES]

    asyncio.run(scene())


def test_many_challengers_at_once(tmp_path: Path) -> None:
    async def scene() -> None:
        async with defender(house := House(tmp_path)) as (one, port):
            games = [play(port, FRAMES["one NUL"], f"127.0.3.{n + 1}", n) for n in range(12)]
            for board, _ in await asyncio.gather(*games):
                assert isinstance(GAME.phase(board), Outcome)
            while len(house.told) < 12 or one.playing:
                await asyncio.sleep(0.02)
            assert house.terminations == [Termination.RULES] * 12

    asyncio.run(scene())


def test_a_students_program_needs_no_socket(tmp_path: Path) -> None:
    async def scene() -> None:
        player = f"cmd:{sys.executable} {ROOT / 'examples' / 'bots' / 'plain.py'}"
        async with defender(house := House(tmp_path, player=player)) as (one, port):
            board, _ = await play(port, FRAMES["one NUL"])
            assert isinstance(GAME.phase(board), Outcome)
            while not house.told or one.playing:
                await asyncio.sleep(0.02)
            assert house.terminations == [Termination.RULES]

    asyncio.run(scene())


# ── mischief ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def words(port: int, *parts: bytes, source: str = EVE, hold: bool = False) -> list[str]:
    """Say words to a defender whatever it answers; return all that it says until it closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    heard = bytearray()
    try:
        for part in parts:
            writer.write(part)
            await asyncio.sleep(0.02)
        if not hold:
            while data := await asyncio.wait_for(reader.read(4096), 20):
                heard += data
    except ConnectionError:
        heard += b"reset\0"
    finally:
        writer.transport.abort()
    return [word.decode() for word in bytes(heard).split(b"\0") if word]


FIRST_MOVES = [str(move) for move in GAME.start().moves]

MISCHIEF = {
    "a wrong move again and again": ((b"1-2\0",) * 4, "INTERUPTION", Termination.PROTOCOL_ERROR),
    "an endless comment": ((b"19-23 " + b"bla " * 1000,), "INTERUPTION", Termination.PROTOCOL_ERROR),
    "ten megabytes without a separator": ((b"x" * 10_000_000,), None, Termination.PROTOCOL_ERROR),
    "a browser": ((b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",), "INTERUPTION", Termination.PROTOCOL_ERROR),
    "PERDU with moves left": ((b"PERDU\0",), "INTERUPTION", Termination.PROTOCOL_ERROR),
    "EGALITE at once": ((b"EGALITE\0",), "INTERUPTION", Termination.PROTOCOL_ERROR),
    "doubts without end": ((b"COUP INVALIDE\0",) * 4, "INTERUPTION", Termination.PROTOCOL_ERROR),
    "INTERUPTION at once": ((b"INTERUPTION\0",), None, Termination.PROTOCOL_ERROR),
}


@pytest.mark.parametrize("mischief", MISCHIEF)
def test_mischief_ends_the_duel_and_nothing_else(tmp_path: Path, mischief: str) -> None:
    said, last, termination = MISCHIEF[mischief]

    async def scene() -> None:
        async with defender(house := House(tmp_path)) as (one, port):
            heard = await words(port, *said)
            assert heard[0] in FIRST_MOVES
            if last is not None:
                assert heard[-1] == last
            while not house.told or one.playing:
                await asyncio.sleep(0.02)
            assert house.terminations == [termination]
            assert not house.store.rows("SELECT * FROM league_outbox"), "an interrupted game is not reported"
            board, _ = await play(port, FRAMES["one NUL"])
            assert isinstance(GAME.phase(board), Outcome), "the next challenger is served"
            while len(house.told) < 2 or one.playing:
                await asyncio.sleep(0.02)

    asyncio.run(scene())


@pytest.mark.parametrize("plies", [0, 1, 2, 7])
def test_interruption_at_every_point(tmp_path: Path, plies: int) -> None:
    played = plies

    async def scene() -> None:
        async with defender(house := House(tmp_path)) as (one, port):

            def frame(text: str) -> bytes:
                nonlocal plies
                plies -= 1
                return b"INTERUPTION\0" if plies < 0 else text.encode() + (b"\0" if plies else b"\0INTERUPTION\0")

            await play(port, frame)
            while not house.told or one.playing:
                await asyncio.sleep(0.02)
            assert house.terminations == [Termination.PROTOCOL_ERROR]
            assert not house.store.rows("SELECT * FROM league_outbox")
            (text,) = [path.read_text() for path in tmp_path.glob("duels/*.pdn")]
            assert '[Result "*"]' in text, "nobody has won"
            why = Reason("peer-interrupted", text="INTERUPTION")
            assert f"{{{Reason('interrupted: %(why)s', why=why)}}}" in " ".join(text.split()), text
            (game,) = read_games(text)
            assert (len(game.moves), game.result) == (2 * played + 1, "*")

    asyncio.run(scene())


def test_a_move_and_a_claim_at_once(tmp_path: Path) -> None:
    async def scene() -> None:
        async with defender(house := House(tmp_path)) as (one, port):
            _, heard = await play(port, lambda text: text.encode() + b"\0PERDU\0")
            assert heard == ["INTERUPTION"]
            while not house.told or one.playing:
                await asyncio.sleep(0.02)
            assert house.terminations == [Termination.PROTOCOL_ERROR]

    asyncio.run(scene())


@pytest.mark.parametrize("said", [(), (b"1", b"9", b"-"), (b"\0",) * 5], ids=["silence", "one octet a while", "separators"])
def test_time_is_limited(tmp_path: Path, said: tuple[bytes, ...]) -> None:
    async def scene() -> None:
        async with defender(house := House(tmp_path, clock="200ms/move")) as (one, port):
            heard = await words(port, *said)
            assert heard[-1] == "INTERUPTION"
            while not house.told or one.playing:
                await asyncio.sleep(0.02)
            assert house.terminations == [Termination.OUT_OF_TIME]

    asyncio.run(scene())


def test_a_peer_that_hangs_up(tmp_path: Path) -> None:
    async def scene() -> None:
        async with defender(house := House(tmp_path)) as (one, port):
            await words(port, b"19-2", hold=True)
            while not house.told or one.playing:
                await asyncio.sleep(0.02)
            (how,) = house.terminations
            assert how in (Termination.DISCONNECTED, Termination.PROTOCOL_ERROR)

    asyncio.run(scene())


def test_one_address_cannot_take_all_boards(tmp_path: Path) -> None:
    async def scene() -> None:
        async with defender(House(tmp_path), bounds=Bounds(each=2)) as (one, port):
            held = [await asyncio.open_connection("127.0.0.1", port, local_addr=(EVE, 0)) for _ in range(2)]
            while one.playing[networks(mapped(EVE))[0]] < 2:
                await asyncio.sleep(0)
            assert await words(port) == ["INTERUPTION"]
            board, _ = await play(port, FRAMES["one NUL"])
            assert isinstance(GAME.phase(board), Outcome)
            assert one.playing[networks(mapped(EVE))[0]] == 2
            for _, writer in held:
                writer.transport.abort()
            while one.playing:
                await asyncio.sleep(0.02)

    asyncio.run(scene())


def test_one_address_is_taken_on_so_often_an_hour(tmp_path: Path) -> None:
    async def scene() -> None:
        async with defender(House(tmp_path), bounds=Bounds(hourly=2)) as (_, port):
            for _ in range(2):
                assert (await words(port, b"INTERUPTION\0"))[0] in FIRST_MOVES
            assert await words(port) == ["INTERUPTION"], "the third of this hour"
            board, _ = await play(port, FRAMES["one NUL"])
            assert isinstance(GAME.phase(board), Outcome), "another address is not meant"

    asyncio.run(scene())


def test_a_house_that_closes_says_so(tmp_path: Path) -> None:
    async def scene() -> None:
        async with defender(House(tmp_path)) as (_, port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert (await reader.readuntil(b"\0"))[:-1].decode() in FIRST_MOVES
            hears = asyncio.ensure_future(reader.read())
        assert await hears == b"INTERUPTION\0"
        writer.close()

    asyncio.run(scene())


def test_an_attacker_goes_on_to_the_next_server(tmp_path: Path) -> None:
    """Nobody there, nobody speaking, somebody babbling, somebody hanging up: then one who plays."""

    async def server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, say: bytes | None) -> None:
        writer.write(say or b"")
        if say != b"":
            await reader.read(-1)
        writer.close()

    async def scene() -> None:
        async with defender(House(tmp_path / "defender")) as (one, port):
            bad = [
                await asyncio.start_server(lambda r, w, say=say: server(r, w, say), "127.0.0.1", 0)  # type: ignore[misc]
                for say in (None, b"HTTP/1.1 400 Bad Request\r\n", b"", b"32-28 " + b"x" * 5_000, b"1-2\0" * 9)
            ]
            (free,) = listen("127.0.0.1", 0)
            closed = free.getsockname()[1]
            free.close()
            ports = [closed, *(one.sockets[0].getsockname()[1] for one in bad), port]
            house = House(tmp_path / "attacker", clock="300ms/move")
            quick, patient = house.robot.terms, replace(house.robot.terms, clock=read_clock("20s/move"))
            finished = []
            for number, one_port in enumerate(ports):
                # only for the silent one time must run out: whoever plays may be slowed down by this machine
                house.robot.terms = quick if number == 1 else patient
                finished += await Attacker(house.robot, [Endpoint("127.0.0.1", one_port)]).challenge_all()
            assert [one.recordable for one in finished] == [False] * 5 + [True]
            assert gives(house.told[0], "cannot be reached")
            assert [one.verdict.termination.value for one in finished] == [
                "out-of-time", "protocol-error", "disconnected", "protocol-error", "protocol-error", "rules",
            ]  # fmt: skip
            for babbler in bad:
                babbler.close()
            while one.playing:
                await asyncio.sleep(0.02)
            house.store.close()

    asyncio.run(scene())


# ── the rhythm of an attacker ──────────────────────────────────────────────────────────────────────────────────────


class Rhythm(Attacker):
    """An attacker in a time of its own: a game takes so many seconds, and servers are away until so many calls were made."""

    def __init__(self, house: House, servers: dict[str, int], game: float, stop: int) -> None:
        self.time, self.calls = 0.0, list[tuple[float, str]]()
        self.missing, self.game, self.stop = dict(servers), game, stop
        super().__init__(house.robot, [Endpoint(name, 1) for name in servers], lambda: self.time, self.pass_by)

    async def pass_by(self, seconds: float) -> None:
        self.time += seconds
        await asyncio.sleep(0)

    async def challenge(self, server: Endpoint) -> Finished | None:
        if len(self.calls) == self.stop:
            raise asyncio.CancelledError
        self.calls.append((self.time, server.host))
        if self.missing[server.host]:
            self.missing[server.host] -= 1
            raise UnreachableError("cannot be reached")
        self.time += self.game
        return None


def called(tmp_path: Path, servers: dict[str, int], game: float, stop: int, every: float = 86_400) -> list[tuple[float, str]]:
    """Return when an attacker called whom."""
    house = House(tmp_path)
    rhythm = Rhythm(house, servers, game, stop)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(rhythm.rounds(every))
    house.store.close()
    return rhythm.calls


def test_rounds_keep_to_their_time_however_long_the_games_take(tmp_path: Path) -> None:
    day = 86_400.0
    calls = called(tmp_path, {"ann": 0, "bob": 0}, 1_000.0, 8)
    assert [time for time, name in calls if name == "ann"] == [0.0, day, 2 * day, 3 * day]
    long = called(tmp_path / "long", {"ann": 0}, 100.0, 4, every=60.0)
    assert [time for time, _ in long] == [0.0, 120.0, 240.0, 360.0], "a round that was missed is not made up for"


def test_who_is_away_is_called_again_soon_and_not_for_ever(tmp_path: Path) -> None:
    calls = called(tmp_path, {"ann": 2, "bob": 0}, 0.0, 6)
    assert calls == [(0.0, "ann"), (0.0, "bob"), (60.0, "ann"), (180.0, "ann"), (86_400.0, "ann"), (86_400.0, "bob")]
    gone = [time for time, _ in called(tmp_path / "gone", {"ann": 99}, 0.0, 20)]
    first = [time for time in gone if time < 86_400]
    assert len(first) == 1 + MOST_AGAIN
    assert max(late - early for early, late in pairwise(first)) == 3_600
    short = [time for time, _ in called(tmp_path / "short", {"ann": 99}, 0.0, 3, every=30.0)]
    assert short == [0.0, 30.0, 60.0], "no calls between rounds that are near to each other"


# ── reports that wait ──────────────────────────────────────────────────────────────────────────────────────────────


def test_what_is_sent_back_is_sent_again_the_next_day(tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path / "registrar") as registrar:
            where = Endpoint("127.0.0.1", registrar.port)
            house = House(tmp_path / "robot", where)
            for seed in (1, 2):
                await registrar.send(ANN, white(BOB, seed))
            await registrar.send(BOB, black(ANN, 1))
            await house.outbox.put("late", where, BOB, mapped(ANN), SECOND, black(ANN, 2))
            await house.outbox.send_due()
            assert house.told == [Reason(REGISTRAR, match="late", said=TOMORROW)]
            await house.outbox.send_due()
            assert len(house.told) == 1, "not before tomorrow"
            registrar.day = "2026-05-02"
            house.store.write("UPDATE league_outbox SET due = 0", ())
            await house.store.durable()
            await house.outbox.send_due()
            assert house.told[-1] == Reason(REGISTRAR, match="late", said=CONFIRMED)
            house.store.write("UPDATE league_outbox SET due = 0", ())
            await house.store.durable()
            await house.outbox.send_due()
            assert len(house.told) == 2, "answered for good"
            house.store.close()

    asyncio.run(scene())


def test_a_registrar_that_is_away_is_asked_again(tmp_path: Path) -> None:
    async def scene() -> None:
        house = House(tmp_path / "robot")
        (sock,) = listen("127.0.0.1", 0)
        port = sock.getsockname()[1]
        sock.close()
        await house.outbox.put("early", Endpoint("127.0.0.1", port), BOB, mapped(ANN), FIRST, white(ANN, 3))
        await house.outbox.send_due()
        assert gives(house.told[0], "cannot be reached")
        assert house.outbox.met_today(ANN, FIRST)
        assert not house.outbox.met_today(ANN, SECOND)
        async with office(tmp_path / "registrar") as registrar:
            house.store.write("UPDATE league_outbox SET due = 0, registrar = ?", (f"127.0.0.1:{registrar.port}",))
            await house.store.durable()
            await house.outbox.send_due()
        assert house.told[1] == Reason(REGISTRAR, match="early", said=PENDING)
        house.store.close()

    asyncio.run(scene())


def test_a_game_is_reported_by_hand(tmp_path: Path) -> None:
    def run(*line: str) -> tuple[int, str | BaseException | None]:
        done = CliRunner().invoke(draughts, ["report", *line, "--opponent", BOB, "--bind", ANN, "--data", str(tmp_path / "none")])
        return done.exit_code, done.stdout.strip() or done.exception

    async def scene() -> None:
        async with office(tmp_path / "registrar") as registrar:
            where = ("--registrar", f"127.0.0.1:{registrar.port}")
            whole = tmp_path / "game.pdn"
            whole.write_text(" ".join(map(str, game(1))) + " *\n")
            assert await asyncio.to_thread(run, str(whole), "--white", *where) == (0, PENDING)
            assert await asyncio.to_thread(run, str(whole), "--white", *where) == (0, AGAIN)
            await registrar.send(BOB, black(ANN, 1))
            assert await asyncio.to_thread(run, str(whole), "--black", *where) == (1, "ERR : partie déjà jouée par d’autres")
            half = tmp_path / "half.pdn"
            half.write_text(" ".join(map(str, game(1)[:10])) + " *\n")
            status, said = await asyncio.to_thread(run, str(half), "--white", *where)
            assert status == 1
            assert gives(said, "cannot be reported", number=11)
            assert (await asyncio.to_thread(run, str(whole), *where))[0] == 2
            assert gives((await asyncio.to_thread(run, "nothing", "--white", *where))[1], "neither a file nor a match")

    asyncio.run(scene())


def test_reports_of_robots_are_reports() -> None:
    assert write_report(SECOND, mapped(ANN), game(2)) == black(ANN, 2)


PARIS, CAIRO = ZoneInfo("Europe/Paris"), ZoneInfo("Africa/Cairo")


@pytest.mark.parametrize(
    ("zone", "moment", "day", "again"),
    [
        (PARIS, "2026-03-28T22:59:59+00:00", "2026-03-28", "2026-03-28T23:01:00+00:00"),
        (PARIS, "2026-03-28T23:00:00+00:00", "2026-03-29", "2026-03-29T22:01:00+00:00"),  # a day of 23 hours
        (PARIS, "2026-03-29T00:59:59+00:00", "2026-03-29", "2026-03-29T22:01:00+00:00"),
        (PARIS, "2026-03-29T22:00:00+00:00", "2026-03-30", "2026-03-30T22:01:00+00:00"),
        (PARIS, "2026-10-24T22:00:00+00:00", "2026-10-25", "2026-10-25T23:01:00+00:00"),  # a day of 25 hours
        (PARIS, "2026-10-25T22:59:59+00:00", "2026-10-25", "2026-10-25T23:01:00+00:00"),
        (PARIS, "2026-12-31T23:00:00+00:00", "2027-01-01", "2027-01-01T23:01:00+00:00"),
        (CAIRO, "2026-04-23T21:59:00+00:00", "2026-04-23", "2026-04-23T22:01:00+00:00"),  # where 00:01 does not exist
        (CAIRO, "2026-10-29T20:30:00+00:00", "2026-10-29", "2026-10-29T22:01:00+00:00"),  # where 23:30 comes twice
        (CAIRO, "2026-10-29T21:30:00+00:00", "2026-10-29", "2026-10-29T22:01:00+00:00"),
    ],
)
def test_days_of_the_league_where_clocks_are_put_on_or_back(
    tmp_path: Path, zone: ZoneInfo, moment: str, day: str, again: str
) -> None:
    """The registrar and the robot agree on the day; what was sent back leaves in the first minutes of the next one."""
    now = datetime.fromisoformat(moment).timestamp()
    store = Store(tmp_path)
    outbox = Outbox(store, zone, print, lambda: now)
    assert today(zone, lambda: now) == outbox.today() == day
    due = outbox._tomorrow()
    assert datetime.fromtimestamp(due, UTC).isoformat() == again
    assert today(zone, lambda: due) == (date.fromisoformat(day) + timedelta(days=1)).isoformat()
    store.close()


def test_after_a_registrars_holidays_reports_leave_a_few_at_a_time(tmp_path: Path) -> None:
    """However many are due: nobody is flooded by us; and a registrar whose name cannot be one is an error like any other."""
    calls = most = 0

    async def nods(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal calls, most
        calls += 1
        most = max(most, calls)
        await reader.readexactly(256)
        await asyncio.sleep(0.01)
        calls -= 1
        writer.write(PENDING.encode() + b"\0")
        writer.close()

    async def scene() -> None:
        async with await asyncio.start_server(nods, "127.0.0.1", 0) as server:
            where = Endpoint("127.0.0.1", server.sockets[0].getsockname()[1])
            house = House(tmp_path)
            for number in range(100):
                await house.outbox.put(f"game {number}", where, ANN, mapped(BOB), FIRST, white(BOB, 1))
            await house.outbox.put("nowhere", Endpoint("no..such", 5777), ANN, mapped(BOB), FIRST, white(BOB, 1))
            await house.outbox.send_due()
            assert sum(told.fields["said"] == PENDING for told in house.told) == 100
            (lost,) = (told for told in house.told if told.fields["match"] == "nowhere")
            assert gives(lost, "cannot be reached%(whence)s")
            assert gives(lost, "no host has such a name")
            assert 1 < most <= TOGETHER
            house.store.close()

    asyncio.run(scene())


# ── a house in trouble ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_defender_that_can_keep_nothing_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not go on with games that no record will ever tell of."""

    def full(batch: object) -> None:
        raise StoreError("the disk is full")

    async def scene() -> None:
        house = House(tmp_path)
        sockets = listen("127.0.0.1", 0)
        serving = asyncio.ensure_future(Defender(house.robot).serve(sockets))
        await asyncio.sleep(0)
        monkeypatch.setattr(house.store, "_write", full)
        await words(sockets[0].getsockname()[1], b"19-23\0")
        with raises(StoreError, "the disk is full"):
            await asyncio.wait_for(serving, 20)
        house.store.close()

    asyncio.run(scene())


def test_a_game_whose_pdn_cannot_be_written_is_reported_all_the_same(tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path / "registrar") as registrar:
            house = House(tmp_path / "robot", Endpoint("127.0.0.1", registrar.port))
            (tmp_path / "robot" / "duels").write_text("a file where a folder should be")
            async with defender(house) as (one, port):
                await play(port, FRAMES["one NUL"])
                while len(house.told) < 3 or one.playing:
                    await asyncio.sleep(0.02)
                assert gives(house.told[1], "its PDN cannot be written to")
                assert house.told[2].fields["said"] == PENDING

    asyncio.run(scene())


def test_nobody_wins_a_duel_that_was_interrupted(tmp_path: Path) -> None:
    async def scene() -> None:
        async with defender(house := House(tmp_path)) as (one, port):
            await words(port, b"INTERUPTION\0")
            while not house.told or one.playing:
                await asyncio.sleep(0.02)
            assert gives(house.told[0], "interrupted, not reported: ")
            assert gives(house.told[0], "peer-interrupted")

    asyncio.run(scene())


def link_local() -> str:
    """Return a link-local address of this machine with its zone."""
    known = Path("/proc/net/if_inet6")
    for line in known.read_text().splitlines() if known.exists() else ():
        octets, _, _, scope, _, device = line.split()
        if scope == "20":
            return f"{IPv6Address(bytes.fromhex(octets))}%{device}"
    pytest.skip("no interface has a link-local address")


def test_link_local_addresses_play_and_report(tmp_path: Path) -> None:
    """They need their zone wherever they are bound; who somebody is does not depend on it."""
    host = link_local()

    async def scene() -> None:
        async with office(tmp_path / "registrar") as registrar:
            where = Endpoint(host, registrar.port)
            async with defender(defends := House(tmp_path / "defender", where), host) as (one, port):
                attacks = House(tmp_path / "attacker", where)
                (finished,) = await Attacker(attacks.robot, [Endpoint(host, port)]).challenge_all()
                assert finished.recordable
                while len(defends.told) < 2 or one.playing:
                    await asyncio.sleep(0.02)
                answers = {told.fields["said"] for told in [*attacks.told, *defends.told] if told.code == REGISTRAR}
                assert answers == {PENDING, CONFIRMED}
                attacks.store.close()

    asyncio.run(scene())


class Companion(Bot):
    """Says a move when so many of its kind are thinking at the same time."""

    def __init__(self, barrier: Barrier) -> None:
        super().__init__(Random(1))
        self.barrier = barrier

    def move(self, position: Position) -> str:
        self.barrier.wait(20)
        return str(position.view.moves[0])


def test_no_game_waits_until_the_others_have_thought(tmp_path: Path) -> None:
    """Forty challengers at once: forty players think side by side, whatever the number of processors."""
    many = 40

    async def first_word(port: int, source: str) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
        word = await reader.readuntil(b"\0")
        writer.transport.abort()
        return word

    async def scene() -> None:
        house, barrier = House(tmp_path, clock="60s/move"), Barrier(many)
        house.robot.contestant = Contestant("all", "all", lambda _: InProcess(Companion(barrier), ours=True, aside=True))
        async with defender(house) as (one, port):
            said = await asyncio.gather(*(first_word(port, f"127.0.3.{n + 1}") for n in range(many)))
            assert {word[:-1].decode() for word in said} == {FIRST_MOVES[0]}
            while len(house.told) < many or one.playing:
                await asyncio.sleep(0.02)

    asyncio.run(scene())


class Ponderer(Bot):
    """Thinks until it is told to stop."""

    def __init__(self) -> None:
        super().__init__(Random(1))
        self.told, self.began = Event(), Event()

    def move(self, position: Position) -> str:
        self.began.set()
        assert self.told.wait(60)
        return str(position.view.moves[0])

    def stop(self) -> None:
        self.told.set()


def test_a_house_that_closes_thinks_no_longer(tmp_path: Path) -> None:
    async def scene() -> None:
        bot, house = Ponderer(), House(tmp_path, clock="60s/move")
        house.robot.contestant = Contestant("long", "long", lambda _: InProcess(bot, ours=True, aside=True))
        async with defender(house) as (_, port):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            while not bot.began.is_set():
                await asyncio.sleep(0.01)
        assert bot.told.is_set()
        writer.close()

    asyncio.run(scene())


def test_a_server_that_takes_its_time_does_not_take_the_others(tmp_path: Path) -> None:
    """One says nothing; those behind it on the list are played meanwhile. Two names of one player are played in turn."""

    async def listens(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(-1)
        writer.close()

    async def scene() -> None:
        silent = await asyncio.start_server(listens, "127.0.0.8", 0)
        async with defender(House(tmp_path / "defender")) as (one, port):
            house = House(tmp_path / "attacker", clock="60s/move")
            slow = Endpoint("127.0.0.8", silent.sockets[0].getsockname()[1])
            servers = [slow, *(Endpoint(f"127.0.0.{n}", port) for n in (11, 12, 13, 11))]
            round_of_all = asyncio.ensure_future(Attacker(house.robot, servers).challenge_all())
            while len(house.told) < 4:
                await asyncio.sleep(0.02)
            assert not round_of_all.done()
            assert sum(gives(told, "%(name)s wins") or gives(told, "a draw") for told in house.told) == 3
            assert sum(gives(told, "a game was played today") for told in house.told) == 1
            round_of_all.cancel()
            await asyncio.gather(round_of_all, return_exceptions=True)
            while one.playing:
                await asyncio.sleep(0.02)
            silent.close()
            house.store.close()

    asyncio.run(scene())
