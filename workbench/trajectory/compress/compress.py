"""One trajectory made to fit."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.trajectory.compress.extract import TITLE, CountTokens
from workbench.trajectory.compress.region import Region, find_region
from workbench.trajectory.compress.settings import CompressionSettings
from workbench.trajectory.formats.shared.text_entries import TextEntry, bare_result, text_entries
from workbench.trajectory.trajectory import Prose, RowMessage, Trajectory

Summarise = Callable[[Sequence[TextEntry]], str]
"""Makes the summary of a stretch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressionMetrics:
    """What compression did to one row. *Source:* the names of hermes-agent's compressor."""

    original_tokens: int
    """Length of all entries, before."""
    compressed_tokens: int
    """And after."""
    original_turns: int
    """Number of entries, before."""
    compressed_turns: int
    """And after."""
    start_idx: int = -1
    """First entry that was replaced; -1 for none."""
    end_idx: int = -1
    """One past the last."""
    was_compressed: bool = False
    """Whether anything was replaced."""
    still_over_limit: bool = False
    """Whether the row is longer than wanted, all the same."""

    @property
    def compression_ratio(self) -> float:
        """Share of the tokens that is left."""
        return round(self.compressed_tokens / self.original_tokens, 4) if self.original_tokens else 1.0

    def to_json(self) -> JsonObject:
        """As a row or a file of figures has it."""
        figures = asdict(self)
        start, end = figures.pop("start_idx"), figures.pop("end_idx")
        return {
            **figures,
            "turns_removed": self.original_turns - self.compressed_turns,
            "tokens_saved": self.original_tokens - self.compressed_tokens,
            "compression_ratio": self.compression_ratio,
            "compression_region": {"start_idx": start, "end_idx": end, "turns_count": end - start},
        }


class Compressed(NamedTuple):
    """What became of one trajectory."""

    trajectory: Trajectory
    """The same where nothing was replaced."""
    metrics: CompressionMetrics


def compress_trajectory(
    trajectory: Trajectory, settings: CompressionSettings, count: CountTokens, summarise: Summarise
) -> Compressed:
    """Replace a stretch of the middle by one message of a person that sums it up, where the row is too long."""
    entries = list(text_entries(trajectory.messages, bare_result))
    tokens = [count(entry.text) for entry in entries]
    total = sum(tokens)
    is_over = total > settings.target_max_tokens
    region = find_region([entry.role for entry in entries], tokens, settings) if is_over else None
    if region is None:
        return Compressed(trajectory, _untouched(total, len(entries), is_over=is_over))
    summary = summarise(entries[region.start : region.end])
    messages = _replaced(entries, region, _titled(summary), settings)
    shorter = replace(trajectory, messages=messages, answer_start=None)
    left = list(text_entries(messages, bare_result))
    after = sum(count(entry.text) for entry in left)
    metrics = CompressionMetrics(
        original_tokens=total,
        compressed_tokens=after,
        original_turns=len(entries),
        compressed_turns=len(left),
        start_idx=region.start,
        end_idx=region.end,
        was_compressed=True,
        still_over_limit=after > settings.target_max_tokens,
    )
    return Compressed(shorter, metrics)


def _untouched(tokens: int, turns: int, *, is_over: bool) -> CompressionMetrics:
    return CompressionMetrics(
        original_tokens=tokens,
        compressed_tokens=tokens,
        original_turns=turns,
        compressed_turns=turns,
        still_over_limit=is_over,
    )


def _titled(summary: str) -> str:
    text = summary.strip()
    return text if text.startswith(TITLE) else f"{TITLE} {text}"


def _replaced(
    entries: Sequence[TextEntry], region: Region, summary: str, settings: CompressionSettings
) -> tuple[RowMessage, ...]:
    head = [message for entry in entries[: region.start] for message in entry.messages]
    if settings.add_summary_notice:
        head = [_noticed(message, settings.summary_notice_text) for message in head]
    tail = [message for entry in entries[region.end :] for message in entry.messages]
    return (*head, RowMessage(role=Role.USER, parts=(Prose(text=summary),)), *tail)


def _noticed(message: RowMessage, notice: str) -> RowMessage:
    """A system text that says that something was summarised."""
    if message.role is not Role.SYSTEM:
        return message
    own = "".join(prose.text for prose in message.prose)
    text = None if message.text is None else message.text + notice
    said = own + notice if own else notice.lstrip("\n")
    return replace(message, parts=(Prose(text=said),), text=text)
