"""Sessions: a browser that is logged in. The token is its cookie; what is kept is a hash of it.

A session ends after some days without use, when it is revoked, and when the password changes or the account is locked.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, NewType

from sqlalchemy import Connection, delete, insert, select, update

from arbitre.errors import StoreError, UnknownError
from arbitre.records.tables import ACCOUNTS, SESSIONS
from arbitre.site.accounts import WHOLE, Account, read_account
from arbitre.site.database import Database
from arbitre.site.forms import digest, new_secret
from arbitre.values import value

SessionId = NewType("SessionId", int)

NOTED_EVERY = 3_600
"""Seconds between two notes that a session is in use: a page that is looked at must not cost a write."""


@value
class Session:
    """A browser that is logged in."""

    id: SessionId
    created: int
    used: int
    expires: int
    agent: str
    """What the browser said it was, shortened."""


class Opened(NamedTuple):
    """A new session with its token, which is told once."""

    token: str
    session: Session


class Visitor(NamedTuple):
    """Who comes with a token."""

    session: Session
    account: Account


MINE = [SESSIONS.c[name] for name in ("id", "created", "used", "expires", "agent")]


def _session(row: Sequence[Any]) -> Session:
    number, *rest = row
    return Session(SessionId(number), *rest)


class Sessions:
    """All sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._settings = database.settings

    def start(self, account: Account, agent: str = "") -> Opened:
        """Log somebody in, who was authenticated; his oldest sessions end where he has too many."""
        token, now = new_secret(), self._database.now()
        said = "".join(letter for letter in agent[:200] if letter.isprintable())
        made = {"digest": digest(token), "account": account.id, "created": now, "used": now, "agent": said}
        with self._database.writing() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.expires <= now))
            oldest = select(SESSIONS.c.id).where(SESSIONS.c.account == account.id).order_by(SESSIONS.c.id.desc())
            for (number,) in connection.execute(oldest.offset(self._settings.sessions - 1)).all():
                connection.execute(delete(SESSIONS).where(SESSIONS.c.id == number))
            added = insert(SESSIONS).values(**made, expires=now + self._settings.session_seconds).returning(*MINE)
            return Opened(token, _session(connection.execute(added).one()))

    def find(self, token: str) -> Visitor | None:
        """Return who comes with this token; None: nobody, or not any more."""
        now = self._database.now()
        asked = select(*MINE, *WHOLE).join(ACCOUNTS, ACCOUNTS.c.id == SESSIONS.c.account)
        able = (ACCOUNTS.c.banned.is_(None), ACCOUNTS.c.erased.is_(False))
        with self._database.reading() as connection:
            found = connection.execute(asked.where(SESSIONS.c.digest == digest(token), SESSIONS.c.expires > now, *able)).first()
        if found is None:
            return None
        session = _session(found[: len(MINE)])
        if now - session.used >= NOTED_EVERY:
            noted = {"used": now, "expires": now + self._settings.session_seconds}
            with suppress(StoreError), self._database.writing() as connection:  # who cannot be noted is known all the same
                connection.execute(update(SESSIONS).where(SESSIONS.c.id == session.id).values(**noted))
        return Visitor(session, read_account(found[len(MINE) :]))

    def of(self, account: Account) -> tuple[Session, ...]:
        """Return somebody's sessions, the newest first."""
        asked = select(*MINE).where(SESSIONS.c.account == account.id, SESSIONS.c.expires > self._database.now())
        with self._database.reading() as connection:
            return tuple(map(_session, connection.execute(asked.order_by(SESSIONS.c.id.desc()))))

    def end(self, token: str) -> None:
        """Log out: the session of this token is over, if there is one."""
        with self._database.writing() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.digest == digest(token)))

    def revoke(self, account: Account, number: SessionId) -> None:
        """End one of one's own sessions."""
        with self._database.writing() as connection:
            gone = delete(SESSIONS).where(SESSIONS.c.id == number, SESSIONS.c.account == account.id)
            if connection.execute(gone).rowcount != 1:
                raise UnknownError("you have no session with the number %(number)s", number=number)

    def revoke_all(self, account: Account, but: SessionId | None = None) -> None:
        """End all of one's sessions, or all but this one."""
        gone = delete(SESSIONS).where(SESSIONS.c.account == account.id)
        with self._database.writing() as connection:
            connection.execute(gone if but is None else gone.where(SESSIONS.c.id != but))

    def erase(self, connection: Connection, account: Account) -> None:
        """End all sessions of somebody, within a transaction."""
        connection.execute(delete(SESSIONS).where(SESSIONS.c.account == account.id))
