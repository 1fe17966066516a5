"""A class's ranges are its own, and a school's gateway is asked, believed and blamed for what it says."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from arbitre.errors import ArbitreError, ForbiddenAddressError, GatewayError, ProtocolError
from arbitre.reasons import Reason, keep
from arbitre.referee.verdict import Termination
from arbitre.tournoyons.gateway import Gateway, Way, read_address, read_reply, sign, write_letter
from arbitre.tournoyons.player import HttpPlayer, Switchboard
from arbitre.tournoyons.wire import Style
from arbitre.transport.guard import Guard, read_networks
from tests.reasons import english, gives, raises
from tests.tournoyons.test_player import ENGINES, Course, started
from tests.transport.tables import make_match
from tests.transport.test_guard import Names

EXAMPLE = ENGINES.parent.parent.parent / "examples" / "engines" / "gateway.py"
HERE = read_networks(["127.0.0.1"])
KEY = "the key of the class"
DIRECT = Style(direct=True)


# ── ranges ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Rooms:
    """Two machines inside, one of which sends whoever comes to the other."""

    def __init__(self) -> None:
        self.reached: list[str] = []
        self.port = 0

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        host = str(request.host).partition(":")[0]
        self.reached.append(host)
        if request.path == "/onward":
            return web.Response(status=302, headers={"Location": f"http://127.0.0.6:{self.port}/"})
        return web.Response(text="secret")

    async def fetch(self, calls: list[tuple[str, Way]], names: Names | None = None) -> list[str | ArbitreError | OSError]:
        """Make calls one after another on one switchboard; return what came, or what was wrong."""
        runner = web.ServerRunner(web.Server(self.handle, access_log=None))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.5", 0).start()
        self.port = int(runner.addresses[0][1])
        await web.TCPSite(runner, "127.0.0.6", self.port).start()
        found: list[str | ArbitreError | OSError] = []
        try:
            async with asyncio.timeout(10), Switchboard(guard=Guard(), lookup=names) as board:
                for url, way in calls:
                    try:
                        found.append((await board.fetch(url.replace("PORT", str(self.port)), way)).body)
                    except (ArbitreError, OSError) as error:
                        found.append(error)
        finally:
            await runner.cleanup()
        return found


FIVE, SIX, NONE = Way(read_networks(["127.0.0.5"])), Way(read_networks(["127.0.0.6"])), Way()


def test_an_engine_is_called_in_its_own_class_s_range_and_in_no_other() -> None:
    rooms = Rooms()
    said = asyncio.run(rooms.fetch([(f"http://127.0.0.{host}:PORT/", way) for host in (5, 6) for way in (FIVE, SIX, NONE, FIVE)]))
    assert [one == "secret" for one in said] == [True, False, False, True, False, True, False, False]
    assert all(gives(one, "not-public") for one in said if one != "secret")
    assert rooms.reached == ["127.0.0.5", "127.0.0.5", "127.0.0.6"]


def test_a_connection_into_a_class_serves_nobody_else() -> None:
    """The name leads inside; whoever may go there has just been there, and nobody else follows on his connection."""
    rooms = Rooms()
    names = Names(school_example=["127.0.0.5"])
    calls = [("http://school.example:PORT/", way) for way in (FIVE, NONE, SIX, FIVE)]
    said = asyncio.run(rooms.fetch(calls, names))
    assert [one == "secret" for one in said] == [True, False, False, True]
    assert names.asked == 4


def test_redirects_and_names_that_change_stay_in_the_range() -> None:
    rooms = Rooms()
    names = Names(evil_example=["127.0.0.5", "127.0.0.6"])
    calls = [("http://127.0.0.5:PORT/onward", FIVE), *[("http://evil.example:PORT/", FIVE)] * 2]
    said = asyncio.run(rooms.fetch(calls, names))
    assert [one == "secret" for one in said] == [False, True, False]
    assert "127.0.0.6" not in rooms.reached


# ── letters ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_letter_says_what_a_query_says_and_is_signed() -> None:
    letter = write_letter("gateway:7/ada.1?Set=Tic%20Tac&MoveId=5&Referee=", Way((), Gateway("https://x/y", "k")), 99)
    assert letter.body == b'{"Engine":"ada.1","Set":"Tic Tac","MoveId":"5","Referee":""}'
    assert letter.headers["Arbitre-Signature"] == sign("k", 99, letter.body)
    assert sign("k", 99, letter.body) != sign("l", 99, letter.body) != sign("l", 98, letter.body)
    with raises(ProtocolError, "no-gateway"):
        write_letter("gateway:7/ada?Set=x", Way(), 99)
    with raises(ProtocolError, "gateway-of-others"):
        write_letter("gateway:7/ada?Set=x", Way(why=Reason("gateway-of-others")), 99)


@pytest.mark.parametrize(
    "address", ["gateway:", "gateway:/x", "gateway:7/", "gateway:a/b/c", "gateway:7/../x", "gateway:x y", "http://x/"]
)
def test_addresses_behind_a_gateway_are_plain(address: str) -> None:
    with pytest.raises(ProtocolError):
        read_address(address)


@given(st.binary(max_size=200), st.integers(100, 599), st.booleans())
def test_whatever_a_gateway_answers_is_a_value_or_a_named_fault(body: bytes, status: int, whole: bool) -> None:
    try:
        said = read_reply("gateway:7/x?Set=y", status, body.decode("utf-8", "replace"), whole)
    except ProtocolError as error:
        assert error.reason.code.startswith("gateway-")  # noqa: PT017 - of either outcome something is demanded
        assert len(english(error)) < 500  # noqa: PT017
    else:
        assert len(said) <= 200


# ── games ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The gateway of the examples, with two pupils' engines behind it."""
    file: Path = tmp_path_factory.mktemp("school") / "key"
    file.write_text(KEY + "\n")
    for inside in started(sys.executable, "-S", str(ENGINES / "crowd.py")):
        pupils = [f"ada={inside}/play/1", f"bob={inside}/play/2", f"eve={inside}/crash"]
        yield from started(sys.executable, "-S", str(EXAMPLE), str(file), "0", *pupils)


@pytest.fixture(scope="module")
def rude() -> Iterator[str]:
    yield from started(sys.executable, "-S", str(ENGINES / "gateway.py"))


def pupil(course: Course, name: str, url: str, key: str = KEY) -> HttpPlayer:
    way = Way(HERE, Gateway(url, key))
    trace = course.trace.append
    return HttpPlayer(f"gateway:7/{name}", course.board, name.encode(), style=DIRECT, trace=trace, way=lambda: way)


def test_two_pupils_play_through_the_example(school: str) -> None:
    course = Course(Guard())
    verdict, _ = course.play(make_match(), pupil(course, "ada", school), pupil(course, "bob", school))
    assert verdict.termination is Termination.RULES, verdict
    assert course.trace
    assert all(one.text.startswith("gateway:7/") and one.status == 200 for one in course.trace)
    assert KEY not in str(course.trace)


@pytest.mark.parametrize(
    ("name", "key", "why"),
    [
        ("ada", "another key", Reason("gateway-refuses-key", ident="ada", status=401)),
        ("nobody", KEY, Reason("gateway-knows-none", ident="nobody", status=404)),
        ("eve", KEY, Reason("gateway-says", ident="eve")),
    ],
)
def test_what_the_example_refuses_is_named(school: str, name: str, key: str, why: Reason) -> None:
    course = Course(Guard())
    verdict, _ = course.play(make_match(), pupil(course, name, school, key))
    assert verdict.termination is Termination.DISCONNECTED, verdict
    assert gives(verdict.reason, why)
    assert name != "eve" or "the engine did not answer" in keep(verdict.reason), "what the gateway says of it"


@pytest.mark.parametrize("name", ["page", "nothing", "list", "null", "nested", "huge", "unheard"])
def test_garbage_is_a_named_fault(rude: str, name: str) -> None:
    course = Course(Guard())
    verdict, _ = course.play(make_match(), pupil(course, name, rude))
    assert verdict.termination is Termination.PROTOCOL_ERROR, verdict
    assert verdict.reason.code == "gateway-no-json"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("302", Reason("gateway-no-move", ident="302", status=302)),
        ("403", Reason("gateway-refuses-key", ident="403", status=403)),
        ("500", Reason("gateway-no-move", ident="500", status=500)),
        ("error", Reason("gateway-says", ident="error")),
    ],
)
def test_refusals_are_named(rude: str, name: str, why: Reason) -> None:
    course = Course(Guard())
    verdict, _ = course.play(make_match(), pupil(course, name, rude))
    assert verdict.termination is Termination.DISCONNECTED, verdict
    assert verdict.reason.code == "call-failed"
    assert gives(verdict.reason, why), repr(verdict.reason)


@pytest.mark.parametrize("name", ["long", "latin", "number"])
def test_what_is_no_move_is_the_engine_s_fault(rude: str, name: str) -> None:
    """`number` says 5 for ever, which is legal once."""
    course = Course(Guard())
    verdict, _ = course.play(make_match(), pupil(course, name, rude))
    assert verdict.termination is Termination.ILLEGAL_MOVE, verdict


def test_a_gateway_that_is_slow_loses_on_time(rude: str) -> None:
    course = Course(Guard())
    verdict, _ = course.play(make_match("1s/move"), pupil(course, "slow", rude))
    assert verdict.termination is Termination.OUT_OF_TIME, verdict


def test_a_gateway_outside_the_ranges_of_its_class_is_not_called(school: str) -> None:
    course = Course(Guard())
    way = Way(read_networks(["10.0.0.0/8"]), Gateway(school, KEY))
    player = HttpPlayer("gateway:7/ada", course.board, b"", style=DIRECT, way=lambda: way)
    verdict, _ = course.play(make_match(), player)
    assert verdict.termination is Termination.DISCONNECTED
    assert gives(verdict.reason, "not-public")


def test_errors_are_of_one_tree() -> None:
    assert issubclass(GatewayError, ProtocolError)
    assert not issubclass(ForbiddenAddressError, ProtocolError)


def test_the_manual_shows_the_example() -> None:
    page = EXAMPLE.parent.parent.parent / "docs" / "teaching.md"
    assert f"```py\n{EXAMPLE.read_text()}```\n" in page.read_text()
