"""Erasure of a person's data (spec: tournoyons, section 9): what was his goes, what he played stays under a neutral name.

Records are signed and chained, so nothing can be taken out of them; that is why they hold neutral names from the start. Each
repository knows what of its tables goes, and what stays without a name.
"""

from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from arbitre.site.accounts import Account
from arbitre.site.database import Database


class Erasure:
    """Takes people out of the store."""

    def __init__(self, database: Database, parts: Sequence[Callable[[Connection, Account], None]]) -> None:
        self._database = database
        self._parts = parts

    def erase(self, account: Account) -> None:
        """Erase an account and everything of its person's, or nothing; the last operator stays."""

        def work(connection: Connection) -> None:
            for erase in self._parts:
                erase(connection, account)

        self._database.write(work)
        self._database.flush()
