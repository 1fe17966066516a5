"""The tables are what the migrations make; two processes agree; what was there before stays."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from arbitre.errors import StoreError
from arbitre.records.store import SCHEMA, Store
from arbitre.site.accounts import Account, Role
from arbitre.site.community import Community
from arbitre.site.competitions.competitions import Announcement
from arbitre.site.tables import METADATA
from tests.community.conftest import CHEAP, PASSWORD


def test_the_tables_are_those_of_the_migrations(house: Community) -> None:
    with house.database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        foreign = {
            "matches",
            "transitions",
            "tournaments",
            "sittings",
            "traces",
            "league_versions",
            "league_games",
            "league_outbox",
        }
        differences = [
            one for one in compare_metadata(context, METADATA) if not (one[0] == "remove_table" and one[1].name in foreign)
        ]
        assert [one for one in differences if one[0] != "remove_index" or one[1].table.name not in foreign] == []


def test_a_store_from_before_the_community_keeps_what_it_has(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add_match("old", "tictactoe", bytes(32), "2026-01-01")
    store.write("INSERT INTO sittings (match, number, state, plan, owner) VALUES (?, ?, ?, ?, ?)", ("old", 1, "over", "{}", None))
    store.close()
    with closing(sqlite3.connect(tmp_path / "arbitre.sqlite")) as old:
        for table in reversed(METADATA.sorted_tables):
            old.execute(f"DROP TABLE {table.name}")
        old.execute("UPDATE alembic_version SET version_num = '0003'")
        old.commit()
    with Community(tmp_path, CHEAP) as house:
        house.accounts.create("ann", PASSWORD)
        with house.database.reading() as connection:
            assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").fetchall() == [(SCHEMA,)]
            assert connection.exec_driver_sql("SELECT match FROM sittings").fetchall() == [("old",)]
    again = Store(tmp_path)
    assert again.match("old").game == "tictactoe"
    again.close()


CROWD = """
import sys
from pathlib import Path
from arbitre.site.community import Community
from arbitre.site.database import Settings
from arbitre.crypto.passwords import LIGHT
from arbitre.errors import NameTakenError, QuotaError

with Community(Path(sys.argv[1]), Settings(work=LIGHT, engines=10)) as house:
    ann, made = house.accounts.called("ann"), 0
    for letter in "abcdefghijklmnop":
        try:
            house.engines.add(ann, game="pente", name=f"bot-{letter}{sys.argv[2]}", url="http://x.example")
            made += 1
            house.accounts.create(f"both-{letter}x", "correct horse battery")
        except (NameTakenError, QuotaError):
            pass
    print(made)
"""


def test_two_processes_at_once(house: Community, ann: Account, tmp_path: Path) -> None:
    """Neither loses a write, both together keep to the quota, and of two equal names one is made."""
    crowd = [
        subprocess.Popen([sys.executable, "-c", CROWD, str(tmp_path / "data"), which], stdout=subprocess.PIPE, text=True)
        for which in "xy"
    ]
    made = [int(one.communicate(timeout=100)[0]) for one in crowd]
    assert sum(made) == 10 == len(house.engines.of(ann))
    names = [one.name for one in house.accounts.all()]
    assert len(names) == len(set(names))


def test_what_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "arbitre.sqlite").write_bytes(b"not a database, but long enough to look like one" * 50)
    with pytest.raises(StoreError):
        Community(tmp_path)


def test_a_write_that_fails_leaves_nothing(house: Community, ann: Account) -> None:
    def fail() -> None:
        with house.database.writing() as connection:
            connection.exec_driver_sql("UPDATE accounts SET name = 'changed'")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert house.accounts.get(ann.id) == ann
    house.accounts.set_quota(ann, 7)


def test_competitions_and_classes_from_before_are_as_they_were(tmp_path: Path) -> None:
    """Whoever announced a competition before there was a time to come by is still waited for without end."""
    with Community(tmp_path, CHEAP) as house:
        teacher = house.accounts.create("tessa", PASSWORD, Role.TEACHER)
        klass = house.classes.create(teacher, "3b")
        now = house.database.now()
        cup = house.competitions.announce(teacher, Announcement("Cup", {"game": "pente"}, now, now + 60))
    with closing(sqlite3.connect(tmp_path / "arbitre.sqlite")) as old:
        for words in ("DROP TABLE changes", "DROP TABLE arrivals", "ALTER TABLE competitions DROP COLUMN patience",
                      "ALTER TABLE classes DROP COLUMN words", "UPDATE alembic_version SET version_num = '0005'"):  # fmt: skip
            old.execute(words)
        old.commit()
    with Community(tmp_path, CHEAP) as house:
        assert house.competitions.find(cup.id).announcement == replace(cup.announcement, patience=0)
        assert house.competitions.history(cup.id) == ()
        assert house.classes.get(teacher, klass.id) == klass
