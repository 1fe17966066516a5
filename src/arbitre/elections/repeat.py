"""Reliable broadcast over datagrams that get lost, come twice, or come in another order.

Everything a party says gets a number, and is handed on in the order of the numbers, each once. Whoever receives it says so,
in an acknowledgement that covers all numbers of that party; what somebody has not acknowledged is sent again, at growing
intervals, and not for ever. The numbers run within one *session*, eight random octets, so that a program that starts anew is
not taken for its predecessor. Numbers big-endian::

    data   4 octets "RCBD", 8 session, 1 length, name, 4 number, packet
    acks   4 octets "RCBA", 8 session, 1 length, name, any number of: 8 session, 4 number, 8 map; then 64 signature or nothing

An acknowledgement says: of this session I have everything below the number, and of the 64 after it those whose bits are set. In
strong mode it is signed, because whoever could forge it could make a message vanish.
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from arbitre.errors import PayloadError
from arbitre.reasons import Reason

DATA: Final = b"RCBD"
ACKS: Final = b"RCBA"
SESSION_OCTETS: Final = 8
FIRST_WAIT: Final = 0.08
LONGEST_WAIT: Final = 1.0
GROWTH: Final = 1.5
MOST_TRIES: Final = 120
"""How often one message is sent at most: about two minutes."""
ACK_WAIT: Final = 0.02
"""Acknowledgements wait this long for company."""
MOST_SESSIONS: Final = 4_096
MOST_RESTARTS: Final = 8
"""How often one party may start anew."""
MOST_AHEAD: Final = 64
MOST_MESSAGES: Final = 4_096

Sign = Callable[[bytes], bytes]
Check = Callable[[str, bytes, bytes], bool]


@dataclass
class _Message:
    datagram: bytes
    due: float
    wait: float = FIRST_WAIT
    tries: int = 0


@dataclass
class _Peer:
    """What one session of another party sent and acknowledged."""

    name: str
    below: int = 0
    """Everything below this number has come, and was handed on."""
    ahead: dict[int, bytes] = field(default_factory=dict)
    acked_below: int = 0
    acked: set[int] = field(default_factory=set)

    def take(self, number: int, packet: bytes) -> Iterator[bytes]:
        """Take in a packet; return those whose turn it is."""
        if self.below <= number < self.below + MOST_AHEAD:
            self.ahead.setdefault(number, packet)
        while self.below in self.ahead:
            yield self.ahead.pop(self.below)
            self.below += 1


class Repeater:
    """One party's end of the broadcast."""

    def __init__(self, name: str, session: bytes, peers: int, sign: Sign | None = None, check: Check | None = None) -> None:
        """Speak as `name`; `peers` is how many others must acknowledge."""
        self.name = name
        self.session = session
        self.peers = peers
        self.sign = sign
        self.check = check
        octets = name.encode()
        self._head = session + bytes([len(octets)]) + octets
        self._messages: dict[int, _Message] = {}
        self._next = 0
        self._others: dict[bytes, _Peer] = {}
        self._ack_due: float | None = None

    def send(self, packet: bytes, now: float) -> None:
        """Take a packet to be brought to everybody."""
        if len(self._messages) >= MOST_MESSAGES:
            self._messages.pop(min(self._messages))
        number, self._next = self._next, self._next + 1
        self._messages[number] = _Message(DATA + self._head + struct.pack(">I", number) + packet, now)

    def receive(self, datagram: bytes, now: float) -> tuple[str, list[bytes]]:
        """Take in a datagram; return who sent it, and the packets whose turn it is; `PayloadError` for what is none."""
        kind, session, size = datagram[:4], datagram[4:12], datagram[12:13]
        at = 13 + (size[0] if size else 0)
        if kind not in {DATA, ACKS} or at > len(datagram) or not size:
            raise PayloadError(
                "datagram",
                "%(datagram)s octets that begin with %(kind)s",
                datagram=len(datagram),
                kind=kind.hex() or Reason("nothing"),
            )
        if session == self.session:
            return self.name, []
        try:
            name = datagram[13:at].decode()
        except UnicodeDecodeError:
            raise PayloadError("datagram", "a name is not UTF-8") from None
        if kind == ACKS:
            self._acknowledged(name, session, datagram, at)
            return name, []
        return name, self._delivered(name, session, datagram, at, now)

    def _peer(self, name: str, session: bytes) -> _Peer | None:
        peer = self._others.get(session)
        if peer is None:
            same = sum(other.name == name for other in self._others.values())
            if len(self._others) >= MOST_SESSIONS or same >= MOST_RESTARTS:
                return None
            peer = self._others[session] = _Peer(name)
        return peer if peer.name == name else None

    def _delivered(self, name: str, session: bytes, datagram: bytes, at: int, now: float) -> list[bytes]:
        if len(datagram) < at + 4:
            raise PayloadError("datagram", "the number is missing")
        peer = self._peer(name, session)
        if peer is None:
            return []
        if self._ack_due is None:
            # whether it is new or not: our acknowledgement of it may have been lost
            self._ack_due = now + ACK_WAIT
        return list(peer.take(int.from_bytes(datagram[at : at + 4], "big"), datagram[at + 4 :]))

    def _acknowledged(self, name: str, session: bytes, datagram: bytes, at: int) -> None:
        body, rest = datagram[at:], b""
        if self.check is not None:
            body, rest = datagram[at:-64], datagram[-64:]
            if len(datagram) < at + 64 or not self.check(name, datagram[:-64], rest):
                return
        peer = self._peer(name, session)
        if peer is None or len(body) % 20:
            return
        for start in range(0, len(body), 20):
            if body[start : start + 8] == self.session:
                below, bits = struct.unpack(">IQ", body[start + 8 : start + 20])
                peer.acked_below = max(peer.acked_below, min(below, self._next))
                peer.acked |= {below + bit for bit in range(64) if bits >> bit & 1}
                peer.acked = {number for number in peer.acked if peer.acked_below <= number < self._next}

    def _everywhere(self, number: int) -> bool:
        names = {peer.name for peer in self._others.values() if number < peer.acked_below or number in peer.acked}
        return len(names) >= self.peers

    def due(self, now: float) -> Iterator[bytes]:
        """Return the datagrams to send now."""
        if self._ack_due is not None and now >= self._ack_due:
            self._ack_due = None
            yield from self._acks()
        for number, message in list(self._messages.items()):
            if message.due > now:
                continue
            if message.tries >= MOST_TRIES or (message.tries and self._everywhere(number)):
                del self._messages[number]
                continue
            message.tries += 1
            message.due = now + message.wait
            message.wait = min(message.wait * GROWTH, LONGEST_WAIT)
            yield message.datagram

    def _acks(self) -> Iterator[bytes]:
        rows = [
            session + struct.pack(">IQ", peer.below, sum(1 << (number - peer.below) for number in peer.ahead))
            for session, peer in self._others.items()
            if peer.below or peer.ahead
        ]
        for at in range(0, len(rows), 50):
            datagram = ACKS + self._head + b"".join(rows[at : at + 50])
            yield datagram + (self.sign(datagram) if self.sign is not None else b"")

    def wake(self) -> float | None:
        """Return when something is due."""
        moments = [message.due for message in self._messages.values()]
        if self._ack_due is not None:
            moments.append(self._ack_due)
        return min(moments, default=None)

    def settled(self) -> bool:
        """Tell whether everybody has everything."""
        return all(self._everywhere(number) for number in self._messages)
