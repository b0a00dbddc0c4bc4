"""The figures of a compression, over all rows."""

import json
from dataclasses import dataclass
from pathlib import Path

from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.library.datasets.compression import RowCompressed


@dataclass(slots=True)
class Figures:
    """Sums over all rows. *Source:* the names of hermes-agent's `compression_metrics.json`."""

    rows: int = 0
    compressed: int = 0
    left_out: int = 0
    over_limit: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    turns_before: int = 0
    turns_after: int = 0

    def add(self, done: RowCompressed) -> None:
        """Count one row."""
        self.rows += 1
        self.left_out += done.row is None
        if done.metrics is None:
            return
        self.compressed += done.metrics.was_compressed
        self.over_limit += done.metrics.still_over_limit
        self.tokens_before += done.metrics.original_tokens
        self.tokens_after += done.metrics.compressed_tokens
        self.turns_before += done.metrics.original_turns
        self.turns_after += done.metrics.compressed_turns

    def to_json(self) -> JsonObject:
        """As it stands in the file of figures."""
        ratio = self.tokens_after / self.tokens_before if self.tokens_before else 1.0
        return {
            "summary": {
                "total_trajectories": self.rows,
                "trajectories_compressed": self.compressed,
                "trajectories_left_out": self.left_out,
                "trajectories_still_over_limit": self.over_limit,
            },
            "tokens": {
                "total_before": self.tokens_before,
                "total_after": self.tokens_after,
                "total_saved": self.tokens_before - self.tokens_after,
                "overall_compression_ratio": round(ratio, 4),
            },
            "turns": {
                "total_before": self.turns_before,
                "total_after": self.turns_after,
                "total_removed": self.turns_before - self.turns_after,
            },
        }

    def save(self, path: Path) -> None:
        """Write the file of figures.

        Raises:
            BadInput: It cannot be written.
        """
        try:
            path.write_text(json.dumps(self.to_json(), indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise BadInput(f"file {path}", str(error.strerror or error)) from error

    def line(self) -> str:
        """For a person."""
        return (
            f"{self.rows:,} rows, {self.compressed:,} compressed, {self.over_limit:,} still too long, "
            f"{self.left_out:,} left out; {self.tokens_before:,} tokens became {self.tokens_after:,}"
        )
