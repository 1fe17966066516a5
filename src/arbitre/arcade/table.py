"""One table of the arcade: two seats, the referee between them, and the record; no sockets, no threads, no clock of its own.

A table takes lines and gives lines. In front of the machine seat 1 is a `Side` of the house; in a duel both seats are people
somewhere, and the table only passes on what the referee has taken: it holds no key, so it cannot cheat, and what it could do
(swap keys) shows in the fingerprint that both sides compare. What is dear to compute is put as a question, and the table stands
still, its clock too, until somebody has answered it (spec: arcade, sections 1 to 5).
"""

from collections import deque
from collections.abc import Callable

from arbitre.arcade.bout import HUNG_UP, ROLES, Finish, Issue, News, Refused, Step, Taken, question
from arbitre.arcade.ledger import Ledger
from arbitre.arcade.side import Side
from arbitre.arcade.terms import Question, ponder
from arbitre.arcade.voice import Language, comment, fingerprint, round_line, wire
from arbitre.arcade.wire import says_nothing
from arbitre.games.game import FIRST, SECOND, Seat, other
from arbitre.reasons import Reason
from arbitre.records.event import NOBODY, Kind, write_reason

DEAR = 8 * 2048**3
"""Steps of arithmetic above which a question is answered beside: some twenty milliseconds."""


class Answers:
    """Answers questions: as somebody beside has answered them, or here and now."""

    def __init__(self) -> None:
        self.known: dict[Question, Reason | None] = {}

    def __call__(self, put: Question) -> Reason | None:
        """Answer a question."""
        return self.known[put] if put in self.known else ponder(put)


class Table:
    """A match at the arcade as it is played; ledger and machine put their questions to `answers`."""

    def __init__(
        self,
        ledger: Ledger,
        answers: Answers,
        clock: Callable[[], int],
        *,
        machine: Side | None = None,
        languages: tuple[Language, Language] = ("en", "en"),
        dear: int = DEAR,
    ) -> None:
        self.ledger = ledger
        self.machine = machine
        self.languages = languages
        self.blocked: Question | None = None
        """What has to be answered before the table goes on."""
        self.told: Callable[[News], None] | None = None
        """Somebody at the table's own screen, who hears all news."""
        self.outbox: list[tuple[Seat, str]] = []
        """What is to be sent, in order: whoever runs the table empties it."""
        self._wired = (FIRST, SECOND) if machine is None else (FIRST,)
        self._names = (ledger.call.chairs[0].name, ledger.call.chairs[1].name)
        self._queue: deque[tuple[Seat, str]] = deque()
        self._deferred: list[tuple[Seat, str]] = []
        self._answers = answers
        self._clock = clock
        self._start = clock()
        self._stopped = 0
        self._dear = dear

    # ── from outside ───────────────────────────────────────────────────────────────────────────────────────────────

    def open(self) -> None:
        """Greet both sides, and let the machine say what it has to."""
        call = self.ledger.call
        for seat in self._wired:
            self._send(seat, comment(f"arbitre arcade 1 record {call.match}"))
            self._send(seat, comment(f"level {call.terms.level}"))
            self._send(seat, comment(f"encoding {call.terms.encoding.value}"))
            self._send(seat, comment(f"checks {call.terms.checks.value}"))
            self._send(seat, comment(f"seat {ROLES[seat]} {self._names[seat]} against {self._names[other(seat)]}"))
        self.run()

    def receive(self, seat: Seat, line: str) -> None:
        """Take a line of one side."""
        self._queue.append((seat, line))
        if self.blocked is None:
            self.run()

    def answer(self, put: Question, found: Reason | None) -> None:
        """Take the answer to the question that stopped the table."""
        if put is self.blocked:
            self._answers.known[put] = found
            self.blocked = None
            self._start += self._clock() - self._stopped
            self.run()

    def leave(self, seat: Seat, how: Reason = HUNG_UP) -> None:
        """Take note that a side is gone; a question about what it said before is no longer worth an answer."""
        if not self.ledger.over:
            self.blocked = None
            self._queue.clear()
            self._hear(Kind.LEFT, seat, write_reason(how))

    def tick(self) -> None:
        """Look at the clock."""
        due = self.ledger.deadline
        if self.blocked is None and due is not None and self.now >= due:
            self._hear(Kind.TICKED, NOBODY, "")

    def abandon(self, why: Reason) -> None:
        """Stop without a result, because the house cannot go on."""
        if not self.ledger.over:
            self.blocked = None
            self._queue.clear()
            self._hear(Kind.ABANDONED, NOBODY, write_reason(why))
            for seat in self._wired:
                self._send(seat, comment(f"over nobody: {why}"))

    @property
    def now(self) -> int:
        """Milliseconds of the players' time since the call."""
        return self._clock() - self._start

    @property
    def left(self) -> int | None:
        """Milliseconds until whoever is awaited is late."""
        due = self.ledger.deadline
        return None if due is None else max(due - self.now, 0)

    def waiting(self, seat: Seat) -> int:
        """Return how many lines of one side wait to be heard."""
        return sum(who == seat for who, _ in [*self._queue, *self._deferred]) if self._queue or self._deferred else 0

    # ── inside ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def run(self) -> None:
        """Go on until nobody has anything to say, or a question stops the table."""
        while self.blocked is None and not self.ledger.over and (self._machine() or self._next()):
            pass

    def _machine(self) -> bool:
        """Let the machine speak, if it is awaited and ready."""
        bout = self.ledger.bout
        if self.machine is None or SECOND not in bout.awaited:
            return False
        put = self.machine.asks(bout)
        if put is not None and self._stops(put):
            return False
        command = self.machine.due(bout)
        if command is not None:
            self._hear(Kind.SAID, SECOND, command.line())
        return command is not None

    def _next(self) -> bool:
        """Hear the next line that waits, if one does and may be heard now."""
        while self._queue and self.blocked is None:
            seat, line = self._queue[0]
            bout = self.ledger.bout
            if bout.step is Step.PROLOGUE and seat not in bout.awaited:
                # neither side need wait for the other: who is ready first is heard when both are
                self._deferred.append(self._queue.popleft())
                continue
            put = question(bout, seat, line)
            if put is not None and self._stops(put):
                return False
            self._queue.popleft()
            if not says_nothing(line):
                self._hear(Kind.SAID, seat, line)
                return True
        return False

    def _stops(self, put: Question) -> bool:
        """Tell whether a question is dear and not yet answered; then the table stands still, and so does its clock."""
        if put.cost < self._dear or put in self._answers.known:
            return False
        self.blocked = put
        self._stopped = self._clock()
        return True

    def _hear(self, kind: Kind, seat: int, text: str) -> None:
        before = self.ledger.bout
        for item in self.ledger.hear(kind, seat, text, self.now):
            self._tell(item)
        bout = self.ledger.bout
        if bout.step is not Step.COMMIT or before.step is Step.COMMIT:
            return
        both = [round_line(bout)]
        if before.step is Step.PROLOGUE:
            both.insert(0, comment(f"fingerprint {fingerprint(bout)}"))
            self._queue.extendleft(reversed(self._deferred))
            self._deferred.clear()
        self.outbox += [(seat, line) for line in both for seat in self._wired]

    def _tell(self, news: News) -> None:
        if self.told is not None:
            self.told(news)
        if isinstance(news, Taken):
            if (seat := other(news.seat)) in self._wired:
                self.outbox.append((seat, news.command.line()))
            return
        if isinstance(news, Issue) and self.machine is not None:
            self.machine.see(news)
        if isinstance(news, Finish):
            self._queue.clear()
        for seat in self._wired:
            if not isinstance(news, Refused) or news.seat == seat:
                for line in wire(news, self._names, self.languages[seat]):
                    self.outbox.append((seat, line))

    def _send(self, seat: Seat, line: str) -> None:
        if seat in self._wired:
            self.outbox.append((seat, line))
