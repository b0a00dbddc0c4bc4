"""A turn with a server that renders its own prompt and sends calls as structured fields."""

import pytest

from tests.fakes import ChatEngine, DictToolbox, SteppedCalendar
from workbench.chat.message import Conversation, Message, Role, ToolCall
from workbench.hermes.written_out import written_out
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
from workbench.rollout.ports import ChoiceKind, Delta, FinishReason, StructuredCallPiece, ToolChoice
from workbench.toolspec.spec import OfferedTools, ToolSpec

TOOLS = OfferedTools(
    specs=(
        ToolSpec.of_function(
            {"name": "now", "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}}}
        ),
    )
)
CONVERSATION = Conversation(
    messages=(Message(role=Role.SYSTEM, text="Be brief."), Message(role=Role.USER, text="What time is it?"))
)
STOP = Delta(finish_reason=FinishReason.STOP)


def piece(index, name="", arguments=""):
    return Delta(call_pieces=(StructuredCallPiece(index=index, name=name, arguments_text=arguments),))


def run_all(*answers, choice=ToolChoice(), writes_tools=True):
    engine = ChatEngine(*answers, writes_tools=writes_tools)
    toolbox = DictToolbox({"now": "12:00"})
    setup = TurnSetup(tools=TOOLS, family="hermes-lines", tool_choice=choice)
    turn = Turn(
        setup=setup, engine=engine, toolbox=toolbox, clock=SteppedCalendar(), is_cancelled=lambda: False
    )
    return list(run_rollout(turn, CONVERSATION)), engine, toolbox


def of_kind(events, kind):
    return [event for event in events if isinstance(event, kind)]


def test_calls_thought_and_text_are_kept_apart_and_the_call_is_run():
    events, engine, toolbox = run_all(
        [Delta(thought="I look "), Delta(thought="it up."), Delta(text="One moment."),
         piece(0, "now"), piece(0, arguments='{"zone":'), piece(0, arguments=' "CET"}'), STOP],
        [Delta(text="Noon."), STOP],
    )  # fmt: skip
    message = of_kind(events, CompletionEnded)[0].message
    assert message == Message(
        role=Role.ASSISTANT,
        text="One moment.",
        thought="I look it up.",
        calls=(ToolCall(name="now", arguments={"zone": "CET"}),),
    )
    assert [(call.name, dict(call.arguments)) for call in toolbox.calls] == [("now", {"zone": "CET"})]
    assert engine.requests[1].conversation.messages[2:] == (
        message,
        Message(role=Role.TOOL, text="12:00", name="now"),
    )
    assert events[-1] == TurnEnded(reason=EndReason.ANSWERED, rounds=2)


@pytest.mark.parametrize(
    "answer",
    [
        [Delta(text="Noon."), STOP],
        [Delta(thought="Hm."), Delta(text="Noon."), STOP],
        [Delta(thought="Hm."), STOP],
        [piece(0, "now", "{}"), piece(1, "now", '{"zone": "CET"}'), STOP],
        [piece(0, "now"), STOP],
        [Delta(text="Look:\n"), piece(0, "now", "{}"), STOP],
        [Delta(thought="Hm."), piece(0, "now", '{"zone": '), piece(0, arguments='"CET"}'), STOP],
        [piece(0, "now", '{"zone": "CET"'), STOP],
        [Delta(text='<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'), STOP],
    ],
)
def test_pieces_join_to_the_message_written_out(answer):
    events, _, _ = run_all(answer, [STOP])
    first = of_kind(events, CompletionEnded)[0]
    end = events.index(first)
    pieces = "".join(event.text for event in events[:end] if isinstance(event, PieceArrived))
    assert pieces == written_out(first.message)
    assert first.reading.text == written_out(first.message)


def test_a_call_that_a_server_left_in_the_content_is_read_and_run():
    xml = "<tool_call>\n<function=now>\n<parameter=zone>\nCET\n</parameter>\n</function>\n</tool_call>"
    _, _, toolbox = run_all([Delta(text=xml), STOP], [Delta(text="Noon."), STOP])
    assert [dict(call.arguments) for call in toolbox.calls] == [{"zone": "CET"}]


def test_calls_in_content_and_in_structure_are_both_read():
    text = '<tool_call>\n{"name": "now", "arguments": {"zone": "CET"}}\n</tool_call>'
    _, _, toolbox = run_all([Delta(text=text), piece(0, "now", "{}"), STOP], [STOP])
    assert [dict(call.arguments) for call in toolbox.calls] == [{"zone": "CET"}, {}]


WRITTEN = '<tool_call>\n{"name": "now", "arguments": {"zone": "CET"}}\n</tool_call>'


@pytest.mark.parametrize(
    "answer",
    [
        [Delta(text=WRITTEN), piece(0, "now", '{"zone":"CET"}'), STOP],
        [piece(0, "now", '{"zone": "CET"}'), Delta(text=f"I look.\n{WRITTEN}"), STOP],
        [Delta(text=WRITTEN), piece(0, "now", '{"zone": "CET",}'), STOP],
        [Delta(thought=WRITTEN), Delta(text=WRITTEN), piece(0, "now", '{"zone": "CET"}'), STOP],
    ],
)
def test_a_call_in_content_and_in_structure_runs_once_and_is_reported(answer):
    events, _, toolbox = run_all(answer, [Delta(text="Noon."), STOP])
    assert [dict(call.arguments) for call in toolbox.calls] == [{"zone": "CET"}]
    ended = of_kind(events, CompletionEnded)[0]
    assert WRITTEN in ended.message.text
    assert ended.message.calls == ()
    assert [finding.code for finding in ended.generation.findings] == ["call-repeated"]


def test_two_equal_calls_are_two_calls_if_the_text_has_one_of_them():
    same = piece(0, "now", '{"zone": "CET"}'), piece(1, "now", '{"zone": "CET"}')
    _, _, toolbox = run_all([Delta(text=WRITTEN), *same, STOP], [STOP])
    assert len(toolbox.calls) == 2


@pytest.mark.parametrize(
    ("choice", "answer", "codes"),
    [
        (ToolChoice(kind=ChoiceKind.REQUIRED), [Delta(text="Noon."), STOP], ["choice-not-obeyed"]),
        (ToolChoice(kind=ChoiceKind.NAMED, tool="now"), [Delta(text="Noon."), STOP], ["choice-not-obeyed"]),
        (ToolChoice(kind=ChoiceKind.NAMED, tool="now"), [piece(0, "then"), STOP], ["choice-not-obeyed"]),
        (ToolChoice(kind=ChoiceKind.NAMED, tool="now"), [piece(0, "now"), STOP], []),
        (ToolChoice(kind=ChoiceKind.REQUIRED), [Delta(text=WRITTEN), STOP], []),
        (
            ToolChoice(kind=ChoiceKind.REQUIRED),
            [Delta(text="No"), Delta(finish_reason=FinishReason.LENGTH)],
            [],
        ),
        (ToolChoice(), [Delta(text="Noon."), STOP], []),
    ],
)
def test_a_forced_choice_that_was_not_obeyed_is_a_finding(choice, answer, codes):
    events, _, _ = run_all(answer, [Delta(text="Noon."), STOP], choice=choice)
    first, *later = of_kind(events, CompletionEnded)
    assert [finding.code for finding in first.generation.findings] == codes
    assert not any(ended.generation.findings for ended in later)


def test_arguments_with_a_slip_are_fixed_as_in_any_completion():
    events, _, toolbox = run_all([piece(0, "now", '{"zone": "CET",}'), STOP], [STOP])
    assert [dict(call.arguments) for call in toolbox.calls] == [{"zone": "CET"}]
    assert [fix.code for fix in of_kind(events, CompletionEnded)[0].reading.fixes] == ["trailing-comma"]


@pytest.mark.parametrize("reason", [FinishReason.LENGTH, FinishReason.INTERRUPTED, FinishReason.CANCELLED])
def test_a_call_that_was_cut_off_is_stored_and_never_run(reason):
    events, _, toolbox = run_all(
        [piece(0, "now", '{"zone": "CE'), Delta(finish_reason=reason, problem="gone")]
    )
    message = of_kind(events, CompletionEnded)[0].message
    assert message.text == '<tool_call>\n{"name": "now", "arguments": {"zone": "CE'
    assert toolbox.calls == []
    assert not of_kind(events, ToolFinished)


def test_an_interrupted_answer_is_stored_and_the_turn_says_what_happened():
    events, _, _ = run_all(
        [Delta(text="It is n"), Delta(finish_reason=FinishReason.INTERRUPTED, problem="no data for 9 s")]
    )
    assert of_kind(events, CompletionEnded)[0].message.text == "It is n"
    assert events[-1] == TurnEnded(reason=EndReason.INTERRUPTED, rounds=1, problem="no data for 9 s")


def test_the_prompt_is_marked_as_predicted_and_contains_the_tools_once():
    events, _, _ = run_all([Delta(text="Noon."), STOP])
    started = of_kind(events, RoundStarted)[0]
    assert not started.is_exact
    assert started.prompt.text.count('"name": "now"') == 1
    assert not of_kind(events, CompletionEnded)[0].generation.is_exact


def test_if_the_contract_writes_the_tools_the_predicted_prompt_does_not_add_them():
    events, _, _ = run_all([Delta(text="Noon."), STOP], writes_tools=False)
    assert '"name": "now"' not in of_kind(events, RoundStarted)[0].prompt.text


def test_a_forced_choice_is_left_to_the_server():
    events, engine, _ = run_all(
        [piece(0, "now", "{}"), STOP], [STOP], choice=ToolChoice(kind=ChoiceKind.REQUIRED)
    )
    assert [str(request.tool_choice) for request in engine.requests] == ["required", "auto"]
    assert of_kind(events, CompletionEnded)[0].generation.prefill == ""
    assert engine.requests[0].tools == TOOLS
