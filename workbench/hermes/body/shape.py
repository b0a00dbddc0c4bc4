"""Turn a JSON object into a call: find the name and the arguments, whatever the keys are called."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.body.call_keys import ARGUMENT_KEYS, NAME_KEYS, WRAPPERS, declared_keys
from workbench.hermes.json_text.reader import read_value
from workbench.hermes.reading import Dialect
from workbench.hermes.text.completion import (
    BodyText,
    JsonNode,
    KeyFinder,
    UnreadableBody,
    within_call,
)
from workbench.hermes.text.notes import BlockNotes
from workbench.toolspec.spec import OfferedTools, ToolSpec

_SILENT_KEYS: Final = frozenset({"id", "type", "index", "tool_call_id"})
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
    rewrites: tuple[tuple[str, int, int, bool], ...] = ()
    """Code, start and end of text to rewrite once the arguments are final, and whether with the whole call."""

    is_surely_valid: bool = False
    """Whether the arguments certainly match the schema of the tool, and have no other properties."""
    unconverted: JsonObject | None = None
    """The arguments before values were converted to the types of the schema. None if none was."""
    written: str = ""
    """The body for the strict reader, filled by `as_bodies`."""
    others: dict[str, JsonValue] | None = None
    """Members beside the name and the arguments that are not used, reported as `unknown-member`. None if all are."""
    others_place: tuple[int, int] = (0, 0)
    """Start of the first and end of the last of them."""

    @property
    def text(self) -> str:
        """The call as a canonical JSON body, with the members that are not used."""
        call = {"name": self.name, "arguments": self.arguments}
        return json.dumps({**call, **(self.others or {}), **call}, ensure_ascii=False)


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
    return _Shape(notes, node, tools).read()


def has_others(members: Mapping[str, object], arguments: JsonObject, spec: ToolSpec | None) -> bool:
    """Return whether a call has members beside `name` and `arguments` that are not its own.

    `id`, `type` and `index` are the call's own if they are not an object or array, unless the tool declares an argument
    of that name and the call has none: in `{"name": "delete", "arguments": {"force": true}, "id": 7}`, the arguments
    were closed too early. `"type": "function"` is the call's own unless the argument is required.
    """
    return any(
        key not in ("name", "arguments") and not _is_own(key, value, arguments, spec)
        for key, value in members.items()
    )


def other_members(call: JsonObject) -> JsonObject:
    """Return the members of a call beside its name and arguments, except for its own `id`, `type` and `index`.

    >>> other_members({"name": "f", "arguments": {}, "id": "c1", "x": 2})
    {'x': 2}
    """
    return {
        key: value
        for key, value in call.items()
        if key not in ("name", "arguments") and not _is_own(key, value, {}, None)
    }


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


def decode_alone(text: str, keys: KeyFinder | None) -> tuple[JsonNode, BlockNotes] | None:
    """Read the JSON value inside a decoded string by the same rules. Return None if it is not exactly one value."""
    notes = BlockNotes(text)
    source = BodyText(text, len(text), notes, is_closed=True, keys=keys)
    try:
        node = read_value(source, 0, "")
        return (node, notes) if source.skip(node.end) == source.end else None
    except UnreadableBody:
        return None


class _Shape:
    """One call that is being read from a JSON object.

    Args:
        node: The call, or the wrapper around it.
    """

    def __init__(self, notes: BlockNotes, node: JsonNode, tools: OfferedTools | None) -> None:
        self.notes = notes
        self.outer = node
        self.node, self.pairs = _unwrapped(notes, node)
        self.tools = tools
        self.draft = CallDraft("", {}, Dialect.JSON, self.node.start, self.node.end)
        self.used: set[int] = set()
        """Positions of the keys whose values are the name or the arguments."""

    def read(self) -> CallDraft | None:
        """Return the call, or None, which is reported, if it has no valid name or arguments."""
        is_call = self._read_single_key()
        if not is_call:
            self.draft.name = self._name() or ""
            is_call = self._read_arguments() and bool(self.draft.name)
        if not is_call:
            return None
        if len(self.pairs) > len(self.used):
            self._read_others(self.node, self.pairs)
        if self.outer is not self.node:
            self._read_others(self.outer, self.outer.pairs())
        return self.draft

    @property
    def spec(self) -> ToolSpec | None:
        """The offered tool that is called."""
        return self.tools.by_name.get(self.draft.name) if self.tools is not None else None

    def _read_single_key(self) -> bool:
        """Read `{"move": {"a": 1}}`, where the name of an offered tool is the key of its arguments.

        In `{"move": {"a": 1}, "b": 2}` the arguments were closed too early. This only counts if `move` declares `b`.
        """
        members = cast("dict[str, JsonValue]", self.node.value)
        if (
            self.tools is None
            or self.node.plain_members
            or ("name" in members and "name" not in self.tools.by_name)
        ):
            return False
        names = [key for key in members if key in self.tools.by_name]
        pair = self.pairs.get(names[0]) if len(names) == 1 else None
        if pair is None or pair[1].members is None:
            return False
        spec, arguments = self.tools.by_name[names[0]], cast(JsonObject, pair[1].value)
        more = [key for key in members if key != spec.name]
        if not all(_is_declared(key, arguments, spec) and key not in NAME_KEYS for key in more):
            return False
        name = json.dumps(spec.name, ensure_ascii=False)
        self.notes.rewrite("single-key-call", pair[0].start, pair[0].end, f'"name": {name}, "arguments"')
        self.draft.name, self.draft.arguments, self.draft.node = spec.name, arguments, pair[1]
        self.used.add(pair[0].start)
        return True

    def _name(self) -> str | None:
        pair = next(filter(None, map(self.pairs.get, NAME_KEYS)), None)
        if not pair:
            self.notes.report("bad-name", self.node.start, self.node.end, "the call has no name")
            return None
        value = pair[1]
        self._take(pair, NAME_KEYS[0])
        if not isinstance(value.value, str):
            self.notes.report("bad-name", value.start, value.end, "the name is not a string")
            return None
        return normal_name(self.notes, value.value, (value.start, value.end), self.tools, json_text=True)

    def _take(self, pair: tuple[JsonNode, JsonNode], correct: str) -> None:
        """Use a member, whose key becomes `correct`."""
        key = pair[0]
        self.used.add(key.start)
        if key.value != correct:
            self.notes.rewrite("key-alias", key.start, key.end, f'"{correct}"')

    def _rewrite_all(self, code: str) -> None:
        """Record a fix that writes the whole call again, once its arguments are final."""
        rewrite = (code, self.node.start, self.node.end, True)
        if rewrite not in self.draft.rewrites:
            self.draft.rewrites += (rewrite,)

    def _read_arguments(self) -> bool:
        """Store the arguments in the draft. Return False, and report it, if they cannot be read."""
        pairs = list(filter(None, map(self.pairs.get, ARGUMENT_KEYS)))
        if not pairs and self.outer is not self.node:
            # {"function": {"name": "move"}, "arguments": {"a": 1}}
            pairs = list(filter(None, map(self.outer.member, ARGUMENT_KEYS)))
            if pairs:
                self._rewrite_all("openai-wrapper")
        if not pairs:
            return self._read_flattened()
        # In {"arguments": null, "parameters": {"a": 1}} only the second member says something.
        pair = pairs[0]
        if len(pairs) > 1:
            pair = next((pair for pair in pairs if not _is_empty(pair[1])), pair)
        self._take(pair, ARGUMENT_KEYS[0])
        for other in pairs:
            if other is not pair and _is_empty(other[1]):
                self.used.add(other[0].start)
                self._rewrite_all("key-alias")
        return self._read_value(pair[1])

    def _read_value(self, value: JsonNode) -> bool:
        if value.members is not None:
            self.draft.arguments, self.draft.node = cast(JsonObject, value.value), value
            return True
        if _is_empty(value) and not self.notes.has_refused(value.start, value.end):
            self.notes.rewrite("missing-arguments", value.start, value.end, "{}")
            return True
        if isinstance(value.value, str) and self._read_string(value):
            return True
        self.notes.report("arguments-not-object", value.start, value.end)
        return False

    def _read_string(self, value: JsonNode) -> bool:
        decoded = decode_alone(str(value.value), within_call(declared_keys(self.tools), self.draft.name))
        if decoded is None or not (decoded[0].value is None or decoded[0].members is not None):
            return False
        node, inner = decoded
        self.notes.absorb(inner, value.start, value.end)
        if node.value is None:
            self.notes.mark("missing-arguments", value.start, value.end)
        else:
            self.draft.arguments = cast(JsonObject, node.value)
        self.draft.rewrites += (("string-arguments", value.start, value.end, False),)
        return True

    def _read_flattened(self) -> bool:
        """Read arguments that are next to the name instead of under `arguments`, or no arguments at all."""
        node, spec, pairs = self.node, self.spec, self.pairs
        members = {
            key: value
            for key, value in cast(JsonObject, node.value).items()
            if pairs[key][0].start not in self.used
        }
        others = [key for key in members if not _is_own(key, members[key], {}, spec)]
        if spec is not None and others and all(key in spec.properties or key in NAME_KEYS for key in others):
            self.draft.arguments = {key: value for key, value in members.items() if key in spec.properties}
        if self.draft.arguments:
            self.used.update(pairs[key][0].start for key in self.draft.arguments)
            self._rewrite_all("flattened-arguments")
            return True
        if all(key in NAME_KEYS for key in others):
            self.notes.insert("missing-arguments", node.start, node.start + 1, '"arguments": {}, ')
            return True
        message = "no arguments, and keys that a call does not have"
        self.notes.report("arguments-not-object", node.start, node.end, message)
        return False

    def _read_others(self, level: JsonNode, pairs: Mapping[str, tuple[JsonNode, JsonNode]]) -> None:
        """Read the members beside the name and the arguments, so that none is lost without a word.

        In `{"name": "move", "arguments": {"a": 1}, "b": 2}` the model closed the arguments too early. If `move`
        declares `b`, that is a guess worth making. Otherwise, `b` is reported, and its text is kept.

        Args:
            level: The call, or the wrapper around it.
            pairs: Its members by name.
        """
        draft, spec = self.draft, self.spec
        arguments = dict(draft.arguments)
        for key, value in cast(JsonObject, level.value).items():
            pair = pairs[key]
            if pair[1] is self.node or pair[0].start in self.used or _is_own(key, value, arguments, spec):
                continue
            if more := _more_arguments(key, value, arguments, spec):
                arguments.update(more)
                self._rewrite_all("argument-outside")
                continue
            place = draft.others_place if draft.others else (pair[0].start, 0)
            draft.others_place = min(place[0], pair[0].start), max(place[1], pair[1].end)
            draft.others = draft.others or {}
            draft.others.setdefault(key, value)
            if level is not self.node:
                self._rewrite_all("openai-wrapper")
        draft.arguments = arguments


def _unwrapped(notes: BlockNotes, node: JsonNode) -> tuple[JsonNode, Mapping[str, tuple[JsonNode, JsonNode]]]:
    """Return the call in `node`, which may be a wrapper, and the call's members by name."""
    pairs = node.pairs()
    if not pairs.keys().isdisjoint(NAME_KEYS):
        return node, pairs
    for key in WRAPPERS:
        pair = pairs.get(key)
        if pair and pair[1].members is not None and any(pair[1].member(name) for name in NAME_KEYS):
            inner = pair[1]
            notes.rewrite("openai-wrapper", node.start, inner.start, "")
            notes.rewrite("openai-wrapper", inner.end, node.end, "", unwraps=node.start)
            return inner, inner.pairs()
    return node, pairs


def _is_empty(value: JsonNode) -> bool:
    return value.value is None or (isinstance(value.value, str) and not value.value.strip())


def _is_own(key: str, value: object, arguments: JsonObject, spec: ToolSpec | None) -> bool:
    if key not in _SILENT_KEYS or isinstance(value, Mapping | list):
        return False
    if spec is None or not _is_declared(key, arguments, spec):
        return True
    return key not in spec.required and (key, value) == ("type", "function")


def _is_declared(key: str, arguments: JsonObject, spec: ToolSpec) -> bool:
    """Return whether the tool declares the argument `key` and the call does not have it yet."""
    return key in spec.properties and key not in arguments


def _more_arguments(
    key: str, value: JsonValue, arguments: JsonObject, spec: ToolSpec | None
) -> JsonObject | None:
    """Return the declared arguments that a member beside `arguments` adds, or None."""
    if spec is None:
        return None
    if key in _SILENT_KEYS and key not in spec.required:
        return None  # in {"id": "c1", "name": "find", "arguments": {}}, it may be the id of the call: only reported
    if _is_declared(key, arguments, spec):
        return {key: value}
    if key in ARGUMENT_KEYS and isinstance(value, Mapping):
        # {"name": "move", "arguments": {"a": 1}, "parameters": {"b": 2}}
        return value if all(_is_declared(name, arguments, spec) for name in value) else None
    return None
