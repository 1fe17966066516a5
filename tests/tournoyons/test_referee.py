"""External referees with real sockets: the example's games in every way to answer, and every way to be a bad referee."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import ip_network
from resource import RUSAGE_SELF, getrusage
from urllib.parse import urlencode

import aiohttp
import pytest
from aiohttp import web
from yarl import URL

from arbitre.games.added.rules import Added, AddedPair
from arbitre.games.player import Position
from arbitre.reasons import Reason, codes
from arbitre.records.event import Kind
from arbitre.referee.player import Answer, Player
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.verdict import Termination, Verdict
from arbitre.tournoyons.callback import UNKNOWN, Listener, Receiver
from arbitre.tournoyons.player import HttpPlayer, Switchboard
from arbitre.tournoyons.referee import ExternalReferee
from arbitre.tournoyons.slots import host_of
from arbitre.tournoyons.trace import Spoken
from arbitre.transport.guard import Guard
from tests.added import Browser, Script, called, listening, play
from tests.reasons import gives
from tests.transport.tables import KEY

SECRET = bytes(32)
HEXAPAWN = Added(key="Hexapawn", board="222000111")


def referee(switchboard: Switchboard, url: str, way: str, **options: float) -> Player:
    """Return the example's referee, answering in one of the ways."""
    made = ExternalReferee(f"{url}/{way}", switchboard, SECRET, framed=way == "framed", **options)  # type: ignore[arg-type]
    return Browser(made) if way == "framed" else made


def points(verdict: Verdict) -> list[float]:
    return [float(score) for score in verdict.scores or ()]


def engine(switchboard: Switchboard, url: str, seat: int) -> Player:
    return HttpPlayer(f"{url}/engine", switchboard, bytes([seat]) * 32)


# ── whole games ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("way", ["referee", "calls", "framed"])
@pytest.mark.parametrize("clock", ["none", "60s"])
def test_engines_play_hexapawn(example: str, way: str, clock: str) -> None:
    where = f"{example}/hexapawn"
    verdict, events = play(
        called(HEXAPAWN, clock),
        lambda board: [engine(board, where, 0), engine(board, where, 1), referee(board, where, way)],
    )
    assert verdict.termination is Termination.RULES, verdict.reason
    assert points(verdict) == [0, 1]  # whoever moves second wins hexapawn, and this engine knows it
    rulings = [event.text for event in events if event.kind is Kind.SAID and event.seat == 2]
    assert rulings[0].startswith("ReturnCode=3&")
    assert rulings[-1].startswith("ReturnCode=2&")


@pytest.mark.parametrize("way", ["referee", "calls", "framed"])
def test_both_move_at_once(example: str, way: str) -> None:
    where = f"{example}/odds"
    match = called(Added(key="Odds", simultaneous=True))
    verdict, events = play(match, lambda board: [engine(board, where, 0), engine(board, where, 1), referee(board, where, way)])
    assert verdict.termination is Termination.RULES, verdict.reason
    last = [event.text for event in events if event.kind is Kind.SAID and event.seat == 2][-1]
    assert ("Gain1=3" in last) == (points(verdict) == [1, 0])


@pytest.mark.parametrize("way", ["referee", "calls", "framed"])
def test_two_boards_are_prepared_and_searched(example: str, way: str) -> None:
    where = f"{example}/digits"
    verdict, events = play(
        called(AddedPair(key="Digits")),
        lambda board: [engine(board, where, 0), engine(board, where, 1), referee(board, where, way)],
    )
    assert verdict.termination is Termination.RULES, verdict.reason
    first = [event.seat for event in events if event.kind is Kind.SAID][:4]
    assert (set(first[:2]), first[2:]) == ({0, 1}, [2, 2]), "both prepare at once, in whichever order"


def test_an_error_costs_its_author_the_game(example: str) -> None:
    where = f"{example}/hexapawn"
    verdict, _ = play(called(HEXAPAWN), lambda board: [Script("A2A1"), Script("A0C2"), referee(board, where, "referee")])
    assert points(verdict) == [1, 0]
    assert verdict.termination is Termination.REFUSED
    assert verdict.reason == Reason("referee-refused", seat=0, text="no pawn of yours goes A0C2")


def test_an_error_of_one_of_two_moves_is_blamed_on_its_author(example: str) -> None:
    where, game = f"{example}/odds", Added(key="Odds", simultaneous=True)
    verdict, _ = play(called(game), lambda board: [Script("3"), Script("9"), referee(board, where, "calls")])
    assert points(verdict) == [1, 0]
    assert verdict.reason.code == "referee-refused"
    assert "2: a hand shows" in str(verdict.reason.fields["text"])


def test_an_error_in_a_preparation_is_blamed_on_its_author(example: str) -> None:
    where = f"{example}/digits"
    verdict, _ = play(called(AddedPair(key="D2")), lambda board: [Script("123"), Script("44"), referee(board, where, "referee")])
    assert points(verdict) == [1, 0]
    assert verdict.reason == Reason("referee-refused", seat=0, text="three different digits, not 44")


# ── bad referees ───────────────────────────────────────────────────────────────────────────────────────────────────

Answering = Callable[[web.Request], "asyncio.Future[web.StreamResponse]"]


def good(query: "dict[str, str]") -> dict[str, str]:
    """Return a sound answer: the game goes on."""
    back = {name: query[name] for name in ("Game", "MoveId", "Move1", "Move2", "Method") if name in query}
    return back | {"ReturnCode": "3", "Tray": "000", "Gain1": "0", "Gain2": "0"}


def changed(**fields: str | None) -> Callable[[dict[str, str]], dict[str, str]]:
    """Return a referee who answers with something else."""
    return lambda query: {name: text for name, text in (good(query) | fields).items() if text is not None}


LIES = {
    "another game": (changed(Game="other"), Reason("sends-back-another", name="Game", given="other")),
    "another question": (changed(MoveId="7"), Reason("sends-back-another", name="MoveId", given="7")),
    "another move": (changed(Move1="B1"), Reason("sends-back-another", name="Move1", given="B1")),
    "a move nobody made": (changed(Move2="B1"), Reason("sends-back-another", name="Move2", given="B1")),
    "another method": (changed(Method="Prepare"), Reason("sends-back-another", name="Method", given="Prepare")),
    "a code that is none": (changed(ReturnCode="6"), Reason("false-return-code", given="6")),
    "a code in words": (changed(ReturnCode="won"), Reason("false-return-code", given="won")),
    "no code": (changed(ReturnCode=None), Reason("ruling-incomplete", missing="ReturnCode")),
    "nothing": (lambda _: {}, Reason("ruling-incomplete", missing="Game, MoveId, ReturnCode, Tray")),
    "a slash": (changed(Tray="0/0"), Reason("tray-forbidden", mark="/")),
    "a bar": (changed(Tray="0|0"), Reason("tray-forbidden", mark="|")),
    "two boards": (changed(Tray="000***000"), Reason("tray-boards", boards=1, mark="***")),
    "no tray": (changed(Tray=""), Reason("tray-length", most=2000, given=0)),
    "a huge tray": (changed(Tray="0" * 5000), Reason("tray-length", most=2000, given=5000)),
    "lines": (changed(Tray="0\n0"), Reason("tray-not-plain")),
    "a huge gain": (changed(Gain1="9" * 101), Reason("long-gain", most=100)),
    "an error without words": (changed(ReturnCode="5", Tray=" "), Reason("no-message")),
}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def judged(handle: Answering, *, seconds: float = 20.0, way: str = "referee") -> tuple[Reason, list[Spoken]]:
    """Play with a bad referee until he is found out; return how he failed, and what he was asked and said."""
    port, traced = free_port(), list[Spoken]()

    def seats(board: Switchboard) -> Sequence[Player]:
        url = f"http://127.0.0.1:{port}/{way}"
        return [Script("A1"), Script("B2"), ExternalReferee(url, board, SECRET, seconds=seconds, trace=traced.append)]

    verdict, _ = play(called(Added(key="Bad")), seats, lambda: listening(handle, port))
    assert verdict.termination is Termination.REFEREE_FAILED, verdict.reason
    assert verdict.scores is None
    return verdict.reason, traced


def redirect(query: dict[str, str], answer: dict[str, str]) -> web.Response:
    return web.Response(status=302, headers={"Location": f"{query['ReturnURL']}?{urlencode(answer)}"})


@pytest.mark.parametrize(("lie", "named"), LIES.values(), ids=LIES)
@pytest.mark.parametrize("way", ["redirect", "call"])
def test_a_lie_is_named(lie: Callable[[dict[str, str]], dict[str, str]], named: Reason, way: str) -> None:
    async def handle(request: web.Request) -> web.StreamResponse:
        query = dict(request.query)
        answer = lie(query)
        if way == "redirect":
            return redirect(query, answer)
        async with aiohttp.ClientSession() as session:
            reply = await session.get(f"{query['ReturnURL']}?{urlencode(answer)}")
            assert reply.status == 400
            return web.Response(text="said")

    why, traced = judged(handle)  # type: ignore[arg-type]
    assert gives(why, named)
    assert [one.what for one in traced if one.what == "refused"] == ["refused"]


@pytest.mark.parametrize("way", ["redirect", "call"])
@pytest.mark.parametrize("coding", ["latin-1", "utf-8"])
def test_what_a_referee_says_stays_what_it_was(way: str, coding: str) -> None:
    """In the octets of his own coding, percent-encoded or bare."""

    async def handle(request: web.Request) -> web.StreamResponse:
        query = dict(request.query)
        said = urlencode(good(query) | {"ReturnCode": "9", "Tray": ""}).replace("ReturnCode=9", "ReturnCode=d%E9j%E0")
        said = said if coding == "latin-1" else said.replace("%E9", "%C3%A9").replace("%E0", "%C3%A0")
        if way == "redirect":
            return web.Response(status=302, headers={"Location": f"{query['ReturnURL']}?{said}"})
        async with aiohttp.ClientSession() as session:
            await session.get(URL(f"{query['ReturnURL']}?{said}", encoded=True))
        return web.Response(text="said")

    assert judged(handle)[0] == Reason("false-return-code", given="déjà")  # type: ignore[arg-type]


def test_a_referee_who_calls_back_by_post_is_told_so() -> None:
    async def handle(request: web.Request) -> web.StreamResponse:
        query = dict(request.query)
        async with aiohttp.ClientSession() as session, session.post(query["ReturnURL"], data=good(query)) as reply:
            assert reply.status == 405
        return web.Response(text="said")

    why, traced = judged(handle, seconds=0.5)  # type: ignore[arg-type]
    assert why == Reason("no-answer-within-because", seconds="0.5", why=Reason("not-by-get", method="POST"))
    assert [one.status for one in traced if one.what == "refused"] == [405]


@pytest.mark.parametrize(
    ("status", "body"),
    [(500, "I crashed"), (404, "")],
)
def test_a_referee_who_errs_is_named_at_once(status: int, body: str) -> None:
    async def handle(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, text=body)

    assert judged(handle)[0] == Reason("status-instead", status=status, body=body)  # type: ignore[arg-type]


def test_a_referee_who_stalls_is_not_waited_for() -> None:
    async def handle(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(30)
        return web.Response()

    assert judged(handle, seconds=0.3)[0] == Reason("no-answer-within", seconds="0.3")  # type: ignore[arg-type]


def test_a_page_for_browsers_is_told_apart_from_silence() -> None:
    async def handle(request: web.Request) -> web.StreamResponse:
        return web.Response(text="<script>location.href = 'x'</script>", content_type="text/html")

    assert gives(judged(handle, seconds=0.3)[0], "answers-in-a-frame")  # type: ignore[arg-type]


def test_a_referee_who_hangs_up_is_named() -> None:
    async def handle(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.close()
        return web.Response()

    assert judged(handle)[0].code == "call-failed"  # type: ignore[arg-type]


def test_a_referee_who_redirects_for_ever_is_named() -> None:
    async def handle(request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": f"/again?{request.query_string}"})

    assert judged(handle)[0].code == "call-failed"  # type: ignore[arg-type]


def test_a_contradiction_is_found_in_the_call_and_in_the_redirect() -> None:
    async def handle(request: web.Request) -> web.StreamResponse:
        query = dict(request.query)
        async with aiohttp.ClientSession() as session:
            reply = await session.get(f"{query['ReturnURL']}?{urlencode(good(query))}")
            assert reply.status == 200
            again = await session.get(f"{query['ReturnURL']}?{urlencode(good(query))}")
            assert again.status == 200  # the same twice is one answer
        return redirect(query, good(query) | {"ReturnCode": "1"})

    why = judged(handle)[0]  # type: ignore[arg-type]
    assert why == Reason("contradicts-itself", name="ReturnCode", before="3", now="1")


def test_a_contradiction_in_one_breath_is_found() -> None:
    async def handle(request: web.Request) -> web.StreamResponse:
        query = dict(request.query)
        answer = f"{urlencode(good(query))}&ReturnCode=2"
        return web.Response(status=302, headers={"Location": f"{query['ReturnURL']}?{answer}"})

    assert judged(handle)[0] == Reason("contradicts-itself", name="ReturnCode", before="3", now="2")  # type: ignore[arg-type]


HUGE = 3_000_000


async def endless(request: web.Request, status: int) -> web.StreamResponse:
    """Go on and on, without ever saying anything."""
    response = web.StreamResponse(status=status)
    await response.prepare(request)
    with suppress(ConnectionError):
        while True:
            await response.write(b"x" * 100_000)
    return response


async def endless_page(request: web.Request) -> web.StreamResponse:
    return await endless(request, 200)


async def endless_error(request: web.Request) -> web.StreamResponse:
    return await endless(request, 500)


async def called_hugely(request: web.Request) -> web.StreamResponse:
    """Call back with an answer that no address can be."""
    query = dict(request.query)
    with suppress(aiohttp.ClientError, ConnectionError):
        async with aiohttp.ClientSession() as session:
            await session.get(f"{query['ReturnURL']}?{urlencode(good(query) | {'Tray': '0' * HUGE})}")
    return web.Response(text="said")


async def redirected_hugely(request: web.Request) -> web.StreamResponse:
    query = dict(request.query)
    return redirect(query, good(query) | {"Tray": "0" * HUGE})


async def redirected_at_length(request: web.Request) -> web.StreamResponse:
    query = dict(request.query)
    return redirect(query, good(query) | {"Tray": "0" * 6_000})


async def swollen(request: web.Request) -> web.StreamResponse:
    return web.Response(headers={f"X-{number}": "x" * 1_000 for number in range(HUGE // 1_000)})


FLOODS: dict[str, tuple[object, Reason]] = {
    "a page without an end": (endless_page, Reason("no-answer-within", seconds="2")),
    "an error without an end": (endless_error, Reason("status-instead", status=500)),
    "a redirect to an address of megabytes": (redirected_hugely, Reason("call-failed")),
    "a redirect to a long address": (redirected_at_length, Reason("tray-length", most=2000, given=6000)),
    "a call of megabytes": (called_hugely, Reason("no-answer-within", seconds="2")),
    "headers of megabytes": (swollen, Reason("call-failed")),
}


@pytest.mark.parametrize(("handle", "named"), FLOODS.values(), ids=FLOODS)
def test_absurdly_large_answers_are_named_and_not_swallowed(handle: Answering, named: Reason) -> None:
    before = getrusage(RUSAGE_SELF).ru_maxrss
    why, traced = judged(handle, seconds=2.0)
    assert gives(why, named)
    assert len(repr(why)) < 400
    assert all(len(one.text) + len(one.body) < 5_000 for one in traced)
    assert getrusage(RUSAGE_SELF).ru_maxrss - before < 200_000, "kilobytes"


def test_nobody_listens_is_named() -> None:
    port = free_port()
    verdict, _ = play(
        called(Added(key="Gone")),
        lambda board: [Script("A1"), Script("B2"), ExternalReferee(f"http://127.0.0.1:{port}/", board, SECRET)],
    )
    assert verdict.scores is None
    assert verdict.reason == Reason("call-failed", why=Reason("connection-refused"))


def test_a_stranger_who_guesses_changes_nothing(example: str) -> None:
    """Without the secret of the path nobody is heard, and nobody is blamed."""
    where = f"{example}/hexapawn"
    strangers: list[object] = []

    class Beset(ExternalReferee):
        async def ask(self, position):  # type: ignore[no-untyped-def]
            receiver = self.switchboard.receiver
            handle, token = self._talk.address(position.turn)  # type: ignore[union-attr]
            guesses = (f"/answer/{handle}/{'0' * 32}", f"/answer/{handle}/", f"/answer/{token}/{handle}")
            strangers.extend(receiver.answer("GET", path, "ReturnCode=1&Tray=1") for path in guesses)
            return await super().ask(position)

    verdict, _ = play(
        called(HEXAPAWN),
        lambda board: [engine(board, where, 0), engine(board, where, 1), Beset(f"{where}/referee", board, SECRET)],
    )
    assert verdict.termination is Termination.RULES
    assert set(strangers) == {UNKNOWN}


# ── many at a time, and more than is good ──────────────────────────────────────────────────────────────────────────


class Court:
    """A referee who judges many matches at once, and counts how many ask him at a time."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.port, self.seconds = free_port(), seconds
        self.now = self.most = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(self.seconds)
            query = dict(request.query)
            return redirect(query, await self.answer(query))
        finally:
            self.now -= 1

    async def answer(self, query: dict[str, str]) -> dict[str, str]:
        """Let the second player win when he has moved."""
        return good(query) | {"ReturnCode": "2" if "Move2" in query else "3"}

    def sat(self, board: Switchboard, number: int, seconds: float) -> ExternalReferee:
        return ExternalReferee(self.url, board, bytes([number]) * 32, seconds=seconds)


def together(court: Court, matches: int, *, seconds: float = 20.0, most: int | None = None, held: float = 0.0) -> list[Verdict]:
    """Play matches before one referee, all at once; return the verdicts, when no call holds a slot any more."""

    async def one(board: Switchboard, number: int) -> Verdict:
        players = [Script("A1"), Script("B2"), court.sat(board, number, seconds)]
        verdict = (await MatchRunner(called(Added(key="Crowd"), "10s"), players, Memory(), KEY).play()).verdict
        assert verdict is not None
        return verdict

    async def course() -> list[Verdict]:
        receiver = Receiver()
        async with asyncio.timeout(60), Switchboard(receiver, listener=Listener(receiver)) as board:
            board.slots.most = most or board.slots.most
            if held:
                host = host_of(court.url)
                await board.slots.take(host)
                asyncio.get_running_loop().call_later(held, board.slots.give, host)
            runner = await listening(court.handle, court.port)
            try:
                found = await asyncio.gather(*(one(board, number) for number in range(matches)))
            finally:
                await runner.cleanup()
            while not board.slots.idle:  # the last calls have a moment to end
                await asyncio.sleep(0.01)
        return found

    return asyncio.run(course())


def test_a_referee_is_called_so_often_at_a_time_as_his_host_may_be() -> None:
    """Twelve matches share two calls."""
    court = Court(seconds=0.05)
    verdicts = together(court, 12, most=2)
    assert [points(one) for one in verdicts] == [[0, 1]] * 12, [one.reason for one in verdicts]
    assert court.most == 2


def test_nobody_pays_for_waiting_until_a_referee_may_be_called() -> None:
    """Others hold his host for longer than he may take for an answer."""
    assert [points(one) for one in together(Court(), 1, seconds=1.5, most=1, held=2.0)] == [[0, 1]]


def test_a_referee_who_never_hangs_up_does_not_hold_his_host_for_ever() -> None:
    """He calls back, and leaves our call open: the next question waits until it is given up, and is asked then."""

    class Clinging(Court):
        async def answer(self, query: dict[str, str]) -> dict[str, str]:
            async with aiohttp.ClientSession() as session:
                await session.get(f"{query['ReturnURL']}?{urlencode(await super().answer(query))}")
            await asyncio.sleep(60)
            return {}

    assert [points(one) for one in together(Clinging(), 1, most=1)] == [[0, 1]]


def test_an_answer_to_another_match_is_no_answer_to_this_one() -> None:
    """Two matches wait; the referee answers each with what he was asked in the other."""

    class Crossed(Court):
        def __init__(self) -> None:
            super().__init__()
            self.waiting: list[asyncio.Future[dict[str, str]]] = []
            self.asked: list[dict[str, str]] = []

        async def answer(self, query: dict[str, str]) -> dict[str, str]:
            self.asked.append(query)
            self.waiting.append(asyncio.get_running_loop().create_future())
            if len(self.asked) == 2:
                self.waiting[0].set_result(self.asked[1])
                self.waiting[1].set_result(self.asked[0])
            return good(await self.waiting[self.asked.index(query)])

    for verdict in together(Crossed(), 2):
        assert verdict.scores is None
        assert gives(verdict.reason, "sends-back-another", name="Game")


@pytest.mark.parametrize("same", [True, False], ids=["the same", "something else each time"])
def test_who_calls_back_without_end_is_heard_once(same: bool) -> None:
    """He calls a thousand times for one question: the same is one answer, anything else a contradiction."""

    class Shouting(Court):
        def __init__(self) -> None:
            super().__init__()
            self.statuses: list[int] = []

        async def answer(self, query: dict[str, str]) -> dict[str, str]:
            answer = await super().answer(query)
            async with aiohttp.ClientSession() as session:

                async def call(number: int) -> None:
                    said = answer if same else answer | {"Gain1": str(number)}
                    async with session.get(f"{query['ReturnURL']}?{urlencode(said)}") as reply:
                        self.statuses.append(reply.status)

                await asyncio.gather(*map(call, range(1000)))
            return answer

    court = Shouting()
    (verdict,) = together(court, 1)
    if same:
        assert points(verdict) == [0, 1]
        assert 200 in court.statuses
        assert set(court.statuses) <= {200, 410}, "410: the match has gone on meanwhile"
    else:
        assert verdict.scores is None
        assert gives(verdict.reason, "contradicts-itself", name="Gain1")
        assert court.statuses.count(200) == 1


def test_a_contradiction_while_a_player_thinks_ends_it_at_the_next_question() -> None:
    """He was believed, and says something else before he is asked again."""
    port, returns = free_port(), list[tuple[str, dict[str, str]]]()

    async def handle(request: web.Request) -> web.StreamResponse:
        query = dict(request.query)
        returns.append((query["ReturnURL"], good(query)))
        return redirect(query, good(query))

    class Slow(Script):
        async def ask(self, position: Position) -> Answer:
            where, said = returns[-1]
            async with aiohttp.ClientSession() as session:
                reply = await session.get(f"{where}?{urlencode(said | {'ReturnCode': '1'})}")
                assert reply.status == 409
            return await super().ask(position)

    verdict, _ = play(
        called(Added(key="Fickle")),
        lambda board: [Script("A1"), Slow("B2"), ExternalReferee(f"http://127.0.0.1:{port}/", board, SECRET)],
        lambda: listening(handle, port),
    )
    assert verdict.scores is None
    assert verdict.reason == Reason("contradicts-itself", name="ReturnCode", before="3", now="1")


@pytest.mark.parametrize(
    "where", ["http://10.0.0.1/", "http://127.0.0.2/", "http://[::ffff:10.0.0.1]/", "file:///etc/passwd", "//x:y/"]
)
def test_a_referee_leads_us_to_no_private_address(where: str) -> None:
    """The site may call him, and follows him nowhere it may not call."""
    port = free_port()

    async def handle(request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": where})

    async def course() -> Verdict:
        receiver = Receiver()
        guard = Guard((ip_network("127.0.0.1/32"),))
        async with asyncio.timeout(30), Switchboard(receiver, listener=Listener(receiver), guard=guard) as board:
            runner = await listening(handle, port)
            try:
                players = [Script("A1"), Script("B2"), ExternalReferee(f"http://127.0.0.1:{port}/", board, SECRET)]
                verdict = (await MatchRunner(called(Added(key="Lead")), players, Memory(), KEY).play()).verdict
            finally:
                await runner.cleanup()
        assert verdict is not None
        return verdict

    verdict = asyncio.run(course())
    assert verdict.scores is None
    assert verdict.reason.code == "call-failed"
    assert [*codes(verdict.reason)][1] in ("not-public", "no-http-address", "no-plain-address", "no-host", "bad-address"), (
        verdict.reason
    )
