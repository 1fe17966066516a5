"""What lies in `deploy/` fits the program: every option there is one of the command's, every file is where it is said to be.

No test here starts a container: that needs a container engine, and `test_the_image_is_built` says where there is none. What goes
into the image is built without one, and units are judged by systemd's own tools where they are there, the balancer by nginx.
"""

import asyncio
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from ipaddress import ip_address, ip_network
from pathlib import Path
from threading import Thread
from typing import Any

import aiohttp
import click
import pytest

from arbitre.cli import arbitre
from arbitre.games.catalogue import game
from arbitre.records.event import Kind
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.referee.verify import Proof, verify
from arbitre.site.settings import make_settings
from tests.postgresql import Cluster
from tests.test_spread import command as spreading
from tests.test_wheel import ROOT, built
from tests.web.clients import Server, Visitor
from tests.web.site import Client, Running, quiet, running
from tests.web.test_serve import free_port

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
CONTAINERFILE = re.sub(r"\\\n\s*", "", (DEPLOY / "Containerfile").read_text(encoding="utf-8"))
COMPOSED = import_module("yaml").safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSED["services"]
OURS = {name: one for name, one in SERVICES.items() if one["image"] == "arbitre"}


def understood(words: list[str]) -> dict[str, Any]:
    """Read the words behind `arbitre` as the command would, without doing it; return what each option is then."""
    command: click.Command = arbitre
    while isinstance(command, click.Group):
        name, *words = words
        found = command.get_command(click.Context(command), name)
        assert found is not None, f"there is no command {name}"
        command = found
    return command.make_context(command.name, words).params


def lines(keyword: str) -> list[str]:
    """Return what the container file says behind a keyword."""
    return re.findall(rf"^{keyword} (.*)$", CONTAINERFILE, re.MULTILINE)


# ── the image ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_is_copied_into_the_image_builds_the_wheel(tmp_path: Path) -> None:
    (tmp_path / "wheel").mkdir()
    for *sources, target in (line.split() for line in lines("COPY")[:3]):
        for one in sources:
            if (ROOT / one).is_dir():
                shutil.copytree(ROOT / one, tmp_path / "image" / target, symlinks=True)
            else:
                (tmp_path / "image").mkdir(exist_ok=True)
                shutil.copy(ROOT / one, tmp_path / "image" / target)
    assert (
        built("build_wheel", tmp_path / "image", tmp_path / "wheel").read_bytes()
        == built("build_wheel", ROOT, tmp_path).read_bytes()
    )
    assert (ROOT / lines("COPY")[3].split()[0]).is_file()


def test_the_image_does_what_it_says() -> None:
    assert json.loads(lines("ENTRYPOINT")[0]) == ["arbitre"]
    assert understood(json.loads(lines("CMD")[0]))["host"] == "0.0.0.0"  # noqa: S104 - where containers listen
    assert lines("USER") == ["arbitre"], "and not root"
    kept = dict(one.split("=") for one in lines("ENV")[0].split())
    assert kept["ARBITRE_DATA"] == lines("VOLUME")[0]
    assert all(folder in CONTAINERFILE.partition("install -d")[2].partition("\n")[0] for folder in kept.values())
    extras = re.search(r"\.whl\)\[([\w,]+)\]", CONTAINERFILE)
    assert extras is not None
    assert set(extras[1].split(",")) == {"agents", "engines", "postgresql"}


@pytest.mark.campaign
def test_the_image_is_built(tmp_path: Path) -> None:
    engine = next((one for one in ("docker", "podman") if shutil.which(one) and _runs(one)), None)
    if engine is None:
        pytest.skip("no container engine runs on this machine")
    subprocess.run([engine, "build", "-f", DEPLOY / "Containerfile", "-t", "arbitre-test", ROOT], check=True, capture_output=True)
    ran = subprocess.run([engine, "run", "--rm", "arbitre-test", "--version"], check=True, capture_output=True, text=True)
    assert ran.stdout.startswith("arbitre ")


def _runs(engine: str) -> bool:
    return subprocess.run([engine, "info"], capture_output=True, check=False).returncode == 0


# ── the services ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_there_are_three_nodes_two_workers_a_database_and_a_balancer() -> None:
    does = [(one["command"][0], one.get("deploy", {}).get("replicas", 1)) for one in OURS.values()]
    assert sorted(does) == [("serve", 1), ("serve", 1), ("serve", 1), ("worker", 2)]
    assert {name: one["image"].partition(":")[0] for name, one in SERVICES.items() if name not in OURS} == {
        "balancer": "nginx", "database": "postgres",
    }  # fmt: skip


def test_every_service_says_what_the_program_understands() -> None:
    for one in OURS.values():
        words = [re.sub(r"\$\{\w+:-(.*)\}", r"\1", word) for word in one["command"]]
        given = understood(words)
        if words[0] == "serve":
            settings = make_settings(None, {name: value for name, value in given.items() if value not in (None, ())})
            assert [str(one) for one in settings.proxies] == [f"{_addresses()['balancer']}/32"], "only the balancer is believed"
        assert one["environment"]["ARBITRE_DATABASE"] == "postgresql://arbitre@database/arbitre"
        assert one["build"]["dockerfile"] == "deploy/Containerfile"
        assert (DEPLOY / one["build"]["context"]).resolve() == ROOT
        assert {mount.split(":")[1] for mount in one["volumes"]} == set(re.findall(r"ARBITRE_\w+=(\S+)", CONTAINERFILE))


def _addresses() -> dict[str, str]:
    """Return the addresses that services have for themselves."""
    found = {name: one["networks"] for name, one in SERVICES.items() if isinstance(one["networks"], dict)}
    return {name: one["inside"]["ipv4_address"] for name, one in found.items() if one["inside"]}


def test_services_wait_for_what_is_there_and_keep_what_is_declared() -> None:
    for one in SERVICES.values():
        assert set(one.get("depends_on", ())) <= set(SERVICES)
        for name, _, place in (mount.partition(":") for mount in one.get("volumes", ())):
            assert name in COMPOSED["volumes"] or (DEPLOY / name).is_file(), f"{name} at {place}"
    (network,) = COMPOSED["networks"]["inside"]["ipam"]["config"]
    for address in map(ip_address, _addresses().values()):
        assert address in ip_network(network["subnet"])
        assert address not in ip_network(network["ip_range"]), "others are given addresses there"


# ── the balancer ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_balancer_knows_every_node() -> None:
    told = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    nodes = {name for name, one in OURS.items() if one["command"][0] == "serve"}
    assert set(re.findall(r"server (\w+):8000", told)) == nodes
    assert SERVICES["balancer"]["ports"] == [f"8080:{re.findall(r'listen (.*);', told)[0]}"]


@contextmanager
def balanced(folder: Path, *nodes: int) -> Iterator[Client]:
    """Run the balancer as it is configured, before nodes at other ports; yield a visitor."""
    if shutil.which("nginx") is None:
        pytest.skip("nginx is not on this machine")
    told, port = (DEPLOY / "nginx.conf").read_text(encoding="utf-8"), free_port()
    for number, node in enumerate(nodes, start=1):
        told = told.replace(f"node{number}:8000", f"127.0.0.1:{node}")
    told = told.replace("listen 8080", f"listen 127.0.0.1:{port}").replace("/tmp/nginx.pid", str(folder / "pid"))  # noqa: S108
    (folder / "nginx.conf").write_text(told.replace("worker_processes auto", "worker_processes 1"), encoding="utf-8")
    command = ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr", "-g", "daemon off;"]
    with subprocess.Popen(command) as process:
        try:
            while not (folder / "pid").exists():  # written when it listens
                assert process.poll() is None
            yield Client(port)
        finally:
            process.terminate()


def test_a_game_is_played_through_the_balancer_while_two_nodes_are_away(tmp_path: Path) -> None:
    with running(quiet(tmp_path / "site", trusted_proxy=("127.0.0.1/32",))) as site:
        assert isinstance(site, Running)
        with balanced(tmp_path, free_port(), site.port, free_port()) as client:
            assert {client.get("/").status for _ in range(6)} == {200}
            begun = client.post(
                "/play", {"game": "tictactoe", "one": "house:2", "two": "house:1", "clock": "1m"}, page="/play?game=tictactoe"
            )
            where = begun.headers["location"]
            assert b'"closed":true' in client.get(f"{where}/events").body.replace(b" ", b"")
            assert client.get(f"{where}/record").status == 200


def test_what_is_between_nodes_closes_the_site_to_nobody(tmp_path: Path) -> None:
    class Node(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(503 if self.path == "/games/between" else 200)
            self.send_header("content-length", "0")
            self.end_headers()

    nodes = [ThreadingHTTPServer(("127.0.0.1", 0), Node) for _ in range(3)]
    with ExitStack() as stack:
        for one in nodes:
            Thread(target=stack.enter_context(one).serve_forever, daemon=True).start()
            stack.callback(one.shutdown)
        client = stack.enter_context(balanced(tmp_path, *(one.server_port for one in nodes)))
        assert [client.get("/games/between").status for _ in range(4)] == [503] * 4
        assert {client.get("/").status for _ in range(4)} == {200}


class Service(Server):
    """What a service of the compose file runs, as a process of this machine: ports, addresses and folders are its own."""

    def __init__(self, name: str, place: Place, public: str) -> None:
        super().__init__(place)
        here = {"--host": "127.0.0.1", "--port": str(self.port), "--public-url": public, "--trusted-proxy": "127.0.0.1/32"}
        said = [word.partition("=") for word in OURS[name]["command"]]
        self.command = [f"{key}{is_}{here.get(key, value)}" for key, is_, value in said]
        self.env = {"ARBITRE_DATABASE": place.database, "ARBITRE_DATA": str(place.folder)}

    def words(self) -> list[str]:
        return [sys.executable, "-m", "arbitre", *self.command]


@pytest.mark.campaign
def test_what_the_services_run_plays_on_while_every_node_is_replaced(tmp_path: Path, cluster: Cluster) -> None:
    """Three nodes, two workers and the balancer: a person plays and a tournament is spread while nodes go and come."""
    place = Place(tmp_path / "keys", cluster.database())
    ports = [free_port() for _ in range(3)]
    with balanced(tmp_path, *ports) as client, ExitStack() as stack:
        public = f"http://127.0.0.1:{client.port}"
        nodes = [Service(f"node{number}", place, public) for number in (1, 2, 3)]
        for node, port in zip(nodes, ports, strict=True):
            node.command = [word.replace(str(node.port), str(port)) for word in node.command]
        workers = [Service("worker", place, public) for _ in range(2)]
        asyncio.run(asyncio.wait_for(_replaced(nodes, workers, place, public, stack), 540))
    cluster.give_back(place.database)


async def _replaced(nodes: list[Service], workers: list[Service], place: Place, public: str, stack: ExitStack) -> None:
    for one in (*nodes, *workers):
        await one.start()
        stack.callback(one.kill)
    cup = ("--game", "tictactoe", "--player", "a=random", "--player", "b=random", "--games", "128", "--name", "cup")
    spread = subprocess.Popen(spreading("tournament", "run", *cup, "--spread", place=place), stdout=subprocess.DEVNULL)
    stack.callback(spread.kill)
    seen: set[int] = set()
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        there = Server(place)
        there.url = public
        anna = Visitor(there, session)
        name = await anna.open("reversi", "me", "house:1", clock="1h")
        playing = asyncio.create_task(anna.play(game("reversi"), name, lambda: 0.3))
        looking = asyncio.create_task(_looked(session, public, seen))
        for node in nodes:
            assert await node.stop(signal.SIGTERM) == 0
            await node.start()
        await playing
        looking.cancel()
    assert await asyncio.to_thread(spread.wait) == 0
    assert seen <= {200, 503}, "and nothing that a balancer says by itself"
    store = Store(place)
    record = store.record(name)
    assert verify(record.text().encode(), given=store.key().fingerprint).standing is Proof.VERIFIED
    said = [event.text for event in record.events if event.kind is Kind.SAID and event.seat == 0]
    assert said == [move for _, move in anna.taken], "every move that was taken, once"
    assert len(list(store.matches(tournament="cup"))) == 128
    store.close()


async def _looked(session: aiohttp.ClientSession, public: str, seen: set[int]) -> None:
    """Look at a page again and again, as a visitor who does not know of nodes."""
    while True:
        async with session.get(f"{public}/watch") as response:
            seen.add(response.status)
        await asyncio.sleep(0.05)


# ── the units ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_starts_what_the_program_understands(unit: Path) -> None:
    (started,) = re.findall(r"^ExecStart=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
    program, *words = shlex.split(started)
    assert program == "/opt/arbitre/bin/arbitre"
    assert understood(words)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_finds_nothing_wrong_with_a_unit(unit: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not on this machine")
    here = tmp_path / unit.name
    here.write_text(unit.read_text(encoding="utf-8").replace("/opt/arbitre/bin/arbitre", sys.executable), encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", here], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    least = "20" if unit.name == "arbitre.service" else "35"  # tenths of systemd's measure of what a service may reach
    judged = ["systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={least}", str(here)]
    assert subprocess.run(judged, capture_output=True, check=False).returncode == 0


def test_the_settings_beside_the_units_are_settings() -> None:
    settings = make_settings(DEPLOY / "site.toml", {})
    assert settings.public == "https://games.example"
    assert settings.secure
