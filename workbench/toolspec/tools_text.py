"""Parse and check a JSON text of tools, with the line of each problem."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Final, cast

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue, json_fault, load_json
from workbench.errors import BadInput
from workbench.toolspec.budget import REQUEST_STEPS, BudgetExceeded, budget
from workbench.toolspec.check import check_spec
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
    for token in pointer.split("/")[1:]:
        inner = _child(text, position, token.replace("~1", "/").replace("~0", "~"))
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


NO_TOOL: Final = "spec-no-tool"
"""Code of the finding that there is no tool, or not exactly one where a single tool is edited."""
MAX_SIZE_CHARS: Final = 1_000_000
"""Longer texts are rejected, because the editor parses the text at each keystroke."""
_MAX_FINDINGS: Final = 100
"""Limit on findings, because the line of each one is searched in the text."""


def parse_tools(tools: str | Sequence[JsonValue]) -> OfferedTools:
    """Parse OpenAI function specs: a JSON array, or a list as `json.loads` returns it.

    Bare function objects are accepted as well. Later changes to the list do not change the result.

    >>> parse_tools([{"name": "now", "parameters": {"type": "object", "properties": {}}}]).names
    ('now',)

    Raises:
        BadInput: The first finding of `check_tools_text`, with its pointer and, in a text, its line.
    """
    text = tools if isinstance(tools, str) else _written(tools)
    findings = check_tools_text(text)
    if findings:
        first = findings[0]
        places = (f"line {first.line}" if text is tools else "", first.pointer or "")
        raise BadInput(", ".join(filter(None, ("tools", *places))), first.message)
    return OfferedTools(
        specs=tuple(_spec(entry) for entry in cast(list[JsonObject], json.loads(text or "[]")))
    )


def _written(tools: Sequence[JsonValue]) -> str:
    """Return a list of specs as a JSON text."""
    try:
        return json.dumps(tools, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput("tools", f"not JSON values: {error}"[:99]) from error


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
    """Return what is wrong with a text of tools, with line and pointer of each problem. Empty if it is valid."""
    if len(text) > MAX_SIZE_CHARS:
        message = f"the text has over {MAX_SIZE_CHARS:,} characters"
        return (Finding(code="spec-too-long", message=message, line=1),)
    try:
        value = load_json(text or "[]")
    except json.JSONDecodeError as error:
        message = f"not JSON: {json_fault(error)} at column {error.colno}"
        return (Finding(code="spec-not-json", message=message, line=error.lineno),)
    except ValueError as error:
        return (Finding(code="spec-not-json", message=f"not JSON: {error}"[:100], line=1),)
    if not isinstance(value, list):
        return (Finding(code="spec-not-a-list", message="write a JSON array: [{…}, {…}]", line=1),)
    try:
        with budget(REQUEST_STEPS):
            findings = _check_entries(value)[:_MAX_FINDINGS]
    except BudgetExceeded as error:
        findings = [Finding(code="spec-unsound", message=f"{error.problem}: {error.remedy}"[:99])]
    return tuple(_placed(text, finding) for finding in findings)


def no_tools() -> Finding:
    """Return the finding about a list without tools, which is valid but probably a mistake."""
    return Finding(code=NO_TOOL, message="the list has no tools: write [{…}, {…}]", line=1)


def _check_entries(entries: list[JsonValue]) -> list[Finding]:
    findings: list[Finding] = []
    seen: dict[str, int] = {}
    for index, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            message = f"entry {index + 1} is not an object"
            findings.append(Finding(code="spec-not-an-object", message=message, pointer=f"/{index}"))
            continue
        spec = _spec(cast(JsonObject, entry))
        is_wrapped = "function" in entry
        findings.extend(_in_entry(index, finding, is_wrapped=is_wrapped) for finding in check_spec(spec))
        if spec.name and spec.name in seen:
            message = f"tool {spec.name!r} is declared twice"
            pointer = f"/{index}/function/name" if is_wrapped else f"/{index}/name"
            findings.append(Finding(code="spec-declared-twice", message=message, pointer=pointer))
        seen[spec.name] = index
    return findings


def _spec(entry: JsonObject) -> ToolSpec:
    return ToolSpec(document=entry) if "function" in entry else ToolSpec.of_function(entry)


def _in_entry(index: int, finding: Finding, *, is_wrapped: bool) -> Finding:
    """Convert a pointer into a spec to a pointer into the text, where a bare function has no `function` around it."""
    pointer = finding.pointer or ""
    return replace(
        finding, pointer=f"/{index}" + (pointer if is_wrapped else pointer.removeprefix("/function"))
    )


def _placed(text: str, finding: Finding) -> Finding:
    return replace(finding, line=line_of(text, finding.pointer or ""))
