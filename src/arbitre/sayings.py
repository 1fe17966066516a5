"""What the rooms below say, in the visitor's language: why a move is refused, a form does not fit, a game has ended.

Rules, referee, wires and community speak English, in records above all, where every octet counts; what they say reaches a page as
a text, live or from a record of last year. So it is translated as a text: `locale/fr/LC_MESSAGES/said.po` holds the sentences
with a place `%(name)s` for each value, and whatever fits a sentence is said in the other language with its values put in. A value
that is a reason or a word of ours is translated too. What fits none, such as a third party's own words, stays as it is.

`tools/messages` reads the sentences from the very places where they are raised, so a new one cannot be forgotten.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

DEEPEST = 4
"""Reasons within reasons that are looked at."""
PLACE = re.compile(r"%\((\w+)\)s")
AGAIN = frozenset(
    {
        "banned", "colour", "error", "fault", "hint", "kind", "meant", "must", "reason", "refused", "role", "sight", "stage",
        "state", "strerror", "text", "told", "wait", "what", "when", "which", "who", "why",
    }
)  # fmt: skip
"""Places whose values are words or sentences of ours."""


class Saying(NamedTuple):
    """A sentence: what stands between its places, what the places are called, and how it is said in the other language."""

    between: tuple[str, ...]
    places: tuple[str, ...]
    other: str

    def fits(self, text: str) -> dict[str, str] | None:
        """Return the values that make the sentence this text, None if none do; in time that grows with the text alone."""
        first, *middle, last = self.between
        if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
            return None
        at, end = len(first), len(text) - len(last)
        values: list[str] = []
        for piece in middle:
            found = text.find(piece, at, end)
            if found < 0:
                return None
            values.append(text[at:found])
            at = found + len(piece)
        return dict(zip(self.places, [*values, text[at:end]], strict=True))


class Sayings:
    """All sentences of one language."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        self._whole = {text: other for text, other in entries.items() if not PLACE.search(text)}
        sayings = [_saying(text, other) for text, other in entries.items() if PLACE.search(text)]
        sayings.sort(key=lambda one: -sum(map(len, one.between)))  # what says more fits better
        self._sayings = [one for one in sayings if one.between[0]]
        self._open = [one for one in sayings if not one.between[0]]
        """Those that begin with a value: it would take whatever stands before them, so they are tried last."""
        self.say = lru_cache(maxsize=2_048)(self._say)

    def _say(self, text: str) -> str:
        """Return a text in this language where it is known, else as it is."""
        return self._known(text, DEEPEST) or text

    def _known(self, text: str, deep: int) -> str | None:
        if (found := self._whole.get(text)) is not None:
            return found
        if not deep:
            return None
        if (found := self._fitting(self._sayings, text, deep)) is not None:
            return found
        what, colon, why = text.partition(": ")  # the shape of many: what is wrong, and why
        if colon and what in self._whole:
            return f"{self._whole[what]} : {self._known(why, deep - 1) or why}"
        return self._fitting(self._open, text, deep)

    def _fitting(self, sayings: list[Saying], text: str, deep: int) -> str | None:
        for saying in sayings:
            if (values := saying.fits(text)) is not None:
                known = {name: self._value(name, value, deep - 1) for name, value in values.items()}
                return PLACE.sub(lambda place, known=known: known[place[1]], saying.other)  # type: ignore[misc]
        return None

    def _value(self, name: str, value: str, deep: int) -> str:
        return (self._known(value, deep) or value) if name.rstrip("23456789") in AGAIN else value


def _saying(text: str, other: str) -> Saying:
    pieces = PLACE.split(text)
    return Saying(tuple(pieces[::2]), tuple(pieces[1::2]), other)


def N_(text: str) -> str:  # noqa: N802 - the usual name: it marks words for the catalogue
    """Mark a text that is translated where it is shown."""
    return text


WORDS = (
    N_("illegal-move"), N_("protocol-error"), N_("out-of-time"), N_("disconnected"), N_("resigned"), N_("adjudicated"),
    N_("rules"), N_("abandoned"), N_("%(kind)s in game %(name)s: %(reason)s"),
    N_("White"), N_("Black"),
    N_("white"), N_("black"), N_("pawn"), N_("knight"), N_("bishop"), N_("rook"), N_("queen"), N_("king"),
    N_("accused the referee of a mistake"), N_("first"), N_("second"), N_("even"), N_("odd"), N_("exceed"), N_("match or raise"),
    N_("after twelve showdowns"), N_("after ninety-nine hands"),
    N_("announced"), N_("running"), N_("over"), N_("cancelled"), N_("waiting"), N_("accepted"), N_("declined"), N_("withdrawn"),
    N_("engine"), N_("interface"), N_("player"), N_("organiser"), N_("teacher"), N_("operator"), N_("open"),
    N_("added game"), N_("the turn number"), N_("the referee"), N_("seat %(number)s"), N_("answered no move"),
    N_("%(fault)s; %(hint)s"),
    N_("%(count)s seconds"), N_("%(count)s minutes"), N_("Connection refused"), N_("five in a row"), N_("five captured pairs"),
    N_("white has no piece left"), N_("black has no piece left"), N_("white cannot move"), N_("black cannot move"),
    N_("status %(status)s ended the call itself"), N_("we hung up before the call had ended"),
    N_("the external referee: %(reason)s"),
    N_("did not come within %(count)s minutes"), N_("did not come within %(count)s minute"),
    N_("did not come within %(count)s seconds"), N_("withdrew from the competition"), N_("the engine is out of use"),
    N_("a win, says the referee of the game"), N_("a draw, says the referee of the game"),
    N_("%(kind)s in game %(name)s: %(reason)s"), N_("the %(role)s forfeits: %(why)s"), N_("hung up"), N_("no %(part)s in time"),
    N_("the %(role)s is at %(points)s"),
    N_("the system refused: %(error)s"), N_("Permission denied"), N_("No such file or directory"), N_("Is a directory"),
    N_("Not a directory"), N_("File exists"), N_("No space left on device"), N_("Read-only file system"),
    N_("Operation not permitted"), N_("File name too long"), N_("Too many open files"), N_("Input/output error"),
    N_("Disk quota exceeded"), N_("Address already in use"), N_("Cannot assign requested address"),
    N_("Connection reset by peer"), N_("Connection timed out"), N_("No route to host"), N_("Network is unreachable"),
    N_("Broken pipe"),
    N_("checkmate"), N_("stalemate"), N_("first to %(goal)s points"), N_("the most points after %(rounds)s rounds"),
)  # fmt: skip
"""Words that stand in such sentences, and reasons that are put together elsewhere; tools find the others by themselves."""

FIELDS = (
    N_("name"), N_("password"), N_("game"), N_("role"), N_("class"), N_("reason"), N_("board"), N_("match"), N_("seat"),
    N_("about"), N_("access"), N_("begins"), N_("each"), N_("expires"), N_("gateway"), N_("lines"), N_("login"), N_("plan"),
    N_("position"), N_("quota"), N_("ranges"), N_("scopes"), N_("starts"), N_("title"), N_("url"),
)  # fmt: skip
"""What forms call their fields, where an error names one."""
