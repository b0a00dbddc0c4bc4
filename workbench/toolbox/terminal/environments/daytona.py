"""Commands in a Daytona sandbox for each task (https://www.daytona.io/docs)."""

import importlib.util
import shlex
import time
from contextlib import suppress
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING, Final

from workbench.settings.extras import install_command
from workbench.toolbox.terminal.backend import ProcessOutcome
from workbench.toolbox.terminal.environments.cloud import FOLDER, LABEL, CloudRooms
from workbench.toolbox.terminal.output import KeptOutput

if TYPE_CHECKING:
    import daytona

_LIFE_MIN: Final = 360
"""A sandbox is deleted after this time, whatever happens to the workbench."""
_IDLE_MIN: Final = 30
"""A sandbox that is not used is deleted after this time."""
_OPEN_S: Final = 270.0
_SHORT_S: Final = 30
_FIRST_PAUSE_S: Final = 0.05
_LONGEST_PAUSE_S: Final = 1.0
"""Time between two questions whether a command has ended. It starts short and grows."""


class DaytonaBackend(CloudRooms):
    """Runs commands with the package `daytona`, which reads the account from its own settings.

    Args:
        image: Image in a registry, such as `debian:12`.
    """

    def __init__(self, image: str) -> None:
        self._image = image
        self._client: daytona.Daytona | None = None
        self._sandboxes: dict[str, daytona.Sandbox] = {}
        self._numbers = count(1)
        self._lock = Lock()

    @property
    def summary(self) -> str:
        return f"Commands run in Daytona sandboxes of the image {self._image!r}, without network"

    @property
    def no_terminal(self) -> str:
        return (
            "a terminal of Daytona is an interactive shell, whose prompt and echo would mix with the output"
        )

    def check(self) -> None:
        if importlib.util.find_spec("daytona") is None:
            raise FileNotFoundError(f"the package daytona is not installed: `{install_command('daytona')}`")

    def open_room(self, task_id: str, name: str) -> None:
        import daytona

        wish = daytona.CreateSandboxFromImageParams(
            image=self._image,
            name=name,
            labels={LABEL: name},
            network_block_all=True,
            auto_stop_interval=_IDLE_MIN,
            auto_delete_interval=0,
            ttl_minutes=_LIFE_MIN,
        )
        try:
            sandbox = self._service().create(wish, timeout=_OPEN_S)
            sandbox.process.exec(f"mkdir -p {FOLDER}", timeout=_SHORT_S)
        except daytona.DaytonaError as error:
            raise OSError(f"Daytona: {error}") from error
        self._sandboxes[name] = sandbox

    def is_open(self, name: str) -> bool:
        import daytona

        try:
            sandbox = self._sandboxes[name]
            sandbox.refresh_data(request_timeout=_SHORT_S)
        except (KeyError, daytona.DaytonaError):
            return False
        return sandbox.state == daytona.SandboxState.STARTED

    def close_room(self, name: str) -> None:
        import daytona

        try:
            sandbox = self._sandboxes.pop(name, None) or self._service().get(name, request_timeout=_SHORT_S)
            sandbox.delete(timeout=_SHORT_S)
        except daytona.DaytonaNotFoundError:
            return
        except daytona.DaytonaError as error:
            raise OSError(f"Daytona: {name!r} may still run: {error}") from error

    def run(self, text: str, *, task_id: str, room: str, has_terminal: bool = False) -> "DaytonaCommand":
        return DaytonaCommand(self._sandbox(room), text, f"{LABEL}-{next(self._numbers)}")

    def close(self) -> None:
        self._sandboxes.clear()

    def _service(self) -> "daytona.Daytona":
        """Return the client, which is made when it is used first.

        Raises:
            DaytonaError: There is no account.
        """
        import daytona

        with self._lock:
            if self._client is None:
                self._client = daytona.Daytona()
            return self._client

    def _sandbox(self, name: str) -> "daytona.Sandbox":
        if name not in self._sandboxes:
            raise OSError(f"Daytona: the sandbox {name!r} is not open")
        return self._sandboxes[name]


class DaytonaCommand:
    """A command in a session of its own in a Daytona sandbox. See `RunningCommand`.

    Args:
        sandbox: The sandbox.
        text: Shell text.
        session: Name of the session, which the sandbox does not have yet.

    Raises:
        OSError: The command cannot be started.
    """

    def __init__(self, sandbox: "daytona.Sandbox", text: str, session: str) -> None:
        import daytona

        self._process = sandbox.process
        self._session = session
        self._last: ProcessOutcome | None = None
        """The outcome of a command that has ended."""
        # The session's shell reads the commands from its input, which a command must not read.
        request = daytona.SessionExecuteRequest(
            command=f"sh -c {shlex.quote(text)} </dev/null", run_async=True
        )
        try:
            self._process.create_session(session, request_timeout=_SHORT_S)
            self._id = self._process.execute_session_command(session, request, timeout=_SHORT_S).cmd_id
        except daytona.DaytonaError as error:
            raise OSError(f"Daytona: {error}") from error

    def wait(self, timeout_s: float) -> bool:
        deadline_s = time.monotonic() + timeout_s
        pause_s = _FIRST_PAUSE_S
        while self._exit_code() is None:
            left_s = deadline_s - time.monotonic()
            if left_s <= 0:
                return False
            time.sleep(min(pause_s, left_s))
            pause_s = min(pause_s * 1.5, _LONGEST_PAUSE_S)
        return True

    def look(self) -> ProcessOutcome:
        """See `RunningCommand`.

        Raises:
            OSError: Daytona does not answer.
        """
        import daytona

        # In this order, so that the output of a command that has ended is complete.
        exit_code = self._exit_code()
        if self._last is not None:
            return self._last
        try:
            logs = self._process.get_session_command_logs(self._session, self._id, request_timeout=_SHORT_S)
        except daytona.DaytonaError as error:
            raise OSError(f"Daytona: {error}") from error
        output = KeptOutput()
        output.add((logs.stdout or logs.output or "").encode())
        outcome = ProcessOutcome(output.text(), exit_code, False)
        if exit_code is not None:
            self._last = outcome
            self._delete()
        return outcome

    def kill(self) -> None:
        try:
            outcome = self.look()
        except OSError as error:
            outcome = ProcessOutcome(str(error), None, False)
        if outcome.exit_code is None:
            self._last = outcome._replace(exit_code=-9)
            self._delete()

    def _exit_code(self) -> int | None:
        import daytona

        if self._last is not None:
            return self._last.exit_code
        try:
            return self._process.get_session_command(
                self._session, self._id, request_timeout=_SHORT_S
            ).exit_code
        except daytona.DaytonaNotFoundError:
            # The sandbox has ended, and the command with it.
            self._last = ProcessOutcome("", -9, False)
            return -9
        except daytona.DaytonaError as error:
            raise OSError(f"Daytona: {error}") from error

    def _delete(self) -> None:
        """Delete the session, which ends its shell. If the sandbox is gone, so is the session."""
        import daytona

        with suppress(daytona.DaytonaError):
            self._process.delete_session(self._session, request_timeout=_SHORT_S)
