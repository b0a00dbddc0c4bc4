"""Write a conversation as a row, read it back, validate it, and trace each finding to its message."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject
from workbench.records.corpus.conversations import ExportConversation
from workbench.records.corpus.material import ExportBlocker
from workbench.records.corpus.session_rows import ExportOptions
from workbench.trajectory.formats.known import format_named
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import RowMessage
from workbench.trajectory.validate.row_check import check_row
from workbench.trajectory.writing.convert import write_as_is, write_row
from workbench.trajectory.writing.row_draft import ConversionChange


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
    changes: tuple[ConversionChange, ...] = ()
    """What was lost, added and rearranged."""
    obstacles: tuple[ExportBlocker, ...] = ()
    """Why the row is not written; empty if it is written."""
    warnings: tuple[ValidatorWarning, ...] = ()
    """Other findings; with raw texts, also those that would normally prevent the export."""


def make_row(conversation: ExportConversation, options: ExportOptions) -> RowResult:
    """Write a conversation as a row, read it back, and check it with every rule of the validator."""
    form = format_named(options.format).for_sessions()
    written = write_row(conversation.trajectory, form, options.row_options)
    if written.row is None and options.is_raw:
        written = write_as_is(conversation.trajectory, form, options.row_options)
    if written.row is None:
        ids = dict(enumerate((*conversation.ids, *conversation.rejected_ids)))
        obstacles = tuple(_obstacle(finding, ids) for finding in written.problems)
        return RowResult(row=None, conversation=conversation, changes=written.changes, obstacles=obstacles)
    row = form.read(written.row)
    ids = _ids_by_entry(row, conversation)
    findings = check_row(row)
    errors = () if options.is_raw else tuple(_errors(findings))
    losses = _too_lossy(written.losses, ids=conversation.ids) if options.is_strict else ()
    obstacles = (*(_obstacle(finding, ids) for finding in errors), *losses)
    return RowResult(
        row=None if obstacles else written.row,
        conversation=conversation,
        changes=written.changes,
        obstacles=obstacles,
        warnings=tuple(
            ValidatorWarning(
                code=finding.code,
                message=finding.message,
                message_id=_message_id(finding, ids),
                pointer=finding.pointer,
            )
            for finding in findings
            if finding not in errors
        ),
    )


def _errors(findings: Iterable[RowFinding]) -> Iterator[RowFinding]:
    return (finding for finding in findings if finding.severity is Severity.ERROR)


def _too_lossy(losses: Iterable[ConversionChange], *, ids: tuple[str, ...]) -> Iterator[ExportBlocker]:
    for loss in losses:
        message_id = ids[loss.entry] if loss.entry is not None and loss.entry < len(ids) else None
        yield ExportBlocker(
            code="would-lose", message=f"the format would lose: {loss.code}", message_id=message_id
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


def _ids_by_entry(row: TrainingRow, conversation: ExportConversation) -> Mapping[int, str]:
    """Return the session's message for each entry of the row; for merged results, the first message.

    Formats only add or leave out messages at the beginning, so both lists are matched from the end.
    """
    back = read_trajectory(row).trajectory
    found: dict[int, str] = {}
    for messages, ids in ((back.messages, conversation.ids), (back.rejected, conversation.rejected_ids)):
        found |= dict(_pairs(messages, ids))
    return found


def _pairs(messages: tuple[RowMessage, ...], ids: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    for message, message_id in zip(reversed(messages), reversed(ids), strict=False):
        yield message.place, message_id
