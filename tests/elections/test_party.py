"""Parties in memory: phases, deadlines, agreement, in draft mode, in strong mode and through a hub."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from arbitre.elections import Fault, Mode, Terms
from arbitre.elections.bulk import settle_source
from arbitre.elections.call import Call, call_of, read_call
from arbitre.elections.election import PeerElection
from arbitre.elections.hub import HubPlan
from arbitre.elections.item import Item, Kind, read_packet
from arbitre.elections.party import DraftParty, Party, Phase, What
from arbitre.elections.transcript import open_source, write_lines
from arbitre.errors import RecordError, TermsError
from arbitre.reasons import Reason
from tests.elections.network import World, chooser, key_of, strong_call
from tests.reasons import gives, raises

SEVEN = "abcdefg"
CHOOSE = chooser(World().random)
Build = Callable[[World], None]


def draft(world: World) -> None:
    world.add(Call(Terms(), 7, 10.0, 10.0), *SEVEN)


def strong(world: World) -> None:
    world.add(strong_call(SEVEN), *SEVEN)


def draft_hub(world: World) -> None:
    world.add_hub(HubPlan(Terms(game="x"), 7, commit_limit=10.0, reveal_limit=10.0), *SEVEN)


def strong_hub(world: World) -> None:
    call = strong_call(SEVEN)
    world.add_hub(HubPlan(call.terms, 7, commit_limit=10.0, reveal_limit=10.0, keys=call.keys), *SEVEN)


EVERYWHERE = pytest.mark.parametrize("build", [draft, strong, draft_hub, strong_hub], ids=lambda build: build.__name__)


def agree(world: World, names: Iterable[str]) -> tuple[str | None, dict[str, str]]:
    """Return what all of these found, which is the same."""
    found = world.verdicts(*names)
    assert len(set(found.values())) == 1, found
    winner, excluded = next(iter(found.values()))
    return winner, dict(excluded)


def carries(packet: bytes, kind: Kind) -> bool:
    return any(item.kind is kind for item in read_packet(packet)[1])


@EVERYWHERE
def test_seven_honest_parties_agree(build: Build) -> None:
    world = World(1)
    build(world)
    world.run()
    winner, excluded = agree(world, SEVEN)
    assert winner in set(SEVEN)
    assert not excluded
    assert world.now < 8, "nobody waits for a deadline when everything is in"


@EVERYWHERE
def test_nobody_reveals_before_the_commit_phase_is_closed_for_it(build: Build) -> None:
    """And in strong mode not before everybody echoed the set."""
    sent: list[tuple[str, Kind]] = []

    def transit(author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        sent.extend((item.author, item.kind) for item in read_packet(packet)[1])
        return [(now + 0.1, packet)]

    world = World(2, transit)
    build(world)
    world.run()
    reveal = sent.index(next(one for one in sent if one[1] is Kind.REVEAL))
    before = {author for author, kind in sent[:reveal] if kind is Kind.COMMIT}
    assert before == set(SEVEN)
    if build in {strong, strong_hub}:
        shown = Kind.FULL if build is strong else Kind.ECHO
        assert {author for author, kind in sent[:reveal] if kind is shown} == set(SEVEN)


@EVERYWHERE
def test_a_party_that_vanishes_after_its_commit_is_excluded_by_all(build: Build) -> None:
    world = World(3)

    def transit(author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        if author == "c" and carries(packet, Kind.REVEAL):
            world.gone.add("c")
            return []
        return [(now + 0.1, packet)]

    world.transit = transit
    build(world)
    if world.hub is not None:
        # a hub hears it before anybody else does
        receive = world.hub.receive

        def deaf(connection: int, packet: bytes, now: float) -> None:
            if list(world.peers)[connection] == "c" and carries(packet, Kind.REVEAL):
                world.leave("c")
            else:
                receive(connection, packet, now)

        world.hub.receive = deaf  # type: ignore[method-assign]
    world.run()
    winner, excluded = agree(world, "abdefg")
    assert excluded == {"c": Fault.NO_REVEAL}
    assert winner in set("abdefg")


@EVERYWHERE
def test_a_party_that_never_commits_is_excluded_by_all(build: Build) -> None:
    def transit(author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        return [] if author == "c" and carries(packet, Kind.COMMIT) else [(now + 0.1, packet)]

    world = World(4, transit)
    build(world)
    if world.hub is not None:
        receive = world.hub.receive
        world.hub.receive = lambda connection, packet, now: (  # type: ignore[method-assign]
            None if list(world.peers)[connection] == "c" and carries(packet, Kind.COMMIT) else receive(connection, packet, now)
        )
    world.run()
    _, excluded = agree(world, "abdefg")
    assert excluded == {"c": Fault.NO_COMMIT}


@EVERYWHERE
def test_a_late_reveal_does_not_count(build: Build) -> None:
    def transit(author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        late = author == "c" and carries(packet, Kind.REVEAL)
        return [(now + (300.0 if late else 0.1), packet)]

    world = World(5, transit)
    build(world)
    if world.hub is not None:
        receive = world.hub.receive
        world.hub.receive = lambda connection, packet, now: (  # type: ignore[method-assign]
            None if list(world.peers)[connection] == "c" and carries(packet, Kind.REVEAL) else receive(connection, packet, now)
        )
    world.run()
    _, excluded = agree(world, "abdefg")
    assert excluded == {"c": Fault.NO_REVEAL}


@EVERYWHERE
def test_the_transcript_of_every_party_settles_to_what_it_found(build: Build, tmp_path: Path) -> None:
    world = World(6)
    build(world)
    world.run()
    for peer in world.peers.values():
        party = peer.party
        assert party is not None
        path = tmp_path / peer.name
        with path.open("wb") as file:
            write_lines(file, party.header(), party.entries(), party.notes())
        with open_source(path) as source:
            assert call_of(source.header) == party.call
            verdict = settle_source(source)
        assert party.verdict is not None
        assert (verdict.winner, list(verdict.excluded)) == (party.verdict.winner, list(party.verdict.excluded))


# ── draft mode, step by step ───────────────────────────────────────────────────────────────────────────────────────


def lone(limit: float | None = 10.0, players: str = "ab", terms: Terms | None = None) -> DraftParty:
    call = Call(terms or Terms(17), len(players), limit, limit)
    party = DraftParty(call, players, "a", chooser(World(9).random)(call, "a"))
    party.begin(0.0)
    return party


def payloads(party: Party, name: str) -> tuple[Item, Item]:
    opening = chooser(World(10).random)(party.call, name)
    other = DraftParty(party.call, party.players, name, opening)
    other.begin(0.0)
    (commit,) = other.drain()
    other.receive(Item(Kind.COMMIT, "a", commit.body), 0.0)
    if other.phase is Phase.COMMIT:
        other.open_up(0.0)
    return commit, other.drain()[0]


def warnings(party: Party) -> list[str]:
    """Return the codes of what was warned of."""
    return [one.why.code for one in party.happenings if one.what is What.WARNED and one.why is not None]


def test_reveal_first_is_discarded() -> None:
    party = lone()
    commit, reveal = payloads(party, "b")
    party.receive(reveal, 1.0)
    assert "without a Commit" in warnings(party)[0]
    party.receive(commit, 2.0)
    assert not party.reveals.keys() & {"b"}
    party.receive(reveal, 3.0)
    assert party.phase is Phase.JUDGED


def test_the_first_commit_counts_and_a_repeat_is_ignored() -> None:
    party = lone(players="abc")
    commit, _ = payloads(party, "b")
    party.receive(commit, 1.0)
    party.receive(commit, 1.1)
    assert not warnings(party)
    party.receive(Item(Kind.COMMIT, "b", commit.body[:-1] + bytes([commit.body[-1] ^ 1])), 1.2)
    assert "the first counts" in warnings(party)[0]
    assert party.commits["b"] == commit


def test_malformed_commits_are_discarded_and_a_right_one_may_follow() -> None:
    party = lone()
    commit, reveal = payloads(party, "b")
    for body in (b"", commit.body[:-1], b"\0\2" + commit.body[2:], bytes(70_000)):
        party.receive(Item(Kind.COMMIT, "b", body), 1.0)
    assert len(warnings(party)) == 4
    party.receive(commit, 2.0)
    party.receive(reveal, 2.0)
    assert party.phase is Phase.JUDGED


def test_strangers_have_no_part() -> None:
    party = lone()
    commit, _ = payloads(party, "b")
    party.receive(Item(Kind.COMMIT, "mallory", commit.body), 1.0)
    party.receive(Item(Kind.COMMIT, "a", commit.body), 1.0)
    assert set(party.commits) == {"a"}


def test_without_limits_a_party_waits_for_ever() -> None:
    party = lone(None)
    party.tick(1e9)
    assert party.phase is Phase.COMMIT
    assert party.wake() is None


def test_both_deadlines() -> None:
    party = lone(players="abc")
    party.receive(payloads(party, "b")[0], 9.0)
    party.tick(9.99)
    assert "a" not in party.reveals
    party.tick(10.0)
    assert party.phase is Phase.REVEAL
    assert "a" in party.reveals
    party.receive(payloads(party, "c")[0], 10.1)
    assert "too late" in warnings(party)[0]
    party.tick(20.0)
    assert party.found is not None
    assert party.found.winner == "a"
    assert {one.player: one.fault for one in party.found.excluded} == {"b": Fault.NO_REVEAL, "c": Fault.NO_COMMIT}
    phases = []
    for now in (22.9, 23.0):
        party.tick(now)
        phases.append(party.phase)
    assert phases == [Phase.JUDGED, Phase.UNDECIDED], "one of three settles nothing, though a certificate was awaited"
    assert party.verdict is None


def test_an_announced_value_is_waited_for() -> None:
    party = lone(terms=Terms(17, announced=True))
    commit, reveal = payloads(party, "b")
    party.receive(commit, 1.0)
    party.receive(reveal, 1.0)
    assert party.phase is Phase.VALUE
    party.announce(b"42", 2.0)
    assert party.found is not None
    assert party.header().announced == b"42"


def test_a_copier_in_draft_mode_ties_for_ever_and_the_tied_commit_anew() -> None:
    """The draft's weakness, bounded: after three attempts the game is called off."""
    world = World(11)
    world.add(Call(Terms(), 2, 10.0, 10.0), "a", "b")
    thief = world.peers["b"]
    assert isinstance(thief, PeerElection)
    kept: dict[bytes, object] = {}
    victim = world.peers["a"]
    original = victim.choose

    def remembered(call: Call, name: str) -> object:
        return kept.setdefault(call.tag, original(call, "a"))

    victim.choose = remembered  # type: ignore[assignment]
    thief.choose = remembered  # type: ignore[assignment]
    world.run()
    for name in "ab":
        verdict = world.peers[name].verdict
        assert verdict is not None
        assert verdict.tied == ("a", "b")
        assert len(world.peers[name].parties) == 3


@pytest.mark.parametrize("kind", [Kind.COMMIT, Kind.REVEAL])
def test_what_reached_one_reaches_all_where_parties_repeat(kind: Kind) -> None:
    """C is gone before it could repeat itself; only a heard it."""
    world = World(17)
    call = Call(Terms(), 4, 10.0, 10.0)
    for name in "abcd":
        world.peers[name] = PeerElection(call, name, chooser(world.random), None, None, repeats=True)

    def transit(author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        items = read_packet(packet)[1]
        if author == "c" and any(item.kind is kind and item.author == "c" for item in items):
            world.gone.add("c")
            return [(now + 0.1, packet)] if to == "a" else []
        return [(now + 0.1, packet)]

    world.transit = transit
    for peer in world.peers.values():
        receive = peer.receive
        # in a group nobody knows who speaks
        peer.receive = lambda packet, now, _, receive=receive: receive(packet, now)  # type: ignore[method-assign,misc,assignment]
    world.run()
    _, excluded = agree(world, "abd")
    assert excluded == ({"c": Fault.NO_REVEAL} if kind is Kind.COMMIT else {})


def test_latecomers_are_refused() -> None:
    world = World(12)
    call = Call(Terms(), 2, 10.0, 10.0)
    world.add(call, "a", "b")
    world.run()
    late = PeerElection(call, "z", chooser(world.random))
    late.start(world.now)
    for packet in late.packets():
        world.peers["a"].receive(packet, world.now)
    party = world.peers["a"].party
    assert party is not None
    assert party.players == ("a", "b")


def test_parties_with_other_terms_do_not_hear_each_other() -> None:
    world = World(13)
    world.add(Call(Terms(17), 2, 10.0, 10.0), "a")
    world.add(Call(Terms(19), 2, 10.0, 10.0), "b")
    world.run(50)
    assert all(peer.verdict is None for peer in world.peers.values())


def test_too_few_come() -> None:
    world = World(14)
    world.add(Call(Terms(), 3, 10.0, 10.0), "a", "b", gather=5.0)
    world.run()
    assert gives(world.peers["a"].broken, "parties came", here=2, parties=3)


def test_in_strong_mode_the_absent_are_excluded() -> None:
    world = World(15)
    world.add(strong_call("abc"), "a", "b", gather=5.0)
    world.run()
    _, excluded = agree(world, "ab")
    assert excluded == {"c": Fault.NO_COMMIT}


def test_nobody_speaks_for_another_where_the_wire_knows() -> None:
    world = World(16)
    world.add(Call(Terms(17), 3, 10.0, 10.0), "a", "b", "c")
    peer = world.peers["a"]
    assert isinstance(peer, PeerElection)
    peer.start(0.0)
    other = world.peers["b"]
    assert isinstance(other, PeerElection)
    other.start(0.0)
    (hello,) = other.packets()
    peer.receive(hello, 0.0, "c")
    assert peer.here == {"a"}
    assert peer.packets_refused == 1


# ── calls ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("make", "why"),
    [
        pytest.param(lambda: Call(Terms(), 5, 1.0, None), "needs one for the other", id="one limit"),
        pytest.param(lambda: Call(Terms(), 0), Reason("an election has 1 to", most_parties=1024), id="nobody"),
        pytest.param(lambda: Call(Terms(), 2_000), Reason("an election has 1 to", most_parties=1024), id="too many"),
        pytest.param(lambda: Call(Terms(), 5, -1.0, 1.0), "a limit is", id="no time"),
        pytest.param(lambda: Call(Terms(), 5, float("nan"), 1.0), "a limit is", id="not a number"),
        pytest.param(lambda: Call(Terms(mode=Mode.STRONG, game="g"), 5), "roster", id="strong without keys"),
        pytest.param(lambda: strong_call("ab", limit=None), "needs time limits", id="strong without limits"),
        pytest.param(
            lambda: strong_call([f"p{i}" for i in range(65)]), Reason("reach agreement", most_agreeing=64), id="too many to agree"
        ),
        pytest.param(lambda: strong_call("ab", faults=2), "faulty", id="everybody faulty"),
        pytest.param(lambda: PeerElection(strong_call("ab"), "z", CHOOSE, key_of("z")), "roster", id="stranger"),
        pytest.param(lambda: PeerElection(strong_call("ab"), "a", CHOOSE, key_of("b")), "key of", id="wrong key"),
        pytest.param(lambda: HubPlan(Terms()), "how many parties", id="a hub that never begins"),
    ],
)
def test_calls_that_cannot_be_held(make: Callable[[], object], why: str | Reason) -> None:
    with raises(TermsError, why):
        make()


def test_a_call_survives_its_header() -> None:
    for call in (Call(Terms(17), 5), strong_call("abc", faults=1), Call(Terms(), 3, None, None)):
        again = read_call(json.dumps(call.fields()))
        assert (again, again.tag) == (call, call.tag)
    with raises(RecordError, "not that of a live"):
        read_call('{"rochambeau":2,"n":17}')


def test_everything_in_a_call_is_in_its_tag() -> None:
    calls = [
        Call(Terms(17), 5),
        Call(Terms(19), 5),
        Call(Terms(17), 6),
        Call(Terms(17), 5, 20.0, 20.0),
        Call(Terms(17), 5, delay=2.0),
        Call(Terms(17, game="other"), 5),
        Call(Terms(17, "sha512"), 5),
        strong_call("abcde"),
        strong_call("abcdf"),
    ]
    assert len({call.tag for call in calls}) == len(calls)
    assert strong_call("abc").fingerprint != strong_call("abd").fingerprint
