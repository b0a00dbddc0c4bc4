"""Read and write rows with one text of ChatML turns and the spans that the loss counts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, cast

from workbench.chat.finding import Span
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.hermes.marks import TURN_CLOSE, TURN_OPEN
from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.declared_tools import read_declarations
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.shared.text_entries import (
    bare_result,
    is_wrapped,
    join_results,
    keep_envelopes,
    read_results,
    text_entries,
)
from workbench.trajectory.mask import MaskedText, is_counted
from workbench.trajectory.row import RowEntry, RowFinding, TrainingRow
from workbench.trajectory.trajectory import RowMessage, Trajectory
from workbench.trajectory.writing.additions import add_tool_list, match_call_form, order_results
from workbench.trajectory.writing.losses import (
    drop_all_keys,
    drop_columns,
    drop_details,
    drop_ids,
    drop_new_call_members,
    drop_preference,
    drop_result_names,
    trim_prose,
)
from workbench.trajectory.writing.row_draft import RowDraft, RowOptions

_OWN: Final = ("text", "loss_spans", "tools")
_POINTER: Final = "/text"


class _Turn(NamedTuple):
    role: str
    body: Span


def _read(row: JsonObject) -> TrainingRow:
    findings: list[RowFinding] = []
    text = row.get("text")
    if not isinstance(text, str):
        message = "the row has no text in `text`"
        findings.append(RowFinding(code="missing-field", message=message, pointer=_POINTER))
        text = ""
    spans = _loss_spans(row.get("loss_spans"), len(text), findings)
    entries = tuple(
        _entry(text, turn, place, spans, findings) for place, turn in enumerate(_turns(text, findings))
    )
    return TrainingRow(
        format="raw",
        fields=row,
        entries=entries,
        spells_calls=True,
        declarations=tuple(read_declarations(row, entries, findings)),
        columns={key: value for key, value in row.items() if key not in _OWN},
        findings=tuple(findings),
    )


def _turns(text: str, findings: list[RowFinding]) -> Iterator[_Turn]:
    """Yield each turn. Text between turns is reported, except for white space and a begin-of-text token."""
    position = 0
    while (start := text.find(TURN_OPEN, position)) >= 0:
        _report_between(text[position:start], findings, is_first=position == 0)
        header = start + len(TURN_OPEN)
        line = text.find("\n", header)
        body = len(text) if line < 0 else line + 1
        end = text.find(TURN_CLOSE, body)
        if end < 0:
            message = f"the turn at character {start} has no {TURN_CLOSE}; add it"
            findings.append(RowFinding(code="call-truncated", message=message, pointer=_POINTER))
            end = len(text)
        yield _Turn(text[header : line if line >= 0 else len(text)], Span(body, max(end, body)))
        position = min(end + len(TURN_CLOSE), len(text))
    _report_between(text[position:], findings, is_first=position == 0)


def _report_between(text: str, findings: list[RowFinding], *, is_first: bool) -> None:
    between = text.strip()
    if between and not (is_first and between.startswith("<") and len(between) < 32):
        message = f"{between[:30]!r} is outside of a turn; remove it"
        findings.append(RowFinding(code="missing-field", message=message, pointer=_POINTER))


def _entry(
    text: str, turn: _Turn, place: int, spans: Sequence[Span] | None, findings: list[RowFinding]
) -> RowEntry:
    body = turn.body.of(text)
    role = Role(turn.role) if turn.role in tuple(Role) else None
    if role is None:
        message = f"unknown role {turn.role[:40]!r}; use {', '.join(Role)}"
        findings.append(RowFinding(code="unknown-role", message=message, entry=place, pointer=_POINTER))
    if role is Role.USER and is_wrapped(body):
        role = Role.TOOL
    is_trained = None
    if spans is not None and role is not None:
        is_counted = any(span.start <= turn.body.start and turn.body.end <= span.end for span in spans)
        if not is_counted and any(
            turn.body.start < span.end and span.start < turn.body.end for span in spans
        ):
            message = "`loss_spans` counts only a part of the turn; count all of it, or nothing"
            findings.append(
                RowFinding(code="mask-value", message=message, entry=place, pointer="/loss_spans")
            )
        is_trained = None if is_counted is (role is Role.ASSISTANT) else is_counted
    return RowEntry(
        place=place,
        pointer=_POINTER,
        role=role,
        speaker=turn.role,
        text=body,
        text_pointer=_POINTER,
        text_start=turn.body.start,
        results=read_results(body, _POINTER) if role is Role.TOOL else (),
        is_trained=is_trained,
    )


def _loss_spans(value: JsonValue, size_chars: int, findings: list[RowFinding]) -> Sequence[Span] | None:
    """Return the spans that the loss counts; None if the row does not say, or if one of them is wrong."""
    if value is None:
        return None
    problem, pointer = "`loss_spans` is not a list of [start, end] pairs of integers", "/loss_spans"
    if isinstance(value, list) and all(map(_is_pair, value)):
        spans = [Span(*cast(list[int], pair)) for pair in value]
        ends = (0, *(span.end for span in spans))
        wrong = [place for place, (start, end) in enumerate(spans) if not ends[place] <= start < end]
        if not wrong and ends[-1] <= size_chars:
            return spans
        place = wrong[0] if wrong else len(spans) - 1
        start, end = spans[place]
        pointer = f"{pointer}/{place}"
        if end > size_chars or start < 0:
            problem = f"[{start}, {end}] is outside of the text, which has {size_chars} characters"
        elif start >= end:
            problem = f"[{start}, {end}] is empty; remove it"
        else:
            problem = f"[{start}, {end}] begins before the end of the span before it; sort and join them"
    findings.append(RowFinding(code="mask-value", message=problem, pointer=pointer))
    return None


def _is_pair(value: JsonValue) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(bound) is int for bound in value)


def _settle_mask(draft: RowDraft) -> None:
    """Drop masks that only repeat the default: the loss counts the model's messages and nothing else."""

    def change(message: RowMessage) -> RowMessage:
        is_plain = message.is_trained is (message.role is Role.ASSISTANT)
        return replace(message, is_trained=None) if is_plain else message

    draft.rewrite(change)


def _spell(trajectory: Trajectory, options: RowOptions) -> JsonObject:
    masked = mask_chat_text(trajectory, options)
    specs = template_json([spec.document for spec in trajectory.tools.specs])
    spans: list[JsonValue] = [list(span) for span in masked.trained]
    return {"text": masked.text, "loss_spans": spans, "tools": specs, **trajectory.columns}


ChatTurn = tuple[Role, str, bool]
"""A turn to be written as ChatML: its role, its text, and whether the loss counts it."""


def chat_turns(trajectory: Trajectory) -> Iterator[ChatTurn]:
    """Yield the turns of a trajectory; the results of one round are one turn."""
    for entry in text_entries(trajectory.messages, bare_result):
        yield entry.role, entry.text, is_counted(entry.messages[0])


def mask_chat_text(trajectory: Trajectory, options: RowOptions) -> MaskedText:
    """Write a trajectory as ChatML, with its loss mask."""
    return mask_chat_turns(chat_turns(trajectory), options)


def mask_chat_turns(turns: Iterable[ChatTurn], options: RowOptions) -> MaskedText:
    """Write turns as ChatML, with their loss mask."""
    pieces: list[str] = []
    trained: list[Span] = []
    end = 0
    for role, text, is_trained in turns:
        header = f"{TURN_OPEN}{options.result_role if role is Role.TOOL else role}\n"
        start = end + len(header)
        end = start + len(text) + len(TURN_CLOSE) + 1
        pieces += (header, text, TURN_CLOSE, "\n")
        if is_trained:
            # The line break is not trained: at inference nobody generates it.
            trained.append(Span(start, end - 1))
    return MaskedText(text="".join(pieces), trained=tuple(trained))


class ChatLength(NamedTuple):
    """The length of turns as ChatML, in characters."""

    characters: int
    trained: int
    """Characters that the loss counts."""
    of_roles: Mapping[Role, int]
    """Characters of the texts of each role."""


def measure_chat_turns(turns: Iterable[ChatTurn]) -> ChatLength:
    """Return the length of what `mask_chat_turns` writes, in a fifth of the time that writing it takes."""
    marks = trained = 0
    of_roles: dict[Role, int] = {}
    for role, text, is_trained in turns:
        length = len(text)
        of_roles[role] = of_roles.get(role, 0) + length
        marks += len(role) + _MARK_CHARS
        if is_trained:
            trained += length + len(TURN_CLOSE)
    return ChatLength(marks + sum(of_roles.values()), trained, of_roles)


_MARK_CHARS: Final = len(f"{TURN_OPEN}\n{TURN_CLOSE}\n")
"""Characters of a turn beside its role and text."""


RAW: Final = RowFormat(
    name="raw",
    title="ChatML as one text, with the spans that the loss counts",
    fits=lambda row: TURN_OPEN in str(row.get("text")),
    read=_read,
    steps=(
        drop_preference,
        drop_columns(*_OWN),
        order_results,
        drop_details(lambda _message: False),
        drop_all_keys,
        join_results,
        keep_envelopes,
        drop_ids,
        drop_result_names,
        trim_prose,
        drop_new_call_members,
        add_tool_list(),
        match_call_form,
        _settle_mask,
    ),
    spell=_spell,
)
