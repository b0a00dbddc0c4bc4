"""Queue requests to engines, fairly between owners."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, TypeVar

from workbench.app.fair_queue import FairQueue, QueueTicket, Share
from workbench.app.limits import PersonLimits
from workbench.rollout.logprobs import CallOpening, Decision, LogprobsEngine
from workbench.rollout.ports import (
    Capabilities,
    Delta,
    EmittedToken,
    Engine,
    FinishReason,
    GenerationRequest,
    Usage,
)

LOOK_EVERY_S: Final = 0.05
"""How often somebody who waits asks whether to go on waiting."""
_THIS_MACHINE: Final = ""
"""The line of all models that are served one asker at a time: only one of them is loaded."""

_Found = TypeVar("_Found")


class EngineQueues:
    """The line in front of each engine, as long as the process lives."""

    def __init__(self) -> None:
        self._lines: dict[str, FairQueue] = {}
        self._lock = Lock()

    def line(self, engine: Engine, limits: PersonLimits) -> FairQueue | None:
        """The line in front of an engine; None where all are served at once."""
        is_single = engine.capabilities.is_one_at_a_time
        width = 1 if is_single else limits.remote_at_once
        if width is None:
            return None
        with self._lock:
            name = _THIS_MACHINE if is_single else engine.name
            return self._lines.setdefault(name, FairQueue(width))


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueClient:
    """Somebody who asks a model."""

    find: Callable[[], Engine]
    """Gives the engine, loaded: another one may have taken its place meanwhile."""
    share: Share
    line: FairQueue | None
    """Where to wait; None asks at once."""
    limits: PersonLimits
    turn: object = field(default_factory=object)

    def end(self) -> None:
        """The turn is over: the next one need not wait for it."""
        if self.line is not None:
            self.line.end(self.turn)


class QueuedEngine:
    """An engine as one turn has it: each completion waits its turn; see `workbench.rollout.ports.Engine`."""

    def __init__(self, engine: Engine, asker: QueueClient) -> None:
        self._engine = engine
        self.asker: Final = asker
        """Who asks."""
        self.name: Final = engine.name
        self.fingerprint: Final = engine.fingerprint
        self.capabilities: Final[Capabilities] = engine.capabilities
        self.context_tokens: Final = engine.context_tokens

    def count_tokens(self, text: str) -> int:
        """Length of `text` in tokens."""
        return self._engine.count_tokens(text)

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """The completion in pieces, once it is its turn; the place in the line is given until then."""
        asker = self.asker
        asker.limits.check_sampling(request.sampling)
        line = asker.line
        if line is None:
            yield from self._engine.generate(request, is_cancelled=is_cancelled)
            return
        # Not a `with`: a stream may be closed from another thread than the one that began it.
        ticket, is_whole = line.join(asker.share, turn=asker.turn), False
        try:
            if not (yield from _waited(line, ticket, is_cancelled)):
                usage = Usage(prompt_tokens=0, cached_tokens=0, completion_tokens=0)
                yield Delta(finish_reason=FinishReason.CANCELLED, usage=usage)
                return
            with closing(_stream(self._now(), request, is_cancelled)) as deltas:
                for delta in deltas:
                    is_whole = delta.finish_reason is FinishReason.STOP
                    yield delta
        finally:
            line.leave(ticket, keeps_place=is_whole)

    def _now(self) -> Engine:
        """The engine, loaded again where another model was loaded while this one waited."""
        return self.asker.find() if self.capabilities.is_one_at_a_time else self._engine


class QueuedLogprobs(QueuedEngine):
    """The same of an engine that tells probabilities; see `workbench.rollout.logprobs.LogprobsEngine`."""

    def decide(
        self, prompt: str, opening: CallOpening, names: Sequence[str], *, is_cancelled: Callable[[], bool]
    ) -> Decision | None:
        """How an answer would begin."""
        return self._asked(
            lambda engine: engine.decide(prompt, opening, names, is_cancelled=is_cancelled), is_cancelled
        )

    def completion_logprobs(
        self, prompt: str, completion: str, *, is_cancelled: Callable[[], bool]
    ) -> tuple[EmittedToken, ...] | None:
        """The tokens of a completion with their log-probabilities."""
        return self._asked(
            lambda engine: engine.completion_logprobs(prompt, completion, is_cancelled=is_cancelled),
            is_cancelled,
        )

    def _asked(
        self, ask: Callable[[LogprobsEngine], _Found | None], is_cancelled: Callable[[], bool]
    ) -> _Found | None:
        line = self.asker.line
        if line is None:
            return self._weighed(ask)
        ticket = line.join(self.asker.share, turn=self.asker.turn)
        try:
            for _ in (waiting := _waited(line, ticket, is_cancelled)):
                pass
            waiting.close()
            return None if line.place(ticket) else self._weighed(ask)
        finally:
            line.leave(ticket, keeps_place=True)

    def _weighed(self, ask: Callable[[LogprobsEngine], _Found | None]) -> _Found | None:
        engine = self._now()
        return ask(engine) if isinstance(engine, LogprobsEngine) else None


def queued(engine: Engine, asker: QueueClient) -> QueuedEngine:
    """The engine as one turn has it, with all that it can."""
    return (QueuedLogprobs if isinstance(engine, LogprobsEngine) else QueuedEngine)(engine, asker)


def _waited(
    line: FairQueue, ticket: QueueTicket, is_cancelled: Callable[[], bool]
) -> Generator[Delta, None, bool]:
    """Gives each place that differs from the one before; False where a person stopped waiting."""
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
