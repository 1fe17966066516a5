"""Elections between real processes on loopback addresses, in bad weather and bad company; listeners badly treated."""

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Coroutine, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arbitre.cli.rochambeau_live import read_roster
from arbitre.crypto.keys import keep
from arbitre.elections import Terms, Verdict
from arbitre.elections.call import Call, group_of
from arbitre.elections.election import HubElection, PeerElection
from arbitre.elections.hub import HubPlan
from arbitre.elections.live import HubServer, choosing, repeater, take_part
from arbitre.elections.transport import (
    Address,
    Allowance,
    Disturbance,
    GroupChannel,
    HubChannel,
    MeshChannel,
    read_address,
)
from arbitre.errors import ElectionError
from tests.elections.network import key_of, strong_call
from tests.reasons import raises

ROOT = Path(__file__).parent.parent.parent
ARBITRE = [sys.executable, "-m", "arbitre", "rochambeau"]
CHEAT = [sys.executable, "-m", "tests.arcade.cheat"]


def free_ports(count: int, family: socket.AddressFamily = socket.AF_INET) -> list[int]:
    held = []
    for _ in range(count):
        one = socket.socket(family)
        one.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
        held.append(one)
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Processes:
    """Parties as processes; none outlives the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: dict[str, subprocess.Popen[str]] = {}

    def start(self, name: str, command: list[str]) -> None:
        environment = {**os.environ, "XDG_CONFIG_HOME": str(self.folder), "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
        errors = (self.folder / f"{name}.err").open("w")
        self.started[name] = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment, cwd=ROOT
        )
        errors.close()

    def end(self, name: str, seconds: float = 90.0) -> tuple[int, str]:
        out, _ = self.started[name].communicate(timeout=seconds)
        return self.started[name].returncode, out.strip()

    def errors(self, name: str) -> str:
        return (self.folder / f"{name}.err").read_text()


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    made = Processes(tmp_path)
    yield made
    for one in made.started.values():
        if one.poll() is None:
            one.kill()
        one.communicate()


def agreed(processes: Processes, names: str) -> dict[str, object]:
    """Return what all of these printed, which is the same."""
    ends = {name: processes.end(name) for name in names}
    assert all(status in {0, 5} for status, _ in ends.values()), {name: processes.errors(name)[-500:] for name in names}
    found = [json.loads(out) for _, out in ends.values()]
    assert all(one["decided"] for one in found)
    for one in found:
        one.pop("mine")
    assert all(one == found[0] for one in found), found
    result: dict[str, object] = found[0]
    return result


# ── real processes ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_group_in_bad_weather_of_which_one_vanishes(processes: Processes) -> None:
    """Every third datagram is lost, some come twice, some late; one party is killed after it committed."""
    (port,) = free_ports(1)
    names = "abcde"
    common = [f"239.255.82.9:{port}", "--interface", "127.0.0.1", "--parties", "6", "--commit-limit", "9", "--reveal-limit", "3"]
    for name in names:
        weather = ["--disturb", "0.33,0.2,0.3", "--json"]
        processes.start(name, [*ARBITRE, "join", *common, "--name", name, *weather])
    processes.start("x", [*CHEAT, "vanish", "rochambeau", "join", *common, "--name", "x"])
    found = agreed(processes, names)
    assert found["unheard"] in [{"x": "no-reveal"}, {"x": "no-commit"}], "whichever, it is the same for all"
    assert found["winner"] in set(names)
    assert processes.end("x")[0] == -9


def test_a_strong_mesh_with_an_equivocator_a_copier_and_a_late_revealer(processes: Processes, tmp_path: Path) -> None:
    """On seven loopback addresses: the four honest parties agree, and each of the three cheats is named."""
    honest, cheats = "abcd", {"e": "equivocate", "f": "copy", "g": "late"}
    names = [*honest, *cheats]
    ports = free_ports(len(names))
    where = {name: f"127.0.0.{number}:{port}" for number, (name, port) in enumerate(zip(names, ports, strict=True), start=2)}
    roster = tmp_path / "roster"
    roster.write_text("".join(f"{name} {keep(tmp_path / f'{name}.key').public.hex()}\n" for name in names))
    for name in names:
        peers = [option for other in names if other != name for option in ("--peer", where[other])]
        options = [
            "--name",
            name,
            "--listen",
            where[name],
            *peers,
            "--roster",
            str(roster),
            "--key",
            str(tmp_path / f"{name}.key"),
        ]
        limits = ["--game", "seven", "--commit-limit", "2", "--reveal-limit", "1", "--delay", "0.5", "--faults", "3"]
        kept = ["--record", str(tmp_path / f"{name}.jsonl"), "--json"]
        start = [*CHEAT, cheats[name], "rochambeau"] if name in cheats else ARBITRE
        processes.start(name, [*start, "join", *options, *limits, *kept])
    found = agreed(processes, honest)
    assert (found["excluded"], found["unheard"]) == ({"e": "equivocated", "f": "copied"}, {"g": "no-reveal"})
    assert found["winner"] in set(honest)
    group = group_of(read_roster(roster))
    for name in honest:
        check = subprocess.run(
            [sys.executable, "-m", "arbitre", "verify", str(tmp_path / f"{name}.jsonl"), "--key", group],
            capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        )  # fmt: skip
        assert check.returncode == 0, check.stdout


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_hub_and_a_party_that_is_killed(processes: Processes, host: str) -> None:
    (port,) = free_ports(1, socket.AF_INET6 if ":" in host else socket.AF_INET)
    at = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    processes.start("hub", [*ARBITRE, "hub", "--host", host, "--port", str(port), "--parties", "4", "--games", "1", "--json"])
    for name in "abc":
        processes.start(name, [*ARBITRE, "join", at, "--name", name, "--json"])
    processes.start("x", [*CHEAT, "vanish", "rochambeau", "join", at, "--name", "x"])
    found = agreed(processes, "abc")
    assert found["unheard"] == {"x": "no-reveal"}
    status, out = processes.end("hub")
    assert (status, json.loads(out)["winner"]) == (0, found["winner"])


NAMESPACES = """
set -e
ip link set lo up
ip link add br0 type bridge mcast_snooping 0
ip link set br0 up
for name in a b c; do
    unshare -n sleep 60 &
    eval pid_$name=$!
done
sleep 0.3
for name in a b c; do
    eval pid=\\$pid_$name
    ip link add v$name type veth peer name eth0 netns $pid
    ip link set v$name master br0 up
    nsenter -t $pid -n ip link set lo up
    nsenter -t $pid -n sysctl -qw net.ipv6.conf.eth0.accept_dad=0 2>/dev/null || true
    nsenter -t $pid -n ip link set eth0 up
done
sleep 2.2
jobs=""
for name in a b c; do
    eval pid=\\$pid_$name
    nsenter -t $pid -n $JOIN --name $name > $FOLDER/$name.out 2> $FOLDER/$name.err &
    jobs="$jobs $!"
done
wait $jobs
kill $pid_a $pid_b $pid_c
"""


def test_an_ipv6_group_across_network_namespaces(tmp_path: Path) -> None:
    """Three machines on one cable, as far as the kernel is concerned."""
    allowed = shutil.which("unshare") and shutil.which("ip") and shutil.which("nsenter")
    if not allowed or subprocess.run(["unshare", "-rn", "true"], check=False, capture_output=True).returncode:
        pytest.skip("needs network namespaces")
    join = f"{' '.join(ARBITRE)} join [ff02::8282%eth0]:18282 --parties 3 --gather 20 --delay 0.5 --json"
    environment = {**os.environ, "JOIN": join, "FOLDER": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        ["unshare", "-rn", "sh", "-c", NAMESPACES], env=environment, check=False, capture_output=True, timeout=60
    )
    if not (tmp_path / "a.out").exists():
        pytest.skip(f"namespaces cannot be connected here: {done.stderr.decode()[-200:]}")
    found = {json.loads((tmp_path / f"{name}.out").read_text() or "{}").get("winner") for name in "abc"}
    assert len(found) == 1, (tmp_path / "a.err").read_text()
    assert found <= set("abc")


# ── many parties in one loop, on real sockets ──────────────────────────────────────────────────────────────────────


def together(parties: Iterable[Coroutine[Any, Any, Verdict]]) -> list[Verdict]:
    async def all_of_them() -> list[Verdict]:
        return list(await asyncio.gather(*parties))

    return asyncio.run(asyncio.wait_for(all_of_them(), 60))


@pytest.mark.parametrize("strong", [False, True], ids=["draft", "strong"])
def test_a_group_with_a_third_of_everything_lost(strong: bool) -> None:
    (port,) = free_ports(1)
    names = [f"p{number}" for number in range(5)]
    call = strong_call(names, limit=20.0, delay=1.0) if strong else Call(Terms(), 5, 20.0, 20.0, 1.0)

    async def party(name: str) -> Verdict:
        key = key_of(name) if strong else None
        channel = GroupChannel(
            name,
            Address("239.255.82.10", port),
            repeater(call, name, key),
            interface="127.0.0.1",
            weather=Disturbance(0.35, 0.2, 0.2, name),
        )
        return await take_part(PeerElection(call, name, choosing(), key, 30.0, repeats=True), channel)

    found = together(party(name) for name in names)
    assert len({verdict.winner for verdict in found}) == 1
    assert not any(verdict.excluded for verdict in found)


def test_a_mesh_on_ipv6_where_only_one_side_calls() -> None:
    ports = free_ports(4, socket.AF_INET6)
    call = Call(Terms(17), 4, 20.0, 20.0, 0.5)
    where = [Address("::1", port) for port in ports]

    async def party(number: int) -> Verdict:
        channel = MeshChannel(f"p{number}", where[number], where[:number], 4)
        return await take_part(PeerElection(call, f"p{number}", choosing(3), None, 30.0), channel)

    found = together(party(number) for number in range(4))
    assert len({verdict.winner for verdict in found}) == 1
    assert found[0].rounds[0].players == 4


async def hub_with(plan: HubPlan, *parties: str, strong: bool = False) -> tuple[HubServer, list[Verdict]]:
    server = HubServer(plan, key_of("hub"), Address("127.0.0.1", 0))
    await server.open()
    at = server.ports[0]
    holding = asyncio.ensure_future(server.hold())
    found = await asyncio.gather(
        *(take_part(HubElection(name, choosing(), key_of(name) if strong else None), HubChannel(name, at)) for name in parties)
    )
    await holding
    await server.close()
    return server, list(found)


@pytest.mark.parametrize("strong", [False, True], ids=["draft", "strong"])
def test_a_hub_with_forty_parties(strong: bool) -> None:
    names = [f"p{number}" for number in range(40)]
    call = strong_call(names)
    plan = HubPlan(call.terms, 40, keys=call.keys) if strong else HubPlan(Terms(game="x"), 40)
    _, found = asyncio.run(asyncio.wait_for(hub_with(plan, *names, strong=strong), 60))
    assert len({verdict.winner for verdict in found}) == 1
    assert not any(verdict.excluded for verdict in found)


def test_strangers_do_not_stop_a_hub() -> None:
    """Garbage, a packet without end, somebody who says nothing, a name twice, a latecomer."""

    async def story() -> Verdict:
        server = HubServer(HubPlan(Terms(game="x"), 2), key_of("hub"), Address("127.0.0.1", 0))
        await server.open()
        at = server.ports[0]
        holding = asyncio.ensure_future(server.hold())
        for octets in (
            b"GET / HTTP/1.1\r\n\r\n",
            b"\xff\xff\xff\xff",
            b"\0\0\0\x04RCB2",
            b"\0\0\0\x05hello",
            os.urandom(3_000),
            b"",
        ):
            reader, writer = await asyncio.open_connection(at.host, at.port)
            writer.write(octets)
            await writer.drain()
            writer.close()
            del reader
        first = asyncio.ensure_future(take_part(HubElection("a", choosing()), HubChannel("a", at)))
        while not server.hub.seats:
            await asyncio.sleep(0)
        with raises(ElectionError, "election-here"):
            await take_part(HubElection("a", choosing()), HubChannel("a", at))
        second = asyncio.ensure_future(take_part(HubElection("b", choosing()), HubChannel("b", at)))
        verdicts = await asyncio.gather(first, second)
        await holding
        await server.close()
        return verdicts[0]

    assert asyncio.run(asyncio.wait_for(story(), 30)).winner in {"a", "b"}


def test_a_hub_that_is_not_there_or_hangs_up() -> None:
    (port,) = free_ports(1)
    with raises(ElectionError, "no hub answers"):
        asyncio.run(take_part(HubElection("a", choosing()), HubChannel("a", Address("127.0.0.1", port), 0.3)))

    async def hung_up() -> None:
        server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", port)
        try:
            await take_part(HubElection("a", choosing()), HubChannel("a", Address("127.0.0.1", port)))
        finally:
            server.close()

    with raises(ElectionError, "hung up"):
        asyncio.run(hung_up())


def test_an_announced_value_through_a_hub() -> None:
    async def story() -> list[Verdict]:
        server = HubServer(HubPlan(Terms(game="x", announced=True), 2), key_of("hub"), Address("127.0.0.1", 0))
        await server.open()
        holding = asyncio.ensure_future(server.hold())

        async def ask() -> bytes:
            return b"the numbers of tonight"

        found = await asyncio.gather(
            *(take_part(HubElection(name, choosing()), HubChannel(name, server.ports[0]), None, ask) for name in "ab")
        )
        await holding
        await server.close()
        return list(found)

    found = asyncio.run(asyncio.wait_for(story(), 30))
    assert found[0].winner == found[1].winner


# ── bounds ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_each_source_has_an_allowance_and_time_refills_it() -> None:
    allowance = Allowance(rate=10, burst=5)
    assert [allowance.take("a", 0.0) for _ in range(7)] == [True] * 5 + [False] * 2
    assert allowance.take("b", 0.0)
    assert allowance.take("a", 0.2)
    for number in range(10_000):
        allowance.take(number, 1.0)
    assert len(allowance._left) <= 4_096


def test_a_mesh_refuses_more_connections_than_it_needs() -> None:
    async def story() -> int:
        channel = MeshChannel("a", Address("127.0.0.1", 0), [], 2)
        await channel.open()
        assert channel._server is not None
        host, port = channel._server.sockets[0].getsockname()[:2]
        writers = [(await asyncio.open_connection(host, port))[1] for _ in range(40)]
        until = time.monotonic() + 5
        while not channel.refused and time.monotonic() < until:
            await asyncio.sleep(0.02)
        for writer in writers:
            writer.close()
        await channel.close()
        return channel.refused

    assert asyncio.run(story()) >= 10


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("localhost:80", Address("localhost", 80)),
        ("[::1]:8282", Address("::1", 8282)),
        ("[ff02::1%eth0]:1", Address("ff02::1%eth0", 1)),
        ("239.1.2.3:9", Address("239.1.2.3", 9)),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    assert read_address(text) == address
    assert str(address) == text
    assert address.multicast == (text[0] == "2" or "ff02" in text)


@pytest.mark.parametrize("text", ["", "host", "host:", ":80", "::1:80", "host:65536", "host:-1", "host:x"])
def test_no_addresses(text: str) -> None:
    with pytest.raises(ElectionError):
        read_address(text)


def test_groups_that_cannot_be_joined() -> None:
    call = Call(Terms(), 2)
    for group, interface in ((Address("239.1.2.3", 1), "eth-nowhere"), (Address("ff02::1", 1), "eth-nowhere")):
        channel = GroupChannel("a", group, repeater(call, "a", None), interface=interface)
        with pytest.raises(ElectionError):
            asyncio.run(channel.open())
