"""The steward: competitions open, are drawn, played and closed by themselves, whoever fails, withdraws or pulls the plug."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from arbitre.crypto.chain import commitment
from arbitre.crypto.passwords import LIGHT
from arbitre.elections.lots import lot_terms, order_of
from arbitre.elections.payload import new_opening, write_commit, write_reveal
from arbitre.elections.transcript import open_source
from arbitre.errors import ForbiddenError, StageError, StoreError, UnfitError
from arbitre.games.game import LOSS, WIN, Seat
from arbitre.hall import results_of
from arbitre.reasons import Reason
from arbitre.records.sqlite import SQLite
from arbitre.records.store import Store
from arbitre.referee.verdict import Termination
from arbitre.referee.verify import Proof, verify
from arbitre.site.accounts import Account, Role
from arbitre.site.arena.arena import Arena
from arbitre.site.challenges import Reply
from arbitre.site.community import Community
from arbitre.site.competitions.competitions import Announcement, Competition, CompetitionId, Stage
from arbitre.site.competitions.draw import Way, house_seed, read_draw
from arbitre.site.competitions.drawing import tournament_of
from arbitre.site.competitions.entries import Entry
from arbitre.site.competitions.runner import FULL, STUMBLES, TICK_SECONDS, Steward
from arbitre.site.competitions.running import RunningCompetition
from arbitre.site.competitions.scoreboard import Scoreboard
from arbitre.site.database import Allowances, clock
from arbitre.tournament import fixtures
from arbitre.tournament.config import read_kept_plan
from arbitre.tournament.summary import Summary, summarise
from arbitre.tournoyons.callback import Listener, Receiver
from arbitre.tournoyons.player import Switchboard
from arbitre.tournoyons.wire import Style
from tests.reasons import gives, raises
from tests.tournoyons.test_player import ENGINES, started

DIRECT = Style(direct=True)
QUICK = {"game": "tictactoe", "format": "round-robin", "clock": "4s/move", "concurrency": 8, "seeding": "lot"}


@pytest.fixture(scope="module")
def crowd() -> Iterator[str]:
    yield from started(sys.executable, "-S", str(ENGINES / "crowd.py"))


@pytest.fixture(scope="module")
def slow() -> Iterator[str]:
    yield from started(sys.executable, "-S", str(ENGINES / "crowd.py"), "0.05")


@dataclass
class Site:
    """What a site has of competitions."""

    store: Store
    community: Community
    arena: Arena
    steward: Steward

    def person(self, name: str, role: Role = Role.PLAYER) -> Account:
        return self.community.accounts.create(name, "correct horse battery", role)

    def cup(self, by: Account, way: Way = "seed", *, kind: str = "engines", **keys: object) -> Competition:
        """Announce a competition that takes entries now and begins when it is told to."""
        now = self.community.database.now()
        said = Announcement("Cup", {**QUICK, **keys}, now, now + 3600, kind=kind, each=100)  # type: ignore[arg-type]
        return self.steward.announce(by, said, way)

    def enter(self, by: Account, cup: Competition, url: str) -> Entry:
        name = "e" + url.partition("//")[2].partition("/")[2].replace("/", "-")
        engine = self.community.engines.add(by, game=cup.game, name=name, url=url, style=DIRECT)
        return self.community.entries.enter(by, cup.id, engine.id)

    async def over(self, cup: Competition) -> Summary:
        """Wait for the end, and return how it ended."""
        await self.until(cup.id, lambda: self.community.competitions.find(cup.id).stage is Stage.OVER)
        return self.summary(cup)

    async def until(self, number: CompetitionId, done: Callable[[], bool]) -> None:
        while not done():
            try:
                async with asyncio.timeout(0.2):
                    await self.steward.bell(number).wait()
            except TimeoutError:
                continue

    def summary(self, cup: Competition) -> Summary:
        name = tournament_of(cup.id)
        return summarise(read_kept_plan(self.store.tournament(name)[0]), results_of(self.store, name))


@asynccontextmanager
async def site_in(folder: Path, now: Callable[[], int] = clock) -> AsyncIterator[Site]:
    store = Store(folder)
    receiver = Receiver()
    community = Community(folder, Allowances(work=LIGHT, engines=100), now)
    async with AsyncExitStack() as closing:
        closing.callback(store.close)
        closing.callback(community.close)
        board = await closing.enter_async_context(Switchboard(receiver, listener=Listener(receiver)))
        arena = Arena(store, board)
        steward = Steward(store, community, arena)
        await arena.start()
        await steward.start()
        try:
            yield Site(store, community, arena, steward)
        finally:
            await steward.close()
            await arena.close()


def run(folder: Path, course: Callable[[Site], Awaitable[None]], now: Callable[[], int] = clock) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60), site_in(folder, now) as site:
            await course(site)

    asyncio.run(bounded())


def test_engines_play_a_round_robin_that_anybody_can_check(tmp_path: Path, crowd: str) -> None:
    async def course(site: Site) -> None:
        oscar, ann = site.person("oscar", Role.ORGANISER), site.person("ann")
        cup = site.cup(oscar)
        published = read_draw(cup.proof)
        assert published is not None
        for path in ("play/1", "play/2", "play/3", "babble"):
            site.enter(ann, cup, f"{crowd}/{path}")
        await site.steward.begin(oscar, cup.id)
        found = await site.over(cup)
        assert found.progress.over
        assert len(found.progress.entries) == 6
        broken = {one for entry in found.progress.entries for one in entry.culprits}
        assert len(broken) == 1
        engine = next(one for one in site.community.engines.of(ann) if one.fault)
        assert engine.name == "ebabble"
        assert engine.fault is not None
        assert engine.fault.fields["kind"] == Reason("illegal-move"), engine.fault
        for row in site.store.matches(tournament=tournament_of(cup.id)):
            assert site.arena.sitting(row.name).state == "over"
            data = site.arena.record(row.name).text().encode()
            assert verify(data, given=site.arena.key.fingerprint).standing is Proof.VERIFIED
        assert found.plan.seed == house_seed(site.arena.key, cup.code).hex()
        assert commitment(bytes.fromhex(found.plan.seed)) == published.commitment

    run(tmp_path, course)


def test_a_house_that_closes_and_opens_again_plays_nothing_twice(tmp_path: Path, slow: str) -> None:
    numbers: list[CompetitionId] = []

    async def first(site: Site) -> None:
        oscar, ann = site.person("oscar", Role.ORGANISER), site.person("ann")
        cup = site.cup(oscar)
        numbers.append(cup.id)
        for number in range(5):
            site.enter(ann, cup, f"{slow}/play/{number}")
        await site.steward.begin(oscar, cup.id)
        await site.until(cup.id, lambda: len(results_of(site.store, tournament_of(cup.id))) >= 2)

    async def second(site: Site) -> None:
        cup = site.community.competitions.find(numbers[0])
        before = [row.name for row in site.store.matches(tournament=tournament_of(cup.id))]
        found = await site.over(cup)
        after = [row.name for row in site.store.matches(tournament=tournament_of(cup.id))]
        assert after[: len(before)] == before
        assert len(after) == len(set(after)) == len(found.progress.entries) == 10

    run(tmp_path, first)
    run(tmp_path, second)


def test_who_withdraws_loses_what_is_to_come_and_the_record_says_why(tmp_path: Path, slow: str) -> None:
    async def course(site: Site) -> None:
        oscar, ann, bob = site.person("oscar", Role.ORGANISER), site.person("ann"), site.person("bob")
        cup = site.cup(oscar, cycles=2)
        leaver = site.enter(bob, cup, f"{slow}/play/9")
        for number in range(3):
            site.enter(ann, cup, f"{slow}/play/{number}")
        await site.steward.begin(oscar, cup.id)
        await site.until(cup.id, lambda: bool(results_of(site.store, tournament_of(cup.id))))
        with pytest.raises(ForbiddenError):
            await site.steward.withdraw(ann, leaver.id)
        await site.steward.withdraw(bob, leaver.id)
        found = await site.over(cup)
        assert len(found.progress.entries) == 12
        gone = [one for one in found.progress.entries if one.result.reason == Reason("withdrew")]
        assert gone
        assert {one.result.termination for one in gone} == {Termination.DISCONNECTED}
        for row in site.store.matches(tournament=tournament_of(cup.id)):
            data = site.arena.record(row.name).text().encode()
            assert verify(data, given=site.arena.key.fingerprint).standing is Proof.VERIFIED

    run(tmp_path, course)


def test_a_match_that_the_house_abandons_is_played_again_and_at_last_waits(tmp_path: Path, slow: str) -> None:
    async def course(site: Site) -> None:
        oscar, ann = site.person("oscar", Role.ORGANISER), site.person("ann")
        cup = site.cup(oscar)
        for number in range(2):
            site.enter(ann, cup, f"{slow}/play/{number}")
        await site.steward.begin(oscar, cup.id)
        seen: set[str] = set()
        while len(seen) < 3:
            await site.until(cup.id, lambda: any(one.table and one.name not in seen for one in site.arena.playing()))
            name = next(one.name for one in site.arena.playing() if one.name not in seen)
            seen.add(name)
            site.arena.stop(name, Reason("quoted", text="the cat was on the keyboard"))
        await site.until(cup.id, lambda: bool(site.steward.trouble(cup.id)))
        assert gives(site.steward.trouble(cup.id), "game %(game)s was abandoned", times=3)
        with pytest.raises(ForbiddenError):
            await site.steward.again(ann, cup.id)
        await site.steward.again(oscar, cup.id)
        found = await site.over(cup)
        assert len(found.progress.entries) == 1
        assert len(list(site.store.matches(tournament=tournament_of(cup.id)))) == 4
        board = await Scoreboard(site.store, site.steward).show(site.community.competitions.find(cup.id))
        assert board is not None
        assert set(board.again[1]) == seen, "the page leads to what was abandoned"

    run(tmp_path, course)


async def pulled(site: Site, times: int) -> str:
    """Pull the plug of the one match that is being played so often, each time when it goes on; return its name."""
    name = ""
    for _ in range(times):
        while not (going := [one for one in site.arena.playing() if one.laid.is_set()]):
            site.steward.wake()
            await asyncio.sleep(0.01)
        assert name in ("", going[0].name), "the same match goes on"
        name = going[0].name
        assert going[0].task is not None
        going[0].task.cancel()
        while site.arena.look(name) is going[0]:
            await asyncio.sleep(0.001)
    return name


def test_a_match_of_a_competition_that_stops_goes_on_however_often(
    tmp_path: Path, slow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixtures, "REST_SECONDS", 0.001)

    async def course(site: Site) -> None:
        oscar = site.person("oscar", Role.ORGANISER)
        cup = site.cup(oscar)
        for number in range(2):
            site.enter(oscar, cup, f"{slow}/play/{number}")
        await site.steward.begin(oscar, cup.id)
        name = await pulled(site, fixtures.MOST_ATTEMPTS + 2)
        (game,) = (await site.over(cup)).progress.entries
        assert game.result.termination is Termination.RULES
        assert [row.name for row in site.store.matches(tournament=tournament_of(cup.id))] == [name]

    run(tmp_path, course)


@pytest.mark.parametrize(("times", "answer"), [(3, Reply.ACCEPTED), (4, Reply.FAILED)])
def test_a_match_of_a_challenge_that_stops_goes_on_three_times(
    tmp_path: Path, slow: str, monkeypatch: pytest.MonkeyPatch, times: int, answer: Reply
) -> None:
    monkeypatch.setattr(fixtures, "REST_SECONDS", 0.001)

    async def course(site: Site) -> None:
        ann, bob = site.person("ann"), site.person("bob")
        engines = site.community.engines
        one, two = (
            engines.add(who, game="tictactoe", name=f"{who.name}s", url=f"{slow}/play/1", style=DIRECT).id for who in (ann, bob)
        )
        proposed = site.community.challenges.propose(ann, one, two)
        site.community.challenges.accept(bob, proposed.id)
        name = await pulled(site, times)
        while site.store.match(name).verdict is None and site.community.challenges.of(ann)[0].answer is not Reply.FAILED:
            site.steward.wake()
            await asyncio.sleep(0.01)
        (row,) = site.community.challenges.of(ann)
        assert (row.answer, row.match) == (answer, name)
        assert site.steward.herald.fault(row) == (
            None if answer is Reply.ACCEPTED else Reason("the house could not play it to an end")
        )

    run(tmp_path, course)


def test_people_are_waited_for_where_a_clock_runs(tmp_path: Path) -> None:
    async def course(site: Site) -> None:
        oscar, ann, bob = site.person("oscar", Role.ORGANISER), site.person("ann"), site.person("bob")
        cup = site.cup(oscar, kind="people", clock="10m", seeding="listed")
        for one in (ann, bob):
            site.community.entries.enter(one, cup.id)
        await site.steward.begin(oscar, cup.id)
        await site.until(cup.id, lambda: site.steward.held(cup.id) is not None and bool(site.steward.held(cup.id).queue))  # type: ignore[union-attr]
        await site.steward.here(ann, cup.id, 1)
        with pytest.raises(ForbiddenError):
            await site.steward.here(oscar, cup.id, 1)
        assert not site.arena.playing()
        await site.steward.here(bob, cup.id, 1)
        await site.until(cup.id, lambda: bool(site.arena.playing()) and site.arena.playing()[0].table is not None)
        (live,) = site.arena.playing()
        assert {seat for one in (ann, bob) for seat in live.sitting.plan.seats_of(f"account:{one.id}")} == {0, 1}
        with pytest.raises(StageError):
            await site.steward.here(ann, cup.id, 1)
        loser = live.sitting.plan.seats_of(f"account:{bob.id}")
        site.arena.resign(live.name, min(loser))
        found = await site.over(cup)
        (entry,) = found.progress.entries
        assert entry.scores[min(loser)] == LOSS
        assert entry.scores[1 - min(loser)] == WIN

    run(tmp_path, course)


def test_a_game_of_a_competition_ends_where_both_say_how_it_stands(tmp_path: Path) -> None:
    async def course(site: Site) -> None:
        oscar, ann, bob = site.person("oscar", Role.ORGANISER), site.person("ann"), site.person("bob")
        cup = site.cup(oscar, kind="people", game="tictactoe", clock="none", agree="5/9 =0.1/2")
        for one in (ann, bob):
            site.community.entries.enter(one, cup.id)
        await site.steward.begin(oscar, cup.id)
        await site.until(cup.id, lambda: any(one.table for one in site.arena.playing()))
        (live,) = site.arena.playing()
        for number, cell in enumerate("1524"):
            seat = Seat(number % 2)
            await site.until(cup.id, lambda seat=seat: live.people[seat].position is not None)  # type: ignore[misc]
            await site.arena.answer(live.name, seat, live.people[seat].ticket, cell, "score=0.1")
        (entry,) = (await site.over(cup)).progress.entries
        assert entry.result.termination is Termination.ADJUDICATED
        assert entry.result.reason == Reason("agreed-level", moves=2, score="0.1")
        data = site.arena.record(live.name).text().encode()
        assert verify(data, given=site.arena.key.fingerprint).standing is Proof.VERIFIED

    run(tmp_path, course)


class Hands:
    """A clock whose hands a test moves."""

    def __init__(self) -> None:
        self.time = clock()

    def __call__(self) -> int:
        return self.time


def people(site: Site, *names: str) -> tuple[Competition, list[Account]]:
    """Announce a competition of people with a clock, who have entered."""
    oscar = site.person("oscar", Role.ORGANISER)
    cup = site.cup(oscar, kind="people", clock="10m", seeding="listed")
    players = [site.person(name) for name in names]
    for one in players:
        site.community.entries.enter(one, cup.id)
    return cup, players


def called(site: Site, cup: Competition) -> dict[int, int]:
    held = site.steward.held(cup.id)
    return {} if held is None else held.called


def test_who_is_there_is_remembered_and_who_does_not_come_loses(tmp_path: Path) -> None:
    hands = Hands()
    numbers: list[CompetitionId] = []

    async def first(site: Site) -> None:
        cup, (ann, _) = people(site, "ann", "bob")
        numbers.append(cup.id)
        await site.steward.begin(site.community.accounts.called("oscar"), cup.id)
        await site.until(cup.id, lambda: bool(called(site, cup)))
        await site.steward.here(ann, cup.id, 1)
        hands.time += 599

    async def second(site: Site) -> None:
        cup = site.community.competitions.find(numbers[0])
        bob = site.community.accounts.called("bob")
        await site.until(cup.id, lambda: bool(called(site, cup)))
        held = site.steward.held(cup.id)
        assert held is not None
        (fixture,) = held.queue
        assert held.waits_for(fixture) == (bob.id,), "ann said so before the house went away"
        assert held.until(fixture) == hands.time + 600, "a house that was away waits again"
        hands.time += 599
        site.steward.wake()
        await asyncio.sleep(0.05)
        assert not site.arena.playing()
        hands.time += 1
        site.steward.wake()
        found = await site.over(cup)
        (entry,) = found.progress.entries
        assert entry.result.termination is Termination.DISCONNECTED
        assert entry.result.reason == Reason("not-come", minutes=10)
        ann = site.community.accounts.called("ann")
        winner = next(one for one in fixture.seats if held.entry(one).owner == ann.id)
        assert (entry.score(winner), entry.culprits) == (WIN, tuple(one for one in fixture.seats if one != winner))
        data = site.arena.record(next(iter(site.store.matches(tournament=tournament_of(cup.id)))).name).text().encode()
        assert verify(data, given=site.arena.key.fingerprint).standing is Proof.VERIFIED
        assert site.community.arrivals.of(cup.id) == {}

    run(tmp_path, first, hands)
    run(tmp_path, second, hands)


def test_who_erases_himself_keeps_nobody_waiting(tmp_path: Path) -> None:
    async def course(site: Site) -> None:
        oscar, ann, bob = site.person("oscar", Role.ORGANISER), site.person("ann"), site.person("bob")
        cup = site.cup(oscar, kind="people", clock="none")
        for one in (ann, bob):
            site.community.entries.enter(one, cup.id)
        await site.steward.begin(oscar, cup.id)
        await site.until(cup.id, lambda: any(one.table for one in site.arena.playing()))
        site.community.erasure.erase(ann)
        found = await site.over(cup)
        (entry,) = found.progress.entries
        assert (entry.result.termination, entry.result.reason) == (Termination.DISCONNECTED, Reason("withdrew"))
        assert [found.plan.entrants[one].name for one in entry.culprits] == [ann.neutral]

    run(tmp_path, course)


def test_nobody_loses_because_the_clock_was_set_or_the_machine_slept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = Hands()

    async def course(site: Site) -> None:
        cup, _ = people(site, "ann", "bob")
        await site.steward.begin(site.community.accounts.called("oscar"), cup.id)
        await site.until(cup.id, lambda: bool(called(site, cup)))
        held = site.steward.held(cup.id)
        assert held is not None
        for hours in (3, -2):
            hands.time += 3600 * hours
            monkeypatch.setattr("arbitre.site.competitions.running.time", lambda ahead=hands.time: clock() + ahead)
            before = held.until(held.queue[0])
            site.steward.wake()
            await site.until(cup.id, lambda before=before: held.until(held.queue[0]) != before)  # type: ignore[misc]
            assert 590 <= held.until(held.queue[0]) - hands.time <= 602  # both clocks are rounded to seconds
            assert not site.arena.playing()

    monkeypatch.setattr("arbitre.site.competitions.running.time", lambda: clock() + hands.time)
    run(tmp_path, course, hands)


def test_where_neither_comes_both_lose_and_nobody_waits_while_he_plays(tmp_path: Path) -> None:
    """Three people, all games known at once: each is called to one at a time, and never while he plays."""
    hands = Hands()

    async def course(site: Site) -> None:
        cup, (ann, bob, carla) = people(site, "ann", "bob", "carla")
        await site.steward.begin(site.community.accounts.called("oscar"), cup.id)
        await site.until(cup.id, lambda: bool(called(site, cup)))
        held = site.steward.held(cup.id)
        assert held is not None
        busy = [one for fixture in held.queue if fixture.number in held.called for one in fixture.seats]
        assert len(busy) == len(set(busy)) == 2
        both = next(one for one in held.queue if {held.entry(seat).owner for seat in one.seats} == {ann.id, bob.id})
        for one in (ann, bob):
            await site.steward.here(one, cup.id, both.number)
        await site.until(cup.id, lambda: bool(site.arena.playing()) and site.arena.playing()[0].table is not None)
        await site.until(cup.id, lambda: not called(site, cup))
        hands.time += 10_000
        site.steward.wake()
        await asyncio.sleep(0.05)
        assert not held.results, "nobody is waited for while he plays"
        (live,) = site.arena.playing()
        site.arena.resign(live.name, min(live.sitting.plan.seats_of(f"account:{bob.id}")))
        for left in (2, 1):
            await site.until(cup.id, lambda: bool(called(site, cup)))
            assert len(held.queue) == left
            hands.time += 600
            site.steward.wake()
            await site.until(cup.id, lambda left=left: len(held.queue) < left)  # type: ignore[misc]
        found = await site.over(cup)
        missed = [one for one in found.progress.entries if one.fixture.number != both.number]
        assert [sum(one.scores) for one in missed] == [0, 0]
        assert {len(one.culprits) for one in missed} == {2}
        assert carla.id in {held.entry(one).owner for one in missed[0].culprits}

    run(tmp_path, course, hands)


def test_an_organiser_may_wait_without_end(tmp_path: Path) -> None:
    hands = Hands()

    async def course(site: Site) -> None:
        oscar, ann, bob = site.person("oscar", Role.ORGANISER), site.person("ann"), site.person("bob")
        plan = {**QUICK, "clock": "10m"}
        said = Announcement("Cup", plan, hands.time, hands.time + 60, kind="people", patience=0)
        cup = site.steward.announce(oscar, said)
        entry, _ = (site.community.entries.enter(one, cup.id) for one in (ann, bob))
        await site.steward.begin(oscar, cup.id)
        await site.until(cup.id, lambda: bool(called(site, cup)))
        hands.time += 10**6
        site.steward.wake()
        await asyncio.sleep(0.05)
        assert not site.arena.playing()
        await site.steward.withdraw(oscar, entry.id)
        (one,) = (await site.over(cup)).progress.entries
        assert one.result.reason == Reason("withdrew")

    run(tmp_path, course, hands)


def test_contestants_settle_the_draw_themselves(tmp_path: Path, crowd: str) -> None:
    async def course(site: Site) -> None:
        oscar, ann, bob = site.person("oscar", Role.ORGANISER), site.person("ann"), site.person("bob")
        cup = site.cup(oscar, "contestants")
        purpose = tournament_of(cup.id)
        mine, silent = site.enter(ann, cup, f"{crowd}/play/1"), site.enter(bob, cup, f"{crowd}/play/2")
        site.enter(ann, cup, f"{crowd}/play/3")
        terms = lot_terms(purpose)
        opening = new_opening(terms, mine.neutral, bytes(range(32)), 2)
        with pytest.raises(UnfitError):
            await site.steward.commit(mine, "nonsense")
        await site.steward.commit(mine, write_commit(terms, opening).hex())
        with pytest.raises(StageError):
            await site.steward.reveal(mine, write_reveal(terms, opening).hex())
        await site.steward.begin(oscar, cup.id)
        with pytest.raises(StageError):
            await site.steward.commit(silent, write_commit(terms, opening).hex())
        await asyncio.sleep(0.05)
        assert not site.store.tournaments()
        with pytest.raises(UnfitError):
            await site.steward.reveal(silent, write_reveal(terms, opening).hex())
        await site.steward.reveal(mine, write_reveal(terms, opening).hex())
        found = await site.over(cup)
        drawn = read_draw(site.community.competitions.find(cup.id).proof)
        assert drawn is not None
        path = tmp_path / "draw.jsonl"
        path.write_text(drawn.transcript)
        assert [one.name for one in found.plan.entrants] == list(order(path))
        assert found.plan.seed != house_seed(site.arena.key, cup.code).hex()

    run(tmp_path, course)


def order(path: Path) -> tuple[str, ...]:
    source = open_source(path)
    try:
        return order_of(source)
    finally:
        source.file.close()


def test_accepted_challenges_are_played_once(tmp_path: Path, crowd: str) -> None:
    async def course(site: Site) -> None:
        ann, bob = site.person("ann"), site.person("bob")
        one = site.community.engines.add(ann, game="tictactoe", name="one", url=f"{crowd}/play/1", style=DIRECT)
        two = site.community.engines.add(bob, game="tictactoe", name="two", url=f"{crowd}/play/2", style=DIRECT)
        proposed = site.community.challenges.propose(ann, one.id, two.id)
        site.community.challenges.accept(bob, proposed.id)
        site.steward.wake()
        while site.community.challenges.due():
            await asyncio.sleep(0.02)
        (played,) = site.community.challenges.of(ann)
        assert played.match is not None
        while site.arena.sitting(played.match).state != "over":
            await asyncio.sleep(0.02)
        plan = site.arena.sitting(played.match).plan
        assert [chair.name for chair in plan.chairs()] == [one.neutral, two.neutral]
        assert site.store.match(played.match).tournament == f"challenge-{proposed.id}"

    run(tmp_path, course)


def test_nobody_plays_alone(tmp_path: Path, crowd: str) -> None:
    async def course(site: Site) -> None:
        oscar = site.person("oscar", Role.ORGANISER)
        cup = site.cup(oscar)
        site.enter(oscar, cup, f"{crowd}/play/1")
        with raises(StageError, "alone"):
            await site.steward.begin(oscar, cup.id)

    run(tmp_path, course)


def test_a_cancelled_competition_is_left(tmp_path: Path, slow: str) -> None:
    async def course(site: Site) -> None:
        oscar = site.person("oscar", Role.ORGANISER)
        cup = site.cup(oscar, games=9)
        for number in range(2):
            site.enter(oscar, cup, f"{slow}/play/{number}")
        await site.steward.begin(oscar, cup.id)
        await site.until(cup.id, lambda: bool(site.arena.playing()) and site.arena.playing()[0].table is not None)
        site.community.competitions.cancel(oscar, cup.id)
        site.steward.wake()
        await site.until(cup.id, lambda: site.steward.held(cup.id) is None and not site.arena.playing())

    run(tmp_path, course)


def test_who_withdraws_before_the_draw_is_made_stays_in_it_and_keeps_nobody_waiting(tmp_path: Path, crowd: str) -> None:
    """Leaving when others have opened their Commits changes neither the order nor whether there is a competition at all."""

    async def course(site: Site) -> None:
        oscar, ann, bob = site.person("oscar", Role.ORGANISER), site.person("ann"), site.person("bob")
        cup = site.cup(oscar, "contestants")
        stays, leaves = site.enter(ann, cup, f"{crowd}/play/1"), site.enter(bob, cup, f"{crowd}/play/2")
        gone = site.enter(bob, cup, f"{crowd}/play/3")
        terms = lot_terms(tournament_of(cup.id))
        for number, one in enumerate((leaves, gone)):
            opening = new_opening(terms, one.neutral, bytes([number]) * 32, 2)
            await site.steward.commit(one, write_commit(terms, opening).hex())
        await site.steward.withdraw(bob, gone.id)  # in the second in which entries are closed, but before
        await site.steward.begin(oscar, cup.id)
        await asyncio.sleep(0.05)
        assert not site.store.tournaments(), "a Commit is waited for"
        await site.steward.withdraw(bob, leaves.id)
        found = await site.over(cup)
        assert [one.name for one in found.plan.entrants] == [stays.neutral, leaves.neutral], "who does not open comes last"
        (game,) = found.progress.entries
        assert (game.result.termination, game.result.reason) == (Termination.DISCONNECTED, Reason("withdrew"))
        assert found.standings.rows[0].contestant == 0

    run(tmp_path, course)


def test_a_competition_that_our_house_fails_in_keeps_no_other_waiting(
    tmp_path: Path, crowd: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def course(site: Site) -> None:
        oscar = site.person("oscar", Role.ORGANISER)
        bad, good = site.cup(oscar), site.cup(oscar)
        for cup in (bad, good):
            for number in range(2):
                site.enter(oscar, cup, f"{crowd}/play/{10 * cup.id + number}")
        refill, failing = RunningCompetition.refill, [True]

        async def fails(held: RunningCompetition) -> bool:
            if failing and held.competition.id == bad.id:
                raise RuntimeError("a secret of the house")
            return await refill(held)

        monkeypatch.setattr(RunningCompetition, "refill", fails)
        await site.steward.begin(oscar, bad.id)
        await site.steward.begin(oscar, good.id)
        await site.over(good)
        assert site.steward.trouble(bad.id) == STUMBLES
        assert [one.message for one in caplog.records].count(f"competition {bad.id} waits") == 1, "told once, not every second"
        failing.clear()
        await site.steward.again(oscar, bad.id)
        await site.over(bad)

    run(tmp_path, course)


def test_of_two_who_begin_at_once_one_is_told_that_it_runs(tmp_path: Path, crowd: str) -> None:
    async def course(site: Site) -> None:
        oscar, ann = site.person("oscar", Role.ORGANISER), site.person("ann")
        cup = site.cup(oscar)
        entries = [site.enter(ann, cup, f"{crowd}/play/{number}") for number in range(3)]
        begins = (site.steward.begin(oscar, cup.id) for _ in range(2))
        told = await asyncio.gather(*begins, site.steward.withdraw(ann, entries[2].id), return_exceptions=True)
        assert sorted(type(one).__name__ for one in told[:2]) == ["NoneType", "StageError"]
        found = await site.over(cup)
        assert len({one.fixture.number for one in found.progress.entries}) == found.progress.total

    run(tmp_path, course)


@pytest.mark.sqlite
def test_a_disk_that_is_full_is_told_once_and_costs_nobody_a_game(
    tmp_path: Path, slow: str, caplog: pytest.LogCaptureFixture
) -> None:
    cups = []

    async def filled(site: Site) -> None:
        oscar = site.person("oscar", Role.ORGANISER)
        cup = site.cup(oscar)
        cups.append(cup)
        for number in range(4):
            site.enter(oscar, cup, f"{slow}/play/{number}")
        await site.steward.begin(oscar, cup.id)
        await site.until(cup.id, lambda: len(site.arena.playing()) == 2)
        pages = site.store.rows("PRAGMA page_count")[0][0]
        assert isinstance(site.store.backend, SQLite)
        site.store.backend.writer.execute(f"PRAGMA max_page_count = {pages}")
        await site.until(cup.id, lambda: site.steward.trouble(cup.id) == FULL and not site.arena.playing())
        await asyncio.sleep(2 * TICK_SECONDS)  # nothing more is said of it: two looks are long enough to have said it again
        told = [one.message for one in caplog.records if one.name == "arbitre.competition"]
        assert len(told) == 1, "the log has no room to be filled with it either"
        assert told == [f"no game goes on: {site.store.failed}"]

    async def goes_on(site: Site) -> None:
        found = await site.over(cups[0])
        assert {one.result.termination for one in found.progress.entries} == {Termination.RULES}

    with raises(StoreError, "cannot be used", error="database or disk is full"):
        run(tmp_path, filled)
    run(tmp_path, goes_on)


# ── records that are kept until the end ────────────────────────────────────────────────────────────────────────────


def _states(site: Site) -> list[tuple[str, bool]]:
    """Return of every match whether it has a verdict, by its state, and whether it is sealed."""
    rows = list(site.store.matches())
    return [(site.arena.sitting(row.name).state, row.seal is not None) for row in rows if row.verdict is not None]


def test_records_that_are_kept_until_the_end_survive_a_restart_and_are_sealed_then(tmp_path: Path, slow: str) -> None:
    made: list[Competition] = []

    async def first(site: Site) -> None:
        oscar = site.person("oscar", Role.ORGANISER)
        cup = site.cup(oscar, games=4, records="after", concurrency=1)
        made.append(cup)
        for number in range(2):
            site.enter(oscar, cup, f"{slow}/play/{number}")
        await site.steward.begin(oscar, cup.id)
        await site.until(cup.id, lambda: _states(site).count(("decided", False)) >= 2)
        assert not any(sealed for _, sealed in _states(site))
        assert len(site.summary(cup).progress.entries) >= 2, "standings move"
        (name, *_) = [row.name for row in site.store.matches() if row.verdict is not None]
        scenes = [scene async for scene in site.arena.watch(name, "spectator")]
        assert scenes[-1].verdict is not None
        assert not scenes[-1].closed

    async def second(site: Site) -> None:
        (cup,) = made
        if site.community.competitions.find(cup.id).stage is not Stage.OVER:
            assert ("decided", False) in _states(site)
        await site.over(cup)
        await site.until(cup.id, lambda: not site.arena.kept_back() and len(_states(site)) == 4)
        assert _states(site) == [("over", True)] * 4
        for row in site.store.matches():
            record = site.store.record(row.name)
            assert verify(record.text().encode(), given=site.arena.key.fingerprint).standing is Proof.VERIFIED
            scenes = [scene async for scene in site.arena.watch(row.name, "spectator")]
            assert scenes[-1].closed

    run(tmp_path, first)
    run(tmp_path, second)


def test_a_competition_that_is_called_off_seals_what_it_kept_at_once(tmp_path: Path, slow: str) -> None:
    async def course(site: Site) -> None:
        oscar = site.person("oscar", Role.ORGANISER)
        cup = site.cup(oscar, games=40, records="after", concurrency=1)
        for number in range(2):
            site.enter(oscar, cup, f"{slow}/play/{number}")
        await site.steward.begin(oscar, cup.id)
        await site.until(cup.id, lambda: len(_states(site)) >= 1 and bool(site.arena.playing()))
        site.community.competitions.cancel(oscar, cup.id)
        site.steward.wake()
        await site.until(cup.id, lambda: not site.arena.playing() and not site.arena.kept_back())
        assert len(_states(site)) >= 2
        assert set(_states(site)) == {("over", True)}, "the one that was being played is abandoned, and sealed too"

    run(tmp_path, course)
