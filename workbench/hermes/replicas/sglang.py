"""A replica of the rules of SGLang's `hermes` detector, without streaming.

*Source:* SGLang, the function call detectors and their tests.
"""

import json
import re
from collections.abc import Iterator
from typing import Final, cast

from workbench.chat.json_value import JsonValue, as_object
from workbench.hermes.replicas.attempt import CLOSE, OPEN, Attempt, TakenCall, unique
from workbench.toolspec.spec import OfferedTools

_SPACE: Final = re.compile(r"\s*")
_DECODER: Final = json.JSONDecoder()


def read_as_sglang(text: str, tools: OfferedTools | None) -> Attempt:
    """One JSON value is decoded behind each open tag; the first that cannot be ends the reading.

    Strings are respected, arrays of calls and `parameters` are taken. Calls of tools that are not offered are
    skipped, as are those without arguments; thoughts are not known.
    """
    calls: list[TakenCall] = []
    notes: list[str] = []
    start = text.find(OPEN)
    while start >= 0:
        match = _SPACE.match(text, start + len(OPEN))
        begin = match.end() if match else start
        try:
            value, end = cast(tuple[JsonValue, int], _DECODER.raw_decode(text, begin))
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else "it cannot be decoded"
            notes.append(f"reading ends at the first bad JSON ({reason} at character {begin})")
            break
        calls.extend(_calls(value, tools, notes))
        start = text.find(OPEN, end)
        rest = text[end:start] if start >= 0 else text[end:]
        if CLOSE in rest and rest.partition(CLOSE)[0].strip():
            notes.append("of each block only the first JSON value is read")
    return Attempt(calls=tuple(calls), notes=unique(notes))


def _calls(value: JsonValue, tools: OfferedTools | None, notes: list[str]) -> Iterator[TakenCall]:
    for entry in value if isinstance(value, list) else [value]:
        fields = as_object(entry)
        name = fields.get("name")
        arguments = fields.get("arguments", fields.get("parameters"))
        if not isinstance(name, str) or not name:
            notes.append("an entry without a `name` is no call")
        elif tools is not None and name not in tools.by_name:
            notes.append(f"tool {name!r} is not offered and its call is skipped")
        elif arguments is None:
            notes.append(f"the call of {name!r} has no arguments and is skipped")
        else:
            yield TakenCall(name=name, arguments=arguments)
