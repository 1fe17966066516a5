"""The arena: people, engines and players of the house at one table, and a house that comes back goes on where it was."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest

from arbitre.errors import ArenaError, IllegalMoveError, InvalidMoveError, LateError, RecordError, TermsError, UnknownRecordError
from arbitre.games.catalogue import game
from arbitre.games.game import LOSS, WIN, Eye, Seat
from arbitre.games.tictactoe.rules import TicTacToe
from arbitre.reasons import Reason
from arbitre.records.store import Store
from arbitre.referee.scenes import Scene
from arbitre.referee.verdict import Termination
from arbitre.referee.verify import Proof, verify
from arbitre.site.arena.arena import Arena
from arbitre.site.arena.plan import EngineSeat, HouseSeat, MatchPlan, PersonSeat, read_plan
from arbitre.tournoyons.callback import Listener, Receiver
from arbitre.tournoyons.player import Switchboard
from arbitre.tournoyons.wire import Style
from tests.reasons import raises
from tests.tournoyons.test_player import ENGINES, started

ANNA, BEN = PersonSeat("account:1", "Anna"), PersonSeat("guest:b", "Ben")


@asynccontextmanager
async def arena_in(folder: Path, port: int = 0) -> AsyncIterator[Arena]:
    """Open an arena over a data folder, and close it as a server that stops does."""
    store = Store(folder)
    receiver = Receiver()
    async with Switchboard(receiver, listener=Listener(receiver, port=port)) as board:
        arena = Arena(store, board)
        await arena.start()
        try:
            yield arena
        finally:
            await arena.close()
    store.close()


def run(course: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await course()

    asyncio.run(bounded())


async def seen(arena: Arena, name: str, eye: Eye, after: int = 0) -> list[Scene]:
    return [scene async for scene in arena.watch(name, eye, after)]


async def asked(arena: Arena, name: str, seat: Seat, known: int = 0) -> Scene:
    """Wait until a person is asked, and return the scene in which they are."""
    async for scene in arena.watch(name, seat, known):
        if scene.asks is not None:
            return scene
    raise AssertionError("never asked")


async def speak(arena: Arena, name: str, seat: Seat, text: str) -> None:
    """Answer the question that is open for a person."""
    person = arena.live(name).people[seat]
    while person.position is None:
        await asyncio.sleep(0.001)
    await arena.answer(name, seat, person.ticket, text)


async def at_once(arena: Arena, name: str, seat: Seat, most: int) -> int:
    """Answer each question in the moment in which its scene is seen, some legal move; return how often."""
    live, count = arena.live(name), 0
    async for scene in arena.watch(name, seat):
        if scene.asks is not None and count < most:
            move = live.match.notation.write(live.match.game.sample(scene.view, Random(count)))
            await arena.answer(name, seat, live.ticket(seat, scene.asks), move)
            count += 1
        elif scene.asks is not None:
            return count
    return count


def test_whoever_sees_that_it_is_his_turn_may_answer_at_once(tmp_path: Path) -> None:
    """The question is open before anybody is told of it: two hundred answers in the very moment, none refused."""

    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            answered = 0
            while answered < 200:
                one = await arena.open(MatchPlan(game("reversi"), (ANNA, HouseSeat(1))))
                two = await arena.open(MatchPlan(game("rochambeau"), (ANNA, BEN)))
                while not all(arena.live(match.name).people for match in (one, two)):
                    await asyncio.sleep(0)
                seats = ((one, Seat(0)), (two, Seat(0)), (two, Seat(1)))
                answered += sum(await asyncio.gather(*(at_once(arena, match.name, seat, 200) for match, seat in seats)))

    run(course)


def test_who_comes_back_with_the_house_may_answer_at_once(tmp_path: Path) -> None:
    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            name = (await arena.open(MatchPlan(game("reversi"), (ANNA, HouseSeat(1))))).name
            await asked(arena, name, Seat(0))
        for _ in range(10):
            async with arena_in(tmp_path) as arena:
                assert await at_once(arena, name, Seat(0), 1) == 1

    run(course)


def test_a_plan_is_read_back() -> None:
    engine = EngineSeat(7, "Deep Pond", "http://example.org/e", Style(full=True, login="x"), "abc")
    plan = MatchPlan(game("reversi"), (engine, ANNA), limit=9, stepped=True, event="Cup")
    assert read_plan(plan.text()) == plan
    assert MatchPlan(game("tictactoe"), (HouseSeat(1), PersonSeat())).free == (Seat(1),)


@pytest.mark.parametrize("text", ["{}", "[]", "x", '{"clock":"none"}'])
def test_no_plan(text: str) -> None:
    with pytest.raises((RecordError, TermsError)):
        read_plan(text)


def test_plans_that_make_no_sense() -> None:
    with raises(TermsError, "%(name)s has %(seats)s seats, not %(sitters)s", seats=2, sitters=1):
        MatchPlan(game("reversi"), (HouseSeat(1),))
    with raises(TermsError, "seconds for a move, not", least_seconds=4, most_seconds=54):
        MatchPlan(game("reversi"), (HouseSeat(1), HouseSeat(1)), limit=3)
    with raises(TermsError, "Tournoyons"):
        MatchPlan(game("rochambeau", {"states": 5}), (EngineSeat(1, "e", "http://x"), HouseSeat(1)))


def test_two_of_the_house_watched_to_a_verified_end(tmp_path: Path) -> None:
    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            sitting = await arena.open(MatchPlan(game("reversi"), (HouseSeat(1), HouseSeat(1))))
            watched = await seen(arena, sitting.name, "spectator")
            assert watched[-1].closed
            assert await seen(arena, sitting.name, "spectator") == watched
            assert await seen(arena, sitting.name, "spectator", 10) == watched[10:]
            assert arena.sitting(sitting.name).state == "over"
            assert [one.name for one in arena.sittings.search(game="reversi")] == [sitting.name]
            assert arena.sittings.search(game="pente") == ()
            data = arena.record(sitting.name).text().encode()
            assert verify(data, given=arena.key.fingerprint).standing is Proof.VERIFIED

    run(course)


def test_a_person_plays_and_slips_are_caught_before_the_referee_hears_them(tmp_path: Path) -> None:
    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            sitting = await arena.open(MatchPlan(game("tictactoe"), (ANNA, BEN)))
            name = sitting.name
            assert sitting.plan.seats_of("account:1") == {Seat(0)}
            await speak(arena, name, Seat(0), "5")
            ticket = arena.live(name).people[Seat(0)].ticket
            with raises(ArenaError, "not-asked-any-more"):
                await arena.answer(name, Seat(0), ticket, "1")
            await asked(arena, name, Seat(1))
            with pytest.raises(IllegalMoveError):
                await speak(arena, name, Seat(1), "5")
            with pytest.raises(InvalidMoveError):
                await speak(arena, name, Seat(1), "x" * 1000)
            person = arena.live(name).people[Seat(1)]
            used = person.ticket
            await speak(arena, name, Seat(1), "1")
            await arena.answer(name, Seat(1), used, "1")  # a page that sends twice has said it once
            with pytest.raises(ArenaError):
                await arena.answer(name, Seat(1), used, "2")
            for seat, cell in ((0, "2"), (1, "8"), (0, "4"), (1, "6"), (0, "3"), (1, "7"), (0, "9")):
                await speak(arena, name, Seat(seat), cell)
            last = (await seen(arena, name, "spectator"))[-1]
            assert last.verdict is not None
            assert last.verdict.termination is Termination.RULES

    run(course)


def test_a_free_chair_is_taken_once_and_a_resignation_needs_no_turn(tmp_path: Path) -> None:
    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            sitting = await arena.open(MatchPlan(game("draughts"), (ANNA, PersonSeat())), hidden=True)
            assert sitting.state == "waiting"
            assert arena.sittings.search() == ()
            taken = await arena.sit(sitting.name, Seat(1), BEN)
            assert taken.state == "playing"
            with raises(ArenaError, "taken"):
                await arena.sit(sitting.name, Seat(1), ANNA)
            await asked(arena, sitting.name, Seat(0))
            arena.resign(sitting.name, Seat(1))  # though it is Anna's turn
            last = (await seen(arena, sitting.name, Seat(0)))[-1]
            assert last.verdict is not None
            assert last.verdict.termination is Termination.RESIGNED
            assert last.verdict.scores == (WIN, LOSS)
            with raises(ArenaError, "not being played"):
                arena.resign(sitting.name, Seat(1))
            with pytest.raises(UnknownRecordError):
                arena.sitting("nobody")

    run(course)


def test_waiting_matches_are_taken_back_and_stopped_ones_are_nobodys_result(tmp_path: Path) -> None:
    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            waiting = await arena.open(MatchPlan(game("draughts"), (ANNA, PersonSeat())))
            await arena.cancel(waiting.name)
            with pytest.raises(UnknownRecordError):
                arena.sitting(waiting.name)
            sitting = await arena.open(MatchPlan(game("draughts"), (ANNA, BEN)), title="sunday")
            assert arena.sittings.search(words="unda")[0].name == sitting.name
            assert arena.sittings.search(words="%") == ()
            with raises(ArenaError, "begun"):
                await arena.cancel(sitting.name)
            await asked(arena, sitting.name, Seat(0))
            arena.stop(sitting.name, Reason("quoted", text="the operator closed it"))
            last = (await seen(arena, sitting.name, "spectator"))[-1]
            assert last.verdict is not None
            assert last.verdict.scores is None

    run(course)


def test_step_by_step(tmp_path: Path) -> None:
    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            sitting = await arena.open(MatchPlan(game("tictactoe"), (HouseSeat(1), HouseSeat(1)), stepped=True))
            live = arena.live(sitting.name)
            watcher = arena.watch(sitting.name, "spectator")
            assert (await anext(watcher)).number == 1
            live.gate.step()
            assert (await anext(watcher)).turn == 2
            await asyncio.sleep(0.05)
            assert len(live.moments) == 1
            live.gate.run()
            assert [scene async for scene in watcher][-1].closed

    run(course)


def test_a_house_that_comes_back_goes_on_with_people(tmp_path: Path) -> None:
    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            name = (await arena.open(MatchPlan(game("tictactoe"), (ANNA, BEN)))).name
            await speak(arena, name, Seat(0), "5")
            scene = await asked(arena, name, Seat(1))
            ticket = arena.live(name).people[Seat(1)].ticket
        async with arena_in(tmp_path) as arena:
            again = await asked(arena, name, Seat(1), scene.number)
            assert [line.kind.value for line in again.lines] == ["resumed"]
            assert again.asks == scene.asks
            await arena.answer(name, Seat(1), ticket, "1")  # the page that was open before
            assert (await asked(arena, name, Seat(0), again.number)).turn == 3

    run(course)


def test_who_did_not_hear_that_a_move_was_taken_says_it_again(tmp_path: Path) -> None:
    """To a house that came back meanwhile, in the words that the record writes otherwise: it is no error, and another move is."""

    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            name = (await arena.open(MatchPlan(game("reversi"), (ANNA, BEN)))).name
            while arena.live(name).people[Seat(0)].position is None:
                await asyncio.sleep(0.001)
            ticket = arena.live(name).people[Seat(0)].ticket
            await arena.answer(name, Seat(0), ticket, "d3")
        async with arena_in(tmp_path) as arena:
            await asked(arena, name, Seat(1))
            for text in ("d3", "D3"):
                await arena.answer(name, Seat(0), ticket, text)
            for text in ("c4", "z9"):
                with raises(LateError, "not-asked-any-more"):
                    await arena.answer(name, Seat(0), ticket, text)

    run(course)


def test_a_match_that_goes_on_is_replayed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who judges, who watches and who is told what he said before share one replay."""
    played: list[object] = []

    play = TicTacToe.play

    def counting(self: TicTacToe, state: Any, moves: Any) -> Any:
        played.append(moves)
        return play(self, state, moves)

    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            name = (await arena.open(MatchPlan(game("tictactoe"), (ANNA, BEN)))).name
            for turn, text in enumerate("519"):
                await speak(arena, name, Seat(turn % 2), text)
        monkeypatch.setattr(TicTacToe, "play", counting)
        async with arena_in(tmp_path) as arena:
            said = [one.event.text for one in arena.live(name).moments]
            assert (said, len(played)) == (["5", "1", "9", ""], 3), "what was said, and that it was resumed"
            await speak(arena, name, Seat(1), "2")
            assert len(played) == 4

    run(course)


@pytest.fixture(scope="module")
def python() -> Iterator[str]:
    yield from started(sys.executable, "-S", str(ENGINES / "styles.py"))


def test_nothing_is_asked_twice_with_another_move_id(tmp_path: Path, python: str) -> None:
    """Stopped again and again in the middle of games with an engine, each question has one MoveId whenever it is asked."""
    asks: dict[tuple[str, str], set[str]] = {}

    async def course() -> None:
        names: list[str] = []
        port = 0
        for turn in range(4):
            async with arena_in(tmp_path, port) as arena:
                port = int(arena.switchboard.receiver.public.rpartition(":")[2])
                if not names:
                    for style in ("/inside", "/after", "/slash"):
                        engine = EngineSeat(1, "e", python + style)
                        names += [
                            (await arena.open(MatchPlan(game("tictactoe"), (engine, HouseSeat(1)), pace=0.02))).name,
                            (await arena.open(MatchPlan(game("seafight"), (HouseSeat(1), engine), pace=0.01))).name,
                        ]
                if turn == 3:
                    for name in names:
                        last = (await seen(arena, name, "spectator"))[-1]
                        assert last.verdict is not None
                        assert last.verdict.termination is Termination.RULES, last.verdict
                else:
                    await asyncio.sleep(0.1)
                await arena.store.durable()
                for name in names:
                    for seat in (0, 1):
                        for _, _, what, text, _, _ in arena.traces.of(name, Seat(seat)):
                            if what == "called":
                                fields = parse_qs(urlsplit(text).query)
                                asks.setdefault((name, fields["Turn"][0]), set()).add(fields["MoveId"][0])

    run(course)
    assert len(asks) > 20
    assert all(len(idents) == 1 for idents in asks.values())


def test_who_is_slow_to_look_misses_nothing(tmp_path: Path) -> None:
    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            sitting = await arena.open(MatchPlan(game("tictactoe"), (HouseSeat(1), HouseSeat(1))))
            found = []
            async for scene in arena.watch(sitting.name, "spectator"):
                found.append(scene.number)
                while arena.sitting(sitting.name).state != "over":  # everything else happens while the first scene is looked at
                    await asyncio.sleep(0.01)
            assert found == list(range(1, len(found) + 1))
            assert len(found) > 5

    run(course)


def test_strays_are_refused_and_their_owner_finds_them(tmp_path: Path, python: str) -> None:
    """Second answers, other answers, and calls when the game is over: 4xx, and in the trace."""

    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            plan = MatchPlan(game("tictactoe"), (EngineSeat(1, "e", python + "/twice"), HouseSeat(1)))
            name = (await arena.open(plan)).name
            assert (await seen(arena, name, "spectator"))[-1].closed
            await arena.store.durable()
            trace = arena.traces.of(name, Seat(0))
            refused = [status for _, _, what, _, status, _ in trace if what == "refused"]
            assert set(refused) - {410} == {409}  # what it says twice of its last move may come when the game is over
            asked = parse_qs(urlsplit(next(text for _, _, what, text, _, _ in trace if what == "called")).query)
            late = f"{asked['Referee'][0]}?Game={asked['Game'][0]}&MoveId={asked['MoveId'][0]}&Value=stray"
            async with aiohttp.ClientSession() as session:
                for _ in range(30):
                    async with session.get(late) as response:
                        assert response.status == 410
            await arena.store.durable()
            after = arena.traces.of(name, Seat(0))
            told = [(what, status) for _, _, what, text, status, _ in after if "Value=stray" in text]
            assert set(told) == {("refused", 410)}
            assert len(told) <= 20, "whoever calls without end fills no trace"

    run(course)
