"""Who speaks when."""

from collections.abc import Iterator

from workbench.chat.message import Role
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.said import said
from workbench.trajectory.validate.seen import SeenEntry, SeenRow

_NAMED = {
    Role.SYSTEM: "a system entry",
    Role.USER: "a user's entry",
    Role.ASSISTANT: "an entry of the model",
    Role.TOOL: "an entry of results",
}


def order_findings(seen: SeenRow) -> Iterator[RowFinding]:
    """Entries out of order: `role-order`, at the later one of two that cannot stand together.

    A system entry comes first, the user and the model take turns, results stand behind the model's calls. A
    call that nobody answered, and a result that nobody asked for, are for the pairing of both to tell.
    """
    before: SeenEntry | None = None
    for one in seen.entries:
        role = one.entry.role
        problem = _problem(before, one, seen)
        if problem:
            yield said("role-order", problem, entry=one.entry)
        if role is not Role.SYSTEM or before is None:
            before = one


def end_findings(seen: SeenRow) -> Iterator[RowFinding]:
    """Nothing to learn at the end: `last-not-assistant`."""
    last = seen.entries[-1] if seen.entries else None
    if last and last.entry.role not in (Role.ASSISTANT, None):
        message = f"the row ends with {_NAMED[last.entry.role]}; end it with the model's answer"
        yield said("last-not-assistant", message, entry=last.entry)


def empty_findings(seen: SeenRow) -> Iterator[RowFinding]:
    """Entries with nothing in them: `empty-entry`. One without a text at all is already told."""
    told = {finding.entry for finding in seen.row.findings}
    for one in seen.entries:
        if one.is_empty and one.entry.place not in told:
            yield said("empty-entry", f"the entry of {one.entry.speaker!r:.40} is empty", entry=one.entry)


def _problem(before: SeenEntry | None, one: SeenEntry, seen: SeenRow) -> str:
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
    is_second = last is Role.TOOL and _joins_results(seen.row.format)
    return "results behind results; put them into one entry" if is_second else ""


def _answer_problem(before: SeenEntry | None, last: Role | None) -> str:
    if last is Role.SYSTEM:
        return "the model speaks before the user does"
    if last is Role.ASSISTANT and before and not before.has_calls:
        return "two entries of the model in a row"
    return ""


def _joins_results(name: str) -> bool:
    return name in FORMATS and FORMATS[name].joins_results
