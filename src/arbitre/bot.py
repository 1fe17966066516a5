"""What a bot's author imports.

A bot is a class with one method: it sees a position and says a move.

    from random import choice
    from arbitre.bot import Bot, run

    class Careless(Bot):
        def move(self, position):
            return choice(position.legal)

    run(Careless)

The same class plays in this process, as a program on a pipe (`run` speaks the line protocol of the manual's page "Bots on a
pipe"), or behind a web address.
"""

from abc import ABC, abstractmethod
from random import Random

from arbitre.referee.player import Position

__all__ = ["Bot", "Position", "Resign"]


class Resign(Exception):  # noqa: N818 - it is no error to give up
    """Raised by a bot that gives up."""


class Bot(ABC):
    """A player of one seat in one match; made anew for each match."""

    def __init__(self, random: Random | None = None) -> None:
        self.random = random or Random()
        """Where the bot takes its luck from: seeded by whoever wants the same game twice."""

    @abstractmethod
    def move(self, position: Position) -> str:
        """Say a move, as text; raise `Resign` to give up."""
