"""What owners do with labelling projects in the Label tab: create and change them, and assign rows."""

from dataclasses import replace

from workbench.app.label_projects import save_project
from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.records.labels.project import Project, QueueFilter
from workbench.ui.present.label.commands import MOST_DIGITS, LabelCommand, read_project
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
    """Save a project, or assign rows to its annotators.

    Returns:
        The command, with the project that is to be shown, and what was done.

    Raises:
        WorkbenchError: The project is invalid, or this person may not change it.
    """
    fields = command.manage
    if fields.get("what") == "assign":
        return command, _assign(services, command)
    name = str(fields.get("name") or "").strip()
    if not name:
        raise BadInput("labelling project", "it has no name", "enter one")
    stored = services.labels.find_project(name) or Project(name=name)
    project = save_project(services, read_project(fields, stored))
    shown = replace(command, seat=replace(command.seat, project=project.reference), session="", after="")
    return shown, f"Project “{project.name}” is saved."


def _assign(services: Services, command: LabelCommand) -> str:
    """Assign the rows that match the filter. Its state, verdict and annotator do not count: they are the project's."""
    limit = str(command.manage.get("limit") or "").strip()
    if limit and (not limit.isdecimal() or len(limit) > MOST_DIGITS or int(limit) < 1):
        raise BadInput(
            "number of rows", f"{limit[:40]!r} is not a number from 1", "leave it empty for all rows"
        )
    chosen = replace(queue_filter(services, command), state=None, verdict=None, assignee=None)
    assigned = services.labels.assign_matching(
        chosen,
        (),
        project=command.seat.project,
        sort=command.sort,
        limit=int(limit) if limit else None,
        who=services.owner.name,
    )
    sessions = len({assignment.session_id for assignment in assigned})
    annotators = len({assignment.labeller for assignment in assigned})
    if not sessions:
        return "Nothing to assign: all matching rows are assigned already."
    return f"{count(sessions, 'row')} assigned to {count(annotators, 'annotator')}."
