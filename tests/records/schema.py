"""The schema of a new data folder, as the tables are declared: `make schema` writes it anew, and a test compares."""

from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement

from arbitre.records import store
from arbitre.records.tables import METADATA

HEAD = """-- A new data folder, made from records/tables.py: `make schema` writes this file, and a test compares.
CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
"""


def schema() -> str:
    """Return the statements that make a new folder's tables and indexes, and stamp it."""
    tables, indexes = METADATA.sorted_tables, (index for table in METADATA.sorted_tables for index in table.indexes)
    made: list[ExecutableDDLElement] = [CreateTable(table) for table in tables]
    made += [CreateIndex(index) for index in sorted(indexes, key=lambda index: str(index.name))]
    statements = [str(one.compile(dialect=dialect())).strip() for one in made]
    lines = (line.rstrip() for sql in statements for line in f"{sql};".expandtabs(4).split("\n"))
    return HEAD + "\n".join(lines) + f"\nINSERT INTO alembic_version VALUES ('{store.SCHEMA}');\n"


if __name__ == "__main__":
    store.NEW.write_text(schema())
