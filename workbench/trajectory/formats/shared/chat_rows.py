"""Read and write messages in the form of chat APIs, with positions. No content raises an exception."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple, cast

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.body.shape import other_members
from workbench.hermes.spelling.tools import template_json
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.formats.shared.entry_keys import MASK_KEYS, EntryKeys, read_keys, with_part_keys
from workbench.trajectory.formats.shared.result_lists import split_lists
from workbench.trajectory.formats.shared.text_entries import is_wrapped, read_results
from workbench.trajectory.hermes_text import tagged
from workbench.trajectory.row import (
    NO_ARGUMENTS,
    EntryCall,
    EntryResult,
    RowEntry,
    RowFinding,
    is_blank,
)
from workbench.trajectory.trajectory import Call, Prose, RowMessage
from workbench.trajectory.writing.row_draft import PART_MASKS


class Shape(NamedTuple):
    """Differences between formats with chat messages."""

    arguments: Literal["object", "text"]
    names_results: bool


def spell_messages(messages: tuple[RowMessage, ...], shape: Shape) -> list[JsonValue]:
    """Write each message as an object with its text as `content` and its thought as `reasoning_content`.

    *Source:* OpenAI's chat messages; the chat template of Qwen3 for `reasoning_content`; OpenAI's fine-tuning API
    for `weight`.
    """
    return [_spelled(message, shape) for message in messages]


def render_tools(tools: OfferedTools) -> list[JsonValue]:
    """Write the specs as a list."""
    return [spec.document for spec in tools.specs]


def _spelled(message: RowMessage, shape: Shape) -> JsonObject:
    fields: dict[str, JsonValue] = {"role": str(message.role)}
    if message.role is Role.TOOL:
        fields |= _result_fields(message, shape)
    else:
        text = "".join(prose.text for prose in message.prose)
        fields["content"] = text if text or not message.calls else None
    if message.thoughts:
        fields["reasoning_content"] = message.thoughts[0].text
    if message.calls:
        fields["tool_calls"] = [_call_fields(call, shape) for call in message.calls]
    if message.is_trained is not None:
        fields["weight"] = int(message.is_trained)
    return {**fields, **message.others}


def _result_fields(message: RowMessage, shape: Shape) -> JsonObject:
    result = message.result
    if result is None:
        return {"content": ""}
    fields: dict[str, JsonValue] = {}
    if result.id is not None:
        fields["tool_call_id"] = result.id
    if shape.names_results and result.name is not None:
        fields["name"] = result.name
    return {**fields, "content": result.text}


def _call_fields(call: Call, shape: Shape) -> JsonObject:
    arguments: JsonValue = call.arguments
    if shape.arguments == "text":
        arguments = template_json(call.arguments) if call.arguments_text is None else call.arguments_text
    function: JsonObject = {"name": call.name, "arguments": arguments}
    call_id: JsonObject = {} if call.id is None else {"id": call.id}
    return {**call_id, "type": "function", "function": function, **call.others}


CALL_KEYS: Final = frozenset({"id", "type", "index", "function", "name", "arguments"})
"""Members of a call that have a meaning of their own."""


ROLES: Final = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
    "ipython": Role.TOOL,
}
"""Role by its name in chat APIs; OpenAI uses `developer` in new and `function` in old messages, Llama's templates use
`ipython` for results."""
THOUGHT_KEYS: Final = ("reasoning_content", "reasoning", "thinking")
"""Keys for separate reasoning. *Source:* DeepSeek and vLLM, OpenRouter, Hugging Face's gpt-oss template."""
_USED: Final = frozenset({"role", "content", "tool_calls", "function_call"})
_USED_OF_RESULTS: Final = _USED | {"tool_call_id", "name"}


class _Spot(NamedTuple):
    """The position of a message, and the lists that collect its problems and the masks of its calls."""

    place: int
    pointer: str
    findings: list[RowFinding]
    call_masks: list[bool]

    def report(self, code: str, message: str, below: str = "", severity: Severity = Severity.ERROR) -> None:
        pointer = self.pointer + below
        self.findings.append(
            RowFinding(code=code, message=message, severity=severity, entry=self.place, pointer=pointer)
        )


def read_messages(
    messages: Sequence[JsonValue], pointer: str, findings: list[RowFinding], *, start: int = 0
) -> tuple[RowEntry, ...]:
    """Read each message as an entry.

    Args:
        messages: The messages as the row has them.
        pointer: JSON pointer to their list.
        findings: Gets the problems.
        start: Index of the first entry.
    """
    return split_lists(
        [
            _entry(as_object(message), _Spot(start + index, f"{pointer}/{index}", findings, []))
            for index, message in enumerate(messages)
        ]
    )


def _entry(fields: JsonObject, spot: _Spot) -> RowEntry:
    speaker = fields.get("role")
    role = ROLES.get(speaker) if isinstance(speaker, str) else None
    if role is None:
        spot.report("unknown-role", f"unknown role {speaker!r:.40}; use {', '.join(ROLES)}", "/role")
    thought_key = _thought_key(fields)
    text = _text(fields, spot)
    if role is Role.USER and is_wrapped(text):
        role = Role.TOOL
    calls = tuple(_calls(fields, spot))
    refusal, refusal_place = _refusal(fields)
    keys = read_keys(fields, _used(fields, thought_key))
    thought = cast(str, fields[thought_key]) if thought_key else None
    content = fields.get("content")
    if isinstance(content, list) or spot.call_masks or PART_MASKS in keys.others:
        # The JSON of other contents has all of their members.
        is_text = refusal_place == "refusal" and content_text(fields) is not None
        masks = _masks_beside(keys, spot.call_masks, len(calls), has_thought=bool(thought))
        keys = with_part_keys(keys, content if is_text else None, masks, usual=role is Role.ASSISTANT)
    # OpenAI's logs have the text of a refusal there, and no content. A trainer would see an empty answer.
    is_refusal = not text and not calls and isinstance(refusal, str)
    for problem in keys.problems:
        spot.report("mask-value", problem.message, f"/{problem.key}")
    # Arguments that are text stay what they are; a message has a place for them.
    is_lost = any(call.problem and not (call.name and call.arguments_text) for call in calls)
    return RowEntry(
        place=spot.place,
        pointer=spot.pointer,
        role=role,
        speaker=str(speaker),
        text=cast(str, refusal) if is_refusal else text,
        text_pointer=f"{spot.pointer}/{refusal_place if is_refusal else 'content'}",
        thought=thought,
        calls=calls,
        tagged_text=_tagged(fields, text, thought) if is_lost else None,
        results=_results(fields, text, spot) if role is Role.TOOL else (),
        is_trained=keys.is_trained,
        others=keys.others,
    )


def _masks_beside(
    keys: EntryKeys, call_masks: Sequence[bool], calls: int, *, has_thought: bool
) -> list[bool | None]:
    """Return the masks of a message's thoughts and calls; None for those that have none."""
    given = keys.others.get(PART_MASKS)
    thoughts = given if isinstance(given, list) else [None] if has_thought else []
    masks: list[bool | None] = [mask if isinstance(mask, bool) else None for mask in thoughts]
    return [*masks, *call_masks, *([None] if len(call_masks) < calls else [])]


def _thought_key(fields: JsonObject) -> str | None:
    for key in THOUGHT_KEYS:
        if isinstance(fields.get(key), str):
            return key
    return None


def _used(fields: JsonObject, thought_key: str | None) -> frozenset[str]:
    """Return the names of the members that are read as something else than `others`."""
    used = _USED_OF_RESULTS if ROLES.get(str(fields.get("role"))) is Role.TOOL else _USED
    if "function_call" in fields and not isinstance(fields["function_call"], Mapping):
        used -= {"function_call"}
    return used | {thought_key} if thought_key else used


def _refusal(fields: JsonObject) -> tuple[JsonValue, str]:
    """Return the text of a refusal and its place in the message; it may be the only part of the content."""
    content = fields.get("content")
    if not (isinstance(content, list) and len(content) == 1):
        return fields.get("refusal"), "refusal"
    part: JsonObject = as_object(content[0])
    is_part = set(part) == {"type", "refusal"} and isinstance(part["refusal"], str)
    return (part["refusal"], "content/0/refusal") if is_part else (fields.get("refusal"), "refusal")


def has_place(message: RowMessage, key: str, value: JsonValue) -> bool:
    """Whether a message of a chat API can have this member beside its own."""
    is_thought = key in THOUGHT_KEYS and isinstance(value, str)
    if key == "reasoning_content" or (is_thought and not message.thoughts):
        return False
    return key not in (_USED_OF_RESULTS if message.role is Role.TOOL else _USED)


def has_same_content(message: RowMessage) -> bool:
    """Whether the text of a message is also its `content`, so that positions in it stay right."""
    return message.text is None or message.parts == (Prose(text=message.text),)


def content_text(fields: JsonObject) -> str | None:
    """Return the content of a message if it is a text, or a list of texts; otherwise None."""
    content = fields.get("content")
    if isinstance(content, str):
        return content
    texts = [as_object(part).get("text") for part in content] if isinstance(content, list) else [None]
    return "".join(cast(list[str], texts)) if texts and all(isinstance(text, str) for text in texts) else None


def _text(fields: JsonObject, spot: _Spot) -> str:
    text = content_text(fields)
    if text is not None:
        return text
    content = fields.get("content")
    if _refusal(fields)[1] != "refusal":
        return ""
    if content is None or content == []:
        if "content" not in fields and not any(map(fields.get, ("tool_calls", "function_call", "refusal"))):
            spot.report("missing-field", "the message has neither content nor calls", "/content")
        return ""
    if fields.get("role") != "tool":
        spot.report("missing-field", "the content is not a text; write it as one", "/content")
    return template_json(content)


def _tagged(fields: JsonObject, text: str, thought: str | None) -> str:
    """Return a message as one text, with the function of each call in Hermes' tags as the row has it."""
    tool_calls = fields.get("tool_calls")
    given = [*tool_calls] if isinstance(tool_calls, list) else [tool_calls] if tool_calls else []
    functions = [as_object(call).get("function", call) for call in given]
    functions += [fields["function_call"]] if fields.get("function_call") else []
    blocks = (tagged(template_json(function)) for function in functions)
    return "\n".join(
        (*([f"<think>\n{thought}\n</think>"] if thought else []), *([text] if text else []), *blocks)
    )


def _calls(fields: JsonObject, spot: _Spot) -> Iterator[EntryCall]:
    tool_calls = fields.get("tool_calls")
    if isinstance(tool_calls, list):
        for index, call in enumerate(tool_calls):
            yield _call(as_object(call), f"/tool_calls/{index}", spot, index=index)
    elif tool_calls is not None:
        problem, pointer = "`tool_calls` is not a list", f"{spot.pointer}/tool_calls"
        spot.report("call-unreadable", problem, "/tool_calls")
        yield EntryCall(name="", arguments=None, pointer=pointer, arguments_pointer=pointer, problem=problem)
    if isinstance(fields.get("function_call"), dict):
        yield _call({"function": fields["function_call"]}, "", spot, key="/function_call")


def _call(call: JsonObject, below: str, spot: _Spot, key: str = "/function", *, index: int = 0) -> EntryCall:
    # Chat APIs wrap the call in `function`; chat templates also accept it without.
    function, within = (as_object(call["function"]), below + key) if "function" in call else (call, below)
    if function is not call and not MASK_KEYS.isdisjoint(call):
        call = _without_mask(call, below, spot)
    name, call_id, raw_arguments = (
        function.get("name"),
        _text_member(call, "id", spot, below),
        function.get("arguments"),
    )
    arguments, problem = _arguments(raw_arguments)
    if not isinstance(name, str) or not name:
        problem = "the call has no name"
    if problem:
        spot.report("call-unreadable", problem, within if "name" in problem else f"{within}/arguments")
    return EntryCall(
        name=name if isinstance(name, str) else "",
        arguments=arguments,
        arguments_text=raw_arguments if isinstance(raw_arguments, str) else None,
        id=call_id,
        pointer=spot.pointer + (below or key),
        arguments_pointer=f"{spot.pointer}{within}/arguments",
        problem=problem,
        is_bare=problem == NO_ARGUMENTS,
        others=_others(call, function, index),
    )


def _without_mask(call: JsonObject, below: str, spot: _Spot) -> JsonObject:
    """Return a call without its mask, which is added to those of the spot."""
    keys = read_keys(call, CALL_KEYS)
    for problem in keys.problems:
        spot.report("mask-value", problem.message, f"{below}/{problem.key}")
    spot.call_masks.extend([] if keys.is_trained is None else [keys.is_trained])
    return {key: value for key, value in call.items() if key in CALL_KEYS or key in keys.others}


def _others(call: JsonObject, function: JsonObject, index: int) -> JsonObject:
    """Return what a call has beside its function, and the function beside its name and arguments."""
    is_usual = call.keys() <= _USUAL and call.get("type") == "function" and isinstance(call.get("id"), str)
    if is_usual and function.keys() <= _IN_FUNCTION:
        return {}
    members = {**other_members(call), **other_members(function)}
    if function is not call:
        members |= {key: call[key] for key in ("name", "arguments") if key in call}
    if call.get("type") not in (None, "function"):
        members["type"] = call["type"]
    # In a call that was streamed, its place.
    if call.get("index") not in (None, index):
        members["index"] = call["index"]
    return {key: value for key, value in members.items() if value is not None and value is not function}


_USUAL: Final = frozenset({"id", "type", "function"})
_IN_FUNCTION: Final = frozenset({"name", "arguments"})


def _arguments(value: JsonValue) -> tuple[JsonObject | None, str]:
    if is_blank(value):
        return None, NO_ARGUMENTS
    if isinstance(value, str):
        try:
            value = cast(JsonValue, json.loads(value))
        except (ValueError, RecursionError):
            return None, "the arguments are not JSON"
    if not isinstance(value, dict):
        return None, "the arguments are not an object"
    return value, ""


def _results(fields: JsonObject, text: str, spot: _Spot) -> tuple[EntryResult, ...]:
    """Read the result, or each one of those within tags."""
    results = read_results(text, f"{spot.pointer}/content")
    if len(results) > 1 or fields.get("role") == "user":
        return results
    call_id, name = _text_member(fields, "tool_call_id", spot), _text_member(fields, "name", spot)
    if call_id is None and name is None:
        return results
    return tuple([replace(result, id=call_id, name=name) for result in results])


def _text_member(fields: JsonObject, key: str, spot: _Spot, below: str = "") -> str | None:
    """Return an id or a name. A number is read as its text, and anything else is reported."""
    value = fields.get(key)
    if value is None or isinstance(value, str):
        return value
    if type(value) is int:
        return str(value)
    spot.report("missing-field", f"`{key}` is not a text; write it as one", f"{below}/{key}")
    return None
