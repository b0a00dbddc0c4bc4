"""Compare the labels of a session's annotators, and store how far they agree."""

from collections.abc import Sequence

from sqlmodel import Session, col, func, select

from workbench.label.records.review import compare_labels
from workbench.records.label_words import QueueState
from workbench.store.corpus.label_rows import label_value
from workbench.store.tables import LabelProjectRow, LabelReviewRow, LabelRow, LabelTaskRow


def list_submitters(db: Session, project_id: str, session_id: str) -> Sequence[str]:
    """Return the annotators who are done with a session. Those who rejected it have no labels to compare."""
    done = select(LabelTaskRow.assignee).where(
        col(LabelTaskRow.project_id) == project_id,
        col(LabelTaskRow.session_id) == session_id,
        col(LabelTaskRow.state) == QueueState.DONE.value,
    )
    return db.exec(done).all()


def update_reviews(db: Session, project: LabelProjectRow) -> None:
    """Compare the labels of every session of the project that has labels."""
    labelled = select(LabelRow.session_id).where(col(LabelRow.project_id) == project.id).distinct()
    for session_id in db.exec(labelled).all():
        update_review(db, project, session_id)


def update_review(db: Session, project: LabelProjectRow, session_id: str) -> None:
    """Compare the labels of a session after one of them, or the state of a task, has changed."""
    annotators = list_submitters(db, project.id, session_id)
    stored = db.get(LabelReviewRow, (project.id, session_id))
    if len(annotators) < 2:
        if stored is not None:
            db.delete(stored)
            db.flush()
        return
    of_session = select(LabelRow).where(
        col(LabelRow.project_id) == project.id, col(LabelRow.session_id) == session_id
    )
    comparison = compare_labels((label_value(row, project.name) for row in db.exec(of_session)), annotators)
    disputed = len(comparison.disputes)
    row = stored or LabelReviewRow(
        project_id=project.id, session_id=session_id, annotator_count=0, target_count=0,
        disputed_count=0, undecided_count=0, disagreement=0.0,
    )  # fmt: skip
    row.annotator_count, row.target_count = comparison.annotators, comparison.targets
    row.disputed_count, row.undecided_count = disputed, comparison.undecided
    row.disagreement = disputed / comparison.targets if comparison.targets else 0.0
    db.add(row)
    db.flush()


def review_state(db: Session, project: LabelProjectRow, session_id: str) -> QueueState:
    review = db.get(LabelReviewRow, (project.id, session_id))
    return QueueState.PENDING if review and review.undecided_count else QueueState.DONE


def review_counts(db: Session, project_id: str) -> tuple[int, int, int]:
    """Return the numbers of compared sessions, of those with something to decide, and of those with disputes."""
    query = select(
        func.count(),
        func.count().filter(col(LabelReviewRow.undecided_count) > 0),
        func.count().filter(col(LabelReviewRow.disputed_count) > 0),
    )
    return db.exec(query.where(col(LabelReviewRow.project_id) == project_id)).one()
