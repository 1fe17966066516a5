"""`arbitre kref FILE.ksg`: the Kriegspiel referee in the terminal (spec: kriegspiel, sections 2 and 3).

Three screens: the *door* asks for a password and hides everything; the *table* shows one player's board, guesses and what the
umpire said; the *replay* shows a finished game, both views beside the truth. Nothing of one player is on the screen, or below it,
when the other sits down: a table is taken away before the door opens.
"""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen, Screen
from textual.widgets import Footer, Input, Static

from arbitre.crypto.passwords import USUAL, Work
from arbitre.errors import ArbitreError, PasswordError
from arbitre.notation.announcements import SIDES, Language, words
from arbitre.notation.kriegspiel import drawing, tray
from arbitre.notation.picture import beside
from arbitre.referee.kref import Seated
from arbitre.referee.kref_course import Mode, Ruling
from arbitre.referee.story import Told, sentence, tell
from arbitre.rules.game import FIRST, SECOND
from arbitre.rules.kriegspiel import Sight
from arbitre.services.kref import Desk
from arbitre.tui.kref_board import Board, Tray
from arbitre.tui.kref_words import word


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
            yield Static(word("empty", self.parlour.language), markup=False)
            yield Static(id="trouble", markup=False)

    def on_mount(self) -> None:
        """Find out who is to come."""
        parlour = self.parlour
        name, language = parlour.desk.path.stem, parlour.language
        self.white = False
        if not parlour.desk.path.exists():
            said, named = word("call", language, name=name), True
        else:
            file = parlour.desk.read()
            self.white = named = file.course is None
            mover = "" if file.mover is None else f"({SIDES[language][file.mover]})"
            said = word("sit", language, name=name) if named else word("login", language, name=name, mover=mover)
        self.query_one("#who", Static).update(said + (f"\n{word('hidden', language)}" if self.covered else ""))
        self.query_one("#name", Input).display = named
        self.query_one("#name" if named else "#password", Input).focus()

    @property
    def parlour(self) -> "Parlour":
        """The program."""
        assert isinstance(self.app, Parlour)  # noqa: S101 - made by it
        return self.app

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on to the password, or look at it."""
        field = self.query_one("#password", Input)
        if event.input.id == "name":
            field.focus()
            return
        if not field.value:
            self.action_leave()
            return
        trouble = self.query_one("#trouble", Static)
        trouble.update(word("checking", self.parlour.language))
        typed, field.value, field.disabled = field.value, "", True
        try:
            seated = await asyncio.to_thread(self._seat, typed, self.query_one("#name", Input).value.strip())
        except ArbitreError as error:
            trouble.update(str(error))
            field.disabled = False
            field.focus()
        else:
            self.parlour.sit(seated)

    def _seat(self, password: str, name: str) -> Seated:
        desk, work = self.parlour.desk, self.parlour.work
        if not desk.path.exists():
            return desk.call(desk.path.stem, name or "Black", password, self.parlour.sealing, self.parlour.mode, work=work)
        with desk.opened() as game:
            if self.white and game.course is None:
                try:
                    # Black may look in before White has come: his password is his own, whatever the screen asks for
                    return desk.join(game, name or "White", password, work)
                except PasswordError:
                    return desk.login(game, password)
            return desk.login(game, password)

    def action_leave(self) -> None:
        """Leave without moving."""
        self.parlour.leave()


class Question(ModalScreen[str]):
    """A question that is answered with one key."""

    def __init__(self, text: str, answers: str) -> None:
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
            self.dismiss(event.key.lower())


class Table(Screen[None]):
    """One player's board."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "leave", priority=True),
        Binding("f2", "resign", "resign"),
        Binding("f3", "accuse", "accuse"),
        Binding("f4", "acknowledge", "acknowledge"),
        Binding("f5", "plan", "sign plan"),
        Binding("f6", "hand", "hand over"),
        *(Binding(letter, f"guess('{letter}')", show=False) for letter in Tray.PIECES),
        Binding("backspace", "unplan", show=False),
    ]

    def __init__(self, seated: Seated) -> None:
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
                yield Static(id="heard", markup=False)
                yield Static(id="tries", markup=False)
                yield Static(id="notice", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Show what there is."""
        self.query_one(Board).focus()
        self._draw()

    # ── what is shown ──────────────────────────────────────────────────────────────────────────────────────────────

    def _draw(self) -> None:
        seated, language = self.seated, self.parlour.language
        file = seated.file
        head = word("you", language, side=SIDES[language][seated.seat], ply=file.ply)
        self.query_one("#head", Static).update(f"{file.call.name} · {head}", layout=True)
        heard: list[str] = []
        tries = " ".join(self.plan or self.tries)
        if file.course is not None:
            view = seated.view
            self.query_one(Board).put(tray(view), seated.guesses, self.held)
            heard = [words(one, language) for told in (*view.past, view.now) for one in told][-11:]
            if isinstance(view, Sight) and not tries and view.refused:
                tries = " ".join(f"{move.uci()}✗" for move in view.refused)
        self.query_one("#heard", Static).update("\n".join(heard))
        self.query_one("#tries", Static).update(word("tries", language, tries=tries) if tries else "")
        self.query_one("#notice", Static).update(self.notice or self._duty())

    def _duty(self) -> str:
        """Say what this player may do now."""
        seated, language = self.seated, self.parlour.language
        file = seated.file
        if file.course is None:
            return word("wait", language)
        if file.verdict is not None:
            return word("acknowledge" if seated.seat in file.affairs.unacknowledged else "resigned", language)
        if file.mover != seated.seat:
            return word("made" if self.tries else "theirs", language)
        if file.course.plan is not None:
            return word("planned", language)
        return word("planning" if file.call.mode == "planned" else "choose", language)

    # ── moves and guesses ──────────────────────────────────────────────────────────────────────────────────────────

    def on_tray_taken(self, message: Tray.Taken) -> None:
        """Hold a guessed piece, to be placed with the mouse."""
        self.piece = message.piece
        self.query_one(Board).focus()

    def on_board_chosen(self, message: Board.Chosen) -> None:
        """Place a guess, take up a piece, or try a move."""
        square = message.square
        file = self.seated.file
        if self.piece:
            self._place(square, self.piece)
        elif file.course is None or (file.mover is not None and file.mover != self.seated.seat):
            self.action_hand()
        elif not self.held or self.held == square:
            self.held = "" if self.held else square
            self.notice = ""
            self._draw()
        else:
            text, self.held = self.held + square, ""
            if self._promotes(text):
                question = Question(word("becomes", self.parlour.language), "qrbn")
                self.app.push_screen(question, lambda piece: self._try(text + piece) if piece else self._draw())
            else:
                self._try(text)

    def _promotes(self, text: str) -> bool:
        at = (8 - int(text[1])) * 8 + "abcdefgh".index(text[0])
        return self.query_one(Board).seen[at] in "Pp" and text[3] in "18" and text[1] in "27"

    def _try(self, text: str) -> None:
        if self.seated.file.call.mode == "planned":
            self.plan.append(text)
            self._draw()
            return
        rulings: list[Ruling] = []

        def attempt(seated: Seated) -> Seated:
            after, ruling = seated.attempt(text)
            rulings.append(ruling)
            return after

        if self._act(attempt):
            made = rulings[0].made
            said = ". ".join(words(one, self.parlour.language) for one in rulings[0].said)
            self.tries.append(f"{text}{'✓' if made else '✗'}")
            self.notice = said if not made else f"{said}\n{word('made', self.parlour.language)}"
            self._draw()

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

    def _act(self, step: Callable[[Seated], Seated]) -> bool:
        """Do something that is saved before it is shown; a complaint is shown in its place."""
        try:
            self.seated = self.parlour.desk.act(self.seated, step)
        except ArbitreError as error:
            self.notice = str(error)
            self._draw()
            return False
        if self.seated.file.open:
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

    def _confirmed(self, question: str, step: Callable[[Seated], Seated]) -> None:
        def answered(answer: str | None) -> None:
            if answer == "y":
                self.notice = ""
                self._act(step)
                self._draw()

        self.app.push_screen(Question(word(question, self.parlour.language), "yn"), answered)

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


class Replay(Screen[None]):
    """A finished game, stepped through: what White saw, the truth, what Black saw."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "back"),
        Binding("right,space,enter", "step(1)", "on"),
        Binding("home", "step(-100000)", "start"),
        Binding("end", "step(100000)", "end"),
        Binding("escape", "leave", "leave", priority=True),
    ]

    def __init__(self, seated: Seated) -> None:
        super().__init__()
        self.told: Told = tell(seated.file.record())
        self.verdict = seated.file.verdict
        self.at = len(self.told.moments)

    @property
    def parlour(self) -> "Parlour":
        """The program."""
        assert isinstance(self.app, Parlour)  # noqa: S101 - made by it
        return self.app

    def compose(self) -> ComposeResult:
        """Lay the boards out."""
        yield Static(id="verdict", markup=False)
        yield Static(id="boards", markup=False)
        yield Static(id="said", markup=False)
        yield Static(id="place", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Begin at the end."""
        self._draw()

    def _draw(self) -> None:
        told, language = self.told, self.parlour.language
        moment = told.moments[self.at - 1] if self.at else None
        truth = (moment.affairs if moment else told.start).truth
        rules = told.match.game
        views = (rules.view(truth, FIRST), truth, rules.view(truth, SECOND))
        if self.verdict is not None:
            self.query_one("#verdict", Static).update(sentence(self.verdict, told.names))
        titles = (word(key, language) for key in ("white", "truth", "black"))
        boards = (f"    {title}\n{drawing(tray(view), FIRST)}" for title, view in zip(titles, views, strict=True))
        self.query_one("#boards", Static).update(beside(*boards, gap=3))
        step = f"{SIDES[language][moment.event.seat]}: {moment.event.text or moment.event.kind.value}" if moment else ""
        self.query_one("#said", Static).update("\n".join([step, ". ".join(words(one, language) for one in truth.now)]))
        self.query_one("#place", Static).update(word("step", language, at=self.at, all=len(told.moments)))

    def action_step(self, by: int) -> None:
        """Step through the game."""
        self.at = max(0, min(len(self.told.moments), self.at + by))
        self._draw()

    def action_leave(self) -> None:
        """Leave."""
        self.parlour.leave()


class Parlour(App[str]):
    """The terminal program: one file, one or two players."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #door { width: 60; height: auto; margin: 4 8; }
    #door Static { margin: 1 0; }
    #side { padding: 0 2; }
    #heard { height: 11; }
    #head, #tries, #notice { height: auto; margin: 0 0 1 0; }
    #notice { text-style: bold; }
    Question { align: center middle; }
    #question { width: 60; height: auto; padding: 1 2; border: heavy $warning; background: $surface; }
    #verdict, #place { text-style: bold; margin: 1 0; }
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

    def sit(self, seated: Seated) -> None:
        """Let a player at the table, or show the whole game when it is over."""
        self.switch_screen(Replay(seated) if seated.file.open else Table(seated))

    def hand_over(self) -> None:
        """Take the table away and ask for the other player."""
        self.switch_screen(Door(covered=True))

    def leave(self) -> None:
        """End the program."""
        self.exit(word("left", self.language, path=self.desk.path) if self.desk.path.exists() else None)
