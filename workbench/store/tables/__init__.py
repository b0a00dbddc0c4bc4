"""The tables, one class each; a row of them never leaves the store.

Importing this package makes `METADATA` whole.
"""

from workbench.store.tables.audit import AuditRow
from workbench.store.tables.base import METADATA, StoreTable, UtcDateTime
from workbench.store.tables.comparisons import ComparisonAnswerRow, ComparisonRow, ComparisonVoteRow
from workbench.store.tables.deleted import DeletedMessageRow
from workbench.store.tables.facts import FactRow
from workbench.store.tables.imports import ImportRow
from workbench.store.tables.labels import (
    AcceptedMessageRow,
    LabelProjectRow,
    LabelRow,
    LabelTagRow,
    LabelTaskRow,
)
from workbench.store.tables.notes import NoteRow
from workbench.store.tables.runs import CaseResultRow, RunRow, RunSessionRow
from workbench.store.tables.search import DocumentRow
from workbench.store.tables.sessions import (
    GenerationRow,
    MessageRow,
    PromptRow,
    SessionRow,
    SessionTagRow,
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
    "LabelProjectRow",
    "LabelRow",
    "LabelTagRow",
    "LabelTaskRow",
    "MessageRow",
    "NoteRow",
    "PromptRow",
    "RunRow",
    "RunSessionRow",
    "SessionRow",
    "SessionTagRow",
    "StoreTable",
    "ToolRunRow",
    "UnfinishedRow",
    "UtcDateTime",
    "VersionLineRow",
    "VersionRow",
    "VersionTagRow",
    "VersionTextRow",
]
