"""Show the Tools tab: the list of tools, the parameter grid, findings, and the result of a trial call."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from workbench.app.token_sheet import ToolSize
from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, as_object, json_fault, load_json
from workbench.errors import BadInput
from workbench.rollout.ports import ToolRun
from workbench.toolbox.entry import NO_SAVED_TOOLSETS, Availability, DraftFindings
from workbench.toolbox.rule_rows import RuleRow, rule_rows, with_rule_rows
from workbench.toolspec.grid import GridRow, grid_of, with_grid
from workbench.toolspec.json_patch import patched_json
from workbench.toolspec.world.patches import replayed
from workbench.toolspec.world.session_world import DeclaredWorld
from workbench.ui.present.notices import NoticeLine, NoticeView, tool_findings
from workbench.ui.present.words import count, milliseconds
from workbench.ui.present.world import ChangeRow, show_changes


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolLine:
    """One tool of the list."""

    name: str
    title: str
    """Emoji and name, shown as the tooltip."""
    reason: str
    """Why the tool is unavailable. Empty if it is available."""
    is_open: bool
    """Whether the tool is open in the editors."""
    is_included: bool = False
    """True if the tool is declared in another toolset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolGroup:
    """A toolset of the list with its tools."""

    name: str
    tools: tuple[ToolLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolListView:
    """All tools, and the problems while loading them."""

    groups: tuple[ToolGroup, ...]
    open_name: str
    """The tool in the editors. Empty for a new tool."""
    serial: float = 0.0
    """A new number for every answer of the server."""
    wants_open: bool = False
    """True asks the browser for the tool that it had open. If it had none, `open_name` is opened."""
    opens: bool = False
    """True asks the browser to open `open_name`, such as a tool that was imported."""
    problems: tuple[str, ...] = ()
    """One line about each file, package or server that failed to load."""
    note: str = ""
    """Result of adding the tool to a toolset, or why that failed. May be empty."""
    is_problem: bool = False
    """Whether the note is a problem."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialView:
    """The outcome of a trial call."""

    status: str
    """`result` or `failed`."""
    is_error: bool
    """True if the tool failed."""
    text: str
    """The result that the model would see, as indented JSON."""
    note: str
    """Which rule answered, and how long it took."""
    changes: tuple[str, ...] = ()
    """Changes that were made to the arguments, one sentence each."""
    world: str = ""
    """The world of the toolset before the call, as indented JSON. Empty if it has none."""
    world_changes: tuple[ChangeRow, ...] = ()
    """What the call changed in the world."""


def show_tools(
    availability: Sequence[Availability],
    problems: Sequence[str],
    *,
    open_name: str,
    serial: float = 0.0,
    wants_open: bool = False,
    included: Mapping[str, Sequence[str]] = NO_SAVED_TOOLSETS,
) -> ToolListView:
    """Show the tools, grouped by toolset.

    Args:
        included: For each toolset, the tools of other toolsets that it lists.
    """
    by_name = {tool.name: tool for tool in availability}
    members: dict[str, list[ToolLine]] = {}
    for tool in sorted(availability, key=lambda tool: (tool.toolset, tool.name)):
        members.setdefault(tool.toolset, []).append(_line(tool, open_name))
    for toolset, names in included.items():
        lines = [
            replace(_line(by_name[name], open_name), is_included=True) for name in names if name in by_name
        ]
        members.setdefault(toolset, []).extend(lines)
    groups = tuple(ToolGroup(name=toolset, tools=tuple(lines)) for toolset, lines in sorted(members.items()))
    return ToolListView(
        groups=groups,
        open_name=open_name,
        serial=serial,
        wants_open=wants_open,
        problems=tuple(problems),
    )


def show_draft(findings: DraftFindings) -> tuple[NoticeView, NoticeView, NoticeView]:
    """Return three notices about a draft: for the spec, for the rules, and for the lint."""
    is_clean = not findings.spec and not findings.rules and not findings.lint
    has_problem = bool(findings.spec or findings.rules) or any(
        finding.severity is not Severity.NOTE for finding in findings.lint
    )
    spec = tool_findings(findings.spec) if has_problem else _quiet("No problems found.")
    lint = NoticeView(lines=tuple(map(_lint_line, findings.lint)))
    return spec, tool_findings(findings.rules), _quiet("No problems found.") if is_clean else lint


def show_sizes(sizes: Sequence[ToolSize]) -> NoticeView:
    """Show the size of the tool in a prompt, one line for each way in which families write it."""
    return NoticeView(lines=tuple(NoticeLine(word="size", text=_size(size), tone="quiet") for size in sizes))


def show_tried(run: ToolRun, world: DeclaredWorld | None = None) -> TrialView:
    """Show the outcome of a trial call.

    Args:
        world: The world of the toolset before the call. None if it has none.
    """
    value = cast(JsonValue, json.loads(run.result.text))
    # The patch begins with the world as it was, under the name of a toolset.
    before = replayed([run.world_patch[:1]])
    return TrialView(
        status="failed" if run.result.is_error else "result",
        is_error=run.result.is_error,
        text=json.dumps(value, indent=2, ensure_ascii=False),
        note=" · ".join((run.rule or "answered by code", milliseconds(run.milliseconds))),
        changes=tuple(finding.message for finding in run.findings),
        world=json.dumps(world.value, indent=2, ensure_ascii=False) if world else "",
        world_changes=show_changes(
            next(iter(before.values()), None), next(iter(replayed([run.world_patch]).values()), None)
        ),
    )


def read_arguments(text: str) -> JsonObject:
    """Parse arguments that a person wrote.

    Raises:
        BadInput: The text is not a JSON object.
    """
    value = _read_json(text or "{}", "arguments")
    if not isinstance(value, dict):
        raise BadInput("arguments", "not a JSON object", 'write {"name": value}')
    return cast(JsonObject, value)


def check_result(text: str) -> None:
    """Check a result that a person wrote. A text that begins like JSON is JSON with a mistake.

    Raises:
        BadInput: It is not JSON. It has to be quoted to be sent as text.
    """
    if text.lstrip()[:1] in ("{", "[", '"'):
        _read_json(text, "result", 'fix it, or write it in quotes ("…") to send it as text')


def _read_json(text: str, where: str, remedy: str = "") -> JsonValue:
    try:
        return load_json(text)
    except json.JSONDecodeError as error:
        fault = f"not JSON: {json_fault(error)}"
        raise BadInput(f"{where}, line {error.lineno}", fault, remedy) from error
    except ValueError as error:
        raise BadInput(where, f"not JSON: {error}", remedy) from error


def _line(tool: Availability, open_name: str) -> ToolLine:
    title = f"{tool.emoji} {tool.name}".strip()
    return ToolLine(name=tool.name, title=title, reason=tool.reason, is_open=tool.name == open_name)


def _size(size: ToolSize) -> str:
    tokens = "" if size.tokens is None else f"{count(size.tokens, 'token')}, "
    return f"{tokens}{count(size.chars, 'character')} for {', '.join(size.families)}"


def _lint_line(finding: Finding) -> NoticeLine:
    place = f" ({finding.pointer})" if finding.pointer else ""
    return NoticeLine(
        word=finding.severity.value, code=finding.code, text=f"{finding.message}{place}", tone="warning"
    )


def _quiet(text: str) -> NoticeView:
    return NoticeView(lines=(NoticeLine(word="note", text=text, tone="quiet"),))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolGridView:
    """The grid of parameters."""

    is_object: bool
    """False if the spec is not a JSON object yet. The grid is then hidden."""
    text: str = ""
    """The spec. The browser ignores the grid of a text that the editor does not show any more."""
    rows: tuple[GridRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MockRulesView:
    """The mock rules as rows."""

    is_object: bool
    """False if the rules cannot be read. The rows are then hidden."""
    text: str = ""
    """The rules. The browser ignores the rows of a text that the editor does not show any more."""
    rows: tuple[RuleRow, ...] = ()


def show_rules(rules_text: str) -> MockRulesView:
    """Show mock rules as rows."""
    rows = rule_rows(rules_text)
    return MockRulesView(is_object=rows is not None, text=rules_text, rows=rows or ())


def write_rules(rules_text: str, rows_text: str) -> str:
    """Return the rules with those of the rows. All other rules stay as they were written.

    Raises:
        BadInput: The rules cannot be read, or a cell is not YAML.
    """
    return with_rule_rows(rules_text, [_rule_row(row) for row in _rows(rows_text)])


def _rule_row(row: JsonObject) -> RuleRow:
    texts = {name: str(row.get(name, "")) for name in ("when", "kind", "answer", "effects")}
    was = row.get("was")
    return RuleRow(**texts, was=was if isinstance(was, int) else None)


def show_grid(spec_text: str) -> ToolGridView:
    """Show the parameters of a spec as a grid."""
    function = _function(spec_text)
    if function is None:
        return ToolGridView(is_object=False, text=spec_text)
    return ToolGridView(is_object=True, text=spec_text, rows=grid_of(function))


def write_grid(spec_text: str, rows_text: str) -> str:
    """Return the spec with the parameters of the grid's rows. The rest of its text stays as it was written.

    Raises:
        BadInput: The spec is not a JSON object, or a row cannot be used.
    """
    function = _function(spec_text)
    if function is None:
        raise BadInput("spec", "not a JSON object", "fix the spec first")
    changed = with_grid(function, [_row(row) for row in _rows(rows_text)])
    document = as_object(load_json(spec_text))
    spec = {**document, "function": changed} if isinstance(document.get("function"), Mapping) else changed
    try:
        return patched_json(spec_text, spec)
    except ValueError as error:
        raise BadInput("spec", "not a JSON object", "fix the spec first") from error


def _rows(text: str) -> list[JsonObject]:
    rows = cast(list[JsonObject], load_json(text))
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput("grid", "the rows are not JSON objects", "reload the page")
    return rows


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
    """Return the function object of a spec's text, or None if the text is not a JSON object."""
    try:
        value = load_json(spec_text)
    except ValueError:
        return None
    if not isinstance(value, Mapping):
        return None
    function = value.get("function")
    return cast(JsonObject, function) if isinstance(function, Mapping) else cast(JsonObject, value)
