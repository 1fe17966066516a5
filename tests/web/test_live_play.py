"""Live games in real browsers: two people by a link, secrets that stay closed, cut lines, slips, phones and keys."""

import re
from typing import TYPE_CHECKING

import pytest

from arbitre.games.catalogue import game as find_game
from arbitre.records.event import Kind
from tests.browser import browsing, picture
from tests.web.people import (
    DESK,
    PHONE,
    SHOWN,
    Watcher,
    answer,
    any_target,
    asking,
    begin,
    cell,
    code,
    ended,
    fleet,
    frame_of,
    invited,
    near_the_end,
    path,
    play_out,
    poker,
    question,
    somebody_else,
    take_turns,
    tray,
)
from tests.web.site import Running
from tests.web.test_ten_games import looked_at

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

WIDE = {"width": 1366, "height": 768}
LOOK = {"viewport": DESK, "reduced_motion": "reduce", "locale": "en-GB", "color_scheme": "light"}


def lines(page: "Page") -> list[str]:
    """Return the story, line by line."""
    return page.locator("#lines li").all_inner_texts()


def guessing(frame: "Frame") -> None:
    """Put down where one believes a pawn of the other side, then move."""
    pawn = frame.locator(".guesses .tool-button").nth(5)
    pawn.click()
    path("e4")(frame)
    pawn.click()
    path("e7", "e5")(frame)


# ── two people and secrets ──


@browsing(**LOOK)
def test_kriegspiel_between_two_people(page: "Page", open_site: Running) -> None:
    with somebody_else(page, color_scheme="dark") as black, somebody_else(page) as stranger:
        name = begin(page, open_site, "kriegspiel", two="friend")
        invited(page, black)
        page.wait_for_selector("#game")  # who waits is led to the table
        watcher = Watcher(stranger)
        stranger.goto(page.url)
        frame_of(stranger)
        # White tries what the umpire refuses, then both play a fool's mate
        white = [path("e2", "d3"), path("f2", "f3"), path("g2", "g4")]
        done: list[str] = []
        answer(page, white[0], done)
        page.get_by_text("umpire").first.wait_for()
        take_turns([(page, white[1:2]), (black, [guessing]), (page, white[2:3])])
        assert question(black, [])
        asking(black).locator(".sign-guess").wait_for()  # what Black believes stays on the board
        seen = watcher.scenes()
        assert len(seen) >= 4
        assert {tray(scene["query"]) for scene in seen} == {"0" * 64}
        for text in [scene["query"] for scene in seen] + watcher.frames:
            assert not re.search(r"Move[12]=", text), text
        told = " ".join(str(scene["lines"]) for scene in seen)
        assert not re.search(r"[a-h][1-8][a-h][1-8]", told), told
        assert watcher.scenes("0") == watcher.scenes("referee") == [{"status": 403}]
        mine = Watcher(black).scenes()
        assert all(not set(tray(scene["query"])) & set("KQRBNP") for scene in mine), "Black sees no white piece"
        picture(black, "days-kriegspiel-black")
        answer(black, path("d8", "h4"), [])
        for one in (page, black, stranger):
            ended(one)
        assert any("P" in tray(scene["query"]) for scene in watcher.scenes("referee")), "all is open now"
        looked_at(page, open_site, name, "kriegspiel")
        page.get_by_role("tab", name="Views").click()
        page.locator(".views .frame iframe.shown").nth(1).wait_for()


@browsing(**LOOK)
def test_two_people_agree_on_a_draw_and_black_keeps_his_side(page: "Page", open_site: Running) -> None:
    """Guesses stay over a reload; offer and answer are heard by both; the finished board is Black's, with the names beside it."""
    with somebody_else(page) as black:
        begin(page, open_site, "kriegspiel", two="friend")
        invited(page, black)
        page.wait_for_selector("#game")
        take_turns([(page, [path("e2", "e4")]), (black, [guessing])])
        black.reload()
        black.frame_locator(SHOWN).locator(".sign-guess").wait_for()
        assert question(page, [])
        page.locator("#agree button").click()
        for one in (page, black):
            one.locator("#lines li", has_text="White offers a draw").wait_for()
        page.frame_locator(SHOWN).locator(".heard li", has_text="½").wait_for()
        black.locator("#agree button").click()
        black.locator("#says", has_text="not asked for").wait_for()
        take_turns([(page, [path("g1", "f3")])])
        assert question(black, [])
        black.locator("#agree button").click()
        for one in (page, black):
            ended(one)
            one.locator("#lines li", has_text="Black accepts the draw").wait_for()
            one.locator("#lines li", has_text="a draw: the players agreed on a draw").wait_for()
        for one, seat in ((page, "0"), (black, "1")):
            assert one.locator(".stage > .seat").last.get_attribute("data-seat") == seat
            assert ("Side=Two" in (one.locator(SHOWN).get_attribute("data-query") or "")) == (seat == "1"), (
                "his name stands beside his pieces"
            )
        assert black.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('arbitre-kept')).length") == 0
        picture(black, "days-kriegspiel-agreed-black")


@pytest.mark.campaign
@browsing(**LOOK)
def test_codes_stay_closed_until_the_end(page: "Page", open_site: Running) -> None:
    with somebody_else(page) as second, somebody_else(page) as stranger:
        begin(page, open_site, "mastermind", two="friend")
        invited(page, second)
        page.wait_for_selector("#game")
        watcher = Watcher(stranger)
        stranger.goto(page.url)
        take_turns([(page, [code("ABCD")]), (second, [code("FGHE")])])
        assert question(page, [])
        before = watcher.scenes() + Watcher(page).scenes()
        told = str(before) + str(watcher.frames)
        assert "FGHE" not in told
        assert "ABCD" not in str(watcher.scenes()) + str(watcher.frames)
        assert "ABCD" not in str(Watcher(second).scenes())
        answer(page, code("FGHE"), [])
        answer(second, code("AAAA"), [])
        ended(stranger)
        assert "Gain1=ABCD" in str(watcher.scenes("referee"))


@browsing(**LOOK)
def test_cards_stay_closed_until_they_are_shown(page: "Page", open_site: Running) -> None:
    begin(page, open_site, "poker", start=near_the_end("poker", 3, 12))
    hand = re.compile(r"^\d{4}\d(.{4})(.{4})")
    with somebody_else(page) as stranger:
        watcher = Watcher(stranger)
        stranger.goto(page.url)
        frame_of(stranger)
        assert question(page, [])
        theirs = [found for scene in watcher.scenes() if (found := hand.match(tray(scene["query"])))]
        assert theirs
        assert all(found[1] == found[2] == "????" for found in theirs)
        mine = [found for scene in Watcher(page).scenes() if (found := hand.match(tray(scene["query"])))]
        assert all(found[1] != "????" and found[2] == "????" for found in mine)
    frame = asking(page)
    frame.wait_for_selector("html[lang=en]", state="attached")  # the page has told its words
    names = frame.locator(".controls :is(button, input)").evaluate_all(
        "all => all.map((one) => one.ariaLabel ?? one.textContent)"
    )
    meaning = ["Fold", "Call N", "your stake in all, from N to N", "Raise to N", "All in"]
    assert [re.sub(r"\d+", "N", name) for name in names] == meaning, "each is called by what it does"
    answer(page, poker, [])


@pytest.mark.campaign
@browsing(**LOOK)
def test_a_fleet_is_placed_and_given_up(page: "Page", open_site: Running) -> None:
    page.on("dialog", lambda dialog: dialog.accept())
    name = begin(page, open_site, "seafight")
    done: list[str] = []
    answer(page, fleet, done)
    answer(page, any_target, done)
    question(page, done)
    with somebody_else(page) as stranger:
        watcher = Watcher(stranger)
        stranger.goto(page.url)
        frame_of(stranger)
        assert not re.search(r"Gain[12]=", str(watcher.scenes()) + str(watcher.frames)), "a ship was told"
        assert "V5" not in str(watcher.scenes()), "a fleet was told"
        assert "H5" not in str([scene["lines"] for scene in watcher.scenes()])
    picture(page, "days-seafight-live")
    page.get_by_role("button", name="Give up").click()
    looked_at(page, open_site, name, "seafight-given-up")
    page.locator("#lines", has_text="house 1 wins").wait_for()


# ── lines that break, words that are no moves ──


@browsing(**LOOK)
def test_a_line_that_was_cut(page: "Page", open_site: Running) -> None:
    with somebody_else(page) as second:
        begin(page, open_site, "tictactoe", two="friend")
        invited(page, second)
        page.wait_for_selector("#game")
        answer(page, cell(0), [])
        question(second, [])
        page.context.set_offline(True)
        page.get_by_text("The line was cut").wait_for()
        answer(second, cell(4), [])
        page.context.set_offline(False)
        page.locator("#lines li.move").nth(1).wait_for()
        # a move that is lost on its way can be made again
        frame = asking(page)
        page.context.set_offline(True)
        page.get_by_text("The line was cut").wait_for()
        cell(1)(frame)
        page.context.set_offline(False)
        page.get_by_text("The line was cut").wait_for(state="hidden")
        cell(1)(asking(page))
        take_turns([(second, [cell(8)]), (page, [cell(2)])])
        ended(page)
        page.locator("#lines li.move").nth(4).wait_for()
        assert [line.split()[:3] for line in lines(page)][:5] == [
            ["1.", "You", "1"], ["2.", "guest", "B"], ["3.", "You", "2"], ["4.", "guest", "B"], ["5.", "You", "3"]
        ]  # fmt: skip


@browsing(**LOOK)
def test_what_is_no_move_changes_nothing(page: "Page", open_site: Running) -> None:
    name = begin(page, open_site, "tictactoe")
    done: list[str] = []
    answer(page, cell(4), done)
    question(page, done)
    live = open_site.site.state.house.arena.live(name)
    moments = len(live.moments)
    for text in ("5", "nonsense", "5"):
        page.locator("#typed").fill(text)
        page.get_by_role("button", name="Say it").click()
        says = page.locator("#says.bad")
        says.wait_for()
        assert "not a move" in says.inner_text().lower()
    assert len(live.moments) == moments
    # the frame that was shown asks anew, and a typed move counts like a click
    asking(page)
    free = next(number for number in "1234" if number not in " ".join(lines(page)))
    page.locator("#typed").fill(free)
    page.keyboard.press("Enter")
    page.locator("#lines li.move").nth(2).wait_for()
    page.locator("#says.bad").wait_for(state="hidden")


@browsing(**LOOK)
def test_nobody_moves_for_another(page: "Page", open_site: Running) -> None:
    with somebody_else(page) as second, somebody_else(page) as stranger:
        name = begin(page, open_site, "tictactoe", two="friend")
        page.locator("form[action$='/invite'] button").click()
        link = page.locator("#link").inner_text()
        page.goto(link)
        page.locator("form[action^='/invite/'] button").click()
        page.get_by_text("you sit at this table already").wait_for()
        second.goto(link)
        second.locator("form[action^='/invite/'] button").click()
        second.wait_for_url("**/games/*")
        stranger.goto(link)
        assert stranger.locator("form[action^='/invite/']").count() == 0, "the link was used"
        stranger.goto(f"{open_site.url}/games/{name}")
        frame_of(stranger)
        assert stranger.locator("#say").count() == 0
        said = """([name, move]) => fetch(`/games/${name}/move`, { method: "POST", body: new URLSearchParams({ move }),
            headers: { "X-Form-Token": document.querySelector('meta[name="form-token"]').content, Accept: "application/json" } })
            .then((answer) => answer.status)"""
        assert stranger.evaluate(said, [name, "1"]) == 403
        assert second.evaluate(said, [name, "1"]) == 400, "it is the other's turn"
        for ticket in (name + "0" * 32, name, "0" * 48, "%E2%99%94"):
            found = stranger.request.get(f"{open_site.url}/return/{ticket}?ReturnValue=1")
            assert found.status in (404, 410)
        assert stranger.request.post(f"{open_site.url}/games/{name}/resign", form={}).status == 403
        moments = open_site.site.state.house.arena.live(name).moments
        assert {moment.event.kind for moment in moments} <= {Kind.AGREED}, "nothing happened but that pages agreed"


@browsing(**LOOK)
def test_step_by_step(page: "Page", open_site: Running) -> None:
    begin(page, open_site, "tictactoe", one="house:1", two="house:1", stepped=True)
    frame_of(page)
    assert lines(page) == []
    for count in (1, 2, 3):
        page.get_by_role("button", name="One move").click()
        page.locator("#lines li.move").nth(count - 1).wait_for()
        assert page.locator("#lines li.move").count() == count
    page.get_by_role("button", name="In one go").click()
    ended(page)


# ── fingers and keys ──


@browsing(viewport=PHONE, has_touch=True, is_mobile=True, color_scheme="dark", locale="fr-FR", reduced_motion="reduce")
def test_a_finger_plays_on_a_phone(page: "Page", open_site: Running) -> None:
    begin(page, open_site, "tictactoe")
    frame = asking(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = frame.locator("#board-1-4").bounding_box()
    assert box is not None
    assert box["width"] >= 44, "a finger needs so much"
    asked = page.locator(SHOWN).get_attribute("data-query") or ""
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator("#lines li.move").first.wait_for()
    play_out(page, lambda frame: frame.locator(".sign-target").first.tap(force=True), answered=[asked])
    ended(page)
    page.locator("#lines li.move button").first.wait_for()
    gaps = page.locator("#lines li.move button").evaluate_all(
        """all => all.flatMap((one) => {
          const boxes = [...one.querySelectorAll(".n, .piece, b")].map((part) => part.getBoundingClientRect());
          return boxes.slice(1).map((box, n) => (box.top >= boxes[n].bottom ? 99 : box.left - boxes[n].right));
        })"""
    )
    assert gaps
    assert min(gaps) >= 3, "number, player and move stand apart"
    picture(page, "days-phone-tictactoe")
    page.locator("#lines").scroll_into_view_if_needed()
    picture(page, "days-phone-story")
    page.locator(".tabs .seal").tap()
    page.locator("#tab-proof").get_by_text("arbitre verify").wait_for()
    picture(page, "days-phone-proof")


@pytest.mark.campaign
@browsing(viewport=WIDE, reduced_motion="reduce", locale="en-GB", color_scheme="light")
def test_the_seal_opens_the_proof(page: "Page", open_site: Running) -> None:
    begin(page, open_site, "tictactoe", one="house:1", two="house:1")
    ended(page)
    for _ in range(2):  # also when the address says so already
        assert page.locator("#tab-proof").is_hidden()
        page.locator(".tabs .seal").click()
        page.locator("#tab-proof").get_by_text("arbitre verify").wait_for()
        assert page.evaluate("document.activeElement.id") == "proof"
        picture(page, "days-proof")
        page.get_by_role("tab", name="Story").click()
    page.reload()
    page.locator("#tab-proof").get_by_text("arbitre verify").wait_for()


@pytest.mark.campaign
@browsing(**LOOK)
def test_keys_alone_play_reversi(page: "Page", open_site: Running) -> None:
    begin(page, open_site, "reversi", start=near_the_end("reversi", 3, 8))
    passes = 0

    def press(frame: object) -> None:
        nonlocal passes
        for key in ("ArrowRight", "Enter"):
            page.keyboard.press(key)
        passes += 1

    frame_of(page)
    play_out(page, press)
    assert passes >= 2
    ended(page)
    page.locator("#lines li.voice.good").wait_for()
    frame_of(page)
    last = page.locator("#lines [aria-current]").inner_text()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.locator("#lines [aria-current]").wait_for()
    first = page.locator("#lines [aria-current]").inner_text()
    assert first.startswith("53.")
    page.keyboard.press("End")
    assert page.locator("#lines [aria-current]").inner_text() == last


@browsing(**LOOK)
def test_the_language_of_a_form_with_a_position(page: "Page", open_site: Running) -> None:
    game = find_game("tictactoe")
    assert not game.hides
    page.goto(open_site.url + "/play?game=tictactoe&start=100000000%202")
    page.get_by_role("button", name="Français").click()
    page.wait_for_selector("html[lang=fr]")
    assert page.locator("#start").input_value() == "100000000 2"
