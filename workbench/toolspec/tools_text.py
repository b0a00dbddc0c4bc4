"""Parse and check the JSON text of tools that a person writes, with the line of each problem."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Final, cast

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue, load_json
from workbench.errors import BadInput
from workbench.toolspec.budget import REQUEST_STEPS, BudgetExceeded, budget
from workbench.toolspec.check import check_spec
from workbench.toolspec.spec import OfferedTools, ToolSpec

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder()


def line_of(text: str, pointer: str) -> int:
    """Line, from 1, of the value that `pointer` names in the JSON `text`; of a missing key, its object's line.

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
    """Where the member `token` of the array or object at `position` begins; None where there is none."""
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


MAX_SIZE_CHARS: Final = 1_000_000
"""A text longer than this is refused rather than parsed at each keystroke."""
_MOST_FINDINGS: Final = 100
"""More are not reported: each one's line is looked for in the text."""


def parse_tools(text: str) -> OfferedTools:
    """The tools of a JSON array of OpenAI function specs; bare function objects are wrapped.

    Raises:
        BadInput: The first finding of `check_tools_text`, with its line and pointer.
    """
    findings = check_tools_text(text)
    if findings:
        first = findings[0]
        place = f"line {first.line}" + (f", {first.pointer}" if first.pointer else "")
        raise BadInput(f"tools, {place}", first.message)
    return OfferedTools(
        specs=tuple(_spec(entry) for entry in cast(list[JsonObject], json.loads(text or "[]")))
    )


def render_tools(tools: OfferedTools) -> str:
    """The tools as the editor shows them: JSON, two blanks a level, keys as written."""
    return json.dumps([spec.document for spec in tools.specs], indent=2, ensure_ascii=False)


def check_tools_text(text: str) -> tuple[Finding, ...]:
    """What keeps `text` from being a list of tools, each with line and pointer; empty where nothing does."""
    if len(text) > MAX_SIZE_CHARS:
        return (Finding(code="spec-too-long", message=f"over {MAX_SIZE_CHARS:,} characters", line=1),)
    try:
        value = load_json(text or "[]")
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg} at column {error.colno}"
        return (Finding(code="spec-not-json", message=message, line=error.lineno),)
    except ValueError as error:
        return (Finding(code="spec-not-json", message=f"not JSON: {error}"[:100], line=1),)
    if not isinstance(value, list):
        return (Finding(code="spec-not-a-list", message="write a JSON array: [{…}, {…}]", line=1),)
    try:
        with budget(REQUEST_STEPS):
            findings = _check_entries(value)[:_MOST_FINDINGS]
    except BudgetExceeded as error:
        findings = [Finding(code="spec-unsound", message=f"{error.problem}: {error.remedy}"[:99])]
    return tuple(_placed(text, finding) for finding in findings)


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
    """The finding of a spec as one of the text, where a bare function has no `function` around it."""
    pointer = finding.pointer or ""
    return replace(
        finding, pointer=f"/{index}" + (pointer if is_wrapped else pointer.removeprefix("/function"))
    )


def _placed(text: str, finding: Finding) -> Finding:
    return replace(finding, line=line_of(text, finding.pointer or ""))
