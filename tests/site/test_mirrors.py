"""Watching at another node than the one that plays: the same scenes for the same eye, whatever becomes of hints."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import pytest

from arbitre.games.catalogue import game
from arbitre.games.game import Eye, Seat
from arbitre.records.backend import open_hints
from arbitre.records.place import Place
from arbitre.referee.clock import read_clock
from arbitre.referee.scenes import Scene
from arbitre.site.arena import mirrors
from arbitre.site.arena.arena import Arena
from arbitre.site.arena.live import Live
from arbitre.site.arena.mirrors import Mirror
from arbitre.site.arena.plan import HouseSeat, MatchPlan
from tests.records.test_postgresql import Relay, relay
from tests.site.test_nodes import ANNA, Member, arena_of, asked, member, run, shared

if TYPE_CHECKING:
    from arbitre.records.hints import Hints

__all__ = ["member", "relay", "shared"]

NEVER = 3_600.0
Making = Callable[[str], Member]


def tell(hints: "Hints", lives: Iterable[Live]) -> None:
    """Hint that there is something new in matches, as a site does."""
    for live in lives:
        hints.say(f"new {live.name}")


@asynccontextmanager
async def watching(member: Member, place: Place) -> AsyncIterator[Arena]:
    """Open an arena that reads what others play and hears their hints."""
    async with arena_of(member) as arena:
        hints = open_hints(place, arena.mirrors.told)
        arena.mirrors.say = hints.say
        arena.on_news = partial(tell, hints)
        hints.start()
        arena.mirrors.start()
        try:
            yield arena
        finally:
            await arena.mirrors.close()
            await hints.close()


async def seen(live: object, eye: Eye, count: int) -> list[Scene]:
    """Wait until an eye has seen so many scenes of a mirror."""
    assert isinstance(live, Mirror)
    while len(live.scenes(eye)) < count and not live.over:
        await live.changed()
    return live.scenes(eye)


@pytest.mark.parametrize("hinted", [True, False], ids=["by hints alone", "by reading alone"])
def test_who_watches_elsewhere_sees_the_same(
    member: Making, shared: Place, relay: Relay, monkeypatch: pytest.MonkeyPatch, *, hinted: bool
) -> None:
    """A hint is enough; and where it is lost, since whoever listens hears nothing, a read every second finds everything."""
    monkeypatch.setattr(mirrors, "READ_SECONDS", NEVER if hinted else 0.05)
    heard = Place(shared.folder, shared.database.partition("?")[0] + f"?host={relay.folder}")
    relay.muffled = b"" if hinted else b"LISTEN"

    async def course() -> None:
        one, two = member("one"), member("two")
        async with watching(one, shared) as here, watching(two, heard) as there:
            if hinted:
                await both_listen(two)
            name = (await here.open(MatchPlan(game("reversi"), (ANNA, HouseSeat(1))))).name
            ticket = await asked(here, name)
            mirror = await there.mirrors.open(name)
            assert there.look(name) is None
            await here.answer(name, Seat(0), ticket, "d3")
            await asked_again(here, name)
            local = here.live(name).scenes("spectator")
            assert await seen(mirror, "spectator", len(local)) == local
            here.resign(name, Seat(0))
            await here.decided(name)
            last = await seen(mirror, "spectator", 10_000)
            assert mirror is not None
            assert (mirror.over, mirror.sitting.state, last[-1].closed) == (True, "over", True)
            assert there.mirrors.look(name) is None
            assert last == [scene async for scene in there.watch(name, "spectator")]

    run(course)


async def both_listen(two: Member) -> None:
    query = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    while len(two.store.rows(query)) < 2:
        await asyncio.sleep(0.01)


async def asked_again(arena: Arena, name: str) -> None:
    async for scene in arena.watch(name, Seat(0), 2):
        if scene.asks is not None:
            return


def test_secrets_pass_the_same_gate(member: Making, shared: Place) -> None:
    """Of a game with secrets a spectator elsewhere is told what one here is told, and as often."""

    async def course() -> None:
        one, two = member("one"), member("two")
        async with watching(one, shared) as here, watching(two, shared) as there:
            name = (await here.open(MatchPlan(game("mastermind"), (HouseSeat(1), HouseSeat(1)), pace=0.01))).name
            while here.look(name) is not None and len(here.live(name).scenes("spectator")) < 2:
                await here.live(name).changed()
            mirror = await there.mirrors.open(name)
            told = await seen(mirror, "spectator", 10_000)
            assert told == [scene async for scene in here.watch(name, "spectator")]
            assert told[-1].eye == "referee"
            assert {scene.eye for scene in told[:-1]} == {"spectator"}

    run(course)


def test_where_a_clock_runs_it_counts_from_when_it_was_asked(member: Making, shared: Place) -> None:
    """The node that plays is asked how long ago that was; where it says nothing, whoever watches is led there."""

    async def course() -> None:
        one, two = member("one"), member("two")
        async with watching(one, shared) as here, watching(two, shared) as there:
            plan = MatchPlan(game("reversi"), (ANNA, HouseSeat(1)), clock=read_clock("1h"))
            name = (await here.open(plan)).name
            await asked(here, name)
            here.live(name).asked_at -= 100
            while (mirror := await there.mirrors.open(name, timed=True)) is None:
                pass  # until both listen
            assert 100 <= mirror.silent < here.live(name).silent + 1  # what is told comes a moment late
            other = (await here.open(plan)).name
            await asked(here, other)
            there.mirrors.say = lambda _: None
            assert await there.mirrors.open(other, timed=True) is None
            assert await there.mirrors.open(other) is not None  # a small board has no clock

    run(course)


def test_a_record_that_does_not_follow_is_shown_no_further(member: Making, shared: Place) -> None:
    async def course() -> None:
        one, two = member("one"), member("two")
        async with watching(one, shared) as here, watching(two, shared) as there:
            name = (await here.open(MatchPlan(game("reversi"), (ANNA, HouseSeat(1))))).name
            await asked(here, name)
            mirror = await there.mirrors.open(name)
            assert mirror is not None
            before = list(mirror.scenes("spectator"))
            forged = here.store.events(name)[0]._replace(text="a1")
            two.store.append(
                "INSERT INTO transitions (match, sequence, lines) VALUES (?, ?, ?)", (name, mirror.read, forged.line())
            )
            await two.store.durable()
            assert await seen(mirror, "spectator", 10_000) == before
            assert mirror.over

    run(course)
