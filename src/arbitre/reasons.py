"""Why: values that say what was wrong or how something ended. Words are made of them where people read.

A `Reason` is a code with fields. What may enter a record has a code proper, such as `occupied`, declared once with its words in
both languages (`declare`): a record holds code and fields, so rewording never changes a proof, and nothing reads sentences back.
Everything else that somebody is told at once, by an error above all, is its own code: the English sentence, with a place
`%(name)s` for each field, which is also the key of its translation (`arbitre.words`).

A field is a text, a number, another reason, an error, or a word of ours (a member of an enumeration), which is translated too.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from json import dumps, loads
from typing import TypeAlias

CODE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:\.[a-z][a-z0-9]*(?:-[a-z0-9]+)*)?")
"""How codes proper are written: words with hyphens, the codes of another package's game with its name and a dot before."""

LONGEST_KEPT = 500
"""Characters of a text within a reason that our own store keeps."""

LARGEST_FIELD = 2**53 - 1
"""No number within a reason is larger, or below -1."""

LANGUAGES = ("en", "fr")
"""In the order in which `declare` takes the words."""

TABLE: dict[str, tuple[str, ...]] = {}
"""The words of every code that was declared, by language. A code means one thing, whoever uses it."""


Said: TypeAlias = Callable[[object], str]
"""Makes words of reasons, for a reader; `str` makes English ones."""


def N_(text: str) -> str:  # noqa: N802 - the usual name: it marks words for the catalogue
    """Mark a sentence of which a reason is made elsewhere."""
    return text


class Reason:
    """Why something is so: a code and its fields. Compared by content; `str` says it in English."""

    __slots__ = ("code", "fields")

    def __init__(self, code: str, /, **fields: object) -> None:
        self.code = code
        self.fields: Mapping[str, object] = fields

    @property
    def proper(self) -> bool:
        """Whether the code is one that may enter a record."""
        return self.code in TABLE

    def template(self, language: str = "en") -> str | None:
        """Return the words that were declared for the code, with a place for each field; None where the code is a sentence."""
        known = TABLE.get(self.code)
        return None if known is None else known[LANGUAGES.index(language)]

    def __str__(self) -> str:
        return fill(self.template() or self.code, self.fields)

    def __repr__(self) -> str:
        return f"Reason({', '.join([repr(self.code), *(f'{name}={field!r}' for name, field in self.fields.items())])})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reason) and (self.code, plain(self)) == (other.code, plain(other))

    def __hash__(self) -> int:
        return hash(self.code)


def plain(reason: Reason) -> dict[str, object]:
    """Return code and fields as a record or a program gets them: numbers, texts, and reasons within reasons."""
    return {"code": reason.code, **{name: _plain(field) for name, field in reason.fields.items()}}


def _plain(field: object) -> object:
    if type(field) is int:
        return field
    inner = reason_of(field)
    if inner is not None and CODE.fullmatch(inner.code):  # declared or not: a record is read where its game's wire is unknown
        return plain(inner)
    return str(field.value if isinstance(field, Enum) else field)


def reason_of(what: object) -> Reason | None:
    """Return the reason that something is or holds, as our errors do."""
    found = what if isinstance(what, Reason) else getattr(what, "reason", None)
    return found if isinstance(found, Reason) else None


def codes(reason: Reason) -> Iterator[str]:
    """Return the code of a reason and those of the reasons within it."""
    yield reason.code
    for field in reason.fields.values():
        if (inner := reason_of(field)) is not None:
            yield from codes(inner)


def recorded(what: object) -> Reason:
    """Return a reason that may enter a record: that of an error of ours, or the words that somebody outside used."""
    found = reason_of(what)
    return found if found is not None and found.proper else Reason("quoted", text=str(what))


def declare(words: Mapping[str, str | tuple[str, str]]) -> Mapping[str, str | tuple[str, str]]:
    """Declare codes with their words, English and French; where there is one text only it serves for both.

    A code that has other words already belongs to somebody else: `ValueError`.
    """
    for code, said in words.items():
        both = (said, said) if isinstance(said, str) else said
        if not CODE.fullmatch(code):
            raise ValueError(f"{code!r} is no code: write words with hyphens, such as five-in-a-row")
        if TABLE.setdefault(code, both) != both:
            raise ValueError(f"the code {code!r} means {TABLE[code][0]!r} already: choose another, such as NAME.{code}")
    return words


def keep(reason: Reason | None) -> str:
    """Return a reason as our own store keeps it, sentences too; empty for none."""
    return "" if reason is None else dumps(_kept(reason), ensure_ascii=False)


def _kept(field: object) -> object:
    reason = reason_of(field)
    if reason is None:
        return field if type(field) is int else {"word": field.value} if isinstance(field, Enum) else _one_line(str(field))
    return {"code": reason.code, **{name: _kept(one) for name, one in reason.fields.items()}}


def _one_line(text: str) -> str:
    """Return what a stranger's program said so that its owner can read it: bounded, without characters that steer a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text[:LONGEST_KEPT])


def kept(text: str) -> Reason | None:
    """Return the reason that `keep` wrote, None for nothing; words that somebody else wrote there are quoted."""
    try:
        found = loads(text) if text else None
    except ValueError:
        found = text
    return None if found is None else _reread(found) if isinstance(found, dict) else Reason("quoted", text=text)


def _reread(found: dict[str, object]) -> Reason:
    fields = {name: _reread(one) if isinstance(one, dict) else one for name, one in found.items() if name not in ("code", "word")}
    return Reason(str(found.get("code", found.get("word", ""))), **fields)


def fill(template: str, fields: Mapping[str, object]) -> str:
    """Put the fields into a sentence."""
    return template % fields if fields else template


def read_plain(found: object, deepest: int = 4) -> Reason | None:
    """Return the reason that `plain` wrote; None where it is none."""
    if not isinstance(found, dict) or not isinstance(code := found.get("code"), str) or not CODE.fullmatch(code):
        return None
    fields: dict[str, object] = {}
    for name, field in found.items():
        if name != "code":
            told = isinstance(field, str) or (type(field) is int and -1 <= field <= LARGEST_FIELD)
            fields[name] = field if told else read_plain(field, deepest - 1) if deepest else None
    return None if None in fields.values() else Reason(code, **fields)


declare({"quoted": "%(text)s"})
