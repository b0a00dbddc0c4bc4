"""The tables, one class each; a row of them never leaves the store.

Importing this package makes `METADATA` whole.
"""

from workbench.store.tables.base import METADATA, StoreTable, UtcDateTime
from workbench.store.tables.sessions import GenerationRow, MessageRow, PromptRow, SessionRow, ToolRunRow

__all__ = [
    "METADATA",
    "GenerationRow",
    "MessageRow",
    "PromptRow",
    "SessionRow",
    "StoreTable",
    "ToolRunRow",
    "UtcDateTime",
]
