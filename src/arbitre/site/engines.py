"""Registered engines: programs at addresses that play one game for their owner (spec: tournoyons, sections 1 and 7)."""

from collections.abc import Sequence
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NewType

from sqlalchemy import Connection, Select, delete, func, select, update

from arbitre.errors import ProtocolError, StageError, UnfitError
from arbitre.reasons import Reason
from arbitre.records.tables import ACCOUNTS, ENGINES
from arbitre.site.accounts import Account, AccountId
from arbitre.site.added import ForGames
from arbitre.site.arena.dialing import DIAL, dials
from arbitre.site.arena.matches import forget_programs
from arbitre.site.classes import gateways_of
from arbitre.site.database import Database
from arbitre.site.forms import check_url, digest, fold, new_secret
from arbitre.site.registered import Tried
from arbitre.tournoyons.gateway import is_gateway, read_address
from arbitre.tournoyons.wire import Style
from arbitre.values import value

if TYPE_CHECKING:
    from arbitre.site.competitions.entries import Entries

EngineId = NewType("EngineId", int)

LONGEST_LOGIN = 200

TOKEN_PREFIX = "arbe_"  # noqa: S105 - every token of an engine begins so
"""What the token of an engine begins with: it opens that engine's questions, and nothing else."""


@value
class Engine(Tried):
    """An engine, as it was declared."""

    id: EngineId
    owner: AccountId
    game: str
    name: str
    url: str
    style: Style
    public: bool
    """Whether others may play against it."""
    opponent: str
    """What is its own in its permanent identifier, `neutral`."""
    fault: Reason | None
    """What went wrong last; empty: nothing did."""
    faulted: int | None
    created: int
    retired: int | None

    @property
    def dials(self) -> bool:
        """Whether it calls us, instead of having an address."""
        return dials(self.url)

    @property
    def neutral(self) -> str:
        """Its permanent identifier, in records, on pages, in the API and for its opponents; it stays when its owner is erased."""
        return f"engine-{self.opponent}"


class Engines(ForGames[Engine]):
    """All engines."""

    TABLE = ENGINES
    KIND = Reason("engine")

    def __init__(self, database: Database, entries: "Entries") -> None:
        super().__init__(database)
        self._entries = entries

    def add(self, by: Account, *, game: str, name: str, url: str, style: Style | None = None, public: bool = True) -> Engine:
        """Register an engine; whether the address answers is for the caller to try."""
        return self._add(by, game, name, url, public, opponent=token_hex(6), **_style(style or Style()))

    def edit(
        self,
        by: Account,
        number: EngineId,
        *,
        name: str | None = None,
        url: str | None = None,
        style: Style | None = None,
        public: bool | None = None,
    ) -> Engine:
        """Change what is given of one's own engine; its game and its identifier stay. A new address has no faults yet."""
        return self._edit(by, number, name, url, public=public, **({} if style is None else _style(style)))

    def mint(self, by: Account, number: int) -> str:
        """Return a new token of one's own engine that calls us; the one before is good no more, and none is ever shown again."""
        secret = TOKEN_PREFIX + new_secret()
        self._set_token(by, number, digest(secret))
        return secret

    def revoke(self, by: Account, number: int) -> None:
        """End the token of one's own engine."""
        self._set_token(by, number, None)

    def _set_token(self, by: Account, number: int, kept: str | None) -> None:
        with self._database.writing() as connection:
            if not self._own(connection, by, number).dials:
                raise StageError("this engine has an address: it is called, and needs no token")
            connection.execute(update(ENGINES).where(ENGINES.c.id == number).values(digest=kept))

    def bearing(self, secret: str) -> Engine | None:
        """Return the engine whose token this is; None: nobody's, or not any more."""
        asked = select(ENGINES).join(ACCOUNTS, ACCOUNTS.c.id == ENGINES.c.owner)
        asked = asked.where(ENGINES.c.digest == digest(secret), ENGINES.c.retired.is_(None))
        asked = asked.where(ACCOUNTS.c.banned.is_(None), ACCOUNTS.c.erased.is_(False))
        with self._database.reading() as connection:
            found = connection.execute(asked).first()
        return None if found is None else self._read(found)

    def names(self, neutrals: Sequence[str]) -> dict[str, str]:
        """Return what engines are called, by their neutral names: what a page shows for what a record says."""
        sought = [_plain(one.removeprefix("engine-")) for one in neutrals[:1_000]]
        with self._database.reading() as connection:
            asked = select(ENGINES.c.opponent, ENGINES.c.name).where(ENGINES.c.opponent.in_(sought))
            return {f"engine-{opponent}": name for opponent, name in connection.execute(asked)}

    def check_address(self, by: Account, text: str) -> str:
        """Return an address of the web, `dial:`, or `gateway:CLASS/IDENT`; a class not said is the one that has a gateway."""
        if dials(text.strip()):
            return DIAL
        if not is_gateway(text.strip()):
            return check_url(text)
        try:
            number, ident = read_address(text.strip())
        except ProtocolError as error:
            raise UnfitError("url", error.reason) from None
        with self._database.reading() as connection:
            known = gateways_of(connection, by.id)
        if number is None and len(known) > 1:
            raise UnfitError(
                "url", "several of your classes have a gateway: write gateway:%(klass)s/%(ident)s", klass=known[0], ident=ident
            )
        if number not in (None, *known) or not known:
            raise UnfitError("url", "none of your classes has such a gateway")
        return f"gateway:{known[0] if number is None else number}/{ident}"

    def called(self, words: str, most: int) -> tuple[str, ...]:
        """Return the neutral names of engines with these words in their names: what records say for what somebody seeks."""
        with self._database.reading() as connection:
            asked = select(ENGINES.c.opponent).where(ENGINES.c.name.contains(words, autoescape=True))
            return tuple(f"engine-{one}" for (one,) in connection.execute(asked.order_by(ENGINES.c.id).limit(most)))

    def counts(self, owners: Sequence[AccountId]) -> dict[AccountId, int]:
        """Return how many engines these accounts have that are not retired; who has none is left out."""
        asked = select(ENGINES.c.owner, func.count()).where(ENGINES.c.owner.in_(owners[:1_000]), ENGINES.c.retired.is_(None))
        with self._database.reading() as connection:
            return {AccountId(owner): count for owner, count in connection.execute(asked.group_by(ENGINES.c.owner))}

    def erase(self, connection: Connection, account: Account) -> None:
        """Remove somebody's engines; one that competed stays as a row without a name and an address."""
        mine = connection.execute(select(ENGINES.c.id, ENGINES.c.opponent).where(ENGINES.c.owner == account.id)).all()
        forget_programs(connection, [number for number, _ in mine])
        blank = {"url": "", "login": "", "public": False, "fault": "", "retired": self._database.now(), "digest": None}
        for number, opponent in mine:
            name, this = f"engine-{opponent}", ENGINES.c.id == number
            if self._entries.have(connection, EngineId(number)):
                connection.execute(update(ENGINES).where(this).values(name=name, folded=fold(name), **blank))
            else:
                connection.execute(delete(ENGINES).where(this))

    def _most(self, account: Account) -> int:
        return self._database.settings.engines if account.quota is None else account.quota

    def _read(self, row: Sequence[Any]) -> Engine:
        number, owner, game, name, _, url, full, direct, notify, login, *rest, _digest = row
        return Engine(EngineId(number), AccountId(owner), game, name, url, Style(full, direct, notify, login), *rest)


def owned_by(account: Account) -> Select[int]:
    """Return the query of somebody's engines."""
    return select(ENGINES.c.id).where(ENGINES.c.owner == account.id)


def usable(connection: Connection, number: EngineId) -> Any:
    """Return the row of an engine in use; None: there is none."""
    return connection.execute(select(ENGINES).where(ENGINES.c.id == number, ENGINES.c.retired.is_(None))).first()


def _style(style: Style) -> dict[str, object]:
    if len(style.login) > LONGEST_LOGIN or not style.login.isprintable():
        raise UnfitError("login", "at most %(longest_login)s characters that can be shown", longest_login=LONGEST_LOGIN)
    return {"full": style.full, "direct": style.direct, "notify": style.notify, "login": style.login}


def _plain(text: str) -> str:
    return text if text.isascii() and len(text) <= 40 else ""
