"""Accounts: who somebody is, what he may do, and how he proves it (spec: tournoyons, section 9, "People").

Passwords are kept as argon2id hashes, and at most two are computed at a time: a hash takes 64 MiB and a tenth of a second of a
processor, so a crowd at the door waits instead of filling the memory. A name that does not exist costs the same hash as a wrong
password and gives the same error. Records never hold an account's name: they hold its neutral one, which survives an erasure.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cached_property
from secrets import token_hex
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, NewType

from sqlalchemy import Connection, delete, insert, select, update

from arbitre.crypto.passwords import fits, keep_password
from arbitre.errors import (
    ExpiredError,
    ForbiddenError,
    LockedError,
    NameTakenError,
    UnfitError,
    UnknownError,
    WrongPasswordError,
    shorten,
)
from arbitre.records.tables import ACCOUNTS, RESETS
from arbitre.site.database import Database
from arbitre.site.forms import check_name, check_password, check_title, digest, fold, new_secret, typed
from arbitre.values import value

if TYPE_CHECKING:
    from arbitre.site.sessions import Sessions
    from arbitre.site.tokens import Tokens

AccountId = NewType("AccountId", int)

AT_ONCE = 2
_HASHING = BoundedSemaphore(AT_ONCE)
"""Of the process, not of one data folder: the memory is the machine's."""

PAGE = 50


class Role(StrEnum):
    """What somebody may do; each may do what those before it may."""

    PLAYER = "player"
    """Play, register engines and interfaces, enter competitions."""
    ORGANISER = "organiser"
    """Announce competitions."""
    TEACHER = "teacher"
    """Have classes."""
    OPERATOR = "operator"
    """Everything."""


@value
class Account:
    """Somebody."""

    id: AccountId
    name: str
    neutral: str
    """What records call him: `player-` and digits; it stays when the account is erased."""
    role: Role
    created: int
    banned: str | None
    """Why he may not log in."""
    quota: int | None
    """How many engines, where it is not as many as everybody."""
    erased: bool

    def may(self, role: Role) -> bool:
        """Tell whether he has this role or a higher one."""
        ranks = tuple(Role)
        return not self.erased and self.banned is None and ranks.index(self.role) >= ranks.index(role)

    def require(self, role: Role) -> None:
        """Refuse whoever has not this role."""
        if not self.may(role):
            raise ForbiddenError(
                "this needs the role of %(role)s; %(name)s is %(role2)s", role=role, name=self.name, role2=self.role
            )


WHOLE = [ACCOUNTS.c[name] for name in ("id", "name", "neutral", "role", "created", "banned", "quota", "erased")]


def read_account(row: Sequence[Any]) -> Account:
    """Return the account of a row of `WHOLE`."""
    number, name, neutral, role, *rest = row
    return Account(AccountId(number), name, neutral, Role(role), *rest)


def new_neutral(kind: str) -> str:
    """Return a new neutral name for records."""
    return f"{kind}-{token_hex(6)}"


def _taken(name: str) -> NameTakenError:
    return NameTakenError("%(name)r is taken, or looks too much like a name that is", name=name)


class Accounts:
    """All accounts."""

    def __init__(self, database: Database, sessions: "Sessions", tokens: "Tokens") -> None:
        self._database = database
        self._settings = database.settings
        self._logins = (sessions.erase, tokens.erase, self._end_reset)
        """What ends everything by which somebody is logged in, or can be without his password."""

    # ── coming in ──────────────────────────────────────────────────────────────────────────────────────────────────

    def create(self, name: str, password: str, role: Role = Role.PLAYER) -> Account:
        """Make an account; `NameTakenError` if there is one whose name looks the same."""
        name, password = self.judge(name, password)
        made = {
            "name": name,
            "folded": fold(name),
            "neutral": new_neutral("player"),
            "password": self._hashed(password),
            "role": role,
            "created": self._database.now(),
        }
        with self._database.writing(_taken(name)) as connection:
            number = connection.execute(insert(ACCOUNTS).values(**made).returning(ACCOUNTS.c.id)).scalar_one()
            return self._one(connection, number)

    def create_pupil(self, name: str) -> Account:
        """Make an account without a password, for a lesson: nobody logs in with it, and an operator's link can change that."""
        name = check_name(name)
        made = {"name": name, "folded": fold(name), "neutral": new_neutral("player"), "password": None, "role": Role.PLAYER}
        with self._database.writing(_taken(name)) as connection:
            adding = insert(ACCOUNTS).values(created=self._database.now(), **made)
            number = connection.execute(adding.returning(ACCOUNTS.c.id)).scalar_one()
            return self._one(connection, number)

    def judge(self, name: str, password: str) -> tuple[str, str]:
        """Return name and password as they are kept if an account can be made of them; it costs nothing to find out."""
        name = check_name(name)
        password = check_password(password, name)
        with self._database.reading() as connection:
            if connection.execute(select(ACCOUNTS.c.id).where(ACCOUNTS.c.folded == fold(name))).first():
                raise _taken(name)
        return name, password

    def authenticate(self, name: str, password: str) -> Account:
        """Return who this is; `WrongPasswordError` without a word about which of the two was wrong."""
        nobody = self._nobody  # before anything else, so that the first stranger does not wait longer than the next
        with self._database.reading() as connection:
            asked = select(*WHOLE, ACCOUNTS.c.password).where(ACCOUNTS.c.folded == _sought(name))
            found = connection.execute(asked).first()
        kept = found.password if found is not None else None
        if len(password) > 1_024 or not self._fits(password, kept or nobody) or found is None or kept is None:
            raise WrongPasswordError("name and password do not belong together")
        account = read_account(found[:-1])
        if account.banned is not None:
            raise LockedError(account.banned)
        return account

    @cached_property
    def _nobody(self) -> str:
        """A hash that no password fits, as costly as anybody's."""
        return self._hashed(new_secret())

    def _hashed(self, password: str) -> str:
        with _HASHING:
            return keep_password(password, self._settings.work)

    def _fits(self, password: str, kept: str) -> bool:
        with _HASHING:
            return fits(typed(password), kept)

    # ── finding ────────────────────────────────────────────────────────────────────────────────────────────────────

    def get(self, number: AccountId) -> Account:
        """Return an account."""
        with self._database.reading() as connection:
            return self._one(connection, number)

    def called(self, name: str) -> Account:
        """Return the account of this name, or of one that looks like it."""
        with self._database.reading() as connection:
            asked = select(*WHOLE).where(ACCOUNTS.c.folded == _sought(name), ACCOUNTS.c.erased.is_(False))
            found = connection.execute(asked).first()
        if found is None:
            raise UnknownError("no account is called %(name)r", name=shorten(name))
        return read_account(found)

    def names(self, neutrals: list[str]) -> dict[str, str]:
        """Return what accounts are called, by their neutral names: what a page shows for what a record says."""
        asked = select(ACCOUNTS.c.neutral, ACCOUNTS.c.name).where(ACCOUNTS.c.neutral.in_(neutrals[:1_000]))
        with self._database.reading() as connection:
            return {row.neutral: row.name for row in connection.execute(asked)}

    def many(self, numbers: Iterable[AccountId]) -> dict[AccountId, str]:
        """Return what accounts are called now, by their numbers."""
        sought = list(dict.fromkeys(numbers))[:2_000]
        with self._database.reading() as connection:
            rows = connection.execute(select(ACCOUNTS.c.id, ACCOUNTS.c.name).where(ACCOUNTS.c.id.in_(sought)))
            return {AccountId(number): name for number, name in rows}

    def all(self, *, role: Role | None = None, search: str = "", after: int = 0, most: int = PAGE) -> tuple[Account, ...]:
        """Return a page of accounts in the order of their making."""
        asked = select(*WHOLE).where(ACCOUNTS.c.id > after, ACCOUNTS.c.erased.is_(False))
        if role is not None:
            asked = asked.where(ACCOUNTS.c.role == role)
        if search:
            asked = asked.where(ACCOUNTS.c.folded.contains(_sought(search) or "\N{REPLACEMENT CHARACTER}", autoescape=True))
        with self._database.reading() as connection:
            return tuple(map(read_account, connection.execute(asked.order_by(ACCOUNTS.c.id).limit(most))))

    # ── changing ───────────────────────────────────────────────────────────────────────────────────────────────────

    def change_password(self, account: Account, old: str, new: str) -> None:
        """Set a new password for who knows the old one; every session and token ends, so the caller starts a new session."""
        self.authenticate(account.name, old)
        self._set_password(account, new)

    def set_password(self, account: Account, new: str) -> None:
        """Set a password without asking for the old one: the operator's command line."""
        self._set_password(account, new)

    def _set_password(self, account: Account, new: str) -> None:
        kept = self._hashed(check_password(new, account.name))
        with self._database.writing() as connection:
            self._change(connection, account.id, password=kept)
            self._show_out(connection, account)

    def start_reset(self, account: Account) -> str:
        """Return the one-time token of a link by which its holder sets a new password; an earlier one ends."""
        token = new_secret()
        expires = self._database.now() + self._settings.reset_seconds
        with self._database.writing() as connection:
            self._one(connection, account.id)
            self._end_reset(connection, account)
            connection.execute(insert(RESETS).values(digest=digest(token), account=account.id, expires=expires))
        return token

    def look_at_reset(self, token: str) -> Account:
        """Return whose link this is, without using it up."""
        asked = select(*WHOLE).join(RESETS, RESETS.c.account == ACCOUNTS.c.id)
        with self._database.reading() as connection:
            found = connection.execute(asked.where(*self._valid(token))).first()
        if found is None:
            raise ExpiredError("this link was used, or is too old: ask the operator for a new one")
        return read_account(found)

    def finish_reset(self, token: str, new: str) -> Account:
        """Set a password by a one-time link; sessions and tokens end."""
        account = self.look_at_reset(token)
        kept = self._hashed(check_password(new, account.name))
        with self._database.writing() as connection:
            if connection.execute(delete(RESETS).where(*self._valid(token))).rowcount != 1:
                raise ExpiredError("this link was used, or is too old: ask the operator for a new one")
            self._change(connection, account.id, password=kept)
            self._show_out(connection, account)
        return account

    def _valid(self, token: str) -> tuple[Any, ...]:
        return RESETS.c.digest == digest(token), RESETS.c.expires > self._database.now()

    def set_role(self, account: Account, role: Role) -> Account:
        """Give a role; the last operator keeps his."""
        with self._database.writing() as connection:
            if role is not Role.OPERATOR:
                _spare_last_operator(connection, account.id)
            return self._change(connection, account.id, role=role)

    def set_quota(self, account: Account, engines: int | None) -> Account:
        """Say how many engines this account may have; None: as many as everybody."""
        if engines is not None and not 0 <= engines <= 100_000:
            raise UnfitError("quota", "0 to 100000, not %(engines)s", engines=engines)
        with self._database.writing() as connection:
            return self._change(connection, account.id, quota=engines)

    def ban(self, account: Account, why: str) -> Account:
        """Lock an account and end its sessions and tokens; its games and engines stay."""
        why = check_title(why, "reason", 200)
        with self._database.writing() as connection:
            _spare_last_operator(connection, account.id)
            self._show_out(connection, account)
            return self._change(connection, account.id, banned=why)

    def unban(self, account: Account) -> Account:
        """Unlock an account."""
        with self._database.writing() as connection:
            return self._change(connection, account.id, banned=None)

    def erase(self, connection: Connection, account: Account) -> None:
        """Leave an account without a name, a password or a role, to which old games still belong; the last operator stays."""
        _spare_last_operator(connection, account.id)
        self._show_out(connection, account)
        named = {"name": account.neutral, "folded": fold(account.neutral), "password": None, "role": Role.PLAYER}
        there = update(ACCOUNTS).where(ACCOUNTS.c.id == account.id, ACCOUNTS.c.erased.is_(False))
        if connection.execute(there.values(**named, banned=None, quota=None, erased=True)).rowcount != 1:
            raise _unknown(account.id)

    def _show_out(self, connection: Connection, account: Account) -> None:
        for end in self._logins:
            end(connection, account)

    def _end_reset(self, connection: Connection, account: Account) -> None:
        connection.execute(delete(RESETS).where(RESETS.c.account == account.id))

    def _change(self, connection: Connection, number: AccountId, **changed: object) -> Account:
        self._one(connection, number)
        connection.execute(update(ACCOUNTS).where(ACCOUNTS.c.id == number).values(**changed))
        return self._one(connection, number)

    def _one(self, connection: Connection, number: int) -> Account:
        found = connection.execute(select(*WHOLE).where(ACCOUNTS.c.id == number, ACCOUNTS.c.erased.is_(False))).first()
        if found is None:
            raise _unknown(number)
        return read_account(found)


def _sought(name: str) -> str | None:
    """Return what to look a name up by; nothing for what cannot be a name, however long it is."""
    try:
        return fold(check_name(name))
    except UnfitError:
        folded = fold(name[:30])
        return folded if folded.isprintable() and folded.replace("-", "").isalnum() else None


def _unknown(number: int) -> UnknownError:
    return UnknownError("no account has the number %(number)s", number=number)


def _spare_last_operator(connection: Connection, number: AccountId) -> None:
    """Refuse to take the last operator away: nobody could make another one from the site."""
    able = (ACCOUNTS.c.role == Role.OPERATOR, ACCOUNTS.c.banned.is_(None), ACCOUNTS.c.erased.is_(False))
    left = [one for (one,) in connection.execute(select(ACCOUNTS.c.id).where(*able))]
    if left == [number]:
        raise ForbiddenError("this is the last operator: make another one first")
