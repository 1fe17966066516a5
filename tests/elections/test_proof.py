"""What a transcript proves, and what happens when somebody changes it."""

import json
from pathlib import Path

import pytest

from arbitre.elections import Terms
from arbitre.elections.hub import HubPlan
from arbitre.elections.live import claimed
from arbitre.elections.proof import Finding, Standing, verify_source
from arbitre.elections.transcript import Header, open_source, write_lines
from tests.elections.forge import entries, openings, written
from tests.elections.network import World, strong_call

NAMES = "abcd"


def found(path: Path, roster: dict[str, str] | None = None) -> Finding:
    with open_source(path) as source:
        return verify_source(source, roster)


@pytest.fixture(params=["mesh", "hub"])
def signed(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return the transcript of an election in strong mode."""
    world = World(1)
    call = strong_call(NAMES)
    if request.param == "mesh":
        world.add(call, *NAMES)
    else:
        world.add_hub(HubPlan(call.terms, 4, keys=call.keys), *NAMES)
    world.run()
    party = world.peers["a"].party
    assert party is not None
    assert party.verdict is not None
    path = tmp_path / "signed.jsonl"
    with path.open("wb") as file:
        write_lines(file, party.header(), party.entries(), party.notes(), claimed(party.verdict))
    return path


def test_signed_and_vouched_for(signed: Path) -> None:
    call = strong_call(NAMES)
    assert found(signed, dict(call.keys)).standing is Standing.VERIFIED
    unknown = found(signed)
    assert unknown.standing is Standing.INTACT
    assert unknown.group == call.fingerprint
    assert "another group" in found(signed, dict(strong_call("abcx").keys)).line


def change(path: Path, line: int, **fields: object) -> Path:
    lines = path.read_text().splitlines()
    lines[line] = json.dumps(json.loads(lines[line]) | fields)
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("member", ["commit", "reveal", "commit_signature", "reveal_signature", "echo_signature"])
def test_one_changed_digit_is_found_and_its_line_named(signed: Path, member: str) -> None:
    fields = json.loads(signed.read_text().splitlines()[2])
    if member not in fields:
        pytest.skip("with a hub the closing is signed instead of an echo")
    digits = fields[member]
    broken = found(change(signed, 2, **{member: digits[:-1] + ("0" if digits[-1] != "0" else "1")}))
    assert broken.standing is Standing.BROKEN
    assert "line 3" in broken.line


def test_other_terms_other_tag(signed: Path) -> None:
    assert found(change(signed, 0, delay=2.0)).standing is Standing.BROKEN


def test_a_party_left_out_of_a_hubs_transcript_is_missed(signed: Path) -> None:
    lines = signed.read_text().splitlines()
    fields = json.loads(lines[2])
    if not any("closing" in line for line in lines):
        pytest.skip("there is no hub")
    lines[2] = json.dumps({"player": fields["player"]})
    signed.write_text("\n".join(lines))
    assert found(signed).standing is Standing.BROKEN


def test_claims(tmp_path: Path) -> None:
    terms = Terms(17)
    made = openings(terms, 5)
    right = found(written(tmp_path / "a", Header(terms), entries(terms, made))).verdict
    assert right is not None
    cases = [
        ({"winner": right.winner, "excluded": {}}, Standing.VERIFIED),
        ({"winner": "somebody else"}, Standing.BROKEN),
        ({"winner": right.winner, "tied": ["p1", "p2"]}, Standing.BROKEN),
        ({"winner": right.winner, "excluded": {"p1": "mismatch"}}, Standing.BROKEN),
        ({"winner": right.winner, "excluded": 7}, Standing.BROKEN),
        (None, Standing.SETTLED),
    ]
    for claim, standing in cases:
        for compact in (False, True):
            path = written(tmp_path / "b", Header(terms), entries(terms, made), claim, compact=compact)
            assert found(path).standing is standing, claim
    assert "nobody signed" in found(tmp_path / "b", {"p0": "00"}).line
