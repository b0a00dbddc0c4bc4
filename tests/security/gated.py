"""An engine that completes one prompt at a time behind a gate, and visitors who use it at the same time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Event, Lock, Semaphore, Thread

from workbench.app.services import Services
from workbench.app.turn_request import TurnContext, TurnRequest
from workbench.app.turns import begin_session, run_turn
from workbench.errors import WorkbenchError
from workbench.records.owner import Owner
from workbench.rollout.events import QueuePositionChanged
from workbench.rollout.models import Models, ModelStatus
from workbench.rollout.ports import Capabilities, Delta, Engine, FinishReason, GenerationRequest, Usage
from workbench.settings import Secret

PATIENCE_S = 60.0
"""Seconds after which a test that hangs fails."""


class GatedEngine:
    """Completes prompts with `texts`, one after the other. The first completion waits until the gate is open."""

    name = "gated"
    fingerprint = "2" * 64
    context_tokens = 0
    capabilities = Capabilities(has_exact_prompt=True, has_grammar=False, own_width=1)

    def __init__(self, *texts: str) -> None:
        self.texts = texts or ("Fine.",)
        self.gate = Event()
        self.started = Event()
        self.asked: list[str] = []
        self._busy = Lock()

    def count_tokens(self, text: str) -> int:
        return len(text)

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        assert self._busy.acquire(blocking=False), "two completions at the same time"
        try:
            text = self.texts[len(self.asked) % len(self.texts)]
            self.asked.append(said_in(request))
            self.started.set()
            assert self.gate.wait(PATIENCE_S)
            yield Delta(text=text)
            usage = Usage(prompt_tokens=1, cached_tokens=0, completion_tokens=1)
            reason = FinishReason.CANCELLED if is_cancelled() else FinishReason.STOP
            yield Delta(finish_reason=reason, usage=usage)
        finally:
            self._busy.release()


def said_in(request: GenerationRequest) -> str:
    """Return the last user message of a prompt."""
    return request.prompt.rpartition("<|im_start|>user\n")[2].partition("<|im_end|>")[0].strip()


@dataclass(frozen=True, slots=True)
class OneModel:
    """Models that use the same engine for every name."""

    models: Models
    one: Engine

    def names(self) -> Sequence[str]:
        return self.models.names()

    def engine(self, name: str, *, token: Secret | None = None) -> Engine:
        return self.one

    def ask_servers(self) -> Sequence[str]:
        return ()

    def check(self, name: str) -> None:
        """Nothing has to be contacted."""

    def with_paths(self, *, is_permitted: bool, guest: str = "") -> "OneModel":
        return self

    def status(self, name: str) -> ModelStatus:
        return self.models.status(name)

    def scripted(self, name: str, completions: Sequence[str]) -> Engine:
        return self.models.scripted(name, completions)


def with_engine(services: Services, engine: Engine, *, is_on_space: bool = False) -> Services:
    """Return services in which every model is this engine."""
    settings = replace(services.settings, is_on_space=is_on_space)
    return replace(services, models=OneModel(services.models, engine), settings=settings)


@dataclass
class Crowd:
    """Runs work in separate threads."""

    services: Services
    in_line: Semaphore = field(default_factory=lambda: Semaphore(0))
    places: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    refused: list[str] = field(default_factory=list[str])
    threads: list[Thread] = field(default_factory=list[Thread])

    def say(self, owner: Owner, text: str, *, is_cancelled: Callable[[], bool] = lambda: False) -> None:
        """Run a turn of an owner. `in_line` is released when it waits."""
        self.work(lambda: self._play(owner, text, is_cancelled))

    def work(self, work: Callable[[], None]) -> None:
        """Run any other work."""
        thread = Thread(target=work, daemon=True)
        self.threads.append(thread)
        thread.start()

    def wait_in_line(self, count: int) -> None:
        """Wait until `count` more turns wait."""
        for _ in range(count):
            assert self.in_line.acquire(timeout=PATIENCE_S)

    def end(self) -> None:
        for thread in self.threads:
            thread.join(PATIENCE_S)
            assert not thread.is_alive()

    def _play(self, owner: Owner, text: str, is_cancelled: Callable[[], bool]) -> None:
        own = self.services.of(owner)
        try:
            setup = own.setup_for()
            session_id = begin_session(own, setup).id
            for event in run_turn(
                own,
                TurnRequest(setup=setup, session_id=session_id, text=text),
                TurnContext(is_cancelled=is_cancelled),
            ):
                if isinstance(event, QueuePositionChanged):
                    places = self.places.setdefault(text, [])
                    places.append(event.place)
                    if len(places) == 1:
                        self.in_line.release()
        except WorkbenchError as error:
            self.refused.append(str(error))
