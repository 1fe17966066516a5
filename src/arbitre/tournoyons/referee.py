"""The external referee of an added game, at an address on the web (`arbitre.tournoyons.external` is the language he speaks).

He sits on the neutral seat of a match and answers in one of three ways: by a redirect to the `ReturnURL` that he was given, which
is read and not followed; by calling it himself, while our call is open or after it; or from his page in a frame of a player's
browser (`location.href`). In the last one it is the browser that calls him, so a player could forge what he says: whoever seats
him sees to it that nothing is at stake.

Whatever he does wrong is a `PlayerError` with a name; time is bounded in every way. The moment at which his call is heard
decides, once. That it was accepted means that it was heard in time and understood: his call may wait for our word, and we wait
for the end of his call, so the record cannot be waited for. A house that comes back asks him the same question once more.
"""

import asyncio
from collections.abc import Callable
from time import monotonic

from arbitre.errors import PlayerError, PlayerGarbledError, PlayerLateError, PlayerLeftError, shorten
from arbitre.games.added.notation import write_ruling
from arbitre.games.added.rules import Added, Course
from arbitre.games.game import Seat
from arbitre.games.player import Position
from arbitre.reasons import Reason, declare
from arbitre.referee.clock import elapsed
from arbitre.referee.limit import within
from arbitre.referee.player import Answer, Player
from arbitre.referee.terms import Opening
from arbitre.tournoyons.external import Consultation
from arbitre.tournoyons.player import Switchboard
from arbitre.tournoyons.slots import Call, Outgoing
from arbitre.tournoyons.trace import Fetched, Spoken, Trace, call_fault
from arbitre.tournoyons.wire import Reply, address

SECONDS = 20.0
"""How long a referee may take for an answer."""

FRAMED_SECONDS = 600.0
"""The same where a player's browser calls him: the page may have to be opened again first."""

GRACE_SECONDS = 1.0
"""How long the end of our own call is waited for when he has called back: it must not say something else."""


REASONS = declare(
    {
        "no-referee-seat": (
            "%(game)s has no place for an external referee on seat %(number)s",
            "%(game)s n’a pas de siège d’arbitre externe à la place %(number)s",
        ),
        "gives-no-answer": ("gives no answer", "ne donne pas de réponse"),
        "answers-in-a-frame": (
            "its page seems to answer from a frame in a browser, and was called by the house",
            "sa page semble répondre depuis un cadre dans un navigateur, et fut appelée par la maison",
        ),
    }
)


class ExternalReferee(Player):
    """Somebody's referee, on the neutral seat of one match."""

    def __init__(
        self,
        url: str,
        switchboard: Switchboard,
        secret: bytes,
        *,
        framed: bool = False,
        seconds: float | None = None,
        trace: Callable[[Spoken], None] | None = None,
        match: str = "",
    ) -> None:
        self.url = url
        self.match = match
        """Stands in the addresses of its answers."""
        self.switchboard = switchboard
        self.framed = framed
        """Whether a player's browser calls him, and not we."""
        self.seconds = seconds if seconds is not None else FRAMED_SECONDS if framed else SECONDS
        self._secret = secret
        self._trace = Trace(trace)
        self._talk: Consultation | None = None
        self._handle = ""
        self._arrived: asyncio.Future[float] | None = None
        self._begun = 0.0
        self._allowed = 0
        """Milliseconds that the question which is open may take."""
        self._calls = Outgoing(switchboard.slots, url)
        self._hint: Reason | None = None

    # ── what our referee calls ─────────────────────────────────────────────────────────────────────────────────────

    async def sit(self, opening: Opening, seat: Seat) -> None:
        """Take the neutral seat."""
        game = opening.game
        if not isinstance(game, Added) or seat not in game.neutral:
            raise PlayerLeftError("no-referee-seat", game=game.name, number=seat + 1)
        self._talk = Consultation(game, self._secret, self.match)

    async def ready(self) -> None:
        """Wait until his host may be called once more; where a browser calls him nobody waits."""
        if not self.framed:
            await self._calls.ready()

    async def ask(self, position: Position) -> Answer:
        """Ask the referee, and return what he rules in time."""
        talk = self._talk
        if talk is None:
            raise PlayerLeftError("never-sat-down")
        self._check(talk)
        self._hint = None
        own = int(self.seconds * 1000)
        self._allowed = own if position.left is None else min(own, position.left)
        self._trace.asked()
        self._arrived = arrived = asyncio.get_running_loop().create_future()
        returns = self._open(talk, position.turn)
        url = address(self.url, talk.ask(position.view, position.turn).query(returns))
        self._begun = monotonic()
        call = None if self.framed else self._called(url, returns, arrived)
        try:
            at = await within(own, arrived, self.expire)
        except TimeoutError:
            if self._hint is None:
                raise PlayerLateError("no-answer-within", own, seconds=f"{self.seconds:g}") from None
            raise PlayerLateError("no-answer-within-because", own, seconds=f"{self.seconds:g}", why=self._hint) from None
        finally:
            talk.expire()
            self._arrived = None
            self._trace.answered()
            if call is not None:
                self._calls.let_go(call)
        if call is not None:
            await asyncio.wait((call,), timeout=GRACE_SECONDS)
        self._check(talk)
        if talk.ruling is None:
            raise PlayerLeftError("gives-no-answer")
        return Answer(write_ruling(talk.ruling), max(0.0, at - self._begun))

    def expire(self) -> bool:
        """Close the question, unless he has ruled, or is found out."""
        if self._talk is None or self._talk.settled or (self._arrived is not None and self._arrived.done()):
            return False
        self._talk.expire()
        return True

    @staticmethod
    def _check(talk: Consultation) -> None:
        """Refuse to go on with a referee who has done something wrong, also after he was believed."""
        if talk.fault is not None:
            raise PlayerGarbledError(talk.fault)

    async def leave(self) -> None:
        """Close the address; calls that still go on have a little time to end, so that the trace has their status."""
        if self._handle:
            self.switchboard.receiver.close(self._handle)
        self.switchboard.see_off(self._calls.leave())
        self._trace.answered()

    def frame(self, view: Course, turn: int) -> str:
        """Return what a player's browser is to open in a frame: the question of a turn, with the address of its answer."""
        if self._talk is None or not self.framed:
            return ""
        handle, token = self._talk.address(turn)
        returns = self.switchboard.receiver.address(handle, token)
        return address(self.url, self._talk.question(view, turn).query(returns))

    # ── the ways to be answered ────────────────────────────────────────────────────────────────────────────────────

    def _open(self, talk: Consultation, turn: int) -> str:
        """Open the address of one answer; the one before closes, and whoever comes there is late."""
        handle, token = talk.address(turn)
        if self._handle and self._handle != handle:
            self.switchboard.receiver.close(self._handle)
        self._handle = handle
        return self.switchboard.receiver.open(handle, token, self._heard, game=talk.ident, astray=self._strayed)

    def _called(self, url: str, returns: str, arrived: "asyncio.Future[float]") -> Call:
        """Call the referee: he answers by redirect, or by a call of his; what it comes to without an answer is a fault of his."""

        def ended(call: Call) -> None:
            fault = None if call.cancelled() else self._fault(call)
            if fault is not None and not arrived.done():
                arrived.set_exception(fault)

        return self._calls.call(self._call(url, returns), ended)

    def _fault(self, call: Call) -> PlayerError | None:
        """Return what is wrong with a call that brought no answer by itself; None: he may still call back."""
        error = call.exception()
        if error is not None:
            return PlayerLeftError("call-failed", why=call_fault(error))
        fetched = call.result()
        if fetched.status >= 400:
            return PlayerGarbledError("status-instead", status=fetched.status, body=shorten(fetched.body.strip()))
        if "location" in fetched.body:
            self._hint = Reason("answers-in-a-frame")
        return None

    async def _call(self, url: str, returns: str) -> Fetched:
        fetched = await self._trace.called(url, self.switchboard.fetch(url, until=returns))
        if fetched.onward:
            self._heard(fetched.onward.partition("?")[2].partition("#")[0])
        return fetched

    def _heard(self, query: str) -> Reply:
        """Judge an answer, and wake whoever waits for it."""
        arrived = monotonic()
        if self._talk is None:
            return Reply(404, Reason("nobody-asked"))
        if elapsed(arrived - self._begun) > self._allowed:
            self._talk.expire()
        reply = self._talk.hear(query)
        self._trace.heard(query, reply)
        if self._talk.settled and self._arrived is not None and not self._arrived.done():
            self._arrived.set_result(arrived)
        return reply

    def _strayed(self, query: str, reply: Reply) -> None:
        """Take down a call that was meant for us and is no answer: not by GET, or not at our address."""
        self._trace.heard(query, reply)
        self._hint = reply.why if reply.status == 405 else Reason("call-back-refused", why=reply.why)
