"""The course of a game by file: its log, entry by entry, before the one judge (spec: kriegspiel, section 2).

An entry is an input of `Match`, with any number of refusals, no clock, and secrets closed until a resignation is acknowledged:

=========  =======================================================================================================
`St:TRY`   seat S tries a move (classic)
`Sp:A,B`   seat S signs an ordered list of tries (planned tries)
`Sj`       the other seat's program adjudicates the list: the first try that is possible is made
`Sr`       S resigns
`Sx`       S accuses the referee of a mistake, which forfeits the game, and stays as closed as a resignation
`Sa`       S acknowledges, which opens the secrets
=========  =======================================================================================================

The first two entries of a log, in JSON, are no inputs: they seat Black, who calls the game, and White.
"""

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

from arbitre.crypto.chain import commitment, derive
from arbitre.crypto.keys import Key
from arbitre.errors import GameFileError, shorten
from arbitre.games.catalogue import game
from arbitre.games.game import Awaits, Seat
from arbitre.games.kriegspiel.rules import Told, Truth
from arbitre.kref.file import VERSION, Entry, canonical, identity
from arbitre.reasons import Reason, declare
from arbitre.records.event import Event, Kind, clean, write_reason
from arbitre.referee.match import Match
from arbitre.referee.terms import Chair, Opening, Terms, seconds_of

Mode = Literal["classic", "planned"]
MODES: tuple[Mode, ...] = get_args(Mode)
TERMS = Terms(refusals=None, acknowledge=True)
ENTRY = re.compile(r"([01])([tprxaj])(?::(.{0,2000}))?", re.DOTALL)
LONGEST_TRY, MOST_PLANNED = 20, 60
declare({"accused-referee": ("accused the referee of a mistake", "a accusé l’arbitre d’une erreur")})
ACCUSED = Reason("accused-referee")


class Ruling(NamedTuple):
    """What the umpire answered to one try."""

    text: str
    made: bool
    said: Told
    """What he said aloud, to the end of the turn and the beginning of the next."""


class Step(NamedTuple):
    """One try: whose, what was said, and the truth before and after it."""

    seat: Seat
    text: str
    before: Truth
    after: Truth

    @property
    def made(self) -> bool:
        """Whether a piece was moved."""
        return self.after.board is not self.before.board


class Call(NamedTuple):
    """The first entry: how Black called the game."""

    name: str
    mode: Mode
    options: Mapping[str, object]
    seed: bytes
    black: Entry
    date: str
    """The day on which it was called, by Black's clock: 2026-11-16."""
    site: str = ""
    """The address of the site that judges; nothing where the players' programs do."""

    def fields(self) -> dict[str, object]:
        """Return what Black says, which is everything but the seed."""
        said = {"mode": self.mode, "name": self.name, "options": dict(self.options), "site": self.site}
        return {**said, "black": self.black.fields(), "date": self.date, "ksg": VERSION}

    def text(self) -> str:
        """Return the entry."""
        return canonical({**self.fields(), "seed": self.seed.hex()})


def referee_key(call: Call) -> Key:
    """Return the key that seals the record of a game by file: it follows from the file, so both players make the same record."""
    return Key(derive(call.seed, "ksg/referee"))


class Course:
    """The judge hearing a log, entry by entry."""

    def __init__(self, call: Call, white: Entry) -> None:
        opening = Opening(
            identity(call.text()),
            game("kriegspiel", call.options),
            (Chair(white.name, "human"), Chair(call.black.name, "human")),  # their keys sign the file, not the record
            commitment(call.seed),
            TERMS,
            notes={"date": call.date, "event": call.name},
            referee=referee_key(call).public.hex(),
            opened=seconds_of(call.date),
        )
        self.mode = call.mode
        self.match = Match(opening, call.seed)
        self.affairs, outputs = self.match.open()
        self.events = list(outputs)
        self.plan: tuple[Seat, tuple[str, ...]] | None = None
        self.rulings: list[Ruling] = []
        """What followed from the last entry."""
        self.start: Truth = self.affairs.truth
        self.steps: list[Step] = []
        """Every try that was judged."""

    @property
    def turn(self) -> int:
        """The turn that is being played."""
        return self.affairs.phase.turn if isinstance(self.affairs.phase, Awaits) else 0

    def hear(self, entry: str) -> Seat:
        """Take one entry; return whose it is."""
        found = ENTRY.fullmatch(entry)
        if found is None:
            raise GameFileError("no entry reads %(entry)r", entry=shorten(entry))
        seat, kind, text = Seat(int(found[1])), found[2], found[3]
        if (text is not None) != (kind in "tp"):
            raise GameFileError("no entry reads %(entry)r", entry=shorten(entry))
        self.rulings = []
        if kind == "t" and self.mode == "classic":
            self._try(seat, text)
        elif kind == "p" and self.mode == "planned":
            self._planned(seat, text)
        elif kind == "j" and self.plan is not None and self.plan[0] != seat:
            self._adjudicate()
        elif kind in "rx":
            self._feed(Event(Kind.RESIGNED, 0, seat, 0, write_reason(ACCUSED) if kind == "x" else ""))
            self.plan = None
        elif kind == "a":
            self._feed(Event(Kind.ACKNOWLEDGED, 0, seat, 0, ""))
        else:
            raise GameFileError("nothing calls for the entry %(entry)r", entry=shorten(entry))
        return seat

    def _feed(self, event: Event) -> None:
        event, self.affairs, outputs = self.match.take(self.affairs, event)
        self.events += (event, *outputs)

    def _try(self, seat: Seat, text: str) -> None:
        before: Truth = self.affairs.truth
        self._feed(Event(Kind.SAID, 0, seat, self.turn, clean(text, LONGEST_TRY)))
        after: Truth = self.affairs.truth
        self.steps.append(Step(seat, text, before, after))
        self.rulings.append(Ruling(text, self.steps[-1].made, after.heard[len(before.heard) :]))

    def _planned(self, seat: Seat, text: str) -> None:
        tries = tuple(text.split(","))
        if self.plan is not None or not self.match.awaits(self.affairs, seat) or len(tries) > MOST_PLANNED:
            raise GameFileError("no plan was due")
        self.plan = (seat, tries)

    def _adjudicate(self) -> None:
        assert self.plan is not None  # noqa: S101 - for the type checker: the caller looked
        seat, tries = self.plan
        self.plan = None
        for text in tries:
            self._try(seat, text)
            if self.rulings[-1].made or self.affairs.verdict is not None:
                break
