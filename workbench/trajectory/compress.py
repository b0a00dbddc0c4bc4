"""Shorten a trajectory that is too long by replacing a part of its middle with a summary.

The idea: what a model needs most is at the ends. The first system text, question, answer and result say what
the task is, and the last entries say how far it has got. So these are protected, and the shortest stretch
after the protected beginning is replaced by one user message with a summary.

Invariants:

- Entries outside the stretch stay byte for byte, except for the notice that the system text gets.
- The stretch never begins or ends directly before results, because results must follow the call that they
  answer. Example: for the roles system, user, assistant, tool, assistant, tool, user, … a stretch that begins
  after the first assistant entry would leave its results in the summary; it begins after them instead.
- A user message next to the summary becomes part of the summary's message, so that roles still alternate.
- A stretch no longer than its summary is not replaced, because nothing would be saved.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.formats.shared.text_entries import TextEntry, bare_result, text_entries
from workbench.trajectory.trajectory import Call, Part, Prose, Result, RowMessage, Thought, Trajectory

NOTICE: Final = "\n\nSome of your previous tool responses may be summarized to preserve context."
"""*Source:* `datagen-config-examples/trajectory_compression.yaml` of hermes-agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressionSettings:
    """Length limits and protected entries. *Source:* the same file as `NOTICE`, with its defaults."""

    target_max_tokens: int = 15250
    """Rows with at most this many tokens are not compressed."""
    summary_target_tokens: int = 750
    """Intended length of the summary, in tokens."""
    first_system: bool = True
    """Whether to protect the first system text."""
    first_human: bool = True
    """Whether to protect the first user message."""
    first_gpt: bool = True
    """Whether to protect the model's first message."""
    first_tool: bool = True
    """Whether to protect the first results."""
    last_n_turns: int = 4
    """How many entries at the end to protect."""
    temperature: float = 0.3
    max_retries: int = 3
    """How often to ask a model for a summary before extracting one instead."""
    add_summary_notice: bool = True
    """Whether to say in the system text that responses may be summarized."""
    summary_notice_text: str = NOTICE
    output_suffix: str = "_compressed"
    """Added to the name of the file if no output file is given."""
    save_over_limit: bool = True
    """Whether to write rows that are still too long."""
    per_trajectory: bool = True
    """Whether to add the metrics to each compressed row, in the column `compression_metrics`."""
    output_file: str = "compression_metrics.json"
    """File for the metrics of all rows, in the folder of the output."""
    enabled: bool = True
    """Whether to write that file."""


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
"""Keys of hermes-agent's file that are options of the command here, or that a single process does not need."""


def read_settings(document: JsonValue) -> CompressionSettings:
    """Read the settings from a loaded YAML document. Missing keys have hermes-agent's defaults.

    Raises:
        BadInput: It is not a mapping, a section or key is unknown, or a value has the wrong type.
    """
    if document is None:
        return CompressionSettings()
    if not isinstance(document, Mapping):
        raise BadInput(
            "compression settings", "not a mapping", "write compression: {target_max_tokens: 15250}"
        )
    values_by_key: dict[str, JsonValue] = {}
    for section, values in document.items():
        if section not in _SECTIONS and section not in _WITHOUT_EFFECT:
            sections = ", ".join(dict.fromkeys((*_SECTIONS, *_WITHOUT_EFFECT)))
            raise BadInput(f"compression settings, {section}", "unknown section", f"use {sections}")
        if not isinstance(values, Mapping | None):
            raise BadInput(f"compression settings, {section}", "not a mapping")
        for key, value in cast(Mapping[str, JsonValue], values or {}).items():
            if key in _SECTIONS.get(section, ()):
                values_by_key[key] = value
            elif key not in _WITHOUT_EFFECT.get(section, ()):
                raise BadInput(f"compression settings, {section}.{key}", "unknown key")
    return _checked(values_by_key)


def _checked(values_by_key: Mapping[str, JsonValue]) -> CompressionSettings:
    for field in fields(CompressionSettings):
        if field.name in values_by_key:
            value, default = values_by_key[field.name], field.default
            is_number = type(default) is float and type(value) is int
            if type(value) is not type(default) and not is_number:
                kind = type(default).__name__
                raise BadInput(f"compression settings, {field.name}", f"{value!r} is not of type {kind}")
    return CompressionSettings(**cast("dict[str, int]", values_by_key))  # pyright: ignore[reportArgumentType]  checked above


TITLE: Final = "[CONTEXT SUMMARY]:"
"""First words of a summary. *Source:* `trajectory_compressor.py` of hermes-agent."""
_WIDTHS: Final = (2000, 1000, 500, 300, 200, 120, 80, 50, 30, 0)
"""Maximum characters of an item in the summary; the widest that fits is used."""

_GAP: Final = "\n\n"

CountTokens = Callable[[str], int]
"""Length of a text in tokens."""


CHARS_PER_TOKEN: Final = 4
"""*Source:* the fallback of hermes-agent's compressor."""


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens as a quarter of the characters."""
    return len(text) // CHARS_PER_TOKEN


def extract_summary(entries: Sequence[TextEntry], count: CountTokens, most_tokens: int) -> str:
    """Write a summary with one line per text, call and result. The same entries give the same summary.

    Lines are shortened evenly until the summary has at most `most_tokens`. If even the shortest lines are too
    many, those in the middle are replaced by a line with their number.
    """
    for width in _WIDTHS:
        lines = [line for entry in entries for line in _lines(entry, width)]
        text = "\n".join([TITLE, *lines])
        if count(text) <= most_tokens:
            return text
    lines = [line for entry in entries for line in _lines(entry, _WIDTHS[-2])]
    remaining = len(lines)
    while remaining > 2 and count(_without_middle(lines, remaining)) > most_tokens:
        remaining = remaining * 3 // 4
    return _without_middle(lines, remaining)


def _without_middle(lines: Sequence[str], remaining: int) -> str:
    head, tail = remaining - remaining // 2, remaining // 2
    left_out = f"… {len(lines) - remaining} more steps …"
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
            return f"- called {part.name}({_cut(template_json(part.arguments), width)})"
        case Result():
            return f"- {part.name or 'the tool'} gave: {_cut(part.text, width)}"


def _cut(text: str, width: int) -> str:
    """Return the beginning of a text, on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: max(width - 1, 0)].rstrip() + "…"


class EntryRegion(NamedTuple):
    """A range of entries, `end` excluded."""

    start: int
    end: int


def find_region(
    roles: Sequence[Role], tokens: Sequence[int], settings: CompressionSettings
) -> EntryRegion | None:
    """Return the shortest range of entries to replace, or None if nothing would be saved.

    It lies between the protected entries at the beginning and at the end, and does not separate results from
    their calls.

    Args:
        roles: Role of each entry; the results of one round are one entry.
        tokens: Length of each entry, in tokens.
        settings: Target length and protected entries.

    *Source:* `trajectory_compressor.py` of hermes-agent.
    """
    first, last = _open_stretch(roles, settings)
    start = _off_results(roles, first, first, last)
    excess = sum(tokens) - settings.target_max_tokens + settings.summary_target_tokens
    end, saved = start, 0
    while end < last and saved < excess:
        saved += tokens[end]
        end += 1
    end = _off_results(roles, end, start, last)
    if end <= start or sum(tokens[start:end]) <= settings.summary_target_tokens:
        return None
    return EntryRegion(start, end)


def _open_stretch(roles: Sequence[Role], settings: CompressionSettings) -> EntryRegion:
    """Return the range between the last protected entry of the first half and the first of the second half."""
    count = len(roles)
    is_first_protected = {
        Role.SYSTEM: settings.first_system,
        Role.USER: settings.first_human,
        Role.ASSISTANT: settings.first_gpt,
        Role.TOOL: settings.first_tool,
    }
    protected = {roles.index(role) for role, is_set in is_first_protected.items() if is_set and role in roles}
    protected.update(range(max(0, count - settings.last_n_turns), count))
    head = [place for place in protected if place < count // 2]
    tail = [place for place in protected if place >= count // 2]
    return EntryRegion(max(head) + 1 if head else 0, min(tail) if tail else count)


def _off_results(roles: Sequence[Role], place: int, least: int, most: int) -> int:
    """Return the next index from `place` on that is not directly before results, or else the last one before."""

    def is_clean(index: int) -> bool:
        return index >= len(roles) or roles[index] is not Role.TOOL

    for index in range(place, most + 1):
        if is_clean(index):
            return index
    return next((index for index in range(place, least - 1, -1) if is_clean(index)), least)


Summarise = Callable[[Sequence[TextEntry]], str]
"""Summarizes consecutive entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressionMetrics:
    """The effect of compression on one row. *Source:* the names in hermes-agent's compressor."""

    original_tokens: int
    """Tokens of all entries before compression."""
    compressed_tokens: int
    original_turns: int
    """Number of entries before compression."""
    compressed_turns: int
    start_idx: int = -1
    """Index of the first replaced entry; -1 if none was replaced."""
    end_idx: int = -1
    """Index after the last replaced entry; -1 if none was replaced."""
    was_compressed: bool = False
    still_over_limit: bool = False
    """Whether the row has more tokens than the target even after compression."""

    @property
    def compression_ratio(self) -> float:
        """Tokens after compression divided by tokens before; 1 for an empty row."""
        return round(self.compressed_tokens / self.original_tokens, 4) if self.original_tokens else 1.0

    def to_json(self) -> JsonObject:
        """Return the metrics as they are written to rows and to the metrics file."""
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
    """A compressed trajectory and its metrics."""

    trajectory: Trajectory
    """The original trajectory if nothing was replaced."""
    metrics: CompressionMetrics


def compress_trajectory(
    trajectory: Trajectory, settings: CompressionSettings, count: CountTokens, summarise: Summarise
) -> Compressed:
    """If the trajectory is too long, replace part of its middle with one user message that summarizes it."""
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
    # A trainer cannot use two user messages in a row, so the summary joins those next to it.
    if head and head[-1].role is Role.USER:
        summary = _prose_of(head.pop()) + _GAP + summary
    if tail and tail[0].role is Role.USER:
        summary += _GAP + _prose_of(tail.pop(0))
    return (*head, RowMessage(role=Role.USER, parts=(Prose(text=summary),)), *tail)


def _prose_of(message: RowMessage) -> str:
    return "".join(prose.text for prose in message.prose)


def _noticed(message: RowMessage, notice: str) -> RowMessage:
    """Add the notice to a system message; return other messages unchanged."""
    if message.role is not Role.SYSTEM:
        return message
    own = "".join(prose.text for prose in message.prose)
    text = None if message.text is None else message.text + notice
    new_text = own + notice if own else notice.lstrip("\n")
    return replace(message, parts=(Prose(text=new_text),), text=text)
