"""Create, share, delete and restore labelling projects."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlmodel import Session, col, delete, select
from sqlmodel.sql.expression import SelectOfScalar

from workbench.errors import BadInput, StoreError
from workbench.label.records.project import (
    REFERENCE_SEPARATOR,
    DeletedProject,
    Project,
)
from workbench.label.records.rules import check_project
from workbench.label.store.access import LabelScope, ProjectAccess
from workbench.label.store.project_rows import project_value, put_project
from workbench.label.store.review_rows import update_reviews
from workbench.names import known_name
from workbench.records.label_words import ProjectRole
from workbench.records.owner import account_key, account_name
from workbench.store.database import Database
from workbench.store.deleting import restorable_since
from workbench.store.sessions.search_index import index_session_names
from workbench.store.storable import problem_of
from workbench.store.tables import (
    LabelMemberRow,
    LabelProjectRow,
    LabelRow,
    LabelTagRow,
    LabelTaskRow,
)
from workbench.store.tables.labels import LabelActionRow


class LabelProjectStore(LabelScope):
    """One owner's labelling projects, and those they are a member of. Each method is one transaction. Thread-safe."""

    def save_project(self, project: Project, *, who: str = "") -> Project:
        """Create or change one of the owner's projects, with its members.

        Args:
            who: Name of the person who saves it. Empty stands for the owner.

        Raises:
            BadInput: The project is invalid, belongs to somebody else, or contains text that cannot be stored.
        """
        check_project(project)
        self._accept(project, "project")
        self._accept(who, "who")
        self._limits.check_stored("members", len(project.members) - 1, self._limits.runs)
        where = f"labelling project {project.reference!r}"
        if project.owner:
            raise BadInput(where, "only its owner can change it", f"ask {project.owner!r}")
        if self._account in [member.name for member in project.members]:
            raise BadInput(
                where, f"{self._account!r} is its owner", "leave out the owner; the owner may do everything"
            )
        with self._database.writing() as db:
            project = replace(project, name=self._stored_name(db, project.name))
            if self._find_project(db, project.name) is None:
                self._require_room(db, "label projects", self._own_projects(), self._limits.runs)
            row = self._ensure_project(db, project.name)
            access = ProjectAccess(row, ProjectRole.OWNER)
            [before] = self._project_values(db, [access])
            known = {member.name for member in before.members}
            for member in project.members:
                known_name(member.name, known, "member")
            if before != project:
                put_project(row, project)
                db.exec(delete(LabelMemberRow).where(col(LabelMemberRow.project_id) == row.id))
                db.add_all(
                    LabelMemberRow(project_id=row.id, name=member.name, role=member.role.value)
                    for member in project.members
                )
                db.flush()
                self._auditor(access).note(
                    db, "project.save", f"project:{project.name}", who=who, overlap=project.overlap,
                    members={member.name: member.role.value for member in project.members},
                )  # fmt: skip
                update_reviews(db, row)
            return project

    def find_project(self, name: str) -> Project | None:
        """Return the project with this reference, or None. The default project, named "", always exists."""
        with self._database.reading() as db:
            access = self._find_access(db, name)
            if access is None:
                return None if name else Project(name="")
            return self._project_values(db, [access])[0]

    def list_projects(self) -> Sequence[Project]:
        """Return all projects, sorted by name: the default project, the owner's own, and those they are a member of."""
        is_shown = col(LabelProjectRow.deleted_at).is_(None)
        with self._database.reading() as db:
            rows = db.exec(self._own_projects().order_by(col(LabelProjectRow.name)))
            accesses = [ProjectAccess(row, ProjectRole.OWNER) for row in rows]
            if self._account is not None and not problem_of(self._account):
                shared = (
                    select(LabelProjectRow, LabelMemberRow)
                    .join(LabelMemberRow, col(LabelMemberRow.project_id) == col(LabelProjectRow.id))
                    .where(col(LabelMemberRow.name) == self._account, is_shown)
                    .where(col(LabelProjectRow.owner).startswith(account_key(""), autoescape=True))
                    .order_by(col(LabelProjectRow.owner), col(LabelProjectRow.name))
                )
                accesses += [
                    ProjectAccess(row, ProjectRole(member.role), member.name)
                    for row, member in db.exec(shared)
                    if row.owner != self._scope
                ]
            projects = self._project_values(db, accesses)
        has_default = bool(projects) and not projects[0].name
        return projects if has_default else (Project(name=""), *projects)

    def _project_values(self, db: Session, accesses: Sequence[ProjectAccess]) -> tuple[Project, ...]:
        ids = [access.row.id for access in accesses]
        members: dict[str, list[LabelMemberRow]] = defaultdict(list)
        for member in db.exec(select(LabelMemberRow).where(col(LabelMemberRow.project_id).in_(ids))):
            members[member.project_id].append(member)
        return tuple(
            project_value(
                access.row,
                [
                    member
                    for member in members[access.row.id]
                    if access.decides or member.name == access.member
                ],
                owner=account_name(access.row.owner) or "" if access.is_member else "",
                role=access.role,
            )
            for access in accesses
        )

    def _own_projects(self) -> SelectOfScalar[LabelProjectRow]:
        is_shown = col(LabelProjectRow.deleted_at).is_(None)
        return select(LabelProjectRow).where(col(LabelProjectRow.owner) == self._scope, is_shown)

    def _stored_name(self, db: Session, name: str) -> str:
        """Return the name under which one of the owner's projects is stored.

        Raises:
            BadInput: The name is new and not valid, or differs from that of another project only in case.
        """
        known = {*db.exec(select(LabelProjectRow.name).where(col(LabelProjectRow.owner) == self._scope))}
        found = known_name(name, known, "labelling project")
        if found not in known and REFERENCE_SEPARATOR in found:
            problem = f"its name contains {REFERENCE_SEPARATOR!r}"
            raise BadInput(f"labelling project {found!r}", problem, "use another name")
        return found

    def delete_project(self, name: str, *, who: str = "") -> None:
        """Hide one of the owner's projects. It can be restored for 30 days and is then purged, with its labels.

        Args:
            who: Name of the person who deletes it. Empty stands for the owner.

        Raises:
            BadInput: It is the default project, or belongs to somebody else.
            StoreError: There is no such project.
        """
        self._accept(who, "who")
        with self._database.writing() as db:
            access = self._written(db, name) if name else None
            if access is None:
                raise BadInput(
                    "labels", "the project of all sessions cannot be deleted", "name another project"
                )
            if access.is_member:
                raise BadInput(f"labelling project {name!r}", "only its owner can delete it", "ask the owner")
            access.row.deleted_at = self._now()
            self._note_deletion(db, access, "project.delete", who)

    def restore_project(self, name: str, *, who: str = "") -> None:
        """Restore one of the owner's deleted projects with its assignments and labels.

        Raises:
            StoreError: There is no such deleted project.
        """
        self._accept(who, "who")
        with self._database.writing() as db:
            query = select(LabelProjectRow).where(
                col(LabelProjectRow.owner) == self._scope,
                col(LabelProjectRow.name) == name,
                col(LabelProjectRow.deleted_at) > restorable_since(self._now()),
            )
            row = None if problem_of(name) else db.exec(query.with_for_update()).first()
            if row is None:
                raise StoreError(
                    f"there is no deleted labelling project {name!r}; "
                    "`workbench labels projects --deleted` lists them"
                )
            row.deleted_at = None
            self._note_deletion(db, ProjectAccess(row, ProjectRole.OWNER), "project.restore", who)

    def deleted_projects(self) -> Sequence[DeletedProject]:
        """Return the owner's projects that can be restored. The last deleted comes first."""
        deleted_at = col(LabelProjectRow.deleted_at)
        query = select(LabelProjectRow).where(
            col(LabelProjectRow.owner) == self._scope, deleted_at > restorable_since(self._now())
        )
        with self._database.reading() as db:
            return tuple(
                DeletedProject(name=row.name, deleted_at=row.deleted_at)
                for row in db.exec(query.order_by(deleted_at.desc(), col(LabelProjectRow.name)))
                if row.deleted_at is not None
            )

    def _note_deletion(self, db: Session, access: ProjectAccess, action: str, who: str) -> None:
        db.add(access.row)
        db.flush()
        self._auditor(access).note(db, action, f"project:{access.row.name}", who=who)
        # Sessions are found by the tags of their labels.
        tagged = (
            select(LabelRow.session_id)
            .join(LabelTagRow, col(LabelTagRow.label_id) == col(LabelRow.id))
            .where(col(LabelRow.project_id) == access.row.id)
        )
        for session_id in db.exec(tagged.distinct()).all():
            index_session_names(db, session_id)


def purge_projects(database: Database, now: datetime) -> None:
    """Delete the projects that can no longer be restored, with their assignments and labels.

    Args:
        now: The current time, with a time zone.

    Raises:
        StoreError: The projects could not be read or deleted.
    """
    expired = select(LabelProjectRow.id).where(col(LabelProjectRow.deleted_at) <= restorable_since(now))
    # Most of the time there are none. Reading first saves the lock for writing.
    with database.reading() as db:
        if db.exec(expired.limit(1)).first() is None:
            return
    with database.writing() as db:
        ids = db.exec(expired).all()
        for table in (LabelActionRow, LabelTaskRow, LabelRow):
            db.exec(delete(table).where(col(table.project_id).in_(ids)))
        db.exec(delete(LabelProjectRow).where(col(LabelProjectRow.id).in_(ids)))
