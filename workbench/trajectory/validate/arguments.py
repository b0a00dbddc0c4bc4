"""Check the calls of a row and their arguments against the tools' schemas."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from workbench.chat.finding import Finding, Severity, Span
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.chat.near_names import nearest_name
from workbench.chat.short_text import shortened
from workbench.hermes.codes import BY_WORD, CodeKind
from workbench.hermes.marks import CALL_TAG
from workbench.hermes.parse import parse
from workbench.hermes.reading import Dialect, Reading
from workbench.toolspec.check import check_arguments
from workbench.toolspec.quick import is_surely_valid
from workbench.toolspec.spec import ToolSpec
from workbench.trajectory.filled_nulls import close_spec, filled_nulls, without_nulls_at
from workbench.trajectory.hermes_text import REPEATED
from workbench.trajectory.row import RowEntry, RowFinding
from workbench.trajectory.system_text import form_of_examples
from workbench.trajectory.validate.codes import quoted, row_finding
from workbench.trajectory.validate.formats import wrong_formats
from workbench.trajectory.validate.parsed_row import LOST, ParsedCall, ParsedEntry, ParsedRow
from workbench.trajectory.validate.repair import repair_row


def argument_findings(spec: ToolSpec, arguments: JsonObject, entry: RowEntry) -> Iterator[RowFinding]:
    """Yield `schema-…` findings, with pointers into the arguments, and `none-filled`.

    A null for an optional argument that does not allow null is what Arrow fills in if other rows have a value:
    such nulls give one warning for the call instead of an error each.
    """
    filled = filled_nulls(spec, arguments)
    arguments = without_nulls_at(arguments, filled)
    spec = close_spec(spec)
    if not filled and is_surely_valid(spec, arguments):
        return
    for finding in check_arguments(spec, arguments):
        # Arguments are an object, and a schema that wants another type is `spec-unsound`.
        is_about_schema = finding.code == "schema-type" and not finding.pointer
        if finding.severity is Severity.ERROR and not is_about_schema:
            yield _placed(finding, spec, entry)
    for pointer, name, value in wrong_formats(spec.schema, arguments):
        message = shortened(f"{quoted(spec.name)}: {pointer}: {value[:30]!r} is not a valid {name}")
        yield row_finding("schema-format", message, entry=entry, pointer=pointer)
    if filled:
        names = ", ".join(pointer.rpartition("/")[2] for pointer in islice(filled, 3))
        message = shortened(
            f"null for {names} of {quoted(spec.name)}, probably filled in by Arrow; remove it"
        )
        yield row_finding("none-filled", message, entry=entry, pointer=filled[0])


def _placed(finding: Finding, spec: ToolSpec, entry: RowEntry) -> RowFinding:
    row_problem = row_finding(finding.code, shortened(f"{quoted(spec.name)}: {finding.message}"), entry=entry)
    return replace(row_problem, pointer=finding.pointer or "")


_MARKED: Final = frozenset({"text-after-stop", "model-wrote-tool-response"})
"""Fixes for tags in the wrong place, which `control-mark` reports."""
_DOUBTFUL: Final = frozenset(
    {"duplicate-key", "duplicate-parameter", "ambiguous-escape", "ambiguous-parameter"}
)
"""Findings of the reader about calls that other parsers may read differently."""
_REMEDIES: Final = {
    "call-not-strict": "only the tolerant reader can parse it ({codes}); use --fix-out or correct it",
    "call-unreadable": "no call can be parsed from this ({codes}); correct it by hand",
    "call-truncated": "the text ends before a call is complete; complete the call or skip the row",
}

_CONVERTED: Final = "only the tolerant reader can parse it ({codes}); correct it or convert the row"
_GUESSED: Final = "only a guess makes it readable ({codes}); correct it by hand"


def call_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield all findings about calls, entry by entry."""
    for parsed_entry in parsed.entries:
        if parsed_entry.entry.role is Role.USER:
            yield from _misplaced(parsed_entry)
        if parsed_entry.entry.place >= parsed.bad_from:
            continue
        if parsed_entry.reading and (parsed_entry.reading.fixes or parsed_entry.reading.findings):
            yield from _of_reading(parsed_entry, parsed_entry.reading, parsed)
        for index, call in enumerate(parsed_entry.calls):
            for finding in _of_call(call, parsed_entry, parsed):
                yield _of_index(finding, index, call, len(parsed_entry.calls))


def _of_index(finding: RowFinding, index: int, call: ParsedCall, count: int) -> RowFinding:
    """Add which call of the entry a finding is about; the message says so if there are several."""
    message = shortened(f"call {index + 1}: {finding.message}") if count > 1 else finding.message
    return replace(finding, message=message, call=index, call_pointer=call.pointer)


def form_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `call-form` for each entry whose calls have another form than the system text asks for."""
    first = parsed.entries[0].entry if parsed.entries else None
    if first is None or first.role is not Role.SYSTEM or not parsed.row.spells_calls:
        return
    asked = form_of_examples(first.text)
    if asked is None:
        return
    for parsed_entry in parsed.entries:
        reading = parsed_entry.reading
        forms = {call.dialect for call in reading.calls} if reading else {Dialect.JSON}
        if asked not in forms and any(call.given is None for call in parsed_entry.calls):
            written, wanted = ("XML", "JSON") if asked is Dialect.JSON else ("JSON", "XML")
            message = f"a call in {written}, but the system text asks for {wanted}"
            pointer = parsed_entry.entry.text_pointer
            yield row_finding("call-form", message, entry=parsed_entry.entry, pointer=pointer)


def _not_strict(pointer: str, parsed: ParsedRow) -> str:
    """Return the message about a call, which proposes `--fix-out` only if that corrects the call."""
    is_fixed = any(
        repair.pointer == pointer and repair.code == "call-not-strict"
        for repair in repair_row(parsed).repairs
    )
    return _REMEDIES["call-not-strict"] if is_fixed else _CONVERTED


def _of_reading(parsed_entry: ParsedEntry, reading: Reading, parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield one finding per block: `call-not-strict`, `call-unreadable` or `call-truncated`."""
    codes_by_block: dict[tuple[int, str], list[str]] = {}
    for code, span in _records(reading):
        verdict = _verdict(code)
        if verdict:
            codes_by_block.setdefault((_block(reading, span), verdict), []).append(code)
    guesses = {fix.code for fix in reading.fixes if fix.is_guess}
    for (_, verdict), codes in codes_by_block.items():
        if verdict != "call-not-strict":
            remedy = _REMEDIES[verdict]
        else:
            is_guess = not (guesses | REPEATED).isdisjoint(codes)
            remedy = _GUESSED if is_guess else _not_strict(parsed_entry.entry.text_pointer, parsed)
        message = remedy.format(codes=", ".join(sorted(set(codes))))
        yield row_finding(verdict, message, entry=parsed_entry.entry, pointer=parsed_entry.entry.text_pointer)


def _records(reading: Reading) -> Iterator[tuple[str, Span]]:
    for fix in reading.fixes:
        if fix.code not in _MARKED:
            yield fix.code, fix.span
    for finding in reading.findings:
        if finding.span:
            yield finding.code, finding.span


def _verdict(code: str) -> str:
    """Return the row code for a code of the reader; empty if another rule reports it or it is harmless."""
    if code in LOST:
        return "call-unreadable"
    if code == "truncated":
        return "call-truncated"
    is_repair = code in _DOUBTFUL or (code in BY_WORD and BY_WORD[code].kind is CodeKind.FIX)
    return "call-not-strict" if is_repair else ""


def _block(reading: Reading, span: Span) -> int:
    """Return the start of the segment that contains a fix or finding."""
    for segment in reading.segments:
        if segment.span.start <= span.start < segment.span.end:
            return segment.span.start
    return span.start


def _of_call(call: ParsedCall, parsed_entry: ParsedEntry, parsed: ParsedRow) -> Iterator[RowFinding]:
    if call.repairs:
        where = call.given.arguments_pointer if call.given else call.pointer
        message = _not_strict(where, parsed).format(codes=", ".join(call.repairs))
        yield row_finding("call-not-strict", message, entry=parsed_entry.entry, pointer=where)
    spec = parsed.tools.by_name.get(call.name)
    for name in call.others:
        # In a text, the reader makes such an argument part of the call, which `call-not-strict` reports.
        is_argument = spec is not None and name in spec.properties and name not in (call.arguments or {})
        code = "call-not-strict" if is_argument else "unknown-member"
        remedy = "move it into them" if is_argument else "no reader uses it"
        message = f"{quoted(name)} is beside the arguments; {remedy}"
        yield row_finding(code, message, entry=parsed_entry.entry, pointer=call.pointer)
    if spec is None:
        if call.name and not _are_tools_lost(parsed):
            yield row_finding(
                "undeclared-tool",
                _undeclared(call.name, parsed),
                entry=parsed_entry.entry,
                pointer=call.pointer,
            )
    elif call.arguments is not None:
        yield from argument_findings(spec, call.arguments, parsed_entry.entry)


def _are_tools_lost(parsed: ParsedRow) -> bool:
    """Whether the declared tools could not be read, which is reported already and explains unknown names."""
    return not parsed.tools.specs and any(
        finding.code == "tools-unreadable" for finding in parsed.row.findings
    )


def _undeclared(name: str, parsed: ParsedRow) -> str:
    if not parsed.tools.names:
        return f"{quoted(name)} is called, but the row declares no tools; add them"
    near = nearest_name(name, parsed.tools.names)
    hint = f"; did you mean {quoted(near)}?" if near else ""
    return f"the row does not declare a tool {quoted(name)}{hint}"


def _misplaced(parsed_entry: ParsedEntry) -> Iterator[RowFinding]:
    text = parsed_entry.entry.text
    if "<" in text and CALL_TAG.search(text):
        reading = parse(text)
        if reading.calls or reading.dropped:
            message = "a call in a user entry; only the model may call tools"
            yield row_finding(
                "call-in-user", message, entry=parsed_entry.entry, pointer=parsed_entry.entry.text_pointer
            )
