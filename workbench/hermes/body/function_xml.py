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

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from workbench.chat.finding import Span
from workbench.hermes.body.value_end import ValueEnd, value_end
from workbench.hermes.json_text.reader import read_value
from workbench.hermes.marks import (
    CALL_CLOSE_ANY_CASE,
    FUNCTION_CLOSE,
    FUNCTION_NAMED,
    FUNCTION_OPEN,
    PARAMETER_CLOSE,
    PARAMETER_OPEN,
    SPACE,
    STOP,
)
from workbench.hermes.text.completion import (
    BodyText,
    Completion,
    JsonNode,
    UnreadableBody,
    within_call,
)

_NEXT_TAG: Final = re.compile(
    r"<parameter=|</function>|</(?i:tool_call)>|(?P<other><function=|<(?i:tool_call)>)"
)
_JSON_END: Final = re.compile(r"</function>|</(?i:tool_call)>")
_LONGEST_TAG: Final = 600
_MOST_FAR_SEARCHES: Final = 8


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
    is_doubtful: bool = False
    """Whether a value may as well end somewhere else."""
    far_searches: int = 0
    """Number of values whose end was searched to the end of the text."""


def read_function(source: BodyText, start: int, completion: Completion) -> Function:
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
        position = _read_parameter(source, function, position, completion)
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


def _read_parameter(source: BodyText, function: Function, position: int, completion: Completion) -> int:
    """Read the parameter whose opening tag is at `position`. Return the position after it and white space."""
    tag = PARAMETER_OPEN.match(source.text, position, source.end)
    if not tag:
        raise UnreadableBody(
            position, is_over=source.stops_at(position) or _is_cut(source, position, "<parameter=")
        )
    name, span = _unquoted(source, tag)
    looks_far = function.far_searches < _MOST_FAR_SEARCHES
    end = value_end(source, tag.end(), function.name, completion, looks_far=looks_far)
    function.parameters.append(Parameter(name, span, _trimmed(source.text, tag.end(), end.start)))
    function.holds_tag |= end.holds_tag
    function.is_doubtful |= end.is_doubtful
    function.far_searches += end.meets_end
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


def _note_end(source: BodyText, opener: int, start: int, end: ValueEnd) -> None:
    notes = source.notes
    if end.code == "drifted-close-parameter":
        notes.edit(end.code, end.start, end.end, PARAMETER_CLOSE + "\n")
    elif end.code:
        notes.insert("missing-close-parameter", opener, end.start, PARAMETER_CLOSE + "\n")
    if end.code == "ambiguous-parameter":
        tag = _after_space(source, end.end)
        notes.report("ambiguous-parameter", tag, source.text.index(">", tag) + 1)
    if end.holds_tag:
        notes.mark("tag-in-value", start, end.start, is_guess=end.is_doubtful)
    if end.is_doubtful:
        notes.report("ambiguous-end", start, end.end)


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
