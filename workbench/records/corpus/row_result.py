"""Write a conversation as a row, read it back, validate it, and trace each finding to its message."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

from workbench.chat.json_value import JsonObject, loads_fast
from workbench.chat.message import Role
from workbench.records.corpus.conversations import ExportConversation
from workbench.records.corpus.material import ExportBlocker, ImportedRow
from workbench.records.corpus.session_rows import ExportOptions
from workbench.trajectory.formats.known import format_named
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import RowMessage, Trajectory
from workbench.trajectory.validate.check import CheckedRow, check_row
from workbench.trajectory.writing.convert import write_as_is, write_row
from workbench.trajectory.writing.patch import ReadRow, patched
from workbench.trajectory.writing.row_draft import Addition, ConversionChange, Loss


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatorWarning:
    """A finding of the validator that does not prevent the export."""

    code: str
    """A code of `docs/reference/row-codes.md`."""
    message: str
    message_id: str | None
    """The session's message; None if the finding is about the whole row."""
    pointer: str
    """JSON pointer into the row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowResult:
    """Result of writing one conversation as a row."""

    row: JsonObject | None = field(hash=False)
    """The row, or None if it must not be written."""
    conversation: ExportConversation
    checked: CheckedRow | None = field(default=None, compare=False)
    """The row with all findings of the validator; None if there was no row to check."""
    original: bytes | None = None
    """The bytes to write instead of `row`; None to write the row."""
    changes: tuple[ConversionChange, ...] = ()
    """What was lost, added and rearranged."""
    obstacles: tuple[ExportBlocker, ...] = ()
    """Why the row is not written; empty if it is written."""
    warnings: tuple[ValidatorWarning, ...] = ()
    """Other findings; with raw texts, also those that would normally prevent the export."""


def make_row(conversation: ExportConversation, options: ExportOptions) -> RowResult:
    """Write a conversation as a row, read it back, and check it with every rule of the validator."""
    if conversation.unchanged is not None:
        return _unchanged(conversation, conversation.unchanged, options)
    form = format_named(options.format)
    if form.spell is None:
        message = f"{form.name} can only be read, so only unchanged rows of this format can be written"
        blocker = ExportBlocker(code="not-writable", message=message)
        return RowResult(row=None, conversation=conversation, obstacles=(blocker,))
    row_options = options.row_options
    if row_options.keeps_call_form is not options.is_raw:
        row_options = replace(row_options, keeps_call_form=options.is_raw)
    written = write_row(conversation.trajectory, form, row_options)
    if written.row is None and options.is_raw:
        written = write_as_is(conversation.trajectory, form, row_options)
    if written.row is None:
        ids = dict(enumerate((*conversation.ids, *conversation.rejected_ids)))
        obstacles = tuple(_obstacle(finding, ids) for finding in written.problems)
        return RowResult(row=None, conversation=conversation, changes=written.changes, obstacles=obstacles)
    # `write_row` has read the row back already.
    row = written.read_back or form.read(written.row)
    back = written.trajectory or read_trajectory(row).trajectory
    ids = _ids_by_entry(conversation, back)
    kept = _kept_row(conversation, ReadRow(row, back), written.changes)
    if kept is not None:
        ids = _ids_by_entry(conversation, kept.trajectory)
    checked = check_row(kept.row if kept else row)
    findings = checked.findings
    errors = () if options.is_raw else tuple(filter(options.is_error, findings))
    changes = tuple(
        change
        for change in (*conversation.losses, *(written.changes if kept is None else kept.changes))
        if _applies(change, options)
    )
    lost = [change for change in changes if change.is_loss]
    losses = _too_lossy(lost, ids=conversation.ids) if options.is_strict else ()
    obstacles = (*(_obstacle(finding, ids) for finding in errors), *losses)
    return RowResult(
        row=None if obstacles else kept.row.fields if kept else written.row,
        conversation=conversation,
        checked=checked,
        original=kept.original if kept else None,
        changes=changes,
        obstacles=obstacles,
        warnings=tuple(_warning(finding, ids) for finding in findings if finding not in errors),
    )


class _KeptRow(NamedTuple):
    row: TrainingRow
    trajectory: Trajectory
    original: bytes | None
    """Its bytes; None if the imported row was not a line of JSON."""
    changes: tuple[ConversionChange, ...]
    """What was lost, added and rearranged in the entries that changed."""


def _kept_row(
    conversation: ExportConversation, written: ReadRow, changes: Sequence[ConversionChange]
) -> _KeptRow | None:
    """Return the imported row with only those entries replaced that changed; None if that is not the same row.

    Args:
        conversation: What was written.
        written: The row as it would be written completely.
        changes: What changed by it.
    """
    imported, form = conversation.kept, format_named(written.row.format)
    if imported is None:
        return None
    line = imported.original
    text = imported.row_text if line is None else line.decode(errors="surrogatepass")
    before = form.read(cast(JsonObject, loads_fast(text)))
    old = ReadRow(before, read_trajectory(before).trajectory)
    patch = patched(text, old, conversation.trajectory, written, _own_indices(conversation, imported))
    if patch is None:
        return None
    kept = form.read(cast(JsonObject, loads_fast(patch.text)))
    trajectory = read_trajectory(kept).trajectory
    # A column of arguments needs one type.
    forms = {call.arguments_text is None for entry in kept.all_entries for call in entry.calls}
    if len(forms) > 1 or not patch.is_read_as(trajectory, old.trajectory):
        return None
    own = tuple(
        change
        for change in changes
        if change.entry in patch.changed and change.code is not Addition.RESULTS_ORDERED
    )
    return _KeptRow(
        kept, trajectory, None if line is None else patch.text.encode(errors="surrogatepass"), own
    )


def _own_indices(conversation: ExportConversation, imported: ImportedRow) -> list[int]:
    """Return the index of each imported message in the conversation, which may have added calls and results too.

    These have the id of the message that lacks them: a call that precedes it, and results that follow it.
    """
    own: dict[str, int] = {}
    messages = conversation.trajectory.messages + conversation.trajectory.rejected
    for index, message_id in enumerate((*conversation.ids, *conversation.rejected_ids)):
        if message_id not in own or messages[index].role is not Role.TOOL:
            own[message_id] = index
    return [own[one] for one in (*imported.message_ids, *imported.rejected_ids) if one in own]


def _applies(change: ConversionChange, options: ExportOptions) -> bool:
    """Whether a change will be in the file. With `auto`, large integers are never written as objects."""
    return change.code is not Loss.BIG_INTEGERS or options.arguments != "auto"


def _unchanged(conversation: ExportConversation, row: CheckedRow, options: ExportOptions) -> RowResult:
    """Return an imported row as it is, or its errors. With raw texts, these do not prevent the export."""
    ids: Mapping[int, str] = _ids_by_entry(conversation, conversation.trajectory) if row.findings else {}
    errors = () if options.is_raw else tuple(filter(options.is_error, row.findings))
    return RowResult(
        row=None if errors else row.fields,
        conversation=conversation,
        checked=row,
        original=conversation.original,
        obstacles=tuple(_obstacle(finding, ids) for finding in errors),
        warnings=tuple(_warning(finding, ids) for finding in row.findings if finding not in errors),
    )


def _warning(finding: RowFinding, ids: Mapping[int, str]) -> ValidatorWarning:
    return ValidatorWarning(
        code=finding.code,
        message=finding.message,
        message_id=_message_id(finding, ids),
        pointer=finding.pointer,
    )


def _too_lossy(losses: Iterable[ConversionChange], *, ids: tuple[str, ...]) -> Iterator[ExportBlocker]:
    for loss in losses:
        message_id = ids[loss.entry] if loss.entry is not None and loss.entry < len(ids) else None
        yield ExportBlocker(
            code="would-lose", message=f"the format would lose: {loss.name}", message_id=message_id
        )


def _obstacle(finding: RowFinding, ids: Mapping[int, str]) -> ExportBlocker:
    return ExportBlocker(
        code=finding.code,
        message=finding.message,
        message_id=_message_id(finding, ids),
        pointer=finding.pointer,
    )


def _message_id(finding: RowFinding, ids: Mapping[int, str]) -> str | None:
    return None if finding.entry is None else ids.get(finding.entry)


def _ids_by_entry(conversation: ExportConversation, back: Trajectory) -> Mapping[int, str]:
    """Return the session's message for each entry of the row; for merged results, the first message.

    Args:
        conversation: What was written.
        back: The trajectory of the row.
    """
    # Formats only add or leave out messages at the beginning, so both lists are matched from the end.
    found: dict[int, str] = {}
    for messages, ids in ((back.messages, conversation.ids), (back.rejected, conversation.rejected_ids)):
        found |= dict(_pairs(messages, ids))
    return found


def _pairs(messages: tuple[RowMessage, ...], ids: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    for message, message_id in zip(reversed(messages), reversed(ids), strict=False):
        yield message.place, message_id
