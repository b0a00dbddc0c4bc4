"""The tables, one class each; a row of them never leaves the store.

Importing this package makes `METADATA` whole.
"""

from workbench.store.tables.base import METADATA, NullableJson, StoreTable, UtcDateTime
from workbench.store.tables.sessions import (
    GenerationRow,
    MessageRow,
    PromptRow,
    SessionRow,
    SessionTagRow,
    ToolRunRow,
    UnfinishedRow,
)

__all__ = [
    "METADATA",
    "GenerationRow",
    "MessageRow",
    "NullableJson",
    "PromptRow",
    "SessionRow",
    "SessionTagRow",
    "StoreTable",
    "ToolRunRow",
    "UnfinishedRow",
    "UtcDateTime",
]
