"""Write the task of an annotator: the state of a session in a project."""

from datetime import datetime

from sqlmodel import Session

from workbench.records.label_words import QueueState
from workbench.store.tables import LabelTaskRow


def put_task(
    db: Session, project_id: str, session_id: str, assignee: str, state: QueueState, now: datetime
) -> QueueState | None:
    """Set the state of a task, which is created if it is missing.

    Returns:
        The previous state, or None if an existing task has this state already.
    """
    task = db.get(LabelTaskRow, (project_id, session_id, assignee))
    before = QueueState(task.state) if task else QueueState.PENDING
    if task is None:
        task = LabelTaskRow(
            project_id=project_id,
            session_id=session_id,
            assignee=assignee,
            state=state.value,
            revision=1,
            updated_at=now,
        )
    elif before is state:
        return None
    else:
        task.state, task.revision, task.updated_at = state.value, task.revision + 1, now
    db.add(task)
    db.flush()
    return before
