"""A folder of an earlier release is brought up to date, whole or not at all; one older than the first, or newer, is refused."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory

from arbitre.errors import StoreError
from arbitre.records import upgrade
from arbitre.records.place import FILE
from arbitre.records.store import Store
from arbitre.records.upgrade import MIGRATIONS, RELEASED, SCHEMA
from arbitre.site.community import Community
from tests.reasons import gives, raises
from tests.site.conftest import CHEAP, PASSWORD

STEPS = [one.revision for one in ScriptDirectory(str(MIGRATIONS)).walk_revisions()][::-1]

NEXT = """
from alembic import op
import sqlalchemy as sa
revision, down_revision = "0999", "{}"

def upgrade():
    op.add_column("matches", sa.Column("weather", sa.Text, nullable=False, server_default="fair"))
    op.execute({!r})
"""
"""A step that a later release could have."""


def test_the_newest_migration_is_the_schema_of_this_program() -> None:
    assert (STEPS[0], STEPS[-1]) == (RELEASED, SCHEMA)
    assert sorted(STEPS) == STEPS


pytestmark = pytest.mark.sqlite


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of this release with something in it."""
    made = tmp_path / "data"
    with Community(made, CHEAP) as house:
        house.accounts.create("ann", PASSWORD)
    store = Store(made)
    store.add_match("one", "tictactoe", bytes(32), "2026-01-01")
    store.close()
    return made


def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, also: str) -> None:
    """Be a later release, which has one step more."""
    steps = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, steps)
    (steps / "versions" / "0999_weather.py").write_text(NEXT.format(SCHEMA, also))
    monkeypatch.setattr(upgrade, "MIGRATIONS", steps)
    monkeypatch.setattr(upgrade, "SCHEMA", "0999")


def stamp(folder: Path) -> list[tuple[str]]:
    with closing(sqlite3.connect(folder / FILE)) as file:
        return file.execute("SELECT version_num FROM alembic_version").fetchall()


def test_a_folder_of_an_earlier_release_opens_with_everything_in_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later(tmp_path, monkeypatch, "UPDATE matches SET weather = 'foul'")
    with Community(folder, CHEAP) as house:
        assert house.accounts.called("ann").name == "ann"
    store = Store(folder)
    assert store.match("one").game == "tictactoe"
    assert store.rows("SELECT weather FROM matches") == [("foul",)]
    store.close()
    assert stamp(folder) == [("0999",)]


def test_a_step_that_fails_leaves_the_folder_as_it_was(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later(tmp_path, monkeypatch, "UPDATE nowhere SET weather = 'foul'")
    with pytest.raises(StoreError) as failed:
        Store(folder)
    assert gives(failed.value, "cannot be brought up to date")
    assert "no such table: nowhere" in str(failed.value.reason.fields["chr"])
    assert stamp(folder) == [(SCHEMA,)]
    with closing(sqlite3.connect(folder / FILE)) as file, pytest.raises(sqlite3.OperationalError, match="no such column"):
        file.execute("SELECT weather FROM matches")


@pytest.mark.parametrize(
    ("revision", "said"), [("0001", "before the first release"), ("0006", "before"), ("9999", "newer Arbitre")]
)
def test_a_folder_that_is_not_brought_up_to_date_is_left_alone(folder: Path, revision: str, said: str) -> None:
    with closing(sqlite3.connect(folder / FILE)) as file:
        file.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        file.commit()
    before = (folder / FILE).read_bytes()
    with raises(StoreError, said, found=revision):
        Store(folder)
    assert (folder / FILE).read_bytes()[100:] == before[100:]
