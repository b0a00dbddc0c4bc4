"""Show a run over rows: what the pasted rows are, and the table of answers."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.app.runs.drafts import contract_label
from workbench.app.runs.rows import PreparedRows, RowResult
from workbench.records.runs import StoredRun
from workbench.suite.plan import RunPlan
from workbench.suite.reports.tables import counts_text
from workbench.ui.present.suites.run import shorten
from workbench.ui.present.words import count

SHOWN_ROWS: Final = 500
"""The most rows of the table on the page. A download has all."""
SHOWN_CHARS: Final = 400
"""The longest text of a cell on the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCheckView:
    """What the rows in the form are."""

    note: str = ""
    """Number of rows, and how each column is used."""
    first: str = ""
    """The message of the first row."""
    problem: str = ""
    """Why the rows cannot be run. Empty if they can."""
    warnings: tuple[str, ...] = ()
    number: int = 0
    """Number of the check, so that the browser ignores the answers to older ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLineView:
    """A row of the table."""

    number: int
    cells: tuple[str, ...]
    """The values of the columns."""
    state: str
    """`waiting`, `done` or `error`."""
    answer: str = ""
    """The answer, or the error."""
    calls: str = ""
    findings: str = ""
    """Codes of fixes and findings."""
    seconds: str = ""
    session: str = ""
    """Relative address of the session. Empty if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRunView:
    """A run over rows."""

    id: str
    note: str
    """How many rows are done."""
    share: float
    """Share of the rows that are done, from 0 to 1."""
    is_running: bool
    can_resume: bool
    """True if the run is incomplete and not in progress."""
    columns: tuple[str, ...]
    rows: tuple[RowLineView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowWindowView:
    """The window for runs over rows. None leaves that part as it is."""

    check: RowCheckView | None = None
    run: RowRunView | None = None
    message: str = ""
    """Result or problem of the last action."""
    is_problem: bool = False
    serial: float = 0.0
    """A new number for every answer of the server."""


def show_check(prepared: PreparedRows, *, number: int = 0) -> RowCheckView:
    """Describe rows that can be run."""
    suite = prepared.suite
    parts = [count(len(prepared.table.rows), "row")]
    for label, columns in (("in the message", suite.in_message), ("in the contract", suite.in_contract)):
        if columns:
            parts.append(f"{', '.join(columns)} {label}")
    unused = (f"Column {name!r} is neither in the message nor in the contract." for name in suite.unused)
    first = prepared.plan.cases[0].messages[-1].text
    parts.append(_contract(prepared.plan))
    return RowCheckView(
        note=" · ".join(parts),
        first=_cut(first),
        warnings=(*unused, *prepared.table.warnings[:5]),
        number=number,
    )


def show_row_run(stored: StoredRun, rows: Sequence[RowResult], *, is_running: bool) -> RowRunView:
    """Show a run with its rows so far."""
    done = sum(row.result is not None for row in rows)
    errors = sum(row.result is not None and bool(row.result.error) for row in rows)
    note = f"{done:,} of {count(len(rows), 'row')} · {'running' if is_running else stored.listed.state.value}"
    note += f" · {_contract(stored.plan)}"
    if errors:
        note += f" · {count(errors, 'error')}"
    if len(rows) > SHOWN_ROWS:
        note += f" · showing the first {SHOWN_ROWS}; a download has all"
    return RowRunView(
        id=stored.id,
        note=note,
        share=done / len(rows) if rows else 0.0,
        is_running=is_running,
        can_resume=not is_running and (done < len(rows) or errors > 0),
        columns=tuple(dict.fromkeys(name for row in rows for name in row.row)),
        rows=tuple(map(_line, rows[:SHOWN_ROWS])),
    )


def _contract(plan: RunPlan) -> str:
    arm = plan.arms[0]
    return f"contract {contract_label(arm.contract_name, arm.contract_text)}"


def _line(row: RowResult) -> RowLineView:
    cells = tuple(_cut(value if isinstance(value, str) else json.dumps(value)) for value in row.row.values())
    result = row.result
    if result is None:
        return RowLineView(number=row.number, cells=cells, state="waiting")
    session = f"?session={result.session_id}" if result.session_id else ""
    if result.error:
        return RowLineView(
            number=row.number, cells=cells, state="error", answer=_cut(result.error), session=session
        )
    return RowLineView(
        number=row.number,
        cells=cells,
        state="done",
        answer=_cut(result.answer),
        calls=_cut(result.calls_told),
        findings=counts_text({**result.measures.fixes, **result.measures.findings}),
        seconds=f"{result.measures.seconds:.1f} s",
        session=session,
    )


def _cut(text: str) -> str:
    return shorten(text, SHOWN_CHARS)
