"""What the site keeps of a game by file that it judges: which content is the newest (spec: proof, section 7).

Not the game: that is in the file, sealed, and in nobody's hands but the players'. One row a game: the number of the newest
content, its hash, and the hash of the request that made it.
"""

from sqlalchemy import insert, select, update

from arbitre.records.tables import FILE_GAMES
from arbitre.site.database import Database
from arbitre.values import value


@value
class Newest:
    """The newest content of a game."""

    number: int
    """It is the number of entries of the log: every try makes a new one, refused ones too."""
    content: bytes
    """SHA-256 of what the file holds."""
    request: bytes
    """SHA-256 of the request that made it."""


class FileGames:
    """All games by file that this site judges."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, game: str) -> Newest | None:
        """Return the newest content of a game; None where nothing is known of it."""
        asked = select(FILE_GAMES.c.number, FILE_GAMES.c.content, FILE_GAMES.c.request).where(FILE_GAMES.c.game == game)
        with self._database.reading() as connection:
            found = connection.execute(asked).first()
        return None if found is None else Newest(*found)

    def advance(self, game: str, before: Newest | None, after: Newest) -> bool:
        """Put a newer content in the place of the one that the caller saw; tell whether it was still there. Durable then."""
        made = {"number": after.number, "content": after.content, "request": after.request, "changed": self._database.now()}
        mine = FILE_GAMES.c.game == game
        with self._database.writing() as connection:
            if before is None:
                known = connection.execute(select(FILE_GAMES.c.game).where(mine)).first()
                if known is None:
                    connection.execute(insert(FILE_GAMES).values(game=game, **made))
                return known is None
            same = (FILE_GAMES.c.number == before.number, FILE_GAMES.c.content == before.content)
            return connection.execute(update(FILE_GAMES).where(mine, *same).values(**made)).rowcount == 1
