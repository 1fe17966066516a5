"""Engines by URL, with real sockets: independent programs in two languages and four styles, and every way to behave badly."""

import asyncio
import re
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import aiohttp
import pytest
import uvloop

from arbitre.bot import Bot, InProcess, Position, mind
from arbitre.errors import HouseError, TermsError
from arbitre.games.anyone import Anyone
from arbitre.reasons import Reason, keep
from arbitre.records.event import Event, Kind
from arbitre.referee.clock import read_clock
from arbitre.referee.match import Match
from arbitre.referee.player import Player
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.verdict import Termination, Verdict
from arbitre.referee.verify import Proof, verify
from arbitre.tournoyons import callback, slots
from arbitre.tournoyons.callback import Listener, Receiver
from arbitre.tournoyons.player import HttpPlayer, Switchboard, check_clock
from arbitre.tournoyons.server import EngineServer
from arbitre.tournoyons.trace import Spoken
from arbitre.tournoyons.wire import ACCEPTED, Reply, Style
from arbitre.transport import http as lines
from arbitre.transport.guard import LOOPBACK, Guard, read_networks
from tests.reasons import gives, raises
from tests.transport.tables import KEY, make_match

ENGINES = Path(__file__).parent.parent / "fixtures" / "engines"


def started(*command: str) -> Iterator[str]:
    """Run an engine while a test needs it; return its address."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


@pytest.fixture(scope="module")
def python() -> Iterator[str]:
    yield from started(sys.executable, "-S", str(ENGINES / "styles.py"))


@pytest.fixture(scope="module")
def node() -> Iterator[str]:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed")
    yield from started(found, str(ENGINES / "styles.js"))


class Course:
    """Matches on one switchboard."""

    def __init__(self, guard: Guard | None = None) -> None:
        receiver = Receiver()
        self.board = Switchboard(receiver, guard=guard, listener=Listener(receiver))
        self.trace: list[Spoken] = []
        self._made = 0

    def engine(self, url: str, style: Style | None = None) -> HttpPlayer:
        self._made += 1
        return HttpPlayer(url, self.board, b"secret %d" % self._made, style=style or Style(), trace=self.trace.append)

    def play(self, match: Match, *players: Player) -> tuple[Verdict, Sequence[Event]]:
        """Play a match, a seat that is left taken by `Anyone`; demand a sound record and that no task is left."""
        seated = [*players, *(InProcess(Anyone(), aside=True) for _ in range(match.game.seats - len(players)))]
        journal = Memory()

        async def course() -> Verdict:
            async with asyncio.timeout(30), self.board:
                affairs = await MatchRunner(match, seated, journal, KEY).play()
            assert affairs.verdict is not None
            return affairs.verdict

        verdict = asyncio.run(course())
        found = verify(journal.record().text().encode(), given=KEY.fingerprint)
        assert found.standing is Proof.VERIFIED, found.line
        return verdict, journal.events


def styled(base: str, path: str) -> tuple[str, Style]:
    return f"{base}/{path}", Style(direct=path == "direct", full=path == "after")


# ── four styles, two languages ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", ["inside", "after", "slash", "direct"])
@pytest.mark.parametrize("name", ["tictactoe", "rochambeau", "mastermind", "seafight"])
def test_engines_of_every_style_play_whole_matches(path: str, name: str, python: str, node: str) -> None:
    course = Course()
    players = [course.engine(*styled(python, path)), course.engine(*styled(node, path))]
    verdict, _ = course.play(make_match("10s/move", name=name), *players)
    assert verdict.termination is Termination.RULES, verdict.reason


def test_styles_mix_and_seats_change(python: str, node: str) -> None:
    course = Course()
    players = [course.engine(*styled(node, "direct")), course.engine(*styled(python, "after"))]
    verdict, _ = course.play(make_match("10s/move", name="bigtictactoe", options={"first": True}), *players)
    assert verdict.termination is Termination.RULES, verdict.reason


def test_the_end_is_told_to_engines_that_want_to_know(python: str) -> None:
    course = Course()
    course.play(make_match("10s/move"), course.engine(f"{python}/inside", Style(notify=True)))
    assert told(f"{python}/ended") in {"1", "3", "5"}


def told(url: str) -> str:
    """Return what an engine tells of itself."""

    async def course() -> str:
        async with aiohttp.ClientSession() as session, session.get(url) as response:
            return await response.text()

    return asyncio.run(course())


def test_an_old_question_cannot_be_answered_in_place_of_the_present_one(python: str) -> None:
    course = Course()
    verdict, _ = course.play(make_match("10s/move"), course.engine(f"{python}/late-then-well"))
    assert verdict.termination is Termination.RULES, verdict.reason
    assert set(told(f"{python}/refused").split()) == {"409"}
    assert {one.status for one in course.trace if one.what == "refused"} == {409}


def test_a_player_without_a_clock_is_waited_for(python: str) -> None:
    course = Course()
    verdict, _ = course.play(make_match("none"), course.engine(f"{python}/inside"))
    assert verdict.termination is Termination.RULES


@pytest.mark.parametrize("path", ["inside", "after", "direct"])
def test_the_trace_tells_each_question_before_its_answer(path: str, python: str) -> None:
    course = Course()
    course.play(make_match("10s/move"), course.engine(*styled(python, path)))
    turns = [one.what for one in course.trace]
    assert turns == ["called"] * len(turns) if path == "direct" else turns == ["called", "heard"] * (len(turns) // 2)
    assert [one.at for one in course.trace] == sorted(one.at for one in course.trace)


def test_an_engine_is_told_how_much_is_left_on_its_clock(python: str) -> None:
    course = Course()
    course.play(make_match("6s"), course.engine(f"{python}/inside"))
    limits = [int(one.text.partition("TimeOut=")[2].partition("&")[0]) for one in course.trace if one.what == "called"]
    assert limits[0] == 6
    assert limits == sorted(limits, reverse=True)


def test_a_clock_that_the_protocol_cannot_say_is_refused() -> None:
    for text in ("4s/move", "54s/move", "5m", "4s+1s", "none"):
        check_clock(read_clock(text))
    for text in ("3999ms/move", "1s/move", "2s"):
        with raises(TermsError, "an engine at an address has at least", least_seconds=4):
            check_clock(read_clock(text))


def test_what_everybody_reads_names_no_address() -> None:
    """An engine's address is its owner's: the record of a match in which nobody took the call does not have it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody takes a call
        port = taken.getsockname()[1]
        course = Course()
        verdict, events = course.play(make_match("10s/move"), course.engine(f"http://127.0.0.1:{port}/mine"))
    assert verdict.reason == Reason("call-not-taken", why=Reason("connection-refused"))
    assert not [event for event in events if str(port) in event.text]


# ── bad habits ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("path", "style", "clock", "termination", "why"),
    [
        ("crash", Style(), "200ms/move", Termination.OUT_OF_TIME, "call-failed"),
        ("stall", Style(), "200ms/move", Termination.OUT_OF_TIME, "still-at-work"),
        ("error-direct", Style(), "200ms/move", Termination.OUT_OF_TIME, Reason("ended-with-status", status=500)),
        ("wrong-id", Style(), "200ms/move", Termination.OUT_OF_TIME, Reason("unknown-move-id", move="12345")),
        ("loop", Style(), "200ms/move", Termination.OUT_OF_TIME, "call-failed"),
        ("stall", Style(direct=True), "200ms/move", Termination.OUT_OF_TIME, "still-at-work"),
        ("crash", Style(direct=True), "5s/move", Termination.DISCONNECTED, "call-failed"),
        ("loop", Style(direct=True), "5s/move", Termination.DISCONNECTED, Reason("too-many-redirects", most=3)),
        ("huge-direct", Style(direct=True), "5s/move", Termination.PROTOCOL_ERROR, Reason("body-too-long", most=16_384)),
        (
            "error-direct",
            Style(direct=True),
            "5s/move",
            Termination.PROTOCOL_ERROR,
            Reason("status-instead", status=500, body="Traceback"),
        ),
        ("illegal", Style(), "5s/move", Termination.ILLEGAL_MOVE, "no-digit"),
        ("method-POST", Style(), "400ms/move", Termination.OUT_OF_TIME, Reason("not-by-get", method="POST")),
        ("method-HEAD", Style(), "400ms/move", Termination.OUT_OF_TIME, Reason("not-by-get", method="HEAD")),
        ("inside", Style(login="ada"), "200ms/move", Termination.OUT_OF_TIME, "false-login"),
    ],
)
def test_who_is_late_or_wrong_loses_and_is_told_why(
    path: str, style: Style, clock: str, termination: Termination, why: str | Reason, python: str
) -> None:
    course = Course()
    verdict, _ = course.play(make_match(clock), course.engine(f"{python}/{path}", style))
    assert verdict.termination is termination, verdict.reason
    assert verdict.scores is not None
    assert verdict.scores[0] == 0
    assert gives(verdict.reason, why) or gives(verdict.reason, "still-at-work")  # so it is where the machine is busy


FIVE = """
from http.server import BaseHTTPRequestHandler, HTTPServer
class Five(BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"5")
server = HTTPServer(("127.0.0.1", 0), Five)
print(server.server_port, flush=True)
server.serve_forever()
"""


def test_who_answers_in_the_body_without_having_said_so_is_told() -> None:
    course = Course()
    for url in started(sys.executable, "-c", FIVE):
        verdict, _ = course.play(make_match("2s/move"), course.engine(f"{url}/"))
        told = Reason("no-answer-because", why=Reason("should-be-direct"))
        assert verdict.reason == told


@pytest.mark.parametrize("path", ["inside", "dozing", "behind", "slash", "direct"])
def test_the_trace_has_the_status_of_each_of_our_calls_to_the_last(path: str, python: str) -> None:
    """The last call back ends the game, and only then does the engine end our call."""
    course = Course()
    due = 200 if path in ("direct", "behind") else 500

    async def play() -> None:
        async with asyncio.timeout(30), course.board:
            await MatchRunner(make_match("10s/move"), [course.engine(*styled(python, path)) for _ in "12"], Memory(), KEY).play()
            while not course.board.slots.idle:
                await asyncio.sleep(0.01)

    asyncio.run(play())
    calls = [one for one in course.trace if one.what == "called"]
    assert len(calls) >= 5
    assert {one.status for one in calls} == {due}


def test_a_call_that_has_no_status_says_why(python: str) -> None:
    course = Course()
    course.play(make_match("200ms/move"), course.engine(f"{python}/stall"))
    assert [(one.status, one.body) for one in course.trace] == [(0, keep(Reason("unended")))]


def test_a_call_to_the_address_of_an_earlier_game_is_in_the_trace_and_in_the_verdict() -> None:
    """The engine remembers the first Referee it was ever given."""
    course = Course()
    for url in started(sys.executable, "-S", str(ENGINES / "styles.py")):
        verdict, _ = course.play(make_match("10s/move"), course.engine(f"{url}/stubborn"))
        assert verdict.termination is Termination.RULES, verdict.reason
        course.trace.clear()
        verdict, _ = course.play(make_match("400ms/move"), course.engine(f"{url}/stubborn"))
        assert gives(verdict.reason, "call-back-refused", why=Reason("earlier-game"))
        assert [(one.what, one.status) for one in course.trace] == [("called", 200), ("refused", 410)]


@pytest.mark.parametrize("path", ["twice", "huge", "slow"])
def test_what_an_engine_says_besides_changes_nothing(path: str, python: str) -> None:
    course = Course()
    verdict, _ = course.play(make_match("10s/move"), course.engine(f"{python}/{path}"))
    assert verdict.termination is Termination.RULES, verdict.reason
    assert any(one.what == "called" for one in course.trace)


def test_refused_calls_are_recorded_and_named(python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arbitre.tournoyons.player.seconds", lambda _left: 1)
    course = Course()
    verdict, _ = course.play(make_match("none"), course.engine(f"{python}/wrong-id"))
    assert verdict.termination is Termination.OUT_OF_TIME
    refused = Reason("call-back-refused", why=Reason("unknown-move-id", move="12345"))
    assert verdict.reason == Reason("no-answer-within-because", seconds=1, why=refused)
    assert [(one.what, one.status) for one in course.trace if one.what == "refused"] == [("refused", 404)]


def test_a_connection_that_nobody_takes_fails_early() -> None:
    course = Course()
    verdict, _ = course.play(make_match("50s/move"), course.engine("http://127.0.0.1:1/engine"))
    assert verdict.termination is Termination.DISCONNECTED
    assert verdict.reason.code == "call-not-taken"


def test_a_guarded_player_does_not_call_loopback(python: str) -> None:
    course = Course(Guard())
    verdict, _ = course.play(make_match("50s/move"), course.engine(f"{python}/inside"))
    assert verdict.termination is Termination.DISCONNECTED
    assert gives(verdict.reason, "not-public", address="127.0.0.1")


def test_the_wire_has_no_words_for_some_games(python: str) -> None:
    course = Course()
    match = make_match("50s/move", name="rochambeau", options={"states": 5})
    verdict, _ = course.play(match, course.engine(f"{python}/inside"))
    assert verdict.termination is Termination.DISCONNECTED


def test_a_trace_tells_of_nothing_that_is_pending(python: str) -> None:
    """While an engine thinks, its owner has not seen the question."""
    course = Course()
    seen: list[int] = []

    class Watch(Bot):
        def move(self, position: Position) -> str:
            seen.append(sum(one.what == "heard" for one in course.trace))
            return position.legal[0]

    course.play(make_match("10s/move"), course.engine(f"{python}/inside"), InProcess(Watch()))
    assert all(count <= number for number, count in enumerate(seen, start=1)), seen
    assert seen == sorted(seen)
    urls = [one.text for one in course.trace if one.what == "called"]
    assert urls
    assert all("Status=0" in url for url in urls)


def test_a_host_that_is_called_as_often_as_it_may_be_makes_calls_wait_and_nobody_pays(python: str) -> None:
    """Twelve matches share two calls to one host, each of which takes a while; less than that is charged to anybody."""
    course = Course()
    course.board.slots.most = 2
    journals = [Memory() for _ in range(12)]

    async def play() -> None:
        async with asyncio.timeout(60), course.board:
            await asyncio.gather(
                *(
                    MatchRunner(
                        make_match("2s/move"), [course.engine(f"{python}/dozing"), InProcess(Anyone())], journal, KEY
                    ).play()
                    for journal in journals
                )
            )
            while not course.board.slots.idle:  # the last calls have a moment to end
                await asyncio.sleep(0.01)

    asyncio.run(play())
    said = [event for journal in journals for event in journal.events if event.kind is Kind.TICKED]
    assert said == []


def test_an_engine_that_hears_of_the_end_slowly_holds_nobody_up(python: str) -> None:
    course = Course()
    journal = Memory()

    async def play() -> bool:
        async with asyncio.timeout(30), course.board:
            players = [course.engine(f"{python}/inside?deaf=1", Style(notify=True)), InProcess(Anyone())]
            await MatchRunner(make_match("10s/move"), players, journal, KEY).play()
            return journal.sealed is not None and not any(
                "Status=0" not in one.text for one in course.trace if one.what == "called"
            )

    assert asyncio.run(play())
    assert any("Status=0" not in one.text for one in course.trace if one.what == "called")


# ── where engines call back ────────────────────────────────────────────────────────────────────────────────────────


async def asgi(receiver: Receiver, method: str, path: str, query: str = "") -> tuple[int, str]:
    sent = []

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    async def receive() -> dict[str, object]:
        raise AssertionError("no body is read")

    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode()}
    await receiver(scope, receive, send)
    body = sent[1]["body"]
    status = sent[0]["status"]
    assert isinstance(body, bytes)
    assert isinstance(status, int)
    return status, body.decode()


def test_the_receiver_knows_its_seats_and_nobody_else() -> None:
    late: list[tuple[str, str]] = []
    receiver = Receiver("https://arbiter.example/base/", late=lambda handle, query: late.append((handle, query)))
    heard: list[str] = []

    def hear(query: str) -> Reply:
        heard.append(query)
        return Reply(200, Reason("accepted"))

    address = receiver.open("ab", "0" * 32, hear)
    assert address == "https://arbiter.example/base/answer/ab/" + "0" * 32
    assert "?" not in address
    good = "/answer/ab/" + "0" * 32
    assert asyncio.run(asgi(receiver, "GET", good, "Value=1")) == (200, f"{ACCEPTED.text}\n")
    for path in ("/", "/answer/", "/answer/ab", "/answer/ab/", "/answer/ab/" + "1" * 32, "/answer/xx/" + "0" * 32, "/other"):
        assert asyncio.run(asgi(receiver, "GET", path))[0] == 404
    for method in ("POST", "HEAD", "PUT"):
        assert asyncio.run(asgi(receiver, method, good)) == (405, f"{Reason('not-by-get', method=method)}\n")
    receiver.close("ab")
    assert asyncio.run(asgi(receiver, "GET", good, "Value=1"))[0] == 410
    for method in ("POST", "HEAD"):
        assert asyncio.run(asgi(receiver, method, good, "Value=1"))[0] == 405, "a wrong method is wrong when the game is over too"
    assert asyncio.run(asgi(receiver, "GET", "/answer/ab/" + "1" * 32))[0] == 404
    assert heard == ["Value=1"]
    assert late == [("ab", "Value=1")]


def test_a_word_that_waits_for_the_disk_is_said_in_its_turn() -> None:
    """Two calls on one line: the second is judged at once, and answered behind the first."""

    async def course() -> bytes:
        receiver = Receiver()
        waits = asyncio.get_running_loop().create_future()
        replies = iter((waits, Reply(410, Reason("too late"))))
        heard = asyncio.Event()

        def hear(query: str) -> "Reply | asyncio.Future[Reply]":
            if query == "2":
                heard.set()
            return next(replies)

        async with Switchboard(receiver, listener=Listener(receiver)):
            path = receiver.open("ab", "0" * 32, hear).removeprefix(receiver.public)
            reader, writer = await asyncio.open_connection("127.0.0.1", int(receiver.public.rpartition(":")[2]))
            writer.write(f"GET {path}?1 HTTP/1.1\r\n\r\nGET {path}?2 HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
            await heard.wait()
            waits.set_result(Reply(200, Reason("accepted")))
            said = await reader.read()
            writer.close()
        return said

    said = asyncio.run(course())
    assert re.findall(rb"HTTP/1.1 (\d+)", said) == [b"200", b"410"]


def test_nothing_is_accepted_while_nothing_can_be_kept() -> None:
    receiver = Receiver("https://arbiter.example")
    good = receiver.open("ab", "0" * 32, lambda _query: Reply(200, Reason("accepted"))).removeprefix(receiver.public)
    receiver.away = lambda: Reason("the disk is full")
    assert asyncio.run(asgi(receiver, "GET", good, "Value=1")) == (503, f"{receiver.away()}\n")
    receiver.close("ab")
    assert asyncio.run(asgi(receiver, "GET", good, "Value=1"))[0] == 503, "the game is not over"
    assert asyncio.run(asgi(receiver, "GET", "/answer/ab/" + "1" * 32))[0] == 404


def test_a_call_is_told_to_the_seat_that_it_meant_whatever_its_address() -> None:
    told: list[tuple[str, int]] = []
    receiver = Receiver("http://arbiter.example")
    secret = "0" * 32
    receiver.open("old", secret, lambda _query: Reply(200, Reason("accepted")), game="first", astray=lambda *_: None)
    receiver.close("old")
    receiver.open(
        "new",
        "1" * 32,
        lambda _query: Reply(200, Reason("accepted")),
        game="live",
        astray=lambda query, reply: told.append((query, reply.status)),
    )
    for query in ("Game=live&Value=1", "Game=first&Value=1", "Value=1", "&" * 100, "x" * 10_000):
        for path in ("/answer/none/none", f"/answer/old/{secret}", f"/answer/new/{secret}"):
            reply = receiver.answer("GET", path, query)
            assert isinstance(reply, Reply)
            assert reply.status == (410 if "/old/" in path else 404)
    assert told == [("Game=live&Value=1", 404), ("Game=live&Value=1", 410), ("Game=live&Value=1", 404)]
    receiver.close("new")
    receiver.answer("GET", "/answer/none/none", "Game=live&Value=1")
    assert len(told) == 3


def test_a_head_is_answered_without_a_body() -> None:
    """Else the next answer on the line would begin with it."""

    async def course() -> bytes:
        listener = Listener(Receiver())
        await listener.start()
        reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
        writer.write(b"HEAD /answer/a/b HTTP/1.1\r\n\r\nGET /answer/a/b HTTP/1.0\r\n\r\n")
        said = await reader.read()
        writer.close()
        await listener.stop()
        return said

    first, _, rest = asyncio.run(course()).partition(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 404 ")
    assert rest.startswith(b"HTTP/1.1 404 ")


def test_a_port_that_is_taken_is_reported() -> None:
    async def course() -> None:
        first = Listener(Receiver())
        await first.start()
        try:
            with raises(
                HouseError, "%(what)s %(host)s:%(port)s: %(strerror)s", what="cannot listen for engines on", host="127.0.0.1"
            ):
                await Listener(Receiver(), port=first.port).start()
        finally:
            await first.stop()

    asyncio.run(course())


def test_who_asks_without_end_and_reads_nothing_is_not_listened_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the answers would pile up here; and in the end we hang up."""
    monkeypatch.setattr(callback, "CALLER_SECONDS", 0.5)
    many = b"GET /answer/a/b HTTP/1.1\r\n\r\n" * 1000

    async def course() -> int:
        listener = Listener(Receiver())
        await listener.start()
        sent = 0
        with socket.create_connection(("127.0.0.1", listener.port)) as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.setblocking(False)
            loop = asyncio.get_running_loop()
            try:
                async with asyncio.timeout(30):
                    while sent < 64 << 20:
                        await loop.sock_sendall(line, many)
                        sent += len(many)
            except ConnectionError:
                pass
            finally:
                await listener.stop()
        return sent

    assert asyncio.run(course()) < 32 << 20


def test_who_answers_and_never_hangs_up_holds_no_slot_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of a move is a minute here, and its host takes one call at a time."""
    monkeypatch.setattr(slots, "FAREWELL_SECONDS", 0.05)

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        query = dict(parse_qsl(asked.partition("?")[2]))
        tray = query["Tray"].replace("Init", "0" * 9)
        said = {"Game": query["Game"], "MoveId": query["MoveId"], "Value": str(tray.index("0") + 1)}
        async with aiohttp.ClientSession() as session, session.get(f"{query['Referee']}?{urlencode(said)}") as response:
            assert response.status == 200
        await reader.read()  # until the other end hangs up
        writer.close()

    async def course() -> Verdict:
        receiver = Receiver()
        server = await asyncio.start_server(hold, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        async with asyncio.timeout(20), Switchboard(receiver, listener=Listener(receiver), per_host=1) as board:
            players = [HttpPlayer(url, board, bytes([seat]) * 8) for seat in range(2)]
            affairs = await MatchRunner(make_match("60s/move"), players, Memory(), KEY).play()
            while not board.slots.idle:
                await asyncio.sleep(0.01)
        server.close()
        await server.wait_closed()
        assert affairs.verdict is not None
        return affairs.verdict

    assert asyncio.run(course()).termination is Termination.RULES


# ── our own engines behind addresses ───────────────────────────────────────────────────────────────────────────────

ALL = ("tictactoe", "rochambeau", "bigtictactoe", "pente", "reversi", "mastermind", "seafight", "poker", "draughts", "kriegspiel")


@pytest.mark.parametrize("name", ALL)
def test_a_bot_of_ours_plays_over_http(name: str) -> None:
    """Both seats over real sockets, with callbacks; in Kriegspiel a refused try is asked again."""
    shorter: dict[str, dict[str, object]] = {"kriegspiel": {"plies": 30}, "bigtictactoe": {"first": True}}
    options = shorter.get(name, {})
    match = make_match("20s/move", name=name, options=options, refusals=None if name == "kriegspiel" else 0)
    journal = Memory()

    async def course() -> Verdict:
        async with AsyncExitStack() as stack:
            server = await stack.enter_async_context(EngineServer(lambda _path, _set: lambda: mind(Anyone())))
            receiver = Receiver()
            board = await stack.enter_async_context(Switchboard(receiver, listener=Listener(receiver)))
            players = [HttpPlayer(f"http://127.0.0.1:{server.port}/x", board, bytes([seat])) for seat in range(2)]
            async with asyncio.timeout(40):
                affairs = await MatchRunner(match, players, journal, KEY).play()
        assert affairs.verdict is not None
        return affairs.verdict

    verdict = asyncio.run(course())
    assert verdict.termination is Termination.RULES, verdict.reason


def test_ipv6_is_an_address_like_any_other() -> None:
    async def course() -> Verdict:
        async with AsyncExitStack() as stack:
            server = await stack.enter_async_context(EngineServer(lambda _path, _set: lambda: mind(Anyone()), "::1"))
            receiver = Receiver()
            board = await stack.enter_async_context(Switchboard(receiver, listener=Listener(receiver, "::1")))
            players = [HttpPlayer(f"http://[::1]:{server.port}/?mine=1", board, bytes([seat])) for seat in range(2)]
            affairs = await MatchRunner(make_match("20s/move"), players, Memory(), KEY).play()
        assert affairs.verdict is not None
        return affairs.verdict

    try:
        verdict = asyncio.run(course())
    except HouseError as error:
        pytest.skip(str(error))
    assert verdict.termination is Termination.RULES, verdict.reason


# ── by HTTPS ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a certificate for this machine that nobody signed; its key lies in the same file."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the openssl command")
    made = tmp_path_factory.mktemp("tls") / "both.pem"
    key = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1"]
    subprocess.run([*key, *names, "-keyout", str(made), "-out", f"{made}.only"], check=True, capture_output=True)
    made.write_bytes(made.read_bytes() + Path(f"{made}.only").read_bytes())
    return made


def secured(certificate: Path, host: str, *styles: Style) -> tuple[Verdict, Sequence[Event], list[Spoken]]:
    """Play a match between engines behind TLS, as the site would: under uvloop, with a guard that lets this machine pass."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    course, journal = Course(Guard(LOOPBACK)), Memory()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            query = dict(parse_qsl((await reader.readuntil(b"\r\n\r\n")).split()[1].decode().partition("?")[2]))
            said = str(query["Tray"].replace("Init", "0" * 9).index("0") + 1)
            if referee := query.get("Referee"):
                answer = urlencode({"Game": query["Game"], "MoveId": query["MoveId"], "Value": said})
                async with aiohttp.ClientSession() as session, session.get(f"{referee}?{answer}") as response:
                    assert response.status == 200
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n" + said.encode())
            await writer.drain()
            writer.close()

    async def play() -> Verdict:
        server = await asyncio.start_server(serve, host, 0, ssl=context)
        shown = f"[{host}]" if ":" in host else host
        url = f"https://{shown}:{server.sockets[0].getsockname()[1]}/"
        async with asyncio.timeout(30), course.board:
            players = [course.engine(url, style) for style in styles]
            affairs = await MatchRunner(make_match("10s/move"), players, journal, KEY).play()
        server.close()
        assert affairs.verdict is not None
        return affairs.verdict

    return uvloop.run(play()), journal.events, course.trace


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_engines_play_by_https(host: str, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One answers in the body, the other calls back."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    lines._trusted.cache_clear()
    try:
        verdict, _, trace = secured(certificate, host, Style(direct=True), Style())
    finally:
        lines._trusted.cache_clear()
    assert verdict.termination is Termination.RULES, verdict.reason
    assert {one.status for one in trace if one.what == "called"} == {200}


@pytest.mark.parametrize("style", [Style(), Style(direct=True)])
def test_a_certificate_that_is_not_trusted_is_named_and_nobody_is_called(style: Style, certificate: Path) -> None:
    verdict, events, trace = secured(certificate, "127.0.0.1", style, Style())
    assert verdict.termination is Termination.DISCONNECTED
    assert gives(verdict.reason, "certificate-untrusted", text="self-signed certificate")
    assert [one.what for one in trace] == ["failed"]
    assert not [event for event in events if "127.0.0.1" in event.text]


def test_in_a_competition_the_opponent_is_named(python: str) -> None:
    course = Course()
    plain = make_match("10s/move")
    opening = plain.opening
    event = replace(opening, notes={"event": "cup"})
    for match, named in ((plain, False), (Match(event, plain.seed), True)):
        course.trace.clear()
        course.play(match, course.engine(f"{python}/inside"))
        called = [one.text for one in course.trace if one.what == "called"]
        assert {"&Opponent=" in url for url in called} == {named}


def test_only_the_allowed_may_ask() -> None:
    async def status(allowed: Sequence[str], query: str = "") -> int:
        server = EngineServer(lambda _path, _set: lambda: mind(Anyone()), allowed=read_networks(allowed))
        async with server, aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{server.port}/?{query}") as answer:
            return answer.status

    good = "Set=TicTacToe&Game=TEST&Turn=1&Tray=Init&Referee=&Status=0"
    assert asyncio.run(status(["10.0.0.0/8"], good)) == 403
    assert asyncio.run(status(["127.0.0.0/8"], good)) == 200
    assert asyncio.run(status([], good)) == 200
    assert asyncio.run(status([], good.replace("TicTacToe", "Chess"))) == 400
    assert asyncio.run(status([], good.replace("Referee=", "Referee=file:///etc"))) == 400
