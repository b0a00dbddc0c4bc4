"""A turn: rounds, results, and why it ends."""

import json

import pytest

from tests.fakes import DictToolbox, RecordingEngine, SteppedCalendar
from workbench.chat.message import Conversation, Message, Role
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.events import (
    CompletionEnded,
    EndReason,
    PieceArrived,
    RoundStarted,
    ToolFinished,
    TurnEnded,
)
from workbench.rollout.loop import Turn, run_rollout
from workbench.rollout.ports import ChoiceKind, FinishReason, ToolChoice
from workbench.toolspec.spec import OfferedTools, ToolSpec

TOOLS = OfferedTools(
    specs=(
        ToolSpec.of_function(
            {
                "name": "get_flumbuster",
                "parameters": {
                    "type": "object",
                    "properties": {"flumb": {"type": "string"}},
                    "required": ["flumb"],
                },
            }
        ),
        ToolSpec.of_function({"name": "now"}),
    )
)
CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
CONVERSATION = Conversation(
    messages=(
        Message(role=Role.SYSTEM, text="Use tools."),
        Message(role=Role.USER, text="What is the reading for cairo?"),
    )
)


def run_all(completions, *, choice=ToolChoice(), rounds=8, finish=FinishReason.STOP, cancelled=lambda: False):
    engine = RecordingEngine(completions, finish)
    toolbox = DictToolbox({"get_flumbuster": '{"reading": 31}', "now": "12:00"})
    setup = TurnSetup(tools=TOOLS, family="hermes-lines", tool_choice=choice, max_rounds=rounds)
    turn = Turn(setup=setup, engine=engine, toolbox=toolbox, clock=SteppedCalendar(), is_cancelled=cancelled)
    return list(run_rollout(turn, CONVERSATION)), engine, toolbox


def of_kind(events, kind):
    return [event for event in events if isinstance(event, kind)]


def test_a_plain_answer_is_one_round():
    events, _, toolbox = run_all(["It is 31."])
    assert [type(event) for event in events if not isinstance(event, PieceArrived)] == [
        RoundStarted,
        CompletionEnded,
        TurnEnded,
    ]
    assert events[-1] == TurnEnded(reason=EndReason.ANSWERED, rounds=1)
    assert toolbox.calls == []


def test_the_pieces_joined_are_the_message_byte_for_byte():
    events, _, _ = run_all([" \n It is 31 °C. \r\n"])
    assert "".join(piece.text for piece in of_kind(events, PieceArrived)) == " \n It is 31 °C. \r\n"
    assert of_kind(events, CompletionEnded)[0].message.text == " \n It is 31 °C. \r\n"


def test_a_call_is_run_and_its_result_is_in_the_next_prompt():
    events, engine, toolbox = run_all([CALL, "It is 31."])
    assert [(call.name, dict(call.arguments)) for call in toolbox.calls] == [
        ("get_flumbuster", {"flumb": "cairo"})
    ]
    assert of_kind(events, ToolFinished)[0].message == Message(
        role=Role.TOOL, text='{"reading": 31}', name="get_flumbuster"
    )
    assert '<tool_response>\n{"reading": 31}\n</tool_response>' in engine.requests[1].prompt
    assert CALL in engine.requests[1].prompt
    assert events[-1] == TurnEnded(reason=EndReason.ANSWERED, rounds=2)


def test_parallel_calls_are_run_in_order_and_answered_in_one_turn():
    events, engine, toolbox = run_all(
        [CALL + '\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>', "Done."]
    )
    assert [call.name for call in toolbox.calls] == ["get_flumbuster", "now"]
    assert [event.index for event in of_kind(events, ToolFinished)] == [0, 1]
    assert (
        '<tool_response>\n{"reading": 31}\n</tool_response>\n<tool_response>\n12:00\n</tool_response>'
        in engine.requests[1].prompt
    )


def test_an_unknown_tool_gets_a_well_formed_error_and_is_not_run():
    events, _, toolbox = run_all([CALL.replace("get_flumbuster", "get_flumbusters"), "Sorry."])
    run = of_kind(events, ToolFinished)[0].run
    assert toolbox.calls == []
    assert run.result.is_error
    assert json.loads(run.result.text) == {
        "error": "Unknown tool: get_flumbusters",
        "available_tools": ["get_flumbuster", "now"],
    }


def test_wrong_arguments_get_a_well_formed_error_and_are_not_run():
    events, _, toolbox = run_all([CALL.replace('"flumb": "cairo"', '"flumb": 5'), "Sorry."])
    result = json.loads(of_kind(events, ToolFinished)[0].run.result.text)
    assert toolbox.calls == []
    assert result["error"] == "Invalid arguments"
    assert len(result["problems"]) == 1


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        (ToolChoice(kind=ChoiceKind.REQUIRED), {"get_flumbuster", "now"}),
        (ToolChoice(kind=ChoiceKind.NAMED, tool="now"), {"now"}),
    ],
)
def test_a_forced_choice_applies_to_the_first_completion_only(choice, names):
    events, engine, _ = run_all([CALL.removeprefix("<tool_call>\n"), "It is 31."], choice=choice)
    first, second = engine.requests
    assert first.prompt.endswith("<|im_start|>assistant\n<tool_call>\n")
    branches = first.constraint.schema.get("oneOf", [first.constraint.schema])
    assert {branch["properties"]["name"]["const"] for branch in branches} == names
    assert first.constraint.closing == "\n</tool_call>"
    assert second.constraint.trigger == "<tool_call>"
    assert not second.prompt.endswith("<tool_call>\n")
    assert of_kind(events, CompletionEnded)[0].message.text == CALL


def test_with_tool_choice_none_a_call_is_not_run():
    events, _, toolbox = run_all([CALL], choice=ToolChoice(kind=ChoiceKind.NONE))
    assert toolbox.calls == []
    assert events[-1].reason is EndReason.CALLS_NOT_RUN


def test_the_limit_of_rounds_ends_a_turn_that_never_stops_calling():
    events, engine, toolbox = run_all([CALL] * 3, rounds=3)
    assert len(engine.requests) == len(toolbox.calls) == 3
    assert events[-1] == TurnEnded(reason=EndReason.ROUND_LIMIT, rounds=3)


def test_a_truncated_call_is_never_run():
    events, _, toolbox = run_all([CALL[:50]], finish=FinishReason.LENGTH)
    assert toolbox.calls == []
    assert events[-1].reason is EndReason.LENGTH


def test_a_call_that_cannot_be_parsed_ends_the_turn_as_unreadable():
    events, _, _ = run_all(["<tool_call>\n{bad}\n</tool_call>"])
    assert events[-1].reason is EndReason.UNREADABLE


def test_a_stopped_completion_keeps_its_text():
    answers = iter([False] * 5)
    events, _, _ = run_all(["It is 31."], cancelled=lambda: next(answers, True))
    assert of_kind(events, CompletionEnded)[0].message.text == "It is"
    assert of_kind(events, CompletionEnded)[0].generation.finish_reason is FinishReason.CANCELLED
    assert events[-1].reason is EndReason.CANCELLED


def test_timing_counts_from_the_request():
    events, _, _ = run_all(["abc"])
    timing = of_kind(events, CompletionEnded)[0].generation.timing
    assert (timing.time_to_first_token_s, timing.seconds, timing.completion_tokens) == (1.0, 2.0, 3)
    assert timing.tokens_per_second == 2.0


def test_a_call_with_tool_choice_none_is_a_finding():
    events, _, _ = run_all([CALL], choice=ToolChoice(kind=ChoiceKind.NONE))
    (finding,) = of_kind(events, CompletionEnded)[0].generation.findings
    assert finding.code == "call-not-run"
    assert "get_flumbuster" in finding.message


def test_u_0000_is_replaced_and_reported():
    events, _, _ = run_all(["a\0b"])
    ended = of_kind(events, CompletionEnded)[0]
    assert ended.message.text == "a\N{REPLACEMENT CHARACTER}b"
    assert "".join(piece.text for piece in of_kind(events, PieceArrived)) == ended.message.text
    assert [finding.code for finding in ended.generation.findings] == ["nul-replaced"]


@pytest.mark.parametrize("choice", list(ChoiceKind))
def test_a_call_threshold_applies_to_the_first_completion_of_a_free_turn(choice):
    tool = "now" if choice is ChoiceKind.NAMED else None
    _, engine, _ = run_all([CALL, "It is 31."], choice=ToolChoice(kind=choice, tool=tool))
    first, *others = [request.call_mark for request in engine.requests]
    assert first == ("<tool_call>" if choice is ChoiceKind.AUTO else "")
    assert not any(others)
