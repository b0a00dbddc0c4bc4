"""Draw several samples of a turn as sibling branches, and measure how much they agree."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from workbench.app.prepare import TurnContext
from workbench.app.regenerate import ResumePoint, continue_from
from workbench.app.services import Services
from workbench.app.turns import MessageStored
from workbench.chat.message import Message, Role, ToolCall
from workbench.hermes.written_out import read_message
from workbench.records.corpus.material import ExportMessage
from workbench.records.run_config import RunConfig
from workbench.records.sessions import StoredMessage
from workbench.rollout.events import Event
from workbench.toolspec.spec import OfferedTools, canonical_json

MOST_SAMPLES: Final = 16
"""The most samples that can be drawn at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleStarted:
    """Another sample has started."""

    number: int
    """Number of the sample, from 1."""
    count: int
    """How many samples there will be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One of several answers to the same message."""

    message_id: str
    """The first message of the answer."""
    leaf_id: str
    """The last message of the branch."""
    calls: tuple[ToolCall, ...]
    """The calls of the answer in order, up to the next user message."""
    text: str
    """Text of the model's last message in the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleAgreement:
    """How many samples make the same calls."""

    agreeing: int
    """How many samples make the most frequent calls."""
    count: int
    """The number of samples."""
    calls: tuple[ToolCall, ...]
    """The most frequent calls. Empty if most samples call nothing."""

    @property
    def share(self) -> float:
        """The share of samples that agree, from 0 to 1."""
        return self.agreeing / self.count


def draw_samples(
    services: Services,
    session_id: str,
    setup: RunConfig,
    point: ResumePoint,
    context: TurnContext,
    *,
    count: int,
) -> Iterator[Event | MessageStored | SampleStarted]:
    """Draw the second and all further samples of a turn, each with the next seed, as sibling branches.

    Args:
        point: The message that each sample answers.
        count: The number of samples, including the first one, which already exists.

    Raises:
        WorkbenchError: As in `continue_from`.
    """
    services.limits.check_samples(count)
    services.limits.check_setup(setup)
    try:
        for number in range(2, count + 1):
            if context.is_cancelled():
                return
            yield SampleStarted(number=number, count=count)
            seed = (setup.sampling.seed + number - 1) % 2**31
            reseeded = replace(setup, sampling=replace(setup.sampling, seed=seed))
            yield from continue_from(services, session_id, reseeded, point, context)
    finally:
        # Restore the original setup, because each sample saved its own seed in the session.
        services.sessions.save_setup(session_id, setup)


def sample_of(
    path: Sequence[StoredMessage] | Sequence[ExportMessage], message_id: str, tools: OfferedTools
) -> Sample:
    """Return the sample that starts with a message.

    Args:
        path: The path from the root to the sample's leaf.
        message_id: The first message of the sample.
    """
    place = [stored.id for stored in path].index(message_id)
    answer: list[Message] = []
    for number, stored in enumerate(path[place:]):
        if number and stored.message.role is Role.USER:
            break
        answer.append(stored.message)
    readings = [read_message(message, tools=tools) for message in answer if message.role is Role.ASSISTANT]
    calls = tuple(
        ToolCall(name=call.name, arguments=call.arguments) for reading in readings for call in reading.calls
    )
    text = readings[-1].text if readings else ""
    return Sample(message_id=message_id, leaf_id=path[-1].id, calls=calls, text=text)


def agreement_of(samples: Sequence[Sample]) -> SampleAgreement | None:
    """Return how many samples make the most frequent calls. None for fewer than two samples."""
    if len(samples) < 2:
        return None
    counted = Counter(map(calls_key, samples))
    key, agreeing = counted.most_common(1)[0]
    calls = next(sample.calls for sample in samples if calls_key(sample) == key)
    return SampleAgreement(agreeing=agreeing, count=len(samples), calls=calls)


def calls_key(sample: Sample) -> str:
    """Return a key that is equal for samples with the same calls. The order of keys in arguments is ignored."""
    try:
        return canonical_json([[call.name, call.arguments] for call in sample.calls])
    except RecursionError:
        return f"too deep to be compared: {sample.message_id}"
