"""JSON as a Python value."""

from collections.abc import Mapping, Sequence
from typing import cast

JsonValue = str | int | float | bool | None | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
"""What `json.loads` gives: text, number, truth value, null, array, object."""

JsonObject = Mapping[str, JsonValue]
"""A JSON object."""


def as_object(value: JsonValue) -> JsonObject:
    """`value` where it is an object, else an empty one.

    >>> as_object({"a": 1}), as_object([1])
    ({'a': 1}, {})
    """
    return cast(JsonObject, value) if isinstance(value, Mapping) else {}
