"""Of what the house plays for visitors the newest is kept; what belongs to somebody stays."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

from arbitre.errors import UnknownRecordError
from arbitre.games.catalogue import game
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.site.arena.arena import Arena, Fixed
from arbitre.site.arena.plan import HouseSeat, MatchPlan, PersonSeat
from arbitre.site.arena.showcase import Showcase, is_shown
from arbitre.tournoyons.callback import Receiver
from arbitre.tournoyons.player import Switchboard
from arbitre.transport.guard import Guard

SHOWN = MatchPlan(game("tictactoe"), (HouseSeat(1), HouseSeat(1)))


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    found = Store(place)
    yield found
    found.close()


async def played(arena: Arena, plan: MatchPlan, call: Fixed | None = None, owner: int | None = None) -> str:
    """Play a match to its end, and return its name."""
    name = (await arena.open(plan, owner=owner, call=call)).name
    while arena.sitting(name).state != "over" or any(one.name == name for one in arena.playing()):
        await asyncio.sleep(0.01)
    return name


def test_the_newest_are_kept_and_everybody_elses(store: Store) -> None:
    async def scene() -> None:
        async with Switchboard(Receiver("http://127.0.0.1:1"), guard=Guard()) as switchboard:
            arena = Arena(store, switchboard)
            showcase = Showcase(store, 2)
            showcase.open()
            arena.on_end(showcase.ended)
            await arena.start()
            hers = [
                await played(arena, replace(SHOWN, starter="guest:1")),
                await played(arena, replace(SHOWN, event="Cup", round=1)),
                await played(arena, SHOWN, Fixed(b"s" * 32, "cup", 1)),
                await played(arena, SHOWN, owner=7),
            ]
            shown = [await played(arena, SHOWN)]
            saved = await played(arena, SHOWN)
            await arena.entitle(saved, "the first", 7)
            shown += [await played(arena, SHOWN) for _ in range(4)]
            await store.durable()
            for name in shown[:-2]:
                with pytest.raises(UnknownRecordError):
                    arena.sitting(name)
                assert store.events(name) == ()
            assert all(len(store.events(name)) > 5 for name in [*hers, saved, *shown[-2:]])
            again = Showcase(store, 1)
            again.open()
            await store.durable()
            kept = [row.name for row in store.matches()]
            assert kept == [*hers, saved, shown[-1]], "also when the operator wants fewer"
            await arena.close()

    asyncio.run(scene())


def test_a_person_at_the_table_makes_it_no_show(store: Store) -> None:
    async def scene() -> None:
        async with Switchboard(Receiver("http://127.0.0.1:1"), guard=Guard()) as switchboard:
            arena = Arena(store, switchboard)
            await arena.start()
            assert not is_shown(await arena.open(MatchPlan(game("tictactoe"), (HouseSeat(1), PersonSeat("guest:1", "guest")))))
            assert is_shown(await arena.open(SHOWN))
            await arena.close()

    asyncio.run(scene())
