"""Join the other servers that share the database."""

from workbench.app.servers.group import ServerGroup
from workbench.app.servers.shared_runs import SharedRuns
from workbench.app.servers.shared_turns import SharedTurns
from workbench.app.services import Services


class JoinedServer:
    """This server and what it shares with the others. Start its group; close it after its own work has been stopped.

    Args:
        services: The services of any owner. Their turns are shared from now on.
        group: This server among the others.
    """

    def __init__(self, services: Services, group: ServerGroup) -> None:
        work = services.store.live_work
        self.group = group
        self.turns = SharedTurns(services, group, work)
        self.runs = SharedRuns(services, group, work)
        services.turns.directory = self.turns
        group.on_beat(lambda: services.lines.share_among(group.count()))

    def close(self) -> None:
        """Leave the other servers, which continue the runs that this one has not finished."""
        self.group.close()
