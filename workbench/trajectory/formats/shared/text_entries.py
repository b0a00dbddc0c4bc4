"""Messages as Hermes' texts: one text an entry, the results of one round in one."""

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.hermes.spelling.tools import spelled_json
from workbench.trajectory.formats.shared.results import CLOSE, OPEN
from workbench.trajectory.hermes_text import spell_parts
from workbench.trajectory.trajectory import Result, RowMessage
from workbench.trajectory.writing.holding import results_behind

SpellResult = Callable[[Result], str]
"""Writes what stands between the tags of a result."""


class TextEntry(NamedTuple):
    """One entry."""

    role: Role
    text: str
    messages: tuple[RowMessage, ...]
    """What it holds: one message, or the results of one round."""


def text_entries(messages: tuple[RowMessage, ...], spell_result: SpellResult) -> Iterator[TextEntry]:
    """The entries in order.

    *Source:* `_convert_to_trajectory_format` of hermes-agent; chat templates of Hermes-3 and Qwen3.
    """
    index = 0
    while index < len(messages):
        message = messages[index]
        if message.role is Role.TOOL:
            group = (message, *results_behind(messages, index))
            wrapped = (f"{OPEN}\n{spell_result(one.result)}\n{CLOSE}" for one in group if one.result)
            yield TextEntry(Role.TOOL, "\n".join(wrapped), group)
            index += len(group)
        else:
            text = spell_parts(message.parts) if message.text is None else message.text
            yield TextEntry(message.role, text, (message,))
            index += 1


def bare_result(result: Result) -> str:
    """The result's own text."""
    return result.text


def record_result(result: Result) -> str:
    """`{"tool_call_id", "name", "content"}`; the content is a value where that keeps the text's bytes.

    *Source:* `_convert_to_trajectory_format` of hermes-agent.
    """
    record: JsonObject = {"tool_call_id": result.id, "name": result.name, "content": _content(result.text)}
    return spelled_json(record)


def _content(text: str) -> JsonValue:
    if not text.startswith(("{", "[")):
        return text
    try:
        value = cast(JsonValue, json.loads(text))
        return value if spelled_json(value) == text else text
    except (ValueError, RecursionError):
        return text
