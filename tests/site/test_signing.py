"""What the arena does with the page of a person who plays: it waits for its key a little, and never longer than the limits."""

import asyncio
from json import loads
from pathlib import Path
from typing import Any

import pytest

from arbitre.crypto.chain import START, fold, leaf
from arbitre.crypto.draws import promise
from arbitre.crypto.keys import Key
from arbitre.crypto.statements import SeatState, Statement, Subject, opening_hash
from arbitre.games.catalogue import game
from arbitre.games.game import Seat
from arbitre.records.event import Kind
from arbitre.records.record import Record
from arbitre.referee.clock import read_clock
from arbitre.referee.player import Agreement, Greeting
from arbitre.referee.verdict import Termination, read_verdict
from arbitre.referee.verify import Proof, verify
from arbitre.site.arena import page as pages
from arbitre.site.arena import seats
from arbitre.site.arena.arena import Arena
from arbitre.site.arena.page import DAY_SECONDS, SeatPage, agreeing_seconds
from arbitre.site.arena.plan import HouseSeat, MatchPlan, PersonSeat, read_plan
from tests.site.test_arena import arena_in, run, seen, speak

EVE = PersonSeat("guest:e", "Eve", signs=True)
PLAN = MatchPlan(game("tictactoe"), (EVE, HouseSeat(1)))
KEY, NONCE = Key(b"\x21" * 32), b"\x22" * 32


async def told(arena: Arena, name: str, kind: str) -> dict[str, Any]:
    """Wait until the page of the first seat is told something of a kind."""
    live = arena.live(name)
    while True:
        if (person := live.people.get(Seat(0))) is not None:
            for _, text in person.page.after(0):
                if (found := loads(text))["kind"] == kind:
                    return dict(found)
        await live.changed(1)


def page_of(arena: Arena, name: str) -> SeatPage:
    return arena.live(name).people[Seat(0)].page


async def greeted(arena: Arena, name: str) -> None:
    """Bring a key, and a promise where the game draws."""
    hello = await told(arena, name, "hello")
    promised = promise(NONCE, hello["commitment"], hello["match"], 0) if hello["draws"] else ""
    assert page_of(arena, name).say("greeting", Greeting(KEY.public.hex(), promised))


def agreement(opening: dict[str, Any], *, nonce: bool = False) -> Agreement:
    """Agree to an opening."""
    line = opening["line"].encode()
    subject = Subject(opening_hash(line), 1, fold(START, leaf(bytes.fromhex(opening["salt"]), line)))
    signature = subject.sign(KEY, Statement.AGREED, 0).hex()
    return Agreement(NONCE.hex() if nonce else None, signature)


async def ended(arena: Arena, name: str) -> tuple[Record, Termination]:
    """Wait for the end; return the record and how it ended."""
    await seen(arena, name, "spectator")
    record = arena.record(name)
    assert verify(record.text().encode(), given=arena.key.fingerprint).standing is Proof.VERIFIED
    return record, read_verdict(next(one.text for one in record.events if one.kind is Kind.ENDED)).termination


def test_a_plan_knows_whose_page_signs() -> None:
    assert read_plan(PLAN.text()) == PLAN
    plain = MatchPlan(game("tictactoe"), (PersonSeat("guest:e", "Eve"), HouseSeat(1)))
    assert "signs" not in plain.text()


def test_the_time_to_agree_is_that_of_the_first_move() -> None:
    assert [agreeing_seconds(read_clock(text)) for text in ("none", "2s/move", "5m+1s")] == [DAY_SECONDS, 20.0, 300.0]


def test_a_page_that_never_comes_plays_without_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "GREET_SECONDS", 0.01)

    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            name = (await arena.open(PLAN)).name
            await told(arena, name, "hello")
            await speak(arena, name, Seat(0), "5")
            assert not page_of(arena, name).say("greeting", Greeting(KEY.public.hex())), "too late"
            arena.resign(name, Seat(0))
            record, termination = await ended(arena, name)
            assert termination is Termination.RESIGNED
            assert record.seal is not None
            assert [one.state for one in record.seal.seats] == [SeatState.KEYLESS, SeatState.KEYLESS]

    run(course)


def test_a_page_that_is_closed_before_it_agrees_has_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "DAY_SECONDS", 0.01)

    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            name = (await arena.open(PLAN)).name
            await greeted(arena, name)
            record, termination = await ended(arena, name)
            assert termination is Termination.NOT_PLAYED
            assert record.seal is not None
            assert record.seal.seats[0].state is SeatState.SILENT, "nobody listens, so nobody is waited for"

    run(course)


@pytest.mark.parametrize("away", ["before it agrees", "in the middle"])
def test_a_house_that_comes_back_shows_the_same_opening(tmp_path: Path, away: str) -> None:
    """A nonce is opened for one opening only; what was given is not asked for again."""

    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            name = (await arena.open(MatchPlan(game("poker"), (EVE, HouseSeat(1))))).name
            await greeted(arena, name)
            first = await told(arena, name, "opening")
            if away == "in the middle":
                assert page_of(arena, name).say("agreement", agreement(first, nonce=True))
                head = (await told(arena, name, "asked"))["head"]
        async with arena_in(tmp_path) as arena:
            if away == "before it agrees":
                again = await told(arena, name, "opening")
                assert again == first
                assert page_of(arena, name).say("agreement", agreement(again, nonce=True))
            question = await told(arena, name, "asked")
            assert question["count"] == 0
            if away == "in the middle":
                assert question["head"] != head, "the referee was away, and says so in the record"
            arena.resign(name, Seat(0))
            record, _ = await ended(arena, name)
            assert sum(one.kind is Kind.AGREED for one in record.events) == 1

    run(course)


def test_messages_reach_each_page_once_and_a_late_one_hears_what_is_open() -> None:
    async def course() -> None:
        woken: list[int] = []
        page = SeatPage(lambda: woken.append(1))
        page.inform("asked", {"head": "1"})
        assert page.before == 0
        page.past()
        assert page.before == 1, "answered: of no concern to whoever comes now"
        page.inform("ended", {})
        page.inform("record", {}, also=True)
        assert [loads(text)["kind"] for _, text in page.after(page.before)] == ["ended", "record"]
        assert [loads(text)["kind"] for _, text in page.after(0)] == ["asked", "ended", "record"]
        assert len(woken) == 3
        waiting = asyncio.ensure_future(page.answer("word"))
        await asyncio.sleep(0)
        assert not page.say("greeting", Greeting("00" * 32))
        assert page.say("word", "ab")
        assert not page.say("word", "cd"), "another page was quicker"
        assert await waiting == "ab"

    run(course)
