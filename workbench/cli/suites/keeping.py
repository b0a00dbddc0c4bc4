"""`workbench run --keep` and `--pairs`: training material from the rollouts of a run."""

import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from workbench.cli.suites.files import write_file
from workbench.errors import BadInput
from workbench.suite.exchange.bfcl import write_lines

if TYPE_CHECKING:
    from workbench.app.services import Services
    from workbench.records.runs import StoredRun


class KeptStatus(StrEnum):
    """Which rollouts are kept as sessions."""

    PASSED = "passed"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepOptions:
    """What to keep of a run."""

    status: KeptStatus | None
    pairs: str
    """File for preference pairs. Empty writes none."""

    def check(self) -> None:
        """Refuse a file whose name does not say which pairs it gets.

        Raises:
            BadInput: It has another ending.
        """
        if self.pairs and not self.pairs.endswith((".dpo.jsonl", ".kto.jsonl")):
            raise BadInput("--pairs", "unknown format", "use a file that ends in .dpo.jsonl or .kto.jsonl")

    def write(self, services: "Services", run: "StoredRun") -> None:
        """Keep the rollouts and write the pairs, and report on standard error how many of how many.

        Raises:
            BadInput: The file cannot be written.
            StoreError: A session could not be read or written.
        """
        if self.status is None and not self.pairs:
            return
        from workbench.app.runs.kept import KEPT_TAG, keep_passed, pairs_of

        if self.status:
            kept = keep_passed(services, run)
            sessions = f"kept {len(kept.session_ids)} of {kept.total} conversations as sessions"
            print(
                f"{sessions}; export them with --tag {KEPT_TAG} or --tag run:{run.id[:12]}", file=sys.stderr
            )
        if self.pairs:
            pairs = pairs_of(services, run)
            rows = list(pairs.kto_rows()) if self.pairs.endswith(".kto.jsonl") else pairs.rows
            write_file(self.pairs, write_lines(rows))
            cases = f"{pairs.cases} cases that passed and failed"
            print(f"{len(rows)} rows from {len(pairs.rows)} pairs of {cases}", file=sys.stderr)
