"""What a transcript proves, and what happens when somebody changes it, or takes scissors to it."""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest

from arbitre.elections import Terms
from arbitre.elections.hub import HubPlan
from arbitre.elections.item import Item, Kind, read_packet, write_packets
from arbitre.elections.proof import Finding, examine, verify_source
from arbitre.elections.signed import claim_of
from arbitre.elections.transcript import Header, open_source
from arbitre.records.event import canonical
from arbitre.referee.verify import Proof
from tests.elections.forge import entries, openings, written
from tests.elections.network import World, key_of, strong_call
from tests.reasons import gives

NAMES = "abcd"
GROUP = strong_call(NAMES).fingerprint


def found(octets: bytes, given: str | None = GROUP, known: Collection[str] = ()) -> Finding:
    with TemporaryFile() as file:
        file.write(octets)
        file.seek(0)
        return examine(file, known, given)


def held(kind: str, seed: int = 1) -> World:
    """Hold an election in strong mode, in a mesh or through a hub."""
    world = World(seed)
    call = strong_call(NAMES)
    if kind == "mesh":
        world.add(call, *NAMES)
    else:
        world.add_hub(HubPlan(call.terms, 4, keys=call.keys), *NAMES)
    return world


@pytest.fixture(params=["mesh", "hub"], scope="module")
def signed(request: pytest.FixtureRequest) -> bytes:
    """Return the transcript of an election in strong mode."""
    world = held(request.param)
    world.run()
    return world.transcript("a")


def lines_of(octets: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in octets.splitlines()]


def joined(lines: list[dict[str, Any]]) -> bytes:
    """Write lines as they are written; the header as it stands."""
    return b"".join((canonical(one) if number else json.dumps(one, separators=(",", ":"), ensure_ascii=False)).encode() + b"\n"
                    for number, one in enumerate(lines))  # fmt: skip


def test_signed_and_vouched_for(signed: bytes) -> None:
    assert found(signed).standing is Proof.VERIFIED
    assert found(signed, None, {GROUP}).standing is Proof.VERIFIED
    unknown = found(signed, None)
    assert unknown.standing is Proof.INTACT
    assert unknown.group == GROUP
    assert gives(found(signed, "0" * 32).why, "signed by the group %(group)s, not by %(given)s")
    assert joined(lines_of(signed)) == signed, "what the tests below cut is written as it was"


# ── scissors ───────────────────────────────────────────────────────────────────────────────────────────────────────


def without_a_field(value: Any) -> Iterator[Any]:
    """Return a value without one of its members, for each of them, at any depth."""
    if isinstance(value, dict):
        for name in value:
            yield {key: one for key, one in value.items() if key != name}
            yield from ({**value, name: cut} for cut in without_a_field(value[name]))
    elif isinstance(value, list):
        for at in range(len(value)):
            yield value[:at] + value[at + 1 :]
            yield from ([*value[:at], cut, *value[at + 1 :]] for cut in without_a_field(value[at]))


def test_without_any_line_it_never_verifies(signed: bytes) -> None:
    lines = signed.splitlines(keepends=True)
    for at in range(len(lines)):
        assert found(b"".join(lines[:at] + lines[at + 1 :])).standing in {Proof.BROKEN, Proof.INCOMPLETE}, at
    for at in range(1, len(lines)):
        assert found(b"".join(lines[:at])).standing in {Proof.BROKEN, Proof.INCOMPLETE}, "cut off"
        assert found(b"".join([*lines[:at], lines[at], *lines[at:]])).standing is Proof.BROKEN, "a line twice"


def test_without_any_field_it_never_verifies(signed: bytes) -> None:
    lines = lines_of(signed)
    tried = 0
    for at, line in enumerate(lines):
        for cut in without_a_field(line):
            tried += 1
            assert found(joined([*lines[:at], cut, *lines[at + 1 :]])).standing not in {Proof.VERIFIED, Proof.INTACT}, (at, cut)
    assert tried > 60


def test_nothing_can_be_made_null(signed: bytes) -> None:
    """Not even a body together with its signature: whose verdicts are the certificate is said once more at the end."""
    lines = lines_of(signed)
    for at, line in enumerate(lines):
        for name in line if "player" in line else ():
            for names in ({name}, {name, f"{name}_signature"}):
                cut = {key: None if key in names and key != "player" else one for key, one in line.items()}
                if cut != line:
                    assert found(joined([*lines[:at], cut, *lines[at + 1 :]])).standing is Proof.BROKEN, (at, names)


def test_the_winners_reveal_cut_out_convicts_nobody(signed: bytes) -> None:
    """With a claim that is made to fit, too: what is left is not what the verdicts signed."""
    winner = found(signed).verdict
    assert winner is not None
    lines = lines_of(signed)
    for one in lines:
        if one.get("player") == winner.winner:
            one["reveal"] = one["reveal_signature"] = None
    assert found(joined(lines)).standing is Proof.BROKEN
    without = [one for one in lines if "verdict" not in one or "player" in one]
    without = [one for one in without if "closing" not in one]
    left = found(joined(without))
    assert left.standing is Proof.INCOMPLETE
    assert left.verdict is not None
    assert [one.fault.unheard for one in left.verdict.excluded] == [True]
    assert not left.convictions
    refitted = found(joined([*without, {"verdict": claim_of(left.verdict, (), [])}]))
    assert refitted.standing in {Proof.INCOMPLETE, Proof.BROKEN}


def test_a_certificate_takes_more_than_half(signed: bytes) -> None:
    """Of four three: with two verdicts taken out, and the claim made to fit, it is incomplete."""
    lines = lines_of(signed)
    signers = [one["player"] for one in lines if one.get("verdict") and "player" in one]
    assert signers == list(NAMES)
    for gone, standing in ((1, Proof.VERIFIED), (2, Proof.INCOMPLETE), (4, Proof.INCOMPLETE)):
        cut = [dict(one) for one in lines]
        for one in cut[1 : 1 + gone]:
            one["verdict"] = one["verdict_signature"] = None
        cut[-1] = {"verdict": {**cut[-1]["verdict"], "certificate": signers[gone:]}}
        assert found(joined(cut)).standing is standing, gone


# ── other changes ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_one_changed_digit_is_found_and_its_line_named(signed: bytes) -> None:
    lines = lines_of(signed)
    for member in ("commit", "reveal", "echo", "verdict"):
        for name in (member, f"{member}_signature"):
            digits = lines[2][name]
            cut = {**lines[2], name: digits[:-1] + ("0" if digits[-1] != "0" else "1")}
            broken = found(joined([*lines[:2], cut, *lines[3:]]))
            assert broken.standing is Proof.BROKEN
            assert gives(broken.why, "line %(number)s: %(why)s", number=3)


@pytest.mark.parametrize(
    "change",
    [
        {"delay": 2_000},
        {"liars": 1},
        {"parties": 5},
        {"game": "other"},
        {"limits": [1, 1]},
        {"roster": []},
        {"more": 1},
        {"n": 17},
    ],
    ids=str,
)
def test_another_header_is_another_call(signed: bytes, change: dict[str, object]) -> None:
    lines = lines_of(signed)
    assert found(joined([{**lines[0], **change}, *lines[1:]]), None).standing is Proof.BROKEN


def test_no_other_spelling_of_a_line(signed: bytes) -> None:
    first, second, *rest = signed.splitlines(keepends=True)
    for spelt in (second.replace(b":", b": "), b" " + second, b'{"player":"x",' + second[1:], b"\n" + second):
        assert found(b"".join([first, spelt, *rest])).standing is Proof.BROKEN


def test_a_player_who_signs_two_verdicts_is_convicted_and_both_are_shown() -> None:
    world = held("mesh")

    def transit(author: str, to: str, packet: bytes, now: float) -> list[tuple[float, bytes]]:
        tag, items = read_packet(packet)
        if author == "d" and any(item.kind is Kind.VERDICT and item.author == "d" for item in items):
            second = Item(Kind.VERDICT, "d", bytes(68)).sign(tag, "d", key_of("d"))
            return [(now + 0.1, one) for one in (packet, *write_packets(tag, [second]))]
        return [(now + 0.1, packet)]

    world.transit = transit
    world.run()
    transcript = world.transcript("a")
    whole = found(transcript)
    assert whole.standing is Proof.VERIFIED, "three of four are enough"
    assert [(one.author, one.one.kind) for one in whole.convictions] == [("d", Kind.VERDICT)]
    assert whole.verdict is not None
    assert not whole.verdict.excluded, "he is convicted, but his Commit and Reveal count as everybody's"
    lines = transcript.splitlines(keepends=True)
    (at,) = (number for number, line in enumerate(lines) if b'"convicted":"d"' in line)
    assert found(b"".join(lines[:at] + lines[at + 1 :])).standing is Proof.BROKEN
    forged = lines[at].replace(b'"d"', b'"c"')
    assert found(b"".join([*lines[:at], forged, *lines[at + 1 :]])).standing is Proof.BROKEN, "nobody is accused by others' words"


@pytest.mark.parametrize("kind", ["mesh", "hub"])
def test_who_is_missing_is_unheard(kind: str) -> None:
    world = held(kind, 3)
    world.transit = lambda author, _to, packet, now: [] if author == "d" else [(now + 0.1, packet)]
    if world.hub is not None:
        hear = world.hub.receive
        world.hub.receive = lambda connection, packet, now: (  # type: ignore[method-assign]
            hear(connection, packet, now) if connection < 3 or read_packet(packet)[1][0].kind is Kind.HELLO else None
        )
    else:
        world.gone.add("d")
        for peer in world.peers.values():
            peer.gather = 1.0  # type: ignore[attr-defined]
    world.run(100)
    whole = found(world.transcript("a"))
    assert whole.standing is Proof.VERIFIED
    assert whole.verdict is not None
    assert [(one.player, one.fault.unheard) for one in whole.verdict.excluded] == [("d", True)]
    assert not whole.convictions


# ── where nobody signed ────────────────────────────────────────────────────────────────────────────────────────────


def test_claims(tmp_path: Path) -> None:
    terms = Terms(17)
    made = openings(terms, 5)
    with open_source(written(tmp_path / "a", Header(terms), entries(terms, made))) as source:
        right = verify_source(source).verdict
    assert right is not None
    cases = [
        ({"winner": right.winner, "excluded": []}, Proof.INTACT),
        ({"winner": "somebody else"}, Proof.BROKEN),
        ({"winner": right.winner, "tied": ["p1", "p2"]}, Proof.BROKEN),
        ({"winner": right.winner, "excluded": [["p1", "mismatch"]]}, Proof.BROKEN),
        ({"winner": right.winner, "unheard": [["p1", "no-reveal"]]}, Proof.BROKEN),
        ({"winner": right.winner, "excluded": 7}, Proof.BROKEN),
        (None, Proof.INCOMPLETE),
    ]
    for claim, standing in cases:
        for compact in (False, True):
            path = written(tmp_path / "b", Header(terms), entries(terms, made), claim, compact=compact)
            assert found(path.read_bytes(), None).standing is standing, claim
    assert gives(found((tmp_path / "b").read_bytes()).why, "signed by nobody")


@pytest.mark.parametrize("octets", [b'{"n":17}\n', b'{"rochambeau":1,"n":17}\n', b'{"rochambeau":3}\n', b"rochamb\x01\0\0"])
def test_another_format_is_foreign(octets: bytes) -> None:
    assert found(octets, None).standing is Proof.FOREIGN
