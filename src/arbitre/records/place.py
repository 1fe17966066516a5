"""Where a site is kept: a data folder with its keys, and a database, which is a file of that folder or a PostgreSQL.

`Place(folder)` is the folder alone, with SQLite in it; `Place(folder, "postgresql://…")` has only keys and files there.
A place is named without the password that its address may hold.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit

from arbitre.errors import StoreError, shorten
from arbitre.values import value

FILE = "arbitre.sqlite"
"""The one file of the data folder that holds everything but keys, where there is no other database."""

VARIABLE = "ARBITRE_DATABASE"
"""The variable of the environment that names the database, where nobody says it otherwise."""

SCHEMES = ("postgresql", "postgres")


@value
class Place:
    """Where everything of a site is."""

    folder: Path
    database: str = ""
    """The address of a PostgreSQL; empty for the file in the folder."""

    def __post_init__(self) -> None:
        if self.database and self.database.partition("://")[0] not in SCHEMES:
            said = shorten(self.database.partition("@")[2] or self.database)  # a password is nobody's to read
            raise StoreError("a database is an address like postgresql://host/name, not %(said)r", said=said)

    @property
    def file(self) -> Path:
        """The file of SQLite."""
        return self.folder / FILE

    @property
    def made(self) -> bool:
        """Whether there is something, as far as can be told without opening it: who asks must not make a folder."""
        return bool(self.database) or self.file.is_file()

    def options(self) -> tuple[str, ...]:
        """Return how commands name this place."""
        named = ("--database", str(self)) if self.database and not os.environ.get(VARIABLE) else ()
        return ("--data", str(self.folder), *named)

    def __str__(self) -> str:
        if not self.database:
            return str(self.folder)
        try:
            parts = urlsplit(self.database)
        except ValueError:
            return "postgresql://"
        who, at_, host = parts.netloc.rpartition("@")
        return f"postgresql://{who.partition(':')[0]}{at_}{host}{parts.path}"


def at(place: "Place | Path") -> Place:
    """Return a place; a path is a data folder with SQLite in it."""
    return place if isinstance(place, Place) else Place(place)
