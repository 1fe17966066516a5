"""API tokens: what a program of somebody's may do in his name. Each is named, scoped, revocable, and kept as a hash."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Any, NamedTuple, NewType

from sqlalchemy import Connection, delete, func, insert, select, update

from arbitre.errors import ForbiddenError, QuotaError, StoreError, UnfitError, UnknownError, shorten
from arbitre.records.tables import ACCOUNTS, TOKENS
from arbitre.site.accounts import WHOLE, Account, Role, read_account
from arbitre.site.database import Database
from arbitre.site.forms import check_title, digest, new_secret
from arbitre.values import value

TokenId = NewType("TokenId", int)

PREFIX = "arb_"
"""So that a token that was published by mistake is found by those who look for such."""

NOTED_EVERY = 60
LONGEST_SECONDS = 10 * 366 * 86_400


class Scope(StrEnum):
    """One thing that a token is good for."""

    READ = "read"
    """See what its account sees."""
    PLAY = "play"
    """Start games and move in them."""
    ENGINES = "engines"
    """Register and change engines and interfaces."""
    COMPETE = "compete"
    """Enter, announce and run competitions, as far as the account may."""
    TEACH = "teach"
    """Run the account's classes; for a teacher's account."""
    RUN = "run"
    """Read what others lend to runners, and play it for them; for a teacher's account."""
    OPERATE = "operate"
    """Run the site: accounts, roles, locks, quotas, what waits; for an operator's account alone."""


ROLES = {Scope.TEACH: Role.TEACHER, Scope.RUN: Role.TEACHER, Scope.OPERATE: Role.OPERATOR}
"""The role of an account whose tokens may have a scope; the others are for everybody."""


def scopes_of(account: Account) -> tuple[Scope, ...]:
    """Return what a token of somebody's may be good for: never more than he is himself."""
    return tuple(scope for scope in Scope if account.may(ROLES.get(scope, Role.PLAYER)))


@value
class Token:
    """A token, without its secret."""

    id: TokenId
    name: str
    scopes: frozenset[Scope]
    created: int
    used: int | None
    expires: int | None


class Minted(NamedTuple):
    """A new token with its secret, which is told once."""

    secret: str
    token: Token


class Bearer(NamedTuple):
    """Who comes with a token."""

    token: Token
    account: Account

    def require(self, scope: Scope) -> None:
        """Refuse what the token is not good for, or not any more: roles are given and taken."""
        if scope not in self.token.scopes:
            raise ForbiddenError("the token %(name)r has no scope %(scope)s", name=self.token.name, scope=scope)
        self.account.require(ROLES.get(scope, Role.PLAYER))


MINE = [TOKENS.c[name] for name in ("id", "name", "scopes", "created", "used", "expires")]


def _token(row: Sequence[Any]) -> Token:
    number, name, scopes, *rest = row
    return Token(TokenId(number), name, frozenset(map(Scope, scopes.split())), *rest)


class Tokens:
    """All tokens."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def make(self, account: Account, name: str, scopes: Iterable[str], seconds: int | None = None) -> Minted:
        """Make a token that ends after so many seconds, or when it is revoked."""
        secret, now = PREFIX + new_secret(), self._database.now()
        chosen = sorted({_scope(one) for one in scopes})
        if not chosen:
            raise UnfitError("scopes", "at least one")
        for scope in chosen:
            account.require(ROLES.get(scope, Role.PLAYER))
        if seconds is not None and not 1 <= seconds <= LONGEST_SECONDS:
            raise UnfitError("expires", "within ten years")
        made = {
            "digest": digest(secret),
            "account": account.id,
            "name": check_title(name, "name", 60),
            "scopes": " ".join(chosen),
            "created": now,
            "expires": None if seconds is None else now + seconds,
        }
        with self._database.writing() as connection:
            mine = select(func.count()).select_from(TOKENS).where(TOKENS.c.account == account.id)
            if connection.execute(mine).scalar_one() >= self._database.settings.tokens:
                raise QuotaError(
                    "%(tokens)s tokens are the most one account may have: revoke one first", tokens=self._database.settings.tokens
                )
            return Minted(secret, _token(connection.execute(insert(TOKENS).values(**made).returning(*MINE)).one()))

    def find(self, secret: str) -> Bearer | None:
        """Return who comes with this token; None: nobody, or not any more."""
        now = self._database.now()
        asked = select(*MINE, *WHOLE).join(ACCOUNTS, ACCOUNTS.c.id == TOKENS.c.account)
        asked = asked.where(TOKENS.c.digest == digest(secret), ACCOUNTS.c.banned.is_(None), ACCOUNTS.c.erased.is_(False))
        with self._database.reading() as connection:
            found = connection.execute(asked).first()
        if found is None:
            return None
        token = _token(found[: len(MINE)])
        if token.expires is not None and token.expires <= now:
            return None
        if token.used is None or now - token.used >= NOTED_EVERY:
            with suppress(StoreError), self._database.writing() as connection:  # who cannot be noted is known all the same
                connection.execute(update(TOKENS).where(TOKENS.c.id == token.id).values(used=now))
        return Bearer(token, read_account(found[len(MINE) :]))

    def good(self, number: TokenId) -> bool:
        """Tell whether a token that was good is so still: not revoked, not ended, its account not locked and not erased."""
        asked = select(TOKENS.c.expires).join(ACCOUNTS, ACCOUNTS.c.id == TOKENS.c.account)
        asked = asked.where(TOKENS.c.id == number, ACCOUNTS.c.banned.is_(None), ACCOUNTS.c.erased.is_(False))
        with self._database.reading() as connection:
            found = connection.execute(asked).first()
        return found is not None and (found[0] is None or found[0] > self._database.now())

    def of(self, account: Account) -> tuple[Token, ...]:
        """Return somebody's tokens, the newest first; those that ended too, until they are revoked."""
        with self._database.reading() as connection:
            asked = select(*MINE).where(TOKENS.c.account == account.id).order_by(TOKENS.c.id.desc())
            return tuple(map(_token, connection.execute(asked)))

    def revoke(self, account: Account, number: TokenId) -> None:
        """End one of one's own tokens."""
        with self._database.writing() as connection:
            gone = delete(TOKENS).where(TOKENS.c.id == number, TOKENS.c.account == account.id)
            if connection.execute(gone).rowcount != 1:
                raise UnknownError("you have no token with the number %(number)s", number=number)

    def erase(self, connection: Connection, account: Account) -> None:
        """End all tokens of somebody, within a transaction."""
        connection.execute(delete(TOKENS).where(TOKENS.c.account == account.id))


def _scope(text: str) -> Scope:
    try:
        return Scope(text)
    except ValueError:
        raise UnfitError("scopes", "%(text)r is none of %(scope)s", text=shorten(text), scope=", ".join(Scope)) from None
