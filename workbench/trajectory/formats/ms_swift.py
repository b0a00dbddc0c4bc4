"""Read and write ms-swift's rows: each call is a message of the role `tool_call`, each result a `tool_response`.

*Source:* `docs/source_en/Instruction/Agent-support.md`, `swift/dataset/preprocessor/core.py` and, for preference rows,
`_compat_rejected_response` of `swift/template/template_inputs.py` of ms-swift.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.formats.llamafactory import THOUGHT
from workbench.trajectory.formats.openai import OPENAI, TEXT_CALL_STEPS
from workbench.trajectory.formats.preference import DPO, mark_answer, need_rejected, share_prompt
from workbench.trajectory.formats.row_format import RowContent, RowFormat
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

_REJECTED: Final = "rejected_messages"
"""The rejected answer with the prompt before it."""
_RESPONSE: Final = "rejected_response"
"""The rejected answer as a text."""
_REJECTED_TOOLS: Final = "rejected_tools"


def _view(row: JsonObject) -> View:
    messages = row.get("messages")
    if not isinstance(messages, list):
        return View(fields=row)
    findings: list[RowFinding] = []
    built = _build(messages, "/messages", findings)
    return view_of(row, {"messages": built}, findings=findings)


def _pair_view(row: JsonObject) -> View:
    """Return the answers as whole conversations, as the trainer has them."""
    findings: list[RowFinding] = []
    messages, rejected = row.get("messages"), row.get(_REJECTED)
    chosen = _build(messages if isinstance(messages, list) else [], "/messages", findings)
    if isinstance(rejected, list):
        bad = _rejected_messages(row, rejected, chosen, findings)
    else:
        bad = chosen[: _answer_start([message.role for message in chosen])]
        bad.append(BuiltMessage("assistant", f"/{_RESPONSE}"))
        _add_text(bad[-1], row.get(_RESPONSE), f"/{_RESPONSE}")
    is_known = {
        _REJECTED_TOOLS: row.get(_REJECTED_TOOLS) in (None, row.get("tools")),
        _RESPONSE: rejected is None,
    }
    columns = {
        key: value
        for key, value in row.items()
        if key not in ("messages", "tools", _REJECTED) and not is_known.get(key)
    }
    lists = {"chosen": chosen, "rejected": bad}
    return view_of({"tools": row.get("tools")}, lists, findings=findings, columns=columns)


def _rejected_messages(
    row: JsonObject, rejected: Sequence[JsonValue], chosen: Sequence[BuiltMessage], findings: list[RowFinding]
) -> list[BuiltMessage]:
    """Return the messages of a whole rejected conversation, and add its findings that `chosen` does not have."""
    own: list[RowFinding] = []
    built = _build(rejected, f"/{_REJECTED}", own)
    pairs = zip(chosen, built, strict=False)
    alike = len(list(takewhile(lambda pair: pair[0].fields == pair[1].fields, pairs)))
    findings += [replace(finding, entry=None) for finding in own if (finding.entry or 0) >= alike]
    if row.get(_REJECTED_TOOLS) != row.get("tools"):
        message = f"`{_REJECTED_TOOLS}` differs from `tools`, so the trainer shows each answer other tools"
        findings.append(RowFinding(code="tools-mismatch", message=message, pointer=f"/{_REJECTED_TOOLS}"))
    return built


def _answer_start(roles: Sequence[JsonValue]) -> int:
    """Return where a `rejected_response` begins: it replaces everything after the last question or result."""
    return max((index + 1 for index, role in enumerate(roles) if role in ("user", "tool")), default=0)


def _build(messages: Sequence[JsonValue], place: str, findings: list[RowFinding]) -> list[BuiltMessage]:
    """Return the messages of a list as chat APIs have them; `place` is the pointer to it."""
    built: list[BuiltMessage] = []
    model: BuiltMessage | None = None
    """The model's message, which the trainer joins with the calls that follow it."""
    members: JsonObject = {}
    """The members of the messages that become it."""
    for index, message in enumerate(messages):
        fields, here = as_object(message), f"{place}/{index}"
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
        _add_text(model, fields.get("content"), f"{here}/content")
        model = model if role == "assistant" else None
    return built


def _add_text(message: BuiltMessage, content: JsonValue, place: str) -> None:
    thought = THOUGHT.match(content) if message.role == "assistant" and isinstance(content, str) else None
    if thought:
        message.add_thought(thought[1])
        content = str(content)[thought.end() :] or None
    add_content(message, content, place)


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


def _fits_pair(row: JsonObject) -> bool:
    has_answer = isinstance(row.get(_RESPONSE), str) or isinstance(row.get(_REJECTED), list)
    return has_answer and isinstance(row.get("messages"), list)


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
    return {"messages": _spelled(trajectory.messages), **_tools(trajectory, "tools"), **trajectory.columns}


def _spell_pair(trajectory: Trajectory, _options: RowOptions) -> JsonObject:
    messages, start = trajectory.messages, trajectory.answer_index
    bad = _spelled(trajectory.rejected)
    rejected: JsonObject
    if (
        len(bad) == 1
        and as_object(bad[0]) == {"role": "assistant", "content": as_object(bad[0])["content"]}
        and start == _answer_start([message.role for message in messages])
    ):
        rejected = {_RESPONSE: as_object(bad[0])["content"]}
    else:
        # The trainer shows the tools to this answer only if they are written a second time.
        rejected = {_REJECTED: _spelled(messages[:start]) + bad, **_tools(trajectory, _REJECTED_TOOLS)}
    return {
        "messages": _spelled(messages),
        **rejected,
        **_tools(trajectory, "tools"),
        **trajectory.columns,
    }


def _tools(trajectory: Trajectory, column: str) -> JsonObject:
    specs = [spec.document for spec in trajectory.tools.specs]
    return {column: template_json(specs)} if specs else {}


def _spelled(messages: Iterable[RowMessage]) -> list[JsonValue]:
    return [fields for message in messages for fields in _spell_message(message)]


def _spell_message(message: RowMessage) -> Iterator[JsonObject]:
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


_STEPS: Final = (drop_details(lambda _message: False), *TEXT_CALL_STEPS, trim_prose)

MS_SWIFT: Final = RowFormat(
    name="ms-swift",
    title="ms-swift's rows: tool_call and tool_response as messages of their own",
    fits=_fits,
    read=lambda row: read_view(row, "ms-swift", _view(row), OPENAI.read),
    steps=(drop_preference, drop_columns("messages", "tools"), *_STEPS),
    spell=_spell,
)
MS_SWIFT_DPO: Final = RowFormat(
    name="ms-swift-dpo",
    title="ms-swift's preference rows: messages, and a rejected_response or rejected_messages",
    fits=_fits_pair,
    read=lambda row: read_view(row, "ms-swift-dpo", _pair_view(row), DPO.read),
    steps=(
        need_rejected,
        drop_columns("messages", "tools", _REJECTED, _RESPONSE, _REJECTED_TOOLS),
        mark_answer,
        *_STEPS,
        share_prompt,
    ),
    spell=_spell_pair,
    content=RowContent.PAIR,
    answers=("messages", _REJECTED),
)
