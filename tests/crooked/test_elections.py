"""Hubs, parties and files of elections that lie: whoever is cheated finds out, in words, and nobody names a second winner."""

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.cli import run
from arbitre.elections.election import Election, HubElection, PeerElection
from arbitre.elections.hub import Hub, HubPlan
from arbitre.elections.item import Item, Kind, read_packet, write_packets
from arbitre.elections.journal import FileJournal, Journal
from arbitre.elections.party import Phase
from arbitre.elections.ruling import Ruling
from arbitre.errors import ElectionError
from arbitre.records.event import canonical
from tests.elections.network import World, chooser, key_of, strong_call
from tests.reasons import raises

GROUP = "abcd"


def seated(seed: int, names: str = GROUP, liars: int = 0) -> World:
    world = World(seed)
    call = strong_call(names)
    plan = HubPlan(call.terms, len(names), commit_limit=5.0, reveal_limit=5.0, keys=call.keys, liars=liars)
    world.add_hub(plan, *names)
    return world


def meshed(seed: int, names: str = GROUP) -> World:
    world = World(seed)
    world.add(strong_call(names, limit=5.0), *names)
    return world


def named(world: World, names: Iterable[str] = GROUP) -> dict[str, str]:
    """Return whom each party names; who is undecided or has broken off names nobody."""
    verdicts = {name: world.peers[name].verdict for name in names if not world.peers[name].broken}
    return {name: one.winner for name, one in verdicts.items() if one is not None and one.winner is not None}


# ── a hub that lies ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", range(4))
def test_a_hub_that_cuts_a_group_in_two_leaves_both_halves_undecided(seed: int) -> None:
    """It plays with each half and says of the other that it was silent; every party signs with its own key."""
    world = seated(seed)
    halves = [Hub(world.hub.plan, world.hub.key) for _ in range(2)] if world.hub is not None else []
    sides = {name: halves[GROUP.index(name) // 2] for name in GROUP}
    for number, name in enumerate(GROUP):
        for hub in halves:  # each hub thinks that all came; of half of them it passes nothing on
            hub.connect(number, bytes(16))
            hub.seats[number] = name
        peer = world.peers[name]
        assert isinstance(peer, HubElection)
        peer.hub_key, peer.greeted = halves[0].key.public, True
    now = 0.0
    for _ in range(600):
        now += 0.1
        for number, name in enumerate(GROUP):
            world.peers[name].tick(now)
            for packet in world.peers[name].packets():
                sides[name].receive(number, packet, now)
        for side in halves:
            side.tick(now)
            for to, packet in side.outbox:
                for number in [to] if to is not None else list(side.seats):
                    if sides[GROUP[number]] is side:
                        world.peers[GROUP[number]].receive(packet, now)
            side.outbox.clear()
    for name in GROUP:
        peer = world.peers[name]
        assert peer.undecided
        assert peer.party is not None
        assert peer.party.found is not None, "it has a verdict of its own, with which it is alone"
    assert not named(world)
    assert all(side.verdict is None for side in halves)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dropped", ["abcd", "cd"])
def test_from_whom_a_hub_keeps_verdicts_back_he_is_undecided(seed: int, dropped: str) -> None:
    world = seated(seed)

    def transit(_author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        tag, items = read_packet(packet)
        kept = [one for one in items if one.kind is not Kind.VERDICT or one.author not in dropped or one.author == to]
        return [(now + 0.1, one) for one in write_packets(tag, kept)]

    world.transit = transit
    world.run(100)
    whole = [name for name in GROUP if sum(other not in dropped or other == name for other in GROUP) >= 3]
    assert sorted(named(world)) == whole, "three of four settle it"
    assert all(world.peers[name].undecided for name in GROUP if name not in whole)


def test_who_was_shown_too_little_takes_the_certificate_of_the_others() -> None:
    """The hub passes no Reveal on to d, but the verdicts: d cannot follow it, and names whom the others certified."""
    world = seated(7)

    def transit(_author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        tag, items = read_packet(packet)
        kept = [one for one in items if one.kind is not Kind.REVEAL or to != "d"]
        late = 30.0 if to == "d" and any(one.kind is Kind.VERDICT for one in items) else 0.1
        return [(now + late, one) for one in write_packets(tag, kept)]

    world.transit = transit
    world.run(200)
    found = named(world)
    assert len(set(found.values())) == 1
    assert set(found) == set(GROUP)
    party = world.peers["d"].party
    assert party is not None
    assert party.found is None
    assert party.claim() is None, "but it has no proof of its own"


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), lossy=st.floats(0.0, 0.6))
def test_whatever_a_hub_loses_or_delays_there_is_one_winner_at_most(seed: int, lossy: float) -> None:
    random, world = Random(seed), seated(seed)
    world.transit = lambda _author, _to, packet, now: (
        [] if random.random() < lossy else [(now + random.choice([0.1, 0.1, 2.0, 12.0]), packet)]
    )
    world.run(200)
    assert len(set(named(world).values())) <= 1


# ── parties that are cut off, or lie ───────────────────────────────────────────────────────────────────────────────


def cut(world: World, victims: str, since: float, until: float) -> None:
    """Let nothing pass between some and the others for a while; what was said arrives afterwards."""

    def transit(author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        divided = (author in victims) != (to in victims) and since <= now < until
        return [(max(until, now) + 0.1 if divided else now + 0.1, packet)]

    world.transit = transit


@pytest.mark.parametrize("since", [0.15, 0.25, 0.35, 0.45])
@pytest.mark.parametrize("victims", ["d", "cd", "bcd"])
@pytest.mark.parametrize("until", [7.0, 100.0])
def test_a_group_that_is_cut_in_two_never_names_two(since: float, victims: str, until: float) -> None:
    world = meshed(3)
    cut(world, victims, since, until)
    world.run(400)
    found = named(world)
    assert len(set(found.values())) <= 1
    for name in GROUP:
        peer = world.peers[name]
        assert peer.verdict is not None or peer.undecided, "it names the same winner, or says that it does not know"


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), parties=st.integers(2, 5))
def test_pauses_never_make_two_winners(seed: int, parties: int) -> None:
    pauses(seed, parties)


@pytest.mark.campaign
@settings(max_examples=1_000, deadline=None)
@given(seed=st.integers(0, 2**62), parties=st.integers(2, 6))
def test_pauses_never_make_two_winners_at_length(seed: int, parties: int) -> None:
    pauses(seed, parties)


def _sleep(peer: Election, start: float, end: float) -> None:
    """Let a party do nothing between two moments, not even look at the clock."""
    tick, wake = peer.tick, peer.wake

    def ticked(now: float) -> None:
        if not start <= now < end:
            tick(now)

    def woken(now: float) -> float | None:
        moment = end if start <= now < end else wake(now)
        return end if moment is not None and start <= moment < end else moment

    peer.tick, peer.wake = ticked, woken  # type: ignore[method-assign]


def pauses(seed: int, parties: int) -> None:
    """Let each party sleep a while, at any moment: what is said to it then comes when it wakes, all at once."""
    random = Random(seed)
    names = "abcdef"[:parties]
    world = meshed(seed, names)
    asleep = {name: (start := random.uniform(0.0, 12.0), start + random.choice([0.0, 0.5, 5.0, 20.0, 60.0])) for name in names}

    def transit(_author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        arrives = now + random.uniform(0.0, 0.4)
        start, end = asleep[to]
        return [(end + random.uniform(0.0, 0.01) if start <= arrives < end else arrives, packet)]

    world.transit = transit
    for name, peer in world.peers.items():
        _sleep(peer, *asleep[name])
    world.run(400)
    assert len(set(named(world, names).values())) <= 1


def test_a_verdict_that_names_its_signer_convinces_nobody() -> None:
    """The party x says that it won, to everybody, in time."""
    world = meshed(5, "abcx")

    def transit(author: str, _to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        tag, items = read_packet(packet)
        lied = [
            Item(Kind.VERDICT, "x", Ruling(bytes(32), bytes(32), b"", "x").octets()).sign(tag, "x", key_of("x"))
            if item.kind is Kind.VERDICT and item.author == "x" and author == "x"
            else item
            for item in items
        ]
        return [(now + 0.1, one) for one in write_packets(tag, lied)]

    world.transit = transit
    world.run(200)
    verdict = world.peers["a"].party
    assert verdict is not None
    assert verdict.found is not None
    assert set(named(world, "abc").values()) == {verdict.found.winner}


# ── a party that is started again ──────────────────────────────────────────────────────────────────────────────────


def started(folder: Path, world: World, name: str) -> PeerElection:
    call = strong_call(GROUP, limit=5.0)
    key = key_of(name)
    return PeerElection(call, name, chooser(world.random), key, journals=lambda tag, who: FileJournal(folder, tag, who, key))


def statements(packets: Iterable[bytes], author: str) -> set[tuple[Kind, bytes]]:
    return {(item.kind, item.body) for packet in packets for item in read_packet(packet)[1] if item.author == author}


@pytest.mark.parametrize("when", [0.05, 0.15, 0.25, 0.35, 0.45])
def test_a_party_that_is_killed_and_started_again_signs_nothing_twice(tmp_path: Path, when: float) -> None:
    """Its other choice would be another Commit: the journal has the first, with everything that was signed."""
    world = meshed(11)
    world.peers["d"] = started(tmp_path, world, "d")
    heard: list[bytes] = []
    again: list[float] = []

    def transit(author: str, _to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        heard.append(packet)
        if now >= when and not again:
            again.append(now)
            world.peers["d"].close()
            world.peers["d"] = fresh = started(tmp_path, world, "d")
            fresh.start(now)
        return [(now + 0.1, packet)]

    world.transit = transit
    world.run(200)
    world.peers["d"].close()
    assert again
    said = statements(heard, "d")
    for kind in (Kind.COMMIT, Kind.ECHO, Kind.REVEAL, Kind.VERDICT):
        assert len({body for one, body in said if one is kind}) <= 1, kind
    assert len(set(named(world).values())) <= 1
    assert not [one for name in "abc" for one in _convicted(world.peers[name])]


def _convicted(peer: Election) -> list[str]:
    return [one.author for party in peer.parties for one in party.convictions()]


def test_a_journal_holds_one_of_each_and_forgets_what_was_cut_off(tmp_path: Path) -> None:
    key, tag = key_of("a"), bytes(32)
    first = FileJournal(tmp_path, tag, "a", key)
    first.begin(chooser(Random(1))(strong_call("ab"), "a"))
    signed = first.sign(Item(Kind.COMMIT, "a", b"one"), tag, key)
    assert signed is not None
    with raises(ElectionError, "another process"):
        FileJournal(tmp_path, tag, "a", key)
    first.close()
    with first.path.open("ab") as file:
        file.write(b'{"body":"ff","kind":"ec')
    second = FileJournal(tmp_path, tag, "a", key)
    assert second.opening == first.opening
    assert second.said == {Kind.COMMIT: signed}
    assert second.sign(Item(Kind.COMMIT, "a", b"two"), tag, key) is None
    assert second.sign(Item(Kind.COMMIT, "a", b"one"), tag, key) == signed
    assert second.sign(Item(Kind.ECHO, "a", b"x"), tag, key) is not None
    second.close()
    second.path.write_bytes(b"[]\n")
    with raises(ElectionError, "damaged"):
        FileJournal(tmp_path, tag, "a", key)


def test_a_key_does_not_play_a_game_again_that_is_over(tmp_path: Path) -> None:
    world = meshed(12)
    world.peers["d"] = started(tmp_path, world, "d")
    world.run(100)
    world.peers["d"].close()
    (path,) = tmp_path.iterdir()
    head, *rest = path.read_text().splitlines()
    long_ago = canonical(json.loads(head) | {"began": 0})
    path.write_text("\n".join([long_ago, *rest]) + "\n")
    late = started(tmp_path, world, "d")
    with raises(ElectionError, "signs nothing twice"):
        late.start(0.0)
    late.close()


def test_a_journal_in_memory_signs_once_too() -> None:
    journal = Journal()
    first = journal.sign(Item(Kind.VERDICT, "a", b"one"), bytes(32), key_of("a"))
    assert first is not None
    assert journal.sign(Item(Kind.VERDICT, "a", b"two"), bytes(32), key_of("a")) is None


# ── a file with scissors, at the command line ──────────────────────────────────────────────────────────────────────


def test_the_command_names_what_is_wrong_and_prints_both_signatures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = meshed(1)

    def transit(author: str, _to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        tag, items = read_packet(packet)
        if author == "d" and any(item.kind is Kind.VERDICT and item.author == "d" for item in items):
            second = Item(Kind.VERDICT, "d", bytes(68)).sign(tag, "d", key_of("d"))
            return [(now + 0.1, one) for one in (packet, *write_packets(tag, [second]))]
        return [(now + 0.1, packet)]

    world.transit = transit
    world.run()
    path = tmp_path / "election.jsonl"
    path.write_bytes(world.transcript("a"))
    group = strong_call(GROUP).fingerprint
    assert run(["verify", str(path), "--key", group]) == 0
    out = capsys.readouterr().out
    assert "convicted: d signed two different ones: verdict" in out
    (note,) = (json.loads(line) for line in path.read_text().splitlines() if '"convicted":"d"' in line)
    assert all(signature in out for signature in note["signatures"])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:1] + lines[2:]))
    assert run(["verify", str(path), "--key", group]) == 1
    assert "the line of a is missing" in capsys.readouterr().out
    path.write_bytes(b"".join(lines[:-1]))
    assert run(["verify", str(path), "--key", group]) == 3
    assert "incomplete" in capsys.readouterr().out


def test_who_is_undecided_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And its transcript is incomplete."""
    world = meshed(2, "ab")
    world.transit = lambda author, _to, packet, now: (
        [] if author == "b" and any(one.kind is Kind.VERDICT for one in read_packet(packet)[1]) else [(now + 0.1, packet)]
    )
    world.run(100)
    party = world.peers["a"].party
    assert party is not None
    assert party.phase is Phase.UNDECIDED
    path = tmp_path / "undecided.jsonl"
    path.write_bytes(world.transcript("a"))
    assert run(["verify", str(path)]) == 3
    assert "1 of 2 parties signed this verdict, 2 settle it" in capsys.readouterr().out
