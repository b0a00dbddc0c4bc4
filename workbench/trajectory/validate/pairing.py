"""Check the order of turns, and that each call has one result and each result one call."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from workbench.chat.finding import Severity
from workbench.chat.message import Role
from workbench.chat.short_text import shortened
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.compress import TITLE
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.row import EntryResult, RowEntry, RowFinding
from workbench.trajectory.validate.codes import quoted, row_finding
from workbench.trajectory.validate.parsed_row import RESULT_TAG, ParsedCall, ParsedEntry, ParsedRow

_NAMED = {
    Role.SYSTEM: "a system entry",
    Role.USER: "a user entry",
    Role.ASSISTANT: "a model entry",
    Role.TOOL: "a result entry",
}


_USER_PROBLEMS = {
    Role.USER: "two user entries in a row; join them",
    Role.TOOL: "a user entry directly after results; some templates need the model's answer between them",
}


def order_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `role-order` for each entry that must not follow the one before it.

    The system entry comes first, user and model alternate, and results follow the model's calls. A user directly after
    results is only a warning, unless the format's trainer skips such rows. Missing and
    extra results are reported by `pairing_findings` instead.
    """
    before: ParsedEntry | None = None
    for parsed_entry in parsed.entries:
        role = parsed_entry.entry.role
        problem = _problem(before, parsed_entry, parsed)
        if problem:
            finding = row_finding("role-order", problem, entry=parsed_entry.entry)
            # Chat APIs allow it: in Anthropic's, the results and the text share a message.
            is_usable = problem == _USER_PROBLEMS[Role.TOOL] and not _joins_results(parsed.row.format)
            yield replace(finding, severity=Severity.WARNING) if is_usable else finding
        if role is not Role.SYSTEM or before is None:
            before = parsed_entry


def end_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `last-not-assistant` if the conversation does not end with the model's answer."""
    last = parsed.entries[-1] if parsed.entries else None
    if last and last.entry.role not in (Role.ASSISTANT, None):
        message = f"the row ends with {_NAMED[last.entry.role]}; add the model's answer or remove that entry"
        yield row_finding("last-not-assistant", message, entry=last.entry)


def answer_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `no-answer` and `same-answers` for rows with two answers."""
    row = parsed.row
    row_format = FORMATS.get(row.format)
    # A row inside of another row may have two answers, too.
    if row_format is None or (row_format.content is not RowContent.PAIR and not row.rejected):
        return
    chosen = row.entries[row.answer_start or 0 :]
    columns = row_format.answers
    for name, column, entries in zip(("chosen", "rejected"), columns, (chosen, row.rejected), strict=True):
        if not any(entry.text.strip() or entry.calls or entry.thought for entry in entries):
            # Entries of the chosen answer have a finding of their own.
            if not entries or name == "rejected":
                message = f"the {name} answer is empty; add it or remove the row"
                yield row_finding("no-answer", message, pointer=_answer_pointer(entries, column))
            return
    if _content(chosen) == _content(row.rejected):
        message = "the chosen and the rejected answer are the same, so there is nothing to prefer"
        yield row_finding("same-answers", message, pointer=_answer_pointer(row.rejected, columns[1]))


def _answer_pointer(entries: Sequence[RowEntry], column: str) -> str:
    """Return the pointer to an answer, which is an entry, a list of entries or, without entries, a column."""
    above, _, last = (entries[0].pointer if entries else f"/{column}").rpartition("/")
    return above if last.isdecimal() else f"{above}/{last}"


def _content(entries: Sequence[RowEntry]) -> list[tuple[object, ...]]:
    return [
        (
            entry.role,
            entry.text,
            entry.thought,
            [(call.name, call.arguments, call.problem and call.arguments_text) for call in entry.calls],
            [result.text for result in entry.results],
        )
        for entry in entries
    ]


def empty_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `empty-entry` for entries without content. A missing text is already reported by the format."""
    already_reported = {finding.entry for finding in parsed.row.findings}
    for parsed_entry in parsed.entries:
        if parsed_entry.is_empty and parsed_entry.entry.place not in already_reported:
            yield row_finding(
                "empty-entry",
                f"the entry of {parsed_entry.entry.speaker!r:.40} is empty; remove it or add its text",
                entry=parsed_entry.entry,
            )


def thought_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `thought-only` for each entry of the model that ends its turn with a thought, closed or not."""
    for parsed_entry, after in zip_longest(parsed.entries, parsed.entries[1:]):
        ends_turn = after is None or after.entry.role is Role.USER
        if ends_turn and parsed_entry.is_thought_only and parsed_entry.entry.place < parsed.bad_from:
            message = "there is only a thought; add the answer that follows it, or remove the entry"
            yield row_finding("thought-only", message, entry=parsed_entry.entry)


def _problem(before: ParsedEntry | None, current: ParsedEntry, parsed: ParsedRow) -> str:
    """Return why `current` must not follow `before`; empty if it may."""
    role = current.entry.role
    last = before.entry.role if before else Role.SYSTEM
    if role is None or last is None:
        return ""
    if role is Role.SYSTEM:
        return "" if before is None else "a system entry after other entries; move it to the beginning"
    if role is Role.USER:
        # hermes-agent and `workbench compress` replace a part that may begin after results by a user entry.
        is_summary = last is Role.TOOL and current.entry.text.startswith(TITLE)
        return "" if is_summary else _USER_PROBLEMS.get(last, "")
    if role is Role.ASSISTANT:
        return _answer_problem(before, last)
    is_second = last is Role.TOOL and _joins_results(parsed.row.format)
    return "a result entry directly after another; put both into one entry" if is_second else ""


def _answer_problem(before: ParsedEntry | None, last: Role | None) -> str:
    if last is Role.SYSTEM:
        return "the model speaks before the user; add a user entry first"
    if last is Role.ASSISTANT and before and not before.has_calls:
        return "two model entries in a row; join them"
    return ""


def _joins_results(name: str) -> bool:
    return name in FORMATS and FORMATS[name].joins_results


class _PlacedResult(NamedTuple):
    entry: RowEntry
    result: EntryResult


class _Round(NamedTuple):
    """A model entry and the results that follow it."""

    caller: ParsedEntry | None
    """None if the results do not follow a model entry."""
    results: Sequence[_PlacedResult]
    is_last: bool
    """Whether the conversation ends after these results."""
    starts_at: int
    """Index of its first entry."""
    is_countable: bool
    """False if a call or a result entry cannot be parsed, so that their numbers cannot be compared."""


def pairing_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield `call-without-result`, `result-without-call`, `result-id-mismatch` and `result-order`.

    Rounds with a call or an entry that cannot be parsed are skipped: the count would be wrong, and the row has a
    finding for them already.
    """
    yield from _repeated_ids(parsed.entries)
    for group in _rounds(parsed.entries):
        if not group.is_countable or group.starts_at >= parsed.bad_from:
            continue
        yield from _other_names(group)
        if group.caller is None or not group.caller.has_calls:
            yield from _without_call(group.results)
        elif group.results or not group.is_last:
            yield from _of_round(group.caller, group.results, parsed.tools)


def _rounds(entries: Sequence[ParsedEntry]) -> Iterator[_Round]:
    """Yield every model entry that has calls with its results, and results without one."""
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
    """Return the round of the entry at `first` with the results in `start:end`. No caller if `first == start`."""
    return _Round(
        caller=entries[first] if entries[first].entry.role is Role.ASSISTANT else None,
        results=[
            _PlacedResult(tool_entry.entry, result)
            for tool_entry in entries[start:end]
            for result in tool_entry.entry.results
        ],
        is_last=end == len(entries),
        starts_at=entries[first].entry.place,
        is_countable=all(map(_is_countable, entries[first:end])) and not _is_unknown(entries, end),
    )


def _repeated_ids(entries: Sequence[ParsedEntry]) -> Iterator[RowFinding]:
    """Yield `duplicate-call-id` for each call whose id an earlier call has."""
    seen: set[str] = set()
    for parsed_entry in entries:
        for index, call in enumerate(parsed_entry.calls):
            if call.id is not None and call.id in seen:
                finding = row_finding(
                    "duplicate-call-id",
                    f"the id {quoted(call.id)} belongs to an earlier call; give each call an id of its own",
                    entry=parsed_entry.entry,
                    pointer=call.pointer,
                )
                yield replace(finding, call=index, call_pointer=call.pointer)
            seen.update(() if call.id is None else (call.id,))


def _other_names(group: _Round) -> Iterator[RowFinding]:
    """Yield `result-name-mismatch` for each result that has the id of a call, but another tool's name."""
    names = {call.id: call.name for call in group.caller.calls if call.id} if group.caller else {}
    for placed in group.results:
        called = names.get(placed.result.id or "")
        if called and placed.result.name and placed.result.name != called:
            message = (
                f"the result is named {quoted(placed.result.name)}, but its id is that of {quoted(called)}"
            )
            yield row_finding(
                "result-name-mismatch", shortened(message), entry=placed.entry, pointer=placed.result.pointer
            )


def _is_countable(parsed_entry: ParsedEntry) -> bool:
    """Whether calls or results can be counted. A tag inside a result could split or join results."""
    return parsed_entry.is_countable and not any(map(_holds_tag, parsed_entry.entry.results))


def _holds_tag(result: EntryResult) -> bool:
    return "<" in result.text and RESULT_TAG.search(result.text) is not None


def _is_unknown(entries: Sequence[ParsedEntry], position: int) -> bool:
    """Whether the speaker at `position` is unknown: the entry may hold results."""
    return position < len(entries) and entries[position].entry.role is None


def _of_round(
    caller: ParsedEntry, results: Sequence[_PlacedResult], tools: OfferedTools
) -> Iterator[RowFinding]:
    keys = _keys(caller.calls, results, tools)
    if keys is None:
        yield from _by_count(caller, results)
        return
    called, answered = keys
    missing = list((Counter(called) - Counter(answered)).elements())
    open_calls, extra_results = Counter(called), list[_PlacedResult]()
    for placed, key in zip(results, answered, strict=True):
        open_calls[key] -= 1
        # A result for the wrong call explains why another call has none: report one problem, not two.
        if key not in called or (open_calls[key] < 0 and missing):
            missing = missing[1:]
            yield _id_mismatch(placed, key)
        elif open_calls[key] < 0:
            extra_results.append(placed)
    yield from _without_call(extra_results)
    yield from _without_result(caller, [caller.calls[called.index(key)] for key in missing])
    if answered != called and Counter(answered) == Counter(called):
        message = "the results are not in the order of their calls; reorder them"
        yield row_finding("result-order", message, entry=results[0].entry, pointer=results[0].result.pointer)


def _keys(
    calls: Sequence[ParsedCall], results: Sequence[_PlacedResult], tools: OfferedTools
) -> tuple[Sequence[str], Sequence[str]] | None:
    """Return the keys by which calls and results match: ids if all have one, else names; None for neither."""
    if all(call.id for call in calls) and all(placed.result.id for placed in results):
        return [call.id or "" for call in calls], [placed.result.id or "" for placed in results]
    # A call of an undeclared tool has its own finding, and its result may have the correct name.
    are_known = not tools.specs or all(call.name in tools.by_name for call in calls)
    if are_known and results and all(placed.result.name for placed in results):
        return [call.name for call in calls], [placed.result.name or "" for placed in results]
    return None


def _by_count(caller: ParsedEntry, results: Sequence[_PlacedResult]) -> Iterator[RowFinding]:
    yield from _without_result(caller, caller.calls[len(results) :])
    yield from _without_call(results[len(caller.calls) :])


def _without_result(caller: ParsedEntry, calls: Sequence[ParsedCall]) -> Iterator[RowFinding]:
    """Yield one finding for all unanswered calls of an entry, at the first of them."""
    if calls:
        name, more = quoted(calls[0].name), len(calls) - 1
        message = (
            f"the call of {name} and {more} more have no results; add them"
            if more
            else f"the call of {name} has no result; add it"
        )
        yield row_finding("call-without-result", message, entry=caller.entry, pointer=calls[0].pointer)


def _without_call(results: Sequence[_PlacedResult]) -> Iterator[RowFinding]:
    """Yield one finding for all results without a call, at the first of them."""
    if results:
        first = results[0]
        others = f" and {len(results) - 1} more" if len(results) > 1 else ""
        message = f"a result{others} without a call in the entry before it"
        yield row_finding("result-without-call", message, entry=first.entry, pointer=first.result.pointer)


def _id_mismatch(placed: _PlacedResult, key: str) -> RowFinding:
    message = f"the result is for {quoted(key)}, which is not called before it"
    return row_finding("result-id-mismatch", message, entry=placed.entry, pointer=placed.result.pointer)
