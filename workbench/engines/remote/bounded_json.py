"""Reads JSON from a server: never deeper than a limit, and never with an error that is not ours."""

import json
import re
from typing import Final, cast

from workbench.chat.json_value import JsonValue
from workbench.engines.remote.answer_limits import MOST_DEPTH, AnswerError
from workbench.engines.remote.failures import NO_JSON

TOO_DEEP: Final = f"the server sent JSON that is nested more than {MOST_DEPTH} deep"
_STRING: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_BRACKET: Final = re.compile(rb"[\[\]{}]")


def parse_bounded_json(data: bytes) -> JsonValue:
    """The JSON value in `data`; bytes that are not UTF-8 are replaced, `NaN` and `Infinity` become null.

    Raises:
        AnswerError: It is not JSON, or nested too deep for the parser's stack.
    """
    if _is_too_deep(data):
        raise AnswerError(TOO_DEEP)
    try:
        return cast(JsonValue, json.loads(data.decode("utf-8", "replace"), parse_constant=lambda _: None))
    except (ValueError, RecursionError):
        raise AnswerError(NO_JSON) from None


def _is_too_deep(data: bytes) -> bool:
    if data.count(b"[") + data.count(b"{") <= MOST_DEPTH:
        return False
    depth = 0
    for bracket in _BRACKET.finditer(_STRING.sub(b"", data)):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > MOST_DEPTH:
            return True
    return False
