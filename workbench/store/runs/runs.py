"""Store runs of suites and the results of their cases."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, cast

from pydantic import TypeAdapter
from sqlalchemy import JSON, ColumnElement, type_coerce
from sqlmodel import Session, and_, col, delete, select
from sqlmodel.sql.expression import SelectOfScalar

from workbench.errors import BadInput, StoreError
from workbench.names import usable_tags
from workbench.records.runs import ArmResults, ListedRun, RunState, StoredRun
from workbench.records.versions import name_in
from workbench.store.database import Database, insert_if_absent
from workbench.store.deleting import purge_rows, restorable_since
from workbench.store.owner_scope import OwnerScope
from workbench.store.rows import new_id
from workbench.store.runs.run_claims import announce, claim, refuse_lost, release
from workbench.store.runs.run_rows import listed_run, listed_runs, plan_of
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import CaseResultRow, RunRow, RunSessionRow, RunTagRow
from workbench.store.titles import given_title
from workbench.suite.plan import Arm, RunPlan, plan_document
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
        .where(col(RunRow.owner) == scope, col(RunRow.deleted_at).is_(None))
        .order_by(col(RunRow.created_at).desc(), col(RunRow.id))
        .limit(limit)
    )
    for run_id, title, created_at, documents in db.exec(own).all():
        chosen_arms = [arm for arm in _arms(run_id, documents) if name_in(arm.contract_name) == contract_name]
        results = _results_by_arm(db, run_id) if chosen_arms else dict[str, Sequence[CaseResult]]()
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


def _results_by_arm(db: Session, run_id: str) -> Mapping[str, Sequence[CaseResult]]:
    """Return the results of each arm, by the arm's label."""
    found: dict[str, list[CaseResult]] = defaultdict(list)
    for result in _results(db, run_id):
        found[result.arm].append(result)
    return found


def _results(db: Session, run_id: str) -> Sequence[CaseResult]:
    rows = db.exec(select(CaseResultRow).where(col(CaseResultRow.run_id) == run_id)).all()
    try:
        return [result_value(row.result) for row in rows]
    except ValueError as error:
        raise StoreError(f"run {run_id!r}: a result is damaged: {error}") from error


class RunStore(OwnerScope):
    """The runs of one owner. Each method is one transaction. Thread-safe."""

    def create_run(self, title: str, plan: RunPlan) -> StoredRun:
        """Store a new run without results, which this process runs.

        Raises:
            BadInput: The run contains text that cannot be stored.
        """
        document = cast(dict[str, Any], plan_document(plan))
        refuse_unstorable([title, document], "run")
        self._limits.check_text("title", title)
        self._limits.check_plan(plan)
        now = self._now()
        row = RunRow(
            id=new_id(),
            owner=self._scope,
            title=title,
            state=RunState.RUNNING.value,
            total=plan.total,
            plan=document,
            created_at=now,
            updated_at=now,
        )
        with self._database.writing() as db:
            self._require_room(db, "runs", self._own_ids(), self._limits.runs)
            announce(row)
            db.add(row)
            db.flush()
            return StoredRun(listed=listed_run(row, RunState.RUNNING, {}, ()), plan=plan)

    def find_run(self, run_id: str, *, is_deleted: bool = False) -> StoredRun | None:
        """Return the run with this id or the only one whose id starts with it. None if there is not exactly one.

        Args:
            is_deleted: True finds a deleted run that can be restored.
        """
        if not run_id or problem_of(run_id):
            return None
        query = (
            select(RunRow)
            .where(
                self._is_own_run(is_deleted=is_deleted), col(RunRow.id).startswith(run_id, autoescape=True)
            )
            .limit(2)
        )
        with self._database.reading() as db:
            found = db.exec(query).all()
            return self._stored(db, found[0]) if len(found) == 1 else None

    def list_runs(
        self, *, limit: int = 50, offset: int = 0, tag: str | None = None, is_deleted: bool = False
    ) -> Sequence[ListedRun]:
        """Return runs, newest first.

        Args:
            tag: Only runs with this tag. None returns all.
            is_deleted: True returns the deleted runs that can be restored.
        """
        if tag is not None and problem_of(tag):
            return ()
        own = (
            select(RunRow)
            .where(self._is_own_run(is_deleted=is_deleted))
            .order_by(col(RunRow.created_at).desc(), col(RunRow.id))
            .limit(limit)
            .offset(offset)
        )
        if tag is not None:
            own = own.join(RunTagRow, col(RunTagRow.run_id) == col(RunRow.id)).where(
                col(RunTagRow.tag) == tag
            )
        with self._database.reading() as db:
            return listed_runs(db, db.exec(own).all(), self._now())

    def rename_run(self, run_id: str, title: str) -> None:
        """Set the title, as one line.

        Raises:
            BadInput: The title is empty, has an invisible character, or contains text that cannot be stored.
            StoreError: The run does not exist.
        """
        self._limits.check_text("title", title)
        title = given_title(title)
        if not title:
            raise BadInput("title", "it is empty", "write a title")
        with self._database.writing() as db:
            self._run(db, run_id).title = title

    def tag_run(self, run_id: str, tags: Sequence[str]) -> None:
        """Replace the run's tags. Spaces around tags, empty tags and repeated tags are removed.

        Raises:
            BadInput: A tag has an invisible character, or contains text that cannot be stored.
            StoreError: The run does not exist.
        """
        self._accept(tags, "tags")
        new_tags = usable_tags(tags)
        with self._database.writing() as db:
            run = self._run(db, run_id)
            db.exec(delete(RunTagRow).where(col(RunTagRow.run_id) == run.id))
            db.add_all(
                RunTagRow(run_id=run.id, tag=tag, position=position) for position, tag in enumerate(new_tags)
            )

    def share_run(self, run_id: str) -> str:
        """Share the report of a run and return its key. A shared run keeps its key.

        Raises:
            StoreError: The run does not exist.
        """
        with self._database.writing() as db:
            run = self._run(db, run_id)
            run.share_key = run.share_key or new_id()
            return run.share_key

    def unshare_run(self, run_id: str) -> None:
        """Stop sharing a run. Its key no longer works, and sharing again creates a new key.

        Raises:
            StoreError: The run does not exist.
        """
        with self._database.writing() as db:
            self._run(db, run_id).share_key = None

    def find_shared_run(self, key: str) -> tuple[StoredRun, Sequence[CaseResult]] | None:
        """Return the run with this key, of any owner, and its results. None if the key is not valid.

        Raises:
            StoreError: The run cannot be read.
        """
        if not key or problem_of(key):
            return None
        query = select(RunRow).where(col(RunRow.share_key) == key, col(RunRow.deleted_at).is_(None))
        with self._database.reading() as db:
            row = db.exec(query).first()
            return None if row is None else (self._stored(db, row), _ordered_results(db, row))

    def add_session(self, run_id: str, session_id: str) -> None:
        """Record that a session is a rollout of the run.

        Raises:
            StoreError: The run or session does not exist.
        """
        with self._database.writing() as db:
            run, session = self._run(db, run_id), self._own_session(db, session_id)
            insert_if_absent(db, RunSessionRow, session_id=session.id, run_id=run.id)

    def change_plan(self, run_id: str, plan: RunPlan) -> None:
        """Store the plan of a run whose search has added an arm. Results are not changed.

        Raises:
            BadInput: An arm exceeds a limit, or contains text that cannot be stored.
            StoreError: The run does not exist, or the plan could not be written.
        """
        document = cast(dict[str, Any], plan_document(plan))
        refuse_unstorable(document, "run")
        self._limits.check_plan(plan)
        with self._database.writing() as db:
            run = self._run(db, run_id)
            refuse_lost(run)
            run.plan, run.updated_at = document, self._now()

    def save_result(self, run_id: str, result: CaseResult) -> None:
        """Store the result of one repetition of a case. An existing result is not changed.

        Raises:
            StoreError: The run does not exist, or the result could not be written.
        """
        document = result_document(result)
        refuse_unstorable(document, "result")
        with self._database.writing() as db:
            run = self._run(db, run_id)
            refuse_lost(run)
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
            return _ordered_results(db, self._run(db, run_id))

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

    def begin_run(self, run_id: str, *, takes_over: bool = False) -> None:
        """Make this process the one that runs a run, until `end_run`.

        Args:
            takes_over: Whether to take the run from the server that ran it.

        Raises:
            BadInput: Another process is running it, or another thread of this one.
            StoreError: The run does not exist.
        """
        with self._database.writing() as db:
            run = self._run(db, run_id)
            db.refresh(run, with_for_update=True)
            claim(db, run, self._now(), takes_over=takes_over)

    def end_run(self, run_id: str, state: RunState) -> None:
        """Set the state of a run that this process no longer runs.

        Raises:
            StoreError: The run does not exist, or another process has taken it over.
        """
        try:
            with self._database.writing() as db:
                run = self._run(db, run_id)
                refuse_lost(run)
                run.state, run.updated_at = state.value, self._now()
        finally:
            release(self._scope, run_id)

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
        """Hide a run. It can be restored for 30 days and is then purged. Its sessions are not deleted.

        Raises:
            StoreError: The run does not exist.
        """
        with self._database.writing() as db:
            deleted = self._own_ids(is_deleted=True)
            self._require_room_for_deleted(db, "deleted runs", deleted, self._limits.runs)
            self._run(db, run_id).deleted_at = self._now()

    def restore_run(self, run_id: str) -> None:
        """Restore a deleted run.

        Raises:
            StoreError: There is no such deleted run.
        """
        with self._database.writing() as db:
            self._require_room(db, "runs", self._own_ids(), self._limits.runs)
            self._run(db, run_id, is_deleted=True).deleted_at = None

    def _is_own_run(self, *, is_deleted: bool = False) -> ColumnElement[bool]:
        deleted_at = col(RunRow.deleted_at)
        state = deleted_at > restorable_since(self._now()) if is_deleted else deleted_at.is_(None)
        return and_(col(RunRow.owner) == self._scope, state)

    def _own_ids(self, *, is_deleted: bool = False) -> SelectOfScalar[str]:
        return select(RunRow.id).where(self._is_own_run(is_deleted=is_deleted))

    def _run(self, db: Session, run_id: str, *, is_deleted: bool = False) -> RunRow:
        found = select(RunRow).where(col(RunRow.id) == run_id, self._is_own_run(is_deleted=is_deleted))
        row = None if problem_of(run_id) else db.exec(found).first()
        if row is None:
            word = "deleted run" if is_deleted else "run"
            raise StoreError(f"there is no {word} {run_id!r}; `workbench runs list` shows all runs")
        return row

    def _stored(self, db: Session, row: RunRow) -> StoredRun:
        return StoredRun(listed=listed_runs(db, [row], self._now())[0], plan=plan_of(row))


def purge_runs(database: Database, now: datetime) -> int:
    """Delete all runs that can no longer be restored, with their results, and return their number.

    Args:
        now: The current time, with a time zone.
    """
    return purge_rows(database, RunRow, now)


def _ordered_results(db: Session, run: RunRow) -> Sequence[CaseResult]:
    """Return the results of a run in the order of its plan."""
    order = {job.key: place for place, job in enumerate(plan_of(run).jobs())}
    return tuple(sorted(_results(db, run.id), key=lambda result: order.get(result.key, len(order))))
