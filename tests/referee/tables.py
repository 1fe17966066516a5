"""Tables for tests: matches with a fixed seed, and transcripts fed line by line."""

from collections.abc import Mapping, Sequence
from random import Random

from arbitre.crypto.chain import commitment
from arbitre.crypto.draws import promise
from arbitre.crypto.keys import Key
from arbitre.crypto.statements import Statement
from arbitre.games.catalogue import game
from arbitre.games.game import Awaits
from arbitre.reasons import Reason
from arbitre.records.event import NOBODY, Event, Kind, write_reason
from arbitre.records.record import Chain, Record, Word
from arbitre.referee.clock import read_clock
from arbitre.referee.match import Match, MatchState, write_agreed
from arbitre.referee.terms import Chair, Opening, Terms

SEED = bytes(range(32))
KEY = Key(bytes(32))


def make_match(
    name: str = "tictactoe",
    options: Mapping[str, object] | None = None,
    *,
    terms: Terms | None = None,
    clock: str = "none",
    start: str = "",
    nonces: Mapping[int, bytes] | None = None,
    keys: Mapping[int, Key] | None = None,
    seed: bytes = SEED,
) -> Match:
    """Return a match between Ada, Bob and so on; some of them have keys, or promise nonces."""
    table = game(name, options)
    people = ("Ada", "Bob", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal")[: table.seats]
    known = {seat: key.public.hex() for seat, key in (keys or {}).items()}
    chairs = tuple(Chair(who, key=known.get(seat, "")) for seat, who in enumerate(people))
    agreed = terms or Terms(read_clock(clock))
    committed = commitment(seed)
    promises = {seat: promise(nonce, committed, "test", seat) for seat, nonce in (nonces or {}).items()}
    public = KEY.public.hex()
    return Match(Opening("test", table, chairs, committed, agreed, start, promises or None, referee=public), seed)


class Hearing:
    """A match with its transcript so far."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.affairs: MatchState
        self.affairs, outputs = match.open()
        self.events = list(outputs)

    def hear(
        self, kind: Kind, seat: int = NOBODY, text: str | Reason = "", at: int = 0, turn: int | None = None
    ) -> tuple[Event, ...]:
        """Feed one input, a reason as it is recorded; return what follows."""
        phase = self.affairs.phase
        now = phase.turn if turn is None and isinstance(phase, Awaits) else turn or 0
        event = Event(kind, at, seat, now, write_reason(text) if isinstance(text, Reason) else text)
        self.affairs, outputs = self.match.hear(self.affairs, event)
        self.events += [event, *outputs]
        return outputs

    def say(self, seat: int, text: str, at: int = 0) -> tuple[Event, ...]:
        """Let a player say a move."""
        return self.hear(Kind.SAID, seat, text, at)

    def agree(self, seat: int, nonce: bytes = b"", key: Key | None = None) -> tuple[Event, ...]:
        """Let a player agree to the opening."""
        signature = None if key is None else self.match.called.sign(key, Statement.AGREED, seat).hex()
        return self.hear(Kind.AGREED, seat, write_agreed(nonce.hex() or None, signature))

    def record(self, sealed: bool = True, words: Sequence[Word] | None = None) -> Record:
        """Return the record so far."""
        chain = self.chain()
        return Record(tuple(self.events), chain.seal(KEY, self.match.opening.keys, words) if sealed else None)

    def chain(self) -> Chain:
        """Return the chain so far."""
        chain = Chain(self.match.seed)
        chain.add(self.events)
        return chain


def random_hearing(match: Match, random: Random, most: int = 100_000) -> Hearing:
    """Play a match to its end with sampled moves, each player taking some time."""
    hearing = Hearing(match)
    while hearing.affairs.questions and len(hearing.events) < most:
        seat, question = random.choice(sorted(hearing.affairs.questions.items(), key=lambda one: one[0]))
        text = match.notation.write(match.game.sample(question.view, random))
        hearing.say(seat, text, question.asked + (random.randrange(50) if match.clock.runs else 0))
    return hearing


def kinds(events: Sequence[Event]) -> str:
    """Return a short transcript: `asked1 said1 …`."""
    return " ".join(f"{event.kind.value}{event.seat + 1 if event.seat >= 0 else ''}" for event in events)
