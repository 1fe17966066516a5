"""Invitations: a link by which another person takes a seat of a match (spec: tournoyons, section 9).

To look at one changes nothing, for link previews fetch; to accept one is a deed of its own, and works once. The code is told when
it is made and kept as a hash.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, NewType

from sqlalchemy import Connection, delete, func, insert, select, update

from arbitre.errors import ExpiredError, ForbiddenError, QuotaError, UnfitError, UnknownError
from arbitre.games.game import Seat
from arbitre.records.tables import INVITATIONS
from arbitre.site.accounts import Account, AccountId
from arbitre.site.database import Database
from arbitre.site.forms import GONE, LINK_LENGTH, check_title, digest, new_code, read_code
from arbitre.values import value

InvitationId = NewType("InvitationId", int)


@value
class Invitation:
    """A seat that is offered."""

    id: InvitationId
    match: str
    seat: Seat
    inviter: AccountId | None
    """None: a guest of the site."""
    created: int
    expires: int
    accepted: int | None
    guest: AccountId | None
    """Who accepted, where he has an account."""


class Offered(NamedTuple):
    """A new invitation with its code, which is told once."""

    code: str
    invitation: Invitation


MINE = [INVITATIONS.c[name] for name in ("id", "match", "seat", "inviter", "created", "expires", "accepted", "guest")]


def _invitation(row: Sequence[Any]) -> Invitation:
    number, match, seat, *rest = row
    return Invitation(InvitationId(number), match, Seat(seat), *rest)


class Invitations:
    """All invitations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def offer(self, match: str, seat: Seat, by: Account | None, seconds: int | None = None) -> Offered:
        """Offer a seat; an earlier offer of the same seat ends. Whether it is his to offer, the caller knows."""
        settings, now, code = self._database.settings, self._database.now(), new_code(LINK_LENGTH)
        lasts = settings.invitation_seconds if seconds is None else seconds
        if not 1 <= lasts <= settings.invitation_seconds:
            raise UnfitError("expires", "within %(invitation_seconds)s seconds", invitation_seconds=settings.invitation_seconds)
        if not 0 <= seat < 100:
            raise UnfitError("seat", "there is no seat %(seat)s", seat=seat)
        made = {
            "digest": digest(code),
            "match": check_title(match, "match"),
            "seat": seat,
            "created": now,
            "expires": now + lasts,
        }
        with self._database.writing() as connection:
            same = (INVITATIONS.c.match == match, INVITATIONS.c.seat == seat, INVITATIONS.c.accepted.is_(None))
            connection.execute(delete(INVITATIONS).where(*same))
            if by is not None:
                mine = select(func.count()).select_from(INVITATIONS).where(INVITATIONS.c.inviter == by.id, *_pending(now))
                if connection.execute(mine).scalar_one() >= settings.invitations:
                    raise QuotaError(
                        "%(invitations)s invitations may wait for an answer: withdraw one first", invitations=settings.invitations
                    )
            added = insert(INVITATIONS).values(**made, inviter=None if by is None else by.id).returning(*MINE)
            return Offered(code, _invitation(connection.execute(added).one()))

    def look(self, code: str) -> Invitation:
        """Return what a code offers, and leave it as it is; `ExpiredError` if it offers nothing (any more)."""
        asked = select(*MINE).where(INVITATIONS.c.digest == digest(read_code(code, LINK_LENGTH)))
        with self._database.reading() as connection:
            found = connection.execute(asked.where(*_pending(self._database.now()))).first()
        if found is None:
            raise ExpiredError(GONE)
        return _invitation(found)

    def accept(self, code: str, by: Account | None) -> Invitation:
        """Take the seat: once, by one person, who is not the one who offered it."""
        now = self._database.now()
        with self._database.writing() as connection:
            sought = (INVITATIONS.c.digest == digest(read_code(code, LINK_LENGTH)), *_pending(now))
            found = connection.execute(select(*MINE).where(*sought)).first()
            if found is None:
                raise ExpiredError(GONE)
            if by is not None and by.id == found.inviter:
                raise ForbiddenError("this is your own invitation: send the link to somebody else")
            taken = update(INVITATIONS).where(*sought).values(accepted=now, guest=None if by is None else by.id)
            return _invitation(connection.execute(taken.returning(*MINE)).one())

    def withdraw(self, by: Account, number: InvitationId) -> None:
        """Take an offer back that nobody accepted."""
        with self._database.writing() as connection:
            gone = delete(INVITATIONS).where(INVITATIONS.c.id == number, INVITATIONS.c.inviter == by.id)
            if connection.execute(gone.where(INVITATIONS.c.accepted.is_(None))).rowcount != 1:
                raise UnknownError("you have no open invitation with the number %(number)s", number=number)

    def of(self, account: Account) -> tuple[Invitation, ...]:
        """Return somebody's offers that wait for an answer."""
        asked = select(*MINE).where(INVITATIONS.c.inviter == account.id, *_pending(self._database.now()))
        with self._database.reading() as connection:
            return tuple(map(_invitation, connection.execute(asked.order_by(INVITATIONS.c.id))))

    def to(self, match: str) -> tuple[Invitation, ...]:
        """Return all invitations to a match that were accepted or still may be."""
        late = INVITATIONS.c.accepted.is_(None) & (INVITATIONS.c.expires <= self._database.now())
        with self._database.reading() as connection:
            asked = select(*MINE).where(INVITATIONS.c.match == check_title(match, "match"), ~late)
            return tuple(map(_invitation, connection.execute(asked.order_by(INVITATIONS.c.id))))

    def erase(self, connection: Connection, account: Account) -> None:
        """Take back what somebody offered, and forget what he accepted."""
        connection.execute(delete(INVITATIONS).where(INVITATIONS.c.inviter == account.id))
        connection.execute(update(INVITATIONS).where(INVITATIONS.c.guest == account.id).values(guest=None))


def _pending(now: int) -> tuple[Any, ...]:
    return INVITATIONS.c.accepted.is_(None), INVITATIONS.c.expires > now
