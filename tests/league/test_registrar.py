"""The registrar over real sockets, with several loopback addresses as different players."""

import asyncio
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from time import sleep

import pytest
import uvloop
from click.testing import CliRunner

from arbitre.cli.draughts import draughts
from arbitre.errors import LeagueError, StoreError
from arbitre.games.draughts.pdn import read_games
from arbitre.league.ledger import Ledger, Roster, confirmed_games, networks, pending_games, read_roster, release
from arbitre.league.report import HEADER, Identity, mapped
from arbitre.league.table import League, pdn, table
from arbitre.records.store import Store
from tests.league.house import (
    AGAIN,
    ANN,
    BOB,
    CONFIRMED,
    EVE,
    OTHERS,
    PENDING,
    SIX,
    TOMORROW,
    UNKNOWN,
    black,
    connect,
    free_port,
    game,
    office,
    send,
    white,
)
from tests.league.test_report import other_paths
from tests.reasons import raises


def test_a_game_is_confirmed_by_both_sides(tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path) as one:
            assert await one.send(ANN, white(BOB, 1)) == PENDING
            assert await one.send(ANN, white(BOB, 1)) == AGAIN
            assert await one.send(BOB, black(ANN, 1)) == CONFIRMED
            assert await one.send(BOB, black(ANN, 1)) == AGAIN
            assert await one.send(ANN, white(BOB, 1)) == AGAIN
            assert await one.send(SIX, white(SIX, 2)) == PENDING
            assert await one.send(SIX, black(SIX, 2)) == CONFIRMED, "against oneself"
            assert await one.send(SIX, black(ANN, 3)) == PENDING
            assert await one.send(ANN, white(SIX, 3)) == CONFIRMED, "across the two kinds of addresses"

    asyncio.run(scene())


def test_a_balancer_says_for_whom_it_speaks(tmp_path: Path) -> None:
    """Only those that are named are believed, and these must say it: the address is who one is."""

    def said(who: str) -> bytes:
        return f"PROXY TCP4 {who} 127.0.0.1 1234 5777\r\n".encode()

    second = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x0c" + bytes([127, 0, 0, 3, 127, 0, 0, 1, 4, 210, 22, 145])

    async def scene() -> None:
        async with office(tmp_path, proxies=(EVE,)) as one:
            assert await one.send(EVE, said(ANN)[:9], said(ANN)[9:] + white(BOB, 1)) == PENDING
            assert await one.send(EVE, second, black(ANN, 1)) == CONFIRMED
            assert await one.send(ANN, white(BOB, 1)) == AGAIN, "whoever comes himself is who he is"
            assert await one.send(BOB, said(ANN), white(BOB, 2), end=True) == UNKNOWN, "and speaks for nobody else"
            for bad in (white(BOB, 3), b"PROXY UNKNOWN\r\n" + white(BOB, 3), b"PROXY TCP4", b""):
                assert await hung_up_on(one.port, bad)
            assert not one.registrar.calls
            assert not one.registrar.held

    asyncio.run(scene())


async def hung_up_on(port: int, octets: bytes) -> bool:
    """Say something as a balancer, and wait until nobody listens any more."""
    reader, writer = await connect(port, EVE)
    try:
        writer.write(octets)
        return await reader.read() == b""
    except ConnectionResetError:
        return True
    finally:
        writer.close()


def test_the_day_rule_is_the_second_reporters(tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path) as one:
            for seed in (1, 2, 3):
                assert await one.send(ANN, white(BOB, seed)) == PENDING, "several may wait"
            assert await one.send(BOB, black(ANN, 1)) == CONFIRMED
            assert await one.send(BOB, black(ANN, 2)) == TOMORROW
            assert await one.send(BOB, black(ANN, 2)) == TOMORROW, "what was sent back is not registered"
            assert await one.send(ANN, white(BOB, 2)) == AGAIN
            assert await one.send(ANN, white(BOB, 4)) == PENDING, "a first report never gets TIM"
            assert await one.send(BOB, white(ANN, 5)) == PENDING
            assert await one.send(ANN, black(BOB, 5)) == CONFIRMED, "with colours exchanged they are another pair"
            one.day = "2026-05-02"
            assert await one.send(BOB, black(ANN, 2)) == CONFIRMED
            assert await one.send(BOB, black(ANN, 3)) == TOMORROW
            assert await one.send(BOB, black(ANN, 1)) == AGAIN

    asyncio.run(scene())


def test_strangers_do_not_block_the_real_pair(tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path) as one:
            assert await one.send(EVE, white(BOB, 1)) == PENDING, "Eve sends Ann's game as hers"
            assert await one.send(EVE, black(ANN, 1)) == PENDING, "and Bob's as hers"
            assert await one.send(EVE, white(EVE, 1)) == PENDING, "and as one against herself"
            assert await one.send(ANN, white(BOB, 1)) == PENDING
            assert await one.send(BOB, black(ANN, 1)) == CONFIRMED
            assert await one.send(EVE, white(BOB, 1)) == OTHERS
            assert await one.send(EVE, black(EVE, 1)) == OTHERS
            assert await one.send(SIX, black(ANN, 1)) == OTHERS
            assert await one.send(BOB, white(ANN, 1)) == OTHERS, "the same moves with colours exchanged"

    asyncio.run(scene())


def test_versions_must_agree(tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path) as one:
            assert await one.send(ANN, white(BOB, 1)) == PENDING
            assert await one.send(BOB, black(ANN, 2)) == PENDING, "another game"
            assert await one.send(BOB, black(EVE, 1)) == PENDING, "another opponent"
            assert await one.send(BOB, white(ANN, 1)) == PENDING, "another colour"
        store = Store(tmp_path)
        assert list(confirmed_games(store)) == []
        assert pending_games(store) == 4
        store.close()

    asyncio.run(scene())


def test_the_same_game_in_other_landing_paths_is_the_same_game(tmp_path: Path) -> None:
    one_way, other_way = (data[HEADER:] for data in other_paths())

    async def scene() -> None:
        async with office(tmp_path) as one:
            ann, bob = mapped(ANN).packed, mapped(BOB).packed
            assert await one.send(ANN, b"\xff" + bob + one_way) == PENDING
            assert await one.send(ANN, b"\xff" + bob + other_way) == AGAIN
            assert await one.send(BOB, b"\x01" + ann + other_way) == CONFIRMED
            assert await one.send(EVE, b"\x01" + ann + other_way) == OTHERS
            assert await one.send(EVE, b"\x01" + ann + one_way) == OTHERS

    asyncio.run(scene())


def test_framings_of_reporters(tmp_path: Path) -> None:
    """255, 256 and 257 octets; ended, silent, dripping; empty; ten megabytes."""

    async def scene() -> None:
        whole = white(BOB, 1)
        async with office(tmp_path, silence=600) as one:
            assert await one.send(ANN, whole) == PENDING, "answered at once"
            assert await one.send(ANN, whole + b"!") == AGAIN, "257: what is more is ignored"
            assert await one.send(ANN, whole.rstrip(b"\0"), end=True) == AGAIN, "ended early: answered at once"
            assert await one.send(ANN, whole[:50], end=True) == "ERR : le coup numéro 17 est impossible"
        async with office(tmp_path) as one:
            assert await one.send(ANN, whole[:255]) == AGAIN, "255 and silence: zeros are filled in"
            assert await one.send(ANN, *(whole[at : at + 16] for at in range(0, 256, 16))) == AGAIN
            assert await one.send(ANN, b"") == UNKNOWN
            assert await one.send(ANN, b"GET / HTTP/1.1\r\n\r\n") == UNKNOWN
            assert await one.send(ANN, b"\xff" + bytes(255)) == "ERR : le coup numéro 1 est impossible"

    asyncio.run(scene())


def test_nobody_is_listened_to_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One octet after the other, never silent for long: after a while what is there is judged."""
    monkeypatch.setattr("arbitre.league.registrar.LONGEST", 0.5)

    async def scene() -> None:
        async with office(tmp_path, silence=600) as one:
            reader, writer = await connect(one.port, EVE)
            hears = asyncio.ensure_future(reader.readuntil(b"\0"))
            for octet in white(BOB, 1)[:255]:
                writer.write(bytes([octet]))
                await asyncio.sleep(0.05)
                if hears.done():
                    break
            assert (await hears).decode().startswith("ERR : le coup num")
            writer.transport.abort()

    asyncio.run(scene())


def test_a_flood_costs_only_itself(tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path) as one:
            reader, writer = await connect(one.port, EVE)
            writer.write(white(BOB, 1) + bytes(10_000_000))
            assert (await asyncio.wait_for(reader.readuntil(b"\0"), 10))[:-1].decode() == PENDING
            writer.transport.abort()
            assert await one.send(ANN, white(BOB, 2)) == PENDING

    asyncio.run(scene())


def test_a_storm_of_lies_keeps_nobody_out(tmp_path: Path) -> None:
    """Hundreds of reports at once, cut, doubled and false: each is answered, and so is the honest one among them."""

    async def scene() -> None:
        async with office(tmp_path, silence=600) as one:
            lies = [white(BOB, 5)[:-1] + b"\1", b"\xff" * 256, white(BOB, 6)[:40].ljust(256, b"\x01"), black(EVE, 7), bytes(256)]
            storm = [asyncio.ensure_future(one.send(EVE, lies[n % len(lies)])) for n in range(400)]
            honest = await asyncio.gather(one.send(ANN, white(BOB, 8)), one.send(BOB, black(ANN, 8)))
            assert sorted(honest) == [CONFIRMED, PENDING]
            said = await asyncio.gather(*storm)
            assert said.count(PENDING) == 1, "a game that Eve says she played against herself, once"
            assert said.count(AGAIN) == 79
            assert sum(answer.startswith("ERR") for answer in said) == 320

    asyncio.run(scene())


def test_a_thousand_silent_callers(tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path, silence=600) as one:
            held = [await connect(one.port, EVE) for _ in range(1_000)]
            assert await one.send(ANN, white(BOB, 1)) == PENDING, "nobody waits for the silent"
            for _, writer in held:
                writer.transport.abort()
            while one.registrar.calls:
                await asyncio.sleep(0)

    asyncio.run(scene())


def test_one_address_cannot_hold_every_socket(tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path, silence=600) as one:
            one.registrar.most = 40
            held = [await connect(one.port, EVE) for _ in range(60)]
            heard = [asyncio.ensure_future(reader.read()) for reader, _ in held]
            while sum(told.done() for told in heard) < 50:
                await asyncio.sleep(0)
            assert len(one.registrar.calls) == 10
            assert await one.send(ANN, white(BOB, 1)) == PENDING
            for _, writer in held:
                writer.transport.abort()
            while one.registrar.calls:
                await asyncio.sleep(0)
            assert not one.registrar.held
            await asyncio.gather(*heard, return_exceptions=True)

    asyncio.run(scene())


def test_two_reports_of_one_instant(tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path) as one:
            for seed in range(20):
                one.day = f"2026-06-{seed + 1:02}"
                said = await asyncio.gather(one.send(ANN, white(BOB, seed)), one.send(BOB, black(ANN, seed)))
                assert sorted(said) == [CONFIRMED, PENDING]
            many = await asyncio.gather(*(one.send(ANN, white(EVE, 30)) for _ in range(40)))
            assert sorted(many) == [*[AGAIN] * 39, PENDING]
        store = Store(tmp_path)
        assert len(list(confirmed_games(store))) == 20
        store.close()

    asyncio.run(scene())


def test_a_store_that_fails_accepts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with office(tmp_path) as one:

            def full(batch: object) -> None:
                raise StoreError("the disk is full")

            monkeypatch.setattr(one.registrar.ledger.store, "_write", full)
            assert await one.send(ANN, white(BOB, 1)) == UNKNOWN
            assert isinstance(one.registrar.failed.exception(), StoreError)

    asyncio.run(scene())


def test_a_ledger_opened_again_answers_the_same(tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path) as one:
            assert await one.send(ANN, white(BOB, 1)) == PENDING
            assert await one.send(ANN, white(BOB, 2)) == PENDING
            assert await one.send(BOB, black(ANN, 1)) == CONFIRMED
            assert one.registrar.ledger.counted == (3, 1)
        async with office(tmp_path) as one:
            assert one.registrar.ledger.counted == (3, 1)
            assert await one.send(ANN, white(BOB, 1)) == AGAIN
            assert await one.send(BOB, black(ANN, 2)) == TOMORROW
            assert await one.send(EVE, black(ANN, 1)) == OTHERS

    asyncio.run(scene())


# ── groups ─────────────────────────────────────────────────────────────────────────────────────────────────────────

ROSTER = """
# addresses of the first year
127.0.0.2          the owls
127.0.0.4          the owls
2001:db8:1::/48    the crows
2001:db8:1:5::/64  the jays
"""


def test_a_roster_knows_groups() -> None:
    roster = read_roster(ROSTER)
    assert roster.identity(mapped("127.0.0.2")) == "the owls"
    assert roster.identity(mapped("::ffff:127.0.0.4")) == "the owls"
    assert roster.identity(mapped("2001:db8:1::7")) == "the crows"
    assert roster.identity(mapped("2001:db8:1:5::7")) == "the jays", "the longest prefix"
    assert roster.identity(mapped("127.0.0.3")) == "127.0.0.3"
    assert Roster().identity(mapped("::1")) == "::1"


@pytest.mark.parametrize("line", ["nonsense the owls", "127.0.0.1", "127.0.0.1 ::1", "127.0.0.1 " + "x" * 81])
def test_a_bad_roster_is_refused(line: str) -> None:
    with raises(LeagueError, "line %(number)s of the roster", number=1):
        read_roster(line)


def test_a_group_is_one_player(tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path, read_roster(ROSTER)) as one:
            assert await one.send(BOB, black(ANN, 1)) == PENDING
            assert await one.send(EVE, white(BOB, 1)) == CONFIRMED, "Eve and Ann are of one group"

    asyncio.run(scene())


# ── the table ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.sqlite
def test_the_table_follows_from_the_games(tmp_path: Path) -> None:
    store = Store(tmp_path)
    ledger = Ledger(store)
    for seed in range(6):
        ledger.hear(white(BOB, seed), mapped(ANN), f"2026-05-0{seed + 1}")
        ledger.hear(black(ANN, seed), mapped(BOB), f"2026-05-0{seed + 1}")
    for report in (white(SIX, 9), black(SIX, 9)):
        ledger.hear(report, mapped(SIX), "2026-05-09")
    asyncio.run(store.durable())
    games = list(confirmed_games(store))
    lines = {line.name: line for line in table(games)}
    assert [one.number for one in games] == list(range(1, 8))
    assert sum(line.points for line in lines.values()) == 6
    assert all(line.games == 6 for name, line in lines.items() if name != SIX)
    assert (lines[Identity(SIX)].alone, lines[Identity(SIX)].standing.rating) == (1, 1500), "against oneself nothing is rated"
    store.close()

    told = CliRunner().invoke(draughts, ["league", "--data", str(tmp_path), "--json"], catch_exceptions=False)
    fields = json.loads(told.stdout)
    assert fields["games"] == 7
    assert {line["name"] for line in fields["table"]} == {ANN, BOB, SIX}
    told = CliRunner().invoke(draughts, ["league", "--data", str(tmp_path), "--pdn", str(tmp_path / "all.pdn")])
    assert told.exit_code == 0
    read = list(read_games((tmp_path / "all.pdn").read_text(encoding="utf-8")))
    assert [one.moves for one in read] == [game(seed) for seed in (0, 1, 2, 3, 4, 5, 9)]

    async def kept() -> None:
        league = League(store := Store(tmp_path))
        whole = pdn(games)
        assert [await league.pdn() for _ in range(2)] == [whole, whole], "written once, the same ever after"
        store.close()

    asyncio.run(kept())


# ── kill -9 ────────────────────────────────────────────────────────────────────────────────────────────────────────


def program(folder: Path, port: int) -> "subprocess.Popen[str]":
    """Start the registrar as a program, and return when it listens."""
    command = [sys.executable, "-m", "arbitre", "draughts", "registrar", "--host", "::", "--port", str(port)]
    started = subprocess.Popen([*command, "--data", str(folder)], stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    assert started.stdout is not None
    assert "listens" in started.stdout.readline()
    return started


async def storm(
    port: int, seeds: range, victim: "subprocess.Popen[str] | None" = None, after: int = 0
) -> dict[tuple[int, int], str]:
    """Send many games of many pairs at once; return what was answered. The victim is killed after so many answers."""
    said: dict[tuple[int, int], str] = {}
    gate = asyncio.Semaphore(40)

    async def one(seed: int, seat: int) -> None:
        sources = (f"127.0.1.{seed % 200 + 1}", f"127.0.2.{seed % 200 + 1}")
        report = (white, black)[seat](sources[1 - seat], seed)
        async with gate:
            try:
                said[seed, seat] = await send(port, sources[seat], report)
            except (OSError, AssertionError):
                assert victim is not None, "an answer was cut and nobody was killed"
                return
        if victim is not None and len(said) == after:
            victim.send_signal(signal.SIGKILL)

    await asyncio.gather(*(one(seed, seat) for seed in seeds for seat in (0, 1)))
    return said


@pytest.mark.sqlite
def test_killed_in_a_storm(tmp_path: Path) -> None:
    """Whatever was accepted before kill -9 is there, and is answered the same: each pair has one game, so no day matters."""
    port = free_port()
    seeds = range(120)
    for seed in seeds:
        game(seed)
    accepted: dict[tuple[int, int], str] = {}
    for after in (30, 130):
        running = program(tmp_path, port)
        said = asyncio.run(storm(port, seeds, running, after))
        running.wait()
        assert running.stdout is not None
        running.stdout.close()
        assert after <= len(said) < 2 * len(seeds), "killed in the middle"
        assert all(said[key] == AGAIN for key in accepted if key in said), "accepted once, known ever after"
        accepted |= {key: answer for key, answer in said.items() if key not in accepted}
    assert all(answer in (PENDING, CONFIRMED, AGAIN) for answer in accepted.values())
    running = program(tmp_path, port)
    try:
        assert all(answer == AGAIN for key, answer in asyncio.run(storm(port, seeds)).items() if key in accepted)
        assert set(asyncio.run(storm(port, seeds)).values()) == {AGAIN}
        with raises(StoreError, "another process"), Store(tmp_path).holding("registrar"):
            pass  # two registrars at one ledger
    finally:
        running.terminate()
        assert running.wait() == 0, "told to stop, it stops in order"
        assert running.stdout is not None
        running.stdout.close()
    store = Store(tmp_path)
    assert len(list(confirmed_games(store))) == len(seeds), "every game is confirmed once"
    store.close()


# ── the bound ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_only_so_many_reports_of_one_address_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound nothing is kept; what is confirmed makes room; nobody else is concerned; a restart changes nothing."""
    monkeypatch.setattr("arbitre.league.ledger.BOUNDS", (3, 5))
    store = Store(tmp_path)
    ledger = Ledger(store)
    day = "2026-05-01"

    def said(report: bytes, reporter: str) -> str:
        return ledger.hear(report, mapped(reporter), day).text

    assert [said(white(BOB, seed), EVE) for seed in range(5)] == [PENDING] * 3 + [UNKNOWN] * 2
    assert said(white(BOB, 0), EVE) == AGAIN, "what was accepted stays accepted"
    assert said(white(BOB, 3), ANN) == PENDING, "another address has its own"
    assert said(black(ANN, 3), BOB) == CONFIRMED
    asyncio.run(store.durable())
    ledger = Ledger(store)
    assert said(white(BOB, 4), EVE) == UNKNOWN
    assert said(black(EVE, 0), BOB) == CONFIRMED
    assert said(white(BOB, 4), EVE) == PENDING, "a confirmation has made room"
    near = [f"2001:db8:1:{subnet}::{host}" for subnet in (1, 1, 1, 1, 2, 2, 2) for host in (subnet,)]
    answers = [said(white(BOB, 10 + number), source) for number, source in enumerate(near)]
    assert answers == [PENDING] * 3 + [UNKNOWN] + [PENDING] * 2 + [UNKNOWN], "64 bits are one reporter, 48 bits one customer"
    assert said(white(BOB, 20), "2001:db8:2::1") == PENDING
    asyncio.run(store.durable())
    store.close()


def test_a_network_of_players_cannot_fill_the_disk_in_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has a network is as many players as he likes, and they confirm each other: beyond the day's bound they wait."""
    monkeypatch.setattr("arbitre.league.ledger.DAILY", (5, 8))
    store = Store(tmp_path)
    ledger = Ledger(store)

    def both(seed: int, first: str, second: str, day: str) -> list[str]:
        said = ((white(second, seed), first), (black(first, seed), second))
        return [ledger.hear(report, mapped(reporter), day).text for report, reporter in said]

    eves = [f"2001:db8:1:1::{n}" for n in range(1, 9)]
    assert both(0, eves[0], eves[1], "2026-05-01") == [PENDING, CONFIRMED]
    assert both(1, eves[2], eves[3], "2026-05-01") == [PENDING, CONFIRMED]
    assert both(2, eves[4], eves[5], "2026-05-01") == [PENDING, TOMORROW], "five of one network, this day"
    assert both(3, eves[6], eves[7], "2026-05-01") == [UNKNOWN, UNKNOWN]
    assert both(0, eves[0], eves[1], "2026-05-01") == [AGAIN, AGAIN], "what was accepted stays accepted"
    assert both(4, ANN, BOB, "2026-05-01") == [PENDING, CONFIRMED], "nobody else is concerned"
    near = [f"2001:db8:1:{n}::1" for n in range(2, 10)]
    assert both(5, near[0], near[1], "2026-05-01") == [PENDING, CONFIRMED]
    assert both(6, near[2], near[3], "2026-05-01") == [PENDING, TOMORROW], "eight of one customer's"
    asyncio.run(store.durable())
    ledger = Ledger(store)
    assert both(3, eves[6], eves[7], "2026-05-01") == [UNKNOWN, UNKNOWN], "a restart changes nothing"
    assert both(2, eves[4], eves[5], "2026-05-02") == [AGAIN, CONFIRMED], "the next day they are heard"
    asyncio.run(store.durable())
    store.close()


def test_a_network_is_one_caller(tmp_path: Path) -> None:
    """The addresses of one IPv6 network share their sockets: 64 bits are one connection to the net, 48 one customer's."""

    async def scene() -> None:
        async with office(tmp_path) as one:
            one.registrar.most = 40
            for address in ("2001:db8:1:1::1", "2001:db8:1:1::2") * 5:
                assert one.registrar.room_for(mapped(address))
                one.registrar.held.update(networks(mapped(address)))
            assert not one.registrar.room_for(mapped("2001:db8:1:1::3"))
            assert not one.registrar.room_for(mapped("2001:db8:1:2::3"))
            assert one.registrar.room_for(mapped("2001:db8:2::1"))
            assert one.registrar.room_for(mapped("192.0.2.1"))
            release(one.registrar.held, mapped("2001:db8:1:1::1"))
            assert one.registrar.room_for(mapped("2001:db8:1:1::3"))
            one.registrar.held.clear()
            assert await one.send(ANN, b"", end=True) == UNKNOWN

    asyncio.run(scene())


def on_asyncio(scene: Coroutine[None, None, None]) -> None:
    """Run a scene on asyncio's own loop, as `arbitre draughts registrar` does."""
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        runner.run(scene)


@pytest.mark.parametrize("run", [on_asyncio, uvloop.run], ids=["asyncio", "uvloop"])
def test_a_house_that_was_held_up_does_not_take_it_for_silence(tmp_path: Path, run: Callable[..., None]) -> None:
    """What came while the loop stood still is read before the report is judged."""

    async def scene() -> None:
        whole, loop = white(BOB, 1), asyncio.get_running_loop()
        near, far = socket.socketpair()
        async with office(tmp_path) as one:
            with near, far, socket.create_connection(("127.0.0.1", one.port), source_address=(ANN, 0)) as caller:

                def hold_up() -> None:
                    loop.remove_reader(near)
                    caller.sendall(whole[100:])
                    sleep(2 * one.registrar.silence)

                caller.sendall(whole[:100])
                while not any(call.data for call in one.registrar.calls):
                    await asyncio.sleep(0.01)
                loop.add_reader(near, hold_up)
                far.send(b"!")
                assert (await asyncio.to_thread(caller.recv, 100))[:-1].decode() == PENDING

    run(scene())


def test_a_house_that_cannot_be_told_answers_all_the_same(tmp_path: Path) -> None:
    async def scene() -> None:
        async with office(tmp_path) as one:

            def broken(reporter: object, answer: object) -> None:
                raise BrokenPipeError("nobody reads")

            one.registrar.told = broken
            assert await one.send(ANN, white(BOB, 1)) == PENDING
            assert await one.send(BOB, black(ANN, 1)) == CONFIRMED
            assert not one.registrar.failed.done()

    asyncio.run(scene())


def test_a_registrar_does_not_wait_for_whoever_reads_what_it_tells(tmp_path: Path) -> None:
    """Its standard output is a pipe of a page that nobody empties; then one that is gone."""
    port = free_port()
    running = program(tmp_path, port)
    assert running.stdout is not None
    fcntl.fcntl(running.stdout.fileno(), fcntl.F_SETPIPE_SZ, 4_096)
    try:
        said = asyncio.run(storm(port, range(60)))
        assert len(said) == 120, "twice as many lines as the pipe holds"
        running.stdout.close()
        assert set(asyncio.run(storm(port, range(60, 70))).values()) <= {PENDING, CONFIRMED}
    finally:
        running.terminate()
        assert running.wait() == 0
