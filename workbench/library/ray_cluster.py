"""Start Ray on this machine, or connect to a cluster."""

import logging
import os
import socket
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final, TypeVar

from workbench.errors import BadInput, WorkbenchError, WorkerEnded
from workbench.settings.extras import install_command

_CONNECT_S: Final = 5.0
"""Time to reach the address of a cluster, in seconds. Ray itself would retry for minutes."""
_AHEAD: Final = 2
"""Batches that are submitted per core, so that no worker has to wait."""

_Item = TypeVar("_Item")


@contextmanager
def started_ray(address: str) -> Generator[Any]:
    """Start Ray, or connect to a cluster, and disconnect at the end.

    Args:
        address: Address of a cluster; empty to start Ray on this machine for the duration of the work.

    Yields:
        The module `ray`.

    Raises:
        BadInput: Ray is not installed, or the cluster cannot be reached.
    """
    # Without this, Ray sends usage statistics over the network.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray: Any = import_module("ray")
    except ImportError as error:
        raise BadInput("--engine ray", "Ray is not installed", f"run {install_command('scale')}") from error
    # Ray would print messages about workers to standard output, which has the JSON of `--json`. There is no public
    # switch for it.
    driver: Any = import_module("ray._private.worker")
    driver._worker_logs_enabled = False
    _check_reachable(address)
    settings: dict[str, Any] = {"include_dashboard": False} if not address else {}
    try:
        ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **settings)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise _unreachable(address, str(error).partition("\n")[0][:150]) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Refuse an address with a port where no program listens."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_S).close()
    except (OSError, OverflowError) as error:
        problem = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _unreachable(address, problem) from error


def _unreachable(address: str, problem: str) -> BadInput:
    remedy = "check the address, and that Ray is running there" if address else ""
    return BadInput(f"--address {address or 'local'}", f"Ray cannot be reached: {problem}", remedy)


def result_of(ray: Any, reference: Any) -> Any:
    """Return the result of a task, as soon as there is one.

    Args:
        ray: The module.

    Raises:
        WorkbenchError: The task raised it.
        WorkerEnded: The worker ended before the task did.
    """
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, WorkbenchError):
            raise error.cause from None
        raise
    except ray.exceptions.RayError as error:
        raise WorkerEnded from error


def map_numbers(
    ray: Any, work: Callable[[Iterable[int]], Iterator[_Item]], batches: Iterable[Sequence[int]]
) -> Iterator[_Item]:
    """Apply `work` to batches of numbers on the workers, and yield the results in the order of the batches.

    Args:
        ray: The module.
        work: Gets the numbers of a batch. If its worker ends, Ray starts the work again on another one.
        batches: May be endless.

    Raises:
        WorkbenchError: The work raised it. Everything that it yielded before is yielded.
        WorkerEnded: Workers ended several times during the same batch.
    """

    def listed(numbers: Sequence[int]) -> tuple[list[_Item], WorkbenchError | None]:
        items: list[_Item] = []
        try:
            items.extend(work(numbers))
        except WorkbenchError as error:
            return items, error
        return items, None

    def yielded(reference: Any) -> Iterator[_Item]:
        items, error = result_of(ray, reference)
        yield from items
        if error is not None:
            raise error

    task = ray.remote(listed)
    most_waiting = _AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
    waiting: deque[Any] = deque()
    for batch in batches:
        if len(waiting) == most_waiting:
            yield from yielded(waiting.popleft())
        waiting.append(task.remote(batch))
    while waiting:
        yield from yielded(waiting.popleft())
