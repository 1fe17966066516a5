"""Classes: a teacher, pupils who joined by a code, and the school's own machines (spec: tournoyons, sections 7 and 9).

A join code has 45 bits, expires, and is renewed by the teacher. Which addresses inside a school may be called for a class, only
the operator says. The gateway of a school is one address for many engines; its key signs every call, and is renewable.
"""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NewType

from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, select, update

from arbitre.errors import ExpiredError, ForbiddenAddressError, ForbiddenError, QuotaError, UnfitError, UnknownError
from arbitre.reasons import Reason
from arbitre.records.tables import ACCOUNTS, CLASSES, MEMBERS
from arbitre.site.accounts import WHOLE, Account, AccountId, Role, read_account
from arbitre.site.database import Database
from arbitre.site.forms import GONE, JOIN_LENGTH, check_about, check_title, check_url, new_code, new_secret, read_code
from arbitre.tournoyons.gateway import Gateway, Way, is_gateway, read_address
from arbitre.transport.guard import Network, read_networks
from arbitre.values import value

if TYPE_CHECKING:
    from arbitre.site.competitions.competitions import Competitions

ClassId = NewType("ClassId", int)

MOST_RANGES = 50
WIDEST = 8
"""How wide a range may be: the largest private ones are 10.0.0.0/8 and fd00::/8."""


@value
class Class:
    """A class, as its teacher sees it; `code`, `gateway` and `gateway_key` are for members and the teacher, never for others."""

    id: ClassId
    teacher: AccountId
    name: str
    code: str
    expires: int
    """When the join code ends."""
    ranges: tuple[str, ...]
    """Internal addresses that may be called for engines of this class, as CIDR."""
    gateway: str
    """The school's one address for many engines; empty: none."""
    gateway_key: str
    created: int
    words: str = ""
    """What the school tells its members: where machines are, how its gateway is reached, whom to ask."""
    accounts_only: bool = False
    """Whether the code and a name are not enough for a lesson."""

    def run_by(self, by: Account | None) -> bool:
        """Tell whether somebody runs it: its teacher, or an operator."""
        return by is not None and (self.teacher == by.id or by.may(Role.OPERATOR))

    @property
    def networks(self) -> tuple[Network, ...]:
        """What a guard is given."""
        return read_networks(self.ranges)


class Member(NamedTuple):
    """Somebody in a class."""

    account: Account
    joined: int
    made: bool = False
    """Whether the account was made for this class, in a lesson or by its teacher."""


def _class(row: Sequence[Any]) -> Class:
    number, teacher, name, code, expires, ranges, *rest = row
    return Class(ClassId(number), AccountId(teacher), name, code, expires, tuple(json.loads(ranges)), *rest)


class Classes:
    """All classes."""

    def __init__(self, database: Database, competitions: "Competitions") -> None:
        self._database = database
        self._competitions = competitions

    # ── the teacher ────────────────────────────────────────────────────────────────────────────────────────────────

    def create(self, by: Account, name: str) -> Class:
        """Make a class with a join code."""
        by.require(Role.TEACHER)
        settings, now = self._database.settings, self._database.now()
        made = {"teacher": by.id, "name": check_title(name, "name", 60), "created": now, "ranges": "[]", "gateway": ""}
        made |= {"gateway_key": new_secret(), "code": new_code(JOIN_LENGTH), "expires": now + settings.join_seconds}
        with self._database.writing() as connection:
            mine = select(func.count()).select_from(CLASSES).where(CLASSES.c.teacher == by.id)
            if connection.execute(mine).scalar_one() >= settings.classes:
                raise QuotaError("%(classes)s classes are the most one teacher may have: end one first", classes=settings.classes)
            return _class(connection.execute(insert(CLASSES).values(**made).returning(CLASSES)).one())

    def rename(self, by: Account, number: ClassId, name: str) -> Class:
        """Give a class another name."""
        return self._change(by, number, name=check_title(name, "name", 60))

    def renew_code(self, by: Account, number: ClassId, seconds: int | None = None) -> Class:
        """Make a new join code, which ends after so many seconds; the old one is worth nothing any more."""
        most = self._database.settings.join_seconds
        lasts = most if seconds is None else seconds
        if not 0 <= lasts <= most:
            raise UnfitError("expires", "within %(most)s seconds", most=most)
        return self._change(by, number, code=new_code(JOIN_LENGTH), expires=self._database.now() + lasts)

    def set_gateway(self, by: Account, number: ClassId, url: str) -> Class:
        """Say where the school's gateway is, with a new key; an empty address: nowhere."""
        return self._change(by, number, gateway=check_url(url, "gateway") if url.strip() else "", gateway_key=new_secret())

    def renew_key(self, by: Account, number: ClassId) -> Class:
        """Make a new key for the gateway."""
        return self._change(by, number, gateway_key=new_secret())

    def set_ranges(self, by: Account, number: ClassId, ranges: Iterable[str]) -> Class:
        """Say which internal addresses may be called for this class: the operator's alone to say."""
        by.require(Role.OPERATOR)
        given = [text for text in ranges if text.strip()]
        if len(given) > MOST_RANGES:
            raise UnfitError("ranges", "at most %(most_ranges)s, not %(given)s", most_ranges=MOST_RANGES, given=len(given))
        try:
            kept = read_networks(given)
        except ForbiddenAddressError as error:
            raise UnfitError("ranges", error.reason) from None
        for network in kept:
            if network.prefixlen < WIDEST:
                raise UnfitError(
                    "ranges",
                    "%(network)s is wider than /%(widest)s: list the machines that pupils use",
                    network=network,
                    widest=WIDEST,
                )
        return self._change(by, number, ranges=json.dumps([str(network) for network in kept]))

    def set_words(self, by: Account, number: ClassId, text: str) -> Class:
        """Say what members read on the pages of the class and of its gateway; nobody else does."""
        return self._change(by, number, words=check_about(text, "words"))

    def set_accounts_only(self, by: Account, number: ClassId, *, on: bool) -> Class:
        """Say whether only who has an account joins; else the code and a name are enough to bring an engine to the lesson."""
        return self._change(by, number, accounts_only=on)

    def end(self, by: Account, number: ClassId) -> None:
        """End a class; its pupils, their engines and its competitions stay, the latter for those who have the link."""
        with self._database.writing() as connection:
            self._own(connection, by, number)
            self._end(connection, number)

    def erase(self, connection: Connection, account: Account) -> None:
        """Let somebody leave his classes, and end those that he teaches."""
        connection.execute(delete(MEMBERS).where(MEMBERS.c.account == account.id))
        for (number,) in connection.execute(select(CLASSES.c.id).where(CLASSES.c.teacher == account.id)).all():
            self._end(connection, number)

    def _end(self, connection: Connection, number: ClassId) -> None:
        self._competitions.leave_class(connection, number)
        connection.execute(delete(MEMBERS).where(MEMBERS.c["class"] == number))
        connection.execute(delete(CLASSES).where(CLASSES.c.id == number))

    # ── pupils ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def look(self, code: str) -> Class:
        """Return the class of a join code, and change nothing; `ExpiredError` if there is none (any more)."""
        with self._database.reading() as connection:
            return self._coded(connection, code)

    def join(self, by: Account, code: str) -> Class:
        """Become a member by the code; once more is no error."""
        with self._database.writing() as connection:
            found = self._coded(connection, code)
            self._enter(connection, found, by, made=False)
            return found

    def admit(self, by: Account, number: ClassId, account: Account) -> None:
        """Make somebody a member of one's class whose account was made for it."""
        with self._database.writing() as connection:
            self._enter(connection, self._own(connection, by, number), account, made=True)

    def _enter(self, connection: Connection, klass: Class, account: Account, *, made: bool) -> None:
        most = self._database.settings.members
        members = select(MEMBERS.c.account).where(MEMBERS.c["class"] == klass.id)
        inside = {number for (number,) in connection.execute(members)}
        if account.id in inside or account.id == klass.teacher:
            return
        if len(inside) >= most:
            raise QuotaError("%(most)s are the most a class may have", most=most)
        row = {"class": klass.id, "account": account.id, "joined": self._database.now(), "made": made}
        connection.execute(insert(MEMBERS).values(row))

    def leave(self, by: Account, number: ClassId) -> None:
        """Leave a class."""
        with self._database.writing() as connection:
            self._drop(connection, number, by.id)

    def remove(self, by: Account, number: ClassId, pupil: AccountId) -> None:
        """Take somebody out of one's class; renew the code, or he comes back."""
        with self._database.writing() as connection:
            self._own(connection, by, number)
            self._drop(connection, number, pupil)

    def _drop(self, connection: Connection, number: ClassId, pupil: AccountId) -> None:
        gone = delete(MEMBERS).where(MEMBERS.c["class"] == number, MEMBERS.c.account == pupil)
        if connection.execute(gone).rowcount != 1:
            raise UnknownError("there is no such member")

    # ── finding ────────────────────────────────────────────────────────────────────────────────────────────────────

    def get(self, by: Account, number: ClassId) -> Class:
        """Return a class to its teacher, its members and the operator; to others it is not there."""
        with self._database.reading() as connection:
            found = self._one(connection, number)
            if not (found.run_by(by) or holds(connection, number, by.id)):
                raise _unknown(number)
            return found

    def taught(self, by: Account, number: ClassId) -> Class:
        """Return a class to whoever runs it; its members are told that they do not."""
        found = self.get(by, number)
        if not found.run_by(by):
            raise ForbiddenError("only its teacher changes a class")
        return found

    def taught_by(self, teacher: Account) -> tuple[Class, ...]:
        """Return the classes of a teacher."""
        with self._database.reading() as connection:
            asked = select(CLASSES).where(CLASSES.c.teacher == teacher.id).order_by(CLASSES.c.id)
            return tuple(map(_class, connection.execute(asked)))

    def of(self, account: Account) -> tuple[Class, ...]:
        """Return the classes that somebody joined."""
        with self._database.reading() as connection:
            asked = select(CLASSES).join(MEMBERS, MEMBERS.c["class"] == CLASSES.c.id)
            asked = asked.where(MEMBERS.c.account == account.id).order_by(CLASSES.c.id)
            return tuple(map(_class, connection.execute(asked)))

    def all(self, by: Account) -> tuple[Class, ...]:
        """Return every class, to the operator."""
        by.require(Role.OPERATOR)
        with self._database.reading() as connection:
            return tuple(map(_class, connection.execute(select(CLASSES).order_by(CLASSES.c.id))))

    def members(self, by: Account, number: ClassId) -> tuple[Member, ...]:
        """Return who is in a class, to its teacher, its members and the operator."""
        self.get(by, number)
        with self._database.reading() as connection:
            asked = select(MEMBERS.c.joined, MEMBERS.c.made, *WHOLE).join(ACCOUNTS, ACCOUNTS.c.id == MEMBERS.c.account)
            rows = connection.execute(asked.where(MEMBERS.c["class"] == number).order_by(ACCOUNTS.c.folded))
            return tuple(Member(read_account(row[2:]), *row[:2]) for row in rows)

    def holds(self, number: ClassId, account: Account) -> bool:
        """Tell whether somebody is in a class, or teaches it."""
        with self._database.reading() as connection:
            self._one(connection, number)
            return holds(connection, number, account.id)

    def teaches(self, teacher: Account, pupil: AccountId) -> bool:
        """Tell whether somebody teaches a class that another has joined."""
        with self._database.reading() as connection:
            asked = select(CLASSES.c.id).where(CLASSES.c.teacher == teacher.id, CLASSES.c.id.in_(joined_by(pupil)))
            return teacher.may(Role.TEACHER) and connection.execute(asked).first() is not None

    def networks_for(self, owner: AccountId) -> tuple[Network, ...]:
        """Return the internal addresses that may be called for somebody's engines: those of all his classes."""
        with self._database.reading() as connection:
            rows = connection.execute(select(CLASSES).where(_of(owner)))
            return tuple(network for row in rows for network in _class(row).networks)

    def way_for(self, owner: AccountId, address: str) -> Way:
        """Return how somebody's engine may be called: in the ranges of his classes, or through the gateway that it names."""
        if not is_gateway(address):
            return Way(self.networks_for(owner))
        number, _ = read_address(address.partition("?")[0])
        with self._database.reading() as connection:
            try:
                found = self._one(connection, ClassId(number or 0))
            except UnknownError:
                return Way(why=Reason("gateway-ended"))
            if not holds(connection, found.id, owner):
                return Way(why=Reason("gateway-of-others"))
        if not found.gateway:
            return Way(why=Reason("gateway-gone"))
        return Way(found.networks, Gateway(found.gateway, found.gateway_key))

    # ── within ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _coded(self, connection: Connection, code: str) -> Class:
        valid = (CLASSES.c.code == read_code(code, JOIN_LENGTH), CLASSES.c.expires > self._database.now())
        found = connection.execute(select(CLASSES).where(*valid)).first()
        if found is None:
            raise ExpiredError(GONE)
        return _class(found)

    def _change(self, by: Account, number: ClassId, **changed: object) -> Class:
        with self._database.writing() as connection:
            self._own(connection, by, number)
            connection.execute(update(CLASSES).where(CLASSES.c.id == number).values(**changed))
            return self._one(connection, number)

    def _own(self, connection: Connection, by: Account, number: ClassId) -> Class:
        found = self._one(connection, number)
        if not found.run_by(by):
            if holds(connection, number, by.id):
                raise ForbiddenError("only its teacher changes a class")
            raise _unknown(number)
        return found

    def _one(self, connection: Connection, number: ClassId) -> Class:
        found = connection.execute(select(CLASSES).where(CLASSES.c.id == number)).first()
        if found is None:
            raise _unknown(number)
        return _class(found)


def joined_by(account: AccountId) -> Select[int]:
    """Return the query of the classes that somebody joined."""
    return select(MEMBERS.c["class"]).where(MEMBERS.c.account == account)


def _of(account: AccountId) -> ColumnElement[bool]:
    """Return the condition that somebody joined a class or teaches it."""
    return CLASSES.c.id.in_(joined_by(account)) | (CLASSES.c.teacher == account)


def holds(connection: Connection, number: ClassId | None, account: AccountId) -> bool:
    """Tell whether somebody is in a class, or teaches it, within a transaction."""
    return connection.execute(select(CLASSES.c.id).where(_of(account), CLASSES.c.id == number)).first() is not None


def gateways_of(connection: Connection, account: AccountId) -> list[int]:
    """Return the classes with a gateway that somebody joined or teaches, within a transaction."""
    asked = select(CLASSES.c.id).where(_of(account), CLASSES.c.gateway != "").order_by(CLASSES.c.id)
    return list(connection.execute(asked).scalars())


def check_teacher(connection: Connection, by: Account, number: ClassId) -> None:
    """Refuse whoever does not run a class, within a transaction."""
    found = connection.execute(select(CLASSES.c.teacher).where(CLASSES.c.id == number)).first()
    if found is None or not (found.teacher == by.id or by.may(Role.OPERATOR)):
        raise UnknownError("you teach no class with the number %(number)s", number=number)


def _unknown(number: int) -> UnknownError:
    return UnknownError("no class has the number %(number)s", number=number)
