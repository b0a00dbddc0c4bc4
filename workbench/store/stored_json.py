"""JSON columns that can be read even if what they hold is damaged."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import JSON
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

_NAMES: Final[dict[type, str]] = {dict: "an object", list: "an array"}


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Takes the place of a JSON value that cannot be read, until its row is checked."""

    problem: str
    """What is wrong with it."""


class StoredJson(TypeDecorator[Any]):
    """JSON of one kind. What cannot be read becomes `Unreadable`, so that the row can be named in the error.

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
                return Unreadable(f"broken JSON: {' '.join(str(error).split())[:120]}")
            if not isinstance(loaded, self.kind) and not (loaded is None and self.is_nullable):
                return Unreadable(f"its JSON is not {_NAMES[self.kind]}")
            return loaded

        return process
