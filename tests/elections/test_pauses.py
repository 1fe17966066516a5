"""No split brain, with real processes: a party that is stopped, or killed and started again, never names another winner.

When it happens to a party is its own word on standard error, not the clock; whether the others settle depends on how busy the
machine is, so nothing here asks for that. What holds always: whoever ends with a winner names the same.
"""

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from arbitre.crypto.keys import keep
from tests.elections.test_network import ARBITRE, Processes, free_ports

DECIDED, UNDECIDED, REFUSED = {0, 5}, 6, 1
WORDS = ("is here", "has committed", "has revealed")


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    made = Processes(tmp_path)
    yield made
    for one in made.started.values():
        if one.poll() is None:
            one.send_signal(signal.SIGCONT)
            one.kill()
        one.communicate()


def mesh(processes: Processes, folder: Path, names: str, strong: bool) -> Callable[[str], None]:
    """Return what starts a party of a mesh on loopback, for the first time or again."""
    where = {name: f"127.0.0.1:{port}" for name, port in zip(names, free_ports(len(names)), strict=True)}
    roster = folder / "roster"
    roster.write_text("".join(f"{name} {keep(folder / f'{name}.key').public.hex()}\n" for name in names))

    def start(name: str) -> None:
        peers = [option for other in names if other != name for option in ("--peer", where[other])]
        group = ["--roster", str(roster), "--key", str(folder / f"{name}.key"), "--game", "pause"] if strong else []
        limits = ["--commit-limit", "2", "--reveal-limit", "1", "--delay", "0.3", "--verbose", "--json"]
        options = ["--name", name, "--listen", where[name], *peers, *group, *limits]
        processes.start(name, [*ARBITRE, "join", *options])

    return start


def said(processes: Processes, name: str, words: str) -> None:
    """Wait until a party has said something, or has ended."""
    while words not in processes.errors(name) and processes.started[name].poll() is None:
        time.sleep(0.01)  # a look now and then, so that the parties have the machine


def winners(processes: Processes, names: str, *, late: bool = False) -> set[str]:
    """Return whom the parties name, each of which ends with a winner or undecided; one that comes back late may be refused."""
    found = set()
    for name in names:
        status, out = processes.end(name)
        if late and (status, out) == (REFUSED, ""):
            continue  # the limits of its game were over when it was started again: it names nobody
        assert status in DECIDED | {UNDECIDED}, processes.errors(name)[-500:]
        told = json.loads(out)
        assert told["decided"] == (status in DECIDED)
        if status in DECIDED:
            found.add(told["winner"])
    return found


def stopped(processes: Processes, folder: Path, names: str, strong: bool, words: str) -> set[str]:
    """Stop the last party when it has said something, and let it go on when the others have ended."""
    start = mesh(processes, folder, names, strong)
    for name in names:
        start(name)
    victim = names[-1]
    said(processes, victim, words)
    processes.started[victim].send_signal(signal.SIGSTOP)
    found = winners(processes, names[:-1])
    processes.started[victim].send_signal(signal.SIGCONT)
    return found | winners(processes, victim)


def restarted(processes: Processes, folder: Path, names: str, words: str) -> set[str]:
    """Kill the last party when it has said something, and start it again at once."""
    start = mesh(processes, folder, names, True)
    for name in names:
        start(name)
    victim = names[-1]
    said(processes, victim, words)
    if processes.started[victim].poll() is None:
        processes.started[victim].kill()
        processes.started[victim].communicate()
        start(victim)
    found = winners(processes, names[:-1])
    for name in names[:-1]:
        assert "convicted" not in processes.errors(name), "it signed nothing twice"
    return found | winners(processes, victim, late=True)


@pytest.mark.parametrize(("names", "strong"), [("abc", True), ("ab", False)])
def test_a_party_that_is_stopped_past_the_limits_names_no_other_winner(
    processes: Processes, tmp_path: Path, names: str, strong: bool
) -> None:
    assert len(stopped(processes, tmp_path, names, strong, "has committed")) <= 1


def test_a_party_that_is_killed_and_started_again_names_no_other_winner(processes: Processes, tmp_path: Path) -> None:
    assert len(restarted(processes, tmp_path, "abc", "has committed")) <= 1


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(12))
def test_pauses_and_restarts_at_length(processes: Processes, tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    names, words = random.choice(["ab", "abc", "abcd"]), random.choice(WORDS)
    if random.random() < 0.5:
        assert len(stopped(processes, tmp_path, names, random.random() < 0.5, words)) <= 1
    else:
        assert len(restarted(processes, tmp_path, names, words)) <= 1


# ── with a hub ─────────────────────────────────────────────────────────────────────────────────────────────────────


def hub_group(processes: Processes, folder: Path, names: str, *, commit: str = "20") -> Callable[[str], None]:
    """Start a hub for a group with keys; return what starts a party of it, for the first time or again."""
    (port,) = free_ports(1)
    roster = folder / "roster"
    roster.write_text("".join(f"{name} {keep(folder / f'{name}.key').public.hex()}\n" for name in names))
    limits = ["--commit-limit", commit, "--reveal-limit", "5", "--delay", "1"]
    options = ["--port", str(port), "--roster", str(roster), "--game", "hub", *limits, "--games", "1", "--json"]
    processes.start("hub", [*ARBITRE, "hub", *options])

    def start(name: str) -> None:
        own = ["--name", name, "--key", str(folder / f"{name}.key"), "--roster", str(roster), "--game", "hub"]
        processes.start(name, [*ARBITRE, "join", f"127.0.0.1:{port}", *own, "--verbose", "--json"])

    return start


def test_a_party_of_a_hub_that_is_killed_and_started_again_goes_on(processes: Processes, tmp_path: Path) -> None:
    """Killed when it has committed, while the hub waits for another: it says the same again, and all name one winner."""
    start = hub_group(processes, tmp_path, "abc")
    for name in "abc":
        start(name)
    said(processes, "c", "has committed")
    assert processes.started["c"].poll() is None
    processes.started["c"].kill()
    processes.started["c"].communicate()
    start("c")
    found = winners(processes, "ab") | winners(processes, "c", late=True)
    assert len(found) <= 1
    for name in "ab":
        assert "convicted" not in processes.errors(name), "it signed nothing twice"
    processes.end("hub")
