"""Run the cases of a suite on Ray: workers run them, and only the process that started the run stores them.

A worker has its own models, and a database that exists only as long as it. It runs a case there as usual, then returns
the rollout and the messages of its session. The starting process copies the session into its own database and scores
the rollout. So a result is the same as without Ray, and a worker that ends early has stored nothing by halves.
"""

import logging
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from math import floor
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, Final, NamedTuple, Protocol
from uuid import uuid4

from workbench import __version__
from workbench.app.runs.running import CaseRunner, rollout_title
from workbench.app.services import Services
from workbench.errors import BadInput, EngineError, WorkerEnded
from workbench.library.ray_cluster import result_of
from workbench.records.run_config import RunConfig
from workbench.records.sessions import NewMessage
from workbench.suite.case_rollout import CaseRollout, RubricVerdict
from workbench.suite.plan import Arm, Job, RunPlan, tools_key
from workbench.suite.runner import IsCancelled

_LOOK_EVERY_S: Final = 0.1
"""How often a waiting case checks whether it was cancelled, in seconds."""
_CLOSE_S: Final = 10.0
"""Time for workers to unload their models at the end, in seconds."""
_TRIES: Final = 3
"""How many workers may end during the same case."""
_ALWAYS: Final = -1
_LOG: Final = logging.getLogger(__name__)


class WorkerServices(Protocol):
    """Opens the services of a worker. Pickled by name."""

    def __call__(self, *, threads: int) -> AbstractContextManager[Services]:
        """Return services with an empty database.

        Args:
            threads: Threads of a local model, if the settings do not say.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RanCase:
    """A case that a worker ran: its rollout, and what its session stores."""

    rollout: CaseRollout = field(hash=False)
    setup: RunConfig = field(hash=False)
    messages: tuple[NewMessage, ...] = field(hash=False)
    """The messages of the session, root first."""
    message_ids: tuple[str, ...]
    """Their ids in the worker's database."""


class CaseWorker:
    """Runs cases in a process of Ray. Its methods are called from several threads.

    Args:
        open_services: Opens the services.
        plan: The plan of the run. Its cases, arms and tools are not used, because each case comes with its own.
        toolsets: Toolsets that are saved in the database of the starting process, by name.
        threads: Threads of a local model, if the settings do not say.
    """

    def __init__(
        self, open_services: WorkerServices, plan: RunPlan, toolsets: dict[str, str], threads: int
    ) -> None:
        self._open_services = open_services
        self._plan = plan
        self._toolsets = toolsets
        self._threads = threads
        self._stopped = set[str]()
        self._closing = ExitStack()
        self._opening = Lock()
        self._opened: tuple[Services, str] | None = None

    def ready(self) -> str:
        """Open the services, and return the version of the workbench that the worker runs.

        Raises:
            WorkbenchError: A setting is invalid, or the database cannot be created.
        """
        self._services_and_run()
        return __version__

    def run(self, task: str, job: Job, tools_text: str) -> RanCase:
        """Run a case.

        Args:
            task: The name for `stop`.
            tools_text: The offered tools, as in `RunPlan.tools`.

        Raises:
            WorkbenchError: As for `CaseExecutor.run`, or the database of the worker fails.
        """
        rollout = self._runner(job, tools_text).run(job, is_cancelled=lambda: task in self._stopped)
        services, _ = self._services_and_run()
        session = services.sessions.find_session(rollout.session_id or "")
        if session is None:
            raise EngineError("the session of the case is missing from the worker's database")
        path = services.sessions.path(session.id)
        messages = [
            NewMessage(
                message=stored.message,
                origin=stored.origin,
                generation=stored.generation,
                tool_run=stored.tool_run,
                world_patch=stored.world_patch,
            )
            for stored in path
        ]
        message_ids = tuple(stored.id for stored in path)
        return RanCase(
            rollout=rollout, setup=session.setup, messages=tuple(messages), message_ids=message_ids
        )

    def judge(self, task: str, rubric: str, job: Job, rollout: CaseRollout) -> RubricVerdict:
        """Ask the judge for a verdict on a rollout."""
        return self._runner(job, "[]").judge(rubric, job, rollout, is_cancelled=lambda: task in self._stopped)

    def stop(self, task: str) -> None:
        """Stop what runs, or will run, under this name."""
        self._stopped.add(task)

    def close(self) -> None:
        """Unload the models, and delete the database."""
        self._closing.close()

    def _runner(self, job: Job, tools_text: str) -> CaseRunner:
        services, run_id = self._services_and_run()
        plan = replace(self._plan, tools={tools_key(job.case): tools_text})
        return CaseRunner(services=services, run_id=run_id, plan=plan)

    def _services_and_run(self) -> tuple[Services, str]:
        """Return the services and the id of the run in the worker's own database. The first call opens them.

        An error that `__init__` raised would reach the starting process only as a text.
        """
        with self._opening:
            if self._opened is None:
                services = self._closing.enter_context(self._open_services(threads=self._threads))
                services = replace(services, catalog=services.catalog.with_toolsets(self._toolsets))
                self._opened = services, services.runs.create_run("cases", self._plan).id
            return self._opened


@dataclass(frozen=True, slots=True, kw_only=True)
class RayWorkers:
    """The workers of one run, ready to run cases."""

    ray: Any
    actors: Sequence[Any]
    """Handles of `CaseWorker`."""


class _Share(NamedTuple):
    """What a worker gets of its machine."""

    cores: float
    gpus: float


@contextmanager
def ray_workers(
    ray: Any, services: Services, plan: RunPlan, open_services: WorkerServices, count: int | None
) -> Generator[RayWorkers]:
    """Start workers for a run, and end them afterwards.

    Args:
        ray: The module, connected.
        services: Of the process that starts the run.
        count: Number of workers; None starts one per machine.

    Raises:
        BadInput: A worker has another version of the workbench, or its settings are invalid.
        EngineError: A worker could not start.
    """
    count, share = _shares(ray, count)
    remote = ray.remote(CaseWorker).options(
        num_cpus=share.cores,
        num_gpus=share.gpus,
        scheduling_strategy="SPREAD",
        # One thread per case, and one for `stop`.
        max_concurrency=plan.at_once + 1,
        max_restarts=_ALWAYS,
    )
    # Ray keeps large arguments apart, where they can be lost before a worker starts again.
    small = replace(plan, cases=(), arms=(), tools={})
    toolsets = dict(services.saved_toolsets())
    actors = [remote.remote(open_services, small, toolsets, max(1, int(share.cores))) for _ in range(count)]
    try:
        for version in [
            result_of(ray, reference) for reference in [actor.ready.remote() for actor in actors]
        ]:
            if version != __version__:
                raise BadInput(
                    "--engine ray",
                    f"a worker has version {version} of the workbench, and this is version {__version__}",
                    "install the same version on every machine",
                )
        yield RayWorkers(ray=ray, actors=actors)
    finally:
        closed = [actor.close.remote() for actor in actors]
        # A worker that does not answer is ended with the connection to Ray.
        ray.wait(closed, num_returns=count, timeout=_CLOSE_S)


def _shares(ray: Any, count: int | None) -> tuple[int, _Share]:
    """Return the number of workers, and the equal share of its machine that each of them gets."""
    machines = [node["Resources"] for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
    if not machines:
        raise BadInput("--engine ray", "no machine of the cluster has cores for workers")
    count = count or len(machines)
    per_machine = -(-count // len(machines))
    least = [min(machine.get(name, 0.0) for machine in machines) for name in ("CPU", "GPU")]
    return count, _Share(*(_share(total, per_machine) for total in least))


def _share(total: float, workers: int) -> float:
    """Return an equal share of a resource: a whole number, or less than 1, as Ray requires."""
    return total // workers if total >= workers else floor(total / workers * 1000) / 1000


class RayCases:
    """Runs the cases of one run on workers. A `workbench.suite.runner.CaseExecutor`.

    If a worker ends during a case, another one runs the case again, and Ray starts a new process for the worker.

    Args:
        services: Of this process, whose database stores the rollouts.
        run_id: The run.
        plan: Its plan.
        workers: The workers of the run.
    """

    def __init__(self, services: Services, run_id: str, plan: RunPlan, workers: RayWorkers) -> None:
        self._services = services
        self._run_id = run_id
        self._plan = plan
        self._ray = workers.ray
        self._actors = workers.actors
        self._free: SimpleQueue[Any] = SimpleQueue()
        self._restarting: SimpleQueue[tuple[Any, Any]] = SimpleQueue()
        """Workers that ended, each with the task that is done once its new process is ready."""

    def group_of(self, arm: Arm) -> int:
        """Return how many cases of the arm a worker runs at once. So all local models are one group."""
        return self._plan.at_once if self._services.models.status(arm.model).is_remote else 1

    def at_once(self, arm: Arm) -> int:
        """Return how many cases all workers together run at once."""
        places = list(self._actors) * self.group_of(arm)
        self._free, self._restarting = SimpleQueue(), SimpleQueue()
        for actor in places:
            self._free.put(actor)
        return len(places)

    def run(self, job: Job, *, is_cancelled: IsCancelled) -> CaseRollout:
        """Run a case on a free worker, store its session here, and return its rollout."""
        tools_text = self._plan.tools.get(tools_key(job.case), "[]")
        ran = self._result("run", job, tools_text, is_cancelled=is_cancelled)
        session = self._services.sessions.create_session(ran.setup, session_id=ran.rollout.session_id)
        self._services.runs.add_session(self._run_id, session.id)
        self._services.sessions.rename_session(session.id, rollout_title(job))
        stored = self._services.sessions.append_all(session.id, ran.messages, parent_id=None)
        ids = {theirs: message.id for theirs, message in zip(ran.message_ids, stored, strict=True)}
        turns = [replace(turn, message_id=ids.get(turn.message_id, "")) for turn in ran.rollout.turns]
        price = self._services.price_of(job.arm.model)
        return replace(ran.rollout, price=price, turns=tuple(turns))

    def judge(
        self, rubric: str, job: Job, rollout: CaseRollout, *, is_cancelled: IsCancelled
    ) -> RubricVerdict:
        """Ask the judge for a verdict, on a free worker."""
        return self._result("judge", rubric, job, rollout, is_cancelled=is_cancelled)

    def _result(self, method: str, *arguments: object, is_cancelled: IsCancelled) -> Any:
        """Call a method of a free worker and return its result. If the worker ends, try others."""
        for tries_left in reversed(range(_TRIES)):
            actor, lay_down = self._free_worker(is_cancelled), self._free.put
            try:
                return self._called(actor, method, arguments, is_cancelled)
            except WorkerEnded as error:
                lay_down = self._put_when_ready
                if not tries_left or is_cancelled():
                    raise
                _LOG.warning("%s; its case is run again", error)
            finally:
                lay_down(actor)
        raise WorkerEnded

    def _called(self, actor: Any, method: str, arguments: Sequence[object], is_cancelled: IsCancelled) -> Any:
        """Call a method of a worker and return its result. Once this is cancelled, ask the worker to stop."""
        task, is_stopped = uuid4().hex, False
        reference = getattr(actor, method).remote(task, *arguments)
        while not self._ray.wait([reference], timeout=_LOOK_EVERY_S)[0]:
            if not is_stopped and is_cancelled():
                actor.stop.remote(task)
                is_stopped = True
        return result_of(self._ray, reference)

    def _free_worker(self, is_cancelled: IsCancelled) -> Any:
        """Return a free worker. There is one for each thread that calls, except while workers start again."""
        while True:
            self._take_back()
            with suppress(Empty):
                return self._free.get(timeout=_LOOK_EVERY_S)
            if is_cancelled():
                raise WorkerEnded

    def _put_when_ready(self, actor: Any) -> None:
        ready = actor.ready.options(max_task_retries=_ALWAYS).remote()
        self._restarting.put((ready, actor))

    def _take_back(self) -> None:
        """Make the workers free that have started again."""
        for _ in range(self._restarting.qsize()):
            with suppress(Empty):
                ready, actor = self._restarting.get_nowait()
                if self._ray.wait([ready], timeout=0)[0]:
                    self._free.put(actor)
                else:
                    self._restarting.put((ready, actor))
