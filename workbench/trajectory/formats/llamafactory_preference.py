"""LLaMA-Factory's preference rows: two answers to one conversation, or one answer with a verdict."""

from dataclasses import replace
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.trajectory.formats.llamafactory import (
    COLUMNS,
    DATASET_INFO,
    STEPS,
    has_llamafactory_entries,
    read_entries,
    render_row,
)
from workbench.trajectory.formats.preference import mark_answer, need_label, need_rejected
from workbench.trajectory.formats.row_format import RowContent, RowFormat
from workbench.trajectory.formats.shared.views import moved_entry
from workbench.trajectory.row import RowEntry, RowFinding, TrainingRow
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.writing.losses import drop_columns
from workbench.trajectory.writing.row_draft import Loss, RowDraft, RowOptions

_PAIR: Final = ("conversations", "tools", "system", "chosen", "rejected")
_VERDICT: Final = ("conversations", "tools", "system", "kto_tag")


def _read_pair(row: JsonObject) -> TrainingRow:
    base = read_entries(row, "llamafactory-dpo", _PAIR)
    findings = list(base.findings)
    read = [_answer(row.get(name), name, findings) for name in ("chosen", "rejected")]
    first = max((entry.place for entry in base.entries), default=-1) + 1
    chosen = tuple(replace(entry, place=first) for entry in read[0])
    rejected = tuple(replace(entry, place=first + len(chosen)) for entry in read[1])
    return replace(
        base,
        entries=(*base.entries, *chosen),
        rejected=rejected,
        answer_start=first,
        findings=tuple(findings),
    )


def _answer(answer: JsonValue, name: str, findings: list[RowFinding]) -> tuple[RowEntry, ...]:
    """Read one answer, which is a single entry or a text."""
    if isinstance(answer, str):
        answer = {"from": "gpt", "value": answer}
    if not as_object(answer):
        message = f"`{name}` is not an entry with `from` and `value`"
        findings.append(RowFinding(code="missing-field", message=message, pointer=f"/{name}"))
        return ()
    read = read_entries({"conversations": [answer]}, "llamafactory-dpo", _PAIR)
    findings.extend(
        replace(finding, entry=None, pointer=_moved(finding.pointer, name)) for finding in read.findings
    )
    return tuple(
        moved_entry(entry, lambda pointer: _moved(pointer, name), entry.place) for entry in read.entries
    )


def _moved(pointer: str, name: str) -> str:
    return pointer.replace("/conversations/0", f"/{name}", 1)


def _read_verdict(row: JsonObject) -> TrainingRow:
    base = read_entries(row, "llamafactory-kto", _VERDICT)
    label = row.get("kto_tag")
    findings = base.findings
    if not isinstance(label, bool | None):
        message = "`kto_tag` must be true or false"
        findings = (*findings, RowFinding(code="missing-field", message=message, pointer="/kto_tag"))
        label = None
    last = base.entries[-1] if base.entries else None
    start = last.place if last is not None and last.role is Role.ASSISTANT else None
    return replace(base, label=label, answer_start=start, findings=findings)


def _one_answer(draft: RowDraft) -> None:
    """Refuse answers of several messages: the format holds one entry for each."""
    trajectory = draft.trajectory
    for name, messages in (
        ("chosen", trajectory.messages[trajectory.answer_index :]),
        ("rejected", trajectory.rejected),
    ):
        if len(messages) != 1 or messages[0].role is not Role.ASSISTANT:
            draft.refuse(f"the {name} answer must be one message of the model")


def _last_is_answer(draft: RowDraft) -> None:
    """Let the answer begin with the last message, which is what the format judges."""
    trajectory = draft.trajectory
    last = len(trajectory.messages) - 1
    if trajectory.answer_index < last:
        draft.note(Loss.ANSWER_START)
        draft.trajectory = replace(trajectory, answer_start=last)


def _spell_pair(trajectory: Trajectory, options: RowOptions) -> JsonObject:
    start = trajectory.answer_index
    prompt = replace(trajectory, messages=trajectory.messages[:start], rejected=(), columns={})
    row = render_row(prompt, options)
    chosen, rejected = (
        as_object(_only(render_row(replace(prompt, messages=messages), options)))
        for messages in (trajectory.messages[start:], trajectory.rejected)
    )
    return {**row, "chosen": chosen, "rejected": rejected, **trajectory.columns}


def _only(row: JsonObject) -> JsonValue:
    entries = row["conversations"]
    return entries[0] if isinstance(entries, list) and entries else None


def _spell_verdict(trajectory: Trajectory, options: RowOptions) -> JsonObject:
    row = render_row(replace(trajectory, columns={}), options)
    return {**row, "kto_tag": trajectory.label, **trajectory.columns}


def _fits_pair(row: JsonObject) -> bool:
    return "chosen" in row and "rejected" in row and has_llamafactory_entries(row)


LLAMAFACTORY_DPO: Final = RowFormat(
    name="llamafactory-dpo",
    joins_results=True,
    title="LLaMA-Factory's preference rows: chosen and rejected",
    fits=_fits_pair,
    read=_read_pair,
    steps=(need_rejected, drop_columns(*_PAIR), mark_answer, _one_answer, *STEPS),
    spell=_spell_pair,
    content=RowContent.PAIR,
    dataset_info={
        **DATASET_INFO,
        "ranking": True,
        "columns": {**COLUMNS, "chosen": "chosen", "rejected": "rejected"},
    },
)
LLAMAFACTORY_KTO: Final = RowFormat(
    name="llamafactory-kto",
    joins_results=True,
    title="LLaMA-Factory's judged rows: kto_tag",
    fits=lambda row: "kto_tag" in row and has_llamafactory_entries(row),
    read=_read_verdict,
    steps=(need_label, drop_columns(*_VERDICT), mark_answer, _last_is_answer, *STEPS),
    spell=_spell_verdict,
    content=RowContent.VERDICT,
    dataset_info={**DATASET_INFO, "columns": {**COLUMNS, "kto_tag": "kto_tag"}},
)
