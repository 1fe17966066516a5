"""Compiled halves of engines: loaded when first needed, compiled once, kept in the user's cache.

A kernel is the module `kernel` of a package here: numba functions and, but for `intrinsics`, all that they call. Compiling takes
some seconds, so it is done before a clock runs, said on the terminal, and kept under `$ARBITRE_CACHE`, else
`$XDG_CACHE_HOME/arbitre`, else `~/.cache/arbitre`, in a folder named after both sources and whatever compiled them: nothing stale
is ever found there. Where nothing can be kept, it is compiled for this process alone. Processes that start together wait for the
first one to compile.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from platform import machine
from threading import RLock
from typing import Any, TypeAlias

from arbitre.games.player import Bot
from arbitre.reasons import Reason

Levels: TypeAlias = tuple[type[Bot], ...]
"""Players of a game, the weakest first."""

_loading = RLock()
_loaded: dict[str, Any] = {}


def available() -> bool:
    """Tell whether kernels can be compiled here."""
    return find_spec("numba") is not None and find_spec("numpy") is not None


def load(name: str) -> Any:
    """Return the kernel of a game, compiled."""
    with _loading:
        if name not in _loaded:
            with _kept(folder(name)) as kept, told(name, kept):
                _loaded[name] = import_module(f"arbitre.games.{name}.kernel")
                if kept is not None:
                    (kept / READY).touch()
        return _loaded[name]


READY = "ready"
"""A file that says that everything is compiled."""


def names() -> tuple[str, ...]:
    """Return the packages here that have a kernel."""
    return tuple(sorted(path.parent.name for path in Path(__file__).parent.glob("*/kernel.py")))


@contextmanager
def compiling() -> Iterator[None]:
    """Compile what was never compiled here, in a process of its own and with what others leave of the machine; stop it behind.

    Whoever needs a kernel meanwhile waits for that process, and nobody else for anybody.
    """
    kept = {name: folder(name) for name in names()} if available() else {}
    cold = [name for name, one in kept.items() if one is not None and not (one / READY).exists()]
    if not cold:
        yield
        return
    script = f"import os; os.nice(5) if hasattr(os, 'nice') else 0; from arbitre.games.kernels import load; [*map(load, {cold})]"
    command = [sys.executable, "-c", script]
    compiler = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603 - our own words
    try:
        yield
    finally:
        compiler.terminate()
        compiler.wait()


def offered(plain: Levels, strong: Levels, *, compiles: bool) -> tuple[Levels, Reason | None]:
    """Return the levels of a game that there are, and a line on those that are not there and how to get them."""
    if compiles:
        return (*plain, *strong), None
    least, most = len(plain) + 1, len(plain) + len(strong)
    return plain, Reason("levels %(least)s to %(most)s need numba: pip install 'arbitre[engines]'", least=least, most=most)


def folder(name: str) -> Path | None:
    """Return the folder that keeps what is compiled of a kernel, made on first use; None where none can be written."""
    here = Path(__file__).parent
    source = b"".join(path.read_bytes() for path in (here / name / "kernel.py", here / "intrinsics.py"))
    made_by = f"{sys.version} numba {version('numba')} {machine()}".encode()
    try:
        found = _cache() / "kernels" / f"{name}-{sha256(made_by + source).hexdigest()[:16]}"
        found.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # a home that cannot be written, or none
        return None
    return found if os.access(found, os.W_OK) else None


def _cache() -> Path:
    named = os.environ.get("ARBITRE_CACHE")
    if named:
        return Path(named)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "arbitre"


@contextmanager
def _kept(folder: Path | None) -> Iterator[Path | None]:
    """Let numba keep what it compiles in a folder, one process at a time; other users of numba keep theirs where they did."""
    config: Any = import_module("numba").config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder) if folder is not None else ""
    try:
        with locked(folder):
            yield folder
    finally:
        config.CACHE_DIR = before


@contextmanager
def locked(folder: Path | None) -> Iterator[None]:
    """Keep other processes out of a folder."""
    if folder is None or find_spec("fcntl") is None:
        yield
        return
    import fcntl  # noqa: PLC0415 - not on every system

    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def told(name: str, kept: Path | None) -> Iterator[None]:
    """Say on a terminal that it will take a while."""
    cold = kept is None or not (kept / READY).exists()
    tells = cold and sys.stderr is not None and sys.stderr.isatty()
    if tells:
        once = "once" if kept is not None else "for this run; no cache folder can be written"
        print(f"arbitre: compiling the {name} engine, {once} …", end="", file=sys.stderr, flush=True)
    yield
    if tells:
        print(" done", file=sys.stderr)
