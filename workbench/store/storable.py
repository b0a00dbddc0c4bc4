"""Check that a text can be stored byte for byte: it must not contain NUL or lone surrogates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import repeat
from typing import Any, Final, cast

from sqlalchemy import JSON
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from workbench.chat.json_value import loads_fast
from workbench.errors import BadInput

_NAMES: Final[dict[type, str]] = {dict: "an object", list: "an array"}


@dataclass(frozen=True, slots=True)
class UnreadableJson:
    """Stands for a JSON value that cannot be read, until the row is checked and reported."""

    problem: str


class StoredJson(TypeDecorator[Any]):
    """A column of JSON objects or arrays. An unreadable value is `UnreadableJson`, so that errors can name the row.

    Args:
        kind: `dict` or `list`.
        is_nullable: True stores None as the database's NULL. False stores it as JSON's `null`.
    """

    impl = JSON
    cache_ok = True

    def __init__(self, kind: type, *, is_nullable: bool = False) -> None:
        super().__init__(none_as_null=is_nullable)
        self.kind = kind
        self.is_nullable = is_nullable

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Return the function that reads a value of the database."""
        read: Callable[[Any], Any] | None = self.impl_instance.result_processor(dialect, coltype)

        def process(value: Any) -> Any:
            if value is None and self.is_nullable:
                return None
            try:
                loaded = loads_fast(value) if isinstance(value, str) else read(value) if read else value
            except (ValueError, TypeError, RecursionError) as error:
                return UnreadableJson(f"broken JSON: {' '.join(str(error).split())[:120]}")
            if not isinstance(loaded, self.kind) and not (loaded is None and self.is_nullable):
                return UnreadableJson(f"its JSON is not {_NAMES[self.kind]}")
            return loaded

        return process


def problem_of(text: str) -> str | None:
    """Return why a text cannot be stored, or None if it can.

    PostgreSQL does not allow NUL in texts, SQLite's functions stop at NUL, and a lone surrogate cannot be encoded
    as UTF-8.

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
    """Check all texts in a value.

    Args:
        value: A text, or a dataclass, mapping, sequence or set that may contain texts. Other values are ignored.
        where: Name of the value for error messages. Fields are appended to it, as in `message.text`.

    Raises:
        BadInput: A text in the value cannot be stored.
    """
    # One loop instead of a call for each part: a setup and a message have a hundred parts.
    pending = [(value, where)]
    while pending:
        part, place = pending.pop()
        if isinstance(part, str):
            is_plain = part.isascii() and "\0" not in part
            if not is_plain and (problem := problem_of(part)):
                raise BadInput(place, f"{problem}, which cannot be stored", "remove it and try again")
        elif is_dataclass(part):
            pending += ((getattr(part, field.name), f"{place}.{field.name}") for field in fields(part))
        elif isinstance(part, Mapping):
            for key, inner in cast(Mapping[object, object], part).items():
                pending += ((key, place), (inner, place))
        elif isinstance(part, Sequence | frozenset):
            pending += zip(cast(Sequence[object] | frozenset[object], part), repeat(place))
