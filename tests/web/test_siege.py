"""The site besieged: what strangers may not learn, steer, take or use up, tried over HTTP."""

from collections.abc import Iterator

import pytest

from arbitre.services.arena import Arena
from tests.web.site import Client, Running, quiet, running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return an open site where nobody plays."""
    with running(quiet(tmp_path_factory.mktemp("siege"))) as found:
        yield found


def begin(client: Client, game: str = "tictactoe", one: str = "me", two: str = "house:1", **more: str) -> str:
    """Begin a game, and return its name."""
    answer = client.post("/play", {"game": game, "one": one, "two": two, **more}, page=f"/play?game={game}")
    assert answer.status == 303, answer.text
    return answer.headers["location"].rpartition("/")[2]


def arena_of(site: Running) -> Arena:
    found = site.site.state.house.arena
    assert isinstance(found, Arena)
    return found


# ── what strangers may not learn ──


def test_a_search_finds_names_and_nothing_behind_them(site: Running) -> None:
    anna = site.client()
    name = begin(anna)
    guest = next(iter(arena_of(site).live(name).sitting.plan.sitters)).who  # type: ignore[union-attr]
    assert [one.name for one in arena_of(site).sittings(words="guest")] == [name]
    assert [one.name for one in arena_of(site).sittings(words="gue")] == [name]
    for words in ('guest","person":"', f'guest","person":"{guest[:8]}', '"', "guest\\", "gue_t", "%"):
        assert arena_of(site).sittings(words=words) == (), words


# ── what strangers may not steer ──


def test_only_whoever_began_a_game_steers_it(site: Running) -> None:
    anna, ben = site.client(), site.client()
    name = begin(anna, one="house:1", two="house:1", stepped="1")
    for what in ("step", "run", "stop"):
        assert ben.post(f"/games/{name}/{what}").status == 403, what
    assert arena_of(site).live(name).gate.stepped
    assert anna.post(f"/games/{name}/step").status == 201
    assert anna.post(f"/games/{name}/stop").status == 303
