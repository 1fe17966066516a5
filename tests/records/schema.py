"""The schema of a new data folder, as the tables are declared: `make schema` writes it anew, and a test compares."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateSequence, CreateTable, ExecutableDDLElement

import arbitre.records
from arbitre.records.tables import METADATA, SITTING_NUMBERS
from arbitre.records.upgrade import SCHEMA

FILES: dict[str, sa.Dialect] = {"schema.sql": sqlite.dialect(), "schema.postgresql.sql": postgresql.dialect()}  # type: ignore[no-untyped-call]
"""One for each database."""
FOLDER = Path(arbitre.records.__file__).parent

HEAD = """-- A new data folder, made from records/tables.py: `make schema` writes this file, and a test compares.
CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
"""


def schema(dialect: sa.Dialect) -> str:
    """Return the statements that make a new store's tables and indexes, and stamp it."""
    tables, indexes = METADATA.sorted_tables, (index for table in METADATA.sorted_tables for index in table.indexes)
    made: list[ExecutableDDLElement] = []
    if dialect.supports_sequences:
        made += [CreateSequence(one) for one in (SITTING_NUMBERS,)]
    made += [CreateTable(table) for table in tables]
    made += [CreateIndex(index) for index in sorted(indexes, key=lambda index: str(index.name))]
    statements = [str(one.compile(dialect=dialect)).strip() for one in made]
    lines = (line.rstrip() for sql in statements for line in f"{sql};".expandtabs(4).split("\n"))
    return HEAD + "\n".join(lines) + f"\nINSERT INTO alembic_version VALUES ('{SCHEMA}');\n"


if __name__ == "__main__":
    for name, dialect in FILES.items():
        (FOLDER / name).write_text(schema(dialect))
