"""Who may do what in a labelling project: its owner, reviewers and annotators.

Idea: a project belongs to one owner, and so do all sessions that are labelled in it. Members reach the project by
its reference `OWNER/NAME`, and its sessions only through it. For everything else (Play, search, export) the
sessions do not exist for them.

Invariants:

- A member is found by the name of their account, which the login determines. Nobody else can be a member: owners
  without an account (visitors, the local user) have no name here.
- An annotator reaches the sessions that are assigned to them, a reviewer those that are assigned to anybody.
- An annotator cannot read labels of others on a session before submitting it. This also applies to owners and
  reviewers who label a session themselves.
- The deciding labels of gold rows are never shown to annotators, so that they cannot find out which rows are gold.
- A project or session that somebody may not see gives the same error as one that does not exist.

Example: Ann's project `round-1` has the annotators Ben and Cleo. Ben opens `ann/round-1`. He sees the rows that
are assigned to him, and Cleo's labels on a row once he has submitted his own.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, or_, true
from sqlmodel import Session, col, select

from workbench.errors import BadInput, NoSession, StoreError
from workbench.label.records.project import REFERENCE_SEPARATOR
from workbench.records.label_words import CLOSED_STATES, ProjectRole, QueueState
from workbench.records.owner import Owner, account_key, account_name
from workbench.store.audit import AuditWriter
from workbench.store.corpus.label_rows import slot_of
from workbench.store.database import insert_if_absent
from workbench.store.owner_scope import SHARED, OwnerScope, OwnerView
from workbench.store.rows import new_id
from workbench.store.storable import problem_of
from workbench.store.tables import (
    LabelMemberRow,
    LabelProjectRow,
    LabelRow,
    LabelTaskRow,
    SessionRow,
)

OPEN_STATES = tuple(state for state in QueueState if state not in CLOSED_STATES)


@dataclass(frozen=True, slots=True)
class ProjectAccess:
    """A project, and what this owner may do in it."""

    row: LabelProjectRow
    role: ProjectRole
    member: str = ""
    """Name of the member. Empty for the owner."""

    @property
    def is_member(self) -> bool:
        """Whether the project belongs to somebody else."""
        return self.role is not ProjectRole.OWNER

    @property
    def decides(self) -> bool:
        """Whether this owner may see all labels and decide disagreements."""
        return self.role is not ProjectRole.ANNOTATOR

    def require_decider(self, what: str) -> None:
        """Raise BadInput unless the owner of the project or a reviewer asks."""
        if not self.decides:
            raise BadInput(
                f"labelling project {self.row.name!r}",
                f"annotators may not {what}",
                "ask the owner of the project to make you a reviewer",
            )

    def require_name(self, annotator: str) -> None:
        """Raise BadInput if a member acts in the name of somebody else."""
        if self.is_member and annotator != self.member:
            raise BadInput(
                f"labelling project {self.row.name!r}",
                f"{self.member!r} cannot label as {annotator!r}",
                f"label as {self.member!r}",
            )


class LabelScope(OwnerScope):
    """Finds an owner's labelling projects and the sessions that they may label in them."""

    def __init__(self, view: OwnerView) -> None:
        super().__init__(view)
        self._account = account_name(view.owner.key)

    def _is_listed(self) -> ColumnElement[bool]:
        """Return a condition that is true for the sessions that the owner may label in their own projects."""
        return and_(self._is_own(), col(SessionRow.deleted_at).is_(None))

    def _is_labelled_in(self, access: ProjectAccess | None) -> ColumnElement[bool]:
        """Return a condition that is true for the sessions of a project that the owner may see. None: their own."""
        if access is None or not access.is_member:
            return self._is_listed()
        of_owner = col(SessionRow.owner)
        is_of_owner = of_owner.is_(None) if access.row.owner == SHARED else of_owner == access.row.owner
        task = (
            select(LabelTaskRow.state)
            .where(
                col(LabelTaskRow.session_id) == col(SessionRow.id),
                col(LabelTaskRow.project_id) == access.row.id,
                true() if access.decides else col(LabelTaskRow.assignee) == access.member,
            )
            .correlate(SessionRow)
            .exists()
        )
        return and_(is_of_owner, col(SessionRow.deleted_at).is_(None), task)

    def _is_visible_label(self, access: ProjectAccess) -> ColumnElement[bool]:
        """Return a condition that is true for the labels that this owner may see in the project."""
        if not access.is_member:
            return true()
        own = col(LabelRow.slot) == slot_of(access.member, is_deciding=False)
        if access.decides:
            return or_(own, ~_has_task(access, OPEN_STATES))
        is_known = and_(
            col(LabelRow.slot) == slot_of("", is_deciding=True),
            col(LabelRow.session_id).in_(access.row.gold or ()),
        )
        return or_(own, and_(_has_task(access, CLOSED_STATES), ~is_known))

    def _find_project(self, db: Session, name: str, *, is_writing: bool = False) -> LabelProjectRow | None:
        """Return the row of one of the owner's own projects."""
        return _project_row(db, self._scope, name, is_writing=is_writing)

    def _find_access(self, db: Session, reference: str, *, is_writing: bool = False) -> ProjectAccess | None:
        """Return the project with this reference and the owner's role in it, or None."""
        own = self._find_project(db, reference, is_writing=is_writing)
        if own is not None:
            return ProjectAccess(own, ProjectRole.OWNER)
        owner, separator, name = reference.partition(REFERENCE_SEPARATOR)
        if self._account is None or not separator or not name or problem_of(self._account):
            return None
        row = _project_row(db, account_key(owner), name, is_writing=is_writing)
        member = None if row is None else db.get(LabelMemberRow, (row.id, self._account))
        if row is None or member is None:
            return None
        return ProjectAccess(row, ProjectRole(member.role), member.name)

    def _access(self, db: Session, reference: str) -> ProjectAccess | None:
        """Return a project for reading. None for the default project if it has never been written to.

        Raises:
            StoreError: There is no such project, or the owner is not one of its members.
        """
        access = self._find_access(db, reference)
        if access is None and reference:
            raise no_project(reference)
        return access

    def _reached_session(
        self, db: Session, access: ProjectAccess | None, session_id: str, *, is_writing: bool = False
    ) -> SessionRow:
        """Return a session that may be labelled in the project.

        Args:
            access: None reads one of the owner's sessions, or one that they may read.
            is_writing: True locks the session until the transaction ends.

        Raises:
            StoreError: There is no such session, or the owner may not label it in this project.
        """
        if access is None or not access.is_member:
            return (self._own_session if is_writing else self._readable_session)(db, session_id)
        if problem_of(session_id):
            raise NoSession(session_id)
        query = select(SessionRow).where(col(SessionRow.id) == session_id, self._is_labelled_in(access))
        row = db.exec(query.with_for_update(of=SessionRow) if is_writing else query).first()
        if row is None:
            raise StoreError("there is no such session in this project; choose one of the queue")
        return row

    def _auditor(self, access: ProjectAccess) -> AuditWriter:
        """Return a writer to the log of the project's owner."""
        key = None if access.row.owner == SHARED else access.row.owner
        return AuditWriter(self._owner if not access.is_member else Owner(key=key), self._view.now)

    def _written(self, db: Session, reference: str) -> ProjectAccess:
        """Return a project for writing. The row of the default project is created if it is missing.

        Raises:
            StoreError: There is no such project, or the owner is not one of its members.
        """
        if not reference:
            return ProjectAccess(self._ensure_project(db, ""), ProjectRole.OWNER)
        access = self._find_access(db, reference, is_writing=True)
        if access is None:
            raise no_project(reference)
        return access

    def _default_id(self, db: Session) -> str:
        row = self._find_project(db, "")
        return row.id if row else ""

    def _assignable(self, db: Session, reference: str) -> LabelProjectRow:
        access = self._written(db, reference)
        if access.is_member:
            raise BadInput(
                f"labelling project {reference!r}",
                "only its owner can change assignments",
                "ask the owner",
            )
        return access.row

    def _ensure_project(self, db: Session, name: str) -> LabelProjectRow:
        values = {
            "id": new_id(),
            "owner": self._scope,
            "name": name,
            "created_at": self._now(),
        }
        insert_if_absent(
            db, LabelProjectRow, **values, guidelines="", questions=[], overlap=1, requires_verdicts=False
        )
        row = self._find_project(db, name, is_writing=True)
        if row is None:
            raise BadInput(
                f"labelling project {name!r}",
                "a deleted project has this name",
                "restore it with `workbench labels restore-project`, or use another name",
            )
        return row


def no_project(name: str) -> StoreError:
    """Return the error for a project that does not exist or that the owner may not see."""
    return StoreError(f"there is no labelling project {name!r}; `workbench labels project` creates one")


def _project_row(db: Session, scope: str, name: str, *, is_writing: bool) -> LabelProjectRow | None:
    if problem_of(name) or problem_of(scope):
        return None
    query = select(LabelProjectRow).where(
        col(LabelProjectRow.owner) == scope,
        col(LabelProjectRow.name) == name,
        col(LabelProjectRow.deleted_at).is_(None),
    )
    return db.exec(query.with_for_update() if is_writing else query).first()


def _has_task(access: ProjectAccess, states: tuple[QueueState, ...]) -> Any:
    """Return a condition that is true if the member's task for the session of the label is in one of the states."""
    return (
        select(LabelTaskRow.state)
        .where(
            col(LabelTaskRow.project_id) == col(LabelRow.project_id),
            col(LabelTaskRow.session_id) == col(LabelRow.session_id),
            col(LabelTaskRow.assignee) == access.member,
            col(LabelTaskRow.state).in_([state.value for state in states]),
        )
        .correlate(LabelRow)
        .exists()
    )
