"""`workbench receipt` and `workbench push`: write receipts, and upload rows to the Hugging Face Hub."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, cast

import typer

from workbench.chat.json_value import JsonObject
from workbench.cli.rows.check_filter import IgnoreOption, codes_of
from workbench.cli.rows.row_engine import ROW_FILES, AllowEmptyOption, FormatOption
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import count_of, row_total, with_progress, write_json_line
from workbench.errors import BadInput

HAS_ERRORS: Final = 1
"""Exit code if rows have errors. No receipt is written then."""


def receipt(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help=ROW_FILES)],
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="File to write, or - for standard output")
    ] = "-",
    format_: FormatOption = "auto",
    ignore: IgnoreOption = None,
    allow_empty: AllowEmptyOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a receipt for row files: hashes, counts, issues.

    Exit code 1, without a receipt, if rows have errors or a file has none.
    """
    from workbench.library.datasets.receipts import ReceiptMaker, receipt_bytes, write_receipt

    maker = ReceiptMaker(format_, codes_of(ignore, "--ignore"))
    for file in files:
        for _number in with_progress(maker.add(file), "rows", lambda file=file: row_total([file])):
            pass
    maker.finish(allows_empty=allow_empty)
    if maker.counts.errors:
        print(
            f"workbench: no receipt written, rows have errors: {_counts(maker.counts.issues)}",
            file=sys.stderr,
        )
        raise typer.Exit(HAS_ERRORS)
    if out != "-":
        write_receipt(maker.receipt(), Path(out).expanduser())
    if as_json:
        write_json_line(maker.receipt())
    elif out == "-":
        sys.stdout.buffer.write(receipt_bytes(maker.receipt()))


def _counts(issues: Counter[str]) -> str:
    return ", ".join(f"{code} {count:,}" for code, count in sorted(issues.items()))


def push(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="Row files; train.jsonl becomes the split train"),
    ],
    repo: Annotated[str, typer.Option(metavar="OWNER/NAME", help="Repository of the dataset")],
    licence: Annotated[
        str,
        typer.Option(
            "--licence", "--license", metavar="LICENCE", help="Licence of the dataset, such as apache-2.0"
        ),
    ],
    title: Annotated[
        str, typer.Option(help="Title of the dataset card", show_default="the name of the repository")
    ] = "",
    public: Annotated[bool, typer.Option("--public", help="Create a new repository as public")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the dataset card without uploading anything")
    ] = False,
    ignore: IgnoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Upload row files to a dataset on the Hugging Face Hub.

    Adds a dataset card and a receipt. Rows with errors are refused.
    """
    from workbench.library.datasets.hub_push import push_files
    from workbench.library.datasets.receipts import receipt_bytes
    from workbench.trajectory.sets.receipt import CardOptions, render_card

    splits = split_names(files)
    receipt = _receipt(files, codes_of(ignore, "--ignore"))
    name = title or repo.rsplit("/", maxsplit=1)[-1]
    card = render_card(receipt, CardOptions(title=name, licence=licence, splits=splits))
    if dry_run:
        if as_json:
            write_json_line({"url": None, "files": [], "card": card, "receipt": receipt})
        else:
            print(card, end="")
        return
    content: dict[str, Path | bytes] = {Path(file).name: Path(file).expanduser() for file in files}
    content |= {"README.md": card.encode(), "receipt.json": receipt_bytes(receipt)}
    message = count_of(cast(int, receipt["rows"]), "row")
    url = push_files(repo, content, message=message, is_private=not public)
    if as_json:
        write_json_line({"url": url, "files": list(content), "card": card, "receipt": receipt})
    else:
        print(url)
    print(f"{count_of(len(content), 'file')} uploaded", file=sys.stderr)


def split_names(files: Sequence[str]) -> Mapping[str, str]:
    """Return the file name of each split.

    A split is named after its file, up to the first dot. A single file is the split `train`.

    Raises:
        BadInput: Two files would have the same split.

    >>> split_names(["out/train.jsonl.gz", "out/test.jsonl.gz"])
    {'train': 'train.jsonl.gz', 'test': 'test.jsonl.gz'}
    """
    names = [Path(file).name for file in files]
    if len(names) == 1:
        return {"train": names[0]}
    splits = {name.split(".")[0]: name for name in names}
    if len(splits) < len(names):
        raise BadInput("push", "two files have the same split name", "name each file after its split")
    return splits


def _receipt(files: Sequence[str], ignored: Sequence[str]) -> JsonObject:
    from workbench.library.datasets.receipts import ReceiptMaker

    maker = ReceiptMaker(ignored=ignored)
    for file in files:
        for _number in with_progress(maker.add(file), "rows", lambda file=file: row_total([file])):
            pass
    maker.finish()
    return maker.receipt()
