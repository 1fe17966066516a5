"""Who has said that he is there for a game of a competition of people; it outlives the house."""

from sqlalchemy import Connection, delete, insert, select

from arbitre.records.tables import ARRIVALS
from arbitre.site.accounts import Account, AccountId
from arbitre.site.competitions.competitions import CompetitionId
from arbitre.site.database import Database


class Arrivals:
    """Everybody who has come."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def come(self, number: CompetitionId, fixture: int, person: AccountId) -> None:
        """Take down that somebody is there; once more is no error."""
        made = {"competition": number, "fixture": fixture, "account": person}
        with self._database.writing() as connection:
            there = select(ARRIVALS.c.at).where(*(ARRIVALS.c[key] == one for key, one in made.items()))
            if connection.execute(there).first() is None:
                connection.execute(insert(ARRIVALS).values(**made, at=self._database.now()))

    def forget(self, number: CompetitionId, fixture: int) -> None:
        """Forget who came for a game: it is over, or whoever plays it again must come again."""
        with self._database.writing() as connection:
            connection.execute(delete(ARRIVALS).where(ARRIVALS.c.competition == number, ARRIVALS.c.fixture == fixture))

    def remove(self, connection: Connection, number: CompetitionId) -> None:
        """Forget who came for any game of a competition."""
        connection.execute(delete(ARRIVALS).where(ARRIVALS.c.competition == number))

    def erase(self, connection: Connection, account: Account) -> None:
        """Forget that somebody came anywhere."""
        connection.execute(delete(ARRIVALS).where(ARRIVALS.c.account == account.id))

    def of(self, number: CompetitionId) -> dict[int, set[AccountId]]:
        """Return who has come for which game."""
        found: dict[int, set[AccountId]] = {}
        with self._database.reading() as connection:
            asked = select(ARRIVALS.c.fixture, ARRIVALS.c.account).where(ARRIVALS.c.competition == number)
            for fixture, person in connection.execute(asked):
                found.setdefault(fixture, set()).add(AccountId(person))
        return found
