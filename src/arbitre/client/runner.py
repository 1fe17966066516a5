"""A machine that plays what others lend: what `arbitre runner` does (the manual's page "Kept sources and runners").

It fetches the sources that are lent to it and listens for their engines as `arbitre bot join` does for one. Each bot is a process
in a sandbox without network, its whole group bounded (`transport.bounds`), in a folder that holds its source alone. So many run
at a time, and of one person's a part of them; one more takes the place of the one that has waited longest for its turn, which is
started again when it is asked. So is one that waits for long: nobody computes here for himself between questions. A bot that was
killed is replaced the same way. What is lent no more is left at once; a new version plays the next match.
"""

import shutil
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from uuid import uuid4

from arbitre.client.dial import LEAVING_SECONDS, Lent, Program, Told
from arbitre.client.site import Client
from arbitre.errors import PlayerLeftError, SiteError
from arbitre.transport.bounds import Bounded, Bounds
from arbitre.transport.sandbox import Sandbox, works

LOOK_SECONDS = 4.0
"""So often it is looked what is lent, which tells the site that this machine is there: after 12 seconds without it is gone."""
IDLE_SECONDS = 30.0
"""A bot that was not asked for so long is ended, and started again when it is."""
WAIT_SECONDS = 1.0
"""So often who waits for a place looks whether the match still goes on."""
SHARE = 4
"""One person's bots have a quarter of all places."""
KEPT_VERSIONS = 2
ROOM = 8 << 20
"""Octets of each writable folder of a bot: they are memory, and nobody counts them."""
HARNESS = Path(__file__).with_name("harness.js")
NODE_ROOM = "--max-old-space-size"
FILES = {"python": "bot.py", "javascript": "bot.js"}


class Slots:
    """How many bots run at a time, whose, and which one makes room for another."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.changed = threading.Condition()
        self.running: list[BoundedProgram] = []
        """Who was asked longest ago comes first."""
        self.starting: list[int] = []
        """Whose bots have a place and are about to run."""

    def take(self, owner: int, wanted: Callable[[], bool]) -> bool:
        """Wait for room for one more of somebody's, made by bots that wait for their turn; return whether it is still wanted."""
        with self.changed:
            while wanted():
                mine = [one for one in self.running if one.owner == owner]
                alone = len(mine) + self.starting.count(owner) >= max(1, self.most // SHARE)
                among = mine if alone else self.running
                if not alone and len(self.running) + len(self.starting) < self.most:
                    self.starting.append(owner)
                    return True
                idle = next((one for one in among if not one.busy), None)
                if idle is None:
                    self.changed.wait(WAIT_SECONDS)
                else:
                    self._evict(idle)
        return False

    def begin(self, owner: int, one: "BoundedProgram | None") -> None:
        """Let a bot run on the place that was taken for it; None: it could not be started."""
        with self.changed:
            self.starting.remove(owner)
            if one is not None:
                self.running.append(one)
            self.changed.notify_all()

    def tidy(self, seconds: float = IDLE_SECONDS) -> None:
        """End every bot that was not asked for so long."""
        with self.changed:
            for one in [one for one in self.running if not one.busy and time.monotonic() - one.asked > seconds]:
                self._evict(one)

    def _evict(self, one: "BoundedProgram") -> None:
        one.evicted = True
        self.running.remove(one)
        one.end()
        self.changed.notify_all()

    def give(self, one: "BoundedProgram") -> None:
        """Let another have the place of a bot that is over."""
        with self.changed:
            if one in self.running:
                self.running.remove(one)
            self.changed.notify_all()


class BoundedProgram(Program):
    """A bot in a sandbox, its whole group bounded."""

    def __init__(self, slots: Slots, owner: int, bounded: Bounded, heard: Callable[[str], None], *, told_any: bool) -> None:
        self.owner = owner
        self.asked = time.monotonic()
        self._slots = slots
        self._bounded = bounded
        self._told_any = told_any
        self.busy = True
        self.evicted = False
        super().__init__(bounded.process, heard)

    def claim(self) -> bool:
        """Tell whether it is still there, and keep it for a question."""
        with self._slots.changed:
            self.busy = not self.evicted
            return self.busy

    def release(self) -> None:
        """Let it make room for another: it waits for its turn."""
        with self._slots.changed:
            self.busy, self.asked = False, time.monotonic()
            if self in self._slots.running:
                self._slots.running.remove(self)
                self._slots.running.append(self)
            self._slots.changed.notify_all()

    def lines(self, question: dict[str, Any]) -> str:
        """Return a question, before it some legal move for a program that does not know the rules."""
        some = f"any {question['any']}\n" if self._told_any and question["any"] else ""
        return some + str(question["text"])

    def left(self) -> PlayerLeftError:
        """Return that it is gone, and why, where the watcher has ended it."""
        return super().left() if self._bounded.killed is None else PlayerLeftError(self._bounded.killed)

    def end(self) -> None:
        """End it with everything that it started."""
        self._bounded.bury()

    def stop(self, *, at_once: bool = False) -> None:
        """End it, and make room."""
        del at_once  # it has nothing to say that anybody waits for
        self.end()
        self._slots.give(self)


class _Source:
    """A source that is lent, as this machine plays it."""

    def __init__(self, runner: "Runner", found: dict[str, Any]) -> None:
        self.number, self.engine, self.name, self.owner = found["id"], found["engine"], found["name"], found["owner"]
        self.language: str = found["language"]
        self.version = 0
        self._runner = runner
        self._folder: Path | None = None
        self._folders: list[Path] = []
        self.lent = Lent(runner.client.twin(), self.start, self.tell, str(self.engine), runner.name)
        self.thread = threading.Thread(target=self._play, name=self.name, daemon=True)

    def fetch(self, version: int) -> None:
        """Bring the newest text here, where it is another; a match that goes on keeps the file that it began with."""
        if version == self.version:
            return
        found = self._runner.client.ask("GET", f"/api/runners/sources/{self.number}")
        folder = self._runner.folder / f"{self.number}-{found['version']}"
        folder.mkdir(exist_ok=True)
        (folder / FILES[self.language]).write_text(found["text"], encoding="utf-8")
        self._folder, self.version = folder, found["version"]
        self._folders = [one for one in (*self._folders, folder) if one.exists()]
        for old in self._folders[:-KEPT_VERSIONS]:  # a bot may just be starting from the one before
            shutil.rmtree(old, ignore_errors=True)

    def start(self, heard: Callable[[str], None], wanted: Callable[[], bool]) -> Program | None:
        """Start a bot as soon as there is room for it; None where its match is over before."""
        runner, folder = self._runner, self._folder
        assert folder is not None  # noqa: S101 - its text came before it listens
        command = runner.command(self.language, folder)
        if not runner.slots.take(self.owner, wanted):
            return None
        made: BoundedProgram | None = None
        try:
            bounded = Bounded(runner.sandbox.wrap(command, folder), runner.bounds)
            made = BoundedProgram(runner.slots, self.owner, bounded, heard, told_any=self.language == "javascript")
        finally:
            runner.slots.begin(self.owner, made)
        return made

    def tell(self, told: Told) -> None:
        self._runner.tell(told._replace(match=f"{self.name} {told.match}".rstrip()))

    def _play(self) -> None:
        try:
            self.lent.play()
        except SiteError as error:
            self._runner.gone(self, error)


class Runner:
    """Plays what is lent to somebody's runners, until it is told to leave."""

    def __init__(
        self, client: Client, tell: Callable[[Told], None], klass: int | None = None, bots: int = 16, bounds: Bounds | None = None
    ) -> None:
        works()  # without a sandbox nothing of others runs here
        self.client = client
        self.name = uuid4().hex[:12]
        """Under which it listens, for every engine."""
        self.tell = tell
        self.klass = klass
        self.slots = Slots(bots)
        self.bounds = bounds or Bounds()
        self.folder = Path(mkdtemp(prefix="arbitre-runner-"))
        self.sandbox = Sandbox(room=ROOM)
        self.node = shutil.which("node") or ""
        self._sources: dict[int, _Source] = {}
        self._past = 0
        """Games of sources that are lent no more."""
        self._told: set[int] = set()

    @property
    def finished(self) -> int:
        """How many games were played to their end."""
        return self._past + sum(one.lent.finished for one in list(self._sources.values()))

    def play(self, games: int | None = None, look: float = LOOK_SECONDS) -> None:
        """Play until so many games are over; `SiteError` where the token is not good."""
        looked = 0.0
        try:
            while games is None or self.finished < games:
                if time.monotonic() - looked >= look:
                    looked = time.monotonic()
                    self.look()
                    self.slots.tidy()
                time.sleep(0.1)
        finally:
            self.leave()

    def command(self, language: str, folder: Path) -> list[str]:
        """Return how a source is started."""
        if language == "javascript":
            room = f"{NODE_ROOM}={self.bounds.memory // 2 >> 20}"
            return [self.node, room, str(HARNESS), str(folder / FILES[language])]
        return [sys.executable, "-m", "arbitre.bot", str(folder / FILES[language])]

    def look(self) -> None:
        """Find out what is lent, begin with what is new and leave what is no more."""
        try:
            wanted: dict[str, object] = {"class": self.klass, "runner": self.name}
            found = {one["id"]: one for one in self.client.pages("/api/runners/sources", wanted)}
        except SiteError as error:
            if not (error.status in (0, 429) or error.status >= 500):
                raise
            self.tell(Told("cut", text=str(error)))
            return
        for number in self._sources.keys() - found.keys():
            self._leave(self._sources.pop(number))
        for number, one in found.items():
            if one["language"] == "javascript" and not self.node:
                if number not in self._told:
                    self._told.add(number)
                    self.tell(Told("unplayed", match=one["name"]))
                continue
            known = self._sources.get(number)
            if known is not None and (known.engine != one["engine"] or not known.thread.is_alive()):
                self._leave(self._sources.pop(number))
                known = None
            with suppress(SiteError):  # what was lent a moment ago, and is no more
                mine = known or _Source(self, one)
                mine.fetch(one["version"])
                if known is None:
                    self._sources[number] = mine
                    mine.thread.start()

    def gone(self, source: _Source, error: SiteError) -> None:
        """Hear that the site refuses a source: the next look says whether it is still lent."""
        if error.status != 403:
            source.tell(Told("refused", text=str(error)))

    def _leave(self, source: _Source) -> None:
        source.lent.leave()
        self._past += source.lent.finished

    def leave(self) -> None:
        """Stop every bot, hand the matches over, and leave nothing behind."""
        leaving = [threading.Thread(target=one.lent.leave, daemon=True) for one in self._sources.values()]
        for one in leaving:
            one.start()
        for one in leaving:
            one.join(2 * LEAVING_SECONDS)
        shutil.rmtree(self.folder, ignore_errors=True)
