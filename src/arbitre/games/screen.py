"""What a graphical interface is told of a game (spec: tournoyons, sections 5 and 8; the manual's page "Interfaces").

An interface is a page of somebody's in an iframe. It knows nothing but its query, so this module is a gate like a view: a
`ScreenWire` turns what one eye sees, and what it saw before the last transition, into a `Shown`, and a `Shown` becomes a query.
Nothing else goes in. What has just happened (the last move, discs that turn, stones that go) is found by comparing the two views
of that eye, never by asking the referee; so an interface, whoever wrote it, cannot show what its viewer may not know.

**Encoding.** Interfaces split their query on `&` and `=`, and decode names, legend and count with JavaScript's `unescape`, the
rest not at all: the words are written as `escape` writes them, everything else is plain characters. A parameter without a value
is left out, for there are interfaces that stumble over an empty one. `URLReturn` is sent as it is, and so may hold no query.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar, Literal, TypeAlias

from arbitre.errors import ProtocolError, shorten
from arbitre.games.game import FIRST, SECOND, AnyGame, Eye, Outcome, Seat, other
from arbitre.games.wire import EngineWire
from arbitre.values import value

Method: TypeAlias = Literal["Double", "End", "Inverse", "None", "Prepare", "Standard"]

Pair: TypeAlias = tuple[str | None, str | None]
"""Something of the first player and of the second, where there is something."""

NEITHER: Pair = (None, None)

SEATS = ("One", "Two")
"""The players, as parameters name them."""


class Phrase(Enum):
    """What a legend says; the site has the words, by these keys, in each of its languages."""

    BLACK_PASSES = "black_passes"
    WHITE_PASSES = "white_passes"
    I_PASS = "i_pass"  # noqa: S105 - a move, not a password
    """The label of the control with which a person passes."""
    READY = "ready"
    """The label of the button that ends the preparation of a board."""


KEPT = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@*_+-./")
"""What `escape` leaves as it is."""

PLAIN = re.compile(r"[A-Za-z0-9*?,.+\-]*")
"""What a tray, a gain or a move is written with: nothing that a query would have to encode."""

RETURN = re.compile(r"https?://[^\s?#=&%\"'<>\\]+")
"""A return address: no query, and nothing that an interface would split on or would have to decode."""

COLOUR = re.compile(r"[0-9A-Fa-f]{6}")


def escape(text: str) -> str:
    """Return a text as JavaScript's `escape` writes it: `%XX` up to the character 255, `%uXXXX` for the rest in UTF-16."""
    octets = text.encode("utf-16-be", "surrogatepass")
    units = [octets[at] << 8 | octets[at + 1] for at in range(0, len(octets), 2)]
    return "".join(chr(unit) if unit in KEPT else f"%{unit:02X}" if unit < 256 else f"%u{unit:04X}" for unit in units)


@value
class Surroundings:
    """What the site, not the game, tells an interface."""

    names: Pair = NEITHER
    legend: str | None = None
    """The words of the phrase, or of anything else that the site wants to say under the board."""
    count: str | None = None
    """How many moves have been played, in the site's words; None: the number alone."""
    returns: str | None = None
    """Where the move goes: an http(s) address whose path holds its secret."""
    wait: int | None = None
    """Tenths of a second between a move and what it does."""
    mute: bool = False
    colour: str | None = None
    """What surrounds the iframe, six hexadecimal digits."""
    web_test: bool = False


PLAINLY = Surroundings()


@value
class Shown:
    """The parameters of an interface that the game settles."""

    set: str
    """The game, as the wire writes it."""
    tray: str | None = None
    method: Method = "Standard"
    moves: Pair = NEITHER
    gains: Pair = NEITHER
    count: int | None = None
    """How many moves have been played."""
    asks: Seat | None = None
    """Whose move, fleet or code is to be entered."""
    legend: Phrase | None = None
    heard: str | None = None
    """The umpire's announcements as codes, in Kriegspiel."""
    side: Seat | None = None
    """Who sits below, on a board that is looked at from two sides; None: the first player."""
    foreign: bool = False
    """Whether tray, moves and gains are the words of an added game, and may hold what a query must encode."""

    def query(self, site: Surroundings = PLAINLY) -> str:
        """Return the query string of the interface; `ProtocolError` where the site gives what cannot be sent."""
        if site.returns is not None and not RETURN.fullmatch(site.returns):
            raise ProtocolError(
                "not an http(s) address without query, '=', '&' and '%%': %(returns)r", returns=shorten(site.returns)
            )
        if site.colour is not None and not COLOUR.fullmatch(site.colour):
            raise ProtocolError("a colour is six hexadecimal digits, not %(colour)r", colour=shorten(site.colour))
        write = _foreign if self.foreign else plain
        count = str(self.count) if site.count is None and self.count is not None else site.count
        fields = {
            "Set": self.set,
            "Method": self.method,
            "Name1": escape(site.names[0] or ""),
            "Name2": escape(site.names[1] or ""),
            "Tray": write(self.tray),
            "Move1": write(self.moves[0]),
            "Move2": write(self.moves[1]),
            "Gain1": write(self.gains[0]),
            "Gain2": write(self.gains[1]),
            "Heard": plain(self.heard),
            "Side": "" if self.side is None else SEATS[self.side],
            "Count": escape(count or ""),
            "Legend": escape(site.legend or ""),
            "Wait": "" if site.wait is None else str(site.wait),
            "Mute": "yes" if site.mute else "",
            "Color": site.colour,
            "WebTest": "yes" if site.web_test else "",
            # Interfaces that take moves as they read them believe the last word about who is to move: the input comes last.
            "Input": "" if self.asks is None else SEATS[self.asks],
            "URLReturn": site.returns,
        }
        return "&".join(f"{key}={text}" for key, text in fields.items() if text)


def plain(text: str | None) -> str:
    """Return what a game wrote, nothing for nothing; a game that writes what cannot be sent is a mistake of ours."""
    if not PLAIN.fullmatch(text or ""):
        raise AssertionError(f"an interface cannot read {text!r}")
    return text or ""


def _foreign(text: str | None) -> str:
    """Return what an added game wrote: plain characters as they are, others as `escape` writes them."""
    return "" if text is None else text if PLAIN.fullmatch(text) else escape(text)


def by(seat: Seat, text: str | None) -> Pair:
    """Return a pair in which one seat alone has something."""
    return (text, None) if seat == 0 else (None, text)


class ScreenWire(ABC):
    """What the interfaces of one game are told."""

    labels: ClassVar[Mapping[str, str]] = {}
    """What the buttons of its interface are called for those who do not see them: interfaces hold no words, pages tell them."""
    turns: bool = False
    """Whether the board is looked at from two sides."""

    def __init__(self, game: AnyGame, tray: EngineWire, people: frozenset[Seat] = frozenset()) -> None:
        self.game = game
        self.tray = tray
        self.name = tray.name
        """The value of `Set`."""
        self.people = people
        """Where persons sit, as far as that is known; Seafight lays its boards out for them."""

    @abstractmethod
    def show(self, view: Any, eye: Eye, *, before: Any = None, asks: Seat | None = None) -> Shown:
        """Return what an interface shows to `eye`.

        `view` is what that eye sees now and `before` what it saw before the last transition, None where nothing is to be shown
        moving. `asks` is the seat whose input is wanted: only then is there any mark of where it may play.
        """

    def between(self, view: Any, before: Any) -> Shown | None:  # noqa: ARG002 - in most games nothing is missed
        """Return what is to be shown for a moment before `view`, where it would be missed: a hand of cards that is over."""
        return None

    def nothing(self) -> Shown:
        """Return what an interface gets between two games: no board."""
        return Shown(self.name, method="None")

    def over(self, view: Any) -> bool:
        """Tell whether the game has ended; in a game with secrets, a view tells in its own way."""
        return isinstance(self.game.phase(view), Outcome)

    def method(self, view: Any) -> Method:
        """Return `End` or `Standard`, all that most games know."""
        return "End" if self.over(view) else "Standard"


class OpenScreen(ScreenWire):
    """A board that everybody sees alike."""

    def show(self, view: Any, eye: Eye, *, before: Any = None, asks: Seat | None = None) -> Shown:  # noqa: ARG002 - no secrets
        """Return the board, the last move, and whatever the game adds."""
        asked = asks if not self.over(view) and asks == view.mover else None
        return Shown(
            self.name,
            tray=self.cells(view, before, asked),
            method=self.method(view),
            moves=self.moves(view, before),
            gains=self.tray.gains(view) or NEITHER,
            count=view.turn - 1,
            asks=asked,
            legend=self.legend(view, before, asked),
        )

    def cells(self, view: Any, before: Any, asks: Seat | None) -> str:  # noqa: ARG002 - some games mark nothing
        """Return the tray with its marks."""
        return self.tray.write(view, FIRST)

    def moves(self, view: Any, before: Any) -> Pair:
        """Return the last move of who made it."""
        return NEITHER if before is None else by(before.mover, self.tray.last(before, view, other(before.mover)))

    def legend(self, view: Any, before: Any, asks: Seat | None) -> Phrase | None:  # noqa: ARG002 - most games say nothing
        """Return what there is to say."""
        return None


BETWEEN = "***"


class TwoBoards(ScreenWire):
    """A game in which each prepares a secret and then looks for the other's."""

    def show(self, view: Any, eye: Eye, *, before: Any = None, asks: Seat | None = None) -> Shown:
        """Return both boards and the secrets that the viewer may see; in turn 1, the preparation of his own."""
        if view.turn == 1 and asks is not None:
            return Shown(self.name, method="Prepare", count=0, asks=asks, legend=Phrase.READY)
        over = self.over(view)
        return Shown(
            self.name,
            tray=BETWEEN.join(self.half(view, seat) for seat in (FIRST, SECOND)),
            method="End" if over else self.layout(eye),
            moves=NEITHER if before is None else self.moves(before, view),
            gains=(self.secret(view, FIRST), self.secret(view, SECOND)),
            count=0 if view.turn == 1 else view.turn - 1,
            asks=asks if not over and asks == Seat((view.turn - 1) % 2) else None,
        )

    def half(self, view: Any, seat: Seat) -> str:
        """Return what a player shot or guessed."""
        return self.tray.write(view, seat)

    def moves(self, before: Any, view: Any) -> Pair:  # noqa: ARG002 - MasterMind tells no moves
        """Return the last move of who made it."""
        return NEITHER

    @abstractmethod
    def secret(self, view: Any, seat: Seat) -> str | None:
        """Return what the viewer may know of a player's secret."""

    def layout(self, eye: Eye) -> Method:  # noqa: ARG002 - Seafight alone has several
        """Return how the boards are laid out while the game lasts."""
        return "Standard"
