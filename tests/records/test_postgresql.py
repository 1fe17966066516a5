"""On PostgreSQL nothing told is lost and nothing is written twice, whatever becomes of the connection or of the database."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import Connection

from arbitre.errors import StoreError, UnknownError
from arbitre.records.event import Event, Kind
from arbitre.records.place import Place
from arbitre.records.postgresql import HOLD, PostgreSQL
from arbitre.records.store import Store, StoreJournal
from arbitre.site.community import Community
from tests.postgresql import ALONE, Cluster
from tests.reasons import raises
from tests.site.conftest import PASSWORD

SOCKET = ".s.PGSQL.5432"
SYNC, FLUSH = b"S\0\0\0\4", b"H\0\0\0\4"
"""Ends a row of statements: until it comes PostgreSQL waits, and does not count it as idle."""


@pytest.fixture
def kept(cluster: Cluster, tmp_path: Path) -> Iterator[Place]:
    url = cluster.database()
    yield Place(tmp_path / "data", url)
    cluster.give_back(url)


class Relay(threading.Thread):
    """Stands between a store and PostgreSQL, and cuts the connection at a commit: before it arrives, or before it is answered."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        super().__init__(daemon=True)
        self.folder = folder
        self.there = str(cluster.socket / SOCKET)
        self.cut = ""
        """`before` or `after`: the next commit is cut there."""
        self.at = b"COMMIT"
        self.cuts = 0
        self.silent = False
        """Whether nothing is passed on any more, and nobody is hung up on: a cut cable."""
        self.muffled = b""
        """Whoever says this hears nothing more, and is not hung up on."""
        self.mute: set[socket.socket] = set()
        self.stall = b""
        """What says this is not brought to its end, until somebody lets it `go_on`."""
        self.stalled, self.go_on = threading.Event(), threading.Event()
        self.sockets: list[socket.socket] = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / SOCKET))
        self.listener.listen()

    def run(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                far = socket.socket(socket.AF_UNIX)
                self.sockets += [near, far]
                far.connect(self.there)
                deaf = threading.Event()
                for one, other, way in ((near, far, "there"), (far, near, "back")):
                    threading.Thread(target=self._pass, args=(one, other, way, deaf), daemon=True).start()

    def heal(self) -> None:
        """Pass on what comes from now on; what was open while the cable was cut is lost."""
        for one in self.sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self.silent = False

    def _pass(self, one: socket.socket, other: socket.socket, way: str, deaf: threading.Event) -> None:
        mute, stalls = self.mute, False
        with suppress(OSError):
            while data := one.recv(1 << 16):
                if self.silent:
                    continue
                if way == "there" and self.cut and self.at in data:
                    where, self.cut, self.cuts = self.cut, "", self.cuts + 1
                    if where == "before":
                        break
                    deaf.set()
                stalls = stalls or bool(way == "there" and self.stall and self.stall in data)
                if stalls and data.removesuffix(FLUSH).endswith(SYNC):
                    self.stall, stalls = b"", False
                    other.sendall(data.removesuffix(FLUSH).removesuffix(SYNC))
                    self.stalled.set()
                    self.go_on.wait()
                    data = SYNC
                if way == "there" and self.muffled and self.muffled in data:
                    mute.add(other)
                if way == "back" and one in mute:
                    continue
                if way == "back" and deaf.is_set():
                    break  # it was committed, and nobody hears of it
                other.sendall(data)
        for side in (one, other):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def relay(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Relay]:
    made = Relay(cluster, tmp_path_factory.mktemp("r"))
    made.start()
    yield made
    made.go_on.set()
    for one in (made.listener, *made.sockets):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()


def said(number: int) -> Event:
    return Event(Kind.SAID, 0, 0, number, f"move {number}")


async def write(store: Store, sequence: int) -> None:
    StoreJournal(store, "m", sequence).write((said(sequence),), [said(sequence).line()])
    await store.durable()


@pytest.mark.parametrize("where", ["before", "after"])
def test_a_commit_that_nobody_heard_the_end_of_is_written_once(kept: Place, relay: Relay, where: str) -> None:
    store = Store(Place(kept.folder, kept.database.partition("?")[0] + f"?host={relay.folder}"))

    async def course() -> None:
        await write(store, 0)
        relay.cut = where
        await write(store, 1)
        await write(store, 2)

    asyncio.run(course())
    assert relay.cuts == 1
    assert store.events("m") == (said(0), said(1), said(2))
    assert not store.failed
    store.close()


@pytest.mark.parametrize("where", ["before", "after"])
def test_who_looks_and_then_writes_does_it_once(kept: Place, relay: Relay, where: str) -> None:
    store = Store(Place(kept.folder, kept.database.partition("?")[0] + f"?host={relay.folder}"))
    relay.cut = where
    query = "INSERT INTO tournaments (name, plan, seed, created) VALUES (?, '', ?, '') RETURNING name"
    assert asyncio.run(store.transact(lambda execute: execute(query, ("cup", b"")))) == [("cup",)]
    assert store.tournaments() == ("cup",)
    store.close()


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_a_restart_of_the_database_loses_nothing_told(cluster: Cluster, kept: Place, how: str) -> None:
    store = Store(kept)

    async def course() -> int:
        told, stopped = 0, asyncio.create_task(asyncio.to_thread(restart))
        while not stopped.done() or told < 20:
            await write(store, told)
            told += 1
        await stopped
        await write(store, told)
        return told + 1

    def restart() -> None:
        with cluster.away(how):
            pass

    with store.holding("cup"):
        told = asyncio.run(course())
        other = Store(kept)
        with raises(StoreError, "another process is at work on", what="cup"), other.holding("cup"):
            pass  # it is held again
        other.close()
    assert [event.turn for event in store.events("m")] == list(range(told))
    with Community(kept) as house:
        assert house.accounts.all() == ()
    store.close()


def test_the_community_comes_back_too(cluster: Cluster, kept: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arbitre.site.database.PATIENCE_SECONDS", 0.5)
    with Community(kept) as house:
        assert house.accounts.all() == ()
        with cluster.away(), pytest.raises(StoreError):
            house.accounts.all()
        assert house.accounts.all() == ()
        with house.database.writing():
            pass


def test_who_lost_what_he_held_to_another_writes_nothing_more(
    cluster: Cluster, kept: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbitre.records.postgresql.PATIENCE_SECONDS", 0.2)
    one, two = Store(kept), Store(kept)
    with one.holding("cup"):
        with cluster.away():
            pass
        two.rows("SELECT 1")
        two.add_match("m", "tictactoe", bytes(32), "2026-01-01")
        asyncio.run(two.durable())
        with two.holding("cup"):
            with raises(StoreError, "another process is at work on", what="cup"):
                asyncio.run(write(one, 0))
            assert one.failed
    assert two.events("m") == ()
    one.close()
    two.close()


def test_what_postgresql_cannot_keep_stops_nothing(kept: Place) -> None:
    store = Store(kept)
    trace = "INSERT INTO traces (match, seat, sequence, at, what, text, status, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    for number in range(2):
        store.append(trace, ("m", 0, number, "", "heard", "a\0b", 200, "\0"))
    asyncio.run(store.durable())
    assert store.rows("SELECT text, body FROM traces") == [("a\u2400b", "\u2400")] * 2
    for number in (2**31, 2**63, 2**70):
        with suppress(UnknownError):  # above a column's bound, or above every one
            assert store.rows("SELECT 1 FROM traces WHERE sequence = ?", (number,)) == []
    with Community(kept) as house:
        for number in (2**31, 2**63, 2**70):
            with pytest.raises(UnknownError):
                house.engines.get(number)
        assert house.accounts.all(search="a\0b") == ()
    store.close()


def test_sessions_let_go_of_their_locks(kept: Place) -> None:
    store = Store(kept)
    settings = ("idle_in_transaction_session_timeout", "synchronous_commit")
    assert [store.rows("SELECT current_setting(?)", (one,))[0][0] for one in settings] == ["2s", "on"]
    store.close()


def test_a_database_that_is_not_there_is_told_without_its_password(tmp_path: Path) -> None:
    with raises(StoreError, "cannot be used") as caught:
        Store(Place(tmp_path, "postgresql://ann:hush@127.0.0.1:1/none"))
    assert "hush" not in str(caught.value)
    with raises(StoreError, "a database is an address"):
        Place(tmp_path, "mysql://ann:hush@host/none")


def test_a_process_that_hangs_with_the_lock_keeps_nobody_from_writing(kept: Place) -> None:
    hung, other = Store(kept), Store(kept)
    backend = hung.backend
    assert isinstance(backend, PostgreSQL)
    backend._writer.execute(HOLD, prepare=False)  # and nothing more is heard of it, not even that it has gone
    query = "INSERT INTO tournaments (name, plan, seed, created) VALUES ('cup', '', ?, '') RETURNING name"
    assert asyncio.run(other.transact(lambda execute: execute(query, (b"",)))) == [("cup",)]
    other.close()
    asyncio.run(write(hung, 0))  # awake again it comes back
    hung.close()


def test_what_was_committed_has_succeeded_though_the_lock_is_lost(cluster: Cluster, kept: Place, relay: Relay) -> None:
    store = Store(Place(kept.folder, kept.database.partition("?")[0] + f"?host={relay.folder}"))
    relay.cut, relay.at = "before", b"pg_advisory_unlock"
    query = "INSERT INTO tournaments (name, plan, seed, created) VALUES ('cup', '', ?, '') RETURNING name"
    assert asyncio.run(store.transact(lambda execute: execute(query, (b"",)))) == [("cup",)]
    assert relay.cuts == 1
    asyncio.run(write(store, 0))
    store.close()


def test_a_database_that_takes_no_writes_is_left_for_one_that_does(
    cluster: Cluster, kept: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(kept)
    backend = store.backend
    assert isinstance(backend, PostgreSQL)
    backend._writer.execute("SET default_transaction_read_only = on")  # as if another had become the one to write to
    asyncio.run(write(store, 0))
    with Community(kept) as house:
        with house.database.reading() as connection:
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("SET default_transaction_read_only = on")
        with pytest.raises(StoreError):
            house.accounts.create("Ann", PASSWORD)
        assert house.accounts.create("Ann", PASSWORD).name == "Ann"
    monkeypatch.setattr("arbitre.records.postgresql.PATIENCE_SECONDS", 0.2)
    name = kept.database.partition("?")[0].rpartition("/")[2]
    cluster.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on", cluster.url("postgres"))
    try:
        cluster.execute(ALONE, cluster.url(name))
        with raises(StoreError, "takes no writes now"):
            asyncio.run(write(store, 1))
    finally:
        cluster.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only", cluster.url("postgres"))
    store.close()
    store = Store(kept)
    assert [event.turn for event in store.events("m")] == [0]
    asyncio.run(write(store, 1))
    store.close()


def test_a_long_write_of_people_is_begun_again_where_its_session_was_ended(kept: Place) -> None:
    with Community(kept) as house:
        ann = house.accounts.create("Ann", PASSWORD)
        sessions: list[int] = []

        def work(connection: Connection) -> str:
            sessions.append(int(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()))
            house.accounts.erase(connection, ann)
            if len(sessions) == 1:
                connection.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")
            return "done"

        assert house.database.write(work) == "done"
        assert len(set(sessions)) == 2
        with pytest.raises(UnknownError):
            house.accounts.called("Ann")


def test_a_database_that_cannot_keep_every_letter_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    cluster.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0", cluster.url("postgres"))
    with raises(StoreError, "keeps texts as", encoding="LATIN1"):
        Store(Place(tmp_path, cluster.url("latin")))
