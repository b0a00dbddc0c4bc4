"""Read and write the rows of LLaMA-Factory's version 1: messages with lists of typed parts.

*Source:* `src/llamafactory/v1/utils/types.py`, `v1/core/data_engine.py` and `v1/core/rendering/format.py` of
LLaMA-Factory, which reads such rows without a converter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object, loads_fast
from workbench.chat.message import Role
from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.formats.openai import OPENAI, TEXT_CALL_STEPS
from workbench.trajectory.formats.preference import DPO, mark_answer, need_rejected, share_prompt
from workbench.trajectory.formats.row_format import RowContent, RowFormat
from workbench.trajectory.formats.shared.call_texts import read_calls
from workbench.trajectory.formats.shared.entry_keys import MASK_KEYS
from workbench.trajectory.formats.shared.message_builder import BuiltMessage, add_content, mask_of, view_of
from workbench.trajectory.formats.shared.views import View, read_view
from workbench.trajectory.hermes_text import render_call
from workbench.trajectory.mask import is_counted
from workbench.trajectory.row import RowFinding
from workbench.trajectory.trajectory import (
    Call,
    Part,
    Prose,
    Result,
    RowMessage,
    Thought,
    Trajectory,
)
from workbench.trajectory.writing.losses import drop_columns, drop_details, drop_preference
from workbench.trajectory.writing.row_draft import RowDraft, RowOptions

_TYPES: Final = ("text", "reasoning", "tool_call", "tools", "image_url", "video_url", "audio_url")
_READ: Final = ("text", "reasoning", "tool_call")
_ANSWERS: Final = ("chosen_messages", "rejected_messages")


class _Reader:
    """Reads the messages of a row, and the tools that a part may declare."""

    def __init__(self) -> None:
        self.findings: list[RowFinding] = []
        self.tools: JsonValue = None
        """The tools of a part of the type `tools`; None if there is none."""
        self.tools_place = ""

    def messages(self, messages: Sequence[JsonValue], place: str) -> Iterator[BuiltMessage]:
        """Yield the messages of a list; `place` is the pointer to it."""
        for index, message in enumerate(messages):
            yield self._message(as_object(message), f"{place}/{index}", index)

    def _message(self, fields: JsonObject, here: str, entry: int) -> BuiltMessage:
        # Without a weight, the trainer counts the model's messages and no others.
        usual = 1 if fields.get("role") == "assistant" else 0
        used = ("role", "content", *(["loss_weight"] if fields.get("loss_weight") == usual else []))
        others = {key: value for key, value in fields.items() if key not in used}
        message = BuiltMessage(fields.get("role"), here, others)
        content = fields.get("content")
        if not isinstance(content, list):
            add_content(message, content, f"{here}/content")
            return message
        for index, part in enumerate(content):
            self._add(message, part, f"{here}/content/{index}", entry)
        return message

    def _add(self, message: BuiltMessage, part: JsonValue, here: str, entry: int) -> None:
        fields = as_object(part)
        kind, value, mask = fields.get("type"), fields.get("value"), mask_of(fields, here)
        place = f"{here}/value"
        report = partial(self._report, entry, place)
        if kind == "tools" and self.tools is None:
            self.tools, self.tools_place = value, place
        elif kind not in _READ:
            message.add_text(part, here)
        elif not isinstance(value, str):
            report("missing-field", f"the value of a {kind} part is not a text")
        elif kind == "text":
            message.add_text(value, place, mask=mask)
        elif kind == "reasoning":
            message.add_thought(value, mask)
        else:
            message.add_read_calls(
                read_calls(value, place, "tool_call", report, takes_list=False), value, mask
            )
        if kind in _READ:
            message.keep(fields, ("type", "value", *MASK_KEYS), str(kind))

    def _report(self, entry: int, pointer: str, code: str, message: str) -> None:
        self.findings.append(RowFinding(code=code, message=message, entry=entry, pointer=pointer))


def _view(row: JsonObject) -> View:
    messages = row.get("messages")
    if not isinstance(messages, list):
        return View(fields=row)
    reader = _Reader()
    return _with_tools(row, {"messages": list(reader.messages(messages, "/messages"))}, reader)


def _pair_view(row: JsonObject) -> View:
    reader = _Reader()
    answers: dict[str, list[BuiltMessage]] = {}
    for key in _ANSWERS:
        messages = row.get(key)
        if not isinstance(messages, list):
            message = f"`{key}` is not a list of messages"
            reader.findings.append(RowFinding(code="missing-field", message=message, pointer=f"/{key}"))
            messages = []
        answers[key.removesuffix("_messages")] = list(reader.messages(messages, f"/{key}"))
    rest = {key: value for key, value in row.items() if key not in _ANSWERS}
    return _with_tools(rest, answers, reader)


def _with_tools(rest: JsonObject, lists: dict[str, list[BuiltMessage]], reader: _Reader) -> View:
    column = rest.get("tools")
    if reader.tools is not None and column is not None and _loaded(column) != _loaded(reader.tools):
        message = "a part and the column declare different tools; remove one"
        reader.findings.append(RowFinding(code="tools-mismatch", message=message, pointer=reader.tools_place))
    if reader.tools is None or column is not None:
        return view_of(rest, lists, findings=reader.findings)
    view = view_of({**rest, "tools": reader.tools}, lists, findings=reader.findings)
    return replace(view, places={**view.places, "/tools": reader.tools_place})


def _loaded(tools: JsonValue) -> JsonValue:
    try:
        return loads_fast(tools) if isinstance(tools, str) else tools
    except (ValueError, RecursionError):
        return tools


def _is_list(value: JsonValue) -> bool:
    for message in value if isinstance(value, list) else ():
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list) and any(_is_part(part) for part in content):
            return True
    return False


def _is_part(part: JsonValue) -> bool:
    fields = as_object(part)
    return "value" in fields and fields.get("type") in _TYPES


def _spell(trajectory: Trajectory, _options: RowOptions) -> JsonObject:
    return {"messages": _spelled(trajectory.messages), **_rest(trajectory)}


def _spell_pair(trajectory: Trajectory, _options: RowOptions) -> JsonObject:
    prompt = trajectory.messages[: trajectory.answer_index]
    return {
        "chosen_messages": _spelled(trajectory.messages),
        "rejected_messages": _spelled((*prompt, *trajectory.rejected)),
        **_rest(trajectory),
    }


def _rest(trajectory: Trajectory) -> JsonObject:
    specs = [spec.document for spec in trajectory.tools.specs]
    return {**({"tools": template_json(specs)} if specs else {}), **trajectory.columns}


def _spelled(messages: Sequence[RowMessage]) -> list[JsonValue]:
    return [
        {
            "role": str(message.role),
            "content": [_part(part) for part in message.parts],
            "loss_weight": float(is_counted(message)),
            **message.others,
        }
        for message in messages
    ]


def _part(part: Part) -> JsonObject:
    match part:
        case Thought():
            return {"type": "reasoning", "value": part.text}
        case Prose() | Result():
            return {"type": "text", "value": part.text}
        case Call():
            return {"type": "tool_call", "value": render_call(part)}


def _settle_masks(draft: RowDraft) -> None:
    """Drop masks that repeat the default."""
    draft.rewrite(
        lambda message: (
            replace(message, is_trained=None)
            if message.is_trained is (message.role is Role.ASSISTANT)
            else message
        )
    )


_STEPS: Final = (drop_details(lambda _message: False, has_shares=True), *TEXT_CALL_STEPS, _settle_masks)
LLAMAFACTORY_V1: Final = RowFormat(
    name="llamafactory-v1",
    title="rows of LLaMA-Factory's version 1: typed parts with a value",
    fits=lambda row: _is_list(row.get("messages")),
    read=lambda row: read_view(row, "llamafactory-v1", _view(row), OPENAI.read),
    steps=(drop_preference, drop_columns("messages", "tools"), *_STEPS),
    spell=_spell,
)
LLAMAFACTORY_V1_DPO: Final = RowFormat(
    name="llamafactory-v1-dpo",
    title="preference rows of LLaMA-Factory's version 1: chosen_messages and rejected_messages",
    fits=lambda row: _is_list(row.get("chosen_messages")) and "rejected_messages" in row,
    read=lambda row: read_view(row, "llamafactory-v1-dpo", _pair_view(row), DPO.read),
    steps=(need_rejected, drop_columns(*_ANSWERS, "tools"), mark_answer, *_STEPS, share_prompt),
    spell=_spell_pair,
    content=RowContent.PAIR,
    answers=_ANSWERS,
)
