"""Runs begun, gone on with, and kept while they are played."""

from collections.abc import Iterator

from workbench.app.runs.planning import title_of
from workbench.app.runs.playing import DeskPlayer
from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.records.runs import KeptRun, RunState
from workbench.settings import Secret
from workbench.suite.plan import Plan
from workbench.suite.runner import CaseFinished, IsCancelled, RunEnded, RunEvent, run


def begin_run(services: Services, plan: Plan) -> KeptRun:
    """A new run, of which nothing is played yet.

    Raises:
        BadInput: It asks for more than its owner may.
        StoreError: It could not be kept.
    """
    services.limits.check_plan(plan)
    return services.runs.create_run(title_of(plan), plan)


def find_run(services: Services, run_id: str) -> KeptRun:
    """The run of that id, or whose id begins so; `last` is the newest.

    Raises:
        BadInput: There is none, or several.
        StoreError: The runs cannot be read.
    """
    if run_id == "last":
        newest = services.runs.list_runs(limit=1)
        run_id = newest[0].id if newest else ""
    found = services.runs.find_run(run_id)
    if found is None:
        raise BadInput(
            f"run {run_id!r}", "there is no such run, or several", "`workbench run --list` shows all"
        )
    return found


def play_run(
    services: Services, kept: KeptRun, *, is_cancelled: IsCancelled, token: Secret | None = None
) -> Iterator[RunEvent]:
    """Plays what of the run has no result yet; each result is committed before it is told.

    Plays that could not be scored are played again.

    Args:
        services: The edges.
        kept: The run.
        is_cancelled: True once a person has stopped it.
        token: A visitor's own, for hosted models.

    Raises:
        BadInput: It asks for more than its owner may.
        StoreError: A rollout or a result could not be kept. What was told before stays true.
    """
    services.limits.check_plan(kept.plan)
    with services.at_work() as at_work:
        yield from _played(at_work, kept, is_cancelled, token)


def _played(
    services: Services, kept: KeptRun, is_cancelled: IsCancelled, token: Secret | None
) -> Iterator[RunEvent]:
    runs = services.runs
    runs.forget_errors(kept.id)
    runs.move_run(kept.id, RunState.RUNNING)
    events = run(
        kept.plan.jobs(),
        DeskPlayer(services=services, run_id=kept.id, plan=kept.plan, token=token),
        clock=services.calendar,
        timeout_s=kept.plan.timeout_s,
        is_cancelled=is_cancelled,
        done=runs.results(kept.id),
    )
    for event in events:
        if isinstance(event, CaseFinished):
            runs.save_result(kept.id, event.result)
        elif isinstance(event, RunEnded):
            runs.move_run(kept.id, RunState.STOPPED if event.is_cancelled else RunState.DONE)
        yield event
