"""Shell text around a command: its folder, its mark by which its processes are found, and how they are ended."""

import hashlib
import posixpath
import re
import shlex
from typing import Final

from workbench.toolbox.approval.reason import CommandEnvironment

PLACE_MARK: Final = "\x1e__workbench_place__"
"""Separates the output of a command from the folder in which it ended."""
COMMAND_VARIABLE: Final = "HERMES_WORKBENCH_COMMAND"
"""Environment variable that all processes of a command have. It contains the command's mark."""
ONLY_GIT: Final = "# only git\n"
"""First line of the shell text of a command that runs nothing but git."""
_TASK_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]")


def write_script(command: str, opening: str = "", *, reported: str = "$PWD") -> str:
    """Return shell text that runs `command` and prints the folder in which it ended.

    Args:
        command: The command, as the model wrote it.
        opening: Shell text that runs first.
        reported: Shell text for the folder that is printed, inside double quotes.
    """
    return f"{opening}{command}\n__status=$?\nprintf '{PLACE_MARK}%s' \"{reported}\"\nexit $__status"


def change_folder(folder: str) -> str:
    """Return shell text that changes to a folder or fails. An empty folder changes nothing."""
    return f"cd -- {shlex.quote(folder)} || exit 1\n" if folder else ""


def marked(text: str, mark: str) -> str:
    """Return shell text that runs `text` in its own shell with a mark, and then kills what is left of it.

    The outer shell does not have the mark, so it also works if `text` ends with `exit` or `exec`.
    """
    # One stream, because two streams of another machine arrive in any order. The inner shell joins them: dash would
    # do it in the outer one, which must say nothing, such as "Terminated" for a command that was killed.
    # The mark is not written as processes have it: ssh servers can put this text into a variable of the outer shell.
    joined = shlex.quote(f"exec 2>&1\n{text}")
    return (
        f'exec 2>/dev/null\n__mark={mark}\n{COMMAND_VARIABLE}="$__mark" sh -c {joined}\n__status=$?\n'
        f"{_signal(mark)}__end KILL >/dev/null\nexit $__status"
    )


def write_ending(mark: str) -> str:
    """Return shell text that ends all processes with a mark, first with SIGTERM, then after at most 1 s with SIGKILL.

    Processes are found by their environment in `/proc`, so only on Linux. A process that left its process group and
    its session, as a daemon does, is found too.

    Args:
        mark: A whole mark, or the part up to the first dot for all commands of one workbench process.
    """
    # A `sleep` that only knows whole seconds fails, and waits for all of the second.
    gone = 'sleep 0.1 2>/dev/null || { sleep 1; break; }; [ -n "$(__end 0)" ] || break'
    wait = f"for __tenth in 1 2 3 4 5 6 7 8 9 10; do {gone}; done"
    return f'{_signal(mark)}[ -z "$(__end TERM)" ] || {{ {wait}; __end KILL >/dev/null; }}\n:'


def split_output(output: str) -> tuple[str, str]:
    """Return the output of a command, and the folder in which it ended or an empty text if it was not reported."""
    text, mark, folder = output.rpartition(PLACE_MARK)
    return (text, folder.strip()) if mark else (output, "")


def task_name(task_id: str) -> str:
    """Return a task's name for folders and containers."""
    return _TASK_NAME.sub("-", task_id)[:64].strip(".") or "task"


def task_room(task_id: str, owner: str) -> str:
    """Return the name of a task's room: short, because cloud services limit names, and different for each task.

    Args:
        task_id: Task for which the room is opened.
        owner: Random name of this workbench process.
    """
    return f"hermes-workbench-{owner}-{hashlib.sha256(task_id.encode()).hexdigest()[:16]}"


def contained(folder: str, root: str = "/workspace") -> CommandEnvironment:
    """Return what approval needs to know about a command in a container without network.

    Args:
        folder: Folder where it starts. Empty for `root`.
        root: Working folder of the container.
    """
    path = posixpath.normpath(posixpath.join(root, folder))
    if path == root:
        return CommandEnvironment(is_contained=True, root=root)
    inside = path.removeprefix(f"{root}/") if path.startswith(f"{root}/") else path
    return CommandEnvironment(is_contained=True, root=root, folder=inside)


def _signal(mark: str) -> str:
    """Return the shell function `__end SIGNAL`. It prints a dot for each process that got the signal."""
    pattern = shlex.quote(f"{COMMAND_VARIABLE}={mark}".replace(".", "[.]"))
    return (
        f"__end() {{ for __file in $(grep -ls {pattern} /proc/[0-9]*/environ 2>/dev/null); do "
        '__pid=${__file#/proc/}; kill -"$1" "${__pid%/environ}" 2>/dev/null && echo .; done; }\n'
    )
