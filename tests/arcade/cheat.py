"""Parties that break the rules, as programs: `python -m tests.arcade.cheat KIND ARGUMENTS…`, the arguments those of `arbitre`.

They are our own parties with one thing changed, so that they get as far as a cheat can get.
"""

import asyncio
import os
import signal
import sys
from typing import Any

from arbitre.cli import run
from arbitre.elections import election as elections
from arbitre.elections import transport
from arbitre.elections.item import Item, Kind, read_packet, write_packets
from arbitre.elections.party import Party


def vanish() -> None:
    """Pull the plug after committing: the process is gone, without a word."""

    def open_up(self: Party, now: float) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    Party.open_up = open_up  # type: ignore[method-assign]


def equivocate() -> None:
    """Sign a second Commit, and send it instead of the first to every second party."""
    send = transport.MeshChannel.send
    held: dict[str, Any] = {}
    begin = elections.PeerElection.start

    def start(self: elections.PeerElection, now: float) -> None:
        held["key"] = self.key
        begin(self, now)

    def divided(self: transport.MeshChannel, packet: bytes) -> None:
        tag, items = read_packet(packet)
        mine = [item for item in items if item.kind is Kind.COMMIT and item.author == self.name and len(item.signatures) == 1]
        if not mine:
            send(self, packet)
            return
        other = Item(Kind.COMMIT, self.name, mine[0].body[:2] + bytes(32)).sign(tag, self.name, held["key"])
        (second,) = write_packets(tag, [other])
        names = sorted(set(self._links.values()))
        for writer, peer in self._links.items():
            transport.write_frame(writer, packet if names.index(peer) % 2 else second)

    elections.PeerElection.start = start  # type: ignore[method-assign]
    transport.MeshChannel.send = divided  # type: ignore[method-assign]


def copy() -> None:
    """Say what the party `a` says, and nothing of one's own."""
    hear, packets = elections.PeerElection.hear, elections.PeerElection.packets
    stolen: set[bytes] = set()

    def heard(self: elections.PeerElection, packet: bytes, now: float, peer: str | None = None) -> None:
        tag, items = read_packet(packet)
        for item in items:
            if item.author == "a" and item.kind not in {Kind.HELLO, Kind.BEGIN} and item.body not in stolen:
                stolen.add(item.body)
                self.outbox += write_packets(tag, [Item(item.kind, self.name, item.body).sign(tag, self.name, self.key)])
        hear(self, packet, now, peer)

    def said(self: elections.PeerElection) -> list[bytes]:
        kept = []
        for packet in packets(self):
            tag, items = read_packet(packet)
            spared = {Kind.HELLO, Kind.BEGIN}
            honest = [one for one in items if one.author == self.name and one.kind not in spared and one.body not in stolen]
            kept += list(write_packets(tag, [one for one in items if one not in honest]))
        return kept

    elections.PeerElection.hear = heard  # type: ignore[method-assign]
    elections.PeerElection.packets = said  # type: ignore[method-assign,assignment]


def late() -> None:
    """Reveal long after everybody else."""
    send = transport.MeshChannel.send

    def delayed(self: transport.MeshChannel, packet: bytes) -> None:
        own = any(item.kind is Kind.REVEAL and item.author == self.name for item in read_packet(packet)[1])
        if own:
            asyncio.get_running_loop().call_later(6.5, send, self, packet)
        else:
            send(self, packet)

    transport.MeshChannel.send = delayed  # type: ignore[method-assign]


if __name__ == "__main__":
    {"vanish": vanish, "equivocate": equivocate, "copy": copy, "late": late}[sys.argv[1]]()
    sys.exit(run(sys.argv[2:]))
