"""A second verifier, in another language and written from the manual, agrees with ours: on good records and on forged ones."""

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from arbitre.cli.verify import STATUS
from arbitre.crypto.statements import Statement
from arbitre.records.event import LONGEST_LINE, Event, Kind
from arbitre.records.record import Chain
from arbitre.referee.match import write_agreed
from arbitre.referee.verify import Proof, verify
from tests.examples.mutants import GAMES, honest, records, resigned, sealed
from tests.golden.make import FOLDER, NONCES, PLAYERS, by_rules
from tests.referee.tables import KEY, SEED, Hearing, make_match

VERIFIER = Path(__file__).parent.parent.parent / "examples" / "verifier" / "verify.mjs"
ORDER = 2**252 + 27742317777372353535851937790883648493
SMALL = ("01" + "00" * 31, "00" * 32, "ec" + "ff" * 30 + "7f", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def second(data: Sequence[bytes]) -> list[str]:
    """Return what the second verifier says of each record; one process hears them all."""
    said = b"".join(b"%d\n%s" % (len(one), one) for one in data)
    command = ["node", str(VERIFIER), "--key", KEY.fingerprint, "--stream"]
    answers = subprocess.run(command, input=said, capture_output=True, check=True).stdout.splitlines()
    found = [str(json.loads(one)["standing"]) for one in answers]
    assert len(found) == len(data)
    return found


def agree(data: Sequence[bytes]) -> dict[str, int]:
    """Compare both verifiers; return how often which standing was found."""
    tally: dict[str, int] = {}
    for one, theirs in zip(data, second(data), strict=True):
        ours = verify(one, given=KEY.fingerprint)
        known = any(f'\\"game\\":\\"{name}\\"'.encode() in one for name in GAMES)
        # without the rules it finds less, and never more: where it is content we may not be, but not the other way round
        allowed = {ours.standing.value} if known else {ours.standing.value, *WITHOUT_RULES.get(ours.standing, ())}
        assert theirs in allowed, f"{theirs}, not {ours.line}\n{one.decode(errors='replace')}"
        tally[ours.standing.value] = tally.get(ours.standing.value, 0) + 1
    return tally


WITHOUT_RULES = {Proof.VERIFIED: ("attested",), Proof.BROKEN: ("attested", "incomplete")}


def test_golden_records() -> None:
    paths = sorted(FOLDER.glob("*.record"))
    tally = agree([path.read_bytes() for path in paths])
    assert set(tally) == {"verified", "attested"}


def test_mutants() -> None:
    tally = agree(records(240, Random("a few")))
    assert set(tally) >= {"verified", "broken", "incomplete"}
    assert tally["verified"] > 20, "honest matches in which odd things happen"


@pytest.mark.campaign
def test_twenty_thousand_mutants() -> None:
    for part in range(20):
        agree(records(1_000, Random(f"part {part}")))


def test_the_status_is_ours(tmp_path: Path) -> None:
    """One file or several: the exit status is the one of `arbitre verify`."""
    golden = FOLDER / "game-tictactoe.record"
    cut = tmp_path / "cut.record"
    cut.write_bytes(b"".join(golden.read_bytes().splitlines(keepends=True)[:-1]))
    old = tmp_path / "old.record"
    old.write_text(golden.read_text(encoding="utf-8").replace(r"{\"arbitre\":2,", r"{\"arbitre\":1,"), encoding="utf-8")
    changed = tmp_path / "changed.record"
    changed.write_bytes(golden.read_bytes().replace(b'"said"', b'"stray"', 1))
    files = {Proof.VERIFIED: golden, Proof.INCOMPLETE: cut, Proof.FOREIGN: old, Proof.BROKEN: changed}

    def status(*paths: Path, key: bool = True) -> int:
        given = ["--key", KEY.fingerprint] if key else []
        return subprocess.run(["node", str(VERIFIER), *given, *map(str, paths)], capture_output=True, check=False).returncode

    for proof, path in files.items():
        assert status(path) == STATUS[proof]
    assert status(golden, key=False) == STATUS[Proof.INTACT]
    assert status(*files.values()) == STATUS[Proof.BROKEN]


# ── what a forger with keys would try ──────────────────────────────────────────────────────────────────────────────


def changed(where: Callable[[Event], bool], **fields: object) -> bytes:
    """Return a won game in which one event reads otherwise, signed anew by everybody."""
    events = list(by_rules().events)
    at = next(number for number, event in enumerate(events) if where(event))
    events[at] = Event(**{**events[at]._asdict(), **fields})
    return sealed(events)


def with_opening(old: str, new: str) -> bytes:
    """Return a won game with another opening, to which the players agreed."""
    events = list(by_rules().events)
    assert old in events[0].text
    events[0] = events[0]._replace(text=events[0].text.replace(old, new))
    return sealed(resigned(events))


def other_signature(change: Callable[[bytes], bytes], of: int = 0) -> bytes:
    """Return a won game in whose seal the signature of a seat is another."""
    events = by_rules().events
    data = sealed(events)
    seal = json.loads(data.splitlines()[-1])
    true = seal["seats"][of]["signature"]
    return data.replace(true.encode(), change(bytes.fromhex(true)).hex().encode())


def greater(signature: bytes) -> bytes:
    """Return the signature with S + L for S: the same equation, other octets."""
    return signature[:32] + (int.from_bytes(signature[32:], "little") + ORDER).to_bytes(32, "little")


def played(seat: int, kind: Statement = Statement.PLAYED, key: int = 0) -> Callable[[bytes], bytes]:
    """Return a maker of another signature under the won game."""
    chain = Chain(SEED)
    chain.add(by_rules().events)
    return lambda _: chain.subject.sign(PLAYERS[key], kind, seat)


def copied_promise() -> bytes:
    """Return a match in which the second seat promised and opened the first one's nonce."""
    hearing = Hearing(make_match(nonces=NONCES))
    events = list(hearing.events)
    first, other = (json.loads(events[0].text)["promises"][seat] for seat in "01")
    events[0] = events[0]._replace(text=events[0].text.replace(other, first))
    said = [Event(Kind.AGREED, 0, seat, 0, write_agreed(NONCES[0].hex(), None)) for seat in (0, 1)]
    asked = [event for event in by_rules().events if event.kind not in (Kind.OPENED, Kind.AGREED)]
    return sealed([*events, *said, *(event._replace(text="") if event.kind is Kind.ASKED else event for event in asked)])


def replaced_opening() -> bytes:
    """Return a won game whose opening was changed after the players had agreed."""
    events = list(by_rules().events)
    events[0] = events[0]._replace(text=events[0].text.replace("Ada", "Eve"))
    return sealed(events)


def long_line(octets: int) -> bytes:
    """Return a won game with an event of so many octets in it."""
    events = list(by_rules().events)
    stray = Event(Kind.STRAY, 0, 0, 1, "")
    events.insert(4, stray._replace(text="x" * (octets - len(stray.line()))))
    return sealed(events)


FORGERIES: dict[str, Callable[[], bytes]] = {
    "S + L": lambda: other_signature(greater),
    "seat 1's signature as seat 0's": lambda: other_signature(played(1, key=1)),
    "the seat's signature for another seat": lambda: other_signature(played(1)),
    "as kind 2": lambda: other_signature(played(0, Statement.AGREED)),
    "as the referee's": lambda: other_signature(played(0, Statement.SEALED)),
    "DEL in a move": lambda: changed(lambda event: event.kind is Kind.SAID, text="1\x7f"),
    "a lone surrogate": lambda: by_rules().record().text().replace('"text":"1"', '"text":"\\ud800"').encode(),
    "half a character": lambda: by_rules().record().text().encode().replace(b'"text":"1"', b'"text":"\xed\xa0\x80"'),
    "too long a line": lambda: long_line(LONGEST_LINE + 1),
    "a promise copied": copied_promise,
    "an opening replaced after it was agreed to": replaced_opening,
    "a move as nobody writes it": lambda: changed(lambda event: event.kind is Kind.SAID, text=" 1"),
    "a reason that is a sentence": lambda: changed(lambda event: event.kind is Kind.ENDED, text="three in a row"),
    **{
        f"a key of small order, {number}": lambda key=key: with_opening(PLAYERS[0].public.hex(), key)  # type: ignore[misc]
        for number, key in enumerate(SMALL)
    },
    **{
        f"a referee of small order, {number}": lambda key=key: with_opening(KEY.public.hex(), key)  # type: ignore[misc]
        for number, key in enumerate(SMALL)
    },
}


def test_forgeries_not_to_miss() -> None:
    data = [make() for make in FORGERIES.values()]
    for name, one, theirs in zip(FORGERIES, data, second(data), strict=True):
        assert verify(one, given=KEY.fingerprint).standing is Proof.BROKEN, name
        assert theirs == "broken", name
    assert agree([long_line(LONGEST_LINE), sealed(by_rules().events)]) == {"verified": 2}


def test_odd_matches_are_honest() -> None:
    """What the mutants are made of verifies, or has no end: else they would say little."""
    random = Random("honest")
    for _ in range(20):
        events = honest(random)
        expected = Proof.VERIFIED if events[-1].kind is Kind.REVEALED else Proof.BROKEN
        found = verify(sealed(events), given=KEY.fingerprint)
        assert found.standing is expected, found.line
