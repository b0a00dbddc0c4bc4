"""The words that labelling stores: states of a session, roles in a project, and kinds of actions."""

from enum import StrEnum
from typing import Final


class QueueState(StrEnum):
    """State of a session in the labelling queue."""

    PENDING = "pending"
    """Not started."""
    DRAFT = "draft"
    DONE = "done"
    DISCARDED = "discarded"


CLOSED_STATES: Final = (QueueState.DONE, QueueState.DISCARDED)
"""States of sessions that an annotator has submitted or rejected."""


class ProjectRole(StrEnum):
    """What a person may do in a labelling project."""

    OWNER = "owner"
    """Change the project, assign rows, and do everything that reviewers may do."""
    REVIEWER = "reviewer"
    """See all labels, the agreement and the progress, and decide if annotators disagree."""
    ANNOTATOR = "annotator"
    """Label the assigned rows, and see the labels of others on a row after submitting it."""


class ActionKind(StrEnum):
    """What an action does."""

    LABEL = "label"
    """Change fields of labels, or accept stale messages."""
    SUBMIT = "submit"
    """Mark the session as done."""
    REJECT = "reject"
    """Reject the session for labelling."""
    UNDO = "undo"
    """Undo an earlier action."""
