"""A model behind a server as an engine: retried when that may help, cancelled at once, partial answers kept."""

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Final, NamedTuple, Protocol

from workbench.chat.json_value import JsonObject
from workbench.engines.remote.answer_limits import (
    StreamTimeout,
    TokenMeter,
    limits_of_completion,
    wait_before,
)
from workbench.engines.remote.background_stream import BackgroundStream
from workbench.engines.remote.chunks import ChunkReader
from workbench.engines.remote.failures import Refusal, quoted, remote_failed
from workbench.engines.remote.server import Mode, Server
from workbench.errors import RemoteFailed, WorkbenchError
from workbench.rollout.ports import Capabilities, Delta, FinishReason, GenerationRequest, Usage

CHARS_PER_TOKEN: Final = 4
"""What an estimate of a prompt's length reckons with: the server alone knows its tokens."""
SILENT_END: Final = "the server ended the stream without saying why"
NO_STREAM: Final = "the answer holds no completion; is the base URL right, with its /v1?"


class RemoteRequest(Protocol):
    """One request under way."""

    def read(self) -> Iterable[JsonObject]:
        """Sends it and gives the chunks as they come; runs in a thread of its own."""
        ...

    def hang_up(self) -> None:
        """Ends the connection, from another thread than `read`."""
        ...


class RemoteClient(Protocol):
    """A client of one kind of server."""

    def ask(self, request: GenerationRequest) -> RemoteRequest:
        """Prepares a request; nothing is sent yet."""
        ...

    def refusal_of(self, error: Exception) -> Refusal:
        """What an error means, of the client or of whatever else an answer has led to."""
        ...


class _Ending(NamedTuple):
    last: Delta | None
    refusal: Refusal | None


class RemoteEngine:
    """Safe for several askers at once; each has a connection of its own."""

    def __init__(
        self, line: RemoteClient, server: Server, *, name: str, model: str, wait: Callable[[float], None]
    ) -> None:
        self._line = line
        self.server = server
        self.model = model
        self._wait = wait
        self.name = name
        self.device = server.place
        self.context_tokens = server.context_tokens
        self.fingerprint = server.fingerprint(model)
        is_raw = server.mode is Mode.RAW
        self.capabilities = Capabilities(
            has_exact_prompt=is_raw,
            has_grammar=False,
            is_chat_only=not is_raw,
            writes_tools=server.writes_tools,
            has_tokenizer=False,
            takes_many=True,
        )

    def count_tokens(self, text: str) -> int:
        """An estimate: four characters a token."""
        return -(-len(text) // CHARS_PER_TOKEN)

    def close(self) -> None:
        """Does nothing: each request has a connection of its own, which ends with it."""

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """The completion in pieces; see `workbench.rollout.ports.Engine`.

        Raises:
            RemoteFailed: The server refused, or nothing came, also when asked again.
        """
        self._refuse_unaskable(request)
        attempt = 1
        while True:
            ending = yield from self._attempt(request, is_cancelled)
            if ending.last is not None:
                yield ending.last
                return
            refusal = ending.refusal or Refusal(status=None, words=NO_STREAM, is_final=True)
            if not wait_before(attempt, refusal, wait=self._wait, is_cancelled=is_cancelled):
                break
            attempt += 1
        if not is_cancelled():
            raise remote_failed(refusal, self.server, self.model)
        nothing = Usage(prompt_tokens=0, cached_tokens=0, completion_tokens=0)
        yield Delta(finish_reason=FinishReason.CANCELLED, usage=nothing)

    def _refuse_unaskable(self, request: GenerationRequest) -> None:
        if self.server.needs_key and self.server.key is None:
            problem = "it needs a key of your own, and none was given"
            raise RemoteFailed(self.server.place, problem, f"set {self.server.key_variable}")
        capabilities = self.capabilities
        if capabilities.is_chat_only and not capabilities.writes_tools and request.tool_choice.is_forced:
            raise RemoteFailed(
                self.server.place,
                f"tool choice {str(request.tool_choice)!r} needs the server to know the tools",
                "set tool choice to 'auto', or `tools: server` for this server",
            )

    def _attempt(
        self, request: GenerationRequest, is_cancelled: Callable[[], bool]
    ) -> Generator[Delta, None, _Ending]:
        limits = limits_of_completion(request.sampling.max_tokens, timeout_s=self.server.timeout_s)
        reader, meter, pulse = ChunkReader(), TokenMeter(limits), StreamTimeout(limits)
        refusal: Refusal | None = None
        ask = self._line.ask(request)
        aside = BackgroundStream(ask.read, ask.hang_up)
        try:
            for chunk in aside.things(is_cancelled=is_cancelled, goes_on=pulse.goes_on):
                delta = reader.feed(chunk)
                if reader.finish_reason is not None:
                    pulse.finish()
                if delta is not None:
                    yield meter.take(delta)
                    pulse.beat()
                if meter.is_full:
                    reader.finish_reason = FinishReason.LENGTH
                    break
        except WorkbenchError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever an answer leads to is a message, never a traceback
            refusal = self._line.refusal_of(error)
        finally:
            aside.close()
        return self._ending(reader, refusal, is_cancelled=is_cancelled())

    def _ending(self, reader: ChunkReader, refusal: Refusal | None, *, is_cancelled: bool) -> _Ending:
        usage = reader.usage()
        if refusal is None and reader.finish_reason is not None:
            return _Ending(Delta(finish_reason=reader.finish_reason, usage=usage), None)
        if is_cancelled:
            return _Ending(Delta(finish_reason=FinishReason.CANCELLED, usage=usage), None)
        if not reader.has_any:
            return _Ending(None, refusal)
        problem = quoted(refusal.words, self.server) if refusal else SILENT_END
        return _Ending(Delta(finish_reason=FinishReason.INTERRUPTED, usage=usage, problem=problem), None)
