"""The setting WORKBENCH_TERMINAL: which environment it names."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from workbench.errors import BadInput
from workbench.settings import Settings
from workbench.toolbox.terminal.backend import Backend
from workbench.toolbox.terminal.environment import TerminalEnvironment
from workbench.toolbox.terminal.environments.daytona import DaytonaBackend
from workbench.toolbox.terminal.environments.docker import DockerEnvironment
from workbench.toolbox.terminal.environments.local import LocalEnvironment, isolated
from workbench.toolbox.terminal.environments.modal import ModalBackend
from workbench.toolbox.terminal.environments.singularity import singularity_environment
from workbench.toolbox.terminal.environments.ssh import SshEnvironment
from workbench.toolbox.terminal.leftovers import end_all_leftovers
from workbench.toolbox.terminal.programs import CommandLines, ProgramBackend
from workbench.toolbox.terminal.record import Record
from workbench.toolbox.terminal.tool import Terminal

FORMS: Final = (
    "mock, local, local:FOLDER, docker:IMAGE, singularity:IMAGE, ssh:HOST, modal:IMAGE or daytona:IMAGE"
)


def parse_environment(text: str, data: Path) -> CommandLines | DaytonaBackend | ModalBackend | None:
    """Parse WORKBENCH_TERMINAL. `mock` gives None.

    Args:
        text: The value.
        data: The workbench's data folder.

    Raises:
        BadInput: The text has none of the forms.
    """
    kind, _, rest = text.partition(":")
    if text == "mock":
        return None
    if text == "local":
        return isolated(LocalEnvironment(), data)
    parse = _KINDS.get(kind)
    found = parse(rest, data) if parse and rest and not rest.startswith("-") else None
    if found is None:
        raise BadInput("setting WORKBENCH_TERMINAL", f"{text!r} is not an environment", f"use {FORMS}")
    return found


def open_backend(text: str, data: Path, variables: Mapping[str, str]) -> Backend | None:
    """Return the backend for WORKBENCH_TERMINAL, or None for `mock`.

    Args:
        text: The value.
        data: The workbench's data folder.
        variables: Our environment variables.

    Raises:
        BadInput: The text has none of the forms.
    """
    environment = parse_environment(text, data)
    if environment is None or isinstance(environment, DaytonaBackend | ModalBackend):
        return environment
    return ProgramBackend(environment, variables)


def open_terminal(settings: Settings) -> Terminal | None:
    """Return the terminal of the settings, or None for `mock`. What an earlier process has left running is ended.

    Raises:
        BadInput: WORKBENCH_TERMINAL has none of the forms.
    """
    open_one = partial(open_backend, data=settings.data, variables=settings.environment)
    leftovers = end_all_leftovers(settings.data, open_one)
    backend = open_one(settings.terminal)
    if backend is None:
        return None
    return Terminal(TerminalEnvironment(backend, Record(settings.data, settings.terminal)), leftovers)


def _local(rest: str, data: Path) -> CommandLines:
    return isolated(LocalEnvironment(shared=str(Path(rest).expanduser().resolve())), data)


def _docker(rest: str, data: Path) -> CommandLines:
    return DockerEnvironment(image=rest)


def _ssh(rest: str, data: Path) -> CommandLines | None:
    host, _, port = rest.partition(":")
    if port and not port.isdecimal():
        return None
    return SshEnvironment(host=host, port=int(port) if port else None)


def _modal(rest: str, data: Path) -> ModalBackend:
    return ModalBackend(rest)


def _daytona(rest: str, data: Path) -> DaytonaBackend:
    return DaytonaBackend(rest)


_KINDS: Final[Mapping[str, Callable[[str, Path], CommandLines | DaytonaBackend | ModalBackend | None]]] = {
    "local": _local, "docker": _docker, "singularity": singularity_environment, "ssh": _ssh, "modal": _modal,
    "daytona": _daytona,
}  # fmt: skip
