"""A home page with many visitors: how much of a core one stream for all small boards takes.

`python -m bench.home [VISITORS] [SECONDS]` opens a site in a process of its own, on which the house plays as many games as a site
allows, lets one visitor follow their small boards, then so many, and says how much of a core the site took either way, and what
each received: the games themselves take most of it.
"""

import asyncio
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic

GAMES = 16
"""Games of the house; as many as a site allows."""
HEAD = b"GET /watch/boards HTTP/1.1\r\nHost: bench\r\n\r\n"


def used(process: int) -> float:
    """Return the seconds of a core that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


async def follow(port: int, received: list[int]) -> None:
    """Follow the boards, and count octets."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HEAD)
    try:
        while some := await reader.read(65_536):
            received.append(len(some))
    finally:
        writer.close()


async def measure(port: int, process: int, visitors: int, seconds: float) -> tuple[float, float]:
    """Let visitors follow, wait until all do, and return how much of a core that took, and octets a second for each."""
    received: list[int] = []
    tasks = [asyncio.create_task(follow(port, received)) for _ in range(visitors)]
    while len(received) < 2 * visitors:
        await asyncio.sleep(0.2)
    received.clear()
    began, before = monotonic(), used(process)
    await asyncio.sleep(seconds)
    took, passed = used(process) - before, monotonic() - began
    for one in tasks:
        one.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return took / passed, sum(received) / visitors / passed


def main(visitors: int = 1_000, seconds: float = 20.0) -> None:
    """Open a site, measure, close it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4 * visitors + 1_000)), hard))
    with tempfile.TemporaryDirectory() as folder:
        quiet = [text for name in ("registrar", "arcade", "hub", "defender") for text in (f"--{name}-port", "0")]
        command = [sys.executable, "-m", "arbitre", "serve", "--port", "0", "--data", folder, "--house-games", str(GAMES), *quiet]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                found = re.search(r":(\d+)", server.stdout.readline().partition("//")[2])
                assert found is not None, "the site did not open"
                alone, _ = asyncio.run(measure(int(found[1]), server.pid, 1, seconds))
                all_of_them, each = asyncio.run(measure(int(found[1]), server.pid, visitors, seconds))
                shares = f"{all_of_them:.2f} of a core, with one visitor {alone:.2f}"
                print(f"{visitors} visitors, {GAMES} games: {shares}; {each / 1000:.1f} kB a second for each")
            finally:
                server.terminate()


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
