"""A data folder of every released schema opens today with what was in it: it is made by the migrations up to that step alone."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory

from arbitre.errors import StoreError
from arbitre.records.store import FILE, SCHEMA, Store
from arbitre.site.community import Community
from tests.community.conftest import CHEAP
from tests.reasons import raises
from tests.records.schema import MIGRATIONS, migrate

Rows = list[tuple[str, dict[str, Any]]]

KEPT: dict[str, Rows] = {
    "0001": [
        ("tournaments", {"number": 1, "name": "cup", "plan": "{}", "seed": b"s", "created": "2026-01-01"}),
        ("matches", {"number": 1, "name": "m1", "game": "tictactoe", "tournament": "cup", "fixture": 1, "seed": bytes(32),
                     "created": "2026-01-01", "verdict": None, "seal": None}),
        ("matches", {"number": 2, "name": "m2", "game": "reversi", "tournament": None, "fixture": None, "seed": bytes(32),
                     "created": "2026-01-02", "verdict": "{}", "seal": "{}"}),
        ("transitions", {"match": "m1", "sequence": 1, "lines": "what happened"}),
    ],
    "0002": [
        ("league_games", {"number": 1, "fingerprint": b"f", "white": "192.0.2.1", "black": "192.0.2.2", "day": "2026-01-01",
                          "report": b"r"}),
        ("league_versions", {"number": 1, "fingerprint": b"f", "white": "192.0.2.1", "black": "192.0.2.2", "seat": 0,
                             "reporter": "192.0.2.1", "day": "2026-01-01", "report": b"r"}),
        ("league_outbox", {"number": 1, "match": "m1", "registrar": "192.0.2.9:3213", "source": "", "opponent": "192.0.2.2",
                           "seat": 1, "day": "2026-01-01", "due": 1.5, "report": b"r", "answer": None}),
    ],
    "0003": [
        ("sittings", {"match": "m1", "number": 1, "state": "over", "plan": "{}", "owner": 1, "title": "first", "hidden": 0}),
        ("traces", {"match": "m1", "seat": 0, "sequence": 1, "at": "12:00", "what": "ask", "text": "http://x.example/?Set=X",
                    "status": 200, "body": "5"}),
    ],
    "0004": [
        ("accounts", {"id": 1, "name": "Ann", "folded": "ann", "neutral": "p1", "password": None, "role": "player", "created": 5,
                      "banned": None, "quota": 7, "erased": 0}),
        ("tokens", {"id": 1, "digest": "d", "account": 1, "name": "all", "scopes": "read", "created": 5, "used": None,
                    "expires": None}),
        ("engines", {"id": 1, "owner": 1, "game": "pente", "name": "Bot", "folded": "bot", "url": "http://x.example/", "full": 1,
                     "direct": 0, "notify": 0, "login": "me", "public": 1, "opponent": "o1", "fault": "", "faulted": None,
                     "created": 6, "retired": None}),
        ("classes", {"id": 1, "teacher": 1, "name": "3b", "code": "c1", "expires": 9, "ranges": "", "gateway": "",
                     "gateway_key": "", "created": 6}),
        ("members", {"class": 1, "account": 1, "joined": 7}),
        ("competitions", {"id": 1, "organiser": 1, "title": "Cup", "about": "", "game": "pente", "plan": '{"game":"pente"}',
                          "kind": "engines", "access": "all", "class": None, "listed": 1, "code": "k1", "opens": 5, "begins": 8,
                          "each": 1, "state": "open", "tournament": None, "proof": None, "created": 5}),
        ("entries", {"id": 1, "competition": 1, "owner": 1, "engine": 1, "neutral": "e1", "created": 6, "withdrawn": None}),
        ("votes", {"competition": 1, "account": 1, "entry": 1}),
    ],
    "0005": [
        ("added_games", {"id": 1, "owner": 1, "game": "added", "name": "Hex", "folded": "hex", "url": "http://r.example/",
                         "engine": "http://e.example/", "interface": "http://i.example/", "about": "", "board": "",
                         "simultaneous": 0, "open": 1, "framed": 0, "public": 1, "fault": "", "faulted": None, "created": 6,
                         "retired": None}),
    ],
    "0006": [
        ("changes", {"id": 1, "competition": 1, "at": 7, "field": "title", "before": "Pot", "after": "Cup"}),
        ("arrivals", {"competition": 1, "fixture": 1, "account": 1, "at": 8}),
    ],
}  # fmt: skip
"""What stood in a folder of each schema, besides what stood in those before it."""

RELEASED = [one.revision for one in ScriptDirectory(str(MIGRATIONS)).walk_revisions()][::-1]


def folder_of(folder: Path, revision: str) -> Rows:
    """Make a data folder as the program of that schema left it; return its rows."""
    migrate(folder / FILE, revision)
    rows = [row for step in RELEASED[: RELEASED.index(revision) + 1] for row in KEPT.get(step, [])]
    with closing(sqlite3.connect(folder / FILE)) as old:
        for table, row in rows:
            names = ", ".join(f'"{name}"' for name in row)
            old.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))  # noqa: S608
        old.commit()
        assert old.execute("SELECT version_num FROM alembic_version").fetchall() == [(revision,)]
    return rows


def test_the_newest_migration_is_the_schema_of_this_program() -> None:
    assert RELEASED[-1] == SCHEMA
    assert sorted(RELEASED) == RELEASED
    assert KEPT.keys() <= set(RELEASED)


@pytest.mark.parametrize("revision", RELEASED)
def test_a_folder_of_every_released_schema_opens_with_everything_in_it(tmp_path: Path, revision: str) -> None:
    rows = folder_of(tmp_path, revision)
    with Community(tmp_path, CHEAP) as house:
        if revision >= "0004":
            ann = house.accounts.called("ann")
            assert (ann.name, ann.quota) == ("Ann", 7)
            assert [one.name for one in house.engines.of(ann)] == ["Bot"]
            assert [one.announcement.title for one in house.competitions.all()] == ["Cup"]
        house.accounts.create("ben", "correct horse battery")
    store = Store(tmp_path)
    assert [row.name for row in store.matches()] == ["m1", "m2"]
    assert store.match("m1").tournament == "cup"
    store.close()
    with closing(sqlite3.connect(tmp_path / FILE)) as now:
        assert now.execute("SELECT version_num FROM alembic_version").fetchall() == [(SCHEMA,)]
        assert now.execute("PRAGMA foreign_key_check").fetchall() == []
        assert now.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        for table, row in rows:
            names = ", ".join(f'"{name}"' for name in row)
            found = now.execute(f"SELECT {names} FROM {table}").fetchall()  # noqa: S608 - names of ours
            assert tuple(row.values()) in found, table


def test_a_folder_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    folder_of(tmp_path, SCHEMA)
    with closing(sqlite3.connect(tmp_path / FILE)) as later:
        later.execute("UPDATE alembic_version SET version_num = '9999'")
        later.commit()
    before = (tmp_path / FILE).read_bytes()
    with raises(StoreError, "newer Arbitre"):
        Store(tmp_path)
    assert (tmp_path / FILE).read_bytes()[100:] == before[100:]
