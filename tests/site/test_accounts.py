"""Nobody comes in who should not, and nobody learns who is there."""

import threading
import unicodedata
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arbitre.site.accounts as accounts_module
from arbitre.crypto.passwords import fits, keep_password
from arbitre.errors import (
    ArbitreError,
    ExpiredError,
    ForbiddenError,
    LockedError,
    NameTakenError,
    UnfitError,
    UnknownError,
    WrongPasswordError,
)
from arbitre.site.accounts import Account, AccountId, Role
from arbitre.site.community import Community
from arbitre.site.database import Allowances
from arbitre.site.forms import check_about, check_name, check_title, check_url, fold, read_code
from tests.reasons import raises
from tests.site.conftest import PASSWORD, Clock, person


def test_somebody_registers_and_comes_back(house: Community) -> None:
    ann = house.accounts.create("Ann.E-1", PASSWORD)
    assert (ann.name, ann.role, ann.banned, ann.erased) == ("Ann.E-1", Role.PLAYER, None, False)
    assert house.accounts.authenticate("ann.e-1", PASSWORD) == ann
    assert house.accounts.get(ann.id) == house.accounts.called("ANN.E-1") == ann
    assert ann.neutral.startswith("player-")
    assert house.accounts.names([ann.neutral, "player-0"]) == {ann.neutral: "Ann.E-1"}


def test_the_specified_cost_is_the_default() -> None:
    assert Allowances().work.kibibytes == 64 << 10
    assert "m=65536" in keep_password(PASSWORD, Allowances().work)


@pytest.mark.parametrize(
    "name",
    [
        "", "ab", "a" * 31, "a" * 10**6, "-ann", "ann-", "an n", "ann'; DROP TABLE accounts; --", "ann\0", "an\nn", "<b>ann</b>",
        "аnn", "αnn", "ann\u200b", "ann\u202e", "\ud800nn", "🙂🙂🙂", "guest", "GUEST", "h0use", "Player-00ff", "engine_1", "a/b",
    ],
)  # fmt: skip
def test_what_is_no_name(house: Community, name: str) -> None:
    with pytest.raises(UnfitError) as caught:
        house.accounts.create(name, PASSWORD)
    assert caught.value.field == "name"
    with pytest.raises(WrongPasswordError):
        house.accounts.authenticate(name, PASSWORD)
    with pytest.raises(UnknownError):
        house.accounts.called(name)


@pytest.mark.parametrize("name", ["Lea", "ÉLISE", "łukasz", "3pi", "Jean-Luc", "Œdipe", "a.b_c"])
def test_what_is_a_name(house: Community, name: str) -> None:
    assert house.accounts.create(name, PASSWORD).name == name


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Bill", "BILL"),
        ("Bill", "Bi11"),
        ("Bob", "B0b"),
        ("Elise", "Élise"),
        ("a_bc", "a-bc"),
        ("fil", "\N{LATIN SMALL LIGATURE FI}l"),
        ("Bob", "\uff22ob"),
        ("oeuf", "œuf"),
    ],
)
def test_names_that_look_alike_are_one_name(house: Community, first: str, second: str) -> None:
    house.accounts.create(first, PASSWORD)
    with raises(NameTakenError, "taken"):
        house.accounts.create(second, PASSWORD)


@given(st.text(max_size=40))
def test_a_name_that_is_taken_stays_itself(text: str) -> None:
    try:
        name = check_name(text)
    except UnfitError:
        return
    assert check_name(name) == name == unicodedata.normalize("NFKC", name)
    assert fold(name) == fold(name.upper()) or "ß" in name.lower()
    assert fold(fold(name)) == fold(name)


@given(st.text(max_size=200))
def test_whatever_is_typed_is_judged_in_one_way(text: str) -> None:
    for judge in (check_name, check_title, check_about, check_url):
        with suppress(UnfitError):
            judge(text).encode()
    with suppress(ExpiredError):
        assert len(read_code(text, 9)) == 9


@pytest.mark.parametrize("password", ["", "short", "aaaaaaaaaaaa", "x" * 1_025, "roberta.x"])
def test_passwords_that_are_too_easy(house: Community, password: str) -> None:
    with pytest.raises(UnfitError) as caught:
        house.accounts.create("Roberta.X", password)
    assert caught.value.field == "password"


def test_a_wrong_name_and_a_wrong_password_are_the_same(house: Community, ann: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same error, the same words, and the same one hash of the same cost."""
    hashes: list[str] = []

    def counted(password: str, kept: str) -> bool:
        hashes.append(kept.rpartition("$")[0].rpartition("$")[0])
        return fits(password, kept)

    monkeypatch.setattr(accounts_module, "fits", counted)
    told = set()
    for name in ("ann", "nobody.here", "ann'--", "x" * 10_000):
        with pytest.raises(WrongPasswordError) as caught:
            house.accounts.authenticate(name, "something else")
        told.add(str(caught.value))
    assert len(told) == 1
    assert len(hashes) == 4
    assert len(set(hashes)) == 1


def test_two_hashes_at_a_time(house: Community, ann: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    busy, most, lock, gate = 0, 0, threading.Lock(), threading.Event()

    def slow(password: str, kept: str) -> bool:
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
            if busy == accounts_module.AT_ONCE:
                gate.set()
        gate.wait(10)
        with lock:
            busy -= 1
        return True

    house.accounts.authenticate("ann", PASSWORD)
    monkeypatch.setattr(accounts_module, "fits", slow)
    crowd = [threading.Thread(target=house.accounts.authenticate, args=("ann", PASSWORD)) for _ in range(8)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()
    assert most == 2


def test_accents_typed_another_way_are_the_same_password(house: Community) -> None:
    house.accounts.create("zoe", unicodedata.normalize("NFD", "é" * 4 + "abcdef"))
    assert house.accounts.authenticate("zoe", unicodedata.normalize("NFC", "é" * 4 + "abcdef")).name == "zoe"


def test_a_new_password_ends_what_the_old_one_began(house: Community, ann: Account) -> None:
    opened, minted = house.sessions.start(ann), house.tokens.make(ann, "script", ["read"])
    with pytest.raises(WrongPasswordError):
        house.accounts.change_password(ann, "not the old one", "a new one altogether")
    assert house.sessions.find(opened.token)
    house.accounts.change_password(ann, PASSWORD, "a new one altogether")
    assert house.sessions.find(opened.token) is None
    assert house.tokens.find(minted.secret) is None
    with pytest.raises(WrongPasswordError):
        house.accounts.authenticate("ann", PASSWORD)
    assert house.accounts.authenticate("ann", "a new one altogether") == ann


def test_a_reset_works_once_and_for_three_days(house: Community, ann: Account, clock: Clock) -> None:
    first = house.accounts.start_reset(ann)
    second = house.accounts.start_reset(ann)
    with pytest.raises(ExpiredError):
        house.accounts.look_at_reset(first)
    assert house.accounts.look_at_reset(second) == ann
    with pytest.raises(UnfitError):
        house.accounts.finish_reset(second, "short")
    opened = house.sessions.start(ann)
    house.accounts.finish_reset(second, "a new one altogether")
    assert house.sessions.find(opened.token) is None
    assert house.accounts.authenticate("ann", "a new one altogether") == ann
    with pytest.raises(ExpiredError):
        house.accounts.finish_reset(second, "yet another password")
    third = house.accounts.start_reset(ann)
    clock.now += 3 * 86_400
    with pytest.raises(ExpiredError):
        house.accounts.finish_reset(third, "yet another password")


def test_a_ban_ends_everything_until_it_is_lifted(house: Community, ann: Account) -> None:
    opened, minted = house.sessions.start(ann), house.tokens.make(ann, "script", ["read"])
    house.accounts.ban(ann, "rude to the referee")
    assert house.sessions.find(opened.token) is None
    assert house.tokens.find(minted.secret) is None
    with raises(LockedError, "this account is locked", why="rude to the referee"):
        house.accounts.authenticate("ann", PASSWORD)
    with pytest.raises(WrongPasswordError):
        house.accounts.authenticate("ann", "a guess of a stranger")
    house.accounts.unban(ann)
    assert house.accounts.authenticate("ann", PASSWORD) == ann


def test_roles_and_the_last_operator(house: Community, ann: Account, operator: Account) -> None:
    assert [role for role in Role if house.accounts.set_role(ann, Role.TEACHER).may(role)] == [
        Role.PLAYER,
        Role.ORGANISER,
        Role.TEACHER,
    ]
    with raises(ForbiddenError, "this needs the role of", role="operator"):
        house.accounts.get(ann.id).require(Role.OPERATOR)
    for away in (
        lambda: house.accounts.set_role(operator, Role.PLAYER),
        lambda: house.accounts.ban(operator, "a coup"),
        lambda: house.erasure.erase(operator),
    ):
        with raises(ForbiddenError, "last operator"):
            away()
    house.accounts.set_role(ann, Role.OPERATOR)
    assert house.accounts.set_role(operator, Role.PLAYER).role is Role.PLAYER


def test_the_list_of_accounts(house: Community, ann: Account, bob: Account, operator: Account) -> None:
    assert house.accounts.all() == (ann, bob, operator)
    assert house.accounts.all(role=Role.OPERATOR) == (operator,)
    assert house.accounts.all(after=ann.id, most=1) == (bob,)
    assert house.accounts.all(search="NN") == (ann,)
    for trick in ("%", "_", "' OR 1=1 --", "\0", "\ud800", "x" * 10_000):
        assert house.accounts.all(search=trick) == ()


@pytest.mark.parametrize("number", [0, -1, 999, 2**63 - 1, 2**63, -(2**70)])
def test_numbers_that_nobody_has(house: Community, ann: Account, number: Any) -> None:
    with pytest.raises(UnknownError):
        house.accounts.get(AccountId(number))
    with pytest.raises(UnknownError):
        house.engines.get(number, ann)
    with pytest.raises(UnknownError):
        house.photos.get(ann, number)
    with pytest.raises(UnknownError):
        house.sessions.revoke(ann, number)


def test_many_threads_and_one_name(house: Community) -> None:
    made: list[object] = []

    def register() -> None:
        try:
            made.append(person(house, "popular"))
        except ArbitreError as error:
            made.append(type(error))

    crowd = [threading.Thread(target=register) for _ in range(12)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()
    assert made.count(NameTakenError) == 11
    assert len(house.accounts.all()) == 1
