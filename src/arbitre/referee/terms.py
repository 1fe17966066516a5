"""What is agreed before the first move: the terms of a match, and the opening that calls it.

The opening is the first event of every record. It names everything that a verifier needs to make the same table again: the game
with its options, the start position, the terms, who sits where, and what was committed.
"""

import re
from collections.abc import Mapping
from typing import Any

from arbitre.errors import ArbitreError, RecordError, TermsError, shorten
from arbitre.games.catalogue import game, options_of
from arbitre.games.game import AnyGame
from arbitre.records.event import canonical, read_object
from arbitre.referee.clock import Clock, read_clock, write_clock
from arbitre.values import value

LONGEST_NAME = 80

LONGEST_WITHIN = 31 * 86_400
"""Seconds after which an entry that was promised to a log is there."""


@value
class Terms:
    """How the match is played, whatever the game."""

    clock: Clock = Clock()
    refusals: int | None = 0
    """How many illegal moves a player may say before one costs the match; None: any number."""
    resign: bool = True
    """Whether a player may give up."""
    acknowledge: bool = False
    """Whether secrets stay closed after a resignation until the others have acknowledged it."""
    turns: int | None = None
    """After so many turns the match is adjudicated a draw; None: the game ends by itself."""

    def __post_init__(self) -> None:
        if self.refusals is not None and not 0 <= self.refusals <= 1_000_000:
            raise TermsError("a number of refusals is 0 to 1000000, not %(refusals)s", refusals=shorten(str(self.refusals)))
        if self.turns is not None and not 1 <= self.turns <= 1_000_000:
            raise TermsError("a number of turns is 1 to 1000000, not %(turns)s", turns=shorten(str(self.turns)))


DUEL = "duel"
"""What plays on the chair of a peer of the draughts league."""


@value
class Chair:
    """Who sits on one seat: a name, what plays (a player string, without secrets), and a public key if there is one."""

    name: str
    player: str = ""
    key: str = ""


@value
class LogTerms:
    """The transparency log that the opening and the seal of a match are entered into, each within so many seconds."""

    key: str
    within: int

    def fields(self) -> dict[str, object]:
        """Return what the opening says of it."""
        return {"key": self.key, "within": self.within}


def read_log(given: object) -> LogTerms | None:
    """Return the log that an opening names, None where it names none; `RecordError` where it is not in form."""
    match given:
        case None:
            return None
        case {"key": str(key), "within": int(within), **rest} if (
            not rest and re.fullmatch("[0-9a-f]{64}", key) and type(within) is int and 0 < within <= LONGEST_WITHIN
        ):
            return LogTerms(key, within)
        case _:
            raise RecordError("the log of the opening is not in form")


@value
class Opening:
    """Everything that is fixed when a match is called."""

    match: str
    game: AnyGame
    chairs: tuple[Chair, ...]
    commitment: str
    terms: Terms = Terms()
    start: str = ""
    """The start position as the game's notation writes it; empty for the usual one."""
    promises: Mapping[int, str] | None = None
    """By seat, the commitments of players who mix a nonce into the draws."""
    notes: Mapping[str, str] | None = None
    """What the record is to say besides: date, event, round."""
    log: LogTerms | None = None

    def __post_init__(self) -> None:
        if len(self.chairs) != self.game.seats:
            raise TermsError(
                "%(name)s has %(seats)s seats, not %(chairs)s",
                name=self.game.name,
                seats=self.game.seats,
                chairs=len(self.chairs),
            )
        for chair in self.chairs:
            if len(chair.name) > LONGEST_NAME or not chair.name.isprintable():
                raise TermsError(
                    "a name is one line of at most %(longest_name)s characters, not %(name)r",
                    longest_name=LONGEST_NAME,
                    name=shorten(chair.name),
                )
        for seat, promise in (self.promises or {}).items():
            if not (0 <= seat < self.game.seats and re.fullmatch("[0-9a-f]{64}", promise)):
                raise TermsError(
                    "seat %(seat)s promises %(promise)r, which is no commitment of a player at this table",
                    seat=seat,
                    promise=shorten(promise),
                )

    @property
    def title(self) -> str:
        """What is played."""
        return self.game.name

    def text(self) -> str:
        """Return the opening as canonical JSON."""
        terms = self.terms
        return canonical(
            {
                "arbitre": 2,
                "chairs": [{"key": chair.key, "name": chair.name, "player": chair.player} for chair in self.chairs],
                "commitment": self.commitment,
                "game": self.game.name,
                "log": None if self.log is None else self.log.fields(),
                "match": self.match,
                "notes": dict(self.notes or {}),
                "options": options_of(self.game),
                "promises": {str(seat): promise for seat, promise in (self.promises or {}).items()},
                "start": self.start,
                "terms": {
                    "acknowledge": terms.acknowledge,
                    "clock": write_clock(terms.clock),
                    "refusals": terms.refusals,
                    "resign": terms.resign,
                    "turns": terms.turns,
                },
            }
        )


def read_opening(text: str) -> Opening:
    """Return the opening that `Opening.text` wrote; `RecordError` where it is not in form."""
    match read_object(text):
        case {
            "arbitre": 2,
            "chairs": list(chairs),
            "commitment": str(commitment),
            "game": str(name),
            "log": log,
            "match": str(ident),
            "notes": dict(notes),
            "options": dict(options),
            "promises": dict(promises),
            "start": str(start),
            "terms": dict(terms),
        } if all(isinstance(note, str) for note in notes.values()):
            pass
        case {"arbitre": int(version)} if version != 2:
            raise RecordError("this record has format %(version)s; this program knows format 2", version=version)
        case _:
            raise RecordError("the opening is not in form")
    try:
        table = game(name, options)
        if len(chairs) != table.seats:  # thousands of chairs are not worth reading
            raise TermsError("%(name)s has %(seats)s seats, not %(chairs)s", name=name, seats=table.seats, chairs=len(chairs))
        seated = tuple(Chair(_text(one, "name"), _text(one, "player"), _text(one, "key")) for one in chairs)
        sworn = {int(seat): str(promise) for seat, promise in promises.items()} or None
        opening = Opening(ident, table, seated, commitment, _terms(terms), start, sworn, notes or None, read_log(log))
    except RecordError:
        raise
    except (ArbitreError, ValueError, TypeError) as error:
        raise RecordError("the opening is not sound: %(error)s", error=error) from None
    if opening.text() != text:
        raise RecordError("the opening is not in canonical form")
    return opening


def _terms(fields: dict[str, Any]) -> Terms:
    match fields:
        case {
            "acknowledge": bool(acknowledge),
            "clock": str(clock),
            "refusals": int() | None as refusals,
            "resign": bool(resign),
            "turns": int() | None as turns,
        } if not isinstance(refusals, bool) and not isinstance(turns, bool):
            return Terms(read_clock(clock), refusals, resign, acknowledge, turns)
        case _:
            raise RecordError("the terms are not in form")


def _text(fields: object, key: str) -> str:
    if isinstance(fields, dict) and isinstance(fields.get(key), str):
        return str(fields[key])
    raise RecordError("a chair is not in form")
