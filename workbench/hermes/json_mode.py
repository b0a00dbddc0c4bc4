"""Hermes' JSON mode: find the schema in the system text, and check the answer against it.

*Source:* the Hermes-2-Pro and Hermes-3 model cards, "JSON Mode / Structured Outputs": the system text ends with
`<schema>`, a JSON Schema, `</schema>`.
"""

import json
import re
from dataclasses import dataclass
from typing import Final, cast

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.reading import Reading, SegmentKind
from workbench.toolspec.check import check_arguments
from workbench.toolspec.spec import ToolSpec

_SCHEMA: Final = re.compile(r"<schema>(?P<schema>.*?)</schema>", re.DOTALL)
_FENCE: Final = re.compile(r"\s*```[\w+-]*[^\S\n]*\n(?P<inside>.*?)\n?```\s*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSchema:
    """What the system text says of answers."""

    schema: JsonObject | None = None
    """The JSON Schema that an answer is to keep; None where there is none, or it cannot be read."""
    findings: tuple[Finding, ...] = ()
    """Why it cannot be read."""


def find_schema(system_text: str) -> AnswerSchema:
    """The schema that stands between `<schema>` and `</schema>`; of several, the last one.

    >>> find_schema('Answer in JSON.\\n<schema>\\n{"type": "object"}\\n</schema>').schema
    {'type': 'object'}
    """
    found = list(_SCHEMA.finditer(system_text))
    if not found:
        return AnswerSchema()
    try:
        value = cast(JsonValue, json.loads(found[-1]["schema"]))
    except (ValueError, RecursionError) as error:
        return AnswerSchema(findings=(_unreadable(f"it is no JSON, {error}"),))
    if not isinstance(value, dict):
        return AnswerSchema(findings=(_unreadable("it is no JSON object"),))
    return AnswerSchema(schema=value)


def check_answer(reading: Reading, schema: JsonObject) -> tuple[Finding, ...]:
    """Where an answer breaks its schema; empty for a completion that calls a tool instead.

    `answer-not-json` where it is none; `answer-fenced` where only the fence around it keeps it from being JSON;
    else one `schema-…` a place, its pointer into the answer.
    """
    if reading.calls or reading.dropped:
        return ()
    text = "".join(
        reading.text[segment.span.start : segment.span.end]
        for segment in reading.segments
        if segment.kind is SegmentKind.PROSE
    ).strip()
    fenced = _FENCE.fullmatch(text)
    told: tuple[Finding, ...] = ()
    if fenced:
        text = fenced["inside"]
        told = (Finding(code="answer-fenced", message="a fence stands around the answer's JSON"),)
    try:
        value = cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError) as error:
        message = f"the answer is no JSON: {error}"[:99]
        return (Finding(code="answer-not-json", message=message),)
    spec = ToolSpec.of_function({"name": "answer", "parameters": schema})
    return (*told, *check_arguments(spec, cast(JsonObject, value)))


def _unreadable(problem: str) -> Finding:
    message = f"answers are not held to the <schema> of the system text: {problem}"[:99]
    return Finding(code="answer-schema-unreadable", message=message, severity=Severity.WARNING)
