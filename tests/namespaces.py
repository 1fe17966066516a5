"""Machines of the tests' own on a network of their own, where a cable can be cut and nobody is hung up on.

A machine is a network namespace with one address. All packets between two pass a namespace in the middle, which forwards them or,
where the cable is cut, lets them fall: whoever sends hears nothing, as with a switch that has died. Namespaces have no names:
they and the cables between them are gone with what holds them open, at the latest with this process, however that ends.

Processes that are started `inside` a machine live there, and so do the sockets of whoever is inside. Files are shared, and with
them the sockets that lie in folders: by those a test looks at a PostgreSQL whatever was cut.
"""

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.postgresql import Cluster

NEW_NETWORK = 0x40000000
OWN = "/proc/thread-self/ns/net"
LIBC = ctypes.CDLL(None, use_errno=True)


class Machine:
    """One namespace, and its address."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.address = f"10.213.{number}.2"
        """Known within this network alone."""
        self.held = _new()

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Be there for a while: this thread, and what it starts meanwhile."""
        before = os.open(OWN, os.O_RDONLY)
        try:
            _system("setns", self.held, NEW_NETWORK)
            yield
        finally:
            _system("setns", before, NEW_NETWORK)
            os.close(before)

    @property
    def path(self) -> str:
        """What it is called where `ip` is to find it."""
        return f"/proc/{os.getpid()}/fd/{self.held}"

    def configure(self, *lines: str) -> None:
        """Have `ip` do something there."""
        with self.inside():
            done = subprocess.run(["ip", "-batch", "-"], input="\n".join(lines), capture_output=True, text=True, check=False)
        if done.returncode:
            raise OSError(f"ip: {done.stderr.strip()}")


class Network:
    """So many machines, each with a cable to the middle."""

    def __init__(self, count: int) -> None:
        self.made: list[Machine] = []
        self._cut: list[str] = []
        try:
            self.middle = self._machine(0)
            self.machines = tuple(self._machine(number) for number in range(1, count + 1))
            self._connect()
        except BaseException:
            self.close()
            raise

    def _machine(self, number: int) -> Machine:
        self.made.append(Machine(number))
        return self.made[-1]

    def _connect(self) -> None:
        for one in self.machines:
            ours = f"10.213.{one.number}.1"
            self.middle.configure(
                f"link add to{one.number} type veth peer name cable netns {one.path}",
                f"addr add {ours}/24 dev to{one.number}",
                f"link set to{one.number} up",
            )
            one.configure(
                "link set lo up",
                f"addr add {one.address}/24 dev cable",
                "link set cable up",
                f"route add default via {ours}",
            )
        with self.middle.inside():
            Path("/proc/sys/net/ipv4/ip_forward").write_text("1")

    def cut(self, one: Machine, other: Machine) -> None:
        """Let every packet between two fall."""
        rules = [f"from {here.address} to {there.address} blackhole" for here, there in ((one, other), (other, one))]
        self._cut += rules
        self.middle.configure(*(f"rule add {rule}" for rule in rules))

    def heal(self) -> None:
        """Let everything pass."""
        rules, self._cut = self._cut, []
        if rules:
            self.middle.configure(*(f"rule del {rule}" for rule in rules))

    def plug(self, one: Machine, *, into: bool) -> None:
        """Pull a machine's cable out of the middle, or plug it in."""
        self.middle.configure(f"link set to{one.number} {'up' if into else 'down'}")

    def close(self) -> None:
        """Let go of all of it; a namespace is gone when the last process within has ended."""
        for one in self.made:
            os.close(one.held)


class Distant(Cluster):
    """A PostgreSQL on a machine of its own, which every machine reaches by its address, and this one by its folder."""

    def __init__(self, programs: Path, folder: Path, machine: Machine) -> None:
        super().__init__(programs, folder, listen_addresses=machine.address)
        self.machine = machine

    def far(self, url: str) -> str:
        """Return the address of a database as other machines know it."""
        return f"postgresql://arbitre@{self.machine.address}/{url.partition('?')[0].rpartition('/')[2]}"

    def _run(self, program: str, *words: str) -> None:
        with self.machine.inside():
            super()._run(program, *words)


@cache
def why_not() -> str:
    """Return why no network can be made here; empty where one can."""
    if shutil.which("ip") is None:
        return "no program ip, which makes network namespaces: apt-get install iproute2"
    try:
        with network(2) as made:
            made.cut(*made.machines)
    except (OSError, AttributeError) as error:
        return f"network namespaces cannot be made here: {error}"
    return ""


@contextmanager
def network(count: int) -> Iterator[Network]:
    """Make a network of so many machines, which is gone in the end."""
    made = Network(count)
    try:
        yield made
    finally:
        made.close()


def _new() -> int:
    """Make a namespace, and return what holds it open."""
    before = os.open(OWN, os.O_RDONLY)
    try:
        _system("unshare", NEW_NETWORK)
        try:
            return os.open(OWN, os.O_RDONLY)
        finally:
            _system("setns", before, NEW_NETWORK)
    finally:
        os.close(before)


def _system(name: str, *given: int) -> None:
    if getattr(LIBC, name)(*given):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
