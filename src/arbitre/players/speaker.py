"""The other way round: an engine of the house that speaks another program's language, so that it can be loaded there.

A `Speaker` hears a line and says lines. It thinks while a line is being answered, so what comes meanwhile waits: every level of
the house ends by itself. What it cannot understand it reports as its language does, and goes on.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from random import Random
from typing import Any, ClassVar, TextIO

from arbitre.errors import PlayerStringError
from arbitre.games.catalogue import fetch, listing
from arbitre.games.game import AnyGame, Awaits
from arbitre.games.levels import Make, house_bot, prepare
from arbitre.games.notation import AnyNotation, notation_of
from arbitre.games.player import Bot, Position

SPEAKERS = {
    "gomocup": "arbitre.players.gomocup:GomocupSpeaker",
    "gtp": "arbitre.players.gtp:GtpSpeaker",
    "hub": "arbitre.players.hub:HubSpeaker",
    "nboard": "arbitre.players.nboard:NBoardSpeaker",
}
"""Where the speaker of each language is."""

LONGEST_LINE = 1 << 20
"""Characters of a line that is read; what follows is not."""


class Speaker(ABC):
    """One engine of the house, at the end of somebody's pipe."""

    games: ClassVar[tuple[str, ...]]
    options: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    """Options of games that are usual among programs of this language."""

    def __init__(self, game: AnyGame, make: Make, title: str, seed: int | None = None) -> None:
        self.game = game
        self.notation: AnyNotation = notation_of(game)
        self.title = title
        """What it calls itself."""
        self.over = False
        """Whether it was told to quit."""
        self._make = make
        self._seed = seed
        self.bot: Bot
        self.begin()

    def begin(self) -> None:
        """Begin a game: what was thought before is forgotten."""
        self.bot = self._make(Random(self._seed))

    @abstractmethod
    def hear(self, line: str) -> Iterator[str]:
        """Hear a line without its end; return what is said to it."""

    def think(self, state: Any, left: int | None = None) -> Any:
        """Return a move; `left` is what the clock shows, in milliseconds."""
        phase = self.game.phase(state)
        if not isinstance(phase, Awaits):  # no game of these languages draws lots
            raise PlayerStringError("the game is over: there is no move")
        seat = min(phase.seats)
        view = self.game.view(state, seat)
        said = self.bot.move(Position(self.game, self.notation, seat, phase.turn, view, left))
        return self.notation.read(said, view)

    def after(self, state: Any, move: Any) -> Any:
        """Return the state after a legal move; `MoveError` where it is none."""
        phase = self.game.phase(state)
        self.game.check(state, move)
        return self.game.play(state, {min(phase.seats): move}) if isinstance(phase, Awaits) else state


def make_speaker(
    language: str, name: str, options: Mapping[str, object], level: int | None = None, seed: int | None = None
) -> Speaker:
    """Return the house's engine of a game, speaking a language; options of the game are those of its usual players there."""
    cls: type[Speaker] = fetch(SPEAKERS[language])
    if name not in cls.games:
        raise PlayerStringError(
            "%(language)s is a language of %(games)s, not of %(name)s",
            language=language,
            games=", ".join(cls.games),
            name=name,
        )
    game = listing(name).game({**cls.options.get(name, {}), **options})
    make, number = house_bot(game, level)
    prepare([make])
    return cls(game, make, f"Arbitre {listing(name).called()} {number}", seed)


def converse(speaker: Speaker, heard: Iterable[str], said: TextIO | None = None) -> None:
    """Speak until the input ends, or somebody says that it does."""
    out = said or sys.stdout
    with suppress(BrokenPipeError):
        for line in heard:
            for answer in speaker.hear(line[:LONGEST_LINE].rstrip("\r\n")):
                out.write(answer + "\n")
            out.flush()
            if speaker.over:
                return


def milliseconds(text: str, unit: int = 1) -> int | None:
    """Return a span of time that a program wrote, in units of so many milliseconds; None where it is no number."""
    try:
        return max(0, min(10**12, round(float(text) * unit)))
    except (ValueError, OverflowError):
        return None
