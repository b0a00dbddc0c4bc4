"""Results of tools inside one text, each in its `<tool_response>`."""

import json
import re
from typing import Final, NamedTuple, cast

from workbench.chat.finding import Span
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.spelling.tools import spelled_json
from workbench.trajectory.row import EntryResult

OPEN: Final = "<tool_response>"
"""*Source:* Hermes-2-Pro, Hermes-3, Qwen2.5 and Qwen3 chat templates."""
CLOSE: Final = "</tool_response>"
"""*Source:* as `OPEN`."""
_SPACE: Final = re.compile(r"\s*+")
_RECORD_KEYS: Final = frozenset({"tool_call_id", "name", "content"})


class _Record(NamedTuple):
    text: str
    id: str | None = None
    name: str | None = None


def read_results(text: str, pointer: str, *, has_records: bool) -> tuple[EntryResult, ...]:
    """Each result of a text that is nothing but wrapped results; else the whole text as one result.

    Args:
        text: Of the entry.
        pointer: Of the text.
        has_records: Whether the format writes `{"tool_call_id", "name", "content"}` inside the wrapper.
    """
    spans = wrapped_results(text)
    if not spans:
        return (_result(text, pointer, None, has_records=has_records),)
    return tuple(_result(_inner(span.of(text)), pointer, span, has_records=has_records) for span in spans)


def is_wrapped(text: str) -> bool:
    """Whether a text is nothing but wrapped results, at least one."""
    return bool(wrapped_results(text))


def wrapped_results(text: str) -> list[Span]:
    """The wrapped results that together with white space are the text; none where something else is in it."""
    found: list[Span] = []
    position = _behind_space(text, 0)
    while position < len(text):
        end = text.find(CLOSE, position) if text.startswith(OPEN, position) else -1
        if end < 0:
            return []
        found.append(Span(position, end + len(CLOSE)))
        position = _behind_space(text, end + len(CLOSE))
    return found


def _behind_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _inner(wrapped: str) -> str:
    """The text between the tags, without the line break behind the first and before the second."""
    return wrapped[len(OPEN) : -len(CLOSE)].removeprefix("\n").removesuffix("\n")


def _result(text: str, pointer: str, span: Span | None, *, has_records: bool) -> EntryResult:
    record = _record(text) if has_records else _Record(text)
    return EntryResult(text=record.text, id=record.id, name=record.name, pointer=pointer, span=span)


def _record(text: str) -> _Record:
    try:
        value = cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        return _Record(text)
    if not isinstance(value, dict) or len(value) < 2 or not value.keys() <= _RECORD_KEYS:
        return _Record(text)
    fields = cast(JsonObject, value)
    content, call_id, name = fields.get("content"), fields.get("tool_call_id"), fields.get("name")
    return _Record(
        content if isinstance(content, str) else spelled_json(content),
        call_id if isinstance(call_id, str) else None,
        name if isinstance(name, str) else None,
    )
