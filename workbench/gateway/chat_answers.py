"""Answer prepared requests, as one JSON body or as a stream of events."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import orjson
from starlette.datastructures import Headers
from starlette.responses import Response

from workbench.app.recording import ExchangeRecording, Recorder
from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.errors import WorkbenchError
from workbench.gateway.documents import (
    COMMENT,
    DONE,
    AnswerHead,
    event_bytes,
    raw_logprobs,
    usage_fields,
)
from workbench.gateway.faults import SERVER, RequestFault, fault_of
from workbench.gateway.preparing import PreparedChat, PreparedCompletion
from workbench.gateway.running import (
    AnswerBroken,
    ChatEvent,
    FinishedChoice,
    hermes_report,
    run_chat,
)
from workbench.gateway.threads import Workers
from workbench.records.exchanges import ClientAnswer, ClientRequest
from workbench.rollout.ports import Delta, EmittedToken, FinishReason, Usage
from workbench.rollout.stopping import StopSignal

log: Final = logging.getLogger(__name__)
SESSION_HEADER: Final = "X-Hermes-Session"


Report = Callable[[Sequence[FinishedChoice]], JsonObject]
"""Returns the field `hermes` for some answers of a request."""


class AnswerSpelling(Protocol):
    """Writes the events of an answer as a protocol defines them."""

    @property
    def keep_alive(self) -> bytes:
        """What a stream sends while there is nothing to send."""
        ...

    def whole(self, events: Iterable[ChatEvent], report: Report) -> JsonObject:
        """Return the answer as one JSON body."""
        ...

    def stream(self, events: Iterable[ChatEvent], report: Report) -> Iterator[bytes]:
        """Yield the answer as server-sent events, the end of the stream included."""
        ...

    def broken(self, fault: RequestFault) -> bytes:
        """Return the last event of a stream that cannot be continued."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions:
    """How an answer is sent."""

    has_raw: bool
    """Whether the report includes what the model wrote."""
    headers: Headers
    ignored: tuple[str, ...] = ()
    """Names of the parameters that have no meaning for any model."""


def json_response(document: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a response with a JSON body."""
    return Response(orjson.dumps(document), status, headers, "application/json")


FaultSpelling = Callable[[RequestFault], JsonObject]
"""Writes the body of a response for a request that cannot be answered."""


def openai_fault(fault: RequestFault) -> JsonObject:
    """Return the body as OpenAI's protocol defines it."""
    return fault.document


def fault_response(fault: RequestFault, spell: FaultSpelling = openai_fault) -> Response:
    """Return the response for a request that cannot be answered."""
    return json_response(spell(fault), fault.status, fault.headers)


def as_fault(error: Exception) -> RequestFault:
    """Return how an error is answered. Errors that are not expected are logged, and not shown to the client."""
    if isinstance(error, RequestFault):
        return error
    if isinstance(error, AnswerBroken):
        return RequestFault(502, f"The answer broke off: {error.problem}.", "upstream_error", kind=SERVER)
    if isinstance(error, WorkbenchError):
        return fault_of(error)
    log.error("a request failed", exc_info=error)
    return RequestFault(500, "The server made an error. Its log has the details.", kind=SERVER)


class ChatAnswer:
    """Answers a chat request.

    Args:
        workers: The threads.
        spelling: Writes the answer as the client's protocol defines it.
        recorder: Stores the conversation, or None.
    """

    def __init__(
        self,
        workers: Workers,
        services: Services,
        chat: PreparedChat,
        spelling: AnswerSpelling,
        options: AnswerOptions,
        recorder: Recorder | None,
    ) -> None:
        self._workers = workers
        self._services = services
        self._chat = chat
        self._spelling = spelling
        self._options = options
        self._recorder = recorder
        self._session = ""
        self.keep_alive: Final = spelling.keep_alive
        self.broken: Final = spelling.broken

    async def whole(self, stop: StopSignal) -> Response:
        """Return the answer as one JSON body."""
        document = await self._workers.run(lambda: self._spelling.whole(self._events(stop), self._report))
        return json_response(document, headers=self.headers)

    def chunks(self, stop: StopSignal) -> Iterator[bytes]:
        """Yield the answer as server-sent events. An empty piece shows that the request is accepted."""
        return self._spelling.stream(self._events(stop), self._report)

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the answer, once its first event has arrived."""
        return {SESSION_HEADER: self._session} if self._session else {}

    def _events(self, stop: StopSignal) -> Iterator[ChatEvent]:
        """Run the request in a thread, and store what is finished."""
        recording = self._recording()
        for event in run_chat(self._services, self._chat, stop):
            if isinstance(event, FinishedChoice) and recording is not None:
                ended = event.ended
                sent = event.sent.message
                recording.end(ClientAnswer(message=ended.message, generation=ended.generation, sent=sent))
            yield event

    def _recording(self) -> ExchangeRecording | None:
        """Begin to record the request, and note its session for the header."""
        if self._recorder is None:
            return None
        headers = self._options.headers
        request = ClientRequest(
            messages=self._chat.conversation.messages,
            setup=self._chat.config,
            client=headers.get("user-agent", ""),
            session_name=self._chat.session_name or headers.get(SESSION_HEADER, ""),
        )
        recording = self._recorder.begin(self._services, request)
        self._session = recording.session_id
        return recording

    def _report(self, choices: Sequence[FinishedChoice]) -> JsonObject:
        return hermes_report(
            choices,
            tool_findings=self._chat.tool_findings,
            ignored=(*self._options.ignored, *self._chat.ignored),
            has_raw=self._options.has_raw,
        )


class TextAnswer:
    """Answers a request for a raw completion."""

    def __init__(self, workers: Workers, prepared: PreparedCompletion, *, sends_usage: bool) -> None:
        self._workers = workers
        self._prepared = prepared
        self._sends_usage = sends_usage
        self._head = AnswerHead(model=prepared.target.name)
        self._usages: list[Usage] = []
        self._written: list[str] = []

    headers: Final[dict[str, str]] = {}
    keep_alive: Final = COMMENT

    def broken(self, fault: RequestFault) -> bytes:
        """Return the last event of a stream that cannot be continued."""
        return event_bytes(fault.document)

    async def whole(self, stop: StopSignal) -> Response:
        """Return the completions as one JSON body."""
        choices = await self._workers.run(lambda: list(self._choices(stop)))
        return json_response(self._head.text(choices, usage=self._usage()))

    def _choices(self, stop: StopSignal) -> Iterator[JsonObject]:
        has_logprobs = self._prepared.request.wants_logprobs
        for index in range(self._prepared.count):
            deltas = list(self._deltas(index, stop))
            tokens = [token for delta in deltas for token in delta.tokens]
            text = "".join(delta.text for delta in deltas)
            yield _text_choice(index, text, tokens if has_logprobs else (), _text_reason(deltas[-1]))

    def chunks(self, stop: StopSignal) -> Iterator[bytes]:
        """Yield the completions as server-sent events."""
        yield from map(event_bytes, self._pieces(stop))
        if self._sends_usage:
            yield event_bytes(self._head.text((), usage=self._usage()))
        yield DONE

    def _pieces(self, stop: StopSignal) -> Iterator[JsonObject]:
        has_logprobs = self._prepared.request.wants_logprobs
        for index in range(self._prepared.count):
            for delta in self._deltas(index, stop):
                if delta.text or delta.finish_reason is not None:
                    reason = _text_reason(delta) if delta.finish_reason else None
                    tokens = delta.tokens if has_logprobs else ()
                    yield self._head.text((_text_choice(index, delta.text, tokens, reason),))

    def _deltas(self, index: int, stop: StopSignal) -> Iterator[Delta]:
        try:
            for delta in self._prepared.deltas(index, stop):
                if delta.finish_reason is FinishReason.INTERRUPTED:
                    raise AnswerBroken(delta.problem)
                self._written.append(delta.text)
                if delta.finish_reason is not None:
                    self._usages.append(delta.usage or Usage())
                yield delta
        finally:
            self._prepared.engine.client.end()

    def _usage(self) -> JsonObject:
        prompt = self._prepared.request.prompt
        return usage_fields(self._usages, prompt=prompt, written="".join(self._written))


def _text_choice(
    index: int, text: str, tokens: Sequence[EmittedToken], finish_reason: str | None
) -> JsonObject:
    return {"index": index, "text": text, "logprobs": raw_logprobs(tokens), "finish_reason": finish_reason}


def _text_reason(last: Delta) -> str:
    return "length" if last.finish_reason is FinishReason.LENGTH else "stop"
