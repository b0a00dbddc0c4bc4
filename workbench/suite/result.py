"""The stored result of one repetition of a case: status, score and measurements."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, cast

from pydantic import TypeAdapter

from workbench.chat.json_value import JsonObject
from workbench.hermes.reading import CallStatus
from workbench.suite.call_score import ExpectationResult, told_calls
from workbench.suite.case_rollout import CaseRollout
from workbench.suite.expectation import expected_tools, expects_call
from workbench.suite.plan import Job
from workbench.suite.score import Score


class CaseStatus(StrEnum):
    """What came of a play."""

    PASSED = "passed"
    """What was wanted."""
    FAILED = "failed"
    """Something else."""
    ERROR = "error"
    """It could not be played to its end: nothing is said of the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseMeasures:
    """What a play took, and what the reader noted."""

    prompt_tokens: int = 0
    """Length of the first prompt."""
    completion_tokens: int = 0
    """What the model wrote, over all rounds."""
    evaluated_tokens: int | None = None
    """Of all prompts, the tokens that were evaluated for them; None where the engine does not say."""
    seconds: float = 0.0
    """What the model took, over all rounds."""
    prompt_seconds: float = 0.0
    """Of these, until the first token of each round."""
    rounds: int = 0
    calls: int = 0
    """Calls that could be read."""
    valid_calls: int = 0
    """Of these, the ones whose arguments hold an offered tool's schema."""
    dropped: int = 0
    """Call blocks that gave no call."""
    fixes: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)
    has_wrong_tool: bool = False
    """A tool was called that the case does not name."""
    is_needless: bool = False
    """Something was called, and nothing should have been."""
    expects_call: bool | None = None
    """Whether the case wants a call; None where it does not say."""
    cost: float | None = None
    """In US dollars; None where the price is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """One play of a case."""

    key: str
    arm: str
    suite: str
    case_id: str
    repetition: int
    """From 0."""
    status: CaseStatus
    tags: tuple[str, ...] = ()
    share: float = 0.0
    """Weight of the expectations that hold, of all weight."""
    outcomes: tuple[ExpectationResult, ...] = ()
    """One an expectation; none where it could not be played."""
    measures: CaseMeasures = CaseMeasures()
    error: str = ""
    """What kept it from being played; empty where nothing did."""
    session_id: str | None = None
    """The stored rollout; None where there is none."""
    said: str = ""
    """What the user said last."""
    calls_told: str = ""
    """The calls, for a person."""
    answer: str = ""
    """The last completion's prose."""

    @property
    def case_key(self) -> str:
        """Tells the case among those of all suites."""
        return f"{self.suite}/{self.case_id}"

    @property
    def is_passed(self) -> bool:
        """True where what was wanted came."""
        return self.status is CaseStatus.PASSED

    @property
    def reason(self) -> str:
        """Why it failed, in one line; empty where it did not."""
        return self.error or "; ".join(one.reason for one in self.outcomes if not one.holds)


def result_of(job: Job, played: CaseRollout, scored: Score) -> CaseResult:
    """The result of a play that was scored."""
    return CaseResult(
        **_identity(job),
        status=CaseStatus.PASSED if scored.is_passed else CaseStatus.FAILED,
        share=scored.share,
        outcomes=tuple(replace(one, reason=_storable(one.reason)) for one in scored.outcomes),
        measures=measures_of(job, played),
        session_id=played.session_id,
        calls_told=_storable(told_calls(played.calls)),
        answer=_storable(played.answer),
    )


def error_of(job: Job, error: str, played: CaseRollout | None = None) -> CaseResult:
    """The result of a play that did not come to its end."""
    session_id = played.session_id if played else None
    measures = measures_of(job, played) if played else CaseMeasures()
    return CaseResult(
        **_identity(job),
        status=CaseStatus.ERROR,
        error=_storable(error),
        session_id=session_id,
        measures=measures,
    )


def measures_of(job: Job, played: CaseRollout) -> CaseMeasures:
    """What a play took, and what was noted of it."""
    calls, expectations = played.calls, job.case.expectations
    named, wants_call = expected_tools(expectations), expects_call(expectations)
    timings = [one.generation.timing for one in played.completions]
    evaluated = [one.evaluated_tokens for one in timings]
    return CaseMeasures(
        prompt_tokens=played.prompt_tokens,
        completion_tokens=played.completion_tokens,
        evaluated_tokens=None if None in evaluated else sum(one or 0 for one in evaluated),
        seconds=played.seconds,
        prompt_seconds=sum(one.time_to_first_token_s for one in timings),
        rounds=len(played.completions),
        calls=len(calls),
        valid_calls=sum(call.status is CallStatus.READY for call in calls),
        dropped=played.dropped,
        fixes=dict(sorted(Counter(played.fixes).items())),
        has_wrong_tool=named is not None and any(call.name not in named for call in played.first_calls),
        is_needless=wants_call is False and bool(calls),
        expects_call=wants_call,
        cost=played.cost,
    )


def result_document(result: CaseResult) -> JsonObject:
    """The result as JSON."""
    return cast(JsonObject, _RESULT.dump_python(result, mode="json"))


def result_value(document: Mapping[str, Any]) -> CaseResult:
    """The result in its JSON.

    Raises:
        ValueError: It is none.
    """
    return _RESULT.validate_python(document)


def _storable(text: str) -> str:
    """The text with U+FFFD for what no database keeps: what a model escapes in JSON may be half a character."""
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
