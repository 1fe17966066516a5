"""Registered interfaces: pages of third parties that show one game (spec: tournoyons, section 5)."""

from collections.abc import Sequence
from typing import Any, NewType

from sqlalchemy import Connection, delete

from arbitre.reasons import Reason
from arbitre.records.tables import INTERFACES
from arbitre.site.accounts import Account, AccountId
from arbitre.site.added import ForGames
from arbitre.site.registered import Tried
from arbitre.values import value

InterfaceId = NewType("InterfaceId", int)


@value
class Interface(Tried):
    """An interface, as it was declared."""

    id: InterfaceId
    owner: AccountId
    game: str
    name: str
    url: str
    public: bool
    """Whether others may choose it."""
    own_origin: bool
    """Whether its frame keeps the origin it came from, for pages that do not work without one; never our origin."""
    fault: Reason | None
    faulted: int | None
    created: int
    retired: int | None


class Interfaces(ForGames[Interface]):
    """All interfaces."""

    TABLE = INTERFACES
    KIND = Reason("interface")

    def add(self, by: Account, *, game: str, name: str, url: str, public: bool = True, own_origin: bool = False) -> Interface:
        """Register an interface; whether the address answers is for the caller to try."""
        return self._add(by, game, name, url, public, own_origin=own_origin)

    def edit(
        self,
        by: Account,
        number: InterfaceId,
        *,
        name: str | None = None,
        url: str | None = None,
        public: bool | None = None,
        own_origin: bool | None = None,
    ) -> Interface:
        """Change what is given of one's own interface; its game stays."""
        return self._edit(by, number, name, url, public=public, own_origin=own_origin)

    def erase(self, connection: Connection, account: Account) -> None:
        """Remove somebody's."""
        connection.execute(delete(INTERFACES).where(INTERFACES.c.owner == account.id))

    def _most(self, account: Account) -> int:  # noqa: ARG002 - the same for everybody
        return self._database.settings.interfaces

    def _read(self, row: Sequence[Any]) -> Interface:
        number, owner, game, name, _, *rest = row
        return Interface(InterfaceId(number), AccountId(owner), game, name, *rest)
