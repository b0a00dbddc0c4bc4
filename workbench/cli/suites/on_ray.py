"""`workbench run --engine ray`: run the cases on the workers of Ray."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.ray_options import WorkEngine, check_address
from workbench.errors import BadInput

if TYPE_CHECKING:
    from workbench.app.services import Services
    from workbench.records.runs import StoredRun
    from workbench.suite.plan import RunPlan
    from workbench.suite.runner import CaseExecutor

    ExecutorFor = Callable[[StoredRun], CaseExecutor | None]

WorkersOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=10_000,
        metavar="N",
        help="Workers, with --engine ray, each with its own models; one per machine by default",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RayOptions:
    """Where the cases of a run are run."""

    engine: WorkEngine
    address: str
    workers: int | None

    def check(self) -> None:
        """Refuse options that need Ray without Ray.

        Raises:
            BadInput: An address or a number of workers is given without `--engine ray`.
        """
        check_address(self.engine, self.address)
        if self.workers is not None and self.engine is not WorkEngine.RAY:
            raise BadInput(f"--workers {self.workers}", "only Ray has workers", "add --engine ray")

    @contextmanager
    def executor(self, services: "Services", plan: "RunPlan") -> "Generator[ExecutorFor]":
        """Start the workers, if the run uses Ray.

        Yields:
            A function that returns the executor of the stored run; None runs the cases in this process.

        Raises:
            BadInput: Ray is not installed, or cannot be reached or used.
            EngineError: A worker could not start.
        """
        if self.engine is WorkEngine.LOCAL:
            yield lambda _stored: None
            return
        from workbench.app.runs.ray_cases import RayCases, ray_workers
        from workbench.library.ray_cluster import started_ray
        from workbench.wiring import open_worker_services

        print("starting the workers of Ray", file=sys.stderr)
        with (
            started_ray(self.address) as ray,
            ray_workers(ray, services, plan, open_worker_services, self.workers) as workers,
        ):
            yield lambda stored: RayCases(services, stored.id, plan, workers)
