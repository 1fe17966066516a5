"""Who sat where is found again: by name, by engine, as long as the match is there."""

import asyncio

import pytest

from arbitre.errors import StoreError
from arbitre.games.added.rules import Added
from arbitre.games.catalogue import game
from arbitre.games.game import SECOND
from arbitre.reasons import Reason
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.site.arena.matches import ArenaMatch, ArenaMatches
from arbitre.site.arena.plan import GUEST, EmptySeat, EngineSeat, HouseSeat, MatchPlan, PersonSeat, RefereeSeat, Sitter, State
from tests.reasons import raises

ANN, BEN = PersonSeat("account:7", "player-0a"), PersonSeat("guest:x1", GUEST)
BOT, RIVAL = EngineSeat(3, "engine-ab", "http://bots.example/"), EngineSeat(4, "engine-ac", "http://rival.example/")
REFEREE = RefereeSeat(9, "HexaPawn", "http://referee.example/")
TABLES: dict[str, tuple[Sitter, ...]] = {
    "people": (ANN, BEN),
    "engines": (BOT, RIVAL),
    "mixed": (HouseSeat(2), BOT),
    "added": (ANN, RIVAL, REFEREE),
    "absent": (BOT, EmptySeat("engine-ad", "engine:ad", Reason("quoted", text="it is out of use"))),
    "shown": (HouseSeat(1), HouseSeat(2)),
}


def sitting(name: str, number: int, state: State = "over") -> ArenaMatch:
    plan = MatchPlan(Added("HexaPawn") if name == "added" else game("reversi"), TABLES[name])
    return ArenaMatch(name, number, state, plan, None, "Match of the Day" if name == "people" else "", hidden=False)


@pytest.fixture
def store(place: Place) -> Store:
    made = Store(place)
    for number, name in enumerate(TABLES, 1):
        ArenaMatches(made).add(sitting(name, number), shown=name == "shown")
    asyncio.run(made.durable())
    return made


@pytest.mark.parametrize(
    ("words", "known", "found"),
    [
        ("player-0", (), ["added", "people"]),
        ("PLAYER-0A", (), ["added", "people"]),
        ("layer", (), []),
        ("of the day", (), ["people"]),
        ("engine-a", (), ["absent", "added", "mixed", "engines"]),
        ("engine-ad", (), ["absent"]),
        ("hexa", (), ["added"]),
        (GUEST, (), ["people"]),
        ("guest:x1", (), []),
        ("bots.example", (), []),
        ("%", (), []),
        ("_uest", (), []),
        ("Wilhelmina", ("engine-ab", "player-0a"), ["absent", "added", "mixed", "engines", "people"]),
        ("Wilhelmina", ("engine",), []),
    ],
)
def test_a_match_is_found_by_a_title_and_by_who_sat_there(
    store: Store, words: str, known: tuple[str, ...], found: list[str]
) -> None:
    assert [one.name for one in ArenaMatches(store).search(words=words, known=known)] == found


def test_the_matches_of_an_engine_and_of_a_game(store: Store) -> None:
    sittings = ArenaMatches(store)
    assert [one.name for one in sittings.of_engine(3, 9)] == ["absent", "mixed", "engines"]
    assert [one.name for one in sittings.of_engine(3, 1)] == ["absent"]
    assert sittings.of_engine(0, 9) == sittings.of_engine(9, 9) == ()
    assert [one.name for one in sittings.search(game="added")] == ["added"]
    assert sittings.shown() == ["shown"]


def seats(store: Store) -> list[tuple[object, ...]]:
    return store.rows("SELECT seat, name, engine, account FROM seats ORDER BY seat")


def test_whoever_takes_a_chair_is_found_and_whoever_takes_a_match_back_leaves_nothing(place: Place) -> None:
    store = Store(place)
    sittings = ArenaMatches(store)
    waits = sitting("people", 1, "waiting")._replace(plan=MatchPlan(game("reversi"), (ANN, PersonSeat())))
    sittings.add(waits)
    asyncio.run(store.durable())
    assert seats(store) == [(0, "player-0a", None, 7)]
    sittings.reseat(waits._replace(plan=MatchPlan(game("reversi"), (ANN, BEN))), SECOND)
    asyncio.run(store.durable())
    assert seats(store) == [(0, "player-0a", None, 7), (1, GUEST, None, None)]
    sittings.take_back("people")
    asyncio.run(store.durable())
    assert seats(store) == []


def test_a_match_that_has_begun_is_not_taken_back(store: Store) -> None:
    ArenaMatches(store).take_back("people")
    asyncio.run(store.durable())
    assert [one.name for one in ArenaMatches(store).search(words=GUEST)] == ["people"]


def test_a_match_and_its_seats_are_kept_together_or_not_at_all(place: Place) -> None:
    store, other = Store(place), Store(place)
    other.write("INSERT INTO seats (match, seat, name) VALUES ('engines', 1, 'somebody')", ())
    asyncio.run(other.durable())
    ArenaMatches(store).add(sitting("engines", 1))
    with raises(StoreError, "another process"):
        asyncio.run(store.durable())
    assert not ArenaMatches(other).has("engines")
    assert len(seats(other)) == 1
