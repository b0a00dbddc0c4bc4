"""Requests and readings in the JSON of `workbench parse --jsonl`; see `docs/reference/cli.md`."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NamedTuple, TypeVar

from workbench.app.requests.prompt import tools_of_row
from workbench.chat.finding import Finding, Fix, Severity, Span
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.hermes.dialects.known import DIALECTS
from workbench.hermes.parse import parse
from workbench.hermes.reading import Dialect, ForeignForm, Level, ReadCall, Reading
from workbench.library.datasets.row_import import ReadRow
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.codes import row_finding
from workbench.trajectory.validate.rows_check import RowsCheck

_ALMOST: Final = "near-duplicate-row"


class _Placed(NamedTuple):
    row: int | None
    """From 1; None where all rows are meant."""
    finding: RowFinding


def check_rows(rows: Iterable[ReadRow]) -> JsonObject:
    """The findings of rows, those of rows that stand twice, those of them all; then the summary."""
    check = RowsCheck()
    found = list(_findings(rows, check))
    severities = Counter(one.finding.severity for one in found)
    codes = Counter(one.finding.code for one in found)
    return {
        "findings": [_told(one) for one in found],
        "summary": {
            "rows": check.rows,
            "errors": severities[Severity.ERROR],
            "warnings": severities[Severity.WARNING],
            "codes": dict[str, JsonValue](sorted(codes.items())),
        },
    }


def _findings(rows: Iterable[ReadRow], check: RowsCheck) -> Iterator[_Placed]:
    """What an error or a warning is; `check` has counted all rows at the end."""
    numbers: list[int] = []
    for number, row in rows:
        numbers.append(number)
        if isinstance(row, RowFinding):
            check.count_unreadable()
            yield _Placed(number, row)
        else:
            yield from (_Placed(number, one) for one in check.check(row) if _is_told(one))
    for duplicate in check.duplicates([check.rows]):
        how = "almost the same" if duplicate.code == _ALMOST else "the same"
        message = f"{how} conversation as row {numbers[duplicate.first]}"
        yield _Placed(numbers[duplicate.row], row_finding(duplicate.code, message))
    yield from (_Placed(None, one) for one in check.facts.findings() if _is_told(one))


def _is_told(finding: RowFinding) -> bool:
    return finding.severity is not Severity.NOTE


def _told(one: _Placed) -> JsonObject:
    return {"row": one.row, **one.finding.document()}


_Choice = TypeVar("_Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseRequest:
    """All that a reading is a function of."""

    text: str = ""
    """The completion; empty in the request that the options make."""
    tools: OfferedTools | None
    """None checks no name."""
    dialect: Dialect
    """The body that the family writes."""
    level: Level
    """How much may be repaired."""
    finish_reason: str
    """Why the completion ended."""
    starts_in_thought: bool
    """Whether the prompt ended inside a thought."""

    def read(self, text: str) -> Reading:
        """What the reader makes of `text`."""
        return parse(
            text,
            tools=self.tools,
            dialect=self.dialect,
            level=self.level,
            finish_reason=self.finish_reason,
            starts_in_thought=self.starts_in_thought,
        )


def request_of_row(fields: JsonObject, given: ParseRequest) -> ParseRequest:
    """What a row asks for; what it leaves out, or gives as null, is as the options say.

    Raises:
        BadInput: It has no text, or a field of the wrong kind.
    """
    text = fields.get("text")
    if not isinstance(text, str):
        raise BadInput("text", "missing or no string", 'write {"id": …, "text": …}')
    starts_in_thought = fields.get("starts_in_thought")
    if not isinstance(starts_in_thought, bool | None):
        raise BadInput("starts_in_thought", "neither true nor false")
    finish_reason = fields.get("finish_reason")
    if not isinstance(finish_reason, str | None):
        raise BadInput("finish_reason", "no string")
    tools = tools_of_row(fields)
    return replace(
        given,
        text=text,
        tools=given.tools if tools is None else tools,
        dialect=_choice(Dialect, fields, "dialect") or given.dialect,
        level=_choice(Level, fields, "level") or given.level,
        finish_reason=given.finish_reason if finish_reason is None else finish_reason,
        starts_in_thought=given.starts_in_thought if starts_in_thought is None else starts_in_thought,
    )


def reading_fields(reading: Reading) -> JsonObject:
    """The reading as JSON, without an `id`."""
    return {
        "calls": [_call(call) for call in reading.calls],
        "fixes": [_fix(fix) for fix in reading.fixes],
        "findings": [_finding(finding) for finding in reading.findings],
        "foreign": [_foreign(form) for form in reading.foreign],
        "prose": [text.strip() for text in reading.prose if text.strip()],
        "dropped": reading.dropped,
    }


def _choice(kind: type[_Choice], fields: JsonObject, name: str) -> _Choice | None:
    given = fields.get(name)
    if given is None:
        return None
    if given not in tuple(kind):
        raise BadInput(name, f"unknown {given!r}"[:60], f"use one of {', '.join(kind)}")
    return kind(given)


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
