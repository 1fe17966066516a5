"""Values: frozen, slotted, compared by content. Whatever travels between two rooms is one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


def option(
    *,
    default: T,
    line: str,
    ligne: str = "",
    least: int | None = None,
    most: int | None = None,
    choices: Mapping[str, str] | None = None,
) -> T:
    """Declare an option of a game, with the line that explains it to a user, and in French where that is no word of ours.

    A number is refused that is below `least` or above `most`; `choices` has words for what may be chosen.
    """
    bounds = {"least": least, "most": most}
    return field(default=default, metadata={"line": line, "ligne": ligne, "choices": choices or {}, **bounds})


@dataclass_transform(frozen_default=True, field_specifiers=(field, option))
def value(cls: type[T]) -> type[T]:
    """Make a class a value: frozen, slotted, compared by content."""
    return dataclass(frozen=True, slots=True)(cls)
