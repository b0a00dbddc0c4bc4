"""Read and write TRL's preference rows: two answers to one prompt, or one answer with a verdict."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.trajectory.declared_tools import read_declarations
from workbench.trajectory.formats.openai import CHAT_STEPS, PLACE_KEYS, tools_key
from workbench.trajectory.formats.row_format import RowContent, RowFormat
from workbench.trajectory.formats.shared.chat_rows import Shape, read_messages, render_tools, spell_messages
from workbench.trajectory.row import RowEntry, RowFinding, TrainingRow
from workbench.trajectory.trajectory import Trajectory, is_same_message
from workbench.trajectory.writing.argument_columns import report_big_integers
from workbench.trajectory.writing.losses import drop_columns, drop_mask
from workbench.trajectory.writing.row_draft import Loss, RowDraft, RowOptions

_DPO: Final = ("prompt", "chosen", "rejected", "tools")
_KTO: Final = ("prompt", "completion", "label", "tools")


def _read_dpo(row: JsonObject) -> TrainingRow:
    findings: list[RowFinding] = []
    prompt, shared = _prompt(row, findings)
    start = len(prompt)
    chosen = _part(row, "chosen", "assistant", findings, start, shared)
    rejected = _part(row, "rejected", "assistant", findings, start + len(chosen), shared)
    return _row("dpo", row, prompt, chosen, findings, rejected=rejected)


def _read_kto(row: JsonObject) -> TrainingRow:
    findings: list[RowFinding] = []
    completion = row.get("completion")
    shared = 0
    if isinstance(completion, list) and not isinstance(row.get("prompt"), list):
        shared = _question_end(completion)
    if shared and isinstance(completion, list):
        prompt = read_messages(completion[:shared], "/completion", findings)
    else:
        prompt = _part(row, "prompt", "user", findings, 0)
    label = row.get("label")
    if not isinstance(label, bool | None):
        findings.append(_missing("label", "must be true or false"))
        label = None
    answer = _part(row, "completion", "assistant", findings, len(prompt), shared)
    return _row("kto", row, prompt, answer, findings, label=label)


def _row(
    name: str,
    row: JsonObject,
    prompt: tuple[RowEntry, ...],
    answer: tuple[RowEntry, ...],
    findings: list[RowFinding],
    *,
    rejected: tuple[RowEntry, ...] = (),
    label: bool | None = None,
) -> TrainingRow:
    entries = (*prompt, *answer)
    own = set(_DPO if name == "dpo" else _KTO)
    # Some rows repeat the question as a text. Any other text says something else.
    text = row.get("prompt")
    if isinstance(text, str) and text and prompt and prompt[0].pointer != "/prompt":
        own -= set() if any(text == entry.text for entry in prompt) else {"prompt"}
    return TrainingRow(
        format=name,
        fields=row,
        entries=entries,
        rejected=rejected,
        answer_start=len(prompt),
        label=label,
        declarations=tuple(read_declarations(row, entries, findings, key=tools_key(row))),
        columns={key: value for key, value in row.items() if key not in own},
        findings=tuple(findings),
    )


def _part(
    row: JsonObject, name: str, role: str, findings: list[RowFinding], start: int, skipped: int = 0
) -> tuple[RowEntry, ...]:
    """Read the entries of one column, which holds a list of messages or a text.

    Args:
        row: The row.
        name: Name of the column.
        role: Role of the entry if the column holds a text.
        findings: Gets the problems.
        start: Index of the first entry.
        skipped: Number of messages, or of characters, at the beginning that belong to the prompt.
    """
    column = row.get(name)
    if isinstance(column, str):
        return (_text_entry(column[skipped:], name, role, start, skipped),)
    if not isinstance(column, list):
        findings.append(_missing(name, "must be a list of messages or a text"))
        return ()
    own: list[RowFinding] = []
    entries = read_messages(column, f"/{name}", own, start=start - skipped)
    findings += [finding for finding in own if (finding.entry or 0) >= start]
    return entries[skipped:]


def _text_entry(text: str, name: str, role: str, place: int, text_start: int = 0) -> RowEntry:
    (entry,) = read_messages([{"role": role, "content": text}], f"/{name}", [], start=place)
    return replace(entry, pointer=f"/{name}", text_pointer=f"/{name}", text_start=text_start)


def _prompt(row: JsonObject, findings: list[RowFinding]) -> tuple[tuple[RowEntry, ...], int]:
    """Return the prompt, and the number of messages or characters at the beginning of both answers that belong to it.

    Answers that are whole conversations begin with the prompt, even if the row has it as a text, too. *Source:* TRL's
    `maybe_extract_prompt`.
    """
    prompt, chosen, rejected = row.get("prompt"), row.get("chosen"), row.get("rejected")
    if isinstance(chosen, list) and isinstance(rejected, list) and not isinstance(prompt, list):
        shared = _shared_count(chosen, rejected)
        if shared:
            return read_messages(chosen[:shared], "/chosen", findings), shared
    if isinstance(chosen, str) and isinstance(rejected, str) and prompt is None:
        shared = _shared_count(chosen, rejected)
        # The space before the first different word belongs to the answers.
        shared -= chosen[:shared].endswith(" ")
        if shared:
            return (_text_entry(chosen[:shared], "chosen", "user", 0),), shared
    if prompt is None:
        findings.append(_missing("prompt", "missing, and the answers do not begin alike; add it"))
        return (), 0
    return _part(row, "prompt", "user", findings, 0), 0


def _shared_count(first: Sequence[JsonValue], second: Sequence[JsonValue]) -> int:
    """Return how many items both begin with; at least the last one of each belongs to the answer."""
    pairs = enumerate(zip(first, second, strict=False))
    most = max(min(len(first), len(second)) - 1, 0)
    return next((count for count, (left, right) in pairs if left != right or count == most), most)


def _question_end(messages: Sequence[JsonValue]) -> int:
    """Return the number of messages up to the last one that is not of the model or a tool."""
    asked = ("system", "developer", "user")
    ends = (index + 1 for index, message in enumerate(messages) if as_object(message).get("role") in asked)
    return max(ends, default=0)


def _missing(name: str, problem: str) -> RowFinding:
    return RowFinding(code="missing-field", message=f"`{name}`: {problem}", pointer=f"/{name}")


def mark_answer(draft: RowDraft) -> None:
    """Set where the answer begins."""
    trajectory = draft.trajectory
    draft.trajectory = replace(trajectory, answer_start=trajectory.answer_index)
    if trajectory.answer_index >= len(trajectory.messages):
        draft.refuse("the conversation does not end with an answer")


def share_prompt(draft: RowDraft) -> None:
    """Move what both answers begin with to the prompt, because nothing else separates it from the answers."""
    trajectory = draft.trajectory
    start = trajectory.answer_index
    chosen, rejected = trajectory.messages[start:], trajectory.rejected
    shared = len(list(takewhile(lambda pair: is_same_message(*pair), zip(chosen, rejected, strict=False))))
    if shared == 0:
        return
    if shared == min(len(chosen), len(rejected)):
        draft.refuse("one answer begins with all of the other")
        return
    draft.note(Loss.ANSWER_START)
    draft.trajectory = replace(trajectory, answer_start=start + shared, rejected=rejected[shared:])


def need_rejected(draft: RowDraft) -> None:
    """Refuse a trajectory without a rejected answer, and drop the label."""
    trajectory = draft.trajectory
    if not trajectory.rejected:
        draft.refuse("there is no rejected answer; dpo needs two answers to one prompt")
    if trajectory.label is not None:
        draft.note(Loss.LABEL)
        draft.trajectory = replace(trajectory, label=None)


def need_label(draft: RowDraft) -> None:
    """Refuse a trajectory without a label, and drop the rejected answer."""
    trajectory = draft.trajectory
    label = draft.options.label if trajectory.label is None else trajectory.label
    if label is None:
        draft.refuse("the row does not say whether the answer is good; use --label or --no-label")
    if trajectory.rejected:
        draft.note(Loss.REJECTED)
    draft.trajectory = replace(trajectory, label=label, rejected=())


def _spell_dpo(trajectory: Trajectory, options: RowOptions) -> JsonObject:
    shape = Shape(options.arguments, names_results=True)
    start = trajectory.answer_index
    row: dict[str, JsonValue] = {
        "prompt": spell_messages(trajectory.messages[:start], shape),
        "chosen": spell_messages(trajectory.messages[start:], shape),
        "rejected": spell_messages(trajectory.rejected, shape),
    }
    return {**row, **_tools(trajectory), **trajectory.columns}


def _spell_kto(trajectory: Trajectory, options: RowOptions) -> JsonObject:
    shape = Shape(options.arguments, names_results=True)
    start = trajectory.answer_index
    row: dict[str, JsonValue] = {
        "prompt": spell_messages(trajectory.messages[:start], shape),
        "completion": spell_messages(trajectory.messages[start:], shape),
        "label": trajectory.label,
    }
    return {**row, **_tools(trajectory), **trajectory.columns}


def _tools(trajectory: Trajectory) -> JsonObject:
    return {"tools": render_tools(trajectory.tools)} if trajectory.tools.specs else {}


def _fits_dpo(row: JsonObject) -> bool:
    return "chosen" in row and "rejected" in row and "conversations" not in row


def _fits_kto(row: JsonObject) -> bool:
    completion = row.get("completion")
    is_chat = isinstance(completion, list) and any("role" in as_object(message) for message in completion)
    return ("prompt" in row and (is_chat or isinstance(completion, str))) or (is_chat and "label" in row)


DPO: Final = RowFormat(
    name="dpo",
    title="TRL's DPO rows: a prompt, the chosen and the rejected answer",
    fits=_fits_dpo,
    read=_read_dpo,
    steps=(
        need_rejected,
        drop_columns(*_DPO),
        mark_answer,
        *CHAT_STEPS,
        PLACE_KEYS,
        drop_mask,
        report_big_integers,
    ),
    spell=_spell_dpo,
    content=RowContent.PAIR,
    has_object_arguments=True,
)
KTO: Final = RowFormat(
    name="kto",
    title="TRL's KTO rows: a prompt, an answer and whether it is good",
    fits=_fits_kto,
    read=_read_kto,
    steps=(
        need_label,
        drop_columns(*_KTO),
        mark_answer,
        *CHAT_STEPS,
        PLACE_KEYS,
        drop_mask,
        report_big_integers,
    ),
    spell=_spell_kto,
    content=RowContent.VERDICT,
    has_object_arguments=True,
)
