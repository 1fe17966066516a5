"""What happens in a game, in words: one small `Telling` per game, in the module `telling` of its package.

Words are made of two views of one eye, before something happened and after it, and of what was said in between; so nothing can
be told that the eye may not know. A telling returns reasons, values with fields, and never sentences: page, screen reader,
terminal, programs and exports say the same, each in its reader's language (`arbitre.words`).
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from arbitre.games.catalogue import fetch, listing
from arbitre.games.game import AnyGame, Seat
from arbitre.reasons import Reason
from arbitre.values import value


@value
class Deed:
    """What a move did."""

    words: Reason
    instead: bool = False
    """Whether the words say all, so that the move's own text need not stand before them."""


class Telling:
    """Tells what happens in one game; this one knows nothing but the text of a move."""

    unit: ClassVar[Reason | None] = None
    """What scores count."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def goal(self) -> Reason | None:
        """Return what one plays for, in one sentence; None where the game does not say."""
        return None

    def move(self, text: str, seat: Seat, before: Any, view: Any, name: str) -> Deed | None:  # noqa: ARG002 - a text says it
        """Return what `seat` did by saying `text`, seen before and after by one eye; `name` is empty where it is the reader's."""
        return None

    def called(self, text: str, seat: Seat, before: Any) -> Reason | None:  # noqa: ARG002 - most texts are what people say
        """Return what people call a move that `seat` could make, apart from a sentence; None where its text says it."""
        return None

    def since(self, before: Any, view: Any, names: Sequence[str]) -> tuple[Reason, ...]:  # noqa: ARG002 - few games tell more
        """Return what else has happened between two views of one eye: cards that were dealt, a round that was won."""
        return ()

    def scores(self, view: Any) -> tuple[int, int] | None:  # noqa: ARG002 - many games count nothing
        """Return how both players stand; None where the game counts nothing, or not yet."""
        return None


def telling_of(game: AnyGame) -> Telling:
    """Return who tells a game."""
    place = listing(game.name).telling
    made: Telling = (fetch(place) if place else Telling)(game)
    return made
