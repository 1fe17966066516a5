"""What stands beside a board: the opponent, the time, the goal; how long moves took; the tide; the ghost; sounds."""

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from tests.browser import browsing, picture
from tests.web.people import SHOWN, answer, any_target, asking, begin, frame_of, question
from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

LOOK = {"viewport": {"width": 1366, "height": 768}, "reduced_motion": "reduce", "locale": "en-GB", "color_scheme": "light"}

PLACE, NOTE = 190, 660
"""Pitches of a piece that is put down, and of a turn that comes."""

LISTENED = """window.tones = [];
const Real = window.OscillatorNode;
window.OscillatorNode = class extends Real {
  constructor(context, tone) { super(context, tone); window.tones.push(tone.frequency); }
};"""
"""Takes down what is sounded, and lets it sound."""


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", ("Practice: nothing counts.", "Opponent", "house 1: counts discs", "10 min each", "More discs when neither")),
        ("fr", ("rien ne compte.", "Adversaire", "maison 1 : compte les pions", "10 min chacun", "Plus de pions quand personne")),
    ],
)
def test_a_player_reads_whom_how_long_and_what_for(open_site: Running, language: str, told: tuple[str, ...]) -> None:
    client, stranger = open_site.client(), open_site.client()
    chosen = {"game": "reversi", "against": "house", "level": "1", "side": "first", "clock": "10m"}
    where = client.post("/play", chosen, page="/play/reversi").headers["location"]
    page = unescape(client.get(where, Accept_Language=language).text).replace("\N{NO-BREAK SPACE}", " ")
    for words in told:
        assert words in page
    looked = unescape(stranger.get(where, Accept_Language=language).text).replace("\N{NO-BREAK SPACE}", " ")
    assert told[0] not in looked
    assert f"<dt>{'house' if language == 'en' else 'maison'} 1</dt>" in looked, "a spectator has no opponent"


FORETOLD = re.compile("[A-H][1-8] would turn (one disc|[0-9]+ discs)")


@browsing(**LOOK)
def test_moves_have_their_times_the_lead_is_drawn_and_the_ghost_shows_what_would_turn(page: "Page", open_site: Running) -> None:
    page.goto(open_site.url + "/play/reversi")
    page.locator("[name=level][value='1']").check()
    page.locator("[name=clock][value='10m']").check()
    page.get_by_role("button", name="Play Reversi").click()
    page.wait_for_url("**/games/*")
    done: list[str] = []
    for _ in range(2):
        answer(page, any_target, done)
    question(page, done)
    frame = asking(page)
    assert page.locator("#lines .move .t").count() == 4
    assert page.locator("#lines .move .t").first.inner_text().endswith("\N{NO-BREAK SPACE}s")
    tide = page.locator("#tide")
    assert "Lead in discs" in tide.inner_text()
    assert "lead" in tide.locator("output").inner_text()
    target = frame.locator(".sign-target").first
    target.hover(force=True)
    frame.locator(".sign-ghost .piece").wait_for()
    assert frame.locator(".sign-ghost .turns").count() >= 1
    turn = page.locator(".seat.own .turn")
    turn.filter(has_text=FORETOLD).wait_for()
    picture(page, "beside-reversi")
    page.mouse.move(1, 1)
    frame.locator("svg.board").focus()
    page.keyboard.press("ArrowDown")
    said = frame.get_by_role("status").inner_text()
    assert FORETOLD.fullmatch(said), "who goes there by keys hears it"
    turn.filter(has_text=said).wait_for()  # and sees it under the board
    asked = page.locator(SHOWN).get_attribute("data-query") or ""
    page.keyboard.press("Enter")
    question(page, [asked])
    assert turn.text_content() == "your turn"
    box = tide.locator("svg").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 1, box["y"] + box["height"] / 2)
    page.locator("#scrub").wait_for()
    assert page.locator("#scrub").input_value() == "0", "the tide leads to a move, as the slider does"
    assert tide.locator("output").inner_text() == "nobody leads"


@browsing(**LOOK)
def test_a_game_that_counts_nothing_has_no_tide_and_no_times_without_a_clock(page: "Page", open_site: Running) -> None:
    begin(page, open_site, "tictactoe")
    done: list[str] = []
    answer(page, any_target, done)
    question(page, done)
    assert page.locator("#lines li.move").count() == 2
    assert page.locator("#lines .move .t").count() == 0
    assert page.locator("#tide").is_hidden()


@pytest.mark.campaign
@browsing(**LOOK)
def test_sounds_are_off_until_somebody_wants_them_and_stay_as_they_were_left(page: "Page", open_site: Running) -> None:
    page.add_init_script(LISTENED)
    begin(page, open_site, "tictactoe")
    switch = page.get_by_role("switch", name="Sound")
    assert switch.get_attribute("aria-checked") == "false"
    done: list[str] = []
    answer(page, any_target, done)
    question(page, done)
    asking(page)
    assert page.evaluate("tones") == frame_of(page).evaluate("tones") == []
    switch.click()
    assert switch.get_attribute("aria-checked") == "true"
    page.reload()
    assert switch.get_attribute("aria-checked") == "true"
    switch.click()
    page.reload()
    assert switch.get_attribute("aria-checked") == "false"
    switch.focus()
    page.keyboard.press("Space")
    assert switch.get_attribute("aria-checked") == "true"
    page.evaluate("tones.length = 0")  # what is sounded first only wakes the device
    answer(page, any_target, [])
    question(page, [page.locator(SHOWN).get_attribute("data-query") or ""])
    assert asking(page).evaluate("tones").count(PLACE) >= 1, "pieces are heard"
    assert NOTE in page.evaluate("tones"), "and that it is one's turn"
