"""Read the fields of component events by type.

A component's script triggers its event with an object. A forged request can hold any JSON instead, so a handler that
reads `event.id` directly would fail on a missing field, or use a list as an id.
"""

from enum import StrEnum
from typing import Final, TypeVar, cast

import gradio as gr

from workbench.chat.json_value import JsonObject, JsonValue, load_json
from workbench.ui.gradio_parts.event_data import data_of
from workbench.ui.incoming.refusal import MalformedEvent, problem_of_json

MOST_ID_CHARS: Final = 4096
"""The longest id, name or enum value."""
_Word = TypeVar("_Word", bound=StrEnum)


def text_of(event: gr.EventData, name: str) -> str:
    """Return a text of any length. Empty if the script sent null.

    Raises:
        MalformedEvent: The field is missing, or is not text.
    """
    value = _value(event, name)
    # Scripts may send the number 41 for a text field that holds "41".
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise MalformedEvent(f"field {name!r} is not text")
    problem = problem_of_json(value)
    if problem:
        raise MalformedEvent(f"in field {name!r}, {problem}")
    return "" if value is None else str(value)


def id_of(event: gr.EventData, name: str = "id") -> str:
    """Return a short text, such as an id or a name.

    Raises:
        MalformedEvent: The field is missing, is not a text, or is too long.
    """
    text = text_of(event, name)
    if len(text) > MOST_ID_CHARS:
        raise MalformedEvent(f"field {name!r} is too long")
    return text


def word_of(event: gr.EventData, name: str, kind: type[_Word]) -> _Word:
    """Return a member of an enum.

    Raises:
        MalformedEvent: The field is missing, or is not a value of the enum.
    """
    word = id_of(event, name)
    if word not in {member.value for member in kind}:
        raise MalformedEvent(f"field {name!r} is not one of {', '.join(kind)}")
    return kind(word)


def place_of(event: gr.EventData, name: str, count: int) -> int:
    """Return a valid index into a sequence.

    Args:
        count: The length of the sequence.

    Raises:
        MalformedEvent: The field is missing, or is not a valid index.
    """
    number = number_of(event, name)
    if not 0 <= number < count:
        raise MalformedEvent(f"field {name!r} is not below {count}")
    return number


def number_of(event: gr.EventData, name: str) -> int:
    """Return a whole number.

    Raises:
        MalformedEvent: The field is missing, or it is not a whole number.
    """
    number = optional_number_of(event, name)
    if number is None:
        raise MalformedEvent(f"field {name!r} is not a whole number")
    return number


def optional_number_of(event: gr.EventData, name: str) -> int | None:
    """Return a whole number, or None if the field is null or missing.

    Raises:
        MalformedEvent: The field has any other value.
    """
    value = _fields(event).get(name)
    if isinstance(value, str) and value.removeprefix("-").isdecimal() and value.isascii() and len(value) < 19:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | None):
        raise MalformedEvent(f"field {name!r} is not a whole number")
    return value


def flag_of(event: gr.EventData, name: str) -> bool:
    """Return a truth value.

    Raises:
        MalformedEvent: The field is missing, or is not true or false.
    """
    value = _value(event, name)
    if not isinstance(value, bool):
        raise MalformedEvent(f"field {name!r} is not true or false")
    return value


def object_of(event: gr.EventData, name: str) -> JsonObject:
    """Return an object, given as such or as JSON text.

    Raises:
        MalformedEvent: The field is missing, or is not an object.
    """
    value = _value(event, name)
    if isinstance(value, str):
        value = _loaded(name, value)
    if not isinstance(value, dict):
        raise MalformedEvent(f"field {name!r} is not an object")
    return value


def json_text_of(event: gr.EventData, name: str) -> str:
    """Return the text of a valid JSON value. May be empty.

    Raises:
        MalformedEvent: The field is missing, or is not valid JSON text.
    """
    text = text_of(event, name)
    if text:
        _loaded(name, text)
    return text


def _loaded(name: str, text: str) -> JsonValue:
    try:
        value = load_json(text)
    except ValueError as error:
        raise MalformedEvent(f"field {name!r} is not JSON") from error
    problem = problem_of_json(value)
    if problem:
        raise MalformedEvent(f"in field {name!r}, {problem}")
    return value


def _value(event: gr.EventData, name: str) -> JsonValue:
    fields = _fields(event)
    if name not in fields:
        raise MalformedEvent(f"field {name!r} is missing")
    return fields[name]


def _fields(event: gr.EventData) -> JsonObject:
    data = cast(JsonValue, data_of(event))
    if not isinstance(data, dict):
        raise MalformedEvent("event_data is not an object")
    return data
