"""Run suites: each case is a turn in its own session, and each result is stored."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.app.prepare import ready_turn
from workbench.app.queued_engine import QueuedEngine
from workbench.app.runs.bfcl_conversations import bfcl_question, bfcl_toolbox, bfcl_verdict
from workbench.app.runs.conversations import (
    ask_model,
    person_of,
    run_conversation,
    with_solution,
)
from workbench.app.runs.planning import title_of
from workbench.app.services import Services
from workbench.app.turn_request import TurnContext, TurnRequest
from workbench.app.turns import begin_session, run_turn
from workbench.chat.message import Message
from workbench.errors import BadInput, EngineError
from workbench.names import shown_title
from workbench.records.run_config import RunConfig
from workbench.records.runs import RunState, StoredRun
from workbench.records.sessions import SEPARATOR, MessageOrigin, NewMessage
from workbench.records.versions import name_in
from workbench.rollout.ports import FinishReason
from workbench.rollout.sampling import Sampling
from workbench.rollout.stopping import signal_of
from workbench.rollout.tool_faults import PlantedFaults
from workbench.settings import Secret
from workbench.suite.case_rollout import (
    VERDICT_SCHEMA,
    CaseRollout,
    RubricVerdict,
    judging_conversation,
    parse_verdict,
    rollout_of,
)
from workbench.suite.conversation import without_mistakes
from workbench.suite.expectation import BFCL_VERDICT
from workbench.suite.improve.candidate import described
from workbench.suite.plan import SOLUTION, Arm, Job, RunPlan, tools_key
from workbench.suite.runner import CaseExecutor, CaseFinished, IsCancelled, RunEnded, RunEvent, run
from workbench.suite.variants import vary_tools, with_original_names
from workbench.toolbox.entry import Staging
from workbench.toolspec.tools_text import parse_tools, render_tools

_FORCED = "required"
_VERDICT_TOKENS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRunner:
    """Runs the cases of one suite run. A `workbench.suite.runner.CaseExecutor`."""

    services: Services
    run_id: str
    plan: RunPlan
    token: Secret | None = None
    """A visitor's own access token for hosted models."""

    def group_of(self, arm: Arm) -> str:
        """Return the label of the arm: one arm runs after the other."""
        return arm.label

    def at_once(self, arm: Arm) -> int:
        """Return how many cases of an arm may run at the same time."""
        if arm.model == SOLUTION:
            return 1
        return self.plan.at_once if self._engine(arm.model).capabilities.takes_many else 1

    def run(self, job: Job, *, is_cancelled: IsCancelled) -> CaseRollout:
        """Run a case and return its rollout."""
        setup, staging = self._staged(job)
        services = with_solution(self.services, job) if job.arm.model == SOLUTION else self.services
        session_id = begin_session(services, setup, token=self.token).id
        self.services.runs.add_session(self.run_id, session_id)
        self.services.sessions.rename_session(session_id, rollout_title(job))
        history = job.case.messages[:-1]
        if history:
            self._store_history(services, session_id, setup, history)
        text = job.case.messages[-1].text
        turn_request = TurnRequest(setup=setup, session_id=session_id, text=text, token=self.token)
        faults = PlantedFaults(job.arm.faults, f"{job.case.key} {job.repetition}") if job.arm.faults else None
        question = bfcl_question(job.case)
        context = TurnContext(
            is_cancelled=is_cancelled,
            staging=staging,
            faults=faults,
            toolbox=bfcl_toolbox(question, is_space=services.settings.is_on_space) if question else None,
        )
        price = self.services.price_of(job.arm.model)
        if job.case.user is None:
            events = run_turn(services, turn_request, context)
            rollout = rollout_of(events, session_id=session_id, price=price)
        else:
            model, family = self.plan.person, setup.contract().family
            person = person_of(self.services, job, model, family, is_cancelled, token=self.token)
            rollout = run_conversation(
                services,
                turn_request,
                context,
                person,
                price=price,
                missed=question.missed if question else {},
            )
            tools = setup.offered_tools()
            rollout = without_mistakes(job.case.user, rollout, tools, has_model=bool(model))
        start = services.tools.world_start(setup.offered_tools().names, staging)
        return with_original_names(replace(rollout, world_start=start), staging.originals)

    def judge(
        self, rubric: str, job: Job, rollout: CaseRollout, *, is_cancelled: IsCancelled
    ) -> RubricVerdict:
        """Ask the judge for a verdict on a rollout."""
        if rubric == BFCL_VERDICT:
            return bfcl_verdict(job.case, rollout)
        name = self.plan.judge or job.arm.model
        answer = ask_model(
            self.services,
            name,
            judging_conversation(rubric, job.case, rollout),
            family=self._setup(job).contract().family,
            sampling=Sampling(max_tokens=_VERDICT_TOKENS),
            is_cancelled=is_cancelled,
            token=self.token,
            answer_schema=VERDICT_SCHEMA,
        )
        verdict = parse_verdict(answer, judge=name)
        if verdict is None:
            raise EngineError(f"the judge {name!r} did not return a verdict: {answer[:60]!r}")
        return verdict

    def _engine(self, name: str) -> QueuedEngine:
        return self.services.engine(name, token=self.token)

    def _staged(self, job: Job) -> tuple[RunConfig, Staging]:
        """Return the setup of a case, with its tools varied as the arm requires."""
        setup = self._setup(job)
        if job.arm.descriptions:
            setup = replace(
                setup, tools_text=render_tools(described(setup.offered_tools(), job.arm.descriptions))
            )
        if job.arm.variation is None:
            return setup, Staging(mocks=job.case.mocks, world=job.case.world)
        varied = vary_tools(setup.offered_tools(), job.arm.variation)
        new_names = {old: new for new, old in varied.originals.items()}
        choice = new_names.get(setup.tool_choice, setup.tool_choice)
        tools_text = render_tools(varied.tools)
        staging = Staging(mocks=job.case.mocks, originals=varied.originals, world=job.case.world)
        return replace(setup, tools_text=tools_text, tool_choice=choice), staging

    def _setup(self, job: Job) -> RunConfig:
        arm, case = job.arm, job.case
        tools_text = self.plan.tools.get(tools_key(case), "[]")
        choice = case.tool_choice or arm.tool_choice
        # Without tools, no call can be forced.
        can_be_forced = bool(parse_tools(tools_text).specs)
        return RunConfig(
            contract_name=name_in(arm.contract_name),
            contract_text=arm.contract_text,
            tools_text=tools_text,
            model=arm.model,
            tool_choice=choice if choice != _FORCED or can_be_forced else "auto",
            sampling=job.sampling,
            max_rounds=case.max_rounds or self.plan.max_rounds,
            is_constrained=arm.is_constrained,
            ephemeral=SEPARATOR.join(filter(None, (arm.ephemeral, case.system))),
            variables={**arm.variables, **case.variables},
        )

    def _store_history(
        self, services: Services, session_id: str, setup: RunConfig, history: Sequence[Message]
    ) -> None:
        """Store the messages before the case's last one, under the system text of the setup."""
        system = ready_turn(services, setup, token=self.token).system_message()
        new = [NewMessage(message=message, origin=MessageOrigin.IMPORT) for message in (system, *history)]
        self.services.sessions.append_all(session_id, new, parent_id=None)


def rollout_title(job: Job) -> str:
    """Return the title of the session that stores the rollout of a job."""
    return shown_title(f"{job.case.key} · {job.arm.label}"[:200])


def begin_run(services: Services, plan: RunPlan) -> StoredRun:
    """Store a new run without results.

    Raises:
        BadInput: The run exceeds the owner's limits.
        StoreError: The run could not be stored.
    """
    services.limits.check_plan(plan)
    return services.runs.create_run(title_of(plan), plan)


def find_run(services: Services, run_id: str) -> StoredRun:
    """Return a run by its id, by the start of its id, or by the word `last` for the newest.

    Raises:
        BadInput: There is not exactly one such run.
        StoreError: The runs cannot be read.
    """
    if run_id == "last":
        newest = services.runs.list_runs(limit=1)
        if not newest:
            raise BadInput("run 'last'", "there are no runs yet", "start one with `workbench run SUITE`")
        run_id = newest[0].id
    found = services.runs.find_run(run_id)
    if found is None:
        raise BadInput(
            f"run {run_id!r}", "there is no such run, or several", "list them with `workbench runs list`"
        )
    return found


def execute_run(
    services: Services,
    stored: StoredRun,
    *,
    is_cancelled: IsCancelled,
    token: Secret | None = None,
    is_handed_over: bool = False,
    takes_over: bool = False,
    executor: CaseExecutor | None = None,
) -> Iterator[RunEvent]:
    """Take a run, and return an iterator that runs the cases that have no result yet.

    Each result is stored before its event is yielded. No other process can run the run until the iterator ends.
    Results that are errors are deleted, and their cases run again.

    Args:
        token: A visitor's own access token for hosted models.
        is_handed_over: Whether another server continues the run if it is interrupted, so that it stays in the state
            `running`.
        takes_over: Whether to take the run from the server that ran it.
        executor: Runs the cases. None runs them in this process.

    Raises:
        BadInput: The run exceeds the owner's limits, or another process is running it.
        StoreError: A rollout or a result could not be stored. Earlier results remain stored.
    """
    services.runs.begin_run(stored.id, takes_over=takes_over)
    return _executed(services, stored, is_cancelled, token, executor, is_handed_over=is_handed_over)


def _executed(
    services: Services,
    stored: StoredRun,
    is_cancelled: IsCancelled,
    token: Secret | None,
    executor: CaseExecutor | None,
    *,
    is_handed_over: bool,
) -> Iterator[RunEvent]:
    has_ended = False
    try:
        services.limits.check_plan(stored.plan)
        with services.at_work() as at_work:
            own = CaseRunner(services=at_work, run_id=stored.id, plan=stored.plan, token=token)
            events = _events(at_work, stored, is_cancelled, executor or own, is_handed_over=is_handed_over)
            for event in events:
                has_ended = isinstance(event, RunEnded)
                yield event
    finally:
        if not has_ended:
            services.runs.end_run(stored.id, RunState.INTERRUPTED)


def is_interrupted(is_cancelled: IsCancelled) -> bool:
    """Whether work was stopped because the server ends, and not by a person."""
    return is_cancelled() and signal_of(is_cancelled).reason is FinishReason.INTERRUPTED


def _events(
    services: Services,
    stored: StoredRun,
    is_cancelled: IsCancelled,
    executor: CaseExecutor,
    *,
    is_handed_over: bool,
) -> Iterator[RunEvent]:
    runs = services.runs
    runs.forget_errors(stored.id)
    events = run(
        stored.plan.jobs(),
        executor,
        clock=services.calendar,
        timeout_s=stored.plan.timeout_s,
        is_cancelled=is_cancelled,
        done=runs.results(stored.id),
    )
    for event in events:
        if isinstance(event, CaseFinished):
            runs.save_result(stored.id, event.result)
        elif isinstance(event, RunEnded) and not event.is_cancelled:
            runs.end_run(stored.id, RunState.DONE)
        elif isinstance(event, RunEnded) and not (is_handed_over and is_interrupted(is_cancelled)):
            runs.end_run(stored.id, RunState.STOPPED)
        yield event
