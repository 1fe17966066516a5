"""What a visitor chose last for a game: remembered by the browser, so that the next one begins with one click."""

from arbitre.games.levels import levels
from arbitre.games.wires import is_wired
from arbitre.site.seating import Chosen
from arbitre.values import value
from arbitre.web.visit import CHOICE_COOKIE, Visit

CLOCKS = ("none", "4s/move", "10s/move", "30s/move", "3m+2s", "10m", "1h")
"""Time limits to choose from."""

AGAINST = ("house", "friend", "show")
"""Against whom: the house, whoever gets the link; or two of the house, to look on."""

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
        me = Chosen("me")
        other = Chosen("friend") if self.against == "friend" else Chosen("house", self.strength)
        return (other, me) if self.side == "second" else (me, other)

    def text(self) -> str:
        """Return it as a cookie has it."""
        return "~".join((self.game, self.against, str(self.level), self.side, self.clock))


def read_choice(game: str, against: str, level: str, side: str, clock: str) -> Choice | None:
    """Return a choice from words that somebody sent, None where they are none."""
    fine = is_wired(game) and against in AGAINST and side in SIDES and clock in CLOCKS and level.isascii() and level.isdigit()
    return Choice(game, against, int(level), side, clock) if fine and len(level) < 3 else None


def choice_of(visit: Visit) -> Choice:
    """Return what the browser remembers; one that remembers nothing begins with Reversi."""
    parts = visit.choice.split("~")
    return (read_choice(*parts) if len(parts) == 5 else None) or Choice()


def remember(visit: Visit, choice: Choice) -> None:
    """Let the browser remember a choice."""
    visit.keep(CHOICE_COOKIE, choice.text())
