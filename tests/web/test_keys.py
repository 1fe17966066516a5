"""Every game by keys alone, told by the accessibility tree alone: what a screen reader reads is all that the player here knows.

The pixels are never looked at: what may be done is read from roles and names, what has the focus from the focus, what happened
from the status of the page. Only when the next question has come is asked otherwise (`tests.web.people.question`).
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser import browsing
from tests.house import HOUSE
from tests.web.people import asking, begin, ended, question
from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

LOOK = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
LANGUAGES = {"en": "en-GB", "fr": "fr-FR"}
SIGNS = re.compile("[●○■×⛀⛁⛂⛃♔♕♖♗♘♙♚♛♜♝♞♟⌫]|\\?\\?")
"""What stands for words where nobody has told any."""
WAYS = ("ArrowUp", "ArrowLeft", "ArrowRight", "ArrowDown")
MOST = 60

FOCUSED = """() => { let one = document.activeElement;
  const cell = one?.getAttribute("aria-activedescendant");
  if (cell) one = document.getElementById(cell);
  return one?.getAttribute("aria-label") || one?.textContent.trim() || ""; }"""
"""The name of what has the focus, in a frame or on the page."""

Move = Callable[["Page", "Frame", int], None]


def tab_to(page: "Page", where: "Page | Frame", name: str, key: str = "Tab") -> None:
    """Press Tab until something of this name has the focus."""
    for _ in range(MOST):
        if re.search(name, where.evaluate(FOCUSED)):
            return
        page.keyboard.press(key)
    raise AssertionError(f"Tab does not lead to {name}")


def cell(page: "Page", frame: "Frame", _: int) -> None:
    """Go to a cell that may be chosen, and choose it."""
    assert frame.get_by_role("gridcell", name=re.compile(", possible$")).count(), "somebody who cannot see is told where to play"
    page.keyboard.press("ArrowDown")
    assert frame.evaluate(FOCUSED).endswith(", possible")
    page.keyboard.press("Enter")


def path(page: "Page", frame: "Frame", _: int) -> None:
    """Take up a piece, and put it down on an empty square."""
    page.keyboard.press("ArrowUp")
    taken = frame.evaluate(FOCUSED)
    assert re.fullmatch(r"\w\w? .+, possible", taken), taken
    page.keyboard.press("Enter")
    frame.get_by_role("status").filter(has_text=taken.split()[0]).wait_for(state="attached")
    for key in WAYS * 4:
        page.keyboard.press(key)
        if re.fullmatch(r"\w\w?, possible", frame.evaluate(FOCUSED)):
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"{taken} goes nowhere")


def fleet(page: "Page", frame: "Frame", turn: int) -> None:
    """Place the fleet, one ship by hand, and shoot."""
    if turn:
        cell(page, frame, turn)
        return
    tab_to(page, frame, "of 5|de 5")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    frame.get_by_role("status").filter(has_text=re.compile("A1 (to|à) E1")).wait_for(state="attached")
    assert frame.get_by_role("button", name=re.compile("A1 (to|à) E1")).count() == 1
    tab_to(page, frame, "at random|au hasard")
    page.keyboard.press("Enter")
    tab_to(page, frame, "Ready|Prêt")
    page.keyboard.press("Enter")


def code(page: "Page", frame: "Frame", turn: int) -> None:
    """Hide a code, then guess: by a button, and by the keys of the colours; the lines before are read."""
    if not turn:
        tab_to(page, frame, "at random|au hasard")
        page.keyboard.press("Enter")
        tab_to(page, frame, "Ready|Prêt")
        page.keyboard.press("Enter")
        return
    lines = frame.get_by_role("img", name=re.compile("well placed|bien placés"))
    assert lines.count() >= turn - 1
    tab_to(page, frame, "^(blue|bleu)$")
    page.keyboard.press("Enter")
    frame.get_by_role("status").filter(has_text=re.compile("1\\s?: (blue|bleu)")).wait_for(state="attached")
    for key in ("3", str(turn % 8 + 1), "5"):
        page.keyboard.press(key)
    tab_to(page, frame, "say this code|dire ce code")
    page.keyboard.press("Enter")


def bet(page: "Page", frame: "Frame", _: int) -> None:
    """Read the table, and call."""
    said = frame.get_by_role("img").first.get_attribute("aria-label") or ""
    assert re.search("of (spades|clubs|hearts|diamonds)|de (pique|trèfle|cœur|carreau)", said), said
    tab_to(page, frame, "^(Call|Bet|Suivre|Miser)")
    page.keyboard.press("Enter")


def sign(page: "Page", frame: "Frame", turn: int) -> None:
    """Show a hand."""
    tab_to(page, frame, ("^(rock|pierre)", "^(paper|feuille)", "^(scissors|ciseaux)")[turn % 3], "ArrowRight")
    page.keyboard.press("Enter")


MOVES: dict[str, Move] = {
    "tictactoe": cell, "bigtictactoe": cell, "pente": cell, "reversi": cell, "draughts": path, "kriegspiel": path,
    "seafight": fleet, "mastermind": code, "poker": bet, "rochambeau": sign,
}  # fmt: skip


def test_every_game_is_here() -> None:
    assert set(MOVES) == set(HOUSE)


def play(page: "Page", site: Running, game: str, most: int) -> None:
    """Play a game to its end, or give it up after some moves."""
    begin(page, site, game)
    done: list[str] = []
    while len(done) < most and (asked := question(page, done)):
        frame = asking(page)
        tree = frame.locator("body").aria_snapshot()
        assert not SIGNS.search(tree), f"{game}: {SIGNS.findall(tree)}"
        MOVES[game](page, frame, len(done))
        done.append(asked)
    if question(page, done):
        told = page.locator("#heard").inner_text()
        assert told.endswith(("Your turn", "À vous de jouer", "À vous")), told
        page.once("dialog", lambda one: one.accept())
        tab_to(page, page, "Give up|Abandonner", "Shift+Tab")
        page.keyboard.press("Enter")
    ended(page)
    banner = page.get_by_role("dialog")
    page.locator("#ending:focus").wait_for()  # the reader hears how it ended
    assert banner.get_by_role("heading").count() == 1
    tab_to(page, page, "^(Once more|Encore une)")
    story = page.get_by_role("list", name=re.compile("What happened|Ce qui")).get_by_role("listitem")
    story.nth(1).wait_for()  # which is told by a stream of its own


HERE = {"seafight": "en", "draughts": "fr", "rochambeau": "fr", "reversi": "en"}
"""One game of each way to move that is played here by keys every time; a campaign plays all of them, in both languages."""


@pytest.mark.parametrize(("game", "language"), HERE.items())
def test_some_moves_by_keys_alone(chromium: object, open_site: Running, game: str, language: str) -> None:
    most = 2 if game == "seafight" else 1
    browsing(**LOOK, locale=LANGUAGES[language])(play)(chromium=chromium, site=open_site, game=game, most=most)


@pytest.mark.campaign
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", HOUSE)
def test_a_whole_game_by_keys_alone(chromium: object, open_site: Running, game: str, language: str) -> None:
    """Short games to their end; of long ones ten moves."""
    most = 30 if game in ("tictactoe", "mastermind", "rochambeau") else 10
    browsing(**LOOK, locale=LANGUAGES[language])(play)(chromium=chromium, site=open_site, game=game, most=most)
