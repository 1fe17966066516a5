"""Backups: everything of a data folder in one file, made while the site runs; and the way back.

A backup is a tar archive of the database, copied by SQLite's own online backup, and of the keys beside it. It is as secret as the
folder: it is made readable by its owner alone. Restoring goes into a folder that is empty or not there, never over another.
"""

import io
import os
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from arbitre.errors import BackupError, refusal
from arbitre.records import sqlite
from arbitre.records.place import FILE, Place, at

SUFFIXES = (".key", ".successor")
LONGEST_KEY = 10_000
MEMBERS = 10_000
"""A referee who changes his key leaves two files each time, and none of them may be missing."""


def write_backup(place: Place | Path, target: Path) -> int:
    """Write a backup of a data folder; return its size. What others write meanwhile is in it wholly or not at all."""
    folder = _file_of(place)
    if not (folder / FILE).is_file():
        raise BackupError("there is nothing to back up in %(folder)s", folder=folder)
    if target.exists():
        raise BackupError("%(target)s is there already: a backup overwrites nothing", target=target)
    try:
        with TemporaryDirectory(dir=target.resolve().parent, prefix=".arbitre-backup-") as desk:
            copy, draft = Path(desk) / FILE, Path(desk) / "draft.tar"
            _copy(folder / FILE, copy)
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                with tarfile.open(fileobj=file, mode="w") as archive:
                    archive.add(copy, FILE, filter=_nobodys)
                    for key in sorted(folder.iterdir()):
                        if key.suffix in SUFFIXES and key.is_file():
                            archive.add(key, key.name, filter=_nobodys)
                file.flush()
                os.fsync(file.fileno())
            os.link(draft, target)  # whole, or not there
    except FileExistsError:
        raise BackupError("%(target)s is there already: a backup overwrites nothing", target=target) from None
    except OSError as error:
        raise BackupError("cannot write a backup to %(target)s: %(strerror)s", target=target, strerror=refusal(error)) from error
    return target.stat().st_size


def restore_backup(source: Path, place: Place | Path) -> None:
    """Make a data folder of a backup; the folder must be empty or not there."""
    folder = _file_of(place)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BackupError("%(folder)s is not empty: restore into a new folder", folder=folder)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with TemporaryDirectory(dir=folder, prefix=".restore-") as desk:
            found = _unpack(source, Path(desk))
            _check(Path(desk) / FILE, source)
            sqlite.prepare(Place(Path(desk)))
            # the database last: a folder without one is not taken for a store
            for name in sorted(found, key=lambda one: one == FILE):
                (Path(desk) / name).rename(folder / name)
    except tarfile.TarError as error:
        raise BackupError("%(source)s is no backup: %(error)s", source=source, error=error) from None
    except OSError as error:
        raise BackupError("cannot restore %(source)s: %(strerror)s", source=source, strerror=refusal(error)) from error


def _file_of(place: Place | Path) -> Path:
    """Return the folder whose file is copied; of another database its own tools make copies, and whole ones."""
    found = at(place)
    if found.database:
        raise BackupError(
            "%(place)s is copied by its own tools: pg_dump --format=custom DATABASE, pg_restore --dbname=DATABASE; "
            "keep the keys of %(folder)s (*.key, *.successor) with each copy",
            place=found,
            folder=found.folder,
        )
    return found.folder


def _copy(source: Path, target: Path) -> None:
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        address = f"{source.resolve().as_uri()}?mode=ro"
        with (
            closing(sqlite3.connect(address, uri=True, timeout=sqlite.BUSY_SECONDS)) as one,
            closing(sqlite3.connect(target)) as other,
        ):
            one.backup(other)
            other.execute("PRAGMA journal_mode = DELETE")
    except (sqlite3.Error, UnicodeDecodeError) as error:  # what SQLite says of a damaged page may quote it
        raise BackupError("cannot copy %(source)s: %(error)s", source=source, error=error) from error


def _nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leave out who made it."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o600
    return member


def _unpack(source: Path, desk: Path) -> list[str]:
    """Take the files of a backup out of it, and nothing else: names and kinds are checked, paths never followed."""
    found: list[str] = []
    with tarfile.open(source, mode="r:") as archive:
        for member in archive:
            name = member.name
            known = name == FILE or (Path(name).suffix in SUFFIXES and Path(name).name == name and not name.startswith("."))
            if not (known and member.isreg()) or name in found or len(found) >= MEMBERS:
                raise BackupError("%(source)s is no backup: it holds %(name)r", source=source, name=name)
            if name != FILE and member.size > LONGEST_KEY:
                raise BackupError("%(source)s is no backup: %(name)r is no key", source=source, name=name)
            content = archive.extractfile(member) or io.BytesIO()
            with os.fdopen(os.open(desk / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                while piece := content.read(1 << 20):
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            found.append(name)
    if FILE not in found:
        raise BackupError("%(source)s is no backup: there is no %(file)s in it", source=source, file=FILE)
    return found


def _check(path: Path, source: Path) -> None:
    """Refuse a database that is damaged."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            answer = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise BackupError("%(source)s is damaged: %(error)s", source=source, error=error) from None
    if answer != ("ok",):
        raise BackupError("%(source)s is damaged: %(answer)s", source=source, answer=answer[0])
