"""The declaration of a setting that is an environment variable."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

VARIABLE: Final = "variable"
"""Key of the `Variable` in the metadata of a field."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable: one row of the table in `docs/reference/settings.md`."""

    name: str
    default: str
    """Text to parse if the variable is not set. Empty if it depends on other settings."""
    parse: Callable[[str, str], Any]
    """Parses a text. Its first argument is the name."""
    meaning: str
    """One line of Markdown for the table."""


def setting(
    name: str, default: str, parse: Callable[[str, str], T], meaning: str, *, shows: bool = True
) -> T:
    """Declare a field that is a variable.

    Args:
        shows: Whether the value may be printed. One that may not be is not hashed either.
    """
    return field(
        metadata={VARIABLE: Variable(name, default, parse, meaning)},
        repr=shows,
        hash=None if shows else False,
    )
