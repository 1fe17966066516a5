"""A party of a hub that is killed and started again with its folder: it is let in by its key, and says what it said before."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from arbitre.elections.election import HubElection
from arbitre.elections.hub import Hub, HubPlan
from arbitre.elections.item import Kind, read_packet
from arbitre.elections.journal import FileJournal, Journal
from arbitre.elections.terms import Mode, Terms
from tests.elections.network import chooser, key_of

NAMES = "abc"


class Room:
    """A hub and its parties, who hear each other at once; whoever is held back speaks later."""

    def __init__(self, folder: Path) -> None:
        keys = tuple((name, key_of(name).public.hex()) for name in NAMES)
        self.hub = Hub(HubPlan(Terms(mode=Mode.STRONG, game="rejoin"), keys=keys), key_of("hub"))
        self.folder = folder
        self.parties: dict[int, HubElection] = {}
        self.held: list[tuple[int, bytes]] = []
        self._random = Random(1)

    def enter(self, name: str) -> int:
        """Let a party come, for the first time or again."""

        def journals(tag: bytes, name: str) -> Journal:
            return FileJournal(self.folder / name, tag, name, key_of(name))

        number = max(self.parties, default=-1) + 1
        self.parties[number] = HubElection(name, chooser(self._random), key_of(name), journals=journals)
        self.hub.connect(number, self._random.randbytes(16))
        return number

    def kill(self, number: int) -> None:
        """Let a party be gone, with everything that is not on its disk."""
        self.parties.pop(number).close()
        self.hub.disconnect(number, 0.0)

    def talk(self, slow: str = "", kind: Kind | None = None) -> None:
        """Let everybody speak and hear until nobody has anything more to say; hold back what one says from some kind on."""
        busy, mute = True, False
        while busy:
            busy = False
            for number, party in tuple(self.parties.items()):
                for packet in party.packets():
                    mute = mute or (party.name == slow and any(item.kind is kind for item in read_packet(packet)[1]))
                    if mute and party.name == slow:
                        self.held.append((number, packet))
                        continue
                    self.hub.receive(number, packet, 0.0)
                    busy = True
            sent, self.hub.outbox = self.hub.outbox, []
            for connection, packet in sent:
                for number in [connection] if connection is not None else list(self.hub.seats):
                    if number in self.parties:
                        self.parties[number].receive(packet, 0.0)
                        busy = True

    def release(self) -> None:
        held, self.held = self.held, []
        for number, packet in held:
            self.hub.receive(number, packet, 0.0)
        self.talk()


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(tmp_path)
    yield made
    for party in made.parties.values():
        party.close()


@pytest.mark.parametrize("kind", [Kind.COMMIT, Kind.ECHO, Kind.REVEAL, Kind.VERDICT])
def test_whoever_comes_back_goes_on_where_the_others_are(room: Room, kind: Kind) -> None:
    *_, victim = [room.enter(name) for name in NAMES]
    room.talk("b", kind)
    assert room.held, "the election waits for b"
    room.kill(victim)
    room.enter("c")
    room.talk("b", kind)
    room.release()
    found = {party.name: party.verdict for party in room.parties.values()}
    assert None not in found.values(), {party.name: party.broken for party in room.parties.values()}
    assert len({verdict.winner for verdict in found.values() if verdict is not None}) == 1
    assert room.hub.verdict is not None
    assert {room.hub.verdict.winner} == {verdict.winner for verdict in found.values() if verdict is not None}
    assert not room.hub._convictions(), "it signed nothing twice"
    entries = {entry.player: entry for entry in room.hub.entries()}
    assert entries["c"].commit is not None
    assert entries["c"].reveal is not None


def test_nobody_comes_back_without_the_key_or_for_somebody_else(room: Room) -> None:
    *_, victim = [room.enter(name) for name in NAMES]
    room.talk("b", Kind.COMMIT)
    room.kill(victim)
    stranger = room.enter("c")
    room.parties[stranger].key = key_of("somebody else")
    room.talk("b", Kind.COMMIT)
    assert room.parties[stranger].broken is not None
    assert stranger not in room.hub.seats
    assert stranger in room.hub.dismissed


def test_who_has_lost_the_folder_signs_nothing_else_that_counts(room: Room, tmp_path: Path) -> None:
    """A party that comes back without its journal commits anew: its two Commits convict it, and nobody names another winner."""
    *_, victim = [room.enter(name) for name in NAMES]
    room.talk("b", Kind.ECHO)
    room.kill(victim)
    room.folder = tmp_path / "new"
    room.enter("c")
    room.talk("b", Kind.ECHO)
    room.release()
    winners = {party.verdict.winner for party in room.parties.values() if party.verdict is not None}
    assert len(winners) <= 1
