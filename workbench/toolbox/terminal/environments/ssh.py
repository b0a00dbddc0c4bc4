"""Commands on another machine, over ssh."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.toolbox.approval.reason import ASKED, CommandEnvironment
from workbench.toolbox.terminal.programs import NoRooms, client_variables
from workbench.toolbox.terminal.script import change_folder

_BELOW_HOME: Final = (
    '$(case "$PWD" in "$HOME") echo .;; "$HOME"/*) echo "${PWD#"$HOME"/}";; *) echo "$PWD";; esac)'
)
"""Shell text for the current folder, relative to the home folder if it is inside, because ssh commands start there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SshEnvironment(NoRooms):
    """Another machine, through the user's `ssh` program and its keys. It never asks for a password."""

    host: str
    """`user@host`, or a host name from the user's ssh configuration."""
    port: int | None = None
    """None uses the port of the ssh configuration."""
    options: tuple[str, ...] = ()
    """Additional ssh options, each as `Name=value`."""
    program: str = "ssh"
    reported: str = _BELOW_HOME
    user: str = ""

    def opening(self, task_id: str, folder: str) -> str:
        return change_folder(folder)

    def line(self, text: str, *, task_id: str, room: str = "", has_terminal: bool = False) -> Sequence[str]:
        settings = ("BatchMode=yes", "ConnectTimeout=10", *self.options)
        return [
            self.program, "-tt" if has_terminal else "-T", *(["-p", str(self.port)] if self.port else []),
            *(part for setting in settings for part in ("-o", setting)),
            "--", self.host, "sh -c " + shlex.quote(text),
        ]  # fmt: skip

    def variables(self, own: Mapping[str, str], task_id: str) -> Mapping[str, str]:
        return client_variables(own)

    def place(self, task_id: str, folder: str) -> CommandEnvironment:
        return CommandEnvironment(is_contained=False, folder=folder)

    @property
    def summary(self) -> str:
        return f"Commands run on {self.host} over ssh, with all permissions of the user there. {ASKED}"
