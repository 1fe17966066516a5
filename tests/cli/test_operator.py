"""The operator's commands, on a folder that is in use."""

import io
import json
import os
import sqlite3
import stat
import tarfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arbitre.cli.operator import operator
from arbitre.crypto.passwords import LIGHT
from arbitre.errors import ArbitreError, BackupError, StoreError
from arbitre.records.log.successors import succeed_key, successors_in
from arbitre.records.store import Store
from arbitre.site import database
from arbitre.site.backup import restore_backup, write_backup
from arbitre.site.community import Community
from arbitre.site.database import Allowances

PASSWORD = "an ornate hat"  # noqa: S105 - of nobody


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "Allowances", lambda: Allowances(work=LIGHT))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    done = run(folder, "add", "Olga", input=f"{PASSWORD}\n{PASSWORD}\n")
    assert done.output.endswith("Olga is an operator now\n"), done.output
    return folder


def run(data: Path, *words: str, input: str | None = None) -> Result:  # noqa: A002 - click's word
    return CliRunner().invoke(operator, [*words, "--data", str(data)], input=input)


def said(data: Path, *words: str, input: str | None = None) -> str:  # noqa: A002 - click's word
    done = run(data, *words, input=input)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_day_of_an_operator(data: Path) -> None:
    with Community(data) as site:
        assert site.accounts.authenticate("olga", PASSWORD).name == "Olga"
        assert (
            said(data, "add", "Tessa", "--role", "player", "--password-file", "-", input=PASSWORD + "\n")
            == "Tessa is a player now\n"
        )
        assert said(data, "role", "tessa", "teacher") == "Tessa is a teacher now\n"
        tessa = site.accounts.called("tessa")
        session = site.sessions.start(tessa)
        assert "locked: come and see me" in said(data, "ban", "tessa", "--reason", "come and see me")
        assert site.sessions.find(session.token) is None, "the site sees it at once"
        assert "locked: come and see me" in said(data, "list", "--search", "tess")
        said(data, "unban", "tessa")
        assert said(data, "quota", "tessa", "3") == "Tessa may have 3 engines\n"
        assert said(data, "quota", "tessa", "usual") == "Tessa may have 20 engines\n"
        link = said(data, "reset", "tessa", "--url", "https://x.example/").strip()
        token = link.removeprefix("https://x.example/reset/")
        assert site.accounts.finish_reset(token, "the new password").id == tessa.id
        said(data, "reset", "tessa", "--set", input=f"{PASSWORD}\n{PASSWORD}\n")
        assert site.accounts.authenticate("tessa", PASSWORD).id == tessa.id
        listed = [json.loads(line) for line in said(data, "list", "--json").splitlines()]
        assert [(one["name"], one["role"]) for one in listed] == [("Olga", "operator"), ("Tessa", "teacher")]
        assert run(data, "erase", "tessa", input="n\n").exit_code == 1
        assert f"records say {tessa.neutral}" in said(data, "erase", "tessa", "--yes")
        assert said(data, "list").split() == ["Olga", "operator"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("role nobody player", "no account is called 'nobody'"),
        ("role olga player", "last operator"),
        ("ban olga", "last operator"),
        ("erase olga --yes", "last operator"),
        ("add olga --password-file -", "taken"),
        ("add x --password-file -", "3 to 30 characters"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(data: Path, line: str, why: str) -> None:
    done = run(data, *line.split(), input=PASSWORD + "\n")
    assert isinstance(done.exception, ArbitreError), done.output
    assert why in str(done.exception)


def test_easy_passwords_and_odd_files(data: Path, tmp_path: Path) -> None:
    for content in (b"", b"short\n", b"\xff\xfe" * 20, b"x" * 10_000):
        (tmp_path / "password").write_bytes(content)
        done = run(data, "add", "Tessa", "--password-file", str(tmp_path / "password"))
        assert isinstance(done.exception, ArbitreError), done.output
    assert run(data, "quota", "olga", "many").exit_code == 2


def test_a_mistyped_folder_is_not_made(tmp_path: Path) -> None:
    for line in ("list", "role olga player", "ban olga", "reset olga", "erase olga --yes", f"backup {tmp_path / 'x.tar'}"):
        done = run(tmp_path / "nowhere", *line.split())
        assert isinstance(done.exception, ArbitreError), done.output
    assert not list(tmp_path.iterdir())


# ── backups ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_backup_of_a_site_that_runs(data: Path, tmp_path: Path) -> None:
    store, copy = Store(data), tmp_path / "monday.tar"
    try:
        key = store.key().fingerprint
        with Community(data) as site, site.database.writing() as connection:
            connection.exec_driver_sql("UPDATE accounts SET quota = 77")
            assert "octets" in said(data, "backup", str(copy)), "in the middle of somebody's write"
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        said(data, "add", "Late", "--password-file", "-", input=PASSWORD + "\n")
        with pytest.raises(BackupError, match="overwrites nothing"):
            raise run(data, "backup", str(copy)).exception or AssertionError
    finally:
        store.close()
    there = tmp_path / "restored"
    said(there, "restore", str(copy))
    assert sorted(path.name for path in there.iterdir() if path.suffix in (".sqlite", ".key")) == [
        "arbitre.sqlite",
        "referee.key",
    ]
    assert stat.S_IMODE((there / "referee.key").stat().st_mode) == 0o600
    restored = Store(there)
    assert restored.key().fingerprint == key
    restored.close()
    with Community(there) as site:
        assert [(one.name, one.quota) for one in site.accounts.all()] == [("Olga", None)]
        assert site.accounts.authenticate("olga", PASSWORD).name == "Olga"
    assert not list(tmp_path.glob(".arbitre-backup-*"))


def archive(path: Path, *members: tuple[str, bytes], kind: bytes = tarfile.REGTYPE) -> None:
    with tarfile.open(path, "w") as made:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size, info.type, info.linkname = len(content), kind, "/etc/passwd"
            made.addfile(info, io.BytesIO(content))


def test_what_is_no_backup(data: Path, tmp_path: Path) -> None:
    good = (data / "arbitre.sqlite").read_bytes()
    bad, there = tmp_path / "bad.tar", tmp_path / "there"
    hostile: list[tuple[tuple[str, bytes], ...]] = [
        (),
        (("../arbitre.sqlite", good),),
        (("/tmp/arbitre.sqlite", good),),  # noqa: S108 - must not be written
        (("arbitre.sqlite", good), ("../evil.key", b"x")),
        (("arbitre.sqlite", good), (".key", b"x")),
        (("arbitre.sqlite", good), ("a.key", b"x" * 20_000)),
        (("arbitre.sqlite", good), ("arbitre.sqlite", good)),
        (("arbitre.sqlite", b"not a database" * 500),),
        (("arbitre.sqlite", good[:5_000]),),
        (("readme.txt", b"hello"), ("arbitre.sqlite", good)),
    ]
    for members in hostile:
        archive(bad, *members)
        refused(there, bad)
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
        archive(bad, ("arbitre.sqlite", b""), kind=kind)
        refused(there, bad)
    for content in (b"", b"hello", os.urandom(5_000)):
        bad.write_bytes(content)
        refused(there, bad)
    assert {path.name for path in tmp_path.iterdir()} <= {"data", "bad.tar", "there"}


def refused(there: Path, bad: Path) -> None:
    done = run(there, "restore", str(bad))
    assert isinstance(done.exception, ArbitreError), done.output
    assert not there.exists() or not list(there.iterdir())


def test_nothing_is_restored_over_something(data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "monday.tar"
    said(data, "backup", str(copy))
    for folder in (data, tmp_path):
        done = run(folder, "restore", str(copy))
        assert isinstance(done.exception, BackupError)
        assert "not empty" in str(done.exception)


def test_a_backup_of_a_version_that_cannot_be_read_leaves_nothing(data: Path, tmp_path: Path) -> None:
    with Community(data) as site:
        site.database.flush()
    for version, word in (("0006", "before the first release"), ("9999", "newer Arbitre")):
        with closing(sqlite3.connect(data / "arbitre.sqlite")) as other:
            other.execute("UPDATE alembic_version SET version_num = ?", (version,))
            other.commit()
        said(data, "backup", str(tmp_path / f"{version}.tar"))
        done = run(tmp_path / "there", "restore", str(tmp_path / f"{version}.tar"))
        assert isinstance(done.exception, StoreError)
        assert word in str(done.exception)
        assert list((tmp_path / "there").iterdir()) == []


def test_a_new_key_for_files_of_kriegspiel(data: Path) -> None:
    assert said(data, "kriegspiel-key").startswith("key 1 seals")
    assert said(data, "kriegspiel-key").startswith("key 2 seals")
    assert sorted(path.name for path in data.glob("kriegspiel-*.key")) == ["kriegspiel-1.key", "kriegspiel-2.key"]


def test_a_new_key_for_the_referee_is_signed_by_the_old_one(data: Path) -> None:
    assert "comes after key" in said(data, "referee-key")
    assert "comes after key" in said(data, "referee-key")
    one, two = successors_in(data)
    assert (one.new, one.holds, two.holds) == (two.old, True, True)
    store = Store(data)
    assert [key.public for key in store.referee_keys()] == [one.old, one.new, two.new]
    assert store.key_of(one.old.hex()).public == one.old
    store.close()


def test_several_who_change_the_key_at_once_make_one_after_the_other(data: Path) -> None:
    """A statement that names a key which nobody has would be entered into the log, and no other could come after the old key."""
    with ThreadPoolExecutor(8) as operators:
        list(operators.map(succeed_key, [data] * 24))
    store = Store(data)
    keys = [key.public for key in store.referee_keys()]
    store.close()
    assert [(one.old, one.new) for one in successors_in(data)] == list(pairwise(keys))
    assert len(keys) == 25


def test_a_backup_of_a_referee_of_many_keys_is_put_back(data: Path, tmp_path: Path) -> None:
    for _ in range(60):
        succeed_key(data)
    write_backup(data, tmp_path / "many.tar")
    restore_backup(tmp_path / "many.tar", tmp_path / "back")
    assert successors_in(tmp_path / "back") == successors_in(data)
