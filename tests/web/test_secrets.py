"""Hidden moves stay hidden at every address: opponents and strangers read all that the site hands out, and find none of them."""

import re
from collections.abc import Iterator
from http.client import HTTPConnection
from itertools import product
from time import monotonic, sleep

import pytest

from tests.web.site import Client, Running, quiet, running
from tests.web.test_siege import table_for_two

FLEET, OTHER = "V5A01V4B21V3D31V3F41V2H51", "H5A01H4A11H3A21H3A31H2A41"
SECRETS = {
    "seafight": (FLEET, OTHER, ["V5A0", "V4B2", "V3D3", "V3F4", "V2H5"]),
    "mastermind": ("GCEH", "AABB", ["GCEH"]),
    "kriegspiel": ("g1h3", None, ["g1h3", "Nh3"]),
}
"""What one player does unseen, what the other does, and what would betray the first."""

FILLED = {
    "name:str": ["{game}"],
    "seat:int": ["0", "1", "2"],
    "ticket:str": ["{game}"],
}
EYES = ["", "?eye=0", "?eye=1", "?eye=referee", "?eye=spectator&after=0"]
QUERIES = {
    "events": EYES,
    "record": [f"?form={form}" for form in ("record", "json", "story", "pgn", "pdn", "ksg")],
    "{game}": [*EYES, "?moment=1", "?seat=0"],
}
"""What may be asked of an address, by its last part."""
LISTS = ["/", "/watch", "/api/matches", "/metrics", "/health"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(quiet(tmp_path_factory.mktemp("secrets"))) as found:
        yield found


def doors(site: Running, game: str) -> list[str]:
    """Return every address of the site that tells of a game, with everything that may be asked of it."""
    paths = {route.path for route in site.site.routes}
    named = [path for path in sorted(paths) if path.startswith(("/games/{", "/api/matches/{", "/return/"))]
    found = list(LISTS)
    for path in named:
        holes = re.findall(r"\{([^}]+)\}", path)
        for given in product(*(FILLED.get(hole, ["{game}"]) for hole in holes)):
            filled = path
            for hole, text in zip(holes, given, strict=True):
                filled = filled.replace(f"{{{hole}}}", text, 1)
            found += [(filled + query).replace("{game}", game) for query in QUERIES.get(filled.rpartition("/")[2], [""])]
    assert len(found) > 40
    return found


def read(client: Client, path: str) -> bytes:
    """Return what an address answers, as far as it comes within a moment: a stream has no end."""
    line = HTTPConnection("127.0.0.1", client.port, timeout=0.3 if "/events" in path else 10)
    heard = b""
    try:
        line.request("GET", path, headers={"Cookie": "; ".join(f"{name}={text}" for name, text in client.cookies.items())})
        response = line.getresponse()
        heard += repr(response.getheaders()).encode()
        late = monotonic() + 0.3
        while octets := response.read1(65_536):
            heard += octets
            if "/events" in path and monotonic() > late:
                break
    except TimeoutError:
        pass
    finally:
        line.close()
    return heard


def say(client: Client, game: str, move: str) -> None:
    """Make a move, as soon as it is asked for."""
    for _ in range(200):
        if (told := client.post(f"/games/{game}/move", {"move": move})).status == 201:
            return
        sleep(0.05)
    raise AssertionError(told.text)


@pytest.mark.parametrize("game", SECRETS)
def test_no_address_tells_what_is_hidden(site: Running, game: str) -> None:
    hidden, answer, marks = SECRETS[game]
    anna, ben, name = table_for_two(site, game)
    stranger = site.client()
    stranger.get("/")
    say(anna, name, hidden)
    if answer is not None:
        say(ben, name, answer)
    hers = b"".join(read(anna, path) for path in (f"/games/{name}/events", f"/games/{name}"))
    assert any(mark.encode() in hers for mark in marks), "the test would not see it if it were there"
    betrayed = re.compile("|".join(rf"\b{mark}" for mark in marks))
    for who, client in (("the opponent", ben), ("a stranger", stranger), ("nobody", site.client())):
        for path in doors(site, name):
            told = read(client, path).decode("utf-8", "replace").replace(name, "")
            assert not betrayed.findall(told), f"{who} reads it at {path}"
