"""Commands in a Docker container for each task."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.toolbox.terminal.programs import Containers
from workbench.toolbox.terminal.script import change_folder, task_name

_WAIT: Final = "while :; do sleep 86400; done"


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerEnvironment(Containers):
    """A container without network for each task. The files of a task stay in its own volume."""

    image: str
    """Image of the containers, such as `debian:12`."""
    program: str = "docker"
    memory_mb: int = 512
    reported: str = "$PWD"
    user: str = ""

    def opening(self, task_id: str, folder: str) -> str:
        return change_folder(folder)

    def line(self, text: str, *, task_id: str, room: str = "", has_terminal: bool = False) -> Sequence[str]:
        flags = ["--tty"] if has_terminal else []
        return [self.program, "exec", *flags, room, "sh", "-c", text]

    def open_line(self, task_id: str, name: str) -> Sequence[str]:
        return [
            self.program, "run", "--detach", "--rm", "--init", "--name", name, "--label", "hermes-workbench",
            "--network", "none", "--memory", f"{self.memory_mb}m", "--pids-limit", "256",
            "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
            "--volume", f"hermes-workbench-{task_name(task_id)}:/workspace", "--workdir", "/workspace",
            "--entrypoint", "sh", self.image, "-c", _WAIT,
        ]  # fmt: skip

    def close_line(self, name: str) -> Sequence[str]:
        return [self.program, "rm", "--force", name]

    def is_gone(self, errors: str) -> bool:
        return "no such container" in errors.casefold() or "no container with name" in errors.casefold()

    @property
    def summary(self) -> str:
        return f"Commands run in containers of the image {self.image!r}, without network"
