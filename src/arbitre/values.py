"""Values: frozen, slotted, compared by content. Whatever travels between two rooms is one."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


def option(*, default: T, line: str) -> T:
    """Declare an option of a game, with the line that explains it to a user."""
    return field(default=default, metadata={"line": line})


@dataclass_transform(frozen_default=True, field_specifiers=(field, option))
def value(cls: type[T]) -> type[T]:
    """Make a class a value: frozen, slotted, compared by content."""
    return dataclass(frozen=True, slots=True)(cls)
