"""Convert rows of labelling projects to values and back."""

from collections.abc import Sequence
from dataclasses import asdict

from workbench.label.records.project import Member, Project, Question
from workbench.records.label_words import ProjectRole
from workbench.store.damage import damage_of
from workbench.store.tables import LabelMemberRow, LabelProjectRow


def put_project(row: LabelProjectRow, project: Project) -> None:
    """Write a project's fields into its row."""
    row.guidelines = project.guidelines
    row.questions = [asdict(question) for question in project.questions]
    row.overlap = project.overlap
    row.requires_verdicts = project.requires_verdicts


def project_value(
    row: LabelProjectRow,
    members: Sequence[LabelMemberRow] = (),
    *,
    owner: str = "",
    role: ProjectRole = ProjectRole.OWNER,
) -> Project:
    """Convert a row to a project.

    Args:
        members: The rows of its members, in any order.
        owner: Name of the owner. Empty if it is the reader's own project.
        role: The role of the person who reads it.

    Raises:
        StoreError: The row is damaged.
    """
    with damage_of(f"label project {row.name!r}"):
        return Project(
            name=row.name,
            guidelines=row.guidelines,
            questions=tuple(
                Question(
                    name=document["name"],
                    text=document["text"],
                    choices=tuple(document["choices"]),
                    is_required=bool(document.get("is_required")),
                )
                for document in row.questions
            ),
            overlap=row.overlap,
            requires_verdicts=row.requires_verdicts,
            members=tuple(
                sorted(Member(name=member.name, role=ProjectRole(member.role)) for member in members)
            ),
            owner=owner,
            role=role,
        )
