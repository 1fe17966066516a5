"""A site that lies to the page of somebody who plays is found out by the page, by hashing alone, in words, with the evidence.

The page is the honest one: what a site could do that delivers a lying page is said in the manual.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from json import loads
from typing import TYPE_CHECKING, Any

import pytest

from arbitre.crypto.chain import START, commitment, fold, leaf
from arbitre.crypto.statements import Statement, Subject, opening_hash
from arbitre.records.event import Event, Kind, canonical, read_event
from arbitre.referee import runner
from arbitre.referee.player import Agreement, Decline, SignedOpening
from arbitre.referee.terms import read_opening
from arbitre.site.arena import seats
from arbitre.site.arena.seats import PersonPlayer
from tests.browser import browsing, chromium
from tests.web.people import DESK, fill_in
from tests.web.site import Running, quiet, running

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["chromium"]

LOOK: dict[str, Any] = {"viewport": DESK, "reduced_motion": "reduce", "locale": "en-GB"}
AGREE, SIGN = PersonPlayer.agree, PersonPlayer.sign
QUESTIONS = """Object.keys(localStorage).filter((key) => key.startsWith("arbitre-journal/"))
  .flatMap((key) => JSON.parse(localStorage.getItem(key)).lines).filter((line) => JSON.parse(line).kind === "asked").length"""


@pytest.fixture(scope="module")
def crooked_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return a site, honest until a test changes it."""
    with running(quiet(tmp_path_factory.mktemp("crooked"))) as found:
        yield found


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give pages on a busy machine more time to come, and to sign."""
    monkeypatch.setattr(seats, "GREET_SECONDS", 60.0)
    monkeypatch.setattr(runner, "END_SECONDS", 10.0)


def blamed(page: "Page", why: str) -> str:
    """Wait until the page says in red what is wrong."""
    box = page.locator(f"#witness.bad[data-state={why}]")
    box.wait_for()
    assert box.locator("a[download$='.jsonl']").count() == 1, "the evidence"
    return box.inner_text()


def asked(page: "Page") -> None:
    """Wait until the journal of the page has a question: the board is shown a moment before it is open."""
    for _ in range(1200):
        if page.evaluate(QUESTIONS):
            return
        page.wait_for_timeout(25)
    raise AssertionError(f"{page.url} was asked nothing")


def played(page: "Page", site: Running) -> str:
    """Play a move of TicTacToe in writing, and give up."""
    page.on("dialog", lambda dialog: dialog.accept())
    name = fill_in(page, site, "tictactoe", two="house:1")
    page.locator("#witness[data-state=keeps]").wait_for()
    asked(page)
    page.locator("#typed").fill("5")
    page.locator("#say button").click()
    page.locator("#lines li.seat0").first.wait_for()
    page.locator(".seat[data-seat='0'].moves").wait_for()
    page.locator("form[action$='/resign'] button").click()
    return name


def seat_word(site: Running, name: str) -> tuple[str, str]:
    """Return what the seal of a game says of the first seat."""
    seal = loads(site.client().get(f"/games/{name}/record").text.splitlines()[-1])
    return seal["seats"][0]["state"], seal["seats"][0]["code"]


# ── the opening ──


@browsing(**LOOK)
def test_a_seed_that_is_chosen_after_the_promise_is_declined(
    page: "Page", crooked_site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Grinding: the nonce is not opened for an opening with another commitment, though the referee signs it."""
    key, opened = crooked_site.site.state.house.key, []

    async def another(self: PersonPlayer, shown: SignedOpening) -> Agreement | Decline:
        opening = replace(read_opening(read_event(shown.line).text), commitment=commitment(b"\x07" * 32))
        line = Event(Kind.OPENED, 0, -1, 0, opening.text()).line()
        subject = Subject(opening_hash(line.encode()), 1, fold(START, leaf(shown.salt, line.encode())))
        said = await AGREE(self, SignedOpening(line, shown.salt, subject.sign(key, Statement.CALLED)))
        opened.append(said)
        return said

    monkeypatch.setattr(PersonPlayer, "agree", another)
    fill_in(page, crooked_site, "poker")
    assert "chosen after your page’s promise" in blamed(page, "another-match")
    assert opened == [Decline("opening")], "no nonce"


# ── the record ──

Lie = Callable[[list[str]], list[str]]


def reworded(kind: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Lie:
    """Change the first event of a kind that is the first seat's or the table's."""

    def lie(lines: list[str]) -> list[str]:
        at = next(number for number, line in enumerate(lines) if loads(line)["kind"] == kind and loads(line)["seat"] in (-1, 0))
        return [*lines[:at], canonical(change(loads(lines[at]))), *lines[at + 1 :]]

    return lie


def won(event: dict[str, Any]) -> dict[str, Any]:
    """Let the others have won."""
    return event | {"text": canonical(loads(event["text"]) | {"scores": ["1", "0"]})}


LIES: dict[str, tuple[Lie, str, str]] = {
    "another answer": (reworded("said", lambda event: event | {"text": "1"}), "never-said", "answer"),
    "another verdict": (reworded("ended", won), "another-end", "end"),
    "another seed": (reworded("revealed", lambda event: event | {"text": "11" * 32}), "another-seed", "chain"),
    "another opening": (
        reworded("opened", lambda event: event | {"text": event["text"].replace('"notes":{', '"notes":{"a":"b",')}),
        "another-opening",
        "opening",
    ),
}


@pytest.mark.parametrize(
    "lie",
    [one if one == "another answer" else pytest.param(one, marks=pytest.mark.campaign) for one in LIES],
)
def test_another_record_is_not_signed(chromium: Any, crooked_site: Running, monkeypatch: pytest.MonkeyPatch, lie: str) -> None:
    change, why, code = LIES[lie]
    words: list[object] = []

    async def another(self: PersonPlayer, lines: Sequence[str]) -> object:
        words.append(await SIGN(self, change(list(lines))))
        return words[-1]

    monkeypatch.setattr(PersonPlayer, "sign", another)

    def story(page: "Page") -> None:
        played(page, crooked_site)
        blamed(page, why)

    chromium.visit(story, **LOOK)
    assert isinstance(words[0], Decline)
    assert words[0].code == code


# ── while it is played ──


@pytest.mark.campaign
@browsing(**LOOK)
def test_another_head_is_found_in_the_end(page: "Page", crooked_site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever told a head that is not of this chain could change everything before it."""
    put = PersonPlayer._put
    monkeypatch.setattr(PersonPlayer, "_put", lambda self, position: put(self, position._replace(head="00" * 32)))
    name = played(page, crooked_site)
    blamed(page, "another-head")
    page.wait_for_selector("#game[data-over=yes]")
    blamed(page, "another-head")
    assert page.locator("#witness a").count() == 2, "journal and record"
    assert seat_word(crooked_site, name) == ("declined", "head")


@browsing(**LOOK | {"locale": "fr-FR"})
def test_an_answer_that_is_taken_down_otherwise_is_noticed_at_once(
    page: "Page", crooked_site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = PersonPlayer.answer
    monkeypatch.setattr(
        PersonPlayer, "answer", lambda self, ticket, text, note="": taken(self, ticket, "9" if text == "5" else text, note)
    )
    fill_in(page, crooked_site, "tictactoe")
    page.locator("#witness[data-state=keeps]").wait_for()
    asked(page)
    page.locator("#typed").fill("5")
    page.locator("#say button").click()
    assert "Une autre réponse" in blamed(page, "other-answer")
