"""What owners do with labelling projects in the Label tab: create, change, delete and restore them, and assign rows."""

from dataclasses import replace

from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.label.app.projects import save_project
from workbench.label.page.present.commands import MOST_DIGITS, LabelCommand, read_project
from workbench.label.page.review import manage_review
from workbench.label.records.project import Project, QueueFilter
from workbench.ui.present.words import count


def queue_filter(services: Services, command: LabelCommand) -> QueueFilter:
    """Return the queue filter of a command, with a contract name replaced by the hash of its version."""
    reference = command.filter.contract_version
    if reference is None:
        return command.filter
    try:
        return replace(command.filter, contract_version=services.contract_version(reference).text_hash)
    except BadInput:
        return command.filter


def manage(services: Services, command: LabelCommand) -> tuple[LabelCommand, str]:
    """Save, delete or restore a project, or change which rows are assigned to its annotators.

    Returns:
        The command, with the project that is to be shown, and what was done.

    Raises:
        WorkbenchError: The project is invalid, or this person may not change it.
    """
    fields, name = command.manage, str(command.manage.get("name") or "").strip()
    match fields.get("what"):
        case "assign":
            return command, _assign(services, command)
        case "unassign":
            return command, _unassign(services, command)
        case "sample" | "lot" | "record" | "gold" | "no-gold":
            return command, manage_review(
                services, fields, queue_filter(services, command), command.seat.project
            )
        case "delete":
            # The page names the project that the owner confirmed, which may not be the shown one.
            services.label_projects.delete_project(name, who=services.owner.name)
            return _shown(command, ""), f"Project “{name}” is deleted. It can be restored for 30 days."
        case "restore":
            services.label_projects.restore_project(name, who=services.owner.name)
            return _shown(command, name), f"Project “{name}” is restored."
        case _:
            return _save(services, command, name)


def _shown(command: LabelCommand, reference: str) -> LabelCommand:
    """Return the command that shows the queue of a project."""
    return replace(command, seat=replace(command.seat, project=reference), session="", after="")


def _save(services: Services, command: LabelCommand, name: str) -> tuple[LabelCommand, str]:
    fields = command.manage
    if not name:
        raise BadInput("labelling project", "it has no name", "enter one")
    stored = services.label_projects.find_project(name) or Project(name=name)
    project = save_project(services, read_project(fields, stored))
    return _shown(command, project.reference), f"Project “{project.name}” is saved."


def _unassign(services: Services, command: LabelCommand) -> str:
    """Remove the assignments in the shown queue that nobody has started."""
    removed = services.label_assignments.unassign(
        queue_filter(services, command), project=command.seat.project, who=services.owner.name
    )
    if not removed:
        return "Nothing to remove: annotators have started all rows that match the filter."
    return f"{count(len(removed), 'assignment')} removed."


def _assign(services: Services, command: LabelCommand) -> str:
    """Assign the rows that match the filter. Its state, verdict and annotator do not count: they are the project's."""
    limit = str(command.manage.get("limit") or "").strip()
    if limit and (not limit.isdecimal() or len(limit) > MOST_DIGITS or int(limit) < 1):
        raise BadInput(
            "number of rows", f"{limit[:40]!r} is not a number from 1", "leave it empty for all rows"
        )
    chosen = replace(queue_filter(services, command), state=None, verdict=None, assignee=None)
    assigned = services.label_assignments.assign_matching(
        chosen,
        (),
        project=command.seat.project,
        sort=command.sort,
        limit=int(limit) if limit else None,
        who=services.owner.name,
    )
    sessions = len({assignment.session_id for assignment in assigned})
    annotators = len({assignment.annotator for assignment in assigned})
    if not sessions:
        return "Nothing to assign: all matching rows are assigned already."
    return f"{count(sessions, 'row')} assigned to {count(annotators, 'annotator')}."
