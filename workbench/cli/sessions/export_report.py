"""What an export tells: session by session, and summed up."""

import sys
from collections import Counter
from typing import Final

from workbench.app.export import lines_of
from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.paint import shown
from workbench.library.datasets.export_target import ExportSummary
from workbench.library.datasets.session_export import SessionDone

_MOST_LINES: Final = 20
"""Lines of each kind that are told."""


class Report:
    """Tells of sessions on standard error: why one stays out, and what a row of it lost."""

    def __init__(self) -> None:
        self._told: Counter[str] = Counter()

    def add(self, done: SessionDone) -> None:
        """Tell of one session."""
        for line in lines_of(done):
            self._tell("left out", line)
        for made in done.rows:
            losses = sorted({str(one.code) for one in made.changes if one.is_loss}) if made.row else []
            if losses:
                self._tell("lost", f"session {done.session_id}: {', '.join(losses)}")

    def end(self) -> None:
        """Say how much more there was."""
        for kind, count in self._told.items():
            if count > _MOST_LINES:
                print(f"… {kind}: {count - _MOST_LINES:,} more", file=sys.stderr)

    def _tell(self, kind: str, line: str) -> None:
        self._told[kind] += 1
        if self._told[kind] <= _MOST_LINES:
            print(f"{kind}: {shown(line)}", file=sys.stderr)


def summary_json(summary: ExportSummary) -> JsonObject:
    """As `workbench export --json` prints it."""
    return {
        "sessions": summary.sessions,
        "rows": summary.rows,
        "splits": dict(summary.splits),
        "left_out": dict(sorted(summary.left_out.items())),
        "defective": summary.defective,
        "fixed_messages": summary.fixed_messages,
        "fixes": dict(sorted(summary.fixes.items())),
        "corrected_messages": summary.corrected_messages,
        "losses": dict(sorted(summary.losses.items())),
        "issues": dict(sorted(summary.issues.items())),
        "files": list(summary.files),
        "notes": list(summary.notes),
    }


def summary_lines(summary: ExportSummary) -> list[str]:
    """For a person."""
    left_out = sum(summary.left_out.values())
    lines = [f"{summary.rows:,} rows of {summary.sessions:,} sessions written"]
    for name, counts in (
        ("in splits", summary.splits),
        (f"left out, {left_out:,}", summary.left_out),
        (f"fixed, {summary.fixed_messages:,} messages", summary.fixes),
        ("lost", summary.losses),
        ("noticed", summary.issues),
    ):
        if counts:
            lines.append(
                f"{name}: " + ", ".join(f"{code} {count:,}" for code, count in sorted(counts.items()))
            )
    if summary.corrected_messages:
        lines.append(f"corrected: {summary.corrected_messages:,} messages")
    return [*lines, *summary.notes]
