"""Results of tools are cut to what the context has left, and the model and people see that."""

import json

import pytest

from tests.fakes import DictToolbox, RecordingEngine, SteppedCalendar
from tests.rollout.test_loop import CALL, CONVERSATION, TOOLS
from workbench.chat.message import ToolResult
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.events import RoundStarted, ToolFinished, TurnEnded
from workbench.rollout.loop import Turn, run_rollout
from workbench.rollout.ports import ToolRun
from workbench.rollout.result_room import LEAST_TOKENS, ResultRoom
from workbench.rollout.sampling import Sampling


def run_turn(result: str, *, context: int, completions=(CALL, "It is 31."), max_tokens=100):
    """Run a turn with an engine whose tokens are characters. Return its events."""
    engine = RecordingEngine(completions)
    engine.context_tokens = context
    setup = TurnSetup(tools=TOOLS, family="hermes-lines", sampling=Sampling(max_tokens=max_tokens))
    toolbox = DictToolbox({"get_flumbuster": result, "now": result})
    turn = Turn(
        setup=setup, engine=engine, toolbox=toolbox, clock=SteppedCalendar(), is_cancelled=lambda: False
    )
    return list(run_rollout(turn, CONVERSATION))


def of_kind(events, kind):
    return [event for event in events if isinstance(event, kind)]


LONG = json.dumps({"rows": ["a value"] * 10_000})


@pytest.mark.parametrize("calls", [1, 3])
@pytest.mark.parametrize("result", [LONG, "\u4e16" * 50_000, '"\\' * 50_000, "7" * 50_000])
def test_a_result_that_does_not_fit_is_cut_with_a_note_and_the_turn_goes_on(result, calls):
    context = 8000
    events = run_turn(result, context=context, completions=("\n".join([CALL] * calls), "It is 31."))
    finished = of_kind(events, ToolFinished)
    assert len(finished) == calls
    for event in finished:
        value = json.loads(event.message.text)
        assert (value["truncated"], value["size_chars"]) == (True, len(result))
        assert value["beginning"] and result.startswith(value["beginning"])
        (finding,) = event.run.findings
        shown = len(value["beginning"])
        words = f"the model gets the first {shown:,} of {len(result):,} characters, which fit its context"
        assert (finding.code, finding.message) == ("result-cut", words)
        assert event.run.result.text == event.message.text
    assert of_kind(events, TurnEnded)[0].reason == "answered"
    first, second = (len(event.prompt.text) for event in of_kind(events, RoundStarted))
    assert second + 100 <= context
    # The results use most of their half of what was left.
    assert second - first >= (context - first) // 4


@pytest.mark.parametrize("context", [0, 1_000_000])
def test_a_result_is_passed_whole_if_it_fits_or_the_context_is_not_known(context):
    (finished,) = of_kind(run_turn(LONG, context=context), ToolFinished)
    assert (finished.message.text, finished.run.findings) == (LONG, ())


def test_a_short_result_is_never_cut():
    text = json.dumps("x" * (LEAST_TOKENS - 2))
    (finished,) = of_kind(run_turn(text, context=10), ToolFinished)
    assert finished.message.text == text


def test_a_long_result_may_use_what_short_ones_leave():
    def fit(*texts):
        room = ResultRoom(
            context_tokens=10_000,
            answer_tokens=100,
            results=len(texts),
            count_prompt=lambda: 900,
            count_tokens=len,
        )
        return [
            len(room.fit(ToolRun(result=ToolResult(text=text), milliseconds=1)).result.text) for text in texts
        ]

    long = "a" * 100_000
    alone, first, last = fit(long)[0], fit(long, "b" * 50)[0], fit("b" * 50, long)[1]
    assert first < alone // 2 + 100 < last < alone <= 4500


def test_the_note_keeps_that_the_tool_failed():
    room = ResultRoom(
        context_tokens=2000, answer_tokens=10, results=1, count_prompt=lambda: 0, count_tokens=len
    )
    failed = ToolRun(
        result=ToolResult(text=json.dumps({"error": "no " * 5000}), is_error=True), milliseconds=1
    )
    fitted = room.fit(failed)
    assert fitted.result.is_error and json.loads(fitted.result.text)["beginning"].startswith('{"error": "no ')
