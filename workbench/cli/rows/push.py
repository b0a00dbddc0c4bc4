"""`workbench push`: upload files of rows to a dataset on the hub, with card and receipt."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.paint import with_progress
from workbench.errors import BadInput
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


def push(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="Rows; train.jsonl becomes split train.")
    ],
    repo: Annotated[str, typer.Option(metavar="OWNER/NAME", help="Repository of the data set.")],
    licence: Annotated[str, typer.Option("--licence", "--license", help="As the hub names it.")],
    title: Annotated[str, typer.Option(help="Title of the card; the repository's name if not given.")] = "",
    public: Annotated[bool, typer.Option("--public", help="Make a new repository public.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the card; send nothing.")] = False,
) -> None:
    """Send files of rows, their card and receipt to a data set on the hub; rows with errors stay here."""
    from workbench.library.datasets.export_target import push_files
    from workbench.library.datasets.receipts import receipt_bytes
    from workbench.trajectory.sets.receipt import CardOptions, render_card

    splits = split_names(files)
    receipt = _receipt(files)
    name = title or repo.rsplit("/", maxsplit=1)[-1]
    card = render_card(receipt, CardOptions(title=name, licence=licence, splits=splits))
    if dry_run:
        print(card, end="")
        return
    content: dict[str, Path | bytes] = {Path(file).name: Path(file).expanduser() for file in files}
    content |= {"README.md": card.encode(), "receipt.json": receipt_bytes(receipt)}
    message = f"{receipt['rows']} rows"
    print(push_files(repo, content, message=message, is_private=not public))
    print(f"{len(content)} files sent", file=sys.stderr)


def split_names(files: Sequence[str]) -> Mapping[str, str]:
    """The file of each split: by the file's name up to its first dot, `train` for a file alone.

    Raises:
        BadInput: Two files have one name.

    >>> split_names(["out/train.jsonl.gz", "out/test.jsonl.gz"])
    {'train': 'train.jsonl.gz', 'test': 'test.jsonl.gz'}
    """
    names = [Path(file).name for file in files]
    if len(names) == 1:
        return {"train": names[0]}
    splits = {name.split(".")[0]: name for name in names}
    if len(splits) < len(names):
        raise BadInput("push", "two files would be one split", "name them after their splits")
    return splits


def _receipt(files: Sequence[str]) -> JsonObject:
    from workbench.library.datasets.receipts import ReceiptMaker

    maker = ReceiptMaker()
    for file in files:
        for _number in with_progress(maker.add(file), "rows"):
            pass
    maker.finish()
    return maker.receipt()
