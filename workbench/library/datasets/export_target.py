"""The target of an export, its limits and its summary."""

from collections import Counter
from dataclasses import dataclass, field

from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.library.datasets.session_export import SessionDone
from workbench.trajectory.sets.split import RowSplit


class ExportRefused(BadInput):
    """Sessions have errors, and skipping them was not allowed, so nothing was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportTarget:
    """Where to write rows, and what to write with them."""

    out: str
    """`NAME.jsonl`, `NAME.jsonl.gz`, `NAME.parquet`, or `-` for standard output; with a split, a folder."""
    split: RowSplit | None = None
    """How to assign rows to splits; None writes one file."""
    skips_invalid: bool = False
    """Whether to skip sessions with errors; otherwise nothing is written if there are any."""
    licence: str = ""
    """Licence of the dataset; empty writes no card."""
    title: str = ""
    """Title of the card; empty for the name of the file or folder."""


@dataclass(slots=True, kw_only=True)
class ExportSummary:
    """Summary of an export, updated while it runs."""

    sessions: int = 0
    rows: int = 0
    splits: Counter[str] = field(default_factory=Counter[str])
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Number of sessions by reason why they, or rows of them, are skipped."""
    defective: int = 0
    """Sessions with errors."""
    fixed_messages: int = 0
    """Messages with safe fixes applied."""
    fixes: Counter[str] = field(default_factory=Counter[str])
    """Messages by code of the fix."""
    corrected_messages: int = 0
    """Messages that were replaced by an annotator's correction."""
    person_messages: int = 0
    """Messages that a person wrote in place of the model or a tool: edited answers, and results by hand."""
    losses: Counter[str] = field(default_factory=Counter[str])
    """Rows by code of what the format cannot hold."""
    files: tuple[str, ...] = ()
    """Paths of the written files, rows first; empty if nothing was written."""
    receipt: JsonObject | None = None
    """None if rows have errors or nothing was written."""
    issues: Counter[str] = field(default_factory=Counter[str])
    """Findings of the validator in the written rows, by code."""
    card: str = ""
    """The card's text; empty if there is no card."""
    notes: list[str] = field(default_factory=list[str])
    """Other messages for the user."""

    def add(self, done: SessionDone) -> None:
        """Count one session."""
        self.sessions += 1
        self.left_out.update({obstacle.code for obstacle in done.all_obstacles})
        self.defective += done.has_defect
        for result in done.rows:
            if result.row is None:
                continue
            self.rows += 1
            if done.split:
                self.splits[done.split] += 1
            self.fixed_messages += result.conversation.fixed_messages
            self.fixes.update(result.conversation.fixes)
            self.corrected_messages += result.conversation.corrected_messages
            self.person_messages += result.conversation.person_messages
            self.losses.update({obstacle.name for obstacle in result.changes if obstacle.is_loss})
