"""`workbench mix`: mix several files of training rows."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.rows.check_filter import IgnoreOption, codes_of
from workbench.cli.rows.row_engine import ROW_FILES
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import count_of, with_progress, write_json_line
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.trajectory.formats.known import WRITTEN
from workbench.trajectory.sets.mix import parse_weights


def mix(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help=ROW_FILES)],
    out: Annotated[
        str,
        typer.Option(metavar="FILE", help="File to write: .jsonl, .jsonl.gz or .parquet"),
    ],
    weights: Annotated[
        str,
        typer.Option(
            metavar="NUMBER,…",
            help="How often the rows of each file are taken: 1 is each once, 0.5 half of them, 2 each twice",
            show_default="each once",
        ),
    ] = "",
    shares: Annotated[
        str,
        typer.Option(
            metavar="NUMBER,…",
            help="Instead of weights, the share of each file in the result, such as 70,30; takes no row twice",
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="Seed of the selection and the order of rows")] = 0,
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help=f"Convert all rows: {', '.join(WRITTEN)}")
    ] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Treat lossy conversion as an error")] = False,
    receipt: Annotated[
        str, typer.Option(metavar="FILE", help="File for the receipt", show_default="NAME.receipt.json")
    ] = "",
    ignore: IgnoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Mix several files of training rows, with a receipt.

    The receipt names the files, their hashes, and how many rows were taken of each. The same files and seed give the
    same mix. Nothing is written if the rows have errors.
    """
    from workbench.library.datasets.mixing import MixOptions, MixSummary, mix_files
    from workbench.library.datasets.receipts import write_receipt

    if weights and shares:
        raise BadInput("--shares", "cannot be used with --weights", "use one of them")
    if to and to not in WRITTEN:
        raise BadInput(f"--to {to}", "no format with this name can be written", f"use {', '.join(WRITTEN)}")
    options = MixOptions(
        weights=parse_weights(weights, len(files), "--weights") if weights else (),
        shares=parse_weights(shares, len(files), "--shares") if shares else (),
        seed=seed,
        write_as=to,
        is_strict=strict,
        ignored=tuple(codes_of(ignore, "--ignore")),
    )
    path = Path(receipt or receipt_name(out)).expanduser()
    summary = MixSummary()
    for _number in with_progress(mix_files(files, out, options, summary), "rows"):
        pass
    write_receipt(summary.receipt, path)
    if as_json:
        write_json_line(summary.receipt)
    for parent in summary.parents:
        taken, rows = parent["taken"], parent["rows"]
        print(shown(f"{parent['path']}: {taken:,} taken of {rows:,}"), file=sys.stderr)
    if summary.losses:
        lost = ", ".join(f"{code} {count:,}" for code, count in sorted(summary.losses.items()))
        print(f"lost: {lost}", file=sys.stderr)
    print(
        shown(f"{count_of(int(str(summary.receipt['rows'])), 'row')} written, receipt: {path}"),
        file=sys.stderr,
    )


def receipt_name(out: str) -> str:
    """Return the name of the receipt beside a file.

    >>> receipt_name("set/mix.jsonl.gz")
    'set/mix.receipt.json'
    """
    path = Path(out)
    return str(
        path.with_name(f"{path.name.removesuffix('.gz').rpartition('.')[0] or path.name}.receipt.json")
    )
