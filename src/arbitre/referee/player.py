"""Whoever sits on a chair, as the referee sees them.

A player answers questions. What it is (a Python class, a program on a pipe, an address on the web, a person at a keyboard) is a
matter of the transport that implements `Player`; the referee only ever sees this. Faults of a player are raised, never returned:
`PlayerLeftError` when it is gone, `PlayerGarbledError` when it cannot be understood.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

from arbitre.errors import PlayerGarbledError
from arbitre.games.game import AnyGame, Seat
from arbitre.games.player import Position
from arbitre.reasons import Reason
from arbitre.referee.terms import Opening
from arbitre.referee.verdict import Verdict


class Answer(NamedTuple):
    """What a player said, and how long it took, in seconds from the moment the question left to the answer's arrival."""

    text: str
    spent: float = 0.0
    resigns: bool = False


class Greeting(NamedTuple):
    """What a player brings: a public key to sign the record with, a commitment to a nonce to mix into the draws, or neither."""

    key: str = ""
    promise: str = ""
    """See `crypto.draws.promise`."""


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

    async def greet(self, game: AnyGame, seat: Seat) -> Greeting:  # noqa: ARG002 - most players bring nothing
        """Come to the table, before the match is called, and say what the opening must know of the player.

        A player who cannot come says so when it is to sit down.
        """
        return Greeting()

    async def nonce(self) -> str:
        """Open the nonce that was promised, in hexadecimal."""
        raise PlayerGarbledError("nonce-withheld")

    def recall(self, position: Position, said: str) -> None:  # noqa: B027 - most players remember nothing
        """Be told what this seat was asked and said before the referee came back; called after `sit`, in order."""

    def silence(self) -> Reason | None:
        """Say what is known of why the last question got no answer in time, for the verdict; nothing of what was answered."""
        return None

    async def end(self, verdict: Verdict, seat: Seat) -> None:  # noqa: B027 - most players need no farewell
        """Hear the verdict."""

    async def sign(self, message: bytes) -> tuple[str, str] | None:  # noqa: ARG002 - most players have no key
        """Sign the head of the record, if the player has a key: return public key and signature in hexadecimal."""
        return None

    async def leave(self) -> None:  # noqa: B027 - most players hold nothing
        """Get up: free whatever the player holds. Called once, whatever happened."""
