"""A conversation in the Label tab: transcript entries with their labels."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench.app.labelling import LabellingRole, LabellingView
from workbench.chat.message import Role, ToolCall
from workbench.records.labels.label import Label
from workbench.records.sessions import StoredMessage
from workbench.ui.present.conversation import ReadRound, read_path
from workbench.ui.present.label.form import FormField, show_form, show_values
from workbench.ui.present.notices import NoticeLine
from workbench.ui.present.transcript import TranscriptEntry, show_transcript
from workbench.ui.present.words import count


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelView:
    """What one labeller says of one thing; all of it empty before the first word."""

    verdict: str = ""
    """Empty while it is not decided."""
    rating: int = 0
    """From 1 to 5; 0 for none."""
    tags: tuple[str, ...] = ()
    """In the order given."""
    comment: str = ""
    text: str | None = None
    """Of a message: its correction; None for none."""
    name: str = ""
    """Of a call: the tool of its correction; empty for none."""
    arguments: str = ""
    """Of a call: JSON of the correction's arguments."""
    answers: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """To the project's questions."""
    revision: int = 0
    """0 before the first save."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTargetView:
    """Something that can be labelled: a message, or a call of one."""

    message: str
    """The message's id."""
    call: int | None
    """Place of the call in the message's reading; None for the message."""
    role: str
    title: str
    """What it is, for a person."""
    is_stop: bool
    """Whether `j` and `k` stop there: at each call, and at what the model wrote without one."""
    said: LabelView
    others: tuple[str, ...]
    text: str = ""
    """Of a message: its text, to be edited."""
    tool: str = ""
    """Of a call: the tool, to be edited."""
    values: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Of a call: what stands in the form's fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelEntry:
    """One message with its targets."""

    entry: TranscriptEntry
    stale: tuple[str, ...]
    """Ids of what of it comes after a correction: itself, results in it."""
    targets: tuple[LabelTargetView, ...]
    """Its calls in order, then itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkView:
    """The conversation that is labelled."""

    id: str
    title: str
    entries: tuple[LabelEntry, ...]
    """The oldest first."""
    tools: Mapping[str, tuple[FormField, ...]] = field(hash=False)
    row: tuple[NoticeLine, ...]
    """The row that it becomes, in lines: first what it comes to."""


def show_talk(bench: LabellingView, seat: LabellingRole) -> TalkView:
    """The conversation of a bench."""
    rounds = read_path(bench.path, bench.tools)
    transcript = show_transcript(bench.path, rounds, selected=None, examples=())
    by_id = {kept.id: kept for kept in bench.path}
    reads = {one.kept.id: one for one in rounds}
    return TalkView(
        id=bench.session.id,
        title=bench.session.title or "untitled",
        entries=tuple(
            _entry(entry, by_id[entry.id], reads.get(entry.id), bench, seat) for entry in transcript.entries
        ),
        tools={spec.name: show_form(spec) for spec in bench.tools.specs},
        row=tuple(_row(bench)),
    )


def _entry(
    entry: TranscriptEntry,
    kept: StoredMessage,
    one: ReadRound | None,
    bench: LabellingView,
    seat: LabellingRole,
) -> LabelEntry:
    calls = one.reading.calls if one else ()
    results = [result.id for result in one.results.values()] if one else []
    targets = [
        LabelTargetView(
            message=kept.id,
            call=index,
            role=entry.role,
            title=f"Call {index + 1} of {len(calls)} · {call.name}",
            is_stop=True,
            said=_said(bench.labels, kept, index, seat),
            others=_others(bench.labels, kept, index, seat),
            tool=call.name,
            values=show_values(call.arguments, bench.tools.by_name.get(call.name)),
        )
        for index, call in enumerate(calls)
    ]
    itself = LabelTargetView(
        message=kept.id,
        call=None,
        role=entry.role,
        title=f"Message of the {entry.role}",
        is_stop=kept.message.role is Role.ASSISTANT and (not calls or bool(one and one.reading.dropped)),
        said=_said(bench.labels, kept, None, seat),
        others=_others(bench.labels, kept, None, seat),
        text=one.reading.text if one else kept.message.text,
    )
    stale = tuple(message_id for message_id in (kept.id, *results) if message_id in bench.stale)
    return LabelEntry(entry=entry, stale=stale, targets=(*targets, itself))


def _is_of(label: Label, kept: StoredMessage, call: int | None) -> bool:
    return (label.target.message_id, label.target.call_index) == (kept.copy_of or kept.id, call)


def _said(labels: Sequence[Label], kept: StoredMessage, call: int | None, seat: LabellingRole) -> LabelView:
    own = next((label for label in labels if _is_of(label, kept, call) and _is_own(label, seat)), None)
    if own is None:
        return LabelView()
    content = own.content
    correction = content.correction
    is_call = isinstance(correction, ToolCall)
    return LabelView(
        verdict=content.verdict.value if content.verdict else "",
        rating=content.rating or 0,
        tags=content.tags,
        comment=content.comment,
        text=correction if isinstance(correction, str) else None,
        name=correction.name if is_call else "",
        arguments=json.dumps(correction.arguments, ensure_ascii=False) if is_call else "",
        answers=content.answers,
        revision=own.revision,
    )


def _is_own(label: Label, seat: LabellingRole) -> bool:
    return (
        label.is_deciding if seat.is_deciding else (not label.is_deciding and label.labeller == seat.labeller)
    )


def _others(
    labels: Sequence[Label], kept: StoredMessage, call: int | None, seat: LabellingRole
) -> tuple[str, ...]:
    others = (label for label in labels if _is_of(label, kept, call) and not _is_own(label, seat))
    return tuple(_other(label) for label in others)


def _other(label: Label) -> str:
    who = "settled" if label.is_deciding else label.labeller or "no name"
    rating = f"{label.content.rating} of 5" if label.content.rating else ""
    corrected = "corrected" if label.content.correction is not None else ""
    verdict = label.content.verdict.value if label.content.verdict else ""
    said = ", ".join(filter(None, (verdict, rating, corrected, label.content.comment)))
    return f"{who}: {said or 'nothing yet'}"


def _row(bench: LabellingView) -> list[NoticeLine]:
    outcome = bench.outcome
    lines = [
        NoticeLine(
            word="no row", text=f"{one.code}: {one.message}", tone="error" if one.is_defect else "quiet"
        )
        for one in outcome.obstacles
    ]
    if not lines:
        text = f"the row it becomes: 0 errors · {count(len(outcome.warnings), 'warning')}"
        if outcome.fixed_messages:
            text += f" · {count(outcome.fixed_messages, 'message')} with safe fixes applied"
        lines.append(NoticeLine(word="row", text=text, tone="warning" if outcome.warnings else "quiet"))
    if bench.stale:
        told = f"{count(len(bench.stale), 'message')} after a correction: accept (a) or regenerate (g)"
        lines.append(NoticeLine(word="stale", text=told, tone="warning"))
    lines += (
        NoticeLine(word="warning", text=f"{one.code}: {one.message}", tone="warning")
        for one in outcome.warnings
    )
    return lines
