"""What interfaces of games that users add are told (spec: tournoyons, sections 5 and 6): the referee's words as they are."""

from typing import Any

from arbitre.games.added.rules import SEPARATOR, Added, Course
from arbitre.games.added.tray import AddedTray
from arbitre.games.game import AnyGame, Awaits, Eye, Seat
from arbitre.games.screen import NEITHER, Method, Pair, Phrase, Screen, Shown


class AddedScreen(Screen):
    """The boards, gains and moves that an eye may see; a move is shown when the referee has let it pass."""

    game: Added
    tray: AddedTray

    def __init__(self, game: AnyGame, people: frozenset[Seat] = frozenset()) -> None:
        super().__init__(game, people)
        self.name = self.game.key

    def show(self, view: Course, eye: Eye, *, before: Any = None, asks: Seat | None = None) -> Shown:  # noqa: ARG002 - no motion
        """Return what the referee has said so far."""
        phase = self.game.phase(view)
        asked = asks if isinstance(phase, Awaits) and asks in phase.seats else None
        preparing = self.game.prepares(view)
        return Shown(
            self.name,
            tray=SEPARATOR.join(tray for tray in view.trays if tray) or None,
            method="Prepare" if preparing and asked is not None else self.method(view),
            moves=NEITHER if view.judging else _pair(view.moves),
            gains=_pair(view.gains),
            count=max(0, view.ply - (3 if self.game.boards == 2 else 1)),
            asks=asked,
            legend=Phrase.READY if preparing and asked is not None else None,
            foreign=True,
        )

    def method(self, view: Course) -> Method:
        """Return `End`, or how many boards are to be seen."""
        if self.over(view):
            return "End"
        return "Double" if len(view.trays) == 2 and all(view.trays) else "Standard"


def _pair(words: tuple[str, str]) -> Pair:
    return words[0] or None, words[1] or None
