"""The tables, one class each. Rows are used only inside the store.

Importing this package registers all tables in `METADATA`.
"""

from workbench.store.tables.base import METADATA, AuditRow, StoreTable, UtcDateTime
from workbench.store.tables.labels import (
    AcceptedMessageRow,
    LabelActionRow,
    LabelMemberRow,
    LabelProjectRow,
    LabelReviewRow,
    LabelRow,
    LabelTagRow,
    LabelTaskRow,
)
from workbench.store.tables.presets import PresetRow
from workbench.store.tables.runs import (
    CaseResultRow,
    ComparisonAnswerRow,
    ComparisonRow,
    ComparisonVoteRow,
    RunRow,
    RunSessionRow,
    RunTagRow,
)
from workbench.store.tables.servers import LiveEventRow, LiveRunRow, LiveTurnRow, ServerMessageRow, ServerRow
from workbench.store.tables.sessions import (
    DeletedMessageRow,
    DocumentRow,
    FactRow,
    GenerationRow,
    ImportRow,
    MessageRow,
    NoteRow,
    PromptRow,
    RecordedMessageRow,
    RecordedSessionRow,
    SessionRow,
    SessionTagRow,
    SessionToolRow,
    ToolRunRow,
    UnfinishedRow,
)
from workbench.store.tables.versions import VersionLineRow, VersionRow, VersionTagRow, VersionTextRow

__all__ = [
    "METADATA",
    "AcceptedMessageRow",
    "AuditRow",
    "CaseResultRow",
    "ComparisonAnswerRow",
    "ComparisonRow",
    "ComparisonVoteRow",
    "DeletedMessageRow",
    "DocumentRow",
    "FactRow",
    "GenerationRow",
    "ImportRow",
    "LabelActionRow",
    "LabelMemberRow",
    "LabelProjectRow",
    "LabelReviewRow",
    "LabelRow",
    "LabelTagRow",
    "LabelTaskRow",
    "LiveEventRow",
    "LiveRunRow",
    "LiveTurnRow",
    "MessageRow",
    "NoteRow",
    "PresetRow",
    "PromptRow",
    "RecordedMessageRow",
    "RecordedSessionRow",
    "RunRow",
    "RunSessionRow",
    "RunTagRow",
    "ServerMessageRow",
    "ServerRow",
    "SessionRow",
    "SessionTagRow",
    "SessionToolRow",
    "StoreTable",
    "ToolRunRow",
    "UnfinishedRow",
    "UtcDateTime",
    "VersionLineRow",
    "VersionRow",
    "VersionTagRow",
    "VersionTextRow",
]
