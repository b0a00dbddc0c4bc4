"""Check texts against the `format` of their schema, which validators of JSON Schema only note by default."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time
from ipaddress import IPv4Address, IPv6Address
from typing import Final, NamedTuple, cast
from uuid import UUID

from workbench.chat.json_value import JsonObject, JsonValue, as_object, pointer

_MAX_DEPTH: Final = 20


class WrongFormat(NamedTuple):
    """A text that does not have the format of its schema."""

    pointer: str
    """JSON pointer into the arguments."""
    name: str
    """The format, such as `date`."""
    value: str


def _by(parse: Callable[[str], object]) -> Callable[[str], bool]:
    """Return whether `parse` accepts a text."""

    def is_valid(text: str) -> bool:
        try:
            parse(text)
        except ValueError:
            return False
        return True

    return is_valid


_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_TIME: Final = re.compile(r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?")
_is_date: Final = _by(date.fromisoformat)
# Python does not take the `z` in lower case, which RFC 3339 allows.
_is_time: Final = _by(lambda text: time.fromisoformat(text.upper()))
_is_moment: Final = _by(lambda text: datetime.fromisoformat(text.upper()))
_is_uuid: Final = _by(UUID)


def _is_date_time(text: str) -> bool:
    day, mark, clock = text[:10], text[10:11], text[11:]
    return (
        mark in ("T", "t", " ") and bool(_DATE.fullmatch(day) and _TIME.fullmatch(clock)) and _is_moment(text)
    )


_FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "date": lambda text: bool(_DATE.fullmatch(text)) and _is_date(text),
    "time": lambda text: bool(_TIME.fullmatch(text)) and _is_time(text),
    "date-time": _is_date_time,
    "email": lambda text: re.fullmatch(r"[^@\s]+@[^@\s]+", text) is not None,
    "uri": lambda text: re.match(r"[A-Za-z][A-Za-z0-9+.-]*:\S+\Z", text) is not None,
    "uuid": lambda text: len(text) == 36 and _is_uuid(text),
    "ipv4": _by(IPv4Address),
    "ipv6": _by(IPv6Address),
}
"""The formats whose meaning is not disputed. A time zone may be missing, because most tools accept that.

*Source:* RFC 3339 and section 7.3 of JSON Schema Validation, Draft 2020-12."""


def wrong_formats(schema: JsonValue, arguments: JsonObject) -> Iterator[WrongFormat]:
    """Yield the texts in properties and items that do not have the format of their schema.

    >>> list(wrong_formats({"properties": {"day": {"format": "date"}}}, {"day": "tomorrow"}))
    [WrongFormat(pointer='/day', name='date', value='tomorrow')]
    """
    yield from _inside(schema, arguments, [])


def _inside(schema: JsonValue, value: JsonValue, path: list[str | int]) -> Iterator[WrongFormat]:
    fields = as_object(schema)
    if not fields or len(path) > _MAX_DEPTH:
        return
    if isinstance(value, str):
        name = fields.get("format")
        if isinstance(name, str) and name in _FORMATS and not _FORMATS[name](value):
            yield WrongFormat(pointer(path), name, value)
    elif isinstance(value, Mapping):
        properties = as_object(fields.get("properties"))
        for key, inner in cast(JsonObject, value).items():
            if key in properties:
                yield from _inside(properties[key], inner, [*path, key])
    elif isinstance(value, list) and "items" in fields:
        for index, inner in enumerate(value):
            yield from _inside(fields["items"], inner, [*path, index])
