"""The open boards and Kriegspiel in the browser: what is shown of real positions, and what clicks, keys and drags return."""

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from arbitre.games.catalogue import game
from arbitre.games.draughts.rules import Board, Draughts
from arbitre.games.draughts.wire import DraughtsEngineWire
from arbitre.games.game import FIRST, SECOND, Awaits, Eye, Seat, playout
from arbitre.games.notation import notation_of
from arbitre.games.screen import Shown, Surroundings
from arbitre.games.wires import screen_of
from tests.browser import browsing, picture
from tests.web.interfaces.stage import Stage, click, complaints

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

NAMES: dict[str, Any] = {"names": ("Ada", "Blaise")}


def position(name: str, plies: int, seed: int = 1) -> tuple[Any, Any]:
    """Return two states of a random game, the second one move after the first."""
    steps = [step for step in playout(game(name, {}), Random(seed)) if step.moves]
    return steps[plies - 1].before, steps[plies - 1].after


def shown(name: str, plies: int, eye: Eye, seed: int = 1) -> Shown:
    """Return what an eye is shown after so many plies of a random game, and asked if it is to move."""
    before, after = position(name, plies, seed)
    table = game(name, {})
    phase = table.phase(after)
    asks = eye if isinstance(phase, Awaits) and eye in phase.seats else None
    screen = screen_of(table)
    seat = None if asks is None else Seat(int(asks))
    return screen.show(table.view(after, eye), eye, before=table.view(before, eye), asks=seat)


def cell_of(frame: "Frame", label: str) -> int:
    """Return the number of the cell that is called so."""
    found = frame.locator(f"[role=gridcell][aria-label='{label}'], [role=gridcell][aria-label^='{label} ']").first
    return int((found.get_attribute("id") or "").rsplit("-", 1)[1])


# ── BigTicTacToe ───────────────────────────────────────────────────────────────────────────────────────────────────


@browsing()
def test_bigtictactoe(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    rows = ["0" * 10] * 10
    rows[2], rows[3], rows[4] = "0001111100", "0022222020", "0120000000"
    state = Shown("BigTicTacToe", "".join(rows), gains=("D2H2", "C3G3"), moves=(None, "G3"), count=13, asks=SECOND)
    frame = site.open(page, state, returns=site.returns, **NAMES)
    assert [frame.locator(f".seat-{n} .score").text_content() for n in (1, 2)] == ["1", "1"]
    assert frame.locator(".line-one").count() == frame.locator(".line-two").count() == 1
    assert frame.locator(".pieces .piece").count() == 13
    picture(page, "bigtictactoe")
    click(page, frame, cell_of(frame, "J9"))
    assert site.returned_value() == "J9"
    assert errors == []


# ── Pente ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@browsing()
def test_pente_takes_pairs_after_the_wait(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    screen = screen_of(game("pente", {}))
    text = notation_of(screen.game)
    before = after = screen.game.start()
    for move in ("JJ", "KJ", "PP", "LJ", "HH", "IK", "MJ"):
        before, after = after, screen.game.play(after, {after.mover: text.read(move, after)})
    state = screen.show(after, SECOND, before=before, asks=SECOND)
    frame = site.open(page, state, returns=site.returns, wait=6, state="asking", **NAMES)
    assert frame.locator(".pieces .piece").count() == 5
    assert frame.locator(".seat-1 .score").text_content() == "1"
    frame.locator("svg.board").focus()
    for key in ("ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    picture(page, "pente")
    page.keyboard.press("Enter")
    assert site.returned_value() == "JH", "from the free point nearest to the middle, one up"
    assert errors == []


@pytest.mark.campaign
@browsing()
def test_pente_shows_the_pair_while_it_waits(page: "Page", site: Stage) -> None:
    frame = site.open(
        page,
        Shown("Pente", "1661" + "0" * 357, moves=("DA", None), gains=("1", "0")),
        wait=100,
        interface=f"{site.root}/pente.html",
    )
    frame.wait_for_selector(".sign-last", state="attached")
    assert frame.locator(".pieces .piece").count() == 4
    assert frame.locator("html[data-state]").count() == 0


@browsing()
def test_pente_bars_the_centre_and_marks_the_row(page: "Page", site: Stage) -> None:
    screen = screen_of(game("pente", {}))
    text = notation_of(screen.game)
    state = screen.game.start()
    for move in ("JJ", "KK"):
        state = screen.game.play(state, {state.mover: text.read(move, state)})
    frame = site.open(page, screen.show(state, FIRST, asks=FIRST), returns=site.returns)
    assert frame.locator(".sign-barred").count() == 23
    click(page, frame, cell_of(frame, "JK"))
    assert site.returned == []
    click(page, frame, cell_of(frame, "MM"))
    assert site.returned_value() == "MM"
    frame = site.open(page, Shown("Pente", "33333" + "22" + "0" * 354, method="End"))
    assert frame.locator(".line-win").count() == 1


# ── Reversi ────────────────────────────────────────────────────────────────────────────────────────────────────────


@browsing()
def test_reversi_turns_discs_and_shows_where_to_play(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    state = shown("reversi", 21, SECOND)
    assert state.asks == SECOND
    frame = site.open(page, state, returns=site.returns, wait=1, **NAMES)
    tray = state.tray or ""
    assert frame.locator(".stone.dark").count() - 1 == sum(tray.count(code) for code in "37")
    assert frame.locator(".stone.light").count() - 1 == sum(tray.count(code) for code in "48")
    assert frame.locator(".sign-target").count() == tray.count("2")
    picture(page, "reversi")
    cell = tray.index("2")
    click(page, frame, cell)
    assert site.returned_value() == f"{'ABCDEFGH'[cell % 8]}{cell // 8 + 1}"
    assert errors == []


@browsing()
def test_reversi_passes_by_the_legend(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("Reversi", "34" * 31 + "30", asks=FIRST), returns=site.returns, legend="Je passe")
    control = frame.locator("button.control")
    assert control.text_content() == "Je passe"
    control.click()
    assert site.returned_value() == "XX"


# ── Draughts ───────────────────────────────────────────────────────────────────────────────────────────────────────


def drag(page: "Page", frame: "Frame", one: int, two: int) -> None:
    boxes = [frame.locator(f"#board-1-{cell}").bounding_box() for cell in (one, two)]
    places = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box]
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(places[0][0] + 15, places[0][1] - 15)
    page.mouse.move(*places[1], steps=3)
    page.mouse.up()


@browsing()
def test_draughts_by_clicks(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    frame = site.open(page, shown("draughts", 24, FIRST), returns=site.returns, **NAMES)
    assert frame.locator(".sign-movable").count() > 0
    picture(page, "draughts")
    frame = site.open(page, Shown("Draughts", START, asks=FIRST), returns=site.returns)
    click(page, frame, cell_of(frame, "32"))
    assert frame.locator(".sign-target").count() == 2
    click(page, frame, cell_of(frame, "27"))
    assert site.returned_value() == "32-27"
    assert errors == []


START = "2" * 20 + "0" * 10 + "1" * 20


def men(**squares: str) -> str:
    """Return a tray: `w`, `b`, `W` and `B` name the squares of the pieces."""
    codes = {"w": "1", "b": "2", "W": "3", "B": "4"}
    where = {int(square): codes[kind] for kind, listed in squares.items() for square in listed.split()}
    return "".join(where.get(square, "0") for square in range(1, 51))


@pytest.mark.campaign
@browsing()
def test_draughts_by_dragging(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("Draughts", START, asks=SECOND, side=SECOND), returns=site.returns)
    drag(page, frame, cell_of(frame, "20"), cell_of(frame, "25"))
    assert site.returned_value() == "20-25"


@browsing()
def test_draughts_captures_square_by_square(page: "Page", site: Stage) -> None:
    tray = men(w="37 48", b="31 21 12 22")
    frame = site.open(page, Shown("Draughts", tray, asks=FIRST), returns=site.returns)
    assert frame.locator(".sign-movable").count() == 1, "the longest capture is compulsory"
    for square in ("37", "26", "17"):
        click(page, frame, cell_of(frame, square))
    picture(page, "draughts-capture")
    click(page, frame, cell_of(frame, "8"))
    assert site.returned_value() == "37x26x17x8"


@browsing()
def test_draughts_with_keys(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("Draughts", men(w="28", b="1"), asks=FIRST), returns=site.returns)
    frame.locator("svg.board").focus()
    for key in ("ArrowUp", "Enter", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    assert site.returned_value() in ("28-22", "28-23")


POSITIONS = [
    men(w="37 48", b="31 21 12 22"),
    men(W="46", b="41 32 23 13 9 19 28"),
    men(W="26 5", B="3 45", b="9 10 19 20 29 30 39 40 12 13"),
    men(b="1 2 20", w="6 7 50 30", B="33"),
    START,
]


@browsing()
def test_draughts_moves_are_those_of_the_rules(page: "Page", site: Stage) -> None:
    tray = DraughtsEngineWire(Draughts())
    boards = [step.before for seed in range(6) for step in playout(Draughts(), Random(seed))][::7]
    asked = [(tray.write(board, FIRST), int(board.mover)) for board in boards]
    asked += [(text, seat) for text in POSITIONS for seat in (0, 1)]
    page.goto(f"{site.root}/draughts.html?tray={START}")
    script = """async (asked) => {
        const { moves, after } = await import("./draughts-moves.js");
        return asked.map(([tray, seat]) => moves(tray, seat).map((move) => [move.path, move.captured, after(tray, move)]));
    }"""
    found = page.evaluate(script, asked)
    for (text, seat), listed in zip(asked, found, strict=True):
        board = read_tray(text, seat)
        due = {(move.start, move.end, move.captured): tray.write(board.after(move), FIRST) for move in board.moves}
        got = {(path[0], path[-1], frozenset(captured)): result for path, captured, result in listed}
        assert got == due, text


def read_tray(text: str, seat: int) -> Board:
    from arbitre.games.draughts.moves import squares_of  # noqa: PLC0415 - only here

    white, black, kings = (squares_of(n for n, code in enumerate(text, 1) if code in those) for those in ("13", "24", "34"))
    return Board(white, black, kings, 1 + seat)


# ── Kriegspiel ─────────────────────────────────────────────────────────────────────────────────────────────────────


@browsing()
def test_kriegspiel_by_clicks(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    state = shown("kriegspiel", 23, SECOND, seed=5)
    frame = site.open(page, state, returns=site.returns, **NAMES)
    assert frame.locator(".pieces .chessman.light").count() == 0, "only the own pieces"
    picture(page, "kriegspiel")
    start = "0" * 48 + "PPPPPPPPRNBQKBNR"
    frame = site.open(page, Shown("Kriegspiel", start, asks=FIRST, heard="bnp,wcf,wm2,bpc"), returns=site.returns)
    assert frame.locator(".heard li").count() == 4
    click(page, frame, cell_of(frame, "g1"))
    assert frame.locator(".sign-target").count() == 2
    click(page, frame, cell_of(frame, "f3"))
    assert site.returned_value() == "g1f3"
    assert errors == []


@browsing()
def test_kriegspiel_promotes_by_icons(page: "Page", site: Stage) -> None:
    frame = site.open(page, Shown("Kriegspiel", "0" * 48 + "p000000k" + "0" * 8, asks=SECOND, side=SECOND), returns=site.returns)
    drag(page, frame, cell_of(frame, "a2"), cell_of(frame, "b1"))
    buttons = frame.locator(".choice button")
    assert buttons.count() == 4
    picture(page, "kriegspiel-promotion")
    buttons.nth(3).click()
    assert site.returned_value() == "a2b1n"


@browsing()
def test_kriegspiel_guesses_stay_with_the_player(page: "Page", site: Stage) -> None:
    errors = complaints(page)
    start = "0" * 48 + "PPPPPPPPRNBQKBNR"
    asked = Shown("Kriegspiel", start, asks=FIRST, count=4)
    frame = site.open(page, asked, returns=site.returns, **NAMES)
    queen = frame.locator("button[aria-label='? ♛']")
    queen.click()
    click(page, frame, cell_of(frame, "d8"))
    click(page, frame, cell_of(frame, "e5"))
    click(page, frame, cell_of(frame, "e5"))
    assert frame.locator(".sign-guess").count() == 1, "a second click takes it away"
    assert site.returned == [], "a guess is no move"
    queen.click()
    picture(page, "kriegspiel-guess")
    click(page, frame, cell_of(frame, "e2"))
    click(page, frame, cell_of(frame, "e4"))
    assert site.returned_value() == "e2e4"
    later = [replace(asked, count=count).query(Surroundings(**NAMES)) for count in (6, 2)]
    page.evaluate("(query) => { document.querySelector('iframe').src = query; }", f"{site.root}/kriegspiel.html?{later[0]}")
    page.frame_locator("iframe").locator(".count", has_text="6").wait_for()
    assert page.frame_locator("iframe").locator(".sign-guess").count() == 1
    page.evaluate("(query) => { document.querySelector('iframe').src = query; }", f"{site.root}/kriegspiel.html?{later[1]}")
    page.frame_locator("iframe").locator(".count", has_text="2").wait_for()
    assert page.frame_locator("iframe").locator(".sign-guess").count() == 0, "another game"
    assert errors == []


@browsing()
def test_kriegspiel_tries_are_those_of_the_rules(page: "Page", site: Stage) -> None:
    table = game("kriegspiel", {})
    screen = screen_of(table)
    cases = []
    for step in list(playout(table, Random(3)))[:160:5]:
        seat = step.before.mover
        view = table.view(step.before, seat)
        cases.append((screen.show(view, seat).tray, int(seat), {str(move)[:4] for move in table.legal(view)}))
    page.goto(f"{site.root}/kriegspiel.html?method=none")
    script = """async ([tray, seat]) => {
        const { reach } = await import("./kriegspiel-signs.js");
        const name = (cell) => "abcdefgh"[cell % 8] + (8 - Math.floor(cell / 8));
        const own = [...tray].flatMap((code, cell) => (code !== "0" && code < "a" === (seat === 0) ? [cell] : []));
        return own.flatMap((from) => reach([...tray], from).map((to) => name(from) + name(to)));
    }"""
    castling = {"e1g1", "e1c1", "e8g8", "e8c8"}
    for tray, seat, due in cases:
        found = set(page.evaluate(script, [tray, seat]))
        assert due <= found
        assert found - due <= castling, "whether king and rook have moved is not on the tray"


@browsing(color_scheme="dark")
def test_kriegspiel_shows_both_sides_at_the_end(page: "Page", site: Stage) -> None:
    steps = list(playout(game("kriegspiel", {}), Random(2)))
    end = steps[-1].after
    state = screen_of(game("kriegspiel", {})).show(end, SECOND)
    frame = site.open(page, state, **NAMES)
    assert frame.locator(".pieces .chessman").count() == sum(code != "0" for code in state.tray or "")
    picture(page, "kriegspiel-end-dark")


# ── all ────────────────────────────────────────────────────────────────────────────────────────────────────────────

BENCH = [
    ("BigTicTacToe", "0" * 100, 0, "A0", "1" + "0" * 99),
    ("Pente", "0221" + "0" * 357, 0, "AA", "1001" + "0" * 357),
    ("Reversi", "0443" + "0" * 60, 0, "A1", "3333" + "0" * 60),
    ("Draughts", men(w="28 50"), (27, 21), "28-22", men(w="22 50")),
    ("Kriegspiel", "0" * 63 + "R", (63, 7), "h1h8", "0" * 7 + "R" + "0" * 56),
]


@pytest.mark.parametrize(
    ("name", "tray", "at", "value", "result"),
    [pytest.param(*case, id=case[0], marks=() if case[0] in ("Pente", "Draughts") else pytest.mark.campaign) for case in BENCH],
)
@browsing()
def test_the_bench_plays_by_the_rules(
    page: "Page", site: Stage, name: str, tray: str, at: int | tuple[int, int], value: str, result: str
) -> None:
    errors = complaints(page)
    frame = site.open(page, Shown(name, tray), web_test=True)
    frame.locator("button[aria-label='1 ▶']").click()
    if isinstance(at, int):
        click(page, frame, at)
    elif name == "Draughts":
        click(page, frame, cell_of(frame, "28"))
        click(page, frame, cell_of(frame, "22"))
    else:
        click(page, frame, at[0])
        click(page, frame, at[1])
    page.wait_for_function("(value) => window.told && window.told.arbitre.value === value", arg=value)
    assert page.evaluate("window.told.arbitre.tray") == result
    assert errors == []


GARBAGE = ("Init", "9" * 361, "7" * 64, "3" * 100, "8" * 9, "%00%u0000")
BOARDS = ("tictactoe", "bigtictactoe", "pente", "reversi", "draughts", "kriegspiel")
MOVES = ("XX", "JJ", "e2", "A0", "5", "32-99")


@pytest.mark.parametrize(
    ("name", "some"),
    [
        *((name, slice(n, n + 1)) for n, name in enumerate(BOARDS)),
        *(pytest.param(name, slice(None), marks=pytest.mark.campaign, id=f"{name}-all") for name in BOARDS),
    ],
)
@browsing()
def test_garbage_is_borne(page: "Page", site: Stage, name: str, some: slice) -> None:
    errors = complaints(page)
    for n, tray in list(enumerate(GARBAGE))[some]:
        said = f"Move{n % 2 + 1}={MOVES[n]}&Gain1={MOVES[-n]}&Heard={MOVES[n]}"
        page.goto(f"{site.root}/{name}.html?Tray={tray}&{said}&Side=x&Input=One&Wait=-1")
        page.locator("html[data-state]").wait_for(state="attached")
    assert errors == []
