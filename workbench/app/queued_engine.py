"""Queue requests to engines, fairly between owners."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, TypeVar

from workbench.app.fair_queue import FairQueue, QueueTicket, Share
from workbench.records.limits import UserLimits
from workbench.rollout.logprobs import CallOpening, Decision, LogprobsEngine
from workbench.rollout.ports import (
    Capabilities,
    Delta,
    EmittedToken,
    Engine,
    FinishReason,
    GenerationRequest,
)

LOOK_EVERY_S: Final = 0.05
"""How often a waiting request checks whether it was cancelled, in seconds."""
_THIS_MACHINE: Final = ""
"""The key of the queue for all models of this machine, because they share its cores. It serves as many requests at a
time as the model that takes the most."""

_Result = TypeVar("_Result")


class EngineQueues:
    """The queues of all engines, for the lifetime of the process."""

    def __init__(self) -> None:
        self._lines: dict[str, FairQueue] = {}
        self._widths: dict[str, int] = {}
        """How many requests all servers together may send to the model of a queue at the same time."""
        self._servers = 1
        self._lock = Lock()

    def share_among(self, servers: int) -> None:
        """Divide the requests that may be sent to a model at the same time among this many servers.

        A model of this machine is not shared, so its queue stays as it is.
        """
        with self._lock:
            self._servers = servers
            for name, width in self._widths.items():
                self._lines[name].resize(self._own_part(width))

    def _own_part(self, width: int) -> int:
        return max(1, width // self._servers)

    def line(self, engine: Engine, limits: UserLimits) -> FairQueue | None:
        """Return the queue of an engine. None if it serves all requests at once."""
        own_width = engine.capabilities.own_width
        width = own_width or limits.remote_at_once
        if width is None:
            return None
        with self._lock:
            name = _THIS_MACHINE if own_width else engine.name
            if name not in self._lines:
                if not own_width:
                    self._widths[name] = width
                self._lines[name] = FairQueue(width if own_width else self._own_part(width))
            if own_width:
                self._lines[name].widen(own_width)
            return self._lines[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueClient:
    """A turn that sends requests to a model."""

    find: Callable[[], Engine]
    """Returns the loaded engine. It loads the model again if another one was loaded in the meantime."""
    share: Share
    line: FairQueue | None
    """The queue to wait in. None does not wait."""
    limits: UserLimits
    turn: object = field(default_factory=object)
    """Identifies the turn in the queue."""

    def end(self) -> None:
        """Give up the place that the turn holds in the queue."""
        if self.line is not None:
            self.line.end(self.turn)


class QueuedEngine:
    """An engine for one turn, whose completions wait in a queue. See `workbench.rollout.ports.Engine`."""

    def __init__(self, engine: Engine, client: QueueClient) -> None:
        self._engine = engine
        self.client: Final = client
        self.name: Final = engine.name
        self.fingerprint: Final = engine.fingerprint
        self.capabilities: Final[Capabilities] = engine.capabilities
        self.context_tokens: Final = engine.context_tokens

    def count_tokens(self, text: str) -> int:
        """Return the length of `text` in tokens."""
        return self._engine.count_tokens(text)

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """Yield the completion in pieces. While the request waits, yield its place in the queue."""
        client = self.client
        client.limits.check_sampling(request.sampling)
        line = client.line
        if line is None:
            yield from self._engine.generate(request, is_cancelled=is_cancelled)
            return
        # This is not a context manager, because a stream may be closed by another thread than the one that started it.
        ticket, is_whole = line.join(client.share, turn=client.turn), False
        try:
            if not (yield from _wait(line, ticket, is_cancelled)):
                yield Delta(finish_reason=FinishReason.CANCELLED)
                return
            with closing(_stream(self._loaded(), request, is_cancelled)) as deltas:
                for delta in deltas:
                    is_whole = delta.finish_reason is FinishReason.STOP
                    yield delta
        finally:
            line.leave(ticket, keeps_place=is_whole)

    def _loaded(self) -> Engine:
        """Return the engine, loaded again if another model was loaded while the request waited."""
        return self.client.find() if self.capabilities.own_width else self._engine


class QueuedLogprobs(QueuedEngine):
    """A queued engine that can report logprobs. See `workbench.rollout.logprobs.LogprobsEngine`."""

    def decide(
        self, prompt: str, opening: CallOpening, names: Sequence[str], *, is_cancelled: Callable[[], bool]
    ) -> Decision | None:
        """Return the probabilities of how an answer begins. None if it was cancelled."""
        return self._queued(
            lambda engine: engine.decide(prompt, opening, names, is_cancelled=is_cancelled), is_cancelled
        )

    def completion_logprobs(
        self, prompt: str, completion: str, *, is_cancelled: Callable[[], bool]
    ) -> tuple[EmittedToken, ...] | None:
        """Return the tokens of a completion with their logprobs. None if it was cancelled."""
        return self._queued(
            lambda engine: engine.completion_logprobs(prompt, completion, is_cancelled=is_cancelled),
            is_cancelled,
        )

    def _queued(
        self, compute: Callable[[LogprobsEngine], _Result | None], is_cancelled: Callable[[], bool]
    ) -> _Result | None:
        line = self.client.line
        if line is None:
            return self._compute(compute)
        ticket = line.join(self.client.share, turn=self.client.turn)
        try:
            for _ in (waiting := _wait(line, ticket, is_cancelled)):
                pass
            waiting.close()
            return None if line.place(ticket) else self._compute(compute)
        finally:
            line.leave(ticket, keeps_place=True)

    def _compute(self, compute: Callable[[LogprobsEngine], _Result | None]) -> _Result | None:
        engine = self._loaded()
        return compute(engine) if isinstance(engine, LogprobsEngine) else None


def queued(engine: Engine, client: QueueClient) -> QueuedEngine:
    """Return the engine for one turn, with logprobs if the engine has them."""
    return (QueuedLogprobs if isinstance(engine, LogprobsEngine) else QueuedEngine)(engine, client)


def _wait(
    line: FairQueue, ticket: QueueTicket, is_cancelled: Callable[[], bool]
) -> Generator[Delta, None, bool]:
    """Yield each new place in the queue until the ticket is served. Return False if a person cancelled."""
    shown, place = 0, line.place(ticket)
    while place:
        if is_cancelled():
            return False
        if place != shown:
            shown = place
            yield Delta(queue_position=place)
        place = line.wait(ticket, timeout_s=LOOK_EVERY_S)
    return True


def _stream(
    engine: Engine, request: GenerationRequest, is_cancelled: Callable[[], bool]
) -> Generator[Delta, None, None]:
    yield from engine.generate(request, is_cancelled=is_cancelled)
