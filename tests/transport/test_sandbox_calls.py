"""Escapes from the sandbox, tried one by one by a program inside; each says what stopped it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arbitre.errors import HouseError
from arbitre.transport.bounds import Bounded, Bounds
from arbitre.transport.calls import PROCESSORS, call_filter
from arbitre.transport.sandbox import ROOM, Sandbox, works

TRIES = r"""
import ctypes, errno, json, os, signal, socket, sys

libc = ctypes.CDLL(None, use_errno=True)
found = {}

def called(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), "")
    return "done"

def filled(folder):
    # as many files as it takes: each is bounded, and so must be all of them
    for number in range(100):
        with open(f"{folder}/{number}", "wb") as file:
            for _ in range(8):
                file.write(b"x" * (1 << 20))
    return "done"

def mounted():
    child = os.fork()
    if not child:
        libc.unshare(0x10020000)
        os._exit(0 if libc.mount(b"none", b"/tmp", b"tmpfs", 0, b"size=1g") == 0 else 1)
    return "done" if os.waitpid(child, 0)[1] == 0 else "EPERM"

def beaten(pid):
    # no signal that it leaves open reaches the first process of its own small world
    os.kill(pid, signal.SIGKILL)
    os.kill(pid, 0)
    return "alive"

def connected(address):
    with socket.socket(socket.AF_INET) as line:
        line.settimeout(2)
        line.connect(address)
    return "done"

TRIES = {
    "memory file": lambda: os.memfd_create("x") and "done",
    "segment": lambda: called(libc.shmget(0, 1 << 20, 0o1600)),
    "messages": lambda: called(libc.msgget(0, 0o1600)),
    "namespace": lambda: called(libc.unshare(0x10000000)),
    "mount": mounted,
    "ptrace": lambda: called(libc.ptrace(16, 1, 0, 0)),
    "peek": lambda: called(libc.process_vm_readv(1, None, 0, None, 0, 0)),
    "keys": lambda: called(libc.syscall(NUMBER_OF_KEYCTL, 0, -3, 1)),
    "devices": lambda: filled("/dev"),
    "shared memory": lambda: filled("/dev/shm"),
    "temporary": lambda: filled("/tmp"),
    "own folder": lambda: filled("."),
    "root": lambda: filled("/"),
    "system": lambda: filled("/usr"),
    "kernel": lambda: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY) and "done",
    "its own standing": lambda: os.open("/proc/self/oom_score_adj", os.O_WRONLY) and "done",
    "the first process": lambda: beaten(1),
    "the site": lambda: connected(("127.0.0.1", PORT)),
    "a link to secrets": lambda: open("link").read(),
    "home": lambda: open("SECRET").read(),
    "others": lambda: [one for one in os.listdir("/proc") if one.isdigit() and int(one) > 3] or "none",
    "open files": lambda: [one for one in range(3, 20) if os.path.exists(f"/proc/self/fd/{one}")] or "none",
}
for name, attempt in TRIES.items():
    try:
        found[name] = attempt()
    except OSError as error:
        found[name] = errno.errorcode.get(error.errno, str(error))
print(json.dumps(found))
"""
STOPPED = {
    "memory file": "EPERM",
    "segment": "EPERM",
    "messages": "EPERM",
    "namespace": "EPERM",
    "mount": "EPERM",
    "ptrace": "EPERM",
    "peek": "EPERM",
    "keys": "EPERM",
    "devices": "EROFS",
    "shared memory": "ENOSPC",
    "temporary": "ENOSPC",
    "own folder": "EROFS",
    "root": "EROFS",
    "system": "EROFS",
    "kernel": "EROFS" if os.geteuid() == 0 else "EACCES",
    "its own standing": "EROFS",
    "the first process": "alive",
    "the site": "ENETUNREACH",
    "a link to secrets": "ENOENT",
    "home": "ENOENT",
    "others": "none",
    "open files": "none",
}


@pytest.fixture(autouse=True)
def _sandbox() -> None:
    try:
        works()
    except HouseError as error:
        pytest.skip(str(error))
    if call_filter() is None:
        pytest.skip("the calls of this processor are not known")


def test_every_way_out_is_closed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("token")
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "link").symlink_to(secret)
    keyctl = str({"x86_64": 250, "aarch64": 219}[os.uname().machine])
    text = TRIES.replace("SECRET", str(secret)).replace("NUMBER_OF_KEYCTL", keyctl).replace("PORT", "8000")
    (folder / "bot.py").write_text(text)
    started = Bounded(Sandbox(room=ROOM >> 3).wrap([sys.executable, "-S", "bot.py"], folder), Bounds())
    try:
        told, errors = started.process.communicate(timeout=60)
    finally:
        started.bury()
    assert started.killed is None
    found = json.loads(told or "{}")
    assert found.pop("the site", "") in ("ENETUNREACH", "ECONNREFUSED"), errors  # its own loopback, on which nobody listens
    assert found == {name: why for name, why in STOPPED.items() if name != "the site"}


def test_what_programs_need_is_allowed(tmp_path: Path) -> None:
    """Threads, children, locks that processes share, sockets of its own, random numbers."""
    (tmp_path / "bot.py").write_text(
        "import asyncio, multiprocessing, os, subprocess, threading\n"
        "if __name__ == '__main__':\n"
        "    for one in (threading.Thread(target=print), multiprocessing.Process(target=print)):\n"
        "        one.start(); one.join()\n"
        "    multiprocessing.Lock(); os.urandom(8); open('/dev/null', 'w').write('x')\n"
        "    asyncio.run(asyncio.sleep(0))\n"
        "    print(subprocess.run(['/bin/echo', 'well'], capture_output=True, text=True).stdout)\n"
    )
    command = Sandbox().wrap([sys.executable, "bot.py"], tmp_path)
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.split() == ["well"], done.stderr


def test_every_processor_refuses_as_many_calls() -> None:
    assert len({len(one.refused) for one in PROCESSORS.values()}) == 1
    assert all(len(set(one.refused)) == len(one.refused) for one in PROCESSORS.values())
