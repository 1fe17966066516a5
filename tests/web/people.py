"""People at a browser: they begin games as anybody does, and move by clicking what an interface offers inside its frame."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from arbitre.games.catalogue import game as find_game
from arbitre.games.game import Awaits, Chance, Outcome, Seat
from arbitre.games.notation import notation_of
from tests.browser import photograph, visitor
from tests.web.site import TOKEN, Running

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}

SHOWN = "#game .stage > .frame > iframe.shown"
LOOK_MS = 25
PATIENCE = 30.0
"""Seconds that a page has to ask or to end."""

Mover = Callable[["Frame"], None]


@contextmanager
def somebody_else(page: "Page", **context: Any) -> "Iterator[Page]":
    """Let another person come: a browser with cookies of its own."""
    assert page.context.browser is not None
    options = {"viewport": DESK, "reduced_motion": "reduce", "locale": "en-GB", **context}
    with visitor(page.context.browser, **options) as other:
        yield other


def go(page: "Page", url: str) -> None:
    """Go to a page, though the one that is shown may be about to open itself anew."""
    from playwright.sync_api import Error  # noqa: PLC0415 - a development tool that may be missing

    try:
        page.goto(url)
    except Error:
        page.wait_for_load_state()
        page.goto(url)


# ── beginning ──


def begin(page: "Page", site: Running, game: str, *, one: str = "me", two: str = "house:1", start: str = "", **more: bool) -> str:
    """Begin a new game with what its form sends, and go there; return its name. Nobody signs who comes from no page."""
    token = TOKEN.search(page.request.get(f"{site.url}/login").text())
    assert token is not None
    said = {"form_token": token[1], "game": game, "one": one, "two": two, "start": start}
    said |= {name: "1" for name, wanted in more.items() if wanted}
    begun = page.request.post(f"{site.url}/play", form=said, max_redirects=0)
    assert begun.status == 303, begun.text()
    page.goto(site.url + begun.headers["location"])
    return page.url.rpartition("/")[2]


def fill_in(page: "Page", site: Running, game: str, *, one: str = "me", two: str = "house:1", start: str = "") -> str:
    """Fill in the form of a new game, and begin it; return its name."""
    page.goto(site.url + "/play?" + urlencode({"game": game, **({"start": start} if start else {})}))
    if not page.locator("#more[open]").count():
        page.locator("#more > summary").click()
    page.locator("#one").select_option(one)
    page.locator("#two").select_option(two)
    page.locator("button.main").click()
    page.wait_for_url("**/games/*")
    return page.url.rpartition("/")[2]


def invited(page: "Page", guest: "Page") -> None:
    """Invite somebody by a link, and let them take the chair."""
    page.locator("form[action$='/invite'] button").click()
    link = page.locator("#link").inner_text()
    guest.goto(link)
    guest.locator("form[action^='/invite/'] button").click()
    guest.wait_for_url("**/games/*")


def near_the_end(name: str, seed: int, plies: int, *, first: bool = True) -> str:
    """Return a position some plies before the end of a game of chance moves, in which the first player, say, is asked."""
    game, luck = find_game(name), Random(seed)
    course = [game.start()]
    while not isinstance(phase := game.phase(course[-1]), Outcome):
        if isinstance(phase, Chance):
            course.append(game.draw(course[-1], luck.randrange(phase.below)))
        else:
            moves = {seat: game.sample(game.view(course[-1], seat), luck) for seat in sorted(phase.seats)}
            course.append(game.play(course[-1], moves))
    for state in reversed(course[:-plies]):
        asked = game.phase(state)
        if isinstance(asked, Awaits) and asked.seats == {Seat(0 if first else 1)}:
            return notation_of(game).write_state(state)
    raise AssertionError(f"{name} never asks that seat")


# ── moving ──


def question(page: "Page", answered: list[str]) -> str:
    """Wait until the page asks something new, and return what the board is to show; empty when the game is over."""
    from playwright.sync_api import Error  # noqa: PLC0415 - a development tool that may be missing

    late = monotonic() + PATIENCE
    while monotonic() < late:
        try:
            found: str | None = page.evaluate(
                """shown => { if (document.getElementById("game")?.dataset.over === "yes") return "";
                const frame = document.querySelector(shown);
                return frame && frame.parentElement.children.length === 1 ? frame.dataset.query : null; }""",
                SHOWN,
            )
        except Error:  # the page is just being loaded again
            found = None
        if found == "" or (found and "&Input=" in found and found not in answered):
            return found
        page.wait_for_timeout(LOOK_MS)
    photograph(page, "days-stuck")
    raise AssertionError(f"nothing new is asked at {page.url}: {page.locator('#says').inner_text()}")


def frame_of(page: "Page") -> "Frame":
    """Return the frame that is shown, when it is drawn."""
    frame = None
    while frame is None:  # the frame that was found may be gone when it is looked into: the next scene has its own
        handle = page.wait_for_selector(SHOWN)
        frame = handle.content_frame() if handle else None
    return frame


def asking(page: "Page") -> "Frame":
    """Return the frame that is shown, when it asks."""
    from playwright.sync_api import Error  # noqa: PLC0415 - a development tool that may be missing

    late = monotonic() + PATIENCE
    while monotonic() < late:
        try:
            handle = page.wait_for_selector(SHOWN)
            frame = handle.content_frame() if handle else None
            if frame is not None and frame.evaluate("document.documentElement.dataset.state") == "asking":
                return frame
        except Error:  # another frame has just taken its place
            pass
        page.wait_for_timeout(LOOK_MS)
    raise AssertionError(f"{page.url} asks nothing")


def ended(page: "Page") -> None:
    """Wait until the game is over, sealed and verified."""
    page.wait_for_selector("#game .tabs .seal.good")


def answer(page: "Page", move: Mover, answered: list[str]) -> bool:
    """Make one move when asked; return whether the game goes on."""
    address = question(page, answered)
    if not address:
        return False
    frame = asking(page)
    move(frame)
    answered.append(address)
    return True


def play_out(page: "Page", move: Mover, most: int = 80, answered: Sequence[str] = ()) -> int:
    """Play until the game is over, from behind what was answered already; return how many moves that makes in all."""
    done = list(answered)
    while answer(page, move, done):
        assert len(done) < most, "the game does not end"
    return len(done)


def take_turns(sides: "list[tuple[Page, list[Mover]]]") -> None:
    """Let several people make their moves, one after the other."""
    done: list[list[str]] = [[] for _ in sides]
    for turn in range(max(len(moves) for _, moves in sides)):
        for at, (page, moves) in enumerate(sides):
            if turn < len(moves):
                assert answer(page, moves[turn], done[at])


# ── what each game's interface offers ──


def cell(number: int, board: int = 1) -> Mover:
    """Click on a cell."""
    return lambda frame: frame.locator(f"#board-{board}-{number}").click(force=True)


def first_free(*cells: int) -> Mover:
    """Click on the first of these cells on which nothing stands."""

    def chosen(frame: "Frame") -> None:
        names = {number: frame.locator(f"#board-1-{number}").get_attribute("aria-label") or "" for number in cells}
        cell(next(number for number, name in names.items() if " " not in name.partition(",")[0]))(frame)

    return chosen


def any_target(frame: "Frame") -> None:
    """Click on the first cell that is marked as possible."""
    frame.locator(".sign-target").first.click(force=True)


def reversi(frame: "Frame") -> None:
    """Play where it is possible, or press the button that passes."""
    button = frame.locator("button.control")
    (button if button.count() else frame.locator(".sign-target").first).click(force=True)


def rochambeau(frame: "Frame") -> None:
    """Show paper."""
    frame.locator(".hand-choice").nth(1).click()


def code(colours: str) -> Mover:
    """Put four pegs, or prepare them."""

    def chosen(frame: "Frame") -> None:
        for colour in colours:
            frame.locator(f".pot[data-colour={colour}]").click()
        prepares = frame.locator("button.control")
        (prepares if prepares.count() else frame.locator(".press-check")).click()

    return chosen


def fleet(frame: "Frame") -> None:
    """Let dice place the fleet."""
    frame.locator(".press-dice").click()
    frame.locator("button.control").click()


def poker(frame: "Frame") -> None:
    """Match what the other has staked, or open with the least."""
    frame.locator(".press-meet").click()


def path(*cells: str, board: int = 1) -> Mover:
    """Click on a piece and where it goes, by the names of the squares."""

    def walked(frame: "Frame") -> None:
        for name in cells:
            frame.get_by_role("gridcell", name=re.compile(rf"^{name}\b")).click(force=True)

    return walked


def movable(frame: "Frame") -> None:
    """Move some piece that may move to some square where it may go."""
    frame.locator(".sign-movable").first.click(force=True)
    frame.locator(".sign-target").first.click(force=True)


# ── watching ──


class Watcher:
    """Notes everything that a browser is told of a game: the stream's scenes, and what its frames are asked to show."""

    def __init__(self, page: "Page") -> None:
        self.page = page
        self.frames: list[str] = []
        page.on("request", self._note)

    def _note(self, request: Any) -> None:
        if "/interfaces/" in request.url and ".html?" in request.url:
            self.frames.append(request.url)

    def scenes(self, eye: str = "") -> list[dict[str, Any]]:
        """Return every scene so far, read from the stream as a fresh visitor of this browser reads it."""
        told: list[dict[str, Any]] = self.page.evaluate(
            """async eye => { const found = [], name = document.getElementById("game").dataset.name;
            const stop = new AbortController();
            const answer = await fetch(`/games/${name}/events?eye=${eye}`, { signal: stop.signal });
            if (!answer.ok) return [{ status: answer.status }];
            const reader = answer.body.getReader(), decoder = new TextDecoder();
            let text = "", rest = setTimeout(() => stop.abort(), 10000); // a busy machine may be long in coming to the first
            try {
              for (let part = await reader.read(); !part.done; part = await reader.read()) {
                text += decoder.decode(part.value, { stream: true });
                if (!text.includes("id: ")) continue;
                clearTimeout(rest);
                rest = setTimeout(() => stop.abort(), 600);
              }
            } catch { /* nothing more for now */ }
            clearTimeout(rest);
            for (const part of text.split("\\n\\n")) {
              const at = part.indexOf("data: {");
              if (at >= 0 && !part.includes("event: ")) found.push(JSON.parse(part.slice(at + 6)));
            }
            return found; }""",
            eye,
        )
        return told


def tray(query: str) -> str:
    """Return the tray in a query."""
    found = re.search(r"[?&]Tray=([^&]*)", "&" + query)
    return found[1] if found else ""
