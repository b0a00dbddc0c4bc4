"""The engine for models on servers: it retries, cancels at once, and keeps partial answers."""

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
"""Used to estimate the length of a prompt, because only the server knows its tokens."""
SILENT_END: Final = "the server ended the stream without a reason"
NO_COMPLETION: Final = "the server ended the stream without a completion"


class RemoteRequest(Protocol):
    """A request that is being sent."""

    def read(self) -> Iterable[JsonObject]:
        """Send the request and yield the chunks as they arrive. Runs in a background thread."""
        ...

    def hang_up(self) -> None:
        """End the connection. Called in another thread than `read`."""
        ...


class RemoteClient(Protocol):
    """A client of one kind of server."""

    def ask(self, request: GenerationRequest) -> RemoteRequest:
        """Prepare a request, without sending it."""
        ...

    def refusal_of(self, error: Exception) -> Refusal:
        """Explain an error of the client, or any other error that an answer caused."""
        ...


class _Ending(NamedTuple):
    last: Delta | None
    refusal: Refusal | None


class RemoteEngine:
    """An engine for a model on a server. Safe for several threads; each request has its own connection."""

    def __init__(
        self, client: RemoteClient, server: Server, *, name: str, model: str, wait: Callable[[float], None]
    ) -> None:
        self._client = client
        self.server = server
        self.model = model
        self._wait = wait
        self.name = name
        self.device = server.place
        self.context_tokens = server.context_tokens
        self.fingerprint = server.fingerprint(model)
        self.has_answered = False
        """Whether the newest request was answered by the server."""
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
        """Estimate the number of tokens: one for four characters."""
        return -(-len(text) // CHARS_PER_TOKEN)

    def close(self) -> None:
        """Do nothing: each request has its own connection, which ends with it."""

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """Yield the completion in pieces; see `workbench.rollout.ports.Engine`.

        Raises:
            RemoteFailed: The server refused or sent nothing, after all attempts.
        """
        self._check_request(request)
        attempt = 1
        while True:
            ending = yield from self._attempt(request, is_cancelled)
            if ending.last is not None:
                yield ending.last
                return
            refusal = ending.refusal or Refusal(status=None, message=NO_COMPLETION, is_final=True)
            if not wait_before(attempt, refusal, wait=self._wait, is_cancelled=is_cancelled):
                break
            attempt += 1
        if not is_cancelled():
            self.has_answered = False
            raise remote_failed(refusal, self.server, self.model, attempts=attempt)
        no_usage = Usage(prompt_tokens=0, cached_tokens=0, completion_tokens=0)
        yield Delta(finish_reason=FinishReason.CANCELLED, usage=no_usage)

    def _check_request(self, request: GenerationRequest) -> None:
        if self.server.needs_key and self.server.key is None:
            problem = "it needs an API key, and none is set"
            raise RemoteFailed(self.server.place, problem, f"set {self.server.key_variable}")
        capabilities = self.capabilities
        if capabilities.is_chat_only and not capabilities.writes_tools and request.tool_choice.is_forced:
            raise RemoteFailed(
                self.server.place,
                f"tool choice {str(request.tool_choice)!r} needs a server that gets the tools",
                "set tool choice to 'auto', or set `tools: server` for this server",
            )

    def _attempt(
        self, request: GenerationRequest, is_cancelled: Callable[[], bool]
    ) -> Generator[Delta, None, _Ending]:
        limits = limits_of_completion(request.sampling.max_tokens, timeout_s=self.server.timeout_s)
        reader, meter, timeout = ChunkReader(), TokenMeter(limits), StreamTimeout(limits)
        refusal: Refusal | None = None
        remote_request = self._client.ask(request)
        chunks = BackgroundStream(remote_request.read, remote_request.hang_up)
        try:
            for chunk in chunks.items(is_cancelled=is_cancelled, keeps_waiting=timeout.keeps_waiting):
                delta = reader.feed(chunk)
                self.has_answered = True
                if reader.finish_reason is not None:
                    timeout.finish()
                if delta is not None:
                    yield meter.take(delta)
                    timeout.restart()
                if meter.is_full:
                    reader.finish_reason, reader.problem = FinishReason.LENGTH, ""
                    break
        except WorkbenchError:
            raise
        except Exception as error:  # noqa: BLE001 - any error that an answer causes becomes a message
            refusal = self._client.refusal_of(error)
        finally:
            chunks.close()
        return self._ending(reader, refusal, is_cancelled=is_cancelled())

    def _ending(self, reader: ChunkReader, refusal: Refusal | None, *, is_cancelled: bool) -> _Ending:
        usage = reader.usage()
        if refusal is None and reader.finish_reason is not None:
            last = Delta(finish_reason=reader.finish_reason, usage=usage, problem=reader.problem)
            return _Ending(last, None)
        if is_cancelled:
            return _Ending(Delta(finish_reason=FinishReason.CANCELLED, usage=usage), None)
        if not reader.has_any:
            return _Ending(None, refusal)
        problem = quoted(refusal.message, self.server) if refusal else SILENT_END
        return _Ending(Delta(finish_reason=FinishReason.INTERRUPTED, usage=usage, problem=problem), None)
