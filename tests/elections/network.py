"""A world of parties in memory: every packet takes its time, some get lost, some parties cheat."""

import heapq
import io
from collections.abc import Callable, Iterable
from hashlib import sha256
from itertools import count
from random import Random

from arbitre.crypto.keys import Key
from arbitre.elections import Mode, Opening, Terms, new_opening
from arbitre.elections.call import Call
from arbitre.elections.election import Election, HubElection, PeerElection
from arbitre.elections.hub import Hub, HubPlan
from arbitre.elections.transcript import write_lines

Filter = Callable[[str, str, bytes, float], Iterable[tuple[float, bytes]]]
"""From whom, to whom, what and when: returns when it arrives, and what arrives."""


def key_of(name: str) -> Key:
    return Key(sha256(f"key of {name}".encode()).digest())


def strong_call(names: Iterable[str], limit: float | None = 10.0, delay: float = 1.0, **more: object) -> Call:
    keys = tuple((name, key_of(name).public.hex()) for name in sorted(names))
    terms = Terms(mode=Mode.STRONG, game="test")
    return Call(terms, len(keys), limit, limit, delay, keys=keys, **more)  # type: ignore[arg-type]


def chooser(random: Random) -> Callable[[Call, str], Opening]:
    def choose(call: Call, name: str) -> Opening:
        return new_opening(call.terms, name, random.randbytes(32), random.randrange(call.terms.least_state, call.terms.states))

    return choose


class World:
    """Peers that talk to each other; or, with a hub, through it."""

    def __init__(self, seed: int = 0, transit: Filter | None = None) -> None:
        self.random = Random(seed)
        self.now = 0.0
        self.peers: dict[str, Election] = {}
        self.gone: set[str] = set()
        self.transit = transit
        self.hub: Hub | None = None
        self._queue: list[tuple[float, int, str, str, bytes]] = []
        self._order = count()
        self._last: dict[tuple[str, str], float] = {}

    def add(self, call: Call, *names: str, gather: float | None = None) -> None:
        for name in names:
            key = key_of(name) if call.terms.mode is Mode.STRONG else None
            self.peers[name] = PeerElection(call, name, chooser(self.random), key, gather)

    def add_hub(self, plan: HubPlan, *names: str) -> None:
        self.hub = Hub(plan, key_of("hub"))
        for name in names:
            key = key_of(name) if plan.terms.mode is Mode.STRONG else None
            self.peers[name] = HubElection(name, chooser(self.random), key)

    def post(self, author: str, to: str, packet: bytes) -> None:
        """Send a packet on its way."""
        if self.transit is not None:
            arrivals: Iterable[tuple[float, bytes]] = self.transit(author, to, packet, self.now)
        else:
            # as on every wire we use, what one party says to another arrives in the order in which it was said
            at = max(self._last.get((author, to), 0.0), self.now + self.random.uniform(0.0, 0.3))
            self._last[author, to] = at
            arrivals = [(at, packet)]
        for at, octets in arrivals:
            heapq.heappush(self._queue, (at, next(self._order), author, to, octets))

    def _flush(self) -> None:
        names = list(self.peers)
        for name, peer in self.peers.items():
            for packet in peer.packets():
                if name in self.gone:
                    continue
                if self.hub is not None:
                    self.hub.receive(names.index(name), packet, self.now)
                else:
                    for other in names:
                        if other != name:
                            self.post(name, other, packet)
        if self.hub is not None:
            for connection, packet in self.hub.outbox:
                chosen = [connection] if connection is not None else list(self.hub.seats)
                for number in chosen:
                    self.post("", names[number], packet)
            self.hub.outbox.clear()

    def run(self, until: float = 1_000.0) -> None:  # noqa: PLR0912 - a world is a loop
        """Let time pass until everybody who is there has finished."""
        if self.hub is not None:
            for number, _ in enumerate(self.peers):
                self.hub.connect(number, self.random.randbytes(16))
        else:
            for peer in self.peers.values():
                if isinstance(peer, PeerElection):
                    peer.start(self.now)
        while self.now < until:
            self._flush()
            here = [peer for name, peer in self.peers.items() if name not in self.gone]
            if all(peer.finished(self.now) for peer in here) and not self._queue:
                return
            moments = [moment for peer in here if not peer.finished(self.now) and (moment := peer.wake(self.now)) is not None]
            if self.hub is not None and (moment := self.hub.wake()) is not None and moment > self.now:
                moments.append(moment)
            if self._queue:
                moments.append(self._queue[0][0])
            if not moments:
                return
            self.now = max(self.now, min(moments))
            while self._queue and self._queue[0][0] <= self.now:
                _, _, author, to, packet = heapq.heappop(self._queue)
                if to not in self.gone:
                    self.peers[to].receive(packet, self.now, author or None)
            for name, peer in self.peers.items():
                if name not in self.gone:
                    peer.tick(self.now)
            if self.hub is not None:
                self.hub.tick(self.now)

    def leave(self, name: str) -> None:
        """Pull somebody's plug."""
        self.gone.add(name)
        if self.hub is not None:
            self.hub.disconnect(list(self.peers).index(name), self.now)

    def transcript(self, name: str) -> bytes:
        """Return the transcript that a party writes of its last attempt."""
        party = self.peers[name].party
        assert party is not None
        buffer = io.BytesIO()
        write_lines(buffer, party.header(), party.entries(), party.notes(), party.claim())
        return buffer.getvalue()

    def verdicts(self, *names: str) -> dict[str, tuple[str | None, tuple[tuple[str, str], ...]]]:
        """Return for each of these what it found: the winner, and who was excluded and why."""
        found = {}
        for name in names:
            verdict = self.peers[name].verdict
            assert verdict is not None, f"{name} found nothing: {self.peers[name].broken or self.peers[name].told[-5:]}"
            found[name] = (verdict.winner, tuple((one.player, str(one.fault)) for one in verdict.excluded))
        return found
