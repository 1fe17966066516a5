"""A PostgreSQL of the tests' own: a cluster in a scratch folder, reached by a socket in it, with a database for each test.

It is found where Debian's package or the path has it, and started as somebody else where we are root, for it refuses to be root.
Without one the tests that need it are skipped and say why. What it keeps need not survive the machine, so it does not wait for
the disk; what clients may rely on is the same.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import TypeVar

import pytest

from arbitre.records.place import Place

SERVANT = "postgres"
"""Who runs it where we are root: the user of the package."""

SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "200",
    "autovacuum": "off",
    "log_min_messages": "fatal",
    "timezone": "UTC",
}
PATIENTLY = ("--wait", "--timeout=600")
"""A machine that runs many tests side by side may take minutes for what is done in a moment."""
EMPTIED = """
DO $$ DECLARE written text; BEGIN
  SELECT string_agg(quote_ident(relname), ', ') INTO written FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'alembic_version' AND pg_relation_size(oid) > 0;
  IF written IS NOT NULL THEN EXECUTE 'TRUNCATE ' || written || ' RESTART IDENTITY CASCADE'; END IF;
  ALTER SEQUENCE sittings_number RESTART;
END $$
"""
"""Throws away what a test wrote: that takes less than to make another database."""
ALONE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


C = TypeVar("C", bound="Cluster")


class Cluster:
    """A PostgreSQL that runs, and can be restarted."""

    def __init__(self, programs: Path, folder: Path, **settings: str) -> None:
        self.programs = programs
        self.folder = folder
        self.settings = SETTINGS | settings
        self.socket = folder / "socket"
        self._numbers = count(1)
        self._free: list[str] = []

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = " ".join(f"-c {name}='{value}'" for name, value in self.settings.items())
        options += f" -c unix_socket_directories={self.socket}"
        self._run("pg_ctl", "start", *PATIENTLY, "--silent", "--log", str(self.folder / "log"), "--options", options)

    def stop(self, how: str = "fast") -> None:
        """Stop it: `fast` ends every session, `immediate` is as if it were killed."""
        self._run("pg_ctl", "stop", *PATIENTLY, "--silent", "--mode", how)

    @contextmanager
    def away(self, how: str = "fast") -> Iterator[None]:
        """Be away for a while: it runs again afterwards, whatever failed meanwhile, for it is the one of all tests."""
        try:
            self.stop(how)
            yield
        finally:
            if not self.runs:
                self.start()

    @property
    def runs(self) -> bool:
        """Whether it listens; it takes its socket away when it stops, and leaves both files when it is killed."""
        return (self.socket / ".s.PGSQL.5432").exists() and (self.folder / "data" / "postmaster.pid").exists()

    def url(self, name: str) -> str:
        """Return the address of a database."""
        return f"postgresql://arbitre@/{name}?host={self.socket}"

    def database(self) -> str:
        """Return the address of a database with every table and nothing in it."""
        if self._free:
            return self._free.pop()
        from arbitre.records.postgresql import prepare  # noqa: PLC0415 - skipped where it is not there

        url = self.empty()
        with tempfile.TemporaryDirectory() as folder:
            prepare(Place(Path(folder), url))
        return url

    def empty(self) -> str:
        """Return the address of a new database without a table."""
        name = f"test{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}", self.url("postgres"))
        return self.url(name)

    def give_back(self, url: str) -> None:
        """Throw away what a test wrote, whoever is still there."""
        self.execute(ALONE, url)
        self.execute(EMPTIED, url)
        self._free.append(url)

    def execute(self, statement: str, url: str) -> None:
        """Execute a statement."""
        import psycopg  # noqa: PLC0415

        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(statement)

    def make(self) -> None:
        """Make the cluster and start it."""
        self.folder.chmod(0o755)
        self.socket.mkdir()
        data = self.folder / "data"
        data.mkdir()
        if os.geteuid() == 0:
            for one in (self.folder, self.socket, data):
                shutil.chown(one, SERVANT)
        self._run("initdb", "--username=arbitre", "--auth=trust", "--no-sync", "--encoding=UTF8", "--no-locale")
        with (data / "pg_hba.conf").open("a") as file:
            file.write("host all all all trust\n")  # it listens where a test says so, and nowhere else
        self.start()

    def _run(self, program: str, *words: str) -> None:
        servant = ("runuser", "-u", SERVANT, "--") if os.geteuid() == 0 else ()
        line = [*servant, str(self.programs / program), "--pgdata", str(self.folder / "data"), *words]
        done = subprocess.run(line, cwd="/", capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"


def why_not() -> str:
    """Return why there is no PostgreSQL here; empty where there is one."""
    try:
        import psycopg  # noqa: F401, PLC0415
    except ImportError:
        return "psycopg is not installed: pip install 'arbitre[postgresql]'"
    if programs() is None:
        return "no PostgreSQL on this machine: apt-get install postgresql"
    if os.geteuid() == 0:
        try:
            pwd.getpwnam(SERVANT)
        except KeyError:
            return f"PostgreSQL does not run as root, and there is no user {SERVANT!r}"
        if shutil.which("runuser") is None:
            return "PostgreSQL does not run as root, and there is no runuser"
    return ""


@cache
def programs() -> Path | None:
    """Return where its programs are, the newest where there are several."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda one: int("0" + one.parent.name.partition(".")[0]))
    known = shutil.which("initdb")
    places += [Path(known).resolve().parent] if known else []
    return next((one for one in reversed(places) if (one / "initdb").exists() and (one / "pg_ctl").exists()), None)


@contextmanager
def running(make: Callable[[Path, Path], C], within: Path | None = None) -> Iterator[C]:
    """Run one, of its programs and a folder; what it kept is thrown away in the end."""
    found = programs()
    assert found is not None
    folder = Path(tempfile.mkdtemp(prefix="arbitre-pg-", dir=within))
    cluster = make(found, folder)
    try:
        cluster.make()
        yield cluster
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            cluster.stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """The PostgreSQL of all tests of this process, or a reason to skip."""
    if why := why_not():
        pytest.skip(why)
    with running(Cluster) as made:
        yield made


BACKENDS = ("sqlite", "postgresql")


@pytest.fixture(params=BACKENDS)
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a database of this test's own: none for SQLite, then one on PostgreSQL."""
    if request.param == "sqlite":
        yield ""
        return
    made: Cluster = request.getfixturevalue("cluster")
    url = made.database()
    yield url
    made.give_back(url)


@pytest.fixture
def place(database: str, tmp_path: Path) -> Place:
    """A place of this test's own, on either database."""
    return Place(tmp_path / "data", database)


Fresh = Callable[[], Place]


@pytest.fixture
def fresh(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Fresh]:
    """Makes as many places as a test needs, all on the same kind of database."""
    made, numbers = list[str](), count(1)

    def make() -> Place:
        if database:
            cluster: Cluster = request.getfixturevalue("cluster")
            made.append(cluster.database())
        return Place(tmp_path / f"place{next(numbers)}", made[-1] if database else "")

    yield make
    for one in made:
        request.getfixturevalue("cluster").give_back(one)


@pytest.fixture(autouse=os.environ.get("ARBITRE_ON_POSTGRESQL") is not None)
def everything_there(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep on PostgreSQL what a test would keep in files of SQLite; what it kept goes with its folder.

    A test that is marked `sqlite` looks into the file; one that is run on either database says itself where it keeps things.
    """
    if request.node.get_closest_marker("sqlite") or "database" in request.fixturenames:
        yield
        return
    made: Cluster = request.getfixturevalue("cluster")
    own = request.getfixturevalue("tmp_path")

    def at(given: Place | Path) -> Place:
        place = given if isinstance(given, Place) else Place(given)
        folder = place.folder.resolve()
        if place.database:
            return place
        if folder not in FOLDERS:
            FOLDERS[folder] = made.database()
        return Place(place.folder, FOLDERS[folder])

    for module in ("arbitre.records.store", "arbitre.site.database"):
        monkeypatch.setattr(f"{module}.at", at)
    yield
    for folder in [one for one in FOLDERS if one.is_relative_to(own.resolve())]:
        made.give_back(FOLDERS.pop(folder))


FOLDERS: dict[Path, str] = {}
"""The databases of folders, where everything is kept on PostgreSQL."""
