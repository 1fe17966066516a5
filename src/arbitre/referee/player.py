"""Whoever sits on a chair, as the referee sees them.

A player answers questions. What it is (a Python class, a program on a pipe, an address on the web, a person at a keyboard) is a
matter of the transport that implements `Player`; the referee only ever sees this. Faults of a player are raised, never returned:
`PlayerLeftError` when it is gone, `PlayerGarbledError` when it cannot be understood.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from arbitre.errors import HouseError, PlayerGarbledError
from arbitre.games.game import Seat
from arbitre.games.player import Position
from arbitre.reasons import Reason
from arbitre.referee.terms import Opening
from arbitre.referee.verdict import Verdict


class Answer(NamedTuple):
    """What a player said, and how long it took, in seconds from the moment the question left to the answer's arrival."""

    text: str
    spent: float = 0.0
    resigns: bool = False
    offers: bool = False
    """Whether the player would take a draw: with its move, or instead of one (`takes`)."""
    takes: bool = False
    why: Reason | None = None
    """Why the player gives up, where somebody gives up for it."""
    note: str = ""
    """What the player says about its move: kept beside it, secret until the end, never judged."""


class Greeting(NamedTuple):
    """What a player brings: a public key to sign the record with, a commitment to a nonce to mix into the draws, or neither."""

    key: str = ""
    promise: str = ""
    """See `crypto.draws.promise`."""


class SignedOpening(NamedTuple):
    """The opening as a player with a key or a promise is shown it: the record's first line, its salt, the referee's signature.

    Whoever is shown another one holds the referee's signature under both.
    """

    line: str
    salt: bytes
    signature: bytes


class Agreement(NamedTuple):
    """A player agrees to an opening: with the nonce that it promised, and its signature, in hexadecimal."""

    nonce: str | None = None
    signature: str | None = None


class Decline(NamedTuple):
    """A player does not agree to an opening, or to a record: a code, and under a record its signature in hexadecimal."""

    code: str
    signature: str = ""


class Player(ABC):
    """Somebody who plays one seat of one match."""

    outside = True
    """Whether the player lives outside this process: what it is asked must be durable first."""

    prompt = False
    """Whether the player greets, sits down, hears the end, signs and leaves without waiting for anybody: no time is kept then."""

    confirms = False
    """Whether somebody is told that an answer of the player's was accepted: it must be durable first (`kept`)."""

    patience = 20.0
    """Seconds that the player may take to sit down. One that must first wait for the house takes more, and keeps its own time."""

    agreeing = 20.0
    """Seconds that the player has to agree to the opening, on nobody's clock."""

    excused = False
    """Whether the match is not played, instead of lost, where the player does not come to agree: a person may have gone home."""

    async def ready(self) -> None:  # noqa: B027 - most players can be asked at any time
        """Return when the next question may leave: whatever the house itself waits for is on nobody's clock."""

    @abstractmethod
    async def ask(self, position: Position) -> Answer:
        """Return the player's answer. Cancelled when its time is up and `expire` found the question open."""

    def expire(self) -> bool:
        """Close the question that is open, for its time is up; False where an answer was taken, which `ask` then returns.

        From now on the question is answered or it is not: nobody is told that an answer was accepted which comes after this.
        """
        return True

    def kept(self) -> None:  # noqa: B027 - most players are told nothing
        """Hear that the last answer is durable, where the player `confirms`."""

    async def sit(self, opening: Opening, seat: Seat) -> None:  # noqa: B027 - most players need no greeting
        """Take a seat: everything that must happen before the first question, on nobody's clock."""

    async def greet(self, opening: Opening, seat: Seat) -> Greeting:  # noqa: ARG002 - most players bring nothing
        """Come to the table, before the match is called, and say what the opening must know of the player.

        The draft of the opening names match, game, commitment and referee: what a promise of a nonce is bound to. A player who
        cannot come says so when it is to sit down.
        """
        return Greeting()

    async def agree(self, opening: SignedOpening) -> Agreement | Decline:  # noqa: ARG002
        """Agree to the opening, with all that was promised; asked of players with a key or a promise."""
        raise PlayerGarbledError("nonce-withheld")

    def recall(self, position: Position, said: str) -> None:  # noqa: B027 - most players remember nothing
        """Be told what this seat was asked and said before the referee came back; called after `sit`, in order."""

    def silence(self) -> Reason | None:
        """Say what is known of why the last question got no answer in time, for the verdict; nothing of what was answered."""
        return None

    async def end(self, verdict: Verdict, seat: Seat) -> None:  # noqa: B027 - most players need no farewell
        """Hear the verdict."""

    async def sign(self, lines: Sequence[str]) -> str | Decline | None:  # noqa: ARG002 - most players have no key
        """Check the record, given the lines of its events, and sign it or decline to; asked of players with a key.

        Return the signature in hexadecimal, None where the player says nothing.
        """
        return None

    async def leave(self) -> None:  # noqa: B027 - most players hold nothing
        """Get up: free whatever the player holds. Called once, whatever happened."""


class EmptyChair(Player):
    """The chair of somebody who is not needed when a match is sealed that was decided before."""

    outside = False
    prompt = True

    async def ask(self, position: Position) -> Answer:  # noqa: ARG002 - whatever it is
        """Nobody is asked any more."""
        raise HouseError("a match that is decided has no more questions")
