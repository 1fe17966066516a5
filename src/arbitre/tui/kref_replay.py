"""A finished game of Kriegspiel, stepped through: what each player saw beside the truth, drawn from the reader's own side."""

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from arbitre.games.game import FIRST, SECOND
from arbitre.games.kriegspiel.announcements import words
from arbitre.games.kriegspiel.notation import tray
from arbitre.kref.game import Seated
from arbitre.records.event import Kind
from arbitre.referee.story import Told, tell
from arbitre.tui.kref_board import MARGIN, Board, unit_for
from arbitre.tui.kref_words import hanging, key_words, log_words, side_words, step_words, verdict_words, word

if TYPE_CHECKING:
    from arbitre.tui.kref import Parlour

AROUND = 10
"""Lines around the boards: verdict, titles, what was said, a few lines of the log, keys."""
GAP = 2
KEYS = (
    ("←", "back", "step(-1)"),
    ("→", "on", "step(1)"),
    ("Home", "start", "step(-100000)"),
    ("End", "end", "step(100000)"),
    ("Esc", "leave", "leave"),
)


class Replay(Screen[None]):
    """A finished game, step by step."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", show=False),
        Binding("right,space,enter", "step(1)", show=False),
        Binding("home", "step(-100000)", show=False),
        Binding("end", "step(100000)", show=False),
        Binding("escape", "leave", show=False, priority=True),
    ]

    def __init__(self, seated: Seated, parlour: "Parlour") -> None:
        super().__init__()
        self.parlour = parlour
        self.seated = seated
        self.told: Told = tell(seated.file.record())
        self.verdict = seated.file.verdict
        self.at = len(self.told.moments)

    def compose(self) -> ComposeResult:
        """Lay the boards out, and below them the log."""
        language = self.parlour.language
        yield Static(id="verdict", markup=False)
        with Horizontal(id="boards"):
            for title in self._titles():
                with Vertical(classes="seen"):
                    yield Static(title, classes="title", markup=False)
                    yield Board(self.seated.seat, played=False)
        yield Static(id="said", markup=False)
        with VerticalScroll(id="log", can_focus=False):
            yield Static(id="heard", markup=False)
        yield Static(id="place", markup=False)
        yield Static(key_words(KEYS, language), id="keys")

    def _titles(self) -> tuple[str, str, str]:
        language, names = self.parlour.language, self.told.names
        white, black = (word("saw", language, name=names[seat], side=side_words(seat, language)) for seat in (FIRST, SECOND))
        return white, word("truth", language), black

    def on_mount(self) -> None:
        """Begin at the end."""
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """Draw the boards as large as they can be."""
        unit = unit_for(event.size.width - 3 * GAP, event.size.height - AROUND, boards=3)
        for board in self.query(Board):
            board.fit(*unit)
        for column in self.query(".seen"):  # as wide as the window allows: headings are longer than small boards
            column.styles.width = max(MARGIN + 8 * unit[0] + GAP, event.size.width // 3)
        self.call_after_refresh(self._draw_log)

    def _draw(self) -> None:
        told, language = self.told, self.parlour.language
        moment = told.moments[self.at - 1] if self.at else None
        truth = (moment.affairs if moment else told.start).truth
        rules = told.match.game
        for board, view in zip(self.query(Board), (rules.view(truth, FIRST), truth, rules.view(truth, SECOND)), strict=True):
            board.put(tray(view))
        if self.verdict is not None:
            self.query_one("#verdict", Static).update(verdict_words(self.verdict, told.names, language))
        step = f"{step_words(moment.event, language)} · " if moment else ""
        self.query_one("#said", Static).update(step + ". ".join(words(one, language) for one in truth.now))
        self.query_one("#place", Static).update(word("step", language, at=self.at, all=len(told.moments)))
        self._draw_log()

    def _draw_log(self) -> None:
        """Show the log, with an arrow before the try that was just made."""
        log = self.seated.file.log(self.seated.seat)
        tries = sum(one.event.kind is Kind.SAID for one in self.told.moments[: self.at])
        lines, number, here = log_words(log, self.parlour.language), 0, 0
        for at, line in enumerate(log):
            number += not line.begins
            if tries and number == tries and not line.begins:
                here, lines[at] = at, f"  ▶{lines[at][3:]}"
        heard = self.query_one("#heard", Static)
        above = len(hanging(lines[:here], heard.size.width))
        heard.update("\n".join(hanging(lines, heard.size.width)))
        scroll = self.query_one("#log", VerticalScroll)
        self.call_after_refresh(lambda: scroll.scroll_to(y=max(0, above - scroll.size.height // 2), animate=False))

    def action_step(self, by: int) -> None:
        """Step through the game."""
        self.at = max(0, min(len(self.told.moments), self.at + by))
        self._draw()

    def action_leave(self) -> None:
        """Leave."""
        self.parlour.leave()
