"""Read the messages and tools of a request, and check what the reader of rows accepts but a client must not send."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, NamedTuple, cast

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Conversation, Message, Role
from workbench.errors import BadInput
from workbench.gateway.faults import RequestFault
from workbench.hermes.openai_messages import parse_messages
from workbench.toolspec.references import NOTHING, followed
from workbench.toolspec.spec import OfferedTools, canonical_json
from workbench.toolspec.tools_text import parse_tools

_ROLES: Final = {"developer": "system"}
"""Roles that newer clients send, and what they mean."""
_KNOWN: Final = ("system", "developer", "user", "assistant", "tool")
_TEXT_PARTS: Final = ("text", "refusal", "input_text", "output_text")


RESULT_MATCHED: Final = "result-without-id"
"""Code of the finding that a result named no call, and was matched with one by its tool or by order."""


class ClientMessages(NamedTuple):
    """The messages of a request."""

    conversation: Conversation
    """As the workbench renders them: results in the order of their calls, with the names of their tools."""
    findings: tuple[Finding, ...]
    """What is unusual in them, such as arguments that are not JSON."""
    for_server: tuple[JsonObject, ...]
    """As the client wrote them, for a server that renders them itself. Only older spellings are replaced, and ids that
    are missing are filled in."""


def read_conversation(messages: Sequence[dict[str, Any]], *, takes_parts: bool = False) -> ClientMessages:
    """Read the messages of a request.

    Args:
        takes_parts: Whether the model's server takes parts other than texts, such as images. The conversation has a
            placeholder with the hash of each of them.

    Raises:
        RequestFault: A role is unknown, a content is not text, a call has no name, or a result belongs to no call.
    """
    read: list[dict[str, JsonValue]] = []
    calls: list[_OpenCall] = []
    findings: list[Finding] = []
    for_server: list[JsonObject] = []
    for index, given in enumerate(messages):
        message = _in_newer_spelling(given, index)
        fields = _checked(message, index, takes_parts=takes_parts)
        if fields["role"] == "tool":
            call = _call_of(fields, index, calls, findings)
            fields = {**fields, "name": call.name}
            for_server.append({**message, "tool_call_id": call.id})
            read.insert(call.place_in(read), {**fields, _ORDER: call.order})
            continue
        calls = _open_calls(fields) if fields["role"] == "assistant" else []
        for_server.append(message)
        read.append(fields)
    try:
        parsed = parse_messages(cast(list[JsonValue], read))
    except BadInput as error:
        raise RequestFault(400, str(error), "invalid_value", "messages") from None
    return ClientMessages(parsed.conversation, (*findings, *parsed.findings), tuple(for_server))


_ORDER: Final = "_order"


@dataclass(slots=True)
class _OpenCall:
    """A call of the last answer, whose result may follow."""

    id: str
    name: str
    order: int
    is_answered: bool = False

    def place_in(self, read: Sequence[Mapping[str, JsonValue]]) -> int:
        """Return where the result belongs: before the results of later calls."""
        place = len(read)
        while place and _order_of(read[place - 1]) > self.order:
            place -= 1
        return place


def _order_of(fields: Mapping[str, JsonValue]) -> int:
    order = fields.get(_ORDER, -1)
    return order if isinstance(order, int) else -1


def _open_calls(fields: Mapping[str, JsonValue]) -> list[_OpenCall]:
    found: list[_OpenCall] = []
    entries = fields.get("tool_calls")
    for order, entry in enumerate(entries if isinstance(entries, list) else ()):
        call = as_object(entry)
        name, call_id = as_object(call.get("function")).get("name"), call.get("id")
        found.append(_OpenCall(str(call_id), name if isinstance(name, str) else "", order))
    return found


def _call_of(
    fields: Mapping[str, JsonValue], index: int, calls: Sequence[_OpenCall], findings: list[Finding]
) -> _OpenCall:
    # Qwen-Agent writes `id`. Functions of the older spelling have a name only.
    call_id = fields.get("tool_call_id", fields.get("id"))
    place = f"messages[{index}].tool_call_id"
    named = [call for call in calls if isinstance(call_id, str) and call.id == call_id]
    if not named and "tool_call_id" not in fields:
        name = fields.get("name")
        waiting = [call for call in calls if not call.is_answered]
        named = [call for call in waiting if call.name == name] or ([] if name else waiting)
        if named:
            message = f"the result names no call; it was matched with the call of {named[0].name[:40]!r}"
            findings.append(
                Finding(
                    code=RESULT_MATCHED,
                    message=message,
                    severity=Severity.WARNING,
                    pointer=f"/{index}",
                )
            )
    if not named:
        is_missing = not isinstance(call_id, str)
        message = (
            "it is missing. Name the call that the result is for."
            if is_missing
            else f"{call_id[:80]!r} is not the id of a call in the assistant message before the result."
        )
        code = "missing_required_parameter" if is_missing else "tool_result_without_call"
        raise RequestFault(400, f"{place}: {message}", code, place)
    call = next((call for call in named if not call.is_answered), None)
    if call is None:
        raise RequestFault(
            400, f"{place}: the call {named[0].id!r:.80} has a result already.", "invalid_value", place
        )
    call.is_answered = True
    return call


def _in_newer_spelling(message: dict[str, Any], index: int) -> dict[str, Any]:
    """Return a message with `tool_calls` instead of `function_call`, and an id for each call."""
    older, entries = message.get("function_call"), message.get("tool_calls")
    if message.get("role") == "function":
        message = {**message, "role": "tool"}
    if message.get("role") != "assistant":
        return message
    if older is not None and not entries:
        message = {key: value for key, value in message.items() if key != "function_call"}
        entries = [{"type": "function", "function": older}]
    if not isinstance(entries, list):
        return message
    calls = [
        call if not call or isinstance(call.get("id"), str) else {"id": f"call_{index}_{order}", **call}
        for order, call in enumerate(map(as_object, cast(list[JsonValue], entries)))
    ]
    return message if calls == entries else {**message, "tool_calls": calls}


def _checked(message: dict[str, Any], index: int, *, takes_parts: bool) -> dict[str, JsonValue]:
    """Return a message with a known role and a text as its content."""
    role = message.get("role")
    if role not in _KNOWN:
        place = f"messages[{index}].role"
        problem = f"{place}: unknown role {str(role)[:40]!r}. Use one of {', '.join(_KNOWN)}."
        raise RequestFault(400, problem, "invalid_value", place)
    fields: dict[str, JsonValue] = {**message, "role": _ROLES.get(role, role)}
    fields.pop(_ORDER, None)
    if not fields.get("tool_calls"):
        fields.pop("tool_calls", None)
    if fields["role"] not in ("assistant", "tool"):
        fields.pop("name", None)
    if role != "assistant":
        fields.pop("tool_calls", None)
    fields["content"] = _text(
        message.get("content"),
        f"messages[{index}].content",
        is_optional=role == "assistant",
        takes_parts=takes_parts,
    )
    return fields


def _text(content: Any, place: str, *, is_optional: bool, takes_parts: bool) -> str:
    if isinstance(content, str):
        return content
    if content is None:
        if is_optional:
            return ""
        raise RequestFault(400, f"{place}: it is missing.", "missing_required_parameter", place)
    if not isinstance(content, list):
        raise RequestFault(400, f"{place}: it must be a text or a list of parts.", "invalid_value", place)
    texts: list[str] = []
    for number, part in enumerate(cast(list[JsonValue], content)):
        fields = as_object(part)
        kind = fields.get("type", "text")
        text = fields.get("refusal") if kind == "refusal" else fields.get("text")
        if takes_parts and kind not in _TEXT_PARTS:
            texts.append(
                f"[{str(kind)[:40]} sha256:{sha256(canonical_json(part).encode()).hexdigest()[:16]}]"
            )
            continue
        if kind not in _TEXT_PARTS or not isinstance(text, str):
            raise RequestFault(
                400,
                f"{place}[{number}]: parts of type {str(kind)[:40]!r} are not supported. Send text only.",
                "unsupported_value",
                f"{place}[{number}]",
            )
        texts.append(text)
    return "".join(texts)


def read_tools(tools: Sequence[dict[str, Any]] | None) -> OfferedTools:
    """Read and check the tools of a request. Those that cannot be used are left out, and reported with the others.

    Raises:
        RequestFault: It is not a list of objects.
    """
    try:
        return parse_tools(tools or ())
    except BadInput as error:
        raise RequestFault(400, f"tools: {error.problem}.", "invalid_schema", "tools") from None


def check_schema_references(schema: Mapping[str, Any], place: str) -> None:
    """Check that a schema refers to nothing outside of itself.

    Raises:
        RequestFault: A `$ref` leaves the document, or leads nowhere.
    """
    open_values: list[JsonValue] = [schema]
    while open_values:
        value = open_values.pop()
        if isinstance(value, list):
            open_values.extend(value)
        elif isinstance(value, Mapping):
            fields = cast(JsonObject, value)
            reference = fields.get("$ref")
            if isinstance(reference, str) and not _is_inside(reference, schema):
                raise RequestFault(
                    400,
                    f"{place}: $ref {reference[:80]!r} leads out of the schema, or to nothing in it. "
                    "Write the definition into the schema, such as '#/$defs/NAME'.",
                    "invalid_schema",
                    place,
                )
            open_values.extend(fields.values())


def _is_inside(reference: str, root: JsonObject) -> bool:
    # An anchor is resolved by the check of the schema.
    is_anchor = reference.startswith("#") and not reference.startswith("#/")
    return is_anchor or followed(reference, root) is not NOTHING


def split_system(conversation: Conversation) -> tuple[str, tuple[Message, ...]]:
    """Return the client's own system text, and the messages after it. The text is empty if there is none."""
    messages = conversation.messages
    count = 0
    while count < len(messages) and messages[count].role is Role.SYSTEM:
        count += 1
    return "\n\n".join(message.text for message in messages[:count] if message.text), messages[count:]
