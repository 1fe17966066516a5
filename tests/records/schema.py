"""The schema of a new data folder, as all migrations in turn make it: `make schema` writes it anew, and a test compares."""

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

from arbitre.records import store

MIGRATIONS = Path(store.__file__).parent / "migrations"
HEAD = """-- A new data folder: what all migrations make, one after the other. `make schema` writes this file; a test compares.
"""
ORDERED = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, iif(type = 'table', rowid, name)"
"""Tables as they were made, then indexes by name: the migrations make those of one table in any order."""


def migrate(path: Path, revision: str = "head") -> None:
    """Take a file, new or old, through the migrations up to one of them."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as hands:
        config.attributes["connection"] = hands
        command.upgrade(config, revision)
    engine.dispose()


def schema(path: Path) -> str:
    """Return the statements that make an empty file like this one."""
    with closing(sqlite3.connect(path)) as file:
        made = file.execute(ORDERED).fetchall()
        [(revision,)] = file.execute("SELECT version_num FROM alembic_version").fetchall()
    stamp = f"INSERT INTO alembic_version VALUES ('{revision}')"  # noqa: S608 - a name of ours
    lines = (line.rstrip() for sql in [*(sql for (sql,) in made), stamp] for line in f"{sql};".expandtabs(4).split("\n"))
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        migrate(Path(folder) / store.FILE)
        store.NEW.write_text(schema(Path(folder) / store.FILE))
