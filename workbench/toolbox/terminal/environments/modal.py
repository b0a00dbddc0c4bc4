"""Commands in a Modal sandbox for each task (https://modal.com/docs/guide/sandbox)."""

import importlib.util
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

from workbench.settings.extras import install_command
from workbench.toolbox.terminal.backend import ProcessOutcome
from workbench.toolbox.terminal.environments.cloud import LABEL, CloudRooms
from workbench.toolbox.terminal.output import KeptOutput

if TYPE_CHECKING:
    import modal

_LIFE_S: Final = 6 * 3600
"""A sandbox ends after this time, whatever happens to the workbench."""
_IDLE_S: Final = 1800
"""A sandbox in which nothing runs ends after this time."""
_END_S: Final = 10.0


class ModalBackend(CloudRooms):
    """Runs commands with the package `modal`, which reads the account from its own settings.

    Args:
        image: Image in a registry, such as `debian:12`.
    """

    def __init__(self, image: str) -> None:
        self._image = image
        self._sandboxes: dict[str, modal.Sandbox] = {}

    @property
    def summary(self) -> str:
        return f"Commands run in Modal sandboxes of the image {self._image!r}, without network"

    @property
    def no_terminal(self) -> str:
        return ""

    def check(self) -> None:
        if importlib.util.find_spec("modal") is None:
            raise FileNotFoundError(f"the package modal is not installed: `{install_command('modal')}`")

    def open_room(self, task_id: str, name: str) -> None:
        import modal

        try:
            self._sandboxes[name] = modal.Sandbox.create(
                app=modal.App.lookup(LABEL, create_if_missing=True),
                image=modal.Image.from_registry(self._image),
                name=name,
                timeout=_LIFE_S,
                idle_timeout=_IDLE_S,
                block_network=True,
            )
        except modal.exception.Error as error:
            raise OSError(f"Modal: {error}") from error

    def is_open(self, name: str) -> bool:
        import modal

        try:
            return name in self._sandboxes and self._sandboxes[name].poll() is None
        except modal.exception.Error:
            return False

    def close_room(self, name: str) -> None:
        import modal

        try:
            sandbox = self._sandboxes.pop(name, None) or modal.Sandbox.from_name(LABEL, name)
            sandbox.terminate()
        except modal.exception.NotFoundError:
            return
        except modal.exception.Error as error:
            raise OSError(f"Modal: {name!r} may still run: {error}") from error

    def run(self, text: str, *, task_id: str, room: str, has_terminal: bool = False) -> "ModalCommand":
        nothing_to_read = "" if has_terminal else "exec </dev/null\n"
        return ModalCommand(self._exec(nothing_to_read + text, room, has_terminal=has_terminal))

    def close(self) -> None:
        self._sandboxes.clear()

    def _exec(
        self, text: str, room: str, *, has_terminal: bool = False
    ) -> "modal.container_process.ContainerProcess[bytes]":
        import modal

        sandbox = self._sandboxes.get(room)
        if sandbox is None:
            raise OSError(f"Modal: the sandbox {room!r} is not open")
        try:
            return sandbox.exec("sh", "-c", text, text=False, pty=has_terminal)
        except modal.exception.Error as error:
            raise OSError(f"Modal: {error}") from error


class ModalCommand:
    """A command in a Modal sandbox. See `RunningCommand`.

    Args:
        process: The process, as `modal` returns it.
    """

    def __init__(self, process: "modal.container_process.ContainerProcess[bytes]") -> None:
        self._process = process
        self._output = KeptOutput()
        self._exit_code: int | None = None
        self._ended = Event()
        Thread(target=self._read, name="terminal-modal", daemon=True).start()

    def wait(self, timeout_s: float) -> bool:
        return self._ended.wait(timeout_s)

    def look(self) -> ProcessOutcome:
        return ProcessOutcome(self._output.text(), self._exit_code, False)

    def kill(self) -> None:
        """Wait for the end. Modal cannot end a single command, so its processes were ended in the sandbox."""
        self._ended.wait(_END_S)

    def _read(self) -> None:
        import modal

        try:
            for data in self._process.stdout:
                self._output.add(data)
            self._exit_code = self._process.wait()
        except modal.exception.Error as error:
            self._output.add(f"\nModal: {error}\n".encode())
            self._exit_code = -1
        finally:
            self._ended.set()
