"""Run one turn: prompt, completion, reading, tool results, and again, until an answer or a limit.

A turn consists of rounds. Each round renders the whole conversation into a prompt, streams a completion, parses it
and runs its calls; the results are appended to the conversation, and the next round starts:

    round 1   user: "What is the reading for cairo?"   ->  <tool_call>{"name": "get_flumbuster", ...}</tool_call>
              get_flumbuster                           ->  {"reading": 31}
    round 2   the same conversation, call and result   ->  "It is 31."

Invariants:

- Everything is reported as events, in order, and an event that was yielded stays true. `TurnEnded` is always the last
  one, unless the engine raises.
- A completion is appended to the conversation byte for byte. Nothing is repaired in it, so that the next prompt
  contains what the model really wrote.
- Each call gets a result, in the order of the calls. A call of an unknown tool or with wrong arguments gets an error as
  its result (`refusal_text`) and is never run. This gives the model a chance to correct itself.
- A forced tool choice applies to the first round only. Otherwise a model that must call could never answer, and each
  turn with `required` would end at the limit of rounds.
- A result that is too long for the context is cut, with a note for the model (`result_room`).
- A call that was cut off, by `max_tokens` or a broken connection, is never run.
"""

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.chat.message import Conversation, Message, Role, ToolCall, ToolResult
from workbench.hermes.marks import CALL_OPEN
from workbench.hermes.prompt_writer import Prompt
from workbench.hermes.reading import CallStatus, ReadCall
from workbench.hermes.render import render
from workbench.hermes.written_out import read_message
from workbench.rollout.completion_checks import find_problems, without_repeated_calls
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
from workbench.rollout.result_room import ResultRoom
from workbench.rollout.stopping import END_REASONS, signal_of
from workbench.toolspec.spec import OfferedTools


def refusal_text(call: ReadCall, tools: OfferedTools) -> str | None:
    """Return a JSON error for a call of an unknown tool or with wrong arguments. None if the call can be run."""
    if call.status is CallStatus.READY:
        return None
    if call.status is CallStatus.UNKNOWN_TOOL:
        return json.dumps(
            {"error": f"Unknown tool: {call.name}", "available_tools": list(tools.names)}, ensure_ascii=False
        )
    problems = [finding.message for finding in call.findings if finding.code.startswith("schema-")]
    return json.dumps({"error": "Invalid arguments", "problems": problems}, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn, ready to run."""

    setup: TurnSetup
    engine: Engine
    toolbox: Toolbox
    clock: Clock
    is_cancelled: Callable[[], bool]
    """Returns True once the turn should stop. A `StopSignal` also says why; otherwise it was a person."""
    prefix: str = ""
    """Beginning of the first completion that is already written. Empty if the model writes all of it."""
    runs_calls: bool = True
    """False to end the turn at the first completion with calls, without running them."""


def run_rollout(turn: Turn, conversation: Conversation) -> Iterator[Event]:
    """Run a turn and yield its events as they happen.

    Args:
        turn: The engine, the tools and the limits.
        conversation: System text and history; the user's message is last.

    Yields:
        RoundStarted, PieceArrived…, CompletionEnded and ToolFinished… for each round, then TurnEnded.

    Raises:
        EngineError: The engine cannot be asked, or failed. Events that were yielded before stay valid.
    """
    choice = turn.setup.tool_choice
    for number in range(1, turn.setup.max_rounds + 1):
        completion = yield from _complete(turn, conversation, choice, number)
        conversation = conversation.plus(completion.message)
        reason = _end_reason(completion, turn)
        if reason is not None:
            yield TurnEnded(reason=reason, rounds=number, problem=completion.problem)
            return
        for finished in run_calls(turn, completion.reading.calls, conversation):
            conversation = conversation.plus(finished.message)
            yield finished
        if turn.is_cancelled():
            stop = signal_of(turn.is_cancelled)
            yield TurnEnded(reason=END_REASONS[stop.reason], rounds=number, problem=stop.problem)
            return
        # Once there are results, the model may answer.
        choice = ToolChoice(kind=ChoiceKind.AUTO) if choice.is_forced else choice
    yield TurnEnded(reason=EndReason.ROUND_LIMIT, rounds=turn.setup.max_rounds)


def run_calls(turn: Turn, calls: Sequence[ReadCall], conversation: Conversation) -> Iterator[ToolFinished]:
    """Run the calls of one completion and yield their results in order. A refused call gets an error.

    Args:
        conversation: It ends with the completion. Results are cut to the context that it leaves.
    """
    engine = turn.engine
    room = ResultRoom(
        context_tokens=engine.context_tokens,
        answer_tokens=turn.setup.sampling.max_tokens,
        results=len(calls),
        count_prompt=lambda: engine.count_tokens(render_prompt(turn, conversation).text),
        count_tokens=engine.count_tokens,
    )
    for index, (call, run) in enumerate(zip(calls, _run_round(turn, calls), strict=True)):
        fitted = room.fit(run)
        message = Message(role=Role.TOOL, text=fitted.result.text, name=call.name)
        yield ToolFinished(index=index, call=call, run=fitted, message=message)


def _complete(
    turn: Turn, conversation: Conversation, choice: ToolChoice, number: int
) -> Generator[Event, None, CompletionEnded]:
    setup = turn.setup
    prompt = render_prompt(turn, conversation)
    decoding = _decoding_constraint(turn, choice, prompt, turn.prefix if number == 1 else "")
    started = _started_generation(turn, choice, decoding, prompt)
    yield RoundStarted(
        number=number,
        limit=setup.max_rounds,
        prompt=prompt,
        is_exact=started.is_exact,
        generation=started,
        findings=decoding.findings,
    )
    if decoding.prefill:
        yield PieceArrived(text=decoding.prefill)
    request = replace(
        _request(setup, choice, decoding, prompt, conversation),
        call_mark=CALL_OPEN if _may_call(setup, choice, decoding, prompt, conversation) else "",
    )
    written = yield from stream(
        turn.engine,
        request,
        CompletionWriter(decoding.prefill),
        clock=turn.clock,
        is_cancelled=turn.is_cancelled,
    )
    if written.finish_reason is FinishReason.CANCELLED:
        # Engines only know that they should stop.
        stop = signal_of(turn.is_cancelled)
        written = replace(written, finish_reason=stop.reason, problem=stop.problem)
    completion = _completion(turn, choice, prompt, started, written)
    yield completion
    return completion


def _decoding_constraint(turn: Turn, choice: ToolChoice, prompt: Prompt, prefix: str) -> DecodingConstraint:
    capabilities = turn.engine.capabilities
    if capabilities.is_chat_only:
        # A chat API cannot continue a text. The server applies the tool choice.
        return DecodingConstraint()
    has_grammar = capabilities.has_grammar and turn.setup.is_constrained
    if prefix:
        return constrain_after_prefix(turn.setup, choice, prefix, has_grammar=has_grammar)
    return constrain(turn.setup, choice, starts_in_thought=prompt.starts_in_thought, has_grammar=has_grammar)


def render_prompt(turn: Turn, conversation: Conversation) -> Prompt:
    """Render the prompt. For a server that renders its own, this is a prediction."""
    setup = turn.setup
    has_contract = setup.has_contract and not turn.engine.capabilities.writes_tools
    return render(conversation, family=setup.family, has_contract=has_contract, tools=setup.tools)


def _request(
    setup: TurnSetup,
    choice: ToolChoice,
    decoding: DecodingConstraint,
    prompt: Prompt,
    conversation: Conversation,
) -> GenerationRequest:
    return GenerationRequest(
        prompt=prompt.text + decoding.prefill,
        sampling=setup.sampling,
        constraint=decoding.constraint,
        conversation=conversation,
        tools=setup.tools,
        tool_choice=choice,
        wants_logprobs=setup.wants_logprobs,
        top_logprobs=setup.top_logprobs,
        unset_sampling=setup.unset_sampling,
        response_format=setup.response_format,
    )


def _may_call(
    setup: TurnSetup,
    choice: ToolChoice,
    decoding: DecodingConstraint,
    prompt: Prompt,
    conversation: Conversation,
) -> bool:
    """Return whether the model decides between a call and an answer to a user.

    After a tool's result this is not decided by a threshold, or the model would call again and again.
    """
    is_free = choice.kind is ChoiceKind.AUTO and setup.answer_schema is None
    begins = not decoding.prefill and not prompt.starts_in_thought
    messages = conversation.messages
    return (
        is_free and begins and bool(setup.tools.specs) and bool(messages) and messages[-1].role is Role.USER
    )


def _started_generation(
    turn: Turn, choice: ToolChoice, decoding: DecodingConstraint, prompt: Prompt
) -> Generation:
    """Return the record of a completion that has no text yet."""
    return Generation(
        prompt_text=prompt.text,
        is_exact=turn.engine.capabilities.has_exact_prompt,
        prefill=decoding.prefill,
        sampling=turn.setup.sampling,
        tool_choice=str(choice),
        finish_reason=FinishReason.INTERRUPTED,
        timing=Timing(seconds=0.0),
        engine_name=turn.engine.name,
        engine_fingerprint=turn.engine.fingerprint,
        tools_fingerprint=turn.setup.tools.fingerprint,
        contract_fingerprint=turn.setup.contract_fingerprint,
    )


def _completion(
    turn: Turn, choice: ToolChoice, prompt: Prompt, started: Generation, written: WrittenCompletion
) -> CompletionEnded:
    message, repeated = without_repeated_calls(written.message, turn.setup.tools)
    reading = read_message(
        message,
        tools=turn.setup.tools,
        finish_reason=written.finish_reason,
        starts_in_thought=prompt.starts_in_thought,
    )
    # The forced choice of a continued answer is not applied.
    is_continued = bool(turn.prefix) and started.prefill == turn.prefix
    applied = ToolChoice() if is_continued and choice.is_forced else choice
    generation = replace(
        started,
        finish_reason=written.finish_reason,
        timing=written.timing,
        tokens=written.tokens or None,
        findings=(
            *written.findings,
            *repeated,
            *find_problems(turn.setup, applied, reading, written.finish_reason),
        ),
    )
    return CompletionEnded(message=message, reading=reading, generation=generation, problem=written.problem)


def _end_reason(completion: CompletionEnded, turn: Turn) -> EndReason | None:
    """Return why the turn ends here. None if its calls are run and another round follows."""
    finish = completion.generation.finish_reason
    if finish in END_REASONS:
        return END_REASONS[finish]
    if completion.reading.calls:
        runs_calls = turn.runs_calls and turn.setup.tool_choice.kind is not ChoiceKind.NONE
        return None if runs_calls else EndReason.CALLS_NOT_RUN
    if finish is FinishReason.LENGTH:
        return EndReason.LENGTH
    return EndReason.UNREADABLE if completion.reading.dropped else EndReason.ANSWERED


def _run_round(turn: Turn, calls: Sequence[ReadCall]) -> Iterator[ToolRun]:
    """Yield the run of each call, in order. Refused calls do not reach the toolbox."""
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
