"""A site moves to PostgreSQL with all it has, or stays; on either side everything reads the same."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from arbitre.cli import arbitre
from arbitre.errors import MovingError, StoreError
from arbitre.records.backend import Execute
from arbitre.records.place import Place
from arbitre.records.store import Store, sealed_records
from arbitre.records.tables import METADATA
from arbitre.site import moving
from arbitre.site.accounts import Role
from arbitre.site.community import Community
from arbitre.site.moving import move
from tests.postgresql import Cluster
from tests.reasons import raises
from tests.site.conftest import CHEAP, PASSWORD
from tests.site.test_competitions import CUP

pytestmark = pytest.mark.sqlite


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with a tournament, its records, and some people."""
    folder = tmp_path / "data"
    played = ["--game", "tictactoe", "--player", "a=random", "--player", "b=random", "--games", "6", "--seed", "x"]
    assert CliRunner().invoke(arbitre, ["tournament", "run", *played, "--data", str(folder)]).exit_code == 0
    with Community(folder, CHEAP) as house:
        olga = house.accounts.create("Olga", PASSWORD, Role.OPERATOR)
        house.engines.add(olga, game="pente", name="bot", url="http://x.example")
        house.competitions.announce(olga, CUP)
        house.classes.create(olga, "3b")
    return folder


def everything(place: Place) -> dict[str, list[str]]:
    with Community(place) as house, house.database.reading() as connection:
        return {table.name: sorted(map(str, connection.execute(select(table)))) for table in METADATA.sorted_tables}


def test_a_site_moves_with_all_it_has(data: Path, cluster: Cluster) -> None:
    url = cluster.empty()
    told = CliRunner().invoke(arbitre, ["operator", "move", "--from", f"sqlite:{data}", "--to", url])
    assert told.exit_code == 0, told.output
    old, new = Place(data), Place(data, url)
    assert everything(new) == everything(old)
    one, other = Store(old), Store(new)
    names = [row.name for row in one.matches()]
    assert len(names) == 6
    assert [other.record(name).text() for name in names] == [one.record(name).text() for name in names]
    one.close()
    other.close()
    with Community(new, CHEAP) as house:  # what is numbered goes on behind what came over
        assert house.accounts.create("Ann", PASSWORD).id == 2
    again = CliRunner().invoke(arbitre, ["operator", "move", "--from", f"sqlite:{data}", "--to", url])
    assert isinstance(again.exception, MovingError)


def test_what_does_not_arrive_whole_does_not_arrive(data: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    url, store = cluster.empty(), Store(data)

    def changed(execute: Execute) -> object:
        execute("UPDATE transitions SET lines = replace(lines, '\"turn\":1', '\"turn\":2')", ())
        return sealed_records(execute)

    with monkeypatch.context() as patch:
        patch.setattr(moving, "sealed_records", changed)
        with raises(MovingError, "did not arrive as it was"):
            move(store, Place(data, url))
    assert not any(everything(Place(data, url)).values())
    with store.holding("site"), raises(StoreError, "another process is at work on"):
        move(Store(data), Place(data, url))
    assert move(store, Place(data, url)).records == 6
    store.close()
