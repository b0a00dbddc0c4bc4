"""Run suites in the background: start a run, ask how far it is, and stop it."""

from dataclasses import dataclass, field
from threading import Thread

from workbench.app.api.request import as_text, create_run, run_report
from workbench.app.improve.running import execute_any
from workbench.app.runs.running import find_run
from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.errors import WorkbenchError
from workbench.records.runs import RunState, StoredRun
from workbench.rollout.ports import FinishReason
from workbench.rollout.stopping import StopSignal


@dataclass(slots=True)
class _BackgroundRun:
    stop: StopSignal
    thread: Thread
    problem: str = ""


@dataclass(frozen=True, slots=True)
class AgentRuns:
    """Runs that go on while the agent does something else."""

    services: Services
    _running: dict[str, _BackgroundRun] = field(default_factory=dict[str, _BackgroundRun])

    def start_run(
        self,
        suites: list[str],
        contracts: list[str] | None = None,
        models: list[str] | None = None,
        tool_choice: str = "auto",
        repeat: int = 1,
        limit: int | None = None,
    ) -> str:
        """Start to run suites of cases, without waiting for the result. Ask `run_status` for it.

        Args:
            suites: Names of suites, such as nonsense.
            contracts: Names of contracts to compare. Without it, the default contract.
            models: Names of models to compare. Without it, the default model.
            tool_choice: none, auto, required, or a tool's name.
            repeat: How often to run each case, each time with another seed.
            limit: The most cases to run.

        Returns:
            JSON object with run (its id), title, state, done, total, problem and report.
        """
        stored = create_run(
            self.services, suites, contracts, models, tool_choice=tool_choice, repeat=repeat, limit=limit
        )
        thread = Thread(target=self._execute, args=[stored], name=f"run-{stored.id}")
        self._running[stored.id] = _BackgroundRun(StopSignal(), thread)
        thread.start()
        return as_text(self._status(stored.id))

    def run_status(self, run: str) -> str:
        """Return how far a run is, and its report once it has ended.

        Args:
            run: The id of the run, its beginning, or last.

        Returns:
            JSON object with run (its id), title, state, done, total, problem, and report, which is null until the run
            has ended.
        """
        return as_text(self._status(run))

    def stop_run(self, run: str) -> str:
        """Stop a run that this server started. Results that it has stay stored.

        Args:
            run: The id of the run, its beginning, or last.

        Returns:
            JSON object as of run_status.
        """
        run_id = find_run(self.services, run).listed.id
        if background := self._running.get(run_id):
            background.stop.set()
            background.thread.join()
        return as_text(self._status(run_id))

    def close(self) -> None:
        """Stop all runs and wait until they have ended. They can be continued with `workbench run --resume`."""
        for background in self._running.values():
            background.stop.set(FinishReason.INTERRUPTED)
        for background in self._running.values():
            background.thread.join()

    def _execute(self, stored: StoredRun) -> None:
        background = self._running[stored.id]
        try:
            for _ in execute_any(self.services, stored, is_cancelled=background.stop):
                pass
        except WorkbenchError as error:
            background.problem = str(error)

    def _status(self, run: str) -> JsonObject:
        stored = find_run(self.services, run)
        listed, background = stored.listed, self._running.get(stored.listed.id)
        has_ended = listed.state is not RunState.RUNNING and not (background and background.thread.is_alive())
        return {
            "run": listed.id,
            "title": listed.title,
            "state": listed.state.value,
            "done": listed.done,
            "total": listed.total,
            "problem": background.problem if background else "",
            "report": run_report(self.services, listed.id) if has_ended else None,
        }
