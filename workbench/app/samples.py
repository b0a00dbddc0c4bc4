"""Draw several samples of one turn as sibling branches, and measure how far they agree."""

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
"""Of one turn at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleStarted:
    """Another sample is on its way."""

    number: int
    """From 1."""
    count: int
    """How many there will be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One answer of several to the same message."""

    message_id: str
    """Its first message."""
    leaf_id: str
    """Its last message."""
    calls: tuple[ToolCall, ...]
    """All that it calls, as read, in order, up to the next message of a user behind its first."""
    text: str
    """The last thing that the model says in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleAgreement:
    """How far samples make the same calls."""

    agreeing: int
    """Samples with the calls that most of them make."""
    count: int
    calls: tuple[ToolCall, ...]
    """Those calls; none where most of them call nothing."""

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.agreeing / self.count


def draw_samples(
    services: Services,
    session_id: str,
    setup: RunConfig,
    onward: ResumePoint,
    context: TurnContext,
    *,
    count: int,
) -> Iterator[Event | MessageStored | SampleStarted]:
    """The second and all further samples of a turn, each with the next seed, as branches below one message.

    Args:
        onward: From where each of them goes on.
        count: All samples, the first among them.

    Raises:
        WorkbenchError: As `continue_from`.
    """
    services.limits.check_samples(count)
    services.limits.check_setup(setup)
    try:
        for number in range(2, count + 1):
            if context.is_cancelled():
                return
            yield SampleStarted(number=number, count=count)
            seed = (setup.sampling.seed + number - 1) % 2**31
            again = replace(setup, sampling=replace(setup.sampling, seed=seed))
            yield from continue_from(services, session_id, again, onward, context)
    finally:
        # The session's own setup is the one that was asked for, not the last sample's.
        services.sessions.save_setup(session_id, setup)


def sample_of(
    path: Sequence[StoredMessage] | Sequence[ExportMessage], message_id: str, tools: OfferedTools
) -> Sample:
    """The sample that begins with a message.

    Args:
        path: From the root to the sample's leaf.
        message_id: One of its messages.
    """
    place = [kept.id for kept in path].index(message_id)
    own: list[Message] = []
    for number, kept in enumerate(path[place:]):
        if number and kept.message.role is Role.USER:
            break
        own.append(kept.message)
    readings = [read_message(one, tools=tools) for one in own if one.role is Role.ASSISTANT]
    calls = tuple(
        ToolCall(name=call.name, arguments=call.arguments) for one in readings for call in one.calls
    )
    text = readings[-1].text if readings else ""
    return Sample(message_id=message_id, leaf_id=path[-1].id, calls=calls, text=text)


def agreement_of(samples: Sequence[Sample]) -> SampleAgreement | None:
    """The calls that most samples make, and how many do; None of fewer than two samples."""
    if len(samples) < 2:
        return None
    counted = Counter(map(calls_key, samples))
    key, agreeing = counted.most_common(1)[0]
    calls = next(sample.calls for sample in samples if calls_key(sample) == key)
    return SampleAgreement(agreeing=agreeing, count=len(samples), calls=calls)


def calls_key(sample: Sample) -> str:
    """The same for samples that make the same calls; the order of keys within arguments does not count."""
    try:
        return canonical_json([[call.name, call.arguments] for call in sample.calls])
    except RecursionError:
        return f"too deep to be compared: {sample.message_id}"
