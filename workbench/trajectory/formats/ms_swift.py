"""Read and write ms-swift's rows: each call is a message of the role `tool_call`, each result a `tool_response`.

*Source:* `docs/source_en/Instruction/Agent-support.md` and `swift/dataset/preprocessor/core.py` of ms-swift.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.formats.llamafactory import THOUGHT
from workbench.trajectory.formats.openai import OPENAI, TEXT_CALL_STEPS
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.shared.call_texts import read_calls
from workbench.trajectory.formats.shared.entry_keys import MASK_KEYS
from workbench.trajectory.formats.shared.message_builder import BuiltMessage, add_content, view_of
from workbench.trajectory.formats.shared.views import View, read_view
from workbench.trajectory.hermes_text import render_call, spell_parts
from workbench.trajectory.row import RowFinding
from workbench.trajectory.trajectory import RowMessage, Trajectory
from workbench.trajectory.writing.losses import drop_columns, drop_details, drop_preference, trim_prose
from workbench.trajectory.writing.row_draft import RowOptions

_CALL_ROLES: Final = ("tool_call", "function_call")
_RESULT_ROLES: Final = ("tool_response", "tool", "function_response", "observation", "observations")
"""`MessagesPreprocessor` turns the other words into `tool_call` and `tool_response`."""


def _view(row: JsonObject) -> View:
    messages = row.get("messages")
    if not isinstance(messages, list):
        return View(fields=row)
    built: list[BuiltMessage] = []
    findings: list[RowFinding] = []
    model: BuiltMessage | None = None
    """The model's message, which the trainer joins with the calls that follow it."""
    members: JsonObject = {}
    """The members of the messages that become it."""
    for index, message in enumerate(messages):
        fields, here = as_object(message), f"/messages/{index}"
        role = fields.get("role")
        others = {key: value for key, value in fields.items() if key not in ("role", "content")}
        if role not in _CALL_ROLES or model is None:
            word = "assistant" if role in _CALL_ROLES else "tool" if role in _RESULT_ROLES else role
            model, members = BuiltMessage(word, here, others), others
            built.append(model)
        elif others:
            # Of several messages that become one, the trainer takes the members of the first.
            for key in others.keys() & members.keys() & MASK_KEYS:
                if others[key] != members[key]:
                    problem = (
                        f"`{key}` differs from that of the message that it is joined with; make them equal"
                    )
                    _report(findings, len(built) - 1, f"{here}/{key}", "mask-value", problem)
            model.keep(others, members.keys() & MASK_KEYS, str(role))
            members = {**others, **members}
        if role in _CALL_ROLES:
            report = partial(_report, findings, len(built) - 1, f"{here}/content")
            _add_call(model, fields.get("content"), f"{here}/content", report)
            continue
        content = fields.get("content")
        thought = THOUGHT.match(content) if role == "assistant" and isinstance(content, str) else None
        if thought:
            model.add_thought(thought[1])
            content = str(content)[thought.end() :] or None
        add_content(model, content, f"{here}/content")
        model = model if role == "assistant" else None
    return view_of(row, {"messages": built}, findings=findings)


def _report(findings: list[RowFinding], entry: int, pointer: str, code: str, message: str) -> None:
    findings.append(RowFinding(code=code, message=message, entry=entry, pointer=pointer))


def _add_call(
    message: BuiltMessage, content: JsonValue, place: str, report: Callable[[str, str], None]
) -> None:
    text = _plain(content if isinstance(content, str) else template_json(content))
    message.add_read_calls(read_calls(text, place, "tool_call", report, takes_list=False), text)


def _plain(text: str) -> str:
    """Return a call with `arguments` as an object; ms-swift also takes `parameters`, and both as a text of JSON."""
    try:
        fields = as_object(cast(JsonValue, json.loads(text)))
        arguments = fields.get("arguments", fields.get("parameters"))
        if not isinstance(arguments, str) and "parameters" not in fields:
            return text
        value = json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        return text
    rest = {key: member for key, member in fields.items() if key not in ("arguments", "parameters")}
    return template_json({**rest, "arguments": value})


def _fits(row: JsonObject) -> bool:
    messages = row.get("messages")
    if not isinstance(messages, list):
        return False
    for message in messages:  # noqa: SIM110  twice as fast as `any` with a generator
        if isinstance(message, dict) and message.get("role") in _OWN_ROLES:
            return True
    return False


_OWN_ROLES: Final = (*_CALL_ROLES, *(role for role in _RESULT_ROLES if role != "tool"))


def _spell(trajectory: Trajectory, _options: RowOptions) -> JsonObject:
    row: dict[str, JsonValue] = {
        "messages": [fields for message in trajectory.messages for fields in _spelled(message)]
    }
    if trajectory.tools.specs:
        row["tools"] = template_json([spec.document for spec in trajectory.tools.specs])
    return {**row, **trajectory.columns}


def _spelled(message: RowMessage) -> Iterator[JsonObject]:
    """Yield the messages of one message: its text with the thought, then each call."""
    members: dict[str, JsonValue] = {}
    if message.is_trained is not None:
        members["loss"] = message.is_trained
    members |= message.others
    if message.result is not None:
        yield {"role": "tool_response", "content": message.result.text, **members}
        return
    text = spell_parts([part for part in message.parts if part not in message.calls])
    if text or not message.calls:
        # The calls follow a thought on a line of their own.
        end = "\n" if message.calls and not message.prose else ""
        yield {"role": str(message.role), "content": text + end, **members}
        members = {}
    for call in message.calls:
        yield {"role": "tool_call", "content": render_call(call), **members}
        members = {}


_NO_DETAILS: Final = drop_details(lambda _message: False)

MS_SWIFT: Final = RowFormat(
    name="ms-swift",
    title="ms-swift's rows: tool_call and tool_response as messages of their own",
    fits=_fits,
    read=lambda row: read_view(row, "ms-swift", _view(row), OPENAI.read),
    steps=(drop_preference, drop_columns("messages", "tools"), _NO_DETAILS, *TEXT_CALL_STEPS, trim_prose),
    spell=_spell,
)
