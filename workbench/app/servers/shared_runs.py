"""The suite runs of all servers: one at a time for each owner. If a server ends, another one continues its runs.

A run continues with the permissions of its owner at the time when it was started. A run with a visitor's own access
token is not continued, because the token is never stored.
"""

import logging
from collections.abc import Callable
from typing import Final

from pydantic import TypeAdapter

from workbench.app.servers.group import ServerGroup, ServerMessage
from workbench.app.services import Services
from workbench.errors import StoreError
from workbench.records.owner import Owner
from workbench.records.runs import RunState, StoredRun
from workbench.store.servers.live_work import LiveRun, LiveWork

_LOG: Final = logging.getLogger(__name__)
_OWNER: Final = TypeAdapter(Owner)
Continue = Callable[[Services, StoredRun], None]
"""Continues a run, with the services of its owner."""
Stop = Callable[[str], None]
"""Stops the run with this id if this server runs it."""


class SharedRuns:
    """The suite runs of all servers.

    Args:
        services: The services of any owner.
        group: This server among the others.
        work: The work in progress of all servers.
    """

    def __init__(self, services: Services, group: ServerGroup, work: LiveWork) -> None:
        self._services = services
        self._group = group
        self._work = work
        self._unended: set[str] = set()
        """Runs that have ended while the database could not be written."""

    def start(self, continue_run: Continue, stop: Stop, interrupt_all: Callable[[], object]) -> None:
        """Begin to continue the runs of other servers, and to stop own ones for them.

        Args:
            interrupt_all: Stops all runs of this server, because others have taken over.
        """

        def stopped(message: ServerMessage) -> None:
            stop(str(message["stop_run"]))

        def act() -> None:
            for run_id in list(self._unended):
                self.end(run_id)
            self._take(continue_run)

        self._group.on_message("stop_run", stopped)
        self._group.on_beat(act)
        self._group.on_removed(interrupt_all)

    def begin(self, owner: Owner, run_id: str, *, is_resumable: bool) -> bool:
        """Enter a run of this server. Return False if the owner has a run in progress on another server.

        Args:
            is_resumable: Whether another server can continue it.

        Raises:
            StoreError: The database could not be written.
        """
        person = _OWNER.dump_python(owner, mode="json") if is_resumable else None
        run = LiveRun(run_id=run_id, server_id=self._group.id, person=person)
        return self._work.begin_run(owner.key, run)

    def end(self, run_id: str) -> None:
        """Remove a run of this server, which has ended."""
        try:
            self._work.end_run(run_id, self._group.id)
        except StoreError as error:
            _LOG.warning("could not remove an ended run: %s", error)
            self._unended.add(run_id)
        else:
            self._unended.discard(run_id)

    def find(self, owner: Owner) -> str | None:
        """Return the id of the run that an owner has in progress on any server, or None.

        Raises:
            StoreError: The database could not be read.
        """
        found = self._work.find_run(owner.key)
        return None if found is None else found.run_id

    def stop(self, owner: Owner, run_id: str | None = None) -> None:
        """Ask the server that runs the owner's run to stop it.

        Args:
            run_id: Only the run with this id. None stops any run.

        Raises:
            StoreError: The database could not be read or written.
        """
        found = self._work.find_run(owner.key)
        if found is not None and run_id in (None, found.run_id):
            self._group.send(found.server_id, {"stop_run": found.run_id})

    def _take(self, continue_run: Continue) -> None:
        """Take over one run, so that the servers share those of an ended one."""
        taken = self._work.take_run(self._group.id)
        if taken is None:
            return
        services = self._services.of(_OWNER.validate_python(taken.person))
        try:
            stored = services.runs.find_run(taken.run_id)
            if stored is None or stored.listed.state is not RunState.RUNNING:
                self.end(taken.run_id)
                return
            _LOG.warning("continuing the run %s of a server that has ended", taken.run_id)
            continue_run(services, stored)
        except StoreError:
            # It is damaged, and must not keep its owner from starting another one.
            self.end(taken.run_id)
            raise
