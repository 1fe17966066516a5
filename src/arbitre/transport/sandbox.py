"""Runs a program under bubblewrap: no network, a read-only system, none of the user's files but those it is shown.

Limits keep an honest bot from eating the machine; they do not keep a curious one from reading what its user may read, or from
calling home. In the sandbox there is nothing to read and nobody to call: the program sees the system's programs and libraries,
the folder it is started in and what its command names, all read-only, an empty `/tmp` of its own, and no process but its own.
Calls of the system by which it would get memory that nobody counts, or other namespaces, are refused (`transport.calls`).
When the program ends, or the referee does, everything it started ends with it.

What is shown and what is hidden may lie inside each other; the more particular word counts. So a data folder inside the working
folder stays hidden, though the working folder is shown.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import arbitre
from arbitre.errors import HouseError, shorten
from arbitre.transport.calls import call_filter
from arbitre.values import value

SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/gnu"),
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
)
"""What programs need of a system. Of /etc only the linker's files: the rest is nobody's business."""

SHELL = "/bin/sh"
FILTER = 9
"""The number under which bubblewrap finds the filter of calls open; it closes it before the program begins."""
ROOM = 64 << 20
"""Octets of each of the program's own writable folders."""


def _wrap(room: int) -> list[str]:
    sized = ("--size", str(room), "--tmpfs")
    alone = ("bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox")
    # where the administrator runs us, what the kernel is told below /proc/sys would be the program's to write: nothing is there
    made = [*alone, "--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]
    made += [*sized, "/dev/shm", "--remount-ro", "/dev", *sized, "/tmp"]  # noqa: S108
    calls = call_filter()
    if calls is None:
        return made
    return [SHELL, "-c", f'exec "$@" {FILTER}<"$0"', str(calls), *made, "--seccomp", str(FILTER)]


@value
class Sandbox:
    """What a sandbox shows besides the system and the program itself, and what it hides of that."""

    shown: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    """The data folder of the referee, above all."""
    room: int = ROOM

    def wrap(self, command: Sequence[str], folder: Path | None = None, path: str | None = None) -> list[str]:
        """Return the command that runs `command` inside, started in `folder`; `HouseError` where no sandbox can be made."""
        works()
        here = (folder or Path()).resolve()
        shown = {one.resolve() for one in (*self.shown, *_own(), *_named(command, here, path))}
        if not _holds_home(here):
            shown.add(here)
        mounts = [(one, "--ro-bind") for one in shown if one.exists()]
        mounts += [(one.resolve(), "--tmpfs") for one in self.hidden if one.is_dir()]
        wrapped = [*_wrap(self.room), *_system()]
        for place, kind in sorted(mounts, key=lambda mount: (len(mount[0].parts), mount[1] == "--tmpfs", mount[0])):
            wrapped += [kind, str(place), str(place)] if kind == "--ro-bind" else [kind, str(place), "--remount-ro", str(place)]
        wrapped += ["--dir", str(here), "--remount-ro", "/", "--chdir", str(here), "--setenv", "HOME", "/tmp"]  # noqa: S108
        return [*wrapped, "--", *command]


@cache
def _system() -> tuple[str, ...]:
    return tuple(word for place in SYSTEM for word in ("--ro-bind-try", place, place))


def _own() -> Iterable[Path]:
    """The Python that runs us, and ourselves: what a bot in a Python file needs."""
    return (Path(sys.prefix), Path(sys.base_prefix), Path(arbitre.__file__).parent.parent)


def _named(command: Sequence[str], here: Path, path: str | None) -> Iterable[Path]:
    """The files that a command names, each with the folder around it unless that would be somebody's whole home."""
    program = shutil.which(command[0], path=path) if "/" not in command[0] else None
    for word in (program or command[0], *command[1:]):
        for name in (word, word.rpartition(":")[0]):
            file = here / name
            if name and os.path.isfile(file):  # noqa: PTH113 - Path finds some words of a command too long for a name
                yield from (_around(file), _around(file.resolve()))


def _around(file: Path) -> Path:
    """The folder of a file; of a program in a `bin`, what is installed around it."""
    near = file.parent.parent if file.parent.name == "bin" else file.parent
    return next((one for one in (near, file.parent) if not _holds_home(one.resolve())), file)


def _holds_home(place: Path) -> bool:
    home = Path(os.environ.get("HOME") or "/").resolve()
    return place == home or place in home.parents


@cache
def works() -> None:
    """Return if a sandbox can be made here; `HouseError` says why not, and what to do."""
    if shutil.which("bwrap") is None:
        raise HouseError("no sandbox: bubblewrap is not installed (on Debian and Ubuntu: apt-get install bubblewrap)")
    tried = subprocess.run([*_wrap(ROOM), *_system(), "--", "true"], capture_output=True, text=True, check=False, timeout=20)  # noqa: S603
    if tried.returncode:
        said = shorten(tried.stderr.strip().rpartition("\n")[2] or f"exit status {tried.returncode}", 200)
        raise HouseError(
            "no sandbox: %(said)s (bubblewrap 0.7 or later needs user namespaces: sysctl user.max_user_namespaces)", said=said
        )
