"""The Tools tab: the list of tools, the parameter grid, findings, and the result of a trial call."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import cast

from workbench.app.token_sheet import ToolSize
from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue, as_object, load_json
from workbench.errors import BadInput
from workbench.rollout.ports import ToolRun
from workbench.toolbox.entry import Availability, DraftFindings
from workbench.toolspec.grid import GridRow, grid_of, with_grid
from workbench.ui.present.notices import NoticeLine, NoticeView, tool_findings
from workbench.ui.present.words import milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolLine:
    """One tool of the list."""

    name: str
    title: str
    """Its name behind its sign, as the pointer tells it."""
    reason: str
    """Why it cannot be used; empty where it can."""
    is_open: bool
    """Whether it is being edited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolGroup:
    """A toolset of the list."""

    name: str
    tools: tuple[ToolLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolListView:
    """All tools, and what could not be loaded."""

    groups: tuple[ToolGroup, ...]
    open_name: str
    """The tool in the editors; empty for a new one."""
    serial: float = 0.0
    """Differs from one answer to the next."""
    wants_open: bool = False
    """True asks the browser which tool it had open; `open_name` is what to open where it had none."""
    is_draft: bool = False
    """True where the editors hold what was typed there before, and not saved."""
    problems: tuple[str, ...] = ()
    """A line about each file, package or server that failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialView:
    """What one call came to."""

    status: str
    """`result` or `failed`, in a word."""
    is_error: bool
    """True where the tool failed."""
    text: str
    """The result as the model would see it, laid out."""
    note: str
    """Which rule answered, and how long it took."""
    told: tuple[str, ...] = ()
    """Changes that were made to the arguments."""


def show_tools(
    availability: Sequence[Availability],
    problems: Sequence[str],
    *,
    open_name: str,
    serial: float = 0.0,
    wants_open: bool = False,
    is_draft: bool = False,
) -> ToolListView:
    """The list, by toolset."""
    ordered = sorted(availability, key=lambda one: (one.toolset, one.name))
    groups = tuple(
        ToolGroup(name=toolset, tools=tuple(_line(one, open_name) for one in members))
        for toolset, members in groupby(ordered, key=lambda one: one.toolset)
    )
    return ToolListView(
        groups=groups,
        open_name=open_name,
        serial=serial,
        wants_open=wants_open,
        is_draft=is_draft,
        problems=tuple(problems),
    )


def show_draft(findings: DraftFindings) -> tuple[NoticeView, NoticeView, NoticeView]:
    """The notices below the spec, below the rules, and of the lint."""
    spec = tool_findings(findings.spec) if findings.spec else _quiet("Sound.")
    lint = NoticeView(lines=tuple(map(_lint_line, findings.lint)))
    is_calm = not findings.spec and not findings.lint
    return spec, tool_findings(findings.rules), _quiet("Nothing found.") if is_calm else lint


def show_sizes(sizes: Sequence[ToolSize]) -> NoticeView:
    """What the tool costs in a prompt, a line a spelling."""
    return NoticeView(lines=tuple(NoticeLine(word="size", text=_size(size), tone="quiet") for size in sizes))


def show_tried(run: ToolRun) -> TrialView:
    """A run as the tab shows it."""
    value = cast(JsonValue, json.loads(run.result.text))
    return TrialView(
        status="failed" if run.result.is_error else "result",
        is_error=run.result.is_error,
        text=json.dumps(value, indent=2, ensure_ascii=False),
        note=" · ".join((run.rule or "run by code", milliseconds(run.milliseconds))),
        told=tuple(finding.message for finding in run.findings),
    )


def read_arguments(text: str) -> JsonObject:
    """The arguments that a person wrote.

    Raises:
        BadInput: They are no JSON object.
    """
    try:
        value = load_json(text or "{}")
    except json.JSONDecodeError as error:
        raise BadInput(f"arguments, line {error.lineno}", f"not JSON: {error.msg}") from error
    except ValueError as error:
        raise BadInput("arguments", f"not JSON: {error}") from error
    if not isinstance(value, dict):
        raise BadInput("arguments", "no JSON object", 'write {"name": value}')
    return cast(JsonObject, value)


def _line(one: Availability, open_name: str) -> ToolLine:
    title = f"{one.emoji} {one.name}".strip()
    return ToolLine(name=one.name, title=title, reason=one.reason, is_open=one.name == open_name)


def _size(size: ToolSize) -> str:
    tokens = "" if size.tokens is None else f"{size.tokens} tokens, "
    return f"{tokens}{size.chars} characters as {', '.join(size.families)}"


def _lint_line(finding: Finding) -> NoticeLine:
    place = f" ({finding.pointer})" if finding.pointer else ""
    return NoticeLine(
        word=finding.severity.value, text=f"{finding.code}: {finding.message}{place}", tone="warning"
    )


def _quiet(text: str) -> NoticeView:
    return NoticeView(lines=(NoticeLine(word="note", text=text, tone="quiet"),))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolGridView:
    """The grid."""

    is_object: bool
    """False where the text is no JSON object yet: then there is nothing to lay out."""
    rows: tuple[GridRow, ...] = ()


def show_grid(spec_text: str) -> ToolGridView:
    """The parameters of a spec as it is typed."""
    function = _function(spec_text)
    if function is None:
        return ToolGridView(is_object=False)
    return ToolGridView(is_object=True, rows=grid_of(function))


def write_grid(spec_text: str, rows_text: str) -> str:
    """The spec with the rows of the grid in it, laid out anew.

    Raises:
        BadInput: The spec is no JSON object, or a row cannot be used.
    """
    function = _function(spec_text)
    if function is None:
        raise BadInput("spec", "no JSON object", "mend it first")
    rows = cast(list[JsonObject], load_json(rows_text))
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput("grid", "its rows are not objects", "reload the page")
    changed = with_grid(function, [_row(row) for row in rows])
    document = as_object(load_json(spec_text))
    whole = {**document, "function": changed} if isinstance(document.get("function"), Mapping) else changed
    return json.dumps(whole, indent=2, ensure_ascii=False)


def _row(row: JsonObject) -> GridRow:
    return GridRow(
        name=str(row.get("name", "")).strip(),
        type=str(row.get("type", "")),
        is_required=row.get("is_required") is True,
        description=str(row.get("description", "")),
        enum=str(row.get("enum", "")),
        default=str(row.get("default", "")),
        was=str(row.get("was", "")),
    )


def _function(spec_text: str) -> JsonObject | None:
    """The bare function of a spec's text; None where it is no JSON object."""
    try:
        value = load_json(spec_text)
    except ValueError:
        return None
    if not isinstance(value, Mapping):
        return None
    function = value.get("function")
    return cast(JsonObject, function) if isinstance(function, Mapping) else cast(JsonObject, value)
