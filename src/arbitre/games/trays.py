"""The games of the Tournoyons wire, and which of their options it has words for (spec: tournoyons, sections 4 and 8)."""

from collections.abc import Mapping

from arbitre.games.added.rules import Added
from arbitre.games.added.tray import AddedTray
from arbitre.games.game import AnyGame
from arbitre.games.tray import Tray
from arbitre.games.trays_hidden import KriegspielTray, MasterMindTray, PokerTray, SeafightTray
from arbitre.games.trays_open import BigTicTacToeTray, DraughtsTray, PenteTray, ReversiTray, RochambeauTray, TicTacToeTray
from arbitre.reasons import Reason

TRAYS: Mapping[str, type[Tray]] = {
    tray.name.lower(): tray
    for tray in (
        TicTacToeTray, RochambeauTray, BigTicTacToeTray, PenteTray, ReversiTray, MasterMindTray, SeafightTray, PokerTray,
        DraughtsTray, KriegspielTray,
    )
}  # fmt: skip
"""By the game's identifier, which is the value of `Set` in small letters."""

MUST: Mapping[str, Mapping[str, int]] = {
    "mastermind": {"colours": 8, "pegs": 4, "lines": 8},
    "rochambeau": {"states": 3, "players": 2},
}
"""Options that the wire has no words for: they must be as they are by default."""


def tray_of(game: AnyGame) -> Tray:
    """Return the words of a game that is played over this wire, one of ours or one that a user added."""
    return AddedTray(game) if isinstance(game, Added) else TRAYS[game.name](game)


def unspeakable(game: AnyGame) -> Reason | None:
    """Say why a game cannot be played over this wire, or None if it can."""
    if isinstance(game, Added):
        return None
    if game.name not in TRAYS:
        known = " ".join(sorted(TRAYS))
        return Reason("%(name)s is not played over the Tournoyons protocol; there are: %(known)s", name=game.name, known=known)
    for option, due in MUST.get(game.name, {}).items():
        if getattr(game, option) != due:
            return Reason(
                "the Tournoyons protocol plays %(name)s with %(option)s=%(due)s, not %(given)s",
                name=game.name,
                option=option,
                due=due,
                given=getattr(game, option),
            )
    if game.name == "rochambeau" and not getattr(game, "goal", 0):
        return Reason("the Tournoyons protocol plays rochambeau for points, not by elimination")
    return None
