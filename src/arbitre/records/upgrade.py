"""How a store of an earlier release becomes one of this: a schema has a number, and the migrations that it lacks are run at once.

A store that is newer than the program, or older than the first release, is refused and stays what it is.
"""

from collections.abc import Callable
from pathlib import Path

from arbitre.errors import StoreError
from arbitre.reasons import Reason

SCHEMA = "0007"
"""The newest migration; a store at this step is opened without loading the migrations."""

RELEASED = "0007"
"""The first that was released: stores from before it stay what they are."""

MIGRATIONS = Path(__file__).with_name("migrations")


def lacks(where: object, found: object) -> bool:
    """Tell whether a store at this step lacks some; `StoreError` where it cannot be brought up to date."""
    if found == SCHEMA:
        return False
    if not isinstance(found, str):
        raise damaged(where, Reason("its schema has no number"))
    if found < RELEASED:
        raise StoreError(
            "%(path)s was made before the first release (schema %(found)s) and is not brought up to date: "
            "choose a new data folder; the program that made this one takes records out of it (arbitre record export)",
            path=where,
            found=found,
        )
    if found > SCHEMA:
        raise StoreError(
            "%(path)s was written by a newer Arbitre (schema %(found)s, this program knows %(schema)s)",
            path=where,
            found=found,
            schema=SCHEMA,
        )
    return True


def migrate(where: object, dialect: str, connect: Callable[[], object], begin: str) -> None:
    """Run the migrations that a store lacks, all of them or none; `begin` is the statement that begins alone."""
    # imported here because a store that is new or up to date, the usual case, must open without paying for them
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415
    from sqlalchemy import create_engine  # noqa: PLC0415
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    engine = create_engine(dialect, creator=connect)
    try:
        with engine.connect() as hands:
            # begun by hand: a driver may commit before each statement that changes the schema, and a crash leave half of it
            hands.exec_driver_sql(begin)
            config.attributes["connection"] = hands
            command.upgrade(config, "head")
            hands.commit()
    except (SQLAlchemyError, CommandError) as error:
        raise StoreError(
            "the store in %(path)s cannot be brought up to date: %(chr)s", path=where, chr=str(error).partition(chr(10))[0]
        ) from error
    finally:
        engine.dispose()


def damaged(where: object, what: Reason) -> StoreError:
    """Return the error of a store that holds what nobody wrote."""
    return StoreError(
        "the store in %(folder)s is damaged: %(what)s; bring back a backup (arbitre operator restore)", folder=where, what=what
    )
