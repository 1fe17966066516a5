"""The arcade in a real browser: whole matches by keys and by touch, a house that cheats, two people, and what remains."""

import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from gmpy2 import mpz

from arbitre.arcade import server as service
from arbitre.arcade.bout import Bout, Ending
from arbitre.arcade.ledger import Ledger
from arbitre.arcade.side import Side
from arbitre.arcade.story import difference, reread
from arbitre.arcade.terms import DUEL, LEVELS, Terms
from arbitre.arcade.wire import Sign
from arbitre.records.record import read_record
from arbitre.referee.verify import Proof, verify
from arbitre.web.pages import arcade as pages
from tests.browser import browsing, picture, visitor
from tests.web.site import Running
from tests.web.test_arcade import KEY, Browser, until

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}

HASTE = """
() => new Promise((done) => {
  let count = 0;
  const hit = () => {
    if (!document.getElementById("proof").hidden) return done();
    count += 1;
    const key = "123"[(count * 7 + (count >> 2)) % 3];
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    return setTimeout(hit, 3);
  };
  hit();
})
"""
"""Somebody who hammers on the keys until the match is over."""


@pytest.fixture
def ledgers(open_site: Running) -> Iterator[list[Ledger]]:
    found: list[Ledger] = []
    arcade = open_site.site.state.house.arcade
    arcade.closed = found.append
    yield found
    arcade.closed = None


def shorten(terms: Terms, goal: int) -> Terms:
    return Terms(terms.level, terms.encoding, terms.checks, terms.groups, goal, terms.rounds)


def watched(page: "Page") -> list[str]:
    """Return what the browser complains about, as it does; a busy machine may take its time."""
    page.set_default_timeout(40_000)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return complaints


def start(page: "Page", site: Running, path: str, name: str = "Ada") -> None:
    page.goto(site.url + path)
    page.locator("#nickname").fill(name)
    page.locator("#begin:enabled").wait_for()
    page.keyboard.press("Enter")


def ready(page: "Page") -> None:
    page.locator("[data-sign]:enabled").first.wait_for()


def own_record(page: "Page") -> bytes:
    """Return the record that the page has kept itself."""
    with page.expect_download() as download:
        page.locator("#own").click()
    return download.value.path().read_bytes()


@pytest.mark.parametrize(
    ("level", "goal"),
    [
        *((level, 5) if level == "Nightmare" else pytest.param(level, 5, marks=pytest.mark.campaign) for level in LEVELS),
        pytest.param("Nightmare", 32, marks=pytest.mark.campaign),
    ],
)
@browsing(viewport=DESK, locale="en-GB", reduced_motion="reduce", color_scheme="light")
def test_a_whole_match_at_every_level(
    page: "Page", open_site: Running, ledgers: list[Ledger], monkeypatch: pytest.MonkeyPatch, level: str, goal: int
) -> None:
    """The record proves it, and holds what the page has said and heard."""
    monkeypatch.setitem(LEVELS, level, shorten(LEVELS[level], goal))
    complaints = watched(page)
    start(page, open_site, f"/arcade/play/{level.lower()}")
    page.locator(".playing").wait_for()
    page.evaluate(HASTE)
    page.locator("#kept:not([hidden])").wait_for()
    assert "verified" in page.locator("#standing").inner_text().lower()
    assert page.locator("#same").inner_text().endswith("exactly the lines that this page has said and heard")
    assert page.locator("#badge.good").count() == 1
    picture(page, f"arcade-over-{level.lower()}")
    ledger = ledgers[0]
    finish = ledger.bout.finish
    assert finish is not None
    assert finish.ending is Ending.GOAL
    assert max(finish.scores) == goal
    shown = [page.locator(f'[data-score="{seat}"] b').inner_text().replace("−", "-") for seat in (0, 1)]
    assert shown == [str(score) for score in finish.scores]
    with page.expect_download() as download:
        page.locator("#download").click()
    octets = download.value.path().read_bytes()
    found = verify(octets, given=open_site.site.state.house.key.fingerprint)
    assert found.standing is Proof.VERIFIED
    assert reread(read_record(octets)).fingerprint == page.locator("#keys code").inner_text()
    own = own_record(page)
    assert verify(own).standing is Proof.INTACT
    assert difference(reread(read_record(octets)), reread(read_record(own))) is None
    assert complaints == []


@browsing(viewport=DESK, locale="en-GB", color_scheme="dark")
def test_one_round_of_each_kind_by_the_keys(page: "Page", open_site: Running) -> None:
    """Committed, answered, shown, opened, checked; a false accusation costs three."""
    complaints = watched(page)
    start(page, open_site, "/arcade/play/difficile")
    ready(page)
    assert "You commit first" in page.locator("#prompt").inner_text()
    page.keyboard.press("r")
    page.get_by_text("machine has committed").wait_for()
    assert page.locator(".side .envelope").count() == 1
    assert page.locator("#lane li").count() == 1
    picture(page, "arcade-committed")
    page.keyboard.press("ArrowUp")
    page.get_by_text("The opening is true").wait_for()
    verbs = page.locator("#lane .verb").all_inner_texts()
    assert verbs == ["COMMIT", "MOVE", "MOVE", "OPEN", "check"]
    assert page.locator("#lane .good .text").inner_text().count("✓") == 3
    page.keyboard.press("j")
    page.locator("#lines").get_by_text("Ada accuses wrongly").wait_for()
    page.locator('[data-score="0"] b', has_text=re.compile("−[2-4]")).wait_for()  # the score comes after the line
    picture(page, "arcade-accused")
    assert complaints == []


@browsing(viewport=PHONE, locale="fr-FR", color_scheme="dark", has_touch=True)
def test_by_touch_on_a_phone_in_french(page: "Page", open_site: Running) -> None:
    complaints = watched(page)
    page.goto(open_site.url + "/arcade")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, "arcade-phone")
    page.get_by_role("link", name="Nightmare").tap()
    page.locator("#begin").tap()
    ready(page)
    page.locator('[data-sign="CISEAUX"]').tap()
    page.get_by_text("s’est engagé").wait_for()
    page.locator('[data-sign="PIERRE"]').tap()
    page.locator("#lines").get_by_text("manche 1").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, "arcade-phone-duel")
    assert complaints == []


# ── cheats ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Turncoat(Side):
    """A machine that shows what beats the answer, whatever it has committed."""

    def shown(self, bout: Bout) -> Sign:
        assert bout.answer is not None
        return Sign(bout.answer % 3 + 1)


class Muddler(Side):
    """A machine that opens with an exponent beside the right one."""

    def exponent(self, bout: Bout) -> mpz:
        return super().exponent(bout) + 1


TILL_FALSE = """
() => new Promise((done) => {
  const hit = () => {
    if (document.querySelector("#referee.main:enabled") || !document.getElementById("proof").hidden) return done();
    const key = "123"[Math.floor(Math.random() * 3)];
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    return setTimeout(hit, 10);
  };
  hit();
})
"""


@pytest.mark.parametrize("cheat", [Turncoat, pytest.param(Muddler, marks=pytest.mark.campaign)])
@browsing(viewport=DESK, locale="en-GB", reduced_motion="reduce")
def test_a_false_opening_is_caught_and_punished(
    page: "Page", open_site: Running, monkeypatch: pytest.MonkeyPatch, cheat: type[Side]
) -> None:
    monkeypatch.setattr(service, "Side", cheat)
    complaints = watched(page)
    start(page, open_site, "/arcade/play/difficile")
    page.locator(".playing").wait_for()
    page.evaluate(TILL_FALSE)
    points = [page.locator(f'[data-score="{seat}"] b') for seat in (0, 1)]
    before = [int(one.inner_text().replace("−", "-")) for one in points]
    assert "The opening is false" in page.locator("#prompt").inner_text()
    assert page.locator("#lane .bad .text").inner_text().count("✗") >= 1
    assert page.locator("[data-sign]:enabled").count() == 0
    assert page.locator("#pass").is_visible()
    picture(page, f"arcade-false-{cheat.__name__.lower()}")
    page.locator("#referee").click()
    page.locator("#lines").get_by_text("machine cheated").wait_for()
    after = [int(one.inner_text().replace("−", "-")) for one in points]
    assert after[0] == before[0] + 1
    assert after[1] == before[1] - 3
    assert complaints == []


@browsing(viewport=DESK, locale="en-GB", reduced_motion="reduce")
def test_a_house_with_other_rules_is_left(page: "Page", open_site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for Difficile does not play with the course's encoding, whatever the house announces."""
    facile = LEVELS["Facile"]
    terms = Terms("Difficile", facile.encoding, facile.checks)
    page.goto(open_site.url + "/arcade/play/difficile")
    monkeypatch.setitem(LEVELS, "Difficile", terms)
    page.locator("#begin:enabled").wait_for()
    page.keyboard.press("Enter")
    page.locator("#lines").get_by_text("other rules than this page asked for").wait_for()


# ── two people ─────────────────────────────────────────────────────────────────────────────────────────────────────


@browsing(viewport=DESK, locale="en-GB", reduced_motion="reduce")
def test_two_people_meet_under_a_code(
    page: "Page", open_site: Running, ledgers: list[Ledger], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (service, pages):
        monkeypatch.setattr(module, "DUEL", shorten(DUEL, 3))
    browser = page.context.browser
    assert browser is not None
    with visitor(browser, viewport=PHONE, locale="fr-FR", reduced_motion="reduce", color_scheme="dark") as second:
        complaints = watched(page) + watched(second)
        start(page, open_site, "/arcade/table/new")
        page.locator("#lobby:not([hidden])").wait_for()
        code = page.locator("#lobby-code").inner_text()
        assert page.url.endswith(f"/arcade/table/{code}")
        picture(page, "arcade-lobby")
        second.goto(open_site.url + "/arcade")
        second.locator("#code").fill(code)
        second.get_by_role("button", name="Rejoindre").click()
        second.locator("#nickname").fill("Bob")
        second.locator("#begin").click()
        both = (page, second)
        for one in both:
            one.locator("#keys:not([hidden])").wait_for()
        assert page.locator("#keys code").inner_text() == second.locator("#keys code").inner_text()
        assert page.locator('[data-score="1"] .name').inner_text() == "Bob"
        assert second.locator('[data-score="0"] .name').inner_text() == "Bob"
        end = time.monotonic() + 40
        while page.locator("#proof").is_hidden() and time.monotonic() < end:
            for one, key in zip(both, "12", strict=True):
                one.keyboard.press(key)
            page.wait_for_timeout(30)
        for one in both:
            one.locator("#kept:not([hidden])").wait_for()
        assert "exactly the lines" in page.locator("#same").inner_text()
        assert "exactement les lignes" in second.locator("#same").inner_text()
        assert page.locator("#result").inner_text().startswith("Bob wins")
        assert second.locator("#result").inner_text().startswith("Vous gagnez")
        picture(second, "arcade-duel-over")
        mine, theirs = (reread(read_record(own_record(one))) for one in both)
        assert (mine.call.keeper, theirs.call.keeper) == ("joueur", "adversaire")
        assert difference(mine, theirs) is None
        finish = ledgers[0].bout.finish
        assert finish is not None
        assert (finish.winner, finish.ending) == (1, Ending.GOAL)
        assert complaints == []


@browsing(viewport=DESK, locale="en-GB", reduced_motion="reduce")
def test_the_other_player_leaves(page: "Page", open_site: Running, ledgers: list[Ledger]) -> None:
    """Whoever stays wins, and keeps a record that says so."""
    complaints = watched(page)
    start(page, open_site, "/arcade/table/LEAVING")
    page.locator("#lobby:not([hidden])").wait_for()
    other = Browser(open_site.client(), "# name Bob", "# table LEAVING")
    other.listen()
    other.hear("PKEY")
    other.say(f"PKEY {KEY.h.digits(16)}")
    ready(page)
    page.keyboard.press("s")
    other.hear("COMMIT")
    other.post(f"{other.path}/leave")
    other.cut()
    page.locator("#own:not([hidden])").wait_for()
    assert page.locator("#result").inner_text() == "You win · 0 – 0"
    page.locator("#lines").get_by_text("Bob is gone and forfeits").wait_for()
    own = own_record(page)
    assert verify(own).standing is Proof.INTACT
    assert reread(read_record(own)).bout.finish is not None
    until(lambda: ledgers)
    assert complaints == []


# ── leaving ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("how", ["reload", pytest.param("away", marks=pytest.mark.campaign)])
@browsing(viewport=DESK, locale="en-GB")
def test_who_goes_elsewhere_forfeits(page: "Page", open_site: Running, ledgers: list[Ledger], how: str) -> None:
    start(page, open_site, "/arcade/play/normal")
    ready(page)
    page.keyboard.press("1")
    page.get_by_text("has committed: choose").wait_for()
    if how == "reload":
        page.reload()
    else:
        page.on("dialog", lambda dialog: dialog.accept())
        page.locator("#quit").click()
        page.wait_for_url("**/arcade")
    until(lambda: ledgers)
    finish = ledgers[0].bout.finish
    assert finish is not None
    assert (finish.winner, finish.ending) == (1, Ending.GONE)
    record = open_site.site.state.house.store.record(ledgers[0].call.match)
    assert verify(record.text().encode()).standing is Proof.INTACT


@browsing(viewport=DESK, locale="en-GB")
def test_sounds_are_switched_off_and_stay_off(page: "Page", open_site: Running) -> None:
    page.goto(open_site.url + "/arcade/play/facile")
    page.get_by_role("button", name="Sounds off").click()
    page.reload()
    assert page.get_by_role("button", name="Sounds off").get_attribute("aria-pressed") == "true"


@browsing(viewport=DESK, locale="en-GB")
def test_the_keyboard_chooses_a_level(page: "Page", open_site: Running) -> None:
    page.goto(open_site.url + "/arcade")
    picture(page, "arcade-desk")
    page.keyboard.press("4")
    page.wait_for_url("**/arcade/play/nightmare")
