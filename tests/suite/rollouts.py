"""Rollouts for tests, with scripted engines."""

from tests.fakes import DictToolbox, RecordingEngine, SteppedCalendar
from workbench.chat.message import Conversation, Message, Role
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.loop import Turn, run_rollout
from workbench.suite.case_rollout import Price, rollout_of
from workbench.suite.expectation import Expectation
from workbench.suite.read_suite import parse_case
from workbench.toolspec.spec import OfferedTools, ToolSpec

WEATHER = ToolSpec.of_function(
    {
        "name": "get_weather",
        "description": "Get the weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "The city"},
                "unit": {"enum": ["c", "f"]},
            },
            "required": ["city"],
            "additionalProperties": False,
        },
    }
)
NOTE = ToolSpec.of_function({"name": "send_note", "parameters": {"type": "object", "properties": {"to": {}}}})
TOOLS = OfferedTools(specs=(WEATHER, NOTE))
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'
NOTE_CALL = '<tool_call>\n{"name": "send_note", "arguments": {"to": "Ana"}}\n</tool_call>'


def called(name, **arguments):
    """Return a completion that calls one tool."""
    import json

    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def rollout(*completions, price=None, max_rounds=8, tools=TOOLS):
    """Return the rollout of a model that writes these completions."""
    turn = Turn(
        setup=TurnSetup(tools=tools, family="hermes-lines", max_rounds=min(max_rounds, len(completions))),
        engine=RecordingEngine(completions),
        toolbox=DictToolbox(
            {**dict.fromkeys(tools.names, '"done"'), "get_weather": '{"weather": 21}', "send_note": '"sent"'}
        ),
        clock=SteppedCalendar(),
        is_cancelled=lambda: False,
    )
    conversation = Conversation(
        messages=(Message(role=Role.SYSTEM, text="Call tools."), Message(role=Role.USER, text="Go on."))
    )
    return rollout_of(run_rollout(turn, conversation), price=Price(*price) if price else None)


def case(*expected, **more):
    """Return a case with these expectations."""
    document = {"id": "one", "prompt": "Go on.", "expect": list(expected), **more}
    return parse_case({key: value for key, value in document.items() if value is not None}, suite="own")


def expectation(**fields):
    """Return an expectation with these keys."""
    return Expectation.model_validate(fields)
