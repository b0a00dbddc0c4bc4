"""Run and score cases that are multi-turn questions of BFCL."""

from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.rollout.ports import Toolbox
from workbench.suite.case import Case
from workbench.suite.case_rollout import CaseRollout, RubricVerdict
from workbench.suite.expectation import BfclConversation


def bfcl_question(case: Case) -> BfclConversation | None:
    """Return the question that a case comes from, or None if it is another case."""
    found = (expectation.bfcl_conversation for expectation in case.expectations)
    return next(filter(None, found), None)


def bfcl_toolbox(question: BfclConversation, *, is_space: bool) -> Toolbox:
    """Return the tools of a conversation, in the state in which the question begins.

    Raises:
        BadInput: `bfcl-eval` is not installed, or this is a Space, which runs no code of others for its visitors.
    """
    if is_space:
        raise BadInput("BFCL's classes", "a Space only runs mocks", "run the suite on your own machine")
    from workbench.library.bfcl_classes import BfclWorld

    return BfclWorld(question)


def bfcl_verdict(case: Case, rollout: CaseRollout) -> RubricVerdict:
    """Return whether a conversation is what BFCL expects.

    Raises:
        BadInput: `bfcl-eval` is not installed.
    """
    from workbench.library.bfcl_classes import check_bfcl_conversation

    question = bfcl_question(case)
    problem = check_bfcl_conversation(question, _calls_by_turn(rollout)) if question else None
    if problem is None:
        return RubricVerdict(True, "the state and the results are BFCL's")
    return RubricVerdict(False, f"turn {problem.turn}: {problem.reason}", "BFCL", problem.turn)


def _calls_by_turn(rollout: CaseRollout) -> list[list[list[ToolCall]]]:
    """Return the calls of each completion with calls, by turn."""
    completions = iter(rollout.completions)
    return [
        [
            [ToolCall(name=call.name, arguments=call.arguments) for call in completion.reading.calls]
            for completion in (next(completions) for _ in range(turn.completions))
            if completion.reading.calls
        ]
        for turn in rollout.turns
        if turn.completions
    ]
