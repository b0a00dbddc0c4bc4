"""Read the labelling queue of a project, compare its labels, and list what the agreement is computed from."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from zlib import crc32

from sqlalchemy import ColumnElement, true
from sqlmodel import Session, col, func, select

from workbench.label.records.agreement import AnnotatorVerdict, ItemKind
from workbench.label.records.project import (
    AnnotatorProgress,
    ProjectProgress,
    QueueFilter,
    QueueOrder,
    QueuePage,
    QueueSort,
)
from workbench.label.records.review import RowComparison, compare_labels
from workbench.label.store.access import LabelScope
from workbench.label.store.project_rows import project_value
from workbench.label.store.queue import Queue
from workbench.label.store.review_rows import list_submitters, review_counts
from workbench.records.label import PAIR_VERDICTS, LabelTarget, annotator_name
from workbench.records.label_words import QueueState
from workbench.store.corpus.label_rows import MODEL_SLOT, label_value, slot_of, target_of
from workbench.store.tables import LabelRow, LabelTaskRow, SessionRow


class LabelQueueStore(LabelScope):
    """Reads the queues and the labels of an owner's projects, and of those they are a member of."""

    def queue(
        self,
        chosen: QueueFilter,
        *,
        project: str = "",
        sort: QueueSort | None = None,
        limit: int = 50,
        offset: int = 0,
        around: str | None = None,
        is_review: bool = False,
    ) -> QueuePage:
        """Return a page of a project's queue.

        Annotators of somebody else's project see only their own items.

        Args:
            sort: The order. None takes that of the project.
            around: Id of a session. The page is then the one that contains it, and `offset` does not count.
            is_review: True lists each session that two annotators have submitted, once.

        Raises:
            BadInput: An annotator asks for a review, or for an order or filter that reveals disagreements.
            StoreError: The project does not exist, or the queue could not be read.
        """
        with self._database.reading() as db:
            queue = self._queue(db, chosen, project, sort, is_review=is_review)
            return queue.page(db, limit=limit, offset=offset, around=around)

    def next_open(
        self,
        chosen: QueueFilter,
        *,
        project: str = "",
        sort: QueueSort | None = None,
        after: str | None = None,
        is_review: bool = False,
    ) -> str | None:
        """Return the id of the next session of a queue with something left to do. None if there are no more.

        Args:
            after: The search starts after this session and continues at the top. None starts at the top.

        Raises:
            BadInput: See `queue`.
            StoreError: The project does not exist, or the queue could not be read.
        """
        with self._database.reading() as db:
            return self._queue(db, chosen, project, sort, is_review=is_review).next_open(db, after)

    def neighbour(
        self,
        chosen: QueueFilter,
        session_id: str,
        *,
        project: str = "",
        sort: QueueSort | None = None,
        is_before: bool = False,
        is_review: bool = False,
    ) -> str | None:
        """Return the id of the session after, or before, another one in a queue. None at its end.

        Raises:
            BadInput: See `queue`.
            StoreError: The project does not exist, or the queue could not be read.
        """
        with self._database.reading() as db:
            queue = self._queue(db, chosen, project, sort, is_review=is_review)
            return queue.neighbour(db, session_id, is_before=is_before)

    def progress(self, *, project: str = "") -> ProjectProgress:
        """Return how far a project is. Annotators see only their own progress.

        Raises:
            StoreError: The project does not exist, or could not be read.
        """
        with self._database.reading() as db:
            access = self._access(db, project)
            counts: dict[str, dict[QueueState, int]] = defaultdict(dict)
            if access is not None:
                tasks = (
                    select(col(LabelTaskRow.assignee), col(LabelTaskRow.state), func.count())
                    .join(SessionRow, col(SessionRow.id) == col(LabelTaskRow.session_id))
                    .where(
                        col(LabelTaskRow.project_id) == access.row.id, col(SessionRow.deleted_at).is_(None)
                    )
                    .where(col(SessionRow.leaf_id).is_not(None))
                    .group_by(col(LabelTaskRow.assignee), col(LabelTaskRow.state))
                )
                if not access.decides:
                    tasks = tasks.where(col(LabelTaskRow.assignee) == access.member)
                for assignee, state, number in db.exec(tasks):
                    counts[assignee][QueueState(state)] = number
            if not project:
                queue = Queue(
                    project_id=access.row.id if access else "",
                    allowed=self._is_listed(),
                    visible=col(LabelRow.id).is_not(None),
                    chosen=QueueFilter(state=QueueState.PENDING, assignee=""),
                    sort=QueueSort(),
                    includes_unassigned=True,
                )
                # Sessions without a task are pending, too.
                counts[""][QueueState.PENDING] = queue.count(db)
            reviews = review_counts(db, access.row.id) if access and access.decides else (0, 0, 0)
        return ProjectProgress(
            annotators=tuple(
                AnnotatorProgress(name=name, counts=states) for name, states in sorted(counts.items())
            ),
            compared=reviews[0],
            disputed=reviews[1],
            disagreed=reviews[2],
        )

    def compare(self, session_id: str, *, project: str) -> RowComparison:
        """Compare the labels of a session's annotators. For the owner of the project and its reviewers.

        Raises:
            BadInput: An annotator asks.
            StoreError: The project or session does not exist, or could not be read.
        """
        with self._database.reading() as db:
            access = self._access(db, project)
            if access is None:
                return compare_labels((), ())
            access.require_decider("compare labels")
            session = self._reached_session(db, access, session_id)
            of_session = select(LabelRow).where(
                col(LabelRow.project_id) == access.row.id,
                col(LabelRow.session_id) == session.id,
                self._is_visible_label(access),
            )
            labels = [label_value(row, access.row.name) for row in db.exec(of_session)]
            return compare_labels(labels, list_submitters(db, access.row.id, session.id))

    def judgements(self, *, project: str = "") -> Sequence[AnnotatorVerdict]:
        """Return the verdicts and answers of all annotators, without the deciding ones.

        An item is a message, a call or a preference pair. Of the answers, those to questions with choices are
        returned.

        Raises:
            BadInput: An annotator of somebody else's project asks.
            StoreError: The project does not exist, or could not be read.
        """
        with self._database.reading() as db:
            access = self._access(db, project)
            if access is None:
                return ()
            access.require_decider("see the agreement")
            questions = [
                question.name for question in project_value(access.row).questions if question.choices
            ]
            rows = db.exec(
                select(LabelRow)
                .join(SessionRow, col(SessionRow.id) == col(LabelRow.session_id))
                .where(
                    col(LabelRow.project_id) == access.row.id,
                    col(LabelRow.slot) != slot_of("", is_deciding=True),
                    col(SessionRow.deleted_at).is_(None),
                )
                .order_by(col(LabelRow.created_at), col(LabelRow.id))
            )
            return tuple(judgement for row in rows for judgement in _judgements(row, questions))

    def _queue(
        self, db: Session, chosen: QueueFilter, project: str, sort: QueueSort | None, *, is_review: bool
    ) -> Queue:
        access = self._access(db, project)
        sort = sort or QueueSort()
        if sort.order is None and access is not None and access.row.gold:
            # In the order of the file, gold rows would be next to each other.
            sort = QueueSort(order=QueueOrder.RANDOM, seed=crc32(access.row.id.encode()))
        if access is not None and not access.decides:
            if is_review or chosen.is_disputed is not None or sort.order is QueueOrder.AGREEMENT:
                access.require_decider("see where annotators disagree")
            # Neither the items nor the filters reveal what others have done.
            chosen = replace(chosen, assignee=access.member)
        visible: ColumnElement[bool] = true() if access is None else self._is_visible_label(access)
        return Queue(
            project_id=access.row.id if access else "",
            allowed=self._is_labelled_in(access),
            visible=visible,
            chosen=chosen,
            sort=sort,
            includes_unassigned=not project,
            is_review=is_review,
        )


def _judgements(row: LabelRow, questions: Sequence[str]) -> Iterator[AnnotatorVerdict]:
    target = target_of(row)
    is_model = row.slot.startswith(MODEL_SLOT)
    name = annotator_name(row.labeller, is_model=True) if is_model else row.labeller
    about = partial(
        AnnotatorVerdict, item=str(target), row=target.session_id, annotator=name, is_model=is_model
    )
    if row.verdict is not None:
        yield about(kind=_kind_of(target, row.verdict), verdict=row.verdict)
    for question in questions:
        answer = row.answers.get(question)
        if answer:
            yield about(kind=ItemKind.QUESTION, verdict=answer, question=question)


def _kind_of(target: LabelTarget, verdict: str) -> ItemKind:
    if target.call_index is not None:
        return ItemKind.CALL
    return ItemKind.PAIR if verdict in PAIR_VERDICTS else ItemKind.MESSAGE
