"""Who plays, as the author of a player sees it: a position comes, a move is said."""

from abc import ABC, abstractmethod
from itertools import islice
from random import Random
from typing import Any, ClassVar, NamedTuple

from arbitre.errors import OpenSetError
from arbitre.games.game import AnyGame, Seat
from arbitre.games.notation import AnyNotation
from arbitre.reasons import Reason

MOST_LISTED = 1_000
"""Where more moves than this are legal they are not listed to a player."""


class Position(NamedTuple):
    """What a player sees when it is asked to move: all that a bot needs, and nothing that its seat may not know."""

    game: AnyGame
    notation: AnyNotation
    seat: Seat
    turn: int
    view: Any
    left: int | None = None
    """Milliseconds left, None without a clock."""
    refused: Reason | None = None
    """Why the last answer to this question was refused, if it was."""
    head: str = ""
    """The head of the record's chain behind this question, in hexadecimal: it fixes everything said so far, and tells nothing."""
    shown: str | None = None
    """The canonical text of the view, where somebody has written it already."""
    offered: bool = False
    """Whether somebody else offers a draw: the bot may take it (`TakeDraw`), or move on."""

    @property
    def text(self) -> str:
        """What the player sees in canonical text."""
        return self.notation.write_view(self.view) if self.shown is None else self.shown

    def moves(self) -> list[Any]:
        """Return the legal moves as values of the rules; none where they are too many to list."""
        try:
            listed = list(islice(self.game.legal(self.view), MOST_LISTED + 1))
        except OpenSetError:
            return []
        return listed if len(listed) <= MOST_LISTED else []

    @property
    def legal(self) -> list[str]:
        """The legal moves in canonical text; none where they are too many to list."""
        return [self.notation.write(move) for move in self.moves()]

    def sample(self, random: Random) -> str:
        """Return some legal move at random, in canonical text, where they cannot be listed too."""
        return self.notation.write(self.game.sample(self.view, random))

    def plain(self, random: Random) -> dict[str, Any]:
        """Return what a bot that is one function is given: the same names in the workshop, by dial-in and on a pipe.

        `legal` is None where the moves cannot be listed; `any` is always one of them, drawn at random.
        """
        legal = self.legal
        return {
            "text": self.text,
            "legal": legal or None,
            "any": random.choice(legal) if legal else self.sample(random),
            "turn": self.turn,
            "left": self.left,
            "refused": None if self.refused is None else str(self.refused),
            "seat": int(self.seat),
        }


class Resign(Exception):  # noqa: N818 - it is no error to give up
    """Raised by a bot that gives up."""


class TakeDraw(Exception):  # noqa: N818 - nor is this
    """Raised by a bot that takes the draw which the position says is `offered`."""


class Offer(str):
    """A move that is said with the offer of a draw: `return Offer(move)`."""

    __slots__ = ()


class Bot(ABC):
    """A player of one seat in one match; made anew for each match."""

    brings_nonce: ClassVar[bool] = False
    """Whether the bot mixes a nonce of its own into the draws, so that it need not trust the referee's deal."""

    remark: str = ""
    """What the bot says about the move that it is about to say, such as `score=+0.35 depth=12`: kept beside the move, secret
    until the end, never judged. It is forgotten when the move was said."""

    def __init__(self, random: Random | None = None) -> None:
        self.random = random or Random()
        """Where the bot takes its luck from: seeded by whoever wants the same game twice."""

    @abstractmethod
    def move(self, position: Position) -> str:
        """Say a move, as text; raise `Resign` to give up, return an `Offer` to offer a draw, raise `TakeDraw` to take one."""

    def stop(self) -> None:  # noqa: B027 - a bot that thinks briefly need not listen
        """Learn, from another thread, that nobody waits for the move that is being thought about."""
