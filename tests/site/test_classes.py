"""A class is its teacher's, its code ends, and only the operator opens the school's network."""

from ipaddress import ip_address, ip_network

import pytest

from arbitre.errors import ExpiredError, ForbiddenError, QuotaError, UnfitError, UnknownError
from arbitre.site.accounts import Account, Role
from arbitre.site.classes import Class
from arbitre.site.community import Community
from arbitre.transport.guard import Guard, among
from tests.reasons import raises
from tests.site.conftest import Clock, person


@pytest.fixture
def teacher(house: Community) -> Account:
    return person(house, "tessa", Role.TEACHER)


@pytest.fixture
def klass(house: Community, teacher: Account) -> Class:
    return house.classes.create(teacher, "Terminale B")


def test_pupils_join_by_the_code(house: Community, klass: Class, teacher: Account, ann: Account, bob: Account) -> None:
    typed = klass.code[:3].lower() + "-" + klass.code[3:6] + " " + klass.code[6:]
    assert house.classes.look(typed) == klass
    assert house.classes.join(ann, typed) == house.classes.join(ann, klass.code) == klass
    assert [(one.account, one.joined) for one in house.classes.members(teacher, klass.id)] == [(ann, klass.created)]
    assert house.classes.members(ann, klass.id)
    assert house.classes.of(ann) == house.classes.taught_by(teacher) == (klass,)
    assert house.classes.holds(klass.id, ann)
    assert house.classes.holds(klass.id, teacher)
    assert not house.classes.holds(klass.id, bob)
    with pytest.raises(UnknownError):
        house.classes.members(bob, klass.id)
    with pytest.raises(UnknownError):
        house.classes.get(bob, klass.id)
    house.classes.leave(ann, klass.id)
    with pytest.raises(UnknownError):
        house.classes.leave(ann, klass.id)
    house.classes.join(teacher, klass.code)
    assert house.classes.members(teacher, klass.id) == (), "the teacher is no pupil"


def test_codes_end_and_are_renewed(house: Community, klass: Class, teacher: Account, ann: Account, clock: Clock) -> None:
    assert len(klass.code) * 5 >= 40
    renewed = house.classes.renew_code(teacher, klass.id, 60)
    assert renewed.code != klass.code
    for code in (klass.code, "", "A" * 9, "' OR 1=1", "\0" * 9, "A" * 10**6):
        with pytest.raises(ExpiredError):
            house.classes.join(ann, code)
    clock.now += 60
    with pytest.raises(ExpiredError):
        house.classes.join(ann, renewed.code)
    with pytest.raises(UnfitError):
        house.classes.renew_code(teacher, klass.id, 10**9)
    house.classes.join(ann, house.classes.renew_code(teacher, klass.id).code)
    assert house.classes.holds(klass.id, ann)


def test_a_class_is_its_teachers(house: Community, klass: Class, teacher: Account, ann: Account, bob: Account) -> None:
    house.classes.join(ann, klass.code)
    other = person(house, "theo", Role.TEACHER)
    for stranger, error in ((ann, ForbiddenError), (bob, UnknownError), (other, UnknownError)):
        for deed in (
            lambda by: house.classes.rename(by, klass.id, "mine"),
            lambda by: house.classes.renew_code(by, klass.id),
            lambda by: house.classes.set_gateway(by, klass.id, "http://evil.example"),
            lambda by: house.classes.renew_key(by, klass.id),
            lambda by: house.classes.remove(by, klass.id, ann.id),
            lambda by: house.classes.end(by, klass.id),
        ):
            with pytest.raises(error):
                deed(stranger)
    with raises(ForbiddenError, "this needs the role of", role="teacher"):
        house.classes.create(ann, "a class of my own")
    house.classes.remove(teacher, klass.id, ann.id)
    assert house.classes.of(ann) == ()
    assert house.classes.rename(teacher, klass.id, "Terminale C").name == "Terminale C"
    house.classes.end(teacher, klass.id)
    with pytest.raises(UnknownError):
        house.classes.get(teacher, klass.id)


def test_only_the_operator_opens_the_network(
    house: Community, klass: Class, teacher: Account, ann: Account, operator: Account
) -> None:
    with raises(ForbiddenError, "this needs the role of", role="operator"):
        house.classes.set_ranges(teacher, klass.id, ["10.0.0.0/8"])
    changed = house.classes.set_ranges(operator, klass.id, ["10.1.0.0/16", " fd00::/8 ", ""])
    assert changed.ranges == ("10.1.0.0/16", "fd00::/8")
    assert house.classes.networks_for(ann.id) == ()
    house.classes.join(ann, klass.code)
    networks = house.classes.networks_for(ann.id)
    assert networks == (ip_network("10.1.0.0/16"), ip_network("fd00::/8"))
    assert among(ip_address("10.1.2.3"), networks)
    Guard(networks).check("10.1.2.3")
    for ranges in (["everything"], ["10.0.0.0/99"], ["10.0.0.0/8"] * 51):
        with pytest.raises(UnfitError) as caught:
            house.classes.set_ranges(operator, klass.id, ranges)
        assert caught.value.field == "ranges"


def test_the_gateway_has_a_key_that_is_renewed(house: Community, klass: Class, teacher: Account) -> None:
    assert klass.gateway == ""
    there = house.classes.set_gateway(teacher, klass.id, "https://school.example/gateway")
    assert there.gateway == "https://school.example/gateway"
    assert len({klass.gateway_key, there.gateway_key, house.classes.renew_key(teacher, klass.id).gateway_key}) == 3
    assert house.classes.set_gateway(teacher, klass.id, "").gateway == ""
    with pytest.raises(UnfitError):
        house.classes.set_gateway(teacher, klass.id, "ftp://school.example")


def test_classes_have_bounds(house: Community, klass: Class, teacher: Account, operator: Account) -> None:
    for name in ("pupil.a", "pupil.b", "pupil.c"):
        house.classes.join(person(house, name), klass.code)
    with raises(QuotaError, "%(most)s are the most a class may have", most=3):
        house.classes.join(person(house, "pupil.d"), klass.code)
    house.classes.create(teacher, "second")
    with raises(QuotaError, "classes are the most one teacher may have: end one first", classes=2):
        house.classes.create(teacher, "third")
    assert len(house.classes.all(operator)) == 2
    with pytest.raises(ForbiddenError):
        house.classes.all(teacher)
