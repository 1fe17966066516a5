"""What happens in a match, one value per happening, and its canonical line.

*Inputs* come from outside and are taken down as they came; *outputs* follow from the inputs by the rules alone. To verify a
record is to feed its inputs to the same judge and to find the same outputs.

The line is JSON with the five keys in alphabetical order, no spaces, UTF-8, and only the escapes that JSON demands, so one event
has one line and one line is one event. Keys of canonical JSON are small ASCII letters, digits, `_` and `-`, so every language
sorts them alike; strings are Unicode scalar values, as they were said, never normalised.
"""

import json
import re
from collections.abc import Callable
from enum import StrEnum
from json.encoder import encode_basestring as quoted
from typing import Final, NamedTuple

from arbitre.errors import RecordError
from arbitre.reasons import Reason, read_plain, recorded
from arbitre.reasons import plain as as_plain

NOBODY: Final = -1
"""The seat of events that concern the whole table."""

LONGEST_LINE = 1 << 20
"""Octets: no event needs more than this; a longer line is refused unread."""

MOST_EVENTS = 1 << 17
MOST_OCTETS = 1 << 25
"""No record has more; a match that comes near is ended (`Match`)."""

LONGEST_NOTE = 4096
"""Octets of what a player says about its move."""

KEY = re.compile(r"[a-z0-9_-]+")
"""A key of canonical JSON."""

LONGEST_FIELD = 1_000
"""Characters of a text within a reason."""

LARGEST_INTEGER = 2**53 - 1
"""No number of a record is larger: every language reads these exactly."""


class Kind(StrEnum):
    """What kind of thing happened."""

    OPENED = "opened"
    """Input. The match is called: the text holds the opening, as canonical JSON."""
    AGREED = "agreed"
    """Input. A seat with a key or a promise has seen the opening: the text is JSON with its `nonce` and its `signature`, each in
    hexadecimal, null where it gave no promise or no key."""
    DECLINED = "declined"
    """Input. A seat does not play by this opening; the text is its code. By nobody's seat: a person did not come to agree in
    time, and the match is not played; the text is the reason."""
    SAID = "said"
    """Input. A player who was asked answers: the text is the move as it was said."""
    TICKED = "ticked"
    """Input. The referee looks at the clock: whoever has used up the time is late. By a seat: the limit of its own wire is over,
    with a clock or without one. The text is the reason, empty where nothing is known."""
    RESIGNED = "resigned"
    """Input. A player gives up; the text is the reason, empty where none was given."""
    LEFT = "left"
    """Input. A player is gone: crashed, hung up, never came. The text is the reason. By nobody's seat: none of them ever came."""
    GARBLED = "garbled"
    """Input. A player broke the protocol of the wire, so that no move could be made out. The text is the reason."""
    ABANDONED = "abandoned"
    """Input. The referee's own house failed. The text is the reason; it is nobody's result."""
    RESUMED = "resumed"
    """Input. The referee was away and is back: whoever is waited for is asked anew, and the time between is nobody's."""
    ACKNOWLEDGED = "acknowledged"
    """Input. A player acknowledges the other's resignation, which opens the secrets."""
    OFFERED = "offered"
    """Input. A player offers a draw; it stands until another player moves."""
    SETTLED = "settled"
    """Input. A player takes the draw that another offers; when all have, the match is over."""
    NOTED = "noted"
    """Input. What a player says about its move: secret until the end, never judged."""
    STRAY = "stray"
    """Input. Somebody said something out of turn: kept, unjudged."""

    DRAWN = "drawn"
    """Output. Nature's integer and how many there were to choose from: `29/52`."""
    ASKED = "asked"
    """Output. A player is asked for a move; the text is the time left in milliseconds, empty without a clock. Where the seat has
    a key it is JSON: `left`, null without a clock, and `view`, the hash of what the player is shown."""
    REFUSED = "refused"
    """Output. What was said is no legal move; the text is the reason."""
    ANNOUNCED = "announced"
    """Output. What the referee tells everybody in between: the issue of a round, as canonical JSON."""
    ENDED = "ended"
    """Output. The match is over: the text holds the verdict, as canonical JSON."""
    REVEALED = "revealed"
    """Output. The secrets are open: the text is the seed, in hexadecimal."""


def noted(text: str) -> str:
    """Return what a player says about its move as a record keeps it: cleaned, and cut where it is too long."""
    return clean(text).encode()[:LONGEST_NOTE].decode("utf-8", "ignore")


OUTPUTS = frozenset({Kind.DRAWN, Kind.ASKED, Kind.REFUSED, Kind.ANNOUNCED, Kind.ENDED, Kind.REVEALED})

KINDS = {kind.value: kind for kind in Kind}


class Event(NamedTuple):
    """One happening, `at` milliseconds after the match was called (0 throughout where no clock runs).

    A named tuple, because every ply makes several.
    """

    kind: Kind
    at: int
    seat: int
    turn: int
    text: str

    def line(self) -> str:
        """Return the canonical line, without its end."""
        return f'{{"at":{self.at},"kind":"{self.kind.value}","seat":{self.seat},"text":{quoted(self.text)},"turn":{self.turn}}}'

    def weight(self) -> int:
        """Return how many octets the judge counts for the line: never less than it has, and quick to say."""
        text = quoted(self.text)
        return 96 + len(text if text.isascii() else text.encode())


def read_event(line: str) -> Event:
    """Return the event of a canonical line; `RecordError` for anything else, however it may look."""
    match read_known(line):
        case {"at": int(at), "kind": str(kind), "seat": int(seat), "text": str(text), "turn": int(turn)} if kind in KINDS:
            event = Event(KINDS[kind], at, seat, turn, text)
        case _:
            raise RecordError("no event has this form")
    if not (0 <= at <= LARGEST_INTEGER and NOBODY <= seat <= LARGEST_INTEGER and 0 <= turn <= LARGEST_INTEGER):
        raise RecordError("a number is out of bounds")
    if event.line() != line:
        raise RecordError("not in canonical form")
    return event


def read_known(line: str) -> dict[str, object]:
    """Return the JSON object of a line where the reader knows all keys, and compares the line with what it would write."""
    return _loaded(line, json.loads)


def read_object(line: str) -> dict[str, object]:
    """Return the JSON object of a line, all of whose keys are such as canonical JSON has; `RecordError` for anything else."""
    return _loaded(line, READER.decode)


def _loaded(line: str, load: Callable[[str], object]) -> dict[str, object]:
    if len(line) > LONGEST_LINE or (not line.isascii() and len(line.encode("utf-8", "surrogatepass")) > LONGEST_LINE):
        raise RecordError("a line of more than %(most)s octets", most=LONGEST_LINE)
    try:
        fields = load(line)
    except (ValueError, RecursionError):
        raise RecordError("not JSON") from None
    if not isinstance(fields, dict):
        raise RecordError("not a JSON object")
    return fields


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    for key, _ in pairs:
        if not KEY.fullmatch(key):
            raise RecordError("%(key)r is no key of canonical JSON: letters a to z, digits, _ and -", key=key[:80])
    return dict(pairs)


READER = json.JSONDecoder(object_pairs_hook=_members)
WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def canonical(fields: object) -> str:
    """Return a value as canonical JSON: keys in order, no spaces, no needless escapes."""
    return WRITER.encode(fields)


def write_reason(what: object) -> str:
    """Return a reason, or what an error of ours says, as it enters a record: code and fields as canonical JSON, bounded."""
    return canonical(_bounded(as_plain(recorded(what))))


def reason_text(reason: Reason) -> str:
    """Return a reason that somebody else wrote as it was written, whether or not its code is known here."""
    return canonical(as_plain(reason))


def _bounded(field: object) -> object:
    if isinstance(field, dict):
        return {name: _bounded(one) for name, one in field.items()}
    return clean(field, LONGEST_FIELD) if isinstance(field, str) else field


def read_reason(text: str) -> Reason:
    """Return the reason that `write_reason` wrote; `RecordError`."""
    found = read_plain(read_object(text))
    if found is None or canonical(as_plain(found)) != text:
        raise RecordError("no reason has this form")
    return found


def plain(text: str) -> str:
    """Return what somebody said so that it can be shown: a terminal must not obey it, and a line stays one line."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() or one == "\N{NO-BREAK SPACE}" else one.encode("unicode_escape").decode() for one in text
    )


def clean(text: str, most: int = 4096) -> str:
    """Return what was said so that it can be recorded: bounded, and without halves of characters."""
    return text[:most].encode("utf-8", "replace").decode("utf-8")
