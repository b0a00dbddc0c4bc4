"""Read a row of any format into its trajectory."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from workbench.chat.finding import Severity
from workbench.chat.message import Role
from workbench.toolspec.spec import OfferedTools, ToolSpec, cached_on
from workbench.toolspec.spec_repairs import with_json_types, without_nulls
from workbench.trajectory.hermes_text import (
    REPEATED,
    has_empty_thought,
    has_marks,
    names_only,
    read_text,
    read_tolerantly,
)
from workbench.trajectory.row import BARE, EntryCall, EntryResult, RowEntry, RowFinding, TrainingRow
from workbench.trajectory.system_text import split_system
from workbench.trajectory.trajectory import (
    Call,
    Part,
    Prose,
    Result,
    RowMessage,
    Thought,
    Trajectory,
    pair_results,
)
from workbench.trajectory.validate.loading import repeated_in_texts
from workbench.trajectory.writing.row_draft import DETAIL, Addition, ConversionChange, Loss


class RowReading(NamedTuple):
    """The trajectory of a row, with fixes and problems."""

    trajectory: Trajectory
    changes: tuple[ConversionChange, ...] = ()
    """Texts that needed fixes."""
    problems: tuple[RowFinding, ...] = ()
    """Why the trajectory is incomplete; empty if it is complete."""


def read_trajectory(row: TrainingRow) -> RowReading:
    """Convert a row to a trajectory. Results are matched with their calls, by id or by order."""
    job = _RowJob(row, row.tools, list(row.changes), list(_obstacles(row)), set(), set())
    messages = pair_results([message for entry in row.entries for message in _messages(entry, job)])
    start = row.answer_start
    if start is not None:
        start = sum(1 for message in messages if message.place < start)
    trajectory = Trajectory(
        messages=messages,
        tools=plain_tools(row.tools, job.changes),
        rejected=pair_results([message for entry in row.rejected for message in _messages(entry, job)]),
        answer_start=start,
        label=row.label,
        columns=row.columns,
    )
    problems = tuple(
        problem
        for problem in job.problems
        if problem.code in REPEATED or problem.pointer not in job.repaired - job.broken
    )
    return RowReading(trajectory, tuple(job.changes), problems)


def plain_tools(tools: OfferedTools, changes: list[ConversionChange] | None = None) -> OfferedTools:
    """Return the tools with schemas that model servers accept; the same object if nothing has to be changed.

    Args:
        tools: The tools as a row declares them.
        changes: Gets each change of a tool.
    """
    # The same object keeps what is cached on it.
    if cached_on(tools, "_are_plain", lambda tools: all(map(_is_plain, tools.specs))):
        return tools
    specs: list[ToolSpec] = []
    changes = [] if changes is None else changes
    for spec in tools.specs:
        plain = _plain(spec)
        full = without_nulls(plain)
        if full is not plain:
            changes.append(ConversionChange(code=Addition.SCHEMA_NULLS, detail=spec.name))
        converted = with_json_types(full)
        if converted is not full:
            changes.append(ConversionChange(code=Addition.SCHEMA_TYPES, detail=spec.name))
        specs.append(converted)
    return OfferedTools(specs=tuple(specs))


def _is_plain(spec: ToolSpec) -> bool:
    return _plain(spec) is without_nulls(spec) is with_json_types(spec) is spec


def _plain(spec: ToolSpec) -> ToolSpec:
    """Remove the `"required": null` that hermes-agent writes next to the parameters of each tool."""
    if spec.function.get("required", "") is not None:
        return spec
    function = {key: value for key, value in spec.function.items() if key != "required"}
    return ToolSpec(document={**spec.document, "function": function})


class _RowJob(NamedTuple):
    row: TrainingRow
    tools: OfferedTools
    changes: list[ConversionChange]
    problems: list[RowFinding]
    repaired: set[str]
    """Pointers to the arguments that the tolerant reader could parse, or that a tool does not need."""
    broken: set[str]
    """Pointers to those that cannot be parsed. Calls of one text share their pointer."""


def _obstacles(row: TrainingRow) -> Iterator[RowFinding]:
    """Yield the problems that kept parts from being read. Tools that were read with repairs do not count."""
    for finding in row.findings:
        was_repaired = finding.code == "tools-unreadable" and any(
            declaration.place == "column" for declaration in row.declarations
        )
        if finding.severity is Severity.ERROR and not was_repaired:
            yield finding
    yield from repeated_in_texts(row)


def _messages(entry: RowEntry, job: _RowJob) -> Iterator[RowMessage]:
    role = entry.role
    if role is None:
        return
    if role is Role.TOOL:
        if any(result.is_item for result in entry.results):
            job.changes.append(ConversionChange(code=Addition.RESULTS_SPLIT, entry=entry.place))
        for result in entry.results:
            parts = (_result(result),)
            yield _message(entry, role, parts)
        return
    if role is Role.ASSISTANT:
        if entry.text and entry.text_pointer.endswith("/refusal"):
            job.changes.append(ConversionChange(code=Addition.REFUSAL_AS_TEXT, entry=entry.place))
        yield _answer(entry, job)
        return
    own = entry.text
    if role is Role.SYSTEM and job.row.spells_calls:
        own = split_system(own).own
    text = entry.text if job.row.spells_calls else None
    yield _message(entry, role, (Prose(text=own),) if own else (), text)


def _message(entry: RowEntry, role: Role, parts: tuple[Part, ...], text: str | None = None) -> RowMessage:
    return RowMessage(
        role=role,
        parts=parts,
        text=text,
        is_trained=entry.is_trained,
        others=entry.others,
        place=entry.place,
    )


def _result(result: EntryResult) -> Result:
    return Result(
        text=result.text, id=result.id, name=result.name, envelope=result.envelope, others=result.others
    )


def _answer(entry: RowEntry, job: _RowJob) -> RowMessage:
    """Read a model's message: its thought, its text, which may hold thoughts and calls as well, and its calls."""
    parts: list[Part] = [Thought(text=entry.thought)] if entry.thought else []
    is_empty = entry.thought == ""
    fixes: set[str] = set()
    text = None
    if job.row.spells_calls or has_marks(entry.text):
        read = read_text(entry.text, job.tools)
        is_empty = is_empty or has_empty_thought(entry.text)
        is_bad = bool(read.problem) and not job.row.spells_calls and entry.place >= job.row.bad_from
        # What the model wrote is the example, so it is kept as it is.
        parts.extend([Prose(text=entry.text)] if is_bad else read.parts)
        if read.problem and not is_bad:
            finding = RowFinding(
                code="call-unreadable", message=read.problem, entry=entry.place, pointer=entry.text_pointer
            )
            job.problems.append(finding)
        elif not is_bad:
            fixes.update(read.fixes)
        if not (entry.thought or entry.calls):
            text = entry.text if is_bad else read.text
        if DETAIL in entry.others and entry.text not in (text, ""):
            job.changes.append(ConversionChange(code=Loss.LOSS_MASK, entry=entry.place, detail=DETAIL))
            others = {key: value for key, value in entry.others.items() if key != DETAIL}
            entry = replace(entry, others=others)
    elif entry.text:
        parts.append(Prose(text=entry.text))
    parts.extend([_call(call, fixes, job) for call in entry.calls])
    if fixes:
        job.changes.append(
            ConversionChange(code=Addition.FIXED, entry=entry.place, detail=", ".join(sorted(fixes)))
        )
    message = _message(entry, Role.ASSISTANT, tuple(parts), text)
    return replace(message, has_empty_thought=True) if is_empty and not job.row.fills_thoughts else message


def _call(call: EntryCall, fixes: set[str], job: _RowJob) -> Call:
    """Convert a call. Arguments that are not JSON are parsed with fixes, unless a fix would be a guess."""
    fixes.update(call.fixes)
    arguments, text = call.arguments, call.arguments_text
    if call.needs_none(job.tools):
        fixes.add(BARE)
        arguments, text = {}, None
    elif arguments is None and call.name and text and not call.is_bare:
        body = f'{{"name": {json.dumps(call.name)}, "arguments": {text}}}'
        tolerant = read_tolerantly(body, names_only(job.tools))
        if tolerant and len(tolerant.calls) == 1:
            fixes.update(tolerant.fixes)
            arguments, text = tolerant.calls[0].arguments, None
    if call.problem:
        (job.broken if arguments is None or not call.name else job.repaired).add(call.arguments_pointer)
    return Call(
        name=call.name, arguments=arguments or {}, arguments_text=text, id=call.id, others=call.others
    )
