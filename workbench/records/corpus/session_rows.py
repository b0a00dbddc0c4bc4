"""Convert a session's paths to row messages, restore what only the imported row has, and recognize unchanged rows."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple, cast

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject, JsonValue, loads_fast
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.records.corpus.added_calls import with_added
from workbench.records.corpus.exported_message import (
    ExportedMessage,
    added_message,
    export_message,
    is_exported_as_is,
)
from workbench.records.corpus.label_summary import NO_LABELS, LabelSummary, summarize_labels
from workbench.records.corpus.material import (
    EVERYTHING,
    ExportBlocker,
    ExportMessage,
    ImportedRow,
    SessionFilter,
    SessionMaterial,
    not_ready,
)
from workbench.records.label import AddedCall
from workbench.rollout.ports import FinishReason
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import render_tools
from workbench.trajectory.formats.known import DEFAULT_FORMAT, format_named
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.row_reading import plain_tools, read_trajectory
from workbench.trajectory.trajectory import Call, Part, Result, RowMessage, Trajectory
from workbench.trajectory.validate.check import CheckedRow, check_row
from workbench.trajectory.validate.codes import matches_code
from workbench.trajectory.writing.row_draft import DETAIL, ConversionChange, Loss, RowOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """Options of an export."""

    choice: SessionFilter = EVERYTHING
    format: str = DEFAULT_FORMAT
    row_options: RowOptions = field(default_factory=RowOptions)
    arguments: Literal["auto", "object", "text"] = "auto"
    """How to write arguments; takes precedence over `row_options`. `auto` looks through all rows first."""
    includes_stale: bool = False
    """Whether to include stale messages, above which something was corrected."""
    includes_unfinished: bool = False
    """Whether to include completions that were cut off, stopped or interrupted."""
    is_raw: bool = False
    """Whether to write texts as the model wrote them, without fixes and in spite of findings."""
    is_strict: bool = False
    """Whether to treat lossy conversion as an error."""
    ignored_codes: tuple[str, ...] = ()
    """Codes of the validator, or their first words, that do not prevent the export of a row."""

    def is_error(self, finding: RowFinding) -> bool:
        """Whether a finding prevents the export of its row."""
        return finding.severity is Severity.ERROR and not matches_code(finding.code, self.ignored_codes)


class MessageRun(NamedTuple):
    """Consecutive messages, converted for a row."""

    ids: tuple[str, ...]
    """Id of the session's message for each. An added call and its result have that of the message that lacks it."""
    exported: tuple[ExportedMessage, ...]

    @property
    def own_ids(self) -> tuple[str, ...]:
        """The ids of the session's messages, each once."""
        return tuple(dict.fromkeys(self.ids))

    @property
    def messages(self) -> tuple[RowMessage, ...]:
        """The row's messages, with places from 0."""
        return tuple(at_place(one.message, place) for place, one in enumerate(self.exported))


class _Exported(NamedTuple):
    id: str
    exported: ExportedMessage
    added: Sequence[AddedCall]


@dataclass(frozen=True)
class ExportSource:
    """A session with the options of an export."""

    material: SessionMaterial
    options: ExportOptions

    @cached_property
    def imported_row(self) -> TrainingRow | None:
        """The imported row; None if the session was not imported."""
        imported = self.material.imported
        if imported is None:
            return None
        fields = loads_fast(imported.row_text if imported.original is None else imported.original)
        return format_named(imported.format).read(cast(JsonObject, fields))

    @cached_property
    def row(self) -> Trajectory | None:
        """Trajectory of the imported row; None if the session was not imported."""
        row = self.imported_row
        return None if row is None else read_trajectory(row).trajectory

    @cached_property
    def _is_as_imported(self) -> bool:
        """Whether the row can be written with its original bytes: it has the format of the export, and neither its
        messages nor its tools were changed since the import.
        """
        imported, row = self.material.imported, self.imported_row
        if imported is None or row is None or imported.format != self.options.format:
            return False
        path = self.material.path(self.material.leaf_id)
        if tuple(message.id for message in path) != imported.message_ids:
            return False
        if not self.material.by_id.keys() >= set(imported.rejected_ids):
            return False
        ids = (*imported.message_ids, *imported.rejected_ids)
        if any(self.summary_of(self.material.by_id[message_id]).is_changed for message_id in ids):
            return False
        return self._has_own_tools and self._suits(row) and _is_json(imported, row)

    @cached_property
    def checked_row(self) -> CheckedRow | None:
        """The imported row with the validator's findings; None if the session was not imported."""
        return None if self.imported_row is None else check_row(self.imported_row)

    @property
    def is_written_as_imported(self) -> bool:
        """Whether the row is written with its original bytes or, because of its errors, not at all.

        It is unchanged, and without errors that fixes could remove in a format that can be written.
        """
        if not self._is_as_imported:
            return False
        if self.options.is_raw or format_named(self.options.format).spell is None:
            return True
        findings = self.checked_row.findings if self.checked_row else ()
        return not any(map(self.options.is_error, findings))

    @property
    def _has_own_tools(self) -> bool:
        """Whether the session's tools are those of the imported row."""
        setup, row = self.material.setup, self.imported_row
        if row is None or setup.disabled_tools:
            return False
        return setup.tools_text == render_tools(plain_tools(row.tools))

    @property
    def kept_row(self) -> ImportedRow | None:
        """The imported row if those of its entries that nobody corrected can be written with their original bytes."""
        imported, row = self.material.imported, self.imported_row
        if imported is None or row is None or imported.format != self.options.format:
            return None
        return imported if self._has_own_tools and self._suits(row) else None

    def _suits(self, row: TrainingRow) -> bool:
        """Whether the row is written as the options require."""
        options = self.options.row_options
        roles = {entry.speaker for entry in row.all_entries if entry.role is Role.TOOL}
        if options.result_role == "user" and roles - {"human", "user"}:
            return False
        if options.strips_tool_prompt:
            return False
        if not format_named(self.options.format).has_object_arguments:
            return True
        # With `auto`, the form is settled before a row is written; text is chosen only if it is needed.
        has_text = [call.arguments_text is not None for entry in row.all_entries for call in entry.calls]
        if options.arguments == "text":
            return all(has_text)
        return self.options.arguments != "object" or not any(has_text)

    @cached_property
    def original(self) -> Mapping[str, RowMessage]:
        """The imported row's messages by the id of the session's message, without those that could not be parsed."""
        imported, row = self.material.imported, self.row
        if imported is None or row is None or self.imported_row is None:
            return {}
        unparsed = {
            entry.place
            for entry in self.imported_row.all_entries
            if entry.tagged_text is not None or any(call.problem for call in entry.calls)
        }
        own = zip(imported.message_ids, row.messages, strict=True)
        rejected = zip(imported.rejected_ids, row.rejected, strict=True)
        return {
            message_id: message for message_id, message in (*own, *rejected) if message.place not in unparsed
        }

    @cached_property
    def summary(self) -> Mapping[str, LabelSummary]:
        """Label summaries by message id."""
        return summarize_labels(self.material.labels, self.options.choice.project)

    @cached_property
    def tools(self) -> OfferedTools:
        """The tools that the model was offered; for an imported session the row's, unless they were changed.

        Raises:
            BadInput: They were changed and are not valid specs.
        """
        setup = self.material.setup
        return self.row.tools if self.row is not None and self._has_own_tools else setup.offered_tools()

    def summary_of(self, message: ExportMessage) -> LabelSummary:
        """Return the label summary of a message, or of its original if it is a copy."""
        return self.summary.get(message.original_id, NO_LABELS)

    def export_path(
        self, path: Sequence[ExportMessage], *, is_original: bool = False, is_bad: bool = False
    ) -> MessageRun | ExportBlocker:
        """Convert the messages of a path, or return the first reason why that is not possible.

        Args:
            path: Consecutive messages.
            is_original: Ignore corrections.
            is_bad: The messages are a bad answer, whose errors are what a model must learn to avoid. Texts that
                the strict reader does not accept stay as they are.
        """
        exported: list[_Exported] = []
        for message in path:
            summary = NO_LABELS if is_original else self.summary_of(message)
            exported_message = self._export(message, summary, is_raw=is_bad)
            if isinstance(exported_message, ExportBlocker):
                place = len(self.material.path(message.id))
                return replace(
                    exported_message,
                    message=f"message {place}: {exported_message.message}",
                    message_id=message.id,
                )
            exported.append(_Exported(message.id, exported_message, summary.added))
        if any(item.added for item in exported):
            exported[:] = with_added(
                tuple(exported),
                lambda item: item.added,
                lambda item: item.exported.message.role is Role.TOOL,
                lambda item, message: _Exported(item.id, added_message(message), ()),
            )
        return MessageRun(tuple(item.id for item in exported), tuple(item.exported for item in exported))

    def columns(self, *, leaf: ExportMessage | None = None, contract_name: str | None = None) -> JsonObject:
        """Return the other columns of the row: those of the imported row, or else session, contract and model.

        Args:
            leaf: Last message of the conversation; None for the displayed path's.
            contract_name: Name of its contract; None for the session's.
        """
        if self.row is not None:
            return dict(self.row.columns)
        path = self.material.path(leaf.id if leaf else self.material.leaf_id)
        sources = [message.made_with for message in path if message.made_with]
        columns: dict[str, JsonValue] = {"session": self.material.session_id}
        if sources:
            last, name = sources[-1], contract_name or self.material.setup.contract_name
            columns["contract"] = {"name": name, "fingerprint": last.contract_fingerprint or ""}
            columns["model"] = {"name": last.engine_name, "fingerprint": last.engine_fingerprint}
        return columns

    def _export(
        self, message: ExportMessage, summary: LabelSummary, *, is_raw: bool
    ) -> ExportedMessage | ExportBlocker:
        obstacle = self._not_ready(message, summary)
        if obstacle is not None:
            return obstacle
        original, is_raw = self.original.get(message.original_id), is_raw or self.options.is_raw
        try:
            if (
                original is not None
                and not summary.is_changed
                and is_exported_as_is(message.message, self.tools, is_raw=is_raw)
            ):
                return ExportedMessage(message=original)
            exported = export_message(message, self.tools, summary, is_raw=is_raw)
        except BadInput as error:
            return ExportBlocker(code="tools-unreadable", message=str(error), pointer="/tools")
        if original is None or isinstance(exported, ExportBlocker):
            return exported
        if not (exported.is_corrected or exported.fixes or exported.is_as_is):
            return replace(exported, message=original)
        losses = tuple(_losses_of_text(original))
        lost = {loss.detail for loss in losses}
        return replace(exported, message=_with_keys(exported.message, original, lost), losses=losses)

    def _not_ready(self, message: ExportMessage, summary: LabelSummary) -> ExportBlocker | None:
        """Return why a message is not ready. A corrected text counts as finished."""
        if message.id in self.material.stale and not self.options.includes_stale:
            return not_ready(
                "stale-message", "it is stale: a message above it was corrected; accept it or regenerate it"
            )
        for added in summary.added:
            if not added.result.strip():
                problem = (
                    f"the result of the added call to {added.call.name!r} is not written; correct the call"
                )
                return not_ready("added-call-without-result", problem)
        generated_with = message.made_with
        is_cut = generated_with is not None and generated_with.finish_reason != FinishReason.STOP
        if (
            generated_with is not None
            and is_cut
            and summary.text is None
            and not self.options.includes_unfinished
        ):
            reason = generated_with.finish_reason
            return not_ready("unfinished-message", f"the completion is not finished ({reason})")
        return None


def at_place(message: RowMessage, place: int) -> RowMessage:
    """Return the message with another place; most have the right one already."""
    return message if message.place == place else replace(message, place=place)


def _is_json(imported: ImportedRow, row: TrainingRow) -> bool:
    """Whether the row is free of NaN and infinity, which Python reads but JSON does not have."""
    original = imported.original or imported.row_text.encode(errors="surrogatepass")
    if b"NaN" not in original and b"Infinity" not in original:
        return True
    try:
        json.dumps(row.fields, allow_nan=False)
    except ValueError:
        return False
    return True


def _losses_of_text(message: RowMessage) -> Iterator[ConversionChange]:
    """Yield the members that are about the text of a message, and lost if it is corrected."""
    if DETAIL in message.others:
        yield ConversionChange(code=Loss.LOSS_MASK, detail=DETAIL)
    refusal = message.others.get("refusal")
    if refusal is not None and refusal in [prose.text for prose in message.prose]:
        yield ConversionChange(code=Loss.ENTRY_KEYS, detail="refusal")


def _with_keys(message: RowMessage, original: RowMessage, lost: Collection[str]) -> RowMessage:
    """Copy the ids, the mask and the other members of the imported row's message, except those that are lost."""
    calls = iter(original.calls)
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, Call):
            call = next(calls, None)
            others = call.others if call and call.name == part.name and not part.others else part.others
            part = replace(part, id=call.id if call else None, others=others)
        elif isinstance(part, Result) and original.result is not None:
            part = replace(part, id=original.result.id, others=original.result.others)
        parts.append(part)
    others = {key: value for key, value in original.others.items() if key not in lost}
    return replace(message, parts=tuple(parts), is_trained=original.is_trained, others=others)
