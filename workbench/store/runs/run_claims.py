"""Which process runs a suite run, and whether it still does.

Idea: a run in the state `running` names its writer, the process that runs it. If that process was killed, nobody is
left to change the state. So the state is judged whenever it is read: a run whose process has ended is `interrupted`.

| the process | it still runs if |
|---|---|
| is this one | it is executing the run |
| is a server that shares the database | it gave a sign of life lately; its run may also wait for another server |
| is another one on this machine | it exists |
| is on another machine | it stored a result within the time limit of a case and `RESULT_SILENCE` |
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlmodel import Session, col, func, select

from workbench.errors import BadInput, StoreError
from workbench.records.runs import RunState
from workbench.store.sessions.unfinished import SERVER_SILENCE, has_ended, this_writer
from workbench.store.tables import LiveRunRow, RunRow, ServerRow

RESULT_SILENCE: Final = timedelta(seconds=30)
"""How much longer than a case may take a process on another machine can be silent."""
PROCESS_SILENCE: Final = timedelta(seconds=7)
"""How long a server on this machine must have been silent whose process has ended. See `Pulse.process_silent_s`."""
_announced: Final = set[tuple[str, str]]()
"""The new runs that this process is about to execute, as owner and id."""
_executing: Final = set[tuple[str, str]]()
"""The runs that this process executes, as owner and id."""


def announce(row: RunRow) -> None:
    """Record that this process is about to execute a new run."""
    row.writer = this_writer()
    _announced.add((row.owner, row.id))


def claim(db: Session, row: RunRow, now: datetime, *, takes_over: bool) -> None:
    """Make this process the one that runs a run. The caller has locked the row.

    Args:
        takes_over: Whether to take the run from the process that runs it.

    Raises:
        BadInput: Another process, or another thread of this one, runs it.
    """
    is_free = takes_over or (row.owner, row.id) in _announced
    if not is_free and find_states(db, [row], now)[0] is RunState.RUNNING:
        raise BadInput(
            f"run {row.id[:12]}",
            "it is in progress already",
            "wait until it ends, or stop it where it was started",
        )
    row.state, row.writer, row.updated_at = RunState.RUNNING.value, this_writer(), now
    _announced.discard((row.owner, row.id))
    _executing.add((row.owner, row.id))


def release(owner: str, run_id: str) -> None:
    """Record that this process no longer executes a run of an owner."""
    _announced.discard((owner, run_id))
    _executing.discard((owner, run_id))


def refuse_lost(row: RunRow) -> None:
    """Raise if another process has taken over a run, so that a result would be written twice.

    Raises:
        StoreError: It has.
    """
    if row.writer not in (None, this_writer()):
        raise StoreError(
            f"run {row.id!r}: another process continues it, because this one was silent for too long"
        )


def find_states(db: Session, rows: Sequence[RunRow], now: datetime) -> Sequence[RunState]:
    """Return the states of runs as they are now.

    Args:
        now: The current time, with a time zone.
    """
    running = [row for row in rows if row.state == RunState.RUNNING.value]
    kept = (
        _kept_by_servers(db, running)
        if running and db.get_bind().dialect.name == "postgresql"
        else frozenset[str]()
    )
    return tuple(
        RunState.INTERRUPTED
        if row in running and row.id not in kept and not _is_executed(row, now)
        else RunState(row.state)
        for row in rows
    )


def _kept_by_servers(db: Session, running: Sequence[RunRow]) -> frozenset[str]:
    """Return the ids of the runs that a living server runs, or is about to continue."""
    now = db.exec(select(func.now())).one()
    living = [
        server
        for server in db.exec(select(ServerRow).where(col(ServerRow.beat_at) > now - SERVER_SILENCE))
        if server.beat_at > now - PROCESS_SILENCE or not has_ended(server.writer, is_silent=False)
    ]
    ids, writers = {server.id for server in living}, {server.writer for server in living} - {this_writer()}
    live_runs = db.exec(select(LiveRunRow).where(col(LiveRunRow.run_id).in_([row.id for row in running])))
    waiting = {
        live.run_id for live in live_runs if live.server_id in ids or (living and live.person is not None)
    }
    return frozenset(row.id for row in running if row.id in waiting or row.writer in writers)


def _is_executed(row: RunRow, now: datetime) -> bool:
    if row.writer is None:
        return False
    if row.writer == this_writer():
        key = row.owner, row.id
        return key in _executing or key in _announced
    limit_s = row.plan.get("timeout_s")
    # A limit may be longer than a `timedelta` can be.
    silence_s = (now - row.updated_at - RESULT_SILENCE).total_seconds()
    return not has_ended(row.writer, is_silent=not isinstance(limit_s, int | float) or silence_s > limit_s)
