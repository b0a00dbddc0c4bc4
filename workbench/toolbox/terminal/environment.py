"""Runs commands of tasks in one environment, opens and closes their rooms, and leaves nothing running."""

import logging
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Final

from workbench.toolbox.approval.reason import CommandEnvironment
from workbench.toolbox.terminal.backend import Backend, ProcessOutcome, RunningCommand
from workbench.toolbox.terminal.record import Record
from workbench.toolbox.terminal.script import ONLY_GIT, marked, write_ending, write_script
from workbench.toolbox.terminal.shared_folder import NewRepositories, runs_only_git

MOST_ROOMS: Final = 16
"""Most rooms that are open at once. Then the one that was not used for the longest time is closed."""
_END_S: Final = 20.0
"""Time for ending the processes of a command."""
_GIT_S: Final = 60.0
"""Time that a command waits for one that may write the repository."""
_log = logging.getLogger(__name__)


class TaskCommand:
    """A command of a task. It ends with all its processes, wherever they run.

    Args:
        at_end: Called once when the command has ended. It returns what is shown before the output.
    """

    def __init__(
        self,
        running: RunningCommand,
        backend: Backend,
        *,
        mark: str,
        task_id: str,
        room: str,
        at_end: Callable[[], str],
    ) -> None:
        self._running = running
        self._backend = backend
        self._mark = mark
        self._task_id = task_id
        self._room = room
        self._at_end: Callable[[], str] | None = at_end
        self._note = ""
        self._lock = Lock()

    def wait(self, timeout_s: float) -> ProcessOutcome:
        """Wait for the command to end, and kill it after `timeout_s` seconds."""
        has_ended = self._running.wait(timeout_s)
        if not has_ended:
            self.kill()
        return self.look()._replace(is_timeout=not has_ended)

    def has_ended(self, timeout_s: float) -> bool:
        """Wait for the command to end. Return False if it still runs after `timeout_s` seconds."""
        return self._running.wait(timeout_s)

    def look(self) -> ProcessOutcome:
        """Return the output so far, and the exit code if the command has ended."""
        outcome = self._running.look()
        with self._lock:
            if outcome.exit_code is not None and self._at_end is not None:
                self._note, self._at_end = self._at_end(), None
        return outcome._replace(output=self._note + outcome.output)

    def kill(self) -> None:
        """End the command and all its processes."""
        try:
            end_processes(self._backend, self._mark, task_id=self._task_id, room=self._room)
        except OSError as error:
            _log.warning("Terminal: %s", error)
        self.release()

    def release(self) -> None:
        """End what is left of a command on this machine. Its processes have ended, or they end with their room."""
        self._running.kill()
        self.look()


class TerminalEnvironment:
    """Runs the commands of many tasks in one environment.

    Args:
        backend: Where commands run.
        record: Remembers on disk what runs, for the next start.
    """

    def __init__(self, backend: Backend, record: Record) -> None:
        self._backend = backend
        self._record = record
        self._rooms: dict[str, str] = {}
        """Names of the open rooms by task, the one that was used last at the end."""
        self._commands: dict[str, list[TaskCommand]] = {}
        self._numbers = count(1)
        self._lock = Lock()
        self._task_locks: dict[str, Lock] = {}
        self._start_lock = Lock()
        """Held while a command is started in a folder that is shared with a person."""
        self._git: TaskCommand | None = None
        """The last command that was started, if it may write the repository of a shared folder."""
        self._repositories: NewRepositories | None = None
        """The repositories of the shared folder, once a command was started in it."""

    @property
    def summary(self) -> str:
        """One line that says where commands run and what they can reach."""
        return self._backend.summary

    @property
    def no_terminal(self) -> str:
        """Why commands cannot have a terminal. Empty if they can."""
        return self._backend.no_terminal

    def check(self) -> None:
        """Check that the program or package of the environment is installed.

        Raises:
            FileNotFoundError: It is not.
        """
        self._backend.check()

    def place(self, task_id: str, folder: str) -> CommandEnvironment:
        """Return what approval needs to know about a command of a task."""
        return self._backend.place(task_id, folder)

    def start(
        self, command: str, *, task_id: str, folder: str = "", has_terminal: bool = False
    ) -> TaskCommand:
        """Start a command in the task's room, which is opened if necessary.

        Args:
            command: The command, as a shell reads it.
            task_id: Task whose files the command sees.
            folder: Folder where it starts. Empty for the environment's default folder.
            has_terminal: Whether the command gets a terminal.

        Raises:
            OSError: The room cannot be opened, or the command cannot be started.
        """
        room = self._room(task_id)
        mark = f"{self._record.owner}.{next(self._numbers)}."
        text = write_script(command, self._backend.opening(task_id, folder), reported=self._backend.reported)
        place = self._backend.place(task_id, folder)
        with self._start_lock if place.shares_folder else nullcontext():
            # Only alone: another command could change files while git may write the repository.
            is_git = runs_only_git(command, place) and not self._is_busy()
            self._wait_for_git()
            at_end = self._watch(Path(place.root)) if place.shares_folder else str
            # Nothing of the command is in front of this line.
            line = (ONLY_GIT if is_git else "") + marked(text, mark)
            try:
                running = self._backend.run(line, task_id=task_id, room=room, has_terminal=has_terminal)
            except OSError:
                at_end()
                raise
            started = TaskCommand(
                running, self._backend, mark=mark, task_id=task_id, room=room, at_end=at_end
            )
            self._git = started if is_git else None
            with self._lock:
                of_task = self._commands.setdefault(task_id, [])
                of_task[:] = [*(known for known in of_task if known.look().exit_code is None), started]
        return started

    def _watch(self, folder: Path) -> Callable[[], str]:
        """Note the repositories of a shared folder. Return what sets dangerous new ones aside."""
        self._repositories = self._repositories or NewRepositories(folder)
        self._repositories.begin()
        return self._repositories.end

    def _is_busy(self) -> bool:
        """Whether a command runs, of any task."""
        with self._lock:
            commands = [command for of_task in self._commands.values() for command in of_task]
        return any(command is not self._git and command.look().exit_code is None for command in commands)

    def _wait_for_git(self) -> None:
        """Wait until the command that may write the repository has ended.

        Raises:
            TimeoutError: It takes too long.
        """
        if self._git is not None and not self._git.has_ended(_GIT_S):
            raise TimeoutError("git is still running in this folder: try again later")

    def stop(self, task_id: str) -> None:
        """End all commands of a task, and its room.

        Raises:
            OSError: The room may still run.
        """
        with self._lock:
            commands = self._commands.pop(task_id, [])
            room = self._rooms.pop(task_id, "")
        if room:
            self._backend.close_room(room)
            self._record.remove(room)
        for command in commands:
            if room:
                command.release()
            elif command.look().exit_code is None:
                command.kill()

    def close(self) -> None:
        """End everything that was started."""
        for task_id in {*self._commands, *self._rooms}:
            try:
                self.stop(task_id)
            except OSError as error:
                # It stays on the record, and the next start ends it.
                _log.warning("Terminal: %s", error)
        self._backend.close()
        self._record.close()

    def _room(self, task_id: str) -> str:
        """Return the name of the task's open room."""
        with self._lock:
            task_lock = self._task_locks.setdefault(task_id, Lock())
        with task_lock:
            name = self._backend.room_name(task_id, self._record.owner)
            if not name:
                self._record.add("")
                return ""
            if self._rooms.get(task_id) and self._backend.is_open(name):
                with self._lock:
                    self._rooms[task_id] = self._rooms.pop(task_id, name)
                return name
            self._make_room()
            # On record first: a room that is opened when the workbench dies is ended, too.
            self._record.add(name)
            self._backend.close_room(name)
            try:
                self._backend.open_room(task_id, name)
            except OSError:
                # It may have started in part. If it cannot be ended, it stays on record.
                self._backend.close_room(name)
                self._record.remove(name)
                raise
            with self._lock:
                # Commands of a room that died have ended with it.
                self._commands.pop(task_id, None)
                self._rooms[task_id] = name
            return name

    def _make_room(self) -> None:
        """Close the rooms that were not used for the longest time, except those in which commands run."""
        while True:
            with self._lock:
                idle = [
                    task
                    for task in self._rooms
                    if all(command.look().exit_code is not None for command in self._commands.get(task, ()))
                ]
                if len(self._rooms) < MOST_ROOMS or not idle:
                    return
            self.stop(idle[0])


def end_processes(backend: Backend, mark: str, *, task_id: str, room: str = "") -> None:
    """End all processes with a mark.

    Args:
        backend: Environment in which they run.
        mark: See `workbench.toolbox.terminal.script.ending`.
        task_id: Task in whose place they are looked for.
        room: The task's room.

    Raises:
        OSError: They may still run.
    """
    running = backend.run(write_ending(mark), task_id=task_id, room=room)
    if not running.wait(_END_S):
        running.kill()
        raise TimeoutError(f"processes may still run: ending them took over {_END_S:.0f} s")
    outcome = running.look()
    if outcome.exit_code != 0:
        raise OSError(f"processes may still run: {outcome.output.strip()[-300:]}")


def end_leftovers(backend: Backend, owner: str, rooms: Sequence[str]) -> None:
    """End what another workbench process has left running.

    Args:
        backend: Environment in which it runs.
        owner: The process's name in marks.
        rooms: Names of its rooms. An empty name is for environments without rooms.

    Raises:
        OSError: Something may still run.
    """
    for room in rooms:
        if room:
            backend.close_room(room)
        else:
            end_processes(backend, f"{owner}.", task_id="leftovers")
