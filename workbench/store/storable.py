"""Check that the databases can store a text byte for byte: no NUL, no lone surrogates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final, cast

from sqlalchemy import JSON
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from workbench.errors import BadInput

_NAMES: Final[dict[type, str]] = {dict: "an object", list: "an array"}


@dataclass(frozen=True, slots=True)
class UnreadableJson:
    """Takes the place of a JSON value that cannot be read, until its row is checked."""

    problem: str


class StoredJson(TypeDecorator[Any]):
    """JSON of one kind. What cannot be read becomes `UnreadableJson`, so that the row can be named in the error.

    Args:
        kind: `dict` or `list`: what the column holds.
        is_nullable: Whether None is the database's NULL, which is allowed then; else None is JSON's own.
    """

    impl = JSON
    cache_ok = True

    def __init__(self, kind: type, *, is_nullable: bool = False) -> None:
        super().__init__(none_as_null=is_nullable)
        self.kind = kind
        self.is_nullable = is_nullable

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Reads a value of the database."""
        read: Callable[[Any], Any] | None = self.impl_instance.result_processor(dialect, coltype)

        def process(value: Any) -> Any:
            if value is None and self.is_nullable:
                return None
            try:
                loaded = read(value) if read else value
            except (ValueError, TypeError, RecursionError) as error:
                return UnreadableJson(f"broken JSON: {' '.join(str(error).split())[:120]}")
            if not isinstance(loaded, self.kind) and not (loaded is None and self.is_nullable):
                return UnreadableJson(f"its JSON is not {_NAMES[self.kind]}")
            return loaded

        return process


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
