"""The house's attacker, as a site runs it, against real defenders: good ones, broken ones, and those it must not call."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import uvloop

from arbitre.errors import HasteError
from arbitre.league import house as service
from arbitre.league.duel import Refused
from arbitre.league.house import Challenge, HouseRobots, Trouble
from arbitre.league.ledger import Ledger, confirmed_games
from arbitre.league.registrar import Registrar
from arbitre.reasons import Reason
from arbitre.records.store import Store
from arbitre.transport.guard import LOOPBACK, Guard
from arbitre.transport.limits import Limit, Limits
from arbitre.transport.sockets import Endpoint, listen
from tests.league.house import ANN, BOB, CONFIRMED, PENDING, free_port
from tests.league.test_robots import House, defender
from tests.reasons import gives, raises

Peer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
ANYWHERE = Guard(LOOPBACK)


def run(scene: Callable[[], Coroutine[Any, Any, None]]) -> None:
    uvloop.run(scene())


@asynccontextmanager
async def robots(folder: Path, guard: Guard = ANYWHERE, clock: str = "60s/move") -> AsyncIterator[HouseRobots]:
    """Open the house's robots beside a registrar, as a site has them."""
    store = Store(folder)
    (sock,) = listen("127.0.0.1", 0)
    registrar = Registrar(Ledger(store), lambda: "2026-05-01", silence=0.3)
    serving = asyncio.ensure_future(registrar.serve([sock]))
    house = HouseRobots(store, ZoneInfo("Europe/Paris"), guard, clock=clock)
    house.registrar, house.endpoint = registrar, Endpoint("127.0.0.1", sock.getsockname()[1])
    try:
        yield house
    finally:
        await house.close()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        store.close()


async def over(one: Challenge) -> Challenge:
    while not one.over:
        await asyncio.sleep(0.01)
    return one


@asynccontextmanager
async def serving(peer: Peer) -> AsyncIterator[Endpoint]:
    """Listen with a defender of the test's own."""
    server = await asyncio.start_server(peer, "127.0.0.1", 0)
    async with server:
        yield Endpoint(*server.sockets[0].getsockname()[:2])


def saying(*words: bytes, close: bool = False) -> Peer:
    """Return a defender that says the same whatever it hears."""

    async def peer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for word in words:
            writer.write(word)
        if close:
            writer.close()
        else:
            while await reader.read(1 << 16):
                pass
            writer.close()

    return peer


def test_a_good_defender_is_played_recorded_and_reported_once_a_day(tmp_path: Path) -> None:
    async def scene() -> None:
        async with robots(tmp_path / "site") as house:
            theirs = House(tmp_path / "theirs", house.endpoint)
            async with defender(theirs, ANN) as (_, port):
                one = await over(house.challenge(Endpoint(ANN, port), 1, "somebody"))
                assert (one.trouble, one.moves) == (None, ()), "its moves stay closed"
                assert one.finished is not None
                assert one.finished.recordable
                assert house.answer_to(one) in (PENDING, CONFIRMED)
                assert house.store.match(one.finished.match).verdict is not None
                while not list(confirmed_games(house.store)):
                    await asyncio.sleep(0.02)  # the defender, too, reports
                again = await over(house.challenge(Endpoint(ANN, port), 1, "somebody"))
                assert (again.trouble, again.reported, house.answer_to(again)) == (None, False, ""), "played, not counted"

    run(scene)


TROUBLES = {
    Trouble.UNKNOWN_WORD: (saying(b"BONJOUR\0"), Reason("peer-unknown-word", text="BONJOUR")),
    Trouble.WRONG_MOVES: (saying(b"32-29\0" * 4), Reason("peer-wrong-moves", count=4)),
    Trouble.SILENCE: (saying(), Reason("no-answer")),
    Trouble.CLOSED: (saying(close=True), Reason("peer-closed")),
    Trouble.INTERRUPTED: (saying(b"INTERUPTION\0"), Reason("peer-interrupted", text="INTERUPTION")),
    Trouble.EARLY_END: (saying(b"PERDU\0"), Reason("peer-ended-early", text="PERDU")),
    Trouble.DOUBTS: (saying(b"32-28\0" + b"COUP INVALIDE\0"), Reason("peer-doubts", count=4)),
    Trouble.TOO_LONG: (saying(b"x" * 5_000), Reason("peer-word-too-long", most=1024)),
    Trouble.OUT_OF_TURN: (saying(b"32-28\0" * 5), Reason("peer-out-of-turn", count=4, text="32-28")),
}


async def doubting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"32-28\0")
    while await reader.read(1 << 16):
        writer.write(b"COUP INVALIDE\0")
    writer.close()


@pytest.mark.parametrize("trouble", TROUBLES)
def test_what_went_wrong_is_told_with_its_evidence(tmp_path: Path, trouble: Trouble) -> None:
    peer, evidence = TROUBLES[trouble]

    async def scene() -> None:
        clock = "1s/move" if trouble is Trouble.SILENCE else "60s/move"
        async with robots(tmp_path, clock=clock) as house, serving(doubting if trouble is Trouble.DOUBTS else peer) as where:
            one = await over(house.challenge(where, 1, "somebody"))
            assert one.trouble is trouble
            assert gives(one.evidence, evidence)
            assert not one.reported
            if trouble is Trouble.WRONG_MOVES:
                (wrong,) = set(one.refused)
                assert wrong == Refused(
                    "32-29", Reason("illegal move %(move)s: %(why)s", move="32-29", why=Reason("man-moves-so"))
                )

    run(scene)


def test_nobody_at_home(tmp_path: Path) -> None:
    async def scene() -> None:
        async with robots(tmp_path) as house:
            one = await over(house.challenge(Endpoint("127.0.0.1", free_port()), 1, "somebody"))
            assert (one.trouble, one.evidence) == (
                Trouble.UNREACHABLE,
                Reason("cannot be reached%(whence)s: %(error)s", whence="", error=Reason("Connection refused")),
            )
            nowhere = await over(house.challenge(Endpoint("no..such", 7777), 1, "somebody"))
            assert nowhere.trouble is Trouble.UNREACHABLE

    run(scene)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::ffff:127.0.0.1", "169.254.169.254", "10.0.0.1", "0.0.0.0"])  # noqa: S104
def test_what_the_guard_forbids_is_not_called(tmp_path: Path, host: str) -> None:
    async def scene() -> None:
        called = asyncio.Event()

        async def peer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            called.set()
            writer.close()

        async with robots(tmp_path, Guard()) as house, serving(peer) as where:
            one = await over(house.challenge(Endpoint(host, where.port), 1, "somebody"))
            assert one.trouble is Trouble.FORBIDDEN
            assert gives(one.evidence, "not-public")
            assert not called.is_set()

    run(scene)


def test_one_game_at_a_time_with_an_address_and_so_many_an_hour(tmp_path: Path) -> None:
    async def scene() -> None:
        async with robots(tmp_path) as house, serving(saying()) as where:
            first = house.challenge(where, 1, "somebody")
            while not house._busy:
                await asyncio.sleep(0.01)
            second = await over(house.challenge(Endpoint("localhost", where.port), 1, "somebody else"))
            assert (second.trouble, second.evidence) == (Trouble.HASTE, Reason("this address is being challenged already"))
            assert not first.over
            house.limits = Limits({"by": Limit(1, 3_600), "of": Limit(1, 3_600)})
            house.challenge(Endpoint(BOB, free_port()), 1, "somebody")
            with raises(HasteError, "too many attempts"):
                house.challenge(Endpoint(BOB, free_port()), 1, "somebody")
            third = await over(house.challenge(Endpoint(BOB, free_port()), 1, "another"))
            assert third.trouble is Trouble.HASTE, "another visitor, the same address"

    run(scene)


def test_so_many_challenges_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_ABROAD", 1)

    async def scene() -> None:
        async with robots(tmp_path) as house, serving(saying()) as where:
            first = house.challenge(where, 1, "somebody")
            with raises(HasteError, "as many challenges as it can"):
                house.challenge(Endpoint(BOB, 7777), 1, "somebody else")
            await house.close()
            assert (first.trouble, first.evidence) == (Trouble.HOUSE, Reason("house-closes"))

    run(scene)
