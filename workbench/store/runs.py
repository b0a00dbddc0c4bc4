"""Runs in the database."""

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
from workbench.records.versions import parse_reference
from workbench.store.database import Database, insert_if_absent
from workbench.store.message_writer import new_id
from workbench.store.owner_scope import OwnerScope, scope_of
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import CaseResultRow, RunRow, RunSessionRow
from workbench.suite.plan import Arm, RunPlan, plan_document, plan_value
from workbench.suite.result import CaseResult, CaseStatus, result_document, result_value

_ARMS: Final = TypeAdapter(tuple[Arm, ...])


def read_arms(db: Session, scope: str, contract_name: str, limit: int) -> Iterator[ArmResults]:
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
                yield ArmResults(
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


class RunStore(OwnerScope):
    """The runs of one owner; one transaction a method, safe to use from several threads."""

    def __init__(self, database: Database, owner: Owner, now: Callable[[], datetime]) -> None:
        super().__init__(database, owner, now)
        self._scope = scope_of(owner)

    def create_run(self, title: str, plan: RunPlan) -> StoredRun:
        """A new run.

        Raises:
            BadInput: It holds text that cannot be stored.
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
        """The run of that id, or whose id begins so."""
        if not run_id or problem_of(run_id):
            return None
        its = (
            select(RunRow)
            .where(col(RunRow.owner) == self._scope, col(RunRow.id).startswith(run_id, autoescape=True))
            .limit(2)
        )
        with self._database.reading() as db:
            found = db.exec(its).all()
            return _value(db, found[0]) if len(found) == 1 else None

    def list_runs(self, *, limit: int = 50, offset: int = 0) -> Sequence[ListedRun]:
        """The runs, the newest first."""
        mine = (
            select(RunRow)
            .where(col(RunRow.owner) == self._scope)
            .order_by(col(RunRow.created_at).desc(), col(RunRow.id))
            .limit(limit)
            .offset(offset)
        )
        with self._database.reading() as db:
            return tuple(_listed(db, row) for row in db.exec(mine))

    def add_session(self, run_id: str, session_id: str) -> None:
        """The session is a rollout of the run.

        Raises:
            StoreError: There is no such run or session.
        """
        with self._database.writing() as db:
            run, session = self._run(db, run_id), self._own(db, session_id)
            insert_if_absent(db, RunSessionRow, session_id=session.id, run_id=run.id)

    def save_result(self, run_id: str, result: CaseResult) -> None:
        """A result.

        Raises:
            StoreError: There is no such run, or it could not be written.
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
        """All results up to now.

        Raises:
            StoreError: There is no such run, or one of its rows is damaged.
        """
        with self._database.reading() as db:
            run = self._run(db, run_id)
            order = {job.key: place for place, job in enumerate(_plan(run).jobs())}
            rows = db.exec(select(CaseResultRow).where(col(CaseResultRow.run_id) == run.id)).all()
            try:
                found = [result_value(row.result) for row in rows]
            except ValueError as error:
                raise StoreError(f"run {run_id!r}: a result is damaged: {error}") from error
        return tuple(sorted(found, key=lambda one: order.get(one.key, len(order))))

    def arms_of(self, contract_name: str, *, limit: int = 50) -> Sequence[ArmResults]:
        """The arms that played a contract.

        Raises:
            StoreError: One of the rows is damaged.
        """
        with self._database.reading() as db:
            return tuple(read_arms(db, self._scope, contract_name, limit))

    def move_run(self, run_id: str, state: RunState) -> None:
        """Says how far the run is.

        Raises:
            StoreError: There is no such run.
        """
        with self._database.writing() as db:
            run = self._run(db, run_id)
            run.state, run.updated_at = state.value, self._now()

    def forget_errors(self, run_id: str) -> int:
        """Takes away the results of plays that could not be scored.

        Raises:
            StoreError: There is no such run.
        """
        with self._database.writing() as db:
            run = self._run(db, run_id)
            gone = delete(CaseResultRow).where(
                col(CaseResultRow.run_id) == run.id, col(CaseResultRow.status) == CaseStatus.ERROR.value
            )
            return db.exec(gone).rowcount

    def delete_run(self, run_id: str) -> None:
        """Removes the run and its results.

        Raises:
            StoreError: There is no such run.
        """
        with self._database.writing() as db:
            db.delete(self._run(db, run_id))

    def _run(self, db: Session, run_id: str) -> RunRow:
        found = select(RunRow).where(col(RunRow.id) == run_id, col(RunRow.owner) == self._scope)
        row = None if problem_of(run_id) else db.exec(found).first()
        if row is None:
            raise StoreError(f"there is no run {run_id!r}; `workbench run` makes one")
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
