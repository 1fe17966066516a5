"""Two processes agree; a write that fails leaves nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from arbitre.errors import StoreError
from arbitre.records.place import Place
from arbitre.site.accounts import Account
from arbitre.site.community import Community

CROWD = """
import sys
from pathlib import Path
from arbitre.records.place import Place
from arbitre.site.community import Community
from arbitre.site.database import Allowances
from arbitre.crypto.passwords import LIGHT
from arbitre.errors import NameTakenError, QuotaError

with Community(Place(Path(sys.argv[1]), sys.argv[3]), Allowances(work=LIGHT, engines=10)) as house:
    ann, made = house.accounts.called("ann"), 0
    for letter in "abcdefghijklmnop":
        try:
            house.engines.add(ann, game="pente", name=f"bot-{letter}{sys.argv[2]}", url="http://x.example")
            made += 1
            house.accounts.create(f"both-{letter}x", "correct horse battery")
        except (NameTakenError, QuotaError):
            pass
    print(made)
"""


def test_two_processes_at_once(house: Community, ann: Account, place: Place) -> None:
    """Neither loses a write, both together keep to the quota, and of two equal names one is made."""
    crowd = [
        subprocess.Popen(
            [sys.executable, "-c", CROWD, str(place.folder), which, place.database], stdout=subprocess.PIPE, text=True
        )
        for which in "xy"
    ]
    made = [int(one.communicate(timeout=100)[0]) for one in crowd]
    assert sum(made) == 10 == len(house.engines.of(ann))
    names = [one.name for one in house.accounts.all()]
    assert len(names) == len(set(names))


@pytest.mark.sqlite
def test_what_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "arbitre.sqlite").write_bytes(b"not a database, but long enough to look like one" * 50)
    with pytest.raises(StoreError):
        Community(tmp_path)


def test_a_write_that_fails_leaves_nothing(house: Community, ann: Account) -> None:
    def fail() -> None:
        with house.database.writing() as connection:
            connection.exec_driver_sql("UPDATE accounts SET name = 'changed'")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert house.accounts.get(ann.id) == ann
    house.accounts.set_quota(ann, 7)
