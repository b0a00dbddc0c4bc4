"""One turn with a server, and what came of it as a line of text."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tests.engines.remote.asking import openai_engine
from tests.engines.remote.scripted_server import (
    DONE,
    Answer,
    RecordedRequest,
    piece,
    said,
    scripted_server,
    stream,
)
from tests.fakes import DictToolbox, SteppedCalendar
from tests.peers.scenario import Scenario
from tests.peers.wire import Wire
from workbench.chat.message import Conversation, Message, Role
from workbench.engines.remote.server import Mode, ServerKind
from workbench.errors import WorkbenchError
from workbench.hermes.reading import CallStatus, SegmentKind
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.events import CompletionEnded, Event, ToolFinished, TurnEnded
from workbench.rollout.loop import Turn, run_rollout
from workbench.rollout.ports import Engine, ToolChoice
from workbench.rollout.sampling import Sampling
from workbench.toolspec.spec import OfferedTools, ToolSpec

CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = OfferedTools(
    specs=(
        ToolSpec.of_function({"name": "weather", "parameters": CITY}),
        ToolSpec.of_function({"name": "now", "parameters": {"type": "object", "properties": {}}}),
    )
)
CONVERSATION = Conversation(messages=(Message(role=Role.USER, text="What is it like in Rome?"),))


class TurnOutcome(NamedTuple):
    """What came of a turn."""

    outcome: str
    """The parts of the first completion and its calls, then `end` and how the turn ended; or `error` and the message.

    The server's address is written as `SERVER`.
    """
    requests: int
    """How many requests the first completion needed."""


def run_scenario(wire: Wire, scenario: Scenario) -> TurnOutcome:
    """Run a turn with a server that answers as the scenario says, and with `Done.` after a tool's result."""
    given = scenario.answer(wire)
    answers = [given] if isinstance(given, Answer) else list(given)
    sent: list[RecordedRequest] = []

    def answer(request: RecordedRequest) -> Answer:
        if _has_result(request.body):
            return stream(piece("Done.", "stop"), DONE) if scenario.mode is Mode.RAW else said("Done.")
        sent.append(request)
        return answers[min(len(sent), len(answers)) - 1]

    with scripted_server(answer) as served:
        server = {"kind": ServerKind(wire.name), "mode": scenario.mode, "timeout_s": scenario.timeout_s}
        engine = openai_engine(served.url, **server, **({} if scenario.has_key else {"key": None}))
        outcome = outcome_of(engine, choice=scenario.choice)
    return TurnOutcome(outcome, len(sent))


def outcome_of(
    engine: Engine,
    *,
    choice: ToolChoice = ToolChoice(),
    conversation: Conversation = CONVERSATION,
    sampling: Sampling = Sampling(),
    tools: OfferedTools = TOOLS,
) -> str:
    """Run a turn with the model of a server, and return what came of it; see `TurnOutcome`."""
    setup = TurnSetup(
        tools=tools,
        family="hermes-lines",
        tool_choice=choice,
        sampling=sampling,
    )
    turn = Turn(
        setup=setup,
        engine=engine,
        toolbox=DictToolbox({"weather": "sunny", "now": "12:00"}),
        clock=SteppedCalendar(),
        is_cancelled=lambda: False,
    )
    try:
        outcome = "; ".join(_parts(list(run_rollout(turn, conversation))))
    except WorkbenchError as error:
        outcome = f"error {error}"
    return outcome.replace(engine.device, "SERVER")


def _has_result(body: Mapping[str, Any]) -> bool:
    is_raw = "<tool_response>" in body.get("prompt", "")
    return is_raw or any(message["role"] == "tool" for message in body.get("messages", ()))


def _parts(events: Sequence[Event]) -> Iterator[str]:
    first = next(event for event in events if isinstance(event, CompletionEnded))
    for segment in first.reading.segments:
        if segment.kind is not SegmentKind.CALL and segment.text.strip():
            yield f"{segment.kind} {json.dumps(segment.text.strip(), ensure_ascii=False)}"
    for event in events[: _index_of_second(events)]:
        if isinstance(event, ToolFinished):
            status = "ran" if event.call.status is CallStatus.READY else event.call.status
            yield f"{status} {event.call.name} {json.dumps(dict(event.call.arguments), ensure_ascii=False)}"
    yield from (f"fix {fix.code}" for fix in first.reading.fixes)
    codes = [finding.code for finding in (*first.reading.findings, *first.generation.findings)]
    yield from (f"finding {code}" for code in dict.fromkeys(codes))
    ended = events[-1]
    assert isinstance(ended, TurnEnded)
    yield f"end {ended.reason}" + (f": {ended.problem}" if ended.problem else "")


def _index_of_second(events: Sequence[Event]) -> int:
    """Return where the second completion ends: its calls are those of the server's `Done.`, that is, none."""
    ends = [index for index, event in enumerate(events) if isinstance(event, CompletionEnded)]
    return ends[1] if len(ends) > 1 else len(events)
