"""Reliable broadcast over unreliable datagrams: everything arrives, once, in order; and nothing is sent for ever."""

import struct
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.elections.repeat import ACKS, DATA, MOST_TRIES, Repeater
from arbitre.errors import PayloadError


def group(count: int, **options: object) -> list[Repeater]:
    return [
        Repeater(f"p{index}", index.to_bytes(8, "big"), count - 1, **options)  # type: ignore[arg-type]
        for index in range(count)
    ]


def weather(repeaters: list[Repeater], loss: float, random: Random, seconds: float = 20.0) -> list[list[tuple[str, bytes]]]:
    """Let time pass; each datagram may be lost, doubled, or late, for each receiver by itself."""
    arrived: list[list[tuple[str, bytes]]] = [[] for _ in repeaters]
    flying: list[tuple[float, int, bytes]] = []
    now = 0.0
    while now < seconds:
        for author, repeater in enumerate(repeaters):
            for datagram in repeater.due(now):
                for to in range(len(repeaters)):
                    if to != author:
                        copies = 0 if random.random() < loss else random.choice([1, 1, 2])
                        flying += [(now + random.uniform(0.0, 0.15), to, datagram) for _ in range(copies)]
        now += 0.01
        for one in sorted(flying):
            if one[0] <= now:
                peer, packets = repeaters[one[1]].receive(one[2], now)
                arrived[one[1]] += [(peer, packet) for packet in packets]
        flying = [one for one in flying if one[0] > now]
        if not flying and all(repeater.wake() is None for repeater in repeaters):
            break
    return arrived


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 4), st.sampled_from([0.0, 0.2, 0.5]), st.randoms(use_true_random=False))
def test_everything_arrives_once_and_in_order(count: int, loss: float, random: Random) -> None:
    repeaters = group(count)
    said = {index: [f"{index}:{number}".encode() for number in range(random.randrange(8))] for index in range(count)}
    for index, packets in said.items():
        for packet in packets:
            repeaters[index].send(packet, 0.0)
    arrived = weather(repeaters, loss, random)
    for index, heard in enumerate(arrived):
        for other, packets in said.items():
            if other != index:
                assert [packet for peer, packet in heard if peer == f"p{other}"] == packets
    assert all(repeater.settled() for repeater in repeaters)


def test_without_listeners_it_gives_up() -> None:
    (alone,) = group(1)
    alone.peers = 1
    alone.send(b"anybody?", 0.0)
    sent, now = 0, 0.0
    while (moment := alone.wake()) is not None:
        now = max(now, moment)
        sent += len(list(alone.due(now)))
    assert sent == MOST_TRIES
    assert now < 200


def test_a_program_that_starts_anew_is_heard_again() -> None:
    one, two = group(2)
    for session in (b"session1", b"session2"):
        again = Repeater("p1", session, 1)
        again.send(b"hello", 0.0)
        for datagram in again.due(0.0):
            assert one.receive(datagram, 0.0) == ("p1", [b"hello"])
            assert one.receive(datagram, 0.0) == ("p1", [])
    assert two.settled()


def test_acknowledgements_without_the_right_signature_do_not_count() -> None:
    signature = bytes(64)
    one = Repeater("a", b"aaaaaaaa", 1, lambda _: signature, lambda name, _, given: name == "b" and given == signature)
    one.send(b"x", 0.0)
    list(one.due(0.0))
    row = b"aaaaaaaa" + struct.pack(">IQ", 1, 0)
    for name, wrong in ((b"m", signature), (b"b", b"\1" * 64), (b"b", b"")):
        one.receive(ACKS + b"bbbbbbbb" + bytes([len(name)]) + name + row + wrong, 0.1)
        assert not one.settled()
    one.receive(ACKS + b"bbbbbbbb\x01b" + row + signature, 0.1)
    assert one.settled()


def test_sessions_and_distances_are_bounded() -> None:
    one = Repeater("a", b"aaaaaaaa", 1)
    for number in range(10_000):
        one.receive(DATA + number.to_bytes(8, "big") + b"\1b" + struct.pack(">I", 0) + b"x", 0.0)
    assert len(one._others) <= 8
    far = DATA + bytes(8) + b"\1b" + struct.pack(">I", 1_000_000) + b"x"
    assert one.receive(far, 0.0) == ("b", [])


@given(st.binary(max_size=120), st.sampled_from([b"", DATA, ACKS, DATA + b"aaaaaaaa\1b", ACKS + b"aaaaaaaa\1b"]))
def test_no_octets_upset_it(octets: bytes, head: bytes) -> None:
    one = Repeater("a", b"zzzzzzzz", 1)
    try:
        one.receive(head + octets, 0.0)
    except PayloadError as error:
        assert len(str(error)) < 200  # noqa: PT017 - most octets raise, some do not
    list(one.due(10.0))


def test_own_echo_is_ignored() -> None:
    (one,) = group(1)
    one.send(b"x", 0.0)
    (datagram,) = one.due(0.0)
    assert one.receive(datagram, 0.0)[1] == []


@pytest.mark.parametrize(
    "octets", [b"", b"RCB", b"XXXX" + bytes(20), DATA + bytes(8), DATA + bytes(8) + b"\xff", DATA + bytes(8) + b"\1\xff0000"]
)
def test_what_is_no_datagram(octets: bytes) -> None:
    with pytest.raises(PayloadError):
        Repeater("a", b"zzzzzzzz", 1).receive(octets, 0.0)
