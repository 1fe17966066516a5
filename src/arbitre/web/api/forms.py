"""What the forms of every area for programs are made of: bounded numbers and texts, pages of lists, the shape of a refusal.

Numbers and texts have bounds, so whoever reads the description knows what is refused; lists come in pages, `next` being what to
send as `after` for the following one. The forms themselves stand with their operations.
"""

from typing import Annotated, Any, Generic, TypeAlias, TypeVar

from msgspec import Meta, Struct

from arbitre.reasons import Reason, plain
from arbitre.site.forms import LONGEST_URL

T = TypeVar("T")

Id = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Short = Annotated[str, Meta(max_length=120)]
Url = Annotated[str, Meta(min_length=8, max_length=LONGEST_URL, examples=["https://example.org/pond"])]
Position = Annotated[str, Meta(max_length=4_000)]
Name = Annotated[str, Meta(min_length=3, max_length=30, examples=["deep-pond"])]
GameName = Annotated[str, Meta(min_length=1, max_length=60, examples=["reversi", "added:Hexapawn"])]
Coded: TypeAlias = dict[str, Any] | None
"""A reason to go by, beside its words: its code and its fields; null where nothing is wrong."""


class Page(Struct, Generic[T]):
    """One page of a list."""

    items: list[T]
    next: int | None
    """What to send as `after` for the next page; null: there is none."""


def coded(reason: Reason | None) -> Coded:
    """Return a reason as programs go by it."""
    return None if reason is None else plain(reason)


class Problem(Struct):
    """What went wrong."""

    error: str
    """In the caller's language."""
    code: str = ""
    """What to go by: the code of the reason, such as `occupied`, or what kind of refusal it is, such as `forbidden`; missing
    where the request itself is out of bounds."""
    fields: dict[str, Any] = {}
    """What belongs to the code."""
    again: bool = False
    """Whether it was no move that may be said, and the same question goes on."""
