"""Measure one row: its calls, turns and length, and the values of enum parameters that its calls use."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.chat.value_class import value_class
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.compress import CHARS_PER_TOKEN, CountTokens, estimate_tokens
from workbench.trajectory.formats.raw import RAW, ChatTurn, chat_turns, mask_chat_turns, measure_chat_turns
from workbench.trajectory.formats.shared.text_entries import rewrap_results
from workbench.trajectory.formats.sharegpt import SHAREGPT
from workbench.trajectory.mask import MaskedText
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.sets.enums import EnumValue, enums_of, used_values
from workbench.trajectory.validate.glance import Glance
from workbench.trajectory.validate.parsed_row import ParsedEntry, ParsedRow, parse_texts
from workbench.trajectory.writing.row_draft import RowDraft, RowOptions

_PLAIN: Final = RowOptions()


class ModelAnswer(NamedTuple):
    """One entry of the model."""

    names: tuple[str, ...]
    """The tools of the calls that could be parsed, in order."""
    has_calls: bool
    """True also if none of its calls could be parsed."""


@value_class
class RowFacts:
    """What is counted about one row."""

    format: str
    tools: OfferedTools
    answers: tuple[ModelAnswer, ...]
    turns: int
    """Number of user entries."""
    values: tuple[EnumValue, ...] = ()
    """The values of enum parameters that its calls use: one item for each call that uses a value."""
    fixes: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)
    """Fixes that the tolerant reader needed to read calls, by code."""
    written: tuple[ChatTurn, ...] | None = field(default=None, hash=False)
    """The turns of the row as ChatML with its tools; None if it cannot be written as ChatML."""
    tokens: int | None = None
    """Length of that text in tokens."""
    size: int = 0
    """Length of that text in characters."""
    trained: int = 0
    """Characters of it that the loss counts."""
    characters: Mapping[Role, int] = field(default_factory=dict[Role, int], hash=False)
    """Length of the texts of each role in characters; empty if there is no text."""

    @property
    def text(self) -> MaskedText | None:
        """The row as ChatML with its tools; None if it cannot be written as ChatML."""
        return None if self.written is None else mask_chat_turns(self.written, _PLAIN)

    @property
    def called(self) -> tuple[str, ...]:
        """The tools of all calls, in order."""
        return tuple([name for answer in self.answers for name in answer.names])


def facts_of(content: ParsedRow | Glance, count_tokens: CountTokens) -> RowFacts:
    """Measure a row that was checked or parsed. A glance at a row and the parsed row give the same facts.

    Args:
        content: The row, as `CheckedRow.content` has it.
        count_tokens: Length of a text in tokens.
    """
    if isinstance(content, ParsedRow):
        return _of_parsed(content, count_tokens)
    turns = _glanced_turns(content)
    if turns is None:
        return _of_parsed(parse_texts(SHAREGPT.read(content.row)), count_tokens)
    size, trained = measure_chat_turns(turns)
    return RowFacts(
        format=SHAREGPT.name,
        tools=content.beginning.tools,
        answers=tuple([ModelAnswer(names, bool(names)) for names in content.answers]),
        turns=sum([role is Role.USER for role, _ in content.turns]),
        values=tuple(
            _values([(call.name, call.arguments) for call in content.calls], content.beginning.tools)
        ),
        written=tuple(turns),
        tokens=_tokens(turns, size, count_tokens),
        size=size,
        trained=trained,
        characters=_characters(turns),
    )


def _of_parsed(parsed: ParsedRow, count_tokens: CountTokens) -> RowFacts:
    entries = [entry for entry in parsed.entries if entry.entry.role is Role.ASSISTANT]
    calls = [(call.name, call.arguments or {}) for entry in entries for call in entry.calls]
    turns = _written_turns(parsed.row)
    size, trained = measure_chat_turns(turns or ())
    return RowFacts(
        format=parsed.row.format,
        tools=parsed.tools,
        answers=tuple(
            ModelAnswer(tuple(call.name for call in entry.calls), entry.has_calls) for entry in entries
        ),
        turns=sum(entry.entry.role is Role.USER for entry in parsed.entries),
        values=tuple(_values(calls, parsed.tools)),
        fixes=_fixes(entries),
        written=None if turns is None else tuple(turns),
        tokens=None if turns is None else _tokens(turns, size, count_tokens),
        size=size,
        trained=trained,
        characters=_characters(turns or ()),
    )


def _tokens(turns: list[ChatTurn], size: int, count_tokens: CountTokens) -> int:
    # An estimate needs only the length, and writing the text takes as long as all other figures together.
    if count_tokens is estimate_tokens:
        return size // CHARS_PER_TOKEN
    return count_tokens(mask_chat_turns(turns, _PLAIN).text)


def _values(calls: Iterable[tuple[str, JsonObject]], tools: OfferedTools) -> Iterator[EnumValue]:
    for name, arguments in calls:
        spec = tools.by_name.get(name)
        if spec is not None and enums_of(spec):
            yield from used_values(spec, arguments)


def _fixes(entries: Iterable[ParsedEntry]) -> Mapping[str, int]:
    fixes: Counter[str] = Counter()
    for entry in entries:
        fixes.update(fix.code for fix in (entry.reading.fixes if entry.reading else ()))
        fixes.update(code for call in entry.calls for code in call.repairs)
    return fixes


def _written_turns(row: TrainingRow) -> list[ChatTurn] | None:
    """Return what the format `raw` writes of a row, or None if it cannot.

    It is not read back, because a length does not depend on that.
    """
    reading = read_trajectory(row)
    if reading.problems:
        return None
    draft = RowDraft(reading.trajectory, _PLAIN)
    try:
        for step in RAW.steps:
            step(draft)
        return None if draft.problems else list(chat_turns(draft.trajectory))
    except RecursionError:
        return None


def _glanced_turns(glance: Glance) -> list[ChatTurn] | None:
    """Return what the format `raw` writes of a row without findings: its texts as they are, with results wrapped again.

    None means that the row must be read completely: it may have a loss mask, or its tools are in no system text.
    """
    beginning = glance.beginning
    if not beginning.is_plain or glance.has_tag_in_question:
        return None
    if glance.has_entry_members:
        return None
    turns = [ChatTurn(Role.SYSTEM, beginning.system, is_counted=False)]
    for role, text in glance.turns:
        if role is Role.TOOL:
            text = rewrap_results(text)
        turns.append(ChatTurn(role, text, role is Role.ASSISTANT))
    return turns


def _characters(turns: Iterable[ChatTurn]) -> Mapping[Role, int]:
    found: dict[Role, int] = {}
    for role, text, _ in turns:
        found[role] = found.get(role, 0) + len(text)
    return found
