"""Sessions and tokens: secrets that only their holder has, and that end."""

import pytest
from sqlalchemy import select

from arbitre.errors import ForbiddenError, QuotaError, UnfitError, UnknownError
from arbitre.records.tables import METADATA
from arbitre.site.accounts import Account, Role
from arbitre.site.community import Community
from arbitre.site.tokens import Scope, scopes_of
from tests.reasons import raises
from tests.site.conftest import Clock

DAY = 86_400


def test_a_session_lasts_while_it_is_used(house: Community, ann: Account, clock: Clock) -> None:
    opened = house.sessions.start(ann, "Firefox\n<script>" + "x" * 500)
    assert len(opened.token) >= 43
    visitor = house.sessions.find(opened.token)
    assert visitor is not None
    assert visitor.account == ann
    assert len(visitor.session.agent) <= 200
    assert "\n" not in visitor.session.agent
    for _ in range(3):
        clock.now += 29 * DAY
        assert house.sessions.find(opened.token)
    clock.now += 30 * DAY
    assert house.sessions.find(opened.token) is None


def test_sessions_are_listed_and_ended(house: Community, ann: Account, bob: Account) -> None:
    one, two, three = (house.sessions.start(ann) for _ in range(3))
    assert [each.id for each in house.sessions.of(ann)] == [three.session.id, two.session.id, one.session.id]
    four = house.sessions.start(ann)
    assert house.sessions.find(one.token) is None, "the oldest makes room"
    with pytest.raises(UnknownError):
        house.sessions.revoke(bob, two.session.id)
    house.sessions.revoke(ann, two.session.id)
    assert house.sessions.find(two.token) is None
    house.sessions.revoke_all(ann, but=four.session.id)
    assert [each.id for each in house.sessions.of(ann)] == [four.session.id]
    house.sessions.end(four.token)
    house.sessions.end("never was")
    assert house.sessions.of(ann) == ()


@pytest.mark.parametrize("token", ["", "x", "' OR 1=1 --", "\0", "\ud800", "x" * 10**6])
def test_tokens_of_nobody(house: Community, ann: Account, token: str) -> None:
    house.sessions.start(ann)
    assert house.sessions.find(token) is None
    assert house.tokens.find(token) is None


def test_secrets_are_not_in_the_file(house: Community, ann: Account) -> None:
    secrets = [
        house.sessions.start(ann).token,
        house.tokens.make(ann, "script", ["read"]).secret,
        house.accounts.start_reset(ann),
    ]
    with house.database.reading() as connection:
        kept = "\n".join(str(row) for table in METADATA.sorted_tables for row in connection.execute(select(table)))
    assert "ann" in kept
    assert not [secret for secret in secrets if secret in kept or secret.removeprefix("arb_") in kept]


def test_a_token_does_what_it_is_for(house: Community, ann: Account, clock: Clock) -> None:
    minted = house.tokens.make(ann, "my script", ["read", "engines", "read"], 100)
    assert minted.secret.startswith("arb_")
    bearer = house.tokens.find(minted.secret)
    assert bearer is not None
    assert bearer.account == ann
    bearer.require(Scope.READ)
    with raises(ForbiddenError, "the token %(name)r has no scope %(scope)s", name="my script", scope="play"):
        bearer.require(Scope.PLAY)
    (listed,) = house.tokens.of(ann)
    assert (listed.name, listed.used) == ("my script", clock.now)
    clock.now += 100
    assert house.tokens.find(minted.secret) is None


@pytest.mark.parametrize(
    ("name", "scopes", "seconds"),
    [
        ("", ["read"], None),
        ("x" * 61, ["read"], None),
        ("x", [], None),
        ("x", ["root"], None),
        ("x", ["read"], 0),
        ("x", ["read"], 10**12),
    ],
)
def test_tokens_that_are_not_made(house: Community, ann: Account, name: str, scopes: list[str], seconds: int | None) -> None:
    with pytest.raises(UnfitError):
        house.tokens.make(ann, name, scopes, seconds)


@pytest.mark.parametrize("role", Role)
def test_nobody_makes_a_token_with_more_rights_than_his_own(house: Community, ann: Account, role: Role) -> None:
    house.accounts.set_role(ann, role)
    person = house.accounts.get(ann.id)
    ranks = tuple(Role)
    for scope, least in ((Scope.TEACH, Role.TEACHER), (Scope.OPERATE, Role.OPERATOR)):
        if ranks.index(role) < ranks.index(least):
            with raises(ForbiddenError, "this needs the role of", role=least):
                house.tokens.make(person, "more", ["read", scope])
            assert scope not in scopes_of(person)
    assert house.tokens.make(person, "all", scopes_of(person)).token.scopes == set(scopes_of(person))


def test_a_token_loses_what_its_owner_loses(house: Community, ann: Account, bob: Account) -> None:
    house.accounts.set_role(bob, Role.OPERATOR)  # somebody has to stay
    house.accounts.set_role(ann, Role.OPERATOR)
    minted = house.tokens.make(house.accounts.get(ann.id), "all", tuple(Scope))
    house.accounts.set_role(ann, Role.TEACHER)
    bearer = house.tokens.find(minted.secret)
    assert bearer is not None
    bearer.require(Scope.TEACH)
    with raises(ForbiddenError, "this needs the role of", role="operator"):
        bearer.require(Scope.OPERATE)


def test_tokens_have_a_quota_and_are_revoked(house: Community, ann: Account, bob: Account) -> None:
    first = house.tokens.make(ann, "one", ["read"])
    house.tokens.make(ann, "two", ["read"])
    with pytest.raises(QuotaError):
        house.tokens.make(ann, "three", ["read"])
    house.tokens.make(bob, "one", ["read"])
    with pytest.raises(UnknownError):
        house.tokens.revoke(bob, first.token.id)
    house.tokens.revoke(ann, first.token.id)
    assert house.tokens.find(first.secret) is None
    house.tokens.make(ann, "three", ["read"])
