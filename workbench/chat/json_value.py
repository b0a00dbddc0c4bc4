"""JSON as a Python value."""

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
