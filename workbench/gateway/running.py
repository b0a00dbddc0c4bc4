"""Run a prepared request: yield what its answer is made of, while it is written."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from workbench.app.services import Services
from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject
from workbench.gateway.answer import EXTRA_CALL, AnswerPiece, AnswerWriter, SentAnswer, SentCall
from workbench.gateway.preparing import PreparedChat
from workbench.hermes.marks import CALL_CLOSE, CALL_OPEN
from workbench.hermes.parse import parse
from workbench.hermes.reading import Level, Reading
from workbench.hermes.spelling.families import family_named
from workbench.rollout.events import CompletionEnded, PieceArrived, QueuePositionChanged, RoundStarted
from workbench.rollout.loop import run_rollout
from workbench.rollout.ports import Capabilities, Delta, EmittedToken, Engine, FinishReason, GenerationRequest
from workbench.toolspec.spec import OfferedTools


class Waiting(NamedTuple):
    """The request waits for others to finish."""

    place: int
    """Position in the queue; 1 is next."""


class PieceOfChoice(NamedTuple):
    """A piece of an answer."""

    choice: int
    """Index of the answer."""
    piece: AnswerPiece


class Started(NamedTuple):
    """The model works on an answer."""

    choice: int
    """Index of the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedChoice:
    """An answer that is complete."""

    index: int
    ended: CompletionEnded
    """The completion as the workbench stores it."""
    sent: SentAnswer
    reading: Reading
    """What the reader made of the text, without calls that a server parsed."""
    finish_reason: str
    """`tool_calls`, `length` or `stop`."""
    findings: tuple[str, ...]
    """Codes of all findings, each once."""
    left_out: int
    """Calls that were left out: all but the first if the client allows only one, and those that were cut off."""
    raw: str
    """What the model wrote, byte for byte. Calls that a server parsed have the tags of a family around them."""

    @property
    def tokens(self) -> tuple[EmittedToken, ...]:
        """The tokens of the completion, if they were requested and the engine reports them."""
        return self.ended.generation.tokens or ()


ChatEvent = Waiting | Started | PieceOfChoice | FinishedChoice


class AnswerBroken(Exception):
    """The model's server ended an answer in the middle.

    Args:
        problem: What happened, as a text for people.
    """

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(problem)


class _TappedEngine:
    """An engine whose deltas can be read besides the events of the turn, which only have their text.

    Args:
        complete: Adds to each request what only a server uses.
    """

    def __init__(self, engine: Engine, complete: Callable[[GenerationRequest], GenerationRequest]) -> None:
        self._engine = engine
        self._complete = complete
        self._deltas: list[Delta] = []
        self.name = engine.name
        self.fingerprint = engine.fingerprint
        self.capabilities: Capabilities = engine.capabilities
        self.context_tokens = engine.context_tokens

    def count_tokens(self, text: str) -> int:
        return self._engine.count_tokens(text)

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        for delta in self._engine.generate(self._complete(request), is_cancelled=is_cancelled):
            self._deltas.append(delta)
            yield delta

    def take(self) -> Sequence[Delta]:
        """Return the deltas since the last call."""
        taken, self._deltas = self._deltas, []
        return taken


def run_chat(services: Services, chat: PreparedChat, is_cancelled: Callable[[], bool]) -> Iterator[ChatEvent]:
    """Run a request and yield its answers, one after the other.

    Raises:
        EngineError: The engine cannot be asked, or failed.
        AnswerBroken: The model's server ended an answer in the middle.
    """
    try:
        for index in range(chat.count):
            yield from _run_choice(services, chat, index, is_cancelled)
            if is_cancelled():
                return
    finally:
        chat.engine.client.end()


def _run_choice(
    services: Services, chat: PreparedChat, index: int, is_cancelled: Callable[[], bool]
) -> Iterator[ChatEvent]:
    turn = chat.turn(services, index, is_cancelled)
    for_server = partial(
        replace,
        retries=services.settings.gateway_retries,
        server_messages=chat.server_messages,
        server_fields=chat.other_parameters,
    )
    tapped = _TappedEngine(turn.engine, for_server)
    writer: AnswerWriter | None = None
    reported = (*chat.tool_findings, *chat.message_findings)
    codes = [finding.code for finding in reported if finding.severity is not Severity.NOTE]
    has_started = False
    written: list[str] = []
    for event in run_rollout(replace(turn, engine=tapped), chat.conversation):
        if isinstance(event, RoundStarted):
            codes.extend(finding.code for finding in event.findings)
            writer = AnswerWriter(
                tools=chat.setup.tools,
                call_id=lambda number: chat.call_id(index, number),
                rules=chat.rules,
                starts_in_thought=event.prompt.starts_in_thought and event.is_exact,
                dialect=family_named(chat.setup.family).dialect,
                level=chat.level,
            )
            prefill = event.generation.prefill
            if prefill:
                # Nothing of it is sent yet: it ends before the name of the call.
                writer.feed(Delta(text=prefill))
            continue
        if isinstance(event, PieceArrived):
            written.append(event.text)
        if isinstance(event, QueuePositionChanged):
            yield Waiting(event.place)
        for delta in tapped.take():
            if writer is None or delta.queue_position is not None:
                continue
            if not has_started:
                has_started = True
                yield Started(index)
            for piece in writer.feed(delta):
                yield PieceOfChoice(index, piece)
        if isinstance(event, CompletionEnded) and writer is not None:
            yield from _finished(chat, index, event, writer, codes, "".join(written))


def _finished(
    chat: PreparedChat,
    index: int,
    ended: CompletionEnded,
    writer: AnswerWriter,
    codes: list[str],
    raw: str,
) -> Iterator[ChatEvent]:
    reason = ended.generation.finish_reason
    if reason is FinishReason.INTERRUPTED:
        raise AnswerBroken(ended.problem)
    for piece in writer.finish(reason.value):
        yield PieceOfChoice(index, piece)
    reading = writer.reading
    codes += [finding.code for finding in (*reading.findings, *ended.generation.findings)]
    codes += parsed_call_codes(writer.parsed_calls, chat.setup.tools, reason)
    cut = sum(not call.is_complete for call in writer.parsed_calls)
    if writer.left_out:
        codes.append(EXTRA_CALL)
    yield FinishedChoice(
        index=index,
        ended=ended,
        sent=writer.sent,
        reading=reading,
        finish_reason=_finish_reason(reason, has_calls=writer.has_complete_calls),
        findings=tuple(dict.fromkeys(codes)),
        left_out=writer.left_out + cut,
        raw=raw,
    )


def parsed_call_codes(calls: Sequence[SentCall], tools: OfferedTools, reason: FinishReason) -> Iterator[str]:
    """Yield the codes of what is wrong with calls that a server parsed, which are sent as they are.

    What the reader would fix in a text is an error here, because a client gets these calls without fixes.
    """
    for call in calls:
        text = f'{CALL_OPEN}{{"name": {json.dumps(call.name)}, "arguments": {"".join(call.arguments) or "{}"}'
        if call.is_complete:
            text += f"}}{CALL_CLOSE}"
        reading = parse(text, tools=tools, level=Level.STRICT, finish_reason=reason.value)
        yield from (finding.code for finding in reading.findings)


def _finish_reason(reason: FinishReason, *, has_calls: bool) -> str:
    if reason is FinishReason.LENGTH:
        return "length"
    return "tool_calls" if has_calls else "stop"


def hermes_report(
    choices: Sequence[FinishedChoice],
    *,
    tool_findings: Sequence[Finding],
    ignored: Sequence[str] = (),
    has_raw: bool,
) -> JsonObject:
    """Return the field `hermes` of an answer: what the reader did.

    Args:
        tool_findings: What is unusual in the tools of the request.
        ignored: Names of the parameters that the model could not use.
        has_raw: Whether to include what the model wrote, byte for byte: a text, or a list of texts for several answers.
    """
    raws = [choice.raw for choice in choices]
    raw: JsonObject = {"raw": raws[0] if len(raws) == 1 else list(raws)} if has_raw and raws else {}
    return {
        "fixes": [fix.code for choice in choices for fix in choice.reading.fixes],
        "findings": [code for choice in choices for code in choice.findings],
        "dropped": sum(choice.reading.dropped + choice.left_out for choice in choices),
        **({"tools": [_about_tool(finding) for finding in tool_findings]} if tool_findings else {}),
        **({"ignored": list(ignored)} if ignored else {}),
        **raw,
    }


def _about_tool(finding: Finding) -> JsonObject:
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "pointer": finding.pointer,
        "message": finding.message,
    }
