"""Show the calls, fixes and findings of a completion in the inspector."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from workbench.chat.finding import Finding, Fix
from workbench.hermes.codes import meaning_of
from workbench.hermes.dialects.known import DIALECTS, describe
from workbench.hermes.near_miss import check_prose
from workbench.hermes.reading import ForeignForm, Reading
from workbench.records.sessions import StoredMessage
from workbench.ui.present.conversation import ReadRound
from workbench.ui.present.text_spans import narrow
from workbench.ui.present.words import call_status, place_of, run_note

NO_CALLS_YET: Final = "Tool calls appear here with their arguments, schema findings and results."
NO_CALLS: Final = "This completion has no tool calls."
NO_CALLS_BUT_FOREIGN: Final = (
    "No call was read, but the completion looks like a call in another format. See Other formats under Fixes."
)
NO_FIXES_NEEDED: Final = "No fixes were needed."
NOTHING_READ: Final = "This completion has no tool calls, so there was nothing to fix."
NO_FIXES_YET: Final = (
    "When a completion departs from the format, each fix appears here with the text before and after."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRow:
    """One finding of a completion."""

    code: str
    severity: str
    """`error` or `warning`."""
    message: str
    place: str
    """Position in the completion, or JSON pointer into the arguments. Empty if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """One tool call of a completion."""

    index: int
    """Index into the calls of the reading."""
    name: str
    status: str
    tone: str
    arguments: str
    """The arguments as indented JSON."""
    findings: tuple[FindingRow, ...]
    result: str | None
    """The result as the model sees it, or None if the call was not run."""
    no_result: str
    """Shown instead of a result. Empty if calls are never run."""
    is_error: bool
    """True if the tool failed or the call was refused."""
    note: str
    is_selected: bool
    """True if this call is selected in the transcript."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsView:
    """The tool calls of one completion."""

    calls: tuple[CallRow, ...] = ()
    hint: str = NO_CALLS_YET
    """Shown if there are no calls."""
    message_id: str = ""
    """The message whose calls can be selected. Empty if they cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditRow:
    """One text replacement of a fix."""

    before: str
    """The text that the model wrote. Text of only whitespace is made visible."""
    after: str
    """The text that is read instead, or `nothing` if the text is dropped."""
    times: str = ""
    """How often the fix makes the same edit. Empty for one time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixRow:
    """One fix of a completion."""

    code: str
    meaning: str
    is_guess: bool
    """True if the text could also have meant something else."""
    place: str
    edits: tuple[EditRow, ...]
    is_picked: bool = False
    """True if the fix belongs to the call that is selected in another pane."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignRow:
    """A call in the format of another model family."""

    dialect: str
    """Its name in `docs/reference/dialects.md`."""
    sentence: str
    """What it looks like, and whether it was read."""
    place: str
    parsers: str
    """Server flags that read this format. Empty if none is known."""
    contract: str
    """What to change so that the model writes `<tool_call>` blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixesView:
    """The fixes and findings of a completion."""

    hint: str = NO_FIXES_YET
    """Shown if there is no completion. Empty otherwise."""
    calm: str = ""
    fixes: tuple[FixRow, ...] = ()
    """In the order of their position."""
    foreign: tuple[ForeignRow, ...] = ()
    """Calls in the format of other model families, in the order of their position."""
    findings: tuple[FindingRow, ...] = ()
    """In the order of their position."""


def show_calls(
    reading: Reading | None,
    results: Mapping[int, StoredMessage] = MappingProxyType({}),
    *,
    selected_call: int | None = None,
    no_result: str = "",
    message_id: str = "",
    has_refused: bool = False,
) -> CallsView:
    """Show the calls of a reading.

    Args:
        reading: The reading, or None if there is no completion yet.
        results: The tool messages, by the index of their call.
        selected_call: Index of the call that is selected in another pane, or None.
        no_result: Shown for a call without a result. Empty if calls are never run.
        message_id: The message that was read, if its calls can be selected.
        has_refused: True if the tool choice was `none`, so that calls without a result were not run.
    """
    if reading is None:
        return CallsView()
    rows = tuple(
        _call_row(
            reading,
            index,
            results.get(index),
            is_selected=index == selected_call,
            no_result=no_result,
            is_refused=has_refused and index not in results,
        )
        for index in range(len(reading.calls))
    )
    hint = NO_CALLS_BUT_FOREIGN if reading.foreign else NO_CALLS
    return CallsView(calls=rows, hint=hint, message_id=message_id)


def _call_row(
    reading: Reading,
    index: int,
    stored: StoredMessage | None,
    *,
    is_selected: bool,
    no_result: str,
    is_refused: bool,
) -> CallRow:
    call = reading.calls[index]
    status = call_status(call, is_refused=is_refused)
    run = stored.tool_run if stored else None
    return CallRow(
        index=index,
        name=call.name,
        status=status.word,
        tone=status.tone,
        arguments=json.dumps(call.arguments, indent=2, ensure_ascii=False),
        findings=tuple(_finding_row(reading.text, finding) for finding in call.findings),
        result=stored.message.text if stored else None,
        no_result=no_result,
        is_error=bool(run and run.is_error),
        note=run_note(run),
        is_selected=is_selected,
    )


def generation_findings(read_round: ReadRound | None) -> tuple[Finding, ...]:
    """Return the findings that were stored when the completion was generated."""
    generation = read_round.stored.generation if read_round else None
    return generation.findings if generation else ()


def show_fixes(
    reading: Reading | None, *, stored_findings: Sequence[Finding] = (), picked_call: int | None = None
) -> FixesView:
    """Show the fixes and findings of a completion.

    Args:
        reading: The reading, or None if there is no completion yet.
        stored_findings: Findings from when the completion was generated, in addition to those of the reading.
        picked_call: Index of the call that is selected in another pane, or None.
    """
    if reading is None:
        return FixesView()
    has_call = picked_call is not None and picked_call < len(reading.calls)
    picked_fixes = reading.calls[picked_call].fixes if picked_call is not None and has_call else ()
    return FixesView(
        hint="",
        calm=_calm(reading),
        foreign=tuple(_foreign_row(reading.text, form) for form in reading.foreign),
        fixes=tuple(_fix_row(reading.text, fix, is_picked=fix in picked_fixes) for fix in reading.fixes),
        findings=tuple(
            _finding_row(reading.text, finding)
            for finding in (*reading.own_findings, *stored_findings, *check_prose(reading))
        ),
    )


def _calm(reading: Reading) -> str:
    """Return the line for a completion without fixes; only what was read can be said to need none."""
    if reading.fixes or reading.foreign or reading.dropped:
        return ""
    return NO_FIXES_NEEDED if reading.calls else NOTHING_READ


def _foreign_row(text: str, form: ForeignForm) -> ForeignRow:
    dialect = DIALECTS[form.dialect]
    return ForeignRow(
        dialect=form.dialect,
        sentence=describe(form),
        place=place_of(text, form.span.start, form.span.end),
        parsers=dialect.parsers,
        contract=dialect.contract,
    )


def fixes_label(view: FixesView) -> str:
    """Return the label of the Fixes pane, with the number of fixes and findings."""
    number = len(view.fixes) + len(view.foreign) + len(view.findings)
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
    """Return the edits of a fix, equal ones only once.

    A Python dict instead of JSON needs the same edit for each of its quotes.
    """
    counted = Counter(narrow(edit.before, edit.after)[1:3] for edit in fix.edits)
    return tuple(
        EditRow(before=_visible(before), after=_visible(after), times=f"{times} times" if times > 1 else "")
        for (before, after), times in counted.items()
    )


def _visible(text: str) -> str:
    """Return the text with symbols if it is only whitespace, and `nothing` if it is empty."""
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
