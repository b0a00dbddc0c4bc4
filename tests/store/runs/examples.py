"""A run for tests of the store."""

from workbench.records.runs import StoredRun
from workbench.store.store import OwnedStore
from workbench.suite.call_score import ExpectationResult
from workbench.suite.plan import Arm, RunPlan
from workbench.suite.read_suite import parse_case
from workbench.suite.result import CaseMeasures, CaseResult, CaseStatus

CONTRACT = "---\ntitle: Short\nfamily: hermes-lines\n---\nCall tools.\n"
PLAN = RunPlan(
    cases=tuple(
        parse_case({"id": case_id, "prompt": "hi", "expect": [{"no_call": True}]}, suite="s")
        for case_id in ("a", "b")
    ),
    arms=(Arm(label="short", contract_name="short", contract_text=CONTRACT, model="embedded"),),
    repeat=2,
)
RESULT = CaseResult(
    key=PLAN.jobs()[0].key,
    arm="short",
    suite="s",
    case_id="a",
    repetition=0,
    status=CaseStatus.FAILED,
    outcomes=(ExpectationResult(kind="no_call", holds=False, reason="called f(ü=1)"),),
    measures=CaseMeasures(prompt_tokens=7, fixes={"trailing-comma": 1}, expects_call=False),
)


def give_run(own: OwnedStore, session_id: str | None = None, *, title: str = "s: short") -> StoredRun:
    """Store a run with one result, and make the session its rollout."""
    run = own.runs.create_run(title, PLAN)
    own.runs.save_result(run.id, RESULT)
    if session_id:
        own.runs.add_session(run.id, session_id)
    return run
