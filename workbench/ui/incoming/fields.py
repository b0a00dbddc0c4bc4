"""Read the fields of component events by type.

A component's script triggers its event with an object. Whoever forges a request sends any JSON in its place: a handler
that reads `event.id` itself fails on a missing field, or hands a list on as an id.
"""

from enum import StrEnum
from typing import Final, TypeVar, cast

import gradio as gr

from workbench.chat.json_value import JsonObject, JsonValue, load_json
from workbench.ui.incoming.refusal import MalformedEvent, problem_of_json

MOST_ID_CHARS: Final = 4096
"""An id, a name or a word of a closed set is never longer."""
_Word = TypeVar("_Word", bound=StrEnum)


def text_of(event: gr.EventData, name: str) -> str:
    """A text of any length; empty if the script sent null.

    Raises:
        MalformedEvent: The field is missing, or it is not a text.
    """
    value = _value(event, name)
    # Scripts send numbers of fields as they are: `41` is the text of the field as well as "41".
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise MalformedEvent(f"its field {name!r} is not a text")
    problem = problem_of_json(value)
    if problem:
        raise MalformedEvent(f"in its field {name!r}, {problem}")
    return "" if value is None else str(value)


def id_of(event: gr.EventData, name: str = "id") -> str:
    """A short text: an id, a name, a word.

    Raises:
        MalformedEvent: The field is missing, is not a text, or is too long.
    """
    text = text_of(event, name)
    if len(text) > MOST_ID_CHARS:
        raise MalformedEvent(f"its field {name!r} is too long")
    return text


def word_of(event: gr.EventData, name: str, kind: type[_Word]) -> _Word:
    """A word of a closed set.

    Raises:
        MalformedEvent: The field is missing, or it is none of the words.
    """
    word = id_of(event, name)
    if word not in {one.value for one in kind}:
        raise MalformedEvent(f"its field {name!r} is none of {', '.join(kind)}")
    return kind(word)


def place_of(event: gr.EventData, name: str, count: int) -> int:
    """The place of one of several things.

    Args:
        count: How many things there are.

    Raises:
        MalformedEvent: The field is missing, or it is no place among them.
    """
    number = number_of(event, name)
    if not 0 <= number < count:
        raise MalformedEvent(f"its field {name!r} is not below {count}")
    return number


def number_of(event: gr.EventData, name: str) -> int:
    """A whole number.

    Raises:
        MalformedEvent: The field is missing, or it is not a whole number.
    """
    number = optional_number_of(event, name)
    if number is None:
        raise MalformedEvent(f"its field {name!r} is not a whole number")
    return number


def optional_number_of(event: gr.EventData, name: str) -> int | None:
    """A whole number; None for null, and if the script left the field out.

    Raises:
        MalformedEvent: It is neither.
    """
    value = _fields(event).get(name)
    if isinstance(value, str) and value.removeprefix("-").isdecimal() and value.isascii() and len(value) < 19:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | None):
        raise MalformedEvent(f"its field {name!r} is not a whole number")
    return value


def object_of(event: gr.EventData, name: str) -> JsonObject:
    """An object, or the JSON text of one.

    Raises:
        MalformedEvent: The field is missing, or it is neither.
    """
    value = _value(event, name)
    if isinstance(value, str):
        value = _loaded(name, value)
    if not isinstance(value, dict):
        raise MalformedEvent(f"its field {name!r} is not an object")
    return value


def json_text_of(event: gr.EventData, name: str) -> str:
    """The text of a JSON value that can be read.

    Raises:
        MalformedEvent: The field is missing, or it is not such a text.
    """
    text = text_of(event, name)
    if text:
        _loaded(name, text)
    return text


def _loaded(name: str, text: str) -> JsonValue:
    try:
        value = load_json(text)
    except ValueError as error:
        raise MalformedEvent(f"its field {name!r} is not JSON") from error
    problem = problem_of_json(value)
    if problem:
        raise MalformedEvent(f"in its field {name!r}, {problem}")
    return value


def _value(event: gr.EventData, name: str) -> JsonValue:
    fields = _fields(event)
    if name not in fields:
        raise MalformedEvent(f"it has no field {name!r}")
    return fields[name]


def _fields(event: gr.EventData) -> JsonObject:
    # Gradio's own attribute access fails on anything that is not an object.
    data = cast(JsonValue, event._data)  # pyright: ignore[reportPrivateUsage]
    if not isinstance(data, dict):
        raise MalformedEvent("its event_data is not an object")
    return data
