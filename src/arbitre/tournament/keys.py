"""Reads a table of keys with care: each value has the type and the bounds it should have, and no key is left over.

Every error is a `TournamentError` that begins with the key, with the tables it lies in: `key 'sprt.alpha': …`.
"""

from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from arbitre.errors import ArbitreError, TournamentError, shorten
from arbitre.reasons import Reason

T = TypeVar("T")


class KeyedError(TournamentError):
    """The value of a key cannot be; the sentence names the key."""


class Keys:
    """A table that is being read; whatever was asked for is a known key."""

    def __init__(self, given: Mapping[str, object], where: str = "") -> None:
        self._given = given
        self._where = where
        self._known: set[str] = set()

    def wrong(self, key: str, why: str | Reason, /, **fields: object) -> "KeyedError":
        """Return the error of a key."""
        reason = why if isinstance(why, Reason) else Reason(why, **fields)
        return KeyedError("key '%(where)s%(key)s': %(why)s", where=self._where, key=shorten(key), why=reason)

    def has(self, key: str) -> bool:
        """Tell whether the key is there."""
        self._known.add(key)
        return key in self._given

    def raw(self, key: str) -> object:
        """Return the value as it is, None where there is none."""
        self._known.add(key)
        return self._given.get(key)

    def text(self, key: str, default: str | None = None, most: int = 4096) -> str:
        """Return a text of printable characters; without a default it must be there, and not be empty."""
        found = self.raw(key)
        if found is None:
            if default is None:
                raise self.wrong(key, "missing")
            return default
        if not isinstance(found, str) or (default is None and not found):
            raise self.wrong(key, "a text, not %(found)s", found=shorten(repr(found)))
        return self.printable(key, found, most)

    def printable(self, key: str, text: str, most: int) -> str:
        """Return a text if it is one line that can be shown anywhere."""
        if len(text) > most:
            raise self.wrong(key, "at most %(most)s characters, not %(text)s", most=most, text=len(text))
        if not text.isprintable():
            raise self.wrong(key, "%(text)r holds characters that cannot be shown", text=shorten(text))
        return text

    def whole(self, key: str, default: int, least: int = 0, most: int = 1_000_000) -> int:
        """Return a whole number within bounds."""
        found = self.maybe(key, least, most)
        return default if found is None else found

    def maybe(self, key: str, least: int = 0, most: int = 1_000_000) -> int | None:
        """Return a whole number within bounds, None where there is none."""
        found = self.raw(key)
        if found is None:
            return None
        if not isinstance(found, int) or isinstance(found, bool) or not least <= found <= most:
            raise self.wrong(
                key,
                "a whole number from %(least)s to %(most)s, not %(found)s",
                least=least,
                most=most,
                found=shorten(repr(found)),
            )
        return found

    def real(self, key: str, default: float) -> float:
        """Return a number."""
        found = self.raw(key)
        if found is None:
            return default
        if not isinstance(found, int | float) or isinstance(found, bool) or not abs(found) < 1e9:
            raise self.wrong(key, "a number, not %(found)s", found=shorten(repr(found)))
        return float(found)

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        found = self.raw(key)
        if found is None:
            return default
        if not isinstance(found, bool):
            raise self.wrong(key, "true or false, not %(found)s", found=shorten(repr(found)))
        return found

    def word(self, key: str, words: Collection[str], default: str) -> str:
        """Return one of these words."""
        found = self.text(key, default)
        if found not in words:
            raise self.wrong(key, "one of %(words)s, not %(found)r", words=", ".join(words), found=shorten(found))
        return found

    def items(self, key: str, least: int, most: int) -> list[object]:
        """Return a list of so many values."""
        found = self.raw(key)
        if found is None:
            found = []
        if not isinstance(found, list | tuple) or not least <= len(found) <= most:
            what = f"{len(found)}" if isinstance(found, list | tuple) else shorten(repr(found))
            raise self.wrong(key, "a list of %(least)s to %(most)s values, not %(what)s", least=least, most=most, what=what)
        return list(found)

    def table(self, key: str) -> Mapping[str, Any]:
        """Return a table, empty where there is none."""
        found = self.raw(key)
        if found is None:
            return {}
        if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
            raise self.wrong(key, "a table, not %(found)s", found=shorten(repr(found)))
        return found

    def below(self, key: str) -> "Keys":
        """Return the keys of a table."""
        return Keys(self.table(key), f"{self._where}{key}.")

    def judged(self, key: str, make: Callable[[], T]) -> T:
        """Return what is made of a key's value; whatever is wrong with it is wrong with the key."""
        try:
            return make()
        except KeyedError:
            raise
        except ArbitreError as error:
            raise self.wrong(key, error.reason) from None

    def done(self) -> None:
        """Refuse keys that nobody asked for."""
        for key in self._given:
            if key not in self._known:
                near = get_close_matches(str(key), self._known, n=1)
                if near:
                    raise self.wrong(str(key), "unknown; did you mean %(near)r?", near=near[0])
                raise self.wrong(str(key), "unknown; there are %(known)s", known=", ".join(sorted(self._known)))
