"""A program of somebody else's, with its three pipes, its limits and its end.

**Started** without a shell's reading of its arguments, in a session of its own, with a clean environment. The limits are set by a
constant line of `sh` that then becomes the program (`exec "$@"`): they hold before the program's first instruction, which neither
setting them from here after the start nor `preexec_fn` (unsafe beside threads) can promise, for one millisecond instead of a
second interpreter.

**Heard** straight from the event loop: one reader for each pipe and no thread or buffer between, so what lies in a pipe can be
looked at before a question leaves (`drain`), and whether a question was read can be known (`unread`).

**Watched** as a whole: what it starts is born into its control group (`arbitre.transport.group`), which the kernel bounds where
it may; else the group is counted now and then, and a program that has started too much is ended.

**Ended** whole: its input is closed, then its process group is asked (SIGTERM) and made (SIGKILL) to stop, and it is reaped last,
so that its number cannot have become somebody else's in between. Nobody leaves its control group or the sandbox; where there is
neither, whoever leaves the process group by `setsid` and outlives his parent escapes this.
"""

import asyncio
import os
import shlex
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import monotonic
from weakref import WeakKeyDictionary

from arbitre.errors import HouseError, PlayerLeftError, refusal, shorten
from arbitre.reasons import Reason, declare
from arbitre.transport.group import Cgroup, Task, family, make_group, tasks_of_machine
from arbitre.values import value

try:
    import fcntl
    import resource
    import termios
except ImportError:  # a program on a pipe is started on Unix only, and `start` says so
    fcntl = resource = termios = None  # type: ignore[assignment]

CHUNK = 1 << 16
"""Octets read at once."""

ERRORS_KEPT = 1 << 16
"""Octets of standard error that are kept, the last ones."""

BREATH_SECONDS = 0.005
"""How long standard error is left alone after a full chunk: a bot that floods it waits for itself, not we for it."""

FAREWELL_SECONDS = 0.5
"""How long a program may take to stop when its input ends, and again when it is told to."""

KILL_SECONDS = 5.0
"""How long the system may take to end a program that was killed."""

LINGER_SECONDS = 0.2
"""How long after its pipes the end of a program itself is waited for, to tell how it ended."""

COUNT_SECONDS = 0.02
"""How often it is looked whether a program may have started too much, where the kernel does not see to it."""

WATCH_SECONDS = 0.05
"""How often a program is looked at where the system cannot tell when it ends."""

SHELL = "/bin/sh"


@value
class ProcessLimits:
    """What a program may use; None for no limit. No sandbox: see `arbitre.transport.sandbox`.

    Each process has these limits for itself; memory is bounded for the group as well where `arbitre doctor` says so.
    """

    cpu: int | None = 3_600
    """Seconds of CPU."""
    memory: int | None = 2 << 30
    """Octets of data. Not of address space, which some runtimes reserve by the terabyte and never touch."""
    file: int | None = 256 << 20
    """Octets of a file that it writes."""
    processes: int | None = 4_096
    """Processes and threads of the same user, all together: the system counts no other way. Not for root."""
    group: int | None = 1_024
    """Processes and threads of the program and all that it starts."""

    def script(self, door: Path | None = None) -> str:
        """Return the line of `sh` that enters a control group, sets the limits and becomes the program."""
        entering = "" if door is None else f"echo $$ >{shlex.quote(str(door))} || exit 126\n"
        lines = ["ulimit -c 0", "ulimit -n 1024"]
        if self.cpu is not None:  # first the signal that can be told apart, a second later the one that cannot be ignored
            lines += [f"ulimit -S -t {self.cpu}", f"ulimit -H -t {self.cpu + 1}"]
        if self.memory is not None:
            lines.append(f"ulimit -d {self.memory >> 10}")
        if self.file is not None:
            lines.append(f"ulimit -f {self.file >> 9}")
        if self.processes is not None:  # one letter or the other, as the shell has it
            lines.append(f"{{ ulimit -u {self.processes} || ulimit -p {self.processes}; }}")
        # A limit that cannot be set is one that is stricter already, or that the system does not have.
        return entering + "".join(f"{line} 2>/dev/null\n" for line in lines) + 'exec "$@"'


def clean_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return what a program gets to know of our environment: where programs and its user's home are, and nothing else."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1", **kept, **(more or {})}


class _Moment:
    """When the event loop last looked at its pipes: whatever it found there had arrived by then.

    A busy loop finds many answers at once and handles one after the other; the last one is not late for that. The moment is
    taken by the first callback of a round, and `_next` is the first callback of the round after.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._call_soon = loop.call_soon
        self._at: float | None = None
        self._used = False

    def arrival(self) -> float:
        """Return the moment by which what is read now had arrived."""
        self._used = True
        if self._at is None:
            self._at = monotonic()
            self._call_soon(self._next)
        return self._at

    def _next(self) -> None:
        self._at = None
        if self._used:
            self._used = False
            self._at = monotonic()
            self._call_soon(self._next)


_MOMENTS: WeakKeyDictionary[asyncio.AbstractEventLoop, _Moment] = WeakKeyDictionary()


class _Crowd:
    """Watches the programs of one loop: while the machine has hardly more tasks than before, nobody has started too many."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._call_later = loop.call_later
        self._watched: set[Process] = set()
        self._quiet = 0

    def watch(self, process: "Process") -> None:
        """Watch one more program until it is over."""
        if not self._watched:
            self._quiet = tasks_of_machine()
            self._call_later(COUNT_SECONDS, self._look)
        self._watched.add(process)

    def _look(self) -> None:
        self._watched = {one for one in self._watched if one.most}
        if not self._watched:
            return
        now = tasks_of_machine()
        self._quiet = min(self._quiet, now)
        if now - self._quiet >= min(one.most for one in self._watched):
            for one in self._watched:
                one.count()
            self._quiet = now
        self._call_later(COUNT_SECONDS, self._look)


_CROWDS: WeakKeyDictionary[asyncio.AbstractEventLoop, _Crowd] = WeakKeyDictionary()


REASONS = declare(
    {
        "closed-input": ("closed its input", "a fermé son entrée"),
        "closed-output": ("closed its output", "a fermé sa sortie"),
        "last-words": ("%(how)s: %(text)s", "%(how)s : %(text)s"),
        "exited": ("exited with status %(status)s", "terminé avec le statut %(status)s"),
        "ended-by": ("ended by %(signal)s", "arrêté par %(signal)s"),
        "cpu-used-up": ("ended by %(signal)s, its CPU time used up", "arrêté par %(signal)s, son temps de calcul épuisé"),
        "file-too-large": (
            "ended by %(signal)s, a file of its having grown too large",
            "arrêté par %(signal)s, un de ses fichiers étant devenu trop grand",
        ),
        "no-folder": ("never started: there is no folder %(folder)r", "jamais démarré : il n’y a pas de dossier %(folder)r"),
        "no-program": (
            "never started: there is no program %(program)r",
            "jamais démarré : il n’y a pas de programme %(program)r",
        ),
        "not-executable": (
            "never started: %(program)r may not be executed",
            "jamais démarré : %(program)r ne peut pas être exécuté",
        ),
        "too-many-processes": (
            "started more than %(most)s processes and threads",
            "a lancé plus de %(most)s processus et fils",
        ),
    }
)


class Process:
    """One running program: `heard` gets what it writes and when that arrived, `gone` is told once how it ended."""

    def __init__(self, heard: Callable[[bytes, float], None], gone: Callable[[Reason], None]) -> None:
        self._heard = heard
        self._gone: Callable[[Reason], None] | None = gone
        self._popen: subprocess.Popen[bytes]
        self._loop = asyncio.get_running_loop()
        self._moment = _MOMENTS.setdefault(self._loop, _Moment(self._loop))
        self._exit: asyncio.Future[None] = self._loop.create_future()
        self._unsent = memoryview(b"")
        self._errors = b""
        self._watch = -1
        self._buried = False
        self._group: Cgroup | None = None
        self._most = 0

    def start(self, command: Sequence[str], folder: Path | None, environment: Mapping[str, str], limits: ProcessLimits) -> None:
        """Start the program; `PlayerLeftError` if there is none, `HouseError` if the system cannot start any."""
        if fcntl is None:
            raise HouseError("a program on a pipe is started on Unix only; arbitre bot join plays with one on every system")
        if missing := _missing(command, folder, environment.get("PATH")):
            raise PlayerLeftError(missing)
        _more_files()
        self._group = make_group(limits.group, limits.memory)
        try:
            self._popen = subprocess.Popen(  # noqa: S603 - to run what a user names is the purpose
                [SHELL, "-c", limits.script(self._group.door if self._group is not None else None), "sh", *command],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=dict(environment),
                start_new_session=True,
            )
        except OSError as error:
            if self._group is not None:
                self._group.remove()
            raise HouseError("no process can be started: %(strerror)s", strerror=refusal(error)) from None
        self.pid = self._popen.pid
        self._in, self._out, self._err = (
            pipe.fileno() for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr) if pipe is not None
        )
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        self._loop.add_reader(self._in, self._unheard)  # nothing is read there: it is ready when nobody listens any more
        self._loop.add_reader(self._out, self._read_out)
        self._loop.add_reader(self._err, self._read_errors)
        self._watch_exit()
        if limits.group is not None and not (self._group is not None and self._group.bounded):
            self._most = limits.group
            _CROWDS.setdefault(self._loop, _Crowd(self._loop)).watch(self)

    # ── talking ────────────────────────────────────────────────────────────────────────────────────────────────────

    def write(self, data: bytes) -> None:
        """Send octets; what the pipe does not take at once follows when it can."""
        self._unsent = memoryview(bytes(self._unsent) + data if self._unsent else data)  # a record may be long: never cut it anew
        self._flush()

    def _flush(self) -> None:
        if self._in < 0:
            return
        try:
            sent = os.write(self._in, self._unsent)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._unheard()
            return
        self._unsent = self._unsent[sent:]
        if self._unsent:
            self._loop.add_writer(self._in, self._flush)
        else:
            self._loop.remove_writer(self._in)

    def _unheard(self) -> None:
        self._close_in()
        self._linger(Reason("closed-input"))

    def unread(self) -> bool:
        """Tell whether the program has left unread some of what was sent."""
        if self._unsent or self._in < 0:
            return True
        left = bytearray(4)
        try:
            fcntl.ioctl(self._in, termios.FIONREAD, left)
        except OSError:
            return False
        return any(left)

    def drain(self) -> None:
        """Hear what lies in the pipe now, without waiting for the loop to look."""
        for _ in range(16):
            if self._out < 0 or not self._read_out():
                return

    def deafen(self) -> None:
        """Read no more of what the program writes: it waits, or stops."""
        if self._out >= 0:
            self._loop.remove_reader(self._out)
            self._out = -1

    def _read_out(self) -> bool:
        try:
            data = os.read(self._out, CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self.deafen()
            self._linger(Reason("closed-output"))
            return False
        self._heard(data, self._moment.arrival())
        return True

    def _read_errors(self) -> None:
        try:
            data = os.read(self._err, CHUNK)
        except BlockingIOError:
            return
        self._errors = (self._errors + data)[-ERRORS_KEPT:]
        if not data:
            self._loop.remove_reader(self._err)
            self._err = -1
        elif len(data) == CHUNK:
            self._loop.remove_reader(self._err)
            self._loop.call_later(BREATH_SECONDS, self._resume_errors)

    def _resume_errors(self) -> None:
        if self._err >= 0:
            self._loop.add_reader(self._err, self._read_errors)

    def errors(self) -> str:
        """Return the end of what the program wrote to its standard error."""
        return self._errors.decode("utf-8", "replace")

    # ── what it started ────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def most(self) -> int:
        """How many tasks the program may have; 0 where it is over, or nobody has to count."""
        return 0 if self._buried else self._most

    def count(self) -> None:
        """End the program if it has started too much."""
        relatives = family(self.pid) if self._group is None else []
        with suppress(OSError):
            if (sum(one.threads for one in relatives) if self._group is None else self._group.tasks()) <= self._most:
                return
        self._end_all(relatives)
        self._tell(Reason("too-many-processes", most=self._most))

    def _end_all(self, relatives: Sequence[Task] = ()) -> None:
        """End everything that came of the program: nobody gets the time to start one more."""
        if self._group is not None:
            with suppress(OSError):
                self._group.kill()
        self._signal(signal.SIGKILL)
        for one in relatives:
            if one.pid != self.pid:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(one.pid, signal.SIGKILL)

    # ── its end ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _watch_exit(self) -> None:
        try:
            self._watch = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            self._poll()
        else:
            self._loop.add_reader(self._watch, self._exited)

    def _poll(self) -> None:
        if self._status() is not None:
            self._exited()
        elif not self._exit.done():
            self._loop.call_later(WATCH_SECONDS, self._poll)

    def _exited(self) -> None:
        """The program is no more: hear its last words, then tell how it ended. It is reaped later, by `stop`."""
        if self._watch >= 0:
            self._loop.remove_reader(self._watch)
            os.close(self._watch)
            self._watch = -1
        if not self._exit.done():
            self._exit.set_result(None)
        self.drain()
        if self._err >= 0:
            self._read_errors()
        self._tell(self._how())

    def _linger(self, what: Reason) -> None:
        """Take a program that can no longer be talked with for gone, unless it ends by itself just now."""
        self._loop.call_later(LINGER_SECONDS, self._tell, what)

    def _tell(self, how: Reason) -> None:
        gone, self._gone = self._gone, None
        if gone is not None:
            words = self._last_words()
            gone(Reason("last-words", how=how, text=words) if words else how)

    def _status(self) -> int | None:
        """Return the status as `Popen` has it (a signal is negative) and leave the process unreaped, where that is possible."""
        if not hasattr(os, "waitid"):
            return self._popen.poll()
        found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    def _how(self) -> Reason:
        status = self._status() or 0
        if status >= 0:
            return Reason("exited", status=status)
        codes = {signal.SIGXCPU: "cpu-used-up", signal.SIGXFSZ: "file-too-large"}
        return Reason(codes.get(signal.Signals(-status), "ended-by"), signal=signal.Signals(-status).name)

    def _last_words(self) -> str:
        lines = self.errors().split("\n")
        last = next((line for line in reversed(lines) if line.strip()), "")
        return "".join(one if one.isprintable() else "?" for one in shorten(last.strip(), 200))

    async def stop(self) -> None:
        """End the program and everything in its process group, politely first, and leave nothing of it."""
        if self._buried:
            return
        self._gone = None
        try:
            self.deafen()
            self._close_in()
            if not await self._ends_within(FAREWELL_SECONDS):
                self._signal(signal.SIGTERM)
                await self._ends_within(FAREWELL_SECONDS)
            self._end_all()
            await self._ends_within(KILL_SECONDS)
            await self._leave_group()
        finally:
            self._bury()

    async def _ends_within(self, seconds: float) -> bool:
        if not self._exit.done():
            await asyncio.wait([self._exit], timeout=seconds)
        return self._exit.done()

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):  # nobody is left; macOS answers EPERM for a group of the dead
            os.killpg(self.pid, number)

    def _bury(self) -> None:
        self._buried = True
        if self._group is not None:
            with suppress(OSError):
                self._group.kill()
        self._signal(signal.SIGKILL)
        try:
            self._popen.wait(KILL_SECONDS)
        except subprocess.TimeoutExpired:
            raise HouseError("process %(pid)s cannot be ended", pid=self.pid) from None
        finally:
            for watched in (self._watch, self._err):
                if watched >= 0:
                    self._loop.remove_reader(watched)
            if self._watch >= 0:
                os.close(self._watch)
            self._watch = self._err = -1
            if not self._exit.done():
                self._exit.set_result(None)
            for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
                if pipe is not None:
                    pipe.close()
            if self._group is not None:
                self._group.remove()

    async def _leave_group(self) -> None:
        """Take the control group away when the last one in it is dead: that takes the system a moment."""
        until = monotonic() + KILL_SECONDS
        while self._group is not None and not self._group.remove() and monotonic() < until:
            self._end_all()
            await asyncio.sleep(WATCH_SECONDS / 10)

    def _close_in(self) -> None:
        if self._in >= 0:
            self._loop.remove_reader(self._in)
            self._loop.remove_writer(self._in)
            self._in = -1
            if self._popen.stdin is not None:
                self._popen.stdin.close()


def _missing(command: Sequence[str], folder: Path | None, path: str | None) -> Reason | None:
    """Return why there is nothing to start, in words better than a shell's; None if there seems to be something."""
    if folder is not None and not folder.is_dir():
        return Reason("no-folder", folder=str(folder))
    name = command[0] if command else ""
    here = folder or Path()
    places = [here / name] if "/" in name else [Path(one or ".") / name for one in (path or os.defpath).split(os.pathsep)]
    files = [place for place in places if name and os.path.isfile(place)]  # noqa: PTH113 - Path finds some names too long
    if not files:
        return Reason("no-program", program=shorten(name))
    if not any(os.access(file, os.X_OK) for file in files):
        return Reason("not-executable", program=shorten(name))
    return None


@cache
def _more_files() -> None:
    """Let this process have as many files open as it may: each program needs four."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
