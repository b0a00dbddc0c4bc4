"""Read the payload of a foreign call: JSON objects, a name with JSON arguments, tagged parameters, a Python call."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.body.call_keys import declared_keys
from workbench.hermes.body.calls import can_be_json, draft_calls, finish_draft
from workbench.hermes.body.payload import Body
from workbench.hermes.body.shape import CallDraft, is_tool_spec, normal_name
from workbench.hermes.body.xml_value import typed_value
from workbench.hermes.json_text.reader import read_value
from workbench.hermes.reading import Dialect
from workbench.hermes.text.completion import BodyText, Completion, JsonNode, UnreadableBody, within_call
from workbench.hermes.text.notes import BlockNotes
from workbench.toolspec.argument_types import ArgumentTypes, types_of_argument
from workbench.toolspec.coerce import ALL_TYPES

_CALL_OPEN: Final = re.compile(r"([A-Za-z_][\w.-]{0,200})\s{0,20}\(")
_KEYWORD: Final = re.compile(r"\s*+([A-Za-z_]\w{0,200})\s*+=\s*+")
_COMMA: Final = re.compile(r"\s*+,\s*+")


class Calls(NamedTuple):
    """Calls that were read, and where their text ends."""

    drafts: list[CallDraft]
    end: int
    """One past the last code point."""


class TaggedParameter(NamedTuple):
    """One parameter between tags."""

    name: str
    start: int
    """Start of its value."""
    end: int
    """End of its value."""
    is_json: bool = False
    """Whether the value is JSON, regardless of the schema."""


class PayloadReader:
    """Read payloads of foreign calls in one part of a completion.

    The notes contain the repairs. A call that needs a repair is read as well: the whole block is rewritten, so the
    repair is part of that edit.
    """

    def __init__(self, completion: Completion, end: int) -> None:
        self.completion = completion
        self.notes = BlockNotes(completion.text)
        self._source = BodyText(completion.text, end, self.notes)

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
        keys = declared_keys(self.completion.tools)
        if tool is not None:
            keys = within_call(keys, tool.strip().removeprefix("functions."))
        if not self.completion.may_look_far:
            return None
        try:
            return read_value(self._source._replace(keys=keys), position, inside)
        except UnreadableBody as failure:
            self.completion.spend(failure.at - position)
            return None

    def objects(self, position: int) -> Calls | None:
        """Read the call, or the array of calls, at `position`: `{"name": …, "arguments": …}`."""
        node = self.json(position)
        if node is None or not _looks_like_calls(node, self.completion):
            return None
        return Calls(draft_calls(self.completion, self.notes, Body((node,), node.end)), node.end)

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
        for parameter in parameters:
            types = types_of_argument(spec, parameter.name)
            if parameter.is_json:
                types = ArgumentTypes(ALL_TYPES - {"string"})
            values[parameter.name] = typed_value(self.notes, parameter.start, parameter.end, types)
        draft = self._draft(written, place, values, span, None)
        return [draft] if draft else []

    def python_calls(self, position: int) -> Calls | None:
        """Read Python calls with keyword arguments: `f(a=1)`, `[f(a=1), g()]`, or one call per line."""
        start = self._skip(position)
        is_list = self.text.startswith("[", start)
        position = self._skip(start + 1) if is_list else start
        drafts: list[CallDraft] = []
        while (call := self._python_call(position)) is not None:
            drafts += call.drafts
            position = self._skip(call.end)
            comma = _COMMA.match(self.text, position, self.end) if is_list else None
            if is_list and not comma:
                break
            if comma:
                position = comma.end()
        if is_list:
            if not drafts or not self.text.startswith("]", position):
                return None
            position += 1
        return Calls(drafts, drafts[-1].end if drafts and not is_list else position) if drafts else None

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
    name = node.member("name")
    arguments = node.member("arguments") or node.member("parameters")
    if name is None or arguments is None or not isinstance(name[1].value, str):
        return False
    spec = completion.spec(name[1].value.strip())
    value = arguments[1].value
    known = {"name", "arguments", "parameters", "id", "type", "index", *(spec.properties if spec else ())}
    return isinstance(value, dict | str) and all(key.value in known for key, _ in node.members or ())
