"""`workbench receipt`: what a set of rows holds, as one small document."""

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.cli.terminal.progress import with_progress
from workbench.trajectory.formats.known import FORMATS

HAS_ERRORS: Final = 1
"""Exit code where rows have errors, so that there is no receipt."""


def receipt(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="Rows: JSONL, gzip, JSON array, Parquet.")
    ],
    out: Annotated[str, typer.Option("--out", "-o", help="File to write; - for standard output.")] = "-",
    format_: Annotated[str, typer.Option("--format", help=f"auto, or one of {', '.join(FORMATS)}.")] = "auto",
) -> None:
    """Write the receipt of files of rows: hashes, counts, issues; none where rows have errors."""
    from workbench.library.datasets.receipts import ReceiptMaker, receipt_bytes, write_receipt

    maker = ReceiptMaker(format_)
    for file in files:
        for _number in with_progress(maker.add(file), "rows"):
            pass
    maker.finish()
    if maker.counts.errors:
        print(f"workbench: no receipt: {_told(maker.counts.issues)}", file=sys.stderr)
        raise typer.Exit(HAS_ERRORS)
    if out == "-":
        sys.stdout.buffer.write(receipt_bytes(maker.receipt()))
        return
    write_receipt(maker.receipt(), Path(out).expanduser())


def _told(issues: Counter[str]) -> str:
    return ", ".join(f"{code} {count:,}" for code, count in sorted(issues.items()))
