"""JSON as a Python value."""

from collections.abc import Mapping, Sequence

JsonValue = str | int | float | bool | None | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
"""What `json.loads` gives: text, number, truth value, null, array, object."""

JsonObject = Mapping[str, JsonValue]
"""A JSON object."""
