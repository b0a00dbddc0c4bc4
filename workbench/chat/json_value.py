"""JSON values in Python: types, loading, and a check of nesting depth."""

import json
from collections.abc import Mapping, Sequence
from typing import Final, cast

JsonValue = str | int | float | bool | None | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
"""What `json.loads` gives: text, number, truth value, null, array, object."""

JsonObject = Mapping[str, JsonValue]
"""A JSON object."""

_OBJECTS: Final = (dict, Mapping)
"""A dict first: it is what `json.loads` gives, and an abstract class is slow to ask."""


def as_object(value: JsonValue) -> JsonObject:
    """`value` where it is an object, else an empty one.

    >>> as_object({"a": 1}), as_object([1])
    ({'a': 1}, {})
    """
    return cast(JsonObject, value) if isinstance(value, _OBJECTS) else {}


MAX_JSON_DEPTH: Final = 200
"""Objects and arrays inside each other. Whatever looks at a value calls itself at each level, and Python ends at some
thousand calls: real documents stay below thirty."""
_DIGITS: Final = "integer string conversion"


def load_json(text: str) -> JsonValue:
    """The value of a JSON text.

    >>> load_json('{"a": [1]}')
    {'a': [1]}
    >>> load_json("[" * 1000)
    Traceback (most recent call last):
        ...
    ValueError: nested over 200 levels deep

    Raises:
        json.JSONDecodeError: It is not JSON; it knows line and column.
        ValueError: It is nested too deep, or has a number of more than 4,300 digits.
    """
    try:
        value = cast(JsonValue, json.loads(text))
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise ValueError(f"nested over {MAX_JSON_DEPTH} levels deep") from None
    except ValueError as error:
        # Python refuses such a number, for reading it takes the square of its length.
        told = "a number has more than 4,300 digits" if _DIGITS in str(error) else str(error)
        raise ValueError(told) from None
    if is_too_deep(value):
        raise ValueError(f"nested over {MAX_JSON_DEPTH} levels deep")
    return value


def is_too_deep(value: object, most_levels: int = MAX_JSON_DEPTH) -> bool:
    """Whether objects and arrays are nested more than `most_levels` deep.

    It works level by level, without recursion: the value may be nested as deep as it likes.

    >>> is_too_deep([[1]], 2), is_too_deep([[[1]]], 2)
    (False, True)
    """
    level: list[object] = [value]
    for _ in range(most_levels + 1):
        below: list[object] = []
        for element in level:
            if isinstance(element, dict | Mapping):
                below += cast(Mapping[str, object], element).values()
            elif isinstance(element, list | tuple):
                below += cast(Sequence[object], element)
        if not below:
            return False
        level = below
    return True
