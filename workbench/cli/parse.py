"""`workbench parse`: parse one completion, or many."""

import json
import sys
from collections.abc import Iterator
from typing import Annotated, Final

import typer

from workbench.app.requests.reading import ParseRequest, reading_fields, request_of_row
from workbench.chat.finding import Edit, Finding, Fix, Severity, Span
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import Paint, Tone, excerpt, place_of, terminal_paint, write_json_line
from workbench.cli.terminal.sources import (
    STANDARD_INPUT,
    SourceArgument,
    ToolsOption,
    read_rows,
    read_text,
    select_tools,
)
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.hermes.dialects.known import DIALECTS, describe
from workbench.hermes.near_miss import check_prose
from workbench.hermes.reading import CallStatus, Dialect, Level, ReadCall, Reading, Segment, SegmentKind

MAX_EDIT_CHARS: Final = 40
"""Longest text of an edit, in characters; longer texts are cut."""
MAX_EDITS: Final = 5
"""Maximum number of edits shown for one fix."""

_TONES: Final = {
    SegmentKind.PROSE: Tone.PROSE,
    SegmentKind.THOUGHT: Tone.THOUGHT,
    SegmentKind.CALL: Tone.QUIET,
    SegmentKind.RESPONSE: Tone.BAD,
    SegmentKind.UNCLOSED: Tone.BAD,
}
_SEVERITY_TONES: Final = {Severity.ERROR: Tone.BAD, Severity.WARNING: Tone.FIX, Severity.NOTE: Tone.QUIET}


def reading_lines(reading: Reading, paint: Paint) -> Iterator[str]:
    """Yield the lines of the report: segments with their calls, fixes, findings, and a summary."""
    calls = list(reading.calls)
    for segment in reading.segments:
        if not segment.text.strip():
            continue
        yield from _segment_lines(reading.text, segment, paint)
        while calls and calls[0].span.start < segment.span.end:
            yield from _call_lines(calls.pop(0), paint)
    for fix in reading.fixes:
        yield from _fix_lines(reading.text, fix, paint)
    for form in reading.foreign:
        place = place_of(reading.text, form.span.start)
        yield paint(f"foreign-dialect {form.dialect} at {place.line}:{place.column}", Tone.FIX)
        yield from _marked(reading.text, form.span, describe(form), Tone.FIX, paint)
        yield f"  {DIALECTS[form.dialect].advice}"
    for finding in (*reading.own_findings, *check_prose(reading)):
        yield from _finding_lines(reading.text, finding, paint)
    yield paint(_summary(reading), Tone.TITLE)


def _segment_lines(text: str, segment: Segment, paint: Paint) -> Iterator[str]:
    place = place_of(text, segment.span.start)
    yield paint(f"{segment.kind} at {place.line}:{place.column}", Tone.QUIET)
    for line in shown(segment.text.strip("\r\n")).split("\n"):
        yield "  " + paint(line, _TONES[segment.kind])


def _call_lines(call: ReadCall, paint: Paint) -> Iterator[str]:
    tone = Tone.CALL if call.status is CallStatus.READY else Tone.BAD
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    yield f"  → {paint(shown(call.name), tone)} {shown(arguments)} {paint(call.status.value, tone)}"


def _fix_lines(text: str, fix: Fix, paint: Paint) -> Iterator[str]:
    place = place_of(text, fix.span.start)
    guess = " (a guess)" if fix.is_guess else ""
    yield paint(f"fix {fix.code} at {place.line}:{place.column}{guess}", Tone.FIX)
    if not fix.edits:
        yield from _marked(text, fix.span, "part of another fix of this block", Tone.FIX, paint)
    for edit in fix.edits[:MAX_EDITS]:
        yield from _marked(text, edit.span, _edit_text(edit), Tone.FIX, paint)
    if len(fix.edits) > MAX_EDITS:
        yield paint(f"  … and {len(fix.edits) - MAX_EDITS} more edits", Tone.QUIET)


def _finding_lines(text: str, finding: Finding, paint: Paint) -> Iterator[str]:
    tone = _SEVERITY_TONES[finding.severity]
    if finding.span is None:
        yield paint(f"{finding.severity} {finding.code}", tone)
        yield f"  {shown(finding.message)}"
        return
    place = place_of(text, finding.span.start)
    yield paint(f"{finding.severity} {finding.code} at {place.line}:{place.column}", tone)
    yield from _marked(text, finding.span, shown(finding.message), tone, paint)


def _marked(text: str, span: Span, remark: str, tone: Tone, paint: Paint) -> Iterator[str]:
    line, carets = excerpt(text, span)
    yield f"  {line}"
    yield f"  {paint(carets, tone)} {remark}"


def _edit_text(edit: Edit) -> str:
    if not edit.after:
        return f"{_quoted(edit.before)} removed"
    if not edit.before:
        return f"{_quoted(edit.after)} inserted"
    return f"{_quoted(edit.before)} → {_quoted(edit.after)}"


def _quoted(text: str) -> str:
    cut = text if len(text) <= MAX_EDIT_CHARS else text[: MAX_EDIT_CHARS - 1] + "…"
    return f"«{shown(cut)}»".replace("\n", "␊")


def _summary(reading: Reading) -> str:
    counts = (
        _count(len(reading.calls), "call"),
        _count(len(reading.fixes), "fix", "fixes"),
        _count(len(reading.findings), "finding"),
        _count(reading.dropped, "block") + " dropped",
    )
    return ", ".join(counts)


def _count(number: int, singular: str, plural: str = "") -> str:
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


REFUSED = 1
"""Exit code if the strict reader refused a block."""
UNREADABLE = 2
"""Exit code if a row could not be read."""


def parse(
    source: SourceArgument = STANDARD_INPUT,
    tools: ToolsOption = None,
    dialect: Annotated[Dialect, typer.Option(help="Form of the body of a call")] = Dialect.AUTO,
    level: Annotated[Level, typer.Option(help="How much may be fixed")] = Level.TOLERANT,
    finish_reason: Annotated[
        str,
        typer.Option(metavar="REASON", help="Why the completion ended; length means that it was cut off"),
    ] = "stop",
    starts_in_thought: Annotated[
        bool, typer.Option("--starts-in-thought", help="The prompt ends inside <think>")
    ] = False,
    json_output: JsonOption = False,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="Read one JSON request per line and print one reading per line")
    ] = False,
) -> None:
    """Parse a completion into tool calls, fixes and findings.

    Exit code 1 with --level strict if a call block would need a fix.
    """
    request = ParseRequest(
        tools=select_tools(tools),
        dialect=dialect,
        level=level,
        finish_reason=finish_reason,
        starts_in_thought=starts_in_thought,
    )
    if jsonl:
        code = _parse_rows(source, request)
    else:
        reading = request.read(read_text(source))
        code = _exit_code(reading, level)
        _print_reading(reading, is_json=json_output)
    if code:
        raise typer.Exit(code)


def _parse_rows(source: str, defaults: ParseRequest) -> int:
    """Parse each row as it arrives and return the exit code.

    Args:
        defaults: The options, for rows that leave them out.
    """
    code = 0
    for row in read_rows(source):
        if isinstance(row, BadInput):
            print(f"workbench: {row}", file=sys.stderr)
            code = UNREADABLE
            continue
        try:
            request = request_of_row(row.fields, defaults)
        except BadInput as error:
            print(f"workbench: row {row.number}, {error}", file=sys.stderr)
            code = UNREADABLE
            continue
        reading = request.read(request.text)
        write_json_line({"id": row.fields.get("id"), **reading_fields(reading)})
        code = max(code, _exit_code(reading, request.level))
    return code


def _print_reading(reading: Reading, *, is_json: bool) -> None:
    if is_json:
        write_json_line(reading_fields(reading))
        return
    for line in reading_lines(reading, terminal_paint()):
        print(line)


def _exit_code(reading: Reading, level: Level) -> int:
    return REFUSED if level is Level.STRICT and reading.dropped else 0
