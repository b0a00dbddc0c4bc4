"""Follow references inside one JSON document."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from workbench.chat.json_value import JsonObject, JsonValue, pointer_parts


class _Nothing:
    """The type of `NOTHING`."""


NOTHING: Final = _Nothing()
"""Where a reference leads that leaves the document, or leads to nothing in it."""


def followed(reference: str, root: JsonObject) -> "JsonValue | _Nothing":
    """Return the target of a reference such as `#/$defs/My%20Type`, `#/properties/l/anyOf/0` or `#`.

    *Source:* RFC 6901, section 6: a JSON pointer in a fragment is percent-encoded.

    >>> followed("#/a%20b/1", {"a b": [1, 2]})
    2
    """
    if not reference.startswith("#") or (len(reference) > 1 and reference[1] != "/"):
        return NOTHING
    value: JsonValue = root
    for name in pointer_parts(unquote(reference[1:])):
        if isinstance(value, Mapping) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return NOTHING
    return value
