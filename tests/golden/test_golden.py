"""Golden records of every game and of every termination verify, now and for ever; whatever is changed in one is found."""

from pathlib import Path
from random import Random

import pytest

from arbitre.records.record import read_record
from arbitre.referee.verdict import Termination, read_verdict
from arbitre.referee.verify import Proof, verify
from tests.golden.make import FOLDER, wanted
from tests.records.test_independent import check
from tests.referee.tables import KEY

RECORDS = sorted(FOLDER.glob("*.record"))


def test_none_is_missing() -> None:
    assert {path.stem for path in RECORDS} >= set(wanted()), "make golden"
    ends = {read_verdict(read_record(path.read_bytes()).events[-2].text).termination for path in RECORDS}
    assert ends == set(Termination)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_it_verifies(path: Path) -> None:
    found = verify(path.read_bytes(), given=KEY.fingerprint)
    assert found.standing in (Proof.VERIFIED, Proof.ATTESTED), found.line
    check(path.read_bytes(), KEY.fingerprint)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_change_is_found(path: Path) -> None:
    data, random = path.read_bytes(), Random(path.stem)
    for _ in range(12):
        at = random.randrange(len(data))
        changed = data[:at] + bytes([data[at] ^ (1 << random.randrange(7))]) + data[at + 1 :]
        assert verify(changed, given=KEY.fingerprint).standing not in (Proof.VERIFIED, Proof.ATTESTED)
