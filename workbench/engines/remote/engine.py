"""The engine for models on servers: it retries, cancels at once, and keeps partial answers."""

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from workbench.chat.json_value import JsonObject
from workbench.engines.remote.call_wrapping import wrap_call
from workbench.engines.remote.chunks import ChunkReader
from workbench.engines.remote.probes.server_probes import ProbedServer
from workbench.engines.remote.request.forced_calls import is_way_known
from workbench.engines.remote.request.openai_request import estimated_tokens, is_bare_call
from workbench.engines.remote.server import Mode, Server, ServerKind
from workbench.engines.remote.transport.answer_limits import (
    StreamTimeout,
    TokenMeter,
    limits_of_completion,
    wait_before,
)
from workbench.engines.remote.transport.background_stream import BackgroundStream
from workbench.engines.remote.transport.failures import Refusal, quoted, remote_failed
from workbench.errors import RemoteFailed, WorkbenchError
from workbench.rollout.ports import Capabilities, Delta, FinishReason, GenerationRequest

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFacts:
    """What a server and its probes said about a model so far."""

    context_tokens: int = 0
    """Size of the context in the server's list; 0 if not known."""
    software: ServerKind | None = None
    """The software by the server's list. None if not known."""
    probed: ProbedServer | None = None
    """What was found out by asking. None if nothing was asked yet."""


class KnownServer(NamedTuple):
    """A server, and what was found out about it."""

    server: Server
    """As configured, and completed by what its list says about it."""
    probed: ProbedServer | None
    """None if nothing was asked yet."""


AskAbilities = Callable[[Callable[[], bool]], None]
"""Asks the server what it can do, until that is known, takes too long or is cancelled. Never raises."""


def ask_nothing(_: Callable[[], bool]) -> None:
    """Ask nothing."""


class RemoteClient(Protocol):
    """A client of one kind of server."""

    def ask(self, request: GenerationRequest, server: Server, probed: ProbedServer | None) -> RemoteRequest:
        """Prepare a request, without sending it.

        Args:
            server: The server, with what it said about itself.
            probed: What was found out about it. None uses what the documentation of its software says.
        """
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
        self,
        client: RemoteClient,
        server: Server,
        *,
        name: str,
        model: str,
        wait: Callable[[float], None],
        facts: Callable[[], ServerFacts] = ServerFacts,
        ask_abilities: AskAbilities = ask_nothing,
    ) -> None:
        """Send nothing yet.

        Args:
            facts: Returns what is known about the server and the model, without asking.
            ask_abilities: Asks the server what it can do, before it must call a tool and it is not known how.
        """
        self._client = client
        self._server = server
        self._facts = facts
        self._ask_abilities = ask_abilities
        self.model = model
        self._wait = wait
        self.name = name
        self.device = server.place
        self.fingerprint = server.fingerprint(model)
        self.has_answered = False
        """Whether the newest request was answered by the server."""

    @property
    def known(self) -> KnownServer:
        """The server, and what was found out about it so far. A request uses what was known when it began."""
        facts = self._facts()
        server = self._server.completed(software=facts.software, context_tokens=facts.context_tokens)
        return KnownServer(server, facts.probed)

    @property
    def context_tokens(self) -> int:
        """Size of the context; 0 if not known."""
        return self.known.server.context_tokens

    @property
    def capabilities(self) -> Capabilities:
        """What the engine can do, as far as it is known now."""
        server, probed = self.known
        is_raw = server.mode is Mode.RAW
        return Capabilities(
            has_exact_prompt=is_raw,
            has_grammar=is_raw and (probed or ProbedServer()).resolved(server.kind).grammar is True,
            is_chat_only=not is_raw,
            writes_tools=server.writes_tools,
            has_tokenizer=False,
            takes_many=True,
        )

    def count_tokens(self, text: str) -> int:
        """Estimate the number of tokens: one for four characters."""
        return estimated_tokens(text)

    def close(self) -> None:
        """Do nothing: each request has its own connection, which ends with it."""

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """Yield the completion in pieces; see `workbench.rollout.ports.Engine`.

        Raises:
            RemoteFailed: The server refused or sent nothing, after all attempts.
        """
        known = self.known
        if not is_way_known(request, known.server, known.probed):
            self._ask_abilities(is_cancelled)
            known = self.known
        is_bare = is_bare_call(request, known.server, known.probed)
        _check_request(request, known.server, is_bare=is_bare)
        deltas = self._generate(request, known, is_cancelled)
        yield from wrap_call(deltas) if is_bare else deltas

    def _generate(
        self, request: GenerationRequest, known: KnownServer, is_cancelled: Callable[[], bool]
    ) -> Generator[Delta]:
        attempt = 1
        while True:
            ending = yield from self._attempt(request, known, is_cancelled)
            if ending.last is not None:
                yield ending.last
                return
            refusal = ending.refusal or Refusal(status=None, message=NO_COMPLETION, is_final=True)
            if not wait_before(
                attempt, refusal, retries=request.retries, wait=self._wait, is_cancelled=is_cancelled
            ):
                break
            attempt += 1
        if not is_cancelled():
            self.has_answered = False
            raise remote_failed(refusal, known.server, self.model, attempts=attempt)
        yield Delta(finish_reason=FinishReason.CANCELLED)

    def _attempt(
        self, request: GenerationRequest, known: KnownServer, is_cancelled: Callable[[], bool]
    ) -> Generator[Delta, None, _Ending]:
        limits = limits_of_completion(request.sampling.max_tokens, timeout_s=known.server.timeout_s)
        reader, meter, timeout = ChunkReader(), TokenMeter(limits), StreamTimeout(limits)
        refusal: Refusal | None = None
        remote_request = self._client.ask(request, known.server, known.probed)
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
        if (rest := reader.rest()) is not None:
            yield meter.take(rest)
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
        problem = quoted(refusal.message, self._server) if refusal else SILENT_END
        return _Ending(Delta(finish_reason=FinishReason.INTERRUPTED, usage=usage, problem=problem), None)


def _check_request(request: GenerationRequest, server: Server, *, is_bare: bool) -> None:
    if server.needs_key and server.key is None:
        problem = "it needs an API key, and none is set"
        raise RemoteFailed(server.place, problem, f"set {server.key_variable}")
    is_applied = server.mode is Mode.RAW or server.writes_tools or is_bare
    if request.tool_choice.is_forced and not is_applied:
        raise RemoteFailed(
            server.place,
            f"tool choice {str(request.tool_choice)!r} needs a server that gets the tools, "
            "or applies a JSON Schema or a grammar",
            "set tool choice to 'auto', or set `tools: server` for this server",
        )
