"""A person plays each of the games to the end on the real site, in a real browser, looks at it again, and checks it."""

from typing import TYPE_CHECKING

import pytest

from arbitre.referee.verify import Proof, verify
from tests.browser import browsing, picture
from tests.web.people import (
    DESK,
    Mover,
    any_target,
    code,
    ended,
    fill_in,
    first_free,
    frame_of,
    movable,
    near_the_end,
    play_out,
    poker,
    reversi,
    rochambeau,
)
from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

OPEN_THREE = [*"0" * 361]
OPEN_THREE[180:183], OPEN_THREE[20:60:15] = "111", "222"

GAMES: dict[str, tuple[str, Mover]] = {
    "tictactoe": ("", any_target),
    "rochambeau": ("3,4 11 - 8", rochambeau),
    "bigtictactoe": (near_the_end("bigtictactoe", 3, 3), any_target),
    "pente": ("".join(OPEN_THREE) + " 0 0 7", first_free(183, 184, 179)),
    "reversi": (near_the_end("reversi", 3, 3), reversi),
    "mastermind": (near_the_end("mastermind", 3, 3), code("AABB")),
    "seafight": (near_the_end("seafight", 3, 3), any_target),
    "poker": (near_the_end("poker", 3, 5), poker),
    "draughts": ("W:W17,33:B6,28 1", movable),
}
"""Where a game starts, so that it is short, and what a person does when asked. Kriegspiel is played by two, elsewhere."""

LOOK = {"viewport": DESK, "reduced_motion": "reduce", "locale": "en-GB", "color_scheme": "light"}


def looked_at(page: "Page", site: Running, name: str, game: str) -> None:
    """Look at a game that is over as somebody does who doubts it."""
    house = site.site.state.house
    ended(page)
    verdict = page.locator("#lines li.voice.good").last
    verdict.wait_for()
    assert verdict.inner_text().startswith(("verdict", "VERDICT"))
    count = page.locator("#lines li.move").count()
    assert count
    frame_of(page).wait_for_selector("html[data-state=shown]", state="attached")
    picture(page, f"days-{game}-over")
    replayed(page)
    page.locator("#proof").click()
    assert "arbitre verify" in page.locator("#tab-proof pre").first.inner_text()
    with page.expect_download() as coming:
        page.locator("#tab-proof a[href$='form=record']").click()
    found = verify(coming.value.path().read_bytes(), given=house.key.fingerprint)
    assert found.standing in (Proof.VERIFIED, Proof.ATTESTED), found.line
    page.get_by_role("tab", name="Story").click()
    french = site.client().get(f"/games/{name}", Accept_Language="fr")
    assert (french.status, '<html lang="fr"' in french.text) == (200, True)


def read_in_french(page: "Page") -> None:
    """Read a game that is over in the other language, and come back."""
    here = page.url
    page.get_by_role("button", name="Français").click()
    page.wait_for_selector("html[lang=fr]")
    assert page.url == here
    page.wait_for_selector("#lines li.voice.good")
    page.get_by_role("button", name="English").click()
    page.wait_for_selector("html[lang=en]")


def address(page: "Page") -> str:
    """Return what the frame shows."""
    return page.locator("#game .stage > .frame > iframe").last.get_attribute("data-query") or ""


def replayed(page: "Page") -> None:
    """Step through a game that is over."""
    frame_of(page)
    last = address(page)
    page.locator("[data-go=first]").click()
    first = address(page)
    assert first != last
    page.locator("[data-go=next]").click()
    assert page.locator("#lines [aria-current]").count() == 1
    page.locator("[data-go=previous]").click()
    page.wait_for_timeout(50)
    page.locator("[data-go=play]").click()
    page.wait_for_timeout(50)
    page.locator("[data-go=last]").click()
    for _ in range(200):
        if address(page) == last:
            return
        page.wait_for_timeout(25)
    raise AssertionError(f"{address(page)} is not {last}")


HERE = ("mastermind", "poker")
"""Others meet the page of a game elsewhere: by keys, in windows of all sizes, between two people. A campaign plays them all."""


@pytest.mark.parametrize("game", [one if one in HERE else pytest.param(one, marks=pytest.mark.campaign) for one in GAMES])
@browsing(**LOOK)
def test_a_person_plays_against_the_house(page: "Page", open_site: Running, game: str) -> None:
    start, move = GAMES[game]
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    name = fill_in(page, open_site, game, start=start)
    assert play_out(page, move)
    looked_at(page, open_site, name, game)
    if not start:
        read_in_french(page)
    assert not complaints, "\n".join(complaints)
