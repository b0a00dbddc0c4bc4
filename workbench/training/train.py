"""Run a training: from valid rows to adapter, GGUF file, receipt and model card."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from workbench.chat.json_value import JsonObject, json_for_people
from workbench.errors import BadInput
from workbench.training.base_model import Base, facts_of, load_base
from workbench.training.examples import examples_of
from workbench.training.gguf_adapter import write_adapter
from workbench.training.grpo import tune_on_suite
from workbench.training.heldout import HeldOutCase
from workbench.training.processes import is_main_process
from workbench.training.receipt import (
    ADAPTER,
    CARD,
    RECEIPT,
    GrpoOptions,
    TrainOptions,
    TunedWeights,
    adapter_facts,
    card_of,
    receipt_of,
)
from workbench.training.suite_episodes import SuiteCases
from workbench.training.tuning import Report, prepare, tune
from workbench.trajectory.row import TrainingRow


def train(
    rows: Iterable[TrainingRow],
    rows_receipt: JsonObject,
    options: TrainOptions,
    *,
    resumes: bool,
    report: Report,
    validation: Sequence[HeldOutCase] = (),
) -> TunedWeights:
    """Train on rows. The main process writes all results.

    Args:
        rows: Valid rows.
        rows_receipt: Their receipt, as `workbench receipt` writes it.
        options: Settings of the run.
        resumes: True to resume a run that was stopped.
        report: Called with the progress and with results of the validation cases.
        validation: Cases to measure the adapter with after every `validate_steps` steps.

    Raises:
        BadInput: The base cannot be loaded, no example is short enough, or the folder has a run with other settings.
    """
    examples = [example for row in rows for example in examples_of(row, options.family)]
    if not examples:
        raise BadInput("train", "the rows contain no message of the model", "use rows with answers")
    # Read it before the run, which may take hours and may overwrite the files that it started from.
    start = adapter_facts(options.start) if options.start else None
    base = load_base(options.base, options.precision)
    prepared = prepare(examples, base, options)
    tuned = tune(base, prepared, options, resumes=resumes, report=report, validation=validation)
    return _recorded(base, tuned, rows_receipt, options, start)


def train_on_suite(
    suite: SuiteCases,
    suite_receipt: JsonObject,
    options: TrainOptions,
    grpo: GrpoOptions,
    *,
    resumes: bool,
    report: Report,
) -> TunedWeights:
    """Train on the rewards of a suite. The main process writes all results.

    Args:
        suite: The exported suite.
        suite_receipt: Facts about it, which the receipt names as `rows`.
        options: Settings of the run.
        grpo: Settings of the episodes.
        resumes: True to resume a run that was stopped.
        report: Called with the progress.

    Raises:
        BadInput: The base cannot be loaded or used, or the folder has a run with other settings.
    """
    if not suite.rows:
        raise BadInput("train", "no case of the suite can be an environment", "use another suite")
    start = adapter_facts(options.start) if options.start else None
    base = load_base(options.base, options.precision)
    tuned = tune_on_suite(base, suite, options, grpo, resumes=resumes, report=report)
    return _recorded(base, tuned, suite_receipt, options, start)


def _recorded(
    base: Base,
    tuned: TunedWeights,
    rows_receipt: JsonObject,
    options: TrainOptions,
    start: JsonObject | None,
) -> TunedWeights:
    """Write the files of a run that ended, in the main process."""
    if not is_main_process():
        return tuned
    files = _written(base, tuned, options)
    receipt = receipt_of(
        options, tuned, rows_receipt, base=base.name, base_sha256=base.fingerprint, files=files, start=start
    )
    _write(options.out / RECEIPT, json_for_people(receipt) + "\n")
    _write(options.out / CARD, card_of(receipt, title=f"{options.out.name}: tool calls for {base.name}"))
    return tuned


def _written(base: Base, tuned: TunedWeights, options: TrainOptions) -> list[Path]:
    """Return the files with weights. Write the adapter's GGUF file too if GGUF has the architecture."""
    folder = options.out / ("adapter" if options.is_lora else "model")
    files = sorted(folder.glob("*.safetensors"))
    facts = facts_of(base, options)
    if not options.is_lora or facts is None:
        return files
    write_adapter(options.out / ADAPTER, tuned.weights, facts, stored_as=options.stored_as)
    return [*files, options.out / ADAPTER]


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
