"""A training run: from valid rows to adapter, GGUF file, receipt and card."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.training.base_model import Base, facts_of, load_base, start_receipt
from workbench.training.examples import examples_of
from workbench.training.gguf_adapter import (
    TunedWeights,
    write_adapter,
)
from workbench.training.progress import TrainingProgress
from workbench.training.receipt import RECEIPT, TrainOptions, card_of, receipt_of
from workbench.training.tuning import prepare, tune
from workbench.trajectory.row import TrainingRow

ADAPTER: Final = "adapter.gguf"
"""The adapter as llama.cpp loads it."""
CARD: Final = "README.md"


def train(
    rows: Iterable[TrainingRow],
    rows_receipt: JsonObject,
    terms: TrainOptions,
    *,
    resumes: bool,
    report: Callable[[TrainingProgress], None],
) -> TunedWeights:
    """Trains on rows that the validator passed, and writes all that comes out of it.

    Args:
        rows: Sound rows.
        rows_receipt: Their receipt, as `workbench receipt` makes it.
        terms: How, and where to.
        resumes: Whether a run that stopped is gone on with.
        tell: Is told how it goes.

    Raises:
        BadInput: The base cannot be read, no example fits, or the folder holds a run of other terms.
    """
    examples = [example for row in rows for example in examples_of(row, terms.family)]
    if not examples:
        raise BadInput("train", "the rows hold no message of the model", "name rows with answers")
    # Read before the run, which may take hours, and may write where it was begun from.
    start = start_receipt(terms.start) if terms.start else None
    base = load_base(terms.base, terms.precision)
    tuned = tune(base, prepare(examples, base, terms), terms, resumes=resumes, report=report)
    files = _written(base, tuned, terms)
    receipt = receipt_of(
        terms, tuned, rows_receipt, base=base.name, base_sha256=base.fingerprint, files=files, start=start
    )
    _write(terms.out / RECEIPT, json.dumps(receipt, indent=2, ensure_ascii=False) + "\n")
    _write(terms.out / CARD, card_of(receipt, title=f"{terms.out.name}: tool calls for {base.name}"))
    return tuned


def _written(base: Base, tuned: TunedWeights, terms: TrainOptions) -> list[Path]:
    """The weights' files; with an adapter its GGUF too, where llama.cpp knows the architecture."""
    folder = terms.out / ("adapter" if terms.is_lora else "model")
    files = sorted(folder.glob("*.safetensors"))
    facts = facts_of(base, terms)
    if not terms.is_lora or facts is None:
        return files
    write_adapter(terms.out / ADAPTER, tuned.weights, facts)
    return [*files, terms.out / ADAPTER]


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
