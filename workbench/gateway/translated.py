"""Translate requests of other protocols into chat requests, which are prepared, run and recorded as all others."""

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.gateway.faults import RequestFault
from workbench.gateway.requests import ChatRequest, GenerationFields, parse_form
from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.formats.shared.message_builder import BuiltMessage, function_tools

_CHAT_KEYS: Final = ("role", "content", "tool_calls", "tool_call_id", "name", "reasoning_content")
_SILENT: Final = ("id", "status", "signature")
"""Members that a client only repeats from an answer, and that say nothing to a model."""
_TOOL_KEYS: Final = ("type", "function")
_PART_KEYS: Final = ("type", "image_url", "detail", "source")
_MESSAGE_PLACE: Final = re.compile(r"messages(?:\[|, /)(\d+)[^:]*")
"""How faults name a message of a chat request, such as `messages[2].content` or `messages, /2/tool_calls/0`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatedRequest:
    """A request as a chat request."""

    chat: ChatRequest
    names: "ClientNames"
    """What its parts are called in the client's own request."""
    ignored: tuple[str, ...]
    """Names of what the client sent and a chat request cannot say."""

    @property
    def conversation(self) -> tuple[JsonObject, ...]:
        """The messages without the instructions of this request."""
        messages = cast(list[JsonObject], self.chat.messages)
        return tuple(messages[1:] if self.names.places[0] == "instructions" else messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientNames:
    """What the parts of a chat request are called in the client's own request."""

    places: tuple[str, ...]
    """The place of each message, such as `input[3]`."""
    fields: Mapping[str, str]
    """The names of other fields that differ."""

    @contextmanager
    def used(self) -> Generator[None]:
        """Let faults name the place in the client's request.

        Raises:
            RequestFault: What was raised, with another place.
        """
        try:
            yield
        except RequestFault as fault:
            message = self._moved(fault.message)
            param = fault.param
            if param is not None:
                param = (
                    message.partition(":")[0] if _MESSAGE_PLACE.match(fault.message) else self._moved(param)
                )
            raise replace(fault, message=message, param=param) from None

    def _moved(self, text: str) -> str:
        if found := _MESSAGE_PLACE.match(text):
            return self.places[int(found[1])] + text[found.end() :]
        for chat, own in self.fields.items():
            if text.startswith(chat):
                return own + text.removeprefix(chat)
        return text


def translated(
    shared: JsonObject, own: JsonObject, names: ClientNames, ignored: Iterable[str]
) -> TranslatedRequest:
    """Return a translated request. Fields that are None are not set.

    Args:
        shared: The fields that the client wrote as a chat request has them.
        own: The fields that it wrote in another way.
        ignored: Names of what the client sent and the chat request does not say.

    Raises:
        RequestFault: A field has a wrong value.
    """
    given = {name: value for fields in (shared, own) for name, value in fields.items() if value is not None}
    with names.used():
        chat = parse_form(given, ChatRequest)
    return TranslatedRequest(chat=chat, names=names, ignored=tuple(sorted(set(ignored))))


def chat_messages(built: Iterable[BuiltMessage]) -> tuple[list[JsonObject], set[str]]:
    """Return the messages for a chat request, and the names of the members that they cannot say."""
    messages: list[JsonObject] = []
    ignored: set[str] = set()
    for message in built:
        fields = message.fields
        others = {key.rpartition(".")[2] for key in fields.keys() - set(_CHAT_KEYS)}
        ignored |= others - set(_SILENT)
        chat = {key: fields[key] for key in _CHAT_KEYS if key in fields}
        if isinstance(content := fields.get("content"), list):
            chat["content"], others = _chat_parts(content)
            ignored |= others
        if isinstance(calls := fields.get("tool_calls"), list):
            chat["tool_calls"] = [_with_text(as_object(call)) for call in calls]
        messages.append(chat)
    return messages, ignored


def place_of(message: BuiltMessage) -> str:
    """Return the place of a message in the client's request.

    >>> place_of(BuiltMessage("user", "/messages/2/content/0"))
    'messages[2].content[0]'
    """
    first, *rest = message.places[""].removeprefix("/").split("/")
    return first + "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in rest)


def chat_tools(tools: Sequence[dict[str, Any]] | None) -> tuple[JsonValue, set[str]]:
    """Return the functions as a chat request offers them, and the names of other tools and members."""
    given = cast(list[JsonValue], list(tools or ()))
    found, hosted = function_tools([tool for tool in given if not _takes_text(tool)])
    functions = cast(list[JsonValue], found)
    hosted += filter(_takes_text, given)
    others = {key for tool in functions for key in as_object(tool) if "function" in as_object(tool)}
    names = {str(as_object(tool).get("type")) for tool in hosted} | (others - set(_TOOL_KEYS))
    return [_without_others(tool) for tool in functions] or None, {f"tools.{name}" for name in names}


def _takes_text(tool: JsonValue) -> bool:
    """Return whether a tool is a custom tool of OpenAI, which takes a text."""
    fields = as_object(tool)
    return fields.get("type") == "custom" and "input_schema" not in fields


def _without_others(tool: JsonValue) -> JsonValue:
    """Return a function without the members that chat requests do not have, such as `cache_control`."""
    fields = as_object(tool)
    return {key: fields[key] for key in _TOOL_KEYS if key in fields} if "function" in fields else tool


def shared_fields(
    form: GenerationFields, own: Iterable[str], renamed: Iterable[str]
) -> tuple[dict[str, JsonValue], set[str]]:
    """Return the parameters that have the same name in a chat request, and the names of those without effect.

    Args:
        own: Parameters that only the client's own protocol has.
        renamed: Parameters of chat requests that the protocol calls by other names.
    """
    extra = form.model_extra or {}
    unknown = {name for name in extra if name in own or name in ChatRequest.model_fields}
    passed = {name: value for name, value in extra.items() if name not in unknown}
    unused = {name for name in unknown if extra[name]}
    left_out = {"n", "stream_options", *renamed}
    unused |= {name for name in {"n", *renamed} if getattr(form, name) is not None}
    shared = form.model_dump(include=set(GenerationFields.model_fields) - left_out, exclude_none=True)
    return {**passed, **shared}, unused


def _with_text(call: JsonObject) -> JsonObject:
    """Return a call with its arguments as a text, as chat requests have them."""
    function = as_object(call.get("function"))
    arguments = function.get("arguments")
    if not isinstance(arguments, Mapping):
        return call
    return {**call, "function": {**function, "arguments": template_json(arguments)}}


def _chat_parts(parts: Sequence[JsonValue]) -> tuple[list[JsonValue], set[str]]:
    """Return the parts of a content as chat requests spell them, and the names of the members that they cannot say.

    Only images have another spelling. An image that is a file on the API's own servers stays as it is.
    """
    spelled: list[JsonValue] = []
    ignored: set[str] = set()
    for part in parts:
        fields = as_object(part)
        url = _image_url(fields)
        if url is None:
            spelled.append(part)
            continue
        detail = {"detail": fields["detail"]} if fields.get("detail") else {}
        spelled.append({"type": "image_url", "image_url": {"url": url, **detail}})
        ignored |= {key for key, value in fields.items() if key not in _PART_KEYS and value is not None}
    return spelled, ignored


def _image_url(part: JsonObject) -> str | None:
    """Return the address of an image of another protocol, or None."""
    source = as_object(part.get("source"))
    url = {"input_image": part.get("image_url"), "image": source.get("url")}.get(str(part.get("type")))
    if part.get("type") == "image" and source.get("type") == "base64":
        url = f"data:{source.get('media_type')};base64,{source.get('data')}"
    return url if isinstance(url, str) else None
