"""The chairs of the arena: a gate for players who are not people, and people who answer from a browser."""

import asyncio
from collections.abc import Callable, Sequence
from time import monotonic

from arbitre.crypto.chain import derive
from arbitre.errors import ArenaError, InvalidMoveError, LateError, MoveError, PlayerLeftError
from arbitre.games.catalogue import options_of
from arbitre.games.game import Seat
from arbitre.games.player import Position
from arbitre.reasons import Reason, declare
from arbitre.records.event import reason_text
from arbitre.records.evidence import one_line, spelt, told_end
from arbitre.referee.behind import Behind
from arbitre.referee.clock import elapsed
from arbitre.referee.player import Agreement, Answer, Decline, Greeting, Player, SignedOpening
from arbitre.referee.terms import Opening
from arbitre.referee.verdict import Verdict
from arbitre.site.arena.page import GREET_SECONDS, SeatPage
from arbitre.site.arena.plan import MatchPlan

declare(
    {
        "not-asked-any-more": (
            "this move is not asked for any more; look at the board as it stands now",
            "ce coup n’est plus demandé ; regardez le plateau tel qu’il est maintenant",
        )
    }
)
NOT_ASKED = Reason("not-asked-any-more")


class Pacer:
    """Lets players who are not people move: at once, at a pace, or step by step."""

    def __init__(self, plan: MatchPlan) -> None:
        self.pace = plan.pace
        self.stepped = plan.stepped
        self._steps = asyncio.Semaphore(0)

    def step(self) -> None:
        """Let one move through."""
        if self.stepped:
            self._steps.release()

    def run(self, pace: float = 0.0) -> None:
        """Let all moves through from now on."""
        self.pace, self.stepped = pace, False
        self._steps.release()

    async def wait(self) -> None:
        """Return when the next move may be made."""
        if self.stepped:
            await self._steps.acquire()
        elif self.pace:
            await asyncio.sleep(self.pace)


class Gated(Behind):
    """A player behind a gate."""

    def __init__(self, inner: Player, gate: Pacer) -> None:
        super().__init__(inner)
        self.gate = gate

    async def ready(self) -> None:
        """Wait for the gate, then for whatever the player behind it waits for."""
        await self.gate.wait()
        await self.inner.ready()


class Nobody(Player):
    """The empty chair of somebody who does not come."""

    def __init__(self, why: Reason) -> None:
        self.why = why

    async def sit(self, opening: Opening, seat: Seat) -> None:  # noqa: ARG002 - whatever it is
        """Stay away."""
        raise PlayerLeftError(self.why)

    async def ask(self, position: Position) -> Answer:  # noqa: ARG002
        """Stay away."""
        raise PlayerLeftError(self.why)


class PersonPlayer(Player):
    """Somebody at a browser, who answers one question after the other, each under a ticket of its own.

    The moment at which an answer is heard decides, once, whether it was in time; and nobody is told that it was taken before it
    is durable. Where the browser runs our script its page brings a key, agrees, and signs (`SeatPage`).
    """

    confirms = True
    excused = True

    def __init__(
        self, secret: bytes, seat: Seat, page: SeatPage, agreeing: float, *, signs: bool = False, greeting: float | None = None
    ) -> None:
        self.opened: Callable[[], None] = lambda: None
        """Called when a question is open: nobody is told of it before."""
        self.seat = seat
        self._greeting = greeting
        """Seconds that a page which is to bring a key may take to come; None: as usual."""
        self.page = page
        self.agreeing = agreeing
        self._signs = signs
        """Whether the page is to bring a key."""
        self._keyed = False
        """Whether it did."""
        self.position: Position | None = None
        self._secret = secret
        self._count = 0
        self._answer: asyncio.Future[Answer] | None = None
        self._begun = 0.0
        self._expired = False
        """Whether the time for the last question was up before it was answered."""
        self._last = ("", "")
        """The ticket and the words of the answer that was taken last."""
        self._taken = ""
        """The same words as the record writes them."""
        self._past: Position | None = None
        """Where they were said."""
        self._unkept: asyncio.Future[bool] | None = None
        """Tells whether the last answer has become durable, while that is not known."""
        self.slip: Reason | None = None
        """Why the last words were no move that may be said; forgotten with the next."""
        self.slips = 0
        """How many times that happened: the same words may be said twice."""

    @property
    def ticket(self) -> str:
        """What answers the question that is open now: 128 bits, bound to match, seat and question."""
        return ticket_of(self._secret, self.seat, self._count)

    @property
    def tickets(self) -> tuple[str, str]:
        """The tickets that still mean something: of the question that is open now, and of the answer that was taken last."""
        return self.ticket, self._last[0]

    def recall(self, position: Position, said: str) -> None:
        """Count a question that was answered before the house came back."""
        self._last, self._taken, self._past = (self.ticket, said), said, position
        self._count += 1

    async def safe(self) -> bool:
        """Return when it is known whether everything that the person has said is durable: False where it never will be."""
        return self._unkept is None or await asyncio.shield(self._unkept)

    def kept(self) -> None:
        """Hear that the last answer is durable."""
        if self._unkept is not None and not self._unkept.done():
            self._unkept.set_result(True)

    async def leave(self) -> None:
        """Get up: what was taken and not kept so far is not in the record."""
        if self._unkept is not None and not self._unkept.done():
            self._unkept.set_result(False)

    # ── the proof ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def greet(self, opening: Opening, seat: Seat) -> Greeting:
        """Wait a little for the key and the promise of the page; whoever brings none plays without."""
        if not self._signs:
            return Greeting()
        called = {"match": opening.match, "commitment": opening.commitment, "referee": opening.referee, "game": opening.game.name}
        options = {name: spelt(one) for name, one in options_of(opening.game).items()}
        self.page.inform("hello", {**called, "options": options, "seat": seat, "draws": opening.game.chancy})
        try:
            async with asyncio.timeout(self._greeting or GREET_SECONDS):
                said = await self.page.answer("greeting")
        except TimeoutError:
            return Greeting()
        return said if isinstance(said, Greeting) else Greeting()

    async def sit(self, opening: Opening, seat: Seat) -> None:
        """Learn whether this seat has a key."""
        self._keyed = bool(opening.keys[seat])

    async def agree(self, opening: SignedOpening) -> Agreement | Decline:
        """Show the opening to the page, and wait for what it says."""
        shown = {"line": opening.line, "salt": opening.salt.hex(), "signature": opening.signature.hex()}
        self.page.inform("opening", {**shown, "seat": self.seat})
        said = await self.page.answer("agreement")
        return said if isinstance(said, Agreement | Decline) else Agreement()

    def _put(self, position: Position) -> None:
        """Tell the page what is asked, at which head, and what was last taken down as its answer."""
        refused = "" if position.refused is None else one_line(reason_text(position.refused))
        asked = {"turn": position.turn, "left": position.left, "head": position.head, "text": position.text}
        self.page.inform("asked", {**asked, "refused": refused, "seat": self.seat, **self._answered})

    @property
    def _answered(self) -> dict[str, object]:
        return {"count": self._count, "said": self._taken}

    async def end(self, verdict: Verdict, seat: Seat) -> None:
        """Tell the page the verdict, as the record says it to this seat."""
        told = told_end(verdict.text(), seat)
        if self._keyed and told is not None:
            score, termination, reason = told
            told_as = {"score": score, "termination": termination, "reason": reason}
            self.page.inform("ended", {**told_as, "seat": seat, **self._answered})

    async def sign(self, lines: Sequence[str]) -> str | Decline | None:
        """Hand the record to the page, and return what it says of it: one that was closed may come back in time."""
        self.page.record = "".join(f"{line}\n" for line in lines).encode()
        self.page.inform("record", {"events": len(lines), "seat": self.seat}, also=True)
        try:
            said = await self.page.answer("word")
        finally:
            self.page.record = b""
        return said if isinstance(said, str | Decline) else None

    # ── play ───────────────────────────────────────────────────────────────────────────────────────────────────────

    async def ask(self, position: Position) -> Answer:
        """Wait for the person."""
        self.position, self._expired = position, False
        self._begun = monotonic()
        self._answer = asyncio.get_running_loop().create_future()
        if self._keyed:
            self._put(position)
        self.opened()
        try:
            return await self._answer
        finally:
            self._answer = None
            self.position = None
            self.page.past()

    def expire(self) -> bool:
        """Tell whether nothing was said: the question is closed, and whoever answers it from now on is late."""
        self._expired = self._answer is not None and not self._answer.done()
        return self._expired

    def answer(self, ticket: str, text: str, note: str = "") -> None:
        """Take an answer and a note on it; `LateError` if the question is not open, `MoveError` if it is no move to be said."""
        arrived = monotonic()
        if ticket == self._last[0] and self._said(text):
            return  # a page that sends twice has said it once
        position = self.position
        if ticket != self.ticket or self._expired:
            raise LateError(NOT_ASKED)
        if position is None or self._answer is None or self._answer.done():
            raise ArenaError(NOT_ASKED)  # it is somebody else's turn
        if position.left is not None and elapsed(arrived - self._begun) > position.left:
            raise LateError("too late: the time for this move is over")
        try:
            said = self._written(position, text)
        except MoveError as error:
            self.slip = error.reason
            self.slips += 1
            raise
        self.slip = None
        self._last, self._taken, self._past = (ticket, text), said, position
        self._count += 1
        self._unkept = asyncio.get_running_loop().create_future()
        self._answer.set_result(Answer(said, arrived - self._begun, note=note))

    def _said(self, text: str) -> bool:
        """Tell whether words are those of the last answer; of one that was given elsewhere only the record's words are known."""
        if text == self._last[1] or self._past is None:
            return text == self._last[1]
        try:
            return self._written(self._past, text) == self._taken
        except MoveError:
            return False

    def _written(self, position: Position, text: str) -> str:
        """Return words as the record will have them; `MoveError` where they are no move to be said.

        A page that signs must know its own words again. It knows no rules: capitals and spaces may differ, and no more.
        """
        try:
            move = position.notation.read(text, position.view)
        except MoveError:
            if position.game.tries:  # there the umpire's refusal is part of the game
                return text
            raise
        if not position.game.tries:
            position.game.check(position.view, move)
        written = position.notation.write(move)
        if self._keyed and _bare(written) != _bare(text):
            raise InvalidMoveError(text, Reason("the record has it as %(text)s: say it so", text=written))
        return written


def _bare(text: str) -> str:
    return "".join(text.split()).lower()


def ticket_of(secret: bytes, seat: Seat, count: int) -> str:
    """Return the ticket of the question before which a seat had spoken so many times."""
    return derive(secret, f"person/{seat}/{count}").hex()[:32]
