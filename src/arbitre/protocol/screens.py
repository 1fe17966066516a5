"""The screens of all games, by name (spec: tournoyons, section 5)."""

from collections.abc import Mapping

from arbitre.errors import ProtocolError
from arbitre.protocol.screen import Screen
from arbitre.protocol.screens_added import AddedScreen
from arbitre.protocol.screens_hidden import MasterMindScreen, PokerScreen, RochambeauScreen, SeafightScreen
from arbitre.protocol.screens_kriegspiel import KriegspielScreen
from arbitre.protocol.screens_open import BigTicTacToeScreen, DraughtsScreen, PenteScreen, ReversiScreen, TicTacToeScreen
from arbitre.protocol.trays import unspeakable
from arbitre.rules.added import Added
from arbitre.rules.game import AnyGame, Seat

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
        raise ProtocolError(unspeakable(game) or f"{game.name} has no interface; there are: {' '.join(SCREENS)}")
    return SCREENS[game.name](game, people)
