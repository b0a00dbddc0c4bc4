"""Who works through rows: processes here, or Ray."""

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from workbench.errors import BadInput

if TYPE_CHECKING:
    from workbench.library.datasets.chunks import Spread


class RowEngine(StrEnum):
    """Who works."""

    PROCESSES = "processes"
    """This machine's, as many as `--jobs` says."""
    RAY = "ray"
    """Ray Data, here or on a cluster; needs the extra `scale`."""


ENGINE_HELP: Final = "Who works: processes here, or ray (extra scale)."
"""Help of the option, the same for all verbs."""
ADDRESS_HELP: Final = "With --engine ray: a cluster's address; without one, Ray is started here."
"""As `ENGINE_HELP`."""


def check_address(engine: RowEngine, address: str) -> None:
    """Refuse an address that no one would go to.

    Raises:
        BadInput: It is given without Ray.
    """
    if address and engine is not RowEngine.RAY:
        raise BadInput(f"--address {address}", "it is Ray's", "add --engine ray")


def spread_of(engine: RowEngine, *, jobs: int, address: str) -> "Spread":
    """Who checks.

    Raises:
        BadInput: The options contradict each other.
    """
    check_address(engine, address)
    if engine is RowEngine.RAY:
        if jobs > 1:
            raise BadInput(f"--jobs {jobs}", "Ray decides how many work", "leave one of both out")
        from workbench.library.datasets.chunks import OnRay

        return OnRay(address=address)
    from workbench.library.datasets.chunks import InProcesses

    return InProcesses(jobs=jobs)
