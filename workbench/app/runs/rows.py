"""Run one message over many rows of variables: a suite made from the rows, run once with one setup."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.suites import suite_names
from workbench.app.services import Services
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.records.run_config import RunConfig
from workbench.records.versions import NewVersion, Version, VersionKind, check_name
from workbench.suite.case import Case
from workbench.suite.plan import RunPlan
from workbench.suite.read_suite import parse_suite
from workbench.suite.reports.tables import counts_text
from workbench.suite.result import CaseResult
from workbench.suite.row_suite import RowSuite, row_suite
from workbench.suite.row_table import RowTable, read_rows

ROWS_SUITE: Final = "rows"
"""Name of the suite in the run; it is stored only if the person saves it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRows:
    """Rows that can be run."""

    table: RowTable
    suite: RowSuite
    plan: RunPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class RowResult:
    """A row with the answer of the model, or without while it has none."""

    number: int
    """From 1."""
    row: JsonObject = field(hash=False)
    """Name of a column to the value of the cell."""
    message: str
    result: CaseResult | None
    """None until the row has run."""


def prepare_rows(
    services: Services, setup: RunConfig, message: str, text: str, *, where: str = "rows"
) -> PreparedRows:
    """Read rows and plan their run with a setup.

    Args:
        message: The user message, with `{{ column }}`.
        text: The rows, as `read_rows` takes them.
        where: Name of the rows in error messages.

    Raises:
        BadInput: The rows, the message or the setup cannot be used, or the run exceeds the owner's limits.
    """
    services.limits.check_text("message", message)
    services.limits.check_text("rows", text)
    table = read_rows(text, where=where)
    suite = _suite(services, setup, message, table, ROWS_SUITE)
    request = RunRequest(
        suites=(ROWS_SUITE,),
        tool_choices=(setup.tool_choice,),
        samplings=(setup.sampling,),
        constraints=(setup.is_constrained,),
        max_rounds=setup.max_rounds,
        setup=setup,
    )
    # The suite has an expectation that is to be replaced, which would say nothing about the answers.
    plan = replace(plan_run(services, request, [parse_suite(suite.text, name=ROWS_SUITE)]), has_checks=False)
    services.limits.check_plan(plan)
    return PreparedRows(table=table, suite=suite, plan=plan)


def save_rows(services: Services, setup: RunConfig, message: str, text: str, *, name: str) -> Version:
    """Save the rows as the first version of a new suite, with the message as the template of its cases.

    Raises:
        BadInput: The name is not usable or taken, or the rows or the message cannot be used.
        StoreError: The version could not be stored.
    """
    check_name(name)
    if name in suite_names(services):
        raise BadInput(f"suite {name!r}", "this name is taken", "choose another name")
    suite = _suite(services, setup, message, read_rows(text), name)
    parse_suite(suite.text, name=name)
    new = NewVersion(kind=VersionKind.SUITE, name=name, text=suite.text, message="made from rows")
    return services.versions.save(new)


def row_results(cases: Sequence[Case], results: Iterable[CaseResult]) -> tuple[RowResult, ...]:
    """Return the rows of a run in their order, each with its result."""
    by_id = {result.case_id: result for result in results}
    return tuple(
        RowResult(number=number, row=case.row, message=case.messages[-1].text, result=by_id.get(case.id))
        for number, case in enumerate(cases, start=1)
    )


def is_row_run(plan: RunPlan) -> bool:
    """Whether a run was made from rows."""
    return len(plan.arms) == 1 and all(case.suite == ROWS_SUITE and case.row for case in plan.cases)


def rows_as_jsonl(rows: Sequence[RowResult]) -> str:
    """Write the rows and their results as JSON lines."""
    return "".join(json.dumps(_document(row), ensure_ascii=False) + "\n" for row in rows)


def rows_as_csv(rows: Sequence[RowResult]) -> str:
    """Write the rows and their results as CSV. A column that has the name of a result is written first."""
    columns = tuple(dict.fromkeys(name for row in rows for name in row.row))
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow([*columns, *_RESULT_KEYS])
    for row in rows:
        document = _document(row)
        measures = row.result.measures if row.result else None
        document["fixes"] = counts_text(measures.fixes) if measures else ""
        document["findings"] = counts_text(measures.findings) if measures else ""
        values = (*map(row.row.get, columns), *(document[name] for name in _RESULT_KEYS))
        writer.writerow(map(_cell, values))
    return target.getvalue()


_RESULT_KEYS: Final = ("message", "answer", "calls", "fixes", "findings", "seconds", "error", "session")


def _document(row: RowResult) -> dict[str, JsonValue]:
    result = row.result
    return {
        "row": dict(row.row),
        "message": row.message,
        "answer": result.answer if result else "",
        "calls": result.calls_told if result else "",
        "fixes": dict(result.measures.fixes) if result else {},
        "findings": dict(result.measures.findings) if result else {},
        "seconds": round(result.measures.seconds, 3) if result else None,
        "error": result.error if result else "not run",
        "session": (result.session_id or "") if result else "",
    }


def _cell(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _suite(services: Services, setup: RunConfig, message: str, table: RowTable, name: str) -> RowSuite:
    offered = setup.offered_tools()
    names = () if setup.disabled_tools else services.tools.toolsets_of(setup.tools_text)
    return row_suite(
        name,
        message,
        table,
        setup.contract(),
        setup.variables,
        tools=names,
        tool_specs=() if names else [spec.document for spec in offered.specs],
    )
