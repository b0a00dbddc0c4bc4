"""A session as one annotator of a project sees it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from workbench.label.records.review import Dispute
from workbench.records.corpus.material import DamagedSession, SessionMaterial
from workbench.records.label import Label
from workbench.records.label_words import QueueState
from workbench.records.sessions import StoredMessage, StoredSession


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSession:
    """A session as one annotator of a project sees it."""

    session: StoredSession
    path: Sequence[StoredMessage]
    """From the root to the open leaf."""
    labels: Sequence[Label]
    """The labels that the annotator may see, in the order in which they were created."""
    stale: Collection[str]
    """Ids of the messages that are stale by the annotator's own corrections, and the deciding ones."""
    material: SessionMaterial | DamagedSession
    """For a preview of the training row, with the same labels."""
    other_answer: Sequence[StoredMessage]
    """The rejected answer of an imported preference row. Empty for all others."""
    state: QueueState
    """State of the annotator's own task."""
    is_blind: bool
    """Whether labels of others are left out."""
    disputes: tuple[Dispute, ...] = ()
    """For somebody who decides: the messages and calls that annotators disagree about."""
