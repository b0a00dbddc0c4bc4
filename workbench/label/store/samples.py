"""Sample the rows of a labelling project: some for each tool or finding, lots, and gold rows."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Final, Literal

from sqlmodel import Session, col, select

from workbench.errors import BadInput
from workbench.label.records.project import Assignment, QueueFilter, QueueOrder, QueueSort
from workbench.label.records.quality import (
    GoldAccuracy,
    Lot,
    LotState,
    LotVerdict,
    RowOutcome,
    gold_accuracies,
    row_outcome,
)
from workbench.label.records.sampling import SamplingPlan
from workbench.label.store.access import LabelScope, ProjectAccess
from workbench.label.store.assignments import add_assignments
from workbench.label.store.project_rows import project_value
from workbench.label.store.queue import Queue
from workbench.label.store.review_rows import list_submitters
from workbench.label.store.tasks import put_task
from workbench.label.store.writer import write_label
from workbench.records.label import Label, LabelContent, LabelTarget, NewLabel
from workbench.records.label_words import ProjectRole, QueueState
from workbench.store.corpus.label_rows import MODEL_SLOT, content_of, label_value, slot_of, target_of
from workbench.store.damage import damage_of
from workbench.store.storable import refuse_unstorable
from workbench.store.tables import (
    FactRow,
    LabelMemberRow,
    LabelProjectRow,
    LabelRow,
    LabelTaskRow,
    SessionRow,
    SessionToolRow,
)

_BATCH: Final = 500
"""The number of sessions in a query."""


class LabelSampleStore(LabelScope):
    """Samples rows for review, and judges lots and annotators by them. Each method is one transaction. Thread-safe."""

    def assign_strata(
        self,
        chosen: QueueFilter,
        *,
        project: str,
        by: Literal["tool", "finding"],
        count: int,
        seed: int = 0,
        who: str = "",
    ) -> Sequence[Assignment]:
        """Assign random rows: up to `count` for each tool that they call, or for each finding that they have.

        A row that calls two tools counts for both. All of the owner's sessions that match the filter take part.

        Raises:
            BadInput: As `assign`.
            StoreError: The project does not exist.
        """
        self._accept(who, "who")
        table = SessionToolRow.tool if by == "tool" else FactRow.code
        with self._database.writing() as db:
            row = self._assignable(db, project)
            names = db.exec(select(col(table)).distinct().order_by(col(table))).all() if count else ()
            sessions: dict[str, None] = {}
            for name in names:
                narrowed = replace(chosen, tool=name) if by == "tool" else replace(chosen, finding=name)
                sessions |= dict.fromkeys(self._random(db, narrowed, seed, count))
            return add_assignments(
                db,
                row,
                tuple(sessions),
                (),
                who,
                auditor=self._auditor(ProjectAccess(row, ProjectRole.OWNER)),
                now=self._now(),
            )

    def count_rows(self, chosen: QueueFilter) -> int:
        """Return how many of the owner's sessions match a filter: the size of the lot that they would be."""
        with self._database.reading() as db:
            return self._all_rows(db, chosen, 0).count(db)

    def session_ids(self, chosen: QueueFilter) -> Sequence[str]:
        """Return the ids of the owner's sessions that match a filter, in an order that stays the same."""
        with self._database.reading() as db:
            return self._all_rows(db, chosen, 0).session_ids(db)

    def add_lot(
        self, name: str, chosen: QueueFilter, plan: SamplingPlan, *, project: str, seed: int = 0,
        shown: str = "", who: str = "",
    ) -> Lot:  # fmt: skip
        """Draw the sample of a lot, assign it to the annotators of the project, and store the lot.

        Args:
            name: A name that no other lot of the project has.
            chosen: The filter for the rows of the lot.
            plan: Its size is the number of rows that match the filter.
            shown: The filter as text.

        Raises:
            BadInput: The name is taken or empty, the plan does not fit the rows, or as `assign`.
            StoreError: The project does not exist.
        """
        self._accept([name, shown, who], "lot")
        plan.check()
        with self._database.writing() as db:
            row = self._assignable(db, project)
            if not name.strip() or any(lot["name"] == name for lot in row.lots or ()):
                raise BadInput(f"lot {name!r}", "the name is empty or taken", "choose another name")
            size = self._all_rows(db, chosen, seed).count(db)
            if size != plan.size:
                raise BadInput(
                    f"lot {name!r}", f"{size} rows match, but the plan is for {plan.size}", "plan it again"
                )
            sample = self._random(db, chosen, seed, plan.sample)
            lot = Lot(
                name=name, chosen=shown, plan=plan, seed=seed, rows=tuple(sample), created_at=self._now()
            )
            row.lots = [*(row.lots or ()), _document(lot)]
            db.add(row)
            add_assignments(
                db,
                row,
                sample,
                (),
                who,
                auditor=self._auditor(ProjectAccess(row, ProjectRole.OWNER)),
                now=self._now(),
            )
            self._note_lot(db, ProjectAccess(row, ProjectRole.OWNER), lot, who)
            return lot

    def lots(self, *, project: str) -> Sequence[LotState]:
        """Return the lots of a project in the order in which they were made. For its owner and reviewers.

        Raises:
            BadInput: An annotator asks.
            StoreError: The project does not exist, or could not be read.
        """
        with self._database.reading() as db:
            access = self._access(db, project)
            if access is None:
                return ()
            access.require_decider("see lots")
            return [self._state(db, access.row, lot) for lot in _lots(access.row)]

    def decide_lot(self, name: str, *, project: str, who: str = "") -> LotState:
        """Record the verdict on a lot, with the number of bad rows. It does not change with later labels.

        Raises:
            BadInput: An annotator asks, there is no such lot, or the labels do not decide it yet.
            StoreError: The project does not exist.
        """
        self._accept(who, "who")
        with self._database.writing() as db:
            access = self._written(db, project)
            access.require_decider("decide lots")
            row, lots = access.row, _lots(access.row)
            found = next((lot for lot in lots if lot.name == name), None)
            if found is None:
                known = ", ".join(lot.name for lot in lots) or "none"
                raise BadInput(f"lot {name!r}", "the project has no such lot", f"its lots: {known}")
            state = self._state(db, row, found)
            if state.verdict is LotVerdict.OPEN:
                left = found.plan.sample - state.judged
                raise BadInput(f"lot {name!r}", f"{left} of its rows are not judged yet", "label them first")
            if found.verdict is not LotVerdict.OPEN:
                return state
            decided = replace(
                found, verdict=state.verdict, bad_count=state.bad, decided_at=self._now(), decided_by=who
            )
            row.lots = [_document(decided if lot is found else lot) for lot in lots]
            db.add(row)
            self._note_lot(db, access, decided, who)
            return LotState(decided, state.judged, state.bad)

    def set_gold(
        self, session_ids: Sequence[str], *, project: str, is_gold: bool = True, who: str = ""
    ) -> Sequence[str]:
        """Make sessions gold rows of a project, and assign them to all its annotators; or make them ordinary rows.

        What is right is their deciding labels in the project. For a session without any, the labels of people in the
        queue of all sessions become deciding labels.

        Returns:
            The ids of all gold rows of the project.

        Raises:
            BadInput: A session has no labels, the project has no annotators, or it belongs to somebody else.
            StoreError: The project or a session does not exist.
        """
        refuse_unstorable([*session_ids, who], "session")
        with self._database.writing() as db:
            row = self._assignable(db, project)
            gold = [session_id for session_id in row.gold or () if is_gold or session_id not in session_ids]
            for session_id in session_ids if is_gold else ():
                session = self._own_session(db, session_id)
                if not self._decided(db, row, session.id) and not self._take_over(db, row, session.id):
                    raise BadInput(
                        f"session {session_id!r}",
                        "what is right there is not known",
                        "label it, then try again",
                    )
                gold.append(session.id)
            row.gold = [*dict.fromkeys(gold)] or None
            db.add(row)
            if is_gold:
                self._assign_to_all(db, row, row.gold or ())
            subject = f"project:{row.name}"
            auditor = self._auditor(ProjectAccess(row, ProjectRole.OWNER))
            auditor.note(db, "project.gold", subject, who=who, sessions=list(session_ids), is_gold=is_gold)
            return tuple(row.gold or ())

    def accuracies(self, *, project: str) -> Sequence[GoldAccuracy]:
        """Return how often each annotator is right on the gold rows. For the owner of the project and its reviewers.

        Raises:
            BadInput: An annotator asks.
            StoreError: The project does not exist, or could not be read.
        """
        with self._database.reading() as db:
            access = self._access(db, project)
            if access is None:
                return ()
            access.require_decider("see the accuracy of annotators")
            gold = access.row.gold or ()
            done = {session_id: list_submitters(db, access.row.id, session_id) for session_id in gold}
            return gold_accuracies(self._labels_of(db, access.row, gold), done)

    def _random(self, db: Session, chosen: QueueFilter, seed: int, count: int) -> Sequence[str]:
        ids = self._all_rows(db, chosen, seed).session_ids(db, limit=count)
        return tuple(dict.fromkeys(ids))

    def _all_rows(self, db: Session, chosen: QueueFilter, seed: int) -> Queue:
        """Return the queue of the owner's sessions that match a filter, without what the project knows about them."""
        return Queue(
            project_id="",
            allowed=self._is_listed(),
            visible=col(LabelRow.project_id).is_not(None),
            chosen=replace(chosen, state=None, assignee=None, verdict=None, is_disputed=None),
            sort=QueueSort(order=QueueOrder.RANDOM, seed=seed),
            includes_unassigned=True,
        )

    def _state(self, db: Session, row: LabelProjectRow, lot: Lot) -> LotState:
        labels: dict[str, list[Label]] = defaultdict(list)
        for label in self._labels_of(db, row, lot.rows):
            labels[label.target.session_id].append(label)
        states: dict[str, dict[str, QueueState]] = defaultdict(dict)
        for some in _batches(lot.rows):
            tasks = select(LabelTaskRow).join(SessionRow, col(SessionRow.id) == col(LabelTaskRow.session_id))
            tasks = tasks.where(
                col(LabelTaskRow.project_id) == row.id,
                col(LabelTaskRow.session_id).in_(some),
                col(SessionRow.deleted_at).is_(None),
            )
            for task in db.exec(tasks).all():
                states[task.session_id][task.assignee] = QueueState(task.state)
        outcomes = [row_outcome(labels[session_id], states[session_id]) for session_id in lot.rows]
        judged = sum(outcome is not RowOutcome.OPEN for outcome in outcomes)
        return LotState(lot, judged, outcomes.count(RowOutcome.BAD))

    def _labels_of(self, db: Session, row: LabelProjectRow, session_ids: Sequence[str]) -> Iterator[Label]:
        """Yield the labels of sessions in the project, without those of deleted sessions."""
        for some in _batches(session_ids):
            of_rows = select(LabelRow).join(SessionRow, col(SessionRow.id) == col(LabelRow.session_id))
            of_rows = of_rows.where(
                col(LabelRow.project_id) == row.id,
                col(LabelRow.session_id).in_(some),
                col(SessionRow.deleted_at).is_(None),
            )
            yield from (label_value(label, row.name) for label in db.exec(of_rows).all())

    def _decided(self, db: Session, row: LabelProjectRow, session_id: str) -> bool:
        return any(
            label.is_deciding and (label.content.verdict or label.content.answers)
            for label in self._labels_of(db, row, [session_id])
        )

    def _take_over(self, db: Session, row: LabelProjectRow, session_id: str) -> bool:
        """Copy the labels of the queue of all sessions as deciding ones. Returns whether there are any."""
        own = self._find_project(db, "")
        query = select(LabelRow).where(
            col(LabelRow.project_id) == (own.id if own else ""),
            col(LabelRow.session_id) == session_id,
            ~col(LabelRow.slot).startswith(MODEL_SLOT),
        )
        deciding = slot_of("", is_deciding=True)
        best: dict[LabelTarget, LabelContent] = {}
        for label in db.exec(query.order_by(col(LabelRow.updated_at))).all():
            if label.verdict and (target_of(label) not in best or label.slot == deciding):
                best[target_of(label)] = content_of(label)
        questions = {question.name for question in project_value(row).questions}
        for target, content in best.items():
            answers = {name: answer for name, answer in content.answers.items() if name in questions}
            content = replace(content, answers=answers)
            write_label(db, row, NewLabel(target=target, content=content, is_deciding=True), self._now())
        return bool(best)

    def _assign_to_all(self, db: Session, row: LabelProjectRow, session_ids: Iterable[str]) -> None:
        annotators = db.exec(
            select(LabelMemberRow.name).where(
                col(LabelMemberRow.project_id) == row.id,
                col(LabelMemberRow.role) == ProjectRole.ANNOTATOR.value,
            )
        ).all()
        if not annotators:
            raise BadInput(f"labelling project {row.name!r}", "it has no annotators", "add them first")
        for session_id in session_ids:
            for name in annotators:
                if db.get(LabelTaskRow, (row.id, session_id, name)) is None:
                    put_task(db, row.id, session_id, name, QueueState.PENDING, self._now())

    def _note_lot(self, db: Session, access: ProjectAccess, lot: Lot, who: str) -> None:
        self._auditor(access).note(
            db, "project.lot", f"project:{access.row.name}", who=who, lot=lot.name,
            verdict=lot.verdict.value, bad_rows=lot.bad_count, **asdict(lot.plan),
        )  # fmt: skip


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield so few ids at a time that a query can have them all as parameters."""
    return (ids[start : start + _BATCH] for start in range(0, len(ids), _BATCH))


def _document(lot: Lot) -> dict[str, object]:
    decided_at = lot.decided_at.isoformat() if lot.decided_at else None
    return {
        **asdict(lot),
        "rows": list(lot.rows),
        "created_at": lot.created_at.isoformat(),
        "decided_at": decided_at,
    }


def _lots(row: LabelProjectRow) -> list[Lot]:
    with damage_of(f"label project {row.name!r}"):
        return [_lot(document) for document in row.lots or ()]


def _lot(document: dict[str, Any]) -> Lot:
    decided_at = document["decided_at"]
    fields: dict[str, Any] = {
        **document,
        "plan": SamplingPlan(**document["plan"]),
        "rows": tuple(document["rows"]),
        "created_at": datetime.fromisoformat(document["created_at"]),
        "verdict": LotVerdict(document["verdict"]),
        "decided_at": datetime.fromisoformat(decided_at) if decided_at else None,
    }
    return Lot(**fields)
