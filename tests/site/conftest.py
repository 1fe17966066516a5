"""A community in a fresh folder, with passwords that cost little and a clock that the test turns; uvloop, as the site runs it."""

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from arbitre.crypto.passwords import LIGHT
from arbitre.records.place import Place
from arbitre.site.accounts import Account, Role
from arbitre.site.community import Community
from arbitre.site.database import Allowances
from tests.added import example, pawns
from tests.loop import as_the_site_runs_them

__all__ = ["PASSWORD", "as_the_site_runs_them", "example", "pawns"]

PASSWORD = "correct horse battery"  # noqa: S105 - of nobody
CHEAP = Allowances(
    work=LIGHT,
    engines=3,
    interfaces=2,
    sources=2,
    versions=3,
    source_room=100_000,
    photos=2,
    tokens=2,
    sessions=3,
    invitations=2,
    classes=2,
    members=3,
)


class Clock:
    """Time, by hand."""

    def __init__(self) -> None:
        self.now = 1_800_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every table and nobody, to copy: to make one takes longer than most tests."""
    folder = tmp_path_factory.mktemp("community") / "data"
    Community(folder).close()
    return folder


@pytest.fixture
def house(place: Place, empty: Path, clock: Clock) -> Iterator[Community]:
    """Nobody yet, on SQLite and then on PostgreSQL."""
    copytree(empty, place.folder)
    with Community(place, CHEAP, clock) as house:
        yield house


def person(house: Community, name: str, role: Role = Role.PLAYER) -> Account:
    return house.accounts.create(name, PASSWORD, role)


@pytest.fixture
def ann(house: Community) -> Account:
    return person(house, "ann")


@pytest.fixture
def bob(house: Community) -> Account:
    return person(house, "bob")


@pytest.fixture
def operator(house: Community) -> Account:
    return person(house, "olga", Role.OPERATOR)
