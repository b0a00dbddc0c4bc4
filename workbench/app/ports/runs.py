"""The port of runs: what is kept of them, for whom."""

from collections.abc import Sequence
from typing import Protocol

from workbench.records.runs import KeptRun, ListedRun, PlayedArm, RunState
from workbench.suite.plan import Plan
from workbench.suite.result import CaseResult


class Runs(Protocol):
    """The runs of one owner. Every method commits before it returns, and may raise StoreError.

    Another owner's run is as if there were none.
    """

    def create_run(self, title: str, plan: Plan) -> KeptRun:
        """A new run, of which nothing is played yet."""
        ...

    def find_run(self, run_id: str) -> KeptRun | None:
        """The run of that id, or whose id begins so; None where there is none, or several."""
        ...

    def list_runs(self, *, limit: int = 50, offset: int = 0) -> Sequence[ListedRun]:
        """The runs, the newest first."""
        ...

    def add_session(self, run_id: str, session_id: str) -> None:
        """The session is a rollout of the run: lists of conversations leave it out."""
        ...

    def save_result(self, run_id: str, result: CaseResult) -> None:
        """A result; where the play has one already, that one stays."""
        ...

    def results(self, run_id: str) -> Sequence[CaseResult]:
        """All results up to now, in the order of the plan."""
        ...

    def arms_of(self, contract_name: str, *, limit: int = 50) -> Sequence[PlayedArm]:
        """The arms that played any version of a contract and have results, those of the newest run first.

        Args:
            contract_name: Without a version.
            limit: Runs to look into, the newest first.
        """
        ...

    def move_run(self, run_id: str, state: RunState) -> None:
        """Says how far the run is."""
        ...

    def forget_errors(self, run_id: str) -> int:
        """Takes away the results of plays that could not be scored, so that they are played again."""
        ...

    def delete_run(self, run_id: str) -> None:
        """Removes the run and its results; its rollouts are deleted as other sessions are."""
        ...
