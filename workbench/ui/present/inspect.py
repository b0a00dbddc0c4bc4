"""A round in the inspector: calls, fixes and findings."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from workbench.chat.finding import Finding, Fix
from workbench.hermes.codes import meaning_of
from workbench.hermes.near_miss import check_prose
from workbench.hermes.reading import Reading
from workbench.records.sessions import StoredMessage
from workbench.ui.present.conversation import ReadRound
from workbench.ui.present.text_spans import narrow
from workbench.ui.present.words import call_status, milliseconds, place_of

NO_CALLS_YET: Final = (
    "Calls that the model makes stand here: name, arguments, what the schema says, the result."
)
NO_CALLS: Final = "This completion calls nothing."
NO_FIXES_YET: Final = (
    "Where a completion departs from the format, each repair is named here, before and after."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRow:
    """One finding."""

    code: str
    severity: str
    """error or warning."""
    message: str
    place: str
    """Where, in the completion or the arguments; empty where nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """One call."""

    index: int
    """Place in the reading's calls."""
    name: str
    status: str
    tone: str
    arguments: str
    """JSON on several lines."""
    findings: tuple[FindingRow, ...]
    result: str | None
    """As the model sees it; None where the call was not run."""
    no_result: str
    """Said instead of a result; empty where calls are not run at all."""
    is_error: bool
    """True where the tool failed or the call was refused."""
    note: str
    is_selected: bool
    """True where the transcript has this call picked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsView:
    """The calls of one completion."""

    calls: tuple[CallRow, ...] = ()
    """In order."""
    hint: str = NO_CALLS_YET
    """Of the empty state."""
    message_id: str = ""
    """The message whose calls can be picked here; empty where they cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditRow:
    """One edit of a fix."""

    before: str
    """What stands there; white space made visible where there is nothing else."""
    after: str
    """What is read instead; `nothing` where it is dropped."""
    times: str = ""
    """How often the fix makes this very edit; empty where once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixRow:
    """One fix."""

    code: str
    meaning: str
    is_guess: bool
    """True where another meaning is possible."""
    place: str
    edits: tuple[EditRow, ...]
    """In order."""
    is_picked: bool = False
    """True of a fix of the call that is picked elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixesView:
    """What was read otherwise than written."""

    hint: str = NO_FIXES_YET
    """Of the empty state; empty where there is a completion."""
    calm: str = ""
    fixes: tuple[FixRow, ...] = ()
    """In order of place."""
    findings: tuple[FindingRow, ...] = ()
    """In order of place."""


def show_calls(
    reading: Reading | None,
    results: Mapping[int, StoredMessage] = MappingProxyType({}),
    *,
    selected_call: int | None = None,
    no_result: str = "",
    message_id: str = "",
) -> CallsView:
    """The calls of a reading.

    Args:
        reading: None where there is none yet.
        results: What the tools gave, by the call's place in the reading.
        selected_call: The call that is picked elsewhere; None for none.
        no_result: Said of a call without a result; empty where calls are not run at all.
        message_id: The message that it is a reading of, where its calls can be picked.
    """
    if reading is None:
        return CallsView()
    rows = tuple(
        _call_row(reading, index, results.get(index), is_selected=index == selected_call, no_result=no_result)
        for index in range(len(reading.calls))
    )
    return CallsView(calls=rows, hint=NO_CALLS, message_id=message_id)


def _call_row(
    reading: Reading, index: int, kept: StoredMessage | None, *, is_selected: bool, no_result: str
) -> CallRow:
    call = reading.calls[index]
    status = call_status(call)
    run = kept.tool_run if kept else None
    return CallRow(
        index=index,
        name=call.name,
        status=status.word,
        tone=status.tone,
        arguments=json.dumps(call.arguments, indent=2, ensure_ascii=False),
        findings=tuple(_finding_row(reading.text, finding) for finding in call.findings),
        result=kept.message.text if kept else None,
        no_result=no_result,
        is_error=bool(run and run.is_error),
        note=" · ".join(filter(None, (run.rule, milliseconds(run.milliseconds)))) if run else "",
        is_selected=is_selected,
    )


def told_of(one: ReadRound | None) -> tuple[Finding, ...]:
    """What was told of a completion beside its reading."""
    generation = one.kept.generation if one else None
    return generation.findings if generation else ()


def show_fixes(
    reading: Reading | None, *, told: Sequence[Finding] = (), picked_call: int | None = None
) -> FixesView:
    """A reading's fixes and findings, and what else was told of the completion.

    Args:
        reading: None where there is none yet.
        told: Findings beside the reading's.
        picked_call: The call that is picked elsewhere; None for none.
    """
    if reading is None:
        return FixesView()
    is_there = picked_call is not None and picked_call < len(reading.calls)
    picked = reading.calls[picked_call].fixes if picked_call is not None and is_there else ()
    return FixesView(
        hint="",
        calm="" if reading.fixes else "Read strictly: no fix was needed.",
        fixes=tuple(_fix_row(reading.text, fix, is_picked=fix in picked) for fix in reading.fixes),
        findings=tuple(
            _finding_row(reading.text, finding)
            for finding in (*reading.findings, *told, *check_prose(reading))
        ),
    )


def fixes_label(view: FixesView) -> str:
    """The tab's name with its counter."""
    number = len(view.fixes) + len(view.findings)
    return f"Fixes ({number})" if number else "Fixes"


def _fix_row(text: str, fix: Fix, *, is_picked: bool) -> FixRow:
    return FixRow(
        code=fix.code,
        meaning=meaning_of(fix.code),
        is_guess=fix.is_guess,
        place=place_of(text, fix.span.start, fix.span.end),
        edits=_edit_rows(fix),
        is_picked=is_picked,
    )


def _edit_rows(fix: Fix) -> tuple[EditRow, ...]:
    """The fix's edits, equal ones once: a Python literal changes every quote."""
    counted = Counter(narrow(edit.before, edit.after)[1:3] for edit in fix.edits)
    return tuple(
        EditRow(before=_visible(before), after=_visible(after), times=f"{times} times" if times > 1 else "")
        for (before, after), times in counted.items()
    )


def _visible(text: str) -> str:
    """A stretch that can be seen: nothing and pure white space are spelled."""
    if not text:
        return "nothing"
    return text.replace(" ", "·").replace("\n", "↵").replace("\t", "⇥") if text.isspace() else text


def _finding_row(text: str, finding: Finding) -> FindingRow:
    place = finding.pointer or ""
    if not place and finding.span is not None:
        place = place_of(text, finding.span.start, finding.span.end)
    return FindingRow(
        code=finding.code, severity=finding.severity.value, message=finding.message, place=place
    )
