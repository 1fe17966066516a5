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
from urllib.parse import urlencode
from uuid import uuid4

from arbitre.client.wire import CUT, Wire
from arbitre.errors import PlayerError, PlayerGarbledError, PlayerLeftError, SiteError, shorten
from arbitre.reasons import Reason, reason_of

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
"""How long a bot may take to stop; it is asked twice, then killed."""
LEAVING_SECONDS = 30.0
"""At most so long is waited for the bots of a match when their program leaves: what lives in a sandbox ends in the system's own
time, which on a busy machine is seconds more."""
MOST_HELD = 100
"""Matches that are named when a line is opened again."""
POSTS = 20
"""How often an answer is sent that gets no reply."""
LONGEST_SAID = 1 << 17
"""Octets of a line that a bot says."""
SIGNING_SECONDS = 30.0
"""How long a bot that named a key waits for the record, when the match is over."""
LONGEST_NOTE = 4096
"""Characters of what a bot says about its move that are passed on."""
MOST_ASIDE = 10_000
"""Comments and remarks before an answer."""
CHUNK = 1 << 16
MOST_TOLD, LONGEST_TOLD = 200, 500
"""Lines that a bot prints beside which are told, and octets of each."""
BREATH_SECONDS = 0.05
"""How long a bot is left alone that floods its standard error."""

What: TypeAlias = Literal["begins", "moves", "over", "said", "died", "late", "refused", "polling", "cut", "practice", "unplayed"]


class Told(NamedTuple):
    """What happens, for whoever looks on."""

    what: What
    match: str = ""
    text: str = ""
    why: Reason | None = None
    """The same for people, where it is a reason of ours."""


class Program:
    """One process, on its pipes. What it says is bounded: a line without end, or nothing but comments, ends it."""

    def __init__(self, process: "subprocess.Popen[bytes]", heard: Callable[[str], None]) -> None:
        self._process = process
        self.note = ""
        """What it said last about the move that it is asked for."""
        threading.Thread(target=self._overhear, args=(process.stderr, heard), daemon=True).start()

    @staticmethod
    def _overhear(errors: IO[bytes], heard: Callable[[str], None]) -> None:
        """Tell the first lines that it prints; what floods is read slowly, and waits for itself."""
        told, rest = 0, b""
        with suppress(OSError, ValueError):
            while data := os.read(errors.fileno(), CHUNK):
                *rows, rest = (rest + data).split(b"\n")
                for row in rows[: MOST_TOLD - told]:
                    heard(row[:LONGEST_TOLD].decode("utf-8", "replace").rstrip())
                told = min(MOST_TOLD, told + len(rows))
                rest = rest[:LONGEST_TOLD]
                if len(data) == CHUNK:
                    time.sleep(BREATH_SECONDS)
        if rest and told < MOST_TOLD:
            heard(rest.decode("utf-8", "replace").rstrip())
        with suppress(OSError):
            errors.close()

    def claim(self) -> bool:
        """Tell whether it may be asked; False where somebody else has ended it meanwhile."""
        return True

    def release(self) -> None:
        """Let others end it: it is not asked just now."""

    def say(self, text: str) -> None:
        """Send lines; `OSError` where it is gone."""
        self.note = ""
        assert self._process.stdin is not None  # noqa: S101 - we asked for the pipe
        self._process.stdin.write(text.encode())
        self._process.stdin.flush()

    def lines(self, question: dict[str, Any]) -> str:
        """Return a question as this program reads it: the lines of the pipe."""
        return str(question["text"])

    def hear(self) -> str:
        """Return its next line that answers something; `PlayerError` where it is gone, or never comes to the point."""
        assert self._process.stdout is not None  # noqa: S101
        for _ in range(MOST_ASIDE):
            row = self._process.stdout.readline(LONGEST_SAID)
            if not row:
                raise self.left()
            if not row.endswith(b"\n") and len(row) == LONGEST_SAID:
                raise PlayerGarbledError("it says a line without end")
            line = str(row, "utf-8", "replace").strip()
            if line.startswith("info "):
                self.note = line.removeprefix("info ").strip(" ")[:LONGEST_NOTE]
            elif line and not line.startswith("#"):
                return line
        raise PlayerGarbledError("it says nothing but comments")

    def left(self) -> PlayerLeftError:
        """Return that it is gone, and why, as far as that is known."""
        return PlayerLeftError("closed-output")

    def stop(self, *, at_once: bool = False) -> None:
        """End it, whatever it is doing; unless at once, it may say its last words."""
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(0 if at_once else LAST_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.terminate()  # who has started others ends them
            try:
                self._process.wait(LAST_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


Start: TypeAlias = Callable[[Callable[[str], None], Callable[[], bool]], Program | None]
"""Starts a bot, which tells the first what it prints beside; None where there is room only when the second says no."""


def started(command: Sequence[str]) -> Start:
    """Return what starts a command, apart from our Ctrl-C."""
    alone: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {"creationflags": 0x200}

    def start(heard: Callable[[str], None], _wanted: Callable[[], bool]) -> Program:
        process = subprocess.Popen(  # noqa: S603 - whoever joins names it
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **alone
        )
        return Program(process, heard)

    return start


class _Table(threading.Thread):
    """One match: its bot, and the questions that come for it, one after the other."""

    def __init__(self, start: Start, wire: Wire, engine: str, match: str, tell: Callable[[Told], None]) -> None:
        super().__init__(name=match, daemon=True)
        self._start_bot = start
        self._wire = wire
        self._engine = engine
        self._match = match
        self._tell = tell
        self._bot: Program | None = None
        self._greeted: Program | None = None
        self._over = False
        """Whether nobody waits for an answer any more."""
        self._asking = False
        self._signs = False
        self._said: dict[str, tuple[str, str]] = {}
        """What was answered to each question: one that comes again, after a cut, gets the same answer."""
        self.questions: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()

    def run(self) -> None:
        """Answer until the match is over, or nobody wants to play any more."""
        try:
            while (question := self.questions.get()) is not None:
                if question["what"] == "end":
                    self._tell(Told("over", self._match, question["text"].strip()))
                    self._say_end(question["text"])
                if question["answers"] and not self._over:
                    self._send(question, *(self._said.get(question["id"]) or self._answer(question)))
        finally:
            self.stop()
            self._wire.close()

    def _say_end(self, text: str) -> None:
        """Tell the bot how the match ended, where it is there to hear it."""
        bot = self._bot
        if bot is not None and text and bot.claim():
            with suppress(OSError, ValueError):  # it is gone, or was ended just now
                bot.say(text)
            bot.release()

    @property
    def signs(self) -> bool:
        """Whether the bot named a key: it is shown the record when the match is over."""
        return self._signs

    def finish(self) -> None:
        """Ask no more; a bot that is still thinking is ended."""
        self._over = True
        self.questions.put(None)
        if self._asking:
            self.stop(at_once=True)

    def stop(self, *, at_once: bool = False) -> None:
        """End the bot."""
        bot, self._bot = self._bot, None
        if bot is not None:
            bot.stop(at_once=at_once)

    def _answer(self, question: dict[str, Any]) -> tuple[str, str]:
        """Return what a bot answers, and what it says about that."""
        for _ in range(STARTS):
            if self._over:
                return "", ""
            said = self._try(question)
            if said is not None:
                self._said[question["id"]] = said
                self._signs = self._signs or (question["what"] == "hello" and " key=" in said[0])
                return said
        return "resign the bot died" if question["what"] == "ask" else "", ""

    def _try(self, question: dict[str, Any]) -> tuple[str, str] | None:
        """Return what a living bot says; None where it died over it."""
        bot = self._bot
        if bot is not None and not bot.claim():
            bot = None
        try:
            if bot is None:
                self._bot = bot = self._start_bot(self._heard, lambda: not self._over)
            if bot is None:
                return None
            self._asking = True
            if self._over:  # while it was started the match went on without it
                self.stop(at_once=True)
                return None
            return self._ask(bot, question), bot.note
        except (OSError, PlayerError, ValueError) as error:  # a pipe that is closed while it is read raises the last
            if not self._over:
                self._tell(Told("died", self._match, str(error), reason_of(error)))
            self.stop()
            return None
        finally:
            self._asking = False
            if bot is not None:
                bot.release()

    def _heard(self, line: str) -> None:
        self._tell(Told("said", self._match, line))

    def _ask(self, bot: Program, question: dict[str, Any]) -> str:
        if question["what"] != "hello" and bot is not self._greeted:
            bot.say(question["hello"])  # it is started amid the match: its own hello was said before
            bot.hear()
        self._greeted = bot
        bot.say(bot.lines(question))
        return bot.hear()

    def _send(self, question: dict[str, Any], said: str, note: str = "") -> None:
        """Send an answer, and what is said about it, until it is accepted, or not wanted any more."""
        for attempt in range(POSTS if said else 0):
            try:
                body = {"id": question["id"], "said": said} | ({"note": note} if note else {})
                self._wire.ask("POST", f"/api/engines/{self._engine}/answers", body)
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

    def __init__(self, wire: Wire, start: Start, tell: Callable[[Told], None], engine: str = "me", name: str = "") -> None:
        self._wire = wire
        self._start = start
        self._tell = tell
        self._engine = engine
        """As which it plays; `me`: the one whose token it is."""
        self._name = name or uuid4().hex[:12]
        self._tables: dict[str, _Table] = {}
        self._signing: dict[str, _Table] = {}
        self._ending: list[_Table] = []
        self._taking = threading.Lock()
        """Who leaves knows of every match that was begun, and none is begun after."""
        self._left = False
        self._after = 0
        self._polls = False
        self.finished = 0

    def play(self, games: int | None = None, *, practice: bool = False) -> None:
        """Answer every question, until so many games are over and none goes on; `SiteError` where the token is not good."""
        if practice:
            threading.Thread(target=self._practise, daemon=True).start()
        try:
            while not self._left and not self._done(games):
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
        if games is None or self.finished < games or self._tables:
            return False
        return not any(one.is_alive() for one in self._signing.values())

    def _line(self, games: int | None) -> None:
        """Read questions until the line is cut; then take breath."""
        try:
            for question in self._questions():
                self._take(question)
                if self._left or self._done(games):
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
        if not self._left:
            time.sleep(0.5)

    def _questions(self) -> Iterator[dict[str, Any]]:
        path = f"/api/engines/{self._engine}/questions?listener={self._name}"
        if self._polls:
            return self._wire.stream(f"{path}&after={self._after}&wait={WAIT_SECONDS}", first=30.0, longest=LONGEST_QUESTION)
        if held := list(self._tables)[:MOST_HELD]:
            path += "&" + urlencode({"holds": " ".join(held)})
        return self._wire.stream(path, first=FIRST_SECONDS, silence=SILENT_SECONDS, longest=LONGEST_QUESTION)

    def _take(self, question: dict[str, Any]) -> None:
        self._after, match, what = question["n"], question["match"], question["what"]
        table = self._tables.get(match)
        if what == "record" and (signing := self._signing.pop(match, None)) is not None:
            signing.questions.put(question)
            signing.questions.put(None)
        elif what == "end":
            if table is not None:
                self._end(table, question)
        else:
            with self._taking:
                if self._left:
                    return
                if table is None:
                    self._tell(Told("begins", match, question["hello"].split()[2]))
                    table = self._tables[match] = _Table(self._start, self._wire.twin(), self._engine, match, self._tell)
                    table.start()
            table.questions.put(question)

    def _end(self, table: _Table, question: dict[str, Any]) -> None:
        """Let a match be over; a bot that named a key waits for the record."""
        del self._tables[question["match"]]
        table.questions.put(question)
        self.finished += bool(question["text"])
        if table.signs and question["text"]:
            self._signing[question["match"]] = table
            waiting = threading.Timer(SIGNING_SECONDS, table.finish)  # a site that dies now shows no record
            waiting.daemon = True
            waiting.start()
        else:
            table.finish()
        self._ending = [one for one in (*self._ending, table) if one.is_alive()]

    def leave(self) -> None:
        """Stop every bot, and tell the site that others may go on; from whichever thread."""
        with self._taking:
            first, self._left = not self._left, True
        if not first:
            return
        with suppress(SiteError), self._wire.twin() as wire:
            wire.ask("DELETE", f"/api/engines/{self._engine}/questions?listener={self._name}")
        tables = list(self._tables.values())
        for one in tables:
            one.finish()
        for one in (*tables, *self._ending):
            one.join(LEAVING_SECONDS)


def joined(url: str, code: str, name: str, game: str, language: str = "") -> dict[str, Any]:
    """Join a lesson by the code on the blackboard and a name; return the engine with its token."""
    with Wire(url, "", language) as wire:
        return dict(wire.ask("POST", "/api/classes/lesson", {"code": code, "name": name, "game": game}))


def quoted(text: str) -> str:
    """Return words of a bot or a site, bounded, for a line of a terminal."""
    return shorten("".join(one if one.isprintable() else " " for one in text), 120)
