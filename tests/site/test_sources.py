"""Kept sources: versions only where something changed, bounds, links, and another's are not there."""

import pytest

from arbitre.errors import ExpiredError, QuotaError, StageError, UnfitError, UnknownError
from arbitre.site.accounts import Account, Role
from arbitre.site.community import Community
from arbitre.site.kept_sources import LARGEST
from tests.site.conftest import Clock, person

TEXT = "def move(p):\n    return p['any']\n"


def test_a_change_is_a_version_and_the_oldest_goes(house: Community, ann: Account, clock: Clock) -> None:
    first = house.sources.save(ann, "reversi", "Corners", "python", TEXT)
    assert (first.number, first.at, first.text) == (1, clock.now, TEXT)
    clock.now += 5
    assert house.sources.save(ann, "reversi", "corners", "python", TEXT.replace("\n", "\r\n")) == first
    for count in range(2, 6):
        assert house.sources.save(ann, "reversi", "Corners", "python", TEXT + "#" * count).number == count
    assert [(one.number, one.size) for one in house.sources.versions(first.source)] == [
        (count, len(TEXT) + count) for count in (5, 4, 3)
    ]
    assert house.sources.version(first.source).number == 5
    assert house.sources.version(first.source, 3).text == TEXT + "###"
    with pytest.raises(UnknownError):
        house.sources.version(first.source, 1)


def test_all_of_a_person_have_so_much_room_and_the_oldest_go(house: Community, ann: Account, clock: Clock) -> None:
    for name in ("Corners", "Edges"):
        for letter in "abc":
            clock.now += 1
            house.sources.save(ann, "reversi", name, "python", letter * 30_000)
    first, second = house.sources.of(ann.id)
    assert [one.number for one in house.sources.versions(first.number)] == [3]
    assert [one.number for one in house.sources.versions(second.number)] == [3, 2]


def test_names_are_ones_own_and_mean_one_thing(house: Community, ann: Account, bob: Account) -> None:
    mine = house.sources.save(ann, "reversi", "Corners", "python", TEXT).source
    assert house.sources.save(bob, "reversi", "Corners", "python", TEXT).source != mine
    assert house.sources.called(ann, "CORNERS").number == mine
    for game, language in (("pente", "python"), ("reversi", "javascript")):
        with pytest.raises(StageError):
            house.sources.save(ann, game, "Corners", language, TEXT)
    house.sources.save(ann, "pente", "second", "javascript", "")
    with pytest.raises(QuotaError):
        house.sources.save(ann, "pente", "third", "javascript", "")
    house.sources.remove(ann, mine)
    assert [one.file for one in house.sources.of(ann.id)] == ["second.js"]


@pytest.mark.parametrize("text", ["x" * (LARGEST + 1), "é" * (LARGEST // 2 + 1), "a\0b", "\ud800", "\r\n" * (LARGEST + 1)])
def test_what_is_too_large_or_no_text_is_refused(house: Community, ann: Account, text: str) -> None:
    with pytest.raises(UnfitError) as found:
        house.sources.save(ann, "reversi", "Corners", "python", text)
    assert found.value.field == "text"
    assert house.sources.of(ann.id) == ()


def test_the_largest_is_kept(house: Community, ann: Account) -> None:
    assert len(house.sources.save(ann, "reversi", "Corners", "python", "é" * (LARGEST // 2)).text) == LARGEST // 2


@pytest.mark.parametrize("name", ["<b>bold</b>", "../../etc/passwd", "a b", "x", "engine-1", "a\nb"])
def test_a_name_is_one_that_may_be_shown_and_written_as_a_file(house: Community, ann: Account, name: str) -> None:
    with pytest.raises(UnfitError) as found:
        house.sources.save(ann, "reversi", name, "python", TEXT)
    assert found.value.field == "name"


def test_a_language_that_is_none_is_refused(house: Community, ann: Account) -> None:
    with pytest.raises(UnfitError):
        house.sources.save(ann, "reversi", "Corners", "perl", TEXT)


def test_nobody_changes_anothers(house: Community, ann: Account, bob: Account, operator: Account) -> None:
    number = house.sources.save(ann, "reversi", "Corners", "python", TEXT).source
    for other in (bob, operator):
        for do in (house.sources.share, house.sources.unshare, house.sources.remove, house.sources.own):
            with pytest.raises(UnknownError):
                do(other, number)
        with pytest.raises(UnknownError):
            house.sources.lend(other, number, "all")
    assert house.sources.find(number).lent == "no"


def test_a_link_is_the_same_until_it_ends(house: Community, ann: Account) -> None:
    number = house.sources.save(ann, "reversi", "Corners", "python", TEXT).source
    code = house.sources.share(ann, number)
    assert house.sources.share(ann, number) == code
    assert house.sources.shared(code.lower()).number == number
    house.sources.unshare(ann, number)
    for gone in (code, "", "x" * 10_000):
        with pytest.raises(ExpiredError):
            house.sources.shared(gone)
    assert house.sources.share(ann, number) != code


def test_a_teacher_is_the_one_of_a_class_that_was_joined(house: Community, ann: Account, bob: Account) -> None:
    teacher, other = person(house, "tess", Role.TEACHER), person(house, "olaf", Role.TEACHER)
    klass = house.classes.create(teacher, "6B")
    house.classes.create(other, "6C")
    house.classes.join(ann, klass.code)
    assert house.classes.teaches(teacher, ann.id)
    assert not house.classes.teaches(other, ann.id)
    assert not house.classes.teaches(teacher, bob.id)
    assert not house.classes.teaches(house.accounts.set_role(teacher, Role.PLAYER), ann.id)
