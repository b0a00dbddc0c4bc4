"""`workbench train`: train a model on rows."""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workbench.chat.finding import Severity
from workbench.cli.terminal.paint import with_progress
from workbench.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.training.progress import TrainingProgress
    from workbench.trajectory.row import TrainingRow

FAULTY: Final = 1
"""Exit code where rows have errors: nothing is trained then."""
_MOST_TOLD: Final = 50
"""So many faults are listed; `workbench check` lists all."""


class Precision(StrEnum):
    """Of the numbers that are worked with."""

    F32 = "f32"
    BF16 = "bf16"


def train(
    rows: Annotated[
        list[str], typer.Argument(metavar="ROWS…", help="Rows: JSONL, gzip, JSON array, Parquet.")
    ],
    base: Annotated[str, typer.Option(help="embedded, a GGUF file, or a folder or repository of weights.")],
    out: Annotated[Path, typer.Option(help="Folder for checkpoints and results.")],
    start: Annotated[
        str, typer.Option(help="adapter.gguf to go on from, or embedded: of the same base and rank.")
    ] = "",
    lora_rank: Annotated[int, typer.Option(min=0, max=256, help="0 trains all weights.")] = 16,
    learning_rate: Annotated[float, typer.Option(min=0.0, help="At its highest.")] = 4e-4,
    epochs: Annotated[float, typer.Option(min=0.0, help="How often all rows are seen.")] = 1.0,
    max_steps: Annotated[int, typer.Option(min=0, help="An end before that; 0 for none.")] = 0,
    max_length: Annotated[
        int, typer.Option(min=16, help="Tokens of a text; longer examples stay out.")
    ] = 2048,
    batch: Annotated[int, typer.Option(min=1, help="Texts a step.")] = 4,
    seed: Annotated[int, typer.Option(help="Of first numbers and order.")] = 0,
    precision: Annotated[Precision, typer.Option(help="Of the numbers.")] = Precision.F32,
    threads: Annotated[int, typer.Option(min=0, help="Of the processor; 0 leaves it to PyTorch.")] = 0,
    save_steps: Annotated[int, typer.Option(min=1, help="A checkpoint every so many steps.")] = 50,
    family: Annotated[str, typer.Option(help="Framing of the rows; each row's own if left out.")] = "",
    licence: Annotated[str, typer.Option("--licence", "--license", help="For the card.")] = "apache-2.0",
    resume: Annotated[bool, typer.Option("--resume", help="Go on where a run stopped.")] = False,
) -> None:
    """Teach a model rows, by TRL: an adapter, its GGUF, receipt and card.

    The rows are checked first: with any error nothing is trained. Ctrl+C ends the run behind its step, with
    a usable adapter.
    """
    _check(rows)
    # TRL and peft would tell their makers of each run.
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        from workbench.training.base_model import is_slow
        from workbench.training.train import train as run
    except ImportError as error:
        remedy = "install the extra `train` (PyTorch and more, 250 MB for a CPU): pip install '.[train]'"
        raise BadInput("train", f"{error.name or error} is not installed", remedy) from error
    from workbench.library.datasets.receipts import ReceiptMaker
    from workbench.training.receipt import TrainOptions

    terms = TrainOptions(
        base=_base(base),
        out=out,
        start=_start(start, lora_rank),
        lora_rank=lora_rank,
        learning_rate=learning_rate,
        epochs=epochs,
        max_steps=max_steps,
        max_length=max_length,
        batch=batch,
        seed=seed,
        precision=precision.value,
        threads=threads,
        save_steps=save_steps,
        family=family,
        licence=licence,
    )
    maker = ReceiptMaker()
    for file in rows:
        for _number in maker.add(file):
            pass
    maker.finish()
    if is_slow(terms.precision):
        print(
            "--precision bf16: this processor has no instructions for it; f32 is many times quicker",
            file=sys.stderr,
        )
    tuned = run(_rows(rows), maker.receipt(), terms, resumes=resume, report=_report)
    how = "done" if tuned.is_whole else f"stopped; --resume goes on to step {tuned.steps_planned}"
    print(f"{tuned.steps} steps, {tuned.examples:,} examples, {how}: {out}", file=sys.stderr)
    if tuned.too_long:
        print(f"{tuned.too_long:,} examples were longer than {max_length} tokens", file=sys.stderr)


def _check(files: list[str]) -> None:
    """Lists what is wrong, and ends there."""
    from workbench.library.datasets.checking import FilesCheck

    errors = 0
    for file, row, finding in with_progress(FilesCheck(files=files).findings(), "findings"):
        if finding.severity is not Severity.ERROR:
            continue
        errors += 1
        if errors <= _MOST_TOLD:
            print(f"{file}:{row}: {finding.code} {finding.message}", file=sys.stderr)
    if errors:
        print(
            f"workbench: nothing is trained: {errors:,} errors; mend or leave out these rows", file=sys.stderr
        )
        raise typer.Exit(FAULTY)


def _rows(files: list[str]) -> "Iterator[TrainingRow]":
    from workbench.library.datasets.row_files import read_row, read_rows
    from workbench.trajectory.row import RowFinding

    for file in files:
        for row in read_rows(file):
            read = read_row(row, "auto")
            if not isinstance(read, RowFinding):
                yield read


def _base(name: str) -> str:
    if name != "embedded":
        return name
    from workbench.engines.known_models import REMEDY, find_embedded

    path = find_embedded()
    if path is None:
        raise BadInput("--base embedded", "it is not installed", REMEDY)
    return str(path)


def _start(name: str, rank: int) -> Path | None:
    from workbench.engines.known_models import find_embedded_adapter

    if not name:
        return None
    path = find_embedded_adapter() if name == "embedded" else Path(name).expanduser()
    if not rank:
        raise BadInput("--start", "no adapter comes out of --lora-rank 0", "leave one of them out")
    if path is None or not path.is_file():
        raise BadInput(f"--start {name}", "no such file", "name the adapter.gguf of an earlier run")
    return path


def _report(progress: "TrainingProgress") -> None:
    minutes = progress.left_s / 60
    print(
        f"step {progress.step}/{progress.steps}  loss {progress.loss:.3f}  {minutes:.0f} min left",
        file=sys.stderr,
        flush=True,
    )
