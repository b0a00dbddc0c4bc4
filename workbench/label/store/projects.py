"""Create and share labelling projects, assign sessions to annotators, and measure the progress."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy import insert
from sqlmodel import Session, col, delete, func, select
from sqlmodel.sql.expression import SelectOfScalar

from workbench.errors import BadInput
from workbench.label.records.project import (
    REFERENCE_SEPARATOR,
    AnnotatorProgress,
    Assignment,
    Project,
    ProjectProgress,
    QueueFilter,
    QueueOrder,
    QueueSort,
    plan_assignments,
)
from workbench.label.records.review import compare_labels
from workbench.label.records.rules import check_project
from workbench.label.store.access import LabelScope, ProjectAccess, no_project
from workbench.label.store.project_rows import project_value, put_project
from workbench.label.store.queue import Queue
from workbench.names import known_name
from workbench.records.label_words import ProjectRole, QueueState
from workbench.records.owner import account_key, account_name
from workbench.store.corpus.label_rows import label_value
from workbench.store.database import insert_if_absent
from workbench.store.rows import new_id
from workbench.store.storable import problem_of
from workbench.store.tables import (
    LabelMemberRow,
    LabelProjectRow,
    LabelReviewRow,
    LabelRow,
    LabelTaskRow,
    SessionRow,
)

LISTED_ASSIGNMENTS: Final = 20
"""The maximum number of assignments of one call that get an entry of their own in the audit log."""
_BATCH: Final = 5_000
"""The number of tasks that are written at a time."""


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
                self._update_reviews(db, row)
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

    def assign(
        self, session_ids: Sequence[str], labellers: Sequence[str], *, project: str, who: str = ""
    ) -> Sequence[Assignment]:
        """Assign sessions, each to as many labellers as the project's overlap. Earlier assignments count.

        Args:
            labellers: Names. Empty takes the annotators of the project.
            who: Name of the person who assigns. Empty stands for the owner.

        Returns:
            The new assignments.

        Raises:
            BadInput: There are fewer labellers than the overlap requires, or the project belongs to somebody else.
            StoreError: The project or a session does not exist.
        """
        self._accept([*labellers, who], "labeller")
        with self._database.writing() as db:
            row = self._assignable(db, project)
            for session_id in session_ids:
                self._own_session(db, session_id)
            return self._assign(db, row, session_ids, labellers, who)

    def assign_matching(
        self,
        chosen: QueueFilter,
        labellers: Sequence[str],
        *,
        project: str,
        sort: QueueSort | None = None,
        limit: int | None = None,
        who: str = "",
    ) -> Sequence[Assignment]:
        """Assign all of the owner's sessions that match a filter, like `assign`. Rollouts of suites are left out.

        Args:
            chosen: The filter, as for the queue of all sessions, whose states and labels count.
            sort: The order in which sessions are taken. None takes the oldest first.
            limit: Maximum number of sessions that are new in the project. None takes all.

        Raises:
            BadInput: There are fewer labellers than the overlap requires, or the project belongs to somebody else.
            StoreError: The project does not exist.
        """
        self._accept([*labellers, who], "labeller")
        with self._database.writing() as db:
            row = self._assignable(db, project)
            is_new = ~(
                select(LabelTaskRow.state)
                .where(
                    col(LabelTaskRow.project_id) == row.id, col(LabelTaskRow.session_id) == col(SessionRow.id)
                )
                .correlate(SessionRow)
                .exists()
            )
            queue = Queue(
                # Sessions are chosen as in the default project, of which every session is an item.
                project_id=self._default_id(db),
                allowed=self._is_listed() if limit is None else self._is_listed() & is_new,
                visible=col(LabelRow.project_id).is_not(None),
                chosen=chosen,
                sort=sort if sort and sort.order else QueueSort(order=QueueOrder.OLDEST),
                includes_unassigned=True,
            )
            session_ids = tuple(dict.fromkeys(queue.session_ids(db, limit=limit)))
            return self._assign(db, row, session_ids, labellers, who)

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
            reviews = self._review_counts(db, access.row.id) if access and access.decides else (0, 0, 0)
        return ProjectProgress(
            annotators=tuple(
                AnnotatorProgress(name=name, counts=states) for name, states in sorted(counts.items())
            ),
            compared=reviews[0],
            disputed=reviews[1],
            disagreed=reviews[2],
        )

    def _review_counts(self, db: Session, project_id: str) -> tuple[int, int, int]:
        """Return the numbers of compared sessions, of those with something to decide, and of those with disputes."""
        query = select(
            func.count(),
            func.count().filter(col(LabelReviewRow.undecided_count) > 0),
            func.count().filter(col(LabelReviewRow.disputed_count) > 0),
        )
        return db.exec(query.where(col(LabelReviewRow.project_id) == project_id)).one()

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

    def _assignable(self, db: Session, reference: str) -> LabelProjectRow:
        access = self._written(db, reference)
        if access.is_member:
            raise BadInput(
                f"labelling project {reference!r}",
                "only its owner can change assignments",
                "ask the owner",
            )
        return access.row

    def _assign(
        self,
        db: Session,
        row: LabelProjectRow,
        session_ids: Sequence[str],
        labellers: Sequence[str],
        who: str,
    ) -> Sequence[Assignment]:
        if not labellers:
            members = select(LabelMemberRow.name).where(
                col(LabelMemberRow.project_id) == row.id,
                col(LabelMemberRow.role) == ProjectRole.ANNOTATOR.value,
            )
            labellers = db.exec(members.order_by(col(LabelMemberRow.name))).all()
        tasks = select(LabelTaskRow.session_id, LabelTaskRow.assignee)
        tasks = tasks.where(col(LabelTaskRow.project_id) == row.id)
        planned = plan_assignments(
            session_ids,
            labellers,
            overlap=row.overlap,
            existing=(Assignment(*task) for task in db.exec(tasks)),
        )
        now = self._now()
        values = [
            {
                "project_id": row.id, "session_id": assignment.session_id, "assignee": assignment.labeller,
                "state": QueueState.PENDING.value, "revision": 1, "updated_at": now,
            }
            for assignment in planned
        ]  # fmt: skip
        for start in range(0, len(values), _BATCH):
            db.connection().execute(insert(LabelTaskRow), values[start : start + _BATCH])
        auditor = self._auditor(ProjectAccess(row, ProjectRole.OWNER))
        for assignment in planned[:LISTED_ASSIGNMENTS]:
            subject = f"session:{assignment.session_id}"
            auditor.note(db, "task.assign", subject, who=who, project=row.name, to=assignment.labeller)
        if len(planned) > LISTED_ASSIGNMENTS:
            subject = f"project:{row.name}"
            auditor.note(db, "task.assign", subject, who=who, count=len(planned), to=list(labellers))
        return planned

    def _default_id(self, db: Session) -> str:
        row = self._find_project(db, "")
        return row.id if row else ""

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

    def _update_reviews(self, db: Session, project: LabelProjectRow) -> None:
        """Compare the labels of every session of the project that has labels."""
        labelled = select(LabelRow.session_id).where(col(LabelRow.project_id) == project.id).distinct()
        for session_id in db.exec(labelled).all():
            self._update_review(db, project, session_id)

    def _update_review(self, db: Session, project: LabelProjectRow, session_id: str) -> None:
        """Compare the labels of a session after one of them, or the state of a task, has changed."""
        submitted = self._submitted(db, project.id, session_id)
        stored = db.get(LabelReviewRow, (project.id, session_id))
        if len(submitted) < 2:
            if stored is not None:
                db.delete(stored)
                db.flush()
            return
        of_session = select(LabelRow).where(
            col(LabelRow.project_id) == project.id, col(LabelRow.session_id) == session_id
        )
        comparison = compare_labels(
            (label_value(row, project.name) for row in db.exec(of_session)), submitted
        )
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

    def _review_state(self, db: Session, project: LabelProjectRow, session_id: str) -> QueueState:
        review = db.get(LabelReviewRow, (project.id, session_id))
        return QueueState.PENDING if review and review.undecided_count else QueueState.DONE
