"""The screens of all games, by name (spec: tournoyons, section 5)."""

from collections.abc import Mapping

from arbitre.errors import ProtocolError
from arbitre.games.added.rules import Added
from arbitre.games.added.screen import AddedScreen
from arbitre.games.game import AnyGame, Seat
from arbitre.games.kriegspiel.screen import KriegspielScreen
from arbitre.games.screen import Screen
from arbitre.games.screens_hidden import MasterMindScreen, PokerScreen, RochambeauScreen, SeafightScreen
from arbitre.games.screens_open import BigTicTacToeScreen, DraughtsScreen, PenteScreen, ReversiScreen, TicTacToeScreen
from arbitre.games.trays import unspeakable
from arbitre.reasons import Reason

SCREENS: Mapping[str, type[Screen]] = {
    screen.name.lower(): screen
    for screen in (
        TicTacToeScreen, RochambeauScreen, BigTicTacToeScreen, PenteScreen, ReversiScreen, MasterMindScreen, SeafightScreen,
        PokerScreen, DraughtsScreen, KriegspielScreen,
    )
}  # fmt: skip
"""By the game's identifier, which is also the name of its page among our interfaces."""


def screen_of(game: AnyGame, people: frozenset[Seat] = frozenset()) -> Screen:
    """Return the screen of a game with its options, `people` where persons sit; `ProtocolError` where it has no interface."""
    if isinstance(game, Added):
        return AddedScreen(game, people)
    if game.name not in SCREENS:
        raise ProtocolError(
            unspeakable(game)
            or Reason("%(name)s has no interface; there are: %(known)s", name=game.name, known=" ".join(SCREENS))
        )
    return SCREENS[game.name](game, people)
