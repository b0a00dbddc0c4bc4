"""From a JSON pointer to the line where a person has to look."""

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Final, cast

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder()


def line_of(text: str, pointer: str) -> int:
    """Line, from 1, of the value that `pointer` names in the JSON `text`; of a missing key, its object's line.

    >>> line_of('[\\n {"a":\\n  1}]', "/0/a")
    3
    >>> line_of('[\\n {"a":\\n  1}]', "/0/b")
    2
    """
    position = _skip(text, 0)
    for token in pointer.split("/")[1:]:
        inner = _child(text, position, token.replace("~1", "/").replace("~0", "~"))
        if inner is None:
            break
        position = inner
    return text.count("\n", 0, position) + 1


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _child(text: str, position: int, token: str) -> int | None:
    """Where the member `token` of the array or object at `position` begins; None where there is none."""
    opener = text[position]
    if opener not in "[{":
        return None
    index = 0
    position = _skip(text, position + 1)
    while text[position] not in "]}":
        name = str(index)
        if opener == "{":
            name, position = cast(tuple[str, int], scanstring(text, position + 1))
            position = _skip(text, _skip(text, position) + 1)
        if name == token:
            return position
        _, position = _DECODER.raw_decode(text, position)
        position = _skip(text, position)
        if text[position] == ",":
            position = _skip(text, position + 1)
        index += 1
    return None
