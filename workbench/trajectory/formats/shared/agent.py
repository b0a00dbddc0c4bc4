"""What hermes-agent's rows need beside the entries of ShareGPT."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.trajectory.hermes_text import spell_parts
from workbench.trajectory.trajectory import Call, Prose, Result, RowMessage, Trajectory
from workbench.trajectory.writing.additions import tie
from workbench.trajectory.writing.change import Loss
from workbench.trajectory.writing.holding import Holding
from workbench.trajectory.writing.losses import refuse_partial_answers

_EMPTY_THOUGHT: Final = "<think>\n</think>\n"


def tie_results(holding: Holding) -> None:
    """Ids stand on results alone: calls that none answers have no id, all others have one."""
    refuse_partial_answers(holding)
    answered: dict[int, int] = {}
    for message, results in holding.rounds():
        answered[id(message)] = len(results)

    def change(message: RowMessage) -> RowMessage:
        calls = message.calls[answered.get(id(message), 0) :]
        if not any(call.id is not None for call in calls):
            return message
        holding.note(Loss.IDS, message.place)
        unanswered = {id(call) for call in calls}
        parts = (
            replace(part, id=None) if isinstance(part, Call) and id(part) in unanswered else part
            for part in message.parts
        )
        return replace(message, parts=tuple(parts))

    holding.rewrite(change)
    tie(holding, answered_only=True)


def lead_with_thought(holding: Holding) -> None:
    """Every message of the model begins with a thought, an empty one if need be."""

    def change(message: RowMessage) -> RowMessage:
        if message.role is not Role.ASSISTANT:
            return message
        text = message.text
        if text is None or (message.thoughts and not text.startswith("<think>")):
            text = spell_parts(message.parts)
        if text.startswith("<think>"):
            return replace(message, text=text)
        parts = message.parts
        first = parts[0] if parts else None
        if isinstance(first, Prose) and first.text != first.text.lstrip():
            holding.note(Loss.WHITE_SPACE, message.place)
            left = first.text.lstrip()
            parts = (*([Prose(text=left)] if left else []), *parts[1:])
            text = text.lstrip()
        return replace(message, parts=parts, text=_EMPTY_THOUGHT + text)

    holding.rewrite(change)


def fill_agent_columns(holding: Holding) -> None:
    """Whether the run was completed, and how often each tool was called and failed.

    *Source:* `batch_runner.py` of hermes-agent; every offered tool is listed, with zeros if need be.
    """
    given = holding.trajectory
    last = given.messages[-1] if given.messages else None
    is_completed = last is not None and last.role is Role.ASSISTANT and not last.calls
    computed: JsonObject = {"completed": is_completed, "tool_stats": _tool_stats(given)}
    missing = {key: value for key, value in computed.items() if key not in given.columns}
    holding.trajectory = replace(given, columns={**given.columns, **missing})


def _tool_stats(trajectory: Trajectory) -> JsonObject:
    counts = {name: {"count": 0, "success": 0, "failure": 0} for name in trajectory.tools.names}
    for result in _results(trajectory):
        stats = counts.setdefault(result.name or "", {"count": 0, "success": 0, "failure": 0})
        stats["count"] += 1
        stats["failure" if has_failed(result.text) else "success"] += 1
    return counts


def _results(trajectory: Trajectory) -> Iterator[Result]:
    return (message.result for message in trajectory.messages if message.result is not None)


def has_failed(text: str) -> bool:
    """Whether a result tells of a failure. *Source:* `_extract_tool_stats` of hermes-agent's batch runner.

    >>> has_failed('{"error": "no such file"}'), has_failed('{"error": null}'), has_failed("")
    (True, False, True)
    """
    if not text or text.lower().startswith("error:"):
        return True
    try:
        fields = as_object(cast(JsonValue, json.loads(text)))
    except (ValueError, RecursionError):
        return False
    inner = as_object(fields.get("content"))
    return any(one.get("error") is not None or one.get("success") is False for one in (fields, inner))
