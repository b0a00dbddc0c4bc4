"""Shorten a trajectory that is too long by summarising its middle."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.hermes.spelling.tools import spelled_json
from workbench.trajectory.formats.shared.text_entries import TextEntry, bare_result, text_entries
from workbench.trajectory.trajectory import Call, Part, Prose, Result, RowMessage, Thought, Trajectory

NOTICE: Final = "\n\nSome of your previous tool responses may be summarized to preserve context."
"""*Source:* `datagen-config-examples/trajectory_compression.yaml` of hermes-agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressionSettings:
    """How far, and what must stay. *Source:* as `NOTICE`; the defaults are its defaults."""

    target_max_tokens: int = 15250
    """A row of at most so many tokens is left alone."""
    summary_target_tokens: int = 750
    """How long the summary should be, in tokens."""
    first_system: bool = True
    """Whether the first system text stays."""
    first_human: bool = True
    """Whether the first message of a person stays."""
    first_gpt: bool = True
    """Whether the model's first message stays."""
    first_tool: bool = True
    """Whether the first results stay."""
    last_n_turns: int = 4
    """How many entries at the end stay."""
    temperature: float = 0.3
    max_retries: int = 3
    """How often a model is asked for one summary before it is extracted instead."""
    add_summary_notice: bool = True
    """Whether the system text says that something was summarised."""
    summary_notice_text: str = NOTICE
    output_suffix: str = "_compressed"
    """Behind the name of the file, where no other was named."""
    save_over_limit: bool = True
    """Whether rows that are still too long are written."""
    per_trajectory: bool = True
    """Whether a compressed row has its figures in a column `compression_metrics`."""
    output_file: str = "compression_metrics.json"
    """File of the figures of all rows, beside the rows."""
    enabled: bool = True
    """Whether that file is written."""


_SECTIONS: Final[Mapping[str, frozenset[str]]] = {
    "compression": frozenset({"target_max_tokens", "summary_target_tokens"}),
    "protected_turns": frozenset({"first_system", "first_human", "first_gpt", "first_tool", "last_n_turns"}),
    "summarization": frozenset({"temperature", "max_retries"}),
    "output": frozenset({"add_summary_notice", "summary_notice_text", "output_suffix"}),
    "processing": frozenset({"save_over_limit"}),
    "metrics": frozenset({"enabled", "per_trajectory", "output_file"}),
}
_WITHOUT_EFFECT: Final[Mapping[str, frozenset[str]]] = {
    "tokenizer": frozenset({"name", "trust_remote_code"}),
    "summarization": frozenset({"model", "base_url", "api_key_env", "retry_delay"}),
    "processing": frozenset(
        {"num_workers", "max_concurrent_requests", "skip_under_target", "per_trajectory_timeout"}
    ),
}
"""Keys of the original for which options of the command stand here, or which a single process does not need."""


def read_settings(document: JsonValue) -> CompressionSettings:
    """The settings of a YAML document, already loaded; what it leaves out is as the original has it.

    Raises:
        BadInput: It is no mapping, or has a key or a kind of value that the original does not know.
    """
    if document is None:
        return CompressionSettings()
    if not isinstance(document, Mapping):
        raise BadInput("compression settings", "no mapping", "write compression: {target_max_tokens: 15250}")
    given: dict[str, JsonValue] = {}
    for section, values in document.items():
        if section not in _SECTIONS and section not in _WITHOUT_EFFECT:
            raise BadInput(f"compression settings, {section}", "there is no such section")
        if not isinstance(values, Mapping | None):
            raise BadInput(f"compression settings, {section}", "no mapping")
        for key, value in cast(Mapping[str, JsonValue], values or {}).items():
            if key in _SECTIONS.get(section, ()):
                given[key] = value
            elif key not in _WITHOUT_EFFECT.get(section, ()):
                raise BadInput(f"compression settings, {section}.{key}", "there is no such key")
    return _checked(given)


def _checked(given: Mapping[str, JsonValue]) -> CompressionSettings:
    for field in fields(CompressionSettings):
        if field.name in given:
            value, default = given[field.name], field.default
            is_number = type(default) is float and type(value) is int
            if type(value) is not type(default) and not is_number:
                wanted = type(default).__name__
                raise BadInput(f"compression settings, {field.name}", f"{value!r} is no {wanted}")
    return CompressionSettings(**cast("dict[str, int]", given))  # pyright: ignore[reportArgumentType]  checked above


TITLE: Final = "[CONTEXT SUMMARY]:"
"""What a summary begins with. *Source:* `trajectory_compressor.py` of hermes-agent."""
_WIDTHS: Final = (2000, 1000, 500, 300, 200, 120, 80, 50, 30, 0)
"""Characters an item may have, tried from the widest on."""

CountTokens = Callable[[str], int]
"""Length of a text in tokens."""


def estimate_tokens(text: str) -> int:
    """Tokens by rule of thumb, four characters each. *Source:* the fallback of hermes-agent's compressor."""
    return len(text) // 4


def extract_summary(entries: Sequence[TextEntry], count: CountTokens, most_tokens: int) -> str:
    """A line for each thing that was said, called or answered; the same entries give the same text.

    Lines are cut evenly until the summary has at most `most_tokens`; where even their beginnings are too
    many, the middle ones are left out and counted.
    """
    for width in _WIDTHS:
        lines = [line for entry in entries for line in _lines(entry, width)]
        text = "\n".join([TITLE, *lines])
        if count(text) <= most_tokens:
            return text
    lines = [line for entry in entries for line in _lines(entry, _WIDTHS[-2])]
    kept = len(lines)
    while kept > 2 and count(_without_middle(lines, kept)) > most_tokens:
        kept = kept * 3 // 4
    return _without_middle(lines, kept)


def _without_middle(lines: Sequence[str], kept: int) -> str:
    head, tail = kept - kept // 2, kept // 2
    left_out = f"… {len(lines) - kept} more steps …"
    return "\n".join([TITLE, *lines[:head], left_out, *lines[len(lines) - tail :]])


def _lines(entry: TextEntry, width: int) -> list[str]:
    parts = [part for message in entry.messages for part in message.parts]
    return [line for part in parts if (line := _line(str(entry.role), part, width))]


def _line(role: str, part: Part, width: int) -> str:
    match part:
        case Thought():
            return ""
        case Prose():
            return f"- {role}: {_cut(part.text, width)}"
        case Call():
            return f"- called {part.name}({_cut(spelled_json(part.arguments), width)})"
        case Result():
            return f"- {part.name or 'the tool'} gave: {_cut(part.text, width)}"


def _cut(text: str, width: int) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: max(width - 1, 0)].rstrip() + "…"


class EntryRegion(NamedTuple):
    """Entries `[start, end)`."""

    start: int
    end: int


def find_region(
    roles: Sequence[Role], tokens: Sequence[int], settings: CompressionSettings
) -> EntryRegion | None:
    """The stretch to replace, as short as the target allows; None where nothing can be gained.

    It lies between what must stay at the beginning and at the end. No border of it stands before results, so
    that these stay on the side of their calls.

    Args:
        roles: Whose each entry is; the results of one round are one entry.
        tokens: Length of each.
        settings: What is wanted.

    *Source:* `trajectory_compressor.py` of hermes-agent, as told in `docs/reference/formats.md`.
    """
    first, last = _open_stretch(roles, settings)
    start = _off_results(roles, first, first, last)
    wanted = sum(tokens) - settings.target_max_tokens + settings.summary_target_tokens
    end, saved = start, 0
    while end < last and saved < wanted:
        saved += tokens[end]
        end += 1
    end = _off_results(roles, end, start, last)
    if end <= start or sum(tokens[start:end]) <= settings.summary_target_tokens:
        return None
    return EntryRegion(start, end)


def _open_stretch(roles: Sequence[Role], settings: CompressionSettings) -> EntryRegion:
    """What lies between the last protected entry of the first half and the first of the second."""
    count = len(roles)
    wanted = {
        Role.SYSTEM: settings.first_system,
        Role.USER: settings.first_human,
        Role.ASSISTANT: settings.first_gpt,
        Role.TOOL: settings.first_tool,
    }
    protected = {roles.index(role) for role, is_wanted in wanted.items() if is_wanted and role in roles}
    protected.update(range(max(0, count - settings.last_n_turns), count))
    head = [place for place in protected if place < count // 2]
    tail = [place for place in protected if place >= count // 2]
    return EntryRegion(max(head) + 1 if head else 0, min(tail) if tail else count)


def _off_results(roles: Sequence[Role], place: int, least: int, most: int) -> int:
    """The next place from `place` on that is not before results; where there is none, the last before it."""

    def is_clean(index: int) -> bool:
        return index >= len(roles) or roles[index] is not Role.TOOL

    for index in range(place, most + 1):
        if is_clean(index):
            return index
    return next((index for index in range(place, least - 1, -1) if is_clean(index)), least)


Summarise = Callable[[Sequence[TextEntry]], str]
"""Makes the summary of a stretch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressionMetrics:
    """What compression did to one row. *Source:* the names of hermes-agent's compressor."""

    original_tokens: int
    """Length of all entries, before."""
    compressed_tokens: int
    original_turns: int
    """Number of entries, before."""
    compressed_turns: int
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
    entries: Sequence[TextEntry], region: EntryRegion, summary: str, settings: CompressionSettings
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
