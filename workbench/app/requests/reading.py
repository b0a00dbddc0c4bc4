"""Parse requests and write readings in the JSON of `workbench parse --jsonl`. See `docs/reference/cli.md`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar, cast

from workbench.chat.finding import Finding, Fix, Span
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.hermes.dialects.known import DIALECTS
from workbench.hermes.parse import parse
from workbench.hermes.reading import Dialect, ForeignForm, Level, ReadCall, Reading
from workbench.toolspec.spec import OfferedTools, ToolSpec

_Choice = TypeVar("_Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseRequest:
    """Everything that a reading depends on."""

    text: str = ""
    """The completion. Empty in the defaults, which come from the options."""
    tools: OfferedTools | None
    """None does not check the names of tools."""
    dialect: Dialect
    """How the template family writes the body of a call."""
    level: Level
    """How much the reader repairs."""
    finish_reason: str
    """Why the completion ended."""
    starts_in_thought: bool
    """Whether the prompt ended inside a thought."""

    def read(self, text: str) -> Reading:
        """Read `text` with these settings."""
        return parse(
            text,
            tools=self.tools,
            dialect=self.dialect,
            level=self.level,
            finish_reason=self.finish_reason,
            starts_in_thought=self.starts_in_thought,
        )


def request_of_row(fields: JsonObject, defaults: ParseRequest) -> ParseRequest:
    """Return the request of a row. Fields that are missing or null are taken from the defaults.

    Raises:
        BadInput: The row has no text, or a field has the wrong type.
    """
    text = fields.get("text")
    if not isinstance(text, str):
        raise BadInput("text", "missing or not a string", 'write {"id": …, "text": …}')
    starts_in_thought = fields.get("starts_in_thought")
    if not isinstance(starts_in_thought, bool | None):
        raise BadInput("starts_in_thought", "neither true nor false")
    finish_reason = fields.get("finish_reason")
    if not isinstance(finish_reason, str | None):
        raise BadInput("finish_reason", "not a string")
    tools = tools_of_row(fields)
    return replace(
        defaults,
        text=text,
        tools=defaults.tools if tools is None else tools,
        dialect=_choice(Dialect, fields, "dialect") or defaults.dialect,
        level=_choice(Level, fields, "level") or defaults.level,
        finish_reason=defaults.finish_reason if finish_reason is None else finish_reason,
        starts_in_thought=defaults.starts_in_thought if starts_in_thought is None else starts_in_thought,
    )


def tools_of_row(fields: JsonObject) -> OfferedTools | None:
    """Return the tools of a row, valid or not. None if the row has no `tools`.

    Problems with a spec become findings of the reading or of the prompt.

    Raises:
        BadInput: `tools` is not a list of objects.
    """
    entries = fields.get("tools")
    if entries is None:
        return None
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise BadInput("tools", "not a list of objects", "write [{…}, {…}]")
    return OfferedTools(specs=tuple(_spec(entry) for entry in cast(list[JsonObject], entries)))


def _spec(entry: JsonObject) -> ToolSpec:
    function: JsonValue = entry.get("function")
    return ToolSpec(document=entry) if isinstance(function, Mapping) else ToolSpec.of_function(entry)


def reading_fields(reading: Reading) -> JsonObject:
    """Return the JSON of a reading, without an `id`."""
    return {
        "calls": [_call(call) for call in reading.calls],
        "fixes": [_fix(fix) for fix in reading.fixes],
        "findings": [_finding(finding) for finding in reading.findings],
        "foreign": [_foreign(form) for form in reading.foreign],
        "prose": [text.strip() for text in reading.prose if text.strip()],
        "dropped": reading.dropped,
    }


def _choice(kind: type[_Choice], fields: JsonObject, name: str) -> _Choice | None:
    value = fields.get(name)
    if value is None:
        return None
    if value not in tuple(kind):
        raise BadInput(name, f"unknown value {value!r}"[:60], f"use one of {', '.join(kind)}")
    return kind(value)


def _call(call: ReadCall) -> JsonObject:
    return {
        "name": call.name,
        "arguments": call.arguments,
        "status": call.status.value,
        "span": _span(call.span),
    }


def _fix(fix: Fix) -> JsonObject:
    edits = [{"span": _span(edit.span), "before": edit.before, "after": edit.after} for edit in fix.edits]
    return {"code": fix.code, "span": _span(fix.span), "edits": edits, "guess": fix.is_guess}


def _finding(finding: Finding) -> JsonObject:
    return {"code": finding.code, "span": finding.span and _span(finding.span), "message": finding.message}


def _foreign(form: ForeignForm) -> JsonObject:
    return {
        "dialect": form.dialect,
        "span": _span(form.span),
        "names": list[JsonValue](form.names),
        "read": form.is_read,
        "advice": DIALECTS[form.dialect].advice,
    }


def _span(span: Span) -> list[JsonValue]:
    return [span.start, span.end]
