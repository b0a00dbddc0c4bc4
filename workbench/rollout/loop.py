"""The loop of one turn: prompt, completion, reading, results, and again until an answer or a limit."""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from workbench.chat.message import Conversation, Message, Role, ToolCall, ToolResult
from workbench.hermes.parse import parse
from workbench.hermes.reading import ReadCall
from workbench.hermes.render import render
from workbench.rollout.choice import ChoiceKind, ToolChoice
from workbench.rollout.events import (
    CompletionEnded,
    EndReason,
    Event,
    Generation,
    PieceArrived,
    RoundStarted,
    StoodInLine,
    Timing,
    ToolFinished,
    TurnEnded,
)
from workbench.rollout.limits import TurnSetup
from workbench.rollout.ports import (
    Clock,
    Constraint,
    Delta,
    EmittedToken,
    Engine,
    FinishReason,
    GenerationRequest,
    Toolbox,
    ToolRun,
    Usage,
)
from workbench.rollout.refusal import refusal_text
from workbench.toolspec.grammar import call_schema

PREFILL: Final = "<tool_call>\n"
"""What a forced call begins with; the model goes on from here under the grammar."""
CLOSING: Final = "\n</tool_call>"
"""What a forced call ends with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn, ready to be played."""

    setup: TurnSetup
    """What it depends on."""
    engine: Engine
    """Who writes."""
    toolbox: Toolbox
    """Who runs calls."""
    clock: Clock
    """Who tells how long it took."""
    is_cancelled: Callable[[], bool]
    """True once a person has stopped the turn."""


def play(turn: Turn, conversation: Conversation) -> Iterator[Event]:
    """All that happens in one turn, as it happens.

    Args:
        turn: The engine, the tools and the limits.
        conversation: System text and history, the user's message last.

    Yields:
        A round is RoundStarted, PieceArrived…, CompletionEnded, ToolFinished…; TurnEnded is the last event.

    Raises:
        EngineError: The engine cannot go on. What was yielded before stays true.
    """
    choice = turn.setup.tool_choice
    for number in range(1, turn.setup.max_rounds + 1):
        completion = yield from _complete(turn, conversation, choice, number)
        conversation = conversation.plus(completion.message)
        reason = _end_reason(completion, turn.setup.tool_choice)
        if reason is not None:
            yield TurnEnded(reason=reason, rounds=number)
            return
        calls = completion.reading.calls
        for index, (call, run) in enumerate(zip(calls, _run_round(turn, calls), strict=True)):
            result = Message(role=Role.TOOL, text=run.result.text, name=call.name)
            conversation = conversation.plus(result)
            yield ToolFinished(index=index, call=call, run=run, message=result)
        if turn.is_cancelled():
            yield TurnEnded(reason=EndReason.CANCELLED, rounds=number)
            return
        # A forced choice binds the first completion alone: once results are there, the model may answer.
        choice = ToolChoice(kind=ChoiceKind.AUTO) if choice.is_forced else choice
    yield TurnEnded(reason=EndReason.ROUND_LIMIT, rounds=turn.setup.max_rounds)


def _complete(
    turn: Turn, conversation: Conversation, choice: ToolChoice, number: int
) -> Generator[Event, None, CompletionEnded]:
    setup = turn.setup
    prompt = render(conversation, family=setup.family, has_contract=True)
    is_exact = turn.engine.capabilities.has_exact_prompt
    yield RoundStarted(number=number, limit=setup.max_rounds, prompt=prompt, is_exact=is_exact)
    prefill = PREFILL if choice.is_forced else ""
    if prefill:
        yield PieceArrived(text=prefill)
    request = replace(_request(setup, choice, prompt.text + prefill), conversation=conversation)
    written = yield from _stream(turn, request)
    message = Message(
        role=Role.ASSISTANT,
        text=prefill + written.text,
        calls=written.calls,
        thought=written.thought or None,
    )
    completion = CompletionEnded(
        message=message,
        reading=parse(message.text, tools=setup.tools, finish_reason=written.finish_reason),
        generation=Generation(
            prompt_text=prompt.text,
            is_exact=is_exact,
            prefill=prefill,
            sampling=setup.sampling,
            tool_choice=str(choice),
            finish_reason=written.finish_reason,
            timing=written.timing,
            engine_name=turn.engine.name,
            engine_fingerprint=turn.engine.fingerprint,
            tools_fingerprint=setup.tools.fingerprint,
            tokens=written.tokens or None,
        ),
    )
    yield completion
    return completion


def _request(setup: TurnSetup, choice: ToolChoice, prompt: str) -> GenerationRequest:
    constraint = None
    if choice.is_forced:
        tools = setup.tools.only(frozenset({choice.tool})) if choice.tool else setup.tools
        constraint = Constraint(schema=call_schema(tools), closing=CLOSING)
    return GenerationRequest(
        prompt=prompt,
        sampling=setup.sampling,
        constraint=constraint,
        tools=setup.tools,
        tool_choice=choice,
        wants_logprobs=setup.wants_logprobs,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    text: str
    thought: str
    calls: tuple[ToolCall, ...]
    tokens: tuple[EmittedToken, ...]
    finish_reason: FinishReason
    timing: Timing


def _stream(turn: Turn, request: GenerationRequest) -> Generator[Event, None, _Written]:
    started_s = turn.clock.seconds()
    first_s: float | None = None
    deltas: list[Delta] = []
    for delta in turn.engine.generate(request, is_cancelled=turn.is_cancelled):
        if delta.place_in_line is not None:
            yield StoodInLine(place=delta.place_in_line)
        if delta.text:
            first_s = turn.clock.seconds() if first_s is None else first_s
            yield PieceArrived(text=delta.text)
        deltas.append(delta)
    ended_s = turn.clock.seconds()
    last = deltas[-1] if deltas else Delta()
    return _Written(
        text="".join(delta.text for delta in deltas),
        thought="".join(delta.thought for delta in deltas),
        calls=tuple(call for delta in deltas for call in delta.calls),
        tokens=tuple(token for delta in deltas for token in delta.tokens),
        finish_reason=last.finish_reason or FinishReason.STOP,
        timing=_timing(last.usage, started_s=started_s, first_s=first_s or ended_s, ended_s=ended_s),
    )


def _timing(usage: Usage | None, *, started_s: float, first_s: float, ended_s: float) -> Timing:
    return Timing(
        prompt_tokens=usage.prompt_tokens if usage else 0,
        cached_tokens=usage.cached_tokens if usage else 0,
        completion_tokens=usage.completion_tokens if usage else 0,
        time_to_first_token_s=first_s - started_s,
        seconds=ended_s - started_s,
        evaluated_tokens=usage.evaluated_tokens if usage else None,
    )


def _end_reason(completion: CompletionEnded, choice: ToolChoice) -> EndReason | None:
    """Why the turn ends here; None where its calls are to be run and the model asked again."""
    finish = completion.generation.finish_reason
    if finish is FinishReason.CANCELLED:
        return EndReason.CANCELLED
    if completion.reading.calls:
        return EndReason.CALLS_TOLD if choice.kind is ChoiceKind.NONE else None
    if finish is FinishReason.LENGTH:
        return EndReason.LENGTH
    return EndReason.UNREADABLE if completion.reading.dropped else EndReason.ANSWERED


def _run_round(turn: Turn, calls: Sequence[ReadCall]) -> Iterator[ToolRun]:
    """The run of each call, in order; those that are refused are not handed to the toolbox."""
    refusals = [refusal_text(call, turn.setup.tools) for call in calls]
    runs = turn.toolbox.run_round(
        [
            ToolCall(name=call.name, arguments=call.arguments)
            for call, refusal in zip(calls, refusals, strict=True)
            if refusal is None
        ]
    )
    for refusal in refusals:
        if refusal is None:
            yield next(runs)
        else:
            yield ToolRun(result=ToolResult(text=refusal, is_error=True), milliseconds=0.0)
