"""People sign: the page of a game brings a key and a nonce, keeps a journal, and checks the record before it signs."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import arbitre.web
from arbitre.crypto.statements import SeatState
from arbitre.records.event import Kind
from arbitre.records.evidence import check_record, event_lines, read_journal
from arbitre.records.record import Record, read_record
from arbitre.referee import runner
from arbitre.referee.terms import Opening
from arbitre.referee.verify import Finding, Proof, verify
from arbitre.site.arena import seats
from arbitre.web.visit import SIGNS_COOKIE
from tests.browser import browsing, picture
from tests.web.people import (
    DESK,
    PHONE,
    answer,
    code,
    ended,
    fill_in,
    first_free,
    invited,
    near_the_end,
    path,
    play_out,
    poker,
    question,
    rochambeau,
    somebody_else,
    take_turns,
)
from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

LOOK: dict[str, Any] = {"viewport": DESK, "reduced_motion": "reduce", "locale": "en-GB", "color_scheme": "light"}
KEPT = "Object.keys(localStorage).filter((key) => key.startsWith('arbitre-journal/'))"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give pages on a busy machine more time to come, and to sign."""
    monkeypatch.setattr(seats, "GREET_SECONDS", 60.0)
    monkeypatch.setattr(runner, "END_SECONDS", 10.0)


def witness(page: "Page", state: str) -> str:
    """Wait until the page says this as a witness, and return its words."""
    box = page.locator(f"#witness[data-state={state}]")
    box.wait_for()
    return box.inner_text()


def record_of(site: Running, name: str) -> tuple[Record, bytes, Finding]:
    """Return the record of a game that is over, and what it is worth."""
    data = site.client().get(f"/games/{name}/record").body
    found = verify(data, given=site.site.state.house.key.fingerprint)
    return read_record(data), data, found


def states(record: Record) -> list[SeatState]:
    """Return what each seat says of a record."""
    assert record.seal is not None
    return [word.state for word in record.seal.seats]


def downloaded(page: "Page", folder: Path, text: str = "The journal") -> Path:
    """Take away what a link of the witness offers."""
    with page.expect_download() as found:
        page.locator("#witness a", has_text=text).click()
    target = folder / found.value.suggested_filename
    found.value.save_as(target)
    return target


@pytest.mark.campaign
@browsing(**LOOK)
def test_a_person_signs_a_game_against_the_house(page: "Page", open_site: Running, tmp_path: Path) -> None:
    name = fill_in(page, open_site, "tictactoe")
    assert "keeps a journal" in witness(page, "keeps")
    play_out(page, first_free(*range(9)))
    ended(page)
    assert "signed it for you" in witness(page, "signed")
    record, data, found = record_of(open_site, name)
    assert found.standing is Proof.VERIFIED, found.line
    assert states(record) == [SeatState.SIGNED, SeatState.KEYLESS]
    kinds = [event.kind for event in record.events]
    assert kinds[1] is Kind.AGREED
    journal = read_journal(downloaded(page, tmp_path).read_bytes())
    assert check_record(journal, event_lines(data)).head.hex() == (record.seal and record.seal.head)
    assert page.evaluate(KEPT) == [], "settled, and forgotten"
    picture(page, "witness-signed")


@browsing(**LOOK)
def test_a_nonce_is_mixed_into_the_deal_and_a_reload_loses_nothing(page: "Page", open_site: Running) -> None:
    name = fill_in(page, open_site, "poker", start=near_the_end("poker", 3, 12))
    witness(page, "keeps")
    done: list[str] = []
    assert answer(page, poker, done)
    page.reload()
    witness(page, "keeps")
    play_out(page, poker)
    ended(page)
    witness(page, "signed")
    record, _, found = record_of(open_site, name)
    assert found.standing is Proof.VERIFIED, found.line
    assert isinstance(found.opening, Opening)
    assert list(found.opening.promises or {}) == [0]
    assert states(record)[0] is SeatState.SIGNED


@browsing(**LOOK)
def test_two_people_sign_and_one_gives_up_out_of_turn(page: "Page", open_site: Running, tmp_path: Path) -> None:
    page.on("dialog", lambda dialog: dialog.accept())
    with somebody_else(page) as other:
        name = fill_in(page, open_site, "kriegspiel", two="friend")
        invited(page, other)
        page.wait_for_selector("#game")
        answer(page, path("e2", "d3"), [])  # the umpire refuses it
        page.get_by_text("umpire").first.wait_for()
        take_turns([(page, [path("e2", "e4")])])
        assert question(other, [])
        page.locator("form[action$='/resign'] button").click()
        for one in (page, other):
            ended(one)
            witness(one, "signed")
        record, data, found = record_of(open_site, name)
        assert found.standing is Proof.VERIFIED, found.line
        assert states(record) == [SeatState.SIGNED, SeatState.SIGNED]
        journal = downloaded(page, tmp_path).read_bytes()
        assert b'"kind":"gave-up"' in journal
        check_record(read_journal(journal), event_lines(data))
        check_record(read_journal(downloaded(other, tmp_path).read_bytes()), event_lines(data))


@browsing(**LOOK)
def test_a_page_that_was_closed_at_the_end_signs_when_it_comes_back_in_time(page: "Page", open_site: Running) -> None:
    with somebody_else(page) as other:
        other.on("dialog", lambda dialog: dialog.accept())
        name = fill_in(page, open_site, "tictactoe", two="friend")
        invited(page, other)
        page.wait_for_selector("#game")
        for one in (page, other):
            witness(one, "keeps")
        page.goto("about:blank")
        other.locator("form[action$='/resign'] button").click()
        other.get_by_text("gives up").first.wait_for()
        page.goto(f"{open_site.url}/games/{name}")
        for one in (page, other):
            ended(one)
            witness(one, "signed")
        record, _, found = record_of(open_site, name)
        assert found.standing is Proof.VERIFIED, found.line
        assert states(record) == [SeatState.SIGNED, SeatState.SIGNED]


@pytest.mark.campaign
@browsing(**LOOK)
def test_a_page_that_does_not_come_back_is_silent(page: "Page", open_site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    with somebody_else(page) as other:
        other.on("dialog", lambda dialog: dialog.accept())
        name = fill_in(page, open_site, "tictactoe", two="friend")
        invited(page, other)
        page.wait_for_selector("#game")
        for one in (page, other):
            witness(one, "keeps")
        page.goto("about:blank")
        monkeypatch.setattr(runner, "END_SECONDS", 2.0)
        other.locator("form[action$='/resign'] button").click()
        ended(other)
        page.goto(f"{open_site.url}/games/{name}")
        assert "before the page could sign" in witness(page, "silent")
        record, _, found = record_of(open_site, name)
        assert found.standing is Proof.VERIFIED, found.line
        assert states(record)[0] is SeatState.SILENT


@pytest.mark.campaign
@browsing(**LOOK)
def test_a_journal_that_is_gone_and_another_browser(page: "Page", open_site: Running) -> None:
    """The game goes on; who cannot tell says so in calm words, and does not sign."""
    name = fill_in(page, open_site, "tictactoe")
    witness(page, "keeps")
    page.evaluate("localStorage.clear()")
    page.reload()
    witness(page, "elsewhere")
    play_out(page, first_free(*range(9)))
    ended(page)
    record, _, found = record_of(open_site, name)
    assert found.standing is Proof.VERIFIED, found.line
    assert states(record)[0] is SeatState.SILENT


@pytest.mark.campaign
@browsing(**LOOK)
def test_a_hole_in_the_journal_is_declined_without_blame(page: "Page", open_site: Running) -> None:
    """An answer was given elsewhere: in another window that keeps nothing, say."""
    name = fill_in(page, open_site, "tictactoe")
    witness(page, "keeps")
    assert question(page, [])
    before = page.evaluate(f"localStorage.getItem({KEPT}[0])")
    done: list[str] = []
    for _ in range(2):
        assert answer(page, first_free(*range(9)), done)
    assert question(page, done)
    page.evaluate(f"(before) => localStorage.setItem({KEPT}[0], before)", before)
    page.reload()
    play_out(page, first_free(*range(9)))
    ended(page)
    assert "counts all the same" in witness(page, "no-journal")
    record, _, found = record_of(open_site, name)
    assert found.standing is Proof.VERIFIED, found.line
    assert record.seal is not None
    assert (record.seal.seats[0].state, record.seal.seats[0].code) == (SeatState.DECLINED, "no-journal")


@pytest.mark.campaign
@browsing(**LOOK)
def test_two_windows_of_one_person_are_one_witness(page: "Page", open_site: Running) -> None:
    name = fill_in(page, open_site, "tictactoe")
    witness(page, "keeps")
    second = page.context.new_page()
    second.goto(page.url)
    done: list[str] = []
    assert answer(second, first_free(*range(9)), done)
    while answer(page, first_free(*range(9)), done):  # what was answered in the other window is not answered again
        assert len(done) < 9
    ended(page)
    record, _, found = record_of(open_site, name)
    assert found.standing is Proof.VERIFIED, found.line
    assert record.seal is not None
    assert (record.seal.seats[0].state, record.seal.seats[0].code) == (SeatState.SIGNED, "")
    witness(page, "signed")


@pytest.mark.campaign
@browsing(**LOOK)
def test_a_browser_that_keeps_nothing_signs_while_its_page_stays_open(page: "Page", open_site: Running) -> None:
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });"
    )
    name = fill_in(page, open_site, "rochambeau")
    witness(page, "keeps")
    play_out(page, rochambeau)
    ended(page)
    record, _, found = record_of(open_site, name)
    assert found.standing is Proof.VERIFIED, found.line
    assert states(record)[0] is SeatState.SIGNED


@pytest.mark.campaign
@browsing(**LOOK | {"viewport": PHONE, "locale": "fr-FR"})
def test_on_a_phone_in_french_without_webcrypto(page: "Page", open_site: Running) -> None:
    page.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined });")
    fill_in(page, open_site, "mastermind")
    assert "tient un journal" in witness(page, "keeps")
    assert answer(page, code("ABCD"), [])
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("form[action$='/resign'] button").click()
    ended(page)
    assert "signé pour vous" in witness(page, "signed")
    wide: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    picture(page, "witness-phone-fr")


def test_a_client_without_our_script_plays_without_a_key(open_site: Running) -> None:
    client = open_site.client()
    at = client.post("/play", {"game": "tictactoe", "one": "me", "two": "house:1"}, page="/play?game=tictactoe").headers[
        "location"
    ]
    name = at.rpartition("/")[2]
    client.post(f"/games/{name}/resign")
    while '"over"' not in client.get(f"/games/{name}/state").text:
        pass  # it is about to be sealed
    record, _, found = record_of(open_site, name)
    assert found.standing is Proof.VERIFIED, found.line
    assert states(record) == [SeatState.KEYLESS, SeatState.KEYLESS]
    assert SIGNS_COOKIE not in client.cookies


def test_the_page_has_words_for_everything_that_can_be_wrong() -> None:
    static, found = Path(arbitre.web.__file__).parent / "static", set[str]()
    for name in ("journal.js", "witness.js"):
        text = (static / name).read_text()
        found |= set(re.findall(r'new Dispute\("[a-z-]+", (?:kind === "resigned" \? "never-gave-up" : )?"([a-z-]+)"', text))
        found |= {
            one for row in re.findall(r'why: "([a-z-]+)"|#tell\("([a-z-]+)"\)|said\("([a-z-]+)"\)', text) for one in row if one
        }
    found |= {"signed", "silent", "declined", "keyless", "never-gave-up"}
    words = set(re.findall(r'^  "([a-z-]+)": _\(', (static.parent / "templates" / "witness.html").read_text(), re.MULTILINE))
    assert found == words
