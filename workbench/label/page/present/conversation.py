"""Show a conversation in the Label tab: transcript entries with their labels."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from workbench.chat.finding import Severity
from workbench.chat.json_value import pointer_parts
from workbench.chat.message import Role, ToolCall
from workbench.hermes.reading import CallStatus, ReadCall
from workbench.label.app.labelling import LabellingRole, LabellingView
from workbench.records.label import AddedCall, Label, annotator_name
from workbench.records.sessions import StoredMessage
from workbench.ui.present.call_form import FormField, show_form, show_values
from workbench.ui.present.conversation import ReadRound, read_path
from workbench.ui.present.notices import NoticeLine
from workbench.ui.present.transcript import TranscriptEntry, show_transcript
from workbench.ui.present.words import count

CALL_VERDICTS: Final = ("right", "wrong-tool", "bad-arguments", "needless", "should-ask")
"""Verdicts on calls, in the order of the keys 1 to 5."""
MESSAGE_VERDICTS: Final = ("good", "missing-call", "bad-answer")
"""Verdicts on messages, for the keys 1, 6 and 7."""
PAIR_VERDICTS: Final = ("first-better", "second-better", "tie", "both-bad")
"""Verdicts on the answers of a preference pair, in the order of the keys 1 to 4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelView:
    """The label of one annotator for a message or a call. All fields are empty at first."""

    verdict: str = ""
    """Empty if there is no verdict."""
    rating: int = 0
    """From 1 to 5, or 0 for no rating."""
    tags: tuple[str, ...] = ()
    comment: str = ""
    text: str | None = None
    """For a message: the corrected text, or None."""
    name: str = ""
    """For a call: the tool of the correction. Empty if there is none."""
    arguments: str = ""
    """For a call: the arguments of the correction as JSON."""
    result: str | None = None
    """For an added call: its result. None for others."""
    answers: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Answers to the questions of the project, by the name of the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherLabel:
    """The label of another annotator, or the deciding one."""

    name: str
    """Name of the annotator, or `final`."""
    summary: str
    """The label in one line, without its correction."""
    label: LabelView
    """Its content, which somebody who decides can take over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTargetView:
    """A message, or a call of a message, that can be labelled."""

    message: str
    """Id of the message."""
    call: int | None
    """Index of the call in the message's reading, or None for the message itself."""
    role: str
    title: str
    """Heading of the label panel."""
    is_stop: bool
    """Whether `j` and `k` stop here: at each call, and at model messages without a call. In a review, only where
    annotators disagree."""
    label: LabelView
    """The label of this annotator."""
    verdicts: tuple[str, ...] = ()
    """The verdicts that it can have. The first one accepts it. Empty if it cannot be judged."""
    broken: str = ""
    """For a call: the first parameter that does not fit the schema. Empty if all do."""
    is_invalid: bool = False
    """For a call: whether it does not fit its schema, or its tool is not offered. It cannot be accepted."""
    others: tuple[OtherLabel, ...]
    """The labels of others that this annotator may see."""
    is_disputed: bool = False
    """For somebody who decides: whether annotators disagree about it."""
    text: str = ""
    """For a message: its text, for editing."""
    tool: str = ""
    """For a call: its tool, for editing."""
    values: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """For a call: the values of the form fields."""
    is_added: bool = False
    """Whether an annotator added it as a call that the message lacks. The model did not write it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelEntry:
    """One message of the transcript with its label targets."""

    entry: TranscriptEntry
    stale: tuple[str, ...]
    """Ids of the message or of its results that follow a correction."""
    targets: tuple[LabelTargetView, ...]
    """The calls in order, then added calls, the results, and the message itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationView:
    """The conversation to label."""

    id: str
    title: str
    entries: tuple[LabelEntry, ...]
    """Oldest first."""
    tools: Mapping[str, tuple[FormField, ...]] = field(hash=False)
    """The form fields of each offered tool."""
    descriptions: Mapping[str, str] = field(hash=False)
    """The description of each offered tool."""
    mocked: tuple[str, ...] = ()
    """The offered tools whose mocks can give the result of an added call."""
    row: tuple[NoticeLine, ...]
    """Lines about the training row that the conversation becomes."""
    is_blind: bool = False
    """Whether labels of others are hidden until it is submitted."""
    can_export: bool = True
    """Whether the conversation can become a training row."""
    pair: str = ""
    """The message with which the first answer of a preference pair begins. Empty if there is no pair."""
    other: tuple[TranscriptEntry, ...] = ()
    """The other answer of the pair."""


def show_conversation(labelling: LabellingView, seat: LabellingRole) -> ConversationView:
    """Show the conversation of a session to label."""
    rounds = read_path(labelling.path, labelling.tools)
    transcript = show_transcript(labelling.path, rounds, selected=None, examples=())
    other = labelling.other_answer
    other_view = show_transcript(other, read_path(other, labelling.tools), selected=None, examples=())
    by_id = {stored.id: stored for stored in labelling.path}
    rounds_by_id = {read_round.stored.id: read_round for read_round in rounds}
    return ConversationView(
        id=labelling.session.id,
        title=labelling.session.title or "untitled",
        entries=tuple(
            _entry(entry, by_id[entry.id], rounds_by_id.get(entry.id), labelling, seat)
            for entry in transcript.entries
        ),
        tools={spec.name: show_form(spec) for spec in labelling.tools.specs},
        descriptions={spec.name: spec.description for spec in labelling.tools.specs},
        mocked=tuple(labelling.mocked),
        row=tuple(_row(labelling)),
        is_blind=labelling.is_blind,
        can_export=not labelling.outcome.obstacles,
        pair=labelling.pair_id or "",
        other=other_view.entries,
    )


def _entry(
    entry: TranscriptEntry,
    stored: StoredMessage,
    read_round: ReadRound | None,
    labelling: LabellingView,
    seat: LabellingRole,
) -> LabelEntry:
    calls = read_round.reading.calls if read_round else ()
    results = [result.id for result in read_round.results.values()] if read_round else []
    targets = [
        LabelTargetView(
            message=stored.id,
            call=index,
            role=entry.role,
            title=f"Call {index + 1} of {len(calls)} · {call.name}",
            is_stop=not seat.is_review or _is_disputed(labelling, stored, index),
            is_disputed=_is_disputed(labelling, stored, index),
            label=_own_label(labelling.labels, stored, index, seat),
            others=_others(labelling.labels, stored, index, seat),
            verdicts=CALL_VERDICTS,
            broken=_broken(call),
            is_invalid=call.status is not CallStatus.READY,
            tool=call.name,
            values=show_values(call.arguments, labelling.tools.by_name.get(call.name)),
        )
        for index, call in enumerate(calls)
    ]
    is_pair = labelling.pair_id == stored.id
    is_model = stored.message.role is Role.ASSISTANT
    message_target = LabelTargetView(
        message=stored.id,
        call=None,
        role=entry.role,
        title="Which answer is better?" if is_pair else f"{entry.role.capitalize()} message",
        is_stop=_is_disputed(labelling, stored, None)
        if seat.is_review
        else is_model and (is_pair or not calls or bool(read_round and read_round.reading.dropped)),
        is_disputed=_is_disputed(labelling, stored, None),
        verdicts=PAIR_VERDICTS if is_pair else MESSAGE_VERDICTS if is_model else (),
        label=_own_label(labelling.labels, stored, None, seat),
        others=_others(labelling.labels, stored, None, seat),
        text=read_round.reading.text if read_round else stored.message.text,
    )
    stale = tuple(message_id for message_id in (stored.id, *results) if message_id in labelling.stale)
    return LabelEntry(
        entry=entry,
        stale=stale,
        targets=(
            *targets,
            *_added(stored, labelling, seat),
            *_results(read_round, calls, labelling, seat),
            message_target,
        ),
    )


def _added(stored: StoredMessage, labelling: LabellingView, seat: LabellingRole) -> Iterator[LabelTargetView]:
    """Yield the calls that were added to a message, by this annotator or by others whose labels are visible."""
    added = {
        label.target.call_index: label.content.correction
        for label in labelling.labels
        if label.target.message_id == (stored.copy_of or stored.id)
        and isinstance(label.content.correction, AddedCall)
    }
    for index, correction in sorted(added.items()):
        yield LabelTargetView(
            message=stored.id,
            call=index,
            role="model",
            title=f"Added call · {correction.call.name}",
            is_stop=seat.is_review and _is_disputed(labelling, stored, index),
            is_disputed=_is_disputed(labelling, stored, index),
            is_added=True,
            verdicts=("needless",) if seat.is_review else (),
            label=_own_label(labelling.labels, stored, index, seat),
            others=_others(labelling.labels, stored, index, seat),
        )


def _results(
    read_round: ReadRound | None, calls: Sequence[ReadCall], labelling: LabellingView, seat: LabellingRole
) -> Iterator[LabelTargetView]:
    """Yield the results that are shown with their calls, so that they can be corrected too."""
    if read_round is None:
        return
    for index, stored in read_round.results.items():
        if index < len(calls):
            yield LabelTargetView(
                message=stored.id,
                call=None,
                role="tool",
                title=f"Result of call {index + 1} · {calls[index].name}",
                is_stop=False,
                label=_own_label(labelling.labels, stored, None, seat),
                others=_others(labelling.labels, stored, None, seat),
                text=stored.message.text,
            )


def _broken(call: ReadCall) -> str:
    """Return the first parameter with an error, by the pointers of the findings."""
    for finding in call.findings:
        if finding.severity is Severity.ERROR and finding.pointer:
            return pointer_parts(finding.pointer)[0]
    return ""


def _is_disputed(labelling: LabellingView, stored: StoredMessage, call: int | None) -> bool:
    place = (stored.copy_of or stored.id, call)
    return any(
        (dispute.target.message_id, dispute.target.call_index) == place for dispute in labelling.disputes
    )


def _is_of(label: Label, stored: StoredMessage, call: int | None) -> bool:
    return (label.target.message_id, label.target.call_index) == (stored.copy_of or stored.id, call)


def _own_label(
    labels: Sequence[Label], stored: StoredMessage, call: int | None, seat: LabellingRole
) -> LabelView:
    own = next((label for label in labels if _is_of(label, stored, call) and _is_own(label, seat)), None)
    return _label_view(own) if own else LabelView()


def _label_view(label: Label) -> LabelView:
    content = label.content
    correction = content.correction
    call = correction.call if isinstance(correction, AddedCall) else correction
    is_call = isinstance(call, ToolCall)
    return LabelView(
        verdict=content.verdict.value if content.verdict else "",
        rating=content.rating or 0,
        tags=content.tags,
        comment=content.comment,
        text=correction if isinstance(correction, str) else None,
        name=call.name if is_call else "",
        arguments=json.dumps(call.arguments, ensure_ascii=False) if is_call else "",
        result=correction.result if isinstance(correction, AddedCall) else None,
        answers=content.answers,
    )


def _is_own(label: Label, seat: LabellingRole) -> bool:
    return (
        label.is_deciding
        if seat.is_deciding
        else (not label.is_deciding and not label.is_model and label.annotator == seat.annotator)
    )


def _others(
    labels: Sequence[Label], stored: StoredMessage, call: int | None, seat: LabellingRole
) -> tuple[OtherLabel, ...]:
    others = (label for label in labels if _is_of(label, stored, call) and not _is_own(label, seat))
    return tuple(_other(label) for label in others)


def _other(label: Label) -> OtherLabel:
    content = label.content
    rating = f"{content.rating} of 5" if content.rating else ""
    is_added = isinstance(content.correction, AddedCall)
    corrected = "" if content.correction is None else "added" if is_added else "corrected"
    verdict = content.verdict.value if content.verdict else ""
    answers = (f"{name}: {answer}" for name, answer in content.answers.items())
    summary = ", ".join(filter(None, (verdict, rating, corrected, *content.tags, *answers, content.comment)))
    return OtherLabel(
        name="final" if label.is_deciding else annotator_name(label.annotator, is_model=label.is_model),
        summary=summary or "nothing yet",
        label=_label_view(label),
    )


def _row(labelling: LabellingView) -> list[NoticeLine]:
    outcome = labelling.outcome
    lines = [
        NoticeLine(
            word="no row",
            code=obstacle.code,
            text=obstacle.message,
            tone="error" if obstacle.is_defect else "quiet",
        )
        for obstacle in outcome.obstacles
    ]
    if not lines:
        text = f"training row: 0 errors · {count(len(outcome.warnings), 'warning')}"
        if outcome.fixed_messages:
            text += f" · {count(outcome.fixed_messages, 'message')} with safe fixes applied"
        lines.append(NoticeLine(word="row", text=text, tone="warning" if outcome.warnings else "quiet"))
    if labelling.stale:
        text = f"{count(len(labelling.stale), 'message')} after a correction: accept (A) or regenerate (g)"
        lines.append(NoticeLine(word="stale", text=text, tone="warning"))
    lines += (
        NoticeLine(word="warning", code=warning.code, text=warning.message, tone="warning")
        for warning in outcome.warnings
    )
    return lines
