"""The arms of runs that played one contract, out of the rows of runs and results."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import TypeAdapter
from sqlalchemy import JSON, type_coerce
from sqlmodel import Session, col, select

from workbench.errors import BadInput, StoreError
from workbench.records.runs import PlayedArm
from workbench.records.versions import parse_reference
from workbench.store.tables import CaseResultRow, RunRow
from workbench.suite.plan import Arm
from workbench.suite.result import CaseResult, result_value

_ARMS: Final = TypeAdapter(tuple[Arm, ...])


def played_arms(db: Session, scope: str, contract_name: str, limit: int) -> Iterator[PlayedArm]:
    """See `workbench.store.runs.RunStore.arms_of`.

    Raises:
        StoreError: A row is damaged.
    """
    # The plan holds every case: of hundreds of runs only their arms are read.
    arms = type_coerce(col(RunRow.plan), JSON)["arms"]
    mine = (
        select(RunRow.id, RunRow.title, RunRow.created_at, arms)
        .where(col(RunRow.owner) == scope)
        .order_by(col(RunRow.created_at).desc(), col(RunRow.id))
        .limit(limit)
    )
    for run_id, title, created_at, documents in db.exec(mine).all():
        own = [arm for arm in _arms(run_id, documents) if _name(arm) == contract_name]
        results = _results(db, run_id) if own else dict[str, Sequence[CaseResult]]()
        for arm in own:
            if found := results.get(arm.label):
                yield PlayedArm(
                    run_id=run_id, title=title, created_at=created_at, arm=arm, results=tuple(found)
                )


def _arms(run_id: str, documents: Any) -> Sequence[Arm]:
    try:
        return _ARMS.validate_python(documents)
    except ValueError as error:
        raise StoreError(f"run {run_id!r}: its plan cannot be read: {error}") from error


def _name(arm: Arm) -> str:
    try:
        return parse_reference(arm.contract_name).name
    except BadInput:
        return arm.contract_name


def _results(db: Session, run_id: str) -> Mapping[str, Sequence[CaseResult]]:
    """The results of each arm, by its label."""
    rows = db.exec(select(CaseResultRow).where(col(CaseResultRow.run_id) == run_id)).all()
    found: dict[str, list[CaseResult]] = defaultdict(list)
    for row in rows:
        try:
            result = result_value(row.result)
        except ValueError as error:
            raise StoreError(f"run {run_id!r}: a result is damaged: {error}") from error
        found[result.arm].append(result)
    return found
