"""Parse and check a JSON text of tools, with the line of each problem."""

import json
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Final, cast

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, json_fault, load_json, pointer_parts
from workbench.chat.short_text import shortened
from workbench.errors import BadInput
from workbench.toolspec.budget import REQUEST_STEPS, TOO_MUCH_WORK, budget
from workbench.toolspec.check import TOO_COSTLY, UNSOUND, check_spec
from workbench.toolspec.spec import OfferedTools, ToolSpec, cached_on

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder()


def line_of(text: str, pointer: str) -> int:
    """Return the line, from 1, of the value at `pointer` in a JSON text. For a missing key, the line of its object.

    >>> line_of('[\\n {"a":\\n  1}]', "/0/a")
    3
    >>> line_of('[\\n {"a":\\n  1}]', "/0/b")
    2
    """
    position = _skip(text, 0)
    for token in pointer_parts(pointer):
        inner = _child(text, position, token)
        if inner is None:
            break
        position = inner
    return text.count("\n", 0, position) + 1


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _child(text: str, position: int, token: str) -> int | None:
    """Return the position of the member `token` of the array or object at `position`, or None."""
    opener = text[position]
    if opener not in "[{":
        return None
    index = 0
    position = _skip(text, position + 1)
    while text[position] not in "]}":
        name = str(index)
        if opener == "{":
            name, position = cast(tuple[str, int], scanstring(text, position + 1))
            position = _skip(text, _skip(text, position) + 1)
        if name == token:
            return position
        _, position = _DECODER.raw_decode(text, position)
        position = _skip(text, position)
        if text[position] == ",":
            position = _skip(text, position + 1)
        index += 1
    return None


NOT_AN_OBJECT: Final = "spec-not-an-object"
"""Code of the finding that an entry of the list is not an object."""
NO_TOOL: Final = "spec-no-tool"
"""Code of the finding that there is no tool, or not exactly one where a single tool is edited."""
MAX_SIZE_CHARS: Final = 1_000_000
"""Longer texts are rejected, because the editor parses the text at each keystroke."""
_MAX_FINDINGS: Final = 100
"""Limit on findings, because the line of each one is searched in the text."""
_NO_LIST: Final = "write a JSON array: [{…}, {…}]"
_KNOWN: Final = OrderedDict[str, OfferedTools]()
"""The newest texts without findings and their tools, so that the turns of a session check them once. A text with
findings is read again, because a check that takes too much work gives one, and how much is too much depends on the
request."""
_MOST_KNOWN: Final = 16
_LONE: Final = Finding(
    code="spec-not-in-a-list",
    severity=Severity.NOTE,
    message="one tool without brackets is read as a list of one",
    line=1,
)


def parse_tools(tools: str | Sequence[JsonValue]) -> OfferedTools:
    """Parse OpenAI function specs: a JSON array, or a list as `json.loads` returns it.

    Bare function objects are accepted as well, and a text of a single spec. Later changes to the list do not change the
    result. A tool that cannot be used is left out; `findings` of the result says which one and why, and what is unusual
    in the others.

    >>> parse_tools([{"name": "now", "parameters": {"type": "object", "properties": {}}}]).names
    ('now',)
    >>> parse_tools([{"name": "now"}, {"name": ""}]).findings[0].message
    'tool 2: the tool has no name'

    Raises:
        BadInput: It is not a list of objects. The error has the line in a text.
    """
    text = tools if isinstance(tools, str) else _written(tools)
    offered = read_tools(text)
    if isinstance(offered, Finding):
        where = f"tools, line {offered.line}" if text is tools else "tools"
        raise BadInput(where, offered.message)
    return offered


def _written(tools: Sequence[JsonValue]) -> str:
    """Return a list of specs as a JSON text."""
    if isinstance(tools, Mapping):
        raise BadInput("tools", _NO_LIST)
    try:
        return json.dumps(tools, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput("tools", shortened(f"not JSON values: {error}")) from error


def render_tools(tools: OfferedTools) -> str:
    """Write tools as the editor shows them: JSON, indented by two spaces, with keys in the order written."""
    if not tools.specs:
        return "[]"
    return "[\n" + ",\n".join(map(_rendered, tools.specs)) + "\n]"


def _rendered(spec: ToolSpec) -> str:
    """Return one item of the list."""
    return cached_on(spec, "_rendered", _render)


def _render(spec: ToolSpec) -> str:
    item = json.dumps([spec.document], indent=2, ensure_ascii=False)
    return item.removeprefix("[\n").removesuffix("\n]")


def check_tools_text(text: str) -> tuple[Finding, ...]:
    """Return what is wrong or unusual in a text of tools, with line and pointer of each problem."""
    offered = read_tools(text)
    return (offered,) if isinstance(offered, Finding) else offered.findings


def tool_errors(text: str) -> tuple[Finding, ...]:
    """Return why a text of tools, or one of its tools, cannot be used. Empty if all of them can."""
    return tuple(finding for finding in check_tools_text(text) if finding.severity is Severity.ERROR)


def read_tools(text: str) -> OfferedTools | Finding:
    """Return the tools that can be used with the findings about all of them, or why the text is not a list of tools."""
    if known := _KNOWN.get(text):
        return known
    if len(text) > MAX_SIZE_CHARS:
        message = f"the text has over {MAX_SIZE_CHARS:,} characters"
        return Finding(code="spec-too-long", message=message, line=1)
    try:
        value = load_json(text or "[]")
    except json.JSONDecodeError as error:
        message = f"not JSON: {json_fault(error)} at column {error.colno}"
        return Finding(code="spec-not-json", message=message, line=error.lineno)
    except ValueError as error:
        return Finding(code="spec-not-json", message=shortened(f"not JSON: {error}"), line=1)
    if isinstance(value, Mapping) and ("function" in value or "name" in value):
        # The brackets change no line.
        offered = read_tools(f"[{text}]")
        return (
            offered if isinstance(offered, Finding) else replace(offered, findings=(_LONE, *offered.findings))
        )
    if not isinstance(value, list):
        return Finding(code="spec-not-a-list", message=_NO_LIST, line=1)
    entries = value
    if entries and not any(isinstance(entry, Mapping) for entry in entries):
        return Finding(
            code=NOT_AN_OBJECT, message="entry 1 is not an object", pointer="/0", line=line_of(text, "/0")
        )
    with budget(REQUEST_STEPS):
        specs, findings = _usable(entries)
    placed = tuple(_placed(text, finding) for finding in findings[:_MAX_FINDINGS])
    offered = OfferedTools(specs=tuple(specs), findings=placed)
    if not findings:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.popitem(last=False)
        _KNOWN[text] = offered
    return offered


def no_tools() -> Finding:
    """Return the finding about a list without tools, which is valid but probably a mistake."""
    return Finding(code=NO_TOOL, message="the list has no tools: write [{…}, {…}]", line=1)


def _usable(entries: Sequence[JsonValue]) -> tuple[list[ToolSpec], list[Finding]]:
    """Return the specs that can be used, and the findings about all entries."""
    specs: dict[str, ToolSpec] = {}
    findings: list[Finding] = []
    for index, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            message = f"entry {index + 1} is not an object and is left out"
            findings.append(Finding(code=NOT_AN_OBJECT, message=message, pointer=f"/{index}"))
            continue
        spec = _spec(cast(JsonObject, entry))
        found = list(_other_kind(cast(JsonObject, entry)) or _spec_findings(spec, specs))
        findings += (_in_entry(index, finding, spec, is_wrapped="function" in entry) for finding in found)
        if not any(finding.severity is Severity.ERROR for finding in found):
            specs[spec.name] = spec
    return list(specs.values()), findings


def _other_kind(entry: JsonObject) -> tuple[Finding, ...]:
    """Return the finding that an entry is not a function, such as `{"type": "web_search"}` of a server's own tools."""
    kind = entry.get("type", "function")
    if not isinstance(kind, str) or kind == "function" or "function" in entry or "parameters" in entry:
        return ()
    message = f"type {shortened(kind, 30)!r} is not supported, only 'function'"
    return (Finding(code=UNSOUND, message=message, pointer="/type"),)


def _spec_findings(spec: ToolSpec, earlier: Mapping[str, ToolSpec]) -> Iterator[Finding]:
    if spec.name in earlier:
        message = "it is declared twice; the first one counts"
        yield Finding(code="spec-declared-twice", message=message, pointer="/function/name")
        return
    # One tool that takes too much work must not use up what the others need.
    with budget() as own:
        found = check_spec(spec)
    if own.is_used_up or not any(finding.message.endswith(TOO_MUCH_WORK) for finding in found):
        yield from found
    else:
        message = "it was not checked, because the tools before it took too much work"
        yield Finding(code=TOO_COSTLY, message=message, severity=Severity.WARNING, pointer="")


def _spec(entry: JsonObject) -> ToolSpec:
    return ToolSpec(document=entry) if "function" in entry else ToolSpec.of_function(entry)


def _in_entry(index: int, finding: Finding, spec: ToolSpec, *, is_wrapped: bool) -> Finding:
    """Name the tool, and convert a pointer into its spec to a pointer into the text.

    In the text, a bare function has no `function` around it.
    """
    inside = finding.pointer or ""
    name = repr(shortened(spec.name, 40)) if spec.name else str(index + 1)
    return replace(
        finding,
        message=shortened(f"tool {name}: {finding.message}"),
        pointer=f"/{index}" + (inside if is_wrapped else inside.removeprefix("/function")),
    )


def _placed(text: str, finding: Finding) -> Finding:
    return replace(finding, line=line_of(text, finding.pointer or ""))
