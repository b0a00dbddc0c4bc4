"""A decorator for small classes of which a row has dozens."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_Class = TypeVar("_Class")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def value_class(cls: type[_Class]) -> type[_Class]:
    """Make a dataclass with slots whose objects never change: `dataclass(frozen=True, slots=True, kw_only=True)`.

    Only type checkers refuse a change. `frozen` would make creating an object take two and a half times as long, and a
    conversion creates a hundred for each row.
    """
    return dataclass(slots=True, kw_only=True, unsafe_hash=True)(cls)
