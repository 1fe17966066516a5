"""What a visitor chose last for a game: remembered by the browser, so that the next one begins with one click."""

import re
from collections.abc import Mapping

from arbitre.games.levels import levels
from arbitre.games.wires import is_wired
from arbitre.site.seating import Chosen
from arbitre.values import value
from arbitre.web.visit import CHOICE_COOKIE, Visit

CLOCKS = ("none", "4s/move", "10s/move", "30s/move", "3m+2s", "10m", "1h")
"""Time limits to choose from."""

AGAINST = re.compile("house|friend|show|engine:[0-9]{1,9}", re.ASCII)
"""Against whom: the house, whoever gets the link, an engine by its number; or two of the house, to look on."""

SIDES = ("first", "second", "drawn")
FIRST_GAME = "reversi"


@value
class Choice:
    """A game, and how it is played."""

    game: str = FIRST_GAME
    against: str = "house"
    level: int = 0
    """0: one that a newcomer may beat."""
    side: str = "first"
    clock: str = "none"

    @property
    def strength(self) -> int:
        """The level, as a number that the game has."""
        count = len(levels(self.game))
        return self.level if 1 <= self.level <= count else (count + 2) // 3

    def seats(self) -> tuple[Chosen, Chosen]:
        """Return who sits down, and who begins where that is not drawn."""
        if self.against == "show":
            return Chosen("house", self.strength), Chosen("house", max(1, self.strength - 1))
        me, other = Chosen("me"), Chosen("house", self.strength)
        if self.against == "friend":
            other = Chosen("friend")
        elif self.against != "house":
            other = Chosen("engine", int(self.against.partition(":")[2]))
        return (other, me) if self.side == "second" else (me, other)

    def text(self) -> str:
        """Return it as a cookie has it."""
        return "~".join((self.game, self.against, str(self.level), self.side, self.clock))


def read_choice(game: str, against: str, level: str, side: str, clock: str) -> Choice | None:
    """Return a choice from words that somebody sent, None where they are none."""
    counted = level.isascii() and level.isdigit() and len(level) < 3
    fine = is_wired(game) and AGAINST.fullmatch(against) and counted and side in SIDES and clock in CLOCKS
    return Choice(game, against, int(level), side, clock) if fine else None


def chosen_in(game: str, data: Mapping[str, str]) -> Choice | None:
    """Return what was chosen on the page of a game; None where the fields say nothing that can be chosen there."""
    against = data.get("against", "")
    if against == "engine":
        against = f"engine:{data.get('engine', '')}"
    return read_choice(game, against, data.get("level", "0"), data.get("side", "first"), data.get("clock", "none"))


def choice_of(visit: Visit) -> Choice:
    """Return what the browser remembers; one that remembers nothing begins with Reversi."""
    parts = visit.choice.split("~")
    return (read_choice(*parts) if len(parts) == 5 else None) or Choice()


def remember(visit: Visit, choice: Choice) -> None:
    """Let the browser remember a choice."""
    visit.keep(CHOICE_COOKIE, choice.text())
