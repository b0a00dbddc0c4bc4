"""Measure how much several samples of a turn agree."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.chat.message import Message, Role, ToolCall
from workbench.hermes.written_out import read_message
from workbench.records.corpus.material import ExportMessage
from workbench.records.sessions import StoredMessage
from workbench.toolspec.spec import OfferedTools, canonical_json

MOST_SAMPLES: Final = 16
"""The most samples that can be drawn at once."""


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
