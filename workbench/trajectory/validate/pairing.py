"""Check the order of turns, and that each call has one result and each result one call."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from workbench.chat.message import Role
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.row import EntryResult, RowEntry, RowFinding
from workbench.trajectory.validate.codes import quoted, row_finding
from workbench.trajectory.validate.parsed_row import RESULT_TAG, ParsedCall, ParsedEntry, ParsedRow

_NAMED = {
    Role.SYSTEM: "a system entry",
    Role.USER: "a user's entry",
    Role.ASSISTANT: "an entry of the model",
    Role.TOOL: "an entry of results",
}


def order_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Entries out of order: `role-order`, at the later one of two that cannot stand together.

    A system entry comes first, the user and the model take turns, results stand behind the model's calls. A
    call that nobody answered, and a result that nobody asked for, are for the pairing of both to tell.
    """
    before: ParsedEntry | None = None
    for one in parsed.entries:
        role = one.entry.role
        problem = _problem(before, one, parsed)
        if problem:
            yield row_finding("role-order", problem, entry=one.entry)
        if role is not Role.SYSTEM or before is None:
            before = one


def end_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Nothing to learn at the end: `last-not-assistant`."""
    last = parsed.entries[-1] if parsed.entries else None
    if last and last.entry.role not in (Role.ASSISTANT, None):
        message = f"the row ends with {_NAMED[last.entry.role]}; end it with the model's answer"
        yield row_finding("last-not-assistant", message, entry=last.entry)


def empty_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Entries with nothing in them: `empty-entry`. One without a text at all is already told."""
    told = {finding.entry for finding in parsed.row.findings}
    for one in parsed.entries:
        if one.is_empty and one.entry.place not in told:
            yield row_finding(
                "empty-entry", f"the entry of {one.entry.speaker!r:.40} is empty", entry=one.entry
            )


def _problem(before: ParsedEntry | None, one: ParsedEntry, parsed: ParsedRow) -> str:
    """Why `one` cannot stand behind `before`; empty where it can."""
    role = one.entry.role
    last = before.entry.role if before else Role.SYSTEM
    if role is None or last is None:
        return ""
    if role is Role.SYSTEM:
        return "" if before is None else "a system entry that is not the first"
    if role is Role.USER:
        return f"a user's entry behind {_NAMED[last]}" if last in (Role.USER, Role.TOOL) else ""
    if role is Role.ASSISTANT:
        return _answer_problem(before, last)
    is_second = last is Role.TOOL and _joins_results(parsed.row.format)
    return "results behind results; put them into one entry" if is_second else ""


def _answer_problem(before: ParsedEntry | None, last: Role | None) -> str:
    if last is Role.SYSTEM:
        return "the model speaks before the user does"
    if last is Role.ASSISTANT and before and not before.has_calls:
        return "two entries of the model in a row"
    return ""


def _joins_results(name: str) -> bool:
    return name in FORMATS and FORMATS[name].joins_results


class _OrphanResult(NamedTuple):
    entry: RowEntry
    result: EntryResult


class _Round(NamedTuple):
    """An entry of the model, and the results behind it."""

    caller: ParsedEntry | None
    """None where results stand behind no entry of the model."""
    results: Sequence[_OrphanResult]
    is_last: bool
    """Whether the conversation ends here."""
    is_countable: bool
    """False where a call or an entry of results cannot be read, so that nobody can count them."""


def pairing_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """`call-without-result`, `result-without-call`, `result-id-mismatch` and `result-order`.

    Where a call or an entry cannot be read, nobody can count, and nothing more is told.
    """
    for one in _rounds(parsed.entries):
        if not one.is_countable:
            continue
        if one.caller is None or not one.caller.has_calls:
            yield from _unasked(one.results)
        elif one.results or not one.is_last:
            yield from _of_round(one.caller, one.results, parsed.tools)


def _rounds(entries: Sequence[ParsedEntry]) -> Iterator[_Round]:
    """Every entry of the model that calls, and all results."""
    position = 0
    while position < len(entries):
        first = entries[position]
        start = position if first.entry.role is Role.TOOL else position + 1
        end = start
        while end < len(entries) and entries[end].entry.role is Role.TOOL:
            end += 1
        if first.has_calls or start < end:
            yield _round(entries, position, start, end)
        position = end


def _round(entries: Sequence[ParsedEntry], first: int, start: int, end: int) -> _Round:
    """The round of the entry at `first`, or of none where it is `start`, with the results up to `end`."""
    return _Round(
        caller=entries[first] if entries[first].entry.role is Role.ASSISTANT else None,
        results=[
            _OrphanResult(one.entry, result) for one in entries[start:end] for result in one.entry.results
        ],
        is_last=end == len(entries),
        is_countable=all(map(_is_countable, entries[first:end])) and not _is_unknown(entries, end),
    )


def _is_countable(one: ParsedEntry) -> bool:
    """Whether its calls or results can be counted: a tag inside a result makes one of two, or two of one."""
    return one.is_countable and not any(map(_holds_tag, one.entry.results))


def _holds_tag(result: EntryResult) -> bool:
    return "<" in result.text and RESULT_TAG.search(result.text) is not None


def _is_unknown(entries: Sequence[ParsedEntry], position: int) -> bool:
    """Whether nobody knows who speaks at `position`: results perhaps."""
    return position < len(entries) and entries[position].entry.role is None


def _of_round(
    caller: ParsedEntry, results: Sequence[_OrphanResult], tools: OfferedTools
) -> Iterator[RowFinding]:
    keys = _keys(caller.calls, results, tools)
    if keys is None:
        yield from _by_count(caller, results)
        return
    called, answered = keys
    missing = list((Counter(called) - Counter(answered)).elements())
    left, unasked = Counter(called), list[_OrphanResult]()
    for one, key in zip(results, answered, strict=True):
        left[key] -= 1
        # One that answers the wrong call explains one that has no answer.
        if key not in called or (left[key] < 0 and missing):
            missing = missing[1:]
            yield _stranger(one, key)
        elif left[key] < 0:
            unasked.append(one)
    yield from _unasked(unasked)
    yield from _unanswered(caller, [caller.calls[called.index(key)] for key in missing])
    if answered != called and Counter(answered) == Counter(called):
        message = "the results stand in another order than their calls"
        yield row_finding("result-order", message, entry=results[0].entry, pointer=results[0].result.pointer)


def _keys(
    calls: Sequence[ParsedCall], results: Sequence[_OrphanResult], tools: OfferedTools
) -> tuple[Sequence[str], Sequence[str]] | None:
    """What ties results to calls: ids where all have them, else names; None where places alone do."""
    if all(call.id for call in calls) and all(one.result.id for one in results):
        return [call.id or "" for call in calls], [one.result.id or "" for one in results]
    # A call of a tool that nobody declares is told as that, and what answers it may have the right name.
    are_known = not tools.specs or all(call.name in tools.by_name for call in calls)
    if are_known and results and all(one.result.name for one in results):
        return [call.name for call in calls], [one.result.name or "" for one in results]
    return None


def _by_count(caller: ParsedEntry, results: Sequence[_OrphanResult]) -> Iterator[RowFinding]:
    yield from _unanswered(caller, caller.calls[len(results) :])
    yield from _unasked(results[len(caller.calls) :])


def _unanswered(caller: ParsedEntry, calls: Sequence[ParsedCall]) -> Iterator[RowFinding]:
    """One finding for all calls of an entry, at the first of them."""
    if calls:
        others = f" and {len(calls) - 1} more" if len(calls) > 1 else ""
        message = f"the call of {quoted(calls[0].name)}{others} has no result, though it goes on"
        yield row_finding("call-without-result", message, entry=caller.entry, pointer=calls[0].pointer)


def _unasked(results: Sequence[_OrphanResult]) -> Iterator[RowFinding]:
    """One finding for all of them, at the first."""
    if results:
        first = results[0]
        others = f" and {len(results) - 1} more" if len(results) > 1 else ""
        message = f"a result{others} that answers no call of the entry before it"
        yield row_finding("result-without-call", message, entry=first.entry, pointer=first.result.pointer)


def _stranger(one: _OrphanResult, key: str) -> RowFinding:
    message = f"a result for {quoted(key)}, which no call before it waits for"
    return row_finding("result-id-mismatch", message, entry=one.entry, pointer=one.result.pointer)
