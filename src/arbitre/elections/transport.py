"""What carries the packets of an election: a multicast group, a mesh of connections, or one connection to a hub.

All three are *channels*: everything sent goes to everybody, and what arrives comes out of a queue with the name of whoever
sent it, where the wire knows. Each holds what a stranger may cost to a bound: the size of a packet, packets per second of
one source, connections, octets waiting for a slow reader.

On a connection a packet follows its length in four octets; the first packet each way is the sender's name. Whoever connects
later is told everything that was said before.
"""

import asyncio
import socket
import struct
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from ipaddress import ip_address
from random import Random
from typing import Any, Final

from arbitre.elections.clock import clock
from arbitre.elections.item import LONGEST_PACKET
from arbitre.elections.repeat import Repeater
from arbitre.elections.terms import LONGEST_NAME
from arbitre.errors import ElectionError, PayloadError, refusal
from arbitre.reasons import Reason
from arbitre.values import value

MOST_WAITING: Final = 8 << 20
"""Octets that may wait for a slow reader before he is cut off."""
MOST_HISTORY: Final = 4_096
RATE: Final = 2_000.0
"""Packets per second from one source, on average."""
BURST: Final = 8_000.0
MOST_SOURCES: Final = 4_096
DIAL_SECONDS: Final = 0.25
"""How long to wait before calling a peer again who is not there yet."""
LONGEST_DIAL: Final = 2.0
CLOSE_SECONDS: Final = 3.0
LARGEST_DATAGRAM: Final = 65_507


@value
class Address:
    """A host and a port; IPv6 hosts may name their interface after a percent sign."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def multicast(self) -> bool:
        """Tell whether it is a group."""
        try:
            return ip_address(self.host.partition("%")[0]).is_multicast
        except ValueError:
            return False


def read_address(text: str) -> Address:
    """Return the address that a text says: `host:port`, `[v6]:port`."""
    host, colon, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ElectionError("an IPv6 address with a port is written [address]:port, not %(text)r", text=text)
    if not colon or not host or not port.isdecimal() or not 0 <= int(port) <= 65_535:
        raise ElectionError("an address is written host:port, not %(text)r", text=text)
    return Address(host, int(port))


class Allowance:
    """How much each source may still send: a bucket that fills with time."""

    def __init__(self, rate: float = RATE, burst: float = BURST) -> None:
        self.rate = rate
        self.burst = burst
        self._left: OrderedDict[object, tuple[float, float]] = OrderedDict()

    def take(self, source: object, now: float) -> bool:
        """Tell whether a source may send one more."""
        left, at = self._left.pop(source, (self.burst, now))
        left = min(self.burst, left + (now - at) * self.rate)
        self._left[source] = (max(left - 1, 0.0), now)
        if len(self._left) > MOST_SOURCES:
            self._left.popitem(last=False)
        return left >= 1


class Channel(ABC):
    """One party's way to all others."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.inbox: asyncio.Queue[tuple[bytes, str | None]] = asyncio.Queue(maxsize=20_000)
        self.refused = 0
        """What came and was no packet, or too much."""
        self.lost: Reason | None = None
        """Why the channel is of no more use; None while it is."""

    @abstractmethod
    async def open(self) -> None:
        """Open the channel; `ElectionError` if that cannot be."""

    @abstractmethod
    def send(self, packet: bytes) -> None:
        """Bring a packet to everybody."""

    def tick(self, now: float) -> None:  # noqa: B027 - most wires have nothing to do
        """Do what is due."""

    def wake(self) -> float | None:
        """Return when something is due."""
        return None

    def quiet(self) -> bool:
        """Tell whether everybody has everything, as far as this end can know."""
        return True

    @abstractmethod
    async def close(self) -> None:
        """Close the channel."""

    def deliver(self, packet: bytes, peer: str | None) -> None:
        """Put a packet into the queue, or drop it if nobody empties the queue."""
        try:
            self.inbox.put_nowait((packet, peer))
        except asyncio.QueueFull:
            self.refused += 1


# ── datagrams ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Disturbance:
    """Bad weather, to try an election out: what arrives is lost, doubled or delayed with these chances."""

    def __init__(self, loss: float = 0.0, twice: float = 0.0, late: float = 0.0, seed: object = None) -> None:
        self.loss, self.twice, self.late = loss, twice, late
        self.random = Random(str(seed)) if seed is not None else Random()

    def arrivals(self) -> list[float]:
        """Return after how many seconds a datagram arrives, each time that it does."""
        copies = 0 if self.random.random() < self.loss else 2 if self.random.random() < self.twice else 1
        return [self.random.uniform(0.0, 0.2) if self.random.random() < self.late else 0.0 for _ in range(copies)]


class GroupChannel(Channel, asyncio.DatagramProtocol):
    """A multicast group, IPv4 or IPv6."""

    def __init__(
        self,
        name: str,
        group: Address,
        repeater: Repeater,
        *,
        interface: str = "",
        hops: int = 1,
        weather: Disturbance | None = None,
    ) -> None:
        """Speak in a group; `interface` is the address (IPv4) or the name of the interface to use."""
        super().__init__(name)
        self.group = group
        self.repeater = repeater
        self.interface = interface
        self.hops = hops
        self.weather = weather
        self._allowance = Allowance()
        self._transport: asyncio.DatagramTransport | None = None
        self._to: tuple[Any, ...] = ()

    async def open(self) -> None:
        """Join the group."""
        try:
            joined, self._to = _group_socket(self.group, self.interface, self.hops)
        except (OSError, ValueError) as error:
            raise ElectionError("cannot join the group %(group)s: %(error)s", group=self.group, error=error) from error
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_datagram_endpoint(lambda: self, sock=joined)

    def datagram_received(self, data: bytes, addr: Any) -> None:
        """Take in a datagram, as the weather has it."""
        if not self._allowance.take(addr[:2], clock()):
            self.refused += 1
            return
        for after in self.weather.arrivals() if self.weather else (0.0,):
            if after:
                asyncio.get_running_loop().call_later(after, self._received, data)
            else:
                self._received(data)

    def _received(self, data: bytes) -> None:
        try:
            _, packets = self.repeater.receive(data, clock())
        except PayloadError:
            self.refused += 1
            return
        for packet in packets:
            # the name in a datagram is a claim: in a group nobody knows who speaks
            self.deliver(packet, None)

    def error_received(self, exc: Exception) -> None:
        """Go on: what was lost is sent again."""

    def send(self, packet: bytes) -> None:
        """Bring a packet to everybody."""
        self.repeater.send(packet, clock())
        self.tick(clock())

    def tick(self, now: float) -> None:
        """Send what is due, for the first time or again."""
        for datagram in self.repeater.due(now):
            if self._transport is not None and len(datagram) <= LARGEST_DATAGRAM:
                self._transport.sendto(datagram, self._to)

    def wake(self) -> float | None:
        """Return when something is due."""
        return self.repeater.wake()

    def quiet(self) -> bool:
        """Tell whether everybody has acknowledged everything."""
        return self.repeater.settled()

    async def close(self) -> None:
        """Leave the group."""
        if self._transport is not None:
            self._transport.close()
            await asyncio.sleep(0)


def _group_socket(group: Address, interface: str, hops: int) -> tuple[socket.socket, tuple[Any, ...]]:
    """Return a socket in a group, and where to send to reach it."""
    host, _, scope = group.host.partition("%")
    six = ip_address(host).version == 6
    made = socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_DGRAM)
    try:
        made.setblocking(False)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "SO_REUSEPORT"):
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        with suppress(OSError):
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        if six:
            index = socket.if_nametoindex(scope or interface) if scope or interface else 0
            made.bind((host, group.port, 0, index))
            made.setsockopt(
                socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, socket.inet_pton(socket.AF_INET6, host) + struct.pack("@I", index)
            )
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_LOOP, 1)
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, hops)
            return made, (host, group.port, 0, index)
        local = socket.inet_aton(_address_of(interface)) if interface else bytes(4)
        made.bind((host, group.port))
        made.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(host) + local)
        if interface:
            made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, local)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, hops)
    except BaseException:
        made.close()
        raise
    return made, (host, group.port)


def _address_of(interface: str) -> str:
    """Return the IPv4 address by which an interface is known."""
    try:
        return str(ip_address(interface))
    except ValueError:
        raise ElectionError(
            "an interface for an IPv4 group is named by its address, not %(interface)r", interface=interface
        ) from None


# ── connections ────────────────────────────────────────────────────────────────────────────────────────────────────


async def read_frame(reader: asyncio.StreamReader, most: int = LONGEST_PACKET) -> bytes:
    """Return the next packet of a connection; `EOFError` when there is none, or it is too long."""
    try:
        size = int.from_bytes(await reader.readexactly(4), "big")
        if size > most:
            raise EOFError(f"a packet of {size} octets")
        return await reader.readexactly(size)
    except (asyncio.IncompleteReadError, ConnectionError, OSError) as error:
        raise EOFError(str(error)) from error


def write_frame(writer: asyncio.StreamWriter, packet: bytes) -> bool:
    """Send a packet; tell whether the other side still listens fast enough."""
    if writer.is_closing() or writer.transport.get_write_buffer_size() > MOST_WAITING:
        return False
    writer.write(struct.pack(">I", len(packet)) + packet)
    return True


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Close a connection, once what was written has gone out."""
    with suppress(OSError, asyncio.TimeoutError):
        writer.close()
        await asyncio.wait_for(writer.wait_closed(), 2.0)


class MeshChannel(Channel):
    """A connection to every other party; who calls whom does not matter, and two connections do no harm."""

    def __init__(self, name: str, here: Address | None, peers: Sequence[Address], parties: int) -> None:
        """Listen at `here` and call `peers`, again and again until they answer."""
        super().__init__(name)
        self.here = here
        self.peers = peers
        self.most = 4 * parties + 16
        self._history: list[bytes] = []
        self._links: dict[asyncio.StreamWriter, str] = {}
        self._open = 0
        self._closed = False
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._allowance = Allowance()

    async def open(self) -> None:
        """Listen, and begin to call."""
        if self.here is not None:
            try:
                self._server = await asyncio.start_server(self._answer, self.here.host, self.here.port)
            except OSError as error:
                raise ElectionError("cannot listen at %(here)s: %(strerror)s", here=self.here, strerror=refusal(error)) from error
        for peer in self.peers:
            self._spawn(self._dial(peer))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _dial(self, peer: Address) -> None:
        """Call one peer until it answers, and again when the connection breaks."""
        wait = DIAL_SECONDS
        # the flag, and not only cancellation, ends it: `wait_for` of Python 3.11 may swallow a cancellation
        while not self._closed:
            try:
                reader, writer = await asyncio.open_connection(peer.host, peer.port)
            except OSError:
                await asyncio.sleep(wait)
                wait = min(wait * 1.5, LONGEST_DIAL)
                continue
            wait = DIAL_SECONDS
            await self._talk(reader, writer)
            await asyncio.sleep(wait)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._open >= self.most:
            self.refused += 1
            await hang_up(writer)
            return
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        await self._talk(reader, writer)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Exchange names, tell everything said so far, and listen to the end."""
        self._open += 1
        try:
            write_frame(writer, self.name.encode())
            peer = (await asyncio.wait_for(read_frame(reader, LONGEST_NAME), 10.0)).decode()
            for packet in self._history:
                write_frame(writer, packet)
            self._links[writer] = peer
            while not self._closed:
                packet = await read_frame(reader)
                if not self._allowance.take(writer, clock()):
                    self.refused += 1
                    return
                self.deliver(packet, peer)
        except (EOFError, UnicodeDecodeError, TimeoutError):
            pass
        finally:
            self._open -= 1
            self._links.pop(writer, None)
            await hang_up(writer)

    def send(self, packet: bytes) -> None:
        """Bring a packet to everybody who is connected, and to whoever will be."""
        if len(self._history) < MOST_HISTORY:
            self._history.append(packet)
        for writer in list(self._links):
            if not write_frame(writer, packet):
                self._links.pop(writer, None)
                writer.close()

    def quiet(self) -> bool:
        """Tell whether everything has left this machine."""
        return all(writer.transport.get_write_buffer_size() == 0 for writer in self._links)

    async def close(self) -> None:
        """Hang up on everybody."""
        self._closed = True
        if self._server is not None:
            self._server.close()
        for writer in list(self._links):
            await hang_up(writer)
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_SECONDS)


class HubChannel(Channel):
    """One connection, to a hub."""

    def __init__(self, name: str, hub: Address, patience: float = 10.0) -> None:
        """Call a hub, for `patience` seconds if it is not there yet."""
        super().__init__(name)
        self.hub = hub
        self.patience = patience
        self._writer: asyncio.StreamWriter | None = None
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Call the hub."""
        until = clock() + self.patience
        while True:
            try:
                reader, self._writer = await asyncio.open_connection(self.hub.host, self.hub.port)
                break
            except OSError as error:
                if clock() >= until:
                    raise ElectionError(
                        "no hub answers at %(hub)s: %(strerror)s", hub=self.hub, strerror=refusal(error)
                    ) from error
                await asyncio.sleep(DIAL_SECONDS)
        self._task = asyncio.get_running_loop().create_task(self._listen(reader))

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                self.deliver(await read_frame(reader), None)
        except EOFError:
            self.lost = Reason("the hub at %(hub)s hung up", hub=self.hub)
            self.deliver(b"", None)

    def send(self, packet: bytes) -> None:
        """Give a packet to the hub."""
        if self._writer is not None:
            write_frame(self._writer, packet)

    def quiet(self) -> bool:
        """Tell whether everything has left this machine."""
        return self._writer is None or self._writer.transport.get_write_buffer_size() == 0

    async def close(self) -> None:
        """Hang up."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task], timeout=CLOSE_SECONDS)
        if self._writer is not None:
            await hang_up(self._writer)
