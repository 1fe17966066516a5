"""What tests say about errors and reasons: codes, templates and fields, never the words that somebody reads.

A code that was declared is named whole; of a sentence a part of its template is enough. Fields may be those of the reason that
is named or of the reasons around it.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import pytest

from arbitre.errors import ArbitreError
from arbitre.reasons import Reason, plain, reason_of

E = TypeVar("E", bound=ArbitreError)


@contextmanager
def raises(kind: type[E] | tuple[type[E], ...], what: str | Reason, /, **fields: object) -> Iterator[pytest.ExceptionInfo[E]]:
    """Expect an error for this reason: `raises(IllegalMoveError, "occupied", cell=3)`."""
    with pytest.raises(kind) as caught:
        yield caught
    assert gives(caught.value, what, **fields), repr(caught.value.reason)


def gives(given: object, what: str | Reason, /, **fields: object) -> bool:
    """Tell whether an error, or a reason, gives this reason: itself, or in a field of it, with these fields."""
    wanted = what if isinstance(what, Reason) else Reason(what)
    found = reason_of(given)
    return found is not None and any(_fits(one, around, wanted, fields) for one, around in _within(found, {}))


def _fits(one: Reason, around: Mapping[str, object], wanted: Reason, fields: Mapping[str, object]) -> bool:
    named = one.code == wanted.code if one.proper else wanted.code in one.code
    expected = {**wanted.fields, **fields}
    return named and all(name in around and _leaf(around[name]) == _leaf(field) for name, field in expected.items())


def _leaf(field: object) -> str:
    """Return a field so that a number equals its digits, and a word of ours the text that names it."""
    reason = reason_of(field)
    return str(field) if reason is None else str(plain(reason)) if reason.fields else reason.code


def _within(reason: Reason, around: Mapping[str, object]) -> Iterator[tuple[Reason, Mapping[str, object]]]:
    """Return a reason and those within it, each with the fields of its own and of those around it."""
    fields = {**around, **reason.fields}
    yield reason, fields
    for field in reason.fields.values():
        if (inner := reason_of(field)) is not None:
            yield from _within(inner, fields)


def english(what: object) -> str:
    """Say something in English as a face would, also where reasons themselves say nothing but hashes (`make hashed`)."""
    reason = reason_of(what)
    if reason is None:
        return str(what)
    template = reason.template() or reason.code
    fields = {name: english(one) if reason_of(one) is not None else one for name, one in reason.fields.items()}
    return template % fields if fields else template
