"""What each environment must be able to do, and what it shows of a running command."""

from typing import NamedTuple, Protocol

from workbench.toolbox.approval.reason import CommandEnvironment


class ProcessOutcome(NamedTuple):
    """Output and state of a command."""

    output: str
    """Text from standard output and standard error."""
    exit_code: int | None
    """Negative signal number if a signal ended it; None while it runs."""
    is_timeout: bool


class RunningCommand(Protocol):
    """A command that was started."""

    def wait(self, timeout_s: float) -> bool:
        """Wait for the command to end. Return False if it still runs after `timeout_s` seconds."""
        ...

    def look(self) -> ProcessOutcome:
        """Return the output so far, and the exit code if the command has ended."""
        ...

    def kill(self) -> None:
        """End the command, as far as it can be reached from here."""
        ...


class TaskPlaces(Protocol):
    """Where an environment runs the commands of a task.

    A *room* is what an environment starts for a task, such as a container, and what must be ended later. The name of a
    room is empty in environments that start nothing, such as ssh.
    """

    @property
    def summary(self) -> str:
        """One line that says where commands run and what they can reach."""
        ...

    @property
    def reported(self) -> str:
        """Shell text, inside double quotes, for the folder that a command reports at its end."""
        ...

    def place(self, task_id: str, folder: str) -> CommandEnvironment:
        """Return what approval needs to know about a command of a task.

        Args:
            task_id: Task whose files the command sees.
            folder: Folder where the command starts. Empty for the environment's default folder.
        """
        ...

    def opening(self, task_id: str, folder: str) -> str:
        """Return shell text for the start of a command: limits, and the change to its folder."""
        ...

    def room_name(self, task_id: str, owner: str) -> str:
        """Return the name of a task's room, before it is opened.

        Args:
            task_id: Task for which the room is opened.
            owner: Random name of this workbench process.
        """
        ...


class Backend(TaskPlaces, Protocol):
    """Runs shell text in one environment: this machine, a container, another machine or a cloud sandbox."""

    @property
    def no_terminal(self) -> str:
        """Why commands cannot have a terminal. Empty if they can."""
        ...

    def check(self) -> None:
        """Check that the program or package of the environment is installed.

        Raises:
            FileNotFoundError: It is not. The message says what to install.
        """
        ...

    def open_room(self, task_id: str, name: str) -> None:
        """Start the room of a task, under this name.

        Raises:
            OSError: It cannot be started.
        """
        ...

    def is_open(self, name: str) -> bool:
        """Return True if the room runs."""
        ...

    def close_room(self, name: str) -> None:
        """End the room and all that runs in it. It is not an error if the room does not exist.

        Raises:
            OSError: The room may still run.
        """
        ...

    def run(self, text: str, *, task_id: str, room: str, has_terminal: bool = False) -> RunningCommand:
        """Start `sh` with this text."""
        ...

    def close(self) -> None:
        """Release what the backend itself holds, such as connections."""
        ...
