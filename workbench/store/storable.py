"""Which text the databases can keep byte for byte: all but NUL and lone surrogates."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import cast

from workbench.errors import BadInput


def problem_of(text: str) -> str | None:
    """What keeps `text` from being stored; None where nothing does.

    PostgreSQL has no NUL in a text, SQLite's own functions end at one, and half a surrogate pair has
    no UTF-8.

    >>> problem_of("a\\0")
    'character 2 is NUL (U+0000)'
    >>> problem_of("grüße 🦉")
    """
    place = text.find("\0")
    if place >= 0:
        return f"character {place + 1} is NUL (U+0000)"
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"character {error.start + 1} is half of a surrogate pair (U+{ord(text[error.start]):04X})"
    return None


def refuse_unstorable(value: object, where: str) -> None:
    """Walks a value and all that is in it.

    Args:
        value: Text, or a dataclass, mapping, sequence or set that may hold some; all else is let through.
        where: What a person calls the value; the places in it are named from there, as in `message.text`.

    Raises:
        BadInput: Some text in it cannot be stored.
    """
    if isinstance(value, str):
        problem = problem_of(value)
        if problem:
            raise BadInput(where, f"{problem}, which cannot be stored", "take it out and try again")
    elif is_dataclass(value):
        for field in fields(value):
            refuse_unstorable(getattr(value, field.name), f"{where}.{field.name}")
    elif isinstance(value, Mapping):
        for key, inner in cast(Mapping[object, object], value).items():
            refuse_unstorable(key, where)
            refuse_unstorable(inner, where)
    elif isinstance(value, Sequence | frozenset):
        for inner in cast(Sequence[object] | frozenset[object], value):
            refuse_unstorable(inner, where)
