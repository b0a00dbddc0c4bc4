"""The stored result of one repetition of a case: status, score and measurements."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, cast

from pydantic import TypeAdapter

from workbench.chat.figures import known_sum
from workbench.chat.json_value import JsonObject
from workbench.hermes.reading import CallStatus
from workbench.suite.call_score import ExpectationResult, calls_text
from workbench.suite.case_rollout import CaseRollout
from workbench.suite.conversation_score import needless_calls
from workbench.suite.expectation import expected_tools, expects_call
from workbench.suite.plan import Job
from workbench.suite.score import Score


class CaseStatus(StrEnum):
    """The status of one repetition of a case."""

    PASSED = "passed"
    FAILED = "failed"
    UNCHECKED = "unchecked"
    """The case expects nothing, so the answer is neither right nor wrong."""
    ERROR = "error"
    """The repetition could not be scored, so it says nothing about the model."""
    VOID = "void"
    """The person of the conversation made a mistake, so it says nothing about the model."""


class Blame(StrEnum):
    """Who is the reason that a repetition did not pass."""

    MODEL = "model"
    PERSON = "person"
    WORLD = "world"
    """A tool failed or did not answer, and the rest of the conversation broke an expectation."""
    JUDGE = "judge"
    """The judge gave no verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseMeasures:
    """Measurements of one repetition of a case."""

    prompt_tokens: int | None = None
    """Length of the first prompt. None if the engine does not report it, as for the next three."""
    completion_tokens: int | None = None
    """Number of generated tokens over all rounds."""
    evaluated_tokens: int | None = None
    """Prompt tokens that were not in the prefix cache, over all rounds."""
    seconds: float = 0.0
    """Generation time over all rounds."""
    prompt_seconds: float | None = None
    """The part of `seconds` before the first token of each round. None if a round has no token."""
    rounds: int = 0
    calls: int = 0
    """Number of calls that could be read."""
    valid_calls: int = 0
    """Number of calls whose arguments match the schema of an offered tool."""
    dropped: int = 0
    """Number of call blocks that were dropped."""
    fixes: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)
    """Number of fixes by code."""
    findings: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)
    """Number of findings by code, in completions and about how they were generated."""
    has_wrong_tool: bool = False
    """Whether a tool was called that the case does not name."""
    is_needless: bool = False
    """Whether a tool was called although the case allows no calls."""
    expects_call: bool | None = None
    """Whether the case expects a call, or None if it leaves this open."""
    cost: float | None = None
    """Cost in US dollars, or None if the price is not known."""
    turns: int | None = None
    """Number of the person's messages in a conversation. None for a single turn."""
    needless_calls: int | None = None
    """Number of calls in a conversation that asked again for what the model already had. None for a single turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """The result of one repetition of a case."""

    key: str
    arm: str
    suite: str
    case_id: str
    repetition: int
    """From 0."""
    status: CaseStatus
    tags: tuple[str, ...] = ()
    share: float = 0.0
    """Weight of the expectations that hold, as a share of the total weight."""
    outcomes: tuple[ExpectationResult, ...] = ()
    """A result for each expectation. Empty if the repetition could not be scored."""
    measures: CaseMeasures = CaseMeasures()
    error: str = ""
    """Why the repetition could not be scored. Empty if it was."""
    session_id: str | None = None
    """The session that stores the rollout, or None if it is not stored."""
    said: str = ""
    """The last user message of the case."""
    calls_told: str = ""
    """The calls, as text for a person."""
    answer: str = ""
    """Prose of the last completion."""
    blame: Blame | None = None
    """Who is the reason that it did not pass. None if it passed, or if nobody can be blamed."""
    turn: int | None = None
    """The turn of the conversation in which the first expectation broke, or the person made a mistake, from 1."""
    message_id: str = ""
    """The person's message that begins this turn. Empty without such a turn."""

    @property
    def case_key(self) -> str:
        """Identifies the case among all suites."""
        return f"{self.suite}/{self.case_id}"

    @property
    def is_passed(self) -> bool:
        """Whether the case passed."""
        return self.status is CaseStatus.PASSED

    @property
    def is_checked(self) -> bool:
        """Whether the answer was compared with expectations, so that it counts in rates."""
        return self.status in (CaseStatus.PASSED, CaseStatus.FAILED)

    @property
    def reason(self) -> str:
        """Why the case failed, in one line; empty if it passed."""
        return self.error or "; ".join(outcome.reason for outcome in self.outcomes if not outcome.holds)


def result_of(job: Job, rollout: CaseRollout, scored: Score) -> CaseResult:
    """Return the result of a rollout that was scored."""
    status = CaseStatus.PASSED if scored.is_passed else CaseStatus.FAILED
    turn = min((outcome.turn for outcome in scored.outcomes if outcome.turn), default=None)
    has_failed = status is CaseStatus.FAILED and bool(scored.outcomes)
    return CaseResult(
        **_identity(job),
        **(_broken_turn(rollout, turn) if has_failed else {}),
        blame=_blame(rollout) if has_failed else None,
        status=status if scored.outcomes else CaseStatus.UNCHECKED,
        share=scored.share,
        outcomes=tuple(replace(outcome, reason=_storable(outcome.reason)) for outcome in scored.outcomes),
        measures=measures_of(job, rollout),
        session_id=rollout.session_id,
        calls_told=_storable(calls_text(rollout.calls)),
        answer=_storable(rollout.answer),
    )


def void_of(job: Job, rollout: CaseRollout) -> CaseResult:
    """Return the result of a conversation in which the person made a mistake."""
    return CaseResult(
        **_identity(job),
        **_broken_turn(rollout, rollout.void_turn),
        status=CaseStatus.VOID,
        error=_storable(rollout.void),
        measures=measures_of(job, rollout),
        session_id=rollout.session_id,
        calls_told=_storable(calls_text(rollout.calls)),
        answer=_storable(rollout.answer),
        blame=Blame.PERSON,
    )


def error_of(
    job: Job, error: str, rollout: CaseRollout | None = None, *, blame: Blame | None = None
) -> CaseResult:
    """Return the result of a rollout that could not be scored, or did not start."""
    session_id = rollout.session_id if rollout else None
    measures = measures_of(job, rollout) if rollout else CaseMeasures()
    return CaseResult(
        **_identity(job),
        status=CaseStatus.ERROR,
        error=_storable(error),
        session_id=session_id,
        measures=measures,
        blame=blame,
    )


def measures_of(job: Job, rollout: CaseRollout) -> CaseMeasures:
    """Return the measurements of a rollout."""
    calls, expectations = rollout.calls, job.case.expectations
    tools, is_call_expected = expected_tools(expectations), expects_call(expectations)
    return CaseMeasures(
        prompt_tokens=rollout.prompt_tokens,
        completion_tokens=rollout.completion_tokens,
        evaluated_tokens=known_sum(timing.evaluated_tokens for timing in rollout.timings),
        seconds=rollout.seconds,
        prompt_seconds=known_sum(timing.time_to_first_token_s for timing in rollout.timings),
        rounds=len(rollout.completions),
        calls=len(calls),
        valid_calls=sum(call.status is CallStatus.READY for call in calls),
        dropped=rollout.dropped,
        fixes=dict(sorted(Counter(rollout.fixes).items())),
        findings=dict(sorted(Counter(rollout.findings).items())),
        has_wrong_tool=tools is not None and any(call.name not in tools for call in rollout.first_calls),
        is_needless=is_call_expected is False and bool(calls),
        expects_call=is_call_expected,
        cost=rollout.cost,
        turns=len(rollout.turns) or None,
        needless_calls=needless_calls(rollout) if rollout.turns else None,
    )


def result_document(result: CaseResult) -> JsonObject:
    """Return the result as JSON."""
    return cast(JsonObject, _RESULT.dump_python(result, mode="json"))


def result_value(document: Mapping[str, Any]) -> CaseResult:
    """Parse a result from JSON.

    Raises:
        ValueError: The document is not a result.
    """
    result = _RESULT.validate_python(document)
    if result.measures.prompt_tokens != 0:
        return result
    # Until release 0.3, a prompt of unknown length had 0 tokens, and the other counts were guesses.
    unknown = replace(result.measures, prompt_tokens=None, completion_tokens=None, cost=None)
    return replace(result, measures=unknown)


def _broken_turn(rollout: CaseRollout, turn: int | None) -> dict[str, Any]:
    """Return a turn of a conversation and the message that begins it, as fields of a result."""
    if turn is None or not 0 < turn <= len(rollout.turns):
        return {}
    return {"turn": turn, "message_id": rollout.turns[turn - 1].message_id}


def _blame(rollout: CaseRollout) -> Blame:
    return Blame.WORLD if any(run.run.is_world_fault for run in rollout.tool_runs) else Blame.MODEL


def _storable(text: str) -> str:
    """Replace characters that no database stores, NUL and lone surrogates, by U+FFFD.

    A model can write them as JSON escapes, such as `"\\ud83d"` for half an emoji.
    """
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _identity(job: Job) -> dict[str, Any]:
    case = job.case
    return {
        "key": job.key,
        "arm": job.arm.label,
        "suite": case.suite,
        "case_id": case.id,
        "repetition": job.repetition,
        "tags": case.tags,
        "said": case.messages[-1].text,
    }


_RESULT: Final = TypeAdapter(CaseResult)
