"""Open a session for labelling, as one annotator may see it."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import Session, col, select

from workbench.errors import StoreError
from workbench.label.records.labelled import LabelledSession
from workbench.label.records.review import Dispute, compare_labels, visible_labels
from workbench.label.store.access import LabelScope, ProjectAccess
from workbench.label.store.review_rows import list_submitters
from workbench.records.corpus.material import DamagedSession, SessionMaterial
from workbench.records.label import Label
from workbench.records.label_words import CLOSED_STATES, QueueState
from workbench.records.sessions import StoredMessage, without_ephemeral
from workbench.records.staleness import find_stale
from workbench.store.corpus.label_rows import label_value, read_steps, slot_of
from workbench.store.corpus.materials import read_materials
from workbench.store.paths import read_path
from workbench.store.tables import LabelRow, LabelTaskRow, SessionRow

MOST_LABELS: Final = 10_000
"""How many labels of a session are read. Further labels are ignored."""


class LabellingStore(LabelScope):
    """Opens sessions for labelling: the owner's own, and those of projects that they are a member of."""

    def open(
        self, session_id: str, *, project: str = "", annotator: str = "", is_deciding: bool = False
    ) -> LabelledSession | None:
        """Return what an annotator sees of a session. None if there is no such session, or they may not see it.

        Everything is restricted to the project: its labels, and the corrections that make messages stale. Labels of
        others are only contained once the annotator has submitted the session, or if the annotator decides.
        Somebody else's session has no ephemeral text and no deleted messages.

        Args:
            project: Reference of the project. Empty is the queue of all sessions.
            annotator: Name of the annotator. A member can only open sessions under their own name.
            is_deciding: Whether the annotator decides disagreements.

        Raises:
            BadInput: A member names somebody else, or an annotator wants to decide.
            StoreError: The project does not exist, or the session cannot be read.
        """
        with self._database.reading() as db:
            access = self._access(db, project)
            if access is not None:
                access.require_name(annotator)
                if is_deciding:
                    access.require_decider("decide disagreements")
            try:
                row = self._reached_session(db, access, session_id)
            except StoreError:
                return None
            return self._opened(db, access, row, annotator, is_deciding=is_deciding)

    def _opened(
        self, db: Session, access: ProjectAccess | None, row: SessionRow, annotator: str, *, is_deciding: bool
    ) -> LabelledSession:
        session, is_for_others = self._value(db, row), access is not None and access.is_member
        path = read_path(db, row, None, is_for_others=is_for_others)
        if is_for_others:
            session = replace(
                session, is_own=False, share_key=None, setup=replace(session.setup, ephemeral="")
            )
            path = tuple(without_ephemeral(message) for message in path)
        project_id = access.row.id if access else ""
        task = db.get(LabelTaskRow, (project_id, row.id, annotator))
        state = QueueState(task.state) if task else QueueState.PENDING
        has_submitted = state in CLOSED_STATES
        sees_all = is_deciding and (task is None or has_submitted)
        of_project = and_(col(LabelRow.project_id) == project_id, col(LabelRow.session_id) == row.id)
        query = select(LabelRow).where(of_project).order_by(col(LabelRow.created_at), col(LabelRow.id))
        name = access.row.name if access else ""
        labels = [label_value(label, name) for label in db.exec(query.limit(MOST_LABELS))]
        is_test = access is not None and not access.decides and row.id in (access.row.gold or ())
        if is_test:
            labels = [label for label in labels if not label.is_deciding]
        visible = visible_labels(labels, annotator, sees_all=sees_all, has_submitted=has_submitted)
        slots = [slot_of(annotator, is_deciding=False)]
        if (sees_all or has_submitted) and not is_test:
            slots.append(slot_of("", is_deciding=True))
        counts: ColumnElement[bool] = and_(of_project, or_(*(col(LabelRow.slot) == slot for slot in slots)))
        leaf_id, accepted_by = (path[-1].id if path else None), (annotator if name else None)
        stale = find_stale(read_steps(db, row, leaf_id, counts=counts, accepted_by=accepted_by))
        disputes: tuple[Dispute, ...] = ()
        if sees_all and project_id:
            disputes = compare_labels(visible, list_submitters(db, project_id, row.id)).disputes
        material = _material_for(db, row, visible, stale)
        return LabelledSession(
            session=session,
            path=path,
            labels=visible,
            stale=stale,
            material=material,
            other_answer=_other_answer(db, row, material, is_for_others=is_for_others),
            state=state,
            is_blind=not (sees_all or has_submitted),
            disputes=disputes,
        )


def _material_for(
    db: Session, row: SessionRow, labels: Sequence[Label], stale: Collection[str]
) -> SessionMaterial | DamagedSession:
    try:
        return replace(read_materials(db, (row.id,))[row.id], labels=labels, stale=frozenset(stale))
    except (ValueError, TypeError, StoreError) as error:
        return DamagedSession(session_id=row.id, problem=str(error))


def _other_answer(
    db: Session, row: SessionRow, material: SessionMaterial | DamagedSession, *, is_for_others: bool
) -> tuple[StoredMessage, ...]:
    """Return the rejected answer of an imported preference row. Empty if there is none, or if it was deleted."""
    imported = material.imported if isinstance(material, SessionMaterial) else None
    if imported is None or not imported.rejected_ids:
        return ()
    try:
        path = read_path(db, row, imported.rejected_ids[-1], is_for_others=True)
    except StoreError:
        return ()
    answer = path[-len(imported.rejected_ids) :]
    return tuple(without_ephemeral(message) for message in answer) if is_for_others else answer
