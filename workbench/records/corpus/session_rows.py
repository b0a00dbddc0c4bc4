"""Convert a session's messages to row messages, and restore what an imported row said about them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Message, Role
from workbench.errors import BadInput
from workbench.hermes.parse import fixed, parse
from workbench.hermes.reading import Level, Reading, SegmentKind
from workbench.hermes.written_out import written_out
from workbench.records.corpus.label_summary import NO_LABELS, LabelSummary, summarize_labels
from workbench.records.corpus.material import (
    EVERYTHING,
    ExportBlocker,
    ExportMessage,
    SessionFilter,
    SessionMaterial,
    not_ready,
)
from workbench.rollout.ports import FinishReason
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import render_tools
from workbench.trajectory.formats.known import DEFAULT_FORMAT, format_named
from workbench.trajectory.hermes_text import names_only, read_text
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.system_text import split_system
from workbench.trajectory.trajectory import Call, Prose, Result, RowMessage, Trajectory
from workbench.trajectory.writing.row_draft import RowOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedMessage:
    """What a row says of one message."""

    message: RowMessage
    fixes: tuple[str, ...] = ()
    """Codes of the safe fixes that were made."""
    is_corrected: bool = False
    """Whether a labeller's correction stands there instead of the original."""
    is_as_is: bool = False
    """Whether it is a text that strict does not read, as the model wrote it."""


def export_message(
    original: ExportMessage, tools: OfferedTools, summary: LabelSummary = NO_LABELS, *, is_raw: bool = False
) -> ExportedMessage | ExportBlocker:
    """The message, or why no trainer may have it.

    Args:
        tools: What the model was offered.
        judged: What labellers said of it; its correction replaces the original.
        is_raw: Whether a text is taken as it is, whatever the reader thinks of it.
    """
    message = original.message
    if summary.problem:
        return ExportBlocker(code="corrections-differ", message=summary.problem, message_id=original.id)
    if summary.text is not None:
        message = Message(role=message.role, text=summary.text, name=message.name)
    if message.role is not Role.ASSISTANT:
        return ExportedMessage(message=_plain(message), is_corrected=summary.text is not None)
    told = _spoken(written_out(message), tools, summary, is_raw=is_raw)
    if isinstance(told, str):
        code, _, problem = told.partition(": ")
        return ExportBlocker(code=code, message=problem, message_id=original.id)
    return replace(told, is_corrected=summary.is_corrected)


def _plain(message: Message) -> RowMessage:
    """A message that is not the model's."""
    role, text = message.role, message.text
    if role is Role.TOOL:
        return RowMessage(role=role, parts=(Result(text=text, name=message.name),))
    own = split_system(text).own if role is Role.SYSTEM else text
    return RowMessage(
        role=role, parts=(Prose(text=own),) if own else (), text=text if role is Role.SYSTEM else None
    )


def _spoken(text: str, tools: OfferedTools, summary: LabelSummary, *, is_raw: bool) -> ExportedMessage | str:
    """A completion whose text holds all."""
    reading = parse(text, tools=tools)
    problem = _defect(reading, summary)
    is_clean = not reading.fixes and not problem
    if is_raw and not is_clean and not summary.calls:
        as_is = RowMessage(role=Role.ASSISTANT, parts=(Prose(text=text),), text=text)
        return ExportedMessage(message=as_is, is_as_is=True)
    if problem:
        return problem
    text = fixed(text, reading)
    again = parse(text, tools=tools, level=Level.STRICT)
    if [(one.name, one.arguments) for one in again.calls] != [
        (one.name, one.arguments) for one in reading.calls
    ]:
        return "call-not-strict: strict reads other calls from the fixed text; correct it by hand"
    read = read_text(text, names_only(tools))
    codes = tuple(sorted({fix.code for fix in reading.fixes}))
    told = _corrected(RowMessage(role=Role.ASSISTANT, parts=read.parts, text=read.text), summary)
    return told if isinstance(told, str) else replace(told, fixes=codes)


def _corrected(message: RowMessage, summary: LabelSummary) -> ExportedMessage | str:
    """The message with its corrected calls."""
    if not summary.calls:
        return ExportedMessage(message=message)
    places = [place for place, part in enumerate(message.parts) if isinstance(part, Call)]
    if max(summary.calls) >= len(places):
        return f"corrections-differ: call {max(summary.calls) + 1} is corrected, and it has {len(places)}"
    parts = list(message.parts)
    for index, call in summary.calls.items():
        parts[places[index]] = Call(name=call.name, arguments=dict(call.arguments))
    return ExportedMessage(message=message.with_parts(*parts))


def _defect(reading: Reading, summary: LabelSummary) -> str:
    """Code and reason; empty where a trainer may have it. What was corrected does not count."""
    if any(segment.kind is SegmentKind.UNCLOSED for segment in reading.segments):
        return "call-truncated: a call or thought is cut off"
    if reading.dropped:
        codes = ", ".join(sorted({finding.code for finding in reading.findings}))
        return f"call-unreadable: {reading.dropped} call block(s) could not be read ({codes})"
    settled = {
        fix for index, call in enumerate(reading.calls) if index in summary.calls for fix in call.fixes
    }
    guesses = sorted({fix.code for fix in reading.fixes if fix.is_guess and fix not in settled})
    if guesses:
        return f"call-guessed: a fix is a guess ({', '.join(guesses)}); correct the message by hand"
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What is wanted of an export."""

    choice: SessionFilter = EVERYTHING
    format: str = DEFAULT_FORMAT
    row_options: RowOptions = field(default_factory=RowOptions)
    arguments: Literal["auto", "object", "text"] = "auto"
    """As in `RowOptions`, which it wins over; `auto` looks through all rows first."""
    includes_stale: bool = False
    """Whether messages count that a correction above them has overtaken."""
    includes_unfinished: bool = False
    """Whether completions count that did not come to their own end."""
    is_raw: bool = False
    """Whether texts are written as the model wrote them, whatever the reader and the validator say."""
    is_strict: bool = False
    """Whether a row that would lose something is a defect."""


class MessageRun(NamedTuple):
    """Messages one behind the other, told."""

    ids: tuple[str, ...]
    """The session's message for each."""
    exported: tuple[ExportedMessage, ...]

    @property
    def messages(self) -> tuple[RowMessage, ...]:
        """What the row says; places count from 0."""
        return tuple(replace(one.message, place=place) for place, one in enumerate(self.exported))


@dataclass(frozen=True)
class ExportSource:
    """One session, ready to be told."""

    material: SessionMaterial
    options: ExportOptions

    @cached_property
    def row(self) -> Trajectory | None:
        """What the row that it was made of means; None where it was played here."""
        imported = self.material.imported
        if imported is None:
            return None
        fields = cast(JsonObject, json.loads(imported.row_text))
        return read_trajectory(format_named(imported.format).read(fields)).trajectory

    @cached_property
    def original(self) -> Mapping[str, RowMessage]:
        """The messages of that row, by their ids here."""
        imported, row = self.material.imported, self.row
        if imported is None or row is None:
            return {}
        own = zip(imported.message_ids, row.messages, strict=True)
        return {**dict(own), **dict(zip(imported.rejected_ids, row.rejected, strict=True))}

    @cached_property
    def summary(self) -> Mapping[str, LabelSummary]:
        """What labellers said, by message."""
        return summarize_labels(self.material.labels, self.options.choice.project)

    @cached_property
    def tools(self) -> OfferedTools:
        """What the model was offered: the row's own as long as nobody changed them.

        Raises:
            BadInput: They were changed, and are no specs.
        """
        setup = self.material.setup
        if (
            self.row is not None
            and not setup.disabled_tools
            and setup.tools_text == render_tools(self.row.tools)
        ):
            return self.row.tools
        return setup.offered_tools()

    def summary_of(self, message: ExportMessage) -> LabelSummary:
        """What labellers said of a message, or of the one that it is a copy of."""
        return self.summary.get(message.original_id, NO_LABELS)

    def export_path(
        self, path: Sequence[ExportMessage], *, is_original: bool = False
    ) -> MessageRun | ExportBlocker:
        """The messages, or the first thing that is in the way.

        Args:
            path: One behind the other.
            is_original: Whether corrections are left aside.
        """
        exported: list[ExportedMessage] = []
        for message in path:
            result = self._export(message, NO_LABELS if is_original else self.summary_of(message))
            if isinstance(result, ExportBlocker):
                place = len(self.material.path(message.id))
                return replace(result, message=f"message {place}: {result.message}", message_id=message.id)
            exported.append(result)
        return MessageRun(tuple(result.id for result in path), tuple(exported))

    def columns(self, *, leaf: ExportMessage | None = None, contract_name: str | None = None) -> JsonObject:
        """What stands beside the conversation: the columns of the row that it was made of, else whence it is.

        Args:
            leaf: Its last message; None takes that of the open path.
            contract_name: Of its contract; None takes the session's.
        """
        if self.row is not None:
            return dict(self.row.columns)
        path = self.material.path(leaf.id if leaf else self.material.leaf_id)
        made = [one.made_with for one in path if one.made_with]
        columns: dict[str, JsonValue] = {"session": self.material.session_id}
        if made:
            last, name = made[-1], contract_name or self.material.setup.contract_name
            columns["contract"] = {"name": name, "fingerprint": last.contract_fingerprint or ""}
            columns["model"] = {"name": last.engine_name, "fingerprint": last.engine_fingerprint}
        return columns

    def _export(self, message: ExportMessage, summary: LabelSummary) -> ExportedMessage | ExportBlocker:
        obstacle = self._not_ready(message, summary)
        if obstacle is not None:
            return obstacle
        try:
            exported = export_message(message, self.tools, summary, is_raw=self.options.is_raw)
        except BadInput as error:
            return ExportBlocker(code="tools-unreadable", message=str(error), pointer="/tools")
        original = self.original.get(message.original_id)
        if original is None or isinstance(exported, ExportBlocker):
            return exported
        if not (exported.is_corrected or exported.fixes or exported.is_as_is):
            return replace(exported, message=original)
        return replace(exported, message=_with_ids(exported.message, original))

    def _not_ready(self, message: ExportMessage, summary: LabelSummary) -> ExportBlocker | None:
        """Why nothing of it is told; a text that was corrected is finished, whatever the model did."""
        if message.id in self.material.stale and not self.options.includes_stale:
            return not_ready(
                "stale-message", "it is stale: something above it was corrected; accept it, or anew"
            )
        made = message.made_with
        is_cut = made is not None and made.finish_reason != FinishReason.STOP
        if made is not None and is_cut and summary.text is None and not self.options.includes_unfinished:
            return not_ready("unfinished-message", f"the completion was not finished ({made.finish_reason})")
        return None


def _with_ids(message: RowMessage, original: RowMessage) -> RowMessage:
    """A message with the ids and the mask that the row's own had."""
    ids = iter([call.id for call in original.calls])
    parts = [replace(part, id=next(ids, None)) if part in message.calls else part for part in message.parts]
    if message.result is not None and original.result is not None:
        parts = [replace(message.result, id=original.result.id)]
    return replace(message, parts=tuple(parts), is_trained=original.is_trained)
