"""`workbench train`: train a model or a LoRA adapter on rows, or on the rewards of suites."""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workbench.chat.finding import Severity
from workbench.cli.rows.row_engine import ROW_FILES
from workbench.cli.suites.env import RESULT_ONLY, ContractOption, RewardOption, suite_for_training
from workbench.cli.terminal.paint import count_of, with_progress
from workbench.errors import BadInput
from workbench.settings.extras import install_command
from workbench.training.processes import is_main_process

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.training.heldout import HeldOutCase
    from workbench.training.progress import TrainingProgress
    from workbench.training.validation import ValidationResult
    from workbench.trajectory.row import TrainingRow

FAULTY: Final = 1
"""Exit code if rows have errors. Nothing is trained then."""
_MOST_ERRORS: Final = 50
"""Maximum number of errors listed. `workbench check` lists all of them."""


class Precision(StrEnum):
    """Number format of the weights during training."""

    F32 = "f32"
    BF16 = "bf16"


class StoredAs(StrEnum):
    """Number format of the adapter's GGUF file."""

    F16 = "f16"
    Q8_0 = "q8_0"


StoredAsOption = Annotated[
    StoredAs, typer.Option(help="Number format of adapter.gguf; q8_0 takes half of the memory")
]


class Method(StrEnum):
    """What the model learns from."""

    SFT = "sft"
    GRPO = "grpo"


LicenceOption = Annotated[
    str, typer.Option("--licence", "--license", metavar="LICENCE", help="Licence for the model card")
]


def train(
    rows: Annotated[
        list[str],
        typer.Argument(metavar="ROWS", help=f"{ROW_FILES}. With --method grpo: names or files of suites"),
    ],
    base: Annotated[
        str,
        typer.Option(
            metavar="MODEL", help="Base model: embedded, a GGUF file, or a folder or repository with weights"
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for checkpoints and results")],
    start: Annotated[
        str,
        typer.Option(
            metavar="ADAPTER",
            help="Adapter to start from: an adapter.gguf with the same base and rank, or embedded",
        ),
    ] = "",
    lora_rank: Annotated[
        int, typer.Option(min=0, max=256, help="Rank of the LoRA adapter; 0 trains all weights")
    ] = 16,
    learning_rate: Annotated[float, typer.Option(min=0.0, help="Peak learning rate")] = 4e-4,
    epochs: Annotated[float, typer.Option(min=0.0, help="Number of passes over all rows")] = 1.0,
    max_steps: Annotated[
        int, typer.Option(min=0, help="Stop after this number of steps; 0 for no limit")
    ] = 0,
    max_length: Annotated[
        int, typer.Option(min=16, help="Maximum length of an example, in tokens; longer ones are skipped")
    ] = 2048,
    batch: Annotated[int, typer.Option(min=1, help="Texts per step, of all processes together")] = 4,
    seed: Annotated[int, typer.Option(help="Seed for the initial weights and the order of examples")] = 0,
    precision: Annotated[Precision, typer.Option(help="Number format of the weights")] = Precision.F32,
    stored_as: StoredAsOption = StoredAs.F16,
    threads: Annotated[int, typer.Option(min=0, help="CPU threads; 0 lets PyTorch choose")] = 0,
    save_steps: Annotated[int, typer.Option(min=1, help="Steps between checkpoints")] = 50,
    validate_steps: Annotated[
        int,
        typer.Option(
            min=0,
            help="Steps between measurements on 420 everyday requests of the validation split, after which the best "
            "weights are kept; 0 for none. For GPUs: a CPU takes half an hour",
        ),
    ] = 0,
    validate_share: Annotated[
        float,
        typer.Option(metavar="SHARE", min=0.01, max=1.0, help="Share of these requests to measure with"),
    ] = 1.0,
    family: Annotated[
        str,
        typer.Option(
            metavar="FAMILY", help="Template family for all rows", show_default="the family of each row"
        ),
    ] = "",
    licence: LicenceOption = "apache-2.0",
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the last checkpoint in the folder")
    ] = False,
    method: Annotated[
        Method, typer.Option(help="Learn from rows (sft) or from the rewards of suites (grpo)")
    ] = Method.SFT,
    samples: Annotated[
        int, typer.Option(min=2, help="grpo: episodes of a case per step; divides the batch")
    ] = 4,
    completion_tokens: Annotated[
        int, typer.Option(min=1, help="grpo: maximum tokens of an episode after its prompt")
    ] = 256,
    temperature: Annotated[float, typer.Option(min=0.01, help="grpo: sampling temperature")] = 1.0,
    reward: RewardOption = RESULT_ONLY,
    contract: ContractOption = "",
) -> None:
    """Train a model or a LoRA adapter on rows.

    With --method grpo, it is trained on the rewards of suites instead. Writes the adapter, also as GGUF, with a receipt
    and a model card. The rows are checked first; if there is an error, nothing is trained. Ctrl+C stops after the
    current step and leaves a usable adapter.
    """
    is_main = is_main_process()
    is_on_suite = method is Method.GRPO
    if is_on_suite and (validate_steps or family):
        raise BadInput("--method grpo", "it has no --validate-steps and no --family", "leave them out")
    if is_main and not is_on_suite:
        _check(rows)
    # TRL and peft would send usage statistics about each run.
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        from workbench.training.base_model import is_slow
        from workbench.training.train import train as run
        from workbench.training.train import train_on_suite
    except ImportError as error:
        remedy = f"install the extra `train` (PyTorch and others, 250 MB for CPU): {install_command('train')}"
        raise BadInput("train", f"{error.name or error} is not installed", remedy) from error
    from workbench.library.datasets.receipts import ReceiptMaker
    from workbench.training.receipt import GrpoOptions, TrainOptions

    options = TrainOptions(
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
        stored_as=stored_as.value,
        threads=threads,
        save_steps=save_steps,
        validate_steps=validate_steps,
        validate_share=validate_share,
        family=family,
        licence=licence,
        grpo=GrpoOptions(samples=samples, completion_tokens=completion_tokens, temperature=temperature)
        if is_on_suite
        else None,
    )
    if is_main and is_slow(options.precision):
        print(
            "--precision bf16 is slow on this processor, which has no bf16 instructions; f32 is many times faster",
            file=sys.stderr,
        )
    report = _print_progress if is_main else _say_nothing
    if options.grpo:
        suite, facts = suite_for_training(rows, out, reward=reward, contract=contract)
        tuned = train_on_suite(suite, facts, options, options.grpo, resumes=resume, report=report)
    else:
        maker = ReceiptMaker()
        for file in rows:
            for _number in maker.add(file):
                pass
        maker.finish()
        tuned = run(
            _rows(rows),
            maker.receipt(),
            options,
            resumes=resume,
            report=report,
            validation=_validation_cases(validate_share) if validate_steps and is_main else (),
        )
    if not is_main:
        return
    state = "done" if tuned.is_whole else f"stopped; --resume continues to step {tuned.steps_planned}"
    print(
        f"{count_of(tuned.steps, 'step')}, {count_of(tuned.examples, 'example')}, {state}: {out}",
        file=sys.stderr,
    )
    if tuned.too_long:
        print(
            f"{count_of(tuned.too_long, 'example')} longer than {max_length} tokens skipped", file=sys.stderr
        )


def _validation_cases(share: float) -> "list[HeldOutCase]":
    from workbench.cli.training.heldout import draw_measurement
    from workbench.cli.training.synth import RowGenerator, RowSplit

    _, cases = draw_measurement(RowGenerator.EVERYDAY, RowSplit.VALIDATION, "minimal", seed=1, share=share)
    return cases


def _say_nothing(progress: "TrainingProgress | ValidationResult") -> None:
    """Report nothing, since the main process reports."""


def _check(files: list[str]) -> None:
    """List the errors in the rows, and exit if there are any."""
    from workbench.library.datasets.checking import FilesCheck

    errors = 0
    for file, row, finding in with_progress(FilesCheck(files=files).findings(), "findings"):
        if finding.severity is not Severity.ERROR:
            continue
        errors += 1
        if errors <= _MOST_ERRORS:
            print(f"{file}:{row}: {finding.code} {finding.message}", file=sys.stderr)
    if errors:
        count = count_of(errors, "error")
        print(f"workbench: nothing trained: {count} in the rows; fix or remove them first", file=sys.stderr)
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
    from workbench.engines.embedded_model import REMEDY, find_embedded

    path = find_embedded()
    if path is None:
        raise BadInput("--base embedded", "not installed", REMEDY)
    return str(path)


def _start(name: str, rank: int) -> Path | None:
    from workbench.engines.embedded_model import find_embedded_adapter

    if not name:
        return None
    path = find_embedded_adapter() if name == "embedded" else Path(name).expanduser()
    if not rank:
        raise BadInput("--start", "--lora-rank 0 trains no adapter", "omit one of these options")
    if path is None or not path.is_file():
        raise BadInput(f"--start {name}", "no such file", "give the adapter.gguf of an earlier run")
    return path


def _print_progress(progress: "TrainingProgress | ValidationResult") -> None:
    from workbench.training.validation import ValidationResult

    if isinstance(progress, ValidationResult):
        kinds = "; ".join(
            f"{name} {kind.right} of {kind.of} "
            f"({', '.join(f'{count} {reaction}' for reaction, count in kind.reactions.items())})"
            for name, kind in progress.kinds.items()
        )
        print(f"step {progress.step}  right: {kinds}", file=sys.stderr, flush=True)
        return
    minutes = progress.left_s / 60
    reward = "" if progress.reward is None else f"  reward {progress.reward:.3f}"
    print(
        f"step {progress.step}/{progress.steps}  loss {progress.loss:.3f}{reward}  {minutes:.0f} min left",
        file=sys.stderr,
        flush=True,
    )
