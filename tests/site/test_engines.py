"""Engines and interfaces belong to their owners; photos and invitations too."""

import threading
from contextlib import suppress

import pytest

from arbitre.errors import (
    ArbitreError,
    ExpiredError,
    ForbiddenError,
    NameTakenError,
    PositionError,
    QuotaError,
    UnfitError,
    UnknownError,
    UnknownGameError,
)
from arbitre.games.catalogue import game
from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.reasons import Reason
from arbitre.site.accounts import Account
from arbitre.site.community import Community
from arbitre.site.engines import Engine, EngineId
from arbitre.tournoyons.wire import Style
from tests.reasons import raises
from tests.site.conftest import Clock

URL = "https://bots.example.org/reversi?level=3"


def engine(house: Community, owner: Account, name: str = "Deep-Red", *, public: bool = True) -> Engine:
    return house.engines.add(owner, game="reversi", name=name, url=URL, style=Style(direct=True, login="abc"), public=public)


def test_an_engine_is_registered_changed_and_retired(house: Community, ann: Account) -> None:
    made = engine(house, ann)
    assert (made.owner, made.url, made.style, made.state) == (ann.id, URL, Style(direct=True, login="abc"), "ok")
    assert house.engines.names([made.neutral]) == {made.neutral: "Deep-Red"}
    house.engines.broke(made.id, Reason("quoted", text="no answer\x1b[2J " + "x" * 10_000))
    broken = house.engines.get(made.id)
    assert broken.state == "broken"
    assert broken.fault is not None
    kept = str(broken.fault.fields["text"])
    assert kept.isprintable()
    assert len(kept) <= 500
    house.engines.works(made.id)
    assert house.engines.get(made.id) == made
    house.engines.broke(made.id, Reason("quoted", text="no answer"))
    edited = house.engines.edit(ann, made.id, name="Deep-Blue", url="http://[2001:db8::1]:8080/x", style=Style(full=True))
    assert (edited.name, edited.style, edited.state, edited.opponent) == ("Deep-Blue", Style(full=True), "ok", made.opponent)
    assert house.engines.edit(ann, made.id) == edited
    assert house.engines.names([made.neutral]) == {made.neutral: "Deep-Blue"}
    house.engines.retire(ann, made.id)
    assert house.engines.all() == house.engines.of(ann) == ()
    assert [one.id for one in house.engines.of(ann, retired=True)] == [made.id]
    with raises(ForbiddenError, "is retired"):
        house.engines.edit(ann, made.id, name="Deeper")


@pytest.mark.parametrize(
    "url",
    ["", "ftp://x.example", "javascript:alert(1)", "//x.example", "http://", "http://u:p@x.example", "http://x.example/ a",
     "http://x.example/\n", "http://x.example:0", "http://x.example:99999", "http://[::1", "http://[v1.a]@", "http://x.example/#top",
     "http://x.example/" + "a" * 2_048, "http://\ud800.example", "file:///etc/passwd"],
)  # fmt: skip
def test_what_is_no_address(house: Community, ann: Account, url: str) -> None:
    if url != "http://x.example/\n":  # what surrounds an address is dropped
        with pytest.raises(UnfitError) as caught:
            house.engines.add(ann, game="reversi", name="Deep-Red", url=url)
        assert caught.value.field == "url"


def test_other_peoples_engines(house: Community, ann: Account, bob: Account, operator: Account) -> None:
    shown, hidden = engine(house, ann, "shown"), engine(house, ann, "hidden", public=False)
    assert house.engines.get(shown.id, bob) == house.engines.get(shown.id) == shown
    assert house.engines.all(by=bob) == house.engines.all() == (shown,)
    assert house.engines.all(by=ann) == house.engines.owned_by([ann.id, bob.id]) == (shown, hidden)
    for stranger in (bob, None):
        with pytest.raises(UnknownError):
            house.engines.get(hidden.id, stranger)
    assert house.engines.get(hidden.id, operator) == hidden
    with raises(ForbiddenError, "somebody else's"):
        house.engines.edit(bob, shown.id, url="http://evil.example")
    with pytest.raises(UnknownError):
        house.engines.edit(bob, hidden.id, public=True)
    with pytest.raises(ForbiddenError):
        house.engines.retire(bob, shown.id)
    assert not house.engines.edit(operator, shown.id, public=False).public


def test_names_are_unique_within_a_game(house: Community, ann: Account, bob: Account) -> None:
    engine(house, ann, "Bill")
    with raises(NameTakenError, "or something that looks like it", kind="engine"):
        engine(house, bob, "BI11")
    house.engines.add(bob, game="poker", name="Bill", url=URL)
    house.interfaces.add(bob, game="reversi", name="Bill", url=URL)
    other = engine(house, bob, "Bob")
    with pytest.raises(NameTakenError):
        house.engines.edit(bob, other.id, name="bill")


def test_quotas(house: Community, ann: Account) -> None:
    made = [engine(house, ann, f"bot{letter}") for letter in "abc"]
    with raises(QuotaError, "s are the most this account may have: retire one first", by=3):
        engine(house, ann, "one.more")
    house.engines.retire(ann, made[0].id)
    engine(house, ann, "one.more")
    more = house.accounts.set_quota(ann, 5)
    engine(house, more, "and.more")
    with pytest.raises(UnfitError):
        house.accounts.set_quota(ann, -1)
    for name in ("face.one", "face.two"):
        house.interfaces.add(ann, game="pente", name=name, url=URL)
    with raises(QuotaError, "s are the most this account may have: retire one first", by=2):
        house.interfaces.add(ann, game="pente", name="face.three", url=URL)


def test_quotas_hold_in_a_crowd(house: Community, ann: Account) -> None:
    def add(number: int) -> None:
        with suppress(ArbitreError):
            engine(house, ann, f"bot-{'abcdefgh'[number]}{number}")

    crowd = [threading.Thread(target=add, args=(number,)) for number in range(8)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()
    assert len(house.engines.of(ann)) == 3


@pytest.mark.parametrize(
    "bad", [{"game": "chess-boxing"}, {"name": "x"}, {"style": Style(login="x" * 201)}, {"style": Style(login="\n")}]
)
def test_engines_that_are_not_registered(house: Community, ann: Account, bad: dict[str, object]) -> None:
    given: dict[str, object] = {"game": "reversi", "name": "Deep-Red", "url": URL} | bad
    with pytest.raises((UnfitError, UnknownGameError)):
        house.engines.add(ann, **given)  # type: ignore[arg-type]
    assert house.engines.of(ann) == ()


def test_searching_is_no_query_language(house: Community, ann: Account) -> None:
    made = engine(house, ann)
    assert house.engines.all(search="DEEP") == (made,)
    for trick in ("%", "_%", "' OR 1=1 --", "\0", "\ud800"):
        assert made not in house.engines.all(search=trick) or not trick.isprintable()
    assert house.engines.names(["' OR 1=1 --"]) == {}
    with pytest.raises(UnknownError):
        house.engines.broke(EngineId(99), Reason("quoted", text="nothing"))


# ── invitations ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_invitation_is_looked_at_often_and_accepted_once(house: Community, ann: Account, bob: Account) -> None:
    code, offered = house.invitations.offer("m1", SECOND, ann)
    typed = " " + code[:13].lower() + "-" + code[13:] + "\n"
    assert house.invitations.look(typed) == house.invitations.look(code) == offered
    with raises(ForbiddenError, "your own invitation"):
        house.invitations.accept(code, ann)
    taken = house.invitations.accept(code, bob)
    assert (taken.match, taken.seat, taken.guest) == ("m1", SECOND, bob.id)
    with pytest.raises(ExpiredError):
        house.invitations.accept(code, None)
    with pytest.raises(ExpiredError):
        house.invitations.look(code)
    assert house.invitations.to("m1") == (taken,)


def test_one_of_many_takes_the_seat(house: Community, ann: Account) -> None:
    code, _ = house.invitations.offer("m1", FIRST, ann)
    took: list[bool] = []

    def accept() -> None:
        try:
            house.invitations.accept(code, None)
            took.append(True)
        except ExpiredError:
            took.append(False)

    crowd = [threading.Thread(target=accept) for _ in range(8)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()
    assert sorted(took) == [False] * 7 + [True]


def test_invitations_end(house: Community, ann: Account, bob: Account, clock: Clock) -> None:
    first, _ = house.invitations.offer("m1", SECOND, ann)
    second, offered = house.invitations.offer("m1", SECOND, ann, 100)
    with pytest.raises(ExpiredError):
        house.invitations.look(first)
    with pytest.raises(UnknownError):
        house.invitations.withdraw(bob, offered.id)
    assert house.invitations.of(ann) == (offered,)
    clock.now += 100
    with pytest.raises(ExpiredError):
        house.invitations.look(second)
    with pytest.raises(ExpiredError):
        house.invitations.accept(second, bob)
    assert house.invitations.of(ann) == house.invitations.to("m1") == ()
    third, offered = house.invitations.offer("m1", SECOND, ann)
    house.invitations.withdraw(ann, offered.id)
    with pytest.raises(ExpiredError):
        house.invitations.accept(third, bob)
    guests, _ = house.invitations.offer("m2", SECOND, None)
    assert house.invitations.accept(guests, None).guest is None


def test_invitations_have_bounds(house: Community, ann: Account) -> None:
    for match in ("m1", "m2"):
        house.invitations.offer(match, SECOND, ann)
    with pytest.raises(QuotaError):
        house.invitations.offer("m3", SECOND, ann)
    house.invitations.offer("m2", SECOND, ann)
    for seat, seconds in ((Seat(-1), None), (Seat(100), None), (SECOND, 0), (SECOND, 10**9)):
        with pytest.raises(UnfitError):
            house.invitations.offer("m4", seat, None, seconds)


@pytest.mark.parametrize(
    "code", ["", "0" * 26, "A" * 25, "A" * 26, "' OR 1=1 --", "\0" * 26, "\ud800" * 26, "A" * 10**6, "%" * 26]
)
def test_codes_of_nobody(house: Community, ann: Account, code: str) -> None:
    house.invitations.offer("m1", SECOND, ann)
    with pytest.raises(ExpiredError):
        house.invitations.look(code)
    with pytest.raises(ExpiredError):
        house.invitations.accept(code, ann)


# ── photos ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_photos(house: Community, ann: Account, bob: Account) -> None:
    board = game("tictactoe")
    photo = house.photos.take(ann, "  a  fork ", board, "100020000")
    assert (photo.title, photo.game, photo.board()) == ("a fork", "tictactoe", board)
    assert house.photos.of(ann) == house.photos.of(ann, "tictactoe") == (photo,)
    assert house.photos.of(bob) == house.photos.of(ann, "reversi") == ()
    for theirs in (
        lambda: house.photos.get(bob, photo.id),
        lambda: house.photos.rename(bob, photo.id, "mine now"),
        lambda: house.photos.remove(bob, photo.id),
    ):
        with pytest.raises(UnknownError):
            theirs()
    assert house.photos.rename(ann, photo.id, "the fork").title == "the fork"
    house.photos.take(ann, "again", board, "100020000")
    with pytest.raises(QuotaError):
        house.photos.take(ann, "too many", board, "100020000")
    house.photos.remove(ann, photo.id)
    with pytest.raises(PositionError):
        house.photos.take(ann, "nonsense", board, "9" * 9)
    with pytest.raises(UnfitError):
        house.photos.take(ann, "long", board, "1" * 10**6)
