"""BFCL's questions, imported as suites, and answers to them scored by a suite and by BFCL's own checker.

For each question, some answers are written as a model would write them: the possible ones, and variants of them. A
question agrees if a suite passes and fails the same answers as the checker does.
"""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bfcl import ast_checker
from tests.conformance.archives import BFCL
from tests.conformance.outcome import Completion, Outcome, Suite
from tests.fakes import DictToolbox, RecordingEngine, SteppedCalendar
from tests.suite.test_bfcl import call, right_calls
from workbench.chat.message import Conversation
from workbench.hermes.reading import ReadCall
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.loop import Turn, run_rollout
from workbench.suite.case import Case
from workbench.suite.case_rollout import CaseRollout, rollout_of
from workbench.suite.exchange.bfcl import import_bfcl
from workbench.suite.score import score
from workbench.toolspec.spec import OfferedTools, ToolSpec

SETS = (
    "simple_python",
    "multiple",
    "parallel",
    "parallel_multiple",
    "live_simple",
    "live_multiple",
    "live_parallel",
    "live_parallel_multiple",
    "irrelevance",
    "live_irrelevance",
    "live_relevance",
)
"""The questions in Python with one turn. For the last three, it only counts whether a call is made."""


def _outcomes(folder: Path) -> Iterator[Outcome]:
    checker = ast_checker(folder)
    for name in SETS:
        data = folder / "bfcl_eval" / "data"
        questions = (data / f"BFCL_v4_{name}.json").read_text(encoding="utf-8")
        answers = data / "possible_answer" / f"BFCL_v4_{name}.json"
        imported = import_bfcl(questions, answers.read_text("utf-8") if answers.exists() else None, name=name)
        for case in imported.suite.cases:
            yield _outcome(case, checker)
        for left_out in imported.left_out:
            yield Outcome(id=left_out.partition(":")[0], agrees=False, details=left_out)


def _outcome(case: Case, checker: Callable[..., bool]) -> Outcome:
    answer = case.expectations[0].bfcl
    given, differences = [], []
    for calls in _answers(right_calls(answer)) if answer else _any_answers(case):
        text = "\n".join(_written(one) for one in calls)
        if answer:
            theirs = checker(copy.deepcopy(answer), calls)
        else:
            theirs = bool(calls) == (case.expectations[0].kind != "no_call")
        ours = score(case, _rollout(case, text)).is_passed
        given.append(Completion(text=text, tools=json.dumps(list(case.tool_specs))))
        if ours != theirs:
            differences.append(f"{text}\nexpected {theirs}\n     got {ours}")
    # There are many texts, all of the same form: those of every tenth question are enough to be streamed.
    is_streamed = case.id.endswith("0")
    return Outcome(
        id=case.id,
        agrees=not differences,
        details="\n".join(differences),
        completions=tuple(given[:1]) if is_streamed else (),
    )


def _answers(right: list[ReadCall]) -> Iterator[list[ReadCall]]:
    """Return the right calls, and some that differ from them."""
    first, rest = right[0], right[1:]
    yield right
    yield []
    yield [*right, first]
    yield [call(f"{first.name}x", first.arguments), *rest]
    yield [call(first.name, {**first.arguments, "surplus": 1}), *rest]
    for key, value in list(first.arguments.items())[:2]:
        yield [call(first.name, {name: one for name, one in first.arguments.items() if name != key}), *rest]
        for changed in (str(value), [value], None):
            yield [call(first.name, {**first.arguments, key: changed}), *rest]


def _any_answers(case: Case) -> Iterator[list[ReadCall]]:
    yield []
    yield [call(ToolSpec(document=case.tool_specs[0]).name, {})] if case.tool_specs else []


def _written(one: ReadCall) -> str:
    body = json.dumps({"name": one.name, "arguments": one.arguments}, ensure_ascii=False)
    return f"<tool_call>\n{body}\n</tool_call>"


def _rollout(case: Case, text: str) -> CaseRollout:
    specs = tuple(ToolSpec(document=spec) for spec in case.tool_specs)
    turn = Turn(
        setup=TurnSetup(
            tools=OfferedTools(specs=specs),
            family="hermes-lines",
            max_rounds=1,
        ),
        engine=RecordingEngine([text]),
        toolbox=DictToolbox({spec.name: "ok" for spec in specs}),
        clock=SteppedCalendar(),
        is_cancelled=lambda: False,
    )
    return rollout_of(run_rollout(turn, Conversation(messages=case.messages)))


BFCL_SCORES = Suite(name="BFCL: import and score", archive=BFCL, cases=3491, outcomes=_outcomes)
