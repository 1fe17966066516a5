"""The film of a game: written by a page as a GIF that any viewer reads, of bounded size, in the colours of the page."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import arbitre.web
from arbitre.games.catalogue import game as find_game
from tests.browser import OUTPUT, PICTURES, browsing
from tests.house import HOUSE
from tests.web.gif import read_gif, still
from tests.web.people import DESK, answer, begin, ended, path
from tests.web.site import Running
from tests.web.test_ten_games import GAMES

if TYPE_CHECKING:
    from playwright.sync_api import Page

STATIC = Path(arbitre.web.__file__).parent / "static"
LARGEST = 2_000_000

NOISE = """
import { Gif, indexer, palette } from "%s";
const [width, height] = [90, 110];
let state = 7;
const luck = (below) => (state = (state * 1103515245 + 12345) %% 2147483648, Math.floor(state / 65536) %% below);
const colours = Array.from({ length: 256 }, (_, at) => [at, 255 - at, at ^ 90]);
const gif = new Gif(width, height, colours);
const plain = new Uint8Array(width * height);
const noise = Uint8Array.from({ length: width * height }, () => luck(256)); // more than 4096 codes
const spot = noise.slice(); spot[5 * width + 7] ^= 1; spot[9 * width + 3] ^= 1;
for (const [frame, time] of [[plain, 100], [plain, 20], [noise, 30], [spot, 40], [plain, 50]]) gif.add(frame, time);
const picture = new Uint8ClampedArray([250, 0, 0, 255, 250, 0, 0, 255, 0, 0, 250, 255, 251, 1, 0, 255]);
const found = palette([picture]);
const indices = [...indexer(found)(picture)];
console.log(JSON.stringify({ gif: [...gif.ended()], noise: [...noise], spot: [...spot], found, indices }));
"""


def test_every_frame_is_read_as_it_was_written() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    script = NOISE % (STATIC / "gif.js").as_uri()
    done = subprocess.run([node, "--input-type=module"], input=script, capture_output=True, text=True, timeout=60, check=True)
    told = json.loads(done.stdout)
    film = read_gif(bytes(told["gif"]))
    plain = bytes(90 * 110)
    assert film.screens() == [plain, bytes(told["noise"]), bytes(told["spot"]), plain]
    assert [one.hundredths for one in film.frames] == [120, 30, 40, 50], "what changes nothing lengthens what was there"
    spot = film.frames[2]
    assert (spot.left, spot.top, spot.width, spot.height) == (3, 5, 5, 5), "only what differs is written"
    assert film.palette[3:6] == bytes((1, 254, 91))
    assert told["found"] == [[250, 0, 0], [0, 0, 250]]
    assert told["indices"] == [0, 0, 1, 0]


def filmed(page: "Page", site: Running, game: str, start: str = "") -> None:
    """Let the house play itself, and make a film of it."""
    if game == "kriegspiel":  # which takes the house long to end: a move, and it is given up
        page.on("dialog", lambda dialog: dialog.accept())
        name = begin(page, site, game)
        assert answer(page, path("e2", "e4"), [])
        page.locator("#lines li.move").first.wait_for()
        page.locator("form[action$='/resign'] button").click()
    else:
        name = begin(page, site, game, one="house:1", two="house:1", start=start)
    ended(page)
    page.keyboard.press("Escape")
    with page.expect_download() as coming:
        page.locator("#film").click()
    assert coming.value.suggested_filename == f"{name}.gif"
    data = coming.value.path().read_bytes()
    if PICTURES:
        (OUTPUT / f"film-{game}.gif").write_bytes(data)
    film = read_gif(data)
    told = page.request.get(f"{site.url}/games/{name}/film").json()
    assert (film.width, film.height) == (480, 536)
    assert 2 <= len(film.frames) <= len(told["frames"])
    assert len(data) < LARGEST, len(data)
    assert still(film) == 0
    paper = bytes(page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"))
    corner = film.screens()[-1][535 * 480]
    assert max(abs(one - other) for one, other in zip(film.palette[3 * corner : 3 * corner + 3], paper, strict=True)) < 8
    assert page.locator("#film").is_enabled()
    assert page.locator(".darkroom").count() == 0


@browsing(viewport=DESK, locale="fr-FR", color_scheme="dark", reduced_motion="reduce")
def test_a_game_is_taken_away_as_a_film(page: "Page", open_site: Running) -> None:
    filmed(page, open_site, "tictactoe")


@pytest.mark.campaign
@pytest.mark.parametrize("game", HOUSE)
def test_every_game_has_its_film(chromium: object, open_site: Running, game: str) -> None:
    walk = browsing(viewport=DESK, locale="en-GB", color_scheme="light", reduced_motion="reduce")
    walk(filmed)(chromium=chromium, site=open_site, game=game, start=GAMES.get(game, ("",))[0])


def test_there_is_none_before_the_end(open_site: Running) -> None:
    client = open_site.client()
    where = client.post("/play", {"game": "kriegspiel", "one": "me", "two": "house:1"}).headers["location"]
    assert find_game("kriegspiel").hides
    assert client.get(f"{where}/film").status == 404, "nobody sees the other's pieces in it"
    assert 'id="film"' not in client.get(where).text
