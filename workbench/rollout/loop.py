"""The loop of one turn: prompt, completion, reading, tool results, until an answer or a limit."""

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.chat.finding import Finding, Severity
from workbench.chat.message import Conversation, Message, Role, ToolCall, ToolResult
from workbench.hermes.json_mode import check_answer
from workbench.hermes.prompt_writer import Prompt
from workbench.hermes.reading import CallStatus, ReadCall, Reading
from workbench.hermes.render import render
from workbench.hermes.written_out import read_message
from workbench.rollout.completion_writer import CompletionWriter, WrittenCompletion, stream
from workbench.rollout.constraint import DecodingConstraint, TurnSetup, constrain, constrain_after_prefix
from workbench.rollout.events import (
    CompletionEnded,
    EndReason,
    Event,
    Generation,
    PieceArrived,
    RoundStarted,
    Timing,
    ToolFinished,
    TurnEnded,
)
from workbench.rollout.ports import (
    ChoiceKind,
    Clock,
    Engine,
    FinishReason,
    GenerationRequest,
    Toolbox,
    ToolChoice,
    ToolRun,
)
from workbench.toolspec.spec import OfferedTools


def refusal_text(call: ReadCall, tools: OfferedTools) -> str | None:
    """A well-formed JSON error for a call of an unknown tool or with wrong arguments; None where it can be run."""
    if call.status is CallStatus.READY:
        return None
    if call.status is CallStatus.UNKNOWN_TOOL:
        return json.dumps(
            {"error": f"Unknown tool: {call.name}", "available_tools": list(tools.names)}, ensure_ascii=False
        )
    broken = [finding.message for finding in call.findings if finding.code.startswith("schema-")]
    return json.dumps({"error": "Invalid arguments", "problems": broken}, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn, ready to be played."""

    setup: TurnSetup
    engine: Engine
    toolbox: Toolbox
    clock: Clock
    """Who tells how long it took."""
    is_cancelled: Callable[[], bool]
    """True once a person has stopped the turn."""
    prefix: str = ""
    """What the first completion begins with, written already; empty where the model is free to begin."""
    runs_calls: bool = True
    """False: the turn ends at the first completion that calls, and nothing is run."""


def run_rollout(turn: Turn, conversation: Conversation) -> Iterator[Event]:
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
        reason = _end_reason(completion, turn)
        if reason is not None:
            yield TurnEnded(reason=reason, rounds=number, problem=completion.problem)
            return
        for finished in run_calls(turn, completion.reading.calls):
            conversation = conversation.plus(finished.message)
            yield finished
        if turn.is_cancelled():
            yield TurnEnded(reason=EndReason.CANCELLED, rounds=number)
            return
        # A forced choice binds the first completion alone: once results are there, the model may answer.
        choice = ToolChoice(kind=ChoiceKind.AUTO) if choice.is_forced else choice
    yield TurnEnded(reason=EndReason.ROUND_LIMIT, rounds=turn.setup.max_rounds)


def run_calls(turn: Turn, calls: Sequence[ReadCall]) -> Iterator[ToolFinished]:
    """The results of one completion's calls, in order; what is refused fails."""
    for index, (call, run) in enumerate(zip(calls, _run_round(turn, calls), strict=True)):
        message = Message(role=Role.TOOL, text=run.result.text, name=call.name)
        yield ToolFinished(index=index, call=call, run=run, message=message)


def _complete(
    turn: Turn, conversation: Conversation, choice: ToolChoice, number: int
) -> Generator[Event, None, CompletionEnded]:
    setup = turn.setup
    prompt = _prompt(turn, conversation)
    held = _held(turn, choice, prompt, turn.prefix if number == 1 else "")
    begun = _begun(turn, choice, held, prompt)
    yield RoundStarted(
        number=number,
        limit=setup.max_rounds,
        prompt=prompt,
        is_exact=begun.is_exact,
        generation=begun,
        findings=held.findings,
    )
    if held.prefill:
        yield PieceArrived(text=held.prefill)
    request = _request(setup, choice, held, prompt, conversation)
    written = yield from stream(
        turn.engine,
        request,
        CompletionWriter(held.prefill),
        clock=turn.clock,
        is_cancelled=turn.is_cancelled,
    )
    completion = _completion(turn, choice, prompt, begun, written)
    yield completion
    return completion


def _held(turn: Turn, choice: ToolChoice, prompt: Prompt, prefix: str) -> DecodingConstraint:
    can = turn.engine.capabilities
    if can.is_chat_only:
        # A chat API takes no beginning of an answer: there the server sees to the choice.
        return DecodingConstraint()
    has_grammar = can.has_grammar and turn.setup.is_constrained
    if prefix:
        return constrain_after_prefix(turn.setup, choice, prefix, has_grammar=has_grammar)
    return constrain(turn.setup, choice, starts_in_thought=prompt.starts_in_thought, has_grammar=has_grammar)


def _prompt(turn: Turn, conversation: Conversation) -> Prompt:
    """What the engine is given; of a server that renders its own prompt, what it most likely makes of it."""
    setup = turn.setup
    writes_tools = turn.engine.capabilities.writes_tools
    return render(conversation, family=setup.family, has_contract=not writes_tools, tools=setup.tools)


def _request(
    setup: TurnSetup, choice: ToolChoice, held: DecodingConstraint, prompt: Prompt, conversation: Conversation
) -> GenerationRequest:
    return GenerationRequest(
        prompt=prompt.text + held.prefill,
        sampling=setup.sampling,
        constraint=held.constraint,
        conversation=conversation,
        tools=setup.tools,
        tool_choice=choice,
        wants_logprobs=setup.wants_logprobs,
    )


def _begun(turn: Turn, choice: ToolChoice, held: DecodingConstraint, prompt: Prompt) -> Generation:
    """A completion of which nothing is written yet."""
    nothing = Timing(
        prompt_tokens=0, cached_tokens=0, completion_tokens=0, time_to_first_token_s=0.0, seconds=0.0
    )
    return Generation(
        prompt_text=prompt.text,
        is_exact=turn.engine.capabilities.has_exact_prompt,
        prefill=held.prefill,
        sampling=turn.setup.sampling,
        tool_choice=str(choice),
        finish_reason=FinishReason.INTERRUPTED,
        timing=nothing,
        engine_name=turn.engine.name,
        engine_fingerprint=turn.engine.fingerprint,
        tools_fingerprint=turn.setup.tools.fingerprint,
        contract_fingerprint=turn.setup.contract_fingerprint,
    )


def _completion(
    turn: Turn, choice: ToolChoice, prompt: Prompt, begun: Generation, written: WrittenCompletion
) -> CompletionEnded:
    reading = read_message(
        written.message,
        tools=turn.setup.tools,
        finish_reason=written.finish_reason,
        starts_in_thought=prompt.starts_in_thought,
    )
    generation = replace(
        begun,
        finish_reason=written.finish_reason,
        timing=written.timing,
        tokens=written.tokens or None,
        findings=(*written.findings, *_findings(turn.setup, choice, reading)),
    )
    return CompletionEnded(
        message=written.message, reading=reading, generation=generation, problem=written.problem
    )


def _findings(setup: TurnSetup, choice: ToolChoice, reading: Reading) -> Iterator[Finding]:
    """What of a completion is to be told beside its reading."""
    if choice.kind is ChoiceKind.NONE and reading.calls:
        names = ", ".join(repr(call.name[:40]) for call in reading.calls[:2])
        message = f"tool choice is 'none' and the model called {names} all the same: not run"[:99]
        yield Finding(code="call-not-run", message=message, severity=Severity.WARNING)
    if setup.answer_schema is not None:
        yield from check_answer(reading, setup.answer_schema)


def _end_reason(completion: CompletionEnded, turn: Turn) -> EndReason | None:
    """Why the turn ends here; None where its calls are to be run and the model asked again."""
    finish = completion.generation.finish_reason
    if finish is FinishReason.CANCELLED:
        return EndReason.CANCELLED
    if finish is FinishReason.INTERRUPTED:
        return EndReason.INTERRUPTED
    if completion.reading.calls:
        is_told = turn.setup.tool_choice.kind is ChoiceKind.NONE or not turn.runs_calls
        return EndReason.CALLS_NOT_RUN if is_told else None
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
