"""Engines that dial in, without HTTP: who is told what, what comes again after a cut, who takes a match over."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from pathlib import Path

import pytest

from arbitre.errors import ForbiddenError, LateError, ProtocolError, QuotaError, StageError
from arbitre.games.catalogue import game
from arbitre.games.game import LOSS, WIN, Seat
from arbitre.referee.clock import read_clock
from arbitre.referee.verdict import Termination, read_verdict
from arbitre.referee.verify import Proof, verify
from arbitre.site.arena.arena import Arena
from arbitre.site.arena.dialing import DIAL, MOST_HELD, MOST_LISTENERS, Dialing, Question
from arbitre.site.arena.plan import EngineSeat, HouseSeat, MatchPlan
from arbitre.transport.pipe import Expects
from tests.reasons import raises
from tests.site.test_arena import arena_in

ENGINE, OTHER = 7, 8
PLAYER = EngineSeat(ENGINE, "engine-abc", DIAL, opponent="abc")


def run(course: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await course()

    asyncio.run(bounded())


def ask(number: str, match: str = "m/1", engine: int = ENGINE) -> Question:
    return Question(number, engine, match, "ask", "hello 2 x 1\n", "ask\n", Expects.ANSWER, "", [("before", "move a1")])


Asked = AsyncGenerator[Question | None, None]


async def heard(line: Asked) -> Question:
    """Return the next question of a line, whatever beats come before it."""
    async for one in line:
        if one is not None:
            return one
    raise AssertionError("the line ended")


def test_a_question_is_told_to_one_listener_and_comes_again_after_a_cut() -> None:
    async def course() -> None:
        dialing = Dialing(beat=60)
        dialing.put(ask("a"))
        assert not dialing.present(ENGINE)
        async with aclosing(dialing.listen(ENGINE, "one")) as line:
            first = await heard(line)
            assert (first.id, first.anew, dialing.present(ENGINE)) == ("a", True, True)
        assert dialing.present(ENGINE)  # a line that is cut may come again
        async with aclosing(dialing.listen(ENGINE, "one")) as line:
            assert (await heard(line)).id == "a"
        async with aclosing(dialing.listen(ENGINE, "one", first.number)) as line:  # who has it already is not told again
            dialing.put(ask("b"))
            assert (await heard(line)).id == "b"

    run(course)


def test_listeners_share_the_matches_and_one_that_is_gone_hands_its_own_over() -> None:
    async def course() -> None:
        dialing = Dialing(beat=0.05)
        async with aclosing(dialing.listen(ENGINE, "one")) as one, aclosing(dialing.listen(ENGINE, "two")) as two:
            assert (await anext(one), await anext(two)) == (None, None)
            dialing.put(ask("a", "m/1"))
            dialing.put(ask("b", "n/1"))
            assert {(await heard(one)).id, (await heard(two)).id} == {"a", "b"}
            await one.aclose()
            over = await heard(two)  # two beats later
            assert over.anew
            assert over.past == [("before", "move a1")]
            assert dialing.listeners(ENGINE) == 1
            dialing.answer(ENGINE, over.id, "move b2")
        await asyncio.wait_for(_until(lambda: not dialing.present(ENGINE)), 10)

    run(course)


async def _until(true: Callable[[], bool]) -> None:
    while not true():
        await asyncio.sleep(0.01)


def test_what_is_answered() -> None:
    async def course() -> None:
        dialing = Dialing()
        for number in ("a", "b"):
            dialing.put(ask(number))
        dialing.put(ask("c", engine=OTHER))
        said = dialing.answer(ENGINE, "a", "move d3")
        assert (await said.answer)[0].line() == "move d3"
        assert dialing.answer(ENGINE, "a", "move d3") is said  # once more is no error
        with raises(StageError, "answered before"):
            dialing.answer(ENGINE, "a", "move d4")
        for number in ("a", "c"):
            with raises(ForbiddenError, "put to another engine"):
                dialing.answer(OTHER if number == "a" else ENGINE, number, "move d3")
        for line in ("hello 2 x", "d3", "move d3\nmove d4", "move \x00", "", "move " + "x" * 70_000, "move \ud800"):
            with pytest.raises(ProtocolError):
                dialing.answer(ENGINE, "b", line)
        with raises(LateError, "not-asked-any-more"):
            dialing.answer(ENGINE, "zzz", "move d3")
        assert dialing.answer(ENGINE, "b", "move d5").line == "move d5"  # what is no line of a bot leaves the question open

    run(course)


def test_so_many_listen_for_one_engine_and_no_more() -> None:
    async def course() -> None:
        dialing = Dialing(beat=60)
        lines = [dialing.listen(ENGINE, str(number)) for number in range(MOST_LISTENERS)]
        waiting = [asyncio.ensure_future(anext(line)) for line in lines]
        await _until(lambda: dialing.listeners(ENGINE) == MOST_LISTENERS)
        with pytest.raises(QuotaError):
            await anext(dialing.listen(ENGINE, "one more"))
        dialing.dismiss(ENGINE)
        assert not dialing.present(ENGINE)
        for one in waiting:
            with suppress(StopAsyncIteration):
                await one

    run(course)


# ── at the table ───────────────────────────────────────────────────────────────────────────────────────────────────


def first_move(question: Question) -> str:
    return "hello 2 Bot" if question.what == "hello" else f"move {question.text.splitlines()[-1].split()[4]}"


async def plays(arena: Arena, most: int = 1_000, name: str = "bot") -> list[Question]:
    """Answer up to so many questions as a program that dials in; return everything that it was told."""
    told: list[Question] = []
    async with aclosing(arena.dialing.listen(ENGINE, name)) as line:
        while len(told) < most:
            told.append(await heard(line))
            if told[-1].what == "end":
                break
            await arena.dialled(ENGINE, told[-1].id, first_move(told[-1]))
    return told


def test_a_match_is_played_and_its_record_verifies(tmp_path: Path) -> None:
    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            sitting = await arena.open(MatchPlan(game("reversi"), (PLAYER, HouseSeat(1)), clock=read_clock("60s/move")))
            told = await plays(arena)
            assert told[0].what == "hello"
            assert told[-1].text.startswith("end ")
            assert len({one.id for one in told}) == len(told)
            await _until(lambda: arena.sitting(sitting.name).state == "over")
            record = arena.record(sitting.name)
            assert verify(record.text().encode(), given=arena.key.fingerprint).standing is Proof.VERIFIED
            kinds = {row[2] for row in arena.traces.of(sitting.name, Seat(0))}
            assert kinds == {"asked"}

    run(course)


def test_a_house_that_comes_back_asks_the_same_question_and_charges_nobody(tmp_path: Path) -> None:
    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            plan = MatchPlan(game("tictactoe"), (PLAYER, HouseSeat(1)), clock=read_clock("5s/move"))
            name = (await arena.open(plan)).name
            before = await plays(arena, 2)
            async with aclosing(arena.dialing.listen(ENGINE, "bot")) as line:
                open_question = await heard(line)
        async with arena_in(tmp_path) as arena:
            again = await plays(arena)
            assert (again[0].id, again[0].what) == (open_question.id, "ask")
            assert again[0].past == [("000000000 1", before[1].line)]
            await _until(lambda: arena.sitting(name).state == "over")
            assert read_verdict(arena.store.match(name).verdict or "").termination is Termination.RULES

    run(course)


def test_where_nobody_listens_the_clock_runs(tmp_path: Path) -> None:
    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            arena.dialing.beat = 0.05
            plan = MatchPlan(game("tictactoe"), (PLAYER, HouseSeat(1)), clock=read_clock("0.1s/move"))
            name = (await arena.open(plan)).name
            await _until(lambda: arena.sitting(name).state == "over")
            verdict = read_verdict(arena.store.match(name).verdict or "")
            assert (verdict.termination, verdict.scores) == (Termination.OUT_OF_TIME, (LOSS, WIN))
            assert arena.traces.fault(name, Seat(0)) is not None

    run(course)


def test_who_gives_up_is_told_that_it_was_taken(tmp_path: Path) -> None:
    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            name = (await arena.open(MatchPlan(game("tictactoe"), (PLAYER, HouseSeat(1))))).name
            async with aclosing(arena.dialing.listen(ENGINE, "")) as line:
                await arena.dialled(ENGINE, (await heard(line)).id, "hello 2 Bot")
                await arena.dialled(ENGINE, (await heard(line)).id, "resign I am tired")
                assert (await heard(line)).text.startswith("end 0 resigned ")
            await _until(lambda: arena.sitting(name).state == "over")

    run(course)


def test_an_engine_plays_itself_on_both_seats(tmp_path: Path) -> None:
    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            name = (await arena.open(MatchPlan(game("rochambeau"), (PLAYER, PLAYER)))).name
            ends = 0
            matches = set()
            async with aclosing(arena.dialing.listen(ENGINE, "")) as line:
                while ends < 2:
                    one = await heard(line)
                    matches.add(one.match)
                    if one.what == "end":
                        ends += 1
                    else:
                        await arena.dialled(ENGINE, one.id, first_move(one))
            assert matches == {f"{name}/1", f"{name}/2"}

    run(course)


def test_who_goes_leaves_its_matches_to_the_others_at_once() -> None:
    async def course() -> None:
        dialing = Dialing(beat=600)
        async with aclosing(dialing.listen(ENGINE, "one")) as one:
            dialing.put(ask("a"))
            assert (await heard(one)).id == "a"
            dialing.dismiss(ENGINE, "one")
            assert [found async for found in one] == []
        async with aclosing(dialing.listen(ENGINE, "two")) as two:
            assert (await heard(two)).id == "a"
            dialing.put(ask("b", "n/1"))
            assert (await heard(two)).id == "b"

    run(course)


def test_a_new_match_waits_for_who_is_there_and_not_for_who_was_a_moment_ago() -> None:
    async def course() -> None:
        dialing = Dialing(beat=600)
        line = dialing.listen(ENGINE, "one")
        dialing.put(ask("a"))
        assert (await heard(line)).id == "a"
        await line.aclose()
        dialing.put(ask("b", "n/1"))
        async with aclosing(dialing.listen(ENGINE, "two")) as two:
            assert (await heard(two)).id == "b"  # while the other one may still come back for its own

    run(course)


def test_when_the_house_comes_back_a_match_is_again_who_held_its() -> None:
    async def course() -> None:
        dialing = Dialing(beat=600)
        async with aclosing(dialing.listen(ENGINE, "one")) as one:
            first = asyncio.ensure_future(heard(one))
            await asyncio.sleep(0)
            coming = asyncio.ensure_future(dialing.arrival(ENGINE, "m/1"))
            await asyncio.sleep(0)
            assert not coming.done()  # somebody is there, and another held it
            async with aclosing(dialing.listen(ENGINE, "two", holds=["m/1"])) as two:
                second = asyncio.ensure_future(heard(two))
                await coming
                dialing.put(ask("a", "m/1"))
                dialing.put(ask("b", "n/1"))
                mine = await second
                assert (mine.id, mine.anew) == ("a", False)
                assert (await first).id == "b"
            async with aclosing(dialing.listen(ENGINE, "three", holds=["m/1", "n/1"])) as three:
                third = asyncio.ensure_future(heard(three))
                await asyncio.sleep(0)
                assert not third.done()  # nobody takes what another holds
                third.cancel()
                await asyncio.gather(third, return_exceptions=True)

    run(course)


def test_a_listener_holds_so_many_and_no_more() -> None:
    async def course() -> None:
        dialing = Dialing(beat=600)
        async with aclosing(dialing.listen(ENGINE, "one", holds=[f"m{one}/1" for one in range(5_000)])) as line:
            heard_by_one = asyncio.ensure_future(heard(line))
            await asyncio.sleep(0)
            assert len(dialing._desks[ENGINE].holders) == MOST_HELD
            heard_by_one.cancel()
            await asyncio.gather(heard_by_one, return_exceptions=True)

    run(course)
