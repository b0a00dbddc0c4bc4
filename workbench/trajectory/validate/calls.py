"""The calls of a row: whether strict reads them, whether the tool is declared, whether its schema holds."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Final

from workbench.chat.finding import Span
from workbench.chat.message import Role
from workbench.hermes.codes import BY_WORD, CodeKind
from workbench.hermes.marks import CALL_TAG
from workbench.hermes.parse import parse
from workbench.hermes.reading import Reading
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.arguments import argument_findings
from workbench.trajectory.validate.said import said, short
from workbench.trajectory.validate.seen import LOST, SeenCall, SeenEntry, SeenRow

_MARKED: Final = frozenset({"text-after-stop", "model-wrote-tool-response"})
"""Fixes of what is a mark in the wrong place, which `control-mark` tells."""
_DOUBTFUL: Final = frozenset(
    {"duplicate-key", "duplicate-parameter", "ambiguous-escape", "ambiguous-parameter"}
)
"""Findings of the reader about a call that others may read otherwise."""
_REMEDIES: Final = {
    "call-not-strict": "only a tolerant reader reads it ({codes}); write what it reads",
    "call-unreadable": "no reader gets a call from this ({codes}); correct it by hand",
    "call-truncated": "the text ends inside a call; finish it, or leave the row out",
}


def call_findings(seen: SeenRow) -> Iterator[RowFinding]:
    """All that is wrong with calls, entry by entry."""
    for one in seen.entries:
        if one.entry.role is Role.USER:
            yield from _misplaced(one)
        if one.reading and (one.reading.fixes or one.reading.findings):
            yield from _of_reading(one, one.reading)
        for call in one.calls:
            yield from _of_call(call, one, seen)


def _of_reading(one: SeenEntry, reading: Reading) -> Iterator[RowFinding]:
    """One finding a block: `call-not-strict`, `call-unreadable` or `call-truncated`."""
    told: dict[tuple[int, str], list[str]] = {}
    for code, span in _records(reading):
        verdict = _verdict(code)
        if verdict:
            told.setdefault((_block(reading, span), verdict), []).append(code)
    for (_, verdict), codes in told.items():
        message = _REMEDIES[verdict].format(codes=", ".join(sorted(set(codes))))
        yield said(verdict, message, entry=one.entry, pointer=one.entry.text_pointer)


def _records(reading: Reading) -> Iterator[tuple[str, Span]]:
    for fix in reading.fixes:
        if fix.code not in _MARKED:
            yield fix.code, fix.span
    for finding in reading.findings:
        if finding.span:
            yield finding.code, finding.span


def _verdict(code: str) -> str:
    """What a code of the reader means for a row; empty where another rule tells it, or nothing is wrong."""
    if code in LOST:
        return "call-unreadable"
    if code == "truncated":
        return "call-truncated"
    is_repair = code in _DOUBTFUL or (code in BY_WORD and BY_WORD[code].kind is CodeKind.FIX)
    return "call-not-strict" if is_repair else ""


def _block(reading: Reading, span: Span) -> int:
    """Where the segment begins in which a record stands."""
    for segment in reading.segments:
        if segment.span.start <= span.start < segment.span.end:
            return segment.span.start
    return span.start


def _of_call(call: SeenCall, one: SeenEntry, seen: SeenRow) -> Iterator[RowFinding]:
    if call.repairs:
        message = _REMEDIES["call-not-strict"].format(codes=", ".join(call.repairs))
        where = call.given.arguments_pointer if call.given else call.pointer
        yield said("call-not-strict", message, entry=one.entry, pointer=where)
    spec = seen.tools.by_name.get(call.name)
    if spec is None:
        if call.name and not _are_tools_lost(seen):
            yield said("undeclared-tool", _undeclared(call.name, seen), entry=one.entry, pointer=call.pointer)
    elif call.arguments is not None:
        yield from argument_findings(spec, call.arguments, one.entry)


def _are_tools_lost(seen: SeenRow) -> bool:
    """Whether the row declares tools that nobody can read, and no others: that is told, and explains it."""
    return not seen.tools.specs and any(one.code == "tools-unreadable" for one in seen.row.findings)


def _undeclared(name: str, seen: SeenRow) -> str:
    if not seen.tools.names:
        return f"{short(name)} is called, but the row declares no tools"
    near = get_close_matches(name[:64], [known[:64] for known in seen.tools.names[:500]], n=1)
    hint = f"; did you mean {short(near[0])}?" if near else ""
    return f"the row declares no tool {short(name)}{hint}"


def _misplaced(one: SeenEntry) -> Iterator[RowFinding]:
    text = one.entry.text
    if "<" in text and CALL_TAG.search(text):
        reading = parse(text)
        if reading.calls or reading.dropped:
            message = "a call in a user's entry; only the model calls"
            yield said("call-in-user", message, entry=one.entry, pointer=one.entry.text_pointer)
