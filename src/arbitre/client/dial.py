"""A bot on a pipe, lent to a site that it dials: what `arbitre bot join` does (the manual's page "Dial-in").

One process plays one match. It is started when the match is first asked about, told `hello` as on any pipe, and started again
where it dies: up to a few times for one question, then it resigns. A line of questions that is cut, or silent for too long, is
opened again under the same name, and what was asked meanwhile comes again; where a proxy lets no stream through, questions are
fetched one by one. Nothing here needs more than threads and pipes, so that it runs wherever Python does.
"""

import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import IO, Any, Literal, NamedTuple, TypeAlias
from uuid import uuid4

from arbitre.client.wire import CUT, Wire
from arbitre.errors import SiteError, shorten

FIRST_SECONDS = 4.0
"""Within so many seconds a stream says its first word; else something on the way keeps it back."""
SILENT_SECONDS = 25.0
"""A line on which nothing came for so long is dead."""
WAIT_SECONDS = 20
LONGEST_QUESTION = 1 << 26
"""A record may be long."""
STARTS = 3
"""How often a bot is started for one question."""
LONGEST_PAUSE = 5.0
LAST_SECONDS = 2.0
"""How long a bot may take to stop."""
POSTS = 20
"""How often an answer is sent that gets no reply."""

What: TypeAlias = Literal["begins", "moves", "over", "said", "died", "late", "refused", "polling", "cut", "practice"]


class Told(NamedTuple):
    """What happens, for whoever looks on."""

    what: What
    match: str = ""
    text: str = ""


class _Bot:
    """One process, on its pipes."""

    def __init__(self, command: Sequence[str], heard: Callable[[str], None]) -> None:
        alone: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {"creationflags": 0x200}  # not our Ctrl-C
        self._process = subprocess.Popen(  # noqa: S603 - whoever joins names it
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **alone
        )
        threading.Thread(target=self._overhear, args=(self._process.stderr, heard), daemon=True).start()

    @staticmethod
    def _overhear(errors: IO[bytes], heard: Callable[[str], None]) -> None:
        for row in errors:
            heard(row.decode("utf-8", "replace").rstrip())
        errors.close()

    def say(self, text: str) -> None:
        assert self._process.stdin is not None  # noqa: S101 - we asked for the pipe
        self._process.stdin.write(text.encode())
        self._process.stdin.flush()

    def hear(self) -> str:
        """Return its next line that is no comment; `EOFError` where it is gone."""
        assert self._process.stdout is not None  # noqa: S101
        for row in self._process.stdout:
            line = str(row, "utf-8", "replace").strip()
            if line and not line.startswith("#"):
                return line
        raise EOFError

    def stop(self) -> None:
        """End it, whatever it is doing."""
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                if pipe is not None and pipe is self._process.stdin:
                    pipe.close()
            except OSError:
                pass  # it was gone before
        try:
            self._process.wait(LAST_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


class _Table(threading.Thread):
    """One match: its bot, and the questions that come for it, one after the other."""

    def __init__(self, command: Sequence[str], wire: Wire, match: str, tell: Callable[[Told], None]) -> None:
        super().__init__(name=match, daemon=True)
        self._command = command
        self._wire = wire
        self._match = match
        self._tell = tell
        self._bot: _Bot | None = None
        self._said: dict[str, str] = {}
        """What was answered to each question: one that comes again, after a cut, gets the same answer."""
        self.questions: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()

    def run(self) -> None:
        """Answer until the match is over, or nobody wants to play any more."""
        try:
            while (question := self.questions.get()) is not None:
                if question["what"] == "end":
                    self._tell(Told("over", self._match, question["text"].strip()))
                    if self._bot is not None and question["text"]:
                        self._try(lambda bot: bot.say(question["text"]))
                if question["answers"]:
                    self._send(question, self._said.get(question["id"]) or self._answer(question))
        finally:
            self.stop()

    def stop(self) -> None:
        """End the bot."""
        bot, self._bot = self._bot, None
        if bot is not None:
            bot.stop()

    def _answer(self, question: dict[str, Any]) -> str:
        for _ in range(STARTS):
            said = self._try(lambda bot: self._ask(bot, question))
            if said is not None:
                self._said[question["id"]] = said
                return said
        return "resign the bot died" if question["what"] == "ask" else ""

    def _try(self, do: Callable[[_Bot], str | None]) -> str | None:
        """Return what a living bot says; None where it died over it."""
        try:
            if self._bot is None:
                self._bot = _Bot(self._command, lambda line: self._tell(Told("said", self._match, line)))
            return do(self._bot)
        except (OSError, EOFError) as error:
            self._tell(Told("died", self._match, str(error)))
            self.stop()
            return None

    def _ask(self, bot: _Bot, question: dict[str, Any]) -> str:
        if question["what"] != "hello" and bot is not self._greeted:
            bot.say(question["hello"])  # it is started amid the match: its own hello was said before
            bot.hear()
        self._greeted = bot
        bot.say(question["text"])
        return bot.hear()

    _greeted: _Bot | None = None

    def _send(self, question: dict[str, Any], said: str) -> None:
        """Send an answer until it is accepted, or not wanted any more."""
        for attempt in range(POSTS if said else 0):
            try:
                self._wire.ask("POST", "/api/engines/me/answers", {"id": question["id"], "said": said})
            except SiteError as error:
                if error.status in (0, 429) or error.status >= 500:
                    time.sleep(min(LONGEST_PAUSE, 0.2 * (attempt + 1)))
                    continue
                self._tell(Told("late" if error.status == 410 else "refused", self._match, str(error)))
                if error.status == 400 and question["what"] == "ask" and not said.startswith("resign"):
                    self._send(question, "resign the bot says what is no line of the protocol")
                return
            if question["what"] == "ask":
                self._tell(Told("moves", self._match, said))
            return


class Lent:
    """A bot that plays for an engine of a site, until it is told to leave."""

    def __init__(self, wire: Wire, command: Sequence[str], tell: Callable[[Told], None]) -> None:
        self._wire = wire
        self._command = command
        self._tell = tell
        self._name = uuid4().hex[:12]
        self._tables: dict[str, _Table] = {}
        self._after = 0
        self._polls = False
        self.finished = 0

    def play(self, games: int | None = None, *, practice: bool = False) -> None:
        """Answer every question, until so many games are over and none goes on; `SiteError` where the token is not good."""
        if practice:
            threading.Thread(target=self._practise, daemon=True).start()
        try:
            while not self._done(games):
                self._line(games)
        finally:
            self.leave()

    def _practise(self) -> None:
        """Begin a game against the house, as soon as the site knows that we listen."""
        with self._wire.twin() as wire:
            for attempt in range(POSTS):
                try:
                    found = wire.ask("POST", "/api/engines/me/practice", {"level": 1})
                except SiteError as error:
                    if error.status == 401:
                        return  # the line says so itself
                    time.sleep(0.2 * (attempt + 1))
                else:
                    self._tell(Told("practice", text=found["url"]))
                    return

    def _done(self, games: int | None) -> bool:
        return games is not None and self.finished >= games and not self._tables

    def _line(self, games: int | None) -> None:
        """Read questions until the line is cut; then take breath."""
        try:
            for question in self._questions():
                self._take(question)
                if self._done(games):
                    return
        except TimeoutError:
            if not self._after and not self._polls:
                self._polls = True
                self._tell(Told("polling"))
                return
            self._tell(Told("cut"))
        except CUT as error:
            self._tell(Told("cut", text=str(error)))
        except SiteError as error:
            if not (error.status in (0, 429) or error.status >= 500):
                raise
            self._tell(Told("cut", text=str(error)))
        else:
            if self._polls:
                return
        time.sleep(0.5)

    def _questions(self) -> Iterator[dict[str, Any]]:
        path = f"/api/engines/me/questions?listener={self._name}"
        if self._polls:
            return self._wire.stream(f"{path}&after={self._after}&wait={WAIT_SECONDS}", first=30.0, longest=LONGEST_QUESTION)
        return self._wire.stream(path, first=FIRST_SECONDS, silence=SILENT_SECONDS, longest=LONGEST_QUESTION)

    def _take(self, question: dict[str, Any]) -> None:
        self._after, match, over = question["n"], question["match"], question["what"] == "end"
        if match not in self._tables:
            if over:
                return
            self._tell(Told("begins", match, question["hello"].split()[2]))
            self._tables[match] = _Table(self._command, self._wire.twin(), match, self._tell)
            self._tables[match].start()
        self._tables[match].questions.put(question)
        if over:
            table = self._tables.pop(match)
            table.questions.put(None)
            table.join(LAST_SECONDS + 1)
            self.finished += bool(question["text"])

    def leave(self) -> None:
        """Stop every bot, and tell the site that others may go on."""
        with suppress(SiteError):
            self._wire.ask("DELETE", f"/api/engines/me/questions?listener={self._name}")
        for one in self._tables.values():
            one.questions.put(None)
            one.stop()
        self._tables.clear()


def joined(url: str, code: str, name: str, game: str, language: str = "") -> dict[str, Any]:
    """Join a lesson by the code on the blackboard and a name; return the engine with its token."""
    with Wire(url, "", language) as wire:
        return dict(wire.ask("POST", "/api/classes/lesson", {"code": code, "name": name, "game": game}))


def quoted(text: str) -> str:
    """Return words of a bot or a site, bounded, for a line of a terminal."""
    return shorten("".join(one if one.isprintable() else " " for one in text), 120)
