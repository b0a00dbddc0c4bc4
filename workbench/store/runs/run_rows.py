"""Convert rows of runs to values."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import cast

from sqlmodel import Session, col, func, select

from workbench.errors import BadInput, StoreError
from workbench.records.runs import ListedRun, RunState
from workbench.store.runs.run_claims import find_states
from workbench.store.tables import CaseResultRow, RunRow, RunTagRow
from workbench.suite.plan import RunPlan, plan_value
from workbench.suite.result import CaseStatus


def plan_of(row: RunRow) -> RunPlan:
    try:
        return plan_value(row.plan)
    except (BadInput, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"run {row.id!r}: its plan cannot be read: {error}") from error


def listed_runs(db: Session, rows: Sequence[RunRow], now: datetime) -> Sequence[ListedRun]:
    """Return runs as they are listed, with a few queries for all of them together."""
    ids = [row.id for row in rows]
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    counted = (
        select(CaseResultRow.run_id, CaseResultRow.status, func.count())
        .where(col(CaseResultRow.run_id).in_(ids))
        .group_by(col(CaseResultRow.run_id), col(CaseResultRow.status))
    )
    for run_id, status, number in db.exec(counted):
        counts[run_id][status] = number
    tags: dict[str, list[str]] = defaultdict(list)
    tagged = (
        select(RunTagRow.run_id, RunTagRow.tag)
        .where(col(RunTagRow.run_id).in_(ids))
        .order_by(col(RunTagRow.position))
    )
    for run_id, tag in db.exec(tagged):
        tags[run_id].append(tag)
    return tuple(
        listed_run(row, state, counts[row.id], tags[row.id])
        for row, state in zip(rows, find_states(db, rows, now), strict=True)
    )


def listed_run(row: RunRow, state: RunState, counts: Mapping[str, int], tags: Sequence[str]) -> ListedRun:
    """Return a run as it is listed. `counts` has the number of its results by status."""
    return ListedRun(
        id=row.id,
        title=row.title,
        state=state,
        created_at=row.created_at,
        updated_at=row.updated_at,
        total=row.total,
        done=sum(counts.values()),
        passed=counts.get(CaseStatus.PASSED.value, 0),
        errors=counts.get(CaseStatus.ERROR.value, 0),
        unchecked=counts.get(CaseStatus.UNCHECKED.value, 0),
        void=counts.get(CaseStatus.VOID.value, 0),
        suites=_named(row, "cases", "suite"),
        contracts=_named(row, "arms", "contract_name"),
        models=_named(row, "arms", "model"),
        tags=tuple(tags),
        share_key=row.share_key,
    )


def _named(row: RunRow, entries: str, key: str) -> tuple[str, ...]:
    """Return the values of a key in the entries of the plan, each once. Damaged entries are left out."""
    found = row.plan.get(entries)
    stored = cast("list[object]", found) if isinstance(found, list) else []
    values = [cast("Mapping[str, object]", entry).get(key) for entry in stored if isinstance(entry, Mapping)]
    return tuple(dict.fromkeys(value for value in values if isinstance(value, str)))
