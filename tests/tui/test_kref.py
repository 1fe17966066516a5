"""The Kriegspiel referee's terminal program as two people meet it, in 80×24: keys, mouse, and what must not be on the screen."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from arbitre.crypto.passwords import LIGHT
from arbitre.games.game import SECOND
from arbitre.kref.course import Mode
from arbitre.kref.desk import Desk
from arbitre.kref.file import NO_GUESS
from arbitre.kref.game import Seated
from arbitre.tui.kref import Door, Parlour, Question, Sheet
from arbitre.tui.kref_board import HIGH, MARGIN, WIDE, Board, Tray
from arbitre.tui.kref_replay import Replay
from tests.web.site import quiet, running

PICTURES = Path(__file__).parent.parent.parent / "test-output"

Script = Callable[["Pilot[str]", Parlour], Awaitable[None]]


def desk(folder: Path) -> Desk:
    return Desk(folder / "lunch.ksg", folder / "state", folder / "commands", lambda _: None)


def begin(folder: Path, mode: Mode = "classic") -> Desk:
    """Return the desk of a game in which White is to move first."""
    made = desk(folder)
    made.call("lunch [red]", "Bob", "black", mode=mode, work=LIGHT)
    with made.opened() as game:
        made.join(game, "Ada [/b]", "white", LIGHT)
    return made


def screen(parlour: Parlour) -> str:
    """Return what is on the screen, as text."""
    strips = parlour.screen._compositor.render_strips(parlour.size)
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def keep(parlour: Parlour, name: str) -> None:
    """Keep a picture of the screen for people to look at."""
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / f"kref-{name}.svg").write_text(parlour.export_screenshot(), encoding="utf-8")


def at(table: Desk, script: Script, language: str = "en", size: tuple[int, int] = (80, 24)) -> str | None:
    """Run the program, and return what it says when it ends."""
    parlour = Parlour(table, "fr" if language == "fr" else "en", LIGHT)

    async def main() -> None:
        async with parlour.run_test(size=size) as pilot:
            await until(pilot, lambda: isinstance(parlour.screen, Door))
            await script(pilot, parlour)

    asyncio.run(main())
    return parlour.return_value


async def until(pilot: "Pilot[str]", condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await pilot.pause(0.01)


async def enter(pilot: "Pilot[str]", parlour: Parlour, password: str, to: type[Screen[None]] = Sheet) -> None:
    """Type a password at the door, and wait for what is behind it."""
    await until(pilot, lambda: isinstance(parlour.screen, Door) and parlour.screen.is_current)
    await until(pilot, lambda: bool(parlour.screen.query("#password")))
    again = parlour.screen.query_one("#again", Input)
    for field in (parlour.screen.query_one("#password", Input), again):
        if field.display:
            field.value = password
            field.focus()
            await pilot.press("enter")
    await until(pilot, lambda: isinstance(parlour.screen, to))
    await pilot.pause()


async def move(pilot: "Pilot[str]", parlour: Parlour, text: str) -> None:
    """Move a piece with the mouse: its square, then its goal."""
    board = parlour.screen.query_one(Board)
    for name in (text[:2], text[2:4]):
        column, row = "abcdefgh".index(name[0]), 8 - int(name[1])
        if board.seat == SECOND:
            column, row = 7 - column, 7 - row
        await pilot.click(Board, offset=(MARGIN + WIDE * column + 1, HIGH * row))
    await pilot.pause()


def on_board(parlour: Parlour) -> set[str]:
    """Return the characters of the board: the tray beside it has the other side's pieces, and is the same for everybody."""
    return {character for line in screen(parlour).splitlines() for character in line[: MARGIN + 8 * WIDE]}


def beside(parlour: Parlour) -> str:
    """Return what is said beside the board, on one line."""
    return " ".join(" ".join(line[MARGIN + 8 * WIDE :] for line in screen(parlour).splitlines()).split())


def table(parlour: Parlour) -> Sheet:
    assert isinstance(parlour.screen, Sheet)
    return parlour.screen


def seated(made: Desk, password: str) -> Seated:
    with made.opened() as game:
        found = made.login(game, password)
    assert isinstance(found, Seated)
    return found


def test_two_people_on_one_machine(tmp_path: Path) -> None:
    """From nothing: Black calls, White sits down and moves, and Black's seat is behind a screen that hides everything."""

    async def script(pilot: "Pilot[str]", parlour: Parlour) -> None:
        await until(pilot, lambda: "You are Black" in screen(parlour))
        await pilot.press(*"Bob", "enter")
        await enter(pilot, parlour, "black")
        assert "White has not sat down yet" in beside(parlour)
        await pilot.press("f6")
        await until(pilot, lambda: "sit down as White" in screen(parlour))
        await pilot.press(*"Ada", "enter")
        await enter(pilot, parlour, "white")
        assert "♔" in on_board(parlour)
        assert "♚" not in on_board(parlour)
        await move(pilot, parlour, "e2e5")
        assert "Illegal move" in beside(parlour)
        await move(pilot, parlour, "e2d3")
        assert "Not possible" in beside(parlour)
        await move(pilot, parlour, "e2e4")
        assert "Made. Enter hands the seat over" in beside(parlour)
        assert "e2e5✗ e2d3✗ e2e4✓" in beside(parlour)
        keep(parlour, "table")
        await pilot.press("enter")
        await until(pilot, lambda: "Everything is hidden" in screen(parlour))
        assert not set("♔♕♖♗♘♙") & set(screen(parlour))
        keep(parlour, "door")
        await enter(pilot, parlour, "black")
        assert "♚" in on_board(parlour)
        assert "♔" not in on_board(parlour)
        assert screen(parlour).startswith("1"), "Black sits on the other side of the board"
        await pilot.press("escape")

    assert at(desk(tmp_path), script) == f"{tmp_path / 'lunch.ksg'} is saved: send it on."
    assert seated(desk(tmp_path), "black").file.ply == 1


def test_a_wrong_password_reveals_nothing_and_an_empty_one_leaves(tmp_path: Path) -> None:
    made = begin(tmp_path)

    async def script(pilot: "Pilot[str]", parlour: Parlour) -> None:
        await pilot.press(*"guess", "enter")
        await until(pilot, lambda: "wrong password" in screen(parlour))
        assert isinstance(parlour.screen, Door)
        await until(pilot, lambda: not parlour.screen.query_one("#password", Input).disabled)
        await pilot.press("enter")

    before = made.path.read_bytes()
    assert at(made, script) is not None
    assert made.path.read_bytes() == before


def test_escape_leaves_without_moving_after_the_piece_is_put_down(tmp_path: Path) -> None:
    made = begin(tmp_path)

    async def script(pilot: "Pilot[str]", parlour: Parlour) -> None:
        await enter(pilot, parlour, "white")
        await pilot.press("enter")
        assert table(parlour).held == "e2"
        await pilot.press("escape")
        assert table(parlour).held == ""
        await pilot.press("escape")

    at(made, script)
    assert seated(made, "white").file.ply == 0


def test_guesses_by_key_and_by_mouse(tmp_path: Path) -> None:
    made = begin(tmp_path)

    async def script(pilot: "Pilot[str]", parlour: Parlour) -> None:
        await enter(pilot, parlour, "white")
        await pilot.press("up", "up", "q")
        assert "♛?" in screen(parlour)
        keep(parlour, "guesses")
        await pilot.click(Tray, offset=(1, 0))
        await pilot.click(Board, offset=(2 + 4 * 3 + 1, 3 * 2))
        await pilot.pause()
        assert table(parlour).seated.guesses.count("p") == 1
        await pilot.press("escape")
        await pilot.press("x")
        await pilot.press("escape")

    at(made, script)
    assert seated(made, "white").guesses == NO_GUESS[:36] + "q" + "0" * 27
    assert seated(made, "black").guesses == NO_GUESS


def test_a_move_with_the_keys(tmp_path: Path) -> None:
    made = begin(tmp_path)

    async def script(pilot: "Pilot[str]", parlour: Parlour) -> None:
        await enter(pilot, parlour, "white")
        await pilot.press("enter", "up", "up", "space")
        assert table(parlour).tries == ["e2e4✓"]

    at(made, script)
    assert seated(made, "white").file.ply == 1


def test_resigning_and_the_acknowledgement(tmp_path: Path) -> None:
    made = begin(tmp_path)

    async def script(pilot: "Pilot[str]", parlour: Parlour) -> None:
        await enter(pilot, parlour, "white")
        await pilot.press("f3")
        await until(pilot, lambda: "FORFEITS" in screen(parlour))
        await pilot.press("n")
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(parlour.screen, Question))
        await pilot.press("y")
        await until(pilot, lambda: isinstance(parlour.screen, Sheet))
        await pilot.pause()
        assert "the board opens on return" in beside(parlour)
        assert "♚" not in on_board(parlour)
        await pilot.press("f4")
        assert "only the other player acknowledges" in " ".join(table(parlour).notice.split())
        await pilot.press("f6")
        await enter(pilot, parlour, "black")
        assert "F4 acknowledges" in beside(parlour)
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(parlour.screen, Replay))
        await pilot.pause()
        assert "Bob wins: resigned" in screen(parlour)
        assert "the truth" in screen(parlour)

    at(made, script)


def test_a_finished_game_is_stepped_through(tmp_path: Path) -> None:
    made = begin(tmp_path)
    for number, text in enumerate(("f2f3", "e7e5", "g2g4")):
        made.act(seated(made, ("white", "black")[number % 2]), lambda one, text=text: one.attempt(text)[0])  # type: ignore[misc]

    async def script(pilot: "Pilot[str]", parlour: Parlour) -> None:
        await enter(pilot, parlour, "black")
        await move(pilot, parlour, "d8h4")
        await until(pilot, lambda: isinstance(parlour.screen, Replay))
        await pilot.pause()
        assert "Bob gagne" in screen(parlour) or "Bob wins: checkmate" in screen(parlour)
        assert "4 sur 4" in screen(parlour)
        assert re.search(r"\nAda \[/b\] \(Blancs\) voyait {2,}la vérité {2,}Bob \(Noirs\) voyait\n", screen(parlour)), (
            "whole, and apart"
        )
        keep(parlour, "replay")
        await pilot.press("left", "left", "left")
        assert "1 sur 4" in screen(parlour)
        assert "Aux Noirs de jouer" in screen(parlour)
        await pilot.press("home")
        assert "0 sur 4" in screen(parlour)
        await pilot.press("end")
        assert "4 sur 4" in screen(parlour)
        await pilot.press("escape")

    assert "enregistré" in (at(made, script, "fr") or "")


def test_a_new_password_is_typed_twice(tmp_path: Path) -> None:
    """By whoever calls and by whoever sits down; two that differ are asked for again."""

    async def script(pilot: "Pilot[str]", parlour: Parlour) -> None:
        await until(pilot, lambda: bool(parlour.screen.query("#again")))
        await pilot.press(*"Bob", "enter", *"black", "enter", *"blakc", "enter")
        await until(pilot, lambda: "les deux mots de passe diffèrent" in screen(parlour))
        assert not parlour.desk.path.exists()
        await pilot.press(*"black", "enter", *"black", "enter")
        await until(pilot, lambda: isinstance(parlour.screen, Sheet))
        await pilot.press("f6")
        await until(pilot, lambda: "prenez les Blancs" in screen(parlour))
        assert parlour.screen.query_one("#again", Input).display
        await enter(pilot, parlour, "white")
        await pilot.press("f6")
        await until(pilot, lambda: isinstance(parlour.screen, Door) and bool(parlour.screen.query("#again")))
        assert not parlour.screen.query_one("#again", Input).display, "once is enough for whoever comes back"
        await pilot.press("escape")

    at(desk(tmp_path), script, "fr")
    assert seated(desk(tmp_path), "white").file.names == ("Blancs", "Bob")


def test_a_piece_in_hand_shows_it_on_a_board_as_large_as_the_window(tmp_path: Path) -> None:
    made = begin(tmp_path)
    sizes = []

    async def script(pilot: "Pilot[str]", parlour: Parlour) -> None:
        await enter(pilot, parlour, "white")
        board = parlour.screen.query_one(Board)
        sizes.append(board.unit)
        await pilot.press("enter", "right")
        await pilot.pause()
        drawn = "\n".join(line[: board.size.width] for line in screen(parlour).splitlines())
        assert drawn.count(">") == drawn.count("<") == 1
        assert drawn.count("·") == 4, "where the pawn on e2 may be tried: e3, e4, d3, f3"
        assert "♙ e2 in hand: where to?" in " ".join(screen(parlour).split())
        keep(parlour, f"held-{board.unit[0]}")
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert board.unit == (WIDE, HIGH)
        await pilot.click(Board, offset=(MARGIN + WIDE * 4 + 1, HIGH * 4))
        await pilot.pause()
        assert seated(made, "white").file.ply == 1, "a click finds its square in every size"

    at(made, script, size=(120, 40))
    assert sizes == [(8, 4)]


def test_the_whole_log_is_there_and_scrolls(tmp_path: Path) -> None:
    """Numbered turns, own tries and moves, what was taken where; Page Up goes back to the first."""
    made = begin(tmp_path)
    for text in ["e2d3", "e2e4", "d7d5", "e4d5", *["g8f6", "g1f3", "f6g8", "f3g1"] * 4]:
        mover = "black" if text[1] in "678" else "white"
        made.act(seated(made, mover), lambda one, text=text: one.attempt(text)[0])  # type: ignore[misc]

    async def script(pilot: "Pilot[str]", parlour: Parlour) -> None:
        await enter(pilot, parlour, "white")
        await pilot.pause()
        assert "20 Black to move" in beside(parlour)
        assert "e2d3" not in beside(parlour)
        await pilot.press(*["pageup"] * 6)
        await pilot.pause()
        assert "1 White to move e2d3 ✗ Not possible e2e4 ✓ 2 Black to move … ✓ 3 White to move with" in beside(parlour)
        assert "e4d5 ✓ Pawn gone (d5)" in beside(parlour)
        lines = screen(parlour).splitlines()
        at = next(number for number, line in enumerate(lines) if "3  White to move with" in line)
        below = lines[at].index("White")
        assert lines[at + 1][below - 6 :].startswith(" " * 6 + "captures"), "what is broken off stands below the words"
        keep(parlour, "log")
        await pilot.press(*["pagedown"] * 6)
        await pilot.pause()
        assert "20 Black to move" in beside(parlour)

    at(made, script)


def test_a_draw_is_offered_and_accepted_in_french(tmp_path: Path) -> None:
    """Keys, questions, errors and verdict are French; Black sees the finished game from his side, with the names."""
    made = begin(tmp_path)

    async def script(pilot: "Pilot[str]", parlour: Parlour) -> None:
        await pilot.press(*"guess", "enter")
        await until(pilot, lambda: "mauvais mot de passe" in screen(parlour))
        await until(pilot, lambda: not parlour.screen.query_one("#password", Input).disabled)
        await enter(pilot, parlour, "white")
        foot = " ".join(screen(parlour).splitlines()[-2:])
        assert "Échap quitter" in foot
        assert "F7 nulle" in foot
        await pilot.press("f2")
        await until(pilot, lambda: "Abandonner la partie ? O / N" in screen(parlour))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(parlour.screen, Sheet))
        await pilot.press("f7")
        await pilot.pause()
        assert "Les Blancs proposent la nulle" in beside(parlour)
        await move(pilot, parlour, "e2e4")
        await pilot.press("f6")
        await enter(pilot, parlour, "black")
        assert "Nulle proposée : F7 accepte" in beside(parlour)
        await pilot.press("f7")
        await until(pilot, lambda: isinstance(parlour.screen, Replay))
        await pilot.pause()
        shown = screen(parlour).splitlines()
        assert shown[0] == "partie nulle : les joueurs sont convenus de la nulle"
        assert "Bob (Noirs) voyait" in shown[1]
        assert shown[2].split()[0] == "1", "from Black's side"
        assert "▶   draw  ½ Les Noirs acceptent la nulle" in screen(parlour)

    at(made, script, "fr")


def test_planned_tries(tmp_path: Path) -> None:
    made = begin(tmp_path, "planned")

    async def script(pilot: "Pilot[str]", parlour: Parlour) -> None:
        await enter(pilot, parlour, "white")
        for text in ("e2d3", "a2a3", "e2e4"):
            await move(pilot, parlour, text)
        assert table(parlour).plan == ["e2d3", "a2a3", "e2e4"]
        await pilot.press("backspace", "f5")
        await pilot.pause()
        assert "the other program judges" in beside(parlour)
        await pilot.press("f6")
        await enter(pilot, parlour, "black")
        assert "Black to move" in beside(parlour)

    at(made, script)
    assert seated(made, "white").file.ply == 1


def test_a_promotion_asks_what_the_pawn_becomes(tmp_path: Path) -> None:
    made = begin(tmp_path)
    moves = ("h2h4", "g7g5", "h4g5", "a7a6", "g5g6", "a6a5", "g6h7", "a5a4")
    for number, text in enumerate(moves):
        made.act(seated(made, ("white", "black")[number % 2]), lambda one, text=text: one.attempt(text)[0])  # type: ignore[misc]

    async def script(pilot: "Pilot[str]", parlour: Parlour) -> None:
        await enter(pilot, parlour, "white")
        await move(pilot, parlour, "h7g8")
        await until(pilot, lambda: "The pawn becomes" in screen(parlour))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(parlour.screen, Sheet))
        await pilot.pause()
        assert table(parlour).tries == ["h7g8n✓"]
        assert "White promotes a pawn" in beside(parlour)

    at(made, script)


def test_a_game_that_a_site_judges(tmp_path: Path) -> None:
    """The same table: a refusal, a guess, a move; and when the site is gone it says so, and the program goes on."""
    made = desk(tmp_path)
    with running(quiet(tmp_path / "data")) as site:
        made.call("lunch", "Bob", "black", f"site:{site.url}", work=LIGHT)
        with made.opened() as game:
            made.join(game, "Ada", "white")

        async def play(pilot: "Pilot[str]", parlour: Parlour) -> None:
            await enter(pilot, parlour, "white")
            assert not on_board(parlour) & set("♟♞♝♜♛♚")
            await move(pilot, parlour, "e2d3")
            assert "Not possible" in beside(parlour)
            table(parlour).action_guess("q")
            assert "q" in table(parlour).seated.guesses
            await move(pilot, parlour, "e2e4")
            assert "Black to move" in beside(parlour)
            await pilot.press("f6")
            await enter(pilot, parlour, "black")
            assert "e2e4" not in screen(parlour)
            assert "Black to move" in beside(parlour)

        at(made, play)

    async def away(pilot: "Pilot[str]", parlour: Parlour) -> None:
        await until(pilot, lambda: "cannot be reached" in " ".join(screen(parlour).split()))
        assert isinstance(parlour.screen, Door)

    at(made, away)
