"""Added games in competitions and challenges: the external referee rules, whoever fails is named, and records alone prove it."""

import asyncio
import zipfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path

import pytest
from aiohttp import web

from arbitre.crypto.passwords import LIGHT
from arbitre.errors import ArbitreError, ForbiddenError, RecordError, StageError, TournamentError, UnfitError, UnknownError
from arbitre.games.added.rules import Added, AddedPair
from arbitre.games.catalogue import options_of
from arbitre.games.game import LOSS, WIN, Seat
from arbitre.hall import Hall
from arbitre.records.store import Store
from arbitre.referee.verdict import Termination, read_verdict
from arbitre.referee.verify import Proof, verify
from arbitre.site.accounts import Account, Role
from arbitre.site.added import AddedGame
from arbitre.site.challenges import Challenge, ChallengeId, Reply
from arbitre.site.community import Community
from arbitre.site.competitions.archive import archive
from arbitre.site.competitions.competitions import Announcement, Competition
from arbitre.site.competitions.draw import house_seed
from arbitre.site.competitions.drawing import tournament_of
from arbitre.site.competitions.judgement import judge_folder, told
from arbitre.site.database import Allowances
from arbitre.site.ratings import ranking, rated_labels
from arbitre.tournament import fixtures
from arbitre.tournament.config import read_kept_plan
from arbitre.tournament.fixtures import MOST_ATTEMPTS
from arbitre.tournament.summary import to_json
from tests.added import listening
from tests.reasons import gives, raises
from tests.site.test_arena import speak
from tests.site.test_competition import DIRECT, Site, run, site_in
from tests.tournoyons.test_referee import free_port, good, redirect

HEXAPAWN = Added(key="Hexapawn", board="222000111")


@pytest.fixture(autouse=True)
def _rested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixtures, "REST_SECONDS", 0.01)


def kept(
    community: Community, by: Account, rules: Added, url: str = "http://r.org/r", *, framed: bool = False, public: bool = True
) -> AddedGame:
    """Add a game."""
    page, engine = f"{url}/page", f"{url}/engine"
    return community.added.add(by, rules, url=url, engine=engine, interface=page, about="a sheet", framed=framed, public=public)


def added(site: Site, by: Account, url: str, rules: Added = HEXAPAWN, *, framed: bool = False) -> AddedGame:
    return kept(site.community, by, rules, url, framed=framed)


def cup(site: Site, by: Account, rules: Added = HEXAPAWN, **keys: object) -> Competition:
    return site.cup(by, **{"game": rules.name, "options": options_of(rules), "clock": "4s/move", **keys})  # type: ignore[arg-type]


def enter(site: Site, by: Account, found: Competition, name: str, url: str) -> None:
    engine = site.community.engines.add(by, game=found.game, name=name, url=url, style=DIRECT)
    site.community.entries.enter(by, found.id, engine.id)


def handed_out(site: Site, found: Competition, folder: Path) -> Path:
    """Unpack what the site hands out."""
    proof = site.community.competitions.find(found.id).proof or ""
    body = archive(site.store, tournament_of(found.id), proof, house_seed(site.arena.key, found.code))
    with zipfile.ZipFile(BytesIO(body)) as file:
        file.extractall(folder)
    return folder


@pytest.mark.parametrize("way", ["referee", "calls"])
def test_four_engines_compete_and_the_records_alone_give_the_same(tmp_path: Path, example: str, pawns: str, way: str) -> None:
    async def course(site: Site) -> None:
        oscar, ann, bob = site.person("oscar", Role.ORGANISER), site.person("ann"), site.person("bob")
        added(site, bob, f"{example}/hexapawn/{way}")
        found = cup(site, oscar)
        assert found.game == "added:Hexapawn"
        enter(site, ann, found, "Model", f"{example}/hexapawn/engine")
        for owner, name, path in ((ann, "One", "play/1"), (bob, "Two", "play/2"), (bob, "Cheat", "cheat")):
            enter(site, owner, found, name, f"{pawns}/{path}")
        await site.steward.begin(oscar, found.id)
        summary = await site.over(found)
        assert len(summary.progress.entries) == 6
        assert {entry.result.termination for entry in summary.progress.entries} == {Termination.RULES, Termination.ILLEGAL_MOVE}
        broken = {one.name: one.fault for who in (ann, bob) for one in site.community.engines.of(who) if one.fault}
        assert list(broken) == ["Cheat"]
        assert gives(broken["Cheat"], "referee-refused"), broken
        for row in site.store.matches(tournament=tournament_of(found.id)):
            checked = verify(site.arena.record(row.name).text().encode(), given=site.arena.key.fingerprint)
            assert checked.standing is Proof.ATTESTED, checked.line
        judged = judge_folder(handed_out(site, found, tmp_path / "out"))
        assert to_json(judged.summary)["standings"] == to_json(summary)["standings"]
        assert (judged.records, judged.abandoned, judged.referee) == (6, 0, "Hexapawn")
        assert any(gives(line, "what the referee of %(game)s said", game="Hexapawn") for line in told(judged))
        rated = ranking(site.store, found.game)
        assert rated.games == 6
        assert [one.games for one in rated.standings] == [3, 3, 3, 3]
        assert sum(one.faults for one in rated.standings) == 3
        assert all(one.mean is not None for one in rated.standings)
        assert rated_labels(site.store) == {"added:Hexapawn"}
        assert ranking(site.store, "added:Other").games == 0

    run(tmp_path / "data", course)


@pytest.mark.parametrize(
    ("rules", "programs"), [(Added(key="Odds", simultaneous=True), "odds"), (AddedPair(key="Digits"), "digits")]
)
def test_moves_at_once_and_two_boards_compete_too(tmp_path: Path, example: str, rules: Added, programs: str) -> None:
    async def course(site: Site) -> None:
        oscar = site.person("oscar", Role.ORGANISER)
        added(site, oscar, f"{example}/{programs}/referee", rules)
        found = cup(site, oscar, rules, turns=200)
        for number in range(2):
            enter(site, oscar, found, f"Model{number}", f"{example}/{programs}/engine")
        await site.steward.begin(oscar, found.id)
        summary = await site.over(found)
        judged = judge_folder(handed_out(site, found, tmp_path / "out"))
        assert to_json(judged.summary)["standings"] == to_json(summary)["standings"]

    run(tmp_path / "data", course)


class Moody:
    """A referee who lets the first player win at once, unless he fails."""

    def __init__(self, fails: Callable[[int], bool]) -> None:
        self.fails = fails
        self.asked = 0
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked += 1
        if self.fails(self.asked):
            return web.Response(status=500, text="not today")
        query = dict(request.query)
        return redirect(query, good(query) | {"ReturnCode": "1"})

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        runner = await listening(self.handle, self.port)
        try:
            yield
        finally:
            await runner.cleanup()


def test_a_game_in_which_the_referee_failed_is_played_again(tmp_path: Path, pawns: str) -> None:
    moody = Moody(lambda asked: asked in (1, 4))

    async def course(site: Site) -> None:
        oscar, ann = site.person("oscar", Role.ORGANISER), site.person("ann")
        added(site, ann, moody.url)
        found = cup(site, oscar, concurrency=1)
        for number in (1, 2, 3):
            enter(site, ann, found, f"Pawn{number}", f"{pawns}/play/{number}")
        async with moody.at_work():
            await site.steward.begin(oscar, found.id)
            summary = await site.over(found)
        assert moody.asked == 5
        assert all(entry.result.termination is Termination.RULES for entry in summary.progress.entries)
        assert not any(engine.fault for engine in site.community.engines.of(ann))
        judged = judge_folder(handed_out(site, found, tmp_path / "out"))
        assert (judged.records, judged.abandoned) == (5, 2)
        assert to_json(judged.summary)["standings"] == to_json(summary)["standings"]

    run(tmp_path / "data", course)


def test_a_referee_who_always_fails_is_named_and_the_competition_waits(tmp_path: Path, pawns: str) -> None:
    well = False
    moody = Moody(lambda _: not well)

    async def course(site: Site) -> None:
        nonlocal well
        oscar, ann = site.person("oscar", Role.ORGANISER), site.person("ann")
        added(site, ann, moody.url)
        found = cup(site, oscar)
        for number in (1, 2):
            enter(site, ann, found, f"Pawn{number}", f"{pawns}/play/{number}")
        async with moody.at_work():
            await site.steward.begin(oscar, found.id)
            await site.until(found.id, lambda: bool(site.steward.trouble(found.id)))
            assert moody.asked == MOST_ATTEMPTS
            trouble = site.steward.trouble(found.id)
            assert gives(trouble, "was abandoned", game=1, times=MOST_ATTEMPTS)
            assert gives(trouble, "the external referee")
            assert gives(trouble, "status-instead", status=500)
            well = True
            await site.steward.again(oscar, found.id)
            summary = await site.over(found)
        assert all(entry.result.termination is Termination.RULES for entry in summary.progress.entries)

    run(tmp_path / "data", course)


def test_a_house_that_comes_back_counts_what_the_referee_failed_before(tmp_path: Path, pawns: str) -> None:
    moody = Moody(lambda _: True)

    async def course() -> None:
        async with asyncio.timeout(60), moody.at_work():
            async with site_in(tmp_path) as site:
                oscar = site.person("oscar", Role.ORGANISER)
                added(site, oscar, moody.url)
                found = cup(site, oscar)
                for number in (1, 2):
                    enter(site, oscar, found, f"Pawn{number}", f"{pawns}/play/{number}")
                await site.steward.begin(oscar, found.id)
                await site.until(found.id, lambda: bool(site.steward.trouble(found.id)))
            asked = moody.asked
            async with site_in(tmp_path) as site:
                await site.until(found.id, lambda: bool(site.steward.trouble(found.id)))
                assert gives(site.steward.trouble(found.id), "the external referee")
                assert gives(site.steward.trouble(found.id), "status-instead", status=500)
                assert moody.asked == asked

    asyncio.run(course())


def test_a_game_that_is_retired_stops_its_competitions(tmp_path: Path, example: str, pawns: str) -> None:
    async def course(site: Site) -> None:
        oscar, ann = site.person("oscar", Role.ORGANISER), site.person("ann")
        game = added(site, ann, f"{example}/hexapawn/referee")
        found = cup(site, oscar)
        for number in (1, 2):
            enter(site, ann, found, f"Pawn{number}", f"{pawns}/play/{number}")
        site.community.added.retire(ann, game.id)
        await site.steward.begin(oscar, found.id)
        await site.until(found.id, lambda: bool(site.steward.trouble(found.id)))
        assert gives(site.steward.trouble(found.id), "%(called)s is retired", game=1, called="Hexapawn")
        site.community.competitions.cancel(oscar, found.id)

    run(tmp_path, course)


def test_a_game_that_is_retired_on_the_way_ends_what_is_played_and_begins_nothing(tmp_path: Path, pawns: str) -> None:
    """Who retires it while its referee thinks takes nothing back: what is played has a result, the next game a reason."""

    async def course(site: Site) -> None:
        oscar, ann = site.person("oscar", Role.ORGANISER), site.person("ann")

        def retires(_asked: int) -> bool:
            if site.community.added.find(game.id).retired is None:
                site.community.added.retire(ann, game.id)
            return False

        moody = Moody(retires)
        game = added(site, ann, moody.url)
        found = cup(site, oscar, concurrency=1)
        for number in (1, 2, 3):
            enter(site, ann, found, f"Pawn{number}", f"{pawns}/play/{number}")
        async with moody.at_work():
            await site.steward.begin(oscar, found.id)
            await site.until(found.id, lambda: bool(site.steward.trouble(found.id)))
        assert gives(site.steward.trouble(found.id), "%(called)s is retired", called="Hexapawn")
        assert moody.asked == 1
        rows = [row.verdict for row in site.store.matches(tournament=tournament_of(found.id))]
        assert [read_verdict(text).termination for text in rows if text] == [Termination.RULES]
        site.community.competitions.cancel(oscar, found.id)

    run(tmp_path, course)


def test_what_no_competition_can_be_of(tmp_path: Path) -> None:
    with Community(tmp_path, Allowances(work=LIGHT)) as community:
        oscar = community.accounts.create("oscar", "correct horse battery", Role.ORGANISER)
        ann = community.accounts.create("ann", "correct horse battery")
        kept(community, ann, HEXAPAWN)
        kept(community, ann, Added(key="Framed"), framed=True)
        kept(community, ann, Added(key="Private"), public=False)
        old = kept(community, ann, Added(key="Retired"))
        community.added.retire(ann, old.id)
        now = community.database.now()

        def announce(game: str, **options: object) -> Competition:
            plan = {"game": game, "options": options, "format": "swiss"}
            return community.competitions.announce(oscar, Announcement("Cup", plan, now, now + 60))

        wrong: list[tuple[type[ArbitreError], dict[str, object]]] = [
            (UnfitError, {"game": "added", "key": "Hexapawn", "board": "111"}),
            (UnfitError, {"game": "addedpair", "key": "Hexapawn"}),
            (UnfitError, {"game": "added", "key": "Framed"}),
            (UnknownError, {"game": "added", "key": "Private"}),
            (UnknownError, {"game": "added", "key": "Retired"}),
            (UnknownError, {"game": "added", "key": "Nothing"}),
            (UnknownError, {"game": "added"}),
        ]
        for error, said in wrong:
            with pytest.raises(error):
                announce(**said)  # type: ignore[arg-type]
        found = announce("added", key="Hexapawn", board="222000111")
        engine = community.engines.add(ann, game="tictactoe", name="Other", url="http://e.org/")
        with pytest.raises(ForbiddenError):
            community.entries.enter(ann, found.id, engine.id)


def test_what_no_engine_is_for(tmp_path: Path) -> None:
    with Community(tmp_path, Allowances(work=LIGHT)) as community:
        ann = community.accounts.create("ann", "correct horse battery")
        bob = community.accounts.create("bob", "correct horse battery")
        own = kept(community, ann, HEXAPAWN, public=False)
        for label in ("added:Hexapawn", "added:", "added:a b", "added:" + "x" * 50, "added:Nothing"):
            with pytest.raises(UnknownError):
                community.engines.add(bob, game=label, name="Mine", url="http://e.org/")
        for label in ("added", "addedpair"):
            with pytest.raises(UnfitError):
                community.interfaces.add(bob, game=label, name="Mine", url="http://e.org/")
        assert community.engines.add(ann, game="added:hexapawn", name="Mine", url="http://e.org/").game == own.label
        community.added.retire(ann, own.id)
        with pytest.raises(UnknownError):
            community.engines.add(ann, game=own.label, name="Late", url="http://e.org/")


def test_who_erases_himself_leaves_no_name_for_others_to_take(tmp_path: Path) -> None:
    with Community(tmp_path, Allowances(work=LIGHT)) as community:
        ann = community.accounts.create("ann", "correct horse battery")
        bob = community.accounts.create("bob", "correct horse battery")
        used, unused = (kept(community, ann, Added(key=key)) for key in ("Used", "Unused"))
        engine = community.engines.add(bob, game=used.label, name="Mine", url="http://e.org/")
        community.erasure.erase(ann)
        assert community.engines.find(engine.id).game == "added:Used"
        left = community.added.find(used.id)
        assert (left.url, left.engine, left.interface, left.about, left.public) == ("", "", "", "", False)
        assert left.retired is not None
        with pytest.raises(UnknownError):
            community.added.find(unused.id)
        with pytest.raises(ArbitreError):
            kept(community, bob, Added(key="Used"))
        assert kept(community, bob, Added(key="Unused")).owner == bob.id


def test_owners_challenge_each_other_in_an_added_game(tmp_path: Path, example: str, pawns: str) -> None:
    async def course(site: Site) -> None:
        ann, bob = site.person("ann"), site.person("bob")
        game = added(site, bob, f"{example}/hexapawn/referee")
        framed = added(site, bob, f"{example}/hexapawn/framed", Added(key="Framed"), framed=True)
        engines = site.community.engines

        def pair(label: str) -> list[int]:
            urls = ((ann, f"{pawns}/play/1"), (bob, f"{example}/hexapawn/engine"))
            return [engines.add(who, game=label, name=f"{who.name}-e", url=url, style=DIRECT).id for who, url in urls]

        mine, theirs = pair(game.label)
        proposed = site.community.challenges.propose(ann, mine, theirs)  # type: ignore[arg-type]
        site.community.challenges.accept(bob, proposed.id)
        site.steward.wake()
        while not (row := site.community.challenges.of(ann)[0]).match or site.store.match(row.match).verdict is None:
            await asyncio.sleep(0.02)
        checked = verify(site.arena.record(row.match).text().encode(), given=site.arena.key.fingerprint)
        assert checked.standing is Proof.ATTESTED, checked.line
        assert ranking(site.store, game.label).games == 1
        one, other = pair(framed.label)
        with pytest.raises(ForbiddenError):
            site.community.challenges.propose(ann, one, other)  # type: ignore[arg-type]
        again = site.community.challenges.propose(ann, mine, theirs)  # type: ignore[arg-type]
        site.community.added.retire(bob, game.id)
        site.community.challenges.accept(bob, again.id)
        site.steward.wake()
        while site.community.challenges.of(ann)[0].answer is not Reply.FAILED:
            await asyncio.sleep(0.02)

    run(tmp_path, course)


def test_people_compete_before_an_external_referee(tmp_path: Path, example: str) -> None:
    async def course(site: Site) -> None:
        oscar, ann, bob = site.person("oscar", Role.ORGANISER), site.person("ann"), site.person("bob")
        added(site, oscar, f"{example}/hexapawn/calls")
        found = cup(site, oscar, kind="people", clock="none")
        for one in (ann, bob):
            site.community.entries.enter(one, found.id)
        await site.steward.begin(oscar, found.id)
        while not any(len(live.people) == 2 for live in site.arena.playing()):
            await asyncio.sleep(0.01)
        name = site.arena.playing()[0].name
        for seat, move in ((0, "A2A1"), (1, "B0A1"), (0, "B2A1"), (1, "C0C1")):  # and he cannot move
            await speak(site.arena, name, Seat(seat), move)
        summary = await site.over(found)
        assert summary.progress.entries[0].scores == (LOSS, WIN), summary.progress.entries[0].result.reason
        judged = judge_folder(handed_out(site, found, tmp_path / "out"))
        assert to_json(judged.summary)["standings"] == to_json(summary)["standings"]

    run(tmp_path / "data", course)


def test_who_does_not_come_loses_without_the_referee(tmp_path: Path, example: str, pawns: str) -> None:
    async def course(site: Site) -> None:
        oscar = site.person("oscar", Role.ORGANISER)
        added(site, oscar, f"{example}/hexapawn/referee")
        found = cup(site, oscar, concurrency=1)
        for number in (1, 2, 3):
            enter(site, oscar, found, f"Pawn{number}", f"{pawns}/play/{number}")
        site.community.engines.retire(oscar, site.community.engines.of(oscar)[1].id)
        await site.steward.begin(oscar, found.id)
        summary = await site.over(found)
        judged = judge_folder(handed_out(site, found, tmp_path / "out"))
        assert to_json(judged.summary)["standings"] == to_json(summary)["standings"]
        how = sorted(entry.result.termination for entry in summary.progress.entries)
        assert how == [Termination.DISCONNECTED, Termination.DISCONNECTED, Termination.RULES]

    run(tmp_path / "data", course)


def test_nobody_changes_what_the_referee_said(tmp_path: Path, example: str, pawns: str) -> None:
    async def course(site: Site) -> None:
        oscar = site.person("oscar", Role.ORGANISER)
        added(site, oscar, f"{example}/hexapawn/referee")
        found = cup(site, oscar)
        for number in (1, 2):
            enter(site, oscar, found, f"Pawn{number}", f"{pawns}/play/{number}")
        await site.steward.begin(oscar, found.id)
        await site.over(found)
        out = handed_out(site, found, tmp_path / "out")
        path = next((out / "records").iterdir())
        text = path.read_text()
        for changed in (text.replace("ReturnCode=1", "ReturnCode=2"), text.replace("referee:Hexapawn", "referee:Other")):
            if changed != text:
                path.write_text(changed)
                with pytest.raises(RecordError):
                    judge_folder(out)

    run(tmp_path / "data", course)


def test_no_tournament_of_an_added_game_is_held_without_its_referee(tmp_path: Path) -> None:
    players = [{"name": name, "player": name} for name in ("a", "b")]
    store = Store(tmp_path)
    try:
        plan = read_kept_plan(f'{{"game":"added","players":{str(players).replace(chr(39), chr(34))},"seed":"1"}}')
        with raises(TournamentError, "its own referee"):
            Hall(store, "cup", plan, (), "2026-01-01")
    finally:
        store.close()


def test_a_game_that_was_changed_under_its_name_is_not_played(tmp_path: Path) -> None:
    with Community(tmp_path, Allowances(work=LIGHT)) as community:
        ann = community.accounts.create("ann", "correct horse battery")
        kept(community, ann, HEXAPAWN)
        assert community.added.judges(HEXAPAWN).name == "Hexapawn"
        with raises(StageError, "another game now"):
            community.added.judges(Added(key="Hexapawn"))
        with raises(StageError, "not there"):
            community.added.judges(Added(key="Nothing"))


def challenged(site: Site, pawns: str, game: AddedGame) -> tuple[Account, ChallengeId]:
    """Let Ann's engine challenge Carl's, who accepts."""
    ann, carl = site.person("ann"), site.person("carl")
    mine, theirs = (
        site.community.engines.add(who, game=game.label, name=f"{who.name}-e", url=f"{pawns}/play/1", style=DIRECT).id
        for who in (ann, carl)
    )
    proposed = site.community.challenges.propose(ann, mine, theirs)
    site.community.challenges.accept(carl, proposed.id)
    site.steward.wake()
    return ann, proposed.id


async def settled(site: Site, by: Account) -> Challenge:
    """Wait until a challenge has a result, or has failed."""
    while True:
        site.steward.wake()
        (row,) = site.community.challenges.of(by)
        if row.answer is Reply.FAILED:
            return row
        verdict = site.store.match(row.match).verdict if row.match else None
        if verdict is not None and read_verdict(verdict).scores is not None:
            return row
        await asyncio.sleep(0.02)


def test_a_challenge_in_which_the_referee_failed_is_played_again(tmp_path: Path, pawns: str) -> None:
    moody = Moody(lambda asked: asked <= 2)

    async def course(site: Site) -> None:
        game = added(site, site.person("bob"), moody.url)
        async with moody.at_work():
            ann, number = challenged(site, pawns, game)
            row = await settled(site, ann)
        assert (row.answer, moody.asked) == (Reply.ACCEPTED, 3)
        assert site.steward.herald.fault(row) is None
        names = [one.name for one in site.store.matches(tournament=f"challenge-{number}")]
        assert len(set(names)) == 3
        assert names[-1] == row.match
        assert ranking(site.store, game.label).games == 1, "who fails to judge costs nobody anything"

    run(tmp_path, course)


def test_a_challenge_whose_referee_always_fails_is_named_with_the_reason(tmp_path: Path, pawns: str) -> None:
    moody = Moody(lambda _: True)

    async def course() -> None:
        async with asyncio.timeout(60), moody.at_work():
            async with site_in(tmp_path) as site:
                game = added(site, site.person("bob"), moody.url)
                ann, _ = challenged(site, pawns, game)
                row = await settled(site, ann)
                assert (row.answer, moody.asked) == (Reply.FAILED, MOST_ATTEMPTS)
                assert gives(site.steward.herald.fault(row), "the external referee")
                assert gives(site.steward.herald.fault(row), "status-instead", status=500)
                assert not any(engine.fault for engine in site.community.engines.of(ann))
            async with site_in(tmp_path) as site:  # who comes back does not begin anew
                await site.steward.herald.look()
                assert site.community.challenges.due() == ()
                assert moody.asked == MOST_ATTEMPTS

    asyncio.run(course())


def test_a_house_that_comes_back_plays_a_challenge_again_that_had_come_to_nothing(tmp_path: Path, pawns: str) -> None:
    moody = Moody(lambda asked: asked == 1)

    async def course() -> None:
        async with asyncio.timeout(60), moody.at_work():
            async with site_in(tmp_path) as site:
                game = added(site, site.person("bob"), moody.url)
                ann, number = challenged(site, pawns, game)
                while not (row := site.community.challenges.of(ann)[0]).match or site.store.match(row.match).verdict is None:
                    await asyncio.sleep(0.01)
                await site.steward.close()  # it goes away with the match sealed, before or after it was looked at
            async with site_in(tmp_path) as site:
                row = await settled(site, ann)
                assert row.answer is Reply.ACCEPTED
                assert len(list(site.store.matches(tournament=f"challenge-{number}"))) == 2

    asyncio.run(course())
