"""A player who is an address on the web (`arbitre.tournoyons.wire` is its language, the manual's page is "Engines by URL").

The engine is called by GET, and calls back while our call is open or after it, or answers in the body where it was declared so.
What our own call comes to means nothing, except that a connection which nobody takes fails early. Time is charged from the moment
the call leaves to the moment the answer arrived; while a call waits because its host has as many as it may, nobody is charged.

The moment at which a call back is heard decides, once, for both sides: who is told 410 was out of time, and the answer of whoever
is told 200 is in the record. So the 200 leaves when the answer is durable there.

Calls are bounded in time, in size, and in number for each host; redirects are followed by hand, three at most, and each is
checked like the first address. No proxy, cookie or name cache of the machine plays a part.

An engine of a class may also be called in the ranges that the operator gave the class, or through its school's gateway
(`tournoyons.gateway`). Such a call has a connection of its own, opened under its own guard and closed behind it: no socket into a
school is ever left for somebody else's call.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from time import monotonic, time
from types import TracebackType
from typing import Any, Self

from arbitre.crypto.chain import derive
from arbitre.errors import (
    ArbitreError,
    ForbiddenAddressError,
    GatewayError,
    HouseError,
    NotTakenError,
    PlayerGarbledError,
    PlayerLateError,
    PlayerLeftError,
    ProtocolError,
    TermsError,
    shorten,
)
from arbitre.games.game import Seat, other
from arbitre.games.player import Position
from arbitre.reasons import Reason, declare
from arbitre.referee.clock import Clock, elapsed, write_clock
from arbitre.referee.limit import within
from arbitre.referee.player import Answer, Player
from arbitre.referee.terms import Opening
from arbitre.referee.verdict import Verdict
from arbitre.tournoyons.callback import Listener, Receiver
from arbitre.tournoyons.calls import Calls
from arbitre.tournoyons.gateway import PUBLIC, Way, is_gateway, read_reply, write_letter
from arbitre.tournoyons.slots import FAREWELL_SECONDS, Call, Outgoing, Slots
from arbitre.tournoyons.trace import Fetched, Spoken, Trace, call_fault
from arbitre.tournoyons.wire import (
    LEAST_SECONDS,
    Correspondence,
    Reply,
    Style,
    address,
    opponent_id,
    seconds,
    status_of,
)
from arbitre.transport.guard import Guard, Network, read_url
from arbitre.transport.http import MOST_BODY, HttpPool, Lookup, Response

MOST_REDIRECTS = 3

CALLS_PER_HOST = 256
"""Calls to one host at a time; more of them wait."""

MOVED = (301, 302, 303, 307, 308)


REASONS = declare(
    {
        "never-sat-down": ("never sat down", "ne s’est jamais assis"),
        "no-answer-within": ("no answer within %(seconds)s seconds", "pas de réponse en %(seconds)s secondes"),
        "no-answer-within-because": (
            "no answer within %(seconds)s seconds; %(why)s",
            "pas de réponse en %(seconds)s secondes ; %(why)s",
        ),
        "still-at-work": ("it was still at work on the call", "il travaillait encore sur l’appel"),
        "call-failed": ("the call failed: %(why)s", "l’appel a échoué : %(why)s"),
        "call-not-made": ("the call was not made: %(why)s", "l’appel n’a pas été fait : %(why)s"),
        "call-not-taken": ("the call was not taken: %(why)s", "l’appel n’a pas été reçu : %(why)s"),
        "too-many-redirects": (
            "more than %(most)s redirects, the last to %(last)r",
            "plus de %(most)s redirections, la dernière vers %(last)r",
        ),
        "status-instead": (
            "status %(status)s instead of an answer: %(body)r",
            "statut %(status)s au lieu d’une réponse : %(body)r",
        ),
        "body-too-long": (
            "more than %(most)s octets instead of a move: %(body)r",
            "plus de %(most)s octets au lieu d’un coup : %(body)r",
        ),
        "ended-with-status": (
            "the call ended with status %(status)s, and nothing called back",
            "l’appel a fini avec le statut %(status)s, et rien n’a rappelé",
        ),
        "should-be-direct": (
            "nothing called back, but the page is a good move: this engine is to be declared direct",
            "rien n’a rappelé, mais la page est un bon coup : ce moteur est à déclarer direct",
        ),
        "nothing-called-back": ("the call ended, and nothing called back", "l’appel a fini, et rien n’a rappelé"),
        "call-back-refused": ("a call back was refused: %(why)s", "un rappel a été refusé : %(why)s"),
    }
)

FAULTS = (OSError, NotTakenError, ForbiddenAddressError, ProtocolError)
"""What a call can fail with."""


class Switchboard:
    """What the players of one process share: the lines of calls that go out, and where engines call back."""

    def __init__(
        self,
        receiver: Receiver | None = None,
        *,
        guard: Guard | None = None,
        listener: Listener | None = None,
        lookup: Lookup | None = None,
        per_host: int = CALLS_PER_HOST,
    ) -> None:
        self.receiver = receiver or Receiver()
        self.calls = Calls()
        """How engines answer."""
        self.guard = guard
        """None for players that were named on the command line."""
        self._listener = listener
        self._lookup = lookup
        self.slots = Slots(per_host)
        self._farewells: set[asyncio.Task[None]] = set()
        self._going: set[Call] = set()
        self._lines: HttpPool | None = None

    async def __aenter__(self) -> Self:
        if self._listener is not None:
            await self._listener.start()
        self._lines = HttpPool(self.guard, lookup=self._lookup)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for call in self._going:
            call.cancel()
        await asyncio.gather(*self._farewells, *self._going, return_exceptions=True)
        if self._lines is not None:
            await self._lines.close()
            self._lines = None
        if self._listener is not None:
            await self._listener.stop()

    def withdraw(self, networks: Iterable[Network]) -> None:
        """Call no more into ranges that the guard has allowed."""
        if self.guard is not None:
            self.guard.withdraw(networks)
        if self._lines is not None:
            self._lines.hang_up()

    def part(self, farewell: Coroutine[Any, Any, None]) -> None:
        """Say a last word, bounded in time, while whoever is told and whoever tells go their ways."""
        task = asyncio.ensure_future(farewell)
        self._farewells.add(task)
        task.add_done_callback(self._farewells.discard)

    def see_off(self, calls: Iterable[Call]) -> None:
        """Let calls of somebody who has left come to their end, each in its time, or with the switchboard."""
        for call in calls:
            self._going.add(call)
            call.add_done_callback(self._going.discard)

    async def fetch(self, text: str, way: Way = PUBLIC, *, until: str = "") -> Fetched:
        """Call an address the way it may be called, redirects followed but to `until`; what goes wrong is one of `FAULTS`."""
        if self._lines is None:
            raise HouseError("the switchboard is not open")
        lines = self._lines
        if self.guard is not None and way.networks:
            lines = HttpPool(Guard((*self.guard.allowed, *way.networks)), lookup=self._lookup, keep=False)
        return await (_through(lines, text, way) if is_gateway(text) else _fetch(lines, text, until))


async def _fetch(lines: HttpPool, text: str, until: str) -> Fetched:
    for _ in range(MOST_REDIRECTS + 1):
        response = await lines.get(text)
        if response.status not in MOVED or not response.location:
            return _fetched(response)
        text = _onward(text, response.location)
        if until and text.partition("?")[0].rstrip("/") == until:
            return Fetched(response.status, "", whole=True, onward=text)
    raise ProtocolError("too-many-redirects", most=MOST_REDIRECTS, last=shorten(text))


async def _through(lines: HttpPool, text: str, way: Way) -> Fetched:
    """Ask an engine behind a gateway; a gateway that sends us elsewhere is not followed there with what we signed for it."""
    letter = write_letter(text, way, int(time()))
    response = await lines.post(letter.url, letter.body, letter.headers)
    said = read_reply(text, response.status, response.body, response.whole)
    return Fetched(200, said, whole=True, arrived=response.arrived)


def _fetched(response: Response) -> Fetched:
    return Fetched(response.status, response.body, response.whole, arrived=response.arrived)


def _onward(text: str, location: str) -> str:
    """Return where a redirect leads."""
    try:
        return str(read_url(text, encoded=True).join(read_url(location, encoded=True)))
    except ValueError as error:
        raise ForbiddenAddressError("bad-address", text=shorten(location), why=shorten(str(error))) from None


def check_clock(clock: Clock) -> None:
    """Refuse a clock that gives an engine less time than the protocol can say; `TermsError`."""
    if clock.runs and clock.bank < LEAST_SECONDS * 1000:
        raise TermsError(
            "an engine at an address has at least %(least_seconds)s seconds for a move, and %(clock)s gives it less",
            least_seconds=LEAST_SECONDS,
            clock=write_clock(clock),
        )


class HttpPlayer(Player):
    """An engine at an address, playing one seat of one match."""

    prompt = True  # only `ask` goes over the wire; the end is told in passing

    def __init__(
        self,
        url: str,
        switchboard: Switchboard,
        secret: bytes,
        *,
        style: Style = Style(),  # noqa: B008 - a value
        limit: int | None = None,
        trace: Callable[[Spoken], None] | None = None,
        way: Callable[[], Way] = lambda: PUBLIC,
        match: str = "",
    ) -> None:
        self.url = url
        self.way = way
        """Asked at every call: what the operator or a teacher takes back holds for games that go on."""
        self.limit = limit
        """Seconds for a move where the match has no clock."""
        self.switchboard = switchboard
        self.style = style
        self._secret = secret
        self._trace = Trace(trace)
        self._wire: Correspondence | None = None
        self._referee = ""
        self.handle = "" if style.direct else match + derive(secret, "tournoyons/handle").hex()[:16]
        """Where the receiver finds this seat, and whoever else must the match; empty for one that answers in the body."""
        self._calls = Outgoing(switchboard.slots, url)
        self.confirms = not style.direct
        self._begun = 0.0
        self._allowed = 0
        """Milliseconds that the question which is open may take."""
        self._arrived: asyncio.Future[float] | None = None
        self._untold: list[tuple[asyncio.Future[Reply], Reply, Spoken]] = []
        """Who called back with the last answer, and hears what is answered as soon as it is durable."""
        self._unkept = False
        """Whether it is not durable yet."""
        self._silence: Reason | None = None

    # ── what the referee calls ─────────────────────────────────────────────────────────────────────────────────────

    async def sit(self, opening: Opening, seat: Seat) -> None:
        """Open the address where the engine is to call back."""
        clock = opening.terms.clock
        chair = opening.chairs[other(seat)]
        competes = bool((opening.notes or {}).get("event"))
        try:
            self._wire = Correspondence(
                opening.game,
                seat,
                self._secret,
                start=opening.start,
                style=self.style,
                limit=seconds(clock.bank if clock.runs else self.limit and self.limit * 1000),
                opponent=opponent_id(chair.player, chair.name) if competes else None,
            )
        except ProtocolError as error:
            raise PlayerLeftError(error.reason) from None
        if self.handle:
            token = derive(self._secret, "tournoyons/token").hex()[:32]
            game, receiver = self._wire.game, self.switchboard.receiver
            self._referee = receiver.open(self.handle, token, self._heard, game=game, astray=self._strayed)

    def recall(self, position: Position, said: str) -> None:
        """Know again what was asked before the referee came back, so that nothing is asked with another MoveId."""
        if self._wire is not None:
            self._wire.recall(position.view, position.turn, said)

    async def ready(self) -> None:
        """Wait until its host may be called once more."""
        await self._calls.ready()

    async def ask(self, position: Position) -> Answer:
        """Call the engine, and return what it answers in time."""
        wire = self._wire
        if wire is None:
            raise PlayerLeftError("never-sat-down")
        url = address(self.url, wire.ask(position.view, position.turn, self._referee, position.left))
        self._silence = None
        self._trace.asked()
        own = wire.limit * 1000
        timed = position.left is not None and position.left <= own  # the referee keeps the time then
        self._allowed = position.left if position.left is not None and timed else own
        self._begun = monotonic()
        try:
            with self.switchboard.calls.asking(self.url):
                asking = self._direct(wire, url) if self.style.direct else self._called_back(url, position)
                arrived = await (asking if timed else within(own, asking, self.expire))
        except TimeoutError:
            raise self._late(wire) from None
        finally:
            wire.expire()
            self._trace.answered()
        if not timed and not self._in_time(arrived):
            raise self._late(wire)
        return Answer(wire.taken() or "", max(0.0, arrived - self._begun))

    def _late(self, wire: Correspondence) -> PlayerLateError:
        why, own = self.silence(), wire.limit * 1000
        if why is None:
            return PlayerLateError("no-answer-within", own, seconds=wire.limit)
        return PlayerLateError("no-answer-within-because", own, seconds=wire.limit, why=why)

    def _in_time(self, arrived: float) -> bool:
        return elapsed(arrived - self._begun) <= self._allowed

    def expire(self) -> bool:
        """Close the question, unless it was answered: who calls back from now on is told that it is too late."""
        if self._wire is None or self._wire.answered or (self._arrived is not None and self._arrived.done()):
            return False
        self._wire.expire()
        return True

    def kept(self) -> None:
        """Tell whoever called back that the answer is accepted."""
        self._unkept = False
        self._tell()

    def _tell(self, instead: Reply | None = None) -> None:
        """Answer those who wait until their answer is durable."""
        untold, self._untold = self._untold, []
        for told, reply, spoken in untold:
            if not told.done():
                told.set_result(instead or reply)
            self._trace.replied(spoken, instead or reply)

    def silence(self) -> Reason | None:
        """Say what the engine did instead of answering: what it called back with, or how our call ended."""
        if self._calls.going or self.style.direct:
            return self._silence or Reason("still-at-work")
        return self._silence

    async def end(self, verdict: Verdict, seat: Seat) -> None:
        """Tell the engine how the game ended, if it wants to know; nobody waits until it has heard."""
        if self.style.notify and self._wire is not None:
            score = None if verdict.scores is None else verdict.scores[seat]
            self.switchboard.part(self._farewell(address(self.url, self._wire.end(status_of(score, seat)))))

    async def _farewell(self, url: str) -> None:
        with suppress(TimeoutError, *FAULTS):
            async with asyncio.timeout(FAREWELL_SECONDS / 2):
                await self._call(url)

    async def leave(self) -> None:
        """Close the address; calls that still go on have a little time to end, so that the trace has their status."""
        if self.handle:
            self.switchboard.receiver.close(self.handle)
        self._tell(self.switchboard.receiver.over())  # whose answer is not known to be in the record is not told that it is
        self.switchboard.see_off(self._calls.leave())
        self._trace.answered()

    # ── the two ways to be answered ────────────────────────────────────────────────────────────────────────────────

    async def _direct(self, wire: Correspondence, url: str) -> float:
        try:
            with self._calls.slot():
                fetched = await self._call(url)
        except GatewayError as error:
            raise PlayerGarbledError(error.reason) from None
        except FAULTS as error:
            raise PlayerLeftError("call-failed", why=call_fault(error)) from None
        if fetched.status != 200:
            raise PlayerGarbledError("status-instead", status=fetched.status, body=shorten(fetched.body.strip()))
        if not fetched.whole:
            raise PlayerGarbledError("body-too-long", most=MOST_BODY, body=shorten(fetched.body))
        wire.take(fetched.body)
        return fetched.arrived

    async def _called_back(self, url: str, position: Position) -> float:
        """Call, and wait for the engine to call back; what the call itself comes to matters only if nobody took it."""
        arrived: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._arrived = arrived

        def ended(call: Call) -> None:
            error = None if call.cancelled() else call.exception()
            if arrived.done():
                return
            if isinstance(error, ForbiddenAddressError):
                arrived.set_exception(PlayerLeftError("call-not-made", why=error))
            elif isinstance(error, NotTakenError):
                arrived.set_exception(PlayerLeftError("call-not-taken", why=call_fault(error)))
            elif not call.cancelled() and not self._silence:
                failed = Reason("call-failed", why=call_fault(error)) if error else None
                self._silence = failed or self._unanswered(call.result(), position)

        call = self._calls.call(self._call(url), ended)
        try:
            return await arrived
        finally:
            self._arrived = None
            self._calls.let_go(call)

    def _unanswered(self, fetched: Fetched, position: Position) -> Reason:
        """Say how a call ended behind which nothing called back."""
        if fetched.status != 200:
            return Reason("ended-with-status", status=fetched.status)
        if self._wire is not None and fetched.whole:
            with suppress(ArbitreError):
                said = self._wire.tray.read_value(fetched.body.strip())
                position.game.check(position.view, position.notation.read(said, position.view))
                return Reason("should-be-direct")
        return Reason("nothing-called-back")

    async def _call(self, url: str) -> Fetched:
        return await self._trace.called(url, self.switchboard.fetch(url, self.way()))

    def _heard(self, query: str) -> Reply | asyncio.Future[Reply]:
        """Judge a call to our address, once, by the moment at which it is heard, and wake whoever waits for it."""
        arrived = monotonic()
        if self._wire is None:
            return Reply(404, Reason("nobody-asked"))
        if not self._in_time(arrived):
            self._wire.expire()
        reply = self._wire.hear(query)
        if self._arrived is not None and not self._arrived.done() and self._wire.answered:
            self._arrived.set_result(arrived)
            self._unkept = True
        waits = reply.status == 200 and self._unkept
        spoken = self._trace.heard(query, reply, going=waits)
        if waits:
            told: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
            self._untold.append((told, reply, spoken))
            return told
        if reply.status != 200:
            self._silence = Reason("call-back-refused", why=reply.why)
        return reply

    def _strayed(self, query: str, reply: Reply) -> None:
        """Take down a call that was meant for us and is no answer: not by GET, or not at our address."""
        self._trace.heard(query, reply)
        self._silence = reply.why if reply.status == 405 else Reason("call-back-refused", why=reply.why)
