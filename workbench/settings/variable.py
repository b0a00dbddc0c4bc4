"""Environment variables, and the declaration of a setting that is one."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

VARIABLE: Final = "variable"
"""Key of the `Variable` in the metadata of a field."""
T = TypeVar("T")


class Variables(Mapping[str, str]):
    """Environment variables by name. Their values are not printed, because some are secrets."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"{len(self)} variables"


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
