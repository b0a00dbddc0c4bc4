"""Read messages of LangChain: as `messages_to_dict` writes them, as `model_dump`, and as `dumpd` serialises them.

*Source:* `langchain_core.messages` and `langchain_core.load.dump`.
"""

from collections.abc import Sequence
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object, loads_fast
from workbench.trajectory.formats.anthropic import add_block
from workbench.trajectory.formats.openai import OPENAI
from workbench.trajectory.formats.shared.entry_keys import MASK_KEYS
from workbench.trajectory.formats.shared.message_builder import (
    BuiltMessage,
    add_content,
    chat_call,
    mask_of,
    view_of,
)
from workbench.trajectory.formats.shared.views import View, view_format

_ROLES: Final = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "function",
    "developer": "developer",
}
_CALLS: Final = ("tool_calls", "invalid_tool_calls")
_USED: Final = ("type", "content", "tool_call_id", "additional_kwargs", *_CALLS)
_BLOCKS: Final = ("tool_use", "tool_call", "function_call")
"""Types of blocks whose calls LangChain repeats in `tool_calls`."""


def _message(message: JsonValue, place: str) -> BuiltMessage:
    outer = as_object(message)
    key = "kwargs" if "lc" in outer else "data" if "data" in outer else ""
    name = _class(outer) if key == "kwargs" else outer.get("type")
    inner = outer.get(key) if key else outer
    place = f"{place}/{key}" if key else place
    fields = as_object(inner)
    role, own = _role(name, fields), _own(fields)
    built = BuiltMessage(
        role, place, {**own, "role": role} if str(name).startswith(("chat", "Chat")) else own
    )
    if key:
        built.keep(outer, ("type", key, *(("lc", "id") if key == "kwargs" else ())), key)
    if not isinstance(inner, dict):
        add_content(built, [inner], place)
    if "type" in fields and _role(fields["type"], fields) != _role(name, fields):
        built.keep({"type": fields["type"]}, (), key)
    extra = fields.get("additional_kwargs")
    members = as_object(extra)
    if not members:
        built.keep({"additional_kwargs": extra}, (), "")
    thought = members.get("reasoning_content")
    if isinstance(thought, str):
        built.add_thought(thought)
    calls = [
        (as_object(call), f"{place}/{key}/{index}")
        for key in _CALLS
        for index, call in enumerate(_list(fields, key))
    ]
    _add_content(built, fields, f"{place}/content", [call for call, _place in calls])
    for call, here in calls:
        is_usual = call.get("type") in (None, "tool_call", "invalid_tool_call")
        outside = ("error", "index", *([] if is_usual else ["type"]))
        built.add_call(chat_call(call, "id", "args", outside), (here, f"{here}/args"))
        built.keep({key: call[key] for key in outside if key in call}, (), "tool_calls")
    _add_extra(built, members, f"{place}/additional_kwargs", [call for call, _place in calls])
    return built


def _class(fields: JsonObject) -> JsonValue:
    """Return the last part of an id such as `["langchain", "schema", "messages", "AIMessage"]`."""
    names = fields.get("id")
    return names[-1] if isinstance(names, list) and names else None


def _role(name: JsonValue, fields: JsonObject) -> JsonValue:
    """Return the role that a type such as `human`, or a class such as `HumanMessageChunk`, has in a chat API."""
    kind = str(name).removesuffix("Chunk").removesuffix("Message").lower()
    if kind != "chat":
        return _ROLES.get(kind, name)
    role = fields.get("role")
    return _ROLES.get(str(role).lower(), role)


def _own(fields: JsonObject) -> JsonObject:
    """Return the members that a chat message has too, and the ones of LangChain that say anything."""
    others: dict[str, JsonValue] = {
        key: value for key, value in fields.items() if key not in _USED and value not in (None, {}, [])
    }
    for key in _CALLS:
        if not isinstance(fields.get(key), list | None):
            others[key] = fields[key]
    return {**others, "tool_call_id": fields["tool_call_id"]} if "tool_call_id" in fields else others


def _list(fields: JsonObject, key: str) -> Sequence[JsonValue]:
    calls = fields.get(key)
    return calls if isinstance(calls, list) else []


def _add_content(message: BuiltMessage, fields: JsonObject, place: str, calls: Sequence[JsonObject]) -> None:
    content = fields.get("content")
    if not isinstance(content, list):
        # A message of calls has an empty text.
        if content != "" or not (calls or fields.get("additional_kwargs")):
            add_content(message, content, place)
        return
    for index, block in enumerate(content):
        members = as_object(block)
        arguments = members.get("input", members.get("args"))
        if members.get("type") in _BLOCKS and _is_among(members, arguments, calls):
            if mask := mask_of(members, f"{place}/{index}"):
                message.add_mask(mask)
            message.keep(members, ("type", "id", "name", "input", "args", *MASK_KEYS), "tool_use")
        else:
            add_block(message, block, f"{place}/{index}")


def _is_among(call: JsonObject, arguments: JsonValue, calls: Sequence[JsonObject]) -> bool:
    """Whether a call is one of others, so that it says nothing new."""
    return any(
        (other.get("id"), other.get("name"), other.get("args"))
        == (call.get("id"), call.get("name"), arguments)
        for other in calls
    )


def _add_extra(message: BuiltMessage, extra: JsonObject, place: str, calls: Sequence[JsonObject]) -> None:
    """Add the calls that only `additional_kwargs` has, as the model's API gave them, and keep its other members."""
    used = ["refusal", *(["reasoning_content"] if isinstance(extra.get("reasoning_content"), str) else [])]
    given = extra.get("tool_calls")
    if isinstance(given, list):
        used.append("tool_calls")
        for index, call in enumerate(given):
            members, function = as_object(call), as_object(as_object(call).get("function"))
            here = f"{place}/tool_calls/{index}"
            is_known = _is_among({**members, "name": function.get("name")}, _loaded(function), calls)
            if not is_known:
                message.add_call(members or {"function": call}, (here, f"{here}/function/arguments"))
    if isinstance(extra.get("function_call"), dict) and not calls:
        used.append("function_call")
        here = f"{place}/function_call"
        message.add_call({"function": extra["function_call"]}, (here, f"{here}/arguments"))
    message.keep(extra, used, "additional_kwargs")
    message.keep({"refusal": extra.get("refusal")}, (), "additional_kwargs")


def _loaded(function: JsonObject) -> JsonValue:
    try:
        return loads_fast(str(function.get("arguments")))
    except (ValueError, RecursionError):
        return None


def _view(row: JsonObject) -> View:
    messages = row.get("messages")
    if not isinstance(messages, list):
        return View(fields=row)
    built = [_message(message, f"/messages/{index}") for index, message in enumerate(messages)]
    return view_of(row, {"messages": built})


def is_message(value: JsonValue) -> bool:
    """Whether a value is a message of LangChain in one of the three forms."""
    fields = as_object(value)
    if "lc" in fields:
        return "kwargs" in fields
    kind = fields.get("type")
    is_known = isinstance(kind, str) and (kind in _ROLES or kind.endswith(("MessageChunk", "Message")))
    return is_known and "role" not in fields and ("data" in fields or "content" in fields)


def _fits(row: JsonObject) -> bool:
    messages = row.get("messages")
    if not isinstance(messages, list) or not messages:
        return False
    first = as_object(messages[0])
    if "role" in first and first.get("type") != "chat":
        return False
    return any(map(is_message, messages))


LANGCHAIN: Final = view_format(
    "langchain",
    "messages of LangChain: human, ai, system and tool, with args of calls",
    _fits,
    _view,
    OPENAI.read,
)
