"""Somebody between the referee and a player, who passes on what either says."""

from collections.abc import Sequence

from arbitre.games.game import Seat
from arbitre.games.player import Position
from arbitre.reasons import Reason
from arbitre.referee.player import Agreement, Answer, Decline, Greeting, Player, SignedOpening
from arbitre.referee.terms import Opening
from arbitre.referee.verdict import Verdict


class Behind(Player):
    """Passes everything on to the player behind it; who is in between overrides what it changes."""

    def __init__(self, inner: Player) -> None:
        self.inner = inner
        self.outside = inner.outside
        self.prompt = inner.prompt
        self.confirms = inner.confirms
        self.patience = inner.patience
        self.agreeing = inner.agreeing
        self.excused = inner.excused

    async def ready(self) -> None:
        """Wait for whatever the player waits for."""
        await self.inner.ready()

    async def ask(self, position: Position) -> Answer:
        """Ask."""
        return await self.inner.ask(position)

    def expire(self) -> bool:
        """Close the question."""
        return self.inner.expire()

    def kept(self) -> None:
        """Hear that the answer is durable."""
        self.inner.kept()

    async def sit(self, opening: Opening, seat: Seat) -> None:
        """Sit down."""
        await self.inner.sit(opening, seat)

    async def greet(self, opening: Opening, seat: Seat) -> Greeting:
        """Come to the table."""
        return await self.inner.greet(opening, seat)

    async def agree(self, opening: SignedOpening) -> Agreement | Decline:
        """Agree to the opening."""
        return await self.inner.agree(opening)

    def recall(self, position: Position, said: str) -> None:
        """Remember."""
        self.inner.recall(position, said)

    def silence(self) -> Reason | None:
        """Say why nothing came."""
        return self.inner.silence()

    async def end(self, verdict: Verdict, seat: Seat) -> None:
        """Hear the verdict."""
        await self.inner.end(verdict, seat)

    async def sign(self, lines: Sequence[str]) -> str | Decline | None:
        """Sign."""
        return await self.inner.sign(lines)

    async def leave(self) -> None:
        """Get up."""
        await self.inner.leave()
