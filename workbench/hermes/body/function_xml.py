"""Parse the `<function=…>` body. *Source:* Qwen3-Coder, Qwen3.5 and Qwen3.6 chat templates.

Idea. The form looks like XML but has no escapes: a value may contain any text, including the form's own tags. So a tag
ends a value only if what follows fits the form. `</parameter>` ends it if another parameter, the end of the function or
the end of the block follows, perhaps after text that belongs to no value. If another `</parameter>` follows first,
it is part of the value. If the closing tag is missing, the value ends at `</function>`, or at a line that holds
nothing but the opening tag of a parameter that the tool declares.

Invariant. Each character of the body belongs to exactly one tag or value, and no value loses any text except for one
newline after its opening tag and one before its closing tag, which the templates add.

This call made the rule necessary. Ending the value at the first `</parameter>` would cut it in half:

    <function=write_file>
    <parameter=content>
    Close each value with </parameter> and a newline.
    </parameter>
    </function>
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from workbench.chat.finding import Span
from workbench.chat.json_value import JsonValue
from workbench.hermes.json_text.reader import read_payload, read_value
from workbench.hermes.marks import (
    CALL_CLOSE_ANY_CASE,
    DRIFTED_CLOSE,
    FUNCTION_CLOSE,
    FUNCTION_NAMED,
    FUNCTION_OPEN,
    PARAMETER_CLOSE,
    PARAMETER_OPEN,
    SPACE,
    STOP,
    VALUE_EVENT,
)
from workbench.hermes.text.completion import BodyText, JsonNode, UnreadableBody, within_call
from workbench.hermes.text.notes import BlockNotes
from workbench.toolspec.coerce import fits

_CLEAN: Final = frozenset({"python-literal", "python-constant"})
"""Templates write values in JSON and in Python syntax, so neither is a deviation in an XML value."""
_LENIENT: Final = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_REPORTED: Final = ("non-finite-number", "lone-surrogate")
_JSON_SPACE: Final = " \t\r\n"
_MAX_DIGITS: Final = 4300


def typed_value(notes: BlockNotes, start: int, end: int, allowed: frozenset[str]) -> JsonValue:
    """Return the value of a parameter: its text, or the JSON value if the schema does not allow a string.

    A value that does not fit the schema stays text, and the schema check reports it.

    Args:
        notes: Holds the text, and takes fixes and findings.
        start: Start of the value, after the newline that follows the opening tag.
        end: End of the value, before the newline that precedes the closing tag.
        allowed: The types that the schema allows.
    """
    written = notes.text[start:end]
    if "string" in allowed or not allowed:
        return written
    bare = written.strip(_JSON_SPACE)
    number = _lenient_number(bare, allowed)
    if number is not None:
        inner = start + len(written) - len(written.lstrip(_JSON_SPACE))
        notes.edit("lenient-number", inner, inner + len(bare), json.dumps(number))
        return number
    scratch = BlockNotes(written)
    node = _read(scratch)
    for code in _REPORTED:
        if scratch.has_reported((code,)):
            notes.report(code, start, end)
    if node is None or not scratch.fix_codes <= _CLEAN or scratch.has_reported((*_REPORTED, "leading-zero")):
        return written
    if scratch.has_reported(("duplicate-key",)):
        notes.report("duplicate-key", start, end)
    return _fitting(notes, node.value, (start, end), allowed)


def _fitting(
    notes: BlockNotes, value: JsonValue, place: tuple[int, int], allowed: frozenset[str]
) -> JsonValue:
    start, end = place
    if fits(value, allowed):
        return value
    if isinstance(value, str):
        decoded = BlockNotes(value)
        node = _read(decoded)
        if (
            node is not None
            and fits(node.value, allowed)
            and not decoded.has_reported((*_REPORTED, "leading-zero"))
        ):
            after = json.dumps(node.value, ensure_ascii=False)
            notes.absorb(decoded, start, end)
            notes.rewrite("double-encoded-value", start, end, after)
            return node.value
    return notes.text[start:end]


def _read(scratch: BlockNotes) -> JsonNode | None:
    """Parse the text of `scratch` as one JSON or Python value. Return None if it is not exactly one value."""
    source = BodyText(scratch.text, len(scratch.text), scratch)
    try:
        position = source.skip(0)
        is_alone = scratch.text[position : position + 1] in ('"', "'")
        node = read_payload(source, position) if is_alone else _read_inside(source, position)
        return node if source.skip(node.end) == source.end else None
    except UnreadableBody:
        return None


def _read_inside(source: BodyText, position: int) -> JsonNode:
    # A value may be a Python tuple; the body of a call may not.
    return read_value(source, position, "(" if source.text.startswith("(", position) else "")


def _lenient_number(written: str, allowed: frozenset[str]) -> int | float | None:
    if not allowed & {"integer", "number"} or len(written) > _MAX_DIGITS or not _LENIENT.fullmatch(written):
        return None
    is_whole = not re.search(r"[.eE]", written)
    value = int(written) if is_whole else float(written)
    if value in (float("inf"), float("-inf")):
        return None
    if isinstance(value, float) and "number" not in allowed:
        return int(value) if value.is_integer() else None
    return None if _is_standard(written) else value


def _is_standard(written: str) -> bool:
    return re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", written) is not None


_RESTART: Final = re.compile(r"\s*+<(?i:tool_call)>\s*+(?:[{\[]|<function)")

_NEXT_TAG: Final = re.compile(
    r"<parameter=|</function>|</(?i:tool_call)>|(?P<other><function=|<(?i:tool_call)>)"
)
_TAG_AFTER_TEXT: Final = re.compile(r"[^<]*+(?:(?P<closes></function>)|<parameter=(?P<parameter>[^<>\n]*)>)")
"""Text outside of parameters and the tag after it."""
_JSON_END: Final = re.compile(r"</function>|</(?i:tool_call)>")
_LONGEST_TAG: Final = 600
_LONGEST_INDENT: Final = 200

Declares = Callable[[str, str], bool]
"""Whether the tool (first argument) declares the parameter (second argument). True if it has no `properties`."""


class Parameter(NamedTuple):
    """One `<parameter=NAME>value</parameter>`."""

    name: str
    """As written, without quotes."""
    name_span: Span
    """Position of the name, including quotes."""
    value: Span
    """The value, without one newline at each end."""


@dataclass(slots=True)
class Function:
    """One `<function=NAME>` body."""

    name: str
    """As written, without quotes."""
    name_span: Span
    """Position of the name, including quotes."""
    start: int
    """Position of `<function=`."""
    end: int = -1
    """Position after `</function>`, or where it should be."""
    parameters: list[Parameter] = field(default_factory=list["Parameter"])
    """In order, including repeated names."""
    json: JsonNode | None = None
    """The arguments if they are a JSON object, otherwise None."""
    is_named: bool = False
    """Whether the name is in an attribute: `<function name="…">`."""
    holds_tag: bool = False
    """Whether a value contains tags of the form."""


class _ValueEnd(NamedTuple):
    start: int
    """Position of the closing tag, or where it should be."""
    end: int
    """Position after the closing tag."""
    code: str = ""
    """Code of the fix or finding, or empty if the closing tag is correct."""
    holds_tag: bool = False
    """Whether the value contains tags of the form."""


def read_function(source: BodyText, start: int, declares: Declares) -> Function:
    """Parse the function whose opening tag is at `start`.

    Raises:
        UnreadableBody: It has no end, or contains something other than parameters.
    """
    named = FUNCTION_NAMED.match(source.text, start, source.end)
    if named:
        function = Function(named.group(1), Span(*named.span(1)), start, is_named=True)
        return _read_json(source, function, _after_space(source, named.end()))
    tag = FUNCTION_OPEN.match(source.text, start, source.end)
    if not tag:
        raise UnreadableBody(start, is_over=_is_cut(source, start, "<function="))
    name, span = _unquoted(source, tag)
    function = Function(name, span, start)
    position = _after_space(source, tag.end())
    if source.text.startswith("{", position, source.end):
        return _read_json(source, function, position)
    while not source.text.startswith(FUNCTION_CLOSE, position, source.end):
        if CALL_CLOSE_ANY_CASE.match(source.text, position, source.end):
            source.notes.insert("missing-close-function", start, position, FUNCTION_CLOSE + "\n")
            function.end = position
            return function
        if garbage_end := _garbage_end(source, position):
            source.notes.edit("skipped-garbage", position, garbage_end, "")
            position = _after_space(source, garbage_end)
            continue
        position = _read_parameter(source, function, position, declares)
    function.end = position + len(FUNCTION_CLOSE)
    return function


def _garbage_end(source: BodyText, position: int) -> int:
    """Return the end of text outside of parameters that starts at `position`; 0 if there is a tag, or no tag follows.

    Models explain themselves there: `<function=f>\\nI look it up.\\n<parameter=a>…`. The text belongs to no value.
    """
    tag = _NEXT_TAG.search(source.text, position, source.end)
    if not tag or tag.start() == position or tag["other"]:
        return 0
    text = source.text[position : tag.start()]
    return 0 if "<" in text or STOP.search(text) else position + len(text.rstrip())


def _after_space(source: BodyText, position: int) -> int:
    match = SPACE.match(source.text, position, source.end)
    return match.end() if match else position


def _unquoted(source: BodyText, tag: "re.Match[str]") -> tuple[str, Span]:
    name, span = tag.group(1), Span(*tag.span(1))
    bare = name.strip()
    if len(bare) < 2 or bare[0] not in "\"'" or bare[-1] != bare[0]:
        return name, span
    start = span.start + name.index(bare)
    end = start + len(bare)
    source.notes.edit("quoted-name", start, start + 1, "")
    source.notes.edit("quoted-name", end - 1, end, "")
    if bare == name:
        return bare[1:-1], Span(start + 1, end - 1)
    return name.replace(
        bare, bare[1:-1]
    ), span  # keeps the white space around the name, which has its own fix


def _read_json(source: BodyText, function: Function, position: int) -> Function:
    keys = within_call(source.keys, function.name)
    node = read_value(source._replace(close=_JSON_END, keys=keys), position, "")
    position = _after_space(source, node.end)
    function.json = node
    if source.text.startswith(FUNCTION_CLOSE, position, source.end):
        function.end = position + len(FUNCTION_CLOSE)
    elif CALL_CLOSE_ANY_CASE.match(source.text, position, source.end):
        source.notes.mark("missing-close-function", position, position)
        function.end = node.end
    else:
        raise source.failure(position)
    return function


def _read_parameter(source: BodyText, function: Function, position: int, declares: Declares) -> int:
    """Read the parameter whose opening tag is at `position`. Return the position after it and white space."""
    tag = PARAMETER_OPEN.match(source.text, position, source.end)
    if not tag:
        raise UnreadableBody(
            position, is_over=source.stops_at(position) or _is_cut(source, position, "<parameter=")
        )
    name, span = _unquoted(source, tag)
    end = _value_end(source, tag.end(), function.name, declares)
    function.parameters.append(Parameter(name, span, _trimmed(source.text, tag.end(), end.start)))
    function.holds_tag |= end.holds_tag
    _note_end(source, function.start, tag.end(), end)
    return _after_space(source, end.end)


def _is_cut(source: BodyText, position: int, tag: str) -> bool:
    """Return whether the end of the text cuts off the tag at `position`: one like `tag`, or `</function>`."""
    stop = STOP.search(source.text, position, min(source.end, position + _LONGEST_TAG))
    end = stop.start() if stop else source.end
    if end - position > _LONGEST_TAG:
        return False
    rest = source.text[position:end]
    if rest.startswith(tag):
        return "\n" not in rest
    return tag.startswith(rest) or FUNCTION_CLOSE.startswith(rest)


def _note_end(source: BodyText, opener: int, start: int, end: _ValueEnd) -> None:
    notes = source.notes
    if end.code == "drifted-close-parameter":
        notes.edit(end.code, end.start, end.end, PARAMETER_CLOSE + "\n")
    elif end.code:
        notes.insert("missing-close-parameter", opener, end.start, PARAMETER_CLOSE + "\n")
    if end.code == "ambiguous-parameter":
        tag = _after_space(source, end.end)
        notes.report("ambiguous-parameter", tag, source.text.index(">", tag) + 1)
    if end.holds_tag:
        notes.mark("tag-in-value", start, end.start)


def _value_end(source: BodyText, start: int, tool: str, declares: Declares) -> _ValueEnd:
    """Find the end of the value that starts at `start`, after its opening tag."""
    holds_tag = False
    functions_open = calls_open = 0
    for event in VALUE_EVENT.finditer(source.text, start, source.end):
        if event["ends"] is not None:
            return _ValueEnd(event.start(), event.start() + len(PARAMETER_CLOSE), "", holds_tag)
        if event[0] == PARAMETER_CLOSE and _is_text_after(source, event.end(), tool, declares):
            return _ValueEnd(event.start(), event.end(), "", holds_tag)
        if event["line"] is not None and declares(tool, event["parameter"].strip("\"'")):
            line_start = _line_start(source.text, start, event.start())
            if line_start >= 0:
                return _sooner_end(source, start, line_start, "ambiguous-parameter", holds_tag=holds_tag)
        elif event["closes"] and not functions_open:
            return _sooner_end(source, start, event.start(), "missing-close-parameter", holds_tag=holds_tag)
        elif event["closes"]:
            functions_open -= 1
        elif event["opens"]:
            functions_open += 1
        elif event["tag"]:
            calls_open += -1 if event["tag"].startswith("/") else 1
            if calls_open < 0 and _RESTART.match(source.text, event.end(), source.end):
                raise UnreadableBody(event.start())
            calls_open = max(calls_open, 0)
        holds_tag = True
    raise UnreadableBody(source.end, is_over=True)


def _is_text_after(source: BodyText, position: int, tool: str, declares: Declares) -> bool:
    """Return whether the text after a `</parameter>` is outside of parameters, and not the rest of the value.

    It is if the next tag of the form is not another `</parameter>`: in `a </parameter> b </parameter>` the first tag
    belongs to the value.
    """
    tag = _TAG_AFTER_TEXT.match(source.text, position, source.end)
    return tag is not None and (tag["closes"] is not None or declares(tool, tag["parameter"].strip("\"'")))


def _line_start(text: str, start: int, position: int) -> int:
    """Return the start of the line if only white space comes before `position` on it, otherwise -1."""
    line = text.rfind("\n", max(start, position - _LONGEST_INDENT), position) + 1
    return line if line and not text[line:position].strip() else -1


def _sooner_end(source: BodyText, start: int, end: int, code: str, *, holds_tag: bool) -> _ValueEnd:
    drifted = DRIFTED_CLOSE.search(source.text, start, end)
    if drifted:
        return _ValueEnd(drifted.start(), end, "drifted-close-parameter", holds_tag)
    return _ValueEnd(end, end, code, holds_tag)


def _trimmed(text: str, start: int, end: int) -> Span:
    """Return the value without one newline at each end, which the template adds. *Source:* Qwen3-Coder."""
    for newline in ("\r\n", "\n"):
        if text.startswith(newline, start, end):
            start += len(newline)
            break
    for newline in ("\r\n", "\n"):
        if text.endswith(newline, start, end):
            return Span(start, end - len(newline))
    return Span(start, end)
