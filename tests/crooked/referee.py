"""A referee that a test makes lie, across the real wire from the real library of bots.

Honestly used it plays a match with one bot, from hello to signature. Between the steps a test may show another opening, other
questions or another record than those of the match.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from arbitre.bot import Bot, Position, _Conversation
from arbitre.crypto.chain import commitment, fold, leaf, salt
from arbitre.crypto.keys import Key
from arbitre.crypto.statements import Statement, Subject, opening_hash
from arbitre.games.catalogue import game, options_of
from arbitre.games.game import Awaits
from arbitre.reasons import Reason
from arbitre.records.event import NOBODY, Event, Kind, read_reason
from arbitre.records.record import Chain
from arbitre.referee.match import Match, write_agreed
from arbitre.referee.terms import Chair, Opening, Terms
from arbitre.transport.pipe import Agreed, Declined, FromBot, Garbled, Hello, Moved, RefereeSide, Resigned, Signed
from tests.referee.tables import Hearing

SEED = bytes(range(32))
REFEREE = Key(b"\5" * 32)
PLAYER = Key(b"\6" * 32)
OTHER = Key(b"\7" * 32)


class Says(Bot):
    """Says what it is told to, then whatever comes to its mind."""

    brings_nonce = True

    def __init__(self, moves: Sequence[str]) -> None:
        super().__init__(Random(1))
        self.moves = list(moves)

    def move(self, position: Position) -> str:
        return self.moves.pop(0) if self.moves else position.sample(self.random)


class Table:
    """One match between a bot with key, nonce and journal, and somebody whose moves are given."""

    def __init__(
        self,
        name: str,
        moves: Sequence[str],
        others: Sequence[str],
        *,
        options: Mapping[str, object] | None = None,
        seat: int = 0,
        folder: Path | None = None,
        terms: Terms | None = None,
    ) -> None:
        self.seat = seat
        self.others = list(others)
        self.random = Random(2)
        self.bot = _Conversation(lambda: Says(moves), "Says", PLAYER, folder)
        self.wire = RefereeSide()
        chairs = (Chair("Ada"), Chair("Bob"))
        table = game(name, options)
        self.draft = Opening(
            "m-1", table, chairs, commitment(SEED), terms or Terms(), referee=REFEREE.public.hex(), opened=1_700_000_000
        )
        self.heads: list[bytes] = []
        self.hearing: Hearing

    # ── what goes over the wire ────────────────────────────────────────────────────────────────────────────────────

    def say(self, data: bytes) -> list[FromBot]:
        """Say something to the bot; return what it answers."""
        said: list[FromBot] = []
        for answer in self.bot.hear(data):
            for event in self.wire.receive(answer):
                assert not isinstance(event, Garbled), event.why
                said.append(event)
        return said

    def hello(self) -> Opening:
        """Greet the bot; return the opening that follows from what it brings."""
        draft = self.draft
        proof = {"match": draft.match, "commitment": draft.commitment, "referee": draft.referee}
        [hello] = self.say(self.wire.hello(draft.game.name, self.seat, options_of(draft.game), **proof))
        assert isinstance(hello, Hello)
        chairs = [*draft.chairs]
        chairs[self.seat] = replace(chairs[self.seat], key=hello.key)
        return replace(draft, chairs=tuple(chairs), promises={self.seat: hello.promise})

    def show(self, opening: Opening, signer: Key = REFEREE, seed: bytes = SEED, text: str | None = None) -> Agreed | Declined:
        """Show an opening, signed by somebody; return what the bot says to it."""
        line = Event(Kind.OPENED, 0, NOBODY, 0, opening.text() if text is None else text).line()
        subject = Subject(opening_hash(line.encode()), 1, fold(bytes(32), leaf(salt(seed, 0), line.encode())))
        [said] = self.say(self.wire.opening(line, salt(seed, 0), subject.sign(signer, Statement.CALLED)))
        assert isinstance(said, Agreed | Declined)
        return said

    def begin(self, opening: Opening, agreed: Agreed) -> None:
        """Begin the match by an opening to which the bot agreed."""
        self.hearing = Hearing(Match(opening, SEED))
        self.hearing.hear(Kind.AGREED, self.seat, write_agreed(agreed.nonce, agreed.signature))

    def play(self, most: int = 1_000) -> None:
        """Ask everybody until the match is over, or for so many answers."""
        hearing, refused = self.hearing, None
        while hearing.affairs.questions and most:
            most -= 1
            seat = min(hearing.affairs.questions)
            if seat != self.seat:
                match, view = hearing.match, hearing.affairs.questions[seat].view
                said = self.others.pop(0) if self.others else match.notation.write(match.game.sample(view, self.random))
                hearing.say(seat, said)
                continue
            text = self.ask(refused)
            outputs = hearing.hear(Kind.RESIGNED, seat, text) if isinstance(text, Reason) else hearing.say(seat, text)
            refused = next((read_reason(one.text) for one in outputs if one.kind is Kind.REFUSED), None)

    def ask(self, refused: Reason | None = None, shown: str | None = None, head: bytes | None = None) -> str | Reason:
        """Put the question that is open to the bot; return what it says."""
        hearing = self.hearing
        question, phase = hearing.affairs.questions[self.seat], hearing.affairs.phase  # type: ignore[index]
        assert isinstance(phase, Awaits)
        self.heads.append(head or self.head())
        [said] = self.say(self.wire.ask(shown or question.text or "", phase.turn, None, self.heads[-1].hex(), (), refused))
        assert isinstance(said, Moved | Resigned)
        return said.text if isinstance(said, Moved) else Reason("quoted", text=said.why)

    def head(self) -> bytes:
        """Return the head behind the bot's last question."""
        at = max(number for number, event in enumerate(self.hearing.events) if event[:3:2] == (Kind.ASKED, self.seat))
        chain = Chain(SEED)
        chain.add(self.hearing.events[: at + 1])
        return chain.head

    def close(self, events: Sequence[Event] | None = None, verdict: Callable[[str], str] = str) -> Signed | Declined:
        """Tell the end, hand a record over, and return what the bot says of it."""
        found = self.hearing.affairs.verdict
        assert found is not None
        score = None if found.scores is None else found.scores[self.seat]
        self.say(self.wire.end(score, verdict(found.termination.value), found.reason))
        [said] = self.say(self.wire.record([event.line() for event in (self.hearing.events if events is None else events)]))
        assert isinstance(said, Signed | Declined)
        return said


def opened(table: Table) -> Table:
    """Return a table whose match has honestly begun."""
    opening = table.hello()
    agreed = table.show(opening)
    assert isinstance(agreed, Agreed)
    table.begin(opening, agreed)
    return table
