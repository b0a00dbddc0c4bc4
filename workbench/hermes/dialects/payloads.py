"""Read the payload of a foreign call: JSON objects, a name with JSON arguments, tagged parameters, a Python call."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.body.call_keys import declared_keys
from workbench.hermes.body.calls import can_be_json, draft_calls, finish_draft
from workbench.hermes.body.function_xml import Function, read_function
from workbench.hermes.body.payload import Body
from workbench.hermes.body.shape import CallDraft, is_tool_spec, normal_name
from workbench.hermes.body.xml_value import typed_value
from workbench.hermes.dialects.form import Patterns
from workbench.hermes.json_text.fast import decode
from workbench.hermes.json_text.reader import read_value
from workbench.hermes.reading import Dialect
from workbench.hermes.text.completion import BodyText, Completion, JsonNode, UnreadableBody, within_call
from workbench.hermes.text.notes import BlockNotes
from workbench.toolspec.argument_types import ArgumentTypes, types_of_argument
from workbench.toolspec.coerce import ALL_TYPES
from workbench.toolspec.spec import ToolSpec

_CALL_OPEN: Final = re.compile(r"([A-Za-z_][\w.-]{0,200})\s{0,20}\(")
_BETWEEN_CALLS: Final = re.compile(r"[^\S\n]*[;,\n]\s*+")
_NEXT_CALL: Final = re.compile(r"[A-Za-z_][\w.-]*\(")
_BETWEEN_OBJECTS: Final = re.compile(r"\s*+[;,]?\s*+(?=\{|\[\s*+\{)")
_MORE_MEMBERS: Final = re.compile(r'\s*+,\s*+"[^"\n]{0,200}"\s*+:')
_NAMED: Final = re.compile(r'[\[{\s]*+"(?:name|tool_name)"\s*+:\s*+"([^"\n]*)"')
_UNCERTAIN: Final = frozenset({"missing-close-function", "missing-close-parameter"})
_PARAGRAPH_END: Final = re.compile(r"\n[^\S\n]*\n|\n[^\S\n]*```|\Z")
_KEYWORD: Final = re.compile(r"\s*+([A-Za-z_]\w{0,200})\s*+=\s*+")
_SEMICOLON: Final = re.compile(r"\s*+[;,]\s*+(?=[A-Za-z_][\w.-]*\()")
_WRAPPING: Final = frozenset({"arguments", "input", "parameters", "properties"})
"""Names of a parameter that holds all arguments, unless the tool declares it."""
_COMMA: Final = re.compile(r"\s*+,\s*+")


class Calls(NamedTuple):
    """Calls that were read, and where their text ends."""

    drafts: list[CallDraft]
    end: int
    """One past the last code point."""
    is_partial: bool = False
    """Whether calls of offered tools were left out, because another one in the list cannot be read."""


class TaggedParameter(NamedTuple):
    """One parameter between tags."""

    name: str
    start: int
    end: int
    is_json: bool = False
    """Whether the value is JSON, regardless of the schema."""


class PayloadReader:
    """Read payloads of foreign calls in one part of a completion.

    The notes contain the repairs. A call that needs a repair is read as well: the whole block is rewritten, so the
    repair is part of that edit.

    A missing bracket is added before a token that no call extends beyond, and a repaired string never contains one: in
    `{"a": "x<|tool_call_end|><|tool_call_begin|>…` the next call must not be lost because this one is damaged.

    Args:
        completion: The completion.
        end: End of the part.
        patterns: The expressions of the form.
    """

    def __init__(self, completion: Completion, end: int, patterns: Patterns) -> None:
        self.completion = completion
        self.notes = BlockNotes(completion.text)
        self._patterns = patterns
        keys = declared_keys(completion.tools)
        self._source = BodyText(
            completion.text, end, self.notes, patterns.stop, begins=patterns.stop_or_object, keys=keys
        )

    def fresh(self) -> "PayloadReader":
        """Return a reader of the same part without notes, for an attempt that may fail."""
        return PayloadReader(self.completion, self.end, self._patterns)

    @property
    def text(self) -> str:
        """The whole completion."""
        return self.completion.text

    @property
    def end(self) -> int:
        """End of the part."""
        return self._source.end

    def json(self, position: int, inside: str = "", tool: str | None = None) -> JsonNode | None:
        """Read the JSON value at `position`, or return None if it cannot be read.

        Args:
            position: White space is skipped.
            inside: The closing bracket of the Python call around the value, if there is one.
            tool: The tool whose arguments it is, or None if it is a call.
        """
        if not self.completion.may_look_far:
            return None
        source = self._source
        if tool is not None and source.keys:
            keys = within_call(source.keys, tool.strip().removeprefix("functions."))
            source = source._replace(keys=keys)
        try:
            if inside:
                source = source._replace(begins=self._patterns.stop_or_call)
            return read_value(source, position, inside)
        except UnreadableBody as failure:
            self.completion.spend(failure.at - position)
            return None

    def objects(self, position: int) -> Calls | None:
        """Read JSON calls from `position` on: one, an array, or a row with `;`, `,` or white space between them."""
        drafts: list[CallDraft] = []
        end = position
        while True:
            node = self.json(position)
            if node is None or not _looks_like_calls(node, self.completion):
                is_partial = self._has_offered(drafts) or self._is_partial(node, position)
                return self._rest(position, is_partial=is_partial) if drafts or is_partial else None
            drafts += draft_calls(self.completion, self.notes, Body((node,), node.end))
            end = node.end
            if _MORE_MEMBERS.match(self.text, end, self.end):  # {"name": "f", "arguments": {"a": 1}}, "b": 2}
                return self._rest(end, is_partial=self._has_offered(drafts))
            between = _BETWEEN_OBJECTS.match(self.text, end, self.end)
            if not between:
                return Calls(drafts, end)
            position = between.end()

    def entries(self, position: int) -> Calls | None:
        """Read an array of calls whose only key is the tool's name: `[{"f": {"a": 1}}]`."""
        node = self.json(position)
        if node is None or not node.items:
            return None
        drafts: list[CallDraft] = []
        for item in node.items:
            pairs = list(item.pairs().values())
            if len(pairs) != 1 or pairs[0][1].members is None:
                return None
            key, value = pairs[0]
            arguments, span = cast(JsonObject, value.value), (value.start, value.end)
            draft = self._draft(str(key.value), (key.start, key.end), arguments, span, value)
            drafts += [draft] if draft else []
        return Calls(drafts, node.end)

    def functions(self, position: int) -> Calls | None:
        """Read calls in the XML form of Qwen3-Coder: `<function=f><parameter=a>…`."""
        functions: list[Function] = []
        while self.text.startswith("<function=", position := self._skip(position)):
            try:
                function = read_function(self._source, position, self.completion)
            except UnreadableBody as failure:
                self.completion.spend(failure.at - position)
                return None
            functions.append(function)
            position = function.end
        if not functions or self.notes.fix_codes & _UNCERTAIN:
            return None
        end = functions[-1].end
        return Calls(draft_calls(self.completion, self.notes, Body(tuple(functions), end)), end)

    def _is_partial(self, node: JsonNode | None, position: int) -> bool:
        """Return whether JSON that is not all calls has one of an offered tool, as far as it can be read."""
        if node is None:
            name = _NAMED.match(self.text, position, self.end)
            return name is not None and self.completion.spec(name[1]) is not None
        return any(
            _looks_like_calls(item, self.completion) and self._is_offered(item) for item in node.items or ()
        )

    def _is_offered(self, node: JsonNode) -> bool:
        name = node.member("name") or node.member("tool_name")
        return name is not None and self.completion.spec(str(name[1].value)) is not None

    def _has_offered(self, drafts: list[CallDraft]) -> bool:
        return any(self.completion.spec(draft.name) is not None for draft in drafts)

    def _rest(self, position: int, *, is_partial: bool) -> Calls:
        """Return a list of which no call counts, because the one at `position` cannot be read.

        It extends to the token that ends it or begins the next call, at most to the end of the paragraph.
        """
        stop = self.completion.places(self._patterns.stop).next(position, self.end)
        limit = stop.start if stop else self.end
        end = _PARAGRAPH_END.search(self.text, position, limit)
        return Calls([], end.start() if end else limit, is_partial)

    def named(self, written: str, place: tuple[int, int], position: int) -> Calls | None:
        """Read a call of the tool `written` (at `place`) whose arguments are the JSON object at `position`."""
        node = self.json(position, tool=written)
        if node is None or node.members is None:
            return None
        draft = self._draft(written, place, cast(JsonObject, node.value), (node.start, node.end), node)
        return Calls([draft] if draft else [], node.end)

    def tagged(
        self,
        written: str,
        place: tuple[int, int],
        parameters: Iterator[TaggedParameter],
        span: tuple[int, int],
    ) -> list[CallDraft]:
        """Return the call of the tool `written` (at `place`) with parameters between tags. Empty if the name is bad.

        Values are typed by the tool's schema, as in `<parameter=…>`.
        """
        values: dict[str, JsonValue] = {}
        spec = self.completion.spec(written.strip().removeprefix("functions."))
        listed = list(parameters)
        if wrapped := self._wrapped(spec, listed):
            draft = self._draft(written, place, wrapped, span, None)
            return [draft] if draft else []
        for parameter in listed:
            if parameter.name in values:
                message = f"the parameter {parameter.name[:40]!r} appears twice; the last one counts"
                self.notes.report("duplicate-parameter", parameter.start, parameter.end, message)
            types = types_of_argument(spec, parameter.name)
            if parameter.is_json:
                types = ArgumentTypes(ALL_TYPES - {"string"})
            values[parameter.name] = typed_value(self.notes, parameter.start, parameter.end, types)
        draft = self._draft(written, place, values, span, None)
        return [draft] if draft else []

    def _wrapped(self, spec: ToolSpec | None, parameters: list[TaggedParameter]) -> JsonObject | None:
        """Return the arguments if they are JSON in one parameter, such as `arguments`, that the tool does not declare.

        DeepSeek writes `<parameter name="arguments">{"city": "Oslo"}</parameter>`. Each key must be declared.
        """
        if spec is None or len(parameters) != 1:
            return None
        [(name, start, end, _)] = parameters
        if name not in _WRAPPING or name in spec.properties:
            return None
        text = self.text[start:end].strip()
        decoded = decode(text) if text.startswith("{") else None
        if decoded is None or decoded[1] != len(text) or not isinstance(decoded[0], dict):
            return None
        arguments = cast(JsonObject, decoded[0])
        if not arguments or not all(key in spec.properties for key in arguments):
            return None
        self.notes.mark("string-arguments", start, end)
        return arguments

    def python_calls(self, position: int) -> Calls | None:
        """Read Python calls with keyword arguments: `f(a=1)`, `[f(a=1), g()]`, or one call per line."""
        start = self._skip(position)
        is_list = self.text.startswith("[", start)
        position = self._skip(start + 1) if is_list else start
        drafts: list[CallDraft] = []
        while (call := self._python_call(position)) is not None:
            drafts += call.drafts
            position = self._skip(call.end)
            comma = (_COMMA if is_list else _SEMICOLON).match(self.text, position, self.end)
            if is_list and not comma:
                break
            if comma:
                position = comma.end()
        if not drafts:
            opened = _CALL_OPEN.match(self.text, position, self.end)
            is_partial = opened is not None and self.completion.spec(opened[1]) is not None
            return self._rest(position, is_partial=True) if is_partial else None
        if not self.text.startswith("]", position) if is_list else self._continues(drafts[-1].end):
            return self._rest(position, is_partial=self._has_offered(drafts))
        return Calls(drafts, position + 1 if is_list else drafts[-1].end)

    def _continues(self, end: int) -> bool:
        """Return whether another call, which cannot be read, follows on the same line or the next."""
        between = _BETWEEN_CALLS.match(self.text, end, self.end)
        return between is not None and _NEXT_CALL.match(self.text, between.end(), self.end) is not None

    def _python_call(self, position: int) -> Calls | None:
        opened = _CALL_OPEN.match(self.text, position, self.end)
        if not opened:
            return None
        values: dict[str, JsonValue] = {}
        position = self._skip(opened.end())
        while not self.text.startswith(")", position):
            keyword = _KEYWORD.match(self.text, position, self.end)
            node = self.json(keyword.end(), ")") if keyword else None
            if keyword is None or node is None:
                return None
            values[keyword[1]] = node.value
            comma = _COMMA.match(self.text, node.end, self.end)
            position = comma.end() if comma else self._skip(node.end)
            if not comma and not self.text.startswith(")", position):
                return None
        span = (opened.start(), position + 1)
        # Llama 3 calls its built-in tools as methods: `brave_search.call(query="…")`.
        name = opened[1].removesuffix(".call")
        draft = self._draft(name, opened.span(1), values, span, None)
        return Calls([draft], position + 1) if draft else None

    def _draft(
        self,
        written: str,
        place: tuple[int, int],
        arguments: JsonObject,
        span: tuple[int, int],
        node: JsonNode | None,
    ) -> CallDraft | None:
        scratch = BlockNotes(self.text)
        name = normal_name(scratch, written, place, self.completion.tools, json_text=False)
        if name is None or self.notes.has_refused(*span) or not can_be_json(self.notes, name, *place):
            return None
        draft = CallDraft(name, arguments, Dialect.JSON, *span, node)
        finish_draft(self.completion, self.notes, draft)
        return draft

    def _skip(self, position: int) -> int:
        while position < self.end and self.text[position].isspace():
            position += 1
        return position


def _looks_like_calls(node: JsonNode, completion: Completion) -> bool:
    """Return whether a JSON value has the shape of a call: a name and arguments, without other keys.

    A model that closes the arguments too early writes the tool's other parameters beside them.
    """
    if node.items is not None:
        return bool(node.items) and all(_looks_like_calls(item, completion) for item in node.items)
    if node.members is None or is_tool_spec(node.value):
        return False
    wrapped = node.member("function")
    if wrapped is not None and wrapped[1].members is not None:
        node = wrapped[1]
    name = node.member("name") or node.member("tool_name")
    arguments = node.member("arguments") or node.member("parameters") or node.member("args")
    if name is None or arguments is None or not isinstance(name[1].value, str):
        return False
    spec = completion.spec(name[1].value.strip())
    value = arguments[1].value
    known = {"name", "tool_name", "arguments", "parameters", "args", "id", "type", "index", "tool_call_id"}
    known |= set(spec.properties if spec else ())
    return isinstance(value, dict | str) and all(key.value in known for key, _ in node.members or ())
