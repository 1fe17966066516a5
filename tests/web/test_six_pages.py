"""Six pages as a visitor meets them: what must be seen without scrolling, on a laptop, on a projector and on a phone; not pixels.

`make pictures` photographs all pages for people to look at; this is what no page may lose.
"""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from arbitre.site.accounts import Role
from tests.browser import browsing, picture
from tests.tournoyons.test_player import ENGINES, started
from tests.web.place import Place
from tests.web.site import quiet, running

if TYPE_CHECKING:
    from playwright.sync_api import Page

PASSWORD = "a long password"  # noqa: S105 - of nobody
LAPTOP, PROJECTOR, PHONE = (1280, 800), (1920, 1080), (390, 844)
SEEN: dict[str, dict[tuple[int, int], tuple[str, ...]]] = {
    "/": {LAPTOP: ("h1", "#hero .picture", "button.big", "#now"), PHONE: ("#hero .picture", "h1", "button.big")},
    "/play": {LAPTOP: ("h1", "main form, main .cards, main fieldset"), PHONE: ("h1",)},
    "game": {
        LAPTOP: (".stage .frame", ".seat >> nth=0", ".seat >> nth=1", ".player", ".story"),
        PHONE: (".stage .frame", ".seat >> nth=0", ".seat >> nth=1", ".player"),
    },
    "competition": {
        LAPTOP: ("h1", ".stage.running", "#live .small-board >> nth=0", ".ladder li >> nth=4"),
        PHONE: ("h1", "#now h2"),
    },
    "competition/wall": {
        PROJECTOR: ("h1", ".left", "#live .small-board >> nth=0", ".ladder li >> nth=5"),
        LAPTOP: ("h1", ".ladder li >> nth=5"),
    },
    "/positions?game=draughts": {
        LAPTOP: (".board-of", ".palette", "#verdict", "#play", "#position"),
        PHONE: ("h1", ".sides-of", "#picture"),
    },
}
"""What is seen of each page in each window."""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Open a site on which a game and a competition go on; return where everything is."""
    for url in started(sys.executable, "-S", str(ENGINES / "crowd.py"), "0.5"):
        with running(quiet(tmp_path_factory.mktemp("six"))) as site:
            create = site.site.state.house.community.accounts.create
            people = {name: create(name, PASSWORD, role) for name, role in (("Oscar", Role.ORGANISER), ("Ann", Role.PLAYER))}
            place = Place(site, people, url)
            terms = {"game": "tictactoe", "template": "everybody", "clock": "30s/move", "listed": "1", "each": "9", "games": "40"}
            where = place.visitor("Oscar").post("/compete/new", terms).headers["location"]
            for at in range(6):
                engine = place.engine("Ann", f"Otter.{at}", f"play/{at}")
                assert place.visitor("Ann").post(f"{where}/enter", {"engine": str(engine.id)}).status == 303
            assert place.visitor("Oscar").post(f"{where}/steer", {"what": "begin"}).status == 303
            begun = place.visitor().post("/play", {"game": "reversi", "one": "house:1", "two": "house:1"})
            game = begun.headers["location"]
            found = {"game": game, "competition": where, "competition/wall": f"{where}/wall"}
            yield {path: site.url + found.get(path, path) for path in SEEN}


@pytest.mark.parametrize("path", SEEN)
@browsing(locale="fr-FR", reduced_motion="reduce")
def test_what_is_seen_without_scrolling(page: "Page", places: dict[str, str], path: str) -> None:
    page.goto(places[path])
    for window in SEEN[path]:
        page.set_viewport_size({"width": window[0], "height": window[1]})
        _looked(page, path, window)


def _looked(page: "Page", path: str, window: tuple[int, int]) -> None:
    for what in SEEN[path][window]:
        part = page.locator(what).first
        part.wait_for()
        box = part.bounding_box()
        assert box is not None
        inside = box["x"] >= -1 and box["y"] >= -1 and box["x"] + box["width"] <= window[0] + 1
        low = box["y"] + (box["height"] if box["height"] < window[1] / 2 or "frame" in what else 40)
        assert inside, f"{what} is beside the window"
        assert low <= window[1] + 1, f"{what} is seen without scrolling"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, f"six-{path.strip('/').replace('/', '-').partition('?')[0] or 'home'}-{window[0]}")
