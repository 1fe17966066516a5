"""What engines and interfaces have in common: an owner, a game, a name, an address, and whether it works.

Names are unique within a game, retired ones included: a name in an old record stays whose it was. What is not public is not there
for anybody but its owner and the operator.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

from sqlalchemy import Connection, Table, func, insert, select, update

from arbitre.errors import ForbiddenError, NameTakenError, QuotaError, UnknownError
from arbitre.reasons import Reason
from arbitre.site.accounts import Account, AccountId, Role
from arbitre.site.database import Database
from arbitre.site.forms import check_name, check_url, fold

PAGE = 100


class Owned(Protocol):
    """Something with an owner."""

    @property
    def owner(self) -> AccountId:
        """Whose it is."""

    @property
    def public(self) -> bool:
        """Whether others may see and use it."""

    @property
    def fault(self) -> Reason | None:
        """What went wrong last."""

    @property
    def retired(self) -> int | None:
        """Since when it is out of use."""


class Tried:
    """Something that is tried now and then."""

    __slots__ = ()
    fault: Reason | None

    @property
    def state(self) -> Literal["ok", "broken"]:
        """Whether it worked when it was last tried."""
        return "broken" if self.fault else "ok"


T = TypeVar("T", bound=Owned)


class Registered(ABC, Generic[T]):
    """All things of one kind."""

    TABLE: ClassVar[Table]
    KIND: ClassVar[Reason]

    def __init__(self, database: Database) -> None:
        self._database = database

    @abstractmethod
    def _read(self, row: Sequence[Any]) -> T:
        """Return the value of a row."""

    @abstractmethod
    def _most(self, account: Account) -> int:
        """Return how many this account may have."""

    def check_address(self, by: Account, text: str) -> str:
        """Return an address that things of this kind may have."""
        del by
        return check_url(text)

    # ── finding ────────────────────────────────────────────────────────────────────────────────────────────────────

    def get(self, number: int, by: Account | None = None) -> T:
        """Return one that this person may see."""
        found = self.find(number)
        if not (found.public or _mine(found, by)):
            raise self._unknown(number)
        return found

    def own(self, number: int, by: Account | None) -> T:
        """Return one that this person may change: his own, any to an operator."""
        found = self.get(number, by)
        if not _mine(found, by):
            raise ForbiddenError("this %(kind)s is somebody else's", kind=self.KIND)
        return found

    def find(self, number: int) -> T:
        """Return one, whoever asks: for the house itself."""
        with self._database.reading() as connection:
            return self._one(connection, number)

    def of(self, owner: Account, *, retired: bool = False) -> tuple[T, ...]:
        """Return all of one owner."""
        asked = select(self.TABLE).where(self.TABLE.c.owner == owner.id)
        if not retired:
            asked = asked.where(self.TABLE.c.retired.is_(None))
        with self._database.reading() as connection:
            return tuple(map(self._read, connection.execute(asked.order_by(self.TABLE.c.id))))

    def owned_by(self, owners: Sequence[AccountId]) -> tuple[T, ...]:
        """Return those in use of several owners, whoever asks: a class to its teacher, for instance."""
        asked = select(self.TABLE).where(self.TABLE.c.owner.in_(owners), self.TABLE.c.retired.is_(None))
        with self._database.reading() as connection:
            return tuple(map(self._read, connection.execute(asked.order_by(self.TABLE.c.owner, self.TABLE.c.id))))

    def all(
        self, *, game: str | None = None, by: Account | None = None, search: str = "", after: int = 0, most: int = PAGE
    ) -> tuple[T, ...]:
        """Return a page of those in use that this person may choose, in the order of their making."""
        table = self.TABLE
        asked = select(table).where(table.c.id > after, table.c.retired.is_(None))
        asked = asked.where(table.c.public if by is None else table.c.public | (table.c.owner == by.id))
        if game is not None:
            asked = asked.where(table.c.game == game[:100])
        if search and search.isprintable():
            asked = asked.where(table.c.folded.contains(fold(search[:30]), autoescape=True))
        with self._database.reading() as connection:
            return tuple(map(self._read, connection.execute(asked.order_by(table.c.id).limit(most))))

    def plays(self, connection: Connection, label: str) -> bool:
        """Tell whether there is anything for a game, in use or not."""
        return connection.execute(select(self.TABLE.c.id).where(self.TABLE.c.game == label)).first() is not None

    # ── changing ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _add(self, by: Account, game: str, name: str, url: str, public: bool, **more: object) -> T:
        name, game = check_name(name), self._check_game(by, game)
        made = {"owner": by.id, "game": game, "name": name, "folded": fold(name), "url": self.check_address(by, url)}
        made |= {"public": public, "fault": None, "created": self._database.now(), **more}
        with self._database.writing(self._taken(name)) as connection:
            mine = select(func.count()).select_from(self.TABLE)
            mine = mine.where(self.TABLE.c.owner == by.id, self.TABLE.c.retired.is_(None))
            if connection.execute(mine).scalar_one() >= self._most(by):
                raise QuotaError(
                    "%(by)s %(kind)ss are the most this account may have: retire one first", by=self._most(by), kind=self.KIND
                )
            number = connection.execute(insert(self.TABLE).values(**made).returning(self.TABLE.c.id)).scalar_one()
            return self._one(connection, number)

    @abstractmethod
    def _check_game(self, by: Account, label: str) -> str:
        """Return the game that something is for."""

    def _edit(self, by: Account, number: int, name: str | None, url: str | None, **more: object) -> T:
        changed = {key: given for key, given in more.items() if given is not None}
        if name is not None:
            name = check_name(name)
            changed |= {"name": name, "folded": fold(name)}
        if url is not None:
            changed |= {"url": self.check_address(by, url), "fault": None, "faulted": None}
        with self._database.writing(self._taken(name or "")) as connection:
            self._own(connection, by, number)
            if changed:
                connection.execute(update(self.TABLE).where(self.TABLE.c.id == number).values(**changed))
            return self._one(connection, number)

    def retire(self, by: Account, number: int) -> T:
        """Take one's own out of use; what it played stays, and its name stays taken."""
        with self._database.writing() as connection:
            self._own(connection, by, number)
            connection.execute(update(self.TABLE).where(self.TABLE.c.id == number).values(retired=self._database.now()))
            return self._one(connection, number)

    def judged(self, number: int, fault: Reason | None) -> T:
        """Take down what came of trying it: nothing where it works."""
        self.works(number) if fault is None else self.broke(number, fault)
        return self.find(number)

    def broke(self, number: int, fault: Reason) -> None:
        """Take down what went wrong with it; its owner reads it."""
        self._note(number, fault, self._database.now())

    def works(self, number: int) -> None:
        """Take down that it works."""
        if self.find(number).fault:  # the usual case costs no write
            self._note(number, None, None)

    def _note(self, number: int, fault: Reason | None, at: int | None) -> None:
        with self._database.writing() as connection:
            self._one(connection, number)
            connection.execute(update(self.TABLE).where(self.TABLE.c.id == number).values(fault=fault, faulted=at))

    def _one(self, connection: Connection, number: int) -> T:
        found = connection.execute(select(self.TABLE).where(self.TABLE.c.id == number)).first()
        if found is None:
            raise self._unknown(number)
        return self._read(found)

    def _own(self, connection: Connection, by: Account, number: int) -> T:
        """Return one in use that this person may change."""
        found = self._one(connection, number)
        if not _mine(found, by):
            if found.public:
                raise ForbiddenError("this %(kind)s is somebody else's", kind=self.KIND)
            raise self._unknown(number)
        if found.retired is not None:
            raise ForbiddenError("this %(kind)s is retired", kind=self.KIND)
        return found

    def _unknown(self, number: int) -> UnknownError:
        return UnknownError("no %(kind)s has the number %(number)s", kind=self.KIND, number=number)

    def _taken(self, name: str) -> NameTakenError:
        return NameTakenError(
            "another %(kind)s of this game is called %(name)r, or something that looks like it", kind=self.KIND, name=name
        )


def _mine(found: Owned, by: Account | None) -> bool:
    return by is not None and (found.owner == by.id or by.may(Role.OPERATOR))
