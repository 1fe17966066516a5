"""A player who calls us: an engine whose program reads its questions from the site and sends answers (the manual's "Dial-in").

It speaks the language of the pipe, question by question, to whoever listens for the engine (`site.arena.dialing`). Before a match
it is asked for its hello, which says that it is there; who does not come plays without a key, and where nobody listens at its
turn its clock runs. When the house comes back the first question waits, on nobody's clock, until a listener has had the time to
call again.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random

from arbitre.crypto.chain import derive
from arbitre.errors import PlayerLateError, shorten
from arbitre.games.catalogue import options_of
from arbitre.games.game import Seat
from arbitre.games.player import Position
from arbitre.reasons import Reason, declare
from arbitre.referee.limit import within
from arbitre.referee.player import Agreement, Answer, Decline, Greeting, Player, SignedOpening
from arbitre.referee.terms import Opening
from arbitre.referee.verdict import Termination, Verdict
from arbitre.site.arena.dialing import CLAIM_SECONDS, Dialing, Question, What
from arbitre.tournoyons.trace import Spoken
from arbitre.transport.pipe import Agreed, Declined, Expects, FromBot, Hello, Moved, RefereeSide, Resigned, Signed
from arbitre.transport.stdio import NO_HEAD

MOST_HISTORY = 1_000
"""Answers of a match that a listener is told who takes it over."""

REASONS = declare(
    {
        "nobody-listens": ("nobody listens for it", "personne n’écoute pour lui"),
        "listener-silent": (
            "it was told the question, and sent no answer",
            "la question lui a été transmise, et il n’a rien répondu",
        ),
    }
)


class DialPlayer(Player):
    """An engine that calls us, on one seat of one match."""

    confirms = True

    def __init__(
        self,
        dialing: Dialing,
        engine: int,
        match: str,
        secret: bytes,
        *,
        limit: int,
        trace: Callable[[Spoken], None] | None = None,
    ) -> None:
        self.engine = engine
        self.match = match
        self.limit = limit
        """Seconds for a move where the match has no clock."""
        self._dialing = dialing
        self._secret = secret
        self._trace = trace
        self._wire = RefereeSide()
        self._hello = ""
        self._keyed = False
        self._recorded = False
        """Whether there is a record: who is only being tried out is told that its answer came, and no more."""
        self._returned = False
        """Whether the house came back amid the match, and its listeners may still be on their way."""
        self._past: list[tuple[str, str]] = []
        self._open: Question | None = None
        self._unkept: asyncio.Future[bool] | None = None
        self._random = Random()

    # ── before play ────────────────────────────────────────────────────────────────────────────────────────────────

    async def greet(self, opening: Opening, seat: Seat) -> Greeting:
        """Ask whether somebody is there; who does not answer plays without a key."""
        self._call(opening, seat)
        try:
            async with asyncio.timeout(self._dialing.absence):
                said = await self._heard(self._put("hello", self._hello, Expects.HELLO))
        except TimeoutError:
            return Greeting()
        return Greeting(said.key, said.promise) if isinstance(said, Hello) else Greeting()

    def _call(self, opening: Opening, seat: Seat) -> None:
        proof = {"match": opening.match, "commitment": opening.commitment, "referee": opening.referee}
        called = self._wire.hello(opening.game.name, seat, options_of(opening.game), **(proof if opening.referee else {}))
        self._hello, self._recorded = called.decode(), bool(opening.referee)

    async def sit(self, opening: Opening, seat: Seat) -> None:
        """Learn whether this seat has a key, and whether the match goes on from before."""
        self._keyed = bool(opening.keys[seat])
        if not self._hello:
            self._call(opening, seat)
            self._returned = True

    async def agree(self, opening: SignedOpening) -> Agreement | Decline:
        """Show the opening, and return what is said to it."""
        self._wire.settle()
        said = await self._heard(self._put("opening", self._wire.opening(*opening).decode(), Expects.AGREEMENT))
        if isinstance(said, Declined):
            return Decline(said.code)
        return Agreement(said.nonce or None, said.signature or None) if isinstance(said, Agreed) else Agreement()

    def recall(self, position: Position, said: str) -> None:
        """Count a question that was answered before the house came back."""
        self._past.append((position.text, f"move {said}"))

    # ── play ───────────────────────────────────────────────────────────────────────────────────────────────────────

    async def ready(self) -> None:
        """Wait for a listener where the house has just come back: nobody is charged for that."""
        if self._returned:
            self._returned = False
            with suppress(TimeoutError):
                async with asyncio.timeout(min(CLAIM_SECONDS, self._dialing.absence)):
                    await self._dialing.arrival(self.engine, self.match)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._dialing.absence):
                    await self._dialing.arrival(self.engine)

    async def ask(self, position: Position) -> Answer:
        """Put the question, and return what is answered in time."""
        timed, own = position.left is not None, self.limit * 1000
        legal, head = position.legal, position.head or NO_HEAD
        refused, offered = position.refused, position.offered
        self._wire.settle()
        text = self._wire.ask(position.text, position.turn, position.left, head, legal, refused, offered=offered).decode()
        listed = bool(legal) and not any(" " in one for one in legal)
        some = "" if listed else position.sample(self._random)
        asked = self._put("ask", text, Expects.ANSWER, position.left if timed else own, some)
        begun = asked.begun
        try:
            said, arrived = await (asked.answer if timed else within(own, asked.answer, self.expire))
        except TimeoutError:
            raise PlayerLateError("no-answer-within-because", own, seconds=self.limit, why=self.silence()) from None
        finally:
            self._close(asked)
        self._past.append((position.text, asked.line))
        spent = max(0.0, arrived - begun)
        if isinstance(said, Resigned):
            return Answer(said.why, spent, resigns=True, note=asked.note)
        if not isinstance(said, Moved):
            return Answer("", spent, takes=True, note=asked.note)
        return Answer(said.text, spent, offers=said.offers, note=asked.note)

    def expire(self) -> bool:
        """Close the question, unless it was answered: whoever answers it from now on is late."""
        if self._open is None or self._open.answer.done():
            return False
        self._dialing.withdraw(self._open)
        return True

    def kept(self) -> None:
        """Tell whoever answered that the answer is accepted."""
        self._settle(durable=True)

    def silence(self) -> Reason | None:
        """Say whether anybody was there to answer."""
        return Reason("listener-silent" if self._dialing.present(self.engine) else "nobody-listens")

    # ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def end(self, verdict: Verdict, seat: Seat) -> None:
        """Tell the verdict; an answer that ended the match is in the record by now."""
        if verdict.termination in (Termination.RESIGNED, Termination.AGREED):
            self._settle(durable=True)
        score = None if verdict.scores is None else verdict.scores[seat]
        self._put("end", self._wire.end(score, verdict.termination.value, verdict.reason).decode(), None)

    async def sign(self, lines: Sequence[str]) -> str | Decline | None:
        """Hand the record to a program that named a key, and return what it says of it."""
        if not self._keyed or not self._wire.ended:
            return None
        said = await self._heard(self._put("record", self._wire.record(lines).decode(), Expects.SIGNATURE))
        if isinstance(said, Declined):
            return Decline(said.code, said.signature)
        return said.signature if isinstance(said, Signed) else None

    async def leave(self) -> None:
        """Get up: what was taken and not kept so far is not in the record."""
        self._settle(durable=False)
        if not self._recorded:
            self._put("end", "", None)  # there is no verdict to tell, and a program that was tried may go
        self._dialing.part(self.engine, self.match)

    # ── within ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _put(self, what: What, text: str, due: Expects | None, allowed: int | None = None, some: str = "") -> Question:
        """Ask; the number of a question follows from the match, and from how often this seat has answered."""
        number = self.match.partition("/")[0] + derive(self._secret, f"dial/{what}/{len(self._past)}").hex()[:32]
        past = self._past[-MOST_HISTORY:]
        question = Question(number, self.engine, self.match, what, self._hello, text, due, some, past, allowed)
        if what == "ask" and self._recorded:
            self._unkept = question.kept = asyncio.get_running_loop().create_future()
        self._open = question
        self._dialing.put(question)
        return question

    async def _heard(self, question: Question) -> FromBot:
        try:
            said, _ = await question.answer
        finally:
            self._close(question)
        return said

    def _close(self, question: Question) -> None:
        self._dialing.withdraw(question)
        self._open = None
        if self._trace is not None:
            answered = bool(question.line)
            text = shorten(question.text, 1000)
            self._trace(Spoken("asked" if answered else "unanswered", text, 200 if answered else 0, shorten(question.line, 1000)))

    def _settle(self, *, durable: bool) -> None:
        if self._unkept is not None and not self._unkept.done():
            self._unkept.set_result(durable)
