"""What a handler gave, as the text that the model will see: always well-formed JSON."""

import json
from collections.abc import Mapping
from typing import Final, cast

from workbench.chat.json_value import JsonValue
from workbench.chat.message import ToolResult

MAX_RESULT_CHARS: Final = 100_000
"""The longest result that a model is given, unless the tool says otherwise."""
_CUT_FRAME_CHARS: Final = 64
"""Room for what stands around the beginning of a result that was cut."""


def result_text(value: JsonValue) -> str:
    """A result as the model sees it: JSON, letters as they are."""
    return json.dumps(value, ensure_ascii=False)


def error_result(message: str) -> ToolResult:
    """A failure as the model sees it."""
    return ToolResult(text=result_text({"error": message}), is_error=True)


def result_of(value: object, *, max_chars: int = MAX_RESULT_CHARS) -> ToolResult:
    """The result of what a handler gave.

    Text that is JSON stays byte for byte; other text becomes a JSON string. A longer one than `max_chars`
    is given by its beginning, in an object that says so. An object with an `error` counts as a failure.

    Raises:
        TypeError: It is nothing that JSON can say.
        ValueError: It holds itself, or a number that JSON lacks.
    """
    if isinstance(value, str):
        return _of_text(value, max_chars)
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if len(text) > max_chars:
        return _cut(text, max_chars)
    return ToolResult(text=text, is_error=_has_error(cast(JsonValue, value)))


def _of_text(text: str, max_chars: int) -> ToolResult:
    if len(text) > max_chars:
        return _cut(text, max_chars)
    try:
        value = cast(JsonValue, json.loads(text, parse_constant=_refuse))
        text.encode()
    except (ValueError, RecursionError):
        quoted = json.dumps(text.encode(errors="replace").decode(), ensure_ascii=False)
        return ToolResult(text=quoted) if len(quoted) <= max_chars else _cut(text, max_chars)
    return ToolResult(text=text, is_error=_has_error(value))


def _cut(text: str, max_chars: int) -> ToolResult:
    """The beginning, shortened until its JSON fits: escapes may double its length."""
    beginning = text[:max_chars].encode(errors="replace").decode()
    while True:
        value = {"truncated": True, "size_chars": len(text), "beginning": beginning}
        cut = json.dumps(value, ensure_ascii=False)
        if len(cut) <= max_chars or not beginning:
            return ToolResult(text=cut)
        fits = len(beginning) * max(0, max_chars - _CUT_FRAME_CHARS) // len(cut)
        beginning = beginning[: min(fits, len(beginning) - 1)]


def _has_error(value: JsonValue) -> bool:
    return isinstance(value, Mapping) and bool(value.get("error"))


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is not JSON")
