"""Whatever some parties do, the honest ones agree in strong mode, and the culprit is named.

Cheats run the same machines as everybody else, with hands of their own: twins under one name, packets kept back from some,
sent late, or made of another's. Honest packets take less than the agreed delay; everything else is the cheats' choice.
"""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arbitre.elections import Fault, Mode, Terms
from arbitre.elections.election import PeerElection
from arbitre.elections.hub import LOBBY, Hub, HubParty, HubPlan
from arbitre.elections.item import HUB, Item, Kind, read_packet, write_packets
from arbitre.elections.party import What
from arbitre.elections.ruling import COMMITS, REVEALS, listing_hash, read_listing, write_listing
from arbitre.errors import PayloadError
from tests.elections.network import World, chooser, key_of, strong_call
from tests.reasons import gives

HONEST = "abcd"


def agreed(world: World, names: Iterable[str] = HONEST) -> tuple[str | None, dict[str, str]]:
    found = world.verdicts(*names)
    assert len(set(found.values())) == 1, found
    winner, excluded = next(iter(found.values()))
    return winner, dict(excluded)


def kinds(packet: bytes) -> set[Kind]:
    return {item.kind for item in read_packet(packet)[1]}


def twins(world: World, halves: tuple[str, str] = ("ab", "cd")) -> None:
    """Let x be two programs with one key, each of which talks to one half of the others."""
    call = strong_call([*HONEST, "x"])
    world.add(call, *HONEST)
    for twin in ("x", "x'"):
        world.peers[twin] = PeerElection(call, "x", chooser(world.random), key_of("x"))
    audience = {"x": halves[0], "x'": halves[1]}

    def transit(author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        if author in audience and to not in audience[author]:
            return []
        return [(now + world.random.uniform(0.0, 0.3), packet)]

    world.transit = transit


def test_an_equivocator_is_convicted_by_all() -> None:
    world = World(1)
    twins(world)
    world.run()
    winner, excluded = agreed(world)
    assert excluded == {"x": Fault.EQUIVOCATED}
    assert winner in set(HONEST)
    party = world.peers["a"].party
    assert party is not None
    (proof,) = party.convictions()
    assert (proof.author, proof.one.kind) == ("x", Kind.COMMIT)
    assert proof.note() in list(party.notes()), "both signed Commits are in the transcript"


def test_in_draft_mode_an_equivocator_divides_the_others() -> None:
    """Why strong mode exists: with some choices the two halves find different winners; at most one half names its own."""
    from arbitre.elections.call import Call  # noqa: PLC0415 - one use

    divided = 0
    for seed in range(12):
        world = World(seed)
        call = Call(Terms(), 5, 10.0, 10.0)
        world.add(call, *HONEST, "x")
        world.peers["x'"] = PeerElection(call, "x", chooser(world.random))
        audience = {"x": "ab", "x'": "cd"}
        world.transit = lambda author, to, packet, now, audience=audience: (
            [] if author in audience and to not in audience[author] else [(now + 0.1, packet)]
        )
        world.run()
        found = [party.found for name in HONEST if (party := world.peers[name].party) is not None]
        divided += len({one.winner for one in found if one is not None}) > 1
        assert len(named(world)) <= 1
    assert divided > 4


class Thief(PeerElection):
    """Says whatever its victim says, and nothing of its own."""

    victim = "a"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.stolen: set[tuple[Kind, bytes]] = set()

    def hear(self, packet: bytes, now: float, peer: str | None = None) -> None:
        """Take in a packet, and repeat the victim's words as one's own."""
        tag, items = read_packet(packet)
        for item in items:
            if item.author == self.victim and item.kind not in {Kind.HELLO, Kind.BEGIN}:
                self.stolen.add((item.kind, item.body))
                self.outbox += write_packets(tag, [Item(item.kind, self.name, item.body).sign(tag, self.name, self.key)])
        super().hear(packet, now, peer)

    def packets(self) -> list[bytes]:
        """Return what is to be sent: what was stolen, and what must be said to be there."""
        kept: list[bytes] = []
        for packet in super().packets():
            tag, items = read_packet(packet)
            spared = {Kind.HELLO, Kind.BEGIN}
            kept += write_packets(tag, [one for one in items if one.kind in spared or (one.kind, one.body) in self.stolen])
        return kept


def test_a_copier_is_convicted_by_all() -> None:
    world = World(2, lambda _author, _to, packet, now: [(now + 0.1, packet)])
    call = strong_call([*HONEST, "x"])
    world.add(call, *HONEST)
    world.peers["x"] = Thief(call, "x", chooser(world.random), key_of("x"))
    world.run()
    _, excluded = agreed(world)
    assert excluded == {"x": Fault.COPIED}


@pytest.mark.parametrize("favoured", ["a", "abc"])
@pytest.mark.parametrize("late", [9.5, 10.5, 11.9, 13.0, 15.0, 18.0])
@pytest.mark.parametrize("kind", [Kind.COMMIT, Kind.REVEAL])
def test_something_sent_late_and_to_some_counts_for_all_or_for_none(kind: Kind, late: float, favoured: str) -> None:
    world = World(3)
    call = strong_call([*HONEST, "x"])
    world.add(call, *HONEST, "x")

    def transit(author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        if author == "x" and kind in kinds(packet):
            base = 0.0 if kind is Kind.COMMIT else now
            return [(max(now, base + late), packet)] if to in favoured else []
        return [(now + world.random.uniform(0.0, 0.4), packet)]

    world.transit = transit
    world.run()
    _, excluded = agreed(world)
    assert set(excluded) <= {"x"}
    if late < 10:
        assert not excluded, "in time, and passed on"
    if late > 17:
        assert excluded


def test_two_commits_after_everybody_echoed_change_nothing() -> None:
    """What all have echoed counts; a second Commit after that is only a warning."""
    world = World(4)
    call = strong_call([*HONEST, "x"])
    world.add(call, *HONEST, "x")
    world.peers["x'"] = PeerElection(call, "x", chooser(world.random), key_of("x"))

    def transit(author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        if author == "x'":
            return [(now + 0.75, packet)] if Kind.COMMIT in kinds(packet) and to == "a" else []
        return [(now + 0.2, packet)]

    world.transit = transit
    world.run()
    winner, excluded = agreed(world)
    assert (winner is not None, excluded) in [(True, {}), (True, {"x": Fault.EQUIVOCATED})]


@settings(max_examples=40, deadline=None)
@example(seed=103_263_019_718_427, cheats=1, honest=5)  # a cheat that echoes two sets to one party
@given(seed=st.integers(0, 2**32), cheats=st.integers(1, 3), honest=st.integers(2, 4))
def test_nothing_that_cheats_do_divides_the_honest(seed: int, cheats: int, honest: int) -> None:
    """Twins under every cheat's name; each of their packets is lost, late, or sent to some only, as chance has it."""
    divide(seed, cheats, honest)


@pytest.mark.campaign
@pytest.mark.parametrize("honest", [2, 3, 4, 5])
@pytest.mark.parametrize("cheats", [1, 2, 3, 4, 5])
def test_nothing_that_cheats_do_divides_the_honest_at_length(cheats: int, honest: int) -> None:
    random = Random()  # other cases each time
    for _ in range(100):
        seed = random.randrange(2**62)
        try:
            divide(seed, cheats, honest)
        except AssertionError as error:
            raise AssertionError(f"divide({seed}, {cheats}, {honest})") from error


def divide(seed: int, cheats: int, honest: int) -> None:
    random = Random(seed)
    names = [f"h{index}" for index in range(honest)]
    culprits = [f"x{index}" for index in range(cheats)]
    parties = honest + cheats
    call = strong_call([*names, *culprits], limit=5.0, delay=1.0, liars=min(cheats, parties - 2))
    world = World(seed)
    world.add(call, *names)
    for name in culprits:
        for twin in ("", "'"):
            world.peers[name + twin] = PeerElection(call, name, chooser(random), key_of(name))
    # x may be silent to some for good, quick to others, and hold anything back until the worst moment
    habit = {(author, to): random.choice(["quick", "slow", "deaf", "edge"]) for author in world.peers for to in world.peers}

    def transit(author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        if author in names and to in names:
            return [(now + random.uniform(0.0, 0.9), packet)]
        match habit[author, to]:
            case "quick":
                return [(now + random.uniform(0.0, 0.3), packet)]
            case "slow":
                return [(now + random.uniform(0.0, 25.0), packet)]
            case "edge":
                return [(max(now, random.choice([4.9, 5.1, 6.9, 7.1, 8.9, 9.1, 10.9]) + random.choice([0, 5, 7])), packet)]
            case _:
                return [(now + 0.1, packet)] if Kind.HELLO in kinds(packet) else []

    world.transit = transit
    for name, peer in list(world.peers.items()):
        if name not in names:
            peer.finished = lambda now: now >= 0  # type: ignore[method-assign]
    world.run(400.0)
    assert not any(world.peers[name].broken for name in names)
    held = [party for name in names if (party := world.peers[name].party) is not None]
    assert len({party.ruling(party.found).octets() for party in held if party.found is not None}) == 1
    assert all(party.found is not None for party in held), "no honest party is cut off"
    assert len(named(world, names)) <= 1
    if honest >= call.quorum:
        assert all(world.peers[name].verdict is not None for name in names)


# ── the hub ────────────────────────────────────────────────────────────────────────────────────────────────────────


def seated(names: Sequence[str], seed: int = 5) -> World:
    world = World(seed)
    call = strong_call(names)
    world.add_hub(HubPlan(call.terms, len(names), commit_limit=5.0, reveal_limit=5.0, keys=call.keys), *names)
    return world


def test_a_hub_that_closes_twice_is_convicted() -> None:
    """It shows a and b one set, c and d another; the echoes give it away before anybody reveals."""
    world = seated(HONEST)
    revealed: list[str] = []

    def transit(author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        tag, items = read_packet(packet)
        revealed.extend(item.author for item in items if item.kind is Kind.REVEAL)
        hub = world.hub
        if hub is None or to not in "cd" or not any(item.kind is Kind.CLOSING for item in items):
            return [(now + 0.1, packet)]
        (listing,) = (item for item in items if item.kind is Kind.LISTING)
        stage, _ = read_listing(listing.body)
        said = {name: one[0].body for (kind, name), one in hub._said.items() if kind is Kind.COMMIT and name != "a"}
        other = write_listing(stage, said)
        closing = Item(Kind.CLOSING, HUB, stage + listing_hash(tag, other)).sign(tag, HUB, hub.key)
        return [(now + 0.1, octets) for octets in write_packets(tag, [Item(Kind.LISTING, HUB, other), closing])]

    world.transit = transit
    world.run(60)
    assert not revealed
    for name in HONEST:
        assert gives(world.peers[name].broken, "the hub is convicted")
        party = world.peers[name].party
        assert isinstance(party, HubParty)
        (proof,) = party.convictions()
        assert (proof.author, proof.one.kind) == (HUB, Kind.CLOSING)


def relisted(world: World, packet: bytes, stage: bytes, without: str) -> list[bytes]:
    """Return a packet of the hub, a closing of this stage with another in its place, signed too, that leaves somebody out."""
    hub = world.hub
    tag, items = read_packet(packet)
    listing = next((item for item in items if item.kind is Kind.LISTING and item.body[:1] == stage), None)
    if hub is None or listing is None:
        return [packet]
    kind = Kind.COMMIT if stage == COMMITS else Kind.REVEAL
    said = {name: one[0].body for (what, name), one in hub._said.items() if what is kind and name != without}
    other = write_listing(stage, said)
    closing = Item(Kind.CLOSING, HUB, stage + listing_hash(tag, other)).sign(tag, HUB, hub.key)
    return list(write_packets(tag, [Item(Kind.LISTING, HUB, other), closing]))


def named(world: World, names: Iterable[str] = HONEST) -> set[str]:
    """Return the winners that honest parties name as settled; who has broken off names nobody."""
    verdicts = [world.peers[name].verdict for name in names if not world.peers[name].broken]
    return {one.winner for one in verdicts if one is not None and one.winner is not None}


def test_a_hub_that_shows_two_sets_and_keeps_back_the_echoes_divides_nobody() -> None:
    """Two of four see a set without a; no echo passes between the halves, and every Reveal does."""
    for seed in range(8):
        world = seated(HONEST, seed)

        def transit(author: str, to: str, packet: bytes, now: float, world: World = world) -> list[tuple[float, bytes]]:
            if any(item.kind is Kind.ECHO and (item.author in "ab") != (to in "ab") for item in read_packet(packet)[1]):
                return []
            (packet,) = relisted(world, packet, COMMITS, "a") if to in "cd" else [packet]
            (packet,) = relisted(world, packet, REVEALS, "a") if to in "cd" else [packet]
            return [(now + 0.1, packet)]

        assert world.hub is not None
        world.hub._has_echoed = lambda author: author != ""  # type: ignore[method-assign]
        world.transit = transit
        world.run(120)
        assert named(world) == set()
        assert all(world.peers[name].undecided for name in HONEST)


def test_a_hub_that_shows_two_sets_of_reveals_is_found_out() -> None:
    """Two of four are told that a did not reveal: they come to another verdict, and sign it."""
    for seed in range(8):
        world = seated(HONEST, seed)
        world.transit = lambda _author, to, packet, now, world=world: [
            (now + 0.1, one) for one in (relisted(world, packet, REVEALS, "a") if to in "cd" else [packet])
        ]
        world.run(120)
        assert named(world) == set()
        assert all(world.peers[name].undecided for name in HONEST), "two signed this and two that; three settle it"


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_whatever_a_hub_drops_reorders_and_replays_all_who_name_a_winner_name_the_same(seed: int) -> None:
    random, world = Random(seed), seated(HONEST, seed)
    past: list[bytes] = []

    def transit(_author: str, _to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        past.append(packet)
        sent = [packet] * random.choice([0, 1, 1, 1, 1, 1, 1, 2]) + [random.choice(past)] * random.choice([0, 0, 0, 1])
        return [(now + random.choice([0.1, 0.1, 0.2, 3.0]), one) for one in sent]

    world.transit = transit
    world.run(120)
    assert len(named(world)) <= 1


def test_who_reveals_without_an_echo_harms_only_himself() -> None:
    """An honest hub passes no Reveal on of somebody who has not signed its closing."""
    world = seated([*HONEST, "x"])
    assert world.hub is not None
    receive = world.hub.receive

    def mute(connection: int, packet: bytes, now: float) -> None:
        tag, items = read_packet(packet)
        kept = [item for item in items if item.kind is not Kind.ECHO or item.author != "x"]
        for one in write_packets(tag, kept) if kept else ():
            receive(connection, one, now)

    world.hub.receive = mute  # type: ignore[method-assign]
    world.run(200)
    _, excluded = agreed(world)
    assert excluded == {"x": Fault.NO_REVEAL}


def test_a_hub_cannot_forge_a_commit() -> None:
    world = seated("ab")
    forged = Item(Kind.COMMIT, "b", b"\0\1" + bytes(32), (("b", bytes(64)),))

    def transit(author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        tag, items = read_packet(packet)
        if to == "a" and any(item.kind is Kind.COMMIT and item.author == "b" for item in items):
            return [(now + 0.1, octets) for octets in write_packets(tag, [forged])]
        return [(now + 0.1, packet)]

    world.transit = transit
    world.run(200)
    assert world.peers["a"].undecided
    assert any(one.why is not None and gives(one.why, "listed what it did not pass on") for one in world.peers["a"].told)


def test_an_equivocator_at_a_hub_is_convicted() -> None:
    world = seated([*HONEST, "x"])
    hub = world.hub
    assert hub is not None
    receive = hub.receive

    def twice(connection: int, packet: bytes, now: float) -> None:
        tag, items = read_packet(packet)
        if any(item.kind is Kind.COMMIT and item.author == "x" for item in items):
            other = Item(Kind.COMMIT, "x", b"\0\1" + bytes(32)).sign(tag, "x", key_of("x"))
            (packet,) = write_packets(tag, [*items, other])
        receive(connection, packet, now)

    hub.receive = twice  # type: ignore[method-assign]
    world.run(200)
    _, excluded = agreed(world)
    assert excluded == {"x": Fault.EQUIVOCATED}


def test_joining_a_hub_takes_the_key_on_the_roster() -> None:
    call = strong_call("ab")
    hub = Hub(HubPlan(call.terms, 2, keys=call.keys), key_of("hub"))
    hub.connect(1, bytes(16))
    for author, key, body in (("a", "b", bytes(16)), ("a", "a", b"x" * 16), ("z", "z", bytes(16)), ("\n", "z", bytes(16))):
        hello = Item(Kind.HELLO, author, body).sign(LOBBY, author, key_of(key))
        for packet in write_packets(LOBBY, [hello]):
            hub.receive(1, packet, 0.0)
    assert not hub.seats
    refused = [item for _, packet in hub.outbox for item in read_packet(packet)[1] if item.kind is Kind.REFUSED]
    assert len(refused) == 4


@given(st.binary(max_size=200), st.booleans())
def test_no_octets_upset_hub_or_party(octets: bytes, framed: bool) -> None:
    packet = b"RCB2" + bytes(32) + octets if framed else octets
    hub = Hub(HubPlan(Terms(game="g"), 2), key_of("hub"))
    hub.connect(1, bytes(16))
    world = World()
    world.add(strong_call("ab"), "a", "b")
    peer = world.peers["a"]
    peer.receive(packet, 0.0)
    try:
        hub.receive(1, packet, 0.0)
        read_listing(octets)
    except PayloadError as error:
        assert len(str(error)) < 300  # noqa: PT017 - most octets raise, some do not


def test_a_flood_of_items_is_bounded() -> None:
    world = World(6)
    call = strong_call("ab")
    world.add(call, "a", "b")
    peer = world.peers["a"]
    assert isinstance(peer, PeerElection)
    peer.start(0.0)
    for number in range(3_000):
        body = b"\0\1" + number.to_bytes(32, "big")
        item = Item(Kind.COMMIT, "b", body, (("b", bytes(64)),))
        for packet in write_packets(call.tag, [item]):
            peer.receive(packet, 0.1)
    assert peer.party is None, "a Commit that is not signed begins nothing"
    assert len(peer._kept) <= 512
    assert all(one.what is not What.COMMITTED for one in peer.told)
    assert call.terms.mode is Mode.STRONG
