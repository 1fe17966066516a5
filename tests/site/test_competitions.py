"""Competitions: announced by those who may, entered by those who may, voted for by anybody but the owner."""

from dataclasses import replace

import pytest

from arbitre.errors import (
    ArbitreError,
    ExpiredError,
    ForbiddenError,
    QuotaError,
    StageError,
    TournamentError,
    UnfitError,
    UnknownError,
)
from arbitre.site.accounts import Account, Role
from arbitre.site.challenges import Reply
from arbitre.site.community import Community
from arbitre.site.competitions.competitions import Announcement, Competition, Stage
from arbitre.site.engines import Engine
from arbitre.tournament.swiss import Swiss
from tests.reasons import raises
from tests.site.conftest import Clock, person

NOW = Clock().now
HOUR = 3_600
PLAN = {"game": "reversi", "format": "swiss", "rounds": 3, "clock": "4s/move", "seeding": "lot"}
CUP = Announcement("The Cup", PLAN, NOW, NOW + HOUR, about="Bring your own engine.\nTea is served.")


@pytest.fixture
def organiser(house: Community) -> Account:
    return person(house, "oscar", Role.ORGANISER)


@pytest.fixture
def cup(house: Community, organiser: Account) -> Competition:
    return house.competitions.announce(organiser, CUP)


def engine(house: Community, owner: Account, name: str, game: str = "reversi") -> Engine:
    return house.engines.add(owner, game=game, name=name, url="http://bots.example/x")


def test_a_competition_from_announcement_to_end(
    house: Community, organiser: Account, ann: Account, bob: Account, clock: Clock
) -> None:
    cup = house.competitions.announce(organiser, replace(CUP, opens=NOW + 60))
    assert (cup.stage, cup.game, cup.announcement.plan) == (Stage.ANNOUNCED, "reversi", PLAN)
    red, blue = engine(house, ann, "red"), engine(house, bob, "blue")
    with raises(StageError, "it takes no entries", stage="announced"):
        house.entries.enter(ann, cup.id, red.id)
    assert house.competitions.due() == ()
    clock.now += 60
    assert house.competitions.due() == (cup,)
    assert house.competitions.open(None, cup.id).stage is Stage.OPEN
    first = house.entries.enter(ann, cup.id, red.id)
    with raises(StageError, "at least two"):
        house.competitions.start(organiser, cup.id, "cup-1")
    house.entries.enter(bob, cup.id, blue.id)
    assert [one.name for one in house.entries.of(cup.id)] == ["red", "blue"]
    clock.now += HOUR
    (due,) = house.competitions.due()
    plan = house.entries.plan(due, "cup-1")
    assert isinstance(plan.format, Swiss)
    assert [one.name for one in plan.entrants] == [red.neutral, blue.neutral]
    running = house.competitions.start(None, cup.id, "cup-1", proof="{}")
    assert (running.stage, running.tournament, running.proof) == (Stage.RUNNING, "cup-1", "{}")
    with pytest.raises(StageError):
        house.competitions.change(organiser, cup.id, CUP)
    assert house.entries.withdraw(ann, first.id).withdrawn == clock.now
    assert house.competitions.finish(cup.id).stage is Stage.OVER
    with pytest.raises(StageError):
        house.competitions.cancel(organiser, cup.id)
    with pytest.raises(StageError):
        house.entries.withdraw(organiser, first.id)
    assert house.competitions.due() == ()


@pytest.mark.parametrize(
    "bad",
    [
        {"title": ""}, {"title": "x" * 101}, {"about": "x" * 5_000}, {"about": "\x1b[2J"},
        {"begins": NOW - 1}, {"opens": NOW + 2 * HOUR}, {"begins": 10**12}, {"each": 0},
        {"kind": "aliens"}, {"access": "friends"}, {"access": "class"}, {"klass": 1},
        {"plan": {}}, {"plan": {"game": "chess-boxing"}}, {"plan": PLAN | {"rounds": -1}}, {"plan": PLAN | {"players": []}},
        {"plan": PLAN | {"x": 1}}, {"plan": PLAN | {"clock": "soon"}}, {"plan": PLAN | {"name": "x"}},
        {"plan": PLAN | {"starts": ["nonsense"]}}, {"plan": PLAN | {"seed": "x" * 10**6}},
    ],
)  # fmt: skip
def test_announcements_that_make_no_sense(house: Community, organiser: Account, bad: dict[str, object]) -> None:
    with pytest.raises((UnfitError, TournamentError)):
        house.competitions.announce(organiser, replace(CUP, **bad))  # type: ignore[arg-type]
    assert house.competitions.all(by=organiser) == ()


def test_only_the_organiser_changes_it(house: Community, cup: Competition, ann: Account, operator: Account) -> None:
    with raises(ForbiddenError, "this needs the role of", role="organiser"):
        house.competitions.announce(ann, CUP)
    with pytest.raises(ForbiddenError):
        house.competitions.change(ann, cup.id, CUP)
    for deed in (house.competitions.open, house.competitions.cancel, house.competitions.remove):
        with pytest.raises(ForbiddenError):
            deed(ann, cup.id)
    assert house.competitions.change(operator, cup.id, replace(CUP, title="The Mug")).announcement.title == "The Mug"
    with raises(StageError, "its game, and whether"):
        house.competitions.change(operator, cup.id, replace(CUP, plan=PLAN | {"game": "pente"}))
    with pytest.raises(StageError):
        house.competitions.remove(operator, cup.id)
    house.competitions.cancel(operator, cup.id)
    house.competitions.remove(operator, cup.id)
    with pytest.raises(UnknownError):
        house.competitions.find(cup.id)


def test_who_may_enter_what(house: Community, cup: Competition, ann: Account, bob: Account) -> None:
    red, pente = engine(house, ann, "red"), engine(house, ann, "five", "pente")
    with raises(UnknownError, "you have no engine"):
        house.entries.enter(bob, cup.id, red.id)
    with raises(ForbiddenError, "the competition is of", game="pente"):
        house.entries.enter(ann, cup.id, pente.id)
    with raises(ForbiddenError, "for engines"):
        house.entries.enter(ann, cup.id)
    entry = house.entries.enter(ann, cup.id, red.id)
    with pytest.raises(ArbitreError):
        house.entries.enter(ann, cup.id, red.id)
    second = engine(house, ann, "second")
    with raises(QuotaError, "may take part: withdraw one first", each=1):
        house.entries.enter(ann, cup.id, second.id)
    with raises(ForbiddenError, "owner or the organiser"):
        house.entries.withdraw(bob, entry.id)
    house.entries.withdraw(ann, entry.id)
    house.entries.enter(ann, cup.id, second.id)
    house.entries.withdraw(ann, house.entries.of(cup.id)[0].id)
    assert house.entries.enter(ann, cup.id, red.id).id == entry.id, "who comes back has the same entry"
    house.engines.retire(ann, second.id)
    with pytest.raises(UnknownError):
        house.entries.enter(ann, cup.id, second.id)
    assert [one.id for one in house.entries.by(ann)][-1] == entry.id


def test_people_by_link(house: Community, organiser: Account, ann: Account, bob: Account) -> None:
    party = house.competitions.announce(organiser, replace(CUP, kind="people", access="link", listed=False))
    assert house.competitions.all() == house.competitions.all(by=ann) == ()
    with pytest.raises(UnknownError):
        house.competitions.get(party.id, ann)
    with pytest.raises(UnknownError):
        house.competitions.cancel(ann, party.id)
    assert house.competitions.linked(party.code.lower()) == party
    for code in ("", "A" * 26, "x"):
        with pytest.raises(ExpiredError):
            house.entries.enter(ann, party.id, code=code)
        with pytest.raises(ExpiredError):
            house.competitions.linked(code)
    entry = house.entries.enter(ann, party.id, code=party.code)
    assert (entry.name, entry.neutral, entry.engine) == ("ann", ann.neutral, None)
    assert house.competitions.get(party.id, ann) == party
    assert house.competitions.all(by=ann) == (party,)
    with raises(ForbiddenError, "for people"):
        house.entries.enter(bob, party.id, engine(house, bob, "blue").id, code=party.code)


def test_a_class_among_itself(house: Community, ann: Account, bob: Account) -> None:
    teacher, other = person(house, "tessa", Role.TEACHER), person(house, "theo", Role.TEACHER)
    klass = house.classes.create(teacher, "Terminale B")
    said = replace(CUP, kind="people", access="class", klass=klass.id, listed=False)
    with raises(UnknownError, "you teach no class"):
        house.competitions.announce(other, said)
    cup = house.competitions.announce(teacher, said)
    house.classes.join(ann, klass.code)
    assert house.competitions.all(by=ann) == (cup,)
    assert house.competitions.get(cup.id, ann) == cup
    house.entries.enter(ann, cup.id)
    house.entries.enter(teacher, cup.id)
    with raises(ForbiddenError, "for a class"):
        house.entries.enter(bob, cup.id, code=cup.code)
    house.classes.end(teacher, klass.id)
    assert house.competitions.find(cup.id).announcement.access == "link"
    house.entries.enter(bob, cup.id, code=cup.code)


def test_votes(house: Community, cup: Competition, organiser: Account, ann: Account, bob: Account) -> None:
    red = house.entries.enter(ann, cup.id, engine(house, ann, "red").id)
    blue = house.entries.enter(bob, cup.id, engine(house, bob, "blue").id)
    with raises(ForbiddenError, "his own"):
        house.entries.vote(ann, red.id)
    house.entries.vote(ann, blue.id)
    house.entries.vote(organiser, blue.id)
    house.entries.vote(organiser, blue.id)
    assert house.entries.votes(cup.id) == {blue.id: 2}
    house.entries.vote(organiser, red.id)
    assert house.entries.votes(cup.id) == {blue.id: 1, red.id: 1}
    assert house.entries.vote_of(organiser, cup.id) == red.id
    house.entries.unvote(ann, cup.id)
    assert house.entries.vote_of(ann, cup.id) is None
    house.entries.withdraw(ann, red.id)
    assert house.entries.votes(cup.id) == {}
    with pytest.raises(StageError):
        house.entries.vote(organiser, red.id)
    house.competitions.cancel(organiser, cup.id)
    with pytest.raises(StageError):
        house.entries.vote(ann, blue.id)


def test_lists_of_competitions(house: Community, organiser: Account) -> None:
    made = [house.competitions.announce(organiser, replace(CUP, title=f"cup {number}")) for number in range(3)]
    assert house.competitions.all() == tuple(reversed(made))
    assert house.competitions.all(most=1, before=made[2].id) == (made[1],)
    assert house.competitions.all(game="pente") == house.competitions.all(stage=Stage.OVER) == ()


# ── challenges ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_challenges_between_owners(house: Community, ann: Account, bob: Account) -> None:
    red, blue = engine(house, ann, "red"), engine(house, bob, "blue")
    asked = house.challenges.propose(ann, red.id, blue.id)
    assert house.challenges.propose(ann, red.id, blue.id) == asked
    assert house.challenges.of(ann) == house.challenges.of(bob) == (asked,)
    for stranger, deed in ((ann, house.challenges.accept), (ann, house.challenges.decline), (bob, house.challenges.withdraw)):
        with pytest.raises(UnknownError):
            deed(stranger, asked.id)
    with pytest.raises(StageError):
        house.challenges.played(asked.id, "m1")
    assert house.challenges.accept(bob, asked.id).answer is Reply.ACCEPTED
    assert [one.id for one in house.challenges.due()] == [asked.id]
    assert house.challenges.played(asked.id, "m1").match == "m1"
    assert house.challenges.due() == ()
    with pytest.raises(StageError):
        house.challenges.withdraw(ann, asked.id)
    again = house.challenges.propose(ann, red.id, blue.id)
    assert house.challenges.decline(bob, again.id).answer is Reply.DECLINED


def test_challenges_that_cannot_be(house: Community, ann: Account, bob: Account) -> None:
    red, own, pente = engine(house, ann, "red"), engine(house, ann, "own"), engine(house, bob, "five", "pente")
    hidden = house.engines.add(bob, game="reversi", name="hidden", url="http://bots.example", public=False)
    for mine, theirs, error in (
        (red.id, own.id, ForbiddenError),
        (red.id, pente.id, ForbiddenError),
        (red.id, hidden.id, UnknownError),
        (pente.id, red.id, UnknownError),
    ):
        with pytest.raises(error):
            house.challenges.propose(ann, mine, theirs)


def test_nothing_that_somebody_relied_on_changes_silently(
    house: Community, organiser: Account, cup: Competition, ann: Account, clock: Clock
) -> None:
    change = house.competitions.change
    clock.now += 5
    change(organiser, cup.id, replace(CUP, title="The Mug", plan=PLAN | {"clock": "10s/move", "turns": 80}))
    assert {(one.field, one.before, one.after, one.at) for one in house.competitions.history(cup.id)} == {
        ("title", "The Cup", "The Mug", clock.now),
        ("clock", "4s/move", "10s/move", clock.now),
        ("turns", "", "80", clock.now),
    }
    now = house.competitions.find(cup.id).announcement
    change(organiser, cup.id, now)
    assert len(house.competitions.history(cup.id)) == 3, "what stays the same is no change"
    house.entries.enter(ann, cup.id, engine(house, ann, "red").id)
    for said in (
        replace(now, plan=PLAN),
        replace(now, access="link"),
        replace(now, patience=60),
        replace(now, plan={**now.plan, "rounds": 4}),
    ):
        with raises(StageError, "somebody has entered"):
            change(organiser, cup.id, said)
    with raises(StageError, "entries are taken already"):
        change(organiser, cup.id, replace(now, opens=NOW + 60))
    free = replace(now, about="", begins=NOW + 2 * HOUR, listed=False, each=3, plan={**now.plan, "concurrency": 4})
    assert change(organiser, cup.id, free).announcement == free
    assert {one.field for one in house.competitions.history(cup.id)[:5]} == {"about", "begins", "listed", "each", "concurrency"}
    house.entries.enter(ann, cup.id, engine(house, ann, "second").id, cup.code)
    with raises(StageError, "already: fewer of one owner would put some out", most=2):
        change(organiser, cup.id, replace(free, each=1))
    house.competitions.cancel(organiser, cup.id, "the hall is flooded")
    assert house.competitions.history(cup.id)[0].after == "the hall is flooded"
    house.competitions.remove(organiser, cup.id)


def test_a_history_has_an_end(house: Community, organiser: Account, cup: Competition) -> None:
    for number in range(200):
        house.competitions.change(organiser, cup.id, replace(CUP, title=f"Cup {number}"))
    with raises(QuotaError, "a competition is changed at most", most_changes=200):
        house.competitions.change(organiser, cup.id, replace(CUP, title="one more"))
    assert house.competitions.find(cup.id).announcement.title == "Cup 199"


@pytest.mark.parametrize("seconds", [-1, 1, 59, 86_401])
def test_people_are_waited_for_a_minute_to_a_day_or_without_end(house: Community, organiser: Account, seconds: int) -> None:
    with raises(UnfitError, "a minute to a day, or 0 to wait"):
        house.competitions.announce(organiser, replace(CUP, patience=seconds))
    assert house.competitions.announce(organiser, replace(CUP, patience=0)).announcement.patience == 0


def test_who_is_there_is_kept(house: Community, organiser: Account, cup: Competition, ann: Account, bob: Account) -> None:
    for _ in range(2):
        house.arrivals.come(cup.id, 3, ann.id)
    house.arrivals.come(cup.id, 3, bob.id)
    house.arrivals.come(cup.id, 4, bob.id)
    assert house.arrivals.of(cup.id) == {3: {ann.id, bob.id}, 4: {bob.id}}
    house.arrivals.forget(cup.id, 3)
    assert house.arrivals.of(cup.id) == {4: {bob.id}}
    house.erasure.erase(bob)
    assert house.arrivals.of(cup.id) == {}
