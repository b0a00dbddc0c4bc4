"""Measure one row: its calls, turns and length, and the values of enum parameters that its calls use."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Final

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
_TOOLS: Final = "<tools>"
"""To a system text without it, the tools are added."""


@value_class
class RowFacts:
    """What is counted about one row."""

    format: str
    tools: OfferedTools
    answers: tuple[tuple[str, ...], ...]
    """For each entry of the model, the tools of the calls that could be parsed, in order."""
    unread: int = 0
    """Entries of the model with calls of which none could be parsed."""
    called: tuple[str, ...]
    """The tools of all calls, in order."""
    turns: int
    """Number of user entries."""
    values: tuple[EnumValue, ...] = ()
    """The values of enum parameters that its calls use: one item for each call that uses a value."""
    fixes: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)
    """Fixes that the tolerant reader needed to read calls, by code."""
    written: Sequence[ChatTurn] | None = field(default=None, hash=False)
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
    tools = content.beginning.tools
    length = measure_chat_turns(turns)
    return RowFacts(
        format=SHAREGPT.name,
        tools=tools,
        answers=content.answers,
        called=tuple([call.name for call in content.calls]),
        turns=[role for role, _ in content.turns].count(Role.USER),
        values=tuple(
            [value for call in content.calls for value in _values(call.name, call.arguments, tools)]
        ),
        fixes=_NO_FIXES,
        written=turns,
        tokens=_tokens(turns, length.characters, count_tokens),
        size=length.characters,
        trained=length.trained,
        characters=length.of_roles,
    )


_NO_FIXES: Final[Mapping[str, int]] = {}


def _of_parsed(parsed: ParsedRow, count_tokens: CountTokens) -> RowFacts:
    entries = [entry for entry in parsed.entries if entry.entry.role is Role.ASSISTANT]
    calls = [call for entry in entries for call in entry.calls]
    turns = _written_turns(parsed.row)
    length = measure_chat_turns(turns or ())
    return RowFacts(
        format=parsed.row.format,
        tools=parsed.tools,
        answers=tuple([tuple([call.name for call in entry.calls]) for entry in entries]),
        unread=sum([entry.has_calls and not entry.calls for entry in entries]),
        called=tuple([call.name for call in calls]),
        turns=sum(entry.entry.role is Role.USER for entry in parsed.entries),
        values=tuple(
            [value for call in calls for value in _values(call.name, call.arguments or {}, parsed.tools)]
        ),
        fixes=_fixes(entries),
        written=turns,
        tokens=None if turns is None else _tokens(turns, length.characters, count_tokens),
        size=length.characters,
        trained=length.trained,
        characters=length.of_roles,
    )


def _tokens(turns: Sequence[ChatTurn], size: int, count_tokens: CountTokens) -> int:
    # An estimate needs only the length, and writing the text takes as long as all other figures together.
    if count_tokens is estimate_tokens:
        return size // CHARS_PER_TOKEN
    return count_tokens(mask_chat_turns(turns, _PLAIN).text)


def _values(name: str, arguments: JsonObject, tools: OfferedTools) -> Iterable[EnumValue]:
    spec = tools.by_name.get(name)
    return () if spec is None or not enums_of(spec) else used_values(spec, arguments)


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
    system = glance.beginning.system
    if not glance.beginning.is_plain or _TOOLS not in system:
        return None
    if glance.has_tag_in_question or glance.has_entry_members:
        return None
    return [
        (Role.SYSTEM, system, False),
        *[
            (role, rewrap_results(text) if role is Role.TOOL else text, role is Role.ASSISTANT)
            for role, text in glance.turns
        ],
    ]
