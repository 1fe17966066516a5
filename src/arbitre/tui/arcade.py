"""The arcade machine in the terminal: attract screen, duel, hall of fame (spec: arcade, section 5; look).

The duel is a table like any other, with the same referee and a record in the data folder. What the screen shows step by step is
what is said on the wire: what is committed, what is answered, what is shown and opened, and what was checked. The wire is French;
everything else is in the language of whoever plays. A tall terminal gets larger pictures.
"""

import os
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import RichLog, Static

from arbitre.arcade.bout import Finish, Issue, News, Step, Taken
from arbitre.arcade.fame import hall_of_fame
from arbitre.arcade.hands import hand_of
from arbitre.arcade.house import Shelf
from arbitre.arcade.ledger import Ledger
from arbitre.arcade.server import milliseconds
from arbitre.arcade.side import Side, Throw
from arbitre.arcade.table import Answers, Table
from arbitre.arcade.terms import LEVELS, Checks, Terms
from arbitre.arcade.voice import ROLE_WORDS, SIGN_KEYS, Language, fingerprint, level_word, tell
from arbitre.arcade.wire import Sign, Verb
from arbitre.crypto.chain import SEED_BYTES, commitment
from arbitre.crypto.elgamal import Key
from arbitre.crypto.groups import oakley
from arbitre.games.game import FIRST, SECOND, Seat, other
from arbitre.reasons import Reason
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.referee.terms import Chair
from arbitre.tui.arcade_words import CLOSED, EMPTY, TITLE, Drawing, hand, word

PACE = 0.18
"""Seconds between two steps of the duel on the screen."""

PATIENCE = 1.0
"""Seconds in which the person may call the referee, before a true opening is approved."""

TALL, WIDE = 36, 80
"""Lines and columns of a terminal from which on pictures are drawn large: three of them stand side by side."""

EVERYTHING = 1 << 62
"""A question of any cost is answered here and now: nobody else is waiting."""


def roomy(screen: Screen[None]) -> bool:
    """Tell whether large pictures fit."""
    return screen.size.height >= TALL and screen.size.width >= WIDE


class Choice:
    """The hand of the person at the keyboard: holds a sign when one was chosen."""

    def __init__(self) -> None:
        self.sign: Sign | None = None

    def throw(self, past: Sequence[Throw]) -> Sign | None:  # noqa: ARG002 - people have their own memory
        """Give the chosen sign away, once."""
        sign, self.sign = self.sign, None
        return sign


class Person(Side):
    """The person's side: whether to call the referee is decided at the keyboard."""

    calls = False

    def accuses(self, bout: object) -> bool:  # noqa: ARG002 - a person may accuse without looking
        """Call the referee if the key was pressed."""
        return self.calls


class Attract(Screen[None]):
    """The screen that waits for somebody."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "play", priority=True),
        Binding("left", "level(-1)"),
        Binding("right", "level(1)"),
        *(Binding(str(number), f"choose({number})") for number in range(1, len(LEVELS) + 1)),
        Binding("h,H", "fame"),
        Binding("q,Q", "app.quit"),
    ]

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield Static(id="title")
        yield Static(id="hands")
        yield Static(id="level")
        yield Static(id="coin")
        yield Static(word("keys attract", self.cabinet.language), classes="keys")

    def on_mount(self) -> None:
        """Begin to move."""
        self._frame = 0
        self._draw()
        if self.cabinet.pace:
            self.set_interval(0.6, self._draw)

    def on_screen_resume(self) -> None:
        """Show what was chosen meanwhile."""
        self._draw()

    def on_resize(self) -> None:
        """Draw in the size that fits."""
        self._draw()

    @property
    def cabinet(self) -> "Cabinet":
        """The machine."""
        assert isinstance(self.app, Cabinet)  # noqa: S101 - made by it
        return self.app

    def _draw(self) -> None:
        cabinet = self.cabinet
        language = cabinet.language
        self._frame += 1
        signs = list(Sign)
        large = roomy(self)
        shown = [hand(signs[(self._frame + at) % 3], language, large=large) for at in range(3)]
        self.query_one("#title", Static).update(f"{TITLE}\n\n{word('subtitle', language)}")
        self.query_one("#hands", Static).update("\n".join("    ".join(row) for row in zip(*shown, strict=True)))
        names = [f" {at} {level_word(name, language)} " for at, name in enumerate(LEVELS, 1)]
        chosen = list(LEVELS).index(cabinet.level)
        names[chosen] = f"[reverse]{names[chosen]}[/]"
        terms = LEVELS[cabinet.level]
        about = "vulnerable" if terms.checks is not Checks.FULL else "groups" if terms.groups else "nightmare"
        self.query_one("#level", Static).update(f"{'  '.join(names)}\n{word(about, language)}\n\n{word('levels', language)}")
        coin = word("coin", language)
        self.query_one("#coin", Static).update(f"[bold]▶ {coin} ◀[/]" if self._frame % 2 else f"  {coin}  ")

    def action_play(self) -> None:
        """Begin a match."""
        self.app.push_screen(Duel())

    def action_level(self, step: int) -> None:
        """Choose the level beside."""
        names = list(LEVELS)
        self.cabinet.level = names[(names.index(self.cabinet.level) + step) % len(names)]
        self._draw()

    def action_choose(self, number: int) -> None:
        """Choose a level by its number."""
        self.cabinet.level = list(LEVELS)[number - 1]
        self._draw()

    def action_fame(self) -> None:
        """Show who won."""
        self.app.push_screen(Hall())


class Hall(Screen[None]):
    """The hall of fame."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,h,H,q,Q", "app.pop_screen")]

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        assert isinstance(self.app, Cabinet)  # noqa: S101 - made by it
        language = self.app.language
        lines = [f"[bold]{word('fame', language).upper()}[/]", ""]
        best = hall_of_fame(self.app.store)
        for place, fame in enumerate(best, start=1):
            lines.append(
                f"{place:>2}  {level_word(fame.level, language):<10}  {fame.name[:24]:<24}  "
                f"{fame.scores[0]:>3} – {fame.scores[1]:<3}  {fame.date}"
            )
        if not best:
            lines.append(word("nobody", language))
        yield Static("\n".join(lines), id="fame")
        yield Static(word("back", language), classes="keys")


class Duel(Screen[None]):
    """One match."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(f"{letter},{letter.upper()}", f"letter('{letter}')") for letter in "rpsfc"),
        Binding("j,J", "referee"),
        Binding("enter", "again", priority=True),
        Binding("h,H", "fame"),
        Binding("q,Q", "leave"),
    ]

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield Static(id="head")
        yield Static(id="scores")
        with Horizontal(id="hands"):
            yield Static(id="mine")
            yield Static(id="middle")
            yield Static(id="theirs")
        yield Static(id="lane")
        yield RichLog(id="story", wrap=True, markup=True)
        yield Static(word("keys duel", self.cabinet.language), classes="keys")

    @property
    def cabinet(self) -> "Cabinet":
        """The machine."""
        assert isinstance(self.app, Cabinet)  # noqa: S101 - made by it
        return self.app

    def on_mount(self) -> None:
        """Open the table and say the person's key."""
        cabinet = self.cabinet
        seed = os.urandom(SEED_BYTES)
        answers = Answers()
        terms = cabinet.terms
        chairs = (Chair(cabinet.person), Chair(word("machine", cabinet.language), f"house:arcade/{terms.level}"))
        notes = {"date": datetime.now(UTC).date().isoformat()}
        shelf = Shelf(cabinet.store, commitment(seed)[:12], seed)
        self.ledger = Ledger(terms, chairs, shelf, cabinet.store.key(), notes=notes, seed=seed, oracle=answers)
        machine = Side(SECOND, hand_of(terms.level, SystemRandom()), Key(oakley(14)), answers)
        self.table = Table(self.ledger, answers, milliseconds, machine=machine, dear=EVERYTHING)
        self.table.told = self._told
        self.choice = Choice()
        self.person = Person(FIRST, self.choice, Key(oakley(14)), answers)
        self.names = (chairs[0].name, chairs[1].name)
        self.scores = (0, 0)
        self.shown: list[Sign | Drawing] = [EMPTY, EMPTY]
        self.lane: list[str] = []
        self.sealed = False
        self.timer: Timer | None = None
        self._news: deque[News] = deque()
        self._checks: deque[Reason | None] = deque()
        self._round = 0
        self._step = self.set_interval(cabinet.pace, self._next) if cabinet.pace else None
        self.table.open()
        self._speak()
        self._catch_up()

    # ── what happens at the table ──────────────────────────────────────────────────────────────────────────────────

    def _told(self, news: News) -> None:
        self._news.append(news)
        if isinstance(news, Taken) and news.command.verb is Verb.OPEN:
            self._checks.append(self.person.oracle(self.ledger.bout.opening))

    def _speak(self) -> None:
        """Say whatever the person's side has to say without asking."""
        while not self.ledger.over and (command := self.person.due(self.ledger.bout)) is not None:
            self.table.receive(FIRST, command.line())
            self.table.outbox.clear()
            if self.ledger.bout.step is Step.RULE:
                break

    def _catch_up(self) -> None:
        """Without motion, show everything at once."""
        if self._step is None:
            while self._news:
                self._next()
            self._next()
        self._draw()

    def _next(self) -> None:
        """Show the next thing that happened."""
        if self._news:
            self._show(self._news.popleft())
            self._draw()
        elif self.ledger.over and not self.sealed:
            self.sealed = True
            self.run_worker(self._seal())
        elif self._ruling and self.timer is None:
            self.timer = self.set_timer(self.cabinet.patience, self._approve)

    @property
    def _ruling(self) -> bool:
        """Whether the person has the last word about an opening."""
        bout = self.ledger.bout
        return bout.step is Step.RULE and FIRST in bout.awaited

    @property
    def ready(self) -> bool:
        """Whether a sign is waited for."""
        bout = self.ledger.bout
        return not self._news and FIRST in bout.awaited and bout.step in (Step.COMMIT, Step.ANSWER)

    def _approve(self) -> None:
        self.timer = None
        if self._ruling:
            self._speak()
            self._catch_up()

    async def _seal(self) -> None:
        """Sign the record, keep it, and show its seal."""
        if None not in self.ledger.bout.locks:
            self.ledger.seal()
            await self.ledger.journal.durable()
            head = self.cabinet.store.record(self.ledger.call.match).seal
            words = word("seal", self.cabinet.language).format(self.ledger.call.match, head.head[:8] if head else "")
            self.query_one("#story", RichLog).write(f"[green]◉[/] {words}")

    # ── what is shown ──────────────────────────────────────────────────────────────────────────────────────────────

    def _show(self, news: News) -> None:
        if isinstance(news, Taken):
            self._command(news)
        if isinstance(news, Issue):
            self.scores = news.scores
            self.person.see(news)
        log = self.query_one("#story", RichLog)
        for line in tell(news, self.names, self.cabinet.language, screen=True):
            if line.kind == "commentator":
                log.write(f"[bold]{line.words}[/]" if isinstance(news, Finish) else line.words)
            else:
                log.write(f"[yellow]┃ {line.kind.upper()}[/] {line.words}")

    def _command(self, news: Taken) -> None:
        """Show one command: what is closed, shown, opened, checked."""
        seat, (verb, numbers, sign) = news.seat, news.command
        if verb is Verb.COMMIT:
            self.lane, self.shown = [], [EMPTY, EMPTY]
            self.shown[seat] = CLOSED
            self._lane(seat, verb, f"r {_digits(numbers[0].digits(16))}  c {_digits(numbers[1].digits(16))}")
        elif verb is Verb.MOVE and sign is not None:
            self.shown[seat] = sign
            self._lane(seat, verb, sign.name)
        elif verb is Verb.OPEN:
            self._lane(seat, verb, f"k {_digits(numbers[0].digits(16))}")
            self._lane(other(seat), None, word("false" if self._checks.popleft() else "true", self.cabinet.language))
        elif verb in (Verb.OK, Verb.REFEREE):
            self._lane(seat, verb, "")

    def _lane(self, seat: Seat, verb: Verb | None, words: str) -> None:
        self.lane.append(f"{len(self.lane) + 1} {verb.value if verb else 'CHECK':<8} {self.names[seat][:12]:<12} {words}")

    def _draw(self) -> None:
        cabinet, bout = self.cabinet, self.ledger.bout
        language = cabinet.language
        keys = "" if None in bout.locks else f" · {fingerprint(bout)}"
        self.query_one("#head", Static).update(f"[reverse] ARCADE · {level_word(cabinet.terms.level, language)} [/]{keys}")
        self.query_one("#scores", Static).update("\n".join(self._score(seat) for seat in (FIRST, SECOND)))
        self.query_one("#mine", Static).update(self._picture(FIRST))
        self.query_one("#theirs", Static).update(self._picture(SECOND))
        self.query_one("#lane", Static).update("\n".join(self.lane))
        self._round = self._round if self._news else bout.round
        waits = ""
        if self.ledger.over and not self._news:
            waits = word("over", language)
        elif self.ready:
            waits = word("you start" if bout.step is Step.COMMIT else "you answer", language)
        elif self._ruling and not self._news:
            waits = word("checking", language)
        self.query_one("#middle", Static).update(
            f"{word('round', language)} {self._round}\n▸ {ROLE_WORDS[language][self._round % 2]}\n\n{waits}"
        )

    def _picture(self, seat: Seat) -> str:
        shown, large = self.shown[seat], self.has_class("tall")
        if isinstance(shown, Sign):
            return "\n".join(hand(shown, self.cabinet.language, large=large))
        return "\n".join(shown.under("commit" if shown is CLOSED else "", large=large))

    def _score(self, seat: Seat) -> str:
        goal = self.cabinet.terms.goal
        points = self.scores[seat]
        full = max(min(points, goal), 0) * 32 // goal
        colour = "#d9822b" if seat == FIRST else "#3b8ea5"
        return f"{self.names[seat][:16]:<16} [{colour}]{'█' * full}[/]{'░' * (32 - full)} {points:>3} / {goal}"

    # ── keys ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def on_resize(self) -> None:
        """Draw in the size that fits."""
        self.set_class(roomy(self), "tall")
        self._draw()

    def action_letter(self, letter: str) -> None:
        """Throw the sign that begins with a letter, when one is waited for; in French R calls the referee."""
        sign = SIGN_KEYS[self.cabinet.language].get(letter)
        if sign is None:
            if letter == "r":
                self.action_referee()
        elif self.ready:
            self.choice.sign = sign
            self._speak()
            self._catch_up()

    def action_referee(self) -> None:
        """Call the referee about the machine's opening."""
        if self._ruling and not self._news:
            if self.timer is not None:
                self.timer.stop()
                self.timer = None
            self.person.calls = True
            self._speak()
            self.person.calls = False
            self._catch_up()

    def action_again(self) -> None:
        """Play another match, when this one is over."""
        if self.sealed and not self._news:
            self.app.switch_screen(Duel())

    def action_fame(self) -> None:
        """Show who won, when this match is over."""
        if self.sealed and not self._news:
            self.app.push_screen(Hall())

    def action_leave(self) -> None:
        """Leave: a match that is not over is forfeited."""
        if not self.ledger.over:
            self.table.leave(FIRST)
            if None not in self.ledger.bout.locks:
                self.ledger.seal()
        self.app.pop_screen()


def _digits(text: str) -> str:
    return text if len(text) <= 16 else f"{text[:7]}…{text[-7:]}"


class Cabinet(App[None]):
    """The arcade machine."""

    CSS = """
    Screen { align: center top; }
    #title, #hands, #level, #coin { text-align: center; width: 100%; }
    #title { color: #d9822b; }
    Attract Static { height: 1fr; content-align: center middle; }
    Attract #hands { height: 2fr; }
    Attract .keys { height: 1; }
    #fame { margin: 1 2; }
    .keys { dock: bottom; width: 100%; text-align: center; color: $text-muted; }
    #head { width: 100%; }
    Duel #hands { height: 6; }
    #mine, #theirs { width: 14; height: 5; }
    #middle { width: 1fr; height: 5; text-align: center; }
    Duel.tall #hands { height: 10; }
    Duel.tall #mine, Duel.tall #theirs { width: 26; height: 9; }
    #lane { height: 6; margin: 0 1; color: $text-muted; }
    #story { height: 1fr; margin: 0 1; }
    """

    TITLE = "Arbitre arcade"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        data: Place | Path,
        *,
        level: str = "Difficile",
        language: Language = "en",
        name: str = "",
        pace: float = PACE,
        patience: float = PATIENCE,
        goal: int | None = None,
    ) -> None:
        super().__init__()
        self.level = level
        self.language: Language = language
        # brackets would be read as markup
        self.person = name.replace("[", "").replace("]", "")[:24] or ROLE_WORDS[language][FIRST]
        self.pace = pace
        self.patience = patience
        self.goal = goal
        self.store = Store(data)

    @property
    def terms(self) -> Terms:
        """What the chosen level fixes."""
        terms = LEVELS[self.level]
        if self.goal is None:
            return terms
        return Terms(terms.level, terms.encoding, terms.checks, terms.groups, self.goal, terms.rounds)

    def on_mount(self) -> None:
        """Wait for somebody."""
        self.push_screen(Attract())

    def on_unmount(self) -> None:
        """Close the books."""
        self.store.close()
