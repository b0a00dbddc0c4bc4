"""Store runs of suites and the results of their cases."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, cast

from pydantic import TypeAdapter
from sqlalchemy import JSON, type_coerce
from sqlmodel import Session, col, delete, func, select

from workbench.errors import BadInput, StoreError
from workbench.records.owner import Owner
from workbench.records.runs import ArmResults, ListedRun, RunState, StoredRun
from workbench.records.versions import name_in
from workbench.store.database import Database, insert_if_absent
from workbench.store.owner_scope import OwnerScope, scope_of
from workbench.store.rows import new_id
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import CaseResultRow, RunRow, RunSessionRow
from workbench.suite.plan import Arm, RunPlan, plan_document, plan_value
from workbench.suite.result import CaseResult, CaseStatus, result_document, result_value

_ARMS: Final = TypeAdapter(tuple[Arm, ...])


def read_arms(db: Session, scope: str, contract_name: str, limit: int) -> Iterator[ArmResults]:
    """Yield the arms that used a contract, newest run first, from the last `limit` runs.

    Arms without results are left out.

    Raises:
        StoreError: A row is damaged.
    """
    # A plan contains every case. Only the arms are loaded, because there may be hundreds of runs.
    arms = type_coerce(col(RunRow.plan), JSON)["arms"]
    own = (
        select(RunRow.id, RunRow.title, RunRow.created_at, arms)
        .where(col(RunRow.owner) == scope)
        .order_by(col(RunRow.created_at).desc(), col(RunRow.id))
        .limit(limit)
    )
    for run_id, title, created_at, documents in db.exec(own).all():
        chosen_arms = [arm for arm in _arms(run_id, documents) if name_in(arm.contract_name) == contract_name]
        results = _results(db, run_id) if chosen_arms else dict[str, Sequence[CaseResult]]()
        for arm in chosen_arms:
            if found := results.get(arm.label):
                yield ArmResults(
                    run_id=run_id, title=title, created_at=created_at, arm=arm, results=tuple(found)
                )


def _arms(run_id: str, documents: Any) -> Sequence[Arm]:
    try:
        return _ARMS.validate_python(documents)
    except ValueError as error:
        raise StoreError(f"run {run_id!r}: its plan cannot be read: {error}") from error


def _results(db: Session, run_id: str) -> Mapping[str, Sequence[CaseResult]]:
    """Return the results of each arm, by the arm's label."""
    rows = db.exec(select(CaseResultRow).where(col(CaseResultRow.run_id) == run_id)).all()
    found: dict[str, list[CaseResult]] = defaultdict(list)
    for row in rows:
        try:
            result = result_value(row.result)
        except ValueError as error:
            raise StoreError(f"run {run_id!r}: a result is damaged: {error}") from error
        found[result.arm].append(result)
    return found


class RunStore(OwnerScope):
    """The runs of one owner. Each method is one transaction. Thread-safe."""

    def __init__(self, database: Database, owner: Owner, now: Callable[[], datetime]) -> None:
        super().__init__(database, owner, now)
        self._scope = scope_of(owner)

    def create_run(self, title: str, plan: RunPlan) -> StoredRun:
        """Store a new run without results.

        Raises:
            BadInput: The run contains text that cannot be stored.
        """
        document = cast(dict[str, Any], plan_document(plan))
        refuse_unstorable([title, document], "run")
        now = self._now()
        row = RunRow(
            id=new_id(),
            owner=self._scope,
            title=title,
            state=RunState.RUNNING.value,
            total=len(plan.jobs()),
            plan=document,
            created_at=now,
            updated_at=now,
        )
        with self._database.writing() as db:
            db.add(row)
            db.flush()
            return StoredRun(listed=_listed(db, row), plan=plan)

    def find_run(self, run_id: str) -> StoredRun | None:
        """Return the run with this id or the only one whose id starts with it. None if there is not exactly one."""
        if not run_id or problem_of(run_id):
            return None
        query = (
            select(RunRow)
            .where(col(RunRow.owner) == self._scope, col(RunRow.id).startswith(run_id, autoescape=True))
            .limit(2)
        )
        with self._database.reading() as db:
            found = db.exec(query).all()
            return _value(db, found[0]) if len(found) == 1 else None

    def list_runs(self, *, limit: int = 50, offset: int = 0) -> Sequence[ListedRun]:
        """Return runs, newest first."""
        own = (
            select(RunRow)
            .where(col(RunRow.owner) == self._scope)
            .order_by(col(RunRow.created_at).desc(), col(RunRow.id))
            .limit(limit)
            .offset(offset)
        )
        with self._database.reading() as db:
            return tuple(_listed(db, row) for row in db.exec(own))

    def add_session(self, run_id: str, session_id: str) -> None:
        """Record that a session is a rollout of the run.

        Raises:
            StoreError: The run or session does not exist.
        """
        with self._database.writing() as db:
            run, session = self._run(db, run_id), self._own_session(db, session_id)
            insert_if_absent(db, RunSessionRow, session_id=session.id, run_id=run.id)

    def save_result(self, run_id: str, result: CaseResult) -> None:
        """Store the result of one repetition of a case. An existing result is not changed.

        Raises:
            StoreError: The run does not exist, or the result could not be written.
        """
        document = result_document(result)
        refuse_unstorable(document, "result")
        with self._database.writing() as db:
            run = self._run(db, run_id)
            run.updated_at = self._now()
            insert_if_absent(
                db,
                CaseResultRow,
                run_id=run.id,
                key=result.key,
                status=result.status.value,
                result=document,
                created_at=run.updated_at,
            )

    def results(self, run_id: str) -> Sequence[CaseResult]:
        """Return the results so far, in the order of the plan.

        Raises:
            StoreError: The run does not exist, or one of its rows is damaged.
        """
        with self._database.reading() as db:
            run = self._run(db, run_id)
            order = {job.key: place for place, job in enumerate(_plan(run).jobs())}
            rows = db.exec(select(CaseResultRow).where(col(CaseResultRow.run_id) == run.id)).all()
            try:
                found = [result_value(row.result) for row in rows]
            except ValueError as error:
                raise StoreError(f"run {run_id!r}: a result is damaged: {error}") from error
        return tuple(sorted(found, key=lambda result: order.get(result.key, len(order))))

    def arms_of(self, contract_name: str, *, limit: int = 50) -> Sequence[ArmResults]:
        """Return the arms that used a contract, newest run first.

        Args:
            contract_name: Name of the contract, without a version.
            limit: How many of the newest runs to look at.

        Raises:
            StoreError: A row is damaged.
        """
        with self._database.reading() as db:
            return tuple(read_arms(db, self._scope, contract_name, limit))

    def move_run(self, run_id: str, state: RunState) -> None:
        """Set the state of a run.

        Raises:
            StoreError: The run does not exist.
        """
        with self._database.writing() as db:
            run = self._run(db, run_id)
            run.state, run.updated_at = state.value, self._now()

    def forget_errors(self, run_id: str) -> int:
        """Delete the results that are errors, so that their cases run again.

        Returns:
            The number of deleted results.

        Raises:
            StoreError: The run does not exist.
        """
        with self._database.writing() as db:
            run = self._run(db, run_id)
            query = delete(CaseResultRow).where(
                col(CaseResultRow.run_id) == run.id, col(CaseResultRow.status) == CaseStatus.ERROR.value
            )
            return db.exec(query).rowcount

    def delete_run(self, run_id: str) -> None:
        """Delete a run and its results. Its sessions are not deleted.

        Raises:
            StoreError: The run does not exist.
        """
        with self._database.writing() as db:
            db.delete(self._run(db, run_id))

    def _run(self, db: Session, run_id: str) -> RunRow:
        found = select(RunRow).where(col(RunRow.id) == run_id, col(RunRow.owner) == self._scope)
        row = None if problem_of(run_id) else db.exec(found).first()
        if row is None:
            raise StoreError(f"there is no run {run_id!r}; `workbench run` starts one")
        return row


def _value(db: Session, row: RunRow) -> StoredRun:
    return StoredRun(listed=_listed(db, row), plan=_plan(row))


def _plan(row: RunRow) -> RunPlan:
    try:
        return plan_value(row.plan)
    except (BadInput, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"run {row.id!r}: its plan cannot be read: {error}") from error


def _listed(db: Session, row: RunRow) -> ListedRun:
    counted = (
        select(CaseResultRow.status, func.count())
        .where(col(CaseResultRow.run_id) == row.id)
        .group_by(col(CaseResultRow.status))
    )
    counts = dict(db.exec(counted).all())
    return ListedRun(
        id=row.id,
        title=row.title,
        state=RunState(row.state),
        created_at=row.created_at,
        updated_at=row.updated_at,
        total=row.total,
        done=sum(counts.values()),
        passed=counts.get(CaseStatus.PASSED.value, 0),
        errors=counts.get(CaseStatus.ERROR.value, 0),
    )
