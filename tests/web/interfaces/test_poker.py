"""Poker's interface: cards, chips, totals, and the bets by button, slider and keys."""

from random import Random
from typing import TYPE_CHECKING

import pytest

from arbitre.games.game import FIRST, SECOND
from arbitre.games.poker.hands import Card, strength
from arbitre.games.poker.notation import CARDS, NUMBERS
from arbitre.games.screen import Shown
from tests.browser import browsing, picture
from tests.web.interfaces.stage import Stage, complaints

if TYPE_CHECKING:
    from playwright.sync_api import Page

ANSWER = Shown("Poker", "07034SAHK????DQC7STM?20-48", moves=(None, "48"), gains=("-42", "42"), count=6, asks=FIRST)
OPEN = Shown("Poker", "08031????HJH2M2-1", gains=("-42", "42"), count=7, asks=SECOND)


@pytest.mark.parametrize(
    ("shown", "button", "value"),
    [
        (ANSWER, ".press-fold", "0"),
        (ANSWER, ".press-most", "100"),
        (OPEN, ".press-meet", "3"),
    ],
)
@browsing()
def test_buttons(page: "Page", site: Stage, shown: Shown, button: str, value: str) -> None:
    errors = complaints(page)
    frame = site.open(page, shown, names=("Ada", "Zoë"), returns=site.returns)
    frame.locator(button).click()
    assert site.returned_value() == value
    assert frame.locator(".press").count() == 0
    assert errors == []


@browsing()
def test_where_no_page_tells_words_buttons_are_called_by_sign_and_number(page: "Page", site: Stage) -> None:
    frame = site.open(page, ANSWER, returns=site.returns)
    names = frame.locator(".controls :is(button, input)").evaluate_all(
        "all => all.map((one) => one.ariaLabel ?? one.textContent)"
    )
    assert names == ["× 0", "= 48", "48–100", "✓ 49", "⇈ 100"]


@browsing()
def test_the_table(page: "Page", site: Stage) -> None:
    frame = site.open(page, ANSWER, names=("Ada", "Zoë"), legend="…", returns=site.returns)
    assert frame.locator(".held [data-card]").evaluate_all("all => all.map((one) => one.dataset.card)") == [
        "SA",
        "HK",
        "??",
        "??",
    ]
    assert frame.locator(".lying [data-card]").count() == 3
    assert frame.locator(".pile").evaluate_all("all => all.map((one) => one.dataset.amount)") == ["20", "48"]
    assert frame.locator(".stake-1.due").count() == 1
    assert frame.locator(".pip-done").count() == 3
    assert frame.locator(".seat-1 .score").text_content() == "−42"
    assert frame.locator(".seat-2 .score").text_content() == "+42"
    assert frame.locator(".slider").get_attribute("min") == "48"
    picture(page, "poker")
    frame.locator(".slider").fill("77")
    frame.locator(".press-raise").click()
    assert site.returned_value() == "77"
    assert frame.locator(".pile").first.get_attribute("data-amount") == "77"


@pytest.mark.parametrize(
    ("shown", "keys", "value"),
    [
        (ANSWER, ("End", "Home", "ArrowUp", "ArrowUp", "PageUp", "ArrowDown", "Enter"), "59"),
        (ANSWER, ("ArrowUp", "f", "Enter"), "0"),
        (OPEN, ("0", "=", "ArrowDown", "Enter"), "3"),
    ],
)
@browsing()
def test_keys(page: "Page", site: Stage, shown: Shown, keys: tuple[str, ...], value: str) -> None:
    frame = site.open(page, shown, returns=site.returns)
    frame.locator("svg.table").click()
    for key in keys:
        page.keyboard.press(key)
    assert site.returned_value() == value


@browsing()
def test_who_faces_a_hundred_matches_or_folds(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("Poker", "07034SAHK????DQC7STM?20-100", asks=FIRST), returns=site.returns)
    assert frame.locator(".controls button").count() == 2
    frame.locator(".press-meet").click()
    assert site.returned_value() == "100"


FIVES = """async (hands) => {
  const { showdown } = await import("./drawings/ranks.js");
  return hands.map((hand) => showdown([hand.slice(0, 2), hand.slice(2, 4)], hand.slice(4)));
}"""


@browsing()
def test_the_winner_is_the_referees(page: "Page", site: Stage) -> None:
    random = Random(6)
    hands = [random.sample(range(52), 9) for _ in range(600)]
    # Few suits and few values make the rare hands common.
    hands += [random.sample([card for card in range(52) if card % 13 > 6 or card < 13], 9) for _ in range(600)]
    hands += [random.sample([0, 1, 2, 3, 12, 13, 14, 25, 26, 38, 51], 9) for _ in range(200)]
    page.goto(f"{site.root}/poker.html?Method=None")
    for hand, told in zip(hands, page.evaluate(FIVES, [[CARDS[card] for card in hand] for hand in hands]), strict=True):
        cards = [Card(card) for card in hand]
        one, two = (strength(tuple(own + cards[4:])) for own in (cards[:2], cards[2:4]))
        assert told.get("winner") == (None if one == two else int(two > one)), hand
        for five, due in zip(told["fives"], (one, two), strict=True):
            assert strength(tuple(NUMBERS[card] for card in five)) == due, "five cards are as good as the seven"


@pytest.mark.parametrize(
    ("tray", "winner", "cards"),
    [
        ("07039SAD2D8C9H2C3S4H5CKM68-68", 1, {"SA", "D2", "C3", "S4", "H5"}),
        ("07034????????DQC7STM0-48", 2, set()),
    ],
)
@browsing()
def test_the_winner_and_his_five_cards_are_marked(
    page: "Page", site: Stage, tray: str, winner: int | None, cards: set[str]
) -> None:
    frame = site.open(page, Shown("Poker", tray))
    shown = frame.locator(".winning [data-card]").evaluate_all("all => all.map((one) => one.dataset.card)")
    assert set(shown) == cards
    for seat in (1, 2):
        assert frame.locator(f".stake-{seat}.won").count() == (seat == winner)


@browsing(color_scheme="dark")
def test_a_showdown_after_the_wait(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    shown = Shown("Poker", "07039SASTD8C9DQCTSJH9D2M68-68", "End", ("68", None), ("-42", "42"), 7)
    frame = site.open(page, shown, names=("Ada", "Zoë"), wait=3)
    assert frame.locator(".winning").count() == 5
    picture(page, "poker-showdown-dark")
    assert errors == []


@pytest.mark.campaign
@browsing()
def test_the_bench_composes_and_plays(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    frame = site.open(page, Shown("Poker", "01001????????M1-2"), web_test=True)
    for code in "HK":
        frame.locator(f"button[aria-label='= {code}']").click()
        frame.locator(".held").first.click()
    frame.locator("button[aria-label='1 ▶']").click()
    frame.locator(".press-meet").click()
    assert frame.locator("input[aria-label=Tray]").input_value() == "01002HK??????M3-?2"
    assert frame.locator("input[aria-label=Value]").input_value() == "3"
    picture(page, "poker-bench")
    assert errors == []
