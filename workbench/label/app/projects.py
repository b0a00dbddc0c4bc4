"""Save labelling projects: check who can be a member, before the store saves them."""

from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.label.records.project import Project


def save_project(services: Services, project: Project) -> Project:
    """Create or change a labelling project.

    Raises:
        BadInput: The project is invalid, or a member has no account on this server.
        StoreError: The project could not be written.
    """
    settings, where = services.settings, f"labelling project {project.reference!r}"
    if settings.is_on_space and project.members:
        raise BadInput(
            where,
            "visitors of a Space have no accounts, so it cannot be shared",
            "use a server with accounts",
        )
    if settings.accounts:
        unknown = [member.name for member in project.members if member.name not in settings.accounts]
        if unknown:
            raise BadInput(where, f"there is no account {unknown[0]!r}", "create it with `workbench auth`")
    return services.label_projects.save_project(project, who=services.owner.name)
