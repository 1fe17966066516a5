"""`arbitre kref FILE.ksg`: the Kriegspiel referee in the terminal (spec: kriegspiel, sections 2 and 3).

Three screens: the *door* asks for a password, a new one twice, and hides everything; the *table* shows a player's board, guesses
and the whole log; the *replay* (`kref_replay`) shows a finished game. Nothing of one player is on the screen, or below it, when
the other sits down: a table is taken away before the door opens. All words stand in `kref_words`, in two languages.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import Input, Static

from arbitre.crypto.passwords import USUAL, Work
from arbitre.errors import ArbitreError, PasswordError
from arbitre.games.game import FIRST, SECOND
from arbitre.games.kriegspiel.announcements import Language, words
from arbitre.games.kriegspiel.notation import AGREE, tray
from arbitre.games.kriegspiel.rules import Sight, offered
from arbitre.kref.course import Mode, Ruling
from arbitre.kref.desk import Desk
from arbitre.kref.game import Seated
from arbitre.kref.standing import Player
from arbitre.tui.kref_board import FIGURES, Board, Tray, unit_for
from arbitre.tui.kref_replay import Replay
from arbitre.tui.kref_words import hanging, key_words, log_words, mark, said, side_words, word

SIDE = 30
"""Columns beside the board that its size leaves free at least."""
YES = {"en": {"y": "y"}, "fr": {"o": "y", "y": "y"}}
NO = {"n": ""}
BECOMES = {"en": {"q": "q", "r": "r", "b": "b", "n": "n"}, "fr": {"d": "q", "t": "r", "f": "b", "c": "n"}}
"""The keys that answer a question, in each language, and what they mean."""


class Door(Screen[None]):
    """Asks for a password (and a name, of somebody who sits down), and shows nothing else."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "leave", priority=True)]

    def __init__(self, covered: bool = False) -> None:
        super().__init__()
        self.covered = covered
        """Whether another player sat here a moment ago."""

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        with Vertical(id="door"):
            yield Static(id="who", markup=False)
            yield Input(id="name", placeholder=word("name", self.parlour.language), max_length=80)
            yield Input(id="password", placeholder=word("password", self.parlour.language), password=True)
            yield Input(id="again", placeholder=word("again", self.parlour.language), password=True)
            yield Static(word("empty", self.parlour.language), markup=False)
            yield Static(id="trouble", markup=False)

    def on_mount(self) -> None:
        """Find out who is to come."""
        parlour = self.parlour
        name, language = parlour.desk.path.stem, parlour.language
        self.white = False
        if not parlour.desk.path.exists():
            text, named = word("call", language, name=name), True
        else:
            mover, named = "", False
            try:
                file = parlour.desk.read().standing()
            except ArbitreError as error:  # a site that cannot be reached now: the password is asked for all the same
                self.query_one("#trouble", Static).update(said(error, language))
            else:
                self.white = named = not file.begun
                mover = "" if file.mover is None else f"({side_words(file.mover, language)})"
            text = word("sit", language, name=name) if named else word("login", language, name=name, mover=mover)
        self.query_one("#who", Static).update(text + (f"\n{word('hidden', language)}" if self.covered else ""))
        for field in ("#name", "#again"):
            self.query_one(field, Input).display = named
        self.query_one("#name" if named else "#password", Input).focus()

    @property
    def parlour(self) -> "Parlour":
        """The program."""
        assert isinstance(self.app, Parlour)  # noqa: S101 - made by it
        return self.app

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on to the next field, or look at the password: a new one must have been typed twice alike."""
        field, again = self.query_one("#password", Input), self.query_one("#again", Input)
        trouble, language = self.query_one("#trouble", Static), self.parlour.language
        if event.input.id == "name":
            field.focus()
        elif not field.value and event.input is field:
            self.action_leave()
        elif not field.value:  # somebody types ahead of the fields
            field.focus()
        elif again.display and event.input is field:
            again.focus()
        elif again.display and again.value != field.value:
            trouble.update(word("differ", language))
            field.value = again.value = ""
            field.focus()
        else:
            await self._try(field, again)

    async def _try(self, field: Input, again: Input) -> None:
        """Look at a password, which takes a moment."""
        trouble, language = self.query_one("#trouble", Static), self.parlour.language
        trouble.update(word("checking", language))
        typed, field.value, again.value, field.disabled = field.value, "", "", True
        try:
            seated = await asyncio.to_thread(self._seat, typed, self.query_one("#name", Input).value.strip())
        except ArbitreError as error:
            trouble.update(said(error, language))
            field.disabled = False
            field.focus()
        else:
            self.parlour.sit(seated)

    def _seat(self, password: str, name: str) -> Player:
        desk, work = self.parlour.desk, self.parlour.work
        if not desk.path.exists():
            called = name or side_words(SECOND, self.parlour.language)
            return desk.call(desk.path.stem, called, password, self.parlour.sealing, self.parlour.mode, work=work)
        with desk.opened() as game:
            if self.white and not game.standing().begun:
                try:
                    # Black may look in before White has come: his password is his own, whatever the screen asks for
                    return desk.join(game, name or side_words(FIRST, self.parlour.language), password, work)
                except PasswordError:
                    return desk.login(game, password)
            return desk.login(game, password)

    def action_leave(self) -> None:
        """Leave without moving."""
        self.parlour.leave()


class Question(ModalScreen[str]):
    """A question that is answered with one key: what each key means is given."""

    def __init__(self, text: str, answers: Mapping[str, str]) -> None:
        super().__init__()
        self.text = text
        self.answers = answers

    def compose(self) -> ComposeResult:
        """Lay the question out."""
        yield Static(self.text, id="question", markup=False)

    def on_key(self, event: events.Key) -> None:
        """Take an answer; Escape is none."""
        event.stop()
        if event.key == "escape":
            self.dismiss("")
        elif event.key.lower() in self.answers:
            self.dismiss(self.answers[event.key.lower()])


class Sheet(Screen[None]):
    """One player's board."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False, priority=True),
        Binding("f2", "resign", show=False),
        Binding("f3", "accuse", show=False),
        Binding("f4", "acknowledge", show=False),
        Binding("f5", "plan", show=False),
        Binding("f6", "hand", show=False),
        Binding("f7", "draw", show=False),
        Binding("pageup", "log(-1)", show=False, priority=True),
        Binding("pagedown", "log(1)", show=False, priority=True),
        *(Binding(letter, f"guess('{letter}')", show=False) for letter in Tray.PIECES),
        Binding("backspace", "unplan", show=False),
    ]

    def __init__(self, seated: Player) -> None:
        super().__init__()
        self.seated = seated
        self.held = ""
        self.piece = ""
        self.plan: list[str] = []
        self.tries: list[str] = []
        self.notice = ""

    @property
    def parlour(self) -> "Parlour":
        """The program."""
        assert isinstance(self.app, Parlour)  # noqa: S101 - made by it
        return self.app

    def compose(self) -> ComposeResult:
        """Lay the table out."""
        with Horizontal():
            yield Board(self.seated.seat, id="board")
            with Vertical(id="side"):
                yield Static(id="head", markup=False)
                yield Tray(self.seated.seat)
                with VerticalScroll(id="log", can_focus=False):
                    yield Static(id="heard", markup=False)
                yield Static(id="tries", markup=False)
                yield Static(id="notice", markup=False)
        yield Static(id="keys")

    def on_mount(self) -> None:
        """Show what there is."""
        self.query_one(Board).focus()
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """Draw the board as large as it can be."""
        self.query_one(Board).fit(*unit_for(event.size.width - SIDE, event.size.height - 2))
        self.call_after_refresh(self._draw)  # the log is broken anew

    # ── what is shown ──────────────────────────────────────────────────────────────────────────────────────────────

    def _draw(self) -> None:
        seated, language = self.seated, self.parlour.language
        file = seated.standing
        head = word("you", language, side=side_words(seated.seat, language), ply=file.ply)
        self.query_one("#head", Static).update(f"{file.name} · {head}", layout=True)
        lines: list[str] = []
        tries = " ".join(self.plan or self.tries)
        if (view := file.view) is not None:
            self.query_one(Board).put(tray(view), seated.guesses, self.held, self._goals())
            lines = hanging(log_words(file.log, language), self.query_one("#heard", Static).size.width)
            if isinstance(view, Sight) and not tries and view.refused:
                tries = " ".join(f"{move.uci()}✗" for move in view.refused)
        self.query_one("#heard", Static).update("\n".join(lines))
        log = self.query_one("#log", VerticalScroll)
        self.call_after_refresh(lambda: log.scroll_end(animate=False))
        self.query_one("#tries", Static).update(word("tries", language, tries=tries) if tries else "")
        self.query_one("#notice", Static).update(self.notice or self._duty())
        self.query_one("#keys", Static).update(key_words(self._keys(), language))

    def _goals(self) -> frozenset[str]:
        """Return where the piece in hand may be tried."""
        file = self.seated.standing
        if file.view is None or not self.held:
            return frozenset()
        tries = (move.uci() for move in file.rules.legal(file.view))
        return frozenset(text[2:4] for text in tries if text[:2] == self.held)

    def _keys(self) -> Iterator[tuple[str, str, str]]:
        """Tell which keys do something now, what, and by which action."""
        file, seat = self.seated.standing, self.seated.seat
        yield "Esc", "leave", "leave"
        if file.begun and file.verdict is None:
            yield "F2", "resign", "resign"
            yield "F3", "accuse", "accuse"
            if file.mode == "planned" and file.mover == seat:
                yield "F5", "plan", "plan"
        if file.verdict is not None and seat in file.unacknowledged:
            yield "F4", "acknowledge", "acknowledge"
        yield "F6", "hand", "hand"
        if file.mover == seat:
            yield "F7", "draw", "draw"
        yield "PgUp", "log", "log(-1)"

    def _duty(self) -> str:
        """Say what this player may do now."""
        seated, language = self.seated, self.parlour.language
        file = seated.standing
        if file.view is None:
            return word("wait", language)
        if file.verdict is not None:
            return word("acknowledge" if seated.seat in file.unacknowledged else "resigned", language)
        if file.mover != seated.seat:
            return word("made" if self.tries else "theirs", language)
        if self.held:
            at = (8 - int(self.held[1])) * 8 + "abcdefgh".index(self.held[0])
            piece = FIGURES.get(self.query_one(Board).seen[at], "·")
            return word("held", language, piece=piece, square=self.held)
        if file.plan:
            return word("planned", language)
        if offered(file.view):
            return word("offered", language)
        return word("planning" if file.mode == "planned" else "choose", language)

    # ── moves and guesses ──────────────────────────────────────────────────────────────────────────────────────────

    def on_tray_taken(self, message: Tray.Taken) -> None:
        """Hold a guessed piece, to be placed with the mouse."""
        self.piece = message.piece
        self.query_one(Board).focus()

    def on_board_chosen(self, message: Board.Chosen) -> None:
        """Place a guess, take up a piece, or try a move."""
        square = message.square
        file = self.seated.standing
        if self.piece:
            self._place(square, self.piece)
        elif not file.begun or (file.mover is not None and file.mover != self.seated.seat):
            self.action_hand()
        elif not self.held or self.held == square:
            self.held = "" if self.held else square
            self.notice = ""
            self._draw()
        else:
            text, self.held = self.held + square, ""
            if self._promotes(text):
                question = Question(word("becomes", self.parlour.language), BECOMES[self.parlour.language])
                self.app.push_screen(question, lambda piece: self._try(text + piece) if piece else self._draw())
            else:
                self._try(text)

    def _promotes(self, text: str) -> bool:
        at = (8 - int(text[1])) * 8 + "abcdefgh".index(text[0])
        return self.query_one(Board).seen[at] in "Pp" and text[3] in "18" and text[1] in "27"

    def _try(self, text: str) -> None:
        if self.seated.standing.mode == "planned":
            self.plan.append(text)
            self._draw()
            return
        rulings: list[Ruling] = []

        def attempt(seated: Player) -> Player:
            after, ruling = seated.attempt(text)
            rulings.append(ruling)
            return after

        if self._act(attempt):
            made = rulings[0].made
            answer = ". ".join(words(one, self.parlour.language) for one in rulings[0].said)
            self.tries.append(f"{text}{mark(made, rulings[0].said)}")
            self.notice = answer if not made else f"{answer}\n{word('made', self.parlour.language)}"
            self._draw()

    def action_draw(self) -> None:
        """Offer a draw, or accept the one that was offered."""
        self.held = ""
        self._try(AGREE)

    def action_log(self, pages: int) -> None:
        """Turn the pages of the log."""
        log = self.query_one("#log", VerticalScroll)
        log.scroll_relative(y=pages * max(1, log.size.height - 1), animate=False)

    def _place(self, square: str, piece: str) -> None:
        self._act(lambda seated: seated.guess({square: "" if piece == "x" else piece}))
        self._draw()

    def action_guess(self, piece: str) -> None:
        """Place a guess under the cursor."""
        self._place(self.query_one(Board).square, piece)

    def action_plan(self) -> None:
        """Sign the plan."""
        if self.plan and self._act(lambda seated: seated.plan(self.plan)):
            self.plan = []
            self._draw()

    def action_unplan(self) -> None:
        """Take the last try of the plan back."""
        self.plan = self.plan[:-1]
        self._draw()

    def _act(self, step: Callable[[Player], Player]) -> bool:
        """Do something that is saved before it is shown; a complaint is shown in its place."""
        try:
            self.seated = self.parlour.desk.act(self.seated, step)
        except ArbitreError as error:
            self.notice = said(error, self.parlour.language)
            self._draw()
            return False
        if self.seated.standing.open:
            self.parlour.sit(self.seated)
            return False
        return True

    # ── leaving ────────────────────────────────────────────────────────────────────────────────────────────────────

    def action_resign(self) -> None:
        """Give up, when asked twice."""
        self._confirmed("resign?", lambda seated: seated.resign())

    def action_accuse(self) -> None:
        """Accuse the referee, with a warning."""
        self._confirmed("accuse?", lambda seated: seated.resign(accuse=True))

    def _confirmed(self, question: str, step: Callable[[Player], Player]) -> None:
        def answered(answer: str | None) -> None:
            if answer == "y":
                self.notice = ""
                self._act(step)
                self._draw()

        answers = YES[self.parlour.language] | NO
        self.app.push_screen(Question(word(question, self.parlour.language), answers), answered)

    def action_acknowledge(self) -> None:
        """Acknowledge the other's resignation, which opens the board."""
        self._act(lambda seated: seated.acknowledge())

    def action_hand(self) -> None:
        """Hide everything and let the other player sit down."""
        self.parlour.hand_over()

    def action_leave(self) -> None:
        """Leave without moving, or with the piece put down first."""
        if self.held or self.piece:
            self.held = self.piece = ""
            self.query_one(Tray).piece = ""
            self.query_one(Tray).refresh()
            self._draw()
        else:
            self.parlour.leave()


class Parlour(App[str]):
    """The terminal program: one file, one or two players."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #door { width: 60; height: auto; margin: 4 8; }
    #door Static { margin: 1 0; }
    #side { padding: 0 2; }
    #log { height: 1fr; min-height: 4; scrollbar-size-vertical: 1; }
    #heard { height: auto; }
    #head, #tries { height: auto; }
    #notice { height: auto; margin: 1 0; }
    #keys { height: auto; dock: bottom; background: $surface; }
    #boards { height: auto; }
    .seen { height: auto; padding: 0 2 0 0; }
    .title { height: 1; text-style: bold; text-wrap: nowrap; text-overflow: ellipsis; }
    #notice { text-style: bold; }
    Question { align: center middle; }
    #question { width: 60; height: auto; padding: 1 2; border: heavy $warning; background: $surface; }
    #verdict, #place { text-style: bold; height: auto; }
    #said { height: auto; }
    """

    def __init__(
        self, desk: Desk, language: Language = "en", work: Work = USUAL, mode: Mode = "classic", sealing: str = "default"
    ) -> None:
        super().__init__()
        self.desk = desk
        self.language: Language = language
        self.work = work
        self.mode: Mode = mode
        self.sealing = sealing
        """How a game that is called here is played and sealed."""

    def on_mount(self) -> None:
        """Ask who is there."""
        self.push_screen(Door())

    def sit(self, seated: Player) -> None:
        """Let a player at the table, or show the whole game when it is over."""
        self.switch_screen(Replay(seated, self) if isinstance(seated, Seated) and seated.file.open else Sheet(seated))

    def hand_over(self) -> None:
        """Take the table away and ask for the other player."""
        self.switch_screen(Door(covered=True))

    def leave(self) -> None:
        """End the program."""
        self.exit(word("left", self.language, path=self.desk.path) if self.desk.path.exists() else None)
