"""Commands in an Apptainer or Singularity instance for each task."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.toolbox.terminal.isolation import task_folders
from workbench.toolbox.terminal.programs import Containers
from workbench.toolbox.terminal.script import change_folder, task_name


@dataclass(frozen=True, slots=True, kw_only=True)
class SingularityEnvironment(Containers):
    """An instance without network for each task. The files of a task stay in its folder in the data folder."""

    image: str
    """Image file (`.sif`), folder of an image, or address such as `docker://debian:12`."""
    base: Path
    """Folder for the tasks' folders."""
    program: str = "apptainer"
    reported: str = "$PWD"
    user: str = ""

    def opening(self, task_id: str, folder: str) -> str:
        return "export HOME=/workspace\n" + change_folder(folder)

    def line(self, text: str, *, task_id: str, room: str = "", has_terminal: bool = False) -> Sequence[str]:
        return [
            self.program, "--silent", "exec", "--cleanenv", "--pwd", "/workspace", f"instance://{room}",
            "sh", "-c", text,
        ]  # fmt: skip

    def open_line(self, task_id: str, name: str) -> Sequence[str]:
        work, *_ = task_folders(self.base, task_name(task_id))
        return [
            self.program, "--quiet", "instance", "start", "--containall", "--no-home", "--cleanenv", "--writable-tmpfs",
            "--no-privs", "--net", "--network", "none", "--bind", f"{work}:/workspace", self.image, name,
        ]  # fmt: skip

    def close_line(self, name: str) -> Sequence[str]:
        return [self.program, "instance", "stop", "--timeout", "5", name]

    def is_gone(self, errors: str) -> bool:
        return "no instance found" in errors

    @property
    def summary(self) -> str:
        return f"Commands run in instances of the image {self.image!r} ({self.program}), without network"


def singularity_environment(image: str, data: Path) -> SingularityEnvironment:
    """Return the environment for an image, with the program that is installed.

    Args:
        image: An image file or folder, an address with `://`, or the name of an image on Docker Hub.
        data: The workbench's data folder.
    """
    program = next((name for name in ("apptainer", "singularity") if shutil.which(name)), "apptainer")
    path = Path(image).expanduser()
    if "://" not in image:
        image = str(path.resolve()) if path.exists() else f"docker://{image}"
    return SingularityEnvironment(image=image, base=(data / "terminal").resolve(), program=program)
