"""Hermes' JSON mode: find the schema in the system text, and check the answer against it.

The system text ends with `<schema>`, a JSON Schema and `</schema>`.

*Source:* "JSON Mode / Structured Outputs" in https://huggingface.co/NousResearch/Hermes-3-Llama-3.1-8B
"""

import json
import re
from dataclasses import dataclass
from typing import Final, cast

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.short_text import shortened
from workbench.hermes.reading import Reading, SegmentKind
from workbench.toolspec.check import check_arguments
from workbench.toolspec.spec import ToolSpec

_SCHEMA: Final = re.compile(r"<schema>(?P<schema>.*?)</schema>", re.DOTALL)
_FENCE: Final = re.compile(r"\s*```[\w+-]*[^\S\n]*\n(?P<inside>.*?)\n?```\s*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSchema:
    """The schema that the system text requires of answers."""

    schema: JsonObject | None = None
    """The JSON Schema, or None if it is missing or cannot be parsed."""
    findings: tuple[Finding, ...] = ()
    """Why the schema cannot be parsed. Empty if it can."""


def find_schema(system_text: str) -> AnswerSchema:
    """Return the schema between `<schema>` and `</schema>`. If there are several, the last one counts.

    >>> find_schema('Answer in JSON.\\n<schema>\\n{"type": "object"}\\n</schema>').schema
    {'type': 'object'}
    """
    found = list(_SCHEMA.finditer(system_text))
    if not found:
        return AnswerSchema()
    try:
        value = cast(JsonValue, json.loads(found[-1]["schema"]))
    except (ValueError, RecursionError) as error:
        return AnswerSchema(findings=(_unreadable(f"it is not JSON, {error}"),))
    if not isinstance(value, dict):
        return AnswerSchema(findings=(_unreadable("it is not a JSON object"),))
    return AnswerSchema(schema=value)


def check_answer(reading: Reading, schema: JsonObject) -> tuple[Finding, ...]:
    """Return where an answer violates its schema. Empty for a completion that calls a tool instead.

    `answer-not-json`: the answer is not JSON. `answer-fenced`: it is JSON inside a code fence. Otherwise there is one
    `schema-…` finding per violation, with a pointer into the answer.
    """
    if reading.calls or reading.dropped:
        return ()
    text = "".join(
        reading.text[segment.span.start : segment.span.end]
        for segment in reading.segments
        if segment.kind is SegmentKind.PROSE
    ).strip()
    fenced = _FENCE.fullmatch(text)
    fence_findings: tuple[Finding, ...] = ()
    if fenced:
        text = fenced["inside"]
        fence_findings = (
            Finding(
                code="answer-fenced", message="the answer's JSON is inside a code fence; remove the fence"
            ),
        )
    try:
        value = cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError) as error:
        message = shortened(f"the answer is not JSON: {error}")
        return (Finding(code="answer-not-json", message=message),)
    spec = ToolSpec.of_function({"name": "answer", "parameters": schema})
    return (*fence_findings, *check_arguments(spec, cast(JsonObject, value)))


def _unreadable(problem: str) -> Finding:
    message = shortened(f"the <schema> in the system text cannot be used: {problem}")
    return Finding(code="answer-schema-unreadable", message=message, severity=Severity.WARNING)
