"""Options for work on Ray, which the commands for rows, runs and training share."""

from enum import StrEnum
from typing import Annotated

import typer

from workbench.errors import BadInput

RAY = "ray"


class WorkEngine(StrEnum):
    """Where a command works."""

    LOCAL = "local"
    RAY = RAY
    """On the workers of Ray, on this machine or on a cluster; requires the extra `scale`."""


WorkEngineOption = Annotated[
    WorkEngine, typer.Option("--engine", help="Work in this process, or on Ray (requires the extra scale)")
]
AddressOption = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Address of a Ray cluster, with --engine ray; if omitted, Ray is started on this machine",
    ),
]


def check_address(engine: str, address: str) -> None:
    """Refuse an address without Ray.

    Raises:
        BadInput: The address is given without `--engine ray`.
    """
    if address and engine != RAY:
        raise BadInput(f"--address {address}", "only Ray uses an address", "add --engine ray")
