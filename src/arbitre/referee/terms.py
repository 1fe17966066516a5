"""What is agreed before the first move: the terms of a match, and the opening that calls it.

The opening is the first event of every record. It names everything that a verifier needs to make the same table again: the game
with its options, the start position, the terms, who sits where, what was committed; and whose key will seal the record.
"""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Any

from arbitre.errors import ArbitreError, RecordError, TermsError, shorten
from arbitre.games.catalogue import game, options_of
from arbitre.games.game import AnyGame
from arbitre.games.notation import notation_of
from arbitre.records.event import KEY, LARGEST_INTEGER, canonical, read_known
from arbitre.referee.agreement import ScoreTerms, read_agreement
from arbitre.referee.clock import Clock, read_clock, write_clock
from arbitre.values import value

FORMAT = 2
"""The format of records that this program knows."""

LONGEST_NAME = 80

LONGEST_WITHIN = 31 * 86_400
"""Seconds after which an entry that was promised to a log is there."""

NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]{1,80}")
"""What a name consists of: no Unicode tables, which differ between versions of a language."""

PUBLIC = re.compile("[0-9a-f]{64}")
"""A public key, or a commitment."""


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
    agree: ScoreTerms | None = None
    """When the match is adjudicated because both sides say how it stands; None: never."""

    def __post_init__(self) -> None:
        if self.refusals is not None and not 0 <= self.refusals <= 1_000_000:
            raise TermsError("a number of refusals is 0 to 1000000, not %(refusals)s", refusals=shorten(str(self.refusals)))
        if self.turns is not None and not 1 <= self.turns <= 1_000_000:
            raise TermsError("a number of turns is 1 to 1000000, not %(turns)s", turns=shorten(str(self.turns)))


DUEL = "duel"
"""What plays on the chair of a peer of the draughts league."""


RECORDS, AFTER = "records", "after"
"""The note of an opening whose record is handed over, signed and sealed when its event is over, and what it says."""


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

    def __post_init__(self) -> None:
        if not PUBLIC.fullmatch(self.key) or not 0 < self.within <= LONGEST_WITHIN:
            raise TermsError("no log has the key %(key)r and takes %(within)s seconds", key=shorten(self.key), within=self.within)

    def fields(self) -> dict[str, object]:
        """Return what the opening says of it."""
        return {"key": self.key, "within": self.within}


@value
class Opening:
    """Everything that is fixed when a match is called."""

    match: str
    """Its name, unique among those of one referee's key."""
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
    referee: str = ""
    """The public key of the referee: no other can seal the record. Empty in a draft only."""
    opened: int = 0
    """When the match was called, in seconds of UTC since 1970: the referee's word."""
    log: LogTerms | None = None

    def __post_init__(self) -> None:
        if len(self.chairs) != self.game.seats:
            raise TermsError(
                "%(name)s has %(seats)s seats, not %(chairs)s",
                name=self.game.name,
                seats=self.game.seats,
                chairs=len(self.chairs),
            )
        if self.terms.agree is not None and (self.game.seats != 2 or self.game.neutral):
            raise TermsError("agree: only for two sides, in games that we judge ourselves")
        for chair in self.chairs:
            check_name(chair.name)
            if chair.key and not PUBLIC.fullmatch(chair.key):
                raise TermsError("%(key)r is no public key", key=shorten(chair.key))
        if self.start:  # in its one form, so that a record has no other
            notation = notation_of(self.game)
            object.__setattr__(self, "start", notation.write_state(notation.read_state(self.start)))
        for seat, promise in (self.promises or {}).items():
            if not (0 <= seat < self.game.seats and PUBLIC.fullmatch(promise)):
                raise TermsError(
                    "seat %(seat)s promises %(promise)r, which is no commitment of a player at this table",
                    seat=seat,
                    promise=shorten(promise),
                )
        for name in self.notes or ():
            if not KEY.fullmatch(name):
                raise TermsError("%(name)r is no name of a note: letters a to z, digits, _ and -", name=shorten(name))
        if self.referee and not PUBLIC.fullmatch(self.referee):
            raise TermsError("%(key)r is no public key", key=shorten(self.referee))
        if not 0 <= self.opened <= LARGEST_INTEGER:
            raise TermsError("no match was opened at %(opened)s", opened=shorten(str(self.opened)))

    @property
    def keys(self) -> tuple[str, ...]:
        """The public keys of the seats, empty where there is none."""
        return tuple(chair.key for chair in self.chairs)

    @property
    def agreeing(self) -> frozenset[int]:
        """The seats that are to agree to the opening: they have a key, or promised a nonce."""
        return frozenset(seat for seat, chair in enumerate(self.chairs) if chair.key) | frozenset(self.promises or ())

    @property
    def after(self) -> bool:
        """Whether the record, with its seed, leaves the house only when the event is over that the match belongs to."""
        return (self.notes or {}).get(RECORDS) == AFTER

    @property
    def title(self) -> str:
        """What is played."""
        return self.game.name

    def text(self) -> str:
        """Return the opening as canonical JSON."""
        terms = self.terms
        return canonical(
            {
                "arbitre": FORMAT,
                "chairs": [{"key": chair.key, "name": chair.name, "player": chair.player} for chair in self.chairs],
                "commitment": self.commitment,
                "game": self.game.name,
                "log": None if self.log is None else self.log.fields(),
                "match": self.match,
                "notes": dict(self.notes or {}),
                "opened": self.opened,
                "options": options_of(self.game),
                "promises": {str(seat): promise for seat, promise in (self.promises or {}).items()},
                "referee": self.referee,
                "start": self.start,
                "terms": {
                    "acknowledge": terms.acknowledge,
                    "clock": write_clock(terms.clock),
                    "refusals": terms.refusals,
                    "resign": terms.resign,
                    "turns": terms.turns,
                }
                | ({} if terms.agree is None else {"agree": terms.agree.text()}),
            }
        )


def read_opening(text: str) -> Opening:
    """Return the opening that `Opening.text` wrote; `RecordError` where it is not in form."""
    match read_known(text):
        case {
            "arbitre": 2,
            "chairs": list(chairs),
            "commitment": str(commitment),
            "game": str(name),
            "log": dict() | None as log,
            "match": str(ident),
            "notes": dict(notes),
            "opened": int(opened),
            "options": dict(options),
            "promises": dict(promises),
            "referee": str(referee),
            "start": str(start),
            "terms": dict(terms),
        } if all(isinstance(note, str) for note in notes.values()) and not isinstance(opened, bool):
            pass
        case _:
            raise RecordError("the opening is not in form")
    try:
        table = game(name, options)
        if len(chairs) != table.seats:  # thousands of chairs are not worth reading
            raise TermsError("%(name)s has %(seats)s seats, not %(chairs)s", name=name, seats=table.seats, chairs=len(chairs))
        seated = tuple(Chair(_text(one, "name"), _text(one, "player"), _text(one, "key")) for one in chairs)
        sworn = {int(seat): str(promise) for seat, promise in promises.items()} or None
        opening = Opening(
            ident, table, seated, commitment, _terms(terms), start, sworn, notes or None, referee, opened, read_log(log)
        )
    except RecordError:
        raise
    except (ArbitreError, ValueError, TypeError) as error:
        raise RecordError("the opening is not sound: %(error)s", error=error) from None
    if opening.text() != text:
        raise RecordError("the opening is not in canonical form")
    return opening


def seconds_of(day: str) -> int:
    """Return when a day begins, `2026-11-16`, in seconds of UTC since 1970; 0 where it is none."""
    try:
        return int(datetime.combine(date.fromisoformat(day), time(), UTC).timestamp())
    except ValueError:
        return 0


def check_name(name: str) -> None:
    """Refuse a name that no record may hold."""
    if not NAME.fullmatch(name) or name.startswith(" ") or name.endswith(" "):
        raise TermsError(
            "a name is one line of 1 to 80 characters, none of which steers the text, with no space at either end: not %(name)r",
            name=shorten(name),
        )


def read_log(fields: object) -> LogTerms | None:
    """Return what an opening says of a log."""
    match fields:
        case None:
            return None
        case {"key": str(key), "within": int(within), **rest} if not rest and not isinstance(within, bool):
            return LogTerms(key, within)
        case _:
            raise RecordError("the log is not in form")


def _terms(fields: dict[str, Any]) -> Terms:
    match fields:
        case {
            "acknowledge": bool(acknowledge),
            "clock": str(clock),
            "refusals": int() | None as refusals,
            "resign": bool(resign),
            "turns": int() | None as turns,
        } if not isinstance(refusals, bool) and not isinstance(turns, bool):
            agree = None if "agree" not in fields else read_agreement(str(fields["agree"]))
            return Terms(read_clock(clock), refusals, resign, acknowledge, turns, agree)
        case _:
            raise RecordError("the terms are not in form")


def _text(fields: object, key: str) -> str:
    if isinstance(fields, dict) and isinstance(fields.get(key), str):
        return str(fields[key])
    raise RecordError("a chair is not in form")
