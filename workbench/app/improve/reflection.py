"""Ask a model for a better contract, with what went wrong in a few cases."""

from collections.abc import Sequence
from typing import Final

from workbench.app.services import Services
from workbench.chat.message import Conversation, Message, Role
from workbench.errors import EngineError
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.loop import Turn, run_rollout
from workbench.rollout.sampling import Sampling
from workbench.suite.case import Case
from workbench.suite.case_rollout import rollout_of
from workbench.suite.improve.candidate import Candidate
from workbench.suite.plan import RunPlan
from workbench.suite.result import CaseResult
from workbench.suite.runner import IsCancelled
from workbench.suite.search_plan import Search
from workbench.toolspec.spec import OfferedTools, canonical_json

_TOKENS: Final = 2000
_SHOWN_CHARS: Final = 1200
_TASK: Final = """You improve the system prompt of an assistant that calls tools. Here it is:

```
{contract}
```

These requests went wrong:

{records}

Write the whole improved prompt between two lines of three backticks, and nothing after it. Keep the paragraph with the
tools and every placeholder in double braces exactly as they are. Change as little as possible. Shorter is better. State
general rules, not answers to these requests."""


def propose_text(
    services: Services,
    plan: RunPlan,
    search: Search,
    candidate: Candidate,
    failed: Sequence[CaseResult],
    is_cancelled: IsCancelled,
) -> str:
    """Return the contract text that the proposing model writes, or an empty text if it fails or writes none."""
    cases = {case.key: case for case in plan.cases}
    records = "\n\n".join(_record(services, cases[result.case_key], result) for result in failed)
    # Not `format` for the contract, which has braces of its own.
    request = _TASK.replace("{records}", records).replace("{contract}", candidate.contract.text)
    setup = TurnSetup(
        tools=OfferedTools(),
        family=candidate.contract.family,
        sampling=Sampling(max_tokens=_TOKENS, seed=search.settings.seed),
        max_rounds=1,
    )
    try:
        turn = Turn(
            setup=setup,
            engine=services.engine(search.settings.reflect),
            toolbox=services.catalog.toolbox(),
            clock=services.calendar,
            is_cancelled=is_cancelled,
        )
        conversation = Conversation(messages=(Message(role=Role.USER, text=request),))
        rollout = rollout_of(run_rollout(turn, conversation))
    except EngineError:
        return ""
    return fenced_text("".join(completion.message.text for completion in rollout.completions))


def fenced_text(answer: str) -> str:
    """Return what is between the first and the last line of three backticks; empty if there is no such block.

    >>> fenced_text("Shorter:\\n```text\\nCall tools.\\n```\\n")
    'Call tools.'
    """
    _, _, rest = answer.partition("```")
    body, fence, _ = rest.rpartition("```")
    return body.partition("\n")[2].strip() if fence else ""


def _record(services: Services, case: Case, result: CaseResult) -> str:
    """Return what is known of a failed case: request, raw answer, calls, fixes, findings, and what was expected."""
    raw = ""
    if result.session_id and services.sessions.find_session(result.session_id):
        path = services.sessions.path(result.session_id)
        raw = "\n".join(stored.message.text for stored in path if stored.message.role is Role.ASSISTANT)
    expected = canonical_json([expectation.document() for expectation in case.expectations])
    lines = {
        "End of the prompt": "\n".join(f"{message.role.value}: {message.text}" for message in case.messages),
        "Raw answer": raw or result.answer,
        "Calls that were read": result.calls_told or "none",
        "Fixes by the reader": ", ".join(result.measures.fixes) or "none",
        "Findings": ", ".join(result.measures.findings) or "none",
        "Why it failed": result.reason,
        "What was expected": expected,
    }
    return "\n".join(f"{name}: {text[-_SHOWN_CHARS:]}" for name, text in lines.items())
