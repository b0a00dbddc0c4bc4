"""The receipt and the model card of a training run."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import file_digest
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal, NamedTuple

from workbench import __version__
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.errors import BadInput
from workbench.training.gguf_adapter import Numbers, StoredAs
from workbench.training.processes import process_count

Precision = Literal["f32", "bf16"]
"""Precision of the weights during training."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpoOptions:
    """Settings of a training on a suite."""

    samples: int = 4
    """Number of episodes of a case that are compared with each other. Divides the batch."""
    completion_tokens: int = 256
    """Maximum number of tokens of all completions of an episode, with the results and messages between them."""
    temperature: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """All settings of a training run."""

    base: str
    """A folder or repository in Hugging Face's format, or a GGUF file that transformers can load."""
    out: Path
    """Folder for checkpoints and results."""
    start: Path | None = None
    """GGUF file of an adapter to start from. None starts with a new adapter."""
    lora_rank: int = 16
    """Rank of the adapter, which is on all projections; 0 trains all weights."""
    learning_rate: float = 4e-4
    """Maximum learning rate, after the warm-up. It then falls to 0 along a cosine."""
    epochs: float = 1.0
    """Number of passes over all rows."""
    max_steps: int = 0
    """Maximum number of steps; 0 for no maximum."""
    max_length: int = 2048
    """Maximum number of tokens of a text, which may contain several examples with the same system text. Longer examples
    are skipped and counted."""
    batch: int = 4
    """Number of texts per step, of all processes together."""
    seed: int = 0
    """Seed of the adapter's initial weights and of the order of rows."""
    precision: Precision = "f32"
    stored_as: StoredAs = "f16"
    """Number format of the adapter's GGUF file."""
    threads: int = 0
    """Number of threads; 0 lets PyTorch choose."""
    save_steps: int = 50
    """Number of steps between checkpoints."""
    validate_steps: int = 0
    """Number of steps between measurements on validation cases, after which the best weights are kept; 0 for none."""
    validate_share: float = 1.0
    """Share of all validation cases that is measured."""
    family: str = ""
    """Template family of the prompts. Empty uses that of each row."""
    grpo: GrpoOptions | None = None
    """Settings of a training on a suite. None for rows."""
    licence: str = "apache-2.0"
    """Licence for the model card."""

    @property
    def is_lora(self) -> bool:
        """Whether an adapter is trained instead of all weights."""
        return self.lora_rank > 0

    @property
    def lora_alpha(self) -> int:
        """The scale of the adapter times its rank."""
        return 2 * self.lora_rank


class TunedWeights(NamedTuple):
    """The result of a training run."""

    steps: int
    """Number of steps done."""
    steps_planned: int
    tokens: int
    """Number of tokens of all texts, including prompts."""
    tokens_trained: int
    """Number of these tokens that were trained."""
    examples: int
    texts: int
    """Number of texts. Examples with the same system text share one."""
    too_long: int
    """Number of examples that were skipped because they are too long."""
    curve: list[tuple[int, float]]
    """Pairs of step and loss, as logged."""
    validation: list[JsonObject]
    """Results on validation cases, in the order of steps. Empty if nothing was measured."""
    chosen_step: int | None
    """The step with the best results on validation cases, whose weights these are. None if nothing was measured."""
    weights: Mapping[str, Numbers]
    """Weights of the adapter, by their names in peft. Empty if all weights were trained."""

    rewards: Sequence[tuple[int, float]] = ()
    """Pairs of step and mean reward of its episodes. Empty for rows."""

    @property
    def is_whole(self) -> bool:
        """False if the run was stopped before its end."""
        return self.steps >= self.steps_planned


TEMPLATE: Final = "hermes-fc"
"""Value of Hermes-FC's trainer for the receipt."""
PAPERS: Final = ("arXiv:2409.00920", "arXiv:2305.15334")
"""ToolACE and Gorilla, which Hermes-FC's receipts name too."""
RECEIPT: Final = "receipt.json"
ADAPTER: Final = "adapter.gguf"
"""Name of the adapter's file for llama.cpp."""
CARD: Final = "README.md"
_PACKAGES: Final = ("torch", "transformers", "trl", "peft", "gguf")


def function_calling(rows: JsonObject, max_length: int, examples: int) -> JsonObject:
    """Return the block `function_calling`, in the format of Hermes-FC's receipts.

    Args:
        rows: The receipt of the rows, as `workbench receipt` writes it.
        max_length: Maximum number of tokens of a text.
        examples: Number of examples trained on.
    """
    issues = as_object(rows.get("issues"))
    return {
        "template": TEMPLATE,
        "papers": list(PAPERS),
        "n_tools_declared": rows.get("tools_declared"),
        "n_tool_calls_in_train": rows.get("calls"),
        "validator_issues": sum(count for count in issues.values() if isinstance(count, int)),
        "max_seq_length": max_length,
        "train_examples": examples,
        "tool_schema_hash": rows.get("tools_fingerprint"),
    }


def receipt_of(
    options: TrainOptions,
    tuned: TunedWeights,
    rows: JsonObject,
    *,
    base: str,
    base_sha256: str,
    files: Sequence[Path],
    start: JsonObject | None,
) -> JsonObject:
    """Return the receipt of a run: everything that is needed to repeat it, and its results.

    Args:
        options: Settings of the run.
        tuned: Result of the run.
        rows: The receipt of the rows.
        base: Name of the base model.
        base_sha256: SHA-256 of its file. Empty if it is a folder.
        files: The files that the run wrote.
        start: Facts about the adapter that it started from, as returned by `adapter_facts`. None if it is new.
    """
    settings: JsonObject = {
        key: value
        for key, value in asdict(options).items()
        if key not in ("out", "base", "start", "threads", "save_steps") and (key != "grpo" or value)
    }
    curve: list[JsonValue] = [[step, round(loss, 4)] for step, loss in tuned.curve]
    return {
        "function_calling": function_calling(rows, options.max_length, tuned.examples),
        "base": {"name": base, "sha256": base_sha256 or None},
        "start": start,
        "settings": settings,
        "processes": process_count(),
        "steps": tuned.steps,
        "steps_planned": tuned.steps_planned,
        "texts": tuned.texts,
        "tokens": tuned.tokens,
        "tokens_trained": tuned.tokens_trained,
        "left_out_for_length": tuned.too_long,
        "loss_by_step": curve,
        **(
            {"reward_by_step": [[step, round(value, 4)] for step, value in tuned.rewards]}
            if options.grpo
            else {}
        ),
        "validation": [*tuned.validation],
        "chosen_step": tuned.chosen_step,
        "rows": rows,
        "files": [file_facts(path) for path in files],
        "versions": {"workbench": __version__, **{name: version(name) for name in _PACKAGES}},
    }


def card_of(receipt: JsonObject, *, title: str) -> str:
    """Write the model card from the receipt."""
    block, settings = as_object(receipt.get("function_calling")), as_object(receipt.get("settings"))
    base, rows = as_object(receipt.get("base")), as_object(receipt.get("rows"))
    curve = receipt.get("loss_by_step")
    last = curve[-1] if isinstance(curve, list) and curve else ["–", "–"]
    loss = last[1] if isinstance(last, list) else "–"
    rank = settings.get("lora_rank")
    how = f"a LoRA adapter of rank {rank} on all projections" if rank else "a fine-tune of all weights"
    lines = (
        "---",
        f"license: {settings.get('licence')}",
        "library_name: peft" if rank else "library_name: transformers",
        "tags: [function-calling, tool-use, hermes]",
        "---",
        f"# {title}",
        "",
        f"This is {how} for `{base.get('name')}`. It teaches the model to call tools in the Hermes format: "
        "`<tool_call>` blocks with JSON, for tools whose specs are in the system text.",
        "",
        f"- Rows: {rows.get('rows')}, with {block.get('n_tool_calls_in_train')} calls of "
        f"{block.get('n_tools_declared')} tools; the validator found {block.get('validator_issues')} issues.",
        f"- Steps: {receipt.get('steps')} of {receipt.get('steps_planned')}; {block.get('train_examples')} "
        f"examples in {receipt.get('texts')} texts, {settings.get('batch')} per step; "
        f"the last loss was {loss}.",
        *_start_line(as_object(receipt.get("start"))),
        "- Trained on the model's own messages only, including prefaces and thoughts.",
        "",
        "`receipt.json` in this folder has all settings, versions, hashes and the loss of each step.",
        "",
    )
    return "\n".join(lines)


def _start_line(start: JsonObject) -> tuple[str, ...]:
    if not start:
        return ()
    receipt, digest = as_object(start.get("receipt")), str(start.get("sha256"))[:12]
    steps = f", trained for {receipt.get('steps')} steps" if receipt else ""
    return (f"- Started from the adapter `{start.get('name')}` ({digest}…){steps}.",)


def file_facts(path: Path) -> JsonObject:
    """Return name, SHA-256 (hex) and size of a file."""
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "sha256": digest, "size_bytes": path.stat().st_size}


def adapter_facts(path: Path) -> JsonObject:
    """Return the facts about an adapter that another one is made from: its file, and the receipt in the same folder.

    The receipt is None if there is no such file.

    Raises:
        BadInput: The receipt is not valid JSON.
    """
    receipt_path = path.with_name(RECEIPT)
    try:
        receipt = (
            as_object(json.loads(receipt_path.read_text(encoding="utf-8")))
            if receipt_path.is_file()
            else None
        )
    except ValueError as error:
        raise BadInput(
            f"receipt {receipt_path}", f"not valid JSON: {error}", "fix it or move it away"
        ) from error
    return {**file_facts(path), "receipt": receipt}
