"""Score expectations about a whole conversation, and find the turn in which they broke."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from workbench.hermes.reading import ReadCall
from workbench.rollout.events import ToolFinished
from workbench.suite.call_score import call_mismatch, calls_text
from workbench.suite.case_rollout import CaseRollout, RubricVerdict
from workbench.suite.expectation import BFCL_VERDICT, CallPattern, Expectation, PolicyNeeds, PolicyRule
from workbench.suite.world_score import TurnAnswer, score_world
from workbench.toolspec.patterns import is_found
from workbench.toolspec.spec import canonical_json


def conversation_answer(
    expectation: Expectation, rollout: CaseRollout, verdicts: Mapping[str, RubricVerdict]
) -> TurnAnswer | None:
    """Score an expectation about a conversation. None if it is of another kind."""
    if expectation.forbidden_calls is not None:
        return _forbidden(expectation.forbidden_calls, rollout)
    if expectation.told is not None:
        return _told([expectation.told] if isinstance(expectation.told, str) else expectation.told, rollout)
    if expectation.policy is not None:
        return _policy(expectation.policy, rollout, verdicts)
    if expectation.bfcl_conversation is not None:
        verdict = verdicts[BFCL_VERDICT]
        return TurnAnswer(verdict.holds, verdict.reason, verdict.turn)
    if expectation.world is not None or expectation.world_unchanged:
        return score_world(
            expectation.world or {},
            rollout,
            [made.turn for made in _calls(rollout) if made.run],
            allows_others=expectation.allow_changes,
        )
    return None


def needless_calls(rollout: CaseRollout) -> int:
    """Return how many calls asked again for what the model already had.

    Such a call has the same tool, arguments and result as an earlier one. After `cancel_order`, another `get_order`
    has another result, so it is not needless.
    """
    count, seen = 0, set[str]()
    for run in rollout.tool_runs:
        key = canonical_json([run.call.name, run.call.arguments, run.message.text])
        if key in seen:
            count += 1
        elif not run.run.result.is_error:
            seen.add(key)
    return count


class _Call(NamedTuple):
    call: ReadCall
    turn: int
    run: ToolFinished | None
    """None if the call was not run."""


def _calls(rollout: CaseRollout) -> Iterator[_Call]:
    """Yield all calls with their turn. A single turn is turn 1."""
    runs = iter(rollout.tool_runs)
    left = [turn.completions for turn in rollout.turns] or [len(rollout.completions)]
    turn = 0
    for completion in rollout.completions:
        while left and not left[turn]:
            turn += 1
        left[turn] -= 1
        for call in completion.reading.calls:
            yield _Call(call, turn + 1, next(runs, None))


def _forbidden(patterns: Sequence[CallPattern], rollout: CaseRollout) -> TurnAnswer:
    for made in _calls(rollout):
        if any(not call_mismatch(pattern, made.call) for pattern in patterns):
            return TurnAnswer(False, f"called {calls_text([made.call])}, which is forbidden", made.turn)
    return TurnAnswer(True, "no forbidden call was made")


def _answers(rollout: CaseRollout) -> Sequence[str]:
    """Return what the model said in each turn, with the texts beside its calls."""
    lengths = [turn.completions for turn in rollout.turns] or [len(rollout.completions)]
    texts = iter("\n".join(completion.reading.prose) for completion in rollout.completions)
    return ["\n".join(next(texts) for _ in range(length)) for length in lengths]


def _told(expected: Sequence[str], rollout: CaseRollout) -> TurnAnswer:
    heard = " ".join(" ".join(_answers(rollout)).casefold().split())
    for text in expected:
        if " ".join(text.casefold().split()) not in heard:
            return TurnAnswer(False, f"the model did not say {text!r}")
    return TurnAnswer(True, f"said {', '.join(map(repr, expected))}")


def _policy(policy: PolicyRule, rollout: CaseRollout, verdicts: Mapping[str, RubricVerdict]) -> TurnAnswer:
    if policy.call is None:
        verdict = verdicts[policy.rule]
        return TurnAnswer(verdict.holds, f"{verdict.judge or 'judge'}: {verdict.reason}")
    earlier: list[_Call] = []
    for made in _calls(rollout):
        if not call_mismatch(policy.call, made.call):
            missing = _missing(policy.needs, made, earlier, rollout) if policy.needs else "which is forbidden"
            if missing:
                return TurnAnswer(
                    False, f"{policy.rule}: called {calls_text([made.call])}, {missing}", made.turn
                )
        earlier.append(made)
    return TurnAnswer(True, f"kept: {policy.rule}")


def _missing(needs: PolicyNeeds, made: _Call, earlier: Sequence[_Call], rollout: CaseRollout) -> str:
    """Return what did not come before a call; empty if everything did."""
    if needs.call is not None:
        succeeded = [call.call for call in earlier if call.run and not call.run.run.result.is_error]
        if all(call_mismatch(needs.call, call) for call in succeeded):
            return f"without calling {needs.call.name or 'the required tool'} first"
    if needs.person_said and not is_found(needs.person_said, _said(rollout, made.turn)):
        return f"although the person's last message does not match /{needs.person_said}/"
    if needs.told and not any(is_found(needs.told, text) for text in _answers(rollout)[: made.turn - 1]):
        return f"without telling the person /{needs.told}/ first"
    return ""


def _said(rollout: CaseRollout, turn: int) -> str:
    return rollout.turns[turn - 1].said if rollout.turns else ""
