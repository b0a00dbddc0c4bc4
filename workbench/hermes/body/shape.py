"""Turn a JSON object into a call: find the name and the arguments, whatever the keys are called."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.json_text.reader import read_value
from workbench.hermes.reading import Dialect
from workbench.hermes.text.completion import BodyText, JsonNode, UnreadableBody
from workbench.hermes.text.notes import BlockNotes
from workbench.toolspec.spec import OfferedTools

_NAME_KEYS: Final = ("name", "tool", "tool_name", "function_name")
_ARGUMENT_KEYS: Final = ("arguments", "parameters", "args", "params", "input")
_WRAPPERS: Final = ("function", "function_call")
_SILENT_KEYS: Final = frozenset({"id", "type", "index"})
_PREFIX: Final = "functions."
_NO_NAME: Final = re.compile(r"[\s<>{}]")


@dataclass(slots=True)
class CallDraft:
    """A parsed call, before it is checked against its schema."""

    name: str
    arguments: JsonObject
    dialect: Dialect
    start: int
    end: int
    node: JsonNode | None = None
    """The arguments with their positions, or None if they were decoded or rewritten."""
    rewrites: list[tuple[str, int, int, bool]] = field(default_factory=list[tuple[str, int, int, bool]])
    """Code, start and end of text to rewrite once the arguments are final, and whether with the whole call."""

    is_surely_valid: bool = False
    """Whether the arguments certainly match the schema of the tool, and have no other properties."""
    unconverted: JsonObject | None = None
    """The arguments before values were converted to the types of the schema. None if none was."""
    written: str = ""
    """The body for the strict reader, filled by `as_bodies`."""

    @property
    def text(self) -> str:
        """The call as a canonical JSON body."""
        return json.dumps({"name": self.name, "arguments": self.arguments}, ensure_ascii=False)


def shape_call(notes: BlockNotes, node: JsonNode, tools: OfferedTools | None) -> CallDraft | None:
    """Find the name and arguments of a call in a JSON value. Return None, and report why, if it is not a call.

    Args:
        notes: Takes fixes and findings. Its text is the one that the positions in `node` refer to.
        node: Any JSON value.
        tools: The offered tools, or None to accept any name.
    """
    if node.members is None:
        notes.report("not-an-object", node.start, node.end)
        return None
    node = _unwrapped(notes, node)
    single = _single_key(notes, node, tools)
    if single:
        return single
    name = _name(notes, node, tools)
    draft = CallDraft(name or "", {}, Dialect.JSON, node.start, node.end)
    has_arguments = _read_arguments(notes, node, draft, tools)
    return draft if name and has_arguments else None


def is_plain_name(name: str, tools: OfferedTools | None) -> bool:
    """Return whether a tool name needs no fix."""
    if tools is not None and name in tools.by_name:
        return True
    return bool(name) and not _NO_NAME.search(name) and not name.startswith(_PREFIX)


def normal_name(
    notes: BlockNotes, written: str, place: tuple[int, int], tools: OfferedTools | None, *, json_text: bool
) -> str | None:
    """Return the tool's name without white space and prefix. Return None, and report it, if it is not a valid name.

    The name of a declared tool is never changed.
    """
    if tools is not None and written in tools.by_name:
        return written
    name, codes = written.strip(), list[str]()
    if name != written:
        codes.append("name-whitespace")
    is_declared = tools is not None and name in tools.by_name
    if name.startswith(_PREFIX) and not is_declared:
        name = name.removeprefix(_PREFIX)
        codes.append("name-prefix")
    if not name or _NO_NAME.search(name):
        notes.report("bad-name", *place, f"{written[:60]!r} is not a valid tool name")
        return None
    for index, code in enumerate(codes):
        if index == 0:
            notes.rewrite(code, *place, json.dumps(name, ensure_ascii=False) if json_text else name)
        else:
            notes.mark(code, *place)
    return name


def is_tool_spec(value: JsonValue) -> bool:
    """Whether a JSON value is the spec of a tool and not a call: it has a description, or a schema for parameters."""
    if not isinstance(value, Mapping):
        return False
    inner = value.get("function")
    if isinstance(inner, Mapping):
        value = cast(JsonObject, inner)
    parameters = value.get("parameters")
    has_schema = isinstance(parameters, Mapping) and (
        isinstance(parameters.get("properties"), Mapping)
        or parameters.get("type") == "object"
        or "$schema" in parameters
    )
    return "description" in value or has_schema


def is_bad_parameter(name: str) -> bool:
    """Return whether a parameter that is not declared cannot have this name."""
    return not name or _NO_NAME.search(name) is not None


def decode_alone(text: str) -> tuple[JsonNode, BlockNotes] | None:
    """Read the JSON value inside a decoded string by the same rules. Return None if it is not exactly one value."""
    notes = BlockNotes(text)
    source = BodyText(text, len(text), notes, is_closed=True)
    try:
        node = read_value(source, 0, "")
        return (node, notes) if source.skip(node.end) == source.end else None
    except UnreadableBody:
        return None


def _unwrapped(notes: BlockNotes, node: JsonNode) -> JsonNode:
    if any(node.member(key) for key in _NAME_KEYS):
        return node
    for key in _WRAPPERS:
        pair = node.member(key)
        if pair and pair[1].members is not None and any(pair[1].member(name) for name in _NAME_KEYS):
            inner = pair[1]
            notes.rewrite("openai-wrapper", node.start, inner.start, "")
            notes.rewrite("openai-wrapper", inner.end, node.end, "", unwraps=node.start)
            return inner
    return node


def _single_key(notes: BlockNotes, node: JsonNode, tools: OfferedTools | None) -> CallDraft | None:
    members = node.members or []
    if tools is None or len(members) != 1 or node.finders:
        return None
    key, value = members[0]
    if str(key.value) not in tools.by_name or value.members is None:
        return None
    name = json.dumps(key.value, ensure_ascii=False)
    notes.rewrite("single-key-call", key.start, key.end, f'"name": {name}, "arguments"')
    return CallDraft(str(key.value), cast(JsonObject, value.value), Dialect.JSON, node.start, node.end, value)


def _aliased(notes: BlockNotes, node: JsonNode, keys: tuple[str, ...]) -> tuple[JsonNode, JsonNode] | None:
    pair = node.member(keys[0])
    if pair:
        return pair
    for alias in keys[1:]:
        pair = node.member(alias)
        if pair:
            notes.rewrite("key-alias", pair[0].start, pair[0].end, f'"{keys[0]}"')
            return pair
    return None


def _name(notes: BlockNotes, node: JsonNode, tools: OfferedTools | None) -> str | None:
    pair = _aliased(notes, node, _NAME_KEYS)
    if not pair:
        notes.report("bad-name", node.start, node.end, "the call has no name")
        return None
    value = pair[1]
    if not isinstance(value.value, str):
        notes.report("bad-name", value.start, value.end, "the name is not a string")
        return None
    return normal_name(notes, value.value, (value.start, value.end), tools, json_text=True)


def _read_arguments(notes: BlockNotes, node: JsonNode, draft: CallDraft, tools: OfferedTools | None) -> bool:
    """Store the arguments of `node` in `draft`. Return False, and report it, if they cannot be read."""
    pair = _aliased(notes, node, _ARGUMENT_KEYS)
    if not pair:
        return _read_flattened(notes, node, draft, tools)
    value = pair[1]
    if value.members is not None:
        draft.arguments, draft.node = cast(JsonObject, value.value), value
        return True
    is_empty = value.value is None or (isinstance(value.value, str) and not value.value.strip())
    if is_empty and not notes.has_refused(value.start, value.end):
        notes.rewrite("missing-arguments", value.start, value.end, "{}")
        return True
    if isinstance(value.value, str) and _read_string(notes, value, draft):
        return True
    notes.report("arguments-not-object", value.start, value.end)
    return False


def _read_string(notes: BlockNotes, value: JsonNode, draft: CallDraft) -> bool:
    decoded = decode_alone(str(value.value))
    if decoded is None or not (decoded[0].value is None or decoded[0].members is not None):
        return False
    node, inner = decoded
    notes.absorb(inner, value.start, value.end)
    if node.value is None:
        notes.mark("missing-arguments", value.start, value.end)
    else:
        draft.arguments = cast(JsonObject, node.value)
    draft.rewrites.append(("string-arguments", value.start, value.end, False))
    return True


def _read_flattened(notes: BlockNotes, node: JsonNode, draft: CallDraft, tools: OfferedTools | None) -> bool:
    """Read arguments that are next to the name instead of under `arguments`, or no arguments at all."""
    values = cast("dict[str, JsonValue]", node.value)
    others = {
        key: value for key, value in values.items() if key not in _NAME_KEYS and key not in _SILENT_KEYS
    }
    if not others:
        notes.insert("missing-arguments", node.start, node.start + 1, '"arguments": {}, ')
        return True
    spec = tools.by_name.get(draft.name) if tools is not None else None
    if spec is not None and all(key in spec.properties for key in others):
        draft.arguments = {
            key: value for key, value in values.items() if key in spec.properties and key != "name"
        }
        draft.rewrites.append(("flattened-arguments", node.start, node.end, True))
        return True
    notes.report(
        "arguments-not-object", node.start, node.end, "no arguments, and keys that a call does not have"
    )
    return False
