"""Read conversations of OpenAI's Responses API: a list of items for messages, reasoning, calls and results.

*Source:* the types of the `openai` package: `ResponseInputItemParam`, `ResponseOutputItem`, `FunctionTool`.
"""

from collections.abc import Iterable
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.trajectory.formats.openai import OPENAI
from workbench.trajectory.formats.shared.entry_keys import MASK_KEYS
from workbench.trajectory.formats.shared.message_builder import (
    BuiltMessage,
    PartMask,
    add_content,
    add_part,
    chat_call,
    function_tools,
    mask_of,
    texts_of,
    view_of,
)
from workbench.trajectory.formats.shared.views import View, view_format
from workbench.trajectory.row import RowFinding

_CALLS: Final = ("function_call", "custom_tool_call")
_RESULTS: Final = ("function_call_output", "custom_tool_call_output")
ITEMS: Final = ("message", "reasoning", *_CALLS, *_RESULTS)
"""Types of items that are read."""
_CALL_KEYS: Final = ("id", "status", "caller", "namespace", "async")
"""Members of a call's item that are not part of the call. They stay with the message."""


class ItemReader:
    """Reads items one after the other. What the model gave between two other items is one message.

    Args:
        between: What separates the texts of several items in one message. If it is not empty, joining them is a loss.
    """

    def __init__(self, between: str = "\n\n") -> None:
        self._between = between
        self.messages: list[BuiltMessage] = []
        self.findings: list[RowFinding] = []
        self._model: BuiltMessage | None = None
        """The model's message that the next item may belong to."""

    def read(self, items: Iterable[JsonValue], place: str) -> None:
        """Read items; `place` is the pointer to their list."""
        for index, item in enumerate(items):
            self.read_item(item, f"{place}/{index}")

    def add(
        self,
        role: JsonValue,
        content: JsonValue,
        place: str,
        content_place: str,
        mask: PartMask | None = None,
    ) -> BuiltMessage:
        """Add a message with a content, and return it; `mask` as in `add_content`."""
        if role == "assistant":
            message = self._of_model(place)
        else:
            message = self._new(BuiltMessage(role, place))
            self._model = None
        add_content(message, content, content_place, self._between, mask)
        return message

    def read_item(self, item: JsonValue, place: str) -> None:
        """Read one item; `place` is the pointer to it."""
        fields = as_object(item)
        kind = fields.get("type", "message" if "role" in fields else None)
        if kind == "message":
            role = fields.get("role")
            # Of the model's items, several become one message.
            is_part = role == "assistant"
            mask = mask_of(fields, place) if is_part else None
            message = self.add(role, fields.get("content"), place, f"{place}/content", mask)
            message.keep(fields, ("type", "role", "content", *(MASK_KEYS if is_part else ())), "message")
        elif kind == "reasoning":
            self._reasoning(fields, place)
        elif kind in _CALLS:
            self._call(fields, place)
        elif kind in _RESULTS:
            self._result(fields, place)
        else:
            message = f"unknown item {kind!r:.40}; remove it, or use {', '.join(ITEMS)}"
            self.findings.append(RowFinding(code="unknown-role", message=message, pointer=place))

    def _reasoning(self, fields: JsonObject, place: str) -> None:
        message = self._of_model(place)
        for key in ("content", "summary"):
            parts = fields.get(key)
            thought = texts_of(parts)
            if thought is None and parts is not None:
                add_part(message, parts, f"{place}/{key}")
            # A summary is only what there is to read if the reasoning itself is not in the item.
            elif thought and (key == "content" or not fields.get("content")):
                message.add_thought(thought, mask_of(fields, place))
            elif parts:
                message.keep({key: parts}, (), "reasoning")
        message.keep(fields, ("type", "content", "summary", *MASK_KEYS), "reasoning")

    def _call(self, fields: JsonObject, place: str) -> None:
        message = self._of_model(place)
        kind = str(fields["type"])
        if kind == "custom_tool_call":
            message.keep({"custom": True}, (), kind)
            call = chat_call(
                {**fields, "input": {"input": fields.get("input")}}, "call_id", "input", _CALL_KEYS
            )
            message.add_call(call, (place, place))
        else:
            message.add_call(
                chat_call(fields, "call_id", "arguments", _CALL_KEYS), (place, f"{place}/arguments")
            )
        message.keep({key: fields.get(key) for key in _CALL_KEYS}, (), kind)

    def _result(self, fields: JsonObject, place: str) -> None:
        call_id = {"tool_call_id": fields.get("call_id"), "name": fields.get("name")}
        message = self._new(BuiltMessage("tool", place, call_id))
        add_content(message, fields.get("output"), f"{place}/output")
        message.keep(fields, ("type", "call_id", "name", "output"), "result")
        self._model = None

    def _of_model(self, place: str) -> BuiltMessage:
        if self._model is None:
            self._model = self._new(BuiltMessage("assistant", place))
        return self._model

    def _new(self, message: BuiltMessage) -> BuiltMessage:
        self.messages.append(message)
        return message


def _view(row: JsonObject) -> View:
    reader = ItemReader()
    instructions = row.get("instructions")
    if isinstance(instructions, str) and instructions:
        reader.add("system", instructions, "/instructions", "/instructions")
    for key in ("instructions", "input", "output"):
        items = row.get(key)
        if isinstance(items, list):
            reader.read(items, f"/{key}")
        elif key != "instructions" and isinstance(items, str):
            reader.add("user" if key == "input" else "assistant", items, f"/{key}", f"/{key}")
        elif items is not None and not isinstance(items, str):
            message = f"`{key}` is neither a text nor a list of items"
            reader.findings.append(RowFinding(code="missing-field", message=message, pointer=f"/{key}"))
    tools, hosted = function_tools(row.get("tools"))
    used = ("instructions", "input", "output", "tools")
    return view_of(
        {**{key: value for key, value in row.items() if key not in used}, "tools": tools},
        {"messages": reader.messages},
        has_system_column=isinstance(instructions, str) and bool(instructions),
        findings=reader.findings,
        columns={"tools": hosted} if hosted else None,
    )


def _has_items(value: JsonValue) -> bool:
    return isinstance(value, list) and any(
        as_object(item).get("type") in ITEMS or "role" in as_object(item) for item in value
    )


def _fits(row: JsonObject) -> bool:
    if _has_items(row.get("output")):
        return True
    return _has_items(row.get("input")) and isinstance(row.get("output"), str | None)


RESPONSES: Final = view_format(
    "openai-responses",
    "conversations of OpenAI's Responses API: items of input and output",
    _fits,
    _view,
    OPENAI.read,
)
