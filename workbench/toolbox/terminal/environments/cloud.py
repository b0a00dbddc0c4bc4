"""What cloud sandboxes have in common: a room for each task, without network, with its own working folder."""

from typing import Final

from workbench.toolbox.approval.reason import CommandEnvironment
from workbench.toolbox.terminal.script import change_folder, contained, task_room

FOLDER: Final = "/tmp/workspace"
"""Working folder in a cloud sandbox. Every user of every image can make it."""
LABEL: Final = "hermes-workbench"
"""Name under which sandboxes are listed at the service."""


class CloudRooms:
    """The parts of `Backend` that do not depend on the service."""

    __slots__ = ()

    @property
    def reported(self) -> str:
        return "$PWD"

    def place(self, task_id: str, folder: str) -> CommandEnvironment:
        return contained(folder, FOLDER)

    def opening(self, task_id: str, folder: str) -> str:
        return f"mkdir -p {FOLDER} && cd {FOLDER} || exit 1\n{change_folder(folder)}"

    def room_name(self, task_id: str, owner: str) -> str:
        return task_room(task_id, owner)
