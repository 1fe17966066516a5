"""Who does not reach a database waits once for all: it is known from then on, until somebody has reached it."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from arbitre.errors import StoreError
from arbitre.records.backend import open_aside
from arbitre.records.place import Place
from tests.postgresql import Cluster
from tests.records.test_postgresql import SOCKET


class Deaf(threading.Thread):
    """A door that lets everybody in and says nothing, until it leads to a PostgreSQL."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(daemon=True)
        self.there = str(cluster.socket / SOCKET)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.opens = False
        self.came: list[socket.socket] = []

    def run(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                self.came.append(near)
                if self.opens:
                    far = socket.socket(socket.AF_UNIX)
                    far.connect(self.there)
                    self.came.append(far)
                    for one, other in ((near, far), (far, near)):
                        threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(1 << 16):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)


@pytest.fixture
def deaf(cluster: Cluster) -> Iterator[Deaf]:
    made = Deaf(cluster)
    made.start()
    yield made
    for one in (made.listener, *made.came):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()


def test_only_the_first_waits_for_a_database_that_says_nothing(cluster: Cluster, deaf: Deaf, tmp_path: Path) -> None:
    url = cluster.database()
    name = url.partition("?")[0].rpartition("/")[2]
    aside = open_aside(Place(tmp_path, f"postgresql://arbitre@127.0.0.1:{deaf.port}/{name}?connect_timeout=2&sslmode=disable"))

    def ask() -> object:
        return aside.transact(lambda execute: execute("SELECT 1", ()))

    for _ in range(50):
        with pytest.raises(StoreError):
            ask()
    assert len(deaf.came) <= 2  # the first, and what tries for all
    deaf.opens = True
    deaf.came[-1].close()  # which need not wait in vain once more
    while True:
        with suppress(StoreError):
            assert ask() == [(1,)]
            break
    aside.close()
    cluster.give_back(url)
